"""ROUGE against rouge-score and METEOR against nltk, on full sets and on resamples."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.translate.meteor_score import meteor_score
from rouge_score.rouge_scorer import RougeScorer

from bestby._core.errors import InvalidInputError
from bestby.metrics import MeanMetric
from bestby.metrics.summarisation import NAMES, Meteor, MeteorCorpus, MeteorSettings, Rouge, meteor_counts

WORDS = ["the", "cat", "Cats", "sat", "sits", "glad", "content", "on", "mat.", "\n"]
TEXT = st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join)
ITEMS = st.lists(
    st.tuples(st.one_of(TEXT, st.lists(TEXT, min_size=1, max_size=3)), TEXT), min_size=2, max_size=8
)


def lemma(name):
    return SimpleNamespace(name=lambda: name)


SYNONYMS = SimpleNamespace(lemmas=lambda: [lemma("glad"), lemma("content"), lemma("well_pleased")])
WORDNET = SimpleNamespace(synsets=lambda word: [SYNONYMS] if word in ("glad", "content") else [])
"""A WordNet of one set of synonyms."""


def listed(gold):
    return [[item] if isinstance(item, str) else item for item in gold]


@pytest.mark.long
@pytest.mark.parametrize("stem", [False, True])
@pytest.mark.parametrize("name", ["rouge1", "rouge2", "rougeL", "rougeLsum"])
@given(items=ITEMS, seed=st.integers(0, 2**32 - 1))
def test_rouge_against_rouge_score(name, stem, items, seed):
    gold, predictions = zip(*items, strict=True)
    metric = Rouge(name, stem)
    assert isinstance(metric, MeanMetric)
    rows = metric.statistics(gold, predictions)
    scorer = RougeScorer([name], use_stemmer=stem)
    for indices in resamples(len(items), seed):
        each = [
            scorer.score_multi(listed(gold)[place], predictions[place])[name].fmeasure for place in indices
        ]
        assert metric.score(rows[indices].sum(axis=0)) == pytest.approx(np.mean(each), abs=1e-12)


@given(items=ITEMS, seed=st.integers(0, 2**32 - 1))
def test_meteor_against_nltk(items, seed):
    gold, predictions = zip(*items, strict=True)
    metric = Meteor(settings=MeteorSettings(str.split, WORDNET))
    rows = metric.statistics(gold, predictions)
    for indices in resamples(len(items), seed):
        each = [
            meteor_score([text.split() for text in listed(gold)[i]], predictions[i].split(), wordnet=WORDNET)
            for i in indices
        ]
        assert metric.score(rows[indices].sum(axis=0)) == pytest.approx(np.mean(each), abs=1e-12)


def resamples(n, seed):
    return np.vstack([np.arange(n), np.random.default_rng(seed).integers(0, n, size=(3, n))])


def test_the_parameters_of_meteor_are_nltks():
    settings_ = MeteorSettings(str.split, WORDNET, alpha=0.7, beta=1.5, gamma=0.3)
    gold, text = "a b c d e", "d e x a b c"
    expected = meteor_score([gold.split()], text.split(), wordnet=WORDNET, alpha=0.7, beta=1.5, gamma=0.3)
    assert Meteor(settings=settings_).values([gold], [text]) == pytest.approx(expected, abs=1e-12)
    assert expected != pytest.approx(meteor_score([gold.split()], text.split(), wordnet=WORDNET), abs=1e-3)


def test_synonyms_and_stems_match_and_chunks_are_counted():
    counts = meteor_counts(
        ["the glad cat sat down", "a b c d"],
        ["content cats the", "c d a b"],
        MeteorSettings(str.split, WORDNET),
    )
    np.testing.assert_array_equal(counts, [[3, 2, 3, 5], [4, 2, 4, 4]])


def test_the_best_reference_of_each_segment_is_summed():
    metric = MeteorCorpus(settings=MeteorSettings(str.split, WORDNET))
    rows = metric.statistics([["on the mat", "the cat sat"], "no"], ["the cat sat", "yes"])
    np.testing.assert_array_equal(rows, [[3, 1, 3, 3], [0, 0, 1, 1]])
    # P = R = 3/4, one chunk of three words
    assert metric.score(rows.sum(axis=0)) == pytest.approx(0.75 * (1 - 0.5 / 27), abs=1e-12)


def test_the_default_tokens_part_punctuation_from_words():
    row = meteor_counts(["The cat sat, glad."], ["the cat sat"], MeteorSettings(wordnet=WORDNET))
    np.testing.assert_array_equal(row, [[3, 1, 3, 6]])


@pytest.mark.parametrize("incomplete", [False, True])
@pytest.mark.parametrize("name", ["meteor", "meteor_corpus"])
def test_without_wordnet(name, incomplete, monkeypatch, tmp_path):
    """Neither where nltk finds no WordNet nor where it finds a folder of that name with files missing."""
    from nltk import corpus, data
    from nltk.corpus.reader.wordnet import WordNetCorpusReader
    from nltk.corpus.util import LazyCorpusLoader

    if incomplete:
        (tmp_path / "corpora" / "wordnet").mkdir(parents=True)
    monkeypatch.setattr(data, "path", [str(tmp_path)])
    monkeypatch.setattr(corpus, "wordnet", LazyCorpusLoader("wordnet", WordNetCorpusReader, object()))
    with pytest.raises(
        InvalidInputError,
        match=f"{name} looks synonyms up in WordNet, which nltk does not find\n"
        "hint: python -m nltk.downloader wordnet",
    ):
        NAMES[name][1](name).statistics(["a"], ["a"])
