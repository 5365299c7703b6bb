"""Replicability, ranks, folds, micro and macro against plain loops and full enumeration."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from bestby.data.evaluation import Evaluation
from bestby.questions.datasets import ranking
from bestby.questions.datasets.compare import compare_datasets
from bestby.questions.folds import crossvalidation
from bestby.questions.folds.compare import compare_folds
from bestby.report import replicability


def claims(p: list[float], fisher: bool) -> list[float]:
    """Return the p-values of "at least u", one at a time, each no smaller than the last."""
    ordered, found, largest = sorted(p), [], 0.0
    for u in range(1, len(p) + 1):
        rest = ordered[u - 1 :]
        if fisher:
            total = -2.0 * sum(math.log(value) for value in rest)
            one = float(stats.chi2.sf(total, 2 * len(rest)))
        else:
            one = min(1.0, len(rest) * rest[0])
        largest = max(largest, one)
        found.append(largest)
    return found


def test_partial_conjunctions(generator: np.random.Generator) -> None:
    for n in (1, 2, 5, 12):
        p = generator.beta(0.5, 1.0, n)
        for kind in ("bonferroni", "fisher"):
            expected = claims(p.tolist(), kind == "fisher")
            assert replicability.partial_conjunctions(p, kind) == pytest.approx(expected, rel=1e-9)


def midranks(row: list[float], greater: bool) -> list[Fraction]:
    return [
        Fraction(1)
        + sum((other > value) if greater else (other < value) for other in row)
        + Fraction(sum(other == value for other in row) - 1, 2)
        for value in row
    ]


@pytest.mark.parametrize("greater", [True, False])
def test_average_ranks(generator: np.random.Generator, greater: bool) -> None:
    for n, k in ((1, 2), (7, 5), (14, 4)):
        x = generator.integers(0, 4, (n, k)).astype(float)
        rows = [midranks(row, greater) for row in x.tolist()]
        expected = [float(sum(row[j] for row in rows) / n) for j in range(k)]
        assert ranking.average_ranks(x, greater_is_better=greater) == pytest.approx(expected)


def spread(table: list[list[Fraction]]) -> Fraction:
    n, k = len(table), len(table[0])
    centre = Fraction(n * (k + 1), 2)
    return sum(((sum(row[j] for row in table) - centre) ** 2 for j in range(k)), Fraction(0))


@pytest.mark.parametrize(("n", "k"), [(2, 3), (3, 3), (4, 3), (2, 4), (3, 4)])
def test_exact_friedman_against_all_orders(generator: np.random.Generator, n: int, k: int) -> None:
    for ties in (False, True):
        x = generator.integers(0, 3, (n, k)).astype(float) if ties else generator.normal(size=(n, k))
        rows = [midranks(row, True) for row in x.tolist()]
        observed, hits, total = spread(rows), 0, 0
        for orders in itertools.product(*(itertools.permutations(row) for row in rows)):
            total += 1
            hits += spread([list(order) for order in orders]) >= observed
        assert ranking.friedman(x).p_exact == pytest.approx(hits / total)


def test_nemenyi_by_simulation(generator: np.random.Generator) -> None:
    """2e5 ranges of five normal variables; false alarm 1e-4 (four standard errors)."""
    z = generator.normal(size=(200_000, 5))
    q = np.ptp(z, axis=1)
    for point in (2.0, 3.0, 3.858):
        share = float((q > point).mean())
        error = math.sqrt(share * (1 - share) / q.size)
        assert ranking.studentized_range_sf(point, 5) == pytest.approx(share, abs=4 * error)


def test_tests_of_folds(generator: np.random.Generator) -> None:
    d = generator.normal(0.02, 0.05, (5, 2)).tolist()
    flat = [value for row in d for value in row]
    mean = sum(flat) / 10
    variance = sum((value - mean) ** 2 for value in flat) / 9
    t = mean / math.sqrt((1 / 10 + 1.0) * variance)
    corrected = crossvalidation.corrected_t(d, 1.0)
    assert corrected.statistic == pytest.approx(t)
    assert corrected.p_value == pytest.approx(2 * stats.t.sf(abs(t), 9))
    squares, variances = 0.0, 0.0
    for first, second in d:
        middle = (first + second) / 2
        variances += (first - middle) ** 2 + (second - middle) ** 2
        squares += first**2 + second**2
    dietterich = d[0][0] / math.sqrt(variances / 5)
    assert crossvalidation.five_by_two_t(d).statistic == pytest.approx(dietterich)
    assert crossvalidation.five_by_two_t(d).p_value == pytest.approx(2 * stats.t.sf(abs(dietterich), 5))
    f = squares / (2 * variances)
    assert crossvalidation.five_by_two_f(d).statistic == pytest.approx(f)
    assert crossvalidation.five_by_two_f(d).p_value == pytest.approx(stats.f.sf(f, 10, 5))


def drawn(generator: np.random.Generator, sizes: dict[str, int]) -> dict[str, Evaluation]:
    return {
        name: Evaluation.of(
            {"a": (generator.random(n) < 0.8).astype(int), "b": (generator.random(n) < 0.7).astype(int)}
        )
        for name, n in sizes.items()
    }


def test_micro_and_macro(generator: np.random.Generator) -> None:
    parts = drawn(generator, {"one": 40, "two": 160, "three": 25})
    result = compare_datasets(parts, n_resamples=4000)
    gaps, right = [], {"a": 0, "b": 0}
    for part in parts.values():
        scores = {name: sum(values.tolist()) / part.n_items for name, values in part.systems.items()}
        gaps.append(scores["a"] - scores["b"])
        for name, values in part.systems.items():
            right[name] += sum(values.tolist())
    n = sum(part.n_items for part in parts.values())
    for entry in result.overall:
        sign = 1 if (entry.a, entry.b) == ("a", "b") else -1
        expected = sum(gaps) / 3 if entry.average == "macro" else (right["a"] - right["b"]) / n
        assert entry.estimate * sign == pytest.approx(expected)


def test_macro_interval_redraws_the_items_inside_each_dataset(generator: np.random.Generator) -> None:
    """Against a loop over 4000 resamples; ends of both agree within 5 Monte Carlo errors (about 0.006)."""
    parts = drawn(generator, {"one": 40, "two": 160, "three": 25})
    result = compare_datasets(parts, n_resamples=4000)
    entry = next(e for e in result.overall if (e.average, e.resampled) == ("macro", "items"))
    replicates = []
    for _ in range(4000):
        total = 0.0
        for part in parts.values():
            rows = generator.integers(0, part.n_items, part.n_items)
            total += float(part.systems[entry.a][rows].mean() - part.systems[entry.b][rows].mean()) / 3
        replicates.append(total)
    low, high = np.quantile(replicates, [0.025, 0.975])
    assert (entry.interval.low, entry.interval.high) == pytest.approx((low, high), abs=0.012)


def test_macro_interval_of_many_small_datasets_has_the_whole_variance(generator: np.random.Generator) -> None:
    """The standard error is that of the means of independent datasets, within 5 Monte Carlo errors."""
    parts = drawn(generator, {f"set {i}": 4 for i in range(30)})
    result = compare_datasets(parts, n_resamples=4000)
    entry = next(e for e in result.overall if (e.average, e.resampled) == ("macro", "items"))
    differences = np.array([part.systems["a"] - part.systems["b"] for part in parts.values()], dtype=float)
    expected = math.sqrt(float((differences.var(axis=1, ddof=1) / 4).sum())) / 30
    assert entry.standard_error == pytest.approx(expected, rel=0.06)


def test_per_dataset_differences_are_those_of_compare(generator: np.random.Generator) -> None:
    from bestby import compare

    parts = drawn(generator, {"one": 40, "two": 60})
    result = compare_datasets(parts, test="bootstrap", interval="percentile", n_resamples=500, rng=7)
    for name, part in parts.items():
        alone = compare(part, test="bootstrap", interval="percentile", n_resamples=500, rng=7)
        (inside,) = result.within[name]
        assert inside.interval == alone[inside.a, inside.b].interval
        assert inside.test == alone[inside.a, inside.b].test


def test_folds_of_items(generator: np.random.Generator) -> None:
    n, parts = 90, {}
    for again in ("1", "2", "3"):
        gold = generator.integers(0, 2, n)
        right = {name: generator.random(n) < chance for name, chance in (("a", 0.85), ("b", 0.7))}
        systems = {name: np.where(hit, gold, 1 - gold) for name, hit in right.items()}
        parts[again] = Evaluation.of(systems, gold, strata=np.arange(n) % 3)
    result = compare_folds(parts)
    gaps, rows = [], []
    for evaluation in parts.values():
        hits = {name: values == evaluation.gold for name, values in evaluation.systems.items()}
        rows.append(float(hits["a"].mean() - hits["b"].mean()))
        for fold in range(3):
            inside = evaluation.strata == fold
            gaps.append(float(hits["a"][inside].mean() - hits["b"][inside].mean()))
    assert result["a", "b"].estimate == pytest.approx(sum(gaps) / 9)
    assert result.ratio == pytest.approx(0.5)
    expected = crossvalidation.conservative_t(np.reshape(gaps, (3, 3)), 0.5).p_value
    assert result["a", "b"].p_value == pytest.approx(expected)
    (spread,) = result.spread
    sign = 1 if (spread.a, spread.b) == ("a", "b") else -1
    assert sorted(sign * end for end in spread.difference) == pytest.approx([min(rows), max(rows)])
    p = [found[0].p_value for found in result.within.values()]
    assert spread.p_value == (min(p), max(p))
    assert spread.n_significant == sum(value < 0.05 for value in p)
