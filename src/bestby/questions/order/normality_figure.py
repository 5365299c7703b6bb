"""The quantiles of a sample beside those of a normal distribution."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from bestby._core import rounding
from bestby._core.typing import Array
from bestby.report.figures.canvas import SCREEN, Canvas, Sheet
from bestby.report.figures.colours import ACCENT, BAND, FAINT, INK
from bestby.report.figures.drawing import left_scale
from bestby.report.figures.layout import figure
from bestby.report.numbers import p_text

if TYPE_CHECKING:
    from bestby.questions.order.normality_result import Normality

_SIMULATED, _SAMPLES = 200, 4000  # values of a simulated sample, and samples


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
