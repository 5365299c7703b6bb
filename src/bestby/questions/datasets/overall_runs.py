"""The differences over the runs of all datasets together, for other runs on these very datasets."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from bestby._core.typing import FloatArray, IntArray
from bestby.comparisons.common import equivalence, family, per_dataset
from bestby.engine.base import Drawing
from bestby.engine.runs import FEW_FOR_BOOTSTRAP, Separate
from bestby.inference import improvement, locations, multiplicity, samples
from bestby.inference.distributions import replicates
from bestby.inference.intervals import percentile
from bestby.questions.datasets.dataset_runs_result import MeanImprovement, RunsOverall
from bestby.questions.datasets.result import Overall
from bestby.questions.datasets.source import DatasetScores
from bestby.questions.datasets.strata import gaps as gaps_of
from bestby.questions.runs.differences import apart
from bestby.questions.runs.settings import Settings
from bestby.results.base import Note
from bestby.results.by_pair import Names
from bestby.results.values import Interval, TestResult, defined

METHOD = "stratified-t"


@dataclass(frozen=True, eq=False)
class Strata:
    """The runs of every system, with a maker of intervals for each dataset; these draw independently."""

    makers: Sequence[Separate]
    names: tuple[str, ...]
    settings: Settings

    average: ClassVar[str] = "macro"

    @classmethod
    def of(cls, scores: DatasetScores, settings: Settings, drawing: Drawing) -> Self:
        """Return the strata of scores that hold runs; each dataset has a seed of its own."""
        makers = []
        for name, data in scores.runs.items():
            assert isinstance(data.maker, Separate)
            own = dataclasses.replace(drawing, seed=per_dataset.derived_seed(drawing.seed, name))
            makers.append(Separate(data.maker.scores, data.names, settings.statistic, settings.paired, own))
        return cls(makers, scores.names, settings)

    @property
    def resamples(self) -> bool:
        """Whether intervals are made of resampled runs."""
        return self.settings.interval == "percentile"

    def estimate(self, a: int, b: int | None = None) -> float:
        """Return the mean over the datasets of a location, or of a difference of two."""
        return math.fsum(one.estimate(a, b) for one in self.makers) / len(self.makers)

    def error(self, a: int, b: int | None = None) -> tuple[float, float]:
        """Return the standard error of the mean, and its degrees of freedom (Satterthwaite 1946).

        The variances on the datasets are added, over the squared number of datasets.
        """
        found = [self._error(one, a, b) for one in self.makers]
        error, freedom = locations.combined([error**2 for error, _ in found], [df for _, df in found])
        return error / len(self.makers), freedom

    def standard_error(self, a: int, b: int | None = None) -> tuple[float, str]:
        """Return the standard error and where it comes from."""
        return self.error(a, b)[0], "formula"

    def _error(self, one: Separate, a: int, b: int | None) -> tuple[float, float]:
        statistic = self.settings.statistic
        if b is None:
            square = locations.squared_error(one.scores[a], statistic)
            assert square is not None  # single runs were refused
            return math.sqrt(square[0]), float(square[1])
        error = locations.difference_error(
            one.scores[a], one.scores[b], statistic, paired=self.settings.paired
        )
        assert error is not None
        return error

    def size(self, a: int, b: int | None) -> float:
        """Return the size of the scores, to which rounding is relative."""
        return max(
            locations.size_of(one.scores[a], one.scores[a if b is None else b], self.settings.statistic)
            for one in self.makers
        )

    def drawn(self, a: int, b: int | None) -> FloatArray:
        """Return the mean of resampled runs, drawn anew inside each dataset, shape (B,)."""
        parts = [
            one.resampled(a) if b is None else one.resampled(a) - one.resampled(b) for one in self.makers
        ]
        return np.asarray(np.mean(parts, axis=0))

    def interval(self, a: int, b: int | None, level: float) -> family.Bounds:
        """Return the interval of the mean for other runs; None and a note where the runs do not vary."""
        scale = max(self.size(a, b), abs(self.estimate(a, b)))
        if self.resamples:
            ends = percentile(replicates(self.drawn(a, b), scale), level)
            made = Interval(*ends, level, "percentile", False)
        else:
            made = samples.t_interval(self.estimate(a, b), *self.error(a, b), level, METHOD)
        constant = "constant_scores" if b is None else "constant_difference"
        return defined(made, scale=scale, constant=constant)

    def few(self) -> list[Note]:
        """Return the note on resamples of few runs, which vary less than other runs would."""
        fewest = min(x.size for one in self.makers for x in one.scores)
        if not self.resamples or fewest >= FEW_FOR_BOOTSTRAP:
            return []
        told = f"with {fewest} runs on each dataset bootstrap intervals over all of them are too short"
        told += '; use interval="t"' if self.settings.statistic != "median" else ""
        return [Note("short_interval", told)]

    def test(self, a: int, b: int, greater_is_better: bool) -> TestResult:
        """Return the t test of the mean difference; without any variance, that of the best-ordered split."""
        logs = [
            math.log(samples.fewest(one.scores[a].size, one.scores[b].size, self.settings.paired))
            for one in self.makers
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
        counts = [apart(one.scores[a], one.scores[b], self.settings.paired) for one in self.makers]
        return sum(n for n, _ in counts), sum(n for _, n in counts)


def overall_of_runs(
    strata: Strata, pairs: Sequence[Names], greater_is_better: bool
) -> list[tuple[Overall, tuple[Note, ...]]]:
    """Return the differences over all datasets with runs varying, pair by pair, and their notes."""
    settings, places = strata.settings, [_places(strata.names, pair) for pair in pairs]
    tests = (
        [None] * len(pairs)
        if settings.test is None
        else [strata.test(*place, greater_is_better) for place in places]
    )
    known = [test.p_value for test in tests if test is not None]
    adjusted: Sequence[float | None] = (
        multiplicity.adjust(known, settings.correction).tolist() if known else [None] * len(pairs)
    )
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
    strata: Strata, found: Sequence[Overall], greater_is_better: bool, *, gaps: bool
) -> tuple[RunsOverall, ...]:
    """Return every system over its runs on all datasets, the best first, with the ranks left open.

    `gaps` asks for the optimality gaps.
    """
    settings = strata.settings
    estimates = np.array([strata.estimate(s) for s in range(len(strata.names))])
    order = family.ranked(estimates, strata.names, greater_is_better)
    low, high = _ranks(strata.names, order, found, settings.alpha, greater_is_better)
    made = []
    for rank, s in enumerate(order):
        interval = None
        if settings.interval is not None:
            interval = strata.interval(s, None, settings.level)[0]
        ranks = (None, None) if low is None or high is None else (int(low[rank]), int(high[rank]))
        gap = _gap(strata, s) if gaps else (None, None)
        made.append(RunsOverall(strata.names[s], float(estimates[s]), interval, *ranks, *gap))
    return tuple(made)


def _gap(strata: Strata, system: int) -> tuple[float, Interval | None]:
    """Return the mean over the datasets of how far runs are below 1, and its interval for other runs."""
    gaps = [[gaps_of(one.scores[system])] for one in strata.makers]
    plain = dataclasses.replace(strata.settings, statistic="mean", margin=None)
    makers = [
        Separate(x, one.names[:1], "mean", False, one.drawing)
        for x, one in zip(gaps, strata.makers, strict=True)
    ]
    below = Strata(makers, strata.names[:1], plain)
    interval = None if plain.interval is None else below.interval(0, None, plain.level)[0]
    return below.estimate(0), interval


def _ranks(
    names: tuple[str, ...],
    order: Sequence[int],
    found: Sequence[Overall],
    alpha: float,
    greater_is_better: bool,
) -> tuple[IntArray | None, IntArray | None]:
    """Return the ranks that the tests leave open, in the order of the systems; None without tests."""
    if not all(entry.test is not None for entry in found) or not found:
        return None, None
    place = {names[s]: rank for rank, s in enumerate(order)}
    better = np.zeros((len(names), len(names)), dtype=np.bool_)
    for entry in found:
        ahead = shown_ahead(entry, alpha, greater_is_better)
        if ahead is not None:
            better[place[ahead], place[entry.b if ahead == entry.a else entry.a]] = True
    return family.standings_of(better, lettered=False)[:2]


def shown_ahead(entry: Overall, alpha: float, greater_is_better: bool) -> str | None:
    """Return the system that the test of a difference over all runs shows to be better, if it does."""
    if entry.test is None or entry.p_adjusted is None or not family.rejects(entry.p_adjusted, alpha):
        return None
    above = entry.estimate > 0.0
    if entry.test.alternative != "two-sided" and above != (entry.test.alternative == "greater"):
        return None
    return entry.a if above == greater_is_better else entry.b


def mean_improvements(strata: Strata, pairs: Sequence[Names]) -> tuple[MeanImprovement, ...]:
    """Return how likely a run of A is above one of B, on average over the datasets, pair by pair."""
    settings, made = strata.settings, []
    for pair in pairs:
        a, b = _places(strata.names, pair)
        samples_of = [(one.scores[a], one.scores[b]) for one in strata.makers]
        if settings.interval is None:
            found = [improvement.probability(x, y, paired=settings.paired) for x, y in samples_of]
            made.append(MeanImprovement(*pair, math.fsum(found) / len(found), None))
            continue
        mean = improvement.mean_over_strata(samples_of, settings.level, paired=settings.paired)
        made.append(MeanImprovement(*pair, *mean))
    return tuple(made)
