"""Almost stochastic order keeps its level by its p-value, and does not where custom is followed.

Runs of both systems come from one distribution. Bounds are those of `counting`: a false alarm in 1e-4.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.calibration.counting import at_least, at_most

import bestby as bb
from calibration import aso_thresholds

ROOT = Path(__file__).resolve().parents[2]
SIZE = 300

DRAWS: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "normal": lambda rng, n: rng.normal(size=n),
    "lognormal": lambda rng, n: rng.lognormal(size=n),
    "accuracy on 100 items": lambda rng, n: rng.binomial(100, 0.9, size=n) / 100,
}


def orders(name: str, n: int, m: int, size: int, **settings: float) -> list[bb.results.StochasticOrder]:
    rng = np.random.default_rng([n, m])
    return [
        bb.aso(DRAWS[name](rng, n), DRAWS[name](rng, m), n_resamples=200, rng=k, **settings)  # type: ignore[arg-type]
        for k in range(size)
    ]


@pytest.mark.parametrize("name", DRAWS)
@pytest.mark.parametrize(("n", "m"), [(3, 3), (5, 5), (9, 12), (20, 20), (25, 6), (6, 25)])
def test_type_one_error(name: str, n: int, m: int) -> None:
    found = orders(name, n, m, SIZE)
    assert sum(order.dominant for order in found) <= at_most(0.05, SIZE)


@pytest.mark.parametrize(("n", "m"), [(5, 5), (20, 20)])
def test_the_level_is_used_up(n: int, m: int) -> None:
    found = orders("normal", n, m, SIZE)
    assert sum(order.dominant for order in found) >= at_least(0.047, SIZE)


def test_corrected_levels_are_kept() -> None:
    found = orders("normal", 12, 12, SIZE, n_comparisons=3)
    assert sum(order.dominant for order in found) <= at_most(0.05 / 3, SIZE)


@pytest.mark.parametrize(("n", "half", "fifth"), [(2, 0.24, 0.16), (5, 0.20, 0.055), (20, 0.19, 0.029)])
def test_the_customary_limits_err_as_documented(n: int, half: float, fifth: float) -> None:
    found = orders("normal", n, n, SIZE)
    for rate, seen in (
        (half, sum(order.below_half for order in found)),
        (fifth, sum(order.below_fifth for order in found)),
    ):
        assert at_least(rate, SIZE) <= seen <= at_most(rate, SIZE)


def test_among_ten_like_systems_none_is_called_dominant() -> None:
    """Ten runs each: custom finds some pair below 0.2 in most families, the p-value in 5 % at most."""
    rng = np.random.default_rng(10)
    families = [
        bb.multi_aso({str(k): rng.normal(size=10) for k in range(10)}, n_resamples=200) for _ in range(60)
    ]
    dominant = sum(bool(family.dominant.any()) for family in families)
    customary = sum(bool((family.epsilon_min < 0.2).any()) for family in families)
    assert dominant <= at_most(0.05, 60)
    assert customary >= at_least(0.35, 60)


def test_a_better_system_is_found() -> None:
    """Two standard deviations apart, ten runs each: the permutation test of the means has power 0.98."""
    rng = np.random.default_rng(11)
    found = [bb.aso(rng.normal(2, 1, 10), rng.normal(0, 1, 10), n_resamples=200, rng=k) for k in range(100)]
    assert sum(order.dominant for order in found) >= at_least(0.95, 100)


@pytest.mark.slow
@pytest.mark.parametrize("name", DRAWS)
@pytest.mark.parametrize("n_comparisons", [1, 7])
@pytest.mark.parametrize(
    ("n", "m"), [(4, 4), (6, 9), (9, 6), (12, 12), (17, 40), (40, 17), (70, 70), (300, 300)]
)
def test_type_one_error_at_length(name: str, n: int, m: int, n_comparisons: int) -> None:
    found = orders(name, n, m, 4000, n_comparisons=n_comparisons)
    rate = 0.05 / n_comparisons
    assert sum(order.dominant for order in found) <= at_most(rate, 4000)


def test_the_page_holds_the_results_of_the_script() -> None:
    with (ROOT / "calibration" / "results" / "aso_thresholds.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    page = (ROOT / "docs" / "guides" / "stochastic-order.md").read_text(encoding="utf-8")
    between = page.partition("<!-- aso-errors -->")[2].partition("<!-- /aso-errors -->")[0]
    assert between.strip() == aso_thresholds.table(rows)
