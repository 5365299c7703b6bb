"""What the report of a comparison over several datasets says of several runs on each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, cast

from bestby._core.text import grouped
from bestby.questions.datasets.dataset_runs_result import RunsOnDatasets
from bestby.questions.datasets.result import DatasetComparison
from bestby.questions.runs.differences import ASO_RESAMPLES
from bestby.questions.runs.report import differences_of_runs
from bestby.questions.runs.result import RunsDifference
from bestby.report import column, summary, words
from bestby.report.column import Cell, Column
from bestby.report.disagreements import Kind, Kinds, beside, said
from bestby.report.fields import Field, Rows, inside
from bestby.report.numbers import DASH, Rounding, percent
from bestby.report.paper.shared import score_of_runs, source_of_test, with_works
from bestby.report.references import cite
from bestby.report.tables import Table, difference_rounding, marked_by
from bestby.report.words import computed, listed
from bestby.vocabulary import long_name

if TYPE_CHECKING:
    from bestby.questions.datasets.dataset_runs_result import MeanImprovement, RunsOverall

_TWO, _THREE = Rounding(2), Rounding(3)


def systems(c: DatasetComparison, runs: RunsOnDatasets) -> Table:
    """Return the table of the systems over the runs on all datasets."""
    tested, bounded = words.computed(c, "test"), words.computed(c, "interval")
    gaps = any(entry.optimality_gap is not None for entry in runs.systems)

    def ranks(entry: RunsOverall) -> Cell:
        low, high = entry.rank_low, entry.rank_high
        return Cell(f"{low}" if low == high else f"{low}{DASH}{high}", float(low or 0))

    columns = (
        Column("rank", ranks, applies=tested),
        column.name("system", attrgetter("system"), (c.baseline,)),
        column.number(c.metric.name, difference_rounding(c), attrgetter("score")),
        column.interval(
            c.level,
            difference_rounding(c),
            attrgetter("interval"),
            applies=bounded,
        ),
        column.number("optimality gap", _THREE, attrgetter("optimality_gap"), applies=gaps),
        column.interval(c.level, _THREE, attrgetter("gap_interval"), applies=gaps and bounded),
    )
    best = runs.systems[0].score
    return Table.of(
        f"Systems over the runs on all datasets, by the {score_name(runs)} ({words.direction(c.metric)});"
        " the interval allows for other runs on these datasets",
        columns,
        runs.systems,
        lambda entry: entry.score == best,
        part="runs",
        main=2 if tested else 1,
    )


def score_name(runs: RunsOnDatasets) -> str:
    """Return what the score of a system over all datasets is, in words."""
    if runs.statistic == "mean":
        return "mean over the datasets of the mean of the runs"
    return f"{long_name('statistic', runs.statistic)} of the runs of all datasets together"


def extent(runs: RunsOnDatasets) -> str:
    """Return how many runs there are, in words.

    >>> from bestby.results import RunsOnDatasets
    >>> extent(RunsOnDatasets("mean", False, {"x": {"a": (1.0, 2.0), "b": (1.0, 2.0, 3.0)}}, (), ()))
    '2 to 3 runs of each system on each'
    """
    low, high = runs.n_runs
    many = f"{low}" if low == high else f"{low} to {high}"
    return f"{many} runs of each system on each{', paired' if runs.paired else ''}"


def improvements(c: DatasetComparison, runs: RunsOnDatasets) -> Table:
    """Return the table of the probabilities that a run of the first is above one of the second."""
    bounded, sides = words.computed(c, "interval"), column.sides(runs.improvements)

    def kinds(one: MeanImprovement) -> Kinds:
        return () if one.interval is None else beside(c[one.a, one.b], _excludes_one_half(one))

    marked = sum(bool(kinds(one)) for one in runs.improvements)
    columns = (
        *sides.columns,
        column.number("probability", _TWO, attrgetter("estimate")),
        column.interval(c.level, _TWO, attrgetter("interval"), applies=bounded),
        marked_by(kinds, applies=marked > 0),
    )
    reason = (
        "the probability asks how often a run of one is above a run of the other on these datasets, and its"
        " interval is for one pair at a time. The headline follows the test of the mean difference, which"
        " takes the datasets as the sample."
    )
    return Table.of(
        f"Probability that a run of {sides.one} is above one of {sides.other} on the same dataset, on average"
        " over the datasets",
        columns,
        runs.improvements,
        _excludes_one_half,
        part="probability",
        main=len(sides.columns),
        methods=_methods_of_chance(runs),
        footnote=said(Kind.QUESTION, marked, len(runs.improvements), reason),
    )


def _excludes_one_half(one: MeanImprovement) -> bool:
    """Return whether the interval of a probability says which system is more often above the other."""
    return one.interval is not None and 0.5 not in one.interval


def beside_differences(c: DatasetComparison) -> tuple[Column, ...]:
    """Return the columns that runs add to the differences on each dataset."""
    if c.runs is None:
        return ()
    ordered = words.computed(c, "test")
    return (
        column.number("probability", _TWO, attrgetter("improvement")),
        column.number("ε", _TWO, attrgetter("order.epsilon_min"), applies=ordered),
        column.number("ε reversed", _TWO, attrgetter("reverse_order.epsilon_min"), applies=ordered),
    )


def tested_columns(c: DatasetComparison) -> tuple[Column, ...]:
    """Return the columns of the tests that let the runs vary; a dash where others do."""
    applies = any(entry.test is not None for entry in c.overall)
    corrected = applies and c.correction != "none"
    raw, adjusted = (partial(_p, what) for what in ("test.p_value", "p_adjusted"))
    return (
        column.p_value("p", raw, c.level, applies=applies),
        column.p_value(f"p ({c.correction})", adjusted, c.level, applies=corrected),
    )


def _p(what: str, entry: Any) -> float:
    value = entry.test and attrgetter(what)(entry)
    return float("nan") if value is None else float(value)


def methods(c: DatasetComparison) -> tuple[str, ...]:
    """Return what runs add to how everything was computed."""
    return () if c.runs is None else (methods_over(c), _methods_of_chance(c.runs), methods_beside(c))


def methods_over(c: DatasetComparison) -> str:
    """Return how differences were bounded and tested over the runs of all datasets; nothing without runs."""
    over = [entry for entry in c.overall if entry.resampled == "runs"]
    made = [entry.interval.method for entry in over if entry.interval is not None]
    intervals = ", ".join(dict.fromkeys(map(summary.name_of_interval, made)))
    tests = ", ".join(dict.fromkeys(summary.how_tested(e.test) for e in over if e.test is not None))
    parts = "; ".join(filter(None, (intervals and f"{intervals} intervals", tests)))
    return f"Over the runs of all datasets: {parts}." if c.runs is not None and parts else ""


def _methods_of_chance(runs: RunsOnDatasets) -> str:
    """Return how the intervals of the mean probabilities were made."""
    bounds = sorted({one.interval.method for one in runs.improvements if one.interval is not None})
    named = ", ".join(map(summary.name_of_interval, bounds))
    return f"Intervals of the probability over the datasets: {named}." if named else ""


def methods_beside(c: DatasetComparison) -> str:
    """Return what the columns mean that runs add to the differences on each dataset."""
    if c.runs is None:
        return ""
    sides = column.sides(c.differences)
    text = f"Probability: how often a run of {sides.one} is above one of {sides.other}."
    if not words.computed(c, "test"):
        return text
    return (
        f"{text} ε: upper {100.0 * orders_level(c):.4g} % bound of how far {sides.one} (reversed:"
        f" {sides.other}) is from being better at every quantile; the level is corrected for"
        f" {family_of_orders(c)} ({resamples_of_orders(c)})."
    )


def orders_level(c: DatasetComparison) -> float:
    """Return the level of the bounds of the stochastic orders."""
    first = cast(RunsDifference, next(iter(c.within.values()))[0])
    return 0.0 if first.order is None else first.order.level


def resamples_of_orders(c: DatasetComparison) -> str:
    """Return the number of the resamples that bound the stochastic orders, and their seed."""
    return f"{grouped(min(ASO_RESAMPLES, c.provenance.n_resamples))} resamples, seed {c.provenance.seed}"


def family_of_orders(c: DatasetComparison) -> str:
    """Return over what the level of the stochastic orders is divided, in words."""
    return "the datasets" if c.correction == "none" else "the datasets, pairs and directions"


def _within(c: DatasetComparison) -> Iterator[dict[str, Any]]:
    """Yield the differences between the runs on each dataset; none without runs."""
    if c.runs is not None:
        for name, differences in c.within.items():
            yield from ({"dataset": name, "difference": d} for d in differences)


ROWS = Rows((Field("dataset"), *inside("difference", differences_of_runs(with_items=False))), _within)
"""Every pair of systems on every dataset, as data."""


def dictionary(c: DatasetComparison) -> dict[str, Any]:
    """Return what runs add, as dictionaries and lists; nothing without runs."""
    if c.runs is None:
        return {}
    return {
        "runs": {
            "statistic": c.runs.statistic,
            "paired": c.runs.paired,
            "scores": c.runs.scores,
            "systems": [asdict(entry) for entry in c.runs.systems],
            "improvements": [asdict(entry) for entry in c.runs.improvements],
            "differences": ROWS.rows(c),
        }
    }


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
