"""Figures of systems on one test set: scores with their intervals, and which kind of figure suits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from bestby import vocabulary
from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby.report.comparison import Comparison, RunsScore
from bestby.report.document import best_systems
from bestby.report.figures import drawing, forest, matrix
from bestby.report.figures.canvas import SCREEN, Canvas, Sheet, figure
from bestby.report.numbers import percent
from bestby.report.tables import differences_of, metric_info, score_rounding, systems_of
from bestby.report.words import computed
from bestby.results.base import MetricInfo

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_PLAIN = {"filled": True}
_LOOKS: dict[str, dict[str, Any]] = {
    "may be the best": {"filled": True},
    "is shown not to be the best": {"filled": False, "colour": drawing.WORSE, "shape": "s"},
    "no other has a significantly better score": {"filled": True},
    "another has a significantly better score": {"filled": False, "colour": drawing.WORSE, "shape": "s"},
    "the baseline": {"filled": True, "colour": drawing.INK, "shape": "D"},
    "significantly better score than the baseline": {"filled": True, "shape": "^"},
    "cannot be told apart from the baseline": {"filled": False},
    "significantly worse score than the baseline": {"filled": False, "colour": drawing.WORSE, "shape": "s"},
}
"""How marks of systems look, by what they say; shape and filling say it without the colour."""


@figure
def scores(
    c: Comparison, metric: str | None = None, top: int | None = None, *, canvas: Canvas = SCREEN
) -> Sheet:
    """Draw the score of every system on one metric, by default the first, with its interval."""
    return _sheet(c, metric_info(c, metric), top, canvas, {})


@figure
def systems(
    c: Comparison, metric: str | None = None, top: int | None = None, *, canvas: Canvas = SCREEN
) -> Sheet:
    """Draw the scores, their marks by which systems may be the best, or by how they stand to the baseline."""
    info = metric_info(c, metric)
    return _sheet(c, info, top, canvas, _standings(c, info))


def _sheet(
    c: Comparison, info: MetricInfo, top: int | None, canvas: Canvas, standings: Mapping[str, str]
) -> Sheet:
    view = best_systems(c, top) if c.differences else None
    entries = systems_of(c if view is None else view, info)
    axes, names = canvas.axes(), canvas.names(entry.system for entry in entries)
    dotted = any(isinstance(entry, RunsScore) for entry in entries)
    runs = [run for entry in entries if isinstance(entry, RunsScore) for run in entry.runs]
    drawing.limits(axes, [(entry.score, entry.interval) for entry in entries], reach=runs, canvas=canvas)
    for position, entry in enumerate(entries):
        if isinstance(entry, RunsScore):
            _dots(axes, position, entry)
        below = 0.2 * isinstance(entry, RunsScore)
        look = _LOOKS[standings[entry.system]] if standings else _PLAIN
        drawing.mark(axes, position + below, entry.score, entry.interval, **look)
    groups = drawing.groups(entries, canvas)
    rows = [(float(i), entry.score, entry.interval, groups[entry.system]) for i, entry in enumerate(entries)]
    drawing.numbers(axes, rows, score_rounding(c, info), canvas)
    drawing.labels(axes, [names[entry.system] for entry in entries], [False] * len(entries))
    drawing.score_label(axes, info)
    intervals = f" with {percent(c.level)} intervals" if computed(c, "interval") else ""
    more = "" if view is None else f", {len(entries)} of {len(systems_of(c, info))} systems"
    seen = {standings.get(entry.system) for entry in entries}
    keys = [drawing.key(text, **look) for text, look in _LOOKS.items() if text in seen]
    keys += [drawing.key_of_dots("one run")] * dotted
    height = (drawing.DOTTED_ROW if dotted else drawing.ROW) * len(entries)
    return Sheet(axes, height, title=f"Scores{intervals}, {c.extent}{more}", keys=keys)


def _standings(c: Comparison, info: MetricInfo) -> dict[str, str]:
    """Return of every system how it stands to the others, or to the baseline: a key of `_LOOKS`."""
    if not (c.differences and computed(c, "test")):
        return {}
    entries = systems_of(c, info)
    if c.baseline is not None:
        return {entry.system: _beside_baseline(c, info, entry.system) for entry in entries}
    every_pair = len(differences_of(c, info)) == len(entries) * (len(entries) - 1) // 2
    if not every_pair or any(entry.rank_low is None for entry in entries):
        return {}  # several baselines
    stays, goes, first, beaten, *_ = _LOOKS
    if entries[0].may_be_best is not None:
        return {entry.system: stays if entry.may_be_best else goes for entry in entries}
    # A system has the rank 1 + k if the tests show k others to be better.
    return {entry.system: first if entry.rank_low == 1 else beaten for entry in entries}


def _beside_baseline(c: Comparison, info: MetricInfo, system: str) -> str:
    *_, base, better, open_, worse = _LOOKS
    if system == c.baseline:
        return base
    assert c.baseline is not None
    d = c.find(info.name, system, c.baseline) or c.find(info.name, c.baseline, system)
    winner = None if d is None else d.winner
    return open_ if winner is None else better if winner == system else worse


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


_OF_SYSTEMS: dict[str, Callable[..., Axes]] = {
    "forest": forest.forest,
    "systems": systems,
    "scores": scores,
    "baseline": forest.baseline,
    "matrix": matrix.comparison,
}


def usual(c: Comparison, metric: str | None = None) -> str:
    """Return the kind of figure for so many systems: every pair, or the baseline's, or a line per system."""
    differences = differences_of(c, metric_info(c, metric))
    if not differences:
        return "scores"
    if c.baseline is not None:
        return "baseline"
    # Pairs that are drawn one by one unless a kind is asked for: those of 9 systems
    return "forest" if len(differences) <= 36 else "systems"


def drawn(c: Comparison, metric: str | None, kind: str, canvas: Canvas, top: int | None = None) -> Axes:
    """Draw a comparison on one test set; see `Comparison.plot`."""
    return plot_systems(c, metric, checked_kind(kind, "items"), canvas, top)


def checked_kind(kind: str, question: str) -> str:
    """Return a kind of figure if results of such a question have it."""
    return str(checks.choice(kind, vocabulary.allowed_names("kind", question), "kind"))


def plot_systems(
    c: Comparison, metric: str | None, kind: str, canvas: Canvas, top: int | None = None
) -> Axes:
    """Draw a figure of systems on one test set, of a kind or the one that suits their number."""
    kind = usual(c, metric) if kind == "auto" else kind
    if kind != "scores" and not differences_of(c, metric_info(c, metric)):
        raise InvalidInputError(
            f"kind={kind!r} draws differences, and this result has none: one system, or scores alone",
            hint="kind='scores' draws the scores",
            argument="kind",
        )
    return _OF_SYSTEMS[kind](c, metric, top, canvas=canvas)
