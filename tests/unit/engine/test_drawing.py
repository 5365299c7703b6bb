"""Resamples of another size than the sample, and of annotators: what is drawn, how it is brought to scale."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bestby import Annotations, Evaluation, FunctionMetric, Reading, Resampling, compare, evaluate
from bestby.engine import interval_methods, prepare
from bestby.engine.base import Drawing
from bestby.engine.estimate import Estimates
from bestby.engine.sums import AnnotatedGroup, AnnotatedSample
from bestby.errors import InvalidInputError
from bestby.metrics import resolve
from bestby.resampling.units import Units, single_stratum


def strata(*sizes: int) -> Units:
    return Units(np.ones(sum(sizes), dtype=np.int64), np.cumsum([0, *sizes]))


def makers(
    metric: Any, systems: Any, gold: Any = None, drawing: Drawing | None = None, **groups: Any
) -> Estimates:
    evaluation = Evaluation.of(systems, gold, **groups)
    made = prepare.groups(evaluation, [resolve(metric)])[0]
    return Estimates(made, drawing or Drawing(2000, 0))


def labels(n: int = 90, seed: int = 0) -> tuple[dict[str, np.ndarray], np.ndarray]:
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 3, n)
    gold[:3] = 0, 1, 2
    systems = {
        name: np.where(rng.random(n) < right, gold, rng.integers(0, 3, n))
        for name, right in zip("ab", (0.7, 0.5), strict=True)
    }
    return systems, gold


# -- how many are drawn --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "units", "draws"),
    [
        (None, single_stratum(40), [40]),
        (40, single_stratum(40), [40]),
        (0.25, single_stratum(40), [10]),
        (10, single_stratum(40), [10]),
        (0.05, single_stratum(40), [2]),
        (0.999, single_stratum(40), [40]),
        (0.1, strata(100, 50, 10), [10, 5, 1]),
        (0.05, strata(100, 50, 10), [5, 2, 1]),
        (30, strata(1, 299), [1, 30]),
        (160, strata(100, 50, 10), [100, 50, 10]),
        (0.2, strata(2, 2, 2, 2, 2), [1, 1, 1, 1, 1]),
        (0.5, Units(np.array([30, 10, 60]), np.array([0, 2, 3])), [20, 30]),
    ],
)
def test_each_stratum_gives_its_share_and_at_least_one(size: Any, units: Units, draws: list[int]) -> None:
    drawing = Drawing(10, 0, resample_size=size)
    assert drawing.draws(units.sizes).tolist() == draws
    assert drawing.subsampling(units.sizes) is (draws != units.sizes.tolist())
    assert drawing.contraction(units.sizes) == pytest.approx(np.sqrt(sum(draws) / units.n), rel=1e-15)
    assert Drawing(10, 0, resample_size=size, rescale=False).contraction(units.sizes) == 1.0
    assert drawing.shares(units.sizes).tolist() == [
        d / n for d, n in zip(draws, units.sizes.tolist(), strict=True)
    ]


# -- what the replicates are ---------------------------------------------------------------------------

SYSTEMS, GOLD = labels()
RANKS = {name: GOLD + np.random.default_rng(i).normal(0, 1, 90) for i, name in enumerate("ab")}


def call(gold: Any, predictions: Any) -> float:
    return float(np.mean((gold - predictions) ** 2))


PROTOCOLS = [("f1_macro", SYSTEMS), ("mse", RANKS), ("spearman", RANKS), (call, RANKS)]
DESIGNS: list[dict[str, Any]] = [
    {},
    {"clusters": np.arange(90) // 2},
    {"strata": np.arange(90) % 3},
    {"clusters": np.arange(90) // 2, "strata": np.arange(90) // 2 % 3},
]


@pytest.mark.parametrize("groups", DESIGNS, ids=lambda g: "+".join(g) or "plain")
@pytest.mark.parametrize(("metric", "systems"), PROTOCOLS, ids=["sums", "mean", "ranks", "call"])
def test_as_many_as_there_are_is_no_resample_size_at_all(metric: Any, systems: Any, groups: Any) -> None:
    n = 45 if "clusters" in groups else 90
    for size, rescale in ((n, True), (n, False), (0.9999, True), (None, False)):
        drawing = Drawing(150, 4, resample_size=size, rescale=rescale)
        found = makers(metric, systems, GOLD, drawing, **groups)
        expected = makers(metric, systems, GOLD, Drawing(150, 4), **groups)
        assert (found.replicates == expected.replicates).all()
        assert found.by_formula
        for method in ("bca", "percentile", "basic"):
            ours, theirs = (
                interval_methods.interval(each.of(0, 1), method, 0.9) for each in (found, expected)
            )
            assert ours == theirs


@pytest.mark.parametrize("groups", DESIGNS, ids=lambda g: "+".join(g) or "plain")
@pytest.mark.parametrize(("metric", "systems"), PROTOCOLS, ids=["sums", "mean", "ranks", "call"])
def test_rescaled_replicates_vary_as_those_of_all_units(metric: Any, systems: Any, groups: Any) -> None:
    """Standard deviations of 2000 replicates (400 calls): 5.5 standard errors; 15 % more for no means."""
    resamples = 400 if metric is call else 2000

    def spread(**settings: Any) -> float:
        made = makers(metric, systems, GOLD, Drawing(resamples, 4, **settings), **groups)
        return float(np.std(made.of(0, 1).replicates))

    allowed = 5.5 / np.sqrt(resamples) + (0.0 if metric in ("mse", call) else 0.15)
    full = spread()
    assert spread(resample_size=1 / 3) == pytest.approx(full, rel=allowed)
    assert spread(resample_size=1 / 3, rescale=False) == pytest.approx(np.sqrt(3) * full, rel=allowed)


def test_rescaling_moves_deviations_from_the_score_and_nothing_else() -> None:
    raw, scaled = (
        makers("f1_macro", SYSTEMS, GOLD, Drawing(50, 4, resample_size=30, rescale=rescale))
        for rescale in (False, True)
    )
    expected = scaled.scores + np.sqrt(30 / 90) * (raw.replicates - scaled.scores)
    assert scaled.replicates == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("metric", ["mean", "callable"])
@pytest.mark.parametrize("rescale", [True, False])
def test_strata_that_give_unequal_shares_do_not_shift_the_score(metric: str, rescale: bool) -> None:
    """Of 6 and 94 units, 1 and 5 are drawn: a sixth from the stratum that holds 6 %, and far away."""
    rng = np.random.default_rng(0)
    stratum = (np.arange(100) >= 6).astype(int)
    a = np.where(stratum == 0, 3.0, 0.0) + rng.normal(0, 0.3, 100)
    used = "mean" if metric == "mean" else lambda _, p: float(np.mean(p))
    gold = None if metric == "mean" else np.zeros(100)
    drawing = Drawing(1500, 2, resample_size=0.05, rescale=rescale)
    made = makers(used, {"a": a, "b": rng.normal(0, 0.3, 100)}, gold, drawing, strata=stratum)
    found = made.replicates[:, 0]
    assert abs(found.mean() - a.mean()) < 1e-12 * abs(a.mean()) + 1e-12
    assert abs(np.mean(made.shared.drawn[:, 0]) - a.mean()) > 0.3  # as drawn they are off


@pytest.mark.parametrize("metric", ["accuracy", "f1_macro", "spearman"])
def test_auto_is_basic_and_simultaneous_intervals_use_the_resamples(metric: str) -> None:
    systems = RANKS if metric == "spearman" else SYSTEMS
    settings: dict[str, Any] = {"metric": metric, "n_resamples": 999}
    fewer = compare(systems, GOLD, resampling=Resampling(resample_size=0.5), **settings)
    assert {d.interval.method for d in fewer} == {s.interval.method for s in fewer.systems} == {"basic"}
    full = compare(systems, GOLD, correction="simultaneous", **settings)["a", "b"].interval
    half = compare(
        systems, GOLD, correction="simultaneous", resampling=Resampling(resample_size=0.5), **settings
    )["a", "b"].interval
    raw = compare(
        systems,
        GOLD,
        correction="simultaneous",
        resampling=Resampling(resample_size=0.5, rescale=False),
        **settings,
    )
    width = full.high - full.low
    assert half.method == full.method == "max-t"
    assert half.high - half.low == pytest.approx(width, rel=0.2)
    assert raw["a", "b"].interval.high - raw["a", "b"].interval.low == pytest.approx(1.41 * width, rel=0.2)


# -- resampled annotators ------------------------------------------------------------------------------


def annotated(n: int = 60, raters: int = 5, seed: int = 0) -> tuple[dict[str, Any], Annotations]:
    rng = np.random.default_rng(seed)
    truth = rng.dirichlet(np.ones(3), n)
    votes = np.array([rng.choice(3, raters, p=row) for row in truth])
    systems = {
        name: (1 - share) * truth + share * rng.dirichlet(np.ones(3), n)
        for name, share in zip("ab", (0.3, 0.6), strict=True)
    }
    return systems, Annotations.of(votes, [0, 1, 2])


def resampled(metric: str, systems: Any, gold: Any, drawing: Drawing, **groups: Any) -> Estimates:
    evaluation = Evaluation.of(systems, gold, **groups)
    (made,) = prepare.groups(evaluation, [resolve(metric)], annotators_seed=drawing.seed)
    return Estimates(made, drawing)


def gold_shift(estimates: Estimates) -> np.ndarray:
    """Return by how much the scores of all systems against the mean of all versions are higher."""
    assert isinstance(estimates.group, AnnotatedGroup)
    sample = estimates.group.together
    assert isinstance(sample, AnnotatedSample)
    return sample.gold_shift


METRICS = ("brier", "cross_entropy", "soft_f1_macro", "accuracy", "f1_macro", "entropy_correlation", "ece")


def assert_centred(found: np.ndarray, expected: np.ndarray) -> None:
    """Five standard errors of a mean of B replicates: false alarm rate below 1e-6."""
    assert (np.abs(found.mean(axis=0) - expected) < 5.0 * found.std(axis=0) / np.sqrt(len(found))).all()


@pytest.mark.parametrize("metric", METRICS)
def test_replicates_are_put_back_by_the_shift_of_the_gold(metric: str) -> None:
    systems, gold = annotated()
    made = resampled(metric, systems, gold, Drawing(500, 0))
    assert made.group.gold_varies
    assert not made.by_formula
    assert (made.scores == makers(metric, systems, gold).scores).all()
    assert made.replicates == pytest.approx(made.shared.drawn - gold_shift(made), rel=1e-12)


@pytest.mark.parametrize("metric", ["brier", "cross_entropy", "soft_accuracy", "accuracy"])
def test_replicates_of_means_lie_around_the_score(metric: str) -> None:
    """Balanced resamples: nothing but Monte Carlo error is left of the shift."""
    systems, gold = annotated()
    assert_centred(
        resampled(metric, systems, gold, Drawing(4000, 0)).replicates, makers(metric, systems, gold).scores
    )


def test_the_shift_of_the_gold_is_what_fewer_agreeing_annotators_do() -> None:
    """Brier: the variance of the gold of A annotators drawn again, (1 - sum of p squared) / A, is added."""
    systems, gold = annotated(raters=4)
    made = resampled("brier", systems, gold, Drawing(50, 0))
    p = gold.distribution()
    expected = float(((1.0 - (p**2).sum(axis=1)) / 4).mean())
    # Of 200 balanced versions: without replacement from 200 copies, so 1 - 1 / 267 of it at least.
    assert gold_shift(made) == pytest.approx(np.full(2, expected), rel=0.01)


@pytest.mark.parametrize("metric", [name for name in METRICS if name != "entropy_correlation"])
def test_annotators_who_all_agree_add_nothing(metric: str) -> None:
    """Every resample of them is they: no shift, and the spread of the items (4000 replicates: 7 %)."""
    systems, _ = annotated()
    answers = np.random.default_rng(1).integers(0, 3, 60)
    gold = Annotations.of(np.repeat(answers[:, None], 4, axis=1), [0, 1, 2])
    again = resampled(metric, systems, gold, Drawing(4000, 0))
    fixed = makers(metric, systems, gold, Drawing(4000, 0))
    assert gold_shift(again) == pytest.approx(np.zeros(2), abs=1e-12)
    assert again.replicates.std(axis=0) == pytest.approx(fixed.replicates.std(axis=0), rel=0.07)
    assert not [n for n in interval_methods.interval(again.of(0), "basic", 0.9)[1] if n.code == "coarse_gold"]


@pytest.mark.parametrize("groups", DESIGNS, ids=lambda g: "+".join(g) or "plain")
def test_groups_of_items_are_kept(groups: Any) -> None:
    systems, gold = annotated(90)
    drawing = Drawing(1000, 0)
    again = resampled("soft_accuracy", systems, gold, drawing, **groups)
    fixed = makers("soft_accuracy", systems, gold, drawing, **groups)
    assert again.group.units.sizes.tolist() == fixed.group.units.sizes.tolist()
    ratio = again.replicates.std(axis=0) / fixed.replicates.std(axis=0)
    assert (
        (ratio > 0.95) & (ratio < 2.0)
    ).all()  # never less than the items alone, but for Monte Carlo error


def test_fewer_items_and_their_annotators_are_brought_to_scale() -> None:
    systems, gold = annotated(200)
    full = resampled("brier", systems, gold, Drawing(3000, 0)).replicates.std(axis=0)
    fewer = resampled("brier", systems, gold, Drawing(3000, 0, resample_size=0.25)).replicates.std(axis=0)
    raw = resampled("brier", systems, gold, Drawing(3000, 0, resample_size=0.25, rescale=False))
    assert fewer == pytest.approx(full, rel=0.09)
    assert raw.replicates.std(axis=0) == pytest.approx(2.0 * full, rel=0.09)
    assert_centred(raw.replicates, raw.scores)


def test_few_labels_per_item_make_a_coarse_gold_and_say_so() -> None:
    systems, gold = annotated(300, raters=2)
    result = compare(systems, gold, reading=Reading(annotators="resample"), metric="brier", n_resamples=500)
    notes = [note for note in result.notes if note.code == "coarse_gold"]
    assert {note.about for note in notes} == {("brier", "a"), ("brier", "b")}
    assert "the score against resampled annotators is" in notes[0].message
    assert "annotators_resampled" in [note.code for note in result.notes]


def test_minus_one_job_stands_for_all_processors():
    def ends(n_jobs):
        result = compare(
            {"a": [1.0, 2.5, 3.0] * 9, "b": [1.0, 2.0, 3.5] * 9},
            test="bootstrap",
            resampling=Resampling(n_jobs=n_jobs),
        )
        return result["a", "b"]

    assert ends(-1) == ends(1)
    with pytest.raises(InvalidInputError, match="at least 1, or -1 for all processors, got -2"):
        ends(-2)


def test_a_metric_in_a_thread_may_itself_compare() -> None:
    """A lock for all, as that of `functools.cached_property` on Python 3.11, would wait for ever."""
    gold = np.arange(24) % 3
    systems = {"a": gold, "b": np.where(np.arange(24) % 5, gold, 0)}

    def low(gold: Any, predictions: Any) -> float:
        scores = (gold == predictions) + np.arange(len(gold)) * 1e-6
        found = evaluate({"x": scores}, metric="mean", interval="percentile", n_resamples=20)
        return found.systems[0].interval.low

    made = compare(
        systems,
        gold,
        metric=FunctionMetric(low, greater_is_better=True),
        interval="percentile",
        test=None,
        n_resamples=600,
        resampling=Resampling(n_jobs=2),
    )
    assert np.isfinite(made.differences[0].interval.low)
