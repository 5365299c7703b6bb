"""The report of published scores beside each other, its picture, and its paragraph for a paper."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from operator import attrgetter
from typing import Any

from bestby import vocabulary
from bestby.inference.skewness import FROM_UNITS
from bestby.questions.published.result import PublishedAnswer, PublishedPair, PublishedScore, PublishedScores
from bestby.report import column
from bestby.report.column import Cell, Column
from bestby.report.document import Document, Picture, one_section
from bestby.report.fields import Field, Rows, attributes, interval_ends
from bestby.report.figures import drawing
from bestby.report.figures.canvas import SCREEN, Canvas, Sheet, figure
from bestby.report.figures.forest import Line, draw_lines
from bestby.report.numbers import MINUS, Rounding, alpha, p_clause, p_text, percent
from bestby.report.paper import with_works
from bestby.report.tables import Table
from bestby.report.words import listed, name_of_test

NO_PERCENT = "published scores are shown as they were printed"

VERDICTS = {"always": "differ significantly", "never": "cannot be told apart", "depends": "depends"}
"""What is said of two scores whatever was not published, or that it decides."""


def range_of(p: tuple[float, float], level: float) -> str:
    """Return the least and the greatest p-value, or one where both are shown alike."""
    texts = p_text(p[0], level), p_text(p[1], level)
    return texts[0] if texts[0] == texts[1] else f"{texts[0]} to {texts[1]}"


def between(counts: tuple[int, int] | None, join: str = "–") -> str:
    """Return the least and the greatest count, or one where both are equal; "" without any."""
    return "" if counts is None else join.join(map(str, dict.fromkeys(counts)))


def right_answers(low: float, high: float, n: int) -> str:
    """Return how many answers of n are right if their share lies between two."""
    return f"{between((round(low * n), round(high * n)), ' to ')} right"


def intervals_with_tests(answers: Iterable[PublishedAnswer], level: float) -> str:
    """Return how the intervals and tests of answers were computed."""
    kinds = dict.fromkeys((a.interval.method, a.test) for a in answers)
    parts = (f"{vocabulary.long_name('interval', i)} with {name_of_test(test)}" for i, test in kinds)
    return f"{percent(level)} intervals and two-sided tests: {'; '.join(parts)}."


def verdict(
    decided: str,
    test: str,
    p: tuple[float, float],
    level: float,
    overlap: tuple[int | None, int, tuple[int, int]] | None,
) -> str:
    """Return the verdict on two scores; `overlap` has the limit, the items, and what is possible."""
    whatever = "" if overlap is None else " whatever the overlap"
    if decided != "depends":
        bound = p_clause(p[decided == "always"], alpha(level))
        side = "most" if decided == "always" else "least"
        clause = bound.replace("p = ", f"p at {side} ") if p[0] != p[1] else bound
        return f"they {VERDICTS[decided]}{whatever} ({name_of_test(test)}: {clause})"
    on = "digits that were not published"
    if overlap is not None:
        limit, n, (fewest, most) = overlap
        on = "the overlap and on what else was not published"
        if limit is not None:
            on = f"the overlap. They do if they disagree on at most {limit} of {n} items;"
            on += f" the scores allow {fewest} to {most}"
    tested = f"{name_of_test(test)}: p from {p_text(p[0])} to {p_text(p[1])}"
    return f"whether they differ significantly depends on {on} ({tested})"


def document(c: PublishedScores) -> Document:
    """Return the report: what every two scores allow to be said, and the scores."""
    caption = "A filled marker is a difference that is significant whatever was not published."
    return one_section(
        c,
        title=f"Published scores of {listed([one.system for one in c.scores])}",
        subtitle=f"{_extent(c)}, {percent(c.level)} intervals",
        methods=methods(c),
        name="published",
        lead=headline(c),
        tables=(_scores(c), _pairs(c)),
        pictures=(Picture("Differences of published scores", caption, partial(draw, c)),),
    )


def _extent(c: PublishedScores) -> str:
    sizes = dict.fromkeys(f"{one.n} {one.unit}" for one in c.scores)
    return " and ".join(sizes) if len(sizes) < 3 else f"several numbers of {c.scores[0].unit}"


def headline(c: PublishedScores) -> str:
    """Return what the scores allow to be said: of two the verdict, of more how many pairs have which."""
    if len(c.pairs) == 1:
        (pair,) = c.pairs
        said = verdict(pair.decided, pair.answers[0].test, pair.p_adjusted, c.level, _overlap(c, pair))
        shown = " and ".join(f"{one.system} ({one.printed})" for one in c.scores)
        same = "the same " if pair.n_differing is not None else ""
        return f"{shown} on {same}{_extent(c)}: {said}.{_few(c)}"
    words = {
        "always": "significant whatever was not published",
        "never": "not significant whatever was not published",
        "depends": "open: that depends on what was not published",
    }
    counts: Counter[str] = Counter(pair.decided for pair in c.pairs)
    parts = [f"{counts[kind]} {said}" for kind, said in words.items() if counts[kind]]
    return f"{len(c.pairs)} differences of published scores (Holm's correction): {'; '.join(parts)}.{_few(c)}"


def _few(c: PublishedScores) -> str:
    fewest = min(c.scores, key=attrgetter("n"))
    if fewest.unit == "items" or fewest.n >= FROM_UNITS:
        return ""
    return f" This rests on {fewest.n} runs, which cannot show whether they are skewed."


def _overlap(c: PublishedScores, pair: PublishedPair) -> tuple[int | None, int, tuple[int, int]] | None:
    if pair.n_differing is None:
        return None
    n = next(one.n for one in c.scores if one.system == pair.a)
    return pair.differing_limit, n, pair.n_differing


def _scores(c: PublishedScores) -> Table:
    def before_rounding(one: PublishedScore) -> str:
        if one.unit == "runs":
            return f"{one.low:.6g} to {one.high:.6g}"
        return right_answers(one.low, one.high, one.n)

    columns = (
        column.name("system", attrgetter("system")),
        Column(c.metric, lambda one: Cell(one.printed, one.score)),
        column.count(c.scores[0].unit, attrgetter("n")),
        column.text("may be", before_rounding),
    )
    return Table.of("Scores as they were published", columns, c.scores, main=1)


def _pairs(c: PublishedScores) -> Table:
    digits = Rounding.of([(pair.estimate, answer.interval) for pair in c.pairs for answer in pair.answers])
    sides, level = column.sides(c.pairs), alpha(c.level)
    paired = any(pair.n_differing is not None for pair in c.pairs)
    header = "p (holm)" if len(c.pairs) > 1 else "p"
    columns = (
        *sides.columns,
        column.number("difference", digits, attrgetter("estimate")),
        column.interval(c.level, digits, attrgetter("interval")),
        column.text("disagree on", lambda pair: between(pair.n_differing), applies=paired),
        column.text("significant up to", _limit, applies=paired),
        Column(header, lambda pair: Cell(range_of(pair.p_adjusted, level), pair.p_adjusted[1])),
        column.text("verdict", lambda pair: VERDICTS[pair.decided]),
    )
    return Table.of(
        f"Differences, {sides.minus}",
        columns,
        c.pairs,
        lambda pair: pair.decided == "always",
        main=len(sides.columns),
        methods=methods(c),
    )


def _limit(pair: PublishedPair) -> str:
    return str(pair.differing_limit or "") if pair.decided == "depends" else ""


def methods(c: PublishedScores) -> str:
    """Return how the numbers were computed."""
    text = intervals_with_tests((answer for pair in c.pairs for answer in pair.answers), c.level)
    if c.spread is not None:
        spread = vocabulary.long_name("setting", c.spread)
        text += f" What follows ± is {spread}; runs of different systems are taken as independent."
    return f"{text} Ranges cover everything that rounds to the published scores{_agreement(c)}."


def _agreement(c: PublishedScores) -> str:
    paired = any(pair.n_differing is not None for pair in c.pairs)
    return ", and every number of items on which two systems can disagree" if paired else ""


INTERVAL = (
    *interval_ends("interval", needs=()),
    Field("level", "interval.level"),
    Field("interval", "interval.method"),
)
DIFFERING = (Field("differing_low", "n_differing.0"), Field("differing_high", "n_differing.1"))

TABLES = {
    "pairs": Rows(
        (
            *attributes("a", "b"),
            Field("difference", "estimate"),
            *INTERVAL,
            *DIFFERING,
            *attributes("differing_limit", "p_low", "p_high"),
            Field("p_adjusted_low", "p_adjusted.0"),
            Field("p_adjusted_high", "p_adjusted.1"),
            Field("test", "answers.0.test"),
            *attributes("decided"),
        ),
        attrgetter("pairs"),
    ),
    "scores": Rows(
        attributes("system", "printed", "score", "low", "high", "n", "unit"), attrgetter("scores")
    ),
}


def dictionary(c: PublishedScores) -> dict[str, Any]:
    """Return the scores and the pairs as dictionaries."""
    return {"metric": c.metric, "spread": c.spread, "headline": headline(c)} | {
        name: rows.rows(c) for name, rows in TABLES.items()
    }


def sentences(c: PublishedScores) -> Iterator[str]:
    """Yield how published scores were compared."""
    yield f"We compared the published scores {listed([f'{one.printed} ({one.system})' for one in c.scores])}."
    kinds = dict.fromkeys((a.interval.method, a.test) for pair in c.pairs for a in pair.answers)
    how = listed([f"{with_works('interval', i)} and {with_works('test', test)}" for i, test in kinds])
    several = f", corrected for {len(c.pairs)} pairs by Holm's procedure" if len(c.pairs) > 1 else ""
    yield (
        f"Their predictions are not known: we report the range of {how}{several}, over everything that rounds"
        f" to the published scores{_agreement(c)}."
    )


@figure
def draw(c: PublishedScores, *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw the interval of each difference, filled where it is significant whatever was not published."""
    names: Mapping[str, str] = canvas.names([one.system for one in c.scores])
    lines = [
        Line(
            f"{names[pair.a]} {MINUS} {names[pair.b]}", pair.estimate, pair.interval, pair.decided == "always"
        )
        for pair in c.pairs
    ]
    return draw_lines(
        lines,
        Rounding.of([(pair.estimate, pair.interval) for pair in c.pairs]),
        None,
        canvas,
        title=f"Published scores: {percent(c.level)} intervals, whatever was not published",
        keys=[
            drawing.key("significant", filled=True),
            drawing.key("not significant, or it depends", filled=False),
        ],
    )
