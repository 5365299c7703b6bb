"""The scores of systems with their intervals; of runs, every run as a dot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bestby.report.figures import drawing
from bestby.report.figures.fonts import figure, name
from bestby.report.numbers import percent
from bestby.report.tables import metric_info, score_rounding, systems_of
from bestby.report.words import computed
from bestby.results.comparison import Comparison
from bestby.results.runs import RunsScore

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW, _DOTTED_ROW = 0.26, 0.42  # inches


@figure
def scores(c: Comparison, metric: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw the score of every system on one metric, by default the first, with its interval."""
    info = metric_info(c, metric)
    entries = systems_of(c, info)
    digits = score_rounding(c, info)
    names = [drawing.GAP.join(filter(None, (name(entry.system), entry.group))) for entry in entries]
    dotted = any(isinstance(entry, RunsScore) for entry in entries)
    axes = ax if ax is not None else drawing.listing(names, _DOTTED_ROW if dotted else _ROW)
    runs = [run for entry in entries if isinstance(entry, RunsScore) for run in entry.runs]
    drawing.limits(axes, [(entry.score, entry.interval) for entry in entries], reach=runs)
    for position, entry in enumerate(entries):
        if isinstance(entry, RunsScore):
            _dots(axes, position, entry)
        below = 0.2 * isinstance(entry, RunsScore)
        drawing.mark(axes, position + below, entry.score, entry.interval, filled=True)
        drawing.number(axes, position, digits, entry.score, entry.interval)
    drawing.labels(axes, names, [False] * len(names))
    drawing.score_label(axes, info)
    intervals = f" with {percent(c.level)} intervals" if computed(c, "interval") else ""
    drawing.title(axes, f"{name(info.name)}{intervals}, {c.extent}")
    return axes


def _dots(axes: Axes, position: int, entry: RunsScore) -> None:
    heights = [position - 0.14 + 0.2 * shift for shift in _spread(len(entry.runs))]
    size = 4.0 if entry.n_runs <= 30 else 2.6
    drawing.dots(axes, sorted(entry.runs), heights, size, alpha=0.65, zorder=2, gid=f"runs-{position}")


def _spread(n: int) -> list[float]:
    """Return heights from -1/2 to 1/2 that keep neighbours apart: the van der Corput sequence.

    >>> _spread(4)
    [-0.5, 0.0, -0.25, 0.25]
    """
    return [int(f"{i:016b}"[::-1], 2) / 65536.0 - 0.5 for i in range(n)]
