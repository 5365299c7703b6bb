"""Families in which a few pairs differ clearly: verdicts by few draws, and by the default."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping

import numpy as np

from bestby._core.typing import Array
from bestby.comparisons.note_rules import resample_notes
from bestby.data.evaluation import Evaluation
from bestby.engine.base import Drawing, Pair
from bestby.engine.prepare import groups
from bestby.engine.sums import SumGroup, SumSample
from bestby.inference.multiplicity import holm
from bestby.metrics.registry import resolve
from calibration.statements import Outcome, Statements, What

TITLE = "Small p-values in large families"

TEXT = """
Twelve systems have 66 pairs. Eleven of them are alike; the twelfth is alike too, or worse. Counted are
families with a false rejection among the pairs that are alike (*rejected*), and data sets in which the first
system differs significantly from the twelfth (*power*), after Holm's correction at 5 %. The permutation test
draws 1000 times. *Draws only* takes (1 + hits) / (1 + B) as it is: its least p-value, 1/1001, is above 0.05
when it is multiplied by 66, so it tells nothing apart whatever the data are. The default computes the p-value
of means; where fewer than ten draws of another metric reach the difference, it draws swaps that are tilted
towards the data, and weights them (importance sampling). That keeps the family-wise error at its level.
*Noted* counts `few_resamples`.
"""

ALPHA = 0.05
N_SYSTEMS = 12
DRAWN = 1000
_PAIRS: list[Pair] = list(itertools.combinations(range(N_SYSTEMS), 2))

Scores = Callable[[np.random.Generator, int, float], tuple[list[Array], Array | None]]


def skewed(rng: np.random.Generator, n: int, behind: float) -> tuple[list[Array], Array | None]:
    """Return lognormal losses with an effect of the item; those of the last system are higher."""
    items = rng.normal(size=n)
    systems = [np.exp(0.5 * items + 0.7 * rng.normal(size=n)) for _ in range(N_SYSTEMS)]
    systems[-1] = systems[-1] * np.exp(behind)
    return systems, None


def heavy(rng: np.random.Generator, n: int, behind: float) -> tuple[list[Array], Array | None]:
    """Return scores with the tails of Student's t with 3 degrees of freedom; the last system's are lower."""
    systems = [rng.standard_t(3, n) for _ in range(N_SYSTEMS)]
    systems[-1] = systems[-1] - behind
    return systems, None


def classes(rng: np.random.Generator, n: int, behind: float) -> tuple[list[Array], Array | None]:
    """Return predictions of five uneven classes, wrong in 30 % of the items, the last system's more often."""
    shares = np.array([0.4, 0.3, 0.15, 0.1, 0.05])
    gold = rng.choice(5, n, p=shares)
    wrong = np.full(N_SYSTEMS, 0.3)
    wrong[-1] += behind
    systems = [np.where(rng.random(n) < w, rng.choice(5, n, p=shares), gold) for w in wrong]
    return [np.char.mod("c%d", x) for x in systems], np.char.mod("c%d", gold)


def predicted(rng: np.random.Generator, n: int, behind: float) -> tuple[list[Array], Array | None]:
    """Return predictions of a normal gold, the last system's with more noise."""
    gold = rng.normal(size=n)
    noise = np.full(N_SYSTEMS, 0.7)
    noise[-1] += behind
    return [gold + s * rng.normal(size=n) for s in noise], gold


def _one(
    metric: str, scores: Scores, n: int, behind: float
) -> Callable[[np.random.Generator, int], Mapping[What, Outcome]]:
    def one(rng: np.random.Generator, seed: int) -> Mapping[What, Outcome]:
        systems, gold = scores(rng, n, behind)
        evaluation = Evaluation.of({f"s{i}": x for i, x in enumerate(systems)}, gold)
        (group,) = groups(evaluation, [resolve(metric)])
        assert isinstance(group, SumGroup)
        drawing = Drawing(DRAWN, seed)
        alike = np.array([b < N_SYSTEMS - 1 for _, b in _PAIRS])
        outcomes: dict[What, Outcome] = {}
        for method, default, tested in (
            ("default", True, SumSample.permutation),
            ("draws only", False, SumSample.sampled_permutation),
        ):
            tests = [tested(group.sample(*pair), "two-sided", drawing) for pair in _PAIRS]
            rejected = holm([test.p_value for test in tests]) <= ALPHA
            noted = bool(resample_notes(metric, tests, "holm", ALPHA))
            outcomes[What("rejected", method, default)] = Outcome(bool(rejected[alike].any()), noted)
            if behind:
                # One pair of each data set: outcomes are independent.
                outcomes[What("power", method, default)] = Outcome(bool(rejected[~alike][0]), noted)
        return outcomes

    return one


def cells() -> Iterator[Statements]:
    """Yield families of means, of macro-F1 and of correlations, with and without a system that is behind."""
    for population, metric, scores, n, behind, datasets in (
        ("lognormal losses, all alike", "mean", skewed, 50, 0.0, 400),
        ("lognormal losses, one behind", "mean", skewed, 200, 0.8, 60),
        ("Student's t with 3 df, all alike", "mean", heavy, 100, 0.0, 400),
        ("Student's t with 3 df, one behind", "mean", heavy, 200, 1.0, 100),
        ("macro-F1 of five classes, all alike", "f1_macro", classes, 200, 0.0, 400),
        ("macro-F1 of five classes, one behind", "f1_macro", classes, 200, 0.4, 400),
        ("RMSE of a normal gold, all alike", "rmse", predicted, 100, 0.0, 400),
        ("RMSE of a normal gold, one behind", "rmse", predicted, 100, 0.5, 400),
    ):
        one = _one(metric, scores, n, behind)
        yield Statements("small_p_values", population, str(n), n, one, datasets)
