"""What a value is, and what of it stays exact: one test for each way in which values were merged or lost."""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import json
import uuid
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bestby import Study, compare, compare_datasets, compare_folds, compare_runs, read
from bestby._core.errors import InvalidInputError
from bestby.data.arrays import identifiers, label_column
from bestby.data.columns import Column, column_of_texts
from bestby.data.common_labels import label_codes
from bestby.data.evaluation import Evaluation
from bestby.data.layouts.evaluations import evaluation_of_frame
from bestby.data.layouts.options import TableOptions
from bestby.data.values import Rule, key_of, read_together

FEW: dict[str, Any] = {"metric": "accuracy", "n_resamples": 20, "test": "sign"}


def scores(data: Any, gold: Any = None, **more: Any) -> dict[str, float]:
    return {entry.system: entry.score for entry in compare(data, gold, **FEW, **more).systems}


@pytest.mark.parametrize(
    ("value", "key"),
    [
        ("1", 1), ("+1", 1), ("1.", 1), ("1.000", 1), ("-0.0", 0), ("1e3", 1000), (".5", 0.5), ("5e-1", 0.5),
        ("01", "01"), ("1_0", "1_0"), ("٣", "٣"), ("", ""), ("0x1", "0x1"), ("1e", "1e"),
        ("9007199254740993", 2**53 + 1), ("9007199254740993.0", 2**53 + 1), ("1e19", 10**19),
        (2.0**53, 2**53), (np.int8(3), 3), (np.True_, 1), ("FALSE", 0), (decimal.Decimal("1.50"), 1.5),
        (decimal.Decimal(10**30 + 1), 10**30 + 1), (decimal.Decimal("2.00"), 2),
    ],
)  # fmt: skip
def test_what_a_value_is(value: Any, key: Any) -> None:
    assert key_of(value) == key
    assert isinstance(key_of(value), type(key))


@pytest.mark.parametrize(
    ("gold", "kind"),
    [
        ("1 2 1", "numbers"), ("1 1.0 2", "numbers"), ("0.5 2e3", "numbers"), ("true False", "booleans"),
        ("1 x", "text"), ("01 2", "text"), ("true x", "text"), ("1.1 1.10", "codes"), ("12e1 120", "codes"),
        (".5 0.5", "codes"), ("1 true", "codes"),
    ],
)  # fmt: skip
def test_the_gold_alone_says_how_values_are_read(gold: str, kind: str) -> None:
    assert Rule.of(column_of_texts(gold.split())).kind == kind


def test_labels_of_text_keep_the_spelling_of_the_gold() -> None:
    gold, systems, _ = read_together(
        column_of_texts(["1.0", "true", "x"]), {"a": column_of_texts(["1", "TRUE", "y"])}
    )
    assert gold is not None
    assert gold.values.tolist() == ["1.0", "true", "x"]
    assert systems["a"].values.tolist() == ["1.0", "true", "y"]


def test_reading_twice_changes_nothing() -> None:
    for texts in (["1", "1.0", "x"], ["1.1", "1.10", "2.0"], ["True", "false", "1"], ["0.50", "1e3", "2"]):
        once, systems, _ = read_together(column_of_texts(texts), {"a": column_of_texts(texts[::-1])})
        again, twice, merged = read_together(once, systems, strings=True)
        assert once is not None
        assert again is not None
        assert again.values.tolist() == once.values.tolist()
        assert twice["a"].values.tolist() == systems["a"].values.tolist()
        assert not merged


def test_scores_of_labels_stay_numbers_whatever_other_systems_hold() -> None:
    gold = column_of_texts(["yes", "no", "yes"])
    scored, labels = column_of_texts(["0.7", "0.2", "1"]), column_of_texts(["yes", "0.5", "no"])
    _, systems, _ = read_together(gold, {"a": scored, "b": labels})
    assert systems["a"].values.tolist() == [0.7, 0.2, 1.0]
    assert systems["b"].values.tolist() == ["yes", "0.5", "no"]


def test_labels_are_sorted_as_numbers_beside_texts() -> None:
    labels, (gold, a) = label_codes([np.array([2, 10, 100]), np.array(["10", "?", "9.5"])])
    assert labels.tolist() == ["2", "9.5", "10", "100", "?"]
    assert (gold.tolist(), a.tolist()) == ([0, 2, 3], [2, 4, 1])


def test_whole_numbers_and_floats_are_compared_exactly() -> None:
    gold = np.array([2**53 + 1, 1, 2])
    assert scores({"a": np.array([2.0**53, 1, 2]), "b": gold}, gold) == {"a": pytest.approx(2 / 3), "b": 1.0}
    mixed = [np.array([2**64 - 1], dtype=np.uint64), np.array([-1])]
    assert label_codes(mixed)[0].tolist() == ["-1", str(2**64 - 1)]


@pytest.mark.parametrize("stream", [None, True])
def test_decimals_of_parquet_are_exact(tmp_path: Path, stream: bool | None) -> None:
    gold = [10**18 + i % 3 for i in range(12)]
    columns = {"gold": gold, "a": [value + 1 for value in gold], "b": gold}
    for kind in (pa.decimal128(38, 0), pa.decimal128(38, 2), pa.uint64()):
        values = {
            name: pa.array(
                [decimal.Decimal(v) for v in column] if pa.types.is_decimal(kind) else column, kind
            )
            for name, column in columns.items()
        }
        pq.write_table(pa.table(values), tmp_path / "t.parquet")
        data = read(tmp_path / "t.parquet", gold="gold", systems=["a", "b"], stream=stream)
        assert scores(data) == {"a": pytest.approx(0.0), "b": 1.0}
        if stream is None:
            frame = pa.table(values)
            assert scores(frame, "gold") == scores(pl.DataFrame(frame), "gold") == {"a": 0.0, "b": 1.0}


def test_ids_of_decimals_are_exact(tmp_path: Path) -> None:
    ids = pa.array([decimal.Decimal(10**30 + i) for i in range(4)], pa.decimal128(38, 0))
    pq.write_table(
        pa.table({"id": ids, "gold": [0, 1, 0, 1], "a": [0, 1, 0, 1], "b": [0, 0, 0, 1]}),
        tmp_path / "t.parquet",
    )
    data = read(tmp_path / "t.parquet", gold="gold", items="id")
    assert data.items is not None
    assert data.items.tolist()[0] == str(10**30)


@pytest.mark.parametrize(
    "maker",
    [pl.DataFrame, pa.table, lambda data: pd.DataFrame({k: pd.array(v, "Int64") for k, v in data.items()})],
)
def test_whole_numbers_stay_exact_where_one_is_missing(maker: Any) -> None:
    gold = [2**53 + 1, 1, 2, 2]
    frame = maker({"gold": gold, "a": [2**53, 1, None, 2], "b": gold})
    found = evaluation_of_frame(frame, TableOptions.of("gold", on_missing="drop"))
    assert found.systems["a"].tolist() == [2**53, 1, 2]
    assert scores(found)["a"] == pytest.approx(2 / 3)


def test_floats_that_cannot_hold_the_labels_are_refused() -> None:
    frame = pd.DataFrame({"gold": [2**53 + 1, 1, 2], "a": [2**53 + 1, 1, None], "b": [2**53 + 1, 1, 2]})
    with pytest.raises(
        InvalidInputError, match="column 'a' holds whole numbers as floats because a value is"
    ):
        compare(frame, "gold", on_missing="drop")


def test_capitals_tell_columns_apart(tmp_path: Path) -> None:
    columns = {"gold": ["x", "y", "x", "y"], "sys": ["x", "y", "x", "x"], "SYS": ["x", "x", "y", "x"]}
    nested = {"more": [{"sys": 1}] * 4}
    pq.write_table(pa.table({**nested, **columns}), tmp_path / "t.parquet")
    lines = [json.dumps(dict(zip(columns, row, strict=True))) for row in zip(*columns.values(), strict=True)]
    (tmp_path / "t.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for name in ("t.parquet", "t.jsonl"):
        for stream in (None, True):
            data = read(tmp_path / name, gold="gold", systems=["sys", "SYS"], stream=stream)
            assert scores(data) == {"sys": 0.75, "SYS": 0.25}


def test_capitals_in_several_files_of_one_table(tmp_path: Path) -> None:
    columns = {"gold": ["x", "y"], "sys": ["x", "y"], "SYS": ["y", "y"]}
    pq.write_table(pa.table(columns), tmp_path / "1.parquet")
    pq.write_table(pa.table(dict(reversed(columns.items()))), tmp_path / "2.parquet")
    for stream in (None, True):
        data = read(tmp_path, gold="gold", systems=["sys", "SYS"], stream=stream)
        assert scores(data) == {"sys": 1.0, "SYS": 0.5}


def test_a_nul_is_refused() -> None:
    for values in (["a\0", "b"], np.array(["a\0", "b"], dtype=object), pd.Series(["a\0", "b"])):
        with pytest.raises(InvalidInputError, match="system 'x' holds a NUL character at position 0"):
            compare({"x": values, "y": ["a", "b"]}, ["a", "b"])


DAYS = [dt.date(2024, 1, 30 + i) for i in (0, 1)] + [dt.date(2024, 2, 1 + i) for i in (0, 1)]


def test_dates_are_ids_and_groups_on_all_paths(tmp_path: Path) -> None:
    columns = {
        "id": DAYS,
        "cluster": [DAYS[0], DAYS[0], DAYS[1], DAYS[1]],
        "gold": DAYS,
        "a": DAYS,
        "b": DAYS[:3] + DAYS[:1],
    }
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    pl.DataFrame(columns).write_csv(tmp_path / "t.csv")
    stamps = {name: pd.to_datetime(pd.Series(values)) for name, values in columns.items()}
    roles = {"items": "id", "clusters": "cluster"}
    found = [read(tmp_path / name, gold="gold", **roles) for name in ("t.csv", "t.parquet")]
    frames = (pd.DataFrame(columns), pd.DataFrame(stamps), pl.DataFrame(columns), pa.table(columns))
    found += [
        evaluation_of_frame(frame, TableOptions.of("gold", items="id", clusters="cluster"))
        for frame in frames
    ]
    found.append(
        Evaluation.of(
            {name: dict(zip(DAYS, columns[name], strict=True)) for name in "ab"},
            dict(zip(DAYS, DAYS, strict=True)),
            clusters=dict(zip(DAYS, columns["cluster"], strict=True)),
        )
    )
    for data in found:
        assert data.items is not None
        assert data.clusters is not None
        assert data.items.tolist() == [str(day) for day in DAYS]
        assert data.clusters.tolist() == ["2024-01-30"] * 2 + ["2024-01-31"] * 2
        assert scores(data) == {"a": 1.0, "b": 0.75}


def test_times_keep_their_time() -> None:
    frame = pl.DataFrame(
        {
            "at": [dt.datetime(2024, 1, 1, 12), dt.datetime(2024, 1, 2)],
            "gold": [0, 1],
            "a": [0, 1],
            "b": [1, 1],
        }
    )
    found = evaluation_of_frame(frame, TableOptions.of("gold", items="at"))
    assert found.items is not None
    assert found.items.tolist() == ["2024-01-01 12:00:00", "2024-01-02 00:00:00"]


@pytest.mark.parametrize(
    ("ids", "texts"),
    [
        ([2**63 + 1, -1, 5], [str(2**63 + 1), "-1", "5"]),
        ([("q", 1), ("q", 2), ("r", 1)], ["('q', 1)", "('q', 2)", "('r', 1)"]),
        ([1, "a", 2.5], ["1", "a", "2.5"]),
        ([2**53 + 1, 2**53, 0.5], [str(2**53 + 1), str(2**53), "0.5"]),
    ],
)
def test_ids_may_be_anything_that_is_a_key(ids: list[Any], texts: list[str]) -> None:
    values = dict.fromkeys(ids, "x")
    data = Evaluation.of({"a": values, "b": dict(reversed(values.items()))}, values)
    assert data.items is not None
    assert data.items.tolist() == texts


def test_ids_that_are_written_alike_are_refused() -> None:
    with pytest.raises(
        InvalidInputError, match="items holds 1 and '1', which are different but written alike"
    ):
        identifiers([1, "1", 2], "items")


def test_booleans_of_dask_with_one_missing() -> None:
    dd = pytest.importorskip("dask.dataframe", reason="needs dask: pip install 'bestby[dask]'")
    frame = pd.DataFrame(
        {"gold": [True, False] * 10, "a": [True, False] * 9 + [None, True], "b": [True] * 20}
    )
    there = compare(dd.from_pandas(frame, npartitions=3), "gold", on_missing="worst", **FEW)
    here = compare(frame, "gold", on_missing="worst", **FEW)
    assert [(s.system, s.score) for s in there.systems] == [(s.system, s.score) for s in here.systems]


def test_lazy_frames_are_collected() -> None:
    rng = np.random.default_rng(0)
    wide = pl.DataFrame({"dataset": list("pqrst"), "a": rng.random(5), "b": rng.random(5)})
    assert compare_datasets(wide.lazy()).to_json() == compare_datasets(wide).to_json()
    folds = wide.rename({"dataset": "fold"})
    assert compare_folds(folds.lazy()).to_json() == compare_folds(folds).to_json()
    runs = wide.select("a", "b")
    assert compare_runs(runs.lazy(), n_resamples=50).to_json() == compare_runs(runs, n_resamples=50).to_json()


def test_a_study_takes_what_compare_takes(tmp_path: Path) -> None:
    study = Study(tmp_path)
    study.add("a", run=0, predictions=[0, 1, 0, 1], gold=[0, 1, 1, 1], baseline=True)
    study.add("b", run=0, predictions=["0", "UNK", "1.0", "true"])
    study.add("c", run=0, predictions=[False, True, True, True], gold=["0", "1.0", "true", True])
    found = study.compare(**{**FEW, "test": "auto"})
    assert {name: found.score(name).runs for name in "abc"} == {"a": (0.75,), "b": (0.75,), "c": (1.0,)}
    assert study.export_outcomes(tmp_path / "outcomes.json") == ("0", "1", "UNK")
    with pytest.raises(InvalidInputError, match="the gold of item 3 is 1 in the study, 'x' in the new gold"):
        study.add("d", run=0, predictions=[0, 1, 0, 1], gold=[0, 1, 1, "x"])


def test_functions_of_the_user_get_the_values_as_they_were() -> None:
    seen: set[str] = set()

    def parsed(gold: Any, predictions: Any) -> float:
        seen.update(predictions.tolist())
        return float(
            np.mean([str(g) == p.removesuffix(".0") for g, p in zip(gold, predictions, strict=True)])
        )

    compare({"a": ["1.0", "TRUE", "2"], "b": ["1", "2.0", "x"]}, [1, 2, 2], metric=parsed, n_resamples=20)
    assert seen == {"1.0", "TRUE", "2", "1", "2.0", "x"}


def test_white_space_is_no_part_of_a_number_in_batches(tmp_path: Path) -> None:
    from bestby.readers import counting

    rows = "".join(f"i{i},\t0.{i % 10}\t, 0.{i % 7}\u00a0\n" for i in range(40))
    (tmp_path / "t.csv").write_text("id,a,b\n" + rows, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "MOST_CELLS", 0)
        streamed = compare(read(tmp_path / "t.csv", stream=True), n_resamples=20)
    whole = compare(read(tmp_path / "t.csv"), n_resamples=20)
    for one, other in zip(streamed.systems, whole.systems, strict=True):
        assert one.score == pytest.approx(other.score, abs=1e-12)


def test_the_shared_gold_is_compared_by_value(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(
        '{"id":1,"gold":true,"prediction":true}\n{"id":2,"gold":false,"prediction":1}\n'
    )
    (tmp_path / "b.csv").write_text("id,gold,prediction\n1,true,0\n2,False,0\n")
    data = read({"a": tmp_path / "a.jsonl", "b": tmp_path / "b.csv"}, gold="gold")
    assert scores(data) == {"a": 0.5, "b": 0.5}
    (tmp_path / "b.csv").write_text("id,gold,prediction\n1,true,0\n2,true,0\n")
    with pytest.raises(InvalidInputError, match="the gold of item '2' is 'False' here and 'true' there"):
        read({"a": tmp_path / "a.jsonl", "b": tmp_path / "b.csv"}, gold="gold")


def test_text_under_a_metric_of_numbers_is_named() -> None:
    with pytest.raises(InvalidInputError, match="system 'b' holds text: 'unknown' at position 1"):
        compare({"a": [1, 2, 3], "b": [1, "unknown", 3]}, [1, 2, 3], metric="mse")


def test_annotators_and_systems_in_two_spellings() -> None:
    from bestby import Annotations

    annotations = Annotations.of([[0, 1, 1], [0, 0, 0], [1, 1, 1]])
    data = Evaluation.of({"a": ["1.0", "0", "1"], "b": [True, False, False]}, annotations)
    assert data.systems["a"].tolist() == [1, 0, 1]


def test_columns_are_text_where_no_type_is_exact() -> None:
    assert label_column([2**64, 1], "it").values.tolist() == [str(2**64), "1"]
    assert label_column([1, 2.5], "it").values.tolist() == [1.0, 2.5]
    missing = Column(np.array([1.0, np.nan]), np.array([False, True]))
    gold, systems, _ = read_together(column_of_texts(["1", "2"]), {"a": missing})
    assert gold is not None
    assert systems["a"].values.dtype.kind == "i"


THIRD_LABEL: dict[str, list[Any]] = {
    "gold": ["true", "false", "unknown"] * 8,
    "a": ["true", "false", "false"] * 8,
    "b": ["true", "true", "true"] * 8,
}


def by_path(path: str, columns: dict[str, list[Any]], folder: Path) -> Any:
    """Return the data as a path of the library gives them: gold, and the systems a and b."""
    gold, a, b = columns["gold"], columns["a"], columns["b"]
    frame = pd.DataFrame(columns)
    if path in ("chosen", "guessed", "stream"):
        frame.to_csv(folder / "t.csv", index=False)
        chosen: Any = None if path == "guessed" else ["a", "b"]
        return read(folder / "t.csv", gold="gold", systems=chosen, stream=True if path == "stream" else None)
    if path == "frame":
        return evaluation_of_frame(frame, TableOptions.of("gold"))
    if path == "long":
        rows = [
            (i, name, gold[i], values[i]) for name, values in (("a", a), ("b", b)) for i in range(len(gold))
        ]
        long = pd.DataFrame(rows, columns=["item", "system", "gold", "prediction"])
        long.to_csv(folder / "t.csv", index=False)
        return read(folder / "t.csv", gold="gold", items="item")
    if path == "files":
        for name in ("a", "b"):
            frame.rename(columns={name: "prediction"})[["gold", "prediction"]].to_csv(
                folder / f"{name}.csv", index=False
            )
        return read({"a": folder / "a.csv", "b": folder / "b.csv"}, gold="gold")
    return Evaluation.of({"a": a, "b": b}, gold)


@pytest.mark.parametrize(
    "path", ["chosen", "guessed", "stream", "frame", "long", "files", "lists", "booleans"]
)
def test_booleans_beside_a_third_label_are_labels(path: str, tmp_path: Path) -> None:
    columns = THIRD_LABEL
    if path == "booleans":
        columns = THIRD_LABEL | {"a": [text == "true" for text in THIRD_LABEL["a"]]}
    assert scores(by_path(path, columns, tmp_path)) == pytest.approx({"a": 2 / 3, "b": 1 / 3})


def test_three_types_of_numbers_are_compared_exactly() -> None:
    gold = np.array([2**53, 2**53 + 1] * 20)
    systems = {
        "a": np.array([2**53] * 40),
        "b": np.array([True, False] * 20),
        "c": np.array([2**63, 2**53] * 20, dtype=np.uint64),
    }
    assert scores(systems, gold) == {"a": 0.5, "b": 0.0, "c": 0.0}
    two = {name: systems[name] for name in "ac"}
    assert scores(two, gold) == {"a": 0.5, "c": 0.0}


D = decimal.Decimal


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([D("0.48"), D("0.5"), D("1.00")], np.array([0.48, 0.5, 1.0])),
        ([D("0.48"), 0.5, 1], np.array([0.48, 0.5, 1.0])),
        ([D("1.00"), D("2"), 3], np.array([1, 2, 3])),
        ([D(2**53 + 1), D(2**53)], np.array([2**53 + 1, 2**53])),
        ([D(2**64 + 1), D(2**64)], np.array([str(2**64 + 1), str(2**64)])),
        ([D("1.10"), "x"], np.array(["1.10", "x"])),
        (pl.Series([D("0.48"), D("1.00")]), np.array([0.48, 1.0])),
        (pa.array([D("0.48"), D("1.00")]), np.array([0.48, 1.0])),
    ],
)
def test_decimals_in_memory_are_numbers(values: Any, expected: Any) -> None:
    read = label_column(values, "system 'a'").values
    assert read.dtype.kind == expected.dtype.kind
    assert read.tolist() == expected.tolist()


def test_metrics_take_decimals_as_the_floats_that_they_spell(tmp_path: Path) -> None:
    floats = {"a": [0.5, 0.25, 1.5, 2.0] * 5, "b": [0.125, 0.5, 1.0, 2.5] * 5}
    decimals = {name: [D(repr(value)) for value in values] for name, values in floats.items()}
    gold = [0.5, 0.5, 1.0, 3.0] * 5
    options: dict[str, Any] = {"n_resamples": 20}
    for metric in ("rmse", "pearson"):
        exact = [D(repr(value)) for value in gold]
        assert [entry.score for entry in compare(decimals, exact, metric=metric, **options).systems] == [
            entry.score for entry in compare(floats, gold, metric=metric, **options).systems
        ]
    ranks = compare(decimals, ["x", "y"] * 10, metric="roc_auc", **options).systems
    assert [entry.score for entry in ranks] == [
        entry.score for entry in compare(floats, ["x", "y"] * 10, metric="roc_auc", **options).systems
    ]
    means = compare(decimals, **options).systems
    assert [entry.score for entry in means] == pytest.approx([np.mean(floats["a"]), np.mean(floats["b"])])
    study = Study(tmp_path / "study")
    for name, values in decimals.items():
        study.add(name, run=0, predictions=values, gold=gold)
    assert [entry.score for entry in study.compare(metric="rmse", **options).systems] == [
        entry.score for entry in compare(floats, gold, metric="rmse", **options).systems
    ]


@pytest.mark.parametrize("nan", [D("NaN"), D("sNaN")])
def test_a_decimal_nan_is_missing(nan: D) -> None:
    values = [nan, D(1), D(0)] + [D(1)] * 9
    with pytest.raises(InvalidInputError, match="missing value at position 0"):
        label_column(values, "system 'a'")
    dropped = scores({"a": values, "b": [1] * 12}, [1] * 12, on_missing="drop")
    assert dropped == pytest.approx({"a": 10 / 11, "b": 1.0})


class Sentiment(str, enum.Enum):  # noqa: UP042 - as before Python 3.11
    NEGATIVE = "neg"
    POSITIVE = "pos"
    NEUTRAL = "neu"


@pytest.mark.parametrize(
    "container",
    [list, pd.Series, lambda values: dict(enumerate(values)), lambda values: np.array(values, dtype=object)],
)
def test_members_of_enumerations_of_text_are_their_values(container: Any) -> None:
    gold, a = [*Sentiment] * 8, [Sentiment.POSITIVE] * 24
    b = ["neg", "pos", "pos"] * 8
    assert scores({"a": container(a), "b": container(b)}, container(gold)) == pytest.approx(
        {"a": 1 / 3, "b": 2 / 3}
    )
    assert label_column([*Sentiment, "x"], "it").values.tolist() == ["neg", "pos", "neu", "x"]
    assert identifiers([*Sentiment], "clusters").tolist() == ["neg", "pos", "neu"]


def test_members_of_other_enumerations_are_refused() -> None:
    colour = enum.Enum("Colour", ["RED", "BLUE"])
    with pytest.raises(InvalidInputError, match="holds members of an enumeration"):
        label_column([*colour] * 3, "gold")
    number = enum.IntEnum("Number", ["ONE", "TWO"])
    assert label_column([*number], "gold").values.tolist() == [1, 2]


@pytest.mark.parametrize("path", ["chosen", "stream", "long", "files", "lists", "study"])
@pytest.mark.parametrize(("gold", "odd"), [([1, 2, 3], "UNK"), (["x", "y", "z"], 7)])
def test_a_system_of_another_type_is_wrong_and_noted(path: str, gold: Any, odd: Any, tmp_path: Path) -> None:
    columns = {"gold": gold * 8, "a": gold * 8, "b": [odd] * 24}
    if path == "study":
        study = Study(tmp_path / "study")
        for name in ("a", "b"):
            study.add(name, run=0, predictions=columns[name], gold=columns["gold"])
        result: Any = study.compare(metric="accuracy", n_resamples=20)
    else:
        result = compare(by_path(path, columns, tmp_path), **FEW)
    assert [entry.score for entry in result.systems] == [1.0, 0.0]
    name = "b, run 0" if path == "study" else "b"
    assert ("no_shared_label", (name,)) in {(note.code, note.about) for note in result.notes}


def test_a_guessed_column_of_another_type_is_refused(tmp_path: Path) -> None:
    columns = {"gold": [1, 2, 3] * 8, "a": [1, 2, 3] * 8, "b": ["UNK"] * 24}
    with pytest.raises(InvalidInputError, match="column 'b' shares no value with the gold; is it a system"):
        by_path("guessed", columns, tmp_path)


@pytest.mark.parametrize("path", ["guessed", "frame"])
def test_guessed_columns_of_fractions_may_be_scores(path: str, tmp_path: Path) -> None:
    columns = {"gold": ["x", "y"] * 12, "a": [0.25, 0.75] * 12, "b": ["x", "y"] * 12}
    data = by_path(path, columns, tmp_path)
    given = {"a": columns["a"], "b": columns["b"]}
    expected = compare(given, columns["gold"], metric="log_loss", n_resamples=20)
    result = compare(data, metric="log_loss", n_resamples=20)
    assert [entry.score for entry in result.systems] == [entry.score for entry in expected.systems]
    with pytest.raises(InvalidInputError, match="roc_auc needs numeric predictions, got text: 'x'"):
        compare(data, metric="roc_auc")
    for odd, other in (([3, 17] * 12, columns["b"]), (columns["a"], ["a sentence", "more"] * 12)):
        refused = {"gold": columns["gold"], "a": odd, "b": other}
        with pytest.raises(InvalidInputError, match="column 'a' shares no value with the gold"):
            by_path(path, refused, tmp_path)


@pytest.mark.parametrize("label", ["True", "true", "1", "1.0"])
def test_a_label_in_brackets_is_named_by_its_value(label: str) -> None:
    gold, booleans = [True, False, True] * 8, [True, True, False] * 8
    options: dict[str, Any] = {"metric": f"f1[{label}]", "n_resamples": 20}
    (expected,) = {entry.score for entry in compare({"a": booleans, "b": booleans}, gold, **options).systems}
    for other in ([int(value) for value in booleans], [str(value) for value in booleans]):
        result = compare({"a": booleans, "b": other}, gold, **options)
        assert [entry.score for entry in result.systems] == [expected, expected]


@pytest.mark.parametrize("container", [list, pd.Series, lambda ids: np.array(ids, dtype=object)])
def test_ids_may_be_uuids(container: Any) -> None:
    ids = [uuid.UUID(int=number) for number in range(12)]
    assert identifiers(container(ids), "items").tolist() == [str(one) for one in ids]
    values = dict.fromkeys(ids, 1) | {ids[0]: 0}
    keyed = Evaluation.of({"a": values, "b": dict.fromkeys(ids, 1)}, dict.fromkeys(ids, 1))
    listed = Evaluation.of({"a": [0] + [1] * 11, "b": [1] * 12}, [1] * 12, items=container(ids))
    frame = pd.DataFrame({"id": ids, "gold": 1, "a": [0] + [1] * 11, "b": 1})
    framed = evaluation_of_frame(
        frame, TableOptions.of("gold", items="id", clusters="id", systems=["a", "b"])
    )
    for evaluation in (keyed, listed, framed):
        assert evaluation.items is not None
        assert evaluation.items.tolist() == [str(one) for one in ids]


def test_ids_without_a_text_of_their_own_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="items holds values of the type object, which are neither"):
        identifiers([object(), object()], "items")
    with pytest.raises(InvalidInputError, match="gold holds values of the type UUID, which are neither"):
        label_column([uuid.UUID(int=0)], "gold")
    with pytest.raises(InvalidInputError, match="different but written alike"):
        identifiers([uuid.UUID(int=0), str(uuid.UUID(int=0))], "items")
