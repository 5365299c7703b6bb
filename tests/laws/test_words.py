"""One word for each idea, in the texts of every kind of result and in the documentation.

Two systems differ significantly or cannot be told apart; a verdict with a margin is better, worse,
equivalent, not worse, not better or inconclusive. What a judge favours, and who wins a
judgement, are other ideas.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import bestby as bb
from bestby.cli import main

ROOT = Path(__file__).parents[2]
SAVED = [
    path
    for path in sorted((ROOT / "tests/golden/files_of_0_2_0").glob("*/*.json"))
    if path.name != "baseline.json"
]

OTHER_WORDS = re.compile(
    r"\b(is|are|was|were) (not )?(ahead|behind)\b(?! of the clock| it\b| the best\b)"
    r"|\bahead (of (?!the clock)|overall)"
    r"|\b(in favou?r of|favoured|(is|are) favourable to)\b"
    r"|\btests? (can |does not |do not )?favours?\b"
    r"|\bshown on\b|\boutperform|\ba run of .{1,40} beats\b"
    r"|\b(not )?shown to (be (better|worse|equivalent|dominant)|differ)\b"
    r"|\bno difference (is )?shown\b|\bdifference is shown\b"
    r"|\b(is|are|were|not|could not be) told apart\b",
    re.IGNORECASE,
)
"""Words that texts had for what two systems differ significantly, or cannot be told apart, says."""

SAID_OF_PATHS = "are told apart by their paths"
"""What one guide says of folders."""


def other_words(text: str) -> list[str]:
    """Return what a text says in other words, with what stands around it."""
    plain = " ".join(text.replace("\N{NO-BREAK SPACE}", " ").split()).replace(SAID_OF_PATHS, "")
    return [plain[max(0, found.start() - 60) : found.end() + 40] for found in OTHER_WORDS.finditer(plain)]


@pytest.mark.parametrize(
    "text",
    [
        "a is ahead of b by 0.1",
        "the sign test favours b",
        "not shown to be better",
        "b and c are not told apart",
    ],
)
def test_other_words_are_found(text: str) -> None:
    assert other_words(text)


def test_the_words_that_stay_are_none_of_them() -> None:
    said = (
        "They differ significantly; b cannot be told apart from it. a is better than b by more than the"
        " margin. The judge favours a. The record is ahead of the clock."
        " Each winner was shown first in half of them."
    )
    assert other_words(said) == []


def texts(result: Any) -> list[str]:
    """Return what a result says in its short answer, in tables of all formats, and as methods."""
    sentences = [d.sentence for d in getattr(result, "differences", ()) if hasattr(d, "sentence")]
    said = [str(result), repr(result), result.to_markdown(), result.to_latex(), result.methods(), *sentences]
    return said + ([result.details()] if hasattr(result, "details") else [])


@pytest.mark.parametrize("path", SAVED, ids=lambda path: path.stem)
def test_results(path: Path) -> None:
    result = bb.load(path)
    assert [words for text in texts(result) for words in other_words(text)] == []


@pytest.mark.check
@pytest.mark.parametrize("path", SAVED, ids=lambda path: path.stem)
def test_pages_with_their_figures(path: Path) -> None:
    assert other_words(bb.load(path).to_html()) == []


@pytest.mark.parametrize("command", ["compare", "runs", "slices", "datasets", "gate", "watch", "published"])
def test_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0
    assert other_words(capsys.readouterr().out) == []


PAGES = [
    page
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if page.parent.name != "changes" and page.exists()
]


@pytest.mark.skipif(len(PAGES) < 2, reason="docs/ is not beside the tests")
def test_documentation() -> None:
    other = {page.stem: other_words(page.read_text(encoding="utf-8")) for page in PAGES}
    assert {page: words for page, words in other.items() if words} == {}
