"""What every format gives, and which format a file is in."""

from __future__ import annotations

import codecs
import gzip
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

from bestby._core.errors import InvalidInputError
from bestby._core.paths import is_directory, is_file, readable_file
from bestby._core.typing import Array, OnMissing
from bestby.data.evaluation import Evaluation
from bestby.data.table import listed
from bestby.metrics.base import BaseMetric
from bestby.readers.database import lines
from bestby.readers.paths import GivenName, default_names, files_in, left_out
from bestby.readers.text import HEAD as HEAD
from bestby.results.base import Note

FORMATS: tuple[str, ...] = (
    "lm_eval",
    "inspect_logs",
    "helm",
    "swe_bench",
    "alpaca_eval",
    "promptfoo",
    "deepeval",
    "openai_evals",
    "tau_bench",
    "mteb",
    "lighteval",
    "langsmith",
    "langfuse",
    "monitor_files",
    "pairs",
    "experiment_csv",
    "squad",
    "transcripts",
    "trec",
    "conllu_files",
    "mt_metrics_eval",
    "bio",
)
"""The modules of this package that read a format, in the order in which they are asked.

Plain texts (`texts`) are not among them: nothing in a line tells a segment of text from a label.
"""

ELSEWHERE = {"monitor_files": "bestby.questions.monitor.settings"}
"""The modules of formats that one question reads."""

DIRECTORY_FORMATS = FORMATS[: FORMATS.index("pairs")]
"""Those whose tools write a directory of files, which may be given as a whole."""

MOST_LINES = 1000
"""How many lines of a file are looked at to recognise it, of at most `HEAD` bytes."""


@dataclass(frozen=True, eq=False)
class Read:
    """What was read: systems on items, on several datasets, or several runs of them.

    `description` fits after "was read as" (note ``"read_as"``). Beside `runs`, the score of an item of
    `evaluation` is its mean over the runs; beside `datasets`, it has their items pooled, with the datasets as
    strata; where their metrics have no common mean, `unpooled` says so in place of it, and each suggests its
    own. `metric` is what the format suggests (for a score per run, the name of the score);
    `greater_is_better` is the direction of the scores of the runs. `clusters` are the groupings not used.
    """

    description: str
    evaluation: Evaluation | None = None
    runs: Mapping[str, Any] | None = None
    datasets: Mapping[str, Evaluation] | None = None
    preferences: tuple[tuple[str, str, str, str], ...] | None = None
    metric: str | BaseMetric | None = None
    greater_is_better: bool | None = None
    clusters: Mapping[str, Array] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    unpooled: InvalidInputError | None = None

    @property
    def n_items(self) -> int:
        """The number of items; 0 without an evaluation."""
        return 0 if self.evaluation is None else self.evaluation.n_items


class Format(Protocol):
    """What a module of this package must have to be a format."""

    def recognises(self, path: Path, head: bytes) -> bool:
        """Tell whether a file is in this format, from its first bytes before its name; never raises."""

    def read(
        self, paths: Mapping[str, Path], *, gold: Path | None = None, on_missing: OnMissing = "error"
    ) -> Read:
        """Read files by the names of their systems; a format may take more keyword arguments."""


@dataclass(frozen=True)
class File:
    """One file of a system: its path, the name of the system, and whether the user gave that name.

    A directory gives its files its name, too; `explicit` says that the user wrote the name.
    """

    path: Path
    name: str
    named: bool
    explicit: bool = False

    def system(self, in_file: str | None) -> str:
        """Return the name of the system: as the user says, else as the file tells, else the file's own."""
        return self.name if self.explicit or not in_file else in_file


def head_of(path: Path, size: int = HEAD) -> bytes:
    """Return the first bytes of what a file holds, unpacked, without a byte order mark; b"" if unreadable."""
    if not is_file(path):  # to open a pipe would wait for its writer
        return b""
    try:
        with path.open("rb") as stream:
            start = stream.read(4)
        if start == b"\x28\xb5\x2f\xfd":
            head = "\n".join(lines(path, "zstd", MOST_LINES)).encode()[:size]
        else:
            with gzip.open(path, "rb") if start[:2] == b"\x1f\x8b" else path.open("rb") as stream:
                head = stream.read(size)
    except (InvalidInputError, OSError, EOFError, ValueError, zlib.error):
        return b""
    return head.removeprefix(codecs.BOM_UTF8)


def format_called(name: str) -> Format:
    """Return the module of a format."""
    return cast(Format, import_module(ELSEWHERE.get(name, f"bestby.readers.formats.{name}")))


def recognised(path: str | Path) -> Format | None:
    """Return the format that a file is in, or the files of a directory are; None if in none of these."""
    place = Path(path)
    if not is_directory(place):
        return _first(place, FORMATS)
    return next((form for file in files_in(place) if (form := _first(file, DIRECTORY_FORMATS))), None)


def _first(file: Path, names: Sequence[str]) -> Format | None:
    """Return the first of some formats that a file is in."""
    for place, head in enumerate(_heads(file)):
        for name in DIRECTORY_FORMATS if place else names:  # only these keep keys behind long texts
            form = format_called(name)
            if form.recognises(file, head):
                return form
    return None


def _heads(file: Path) -> Iterator[bytes]:
    """Yield the first bytes of a file, then more of them if it is JSON that goes on."""
    head = head_of(file)
    yield head
    if len(head) >= HEAD - len(codecs.BOM_UTF8) and head.lstrip()[:1] in (b"{", b"["):
        # How many bytes of JSON are looked at where the texts of one record may fill the first ones
        yield head_of(file, 1 << 22)


def files_of(paths: Mapping[str, Path], recognises: Callable[[Path, bytes], bool]) -> list[File]:
    """Return the files under each name; of a directory those in the format.

    A name of a directory always tells its files apart, also where the user did not give it.
    """
    files = []
    for name, path in paths.items():
        is_folder = is_directory(path)
        is_explicit = isinstance(name, GivenName) or name not in default_names(path)
        chosen = [path]
        if is_folder:
            chosen = [one for one in files_in(path) if any(recognises(one, head) for head in _heads(one))]
        if not chosen:
            raise InvalidInputError(f"{path} holds no file in this format", hint="name the files themselves")
        files += [
            File(readable_file(one), str(name), is_folder or is_explicit, is_explicit) for one in chosen
        ]
    if not files:
        raise InvalidInputError("no file was given", hint="give one file per system: name=path")
    return files


def unread_in(path: Path, form: Format | None = None) -> list[Path]:
    """Return the files of data in a directory that are not in a format, but for those that belong beside it.

    None of them may be damaged: it could have been in the format.
    """
    if not is_directory(path):
        return []
    there = files_in(path)
    logs = {
        file
        for file in there
        if form is not None and any(form.recognises(file, head) for head in _heads(file))
    }
    return left_out([file for file in there if file not in logs], logs, getattr(form, "SIBLINGS", ()))


def refuse_gold(gold: Path | None, reason: str) -> None:
    """Refuse a gold file for a format that has no use for one."""
    if gold is not None:
        raise InvalidInputError(f"{gold}: {reason}", hint="leave the gold out")


def check_available(name: str, known: Iterable[str], what: str, where: object) -> None:
    """Refuse the name of something that a file does not hold."""
    if name not in known:
        available = listed(list(known)) or "none"
        raise InvalidInputError(f"{where}: no {what} {name!r}", hint=f"available {what}s: {available}")
