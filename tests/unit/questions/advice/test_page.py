"""The page of the documentation that draws the tree is current and names its sources."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.unit.questions.advice.cases import CASES

from bestby.questions.advice.advise import advise, wrong
from bestby.questions.advice.tree import TREE

ROOT_FOLDER = Path(__file__).resolve().parents[4]
PAGE = ROOT_FOLDER / "docs" / "guides" / "advice.md"


def test_the_page_is_current() -> None:
    if not PAGE.is_file():
        pytest.skip("the documentation is not here")
    script = ROOT_FOLDER / "docs" / "make_advice_page.py"
    done = subprocess.run(
        [sys.executable, str(script), "--check"], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr


def test_every_source_is_in_the_references_of_the_page() -> None:
    if not PAGE.is_file():
        pytest.skip("the documentation is not here")
    references = " ".join(PAGE.read_text(encoding="utf-8").partition("## References")[2].split())
    sources = {answer.source for question in TREE.values() for answer in question.answers.values()}
    sources |= {entry.source for case in CASES for entry in wrong(case) if entry.source}
    sources |= {entry.source for entry in advise("spearman").wrong}
    for source in itertools.chain.from_iterable(text.split("; ") for text in sources):
        found = re.match(r"(\S+)(?: & (\S+)| et al\.)? (\d{4})", source)
        assert found, source
        author, second, year = found.groups()
        near = rf"{author}\b[^()]*{second or ''}[^()]*\({year}\)"
        assert re.search(near, references), source
