"""Intervals of recall and precision, which are shares of some of the items, near 1."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from bestby import compare
from calibration.statements import Outcome, Statements, What

TITLE = "Recall and precision near 1"

TEXT = """
Two systems with the same recall of a class that a fifth of the items have, and whose misses are independent;
precision is made as high by few false alarms. *Recall* and *precision* are those of one system, and the
interval, the longer end of Wilson's and of the mid-P interval, is that within the class, or within what the
system predicts to be it: on the safe side near 1. *Difference of recall* is Tango's within the class. *bca*
stands beside each. The notes `few_effective`, `few_differing`, `constant_scores` and `constant_difference`
are counted.
"""

SHARE = 0.2
NOTES = {"few_effective", "few_differing", "constant_scores", "constant_difference"}


def cells() -> Iterator[Statements]:
    """Yield shares by size."""
    for share in (0.8, 0.95, 0.99):
        for n in (100, 300, 1000):
            one = partial(_one, share=share, n=n)
            yield Statements("shares", f"recall {share:g}", str(n), n, one, datasets=1000)


def _one(rng: np.random.Generator, _seed: int, share: float, n: int) -> dict[What, Outcome]:
    gold = (rng.random(n) < SHARE).astype(np.int64)
    gold[0] = 1
    # As many false alarms as make the precision equal to the recall.
    alarms = (1.0 - share) * SHARE / (1.0 - SHARE)
    systems = {
        name: np.where(gold == 1, rng.random(n) < share, rng.random(n) < alarms).astype(np.int64)
        for name in "ab"
    }
    for predicted in systems.values():
        predicted[0] = 1  # a precision of no prediction is 0/0
    made: dict[What, Outcome] = {}
    for interval, default in (("auto", True), ("bca", False)):
        result = compare(
            systems, gold, metric=["recall[1]", "precision[1]"], interval=interval, test=None, n_resamples=400
        )
        label = "" if default else ", bca"
        for metric in ("recall", "precision"):
            score = result.score("a", f"{metric}[1]")
            noted = any(
                note.code in NOTES and note.about[:2] == (f"{metric}[1]", "a") for note in result.notes
            )
            known = score.interval is not None and share in score.interval
            made[What("coverage", metric + label, default)] = Outcome(known, noted)
        d = result["a", "b", "recall[1]"]
        noted = any(note.code in NOTES for note in d.notes)
        known = d.interval is not None and 0.0 in d.interval
        made[What("coverage", "difference of recall" + label, default)] = Outcome(known, noted)
    return made
