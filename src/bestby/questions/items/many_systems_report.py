"""The numbers of all pairs of many systems, for a page on which they can be looked up."""

from __future__ import annotations

import base64
import json
import math
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from bestby._core.typing import Array, FloatArray, IntArray
from bestby.inference.multiplicity import alpha_at, rejects
from bestby.report import disagreements, words
from bestby.report.column import DIFFERENCE_HEADER, FIRST, SECOND
from bestby.report.comparison import Comparison, Difference
from bestby.report.numbers import MINUS, MOST_DECIMALS, Rounding, ends, p_text, percent
from bestby.report.pairs import Pairs, position_among_all
from bestby.report.tables import differences_of, one_sided, score_rounding, systems_of
from bestby.report.words import computed
from bestby.results.base import MetricInfo
from bestby.results.values import Interval

MOST_SEARCHED = 1000
"""Systems whose pairs a page holds: its size grows with their square."""


def embedded(c: Comparison, metric: MetricInfo, digits: Rounding) -> dict[str, Any] | None:
    """Return the numbers of the pairs of the systems as a page holds them, for JSON.

    Returns names and scores in rank order, and under "columns" per pair of them, the better one first, base64
    of deflated columns: the lower ends and the widths of the intervals in units of the last decimal, the
    p-values as positions in "p_texts", the number of items that differ, and flags. Their bits: 1, the test is
    significant; 2, tests are one-sided, and the worse one minus the better one was tested; 4 and 8, the
    winner, as 1 more than 0 (neither), 1 (the first) or -1 (the second); from 16, the mark of the
    pair, as a key of "why", which tells what marks mean, or 0. "others" has as texts, by the position of
    their pair, the intervals that need other decimals to show on which side of 0 or of the margin they end.
    Without intervals "level" is None, without tests "test" is.
    None with a baseline, and where not every pair was compared.
    """
    entries = systems_of(c, metric)
    differences = differences_of(c, metric)
    size, threshold = len(entries), alpha_at(c.level)
    if c.baseline is not None or len(differences) != size * (size - 1) // 2:
        return None
    columns = _square_order(differences, [entry.system for entry in entries], MOST_SEARCHED, threshold)
    if columns is None:
        return None
    low, high, p, adjusted, differing, shown, marked, flip = columns
    low, high = np.where(flip, -high, low), np.where(flip, -low, high)
    searched, test = entries[:MOST_SEARCHED], differences[0].test
    bounded = computed(c, "interval")
    units, others = _in_units(low, high, digits, c.level) if bounded else ((), {})
    codes, texts = _p_codes(np.concatenate([p, adjusted]), threshold)
    flags = rejects(adjusted, threshold) + 2 * flip + 4 * (np.where(flip, -shown, shown) + 1) + 16 * marked
    return {
        "metric": metric.name,
        "systems": [entry.system for entry in searched],
        "all": size,
        "scores": [entry.score for entry in searched],
        "ranks": [[entry.rank_low, entry.rank_high] for entry in searched],
        "digits": {"score": score_rounding(c, metric).decimals, "difference": digits.decimals},
        "level": percent(c.level) if bounded else None,
        "minus": MINUS,
        "correction": c.correction,
        "test": None if test is None else words.how_tested(test),
        "one_sided": one_sided(differences),
        "items": c.n_items,
        "heads": [FIRST, SECOND, DIFFERENCE_HEADER],
        "marks": list(digits.marks),
        "why": _why(c, differences, threshold),
        "p_texts": texts,
        "others": _deflated(json.dumps(others, ensure_ascii=False, separators=(",", ":")).encode()),
        "columns": {
            **dict(zip(("low", "width"), map(_column, units), strict=False)),
            "p": _column(codes[: p.size]),
            "adjusted": _column(codes[p.size :]),
            "differing": _column(differing),
            "flags": _column(flags),
        },
    }


def _in_units(
    low: FloatArray, high: FloatArray, digits: Rounding, level: float
) -> tuple[tuple[IntArray, IntArray], dict[str, str]]:
    """Return lower ends and widths in units of the last decimal, and as texts what such units do not show."""
    both, per_unit = np.stack([low, high]), 10.0**digits.decimals
    # Counts of units that 32 bits hold
    usable = np.isfinite(both) & (np.abs(both) * per_unit < 1 << 31)
    scaled = np.where(usable, both, 0.0) * per_unit
    units = np.rint(scaled).astype(np.int64)
    # Of the last digit: how near to a half a product is rounded by its decimal text, which no error touches
    for place in zip(*np.nonzero(np.abs(np.abs(scaled - units) - 0.5) < 1e-6), strict=True):
        units[place] = int(f"{both[place]:.{digits.decimals}f}".replace(".", ""))
    plain = usable.all(axis=0) & (digits.decimals <= MOST_DECIMALS)
    for mark in (0.0, *digits.marks):
        plain &= (np.sign(units / per_unit - mark) == np.sign(both - mark)).all(axis=0)
    others = {
        str(place): digits.interval(_interval(float(low[place]), float(high[place]), level))
        for place in np.flatnonzero(~plain).tolist()
    }
    units[:, ~plain] = 0
    return (units[0], units[1] - units[0]), others


def _interval(low: float, high: float, level: float) -> Interval | None:
    return None if math.isnan(low) else Interval(low, high, level, "", True)


def _p_codes(p: FloatArray, threshold: float) -> tuple[IntArray, list[str]]:
    """Return p-values as they are written, each text once, and the position of that of each."""
    distinct, place = np.unique(p, return_inverse=True)
    texts: dict[str, int] = {}
    codes = [texts.setdefault(p_text(one, threshold), len(texts)) for one in distinct.tolist()]
    return np.array(codes, dtype=np.int64)[place.reshape(-1)], list(texts)


def _column(values: IntArray) -> dict[str, Any]:
    """Return whole numbers as a page unpacks them: their size in bytes, and first the low bytes of all."""
    start = int(values.min(initial=0))
    from_zero = (values - start).astype("<u8")
    size = next(size for size in (1, 2, 4, 8) if int(from_zero.max(initial=0)) < 256**size)
    planes = from_zero.view(np.uint8).reshape(-1, 8)[:, :size].T
    return {"size": size, "start": start, "data": _deflated(np.ascontiguousarray(planes).tobytes())}


def _deflated(content: bytes) -> str:
    return base64.b64encode(zlib.compress(content, 9)).decode("ascii")


def _why(c: Comparison, differences: Sequence[Difference], threshold: float) -> dict[str, list[str]]:
    """Return per mark that occurs its sign, and the sentence on what it means."""
    codes = disagreements.codes(differences, threshold)
    reasons = {}
    for code in np.unique(codes[codes > 0]).tolist():
        kind = list(disagreements.Kind)[code - 1]
        example = differences[int(np.flatnonzero(codes == code)[0])]
        reasons[str(code)] = [kind.value, disagreements.reason(kind, [example], c)]
    return reasons


def _square_order(
    differences: Sequence[Difference], names: Sequence[str], most: int, threshold: float
) -> tuple[Array, Array, Array, Array, Array, Array, Array, Array] | None:
    """Return columns of the pairs of the first systems, in the order of a triangle, and which to mirror."""
    place = {name: position for position, name in enumerate(names)}
    if isinstance(differences, Pairs):
        places = np.array([place[name] for name in differences.names])
        a, b = places[differences.a], places[differences.b]
        numbers = differences.low, differences.high, differences.p_value, differences.p_adjusted
        columns: list[Array] = [*numbers, differences.n_differing, differences.sides]
    else:
        a, b = (np.array([place[getattr(d, side)] for d in differences]) for side in "ab")
        sides = ({d.a: 1, d.b: -1, None: 0}[d.winner] for d in differences)
        rows = [
            (*ends(d.interval), *(_number(p) for p in (d.p_value, d.p_adjusted)), d.n_differing, side)
            for d, side in zip(differences, sides, strict=True)
        ]
        columns = [np.array(column) for column in zip(*rows, strict=True)]
    columns.append(disagreements.codes(differences, threshold))
    first, second = np.minimum(a, b), np.maximum(a, b)
    size = min(len(names), most)
    searched = np.flatnonzero(second < size)
    position = position_among_all(first, second, size)
    order = searched[np.argsort(position[searched], kind="stable")]
    if order.size != size * (size - 1) // 2 or (np.diff(position[order]) != 1).any():
        return None
    low, high, p, adjusted, differing, shown, marked = (column[order] for column in columns)
    return low, high, p, adjusted, differing, shown, marked, (a > b)[order]


def _number(p: float | None) -> float:
    return math.nan if p is None else p
