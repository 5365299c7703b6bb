"""What the engine offers for any metric: samples of scores and differences, and groups of systems."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from os import PathLike
from typing import ClassVar, Generic, NamedTuple, TypeVar

import numpy as np

from bestby._core import rounding
from bestby._core.cached import cached_property
from bestby._core.errors import InvalidInputError
from bestby._core.typing import Alternative, FloatArray, IntArray
from bestby.inference import skewness
from bestby.inference.clusters import StandardError, equal_units
from bestby.inference.influence import ALL_SHOWN, Expansion, Shown, shown
from bestby.inference.intervals import Moments
from bestby.inference.lattice import all_single, merged, weighted_sum
from bestby.inference.multiplicity import Spread
from bestby.metrics.base import BaseMetric, MeanMetric
from bestby.resampling import executing
from bestby.resampling.progress import Progress, shown_progress
from bestby.resampling.settings import Resampling
from bestby.resampling.settings import resample_size as size_of
from bestby.resampling.streams import seed_of
from bestby.resampling.units import Units
from bestby.results.values import TestResult

Pair = tuple[int, int]
"""Positions of two systems A and B."""

_FIRST_VALUES = 1024
"""Values that are looked at before all are."""

STANDARDISED = "permutation-standardised"
"""The permutation test that swaps ranks or standard scores, by its name in the results."""


@dataclass(frozen=True)
class Drawing:
    """How to resample: `n_resamples` times, from `seed`; threads and executors change no bit.

    `progress` is called with the number of resamples done and the number of all. `resample_size` is the units
    of a bootstrap resample, as a fraction or a number (m out of n), all by default; `rescale` multiplies the
    deviations of smaller resamples by the root of m / n, so that they vary as the score of all n does.
    The counts of texts are kept in the folder `cache`.
    """

    n_resamples: int
    seed: int
    n_jobs: int = 1
    progress: Progress | None = None
    resample_size: float | None = None
    rescale: bool = True
    executor: Executor | None = None
    cache: str | PathLike[str] | None = None

    @classmethod
    def of(cls, settings: Resampling) -> Drawing:
        """Return how to resample by the settings that a user gave; a seed is drawn if there is none."""
        assert settings.n_resamples is not None  # made by `combined`
        return cls(
            int(settings.n_resamples),
            seed_of(settings.rng),
            executing.n_threads(settings.n_jobs),
            shown_progress(settings.progress),
            size_of(settings.resample_size),
            bool(settings.rescale),
            settings.executor,
            settings.cache,
        )

    def draws(self, sizes: IntArray) -> IntArray:
        """Return how many units to draw from strata of these sizes, shape (H,): at least one from each."""
        if self.resample_size is None:
            return sizes
        n = int(sizes.sum())
        m = self.resample_size if isinstance(self.resample_size, int) else round(self.resample_size * n)
        if not 2 <= m <= n:
            raise InvalidInputError(
                f"a resample must have 2 to {n} units (items or clusters) here, got {m}",
                hint="a size is a number of units such as 200, or a fraction such as 0.2",
            )
        # A stratum that gave no unit would drop out of the score.
        drawn: IntArray = np.maximum(1, np.rint(sizes * (m / n))).astype(np.int64)
        return drawn

    def shares(self, sizes: IntArray) -> FloatArray:
        """Return which share of its units is drawn from each stratum, shape (H,); equal but for rounding."""
        shares: FloatArray = self.draws(sizes) / sizes
        return shares

    def subsampling(self, sizes: IntArray) -> bool:
        """Return whether resamples are smaller than the sample."""
        return self.resample_size is not None and bool((self.draws(sizes) < sizes).any())

    def contraction(self, sizes: IntArray) -> float:
        """Return by what deviations of replicates are multiplied: the root of m / n, or 1."""
        if not self.rescale:
            return 1.0
        return math.sqrt(int(self.draws(sizes).sum()) / int(sizes.sum()))


@dataclass(frozen=True, eq=False)
class Jackknife:
    """Scores without one unit (or one group of units) of each kind.

    `scores` has shape (C, S) and `counts` has shape (C,).
    """

    scores: FloatArray
    counts: IntArray
    bounds: IntArray


class LeftOut(NamedTuple):
    """A score or difference without one unit of each kind, shape (C,), how many these are, and the strata."""

    values: FloatArray
    counts: IntArray
    bounds: IntArray


class Squares(NamedTuple):
    """Sums over the units of statistics and of their squares, and how many units have one other than 0."""

    total: FloatArray
    squares: FloatArray
    nonzero: FloatArray


@dataclass(frozen=True, eq=False)
class Contributions:
    """A score or difference that is a plain mean of one number per unit.

    `values`, of shape (C,), are those of the distinct units, `counts` how many there are of each, and
    `bounds` where the strata begin. If every unit is one item, `single_items`, classical tests apply.
    """

    values: FloatArray
    counts: IntArray
    bounds: IntArray
    single_items: bool

    @cached_property
    def binary(self) -> bool:
        """Whether all values are 0 or 1."""
        few = self.values[:_FIRST_VALUES]  # mostly enough to tell that they are not
        return all(bool(((part == 0.0) | (part == 1.0)).all()) for part in (few, self.values))

    @cached_property
    def moments(self) -> Moments | None:
        """The moments of the values about the mean of their stratum; None if one is not finite."""
        return Moments.of(self.values, self.counts, self.bounds)

    @cached_property
    def total(self) -> float:
        """The sum of the values of all units."""
        return weighted_sum(self.values, None if all_single(self.counts) else self.counts)

    @cached_property
    def merged(self) -> tuple[FloatArray, IntArray]:
        """The distinct values with their counts, strata put together."""
        return merged(self.values, self.counts)


@dataclass(frozen=True, eq=False)
class Influences:
    """What the distinct units add to the scores of all systems on one metric, to first order.

    `values` has shape (C, S); `sizes` are the items of each unit, `counts` the units of each kind, and
    `bounds` where the strata begin.
    """

    values: FloatArray
    sizes: FloatArray
    counts: IntArray
    bounds: IntArray

    @property
    def spread(self) -> Spread | None:
        """How the scores of all systems vary together; None if an influence is not finite."""
        return Spread.from_influence(self.values, self.sizes, self.counts, self.bounds)


class Sample(ABC):
    """The score of one system, or the difference of two, on one metric: what intervals and tests are made of.

    What is computed of two systems is computed of these alone.
    """

    metric: BaseMetric
    units: Units
    crossed: ClassVar[bool] = False

    @property
    def in_blocks(self) -> bool:
        """Whether the bootstrap draws blocks of consecutive items."""
        return False

    @property
    def clustered(self) -> bool:
        """Whether units are clusters of items."""
        return False

    @property
    @abstractmethod
    def scores(self) -> FloatArray:
        """The scores on the full data, shape (1,) or (2,)."""

    @property
    def difference(self) -> bool:
        """Whether the sample is of a difference, and not of a score."""
        return self.scores.size == 2

    @cached_property
    def estimate(self) -> float:
        """The score, or the first one less the second."""
        return float(score_or_difference(self.scores))

    @property
    def scale(self) -> float:
        """The size of the scores, which rounding is relative to."""
        return float(np.abs(self.scores).max())

    # -- where two systems differ ------------------------------------------------------------------------

    @property
    @abstractmethod
    def differing(self) -> tuple[int, int]:
        """On how many items, and on how many units, the two systems differ."""

    @property
    def same_ranks(self) -> bool:
        """Whether a metric of ranks or standard scores has the same numbers of both systems on every item."""
        return False

    # -- means and shares --------------------------------------------------------------------------------

    @property
    def contributions(self) -> Contributions | None:
        """The score or difference as a plain mean; None if it is none."""
        return None

    @property
    def shares(self) -> Contributions | None:
        """The 0/1 values of the items that a share counts, such as recall; None if it is no share."""
        return None

    @property
    def equal_units(self) -> float | None:
        """How many units of equal size a mean or a share is made of, fewer if clusters are unequal.

        None for what is no mean or share of bounded values of the units.
        """
        return None

    # -- by formula --------------------------------------------------------------------------------------

    @property
    def standard_error(self) -> float | None:
        """The delta-method standard error (cluster-robust); None if there is no formula."""
        return None

    @property
    def degrees_of_freedom(self) -> float:
        """Those of the delta-method standard error; at least 1, where none is left the error is 0."""
        return max(1, self.units.n - self.units.n_strata)  # each stratum takes a mean of its own

    @property
    def error(self) -> StandardError | None:
        """A standard error that holds for few, unequal or crossed clusters; None if there is none."""
        return None

    @property
    def expansion(self) -> Expansion | None:
        """The score or difference to second order in the weights of units; None without a formula."""
        return None

    @property
    def influences(self) -> Influences | None:
        """What each unit adds to the score or difference, shape (C,); None if nothing tells it.

        Of two crossed groupings the units are those of the one with fewer groups.
        """
        return None

    @property
    def effective_units(self) -> float | None:
        """How many units of equal weight would carry the variance; None where the jackknife tells."""
        return None

    @property
    def scarce_units(self) -> int | None:
        """How many units have items of the class without which no score is defined; None if any is."""
        return None

    def robust_error(self, errors: float) -> StandardError | None:
        """Return a standard error that allows for skewed units (`bestby.inference.skewness.robust`).

        It is CR2's for clusters, else that of the delta method or, without one, of the jackknife. None of
        two crossed groupings and of blocks, which are no independent units, and where nothing tells what one
        adds.
        """
        if self.crossed or self.in_blocks:
            return None
        plain = self.contributions
        moments, effective = None if plain is None else plain.moments, None
        if moments is None or self.clustered:
            influences = self.influences
            if influences is None or not np.isfinite(influences.values).all():
                return None
            # Of clusters, what each adds as a whole; single items of a mean are known better by their own
            # values.
            moments = Moments.of(influences.values, influences.counts, influences.bounds)
            effective = equal_units(influences.sizes, influences.counts) if self.clustered else None
        se = None if self.clustered else self.standard_error
        error = self.error if se is None else StandardError(se, self.degrees_of_freedom)
        if error is None or not math.isfinite(error.se):
            return None
        return skewness.robust(error, moments, errors, effective)

    # -- by computing scores again -----------------------------------------------------------------------

    @abstractmethod
    def left_out(self, drawing: Drawing | None = None) -> LeftOut:
        """Return the score or difference without one unit, or one group of units, of each kind.

        The drawing says by how many jobs they are computed, and who is told of progress.
        """

    @property
    def moves_in_steps(self) -> bool:
        """Whether a score or difference is no smooth function of the weights of the units, as a median."""
        return False

    @abstractmethod
    def bootstrap(self, drawing: Drawing) -> FloatArray:
        """Return the scores on bootstrap resamples, shape (B, 1 or 2); NaN where undefined."""

    def pivots(self, drawing: Drawing) -> FloatArray | None:  # noqa: ARG002
        """Return studentized replicates (replicate minus estimate over its standard error), shape (B,)."""
        return None

    @abstractmethod
    def permutation(
        self, alternative: Alternative, drawing: Drawing, *, standardised: bool = False
    ) -> TestResult:
        """Return the paired permutation test of a difference, by all swaps where they can be counted.

        What the systems swap is what was given or, `standardised`, their ranks or standard scores; the latter
        only where the group `has_standardised_swaps`.
        """


def score_or_difference(values: Sequence[FloatArray] | FloatArray) -> FloatArray:
    """Return the values of the first system, or those less the second's, 0 where only last bits differ."""
    result = values[0] if len(values) == 1 else rounding.difference(values[0], values[1])
    return np.asarray(result, dtype=np.float64)


class Group(ABC):
    """One metric on one evaluation: its systems, how items make units, and a sample of each pair."""

    metric: BaseMetric
    n_systems: int
    units: Units

    crossed: ClassVar[bool] = False
    """Whether items come in two crossed groupings, of which the units are one."""

    gold_varies: ClassVar[bool] = False
    """Whether the bootstrap resamples the gold of each unit too, so that no formula for units holds."""

    in_batches: ClassVar[bool] = False
    """Whether items are read in batches, so that nothing tells what each of them adds."""

    has_formula: ClassVar[bool] = False
    """Whether scores and differences have a standard error by the delta method."""

    shares_draws: ClassVar[bool] = False
    """Whether all samples share the resamples of `bootstrap`, as these do not depend on the systems."""

    @property
    def in_blocks(self) -> bool:
        """Whether the bootstrap draws blocks of consecutive items; units are then blocks laid end to end."""
        return False

    @property
    def clustered(self) -> bool:
        """Whether units are clusters of items."""
        return False

    @property
    def few_units(self) -> bool:
        """Whether units are clusters, so few or so unequal that intervals must allow for it."""
        return False

    @property
    def has_robust_error(self) -> bool:
        """Whether samples have an `error`, if the score is defined without each unit."""
        return False

    @property
    def has_standardised_swaps(self) -> bool:
        """Whether the metric stays the same when the numbers of a system are shifted or stretched."""
        return False

    @property
    def n_units(self) -> int:
        """The number of items or clusters."""
        return self.units.n

    @property
    def n_strata(self) -> int:
        """The blocks the units come in; 1 without strata."""
        return self.units.n_strata

    @property
    def stratum_sizes(self) -> IntArray:
        """The number of units in each stratum, shape (H,)."""
        return self.units.sizes

    def shown(self, drawing: Drawing | None = None) -> Shown:
        """Return which share of the variance inside strata is seen, by resamples of all units unless told.

        Smaller resamples that are not rescaled vary more than all units do: of n units in a stratum, n - 1
        that are drawn have all of their variance.
        """
        if self.in_blocks or self.crossed:
            return ALL_SHOWN
        sizes = self.stratum_sizes
        shares = shown(sizes)
        wide = drawing is not None and not drawing.rescale and drawing.subsampling(sizes)
        return shares._replace(by_resamples=shares.by_formula) if wide else shares

    @abstractmethod
    def sample(self, a: int, b: int | None = None) -> Sample:
        """Return the sample of the score of A, or of the difference A minus B."""

    def every_unit(self, what: str) -> None:  # noqa: B027
        """Refuse what needs every unit at hand, should they not be; they are by default."""

    def are_answers(self, systems: Iterable[int]) -> bool:
        """Return whether all scores of systems are 0/1 values of single items, and answers to the metric."""
        if not isinstance(self.metric, MeanMetric) or not self.metric.proportions:
            return False
        contributions = (self.sample(int(system)).contributions for system in systems)
        return all(one is not None and one.single_items and one.binary for one in contributions)

    # -- all systems together ----------------------------------------------------------------------------

    @property
    @abstractmethod
    def scores(self) -> FloatArray:
        """The scores on the full data, shape (S,)."""

    @abstractmethod
    def bootstrap(self, drawing: Drawing) -> FloatArray:
        """Return the scores of all systems on the same resamples, shape (B, S); NaN where undefined."""

    @abstractmethod
    def jackknife(self, drawing: Drawing | None = None) -> Jackknife:
        """Return the leave-one-out scores (leave-a-group-out for metrics that are not sums).

        The drawing says by how many jobs they are computed, and who is told of progress.
        """

    def numbers(self, system: int) -> FloatArray | None:  # noqa: ARG002
        """Return the numbers of a system as given, one per item; None without such swaps."""
        return None

    def squares(self, system: int) -> Squares | None:  # noqa: ARG002
        """Return sums over the units of the statistics of a system, if the metric is a function of sums."""
        return None

    @property
    def unit_means(self) -> tuple[FloatArray, IntArray] | None:
        """The mean of each unit for every system, shape (C, S), and how many units there are of each.

        None if the score is no mean over the items.
        """
        return None

    @property
    def influences(self) -> Influences | None:
        """What each unit adds to the scores of all systems; None if no formula tells it."""
        return None

    @property
    def spread(self) -> Spread | None:
        """How the scores of all systems vary together; None if no formula tells it."""
        influences = self.influences
        return None if influences is None else influences.spread


@dataclass(frozen=True, eq=False)
class GroupSample(Sample):
    """One system or two of a group that scores all systems at once, from items or from batches of them."""

    group: Group
    a: int
    b: int | None

    @property
    def metric(self) -> BaseMetric:  # type: ignore[override]
        """The metric."""
        return self.group.metric

    @property
    def units(self) -> Units:  # type: ignore[override]
        """The units of the group."""
        return self.group.units

    @property
    def clustered(self) -> bool:
        """Whether units are clusters of items."""
        return self.group.clustered

    @property
    def in_blocks(self) -> bool:
        """Whether the bootstrap draws blocks of consecutive items."""
        return self.group.in_blocks

    @property
    def systems(self) -> list[int]:
        """The position of the system, or of both."""
        return [self.a] if self.b is None else [self.a, self.b]

    @property
    def scores(self) -> FloatArray:
        """The scores on the full data."""
        scores: FloatArray = self.group.scores[self.systems]
        return scores

    def left_out(self, drawing: Drawing | None = None) -> LeftOut:
        """Return the score or difference without each unit, or each group of units."""
        jackknife = self.group.jackknife(drawing)
        return LeftOut(
            score_or_difference(jackknife.scores[:, self.systems].T), jackknife.counts, jackknife.bounds
        )

    def bootstrap(self, drawing: Drawing) -> FloatArray:
        """Return the scores of the systems on resamples, shape (B, 1 or 2): those of all systems."""
        return self.group.bootstrap(drawing)[:, self.systems]


# -- results that are asked for again --------------------------------------------------------------


MOST_KEPT = 256
"""Estimates kept for what is asked next: the test of a difference needs the resamples of its interval."""

Key = TypeVar("Key")
Value = TypeVar("Value")


class Memo(Generic[Key, Value]):
    """The results of a function by its argument: the oldest ones make room for another.

    `size` says how much of the room, `most`, a result takes; by default each takes one place.

    >>> import math
    >>> roots = Memo[float, float](2)
    >>> [roots.get(x, math.sqrt) for x in (4.0, 9.0, 16.0)], len(roots)
    ([2.0, 3.0, 4.0], 2)
    """

    def __init__(self, most: int, size: Callable[[Value], int] | None = None) -> None:
        self._most, self._size = most, size
        self._values: dict[Key, Value] = {}
        self._taken = 0

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: Key, make: Callable[[Key], Value]) -> Value:
        """Return what is kept for a key, or else make and keep it."""
        if key not in self._values:
            value = make(key)
            self._taken += self._size_of(value)
            while self._values and self._taken > self._most:
                self._taken -= self._size_of(self._values.pop(next(iter(self._values))))
            self._values[key] = value
        return self._values[key]

    def _size_of(self, value: Value) -> int:
        return 1 if self._size is None else self._size(value)
