"""A public and a private part of the gold, drawn once, when the board is made."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby._core.typing import BoolArray, IntArray, Rng
from bestby.boards.gold import TaskGold
from bestby.resampling.streams import seed_of


def split(
    gold: TaskGold, private_share: float, rng: Rng, clusters: str | None = None, strata: str | None = None
) -> TaskGold:
    """Return a gold with the column `part`: of every stratum, about a share of the items is private.

    Clusters stay whole. Without strata, the gold labels are the strata if they are few. The units of each
    stratum come in random order, and each is private if this brings the number of private items so far nearer
    to the share.
    """
    if not 0.0 < checks.number(private_share, "private_share") < 1.0:
        raise InvalidInputError(
            f"private_share must be above 0 and below 1, got {private_share!r}", argument="private_share"
        )
    groups = list(range(len(gold.ids))) if clusters is None else _codes(gold.grouping(clusters))
    labels = gold.grouping(strata) if strata is not None else gold.labels
    # With more labels than this, the gold is no grouping of the items
    if labels is None or len(set(labels)) > 50:
        labels = [""] * len(gold.ids)
    private = _private(
        np.array(groups), np.array(_codes(labels)), private_share, np.random.default_rng(seed_of(rng))
    )
    if private.all() or not private.any():
        raise InvalidInputError(
            f"with private_share={private_share:g}, one of the two parts has no item",
            hint="give another share; there must be two clusters at least",
        )
    parts = ["private" if one else "public" for one in private]
    return TaskGold({**gold.columns, "part": parts})


def _codes(values: Sequence[str]) -> list[int]:
    places: dict[str, int] = {}
    return [places.setdefault(value, len(places)) for value in values]


def _private(units: IntArray, strata: IntArray, share: float, generator: np.random.Generator) -> BoolArray:
    """Return which items are private; the stratum of a unit is that of most of its items."""
    n_units = int(units.max()) + 1
    counts = np.zeros((n_units, int(strata.max()) + 1), dtype=np.int64)
    np.add.at(counts, (units, strata), 1)
    sizes, own = counts.sum(axis=1), counts.argmax(axis=1)
    order = generator.permutation(n_units)
    order = order[np.argsort(own[order], kind="stable")]
    chosen = np.zeros(n_units, dtype=np.bool_)
    owed = float(generator.uniform(-0.5, 0.5))
    for unit in order:
        owed += share * float(sizes[unit])
        if owed > sizes[unit] / 2.0:
            chosen[unit] = True
            owed -= float(sizes[unit])
    private: BoolArray = chosen[units]
    return private
