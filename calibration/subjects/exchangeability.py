"""The permutation test of paired items and of clusters, of exchangeable systems and of others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
from scipy.special import gamma

from bestby import compare
from calibration.statements import Outcome, Statements, What
from calibration.subjects.datasets import hall

TITLE = "Systems that are not exchangeable"

NOTES = {"skewed_differences", "effect_of_size"}
FLIPS = 399
Draw = Callable[[np.random.Generator, int], Any]

ITEMS: dict[str, Draw] = {
    "normal": lambda rng, n: rng.normal(size=n),
    "t with 3 df": lambda rng, n: rng.standard_t(3, n),
    "lognormal minus lognormal": lambda rng, n: rng.lognormal(size=n) - rng.lognormal(size=n),
    "ratings of 1 to 5": lambda rng, n: (rng.integers(1, 6, n) - rng.integers(1, 6, n)).astype(float),
    "normal, 70 % tied": lambda rng, n: rng.normal(size=n) * (rng.random(n) < 0.3),
    "exponential": lambda rng, n: rng.exponential(size=n) - 1.0,
    "lognormal": lambda rng, n: rng.lognormal(size=n) - np.exp(0.5),
    "lognormal, σ 1.5": lambda rng, n: rng.lognormal(0.0, 1.5, n) - np.exp(1.125),
    "lognormal minus normal": lambda rng, n: rng.lognormal(size=n) - np.exp(0.5) - rng.normal(size=n),
    "Weibull, shape 0.5": lambda rng, n: rng.weibull(0.5, n) - gamma(3.0),
    "Pareto, index 3": lambda rng, n: rng.pareto(3.0, n) - 0.5,
    "two spreads, 4 : 1": lambda rng, n: rng.normal(size=n) * np.where(rng.random(n) < 0.2, 2.0, 0.5),
}
"""Differences with mean 0; the first five and the last are symmetric. The last three were not tuned on."""


def rejected_items(draw: Draw, n: int, rng: np.random.Generator, seed: int) -> Mapping[What, Outcome]:
    """Return whether the test of one set of items rejects."""
    d, other = draw(rng, n), rng.normal(size=n)
    result = compare({"a": d + 8.0 * other, "b": 8.0 * other}, n_resamples=99, rng=seed, interval="normal")
    noted = any(note.code in NOTES for note in result.notes)
    return {
        What("rejected", "permutation", default=True): Outcome(result["a", "b"].p_value <= 0.05, noted),
        What("rejected", "t, corrected for skewness"): Outcome(hall(d) <= 0.05, noted),
    }


def two_sizes(share: float, ratio: int, effect: float) -> Draw:
    """Draw clusters of 5 items or, with a chance of `share`, `ratio` times as many and the other ahead."""
    heavy = share * ratio / (share * ratio + 1.0 - share)

    def draw(rng: np.random.Generator, n: int) -> Any:
        large = rng.random(n) < share
        return np.where(large, 5 * ratio, 5), effect * np.where(large, 1.0 - heavy, -heavy)

    return draw


def lognormal_sizes(sigma: float, slope: float) -> Draw:
    """Draw sizes that are 5 times lognormal ones, and effects of `slope` times their logarithm."""
    many = np.random.default_rng(0).lognormal(0.0, sigma, 400_000)
    many = np.maximum(1.0, np.round(5.0 * many))
    centre = slope * float(many @ np.log(many)) / float(many.sum())

    def draw(rng: np.random.Generator, n: int) -> Any:
        sizes = np.maximum(1, np.round(5.0 * rng.lognormal(0.0, sigma, n))).astype(int)
        return sizes, slope * np.log(sizes) - centre

    return draw


CLUSTERS: dict[str, Draw] = {
    "clusters, lognormal sizes (σ 1)": lognormal_sizes(1.0, 0.0),
    "clusters, lognormal sizes (σ 1.5)": lognormal_sizes(1.5, 0.0),
    "clusters, one in ten 10 times as large": two_sizes(0.1, 10, 0.0),
    "clusters, one in ten 10 times as large, the other ahead there": two_sizes(0.1, 10, 1.0),
    "clusters, one in seven 15 times as large, the other ahead there": two_sizes(1.0 / 7.0, 15, 1.0),
    "clusters, lognormal sizes (σ 1), effect with size": lognormal_sizes(1.0, 0.3),
    "clusters, lognormal sizes (σ 1.3), effect with size": lognormal_sizes(1.3, -0.5),
}
"""Sizes and mean differences of clusters; over all items the mean is 0. The third, fifth and last were not
tuned on."""


def studentized_flips(sums: Any, sizes: Any, rng: np.random.Generator) -> float:
    """Return the p-value of flips of whole clusters, the difference divided by its CR2 error in each."""

    def t(parts: Any) -> Any:
        mean = parts.sum(axis=-1, keepdims=True) / sizes.sum()
        residual = parts - sizes * mean
        return np.abs(mean[..., 0]) / np.sqrt((residual**2 / (1.0 - sizes / sizes.sum())).sum(axis=-1))

    drawn = t(rng.choice([-1.0, 1.0], size=(FLIPS, sizes.size)) * sums)
    return float((1 + (drawn >= t(sums) * (1.0 - 1e-10)).sum()) / (1 + FLIPS))


def rejected_clusters(draw: Draw, n: int, rng: np.random.Generator, seed: int) -> Mapping[What, Outcome]:
    """Return whether the tests of one set of clusters reject."""
    sizes, means = draw(rng, n)
    cluster = np.repeat(np.arange(n), sizes)
    d = (means + 0.3 * rng.normal(size=n))[cluster] + rng.normal(size=cluster.size)
    b = 8.0 * rng.normal(size=cluster.size)
    result = compare({"a": b + d, "b": b}, clusters=cluster, n_resamples=FLIPS, rng=seed, interval="cr2")
    noted = any(note.code in NOTES for note in result.notes)
    found = result["a", "b"]
    assert found.interval is not None
    return {
        What("rejected", "permutation", default=True): Outcome(found.p_value <= 0.05, noted),
        What("rejected", "wald"): Outcome(0.0 not in found.interval, noted),
        What("rejected", "studentized flips"): Outcome(
            studentized_flips(np.bincount(cluster, weights=d), sizes, rng) <= 0.05, noted
        ),
    }


def cells() -> Iterator[Statements]:
    """Yield the populations of items, then those of clusters."""
    for name, draw in ITEMS.items():
        for n in (20, 30, 100):
            yield Statements("exchangeability", name, str(n), n, partial(rejected_items, draw, n), 1000)
    for name, draw in CLUSTERS.items():
        for n in (15, 30, 100):
            yield Statements("exchangeability", name, str(n), n, partial(rejected_clusters, draw, n), 600)


TEXT = """\
How often the permutation test, the default, rejects at 5 % where the two means are equal. Of items, the
first five populations and the last one are of exchangeable systems, so that differences are symmetric and
the test is exact; the others have the same mean and another shape. Of clusters, the first three are
exchangeable; in the others one system is better in the large clusters and the other in the small ones.
*noted*: `skewed_differences` or `effect_of_size`. They are on rejections, so that they are on few data sets
where few are rejected: what counts is *missed, not noted*.

Dividing the mean by its error in each flip changes nothing for items, as both are functions of the same
ratio. Student's t with Hall's (1992) correction for the skewness that is seen takes 12.9 % to 8.1 in 30
lognormal differences, and makes 9.7 of 5.1 in 30 differences of two lognormal numbers, where the test as it
stands is exact: so the default stays. The note says where it rejects and Hall's t, with an allowance for
skewness that is not seen, does not. Of 20, 30 and 100 lognormal differences 6.0, 6.0 and 5.3 % are then
rejected without a note, and of normal ones it is on 1 % at most. Where skewness is extreme (*lognormal,
σ 1.5*) up to 11.8 % are: samples that lack the rare large differences look symmetric.

Of clusters, flips of the difference divided by its CR2 error in each flip (*studentized flips*) are exact
where the systems are exchangeable, too, and take 15.7 % to 7.7 with 30 clusters of two sizes, 12.8 to 11.0
with lognormal sizes. They have to be drawn, for every metric, where the default is mostly exact, and do not
cure the last kind, so they are not the default. `wald` allows for the skewness that effects of size bring:
with 30 and 100 clusters it rejects in 1.8 to 8.2 % of these data sets, where the default rejects in 6.0 to
31.0. Where the systems are exchangeable it rejects in up to 7.7 %, the default in up to 6.2. The note names
it for this reason. With 15 clusters of two sizes neither of them holds, and most rejections have no note
where one cluster in ten is large.
"""
