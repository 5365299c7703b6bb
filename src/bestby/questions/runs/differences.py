"""What is said of the runs of two systems: tests, intervals, effect sizes, stochastic order and notes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from bestby._core import rounding, special
from bestby._core.typing import Alternative, Array, FloatArray
from bestby.comparisons import equivalence, family, note_rules, one_pair, swap_notes
from bestby.engine import interval_choice
from bestby.engine.base import Drawing
from bestby.engine.prepare import Reading
from bestby.engine.runs import DOUBTED, FEW_FOR_MEDIANS, RunsWithItems
from bestby.inference import multiplicity, samples, skewness
from bestby.questions.order.ordering import multi_aso
from bestby.questions.order.result import StochasticOrders
from bestby.questions.runs.result import RunsDifference
from bestby.questions.runs.source import Data, Settings
from bestby.results.base import Note, notes_about
from bestby.results.values import MIRRORED, Interval, TestResult


def tests_of(
    data: Data, pairs: Sequence[tuple[int, int]], settings: Settings, alternative: Alternative, n_tests: int
) -> tuple[dict[tuple[int, int], TestResult], tuple[Note, ...]]:
    """Return the test of each pair, none if none was asked for, and a note on the choice of the test.

    `n_tests` is how many tests are corrected together.
    """
    if settings.test is None:
        return {}, ()
    name, reasons = chosen_test(data, pairs, settings, settings.test, n_tests)
    tests = {(a, b): oriented_test(data, a, b, name, alternative) for a, b in pairs}
    if settings.paired and settings.statistic == "mean" and not isinstance(data.estimator, RunsWithItems):
        n_pairs = data.estimator.scores[0].size
        reasons += tuple(swap_notes.notes_on_few(n_pairs, "pairs of runs", tests.values(), settings))
    return tests, (*reasons, *_notes_on_skewness(data, tests, settings, alternative))


def chosen_test(
    data: Data, pairs: Sequence[tuple[int, int]], settings: Settings, asked: str, n_tests: int
) -> tuple[str, tuple[Note, ...]]:
    """Return the test, and a note where no runs could make the permutation test significant.

    Paired means take that test in any case, which goes on where swaps end (`RunScores.test`).
    """
    if asked not in ("auto", "permutation") or isinstance(data.estimator, RunsWithItems):
        return asked, ()
    if settings.paired or (asked == "auto" and settings.statistic != "mean"):
        return asked, ()
    sides = 2.0 if settings.alternative == "two-sided" else 1.0
    sizes = [x.size for x in data.estimator.scores]
    least = max(least_p(sizes[a], sizes[b], sides=sides) for a, b in pairs)
    if multiplicity.rejects(least * n_tests, settings.alpha):
        return asked, ()
    corrected = f", {min(1.0, least * n_tests):.2g} for one of {n_tests} after correction" * (n_tests > 1)
    message = f"with so few runs the permutation test cannot give a p-value below {least:.2g}{corrected}"
    if asked == "auto":
        more = "; the t test is used, which assumes that the runs of a system are roughly normal"
        return "t", (Note("few_runs_for_permutation", message + more),)
    return "permutation", (Note("out_of_reach", f"{message}: not every difference can become significant"),)


def least_p(n: int, m: int, *, sides: float = 2.0) -> float:
    """Return the smallest p-value the permutation test of n against m independent runs can give."""
    # Of unequal numbers, the other extreme split is another distance from 0.
    return (sides if n == m else 1.0) * samples.smallest_p(n, m, paired=False)


def oriented_test(data: Data, a: int, b: int, name: str, alternative: Alternative) -> TestResult:
    """Return the test of A against B, made in the order of their names: exchanged they mirror each other."""
    if data.names[a] < data.names[b]:
        return data.estimator.test(a, b, name, alternative)
    return data.estimator.test(b, a, name, MIRRORED[alternative]).mirrored()


def _notes_on_skewness(
    data: Data, tests: Mapping[tuple[int, int], TestResult], settings: Settings, alternative: Alternative
) -> list[Note]:
    """Return a note where skewed runs may explain that tests of means reject."""
    tests_of_means = {pair: test for pair, test in tests.items() if test.name in _OF_MEANS}
    if not tests_of_means or isinstance(data.estimator, RunsWithItems) or settings.statistic != "mean":
        return []
    correction = settings.correction
    adjusted = multiplicity.adjust([test.p_value for test in tests_of_means.values()], correction)
    allowing = multiplicity.adjust(
        [
            max(test.p_value, oriented_test(data, *pair, "hall", alternative).p_value)
            for pair, test in tests_of_means.items()
        ],
        correction,
    )
    named_pairs = [(data.names[a], data.names[b]) for a, b in tests_of_means]
    units = "pairs of runs" if settings.paired else "runs"
    return swap_notes.note_on_skewness(
        data.metric.name, named_pairs, adjusted, allowing, settings.alpha, units
    )


_OF_MEANS = ("permutation", "permutation-2", "t", "welch")
"""Tests of means that skewed runs can mislead."""


def orders_of(data: Data, settings: Settings, drawing: Drawing, n_comparisons: int) -> StochasticOrders:
    """Return almost stochastic order between every two systems, corrected for a number of comparisons."""
    return multi_aso(
        dict(zip(data.names, data.estimator.scores, strict=True)),
        level=settings.level,
        n_comparisons=n_comparisons,
        n_resamples=min(ASO_RESAMPLES, drawing.n_resamples),
        greater_is_better=data.metric.greater_is_better,
        rng=drawing.seed,
    )


ASO_RESAMPLES = 1000


def difference_of(
    data: Data,
    a: int,
    b: int,
    test: TestResult | None,
    orders: StochasticOrders | None,
    settings: Settings,
    n_differences: int = 1,
) -> RunsDifference:
    """Return all that is told of A minus B, made in the order of their names; its p-value is not adjusted.

    It is one of `n_differences`, of which chance may set the spreads of two systems apart.
    """
    if data.names[a] > data.names[b]:
        turned = None if test is None else test.mirrored()
        return difference_of(data, b, a, turned, orders, settings, n_differences).mirrored()
    x, y = data.estimator.scores[a], data.estimator.scores[b]
    name_a, name_b = data.names[a], data.names[b]
    n_differing = _differing(data, a, b)
    measured = _measured(data, a, b, n_differing, settings)
    chance, chance_interval = _improvement(x, y, settings)
    effect, effect_interval = effect_size(x, y, settings.level, paired=settings.paired)
    notes = measured.notes
    if _alike(x, y, settings.paired):
        notes += (Note("identical", f"the runs of {name_a} and {name_b} have the same scores"),)
    elif math.isnan(effect):
        notes += (Note("no_spread", "the runs do not vary: the effect size is undefined"),)
    if not isinstance(data.estimator, RunsWithItems) and not settings.bare:
        notes += tuple(spread_notes(x, y, name_a, name_b, settings.statistic, n_differences))
    plain = RunsDifference(
        metric=data.metric.name,
        a=name_a,
        b=name_b,
        estimate=data.estimator.estimate(a, b),
        score_a=data.estimator.estimate(a),
        score_b=data.estimator.estimate(b),
        interval=measured.interval,
        level=settings.level,
        test=test,
        p_adjusted=None if test is None else test.p_value,
        greater_is_better=data.metric.greater_is_better,
        n_items=data.n_items,
        n_differing=n_differing,
        notes=notes_about(notes, data.metric.name, name_a, name_b),
        n_runs=(x.size, y.size),
        p_welch=None if test is None else _p_welch(x, y, test.alternative, settings),
        improvement=chance,
        improvement_interval=chance_interval,
        effect_size=effect,
        effect_interval=None if settings.interval is None else effect_interval,
        order=None if orders is None else orders[name_a, name_b],
        reverse_order=None if orders is None else orders[name_b, name_a],
        standard_error=measured.error,
        standard_error_method=measured.error_method,
    )
    doubted = any(note.code in DOUBTED for note in measured.notes)
    return family.with_verdict(
        plain, measured.tost, settings.margin, decides=measured.decides, doubted=doubted
    )


@dataclass(frozen=True)
class _Measured:
    """The interval of a difference, those that decide a verdict, its standard error, and notes."""

    interval: Interval | None = None
    tost: Interval | None = None
    decides: Interval | None = None
    error: float | None = None
    error_method: str | None = None
    notes: tuple[Note, ...] = ()


def _measured(data: Data, a: int, b: int, n_differing: int, settings: Settings) -> _Measured:
    """Return how sure a difference on so many items is by its interval; nothing if none was asked for."""
    method = settings.interval
    if method is None:
        return _Measured()
    for_verdict, n_runs = method, min(data.estimator.scores[s].size for s in (a, b))
    by_formula = method == "auto" and not isinstance(data.estimator, RunsWithItems)
    if by_formula:
        for_verdict = interval_choice.for_verdict(method, mean=settings.statistic == "mean", n_units=n_runs)
    interval, notes = data.estimator.interval(a, b, method, settings.level)
    untested = settings.test is None and settings.margin is None and settings.statistic == "mean"
    if by_formula and untested and n_runs >= skewness.FEWEST:
        units = "pairs of runs" if settings.paired else "runs"
        allowing, _ = data.estimator.interval(a, b, "hall", settings.level)
        notes += swap_notes.note_on_interval(interval, allowing, units)
    tost = family.for_equivalence(
        interval,
        lambda level: data.estimator.interval(a, b, for_verdict, level),
        settings.level,
        settings.margin,
    )
    decides = interval
    if for_verdict != method and settings.margin is not None:
        decides, _ = data.estimator.interval(a, b, for_verdict, settings.level)
    if isinstance(data.estimator, RunsWithItems):
        tost, unseen = equivalence.interval_of_runs(data.estimator, (a, b), tost, n_differing, settings)
    else:
        x, y = data.estimator.scores[a], data.estimator.scores[b]
        tost, unseen = equivalence.interval_of_unbounded(*apart(x, y, settings.paired), tost, settings.margin)
    error, error_method = data.estimator.standard_error(a, b)
    return _Measured(interval, tost, decides, error, error_method, (*notes, *unseen))


def _differing(data: Data, a: int, b: int) -> int:
    """Return on how many items some two runs of the two systems differ."""
    if data.evaluation is None or not isinstance(data.estimator, RunsWithItems):
        return 0
    values: Sequence[Array] = list(data.evaluation.systems.values())
    if len({rows.ndim for rows in values}) > 1:  # a hard label is the certainty of its class
        values = Reading(data.evaluation).distributions[2]
    return one_pair.differing_items([row for s in (a, b) for row in values[data.estimator.columns(s)]])


def apart(x: FloatArray, y: FloatArray, paired: bool) -> tuple[int, int]:
    """Return how many runs, or pairs of runs, differ from the score or difference of most, and all."""
    values = rounding.difference(x, y) if paired else np.concatenate([x, y])
    most = 0.0 if paired else float(np.median(values))
    return int((values != most).sum()), values.size


def _improvement(x: FloatArray, y: FloatArray, settings: Settings) -> tuple[float, Interval | None]:
    if settings.interval is None:
        return samples.probability(x, y, paired=settings.paired), None
    return samples.improvement(x, y, settings.level, paired=settings.paired)


def effect_size(a: FloatArray, b: FloatArray, level: float, *, paired: bool) -> tuple[float, Interval | None]:
    """Return the difference of means in standard deviations of a run, corrected for few runs.

    The standard deviation is the root of the mean of both variances. The correction for independent runs is 1
    - 3 / (4 (n + m - 2) - 1), which gives Hedges' g for n = m, and for pairs sqrt((n - 2) / (n - 1)); two
    pairs are not corrected. The interval is Bonett's (2008, Psychological Methods 13, 99-109): normal, around
    the difference before the correction, assuming neither equal variances nor, for pairs, a correlation.
    Without any variance the result is NaN and None; without any of the differences of pairs, there is no
    interval, as their correlation of 1 leaves none of the uncertainty that the runs have.
    """
    n, m = a.size, b.size
    var_a, var_b = float(a.var(ddof=1)), float(b.var(ddof=1))
    mean_variance = 0.5 * (var_a + var_b)
    if mean_variance <= rounding.noise_width(samples.typical_size(a, b, "mean")) ** 2:
        return math.nan, None
    d = float(rounding.difference(a.mean(), b.mean())) / math.sqrt(mean_variance)
    # Shares of the mean variance: variances of any size neither overflow nor vanish when they are squared.
    u, v = var_a / mean_variance, var_b / mean_variance
    if paired:
        w = float(((a - a.mean()) * (b - b.mean())).sum()) / (n - 1) / mean_variance
        var_of_differences = max(0.0, u + v - 2.0 * w)
        variance = d * d * (u * u + v * v + 2.0 * w * w) / (8.0 * (n - 1)) + var_of_differences / (n - 1)
        correction = math.sqrt((n - 2) / (n - 1)) if n > 2 else 1.0
        if rounding.is_nothing(var_of_differences, 1.0):
            return correction * d, None
    else:
        variance = d * d * (u * u / (n - 1) + v * v / (m - 1)) / 8.0 + u / (n - 1) + v / (m - 1)
        correction = 1.0 - 3.0 / (4.0 * (n + m - 2) - 1.0)
    half = float(ndtri(0.5 * (1.0 + level))) * math.sqrt(variance)
    return correction * d, Interval(d - half, d + half, level, "normal", True)


def _p_welch(x: FloatArray, y: FloatArray, alternative: Alternative, settings: Settings) -> float:
    welch = samples.t_test(x, y, settings.statistic, alternative, paired=settings.paired)
    return math.nan if welch is None else welch.p_value


def _alike(x: FloatArray, y: FloatArray, paired: bool) -> bool:
    return np.array_equal(x, y) if paired else np.array_equal(np.sort(x), np.sort(y))


def spread_notes(
    x: FloatArray, y: FloatArray, a: str, b: str, statistic: str = "mean", n_differences: int = 1
) -> Iterator[Note]:
    """Yield a note where the runs of one system vary so much more that test or interval can mislead.

    What varies is what the location is made of: of trimmed means the winsorized runs, of means the runs
    without those that `samples.outlying` tells, which have a note of their own and lengthen the interval.
    """
    fewest = min(samples.n_averaged(z.size, statistic) for z in (x, y))
    # Runs of each system from which that is told; fewer have a note of their own
    if fewest < (FEW_FOR_MEDIANS if statistic == "median" else 5):
        return
    samples_compared = [
        samples.winsorized(z, statistic) for z in (_without_outlying(x, y) if statistic == "mean" else (x, y))
    ]
    spreads = [float(np.abs(z - np.median(z)).mean()) for z in samples_compared]
    (low, narrow, _), (high, wide, n) = sorted(zip(spreads, (a, b), (x.size, y.size), strict=True))
    few = max(x.size, y.size) < FEW_SPREAD
    ratio = SPREAD_APART_OF_FEW if few else SPREAD_APART
    if statistic != "mean":
        ratio = SPREAD_APART_OF_OTHERS
    if not high > _ratio_beyond_chance(ratio, x.size, y.size, n_differences) * low > 0.0:
        return
    if statistic == "median" and n >= FEW_SPREAD:
        return
    yield Note("unequal_spread", _spread_text(wide, narrow, high / low, n, min(x.size, y.size), statistic))


SPREAD_APART = 2.2
"""Ratio of the mean distances from the median from which systems count as varying unequally."""

SPREAD_APART_OF_FEW = 2.5
"""That ratio where both systems have fewer than `FEW_SPREAD` runs: chance alone sets these further apart."""

SPREAD_APART_OF_OTHERS = 3.0
"""That ratio for medians and trimmed means, whose tests bear more."""

FEW_SPREAD = 10
"""Runs of a system that varies more below which the bootstrap interval of medians covers 88 to 93 %."""


def _ratio_beyond_chance(ratio: float, n: int, m: int, n_differences: int) -> float:
    """Return the ratio of spreads that chance exceeds in a family as often as `ratio` in one difference.

    The logarithm of a ratio of mean distances is nearly normal; the family is allowed for by Bonferroni.
    """
    sd = 1.07 * math.sqrt(
        0.5 / (n - 1.0) + 0.5 / (m - 1.0)
    )  # 1.07: a mean distance against a root of squares
    tail = float(special.ndtr(-math.log(ratio) / sd)) / n_differences
    return math.exp(-float(special.ndtri(tail)) * sd)


def _without_outlying(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the runs of both systems that are not far from the others of theirs."""
    far = samples.outlying([x, y])
    a, b = (np.delete(z, [run for system, run, _ in far if system == s]) for s, z in enumerate((x, y)))
    return a, b


def _spread_text(wide: str, narrow: str, times: float, n: int, fewest: int, statistic: str) -> str:
    vary = f"vary {times:.2g} times as much as those of {narrow}"
    if statistic == "median":
        return (
            f"the {n} runs of {wide} {vary}: so few do not show well how much their median varies, so the"
            f" interval is too short and the test rejects too often; use more runs of {wide}"
        )
    if statistic != "mean":
        return (
            f"the runs of {wide} that trimming keeps {vary}: if they are skewed, the test of trimmed means"
            " rejects too often, and the interval is too short"
        )
    # The interval of the median of fewer runs rests on the lowest and the highest.
    other = '; statistic="median" is hardly affected' if fewest >= samples.FEW_FOR_ADVICE else ""
    return (
        f"the runs of {wide} {vary}: if they are skewed or some of them fail, the test of the means"
        f" rejects too often, and the interval is too short{other}"
    )


def few_runs_note(data: Sequence[Data], settings: Settings) -> Iterator[Note]:
    """Yield a note where the system with the fewest runs has too few to tell how much they vary.

    `data` are the runs of each dataset. There is no note where neither intervals nor tests were asked for.
    """
    statistic = settings.statistic
    fewest = min(x.size for one in data for x in one.estimator.scores)
    n_counted = samples.n_averaged(fewest, statistic)
    if settings.bare or n_counted >= (FEW_FOR_MEDIANS if statistic == "median" else samples.FEW_RUNS):
        return
    trimmed = "" if n_counted == fewest else f", of which trimming leaves {n_counted}"
    yield Note(
        "few_runs",
        f"a system has only {fewest} runs{trimmed}: how much its runs vary is hardly known, so t"
        " intervals are long; if they vary more than those of a system with more runs, tests can reject"
        " too often",
    )


def notes_on_scores(data: Data, differences: Sequence[RunsDifference], settings: Settings) -> list[Note]:
    """Return notes on systems whose runs do not vary, and on runs far from the others of their system."""
    scores = dict(zip(data.names, (x.tolist() for x in data.estimator.scores), strict=True))
    notes = note_rules.constant_run_notes(data.metric.name, scores)
    if settings.statistic != "mean":
        return notes
    uneven = {
        name
        for d in differences
        # Without intervals there is no advice on them.
        if settings.interval is None or any(note.code == "unequal_spread" for note in d.notes)
        for name in (d.a, d.b)
    }
    return notes + note_rules.run_notes(data.metric.name, scores, uneven)
