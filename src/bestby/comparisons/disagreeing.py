"""The items on which two systems of a comparison differ, from its data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bestby._core.typing import Array
from bestby.data.evaluation import Evaluation
from bestby.engine.item_effects import ItemEffects, item_effects
from bestby.metrics.base import BaseMetric
from bestby.report.differing_items import Disagreement, Disagreements, Order


def disagreements(
    evaluation: Evaluation, metrics: Mapping[str, BaseMetric], metric: str, a: str, b: str, order: Order
) -> Disagreements:
    """Return the items on which A and B differ on a metric, in an order."""
    own = metrics[metric]
    found = item_effects(evaluation, own, a, b)
    sign = 1.0 if own.greater_is_better else -1.0
    rows = _rows(evaluation, found, a, b, sign)
    places = sorted(range(len(rows)), key=lambda place: _key(rows[place], a, b, order))
    return Disagreements(metric, a, b, tuple(rows[place] for place in places), evaluation.n_items)


def _key(row: Disagreement, a: str, b: str, order: Order) -> tuple[float, ...]:
    """Return what items are sorted by; equal ones stay in their order."""
    if order == "item":
        return ()
    size = 0.0 if math.isnan(row.effect) else -abs(row.effect)
    if order == "effect":
        return (size,)
    first, last = (a, b) if order == "won" else (b, a)
    return (0.0, size) if row.winner == first else (2.0, -size) if row.winner == last else (1.0, 0.0)


def _rows(evaluation: Evaluation, found: ItemEffects, a: str, b: str, sign: float) -> list[Disagreement]:
    places = found.positions
    columns = (
        places.tolist() if evaluation.items is None else _plain(evaluation.items[places]),
        _plain_values(evaluation.gold, places),
        _plain_values(evaluation.systems[a], places, evaluation.missing.get(a)),
        _plain_values(evaluation.systems[b], places, evaluation.missing.get(b)),
        found.effects.tolist(),
        [{1.0: a, -1.0: b}.get(side) for side in (sign * np.sign(found.effects)).tolist()],
        *([None] * places.size if found.scores is None else found.scores[s].tolist() for s in (0, 1)),
        _clusters(evaluation, places),
    )
    return [Disagreement(*row) for row in zip(*columns, strict=True)]


def _plain_values(values: Array | None, places: Array, absent: Array | None = None) -> Sequence[Any]:
    """Return values as plain ones, None where there are none or one was missing."""
    if values is None:
        return [None] * places.size
    plain = _plain(values[places])
    if absent is None:
        return plain
    return [None if gone else value for value, gone in zip(plain, absent[places].tolist(), strict=True)]


def _clusters(evaluation: Evaluation, places: Array) -> Sequence[Any]:
    first, second = _plain_values(evaluation.clusters, places), _plain_values(evaluation.crossed, places)
    return first if evaluation.crossed is None else list(zip(first, second, strict=True))


def _plain(values: Array) -> list[Any]:
    """Return values of Python; rows of numbers, such as probabilities, and sorted sets of labels as tuples.

    >>> _plain(np.array([[0.25, 0.75]])), _plain(np.array(["x"])), _plain(np.array([frozenset("yx")]))
    ([(0.25, 0.75)], ['x'], [('x', 'y')])
    """
    listed = values.tolist()
    if values.ndim > 1:
        return [tuple(row) for row in listed]
    return [tuple(sorted(one, key=str)) if isinstance(one, frozenset) else one for one in listed]
