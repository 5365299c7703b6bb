"""The command line changes how Python looks for unused objects in a process of its own, and only there."""

from __future__ import annotations

import gc
import subprocess
import sys

import pytest
from tests.cli.helpers import environment

from bestby.cli import main

CODE = """
import gc, sys, bestby.cli
before = gc.get_threshold()[0]
sys.argv[1:] = ["--version"]
status = bestby.cli.main()
print(status, gc.get_threshold()[0] > before)
"""


def test_a_process_of_its_own_looks_less_often() -> None:
    done = subprocess.run(
        [sys.executable, "-c", CODE], capture_output=True, encoding="utf-8", env=environment(), check=False
    )
    assert done.stdout.splitlines()[-1] == "0 True"


def test_a_call_within_a_program_leaves_it_alone(capsys: pytest.CaptureFixture[str]) -> None:
    before = gc.get_threshold()
    assert main(["--version"]) == 0
    assert capsys.readouterr().out
    assert gc.get_threshold() == before
