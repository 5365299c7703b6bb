"""Metrics that are functions: a caution where the order of their parameters looks wrong."""

from __future__ import annotations

import numpy as np
import pytest

import bestby as bb

GOLD = np.array([0, 1, 1, 0, 1, 1, 0, 1] * 8)
SYSTEMS = {"a": np.array([0, 1, 0, 0, 1, 1, 0, 0] * 8), "b": np.array([1, 1, 1, 0, 0, 1, 0, 1] * 8)}


def precision(pred, gold):
    """Return the precision of class 1; with the gold first it is the recall."""
    return float(np.sum((pred == 1) & (gold == 1)) / np.sum(pred == 1))


def cautions(function):
    name = function.__name__.replace("<lambda>", "own")
    metric = bb.FunctionMetric(function, name)
    notes = bb.compare(SYSTEMS, gold=GOLD, metric=metric, n_resamples=50, rng=0).notes
    return [note.message for note in notes if note.code == "caution"]


def test_a_function_that_takes_predictions_first_is_noted():
    [told] = cautions(precision)
    assert "precision is called with the gold first, but its parameters are named pred and gold" in told


def test_nothing_is_said_where_the_order_is_right_or_does_not_matter():
    assert cautions(lambda gold, pred: precision(pred, gold)) == []
    assert cautions(lambda y_pred, y_true: float(np.mean(y_pred == y_true))) == []
    assert cautions(lambda *columns: precision(*columns[::-1])) == []


def test_a_function_that_fails_with_swapped_arguments_is_noted():
    def looked_up(hypothesis, reference):
        if reference is GOLD or np.array_equal(reference, GOLD):
            raise RuntimeError
        return float(np.mean(hypothesis == reference))

    assert len(cautions(looked_up)) == 1


@pytest.mark.parametrize(
    "names", [("y_pred", "y_true"), ("hyp", "ref"), ("predictions", "targets"), ("y_hat", "y")]
)
def test_names_that_hold_predictions_and_gold(names):
    scope = {}
    exec(f"def f({', '.join(names)}): return float(({names[0]} * 2 + {names[1]}).mean())", scope)
    assert len(cautions(scope["f"])) == 1


def test_a_lambda_is_asked_for_a_name():
    def said(metric):
        notes = bb.compare(SYSTEMS, gold=GOLD, metric=metric, n_resamples=50).notes
        return [note.message for note in notes if note.code == "caution"]

    [told] = said(lambda gold, predicted: float(np.mean(gold == predicted)))
    assert "give it a name, with def, or as FunctionMetric(function, name=...)" in told
    named = bb.FunctionMetric(lambda gold, predicted: float(np.mean(gold == predicted)), name="agreement")
    assert said(named) == []
