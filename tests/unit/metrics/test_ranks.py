"""Correlations and metrics of ranking against SciPy and scikit-learn on expanded samples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics as sk

from bestby import compare
from bestby._core.errors import InvalidInputError
from bestby.metrics import resolve
from bestby.metrics.correlation import Pearson

BINARY = {"roc_auc": sk.roc_auc_score, "average_precision": sk.average_precision_score}
CORRELATION = {
    "spearman": lambda g, p: stats.spearmanr(g, p).statistic,
    "kendall": lambda g, p: stats.kendalltau(g, p).statistic,
}
ALL = [*BINARY, *CORRELATION]


def _columns(name, rng, n, decimals):
    """Gold and predictions, with many ties, few or none."""
    signal = rng.normal(size=n)
    predictions = np.round(signal + rng.normal(size=n), decimals)
    if name in BINARY:
        gold = (signal > rng.normal()).astype(int)
        gold[:2] = 0, 1
        return gold, predictions
    predictions[:2] = -5.0, 5.0
    return np.round(np.where(np.arange(n) < 2, predictions, signal), decimals), predictions


@pytest.mark.long
@pytest.mark.parametrize("name", ALL)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(4, 60), decimals=st.sampled_from([0, 1, 9]))
def test_equals_the_reference_on_the_expanded_sample(name, seed, n, decimals):
    rng = np.random.default_rng(seed)
    gold, predictions = _columns(name, rng, n, decimals)
    weights = rng.multinomial(n, np.full(n, 1 / n), size=5)
    weights[:, :2] += 1  # both classes, no constant column
    weights[0] = 1
    metric = resolve(name).fit(gold, [predictions], None)
    scores = metric.weighted(metric.prepare(gold, predictions), weights)
    reference = (BINARY | CORRELATION)[name]
    expected = [reference(np.repeat(gold, w), np.repeat(predictions, w)) for w in weights]
    np.testing.assert_allclose(scores, expected, rtol=0, atol=1e-12)
    if name in BINARY:
        by_weight = [reference(gold, predictions, sample_weight=w) for w in weights]
        np.testing.assert_allclose(scores, by_weight, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["spearman", "kendall"])
def test_weights_of_millions_do_not_overflow(name):
    gold, predictions = np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 3.0, 2.0, 3.0])
    metric = resolve(name)
    for weight in (1, 100_000, 1_000_000):
        weights = np.full((1, 4), weight, dtype=np.int64)
        found = metric.weighted(metric.fit(gold, [predictions], None).prepare(gold, predictions), weights)
        expected = (CORRELATION[name])(np.repeat(gold, 1000), np.repeat(predictions, 1000))
        if weight > 1:  # ranks among very many copies: the same but for a term in 1/N
            np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "weights"),
    [
        ("roc_auc", [0, 0, 1, 1]),
        ("roc_auc", [1, 2, 0, 0]),
        ("average_precision", [1, 1, 0, 0]),
        ("spearman", [0, 4, 0, 0]),
        ("kendall", [0, 4, 0, 0]),
    ],
)
@pytest.mark.parametrize("tied", [False, True])
def test_an_undefined_resample_is_nan(name, weights, tied):
    gold, predictions = np.array([0, 0, 1, 1]), np.array([0.1, 0.1 if tied else 0.4, 0.3, 0.8])
    metric = resolve(name).fit(gold, [predictions], None)
    rows = np.array([weights, [0, 0, 0, 0], [1, 1, 1, 1]])
    scores = metric.weighted(metric.prepare(gold, predictions), rows)
    np.testing.assert_array_equal(np.isnan(scores), [True, True, False])


@pytest.mark.parametrize(
    ("name", "predictions"),
    [
        ("spearman", [0.1] * 3),
        ("kendall", [0.1] * 3),
        ("pearson", [0.1] * 3),
        ("pearson", [0.3, 0.1 + 0.2, 0.3]),
    ],
)
def test_constant_predictions_are_refused(name, predictions):
    """For Pearson's correlation also those that only rounding separates."""
    gold, predictions = np.array([1.0, 2.0, 3.0]), np.array(predictions)
    metric = resolve(name).fit(gold, [predictions], None)
    with pytest.raises(InvalidInputError, match=f"{name} is undefined: the predictions are constant \\(0."):
        (metric.statistics if name == "pearson" else metric.prepare)(gold, predictions)


@pytest.mark.parametrize(
    ("gold", "greater"),
    [
        (np.array(["no", "yes", "no", "yes"]), "yes"),
        (np.array([False, True, False, True]), "True"),
        (np.array([-1, 1, -1, 1]), "1"),
        (np.array([0.0, 1.0, 0.0, 1.0]), "1"),
    ],
)
@pytest.mark.parametrize("name", BINARY)
def test_the_greater_label_is_positive_or_the_one_named(name, gold, greater):
    predictions = np.array([1, 3, 2, 2])
    reference = BINARY[name]
    as_default = resolve(name).fit(gold, [predictions], None)
    as_named = resolve(f"{name}[{greater}]").fit(gold, [predictions], None)
    other = resolve(f"{name}[{gold[0] if gold.dtype.kind != 'f' else 0}]").fit(gold, [predictions], None)
    ones = np.ones((1, 4), dtype=np.uint8)
    expected = reference(gold == gold[1], predictions)
    for metric in (as_default, as_named):
        assert metric.weighted(metric.prepare(gold, predictions), ones)[0] == pytest.approx(
            expected, abs=1e-12
        )
    assert other.weighted(other.prepare(gold, predictions), ones)[0] == pytest.approx(
        reference(gold == gold[0], predictions), abs=1e-12
    )


def test_a_named_label_stands_against_all_others(generator):
    gold, predictions = generator.integers(0, 4, 50), generator.normal(size=50)
    metric = resolve("roc_auc[2]").fit(gold, [predictions], None)
    score = metric.weighted(metric.prepare(gold, predictions), np.ones((1, 50), dtype=np.uint8))
    assert score[0] == pytest.approx(sk.roc_auc_score(gold == 2, predictions), abs=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall"])
def test_numbers_that_differ_are_no_constant_however_far_from_zero(name, generator):
    gold, predictions = generator.integers(0, 100, (2, 50)).astype(float)
    near, far = (
        next(
            iter(
                compare(
                    {"a": predictions + offset, "b": gold + offset},
                    gold=gold + offset,
                    metric=name,
                    n_resamples=99,
                )
            )
        )
        for offset in (0.0, 1e15)
    )
    assert far.score_a == pytest.approx(near.score_a, rel=1e-13)


@pytest.mark.parametrize("name", ["spearman", "kendall"])
def test_ranks_take_neighbouring_numbers_for_two(name):
    gold = np.array([1, 2, 3, 4]) + 2**60  # one number if they were floats
    predictions = np.array([0.3, 0.3, 0.1 + 0.2, 0.1 + 0.2])
    metric = resolve(name).fit(gold, [predictions], None)
    assert metric.weighted(metric.prepare(gold, predictions), np.ones((1, 4), dtype=int))[0] > 0.8


def test_constant_predictions_have_an_auc_of_a_half():
    gold, predictions = np.array([0, 1, 1]), np.array([0.3, 0.3, 0.3])
    metric = resolve("roc_auc").fit(gold, [predictions], None)
    scores = metric.weighted(metric.prepare(gold, predictions), np.array([[1, 1, 1], [2, 0, 3]]))
    np.testing.assert_array_equal(scores, [0.5, 0.5])


@pytest.mark.parametrize("name", ALL)
def test_what_systems_exchange_are_midranks(name, generator):
    gold, predictions = _columns(name, generator, 30, 0)
    metric = resolve(name).fit(gold, [predictions], None)
    expected = stats.rankdata(predictions)
    np.testing.assert_array_equal(metric.exchangeable(gold, predictions), expected)
    np.testing.assert_array_equal(metric.exchangeable(gold, np.exp(predictions)), expected)


def test_pearson_is_nan_where_a_resample_is_constant(generator):
    gold, predictions = generator.normal(size=5), generator.normal(size=5)
    metric = resolve("pearson").fit(gold, [predictions], None)
    weights = np.array([[0, 5, 0, 0, 0], [1, 1, 1, 1, 1]])
    scores = metric.score(weights @ metric.statistics(gold, predictions))
    assert np.isnan(scores[0])
    assert np.isfinite(scores[1])


@pytest.mark.parametrize("decimals", [0, 1, 9])
@pytest.mark.parametrize("name", ALL)
def test_the_score_of_the_data_is_that_of_weights_of_one(name: str, decimals: int) -> None:
    for seed, n in ((0, 7), (1, 60), (2, 1500)):
        gold, predictions = _columns(name, np.random.default_rng(seed), n, decimals)
        metric = resolve(name).fit(gold, [predictions], None)
        prepared = metric.prepare(gold, predictions)
        assert metric.whole(prepared) == metric.weighted(prepared, np.ones((1, n), dtype=np.uint8))[0]


@pytest.mark.parametrize("kind", [object, np.float16, np.uint8, bool])
def test_the_rows_of_a_correlation_are_made_of_numbers_of_any_type(kind: type) -> None:
    gold, predictions = (np.array(values, dtype=kind) for values in ([0, 1, 1, 0], [1, 1, 0, 0]))
    metric = Pearson().fit(gold, [predictions], None)
    expected = metric.statistics(gold.astype(np.float64), predictions.astype(np.float64))
    np.testing.assert_array_equal(metric.statistics(gold, predictions), expected)
