"""How far are p-values of very many swaps, without a draw for each unit, from those of draws of all signs?

    python -m calibration.dominating_points [--units 20500] [--draws 4000] [--only NAME]

Draws data of many kinds, some of them nasty, and takes differences as far out as a test finds them: with
p-values of about 0.5 and 0.05, and 2 and 3.3 times as far out as the latter. The p-value of
`bestby.inference.dominating_point` stands beside that of importance sampling with a random sign for every
unit, whose standard error is shown. Prints a table of relative errors in percent. Seeded; minutes on one
core.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable

import numpy as np
from scipy.special import expit

from bestby.inference import dominating_point, permutation
from calibration.populations import Floats

Rows = tuple[Floats, Floats, Callable[[Floats], Floats]]
"""The statistics of A and of B, shape (n, k) each, and the score of totals (..., k)."""

PLAIN = (0.5, 0.05)
"""p-values of the nearest differences, from a thousand draws."""

OUT = (2.0, 3.3)
"""The others, in distances of the last."""


def correlation(totals: Floats) -> Floats:
    x, xx, xy, y, yy, n = np.moveaxis(totals, -1, 0)
    return np.asarray((n * xy - x * y) / np.sqrt((n * xx - x * x) * (n * yy - y * y)))


def moments(x: Floats, y: Floats) -> Floats:
    return np.column_stack([x, x * x, x * y, y, y * y, np.ones(x.size)])


def predicted(gold: Floats, of_a: Floats, of_b: Floats, scale: float = 1.0) -> Rows:
    """Return two systems with these errors; B may be on another scale."""
    return moments(gold + 0.55 * of_a, gold), moments(scale * (gold + 0.58 * of_b), gold), correlation


def heavy_items(rng: np.random.Generator, n: int) -> Rows:
    """Twenty items carry all of the correlation."""
    size = np.where(np.arange(n) < 20, math.sqrt(n), 1.0)
    return predicted(*(size * rng.normal(size=n) for _ in range(3)))


def ratings(rng: np.random.Generator, n: int) -> Rows:
    """Whole numbers from 1 to 5, averages of three annotators for the gold: many units are alike."""
    gold = rng.normal(size=n)
    whole = [np.clip(np.rint(3.0 + gold + 0.6 * rng.normal(size=n)), 1, 5) for _ in range(5)]
    a, b, *several = whole
    return moments(a, sum(several) / 3), moments(b, sum(several) / 3), correlation


def agreeing(rng: np.random.Generator, n: int) -> Rows:
    """Both systems give the same number for 95 % of the items; so many are drawn that n differ."""
    n *= 20
    gold, of_a, of_b = rng.normal(size=(3, n))
    a, b, score = predicted(gold, of_a, of_b)
    return a, np.where(rng.random(n)[:, None] < 0.05, b, a), score


def bleu(rng: np.random.Generator, n: int) -> Rows:
    """N-grams matched and in all, of segments of many lengths, and the length of the reference."""
    length = rng.integers(5, 60, n)

    def system(share: float) -> Floats:
        heard = np.maximum(length + rng.integers(-3, 4, n) - 1, 4)
        matched = [rng.binomial(heard, share)]
        for order in range(1, 4):
            matched.append(rng.binomial(np.minimum(matched[-1], np.maximum(heard - order, 0)), share))
        every = [np.maximum(heard - order, 0) for order in range(4)]
        return np.column_stack([*matched, *every, length]).astype(np.float64)

    def score(totals: Floats) -> Floats:
        precisions = np.log(totals[..., :4] / totals[..., 4:8]).mean(axis=-1)
        return np.asarray(np.exp(np.minimum(0.0, 1.0 - totals[..., 8] / totals[..., 4]) + precisions))

    return system(0.60), system(0.62), score


def ratio(rng: np.random.Generator, n: int) -> Rows:
    """A ratio of sums, of which units have shares with a Pareto tail."""
    sizes = [1.0 + rng.pareto(1.5, n) for _ in "ab"]
    a, b = (np.column_stack([size * rng.random(n), size]) for size in sizes)
    return a, b, lambda totals: np.asarray(totals[..., 0] / totals[..., 1])


def clusters(rng: np.random.Generator, n: int) -> Rows:
    """Unequal clusters, whose items depend on each other."""
    of = np.repeat(np.arange(n), np.ceil(3.0 * rng.pareto(1.2, n) + 1.0).clip(1, 2000).astype(int))
    gold = rng.normal(size=of.size) + rng.normal(size=n)[of]
    rows = [moments(gold + s * rng.normal(size=of.size), gold) for s in (0.55, 0.58)]
    a, b = (np.column_stack([np.bincount(of, column, n) for column in x.T]) for x in rows)
    return a, b, correlation


def rare(rng: np.random.Generator, n: int) -> Rows:
    """0 or 1, and each system has few of them: two kinds of units."""
    a, b = ((rng.random(n) < share).astype(np.float64) for share in (0.02, 0.02))
    return np.column_stack([a, 1.0 - a]), np.column_stack([b, 1.0 - b]), lambda t: np.sqrt(t[..., 0])


DATA: dict[str, Callable[[np.random.Generator, int], Rows]] = {
    "normal": lambda rng, n: predicted(*rng.normal(size=(3, n))),
    "t, 3 degrees of freedom": lambda rng, n: predicted(*rng.standard_t(3, (3, n))),
    "lognormal, 1.5": lambda rng, n: predicted(*rng.lognormal(0.0, 1.5, (3, n))),
    "20 heavy items": heavy_items,
    "ratings": ratings,
    "alike on 95 %": agreeing,
    "B on 1/30 of the scale": lambda rng, n: predicted(*rng.normal(size=(3, n)), scale=1 / 30),
    "BLEU": bleu,
    "ratio, Pareto 1.5": ratio,
    "unequal clusters": clusters,
    "Cauchy": lambda rng, n: predicted(*rng.standard_cauchy((3, n))),
    "lognormal, 2.5": lambda rng, n: predicted(*rng.lognormal(0.0, 2.5, (3, n))),
    "rare 0 and 1": rare,
}


def halves_and_difference(rows: Rows) -> tuple[Floats, Callable[[Floats], Floats]]:
    """Return half of what a swap of each unit changes, and the difference as a function of shifts."""
    a, b, score = rows
    midpoint, halves = 0.5 * (a + b).sum(axis=0), 0.5 * (a - b)
    moved = np.flatnonzero(halves.any(axis=0))

    def difference(shift: Floats) -> Floats:
        every = np.zeros((len(shift), midpoint.size))
        every[:, moved] = shift
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(score(midpoint + every) - score(midpoint - every))

    return np.asfortranarray(halves[halves.any(axis=1)][:, moved]), difference


def tilt_towards(halves: Floats, difference: Callable[[Floats], Floats], distance: float) -> Floats | None:
    """Return a tilt (k,) whose mean shift has this difference, along the gradient there; None if none has."""
    steps = np.diag(0.01 * np.sqrt((halves**2).sum(axis=0)))
    shift = np.zeros(halves.shape[1])
    for _ in range(8):
        gradient = (difference(shift + steps) - difference(shift - steps)) / (2.0 * np.diag(steps))
        effects = halves @ gradient

        def mean(theta: float, effects: Floats = effects) -> Floats:
            return np.asarray(halves.T @ np.tanh(theta * effects))

        low, high = 0.0, distance / float(effects @ effects)
        while not difference(mean(high)[None])[0] >= distance:
            low, high = high, 2.0 * high
            if high * float(np.abs(effects).max()) > 1e3:
                return None
        for _ in range(30):
            middle = 0.5 * (low + high)
            low, high = (low, middle) if difference(mean(middle)[None])[0] >= distance else (middle, high)
        shift, tilt = mean(high), high * gradient
    return np.asarray(tilt)


def importance_sampled(
    halves: Floats,
    difference: Callable[[Floats], Floats],
    distance: float,
    tilt: Floats,
    draws: int,
    seed: int = 0,
) -> tuple[float, float]:
    """Return the two-sided p-value by draws of all signs, and its standard error."""
    rng = np.random.default_rng(seed)
    effects = halves @ tilt
    chances, log_moment = expit(2.0 * effects), float(np.sum(np.logaddexp(effects, -effects) - math.log(2.0)))
    weights = []
    for start in range(0, draws, 200):
        size = min(200, draws - start)
        shift = np.where(rng.random((size, len(halves))) < chances, 1.0, -1.0) @ halves
        hit = difference(shift) >= distance
        weights.append(np.where(hit, np.exp(log_moment - shift @ tilt), 0.0))
    every = 2.0 * np.concatenate(weights)
    return float(every.mean()), float(every.std()) / math.sqrt(draws)


def row(name: str, units: int, draws: int) -> str:
    """Return a line of the table: the error at each distance in percent, with its standard error."""
    rng = np.random.default_rng(0)
    halves, difference = halves_and_difference(DATA[name](rng, units))
    some = [np.where(rng.random((200, len(halves))) < 0.5, 1.0, -1.0) @ halves for _ in range(5)]
    near = np.quantile(np.abs(difference(np.concatenate(some))), 1.0 - np.array(PLAIN))
    cells = []
    for seed, distance in enumerate([*near, *(near[-1] * np.array(OUT))]):
        found = dominating_point.swapped_sums(halves, difference, distance, 10_000, 0)
        tilt = tilt_towards(halves, difference, distance)
        if found is None or tilt is None:
            cells.append("all signs are drawn" if found is None else "nothing is that far out")
            continue
        p, error = importance_sampled(halves, difference, distance, tilt, draws, seed)
        how = "" if found.method == permutation.SADDLEPOINT else f", drawn ± {100 * found.error / p:.1f}"
        cells.append(f"{100 * (found.p_value / p - 1):+.1f} ± {100 * error / p:.1f} (p {p:.1g}{how})")
    return f"| {name} | {len(halves)} | {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--units", type=int, default=20_500, help="units that differ, or nearly")
    parser.add_argument("--draws", type=int, default=4000, help="draws of all signs for each number")
    parser.add_argument("--only", default="", help="data whose name contains this")
    arguments = parser.parse_args()
    columns = [*(f"p = {p:g}" for p in PLAIN), *(f"{out:g} times as far" for out in OUT)]
    print("| data | units | " + " | ".join(columns) + " |")
    print("|---|--:|" + "---|" * len(columns))
    for name in DATA:
        if arguments.only in name:
            print(row(name, arguments.units, arguments.draws), flush=True)


if __name__ == "__main__":
    main()
