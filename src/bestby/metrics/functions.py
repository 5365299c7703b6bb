"""Metrics that are functions of all gold labels and predictions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby.metrics.base import BaseMetric


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

    def __call__(self, gold: Any, predictions: Any) -> float:
        """Return the score on these items."""
        value = np.asarray(self.function(gold, predictions))
        if value.size != 1 or value.dtype.kind not in "biuf":
            raise InvalidInputError(
                f"metric {self.name!r} must return one number, got shape {value.shape} of {value.dtype}",
                hint="wrap it so that it averages over classes, for example with functools.partial",
            )
        return float(value.reshape(()))
