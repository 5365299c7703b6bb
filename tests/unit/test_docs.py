"""Every public name has its place in the reference, and every page its place on the home page."""

from __future__ import annotations

import re
import runpy
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import bestby
from bestby import results

DOCS = Path(__file__).resolve().parents[2] / "docs"
DIRECTIVE = re.compile(r"^\.\. (?:auto\w+|py:data):: (?:bestby\.)?(?:results\.)?(\w+)$", re.MULTILINE)
LINK = re.compile(r"\]\(([\w/.-]+\.md)(?:#[\w-]+)?\)")

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


def test_the_guide_on_results_names_every_result() -> None:
    guide = (DOCS / "guides" / "results.md").read_text(encoding="utf-8")
    table, _, _ = guide.partition("## How to report")
    shown = {name for name in results.__all__ if hasattr(getattr(results, name), "to_html")}
    assert shown
    assert not {name for name in shown if f"`{name}`" not in table}


def test_the_home_page_links_every_page() -> None:
    pages = {path.relative_to(DOCS).as_posix() for path in DOCS.glob("*/*.md")}
    linked = set(LINK.findall((DOCS / "index.md").read_text(encoding="utf-8")))
    assert linked == pages


def _script(name: str) -> dict[str, Any]:
    return runpy.run_path(str(DOCS / name))


def test_the_page_of_columns_is_current(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(DOCS))
    page = _script("make_columns_page.py")["page"]()
    assert (DOCS / "reference" / "columns.md").read_text(encoding="utf-8") == page, (
        "run python docs/make_columns_page.py"
    )


def test_the_list_for_language_models_is_current() -> None:
    listing = _script("make_llms_txt.py")["listing"]((DOCS / "index.md").read_text(encoding="utf-8"))
    assert (DOCS / "llms.txt").read_text(encoding="utf-8") == listing, "run python docs/make_llms_txt.py"
    pages = {path.relative_to(DOCS).with_suffix(".html").as_posix() for path in DOCS.glob("*/*.md")}
    assert pages <= set(re.findall(r"\]\(([\w/.-]+\.html)", listing))


def test_the_diagram_of_questions_is_current() -> None:
    script = _script("make_question_diagram.py")
    drawn = (DOCS / "images" / "questions.svg").read_text(encoding="utf-8")
    assert drawn == script["diagram"](), "run python docs/make_question_diagram.py"
    answers = [answer for answers in script["TREE"].values() for answer in answers]
    assert {answer.function for answer in answers} <= set(bestby.__all__)
    commands = (DOCS / "reference" / "cli.md").read_text(encoding="utf-8")
    assert all(f"## {answer.command}\n" in commands for answer in answers)


CITED = re.compile(r"\b[A-Z]\w+ (?:et al\.|and [A-Z]\w+) \(?(?:19|20)\d\d\b")


@pytest.mark.parametrize("page", sorted(path.name for path in (DOCS / "guides").glob("*.md")))
def test_a_guide_that_cites_works_lists_them(page: str) -> None:
    text, _, listed = (DOCS / "guides" / page).read_text(encoding="utf-8").partition("\n## References\n")
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    missing = [found for found in CITED.findall(prose) if re.split(r"\W", found)[0] not in listed]
    assert missing == [] or "docs/make_notebooks.py" in text, "name the work under References"
