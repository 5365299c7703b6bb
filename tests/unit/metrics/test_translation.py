"""Metrics of translations are those of sacrebleu."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.metrics.corpora import WORDS, objects, streams

from bestby.metrics import MeanMetric
from bestby.metrics.translation import NAMES, Bleu, Chrf, Ter

FIELDS = {"ter": 2, "bleu": 10, "chrf": 18, "chrf++": 24}


def library(name: str, **options: Any) -> Any:
    """Return the corpus function of sacrebleu: (translations, streams) -> score."""
    if name == "bleu":
        metric = sacrebleu.BLEU(force=True, smooth_method=options.pop("smooth", "exp"), **options)
    elif name == "ter":
        metric = sacrebleu.TER(**options)
    else:
        metric = sacrebleu.CHRF(word_order=2 if name == "chrf++" else 0, **options)
    return lambda translations, references: metric.corpus_score(translations, references).score


def ours(name: str, **options: Any) -> Any:
    return {"bleu": Bleu, "ter": Ter}.get(name, Chrf)(
        **options, **({"name": name, "word_order": 2} if name == "chrf++" else {})
    )


segments = st.builds(
    "{}{}".format,
    st.lists(st.sampled_from(WORDS), max_size=7).map(" ".join),
    st.sampled_from(["", " ", "-\n"]),
)
golds = st.one_of(segments, st.lists(segments, min_size=1, max_size=3), st.tuples(segments, segments))
corpora = st.lists(st.tuples(golds, segments), min_size=1, max_size=6)
CASES: list[tuple[str, dict[str, Any]]] = [
    ("bleu", {}),
    ("bleu", {"tokenize": "none", "lowercase": True}),
    ("bleu", {"tokenize": "intl"}),
    ("bleu", {"tokenize": "char"}),
    ("bleu", {"smooth": "floor"}),
    ("bleu", {"smooth": "add-k"}),
    ("bleu", {"smooth": "none"}),
    ("chrf", {}),
    ("chrf", {"char_order": 3, "beta": 1, "lowercase": True, "whitespace": True}),
    ("chrf++", {}),
    ("ter", {}),
    ("ter", {"normalized": True, "no_punct": True, "asian_support": True, "case_sensitive": True}),
]


@pytest.mark.long
@pytest.mark.parametrize(("name", "options"), CASES, ids=lambda value: str(value).replace(" ", ""))
@given(corpus=corpora, seed=st.integers(0, 2**32 - 1))
def test_equals_sacrebleu_on_the_full_set_and_on_resamples(name, options, corpus, seed):
    gold, translations = objects([g for g, _ in corpus]), objects([t for _, t in corpus])
    metric = ours(name, **options).fit(gold, [translations], None)
    rows = metric.statistics(gold, translations)
    score = library(name, **options)
    drawn = np.random.default_rng(seed).integers(len(corpus), size=(3, len(corpus)))
    for chosen in (np.arange(len(corpus)), *drawn):
        expected = score(translations[chosen].tolist(), streams(gold[chosen].tolist()))
        np.testing.assert_allclose(metric.score(rows[chosen].sum(axis=0)), expected, rtol=0, atol=1e-9)


SNIPPETS = (
    *" \t\n\r\x1c\x85\xa0\u2003\u3000\ue000.,-05aZIİΣς&;<>'()_「。猫😀\ud800\u0301",
    *(
        "&quot;",
        "&amp;",
        "&lt;",
        "<skipped>",
        "<skip-\nped>",
        "-\n",
        "a.",
        ".b",
        "5.",
        ",5",
        "1-",
        "...",
        "don't",
    ),
)
odd_texts = st.lists(st.sampled_from(SNIPPETS), max_size=12).map("".join)
odd_corpora = st.lists(
    st.tuples(st.lists(odd_texts, min_size=1, max_size=3), odd_texts, odd_texts), min_size=1, max_size=4
)


@pytest.mark.long
@pytest.mark.parametrize(
    ("metric", "scorer"),
    [
        *(
            (Bleu(tokenize=name), sacrebleu.BLEU(tokenize=name))
            for name in ("13a", "none", "char", "intl", "zh")
        ),
        (Bleu(lowercase=True), sacrebleu.BLEU(lowercase=True)),
        (Chrf(), sacrebleu.CHRF()),
        (Chrf(word_order=2), sacrebleu.CHRF(word_order=2)),
        (
            Chrf(word_order=1, char_order=2, lowercase=True, whitespace=True),
            sacrebleu.CHRF(word_order=1, char_order=2, lowercase=True, whitespace=True),
        ),
    ],
)
@given(corpus=odd_corpora, seed=st.integers(0, 99))
def test_counts_are_those_of_sacrebleu_for_any_text_and_in_any_order(metric, scorer, corpus, seed):
    gold = objects([several for several, _, _ in corpus])
    fitted = metric.fit(gold, [], None)
    order = np.random.default_rng(seed).permutation(2 * len(corpus))
    segments = np.tile(np.arange(len(corpus)), 2)[order]
    texts = [text for place in (1, 2) for text in (entry[place] for entry in corpus)]
    texts = [texts[place] for place in order]
    rows = fitted.statistics_of_texts(gold, segments, texts)
    expected = scorer._extract_corpus_statistics(texts, streams(gold[segments].tolist()))
    np.testing.assert_array_equal(rows, expected)


@pytest.mark.parametrize("tokenize", ["13a", "none", "char"])
def test_counts_of_long_and_empty_segments_are_those_of_sacrebleu(tokenize: str) -> None:
    rng = np.random.default_rng(2)
    pieces = [piece for piece in SNIPPETS if "\n" not in piece]
    long, other = ("".join(rng.choice(pieces, 20_000)) for _ in range(2))
    texts = [long, "", " ", "one two", "😀 猫."]
    gold = objects([[other, long[:5000]], "", "a", "one two", ["", "😀 猫"]])
    rows = Bleu(tokenize=tokenize).statistics(gold, texts)
    expected = sacrebleu.BLEU(tokenize=tokenize)._extract_corpus_statistics(texts, streams(gold.tolist()))
    np.testing.assert_array_equal(rows, expected)


@given(st.lists(st.text("aZ09ß²٣猫,.-'\"!&<Ⅷ", min_size=1, max_size=4), min_size=1, max_size=30))
@settings(max_examples=300, deadline=None)
def test_pieces_that_need_no_rules_are_split_as_sacrebleu_does(pieces: list[str]) -> None:
    tokenizer = sacrebleu.BLEU().tokenizer
    expected = [len(tokenizer(piece).split()) for piece in pieces]
    found = Bleu().statistics(objects(pieces), pieces)
    assert found[:, 0].tolist() == expected
    assert found[:, 2].tolist() == expected  # a text has all the words of its copy


@pytest.mark.parametrize("name", FIELDS)
@given(corpus=corpora)
def test_segment_means_are_means_of_sacrebleus_sentence_scores(name, corpus):
    gold, translations = objects([g for g, _ in corpus]), objects([t for _, t in corpus])
    options: dict[str, Any] = {"bleu": {"effective_order": True}}.get(name, {})
    score = library(name, **options)
    expected = [score([t], streams([g])) for g, t in corpus]
    metric = NAMES[f"{name}_segment_mean"][1](f"{name}_segment_mean")
    assert isinstance(metric, MeanMetric)
    values = metric.fit(gold, [translations], None).values(gold, translations)
    np.testing.assert_allclose(values, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("smooth", ["exp", "floor", "add-k", "none"])
def test_totals_of_every_kind_are_scored_at_once_as_they_are_one_by_one(smooth):
    totals = np.array(
        [
            [9, 10, 6, 5, 4, 3, 9, 8, 7, 6],  # every order matches
            [9, 10, 6, 5, 4, 0, 9, 8, 7, 6],  # one does not
            [9, 10, 6, 0, 0, 0, 9, 8, 7, 6],  # only words match
            [3, 10, 2, 1, 0, 0, 3, 2, 1, 0],  # there are no 4-grams
            [9, 10, 0, 0, 0, 0, 9, 8, 7, 6],  # nothing matches
            [0, 10, 0, 0, 0, 0, 0, 0, 0, 0],  # nothing was translated
        ],
        dtype=np.float64,
    )
    totals.setflags(write=False)
    metric = Bleu(smooth=smooth)
    one_by_one = [float(metric.score(row)) for row in totals]
    expected = [
        sacrebleu.BLEU.compute_bleu(
            row[2:6].tolist(), row[6:].tolist(), int(row[0]), int(row[1]), smooth_method=smooth
        ).score
        for row in totals
    ]
    np.testing.assert_allclose(one_by_one, expected, rtol=0, atol=1e-9)
    np.testing.assert_array_equal(metric.score(totals), one_by_one)
    np.testing.assert_array_equal(
        metric.score(np.stack([totals, totals[::-1]])), [one_by_one, one_by_one[::-1]]
    )
    assert metric.score(totals[:0]).shape == (0,)


def test_a_count_of_0_has_no_slope():
    """Derivatives take steps of 1e-6 from the totals; the jump from 0 to smoothed must not show in them."""
    totals = np.array([9, 10, 6, 5, 4, 0, 9, 8, 7, 6], dtype=np.float64)
    step = np.zeros(10)
    step[5] = 1e-6
    for smooth in ("exp", "floor", "none"):
        scores = Bleu(smooth=smooth).score(np.stack([totals - step, totals, totals + step]))
        assert scores[0] == scores[1] == scores[2]
