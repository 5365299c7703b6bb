"""The difference of one pair on every dataset and on all together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from bestby.questions.datasets.result import DatasetComparison
from bestby.report import disagreements
from bestby.report.figures import drawing
from bestby.report.figures.canvas import SCREEN, Canvas, Sheet
from bestby.report.figures.fonts import name
from bestby.report.figures.forest import Line, draw_lines, shown
from bestby.report.figures.layout import figure
from bestby.report.numbers import Rounding, percent
from bestby.report.words import computed
from bestby.results.comparison import Difference

if TYPE_CHECKING:
    from bestby.questions.datasets.result import Overall

Marked = tuple[Line, Difference | None, disagreements.Kinds]
"""A line, its difference and why parts of this disagree."""


@figure
def datasets(c: DatasetComparison, pair: tuple[str, str] | None = None, *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw the difference of one pair, by default the first, on every dataset and on all together."""
    whole = c.differences[0] if pair is None else c[pair]
    entries = [e for e in c.overall if (e.a, e.b) == (whole.a, whole.b)]
    marks = disagreements.overall_marks(c)
    overall = [_overall(c, entry, marks[entry], rule=place == 0) for place, entry in enumerate(entries)]
    if not overall:  # the pair was asked for the other way round
        label = "macro, datasets vary" if computed(c, "interval") else "macro"
        mark = disagreements.text(disagreements.kinds(whole))
        fields = {"bold": True, "rule": True, "mark": mark}
        overall = [Line(label, whole.estimate, whole.interval, shown(whole), **fields)]  # type: ignore[arg-type]
    inner = _on_datasets(c, whole, canvas.names(c.datasets))
    lines = [*sorted((line for line, *_ in inner), key=lambda line: -(line.estimate or 0.0)), *overall]
    measured = [line for line in lines if line.interval or not computed(c, "interval")]
    digits = Rounding.of([(line.estimate or 0.0, line.interval) for line in measured])
    marked = [(d, kinds) for _, d, kinds in inner if d is not None]
    why = disagreements.line(marked, c), disagreements.why_overall([marks[entry] for entry in entries])
    intervals = f" with {percent(c.level)} intervals" if computed(c, "interval") else ""
    sheet = draw_lines(
        lines,
        digits,
        c.margin,
        canvas,
        title=f"{name(c.metric.name)}: differences on {len(c.datasets)} datasets{intervals}",
        foot="\n".join(filter(None, why)),
        keys=drawing.difference_keys(c, c.margin, "shown to differ"),
    )
    names = canvas.names((whole.a, whole.b))
    drawing.difference_label(sheet.axes, c.metric, names[whole.a], names[whole.b])
    return sheet


def _overall(c: DatasetComparison, entry: Overall, kinds: disagreements.Kinds, *, rule: bool) -> Line:
    """Return the line of a difference over all datasets together."""
    return Line(
        f"{entry.average}, {entry.resampled} vary" if entry.resampled else entry.average,
        entry.estimate,
        entry.interval,
        filled=disagreements.overall_shown(c, entry),
        bold=True,
        rule=rule,
        mark=disagreements.text(kinds),
    )


def _on_datasets(c: DatasetComparison, pair: Difference, names: Mapping[str, str]) -> list[Marked]:
    """Return a line per dataset, filled where Holm's procedure names it, its difference and its marks."""
    if not c.within:
        a, b = (c.systems.index(system) for system in (pair.a, pair.b))
        gaps = (c.scores[:, a] - c.scores[:, b]).tolist()
        return [(Line(names[one], gap), None, ()) for one, gap in zip(c.datasets, gaps, strict=True)]
    counted = c.replicability.of.get((pair.a, pair.b)) or c.replicability.of.get((pair.b, pair.a))
    named = () if counted is None else counted.found
    lines: list[Marked] = []
    for dataset, differences in c.within.items():
        d = next(d for d in differences if {d.a, d.b} == {pair.a, pair.b})
        d = d if d.a == pair.a else d.mirrored()
        kinds = disagreements.kinds(d, told_apart=dataset in named)
        mark = disagreements.text(kinds)
        lines.append((Line(names[dataset], d.estimate, d.interval, dataset in named, mark=mark), d, kinds))
    return lines
