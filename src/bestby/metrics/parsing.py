"""Metrics of dependency parsing from raw text: F1 of words that gold and system may have cut differently.

Words are aligned by the characters they cover. An item is a `Block`, the sentences between two places where
the gold and all systems end a sentence: nothing crosses such a place, so the counts of the blocks add up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import FloatArray
from bestby.metrics._conllu import sentences
from bestby.metrics._label_counts import fraction, ratio
from bestby.metrics._trees import Block, Sentence, Word, align, blocks
from bestby.metrics.base import BaseMetric, MeanMetric, Metric, Names

__all__ = [
    "CONTENT",
    "NAMES",
    "Aligned",
    "Block",
    "Sentence",
    "SentenceMean",
    "Word",
    "align",
    "blocks",
    "sentences",
]

Part: TypeAlias = Literal["uas", "las", "clas", "upos", "words", "sentences"]

_CONTENT = """
nsubj obj iobj csubj ccomp xcomp obl vocative expl dislocated advcl advmod discourse nmod appos nummod
acl amod conj fixed flat compound list parataxis orphan goeswith reparandum root dep
"""
CONTENT = frozenset(_CONTENT.split())
"""The relations of content words; function words and punctuation have the others."""


@dataclass(frozen=True, repr=False)
class Aligned(Metric):
    """F1 of what gold and system have in common, as the CoNLL 2018 shared task counts it.

    An item is a `Block`. On each block the counts are those of the task's script (Zeman et al. 2018, CoNLL
    2018 shared task, 1-21). On a whole text they can differ from its counts by a few words if words before
    multi-word tokens are cut in many ways: the script may then align words across the end of a block. 0/0
    counts as 0.

    `part` says what must agree for a word to be right. "words": the word is in both. "uas": it has the same
    head besides. "las": the same head and relation, subtypes ignored. "clas": the same, counting only words
    whose relation is one of content words (Nivre & Fang 2017, Universal Dependencies workshop, 86-95).
    "upos": the same part of speech. "sentences": sentences with the same first and last character.
    """

    name: str
    part: Part
    bounds = (0.0, 1.0)
    reads = "objects"

    def statistics(self, gold: Any, predictions: Any) -> FloatArray:
        """Return what the gold has, what the system has, and what is right, per block, shape (n, 3)."""
        rows = np.zeros((len(predictions), 3))
        for place, (ours, theirs) in enumerate(zip(gold, predictions, strict=True)):
            _check_item(self.name, place, ours, theirs)
            rows[place] = _counts(self.part, ours, theirs)
        return rows

    def score(self, totals: FloatArray) -> FloatArray:
        """Return F1, 0 if there is nothing to count."""
        due, predicted, right = np.moveaxis(totals, -1, 0)
        return ratio(*fraction("f1", right, predicted, due))

    def undefined(self, totals: FloatArray) -> str | None:
        """Return a sentence if neither gold nor system has anything to count."""
        if totals[0] + totals[1] > 0.0:
            return None
        what = {"clas": "content words", "sentences": "sentences"}.get(self.part, "words")
        return f"{self.name} is 0/0 (there are no {what}) and counts as 0"


@dataclass(frozen=True, repr=False)
class SentenceMean(MeanMetric):
    """The mean of an F1 of `Aligned` over the blocks, each scored by itself.

    Where the gold and all systems end the same sentences, a block is a sentence. This is not the score of the
    whole text: a short sentence counts as much as a long one. As a mean of one number per item it is what
    Student's t, Wilcoxon's and the sign test need. A block without words counts as 0.

    `part` is "uas" or "las", as in `Aligned`.
    """

    name: str
    part: Literal["uas", "las"]
    bounds = (0.0, 1.0)
    reads = "objects"

    def values(self, gold: Any, predictions: Any) -> FloatArray:
        """Return the F1 of each block, shape (n,)."""
        whole = Aligned(self.name, self.part)
        return whole.score(whole.statistics(gold, predictions))


def _check_item(metric: str, place: int, gold: Any, prediction: Any) -> None:
    for what, item in (("gold", gold), ("predictions", prediction)):
        if not isinstance(item, Block):
            raise InvalidInputError(
                f"{metric} reads blocks of parsed sentences, but item {place} of the {what} is a"
                f" {type(item).__name__}",
                hint="make them with bestby.metrics.parsing.blocks; items are counted from 0",
            )
    if gold.characters != prediction.characters:
        raise InvalidInputError(
            f"{metric} compares parses of the same text, but the characters of item {place} differ:"
            f" {quoted(gold.characters, 30)} in the gold, {quoted(prediction.characters, 30)} in the"
            " predictions",
            hint="cut the whole texts with bestby.metrics.parsing.blocks, gold and all systems in one call",
        )


def _counts(part: Part, gold: Block, system: Block) -> tuple[int, int, int]:
    """Return what the gold has, what the system has, and what is right."""
    if part == "sentences":
        ours, theirs = gold.spans(), system.spans()
        return len(ours), len(theirs), len(ours & theirs)
    words, guessed = gold.words(), system.words()
    pairs = align(words, guessed)
    if part == "words":
        return len(words), len(guessed), len(pairs)
    if part == "upos":
        return len(words), len(guessed), sum(words[g].upos == guessed[s].upos for g, s in pairs)
    in_gold = {s + 1: g + 1 for g, s in pairs} | {0: 0}  # heads count from 1; 0 is the root of either
    attached = [(g, s) for g, s in pairs if in_gold.get(guessed[s].head) == words[g].head]
    if part == "uas":
        return len(words), len(guessed), len(attached)
    relations, guesses = ([word.deprel.partition(":")[0] for word in side] for side in (words, guessed))
    right = [relations[g] for g, s in attached if relations[g] == guesses[s]]
    if part == "las":
        return len(words), len(guessed), len(right)
    ours_n, theirs_n, right_n = (
        sum(name in CONTENT for name in side) for side in (relations, guesses, right)
    )
    return ours_n, theirs_n, right_n


def _builder(part: Part) -> Callable[[str], BaseMetric]:
    return lambda name: Aligned(name, part)


NAMES: Names = {
    "uas": ("unlabelled attachment score: F1 of words with the right head", _builder("uas")),
    "las": ("labelled attachment score: F1 of words with the right head and relation", _builder("las")),
    "clas": ("labelled attachment score of content words", _builder("clas")),
    "uas_sentence": (
        "mean unlabelled attachment score of the sentences",
        lambda name: SentenceMean(name, "uas"),
    ),
    "las_sentence": (
        "mean labelled attachment score of the sentences",
        lambda name: SentenceMean(name, "las"),
    ),
    "upos": ("F1 of words with the right part of speech", _builder("upos")),
    "words": ("F1 of the words that a text was cut into", _builder("words")),
    "sentences": ("F1 of the sentences that a text was cut into", _builder("sentences")),
}
