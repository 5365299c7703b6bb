"""The report of a comparison of runs."""

from __future__ import annotations

import dataclasses
import math
from functools import partial
from typing import TYPE_CHECKING, Any

from bestby.report import data, summary, words
from bestby.report.document import Document, Picture, Section
from bestby.report.kinds.comparison import settings
from bestby.report.numbers import (
    DASH,
    INFINITY,
    MINUS,
    Rounding,
    alpha,
    ends,
    margin_text,
    p_clause,
    p_text,
    percent,
)
from bestby.report.tables import (
    Cell,
    Column,
    Row,
    Table,
    difference_rounding,
    differences_table,
    score_rounding,
    systems_table,
)
from bestby.results.base import MetricInfo
from bestby.results.runs import RunsComparison, RunsDifference, RunsScore, Variance
from bestby.vocabulary import long_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMNS = (
    *data.COLUMNS,
    "n_runs_a",
    "n_runs_b",
    "p_welch",
    "probability_of_improvement",
    "improvement_low",
    "improvement_high",
    "effect_size",
    "effect_low",
    "effect_high",
    "violation_ratio",
    "epsilon_min",
    "epsilon_min_reverse",
    "order_p",
    "order_p_reverse",
)

_MOST_DRAWN = 130
_MOST_SQUARES = 25


def _statistic(c: RunsComparison) -> str:
    return long_name("statistic", c.statistic)


def document(c: RunsComparison) -> Document:
    """Return the report of a comparison of runs.

    It shows systems, differences, run against run, and, with items, where the uncertainty comes from.
    """
    subtitle = f"{c.extent}{', paired' if c.paired else ''}, {percent(c.level)} intervals"
    if c.baseline is not None:
        subtitle += f", against the baseline {c.baseline}"
    if c.margin is not None:
        subtitle += f", smallest difference that matters {margin_text(c.margin)}"
    return Document(
        title=f"Runs of {len(c.systems)} systems compared by {c.metrics[0].name}",
        subtitle=subtitle,
        sections=(_section(c),),
        notes=tuple(summary.note_lines(c)),
        methods=_methods(c),
        settings=settings(c.provenance),
        signature=c.signature,
        version=c.provenance.version,
    )


def _section(c: RunsComparison) -> Section:
    metric = c.metrics[0]
    digits = difference_rounding(c, metric)
    tables = [_systems(c, metric), _differences(c, metric), _run_against_run(c)]
    if c.variances:
        tables.append(_variances(c))
    return Section(
        name=metric.name,
        lead=summary.headline(c, metric),
        tables=tuple(tables),
        pictures=tuple(_pictures(c)),
        readings=tuple(difference_sentence(d, digits) for d in c.differences),
    )


def _methods(c: RunsComparison) -> str:
    return f"{summary.methods_sentence(c)} {_methods_of_tests(c)}{_methods_of_runs(c)}"


def _methods_of_runs(c: RunsComparison) -> str:
    """Return how a run was set against a run."""
    chance = sorted({summary.name_of_interval(d.improvement_interval.method) for d in c.differences})
    level = next(iter(c.orders.orders.values())).level
    told, rate = f"{100.0 * level:.4g} %", f"{100.0 * alpha(level):.2g} %"
    return (
        f"P(A > B): {', '.join(chance)}. Effect size: d_av, in standard deviations between runs."
        f" ε(A, B): upper {told} bound of how far A is from being better at every quantile."
        f" p(ε): one-sided permutation test of the better direction; it shows dominance at {rate} or less."
        + _cautions(c)
    )


def _methods_of_tests(c: RunsComparison) -> str:
    """Say that every p-value is the larger of two, where that is how it was made."""
    exchanged = not c.n_items and c.statistic == "mean" and not c.paired
    if not exchanged or c.provenance.settings.get("test") != "auto":
        return ""
    if "few_runs_for_permutation" in {note.code for note in c.notes}:
        return ""
    return "Each p-value is the larger of those of the permutation test and Welch's t-test. "


def _cautions(c: RunsComparison) -> str:
    """Say where the test of stochastic order cannot show dominance, or sees it where there is none."""
    codes = {note.code for d in c.differences for note in d.order.notes}
    text = " So few runs cannot give a p as small." if "out_of_reach" in codes else ""
    if "unequal_spread" in codes:
        text += " It is too small where the system with fewer runs varies much more."
    return text


# -- tables ----------------------------------------------------------------------------------------


def _systems(c: RunsComparison, metric: MetricInfo) -> Table:
    """Return the table of systems with their numbers of runs and how much these vary."""
    base, digits = systems_table(c, metric), score_rounding(c, metric)
    columns = list(base.columns)
    columns[4:4] = [Column(name, True) for name in ("runs", "sd", "min", "max")]
    rows = []
    for row, entry in zip(base.rows, c.systems, strict=True):
        cells = list(row.cells)
        cells[4:4] = [
            Cell(str(entry.n_runs), float(entry.n_runs)),
            *(Cell(digits.text(x), x) for x in (entry.sd, entry.least, entry.greatest)),
        ]
        rows.append(Row(tuple(cells), row.strong))
    what = metric.name if c.n_items else f"the {_statistic(c)} of {metric.name}"
    caption = f"Systems by {what} ({words.direction(metric)}), {c.extent}"
    return Table(caption, tuple(columns), tuple(rows))


def _differences(c: RunsComparison, metric: MetricInfo) -> Table:
    """Return the table of differences, with the p-value of the t test beside that of the test."""
    base = differences_table(c, metric)
    # Beside the bootstrap of medians the t test would be that for few runs, which is too careful for more.
    if c.statistic == "median" or all(d.p_value == d.p_welch for d in c.differences):
        return base
    end = len(base.columns) - any(d.verdict is not None for d in c.differences)
    columns = list(base.columns)
    # With items, the test of the run scores takes the items as given.
    columns.insert(end, Column("p (items fixed)" if c.n_items else "p (t)", True))
    rows = []
    for row, d in zip(base.rows, c.differences, strict=True):
        cells = list(row.cells)
        cells.insert(end, Cell(p_text(d.p_welch, alpha(c.level)), d.p_welch))
        rows.append(Row(tuple(cells), row.strong))
    return dataclasses.replace(base, columns=tuple(columns), rows=tuple(rows))


def _run_against_run(c: RunsComparison) -> Table:
    """Return how likely a run of A is above one of B, by how much, and how nearly always."""
    two = Rounding(2)
    columns = (
        Column("A", False, name=True),
        Column("B", False, name=True),
        Column("P(A > B)", True),
        Column(f"{percent(c.level)} interval", True),
        Column("d_av", True),
        Column("ε(A, B)", True),
        Column("ε(B, A)", True),
        Column("p(ε)", True),
    )
    rows = []
    for d in c.differences:
        p = min(d.order.p_value, d.reverse_order.p_value)
        cells = (
            Cell(d.a, d.a),
            Cell(d.b, d.b),
            Cell(two.text(d.improvement), d.improvement),
            Cell(two.interval(d.improvement_interval), d.improvement_interval.low),
            Cell(two.text(d.effect_size), d.effect_size),
            Cell(two.text(d.order.epsilon_min), d.order.epsilon_min),
            Cell(two.text(d.reverse_order.epsilon_min), d.reverse_order.epsilon_min),
            Cell(p_text(p, alpha(d.order.level)), p),
        )
        rows.append(Row(cells, d.order.dominant or d.reverse_order.dominant))
    caption = (
        "Run against run: chance of improvement, effect size, almost stochastic order (ε, 0: always better)"
    )
    return Table(caption, columns, tuple(rows), methods=_methods_of_runs(c))


def _variances(c: RunsComparison) -> Table:
    """Return the standard errors, what they come from, and what more runs or items would make of them."""
    digits = Rounding.of([(s.score, s.interval) for s in c.systems])
    finer = Rounding(digits.decimals + 1)
    heads = ("2× runs", "2× items", f"{INFINITY} runs", f"{INFINITY} items")
    columns = (
        Column("of", False, name=True),
        Column("error", True),
        *(Column(name, True) for name in ("items", "runs", "both", *heads)),
    )
    grown = ((2.0, 1.0), (1.0, 2.0), (math.inf, 1.0), (1.0, math.inf))
    rows = []
    for v in c.variances:
        errors = [v.standard_error(), *(v.standard_error(runs=r, items=i) for r, i in grown)]
        of = v.a if v.b is None else f"{v.a} {MINUS} {v.b}"
        cells = (
            Cell(of, of),
            Cell(finer.text(errors[0]), errors[0]),
            *_shares(v),
            *(Cell(finer.text(error), error) for error in errors[1:]),
        )
        rows.append(Row(cells, False))
    caption = "Standard error now, what it comes from, and what it would be with more runs or items"
    return Table(caption, columns, tuple(rows))


def _shares(v: Variance) -> list[Cell]:
    total = v.items + v.runs + v.rest
    if total == 0.0:
        return [Cell(DASH, math.nan)] * 3
    return [Cell(f"{100.0 * part / total:.0f} %", part / total) for part in (v.items, v.runs, v.rest)]


# -- figures and words -----------------------------------------------------------------------------


def _pictures(c: RunsComparison) -> list[Picture]:
    name, n_pairs = c.metrics[0].name, len(c.differences)
    pictures = [
        Picture(
            f"Every run of {len(c.systems)} systems in {name}",
            f"A dot is a run; the line is the {percent(c.level)} interval of the {_statistic(c)}"
            + (", over other items too." if c.n_items else "."),
            partial(_drawn, c, "scores"),
        )
    ]
    if n_pairs <= _MOST_DRAWN:
        told = "A filled marker is a difference that the test, after any correction, finds significant."
        told += "" if c.margin is None else " The band is the margin."
        label = f"Forest plot of {n_pairs} differences in {name}"
        pictures.append(Picture(label, told, partial(_drawn, c, "forest")))
    told = "Where the system that is ahead on the whole is behind at the same quantile, the area is shaded."
    pictures.append(Picture("Quantile functions of two systems", told, partial(_drawn, c, "quantiles")))
    if 2 < len(c.systems) <= _MOST_SQUARES:
        told = "Row over column: the smaller, the more nearly the row is better at every quantile."
        pictures.append(Picture("Matrix of almost stochastic order", told, partial(_drawn, c, "order")))
    return pictures


def _drawn(c: RunsComparison, kind: str) -> Axes:
    from bestby.report.figures import runs

    return runs.draw(c, None, None, kind, None)


def difference_sentence(d: RunsDifference, rounding: Rounding | None = None) -> str:
    """Return one difference in plain words: how large, how sure, and how often a run beats a run."""
    first, second, order = d.a, d.b, d.order
    chance, interval = d.improvement, d.improvement_interval
    low, high = interval.low, interval.high
    if d.ahead == d.b:
        first, second, order = d.b, d.a, d.reverse_order
    if (d.ahead == d.b) == d.greater_is_better:  # the chance that A is above B is not that `first` wins
        chance, low, high = 1.0 - chance, 1.0 - high, 1.0 - low
    text = (
        f"{words.difference_sentence(d, rounding)} A run of {first} beats one of {second} with probability"
        f" {chance:.2f} [{low:.2f}, {high:.2f}]."
    )
    if math.isnan(order.epsilon_min):
        return text
    p = p_clause(order.p_value, alpha(order.level))
    return f"{text} ε_min of its stochastic order is {order.epsilon_min:.2f} ({p})."


# -- data ------------------------------------------------------------------------------------------


def rows(c: RunsComparison) -> list[dict[str, Any]]:
    """Return one row per difference, with the columns `COLUMNS`."""
    return [_row(d) for d in c.differences]


def _row(d: RunsDifference) -> dict[str, Any]:
    more = (
        *d.n_runs,
        d.p_welch,
        d.improvement,
        d.improvement_interval.low,
        d.improvement_interval.high,
        d.effect_size,
        ends(d.effect_interval)[0],
        ends(d.effect_interval)[1],
        d.order.violation_ratio,
        d.order.epsilon_min,
        d.reverse_order.epsilon_min,
        d.order.p_value,
        d.reverse_order.p_value,
    )
    base = data.row(d)
    if not d.n_items:
        base["n_differing"] = None
    return base | dict(zip(COLUMNS[len(data.COLUMNS) :], more, strict=True))


def dictionary(c: RunsComparison) -> dict[str, Any]:
    """Return the comparison as dictionaries and lists."""
    return {
        "signature": c.signature,
        "statistic": c.statistic,
        "paired": c.paired,
        "n_items": c.n_items or None,
        "systems": [_system(entry) for entry in c.systems],
        "differences": rows(c),
        "variances": [_variance(v) for v in c.variances],
        "notes": data.noted(summary.all_notes(c)),
        "provenance": data.made_by(c.provenance),
    }


def _system(entry: RunsScore) -> dict[str, Any]:
    return {
        "metric": entry.metric,
        "system": entry.system,
        "n_runs": entry.n_runs,
        "score": entry.score,
        "sd": entry.sd,
        "low": ends(entry.interval)[0],
        "high": ends(entry.interval)[1],
        "interval": None if entry.interval is None else entry.interval.method,
        "min": entry.least,
        "max": entry.greatest,
        "rank_low": entry.rank_low,
        "rank_high": entry.rank_high,
        "group": entry.group,
        "standard_error": entry.standard_error,
        "standard_error_method": entry.standard_error_method,
        "runs": entry.runs,
    }


def _variance(v: Variance) -> dict[str, Any]:
    return {
        "a": v.a,
        "b": v.b,
        "items": v.items,
        "runs": v.runs,
        "rest": v.rest,
        "n_runs": v.n_runs,
        "n_units": v.n_units,
        "error": v.standard_error(),
        "error_twice_runs": v.standard_error(runs=2.0),
        "error_twice_items": v.standard_error(items=2.0),
        "error_all_runs": v.standard_error(runs=math.inf),
        "error_all_items": v.standard_error(items=math.inf),
    }
