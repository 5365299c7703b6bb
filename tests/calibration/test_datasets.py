"""Counts of datasets, tests of ranks and tests of folds keep their level and find what is there.

Bounds leave a tail of 1e-4 each (see counting.py); seeds are fixed.
"""

from __future__ import annotations

import numpy as np
import pytest
from calibration.statements import What
from calibration.subjects import folds as folds_subject
from scipy import stats
from tests.calibration.counting import at_least, at_most

from bestby.inference import classical
from bestby.questions.datasets import ranking
from bestby.questions.folds import crossvalidation
from bestby.report.replicability import replicability

LEVEL = 0.05
SIZE = 1000


def p_values(generator: np.random.Generator, effects: int, n: int, correlation: float) -> np.ndarray:
    """Return one-sided p-values of n datasets, the first of which have an effect of 3 standard errors."""
    shared = np.sqrt(correlation) * generator.normal()
    z = shared + np.sqrt(1.0 - correlation) * generator.normal(size=n)
    z[:effects] += 3.0
    return stats.norm.sf(z)


@pytest.mark.parametrize("effects", [0, 2, 4])
@pytest.mark.parametrize("correlation", [0.0, 0.8])
def test_counts_exceed_the_truth_in_five_percent_at_most(effects: int, correlation: float) -> None:
    generator = np.random.default_rng(1)
    found = [replicability(p_values(generator, effects, 6, correlation)) for _ in range(SIZE)]
    assert sum(r.k_bonferroni > effects for r in found) <= at_most(LEVEL, SIZE)
    if correlation == 0.0:
        assert sum(r.k_fisher > effects for r in found) <= at_most(LEVEL, SIZE)


def test_fisher_needs_independence_and_plain_counting_is_wrong() -> None:
    """With correlated datasets K-Fisher exceeds its level; counting p-values below 0.05 does so always."""
    generator = np.random.default_rng(2)
    together = [replicability(p_values(generator, 0, 6, 0.8)) for _ in range(SIZE)]
    assert sum(r.k_fisher > 0 for r in together) > at_most(LEVEL, SIZE)
    apart = [p_values(generator, 2, 20, 0.0) for _ in range(SIZE)]
    assert sum((p <= LEVEL).sum() > 2 for p in apart) > at_least(0.4, SIZE)


def test_counts_find_effects() -> None:
    """Four effects of three standard errors on six datasets: K-Fisher finds at least two nearly always."""
    generator = np.random.default_rng(3)
    found = [replicability(p_values(generator, 4, 6, 0.0)) for _ in range(SIZE)]
    assert sum(r.k_fisher >= 2 for r in found) >= at_least(0.9, SIZE)
    assert np.mean([r.k_fisher for r in found]) >= np.mean([r.k_bonferroni for r in found])


@pytest.mark.parametrize(("n", "k"), [(3, 3), (4, 3), (4, 4), (8, 3)])
def test_the_exact_friedman_test_keeps_its_level(n: int, k: int) -> None:
    generator = np.random.default_rng(4)
    p = np.array([ranking.friedman(generator.normal(size=(n, k))).p_exact for _ in range(500)])
    for level in (0.05, 0.2):
        assert (p <= level).sum() <= at_most(level, 500)


@pytest.mark.parametrize(("n", "k", "rate"), [(10, 4, 0.06), (10, 10, 0.06), (30, 5, 0.06)])
def test_iman_and_davenport_keeps_its_level_from_ten_datasets_on(n: int, k: int, rate: float) -> None:
    """An approximation: 6 % are allowed for 5 %; and at least 4 % are used."""
    generator = np.random.default_rng(5)
    x = generator.normal(size=(SIZE, n, k))
    # `p_f` by itself, without the enumeration that `friedman` adds for small tables
    p = np.array([stats.f.sf(_f(one), k - 1, (k - 1) * (n - 1)) for one in x])
    assert at_least(0.04, SIZE) <= (p <= LEVEL).sum() <= at_most(rate, SIZE)


def _f(x: np.ndarray) -> float:
    n, k = x.shape
    chi = classical.friedman(x)[0]
    return (n - 1) * chi / (n * (k - 1) - chi)


@pytest.mark.parametrize(("n", "k"), [(5, 3), (10, 5), (15, 10)])
def test_nemenyi_and_holm_keep_the_family(n: int, k: int) -> None:
    generator = np.random.default_rng(6)
    cd = ranking.critical_difference(k, n)
    by_nemenyi = by_holm = 0
    for _ in range(SIZE):
        average = ranking.average_ranks(generator.normal(size=(n, k)))
        by_nemenyi += np.ptp(average) >= cd
        by_holm += np.nanmin(ranking.holm_ranks(average, n)) <= LEVEL
    assert by_nemenyi <= at_most(LEVEL, SIZE)
    assert by_holm <= at_most(LEVEL, SIZE)


def test_a_better_system_is_found_by_rank() -> None:
    """One of four systems ahead by 1.8 standard deviations on 12 datasets: 8 of 10 times by every test."""
    generator = np.random.default_rng(7)
    found = {"friedman": 0, "nemenyi": 0, "holm": 0}
    for _ in range(200):
        x = generator.normal(size=(12, 4))
        x[:, 0] += 1.8
        average = ranking.average_ranks(x)
        found["friedman"] += ranking.friedman(x).p_f <= LEVEL
        found["nemenyi"] += ranking.nemenyi(average, 12)[0, 1:].min() <= LEVEL
        found["holm"] += ranking.holm_ranks(average, 12)[0, 1:].min() <= LEVEL
    assert min(found.values()) >= at_least(0.8, 200)


def folds(generator: np.random.Generator, repetitions: int, k: int, effect: float = 0.0) -> np.ndarray:
    """Return differences of folds as Nadeau and Bengio model them: correlation 1 / k."""
    rho = 1.0 / k
    own = generator.normal(size=(repetitions, k)) * np.sqrt(1.0 - rho)
    return effect + np.sqrt(rho) * generator.normal() + own


@pytest.mark.parametrize(("repetitions", "k"), [(1, 10), (10, 10), (5, 2)])
def test_the_corrected_t_test_keeps_its_level_and_the_plain_one_does_not(repetitions: int, k: int) -> None:
    generator = np.random.default_rng(8)
    data = [folds(generator, repetitions, k) for _ in range(SIZE)]
    corrected = [crossvalidation.corrected_t(d, 1.0 / (k - 1)).p_value for d in data]
    plain = [classical.paired_t(d.reshape(-1)).p_value for d in data]
    assert at_least(LEVEL, SIZE) <= np.sum(np.array(corrected) <= LEVEL) <= at_most(LEVEL, SIZE)
    assert np.sum(np.array(plain) <= LEVEL) > at_most(LEVEL, SIZE)
    inside = [0.0 in crossvalidation.corrected_interval(d, 1.0 / (k - 1)) for d in data]
    assert at_least(0.95, SIZE) <= sum(inside) <= at_most(0.95, SIZE)


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_one_sided_tests_of_folds(alternative: str) -> None:
    generator = np.random.default_rng(9)
    p = [
        crossvalidation.corrected_t(folds(generator, 1, 10), 1 / 9, alternative).p_value for _ in range(SIZE)
    ]
    assert at_least(LEVEL, SIZE) <= np.sum(np.array(p) <= LEVEL) <= at_most(LEVEL, SIZE)


def test_five_by_two_tests_keep_their_level_and_have_power() -> None:
    """On the design they were made for: halves that are independent within a repetition."""
    generator = np.random.default_rng(10)
    null = [generator.normal(size=(5, 2)) for _ in range(SIZE)]
    far = [d + 3.0 for d in null]
    for test in (crossvalidation.five_by_two_f, crossvalidation.five_by_two_t):
        assert sum(test(d).p_value <= LEVEL for d in null) <= at_most(LEVEL, SIZE)
    found = sum(crossvalidation.five_by_two_f(d).p_value <= LEVEL for d in far)
    by_t = sum(crossvalidation.five_by_two_t(d).p_value <= LEVEL for d in far)
    assert found >= at_least(0.85, SIZE)
    assert found > by_t


def test_a_real_difference_is_found_over_folds() -> None:
    """Ahead by 1.5 standard deviations of a fold: power about 93 % with 10 folds."""
    generator = np.random.default_rng(11)
    p = [crossvalidation.corrected_t(folds(generator, 1, 10, 1.5), 1 / 9).p_value for _ in range(SIZE)]
    assert np.sum(np.array(p) <= LEVEL) >= at_least(0.85, SIZE)


def test_the_default_of_5x2_folds_keeps_its_level_for_learners() -> None:
    """Nearest centroids on two views that are alike, 58 % right: the combined F test rejects some 14 %."""
    cell = next(cell for cell in folds_subject.cells() if "5 × 2: nearest centroid, 58" in cell.population)
    generator = np.random.default_rng(12)
    found = [cell.one(generator, 0) for _ in range(400)]
    assert sum(bool(one[folds_subject.REJECTS].true) for one in found) <= at_most(LEVEL, 400)
    by_f = sum(bool(one[What("rejected", "5x2cv-f")].true) for one in found)
    assert by_f > at_most(LEVEL, 400)
