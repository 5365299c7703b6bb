"""What compare_runs says, made again by plain loops that import nothing from the package but its door."""

from __future__ import annotations

import itertools
import math
import random
from statistics import NormalDist, mean, median, variance

import pytest

from bestby import compare_runs


def runs(seed: int, n: int, shift: float) -> list[float]:
    chance = random.Random(seed)
    return [round(chance.gauss(shift, 1.0), 2) for _ in range(n)]


def median_error(x: list[float]) -> float:
    """Return the distance of two order statistics over that of so many normal quantiles (Price & Bonett)."""
    n = len(x)
    c = max(1, math.floor((n + 1) / 2 - math.sqrt(n) + 0.5))
    beyond = sum(math.comb(n, k) for k in range(c)) / 2**n
    return (sorted(x)[n - c] - sorted(x)[c - 1]) / (2 * NormalDist().inv_cdf(1 - beyond))


def t_of(a: list[float], b: list[float], statistic: str) -> float:
    """Return the difference of two locations in its standard errors."""
    if statistic == "median":
        return (median(a) - median(b)) / math.hypot(median_error(a), median_error(b))
    return (mean(a) - mean(b)) / math.sqrt(variance(a) / len(a) + variance(b) / len(b))


def paired_t_of_medians(a: list[float], b: list[float]) -> float:
    """Return the same for the medians of an odd number of pairs, as often on one side as on two."""
    one, other = median_error(a), median_error(b)
    sides = [(x - median(a)) * (y - median(b)) for x, y in zip(a, b, strict=True)]
    covariance = (sum(x > 0 for x in sides) - sum(x < 0 for x in sides)) / len(a) * one * other
    return (median(a) - median(b)) / math.sqrt(one**2 + other**2 - 2 * covariance)


@pytest.mark.parametrize(("n", "m"), [(3, 3), (4, 6), (7, 5)])
@pytest.mark.parametrize("statistic", ["mean", "median"])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_permutation_by_enumeration(n: int, m: int, statistic: str, alternative: str) -> None:
    a, b = runs(1, n, 0.8), runs(2, m, 0.0)
    pooled, hits, total = a + b, 0, 0
    observed = t_of(a, b, statistic)
    for chosen in itertools.combinations(range(n + m), n):
        first = [pooled[i] for i in chosen]
        second = [pooled[i] for i in range(n + m) if i not in chosen]
        d = t_of(first, second, statistic)
        far = {"two-sided": abs(d) - abs(observed), "greater": d - observed, "less": observed - d}[
            alternative
        ]
        hits += far >= -1e-9
        total += 1
    found = compare_runs({"a": a, "b": b}, statistic=statistic, alternative=alternative, test="permutation")
    assert found["a", "b"].p_value == pytest.approx(hits / total)


@pytest.mark.parametrize("statistic", ["mean", "median"])
def test_paired_permutation_by_enumeration(statistic: str) -> None:
    of = {"mean": lambda x, y: mean(x) - mean(y), "median": paired_t_of_medians}[statistic]
    a, b = runs(3, 7, 0.8), runs(4, 7, 0.0)
    observed, hits = of(a, b), 0
    for swaps in itertools.product((False, True), repeat=7):
        first = [y if s else x for x, y, s in zip(a, b, swaps, strict=True)]
        second = [x if s else y for x, y, s in zip(a, b, swaps, strict=True)]
        hits += abs(of(first, second)) >= abs(observed) - 1e-9
    found = compare_runs({"a": a, "b": b}, statistic=statistic, paired=True, test="permutation")["a", "b"]
    assert found.p_value == pytest.approx(hits / 2**7)


def test_probability_of_improvement_by_pairs_of_runs() -> None:
    a, b = runs(5, 6, 0.3), runs(6, 9, 0.0)
    a[0] = b[0]
    wins = sum(1.0 if x > y else 0.5 if x == y else 0.0 for x in a for y in b)
    assert compare_runs({"a": a, "b": b})["a", "b"].improvement == pytest.approx(wins / 54)
    paired = sum(1.0 if x > y else 0.5 if x == y else 0.0 for x, y in zip(a, b, strict=False))
    assert compare_runs({"a": a, "b": b[:6]}, paired=True)["a", "b"].improvement == pytest.approx(paired / 6)


def test_violation_ratio_by_a_fine_grid() -> None:
    a, b = runs(7, 5, 0.3), runs(8, 4, 0.0)
    behind = total = 0.0
    for i in range(20_000):
        t = (i + 0.5) / 20_000
        d = sorted(a)[math.floor(t * 5)] - sorted(b)[math.floor(t * 4)]
        behind += min(d, 0.0) ** 2
        total += d**2
    found = compare_runs({"a": a, "b": b})["a", "b"]
    assert found.order.violation_ratio == pytest.approx(behind / total, abs=1e-3)
    assert found.reverse_order.violation_ratio == pytest.approx(1 - behind / total, abs=1e-3)


def test_standard_error_over_items_and_runs_by_loops() -> None:
    """The variance of the mean of a two-way table is (MS_items + MS_runs - MS_rest) / nR."""
    chance = random.Random(9)
    n, r = 12, 4
    item, run = [chance.gauss(0, 2) for _ in range(n)], [chance.gauss(0, 1) for _ in range(r)]
    y = [[item[i] + run[k] + chance.gauss(0, 0.3) for i in range(n)] for k in range(r)]
    grand = mean(v for row in y for v in row)
    of_item, of_run = [mean(y[k][i] for k in range(r)) for i in range(n)], [mean(row) for row in y]
    ms_items = r * sum((v - grand) ** 2 for v in of_item) / (n - 1)
    ms_runs = n * sum((v - grand) ** 2 for v in of_run) / (r - 1)
    ms_rest = sum((y[k][i] - of_item[i] - of_run[k] + grand) ** 2 for k in range(r) for i in range(n))
    ms_rest /= (n - 1) * (r - 1)
    variance = (ms_items + ms_runs - ms_rest) / (n * r)
    found = compare_runs({"a": y, "b": [[0.0] * n, [0.1] * n]})
    assert found.variance("a").standard_error() == pytest.approx(math.sqrt(variance))
    interval = found.score("a").interval
    half = (interval.high - interval.low) / 2
    assert half > 2.0 * math.sqrt(variance)  # a quantile of t, not of the normal distribution, on few runs
