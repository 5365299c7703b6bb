"""A test that the user gives as a function, in plans that simulate studies."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import FloatArray
from bestby.vocabulary import allowed_names

OwnTest: TypeAlias = Callable[[FloatArray, FloatArray], Any]
"""Takes the scores of the two systems, of shapes (n,) and (m,), and returns a p-value."""


def checked_test(test: Any, design: str) -> None:
    """Refuse what is neither the name of a test of a design nor a function."""
    if not callable(test):
        checks.choice(test, allowed_names("test", design), "test")


def p_value_of(test: OwnTest, x: FloatArray, y: FloatArray) -> float:
    """Return the p-value of a function of two samples; 1 where it is NaN, which convinces nobody.

    >>> p_value_of(lambda x, y: 0.25, np.zeros(3), np.ones(3))
    0.25
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of a few odd studies among thousands
        returned = np.asarray(test(x, y))
    if returned.size != 1 or returned.dtype.kind not in "biuf":
        raise InvalidInputError(
            f"{name_of(test)} must return a p-value, got {quoted(returned.tolist())}",
            hint="for example test=lambda a, b: scipy.stats.ttest_ind(a, b).pvalue",
            argument="test",
        )
    p = float(returned.reshape(()))
    if np.isnan(p):
        return 1.0
    if not 0.0 <= p <= 1.0:
        raise InvalidInputError(
            f"{name_of(test)} must return a p-value between 0 and 1, got {p:g}", argument="test"
        )
    return p


def name_of(test: str | OwnTest) -> str:
    """Return the name of a test, or what to call a function."""
    return test if isinstance(test, str) else f"the function {getattr(test, '__name__', 'given')}"
