"""The example that comes with BooStSa, against the numbers published with it.

Fornaciari, Uma, Poesio and Hovy (2022), Hard and Soft Evaluation of NLP models with BOOtSTrap SAmpling -
BooStSa, ACL 2022 demonstrations, 127-134; the example and its output: "Test function" in the documentation of
boostsa 0.2.13 (1000 items, h0.0 against h1.0, 1000 resamples of 200 items).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from bestby import Resampling, compare
from bestby.results import Comparison

MEASURES = ["f1_macro", "accuracy", "precision_macro", "recall_macro"]
SCORES = {
    "h0": (0.6776, 0.6900, 0.6994, 0.6796),
    "h1": (0.7407, 0.7410, 0.7410, 0.7422),
}
P_VALUES = dict(zip(MEASURES, (0.037, 0.073, 0.111, 0.027), strict=True))
"""Of 1000 resamples of 200 items, not rescaled."""

BY_SIZE = {0.05: 0.2072, 0.1: 0.1234, 0.2: 0.0497, 0.5: 0.0044, 1.0: 0.00015}
"""Of macro F1, not rescaled: 200 000 resamples by a loop over multinomial counts, without the package."""

RESAMPLES = 20_000


@pytest.fixture
def run(shared_data: Callable[[str], Path]) -> Callable[..., Comparison]:
    folder = shared_data("boostsa_example")
    gold, h0, h1 = (
        np.loadtxt(folder / file, dtype=int)
        for file in ("h0.0/targs.txt", "h0.0/preds.txt", "h1.0/preds.txt")
    )

    def compared(**settings: object) -> Comparison:
        return compare(
            {"h1": h1, "h0": h0},
            gold,
            metric=MEASURES,
            baseline="h0",
            test="bootstrap",
            alternative="better",
            n_resamples=RESAMPLES,
            **settings,
        )

    return compared


def standard_error(p: float, *resamples: int) -> float:
    """Return that of the difference of p-values estimated by so many resamples each."""
    return math.sqrt(p * (1.0 - p) * sum(1.0 / size for size in resamples))


def test_scores_are_those_published(run: Callable[..., Comparison]) -> None:
    found = {(score.metric, score.system): score.score for score in run().systems}
    for system, scores in SCORES.items():
        for metric, score in zip(MEASURES, scores, strict=True):
            assert found[metric, system] == pytest.approx(score, abs=5e-5)


def test_p_values_of_a_fifth_of_the_items_are_those_published(run: Callable[..., Comparison]) -> None:
    """Within 3 standard errors. All four come of the same 1000 resamples, and fall short by 1.5 to 2.4."""
    result = run(resampling=Resampling(resample_size=0.2, rescale=False))
    for metric, published in P_VALUES.items():
        p = result["h1", "h0", metric].p_value
        assert abs(p - published) <= 3.0 * standard_error(p, 1000, RESAMPLES)


@pytest.mark.parametrize(("size", "expected"), BY_SIZE.items())
def test_what_is_not_rescaled_falls_with_the_size_of_the_resamples(
    run: Callable[..., Comparison], size: float, expected: float
) -> None:
    """Within 4 standard errors, and one resample that counts as the observed one."""
    p = run(resampling=Resampling(resample_size=size, rescale=False))["h1", "h0", "f1_macro"].p_value
    assert abs(p - expected) <= 4.0 * standard_error(expected, 200_000, RESAMPLES) + 1.0 / RESAMPLES


@pytest.mark.parametrize("size", BY_SIZE)
def test_what_is_rescaled_does_not(run: Callable[..., Comparison], size: float) -> None:
    """A thousandth is 12 times what the p-value of macro F1 is at most, 0.00016."""
    result = run(resampling=Resampling(resample_size=size))
    assert result["h1", "h0", "f1_macro"].p_value < 0.001
    # By the whole sample 0.0014, 0.0066, and 0.00006; resamples of 50 items differ by skewness at most.
    assert 0.0005 < result["h1", "h0", "accuracy"].p_value < 0.003
    assert 0.004 < result["h1", "h0", "precision_macro"].p_value < 0.011
    assert result["h1", "h0", "recall_macro"].p_value < 0.001


def test_the_note_says_what_was_not_done(run: Callable[..., Comparison]) -> None:
    """2.24 is the root of 5, by which resamples of a fifth vary more."""
    notes = {
        note.code: note.message for note in run(resampling=Resampling(resample_size=0.2, rescale=False)).notes
    }
    assert "200 of 1000 units vary 2.24 times" in notes["not_rescaled"]
    assert "not_rescaled" not in {note.code for note in run(resampling=Resampling(resample_size=0.2)).notes}
