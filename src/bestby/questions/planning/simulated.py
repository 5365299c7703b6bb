"""Designs whose power is simulated: studies like a pilot, and scores of one system lifted."""

from __future__ import annotations

import copy
import dataclasses
import math
import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from scipy.special import ndtr, stdtr

from bestby._core import arrays, checks, rounding
from bestby._core.cached import cached_property
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.text import quoted
from bestby._core.typing import Alternative, ArrayLike, FloatArray, IntArray, Lift
from bestby.data.evaluation import Evaluation
from bestby.engine import prepare, significance_tests
from bestby.engine.base import Drawing, Group
from bestby.engine.estimate import Estimates
from bestby.engine.interval_choice import pilot_strata_note
from bestby.engine.items import ItemGroup
from bestby.engine.ranked import WeightGroup
from bestby.engine.statistics import Design as UnitDesign
from bestby.engine.statistics import Rows, Statistics
from bestby.engine.sums import SumGroup
from bestby.inference import permutation
from bestby.inference.classical import doubled_ranks
from bestby.metrics.base import BaseMetric, MeanMetric
from bestby.metrics.suitability import chosen_metric
from bestby.planning.base import (
    Design,
    Question,
    clustered_df,
    effective_units_df,
    few_df_notes,
    mean_squares,
)
from bestby.report.numbers import difference_text
from bestby.resampling.units import Units
from bestby.results.base import Note
from bestby.vocabulary import ItemTest, LiftedTest, allowed_names

PValueFunction: TypeAlias = Callable[[FloatArray, FloatArray], Any]
"""Takes the scores of the two systems, of shapes (n,) and (m,), and returns a p-value."""


class SimulatedDesign(Design):
    """A design whose power is the share of simulated studies in which its test rejects.

    The studies vary as a pilot does or, unless the pilot is the population, as populations do that the pilot
    leaves open.
    """

    simulated: ClassVar[bool] = True
    _in_doubt: ClassVar[str]
    test: Any
    as_population: bool

    @property
    @abstractmethod
    def pilot_df(self) -> float:
        """Degrees of freedom with which the pilot has estimated the variance."""

    @abstractmethod
    def _rejections(self, n: int, studies: int, question: Question) -> int:
        """Return in how many of so many simulated studies of n units the test rejects."""

    def powers(self, n: IntArray, question: Question) -> tuple[FloatArray, FloatArray]:
        """Return the share of significant tests at each n, with its Monte Carlo error."""
        studies = question.n_simulations or self.simulations
        hits = np.array([self._rejections(int(size), studies, question) for size in n])
        # One more study that rejects is counted, and one that does not: else the error could be 0.
        share = (hits + 1.0) / (studies + 2.0)
        return hits / studies, np.sqrt(share * (1.0 - share) / studies)

    def taken_as_true(self) -> Self:
        """Return the design whose population is the pilot."""
        other = copy.copy(self)
        object.__setattr__(other, "as_population", True)
        return other

    @property
    def doubt_words(self) -> str:
        """The variance, and how well it is known."""
        if self.as_population:
            return ""
        return f"{self._in_doubt}, estimated with {self.pilot_df:.3g} degrees of freedom"

    def _check_test(self, tests: tuple[str, ...]) -> None:
        """Refuse what is neither a function nor the name of a test."""
        if not callable(self.test):
            checks.choice(self.test, tests, "test")

    @property
    def _test_name(self) -> str:
        """The name of the test, or what to call a function."""
        if isinstance(self.test, str):
            return self.test
        return f"the function {getattr(self.test, '__name__', 'given')}"

    def _p_value_by_function(self, x: FloatArray, y: FloatArray) -> float:
        """Return the p-value of a function of two samples; 1 where it is NaN, which convinces nobody."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # of a few odd studies among thousands
            returned = np.asarray(self.test(x, y))
        if returned.size != 1 or returned.dtype.kind not in "biuf":
            raise InvalidInputError(
                f"{self._test_name} must return a p-value, got {quoted(returned.tolist())}",
                hint="for example test=lambda a, b: scipy.stats.ttest_ind(a, b).pvalue",
                argument="test",
            )
        p = float(returned.reshape(()))
        if np.isnan(p):
            return 1.0
        if not 0.0 <= p <= 1.0:
            raise InvalidInputError(
                f"{self._test_name} must return a p-value between 0 and 1, got {p:g}", argument="test"
            )
        return p


# -- a pilot of items ----------------------------------------------------------------------------------------


@with_suggestions
@dataclass(frozen=True, eq=False)
class Pilot(SimulatedDesign):
    """Studies like a pilot, of any size, on any metric, decided by any test of `compare`.

    Each simulated study draws its items (or clusters, within strata) from those of the pilot with replacement
    and tests the difference. With an `effect_scale` s below 1, the two systems exchange their
    predictions on each item drawn with probability (1 - s) / 2. At s = 0 they are exchangeable, which is the
    null hypothesis of the permutation test to the letter; at s = 1 they are those of the pilot; and
    in between the difference of a mean is s times that of the pilot, while everything else (marginal
    difficulty, agreement, clusters) stays as it is.

    Parameters
    ----------
    evaluation : Evaluation
        The pilot; `bestby.read` and `Evaluation.of` make one.
    metric : str, Metric or callable, optional
        The metric; the default is that of `compare`.
    a, b : str, optional
        The two systems; needed if the pilot has more than two.
    test : str or callable
        A test of `compare`, by default the one that it takes; or, for a metric that is a mean over items, a
        function ``test(a, b) -> p`` of the values of both systems on each item (the means of each cluster),
        in the same order.
    effect_scale : float
        s, from -1 (the systems exchanged) to 1.
    as_population : bool
        Take the units of the pilot for all there could be, as [1]_ does. Otherwise the power is averaged over
        the variances of the difference that the pilot leaves open.

    Raises
    ------
    InvalidInputError
        If the systems are not in the pilot or the scale is outside [-1, 1].
    DesignError
        If the metric has no value on the pilot, or its items come in two crossed groupings.

    See Also
    --------
    bestby.power : The power of a study of this design.
    bestby.sample_size : The size that has the power wanted.
    PairedScores : From a standard deviation instead of a pilot.
    PairedProportions : From two accuracies instead of a pilot.

    Notes
    -----
    The variance that a study has is that of the pilot over chi² / f, a chi-square over its degrees of freedom
    f: twice the units over their kurtosis less one, at most the units less one. Variance and size count by
    their ratio, so such a study is simulated as one of n chi² / f units, at 20 quantiles of it. Draws from a
    stratum of m units hold (m - 1) / m of the variance inside it: a note warns of small strata.

    References
    ----------
    .. [1] Card, Henderson, Khandelwal, Jia, Mahowald & Jurafsky (2020), With little power comes great
       responsibility, EMNLP, section 3 (power by simulation).

    Examples
    --------
    >>> import numpy as np
    >>> from bestby import Evaluation, power
    >>> rng = np.random.default_rng(1)
    >>> gold = rng.integers(0, 2, 300)
    >>> new, old = (np.where(rng.random(300) < p, gold, 1 - gold) for p in (0.9, 0.8))
    >>> pilot = Pilot(Evaluation.of({"new": new, "old": old}, gold), metric="f1_macro")
    >>> plan = power(pilot, n=100, n_simulations=200, curve=())
    >>> 0.2 < plan.power < 0.9, plan.error < 0.05
    (True, True)
    """

    evaluation: Evaluation
    metric: Any = None
    a: str | None = None
    b: str | None = None
    test: ItemTest | PValueFunction = "auto"
    effect_scale: float = 1.0
    as_population: bool = False

    name: ClassVar[str] = "pilot"
    _in_doubt: ClassVar[str] = "the variance of the difference"
    simulations: ClassVar[int] = 1000
    too_small: ClassVar[str] = (
        "the pilot holds no larger difference: use a design with a formula, or plan for a lower power"
    )

    def __post_init__(self) -> None:
        self._check_test(allowed_names("test", "pilot"))
        if not isinstance(self.evaluation, Evaluation):
            raise InvalidInputError(
                f"evaluation must be an Evaluation, got {type(self.evaluation).__name__}",
                hint="Evaluation.of({'a': ..., 'b': ...}, gold) makes one",
            )
        self.evaluation.uncounted("a simulated pilot")
        if not -1.0 <= checks.number(self.effect_scale, "effect_scale") <= 1.0:
            raise InvalidInputError(
                f"effect_scale must lie in [-1, 1], got {self.effect_scale}",
                hint="1 is the difference of the pilot; a larger one cannot be drawn from it",
            )
        names = self.evaluation.names
        if self.a is None and self.b is None and len(names) == 2:
            object.__setattr__(self, "a", names[0])
            object.__setattr__(self, "b", names[1])
        if self.a == self.b or self.a not in names or self.b not in names:
            raise InvalidInputError(
                f"a and b must be two systems of the pilot, got {quoted(self.a)} and {quoted(self.b)}",
                hint=f"its systems are: {', '.join(names)}",
            )
        if callable(self.test) and not isinstance(self._group.metric, MeanMetric):
            raise DesignError(
                f"a test function needs one number per item, and {self._group.metric.name} is no mean"
                " over items",
                hint="choose a test by its name, or a metric that is a mean over items",
            )
        if not math.isfinite(self.observed):
            raise DesignError(
                f"metric {self._group.metric.name} is undefined on the pilot",
                hint="a class or all variation is missing; choose another metric or look at the predictions",
            )

    @cached_property
    def _pair(self) -> Evaluation:
        return self.evaluation.with_systems([str(self.a), str(self.b)])

    @cached_property
    def _measured(self) -> tuple[BaseMetric, Evaluation]:
        return chosen_metric(self.metric, self._pair)

    @cached_property
    def _group(self) -> Group:
        return prepare.groups(self._pair, [self._measured[0]], consumer="a simulated pilot")[0]

    @cached_property
    def observed(self) -> float:
        """The difference A minus B of the pilot itself."""
        scores = self._group.scores
        return float(scores[0] - scores[1])

    @property
    def unit(self) -> str:
        """Items, or clusters if the pilot has some."""
        return "items" if self.evaluation.clusters is None else "clusters"

    @property
    def size(self) -> int:
        """Items or clusters of the pilot."""
        return self._group.n_units

    @property
    def most(self) -> int:
        """A hundred times the pilot: what it cannot tell apart at that size, it does not hold."""
        return 100 * self.size

    @property
    def true_difference(self) -> float:
        """The difference among the items that studies draw: of sums exactly, else averaged over exchanges."""
        return self._difference(self.effect_scale)

    def _difference(self, scale: float) -> float:
        group = self._group
        if scale == 1.0:
            return self.observed
        if isinstance(group, SumGroup):
            a, b = (one.total for one in group.statistics)
            middle, half, score = 0.5 * (a + b), 0.5 * scale * (a - b), group.metric.score
            return float(score(middle + half) - score(middle - half))
        assert isinstance(group, ItemGroup)  # groups are of sums or of items
        # Random exchanges over which the difference of a metric that is no sum is averaged
        swapped = np.random.default_rng(0).random((500, group.n_units)) < (1.0 - scale) / 2.0
        bits = (
            swapped.astype(np.uint8) if group.unit_of is None else swapped[:, group.unit_of].astype(np.uint8)
        )
        difference = group._score_swapped(0, 1, standardised=isinstance(group, WeightGroup))
        return float(np.nanmean(difference(bits)))

    def assuming(self, difference: float) -> Self:
        """Return the design with the scale at which the true difference is `difference`.

        Parameters
        ----------
        difference : float
            A minus B, at most as large as that of the pilot.

        Raises
        ------
        DesignError
            If it is larger than that of the pilot.

        Examples
        --------
        >>> from bestby import Evaluation
        >>> pilot = Pilot(Evaluation.of({"a": [1.0, 2.0, 4.0], "b": [1.0, 1.0, 3.0]}))
        >>> round(pilot.assuming(0.5).effect_scale, 4)
        0.75
        """
        if abs(difference) > abs(self.observed):
            raise DesignError(
                f"the pilot holds a difference of {self.observed:.6g}; {difference:g} is larger",
                hint="a larger one cannot be drawn from it: plan with agreement=... or sd=... instead",
            )
        if difference == self.observed:
            return self.with_effect(1.0)
        sign = 1.0 if self.observed >= 0.0 else -1.0
        low, high = -1.0, 1.0
        for _ in range(50):
            middle = 0.5 * (low + high)
            if sign * self._difference(middle) < sign * difference:
                low = middle
            else:
                high = middle
        return self.with_effect(high)

    @property
    def effect(self) -> float:
        """The scale."""
        return self.effect_scale

    def reach(self, alternative: Alternative) -> float:
        """Return the end of the scale on the side asked for."""
        wrong = {"greater": self.observed < 0.0, "less": self.observed > 0.0, "two-sided": False}[alternative]
        return -1.0 if wrong else 1.0

    def with_effect(self, effect: float) -> Self:
        """Return the design with another scale; what was made of the pilot is kept."""
        other = copy.copy(self)
        object.__setattr__(other, "effect_scale", float(effect))
        return other

    def _rejections(self, n: int, studies: int, question: Question) -> int:
        """Return in how many of so many simulated studies of n units the test rejects."""
        needed = math.ceil(1.0 / question.alpha)
        if question.n_resamples + 1 < needed:
            raise DesignError(
                f"{question.n_resamples} resamples cannot give a p-value of {question.alpha:.3g} or below",
                hint=f"pass n_resamples={10 * needed - 1}",
            )
        seed = np.random.SeedSequence(question.seed, spawn_key=(n,))
        generator = np.random.Generator(np.random.PCG64(seed))
        hits = 0
        for done, group in enumerate(self._all_studies(n, studies, generator)):
            if np.isfinite(group.scores).all():  # an undefined difference convinces nobody
                hits += int(self._p_value(group, question, question.seed + done) <= question.alpha)
            if question.progress is not None:
                question.progress(done + 1, studies)
        return hits

    def _all_studies(self, n: int, studies: int, generator: np.random.Generator) -> Iterator[Group]:
        """Yield the studies of a size: with a doubt about the variance, of sizes that stand for it."""
        if self.as_population:
            yield from self._studies(n, studies, generator)
            return
        # Variances that a pilot leaves open, at each of which a share of the studies is simulated
        shares = min(20, studies)
        ratios = mean_squares(self.pilot_df, (np.arange(shares) + 0.5) / shares)
        for i, ratio in enumerate(ratios.tolist()):
            part = studies * (i + 1) // shares - studies * i // shares
            yield from self._studies(max(self.least, round(n * ratio)), part, generator)

    @cached_property
    def pilot_df(self) -> float:
        """Degrees of freedom with which the pilot knows the variance of the difference."""
        effective = Estimates(self._group, Drawing(1, 0)).of(0, 1).effective_units
        return effective_units_df(effective, self.size)

    def _p_value(self, group: Group, question: Question, seed: int) -> float:
        drawing, ask = Drawing(question.n_resamples, seed), question.alternative
        if not isinstance(self.test, str):
            unit_means = group.unit_means
            assert unit_means is not None  # checked with the pilot
            means, counts = unit_means
            a, b = np.repeat(means, counts, axis=0).T
            return self._p_value_by_function(a, b)
        few = permutation.least_p(group.n_units, ask) * question.n_resamples >= 1.0
        if (
            (self.test == "permutation" or (self.test == "auto" and not few))
            and isinstance(group, SumGroup)
            and not isinstance(group.metric, MeanMetric)
        ):
            # Counting a million combinations is worth it for one study, not for each of a thousand.
            return group.sample(0, 1).sampled_permutation(ask, drawing).p_value
        return significance_tests.result(self.test, Estimates(group, drawing).of(0, 1), ask).p_value

    def _studies(self, n: int, studies: int, generator: np.random.Generator) -> Iterator[Group]:
        chance = (1.0 - self.effect_scale) / 2.0
        if isinstance(self._group, SumGroup):
            return by_cells(self._group, n, studies, chance, generator)
        assert isinstance(self._group, ItemGroup)
        return by_items(self._group, n, studies, chance, generator)

    @property
    def test_words(self) -> str:
        """The test."""
        test = f"the test {quoted(self.test)}" if isinstance(self.test, str) else self._test_name
        if self.test == "auto":
            test = "the default test of compare"
        return f"{test} of {self._group.metric.name}"

    @property
    def assumed_words(self) -> str:
        """The assumptions."""
        text = f"{self.unit} like the {self.size} of the pilot, on which {self.a} minus {self.b} is"
        text += f" {difference_text(self.observed)}"
        return text + (f", shrunk by {self.effect_scale:.4g}" if self.effect_scale != 1.0 else "")

    def settings(self) -> dict[str, Any]:
        """Return the assumptions by name."""
        return {
            "metric": self._group.metric.name,
            "a": self.a,
            "b": self.b,
            "test": self._test_name,
            "effect_scale": self.effect_scale,
            "as_population": self.as_population,
            "pilot": self.size,
        }

    def data_hash(self) -> str:
        """Return the hash of the pilot."""
        return self.evaluation.data_hash()

    def notes(self, n: int, question: Question) -> tuple[Note, ...]:  # noqa: ARG002
        """Warn of a pilot taken at its word."""
        notes = [*self._measured[1].notes]
        if self.effect_scale == 1.0:
            notes.append(
                Note(
                    "pilot_effect",
                    "the plan uses the difference of the pilot as the true one; pilots that lead to a"
                    " study tend to overstate it",
                )
            )
        strata = pilot_strata_note(self._group.shown())
        notes += [] if strata is None else [strata]
        if not self.as_population:
            notes += few_df_notes(self.pilot_df, "the variance of the difference")
        if n > 5 * self.size:
            notes.append(
                Note(
                    "small_pilot",
                    f"simulated studies of {n} {self.unit} repeat each of the pilot about"
                    f" {n / self.size:.1f} times",
                )
            )
        return tuple(notes)


# -- studies drawn from the units of a pilot -----------------------------------------------------------------


def by_cells(
    group: SumGroup, n: int, studies: int, chance: float, generator: np.random.Generator
) -> Iterator[Group]:
    """Yield groups of n units drawn from the distinct rows of a group, exchanged with some chance."""
    source = group.sample(0, 1)
    a, b = source.rows()
    both = np.concatenate([a, b]), np.concatenate([b, a])
    bounds, counts = source.units.bounds, source.units.counts
    strata = np.repeat(np.arange(bounds.size - 1), np.diff(bounds))
    sizes = _stratum_sizes(np.bincount(strata, weights=counts).astype(np.int64), n)
    step = max(1, (1 << 21) // counts.size)  # 16 MB of counts at a time, which say what is drawn
    for start in range(0, studies, step):
        rows = min(step, studies - start)
        drawn = np.concatenate(
            [
                generator.multinomial(int(size), counts[i:j] / counts[i:j].sum(), size=rows)
                for size, i, j in zip(sizes, bounds[:-1], bounds[1:], strict=True)
            ],
            axis=1,
        )
        swapped = generator.binomial(drawn, chance) if chance > 0.0 else np.zeros_like(drawn)
        for cells in np.concatenate([drawn - swapped, swapped], axis=1):
            hit = np.flatnonzero(cells)
            design = UnitDesign(
                hit.size,
                cells[hit],
                None if bounds.size == 2 else _dense_codes(np.tile(strata, 2)[hit]),
                sizes=np.tile(source.sizes, 2)[hit] if source.design.clustered else None,
            )
            systems = (Statistics.of(group.metric, s, Rows(one[hit]), design) for s, one in enumerate(both))
            yield SumGroup(group.metric, list(systems), design)


def by_items(
    group: ItemGroup, n: int, studies: int, chance: float, generator: np.random.Generator
) -> Iterator[Group]:
    """Yield groups of n units drawn from those of a group that is scored from its items."""
    a, b = group.systems
    if chance > 0.0 and isinstance(
        group, WeightGroup
    ):  # on a scale where the two systems can exchange values
        a, b = (group.metric.exchangeable(group.gold, values) for values in (a, b))
    unit_of = np.arange(a.size) if group.unit_of is None else group.unit_of
    members = np.split(np.argsort(unit_of, kind="stable"), np.cumsum(np.bincount(unit_of))[:-1])
    bounds = group.units.bounds
    sizes = _stratum_sizes(np.diff(bounds), n)
    edges = np.concatenate([[0], np.cumsum(sizes[sizes > 0])])
    for _ in range(studies):
        drawn = np.concatenate(
            [
                generator.integers(i, j, size)
                for size, i, j in zip(sizes, bounds[:-1], bounds[1:], strict=True)
            ]
        )
        exchange = generator.random(n) < chance
        items = np.concatenate([members[unit] for unit in drawn])
        lengths = np.array([members[unit].size for unit in drawn])
        bits = np.repeat(exchange, lengths)
        yield dataclasses.replace(
            group,
            gold=None if group.gold is None else group.gold[items],
            systems=[np.where(bits, b[items], a[items]), np.where(bits, a[items], b[items])],
            unit_of=None if group.unit_of is None else np.repeat(np.arange(n), lengths),
            units=Units(np.ones(n, dtype=np.int64), edges),
        )


def _stratum_sizes(sizes: IntArray, n: int) -> IntArray:
    """Return how many of n units each stratum gets: its share, rounded by largest remainders."""
    share = n * sizes / sizes.sum()
    out = np.floor(share).astype(np.int64)
    order = np.argsort(out - share, kind="stable")
    out[order[: n - int(out.sum())]] += 1
    rounded: IntArray = out
    return rounded


def _dense_codes(strata: IntArray) -> IntArray:
    return np.unique(strata, return_inverse=True)[1].reshape(-1)


# -- scores of one system, lifted ----------------------------------------------------------------------------


_WORDS = {
    "permutation": "the permutation test of two independent samples",
    "bootstrap": "the bootstrap test of two independent samples",
    "welch": "Welch's t-test",
    "mann-whitney": "the Mann–Whitney test",
}


@with_suggestions
@dataclass(frozen=True, eq=False)
class LiftedScores(SimulatedDesign):
    """Scores of one system in several runs, and an imagined system that is better by a factor or an offset.

    Power is the share of significant tests between resamples, drawn with replacement and
    independently, of the scores and of the scores lifted: bootstrap power analysis [1]_ as used for
    runs in [2]_. A few scores do not hold their population: the spread of n scores is too small by a factor
    of (n - 1) / n in the variance, and may be far from the true one. Unless they are the population, each
    simulated study therefore has a variance of its own, which the scores leave open: that of the
    scores, unbiased, over a chi-square [3]_.

    Parameters
    ----------
    scores : array_like, shape (n,)
        Scores of one system, one per run.
    lift : float
        What the scores are multiplied by, or what is added to them.
    by : {"factor", "offset"}
        Which of the two. A factor widens the spread too, and means nothing for scores without a zero.
    test : {"permutation", "bootstrap", "welch", "mann-whitney"} or callable
        The test; the lifted scores are A, the scores B. A function of your own, ``test(a, b) -> p``, takes
        the scores of both and returns a p-value, which is used as it is: `alternative` has no effect on it.
    as_population : bool
        Take the scores for all there could be, as [1]_ and [2]_ do. Of five scores, a size planned for a
        power of .80 then has one of about .65.

    Raises
    ------
    InvalidInputError
        If there are fewer than two scores or they do not vary.
    DesignError
        If scores that are not positive are to be multiplied.

    References
    ----------
    .. [1] Yuan & Hayashi (2003), Bootstrap approach to inference and power analysis based on three test
       statistics for covariance structure models, Br. J. Math. Stat. Psychol. 56, 93-110.
    .. [2] Ulmer, Hardmeier & Frellsen (2022), deep-significance, arXiv:2204.06815, section 3.
    .. [3] Julious & Owen (2006), Sample size calculations for clinical studies allowing for uncertainty about
       the variance, Pharmaceutical Statistics 5, 29-37.

    Examples
    --------
    >>> from bestby import power
    >>> scores = [0.71, 0.74, 0.69, 0.75, 0.73]
    >>> plan = power(LiftedScores(scores, lift=1.05, test="welch"), 10)
    >>> 0.7 < plan.power < 0.9, plan.power_as_estimated > 0.9
    (True, True)
    """

    scores: ArrayLike
    lift: float = 1.25
    by: Lift = "factor"
    test: LiftedTest | PValueFunction = "permutation"
    as_population: bool = False
    values: FloatArray = field(init=False, repr=False)

    name: ClassVar[str] = "lifted scores"
    _in_doubt: ClassVar[str] = "the spread of the scores"
    simulations: ClassVar[int] = 5000
    unit: ClassVar[str] = "runs"
    most: ClassVar[int] = 10_000
    too_small: ClassVar[str] = "plan for a larger lift or a lower power"

    def __post_init__(self) -> None:
        checks.choice(self.by, allowed_names("by"), "by")
        self._check_test(allowed_names("test", "lifted"))
        values = checks.column(arrays.values_of(self.scores), "scores")
        if values.dtype.kind == "U":
            raise InvalidInputError(f"scores must be numbers, got text: {quoted(str(values[0]))}")
        values = values.astype(np.float64)
        if values.size < 2 or float(np.ptp(values)) == 0.0:
            raise InvalidInputError(
                f"at least 2 scores that vary are needed, got {values.size} without variation",
                hint="train the system with several seeds",
            )
        if self.by == "factor" and not (values > 0.0).all():
            raise DesignError(
                f"scores are multiplied by the lift, but one of them is {values.min():g}",
                hint='by="offset" adds the lift instead',
            )
        if not math.isfinite(checks.amount(self.lift, "lift")) or (self.by == "factor" and self.lift <= 0.0):
            raise InvalidInputError(
                f"lift must be a {'positive ' * (self.by == 'factor')}number, got {self.lift}",
                argument="lift",
            )
        object.__setattr__(self, "values", values)

    @property
    def size(self) -> int:
        """The number of scores given."""
        return int(self.values.size)

    @property
    def true_difference(self) -> float:
        """The mean of the lifted scores minus that of the scores."""
        return float(self._lifted(self.values).mean() - self.values.mean())

    @property
    def effect(self) -> float:
        """The lift."""
        return self.lift

    @property
    def null(self) -> float:
        """The lift that changes nothing."""
        return 1.0 if self.by == "factor" else 0.0

    def reach(self, alternative: Alternative) -> float:
        """Return infinity; downward a factor of nearly 0, for scores stay above it."""
        if not self._looks_down(alternative):
            return math.inf
        return 1e-9 if self.by == "factor" else -math.inf

    def with_effect(self, effect: float) -> Self:
        """Return the design with another lift."""
        return dataclasses.replace(self, lift=effect)

    def _lifted(self, scores: FloatArray) -> FloatArray:
        return scores * self.lift if self.by == "factor" else scores + self.lift

    def _rejections(self, n: int, studies: int, question: Question) -> int:
        """Return in how many of so many simulated studies of n runs the test rejects."""
        # Drawn run by run: studies of different size under one seed share their first runs, and
        # studies of different lift all of them, so that power changes with neither by chance alone.
        lifted, plain, resampled, spreads = (
            np.random.Generator(np.random.PCG64(child))
            for child in np.random.SeedSequence(question.seed).spawn(4)
        )
        x, y = (
            np.ascontiguousarray(self.values[generator.integers(self.values.size, size=(n, studies))].T)
            for generator in (lifted, plain)
        )
        if not self.as_population:
            mean, factor = self.values.mean(), self._factors(studies, spreads)
            x, y = mean + (x - mean) * factor, mean + (y - mean) * factor
        x = self._lifted(x)
        if isinstance(self.test, str):
            p = TESTS[self.test](x, y, question.alternative, question.n_resamples, resampled)
        else:
            p = np.array([self._p_value_by_function(*pair) for pair in zip(x, y, strict=True)])
        return int(np.count_nonzero(p <= question.alpha))

    def _factors(self, studies: int, generator: np.random.Generator) -> FloatArray:
        """Return the spread of each study over that of the pilot, shape (S, 1)."""
        u = generator.permutation((np.arange(studies) + 0.5) / studies)
        unbiased = self.values.size / (self.values.size - 1.0)
        return np.sqrt(unbiased / mean_squares(self.pilot_df, u))[:, None]

    @property
    def pilot_df(self) -> float:
        """Degrees of freedom with which the scores know their variance: n - 1, fewer if tails are heavy."""
        one = np.ones(self.values.size)
        return clustered_df((self.values - self.values.mean()) ** 2, one, one)

    @property
    def test_words(self) -> str:
        """The test."""
        return _WORDS[self.test] if isinstance(self.test, str) else self._test_name

    @property
    def assumed_words(self) -> str:
        """The assumptions."""
        how = "multiplied by" if self.by == "factor" else "lifted by"
        return f"scores like the {self.values.size} given, and the same {how} {self.lift:.4g}"

    def settings(self) -> dict[str, Any]:
        """Return the assumptions by name."""
        return {
            "scores": self.values.tolist(),
            "lift": self.lift,
            "by": self.by,
            "test": self._test_name,
            "as_population": self.as_population,
        }

    def notes(self, n: int, question: Question) -> tuple[Note, ...]:  # noqa: ARG002
        """Warn of few scores."""
        if not self.as_population:
            return few_df_notes(self.pilot_df)
        # Fewer scores say little of their distribution
        if self.values.size >= 30:
            return ()
        return (
            Note(
                "few_scores",
                f"{self.values.size} scores are used as the population; new scores vary more, so the power"
                f" is lower than stated",
            ),
        )


# -- tests of many pairs of samples at once ------------------------------------------------------------------


PValues = Callable[[FloatArray, FloatArray, Alternative, int, np.random.Generator], FloatArray]


_BLOCK = 500
"""Studies that share one set of resamples: enough for a matrix product, few enough not to hang on one set."""


def permutation_p_values(
    x: FloatArray, y: FloatArray, alternative: Alternative, n_resamples: int, generator: np.random.Generator
) -> FloatArray:
    """Return p-values of the permutation test of the difference of means of (S, n) scores.

    All divisions of the pooled sample are taken if they are not more than `n_resamples`; otherwise a new set
    is drawn for every 500 pairs of samples.
    """
    n, size = x.shape[1], x.shape[1] + y.shape[1]
    pooled = np.concatenate([x, y], axis=1)
    pooled = pooled - pooled.mean(axis=1, keepdims=True)
    every = None
    if math.comb(size, n) <= max(n_resamples, 1) + 1:
        every = _indicators(np.array(list(combinations(range(size), n))), size)
    out = np.empty(x.shape[0])
    for start in range(0, x.shape[0], _BLOCK):
        part = pooled[start : start + _BLOCK]
        sets = every
        if sets is None:  # the places of the n smallest of random numbers are a random set
            numbers = generator.random((n_resamples, size), dtype=np.float32)
            sets = _indicators(np.argpartition(numbers, n, axis=1)[:, :n], size)
        hits = _extreme_replicates(
            part @ sets, part[:, :n].sum(axis=1), np.abs(part).max(axis=1) * n, alternative
        )
        # Of random sets, that of the data is one more.
        more = 0 if every is not None else 1
        out[start : start + _BLOCK] = (more + hits) / (more + sets.shape[1])
    return out


def bootstrap_p_values(
    x: FloatArray, y: FloatArray, alternative: Alternative, n_resamples: int, generator: np.random.Generator
) -> FloatArray:
    """Return p-values of the bootstrap test: both samples shifted to one mean, then resampled.

    Parameters and result are those of `permutation`. See Efron & Tibshirani (1993), section 16.2.

    >>> x, y = np.array([[1.0, 2.0, 3.0]]), np.array([[3.0, 4.0, 6.0]])
    >>> bool(bootstrap_p_values(x, y, "less", 999, np.random.default_rng(0))[0] < 0.05)
    True
    """
    observed = x.mean(axis=1) - y.mean(axis=1)
    centred = [z - z.mean(axis=1, keepdims=True) for z in (x, y)]
    out = np.empty(x.shape[0])
    for start in range(0, x.shape[0], _BLOCK):
        drawn = 0.0
        for z, sign in zip(centred, (1.0, -1.0), strict=True):
            n = z.shape[1]
            weights = generator.multinomial(n, np.full(n, 1.0 / n), size=n_resamples).T / (sign * n)
            drawn = drawn + z[start : start + _BLOCK] @ weights
        gap = observed[start : start + _BLOCK]
        hits = _extreme_replicates(
            np.asarray(drawn), gap, np.abs(x[start : start + _BLOCK]).max(axis=1), alternative
        )
        out[start : start + _BLOCK] = (1 + hits) / (1 + n_resamples)
    return out


def _indicators(places: IntArray, size: int) -> FloatArray:
    """Return a column of 0 and 1 per set of positions."""
    sets = np.zeros((size, places.shape[0]))
    sets[places.T, np.arange(places.shape[0])] = 1.0
    return sets


def _extreme_replicates(
    drawn: FloatArray, observed: FloatArray, scale: FloatArray, alternative: Alternative
) -> FloatArray:
    """Count the replicates (S, B) at least as extreme as what was observed (S,), ties included."""
    slack = rounding.spread_width(scale)
    if alternative == "two-sided":
        extreme = np.abs(drawn) >= (np.abs(observed) - slack)[:, None]
    elif alternative == "greater":
        extreme = drawn >= (observed - slack)[:, None]
    else:
        extreme = drawn <= (observed + slack)[:, None]
    counts: FloatArray = np.count_nonzero(extreme, axis=1).astype(np.float64)
    return counts


def welch_p_values(x: FloatArray, y: FloatArray, alternative: Alternative) -> FloatArray:
    """Return p-values of Welch's t-test of (S, n) scores; of constant samples 1 if they are alike, else 0."""
    n, m = x.shape[1], y.shape[1]
    x_variance, y_variance = x.var(axis=1, ddof=1) / n, y.var(axis=1, ddof=1) / m
    variance = x_variance + y_variance
    gap = x.mean(axis=1) - y.mean(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(gap == 0.0, 0.0, gap / np.sqrt(variance))
        df = variance**2 / (x_variance**2 / (n - 1) + y_variance**2 / (m - 1))
    df = np.where(np.isnan(df), n + m - 2.0, df)
    far = {"two-sided": -np.abs(t), "greater": -t, "less": t}[alternative]
    tail: FloatArray = stdtr(df, far)
    return 2.0 * tail if alternative == "two-sided" else tail


def mann_whitney_p_values(x: FloatArray, y: FloatArray, alternative: Alternative) -> FloatArray:
    """Return p-values of the Mann–Whitney test: normal approximation, corrected for ties and continuity."""
    n, m = x.shape[1], y.shape[1]
    ranks = 0.5 * doubled_ranks(np.concatenate([x, y], axis=1))
    u = ranks[:, :n].sum(axis=1) - n * (n + 1) / 2.0 - n * m / 2.0
    spread = n * m / ((n + m) * (n + m - 1.0)) * ((ranks - (n + m + 1) / 2.0) ** 2).sum(axis=1)
    sd = np.sqrt(spread)
    with np.errstate(divide="ignore", invalid="ignore"):
        upper, lower = (np.where(sd > 0.0, ndtr(-(side * u - 0.5) / sd), 1.0) for side in (1.0, -1.0))
    if alternative == "two-sided":
        doubled: FloatArray = np.minimum(1.0, 2.0 * np.minimum(upper, lower))
        return doubled
    one: FloatArray = upper if alternative == "greater" else lower
    return one


TESTS: dict[str, PValues] = {
    "permutation": permutation_p_values,
    "bootstrap": bootstrap_p_values,
    "welch": lambda x, y, alternative, *_: welch_p_values(x, y, alternative),
    "mann-whitney": lambda x, y, alternative, *_: mann_whitney_p_values(x, y, alternative),
}
