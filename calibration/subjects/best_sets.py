"""The set of the best, how far systems are behind it, and the score of the leader, through entry points."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

import bestby
from bestby._core.typing import FloatArray, IntArray
from calibration.statements import Outcome, Statements, What, holds

TITLE = "The best of several systems"

TEXT = """
Counted is in how many data sets of 100 a system that is truly the best, the first of those, is among the
systems that *may be best*; all bounds *behind* the best hold; and the interval of the *leader* that allows
for the choice holds its true score. Beside them stand the *plain* interval of the leader, as if it had been
named beforehand, and whether the tests of *all pairs* (Holm) leave the best system rank 1.

The systems are *equal*; *tied*, a fifth of them and at least two at the top and the others behind by one to
fifteen percent points; or *spread* evenly over ten. The scores are right or wrong, by items of different
difficulty; normal in clusters of 10 items that are half of the variance; or lognormal, the worst case: all
means are equal, and every second system has longer tails. Of *runs* and *fixed datasets* the set is by the
interval of each pair alone: scores of runs are normal, of every second system with twice the spread; the
items of three datasets are right or wrong.
"""

KEPT, BEHIND, LEADER = (What("coverage", name, default=True) for name in ("may be best", "behind", "leader"))
PLAIN, PAIRS = What("coverage", "leader, plain"), What("coverage", "all pairs")

Draw = Callable[[np.random.Generator, int, FloatArray], tuple[FloatArray, FloatArray, IntArray | None]]
"""Draws scores of items (n, S) of systems with true scores, and returns them with these and the clusters."""


def cells() -> Iterator[Statements]:
    """Yield kinds of scores and how systems differ by the numbers of items and systems."""
    for scores, spread, n, k in (
        ("right or wrong", "equal", 50, 12), ("right or wrong", "equal", 400, 12),
        ("right or wrong", "tied", 100, 3), ("right or wrong", "tied", 400, 12),
        ("right or wrong", "spread", 400, 20), ("clusters", "equal", 200, 6), ("clusters", "tied", 600, 6),
        ("lognormal", "equal", 100, 5), ("lognormal", "equal", 1000, 5),
    ):  # fmt: skip
        one = partial(_one, draw=SCORES[scores], true=SPREADS[spread](k), n=n)
        yield Statements("best_sets", f"{scores}, {spread}", f"{n}, {k} systems", n, one, datasets=200)
    for spread, n in (("equal", 5), ("equal", 20), ("tied", 5)):
        one = partial(_runs, true=SPREADS[spread](5), n=n)
        yield Statements("best_sets", f"runs, {spread}", f"{n}, 5 systems", n, one, datasets=200)
    for spread, n in (("equal", 50), ("tied", 400)):
        one = partial(_fixed_datasets, true=SPREADS[spread](5), n=n)
        name = f"3 fixed datasets, {spread}"
        yield Statements("best_sets", name, f"{n}, 5 systems", 3 * n, one, datasets=200)


def _runs(rng: np.random.Generator, seed: int, true: FloatArray, n: int) -> dict[What, Outcome]:
    sd = np.where(np.arange(true.size) % 2 == 0, 0.02, 0.04)
    drawn = true + sd * rng.standard_normal((n, true.size))
    runs = {f"s{place:03d}": column for place, column in enumerate(drawn.T)}
    result = bestby.compare_runs(runs, rng=seed)
    behind = {one.system: one.behind for one in result.systems}
    first = Outcome(result.score("s000").rank_low == 1)
    return {**_of_the_set(result.best, behind, dict(zip(runs, true.tolist(), strict=True))), PAIRS: first}


def _fixed_datasets(rng: np.random.Generator, seed: int, true: FloatArray, n: int) -> dict[What, Outcome]:
    drawn = [_answers(rng, n, true) for _ in range(3)]
    names = [f"s{place:03d}" for place in range(true.size)]
    each = [bestby.Evaluation.of(dict(zip(names, one[0].T, strict=True))) for one in drawn]
    # The tests inside the datasets, which are not looked at, are by formula, which saves their time
    result = bestby.compare_datasets(dict(zip("abc", each, strict=True)), test="sign", rng=seed)
    behind = dict(zip(result.systems, result.behind, strict=True))
    return _of_the_set(result.best, behind, dict(zip(names, drawn[0][1].tolist(), strict=True)))


def _of_the_set(
    best: bestby.results.BestSet | None, behind: dict[str, float | None], true: dict[str, float]
) -> dict[What, Outcome]:
    """Return whether the best system is in the set, and whether all bounds hold."""
    greatest = max(true.values())
    bounds = [greatest - true[name] <= (most or 0.0) + 1e-12 for name, most in behind.items()]
    return {KEPT: Outcome(best is not None and "s000" in best.systems), BEHIND: Outcome(all(bounds))}


def _one(rng: np.random.Generator, seed: int, draw: Draw, true: FloatArray, n: int) -> dict[What, Outcome]:
    values, true, clusters = draw(rng, n, true)
    systems = {f"s{place:03d}": column for place, column in enumerate(values.T)}
    of = dict(zip(systems, true.tolist(), strict=True))
    result = bestby.compare(systems, clusters=clusters, rng=seed)
    best, first = result.score("s000"), result.systems[0]
    allowing = first.interval if result.leader is None else result.leader.interval
    return {
        **_of_the_set(result.best, {one.system: one.behind for one in result.systems}, of),
        LEADER: Outcome(holds(allowing, of[first.system])),
        PLAIN: Outcome(holds(first.interval, of[first.system])),
        PAIRS: Outcome(best.rank_low == 1),
    }


_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(40)


def _answers(
    rng: np.random.Generator, n: int, true: FloatArray
) -> tuple[FloatArray, FloatArray, IntArray | None]:
    """Return right and wrong answers to items whose difficulty has the standard deviation 1.2."""
    ability = np.log(true / (1.0 - true)) * 1.25
    logits = ability[:, None] + 1.2 * _NODES
    shares = (1.0 / (1.0 + np.exp(-logits))) @ (_WEIGHTS / _WEIGHTS.sum())
    difficulty = 1.2 * rng.standard_normal((n, 1))
    right = rng.random((n, true.size)) * (1.0 + np.exp(-ability - difficulty)) < 1.0
    return right.astype(np.float64), shares, None


def _clusters(
    rng: np.random.Generator, n: int, true: FloatArray
) -> tuple[FloatArray, FloatArray, IntArray | None]:
    """Return normal scores of clusters of 10 items, whose means are half of the variance."""
    codes = np.repeat(np.arange(n // 10), 10)
    of_clusters = rng.standard_normal((n // 10, true.size))[codes]
    return true + 0.3 * (of_clusters + rng.standard_normal((n, true.size))), true, codes


def _lognormal(
    rng: np.random.Generator, n: int, true: FloatArray
) -> tuple[FloatArray, FloatArray, IntArray | None]:
    """Return skewed scores with one mean, of every second system with longer tails."""
    s = np.where(np.arange(true.size) % 2 == 0, 0.5, 1.0)
    return np.exp(s * rng.standard_normal((n, true.size)) - 0.5 * s * s), np.ones(true.size), None


SCORES: dict[str, Draw] = {"right or wrong": _answers, "clusters": _clusters, "lognormal": _lognormal}


def _tied(k: int) -> FloatArray:
    ahead = max(2, k // 5)
    return np.concatenate([np.full(ahead, 0.80), np.linspace(0.79, 0.65, k - ahead)])


SPREADS: dict[str, Callable[[int], FloatArray]] = {
    "equal": lambda k: np.full(k, 0.75),
    "tied": _tied,
    "spread": lambda k: np.linspace(0.80, 0.70, k),
}
