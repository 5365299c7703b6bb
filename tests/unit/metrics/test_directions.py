"""The direction of scores of which only the name is known; where that says nothing, a note does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import bestby as bb
from bestby.metrics.directions import direction_of, greater_is_better_by_name
from bestby.report.comparison import better_by_score

LOWER = (
    "error_rate", "logloss", "log_loss", "ece", "brier", "mse_test", "val_loss", "test_error", "perplexity",
    "wer", "cer", "ter", "rmse", "mae", "nll", "negative_log_likelihood", "mean_squared_error", "valLoss",
    "eval/ECE", "bits_per_byte", "cross-entropy", "false_positive_rate", "Test PPL",
)  # fmt: skip
HIGHER = (
    "accuracy", "test_accuracy", "f1[pos]", "ndcg@10", "neg_mean_squared_error", "neg_log_loss", "reward",
    "exact_match", "devAuc", "bleu", "quality", "log_likelihood",
)  # fmt: skip


@pytest.mark.parametrize("name", LOWER)
def test_names_of_losses(name: str) -> None:
    assert not direction_of(name, None)[0]
    assert direction_of(name, True) == (True, ())


@pytest.mark.parametrize("name", HIGHER)
def test_names_of_gains(name: str) -> None:
    assert direction_of(name, None)[0]
    assert direction_of(name, False) == (False, ())


def test_the_last_word_that_is_known_decides() -> None:
    assert greater_is_better_by_name("loss_accuracy")
    assert not greater_is_better_by_name("accuracy_loss")


def table(scores: dict[str, list[float]]) -> dict[str, dict[str, float]]:
    return {f"d{i}": {name: values[i] for name, values in scores.items()} for i in range(6)}


@pytest.mark.parametrize(
    "run",
    [
        lambda scores, **given: bb.compare_runs(scores, **given, n_resamples=99),
        lambda scores, **given: bb.compare_datasets(table(scores), **given, n_resamples=99),
        lambda scores, **given: bb.compare_folds(scores, **given),
    ],
    ids=["runs", "datasets", "folds"],
)
def test_a_guess_has_a_note_and_a_direction_that_is_set_has_none(run: Callable[..., Any]) -> None:
    scores = {"a": [0.1, 0.12, 0.11, 0.13, 0.1, 0.12], "b": [0.2, 0.25, 0.21, 0.24, 0.22, 0.21]}
    for name, best in (("error_rate", "a"), ("satisfaction", "b"), ("accuracy_loss", "a")):
        found = run(scores, metric=name)
        assert better_by_score(found["a", "b"]) == best
        guessed = name != "error_rate"  # of the others one says nothing, and one has words of both directions
        assert ("direction_guessed" in {note.code for note in found.notes}) == guessed
        turned = run(scores, metric=bb.ScoreMetric(name, greater_is_better=best == "a"))
        assert better_by_score(turned["a", "b"]) == {"a": "b", "b": "a"}[best]
        assert "direction_guessed" not in {note.code for note in turned.notes}
    for name in (None, "accuracy", "mse", "score"):
        assert "direction_guessed" not in {note.code for note in run(scores, metric=name).notes}
    assert better_by_score(run(scores, metric="mse")["a", "b"]) == "a"
