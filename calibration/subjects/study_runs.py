"""One run of a system against several of another: what the single run does not tell is borrowed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from bestby._core.typing import FloatArray, IntArray
from bestby.comparisons import note_rules
from bestby.data.evaluation import Evaluation
from bestby.engine import prepare
from bestby.engine.base import Drawing
from bestby.engine.estimate import Estimates
from bestby.engine.runs import RunsWithItems
from bestby.inference import samples
from bestby.inference.samples import FEW_RUNS
from bestby.metrics import resolve
from calibration.statements import Outcome, Statements, What

TITLE = "One run against several"
TEXT = """
One run of a system against several of another, both alike, as `Study.compare` compares them. The single run
is taken to vary as the others do: its interval has the variance and the degrees of freedom of theirs. *None
for the single run* is what the package did before. The last two lines are of systems whose runs do not vary
alike: no interval can know that the single run comes from a system that varies twice as much. The
percentile interval draws a deviation of the other runs for the single one. *Noted* counts
`borrowed_run_variance` and, below five runs, `few_runs`.
"""

SUBJECT = "study_runs"
ITEMS, RUNS, BOTH = (0.5, 0.002), (0.05, 0.1), (0.4, 0.03)
"""Variances of what items and runs bring, of 1 in all but for the runs; luck is the rest."""

VARYING = {"items": ITEMS, "runs": RUNS, "both": BOTH}


def cells() -> Iterator[Statements]:
    """Yield the cells."""
    for metric in ("accuracy", "f1_macro"):
        for what in VARYING:
            for runs in ((1, 3), (1, 5), (1, 10), (2, 5)):
                yield _cell(metric, what, runs, 200, 1.0)
    for runs, n in (((1, 3), 800), ((1, 8), 60)):
        yield _cell("accuracy", "both", runs, n, 1.0)
    for spread in (0.5, 2.0):
        yield _cell("accuracy", "runs", (1, 5), 200, spread)


def _cell(metric: str, what: str, runs: tuple[int, int], n: int, spread: float) -> Statements:
    population = f"{metric}, {what} vary"
    population += "" if spread == 1.0 else f", {spread:g} times as much between those of the first"
    one = partial(_one, metric, *VARYING[what], runs, n, spread)
    return Statements(SUBJECT, population, f"{runs[0]} v {runs[1]}, {n}", n, one, 400)


def _one(
    metric: str,
    items: float,
    between: float,
    runs: tuple[int, int],
    n: int,
    spread: float,
    rng: np.random.Generator,
    seed: int,
) -> dict[What, Outcome]:
    """Do intervals hold the difference of two systems that are alike, and does the test find one?"""
    gold = rng.choice(3, n, p=(0.5, 0.3, 0.2))
    shared, *own = np.sqrt(items / 2.0) * rng.normal(size=(3, n))
    flat: dict[str, IntArray] = {}
    for s, size in enumerate(runs):
        sd = np.sqrt(between) * (spread if s == 0 else 1.0)
        total = np.sqrt(1.0 + sd * sd)
        for r in range(size):
            y = shared + own[s] + sd * rng.normal() + np.sqrt(1.0 - items) * rng.normal(size=n)
            right = y / total < 0.8
            flat[f"{'ab'[s]}{r}"] = np.where(right, gold, (gold + 1 + (rng.random(n) < 0.5)) % 3)
    evaluation = Evaluation.of(flat, gold)
    (group,) = prepare.groups(evaluation, [resolve(metric)])
    maker = RunsWithItems(Estimates(group, Drawing(199, seed)), runs, ("a", "b"), False)
    interval, _ = maker.interval(0, 1, "t", 0.95)
    noted = (
        min(r for r in runs if r > 1) < FEW_RUNS or min(runs) == 1 or bool(note_rules.data_notes(evaluation))
    )
    name, rejected = "run variance borrowed", maker.test(0, 1, "t", "two-sided").p_value <= 0.05
    found = {
        What("coverage", name, default=True): Outcome(0.0 in interval, noted),
        What("rejected", name, default=True): Outcome(rejected, noted),
    }
    drawn, _ = maker.interval(0, 1, "percentile", 0.95)
    found[What("coverage", "percentile, run variance borrowed")] = Outcome(0.0 in drawn)
    if min(runs) == 1:
        found[What("coverage", "none for the single run")] = Outcome(0.0 in former(maker))
    return found


def former(maker: RunsWithItems) -> samples.Interval:
    """Return the interval in which a single run has no variance but that of the items."""
    covariance, several = maker.covariance(0, 1), maker.scores[1]
    blocks, cross = [covariance[:1, :1], covariance[1:, 1:]], covariance[:1, 1:]
    over_items = blocks[0].mean() + blocks[1].mean() - 2.0 * cross.mean()
    r = several.size
    both = max(0.0, float(blocks[1].diagonal().mean() - blocks[1].mean())) / (r - 1)
    by_runs = float(several.var(ddof=1)) / r
    total = max(0.0, over_items - both) + max(0.0, by_runs - both) + both
    spread: FloatArray = (over_items / total) ** 2 / (maker.group.n_units - 1) + (by_runs / total) ** 2 / (
        r - 1
    )
    return samples.t_interval(maker.estimate(0, 1), float(np.sqrt(total)), float(1.0 / spread), 0.95, "t")
