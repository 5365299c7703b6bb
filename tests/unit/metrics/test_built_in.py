"""A note names the built-in metric whose scores a function has on the data, and nothing by coincidence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn import metrics as sklearn_metrics
from tests.unit.metrics.ways import WITH_GATES

import bestby as bb
from bestby.data.evaluation import Evaluation
from bestby.metrics.built_in import ITEMS, notes_on_functions
from bestby.metrics.registry import resolve

Data = tuple[dict[str, Any], Any]


def f1_macro(gold: Any, predictions: Any) -> float:
    return float(sklearn_metrics.f1_score(gold, predictions, average="macro"))


def plain_f1_macro(gold: Any, predictions: Any) -> float:
    """Return the same in a tenth of the time."""
    right = gold == predictions
    return float(
        np.mean(
            [
                2.0 * (right & (gold == one)).sum() / ((gold == one).sum() + (predictions == one).sum())
                for one in np.unique(gold)
            ]
        )
    )


def labels(n: int = 200, n_labels: int = 4, accuracies: tuple[float, ...] = (0.8, 0.7, 0.75)) -> Data:
    rng = np.random.default_rng(5)
    words = np.array(list("abcdef"))[:n_labels]
    gold = rng.choice(words, n, p=np.arange(1, n_labels + 1) / np.arange(1, n_labels + 1).sum())
    systems = {
        f"system {place}": np.where(rng.random(n) < accuracy, gold, rng.choice(words, n))
        for place, accuracy in enumerate(accuracies)
    }
    return systems, gold


def numbers(n: int = 200) -> Data:
    gold, *errors = np.random.default_rng(6).normal(size=(3, n))
    return {name: gold + error for name, error in zip("ab", errors, strict=True)}, gold


def told(data: Data, function: Callable[[Any, Any], Any]) -> list[str]:
    return [note.message for note in notes_on_functions([resolve(function)], [Evaluation.of(*data)])]


def code_of(notes: Any) -> list[str]:
    return [note.message for note in notes if note.code == "built_in_metric"]


@pytest.mark.parametrize(
    ("function", "data", "names"),
    [
        (sklearn_metrics.accuracy_score, labels(), "accuracy"),
        (lambda gold, x: sklearn_metrics.f1_score(gold, x, average="micro"), labels(), "accuracy"),
        (f1_macro, labels(), "f1_macro"),
        (sklearn_metrics.balanced_accuracy_score, labels(), "balanced_accuracy and recall_macro"),
        (lambda gold, x: sklearn_metrics.f1_score(gold, x, pos_label="b"), labels(n_labels=2), "f1[b]"),
        (sklearn_metrics.root_mean_squared_error, numbers(), "rmse"),
        (lambda gold, x: np.corrcoef(gold, x)[0, 1], numbers(), "pearson"),
        (lambda gold, x: sklearn_metrics.roc_auc_score(gold > 0, x), numbers(), None),
        (lambda gold, x: float(np.median(np.abs(gold - x))), numbers(), None),
        (lambda gold, x: sklearn_metrics.fbeta_score(gold, x, beta=2, average="macro"), labels(), None),
        (f1_macro, labels(accuracies=(0.8,)), None),
        (f1_macro, labels(accuracies=(1.0, 0.8)), None),
        (lambda gold, x: float(np.all(gold == x)), labels(accuracies=(1.0, 0.8)), None),
        (f1_macro, labels(n=15), None),
        (lambda gold, x: 1 / 0, labels(), None),  # noqa: ARG005
    ],
)
def test_the_metric_of_the_same_scores(function: Any, data: Data, names: str | None) -> None:
    messages = told(data, function)
    if names is None:
        assert messages == []
    else:
        (message,) = messages
        assert f" gives the same scores as {names} on these data: if that is what it computes," in message
        assert f'metric="{names.split()[0]}" takes a fraction of the time' in message


def test_two_systems_of_one_score_and_three_metrics_of_one_score_tell_nothing() -> None:
    systems, gold = labels()
    assert told(({"a": systems["system 0"], "b": systems["system 0"].copy()}, gold), f1_macro) == []
    even = np.tile(["a", "b"], 50)  # as many errors of each kind: accuracy, its balanced form, F1 are equal
    wrong = {name: np.where(np.arange(100) < k, even[::-1], even) for name, k in (("a", 10), ("b", 20))}
    assert told((wrong, even), sklearn_metrics.accuracy_score) == []


def test_many_items_are_compared_on_some_of_them() -> None:
    sizes = set()

    def counted(gold: Any, predictions: Any) -> float:
        sizes.add(len(gold))
        return f1_macro(gold, predictions)

    (message,) = told(labels(n=20_001), counted)
    assert f"f1_macro on {ITEMS} of these items" in message
    assert sizes == {ITEMS}


def test_a_function_that_differs_on_one_dataset_is_another_metric() -> None:
    systems, gold = labels()
    parts = [Evaluation.of(systems, gold), Evaluation.of(*labels(n=150))]
    metric = resolve(f1_macro)
    assert len(notes_on_functions([metric], parts)) == 1

    def longer(gold: Any, predictions: Any) -> float:
        return f1_macro(gold, predictions) * (0.9 if len(gold) == 150 else 1.0)

    assert notes_on_functions([resolve(longer)], parts) == []


@pytest.mark.parametrize("way", ["compare", "evaluate", "gate", "slices", "study"])
def test_every_comparison_of_items_has_the_note(way: str) -> None:
    systems, gold = labels(60)
    two = {name: systems[name] for name in ("system 0", "system 1")}
    assert len(code_of(WITH_GATES[way](two, gold, plain_f1_macro).notes)) == 1
    assert code_of(WITH_GATES[way](two, gold, "f1_macro").notes) == []


def test_a_metric_of_the_other_direction_says_so() -> None:
    """The function counts higher errors as better: who follows the note gets the systems in another order."""
    for better in (True, False):
        function = bb.FunctionMetric(sklearn_metrics.mean_absolute_error, greater_is_better=better)
        (note,) = notes_on_functions([function], [Evaluation.of(*numbers())])
        assert ("counts lower scores as better" in note.message) == better
