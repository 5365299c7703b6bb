"""Metrics of soft labels where they are undefined, at their bounds, or refuse the data."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles import soft as plain
from tests.unit.metrics.soft_labels import ENTROPIES, fitted_metric, score_of

from bestby._core.errors import InvalidInputError
from bestby.metrics import MeanMetric, resolve


@pytest.fixture
def pair(generator):
    """Strictly positive gold and predictions."""
    return generator.dirichlet(np.full(4, 0.8), 60), generator.dirichlet(np.full(4, 0.8), 60)


# Extremes
def test_impossible_and_certain_predictions():
    gold, predictions = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])
    most = -np.log(1e-12)
    expected = {
        "cross_entropy": most, "log_loss": most, "kl_divergence": most, "kl_divergence_reverse": most,
        "js_divergence": np.log(2), "js_divergence_bits": 1.0, "js_distance": np.sqrt(np.log(2)),
        "brier": 2.0, "ece": 1.0, "soft_accuracy": 0.0, "soft_f1_macro": 0.0, "ordinal_mae": 1.0, "emd": 1.0,
    }  # fmt: skip
    for name, value in expected.items():
        assert score_of(name, gold, predictions) == pytest.approx(value, rel=1e-14), name
    assert score_of("cross_entropy", gold, gold) == 0.0


def test_a_class_that_neither_side_uses_changes_only_what_counts_classes(pair):
    gold, predictions = (np.column_stack([rows, np.zeros(60)]) for rows in pair)
    for name in set(plain.MEASURES) - {"soft_f1_macro", "soft_precision_macro", "soft_recall_macro"}:
        assert score_of(name, gold, predictions) == pytest.approx(score_of(name, *pair), abs=1e-12), name
    fuller, macro = score_of("soft_f1_macro", gold, predictions), score_of("soft_f1_macro", *pair)
    assert fuller == pytest.approx(macro * 4 / 5)


def test_rows_that_miss_one_by_rounding_stay_within_bounds():
    """Rows may sum to 1 within 1e-6, as probabilities of single precision do."""
    gold = np.array([[1.0000005, 0.0], [0.4999999, 0.5], [0.3, 0.7]])
    for name in plain.MEASURES:
        metric = fitted_metric(name, gold, gold)
        if isinstance(metric, MeanMetric):
            values = metric.values(gold, gold[:, ::-1])
            assert ((values >= metric.bounds[0]) & (values <= metric.bounds[1])).all(), name


def test_js_keeps_the_digits_of_small_differences():
    p = np.array([[0.5, 0.5]])
    for delta in (1e-3, 1e-6, 1e-9):
        q = p + np.array([[delta, -delta]])
        # Both are delta squared over 2 to the first order; a sum of terms near 1 would leave noise of 1e-16.
        assert score_of("js_divergence", p, q) == pytest.approx(delta**2 / 2, rel=1e-5)
        assert score_of("js_distance", p, q) == pytest.approx(delta / np.sqrt(2), rel=1e-5)


def test_subnormal_probabilities_do_no_harm():
    tiny = 5e-324
    gold, predictions = (
        np.array([[1.0, tiny], [tiny, 1.0], [0.5, 0.5]]),
        np.array([[tiny, 1.0]] * 2 + [[1, 0]]),
    )
    for name in set(plain.MEASURES) - set(ENTROPIES):
        assert np.isfinite(score_of(name, gold, predictions)), name


# Entropies
@pytest.mark.parametrize("scale", [1e-9, 1e-5, 1.0])
def test_entropy_similarity_does_not_depend_on_how_certain_a_system_is(scale, generator):
    spread = generator.random(50) * 0.2
    gold = np.column_stack([1 - spread, spread])
    certain = generator.random(50) * 0.2 * scale
    predictions = np.column_stack([1 - certain, certain])
    expected = plain.entropy_similarity(gold.tolist(), predictions.tolist())
    assert score_of("entropy_similarity", gold, predictions) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", ENTROPIES)
def test_entropies_are_undefined_on_resamples_without_any(name):
    gold = np.array([[1.0, 0.0], [1.0, 0.0], [0.5, 0.5], [0.9, 0.1]])
    predictions = np.array([[0.0, 1.0], [1.0, 0.0], [0.2, 0.8], [0.6, 0.4]])
    metric = fitted_metric(name, gold, predictions)
    scores = metric.score(np.array([[2, 2, 0, 0], [1, 1, 1, 1]]) @ metric.statistics(gold, predictions))
    assert np.isnan(scores[0])
    assert np.isfinite(scores[1])


# Hard gold, classes, bins
def test_log_loss_refuses_soft_gold():
    gold = np.array([[1.0, 0.0], [0.25, 0.75], [0.5, 0.5]])
    with pytest.raises(InvalidInputError) as error:
        fitted_metric("log_loss", gold, gold)
    assert str(error.value) == (
        "log_loss needs one gold class per item, but 2 of 3 rows of the gold are soft;"
        " first: gold[1] is (0.25, 0.75)\n"
        "hint: use cross_entropy, which is the same for hard gold and takes soft gold too"
    )


@pytest.mark.parametrize("name", ["soft_f1[a]", "soft_f1_macro"])
def test_without_classes(name):
    rows = np.array([[0.5, 0.5]])
    with pytest.raises(InvalidInputError, match="needs the label set"):
        resolve(name).fit(rows, [rows], None)
    with pytest.raises(InvalidInputError, match="must know the label set"):
        resolve(name).statistics(rows, rows)


def test_classes_that_are_empty_are_named():
    gold = np.array([[1.0, 0.0, 0.0], [0.5, 0.0, 0.5]])
    predictions = np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    sentences = {
        "soft_f1_macro": "f1 of 'y' is 0/0 (neither gold nor predictions give it any probability)"
        " and counts as 0 in soft_f1_macro",
        "soft_precision_macro": "precision of 'y', 'z' is 0/0 (no prediction gives it any probability)"
        " and counts as 0 in soft_precision_macro",
        "soft_recall[y]": "soft_recall[y] is 0/0 ('y': the gold gives it no probability) and counts as 0",
        "soft_recall[z]": None,
        "soft_recall_macro": "recall of 'y' is 0/0 (the gold gives it no probability)"
        " and counts as 0 in soft_recall_macro",
    }
    for name, sentence in sentences.items():
        metric = resolve(name).fit(gold, [predictions], np.array(["x", "y", "z"]))
        assert metric.undefined(metric.statistics(gold, predictions).sum(axis=0)) == sentence
    metric = resolve("soft_f1_macro").fit(gold, [], np.array(list("abcdefgh")))
    assert "'a', 'b', 'c', 'd', 'e' and 3 more is 0/0" in metric.undefined(np.zeros(16))


def test_a_class_left_with_rounding_only_counts_as_empty():
    metric = resolve("soft_precision[0]").fit(np.eye(2), [np.eye(2)], np.arange(2))
    assert metric.score(np.array([-3e-17, 1e-17])) == 0.0
    assert metric.score(np.array([0.0, -1e-17])) == 0.0


def test_what_takes_no_part():
    with pytest.raises(
        InvalidInputError, match=r"there is no metric 'accuracy@3'; the metrics with a part after the @ or \^"
    ):
        resolve("accuracy@3")


def test_soft_f1_needs_a_class_or_an_average():
    with pytest.raises(InvalidInputError) as error:
        resolve("soft_f1")
    assert error.value.message == ("soft_f1 needs a class or an average: soft_f1[LABEL] or soft_f1_macro")
