"""The boosting attack of Blum & Hardt (2015, section 4) on a leaderboard, with and without a Ladder.

    python -m benchmarks.boosting          # prints the table and writes it into the guide for organisers

A team that knows nothing submits random labels, keeps those that the leaderboard says are better than chance,
and submits their majority. Nothing of it is of use on other items.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tools import pages

from bestby._core.typing import BoolArray
from bestby.inference.ladder import Improvement, ladder

GUIDE = Path(__file__).resolve().parents[1] / "docs" / "guides" / "board-organisers.md"
N, REPEATS = 4000, 50
SUBMISSIONS = (10, 50, 100, 200, 400)


@dataclass(frozen=True)
class Attack:
    """What an attack led to: the score that the board shows, and that of the majority on other items."""

    shown: float
    elsewhere: float


def attack(rng: np.random.Generator, k: int, *, with_ladder: bool) -> Attack:
    """Attack a board of N items of two classes with k submissions and a last one."""
    gold, elsewhere = rng.random(N) < 0.5, rng.random(N) < 0.5
    tried, tried_elsewhere = rng.random((k, N)) < 0.5, rng.random((k, N)) < 0.5
    right = tried == gold
    kept = _moved(right) if with_ladder else right.mean(axis=1) > 0.5
    final = _majority(rng, tried[kept]) == gold
    return Attack(
        _shown(np.vstack([right, final])) if with_ladder else float(final.mean()),
        float((_majority(rng, tried_elsewhere[kept]) == elsewhere).mean()),
    )


def _moved(right: BoolArray) -> BoolArray:
    """Return which submissions a team with a Ladder sees to be better than chance."""
    out = np.zeros(len(right), dtype=np.bool_)
    out[[one for one in _climbed(right) if right[one].mean() > 0.5]] = True
    return out


def _shown(right: BoolArray) -> float:
    """Return the score that a Ladder shows after all submissions."""
    return float(right[_climbed(right)[-1]].mean())


def _climbed(right: BoolArray) -> tuple[int, ...]:
    def improvement(new: int, last: int) -> Improvement:
        gains = right[new].astype(np.float64) - right[last]
        return Improvement(float(gains.mean()), float(gains.std(ddof=1)) / math.sqrt(N))

    return ladder(range(len(right)), improvement)


def _majority(rng: np.random.Generator, votes: BoolArray) -> BoolArray:
    """Return what most votes say of each item, and a coin where they are even or there are none."""
    balance = 2 * votes.sum(axis=0) - len(votes)
    return np.where(balance == 0, rng.random(votes.shape[1]) < 0.5, balance > 0)


def table() -> str:
    """Return what the board shows by the number of submissions, as means over the attacks."""
    lines = ["| submissions | raw scores show | a ladder shows | on other items |", "|--:|--:|--:|--:|"]
    for k in SUBMISSIONS:
        found = {
            kind: [_attack(k, turn, with_ladder=kind) for turn in range(REPEATS)] for kind in (False, True)
        }
        raw, laddered = (float(np.mean([one.shown for one in found[kind]])) for kind in (False, True))
        elsewhere = float(np.mean([one.elsewhere for one in found[False]]))
        lines.append(f"| {k} | {100 * raw:.1f} % | {100 * laddered:.1f} % | {100 * elsewhere:.1f} % |")
    return "\n".join(lines)


def _attack(k: int, turn: int, *, with_ladder: bool) -> Attack:
    return attack(np.random.default_rng([22, k, turn]), k, with_ladder=with_ladder)


if __name__ == "__main__":
    print(table())
    pages.write(GUIDE, "boosting", table())
