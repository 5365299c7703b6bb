"""Metrics of soft labels against plain loops, SciPy, scikit-learn and their hard counterparts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles import soft as plain
from tests.unit.metrics.soft_labels import fitted_metric, score_of

from bestby import compare
from bestby._core.errors import InvalidInputError
from bestby.metrics import MeanMetric, resolve
from bestby.metrics.soft import MEMBER

ALL = {**plain.MEASURES, **plain.HARD_GOLD}
ZERO_IF_EQUAL = (
    "kl_divergence", "kl_divergence_reverse", "js_divergence", "js_divergence_bits", "js_distance",
    "brier", "ordinal_mae", "emd",
)  # fmt: skip
ONE_IF_EQUAL = (
    "soft_accuracy", "soft_f1_macro", "soft_precision_macro", "soft_recall_macro", "entropy_similarity",
    "entropy_correlation",
)  # fmt: skip
SYMMETRIC = ("js_divergence", "js_divergence_bits", "js_distance", "brier", "soft_accuracy", "emd")
HALF = 0.5


def _one_hot(codes, k):
    return np.eye(k)[codes]


def _dirichlet(rng, n, k, concentration):
    """Rows with exact zeros, ties and certain rows among them."""
    rows = rng.dirichlet(np.full(k, concentration), size=n)
    rows = np.where(rng.random((n, k)) < 0.15, 0.0, rows)
    certain = (rng.random(n) < 0.2) | (rows.sum(axis=1) == 0.0)
    rows[certain] = _one_hot(rng.integers(0, k, int(certain.sum())), k)
    return rows / rows.sum(axis=1, keepdims=True)


@st.composite
def samples(draw):
    k, n = draw(st.integers(2, 6)), draw(st.integers(4, 25))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    gold = _dirichlet(rng, n, k, draw(st.sampled_from([0.2, 1.0, 5.0])))
    predictions = _dirichlet(rng, n, k, draw(st.sampled_from([0.2, 1.0, 5.0])))
    if draw(st.booleans()):
        same = rng.random(n) < HALF
        predictions[same] = gold[same]
    for rows in (gold, predictions):  # so that entropies vary
        rows[0], rows[1] = np.full(k, 1 / k), _one_hot(0, k)
    weights = rng.integers(0, 4, size=n)
    weights[:2] += 1
    return gold, predictions, weights


@pytest.mark.parametrize("name", ALL)
@given(sample=samples())
def test_against_plain_loops(name, sample):
    gold, predictions, weights = sample
    if name in plain.HARD_GOLD:
        gold = _one_hot(gold.argmax(axis=1), gold.shape[1])
    expected = ALL[name](gold.tolist(), predictions.tolist())
    assert score_of(name, gold, predictions) == pytest.approx(expected, rel=1e-9, abs=1e-10)
    expanded = ALL[name](gold.repeat(weights, axis=0).tolist(), predictions.repeat(weights, axis=0).tolist())
    assert score_of(name, gold, predictions, weights) == pytest.approx(expanded, rel=1e-9, abs=1e-10)


@pytest.fixture
def pair(generator):
    """Strictly positive gold and predictions."""
    return generator.dirichlet(np.full(4, 0.8), 60), generator.dirichlet(np.full(4, 0.8), 60)


def test_what_boostsa_gives():
    """BooStSa 0.2.13 on these rows: jsd is the mean distance in nats; ce clips at 1e-12."""
    rng = np.random.default_rng(0)
    gold, predictions = rng.dirichlet(np.ones(3), 200), rng.dirichlet(np.ones(3), 200)
    published = {
        "js_distance": 0.320176,
        "cross_entropy": 1.461184,
        "entropy_similarity": 0.940609,
        "entropy_correlation": -0.09627,
    }
    for name, value in published.items():
        assert score_of(name, gold, predictions) == pytest.approx(value, abs=1e-6), name
    wrong = score_of("cross_entropy", np.array([[1.0, 0.0, 0.0]]), np.array([[0.0, 1.0, 0.0]]))
    assert wrong == pytest.approx(27.631021115928547, rel=1e-12)


@pytest.mark.parametrize(
    ("soft", "hard"),
    [
        ("soft_accuracy", "accuracy"),
        *[(f"soft_{part}_macro", f"{part}_macro") for part in ("precision", "recall", "f1")],
        *[(f"soft_{part}[2]", f"{part}[2]") for part in ("precision", "recall", "f1")],
    ],
)
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(3, 6))
def test_on_hard_labels_they_are_the_hard_measures(soft, hard, seed, k):
    rng = np.random.default_rng(seed)
    gold, predictions = rng.integers(0, k, (2, 15))  # some classes are absent from one side, or both
    metric = resolve(hard).fit(None, [predictions], np.arange(k))  # averaged over all classes there are
    weights = rng.integers(0, 3, size=(6, 15))
    weights[:, 0] += 1
    expected = metric.score(weights @ metric.statistics(gold, predictions))
    rows = _one_hot(gold, k), _one_hot(predictions, k)
    fitted = fitted_metric(soft, *rows)
    np.testing.assert_allclose(fitted.score(weights @ fitted.statistics(*rows)), expected, rtol=0, atol=1e-15)


def test_on_hard_gold_log_loss_is_cross_entropy(generator):
    gold = _one_hot(generator.integers(0, 3, 40), 3)
    predictions = _dirichlet(generator, 40, 3, 0.3)  # with zeros, where the clip decides
    each = [fitted_metric(name, gold, predictions).values(gold, predictions) for name in ALL_LOSSES]
    np.testing.assert_array_equal(*each)
    assert each[0].max() == pytest.approx(-np.log(1e-12))


ALL_LOSSES = ("cross_entropy", "log_loss")


@given(sample=samples())
def test_bounds_symmetry_and_equality(sample):
    gold, predictions, _ = sample
    for name in plain.MEASURES:
        metric = fitted_metric(name, gold, predictions)
        low, high = metric.bounds
        value = score_of(name, gold, predictions)
        assert low <= value <= high, name
        if isinstance(metric, MeanMetric):
            values = metric.values(gold, predictions)
            assert ((values >= low) & (values <= high)).all(), name
            assert not np.signbit(values).any(), name
        if name in SYMMETRIC:
            np.testing.assert_array_equal(values, metric.values(predictions, gold), err_msg=name)
    for name in ZERO_IF_EQUAL:
        values = fitted_metric(name, gold, gold).values(gold, gold.copy())
        np.testing.assert_array_equal(values, np.zeros(len(gold)), err_msg=name)
    for name in ONE_IF_EQUAL:
        assert score_of(name, gold, gold) == pytest.approx(1.0, abs=1e-12), name


@pytest.mark.parametrize(
    ("top", "n_bins", "place"),
    [(0.7, 10, 6), (np.nextafter(0.7, 1), 10, 7), (1.0, 15, 14), (0.6, 15, 8), (0.5, 2, 0), (0.5, 1, 0)],
)
def test_a_probability_on_an_edge_belongs_to_the_bin_below(top, n_bins, place):
    gold, predictions = np.array([[1.0, 0.0]]), np.array([[top, 1 - top]])
    rows = resolve(f"ece@{n_bins}").statistics(gold, predictions)
    assert rows.shape == (1, 2 * n_bins + 1)
    expected = np.zeros(2 * n_bins + 1)
    expected[place], expected[n_bins + place], expected[-1] = 1.0 - top, top * (1.0 - top) + MEMBER, 1.0
    np.testing.assert_array_equal(rows[0], expected)


def test_of_equal_probabilities_the_first_class_is_predicted():
    gold, predictions = np.array([[0.2, 0.8]]), np.array([[0.5, 0.5]])
    assert score_of("ece", gold, predictions) == pytest.approx(0.3)


def test_ece_comes_with_a_caution(pair):
    gold, predictions = pair
    result = compare({"a": predictions, "b": gold}, gold, metric=["ece@5", "brier"], n_resamples=99)
    (note,) = [note for note in result.notes if note.code == "caution"]
    assert note.about == ("ece@5",)
    assert note.message.startswith("calibration errors are biased upward")


# Names


@pytest.mark.parametrize(
    ("name", "meant"),
    [("js", "js_divergence"), ("jsd", "js_distance"), ("KL", "kl_divergence"), ("nll", "log_loss"),
     ("earth_mover", "emd"), ("wasserstein", "emd"), ("neg_brier_score", "brier")],
)  # fmt: skip
def test_other_names(name, meant):
    with pytest.raises(InvalidInputError, match=f"did you mean {meant}\\?"):
        resolve(name)
