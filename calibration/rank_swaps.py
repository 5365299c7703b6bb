"""How near is the permutation test of ranks by the expansion of swaps to one of very many draws?

    python -m calibration.rank_swaps          # 400,000 draws of each set of data: some minutes
    python -m calibration.rank_swaps --quick  # 40,000 draws

For each set of data the differences of drawn swaps that one in two, in twenty, in 200 and in 2,000 reach
are tested by the expansion. Printed are n, the units of equal size that carry the difference, and for each by
how much of p the expansion is off, with the standard error of the draws, all in percent; nan where it is not
used.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np

from bestby.inference import dominating_point
from bestby.metrics import resolve
from bestby.metrics.base import WeightedMetric

SHARES = (0.5, 0.05, 0.005, 0.0005)
AT_ONCE = 2000


def data(n: int) -> Iterator[tuple[str, str, np.ndarray, np.ndarray, np.ndarray]]:
    """Yield sets of data: the metric, what they are, the gold and the predictions of two systems."""
    rng = np.random.default_rng(n)
    signal = rng.normal(size=n)
    a, b = signal + 1.0 * rng.normal(size=n), signal + 1.1 * rng.normal(size=n)
    for share in (0.5, 0.3, 0.05):
        gold = (signal > np.quantile(signal, 1.0 - share)).astype(int)
        yield "average_precision", f"share {share}", gold, a, b
        yield "average_precision", f"share {share}, ties", gold, np.round(a, 1), np.round(b, 1)
        yield "average_precision", f"share {share}, other scale", gold, a, 3.0 * b
        yield (
            "average_precision",
            f"share {share}, agree on 80 %",
            gold,
            a,
            np.where(rng.random(n) < 0.8, a, b),
        )
    for metric in ("kendall", "spearman"):
        for decimals in (0, 1):
            yield (
                metric,
                f"{decimals} decimals",
                np.round(signal, decimals),
                np.round(a, decimals),
                np.round(b, decimals),
            )
        yield metric, "A coarse", signal, np.round(a), b


def fitted(metric: str, gold: np.ndarray, a: np.ndarray, b: np.ndarray) -> WeightedMetric:
    """Return a metric of ranks that has seen the data."""
    measure = resolve(metric).fit(gold, [a, b], None)
    assert isinstance(measure, WeightedMetric)
    return measure


def drawn(metric: str, gold: np.ndarray, a: np.ndarray, b: np.ndarray, n_draws: int) -> np.ndarray:
    """Return the sizes of the differences of drawn swaps, in rising order."""
    measure, rng, found = fitted(metric, gold, a, b), np.random.default_rng(1), []
    both = measure.prepare(np.concatenate([gold, gold]), np.concatenate([a, b]))
    for _ in range(n_draws // AT_ONCE):
        swapped = rng.integers(0, 2, (AT_ONCE, gold.size), dtype=np.uint8)
        parts = [1 - swapped, swapped]
        scores = [measure.weighted(both, np.concatenate(order, axis=1)) for order in (parts, parts[::-1])]
        found.append(np.abs(scores[0] - scores[1]))
    return np.sort(np.concatenate(found))


def expanded(
    metric: str, gold: np.ndarray, a: np.ndarray, b: np.ndarray, observed: float
) -> tuple[float, float]:
    """Return the p-value by the expansion, NaN where it is not used, and the units that carry it."""
    measure = fitted(metric, gold, a, b)
    both = measure.prepare(np.concatenate([gold, gold]), np.concatenate([a, b]))
    derivatives = measure.derivatives(both)
    effects = np.subtract(*np.split(derivatives.first, 2))

    def difference(signs: np.ndarray) -> float:
        path = derivatives.path(np.concatenate([signs, -signs]))
        return float(-np.diff(path(np.array([1.0, -1.0])))[0])

    found = dominating_point.swapped_weights(effects, difference, observed, "two-sided")
    n_effective = float((effects**2).sum() ** 2 / (effects**4).sum())
    return (float("nan") if found is None else found.p_value), n_effective


def main() -> None:
    """Print the errors."""
    n_draws = 40_000 if "--quick" in sys.argv else 400_000
    for n in (600, 1000, 2000):
        for metric, what, gold, a, b in data(n):
            sizes = drawn(metric, gold, a, b, n_draws)
            cells, n_effective = [], 0.0
            for share in SHARES:
                observed = float(sizes[int(sizes.size * (1.0 - share))])
                true = 1.0 - np.searchsorted(sizes, observed * (1.0 - 1e-9)) / sizes.size
                p, n_effective = expanded(metric, gold, a, b, observed)
                cells.append(
                    f"{100 * (p / true - 1):+.1f} ± {100 * ((1 - true) / true / sizes.size) ** 0.5:.1f}"
                )
            print(f"{n:5} {metric:18}{what:28}{n_effective:6.0f}   " + "   ".join(cells), flush=True)


if __name__ == "__main__":
    main()
