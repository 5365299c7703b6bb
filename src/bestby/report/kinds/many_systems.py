"""The numbers of all pairs of many systems, for a page on which they can be looked up."""

from __future__ import annotations

import base64
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from bestby._core.typing import Array
from bestby.comparisons.common.family import alpha_of, rejects, shown_better, shown_sides
from bestby.report import disagreements, summary
from bestby.report.numbers import MINUS, Rounding, ends, percent
from bestby.report.tables import differences_of, one_sided, score_rounding, systems_of
from bestby.report.words import computed
from bestby.results.base import MetricInfo
from bestby.results.comparison import Comparison, Difference
from bestby.results.pairs import Pairs

MOST_SEARCHED = 1000
"""Systems whose pairs a page holds: its size grows with their square."""


def embedded(c: Comparison, metric: MetricInfo, digits: Rounding) -> dict[str, Any] | None:
    """Return the numbers of the pairs of the systems as a page holds them, for JSON.

    Returns names and scores in rank order, and per pair of them, the better one first, base64 of
    little-endian arrays: the ends of the interval, the p-values (float32, more digits than a page shows), the
    number of items that differ (uint32), whether the test is significant (uint8), which of the two it shows
    to be better (int8: 1 the first, -1 the second), which mark the pair has (uint8: a key of "why", which has
    what marks mean, or 0) and, if tests are one-sided, whether it is the worse one minus the better one
    that was tested (uint8). Without intervals "level" is None, without tests "test" is.
    None with a baseline, and where not every pair was compared.
    """
    entries = systems_of(c, metric)
    differences = differences_of(c, metric)
    size, threshold = len(entries), alpha_of(c.level)
    if c.baseline is not None or len(differences) != size * (size - 1) // 2:
        return None
    columns = _square_order(differences, [entry.system for entry in entries], MOST_SEARCHED, threshold)
    if columns is None:
        return None
    low, high, p, adjusted, differing, shown, marked, flip = columns
    low, high = np.where(flip, -high, low), np.where(flip, -low, high)
    searched, test = entries[:MOST_SEARCHED], differences[0].test
    return {
        "metric": metric.name,
        "systems": [entry.system for entry in searched],
        "all": size,
        "scores": [entry.score for entry in searched],
        "ranks": [[entry.rank_low, entry.rank_high] for entry in searched],
        "digits": {"score": score_rounding(c, metric).decimals, "difference": digits.decimals},
        "level": percent(c.level) if computed(c, "interval") else None,
        "alpha": threshold,
        "minus": MINUS,
        "correction": c.correction,
        "test": None if test is None else summary.how_tested(test),
        "items": c.n_items,
        "marks": list(digits.marks),
        "low": _packed(_single(low, (0.0, *digits.marks)), "<f4"),
        "high": _packed(_single(high, (0.0, *digits.marks)), "<f4"),
        "p": _packed(_single(p, (threshold, 1.0)), "<f4"),
        "adjusted": _packed(_single(adjusted, (threshold, 1.0)), "<f4"),
        "differing": _packed(differing, "<u4"),
        "significant": _packed(rejects(adjusted, threshold), "u1"),
        "shown": _packed(np.where(flip, -shown, shown), "i1"),
        "marked": _packed(marked, "u1"),
        "why": _why(c, differences, threshold),
        **({"flip": _packed(flip, "u1")} if one_sided(differences) else {}),
    }


def _why(c: Comparison, differences: Sequence[Difference], threshold: float) -> dict[str, list[str]]:
    """Return per mark that occurs its sign, and the sentence on what it means."""
    codes = disagreements.codes(differences, threshold)
    found = {}
    for code in np.unique(codes[codes > 0]).tolist():
        kind = list(disagreements.Kind)[code - 1]
        example = differences[int(np.flatnonzero(codes == code)[0])]
        found[str(code)] = [kind.value, disagreements.reason(kind, [example], c)]
    return found


def _square_order(
    differences: Sequence[Difference], names: Sequence[str], most: int, threshold: float
) -> tuple[Array, Array, Array, Array, Array, Array, Array, Array] | None:
    """Return columns of the pairs of the first systems, in the order of a triangle, and which to mirror."""
    place = {name: position for position, name in enumerate(names)}
    if isinstance(differences, Pairs):
        places = np.array([place[name] for name in differences.names])
        a, b = places[differences.a], places[differences.b]
        numbers = differences.low, differences.high, differences.p_value, differences.p_adjusted
        columns: list[Array] = [*numbers, differences.n_differing, shown_sides(differences, threshold)]
    else:
        a, b = (np.array([place[getattr(d, side)] for d in differences]) for side in "ab")
        sides = ({d.a: 1, d.b: -1, None: 0}[shown_better(d, threshold)] for d in differences)
        rows = [
            (*ends(d.interval), *(_number(p) for p in (d.p_value, d.p_adjusted)), d.n_differing, side)
            for d, side in zip(differences, sides, strict=True)
        ]
        columns = [np.array(column) for column in zip(*rows, strict=True)]
    columns.append(disagreements.codes(differences, threshold))
    first, second = np.minimum(a, b), np.maximum(a, b)
    size = min(len(names), most)
    searched = np.flatnonzero(second < size)
    position = first * size - first * (first + 1) // 2 + second - first - 1
    order = searched[np.argsort(position[searched], kind="stable")]
    if order.size != size * (size - 1) // 2 or (np.diff(position[order]) != 1).any():
        return None
    low, high, p, adjusted, differing, shown, marked = (column[order] for column in columns)
    return low, high, p, adjusted, differing, shown, marked, (a > b)[order]


def _number(p: float | None) -> float:
    return math.nan if p is None else p


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
