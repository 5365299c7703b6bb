"""The report of a budget spent on runs and items, or on levels of facets."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np

from bestby._core.text import plural
from bestby.questions.planning import figure, report
from bestby.questions.planning.result import Allocation, FacetedAllocation, FacetedSplit, Split
from bestby.report import words
from bestby.report.column import Cell, Look, as_count, as_name, written
from bestby.report.document import Document, Picture, one_section
from bestby.report.fields import Field, Rows
from bestby.report.numbers import Rounding, difference_text, power_text
from bestby.report.references import cite
from bestby.report.tables import Table

_MOST_ROWS = 14


def _split_fields(a: Allocation) -> tuple[Field, ...]:
    """Return the columns of splits: how large a study is, and what that gives."""
    size = tuple(Field(name, header=name, format=as_count) for name in ("runs", "items"))
    if isinstance(a, FacetedAllocation):
        size = (Field("design", _size, header="design", format=as_name),)
    return (
        *size,
        Field("cost", header="cost", format=written("g")),
        Field("standard_error", header="standard error"),
        Field("power", header="power", format=lambda power, _look: Cell(power_text(power), power)),
    )


TABLES = {"splits": Rows(_split_fields, attrgetter("splits"))}


def document(a: Allocation) -> Document:
    """Return the report of an allocation: the best split, the table of splits, the curve."""
    best, (first, _) = a.best, a.best.levels[0]
    difference = difference_text(a.design.true_difference)
    title = f"How to spend a budget of {a.budget:g}"
    lead = f"{_size(best)} are the best use of a budget of {a.budget:g}: power {power_text(best.power)} to"
    lead += f" detect a difference of {difference}."
    if isinstance(a, FacetedAllocation) and a.wanted is not None:
        title = f"The cheapest study with power {a.wanted:g}"
        lead = f"{_size(best)} are the cheapest way to detect a difference of {difference} with power"
        lead += f" {a.wanted:g}: they cost {best.cost:g}."
    if a.power_as_estimated is not None:
        value = difference_text(a.power_as_estimated)
        lead += f" If the estimates of the pilot were the true values, the power would be {value}."
    good = [s.levels[0][1] for s in a.splits if s.power >= best.power - 0.01]
    also = (
        (f"With {good[0]} to {good[-1]} {plural(first)}, the power is within 0.01 of that.",)
        if good[1:]
        else ()
    )
    others = "as many items as the rest of the budget pays for"
    if isinstance(a, FacetedAllocation):
        others = "the best numbers of the others that the rest of the budget pays for"
    caption = f"Each number of {plural(first)} has {others}."
    return one_section(
        a,
        title=title,
        subtitle=a.design.assumed_words,
        methods=f"Test: {report.decision(a)}. Assumed: {a.design.assumed_words}.{report.averaged(a)}",
        name="budget",
        lead=lead,
        tables=(_table(a),),
        remarks=also,
        pictures=(
            Picture(f"Power against the number of {plural(first)}", caption, partial(figure.allocation, a)),
        ),
    )


def _size(split: Split | FacetedSplit) -> str:
    """Return the size of a study in words."""
    if isinstance(split, Split):
        return f"{split.runs} run{'s' * (split.runs != 1)} of each system on {split.items} items"
    return " × ".join(f"{number} {plural(name, number)}" for name, number in split.levels)


def _table(a: Allocation) -> Table:
    shown = _shown_splits(a)
    digits = Rounding(max(0, 2 - math.floor(math.log10(a.best.standard_error))))
    columns = TABLES["splits"].shown(a, Look(digits))
    rest = "" if len(shown) == len(a.splits) else f" ({len(shown)} of {len(a.splits)})"
    caption = f"Ways to spend {a.budget:g}{rest}"
    return Table.of(caption, columns, shown, lambda s: s == a.best, main=len(columns) - 1)


def _shown_splits(a: Allocation) -> list[Any]:
    """Return all splits, or the best, its neighbours and some spread over the rest."""
    if len(a.splits) <= _MOST_ROWS:
        return list(a.splits)
    place = a.splits.index(a.best)
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
        **({"wanted": a.wanted} if isinstance(a, FacetedAllocation) else {}),
        "best": asdict(a.best),
        "power_as_estimated": a.power_as_estimated,
        **{name: getattr(a, name) for name in names},
        "splits": [asdict(split) for split in a.splits],
    }


def sentences(a: Allocation) -> Iterator[str]:
    """Yield how a budget was divided."""
    best, names = a.best, words.listed([plural(name) for name, _ in a.best.levels])
    size = f"{best.runs} runs on {best.items} items" if isinstance(best, Split) else _size(best)
    what = f"We divided a budget of {a.budget:g} between {names} so that the power is largest"
    if isinstance(a, FacetedAllocation) and a.wanted is not None:
        what = f"We chose {names} by what a power of {a.wanted:g} costs least, {best.cost:g}"
    yield (
        f"{what}{cite('analysis', 'allocation', 'power')}: {size}, with power {power_text(best.power)} to"
        f" detect a difference of {difference_text(a.design.true_difference)}."
    )
    yield report.assumed(a)
