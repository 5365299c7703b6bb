"""How a score responds to the weights of the items."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bestby._core.typing import BoolArray, FloatArray, IntArray, ScorePath


class Paths:
    """`along` of `WeightDerivatives`, made of a function that returns the path of a change of the weights.

    Scores along one change are asked for several times, so its path is kept until there is another change.
    """

    def __init__(self, path: Callable[[FloatArray], ScorePath]) -> None:
        self._path = path
        self._last: tuple[FloatArray, ScorePath] | None = None

    def __call__(self, change: FloatArray, multiples: FloatArray) -> FloatArray:
        """Return the scores (R,) at the weights 1 plus multiples (R,) of a change (n,)."""
        last = self._last
        if last is None or last[0] is not change:
            last = self._last = change, self._path(change)
        return last[1](multiples)


@dataclass(frozen=True, eq=False)
class WeightDerivatives:
    """How a score responds to the weights of the items, at equal weights.

    Parameters
    ----------
    first : ndarray, shape (n,)
        The derivatives by the weight of each item, all weights being 1. The score must not change when all
        weights are multiplied: they then sum to 0.
    second : callable
        Returns the second derivatives by the weight of each item, shape (n,).
    along : callable
        ``along(change, multiples)`` returns the scores, shape (R,), at the weights 1 plus each of the
        ``multiples``, of shape (R,), times a ``change``, of shape (n,); NaN where undefined.
    classes : ndarray of int, shape (n,), optional
        The class of each item, if the score is a mean over pairs of one item of each of two classes: each
        class then has a spread of its own.
    scarce : ndarray of bool, shape (n,), optional
        The items of the class without which the score is undefined, of two such classes the smaller one. If
        they are few, they do not show how much others would change the score, whatever their derivatives are.
    second_of_groups : callable, optional
        ``second_of_groups(of)`` returns the second derivatives by the common weight of the items of each
        group, shape (G,), where ``of``, of shape (n,), is the group of each item from 0. Without it, `along`
        is called once for each group.
    curvature : callable, optional
        Returns the sum of the second derivatives over all items, where that takes less time than each of
        them.

    Examples
    --------
    Those of the area under a ROC curve are placements less the area, over the number of the class:

    >>> import numpy as np
    >>> from bestby.metrics.ranking import RocAuc
    >>> metric = RocAuc("roc_auc")
    >>> ranking = metric.prepare(np.array([0, 0, 1, 1]), np.array([0.1, 0.4, 0.4, 0.8]))
    >>> metric.derivatives(ranking).first
    array([ 0.0625, -0.0625, -0.0625,  0.0625])
    """

    first: FloatArray
    second: Callable[[], FloatArray]
    along: Callable[[FloatArray, FloatArray], FloatArray]
    classes: IntArray | None = None
    scarce: BoolArray | None = None
    second_of_groups: Callable[[IntArray], FloatArray] | None = None
    curvature: Callable[[], float] | None = None
