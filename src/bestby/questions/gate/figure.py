"""The figure of a gate: each check's difference between its one-sided bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bestby.report.figures import drawing
from bestby.report.figures.canvas import SCREEN, Canvas, Sheet
from bestby.report.figures.forest import Line, draw_lines
from bestby.report.figures.layout import figure
from bestby.report.numbers import MINUS, Rounding, margin_text, percent

if TYPE_CHECKING:
    from bestby.questions.gate.result import Gate, GateCheck


@figure
def gate(g: Gate, *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw the checks, one line each; the band is the margin if all have the same."""
    margins = {check.margin for check in g.checks}
    margin = next(iter(margins)) if len(margins) == 1 else None
    names = canvas.names([g.candidate, g.baseline])
    checks = canvas.names(check.name for check in g.checks)
    keys = [drawing.key("fail", filled=True), drawing.key("pass or inconclusive", filled=False)]
    if margin is not None:
        keys.append(drawing.margin_key(margin))
    sheet = draw_lines(
        [_line(check, checks[check.name], margins) for check in g.checks],
        Rounding.of([(d.estimate, d.equivalence_interval) for d in g.differences], margin),
        margin,
        canvas,
        title=f"{g.outcome.capitalize()}: {names[g.candidate]} against {names[g.baseline]}, {g.extent}",
        keys=keys,
    )
    candidate, baseline = names[g.candidate], names[g.baseline]
    label = f"{candidate} {MINUS} {baseline}, with one-sided {percent(g.level)} bounds"
    ways = {d.greater_is_better for d in g.differences}
    if len(ways) == 1:
        label = f"{drawing.sides(candidate, baseline, greater_is_better=ways.pop())}\n{label}"
    sheet.axes.set_xlabel(label, color=drawing.INK, parse_math=False)
    return sheet


def _line(check: GateCheck, name: str, margins: set[float | None]) -> Line:
    margin = "" if check.margin is None or len(margins) == 1 else f", margin {margin_text(check.margin)}"
    way = "" if check.difference.greater_is_better else " (lower is better)"
    label = f"{name}{way}{margin}: {check.outcome}"
    d = check.difference
    return Line(label, d.estimate, d.equivalence_interval, check.outcome == "fail")
