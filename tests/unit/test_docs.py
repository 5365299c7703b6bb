"""Every public name has its place in the reference, and every page its place on the home page."""

from __future__ import annotations

import re
import runpy
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import bestby
from bestby import errors, planning, results

DOCS = Path(__file__).resolve().parents[2] / "docs"
DIRECTIVE = re.compile(r"^\.\. (?:auto\w+|py:data):: (?:bestby\.)?(?:results\.)?(\w+)$", re.MULTILINE)
LINK = re.compile(r"\]\(([\w/.-]+\.md)(?:#[\w-]+)?\)")

pytestmark = pytest.mark.skipif(not DOCS.is_dir(), reason="docs/ is not beside the tests")


def _documented() -> Counter[str]:
    pages = (DOCS / "reference").glob("*.md")
    return Counter(name for page in pages for name in DIRECTIVE.findall(page.read_text(encoding="utf-8")))


def _public() -> set[str]:
    return {name for room in (bestby, errors, planning, results) for name in room.__all__}


def test_a_public_name_is_on_one_page_of_the_reference() -> None:
    pages = {name: _documented()[name] for name in _public()}
    wrong = {name: count for name, count in pages.items() if count != 1}
    assert wrong == {}, "name each in a directive on one page of docs/reference"


def test_the_reference_has_public_names_only() -> None:
    assert set(_documented()) <= _public()


def test_the_guide_on_results_names_every_result() -> None:
    guide = (DOCS / "guides" / "results.md").read_text(encoding="utf-8")
    table, _, _ = guide.partition("## How to report")
    shown = {name for name in results.__all__ if hasattr(getattr(results, name), "to_html")}
    assert shown
    assert not {name for name in shown if f"`{name}`" not in table}


LISTED = [page for page in DOCS.glob("*/*.md") if page.parent.name != "changes"]
"""The pages that the home page links; the changelog links those of every change of a version."""


def test_the_home_page_links_every_page() -> None:
    pages = {page.relative_to(DOCS).as_posix() for page in LISTED}
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
    pages = {page.relative_to(DOCS).with_suffix(".html").as_posix() for page in LISTED}
    project = tomllib.loads((DOCS.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    site = project["urls"]["Documentation"]
    assert {site + page for page in pages} <= set(re.findall(r"\]\(([\w:/.-]+\.html)", listing))


def test_the_diagram_of_questions_is_current() -> None:
    script = _script("make_question_diagram.py")
    drawn = (DOCS / "images" / "questions.svg").read_text(encoding="utf-8")
    assert drawn == script["diagram"](), "run python docs/make_question_diagram.py"
    answers = [answer for answers in script["TREE"].values() for answer in answers]
    assert {answer.function for answer in answers} <= set(bestby.__all__)
    commands = (DOCS / "reference" / "cli.md").read_text(encoding="utf-8")
    assert all(f"## {answer.command}\n" in commands for answer in answers)


CITED = re.compile(r"\b[A-Z]\w+ (?:et al\.|and [A-Z]\w+) \(?(?:19|20)\d\d\b")


def test_a_guide_that_cites_works_lists_them() -> None:
    for page in sorted((DOCS / "guides").glob("*.md")):
        text, _, listed = page.read_text(encoding="utf-8").partition("\n## References\n")
        prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
        missing = [found for found in CITED.findall(prose) if re.split(r"\W", found)[0] not in listed]
        assert missing == [] or "docs/make_notebooks.py" in text, f"{page.name}: name it under References"


PAGES = [DOCS.parent / "README.md", *sorted(DOCS.rglob("*.md"))]
FENCED = re.compile(r"^( *)```([^\n`]*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)


WIDER = {"facets", "mlflow-wandb", "gate", "preferences", "published-scores"}
"""Guides with a printed table whose columns do not fit."""


def test_code_and_outputs_have_at_most_80_columns() -> None:
    for page in PAGES:
        if not page.is_file() or page.parent.name == "changes":  # not beside the tests, or of another version
            continue
        blocks = FENCED.findall(page.read_text(encoding="utf-8"))
        shown = [text for _, kind, text in blocks if not kind.startswith("{")]
        wide = [line for text in shown for line in text.splitlines() if len(line) > 80]
        allowed = page.stem in WIDER and all(re.search(r"  \S|──", line) for line in wide)
        assert wide == [] or allowed, page.name


SOUGHT = {
    "seeds": "comparing-runs",
    "significance": "choosing-a-test",
    "confidence interval": "choosing-an-interval",
    "leaderboard": "board-organisers",
}
"""What people search for, and the guide that comes first: a main entry of the index counts 100 times the part
of it that was typed, the title of a page at most 16 times, a name of the reference at most 26 points."""


@pytest.mark.parametrize("words", SOUGHT)
def test_the_search_finds_the_guide_first(words: str) -> None:
    entries = {
        (entry.strip().removeprefix("! "), page.stem)
        for page in DOCS.rglob("*.md")
        for listed in re.findall(r"^```\{index\} (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
        for entry in listed.split(",")
        if entry.strip().startswith("! ")
    }
    assert [page for entry, page in entries if entry == words] == [SOUGHT[words]]


def test_the_home_page_begins_with_the_installation_a_figure_and_three_doors() -> None:
    home = (DOCS / "index.md").read_text(encoding="utf-8").partition("\n## ")[0]
    places = [home.index(words) for words in ("pip install", "![", "{container} doors")]
    assert places == sorted(places)
    assert home.count("![") == 1
    doors = home.partition("{container} doors\n")[2].partition("```")[0]
    assert re.findall(r"^- \*\*\[(\w+)\]", doors, re.MULTILINE) == ["Compare", "Gate", "Board"]


@pytest.mark.skipif(not (DOCS.parent / "README.md").is_file(), reason="README.md is not beside the tests")
def test_the_readme_is_short_and_begins_with_a_figure() -> None:
    text = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    assert len(text.split()) <= 800
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert headings == ["Install", "Two files", "Questions", "Cite"]
    assert text.index("![") < text.index("## Install")
