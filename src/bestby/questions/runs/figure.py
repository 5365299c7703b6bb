"""The figures of a comparison of runs; the quantiles of two systems."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby.questions.order import figure as order_figure
from bestby.questions.runs.result import RunsComparison
from bestby.report.comparison import RunsScore
from bestby.report.figures.canvas import ACCENT, FAINT, INK, SCREEN, WORSE, Canvas, Sheet, figure
from bestby.report.figures.drawing import left_scale, patch
from bestby.report.figures.systems import checked_kind, plot_systems
from bestby.report.figures.texts import name
from bestby.report.tables import metric_info
from bestby.report.words import direction

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bestby.questions.order.result import StochasticOrder


def runs(c: RunsComparison, metric: str | None, kind: str, pair: Any, canvas: Canvas) -> Axes:
    """Draw a figure of a comparison of runs; see `RunsComparison.plot`."""
    kind = checked_kind(kind, "runs")
    metric_info(c, metric)
    if pair is not None and kind != "quantiles":
        raise InvalidInputError("a pair is drawn with kind='quantiles' only", argument="pair")
    if kind == "quantiles":
        return quantiles(c, pair, canvas=canvas)
    if kind == "order":
        if c.orders is None:
            raise InvalidInputError(
                "this comparison has no stochastic orders: it was made with test=None",
                hint="leave out test=None, or draw another kind",
            )
        return order_figure.orders(c.orders, [entry.system for entry in c.systems], canvas=canvas)
    return plot_systems(c, metric, "scores" if kind == "auto" else kind, canvas)


@figure
def quantiles(c: RunsComparison, pair: Sequence[str] | None = None, *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw the quantile functions of two systems, violations shaded, as Dror et al. (2019), ACL, Figure 1."""
    metric = c.metrics[0]
    names = _two(c, pair)
    a, b = (c.score(system) for system in names)
    assert isinstance(a, RunsScore)
    assert isinstance(b, RunsScore)
    axes, shown = canvas.axes(), canvas.names(names)
    edges = sorted({i / a.n_runs for i in range(a.n_runs + 1)} | {i / b.n_runs for i in range(b.n_runs + 1)})
    middles = [(left + right) / 2.0 for left, right in pairwise(edges)]
    values = [_at(entry.runs, middles) for entry in (a, b)]
    for left, right, x, y in zip(edges, edges[1:], *values, strict=False):
        if x != y and (y > x) == metric.greater_is_better:
            axes.fill_between((left, right), x, y, color=WORSE, alpha=0.35, linewidth=0, gid="violation")
    first, second = (shown[one] for one in names)
    for levels, colour, style, system in zip(
        values, (ACCENT, FAINT), ("-", "--"), (first, second), strict=True
    ):
        axes.stairs(levels, edges, baseline=None, color=colour, linestyle=style, linewidth=1.8, label=system)
    axes.set_xlim(0.0, 1.0)
    left_scale(axes)
    axes.set_xlabel("share of the runs below", color=INK)
    axes.set_ylabel(f"{name(metric.name)} ({direction(metric)})", color=INK, parse_math=False)
    keys = [*axes.get_legend_handles_labels()[0], patch(f"{second} is ahead", WORSE, 0.35)]
    violation = "" if c.orders is None else f"\n{_violation(c.orders[names])}"
    title = f"Is {first} better than {second} at every quantile?{violation}"
    return Sheet(axes, 3.0, 5.2, title, keys)


def _violation(order: StochasticOrder) -> str:
    ratio = "undefined" if math.isnan(order.violation_ratio) else f"{order.violation_ratio:.3f}"
    bound = "" if math.isnan(order.epsilon_min) else f", ε_min {order.epsilon_min:.2f}"
    return f"Violation {ratio}{bound}"


def _two(c: RunsComparison, pair: Sequence[str] | None) -> tuple[str, str]:
    if pair is None:
        return c.systems[0].system, c.systems[1].system
    if isinstance(pair, str) or len(pair) != 2 or pair[0] == pair[1]:
        raise InvalidInputError(f"pair must be the names of two systems, got {quoted(pair)}")
    return c.score(pair[0]).system, c.score(pair[1]).system


def _at(runs: Sequence[float], levels: Sequence[float]) -> list[float]:
    """Return the quantile function at levels that are none of its steps.

    >>> _at([3.0, 1.0], [0.25, 0.75])
    [1.0, 3.0]
    """
    ordered = sorted(runs)
    return [ordered[min(int(level * len(ordered)), len(ordered) - 1)] for level in levels]
