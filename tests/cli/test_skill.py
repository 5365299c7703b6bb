"""`bestby skill`: the file for agents names every command, and only keys that the JSON has."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

import bestby as bb
from bestby.cli import main
from bestby.cli.commands import REGISTRY, values_of


@pytest.fixture
def text(capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["skill"]) == 0
    return capsys.readouterr().out


def test_it_is_short_and_begins_as_agents_expect(text: str) -> None:
    assert len(text.splitlines()) <= 120
    head = yaml.safe_load(text.split("---\n")[1])
    assert head.keys() == {"name", "description"}
    assert re.fullmatch(r"[a-z-]{1,64}", head["name"])
    assert len(head["description"]) <= 1024


def test_it_names_every_command_with_an_example_that_can_be_typed(text: str) -> None:
    named = re.findall(r"^- \*\*([a-z ]+)\*\*: .+ `(bestby .+)`$", text, re.MULTILINE)
    first = {name.split()[0] for name in REGISTRY}
    assert {name.split()[0] for name, _ in named} == first - {"skill", "metrics", "cite"}
    for name, example in named:
        words = shlex.split(example)
        command = tuple(words[1:3]) if " ".join(words[1:3]) in REGISTRY else (words[1],)
        assert " ".join(command).startswith(name)
        assert values_of(command, words[1 + len(command) :])


def keys(value: Any) -> Iterator[str]:
    """Yield all keys of a document."""
    if isinstance(value, dict):
        yield from value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from keys(part)


def test_the_keys_that_it_explains_are_there(text: str) -> None:
    systems = {"new": [1, 0, 1, 1] * 60, "old": [0, 1, 1] * 80, "copy": [0, 1, 1] * 80}
    found = set(keys(bb.compare(systems, margin=0.1).to_dict()))
    section = text.split("## How to read the JSON")[1].split("## ")[0]
    explained = set(re.findall(r"`([a-z_]+)`", section))
    assert len(explained) > 20
    assert explained <= found
