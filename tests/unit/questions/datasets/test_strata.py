"""Locations of the runs of several datasets together: weights, errors, profiles."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from bestby.inference import locations
from bestby.questions.datasets import strata

RNG = np.random.default_rng(5)
EQUAL = [RNG.normal(size=5) for _ in range(4)]
UNEQUAL = [RNG.normal(size=n) for n in (3, 6, 4)]


@pytest.mark.parametrize("statistic", ["mean", "median", "trimmed_mean", "iqm"])
def test_with_equal_numbers_of_runs_it_is_the_location_of_all(statistic: str) -> None:
    together = np.concatenate(EQUAL)
    found = strata.pooled_location(together[None], strata.weights_of(EQUAL), statistic)
    assert found == pytest.approx(float(locations.location(together, statistic)), rel=1e-12)


@pytest.mark.parametrize("statistic", ["mean", "iqm", "median"])
def test_repeating_the_runs_of_a_stratum_changes_little(statistic: str) -> None:
    """Twice the runs of one stratum, each of half the weight, are the same distribution."""
    doubled = [np.repeat(x, 2) for x in EQUAL]
    mixed = [doubled[0], *EQUAL[1:]]
    one = strata.pooled_location(np.concatenate(mixed)[None], strata.weights_of(mixed), "mean")
    assert one == pytest.approx(np.concatenate(EQUAL).mean())
    kept = [strata.pooled_location(np.concatenate(x)[None], strata.weights_of(x), statistic)[0]
            for x in (EQUAL, doubled)]  # fmt: skip
    assert kept[0] == pytest.approx(kept[1], abs=0.15)


def test_the_weighted_trimmed_mean_by_a_plain_loop() -> None:
    values, weights = np.concatenate(UNEQUAL), strata.weights_of(UNEQUAL)
    cut, total, mass, used = strata.cut_of(values.size, "iqm"), 0.0, 0.0, 0.0
    for i in np.argsort(values):
        start, mass = mass, mass + weights[i]
        inside = max(0.0, min(mass, 1.0 - cut) - max(start, cut))
        total, used = total + inside * values[i], used + inside
    assert used == pytest.approx(1.0 - 2.0 * cut)
    assert strata.pooled_location(values[None], weights, "iqm")[0] == pytest.approx(total / used)


def test_the_error_of_a_mean_is_that_of_its_strata() -> None:
    error, freedom = strata.pooled_error(UNEQUAL, None, "mean", paired=False)
    parts = [x.var(ddof=1) / x.size for x in UNEQUAL]
    assert error == pytest.approx(np.sqrt(sum(parts)) / 3)
    assert freedom == pytest.approx(
        sum(parts) ** 2 / sum(v**2 / (x.size - 1) for v, x in zip(parts, UNEQUAL, strict=True))
    )


def test_of_one_stratum_the_error_is_nearly_yuens() -> None:
    x = RNG.normal(size=200)
    error, _ = strata.pooled_error([x], None, "iqm", paired=False)
    square, _ = locations.squared_error(x, "iqm") or (np.nan, 0)
    assert error == pytest.approx(np.sqrt(square), rel=0.02)


def test_pairs_that_differ_by_a_constant_have_no_error() -> None:
    shifted = [x + 1.0 for x in EQUAL]
    assert strata.pooled_error(shifted, EQUAL, "iqm", paired=True)[0] == pytest.approx(0.0, abs=1e-12)
    assert strata.pooled_error(shifted, EQUAL, "iqm", paired=False)[0] > 0.1


def test_the_error_is_the_spread_of_other_runs() -> None:
    rng = np.random.default_rng(8)
    draws = [[rng.normal(mu, 1.0, 20) for mu in (0.0, 0.5, 1.0)] for _ in range(400)]
    spread = np.std([strata.pooled_location(np.concatenate(x)[None], strata.weights_of(x), "iqm")[0]
                     for x in draws])  # fmt: skip
    errors = [strata.pooled_error(x, None, "iqm", paired=False)[0] for x in draws]
    assert np.mean(errors) == pytest.approx(spread, rel=0.1)


def test_profiles() -> None:
    at = np.array([-10.0, 0.0, 10.0])
    share, error = strata.profile(UNEQUAL, at, greater_is_better=True)
    assert share[[0, 2]].tolist() == [1.0, 0.0]
    assert share[1] == pytest.approx(np.mean([(x > 0).mean() for x in UNEQUAL]))
    assert error[[0, 2]].tolist() == [0.0, 0.0]
    lower, _ = strata.profile(UNEQUAL, at, greater_is_better=False)
    assert (share + lower).tolist() == pytest.approx([1.0, 1.0, 1.0])


def test_the_middle_half_leaves_out_whole_runs() -> None:
    x = np.arange(13.0) ** 2
    found = strata.pooled_location(x[None], np.full(13, 1 / 13), "iqm")[0]
    assert found == pytest.approx(stats.trim_mean(x, 0.25))
