"""DuckDB tells texts that spell numbers from all others as the pattern of numbers does."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

import bestby as bb
from bestby._core.checks import NUMERAL
from bestby.data.columns import MISSING, Numerals
from bestby.readers.tables import _kind_sql

NUMBERS = "0 -0 1 +1 -1 0.5 -0.5 +.5 .5 5. 0. 1e5 1E-5 1.5e+3 0e5 1e400 12345678901234567890123"
CODES = "01 -01 +01 00 -00 00.5 1_000 0_1 1__0 +-1 -+1 --1 1- 1e 1e5.5 .e5 . - + 1.5.2 1,5 1'000"
OTHERS = "0x1F 0b1 1f 1d 1L 1% $1 true x NA NaN nan"
SPELLINGS = [
    *f"{NUMBERS} {CODES} {OTHERS}".split(),
    "",
    " 1",
    "\t1",
    " 01",
    "1 2",
    "1\u00a0",
    "\u0661",
    "1\n.5",
]


def test_the_kinds_of_texts_are_those_of_the_pattern() -> None:
    query = f"SELECT x, {_kind_sql('x', frozenset(MISSING))} FROM (SELECT unnest(?) AS x)"
    kinds = dict(duckdb.connect().execute(query, [SPELLINGS]).fetchall())
    expected = {text: 0 if text in MISSING else 1 if NUMERAL.fullmatch(text) else 2 for text in SPELLINGS}
    assert kinds == expected


@pytest.mark.parametrize("odd", ["01", "1_000", "+-1", "x"])
def test_one_odd_value_far_down_makes_texts_of_a_long_column(odd: str, tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    rows = [f"{i / 7},{i / 3}" for i in range(1, 12_000)]
    path.write_text("\n".join(["a,b", *rows, f"{odd},1"]) + "\n", encoding="utf-8")
    with pytest.raises(bb.InvalidInputError, match="'a' holds text"):
        bb.read(path)


def test_scores_of_a_table_are_never_made_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_: Numerals) -> None:
        raise AssertionError("the texts of numbers take four fifths of the time of reading")

    path = tmp_path / "scores.csv"
    path.write_text("a,b\n" + "".join(f"{i / 64},0.5\n" for i in range(30_000)), encoding="utf-8")
    monkeypatch.setattr(Numerals, "values", property(refused))
    evaluation = bb.read(path)
    assert evaluation.systems["a"].tolist() == [i / 64 for i in range(30_000)]
