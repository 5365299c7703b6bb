"""Boundaries for planned looks are those of published tables, of a simulation, and of one look alone."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from bestby._core.errors import InvalidInputError
from bestby.questions.monitor.group_sequential import (
    BOUNDARIES,
    classical_boundaries,
    crossing_probabilities,
    spending_boundaries,
)

LOOKS = range(2, 11)
POCOCK = (2.178, 2.289, 2.361, 2.413, 2.453, 2.485, 2.512, 2.535, 2.555)
OBRIEN_FLEMING = (1.977, 2.004, 2.024, 2.040, 2.053, 2.063, 2.072, 2.080, 2.087)
UNEQUAL = [10.0, 15.0, 40.0, 41.0, 100.0]


@pytest.mark.parametrize(("n_looks", "published"), list(zip(LOOKS, POCOCK, strict=True)))
def test_pocock_is_that_of_the_table(n_looks: int, published: float) -> None:
    """Jennison & Turnbull (2000), table 2.1, two-sided alpha .05."""
    assert classical_boundaries(range(1, n_looks + 1), shape="pocock") == pytest.approx(
        [published] * n_looks, abs=6e-4
    )


@pytest.mark.parametrize(("n_looks", "published"), list(zip(LOOKS, OBRIEN_FLEMING, strict=True)))
def test_obrien_fleming_is_that_of_the_table(n_looks: int, published: float) -> None:
    """Jennison & Turnbull (2000), table 2.3, two-sided alpha .05."""
    expected = [published * math.sqrt(n_looks / k) for k in range(1, n_looks + 1)]
    assert classical_boundaries(range(1, n_looks + 1)) == pytest.approx(expected, rel=3e-4)


@pytest.mark.parametrize(
    ("shape", "ratios"),
    [("pocock", (1.100, 1.151, 1.183, 1.207)), ("obrien_fleming", (1.007, 1.016, 1.022, 1.026))],
)
def test_power_is_that_of_the_table(shape: str, ratios: tuple[float, ...]) -> None:
    """Jennison & Turnbull (2000), tables 2.2 and 2.4: the largest sample over that of one look."""
    fixed = stats.norm.isf(0.025) + stats.norm.isf(0.1)
    for n_looks, ratio in enumerate(ratios, 2):
        looks = range(1, n_looks + 1)
        boundaries = classical_boundaries(looks, shape=shape)
        power = crossing_probabilities(boundaries, looks, math.sqrt(ratio) * fixed).sum()
        assert power == pytest.approx(0.9, abs=4e-4)


def test_spending_is_that_of_the_table() -> None:
    """Reboussin, DeMets, Kim & Lan (2000), Control. Clin. Trials 21, 190-207: five looks, two-sided .05."""
    late, evenly = (spending_boundaries(range(1, 6), spending=s) for s in ("obrien_fleming", "pocock"))
    assert late == pytest.approx([4.877, 3.357, 2.680, 2.290, 2.031], abs=6e-4)
    assert evenly == pytest.approx([2.438, 2.427, 2.410, 2.397, 2.386], abs=6e-4)


@pytest.mark.long
@pytest.mark.parametrize("name", BOUNDARIES)
def test_sums_of_normal_numbers_cross_as_often(name: str) -> None:
    """Walks that know nothing of the integration; a share lies beyond 5 SE once in 10^6 cells."""
    boundaries = BOUNDARIES[name](UNEQUAL, 0.1)
    rng, n = np.random.default_rng(5), 400_000
    running = np.ones(n, dtype=bool)
    total, before = np.zeros(n), 0.0
    first = []
    for information, limit in zip(UNEQUAL, boundaries, strict=True):
        total += rng.normal(0.0, math.sqrt(information - before), n)
        over = running & (np.abs(total) >= limit * math.sqrt(information))
        first.append(over.mean())
        running &= ~over
        before = information
    told = crossing_probabilities(boundaries, UNEQUAL)
    assert told.sum() == pytest.approx(0.1, abs=1e-7)
    assert np.abs(told - first).max() < 5.0 * math.sqrt(0.1 * 0.9 / n)


@pytest.mark.parametrize("name", BOUNDARIES)
def test_one_look_is_the_ordinary_test(name: str) -> None:
    assert BOUNDARIES[name]([123.0], 0.05) == pytest.approx([stats.norm.isf(0.025)], abs=1e-8)


@pytest.mark.parametrize("spending", ["obrien_fleming", "pocock"])
def test_a_boundary_does_not_depend_on_later_looks(spending: str) -> None:
    whole = spending_boundaries(UNEQUAL, spending=spending)
    part = spending_boundaries(UNEQUAL[:3], spending=spending, planned=100.0)
    assert part == pytest.approx(whole[:3], abs=1e-9)


def test_looks_beyond_the_plan_spend_what_is_left_once() -> None:
    made = spending_boundaries([50, 120], planned=100)
    assert crossing_probabilities(made, [50, 120]).sum() == pytest.approx(0.05, abs=1e-9)
    with pytest.raises(InvalidInputError, match="after all of alpha was spent"):
        spending_boundaries([50, 110, 120], planned=100)


def test_a_look_on_almost_nothing_ends_nothing() -> None:
    assert spending_boundaries([2, 1000, 2000])[0] == math.inf


def test_information_on_another_scale_gives_the_same() -> None:
    scaled = [1e-9 * one for one in UNEQUAL]
    for boundaries in BOUNDARIES.values():
        assert boundaries(scaled, 0.05) == pytest.approx(boundaries(UNEQUAL, 0.05), rel=1e-12)


def test_many_looks() -> None:
    looks = range(1, 101)
    assert crossing_probabilities(spending_boundaries(looks), looks).sum() == pytest.approx(0.05, abs=1e-9)


@pytest.mark.parametrize(
    ("information", "told"),
    [
        ([], "1 to 100 looks"),
        (range(1, 102), "1 to 100 looks"),
        ([1, 1], "grow from look to look"),
        ([0, 1], "grow from look to look"),
        ([1, math.inf], "grow from look to look"),
        ([1, 2, 5000], "apart by 0.001"),
    ],
)
def test_looks_that_cannot_be_planned(information: object, told: str) -> None:
    for boundaries in BOUNDARIES.values():
        with pytest.raises(InvalidInputError, match=told):
            boundaries(information, 0.05)


@pytest.mark.parametrize("alpha", [0.0, 1.0, -1.0, math.nan, 5])
def test_alpha_is_a_probability(alpha: float) -> None:
    for boundaries in BOUNDARIES.values():
        with pytest.raises(InvalidInputError, match="alpha"):
            boundaries([1, 2], alpha)


def test_boundaries_belong_to_looks() -> None:
    with pytest.raises(InvalidInputError, match="2 numbers above 0"):
        crossing_probabilities([1.0], [1, 2])
    with pytest.raises(InvalidInputError, match="spending"):
        spending_boundaries([1, 2], spending="haybittle")
    with pytest.raises(InvalidInputError, match="shape"):
        classical_boundaries([1, 2], shape="haybittle")
