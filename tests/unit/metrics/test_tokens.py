"""References of which a tokeniser leaves nothing are refused, or counted in a note."""

from __future__ import annotations

from typing import Any

import pytest

import bestby as bb
from bestby.metrics.summarisation import Meteor, MeteorSettings

HINDI = ["यह एक है", "मैं घर जा"] * 6
CHINESE = ["我是人", "他很好"] * 6
THAI = ["ฉันรักคุณ", "เขาไปบ้าน"] * 6
ROUGE = ["rouge1", "rouge2", "rougeL", "rougeLsum"]


def _notes(texts: Any, gold: Any, metric: str) -> dict[str, str]:
    result = bb.evaluate({"a": texts}, gold, metric=metric, n_resamples=99)
    return {note.code: note.message for note in result.notes}


@pytest.mark.parametrize("texts", [HINDI, CHINESE, THAI, ["?!", "…"] * 6], ids=["hi", "zh", "th", "signs"])
@pytest.mark.parametrize("metric", ROUGE)
def test_rouge_refuses_references_without_a_token(metric: str, texts: list[str]) -> None:
    pytest.importorskip("rouge_score")
    with pytest.raises(bb.errors.DesignError) as caught:
        bb.evaluate({"a": texts}, texts, metric=metric)
    assert "the tokeniser of rouge-score keeps a to z and 0 to 9 only" in caught.value.message
    assert 'metric="chrf"' in str(caught.value.hint)
    pytest.importorskip("sacrebleu")
    assert bb.evaluate({"a": texts}, texts, metric="chrf", n_resamples=99).systems[0].score == 100.0


def test_rouge_counts_the_references_that_it_drops() -> None:
    pytest.importorskip("rouge_score")
    latin = ["the cat", "a dog"] * 6
    notes = _notes(latin, [*HINDI[:3], *latin[3:]], "rouge1")
    assert notes["no_token"].startswith("3 of 12 items have no reference with a token for rouge1")
    dated = [f"{text} 2024" for text in HINDI]
    assert (
        "drops most letters of 12 texts of a, 12 references"
        in _notes(dated, dated, "rouge1")["letters_dropped"]
    )
    assert "drops most letters of 12 texts of a:" in _notes(HINDI, latin, "rougeL")["letters_dropped"]
    assert (
        not {"no_token", "letters_dropped"}
        & _notes(["le café d'été"] * 12, ["un café"] * 12, "rouge1").keys()
    )


def test_rouge_of_more_words_than_there_are_names_rouge1() -> None:
    pytest.importorskip("rouge_score")
    words = ["cat", "dog"] * 6
    with pytest.raises(bb.errors.DesignError, match="has 2 words in a row for rouge2") as caught:
        bb.evaluate({"a": words}, words, metric="rouge2")
    assert 'metric="rouge1"' in str(caught.value.hint)
    assert bb.evaluate({"a": words}, words, metric="rouge1").systems[0].score == 1.0
    assert _notes(words, ["the cat", *words[1:]], "rouge2")["no_token"].startswith("11 of 12 items")


@pytest.mark.parametrize("metric", ["em", "qa_f1"])
def test_answers_of_which_normalisation_leaves_nothing(metric: str) -> None:
    gold, answers = ["+", "-", "the"] * 4, ["-", "+", "a"] * 4
    with pytest.raises(bb.errors.DesignError, match="leaves nothing of any gold, such as '\\+'") as caught:
        bb.evaluate({"a": answers}, gold, metric=metric)
    assert 'metric="em_strict"' in str(caught.value.hint)
    assert bb.evaluate({"a": answers}, gold, metric="em_strict").systems[0].score == 0.0
    assert (
        "leaves nothing of the gold of 3 of 12 items"
        in _notes(answers, [*gold[:3], *["x"] * 9], metric)["no_token"]
    )
    unanswerable: list[Any] = [[], ""] * 6  # what SQuAD means by no answer is nothing to warn of
    assert "no_token" not in _notes(answers, unanswerable, metric)


@pytest.mark.parametrize(
    "metric", ["bleu", "chrf", "ter", "bleu_segment_mean", "rouge1", "wer", "cer", "mer"]
)
def test_empty_references_are_refused_if_all_are(metric: str) -> None:
    for library in ("sacrebleu", "rouge_score", "jiwer"):
        pytest.importorskip(library)
    texts = ["a b c d e"] * 12
    with pytest.raises(bb.errors.DesignError, match="every reference is empty"):
        bb.evaluate({"a": texts}, ["", "  "] * 6, metric=metric)
    assert _notes(texts, ["", *texts[1:]], metric)["no_token"].startswith("1 of 12 items")


def test_a_tokeniser_of_the_user() -> None:
    pytest.importorskip("nltk")

    class NoSynonyms:
        def synsets(self, _: str) -> list[Any]:
            return []

    settings = MeteorSettings(tokenise=lambda text: text.split() * text.isascii(), wordnet=NoSynonyms())
    with pytest.raises(bb.errors.DesignError, match="tokenise finds none"):
        bb.evaluate({"a": HINDI}, HINDI, metric=Meteor(settings=settings))
