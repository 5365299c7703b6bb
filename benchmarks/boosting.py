"""An attack on the scores that a leaderboard shows: change some labels at random, keep what scores better.

    python -m benchmarks.boosting          # prints the table and writes it into the guide for organisers

A team that knows nothing begins with random labels of two classes, and submits them again with the labels of
`k` random items changed. If the score that is shown is better it goes on from there, otherwise it goes back.
What it climbs is chance: on items that no score was shown of it is as good as before.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Literal

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import ndtr
from tools import pages

from bestby._core.typing import FloatArray

GUIDE = Path(__file__).resolve().parents[1] / "docs" / "guides" / "board-organisers.md"
N, REPEATS = 4000, 50
SUBMISSIONS = (10, 50, 100, 200, 400)
CHANGED: tuple[int | Literal["adaptive"], ...] = (2, 10, 50, 200, "adaptive")


def attack(rng: np.random.Generator, k: int | Literal["adaptive"], submissions: int) -> FloatArray:
    """Return the shares of right labels after each submission: of the items that scores are shown of (row 0),
    and of as many others, whose labels are changed in the same way (row 1).

    Which items are changed is chance, so that the numbers of right ones among them are all that matters.
    """
    shown, other = rng.binomial(N, 0.5, 2)
    path = np.empty((2, submissions))
    for turn in range(submissions):
        if turn:
            size = _best_size(shown / N) if k == "adaptive" else k
            lost, lost_other = (int(rng.hypergeometric(c, N - c, size)) for c in (shown, other))
            if size > 2 * lost:
                shown, other = shown + size - 2 * lost, other + size - 2 * lost_other
        path[:, turn] = shown / N, other / N
    return path


def _best_size(score: float) -> int:
    """Return for how many changes the expected gain is largest, of those that are kept when they are a gain.

    The gain of k changes is about normal with mean -k d and variance k, where d = 2 score - 1. With
    u = d sqrt(k), its expectation above 0 is (u phi(u) - u^2 Phi(-u)) / d.
    """
    d = max(2 * score - 1, 1e-9)
    return int(min(max((_BEST / d) ** 2, 1), N // 2))


_BEST = float(
    minimize_scalar(
        lambda u: u * u * ndtr(-u) - u * math.exp(-u * u / 2) / math.sqrt(2 * math.pi),
        bounds=(0, 3),
        method="bounded",
    ).x
)


def table() -> str:
    """Return what the board shows by the number of submissions, as means over the attacks."""
    heads = " | ".join(f"after {one}" for one in SUBMISSIONS)
    lines = [f"| labels changed | {heads} | on other items |", f"|--:|{'--:|' * (len(SUBMISSIONS) + 1)}"]
    for place, k in enumerate(CHANGED):
        paths = [
            attack(np.random.default_rng([22, place, turn]), k, SUBMISSIONS[-1]) for turn in range(REPEATS)
        ]
        shown, other = np.mean(paths, axis=0)
        cells = [*(shown[one - 1] for one in SUBMISSIONS), other[-1]]
        lines.append(f"| {k} | {' | '.join(f'{100 * cell:.1f} %' for cell in cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
    pages.write(GUIDE, "boosting", table())
