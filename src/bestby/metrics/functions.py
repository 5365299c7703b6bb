"""Metrics that are functions of all gold labels and predictions."""

from __future__ import annotations

import copy
import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.typing import Array
from bestby.metrics.base import BaseMetric

_PREDICTIONS = re.compile(r"(y_?)?(pred|hat|hyp|output|system|candidate)", re.IGNORECASE)
_GOLD = re.compile(r"(y_?)?(gold|true|truth|targ|label|ref|actual)|y$", re.IGNORECASE)
"""How the names of parameters begin that hold predictions, and gold."""


_UNNAMED = (
    "the metric is a lambda, which tables can only call <lambda>: give it a name, with def, or as"
    " FunctionMetric(function, name=...)"
)


class FunctionMetric(BaseMetric):
    """Any function of gold and predictions that returns a number.

    Resampled by calling it on resampled items: as slow as the function is.

    Parameters
    ----------
    function : callable
        ``function(gold, predictions) -> float``; every scikit-learn metric is one.
    name : str, optional
        Defaults to the name of the function.
    greater_is_better : bool
        The direction.
    bounds : tuple of float
        The least and the greatest value.

    Examples
    --------
    >>> metric = FunctionMetric(lambda gold, predictions: float(np.mean(gold == predictions)), name="match")
    >>> metric(np.array([1, 0]), np.array([1, 1]))
    0.5
    """

    reads = "raw"

    @with_suggestions
    def __init__(
        self,
        function: Callable[[Any, Any], Any],
        name: str | None = None,
        *,
        greater_is_better: bool = True,
        bounds: tuple[float, float] = (-np.inf, np.inf),
    ) -> None:
        self.function = function
        self.name = name or str(getattr(function, "__name__", type(function).__name__))
        self.greater_is_better = greater_is_better
        self.bounds = bounds
        if self.name == "<lambda>":
            self.caution = _UNNAMED

    def fit(self, gold: Array | None, systems: Sequence[Array], labels: Array | None) -> Self:  # noqa: ARG002
        """Return the metric, with a caution if its parameters are named as if predictions came first.

        That is said only if the order matters: if some system has another value with gold and predictions
        swapped. Parameters are those of `BaseMetric.fit`.
        """
        names = None if gold is None else _swapped_names(self.function)
        if names is None or not any(self._depends_on_order(gold, predictions) for predictions in systems):
            return self
        fitted = copy.copy(self)
        fitted.caution = ("" if self.caution is None else f"{self.caution}; ") + (
            f"{self.name} is called with the gold first, but its parameters are named {names[0]} and"
            f" {names[1]}, and it has other values with the two swapped: if it expects the predictions first,"
            " wrap it in a function of gold and predictions"
        )
        return fitted

    def _depends_on_order(self, gold: Array | None, predictions: Array) -> bool:
        try:
            return self(gold, predictions) != self(predictions, gold)
        except Exception:  # the user's function may raise anything if its arguments are swapped
            return True

    def __call__(self, gold: Any, predictions: Any) -> float:
        """Return the score on these items."""
        value = np.asarray(self.function(gold, predictions))
        if value.size != 1 or value.dtype.kind not in "biuf":
            raise InvalidInputError(
                f"metric {self.name!r} must return one number, got shape {value.shape} of {value.dtype}",
                hint="wrap it so that it averages over classes, for example with functools.partial",
            )
        return float(value.reshape(()))


def _swapped_names(function: Callable[..., Any]) -> tuple[str, str] | None:
    """Return the names of the first two parameters if they say that predictions come before the gold.

    >>> _swapped_names(lambda y_pred, y_true: 0.0), _swapped_names(lambda gold, predictions: 0.0)
    (('y_pred', 'y_true'), None)
    """
    try:
        names = list(inspect.signature(function).parameters)[:2]
    except (TypeError, ValueError):  # functions of C may have no signature
        return None
    if len(names) == 2 and _PREDICTIONS.match(names[0]) and _GOLD.match(names[1]):
        return names[0], names[1]
    return None
