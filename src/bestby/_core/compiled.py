"""The decorator of the compiled kernels; importing it imports the compiler, so only kernels do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """Compile without the interpreter lock, and keep the machine code on disk where that is possible.

    No fast-math: sums must come out as NumPy's do.
    """
    try:
        return cast("F", numba.njit(nogil=True, cache=True)(function))
    except RuntimeError:  # no writable folder for the cache: compile in every process
        return cast("F", numba.njit(nogil=True)(function))
