"""The record of a board: what can happen to one, the log of what happened, and what it says now.

The log is JSON Lines, each line chained to the one before by its hash. A line counts once it ends with a line
feed. What a process that was killed left behind it is no line: it is never read, and the next writer cuts it
off. Whoever writes holds the lock of the board.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar, get_args

from bestby._core.errors import BoardError
from bestby._core.text import path_text
from bestby.boards.content import Entry
from bestby.boards.settings import Settings, parse, stamp


@dataclass(frozen=True, slots=True)
class File:
    """A file as it came: the SHA-256 of its bytes, the column to read if it holds several systems.

    `suffix` is the ending of its name, which says how it is read.
    """

    sha256: str
    column: str | None = None
    suffix: str = ".csv"


@dataclass(frozen=True, slots=True)
class GoldSet:
    """A gold was given: the first one, or a corrected one with the reason.

    `mark` is a keyed hash of the gold, which tells nothing of it without the key that lies beside the gold;
    `items` are the SHA-256 of the public lists of items, by task.
    """

    kind: ClassVar[str] = "gold"
    version: int
    mark: str
    items: Mapping[str, str]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SettingsSet:
    """The settings changed; `text` is the whole `board.toml`."""

    kind: ClassVar[str] = "settings"
    text: str


@dataclass(frozen=True, slots=True)
class Submitted:
    """A team submitted a system in a phase: a file per task.

    `costs` has the price of the system by the name of the cost; None if its files have a column of this name.
    """

    kind: ClassVar[str] = "submission"
    team: str
    system: str
    phase: str
    files: Mapping[str, File]
    run: str = ""
    paper: str = ""
    code: str = ""
    costs: Mapping[str, float | None] = dataclasses.field(default_factory=dict)

    @property
    def key(self) -> str:
        """The name of the system with its team."""
        return f"{self.team}/{self.system}"


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """A submission was withdrawn; `hidden` says that its name is not shown any more."""

    kind: ClassVar[str] = "withdrawal"
    submission: int
    hidden: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class PhaseEnded:
    """A phase ended: nothing is submitted any more, and results that were hidden are shown.

    `revoked` says instead that it goes on, whatever an earlier line says.
    """

    kind: ClassVar[str] = "end"
    phase: str
    revoked: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Published:
    """A site was published: the SHA-256 of its manifest, and the moment that its pages describe.

    `version` is that of bestby; 0.2.0 did not write its own.
    """

    kind: ClassVar[str] = "published"
    manifest: str
    as_of: str
    n_files: int = 0
    version: str = ""


Event = GoldSet | SettingsSet | Submitted | Withdrawn | PhaseEnded | Published

KINDS: dict[str, type[Any]] = {one.kind: one for one in get_args(Event)}


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the record: its number from 0, its moment, the event, and the hashes of the chain."""

    number: int
    time: datetime
    event: Event
    previous: str
    hash: str


def fields_of(event: Event) -> dict[str, Any]:
    """Return an event as JSON can hold it."""
    return {"event": event.kind, **dataclasses.asdict(event)}


def event_of(content: Mapping[str, Any]) -> Event:
    """Return the event of a line; what is no event raises KeyError or TypeError."""
    values = {
        key: value for key, value in content.items() if key not in ("number", "time", "previous", "hash")
    }
    kind = KINDS[values.pop("event")]
    if kind is Submitted:
        values["files"] = {task: File(**one) for task, one in values["files"].items()}
    event: Event = kind(**values)
    return event


START = hashlib.sha256(b"bestby board").hexdigest()
"""What the first line is chained to."""

_RESTORE = "restore the record from a copy or from git: its lines are only ever added to"


def read_lines(path: Path) -> tuple[Line, ...]:
    """Return the lines of a record, of which every hash was checked; none if there is no record."""
    whole, rest = _whole_lines(path)
    if _is_object(rest[:-1]):  # a process that was killed leaves the beginning of a line, not a line and more
        raise BoardError(
            f"the end of {path_text(path)} was changed: its last line is complete", hint=_RESTORE
        )
    lines: list[Line] = []
    for number, text in enumerate(whole):
        lines.append(_line(text, number, lines[-1].hash if lines else START, path))
    return tuple(lines)


def torn(path: Path) -> int:
    """Return how many bytes after the last line a killed process left behind."""
    return len(_whole_lines(path)[1])


def _whole_lines(path: Path) -> tuple[list[bytes], bytes]:
    """Return the lines that end with a line feed, and what comes after them."""
    try:
        *lines, rest = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return [], b""
    return lines, rest


def _is_object(text: bytes) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _line(text: bytes, number: int, previous: str, path: Path) -> Line:
    where = f"line {number + 1} of {path_text(path)}"
    try:
        content = json.loads(text)
        hashed, claimed = dict(content), content["hash"]
        del hashed["hash"]
        event = event_of(content)
        moment = datetime.fromisoformat(content["time"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BoardError(f"{where} was changed: it is not an event of a board", hint=_RESTORE) from error
    if claimed != _hash(hashed) or content["number"] != number or _json_bytes(content) != text:
        raise BoardError(f"{where} was changed: its hash does not belong to it", hint=_RESTORE)
    if content["previous"] != previous:
        raise BoardError(f"{where} does not follow the line before it", hint=_RESTORE)
    return Line(number, moment, event, previous, claimed)


def append_events(
    path: Path, lines: Sequence[Line], events: Sequence[Event], now: datetime
) -> tuple[Line, ...]:
    """Add events to a record whose lines were read, and return all lines; they are on the disk then.

    The order of the lines is theirs in the chain. Their moments are those of the clocks of who wrote them, so
    that a clock that was ahead once does not stamp all lines after it.
    """
    extended, data = list(lines), b""
    moment = now.astimezone(UTC).replace(microsecond=0)
    for number, event in enumerate(events, len(lines)):
        previous = extended[-1].hash if extended else START
        content = {"number": number, "time": stamp(moment), **fields_of(event), "previous": previous}
        extended.append(Line(number, moment, event, previous, _hash(content)))
        data += _json_bytes({**content, "hash": extended[-1].hash}) + b"\n"
    size = path.stat().st_size - torn(path) if path.exists() else 0
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
    with os.fdopen(handle, "r+b") as stream:
        stream.truncate(size)
        stream.seek(size)
        try:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        except OSError:
            stream.truncate(size)  # such as a full disk: nothing was added
            raise
    return tuple(extended)


def _json_bytes(content: dict[str, Any]) -> bytes:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()


def _hash(content: dict[str, Any]) -> str:
    return hashlib.sha256(_json_bytes(content)).hexdigest()


def now() -> datetime:
    """Return the moment in UTC."""
    return datetime.now(UTC)


SKEW = timedelta(minutes=5)
"""By how much the clocks of machines may differ without a word."""


def ahead(lines: Sequence[Line], now: datetime) -> str:
    """Return what is to be said of a record with a line that is later than now; nothing if it has none."""
    latest = max(lines, key=lambda line: line.time, default=None)
    if latest is None or latest.time <= now + SKEW:
        return ""
    return (
        f"the record is ahead of the clock: its line {latest.number + 1} is of {stamp(latest.time)}, and here"
        f" it is {stamp(now)}; the clock of one of the machines is wrong, and ends no phase"
    )


def settings_text(lines: Sequence[Line]) -> str | None:
    """Return the text of the last settings that a record tells of; None if it tells of none."""
    return next((line.event.text for line in reversed(lines) if isinstance(line.event, SettingsSet)), None)


def gold_in_force(lines: Sequence[Line]) -> GoldSet:
    """Return the last gold that a record tells of."""
    for line in reversed(lines):
        if isinstance(line.event, GoldSet):
            return line.event
    raise BoardError(
        "the record of the board has no gold", hint="restore record.jsonl from a copy or from git"
    )


def gold_versions(lines: Sequence[Line]) -> list[tuple[Line, GoldSet]]:
    """Return the versions of the gold, the one in force first."""
    return [(line, line.event) for line in reversed(lines) if isinstance(line.event, GoldSet)]


Numbered = tuple[int, Submitted]
"""A submission with the number of its line."""


def submissions(lines: Sequence[Line], before: int | None = None) -> list[Numbered]:
    """Return all submissions, or those of lines before one, in the order of the record."""
    return [
        (line.number, line.event)
        for line in lines
        if isinstance(line.event, Submitted) and (before is None or line.number < before)
    ]


def withdrawals(lines: Sequence[Line]) -> dict[int, Withdrawn]:
    """Return the withdrawal of each submission that was withdrawn, by the number of its line."""
    return {line.event.submission: line.event for line in lines if isinstance(line.event, Withdrawn)}


def ended(lines: Sequence[Line]) -> dict[str, Line]:
    """Return the lines by which phases have ended, by the names of the phases: no clock ends one.

    Version 0.2.0 went by the clock: what it published after the date of an end was public, and stays so. The
    date is that of the settings it published with.
    """
    endings: dict[str, Line] = {}
    text = ""
    for line in lines:
        event = line.event
        text = event.text if isinstance(event, SettingsSet) else text
        if isinstance(event, PhaseEnded) and event.revoked:
            endings.pop(event.phase, None)
        elif isinstance(event, PhaseEnded):
            endings.setdefault(event.phase, line)
        elif isinstance(event, Published) and not event.version and text:
            for phase in parse(text, "the record").phases:
                if phase.end is not None and stamp(phase.end) <= event.as_of:
                    endings.setdefault(phase.name, line)
    return endings


def as_of(lines: Sequence[Line], settings: Settings, now: datetime) -> datetime:
    """Return the moment that a site describes: the last event, or a date of a phase that has passed since.

    Nothing changes between two of them, so that a site published again is the same site.
    """
    events = [line.time for line in lines if not isinstance(line.event, Published)]
    dates = [moment for phase in settings.phases for moment in (phase.start, phase.end) if moment is not None]
    return max([*events[-1:], *(moment for moment in dates if moment <= now)], default=now.astimezone(UTC))


def head(lines: Sequence[Line]) -> str:
    """Return the hash of the last line of a record that is not about a published site."""
    return next((line.hash for line in reversed(lines) if not isinstance(line.event, Published)), "")


@dataclass(frozen=True, slots=True)
class System:
    """A system of a phase: its newest submission of its first run, and the newest ones of its other runs."""

    key: str
    submission: int
    n_submissions: int
    event: Submitted
    runs: tuple[Numbered, ...]


@dataclass(frozen=True)
class Chosen:
    """The systems of each visible phase by its name, and every submission as the site lists it."""

    systems: Mapping[str, tuple[System, ...]]
    entries: tuple[Entry, ...]


def chosen(lines: Sequence[Line], settings: Settings, before: int | None = None) -> Chosen:
    """Return what is shown; `before` leaves out the submissions from a line on.

    A newer submission of a run takes the place of an older one of the same system, phase and run. The first
    run of a system stands for it in the tables.
    """
    withdrawn = withdrawals(lines)
    everything = submissions(lines, before)
    why: dict[int, str] = {number: "withdrawn" for number, _ in everything if number in withdrawn}
    systems: dict[str, tuple[System, ...]] = {}
    over = ended(lines)
    for phase in settings.phases:
        in_phase = [(number, one) for number, one in everything if one.phase == phase.name]
        if phase.show == "after" and phase.name not in over:
            why |= {number: "not yet" for number, _ in in_phase if number not in why}
            continue
        left = [(number, one) for number, one in in_phase if number not in why]
        newest = {(one.key, one.run): number for number, one in left}
        why |= {number: "replaced" for number, one in left if newest[one.key, one.run] != number}
        systems[phase.name] = _systems(in_phase, [(number, one) for number, one in left if number not in why])
    named = {phase.name for phase in settings.phases}
    why |= {number: "no phase" for number, one in everything if one.phase not in named and number not in why}
    by_number = {line.number: line for line in lines}
    entries = tuple(
        _entry(by_number[number], one, why.get(number, ""), withdrawn.get(number), settings)
        for number, one in everything
    )
    return Chosen(systems, entries)


def _systems(everything: Iterable[Numbered], shown: Sequence[Numbered]) -> tuple[System, ...]:
    """Return the systems of a phase from the submissions that are shown, in the order of their first ones."""
    counts: dict[str, int] = {}
    first_seen: dict[tuple[str, str], int] = {}
    for number, one in everything:
        counts[one.key] = counts.get(one.key, 0) + 1
        first_seen.setdefault((one.key, one.run), number)
    by_system: dict[str, list[Numbered]] = {}
    for number, one in sorted(shown, key=lambda pair: first_seen[pair[1].key, pair[1].run]):
        by_system.setdefault(one.key, []).append((number, one))
    return tuple(
        System(key, runs[0][0], counts[key], runs[0][1], tuple(runs)) for key, runs in by_system.items()
    )


def _entry(line: Line, one: Submitted, why: str, gone: Withdrawn | None, settings: Settings) -> Entry:
    hidden = gone is not None and gone.hidden
    links = settings.public.links and gone is None

    def name(text: str) -> str:
        return "" if hidden else text

    return Entry(
        submission=line.number,
        time=stamp(line.time),
        team=name(one.team),
        system=name(one.system),
        run=name(one.run),
        phase=one.phase,
        paper=one.paper if links else "",
        code=one.code if links else "",
        shown=not why,
        why_not=why,
    )
