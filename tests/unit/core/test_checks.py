"""Checks: what they take, what they return, and the text of what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bestby._core import checks
from bestby.errors import InvalidInputError, MissingExtraError


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        ([1, 2], "i", [1, 2]),
        ((True, False), "b", [True, False]),
        (["a", "bc"], "U", ["a", "bc"]),
        (np.array(["a", "b"], dtype=object), "U", ["a", "b"]),
        (np.array([1, 2], dtype=object), "i", [1, 2]),
        (np.array([1, 2.5], dtype=object), "f", [1.0, 2.5]),
        (np.array([b"x", b"y"]), "U", ["x", "y"]),
        (np.float32([0.5, 1.5]), "f", [0.5, 1.5]),
        (np.array([[1], [2]]), "i", [1, 2]),
        (iter([1, 2]), "i", [1, 2]),
    ],
)
def test_columns_of_every_kind(values: Any, kind: str, expected: list[Any]) -> None:
    found = checks.column(values, "gold")
    assert (found.dtype.kind, found.tolist()) == (kind, expected)
    if kind == "f":
        assert found.dtype == np.float64


def test_a_missing_extra_names_the_line_to_type() -> None:
    error = MissingExtraError("pandas", "frames")
    assert isinstance(error, ImportError)
    assert str(error) == "pandas is not installed\nhint: pip install 'bestby[frames]'"


def test_bytes_are_utf8() -> None:
    assert checks.column(np.array(["é".encode(), b"z"]), "gold").tolist() == ["é", "z"]


@pytest.mark.parametrize(
    "value", ["0.9", b"1", None, 1j, np.complex128(1), [0.9], np.array([0.9]), 10**400, object()]
)
def test_what_is_no_number(value: Any) -> None:
    for check in (checks.number, checks.amount, checks.probability):
        with pytest.raises(InvalidInputError, match=r"^level must be a number, got "):
            check(value, "level")


def test_numbers_keep_their_value() -> None:
    for value in (0, 1, True, 0.25, np.float32(0.25), np.int8(3), np.array(2.0)):
        assert checks.number(value, "x") == value
        assert checks.amount(value, "x") == value
    assert checks.number(float("inf"), "x") == float("inf")
    assert checks.amount(1e75, "x") == 1e75
    for value in (1.1e75, -1e200, 1e-76):
        with pytest.raises(InvalidInputError, match="must be 0 or lie between 1e-75 and 1e\\+75 in size"):
            checks.amount(value, "x")


def test_flags() -> None:
    assert [checks.flag(value, "x") for value in (True, np.False_, 1, np.int64(0))] == [
        True,
        False,
        True,
        False,
    ]
    for value in (None, "yes", b"", 2, 0.0, [True]):
        with pytest.raises(InvalidInputError, match=r"x must be True or False"):
            checks.flag(value, "x")


def test_a_whole_number_has_an_end() -> None:
    assert checks.positive_int(2**63 - 1, "n") == 2**63 - 1
    with pytest.raises(InvalidInputError, match=r"n must be below 2\*\*63, got 9223372036854775808"):
        checks.positive_int(2**63, "n")


@pytest.mark.parametrize("text", ["0,858", "-1,5e3", ",5", "1,234.5", "1,234,567"])
def test_a_number_with_commas_is_named(text: str) -> None:
    told = checks.number_hint(text, "do that")
    assert told == f"if '{text}' is a number, write it with a decimal point and no comma; otherwise do that"


@pytest.mark.parametrize("text", ["cat", "yes, 5", ",", "", "01", "1_000"])
def test_other_texts_keep_their_hint(text: str) -> None:
    assert checks.number_hint(text, "choose other columns") == "choose other columns"
