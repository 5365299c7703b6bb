"""No verdict of equivalence follows from nothing but the absence of units that differ."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.own_metrics import Credit

import bestby as bb
from bestby.comparisons.family import Bounds, with_equivalence
from bestby.inference.proportions import tango
from bestby.results import Interval

RNG = np.random.default_rng(3)
NOTE = "unseen_differences"


def judged(a: Any, b: Any, **settings: Any) -> bb.results.Difference:
    return bb.compare({"a": a, "b": b}, **{"margin": 0.02, "n_resamples": 199, **settings})["a", "b"]


def codes(d: bb.results.Difference) -> set[str]:
    return {note.code for note in d.notes}


def test_three_equal_scores_show_nothing() -> None:
    d = judged([0.1, 0.5, 0.9], [0.1, 0.5, 0.9])
    assert (d.verdict, d.equivalence_interval) == ("inconclusive", None)
    assert NOTE in codes(d)
    assert d.sentence.endswith("the margin of 0.02: too few units differ to show that others do not.")
    assert "equivalent" not in d.sentence


def test_copies_are_equivalent_from_as_many_items_as_tangos_interval_asks_for() -> None:
    for n, verdict in ((100, "inconclusive"), (140, "equivalent")):
        scores = np.random.default_rng(n).random(n)
        d = judged(scores, scores.copy(), metric=Credit())
        assert d.verdict == verdict
        assert (NOTE in codes(d)) == (verdict == "inconclusive")
        assert d.equivalence_interval is not None
        assert d.equivalence_interval.high == pytest.approx(tango(0, 0, n, 0.9)[1], rel=0.03)


def test_the_interval_of_the_difference_is_left_alone() -> None:
    a = RNG.random(200)
    b = np.where(np.arange(200) < 4, 0.5 * a, a)
    plain, with_margin = (judged(a, b, metric=Credit(), margin=margin) for margin in (None, 0.02))
    assert with_margin.interval == plain.interval
    wide, narrow = (
        with_margin.equivalence_interval,
        judged(a, b, metric=Credit(), margin=None, level=0.9).interval,
    )
    assert wide is not None
    assert narrow is not None
    assert wide.low <= narrow.low < narrow.high < wide.high


def test_without_bounds_six_items_must_differ() -> None:
    a = RNG.normal(size=400)
    for k, verdict in ((5, "inconclusive"), (6, "equivalent")):
        d = judged(a, np.where(np.arange(400) < k, a + 0.01, a), margin=0.5)
        assert (d.verdict, d.equivalence_interval is None) == (verdict, k == 5)
        assert (NOTE in codes(d)) == (k == 5)


def test_differences_on_most_items_speak_for_themselves() -> None:
    a, b = RNG.normal(size=(2, 100))
    d = judged(a, b, margin=1.0, interval="normal")
    narrow = judged(a, b, margin=None, interval="normal", level=0.9).interval
    assert d.equivalence_interval == narrow


def test_better_and_worse_need_no_interval_of_equivalence() -> None:
    a = RNG.normal(size=40)
    d = judged(a, np.where(np.arange(40) < 5, a - 50.0, a), margin=0.1, interval="percentile")
    assert (d.verdict, d.equivalence_interval) == ("inconclusive", None)  # five items carry the interval


def test_copies_under_a_function_of_sums_have_an_interval_and_can_be_equivalent() -> None:
    gold = np.arange(400) % 3
    a = np.where(np.arange(400) % 4 == 0, (gold + 1) % 3, gold)
    for margin, verdict in ((0.05, "equivalent"), (0.001, "inconclusive")):
        d = judged(a, a.copy(), gold=gold, metric="f1_macro", margin=margin)
        assert d.verdict == verdict
        assert d.interval is not None
        assert d.equivalence_interval is not None
        assert d.interval.method == d.equivalence_interval.method == "unseen"
        assert (
            d.interval.low < d.equivalence_interval.low < 0.0 < d.equivalence_interval.high < d.interval.high
        )
        assert "have the same f1_macro: no item sets them apart; the data are compatible with" in d.sentence
        assert "constant_difference" in codes(d)


@pytest.mark.parametrize("metric", ["f1_macro", "matthews_corrcoef", "f1[1]"])
def test_the_bound_of_copies_is_shorter_the_more_units_there_are(metric: str) -> None:
    lengths = []
    for n, groups in ((60, None), (240, None), (240, np.arange(240) // 4)):
        gold = np.arange(n) % 2
        a = np.where(np.arange(n) % 5 == 0, 1 - gold, gold)
        (found,) = bb.compare({"a": a, "b": a.copy()}, gold, metric=metric, clusters=groups)
        assert found.interval is not None
        lengths.append(found.interval.high - found.interval.low)
    assert lengths[1] < lengths[2] < lengths[0] * 1.2
    assert lengths[1] < 0.4 * lengths[0]


def test_where_there_is_no_interval_there_is_none_of_two_one_sided_tests() -> None:
    one = Interval(0.0, 1.0, 0.9, "t", True)

    def bounds(level: float) -> Bounds:
        return (None if level > 0.92 else one), ()

    assert with_equivalence(bounds, 0.95, 0.1) == (None, None, ())


def test_a_rare_class_is_not_known_by_its_two_items() -> None:
    gold = np.array(["x"] * 58 + ["y"] * 2)
    d = judged(gold, gold.copy(), gold=gold, metric="recall[y]", margin=0.5)
    assert (d.verdict, d.interval.method) == ("inconclusive", "tango")
    assert judged(gold, gold.copy(), gold=gold, metric="recall[x]", margin=0.1).verdict == "equivalent"


@pytest.mark.parametrize("how", ["clusters", "strata"])
def test_few_clusters_or_strata(how: str) -> None:
    gold = np.ones(120)
    a = (RNG.random(120) < 0.8).astype(float)
    groups: Any = {how: np.arange(120) // 4}
    d = judged(a, a.copy(), gold=gold, metric="accuracy", margin=0.02, **groups)
    assert (d.verdict, NOTE in codes(d)) == ("inconclusive", True)
    # A cluster could differ on all of its items, a stratum has others.
    assert d.equivalence_interval is not None
    units = 30 if how == "clusters" else 120
    assert d.equivalence_interval.high == pytest.approx(tango(0, 0, units, 0.9)[1], rel=0.1)


def test_ranks_and_functions_have_no_bounds() -> None:
    gold = np.arange(60) % 2
    scores = gold + RNG.normal(size=60)
    other = scores.copy()
    other[0] += 0.5

    def share(gold: Any, predictions: Any) -> float:
        return float(np.mean((predictions > 0.5) == gold))

    for metric in ("roc_auc", share):
        d = judged(scores, other, gold=gold, metric=metric, margin=0.5)
        assert d.verdict == "inconclusive"


def test_folds_runs_and_judgements() -> None:
    same = [0.8, 0.81, 0.79, 0.8, 0.82, 0.8, 0.81, 0.79]
    once = [0.8, 0.81, 0.79, 0.8, 0.82, 0.8, 0.81, 0.791]
    d = bb.compare_folds({"a": once, "b": same}, margin=0.1)["a", "b"]
    assert (d.verdict, d.equivalence_interval, NOTE in codes(d)) == ("inconclusive", None, True)
    r = bb.compare_runs({"a": once, "b": same}, paired=True, margin=0.1)["a", "b"]
    assert (r.verdict, r.equivalence_interval, NOTE in codes(r)) == ("inconclusive", None, True)
    # Score intervals of judgements allow for those that were not seen.
    ties = [("a", "b", "tie")] * 100 + [("a", "b", "a"), ("a", "b", "b")]
    verdicts = [bb.compare_preferences(ties, margin=margin)["a", "b"].verdict for margin in (0.05, 0.2)]
    assert verdicts == ["inconclusive", "equivalent"]


def test_the_mean_over_datasets_is_as_uncertain_as_its_smallest_one() -> None:
    gold = ["x", "y"] * 200
    parts = {
        name: bb.Evaluation.of({"a": gold[:n], "b": gold[:n]}, gold[:n])
        for name, n in (("p", 20), ("q", 400))
    }
    for margin, verdict in ((0.03, "inconclusive"), (0.08, "equivalent")):
        result = bb.compare_datasets(parts, metric="accuracy", margin=margin, n_resamples=99)
        (macro,) = (d for d in result.overall if (d.average, d.resampled) == ("macro", "items"))
        assert macro.verdict == verdict
        assert macro.equivalence_interval is not None
        assert macro.equivalence_interval.high == pytest.approx(2.7 / 40, rel=0.1)
