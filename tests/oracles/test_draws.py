"""Draws of units, cells and swaps have the frequencies that they should."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from bestby.resampling import streams, totals
from bestby.resampling.units import Units, single_stratum


def chi_squared_p(observed: np.ndarray, expected: np.ndarray) -> float:
    from scipy.stats import chi2

    statistic = float(((observed - expected) ** 2 / expected).sum())
    return float(chi2.sf(statistic, observed.size - 1))


def test_every_unit_is_drawn_as_often_as_any_other() -> None:
    """Chi-squared tests, each with false alarm rate 1e-6."""
    keys = streams.replicate_keys(streams.stream_key(0, "bootstrap"), 0, 20_000)
    drawn = totals.drawn_units(keys, np.array([0, 13]))
    assert chi_squared_p(np.bincount(drawn.ravel(), minlength=13), np.full(13, 20_000.0)) > 1e-6
    for p, q in ((0, 1), (1, 2), (3, 12)):  # pairs of draws, from one word and from two
        pairs = np.bincount(drawn[:, p] * 13 + drawn[:, q], minlength=169)
        assert chi_squared_p(pairs, np.full(169, 20_000 / 169)) > 1e-6
    successive = np.bincount(drawn[:-1, 5] * 13 + drawn[1:, 5], minlength=169)
    assert chi_squared_p(successive, np.full(169, 19_999 / 169)) > 1e-6


def test_swaps_are_fair_and_independent() -> None:
    keys = streams.replicate_keys(streams.stream_key(0, "swap"), 0, 40_000)
    bits = totals.swap_bits(keys, 70)
    assert set(np.unique(bits)) == {0, 1}
    # Standard normal deviates of 70 columns and 2415 pairs: 6.2 standard deviations each, 2e-6 in all.
    assert np.abs(bits.mean(axis=0) - 0.5).max() < 6.2 * 0.5 / 200
    signs = 2.0 * bits - 1.0
    products = (signs.T @ signs) / 40_000
    assert np.abs(products - np.eye(70)).max() < 6.2 / 200


@pytest.mark.parametrize("sizes", [(5,), (3, 4), (1, 6, 2), (7, 7)])
def test_strata_keep_their_sizes(sizes: tuple[int, ...]) -> None:
    bounds = np.cumsum([0, *sizes])
    keys = streams.replicate_keys(streams.stream_key(1, "bootstrap"), 0, 500)
    W = totals.bootstrap_weights(keys, bounds)
    for (start, stop), size in zip(itertools.pairwise(bounds), sizes, strict=True):
        assert (W[:, start:stop].sum(axis=1) == size).all()
        assert np.abs(W[:, start:stop].mean(axis=0) - 1.0).max() < 6.0 / math.sqrt(500)


def test_cells_are_drawn_as_multinomials_and_binomials() -> None:
    """Means and variances against n p and n p (1 - p); 5.5 standard errors, false alarm rate below 1e-6."""
    counts = np.array([300, 50, 400, 250])
    units = Units(counts, np.array([0, 2, 4]))
    X = np.eye(4)
    drawn = totals.bootstrap(X, units, 20_000, 0, lambda t: t)
    taken = totals.swaps(X, units, 20_000, 0, lambda t: t)
    assert (drawn[:, :2].sum(axis=1) == 350).all()
    assert (drawn[:, 2:].sum(axis=1) == 650).all()
    variance = counts * (1.0 - counts / np.array([350, 350, 650, 650]))
    for found, mean, spread in ((drawn, counts, variance), (taken, counts / 2, counts / 4)):
        assert np.abs(found.mean(axis=0) - mean).max() < 5.5 * math.sqrt(spread.max() / 20_000)
        assert found.var(axis=0) == pytest.approx(spread, rel=5.5 * math.sqrt(2 / 20_000))
    correlation = np.corrcoef(taken.T) - np.eye(4)
    assert np.abs(correlation).max() < 5.5 / math.sqrt(20_000)


def test_cells_and_units_draw_from_the_same_distribution() -> None:
    """One row of 48 units, drawn by cells and one by one: quantiles within Monte Carlo error."""
    counts = np.array([30, 18])
    by_cells = totals.bootstrap(
        np.array([[0.0], [1.0]]), Units(counts, np.array([0, 2])), 20_000, 0, lambda t: t
    )
    one_by_one = totals.bootstrap(
        np.repeat([[0.0], [1.0]], counts, axis=0), single_stratum(48), 20_000, 0, lambda t: t
    )
    shares = [np.bincount(t[:, 0].astype(int), minlength=49) for t in (by_cells, one_by_one)]
    kept = (shares[0] + shares[1]) > 40
    pooled = (shares[0] + shares[1])[kept] / 2.0
    from scipy.stats import chi2

    statistic = float(((shares[0][kept] - shares[1][kept]) ** 2 / (2.0 * pooled)).sum())
    assert chi2.sf(statistic, int(kept.sum()) - 1) > 1e-6
