"""`compare_runs`: what it takes, what it refuses, its choices and notes."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.unit.questions.runs.examples import GOLD, NEW, OLD, PER_ITEM, codes, predictions

from bestby import compare_datasets, compare_runs, read_datasets, read_runs
from bestby.errors import InvalidInputError

# -- items -----------------------------------------------------------------------------------------


def test_predictions_and_gold() -> None:
    result = compare_runs(
        {"good": predictions(0.9, 3, 1), "bad": predictions(0.4, 4, 2)}, gold=GOLD, metric="f1_macro"
    )
    d = result["good", "bad"]
    assert d.metric == "f1_macro"
    assert d.estimate > 0.2
    assert d.interval.method == "crossed-t"
    assert d.test.name == "crossed-t"
    assert (d.n_items, d.n_runs) == (40, (3, 4))
    assert 0 < d.n_differing <= 40
    assert result.extent == "3 to 4 runs of 40 items"
    assert len(result.variances) == 3
    v = result.variance("good", "bad")
    assert v is result.variance("bad", "good")
    assert v.standard_error(runs=math.inf) <= v.standard_error(runs=2) <= v.standard_error()
    assert v.standard_error(items=math.inf) <= v.standard_error(items=2) <= v.standard_error()
    assert v.standard_error(runs=math.inf, items=math.inf) == 0.0
    assert 0.0 <= v.share_of_runs <= 1.0


def test_a_function_as_metric_goes_by_the_bootstrap_of_the_items() -> None:
    def share(gold: np.ndarray, said: np.ndarray) -> float:
        return float((gold == said).mean())

    runs = {"good": predictions(0.9, 3, 1), "bad": predictions(0.4, 3, 2)}
    own = compare_runs(runs, gold=GOLD, metric=share, n_resamples=2000)
    known = compare_runs(runs, gold=GOLD, metric="accuracy")
    assert own["good", "bad"].estimate == pytest.approx(known["good", "bad"].estimate)
    assert own.variance("good", "bad").standard_error() == pytest.approx(
        known.variance("good", "bad").standard_error(), rel=0.1
    )


def test_the_number_of_items_and_of_runs_both_bound_the_interval() -> None:
    """Twenty copies of one run say no more than two, and an item repeated is a cluster."""
    wide = compare_runs({"a": PER_ITEM["a"], "b": PER_ITEM["b"]}).score("a").interval
    items_only = np.vstack([PER_ITEM["a"][0]] * 20)
    found = compare_runs({"a": items_only, "b": PER_ITEM["b"]}).score("a").interval
    se = PER_ITEM["a"][0].std(ddof=1) / math.sqrt(30)
    assert (found.high - found.low) / 2 == pytest.approx(2.045 * se, rel=1e-3)
    assert found.high - found.low > 0.5 * (wide.high - wide.low)
    doubled = {name: np.repeat(rows, 2, axis=1) for name, rows in PER_ITEM.items()}
    clustered = compare_runs(doubled, clusters=np.repeat(np.arange(30), 2))
    assert clustered["a", "b"].interval.low == pytest.approx(compare_runs(PER_ITEM)["a", "b"].interval.low)


def test_the_items_taken_as_given_is_said() -> None:
    assert "items_fixed" in codes(compare_runs(PER_ITEM, test="permutation"))
    assert "items_fixed" not in codes(compare_runs(PER_ITEM))


# -- notes and choices -----------------------------------------------------------------------------


def test_the_test_is_chosen_by_the_number_of_runs_alone() -> None:
    exchanged = compare_runs({"a": OLD, "b": NEW}, test="permutation")["b", "a"].test
    assert exchanged.name == "permutation-2"
    welch = compare_runs({"a": OLD, "b": NEW}, test="t")["b", "a"].test
    larger = exchanged if exchanged.p_value > welch.p_value else welch
    assert compare_runs({"a": OLD, "b": NEW})["b", "a"].test == larger
    few = compare_runs({"a": OLD[:3], "b": NEW[:3]})
    assert few["a", "b"].test.name == "welch"
    assert {"few_runs", "few_runs_for_permutation"} <= codes(few)
    forced = compare_runs({"a": OLD[:3], "b": NEW[:3]}, test="permutation")
    assert forced["a", "b"].test.name == "permutation-2"
    assert "below 0.1:" in next(n.message for n in forced.notes if n.code == "out_of_reach")
    paired = compare_runs({"a": OLD[:5], "b": NEW[:5]}, paired=True)
    assert paired["a", "b"].test.name == "permutation"
    apart = compare_runs(
        {"a": OLD[:5], "b": [x + 0.2 + 0.001 * i for i, x in enumerate(OLD[:5])]}, paired=True
    )
    assert apart["b", "a"].test.name == "hall"  # as all pairs point the same way
    median = compare_runs({"a": OLD[:3], "b": NEW[:3]}, statistic="median")
    assert median["a", "b"].test.name == median["a", "b"].interval.method == "price-bonett"
    assert codes(median) == {"few_runs"}


def test_a_run_that_failed_is_named() -> None:
    """Never by a tie in most runs, which leaves no spread to measure by, nor in fewer than five runs."""
    failed = [0.81, 0.82, 0.80, 0.31, 0.81]
    good = [0.83, 0.84, 0.82, 0.83, 0.84]
    (told,) = [n for n in compare_runs({"u": failed, "v": good}).notes if n.code == "outlying_run"]
    assert told.about == ("score", "u")
    assert told.message.startswith("the run of u with 0.31 lies 34 standard deviations (robust)")
    assert "outlying_run" not in codes(compare_runs({"u": failed[:4], "v": good[:4]}))
    assert "outlying_run" not in codes(compare_runs({"u": [0.8] * 9 + [0.1], "v": [0.8] * 9 + [0.81]}))
    assert "outlying_run" not in codes(compare_runs({"u": OLD, "v": NEW}))
    assert "outlying_run" not in codes(compare_runs({"u": failed, "v": good}, statistic="median"))


@pytest.mark.parametrize(
    ("statistic", "paired", "system", "difference"),
    [
        ("mean", False, "t", "welch"),
        ("mean", True, "t", "t"),
        ("iqm", False, "yuen", "yuen"),
        ("median", False, "percentile", "percentile"),
    ],
)
def test_intervals_by_default(statistic: str, paired: bool, system: str, difference: str) -> None:
    result = compare_runs({"a": OLD, "b": NEW}, statistic=statistic, paired=paired)
    assert result.score("a").interval.method == system
    assert result["a", "b"].interval.method == difference
    assert "short_interval" not in codes(result)
    assert ("short_interval" in codes(compare_runs({"a": OLD, "b": NEW}, interval="bca"))) is True


def test_constant_runs() -> None:
    result = compare_runs({"a": [0.5] * 4, "b": [0.25] * 4})
    d = result["a", "b"]
    assert d.estimate == 0.25
    assert d.p_value == pytest.approx(2 / 70)
    assert math.isnan(d.effect_size)
    assert {"constant_runs", "no_spread"} <= codes(result)


def test_unequal_numbers_that_vary_unequally() -> None:
    runs = {"a": [0.0, 0.1, 0.2, 0.1, 0.15], "b": np.linspace(-3, 3, 12)}
    for test in ("auto", "permutation", "t"):
        result = compare_runs(runs, test=test)
        (note,) = [note for note in result.notes + result["a", "b"].notes if note.code == "unequal_spread"]
        assert note.message.startswith("the runs of b vary 33 times as much as those of a")
    assert "unequal_spread" not in codes(compare_runs(runs, statistic="median"))
    assert "unequal_spread" not in codes(compare_runs({"a": runs["a"], "b": runs["b"] / 20}))


def test_many_comparisons_and_few_resamples() -> None:
    rng = np.random.default_rng(0)
    family = {f"s{i}": rng.normal(size=25) + 5.0 * (i == 4) for i in range(5)}
    assert "few_resamples" in codes(compare_runs(family, n_resamples=99))
    assert "few_resamples" not in codes(compare_runs(family, n_resamples=999))


# -- input -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("test", "paired"),
    [("auto", False), ("t", False), ("brunner-munzel", False), ("auto", True), ("t", True)],
)
def test_more_runs_than_a_float_has_room_for_splits_of(test: str, paired: bool) -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(0.5, 1.0, 1100), rng.normal(size=1100)
    found = compare_runs({"a": a, "b": b}, test=test, paired=paired, n_resamples=99).differences[0]
    assert 0.0 < found.p_value < 0.05
    constant = compare_runs({"a": [1.0] * 1100, "b": [0.0] * 1100}, test="t", paired=paired).differences[0]
    assert 0.0 < constant.p_value < 1e-300


# -- published data --------------------------------------------------------------------------------


def test_a_hundred_seeds_of_bert(shared_data: Any) -> None:
    """McCoy, Min & Linzen (2020): lexical overlap, not entailed; mean and sd are the file's own summary."""
    table = np.genfromtxt(
        shared_data("hans") / "bert_100_seeds_accuracies.csv",
        delimiter=",",
        names=True,
        dtype=None,
        encoding=None,
    )
    names = table.dtype.names
    runs = {names[i]: table[names[i]].astype(float) for i in (5, 6, 7)}
    result = compare_runs(runs, paired=True)
    lexical = result.score(names[5])
    assert lexical.score == pytest.approx(0.276572, abs=5e-7)
    assert lexical.sd == pytest.approx(0.123643, rel=0.006)
    assert [entry.group for entry in result.systems] == ["a", "b", "c"]
    assert all(d.exact and d.p_value < 1e-10 for d in result)


def test_few_clusters_are_told() -> None:
    """As `compare` does: with items and fewer than 50 clusters the intervals tend to be too short."""
    clusters = np.arange(30) // 3
    result = compare_runs(PER_ITEM, clusters=clusters)
    assert [note.code for note in result.notes if "cluster" in note.code] == ["few_clusters"]
    assert "only 10 clusters" in str(result)


def test_no_note_is_given_twice() -> None:
    runs = {"a": np.ones((2, 30), dtype=int), "b": np.zeros((2, 30), dtype=int)}
    notes = compare_runs(runs, gold=np.ones(30, dtype=int), metric="accuracy").notes
    told = [note.about for note in notes if note.code == "no_shared_label"]
    assert told == [("b#0",), ("b#1",)]


def test_a_column_of_scores_is_a_score_per_run():
    flat = {"a": [1.0, 2.0, 3.0, 4.5], "b": [0.5, 1.0, 2.0, 3.5]}
    columns = {name: np.array(scores)[:, None] for name, scores in flat.items()}
    assert compare_runs(columns)["a", "b"] == compare_runs(flat)["a", "b"]


@pytest.mark.parametrize("cell", ["", "NaN", "NA"])
def test_a_row_of_a_run_without_a_score_is_an_error(cell: str, tmp_path: Path) -> None:
    rows = [
        f"{system},{run},{cell if (system, run) == ('a', 2) else 0.5 + run / 10}"
        for system in "ab"
        for run in range(5)
    ]
    path = tmp_path / "runs.csv"
    path.write_text("\n".join(["system,run,score", *rows]), encoding="utf-8")
    with pytest.raises(InvalidInputError, match="run '2' of system 'a' has no score"):
        compare_runs(read_runs(path))
    records = [dict(zip(("system", "run", "score"), row.split(","), strict=True)) for row in rows]
    records[2]["score"] = None
    with pytest.raises(InvalidInputError, match="run '2' of system 'a' has no score"):
        compare_runs(records)
    over = [f"{dataset},{row}" for dataset in "xy" for row in rows]
    path.write_text("\n".join(["dataset,system,run,score", *over]), encoding="utf-8")
    with pytest.raises(InvalidInputError, match="run '2' of system 'a' has no score on dataset 'x'"):
        compare_datasets(read_datasets(path))
    wide = [f"{run},{'' if run == 2 else 0.5 + run / 10},{run / 10}" for run in range(5)]
    path.write_text("\n".join(["run,a,b", *wide]), encoding="utf-8")
    assert [one.n_runs for one in compare_runs(read_runs(path)).systems] == [4, 5]  # "a" has no run 2


def test_asking_for_what_is_not_there() -> None:
    result = compare_runs({"old": OLD, "new": NEW})
    with pytest.raises(InvalidInputError, match="no variances of 'old' minus 'new'"):
        result.variance("old", "new")
    for settings, said in (
        ({"kind": "pie"}, "kind must be one of"),
        ({"metric": "f1"}, "no metric 'f1'"),
        ({"pair": ("old", "new")}, "kind='quantiles' only"),
        ({"kind": "quantiles", "pair": ("old", "old")}, "pair must be the names of two systems"),
        ({"kind": "quantiles", "pair": ("old", "x")}, "no score of 'x'"),
    ):
        with pytest.raises(InvalidInputError, match=said):
            result.plot(**settings)


def test_items_of_several_datasets_are_noted_as_one_test_set() -> None:
    rows = [
        {"system": name, "seed": k, "dataset": "uv"[i % 2], "item": i, "score": chance}
        for (name, k, i), chance in zip(
            itertools.product("ab", range(3), range(8)), np.random.default_rng(3).random(48), strict=True
        )
    ]
    (said,) = (note.message for note in compare_runs(rows).notes if note.code == "datasets_as_one")
    assert said.startswith("the items of 2 datasets (column dataset: u, v) count as one test set")
    one = [row for row in rows if row["dataset"] == "u"]
    assert "datasets_as_one" not in {note.code for note in compare_runs(one).notes}


def test_equal_means_have_no_difference() -> None:
    right = np.array([[1, 1, 0], [1, 0, 0], [1, 1, 1], [0, 1, 0], [1, 0, 1]], dtype=float)
    (d,) = compare_runs({"a": list(right), "b": list(right[::-1])}).differences
    assert (d.estimate, d.effect_size) == (0.0, 0.0)
    (d,) = compare_runs({"a": [0.1, 0.2, 0.3], "b": [0.3, 0.1, 0.2]}).differences
    assert (d.estimate, d.effect_size) == (0.0, 0.0)
