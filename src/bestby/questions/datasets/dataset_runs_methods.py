"""What the paragraph for a paper says of several runs on each of several datasets."""

from __future__ import annotations

from collections.abc import Iterator

from bestby.questions.datasets.dataset_runs_report import (
    family_of_orders,
    orders_level,
    resamples_of_orders,
    score_name,
)
from bestby.questions.datasets.dataset_runs_result import RunsOnDatasets
from bestby.questions.datasets.result import DatasetComparison
from bestby.report import summary
from bestby.report.numbers import percent
from bestby.report.paper.shared import score_of_runs, source_of_test, with_works
from bestby.report.references import cite
from bestby.report.words import computed, listed


def scores(runs: RunsOnDatasets) -> Iterator[str]:
    """Yield what the scores are of several runs on each dataset."""
    one = score_of_runs(runs.statistic)
    yield f"The score of a system on a dataset is {one}; over all datasets it is the {score_name(runs)}."


def over_runs(c: DatasetComparison, runs: RunsOnDatasets) -> Iterator[str]:
    """Yield what lets the runs vary on these very datasets: intervals, tests, chances and orders."""
    over = [entry for entry in c.overall if entry.resampled == "runs"]
    methods = dict.fromkeys(entry.interval.method for entry in over if entry.interval is not None)
    tests = dict.fromkeys(
        summary.how_tested(entry.test, source_of_test) for entry in over if entry.test is not None
    )
    if methods:
        yield f"Intervals ({percent(c.level)}) over the runs of all datasets: {_named(methods)}."
    if tests:
        yield f"Tests over the runs of all datasets: {listed(list(tests))}."
    if any(entry.optimality_gap is not None for entry in runs.systems):
        yield (
            "The optimality gap of a system is how far its runs are below 1 on average"
            f"{cite('analysis', 'optimality gap')}."
        )
    bounds = dict.fromkeys(one.interval.method for one in runs.improvements if one.interval is not None)
    if runs.improvements:
        source = cite("analysis", "improvement over datasets")
        yield (
            "We report how often a run of one system is above a run of the other, on average over the"
            f" datasets{source}{f': {_named(bounds)}' if bounds else ''}."
        )
    if computed(c, "test"):
        yield (
            "We measured how nearly one system is better at every quantile of its runs on a dataset by almost"
            f" stochastic order{cite('analysis', 'stochastic order')}: the upper"
            f" {100.0 * orders_level(c):.4g} % bound of the violation ratio, whose level is corrected for"
            f" {family_of_orders(c)}. Its bounds were resampled: {resamples_of_orders(c)}."
        )


def _named(methods: dict[str, None]) -> str:
    """Return the names of intervals with their works."""
    return ", ".join(with_works("interval", one) for one in methods)
