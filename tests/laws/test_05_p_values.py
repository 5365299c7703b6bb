"""Law 5: p-values are never 0, count ties, and say how they were had."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws.roster import (
    ALTERNATIVES,
    RESAMPLES,
    ROSTER,
    TESTS,
    Data,
    Entry,
    applies,
    cases,
    each,
    make,
)
from tests.own_metrics import Spread

from bestby import Metric, compare, compare_datasets, compare_runs
from bestby.data.evaluation import Evaluation
from bestby.engine import prepare
from bestby.engine.base import Drawing
from bestby.inference import samples
from bestby.inference.tilting import FEW_HITS, MORE_PLAIN, MOST_DRAWS
from bestby.metrics import resolve
from bestby.vocabulary import allowed_names


def far_apart(entry: Entry, design: str) -> Data:
    """Return a system that is right and one that is as wrong as can be."""
    data = make(entry, design, seed=41, n=200, systems=2)
    if entry.kind == "scores":
        worse = data.systems["a"] + (50.0 if entry.lower else -50.0)
        return Data({"a": data.systems["a"], "b": worse}, None, data.clusters, data.strata)
    if entry.kind == "labels":
        wrong = np.where(data.gold == "pos", "neg", np.where(data.gold == "neg", "neu", "pos"))
        return Data({"a": data.gold.copy(), "b": wrong}, data.gold, data.clusters, data.strata)
    if entry.kind.startswith("soft"):
        return _soft_and_far_apart(data)
    if entry.kind == "ranking":
        return Data(
            {"a": data.gold + 0.01 * data.systems["a"], "b": -data.gold + 0.01 * data.systems["b"]},
            data.gold,
            data.clusters,
            data.strata,
        )
    return Data(
        {"a": data.systems["a"], "b": -40.0 * data.systems["b"]}, data.gold, data.clusters, data.strata
    )


def _soft_and_far_apart(data: Data) -> Data:
    """Return the gold, and what is always wrong, torn where the gold is sure and sure where it is torn."""
    right = np.eye(3)[data.gold] if data.gold.ndim == 1 else data.gold.copy()
    order = right.argsort(axis=1)
    items = np.arange(len(right))
    wrong = np.zeros_like(right)
    wrong[items, order[:, 0]] = wrong[items, order[:, 1]] = 0.5
    torn = right.max(axis=1) < 0.7
    wrong[torn] = np.eye(3)[order[torn, 0]]
    return Data({"a": right, "b": wrong}, data.gold, data.clusters, data.strata)


@pytest.mark.parametrize(("entry", "design"), cases())
def test_p_is_never_0_and_monte_carlo_p_is_at_least_its_least_value(entry: Entry, design: str) -> None:
    data = far_apart(entry, design)
    for test, alternative in itertools.product(TESTS, ALTERNATIVES):
        if not applies(entry, design, test=test):
            continue
        t = data.compare(entry, test=test, alternative=alternative, interval=None).differences[0].test
        assert 0.0 < t.p_value <= 1.0
        assert t.exact is (t.n_resamples == 0) or t.method == "asymptotic"
        if t.method == "importance sampling":
            assert RESAMPLES < t.n_resamples <= RESAMPLES + MOST_DRAWS
            assert t.name in ("permutation", "permutation-standardised")
            assert t.p_value < FEW_HITS / (1 + RESAMPLES)
            assert 0.0 <= t.error <= 0.5 * t.p_value
        elif t.n_resamples:
            assert t.n_resamples in (RESAMPLES, MORE_PLAIN * RESAMPLES)
            assert t.method == "monte carlo"
            hits = t.p_value * (1 + t.n_resamples) - 1
            assert hits == pytest.approx(round(hits), abs=1e-9)
            assert t.p_value >= 1.0 / (1 + t.n_resamples)
            assert t.error == pytest.approx(math.sqrt(t.p_value * (1.0 - t.p_value) / t.n_resamples))
        else:
            assert t.error == 0.0


def test_far_apart_systems_are_told_apart() -> None:
    """The data of the test above do give the least p there is, so that it cannot pass on dull ones."""
    for entry in ROSTER:
        d = far_apart(entry, "plain").compare(entry).differences[0]
        assert d.p_value <= 1.0 / (1 + RESAMPLES), entry.key


@pytest.mark.parametrize("of_b", [0.6, 0.605, 0.7, 0.8, 1.5])
def test_the_p_value_of_a_saddlepoint_is_neither_0_nor_exact(of_b: float) -> None:
    rng = np.random.default_rng(0)
    gold, noise = rng.normal(size=(2, 21_000))
    systems = {"a": gold + 0.6 * noise, "b": gold + of_b * rng.permutation(noise)}
    t = compare(systems, gold, metric="pearson", interval=None).differences[0].test
    assert 0.0 < t.p_value <= 1.0
    assert not t.exact
    if of_b < 1.0:
        assert (t.method, t.n_resamples) == ("saddlepoint", 0)
        assert t.error == pytest.approx(0.02 * t.p_value)
    else:  # further out than the smallest float tells
        assert t.p_value < 1e-300


def test_ties_count_whatever_rounding_does_to_them() -> None:
    """Of tenths: 0.1 + 0.2 - 0.3 is 5.6e-17, not 0; the observed sum recurs in half of all swaps."""
    a = [0.1, 0.2, -0.3, 0.7]
    d = compare({"a": a, "b": [0.0] * 4}, alternative="greater").differences[0]
    sums = [sum(s * v for s, v in zip(signs, (1, 2, -3, 7), strict=True)) for signs in _signs(4)]
    assert d.p_value == sum(s >= 7 for s in sums) / 16


def _signs(n: int) -> itertools.product[tuple[int, ...]]:
    return itertools.product((1, -1), repeat=n)


@pytest.mark.parametrize("factor", [1.0, 1e-6, 1e6, 0.1, 1.0 / 3.0])
def test_the_unit_of_the_scores_does_not_matter(factor: float) -> None:
    rng = np.random.default_rng(5)
    a, b = rng.integers(0, 5, 50).astype(float), rng.integers(0, 5, 50).astype(float)
    one = compare({"a": a, "b": b}, interval="bca").differences[0]
    other = compare({"a": a * factor, "b": b * factor}, interval="bca").differences[0]
    assert other.p_value == pytest.approx(one.p_value, rel=1e-9)
    assert other.interval.low == pytest.approx(one.interval.low * factor, rel=1e-9, abs=1e-12 * factor)
    assert other.interval.high == pytest.approx(one.interval.high * factor, rel=1e-9, abs=1e-12 * factor)


@pytest.mark.parametrize("entry", each([e for e in ROSTER if not e.mean]))
def test_few_differing_items_give_the_exact_p(entry: Entry) -> None:
    data = make(entry, "plain", seed=43, n=30, systems=2)
    b = data.systems["a"].copy()
    b[5:11] = data.systems["b"][5:11]
    d = Data({"a": data.systems["a"], "b": b}, data.gold).compare(entry).differences[0]
    assert d.exact
    assert d.n_differing <= 6
    assert d.test.n_resamples == 0
    combinations = d.p_value * 2**6
    assert combinations == pytest.approx(round(combinations), abs=1e-9)


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall", "rmse"])
def test_swaps_of_what_was_given_reject_as_often_as_they_say(name: str) -> None:
    """Every arrangement of the pairs is as likely as any other: p <= P for no more than P of them."""
    rng = np.random.default_rng(5)
    gold = rng.normal(size=6)
    pairs = gold[:, None] + rng.lognormal(size=(6, 2))
    found = []
    for swapped in itertools.product((0, 1), repeat=6):
        own = np.array(swapped)
        a, b = pairs[np.arange(6), own], pairs[np.arange(6), 1 - own]
        (group,) = prepare.groups(Evaluation({"a": a, "b": b}, gold), [resolve(name)])
        found.append(group.sample(0, 1).permutation("greater", Drawing(1, 0)).p_value)
    assert (np.sort(found) >= np.arange(1, 65) / 64 - 1e-12).all()


# -- exact p-values are at least the share of the data's own arrangement -----------------------------


class SmallRatio(Metric):
    """A metric of a user: the mean error over the distance of the gold from 100."""

    name = "small_ratio"

    def statistics(self, gold: Any, predictions: Any) -> Any:
        return np.column_stack([predictions - gold, gold, np.ones(gold.size)])

    def score(self, totals: Any) -> Any:
        error, gold, n = np.moveaxis(totals, -1, 0)
        return error / (gold - 100.0 * n)


def perfect(rng: np.random.Generator, n: int) -> tuple[Any, Any, Any]:
    gold = rng.normal(size=n)
    return gold, gold, gold + rng.normal(size=n)


def perfect_but_for_ties(rng: np.random.Generator, n: int) -> tuple[Any, Any, Any]:
    gold = rng.normal(size=n)
    return gold, gold, gold + 0.1 * rng.choice([-2, -1, 1, 2, 3], n)


def far_from_0(rng: np.random.Generator, n: int) -> tuple[Any, Any, Any]:
    a, b = 100.0 + 1e-4 * rng.normal(size=n), 100.0 + 3e-4 * rng.normal(size=n)
    return 100.0 + 1e-4 * rng.normal(size=n), a, b


def on_a_step(rng: np.random.Generator, n: int) -> tuple[Any, Any, Any]:
    a, b = (91.3 + 0.01 * rng.integers(0, 9, n) for _ in "ab")
    return 90.0 + 0.01 * rng.integers(0, 9, n), a, b


AMPLIFYING = {
    "rmse": ("rmse", perfect, True),
    "rmse with ties": ("rmse", perfect_but_for_ties, True),
    "spread": (Spread(), far_from_0, False),
    "spread on a step": (Spread(), on_a_step, False),
    "ratio": (SmallRatio(), far_from_0, True),
    "mean": ("mean", far_from_0, False),
    "mean on a step": ("mean", on_a_step, False),
    "mse": ("mse", perfect_but_for_ties, True),
    "callable": (lambda gold, p: float(np.sqrt(np.mean((gold - p) ** 2))), perfect, True),
}


@pytest.mark.parametrize("design", ["items", "clusters", "strata", "both"])
@pytest.mark.parametrize("key", AMPLIFYING)
def test_an_exact_p_counts_the_data_themselves(key: str, design: str) -> None:
    """2^k arrangements, two of which (one for one side) are at least as extreme as the data: theirs."""
    metric, make_data, with_gold = AMPLIFYING[key]
    n_units = 7
    n = n_units if design in ("items", "strata") else 3 * n_units
    unit = np.arange(n) % n_units
    groups: dict[str, Any] = {"clusters": unit} if design in ("clusters", "both") else {}
    groups |= {"strata": unit % 2} if design in ("strata", "both") else {}
    for seed, alternative in itertools.product(range(6), ALTERNATIVES):
        gold, a, b = make_data(np.random.default_rng([seed, n]), n)
        d = compare(
            {"a": a, "b": b},
            gold if with_gold else None,
            metric=metric,
            alternative=alternative,
            interval="percentile",
            test="permutation",
            n_resamples=20,
            **groups,
        ).differences[0]
        differing = n_units if design in ("clusters", "both") else d.n_differing
        assert d.exact
        assert d.p_value >= (2.0 if alternative == "two-sided" else 1.0) / 2**differing


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("n", [5, 12, 30, 60, 200])
def test_every_way_to_an_exact_mean_counts_the_data_themselves(n: int, seed: int) -> None:
    """By enumeration, convolution, characteristic function and binomial, also where one unit disagrees."""
    rng = np.random.default_rng([n, seed])
    for d in (
        rng.normal(5.0, 1.0, n),
        rng.integers(1, 5, n) / 10,
        np.full(n, 0.1),
        rng.choice([0.1, 3.7], n),
    ):
        d = np.append(np.abs(d), -np.abs(d).min() * (1.0 + seed))
        for alternative in ALTERNATIVES:
            t = compare({"a": d, "b": np.zeros(n + 1)}, alternative=alternative, interval="normal")
            p = t.differences[0].p_value
            assert p >= (2.0 if alternative == "two-sided" else 1.0) * 0.5 ** (n + 1)


@pytest.mark.parametrize("offset", [0.0, 100.0, 1e9])
@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.parametrize("statistic", ["mean", "median", "trimmed_mean", "iqm"])
def test_runs_and_datasets_count_the_data_themselves(statistic: str, paired: bool, offset: float) -> None:
    for seed, alternative in itertools.product(range(3), ALTERNATIVES):
        rng = np.random.default_rng([seed, 5])
        runs = {name: offset + rng.normal(mean, 1e-3, 5) for name, mean in (("a", 0.02), ("b", 0.0))}
        d = compare_runs(
            runs,
            paired=paired,
            statistic=statistic,
            test="permutation",
            alternative=alternative,
            n_resamples=20,
        ).differences[0]
        sides = 2.0 if alternative == "two-sided" else 1.0
        assert d.exact
        assert d.p_value >= sides / (2**5 if paired else math.comb(10, 5))
        table = {f"d{i}": {name: scores[i] for name, scores in runs.items()} for i in range(5)}
        across = compare_datasets(table, across="permutation", alternative=alternative).differences[0]
        assert across.p_value >= sides / 2**5


def test_rounding_makes_no_difference_count() -> None:
    """0.1 + 0.2 and 0.3 are the same score: twenty items of that are no evidence, whoever computed them."""
    a, b = np.r_[np.full(20, 0.1 + 0.2), np.ones(5)], np.r_[np.full(20, 0.3), np.zeros(5)]
    d = compare({"a": a, "b": b}).differences[0]
    assert (d.n_differing, d.p_value) == (5, 2.0**-4)


@pytest.mark.parametrize("far", [1e2, 1e8, 1e10, 1e12])
def test_one_difference_far_off_ties_no_others(far: float) -> None:
    rng = np.random.default_rng(0)
    others = np.r_[np.abs(rng.normal(1.0, 0.3, 27)), -np.abs(rng.normal(1.0, 0.3, 3))]
    d = compare({"a": np.r_[others, far], "b": np.zeros(31)}).differences[0]
    # The one far off decides the sign, so that the others must add up to what they do, or more.
    alone = compare({"a": others, "b": np.zeros(30)}, alternative="greater").differences[0]
    assert d.p_value == pytest.approx(alone.p_value, rel=5e-3)


@given(st.data(), st.sampled_from(["median", "trimmed_mean", "iqm"]), st.booleans(), st.booleans())
def test_runs_are_told_apart_if_and_only_if_their_interval_excludes_0(
    data: st.DataObject, statistic: str, paired: bool, skewed: bool
) -> None:
    """Wherever test and interval by default are of one kind: both t, or both the percentile bootstrap."""
    n = data.draw(st.integers(3, 9))
    m = n if paired else data.draw(st.integers(3, 9))
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    a, b = rng.normal(size=n), rng.normal(size=m) + data.draw(st.sampled_from([0.0, 1.0, 1.5]))
    runs = {"a": np.exp(a) if skewed else a.round(1), "b": np.exp(b) if skewed else b.round(1)}
    for resamples in (99, 1000):
        d = compare_runs(runs, statistic=statistic, paired=paired, n_resamples=resamples).differences[0]
        if d.interval is not None:
            assert (d.p_value <= 0.05) == (0.0 not in d.interval)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(0, 6), min_size=5, max_size=7), st.sampled_from(allowed_names("statistic")))
def test_permutations_of_runs_are_exact_whatever_they_divide_by(values: list[int], statistic: str) -> None:
    """Of all ways to deal out the same runs, a share of at most p has a p-value of p or less."""
    pooled = np.array(values, dtype=float)
    positions = frozenset(range(pooled.size))
    for n in (2, 3):
        ps = []
        for chosen in itertools.combinations(positions, n):
            a, b = pooled[list(chosen)], pooled[sorted(positions - set(chosen))]
            found = samples.permutation_test(
                a, b, statistic, "two-sided", paired=False, n_resamples=1, seed=0
            )
            assert found.exact
            ps.append(found.p_value)
        for p in set(ps):
            assert np.mean(np.array(ps) <= p + 1e-12) <= p + 1e-12
