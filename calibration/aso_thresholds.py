"""How often does epsilon_min of two systems that are alike fall below the customary thresholds?

    python -m calibration.aso_thresholds [--samples 100000] [--largest 100]

Draws the runs of both systems from one distribution, computes epsilon_min with 1000 bootstrap samples, and
counts, for numbers of runs from 2 to 100. Appends a line per numbers of runs and distribution to
results/aso_thresholds.csv as it goes; what is there is not done again. Seeded; half an hour on one core.
"""

from __future__ import annotations

import argparse
import csv
import sys
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import ndtri
from tools import pages

from bestby.questions.order.ordering import bootstrap_positions, merged_steps, n_deals
from calibration import ROOT

RAW = ROOT / "calibration" / "results" / "aso_thresholds.csv"
SIZES = (2, 3, 4, 5, 6, 7, 8, 10, 15, 20, 30, 50, 100)
CUSTOMARY = (0.5, 0.2)
BATCH = 500
RESAMPLES = 1000
DISTRIBUTIONS: dict[str, Callable[[Any, tuple[int, int]], Any]] = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "uniform": lambda rng, shape: rng.random(shape),
    "lognormal": lambda rng, shape: rng.lognormal(size=shape),
    "t3": lambda rng, shape: rng.standard_t(3, size=shape),
    "coarse": lambda rng, shape: np.round(2.0 * rng.normal(size=shape)),
}
COLUMNS = ("distribution", "n_a", "n_b", "samples", "zero", *(f"below_{limit}" for limit in CUSTOMARY))


def ratios(a: Any, b: Any, first: Any, second: Any, width: Any, out: Any) -> None:
    """Fill out (R, S) with the violation ratios of S pairs of samples, a (n, S) and b (m, S), sorted."""
    total, bad = np.zeros(out.shape), np.zeros(out.shape)
    for x, y, w in zip(first.T, second.T, width, strict=True):
        d = a[x] - b[y]
        total += w * d * d
        below = np.minimum(d, 0.0)
        bad += w * below * below
    out[:] = np.where(total > 0.0, bad / np.where(total > 0.0, total, 1.0), 0.5)


def simulated(name: str, n: int, m: int, samples: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the violation ratios and their bootstrap errors, shape (samples,) each."""
    seed = zlib.crc32(f"{name}|{n}|{m}".encode())
    first, second, width = merged_steps(n, m)
    found = []
    for batch in range(-(-samples // BATCH)):
        rng = np.random.default_rng([seed, batch])
        a = np.sort(DISTRIBUTIONS[name](rng, (n, BATCH)), axis=0)
        b = np.sort(DISTRIBUTIONS[name](rng, (m, BATCH)), axis=0)
        observed, replicates = np.empty((1, BATCH)), np.empty((RESAMPLES, BATCH))
        ratios(a, b, first[None, :], second[None, :], width, observed)
        blocks = list(bootstrap_positions(n, m, RESAMPLES, seed + batch))
        p, q = (np.concatenate([block[side] for block in blocks]) for side in (0, 1))
        ratios(a, b, p, q, width, replicates)
        found.append((observed[0], replicates.std(axis=0)))
    ratio, error = zip(*found, strict=True)
    return np.concatenate(ratio), np.concatenate(error)


def line(name: str, n: int, m: int, ratio: np.ndarray, error: np.ndarray) -> dict[str, Any]:
    """Return how often epsilon_min is 0 and below the customary limits."""
    out: dict[str, Any] = {"distribution": name, "n_a": n, "n_b": m, "samples": ratio.size}
    usual = np.clip(ratio + error * -float(ndtri(0.05)), 0.0, 1.0)
    out["zero"] = f"{np.mean(usual == 0.0):.5f}"
    for limit in CUSTOMARY:
        out[f"below_{limit}"] = f"{np.mean(usual < limit):.4f}"
    return out


def both_ways(name: str, n: int, m: int, samples: int) -> list[dict[str, Any]]:
    """Return the lines for n against m and m against n: the ratio of B over A is 1 less that of A over B."""
    ratio, error = simulated(name, n, m, samples)
    if n == m:
        return [line(name, n, n, np.concatenate([ratio, 1.0 - ratio]), np.concatenate([error, error]))]
    return [line(name, n, m, ratio, error), line(name, m, n, 1.0 - ratio, error)]


def table(rows: list[dict[str, Any]]) -> str:
    """Return how often normal scores of like systems pass the limits, in percent."""
    lines = [
        "| runs of each | ε_min < 0.5 | ε_min < 0.2 | all runs of A above all of B |",
        "|--:|--:|--:|--:|",
    ]
    for row in rows:
        n = int(row["n_a"])
        if row["distribution"] == "normal" and row["n_b"] == row["n_a"]:
            shares = [100 * float(row[f"below_{limit}"]) for limit in CUSTOMARY]
            apart = 100 / n_deals(n, n)
            cells = [*(f"{share:.1f}" for share in shares), f"{apart:.2g}" if apart > 0.01 else "< 0.01"]
            lines.append(f"| {n} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--samples", type=int, default=100_000, help="pairs of systems per line")
    parser.add_argument("--largest", type=int, default=max(SIZES), help="leave out more runs than this")
    arguments = parser.parse_args()
    done: set[tuple[str, str, str]] = set()
    if RAW.exists():
        with RAW.open(encoding="utf-8", newline="") as file:
            done = {(row["distribution"], row["n_a"], row["n_b"]) for row in csv.DictReader(file)}
    else:
        RAW.parent.mkdir(exist_ok=True)
        RAW.write_text(",".join(COLUMNS) + "\n", encoding="utf-8")
    sizes = [size for size in SIZES if size <= arguments.largest]
    for m in sizes:
        for n in sizes[: sizes.index(m) + 1]:
            for name in DISTRIBUTIONS:
                if (name, str(m), str(n)) in done:
                    continue
                lines = both_ways(name, n, m, arguments.samples)
                with RAW.open("a", encoding="utf-8", newline="") as file:
                    csv.DictWriter(file, COLUMNS, lineterminator="\n").writerows(lines)
                print(f"{name}, {n} and {m} runs", file=sys.stderr)
    with RAW.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    pages.write(ROOT / "docs" / "guides" / "stochastic-order.md", "aso-errors", table(rows))


if __name__ == "__main__":
    main()
