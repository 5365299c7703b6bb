"""Groups of items and names of systems, checked; numbers cut into groups."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from bestby._core import checks
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import Array, Dependence, FloatArray, IntArray

UNSUPPORTED: dict[Dependence, tuple[str, str]] = {
    "clusters": ("clusters of items", "leave out clusters, if the items are independent of one another"),
    "crossed": (
        "two crossed groupings of the items",
        "give one grouping as clusters, that with fewer groups",
    ),
    "strata": ("strata", "leave out strata"),
}
"""What an error says about a grouping that is not supported, and what to do."""


def check_countable(**present: bool) -> None:
    """Refuse what rows that stand for several items cannot have."""
    words = {
        "ids": "item ids",
        "slices": "columns of slices",
        "clusters": "clusters",
        "objects": "items of any kind",
        "annotators": "the labels of annotators",
        "classes": "classes of soft labels",
        "soft": "soft labels",
    }
    for name, there in present.items():
        if there:
            raise DesignError(
                f"counted rows represent several items each: they cannot have {words[name]}",
                hint="leave the counts out and give every item a row (reading files: stream=False)",
            )


def checked_names(systems: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the systems; there must be at least one."""
    form = 'Evaluation.of({"a": predictions_a, "b": predictions_b}, gold)'
    checks.mapping(systems, "systems", "name to predictions", form)
    names = checks.valid_names(systems, "system")
    if not names:
        raise InvalidInputError("at least 1 system is needed, got none")
    return names


def two_groupings(clusters: Any) -> tuple[Any, Any]:
    """Return one grouping and None, or the two of a list, tuple or mapping of two.

    >>> two_groupings(["d1", "d2"])
    (['d1', 'd2'], None)
    >>> two_groupings([["t1", "t1", "t2"], ["de", "en", "de"]])
    (['t1', 't1', 't2'], ['de', 'en', 'de'])
    """
    if isinstance(clusters, list | tuple | Mapping) and len(clusters) == 2:
        both = list(clusters.values()) if isinstance(clusters, Mapping) else list(clusters)
        if all(hasattr(one, "__len__") and not isinstance(one, str | bytes) for one in both):
            return both[0], both[1]
    return clusters, None


def one_grouping(clusters: Any, consumer: str) -> Any:
    """Return the clusters; refuse two groupings where an analysis supports one only.

    >>> one_grouping(["d1", "d2"], "this analysis")
    ['d1', 'd2']
    """
    first, second = two_groupings(clusters)
    if second is not None:
        what, hint = UNSUPPORTED["crossed"]
        raise DesignError(f"{consumer} does not support {what}", hint=hint)
    return first


def check_unique_ids(ids: Array, what: str) -> None:
    """Refuse an id that occurs twice."""
    values, counts = np.unique(ids, return_counts=True)
    if values.size != ids.size:
        doubled = values[counts > 1]
        raise InvalidInputError(
            f"{what} must be unique, but {doubled.size} of {values.size} ids occur more than once;"
            f" first: {quoted(str(doubled[0]))} ({int(counts[counts > 1][0])} times)",
            hint="items of the same document or person are clusters, not the same item",
        )


def check_nested(clusters: Array | None, strata: Array | None) -> None:
    """Refuse a cluster that lies in more than one stratum: it is drawn as a whole.

    >>> check_nested(np.array(["d1", "d1", "d2"]), np.array(["news", "news", "talks"]))
    """
    if clusters is None or strata is None:
        return
    _, first, cluster = np.unique(clusters, return_index=True, return_inverse=True)
    expected = strata[first][cluster.reshape(-1)]
    bad = np.flatnonzero(strata != expected)
    if bad.size:
        place = int(bad[0])
        name, known, other = (
            values[place : place + 1].tolist()[0] for values in (clusters, expected, strata)
        )
        raise DesignError(
            f"cluster {name!r} lies in more than one stratum: {known!r} and {other!r}",
            hint="a cluster is drawn as a whole, so it must belong to one stratum",
        )


def quantile_bins(numbers: FloatArray, bins: int) -> tuple[tuple[str, ...], IntArray]:
    """Return the names of the bins, in ascending order, and the bin of each number.

    Equal numbers are in one bin, so there may be fewer bins than were asked for.

    >>> names, codes = quantile_bins(np.array([1.0, 2.0, 2.0, 3.5]), 2)
    >>> names, codes.tolist()
    (('1 to 2', '3.5'), [0, 0, 0, 1])
    """
    inner = np.quantile(numbers, np.arange(1, bins) / bins, method="lower")
    code = np.searchsorted(np.unique(inner), numbers, side="left")
    return _named_bins(numbers, code)


def value_bins(numbers: FloatArray, least: int) -> tuple[tuple[str, ...], IntArray]:
    """Return a bin for each distinct number as `quantile_bins` does; rarer ones than `least` join the next.

    >>> names, codes = value_bins(np.array([0.0, 1.0, 1.0, 0.5, 0.0]), 2)
    >>> names, codes.tolist()
    (('0', '0.5 to 1'), [0, 1, 1, 1, 0])
    """
    distinct, counts = np.unique(numbers, return_counts=True)
    ends, size = [], 0
    for value, count in zip(distinct.tolist(), counts.tolist(), strict=True):
        size += count
        if size >= least:
            ends.append(value)
            size = 0
    return _named_bins(numbers, np.searchsorted(ends[:-1], numbers, side="left"))


def _named_bins(numbers: FloatArray, code: IntArray) -> tuple[tuple[str, ...], IntArray]:
    """Return the names of bins by their ends, and their codes without gaps."""
    used, code = np.unique(code, return_inverse=True)
    names = []
    for place in range(used.size):
        part = numbers[code == place]
        low, high = float(part.min()), float(part.max())
        names.append(_number_text(low) if low == high else f"{_number_text(low)} to {_number_text(high)}")
    return tuple(names), code.reshape(-1)


def _number_text(number: float) -> str:
    return str(int(number)) if number == math.floor(number) and abs(number) < 1e15 else f"{number:.6g}"
