from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bestby._core.errors import InvalidInputError
from bestby.readers import database
from bestby.readers.text import text_lines, unpacked


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
