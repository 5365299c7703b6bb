"""What the documentation says that commands print is what they print."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "docs" / "make_guide_outputs.py"
pytestmark = pytest.mark.skipif(
    not SCRIPT.is_file() or not (ROOT / "examples").is_dir(),
    reason="docs/ and examples/ are not beside the tests",
)


def _script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_guide_outputs", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GUIDES = _script() if SCRIPT.is_file() else None
PAGES = () if GUIDES is None else GUIDES.PAGES


def test_pages_with_output_are_found() -> None:
    assert len(PAGES) > 6


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_outputs_are_current(page: Path) -> None:
    assert GUIDES is not None
    text = page.read_text(encoding="utf-8")
    assert len(GUIDES.BLOCK.findall(text)) == text.count(GUIDES.BEGIN) > 0
    assert GUIDES.page(text) == text, "run python docs/make_guide_outputs.py and look at the differences"
