"""Array types used in signatures."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]

ArrayLike: TypeAlias = Any
"""A list, or anything with ``__array__``, ``__dlpack__`` or ``to_numpy``."""

Alternative: TypeAlias = Literal["two-sided", "greater", "less"]
Question: TypeAlias = Literal["two-sided", "greater", "less", "better"]
OnMissing: TypeAlias = Literal["error", "drop", "worst"]
Dependence: TypeAlias = Literal["clusters", "crossed", "strata"]
"""How items depend on one another: in clusters, in a second grouping that crosses them, in strata."""
