"""The report of a budget spent on runs and items."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from bestby.report import data
from bestby.report.document import Document, Picture, Section
from bestby.report.figures.drawing import ACCENT, INK, new_axes
from bestby.report.kinds import plan
from bestby.report.kinds.comparison import settings
from bestby.report.numbers import DASH
from bestby.report.tables import Cell, Column, Row, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bestby.results.plans import Allocation, Split

__all__ = ["COLUMNS", "dictionary", "document", "figure", "rows"]

COLUMNS = ("runs", "items", "cost", "standard_error", "power")
_MOST_ROWS = 14


def document(a: Allocation) -> Document:
    """Return the report of an allocation.

    It shows one section: the best split, the table of splits, the curve.
    """
    best = a.best
    lead = (
        f"{best.runs} run{'s' * (best.runs != 1)} of each system on {best.items} items are the best use of a"
        f" budget of {a.budget:g}: power {_power(best)} to detect a difference of"
        f" {plan.number(a.design.true_difference)}."
    )
    if a.power_as_estimated is not None:
        value = plan.number(a.power_as_estimated)
        lead += f" If the estimates of the pilot were the true values, the power would be {value}."
    caption = "With each number of runs, the most items that the rest of the budget pays for."
    return Document(
        title=f"How to spend a budget of {a.budget:g}",
        subtitle=a.design.assumed_words,
        sections=(
            Section(
                name="budget",
                lead=lead,
                tables=(_table(a),),
                remarks=_also(a),
                pictures=(Picture("Power against the number of runs", caption, partial(figure, a)),),
            ),
        ),
        notes=tuple(note.message for note in a.notes),
        methods=f"Decided by {plan.decision(a)}. Assumed: {a.design.assumed_words}." + plan.averaged(a),
        settings=settings(a.provenance),
        signature=a.signature,
        version=a.provenance.version,
    )


def _also(a: Allocation) -> tuple[str, ...]:
    good = [s.runs for s in a.splits if s.power >= a.best.power - 0.01]
    if len(good) < 2:
        return ()
    return (f"Anything from {min(good)} to {max(good)} runs comes within 0.01 of that power.",)


def _power(split: Split) -> str:
    return DASH if math.isnan(split.power) else f"{split.power:.3f}"


def _table(a: Allocation) -> Table:
    shown = _shown(a)
    decimals = max(0, 2 - math.floor(math.log10(a.best.standard_error)))
    rows_ = [
        Row(
            (
                Cell(str(s.runs), float(s.runs)),
                Cell(str(s.items), float(s.items)),
                Cell(f"{s.cost:g}", s.cost),
                Cell(f"{s.standard_error:.{decimals}f}", s.standard_error),
                Cell(_power(s), s.power),
            ),
            s.runs == a.best.runs,
        )
        for s in shown
    ]
    columns = tuple(Column(name, True) for name in ("runs", "items", "cost", "standard error", "power"))
    rest = "" if len(shown) == len(a.splits) else f" ({len(shown)} of {len(a.splits)})"
    return Table(f"Ways to spend {a.budget:g}{rest}", columns, tuple(rows_), main=4)


def _shown(a: Allocation) -> list[Split]:
    """Return all splits, or the best, its neighbours and some spread over the rest."""
    if len(a.splits) <= _MOST_ROWS:
        return list(a.splits)
    place = next(i for i, s in enumerate(a.splits) if s.runs == a.best.runs)
    spread = np.rint(np.geomspace(1, len(a.splits), _MOST_ROWS - 4)).astype(int) - 1
    near = [i for i in range(place - 2, place + 3) if 0 <= i < len(a.splits)]
    return [a.splits[i] for i in sorted({*spread.tolist(), *near})]


def dictionary(a: Allocation) -> dict[str, Any]:
    """Return the allocation as dictionaries and lists."""
    best = next(row for row in rows(a) if row["runs"] == a.best.runs)
    return {
        "signature": a.signature,
        "asked": "allocate",
        "design": {"name": a.design.name, **a.design.settings()},
        "budget": a.budget,
        "best": best,
        "power_as_estimated": a.power_as_estimated,
        "level": a.level,
        "alpha": a.alpha,
        "alternative": a.alternative,
        "n_comparisons": a.n_comparisons,
        "splits": rows(a),
        "notes": data.noted(a.notes),
        "provenance": data.made_by(a.provenance),
    }


def rows(a: Allocation) -> list[dict[str, Any]]:
    """Return one row per number of runs, with the columns `COLUMNS`."""
    return [{name: getattr(split, name) for name in COLUMNS} for split in a.splits]


def figure(a: Allocation, ax: Axes | None = None) -> Axes:
    """Draw power against the number of runs, the best split marked.

    `ax` says where to draw; a new figure by default.
    """
    from matplotlib.ticker import MaxNLocator

    axes = ax if ax is not None else new_axes(width=6.0, height=3.6)
    drawn = [split for split in a.splits if not math.isnan(split.power)]
    runs = [split.runs for split in drawn]
    few = len(drawn) <= 40
    axes.plot(
        runs,
        [split.power for split in drawn],
        color=ACCENT,
        linewidth=1.8,
        marker="o" if few else None,
        markersize=3.5,
        zorder=2,
        gid="curve",
    )
    best = a.best
    if few:
        axes.xaxis.set_major_locator(MaxNLocator(nbins=10, integer=True))
        axes.set_xlim(runs[0] - 0.5, runs[-1] + 0.5)
    else:
        axes.set_xscale("log")
        plan.ticks(axes, runs)
    plan.frame(axes, "runs of each system")
    label = f"{best.runs} runs × {best.items} items: {_power(best)}"
    plan.mark(axes, best.runs, best.power, label, below=True)
    title = f"Power bought with a budget of {a.budget:g}"
    axes.set_title(title, loc="left", color=INK, fontsize="medium", parse_math=False)
    return axes
