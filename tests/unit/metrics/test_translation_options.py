"""Metrics of translations: references, options, names, and what is refused."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
import sacrebleu
from tests.unit.metrics.corpora import objects, streams

import bestby
from bestby._core.errors import InvalidInputError
from bestby.metrics.translation import PATTERNS, Bleu, Chrf, SegmentMean, Ter


def test_unknown_options_are_refused():
    with pytest.raises(InvalidInputError, match="smooth"):
        Bleu(smooth="laplace")  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="no tokeniser 'moses'") as caught:
        PATTERNS["bleu"][1]("bleu@moses", "moses").fit(objects(["a"]), [], None)
    assert "13a" in str(caught.value.hint)


def test_a_tokeniser_without_its_library_is_an_error_that_names_it(monkeypatch):
    def broken(**_: Any) -> Any:
        raise RuntimeError("Japanese tokenization requires extra dependencies")

    broken.TOKENIZERS = ("ja-mecab",)  # type: ignore[attr-defined]
    monkeypatch.setattr("sacrebleu.metrics.BLEU", broken)
    with pytest.raises(InvalidInputError, match="cannot load its tokeniser 'ja-mecab': Japanese"):
        Bleu("bleu@ja-mecab", "ja-mecab").fit(objects(["a"]), [], None)


@pytest.mark.parametrize(
    ("metric", "totals", "told"),
    [
        (Bleu(), [3, 3, 3, 2, 1, 0, 3, 2, 1, 0], "no sequence of 4 tokens"),
        (Bleu(), [0, 3, 0, 0, 0, 0, 0, 0, 0, 0], "no sequence of 1 tokens"),
        (Bleu(), [4, 4, 4, 3, 2, 0, 4, 3, 2, 1], None),
        (Bleu(smooth="add-k"), [3, 3, 3, 2, 1, 0, 3, 2, 1, 0], None),
        (Chrf(), [0, 5, 0] * 6, "are empty"),
        (Chrf(), [3, 5, 2, *[0] * 15], None),
        (Ter(), [2, 0], "ter counts as 100"),
        (Ter(), [0, 0], "ter counts as 0"),
        (Ter(), [2, 3], None),
    ],
)
def test_what_was_0_over_0_is_told(metric, totals, told):
    text = metric.undefined(np.array(totals, dtype=np.float64))
    assert (text is None) if told is None else (told in text)


def test_metrics_of_equal_options_are_equal_fitted_or_not():
    fitted = Chrf().fit(objects(["a"]), [], None)
    assert fitted == Chrf()
    assert dataclasses.replace(fitted, prepared=None) != Chrf(beta=3)


SCORERS = {
    "bleu": (Bleu(), sacrebleu.BLEU()),
    "bleu, lowercase, intl, add-k": (
        Bleu(tokenize="intl", lowercase=True, smooth="add-k"),
        sacrebleu.BLEU(tokenize="intl", lowercase=True, smooth_method="add-k"),
    ),
    "bleu, floor": (Bleu(smooth="floor"), sacrebleu.BLEU(smooth_method="floor")),
    "chrf": (Chrf(), sacrebleu.CHRF()),
    "chrf++": (
        Chrf("chrf++", 2, lowercase=True, whitespace=True),
        sacrebleu.CHRF(word_order=2, lowercase=True, whitespace=True),
    ),
    "ter": (Ter(), sacrebleu.TER()),
    "ter, with options": (
        Ter(normalized=True, no_punct=True, asian_support=True, case_sensitive=True),
        sacrebleu.TER(normalized=True, no_punct=True, asian_support=True, case_sensitive=True),
    ),
    "bleu of segments": (SegmentMean("bleu_segment_mean", Bleu()), sacrebleu.BLEU(effective_order=True)),
    "chrf of segments": (SegmentMean("chrf_segment_mean", Chrf()), sacrebleu.CHRF()),
}


@pytest.mark.parametrize("name", SCORERS)
@pytest.mark.parametrize(
    "gold",
    [["the cat", "a mat"], [["the cat", "a cat"], ["a mat", "the mat"]], [["the cat", "a cat"], ["a mat"]]],
)
def test_signatures_are_those_of_sacrebleu(name: str, gold: list[Any]) -> None:
    metric, scorer = SCORERS[name]
    scorer.corpus_score(["the cat", "the mat"], streams(gold))
    assert metric.signature(objects(gold)) == str(scorer.get_signature())


def test_the_signature_is_in_the_report_of_a_comparison() -> None:
    gold = ["the cat sat on the mat", "a dog ran in the park today", "it rains in the north"]
    systems = {"a": gold, "b": ["the cat sat on a mat", "a dog ran in a park today", "it rains in north"]}
    result = bestby.compare(systems, gold, metric=["bleu", "chrf", "accuracy"], n_resamples=50)
    told = {note.about: note.message for note in result.notes if note.code == "metric_signature"}
    assert told == {
        ("bleu",): "signature of sacrebleu: nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:"
        f"{sacrebleu.__version__}",
        ("chrf",): "signature of sacrebleu: nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:"
        f"{sacrebleu.__version__}",
    }
    assert "|smooth:exp|" in str(result)
    assert "|smooth:exp|" in result.to_json()
    scores = bestby.evaluate(systems, gold, metric="bleu")
    assert [note.code for note in scores.notes if note.about == ("bleu",)] == ["metric_signature"]
