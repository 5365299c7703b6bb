"""Families of comparisons: corrected p-values and simultaneous intervals fail as rarely as a single one.

False alarms: 1e-4 per bound (see counting.py).
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from tests.calibration.counting import at_least, at_most

import bestby as bb
from bestby.inference import multiplicity
from bestby.report.comparison import Comparison
from calibration import families

LEVEL = 0.05
DATA_SETS = 300


@cache
def alike(size: int, **settings: str | bool) -> list[Comparison]:
    """Compare five exchangeable systems of 80 % accuracy on 100 items, `size` times."""
    rng = np.random.default_rng(8_000)
    out = []
    for seed in range(size):
        hard = rng.beta(3.2, 0.8, size=100)
        right = rng.random((5, 100)) < hard
        systems = {f"s{i}": right[i].astype(float) for i in range(5)}
        out.append(bb.compare(systems, rng=seed, n_resamples=999, **settings))  # type: ignore[arg-type]
    return out


def families_rejected(correction: str) -> int:
    """Return in how many families at least one corrected p-value is at most 5 %."""
    families = [[d.p_value for d in c] for c in alike(DATA_SETS, correction="none")]
    return sum(min(multiplicity.adjust(p, correction)) <= LEVEL for p in families)


@pytest.mark.parametrize("correction", ["holm", "bonferroni"])
def test_a_true_family_is_rejected_at_the_level(correction: str) -> None:
    assert families_rejected(correction) <= at_most(LEVEL, DATA_SETS)


def test_without_correction_it_is_rejected_far_too_often() -> None:
    """Ten pairs of five systems; what the corrections are for."""
    assert families_rejected("none") > at_most(2 * LEVEL, DATA_SETS)


def test_simultaneous_intervals_cover_all_differences_at_once() -> None:
    """Between 92.5 and 98 %: score intervals of 100 items at the level of the family."""
    family = alike(DATA_SETS, correction="simultaneous")
    missed = sum(any(not d.interval.low <= 0.0 <= d.interval.high for d in c) for c in family)
    assert at_least(0.02, DATA_SETS) <= missed <= at_most(0.075, DATA_SETS)


def test_single_intervals_do_not() -> None:
    family = alike(DATA_SETS, correction="none")
    missed = sum(any(not d.interval.low <= 0.0 <= d.interval.high for d in c) for c in family)
    assert missed > at_most(2 * LEVEL, DATA_SETS)


def test_benjamini_hochberg_limits_the_share_of_false_rejections() -> None:
    """Two systems of six are better; the mean share of false rejections is 5 % at most, plus 3 errors."""
    rng = np.random.default_rng(8_100)
    shares = []
    for seed in range(100):
        right = rng.random((6, 200)) < np.array([0.9, 0.9, 0.7, 0.7, 0.7, 0.7])[:, None]
        systems = {f"s{i}": right[i].astype(float) for i in range(6)}
        result = bb.compare(systems, correction="bh", interval="tango", rng=seed)
        found = [{d.a, d.b} for d in result if d.p_adjusted <= LEVEL]
        false = [pair for pair in found if pair <= {"s0", "s1"} or pair <= {"s2", "s3", "s4", "s5"}]
        shares.append(len(false) / max(len(found), 1))
    assert np.mean(shares) <= LEVEL + 3 * np.std(shares) / 10


def test_a_cell_of_several_systems_says_what_holds() -> None:
    """Cells of the grid ask what a comparison asks; all hold at once where all hold by themselves."""
    cell = families.Family("macro-F1", 3, 60, datasets=2, resamples=99)
    held = families.run(cell)["held"]
    assert held.shape == (2, len(families.COLUMNS))
    assert set(np.unique(held[:, : len(families.STATEMENTS)])) <= {0.0, 1.0}
    assert held[:, 0].tolist() >= held[:, 1].tolist()
