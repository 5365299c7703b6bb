"""A JSON text is read as the standard library reads it, and what is wrong with it is said with its place."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bestby._core.errors import InvalidInputError
from bestby.readers.text import parsed


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "b": [0.5, true, null, "ü"]}',
        ' {"a": 1}\t\r\n',
        b'{"a": "\xc3\xbc"}\r',
        b'\xef\xbb\xbf{"a": 1}',
        '{"a": "ü"}'.encode("utf-16"),
        '{"a": 1}'.encode("utf-32-le"),
        b'"\xed\xa0\x80"',  # half of a character
        "1e5",
        b"12",
    ],
    ids=repr,
)
def test_values_are_those_of_the_standard_library(text: str | bytes) -> None:
    assert parsed(text, "x.json") == json.loads(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b'{"a": 1} {"a": 2}', "x.json, line 7: not JSON: Extra data (character 10)"),
        (b'{"a": 1', "x.json, line 7: not JSON: Expecting ',' delimiter (character 8)"),
        ("", "x.json, line 7: not JSON: Expecting value (character 1)"),
        (b'{"a": "\xff"}', "x.json: not UTF-8 text"),
        ("[" * 100_000, "x.json, line 7: not JSON that can be read: maximum recursion depth exceeded"),
        ('{"a": 1, "b": {"c": 1, "c": 1}}', "x.json, line 7: the key 'c' occurs twice in one object"),
        ("1" * 5000, "x.json, line 7: not JSON that can be read: Exceeds the limit"),
    ],
    ids=lambda one: repr(one)[:20],
)
def test_what_is_wrong_is_said_with_its_place(text: Any, message: str) -> None:
    with pytest.raises(InvalidInputError) as refused:
        parsed(text, "x.json", 7)
    assert refused.value.message.startswith(message)
