"""The report of a comparison by cross-validation, its figure, and its paragraph for a paper."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from functools import partial
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any

from bestby.comparisons import family
from bestby.inference.multiplicity import rejects
from bestby.questions.folds.result import FoldComparison
from bestby.report import column, data, replicability, words
from bestby.report.column import Cell, Column
from bestby.report.disagreements import Kind, Kinds, beside, said
from bestby.report.document import (
    Document,
    Picture,
    all_within,
    differences_with,
    filled_caption,
    one_section,
    subtitle,
)
from bestby.report.fields import DIFFERENCE, INTERVAL, TEST, Field, Rows, attributes, best_fields, inside
from bestby.report.figures import drawing
from bestby.report.figures.canvas import SCREEN, Canvas, Sheet, figure
from bestby.report.figures.forest import draw_lines, pair_line, sides
from bestby.report.figures.matrix import effects
from bestby.report.figures.systems import checked_kind
from bestby.report.figures.texts import name
from bestby.report.numbers import MINUS, Rounding, alpha, p_text, percent, ranks_text
from bestby.report.paper import against, drawn, inference, measured, named, set_of_best, within
from bestby.report.references import cite
from bestby.report.tables import (
    Table,
    columns_on_the_best,
    difference_rounding,
    footnote_on_best,
    marked_by,
    pairs_matrix,
    pairs_table,
    why_marked,
)
from bestby.report.words import computed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bestby.questions.folds.result import Spread
    from bestby.report.comparison import Difference
    from bestby.results.values import TestResult


def document(c: FoldComparison) -> Document:
    """Return the report: systems, differences with corrected intervals, all tests, spread of repetitions."""
    return one_section(
        c,
        title=f"{len(c.systems)} systems compared by {c.metric.name}, cross-validated",
        subtitle=subtitle(c, _design(c), words.direction(c.metric)),
        methods=f"{_methods_over(c)} {_methods_within(c)}".strip(),
        short_methods=_methods_over(c),
        name=c.metric.name,
        lead=_headline(c),
        tables=(
            _systems(c),
            *([_differences(c)] if c.differences else []),
            *([_all_tests(c)] if c.tests else []),
            *([_spread(c)] if c.spread else []),
        ),
        details=_effects(c),
        pictures=_pictures(c),
        readings=tuple(words.difference_sentence(d) for d in c.differences),
        pairs=partial(pairs_matrix, c, c.metric),
    )


def _design(c: FoldComparison) -> str:
    n_repetitions = len({label for label, _ in c.folds})
    if not c.has_folds:
        return f"{n_repetitions} repetitions"
    return f"{len(c.folds)} folds" + (f" in {n_repetitions} repetitions" if n_repetitions > 1 else "")


def _headline(c: FoldComparison) -> str:
    first, mean = c.systems[0], _score_rounding(c).text(c.means[0])
    best = "highest" if c.metric.greater_is_better else "lowest"
    text = f"{first} has the {best} {words.averaged(c.metric.name)}, {mean}, over {_design(c)}"
    others = differences_with(c, first)
    behind = c.behind[0] if c.behind and not words.are_level(c.means[0], c.means[1]) else None
    may_be_best = words.best_sentence(c.best, difference_rounding(c), first, behind)
    clause = words.best_clause(first, others, c.best) if others else ""
    return f"{text}{clause}.{may_be_best or words.surely_best(others, c.best)}"


def _effects(c: FoldComparison) -> tuple[str, ...]:
    # A sentence each for so few pairs; the table has all
    if len(c.effects) > 6:
        return ()
    once = len({repetition for repetition, _ in c.folds}) == 1
    return tuple(
        f"{a} against {b}: {replicability.sentence(counted, 'folds', may_be_independent=once)}"
        for (a, b), counted in c.effects.items()
    )


def _methods_over(c: FoldComparison) -> str:
    """Return how the differences over the folds were computed, and why so if the package chose the test."""
    if not c.has_folds:
        return ""
    intervals, tests = words.intervals_and_tests(c.differences)
    chosen = c.provenance.settings.get("test_choice") == "auto"
    reason = _REASONS[c.provenance.settings["test"]] if chosen else ""
    ratio = f", ratio of test items to training items {c.ratio:.4g}"
    return words.methods_of(
        c,
        f"Intervals ({percent(c.level)}): {intervals}{ratio}",
        f"Test: {tests}{reason}{words.corrected(c)}",
    )


def _methods_within(c: FoldComparison) -> str:
    """Return how the differences in one repetition were computed; nothing if there are none."""
    inner = all_within(c)
    if not inner:
        return ""
    how = words.made_by(c, *words.intervals_and_tests(inner))
    if not how:
        return ""
    text = f"In one repetition: {how}."
    return f"{text} {words.resamples(c)}" if words.resampled(inner) else text


def _score_rounding(c: FoldComparison) -> Rounding:
    return difference_rounding(c).at_least_for(c.means)


def _systems(c: FoldComparison) -> Table:
    digits, tested = _score_rounding(c), bool(c.differences) and words.computed(c, "test")
    lettered = tested and c.baseline is None and len(c.systems) > 2
    low, high, letters = family.standings(c.systems, c.differences, alpha(c.level), lettered=lettered)
    columns = (
        Column("rank", lambda e: Cell(ranks_text(low[e[0]], high[e[0]]), float(e[0])), applies=tested),
        column.name("system", itemgetter(1), (c.baseline,)),
        column.number(words.averaged(c.metric.name), digits, itemgetter(2)),
        column.number("min", digits, lambda e: float(c.scores[:, e[0]].min())),
        column.number("max", digits, lambda e: float(c.scores[:, e[0]].max())),
        column.text("group", lambda e: letters[e[0]] if letters else "", applies=lettered),
        *(column.part(one, itemgetter(0)) for one in columns_on_the_best(c, digits)),
    )
    caption = f"Systems over {_design(c)} ({words.direction(c.metric)})"
    entries = zip(range(len(c.systems)), c.systems, c.means, strict=True)
    return Table.of(
        caption,
        columns,
        entries,
        lambda e: e[2] == c.means[0],
        part="scores",
        footnote=footnote_on_best(c.level, letters or (), c.systems, c.best),
    )


def _differences(c: FoldComparison) -> Table:
    def better_on(d: Difference) -> tuple[int, int]:
        gaps = c.scores[:, c.systems.index(d.a)] - c.scores[:, c.systems.index(d.b)]
        return int(((gaps > 0.0) if c.metric.greater_is_better else (gaps < 0.0)).sum()), gaps.size

    caption = f"{words.mean_differences(c.metric.name)} over the folds"
    return pairs_table(c, caption, (column.count("folds won", better_on, " of "),), _methods_over(c))


def _all_tests(c: FoldComparison) -> Table:
    def kinds(entry: tuple[str, str, TestResult]) -> Kinds:
        a, b, test = entry
        return beside(c[a, b], rejects(test.p_value, alpha(c.level)))

    entries = [(a, b, test) for (a, b), tests in c.tests.items() for test in tests]
    marked = sum(bool(kinds(entry)) for entry in entries)
    reason = (
        "this p-value and the test of the mean differences disagree: it is of another test, or not corrected."
        " The headline follows the test of the mean differences."
    )
    sides = column.sides(c.differences)
    columns = (
        *(column.part(one, lambda e: c[e[0], e[1]]) for one in sides.columns),
        column.p_value("p", lambda e: e[2].p_value, c.level),
        Column("test", lambda e: Cell(words.name_of_test(e[2].name), e[2].name), numeric=False),
        column.number("statistic", Rounding(2), lambda e: e[2].statistic),
        marked_by(kinds, applies=marked > 0),
    )
    return Table.of(
        f"All tests that apply, {sides.minus}, not corrected for the number of pairs",
        columns,
        entries,
        lambda e: rejects(e[2].p_value, alpha(c.level)),
        part="tests",
        details=True,
        main=len(sides.columns),
        footnote=said(Kind.QUESTION, marked, len(entries), reason, "tests"),
    )


def _spread(c: FoldComparison) -> Table:
    digits = Rounding.of([(d.estimate, d.interval) for d in all_within(c)])
    tested, bounded = words.computed(c, "test"), words.computed(c, "interval")

    def span(header: str, name: str, *, applies: bool = True) -> Column:
        def cell(s: Spread) -> Cell:
            low, high = getattr(s, name)
            return Cell(f"{digits.text(low)} to {digits.text(high)}", low)

        return Column(header, cell, applies=applies)

    def p_values(s: Spread) -> Cell:
        low, high = s.p_value or (math.nan, math.nan)
        return Cell(f"{p_text(low, alpha(c.level))} to {p_text(high, alpha(c.level))}", low)

    significant = column.count("significant", attrgetter("n_significant", "n_repetitions"), " of ")
    excluding = column.count("0 outside", attrgetter("n_excluding", "n_repetitions"), " of ")
    excluding = dataclasses.replace(
        excluding, applies=bounded and all(s.n_excluding is not None for s in c.spread)
    )
    sides = column.sides(c.spread)
    columns = (
        *sides.columns,
        dataclasses.replace(significant, applies=tested),
        excluding,
        Column("p", p_values, applies=tested),
        span("low", "low", applies=bounded),
        span(column.DIFFERENCE_HEADER, "difference"),
        span("high", "high", applies=bounded),
    )
    shown = [
        *(["p-value"] if tested else []),
        *(["lower end of the interval", "difference", "upper end"] if bounded else ["difference"]),
    ]
    caption = f"Results from the pooled predictions of each repetition alone, {sides.minus}: smallest to"
    caption += f" largest {', '.join(shown)}"
    return Table.of(
        caption,
        columns,
        c.spread,
        lambda s: s.n_significant == s.n_repetitions,
        part="repetitions",
        details=c.has_folds,
        main=len(sides.columns) + 2 * tested + bounded + excluding.applies,
        methods=_methods_within(c),
    )


def _pictures(c: FoldComparison) -> tuple[Picture, ...]:
    n_pairs = len(c.differences)
    # A figure of more pairs cannot be read
    if not 0 < n_pairs <= 60:
        return ()
    caption = "A dot per fold"
    caption += "; the line is the corrected interval" if words.computed(c, "interval") else ""
    caption += f". {filled_caption(c)}"
    return (Picture(f"Forest plot of {n_pairs} differences over folds", caption, partial(fold_forest, c)),)


def dictionary(c: FoldComparison) -> dict[str, Any]:
    """Return the comparison as dictionaries and lists."""
    return {
        "metric": c.metric.name,
        "greater_is_better": c.metric.greater_is_better,
        "ratio": c.ratio,
        "systems": [{"system": name, "mean": mean} for name, mean in zip(c.systems, c.means, strict=True)],
        **data.on_the_best(c),
        "scores": [
            {"repetition": again, "fold": fold, **dict(zip(c.systems, map(float, row), strict=True))}
            for (again, fold), row in zip(c.folds, c.scores, strict=True)
        ],
        "differences": TABLES["differences"].rows(c),
        "tests": [
            {"a": a, "b": b, "test": t.name, "statistic": t.statistic, "p_value": t.p_value}
            for (a, b), tests in c.tests.items()
            for t in tests
        ],
        "folds_with_effect": replicability.by_pair(c.effects),
        "spread": Rows(_SPREAD, attrgetter("spread")).rows(c),
    }


def _placed(c: FoldComparison) -> Iterator[dict[str, Any]]:
    """Yield the differences over all folds, and those of each repetition."""
    yield from ({"repetition": None, "difference": d} for d in c.differences)
    for repetition, differences in c.within.items():
        yield from ({"repetition": repetition, "difference": d} for d in differences)


_SPREAD = (
    *attributes("a", "b"),
    Field("repetitions", "n_repetitions"),
    Field("significant", "n_significant", needs=TEST),
    Field("excluding_zero", "n_excluding", needs=INTERVAL),
    *(
        Field(f"{number}_{end}", f"{number}.{place}", needs)
        for number, needs in (("p_value", TEST), ("low", INTERVAL), ("difference", ()), ("high", INTERVAL))
        for place, end in enumerate(("min", "max"))
    ),
)

TABLES = {
    "differences": Rows((Field("repetition"), *inside("difference", DIFFERENCE)), _placed),
    "scores": Rows(
        lambda c: (*attributes("repetition", "fold", "system", "score"), *best_fields(c)),
        lambda c: data.scores_by_place(c, ("repetition", "fold"), c.folds),
    ),
}


def sentences(c: FoldComparison) -> Iterator[str]:
    """Yield how systems were compared by cross-validation."""
    repetitions = len({label for label, _ in c.folds})
    times = f" in {repetitions} repetitions" if repetitions > 1 else ""
    design = f"cross-validation with {len(c.folds)} folds{times}"
    design = design if c.has_folds else f"{repetitions} repetitions of cross-validation, each by itself"
    yield (
        f"We compared {len(c.systems)} systems{named(c.systems)} by {measured(c.metric.name)} in {design}"
        f"{against(c.baseline)}."
    )
    yield from inference(c, c.differences, over=" of the means over the folds")
    yield set_of_best(c)
    if c.has_folds and (computed(c, "interval") or computed(c, "test")):
        yield (
            "Intervals and tests allow for the training items that folds share, with a ratio of test items to"
            f" training items of {c.ratio:.4g}."
        )
    inner = all_within(c)
    yield from within(c, "on the pooled predictions of each repetition")
    if inner and computed(c, "test"):
        yield "Their p-values were not corrected for the number of pairs."
    if c.effects:
        source = cite("analysis", "replicability")
        yield f"We counted the folds in which there is a difference by partial conjunction tests{source}."
    yield drawn(c, [*c.differences, *inner])


_REASONS = {
    "corrected-t": ", chosen because its correction is enough for one repetition, halves and few splits",
    "conservative-t": ", chosen because several splits of the same items have training items in common",
}


def folds(c: FoldComparison, kind: str, canvas: Canvas) -> Axes:
    """Draw a comparison over folds; see `FoldComparison.plot`."""
    kind = checked_kind(kind, "folds")
    return fold_matrix(c, canvas=canvas) if kind == "matrix" else fold_forest(c, canvas=canvas)


@figure
def fold_forest(c: FoldComparison, *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw the difference of every pair: a dot per fold, the mean with its corrected interval."""
    scores = dict(zip(c.systems, c.scores.T, strict=True))
    names = canvas.names(c.systems)
    lines = [
        pair_line(d, f"{names[d.a]} {MINUS} {names[d.b]}", (scores[d.a] - scores[d.b]).tolist())
        for d in c.differences
    ]
    intervals = f", corrected {percent(c.level)} intervals" if computed(c, "interval") else ""
    sheet = draw_lines(
        lines,
        difference_rounding(c),
        c.margin,
        canvas,
        title=f"Differences over {len(c.folds)} folds{intervals}",
        foot=why_marked(c.differences, c),
        keys=[*drawing.difference_keys(c, c.margin), drawing.key_of_dots("one fold")],
    )
    drawing.difference_label(sheet.axes, c.metric, *sides(c, c.differences, names))
    return sheet


@figure
def fold_matrix(c: FoldComparison, *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw every pair: its mean difference over the folds."""
    title = f"{name(c.metric.name)}, row {MINUS} column, mean over {len(c.folds)} folds"
    return effects(c, c.metric, c.systems, list(c.differences), canvas, title)
