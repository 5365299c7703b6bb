"""The report of a budget spent on runs and items."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np

from bestby.questions.planning import figure, report
from bestby.questions.planning.result import Allocation, Split
from bestby.report.column import Cell, Look, as_count, written
from bestby.report.document import Document, Picture, one_section
from bestby.report.fields import Field, Rows
from bestby.report.numbers import Rounding, difference_text, power_text
from bestby.report.references import cite
from bestby.report.tables import Table

_MOST_ROWS = 14
TABLES = {
    "splits": Rows(
        (
            Field("runs", header="runs", format=as_count),
            Field("items", header="items", format=as_count),
            Field("cost", header="cost", format=written("g")),
            Field("standard_error", header="standard error"),
            Field("power", header="power", format=lambda power, _look: Cell(power_text(power), power)),
        ),
        attrgetter("splits"),
    ),
}


def document(a: Allocation) -> Document:
    """Return the report of an allocation: the best split, the table of splits, the curve."""
    best = a.best
    lead = (
        f"{best.runs} run{'s' * (best.runs != 1)} of each system on {best.items} items are the best use of a"
        f" budget of {a.budget:g}: power {power_text(best.power)} to detect a difference of"
        f" {difference_text(a.design.true_difference)}."
    )
    if a.power_as_estimated is not None:
        value = difference_text(a.power_as_estimated)
        lead += f" If the estimates of the pilot were the true values, the power would be {value}."
    good = [s.runs for s in a.splits if s.power >= best.power - 0.01]
    also = (f"With {good[0]} to {good[-1]} runs, the power is within 0.01 of that.",) if good[1:] else ()
    caption = "Each number of runs has as many items as the rest of the budget pays for."
    return one_section(
        a,
        title=f"How to spend a budget of {a.budget:g}",
        subtitle=a.design.assumed_words,
        methods=f"Test: {report.decision(a)}. Assumed: {a.design.assumed_words}.{report.averaged(a)}",
        name="budget",
        lead=lead,
        tables=(_table(a),),
        remarks=also,
        pictures=(Picture("Power against the number of runs", caption, partial(figure.allocation, a)),),
    )


def _table(a: Allocation) -> Table:
    shown = _shown_splits(a)
    digits = Rounding(max(0, 2 - math.floor(math.log10(a.best.standard_error))))
    columns = TABLES["splits"].shown(a, Look(digits))
    rest = "" if len(shown) == len(a.splits) else f" ({len(shown)} of {len(a.splits)})"
    caption = f"Ways to spend {a.budget:g}{rest}"
    return Table.of(caption, columns, shown, lambda s: s.runs == a.best.runs, main=4)


def _shown_splits(a: Allocation) -> list[Split]:
    """Return all splits, or the best, its neighbours and some spread over the rest."""
    if len(a.splits) <= _MOST_ROWS:
        return list(a.splits)
    place = next(i for i, s in enumerate(a.splits) if s.runs == a.best.runs)
    spread = np.rint(np.geomspace(1, len(a.splits), _MOST_ROWS - 4)).astype(int) - 1
    near = [i for i in range(place - 2, place + 3) if 0 <= i < len(a.splits)]
    return [a.splits[i] for i in sorted({*spread.tolist(), *near})]


def dictionary(a: Allocation) -> dict[str, Any]:
    """Return the allocation as dictionaries and lists."""
    names = ("level", "alpha", "alternative", "n_comparisons")
    return {
        "asked": "allocate",
        "design": {"name": a.design.name, **a.design.settings()},
        "budget": a.budget,
        "best": asdict(a.best),
        "power_as_estimated": a.power_as_estimated,
        **{name: getattr(a, name) for name in names},
        "splits": TABLES["splits"].rows(a),
    }


def sentences(a: Allocation) -> Iterator[str]:
    """Yield how a budget was divided."""
    best = a.best
    yield (
        f"We divided a budget of {a.budget:g} between runs and items so that the power is largest"
        f"{cite('analysis', 'allocation', 'power')}: {best.runs} runs on {best.items} items, with power"
        f" {power_text(best.power)} to detect a difference of {difference_text(a.design.true_difference)}."
    )
    yield report.assumed(a)
