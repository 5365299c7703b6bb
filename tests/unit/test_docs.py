"""Every public name has its place in the reference, and every page its place on the home page."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

import bestby
from bestby import results

DOCS = Path(__file__).resolve().parents[2] / "docs"
DIRECTIVE = re.compile(r"^\.\. (?:auto\w+|py:data):: (?:bestby\.)?(?:results\.)?(\w+)$", re.MULTILINE)
LINK = re.compile(r"\]\(([\w/-]+\.md)(?:#[\w-]+)?\)")

pytestmark = pytest.mark.skipif(not DOCS.is_dir(), reason="docs/ is not beside the tests")


def _documented() -> Counter[str]:
    pages = (DOCS / "reference").glob("*.md")
    return Counter(name for page in pages for name in DIRECTIVE.findall(page.read_text(encoding="utf-8")))


def _public() -> set[str]:
    return {*bestby.__all__, *results.__all__}


@pytest.mark.parametrize("name", sorted(_public()))
def test_a_public_name_is_on_one_page_of_the_reference(name: str) -> None:
    assert _documented()[name] == 1, "name it in a directive on one page of docs/reference"


def test_the_reference_has_public_names_only() -> None:
    assert set(_documented()) <= _public()


def test_the_home_page_links_every_page() -> None:
    pages = {path.relative_to(DOCS).as_posix() for path in DOCS.glob("*/*.md")}
    linked = set(LINK.findall((DOCS / "index.md").read_text(encoding="utf-8")))
    assert linked == pages
