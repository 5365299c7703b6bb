"""What an interval is made for, and what the choice of its method depends on."""

from __future__ import annotations

from typing import NamedTuple, TypedDict

import numpy as np

from bestby._core import rounding
from bestby._core.errors import DesignError
from bestby._core.typing import FloatArray
from bestby.inference.distributions import Replicates, replicates
from bestby.results.base import Note


class Target(NamedTuple):
    """The score of one system on one metric, or the difference of two."""

    metric: int
    a: int
    b: int | None = None

    @property
    def systems(self) -> tuple[int, ...]:
        """The position of the system, or of both."""
        return (self.a,) if self.b is None else (self.a, self.b)


class Situation(TypedDict):
    """What the choice of an interval depends on; `choose_interval` explains each."""

    proportion: bool
    difference: bool
    n_differing: int
    n_effective: float | None
    n_units: int
    mean: bool
    plain_mean: bool
    formula: bool
    stratified: bool
    drawn: bool
    clustered: bool
    few_clusters: bool
    blocks: bool
    crossed: bool
    robust: bool
    ranks: bool
    correlation: bool
    in_batches: bool
    steps: bool
    shown_by_formula: float
    shown_by_resamples: float


def value_of(scores: FloatArray, target: Target) -> FloatArray:
    """Return the target's score or difference from scores (..., M, S)."""
    score: FloatArray = scores[..., target.metric, target.a]
    return score if target.b is None else rounding.difference(score, scores[..., target.metric, target.b])


def defined_replicates(drawn: FloatArray, scale: float) -> tuple[Replicates, tuple[Note, ...]]:
    """Return the distribution of the replicates that are defined, with a note on those that are not."""
    undefined = np.isnan(drawn)
    if not undefined.any():
        return replicates(drawn, scale), ()
    if undefined.all():
        raise DesignError(
            "the metric is undefined on every resample",
            hint="there are too few items of some class; use more items or another metric",
        )
    note = undefined_note(int(undefined.sum()), undefined.size)
    return replicates(drawn[~undefined], scale), (note,)


def undefined_note(count: int, size: int) -> Note:
    """Return a note on resamples without a value."""
    return Note(
        "undefined_resamples",
        f"the metric is undefined on {count} of {size} resamples, which are left out"
        " (a class or all variation is missing there)",
    )
