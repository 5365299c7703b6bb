"""Perplexity and bits per byte: sums, not means of items."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestby.metrics.language import NAMES, Perplexity

ITEM = st.tuples(st.floats(-500.0, 0.0), st.integers(1, 200))


def built(name):
    return NAMES[name][1](name)


@given(items=st.lists(ITEM, min_size=2, max_size=20), seed=st.integers(0, 2**32 - 1))
def test_on_resamples(items, seed):
    drawn = np.random.default_rng(seed).integers(0, len(items), size=(4, len(items)))
    for name in NAMES:
        metric = built(name)
        scores = metric.score(metric.statistics(None, items)[drawn].sum(axis=1))
        for indices, score in zip(drawn, scores, strict=True):
            nats = -math.fsum(items[i][0] for i in indices) / sum(items[i][1] for i in indices)
            expected = math.exp(nats) if name == "perplexity" else nats / math.log(2)
            assert score == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_not_the_mean_of_items():
    items = [(math.log(0.5) * 9, 9), (math.log(0.1), 1)]
    metric = Perplexity()
    score = metric.score(metric.statistics(None, items).sum(axis=0))
    assert score == pytest.approx((2**9 * 10) ** 0.1, rel=1e-12)
    assert abs(score - (2 + 10) / 2) > 1


@pytest.mark.parametrize(
    ("name", "least", "unit"),
    [("perplexity", 1.0, "tokens"), ("bits_per_byte", 0.0, "bytes"), ("bits_per_token", 0.0, "tokens")],
)
def test_what_they_tell_about_themselves(name, least, unit):
    metric = built(name)
    assert (metric.name, metric.greater_is_better, metric.bounds) == (name, False, (least, np.inf))
    assert (metric.reads, metric.needs_gold, metric.unit) == ("objects", False, unit)
    certain = metric.score(np.array([0.0, 3.0]))
    assert certain == least
    assert not np.signbit(certain)


def test_texts_without_length():
    for name in NAMES:
        metric = built(name)
        rows = metric.statistics(None, [(0.0, 0), (-1.0, 2)])
        scores = metric.score(np.stack([rows[0], rows.sum(axis=0)]))
        np.testing.assert_array_equal(np.isnan(scores), [True, False])


def test_a_surprise_beyond_every_float():
    assert Perplexity().score(np.array([-800.0, 1.0])) == np.inf


def test_an_array_of_pairs_will_do():
    pairs = np.array([[-1.0, 2.0], [-3.0, 4.0]])
    np.testing.assert_array_equal(Perplexity().statistics(None, pairs), pairs)
    np.testing.assert_array_equal(Perplexity().statistics(None, pairs.astype(object)), pairs)
