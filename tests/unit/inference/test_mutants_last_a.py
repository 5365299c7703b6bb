"""What changes of the code showed to be untested: names of arguments, small types and large means."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

import bestby as bb
from bestby._core.errors import InvalidInputError
from bestby._core.typing import ArrayLike, FloatArray
from bestby.inference import crossvalidation as cv
from bestby.inference.normality import _modified

HALVES = np.array([[100, -100], [-50, 100], [100, 75], [0, -100], [25, -125]])
"""Whole numbers of eight bits, whose gaps and squares are not."""


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cv.corrected_t([1.0, 2.0], 0.5, "up"), "alternative must be one of"),  # type: ignore[arg-type]
        (lambda: cv.five_by_two_t(HALVES, "up"), "alternative must be one of"),  # type: ignore[arg-type]
        (lambda: cv.corrected_interval([1.0, 2.0], 0.5, 1.5), "level must lie strictly between 0 and 1"),
        (lambda: cv.corrected_t([[1.0], [2.0, 3.0]], 0.5), "differences "),
        (lambda: cv.five_by_two_t([[1.0], [2.0, 3.0]]), "differences "),
        (lambda: bb.normality([1.0, 2.0, 4.0], n_resamples=0), "n_resamples must be a whole number"),
        (lambda: bb.normality([[1.0, 2.0], [2.0, 4.0]]), "values must be"),
    ],
)
def test_messages_begin_with_the_name_of_the_argument(call: Callable[[], object], message: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        call()
    assert caught.value.message.startswith(message)


@pytest.mark.parametrize("dtype", [np.int8, np.float16, np.float32])
@pytest.mark.parametrize(
    "test",
    [
        lambda d: cv.corrected_t(d, 1.0),
        lambda d: cv.corrected_interval(d, 1.0),
        cv.five_by_two_t,
        cv.five_by_two_f,
    ],
)
def test_differences_of_a_small_type_are_computed_in_doubles(
    test: Callable[[ArrayLike], object], dtype: type[np.generic]
) -> None:
    small = HALVES.astype(dtype) if dtype is np.int8 else (HALVES / 300.0).astype(dtype)
    assert test(small) == test(small.astype(np.float64))


def test_zeros_have_no_distribution() -> None:
    with pytest.raises(InvalidInputError, match="all 4 values are equal"):
        bb.normality([0.0, -0.0, 0.0, 0.0], n_resamples=9)


def test_a_large_mean_costs_no_digit() -> None:
    """Odd whole numbers of 53 bits are doubles; above twice as much there are even ones only."""
    x = np.array([1.0, 4.0, 9.0, 16.0, 4097.0, 4104.0, 5003.0, 6001.0, 9001.0])
    plain, far = (bb.normality(place + x, n_resamples=9) for place in (0.0, 2.0**52))
    assert far.std == pytest.approx(float(np.std(x, ddof=1)), rel=1e-12)
    assert far.skewness == pytest.approx(float(stats.skew(x)), rel=1e-12)
    for test in plain.tests:
        assert far[test.name].statistic == pytest.approx(test.statistic, rel=1e-9)


@pytest.mark.parametrize(
    ("n", "of_a", "of_d"),
    [
        (4, 1.0 + 0.1875 + 0.140625, 2.0 - 0.01 + 0.425),
        (100, 1.0 + 0.0075 + 0.000225, 10.0 - 0.01 + 0.085),
    ],
)
def test_modifications_of_stephens_by_hand(n: int, of_a: float, of_d: float) -> None:
    """Without them p changes above 200 values only, where another n is simulated."""
    x = np.sort(np.random.default_rng(n).normal(size=n))
    z: FloatArray = ((x - x.mean()) / x.std(ddof=1))[None, :]
    found = bb.normality(x, n_resamples=9)
    expected = [of_a * found["anderson-darling"].statistic, of_d * found["lilliefors"].statistic]
    assert _modified(z)[:, 0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("n", [10, 20, 30, 70, 110])
def test_a_tenth_of_ties_is_noted(n: int) -> None:
    x = np.append(np.arange(n - n // 10) ** 1.1, np.zeros(n // 10))
    assert "ties" in [note.code for note in bb.normality(x, n_resamples=9).notes]


@pytest.mark.parametrize(("n", "said"), [(3, ["3 values"]), (5001, ["5001 values", "5000 values"])])
def test_notes_say_how_many_values(n: int, said: list[str]) -> None:
    notes = bb.normality(stats.norm.ppf((np.arange(n) + 0.5) / n), n_resamples=9).notes
    assert all(words in note.message for words, note in zip(said, notes, strict=True))
