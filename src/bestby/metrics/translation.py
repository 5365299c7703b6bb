"""Metrics of translations: BLEU, chrF, chrF++ and TER as sacrebleu defines them, scored from sums.

sacrebleu splits the texts and, but for BLEU, counts per segment; totals of those counts are scored here as
sacrebleu scores them, for any number of resamples at once. Scores are on its scale, from 0 to 100.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Self

import numpy as np

from bestby._core.typing import Array, FloatArray
from bestby.metrics._references import NOTHING, Counted, divided
from bestby.metrics.base import MeanMetric, Names, Patterns
from bestby.metrics.bleu import Bleu


@dataclass(frozen=True, repr=False)
class _BySacrebleu(Counted):
    """A metric whose counts per segment sacrebleu makes."""

    @abstractmethod
    def _scorer(self, library: Any, references: Sequence[Sequence[str | None]]) -> Any:
        """Return the scorer that holds these references."""

    def _prepared_references(self, library: Any, references: Sequence[tuple[str, ...]]) -> Any:
        # One list per reference; None where a segment has fewer of them than others.
        return self._scorer(library, list(zip_longest(*references)))

    def _rows(self, counted: Any, translations: list[str]) -> FloatArray:
        # sacrebleu publishes scores only; its own significance tests get the counts at this door.
        return np.array(counted._extract_corpus_statistics(translations, None), dtype=np.float64)


@dataclass(frozen=True, repr=False)
class Chrf(_BySacrebleu):
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

    def _scorer(self, library: Any, references: Sequence[Sequence[str | None]]) -> Any:
        return library.CHRF(
            char_order=self.char_order,
            word_order=self.word_order,
            beta=self.beta,
            lowercase=self.lowercase,
            whitespace=self.whitespace,
            references=references,
        )

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


@dataclass(frozen=True, repr=False)
class Ter(_BySacrebleu):
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

    def _scorer(self, library: Any, references: Sequence[Sequence[str | None]]) -> Any:
        return library.TER(
            normalized=self.normalized,
            no_punct=self.no_punct,
            asian_support=self.asian_support,
            case_sensitive=self.case_sensitive,
            references=references,
        )

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


class SegmentMean(MeanMetric):
    """The mean of a metric of translations over the segments, each scored by itself.

    Not the score of the corpus: short segments count as much as long ones. BLEU of a segment is over the
    orders it has n-grams of, as ``sacrebleu.sentence_bleu``.
    """

    reads = "objects"
    packages = ("sacrebleu",)

    def __init__(self, name: str, of: Counted) -> None:
        self.name = name
        self.of = of
        self.greater_is_better = of.greater_is_better
        self.bounds = of.bounds

    def fit(self, gold: Array | None, systems: Sequence[Array], labels: Array | None) -> Self:
        """Return the metric with the references counted; see `Counted.fit`."""
        return type(self)(self.name, self.of.fit(gold, systems, labels))

    def values(self, gold: Any, predictions: Any) -> FloatArray:
        """Return the score of each segment; parameters and errors are those of `Counted.statistics`."""
        return self.of.segment_scores(self.of.statistics(gold, predictions))


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
