"""Intervals where the gold is the labels of a few annotators hold the expected score against such a gold.

Each bound leaves a tail of 1e-4 to the binomial (see counting.py): were the true coverage within the range
allowed, a bound would fail by chance once in 10 000 changes of its seed; any of the 36 bounds in one of
280 at most.
"""

from __future__ import annotations

import csv
from functools import cache

import pytest
from tests.calibration.counting import at_least, at_most

from calibration import annotators

DATASETS = 200
MEASURES = ("brier", "soft_f1_macro", "accuracy")


@cache
def counts(raters: int) -> dict[tuple[str, str, str], annotators.Count]:
    return annotators.counted(raters, DATASETS, 9_200, MEASURES, n=100)


@pytest.mark.parametrize("raters", [2, 5])
@pytest.mark.parametrize("target", ["score", "difference"])
@pytest.mark.parametrize("measure", MEASURES)
def test_intervals_of_items_and_their_labels_cover(measure: str, target: str, raters: int) -> None:
    """Other items bring other labels: between 93 and 99 % are held."""
    missed = DATASETS - counts(raters)[measure, "fixed", target].covered
    assert at_least(0.01, DATASETS) <= missed <= at_most(0.07, DATASETS)


@pytest.mark.parametrize("raters", [2, 5])
@pytest.mark.parametrize("target", ["score", "difference"])
@pytest.mark.parametrize("measure", MEASURES)
def test_resampled_annotators_make_no_interval_cover_less(measure: str, target: str, raters: int) -> None:
    """They count what annotators add twice in part: 93 % at least, no shorter but for Monte Carlo error."""
    fixed, again = (counts(raters)[measure, how, target] for how in ("fixed", "resample"))
    assert DATASETS - again.covered <= at_most(0.07, DATASETS)
    assert again.length > 0.95 * fixed.length


@pytest.mark.parametrize("raters", [2, 5])
def test_the_uncertainty_of_the_gold_makes_intervals_of_a_score_longer(raters: int) -> None:
    for measure in ("brier", "soft_f1_macro"):
        fixed, again = (counts(raters)[measure, how, "score"] for how in ("fixed", "resample"))
        assert again.length > 1.05 * fixed.length


def test_the_page_holds_the_results_of_the_script() -> None:
    with annotators.OUT.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    page = annotators.PAGE.read_text(encoding="utf-8")
    between = page.partition("<!-- annotators -->")[2].partition("<!-- /annotators -->")[0]
    assert between.strip() == annotators.table(rows)
