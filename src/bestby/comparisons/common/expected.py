"""How many resamples a comparison takes: what its progress is measured by."""

from __future__ import annotations

import math

from bestby.engine.base import STANDARDISED, Drawing, Group
from bestby.engine.ranked import WeightGroup
from bestby.engine.weighted import ItemGroup

_ACCELERATED = ("bca", "bca-expanded")
_RESAMPLED = (*_ACCELERATED, "percentile", "basic", "studentized")
_SWAPPED = ("auto", "permutation", STANDARDISED)


def resamples(
    group: Group, drawing: Drawing, interval: str | None, test: str | None, baseline: str | None
) -> int:
    """Return how many resamples intervals and tests of a group take, if no p-value is exact or very small."""
    n_pairs = math.comb(group.n_systems, 2) if baseline is None else group.n_systems - 1
    formula = group.has_derivatives if isinstance(group, WeightGroup) else group.has_formula
    called = interval == "auto" and not formula
    stages = int(called or interval in _RESAMPLED or test == "bootstrap")
    if test in _SWAPPED:
        labels = group.metrics[0].reads == "labels" and not group.clustered  # which are swapped pair by pair
        of_pairs = labels or isinstance(group, ItemGroup)
        stages += len(group.metrics) * n_pairs if of_pairs else 1
    left_out = 0
    if isinstance(group, ItemGroup) and (called or interval in _ACCELERATED):
        left_out = group.n_left_out
    return left_out + stages * drawing.n_resamples
