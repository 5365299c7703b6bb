"""The report of a plan: the answer in a sentence, power at other sizes as a table and as a curve."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from bestby.planning.base import Question
from bestby.report import data
from bestby.report.document import Document, Picture, Section
from bestby.report.figures.drawing import ACCENT, FAINT, INK, PAPER, new_axes
from bestby.report.kinds.comparison import settings
from bestby.report.numbers import MINUS, alpha, percent
from bestby.report.tables import Cell, Column, Row, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bestby.results.plans import Allocation, Plan, PlanPoint

__all__ = ["COLUMNS", "dictionary", "document", "figure", "rows"]

_SMOOTH = 60

COLUMNS = ("n", "unit", "power", "error", "difference", "alpha", "alternative")


def document(plan: Plan) -> Document:
    """Return the report of a plan.

    It shows one section: the answer, the table of sizes and powers, the curve.
    """
    lead = " ".join(part for part in (headline(plan), as_estimated(plan)) if part)
    caption = "The marked point is the answer."
    if not plan.exact:
        caption += " Vertical lines are 95 % Monte Carlo intervals of the simulated power."
    table = (_table(plan),) if plan.curve else ()
    return Document(
        title=f"Power of a study of {plan.n} {plan.unit}",
        subtitle=plan.design.assumed_words,
        sections=(
            Section(
                name="power",
                lead=lead,
                tables=table,
                pictures=(Picture("Power against size", caption, partial(figure, plan)),),
            ),
        ),
        notes=tuple(note.message for note in plan.notes),
        methods=_methods(plan),
        settings=settings(plan.provenance),
        signature=plan.signature,
        version=plan.provenance.version,
    )


def headline(plan: Plan) -> str:
    """Return the answer in a sentence."""
    size, difference, reached = f"{plan.n} {plan.unit}", number(plan.difference), power_text(plan)
    if plan.asked == "power":
        return f"A study of {size} detects a difference of {difference} with power {reached}."
    if plan.asked == "sample_size":
        return f"{size} are needed to detect a difference of {difference} with power {plan.wanted:g}" + (
            "." if plan.exact else f" (simulated there: {reached})."
        )
    return (
        f"A study of {size} detects differences from {difference} on with power {plan.wanted:g}"
        f"{_solved(plan)}{'' if plan.exact else f'; simulated there: {reached}'}."
    )


def as_estimated(plan: Plan) -> str:
    """Return a sentence on the power if the pilot's estimates were the truth; nothing without a pilot.

    >>> from bestby.planning import PairedScores, power
    >>> as_estimated(power(PairedScores(0.5, 1.0, pilot_df=7), 34))
    'If the estimates of the pilot were the true values, it would be 0.808.'
    """
    if plan.power_as_estimated is None:
        return ""
    subject = "it" if plan.asked == "power" else "the power"
    value = f"{plan.power_as_estimated:.3f}" if plan.power_as_estimated < 0.9995 else ">0.999"
    return f"If the estimates of the pilot were the true values, {subject} would be {value}."


def _solved(plan: Plan) -> str:
    effect = plan.design.effect
    if effect == plan.difference:
        return ""
    word = "an effect scale" if plan.design.name == "pilot" else "a lift"
    return f" ({word} of {effect:.4g})"


def number(value: float) -> str:
    """Return a difference with four digits and a real minus sign."""
    return f"{value:.4g}".replace("-", MINUS, 1)


def power_text(point: Plan | PlanPoint) -> str:
    """Return a power with three decimals, and its Monte Carlo error if it has one."""
    text = ">0.999" if 0.9995 <= point.power < 1.0 else f"{point.power:.3f}"
    return f"{text} ± {point.error:.1g}" if point.error > 0.0 else text


def _table(plan: Plan) -> Table:
    rows_ = []
    for point in plan.curve:
        cells = (Cell(str(point.n), float(point.n)), Cell(power_text(point), point.power))
        rows_.append(Row(cells, point.n == plan.n))
    columns = (Column(plan.unit, True), Column("power", True))
    return Table(f"Power to detect a difference of {number(plan.difference)}", columns, tuple(rows_), main=1)


def decision(plan: Plan | Allocation) -> str:
    """Return the test and its level in words."""
    text = f"{plan.design.test_words}, {plan.alternative}, at the {percent(alpha(plan.level))} level"
    if plan.n_comparisons > 1:
        text += f" divided by {plan.n_comparisons} comparisons (p ≤ {plan.alpha:.3g})"
    return text


def _methods(plan: Plan) -> str:
    how = "Computed, not simulated."
    if not plan.exact:
        studies, seed = plan.provenance.settings["simulations"], plan.provenance.seed
        how = f"Power is the share of rejections in {studies} simulated studies; seed {seed}."
    return f"Decided by {decision(plan)}. Assumed: {plan.design.assumed_words}. {how}{averaged(plan)}"


def averaged(plan: Plan | Allocation) -> str:
    """Return a sentence on what of the pilot is left open; nothing without a pilot."""
    words = plan.design.doubt_words
    return f" The power is an average that allows for doubt about {words}." if words else ""


def dictionary(plan: Plan) -> dict[str, Any]:
    """Return the plan as dictionaries and lists."""
    return {
        "signature": plan.signature,
        "asked": plan.asked,
        "design": {"name": plan.design.name, **plan.design.settings()},
        "n": plan.n,
        "unit": plan.unit,
        "power": plan.power,
        "error": plan.error,
        "power_as_estimated": plan.power_as_estimated,
        "difference": plan.difference,
        "wanted": plan.wanted,
        "level": plan.level,
        "alpha": plan.alpha,
        "alternative": plan.alternative,
        "n_comparisons": plan.n_comparisons,
        "curve": [{"n": point.n, "power": point.power, "error": point.error} for point in plan.curve],
        "notes": data.noted(plan.notes),
        "provenance": data.made_by(plan.provenance),
    }


def rows(plan: Plan) -> list[dict[str, Any]]:
    """Return one row per size, with the columns `COLUMNS`."""
    return [
        dict(
            zip(
                COLUMNS,
                (p.n, plan.unit, p.power, p.error, plan.difference, plan.alpha, plan.alternative),
                strict=True,
            )
        )
        for p in plan.curve
    ]


def figure(plan: Plan, ax: Axes | None = None) -> Axes:
    """Draw power against size, the answer marked.

    `ax` says where to draw; a new figure by default.
    """
    axes = ax if ax is not None else new_axes(width=6.0, height=3.6)
    sizes = [point.n for point in plan.curve]
    _curve(axes, plan)
    if plan.wanted is not None:
        axes.axhline(plan.wanted, color=FAINT, linewidth=1.0, linestyle=(0, (4, 3)), zorder=1, gid="wanted")
    axes.plot([plan.n, plan.n], [0.0, plan.power], color=FAINT, linewidth=1.0, zorder=1)
    mark(axes, plan.n, plan.power, f"{plan.n} {plan.unit}: {power_text(plan)}")
    axes.set_xscale("log")
    ticks(axes, sizes)
    if plan.n > 0.6 * max(sizes):  # the label stands to the right of the answer
        axes.set_xlim(min(sizes) / 1.05, 2.0 * max(sizes))
    frame(axes, plan.unit)
    title = f"Power to detect a difference of {number(plan.difference)}"
    axes.set_title(title, loc="left", color=INK, fontsize="medium", parse_math=False)
    return axes


def _curve(axes: Axes, plan: Plan) -> None:
    """Draw what was simulated as it was, between points and with its error; what was computed, smoothly."""
    sizes = np.array([point.n for point in plan.curve])
    powers = np.array([point.power for point in plan.curve])
    if plan.exact and sizes.size > 2:
        question = Question(plan.level, plan.alternative, plan.n_comparisons)
        between = np.rint(np.geomspace(sizes[0], sizes[-1], _SMOOTH)).astype(np.int64)
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


def mark(axes: Axes, x: float, y: float, text: str, *, below: bool = False) -> None:
    """Mark the answer and write it where the curve leaves room: to the right of it, or below."""
    axes.plot(x, y, marker="o", markersize=7, color=ACCENT, linestyle="none", zorder=3, gid="answer")
    axes.annotate(
        text,
        (x, y),
        xytext=(0, -22) if below else (9, -13),
        textcoords="offset points",
        ha="center" if below else "left",
        color=INK,
        fontsize="small",
        fontweight="bold",
        parse_math=False,
        bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 1.0},  # the line of the power wanted runs here
    )


def ticks(axes: Axes, sizes: list[int]) -> None:
    """Label a logarithmic axis with plain numbers, and room on both sides."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    low, high = min(sizes), max(sizes)
    marks = [m * 10**e for e in range(9) for m in (1, 2, 5) if low <= m * 10**e <= high] or [low]
    axes.xaxis.set_major_locator(FixedLocator(marks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}".replace(",", "\u202f")))
    axes.set_xlim(low / 1.05, high * 1.05)


def frame(axes: Axes, unit: str) -> None:
    """Set up the scale of power, from 0 to 1, and take away what the figure does not need."""
    axes.set_ylim(0.0, 1.02)
    axes.set_yticks([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
    axes.grid(axis="y", color=FAINT, linewidth=0.4, alpha=0.5)
    axes.tick_params(color=FAINT, labelcolor=INK)
    for side in ("left", "right", "top"):
        axes.spines[side].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.spines["bottom"].set_color(FAINT)
    axes.set_xlabel(unit, color=INK, parse_math=False)
    axes.set_ylabel("power", color=INK)
