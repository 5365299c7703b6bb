"""What a monitor is asked for, checked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from bestby._core import checks
from bestby._core.checks import margin_of
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.text import quoted
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
        checks.probability(level, "level"),
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
