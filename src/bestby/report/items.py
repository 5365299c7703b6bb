"""The items on which two systems differ, in words and as tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any

from bestby._core.text import counted, grouped
from bestby.report import column
from bestby.report.column import Cell, Column
from bestby.report.comparison import Comparison
from bestby.report.differing_items import Disagreement, Disagreements
from bestby.report.next_step import leading
from bestby.report.numbers import DASH, difference_text
from bestby.report.tables import Table
from bestby.results.base import MetricInfo

MOST_PAIRS = 30
"""Pairs whose items a page lists."""

_MOST_LETTERS = 400
"""Letters of a text in a cell; the rest is cut off, as tables are read by the row."""

_MOST_PRINTED = 20


def items_sentence(found: Disagreements) -> str:
    """Return on how many items two systems differ, and for which of them these speak."""
    of = counted(found.n_items, "item")
    text = f"{found.a} and {found.b} differ on {grouped(len(found))} of {of} in {found.metric}"
    return (
        f"{text}; {found.a} won {grouped(len(found.won))} and lost {grouped(len(found.lost))}."
        if len(found)
        else f"{text}."
    )


def items_text(found: Disagreements) -> str:
    """Return the sentence, and the first items in lines of their own."""
    lines = [items_sentence(found)]
    for row in found[:_MOST_PRINTED]:
        cluster = "" if row.cluster is None else f" (cluster {shown_value(row.cluster)})"
        gold = "" if row.gold is None else f"gold {shown_value(row.gold)}, "
        gave = f"{found.a} {shown_value(row.prediction_a)}, {found.b} {shown_value(row.prediction_b)}"
        lines.append(f"  {shown_value(row.item)}{cluster}: {gold}{gave}; effect {_effect(row.effect)}")
    if len(found) > _MOST_PRINTED:
        lines.append(f"  … and {grouped(len(found) - _MOST_PRINTED)} more")
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


def tables_of_items(
    c: Comparison, metric: MetricInfo, shown_pairs: Sequence[tuple[str, str]]
) -> tuple[Table, ...]:
    """Return per pair the items with the largest effects, as many of those won as of those lost if there are.

    The leading pair comes first.
    """
    first = leading(c, metric)
    pairs = sorted(shown_pairs, key=lambda pair: first is None or pair != (first.a, first.b))[:MOST_PAIRS]
    # Items that a page lists per metric, over all pairs
    most = 300 // max(1, len(pairs))
    return tuple(_item_table(c.disagreements(a, b, metric.name), most) for a, b in pairs)


def _item_table(found: Disagreements, most: int) -> Table:
    rows = best_of_both(found, most)
    some = "" if len(rows) == len(found) else f"; the {len(rows)} with the largest effects"
    table = Table.of(
        f"{items_sentence(found).removesuffix('.')}{some}", _item_columns(found, rows), rows, main=0
    )
    return replace(table, main=len(table.columns) - 1)


def best_of_both(found: Disagreements, most: int) -> list[Disagreement]:
    """Return the items with the largest effects, half of them won and half lost while there are such."""
    if len(found) <= most:
        return list(found)
    lost = min(len(found.lost), max(most // 2, most - len(found.won)))
    chosen = {id(row) for row in (*found.lost[:lost], *found.won[: most - lost])}
    chosen |= {id(row) for row in [one for one in found if one.winner is None][: most - len(chosen)]}
    return [row for row in found if id(row) in chosen]


def _item_columns(found: Disagreements, rows: Sequence[Disagreement]) -> list[Column]:
    def words(header: str, name: str, *, applies: bool = True) -> Column:
        return Column(
            header, lambda row: _words(getattr(row, name)), numeric=False, name=True, applies=applies
        )

    scored = any(row.score_a is not None for row in rows)
    return [
        words("item", "item"),
        column.text("for", attrgetter("winner")),
        words("gold", "gold", applies=any(row.gold is not None for row in rows)),
        words(found.a, "prediction_a"),
        words(found.b, "prediction_b"),
        words("cluster", "cluster", applies=any(row.cluster is not None for row in rows)),
        Column(f"score of {found.a}", lambda row: _number(row.score_a), applies=scored),
        Column(f"score of {found.b}", lambda row: _number(row.score_b), applies=scored),
        Column("effect", lambda row: _number(row.effect)),
    ]


def _words(value: Any) -> Cell:
    return Cell(shown_value(value), shown_value(value))


def _number(value: float | None) -> Cell:
    number = math.nan if value is None else value
    return Cell(_effect(number), number)


def _effect(value: float) -> str:
    return DASH if math.isnan(value) else difference_text(value)
