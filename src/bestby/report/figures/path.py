"""The questions and answers of an advice, from the first to the recommendation."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from bestby import vocabulary
from bestby.report.figures import drawing
from bestby.report.figures.fonts import figure, name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bestby.results.advice import Advice

_COLUMNS = 62  # letters of a line
_LINE = 0.19  # inches


@figure
def advice(a: Advice, ax: Axes | None = None) -> Axes:
    """Draw the questions as a path from top to bottom, answers bold, with the recommendation at its end."""
    steps = [(step.question, step.answer.capitalize()) for step in a.path]
    kinds = (("test", a.test), ("interval", a.interval), ("correction", a.correction))
    steps.append(("Recommendation", " ".join(_sentence(kind, names) for kind, names in kinds)))
    texts = [[textwrap.fill(text, _COLUMNS) for text in step] for step in steps]
    heights = [sum(text.count("\n") + 1 for text in pair) + 0.9 for pair in texts]
    axes = ax if ax is not None else drawing.new_axes(width=6.2, height=_LINE * sum(heights) + 0.5)
    tops = [sum(heights[:place]) for place in range(len(heights))]
    axes.set_xlim(0.0, 1.0)
    axes.set_ylim(sum(heights), -0.5)
    axes.set_axis_off()
    axes.plot([0.03] * len(tops), [top + 0.5 for top in tops], color=drawing.FAINT, linewidth=1.2, gid="path")
    for place, (top, (question, answer)) in enumerate(zip(tops, texts, strict=True)):
        drawing.mark(axes, top + 0.5, 0.03, None, filled=place == len(a.path))
        below = top + question.count("\n") + 1
        for text, at, weight in ((question, top, "normal"), (answer, below, "bold")):
            axes.text(
                0.08, at, text, va="top", color=drawing.INK, fontsize=9, fontweight=weight, parse_math=False
            )
    # Of runs, datasets and folds the scores are compared, whatever metric they are of.
    suffix = f" for {name(a.case.metric)}" if a.case.one_output else ""
    drawing.title(axes, f"Which test and interval{suffix}")
    return axes


def _sentence(kind: str, names: str) -> str:
    """Return a recommendation in words.

    >>> _sentence("interval", "tango or bca")
    'Interval: Tango score or BCa bootstrap.'
    """
    words = (code if code == "none" else vocabulary.long_name(kind, code) for code in names.split(" or "))
    return f"{kind.capitalize()}: {' or '.join(words)}."
