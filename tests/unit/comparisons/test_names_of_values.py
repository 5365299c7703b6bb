"""Names tell predictions from scores, scores from other quantities, and a mean from a dataset, everywhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bestby as bb
from bestby.data.roles import are_scores, averages, called_predictions, score_column
from bestby.metrics.directions import is_label

N = 40
RNG = np.random.default_rng(0)
ONE, TWO = ((RNG.random(N) < share).astype(int) for share in (0.5, 0.7))
IDS = [f"q{place}" for place in range(N)]


def codes(result: Any) -> set[str]:
    """Return the codes of the notes on a whole result."""
    return {note.code for note in result.notes}


# -- what names say --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "prediction", "Predictions", "pred", "PRED", "label", "labels", "class", "classes", "output",
        "y_pred", "y_hat", "yhat", "predicted_label", "pred_class", "model_output", "modelOutput", "label_id",
        "answer", "preds_bert", "prediction 2", "class_idx", "predicted_rating",
    ],
)  # fmt: skip
def test_names_of_predictions(name: str) -> None:
    assert are_scores(name) is False
    assert called_predictions(["bert", name]) == [name]


@pytest.mark.parametrize(
    "name",
    ["score", "Score", "is_correct", "passed", "acc", "f1_macro", "answer_correct", "bert_acc", "rougeL"],
)
def test_names_of_scores(name: str) -> None:
    assert are_scores(name) is True


@pytest.mark.parametrize(
    "name", ["bert", "gpt-4", "label_smoothing", "class_weighted", "classifier", "points-2x"]
)
def test_names_of_systems_say_nothing(name: str) -> None:
    assert are_scores(name) is not False
    assert called_predictions(["plain", name]) == []


def test_what_all_names_begin_with_counts() -> None:
    assert called_predictions(["answer_gpt", "answer_t5"]) == ["answer_gpt", "answer_t5"]
    assert called_predictions(["my gold", "my pred"]) == ["my pred"]


def test_columns_of_scores_are_called_so_as_a_whole() -> None:
    assert score_column(["latency_ms", "acc", "score"]) == "score"
    assert score_column(["latency_ms", "f1_macro", "acc"]) == "f1_macro"
    assert score_column(["pass@1", "cost"]) == "pass@1"
    for names in (["a_score", "b_score"], ["score_1", "score_2"], ["old", "new"]):
        assert score_column(names) is None


# -- labels without gold ---------------------------------------------------------------------------


def long(value: str) -> pd.DataFrame:
    """Return a table with a row per item and system."""
    columns = {"item": IDS * 2, "system": ["a"] * N + ["b"] * N, value: [*ONE, *TWO]}
    return pd.DataFrame(columns)


FORMS: dict[str, Callable[..., Any]] = {
    "a mapping": lambda **more: bb.evaluate({"prediction": ONE}, **more),
    "two of a mapping": lambda **more: bb.compare({"a_pred": ONE, "b_pred": TWO}, **more),
    "booleans": lambda **more: bb.compare({"pred_a": ONE > 0, "pred_b": TWO > 0}, **more),
    "by id": lambda **more: bb.compare(
        {n: dict(zip(IDS, x, strict=True)) for n, x in (("label_a", ONE), ("label_b", TWO))}, **more
    ),
    "a frame": lambda **more: bb.compare(pd.DataFrame({"y_pred_a": ONE, "y_pred_b": TWO}), **more),
    "records": lambda **more: bb.evaluate([{"id": i, "output": 1} for i in IDS], **more),
    "a long frame": lambda **more: bb.compare(long("prediction"), **more),
    "a long frame, named": lambda **more: bb.compare(
        long("class"), reading=bb.Reading(system_column="system", value_column="class"), **more
    ),
    "slices": lambda **more: bb.compare_slices(
        {"pred_a": ONE, "pred_b": TWO}, by={"half": np.arange(N) % 2}, **more
    ),
    "a gate": lambda **more: bb.gate({"pred_a": ONE, "pred_b": TWO}, **more),
    "datasets of items": lambda **more: bb.compare_datasets(
        long("prediction").assign(dataset=["x", "y"] * N), gold=None, items="item", **more
    ),
    "folds of items": lambda **more: bb.compare_folds(
        long("prediction").assign(fold=[place % 4 for place in range(N)] * 2), items="item", **more
    ),
    "runs": lambda **more: bb.compare_runs({"pred_a": [0, 1, 1], "pred_b": [1, 0, 1]}, **more),
    "runs of items": lambda **more: bb.compare_runs(
        pd.concat([long("label").assign(run=run) for run in (1, 2)]), items="item", **more
    ),
    "a table of folds": lambda **more: bb.compare_folds({"pred_a": [0, 1, 1], "pred_b": [1, 0, 1]}, **more),
    "a table of datasets": lambda **more: bb.compare_datasets(
        {name: {"pred_a": x, "pred_b": 1 - x} for name, x in (("x", 0), ("y", 1), ("z", 1))}, **more
    ),
    "advice": lambda **more: bb.advise(data={"pred_a": ONE, "pred_b": TWO}, **more),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_predictions_without_gold_are_refused_and_a_metric_is_consent(form: str) -> None:
    with pytest.raises(
        bb.errors.InvalidInputError, match="without gold, systems must be per-item scores"
    ) as error:
        FORMS[form]()
    assert "gold=..." in str(error.value.hint)
    assert 'metric="mean"' in str(error.value.hint)
    FORMS[form](metric="mean")


def test_gold_is_what_predictions_need() -> None:
    assert bb.compare({"pred_a": ONE, "pred_b": TWO}, gold=TWO)["pred_a", "pred_b"].metric == "accuracy"
    named = bb.compare(
        {"pred_a": ONE, "pred_b": TWO}, metric=bb.ScoreMetric("my grade", greater_is_better=False)
    )
    assert named.metrics[0].name == "my grade"


@pytest.mark.parametrize("values", [ONE, ONE > 0, ONE * 4 + 1, ONE / 3])
def test_values_under_any_other_name_are_scores(values: Any) -> None:
    for name in ("bert", "grade", "verdict", "value"):
        assert bb.evaluate({name: values}).metrics[0].name == "mean"


def test_a_gate_asks_what_values_are_that_no_name_tells() -> None:
    data = {"main": ONE, "new": ONE}
    with pytest.raises(
        bb.errors.InvalidInputError, match="no name says that the values of 'main' are scores"
    ):
        bb.gate(data)
    assert bb.gate(data, metric="mean").outcome == "pass"
    assert bb.gate(data, metric=bb.ScoreMetric("points", greater_is_better=True)).outcome == "pass"
    assert bb.gate(data, gold=ONE).outcome == "pass"
    for value in ("score", "correct", "accuracy", "bleu", "krippendorff_alpha"):
        table = long("x").rename(columns={"x": value})
        assert (
            bb.gate(table, reading=bb.Reading(system_column="system", value_column=value)).checks[0].metric
            == "mean"
        )
    assert bb.gate({"acc_main": ONE, "acc_new": ONE}).outcome == "pass"


@pytest.mark.parametrize("word", ["map", "match", "dice", "pass_2", "ROC", "focal_loss"])
def test_a_word_that_is_no_score_only_is_one_by_its_values(word: str, tmp_path: Path) -> None:
    paths = {name: tmp_path / f"{name}_{word}.json" for name in ("main", "new")}

    def gated(values: np.ndarray, **more: Any) -> str:
        for path in paths.values():
            path.write_text(json.dumps({f"q{place}": value for place, value in enumerate(values.tolist())}))
        outcomes = {
            bb.gate({name: np.array(values) for name in (f"main_{word}", f"new_{word}")}, **more).outcome
        }
        return "/".join({bb.gate(bb.read([*paths.values()]), **more).outcome} | outcomes)

    classes = np.arange(N) % 4
    with pytest.raises(bb.errors.InvalidInputError, match="no name says that the values of 'main") as error:
        gated(classes)
    assert 'metric="mean"' in str(error.value.hint)
    assert gated(classes, metric="mean") == "pass"
    assert gated(classes / 4) == "pass"


def test_all_metrics_are_names_of_scores_to_a_gate() -> None:
    for row in bb.list_metrics():
        name = row.name.replace("LABEL", "x")
        assert are_scores(name) or not is_label(name)


# -- columns that are no systems -------------------------------------------------------------------


def log(score: str = "score") -> pd.DataFrame:
    """Return the log of one system, with other quantities."""
    return pd.DataFrame(
        {"id": IDS, score: ONE, "latency_ms": 400.0 + np.arange(N), "cost": np.arange(N) / 1e4}
    )


@pytest.mark.parametrize("score", ["score", "passed", "is_correct", "acc", "F1", "reward"])
def test_a_log_with_scores_is_of_one_system(score: str) -> None:
    result = bb.evaluate(log(score))
    assert [one.system for one in result.systems] == [score]
    (note,) = [note for note in result.notes if note.code == "columns_left_out"]
    assert "latency_ms, cost (quantities of one system?)" in note.message
    with pytest.raises(bb.errors.InvalidInputError, match="at least 2 systems, got 1") as error:
        bb.compare(log(score))
    assert "latency_ms, cost" in str(error.value.hint)
    asked = bb.compare(log(score), systems=[score, "latency_ms", "cost"])  # as the hint says
    assert len(asked.systems) == 3
    assert "columns_left_out" not in codes(asked)
    assert "scales_differ" in codes(asked)


def test_with_gold_columns_are_systems() -> None:
    frame = pd.DataFrame({"id": IDS, "gold": ONE, "match": ONE, "other": TWO})
    assert len(bb.compare(frame, gold="gold").systems) == 2


def test_rows_of_several_systems_are_not_taken_for_one() -> None:
    frame = pd.DataFrame({"model": ["a", "b"] * 20, "correct": ONE})
    with pytest.raises(
        bb.errors.InvalidInputError, match=r"'model' names systems.*no column is called item"
    ) as error:
        bb.evaluate(frame)
    assert "ignore" not in str(error.value.hint)


def test_tables_of_runs_and_datasets_with_one_column_of_scores() -> None:
    runs = pd.DataFrame({"seed": [1, 2, 3], "acc": [0.7, 0.8, 0.75], "runtime": [300, 200, 250]})
    with pytest.raises(bb.errors.InvalidInputError, match="got 1: acc") as error:
        bb.compare_runs(runs)
    assert "runtime" in str(error.value.hint)
    assert "scales_differ" in codes(bb.compare_runs(runs, systems=["acc", "runtime"], metric="acc"))
    for compare, name in ((bb.compare_datasets, "dataset"), (bb.compare_folds, "fold")):
        table = runs.rename(columns={"seed": name})
        with pytest.raises(bb.errors.InvalidInputError, match="'acc' holds the scores of one system"):
            compare(table)
        assert "scales_differ" in codes(compare(table, systems=["acc", "runtime"]))


def files(folder: Path, **frames: pd.DataFrame) -> list[str]:
    """Write one file per system."""
    for name, frame in frames.items():
        frame.to_csv(folder / f"{name}.csv", index=False)
    return [str(folder / f"{name}.csv") for name in frames]


def test_files_of_one_system_each(tmp_path: Path) -> None:
    result = bb.compare(bb.read(files(tmp_path, a=log("acc"), b=log("acc"))))
    assert [one.system for one in result.systems] == ["a", "b"]
    assert "columns_left_out" in codes(result)
    two = log("acc").assign(f1=TWO)
    turned = two[["id", "f1", "acc", "cost"]]
    paths = files(tmp_path, c=two, d=turned)
    with pytest.raises(bb.errors.InvalidInputError, match="in column 'acc' of") as error:
        bb.read(paths)
    assert error.value.hint is not None
    assert bb.compare(bb.read(paths, reading=bb.Reading(value_column="acc")))["c", "d"].estimate == 0.0


@pytest.mark.parametrize("column", ["prediction", "pred", "label", "y_pred"])
def test_files_of_predictions(tmp_path: Path, column: str) -> None:
    frame = pd.DataFrame({"id": IDS, column: ONE})
    paths = files(tmp_path, old=frame, new=frame)
    for compare in (bb.compare, bb.gate):
        with pytest.raises(bb.errors.InvalidInputError, match=f"the values of 'old' are called '{column}'"):
            compare(bb.read(paths))
    assert bb.gate(bb.read(paths), metric="mean").outcome == "pass"


def test_the_name_of_a_file_counts_where_its_column_says_nothing(tmp_path: Path) -> None:
    for name, header in (("labels_a.txt", ""), ("predictions_b.txt", ""), ("preds.csv", "score\n")):
        (tmp_path / name).write_text(header + "\n".join(map(str, ONE)) + "\n", encoding="utf-8")
    with pytest.raises(bb.errors.InvalidInputError, match="'a' are called 'labels_a'"):
        bb.compare(bb.read({"a": tmp_path / "labels_a.txt", "b": tmp_path / "predictions_b.txt"}))
    assert bb.evaluate(bb.read({"preds": tmp_path / "preds.csv"})).systems[0].score == ONE.mean()


# -- scales ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("compare", [bb.compare, bb.evaluate, lambda data: bb.gate(data, metric="mean")])
def test_shares_beside_percentages_are_noted(compare: Callable[[Any], Any]) -> None:
    assert "mixed_percent" in codes(compare({"a": ONE, "b": 100 * TWO}))
    assert "scales_differ" in codes(compare({"a": ONE, "ms": 400.0 + TWO}))
    assert codes(compare({"a": ONE, "b": TWO})).isdisjoint({"mixed_percent", "scales_differ"})


def test_scales_of_runs_folds_and_datasets() -> None:
    low, high = [0.7, 0.72, 0.71], [70.0, 73.0, 71.0]
    assert "mixed_percent" in codes(bb.compare_runs({"a": low, "b": high}))
    assert "mixed_percent" in codes(bb.compare_folds({"a": low, "b": high}))
    rows = {name: {"a": a, "b": b} for name, a, b in zip("xyz", low, high, strict=True)}
    assert "mixed_percent" in codes(bb.compare_datasets(rows))


# -- means among datasets --------------------------------------------------------------------------

ROWS = {"x": {"a": 70.1, "b": 71.2}, "y": {"a": 65.3, "b": 66.0}, "z": {"a": 80.2, "b": 81.9}}
MEAN = {"a": 71.9, "b": 73.0}


@pytest.mark.parametrize(
    "name", ["Average", "AVG", "Avg.", "mean", "Overall", "Total", "Macro avg", "Average score"]
)
def test_a_row_that_is_the_mean_of_the_others_is_no_dataset(name: str) -> None:
    result = bb.compare_datasets({**ROWS, name: MEAN})
    assert result.datasets == ("x", "y", "z")
    (note,) = [note for note in result.notes if note.code == "average_left_out"]
    assert note.message.startswith(f"dataset '{name}' is the mean of the others")
    assert f"{name} of these" in note.message
    assert len(bb.compare_datasets({**ROWS, f"{name} of these": MEAN}).datasets) == 4  # as the note says


@pytest.mark.parametrize("row", [{"a": 71.9, "b": 74.0}, {"a": 60.0, "b": 73.0}])
def test_a_dataset_of_that_name_that_is_no_mean_stays(row: dict[str, float]) -> None:
    assert len(bb.compare_datasets({**ROWS, "Overall": row}).datasets) == 4
    assert averages({**ROWS, "Overall": row}) == []


def test_means_in_all_forms_of_tables(tmp_path: Path) -> None:
    table = {**ROWS, "Average": MEAN}
    wide = pd.DataFrame.from_dict(table, orient="index").rename_axis("dataset").reset_index()
    long_table = wide.melt("dataset", var_name="system", value_name="score")
    for frame in (wide, long_table):
        assert len(bb.compare_datasets(frame).datasets) == 3
        (path,) = files(tmp_path, table=frame)
        assert "average_left_out" in codes(bb.compare_datasets(bb.read_datasets(path)))
    by_system = {name: {dataset: row[name] for dataset, row in table.items()} for name in ("a", "b")}
    assert len(bb.compare_datasets(by_system, outer="system").datasets) == 3
    items = bb.compare(wide, items="dataset")
    assert (items.n_items, "average_left_out" in codes(items)) == (3, True)
    assert bb.compare(by_system).n_items == 3
    of_systems = bb.compare_datasets(
        {name: {**row, "mean": (row["a"] + row["b"]) / 2} for name, row in ROWS.items()}
    )
    assert set(of_systems.systems) == {"a", "b"}
    runs = {name: {s: [x - 0.5, x, x + 0.5] for s, x in row.items()} for name, row in table.items()}
    assert bb.compare_datasets(runs).datasets == ("x", "y", "z")


def test_means_among_runs_and_folds() -> None:
    rows = {"seed": [1, 2, 3, "mean"], "a": [0.7, 0.72, 0.71, 0.71], "b": [0.8, 0.79, 0.82, 0.803]}
    result = bb.compare_runs(pd.DataFrame(rows))
    assert "average_left_out" in codes(result)
    assert all(one.n_runs == 3 for one in result.systems)
    folds = pd.DataFrame(rows).rename(columns={"seed": "fold"})
    with pytest.raises(bb.errors.InvalidInputError, match="fold 'mean' is the mean of the others"):
        bb.compare_folds(folds)
    bb.compare_folds(folds[:3])  # as the hint says


# -- precision -------------------------------------------------------------------------------------


@pytest.mark.parametrize("values", [RNG.random(N), np.tile([0.1, 0.2, 0.3, 0.7], 10)])
def test_scores_in_single_precision_are_no_other_scores(values: Any) -> None:
    single = values.astype(np.float32)
    text = [float(str(one)) for one in single]
    for other in (single, single.astype(np.float64), np.array(text)):
        result = bb.compare({"single": other, "double": values})
        assert result["single", "double"].estimate == 0.0
        assert "identical" in codes(result) or result["single", "double"].p_value == 1.0
    gold = values + 0.1
    assert bb.compare({"a": single, "b": values}, gold=gold, metric="mae")["a", "b"].estimate == 0.0
    assert bb.compare_runs({"a": single[:5], "b": values[:5]})["a", "b"].estimate == 0.0
    assert bb.compare_folds({"a": single[:5], "b": values[:5]})["a", "b"].estimate == 0.0
    rows = {str(i): {"a": single[i], "b": values[i]} for i in range(5)}
    assert bb.compare_datasets(rows)["a", "b"].estimate == 0.0


def test_small_differences_of_other_scores_stay() -> None:
    values = RNG.random(N)
    assert bb.compare({"a": values, "b": values + 1e-9})["a", "b"].estimate != 0.0
    whole = np.round(values, 2)
    assert bb.compare({"a": whole, "b": whole + 1e-9})["a", "b"].estimate != 0.0
    large = np.arange(N) + 12345678.0
    assert bb.compare({"a": large, "b": large + 0.25})["a", "b"].estimate == pytest.approx(-0.25, abs=1e-6)


# -- samples of two ---------------------------------------------------------------------------------


@pytest.mark.parametrize("pair", [tuple, list])
def test_two_samples_are_no_number_of_samples(pair: Any) -> None:
    one, two = (
        [pair((int(x), int(y))) for x, y in zip(system, ONE[::-1], strict=True)] for system in (ONE, TWO)
    )
    with pytest.raises(bb.errors.InvalidInputError, match="are they the answers of two samples") as error:
        bb.compare({"a": one, "b": two}, metric="pass@1")
    assert "(2, sum(pair))" in str(error.value.hint)
    counted = {"a": [(2, sum(x)) for x in one], "b": [(2, sum(x)) for x in two]}  # as the hint says
    assert bb.compare(counted, metric="pass@1").n_items == N


def test_columns_of_samples_and_right_ones_say_what_they_are(tmp_path: Path) -> None:
    paths = files(
        tmp_path, a=pd.DataFrame({"id": IDS, "n": 1, "c": ONE}), b=pd.DataFrame({"id": IDS, "n": 1, "c": TWO})
    )
    assert bb.compare(bb.read(paths))["a", "b"].estimate == pytest.approx(ONE.mean() - TWO.mean())


def test_series_and_endings_of_files_have_names_too(tmp_path: Path) -> None:
    labels = pd.Series([0, 1, 1, 0, 2] * 4, name="prediction")
    with pytest.raises(bb.errors.InvalidInputError, match="the values of 'a' are called 'prediction'"):
        bb.evaluate({"a": labels})
    assert bb.evaluate({"a": labels}, metric="mean").systems[0].score == pytest.approx(0.8)
    path = tmp_path / "a.pred"
    path.write_text("0\n1\n2\n")
    with pytest.raises(bb.errors.InvalidInputError, match=r"called 'a\.pred'"):
        bb.evaluate(bb.read({"x": path}))


def test_quantities_among_the_systems_are_named() -> None:
    scores = {
        "base_acc": [0.5, 1.0, 0.0, 1.0],
        "new_acc": [1.0, 1.0, 0.5, 1.0],
        "seconds": [0.1, 0.2, 0.9, 0.3],
    }
    notes = [note for note in bb.compare(scores).notes if note.code == "quantities"]
    assert [note.about for note in notes] == [("seconds",)]
    assert not any(
        note.code == "quantities" for note in bb.compare(scores, reading=bb.Reading(ignore="seconds")).notes
    )


def test_a_mean_beside_a_spread_is_no_dataset() -> None:
    rows = {"qa": {"a": 0.5, "b": 0.7}, "nli": {"a": 0.8, "b": 0.9}, "Mean": {"a": 0.65, "b": 0.8}}
    assert averages({**rows, "Std": {"a": 0.15, "b": 0.1}, "Median": {"a": 0.65, "b": 0.8}}) == ["Mean"]


def test_losses_are_no_percentages() -> None:
    small, large = [0.02, 0.05, 0.08, 0.01] * 4, [2.4, 0.9, 3.1, 1.5] * 4
    assert {note.code for note in bb.compare({"a": small, "b": large}).notes}.isdisjoint({"mixed_percent"})


@pytest.mark.parametrize("metric", ["log_loss", "brier", "ece"])
def test_probabilities_in_single_precision_are_no_difference(metric: str) -> None:
    gold = [0, 1, 1, 0] * 10
    double = np.where(gold, 0.9, 0.3)
    double[:10] = 0.1
    for values in (double, np.column_stack([1 - double, double])):
        result = bb.compare({"a": values, "b": values.astype(np.float32)}, gold, metric=metric)
        assert result["a", "b"].estimate == 0.0
