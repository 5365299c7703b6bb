"""What is known of a phase once and for all, in the cache: its results.

It is kept under a hash of all that it follows from, with a mark of its bytes as everything in the cache:
where the board was changed it is computed anew, and changed bytes of the cache are not used. It is kept as
JSON, from which only records of results and those named here are made.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from bestby._core.arrays import objects
from bestby._core.versions import blas, versions
from bestby.boards.cache import Cache
from bestby.boards.content import Best, Gap, ItemsAgainst, Overall, OverallStanding, Standing, Table
from bestby.boards.entries import System
from bestby.boards.settings import Phase, Settings
from bestby.results.loading import decoded, encoded

MOST_PAIRS = 50_000
"""Differences of all pairs of a table, above which they are made anew: reading them takes as long."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PhaseResults:
    """What a phase shows that is computed: its tables, those over the tasks, and items won and lost."""

    tables: tuple[Table, ...] = ()
    overall: Overall | None = None
    items: tuple[ItemsAgainst, ...] = ()


_RECORDS = {
    one.__name__: one
    for one in (PhaseResults, Best, Gap, ItemsAgainst, Overall, OverallStanding, Standing, Table)
}


def cached(cache: Cache, parts: Sequence[Any], make: Callable[[], T]) -> T:
    """Return what `make` makes, which follows from `parts` and the libraries, or what the cache has of it."""
    key = cache.key("kept", versions(), blas(), *map(repr, parts))
    found = cache.find(key)
    if found is not None:
        stored: T = decoded(json.loads(found[0]), _RECORDS)
        return stored
    made = make()
    if _is_small(made):
        cache.keep(key, objects([json.dumps(encoded(made))]))
    return made


def _is_small(made: Any) -> bool:
    tables = made.tables if isinstance(made, PhaseResults) else ()
    return sum(table.n_pairs for table in tables if table.comparison is not None) <= MOST_PAIRS


def parts_of_results(settings: Settings, phase: Phase, systems: Sequence[System]) -> tuple[Any, ...]:
    """Return what the results of a phase follow from, beside the gold and the items."""
    public = (settings.public.items, settings.public.pairs, settings.public.smallest_slice)
    return (
        "results",
        settings.tasks,
        phase.name,
        phase.part,
        settings.baseline,
        settings.level,
        public,
        tuple(systems),
    )
