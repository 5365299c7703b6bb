"""SciPy's special functions, which are loaded with the first that is called.

They take longer to load than NumPy, and looks at a monitor or a table of scores need none of them.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    value = getattr(import_module("scipy.special"), name)
    globals()[name] = value
    return value
