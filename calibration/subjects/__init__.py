"""Subjects of the calibration: a module for each.

Each module has `TITLE` and `TEXT` (what is counted, and which remedy was chosen and why; Markdown) and a
function `cells` that yields its cells of statements. The subject of a cell is the name of its module.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from calibration import statements
from calibration.files import Row
from calibration.statements import Statements


def modules() -> dict[str, Any]:
    """Return the modules of the subjects by their names."""
    names = sorted(module.name for module in iter_modules(__path__))
    return {name: import_module(f"{__name__}.{name}") for name in names}


def cells() -> Iterator[Statements]:
    """Yield the cells of all subjects."""
    for module in modules().values():
        yield from module.cells()


def section(rows: list[Row]) -> str:
    """Return the part of the page with a heading, the text and the table of each subject."""
    return "\n\n".join(
        f"### {module.TITLE}\n\n{module.TEXT.strip()}\n\n{statements.table(rows, name)}"
        for name, module in modules().items()
    )
