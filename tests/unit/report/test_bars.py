"""Intervals as bars of text."""

from __future__ import annotations

import math

import pytest

from bestby.report.writers.terminal import BAR, LINE, MARK, POINT, bars


def plain(*spans: tuple[float, float, float], marked: float | None = None) -> list[str]:
    drawn = bars(spans, marked)
    return [line.translate({ord(LINE): "-", ord(POINT): "o", ord(MARK): "|"}) for line in drawn]


def test_bars_have_one_scale_with_a_mark() -> None:
    lines = plain((1.0, 0.0, 2.0), (-1.0, -1.0, 0.0), (9.0, 8.0, 18.0), marked=0.0)
    assert lines == [" |o-", "o|", " |       -o---------"]
    assert all(len(line) <= BAR for line in lines)


def test_scores_have_no_mark_and_fill_the_scale() -> None:
    first, last = plain((0.5, 0.4, 0.6), (0.9, 0.8, 1.0))
    assert first.startswith("---o---")
    assert last.index("o") == 16
    assert len(last) == BAR


@pytest.mark.parametrize("marked", [None, 0.0])
def test_what_is_not_known_is_blank_and_no_scale_draws_nothing(marked: float | None) -> None:
    unknown = (0.2, math.nan, math.nan)
    assert bars([unknown], marked) == []
    assert bars([], marked) == []
    assert bars([(0.0, 0.0, 0.0)], marked) == []
    blank, _ = plain(unknown, (0.5, 0.1, 0.9), marked=marked)
    assert blank == ("" if marked is None else "|")


def test_an_end_beyond_all_numbers_reaches_the_end_of_the_scale() -> None:
    first, second = plain((1.0, -math.inf, 3.0), (2.0, 0.0, math.inf), marked=0.0)
    assert first == "|-----o" + "-" * 13
    assert len(second) == BAR
