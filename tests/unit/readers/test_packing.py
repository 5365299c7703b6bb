"""Long rows are read or refused, never lost; packed files meet a limit; damaged arrays are refused."""

from __future__ import annotations

import csv
import gzip
import io
import random
import warnings
from pathlib import Path

import numpy as np
import pytest
from tests.unit.readers.helpers import Make, message

import bestby as bb
from bestby._core.errors import InvalidInputError
from bestby.readers import database
from bestby.readers.tables import read_delimited

HEAD = b"gold,a,b\n" + b"x,x,y\ny,x,y\n" * 5


@pytest.mark.long
@pytest.mark.parametrize("stream", [None, True])
@pytest.mark.parametrize("end", [b",y", b',"y\n'])
def test_a_last_row_of_45_mb_is_not_lost(make: Make, stream: bool | None, end: bytes) -> None:
    path = make("q.csv", HEAD + b"x," + b"a" * (45 << 20) + end)
    with pytest.raises(InvalidInputError, match=r"q\.csv, line 12: a line or row of more than 2000000 bytes"):
        bb.read(path, gold="gold", stream=stream)


@pytest.mark.long
def test_a_long_last_row_of_a_packed_table_is_not_lost(make: Make) -> None:
    data = HEAD + b"x," + b"a" * (45 << 20) + b",y"
    with pytest.raises(InvalidInputError, match="a line or row of more than"):
        bb.read(make("q.csv.gz", gzip.compress(data, 1)), gold="gold")
    zstd = pytest.importorskip("zstandard")
    with pytest.raises(InvalidInputError, match="a line or row of more than"):
        bb.read(make("q.csv.zst", zstd.compress(data)), gold="gold", stream=True)


def test_every_row_is_read_or_the_table_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Random tables beside Python's reader, with limits so low that rows are long and files large."""
    zstd = pytest.importorskip("zstandard")
    draw = random.Random(4)

    def cell(n: int) -> str:
        if draw.random() < 0.5:
            return draw.choice("ab") * n + draw.choice(["", '"']) * (n > 0)
        parts = ["aa", "b\n", '""', "x,y\n", "\n", "\r\n"]
        return '"' + "".join(draw.choice(parts) for _ in range(n // 2 + 1)) + '"'

    n_read = 0
    for _ in range(25):
        piece = draw.choice([50, 300])
        for where, name, value in (
            (database, "PIECE", piece),
            (database, "LONGEST_ROW", 2 * piece),
            (database, "WHOLE", draw.choice([0, 5000])),
            (database, "LARGEST_BUFFER", draw.choice([4000, 40000])),
        ):
            monkeypatch.setattr(where, name, value)
        sizes = [0, 1, 5]
        rows = [
            f"{cell(draw.choice(sizes))},{cell(draw.choice(sizes))}" for _ in range(draw.choice([1, 9, 200]))
        ]
        if draw.random() < 0.6:
            rows[draw.choice([-1, -1, 0])] = "q," + cell(draw.choice([100, 500, 4000]))
        text = "g,p\n" + "\n".join(rows) + draw.choice(["", "\n"])
        expected = [tuple(row) for row in csv.reader(io.StringIO(text, newline="")) if row][1:]
        while expected and not "".join(expected[-1]).strip():
            del expected[-1]  # last rows of blanks are no items
        packed = {
            "none": text.encode(),
            "gzip": gzip.compress(text.encode()),
            "zstd": zstd.compress(text.encode()),
        }
        compression = draw.choice([*packed])
        path = tmp_path / "t.csv"
        path.write_bytes(packed[compression])
        database._measured.cache_clear()
        try:
            table = read_delimited(path, compression, frozenset())
        except InvalidInputError:
            assert max(map(len, rows)) > 20
            continue
        columns = [np.ma.filled(np.ma.asarray(raw), "").tolist() for raw in table.data.values()]
        assert list(zip(*columns, strict=True)) == expected
        n_read += 1
    assert n_read > 8


def test_a_packed_file_is_unpacked_up_to_a_limit(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"gold,a,b\n" + b"x,x,y\ny,x,y\n" * 20_000
    packed = make("t.csv.gz", gzip.compress(data))
    document = make("p.json.gz", gzip.compress(b'{"q1": "x", "q2": "' + b"a" * 300_000 + b'"}'))
    paths = [packed, document]
    try:
        import zstandard

        paths.append(make("t.csv.zst", zstandard.compress(data)))
        writer = zstandard.ZstdCompressor().compressobj()  # says nothing of its length
        paths.append(make("u.csv.zst", writer.compress(data) + writer.flush()))
    except ImportError:
        pass
    monkeypatch.setenv("BESTBY_MAX_UNPACKED", "100K")
    for path in paths:
        with pytest.raises(InvalidInputError, match="more than 102400 bytes unpacked") as error:
            bb.read({"a": path, "b": path} if path == document else path, gold="gold")
        assert "BESTBY_MAX_UNPACKED=16G" in str(error.value.hint)
    monkeypatch.setenv("BESTBY_MAX_UNPACKED", "2 MB")
    for path in (one for one in paths if one != document):
        assert bb.read(path, gold="gold").n_items == 40_000
    monkeypatch.setenv("BESTBY_MAX_UNPACKED", "much")
    assert message(packed).startswith(
        "BESTBY_MAX_UNPACKED must be a number of bytes such as 500M or 8G, got 'much'"
    )


@pytest.mark.parametrize("damage", [b"", b"\x00" * 40, b"\x28\xb5\x2f\xfd"])
def test_a_damaged_zstd_file_is_refused(make: Make, damage: bytes) -> None:
    zstd = pytest.importorskip("zstandard")
    whole = zstd.compress(b"gold,a,b\n" + b"x,x,y\n" * 100)
    for data in (whole[:-3], whole + damage + b"\x00") if damage != b"" else (whole[:9],):
        assert "cannot be unpacked" in message(make("t.csv.zst", data), gold="gold")


def _npy() -> bytes:
    stream = io.BytesIO()
    np.save(stream, np.arange(60) % 2)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"(60,), }", b"(60,  } "),  # tokenize.TokenError
        (b"(60,), }", b"(60,), ("),
        (b"(60,), }", b"(6**9)} "),
        (b"(60,)", b"(-1,)"),
        (b"(60,)", b"(9e9)"),
        (b"'<i8'", b"'<q9'"),
        (b"'<i8'", b"'|O8'"),
        (b"'descr'", b"'dexcr'"),
        (b"(60,), }            ", b"(99999999999999,), }"),
        (b"NUMPY\x01", b"NUMPY\x07"),
    ],
)
def test_a_damaged_array_is_refused_in_one_sentence(make: Make, old: bytes, new: bytes) -> None:
    data = _npy()
    assert old in data
    path = make("a.npy", data.replace(old, new))
    told = message({"a": path, "b": path})
    assert "cannot be read as a NumPy array" in told
    assert "\n" not in told


def test_an_array_that_python_2_wrote_is_read_without_a_warning(make: Make) -> None:
    path = make("a.npy", _npy().replace(b"(60,), }  ", b"(60L,), } "))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert bb.read({"a": path, "b": path}).n_items == 60


@pytest.mark.parametrize(
    "array", [np.array(["x", "y"] * 6), np.array(["x", "y"] * 6).astype(">U1"), np.array([b"x", b"y"] * 6)]
)
def test_an_array_of_text_that_is_none_is_refused(make: Make, array: np.ndarray) -> None:
    stream = io.BytesIO()
    np.save(stream, array)
    path = make("a.npy", stream.getvalue())
    assert bb.read({"a": path, "b": path}, gold=path).n_items == 12
    damaged = make("a.npy", stream.getvalue()[:-4] + b"\xff\xff\xff\xff")
    assert "cannot be read as a NumPy array" in message({"a": damaged, "b": damaged}, gold=damaged)
