"""Resamples on which a metric has no value."""

from __future__ import annotations

import numpy as np

from bestby._core.errors import DesignError
from bestby._core.typing import FloatArray
from bestby.inference.distributions import Replicates, replicates
from bestby.results.base import Note


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
