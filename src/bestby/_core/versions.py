"""The versions that go into the provenance of every result."""

from __future__ import annotations

import functools
import platform
from importlib.metadata import version


@functools.cache
def _versions() -> tuple[tuple[str, str], ...]:
    # Looked up, not imported: numba is used for large work only, and a look-up takes 0.2 ms.
    found = [(name, version(name)) for name in ("numpy", "scipy", "numba")]
    return (("python", platform.python_version()), *found)


def versions() -> dict[str, str]:
    """Return the versions of Python, NumPy, SciPy and Numba.

    Examples
    --------
    >>> list(versions())
    ['python', 'numpy', 'scipy', 'numba']
    """
    return dict(_versions())
