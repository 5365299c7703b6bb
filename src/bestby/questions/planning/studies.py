"""Studies drawn from the units of a pilot, their systems exchanged with some chance."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np

from bestby._core.typing import IntArray
from bestby.engine.base import Group
from bestby.engine.ranked import WeightGroup
from bestby.engine.statistics import Design, Rows, Statistics
from bestby.engine.sums import SumGroup
from bestby.engine.weighted import ItemGroup
from bestby.resampling.units import Units


def _stratum_sizes(sizes: IntArray, n: int) -> IntArray:
    """Return how many of n units each stratum gets: its share, rounded by largest remainders."""
    share = n * sizes / sizes.sum()
    out = np.floor(share).astype(np.int64)
    order = np.argsort(out - share, kind="stable")
    out[order[: n - int(out.sum())]] += 1
    sizes_: IntArray = out
    return sizes_


def by_cells(
    group: SumGroup, n: int, studies: int, chance: float, generator: np.random.Generator
) -> Iterator[Group]:
    """Yield groups of n units drawn from the distinct rows of a group, exchanged with some chance."""
    source = group.sample(0, 1)
    a, b = source.rows()
    both = np.concatenate([a, b]), np.concatenate([b, a])
    bounds, counts = source.units.bounds, source.units.counts
    strata = np.repeat(np.arange(bounds.size - 1), np.diff(bounds))
    sizes = _stratum_sizes(np.bincount(strata, weights=counts).astype(np.int64), n)
    step = max(1, (1 << 21) // counts.size)  # 16 MB of counts at a time, which say what is drawn
    for start in range(0, studies, step):
        rows = min(step, studies - start)
        drawn = np.concatenate(
            [
                generator.multinomial(int(size), counts[i:j] / counts[i:j].sum(), size=rows)
                for size, i, j in zip(sizes, bounds[:-1], bounds[1:], strict=True)
            ],
            axis=1,
        )
        swapped = generator.binomial(drawn, chance) if chance > 0.0 else np.zeros_like(drawn)
        for cells in np.concatenate([drawn - swapped, swapped], axis=1):
            hit = np.flatnonzero(cells)
            design = Design(
                hit.size,
                cells[hit],
                None if bounds.size == 2 else _dense_codes(np.tile(strata, 2)[hit]),
                sizes=np.tile(source.sizes, 2)[hit] if source.design.clustered else None,
            )
            systems = (Statistics.of(group.metric, s, Rows(one[hit]), design) for s, one in enumerate(both))
            yield SumGroup(group.metric, list(systems), design)


def by_items(
    group: ItemGroup, n: int, studies: int, chance: float, generator: np.random.Generator
) -> Iterator[Group]:
    """Yield groups of n units drawn from those of a group that is scored from its items."""
    a, b = group.systems
    if chance > 0.0 and isinstance(
        group, WeightGroup
    ):  # on a scale where the two systems can exchange values
        a, b = (group.metric.exchangeable(group.gold, values) for values in (a, b))
    unit_of = np.arange(a.size) if group.unit_of is None else group.unit_of
    members = np.split(np.argsort(unit_of, kind="stable"), np.cumsum(np.bincount(unit_of))[:-1])
    bounds = group.units.bounds
    sizes = _stratum_sizes(np.diff(bounds), n)
    edges = np.concatenate([[0], np.cumsum(sizes[sizes > 0])])
    for _ in range(studies):
        drawn = np.concatenate(
            [
                generator.integers(i, j, size)
                for size, i, j in zip(sizes, bounds[:-1], bounds[1:], strict=True)
            ]
        )
        exchange = generator.random(n) < chance
        items = np.concatenate([members[unit] for unit in drawn])
        lengths = np.array([members[unit].size for unit in drawn])
        bits = np.repeat(exchange, lengths)
        yield dataclasses.replace(
            group,
            gold=None if group.gold is None else group.gold[items],
            systems=[np.where(bits, b[items], a[items]), np.where(bits, a[items], b[items])],
            unit_of=None if group.unit_of is None else np.repeat(np.arange(n), lengths),
            units=Units(np.ones(n, dtype=np.int64), edges),
        )


def _dense_codes(strata: IntArray) -> IntArray:
    return np.unique(strata, return_inverse=True)[1].reshape(-1)
