"""Columns and tables: what a column shows, and when it is left out."""

from __future__ import annotations

from operator import itemgetter
from types import SimpleNamespace

import pytest

from bestby.report import column
from bestby.report.numbers import Rounding
from bestby.report.tables import Table, difference_columns
from bestby.results.values import Interval

INTERVAL = Interval(0.1, 0.25, 0.9, "t", True)
ENTRIES = [("b", 0.03, 2, INTERVAL), ("a", float("nan"), 1, None)]


def columns(applies: bool) -> list[column.Column]:
    return [
        column.name("system", itemgetter(0), baselines=("b", None)),
        column.p_value("p", itemgetter(1), 0.95, applies=applies),
        column.count("won", lambda entry: (entry[2], 5), " of "),
        column.interval(0.9, Rounding(2), itemgetter(3)),
    ]


def test_cells_have_a_text_and_a_key() -> None:
    table = Table.of("caption", columns(applies=True), ENTRIES, lambda entry: entry[0] == "a")
    assert [one.header for one in table.columns] == ["system", "p", "won", "90 % interval"]
    first, second = table.rows
    assert [cell.text for cell in first.cells] == ["b (baseline)", "0.030", "2 of 5", "[0.10, 0.25]"]
    assert [cell.key for cell in first.cells] == ["b", 0.03, 2.0, 0.1]
    assert [cell.text for cell in second.cells] == ["a", "–", "1 of 5", "–"]
    assert (first.strong, second.strong) == (False, True)


def test_a_column_that_does_not_apply_is_left_out() -> None:
    table = Table.of("caption", columns(applies=False), ENTRIES)
    assert [one.header for one in table.columns] == ["system", "won", "90 % interval"]
    assert {len(row.cells) for row in table.rows} == {3}


def test_a_column_of_a_part() -> None:
    number = column.part(column.number("x", Rounding(1), itemgetter(1)), itemgetter("pair"))
    cell = number.cell({"pair": ("a", 0.25)})
    assert (cell.text, cell.key) == ("0.2", 0.25)


@pytest.mark.parametrize(("correction", "n"), [("none", 5), ("holm", 6)])
def test_differences_have_adjusted_p_values_after_a_correction(correction: str, n: int) -> None:
    result = SimpleNamespace(provenance=None)
    found = difference_columns(result, column.sides([]), column.Look(Rounding(2), 0.95, correction))
    assert sum(one.applies for one in found) == n
    assert found[-1].header == f"p ({correction})"


def test_sides_go_by_the_names_that_all_rows_share() -> None:
    pairs = [SimpleNamespace(a="B", b="A"), SimpleNamespace(a="C", b="A"), SimpleNamespace(a="C", b="B")]
    one, base, every = column.sides(pairs[:1]), column.sides(pairs[:2]), column.sides(pairs)
    assert (one.minus, one.columns) == ("B − A", ())
    assert (base.minus, [each.header for each in base.columns]) == ("system − A", ["system"])
    assert base.columns[0].cell(pairs[1]).text == "C"
    assert (every.minus, [each.header for each in every.columns]) == ("first − second", ["first", "second"])
    assert (every.one, base.one, one.one, one.other) == ("the first", "the system", "B", "A")
    best = column.sides(pairs[1:])
    assert (best.minus, best.columns[0].cell(pairs[2]).text) == ("C − system", "B")
    assert column.sides([]).minus == "first − second"
