"""Studies on any metric, drawn from the items of a pilot, their systems exchanged with some chance."""

from __future__ import annotations

import copy
import dataclasses
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from bestby._core import checks
from bestby._core.cached import cached_property
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.text import quoted
from bestby._core.typing import Alternative, FloatArray, IntArray
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
from bestby.metrics.base import BaseMetric, MeanMetric
from bestby.metrics.suitability import chosen_metric
from bestby.planning import doubt
from bestby.planning.base import Design, Question
from bestby.questions.planning.own_test import OwnTest, checked_test, name_of, p_value_of
from bestby.resampling.units import Units
from bestby.results.base import Note
from bestby.vocabulary import ItemTest


@with_suggestions
@dataclass(frozen=True, eq=False)
class Pilot(Design):
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
    power : The power of a study of this design.
    sample_size : The size that has the power wanted.
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
    test: ItemTest | OwnTest = "auto"
    effect_scale: float = 1.0
    as_population: bool = False

    name: ClassVar[str] = "pilot"
    simulated: ClassVar[bool] = True
    simulations: ClassVar[int] = 1000
    too_small: ClassVar[str] = (
        "the pilot holds no larger difference: use a design with a formula, or plan for a lower power"
    )

    def __post_init__(self) -> None:
        checked_test(self.test, "pilot")
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

    def powers(self, n: IntArray, question: Question) -> tuple[FloatArray, FloatArray]:
        """Return the share of significant tests at each n, with its Monte Carlo error."""
        needed = math.ceil(1.0 / question.alpha)
        if question.n_resamples + 1 < needed:
            raise DesignError(
                f"{question.n_resamples} resamples cannot give a p-value of {question.alpha:.3g} or below",
                hint=f"pass n_resamples={10 * needed - 1}",
            )
        return self._simulated(n, question, self._hits)

    def _hits(self, n: int, studies: int, question: Question) -> int:
        generator = np.random.Generator(
            np.random.PCG64(np.random.SeedSequence(question.seed, spawn_key=(n,)))
        )
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
        ratios = doubt.mean_squares(self.pilot_df, (np.arange(shares) + 0.5) / shares)
        for i, ratio in enumerate(ratios.tolist()):
            part = studies * (i + 1) // shares - studies * i // shares
            yield from self._studies(max(self.least, round(n * ratio)), part, generator)

    @cached_property
    def pilot_df(self) -> float:
        """Degrees of freedom with which the pilot knows the variance of the difference."""
        effective = Estimates(self._group, Drawing(1, 0)).of(0, 1).effective_units
        return doubt.effective_units_df(effective, self.size)

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
        return f"the variance of the difference, estimated with {self.pilot_df:.3g} degrees of freedom"

    def _p_value(self, group: Group, question: Question, seed: int) -> float:
        drawing, ask = Drawing(question.n_resamples, seed), question.alternative
        if not isinstance(self.test, str):
            unit_means = group.unit_means
            assert unit_means is not None  # checked with the pilot
            means, counts = unit_means
            a, b = np.repeat(means, counts, axis=0).T
            return p_value_of(self.test, a, b)
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
        test = f"the test {quoted(self.test)}" if isinstance(self.test, str) else name_of(self.test)
        if self.test == "auto":
            test = "the default test of compare"
        return f"{test} of {self._group.metric.name}"

    @property
    def assumed_words(self) -> str:
        """The assumptions."""
        text = f"{self.unit} like the {self.size} of the pilot, on which {self.a} minus {self.b} is"
        text += f" {self.observed:.4g}"
        return text + (f", shrunk by {self.effect_scale:.4g}" if self.effect_scale != 1.0 else "")

    def settings(self) -> dict[str, Any]:
        """Return the assumptions by name."""
        return {
            "metric": self._group.metric.name,
            "a": self.a,
            "b": self.b,
            "test": name_of(self.test),
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
            notes += doubt.few_df_notes(self.pilot_df, "the variance of the difference")
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
