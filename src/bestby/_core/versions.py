"""The versions that go into the provenance of every result."""

from __future__ import annotations

import functools
import platform
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version


@functools.cache
def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def versions(packages: Iterable[str] = ()) -> dict[str, str]:
    """Return the versions of Python, NumPy, SciPy and more packages, if they are installed."""
    names = dict.fromkeys(("numpy", "scipy", *packages))
    installed = {name: number for name in names if (number := _version(name))}
    return {"python": platform.python_version()} | installed


@functools.cache
def blas() -> str | None:
    """Return the library that multiplies NumPy's matrices, its version and the kernel it chose.

    Sums of real numbers may differ in their last digits between kernels. An example is "openblas 0.3.30
    Haswell"; None where it does not tell, as Apple's Accelerate.
    """
    from threadpoolctl import threadpool_info

    libraries = [library for library in threadpool_info() if library["user_api"] == "blas"]
    # The wheel of SciPy has a library of its own, which may be loaded by now or not.
    mine = [library for library in libraries if "numpy" in library["filepath"]] or libraries
    if len(mine) != 1:
        return None
    words = (mine[0]["internal_api"], mine[0]["version"], mine[0].get("architecture"))
    return " ".join(str(word) for word in words if word)
