"""What a comparison returns: frozen records that hold unrounded numbers and say how they were made."""

from __future__ import annotations

import copyreg
import dataclasses
import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, TypeVar, overload, runtime_checkable

from bestby._core import checks
from bestby._core.cached import cached_property
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.keywords import Renamed, with_suggestions
from bestby._core.text import quoted
from bestby.inference.multiplicity import alpha_at, rejects
from bestby.report.differing_items import ORDERS, ComparedItems, Disagreements, Order
from bestby.report.reported import Drawn, DrawnSystems, InShort, Reported, shown_in, written
from bestby.results.base import MetricInfo, Note, Provenance, negated
from bestby.results.values import ClassShares, Interval, Omnibus, TestResult, extent

MIRRORED_VERDICTS = {
    "better": "worse", "worse": "better", "not worse": "not better", "not better": "not worse",
}  # fmt: skip
"""The verdict of B against A, where it is another than that of A against B."""


UNSEEN = "unseen_differences"
"""The code of the note on systems that are not shown to be equivalent because too few units differ."""


SIMULTANEOUS = "max-t"
"""The name of intervals that hold for all pairs at once, and of p-values that are read from them."""


@dataclass(frozen=True, slots=True, repr=False)
class SystemScore(InShort):
    """The score of one system on one metric.

    Parameters
    ----------
    metric, system : str
        Their names.
    score : float
        On the scale of the metric.
    interval : Interval or None
        Confidence interval of the score; None where it is undefined, which a note then says, or if none was
        asked for (``interval=None``).
    rank_low, rank_high : int or None
        The ranks (1 is best) that the tests of the family leave open, at its level. None without tests
        (``test=None``): scores alone do not show which system is better.
    group : str or None
        Compact letters: two systems that share a letter cannot be told apart, or the test speaks for the one
        with the worse score, of which a note tells. More than 26 groups are
        numbered, as in ``"3-7, 9"``. None when not every pair was tested, or if there are more groups than
        systems.
    standard_error, standard_error_method : float or None, str or None
        Standard error of the score and its source, None where they are for `Difference`.
    if_calibrated : float or None
        Of a calibration error: what it is expected to be for a calibrated system with these probabilities,
        by noise. None for other metrics, or if no interval was asked for.
    n_items : int or None
        Where systems lack items: how many the system has. None where all have the same.
    mean_difference : float or None
        Where systems lack items: the mean of its differences to the others, each on the items both have, by
        which systems stand in order. None where all have the same items, and against a baseline.
    may_be_best : bool or None
        Whether the system may be the best: no other is significantly better by a multiple comparison with the
        best (`BestSet`). None of fewer than three systems, where not every pair was compared, and without
        tests or intervals.
    behind : float or None
        By how much the true score of the best system is better at most. These bounds hold for all systems at
        once. None where `may_be_best` is, and where an interval is undefined.

    See Also
    --------
    Comparison : Holds one per metric and system.
    Interval : Its interval.
    """

    metric: str
    system: str
    score: float
    interval: Interval | None
    rank_low: int | None = None
    rank_high: int | None = None
    group: str | None = None
    standard_error: float | None = field(default=None, kw_only=True)
    standard_error_method: str | None = field(default=None, kw_only=True)
    if_calibrated: float | None = field(default=None, kw_only=True)
    n_items: int | None = field(default=None, kw_only=True)
    mean_difference: float | None = field(default=None, kw_only=True)
    may_be_best: bool | None = field(default=None, kw_only=True)
    behind: float | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class BestSet:
    """The systems that may be the best on one metric, by a multiple comparison with the best.

    Each candidate is compared with all other systems, one-sided and as a family of its own: it stays unless
    another one is significantly better. So the best system is among those that stay with the probability
    `level`, and of several equally good ones each is.

    Parameters
    ----------
    metric : str
        Its name.
    systems : tuple of str
        The systems that stay, the best score first; at least one.
    level : float
        The probability with which the best system is among them.

    See Also
    --------
    SystemScore : Has how far each system is behind the best.
    Leader : The score of the first one.

    References
    ----------
    .. [1] Hsu (1984), Constrained simultaneous confidence intervals for multiple comparisons with the best,
       Ann. Statist. 12, 1136-1144.
    """

    metric: str
    systems: tuple[str, ...]
    level: float


@dataclass(frozen=True, slots=True)
class Leader:
    """The score of the system that came first, without the luck of having been chosen among several.

    Parameters
    ----------
    metric, system : str
        Their names.
    score : float
        As it is.
    corrected : float
        What it would be on average on items that did not choose it, on the scale of the metric.
    interval : Interval
        Confidence interval of its true score that allows for the choice. Its end towards worse scores is that
        of the leader at the level at which the ends of all systems hold at once; the other is the farthest
        of those of all systems by themselves.
    n_systems : int
        Among how many it was chosen.
    baseline : str or None
        The system that all others were compared with. `score`, `corrected` and `interval` are then those of
        the difference, the system minus the baseline.

    See Also
    --------
    SystemScore : The interval of a system that was named beforehand.
    """

    metric: str
    system: str
    score: float
    corrected: float
    interval: Interval
    n_systems: int
    baseline: str | None = None


@dataclass(frozen=True, slots=True)
class FocusRank:
    """The rank of one system that was named in advance, which is narrower than ranks that hold for all.

    Parameters
    ----------
    metric, system : str
        Their names.
    rank_low, rank_high : int
        The ranks (1 is best) that the differences of this system to all others leave open.

    See Also
    --------
    SystemScore : Has the ranks that hold for all systems at once.
    """

    metric: str
    system: str
    rank_low: int
    rank_high: int


@dataclass(frozen=True, slots=True, repr=False)
class RunsScore(SystemScore):
    """The score of one system over its runs.

    Parameters
    ----------
    score : float
        The mean (or median, …) of the runs.
    runs : tuple of float
        The score of each run, in the order given.
    changing_items : float or None
        The share of items whose outcome is not the same in all runs: the value of the item for means, such as
        whether an answer is right, and the answer itself for other metrics. It grows with the number of
        runs. None of one run, and without items.

    See Also
    --------
    RunsComparison : Holds one per system.
    SystemScore : What all scores have.
    """

    runs: tuple[float, ...] = field(kw_only=True)
    changing_items: float | None = field(default=None, kw_only=True)

    @property
    def n_runs(self) -> int:
        """The number of runs."""
        return len(self.runs)

    @property
    def sd(self) -> float:
        """The standard deviation between runs; NaN of one run."""
        return statistics.stdev(self.runs) if len(self.runs) > 1 else math.nan

    @property
    def least(self) -> float:
        """The lowest score of a run."""
        return min(self.runs)

    @property
    def greatest(self) -> float:
        """The highest score of a run."""
        return max(self.runs)


class Tested:
    """A difference between two systems that was tested, whatever it is a difference of."""

    __slots__ = ()

    a: str
    b: str
    estimate: float
    interval: Interval | None
    test: TestResult | None
    p_adjusted: float | None
    greater_is_better: bool
    level: float

    @property
    def p_value(self) -> float | None:
        """The raw p-value; None without a test."""
        return None if self.test is None else self.test.p_value

    @property
    def significant(self) -> bool | None:
        """Whether the two differ significantly: `p_adjusted` is at most 1 - `level`; None without a test."""
        if self.test is None or self.p_adjusted is None:
            return None
        return rejects(self.p_adjusted, alpha_at(self.level))

    @property
    def winner(self) -> str | None:
        """The system with the better score, if the two differ significantly; else None.

        It is None, too, where a test of ranks or signs, or one side of a test, speaks for the system with the
        worse score. Of equal scores the statistic of the test decides.
        """
        return winner_at(self, alpha_at(self.level))


@dataclass(frozen=True, slots=True, repr=False)
class Difference(Tested, InShort, Drawn, Renamed):
    """The difference A minus B between two systems on one metric, and how sure it is.

    Parameters
    ----------
    metric, a, b : str
        The metric and the two systems.
    estimate : float
        Score of A minus score of B, on the scale of the metric, whichever direction is better.
    score_a, score_b : float
        The two scores.
    interval : Interval or None
        Confidence interval of the difference; None where it is undefined, which a note then says, or if none
        was asked for (``interval=None``).
    test : TestResult or None
        The significance test; None if none was asked for (``test=None``).
    p_adjusted : float or None
        The p-value after correction over the family; None without a test.
    greater_is_better : bool
        The direction of the metric.
    n_items, n_differing : int
        Number of items, and of those whose contribution to the metric differs between the two systems.
    verdict : {"better", "worse", "equivalent", "not worse", "not better", "inconclusive"} or None
        Of A against B, from the interval against the margin; None without a margin. "not worse": A is worse
        by less than the margin, if at all, and may be better by more; "not better": the same of B.
    margin : float or None
        The smallest difference that matters.
    notes : tuple of Note
        What must be known about this difference.
    n_clusters : int
        Number of clusters the items lie in; 0 if they are independent.
    equivalence_interval : Interval or None
        The interval that the verdicts "equivalent", "not worse" and "not better" rest on: that of two
        one-sided tests at the level of the test, so at the level 1 - 2 alpha (90 % for 95 %). None without a
        margin, and where the data cannot show equivalence.
    level : float
        Nominal coverage of the interval; 1 - level is the level of the test.
    standard_error : float or None
        Standard error of the difference; None where it is undefined, or if no interval was asked for.
    standard_error_method : str or None
        Where it comes from. ``"formula"``: sd / sqrt(n) for a mean of n items or runs (of two samples of
        runs the root of the sum of squares), the delta method for other functions of sums. ``"cr2"``,
        ``"two-way"``: cluster-robust. ``"crossed"``: over items and runs together. ``"components"``: over
        facets. ``"sandwich"``, ``"fisher"``: of fitted strengths, from the judgements or from the Fisher
        information. ``"bootstrap"``: the standard deviation of the bootstrap replicates. ``"corrected-t"``,
        ``"conservative-t"``: over the folds of cross-validation, corrected for what they have in common.

    See Also
    --------
    Comparison : Holds one per metric and pair.
    Interval : Its interval.
    TestResult : Its test.
    """

    metric: str
    a: str
    b: str
    estimate: float
    score_a: float
    score_b: float
    interval: Interval | None
    test: TestResult | None
    p_adjusted: float | None
    greater_is_better: bool
    n_items: int
    n_differing: int
    verdict: str | None = None
    margin: float | None = None
    notes: tuple[Note, ...] = ()
    n_clusters: int = 0
    equivalence_interval: Interval | None = None
    level: float = field(default=0.95, kw_only=True)
    standard_error: float | None = field(default=None, kw_only=True)
    standard_error_method: str | None = field(default=None, kw_only=True)

    _renamed: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("p", "pvalue"), "it is p_value"),
        **dict.fromkeys(("ci", "confidence_interval"), "it is interval, with low and high"),
        "better": "winner is the system with the better score if the two differ significantly, else None",
        "favoured": "winner is None where test and score disagree; test.direction is that of the test",
        "ahead": "winner is None where they do not differ significantly; estimate says which is higher",
        "opposed": "winner is None where test and score disagree",
    }

    @staticmethod
    def _figure() -> Any:
        from bestby.report.figures.forest import interval

        return interval

    @property
    def exact(self) -> bool | None:
        """Whether the p-value is exact; None without a test."""
        return None if self.test is None else self.test.exact

    @property
    def extent(self) -> str:
        """How much was compared, in words."""
        return extent(self.n_items, self.n_clusters)

    @property
    def sentence(self) -> str:
        """The difference in plain words, the size before the significance."""
        from bestby.report import words as words_module

        return words_module.difference_sentence(self)

    def mirrored(self) -> Self:
        """Return the difference B minus A."""
        return dataclasses.replace(self, **self._mirrored_fields())

    def _mirrored_fields(self) -> dict[str, Any]:
        return {
            "a": self.b,
            "b": self.a,
            "estimate": negated(self.estimate),
            "score_a": self.score_b,
            "score_b": self.score_a,
            "interval": self.interval and self.interval.mirrored(),
            "test": self.test and self.test.mirrored(),
            "equivalence_interval": self.equivalence_interval and self.equivalence_interval.mirrored(),
            "verdict": MIRRORED_VERDICTS.get(self.verdict or "", self.verdict),
        }

    def __str__(self) -> str:
        from bestby.report import words as words_module

        return words_module.with_standard_error(self)


class _OfMetric(Protocol):
    @property
    def metric(self) -> str: ...


Part = TypeVar("Part", bound=_OfMetric)


def part_about(parts: Sequence[Part], metric: MetricInfo) -> Part | None:
    """Return the part that is about a metric, or None."""
    return next((part for part in parts if part.metric == metric.name), None)


def better_by_score(d: Tested) -> str | None:
    """Return the system with the better score, significant or not; None if the scores are equal."""
    if d.estimate == 0.0 or d.estimate != d.estimate:
        return None
    return d.a if (d.estimate > 0.0) == d.greater_is_better else d.b


def better_by_test(d: Tested) -> str | None:
    """Return the system for which the statistic of the test speaks, significant or not; None if for neither.

    Tests of ranks and signs can speak for the system with the worse mean.
    """
    direction = None if d.test is None else d.test.direction
    if direction is None:
        return None
    return d.a if (direction == "greater") == d.greater_is_better else d.b


def opposed(d: Tested) -> bool:
    """Return whether the test speaks for one system and the score for the other."""
    by_score, by_test = better_by_score(d), better_by_test(d)
    return None not in (by_score, by_test) and by_score != by_test


def winner_at(d: Tested, alpha: float) -> str | None:
    """Return the winner of a difference at another level than its own.

    Ranks, groups, headlines, marks and notes all follow it. A rejection counts for the system that the
    statistic of the test speaks for, and only if that one does not have the worse score: a sign test for the
    system with the worse mean says nothing for the better mean of the other. Where adjusted p-values are
    those of simultaneous intervals, the interval decides.
    """
    if d.test is None or d.p_adjusted is None or not rejects(d.p_adjusted, alpha):
        return None
    if by_interval(d):
        return better_by_score(d)
    one_sided = d.test.alternative != "two-sided"
    if one_sided and d.test.direction is not None and d.test.direction != d.test.alternative:
        return None  # a level above one half rejects towards a side on which the data are not
    return None if opposed(d) else better_by_score(d) or better_by_test(d)


def by_interval(d: Tested) -> bool:
    """Return whether the adjusted p-value is that of a simultaneous interval, not of the test."""
    return d.interval is not None and d.interval.method == SIMULTANEOUS


@runtime_checkable
class Indexed(Protocol):
    """Differences that are not held one by one: they are asked for by their names."""

    def find(self, metric: str, a: str, b: str) -> Difference | None:
        """Return A minus B on a metric if it is held in this direction, else None."""


class Paired(Reported):
    """What every comparison of pairs of systems can do: look up and iterate over its differences."""

    if TYPE_CHECKING:  # fields of the subclasses

        @property
        def differences(self) -> Sequence[Difference]: ...  # noqa: D102
        @property
        def baseline(self) -> str | None: ...  # noqa: D102
        @property
        def metric(self) -> MetricInfo: ...  # noqa: D102
        @property
        def systems(self) -> tuple[Any, ...]: ...  # noqa: D102
        @property
        def best_sets(self) -> tuple[BestSet, ...]: ...  # noqa: D102

    @cached_property
    def _index(self) -> dict[tuple[str, str, str], int]:
        """The position of each difference by its metric and systems."""
        return {(d.metric, d.a, d.b): i for i, d in enumerate(self.differences)}

    @property
    def _metric_names(self) -> list[str]:
        return [self.metric.name]

    @property
    def _system_names(self) -> list[str]:
        return list(self.systems)

    @property
    def best(self) -> BestSet | None:
        """The systems that may be the best on the first metric; None where that was not asked."""
        return next((one for one in self.best_sets if one.metric == self._metric_names[0]), None)

    def find(self, metric: str, a: str, b: str) -> Difference | None:
        """Return A minus B on a metric if the comparison holds it in this direction, else None."""
        if isinstance(self.differences, Indexed):
            return self.differences.find(metric, a, b)
        position = self._index.get((metric, a, b))
        return None if position is None else self.differences[position]

    def __getitem__(self, key: tuple[str, ...]) -> Difference:
        """Return the difference A minus B: ``result[a, b]``, or ``result[a, b, metric]``."""
        names = self._metric_names
        if not isinstance(key, tuple) or len(key) not in (2, 3):
            raise InvalidInputError(
                f"a comparison is indexed by two systems, got {quoted(key)}", hint="result['a', 'b']"
            )
        a, b, metric = key if len(key) == 3 else (*key, names[0])
        if len(key) == 2 and len(names) > 1:
            raise InvalidInputError(
                f"the comparison has {len(names)} metrics: {', '.join(names)}",
                hint=f"name one: result[{quoted(a)}, {quoted(b)}, {quoted(names[0])}]",
            )
        if (difference := self.find(metric, a, b)) is not None:
            return difference
        if (opposite := self.find(metric, b, a)) is not None:
            return opposite.mirrored()
        raise InvalidInputError(
            f"no difference between {quoted(a)} and {quoted(b)} on {quoted(metric)} in this comparison",
            hint=f"systems: {', '.join(self._system_names)}; metrics: {', '.join(names)}"
            + (f"; baseline: {self.baseline}" if self.baseline else ""),
        )

    def __iter__(self) -> Iterator[Difference]:
        return iter(self.differences)

    def __len__(self) -> int:
        return len(self.differences)

    def __bool__(self) -> bool:
        """Return True: a result without differences still has scores."""
        return True


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Comparison(DrawnSystems, Paired):
    """The result of `compare`: scores, differences, and how they were computed.

    Parameters
    ----------
    metrics : tuple of MetricInfo
        In the order asked for.
    systems : tuple of SystemScore
        Per metric, the best first.
    differences : sequence of Difference
        Per metric, in the order of the ranks (two-sided, every pair), as given (one-sided), or each system
        against the baseline. A tuple; of thousands of pairs of proportions each is made when asked for.
    omnibus : tuple of Omnibus
        For three or more systems, where the metric is a mean over items.
    notes : tuple of Note
        Notes of the comparison as a whole; those of a difference are with it.
    provenance : Provenance
        Settings, versions, seed and data hash.
    n_items, n_clusters : int
        Number of items, and of the clusters they lie in; 0 if they are independent.
    level, correction : float, str
        Confidence level, and how p-values were adjusted.
    margin : float or None
        The smallest difference that matters.
    baseline : str or None
        The system all others were compared with.
    classes : tuple of ClassShares
        For metrics of labels, how often each class occurs in the gold and, after it, in each system; empty
        for other metrics and for more than 50 classes.
    best_sets : tuple of BestSet
        Per metric, which of three or more systems may be the best; empty against a baseline, and without
        tests or intervals.
    leaders : tuple of Leader
        Per metric, the score of the first of three or more systems without the luck of the choice, if another
        one could be first; against a baseline the difference of the first one from it.
    focus : tuple of FocusRank
        Per metric, the rank of the system that `focus` named.

    See Also
    --------
    bestby.compare : Makes it.
    bestby.evaluate : Makes one of scores alone.
    bestby.load : Reads it back from JSON.
    """

    metrics: tuple[MetricInfo, ...]
    systems: tuple[SystemScore, ...]
    differences: Sequence[Difference]
    omnibus: tuple[Omnibus, ...]
    notes: tuple[Note, ...]
    provenance: Provenance
    n_items: int
    level: float
    correction: str
    margin: float | None = None
    baseline: str | None = None
    n_clusters: int = 0
    classes: tuple[ClassShares, ...] = ()
    best_sets: tuple[BestSet, ...] = field(default=(), kw_only=True)
    leaders: tuple[Leader, ...] = field(default=(), kw_only=True)
    focus: tuple[FocusRank, ...] = field(default=(), kw_only=True)
    _items: ComparedItems | None = field(default=None, kw_only=True)

    kind: ClassVar[str] = "comparison"

    @staticmethod
    def _report() -> Any:
        from bestby.questions.items import report

        return report

    @property
    def _metric_names(self) -> list[str]:
        return [metric.name for metric in self.metrics]

    @property
    def _system_names(self) -> list[str]:
        return list(dict.fromkeys(entry.system for entry in self.systems))

    @overload
    def __getitem__(self, key: str) -> SystemScore: ...
    @overload
    def __getitem__(self, key: tuple[str, ...]) -> Difference: ...
    def __getitem__(self, key: Any) -> SystemScore | Difference:
        """Return a difference, as ``result[a, b]``; without differences a score, as ``result[a]``."""
        if self.differences or (isinstance(key, tuple) and len(key) != 2):
            return Paired.__getitem__(self, key)
        return self.score(key) if isinstance(key, str) else self.score(*key)

    def score(self, system: str, metric: str | None = None) -> SystemScore:
        """Return the score of one system on one metric (the first if none is named)."""
        name = metric or self.metrics[0].name
        for entry in self.systems:
            if entry.system == system and entry.metric == name:
                return entry
        raise InvalidInputError(
            f"no score of {quoted(system)} on {quoted(name)} in this comparison",
            hint=f"systems: {', '.join(self._system_names)}",
        )

    @property
    def in_pairs(self) -> bool:
        """Whether systems lack items, so that every two were compared on those that both have."""
        return bool(self.provenance.settings.get("on_missing") == "pairs")

    @property
    def in_bounds(self) -> bool:
        """Whether intervals and tests hold whether the items that systems lack are the worst or the best."""
        return bool(self.provenance.settings.get("on_missing") == "bounds")

    @property
    def leader(self) -> Leader | None:
        """The first system on the first metric without its luck; None where no other could be first."""
        return part_about(self.leaders, self.metrics[0])

    @property
    def extent(self) -> str:
        """How much was compared, in words."""
        return extent(self.n_items, self.n_clusters)

    def disagreements(
        self, a: str, b: str, metric: str | None = None, *, order: Order = "effect"
    ) -> Disagreements:
        """Return the items on which two systems differ, with gold, predictions, cluster and effect.

        Parameters
        ----------
        a, b : str
            The two systems; effects are on the difference A minus B.
        metric : str, optional
            One of the metrics; the first by default.
        order : {"effect", "won", "lost", "item"}
            The largest effects first, whatever their sign; the items that A won, or those that A lost, first;
            or as they came.

        Returns
        -------
        Disagreements
            A record per item on which the two differ in what the metric counts. They hold the gold, which you
            may not want to publish.

        Raises
        ------
        DesignError
            If the result does not have its items at hand: it is not of `compare` or `evaluate`, it was
            loaded, copied or unpickled, or the rows of a large table were counted as they were read.
        InvalidInputError
            If there is no such system, metric or order.

        See Also
        --------
        Disagreement : What is known of an item, and what its effect is.

        Notes
        -----
        Of a metric that is no function of sums, such as a function of your own, the score is computed again
        for every item on which the two differ.

        Examples
        --------
        >>> from bestby import compare
        >>> result = compare(
        ...     {"new": [1, 0, 1, 1], "old": [1, 1, 1, 0]},
        ...     gold=[1, 1, 0, 1],
        ...     n_resamples=99,
        ... )
        >>> [
        ...     (row.item, row.winner, row.effect)
        ...     for row in result.disagreements("new", "old")
        ... ]
        [(1, 'old', -0.25), (3, 'new', 0.25)]
        """
        name = metric or self.metrics[0].name
        for system in (a, b):
            self.score(system, name)
        if a == b:
            raise InvalidInputError(f"a and b must be two systems, got {quoted(a)} twice")
        checks.choice(order, ORDERS, "order")
        return self._compared_items().disagreements(name, a, b, order)

    def _compared_items(self) -> ComparedItems:
        """Return the data of the items; an error where the result has none."""
        if self._items is None:
            raise DesignError(
                "the items of this comparison are not at hand: only the results of compare and evaluate have"
                " them, and those that were loaded or copied do not",
                hint="compare the data again in this session, with one run of each system:"
                " compare(...).disagreements(a, b)",
            )
        return self._items

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what is pickled or copied: the data stay behind, as in JSON.

        Python before 3.11.4 replaces a `__getstate__` of dataclasses with slots.
        """
        state = [
            None if one.name == "_items" else getattr(self, one.name) for one in dataclasses.fields(self)
        ]
        return copyreg.__newobj__, (type(self),), state  # type: ignore[attr-defined]

    @with_suggestions
    def to_html(
        self,
        path: str | Path | None = None,
        *,
        top: int | None = None,
        percent: bool = False,
        items: bool = False,
    ) -> str:
        """Return one self-contained HTML page; write it to `path` if given.

        Parameters
        ----------
        path : str or Path, optional
            Where to write it.
        top : int, optional
            How many of the best systems are shown; by default all of up to 50, and 20 of more. Where not all
            are shown, the page can be searched for them and for each pair.
        percent : bool
            As for `table`.
        items : bool
            Add the items on which the systems differ, up to 300 per metric. This publishes their gold and
            predictions.

        Raises
        ------
        DesignError
            If the items are asked for and not at hand, as for `disagreements`.
        """
        from bestby.report.writers import html

        if items:
            self._compared_items()
        return written(html.to_html(shown_in(self, percent), top, items=items), path)
