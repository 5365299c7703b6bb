"""Columns and tables: what a column shows, and when it is left out."""

from __future__ import annotations

from operator import itemgetter
from types import SimpleNamespace

import pytest

from bestby.report import column
from bestby.report.numbers import Rounding
from bestby.report.tables import difference_columns


def columns(applies: bool) -> list[column.Column]:
    return [
        column.name("system", itemgetter(0), baselines=("b", None)),
        column.p_value("p", itemgetter(1), 0.95, applies=applies),
        column.count("won", lambda entry: (entry[2], 5), " of "),
        column.interval(0.9, Rounding(2), itemgetter(3)),
    ]


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
