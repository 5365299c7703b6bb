"""Systems that lack items: which may be the best, all ranks, and whether items are missing by difficulty."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial

import numpy as np

from bestby import compare
from bestby._core.typing import BoolArray, FloatArray
from calibration.statements import Outcome, Statements, What, holds

TITLE = "Systems that lack items"
TEXT = """
Thirteen systems are right or wrong on items that are hard or easy for all (ability and difficulty add up
on the logistic scale, difficulty has the standard deviation 1.2). Two are right on 80 % of the items,
ten on 79 down to 65 %, and a newcomer on 80 %, too, which has a third of the items: any third, the hard
or the easy one. In other populations a fifth of all results is missing, or a third of those of each
system, or half of the newcomer's failures; a newcomer far behind is right on 40 %. Each pair is compared
on the items both have (`on_missing="pairs"`) or, where failures are missing, also within bounds.

Counted is whether the newcomer, and the best of the others, are in the set of the best, whether all
ranks hold at once, and how often the items of some system are said to be harder or easier than those it
lacks: where they are missing at random, that should be in 5 % of the data sets. Failures that are
missing make the comparison of pairs wrong: it loses the best of the others. They are told where hard
items fail, and not where all items are equally hard; only the bounds keep the others in both cases.
Where a newcomer is far behind, the *leader* has a score without its luck, whose interval should hold its
true score; where there is none, the plain interval counts.
"""

SUBJECT = "missing_items"
SYSTEMS, BEST = 13, (0, 1, 12)
SHARES = np.array([0.80, 0.80, *np.linspace(0.79, 0.65, 10), 0.80])

Gaps = Callable[[np.random.Generator, FloatArray, FloatArray], BoolArray]
"""Returns which results are missing, shape (13, n), from the difficulty of the items and the answers."""


def cells() -> Iterator[Statements]:
    """Yield the populations by the number of items."""
    for n in (150, 450):
        for population, gaps in GAPS.items():
            datasets = 200 if population.startswith("newcomer") else 100  # the others take longer
            one = partial(_one, gaps, n, "pairs")
            yield Statements(SUBJECT, population, str(n), n, one, datasets)
        for on_missing in ("pairs", "bounds"):
            failures = partial(_one, _failures, n, on_missing)
            population = f"newcomer, half of its failures are missing ({on_missing})"
            yield Statements(SUBJECT, population, str(n), n, failures, datasets=200)
        for which in ("any third", "hard third"):
            behind = partial(_one, GAPS[f"newcomer, {which}"], n, "pairs", newcomer=0.4)
            yield Statements(SUBJECT, f"newcomer far behind, {which}", str(n), n, behind, datasets=200)
    alike = partial(_one, _failures, 450, "pairs", spread=0.0)
    population = "items equally hard, newcomer, half of its failures are missing (pairs)"
    yield Statements(SUBJECT, population, "450", 450, alike, datasets=200)


def _newcomer(has: Callable[[np.random.Generator, FloatArray], BoolArray]) -> Gaps:
    def gaps(rng: np.random.Generator, difficulty: FloatArray, right: FloatArray) -> BoolArray:
        missing = np.zeros(right.shape, dtype=np.bool_)
        missing[-1] = ~has(rng, difficulty)
        return missing

    return gaps


def _any_third(rng: np.random.Generator, difficulty: FloatArray) -> BoolArray:
    chosen = np.zeros(difficulty.size, dtype=np.bool_)
    chosen[rng.permutation(difficulty.size)[: difficulty.size // 3]] = True
    return chosen


def _hard(_: np.random.Generator, difficulty: FloatArray) -> BoolArray:
    return np.argsort(np.argsort(-difficulty)) < difficulty.size // 3


def _easy(_: np.random.Generator, difficulty: FloatArray) -> BoolArray:
    return np.argsort(np.argsort(difficulty)) < difficulty.size // 3


def _cells_missing(share: float) -> Gaps:
    return lambda rng, _, right: rng.random(right.shape) < share


def _failures(rng: np.random.Generator, _: FloatArray, right: FloatArray) -> BoolArray:
    missing = np.zeros(right.shape, dtype=np.bool_)
    missing[-1] = (right[-1] == 0.0) & (rng.random(right.shape[1]) < 0.5)
    return missing


GAPS: dict[str, Gaps] = {
    "newcomer, any third": _newcomer(_any_third),
    "newcomer, hard third": _newcomer(_hard),
    "newcomer, easy third": _newcomer(_easy),
    "a fifth of all results": _cells_missing(0.2),
    "a third of each system": _cells_missing(1.0 / 3.0),
}
"""Which results are missing."""


def _one(
    gaps: Gaps,
    n: int,
    on_missing: str,
    rng: np.random.Generator,
    seed: int,
    spread: float = 1.2,
    newcomer: float = 0.8,
) -> dict[What, Outcome]:
    shares = np.array([*SHARES[:-1], newcomer])
    difficulty = spread * rng.standard_normal(n)
    chances = 1.0 / (1.0 + np.exp(difficulty - _abilities(spread, newcomer)[:, None]))
    right = (rng.random((SYSTEMS, n)) < chances).astype(np.float64)
    right[gaps(rng, difficulty, right)] = np.nan
    systems = {f"s{i:02d}": row for i, row in enumerate(right)}
    result = compare(systems, on_missing=on_missing, rng=seed, n_resamples=199)  # type: ignore[arg-type]
    of = {entry.system: entry for entry in result.systems}
    if newcomer < min(SHARES):
        first = result.systems[0]
        interval = first.interval if result.leader is None else result.leader.interval
        return {
            What("coverage", "leader", default=True): Outcome(holds(interval, shares[int(first.system[1:])]))
        }
    valid = gaps is not _failures or on_missing == "bounds"
    told = any(note.code == "missing_by_difficulty" for note in result.notes)
    found = {
        What("coverage", "newcomer may be the best", default=valid): Outcome(of["s12"].may_be_best),
        What("coverage", "another best may be the best", default=valid): Outcome(of["s00"].may_be_best),
        What("coverage", "all ranks"): Outcome(_ranks_hold(result)),
    }
    if on_missing == "pairs":
        found[What("rejected", "items are harder or easier")] = Outcome(told)
    return found


def _ranks_hold(result: object) -> bool:
    ranks = {entry.system: (entry.rank_low, entry.rank_high) for entry in result.systems}  # type: ignore[attr-defined]
    for i, share in enumerate(SHARES):
        low, high = ranks[f"s{i:02d}"]
        # Systems that are equal share the ranks from the first of them to the last
        first, last = 1 + int((share < SHARES).sum()), int((share <= SHARES).sum())
        if low > last or high < first:
            return False
    return True


@cache
def _abilities(spread: float, newcomer: float) -> FloatArray:
    """Return the abilities at which systems are right on their shares of all items, by bisection."""
    shares = np.array([*SHARES[:-1], newcomer])
    points, weights = np.polynomial.hermite_e.hermegauss(40)
    low, high = np.full(SYSTEMS, -5.0), np.full(SYSTEMS, 5.0)
    for _ in range(60):
        middle = 0.5 * (low + high)
        share = (1.0 / (1.0 + np.exp(spread * points - middle[:, None]))) @ weights / weights.sum()
        low, high = np.where(share < shares, middle, low), np.where(share < shares, high, middle)
    return low
