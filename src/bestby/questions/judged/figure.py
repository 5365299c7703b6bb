"""The human scores against those of a judge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bestby._core.errors import InvalidInputError
from bestby.report.figures.canvas import ACCENT, FAINT, INK, SCREEN, Canvas, Sheet, figure
from bestby.report.figures.drawing import left_scale
from bestby.report.figures.systems import checked_kind, plot_systems
from bestby.report.figures.texts import name
from bestby.report.numbers import percent
from bestby.report.percent import unit_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bestby.questions.judged.result import JudgedComparison

_SIZE = 3.2, 4.6  # inches, up and across


@figure
def judge(c: JudgedComparison, judge: str | None = None, *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw the mean human score by the score of a judge, by default the first, with intervals."""
    one = next(j for j in c.judges if judge in (None, j.judge))
    axes = canvas.axes()
    x, y = [b.judge for b in one.calibration], [b.human for b in one.calibration]
    for b in one.calibration:
        if b.interval is not None:
            axes.plot([b.judge] * 2, [b.interval.low, b.interval.high], color=ACCENT, linewidth=1.4, zorder=2)
        axes.plot([b.low, b.high], [b.human] * 2, color=ACCENT, linewidth=0.8, alpha=0.5, zorder=1)
    axes.plot(x, y, "o", color=ACCENT, markersize=5.0, zorder=3, gid="calibration")
    legend = ""
    if c.scale == "same":
        ends = [min(*axes.get_xlim(), *axes.get_ylim()), max(*axes.get_xlim(), *axes.get_ylim())]
        axes.plot(ends, ends, color=FAINT, linewidth=1.0, linestyle=(0, (4, 3)), zorder=0, gid="equal")
        axes.set_xlim(*ends)
        axes.set_ylim(*ends)
        legend = "; on the dashed line both agree"
    left_scale(axes)
    called = "the judge" if len(c.judges) == 1 else name(one.judge)
    unit = unit_of(c.metrics[0])
    axes.set_xlabel(f"score of {called}{unit if c.scale == 'same' else ''}", color=INK, parse_math=False)
    axes.set_ylabel(f"mean human score{unit}", color=INK)
    n = sum(b.n_labels for b in one.calibration)
    title = f"What humans say where {called} gives a score\n{n} labels, {percent(c.level)} intervals{legend}"
    return Sheet(axes, *_SIZE, title)


def judged(c: JudgedComparison, metric: str | None, kind: str, canvas: Canvas) -> Axes:
    """Draw corrected scores, differences or the judge; see `JudgedComparison.plot`."""
    kind = checked_kind(kind, "judged")
    if kind != "judge":
        return plot_systems(c, metric, kind, canvas)
    if not c.judges:
        raise InvalidInputError(
            "kind='judge' draws human scores by those of the judge, and no item has both here",
            hint="draw another kind, such as 'forest'",
            argument="kind",
        )
    return judge(c, canvas=canvas)
