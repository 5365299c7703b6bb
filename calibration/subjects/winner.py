"""The best of many systems: by how much its score, and the corrected score, exceed its true score."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from bestby._core.typing import FloatArray, IntArray
from bestby.inference.best import optimism
from calibration.statements import Outcome, Statements, What

TITLE = "The best of many systems"

TEXT = """
Who is first among many systems is so by luck too. Counted is the bias of the score of the best system: how
far it is above the true score of that system on average, in percent of the standard error of a score. *As it
is* is the score on the items by which the system was chosen. *Bootstrap* subtracts what the winner of a
resample gains there against the sample. That takes away too little where many systems are alike: the sample
has spread them already, as if they were not. The others choose the best system by all parts of the items but
one, and score it on that one. A system that fewer items chose is a little worse, which makes the corrected
score of systems that are not alike too low rather than too high; with ten parts less so than with three, but
the part that scores it is smaller, and the score less certain. A corrected score may be too high by 10 %, and
too low by 40 %.

The systems are *equal*; *even*, one standard error from each to the next; *spread* normally by one or by
three standard errors; or a fifth of them *tied* and the others six standard errors behind. The scores of the
items are right or wrong (200 items, 70 % right), normal in 20 clusters of 10 items that are half of the
variance, or lognormal (50 items).
"""

AS_IT_IS, BOOTSTRAP = What("bias", "as it is"), What("bias", "bootstrap")
PARTS = {
    What("bias", "2 parts"): 2,
    What("bias", "3 parts", default=True): 3,
    What("bias", "10 parts"): 10,
}
RESAMPLES, SPLITS = 60, 20

Draw = Callable[[np.random.Generator, FloatArray], tuple[FloatArray, float, IntArray | None]]
"""Draws scores of items (n, S) of systems whose true scores are so many standard errors above 0, and returns
them with the standard error and the clusters."""


def cells() -> Iterator[Statements]:
    """Yield spreads and kinds of scores by the number of systems."""
    for scores in SCORES:
        for spread in SPREADS:
            for k in (2, 10, 100):
                one = partial(_one, draw=SCORES[scores], spread=SPREADS[spread], k=k)
                yield Statements("winner", f"{scores}, {spread}", f"{k} systems", 200, one, datasets=1000)


def _one(
    rng: np.random.Generator,
    seed: int,
    draw: Draw,
    spread: Callable[[np.random.Generator, int], FloatArray],
    k: int,
) -> dict[What, Outcome]:
    apart = spread(rng, k)
    values, unit, clusters = draw(rng, apart)
    scores = values.mean(axis=0)
    best = int(scores.argmax())
    influence = (values - scores) / len(values)
    if clusters is not None:
        influence = np.stack([np.bincount(clusters, weights=one) for one in influence.T], axis=1)

    def error(estimate: float) -> Outcome:
        return Outcome(estimate / unit - float(apart[best]))

    found = {AS_IT_IS: error(float(scores[best])), BOOTSTRAP: error(_bootstrapped(rng, scores, influence))}
    for what, n_parts in PARTS.items():
        one = optimism(scores, influence, seed=seed, n_parts=n_parts, n_splits=SPLITS)
        assert one is not None
        found[what] = error(one.corrected)
    return found


def _bootstrapped(rng: np.random.Generator, scores: FloatArray, influence: FloatArray) -> float:
    """Return the best score less what winners of resamples gain on the sample."""
    weights = rng.multinomial(len(influence), np.full(len(influence), 1.0 / len(influence)), RESAMPLES)
    gains = weights @ influence
    winners = (scores + gains).argmax(axis=1)
    return float(scores.max() - gains[np.arange(RESAMPLES), winners].mean())


def _answers(rng: np.random.Generator, apart: FloatArray) -> tuple[FloatArray, float, IntArray | None]:
    """Return right and wrong answers to 200 items, less .7; of far systems all are wrong."""
    unit = float(np.sqrt(0.21 / 200))
    return (rng.random((200, apart.size)) < 0.7 + unit * apart) - 0.7, unit, None


def _clusters(rng: np.random.Generator, apart: FloatArray) -> tuple[FloatArray, float, IntArray | None]:
    """Return normal scores of 20 clusters of 10 items, whose means are half of the variance."""
    codes, unit = np.repeat(np.arange(20), 10), float(np.sqrt((0.5 + 0.05) / 20))
    of_clusters = rng.standard_normal((20, apart.size))[codes]
    noise = np.sqrt(0.5) * (of_clusters + rng.standard_normal((200, apart.size)))
    return unit * apart + noise, unit, codes


def _lognormal(rng: np.random.Generator, apart: FloatArray) -> tuple[FloatArray, float, IntArray | None]:
    """Return skewed scores of 50 items."""
    unit, s = float(np.sqrt(1.0 / 50)), 0.8
    drawn = np.exp(s * rng.standard_normal((50, apart.size)) - 0.5 * s * s)
    return unit * apart + (drawn - 1.0) / np.sqrt(np.exp(s * s) - 1.0), unit, None


SCORES: dict[str, Draw] = {"right or wrong": _answers, "clusters": _clusters, "lognormal": _lognormal}


def _tied(_rng: np.random.Generator, k: int) -> FloatArray:
    ahead = max(2, k // 5)
    return np.concatenate([np.zeros(ahead), np.full(k - ahead, -6.0)])


def _normal(rng: np.random.Generator, k: int, sd: float) -> FloatArray:
    return sd * rng.standard_normal(k)


SPREADS: dict[str, Callable[[np.random.Generator, int], FloatArray]] = {
    "equal": lambda _rng, k: np.zeros(k),
    "even": lambda _rng, k: -1.0 * np.arange(k),
    "spread by one": partial(_normal, sd=1.0),
    "spread by three": partial(_normal, sd=3.0),
    "tied": _tied,
}
