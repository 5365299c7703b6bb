"""Metrics of classification against scikit-learn, on weighted and on expanded samples."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sk

from bestby.metrics import MeanMetric, resolve

MISSING = -1


def _sklearn(name, labels):
    """The same metric on codes; labels are the codes of the whole label set."""
    part, _, average = name.partition("_")
    if part in ("precision", "recall", "f1"):
        function = getattr(sk, f"{part}_score")
        return lambda g, p, w=None: function(
            g, p, labels=labels, average=average, sample_weight=w, zero_division=0
        )
    function = {
        "accuracy": sk.accuracy_score,
        "balanced_accuracy": sk.balanced_accuracy_score,
        "matthews_corrcoef": sk.matthews_corrcoef,
        "cohen_kappa": sk.cohen_kappa_score,
    }[name]
    return lambda g, p, w=None: function(g, p, sample_weight=w)


NAMES = [
    "accuracy",
    *[
        f"{part}_{average}"
        for part in ("precision", "recall", "f1")
        for average in ("micro", "macro", "weighted")
    ],
    "balanced_accuracy",
    "matthews_corrcoef",
    "cohen_kappa",
]


def _score(metric, gold, predictions, weights=None):
    rows = metric.statistics(gold, predictions)
    return metric.score(rows.sum(axis=0) if weights is None else weights @ rows)


@st.composite
def samples(draw):
    """Codes over up to six labels, some rare, some absent from one side, some predictions missing."""
    k = draw(st.integers(2, 6))
    n = draw(st.integers(3, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    frequency = rng.dirichlet(np.full(k, 0.7))
    gold = rng.choice(k, size=n, p=frequency)
    noise = rng.choice(k, size=n, p=rng.dirichlet(np.full(k, 0.7)))
    predictions = np.where(rng.random(n) < draw(st.floats(0, 1)), gold, noise)
    if draw(st.booleans()):
        predictions = np.where(rng.random(n) < 0.2, MISSING, predictions)
    weights = rng.integers(0, 4, size=n)
    weights[rng.integers(n)] += 1  # at least one item
    return k, gold, predictions, weights


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
@given(sample=samples())
def test_against_scikit_learn(name, sample):
    k, gold, predictions, weights = sample
    metric = resolve(name).fit(gold, [predictions], np.arange(k))
    # A plain average is over the classes of the gold.
    reference = _sklearn(name, np.unique(gold) if name.endswith("macro") else np.arange(k))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn warns of every 0/0
        on_all = reference(gold, predictions)
        on_weights = reference(gold, predictions, weights)
        expanded = reference(np.repeat(gold, weights), np.repeat(predictions, weights))
    np.testing.assert_allclose(_score(metric, gold, predictions), on_all, rtol=0, atol=1e-12)
    np.testing.assert_allclose(_score(metric, gold, predictions, weights), on_weights, rtol=0, atol=1e-12)
    np.testing.assert_allclose(_score(metric, gold, predictions, weights), expanded, rtol=0, atol=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("part", ["precision", "recall", "f1"])
@given(sample=samples())
def test_one_class_against_scikit_learn(part, sample):
    k, gold, predictions, weights = sample
    labels = np.arange(k) * 10
    for position in range(k):
        metric = resolve(f"{part}[{position * 10}]").fit(gold, [predictions], labels)
        expected = getattr(sk, f"{part}_score")(
            gold, predictions, labels=[position], average="macro", sample_weight=weights, zero_division=0
        )
        np.testing.assert_allclose(_score(metric, gold, predictions, weights), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", [*NAMES, "f1[1]", "precision[1]", "recall[1]"])
def test_score_is_vectorised_and_free_of_scale(name, generator):
    gold, predictions = generator.integers(0, 3, 50), generator.integers(-1, 3, 50)
    metric = resolve(name).fit(gold, [predictions], np.arange(3))
    weights = generator.integers(0, 3, size=(2, 4, 50))
    totals = weights @ metric.statistics(gold, predictions)
    scores = metric.score(totals)
    assert scores.shape == (2, 4)
    one_by_one = [[metric.score(row) for row in block] for block in totals]
    np.testing.assert_allclose(scores, one_by_one, rtol=0, atol=1e-15)
    np.testing.assert_allclose(metric.score(totals / 50.0), scores, rtol=0, atol=1e-12)


@pytest.mark.parametrize(("part", "score"), [("precision", 1.0), ("recall", 3 / 4), ("f1", 5 / 6)])
def test_macro_is_over_the_classes_of_the_gold(part, score):
    gold, predictions, odd = np.array([0, 0, 1]), np.array([0, 0, 1]), np.array([0, 2, 1])
    metric = resolve(f"{part}_macro").fit(gold, [predictions, odd], np.array(["a", "b", "c"]))
    assert _score(metric, gold, predictions) == 1.0
    assert metric.undefined(metric.statistics(gold, predictions).sum(axis=0)) is None
    assert _score(metric, gold, odd) == pytest.approx(score)
    assert metric.caution.startswith(f"{part}_macro averages over the classes of the gold")
    assert "('c')" in metric.caution
    assert resolve(f"{part}_macro").fit(gold, [predictions], np.array(["a", "b"])).caution is None


@pytest.mark.parametrize("name", ["precision_micro", "recall_micro", "recall_weighted", "f1_micro"])
def test_micro_is_a_mean_of_zeros_and_ones_when_nothing_is_missing(name):
    gold, predictions = np.array([0, 1, 1]), np.array([0, 1, 0])
    metric = resolve(name).fit(gold, [predictions], np.arange(2))
    assert isinstance(metric, MeanMetric)
    assert metric.binary
    assert metric.name == name


def test_micro_precision_is_over_the_predictions_made():
    gold, predictions = np.array([0, 1, 1, 0]), np.array([0, 0, MISSING, MISSING])
    scores = {}
    for name in ("precision_micro", "recall_micro", "f1_micro"):
        metric = resolve(name).fit(gold, [predictions], np.arange(2))
        scores[name] = float(_score(metric, gold, predictions))
    assert scores == {"precision_micro": 0.5, "recall_micro": 0.25, "f1_micro": pytest.approx(1 / 3)}


@pytest.mark.parametrize(
    ("name", "gold", "predictions", "message"),
    [
        ("precision_macro", [0, 1], [0, 0], "precision of 'b' is 0/0 (never predicted) and counts as 0 in"),
        ("precision_weighted", [0, 1], [0, 0], "precision of 'b' is 0/0 (never predicted)"),
        ("recall_macro", [0, 0], [0, 1], None),
        ("f1_weighted", [0, 0], [0, 0], None),
        ("f1[c]", [0, 1], [0, 1], "f1[c] is 0/0 ('c' is neither in the gold nor predicted) and counts as 0"),
        ("recall[a]", [0, 1], [1, 1], None),
        ("precision[a]", [0, 1], [1, 1], "precision[a] is 0/0 ('a' is never predicted)"),
        ("precision_micro", [0, 1], [-1, -1], "precision_micro is 0/0 (every prediction is missing)"),
        (
            "balanced_accuracy",
            [0, 0],
            [0, 1],
            "'b', 'c' is not in the gold and left out of balanced_accuracy",
        ),
        (
            "matthews_corrcoef",
            [0, 1],
            [1, 1],
            "matthews_corrcoef is 0/0 (the predictions are all of one class)",
        ),
        ("matthews_corrcoef", [1, 1], [0, 1], "matthews_corrcoef is 0/0 (the gold is all of one class)"),
        ("matthews_corrcoef", [0, 1], [0, 1], None),
        (
            "cohen_kappa",
            [1, 1],
            [1, 1],
            "cohen_kappa is undefined: gold and predictions are all of the same class",
        ),
        ("cohen_kappa", [0, 1], [1, 1], None),
        ("accuracy", [0, 1], [1, 0], None),
    ],
)
def test_says_what_is_undefined(name, gold, predictions, message):
    gold, predictions = np.array(gold), np.array(predictions)
    metric = resolve(name).fit(gold, [predictions], np.array(["a", "b", "c"]))
    said = metric.undefined(metric.statistics(gold, predictions).sum(axis=0))
    assert said is None if message is None else said.startswith(message)


def test_kappa_is_nan_and_mcc_zero_without_variation():
    ones = np.ones(4, dtype=int)
    kappa = resolve("cohen_kappa").fit(ones, [ones], np.arange(2))
    mcc = resolve("matthews_corrcoef").fit(ones, [ones], np.arange(2))
    assert np.isnan(_score(kappa, ones, ones))
    assert _score(mcc, ones, ones) == 0.0


@pytest.mark.parametrize(
    ("labels", "asked"),
    [
        (["ham", "spam"], "spam"),
        ([1, 2], "2"),
        ([False, True], "True"),
        ([1.0, 2.0], "2"),
        ([0.5, 2.5], "2.5"),
    ],
)
def test_a_label_is_named_as_it_prints(labels, asked):
    metric = resolve(f"f1[{asked}]").fit(None, [], np.array(labels))
    assert metric.position == 1
    assert metric.name == f"f1[{asked}]"
