"""Performance profiles: which share of the runs on all datasets is better than each score."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import ndtri

from bestby._core.errors import InvalidInputError
from bestby.questions.datasets import strata
from bestby.questions.datasets.dataset_runs_result import RunsOnDatasets
from bestby.questions.datasets.result import DatasetComparison
from bestby.report.figures.canvas import SCREEN, Canvas, Sheet
from bestby.report.figures.colours import ACCENT, FAINT, INK, WORSE
from bestby.report.figures.drawing import bare, limits
from bestby.report.figures.fonts import name
from bestby.report.figures.layout import figure
from bestby.report.numbers import percent

COLOURS = (ACCENT, "#a87900", "#009e73", "#cc79a7", WORSE, "#8367b8")
"""The colours of Okabe and Ito 2008, without the two that are too light for thin lines on white."""

STYLES = ("-", "--", "-.", ":")
_MOST_BANDS = len(COLOURS)


@figure
def profiles(c: DatasetComparison, *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw the share of the runs of each system that are better than each score, with pointwise bands.

    Every dataset counts alike (Agarwal et al. 2021, section 4.2). Of many systems the bands are left out.
    """
    if c.runs is None:
        raise InvalidInputError(
            "performance profiles are of several runs on each dataset, and this comparison has none",
            hint="draw another kind",
            argument="kind",
        )
    axes = canvas.axes()
    values = [run for row in c.runs.scores.values() for runs in row.values() for run in runs]
    limits(axes, [(value, None) for value in values], room=0.03, canvas=canvas)
    banded = len(c.systems) <= _MOST_BANDS
    keys = _lines(axes, c, c.runs, canvas, banded=banded)
    axes.set_ylim(0.0, 1.02)
    axes.set_yticks([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
    axes.grid(axis="y", color=FAINT, linewidth=0.4, alpha=0.5)
    bare(axes)
    axes.tick_params(axis="y", length=0, labelcolor=INK)
    scale = f"{name(c.metric.name)}, normalised" if c.ranges is not None else name(c.metric.name)
    axes.set_xlabel(f"{scale}: τ", color=INK, parse_math=False)
    sign = ">" if c.metric.greater_is_better else "<"
    axes.set_ylabel(f"share of the runs {sign} τ", color=INK)
    title = f"Performance profiles over {len(c.datasets)} datasets"
    title += f", pointwise {percent(c.level)} bands" if banded else ""
    return Sheet(axes, 3.0, 5.2, title, keys)


def _lines(
    axes: Any, c: DatasetComparison, runs: RunsOnDatasets, canvas: Canvas, *, banded: bool
) -> list[Any]:
    """Draw the profile of each system, the best first; return the lines."""
    names, z = canvas.names(c.systems), float(ndtri(0.5 * (1.0 + c.level)))
    low, high = axes.get_xlim()
    # Points through which a profile looks smooth
    at, lines = np.linspace(low, high, 400), []
    for place, entry in enumerate(runs.systems):
        again, hue = divmod(place, len(COLOURS))
        colour, style = COLOURS[hue], STYLES[(hue + again) % len(STYLES)]  # for print without colour, too
        samples = [np.asarray(row[entry.system]) for row in runs.scores.values()]
        share, error = strata.profile(samples, at, greater_is_better=c.metric.greater_is_better)
        if banded:
            ends = np.clip((share - z * error, share + z * error), 0.0, 1.0)
            axes.fill_between(at, *ends, color=colour, alpha=0.15, linewidth=0, gid="band")
        lines += axes.plot(
            at, share, color=colour, linestyle=style, linewidth=1.8, drawstyle="steps-mid",
            label=names[entry.system], gid="profile",
        )  # fmt: skip
    return lines
