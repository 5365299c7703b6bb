"""Metrics that are functions of all gold labels and predictions."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from bestby._core import checks, rounding
from bestby._core.errors import InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.typing import Array
from bestby.data.evaluation import Evaluation
from bestby.metrics.base import BaseMetric
from bestby.results.base import Note

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
    >>> metric = FunctionMetric(
    ...     lambda gold, predictions: float(np.mean(gold == predictions)), name="match"
    ... )
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

    def reading_notes(self, evaluation: Evaluation) -> list[Note]:
        """Return a note if its value depends on which of its arguments is the gold, and no name says which.

        It is called with the gold first. Nothing is said if its parameters are called so, as in
        ``(gold, predictions)``, or if it has the same value for every system with the two swapped.
        """
        gold, systems = evaluation.gold, evaluation.systems.values()
        names = _parameters(self.function)
        order = _order_by_names(names)
        if gold is None or evaluation.missing or order == "gold first":
            return []
        if not any(self._depends_on_order(gold, one, fails=order is not None) for one in systems):
            return []
        called = f"are named {' and '.join(names)}" if len(names) == 2 else "have no names that say so"
        message = (
            f"{self.name} is called with the gold first, but its parameters {called}, and it has other values"
            " with the two swapped: if it expects the predictions first, wrap it in a function of (gold,"
            " predictions); if not, call its parameters so"
        )
        return [Note("caution", message, (self.name,))]

    def _depends_on_order(self, gold: Array, predictions: Array, *, fails: bool) -> bool:
        """Return whether the value is another with the arguments swapped; `fails` is what a failure says."""
        try:
            value = self(gold, predictions)
        except Exception:  # the user's function may raise anything, which the comparison reports
            return False
        try:
            swapped = self(predictions, gold)
        except Exception:
            return fails
        if math.isnan(value) or math.isnan(swapped):
            return math.isnan(value) != math.isnan(swapped)
        return not rounding.level(value, swapped, abs(value))

    def __call__(self, gold: Any, predictions: Any) -> float:
        """Return the score on these items."""
        value = np.asarray(self.function(gold, predictions))
        if value.size != 1 or value.dtype.kind not in "biuf":
            raise InvalidInputError(
                f"metric {self.name!r} must return one number, got shape {value.shape} of {value.dtype}",
                hint="wrap it so that it averages over classes, for example with functools.partial",
            )
        return float(value.reshape(()))


def _parameters(function: Callable[..., Any]) -> list[str]:
    """Return the names of the first two parameters, those that stand for any number with their star."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # functions of C may have no signature
        return []
    return [str(one) if one.kind is one.VAR_POSITIONAL else one.name for one in parameters][:2]


def _order_by_names(names: Sequence[str]) -> Literal["gold first", "predictions first"] | None:
    """Return which of two parameters is the gold, judging by their names; None if these do not say.

    >>> _order_by_names(["y_pred", "y_true"]), _order_by_names(["g", "predictions"])
    ('predictions first', 'gold first')
    >>> _order_by_names(["x", "y"])
    """
    if len(names) < 2:
        return None
    first, second = names
    if _PREDICTIONS.match(first):
        return "predictions first" if _GOLD.match(second) else None
    gold = _GOLD.match(first) and first.lower() != "y"  # of (y, x) or (y, z) nobody knows
    return "gold first" if gold or _PREDICTIONS.match(second) else None


@with_suggestions
@dataclass(frozen=True)
class ScoreMetric:
    """Scores of one's own as a metric: their name, and whether higher ones are better.

    A name alone, ``metric="COMET"``, leaves the direction to a guess, which a note tells. What is compared is
    the mean of the scores.

    Parameters
    ----------
    name : str
        What the scores are called.
    greater_is_better : bool
        Whether higher scores are better.

    Raises
    ------
    InvalidInputError
        If a parameter cannot be used as given.

    See Also
    --------
    FunctionMetric : A function of gold and predictions, with its direction.

    Examples
    --------
    >>> from bestby import ScoreMetric, compare
    >>> times = {"new": [3.0, 2.5, 4.0, 3.1], "old": [4.0, 2.9, 4.4, 3.9]}
    >>> result = compare(times, metric=ScoreMetric("seconds", greater_is_better=False))
    >>> result.systems[0].system
    'new'
    """

    name: str
    greater_is_better: bool

    def __post_init__(self) -> None:
        checks.check_text(self.name, "name")
        checks.flag(self.greater_is_better, "greater_is_better")


def name_and_direction(metric: Any, greater_is_better: bool | None = None) -> tuple[Any, bool | None]:
    """Return the name of scores and their direction; another metric as it is, and what was said beside it."""
    if isinstance(metric, ScoreMetric):
        return metric.name, metric.greater_is_better
    return metric, greater_is_better
