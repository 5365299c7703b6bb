"""The figures that the documentation shows are those that its script draws, by what they hold."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).resolve().parents[3] / "docs" / "make_gallery.py"

pytestmark = pytest.mark.skipif(not SCRIPT.exists(), reason="docs/ is not beside the tests")


def test_the_gallery_is_what_its_script_makes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(SCRIPT.parents[1])
    gallery = runpy.run_path(str(SCRIPT))
    held: dict[str, Any] = json.loads(gallery["STRUCTURE"].read_text(encoding="utf-8"))
    figures = gallery["drawn"]()
    assert list(held) == list(figures)
    for name, axes in figures.items():
        assert gallery["structure"](axes) == held[name], f"{name}: run python docs/make_gallery.py"
        image = (gallery["IMAGES"] / f"gallery-{name}.svg").read_text(encoding="utf-8")
        assert "var(--ink)" in image
        assert "@media (prefers-color-scheme: dark)" in image
    assert gallery["page"]() == gallery["PAGE"].read_text(encoding="utf-8")
    assert sum(image.stat().st_size for image in gallery["IMAGES"].glob("gallery-*")) < 1_000_000
