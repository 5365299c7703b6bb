"""From the record, the gold and the submissions of a board to all that its site shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

from bestby._core import files
from bestby._core.cache import Cache
from bestby._core.errors import BoardError
from bestby.boards import gold as golds_on_disk
from bestby.boards.content import BoardContent, Entry, VersionContent
from bestby.boards.entries import Chosen, as_of, chosen, ended, golds, head
from bestby.boards.events import GoldSet, Line
from bestby.boards.folder import Folder, gold_in_force
from bestby.boards.gold import TaskGold
from bestby.boards.phase_results import ScoredPhase
from bestby.boards.record import stamp
from bestby.boards.settings import Settings
from bestby.boards.submission_reader import NO_CACHE, SubmissionReader

GoldOf = Callable[[GoldSet], Mapping[str, TaskGold]]
"""The gold of a version, by task."""


def board_content(
    folder: Folder,
    settings: Settings,
    lines: Sequence[Line],
    gold: GoldOf,
    now: datetime,
    cache: Cache = NO_CACHE,
) -> BoardContent:
    """Return everything that a site shows of a board.

    Parameters
    ----------
    folder : Folder
        The board, whose lock the caller holds.
    settings : Settings
        Its settings.
    lines : sequence of Line
        Its record.
    gold : callable
        From a version of the gold to the gold of each task: `gold_of` reads it from the disk.
    now : datetime
        The clock; the content is that of `as_of`.
    cache : Cache, optional
        What was read before; without one, every submission is read.

    Returns
    -------
    BoardContent
        The same for the same record, gold, settings and `as_of`.

    Raises
    ------
    BoardError
        If a submission, the list of items or the gold is not there or was changed.
    """
    reader = SubmissionReader(folder, settings, cache)
    moment = as_of(lines, settings, now)
    versions: list[VersionContent] = []
    entries: tuple[Entry, ...] = ()
    before: int | None = None
    for line, event in golds(lines):
        made, picked = _version(reader, lines, line, event, gold(event), moment, before)
        versions.append(made)
        entries = entries or picked.entries  # those of the version in force
        before = line.number  # an older version has the submissions up to its correction
    return BoardContent(
        title=settings.title,
        about=settings.about,
        url=settings.url,
        contact=settings.contact,
        as_of=stamp(moment),
        record_head=head(lines),
        tasks=tuple((task.name, task.title or task.name) for task in settings.tasks),
        versions=tuple(versions),
        entries=entries,
    )


def gold_of(folder: Folder, settings: Settings) -> GoldOf:
    """Return what reads a version of the gold from the folder of a board, after checking its mark."""
    return partial(_read_gold, folder, settings)


def cache_of(folder: Folder, lines: Sequence[Line]) -> Cache:
    """Return the cache of a board, keyed with the secret beside the gold.

    Who sends files along with a submission cannot bring one whose value is used.
    """
    key = folder.gold_version(gold_in_force(lines).version) / "key"
    with files.reported("read the gold", BoardError):
        secret = key.read_bytes()
    return replace(NO_CACHE, folder=folder.cache, secret=secret)


def _read_gold(folder: Folder, settings: Settings, event: GoldSet) -> Mapping[str, TaskGold]:
    return golds_on_disk.read(folder, event, settings.tasks)


def _version(
    reader: SubmissionReader,
    lines: Sequence[Line],
    line: Line,
    event: GoldSet,
    gold: Mapping[str, TaskGold],
    moment: datetime,
    before: int | None,
) -> tuple[VersionContent, Chosen]:
    """Return the results by a version of the gold, and what was chosen to be shown.

    Those that no submission can change any more are kept: the phase is over, or the gold is an older one.
    """
    picked, over = chosen(lines, reader.settings, before), ended(lines)
    made = []
    for phase in reader.settings.phases:
        end = over.get(phase.name)
        mark = None if before is None and end is None else event.mark
        scored = ScoredPhase(reader, phase, gold, mark)
        made.append(scored.content(picked.systems.get(phase.name), moment, end))
    return VersionContent(event.version, stamp(line.time), event.reason, tuple(made)), picked
