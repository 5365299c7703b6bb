"""Checks: what they take, what they return, and the text of what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bestby import InvalidInputError, MissingExtraError
from bestby._core import checks


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


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1.0, np.nan], "gold must be finite, got nan at position 1 (1 of 2 values)"),
        (np.array([1, None], dtype=object), "gold has a missing value at position 1"),
        (["a", 1.5], "gold mixes values of the types float, str"),
        ([[1, 2], [3, 4]], "gold must be one-dimensional, got shape (2, 2)"),
        (7, "gold must be a one-dimensional sequence of values, got int: a int is not a sequence"),
        (
            np.array(["2020-01-01"], dtype="M8[D]"),
            "gold must hold labels or numbers, got values of type datetime64[D]",
        ),
        ([{"x": 1}, {"x": 2}], "gold mixes values of the types dict"),
    ],
)
def test_columns_that_are_refused(values: Any, message: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        checks.column(values, "gold")
    assert caught.value.message == message


def test_scalars() -> None:
    for bad in (0, 1, -0.1, 95, float("nan")):
        with pytest.raises(InvalidInputError, match="level must lie strictly between 0 and 1, got"):
            checks.probability(bad, "level")
    for bad in (0, -3, True, 2.0, "3"):
        with pytest.raises(InvalidInputError, match="n_jobs must be a whole number of at least 1, got"):
            checks.positive_int(bad, "n_jobs")  # type: ignore[arg-type]
    assert checks.positive_int(np.int64(4), "n_jobs") == 4
    with pytest.raises(InvalidInputError, match=r"^what must be one of a, b, got 'c'$"):
        checks.choice("c", ("a", "b"), "what")
    for bad, message in (
        ([0.5, 1.1], "p_values must lie in [0, 1], got 1.1 at position 1"),
        ([float("nan")], "p_values must lie in [0, 1], got nan at position 0"),
        ([[0.5]], "p_values must be one-dimensional, got shape (1, 1)"),
    ):
        with pytest.raises(InvalidInputError) as caught:
            checks.p_values(bad)
        assert caught.value.message == message


def test_a_missing_extra_names_the_line_to_type() -> None:
    error = MissingExtraError("pandas", "frames")
    assert isinstance(error, ImportError)
    assert str(error) == "pandas is not installed\nhint: pip install 'bestby[frames]'"
