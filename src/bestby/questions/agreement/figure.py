"""Agreement as a figure: the coefficients, each annotator against the others, and every two annotators."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bestby.report.figures.canvas import INK, SCREEN, Canvas, Sheet, figure
from bestby.report.figures.forest import Line, draw_lines
from bestby.report.numbers import Rounding, percent

if TYPE_CHECKING:
    from bestby.questions.agreement.result import Agreement

MOST_PAIRS = 15
"""Pairs up to which every two annotators have a line: those of six annotators."""


@figure
def agreement(c: Agreement, *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw the coefficients, and below them the kappas of annotators and of pairs, with their intervals."""
    from bestby.questions.agreement.report import NAMES

    names = canvas.names([one.annotator for one in c.annotators])
    lines = [Line(NAMES[one.name].partition(":")[0], one.value, one.interval, True) for one in c.coefficients]
    if len(c.annotators) > 2:
        lines.append(Line("against the others", bold=True, rule=True))
        lines += [
            Line(names[one.annotator], one.kappa, one.interval, True)
            for one in c.annotators
            if one.kappa is not None
        ]
        if 0 < len(c.pairs) <= MOST_PAIRS:
            lines.append(Line("pairs", bold=True, rule=True))
            lines += [
                Line(f"{names[one.a]} and {names[one.b]}", one.kappa, one.interval, True)
                for one in c.pairs
                if one.kappa is not None
            ]
    measured = [(line.estimate, line.interval) for line in lines if line.estimate is not None]
    sheet = draw_lines(
        lines,
        Rounding.for_scores(measured),
        None,
        canvas,
        title=f"Agreement of {len(c.annotators)} annotators on {c.extent}, {percent(c.level)} intervals",
    )
    sheet.axes.set_xlabel("agreement beyond chance: 0 as by chance, 1 always", color=INK)
    return sheet
