"""The questions and answers of an advice, from the first to the recommendation."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from bestby import vocabulary
from bestby.report.figures import drawing
from bestby.report.figures.canvas import SCREEN, Canvas, Sheet, figure
from bestby.report.figures.texts import name

if TYPE_CHECKING:
    from bestby.questions.advice.result import Advice

_COLUMNS, _LETTERS = 62, 14.5  # letters of a line, and of an inch
_PATH, _TEXT = 0.03, 0.09  # shares of the width at which the path and the texts stand


@figure
def advice(a: Advice, *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw the questions as a path from top to bottom, answers bold, with the recommendation at its end."""
    steps = [(step.question, step.answer.capitalize()) for step in a.path]
    kinds = (("test", a.test), ("interval", a.interval), ("correction", a.correction))
    steps.append(("Recommendation", " ".join(_sentence(kind, names) for kind, names in kinds)))
    letters = _COLUMNS if canvas.width is None else max(20, round(_LETTERS * canvas.width))
    texts = [[textwrap.fill(text, letters) for text in step] for step in steps]
    heights = [sum(text.count("\n") + 1 for text in pair) + 0.9 for pair in texts]
    axes = canvas.axes()
    tops = [sum(heights[:place]) for place in range(len(heights))]
    axes.set_xlim(0.0, 1.0)
    axes.set_ylim(sum(heights), -0.5)
    axes.set_axis_off()
    axes.plot(
        [_PATH] * len(tops), [top + 0.5 for top in tops], color=drawing.FAINT, linewidth=1.2, gid="path"
    )
    for place, (top, (question, answer)) in enumerate(zip(tops, texts, strict=True)):
        drawing.mark(axes, top + 0.5, _PATH, None, filled=place == len(a.path))
        below = top + question.count("\n") + 1
        for text, at, weight in ((question, top, "normal"), (answer, below, "bold")):
            axes.text(
                _TEXT,
                at,
                text,
                va="top",
                color=drawing.INK,
                fontsize=0.9 * canvas.size,
                fontweight=weight,
                parse_math=False,
            )
    # Of runs, datasets and folds the scores are compared, whatever metric they are of.
    suffix = f" for {name(a.case.metric)}" if a.case.one_output else ""
    # A line takes so many inches
    return Sheet(axes, 0.19 * (sum(heights) + 0.5), width=5.6, title=f"Which test and interval{suffix}")


def _sentence(kind: str, names: str) -> str:
    """Return a recommendation in words.

    >>> _sentence("interval", "tango or bca")
    'Interval: Tango score or BCa bootstrap.'
    """
    words = (code if code == "none" else vocabulary.long_name(kind, code) for code in names.split(" or "))
    return f"{kind.capitalize()}: {' or '.join(words)}."
