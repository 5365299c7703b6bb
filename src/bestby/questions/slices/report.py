"""The report of a comparison of slices, its figure, and its paragraph for a paper."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from functools import partial
from operator import attrgetter
from typing import Any

from bestby import vocabulary
from bestby.inference.multiplicity import alpha_at, rejects
from bestby.planning.base import USUAL_POWER
from bestby.questions.slices.result import Heterogeneity, SliceDifference, SlicesComparison
from bestby.report import column, words
from bestby.report.column import Cell, Column
from bestby.report.comparison import Difference, better_by_score
from bestby.report.document import Document, Picture, Section, filled_caption, several_sections, subtitle
from bestby.report.fields import DIFFERENCE, TEST, Field, Rows, attributes, inside, values
from bestby.report.figures import drawing
from bestby.report.figures.canvas import SCREEN, Canvas, Sheet, figure
from bestby.report.figures.forest import Line, draw_lines
from bestby.report.figures.texts import name
from bestby.report.numbers import DASH, MINUS, Rounding, p_clause, p_text, percent
from bestby.report.paper import against, drawn, intervals_and_tests, measured, named, with_works
from bestby.report.references import cite
from bestby.report.tables import BEST, MOST_IN_SHORT, Table, metric_info, with_bars, with_first_rows
from bestby.report.words import listed, stands_out
from bestby.results.base import MetricInfo


def document(c: SlicesComparison) -> Document:
    """Return the report: a section for each metric and pair."""
    # More pictures than these are not looked at
    pictured = c.overall[:6]
    first, *others = (_section(c, whole, pictured=whole in pictured) for whole in c.overall)
    # Of several pairs the short answer shows the slices of the first, and a line of each
    sections = [
        replace(first, tables=(*first.tables, *([_pairs(c)] if others else []))),
        *(replace(one, detailed=True) for one in others),
    ]
    extent = c.overall[0].extent
    return several_sections(
        c,
        f"Differences by {listed(list(c.columns))}",
        subtitle(c, extent),
        sections,
        methods(c),
        detail_notes=("few_slices",),
    )


def _section(c: SlicesComparison, whole: Difference, *, pictured: bool) -> Section:
    tests = _tests_of(c, whole)
    several = len(c.metrics) > 1 or len(c.overall) > len(c.metrics)
    lead = " ".join([sentence(c, whole), *(_dependence(h, c.level) for h in tests)])
    caption = filled_caption(c)
    picture = Picture(
        f"Forest plot of {whole.a} {MINUS} {whole.b} by slice, {whole.metric}",
        caption,
        partial(slices, c, whole.metric, pair=whole),
    )
    tables = [_slices(c, whole)]
    if tests:
        tables.append(_tests(tests, whole, c.level))
    return Section(
        name=f"{whole.metric}: {whole.a} and {whole.b}" if several else "slices",
        lead=lead,
        tables=tuple(tables),
        pictures=(picture,) if pictured else (),
    )


def _pairs(c: SlicesComparison) -> Table:
    """Return a line for each metric and pair: the difference on all items, and in which slices it shows."""

    def slices_won(of_first: bool) -> Callable[[Difference], str]:
        def cell(whole: Difference) -> str:
            system = whole.a if of_first else whole.b
            return listed([_named(c, one) for one in c.of(whole) if one.winner == system], 3) or DASH

        return cell

    def depends(whole: Difference) -> Cell:
        p_values = [h.p_value for h in _tests_of(c, whole)]
        p = min(p_values, default=math.nan)
        return Cell(p_text(p, alpha_at(c.level)), p) if p_values else Cell(DASH, math.inf)

    digits = Rounding.of([(d.estimate, d.interval) for d in c.overall])
    columns = (
        column.text("metric", attrgetter("metric"), applies=len(c.metrics) > 1),
        column.name("first", attrgetter("a")),
        column.name("second", attrgetter("b")),
        column.number("difference", digits, attrgetter("estimate")),
        column.p_value("p", attrgetter("p_adjusted"), c.level),
        column.text("better in", slices_won(True)),
        column.text("worse in", slices_won(False)),
        Column("p (slices)", depends),
    )
    table = Table.of(
        "All pairs: the difference on all items, and in which slices it is significant",
        columns,
        c.overall,
        stands_out,
        main=2,
        footnote="better in, worse in: the slices in which the first is significantly better, or worse."
        " p (slices): that the difference is the same in all slices; of several columns the smallest.",
    )
    # Those with the first system, of many pairs
    most = sum(d.metric == c.metrics[0].name and c.overall[0].a in (d.a, d.b) for d in c.overall)
    return with_first_rows(table, max(MOST_IN_SHORT, most))


def _tests_of(c: SlicesComparison, whole: Difference) -> list[Heterogeneity]:
    return [h for h in c.heterogeneity if (h.metric, h.a, h.b) == (whole.metric, whole.a, whole.b)]


def _named(c: SlicesComparison, one: SliceDifference) -> str:
    return one.slice if len(c.columns) < 2 else f"{one.column} {one.slice}"


def sentence(c: SlicesComparison, whole: Difference) -> str:
    """Return whether two systems differ significantly on all items, and in which slices.

    Only what is significant is said, and corrected for the number of slices; what was merely observed is said
    to be so.
    """
    slices = c.of(whole)
    first = whole.winner or better_by_score(whole) or whole.a
    other = whole.b if first == whole.a else whole.a
    higher, lower = ("higher", "lower") if whole.greater_is_better else ("lower", "higher")
    better = [_named(c, s) for s in slices if s.winner == first]
    worse = [_named(c, s) for s in slices if s.winner == other]
    below = [_named(c, s) for s in slices if not s.winner and better_by_score(s.difference) == other]
    found = [
        f"significantly {side} in {'every slice' if len(names) == len(slices) else listed(names)}"
        for side, names in ((higher, better), (lower, worse))
        if names
    ]
    text = f"{whole.a} and {whole.b} cannot be told apart on all items; "
    if whole.winner is not None:
        text = f"{first} has a significantly {higher} {whole.metric} than {other} on all items; "
    by_slice = f"the score of {first} is {' and '.join(found)}"
    text += f"{by_slice}." if found else "they differ significantly in no slice."
    if whole.winner is not None and below:
        text += f" It also has a worse score than {other} in {listed(below)}, which chance may explain."
    n, units = words.units_of_items(c.n_items, c.n_clusters, c.provenance)
    return text + words.few_units_text(n, units, [whole], c.notes, c.provenance.settings.get("test"))


def _dependence(h: Heterogeneity, level: float) -> str:
    """Return whether the difference depends on the slice, and whether its sign does."""
    alpha = alpha_at(level)
    depends = rejects(h.p_value, alpha)
    how = f"{p_clause(h.p_value, alpha)}, {vocabulary.long_name('heterogeneity', h.test)}"
    if not depends:
        return f"The differences in the slices of {h.column} cannot be told apart ({how})."
    text = f"The differences in the slices of {h.column} differ significantly ({how})"
    if h.sign_p is None:
        return f"{text}."
    shown = "and change their sign" if rejects(h.sign_p, alpha) else "but a change of sign is not significant"
    return f"{text}, {shown} ({p_clause(h.sign_p, alpha)}, Gail and Simon's test)."


def _slices(c: SlicesComparison, whole: Difference) -> Table:
    lines = (SliceDifference("", "all items", whole, None, None), *c.of(whole))
    differences = [line.difference for line in lines]
    digits = Rounding.of([(one.estimate, one.interval) for one in differences])
    scores = digits.at_least_for([whole.score_a, whole.score_b])
    several = len(c.columns) > 1
    clusters = any(line.difference.n_clusters for line in lines)
    columns = (
        column.text("column", attrgetter("column"), applies=several),
        column.name("slice", attrgetter("slice")),
        column.count("items", lambda line: line.difference.n_items),
        *((column.count("clusters", lambda line: line.difference.n_clusters),) if clusters else ()),
        column.number(whole.a, scores, attrgetter("difference.score_a")),
        column.number(whole.b, scores, attrgetter("difference.score_b")),
        column.number("difference", digits, lambda line: line.difference.estimate),
        column.interval(c.level, digits, lambda line: line.difference.interval),
        column.p_value("p (step-down)", lambda line: line.difference.p_adjusted, c.level),
        replace(_maybe("detectable", digits, attrgetter("detectable")), details=True),
        replace(_maybe("shrunken", digits, attrgetter("shrunken")), details=True),
    )
    info = next(one for one in c.metrics if one.name == whole.metric)
    table = Table.of(
        f"{_direction(info)}, {whole.a} {MINUS} {whole.b}",
        columns,
        lines,
        lambda line: stands_out(line.difference),
        main=1 if several else 0,
        methods=methods(c),
        footnote="detectable: the smallest true difference that the slice could have shown with"
        f" power {USUAL_POWER:g}."
        " shrunken: the difference drawn towards the mean of the slices, further where it is less certain."
        f" {_UNCORRECTED}",
    )
    table = with_bars(table, [(one.estimate, one.interval) for one in differences], marked=0.0)
    short = with_first_rows(replace(table, footnote=_UNCORRECTED), BEST)
    return replace(table, short=short)


_UNCORRECTED = "The interval and the p-value of all items are not corrected for the slices."


def _direction(info: MetricInfo) -> str:
    return f"Difference in {info.name}" + ("" if info.greater_is_better else " (lower is better)")


def _maybe(header: str, digits: Rounding, value: Any) -> Column:
    """Return a column of rounded numbers, with a dash where there is none."""

    def cell(line: SliceDifference) -> Cell:
        number = value(line)
        return Cell(DASH, float("-inf")) if number is None else Cell(digits.text(number), float(number))

    return Column(header, cell)


def _tests(tests: list[Heterogeneity], whole: Difference, level: float) -> Table:
    digits = Rounding.of([(whole.estimate, whole.interval)])
    columns = (
        column.name("column", attrgetter("column")),
        column.count("slices", lambda h: h.df + 1),
        Column("Q", lambda h: Cell(f"{h.q:.2f}", h.q)),
        Column("p", lambda h: Cell(p_text(h.p_value, alpha_at(level)), h.p_value)),
        column.text("test", lambda h: vocabulary.long_name("heterogeneity", h.test)),
        Column("mean", lambda h: Cell(digits.text(h.mean), h.mean)),
        Column("τ", lambda h: Cell(digits.text(h.tau), h.tau)),
        Column(
            "p of a change of sign",
            lambda h: Cell(DASH if h.sign_p is None else p_text(h.sign_p, alpha_at(level)), h.sign_p or 0.0),
        ),
    )
    return Table.of(
        "Does the difference depend on the slice?",
        columns,
        tests,
        lambda h: rejects(h.p_value, alpha_at(level)),
        main=3,
        details=True,
        footnote="Q: Cochran's. mean, τ: mean and standard deviation of the true differences of the slices,"
        " estimated as by DerSimonian and Laird."
        " A change of sign is tested by Gail and Simon's test.",
    )


def methods(c: SlicesComparison) -> str:
    """Return how the numbers were computed."""
    intervals, tests = words.intervals_and_tests(c.differences)
    text = (
        f"{percent(c.level)} intervals: {intervals}; those of slices hold for all slices at once. Tests:"
        f" {tests}; p-values of slices corrected by the {vocabulary.long_name('correction', 'step-down')}."
    )
    return f"{text} {words.resamples(c)}" if words.resampled(c.differences) else text


TABLES = {
    "slices": Rows(
        (
            *attributes("column", "slice"),
            *inside("difference", (*DIFFERENCE, *attributes("n_items", "n_clusters"))),
            *attributes("detectable", "shrunken"),
        ),
        attrgetter("slices"),
    ),
    "overall": Rows(DIFFERENCE, attrgetter("overall")),
    "heterogeneity": Rows(
        (
            *attributes("metric", "a", "b", "column", "q", "df"),
            Field("p_value", needs=TEST),
            Field("test", needs=TEST),
            *attributes("mean", "mean_error", "tau", "sign_statistic", "sign_p"),
        ),
        attrgetter("heterogeneity"),
    ),
}


def dictionary(c: SlicesComparison) -> dict[str, Any]:
    """Return all differences and tests as dictionaries."""
    return {
        "metrics": [asdict(one) for one in c.metrics],
        **values(attributes("n_items", "n_clusters", "level", "baseline", "columns"), c),
        "sentences": [sentence(c, whole) for whole in c.overall],
        **{name: TABLES[name].rows(c) for name in ("overall", "slices", "heterogeneity")},
    }


def sentences(c: SlicesComparison) -> Iterator[str]:
    """Yield how systems were compared in slices of a test set."""
    systems = list(dict.fromkeys(name for d in c.overall for name in (d.a, d.b)))
    metrics = listed([measured(metric.name) for metric in c.metrics])
    per_pair = len(c.slices) // len(c.overall)
    yield (
        f"We compared {len(systems)} systems{named(systems)} by {metrics} in {per_pair} slices"
        f" ({listed(list(c.columns))}) of the same {c.overall[0].extent}{against(c.baseline)}."
    )
    intervals, tests = intervals_and_tests([one.difference for one in c.slices])
    yield (
        f"We report every difference with its {percent(c.level)} confidence interval"
        f"{cite('analysis', 'intervals')}: those of all slices hold at once ({intervals})."
    )
    corrected = with_works("correction", "step-down")
    yield f"Differences in slices were tested ({tests}), corrected for their number: {corrected}."
    ways = dict.fromkeys(h.test for h in c.heterogeneity)
    if ways:
        how = listed([with_works("heterogeneity", way) for way in ways])
        sign = ""
        if any(h.sign_p is not None for h in c.heterogeneity):
            sign = f", and whether its sign does by Gail and Simon's test{cite('analysis', 'change of sign')}"
        yield f"We tested whether a difference depends on the slice ({how}){sign}."
        yield f"Shrunken effects are empirical-Bayes estimates{cite('analysis', 'shrunken effects')}."
    if "permutation-q" in ways and not words.resampled(c.differences):
        yield f"Q was permuted at most {c.provenance.n_resamples} times, with seed {c.provenance.seed}."
    else:
        yield drawn(c, c.differences)


@figure
def slices(
    c: SlicesComparison,
    metric: str | None = None,
    pair: Difference | None = None,
    *,
    canvas: Canvas = SCREEN,
) -> Sheet:
    """Draw the difference of one pair, by default the first, on all items and in every slice."""
    info = metric_info(c, metric)  # type: ignore[arg-type]
    whole = pair or next(d for d in c.overall if d.metric == info.name)
    every = c.of(whole)
    shown = every[:130]  # the table has the others
    lines = [
        Line(
            f"all items ({whole.n_items})", whole.estimate, whole.interval, bool(whole.significant), bold=True
        )
    ]
    heading = None
    for one in shown:
        first, heading = one.column != heading, one.column
        if first and len(c.columns) > 1:
            lines.append(Line(name(one.column), bold=True, rule=True))
        d = one.difference
        label = f"{name(one.slice)} ({d.n_items})"
        rule = first and len(c.columns) == 1
        lines.append(Line(label, d.estimate, d.interval, bool(one.significant), rule=rule))
    digits = Rounding.of([(line.estimate, line.interval) for line in lines if line.estimate is not None])
    below = "" if len(shown) == len(every) else f"{len(every) - len(shown)} more slices are in the table"
    by = "" if len(c.columns) > 1 else f" by {name(c.columns[0])}"
    sheet = draw_lines(
        lines,
        digits,
        None,
        canvas,
        title=f"Differences{by}, {percent(c.level)} intervals that hold for all slices at once",
        foot=below,
        keys=[
            drawing.key("significant, corrected for all slices", filled=True),
            drawing.key("not significant", filled=False),
        ],
    )
    names = canvas.names([whole.a, whole.b])
    drawing.difference_label(sheet.axes, info, names[whole.a], names[whole.b])
    return sheet
