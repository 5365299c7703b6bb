"""Notes on a comparison of a study as a whole: its data, its runs, and how it was resampled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bestby.comparisons.common import note_rules
from bestby.inference.locations import FEW_RUNS
from bestby.metrics.suitability import read_by
from bestby.questions.study.result import StudyDifference
from bestby.results.base import Note

if TYPE_CHECKING:
    from bestby.data.evaluation import Evaluation
    from bestby.questions.study.plan import Plan


def plan_notes(plan: Plan, whole: Evaluation) -> list[Note]:
    """Return what is to be said of the data, `whole` with all conditions, and of the runs."""
    whole = read_by(plan.metrics, {"": whole}, named=not plan.by_default)[""]
    notes = note_rules.evaluation_notes(whole, plan.metrics, plan.settings)
    notes += _single_run_notes(plan)
    fewest = min((len(c.runs) for c in plan.conditions.values() if len(c.runs) > 1), default=FEW_RUNS)
    if fewest < FEW_RUNS:
        notes.append(
            Note(
                "few_runs",
                f"a condition has only {fewest} runs: how much its runs vary is hardly known, so t"
                " intervals are long",
            )
        )
    return notes


def _single_run_notes(plan: Plan) -> list[Note]:
    """Return notes on conditions of one run: what nobody can know, and what their differences borrow."""
    single = [name for name, condition in plan.conditions.items() if len(condition.runs) == 1]
    if not single:
        return []
    told = ", ".join(single) if len(single) < len(plan.conditions) else "every condition"
    only, say = "intervals and tests are", "say"
    beside_several = {
        name
        for pair in plan.pairs
        for name in pair
        if max(len(plan.conditions[one].runs) for one in pair) > 1
    }
    borrowing = [name for name in single if name in beside_several]
    if borrowing:
        only, say = "the interval of its score is", "says"
        if any(max(len(plan.conditions[one].runs) for one in pair) == 1 for pair in plan.pairs):
            only, say = "the interval of its score, and differences between single runs, are", "say"
    notes = [
        Note(
            "one_run",
            f"{told} has one run: {only} over items only, and {say} nothing about how another training run"
            f" would perform",
        )
    ]
    if borrowing:
        notes.append(
            Note(
                "borrowed_run_variance",
                f"the data do not show how much other runs of {', '.join(borrowing)} would vary: in"
                f" differences from a condition with several runs they are assumed to vary as its runs do;"
                f" if they vary more, the intervals are too short",
            )
        )
    return notes


def look_notes(n_looks: int) -> list[Note]:
    """Return a note on a test set that was looked at before, with other runs.

    How far the best of the runs that were tried seems better than it is grows with the number of looks, and
    no correction of one comparison knows of the others.
    """
    if n_looks < 2:
        return []
    told = (
        f"this test set was looked at {n_looks} times, with different runs: what was kept because of these"
        " looks seems better than it is, and the correction for several comparisons knows of this one alone;"
        " confirm the result on items that nobody has looked at"
    )
    return [Note("test_set_looked_at", told)]


def resample_size_notes(plan: Plan, differences: Sequence[StudyDifference]) -> list[Note]:
    """Return notes on smaller resamples: nothing draws any, they are very small, or were not rescaled."""
    if plan.drawing.resample_size is None:
        return []
    drawn = [
        d
        for d in differences
        if (d.interval is not None and d.interval.method in ("percentile", "basic"))
        or (d.test is not None and "bootstrap" in d.test.name)
    ]
    if not drawn:
        told = (
            "no interval and no test of a difference uses the bootstrap here, so the size of the resamples"
            ' has no effect; interval="percentile" and test="bootstrap" would use it'
        )
        return [Note("resample_size_unused", told)]
    clusters = plan.gold.clusters
    n = plan.gold.n_items if clusters is None else int(np.unique(clusters).size)
    sizes = np.array([n])
    if not plan.drawing.subsampling(sizes):
        return []
    if plan.drawing.rescale:
        return note_rules.rescaling_notes(plan.drawing, sizes)
    m = int(plan.drawing.draws(sizes).sum())
    told = (
        f"resamples of {m} of {n} units vary more than full ones and were not rescaled: their p-values and"
        f" intervals are those of an experiment with {m} units"
    )
    return [Note("not_rescaled", told)]
