"""The bootstrap test keeps its level whatever the size of the resamples, hard and soft labels alike.

Systems of a pair are exchangeable. Each bound is that of `counting`: were the true rate within 4 to 6 %, it
would fail by chance once in 10 000 changes of its seed; any of the 240 bounds of the quick run thus fails in
one of 40 changes at most. Without the rescaling about 1 % is rejected at resamples of half the items, and
next to nothing at smaller ones.
"""

from __future__ import annotations

import csv
from functools import cache

import numpy as np
import pytest
from benchmarks import null_pairs
from tests.calibration.counting import at_least, at_most

import bestby as bb
from bestby._core.typing import Alternative
from bestby.data.evaluation import Evaluation
from bestby.engine import prepare, significance_tests
from bestby.engine.base import Drawing
from bestby.engine.estimate import Estimates
from bestby.metrics import resolve
from calibration import resample_size

LEVEL = 0.05
LOW, HIGH = 0.04, 0.06
RESAMPLES = 199
PAIRS = 300
SIZES = (0.05, 0.1, 0.2, 0.5, 1.0)
MEASURES = {"hard": null_pairs.HARD, "soft": null_pairs.SOFT}
CASES = [(kind, measure) for kind, measures in MEASURES.items() for measure in measures]
ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")


@cache
def p_values(kind: str, n: int, pairs: int, rescale: bool = True) -> dict[tuple[str, float, str], np.ndarray]:
    """Return the p-values of each metric, size of resamples and alternative, one per pair of systems."""
    rng = np.random.default_rng([n, *kind.encode()])
    metrics = [resolve(name) for name in MEASURES[kind]]
    found: dict[tuple[str, float, str], list[float]] = {}
    for seed in range(pairs):
        gold, a, b = null_pairs.draw(kind, rng, n)
        groups = prepare.groups(Evaluation.of({"a": a, "b": b}, gold), metrics)
        for size in SIZES:
            drawing = Drawing(RESAMPLES, seed, resample_size=size, rescale=rescale)
            for group in groups:
                difference = Estimates(group, drawing).of(0, 1)
                for side in ALTERNATIVES:
                    p = significance_tests.result("bootstrap", difference, side).p_value
                    found.setdefault((group.metric.name, size, side), []).append(p)
    return {key: np.array(values) for key, values in found.items()}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("kind", "measure"), CASES)
def test_type_one_error(kind: str, measure: str, size: float) -> None:
    for side in ALTERNATIVES:
        rejected = (p_values(kind, 1000, PAIRS)[measure, size, side] <= LEVEL).sum()
        assert at_least(LOW, PAIRS) <= rejected <= at_most(HIGH, PAIRS), side


@pytest.mark.parametrize("size", [0.05, 0.1, 0.2])
@pytest.mark.parametrize(("kind", "measure"), CASES)
def test_without_rescaling_next_to_nothing_is_rejected(kind: str, measure: str, size: float) -> None:
    """At a fifth of the items it takes a difference of 3.7 standard errors: 1 pair in 10 000."""
    for side in ALTERNATIVES:
        p = p_values(kind, 1000, 60, False)[measure, size, side]
        assert (p <= LEVEL).sum() <= at_most(0.0005, 60)


@pytest.mark.parametrize("alternative", ["better", "two-sided"])
@pytest.mark.parametrize("kind", MEASURES)
def test_the_public_call_gives_the_same_p_values(kind: str, alternative: str) -> None:
    """What holds of the engine holds of `compare`; "better" is the tail that the metric asks for."""
    rng = np.random.default_rng([1000, *kind.encode()])
    for seed in range(3):
        gold, a, b = null_pairs.draw(kind, rng, 1000)
        for size in SIZES:
            result = compared(kind, gold, a, b, size, alternative, seed)
            for measure, p in result.items():
                side = alternative
                if alternative == "better":
                    side = "greater" if resolve(measure).greater_is_better else "less"
                assert p == p_values(kind, 1000, PAIRS)[measure, size, side][seed]


def compared(
    kind: str, gold: np.ndarray, a: np.ndarray, b: np.ndarray, size: float, alternative: str, seed: int
) -> dict[str, float]:
    """Return the p-values of one call of `compare`, A against the baseline B."""
    result = bb.compare(
        {"a": a, "b": b},
        gold,
        metric=list(MEASURES[kind]),
        baseline="b",
        test="bootstrap",
        alternative=alternative,
        n_resamples=RESAMPLES,
        resampling=bb.Resampling(resample_size=size),
        interval="percentile",
        rng=seed,
    )
    return {measure: result["a", "b", measure].p_value for measure in MEASURES[kind]}


def test_the_page_holds_the_results_of_the_script() -> None:
    with resample_size.OUT.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    page = resample_size.PAGE.read_text(encoding="utf-8")
    for n in (1000, 200):
        between = page.partition(f"<!-- false-alarms-{n} -->")[2].partition(f"<!-- /false-alarms-{n} -->")[0]
        assert between.strip() == resample_size.table(rows, n)


@pytest.mark.slow
@pytest.mark.parametrize("alternative", ["better", "two-sided"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("n", [200, 1000])
@pytest.mark.parametrize("kind", MEASURES)
def test_type_one_error_at_length(kind: str, n: int, size: float, alternative: str) -> None:
    """By the public call, with two allowances for resamples of 10 to 40 items.

    Macro averages and correlations of so few items vary by more than the root of m / n allows for, as now and
    then a class is missing: they reject less often. The accuracy of 10 items takes 11 values only: 7 %.
    """
    pairs = 1000
    rng = np.random.default_rng([n, *kind.encode(), 7])
    rejected = dict.fromkeys(MEASURES[kind], 0)
    for seed in range(pairs):
        for measure, p in compared(kind, *null_pairs.draw(kind, rng, n), size, alternative, seed).items():
            rejected[measure] += p <= LEVEL
    few = n * size < 50
    for measure, count in rejected.items():
        assert at_least(0.0 if few else LOW, pairs) <= count <= at_most(0.07 if few else HIGH, pairs), measure
