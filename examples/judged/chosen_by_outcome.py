"""What becomes of corrected scores if the labelled items are chosen by their outcome: a simulation.

The truth is known here: gold for all 1000 names. Labels are drawn at random, or only among the names where a
second judge says something else than the first ("check the doubtful ones"), and the result is told in both
cases that they were drawn at random.
"""

from __future__ import annotations

import numpy as np
from make_data import JUDGE, SECOND, SYSTEMS, names

import bestby as bb

DRAWS = 200
SIZES = (35, 70, 140)


def main() -> None:
    """Print the mean error of a corrected score, and how often its interval covers the truth."""
    items = names()
    truth = {s: np.array([float(item[s] == item["gold"]) for item in items]) for s in SYSTEMS}
    judge = {s: np.array([float(item[s] == item[JUDGE]) for item in items]) for s in SYSTEMS}
    doubtful = np.array([place for place, item in enumerate(items) if item[JUDGE] != item[SECOND]])
    system, rng = SYSTEMS[0], np.random.default_rng(0)
    for s in SYSTEMS:
        print(f"{s}: judge alone {judge[s].mean():.3f}, truth {truth[s].mean():.3f}")
    print(f"{len(doubtful)} of {len(items)} names are doubtful; corrected score of {system}:")
    for label, pool in (("at random", np.arange(len(items))), ("doubtful only", doubtful)):
        for n in SIZES:
            errors, covered = [], 0
            for _ in range(DRAWS):
                chosen = np.zeros(len(items), dtype=bool)
                chosen[rng.choice(pool, n, replace=False)] = True
                human = {s: np.where(chosen, truth[s], np.nan) for s in SYSTEMS}
                score = bb.compare_judged(judge, human, labels_drawn="random").score(system)
                errors.append(score.score - truth[system].mean())
                covered += score.interval is not None and truth[system].mean() in score.interval
            print(f"{label:<14} {n:>4} labels  error {np.mean(errors):+.3f}  coverage {covered / DRAWS:.3f}")


if __name__ == "__main__":
    main()
