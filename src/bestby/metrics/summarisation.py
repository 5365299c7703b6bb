"""Overlap with references: ROUGE, and METEOR as a mean of segments and from summed statistics."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from bestby._core.errors import InvalidInputError, MissingExtraError
from bestby._core.typing import FloatArray
from bestby.data.evaluation import Evaluation
from bestby.data.roles import listed
from bestby.metrics.base import MeanMetric, Names
from bestby.metrics.texts import TextMetric, item_references, item_texts, token_notes
from bestby.results.base import Note

_EXTRA = "summaries"
_ROUGE = (*(f"rouge{n}" for n in range(1, 10)), "rougeL", "rougeLsum")

_KEEPS = "the tokeniser of rouge-score keeps a to z and 0 to 9 only"
_INSTEAD = 'metric="chrf" compares characters of every script, metric="qa_f1" words between white space'

Tokenise: TypeAlias = Callable[[str], Sequence[str]]


@dataclass(frozen=True, repr=False)
class Rouge(TextMetric, MeanMetric):
    """The mean over items of ROUGE's F-measure, by rouge-score; the best of several references.

    An item is a text; its gold is a text or a list of texts. For rougeLsum the sentences of a text are its
    lines. Case does not matter, and characters other than a-z and 0-9 only part words: texts in other scripts
    have no words, and score 0.

    Parameters
    ----------
    name : {"rouge1", ..., "rouge9", "rougeL", "rougeLsum"}
        N-grams by their length, longest common subsequences of the texts, or of their lines.
    stem : bool
        Whether English words are reduced to their stems first, by Porter's algorithm.

    References
    ----------
    .. [1] Lin (2004), ROUGE: a package for automatic evaluation of summaries, Text Summarization Branches
       Out, 74-81, sections 2 and 3.
    """

    name: str = "rouge1"
    stem: bool = False
    libraries = ("nltk",)
    packages = ("rouge-score",)
    empty = ""
    bounds = (0.0, 1.0)

    def __post_init__(self) -> None:
        if self.name not in _ROUGE:
            raise InvalidInputError(f"there is no {self.name!r}", hint=f"it is one of {', '.join(_ROUGE)}")

    def reading_notes(self, evaluation: Evaluation) -> list[Note]:
        """Return notes on texts that the tokeniser drops; refuse references if it leaves nothing of all."""
        notes = token_notes(evaluation, self.name, _words, why=_KEEPS, instead=_INSTEAD)
        n = int(self.name[5:]) if self.name[5:].isdigit() else 1
        if n > 1 and not notes:
            notes = token_notes(
                evaluation,
                self.name,
                lambda text: len(_words(text)) >= n,
                what=f"{n} words in a row",
                instead='metric="rouge1" takes single words',
            )
        texts: dict[str, Iterable[Any]] = {f"texts of {name}": x for name, x in evaluation.systems.items()}
        if evaluation.gold is not None:
            several = item_references(evaluation.gold, self.name, empty=True)
            texts["references"] = [text for one in several for text in one if _words(text)]
        counts = {what: sum(map(_mostly_dropped, values)) for what, values in texts.items()}
        shown = [f"{count} {what}" for what, count in counts.items() if count]
        if shown:
            message = f"{self.name} drops most letters of {listed(shown, 5)}: {_KEEPS}; {_INSTEAD}"
            notes.append(Note("letters_dropped", message, (self.name,)))
        return notes

    def values(self, gold: Any, predictions: Any) -> FloatArray:
        """Return the F-measure of each item."""
        references, texts = (
            item_references(gold, self.name),
            item_texts(predictions, self.name),
        )
        try:
            from rouge_score.rouge_scorer import RougeScorer
        except ImportError:
            raise MissingExtraError("rouge-score", _EXTRA) from None
        scorer = RougeScorer([self.name], use_stemmer=self.stem)
        pairs = zip(references, texts, strict=True)
        return np.array([scorer.score_multi(several, text)[self.name].fmeasure for several, text in pairs])


def _words(text: str) -> list[str]:
    """Return the words of a text, as rouge-score cuts it."""
    return re.findall("[a-z0-9]+", text.lower())


def _mostly_dropped(text: object) -> bool:
    """Return whether a text has more letters that no word of it has than others."""
    return isinstance(text, str) and 2 * len(re.findall("[a-z]", text.lower())) < sum(map(str.isalpha, text))


@dataclass(frozen=True)
class MeteorSettings:
    """How METEOR finds words, matches and weighs them.

    Parameters
    ----------
    tokenise : callable, optional
        From a text to its words; the default is nltk's `NLTKWordTokenizer`, which needs no data. Use
        ``str.split`` for texts whose tokens are already parted by spaces. Upper and lower case match.
    wordnet : object with ``synsets(word)``, optional
        Where synonyms come from; the default is the WordNet of nltk, which must have been downloaded.
    alpha, beta, gamma : float
        The weight of precision, and the exponent and the weight of the penalty; the defaults are those
        of [1]_ and of nltk.

    References
    ----------
    .. [1] Banerjee, Lavie (2005), METEOR, ACL workshop on evaluation measures, 65-72, section 2.2.
    """

    tokenise: Tokenise | None = None
    wordnet: Any = None
    alpha: float = 0.9
    beta: float = 3.0
    gamma: float = 0.5


def meteor_counts(
    gold: Iterable[str | Sequence[str]],
    predictions: Iterable[str],
    settings: MeteorSettings | None = None,
    metric: str = "meteor",
) -> FloatArray:
    """Count what METEOR is made of, by nltk's alignment of words: exact, by stem, by synonym.

    Of several references, the one with the greatest score of the segment counts. nltk looks up the synonyms
    of stems, and so finds those only whose stem is a word of WordNet: of "glad", not of "happy". The columns
    of the result, of shape (n, 4), are matched words, chunks (runs of matched words that are adjacent and in
    the same order in both texts), words of the prediction, words of the reference.

    References
    ----------
    .. [1] Banerjee, Lavie (2005), METEOR, ACL workshop on evaluation measures, 65-72, section 2.2.
    """
    chosen = MeteorSettings() if settings is None else settings
    references, texts = (
        item_references(gold, metric),
        item_texts(predictions, metric),
    )
    try:
        from nltk.tokenize import NLTKWordTokenizer
        from nltk.translate.meteor_score import align_words
    except ImportError:
        raise MissingExtraError("nltk", _EXTRA) from None
    words = NLTKWordTokenizer().tokenize if chosen.tokenise is None else chosen.tokenise
    wordnet = _wordnet(metric) if chosen.wordnet is None else chosen.wordnet
    counts = np.zeros((len(texts), 4))
    for row, several, text in zip(counts, references, texts, strict=True):
        predicted = list(words(text))
        candidates = np.zeros((len(several), 4))
        for place, reference in enumerate(several):
            expected = list(words(reference))
            matches, _, _ = align_words(predicted, expected, wordnet=wordnet)
            candidates[place] = len(matches), _chunks(matches), len(predicted), len(expected)
        row[:] = candidates[np.argmax(_meteor(candidates, chosen))]
    return counts


def _chunks(matches: Sequence[tuple[int, int]]) -> int:
    """Count the runs of matches, sorted by the first place, in which both places go up by one."""
    return len(matches) - sum((i + 1, j + 1) == following for (i, j), following in pairwise(matches))


def _wordnet(metric: str) -> Any:
    from nltk.corpus import wordnet

    try:
        wordnet.ensure_loaded()
    except (LookupError, OSError):  # no folder of that name; a folder that lacks some of its files
        raise InvalidInputError(
            f"{metric} looks synonyms up in WordNet, which nltk does not find",
            hint="python -m nltk.downloader wordnet, or set NLTK_DATA to the folder with corpora/wordnet",
        ) from None
    return wordnet


def _meteor(counts: FloatArray, settings: MeteorSettings) -> FloatArray:
    """Return the harmonic mean of precision and recall less the penalty; 0 where nothing matches."""
    matches, chunks, predicted, expected = np.moveaxis(counts, -1, 0)
    some = matches > 0
    # With P = m / p and R = m / r, P R / (alpha P + (1 - alpha) R) = m / (alpha r + (1 - alpha) p).
    length = settings.alpha * expected + (1.0 - settings.alpha) * predicted
    fragmented = chunks / np.where(some, matches, 1.0)
    score = matches / np.where(some, length, 1.0) * (1.0 - settings.gamma * fragmented**settings.beta)
    return np.where(some, score, 0.0)


def _meteor_notes(metric: Meteor | MeteorCorpus, evaluation: Evaluation) -> list[Note]:
    words = metric.settings.tokenise or str.split  # nltk's tokeniser leaves something of every other text
    why = "" if words is str.split else "settings.tokenise finds none"
    return token_notes(
        evaluation, metric.name, words, why=why, instead="" if not why else 'metric="chrf" takes characters'
    )


def _identity(settings: str | None, metric: Meteor | MeteorCorpus) -> str | None:
    other_sources = metric.settings.tokenise is not None or metric.settings.wordnet is not None
    if other_sources or settings is None:
        return None
    try:
        return f"{settings} WordNet {_wordnet(metric.name).get_version()}"
    except ImportError:
        raise MissingExtraError("nltk", _EXTRA) from None


@dataclass(frozen=True, repr=False)
class Meteor(TextMetric, MeanMetric):
    """The mean over items of METEOR, by nltk; the best of several references.

    An item is a text; its gold is a text or a list of texts. See `MeteorCorpus` for METEOR from sums.

    Parameters
    ----------
    name : str
        The name of the metric.
    settings : MeteorSettings
        How words are candidates, matched and weighed.

    References
    ----------
    .. [1] Banerjee, Lavie (2005), METEOR, ACL workshop on evaluation measures, 65-72, section 2.2.
    """

    name: str = "meteor"
    settings: MeteorSettings = MeteorSettings()
    packages = ("nltk",)
    empty = ""
    bounds = (0.0, 1.0)

    def reading_notes(self, evaluation: Evaluation) -> list[Note]:
        """Return a note on references of which the tokeniser leaves nothing; refuse them if all are."""
        return _meteor_notes(self, evaluation)

    def values(self, gold: Any, predictions: Any) -> FloatArray:
        """Return METEOR of each item."""
        return _meteor(meteor_counts(gold, predictions, self.settings, self.name), self.settings)

    def identity(self) -> str | None:
        """Return the settings and the version of WordNet; None if words or synonyms come from elsewhere."""
        return _identity(super().identity(), self)


@dataclass(frozen=True, repr=False)
class MeteorCorpus(TextMetric):
    """METEOR from aggregate precision, recall and penalty: matches, chunks and lengths summed over the items.

    The score of a system as [1]_ defines it, not the mean of the scores of its segments, which is `Meteor`.
    An item is a text; its gold is a text or a list of texts, of which the one that gives the segment the best
    score is summed. 0 where no word matches; undefined (NaN) where there are no words.

    Parameters
    ----------
    name : str
        The name of the metric.
    settings : MeteorSettings
        How words are candidates, matched and weighed.

    References
    ----------
    .. [1] Banerjee, Lavie (2005), METEOR, ACL workshop on evaluation measures, 65-72, section 2.2.
    """

    name: str = "meteor_corpus"
    settings: MeteorSettings = MeteorSettings()
    packages = ("nltk",)
    empty = ""
    bounds = (0.0, 1.0)

    def reading_notes(self, evaluation: Evaluation) -> list[Note]:
        """Return a note on references of which the tokeniser leaves nothing; refuse them if all are."""
        return _meteor_notes(self, evaluation)

    def statistics(self, gold: Any, predictions: Any) -> FloatArray:
        """Return matches, chunks, words predicted and words of the reference."""
        return meteor_counts(gold, predictions, self.settings, self.name)

    def identity(self) -> str | None:
        """Return the settings and the version of WordNet; None if words or synonyms come from elsewhere."""
        return _identity(super().identity(), self)

    def score(self, totals: FloatArray) -> FloatArray:
        """Return METEOR of the sums."""
        return np.where(totals[..., 2] + totals[..., 3] > 0, _meteor(totals, self.settings), np.nan)


NAMES: Names = {
    "rouge1": ("ROUGE-1 F-measure, mean over items, by rouge-score", Rouge),
    "rouge2": ("ROUGE-2 F-measure, mean over items, by rouge-score", Rouge),
    "rougeL": ("ROUGE-L F-measure, mean over items, by rouge-score", Rouge),
    "rougeLsum": ("ROUGE-L F-measure of lines, mean over items, by rouge-score", Rouge),
    "meteor": ("METEOR, mean over items, by nltk with WordNet", Meteor),
    "meteor_corpus": ("METEOR from summed matches, chunks and lengths, by nltk with WordNet", MeteorCorpus),
}

SUGGESTIONS = {"rouge": "rouge1", "rouge_1": "rouge1", "rouge_2": "rouge2", "rouge_l": "rougeL"}
