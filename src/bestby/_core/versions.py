"""The versions that go into the provenance of every result."""

from __future__ import annotations

import functools
import platform
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version


@functools.cache
def _version(name: str) -> str | None:
    # Looked up, not imported: numba is used for large work only, and a look-up takes 0.2 ms.
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def versions(packages: Iterable[str] = ()) -> dict[str, str]:
    """Return the versions of Python, NumPy, SciPy and Numba, and of more packages.

    Parameters
    ----------
    packages : iterable of str
        The names under which they are installed; those that are not are left out.

    Examples
    --------
    >>> list(versions(["hypothesis", "no-such-package"]))
    ['python', 'numpy', 'scipy', 'numba', 'hypothesis']
    """
    names = dict.fromkeys(("numpy", "scipy", "numba", *packages))
    found = {name: _version(name) for name in names}
    return {"python": platform.python_version()} | {name: told for name, told in found.items() if told}
