"""`advise`: what it says, from numbers and from data, and what it refuses."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pandas as pd
import pytest
from tests.unit.questions.advice.cases import label_systems

import bestby as bb
from bestby.questions.advice.advise import advise, wrong
from bestby.questions.advice.result import Case

# -- advice ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ({"metric": "f1_macro"}, "a t, sign or Wilcoxon test on f1_macro"),
        ({"metric": "accuracy"}, "a t-test or a normal interval on few items"),
        ({"metric": "mae"}, "letting a test of normality choose the test"),
        ({"metric": "spearman"}, "Fisher's z test of two correlations"),
        ({"metric": "accuracy"}, "an unpaired test"),
        ({"metric": "accuracy", "n_items": 20}, "a bootstrap test"),
        ({"metric": "accuracy", "n_differing": 3}, "reading 'not significant' as 'no difference'"),
        ({"metric": "accuracy", "clustered": True}, "counting the items of one document as independent"),
        ({"n_runs": 5}, "gluing the runs together as if they were more items, or showing the best run"),
        (
            {"n_datasets": 5},
            "counting the datasets with p < 0.05, or calling for the system that wins on most",
        ),
        ({"n_folds": 5}, "an ordinary paired t-test over the folds"),
        ({"n_folds": 2, "n_runs": 5}, "the 5 x 2 cv t-test or F-test"),
        ({"n_systems": 5}, "reading raw p-values of all pairs"),
    ],
)
def test_what_would_be_wrong(arguments: dict[str, object], what: str) -> None:
    assert what in [entry.what for entry in advise(**arguments).wrong]  # type: ignore[arg-type]
    assert what not in [
        entry.what for entry in wrong(Case("accuracy", True, True, True, 500, 90, paired=False))
    ] or (what == "a t-test or a normal interval on few items")


def test_runs_and_folds_are_not_warned_of_what_is_right_there() -> None:
    for entry in (*advise("f1_macro", n_runs=5).wrong, *advise("f1_macro", n_folds=10, n_runs=2).wrong):
        assert "Wilcoxon" not in entry.what
        assert "unpaired" not in entry.what
    assert not any("gluing" in entry.what for entry in advise(n_folds=10, n_runs=2).wrong)


def test_correction_only_where_there_is_more_than_one_comparison() -> None:
    assert advise(n_systems=2).correction == "none"
    assert advise(n_systems=3).correction == "holm"
    assert advise(n_systems=3, n_datasets=6).correction == "holm"


def test_the_interval_waits_for_the_number_of_items_unless_it_does_not_matter() -> None:
    assert advise("f1_macro").interval == "auto"
    assert advise("accuracy").interval == "tango"
    assert advise("accuracy", clustered=True, n_items=900).interval == "hall"
    assert advise("f1_macro", clustered=True, n_items=900).interval == "auto"  # items are not clusters


# -- from data -------------------------------------------------------------------------------------


def test_what_can_be_counted_is_read_off_the_data() -> None:
    systems, gold = label_systems(120, (0.6, 0.7, 0.8))
    case = advise(data=bb.Evaluation.of(systems, gold)).case
    arrays = list(systems.values())
    most = max(int(((a == gold) != (b == gold)).sum()) for a, b in itertools.combinations(arrays, 2))
    assert case == Case("accuracy", True, True, True, 120, most, 3)


def test_clusters_are_counted_where_they_differ() -> None:
    systems, gold = label_systems(120, (0.6, 0.9))
    documents = np.arange(120) // 4
    case = advise(data=bb.Evaluation.of(systems, gold, clusters=documents)).case
    a, b = ((np.asarray(s) == gold).astype(int) for s in systems.values())
    sums = [int(a[documents == d].sum() - b[documents == d].sum()) for d in range(30)]
    assert case.clustered
    assert case.binary
    assert case.n_differing is not None
    assert case.n_differing >= sum(s != 0 for s in sums)
    assert case.n_differing <= 30


def test_scores_that_are_all_0_or_1_are_right_or_wrong() -> None:
    rng = np.random.default_rng(1)
    zeros = {"a": rng.integers(0, 2, 60), "b": rng.integers(0, 2, 60)}
    assert advise(data=bb.Evaluation.of(zeros)).case.binary
    documents = np.arange(60) // 3
    assert advise(data=bb.Evaluation.of(zeros, clusters=documents)).case.binary
    half = {"a": zeros["a"] * 0.5, "b": zeros["b"]}
    assert not advise(data=bb.Evaluation.of(half)).case.binary


def test_ties_of_real_scores_show_in_the_path() -> None:
    rng = np.random.default_rng(2)
    a = rng.normal(size=100)
    tied = a + np.where(np.arange(100) < 20, rng.normal(size=100), 0.0)
    assert advise(data=bb.Evaluation.of({"a": a, "b": tied})).path[-1].answer == "yes"
    assert advise(data=bb.Evaluation.of({"a": a, "b": a + rng.normal(size=100)})).path[-1].answer == "no"


def test_normality_of_real_differences_is_described_for_the_best_pairs_first() -> None:
    rng = np.random.default_rng(3)
    a = rng.normal(size=50)
    data = bb.Evaluation.of({"low": a, "high": a + rng.exponential(size=50), "same": a.copy()})
    advice = advise(data=data)
    assert [(shape.a, shape.b) for shape in advice.shapes] == [("high", "low"), ("high", "same")]
    assert advice.shapes[0].normality == bb.normality(data.systems["high"] - data.systems["low"])
    assert "description only" in str(advice)
    assert advice.to_dict()["normality"][0]["n"] == 50
    systems, gold = label_systems(50, (0.5, 0.6))
    assert advise(data=bb.Evaluation.of(systems, gold)).shapes == ()
    assert advise("f1_macro", data=bb.Evaluation.of(systems, gold)).shapes == ()


@pytest.mark.parametrize("metric", ["accuracy", "f1_macro", "cohen_kappa"])
def test_the_interval_is_the_one_that_compare_makes(metric: str) -> None:
    systems, gold = label_systems(90, (0.6, 0.75), seed=5)
    evaluation = bb.Evaluation.of(systems, gold)
    made = bb.compare(evaluation, metric=metric, n_resamples=200)["s0", "s1"].interval.method
    assert advise(metric, data=evaluation).interval == made


# -- compare(test="auto") --------------------------------------------------------------------------


# -- the page --------------------------------------------------------------------------------------


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("metric", ["accuracy", "f1_macro"])
def test_systems_that_do_not_differ_get_no_praise_of_their_interval(metric: str, clustered: bool) -> None:
    same = {name: np.arange(60) % 2 for name in "ab"}
    data = bb.Evaluation.of(same, np.ones(60, dtype=int), clusters=np.arange(60) // 3 if clustered else None)
    for advice in (
        advise(metric, n_items=500, n_differing=0, clustered=clustered),
        advise(metric, data=data),
    ):
        assert "the systems do not differ" in advice.interval_reason
        assert "keeps its level" not in advice.interval_reason
    more = bb.Evaluation.of({**same, "c": np.arange(60) % 3 % 2}, np.ones(60, dtype=int))
    assert "do not differ" not in advise(metric, data=more).interval_reason


@pytest.mark.parametrize("metric", ["accuracy", "f1_macro"])
def test_too_few_differing_items_are_not_sent_to_the_interval(metric: str) -> None:
    advice = advise(metric, n_items=100, n_differing=3)
    reasons = " ".join(step.reason for step in advice.path)
    assert "0.25 for three. At 5 % they cannot reject." in reasons
    assert "Hall's t test decides" in reasons
    assert "Read the interval" not in reasons
    assert "differ on only 3 units" in advice.interval_reason
    assert "keeps its level" not in advice.interval_reason
    assert any("0.25" in one.why for one in advice.wrong)


def test_data_are_taken_as_compare_takes_them() -> None:
    gold = [1, 0] * 20
    systems = {"a": gold, "b": [1] * 40}
    clusters = [i // 4 for i in range(40)]
    expected = advise(data=bb.Evaluation.of(systems, gold, clusters=clusters))
    frame = pd.DataFrame({**systems, "gold": gold, "cluster": clusters})
    assert advise(data=systems, gold=gold, clusters=clusters) == expected
    for of_frame in (advise(data=frame), advise(data=frame, gold="gold", clusters="cluster")):
        assert dataclasses.replace(of_frame, data_notes=(), provenance=expected.provenance) == expected
        assert of_frame.provenance.data == expected.provenance.data
    assert expected.case.clustered


# -- data frames -----------------------------------------------------------------------------------


def frame_of_systems() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 2, 60)
    a, b = (gold ^ (rng.random(60) < share) for share in (0.1, 0.2))
    return pd.DataFrame({"gold": gold, "a": a, "b": b, "doc": np.arange(60) // 3, "n": range(60)})


def test_a_frame_is_read_as_compare_reads_it_and_the_advice_says_so() -> None:
    frame = frame_of_systems()
    arguments = {"items": "n", "clusters": "doc", "reading": bb.Reading(ignore="c*")}
    advice = advise("accuracy", data=frame.assign(c=1), **arguments)  # type: ignore[arg-type]
    compared = bb.compare(frame.assign(c=1), metric="accuracy", n_resamples=99, **arguments)
    assert advice.notes[0] == compared.notes[0]
    assert advice.notes[0].message.endswith("systems: a, b; gold: gold; item: n; cluster: doc")
    assert advice.provenance.data == compared.provenance.data
    assert advice.provenance.data == {"items": 60, "systems": ["a", "b"], "clusters": 20}
    assert "Note: the data frame was read as a wide table" in str(advice)
    assert bb.load(advice.to_json()) == advice
    chosen = advise("accuracy", data=frame, gold="gold", systems=["b", "a"])
    assert chosen.provenance.data == {"items": 60, "systems": ["b", "a"]}
    every = advise("accuracy", data=frame, reading=bb.Reading(ignore="n"))
    assert every.provenance.data["systems"] == ["a", "b", "doc"]


def test_no_more_items_can_differ_than_there_are() -> None:
    with pytest.raises(bb.errors.InvalidInputError, match="6 of 5 items cannot differ"):
        advise(n_items=5, n_differing=6)
