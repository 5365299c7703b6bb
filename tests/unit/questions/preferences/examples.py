"""Judgements of a few systems."""

from __future__ import annotations

from typing import Any

import numpy as np

from bestby.questions.preferences.result import PreferenceComparison

NAMES = ("one", "two", "three", "four")
STRENGTH = dict(zip(NAMES, (0.9, 0.4, 0.0, -0.8), strict=True))


def judged(n_items: int, seed: int = 1) -> list[tuple[str, str, str, str]]:
    rng = np.random.default_rng(seed)
    rows = []
    for item in range(n_items):
        own = dict(zip(NAMES, rng.normal(0.0, 0.7, 4), strict=True))
        for i, a in enumerate(NAMES):
            for b in NAMES[i + 1 :]:
                lead = STRENGTH[a] + own[a] - STRENGTH[b] - own[b] + rng.logistic()
                winner = "tie" if abs(lead) < 0.4 else a if lead > 0.0 else b
                rows.append((f"q{item}", a, b, winner))
    return rows


ROWS = judged(60)
PLAIN = [row[1:] for row in ROWS]
TWO = [("x", "y", "x")] * 15 + [("y", "x", "y")] * 6 + [("x", "y", "tie")] * 4


def codes(result: PreferenceComparison) -> set[str]:
    return {note.code for note in result.notes}


def numbers(result: PreferenceComparison) -> Any:
    document = result.to_dict()
    return document["systems"], document["differences"]
