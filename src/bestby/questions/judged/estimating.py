"""Corrected means with their intervals and tests, of systems and of pairs."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from bestby._core import rounding
from bestby._core.cached import cached_property
from bestby._core.text import counted, quoted
from bestby._core.typing import Alternative, FloatArray
from bestby.inference import clusters, powered_intervals
from bestby.inference.clusters import StandardError, cr2_covariance
from bestby.inference.joint import Joint, Spread
from bestby.inference.powered_intervals import FEW, Shares, heaviest
from bestby.questions.judged.drawing import Drawn
from bestby.questions.judged.prediction_powered import Corrected, Labelled, corrected
from bestby.results.base import Note
from bestby.results.values import Interval, TestResult, has_length, without_interval

MUCH_SHORTER, MOVED = 0.8, 0.25
"""Parts of the lengths of the labels' own interval and of a corrected one; see `Estimates.on_interval`."""


FEW_LARGE, LARGE_SHARE = 4, 0.2
"""Labels, and the share of them, below which a note says that a standard error comes from few of them."""


FEW_APART = 15
"""Labels of the rarer kind below which shares of systems with other labels have no sure difference."""


@dataclass(frozen=True)
class Common:
    """Items labelled for two systems, and those of them whose human scores differ."""

    n: int
    differing: int


def contrast_of(n_systems: int, a: int, b: int | None) -> FloatArray:
    """Return the contrast of a system, or of a minus b, shape (S,)."""
    found = np.zeros(n_systems)
    found[a] = 1.0
    if b is not None:
        found[b] = -1.0
    return found


@dataclass(frozen=True, eq=False)
class Estimates:
    """The estimates of all systems; `judge` are the judge's own means.

    `each`, of several judges, are the corrected means with one judge alone.
    """

    data: Labelled
    means: Corrected
    each: tuple[Corrected, ...]
    judge: FloatArray
    n_clusters: int
    binary: bool

    @property
    def scores(self) -> FloatArray:
        """The corrected means, shape (S,)."""
        return self.means.scores

    @property
    def labels(self) -> FloatArray:
        """The means of the labels alone, shape (S,)."""
        return self.means.labels

    @property
    def method(self) -> str:
        """The method of the intervals of most differences."""
        return powered_intervals.SCORE if self.binary else powered_intervals.T

    @property
    def n_items(self) -> int:
        """The number of items."""
        return len(self.data.human)

    @property
    def bounds(self) -> tuple[float, float]:
        """What the mean human score can be, where that is known."""
        return (0.0, 1.0) if self.binary else (-math.inf, math.inf)

    @property
    def notes(self) -> tuple[Note, ...]:
        """What has to be said of the estimates by themselves."""
        return ()

    def few_heavy(self, names: Sequence[str]) -> Iterator[Note]:
        """Yield a note if a few labels of a system weigh most: the fewest of all systems."""
        found = []
        for place in range(len(names)):
            known = self.data.known[:, place]
            human, weights = self.data.human[known, place], self.data.weights[known, place]
            heavy = heaviest(weights)
            n = int(heavy.sum())
            rare = Shares.of_share(human, weights).rare if self.binary else FEW
            # Labels that weigh most below which a note says that the precision hangs on them
            if not heavy.all() and (n < 30 or rare < FEW):
                found.append((n, place, 1.0 / float(weights @ weights)))
        if not found:
            return
        n, place, equal = min(found)
        reach = (
            f"an interval is as long as that of {equal:.0f} labels of equal weight, wherever fewer than {FEW}"
            " of the heavy labels have the less frequent verdict"
            if self.binary
            else "intervals may be too short"
        )
        yield Note(
            "few_heavy_labels",
            f"the score of {quoted(names[place])} rests mostly on {counted(n, 'label')}, which have large"
            f" weights because few items of their kind were labelled: {reach}. Label more items of this kind",
        )

    @property
    def without_interval(self) -> Note:
        """Why a score has no interval, where it has none."""
        return without_interval("constant_scores", self.method)

    def contrast(self, a: int, b: int | None = None) -> FloatArray:
        """Return the contrast of a system, or of a minus b."""
        return contrast_of(self.scores.size, a, b)

    def estimate(self, contrast: FloatArray) -> float:
        """Return a score or a difference."""
        return _difference(contrast, self.scores)

    def labels_mean(self, contrast: FloatArray) -> float:
        """Return a score or a difference by the labels alone."""
        return _difference(contrast, self.labels)

    def common(self, a: int, b: int) -> Common:
        """Return how many items are labelled for both."""
        both = self.data.known[:, a] & self.data.known[:, b]
        apart = rounding.difference(self.data.human[both, a], self.data.human[both, b])
        return Common(int(both.sum()), int(np.count_nonzero(apart)))

    def error(self, contrast: FloatArray) -> StandardError:
        """Return the standard error of a score or of a difference."""
        found = self.means.error(contrast)
        if not self.binary:
            return found
        heaviest_label = float(self.data.weights[:, contrast != 0.0].max())
        units = self.means.of_labels @ contrast
        return powered_intervals.allowing_for_unseen(
            found, self.means.error_alone(contrast), units, heaviest_label
        )

    def interval(self, contrast: FloatArray, level: float, *, alone: bool = False) -> Interval | None:
        """Return the interval of a score or a difference, or of the labels alone; None without length."""
        key = (contrast.tobytes(), level, alone)
        if key not in self._intervals:
            self._intervals[key] = self._interval(contrast, level, alone=alone)
        return self._intervals[key]

    @cached_property
    def _intervals(self) -> dict[tuple[bytes, float, bool], Interval | None]:
        return {}

    def _interval(self, contrast: FloatArray, level: float, *, alone: bool) -> Interval | None:
        estimate = self.labels_mean(contrast) if alone else self.estimate(contrast)
        error = self.means.error_alone(contrast) if alone else self.error(contrast)
        low, high, method = powered_intervals.interval(estimate, error, self._shares(contrast), level)
        found = Interval(low, high, level, method, True)
        size = max(float(np.abs(self.scores[contrast != 0.0]).max()), abs(estimate))
        return found if math.isfinite(low) and math.isfinite(high) and has_length(found, size) else None

    def test(self, contrast: FloatArray, alternative: Alternative) -> TestResult:
        """Return the test of a difference."""
        estimate = self.estimate(contrast)
        return powered_intervals.tested(estimate, self.error(contrast), self._shares(contrast), alternative)

    def extra_labels(self, contrast: FloatArray, level: float, by: Corrected | None = None) -> float | None:
        """Return how many more labels alone would have had as short an interval; `by` one judge of several.

        Lengths of intervals go with the root of the number of labels.
        """
        own = self if by is None else dataclasses.replace(self, means=by)
        found = own.interval(contrast, level), self.interval(contrast, level, alone=True)
        return extra_labels(self._n_labels(contrast), *map(_length, found))

    def on_interval(self, contrast: FloatArray, level: float) -> Iterator[Note]:
        """Yield notes on the interval of a score or a difference, where it rests on little."""
        yield from self._few_apart(contrast)
        own, alone = (_length(self.interval(contrast, level, alone=one)) for one in (False, True))
        if own is not None and alone is not None:
            yield from self._unseen_errors(contrast, own, alone)
            yield from self._few_large(contrast)

    def _few_apart(self, contrast: FloatArray) -> Iterator[Note]:
        """Yield a note on a difference of shares with other labels for each, if few are of the rarer kind."""
        if not self.binary or self._shares(contrast) is not None:
            return
        each = (self._shares(self.contrast(int(s))) for s in np.flatnonzero(contrast))
        rare = min(one.rare for one in each if one is not None)
        if rare < FEW_APART:
            yield Note(
                "few_of_a_kind",
                "different items are labelled for the two systems, and only"
                f" {counted(rare, 'label')} of one of them {'has' if rare == 1 else 'have'} its less frequent"
                f" verdict: with fewer than {FEW_APART} the interval of the difference may be too short",
            )

    def _unseen_errors(self, contrast: FloatArray, own: float, alone: float) -> Iterator[Note]:
        """Yield a note if an interval is short, and one error of the judge more would move it much.

        One answer in n that the judge misses is not among n labels with probability .37. The note is for
        intervals shorter than those of the labels alone, where such an answer would move the estimate by more
        than a quarter of their length; it says nothing of judges that miss fewer, or of smaller errors.
        Intervals of right and wrong allow for it.
        """
        involved = contrast != 0.0
        size = float(np.ptp(self.data.human[self.data.known & involved]))
        moved = size * float(self.data.weights[:, involved].max())
        if own < MUCH_SHORTER * alone and moved > MOVED * own:
            n = round(self._n_labels(contrast))
            yield Note(
                "unseen_judge_errors",
                f"the judge is nearly right on these {n} labels, which makes the interval short. They can"
                f" easily lack an error that it makes on one answer in {n}: if that is as large as the human"
                f" scores differ, it moves the true mean by {moved:.2g}. The interval of the labels alone is"
                " longer",
            )

    def _few_large(self, contrast: FloatArray) -> Iterator[Note]:
        """Yield a note if the standard error of scores other than 0 and 1 comes from few labels."""
        n = int(np.count_nonzero(self.means.sizes[:, contrast != 0.0].any(axis=1)))
        units = self.means.of_labels @ contrast
        large = clusters.carrying(units, np.ones(units.size))
        if self.binary or large >= min(FEW_LARGE, LARGE_SHARE * n):
            return
        yield Note(
            "few_large_labels",
            f"the standard error comes from about {large:.0f} of the"
            f" {counted(n, 'labelled cluster' if self.n_clusters else 'label')}, far from what judge and mean"
            " say of them. Where such labels are rare, a draw often has too few of them, and the interval may"
            " be too short: label more items",
        )

    def _n_labels(self, contrast: FloatArray) -> float:
        """Return the labels of the systems of a contrast, on average."""
        return float(self.data.known[:, contrast != 0.0].sum(axis=0).mean())

    def tuning(self, system: int) -> tuple[float, ...]:
        """Return, per judge, the coefficient of its score of the system, over the strata by their size."""
        shares = np.bincount(self.data.strata) / self.n_items
        own = self.means.coefficients[self.means.tuned, system, system]
        return tuple((shares @ own).tolist())

    def joint(self, pairs: list[tuple[int, int]], names: Sequence[str]) -> Joint:
        """Return how the differences of pairs vary together, whatever the order of the systems."""
        order = sorted(range(len(names)), key=lambda s: names[s])
        place = np.argsort(order)
        a, b = np.array(pairs).T
        spread = Spread.normal(self._covariance, len(self.means.sizes)).ordered(order)
        return Joint.of(spread, place[a], place[b], 0)

    @cached_property
    def _covariance(self) -> FloatArray:
        """The covariances of the scores less their mean over the systems."""
        means = self.means
        cross = means.of_labels.T @ means.of_judge
        residual = cr2_covariance(means.of_labels, means.sizes.mean(axis=1), None, means.bounds)
        whole = residual + means.judge_covariance + cross + cross.T
        centre = np.eye(len(whole)) - 1.0 / len(whole)
        found: FloatArray = centre @ whole @ centre
        return found

    def _shares(self, contrast: FloatArray) -> Shares | None:
        """Return what labels 0 and 1 say of a share or a difference; None if there is no score interval."""
        if not self.binary:
            return None
        involved = np.flatnonzero(contrast)
        a, b = int(involved[0]), int(involved[-1])
        known = self.data.known[:, a]
        if not np.array_equal(known, self.data.known[:, b]):
            return None
        weights = self.data.weights[known, a]
        first, second = self.data.human[known, a], self.data.human[known, b]
        if a == b:
            return Shares.of_share(first, weights)
        return Shares.of_difference(first - second, weights)


def extra_labels(n: float, own: float | None, alone: float | None) -> float | None:
    """Return how many more labels a length or an error is worth beside that of n labels alone."""
    return n * ((alone / own) ** 2 - 1.0) if own and alone else None


def _length(interval: Interval | None) -> float | None:
    return None if interval is None else interval.high - interval.low


def _difference(contrast: FloatArray, means: FloatArray) -> float:
    """Return a mean, or a difference of means that is 0 where only rounding makes one."""
    return float(rounding.difference(np.maximum(contrast, 0.0) @ means, np.maximum(-contrast, 0.0) @ means))


def estimated(drawn: Drawn) -> Estimates:
    """Return the estimates of labelled data."""
    data = drawn.data
    labels = data.human[data.known]
    binary = bool(np.isin(labels, (0.0, 1.0)).all())
    means, each = corrected(data), by_judge(data)
    return Estimates(data, means, each, data.judge.mean(axis=(0, 2)), drawn.n_clusters, binary)


def by_judge(data: Labelled, *, pooled: bool = False) -> tuple[Corrected, ...]:
    """Return the corrected means with each of several judges alone; nothing for one judge."""
    n_judges = data.judge.shape[2]
    alone = [dataclasses.replace(data, judge=data.judge[:, :, [place]]) for place in range(n_judges)]
    return tuple(corrected(one, pooled=pooled) for one in alone) if n_judges > 1 else ()
