"""What a monitor is asked for, checked; and its file, which is whole after a crash at any moment."""

from __future__ import annotations

import contextlib
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bestby._core import checks, files
from bestby._core.checks import margin_of
from bestby._core.errors import BestbyError, DesignError, InvalidInputError
from bestby._core.paths import readable_file
from bestby._core.text import path_text, quoted
from bestby._version import __version__
from bestby.readers.formats.base import Read, files_of
from bestby.vocabulary import MonitorPopulation, allowed_names

FEW_FOR_ASYMPTOTICS = 300
"""The number of units from which the asymptotic sequence is looked at."""

PLANNED_METHODS = ("obrien-fleming", "pocock", "spending-obrien-fleming", "spending-pocock")
"""The boundaries of planned looks."""

SPENDING_METHODS = PLANNED_METHODS[2:]
"""Those that allow for looks at other numbers of items than planned."""

MOST_LOOKS = 100
"""How many looks can be planned."""

NEAREST = 1e-3
"""How near two looks may be, as a share of the information of the last one."""

FEW_DIFFERING = 30
"""The number of units that must differ between the systems: fewer do not show the spread."""

PROVISIONAL = 3.0
"""A decision that one difference of less than so many times the largest would overturn is provisional."""

FORMAT = 2
"""The version of the file of a monitor, which says by which rules it concludes: monitors that format 1 holds,
that of version 0.2.0, go on with the asymptotic sequence as it was, without a term for rare losses."""

OPTIMAL = 1000
"""The number of units at which sequences in closed form are tightest, where no number of items is given."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a monitor; `method` is never "auto"."""

    systems: tuple[str, ...]
    bounds: tuple[float, float] | None
    greater_is_better: bool
    n_items: int | None
    population: MonitorPopulation
    largest_cluster: int | None
    method: str
    level: float
    margin: float | None
    looks: tuple[int, ...] | None = None
    largest: float | None = None
    file_format: int = FORMAT

    @property
    def alpha(self) -> float:
        """The error of one pair of systems over all looks: that of all pairs, divided by their number."""
        n_pairs = len(self.systems) * (len(self.systems) - 1) // 2
        return (1.0 - self.level) / n_pairs

    @property
    def difference_bounds(self) -> tuple[float, float]:
        """The least and the greatest difference of two scores."""
        assert self.bounds is not None
        reach = self.bounds[1] - self.bounds[0]
        return -reach, reach

    @property
    def largest_difference(self) -> float | None:
        """The largest size of a difference that can occur, None if nothing tells."""
        return self.largest if self.bounds is None else self.difference_bounds[1]

    @property
    def n_population(self) -> int | None:
        """The number of items drawn from without replacement; None if there is no end of them."""
        return self.n_items if self.population == "bank" else None

    def as_dict(self) -> dict[str, Any]:
        """Return the settings by name, as files and signatures hold them."""
        settings = asdict(self)
        if settings.pop("file_format") == 1:
            del settings["largest"]
        return settings


def checked_settings(
    systems: Sequence[str],
    bounds: Sequence[float] | None,
    greater_is_better: bool,
    n_items: int | None,
    population: str,
    largest_cluster: int | None,
    method: str,
    level: float,
    margin: float | None,
    looks: int | Sequence[int] | None = None,
    largest: float | None = None,
    file_format: int = FORMAT,
) -> Settings:
    """Return the settings of a monitor, or say what is wrong with them."""
    names = checks.valid_names(checks.valid_name_list(systems, "systems"), "system")
    checks.two_systems(names, hint="name the systems that are watched: at least two")
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InvalidInputError(
            f"system {quoted(twice)} is named twice", hint="name each system once", argument="systems"
        )
    ends = _bounds(bounds)
    asked: MonitorPopulation = checks.choice(population, allowed_names("population", "monitor"), "population")
    if asked == "bank" and n_items is None:
        raise InvalidInputError(
            "population='bank' needs the number of items of the benchmark, n_items",
            hint="pass n_items=2000, or population='wider' if the items are a sample of more",
            argument="n_items",
        )
    if n_items is not None:
        n_items = checks.positive_int(n_items, "n_items")
    planned = None if looks is None else _looks(looks, n_items)
    if planned is not None and n_items is None:
        n_items = planned[-1]
    return Settings(
        names,
        ends,
        checks.flag(greater_is_better, "greater_is_better"),
        n_items,
        asked,
        None if largest_cluster is None else checks.positive_int(largest_cluster, "largest_cluster"),
        _method(method, ends, planned),
        checks.level(level),
        _margin(margin, ends),
        planned,
        _largest(largest, ends),
        file_format,
    )


def _bounds(bounds: Sequence[float] | None) -> tuple[float, float] | None:
    if bounds is None:
        return None
    hint = "pass bounds=(0, 1), or bounds=None for scores without bounds"
    if isinstance(bounds, str) or not isinstance(bounds, Sequence) or len(bounds) != 2:
        raise InvalidInputError(
            f"bounds must be the least and the greatest score, got {quoted(bounds)}", hint, "bounds"
        )
    low, high = (checks.amount(end, "bounds") for end in bounds)
    if not -math.inf < low < high < math.inf:
        raise InvalidInputError(
            f"bounds must be two rising finite numbers, got {low:g} and {high:g}", hint, "bounds"
        )
    return low, high


def _largest(largest: float | None, bounds: tuple[float, float] | None) -> float | None:
    if largest is None:
        return None
    if bounds is not None:
        raise DesignError(
            "largest is the largest difference of scores without bounds, and bounds were given",
            hint="leave out largest: no difference is larger than the bounds are apart",
            argument="largest",
        )
    size = checks.amount(largest, "largest")
    if not 0.0 < size < math.inf:
        raise InvalidInputError(
            f"largest must be a finite number above 0, got {size:g}",
            hint="pass the largest difference that two systems can have on one item, such as largest=100",
            argument="largest",
        )
    return size


def _margin(margin: float | None, bounds: tuple[float, float] | None) -> float | None:
    if margin is None:
        return None
    size = margin_of(margin)
    if bounds is not None and size >= bounds[1] - bounds[0]:
        raise InvalidInputError(
            f"margin is {size:g}, and scores lie between {bounds[0]:g} and {bounds[1]:g}, so that"
            " no difference could be larger",
            hint="the margin is on the scale of the scores: of scores 0 and 1, 0.01 is one percentage point",
            argument="margin",
        )
    return size


def _method(method: str, bounds: tuple[float, float] | None, looks: tuple[int, ...] | None) -> str:
    chosen: str = checks.choice(method, allowed_names("method", "monitor"), "method")
    if looks is not None:
        if chosen not in ("auto", *PLANNED_METHODS):
            raise DesignError(
                f"method={chosen!r} is for looks at any time, and looks were planned",
                hint=f"leave out method, or looks; for planned looks: {', '.join(PLANNED_METHODS)}",
                argument="method",
            )
        return SPENDING_METHODS[0] if chosen == "auto" else chosen
    if chosen in PLANNED_METHODS:
        raise DesignError(
            f"method={chosen!r} needs planned looks",
            hint="pass looks=3 and n_items, or leave out method to look after any item",
            argument="method",
        )
    if chosen == "auto":
        return "asymptotic" if bounds is None else "betting"
    if bounds is None and chosen != "asymptotic":
        raise DesignError(
            f"method={chosen!r} needs the least and the greatest score",
            hint="pass bounds=(0, 1), or method='asymptotic', which is only valid with many items",
            argument="method",
        )
    return chosen


def _looks(looks: int | Sequence[int], n_items: int | None) -> tuple[int, ...]:
    """Return the numbers of items at which a look is planned: so many at equal distances, or those given."""
    hint = "pass looks=3 and n_items=1500, or the numbers of items, looks=[500,1000,1500]"
    if isinstance(looks, Sequence) and not isinstance(looks, str):
        counts = [checks.positive_int(one, "looks") for one in looks]
    else:
        number = checks.positive_int(looks, "looks")
        if n_items is None:
            raise InvalidInputError("looks at equal distances need the number of items", hint, "looks")
        counts = [round(n_items * place / number) for place in range(1, min(number, n_items) + 1)]
    if not 1 <= len(counts) <= MOST_LOOKS:
        raise InvalidInputError(
            f"looks must be 1 to {MOST_LOOKS}, got {len(counts)}",
            "leave looks out to look after every item",
            "looks",
        )
    if sorted(set(counts)) != counts:
        raise InvalidInputError(f"looks must be rising numbers of items, got {quoted(counts)}", hint, "looks")
    if n_items is not None and counts[-1] > n_items:
        raise InvalidInputError(
            f"looks go to {counts[-1]} items, and n_items is {n_items}",
            hint="plan no look after the last item",
            argument="looks",
        )
    if min(np.diff([0, *counts])) < NEAREST * counts[-1]:
        raise InvalidInputError(
            f"looks must be apart by a thousandth of the items, got {quoted(counts)}",
            hint="plan fewer looks, further apart",
            argument="looks",
        )
    return tuple(counts)


KIND = "bestby monitor"
_HINT = "resume a file that Monitor.save has written; a copy of it can be made at any time"


class Journal:
    """A file to which lines are added; `add` changes nothing in it if it fails."""

    def __init__(self, path: Path, size: int) -> None:
        self.path = path
        self._size = size

    @classmethod
    def written(cls, path: Path, settings: Settings, lines: Iterable[Mapping[str, Any]]) -> Journal:
        """Write a whole file in the place of what was there, and return it."""
        asked = settings.as_dict()
        head = {"kind": KIND, "format": settings.file_format, "version": __version__, "settings": asked}
        data = b"".join(_line(one) for one in (head, *lines))
        with _reported(path):
            files.replace(path, data, path.absolute().parent)
        return cls(path, len(data))

    @classmethod
    def resumed(cls, source: str | Path, size: int, *, torn: bool) -> Journal:
        """Return a file that is there, without a line that a crash cut off."""
        path = readable_file(source)
        if torn:
            with _reported(path), path.open("r+b") as stream:
                stream.truncate(size)
        return cls(path, size)

    def add(self, line: Mapping[str, Any]) -> None:
        """Add a line."""
        data = _line(line)
        with _reported(self.path), self.path.open("r+b") as stream:
            if stream.seek(0, 2) != self._size:
                raise InvalidInputError(
                    f"{path_text(self.path)} was changed by another program while it was monitored",
                    hint="save the monitor to another file, which then holds all its items",
                )
            try:
                stream.write(data)
                stream.flush()
            except OSError:
                stream.truncate(self._size)
                raise
        self._size += len(data)


@contextlib.contextmanager
def _reported(path: Path) -> Iterator[None]:
    """Turn an error of the file system into one that says what was being done."""
    try:
        yield
    except OSError as error:
        raise BestbyError(
            f"cannot write {path_text(path)}: {error.strerror or error}",
            hint="the monitor is as it was; check the space left and the permissions, then do it again",
        ) from error


def item_line(
    systems: Sequence[str], item: str | int, row: Sequence[float], cluster: str | int | None
) -> dict[str, Any]:
    """Return the line of an item; systems that had been dropped, of which the row has NaN, are left out."""
    scores = {name: score for name, score in zip(systems, row, strict=True) if score == score}
    line: dict[str, Any] = {"item": item, "scores": scores}
    return line if cluster is None else {**line, "cluster": cluster}


def _line(content: Mapping[str, Any]) -> bytes:
    return json.dumps(content, ensure_ascii=False).encode() + b"\n"


def read_state(source: str | Path) -> tuple[dict[str, Any], list[dict[str, Any]], int, bool]:
    """Return the settings and the lines of a file, the size of its whole lines, and whether one is torn.

    The format of the file is among the settings.
    A last line without an end is one that a crash cut off; it is left out.
    """
    path = readable_file(source)
    data = path.read_bytes()
    size = data.rfind(b"\n") + 1
    lines: list[dict[str, Any]] = []
    for number, text in enumerate(data[:size].splitlines(), start=1):
        try:
            line = json.loads(text)
            if not isinstance(line, dict):
                raise TypeError
        except (ValueError, TypeError) as error:
            raise InvalidInputError(
                f"{path_text(path)}, line {number}: this is no line of a monitor", _HINT
            ) from error
        lines.append(line)
    head = lines[0] if lines else {}
    if head.get("kind") != KIND or not isinstance(head.get("settings"), dict):
        raise InvalidInputError(f"{path_text(path)} is not the file of a monitor", _HINT)
    if head.get("format") not in range(1, FORMAT + 1):
        raise InvalidInputError(
            f"{path_text(path)} is written in format {head.get('format')}, and this version reads up to"
            f" {FORMAT}",
            hint="update bestby, or resume it with the version that has written it",
        )
    return {**head["settings"], "file_format": head["format"]}, lines[1:], size, size < len(data)


# -- the file as a format that `compare` reads ---------------------------------------------------------------


_START = re.compile(rb'\s*\{\s*"kind"\s*:\s*"%s"' % KIND.encode())


def recognises(path: Path, head: bytes) -> bool:  # noqa: ARG001
    """Tell whether a file begins with the settings of a monitor."""
    return _START.match(head) is not None


def read(paths: Mapping[str, Path]) -> Read:
    """Read the items of one monitor; a note says that they were looked at as they came."""
    files = files_of(paths, recognises)
    if len(files) > 1:
        raise InvalidInputError(
            f"{len(files)} files of monitors were given", hint="a comparison reads one of them at a time"
        )
    from bestby.questions.monitor.monitor import evaluation_in  # every file is asked whether it is one

    evaluation = evaluation_in(files[0].path)
    return Read("items of a monitor", evaluation, metric="mean")
