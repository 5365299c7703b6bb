"""Metrics of translations: BLEU, chrF, chrF++ and TER as sacrebleu defines them, scored from sums.

sacrebleu splits the texts for BLEU and counts the edits for TER; totals of counts per segment are scored here
as sacrebleu scores them, for any number of resamples at once. Scores are on its scale, from 0 to 100.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from typing import Any, Self

import numpy as np

from bestby._core.typing import Array, BoolArray, FloatArray, IntArray
from bestby.metrics import _ngrams
from bestby.metrics._references import NOTHING, Counted, divided
from bestby.metrics._texts import TextMetric
from bestby.metrics.base import MeanMetric, Names, Patterns
from bestby.metrics.bleu import Bleu


@dataclass(frozen=True, eq=False)
class _CountedReferences:
    """One reference of each segment, counted: its n-grams of characters and of words.

    `alphabet` has the code points of its characters, ascending. `present`, of shape (n,), says which segments
    have this reference.
    """

    alphabet: IntArray
    vocabulary: dict[str, int]
    characters: _ngrams.NGrams
    words: _ngrams.NGrams
    present: BoolArray

    def statistics(self, characters: _ngrams.Tokens, words: _ngrams.Tokens, segments: IntArray) -> FloatArray:
        """Return, per order, the n-grams of a text, those of the reference, and those of both."""
        place = np.searchsorted(self.alphabet, characters.numbers)
        same = np.append(self.alphabet, -1)[place] == characters.numbers
        characters = _ngrams.Tokens(np.where(same, place, -1), characters.sizes)
        columns: list[Array] = []
        for tokens, ngrams in ((characters, self.characters), (words, self.words)):
            matches = ngrams.matches(tokens, segments)
            for n in range(len(ngrams.orders)):
                due = ngrams.totals[n][segments]
                # As in sacrebleu, n-grams do not count if the reference has none of their order.
                columns += [np.where(due > 0, np.maximum(tokens.sizes - n, 0), 0), due, matches[:, n]]
        return np.column_stack(columns)


@dataclass(frozen=True, repr=False)
class Chrf(Counted):
    """chrF: the F-score of character n-grams, precision and recall averaged over the orders.

    The statistics are, per order, the n-grams of the translation, of the reference, and the matching ones; of
    several references the one with the greatest score counts [1]_. With words of orders 1 and 2 beside the
    characters it is chrF++ [2]_. Orders that totals have no n-grams of are left out. Equal to
    ``sacrebleu.corpus_chrf`` to 1e-9.

    An item is a text; its gold is a text, or a list of texts.

    Parameters
    ----------
    name : str
        The name of the metric.
    word_order : int
        The greatest order of word n-grams: 0 for chrF, 2 for chrF++.
    char_order : int
        The greatest order of character n-grams.
    beta : int
        How many times as much recall counts as precision.
    lowercase : bool
        Whether case is to be ignored.
    whitespace : bool
        Whether white space counts as characters.

    References
    ----------
    .. [1] Popović (2015), chrF: character n-gram F-score for automatic MT evaluation, WMT.
    .. [2] Popović (2017), chrF++: words helping character n-grams, WMT.

    Examples
    --------
    >>> metric = Chrf()
    >>> rows = metric.statistics(["the cat sat on the mat"], ["the cat sat on a mat"])
    >>> float(metric.score(rows.sum(axis=0)).round(4))
    65.9797
    """

    name: str = "chrf"
    word_order: int = 0
    char_order: int = 6
    beta: int = 2
    lowercase: bool = False
    whitespace: bool = False
    seconds = 4e-5

    def _scorer(self, library: Any) -> Any:
        return library.CHRF(
            char_order=self.char_order,
            word_order=self.word_order,
            beta=self.beta,
            lowercase=self.lowercase,
            whitespace=self.whitespace,
        )

    def _prepared_references(self, library: Any, references: Sequence[tuple[str, ...]]) -> Any:  # noqa: ARG002
        return [
            self._counted([several[place] if place < len(several) else None for several in references])
            for place in range(max(map(len, references), default=0))
        ]

    def _counted(self, references: Sequence[str | None]) -> _CountedReferences:
        """Count one reference of each segment that has it."""
        segments = np.flatnonzero([text is not None for text in references])
        texts = [text for text in references if text is not None]
        characters = self._characters(texts)
        alphabet = np.unique(characters.numbers)
        vocabulary: dict[str, int] = {}
        words = self._words(vocabulary, grow=True).tokens(texts)
        place = np.searchsorted(alphabet, characters.numbers)
        characters = _ngrams.Tokens(place, characters.sizes)
        n = len(references)
        return _CountedReferences(
            alphabet,
            vocabulary,
            _ngrams.count_references(characters, segments, n, alphabet.size, self.char_order),
            _ngrams.count_references(words, segments, n, len(vocabulary), self.word_order),
            np.isin(np.arange(n), segments),
        )

    def _characters(self, texts: Sequence[str]) -> _ngrams.Tokens:
        texts = [text.lower() for text in texts] if self.lowercase else texts
        return _ngrams.characters(texts if self.whitespace else ["".join(text.split()) for text in texts])

    def _words(self, vocabulary: dict[str, int], *, grow: bool = False) -> _ngrams.Splitter:
        def pieces(text: str) -> list[str]:
            return text.split() if self.word_order else []

        return _ngrams.Splitter(pieces, _without_punctuation, vocabulary, lowercase=self.lowercase, grow=grow)

    def _rows(
        self, counted: list[_CountedReferences], segments: IntArray, translations: list[str]
    ) -> FloatArray:
        rows = np.zeros((len(translations), 3 * (self.char_order + self.word_order)))
        splitters = [self._words(one.vocabulary) for one in counted]
        for some in _ngrams.ascending(segments):
            texts, places = translations[some], segments[some]
            characters = self._characters(texts)
            best = np.full(places.size, -1.0)
            for one, splitter in zip(counted, splitters, strict=True):
                against = one.statistics(characters, splitter.tokens(texts), places)
                scores = np.where(one.present[places], self._segment_score(against), -1.0)
                better = scores > best  # the first of several references that are equally good
                rows[some][better], best[better] = against[better], scores[better]
        return rows

    def _segment_score(self, rows: FloatArray) -> FloatArray:
        """Return the score by which the best of several references is chosen, rounded as sacrebleu's is."""
        precision, recall, orders = (np.zeros(len(rows)) for _ in range(3))
        for translated, due, matching in (rows[:, at : at + 3].T for at in range(0, rows.shape[1], 3)):
            counted = np.minimum(translated, due) > 0
            precision += divided(matching, translated, counted)
            recall += divided(matching, due, counted)
            orders += counted
        precision, recall = (divided(part, orders, orders > 0) for part in (precision, recall))
        weight = self.beta**2
        below = weight * precision + recall
        return 100.0 * divided((1 + weight) * precision * recall, below, below > 0.0)

    def score(self, totals: FloatArray) -> FloatArray:
        """Return corpus chrF, from 0 to 100."""
        translated, due, matching = totals[..., 0::3], totals[..., 1::3], totals[..., 2::3]
        counted = np.minimum(translated, due) >= NOTHING
        orders = np.maximum(counted.sum(axis=-1), 1)
        precision = divided(matching, translated, counted).sum(axis=-1) / orders
        recall = divided(matching, due, counted).sum(axis=-1) / orders
        weight = self.beta**2
        below = weight * precision + recall
        return divided((100.0 * (1 + weight)) * precision * recall, below, below > 0.0)

    def undefined(self, totals: FloatArray) -> str | None:
        """Return a sentence if no order has n-grams on both sides."""
        if (np.minimum(totals[0::3], totals[1::3]) >= NOTHING).any():
            return None
        return f"{self.name} counts as 0: all translations, or all references, are empty"


def _without_punctuation(word: str) -> list[str]:
    """Return a word and the punctuation mark that it ends with or, if it ends with none, begins with."""
    if len(word) > 1 and word[-1] in string.punctuation:
        return [word[:-1], word[-1]]
    if len(word) > 1 and word[0] in string.punctuation:
        return [word[0], word[1:]]
    return [word]


@dataclass(frozen=True, repr=False)
class Ter(Counted):
    """Translation edit rate: edits and shifts of words, per word of the reference; lower is better.

    The statistics are the least number of edits to one of the references, and their average length [1]_.
    Equal to ``sacrebleu.metrics.TER`` to 1e-9; without any word in the references the score is 100, or 0
    if nothing was translated either, as there.

    An item is a text; its gold is a text, or a list of texts. Finding the shifts takes sacrebleu about 2 ms
    per segment and system.

    Parameters
    ----------
    name : str
        The name of the metric.
    normalized : bool
        Whether punctuation is to be split off.
    no_punct : bool
        Whether punctuation is to be removed.
    asian_support : bool
        Whether Chinese and Japanese characters are to be treated as words.
    case_sensitive : bool
        Whether case matters.

    References
    ----------
    .. [1] Snover, Dorr, Schwartz, Micciulla & Makhoul (2006), A study of translation edit rate with targeted
       human annotation, AMTA, section 2.

    Examples
    --------
    >>> metric = Ter()
    >>> metric.statistics(["a b c d e f g h"], ["d e f g h a b c"])
    array([[1., 8.]])
    """

    name: str = "ter"
    normalized: bool = False
    no_punct: bool = False
    asian_support: bool = False
    case_sensitive: bool = False
    greater_is_better = False
    bounds = (0.0, np.inf)
    libraries = ("regex",)

    def _scorer(self, library: Any) -> Any:
        return library.TER(**self._settings())

    def _settings(self) -> dict[str, bool]:
        return {
            "normalized": self.normalized,
            "no_punct": self.no_punct,
            "asian_support": self.asian_support,
            "case_sensitive": self.case_sensitive,
        }

    def _prepared_references(self, library: Any, references: Sequence[tuple[str, ...]]) -> Any:
        return partial(library.TER, **self._settings()), references

    def _rows(self, counted: Any, segments: IntArray, translations: list[str]) -> FloatArray:
        scorer, references = counted
        # One list per reference; None where a segment has fewer of them than others.
        streams = list(zip_longest(*(references[segment] for segment in segments.tolist())))
        # sacrebleu publishes scores only; its own significance tests get the counts at this door.
        rows = scorer(references=streams)._extract_corpus_statistics(translations, None)
        return np.array(rows, dtype=np.float64)

    def score(self, totals: FloatArray) -> FloatArray:
        """Return 100 times the edits per word of the references."""
        edits, words = totals[..., 0], totals[..., 1]
        some = words >= NOTHING
        if some.all():
            rate: FloatArray = 100.0 * edits / words
            return rate
        return np.where(some, 100.0 * divided(edits, words, some), np.where(edits >= NOTHING, 100.0, 0.0))

    def undefined(self, totals: FloatArray) -> str | None:
        """Return a sentence if the references hold no word."""
        if totals[1] >= NOTHING:
            return None
        counts = 100 if totals[0] >= NOTHING else 0
        return f"{self.name} counts as {counts}: the references hold no word to divide the edits by"


class SegmentMean(TextMetric, MeanMetric):
    """The mean of a metric of translations over the segments, each scored by itself.

    Not the score of the corpus: short segments count as much as long ones. BLEU of a segment is over the
    orders it has n-grams of, as ``sacrebleu.sentence_bleu``.
    """

    packages = ("sacrebleu",)

    def __init__(self, name: str, of: Counted) -> None:
        self.name = name
        self.of = of
        self.greater_is_better = of.greater_is_better
        self.bounds = of.bounds
        self.seconds, self.libraries = of.seconds, of.libraries  # type: ignore[misc]

    def fit(self, gold: Array | None, systems: Sequence[Array], labels: Array | None) -> Self:
        """Return the metric with the references counted; see `Counted.fit`."""
        return type(self)(self.name, self.of.fit(gold, systems, labels))

    def values(self, gold: Any, predictions: Any) -> FloatArray:
        """Return the score of each segment; parameters and errors are those of `Counted.statistics`."""
        return self.of.segment_scores(self.of.statistics(gold, predictions))

    def statistics_of_texts(self, gold: Any, segments: IntArray, texts: Sequence[str]) -> FloatArray:
        """Return the score of each text beside a 1."""
        scores = self.of.segment_scores(self.of.statistics_of_texts(gold, segments, texts))
        return np.column_stack([scores, np.ones(scores.size)])

    def signature(self, gold: Any) -> str:
        """Return sacrebleu's signature; its BLEU of a sentence is over the orders that there are."""
        return self.of.signature(gold).replace("eff:no", "eff:yes")

    def identity(self) -> str | None:
        """Return the settings of the metric that scores the segments."""
        identity = self.of.identity()
        return None if identity is None else f"segment mean of {identity}"


NAMES: Names = {
    "bleu": ("BLEU of the corpus, by sacrebleu with its tokeniser 13a", Bleu),
    "chrf": ("chrF of the corpus: F-score of character n-grams", Chrf),
    "chrf++": ("chrF++ of the corpus: chrF with words and pairs of words", lambda name: Chrf(name, 2)),
    "ter": ("translation edit rate of the corpus", Ter),
    "bleu_segment_mean": ("mean BLEU of the segments", lambda name: SegmentMean(name, Bleu())),
    "chrf_segment_mean": ("mean chrF of the segments", lambda name: SegmentMean(name, Chrf())),
    "chrf++_segment_mean": ("mean chrF++ of the segments", lambda name: SegmentMean(name, Chrf("chrf++", 2))),
    "ter_segment_mean": ("mean translation edit rate of the segments", lambda name: SegmentMean(name, Ter())),
}


PATTERNS: Patterns = {
    "bleu": (
        "BLEU with a tokeniser of sacrebleu: none, intl, char, zh, flores200, …",
        lambda name, tokenize: Bleu(name, tokenize),
    ),
    "bleu_segment_mean": (
        "mean BLEU of the segments with a tokeniser of sacrebleu",
        lambda name, tokenize: SegmentMean(name, Bleu(tokenize=tokenize)),
    ),
}

PART_EXAMPLE = "13a"

SUGGESTIONS = {
    "corpus_bleu": "bleu",
    "sacrebleu": "bleu",
    "sentence_bleu": "bleu_segment_mean",
    "sentence_chrf": "chrf_segment_mean",
}
