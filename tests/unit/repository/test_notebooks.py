"""The notebooks of the documentation run, and show what their cells give."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "docs" / "make_notebooks.py"

pytestmark = pytest.mark.skipif(
    not SCRIPT.is_file() or not (ROOT / "examples").is_dir(),
    reason="docs/ and examples/ are not beside the tests",
)
NAMES = ("tutorial", "scenarios")


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_notebooks", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    sys.path.insert(0, str(SCRIPT.parent))  # of what draws its figures
    spec.loader.exec_module(module)
    return module


def stored(name: str) -> Any:
    return json.loads((ROOT / "docs" / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8"))


def test_no_notebook_is_left_out(script: ModuleType) -> None:
    assert (
        {path.stem for path in (ROOT / "docs" / "notebooks").glob("*.py")} == set(script.PAGES) == set(NAMES)
    )


@pytest.mark.parametrize("name", NAMES)
def test_outputs_are_current(script: ModuleType, name: str) -> None:
    folder = ROOT / "docs" / "notebooks"
    cells = script.executed(script.cells_of((folder / f"{name}.py").read_text(encoding="utf-8")))
    again = "run python docs/make_notebooks.py and look at the differences"
    for path, text in (
        (folder / f"{name}.ipynb", script.notebook(cells)),
        (script.PAGES[name], script.page(name, cells)),
    ):
        assert script.comparable(path.read_text(encoding="utf-8")) == script.comparable(text), again
    figures = [number for number, cell in enumerate(cells[1:]) if cell.figure is not None]
    assert figures
    assert all(script.image(name, number).is_file() for number in figures)


@pytest.mark.parametrize("name", NAMES)
def test_they_are_notebooks(name: str) -> None:
    notebook = stored(name)
    assert notebook["cells"][0]["cell_type"] == "markdown"
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    assert any(
        "image/svg+xml" in out.get("data", ()) for c in notebook["cells"] for out in c.get("outputs", ())
    )
    nbformat = pytest.importorskip("nbformat", reason="nbformat, which checks the format, is not installed")
    nbformat.validate(notebook)


def test_the_tutorial_has_about_twenty_cells() -> None:
    assert 18 <= len(stored("tutorial")["cells"]) <= 24


def test_cells_run_as_in_jupyter(script: ModuleType) -> None:
    cells = script.executed(
        script.cells_of("# %% [markdown]\n# # T\n#\n# text\n# %%\nx = 1\nprint(2)\nx\n# %%\nx + 2\n")
    )
    assert [cell.kind for cell in cells] == ["markdown", "code", "code"]
    assert cells[0].source == "# T\n\ntext"
    assert [cell.text for cell in cells[1:]] == ["2\n1", "3"]
    with pytest.raises(ZeroDivisionError):
        script.executed(script.cells_of("# %%\n1 / 0\n"))


def test_only_versions_of_others_and_figures_may_differ(script: ModuleType) -> None:
    text = 'bestby 0.1.0 with NumPy 2.4.6, 0.44 "image/svg+xml": "<svg a=\\"b\\">"'
    assert script.comparable(text) == 'bestby 0.1.0 with NumPy ..., 0.44 "image/svg+xml": ""'
