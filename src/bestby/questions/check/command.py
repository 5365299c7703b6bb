"""`bestby check`: a look at files before a question is chosen."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from bestby.cli import option_groups
from bestby.cli.option_groups import Text
from bestby.cli.options import argument, record, result_file


@record
class Output(option_groups.Tables):
    csv: Text = result_file("Write the commands as CSV.")


@record
class Check:
    """
    FILES are any that a command reads: tables, one file per system, logs; one of them may hold the gold. The
    answer says what was recognised, which questions the files answer, each as a command that was tried, what
    may be off, and which checks could not be made, for lack of what. Without the word check,
    'bestby FILES...' does the same.

    \b
    Examples:
      bestby check predictions.csv
      bestby check bert.txt roberta.txt gold.txt
      bestby predictions.csv
    """

    paths: list[str] = argument("FILES", file="read")
    output: Output


def check(values: Check, progress: Any) -> Any:
    """Look at the files."""
    from bestby.questions.check.check import check as check_files

    del progress  # every question is asked quickly
    result = check_files(values.paths)
    path = Path(values.paths[0])
    if path.stem != "stdin" or not path.parent.name.startswith("bestby-"):
        return result
    commands = (replace(one, command=one.command.replace(str(path), "-")) for one in result.commands)
    return replace(result, files=("-",), commands=tuple(commands))
