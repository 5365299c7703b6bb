"""How many resamples a comparison takes: what its progress is measured by."""

from __future__ import annotations

import math

from bestby.engine.base import STANDARDISED, Drawing, Group
from bestby.engine.items import ItemGroup
from bestby.engine.ranked import WeightGroup

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
    stages = 0
    if called or interval in _RESAMPLED or test == "bootstrap":
        stages = 1 if isinstance(group, ItemGroup) else group.n_systems + n_pairs  # which draw for themselves
    if test in _SWAPPED:
        stages += n_pairs
    left_out = 0
    if isinstance(group, ItemGroup) and (called or interval in _ACCELERATED):
        left_out = group.n_left_out
    return left_out + stages * drawing.n_resamples
