"""The report of a comparison with a published score, and its paragraph for a paper."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from decimal import Decimal
from functools import partial
from operator import attrgetter, itemgetter
from typing import Any

from bestby.inference.skewness import FROM_UNITS
from bestby.questions.published.result import PublishedComparison, differing, p_range, paired
from bestby.questions.published.scores_report import (
    DIFFERING,
    INTERVAL,
    between,
    intervals_with_tests,
    range_of,
    right_answers,
    verdict,
)
from bestby.report import column
from bestby.report.column import Cell, Column
from bestby.report.document import Document, Picture, one_section
from bestby.report.fields import Field, Rows, attributes, values
from bestby.report.figures import drawing
from bestby.report.figures.canvas import SCREEN, Canvas, Sheet, figure
from bestby.report.figures.forest import Line, draw_lines
from bestby.report.figures.texts import name
from bestby.report.numbers import MINUS, Rounding, alpha, percent
from bestby.report.paper import measured, with_works
from bestby.report.percent import scale_of
from bestby.report.tables import Table
from bestby.report.words import name_of_test
from bestby.results.values import Interval

ASSUMPTIONS = {
    "other items": "other items",
    "fewest differing": "same items, most agreement",
    "most differing": "same items, least agreement",
    "runs": "the runs are independent",
}
"""What each assumption is called."""


def document(c: PublishedComparison) -> Document:
    """Return the report: the two scores, and the difference under each assumption."""
    caption = (
        "A filled marker is a difference that is significant whatever the published score is rounded from."
    )
    picture = Picture("Difference under each assumption", caption, partial(draw, c))
    return one_section(
        c,
        title=f"{c.system} beside the published score of {c.published}",
        subtitle=f"{c.metric.name}, {_extent(c, c.n)}, {percent(c.level)} intervals",
        methods=methods(c),
        name="published",
        lead=sentence(c),
        tables=(_scores(c), _answers(c)),
        pictures=(picture,),
    )


def rounding(c: PublishedComparison) -> Rounding:
    """Return the decimals of the differences."""
    return Rounding.of([(c.estimate, answer.interval) for answer in c.answers])


def sentence(c: PublishedComparison) -> str:
    """Return what can be concluded, and of means on how few runs that rests.

    The same items count where they may be the same, see `PublishedComparison.decided`.
    """
    return _conclusion(c) + _few(c)


def _few(c: PublishedComparison) -> str:
    if c.answers[0].assumption != "runs" or c.n >= FROM_UNITS:
        return ""
    return (
        f" This rests on {c.n} runs of {c.system} and {c.n_published} of {c.published}, which cannot show"
        " whether they are skewed."
    )


def _conclusion(c: PublishedComparison) -> str:
    digits = Rounding.for_scores([(c.score, c.interval)])
    over = _extent(c, c.n) + ("" if c.n == c.n_published else f" ({c.published}: {c.n_published})")
    lead = f"{c.system} has {c.metric.name} {digits.text(c.score)} over {over}, {c.published} {printed(c)}: "
    counted, counts = paired(c.answers), differing(c.answers)
    overlap = None if counts is None else (c.differing_limit, c.n, counts)
    return f"{lead}{verdict(c.decided, counted[0].test, p_range(counted), c.level, overlap)}."


def printed(c: PublishedComparison) -> str:
    """Return the published score with the digits that it was published with."""
    text = str(c.provenance.settings.get("published", c.published_score))
    if scale_of(c.metric) == 1.0:
        return text
    return text.removesuffix("%").strip() if text.endswith("%") else f"{Decimal(text).scaleb(2):f}"


def _extent(c: PublishedComparison, n: int) -> str:
    return f"{n} {'runs' if c.answers[0].assumption == 'runs' else 'items'}"


def _scores(c: PublishedComparison) -> Table:
    digits, of_runs = Rounding.for_scores([(c.score, c.interval)]), c.answers[0].assumption == "runs"
    entries = ((c.system, c.score, c.interval, c.n), (c.published, c.published_score, None, c.n_published))
    columns = (
        column.name("system", itemgetter(0)),
        Column(c.metric.name, lambda e: Cell(digits.text(e[1]) if e[2] else printed(c), e[1])),
        column.interval(c.level, digits, itemgetter(2)),
        column.count("runs" if of_runs else "items", itemgetter(3)),
        column.text("may be", lambda e: "" if e[2] else _before_rounding(c, digits, of_runs=of_runs)),
    )
    return Table.of("Scores", columns, entries, main=1)


def _before_rounding(c: PublishedComparison, digits: Rounding, *, of_runs: bool) -> str:
    """Return what the published score may have been rounded from."""
    if of_runs:
        return digits.interval(Interval(c.published_low, c.published_high, c.level, "rounding", True))
    scale = scale_of(c.metric)
    return right_answers(c.published_low / scale, c.published_high / scale, c.n_published)


def _answers(c: PublishedComparison) -> Table:
    digits, level = rounding(c), alpha(c.level)
    columns = (
        column.text(
            "if" if c.answers[0].assumption == "runs" else "if they answered",
            lambda a: ASSUMPTIONS[a.assumption],
        ),
        column.text(
            "items that differ", lambda a: between(a.n_differing), applies=differing(c.answers) is not None
        ),
        column.interval(c.level, digits, attrgetter("interval")),
        column.text("test", lambda a: name_of_test(a.test)),
        Column("p", lambda a: Cell(range_of((a.p_low, a.p_high), level), a.p_high)),
    )
    caption = f"Difference in {c.metric.name}, {c.system} {MINUS} {c.published}: {digits.text(c.estimate)}"
    return Table.of(caption, columns, c.answers, lambda a: a.p_high <= level, main=2, methods=methods(c))


def methods(c: PublishedComparison) -> str:
    """Return how the numbers were computed."""
    how = intervals_with_tests(c.answers, c.level)
    return f"{how} Each covers all scores that round to the published one."


TABLES = {
    "answers": Rows(
        (
            Field("system", of_result=True),
            Field("published", of_result=True),
            Field("metric", "metric.name", of_result=True),
            Field("score", of_result=True),
            Field("published_score", of_result=True),
            Field("assumption"),
            *DIFFERING,
            Field("difference", "estimate", of_result=True),
            *INTERVAL,
            *attributes("p_low", "p_high", "test"),
        ),
        attrgetter("answers"),
    )
}


def dictionary(c: PublishedComparison) -> dict[str, Any]:
    """Return the scores and the answers as dictionaries."""
    return {
        "metric": asdict(c.metric) | {"bounds": list(c.metric.bounds)},
        **values(attributes("system", "score"), c),
        "interval": asdict(c.interval),
        **values(attributes("published", "published_score", "published_low", "published_high"), c),
        **values(attributes("estimate", "decided", "significant", "winner", "differing_limit"), c),
        "answers": TABLES["answers"].rows(c),
    }


def sentences(c: PublishedComparison) -> Iterator[str]:
    """Yield how a system was compared with a published score."""
    unit = "runs" if c.answers[0].assumption == "runs" else "items"
    whose = "" if c.published == "published" else f" of {c.published}"
    yield (
        f"We compared the {measured(c.metric.name)} of {c.system} over {c.n} {unit} with the published score"
        f" {printed(c)}{whose} over {c.n_published} {unit}."
    )
    by = {}
    for a in c.answers:
        interval = with_works("interval", a.interval.method)
        by[a.assumption] = f"by {interval} and {with_works('test', a.test)}"
    if "runs" in by:
        yield f"The means were compared {by['runs']}."
    elif "fewest differing" in by:
        text = (
            "The published predictions are not known: we report the range of everything that the two scores"
            f" allow on the same items, {by['fewest differing']}"
        )
        if "other items" in by:
            text += f", and beside it the comparison as if the items were different, {by['other items']}"
        yield f"{text}."
    else:
        yield f"The shares of right answers to different items were compared {by['other items']}."
    yield (
        f"Intervals are at the {percent(c.level)} level; intervals and p-values allow for the rounding of the"
        " published score."
    )


@figure
def draw(c: PublishedComparison, *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw the interval of the difference under each assumption, filled where it is significant."""
    lines = [
        Line(ASSUMPTIONS[a.assumption], c.estimate, a.interval, filled=a.p_high <= alpha(c.level))
        for a in c.answers
    ]
    sheet = draw_lines(
        lines,
        rounding(c),
        None,
        canvas,
        title=f"{name(c.metric.name)}: {percent(c.level)} intervals, by what was not published",
        keys=[drawing.key("significant", filled=True), drawing.key("not significant", filled=False)],
    )
    names = canvas.names([c.system, c.published])
    drawing.difference_label(sheet.axes, c.metric, names[c.system], names[c.published])
    return sheet
