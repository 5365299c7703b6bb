"""Almost stochastic order against plain loops: a fine grid, fractions, every resample and deal; deepsig."""

from __future__ import annotations

import importlib
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bestby as bb
from bestby.questions.order.ordering import n_deals

whole = st.lists(st.integers(-30, 30), min_size=2, max_size=9)


def quantile(ordered: list, t: Fraction):  # type: ignore[no-untyped-def, type-arg]
    """Return the least value x with F(x) >= t, for 0 < t <= 1."""
    return ordered[math.ceil(t * len(ordered)) - 1]


def squares_of(a: list[int], b: list[int]) -> tuple[Fraction, Fraction]:
    """Return the squared distance where B is ahead, and the whole: from the middles of steps of 1 / (n m)."""
    cells = len(a) * len(b)
    a, b = sorted(a), sorted(b)
    bad = total = Fraction(0)
    for k in range(cells):
        t = Fraction(2 * k + 1, 2 * cells)
        x, y = Fraction(quantile(a, t)), Fraction(quantile(b, t))
        total += (x - y) ** 2
        if x < y:
            bad += (x - y) ** 2
    return bad / cells, total / cells


def ratio_of(a: list[int], b: list[int]) -> Fraction | None:
    """Return the violation ratio in fractions."""
    bad, total = squares_of(a, b)
    return bad / total if total else None


def shrinkage(a: list[int], b: list[int]) -> Fraction:
    """Return a tenth of the squared standard error of a difference of means, by the interquartile range."""
    pool, ends = sorted(a + b), []
    for quarter in (1, 3):
        at = Fraction(quarter * (len(pool) - 1), 4)
        low = math.floor(at)
        ends.append(pool[low] + (at - low) * (pool[min(low + 1, len(pool) - 1)] - pool[low]))
    spread = (ends[1] - ends[0]) / Fraction("1.3489795")
    return spread**2 * (Fraction(1, len(a)) + Fraction(1, len(b))) / 10


def ratio_on_a_grid(a: np.ndarray, b: np.ndarray, dt: float) -> float:
    """Return it as Dror et al. (2019), eq. 4, is computed in practice: as Riemann sums over steps of dt."""
    a, b = np.sort(a), np.sort(b)
    bad = total = 0.0
    for k in range(1, round(1 / dt) + 1):
        t = k * dt - dt / 2
        difference = b[math.ceil(t * b.size) - 1] - a[math.ceil(t * a.size) - 1]
        total += difference**2 * dt
        bad += max(difference, 0.0) ** 2 * dt
    return bad / total


@given(a=whole, b=whole)
def test_violation_ratio_in_fractions(a: list[int], b: list[int]) -> None:
    expected = ratio_of(a, b)
    found = bb.aso(a, b, n_resamples=1).violation_ratio
    assert math.isnan(found) if expected is None else found == pytest.approx(float(expected), abs=1e-12)


@pytest.mark.parametrize(("n", "m"), [(5, 5), (7, 13), (50, 31), (3, 100)])
def test_violation_ratio_on_a_fine_grid(n: int, m: int) -> None:
    rng = np.random.default_rng(n)
    a, b = rng.normal(0.2, 1, n), rng.normal(0, 1, m)
    exact = bb.aso(a, b, n_resamples=1).violation_ratio
    assert exact == pytest.approx(ratio_on_a_grid(a, b, 1e-5), abs=1e-3)


@pytest.mark.parametrize(("a", "b"), [([1, 4, 6], [2, 3, 5]), ([1, 4], [2, 3, 4]), ([0, 3, 4], [1, 1, 4])])
def test_standard_error_over_every_resample(a: list[int], b: list[int]) -> None:
    every = [
        0.5 if ratio is None else float(ratio)
        for x in itertools.product(a, repeat=len(a))
        for y in itertools.product(b, repeat=len(b))
        for ratio in [ratio_of(list(x), list(y))]
    ]
    exact = float(np.std(every))
    order = bb.aso(a, b, n_resamples=20_000)
    # The standard error of a standard deviation of values within [0, 1] is below 0.5 / sqrt(B): five of them.
    assert order.standard_error == pytest.approx(exact, abs=5 * 0.5 / math.sqrt(20_000))
    published = exact * math.sqrt(len(a) * len(b) / (len(a) + len(b)))
    bound = float(ratio_of(a, b) or 0) + 1.6448536 * published / math.sqrt(
        len(a) * len(b) / (len(a) + len(b))
    )
    assert order.epsilon_min == pytest.approx(min(bound, 1.0), abs=0.03)


def p_over_every_deal(a: list[int], b: list[int]) -> float:
    """Return the share of deals with a smaller shrunk ratio, or the same and means as far apart."""
    shrink = shrinkage(a, b)

    def seen(x: list[int], y: list[int]) -> tuple[Fraction, Fraction]:
        bad, total = squares_of(x, y)
        return (
            (bad + shrink) / (total + 2 * shrink) if total else Fraction(1, 2),
            Fraction(sum(y), len(y)) - Fraction(sum(x), len(x)),
        )

    if ratio_of(a, b) is None:  # the same samples: no evidence for either
        return 1.0
    pool, hits, count = a + b, 0, 0
    for chosen in itertools.combinations(range(len(pool)), len(a)):
        x = [pool[i] for i in chosen]
        y = [pool[i] for i in range(len(pool)) if i not in chosen]
        hits += seen(x, y) <= seen(a, b)
        count += 1
    assert count == n_deals(len(a), len(b))
    return hits / count


small = st.lists(st.integers(0, 12), min_size=2, max_size=4)


@given(a=small, b=small)
def test_p_value_over_every_deal(a: list[int], b: list[int]) -> None:
    assert bb.aso(a, b, n_resamples=1).p_value == pytest.approx(p_over_every_deal(a, b))


def test_sampled_p_value_is_that_of_every_deal() -> None:
    """Seven standard errors: false alarm below 1e-11."""
    rng = np.random.default_rng(8)
    a, b = rng.normal(0.7, 1, 9), rng.normal(0, 1, 9)
    exact = bb.aso(a, b)
    assert exact.test.exact
    from bestby.questions.order import ordering

    hits = ordering._random_deals(9, 9, 20_000, 0)
    pool = np.sort(np.concatenate([a, b]))
    observed = (np.sort(a) - np.sort(b))[None, :]
    width, shrink = np.full(9, 1 / 9), ordering._shrinkage(pool, 9, 9)
    share = sum(ordering._extreme(pool[p] - pool[q], observed, width, shrink)[0] for p, q in hits) / 20_000
    assert share == pytest.approx(exact.p_value, abs=7 * math.sqrt(exact.p_value / 20_000))


def test_random_deals_are_uniform() -> None:
    """All 10 ways to choose 2 of 5, 20 000 deals: chi-squared with 9 df is above 45 once in 1e6."""
    from bestby.questions.order import ordering

    counts: dict[tuple[int, ...], int] = {}
    first, _, _ = ordering.merged_steps(2, 3)
    for p, _ in ordering._random_deals(2, 3, 20_000, 1):
        for row in p[:, [0, -1]]:
            counts[tuple(row)] = counts.get(tuple(row), 0) + 1
    assert first[0] == 0
    assert len(counts) == 10
    assert sum((count - 2000) ** 2 / 2000 for count in counts.values()) < 45


@pytest.mark.parametrize(("n", "m", "seed"), [(5, 5, 0), (20, 20, 1), (10, 30, 2)])
def test_the_published_package_as_its_grid_gets_fine(n: int, m: int, seed: int) -> None:
    deepsig = pytest.importorskip("deepsig", reason="deepsig 1.2.8 is not installed")
    module = importlib.import_module("deepsig.aso")
    rng = np.random.default_rng(seed)
    a, b = rng.normal(0.4, 1, n), rng.normal(0, 1, m)
    ours = bb.aso(a, b, n_resamples=4000)
    assert ours.violation_ratio == pytest.approx(module.compute_violation_ratio(a, b, dt=1e-4), abs=1e-3)
    theirs = deepsig.aso(a, b, seed=1, show_progress=False, num_bootstrap_iterations=300)
    # 300 resamples know a standard error to about 8 % (two of their own), the grid adds 1 / 200.
    assert ours.epsilon_min == pytest.approx(theirs, abs=0.16 * 1.645 * ours.standard_error + 0.03)
