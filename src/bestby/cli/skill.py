"""`bestby skill`: what an agent must know to use the commands and to read their answers."""

from __future__ import annotations

import inspect
import re
from importlib import resources

from bestby.cli import streams
from bestby.cli.options import record


@record
class Skill:
    """
    Agents read it as a file SKILL.md. It names every command with its files, says how to read the JSON, and
    what never to conclude.

    \b
    Examples:
      bestby skill > SKILL.md
    """


def skill(values: Skill) -> None:
    """Print the skill, with a line for each command."""
    from bestby.cli.commands import GROUPS, REGISTRY, record_of

    del values
    lines = []
    for name, (_, purpose) in REGISTRY.items():
        if name not in ("skill", "metrics", "cite") and name.split()[0] not in ("study", "board"):
            lines += _lines(name, purpose, inspect.cleandoc(record_of(tuple(name.split())).__doc__ or ""))
    for name in ("study", "board"):
        lines += _lines(name, GROUPS[name].partition("\n")[0], GROUPS[name])
    text = resources.files("bestby.cli").joinpath("skill.md").read_text(encoding="utf-8")
    streams.print_stdout(text.replace("{commands}", "\n".join(lines) + "\n").rstrip())


def _lines(name: str, purpose: str, help: str) -> list[str]:
    """Return what a command does, its first example, and what its files are, from its help."""
    prose, _, examples = help.partition("Examples:\n")
    files = re.search(r"^FILES? .*?\.(?=\s+[A-Z]|\s*$)", prose, re.MULTILINE | re.DOTALL)  # a sentence
    example = examples.strip().partition("\n")[0]
    about = [f"  {' '.join(files[0].split())}"] if files else []
    return [f"- **{name}**: {purpose} `{example}`", *about]
