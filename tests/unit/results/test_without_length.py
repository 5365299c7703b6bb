"""No interval has length zero or undefined ends: it is a bound from unseen units, or None with a note."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import numpy as np
import pytest

import bestby as bb
from bestby import Metric
from bestby.errors import DesignError
from bestby.inference.proportions import tango, wilson, wilson_midp
from bestby.results import Interval, Note
from bestby.results.values import defined, has_length
from bestby.vocabulary import allowed_names

A = [4, 5, 3, 4, 5, 2, 4, 5]
B = [x - 1 for x in A]
GOLD = np.array([0, 1] * 20)
DESIGNS: dict[str, dict[str, Any]] = {
    "plain": {},
    "clusters": {"clusters": np.arange(40) // 4},
    "strata": {"strata": np.arange(40) // 20},
    "crossed": {"clusters": [np.arange(40) % 5, np.arange(40) // 5]},
}
SAMPLED = ("auto", "bca", "abc", "percentile", "basic", "studentized", "normal", "cr2")


def codes(result: Any) -> set[str]:
    return {note.code for note in result.notes}


def ends(interval: Interval | None) -> tuple[float, float]:
    assert interval is not None
    return interval.low, interval.high


# -- the one rule ----------------------------------------------------------------------------------


def test_defined_gives_no_interval_without_length() -> None:
    point = Interval(0.3, 0.1 + 0.2, 0.95, "normal", True)
    assert not has_length(point, 0.3)
    assert defined(point, scale=0.3)[0] is None
    assert [note.code for note in defined(point, scale=0.3)[1]] == ["constant_difference"]
    assert [n.code for n in defined(point, scale=0.3, constant="constant_scores")[1]] == ["constant_scores"]
    short = Interval(0.3, 0.3 + 1e-9, 0.95, "normal", True)
    assert defined(short, scale=0.3) == (short, ())
    half = Interval(0.3, math.inf, 0.95, "normal", True)
    assert defined(half, scale=0.3) == (half, ())


# -- items -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("interval", SAMPLED)
def test_a_constant_difference_of_unbounded_scores(interval: str) -> None:
    d = bb.compare({"A": A, "B": B}, interval=interval, margin=0.5, n_resamples=99).differences[0]
    assert (d.estimate, d.interval, d.verdict) == (1.0, None, "inconclusive")
    assert "constant_difference" in codes(d)
    assert d.sentence.startswith(
        "A has a higher mean than B by 1.000; how sure that is cannot be said from these data."
    )


@pytest.mark.parametrize("design", [{"clusters": [0, 0, 1, 1, 2, 2, 3, 3]}, {"strata": [0] * 4 + [1] * 4}])
def test_a_constant_difference_in_groups(design: Any) -> None:
    assert bb.compare({"A": A, "B": B}, **design).differences[0].interval is None
    shifted = [x - 1 if i < 4 else x - 2 for i, x in enumerate(A)]
    if "strata" in design:  # another constant in each stratum
        assert bb.compare({"A": A, "B": shifted}, **design).differences[0].interval is None


@pytest.mark.parametrize("shift", [1.0, 0.1, 1e-3])
@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_rounding_is_no_length(shift: float, unit: float) -> None:
    scores = unit * np.random.default_rng(0).normal(size=50)
    for interval in SAMPLED:
        d = bb.compare({"A": scores + unit * shift, "B": scores}, interval=interval, n_resamples=99)
        assert d.differences[0].interval is None, interval


def test_simultaneous_intervals_have_a_length_too() -> None:
    scores = np.random.default_rng(1).normal(size=50)
    result = bb.compare({"a": scores, "b": scores + 1.0, "c": scores[::-1]}, correction="simultaneous")
    assert result["a", "b"].interval is None
    assert "constant_difference" in codes(result["a", "b"])
    assert result["a", "c"].interval is not None


def test_constant_scores_of_one_system() -> None:
    result = bb.evaluate({"A": [4.0] * 30})
    assert result.systems[0].interval is None
    assert "constant_scores" in codes(result)


@pytest.mark.parametrize("design", DESIGNS)
def test_bounded_means_keep_a_bound_from_unseen_units(design: str) -> None:
    result = bb.compare({"a": GOLD, "b": GOLD.copy()}, GOLD, metric="accuracy", **DESIGNS[design])
    n = {"clusters": 10, "crossed": 5}.get(design, 40)
    d = result.differences[0]
    assert ends(d.interval) == pytest.approx(tango(0, 0, n))
    for score in result.systems:
        assert ends(score.interval) == pytest.approx(wilson(n, n))
    assert ("constant_difference" in codes(d)) == (design != "plain")


def test_unequal_clusters_are_fewer() -> None:
    sizes = np.array([20, 4, 4, 4, 4, 4])
    result = bb.evaluate({"a": GOLD}, GOLD, metric="accuracy", clusters=np.repeat(np.arange(6), sizes))
    equal = sizes.sum() ** 2 / (sizes @ sizes)
    assert ends(result.systems[0].interval) == pytest.approx(wilson(equal, equal))


def test_any_bounded_value_may_be_unseen() -> None:
    class Half(bb.MeanMetric):
        name = "half"
        bounds = (0.0, 1.0)
        needs_gold = False

        def values(self, gold: Any, predictions: Any) -> Any:  # noqa: ARG002
            return predictions / 2.0

    result = bb.compare({"a": np.full(40, 1.0), "b": np.full(40, 0.5)}, metric=Half())
    share = wilson(0, 40)[1]
    d = result.differences[0]
    assert ends(d.interval) == pytest.approx((0.25 - 1.25 * share, 0.25 + 0.75 * share))
    assert ends(result.score("a").interval) == pytest.approx((0.5 - 0.5 * share, 0.5 + 0.5 * share))
    assert d.interval.method == "unseen"


@pytest.mark.parametrize("metric", ["f1_macro", "f1[1]", "precision[1]", "matthews_corrcoef"])
@pytest.mark.parametrize("design", DESIGNS)
def test_copies_under_structured_metrics_have_a_bound_from_what_an_item_can_do(
    metric: str, design: str
) -> None:
    predicted = np.where(np.arange(40) % 7 == 0, 1 - GOLD, GOLD)
    d = bb.compare({"a": predicted, "b": predicted.copy()}, GOLD, metric=metric, **DESIGNS[design])
    low, high = ends(d.differences[0].interval)
    most = 2.0 if metric == "matthews_corrcoef" else 1.0
    assert -most <= low < -0.02 < 0.02 < high <= most
    assert "constant_difference" in codes(d.differences[0])
    assert "no item sets them apart; the data are compatible with" in d.differences[0].sentence


@pytest.mark.parametrize("design", ["plain", "clusters", "strata"])
@pytest.mark.parametrize("seed", range(5))
def test_agreement_of_constant_predictions_is_0_without_rounding(design: str, seed: int) -> None:
    """Derivatives of a score of 0 that cancel leave last bits, with no score to measure them by."""
    n = 333
    gold = np.random.default_rng(seed).integers(0, 3, n)
    given = (
        {} if design == "plain" else {design: np.arange(n) // 3 if design == "clusters" else np.arange(n) % 2}
    )
    systems = {"A": np.full(n, 0), "B": np.full(n, 1)}
    result = bb.compare(systems, gold, metric="cohen_kappa", interval="normal", n_resamples=99, **given)
    for one in (*result.systems, *result.differences):
        assert (one.interval, one.standard_error) == (None, 0.0)
    assert "constant_scores" in codes(result)
    assert "constant_difference" in codes(result.differences[0])


def test_resamples_that_differ_at_the_ends_alone_are_not_called_constant() -> None:
    def median(gold: Any, predictions: Any) -> float:
        return float(np.median(predictions))

    a = np.r_[np.full(24, 1.0), np.full(16, 2.0)]
    settings: dict[str, Any] = {"metric": median, "interval": "percentile", "n_resamples": 199}
    d = bb.compare({"a": np.roll(np.r_[np.ones(31), np.full(9, 2.0)], 3), "b": np.ones(40)}, a, **settings)
    assert d.differences[0].interval is None
    assert "constant_difference" in codes(d.differences[0])
    d = bb.compare({"a": np.r_[np.ones(28), np.full(12, 2.0)], "b": np.ones(40)}, a, **settings)
    assert d.differences[0].interval is None
    assert "equal_resamples" in codes(d.differences[0])


# -- recall and precision --------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["recall[1]", "precision[1]"])
def test_recall_and_precision_are_proportions(metric: str) -> None:
    result = bb.evaluate({"a": GOLD}, GOLD, metric=metric)
    assert ends(result.systems[0].interval) == pytest.approx(wilson(20, 20))
    predicted = GOLD.copy()
    predicted[[1, 2, 4, 6]] = 1 - predicted[[1, 2, 4, 6]]  # one miss, three false alarms
    interval = bb.evaluate({"a": predicted}, GOLD, metric=metric).systems[0].interval
    assert ends(interval) == pytest.approx(wilson_midp(19, 20 if metric == "recall[1]" else 22))
    assert interval.method == "wilson-midp"  # type: ignore[union-attr]


def test_f1_is_no_proportion() -> None:
    result = bb.evaluate({"a": GOLD}, GOLD, metric="f1[1]")
    assert result.systems[0].interval is None
    assert "constant_scores" in codes(result)


def test_differences_of_recall_are_tangos_within_the_class() -> None:
    a, b = GOLD.copy(), GOLD.copy()
    a[[1, 3]], b[[5, 0, 2]] = 0, [0, 1, 1]
    d = bb.compare({"a": a, "b": b}, GOLD, metric="recall[1]").differences[0]
    assert d.interval.method == "tango"
    assert sorted(map(abs, ends(d.interval))) == pytest.approx(sorted(map(abs, tango(2, 1, 20))))
    assert "on only 3 units" in " ".join(note.message for note in d.notes)
    other = bb.compare({"a": a, "b": b}, GOLD, metric="precision[1]").differences[0]
    assert other.interval.method != "tango"


def test_recall_without_a_difference_within_the_class_says_so() -> None:
    predicted = GOLD.copy()
    predicted[[0, 2]] = 1
    d = bb.compare({"a": GOLD, "b": predicted}, GOLD, metric="recall[1]").differences[0]
    assert (d.estimate, ends(d.interval)) == (0.0, pytest.approx(tango(0, 0, 20)))
    assert "few_differing" in codes(d)


@pytest.mark.parametrize("design", ["clusters", "strata"])
def test_recall_in_groups_keeps_a_bound(design: str) -> None:
    n = {"clusters": 10, "strata": 20}[design]
    result = bb.compare({"a": GOLD, "b": GOLD.copy()}, GOLD, metric="recall[1]", **DESIGNS[design])
    assert ends(result.differences[0].interval) == pytest.approx(tango(0, 0, n))
    assert ends(result.systems[0].interval) == pytest.approx(wilson(n, n))


# -- the other comparisons -------------------------------------------------------------------------


@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.parametrize("interval", allowed_names("interval", "runs"))
@pytest.mark.parametrize("statistic", ["mean", "median", "trimmed_mean"])
def test_runs(statistic: str, interval: str, paired: bool) -> None:
    if interval.startswith("hall") and statistic != "mean":
        with pytest.raises(bb.errors.DesignError, match="allows for the skewness of a mean"):
            bb.compare_runs({"a": [0.8, 0.9], "b": [0.7, 0.6]}, statistic=statistic, interval=interval)
        return
    settings: dict[str, Any] = {
        "statistic": statistic, "interval": interval, "paired": paired, "n_resamples": 99, "margin": 0.005,
    }  # fmt: skip
    same = bb.compare_runs({"a": [0.8] * 5, "b": [0.7] * 5}, **settings)
    assert (same.differences[0].interval, same.differences[0].verdict) == (None, "inconclusive")
    assert [score.interval for score in same.systems] == [None, None]
    assert {"constant_scores"} <= codes(same)
    copies = bb.compare_runs({"a": [0.8] * 5, "b": [0.8] * 5}, **settings).differences[0]
    assert (copies.interval, copies.verdict) == (None, "inconclusive")
    assert {"constant_difference", "identical"} <= codes(copies)


def test_paired_runs_a_step_apart() -> None:
    runs = {"A": [0.80, 0.82, 0.81], "B": [0.79, 0.81, 0.80]}
    d = bb.compare_runs(runs, paired=True, margin=0.005).differences[0]
    assert (d.interval, d.effect_interval, d.verdict) == (None, None, "inconclusive")
    assert d.p_value == 0.25
    assert "how sure that is cannot be said" in d.sentence


def test_identical_runs_on_items() -> None:
    runs = {"a": [np.arange(20.0)] * 3, "b": [np.arange(20.0) - 1.0] * 3}
    d = bb.compare_runs(runs).differences[0]
    assert d.interval is None
    assert "constant_difference" in codes(d)


def test_datasets_and_folds() -> None:
    scores = {"a": [0.8, 0.9, 0.7, 0.85], "b": [0.7, 0.8, 0.6, 0.75]}
    table = {f"d{i}": {"a": scores["a"][i], "b": scores["b"][i]} for i in range(4)}
    copies = {name: {"a": row["a"], "b": row["a"]} for name, row in table.items()}
    for data in (table, copies):
        d = bb.compare_datasets(data, margin=0.05).differences[0]
        assert (d.interval, d.verdict) == (None, "inconclusive")
        assert "the same on all datasets" in " ".join(note.message for note in d.notes)
    for b in (scores["b"], scores["a"]):
        d = bb.compare_folds({"a": scores["a"], "b": b}, margin=0.05).differences[0]
        assert (d.interval, d.verdict) == (None, "inconclusive")
        assert "the same on all folds" in " ".join(note.message for note in d.notes)


def test_pooled_datasets_say_why_there_is_no_interval() -> None:
    rng = np.random.default_rng(3)
    parts = {}
    for name in "xy":
        scores = rng.normal(size=20)
        parts[name] = bb.Evaluation.of({"a": scores + 1.0, "b": scores})
    result = bb.compare_datasets(parts)
    assert [entry.interval for entry in result.overall] == [None] * 4
    told = [note.message for note in result.notes if note.code == "constant_difference"]
    assert [message.split(":")[0] for message in told] == [
        "macro difference, items resampled",
        "micro difference, items resampled",
        "micro difference, datasets resampled",
    ]


def test_a_study(tmp_path: Any) -> None:
    study, gold = bb.Study(tmp_path / "study"), np.arange(20.0)
    for name, shift in (("a", 1.0), ("b", 2.0)):
        for run in range(2):
            study.add(name, run=run, predictions=gold + shift, gold=gold, baseline=name == "a")
    for _ in range(2):  # computed, then read back
        d = study.compare(metric="mae").differences[0]
        assert d.interval is None
        assert "constant_difference" in codes(d)


# -- intervals whose ends are not defined --------------------------------------------------------------

RNG = np.random.default_rng(0)
SHUFFLED = {name: RNG.permutation(np.arange(12.0)) for name in "ab"}


class AtOnePoint(Metric):
    """A metric that has a value for the data, and next to none of their resamples."""

    name = "at_one_point"
    needs_gold = False

    def statistics(self, gold: Any, predictions: Any) -> Any:  # noqa: ARG002
        return np.column_stack([predictions, np.ones(predictions.size)])

    def score(self, totals: Any) -> Any:
        mean = totals[..., 0] / totals[..., 1]
        return np.where(np.abs(mean - 5.5) < 1e-9, mean, np.nan)


def undefined() -> bb.results.Comparison:
    return bb.compare(SHUFFLED, metric=AtOnePoint(), interval="normal", margin=1.0, level=0.9)


def test_no_interval_and_a_note() -> None:
    result = undefined()
    d = result["a", "b"]
    assert d.interval is None
    assert d.level == 0.9
    assert d.verdict == "inconclusive"
    note = next(note for note in d.notes if note.code == "undefined_interval")
    assert note.about == ("at_one_point", "a", "b")
    assert "the uncertainty of this number is unknown" in note.message
    assert d.mirrored().interval is None
    assert [score.interval for score in result.systems] == [None, None]
    about = {note.about for note in result.notes if note.code == "undefined_interval"}
    assert about == {("at_one_point", "a"), ("at_one_point", "b")}


def test_wald_has_no_p_without_a_standard_error() -> None:
    with pytest.raises(DesignError, match="that of at_one_point is undefined on these data"):
        bb.compare(SHUFFLED, metric=AtOnePoint(), interval="percentile", test="wald")


def test_runs_without_variance_have_no_interval_of_the_effect() -> None:
    d = bb.compare_runs({"a": [0.5] * 5, "b": [0.7] * 5}).differences[0]
    assert math.isnan(d.effect_size)
    assert d.effect_interval is None
    assert d.mirrored().effect_interval is None
    assert "no_spread" in [note.code for note in d.notes]


# -- outputs ---------------------------------------------------------------------------------------


RESULTS = {
    "items": lambda: bb.compare({"A": A, "B": B}, margin=0.5),
    "one": lambda: bb.evaluate({"A": [4.0] * 30}),
    "undefined": undefined,
    "runs": lambda: bb.compare_runs({"A": [0.8] * 3, "B": [0.7] * 3}),
    "datasets": lambda: bb.compare_datasets({f"d{i}": {"A": 0.8 + i, "B": 0.7 + i} for i in range(3)}),
    "folds": lambda: bb.compare_folds({"A": [0.8, 0.9, 0.7], "B": [0.7, 0.8, 0.6]}),
}


@pytest.mark.parametrize("kind", RESULTS)
def test_every_output_shows_that_there_is_none(kind: str, tmp_path: Any) -> None:
    result = RESULTS[kind]()
    assert bb.load(result.to_json()) == result
    document = json.loads(result.to_json())
    rows = document.get("differences") or document["systems"]
    assert (rows[0]["low"], rows[0]["high"]) == (None, None)
    frame = result.to_frame() if kind != "one" else result.to_frame("scores")
    assert math.isnan(frame.iloc[0]["low"])
    for text in (str(result), result.to_markdown(), result.to_latex(), result.to_csv()):
        assert not re.search(r"\bnan\b", text.lower())
    result.to_html(tmp_path / "report.html")
    assert ">nan<" not in (tmp_path / "report.html").read_text(encoding="utf-8").lower()
    result.plot()


def test_defined_leaves_infinite_ends() -> None:
    known = Interval(-math.inf, 1.0, 0.95, "percentile", False)
    note = Note("few_items", "few")
    assert defined(known, (note,)) == (known, (note,))
    assert defined(None, (note,)) == (None, (note,))
    half = Interval(0.0, math.nan, 0.95, "percentile", False)
    assert defined(half, (note,))[0] is None
