"""A column coded as it was read gives what its values one by one give; equal joint rows are counted."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from bestby import Evaluation, compare, read
from bestby._core.errors import BestbyError
from bestby.data import columns as data_columns
from bestby.data import table
from bestby.data.columns import Coded, codes
from bestby.readers import tables as readers_tables

Switch = Callable[[bool], None]

LABELS = [
    "x",
    "y",
    " x",
    "zebra",
    "NA",
    "",
    "1",
    "1.0",
    "01",
    "+1",
    "1e5",
    "nan",
    "true",
    "é",
    'a"b',
    "a,b",
    "[1, 2]",
]


@pytest.fixture
def coded(monkeypatch: pytest.MonkeyPatch) -> Switch:
    """Turn coding on for tables of any size, or off."""

    def switch(on: bool) -> None:
        least = 1 if on else 1 << 60
        for module in (data_columns, table):
            monkeypatch.setattr(module, "CODED_FROM", least)
        for module in (data_columns, table, readers_tables):
            monkeypatch.setattr(module, "HEAD", 8 if on else 1 << 60)

    return switch


def outcome(work: Callable[[], Evaluation]) -> Any:
    """Return all that is in an evaluation, or the error."""
    try:
        made = work()
    except BestbyError as error:
        return str(error)
    parts = dict(made.systems.items()) | {"gold": made.gold}
    values = {
        name: None if array is None else (array.dtype.str, array.tolist()) for name, array in parts.items()
    }
    notes = [note.message for note in made.notes]
    return values, notes, made.data_hash(), made.cells[1].tolist() if made.cells else None


def tables(seed: int) -> dict[str, list[str | None]]:
    """Return three columns of few distinct texts, some of them odd."""
    draw = random.Random(seed)
    known = draw.sample(LABELS, draw.randint(1, 4)) + draw.choice([[], [None], ["x", "y"]])
    gold = ["x", "y", "z"] if draw.random() < 0.5 else [text for text in known if text is not None] or ["x"]
    return {
        "gold": [draw.choice(gold) for _ in range(40)],
        "a": [draw.choice(known) for _ in range(40)],
        "b": [draw.choice(known if draw.random() < 0.7 else gold) for _ in range(40)],
    }


FRAMES: dict[str, Callable[[Any], Any]] = {
    "pandas": lambda data: pd.DataFrame(data),
    "pandas objects": lambda data: pd.DataFrame(data, dtype=object),
    "pandas categories": lambda data: pd.DataFrame(data).astype("category"),
    "polars": lambda data: pl.DataFrame(data, schema=dict.fromkeys(data, pl.String)),
    "polars categories": lambda data: pl.DataFrame(data, schema=dict.fromkeys(data, pl.Categorical)),
    "arrow": lambda data: pa.table({name: pa.array(values, pa.string()) for name, values in data.items()}),
    "arrow dictionaries": lambda data: pa.table(
        {name: pa.array(values, pa.string()).dictionary_encode() for name, values in data.items()}
    ),
    "records": lambda data: [dict(zip(data, row, strict=True)) for row in zip(*data.values(), strict=True)],
}


@pytest.mark.parametrize("kind", FRAMES)
def test_frames_give_what_their_values_give(coded: Switch, kind: str) -> None:
    for seed in range(12):
        frame = FRAMES[kind](tables(seed))
        for on_missing in ("error", "drop"):
            answers = []
            for on in (False, True):
                coded(on)
                answers.append(
                    outcome(lambda: _read_frame(frame, on_missing))  # noqa: B023 - called at once
                )
            assert answers[0] == answers[1]


def _read_frame(frame: Any, on_missing: Any) -> Evaluation:
    from bestby.data.layouts.items import evaluation_of_frame
    from bestby.data.roles import TableOptions

    return evaluation_of_frame(frame, TableOptions.of("gold", on_missing=on_missing))


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_files_give_what_their_texts_give(coded: Switch, tmp_path: Path, kind: str) -> None:
    for seed in range(12):
        frame = pd.DataFrame(tables(seed))
        path = tmp_path / f"{seed}.{kind}"
        frame.to_csv(path, index=False) if kind == "csv" else frame.to_parquet(path)
        answers = []
        for on in (False, True):
            coded(on)
            answers.append(outcome(lambda: read(path, gold="gold", on_missing="drop")))  # noqa: B023
        assert answers[0] == answers[1]


ODD = ["0.5", "1", "-2.25", "1e5", ".5", "5.", "+1.5", "-0.0", "1e-3"]


@pytest.mark.parametrize(
    "odd",
    [None, " 1", "01", "nan", "NA", "", "inf", "1e400", "x", "1_0", "true", "9007199254740993", "١", "-0"],
)
def test_scores_in_a_file_are_the_numbers_that_their_texts_spell(
    coded: Switch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, odd: str | None
) -> None:
    monkeypatch.setattr(readers_tables, "has_few", lambda _: False)
    path = tmp_path / "scores.csv"
    rows = [f"{ODD[i % 9]},{i / 7 - 2}" for i in range(30)]
    if odd is not None:
        rows[25] = f"{odd},0.25"
    path.write_text("\n".join(["a,b", *rows]) + "\n", encoding="utf-8")
    answers = []
    for on in (False, True):
        coded(on)
        answers.append(outcome(lambda: read(path, on_missing="drop")))
    assert answers[0] == answers[1]


def test_a_number_can_stand_for_a_missing_score(
    coded: Switch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readers_tables, "has_few", lambda _: False)
    path = tmp_path / "scores.csv"
    path.write_text("a,b\n" + "".join(f"{ODD[i % 9]},{i / 7 - 2}\n" for i in range(30)), encoding="utf-8")
    coded(True)
    made = read(path, on_missing="drop", missing=["-2.25", "5."])
    assert made.n_items == 23
    assert {-2.25, 5.0}.isdisjoint(made.systems["a"].tolist())


def test_whole_scores_stay_whole(coded: Switch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers_tables, "has_few", lambda _: False)
    path = tmp_path / "scores.csv"
    path.write_text("a,b\n" + "".join(f"{2 * i},{i * i}\n" for i in range(30)), encoding="utf-8")
    coded(True)
    assert {values.dtype.kind for values in read(path).systems.values()} == {"i"}


def test_texts_that_the_first_rows_do_not_show_are_read_too(coded: Switch, tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("gold,a\n" + "x,x\ny,y\n" * 20 + "new,\nnew,other\n", encoding="utf-8")
    coded(True)
    made = read(path, gold="gold", on_missing="drop")
    assert made.gold is not None
    assert made.gold[-1] == "new"
    assert made.systems["a"][-1] == "other"
    assert made.n_items == 41


def test_categories_are_never_made_texts(coded: Switch, monkeypatch: pytest.MonkeyPatch) -> None:
    coded(True)
    monkeypatch.setattr(
        table, "_plain_value", lambda value: value if len(seen.append(value) or seen) < 20 else 1 / 0
    )
    seen: list[Any] = []
    frame = pd.DataFrame({"gold": ["x", "y"] * 500, "a": ["x", "x"] * 500, "b": ["y", "x"] * 500}).astype(
        "category"
    )
    assert compare(frame, "gold").n_items == 1000


def test_an_error_names_the_row_also_where_values_are_coded(coded: Switch) -> None:
    coded(True)
    raw = np.array(["x"] * 20 + ["a\0b"], dtype=object)
    with pytest.raises(BestbyError, match="row 21"):
        data_columns.column_of(raw, "column 'a'")
    with pytest.raises(BestbyError, match="position 20"):
        Evaluation.of({"a": raw.tolist(), "b": ["x"] * 21}, ["x"] * 21)


def test_numbers_that_no_float_holds_are_read_as_texts() -> None:
    kind = np.array([1, 1, 0])
    for numbers, held in (([0.5, 2.0, 0.0], True), ([0.5, np.inf, 0.0], False), ([1.0, 2.0, 0.0], False)):
        found = readers_tables._numeral_column(np.array(numbers), kind, lambda: None)
        assert (found is not None) == held


@pytest.mark.parametrize(
    ("kind", "size"),
    [
        (kind, size)
        for kind in (np.int8, np.int16, np.int32, np.int64, np.uint32)
        for size in (1, 63, 64, 127, 255, 256, 300)
        if size - 1 <= np.iinfo(kind).max
    ],
)
def test_codes_of_a_library_may_be_of_any_type(kind: type[np.integer[Any]], size: int) -> None:
    values = [f"t{i}" for i in range(size)]
    least = 0 if kind is np.uint32 else -1
    codes = np.random.default_rng(size).integers(least, size, 50).astype(kind)
    codes[0] = size - 1
    made = Coded.of(values, codes)
    assert made.values.tolist() == [None if code < 0 else values[code] for code in codes.tolist()]
    assert set(made.distinct.tolist()) == set(made.values.tolist())
    every = Coded.of(values, np.arange(least, size).astype(kind))
    assert every.values.tolist() == [None, *values][least + 1 :]


@pytest.mark.parametrize("kind", ["i1", "u1", "i2", "u2", "i4", "i8", "u8", ">i8", ">u2", "?"])
@pytest.mark.parametrize("n", [5, 100_001])
@pytest.mark.parametrize("span", [1, 255, 256, 257, 5000])
def test_codes_of_whole_numbers_are_those_of_the_sorted_values(kind: str, n: int, span: int) -> None:
    rng = np.random.default_rng(n + span)
    dtype = np.dtype(kind)
    ends = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    for low in (ends[0], max(ends[0], -3), max(ends[0], int(ends[1]) - span + 1)):
        above = rng.integers(0, min(span, int(ends[1]) - int(low) + 1), n).astype("u8")
        values = (above + np.uint64(int(low) % 2**64)).astype(dtype)  # modulo 2**64, as the types wrap
        at_end = np.concatenate([values[values > values.min()], values[values == values.min()]])
        for column in (values, np.sort(values)[::-1], at_end):
            distinct, code = codes(column)
            expected, inverse = np.unique(column, return_inverse=True)
            assert distinct.dtype == column.dtype
            assert np.array_equal(distinct, expected)
            assert np.array_equal(code, inverse)


@pytest.mark.parametrize("kind", ["i2", "i4", "i8", "u2", "u8", ">i8"])
def test_numbers_at_both_ends_of_their_type_are_in_order(kind: str) -> None:
    """The first ones are the greatest there are, and a later one the least: their difference wraps round."""
    values = np.full(data_columns.HEAD + 2, np.iinfo(kind).max, kind)
    values[-1] = np.iinfo(kind).min
    distinct, code = codes(values)
    assert distinct.tolist() == [np.iinfo(kind).min, np.iinfo(kind).max]
    assert (distinct[code] == values).all()


@pytest.mark.parametrize("n", [7, 1000])
@pytest.mark.parametrize("sizes", [(3, 3, 3), (2, 5), (64,), (3, 70)])
@pytest.mark.parametrize("strata", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_every_joint_row_is_counted(n: int, sizes: tuple[int, ...], strata: bool, weighted: bool) -> None:
    rng = np.random.default_rng(n)
    columns = [rng.integers(0, size, n).astype(np.uint8) for size in sizes]
    stratum = rng.integers(0, 2, n) if strata else None
    counts = rng.integers(1, 5, n) if weighted else None
    position, found = data_columns.collapsed(columns, sizes, stratum, counts)
    together = [*columns, np.zeros(n, dtype=np.int64) if stratum is None else stratum]
    number = np.ravel_multi_index(together, (*sizes, 2))
    rows, inverse = np.unique(number, return_inverse=True)
    order = np.argsort(number[position])
    assert np.array_equal(number[position][order], rows)
    assert np.array_equal(found[order], np.bincount(inverse, counts).astype(np.int64))
    assert found.dtype == np.int64


@pytest.mark.parametrize(
    "size", [2, 50, 5000, 1 << 20]
)  # keys of four such columns fit into 64 bits, or do not
@pytest.mark.parametrize("strata", [False, True])
def test_joint_rows_of_any_codes_are_told_apart(size: int, strata: bool) -> None:
    rng = np.random.default_rng(1)
    stratum = rng.integers(0, 3, 400) if strata else None
    columns = [rng.integers(0, size, 400) for _ in range(4)]
    for column in columns:
        column[::2] = column[0]
    joint = np.column_stack([*columns] if stratum is None else [stratum, *columns])
    distinct, kinds, counts = np.unique(joint, axis=0, return_inverse=True, return_counts=True)
    position, found = data_columns.collapsed(columns, [size] * 4, stratum)
    order = np.lexsort(joint[position].T[::-1])
    assert (joint[position][order] == distinct).all()
    assert (found[order] == counts).all()
    position, kind = data_columns.numbered([stratum, *columns])
    assert (joint[position] == distinct).all()
    assert (kind == kinds.reshape(-1)).all()
    position, kind = data_columns.numbered([column - 1 for column in columns])  # where -1 stands for none
    assert (joint[position[kind]][:, -4:] == joint[:, -4:]).all()
