"""The output on the page about logs is what the commands on it print."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.cli.helpers import run_in

_ROOT = Path(__file__).resolve().parents[2]
_PAGE = _ROOT / "docs" / "guides" / "evaluation-logs.md"
_SHOWN = (
    re.findall(r"```\n\$ bestby (.+)\n((?:.*\n)*?)```", _PAGE.read_text(encoding="utf-8"))
    if _PAGE.is_file() and (_ROOT / "examples" / "logs").is_dir()
    else []
)


def test_there_are_commands_on_the_page() -> None:
    if not _PAGE.is_file():
        pytest.skip("docs/ is not beside the tests (they run against a wheel)")
    assert len(_SHOWN) == 6


@pytest.mark.parametrize(("command", "output"), _SHOWN)
def test_commands_print_what_the_page_shows(command: str, output: str) -> None:
    done = run_in(_ROOT)(*command.split())
    printed = done.stdout or done.stderr
    # The last line, of settings and versions, is left out on the page.
    lines = [line.rstrip() for line in printed.split("\n") if not line.startswith("bestby:")]
    assert "\n".join(lines).strip() == output.strip()
