"""Cells of several systems: are all differences covered at once, and no true hypothesis rejected?"""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, TypeAlias

import numpy as np

from bestby._core.typing import Array, FloatArray
from bestby.comparisons import simultaneous
from bestby.comparisons.settings import Settings
from bestby.data.evaluation import Evaluation
from bestby.engine import prepare, significance_tests
from bestby.engine.base import Drawing
from bestby.engine.estimate import Estimates
from bestby.inference import multiplicity
from bestby.metrics import resolve

LEVEL = 0.95
STATEMENTS = (
    "all differences within simultaneous intervals",
    "all differences within single intervals",
    "none rejected after Holm's correction",
    "none rejected by step-down",
    "none rejected without correction",
)
"""What holds of a data set or does not; of the tests, of pairs that are alike."""

POWERS = (
    "differences outside simultaneous intervals",
    "differences found after Holm's correction",
    "differences found by step-down",
)
"""Shares of the pairs that differ."""

COLUMNS = STATEMENTS + POWERS
_NORMAL = NormalDist()
SETTINGS = Settings("auto", LEVEL, simultaneous=True, test=None)

Draw: TypeAlias = Callable[[int, int, np.random.Generator], tuple[Evaluation, FloatArray]]
"""Makes systems on items or groups of items, with the true score of each, or what differs like it."""


@dataclass(frozen=True)
class Family:
    """Several systems on the items of one test set.

    Parameters
    ----------
    measure : str
        One of `POPULATIONS`.
    systems, n : int
        How many systems and items; of clusters, how many of these.
    datasets, resamples : int
        How many of each.
    """

    measure: str
    systems: int
    n: int
    datasets: int = 600
    resamples: int = 999
    family: str = "simultaneous"

    @property
    def key(self) -> str:
        """The name of the cell, which seeds it."""
        return f"{self.family}|{self.measure}|{self.systems}|{self.n}"


# -- populations -----------------------------------------------------------------------------------


def _evaluation(systems: Array, gold: Array | None = None, **grouped: Any) -> Evaluation:
    return Evaluation.of({f"s{i:02d}": x for i, x in enumerate(systems)}, gold, **grouped)


def labels(systems: int, n: int, rng: np.random.Generator) -> tuple[Evaluation, FloatArray]:
    """Return systems that answer alike, on items that are hard or easy for all."""
    gold = rng.choice(3, size=n, p=(0.5, 0.3, 0.2))
    right = rng.random((systems, n)) < rng.beta(3.2, 0.8, size=n)
    answers = np.where(right, gold, (gold + rng.integers(1, 3, size=(systems, n))) % 3)
    return _evaluation(answers, gold), np.zeros(systems)


def skewed(systems: int, n: int, rng: np.random.Generator) -> tuple[Evaluation, FloatArray]:
    """Return lognormal scores of items that are hard or easy for all."""
    scores = np.exp((rng.normal(size=n) + rng.normal(size=(systems, n))) / np.sqrt(2.0))
    return _evaluation(scores), np.zeros(systems)


def normal(systems: int, n: int, rng: np.random.Generator) -> tuple[Evaluation, FloatArray]:
    """Return unrelated normal scores."""
    return _evaluation(rng.normal(size=(systems, n))), np.zeros(systems)


def apart(systems: int, n: int, rng: np.random.Generator) -> tuple[Evaluation, FloatArray]:
    """Return normal scores that are correlated; the last two systems are lower by three standard errors."""
    truth = np.zeros(systems)
    truth[-2:] = -3.0 / np.sqrt(n)
    scores = (rng.normal(size=n) + rng.normal(size=(systems, n))) / np.sqrt(2.0)
    return _evaluation(scores + truth[:, None]), truth


def stairs(systems: int, n: int, rng: np.random.Generator) -> tuple[Evaluation, FloatArray]:
    """Return systems that are right on .9, .85, .8 and so on of the items, two systems on each step."""
    truth = 0.9 - 0.05 * (np.arange(systems) // 2)
    return _right(truth, n, rng), truth


def near_one(systems: int, n: int, rng: np.random.Generator) -> tuple[Evaluation, FloatArray]:
    """Return systems that are right on .99, .98, .97 and so on of the items."""
    truth = 0.99 - 0.01 * np.arange(systems)
    return _right(truth, n, rng), truth


def _right(truth: FloatArray, n: int, rng: np.random.Generator) -> Evaluation:
    """Return systems that are right so often; two of them are more often right on the same items."""
    hard = rng.normal(size=n)
    ease = np.array([_NORMAL.inv_cdf(share) for share in truth])
    noise = (hard + rng.normal(size=(truth.size, n))) / np.sqrt(2.0)
    return _evaluation((noise < ease[:, None]).astype(float))


def clustered(systems: int, n: int, rng: np.random.Generator) -> tuple[Evaluation, FloatArray]:
    """Return normal scores in clusters of unequal size, each with an effect on every system."""
    sizes = np.ceil(np.exp(2.0 + 0.8 * rng.normal(size=n))).astype(np.int64)
    cluster = np.repeat(np.arange(n), sizes)
    scores = rng.normal(size=(systems, cluster.size)) + 0.7 * rng.normal(size=(systems, n))[:, cluster]
    return _evaluation(scores, clusters=cluster), np.zeros(systems)


def crossed(systems: int, n: int, rng: np.random.Generator) -> tuple[Evaluation, FloatArray]:
    """Return normal scores of n templates in as many languages, each with an effect on every system."""
    first, second = np.divmod(np.arange(n * n), n)
    scores = rng.normal(size=(systems, n * n))
    scores += 0.5 * rng.normal(size=(systems, n))[:, first] + 0.5 * rng.normal(size=(systems, n))[:, second]
    return _evaluation(scores, clusters=[first, second]), np.zeros(systems)


def ranked(systems: int, n: int, rng: np.random.Generator) -> tuple[Evaluation, FloatArray]:
    """Return scores for two classes, of which 30 % are positive, correlated between the systems."""
    gold = (np.arange(n) < 0.3 * n).astype(np.int64)
    noise = (rng.normal(size=n) + rng.normal(size=(systems, n))) / np.sqrt(2.0)
    return _evaluation(gold + noise, gold), np.zeros(systems)


POPULATIONS: dict[str, tuple[str, Draw]] = {
    "accuracy": ("accuracy", labels),
    "macro-F1": ("f1_macro", labels),
    "skewed mean": ("mean", skewed),
    "normal mean": ("mean", normal),
    "normal mean, two behind": ("mean", apart),
    "accuracies .99, .98, .97": ("mean", near_one),
    "accuracies in steps of .05": ("mean", stairs),
    "normal mean, unequal clusters": ("mean", clustered),
    "normal mean, crossed groupings": ("mean", crossed),
    "AUC": ("roc_auc", ranked),
}
"""Metrics and what draws the systems."""

# -- statements ------------------------------------------------------------------------------------


def run(cell: Family) -> dict[str, Any]:
    """Return which of `STATEMENTS` hold, shape (D, 5), and the shares of `POWERS`, shape (D, 3).

    Without pairs that are alike, or that differ, what is said of them is NaN.
    """
    rng = np.random.default_rng(zlib.crc32(cell.key.encode()))
    found = [_one(cell, rng, i) for i in range(cell.datasets)]
    return {"held": np.array(found)}


def _one(cell: Family, rng: np.random.Generator, seed: int) -> list[float]:
    metric, draw = POPULATIONS[cell.measure]
    evaluation, truth = draw(cell.systems, cell.n, rng)
    (group,) = prepare.groups(evaluation, [resolve(metric)], supports=prepare.ALL_GROUPINGS)
    estimates = Estimates(group, Drawing(cell.resamples, seed))
    pairs = list(itertools.combinations(range(cell.systems), 2))
    true = np.array([truth[a] - truth[b] for a, b in pairs])
    made = simultaneous.family_intervals(estimates, pairs, evaluation.names, SETTINGS)
    together = [made.bounds[pair][0] for pair in pairs]
    single = [made.singles[pair] for pair in pairs]
    tests = significance_tests.run("auto", estimates, pairs, "two-sided")
    raw = np.array([tests[pair].p_value for pair in pairs])
    joint = simultaneous.joint_of(estimates, np.array(pairs), evaluation.names)
    rejected = [
        multiplicity.adjust_jointly(raw, correction, "two-sided", lambda: joint) <= 1.0 - LEVEL + 1e-12
        for correction in ("holm", "step-down", "none")
    ]
    alike = np.abs(true) < 1e-12
    covered = [
        all(one is not None and value in one for one, value in zip(intervals, true.tolist(), strict=True))
        for intervals in (together, single)
    ]
    outside = np.array([one is not None and 0.0 not in one for one in together])
    return [
        *(float(one) for one in covered),
        *(float(not some[alike].any()) if alike.any() else np.nan for some in rejected),
        *(float(some[~alike].mean()) if not alike.all() else np.nan for some in (outside, *rejected[:2])),
    ]


def cells() -> Iterator[Family]:
    """Yield metrics by numbers of systems and items."""
    for n, systems, measure in itertools.product(
        (50, 200), (3, 5, 10), ("accuracy", "macro-F1", "skewed mean")
    ):
        if measure == "accuracy" or systems == 5:
            yield Family(measure, systems, n)
    yield Family("accuracy", 20, 60, datasets=300)
    for n in (10, 20, 30):
        yield Family("normal mean", 5, n)
    yield Family("normal mean", 12, 20)
    for n in (50, 200):
        yield Family("accuracies .99, .98, .97", 3, n)
    for n in (8, 20):
        yield Family("normal mean, unequal clusters", 5, n)
    yield Family("normal mean, crossed groupings", 5, 12)
    yield Family("AUC", 5, 100, datasets=300)
    for n in (20, 100):
        yield Family("normal mean, two behind", 5, n)
    yield Family("accuracies in steps of .05", 6, 200)
