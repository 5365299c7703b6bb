"""Array types and choices used in signatures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]

ScorePath: TypeAlias = Callable[[FloatArray], FloatArray]
"""Scores (R,) at the weights 1 plus multiples (R,) of one change of the weights."""

ArrayLike: TypeAlias = Any
"""A list, or anything with ``__array__``, ``__dlpack__`` or ``to_numpy``."""

Rng: TypeAlias = int | np.random.Generator | None
Systems: TypeAlias = Sequence[str] | None

# What the parameters of public functions may be, so that type checkers refuse and editors complete it.
Alternative: TypeAlias = Literal["two-sided", "greater", "less"]
Question: TypeAlias = Literal["two-sided", "greater", "less", "better"]
OnMissing: TypeAlias = Literal["error", "drop", "worst", "drop-systems", "pairs", "bounds"]
Correction: TypeAlias = Literal["holm", "bonferroni", "bh", "none"]
Statistic: TypeAlias = Literal["mean", "median", "trimmed_mean", "iqm"]
Ties: TypeAlias = Literal["half", "davidson"]
Scale: TypeAlias = Literal["log", "elo"]

Lift: TypeAlias = Literal["factor", "offset"]

Dependence: TypeAlias = Literal["clusters", "crossed", "strata"]
"""How items depend on one another: in clusters, in a second grouping that crosses them, in strata."""
