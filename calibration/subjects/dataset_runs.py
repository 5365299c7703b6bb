"""Several runs of two systems on each of several datasets: tests, counts, and intervals over all of them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr

from bestby import compare_datasets
from bestby.engine.base import Drawing
from bestby.engine.runs import RunScores
from bestby.inference.samples import FEW_RUNS
from bestby.questions.datasets import overall_runs
from bestby.questions.datasets.overall_runs import Pooled
from bestby.questions.runs.source import Settings
from calibration.statements import Outcome, Statements, What

TITLE = "Several runs on each of several datasets"

RESAMPLES = 299
DATASETS = 500
NOTES = {"few_runs", "few_datasets", "short_interval", "unequal_spread"}

SCORES: dict[str, Callable[[np.random.Generator, tuple[int, ...]], Any]] = {
    "normal": lambda rng, size: rng.normal(size=size),
    "lognormal": lambda rng, size: (rng.lognormal(size=size) - np.exp(0.5)) / 2.16,
}
"""How runs vary around the mean of their system on a dataset, with a standard deviation near 1."""

EFFECTS = {
    "no effect": lambda _, n: np.zeros(n),
    "an effect on half": lambda _, n: np.where(np.arange(n) < n // 2, 2.0, 0.0),
    "effects vary": lambda rng, n: rng.normal(0.0, 1.0, n),
}
"""The true difference on each dataset; those that vary are drawn around 0."""


def middle(means: Any, share: float) -> float:
    """Return the mean of a mixture of normal distributions without a share at either end.

    >>> round(middle(np.array([1.0, 1.0]), 0.25), 6)
    1.0
    """
    ends = [
        brentq(lambda x, p=p: ndtr(x - means).mean() - p, means.min() - 9.0, means.max() + 9.0)
        for p in (share, 1.0 - share)
    ]
    low, high = (end - means for end in ends)
    inside = means * (ndtr(high) - ndtr(low)) + _density(low) - _density(high)
    return float(inside.mean() / (1.0 - 2.0 * share))


def _density(x: Any) -> Any:
    return np.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi)


def one(
    scores: str, effects: str, n: int, runs: int, rng: np.random.Generator, seed: int
) -> Mapping[What, Outcome]:
    """Return what a comparison says of one set of runs."""
    levels, effect = rng.normal(0.0, 2.0, n), EFFECTS[effects](rng, n)
    means = {"a": levels + effect, "b": levels}
    drawn = {s: mu[:, None] + SCORES[scores](rng, (n, runs)) for s, mu in means.items()}
    result = compare_datasets(drawn, n_resamples=RESAMPLES, rng=seed)
    noted = bool(NOTES & {note.code for note in result.notes})
    found = result.replicability["a", "b"]
    inside: list[Any] = [made[0] for made in result.within.values()]
    sign = 1.0 if (result.differences[0].a, result.differences[0].b) == ("a", "b") else -1.0
    over = {entry.resampled: entry.interval for entry in result.overall}
    truths = {
        "runs": sign * effect.mean(),
        "datasets": sign * (0.0 if effects != "an effect on half" else 1.0),
    }
    out = {
        What("wrong", "datasets counted, K-Bonferroni", default=True): Outcome(
            found.k_bonferroni > np.count_nonzero(effect), noted
        ),
        What("coverage", "mean difference, other runs", default=True): Outcome(
            truths["runs"] in over["runs"], noted
        ),
    }
    if effects == "no effect":
        out[What("rejected", "a dataset, uncorrected", default=True)] = Outcome(
            inside[0].p_value <= 0.05, noted
        )
        order = inside[0].order.dominant or inside[0].reverse_order.dominant
        out[What("rejected", "stochastic order on a dataset", default=True)] = Outcome(order, noted)
        entry = next(e for e in result.overall if e.resampled == "runs")
        out[What("rejected", "mean difference, other runs", default=True)] = Outcome(
            entry.p_value <= 0.05, noted
        )
    if effects == "effects vary":
        covered = truths["datasets"] in over["datasets"]
        out[What("coverage", "mean difference, other datasets", default=True)] = Outcome(covered, noted)
    if scores == "normal":
        chance = ndtr(sign * effect / math.sqrt(2.0)).mean()
        interval = result.runs.improvements[0].interval
        out[What("coverage", "P(A > B) over the datasets", default=True)] = Outcome(chance in interval, noted)
        out |= _middle_half(drawn, means, runs, n, seed)
    return out


def _middle_half(
    drawn: Mapping[str, Any], means: Mapping[str, Any], runs: int, n: int, seed: int
) -> dict[What, Outcome]:
    """Return whether intervals of the difference of interquartile means cover that of the populations."""
    share, out = overall_runs.cut_of(n * runs, "iqm"), {}
    truth = middle(means["a"], share) - middle(means["b"], share)
    for interval, name in (("auto", "stratified t"), ("percentile", "stratified bootstrap")):
        settings = Settings.checked(
            "dataset_runs", statistic="iqm", paired=False, interval=interval, level=0.95, test="t",
            alternative="two-sided", correction="holm", margin=None, baseline=None,
        )  # fmt: skip
        estimates = [
            RunScores([drawn["a"][i], drawn["b"][i]], ("a", "b"), "iqm", False, Drawing(RESAMPLES, seed + i))
            for i in range(n)
        ]
        found, _ = Pooled(estimates, ("a", "b"), settings).interval(0, 1, 0.95)
        told = found is not None and truth in found
        noted = interval == "percentile" or runs < FEW_RUNS
        out[What("coverage", f"interquartile mean, {name}", default=interval == "auto")] = Outcome(
            told, noted
        )
    return out


def cells() -> Iterator[Statements]:
    """Yield the cells: scores, effects, and numbers of datasets and runs."""
    for scores, effects in itertools.product(SCORES, EFFECTS):
        for n, runs in ((3, 5), (10, 3), (10, 6), (20, 5)):
            if scores == "lognormal" and (effects != "no effect" or n == 20):
                continue
            yield Statements(
                "dataset_runs",
                f"{scores}, {effects}",
                f"{n} x {runs}",
                n,
                partial(one, scores, effects, n, runs),
                DATASETS,
            )


TEXT = """\
Runs of two systems with the standard deviation 1, whose levels differ between the datasets; *n* is datasets x
runs of each system. The true difference is 0 everywhere, 2 on half of the datasets, or drawn for each dataset
from a normal distribution around 0 with the standard deviation 1. *datasets counted* is the share of data
sets whose K-Bonferroni count exceeds the number of datasets with a difference. *other runs* is the mean over
these very datasets, *other datasets* the mean of those they were drawn from. The notes `few_runs`,
`few_datasets`, `unequal_spread` and `short_interval` are counted.

The interquartile mean is that of all runs of all datasets together. Its default interval is Student's t from
the winsorized runs of each dataset; the stratified bootstrap of Agarwal et al. (2021),
`interval="percentile"`, covers 87.2 to 91.4 % with three runs on each of ten datasets, and has the note
`short_interval` below 20 runs. The probability of improvement takes all datasets to have the variance that
their mean would have, so its interval is long where they differ: it covers up to 98.6 %.
"""
