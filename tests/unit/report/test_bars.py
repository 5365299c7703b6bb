"""Intervals as bars of text."""

from __future__ import annotations

import math

import pytest

from bestby.report.bars import LINE, MARK, POINT, WIDTH, Bars
from bestby.results.values import Interval


def plain(bars: Bars) -> list[str]:
    return [line.translate({ord(LINE): "-", ord(POINT): "o", ord(MARK): "|"}) for line in bars.lines()]


def test_bars_have_one_scale_with_a_mark() -> None:
    bars = Bars(((1.0, 0.0, 2.0), (-1.0, -1.0, 0.0), (9.0, 8.0, 18.0)), marked=0.0)
    assert plain(bars) == [" |o-", "o|", " |       -o---------"]
    assert all(len(line) <= WIDTH for line in plain(bars))


def test_scores_have_no_mark_and_fill_the_scale() -> None:
    first, last = plain(Bars(((0.5, 0.4, 0.6), (0.9, 0.8, 1.0))))
    assert first.startswith("---o---")
    assert last.index("o") == 16
    assert len(last) == WIDTH


@pytest.mark.parametrize("marked", [None, 0.0])
def test_what_is_not_known_is_blank_and_no_scale_draws_nothing(marked: float | None) -> None:
    unknown = (0.2, math.nan, math.nan)
    assert Bars((unknown,), marked).lines() == []
    assert Bars((), marked).lines() == []
    assert Bars(((0.0, 0.0, 0.0),), marked).lines() == []
    blank, _ = plain(Bars((unknown, (0.5, 0.1, 0.9)), marked))
    assert blank == ("" if marked is None else "|")


def test_an_end_beyond_all_numbers_reaches_the_end_of_the_scale() -> None:
    first, second = plain(Bars(((1.0, -math.inf, 3.0), (2.0, 0.0, math.inf)), marked=0.0))
    assert first == "|-----o" + "-" * 13
    assert len(second) == WIDTH


def test_bars_are_made_of_estimates_and_intervals() -> None:
    bars = Bars.of([(0.5, Interval(0.1, 0.9, 0.95, "bca", False)), (0.2, None)], marked=0.0)
    assert bars.rows[0] == (0.5, 0.1, 0.9)
    assert all(map(math.isnan, bars.rows[1][1:]))
