"""The mean difference over these very datasets: from what it is computed, and when it is the answer."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bestby as bb

SIZES = {"news": 40, "talks": 80, "legal": 15}


def answers(seed: int = 0, **right: float) -> dict[str, bb.Evaluation]:
    """Return right and wrong answers of systems on three datasets."""
    rng = np.random.default_rng(seed)
    right = right or {"new": 0.8, "old": 0.6}
    return {
        name: bb.Evaluation.of({s: (rng.random(n) < p).astype(float) for s, p in right.items()})
        for name, n in SIZES.items()
    }


PARTS = answers()


@pytest.fixture(scope="module")
def result() -> bb.results.DatasetComparison:
    return bb.compare_datasets(PARTS, n_resamples=200)


def differences(parts: dict[str, bb.Evaluation]) -> list[Any]:
    return [part.systems["new"] - part.systems["old"] for part in parts.values()]


def test_the_variances_inside_the_datasets_are_added() -> None:
    d = bb.compare_datasets(PARTS, interval="normal", n_resamples=200)["new", "old"]
    values = differences(PARTS)
    parts = [x.var(ddof=1) / x.size for x in values]
    error = math.sqrt(sum(parts)) / 3
    freedom = sum(parts) ** 2 / sum(v**2 / (x.size - 1) for v, x in zip(parts, values, strict=True))
    mean = float(np.mean([x.mean() for x in values]))
    half = stats.t.ppf(0.975, freedom) * error
    assert d.estimate == pytest.approx(mean)
    assert d.standard_error == pytest.approx(error)
    assert (d.interval.low, d.interval.high) == pytest.approx((mean - half, mean + half))
    assert d.p_value == pytest.approx(2 * stats.t.sf(mean / error, freedom))
    assert (d.interval.method, d.test.name) == ("stratified-t", "stratified-t")


@pytest.mark.parametrize("seed", range(1, 7))
@pytest.mark.parametrize("interval", ["auto", "normal"])
def test_the_test_rejects_where_the_interval_excludes_0(seed: int, interval: str) -> None:
    parts = answers(seed, new=0.72, old=0.6)
    d = bb.compare_datasets(parts, interval=interval, n_resamples=200)["new", "old"]
    again = bb.compare_datasets(parts, interval=interval, level=1.0 - d.p_value, n_resamples=200)[
        "new", "old"
    ]
    assert min(abs(again.interval.low), abs(again.interval.high)) < 1e-6


def test_scores_of_one_dataset_twice_are_as_sure_as_twice_the_items() -> None:
    once = PARTS["talks"]
    d = bb.compare_datasets({"x": once, "y": once}, interval="normal", n_resamples=200)["new", "old"]
    inside = bb.compare(once, interval="normal", n_resamples=200)["new", "old"]
    assert d.estimate == pytest.approx(inside.estimate)
    assert d.standard_error == pytest.approx(inside.standard_error / math.sqrt(2), rel=0.01)


RUNS = {name: {"new": [0.7, 0.72, 0.71], "old": [0.6, 0.61, 0.63]} for name in ("x", "y", "z")}
TABLE = {name: {s: runs[0] for s, runs in row.items()} for name, row in RUNS.items()}

QUESTIONS: dict[str, tuple[Callable[[], bb.results.DatasetComparison], str]] = {
    "items": (lambda: bb.compare_datasets(PARTS, n_resamples=50), "items"),
    "runs": (lambda: bb.compare_datasets(RUNS), "runs"),
    "comparisons": (
        lambda: bb.compare_datasets({name: bb.compare(part) for name, part in PARTS.items()}), "items",
    ),
    "scores": (lambda: bb.compare_datasets(TABLE), "datasets"),
    "random": (lambda: bb.compare_datasets(RUNS, datasets="random"), "datasets"),
    "a test over datasets": (lambda: bb.compare_datasets(RUNS, across="t"), "datasets"),
    "many datasets": (
        lambda: bb.compare_datasets({f"{name} {i}": row for name, row in RUNS.items() for i in range(9)}),
        "runs",
    ),
}  # fmt: skip


@pytest.mark.parametrize("data", QUESTIONS)
def test_which_question_is_answered(data: str) -> None:
    made, varying = QUESTIONS[data]
    found = made()
    assert found.varying == varying
    assert found.provenance.settings["datasets"] == ("random" if varying == "datasets" else "fixed")
    name = "stratified" if varying != "datasets" else "t"
    assert all(d.test.name.startswith(name) for d in found.differences)
    assert bb.load(found.to_json()) == found


def test_both_answers_are_kept(result: bb.results.DatasetComparison) -> None:
    random = bb.compare_datasets(PARTS, datasets="random", n_resamples=200)
    macro = {e.resampled: e for e in result.overall if e.average == "macro"}
    assert set(macro) == {"items", "datasets"}
    assert macro["items"].p_value == result["new", "old"].p_value
    assert macro["datasets"].p_value == random["new", "old"].p_value
    assert macro["datasets"].interval == random["new", "old"].interval
    stored = json.loads(result.to_json())["record"]
    assert stored["varying"] == "items"


def test_systems_stand_in_the_order_of_their_means() -> None:
    runs = {"x": {"a": [0.1, 0.11], "b": [0.2, 0.21]}, "y": {"a": [0.1, 0.11], "b": [0.2, 0.21]},
            "z": {"a": [0.9, 0.91], "b": [0.2, 0.21]}}  # fmt: skip
    assert bb.compare_datasets(runs).systems == ("a", "b")
    assert bb.compare_datasets(runs, datasets="random").systems == ("b", "a")
    assert bb.compare_datasets(runs, metric="error_rate").systems == ("b", "a")


def test_copies_and_equal_differences() -> None:
    copies = {
        name: bb.Evaluation.of({"a": p.systems["new"], "b": p.systems["new"]}) for name, p in PARTS.items()
    }
    d = bb.compare_datasets(copies, n_resamples=50)["a", "b"]
    assert (d.p_value, d.interval) == (1.0, None)
    ones = {n: bb.Evaluation.of({"a": np.ones(4), "b": np.zeros(4)}) for n in ("x", "y")}
    d = bb.compare_datasets(ones, n_resamples=50)["a", "b"]
    assert (d.p_value, d.interval) == (2 * 0.5**8, None)
    assert {"constant_difference"} <= {note.code for note in d.notes}


def test_functions_have_an_error_too() -> None:
    rng = np.random.default_rng(3)
    parts = {
        n: bb.Evaluation.of({"a": g + rng.normal(0.3, 1.0, 60), "b": g + rng.normal(0.0, 1.0, 60)}, g)
        for n, g in ((n, rng.normal(0.0, 1.0, 60)) for n in ("x", "y", "z"))
    }

    def mean(gold: Any, predicted: Any) -> float:
        return float(predicted.mean())

    called = bb.compare_datasets(parts, metric=mean, n_resamples=2000)["a", "b"]
    known = bb.compare_datasets(parts, metric=mean, n_resamples=2000, interval="percentile")["a", "b"]
    exact = [p.systems["a"] - p.systems["b"] for p in parts.values()]
    error = math.sqrt(sum(x.var(ddof=1) / x.size for x in exact)) / 3
    assert called.standard_error == pytest.approx(error, rel=0.05)
    assert known.interval == called.interval


def test_clusters_are_kept() -> None:
    clusters = {n: np.arange(p.n_items) // 5 for n, p in PARTS.items()}
    parts = {n: bb.Evaluation.of(dict(p.systems), clusters=clusters[n]) for n, p in PARTS.items()}
    d = bb.compare_datasets(parts, n_resamples=50)["new", "old"]
    inside = [bb.compare(p, n_resamples=50)["new", "old"].standard_error for p in parts.values()]
    assert d.standard_error == pytest.approx(math.sqrt(sum(e**2 for e in inside)) / 3)
    assert d.standard_error_method == "cr2"


def test_a_margin_gives_verdicts() -> None:
    big = answers(new=0.8, old=0.3)
    assert bb.compare_datasets(big, margin=0.1, n_resamples=50)["new", "old"].verdict == "better"
    runs = {n: {"a": [0.7, 0.701, 0.699, 0.7], "b": [0.7, 0.7, 0.701, 0.699]} for n in "xyz"}
    assert bb.compare_datasets(runs, margin=0.05)["a", "b"].verdict == "equivalent"


@pytest.mark.parametrize("skipped", [{"interval": None}, {"test": None}, {"interval": None, "test": None}])
def test_what_is_not_asked_for_is_not_there(skipped: dict[str, None]) -> None:
    found = bb.compare_datasets(PARTS, n_resamples=50, **skipped)
    d = found["new", "old"]
    assert found.varying == "items"
    assert (d.interval is None, d.test is None) == ("interval" in skipped, "test" in skipped)
    assert str(found)


def test_few_items_are_noted() -> None:
    few = {n: bb.Evaluation.of({"a": [0.1, 0.5, 0.3, 0.9], "b": [0.2, 0.1, 0.4, 0.2]}) for n in ("x", "y")}
    found = bb.compare_datasets(few, n_resamples=50)
    assert "few_items" in {note.code for note in (*found.notes, *found["a", "b"].notes)}


FRAME = pd.DataFrame(
    [(d, s, run, x) for d, row in RUNS.items() for s, runs in row.items() for run, x in enumerate(runs)],
    columns=["dataset", "system", "run", "acc"],
)


@pytest.mark.parametrize("runs", [True, False])
def test_the_metric_is_called_as_its_column(tmp_path: Path, runs: bool) -> None:
    frame = FRAME if runs else FRAME[FRAME["run"] == 0].drop(columns="run")
    frame.to_csv(tmp_path / "scores.csv", index=False)
    for data in (frame, bb.read_datasets(tmp_path / "scores.csv")):
        assert bb.compare_datasets(data).metric.name == "acc"
        assert bb.compare_datasets(data, metric="f1").metric.name == "f1"
    assert bb.compare_datasets(frame.rename(columns={"acc": "score"})).metric.name == "score"


# -- what is said ----------------------------------------------------------------------------------


def seeds() -> pd.DataFrame:
    """Return five runs of four systems on three datasets, of which one gains by far the most on one."""
    rng = np.random.default_rng(1)
    rows = []
    for dataset, base, gain in (("sst2", 0.93, 0.01), ("mrpc", 0.88, 0.02), ("rte", 0.72, 0.06)):
        for system, share in (("base", 0.0), ("ours", 1.0), ("ablation", 0.5), ("bert", 0.1)):
            rows += [(dataset, system, run, base + share * gain + rng.normal(0, 0.003)) for run in range(5)]
    return pd.DataFrame(rows, columns=["dataset", "system", "run", "acc"])


def words_of(text: str) -> str:
    return " ".join(text.split())


def test_one_answer_and_the_other_in_one_sentence() -> None:
    result = bb.compare_datasets(seeds())
    text = words_of(str(result))
    assert "ours has the best mean acc" in text
    assert "over these 3 datasets, and differs significantly from all others." in text
    assert "For other datasets like these: no other system can be told apart from ours (paired t-test" in text
    assert "takes the datasets as" not in text
    rows = [line.split() for line in str(result).splitlines()]
    letters = next(row for row in rows if row[:1] == ["mean"])[2::2]
    assert letters == ["a", "b", "c", "d"]
    assert next(row for row in rows if row[:1] == ["rank"]) == ["rank", "1", "2", "3", "4"]
    assert str(result).count("95 % interval") == 1
    sampled = bb.compare_datasets(seeds(), datasets="random")
    assert "For these very datasets: ours differs significantly from all others" in words_of(str(sampled))


def test_two_systems_have_the_p_value_of_the_other_question() -> None:
    text = words_of(str(bb.compare_datasets(seeds(), systems=["ours", "base"])))
    assert "For other datasets like these: ours and base cannot be told apart (paired t-test" in text
    assert "p = 0.20)" in text


def test_many_datasets_are_shown_in_short() -> None:
    rng = np.random.default_rng(2)
    parts = {
        f"task {t}": bb.Evaluation.of(
            {s: (rng.random(200) < p).astype(float) for s, p in {"x": 0.66, "y": 0.62, "z": 0.6}.items()}
        )
        for t in range(57)
    }
    result = bb.compare_datasets(parts, n_resamples=50, test="wald")
    assert len(str(result).splitlines()) <= 60
    assert "of 3 pairs: the mean differs significantly; no single dataset shows it" in words_of(str(result))
    for whole in (result.details(), result.to_markdown(), result.to_html()):
        assert all(f"task {t}" in whole for t in range(57))


def test_the_best_is_bold_in_every_row() -> None:
    result = bb.compare_datasets(seeds())
    rows: dict[str, str] = {}
    for line in result.to_markdown().splitlines():
        rows.setdefault(line.split(" | ")[0], line)
    for dataset in ("sst2", "mrpc", "rte", "mean"):
        assert rows[f"| {dataset}"].split(" | ")[1].startswith("**0.")
        assert rows[f"| {dataset}"].count("**") == 2
    assert result.to_latex(parts="scores").count(r"\textbf{") == 4
    assert result.to_html().count("<b>0.") >= 4


def test_a_file_of_0_2_0_asked_about_datasets_like_these() -> None:
    files = Path(__file__).parents[3] / "golden" / "files_of_0_2_0" / "released"
    for name in ("datasets", "datasets_of_items", "dataset_runs"):
        found = bb.load(files / f"{name}.json")
        assert found.varying == "datasets"
        assert "average rank" in str(found).splitlines()[0]


def test_comparisons_say_whether_their_units_are_items_or_clusters() -> None:
    right, other = np.ones(30, int), np.repeat([0, 1], [1, 29])
    for clusters, what in ((None, "of 90 units"), (np.arange(30) // 2, "of 45 clusters")):
        compared = {name: bb.compare({"a": right, "b": other}, clusters=clusters) for name in ("x", "y", "z")}
        (d,) = bb.compare_datasets(compared, margin=0.2)
        (note,) = (one for one in d.notes if one.code == "unseen_differences")
        assert what in note.message
