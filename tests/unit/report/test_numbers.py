"""Rounding by the standard error, and p-values that say no more and no less than they know."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestby.inference.multiplicity import rejects
from bestby.report.numbers import Rounding, alpha, half_width, p_clause, p_text
from bestby.results.values import Interval


def between(low: float, high: float, level: float = 0.95) -> Interval:
    return Interval(low, high, level, "bca", False)


def test_half_the_width_or_the_distance_of_the_only_end() -> None:
    assert half_width(0.0, between(-1.5, 2.5)) == 2.0


def test_one_infinite_end_leaves_the_other_to_say_how_large_the_error_is() -> None:
    assert half_width(1.0, between(-0.5, math.inf)) == 1.5
    assert math.isnan(half_width(1.0, between(-math.inf, math.inf)))
    assert math.isnan(half_width(1.0, None))


@pytest.mark.parametrize(
    ("half_width", "decimals"),
    [(0.035, 3), (0.0035, 4), (0.35, 2), (3.5, 1), (35.0, 0), (35_000.0, 0), (3.5e-10, 11)],
)
def test_the_second_digit_of_half_the_width_is_the_last_shown(half_width: float, decimals: int) -> None:
    assert Rounding.of([(0.0, between(-half_width, half_width))]) == Rounding(decimals)


def test_a_column_gets_the_digits_of_its_shortest_interval_but_one_odd_row_does_not_rule_it() -> None:
    usual = [(0.0, between(-0.035, 0.035))] * 3
    assert Rounding.of([*usual, (0.0, between(-0.0035, 0.0035))]) == Rounding(4)
    assert Rounding.of([*usual, (0.0, between(-3.5e-7, 3.5e-7))]) == Rounding(4)


def test_without_any_error_four_digits_of_the_largest_are_shown() -> None:
    nothing = between(0.0, 0.0)
    assert Rounding.of([]) == Rounding(3)
    assert Rounding.of([(0.0, nothing)]) == Rounding(3)
    assert Rounding.of([(0.5, between(0.5, 0.5))]).text(0.5) == "0.5000"
    assert Rounding.of([(41.23, between(math.nan, math.nan))]).text(41.23) == "41.23"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0596, "0.060"),
        (-0.0251, "−0.025"),
        (-0.0004, "−0.0004"),
        (0.0004, "0.0004"),
        (0.0006, "0.001"),
        (0.00002, "0.00002"),
        (0.000002, "2e-6"),
        (-2.7e-12, "−3e-12"),
        (-0.0, "0.000"),
        (math.nan, "–"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
        (1234.5, "1234.500"),
    ],
)
def test_text_of_a_number(value: float, text: str) -> None:
    assert Rounding(3).text(value) == text


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (-0.000002, 0.146073, "[−2e-6, 0.146]"),
        (-0.0002, 0.146073, "[−0.0002, 0.1461]"),
        (-3e-12, 0.1, "[−3e-12, 0.100]"),
        (0.3000002, 0.35, "[0.3000002, 0.350]"),
    ],
)
def test_an_end_close_to_0_or_the_margin_does_not_lengthen_the_other(
    low: float, high: float, text: str
) -> None:
    assert Rounding(3, (-0.3, 0.3)).interval(between(low, high)) == text


def test_very_small_scales_are_written_as_powers_of_ten() -> None:
    assert Rounding(12).text(-3.21e-11) == "−3.2e-11"


def test_a_size_never_rounds_to_nothing() -> None:
    assert Rounding(3).size(-0.0003) == "0.0003"
    assert Rounding(3).size(0.0) == "0"
    assert Rounding(0).size(0.2) == "0.2"


def test_infinite_ends_have_round_brackets() -> None:
    assert Rounding(2).interval(between(0.1, math.inf)) == "[0.10, ∞)"
    assert Rounding(2).interval(between(-math.inf, 0.1)) == "(−∞, 0.10]"
    assert Rounding(2).interval(None) == "–"


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (1.0, ">0.99"),
        (0.9999, ">0.99"),
        (0.994, "0.99"),
        (0.5774, "0.58"),
        (0.0402, "0.040"),
        (0.0103, "0.010"),
        (0.0013, "0.0013"),
        (0.0003, "0.0003"),
        (9.9e-5, "1e-4"),
        (3.1e-12, "3e-12"),
        (1e-15, "1e-15"),
        (9e-16, "<1e-15"),
        (0.0, "<1e-15"),
        (math.nan, "–"),
    ],
)
def test_p_values(p: float, text: str) -> None:
    assert p_text(p) == text


@pytest.mark.parametrize("p", [0.049996, 0.05, 0.0500004])
def test_a_p_value_is_never_rounded_across_the_level(p: float) -> None:
    assert (float(p_text(p, 0.05)) <= 0.05) == (p <= 0.05)


def test_p_clause_has_one_relation() -> None:
    assert p_clause(0.3, name="adjusted p") == "adjusted p = 0.30"
    assert p_clause(0.0) == "p < 1e-15"
    assert p_clause(0.998) == "p > 0.99"


def test_alpha_is_free_of_the_noise_of_the_subtraction() -> None:
    assert [alpha(level) for level in (0.9, 0.95, 0.99, 0.999)] == [0.1, 0.05, 0.01, 0.001]


# -- properties: what is printed says on which side a number lies -----------------------------------

scales = st.integers(-14, 12)
sizes = st.tuples(st.floats(-10.0, 10.0), scales).map(lambda pair: pair[0] * 10.0 ** pair[1])
margins = st.floats(1e-6, 10.0)


def read_back(text: str) -> float:
    return float(text.replace("−", "-"))


def side(value: float, mark: float) -> int:
    return (value > mark) - (value < mark)


def last_place(text: str) -> Decimal:
    """Return the value of one unit of the last digit that is printed."""
    exponent = Decimal(text.replace("−", "-")).as_tuple().exponent
    assert isinstance(exponent, int)
    return Decimal(1).scaleb(exponent)


@given(sizes, sizes, st.floats(-6, 3), margins, st.booleans())
def test_a_printed_interval_lies_where_the_interval_lies(
    centre: float, half: float, reach: float, margin: float, near: bool
) -> None:
    half = abs(half)
    if near:  # an end close to the margin
        centre = margin * (1.0 + 10.0**reach * 1e-4) + half
    low, high = centre - half, centre + half
    rounding = Rounding.of([(centre, between(low, high))], margin)
    ends = [read_back(text) for text in rounding.interval(between(low, high)).strip("[]").split(", ")]
    for end, shown in zip((low, high), ends, strict=True):
        assert [side(end, mark) for mark in (0.0, margin, -margin)] == [
            side(shown, mark) for mark in (0.0, margin, -margin)
        ]


@given(sizes, st.integers(0, 14), margins)
def test_a_printed_number_is_within_half_a_unit_of_its_last_place(
    value: float, decimals: int, margin: float
) -> None:
    text = Rounding(decimals, (-margin, margin)).text(value)
    assert abs(Decimal(text.replace("−", "-")) - Decimal(value)) <= last_place(text) / 2
    assert side(read_back(text), 0.0) == side(value, 0.0)
    assert text.startswith("−") == (value < 0.0)


@given(st.floats(1e-15, 1.0), st.sampled_from([0.05, 0.01, 0.1, 0.001]), st.floats(-15, 0), st.booleans())
def test_a_printed_p_value_lies_on_the_side_of_the_level(
    p: float, level: float, distance: float, above: bool
) -> None:
    for value in (p, min(1.0, level * (1.0 + (10.0**distance if above else -(10.0**distance) / 2)))):
        text = p_text(value, level)
        shown_above = text.startswith(">") or (not text.startswith("<") and float(text) > level)
        assert shown_above == (not rejects(value, level))
        assert len(text) <= 11


def test_scores_with_hardly_any_error_are_written_as_numbers() -> None:
    tiny = between(0.81234567 - 1e-9, 0.81234567 + 1e-9)
    assert Rounding.of([(0.81234567, tiny)]).text(0.81234567) == "0.81234567"
    equal = between(0.75, math.nextafter(0.75, 1.0))
    assert Rounding.of([(0.75, equal)]).text(0.75) == "0.7500"
    assert Rounding.of([(3.1e-12, between(3.0e-12, 3.2e-12))]).text(3.1e-12) == "3.10e-12"
    assert Rounding.of([(2e20, between(1e20, 3e20))]).text(2e20) == "2.00000e20"


def test_p_values_a_rounding_error_from_the_level() -> None:
    assert p_text(0.05 * (1.0 + 1e-15), 0.05) == "0.050"
    assert p_text(0.05 * (1.0 + 1e-9), 0.05) == ">0.05"
    assert p_clause(0.05 * (1.0 + 1e-9), 0.05) == "p > 0.05"


def test_a_number_on_the_margin_but_for_rounding_is_printed_short() -> None:
    digits = Rounding(3, (-0.3, 0.3))
    assert digits.text(0.8 - 0.5) == "0.300"
    assert digits.text(0.3001) == "0.3001"
