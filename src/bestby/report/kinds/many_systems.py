"""The report of a comparison of many systems: the best of them, and all of them to be searched."""

from __future__ import annotations

import base64
import dataclasses
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from bestby._core import checks
from bestby._core.typing import Array
from bestby.comparisons.common.family import alpha_of, rejects, shown_better, shown_sides
from bestby.report import summary, words
from bestby.report.document import Picture, Search, Section, comparable
from bestby.report.numbers import MINUS, Rounding, ends, percent
from bestby.report.tables import (
    Table,
    difference_rounding,
    differences_table,
    score_rounding,
    systems_of,
    systems_table,
)
from bestby.results.base import MetricInfo
from bestby.results.comparison import Comparison, Difference
from bestby.results.pairs import Pairs, of_metric

MOST_SYSTEMS = 50
"""Systems up to which all are shown."""

TOP = 20
"""How many of more are shown."""

MOST_SEARCHED = 1000
"""Systems whose pairs a page holds: its size grows with their square."""


def cut(c: Comparison, top: int | None = None) -> Comparison | None:
    """Return the comparison with the best systems only; None if all are to be shown.

    `top` says how many systems of each metric; by default all of up to 50, and 20 of more. The result has the
    differences of the best system and each other one, then those of neighbours in rank; with a baseline, the
    differences from it. No number changes: ranks, groups and corrections are those of all.
    """
    n_systems = len({entry.system for entry in c.systems})
    if top is None:
        if c.described_by != "comparison" or n_systems <= MOST_SYSTEMS:
            return None
        top = TOP
    comparable(c)
    if checks.positive_int(top, "top") >= n_systems:
        return None
    systems = tuple(entry for metric in c.metrics for entry in systems_of(c, metric)[:top])
    found = [d for metric in c.metrics for d in _chosen(c, metric, top)]
    return dataclasses.replace(c, systems=systems, differences=tuple(found))


def _chosen(c: Comparison, metric: MetricInfo, top: int) -> list[Difference]:
    names = [entry.system for entry in systems_of(c, metric)[:top]]
    if c.baseline is not None:
        pairs = [(name, c.baseline) for name in names]
    else:
        pairs = [(names[0], name) for name in names[1:]]
        pairs += list(pairwise(names[1:]))
    found = [c.find(metric.name, a, b) or c.find(metric.name, b, a) for a, b in pairs]
    return [d for d in found if d is not None]


def section(c: Comparison, metric: MetricInfo, view: Comparison) -> Section:
    """Return the part of the report on one metric where only the best systems are shown."""
    shown, everyone = systems_of(view, metric), systems_of(c, metric)
    differences = of_metric(view.differences, metric.name)
    n_pairs = len(of_metric(c.differences, metric.name))
    which = f"the {len(shown)} best of {len(everyone)}"
    first = systems_table(view, metric)
    tables = [dataclasses.replace(first, caption=f"{first.caption}: {which}")]
    tables += _tables(view, metric, [entry.system for entry in shown], differences)
    omnibus = summary.omnibus_sentence(c, metric)
    digits = difference_rounding(view, metric)
    omitted = f"{len(shown)} of {len(everyone)} systems and {len(differences)} of {n_pairs} differences are"
    omitted += " shown; all of them are in the JSON and the CSV, and the HTML page can be searched for each."
    return Section(
        name=metric.name,
        lead=summary.headline(c, metric),
        tables=tuple(tables),
        remarks=() if omnibus is None else (omnibus,),
        pictures=_pictures(view, metric, which),
        readings=tuple(words.difference_sentence(d, digits) for d in differences),
        omitted=omitted,
        search=Search(
            systems=partial(systems_table, c, metric),
            pairs=partial(embedded, c, metric, digits),
            differences=partial(differences_table, c, metric),
        ),
    )


def _tables(
    view: Comparison, metric: MetricInfo, names: Sequence[str], differences: Sequence[Difference]
) -> list[Table]:
    """Return the table of the best system and each other one, and that of neighbours."""
    if not differences:
        return []
    if view.baseline is not None:
        return [differences_table(view, metric)]
    of_best = [d for d in differences if names[0] in (d.a, d.b)]
    others = [d for d in differences if names[0] not in (d.a, d.b)]
    tables = []
    for caption, part in (("the best and each other one", of_best), ("neighbours in rank", others)):
        if part:
            table = differences_table(dataclasses.replace(view, differences=tuple(part)), metric)
            tables.append(dataclasses.replace(table, caption=f"{table.caption}: {caption}"))
    return tables


def _pictures(view: Comparison, metric: MetricInfo, which: str) -> tuple[Picture, ...]:
    from bestby.report.kinds import comparison

    return tuple(
        dataclasses.replace(
            picture,
            label=f"{picture.label}: {which}",
            caption=f"{which[0].upper()}{which[1:]} systems. {picture.caption}",
        )
        for picture in comparison.pictures(view, metric)
    )


# -- what a page holds to be searched --------------------------------------------------------------


def embedded(c: Comparison, metric: MetricInfo, digits: Rounding) -> dict[str, Any] | None:
    """Return the numbers of the pairs of the systems as a page holds them, for JSON.

    Returns names and scores in rank order, and per pair of them, the better one first, base64 of
    little-endian arrays: the ends of the interval, the p-values (float32, more digits than a page shows), the
    number of items that differ (uint32), whether the test is significant (uint8), which of the two it shows
    to be better (int8: 1 the first, -1 the second) and, if tests are one-sided, whether it is the worse one
    minus the better one that was tested (uint8). None with a baseline, and where not every pair was compared.
    """
    entries = systems_of(c, metric)
    found = of_metric(c.differences, metric.name)
    size = len(entries)
    if c.baseline is not None or len(found) != size * (size - 1) // 2:
        return None
    names = [entry.system for entry in entries]
    columns = _square_order(found, names, MOST_SEARCHED, alpha_of(c.level))
    if columns is None:
        return None
    low, high, p, adjusted, differing, shown, flip = columns
    told = rejects(adjusted, alpha_of(c.level))
    shown = np.where(flip, -shown, shown)
    low, high = np.where(flip, -high, low), np.where(flip, -low, high)
    kept = names[:MOST_SEARCHED]
    one_sided = found[0].test.alternative != "two-sided"
    return {
        "metric": metric.name,
        "systems": kept,
        "all": size,
        "scores": [entry.score for entry in entries[: len(kept)]],
        "ranks": [[entry.rank_low, entry.rank_high] for entry in entries[: len(kept)]],
        "digits": {"score": score_rounding(c, metric).decimals, "difference": digits.decimals},
        "level": percent(c.level),
        "alpha": alpha_of(c.level),
        "minus": MINUS,
        "correction": c.correction,
        "test": summary.how_tested(found[0]),
        "items": c.n_items,
        "marks": list(digits.marks),
        "low": _packed(_single(low, (0.0, *digits.marks)), "<f4"),
        "high": _packed(_single(high, (0.0, *digits.marks)), "<f4"),
        "p": _packed(_single(p, (alpha_of(c.level), 1.0)), "<f4"),
        "adjusted": _packed(_single(adjusted, (alpha_of(c.level), 1.0)), "<f4"),
        "differing": _packed(differing, "<u4"),
        "told": _packed(told, "u1"),
        "shown": _packed(shown, "i1"),
        **({"flip": _packed(flip, "u1")} if one_sided else {}),
    }


def _square_order(
    found: Sequence[Difference], names: Sequence[str], most: int, threshold: float
) -> tuple[Array, Array, Array, Array, Array, Array, Array] | None:
    """Return columns of the pairs of the first systems, in the order of a triangle, and which to mirror."""
    place = {name: position for position, name in enumerate(names)}
    if isinstance(found, Pairs):
        of = np.array([place[name] for name in found.names])
        a, b = of[found.a], of[found.b]
        columns = [found.low, found.high, found.p_value, found.p_adjusted, found.n_differing]
        columns.append(shown_sides(found, threshold))
    else:
        a, b = (np.array([place[getattr(d, side)] for d in found]) for side in "ab")
        sides = ({d.a: 1, d.b: -1, None: 0}[shown_better(d, threshold)] for d in found)
        rows = [
            (*ends(d.interval), d.p_value, d.p_adjusted, d.n_differing, side)
            for d, side in zip(found, sides, strict=True)
        ]
        columns = [np.array(column) for column in zip(*rows, strict=True)]
    first, second = np.minimum(a, b), np.maximum(a, b)
    size = min(len(names), most)
    kept = np.flatnonzero(second < size)
    position = first * size - first * (first + 1) // 2 + second - first - 1
    order = kept[np.argsort(position[kept], kind="stable")]
    if order.size != size * (size - 1) // 2 or (np.diff(position[order]) != 1).any():
        return None
    low, high, p, adjusted, differing, shown = (column[order] for column in columns)
    return low, high, p, adjusted, differing, shown, (a > b)[order]


def _single(values: Array, marks: Sequence[float]) -> Array:
    """Return numbers in single precision, rounded so that none reaches or crosses a mark."""
    single: Array = values.astype(np.float32)
    for mark in marks:
        limit = np.float32(mark)
        above, below = np.nextafter(limit, np.float32(np.inf)), np.nextafter(limit, np.float32(-np.inf))
        single = np.where(values > mark, np.maximum(single, above), single)
        single = np.where(values < mark, np.minimum(single, below), single)
        single = np.where(values == mark, limit, single)
    return single


def _packed(values: Array, kind: str) -> str:
    with np.errstate(under="ignore"):
        return base64.b64encode(np.ascontiguousarray(values.astype(kind)).tobytes()).decode("ascii")
