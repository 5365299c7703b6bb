"""Metrics of texts against plain loops."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles import plain_texts as plain

from bestby.metrics.answers import AnswerF1, ExactMatch, PassAtK, within_variance
from bestby.metrics.recognition import WordErrorRate
from bestby.metrics.summarisation import MeteorCorpus, MeteorSettings, Rouge

WORDS = st.lists(st.sampled_from(["the", "A", "cat,", "cat", "Dog's", "dogs", "an", "x"]), max_size=6)
TEXT = WORDS.map(" ".join)
PLAIN = st.lists(st.sampled_from(["p", "q", "r", "s"]), max_size=7).map(" ".join)


@given(items=st.lists(st.tuples(PLAIN.filter(bool), PLAIN), min_size=1, max_size=8))
def test_word_error_rate(items):
    gold, texts = zip(*items, strict=True)
    metric = WordErrorRate()
    score = metric.score(metric.statistics(gold, texts).sum(axis=0))
    assert score == pytest.approx(plain.word_error_rate(gold, texts), abs=1e-12)


@given(golds=st.lists(TEXT, max_size=3), answer=TEXT)
@settings(max_examples=200)
def test_answers(golds, answer):
    assert ExactMatch().values([golds], [answer])[0] == plain.squad_em(golds, answer)
    assert AnswerF1().values([golds], [answer])[0] == pytest.approx(plain.squad_f1(golds, answer), abs=1e-12)


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_pass_at_k_is_the_part_of_all_sets_with_a_right_sample(k):
    items = [(n, c) for n in range(k, 9) for c in range(n + 1)]
    expected = [float(plain.pass_at_k(n, c, k)) for n, c in items]
    np.testing.assert_allclose(PassAtK(f"pass@{k}", k).values(None, items), expected, rtol=0, atol=1e-15)


@pytest.mark.parametrize("p", [Fraction(0), Fraction(1, 7), Fraction(1, 2), Fraction(9, 10)])
@pytest.mark.parametrize(("n", "k"), [(2, 1), (7, 1), (4, 2), (9, 2), (6, 3), (11, 4)])
def test_estimates_are_right_on_average(n, k, p):
    """Over every number of right samples: pass@k has mean 1 - (1 - p)^k, its variance the mean of ours."""
    counts = range(n + 1)
    chances = [plain.binomial(n, c, p) for c in counts]
    values = [plain.pass_at_k(n, c, k) for c in counts]
    mean = sum(chance * value for chance, value in zip(chances, values, strict=True))
    variance = sum(chance * (value - mean) ** 2 for chance, value in zip(chances, values, strict=True))
    assert mean == 1 - (1 - p) ** k
    ours = PassAtK(f"pass@{k}", k).values(None, [(n, c) for c in counts])
    estimates = within_variance([n] * (n + 1), list(counts), k)
    assert (estimates >= 0).all()
    weights = np.array([float(chance) for chance in chances])
    assert weights @ ours == pytest.approx(float(mean), abs=1e-13)
    assert weights @ estimates == pytest.approx(float(variance), abs=1e-13)


@given(reference=PLAIN, text=PLAIN)
def test_rouge(reference, text):
    for name, expected in (
        ("rouge1", plain.rouge_n(reference, text, 1)),
        ("rouge2", plain.rouge_n(reference, text, 2)),
        ("rougeL", plain.rouge_l(reference, text)),
    ):
        assert Rouge(name).values([reference], [text])[0] == pytest.approx(expected, abs=1e-12)


@given(
    totals=st.lists(
        st.tuples(st.integers(0, 9), st.integers(1, 9), st.integers(0, 5), st.integers(0, 5)), min_size=1
    )
)
def test_meteor_of_counts(totals):
    rows = [(m, min(c, m), m + p, m + r) for m, c, p, r in totals if m + p + r]
    if rows:
        expected = [plain.meteor(*row) for row in rows]
        np.testing.assert_allclose(MeteorCorpus().score(np.array(rows, dtype=float)), expected, atol=1e-12)


@given(permutation=st.permutations("abcdef"), size=st.integers(1, 6))
def test_chunks_of_words_that_occur_once(permutation, size):
    """Without words that occur twice there is one alignment, and its chunks can be read off."""
    text = list(permutation[:size])
    breaks = sum(ord(after) - ord(before) != 1 for before, after in pairwise(text))
    chosen = MeteorSettings(str.split, SimpleNamespace(synsets=lambda _: []))
    counts = MeteorCorpus(settings=chosen).statistics(["a b c d e f"], [" ".join(text)])
    np.testing.assert_array_equal(counts, [[size, 1 + breaks, size, 6]])
