"""Where the uncertainty of differences comes from, and what more levels of each facet would give."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bestby._core.text import plural
from bestby.report.figures.canvas import ACCENT, FAINT, INK, SCREEN, WORSE, Canvas, Sheet, figure
from bestby.report.figures.drawing import bare, patch, plain_ticks
from bestby.report.figures.systems import checked_kind, plot_systems
from bestby.report.numbers import MINUS
from bestby.report.tables import metric_info

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bestby.questions.facets.result import FacetsComparison

_SIZE = 2.9, 5.2  # inches, up and across

_COLOURS = ((ACCENT, 1.0), (WORSE, 0.8), (FAINT, 0.9), (ACCENT, 0.45), (WORSE, 0.35), (FAINT, 0.4))
"""Colours and opacities of effects, the first for the one that brings most."""

REST = "all others"
"""The last part of a bar where there are more effects than colours."""


def facets(c: FacetsComparison, metric: str | None, kind: str, canvas: Canvas) -> Axes:
    """Draw a figure of a comparison over facets; see `FacetsComparison.plot`."""
    kind = checked_kind(kind, "facets")
    metric_info(c, metric)
    if kind == "shares":
        return shares(c, canvas=canvas)
    if kind == "study":
        return study(c, canvas=canvas)
    return plot_systems(c, metric, kind, canvas)


@figure
def shares(c: FacetsComparison, *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw a bar per difference, divided by what each effect brings of its variance."""
    axes, names = canvas.axes(), canvas.names(entry.system for entry in c.systems)
    total: dict[str, float] = {}
    for d in c.differences:
        for one in d.components:
            total[one.effect] = total.get(one.effect, 0.0) + one.share
    effects = [effect for effect in sorted(total, key=lambda effect: -total[effect]) if total[effect] > 0.0]
    if len(effects) > len(_COLOURS):
        effects = [*effects[: len(_COLOURS) - 1], REST]
    looks = dict(zip(effects, _COLOURS, strict=False))
    for place, d in enumerate(c.differences):
        left, share = 0.0, {one.effect: one.share for one in d.components}
        share[REST] = 1.0 - sum(share.get(effect, 0.0) for effect in effects) if share else 0.0
        for effect in effects:
            colour, opacity = looks[effect]
            width = share.get(effect, 0.0)
            axes.barh(
                place, width, left=left, height=0.6, color=colour, alpha=opacity, linewidth=0, gid=effect
            )
            left += width
    axes.set_yticks(
        range(len(c.differences)),
        [f"{names[d.a]} {MINUS} {names[d.b]}" for d in c.differences],
        parse_math=False,
    )
    axes.set_ylim(len(c.differences) - 0.4, -0.6)
    axes.set_xlim(0.0, 1.0)
    bare(axes)
    axes.tick_params(axis="y", length=0, labelcolor=INK)
    axes.set_xlabel("share of the variance", color=INK)
    keys = [patch(effect, *looks[effect]) for effect in effects]
    return Sheet(
        axes, 0.9 + 0.35 * len(c.differences), _SIZE[1], title="Where the uncertainty comes from", keys=keys
    )


@figure
def study(c: FacetsComparison, *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw half the length of the interval of the first difference by the levels of each sampled facet."""
    axes, d = canvas.axes(), c.differences[0]
    if d.components:
        estimates = d.estimates
        now = d.at(estimates, estimates.sizes[None, :])[0].half_length
        sampled = [place for place, facet in enumerate(d.facets) if not facet.fixed]
        for colour, place in zip((ACCENT, WORSE, FAINT, INK), sampled, strict=False):
            facet = d.facets[place]
            sizes = np.tile(estimates.sizes, (13, 1))
            sizes[:, place] = np.maximum(np.rint(np.geomspace(1.0, 8.0, 13) * facet.levels), 2.0)
            sizes = np.unique(sizes, axis=0)
            points, times = d.at(estimates, sizes), sizes[:, place] / facet.levels
            label = f"{plural(facet.name)} (now {facet.levels:g})"
            halves = [one.half_length for one in points]
            axes.plot(times, halves, color=colour, linewidth=1.8, label=label, gid=facet.name)
            if place == sampled[0]:
                ends = [(one.half_length_interval.low, one.half_length_interval.high) for one in points]
                axes.fill_between(
                    times, *np.transpose(ends), color=colour, alpha=0.12, linewidth=0, gid="band"
                )
        axes.plot(1.0, now, marker="o", markersize=7, color=INK, linestyle="none", zorder=3, gid="now")
        axes.set_ylim(0.0, 2.5 * now)
        axes.set_xscale("log")
        plain_ticks(axes, [1, 2, 4, 8])
    axes.grid(axis="y", color=FAINT, linewidth=0.4, alpha=0.5)
    bare(axes)
    axes.tick_params(axis="y", length=0, labelcolor=INK)
    axes.set_xlabel("times as many levels", color=INK)
    axes.set_ylabel("half the interval", color=INK)
    return Sheet(
        axes,
        *_SIZE,
        title=f"What more levels would give for {d.a} {MINUS} {d.b}",
        keys=axes.get_legend_handles_labels()[0],
    )
