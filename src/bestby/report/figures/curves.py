"""Curves of power, and quantiles of two systems or of a sample."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from bestby._core import rounding
from bestby._core.errors import InvalidInputError
from bestby._core.text import grouped, quoted
from bestby._core.typing import Array
from bestby.report.figures.canvas import SCREEN, Canvas, Sheet
from bestby.report.figures.colours import ACCENT, BAND, FAINT, INK, PAPER, WORSE
from bestby.report.figures.drawing import bare, label, left_scale, patch
from bestby.report.figures.fonts import name
from bestby.report.figures.layout import figure
from bestby.report.numbers import difference_text, p_text, power_text
from bestby.report.words import direction
from bestby.results.runs import RunsComparison, RunsScore

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bestby.results.normality import Normality
    from bestby.results.ordering import StochasticOrder
    from bestby.results.plans import Allocation, Plan

_CURVE = 2.7, 5.2  # inches, up and across
_FEW = 40
_SIMULATED, _SAMPLES = 200, 4000  # values of a simulated sample, and samples


@figure
def plan(plan: Plan, *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw power against size, the answer marked."""
    axes = canvas.axes()
    sizes = [point.n for point in plan.curve]
    _curve(axes, plan)
    if plan.wanted is not None:
        axes.axhline(plan.wanted, color=FAINT, linewidth=1.0, linestyle=(0, (4, 3)), zorder=1, gid="wanted")
    axes.plot([plan.n, plan.n], [0.0, plan.power], color=FAINT, linewidth=1.0, zorder=1)
    _answer(axes, plan.n, plan.power, f"{plan.n} {plan.unit}: {power_text(plan.power, plan.error)}")
    axes.set_xscale("log")
    plain_ticks(axes, sizes)
    if plan.n > 0.6 * max(sizes):  # the label stands to the right of the answer
        axes.set_xlim(min(sizes) / 1.05, 2.0 * max(sizes))
    _scale(axes, plan.unit)
    return Sheet(axes, *_CURVE, title=f"Power to detect a difference of {difference_text(plan.difference)}")


def _curve(axes: Axes, plan: Plan) -> None:
    """Draw what was simulated as it was, between points and with its error; what was computed, smoothly."""
    from bestby.planning.base import Question

    sizes = np.array([point.n for point in plan.curve])
    powers = np.array([point.power for point in plan.curve])
    if plan.exact and sizes.size > 2:
        question = Question(plan.level, plan.alternative, plan.n_comparisons)
        # Points through which a curve looks smooth
        between = np.rint(np.geomspace(sizes[0], sizes[-1], 60)).astype(np.int64)
        sizes = np.unique(np.concatenate([sizes, between]))
        powers = plan.design.powers(sizes, question)[0]
    else:
        reach = 1.96 * np.array([point.error for point in plan.curve])
        low, high = np.maximum(powers - reach, 0.0), np.minimum(powers + reach, 1.0)
        axes.vlines(sizes, low, high, color=ACCENT, linewidth=1.8, zorder=2, gid="error")
    style: dict[str, Any] = {"linewidth": 1.8}
    if not plan.exact:
        style = {"linewidth": 0.9, "marker": "o", "markersize": 3.5}
    axes.plot(sizes, powers, color=ACCENT, zorder=2, gid="curve", **style)


@figure
def allocation(a: Allocation, *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw power against the number of runs, the best split marked."""
    from matplotlib.ticker import MaxNLocator

    axes = canvas.axes()
    splits = [split for split in a.splits if not math.isnan(split.power)]
    runs, powers = [split.runs for split in splits], [split.power for split in splits]
    few = len(splits) <= _FEW
    marker = "o" if few else None
    axes.plot(runs, powers, color=ACCENT, linewidth=1.8, marker=marker, markersize=3.5, zorder=2, gid="curve")
    if few:
        axes.xaxis.set_major_locator(MaxNLocator(nbins=10, integer=True))
        axes.set_xlim(runs[0] - 0.5, runs[-1] + 0.5)
    else:
        axes.set_xscale("log")
        plain_ticks(axes, runs)
    _scale(axes, "runs of each system")
    best = a.best
    text = f"{best.runs} runs × {best.items} items: {power_text(best.power)}"
    _answer(axes, best.runs, best.power, text, below=True)
    return Sheet(axes, *_CURVE, title=f"Power for a budget of {a.budget:g}")


def _answer(axes: Axes, x: float, y: float, text: str, *, below: bool = False) -> None:
    """Mark the answer and write it where there is room: to its right, or below; above if it is low."""
    axes.plot(x, y, marker="o", markersize=7, color=ACCENT, linestyle="none", zorder=3, gid="answer")
    at_the_left = x <= axes.get_xlim()[0] + 0.5
    style: dict[str, Any] = {"ha": "center"} if below and not at_the_left else {}
    style["bbox"] = {"facecolor": PAPER, "edgecolor": "none", "pad": 1.0}  # the line of `wanted` runs here
    offset = (0, 12 if y < 0.2 else -22) if below else (9, -13)
    label(axes, text, (x, y), offset, va="baseline", fontsize="small", fontweight="bold", **style)


def plain_ticks(axes: Axes, sizes: list[int]) -> None:
    """Label a logarithmic axis with plain numbers, and room on both sides."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    low, high = min(sizes), max(sizes)
    marks = [m * 10**e for e in range(9) for m in (1, 2, 5) if low <= m * 10**e <= high] or [low]
    axes.xaxis.set_major_locator(FixedLocator(marks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: grouped(round(value))))
    axes.set_xlim(low / 1.05, high * 1.05)


def _scale(axes: Axes, unit: str) -> None:
    """Set up the scale of power, from 0 to 1, and take away what the figure does not need."""
    axes.set_ylim(0.0, 1.02)
    axes.set_yticks([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
    axes.grid(axis="y", color=FAINT, linewidth=0.4, alpha=0.5)
    bare(axes)
    axes.tick_params(axis="y", length=0, labelcolor=INK)
    axes.set_xlabel(unit, color=INK, parse_math=False)
    axes.set_ylabel("power", color=INK)


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


@figure
def normality(n: Normality, *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw the values against the quantiles of a normal distribution of their mean and standard deviation.

    The band has 95 % of the values of each rank in normal samples of the same mean and standard deviation.
    """
    axes = canvas.axes()
    ranks, values = (np.array(column) for column in zip(*n.order_statistics, strict=True))
    low, middle, high = _normal_band(n.n, ranks)
    low, high = n.mean + n.std * low, n.mean + n.std * high
    axes.fill_between(middle, low, high, facecolor=BAND, edgecolor="none", zorder=0, gid="band")
    axes.plot(middle, n.mean + n.std * middle, color=FAINT, linewidth=1.0, zorder=1, gid="normal")
    axes.plot(middle, values, "o", color=ACCENT, markersize=3.5, zorder=2, gid="values")
    left_scale(axes)
    axes.set_xlabel("quantile of the standard normal distribution", color=INK)
    axes.set_ylabel("value", color=INK)
    shown = "" if len(ranks) == n.n else f", {len(ranks)} shown"
    tests = ", ".join(f"{test.name.title()} {p_text(test.p_value)}" for test in n.tests)
    text = f"{n.n} values{shown}; band: 95 % of samples of the fitted normal"
    return Sheet(axes, 3.2, 4.6, title=f"{_verdict(n)}\np: {tests}\n{text}")


def _verdict(n: Normality) -> str:
    """Return whether the tests show that the values are not normal."""
    rejecting = sum(rounding.at_most(test.p_value, 0.05) for test in n.tests)
    if not rejecting:
        # Tests of normality rarely reject so few
        few = " by so few values" if n.n < 20 else ""
        return f"No departure from normality is shown at 5 %{few}"
    return f"{rejecting} of {len(n.tests)} tests reject normality at 5 %"


def _normal_band(n: int, ranks: Array) -> tuple[Array, Array, Array]:
    """Return the ends of a band for standardised normal order statistics, and between them their medians.

    The mean and standard deviation are those of the sample itself, which narrows the band. Up to `_SIMULATED`
    values it is simulated; above, the ends for a known mean and deviation (transformed beta variables) are
    scaled by the asymptotic standard deviations of the two kinds of order statistics.
    """
    from scipy.special import betaincinv, ndtr, ndtri

    low, middle, high = (ndtri(betaincinv(ranks, n + 1 - ranks, q)) for q in (0.025, 0.5, 0.975))
    if n <= _SIMULATED:
        samples = np.sort(np.random.default_rng(0).standard_normal((_SAMPLES, n)), axis=1)
        samples -= samples.mean(axis=1, keepdims=True)
        samples /= samples.std(axis=1, ddof=1, keepdims=True)
        low, high = np.quantile(samples[:, ranks - 1], (0.025, 0.975), axis=0)
        return low, middle, high
    density = np.exp(-0.5 * middle**2) / math.sqrt(2.0 * math.pi)
    share = np.sqrt(1.0 - density**2 * (1.0 + 0.5 * middle**2) / (ndtr(middle) * ndtr(-middle)))
    return middle + (low - middle) * share, middle, middle + (high - middle) * share


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
