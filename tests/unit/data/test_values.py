"""What a value is: the gold alone says how values are read."""

from __future__ import annotations

import decimal
import enum
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from bestby import Study, compare, compare_datasets, compare_folds, compare_runs, read
from bestby._core.errors import InvalidInputError
from bestby.data.columns import column_of_texts, identifiers, label_column
from bestby.data.evaluation import Evaluation
from bestby.data.layouts.items import evaluation_of_frame
from bestby.data.roles import TableOptions
from bestby.data.values import Rule, key_of, label_codes, read_together

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
    from bestby.readers import large_tables

    rows = "".join(f"i{i},\t0.{i % 10}\t, 0.{i % 7}\u00a0\n" for i in range(40))
    (tmp_path / "t.csv").write_text("id,a,b\n" + rows, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(large_tables, "MOST_CELLS", 0)
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
