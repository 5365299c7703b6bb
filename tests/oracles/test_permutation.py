"""Exact p-values against all 2^n swaps, by plain loops."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.oracles import plain

from bestby import compare
from bestby.inference.permutation import exact_mean

LABELS = ["neg", "neu", "pos"]


def labels(rng: random.Random, n: int) -> tuple[list[str], list[str], list[str]]:
    gold = [rng.choice(LABELS) for _ in range(n)]
    # Each class occurs in the gold, so that the label set is the three of them.
    gold[:3] = LABELS
    a = [g if rng.random() < 0.7 else rng.choice(LABELS) for g in gold]
    b = [g if rng.random() < 0.4 else rng.choice(LABELS) for g in gold]
    return gold, a, b


def numbers(rng: random.Random, n: int) -> tuple[list[float], list[float], list[float]]:
    gold = [rng.gauss(0, 1) for _ in range(n)]
    return gold, [g + rng.gauss(0, 0.5) for g in gold], [g + rng.gauss(0, 1.5) for g in gold]


def ranking(rng: random.Random, n: int) -> tuple[list[int], list[float], list[float]]:
    gold = [i % 2 for i in range(n)]
    return gold, *([round(g + rng.gauss(0, s), 1) for g in gold] for s in (0.5, 1.5))


def rounded(rng: random.Random, n: int) -> tuple[list[float], list[float], list[float]]:
    gold, a, b = numbers(rng, n)
    return [round(x, 1) for x in gold], [round(x) for x in a], [round(x) for x in b]


MEASURES: list[tuple[str, plain.Score, Any]] = [
    ("accuracy", plain.accuracy, labels),
    ("f1[pos]", plain.f1_pos, labels),
    ("f1_macro", plain.f1_macro, labels),
    ("matthews_corrcoef", plain.mcc, labels),
    ("rmse", plain.rmse, numbers),
    ("pearson", plain.pearson, numbers),
    ("pearson", plain.pearson, rounded),
    ("spearman", plain.spearman, numbers),
    ("kendall", plain.kendall, numbers),
    ("spearman", plain.spearman, rounded),
    ("kendall", plain.kendall, rounded),
    ("roc_auc", plain.roc_auc, ranking),
]


STANDARDISED: dict[str, Any] = {
    "pearson": plain.standard_scores,
    **dict.fromkeys(("spearman", "kendall", "roc_auc"), plain.midranks),
}
"""What the two systems exchange in the test "permutation-standardised"."""

CASES = [
    *((*measure, "permutation") for measure in MEASURES),
    *((*measure, "permutation-standardised") for measure in MEASURES if measure[0] in STANDARDISED),
]


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize(
    ("name", "score", "make", "test"), CASES, ids=[f"{c[0]}-{c[2].__name__}-{c[3]}" for c in CASES]
)
def test_exact_p_against_all_swaps(
    name: str, score: plain.Score, make: Any, test: str, alternative: str, clustered: bool
) -> None:
    for seed in range(4):
        rng = random.Random(seed)
        gold, a, b = make(rng, 14 if clustered else 9)
        clusters = [i * 7 // 14 for i in range(14)] if clustered else None
        if clusters:
            clusters[0] = clusters[1] = clusters[2] = 0  # of unequal sizes
        d = compare(
            {"a": a, "b": b}, gold, metric=name, clusters=clusters, alternative=alternative, test=test
        ).differences[0]
        assert (d.a, d.b) == ("a", "b") or alternative == "two-sided"
        assert d.test.name == test
        shared = STANDARDISED[name] if test != "permutation" else list
        expected = plain.permutation_p(score, gold, shared(a), shared(b), alternative, clusters)
        assert d.exact
        assert d.p_value == pytest.approx(expected, abs=1e-12), seed
        assert d.test.n_resamples == 0
        assert abs(d.estimate) == pytest.approx(abs(score(gold, a) - score(gold, b)), abs=1e-12)


DRAWS: list[Callable[[random.Random], float]] = [
    lambda rng: rng.gauss(0.3, 1.0),
    lambda rng: float(rng.randint(-2, 3)),
    lambda rng: rng.randint(0, 9) / 10,
]


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_exact_p_of_means_against_all_swaps(alternative: str, clustered: bool) -> None:
    for seed in range(6):
        rng = random.Random(seed)
        n = 12 if clustered else 9
        draw = DRAWS[seed % 3]
        a, b = ([draw(rng) for _ in range(n)] for _ in "ab")
        clusters = [i * i // 20 for i in range(n)] if clustered else None
        d = compare({"a": a, "b": b}, clusters=clusters, alternative=alternative).differences[0]
        expected = plain.permutation_p(plain.mean, a, a, b, alternative, clusters)
        assert d.exact
        assert d.p_value == pytest.approx(expected, abs=1e-12), seed


@pytest.mark.parametrize("test", ["mcnemar", "sign"])
def test_binomial_tests_against_the_sum_of_the_binomial(test: str) -> None:
    gold = ["x"] * 30
    a = ["x"] * 25 + ["y"] * 5
    b = ["y"] * 9 + ["x"] * 19 + ["y"] * 2
    n10, n01 = 9, 3
    tail = sum(math.comb(12, k) for k in range(n10, 13)) / 2**12
    d = compare({"a": a, "b": b}, gold, test=test)["a", "b"]
    assert (d.score_a - d.score_b) * 30 == pytest.approx(n10 - n01)
    assert d.p_value == pytest.approx(2 * tail, rel=1e-12)


def signed_tail(sizes: list[float], far: float) -> float:
    """Return P(S >= far) over all sign changes, by a merge of the two halves' sums (meet in the middle)."""
    half = len(sizes) // 2

    def sums(part: list[float]) -> np.ndarray:
        out = np.zeros(1)
        for size in part:
            out = np.concatenate([out - size, out + size])
        return np.sort(out)

    left, right = sums(sizes[:half]), sums(sizes[half:])
    return float((left.size - np.searchsorted(left, far - right)).sum()) / 2.0 ** len(sizes)


@pytest.mark.parametrize("n", [37, 40])
@pytest.mark.parametrize("shift", [0.0, 0.2, 0.5])
def test_characteristic_function_against_meet_in_the_middle(n: int, shift: float) -> None:
    d = np.random.default_rng([n, int(10 * shift)]).normal(shift, 1.0, n)
    found = exact_mean(d, np.ones(n, dtype=np.int64), "greater", float(n))
    assert found is not None
    assert found.method == "characteristic function"
    assert found.p_value == pytest.approx(signed_tail(np.abs(d).tolist(), float(d.sum())), abs=1e-4)


def test_characteristic_function_of_heavy_tails_against_meet_in_the_middle() -> None:
    """Where a few differences are far larger than the rest the distribution is far from normal."""
    d = np.random.default_rng(3).standard_t(1.5, 40)
    found = exact_mean(d, np.ones(40, dtype=np.int64), "greater", 40.0)
    expected = signed_tail(np.abs(d).tolist(), float(d.sum()))
    assert found is not None
    assert found.p_value == pytest.approx(expected, abs=1e-4)


def test_characteristic_function_against_two_million_sign_changes() -> None:
    rng = np.random.default_rng(8)
    d = rng.exponential(1.0, 200) - 0.85
    found = exact_mean(d, np.ones(200, dtype=np.int64), "two-sided", 200.0)
    assert found is not None
    assert found.method == "characteristic function"
    hits, draws = 0, 0
    for _ in range(20):  # a sum of random signs is twice the sum of a random subset, less the whole
        taken = rng.integers(0, 2, (100_000, 200), dtype=np.int8).astype(np.float32) @ np.abs(d).astype("f4")
        hits += int((np.abs(2.0 * taken - np.abs(d).sum()) >= abs(d.sum()) - 1e-4).sum())
        draws += 100_000
    p = hits / draws
    # Five standard errors: false alarm rate 6e-7.
    assert found.p_value == pytest.approx(p, abs=5.0 * math.sqrt(p * (1 - p) / draws))


@pytest.mark.parametrize("power", [6.0, 12.0, 25.0])
def test_tiny_p_values_keep_their_digits(power: float) -> None:
    """Tilted to the observed value; the reference is the exact distribution of a lattice, in integers."""
    rng = np.random.default_rng(5)
    steps = rng.integers(1, 5, 300)
    signs = np.where(rng.random(300) < 0.5 + 0.5 * min(power / 20.0, 0.95), 1, -1)
    d = steps * signs
    ways = {0: 1}
    for step in steps.tolist():
        after: dict[int, int] = {}
        for total, count in ways.items():
            for moved in (total - step, total + step):
                after[moved] = after.get(moved, 0) + count
        ways = after
    expected = sum(count for total, count in ways.items() if total >= d.sum()) / 2**300
    found = exact_mean(d.astype(float), np.ones(300, dtype=np.int64), "greater", 300.0)
    assert found is not None
    assert found.method == "convolution"
    assert found.p_value == pytest.approx(expected, rel=1e-8)
    if power > 20.0:  # nearly all differences have one sign: real numbers are resampled there
        return
    # The same as real numbers that are no lattice: close to it, far out in the tail too.
    real = d * (1.0 + 1e-2 * rng.normal(size=300))
    far = exact_mean(real, np.ones(300, dtype=np.int64), "greater", 300.0)
    assert far is not None
    assert far.method == "characteristic function"
    assert math.log(far.p_value) == pytest.approx(math.log(expected), rel=0.02)


def test_exact_and_monte_carlo_agree_where_both_can_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(2)
    gold, a, b = labels(rng, 120)
    for name in ("accuracy", "f1[pos]", "f1_macro"):
        exact = compare({"a": a, "b": b}, gold, metric=name).differences[0]
        assert exact.exact or name == "f1_macro"
        from bestby.engine.permutations import Swaps

        with monkeypatch.context() as patch:
            patch.setattr(Swaps, "_exact", lambda *_: None)
            patch.setattr(Swaps, "one_sum_test", lambda *_: None)
            patch.setattr("bestby.engine.permutations.CELL_COST_SWAP", math.inf)
            for clusters in (None, range(120)):  # labels by cells, and a swap of each cluster
                how = {"metric": name, "clusters": clusters, "interval": None, "n_resamples": 20_000}
                drawn = compare({"a": a, "b": b}, gold, **how).differences[0]
                assert not drawn.exact
                error = math.hypot(drawn.test.error, exact.test.error)
                assert drawn.p_value == pytest.approx(exact.p_value, abs=5.0 * error + 1e-4)


@pytest.mark.parametrize("n", [60, 600, 4000])
def test_draws_of_few_and_many_items_agree_with_the_exact_p_value(
    n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within 4.5 standard errors of 100,000 draws: each fails once in 10^5."""
    from bestby.engine.permutations import Swaps

    rng = random.Random(n)
    gold, a, _ = labels(rng, n)
    b = [g if rng.random() < 0.68 else rng.choice(LABELS) for g in gold]
    how = {
        "gold": gold,
        "metric": ["f1[pos]", "precision[neg]"],
        "interval": "normal",
        "n_resamples": 100_000,
    }
    exact = compare({"a": a, "b": b}, **how)
    monkeypatch.setattr(Swaps, "_exact", lambda *_: None)
    for one, other in zip(exact, compare({"a": a, "b": b}, **how), strict=True):
        assert one.exact
        assert other.test.method == "monte carlo"
        assert 0.01 < one.p_value < 0.99
        error = math.sqrt(one.p_value * (1.0 - one.p_value) / 100_000)
        assert other.p_value == pytest.approx(one.p_value, abs=4.5 * error)


@pytest.mark.parametrize("sizes", [(1.0, math.sqrt(2.0)), (0.1, 0.7071067), (1.0, math.pi, math.e)])
@pytest.mark.parametrize("n", [20, 100, 1000])
def test_a_few_real_sizes_that_many_units_share_keep_their_ties(n: int, sizes: tuple[float, ...]) -> None:
    """Sums of signed a's and b's are no lattice, but they recur: a tie has a mass of up to 0.6 / n."""
    from scipy.stats import binom

    if len(sizes) == 3 and n > 20:
        n = 50
    net = 2 * (int(math.sqrt(n)) // 2)
    d = np.concatenate([np.repeat([v, -v], [(n + net) // 2, (n - net) // 2]) for v in sizes])
    found = exact_mean(d, np.ones(d.size, dtype=np.int64), "greater", 1.0)
    assert found is not None
    first = (2 * np.arange(n + 1) - n) * sizes[0]
    left, mass = first, binom.pmf(np.arange(n + 1), n, 0.5)
    for size in sizes[2:]:
        other = (2 * np.arange(n + 1) - n) * size
        left = (left[:, None] + other[None, :]).ravel()
        mass = (mass[:, None] * binom.pmf(np.arange(n + 1), n, 0.5)[None, :]).ravel()
    second = (2 * np.arange(n + 1) - n) * sizes[1]
    at_least = np.searchsorted(second, d.sum() - left - 1e-9)
    expected = float(mass @ binom.sf(at_least - 1, n, 0.5))
    assert found.p_value == pytest.approx(expected, rel=1e-9)


def root(x: Fraction) -> Decimal:
    return (Decimal(x.numerator) / Decimal(x.denominator)).sqrt()


def exact_rmse(gold: list[Fraction], predictions: list[Fraction]) -> Decimal:
    squares = [(p - g) ** 2 for g, p in zip(gold, predictions, strict=True)]
    return root(sum(squares, Fraction(0)) / len(squares))


def exact_p(gold: list[float], a: list[float], b: list[float], alternative: str, unit: list[int]) -> float:
    """Return the p-value of rmse from all swaps of units, in fractions, roots with forty digits."""
    g, x, y = ([Fraction(value) for value in values] for values in (gold, a, b))
    differences = []
    with localcontext() as context:
        context.prec = 40
        for swapped in itertools.product((False, True), repeat=max(unit) + 1):
            first = [q if swapped[u] else p for p, q, u in zip(x, y, unit, strict=True)]
            second = [p if swapped[u] else q for p, q, u in zip(x, y, unit, strict=True)]
            differences.append(exact_rmse(g, first) - exact_rmse(g, second))
        sign = -1 if alternative == "less" else 1
        distances = [abs(d) if alternative == "two-sided" else sign * d for d in differences]
        hits = sum(distance >= distances[0] - Decimal("1e-30") for distance in distances)
    return hits / len(distances)


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("steps", [None, 4, 1000])
def test_exact_p_beside_a_perfect_system(steps: int | None, alternative: str, clustered: bool) -> None:
    """Where the root is steepest an error of 1e-17 in the sum is one of 1e-9 in the score.

    Errors are real numbers, or multiples of 1/1024, which no float rounds, few of them for ties.
    """
    for seed in range(6):
        rng = random.Random(seed)
        n = 12 if clustered else 7
        unit = [i % 6 if clustered else i for i in range(n)]
        gold = [rng.gauss(0, 1) if steps is None else rng.randint(-99, 99) / 64 for _ in range(n)]
        errors = [rng.gauss(0, 1) if steps is None else rng.randint(1, steps) / 1024 for _ in range(n)]
        b = [g + e for g, e in zip(gold, errors, strict=True)]
        d = compare(
            {"a": gold, "b": b},
            gold,
            metric="rmse",
            alternative=alternative,
            clusters=unit if clustered else None,
            interval="percentile",
            test="permutation",
            n_resamples=20,
        ).differences[0]
        assert (d.a, d.b) == ("a", "b")
        assert d.exact
        assert d.p_value == pytest.approx(exact_p(gold, gold, b, alternative, unit), rel=1e-14), seed
