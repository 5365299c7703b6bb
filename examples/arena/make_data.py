"""Write battles.csv: made-up judgements of six assistants, with all that an arena should log."""

from __future__ import annotations

import csv
import math
import random
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
STRENGTHS = {"amber": 0.6, "birch": 0.4, "cedar": 0.2, "dune": 0.0, "elm": -0.2, "fern": -0.4}
FIRST = 0.6
"""What being shown first adds to the log odds."""
NEWEST, SHOWN_FIRST = "cedar", 0.8
"""The system that is shown first in so many of its games; the others in half of theirs with each other."""
VERBOSE, LONGER = "elm", 110
"""The system whose answers have so many words more."""
PER_WORD = 0.008
"""What a word more adds to the log odds."""
VOTERS, SPREAD = 80, 0.3
"""How many there are, and how much their preferences for a system differ."""
TIES, N, SEED = 0.1, 3000, 7
COLUMNS = ("prompt", "model_a", "model_b", "winner", "voter", "words_a", "words_b")


def main() -> None:
    """Write a row per judgement, in the order in which the answers were shown."""
    chance = random.Random(SEED)
    votes = [1.0 / place for place in range(1, VOTERS + 1)]
    likes = [{name: chance.gauss(0.0, SPREAD) for name in STRENGTHS} for _ in range(VOTERS)]
    with (FOLDER / "battles.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(COLUMNS)
        for _ in range(N):
            pair = chance.sample([*STRENGTHS], 2)
            if NEWEST in pair and (pair[0] == NEWEST) != (chance.random() < SHOWN_FIRST):
                pair.reverse()
            voter = chance.choices(range(VOTERS), votes)[0]
            words = [max(20, round(chance.gauss(180.0, 60.0) + LONGER * (name == VERBOSE))) for name in pair]
            drawn = zip(pair, words, strict=True)
            one, other = (STRENGTHS[name] + likes[voter][name] + PER_WORD * n for name, n in drawn)
            won = chance.random() < 1.0 / (1.0 + math.exp(other - one - FIRST))
            winner = "tie" if chance.random() < TIES else "model_a" if won else "model_b"
            prompt = f"p{chance.randrange(N // 3):04d}"
            writer.writerow([prompt, *pair, winner, f"v{voter + 1:02d}", *words])


if __name__ == "__main__":
    main()
