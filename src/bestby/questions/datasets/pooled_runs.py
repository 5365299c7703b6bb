"""The runs of all datasets together: medians, trimmed and interquartile means over runs and datasets."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from bestby._core.typing import FloatArray
from bestby.inference import permutation, samples
from bestby.questions.datasets import strata
from bestby.questions.datasets.overall_runs import Strata
from bestby.results.values import TestResult


@dataclass(frozen=True, eq=False)
class Pooled(Strata):
    """The runs of all datasets together, every dataset with the same weight.

    Intervals of trimmed means are Student's t with the winsorized runs of each dataset, those of medians
    percentiles of runs drawn anew inside each dataset.
    """

    _kept: dict[int, FloatArray] = field(default_factory=dict, init=False, repr=False)

    average = "micro"

    @property
    def resamples(self) -> bool:
        """Whether intervals are made of resampled runs: those of medians always."""
        return self.settings.statistic == "median" or self.settings.interval == "percentile"

    def runs(self, system: int) -> list[FloatArray]:
        """Return the runs of a system on each dataset."""
        return [one.scores[system] for one in self.makers]

    def estimate(self, a: int, b: int | None = None) -> float:
        """Return the location of all runs, or the difference of two."""
        score = self._location(a)
        return score if b is None else score - self._location(b)

    def _location(self, system: int) -> float:
        runs = self.runs(system)
        values = np.concatenate(runs)[None]
        return float(strata.pooled_location(values, strata.weights_of(runs), self.settings.statistic)[0])

    def error(self, a: int, b: int | None = None) -> tuple[float, float]:
        """Return the standard error of the location, and its degrees of freedom."""
        other = None if b is None else self.runs(b)
        return strata.pooled_error(self.runs(a), other, self.settings.statistic, paired=self.settings.paired)

    def standard_error(self, a: int, b: int | None = None) -> tuple[float, str]:
        """Return the standard error and where it comes from: of medians from resamples."""
        if self.settings.statistic == "median":
            return float(self.drawn(a, b).std(ddof=1)), "bootstrap"
        return super().standard_error(a, b)

    def drawn(self, a: int, b: int | None) -> FloatArray:
        """Return the location of resampled runs, drawn anew inside each dataset, shape (B,)."""
        return self._drawn(a) if b is None else self._drawn(a) - self._drawn(b)

    def _drawn(self, system: int) -> FloatArray:
        if system not in self._kept:
            self._kept[system] = self._resampled(system)
        return self._kept[system]

    def _resampled(self, system: int) -> FloatArray:
        rows, runs = [], self.runs(system)
        for one, x in zip(self.makers, runs, strict=True):
            name = "" if self.settings.paired else one.names[system]
            chosen = samples.drawn_runs(x.size, one.drawing.n_resamples, one.drawing.seed, name)
            rows.append(x[chosen])
        return strata.pooled_location(
            np.concatenate(rows, axis=1), strata.weights_of(runs), self.settings.statistic
        )

    def test(self, a: int, b: int, greater_is_better: bool) -> TestResult:
        """Return the t test of the difference; of medians, the test that inverts the percentile interval."""
        if self.settings.statistic != "median":
            return super().test(a, b, greater_is_better)
        alternative = self.settings.towards(greater_is_better)
        drawn, observed, scale = self.drawn(a, b), self.estimate(a, b), self.size(a, b)
        if samples.no_spread(float(np.ptp(drawn)), observed, scale):
            return super().test(a, b, greater_is_better)
        return permutation.inverted_percentile(drawn, observed, alternative, name="bootstrap-runs")
