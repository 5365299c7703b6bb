"""pass@k and pass^k over all k: how often bands hold at every k, and how often equal systems differ."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial

import numpy as np
from scipy.special import betaincinv, betaln, ndtr

from bestby import Evaluation, compare_attempts
from bestby.questions.attempts.bands import Curves
from calibration.statements import Outcome, Statements, What

TITLE = "Numbers of attempts"
TEXT = """
The chance that an attempt at an item is right has a beta distribution over the items: *hard* (mean .06),
*easy* (mean .94), *five percent* (19 of 20 items are never solved, the others with a
uniform chance). `coverage`: the band of a curve holds the truth at all k at once; `rejected`: two systems
with equal chances, which find the same items hard (correlation .8 of the normal scores), differ significantly
at some k. The note `few_effective` is counted. *Student's t*: the
band with the standard errors of the data, which are next to nothing where nearly all items are solved, or
nearly none: hence Wilson's intervals, and one more item of each kind.
"""

SHAPES = {"hard": (0.2, 3.0), "easy": (3.0, 0.2), "five percent": (1.0, 1.0)}
NEVER = {"five percent": 0.95}


def cells() -> Iterator[Statements]:
    """Yield systems of one population, for two numbers of items and two of samples."""
    for name, samples, n in itertools.product(SHAPES, (10, 100), (30, 400)):
        one = partial(_one, name=name, samples=samples, n=n)
        yield Statements("attempts", f"{name}, {samples} samples", str(n), n, one, datasets=100)


def _truth(name: str, samples: int, *, every: bool) -> np.ndarray:
    """Return the expected curve: a moment of the beta distribution at each k."""
    (a, b), k = SHAPES[name], np.arange(1, samples + 1)
    right = np.exp(betaln(a + k, b) - betaln(a, b))
    wrong = np.exp(betaln(a, b + k) - betaln(a, b))
    return (1.0 - NEVER.get(name, 0.0)) * (right if every else 1.0 - wrong)


def _chances(name: str, ranks: np.ndarray) -> np.ndarray:
    never = NEVER.get(name, 0.0)
    return np.where(
        ranks < never, 0.0, betaincinv(*SHAPES[name], np.maximum(ranks - never, 0.0) / (1.0 - never))
    )


def _one(rng: np.random.Generator, seed: int, name: str, samples: int, n: int) -> dict[What, Outcome]:
    shared, own = rng.normal(size=n), rng.normal(size=(2, n))
    ranks = ndtr(np.sqrt(0.8) * shared + np.sqrt(0.2) * own)
    right = rng.binomial(samples, _chances(name, ranks))
    data = {f"s{place}": [(samples, int(c)) for c in row] for place, row in enumerate(right)}
    found = {}
    for metric in ("pass@k", "pass^k"):
        result = compare_attempts(data, metric=metric, rng=seed)
        noted = any(note.code == "few_effective" for note in result.notes)
        truth, curve, (pair,) = (
            _truth(name, samples, every=metric == "pass^k"),
            result.curve("s0"),
            result.pairs,
        )
        inside = (np.array(curve.low) <= truth) & (truth <= np.array(curve.high))
        found[What("coverage", f"{metric}, all k", True)] = Outcome(bool(inside.all()), noted)
        found[What("coverage", f"{metric}, Student's t")] = Outcome(_by_t(data["s0"], truth, metric, seed))
        found[What("rejected", metric, True)] = Outcome(pair.significant, noted)
    return found


def _by_t(pairs: list[tuple[int, int]], truth: np.ndarray, metric: str, seed: int) -> bool:
    """Return whether the mean and as many of its standard errors hold the truth at all k."""
    evaluation = Evaluation.of({"s": pairs}, objects=True)
    curves = Curves.of([np.array(pairs, dtype=np.float64)], evaluation, truth.size, every=metric == "pass^k")
    means, covariances = curves.moments
    reach = curves.point([(0, 0)], 0.05, seed) * np.sqrt(covariances[:, 0, 0])
    return bool((np.abs(means[:, 0] - truth) <= reach + 1e-12).all())
