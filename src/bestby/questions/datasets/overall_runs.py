"""The runs of all datasets together, for other runs on these very datasets.

The estimate is the mean over the datasets of the location of the runs on each (`Strata`); of medians, trimmed
and interquartile means also that of all runs together (`Pooled`), where every run has the weight 1 / (number
of datasets * runs on its dataset). With equal numbers of runs the interquartile mean is that of Agarwal et
al. (2021), Deep reinforcement learning at the edge of the statistical precipice, NeurIPS, section 4.3.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

import numpy as np

from bestby._core import rounding
from bestby._core.chunks import chunks
from bestby._core.typing import FloatArray
from bestby.comparisons import equivalence, family, per_dataset
from bestby.engine.base import Drawing
from bestby.engine.runs import FEW_FOR_BOOTSTRAP, RunScores
from bestby.inference import multiplicity, permutation, samples
from bestby.inference.distributions import replicates
from bestby.inference.intervals import percentile
from bestby.questions.datasets.result import MeanImprovement, Overall, RunsOverall
from bestby.questions.datasets.source import DatasetScores
from bestby.questions.runs.differences import apart
from bestby.questions.runs.source import Settings
from bestby.report.comparison import Difference
from bestby.report.replicability import Names
from bestby.results.base import Note
from bestby.results.values import Interval, TestResult, defined

METHOD = "stratified-t"


@dataclass(frozen=True, eq=False)
class Strata:
    """The runs of every system, dataset by dataset; each dataset draws independently."""

    strata: Sequence[RunScores]
    names: tuple[str, ...]
    settings: Settings

    average: ClassVar[str] = "macro"

    @classmethod
    def of(cls, scores: DatasetScores, settings: Settings, drawing: Drawing) -> Self:
        """Return the strata of scores that hold runs; each dataset has a seed of its own."""
        statistic, paired, strata = settings.statistic, settings.paired, []
        for name, data in scores.runs.items():
            here = dataclasses.replace(drawing, seed=per_dataset.derived_seed(drawing.seed, name))
            strata.append(RunScores(data.estimator.scores, data.names, statistic, paired, here))
        return cls(strata, scores.names, settings)

    @property
    def resamples(self) -> bool:
        """Whether intervals are made of resampled runs."""
        return self.settings.interval == "percentile"

    def estimate(self, a: int, b: int | None = None) -> float:
        """Return the mean over the datasets of a location, or of a difference of two."""
        return math.fsum(one.estimate(a, b) for one in self.strata) / len(self.strata)

    def error(self, a: int, b: int | None = None) -> tuple[float, float]:
        """Return the standard error of the mean, and its degrees of freedom (Satterthwaite 1946).

        The variances on the datasets are added, over the squared number of datasets.
        """
        errors = [self._error(one, a, b) for one in self.strata]
        error, freedom = samples.welch([error**2 for error, _ in errors], [df for _, df in errors])
        return error / len(self.strata), freedom

    def standard_error(self, a: int, b: int | None = None) -> tuple[float, str]:
        """Return the standard error and where it comes from."""
        return self.error(a, b)[0], "formula"

    def _error(self, one: RunScores, a: int, b: int | None) -> tuple[float, float]:
        statistic = self.settings.statistic
        if b is None:
            square = samples.squared_error(one.scores[a], statistic)
            assert square is not None  # single runs were refused
            return math.sqrt(square[0]), float(square[1])
        error = samples.difference_error(one.scores[a], one.scores[b], statistic, paired=self.settings.paired)
        assert error is not None
        return error

    def size(self, a: int, b: int | None) -> float:
        """Return the size of the scores, to which rounding is relative."""
        return max(
            samples.typical_size(one.scores[a], one.scores[a if b is None else b], self.settings.statistic)
            for one in self.strata
        )

    def drawn(self, a: int, b: int | None) -> FloatArray:
        """Return the mean of resampled runs, drawn anew inside each dataset, shape (B,)."""
        parts = [
            one.resampled(a) if b is None else one.resampled(a) - one.resampled(b) for one in self.strata
        ]
        return np.asarray(np.mean(parts, axis=0))

    def interval(self, a: int, b: int | None, level: float) -> family.Bounds:
        """Return the interval of the mean for other runs; None and a note where the runs do not vary."""
        scale = max(self.size(a, b), abs(self.estimate(a, b)))
        if self.resamples:
            ends = percentile(replicates(self.drawn(a, b), scale), level)
            interval = Interval(*ends, level, "percentile", False)
        else:
            interval = samples.t_interval(self.estimate(a, b), *self.error(a, b), level, METHOD)
        constant = "constant_scores" if b is None else "constant_difference"
        return defined(interval, scale=scale, constant=constant)

    def interval_of(self, a: str, b: str, level: float) -> Interval | None:
        """Return the interval of the mean difference of two systems, by their names."""
        return self.interval(self.names.index(a), self.names.index(b), level)[0]

    def few(self) -> list[Note]:
        """Return the note on resamples of few runs, which vary less than other runs would."""
        fewest = min(x.size for one in self.strata for x in one.scores)
        if not self.resamples or fewest >= FEW_FOR_BOOTSTRAP:
            return []
        message = f"with {fewest} runs on each dataset bootstrap intervals over all of them are too short"
        message += '; use interval="t"' if self.settings.statistic != "median" else ""
        return [Note("short_interval", message)]

    def test(self, a: int, b: int, greater_is_better: bool) -> TestResult:
        """Return the t test of the mean difference; without any variance, that of the best-ordered split."""
        logs = [
            math.log(samples.smallest_p(one.scores[a].size, one.scores[b].size, self.settings.paired))
            for one in self.strata
        ]
        least = math.exp(max(math.fsum(logs), math.log(np.finfo(np.float64).tiny)))
        return samples.t_result(
            METHOD,
            self.estimate(a, b),
            *self.error(a, b),
            self.settings.towards(greater_is_better),
            least,
            self.size(a, b),
        )

    def differing(self, a: int, b: int) -> tuple[int, int]:
        """Return how many runs, or pairs of runs, are apart from the others, and how many there are."""
        counts = [apart(one.scores[a], one.scores[b], self.settings.paired) for one in self.strata]
        return sum(n for n, _ in counts), sum(n for _, n in counts)


@dataclass(frozen=True, eq=False)
class Pooled(Strata):
    """The runs of all datasets together, every dataset with the same weight.

    Intervals of trimmed means are Student's t with the winsorized runs of each dataset, those of medians
    percentiles of runs drawn anew inside each dataset.
    """

    _resampled_locations: dict[int, FloatArray] = field(default_factory=dict, init=False, repr=False)

    average = "micro"

    @property
    def resamples(self) -> bool:
        """Whether intervals are made of resampled runs: those of medians always."""
        return self.settings.statistic == "median" or self.settings.interval == "percentile"

    def runs(self, system: int) -> list[FloatArray]:
        """Return the runs of a system on each dataset."""
        return [one.scores[system] for one in self.strata]

    def estimate(self, a: int, b: int | None = None) -> float:
        """Return the location of all runs, or the difference of two."""
        score = self._location(a)
        return score if b is None else score - self._location(b)

    def _location(self, system: int) -> float:
        runs = self.runs(system)
        values = np.concatenate(runs)[None]
        return float(pooled_location(values, weights_of(runs), self.settings.statistic)[0])

    def error(self, a: int, b: int | None = None) -> tuple[float, float]:
        """Return the standard error of the location, and its degrees of freedom."""
        other = None if b is None else self.runs(b)
        return pooled_error(self.runs(a), other, self.settings.statistic, paired=self.settings.paired)

    def standard_error(self, a: int, b: int | None = None) -> tuple[float, str]:
        """Return the standard error and where it comes from: of medians from resamples."""
        if self.settings.statistic == "median":
            return float(self.drawn(a, b).std(ddof=1)), "bootstrap"
        return super().standard_error(a, b)

    def drawn(self, a: int, b: int | None) -> FloatArray:
        """Return the location of resampled runs, drawn anew inside each dataset, shape (B,)."""
        return self._resampled(a) if b is None else self._resampled(a) - self._resampled(b)

    def _resampled(self, system: int) -> FloatArray:
        if system in self._resampled_locations:
            return self._resampled_locations[system]
        rows, runs = [], self.runs(system)
        for one, x in zip(self.strata, runs, strict=True):
            name = "" if self.settings.paired else one.names[system]
            chosen = samples.drawn_runs(x.size, one.drawing.n_resamples, one.drawing.seed, name)
            rows.append(x[chosen])
        values = pooled_location(np.concatenate(rows, axis=1), weights_of(runs), self.settings.statistic)
        self._resampled_locations[system] = values
        return values

    def test(self, a: int, b: int, greater_is_better: bool) -> TestResult:
        """Return the t test of the difference; of medians, the test that inverts the percentile interval."""
        if self.settings.statistic != "median":
            return super().test(a, b, greater_is_better)
        alternative = self.settings.towards(greater_is_better)
        drawn, observed, scale = self.drawn(a, b), self.estimate(a, b), self.size(a, b)
        if samples.no_spread(float(np.ptp(drawn)), observed, scale):
            return super().test(a, b, greater_is_better)
        return permutation.inverted_percentile(drawn, observed, alternative, name="bootstrap-runs")


def pooled_location(rows: FloatArray, weights: FloatArray, statistic: str) -> FloatArray:
    """Return the location of each row of runs with these weights, shape (B, N) -> (B,).

    >>> pooled_location(np.array([[4.0, 1.0, 2.0, 30.0]]), np.full(4, 0.25), "iqm")
    array([3.])
    """
    cut = cut_of(weights.size, statistic)
    if cut == 0.0:
        return np.asarray(rows @ weights)
    return np.concatenate([_trimmed(rows[part], weights, cut) for part in chunks(len(rows), weights.size)])


def weights_of(strata: Sequence[FloatArray]) -> FloatArray:
    """Return the weight of each run, stratum by stratum; they sum to 1.

    >>> weights_of([np.zeros(2), np.zeros(4)])
    array([0.25 , 0.25 , 0.125, 0.125, 0.125, 0.125])
    """
    return np.concatenate([np.full(x.size, 1.0 / (len(strata) * x.size)) for x in strata])


def cut_of(n: int, statistic: str) -> float:
    """Return the share of the weight that a location leaves out at either end: whole runs of n equal ones.

    >>> cut_of(10, "iqm"), cut_of(10, "median"), cut_of(9, "median") * 9
    (0.2, 0.4, 4.0)
    """
    if statistic == "median":
        return ((n - 1) // 2) / n
    return rounding.round_down(samples.TRIMMED.get(statistic, 0.0) * n) / n


def _trimmed(rows: FloatArray, weights: FloatArray, cut: float) -> FloatArray:
    order = np.argsort(rows, axis=1, kind="stable")
    inner = _inner_weights(weights[order], cut)
    return np.asarray((np.take_along_axis(rows, order, axis=1) * inner).sum(axis=1) / inner.sum(axis=1))


def _inner_weights(ordered: FloatArray, cut: float) -> FloatArray:
    """Return what is left of the weights of ordered runs if a share is cut off at either end."""
    ends = np.cumsum(ordered, axis=-1)
    inner = np.minimum(ends, 1.0 - cut) - np.maximum(ends - ordered, cut)
    return np.where(inner > 1e-12, inner, 0.0)  # the rest is the rounding of the sum


def pooled_error(
    a: Sequence[FloatArray], b: Sequence[FloatArray] | None, statistic: str, *, paired: bool
) -> tuple[float, float]:
    """Return the standard error of a location, or of the difference of two, and its degrees of freedom.

    The influence of a run on a trimmed mean is its winsorized value over the share that is kept. So the
    variance is that of the winsorized runs around the mean of their stratum, as Yuen's (1974, Biometrika 61,
    165-170) is around that of all, summed over the strata, with Satterthwaite's degrees of freedom. That of
    the median needs resamples.
    """
    sides = [_influences(x, statistic) for x in (a, b) if x is not None]
    if paired and len(sides) == 2:
        sides = [[x - y for x, y in zip(*sides, strict=True)]]
    parts = [x for side in sides for x in side]
    variances = [float(x.var(ddof=1)) / x.size for x in parts]
    error, freedom = samples.welch(variances, [x.size - 1 for x in parts])
    return error / len(a), freedom


def _influences(strata: Sequence[FloatArray], statistic: str) -> list[FloatArray]:
    share = 1.0 - 2.0 * cut_of(sum(x.size for x in strata), statistic)
    return [x / share for x in winsorized(strata, statistic)]


def winsorized(strata: Sequence[FloatArray], statistic: str) -> list[FloatArray]:
    """Return the runs, those that the location leaves out moved to the nearest of the others."""
    values = np.concatenate(strata)
    order = np.argsort(values, kind="stable")
    is_inner = _inner_weights(weights_of(strata)[order], cut_of(values.size, statistic)) > 0.0
    inner = values[order][is_inner]
    return [np.clip(x, inner[0], inner[-1]) for x in strata]


def overall_of_runs(
    strata: Strata, pairs: Sequence[Names], greater_is_better: bool
) -> list[tuple[Overall, tuple[Note, ...]]]:
    """Return the differences over all datasets with runs varying, pair by pair, and their notes."""
    settings, places = strata.settings, [_places(strata.names, pair) for pair in pairs]
    tests: list[TestResult | None] = [None] * len(pairs)
    adjusted: list[float | None] = [None] * len(pairs)
    if settings.test is not None and pairs:
        tested = [strata.test(*place, greater_is_better) for place in places]
        tests = [*tested]
        adjusted = multiplicity.adjust([test.p_value for test in tested], settings.correction).tolist()
    return [
        _overall(strata, pair, place, test, p, greater_is_better)
        for pair, place, test, p in zip(pairs, places, tests, adjusted, strict=True)
    ]


def _overall(
    strata: Strata,
    pair: Names,
    place: tuple[int, int],
    test: TestResult | None,
    p_adjusted: float | None,
    greater_is_better: bool,
) -> tuple[Overall, tuple[Note, ...]]:
    settings, estimate = strata.settings, strata.estimate(*place)
    if settings.interval is None:
        return Overall(*pair, strata.average, "runs", estimate, None, test=test, p_adjusted=p_adjusted), ()
    interval, tost, notes = family.with_equivalence(
        lambda level: strata.interval(*place, level), settings.level, settings.margin
    )
    tost, _ = equivalence.interval_of_unbounded(*strata.differing(*place), tost, settings.margin)
    scores = (strata.estimate(place[0]), strata.estimate(place[1]))
    interval, tost = (family.on_marks(one, scores, settings.margin) for one in (interval, tost))
    bounded = settings.margin is not None
    entry = Overall(
        *pair,
        strata.average,
        "runs",
        estimate,
        interval,
        *strata.standard_error(*place),
        family.verdict(interval, tost, settings.margin, greater_is_better),
        tost if bounded else None,
        test,
        p_adjusted,
    )
    return entry, notes


def _places(names: tuple[str, ...], pair: Names) -> tuple[int, int]:
    return names.index(pair[0]), names.index(pair[1])


def systems_overall(
    strata: Strata, differences: Sequence[Difference], greater_is_better: bool, *, gaps: bool
) -> tuple[RunsOverall, ...]:
    """Return every system over its runs on all datasets, the best first, with the ranks left open.

    `gaps` asks for the optimality gaps.
    """
    settings = strata.settings
    estimates = np.array([strata.estimate(s) for s in range(len(strata.names))])
    order = family.ranked(estimates, strata.names, greater_is_better)
    open_ranks, systems = None, []
    if differences and all(d.test is not None for d in differences):
        names = [strata.names[s] for s in order]
        open_ranks = family.standings(names, differences, settings.alpha, lettered=False)
    for rank, s in enumerate(order):
        interval = None
        if settings.interval is not None:
            interval = strata.interval(s, None, settings.level)[0]
        place = family.standing(open_ranks, rank)
        ranks = place["rank_low"], place["rank_high"]
        gap = _gap(strata, s) if gaps else (None, None)
        systems.append(RunsOverall(strata.names[s], float(estimates[s]), interval, *ranks, *gap))
    return tuple(systems)


def _gap(strata: Strata, system: int) -> tuple[float, Interval | None]:
    """Return the mean over the datasets of how far runs are below 1, and its interval for other runs."""
    gaps = [[np.maximum(0.0, 1.0 - one.scores[system])] for one in strata.strata]
    plain = dataclasses.replace(strata.settings, statistic="mean", margin=None)
    parts = [
        RunScores(x, one.names[:1], "mean", False, one.drawing)
        for x, one in zip(gaps, strata.strata, strict=True)
    ]
    below = Strata(parts, strata.names[:1], plain)
    interval = None if plain.interval is None else below.interval(0, None, plain.level)[0]
    return below.estimate(0), interval


def mean_improvements(strata: Strata, pairs: Sequence[Names]) -> tuple[MeanImprovement, ...]:
    """Return how likely a run of A is above one of B, on average over the datasets, pair by pair."""
    settings, improvements = strata.settings, []
    for pair in pairs:
        a, b = _places(strata.names, pair)
        runs = [(one.scores[a], one.scores[b]) for one in strata.strata]
        if settings.interval is None:
            probabilities = [samples.probability(x, y, paired=settings.paired) for x, y in runs]
            improvements.append(MeanImprovement(*pair, math.fsum(probabilities) / len(probabilities), None))
            continue
        mean = samples.mean_over_strata(runs, settings.level, paired=settings.paired)
        improvements.append(MeanImprovement(*pair, *mean))
    return tuple(improvements)


def profile(
    strata: Sequence[FloatArray], at: FloatArray, *, greater_is_better: bool
) -> tuple[FloatArray, FloatArray]:
    """Return the share of the runs that are better than each of some scores, and its standard error.

    The performance profile of Agarwal et al. (2021), section 4.2: the mean of the shares of the strata. The
    error is that of runs drawn anew inside each stratum.

    >>> share, error = profile([np.array([1.0, 2.0]), np.array([2.0, 3.0])], np.array([0.0, 1.5]),
    ...                        greater_is_better=True)
    >>> share, error.round(2)
    (array([1.  , 0.75]), array([0.  , 0.25]))
    """
    shares = np.array(
        [(x[:, None] > at if greater_is_better else x[:, None] < at).mean(axis=0) for x in strata]
    )
    sizes = np.array([x.size for x in strata])[:, None]
    variances = (shares * (1.0 - shares) / (sizes - 1)).sum(axis=0)
    return shares.mean(axis=0), np.sqrt(variances) / len(strata)
