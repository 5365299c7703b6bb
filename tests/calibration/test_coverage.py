"""Intervals that say 95 % hold the true difference in 95 % of the data sets.

The quick tests draw 400 data sets for each clause of the rule of "auto" and allow a true coverage between 94
and 99 %. False alarms: below 1e-4 per bound for coverage in that range (see counting.py). The long ones draw
4000.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from calibration.populations import Population
from tests.calibration.counting import at_least, at_most, makers_of

from bestby.engine import interval_methods
from bestby.engine.estimate import Estimates
from bestby.engine.interval_choice import choose_interval
from calibration import coverage, populations, type_one_error

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "calibration" / "results"
GUIDES = ROOT / "docs" / "guides"
RESAMPLES = 399

THREE = populations.copying(
    [0.5, 0.3, 0.2],
    populations.confusion(0.8, 0.7, 0.6),
    populations.confusion(0.7, 0.7, 0.5),
    0.5,
)
CLUSTERS = populations.population_of_clusters(
    "", "accuracy", populations.right_or_wrong(0.8, 0.75, 0.85), (10,)
)


def pair(a: float, b: float, agree: float) -> Population:
    return populations.population_of_labels("", "accuracy", populations.right_or_wrong(a, b, agree))


CELLS = {
    "tango": ("accuracy", pair(0.9, 0.9, 0.98), 200),
    "tango, unequal": ("accuracy", pair(0.95, 0.93, 0.95), 100),
    "hall": ("mean", populations.scores("normal"), 400),
    "hall, skewed": ("mean", populations.scores("50 % tied, skewed"), 100),
    "normal": ("f1_macro", populations.population_of_labels("", "f1_macro", THREE), 80),
    "hall, clusters": ("accuracy", CLUSTERS, 30),
    "normal, ranks": ("roc_auc", populations.separated(1.2, 1.0, 0.0, 0.5), 50),
    "abc": ("f1_macro", populations.population_of_labels("", "f1_macro", THREE), 400),
}


def count(data: list[Estimates], truth: float, difference: bool = True) -> tuple[int, set[str]]:
    """Return how many intervals of "auto" miss the truth, and the methods they were made by."""
    missed, methods = 0, set()
    for estimates in data:
        estimate = estimates.of(0, 1 if difference else None)
        method = choose_interval(**estimate.situation()).method
        interval, _ = interval_methods.interval(estimate, method, 0.95)
        missed += not interval.low - 1e-12 <= truth <= interval.high + 1e-12
        methods.add(method)
    return missed, methods


@pytest.mark.parametrize("cell", CELLS)
def test_auto_covers(cell: str) -> None:
    metric, population, n = CELLS[cell]
    missed, methods = count(makers_of(population, metric, n, 9_000, 400, RESAMPLES), population.truth)
    assert cell.split(",")[0] in methods
    assert at_least(0.01, 400) <= missed <= at_most(0.06, 400)


def test_auto_covers_the_score_of_one_system() -> None:
    population = populations.population_of_labels("", "f1_macro", THREE)
    missed, methods = count(
        makers_of(population, "f1_macro", 100, 9_100, 400, RESAMPLES), population.truth_a, False
    )
    assert methods == {"hall-wide"}
    assert at_least(0.01, 400) <= missed <= at_most(0.06, 400)


def test_bca_of_few_differing_items_does_not() -> None:
    """Why "auto" is a rule: BCa covers less than 90 % here (measured: 70 %), however many it is asked for."""
    pmf = populations.copying(
        [0.5, 0.3, 0.2], populations.confusion(0.8, 0.7, 0.6), populations.confusion(0.7, 0.7, 0.5), 0.97
    )
    population = populations.population_of_labels("", "f1_macro", pmf)
    data = makers_of(population, "f1_macro", 200, 9_200, 400, RESAMPLES)
    made = [interval_methods.interval(estimates.of(0, 1), "bca", 0.95)[0] for estimates in data]
    ends = [end for end in made if end is not None]  # systems that do not differ have none
    missed = sum(not end.low - 1e-12 <= population.truth <= end.high + 1e-12 for end in ends)
    assert missed > at_most(0.10, 400)


@pytest.mark.slow
@pytest.mark.parametrize("cell", CELLS)
def test_auto_covers_at_length(cell: str) -> None:
    metric, population, n = CELLS[cell]
    missed, _ = count(makers_of(population, metric, n, 9_300, 4000, 999), population.truth)
    assert at_least(0.01, 4000) <= missed <= at_most(0.06, 4000)


# -- what was measured, as committed -------------------------------------------------------------------


def rows(name: str) -> list[dict[str, str]]:
    with (RESULTS / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def between(page: str, marker: str) -> str:
    text = (GUIDES / page).read_text(encoding="utf-8")
    return text.split(f"<!-- {marker} -->")[1].split(f"<!-- /{marker} -->")[0].strip()


def test_the_tables_in_the_pages_are_those_of_the_results() -> None:
    measured = rows("coverage.csv")
    assert between("choosing-an-interval.md", "coverage-summary") == coverage.summary(measured)
    assert between("choosing-an-interval.md", "coverage-examples") == coverage.examples(measured)
    assert between("choosing-a-test.md", "type-one-error") == type_one_error.table(rows("type_one_error.csv"))
