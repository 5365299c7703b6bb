"""Errors of recognised speech or writing: WER, CER, MER, WIL and WIP, from counts of edits by jiwer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from bestby._core.errors import MissingExtraError
from bestby._core.typing import FloatArray
from bestby.data.evaluation import Evaluation
from bestby.metrics.base import Metric, Names
from bestby.metrics.texts import item_references, item_texts, token_notes
from bestby.results.base import Note

_COLUMN = {"equal": 0, "replace": 1, "substitute": 1, "delete": 2, "insert": 3}


def edit_counts(
    gold: Iterable[str | Sequence[str]],
    predictions: Iterable[str],
    unit: Literal["words", "characters"] = "words",
    metric: str = "wer",
) -> FloatArray:
    """Count hits, substitutions, deletions and insertions of each item, in a shortest alignment by jiwer.

    Of several references, the one with the fewest errors counts, of those the one with the most hits. Case
    and punctuation count as they are. The result has shape (n, 4). Words lie between white space;
    characters include the spaces between words.
    """
    several, recognised = (
        item_references(gold, metric),
        item_texts(predictions, metric),
    )
    try:
        import jiwer
    except ImportError:
        raise MissingExtraError("jiwer", "asr") from None
    process: Callable[..., Any] = jiwer.process_words if unit == "words" else jiwer.process_characters
    spoken = [reference for texts in several for reference in texts]
    heard = [text for texts, text in zip(several, recognised, strict=True) for _ in texts]
    counts = np.zeros((len(spoken), 4))
    for row, alignment in zip(counts, process(spoken, heard).alignments, strict=True):
        for chunk in alignment:
            length = max(chunk.ref_end_idx - chunk.ref_start_idx, chunk.hyp_end_idx - chunk.hyp_start_idx)
            row[_COLUMN[chunk.type]] += length
    sizes = np.array([len(texts) for texts in several])
    return counts if (sizes == 1).all() else _fewest(counts, sizes)


def _fewest(counts: FloatArray, sizes: Any) -> FloatArray:
    """Return of each run of rows, as long as `sizes` says, the one with the fewest errors, then most hits."""
    # Sorted by run, then errors, then hits: the first row of each run is the one.
    owner = np.repeat(np.arange(sizes.size), sizes)
    order = np.lexsort((-counts[:, 0], counts[:, 1:].sum(axis=1), owner))
    return np.asarray(counts[order[np.cumsum(sizes) - sizes]])


class _FromEdits(Metric):
    """A metric of the counts of hits H, substitutions S, deletions D and insertions I."""

    reads = "objects"
    packages = ("jiwer",)
    empty = ""
    greater_is_better = False
    unit: ClassVar[Literal["words", "characters"]] = "words"

    def reading_notes(self, evaluation: Evaluation) -> list[Note]:
        """Return a note on references without a word; refuse them if all are."""
        return token_notes(evaluation, self.name)

    def statistics(self, gold: Any, predictions: Any) -> FloatArray:
        """Return hits, substitutions, deletions and insertions."""
        return edit_counts(gold, predictions, self.unit, self.name)


class WordErrorRate(_FromEdits):
    """Word error rate, (S + D + I) / (H + S + D): errors per word of the references; lower is better.

    An item is a text; its gold is a text, or a list of texts, of which the one with the fewest errors counts.
    Undefined (NaN) where the references hold no word (jiwer then returns the number of insertions).
    """

    name = "wer"
    bounds = (0.0, np.inf)

    def statistics(self, gold: Any, predictions: Any) -> FloatArray:
        """Return errors beside the length of the reference, which two systems have in common."""
        hits, substitutions, deletions, insertions = super().statistics(gold, predictions).T
        return np.column_stack([substitutions + deletions + insertions, hits + substitutions + deletions])

    def score(self, totals: FloatArray) -> FloatArray:
        """Return errors per unit of the references."""
        return _ratio(totals[..., 0], totals[..., 1])


class CharacterErrorRate(WordErrorRate):
    """Character error rate: the word error rate with characters, spaces among them, for words.

    An item is a text, as of `WordErrorRate`.

    >>> metric = CharacterErrorRate()
    >>> round(float(metric.score(metric.statistics(["cat"], ["cut"]).sum(axis=0))), 4)
    0.3333
    """

    name = "cer"
    unit = "characters"


class MatchErrorRate(_FromEdits):
    """Match error rate, (S + D + I) / (H + S + D + I): the part of the alignment that is wrong.

    An item is a text, as of `WordErrorRate`. Lower is better (Morris, Maier & Green 2004, From WER and RIL to
    MER and WIL, Interspeech, 2765-2768, section 3). Undefined (NaN) where neither references nor predictions
    hold a word (jiwer then returns 0).

    >>> metric = MatchErrorRate()
    >>> rows = metric.statistics(["the cat sat", "on it"], ["the cat", "on it too"])
    >>> round(float(metric.score(rows.sum(axis=0))), 4)
    0.3333
    """

    name = "mer"
    bounds = (0.0, 1.0)

    def score(self, totals: FloatArray) -> FloatArray:
        """Return errors per place of the alignment."""
        hits, substitutions, deletions, insertions = np.moveaxis(totals, -1, 0)
        errors = substitutions + deletions + insertions
        return _ratio(errors, hits + errors)


class WordInformationPreserved(_FromEdits):
    """Word information preserved, H / (words of the references) x H / (words predicted).

    An item is a text, as of `WordErrorRate`; the source is that of `MatchErrorRate`. If only the references
    or only the predictions hold words, nothing is preserved: 0. Undefined (NaN) where neither do (jiwer then
    returns 1).

    >>> metric = WordInformationPreserved()
    >>> rows = metric.statistics(["the cat sat", "on it"], ["the cat", "on it too"])
    >>> round(float(metric.score(rows.sum(axis=0))), 4)
    0.64
    """

    name = "wip"
    greater_is_better = True
    bounds = (0.0, 1.0)

    def score(self, totals: FloatArray) -> FloatArray:
        """Return the product of recall and precision of words."""
        # H / N_ref times H / N_pred: the approximation of Morris, Maier & Green (2004).
        hits, substitutions, deletions, insertions = np.moveaxis(totals, -1, 0)
        matched = hits + substitutions
        spoken, heard = matched + deletions, matched + insertions
        return np.where(spoken + heard > 0, hits * hits / np.maximum(spoken * heard, 1.0), np.nan)

    def undefined(self, totals: FloatArray) -> str | None:
        """Say so if one side holds no word."""
        spoken, heard = totals[:3].sum(), totals[[0, 1, 3]].sum()
        if (spoken > 0) == (heard > 0):
            return None
        side = "references" if heard > 0 else "predictions"
        return f"the {side} hold no word: nothing counts as preserved in {self.name}"


class WordInformationLost(WordInformationPreserved):
    """Word information lost: one minus word information preserved; lower is better.

    >>> metric = WordInformationLost()
    >>> rows = metric.statistics(["the cat sat", "on it"], ["the cat", "on it too"])
    >>> round(float(metric.score(rows.sum(axis=0))), 4)
    0.36
    """

    name = "wil"
    greater_is_better = False

    def score(self, totals: FloatArray) -> FloatArray:
        """Return what is not preserved."""
        return 1.0 - super().score(totals)


def _ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    return np.where(whole > 0, part / np.where(whole > 0, whole, 1.0), np.nan)


NAMES: Names = {
    "wer": ("word error rate, by jiwer", lambda _: WordErrorRate()),
    "cer": ("character error rate, by jiwer", lambda _: CharacterErrorRate()),
    "mer": ("match error rate, by jiwer", lambda _: MatchErrorRate()),
    "wil": ("word information lost, by jiwer", lambda _: WordInformationLost()),
    "wip": ("word information preserved, by jiwer", lambda _: WordInformationPreserved()),
}
