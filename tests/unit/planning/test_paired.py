"""With a margin, a plan is about showing a difference to be beyond it, or within it."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy import integrate, stats

import bestby as bb
from bestby.errors import DesignError, InvalidInputError
from bestby.planning import PairedProportions, PairedScores


def within(difference: float, sd: float, margin: float, n: int, alpha: float) -> float:
    """Return the power of two one-sided t-tests, by numerical integration over the variance."""
    df, se = n - 1, sd / math.sqrt(n)
    critical = stats.t.isf(alpha, df)

    def shown(square: float) -> float:
        room = margin - critical * se * math.sqrt(square / df)
        if room <= 0.0:
            return 0.0
        inside = stats.norm.cdf((room - difference) / se) - stats.norm.cdf((-room - difference) / se)
        return float(inside * stats.chi2.pdf(square, df))

    last = df * (margin / (critical * se)) ** 2
    points = sorted({min(last, max(0.0, df + k * math.sqrt(2.0 * df))) for k in range(-8, 30)})
    return sum(integrate.quad(shown, a, b)[0] for a, b in pairwise(points))


@pytest.mark.parametrize(
    ("difference", "margin", "n"),
    [(0.0, 0.2, 272), (0.05, 0.2, 200), (-0.05, 0.2, 200), (0.1, 0.9, 12), (0.0, 1.5, 4), (0.0, 0.1, 40)],
)
def test_equivalence(difference: float, margin: float, n: int) -> None:
    planned = bb.power(PairedScores(difference, 1.0, margin=margin), n, n_comparisons=2, curve=()).power
    assert planned == pytest.approx(within(difference, 1.0, margin, n, 0.025), abs=2e-4)


@pytest.mark.parametrize("difference", [0.5, -0.5])
def test_beyond_the_margin_it_is_the_t_test_of_the_rest_on_one_side(difference: float) -> None:
    planned = bb.power(PairedScores(difference, 1.0, margin=0.2), 60).power
    one_sided = bb.power(PairedScores(0.3, 1.0), 60, level=0.975, alternative="greater").power
    assert planned == pytest.approx(one_sided)


def test_a_pilot_leaves_its_variance_open() -> None:
    for difference in (0.0, 0.5):
        known = PairedScores(difference, 1.0, margin=0.3)
        pilot = PairedScores(difference, 1.0, margin=0.3, pilot_df=9)
        sizes = [bb.sample_size(one, 0.9).n for one in (known, pilot)]
        assert sizes[1] > 1.1 * sizes[0]
        u = np.linspace(0.0005, 0.9995, 1000)
        powers = [
            bb.power(PairedScores(difference, math.sqrt(9.0 / one), margin=0.3), 150, curve=()).power
            for one in stats.chi2.ppf(u, 9)
        ]
        assert bb.power(pilot, 150).power == pytest.approx(np.mean(powers), abs=2e-3)


def test_clusters() -> None:
    flat = bb.power(PairedScores(0.0, 2.0, margin=0.3), 400).power
    clustered = bb.power(PairedScores(0.0, 1.0, 4.0, 10.0, margin=0.3), 400).power
    assert 0.9 * flat < clustered < flat  # fewer degrees of freedom, the same error


def test_right_and_wrong_answers() -> None:
    design = PairedProportions(0.84, 0.80, agreement=0.9, pilot_items=200).with_margin(0.02)
    assert design.difference == pytest.approx(0.04)
    assert design.sd == pytest.approx(math.sqrt(0.1 - 0.04**2))
    assert design.pilot_df == pytest.approx(2 * 20 / 0.9)
    a_only, b_only, _ = np.random.default_rng(1).multinomial(2000, [0.07, 0.03, 0.9], 20_000).T
    mean = (a_only - b_only) / 2000
    error = np.sqrt(((a_only + b_only) / 2000 - mean**2) / 1999)
    simulated = (mean - 1.96 * error > 0.02).mean()
    assert bb.power(design.taken_as_true(), 2000).power == pytest.approx(simulated, abs=0.02)


def test_the_smallest_difference_is_beyond_the_margin() -> None:
    for start in (0.0, 0.1, 0.5):
        plan = bb.minimum_detectable(PairedScores(start, 1.0, margin=0.2), 400)
        assert plan.difference > 0.2
        assert plan.power == pytest.approx(0.8, abs=1e-6)
    assert bb.minimum_detectable(PairedScores(-0.5, 1.0, margin=0.2), 400).difference == pytest.approx(
        -plan.difference
    )


def text_of(plan: bb.results.Plan) -> str:
    return " ".join(str(plan).split())


def test_what_a_plan_says(tmp_path: Path) -> None:
    alike = bb.sample_size(PairedScores(0.0, 0.3, margin=0.02))
    assert "are needed to show a difference of 0 to be within the margin of 0.02 with power 0.8" in text_of(
        alike
    )
    assert "Test: two one-sided tests of equivalence within 0.02, each by the paired t-test, at" in text_of(
        alike
    )
    better = bb.power(PairedScores(0.05, 0.3, margin=0.02), 800)
    assert "A study of 800 items shows a difference of 0.05 to be beyond the margin of 0.02" in text_of(
        better
    )
    least = bb.minimum_detectable(PairedScores(0.05, 0.3, margin=0.02), 800)
    assert "or more to be beyond the margin of 0.02 with power 0.8" in text_of(least)
    alike.to_json(tmp_path / "plan.json")
    again = bb.load(tmp_path / "plan.json")
    assert again == alike
    assert again.design.margin == 0.02
    assert "margin" not in PairedScores(0.1, 0.3).settings()


def test_what_cannot_be_planned() -> None:
    with pytest.raises(DesignError, match="no size shows on which side of the margin"):
        bb.sample_size(PairedScores(0.02, 0.3, margin=0.02))
    with pytest.raises(DesignError, match=r"a difference of exactly 0\.03 lies"):  # 0.83 - 0.80 is not 0.03
        bb.sample_size(PairedProportions(0.83, 0.80, agreement=0.9).with_margin(0.03))
    with pytest.raises(bb.errors.InvalidInputError, match="no difference of accuracies is larger than 1"):
        PairedProportions(0.8, 0.8, agreement=0.9).with_margin(2)
    with pytest.raises(DesignError, match="a margin is looked at on both sides"):
        bb.power(PairedScores(0.05, 0.3, margin=0.02), 100, alternative="greater")
    with pytest.raises(InvalidInputError, match="margin must be a positive number"):
        PairedScores(0.05, 0.3, margin=0.0)
