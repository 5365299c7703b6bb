"""No example and no guide shows a contradiction that its table and figure do not mark and explain."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from tests.unit.report.contradictions import check

import bestby as bb
from bestby.cli import main
from bestby.report.comparison import Paired

ROOT = Path(__file__).resolve().parents[3]
PAGES = [*ROOT.glob("README.md"), *sorted((ROOT / "docs").rglob("*.md"))]
GUIDES = [page for page in PAGES if page.parent.name != "concepts"]
COMMAND = re.compile(
    r"^(?:\$ )?bestby (?:compare|runs|datasets|folds|preferences) (?:[^\n]*\\\n)*[^\n]*$", re.M
)

pytestmark = pytest.mark.skipif(
    not (ROOT / "examples").is_dir() or not PAGES[1:], reason="docs/ and examples/ are not beside the tests"
)


def commands() -> list[list[str]]:
    """Return the commands in README and the documentation that compare what lies in the folder of examples.

    Those that a guide shows being refused are left out.
    """
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for command in COMMAND.finditer(text):
            words = shlex.split(command[0].removeprefix("$ ").replace("\\\n", ""))[1:]
            refused = text[command.end() :].lstrip().startswith(("InvalidInputError", "DesignError"))
            if any(word.startswith("examples/") for word in words) and not refused:
                found.append(words)
    return found


def without_outputs(words: list[str]) -> list[str]:
    """Return a command without the options that write files."""
    kept, skip = [], False
    for word in words:
        output = word.startswith(("--html", "--plot", "--csv", "--json", "--format", "--latex"))
        if not skip and not output:
            kept.append(word)
        skip = not skip and output
    return kept


@pytest.mark.parametrize("margin", [None, "0.02"])
@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_an_example_explains_its_contradictions(
    words: list[str], margin: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    path = tmp_path / "result.json"
    more = [] if margin is None or "--margin" in words else ["--margin", margin]
    assert main([*without_outputs(words), *more, "--json", str(path)]) == 0
    check(bb.load(path))


def test_the_forest_of_the_guide_has_a_marked_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    words = next(words for words in commands() if "forest.svg" in words)
    assert main([*without_outputs(words), "--json", str(tmp_path / "result.json")]) == 0
    assert check(bb.load(tmp_path / "result.json")) == 2


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.stem)
def test_the_results_of_a_guide_explain_their_contradictions(
    page: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(ROOT)
    for result in results_of(page):
        check(result)


def results_of(page: Path) -> list[Any]:
    """Return the comparisons that the examples of a page leave behind."""
    parsed = doctest.DocTestParser().get_doctest(
        page.read_text(encoding="utf-8"), {}, page.stem, str(page), 0
    )
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    doctest.DocTestRunner(optionflags=flags, verbose=False).run(parsed, out=lambda _: None, clear_globs=False)
    return [value for value in parsed.globs.values() if isinstance(value, Paired) and len(value) <= 200]
