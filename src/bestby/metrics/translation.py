"""Measures of translations: BLEU, chrF, chrF++ and TER as sacrebleu defines them, scored from sums.

sacrebleu splits the texts and, but for BLEU, counts per segment; totals of those counts are scored here as
sacrebleu scores them, for any number of resamples at once. Scores are on its scale, from 0 to 100.
"""

from __future__ import annotations

import dataclasses
import operator
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, Literal, Self, TypeAlias

import numpy as np

from bestby._core import checks
from bestby._core.errors import InvalidInputError, MissingExtraError
from bestby._core.typing import Array, BoolArray, FloatArray
from bestby.metrics import _items, _ngrams
from bestby.metrics.base import BaseMetric, MeanMetric, Metric

Smooth: TypeAlias = Literal["exp", "floor", "add-k", "none"]

_SMOOTHINGS: tuple[Smooth, ...] = ("exp", "floor", "add-k", "none")
_FLOOR, _ADDED = 0.1, 1.0  # sacrebleu's defaults for "floor" and "add-k"
_NOTHING = 1e-4
"""Counts are whole numbers: below this one is 0, also within a step of a numerical derivative."""


@dataclass(frozen=True, eq=False)
class _Prepared:
    """What was counted in the references, and the gold they come from."""

    gold: Any
    counted: Any

    def holds(self, gold: Any) -> bool:
        """Return whether these are the very same references."""
        return gold is self.gold or (len(gold) == len(self.gold) and all(map(operator.is_, gold, self.gold)))


@dataclass(frozen=True, repr=False)
class Counted(Metric):
    """A measure of translations, from counts per segment.

    An item is a text (`str`), one segment; its gold is a text, or a list or tuple of texts if there are
    several references. Segments may have different numbers of them. `fit` counts the n-grams of the
    references once, for all systems.
    """

    prepared: _Prepared | None = field(default=None, compare=False, kw_only=True)
    name: str = field(init=False)
    bounds = (0.0, 100.0)
    reads = "objects"
    packages = ("sacrebleu",)
    empty = ""

    @abstractmethod
    def _prepared_references(self, library: Any, references: Sequence[tuple[str, ...]]) -> Any:
        """Return what is counted once in the references; `library` is ``sacrebleu.metrics``."""

    @abstractmethod
    def _rows(self, counted: Any, translations: list[str]) -> FloatArray:
        """Return the statistics of translations against references that were counted before."""

    def fit(self, gold: Array | None, systems: Sequence[Array], labels: Array | None) -> Self:  # noqa: ARG002
        """Return the metric with the references counted."""
        return dataclasses.replace(self, prepared=self._prepare(gold))

    def _prepare(self, gold: Any) -> _Prepared:
        references = _items.references(gold, self.name)
        try:
            from sacrebleu import metrics
        except ImportError:
            raise MissingExtraError("sacrebleu", "mt") from None
        return _Prepared(gold, self._prepared_references(metrics, references))

    def statistics(self, gold: Any, predictions: Any) -> FloatArray:
        """Return the counts of each segment.

        `gold` and `predictions` have shape (n,) and the result has shape (n, k).
        """
        translations = _items.texts(predictions, self.name)
        kept = self.prepared
        if kept is None or not kept.holds(gold):
            kept = self._prepare(gold)
        if len(translations) != len(kept.gold):
            raise InvalidInputError(
                f"{self.name} needs one translation per segment, got {len(translations)} translations and the"
                f" references of {len(kept.gold)} segments",
                hint="pass one text per item, in the same order for gold and every system",
            )
        return self._rows(kept.counted, translations)

    def segment_scores(self, rows: FloatArray) -> FloatArray:
        """Return the score of each segment by itself, as sacrebleu's functions for sentences do."""
        return self.score(rows)


@dataclass(frozen=True, repr=False)
class Bleu(Counted):
    """BLEU: the geometric mean of the precisions of 1- to 4-grams, times a penalty for brevity.

    The statistics are ten counts per segment: its length, the length of the closest reference, the matching
    n-grams of orders 1 to 4, all its n-grams of orders 1 to 4 [1]_. Where an order has no match in the
    totals, its precision is smoothed [2]_; without any n-gram of an order the score is 0. Equal to
    ``sacrebleu.corpus_bleu`` [3]_ to 1e-9 for any number of references.

    An item is a text; its gold is a text, or a list of texts.

    Parameters
    ----------
    name : str
        The name of the metric.
    tokenize : str
        A tokeniser of sacrebleu: "13a", "intl", "char", "zh", "ja-mecab", "spm", "flores200", …; "none" for
        texts that are tokenised. Also behind the name, as in ``bleu@intl``.
    lowercase : bool
        Whether case is to be ignored.
    smooth : {"exp", "floor", "add-k", "none"}
        The smoothing, with sacrebleu's values: halves again and again, 0.1, or 1.

    Raises
    ------
    InvalidInputError
        If there is no such smoothing; by `fit` and `statistics`, if there is no such tokeniser.

    References
    ----------
    .. [1] Papineni, Roukos, Ward & Zhu (2002), BLEU: a method for automatic evaluation of machine
       translation, ACL, section 2.3.
    .. [2] Chen & Cherry (2014), A systematic comparison of smoothing techniques for sentence-level BLEU, WMT:
       methods 3 ("exp"), 1 ("floor") and 2 ("add-k").
    .. [3] Post (2018), A call for clarity in reporting BLEU scores, WMT.

    Examples
    --------
    >>> metric = Bleu()
    >>> rows = metric.statistics(["the cat sat on the mat"], ["the cat sat on a mat"])
    >>> rows
    array([[6., 6., 5., 3., 2., 1., 6., 5., 4., 3.]])
    >>> float(metric.score(rows.sum(axis=0)).round(4))
    53.7285
    """

    name: str = "bleu"
    tokenize: str = "13a"
    lowercase: bool = False
    smooth: Smooth = "exp"

    def __post_init__(self) -> None:
        checks.choice(self.smooth, _SMOOTHINGS, "smooth")

    def _prepared_references(self, library: Any, references: Sequence[tuple[str, ...]]) -> Any:
        if self.tokenize not in library.BLEU.TOKENIZERS:
            raise InvalidInputError(
                f"{self.name}: sacrebleu has no tokeniser {self.tokenize!r}",
                hint=f"choose from {', '.join(library.BLEU.TOKENIZERS)}",
            )
        try:
            tokenizer = library.BLEU(tokenize=self.tokenize).tokenizer
        except (ImportError, RuntimeError) as error:  # the tokeniser needs a library of its own
            raise InvalidInputError(
                f"{self.name}: sacrebleu cannot load its tokeniser {self.tokenize!r}:"
                f" {' '.join(str(error).split())}",
            ) from error
        tokens = [[self._tokens(tokenizer, text) for text in several] for several in references]
        return tokenizer, _ngrams.count_references(tokens, 4)

    def _tokens(self, tokenizer: Callable[[str], str], text: str) -> list[str]:
        return tokenizer((text.lower() if self.lowercase else text).rstrip()).split()

    def _rows(self, counted: Any, translations: list[str]) -> FloatArray:
        tokenizer, references = counted
        tokens = [self._tokens(tokenizer, text) for text in translations]
        sizes = np.array([len(text) for text in tokens])
        # sacrebleu counts the same with a dictionary per segment, in six times the time.
        every = np.maximum(sizes[:, None] - np.arange(4), 0)
        return np.column_stack([sizes, references.closest(sizes), references.matches(tokens), every])

    def score(self, totals: FloatArray) -> FloatArray:
        """Return corpus BLEU, from 0 to 100."""
        matches = totals[..., 2:6]
        if self.smooth == "add-k":
            return self._careful(totals)
        if matches.size and matches.min() >= _NOTHING:
            return _plain_bleu(totals)
        rare = (matches < _NOTHING).any(axis=-1)
        out = np.empty(rare.shape)
        out[rare] = self._careful(totals[rare])
        out[~rare] = _plain_bleu(totals[~rare])
        return out

    def segment_scores(self, rows: FloatArray) -> FloatArray:
        """Return BLEU of each segment, over the orders it has n-grams of, as ``sacrebleu.sentence_bleu``."""
        return self._careful(rows, shorten=True)

    def _careful(self, totals: FloatArray, *, shorten: bool = False) -> FloatArray:
        """Return BLEU of totals that may have orders without matches, or without n-grams."""
        matches, all_ = totals[..., 2:6], totals[..., 6:10]
        some = matches.max(axis=-1, initial=0.0) >= _NOTHING
        if self.smooth == "add-k":
            added = np.array([0.0, _ADDED, _ADDED, _ADDED])
            matches, all_ = matches + added, all_ + added
        present = all_ >= _NOTHING
        precision = self._smoothed(matches, present) / np.where(present, all_, 1.0)
        used = present if shorten else np.ones_like(present)
        orders = np.maximum(used.sum(axis=-1), 1)
        mean = np.where(used, precision, 1.0).prod(axis=-1) ** (1.0 / orders)
        return np.where(some, 100.0 * mean * _brevity(totals), 0.0)

    def _smoothed(self, matches: FloatArray, present: BoolArray) -> FloatArray:
        """Return matches with something in place of none; none at all where there are no n-grams."""
        none = present & (matches < _NOTHING)
        if self.smooth == "exp":
            stand_in: Any = 0.5 ** none.cumsum(axis=-1)  # a half, then a quarter, for each order without
        else:
            stand_in = _FLOOR if self.smooth == "floor" else 0.0
        return np.where(none, stand_in, np.where(present, matches, 0.0))

    def undefined(self, totals: FloatArray) -> str | None:
        """Return a sentence if there are no n-grams of some order."""
        missing = np.flatnonzero(totals[6:10] < _NOTHING)
        if self.smooth == "add-k" or missing.size == 0:
            return None
        return (
            f"{self.name} counts as 0: the translations hold no sequence of {missing[0] + 1} tokens, so that"
            " its precision is 0/0"
        )


@dataclass(frozen=True, repr=False)
class _BySacrebleu(Counted):
    """A measure whose counts per segment sacrebleu makes."""

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
        counted = np.minimum(translated, due) >= _NOTHING
        orders = np.maximum(counted.sum(axis=-1), 1)
        precision = _divided(matching, translated, counted).sum(axis=-1) / orders
        recall = _divided(matching, due, counted).sum(axis=-1) / orders
        weight = self.beta**2
        below = weight * precision + recall
        return _divided((100.0 * (1 + weight)) * precision * recall, below, below > 0.0)

    def undefined(self, totals: FloatArray) -> str | None:
        """Return a sentence if no order has n-grams on both sides."""
        if (np.minimum(totals[0::3], totals[1::3]) >= _NOTHING).any():
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
        some = words >= _NOTHING
        if some.all():
            rate: FloatArray = 100.0 * edits / words
            return rate
        return np.where(some, 100.0 * _divided(edits, words, some), np.where(edits >= _NOTHING, 100.0, 0.0))

    def undefined(self, totals: FloatArray) -> str | None:
        """Return a sentence if the references hold no word."""
        if totals[1] >= _NOTHING:
            return None
        counts = 100 if totals[0] >= _NOTHING else 0
        return f"{self.name} counts as {counts}: the references hold no word to divide the edits by"


class SegmentMean(MeanMetric):
    """The mean of a measure of translations over the segments, each scored by itself.

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


def _plain_bleu(totals: FloatArray) -> FloatArray:
    """Return BLEU of totals with matches of every order: few passes, few temporaries."""
    # Column by column: NumPy reduces a last axis of four more slowly than it multiplies four columns.
    mean: FloatArray = totals[..., 2] * totals[..., 3]
    mean *= totals[..., 4]
    mean *= totals[..., 5]
    below = totals[..., 6] * totals[..., 7]
    below *= totals[..., 8]
    below *= totals[..., 9]
    mean = np.sqrt(np.sqrt(mean / below))
    mean *= 100.0 * np.exp(np.minimum(1.0 - totals[..., 1] / totals[..., 0], 0.0))
    return mean


def _brevity(totals: FloatArray) -> FloatArray:
    length, reference = totals[..., 0], totals[..., 1]
    ratio = np.divide(reference, length, out=np.full(length.shape, np.inf), where=length >= _NOTHING)
    penalty: FloatArray = np.exp(np.minimum(1.0 - ratio, 0.0))
    return penalty


def _divided(above: FloatArray, below: FloatArray, where: BoolArray) -> FloatArray:
    """Return the quotient, 0 elsewhere."""
    quotient: FloatArray = np.divide(above, below, out=np.zeros(np.shape(above)), where=where)
    return quotient


NAMES: dict[str, tuple[str, Callable[[str], BaseMetric]]] = {
    "bleu": ("BLEU of the corpus, by sacrebleu with its tokeniser 13a", Bleu),
    "chrf": ("chrF of the corpus: F-score of character n-grams", Chrf),
    "chrf++": ("chrF++ of the corpus: chrF with words and pairs of words", lambda name: Chrf(name, 2)),
    "ter": ("translation edit rate of the corpus", Ter),
    "bleu_segment_mean": ("mean BLEU of the segments", lambda name: SegmentMean(name, Bleu())),
    "chrf_segment_mean": ("mean chrF of the segments", lambda name: SegmentMean(name, Chrf())),
    "chrf++_segment_mean": ("mean chrF++ of the segments", lambda name: SegmentMean(name, Chrf("chrf++", 2))),
    "ter_segment_mean": ("mean translation edit rate of the segments", lambda name: SegmentMean(name, Ter())),
}

PATTERNS: dict[str, tuple[str, Callable[[str, str], BaseMetric]]] = {
    "bleu": (
        "BLEU with a tokeniser of sacrebleu: none, intl, char, zh, flores200, …",
        lambda name, tokenize: Bleu(name, tokenize),
    ),
    "bleu_segment_mean": (
        "mean BLEU of the segments with a tokeniser of sacrebleu",
        lambda name, tokenize: SegmentMean(name, Bleu(tokenize=tokenize)),
    ),
}
