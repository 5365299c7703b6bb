"""Corrections: law 6, agreement with statsmodels, and what is refused."""

from __future__ import annotations

import gc
import itertools
from collections.abc import Iterator
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from bestby._core.errors import InvalidInputError
from bestby._core.typing import FloatArray
from bestby.inference import clusters, multiplicity
from bestby.inference.multiplicity import ENOUGH_HITS, Joint, Spread
from bestby.vocabulary import allowed_names

PEERS = {"holm": "holm", "bonferroni": "bonferroni", "bh": "fdr_bh"}
ALL = list(allowed_names("correction"))

probability = st.one_of(
    st.floats(0.0, 1.0, allow_subnormal=False), st.sampled_from([0.0, 0.01, 0.05, 1 / 3, 0.5, 1.0])
)
families = st.lists(probability, min_size=1, max_size=12)


@pytest.fixture(scope="module")
def _no_garbage() -> Iterator[None]:
    """Keep statsmodels from collecting garbage at every call of Holm's, which takes a tenth of a second."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gc, "collect", lambda: 0)
        yield


@pytest.mark.usefixtures("_no_garbage")
@pytest.mark.parametrize("correction", PEERS)
@given(raw=families)
def test_against_statsmodels(correction: str, raw: list[float]) -> None:
    expected = multipletests(raw, method=PEERS[correction])[1]
    np.testing.assert_allclose(multiplicity.adjust(raw, correction), expected, rtol=1e-13, atol=1e-300)


@pytest.mark.parametrize("correction", ALL)
def test_inputs_are_not_modified_nor_shared(correction: str) -> None:
    raw = np.array([0.5, 0.01, 0.02])
    adjusted = multiplicity.adjust(raw, correction)
    adjusted[:] = 7.0
    np.testing.assert_array_equal(raw, [0.5, 0.01, 0.02])


@pytest.mark.parametrize("correction", ALL)
def test_families_of_one_and_none(correction: str) -> None:
    np.testing.assert_array_equal(multiplicity.adjust([0.03], correction), [0.03])
    assert multiplicity.adjust(np.array([]), correction).shape == (0,)


@pytest.mark.parametrize("correction", ALL)
@pytest.mark.parametrize("bad", [float("nan"), -0.1, 1.5])
def test_values_that_are_no_probabilities(correction: str, bad: float) -> None:
    with pytest.raises(InvalidInputError, match=r"p_values must lie in \[0, 1\], got .* at position 1"):
        multiplicity.adjust([0.5, bad], correction)


def test_unknown_correction() -> None:
    with pytest.raises(
        InvalidInputError, match="correction must be one of holm, bonferroni, bh, none, got 'fdr'"
    ):
        multiplicity.adjust([0.5], "fdr")


NORMAL = NormalDist()
RNG = np.random.default_rng(16)
SCORES = RNG.normal(size=(60, 4)) + RNG.normal(size=(60, 1))
PAIRS = np.array(list(itertools.combinations(range(4), 2)))


def spread(values: FloatArray = SCORES) -> Spread:
    """Return the spread of the means of scores."""
    n = len(values)
    influence = (values - values.mean(axis=0)) / n
    found = Spread.from_influence(influence, np.ones(n), np.ones(n, dtype=np.int64), np.array([0, n]))
    assert found is not None
    return found


def joint(values: FloatArray = SCORES, seed: int = 0) -> Joint:
    """Return the joint distribution of all differences."""
    a, b = np.array(list(itertools.combinations(range(values.shape[1]), 2))).T
    return Joint.of(spread(values), a, b, seed)


# -- how scores vary together ------------------------------------------------------------------------


def test_the_spread_of_means_is_their_covariance_less_their_common_part() -> None:
    centred = SCORES - SCORES.mean(axis=1, keepdims=True)
    assert spread().covariance == pytest.approx(np.cov(centred.T) / 60, rel=1e-12, abs=1e-15)
    assert spread().n_units == 60


def test_the_spread_in_clusters_is_by_cr2() -> None:
    sizes = np.array([40.0, 10.0, 10.0, 25.0, 5.0])
    influence = RNG.normal(size=(5, 3))
    influence -= influence.mean(axis=0)
    counts, bounds = np.array([1, 2, 1, 1, 3]), np.array([0, 3, 5])
    found = Spread.from_influence(influence, sizes, counts, bounds)
    assert found is not None
    for a, b in itertools.combinations(range(3), 2):
        variance = found.covariance[a, a] + found.covariance[b, b] - 2.0 * found.covariance[a, b]
        error = clusters.cr2(influence[:, a] - influence[:, b], sizes, counts, bounds)
        assert variance == pytest.approx(error.se**2, rel=1e-12)


def test_repeated_units_are_as_many_units() -> None:
    counts = RNG.integers(1, 4, size=60)
    once = Spread.from_influence(SCORES, np.ones(60), counts, np.array([0, 60]))
    rows = np.repeat(SCORES, counts, axis=0)
    n = len(rows)
    all_rows = Spread.from_influence(rows, np.ones(n), np.ones(n, dtype=np.int64), np.array([0, n]))
    assert once is not None
    assert all_rows is not None
    assert once.covariance == pytest.approx(all_rows.covariance, rel=1e-10, abs=1e-12)
    assert (once.noise, once.n_units) == pytest.approx((all_rows.noise, all_rows.n_units), rel=1e-10)


def test_the_two_sources_agree() -> None:
    direct = spread()
    drawn = RNG.integers(0, 60, size=(4000, 60))
    resampled = Spread.from_resamples(SCORES[drawn].mean(axis=1), 60.0)
    assert resampled.covariance == pytest.approx(
        direct.covariance * 59 / 60, abs=0.1 * direct.covariance.max()
    )
    assert resampled.noise == pytest.approx(direct.noise, rel=0.5)


def test_an_influence_that_is_not_finite_gives_no_spread() -> None:
    values = SCORES.copy()
    values[3, 1] = np.nan
    assert Spread.from_influence(values, np.ones(60), np.ones(60, dtype=np.int64), np.array([0, 60])) is None


def test_the_noise_is_the_squared_error_of_the_covariance() -> None:
    """Mean over 400 data sets of the noise, and of the squared distance from the truth."""
    rng = np.random.default_rng(3)
    scale = np.array([0.5, 1.0, 1.0, 2.0])
    centring = np.eye(4) - 0.25
    truth = centring @ np.diag(scale**2) @ centring / 40
    found = [spread(rng.normal(size=(40, 4)) * scale) for _ in range(400)]
    missed = np.mean([((one.covariance - truth) ** 2).sum() for one in found])
    assert np.mean([one.noise for one in found]) == pytest.approx(missed, rel=0.15)


def test_badly_known_correlations_are_drawn_towards_none() -> None:
    few, many = spread(SCORES[:12]), spread(np.tile(SCORES * np.array([0.3, 1.0, 1.0, 3.0]), (40, 1)))
    unrelated = np.eye(4) - 0.25
    for one, near in ((few, 0.5), (many, 0.02)):
        target = unrelated * np.trace(one.covariance) / 3.0
        distance = np.linalg.norm(one.covariance - target)
        moved = np.linalg.norm(one.shrunk() - one.covariance) / distance
        assert moved == pytest.approx(min(1.0, one.noise / distance**2))
        assert bool(moved > near) is (near == 0.5)
        assert np.trace(one.shrunk()) == pytest.approx(np.trace(one.covariance))


# -- all differences at once -------------------------------------------------------------------------


def test_unrelated_systems_have_the_quantile_of_the_studentized_range() -> None:
    """Of five systems 3.858 / sqrt(2) at 5 % (tables of Tukey's test, infinitely many degrees of freedom)."""
    unrelated = Spread((np.eye(5) - 0.2), 0.0, 1e6)
    a, b = np.array(list(itertools.combinations(range(5), 2))).T
    levels = [Joint.of(unrelated, a, b, seed).single_level(0.05) for seed in range(6)]
    expected = 2.0 * NORMAL.cdf(-3.858 / np.sqrt(2.0))
    assert np.mean(levels) == pytest.approx(expected, rel=0.03)
    assert levels == pytest.approx([expected] * 6, rel=0.12)


def test_adjusted_p_values_turn_the_level_round() -> None:
    found = joint()
    for alpha in (1e-5, 1e-3, 0.01, 0.05, 0.2, 0.7):
        level = found.single_level(alpha)
        below, above = found.adjusted(np.array([level * (1.0 - 1e-9), level * (1.0 + 1e-3)]))
        assert below <= alpha * (1.0 + 1e-12)
        assert above > alpha * (1.0 - 3e-3)
    p = np.linspace(0.0, 1.0, 400)
    adjusted = found.adjusted(p)
    assert (np.diff(adjusted) >= 0.0).all()
    assert ((p <= adjusted) & (adjusted <= np.minimum(6.0 * p, 1.0))).all()


@pytest.mark.parametrize("few", [None, spread(SCORES[:9])])
def test_too_little_known_is_bonferroni(few: Spread | None) -> None:
    found = Joint.of(few, *PAIRS.T, 0)
    p = np.array([0.001, 0.02, 0.3, 0.004, 0.05, 1.0])
    assert found.bonferroni
    assert found.single_level(0.05) == 0.05 / 6.0
    assert found.adjusted(p) == pytest.approx(multiplicity.bonferroni(p))
    assert found.stepped_down(p).tolist() == multiplicity.holm(p).tolist()


def test_one_difference_is_its_own_family() -> None:
    found = joint(SCORES[:, :2])
    assert found.single_level(0.05) == 0.05
    assert found.adjusted(np.array([0.03])).tolist() == [0.03]
    assert found.stepped_down(np.array([0.03])).tolist() == [0.03]


def test_copies_are_never_far_out() -> None:
    doubled = np.column_stack([SCORES[:, :2], SCORES[:, :1]])
    found = joint(doubled)
    assert found.varying.tolist() == [True, False, True]
    assert 0.05 / 3.0 < found.single_level(0.05) < 0.05
    copies = joint(np.column_stack([SCORES[:, 0]] * 3))
    assert copies.single_level(0.05) == 0.05 / 3.0


# -- step-down ---------------------------------------------------------------------------------------


def naive(found: Joint, p_values: FloatArray, alternative: str) -> list[float]:
    """Romano & Wolf 2005, algorithm 1, in p-values: the smallest p of all hypotheses that are left."""
    z = np.concatenate(list(found._drawn(np.arange(found.size))))
    if alternative == "two-sided":
        drawn = np.array([[2.0 * NORMAL.cdf(-abs(x)) for x in row] for row in z.tolist()])
    else:
        sign = 1.0 if alternative == "greater" else -1.0
        drawn = np.array([[NORMAL.cdf(-sign * x) for x in row] for row in z.tolist()])
    order = sorted(range(found.size), key=lambda i: p_values[i])
    adjusted, least = [0.0] * found.size, 0.0
    for place, i in enumerate(order):
        left = order[place:]
        hits = sum(min(row[j] for j in left) < p_values[i] for row in drawn)
        bound = min(1.0, len(left) * p_values[i], max(hits, ENOUGH_HITS) / len(drawn))
        least = max(least, bound, p_values[i])
        adjusted[i] = least
    return adjusted


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_step_down_is_as_in_a_plain_loop(alternative: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bestby.inference.multiplicity.DRAWS", 4000)
    p = np.array([0.012, 0.6, 0.0004, 0.03, 0.014, 1e-7])
    found = joint()
    assert found.stepped_down(p, alternative).tolist() == pytest.approx(naive(found, p, alternative))  # type: ignore[arg-type]


def test_ties_and_ones() -> None:
    p = np.array([0.02, 0.02, 1.0, 0.5, 0.02, 1.0])
    stepped = joint().stepped_down(p)
    assert stepped[0] == stepped[1] == stepped[4]
    assert stepped[2] == stepped[5] == 1.0


def test_rounding_of_copies_is_no_spread() -> None:
    influence = np.repeat(np.random.default_rng(5).normal(size=(40, 1)), 5, axis=1)
    spread = Spread.from_influence(influence, np.ones(40), np.ones(40, dtype=np.int64), np.array([0, 40]))
    scores = Spread.from_resamples(influence, 40.0)
    for found in (spread, scores):
        assert found is not None
        assert not found.covariance.any()
        assert Joint.of(found, np.array([0, 1]), np.array([1, 2]), 0).bonferroni


def test_the_largest_of_many_is_that_of_all_written_out() -> None:
    rng = np.random.default_rng(8)
    n_systems = 30
    first, second = np.triu_indices(n_systems, 1)
    factors = rng.normal(size=(n_systems, 4))
    spread = Spread.normal(factors @ factors.T + np.eye(n_systems), 400.0)
    joint = Joint.of(spread, first, second, seed=1)
    drawn = np.concatenate(list(joint._drawn(np.arange(joint.size))))
    np.testing.assert_allclose(joint._largest, np.sort(np.abs(drawn).max(axis=1)), rtol=1e-6)
