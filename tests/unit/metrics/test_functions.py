"""Metrics that are functions: a caution where the order of their parameters looks wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.unit.metrics.ways import WITH_GATES

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


def test_a_function_that_fails_with_swapped_arguments_is_noted():
    def looked_up(hypothesis, reference):
        if reference is GOLD or np.array_equal(reference, GOLD):
            raise RuntimeError
        return float(np.mean(hypothesis == reference))

    assert len(cautions(looked_up)) == 1


@pytest.mark.parametrize("names", ["x, y", "a, b", "first, second", "y, x", "observed, expected", "*columns"])
def test_names_that_do_not_say_which_is_the_gold_do_not_hide_that_the_order_matters(names):
    scope = {"precision": precision}
    exec(f"def stat({names}): return precision({names})", scope)
    [told] = cautions(scope["stat"])
    assert told.startswith("stat is called with the gold first, but its parameters")
    # What the note proposes: parameters that are called so, and a function of the right order.
    exec("def stat(gold, predictions): return precision(predictions, gold)", scope)
    assert cautions(scope["stat"]) == []


def test_a_function_of_the_same_value_in_both_orders_needs_no_names():
    assert cautions(lambda x, y: float(np.corrcoef(x, y)[0, 1])) == []
    assert cautions(lambda x, y: math.nan if x is None else float(np.mean(x == y))) == []


@pytest.mark.parametrize("way", WITH_GATES)
def test_every_comparison_says_so(way):
    def stat(x, y):
        return precision(x, y)

    result = WITH_GATES[way](SYSTEMS, GOLD, bb.FunctionMetric(stat, bounds=(0.0, 1.0)))
    assert [note.about for note in result.notes if note.code == "caution"] == [("stat",)]


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
