"""Bootstrap distributions against all n^n samples; jackknife, intervals and tests against plain loops."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from tests.oracles import plain
from tests.oracles.test_permutation import MEASURES, numbers, ranking

from bestby import compare
from bestby.data.evaluation import Evaluation
from bestby.engine import interval_methods, prepare
from bestby.engine.base import Drawing
from bestby.engine.estimate import Estimates
from bestby.engine.sums import SumSample
from bestby.inference.distributions import Lattice, mean_bootstrap
from bestby.metrics import resolve
from bestby.resampling import streams, totals

STRATA = [
    [[3, 1, -1, 0, 2, 2]],
    [[0, 0, 1, 1, 1]],
    [[1, 0, 2], [5, 5, 7, 9]],
    [[0, 1], [1, 0, 0], [2, 2, -3]],
    [[4, 4, 4]],
]


@pytest.mark.parametrize("scale", [1.0, 0.1, 1.0 / 3.0])
@pytest.mark.parametrize("strata", STRATA, ids=str)
def test_the_exact_distribution_of_a_mean_against_all_samples(strata: list[list[int]], scale: float) -> None:
    expected = plain.mean_distribution([[Fraction(v) for v in values] for values in strata])
    values = np.array([v * scale for part in strata for v in part])
    bounds = np.cumsum([0, *(len(part) for part in strata)])
    found = mean_bootstrap(values, np.ones(values.size, dtype=np.int64), bounds)
    assert found is not None
    assert found.exact
    below = Fraction(0)
    for value, mass in expected.items():
        x = float(value) * scale
        assert found.at(x) == pytest.approx(float(mass), abs=1e-12)
        assert found.below(x) == pytest.approx(float(below), abs=1e-12)
        below += mass
    sd = math.sqrt(sum(float(p) * float(v) ** 2 for v, p in expected.items()) - _mean(expected) ** 2)
    assert found.sd == pytest.approx(sd * scale, rel=1e-9, abs=1e-15)
    for p in (0.025, 0.05, 0.31, 0.69, 0.95, 0.975):
        assert found.quantile(p) == pytest.approx(_quantile(expected, p) * scale, abs=1e-12)


def _mean(distribution: dict[Fraction, Fraction]) -> float:
    return float(sum((v * p for v, p in distribution.items()), Fraction(0)))


def _quantile(distribution: dict[Fraction, Fraction], p: float) -> float:
    """Return the least x with F(x) >= p below one half, the greatest with P(X >= x) >= 1 - p above."""
    if p <= 0.5:
        return float(next(v for v in distribution if sum(m for w, m in distribution.items() if w <= v) >= p))
    backwards = list(distribution)[::-1]
    return float(
        next(v for v in backwards if sum(m for w, m in distribution.items() if w >= v) >= 1 - Fraction(p))
    )


def test_real_values_against_a_million_drawn_means() -> None:
    rng = np.random.default_rng(4)
    values = rng.exponential(size=80)
    found = mean_bootstrap(values, np.ones(80, dtype=np.int64), np.array([0, 80]))
    assert found is not None
    assert not isinstance(found, Lattice)
    drawn = np.concatenate([values[rng.integers(0, 80, (50_000, 80))].mean(axis=1) for _ in range(20)])
    for p in (0.001, 0.025, 0.2, 0.5, 0.8, 0.975, 0.999):
        x = found.quantile(p)
        # Five standard errors of a share of a million: false alarm rate below 1e-6 each.
        assert float((drawn < x).mean()) == pytest.approx(p, abs=5.0 * math.sqrt(p * (1 - p) / 1e6))
        assert found.below(x) == pytest.approx(p, abs=1e-9)
    assert found.sd == pytest.approx(float(drawn.std()), rel=0.005)


def test_real_values_in_strata_against_drawn_means() -> None:
    rng = np.random.default_rng(4)
    parts = [rng.normal(0, 1, 60), rng.exponential(3, 90)]
    found = mean_bootstrap(np.concatenate(parts), np.ones(150, dtype=np.int64), np.array([0, 60, 150]))
    assert found is not None
    drawn = sum(p[rng.integers(0, p.size, (200_000, p.size))].sum(axis=1) for p in parts) / 150
    for p in (0.025, 0.5, 0.975):
        share = float((drawn < found.quantile(p)).mean())
        assert share == pytest.approx(p, abs=5.0 * math.sqrt(p * (1 - p) / 2e5))


def estimates(metric: Any, systems: Any, gold: Any = None, resamples: int = 400, **groups: Any) -> Estimates:
    evaluation = Evaluation.of(systems, gold, **groups)
    group = prepare.groups(evaluation, [resolve(metric)])[0]
    return Estimates(group, Drawing(resamples, 3))


CASES = [case for case in MEASURES if case[0] != "accuracy"]


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize(("name", "score", "make"), CASES, ids=[c[0] for c in CASES])
def test_acceleration_and_bca_against_plain_loops(
    name: str, score: plain.Score, make: Any, clustered: bool
) -> None:
    gold, a, b = make(random.Random(7), 40)
    units = (
        [[i for i in range(40) if i * i // 60 == c] for c in range(27)]
        if clustered
        else [[i] for i in range(40)]
    )
    units = [unit for unit in units if unit]
    clusters = [next(u for u, unit in enumerate(units) if i in unit) for i in range(40)]
    of_pair = estimates(name, {"a": a, "b": b}, gold, clusters=clusters if clustered else None).of(0, 1)

    def difference(items: list[int]) -> float:
        taken = [gold[i] for i in items]
        return score(taken, [a[i] for i in items]) - score(taken, [b[i] for i in items])

    expected = plain.acceleration(plain.jackknife(difference, units))
    assert of_pair.acceleration == pytest.approx(expected, rel=1e-6, abs=1e-12)
    drawn = sorted(of_pair.replicates.tolist())
    estimate = difference(list(range(40)))
    normal = NormalDist()
    below = sum(d < estimate - 1e-9 for d in drawn) + 0.5 * sum(abs(d - estimate) <= 1e-9 for d in drawn)
    z0 = normal.inv_cdf(below / len(drawn))
    ends = []
    for p in (0.05, 0.95):
        z = z0 + normal.inv_cdf(p)
        q = normal.cdf(z0 + z / (1 - expected * z))
        rank = min(max(q * (len(drawn) + 1), 1.0), float(len(drawn)))
        low, high = drawn[math.floor(rank) - 1], drawn[min(math.floor(rank) + 1, len(drawn)) - 1]
        ends.append(low + (rank - math.floor(rank)) * (high - low))
    interval, notes = interval_methods.interval(of_pair, "bca", 0.9)
    assert not notes
    assert (interval.low, interval.high) == pytest.approx(tuple(ends), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize(("name", "score", "make"), CASES, ids=[c[0] for c in CASES])
@pytest.mark.parametrize("design", ["plain", "clusters", "strata"])
def test_replicates_are_scores_of_resampled_items(
    name: str, score: plain.Score, make: Any, design: str
) -> None:
    """The mean and spread of the replicates against resamples drawn in plain Python."""
    rng = random.Random(9)
    gold, a, b = make(rng, 36)
    group = [i % 9 for i in range(36)] if design == "clusters" else [i % 2 for i in range(36)]
    if name == "roc_auc" and design == "strata":
        group = [i // 18 for i in range(36)]
    made = estimates(name, {"a": a, "b": b}, gold, 4000, **({} if design == "plain" else {design: group}))
    found = made.of(0, 1).replicates
    blocks = [[i for i in range(36) if group[i] == g] for g in sorted(set(group))]
    drawn = []
    for _ in range(1500):
        if design == "plain":
            items = [rng.randrange(36) for _ in range(36)]
        elif design == "clusters":
            items = [i for _ in blocks for i in rng.choice(blocks)]
        else:
            items = [rng.choice(block) for block in blocks for _ in block]
        taken = [gold[i] for i in items]
        if name == "roc_auc" and len(set(taken)) < 2:
            continue
        drawn.append(score(taken, [a[i] for i in items]) - score(taken, [b[i] for i in items]))
    sd = float(np.std(drawn))
    error = sd * math.sqrt(1 / 1500 + 1 / 4000)
    assert float(np.nanmean(found)) == pytest.approx(float(np.mean(drawn)), abs=5.0 * error)
    # The standard error of a standard deviation is about sd / sqrt(2 B), more for heavy tails.
    assert float(np.nanstd(found)) == pytest.approx(sd, rel=0.15)


def test_auc_of_weights_against_scikit_learn_on_expanded_samples() -> None:
    from sklearn.metrics import average_precision_score, roc_auc_score

    gold, a, b = ranking(random.Random(1), 40)
    for name, reference in (("roc_auc", roc_auc_score), ("average_precision", average_precision_score)):
        made = estimates(name, {"a": a, "b": b}, gold, 50)
        keys = streams.replicate_keys(streams.stream_key(3, "bootstrap"), 0, 50)
        items = totals.drawn_units(keys, np.array([0, 40]))
        for r in range(50):
            for s, system in enumerate((a, b)):
                expected = reference(np.array(gold)[items[r]], np.array(system)[items[r]])
                assert made.replicates[r, s] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("metric", ["mean", "relative"])
def test_pivots_against_a_loop(metric: str) -> None:
    """(replicate - estimate) / its own standard error, each from the items drawn."""
    gold, a, b = numbers(random.Random(8), 30)
    name = "rmse" if metric == "relative" else "mse"
    made = estimates(name, {"a": a, "b": b}, gold, 60)
    sample = made.of(0).sample
    assert isinstance(sample, SumSample)
    pivots = sample.pivots(made.drawing)
    assert pivots is not None
    squares = [(g - x) ** 2 for g, x in zip(gold, a, strict=True)]

    def standardised(items: list[int]) -> float:
        part = [squares[i] for i in items]
        centre = sum(part) / 30
        # The plug-in variance of a bootstrap sample (divisor n - 1 after the engine's n / (n - 1)).
        se = math.sqrt(sum((v - centre) ** 2 for v in part) / 29 / 30)
        full = sum(squares) / 30
        if name == "mse":
            return (centre - full) / se
        return (math.sqrt(centre) - math.sqrt(full)) / (se / (2 * math.sqrt(centre)))

    keys = streams.replicate_keys(streams.stream_key(3, "bootstrap"), 0, 60)
    positions = totals.drawn_units(keys, np.array([0, 30]))
    # Units stand in the order of the engine's sample, found by their value.
    (rows,) = sample.rows()
    order = [min(range(30), key=lambda i: abs(squares[i] - value)) for value in rows[:, 0].tolist()]
    expected = [standardised([order[p] for p in row]) for row in positions.tolist()]
    assert pivots == pytest.approx(expected, rel=1e-6)


def test_the_bootstrap_test_against_a_loop() -> None:
    gold, a, b = numbers(random.Random(4), 30)
    made = estimates("rmse", {"a": a, "b": b}, gold, 500)
    drawn = made.of(0, 1).replicates
    observed = plain.rmse(gold, a) - plain.rmse(gold, b)
    for alternative, hits in (
        ("two-sided", sum(abs(d - observed) >= abs(observed) for d in drawn)),
        ("greater", sum(d - observed >= observed for d in drawn)),
        ("less", sum(d - observed <= observed for d in drawn)),
    ):
        p = compare(
            {"a": a, "b": b},
            gold,
            metric="rmse",
            test="bootstrap",
            n_resamples=500,
            rng=3,
            alternative=alternative,
        ).differences[0]
        assert (p.a, p.p_value) == ("a", (1 + hits) / 501)


def test_the_exact_bootstrap_test_against_all_samples() -> None:
    d = [1, 0, 2, -1, 1, 0]
    distribution = plain.mean_distribution([[Fraction(v) for v in d]])
    observed = Fraction(sum(d), 6)
    for alternative, p in (
        ("two-sided", sum(m for v, m in distribution.items() if abs(v - observed) >= abs(observed))),
        ("greater", sum(m for v, m in distribution.items() if v - observed >= observed)),
        ("less", sum(m for v, m in distribution.items() if v - observed <= observed)),
    ):
        found = compare({"a": d, "b": [0] * 6}, test="bootstrap", alternative=alternative).differences[0]
        assert found.exact
        assert found.p_value == pytest.approx(float(p), abs=1e-12)


@pytest.mark.parametrize("right", [20, 35, 45, 230])
def test_a_tiny_bootstrap_p_is_right_or_an_upper_bound(right: int) -> None:
    """A is right on r of 400 items, B on none: p = P(|Bin(400, r / 400) - r| >= r), told down to 1e-12."""
    from scipy.stats import binom

    scores = np.repeat([1.0, 0.0], [right, 400 - right])
    truth = binom.sf(2 * right - 1, 400, right / 400) + binom.cdf(0, 400, right / 400)
    one, other = (
        compare(systems, test="bootstrap").differences[0]
        for systems in ({"a": scores, "b": 0 * scores}, {"b": 0 * scores, "a": scores})
    )
    assert one.exact
    assert one.p_value == pytest.approx(other.p_value, rel=1e-3)
    assert one.p_value == pytest.approx(max(truth, 1e-12), rel=1e-3)
