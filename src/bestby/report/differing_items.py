"""The items on which two systems differ: what `Comparison.disagreements` returns, and how they are found."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from bestby._core.text import counted, grouped
from bestby._core.typing import Array
from bestby.report.numbers import DASH, difference_text

if TYPE_CHECKING:
    from bestby.data.evaluation import Evaluation
    from bestby.engine.item_effects import ItemEffects
    from bestby.metrics.base import BaseMetric

Order = Literal["effect", "won", "lost", "item"]

ORDERS: tuple[Order, ...] = ("effect", "won", "lost", "item")
"""The orders of the items: the largest effects first; those that A won, or lost, first; as they came."""

_MOST_LETTERS = 400
"""Letters of a text in a cell; the rest is cut off, as tables are read by the row."""

_MOST_PRINTED = 20


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An item on which two systems, A and B, differ.

    Parameters
    ----------
    item : str or int
        Its id; its position, from 0, where items have no ids.
    gold, prediction_a, prediction_b : object
        The gold and what the two systems gave, as they came in; the gold is None if there was none.
    effect : float
        What the item adds to the difference A minus B, on the scale of the metric: half of what the
        difference changes by if A and B exchange what they gave on this item. Of a mean over n items it is
        the difference of the two scores of the item over n, and the effects of all items sum to the
        difference. NaN where the metric is undefined after the exchange.
    winner : str or None
        The system that the item speaks for, whichever direction of the metric is better; None if for neither.
    score_a, score_b : float or None
        The scores of the item, where the metric is their mean; otherwise None.
    cluster : object
        The cluster of the item, both of two crossed groupings; None if there are none.

    See Also
    --------
    Disagreements : Holds one per item.
    """

    item: Any
    gold: Any
    prediction_a: Any
    prediction_b: Any
    effect: float
    winner: str | None
    score_a: float | None = None
    score_b: float | None = None
    cluster: Any = None


COLUMNS = tuple(one.name for one in fields(Disagreement))


@dataclass(frozen=True, slots=True, repr=False)
class Disagreements(Sequence[Disagreement]):
    """The items on which two systems differ, in an order.

    Parameters
    ----------
    metric, a, b : str
        The metric and the two systems.
    rows : tuple of Disagreement
        The items.
    n_items : int
        The number of all items, also of those on which the two do not differ.

    See Also
    --------
    Comparison.disagreements : Makes it.

    Examples
    --------
    >>> from bestby import compare
    >>> result = compare(
    ...     {"new": [1, 1, 1, 1, 0, 1], "old": [1, 0, 1, 0, 1, 1]},
    ...     gold=[1] * 6,
    ...     n_resamples=99,
    ... )
    >>> found = result.disagreements("new", "old", order="lost")
    >>> found
    <Disagreements: new and old differ on 3 of 6 items in accuracy; new won 2 and lost 1.>
    >>> [row.item for row in found], [row.item for row in found.lost]
    ([4, 1, 3], [4])
    """

    metric: str
    a: str
    b: str
    rows: tuple[Disagreement, ...]
    n_items: int

    @property
    def won(self) -> tuple[Disagreement, ...]:
        """The items that speak for A."""
        return tuple(row for row in self.rows if row.winner == self.a)

    @property
    def lost(self) -> tuple[Disagreement, ...]:
        """The items that speak for B."""
        return tuple(row for row in self.rows if row.winner == self.b)

    def to_frame(self, *, backend: str | None = None) -> Any:
        """Return a row per item as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            The library of the frame; by default the first of these that is installed.
        """
        from bestby.report import data

        columns = {name: [getattr(row, name) for row in self.rows] for name in COLUMNS}
        return data.frame(columns, backend)

    @overload
    def __getitem__(self, key: int) -> Disagreement: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[Disagreement, ...]: ...
    def __getitem__(self, key: int | slice) -> Disagreement | tuple[Disagreement, ...]:
        return self.rows[key]

    def __iter__(self) -> Iterator[Disagreement]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<Disagreements: {items_sentence(self)}>"

    def __str__(self) -> str:
        return items_text(self)


@dataclass(frozen=True, eq=False)
class ComparedItems:
    """The data of a comparison, which are asked for the items on which two of its systems differ.

    `metrics` are the metrics by the names that the comparison shows; `in_percent` are those shown in percent.
    `labels` are shown for names of systems and metrics.
    """

    evaluation: Evaluation
    metrics: Mapping[str, BaseMetric]
    in_percent: frozenset[str] = frozenset()
    labels: Mapping[str, str] = field(default_factory=dict)

    def shown_in_percent(self, names: Mapping[str, str]) -> ComparedItems:
        """Return these data for a comparison that shows some metrics in percent, by their new names."""
        metrics = {names.get(name, name): metric for name, metric in self.metrics.items()}
        return replace(self, metrics=metrics, in_percent=frozenset(names.values()))

    def called(self, labels: Mapping[str, str]) -> ComparedItems:
        """Return these data for a comparison that shows labels."""
        return replace(self, labels=labels)

    def disagreements(self, metric: str, a: str, b: str, order: Order) -> Disagreements:
        """Return the items on which A and B differ on a metric, in an order."""
        from bestby.engine.item_effects import item_effects

        names = {label: name for name, label in self.labels.items()}
        shown, (metric, a, b) = (metric, a, b), (names.get(name, name) for name in (metric, a, b))
        measure, evaluation = self.metrics[metric], self.evaluation
        if evaluation.with_gaps:
            items = np.arange(evaluation.n_rows) if evaluation.items is None else evaluation.items
            evaluation = replace(evaluation, items=items).complete([a, b])
        effects = item_effects(evaluation, measure, a, b)
        rows = _rows(evaluation, effects, a, b, 1.0 if measure.greater_is_better else -1.0)
        rows.sort(key=partial(_key, a=a, b=b, order=order))
        if metric in self.in_percent:
            rows = list(map(_in_percent, rows))
        if self.labels:
            rows = [replace(row, winner=self.labels.get(row.winner or "", row.winner)) for row in rows]
        return Disagreements(*shown, tuple(rows), evaluation.n_items)


def _in_percent(row: Disagreement) -> Disagreement:
    score_a, score_b = (None if score is None else 100.0 * score for score in (row.score_a, row.score_b))
    return replace(row, effect=100.0 * row.effect, score_a=score_a, score_b=score_b)


def _key(row: Disagreement, a: str, b: str, order: Order) -> tuple[float, ...]:
    """Return what items are sorted by; equal ones stay in their order."""
    if order == "item":
        return ()
    size = 0.0 if math.isnan(row.effect) else -abs(row.effect)
    if order == "effect":
        return (size,)
    first, last = (a, b) if order == "won" else (b, a)
    return (0.0, size) if row.winner == first else (2.0, -size) if row.winner == last else (1.0, 0.0)


def _rows(evaluation: Evaluation, effects: ItemEffects, a: str, b: str, sign: float) -> list[Disagreement]:
    places = effects.positions
    columns = (
        places.tolist() if evaluation.items is None else _plain(evaluation.items[places]),
        _plain_values(evaluation.gold, places),
        _plain_values(evaluation.systems[a], places, evaluation.missing.get(a)),
        _plain_values(evaluation.systems[b], places, evaluation.missing.get(b)),
        effects.effects.tolist(),
        [{1.0: a, -1.0: b}.get(side) for side in (sign * np.sign(effects.effects)).tolist()],
        *([None] * places.size if effects.scores is None else effects.scores[s].tolist() for s in (0, 1)),
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

    >>> (
    ...     _plain(np.array([[0.25, 0.75]])),
    ...     _plain(np.array(["x"])),
    ...     _plain(np.array([frozenset("yx")])),
    ... )
    ([(0.25, 0.75)], ['x'], [('x', 'y')])
    """
    listed = values.tolist()
    if values.ndim > 1:
        return [tuple(row) for row in listed]
    return [tuple(sorted(one, key=str)) if isinstance(one, frozenset) else one for one in listed]


def items_sentence(differing: Disagreements) -> str:
    """Return on how many items two systems differ, and for which of them these speak."""
    of = counted(differing.n_items, "item")
    text = (
        f"{differing.a} and {differing.b} differ on {grouped(len(differing))} of {of} in {differing.metric}"
    )
    return (
        f"{text}; {differing.a} won {grouped(len(differing.won))} and lost {grouped(len(differing.lost))}."
        if len(differing)
        else f"{text}."
    )


def items_text(differing: Disagreements) -> str:
    """Return the sentence, and the first items in lines of their own."""
    lines = [items_sentence(differing)]
    for row in differing[:_MOST_PRINTED]:
        cluster = "" if row.cluster is None else f" (cluster {shown_value(row.cluster)})"
        gold = "" if row.gold is None else f"gold {shown_value(row.gold)}, "
        gave = f"{differing.a} {shown_value(row.prediction_a)}, {differing.b} {shown_value(row.prediction_b)}"
        lines.append(f"  {shown_value(row.item)}{cluster}: {gold}{gave}; effect {effect_text(row.effect)}")
    if len(differing) > _MOST_PRINTED:
        lines.append(f"  … and {grouped(len(differing) - _MOST_PRINTED)} more")
    return "\n".join(lines)


def shown_value(value: Any) -> str:
    """Return a value as a cell shows it.

    >>> shown_value((0.12345, 0.87655)), shown_value(None), shown_value("a text")
    ('0.123, 0.877', '–', 'a text')
    """
    if value is None:
        return DASH
    if isinstance(value, tuple | list):
        text = ", ".join(f"{one:.3g}" if isinstance(one, float) else shown_value(one) for one in value)
    else:
        text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return text if len(text) <= _MOST_LETTERS else f"{text[:_MOST_LETTERS]}…"


def effect_text(value: float) -> str:
    """Return the effect of an item, a dash where it is undefined."""
    return DASH if math.isnan(value) else difference_text(value)
