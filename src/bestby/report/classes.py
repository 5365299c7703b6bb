"""The table of how often each class occurs in gold and predictions, which shows a collapsed classifier."""

from __future__ import annotations

from typing import Any

from bestby.report import column
from bestby.report.column import Cell, Column
from bestby.report.fields import attributes
from bestby.report.numbers import percent_of
from bestby.report.tables import Table
from bestby.results.values import ClassShares

CLASS_SHARE = attributes("system", "label", "share", "count")
GOLD = "gold"
_MOST_COLUMNS, _MOST_ROWS = 10, 30
"""Columns and rows up to which a page shows the table without being asked."""


def shares_table(shares: tuple[ClassShares, ...]) -> Table | None:
    """Return the table, or None without classes: a row per system and a column per class, or turned round."""
    if not shares:
        return None
    labels = shares[0].labels
    soft = shares[0].counts is None
    caption = "Mean probability of each class" if soft else "Items of each class"
    caption += " in the gold and in the predictions of each system"
    if len(labels) <= len(shares) or len(labels) <= _MOST_COLUMNS:
        columns = [column.name("system", lambda entry: entry.system or GOLD)]
        columns += [Column(label, _label_cell(place)) for place, label in enumerate(labels)]
        return Table.of(caption, columns, shares, lambda entry: entry.system is None, main=0)
    columns = [column.name("class", lambda place: labels[place])]
    columns += [Column(entry.system or GOLD, _system_cell(entry)) for entry in shares]
    return Table.of(caption, columns, range(len(labels)), lambda _: False, main=0)


def is_small(table: Table) -> bool:
    """Return whether a page shows the table without being asked."""
    return len(table.columns) <= _MOST_COLUMNS + 1 and len(table.rows) <= _MOST_ROWS


def _label_cell(place: int) -> Any:
    return lambda entry: _share_cell(entry, place)


def _system_cell(entry: ClassShares) -> Any:
    return lambda place: _share_cell(entry, place)


def _share_cell(entry: ClassShares, place: int) -> Cell:
    share = entry.shares[place]
    if entry.counts is None:
        return Cell(f"{share:.3f}", share)
    return Cell(f"{entry.counts[place]} ({percent_of(share)})", share)


def class_rows(c: Any) -> list[dict[str, Any]]:
    """Return one row per column of labels and class, with the columns `COLUMNS`; the gold has no system."""
    return [
        {"system": entry.system, "label": label, "share": share, "count": count}
        for entry in c.classes
        for label, share, count in zip(
            entry.labels, entry.shares, entry.counts or (None,) * len(entry.labels), strict=True
        )
    ]
