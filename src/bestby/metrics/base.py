"""What a metric is: three protocols, fastest first, with the same results."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeAlias

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.text import visible
from bestby._core.typing import Array, BoolArray, FloatArray, IntArray, ScorePath

if TYPE_CHECKING:
    from bestby.data.evaluation import Evaluation
    from bestby.results.base import Note


class BaseMetric(ABC):
    """The attributes of every metric.

    Attributes
    ----------
    name : str
        The one spelling used in results, on the command line and in columns.
    greater_is_better : bool
        The direction.
    bounds : tuple of float
        The least and the greatest value the score can take.
    needs_gold : bool
        Whether the metric compares predictions with gold.
    reads : {"labels", "numbers", "raw", "distributions", "objects"}
        What the methods are given. "labels": integer codes, positions in the sorted label set of gold
        and all systems, -1 for a missing prediction that counts as wrong. "numbers": floats. "raw": the
        values as the user gave them. "distributions": float arrays (n, K), a distribution over the
        classes per item, rows summing to 1; a hard label is the one-hot row of its class. "objects": the
        values as the reader made them (texts, lists, parses) in object arrays (n,).
    label_sets : bool
        For "objects": whether an item is a frozenset of labels, in whatever form the user has them.
    empty : object
        For "objects": the item that stands for a missing prediction, such as an empty text; None if there
        is none.
    caution : str or None
        What every reader of a result should know about the metric; a note of each result.
    packages : tuple of str
        The libraries that cut or match the items, by the names under which they are installed: the provenance
        of every result has their versions.
    """

    name: str
    greater_is_better: bool = True
    bounds: tuple[float, float] = (-np.inf, np.inf)
    needs_gold: ClassVar[bool] = True
    empty: ClassVar[Any] = None
    caution: str | None = None
    correlation: ClassVar[bool] = False
    packages: ClassVar[tuple[str, ...]] = ()
    reads: ClassVar[Literal["labels", "numbers", "raw", "distributions", "objects"]] = "numbers"
    label_sets: ClassVar[bool] = False
    ordered: ClassVar[bool] = False  # whether the positions of the classes count
    reads_trials: ClassVar[bool] = False  # whether items are pairs: how often they were tried, and right

    def __new__(cls, *arguments: Any, **keywords: Any) -> Self:
        """Refuse what Python would refuse, but say what to do."""
        absent = getattr(cls, "__abstractmethods__", ())
        if absent:
            raise InvalidInputError(
                f"{cls.__name__} is a class to derive metrics from: a subclass must define"
                f" {' and '.join(sorted(absent))}",
                hint="to compare scores that you have, name them: compare(scores, metric='COMET',"
                " greater_is_better=True)",
            )
        if (arguments or keywords) and cls.__init__ is object.__init__:
            raise InvalidInputError(
                f"{cls.__name__}() takes no arguments",
                hint="set name and greater_is_better in the class, or define __init__",
            )
        return super().__new__(cls)

    # What `help` shows of classes without an __init__, which take no arguments.
    __new__.__signature__ = Signature([Parameter("cls", Parameter.POSITIONAL_ONLY)])  # type: ignore[attr-defined]

    def fit(self, gold: Array | None, systems: Sequence[Array], labels: Array | None) -> Self:  # noqa: ARG002
        """Return the metric with everything fixed that must not vary between resamples.

        Called once, with the full data, before anything else.

        Parameters
        ----------
        gold : ndarray, shape (n,) or (n, K), or None
            The gold, as `reads` says.
        systems : sequence of ndarray, shape (n,) or (n, K)
            The predictions of every system.
        labels : ndarray, shape (K,), or None
            The sorted label set if `reads` is "labels"; the classes, in the order of the columns, if it is
            "distributions".

        Returns
        -------
        BaseMetric
            The fitted metric, `self` if there is nothing to fix.
        """
        return self

    def reading_notes(self, evaluation: Evaluation) -> Sequence[Note]:  # noqa: ARG002
        """Return notes on what the metric makes of these data that their owner may not expect.

        Called once by every comparison, before `fit`; what the metric would misread is refused here.

        Parameters
        ----------
        evaluation : Evaluation
            The gold and the systems as the user gave them.
        """
        return ()

    def __repr__(self) -> str:
        return f"<metric {visible(self.name)}>"


class Metric(BaseMetric):
    """A metric that is a function of sums over the items.

    Implement `statistics` and `score`; resampling, clusters, strata and intervals follow.

    Examples
    --------
    The mean error of forecasts, whose best value is not the greatest but which has a sign:

    >>> class MeanError(Metric):
    ...     name = "mean_error"
    ...
    ...     def statistics(self, gold, predictions):
    ...         return np.column_stack([predictions - gold, np.ones(gold.size)])
    ...
    ...     def score(self, totals):
    ...         return totals[..., 0] / totals[..., 1]
    >>> metric = MeanError()
    >>> rows = metric.statistics(np.array([1.0, 2.0]), np.array([1.5, 2.0]))
    >>> float(metric.score(rows.sum(axis=0)))
    0.25
    """

    @property
    def same_trials(self) -> bool:
        """Whether the gold alone says which items are `trials`, so that all systems have the same."""
        return False

    @abstractmethod
    def statistics(self, gold: Any, predictions: Any) -> FloatArray:
        """Return one row of sufficient statistics per item.

        A row may depend on nothing but its own item (and on what `fit` fixed).

        Parameters
        ----------
        gold : ndarray, shape (n,) or (n, K), or None
            The gold, as `reads` says; None for metrics that need none.
        predictions : ndarray, shape (n,) or (n, K)
            The predictions of one system.

        Returns
        -------
        ndarray, shape (n, k)
            The statistics, with the same k for every system.
        """

    @abstractmethod
    def score(self, totals: FloatArray) -> FloatArray:
        """Turn totals (sums of rows, weighted or not) into scores.

        Parameters
        ----------
        totals : ndarray, shape (..., k)
            Sums of the rows of `statistics`.

        Returns
        -------
        ndarray, shape (...)
            The scores; NaN where the score is undefined.
        """

    def trials(self, rows: FloatArray) -> tuple[FloatArray, FloatArray] | None:  # noqa: ARG002
        """Return successes and trials if the score is a share of some of the items, as recall is.

        Score intervals of proportions then apply: Wilson's, and Tango's for a difference if `same_trials`.

        Parameters
        ----------
        rows : ndarray, shape (R, k)
            Rows of `statistics`, or sums of such rows.

        Returns
        -------
        tuple of ndarray, shape (R,), or None
            The numbers of successes and of trials, 0 or 1 for an item; None, the default, if the score is no
            such share.
        """
        return None

    def possible_rows(self) -> FloatArray | None:
        """Return the rows of statistics that a single item can have, by what its gold may be.

        They bound how much an item that was not seen can change a difference, which verdicts of equivalence
        allow for. Extreme rows are enough.

        Returns
        -------
        ndarray, shape (golds, predictions, k), or None
            For each gold, the rows of predictions that two systems may make for it. None, the default:
            nothing bounds the rows, and systems that differ on few items are not shown to be equivalent.
        """
        return None

    def undefined(self, totals: FloatArray) -> str | None:  # noqa: ARG002
        """Return a sentence if some part of the score on `totals` is 0/0 and was counted as 0.

        Parameters
        ----------
        totals : ndarray, shape (k,)
            The sum of all rows.

        Returns
        -------
        str or None
            What was undefined.
        """
        return None


class StandardisedMetric(Metric):
    """A metric that stays the same when the numbers of a system are stretched, or also shifted.

    Its statistics are those of standard scores: each system's numbers less its own centre, divided by its own
    scale, which makes the sums accurate. `locations` holds both for each system and is set by `fit`, and
    `standard_column` is the column of the statistics that tells the standard scores. The permutation test
    swaps the numbers as they were given, and standard scores only if it is asked to: `on_scale` leads back
    from one to the other.
    """

    locations: tuple[tuple[float, float], ...] = ()
    standard_column: ClassVar[int] = 0

    @abstractmethod
    def standard_scores(self, column: FloatArray) -> FloatArray:
        """Return the standard scores (R,) from that column (R,) of the statistics of single items."""

    @abstractmethod
    def on_scale(self, rows: FloatArray, system: int, centre: float, scale: float) -> FloatArray:
        """Return the statistics of a system's numbers on a scale that other systems share.

        Parameters
        ----------
        rows : ndarray, shape (R, k)
            Rows of statistics of the standard scores, or sums of such rows.
        system : int
            Position of the system.
        centre, scale : float
            What becomes 0, and by what the distance from it is divided.

        Returns
        -------
        ndarray, shape (R, k)
            The rows as they would be, had the numbers been brought to that scale.
        """


class MeanMetric(Metric):
    """A metric that is the mean of one number per item.

    Its statistics are that number and 1; means have exact permutation and bootstrap distributions,
    which the engine uses. Implement `values`.

    See Also
    --------
    Metric : A function of several sums over the items.

    Examples
    --------
    >>> import bestby as bb
    >>> import numpy as np
    >>> class WithinOne(bb.MeanMetric):
    ...     name = "within_one"
    ...     bounds = (0.0, 1.0)
    ...
    ...     def values(self, gold, predictions):
    ...         return (np.abs(gold - predictions) <= 1.0).astype(float)
    >>> bb.evaluate([3, 5, 1, 4], [4, 5, 3, 4], metric=WithinOne()).systems[0].score
    0.75
    """

    binary: ClassVar[bool] = False
    """True if every value is 0 or 1."""

    @property
    def proportions(self) -> bool:
        """Whether values that are all 0 or 1 are answers, so that score intervals for proportions apply.

        Only the metric can say so: an absolute error may be 0 or 1 in one unit and 0 or 100 in another.
        """
        return self.binary or self.bounds == (0.0, 1.0)

    @abstractmethod
    def values(self, gold: Any, predictions: Any) -> FloatArray:
        """Return the number per item, shape (n,)."""

    def variance_within(self, predictions: Any) -> FloatArray | None:  # noqa: ARG002
        """Return the variance of each item's value that comes from sampling within the item, if there is any.

        Parameters
        ----------
        predictions : ndarray, shape (n,)
            The predictions of one system.

        Returns
        -------
        ndarray, shape (n,), or None
            The variances, NaN where they are unknown; None (the default) where an item is not a sample.
        """
        return None

    def statistics(self, gold: Any, predictions: Any) -> FloatArray:
        """Return the value of each item beside a 1."""
        values = np.asarray(self.values(gold, predictions), dtype=np.float64)
        return np.stack([values, np.ones(values.size)]).T

    def possible_rows(self) -> FloatArray | None:
        """Return the least and the greatest value beside a 1; None without bounds."""
        if not np.isfinite(self.bounds).all():
            return None
        return np.array([[[value, 1.0] for value in self.bounds]])

    def score(self, totals: FloatArray) -> FloatArray:
        """Return the mean."""
        return totals[..., 0] / totals[..., 1]


class WeightedMetric(BaseMetric):
    """A metric that is not a function of sums, but takes integer weights of the items after one sort.

    For ranks: `prepare` sorts once, `weighted` scores any number of resamples from their weights.

    See Also
    --------
    MeanMetric : The mean of one number per item, which is faster.

    Examples
    --------
    >>> import bestby as bb
    >>> import numpy as np
    >>> class MedianError(bb.WeightedMetric):
    ...     name = "median_error"
    ...     greater_is_better = False
    ...
    ...     def prepare(self, gold, predictions):
    ...         errors = np.abs(gold - predictions)
    ...         order = np.argsort(errors)
    ...         return order, errors[order]
    ...
    ...     def weighted(self, prepared, weights):
    ...         order, errors = prepared
    ...         counts = weights[:, order].cumsum(axis=1)
    ...         return errors[(counts >= (counts[:, -1:] + 1) // 2).argmax(axis=1)]
    >>> bb.evaluate([3, 5, 1, 4, 2], [4, 5, 3, 4, 6], metric=MedianError()).systems[
    ...     0
    ... ].score
    1.0
    """

    @abstractmethod
    def prepare(self, gold: Any, predictions: Any) -> Any:
        """Return what `weighted` needs: orders, groups of ties.

        Parameters
        ----------
        gold, predictions : ndarray, shape (n,)
            Gold and predictions of one system, as `reads` says.
        """

    @abstractmethod
    def weighted(self, prepared: Any, weights: Array) -> FloatArray:
        """Score resamples.

        Parameters
        ----------
        prepared : object
            From `prepare`.
        weights : ndarray of non-negative integers, shape (R, n)
            How often each item occurs in each resample, in the order given to `prepare`.

        Returns
        -------
        ndarray, shape (R,)
            The score of each resample; NaN where it is undefined.
        """

    def derivatives(self, prepared: Any) -> WeightDerivatives | None:  # noqa: ARG002
        """Return how the score responds to the weights of the items, for intervals by formula.

        Parameters
        ----------
        prepared : object
            From `prepare`.

        Returns
        -------
        WeightDerivatives or None
            The derivatives; None, the default, leaves the metric to the bootstrap.
        """
        return None

    def exchangeable(self, gold: Any, predictions: Any) -> Array:  # noqa: ARG002
        """Return the predictions on a shared scale, for "permutation-standardised"; unchanged by default."""
        return np.asarray(predictions)


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
    path : callable
        ``path(change)`` returns a function of multiples, of shape (R,): the scores, shape (R,), at the
        weights 1 plus each of the multiples times ``change``, of shape (n,); NaN where undefined.
    classes : ndarray of int, shape (n,), optional
        The class of each item, if the score is a mean over pairs of one item of each of two classes: each
        class then has a spread of its own.
    scarce : ndarray of bool, shape (n,), optional
        The items of the class without which the score is undefined, of two such classes the smaller one. If
        they are few, they do not show how much others would change the score, whatever their derivatives are.
    second_of_groups : callable, optional
        ``second_of_groups(of)`` returns the second derivatives by the common weight of the items of each
        group, shape (G,), where ``of``, of shape (n,), is the group of each item from 0. Without it, `path`
        is called once for each group.
    curvature : callable, optional
        Returns the sum of the second derivatives over all items, where that takes less time than each of
        them.
    light_paths : bool
        Whether paths hold a few numbers, so that those of many pairs of systems may be kept; False, the
        default, if they hold arrays of the items.

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
    path: Callable[[FloatArray], ScorePath]
    classes: IntArray | None = None
    scarce: BoolArray | None = None
    second_of_groups: Callable[[IntArray], FloatArray] | None = None
    curvature: Callable[[], float] | None = None
    light_paths: bool = False


Names: TypeAlias = dict[str, tuple[str, Callable[[str], BaseMetric]]]
"""Of each metric by its name: the description in the list of metrics, and what builds it from the name."""

Patterns: TypeAlias = dict[str, tuple[str, Callable[[str, str], BaseMetric]]]
"""Of ``name[LABEL]`` or ``name@PART``: the description, and what builds it from whole name and part."""
