"""The report of a comparison of runs, its figures, and its paragraph for a paper."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from functools import partial
from itertools import pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby.inference.skewness import FROM_UNITS
from bestby.questions.order import figure as order_figure
from bestby.questions.order.ordering_report import MOST_SQUARES, orders_measured
from bestby.questions.order.result import StochasticOrders
from bestby.questions.runs.result import RunsComparison, RunsDifference, Variance
from bestby.report import column, data, words
from bestby.report.column import Cell, Column
from bestby.report.comparison import RunsScore
from bestby.report.disagreements import Kind, Kinds, beside, said
from bestby.report.document import MOST_PAIRS, Document, Picture, forest_picture, one_section, subtitle
from bestby.report.fields import (
    DIFFERENCE,
    N_RUNS,
    SCORE,
    TEST,
    Field,
    Rows,
    attributes,
    best_fields,
    interval_ends,
)
from bestby.report.figures import forest
from bestby.report.figures.canvas import ACCENT, FAINT, INK, SCREEN, WORSE, Canvas, Sheet, figure
from bestby.report.figures.drawing import left_scale, patch
from bestby.report.figures.systems import checked_kind, plot_systems
from bestby.report.figures.systems import scores as draw_scores
from bestby.report.figures.texts import name
from bestby.report.numbers import DASH, INFINITY, MINUS, Rounding, alpha, p_clause, percent
from bestby.report.paper import (
    against,
    drawn,
    inference,
    measured,
    named,
    score_of_runs,
    set_of_best,
    with_works,
)
from bestby.report.tables import (
    Table,
    difference_rounding,
    differences_table,
    marked_by,
    metric_info,
    pairs_matrix,
    score_rounding,
    systems_table,
)
from bestby.report.words import direction, stands_out
from bestby.vocabulary import long_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bestby.questions.order.result import StochasticOrder


def document(c: RunsComparison) -> Document:
    """Return the report: systems, differences, run against run, and, with items, the parts of the errors."""
    metric, digits = c.metrics[0], difference_rounding(c)
    tables = [_systems(c), differences_table(c, metric, _p_of_runs(c)), _run_against_run(c)]
    tables += [_stochastic_orders(c, c.orders)] if c.orders is not None else []
    return one_section(
        c,
        title=f"Runs of {len(c.systems)} systems compared by {metric.name}",
        subtitle=subtitle(c, f"{c.extent}{', paired' if c.paired else ''}"),
        methods=f"{words.methods_sentence(c)} {methods_of_tests(c)}{_methods_of_runs(c)}",
        short_methods=f"{words.methods_sentence(c)} {methods_of_tests(c)}".strip(),
        name=metric.name,
        lead=words.headline(c, metric),
        tables=(*tables, *([_variances(c)] if c.variances else [])),
        pictures=tuple(_pictures(c)),
        readings=tuple(difference_sentence(d, digits) for d in c.differences),
        pairs=partial(pairs_matrix, c, metric),
    )


def _statistic(c: RunsComparison) -> str:
    return long_name("statistic", c.statistic)


def _methods_of_runs(c: RunsComparison) -> str:
    """Return how runs were compared with runs, and where the test of stochastic order is not reliable."""
    text = _methods_of_chance(c)
    return text if c.orders is None else f"{text} {_methods_of_orders(c.orders)}"


def _methods_of_chance(c: RunsComparison) -> str:
    bounds = (d.improvement_interval for d in c.differences)
    chance = sorted({words.name_of_interval(one.method) for one in bounds if one is not None})
    text = f"Probability of improvement: {', '.join(chance)}. " if chance else ""
    return f"{text}Effect size: d_av, in standard deviations between runs."


def _methods_of_orders(orders: StochasticOrders) -> str:
    level = next(iter(orders)).level
    bound, rate = f"{100.0 * level:.4g} %", f"{100.0 * alpha(level):.2g} %"
    text = (
        f"Stochastic order: ε is an upper {bound} bound."
        f" p(ε): one-sided permutation test of the better direction; it shows dominance at {rate} or less."
    )
    codes = {note.code for order in orders for note in order.notes}
    text += " With so few runs, it cannot be as small." if "out_of_reach" in codes else ""
    if "unequal_spread" in codes:
        text += " It is too small where the system with fewer runs varies much more."
    return text


def methods_of_tests(c: RunsComparison) -> str:
    """Say that every p-value is the larger of two, where that is how it was made."""
    exchanged = not c.n_items and c.statistic == "mean" and not c.paired
    if not exchanged or c.provenance.settings.get("test") != "auto":
        return ""
    if "few_runs_for_permutation" in {note.code for note in c.notes}:
        return ""
    t = "Hall's" if min(len(entry.runs) for entry in c.systems) >= FROM_UNITS else "Welch's"
    return f"Each p-value is the larger of those of the permutation test and {t} t-test. "


def _systems(c: RunsComparison) -> Table:
    """Return the table of systems with their numbers of runs and how much these vary."""
    metric = c.metrics[0]
    digits = score_rounding(c, metric)
    columns = (
        column.count("runs", attrgetter("n_runs")),
        column.number("sd", digits, attrgetter("sd")),
        column.number("min", digits, attrgetter("least")),
        column.number("max", digits, attrgetter("greatest")),
        Column("items that change", _changing, applies=any(s.changing_items is not None for s in c.systems)),
    )
    score = metric.name if c.n_items else f"the {_statistic(c)} of {metric.name}"
    return systems_table(c, metric, beside_interval=columns, score=score)


def _changing(entry: RunsScore) -> Cell:
    share = entry.changing_items
    return Cell(DASH if share is None else percent(round(share, 3)), math.nan if share is None else share)


def _p_of_runs(c: RunsComparison) -> Column:
    """Return the p-values of the t test; with items, that test takes them as fixed."""
    # Beside the bootstrap of medians the t test would be that for few runs, which is too careful for more.
    others = any(d.p_value != d.p_welch for d in c.differences)
    applies = c.statistic != "median" and others and words.computed(c, "test")
    header = "p (items fixed)" if c.n_items else "p (t)"
    p_values = column.p_value(header, attrgetter("p_welch"), c.level, applies=applies)
    return replace(p_values, details=True)


def _run_against_run(c: RunsComparison) -> Table:
    """Return how likely a run of the first is above one of the second, and by how much."""
    two, bounded, sides = Rounding(2), words.computed(c, "interval"), column.sides(c.differences)
    columns = (
        *sides.columns,
        column.number("probability", two, attrgetter("improvement")),
        column.interval(c.level, two, attrgetter("improvement_interval"), applies=bounded),
        column.number("d_av", two, attrgetter("effect_size")),
        marked_by(_marks_of_chance, applies=any(map(_marks_of_chance, c.differences))),
    )
    reason = (
        "the probability asks how often a run of one is above a run of the other, and its interval is for one"
        f" pair at a time. {_DECIDES}"
    )
    marked = sum(bool(_marks_of_chance(d)) for d in c.differences)
    return Table.of(
        f"Probability that a run of {sides.one} is above one of {sides.other}, and effect size (d_av)",
        columns,
        c.differences,
        part="probability",
        details=True,
        main=len(sides.columns),
        methods=_methods_of_chance(c),
        footnote=said(Kind.QUESTION, marked, len(c.differences), reason),
    )


_DECIDES = (
    "The test of the differences asks another question, and is corrected for the number of comparisons; it"
    " decides which systems differ significantly."
)


def _marks_of_chance(d: RunsDifference) -> Kinds:
    """Return why the probability of improvement disagrees with the test of the difference, if it does."""
    return () if d.improvement_interval is None else beside(d, 0.5 not in d.improvement_interval)


def _stochastic_orders(c: RunsComparison, orders: StochasticOrders) -> Table:
    """Return how nearly one system is better at every quantile of its runs."""
    two, sides = Rounding(2), column.sides(c.differences)
    columns = (
        *sides.columns,
        column.number("ε", two, attrgetter("order.epsilon_min")),
        column.number("ε reversed", two, attrgetter("reverse_order.epsilon_min")),
        column.p_value(
            "p(ε)", lambda d: min(d.order.p_value, d.reverse_order.p_value), next(iter(orders)).level
        ),
        marked_by(_marks_of_orders, applies=any(map(_marks_of_orders, c.differences))),
    )
    reason = f"ε asks at how many quantiles one system is better than the other. {_DECIDES}"
    marked = sum(bool(_marks_of_orders(d)) for d in c.differences)
    caption = f"Almost stochastic order: how far {sides.one} (reversed: {sides.other}) is from being better"
    caption += " at every quantile of its runs; 0 is always better"
    return Table.of(
        caption,
        columns,
        c.differences,
        _dominant,
        part="order",
        details=True,
        main=len(sides.columns),
        methods=_methods_of_orders(orders),
        footnote=said(Kind.QUESTION, marked, len(c.differences), reason),
    )


def _dominant(d: RunsDifference) -> bool:
    return any(order is not None and order.dominant for order in (d.order, d.reverse_order))


def _marks_of_orders(d: RunsDifference) -> Kinds:
    """Return why the stochastic order disagrees with the test of the difference, if it does."""
    return beside(d, _dominant(d) or stands_out(d))


def _variances(c: RunsComparison) -> Table:
    """Return the standard errors, what they come from, and what more runs or items would make of them."""
    finer = Rounding(score_rounding(c, c.metrics[0]).decimals + 1)

    def error(header: str, runs: float = 1.0, items: float = 1.0) -> Column:
        return column.number(header, finer, lambda v: v.standard_error(runs=runs, items=items))

    def share(part: str) -> Callable[[Variance], Cell]:
        def cell(v: Variance) -> Cell:
            total = v.items + v.runs + v.rest
            value = getattr(v, part) / total if total else math.nan
            return Cell(f"{100.0 * value:.0f} %" if total else DASH, value)

        return cell

    columns = (
        column.name("estimate", lambda v: v.a if v.b is None else f"{v.a} {MINUS} {v.b}"),
        error("error"),
        *(
            Column(head, share(part))
            for head, part in (("items", "items"), ("runs", "runs"), ("both", "rest"))
        ),
        error("2× runs", runs=2.0),
        error("2× items", items=2.0),
        error(f"{INFINITY} runs", runs=math.inf),
        error(f"{INFINITY} items", items=math.inf),
    )
    caption = "Standard error now, what it comes from, and what it would be with more runs or items"
    return Table.of(caption, columns, c.variances, part="variances", details=True)


def _pictures(c: RunsComparison) -> Iterator[Picture]:
    name = c.metrics[0].name
    caption = f"A dot is a run; the larger one is the {_statistic(c)}."
    if words.computed(c, "interval"):
        caption = f"A dot is a run; the line is the {percent(c.level)} interval of the {_statistic(c)}"
        caption += ", over other items too." if c.n_items else "."
    yield Picture(f"Every run of {len(c.systems)} systems in {name}", caption, partial(draw_scores, c))
    if len(c.differences) <= MOST_PAIRS:
        yield forest_picture(c, name, len(c.differences), partial(forest.forest, c))
    caption = "Where the system with the better score has the worse run at a quantile, the area is shaded."
    yield Picture("Quantile functions of two systems", caption, partial(quantiles, c))
    if c.orders is not None and 2 < len(c.systems) <= MOST_SQUARES:
        caption = "Row over column: the smaller, the more nearly the row is better at every quantile."
        yield Picture(
            "Matrix of almost stochastic order",
            caption,
            partial(order_figure.orders, c.orders, [entry.system for entry in c.systems]),
        )


def difference_sentence(d: RunsDifference, rounding: Rounding | None = None) -> str:
    """Return one difference in plain words: how large, how sure, and how often a run scores above a run."""
    interval, order = d.improvement_interval, d.order
    sure = "" if interval is None else f" [{interval.low:.2f}, {interval.high:.2f}]"
    text = (
        f"{words.difference_sentence(d, rounding)} A run of {d.a} scores above one of {d.b} with probability"
        f" {d.improvement:.2f}{sure}."
    )
    if order is None or math.isnan(order.epsilon_min):
        return text
    p = p_clause(order.p_value, alpha(order.level))
    return f"{text} ε_min of its stochastic order is {order.epsilon_min:.2f} ({p})."


OF_RUNS = (
    *N_RUNS,
    Field("p_welch", needs=TEST),
    Field("probability_of_improvement", "improvement"),
    *interval_ends("improvement_interval", "improvement_low", "improvement_high"),
    Field("effect_size"),
    *interval_ends("effect_interval", "effect_low", "effect_high"),
    Field("violation_ratio", "order.violation_ratio", needs=TEST),
    Field("epsilon_min", "order.epsilon_min", needs=TEST),
    Field("epsilon_min_reverse", "reverse_order.epsilon_min", needs=TEST),
    Field("order_p", "order.p_value", needs=TEST),
    Field("order_p_reverse", "reverse_order.p_value", needs=TEST),
)
"""The columns that differences between runs have besides those of all differences."""


def differences_of_runs(*, with_items: bool) -> tuple[Field, ...]:
    """Return the columns of differences between runs; without items, none of them can differ."""
    without = Field("n_differing", lambda _: None)
    columns = DIFFERENCE if with_items else [without if f.name == "n_differing" else f for f in DIFFERENCE]
    return (*columns, *OF_RUNS)


TABLES = {
    "differences": Rows(lambda c: differences_of_runs(with_items=bool(c.n_items)), attrgetter("differences")),
    "scores": Rows(
        lambda c: (
            *SCORE,
            *attributes("n_runs", "sd"),
            Field("min", "least"),
            Field("max", "greatest"),
            Field("changing_items"),
            *best_fields(c),
        ),
        attrgetter("systems"),
    ),
}


def dictionary(c: RunsComparison) -> dict[str, Any]:
    """Return the comparison as dictionaries and lists."""
    return {
        "statistic": c.statistic,
        "paired": c.paired,
        "n_items": c.n_items or None,
        "systems": [
            row | {"runs": entry.runs} for row, entry in zip(TABLES["scores"].rows(c), c.systems, strict=True)
        ],
        "differences": TABLES["differences"].rows(c),
        **data.on_the_best(c),
        "variances": [_variance(v) for v in c.variances],
    }


def _variance(v: Variance) -> dict[str, Any]:
    return {
        **asdict(v),
        "error": v.standard_error(),
        "error_twice_runs": v.standard_error(runs=2.0),
        "error_twice_items": v.standard_error(items=2.0),
        "error_all_runs": v.standard_error(runs=math.inf),
        "error_all_items": v.standard_error(items=math.inf),
    }


def sentences(c: RunsComparison) -> Iterator[str]:
    """Yield how runs were compared."""
    names = [entry.system for entry in c.systems]
    metric, paired = measured(c.metrics[0].name), ", run by run in pairs" if c.paired else ""
    yield (
        f"We compared {len(names)} systems{named(names)} by {metric} over {c.extent}{paired}"
        f"{against(c.baseline)}."
    )
    yield f"The score of a system is {score_of_runs(c.statistic)}."
    larger = methods_of_tests(c).rstrip()
    yield from inference(c, c.differences, systems=c.systems, larger=larger)
    yield set_of_best(c)
    methods = sorted({d.improvement_interval.method for d in c.differences if d.improvement_interval})
    if methods:
        shown = "; ".join(with_works("interval", one) for one in methods)
        yield f"Intervals of the probability that a run of one system scores above one of the other: {shown}."
    if c.orders is not None:
        one = next(iter(c.orders))
        yield orders_measured(one, round((1.0 - c.level) / (1.0 - one.level)))
        yield f"The bounds of the violation ratio were computed with {words.resamples(c.orders)}"
    intervals = (entry.interval for entry in c.systems)
    yield drawn(c, c.differences, *intervals, beside_orders=c.orders is not None)


def runs(c: RunsComparison, metric: str | None, kind: str, pair: Any, canvas: Canvas) -> Axes:
    """Draw a figure of a comparison of runs; see `RunsComparison.plot`."""
    kind = checked_kind(kind, "runs")
    metric_info(c, metric)
    if pair is not None and kind != "quantiles":
        raise InvalidInputError("a pair is drawn with kind='quantiles' only", argument="pair")
    if kind == "quantiles":
        return quantiles(c, pair, canvas=canvas)
    if kind == "order":
        if c.orders is None:
            raise InvalidInputError(
                "this comparison has no stochastic orders: it was made with test=None",
                hint="leave out test=None, or draw another kind",
            )
        return order_figure.orders(c.orders, [entry.system for entry in c.systems], canvas=canvas)
    return plot_systems(c, metric, "scores" if kind == "auto" else kind, canvas)


@figure
def quantiles(c: RunsComparison, pair: Sequence[str] | None = None, *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw the quantile functions of two systems, violations shaded, as Dror et al. (2019), ACL, Figure 1."""
    metric = c.metrics[0]
    names = _two(c, pair)
    a, b = (c.score(system) for system in names)
    assert isinstance(a, RunsScore)
    assert isinstance(b, RunsScore)
    axes, shown = canvas.axes(), canvas.names(names)
    edges = sorted({i / a.n_runs for i in range(a.n_runs + 1)} | {i / b.n_runs for i in range(b.n_runs + 1)})
    middles = [(left + right) / 2.0 for left, right in pairwise(edges)]
    values = [_at(entry.runs, middles) for entry in (a, b)]
    better: list[Any] = []
    for left, right, x, y in zip(edges, edges[1:], *values, strict=False):
        if x != y and (y > x) == metric.greater_is_better:
            axes.fill_between((left, right), x, y, color=WORSE, alpha=0.35, linewidth=0, gid="violation")
            better = [patch(f"better runs of {shown[names[1]]}", WORSE, 0.35)]
    first, second = (shown[one] for one in names)
    for levels, colour, style, system in zip(
        values, (ACCENT, FAINT), ("-", "--"), (first, second), strict=True
    ):
        axes.stairs(levels, edges, baseline=None, color=colour, linestyle=style, linewidth=1.8, label=system)
    axes.set_xlim(0.0, 1.0)
    left_scale(axes)
    axes.set_xlabel("share of the runs below", color=INK)
    axes.set_ylabel(f"{name(metric.name)} ({direction(metric)})", color=INK, parse_math=False)
    keys = [*axes.get_legend_handles_labels()[0], *better]
    violation = "" if c.orders is None else f"\n{_violation(c.orders[names])}"
    title = f"Is {first} better than {second} at every quantile?{violation}"
    return Sheet(axes, 3.0, 5.2, title, keys)


def _violation(order: StochasticOrder) -> str:
    ratio = "undefined" if math.isnan(order.violation_ratio) else f"{order.violation_ratio:.3f}"
    bound = "" if math.isnan(order.epsilon_min) else f", ε_min {order.epsilon_min:.2f}"
    return f"Violation {ratio}{bound}"


def _two(c: RunsComparison, pair: Sequence[str] | None) -> tuple[str, str]:
    if pair is None:
        return c.differences[0].a, c.differences[0].b
    if isinstance(pair, str) or len(pair) != 2 or pair[0] == pair[1]:
        raise InvalidInputError(f"pair must be the names of two systems, got {quoted(pair)}")
    return c.score(pair[0]).system, c.score(pair[1]).system


def _at(runs: Sequence[float], levels: Sequence[float]) -> list[float]:
    """Return the quantile function at levels that are none of its steps.

    >>> _at([3.0, 1.0], [0.25, 0.75])
    [1.0, 3.0]
    """
    ordered = sorted(runs)
    return [ordered[min(int(level * len(ordered)), len(ordered) - 1)] for level in levels]
