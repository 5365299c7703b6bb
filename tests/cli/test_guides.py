"""What the documentation says that commands print is what they print."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "docs" / "make_guide_outputs.py"
PAGES = (
    "guides/translation.md",
    "guides/speech.md",
    "guides/parsing.md",
    "guides/retrieval.md",
    "guides/evaluation-logs.md",
    "reference/metrics.md",
)

pytestmark = pytest.mark.skipif(
    not SCRIPT.is_file() or not (ROOT / "examples").is_dir(),
    reason="docs/ and examples/ are not beside the tests",
)


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_guide_outputs", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_no_page_is_left_out(script: ModuleType) -> None:
    assert [path.relative_to(ROOT / "docs").as_posix() for path in script.PAGES] == list(PAGES)


@pytest.mark.parametrize("page", PAGES)
def test_outputs_are_current(script: ModuleType, page: str) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    assert len(script.BLOCK.findall(text)) == text.count("```console\n") > 0
    assert script.page(text) == text, "run python docs/make_guide_outputs.py and look at the differences"
