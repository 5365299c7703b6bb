"""`compare_judged` of predictions by labels: plain loops, forms of the data, resamples, and refusals."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, t
from sklearn.metrics import f1_score, matthews_corrcoef

import bestby as bb
from bestby.engine.base import Drawing
from bestby.inference.clusters import StandardError
from bestby.inference.distributions import replicates
from bestby.questions.judged.label_metrics import (
    PoweredBootstrap,
    ResampledEstimates,
    resampled_estimates,
    scored_by_metric,
)
from bestby.questions.judged.labelled import label_draw
from bestby.questions.judged.source import source_of
from bestby.report.comparison import better_by_score

N = 400
RNG = np.random.default_rng(0)
GOLD = RNG.choice(list("xyz"), N, p=[0.5, 0.3, 0.2])


def noisy(right: float) -> np.ndarray:
    return np.where(RNG.random(N) < right, GOLD, RNG.choice(list("xyz"), N))


PREDICTIONS = {"a": noisy(0.8), "b": noisy(0.5), "c": noisy(0.5)}
JUDGE = noisy(0.8)
CHOSEN = np.isin(np.arange(N), RNG.choice(N, 100, replace=False))
HUMAN = [value if known else None for value, known in zip(GOLD.tolist(), CHOSEN, strict=True)]


def compared(judge: Any = JUDGE, human: Any = HUMAN, **options: Any) -> bb.results.JudgedComparison:
    given = {"predictions": PREDICTIONS, "metric": "f1_macro", "labels_drawn": "random", "n_resamples": 999}
    return bb.compare_judged(judge, human, **(given | options))


def numbers(found: bb.results.JudgedComparison) -> list[float]:
    return [x for d in found for x in (d.estimate, d.interval.low, d.interval.high, d.p_value)]


def estimates(n_resamples: int = 999, metric: str = "f1_macro", judge: Any = JUDGE, **groups: Any) -> Any:
    given = scored_by_metric(source_of(judge, HUMAN, PREDICTIONS, None, None), metric, None)
    how = groups.pop("labels_drawn", "random")
    labelled = label_draw(given.items, how, groups.get("clusters"), groups.get("strata"))
    return resampled_estimates(labelled, given.parts, Drawing(n_resamples, 0))


def by_hand(weights: np.ndarray, coefficients: np.ndarray, f1: Any) -> np.ndarray:
    """Return the corrected scores of items with integer weights, by scikit-learn on repeated items."""
    whole, known = np.repeat(np.arange(N), weights), np.repeat(np.arange(N)[CHOSEN], weights[CHOSEN])
    parts = [(JUDGE, whole), (JUDGE, known), (GOLD, known)]
    judged, on_labelled, human = (
        np.array([f1(gold[at], values[at]) for values in PREDICTIONS.values()]) for gold, at in parts
    )
    return human + coefficients @ (judged - on_labelled)


@pytest.mark.parametrize(
    ("metric", "f1"),
    [
        ("f1_macro", lambda gold, made: f1_score(gold, made, average="macro", labels=list("xyz"))),
        ("f1[y]", lambda gold, made: f1_score(gold, made, average=None, labels=["y"])[0]),
        ("matthews_corrcoef", matthews_corrcoef),
    ],
)
def test_scores_are_those_of_the_parts_by_scikit_learn(metric: str, f1: Any) -> None:
    found: ResampledEstimates = estimates(metric=metric)
    coefficients = found.means.coefficients[0][:, :, 0]
    assert np.abs(coefficients.diagonal()).min() > 0.1, "or the judge has no say, and nothing is tested"
    assert found.scores == pytest.approx(by_hand(np.ones(N, dtype=int), coefficients, f1), abs=1e-12)
    result = compared(metric=metric)
    assert result.score("a").score == pytest.approx(found.scores[0], abs=1e-12)
    assert result.score("a").judge_score == pytest.approx(f1(JUDGE, PREDICTIONS["a"]))
    assert result.score("a").labels_score == pytest.approx(f1(GOLD[CHOSEN], PREDICTIONS["a"][CHOSEN]))
    assert result["a", "b"].estimate == result.score("a").score - result.score("b").score


@pytest.mark.check
def test_resamples_vary_as_those_of_a_plain_loop() -> None:
    found = estimates(2000)
    coefficients = found.means.coefficients[0][:, :, 0]
    rng = np.random.default_rng(1)

    def f1(gold: np.ndarray, values: np.ndarray) -> float:
        return float(f1_score(gold, values, average="macro", labels=list("xyz")))

    by_loop = []
    for _ in range(100):
        weights = np.zeros(N, dtype=int)
        for part in (CHOSEN, ~CHOSEN):
            at = np.flatnonzero(part)
            weights += np.bincount(rng.choice(at, at.size), minlength=N)
        by_loop.append(by_hand(weights, coefficients, f1))
    expected = np.std(np.array(by_loop), axis=0)  # a standard error of 7 %
    assert found.draws.std(axis=0) == pytest.approx(expected, rel=0.25)
    assert found.draws.mean(axis=0) == pytest.approx(np.mean(by_loop, axis=0), abs=4 * expected.max() / 10)


def test_without_a_good_judge_the_labels_are_alone() -> None:
    lots = np.random.default_rng(5).choice(list("xyz"), N)
    found = compared(lots)
    for d in found:
        assert d.estimate == pytest.approx(d.labels_estimate, abs=0.02)
        own, alone = (x.high - x.low for x in (d.interval, d.labels_interval))
        assert 0.9 < own / alone < 1.1
    good = compared()
    assert good["a", "b"].extra_labels > 20
    assert good["a", "b"].interval.high - good["a", "b"].interval.low < 0.9 * (
        good["a", "b"].labels_interval.high - good["a", "b"].labels_interval.low
    )


def test_a_metric_that_is_a_mean_goes_the_way_of_scores() -> None:
    right = {name: (values == JUDGE).astype(float) for name, values in PREDICTIONS.items()}
    human = {name: np.where(CHOSEN, values == GOLD, np.nan) for name, values in PREDICTIONS.items()}
    scores = bb.compare_judged(right, human, labels_drawn="random")
    labels = compared(metric="accuracy")
    assert numbers(labels) == numbers(scores)
    assert labels.metrics[0].name == "accuracy"
    assert labels.provenance.n_resamples == 0
    assert [one.systems[0].sensitivity for one in labels.judges] == [
        one.systems[0].sensitivity for one in scores.judges
    ]
    effects = compared(metric="accuracy", bias_by={"length": np.arange(N)}).judges[0].effects
    assert [one.column for one in effects] == ["length"]


@pytest.mark.long
def test_every_form_of_the_data_gives_the_same_numbers(tmp_path: Any) -> None:
    expected = numbers(compared())
    ids = [f"q{i}" for i in range(N)]
    frame = pd.DataFrame(
        {"item": ids, "judge": JUDGE, "human": HUMAN}
        | {f"prediction[{name}]": values for name, values in PREDICTIONS.items()}
    )
    path = tmp_path / "labels.csv"
    frame.to_csv(path, index=False)
    keyed = {name: dict(zip(ids, values, strict=True)) for name, values in PREDICTIONS.items()}
    for found in (
        compared(frame, None, predictions=None),
        compared(frame.sample(frac=1.0, random_state=1), None, predictions=None),
        compared(bb.read_judged(path), None, predictions=None),
        compared(
            dict(zip(ids, JUDGE, strict=True)),
            {one: value for one, value in zip(ids, HUMAN, strict=True) if value is not None},
            predictions=keyed,
        ),
        compared(pd.Series(JUDGE), pd.Series(HUMAN)),
    ):
        assert numbers(found) == pytest.approx(expected, abs=1e-12)


def test_groups_strata_and_probabilities() -> None:
    groups, halves = np.arange(N) // 8, np.arange(N) % 2
    plain, clustered = compared(), compared(clusters=groups)
    assert clustered.n_clusters == 50
    assert numbers(clustered) != pytest.approx(numbers(plain))
    stratified = compared(labels_drawn="stratified", strata=halves)
    assert stratified.n_strata == 2
    chances = np.where(halves, 0.2, 0.3)
    weighted = compared(labels_drawn=chances)
    scores = f1_score(
        GOLD[CHOSEN], PREDICTIONS["a"][CHOSEN], average="macro", sample_weight=1.0 / chances[CHOSEN]
    )
    assert weighted.score("a").labels_score == pytest.approx(scores)
    frame = pd.DataFrame(
        {"judge": JUDGE, "human": HUMAN, "cluster": groups, "p": chances}
        | {f"prediction[{name}]": values for name, values in PREDICTIONS.items()}
    )
    by_columns = bb.compare_judged(frame, metric="f1_macro", labels_drawn="p", n_resamples=999)
    assert numbers(by_columns) == pytest.approx(numbers(compared(clusters=groups, labels_drawn=chances)))


def test_copies_of_items_in_clusters_are_as_one_item() -> None:
    twice = {name: np.repeat(values, 2) for name, values in PREDICTIONS.items()}
    found = compared(
        np.repeat(JUDGE, 2), [one for one in HUMAN for _ in (0, 1)], predictions=twice,
        clusters=np.repeat(np.arange(N), 2), n_resamples=4000,
    )  # fmt: skip
    for d, single in zip(found, compared(n_resamples=4000), strict=True):
        assert d.estimate == pytest.approx(single.estimate, abs=1e-9)
        assert d.standard_error == pytest.approx(single.standard_error, rel=0.01)
        assert d.interval.low == pytest.approx(single.interval.low, abs=0.01)
        assert d.interval.high == pytest.approx(single.interval.high, abs=0.01)


@pytest.mark.long
def test_the_interval_and_the_test_agree() -> None:
    rng = np.random.default_rng(3)
    decided = 0
    for seed in range(6):
        predictions = {
            name: np.where(rng.random(N) < right, GOLD, "x") for name, right in (("a", 0.75), ("b", 0.65))
        }
        for d in compared(predictions=predictions, rng=seed):
            assert d.interval.method == d.test.name == "powered-bootstrap"
            assert (d.p_value <= 0.05) == (0.0 not in d.interval)
            decided += d.p_value <= 0.05
            turned = compared(predictions=predictions, rng=seed, alternative="less")[d.a, d.b].p_value
            above = compared(predictions=predictions, rng=seed, alternative="greater")[d.a, d.b].p_value
            assert d.p_value == pytest.approx(min(1.0, 2.0 * min(turned, above)))
    assert 0 < decided < 6


@pytest.mark.parametrize("metric", ["f1_macro", "accuracy"])
def test_a_label_of_an_item_counts_once_for_all_systems(metric: str) -> None:
    assert compared(metric=metric, n_resamples=200).provenance.data["labels"] == 100
    right = {name: (values == JUDGE).astype(float) for name, values in PREDICTIONS.items()}
    human = {name: np.where(CHOSEN, values == GOLD, np.nan) for name, values in PREDICTIONS.items()}
    assert bb.compare_judged(right, human, labels_drawn="random").provenance.data["labels"] == 300


def test_copies_do_not_differ_and_families_hang_together() -> None:
    copies = compared(predictions={"a": PREDICTIONS["a"], "b": PREDICTIONS["a"].copy()})["a", "b"]
    assert (copies.estimate, copies.p_value, copies.interval) == (0.0, 1.0, None)
    assert [note.code for note in copies.notes] == ["constant_difference"]
    whole = compared(correction="simultaneous")
    for d in whole:
        single = compared()[d.a, d.b].interval
        assert d.interval.low <= single.low < single.high <= d.interval.high
    assert compared(correction="step-down")["a", "b"].p_adjusted <= compared()["a", "b"].p_adjusted


def test_several_judges_and_other_metrics() -> None:
    second = np.random.default_rng(2).permutation(JUDGE)
    found = compared(np.column_stack([JUDGE, second]))
    assert found.n_judges == 2
    good, bad = found.score("a").tuning
    assert good > 0.3 > abs(bad)
    text = " ".join(found.details(percent=True).split())
    for words in (
        "Judge and labels alone: scores, tuning", "judge alone (%)", "f1_macro (%)", "2 judges together are"
    ):  # fmt: skip
        assert words in text, words
    assert bb.load(found.to_json()) == found
    truth = RNG.normal(size=N)
    outputs = {name: r * truth + RNG.normal(size=N) for name, r in (("a", 1.0), ("b", 0.4))}
    numbers_of = compared(
        truth + 0.5 * RNG.normal(size=N), np.where(CHOSEN, truth, np.nan), predictions=outputs,
        metric="pearson",
    )  # fmt: skip
    assert numbers_of.score("a").labels_score == pytest.approx(
        np.corrcoef(truth[CHOSEN], outputs["a"][CHOSEN])[0, 1]
    )
    lower = compared(
        truth + 0.5 * RNG.normal(size=N), np.where(CHOSEN, truth, np.nan), predictions=outputs,
        metric="rmse",
    )  # fmt: skip
    assert not lower.metrics[0].greater_is_better
    assert better_by_score(lower["a", "b"]) == min("ab", key=lambda system: lower.score(system).score)


def test_numbers_and_their_texts_are_the_same_label_and_texts_need_no_common_one() -> None:
    codes = {value: place for place, value in enumerate("xyz")}
    numbered = {name: [codes[x] for x in values] for name, values in PREDICTIONS.items()}
    texts = [None if one is None else str(codes[one]) for one in HUMAN]
    found = compared([codes[x] for x in JUDGE], texts, predictions=numbered)
    assert numbers(found) == pytest.approx(numbers(compared()), abs=1e-12)
    sentences = compared(
        [f"the {x} of it" for x in JUDGE], [None if x is None else f"this {x} of it" for x in HUMAN],
        predictions={name: [f"that {x} of it" for x in values] for name, values in PREDICTIONS.items()},
        metric="bleu", n_resamples=200,
    )  # fmt: skip
    assert 0.0 < sentences.score("a").score < 100.0


def test_classes_that_the_labels_hardly_have_are_named() -> None:
    rare = np.where(np.arange(N) % 100 == 0, "rare", JUDGE)
    codes = {note.code: note.message for note in compared(rare).notes}
    assert "no human label is 'rare'" in codes["class_without_labels"]
    human = list(HUMAN)
    human[int(np.flatnonzero(CHOSEN)[0])] = "rare"
    codes = {note.code: note.message for note in compared(rare, human).notes}
    assert "fewer than 10 human labels are 'rare'" in codes["few_of_class"]
    assert not {"few_of_class", "class_without_labels"} & {note.code for note in compared().notes}


def test_resamples_without_a_value_are_told() -> None:
    number = {"x": 0.0, "y": 1.0, "z": 2.0}
    few = [0.0] * 11 + [1.0] + [None] * (N - 12)
    predictions = {name: [number[x] for x in values] for name, values in PREDICTIONS.items()}
    found = compared([number[x] for x in JUDGE], few, predictions=predictions, metric="pearson")
    (message,) = (note.message for note in found.notes if note.code == "undefined_resamples")
    told = re.search(r"undefined on (\d+) of 999 resamples", message)
    assert told is not None
    # A resample lacks the one label 1 with probability (11/12)^12; four standard errors are .06.
    assert int(told[1]) / 999 == pytest.approx((11 / 12) ** 12, abs=0.06)
    assert found["a", "b"].interval is not None


def test_there_is_no_picture_of_a_judge_without_scores_of_items() -> None:
    by_rates = bb.compare_judged({"a": [0, 1], "b": [1, 0]}, calibration=([0, 1, 0], [0, 1, 0]))
    for found in (compared(), by_rates):
        with pytest.raises(bb.errors.InvalidInputError, match="no item has both here"):
            found.plot(kind="judge")


NORMAL = norm.ppf((np.arange(9999) + 1) / 10000)


def powered_bootstrap(
    estimate: float, sd: float, df: float = 1e9, wider: float = 1.0, shift: float = 0.0
) -> PoweredBootstrap:
    values = replicates(estimate + shift + sd * NORMAL, 1.0)
    return PoweredBootstrap(estimate, values, StandardError(wider * sd, df), sd)


def test_normal_resamples_give_the_normal_interval_and_test() -> None:
    low, high = powered_bootstrap(0.3, 0.1).interval(0.95)
    assert (low, high) == pytest.approx((0.3 - 1.96 * 0.1, 0.3 + 1.96 * 0.1), abs=1e-3)
    assert powered_bootstrap(0.15, 0.1).tested("two-sided").p_value == pytest.approx(
        2 * norm.sf(1.5), rel=1e-2
    )
    assert powered_bootstrap(0.15, 0.1).tested("greater").p_value == pytest.approx(norm.sf(1.5), rel=1e-2)
    assert powered_bootstrap(0.15, 0.1).tested("less").p_value == pytest.approx(norm.cdf(1.5), rel=1e-2)


def test_percentiles_are_expanded_to_the_robust_error_with_students_t() -> None:
    found = powered_bootstrap(0.3, 0.1, df=9.0, wider=1.2)
    reach = 1.2 * 0.1 * t.ppf(0.975, 9)
    assert found.interval(0.95) == pytest.approx((0.3 - reach, 0.3 + reach), abs=2e-3)
    assert found.tested("two-sided").p_value == pytest.approx(2 * t.sf(2.5, 9), rel=2e-2)
    assert powered_bootstrap(0.3, 0.1, wider=0.5).interval(0.95) == powered_bootstrap(0.3, 0.1).interval(
        0.95
    )  # never narrowed


def test_a_bias_of_the_resamples_is_taken_out_twice() -> None:
    biased = powered_bootstrap(0.3, 0.1, shift=-0.05)
    low, high = biased.interval(0.95)  # as if they lay as far above the estimate as they lie below
    assert (low, high) == pytest.approx((0.35 - 1.96 * 0.1, 0.35 + 1.96 * 0.1), abs=2e-3)


@pytest.mark.parametrize("estimate", [-0.3, -0.19, 0.0, 0.1, 0.19, 0.2, 0.35])
@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_interval_and_test_agree(estimate: float, level: float) -> None:
    skewed = replicates(estimate + np.random.default_rng(1).gamma(4.0, 0.05, 4000) - 0.2, 1.0)
    found = PoweredBootstrap(estimate, skewed, StandardError(0.12, 15.0), 0.1)
    low, high = found.interval(level)
    assert (found.tested("two-sided").p_value <= 1.0 - level) == (low > 0.0 or high < 0.0)


def test_resamples_on_one_side_of_zero_never_give_a_p_value_of_zero() -> None:
    found = powered_bootstrap(1.0, 0.01).tested("two-sided")
    assert 0.0 < found.p_value < 0.001
    assert found.n_resamples == 9999
    assert powered_bootstrap(-1.0, 0.01).tested("greater").p_value > 0.999


def test_equal_resamples_say_nothing() -> None:
    found = PoweredBootstrap(0.0, replicates(np.zeros(99), 1.0), StandardError(0.0, 0.0), 0.0)
    assert not found.varies
    assert found.tested("two-sided").p_value == 1.0


def test_a_metric_needs_predictions_and_tables_hold_all() -> None:
    scores = {name: RNG.random(N) for name in "ab"}
    human = {name: np.where(CHOSEN, values, np.nan) for name, values in scores.items()}
    with pytest.raises(bb.errors.InvalidInputError, match="metric compares predictions with labels"):
        bb.compare_judged(scores, human, labels_drawn="random", metric="f1_macro")
    frame = pd.DataFrame({"judge": JUDGE, "human": HUMAN})
    with pytest.raises(bb.errors.InvalidInputError, match="predictions stand beside a table"):
        compared(frame, None)
    whole = frame.assign(**{f"prediction[{name}]": values for name, values in PREDICTIONS.items()})
    with pytest.raises(bb.errors.InvalidInputError, match="predictions is given twice"):
        compared(source_of(whole, None, None, None, None), None)
    with pytest.raises(bb.errors.InvalidInputError, match="has labels of several humans"):
        compared(whole.drop(columns="human").assign(human_1=HUMAN, human_2=HUMAN), None, predictions=None)
