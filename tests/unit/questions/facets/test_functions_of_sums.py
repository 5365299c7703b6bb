"""Metrics that are functions of sums: scores of runs, and the influence of items on them."""

from __future__ import annotations

import numpy as np
import pytest

import bestby as bb
from bestby.errors import DesignError, InvalidInputError


def answers(seed: int, *shape: int) -> tuple[dict[str, np.ndarray], np.ndarray]:
    rng = np.random.default_rng(seed)
    gold = rng.choice(3, shape[-1], p=(0.5, 0.3, 0.2))
    guess = {name: rng.choice(3, shape) for name in "ab"}
    return {name: np.where(rng.random(shape) < 0.7, gold, x) for name, x in guess.items()}, gold


def macro_f1(gold: np.ndarray, predicted: np.ndarray) -> float:
    """Return macro-F1 by its definition, class by class."""
    scores = []
    for label in np.union1d(gold, predicted):
        right = np.sum((gold == label) & (predicted == label))
        scores.append(2 * right / (np.sum(gold == label) + np.sum(predicted == label)))
    return float(np.mean(scores))


def test_the_score_is_the_mean_over_runs() -> None:
    systems, gold = answers(0, 4, 3, 60)
    result = bb.compare_facets(
        systems, gold, metric="f1_macro", facets=("prompt", "seed"), nested="seed in prompt"
    )
    for name, predicted in systems.items():
        expected = np.mean([macro_f1(gold, run) for run in predicted.reshape(12, 60)])
        assert result.score(name).score == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("metric", ["f1_macro", "matthews_corrcoef", "rmse"])
def test_one_run_has_the_interval_of_the_delta_method(metric: str) -> None:
    systems, gold = answers(1, 1, 150)
    over_items = bb.compare_facets(systems, gold, metric=metric, facets="prompt", fixed="prompt")
    plain = bb.compare(
        {name: x[0] for name, x in systems.items()}, gold, metric=metric, interval="normal", test=None
    )
    found, expected = over_items["a", "b"].interval, plain["a", "b"].interval
    assert found is not None
    assert expected is not None
    assert found.low == pytest.approx(expected.low, rel=1e-9)
    assert found.high == pytest.approx(expected.high, rel=1e-9)


def test_a_score_that_one_run_does_not_have_is_refused() -> None:
    gold = np.tile([0.0, 1.0], 10)
    predicted = np.stack([np.zeros(20), gold, 1.0 - gold])
    with pytest.raises(InvalidInputError, match="undefined"):
        bb.compare_facets(
            {"a": predicted, "b": predicted[[1, 2, 1]]}, gold, metric="pearson", facets="prompt"
        )


def test_ranks_are_no_function_of_sums() -> None:
    systems, gold = answers(2, 3, 40)
    with pytest.raises(DesignError, match="neither a mean over items nor a function of sums"):
        bb.compare_facets(systems, gold, metric="spearman", facets="prompt")
