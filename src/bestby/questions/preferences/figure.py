"""The places of systems without covariates and with them, joined by lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bestby._core.errors import InvalidInputError
from bestby.report.figures.canvas import ACCENT, FAINT, INK, SCREEN, WORSE, Canvas, Sheet, figure
from bestby.report.figures.drawing import labels
from bestby.report.words import listed

if TYPE_CHECKING:
    from bestby.questions.preferences.result import PreferenceComparison


@figure
def rankings(c: PreferenceComparison, *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw a line per system from its place without covariates to that with them."""
    if not c.covariates:
        raise InvalidInputError(
            "kind='rankings' draws places without covariates and with them, and there are no covariates",
            hint='covariates=["len"] takes the columns len_a and len_b',
            argument="kind",
        )
    axes, names = canvas.axes(), canvas.names(one.system for one in c.without_covariates)
    for one in c.without_covariates:
        # Down is worse: places are numbered from the top
        moved = one.rank_with - one.rank
        colour = FAINT if not moved else WORSE if moved > 0 else ACCENT
        ends = [one.rank - 1, one.rank_with - 1]
        axes.plot([0.0, 1.0], ends, color=colour, marker="o", linewidth=1.8 if moved else 1.2)
        text = f"{one.rank_with}  {names[one.system]}"
        axes.text(1.05, ends[1], text, va="center", color=INK, parse_math=False)
    labels(axes, [f"{names[one.system]}  {one.rank}" for one in c.without_covariates], [False] * len(names))
    axes.set_xlim(-0.05, 1.6)
    taken = listed([one.name for one in c.covariates], 2)
    axes.set_xticks([0.0, 1.0], ["as judged", f"with {taken}\ntaken into account"], parse_math=False)
    return Sheet(axes, 0.28 * len(names), title=f"Places by {c.metrics[0].name}, {c.extent}")
