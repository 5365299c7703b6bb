"""Groups of items and names of systems, checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bestby._core import checks
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import Array, Dependence

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
