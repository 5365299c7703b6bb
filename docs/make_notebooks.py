"""Run the notebooks of docs/notebooks and write them with their outputs, as .ipynb and as guides.

python docs/make_notebooks.py            # write what changed
python docs/make_notebooks.py --check    # only say whether the outputs are what the cells give

The source of a notebook is a script with cells: "# %%" begins code, "# %% [markdown]" text in comments. A
cell runs as in Jupyter: what it prints is shown, then the value of its last line; matplotlib axes are shown
as a figure. The line of a report with the signature, which names versions, is left out.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import io
import json
import re
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import matplotlib as mpl

from bestby.report.writers import terminal

DOCS = Path(__file__).resolve().parent
FOLDER = DOCS / "notebooks"
PAGES = {"tutorial": DOCS / "guides" / "tutorial.md", "scenarios": DOCS / "guides" / "scenarios.md"}
IMAGES = DOCS / "images"
WIDTH = 80
CELL = re.compile(r"^# %%( \[markdown\])?\n", re.MULTILINE)
VERSIONS = re.compile(r"(Python|NumPy|SciPy) \d[\w.]*\d")


@dataclass(frozen=True)
class Cell:
    """A cell: its kind ("markdown" or "code"), its source, and what it shows."""

    kind: str
    source: str
    text: str = ""
    figure: str | None = None


def cells_of(script: str) -> list[Cell]:
    """Return the cells of a script."""
    _, *parts = CELL.split(script)
    cells = []
    for mark, body in zip(parts[::2], parts[1::2], strict=True):
        if mark:
            lines = [line.removeprefix("#").removeprefix(" ") for line in body.strip().splitlines()]
            cells.append(Cell("markdown", "\n".join(lines)))
        else:
            cells.append(Cell("code", body.strip()))
    return cells


def executed(cells: list[Cell]) -> list[Cell]:
    """Return the cells with what they show, run one after the other in the folder of the notebooks."""
    names: dict[str, Any] = {"__name__": "__main__"}
    narrow = mock.patch.object(terminal, "WIDTH", WIDTH)
    with contextlib.chdir(FOLDER), mpl.rc_context(), mpl.rc_context({"backend": "Agg"}), narrow:
        return [cell if cell.kind == "markdown" else _run(cell, names) for cell in cells]


def _run(cell: Cell, names: dict[str, Any]) -> Cell:
    from matplotlib.axes import Axes
    from themed_figure import themed

    tree = ast.parse(cell.source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    shown, value = io.StringIO(), None
    with contextlib.redirect_stdout(shown):
        exec(compile(tree, "cell", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    lines = [line for line in shown.getvalue().splitlines() if not re.match(r"bestby[: ]\d", line)]
    figure = themed(value) if isinstance(value, Axes) else None
    if value is not None and figure is None:
        lines.append(repr(value))
    return Cell("code", cell.source, "\n".join(lines).strip("\n"), figure)


def notebook(cells: list[Cell]) -> str:
    """Return the cells as a notebook of Jupyter, version 4.5 of the format."""
    made, number = [], 0
    for place, cell in enumerate(cells):
        digest = hashlib.blake2b(f"{place}{cell.source}".encode(), digest_size=4).hexdigest()
        entry: dict[str, Any] = {"cell_type": cell.kind, "id": digest, "metadata": {}}
        if cell.kind == "code":
            number += 1
            entry |= {"execution_count": number, "outputs": _outputs(cell)}
        made.append({**entry, "source": cell.source.splitlines(keepends=True)})
    language = {"name": "python", "file_extension": ".py", "mimetype": "text/x-python"}
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    whole = {
        "cells": made,
        "metadata": {"kernelspec": kernel, "language_info": language},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def _outputs(cell: Cell) -> list[dict[str, Any]]:
    outputs: list[dict[str, Any]] = []
    if cell.text:
        text = f"{cell.text}\n".splitlines(keepends=True)
        outputs.append({"output_type": "stream", "name": "stdout", "text": text})
    if cell.figure is not None:
        data = {"image/svg+xml": cell.figure}
        outputs.append({"output_type": "display_data", "data": data, "metadata": {}})
    return outputs


def page(name: str, cells: list[Cell]) -> str:
    """Return the cells as a page of the guides, its figures in files."""
    title, *rest = cells
    link = f"This page is the notebook {{download}}`{name}.ipynb <../notebooks/{name}.ipynb>`, run by a test."
    blocks = ["<!-- docs/make_notebooks.py writes this page. -->", title.source, link]
    for number, cell in enumerate(rest):
        if cell.kind == "markdown":
            blocks.append(cell.source)
            continue
        blocks.append(f"```python\n{cell.source}\n```")
        if cell.text:
            lines = [line for long in cell.text.splitlines() for line in textwrap.wrap(long, WIDTH) or [""]]
            blocks.append("```text\n" + "\n".join(lines) + "\n```")
        if cell.figure is not None:
            blocks.append(f"![{_caption(rest[number - 1])}](../images/{image(name, number).name})")
    return "\n\n".join(blocks) + "\n"


def _caption(cell: Cell) -> str:
    """Return the heading above a figure."""
    return cell.source.splitlines()[0].lstrip("# ")


def image(name: str, number: int) -> Path:
    """Return the file of the figure of a cell, counted after the title."""
    return IMAGES / f"{name}-{number}.svg"


FIGURE = re.compile(r'("image/svg\+xml": )"(?:[^"\\]|\\.)*"')


def comparable(text: str) -> str:
    """Return what must be equal wherever it is made: without versions, and without the bytes of figures."""
    return FIGURE.sub(r'\1""', VERSIONS.sub(r"\1 ...", text))


def main(check: bool) -> int:
    """Make all notebooks; return 1 if one is not what its cells give."""
    stale = False
    for name, target in PAGES.items():
        cells = executed(cells_of((FOLDER / f"{name}.py").read_text(encoding="utf-8")))
        made = {FOLDER / f"{name}.ipynb": notebook(cells), target: page(name, cells)}
        for path, text in made.items():
            old = path.read_text(encoding="utf-8") if path.exists() else ""
            if comparable(old) == comparable(text):
                continue
            stale = True
            print(f"{path.name} {'is not current' if check else 'written'}")  # noqa: T201
            if not check:
                path.write_text(text, encoding="utf-8")
        if not check:
            for number, cell in enumerate(cells[1:]):
                if cell.figure is not None:
                    image(name, number).write_text(cell.figure, encoding="utf-8")
    return int(stale and check)


if __name__ == "__main__":
    sys.exit(main(check="--check" in sys.argv[1:]))
