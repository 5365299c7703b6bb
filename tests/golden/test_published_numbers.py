"""The page "The published numbers, recomputed": its tables are what the published data give."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.check
def test_the_page_is_what_the_data_give() -> None:
    if not (DOCS / "concepts" / "published-numbers.md").is_file():
        pytest.skip("the documentation is not here")
    done = subprocess.run(
        [sys.executable, str(DOCS / "make_published_page.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr or "run python docs/make_published_page.py"
