"""Text and JSON are read as the standard library reads them, and what is wrong is said with its place."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bestby._core.errors import InvalidInputError
from bestby.readers import database
from bestby.readers.text import parsed, text_lines, unpacked


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


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    text=st.text(st.sampled_from("aé漢\n\r\u2028\f "), max_size=30),
    bom=st.booleans(),
    size=st.integers(1, 7),
    packed=st.booleans(),
)
def test_lines_are_those_of_the_whole_text(
    tmp_path: Path, text: str, bom: bool, size: int, packed: bool
) -> None:
    data = text.encode("utf-8-sig" if bom else "utf-8")
    path = tmp_path / "file"
    path.write_bytes(gzip.compress(data) if packed else data)
    compression = "gzip" if packed else "none"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "PIECE", size)
        assert list(text_lines(path, compression)) == unpacked(path, compression).split("\n")


def test_the_line_that_is_not_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"a\nb\n\xff\nc")
    for read in (unpacked, lambda *arguments: list(text_lines(*arguments))):
        with pytest.raises(InvalidInputError, match="file, line 3: not UTF-8 text"):
            read(path, "none")
