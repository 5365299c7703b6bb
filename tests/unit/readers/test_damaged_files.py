"""Whatever the bytes, reading ends with an evaluation or with one of our errors."""

from __future__ import annotations

import contextlib
import gzip
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.unit.readers.damage import damaged

from bestby import Reading
from bestby._core.errors import BestbyError
from bestby.data.evaluation import Evaluation
from bestby.readers import read

pytestmark = pytest.mark.long

_SETTINGS = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
_TABLE = "id,gold,a,b\n" + "".join(f'{i},{i % 3},"{i % 2}",{i % 5}\n' for i in range(12))
_JSON = "".join(json.dumps({"gold": i % 3, "a": i % 2, "b": str(i)}) + "\n" for i in range(12))
_SOFT = "id,gold,a[x],a[y],b,c\n" + "".join(f'{i},x,0.{i},{1 - i / 10},"[0.5, 0.5]",y\n' for i in range(9))
_ROWS = "".join(f"0.{i} {1 - i / 10}\n" for i in range(9))
_NAMES = ("f.csv", "f.tsv", "f.jsonl", "f.json", "f.parquet", "f.npy", "f.txt", "f.csv.gz", "f")


def _check_reading(path: Path) -> None:
    """Check that reading ends with what was read or with an error of ours; any other error fails the test."""
    for paths, arguments in (
        (path, {}),
        (path, {"gold": "gold", "on_missing": "worst"}),
        ([f"a={path}", f"b={path}"], {"gold": path, "on_missing": "drop"}),
        ([f"a={path}", f"b={path}"], {"gold": path, "reading": Reading(classes="columns", normalise=True)}),
        (
            [f"a={path}", f"b={path}"],
            {"gold": path, "reading": Reading(annotators=["a[x]", "c"]), "on_missing": "drop"},
        ),
        ([f"a={path}", f"b={path}"], {"gold": path, "reading": Reading(annotators="c", value_column="b")}),
    ):
        with contextlib.suppress(BestbyError):
            assert isinstance(read(paths, **arguments), Evaluation)


@st.composite
def damaged_files(draw: st.DrawFn) -> bytes:
    whole = draw(
        st.sampled_from(
            [
                _TABLE.encode(),
                _JSON.encode(),
                gzip.compress(_TABLE.encode(), mtime=0),
                _SOFT.encode(),
                _ROWS.encode(),
            ]
        )
    )
    return draw(damaged(whole, "cut", "splice", "insert", "shuffle"))


@_SETTINGS
@given(name=st.sampled_from(_NAMES), data=st.binary(max_size=300))
def test_random_bytes(tmp_path: Path, name: str, data: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    _check_reading(path)


@_SETTINGS
@given(name=st.sampled_from(_NAMES), data=damaged_files())
def test_damaged_files(tmp_path: Path, name: str, data: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    _check_reading(path)


@_SETTINGS
@given(text=st.text(alphabet=st.sampled_from(list("ab,;\t|\"'\n\r 01.#\\=[]{}é\0\x1f")), max_size=80))
def test_text_full_of_delimiters(tmp_path: Path, text: str) -> None:
    path = tmp_path / "f.csv"
    path.write_text(text, encoding="utf-8", newline="")
    _check_reading(path)


@pytest.mark.parametrize("magic", [b"PAR1", b"\x93NUMPY\x01\x00", b"\x1f\x8b\x08\x00", b"\x28\xb5\x2f\xfd"])
@_SETTINGS
@given(data=st.binary(max_size=120))
def test_files_that_only_begin_well(tmp_path: Path, magic: bytes, data: bytes) -> None:
    path = tmp_path / "f"
    path.write_bytes(magic + data)
    _check_reading(path)


@_SETTINGS
@given(cells=st.lists(st.tuples(*[st.sampled_from(["", "NA", "1", "x,", 'y"', "z\n", "é"])] * 3), min_size=2))
def test_a_table_written_by_the_csv_module_is_read_back(tmp_path: Path, cells: list[tuple[str, ...]]) -> None:
    import csv

    path = tmp_path / "f.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerows([("gold", "a", "b"), *cells])
    while cells and not any(cells[-1]):  # an empty row at the end is no item
        cells = cells[:-1]
    if not cells or any(cell in ("", "NA") for row in cells for cell in row):
        with pytest.raises(BestbyError, match=r"missing|has no value" if cells else "no rows"):
            read(path, systems=["a", "b"], gold="gold")
        return
    evaluation = read(path, systems=["a", "b"], gold="gold")
    columns = [evaluation.gold, evaluation.systems["a"], evaluation.systems["b"]]
    expected = [[row[k].strip() for row in cells] for k in range(3)]
    assert [[str(value) for value in column] for column in columns if column is not None] == expected
