"""Metrics of texts that count each segment against its references."""

from __future__ import annotations

import dataclasses
import operator
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from bestby._core.errors import InvalidInputError, MissingExtraError
from bestby._core.typing import Array, BoolArray, FloatArray, IntArray
from bestby.metrics import _items
from bestby.metrics._texts import TextMetric

NOTHING = 1e-4
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
        references = _items.references(gold, self.name)
        return _Prepared(gold, self._prepared_references(_library(), references))

    def signature(self, gold: Any) -> str:
        """Return the signature that sacrebleu gives to these settings and this number of references."""
        numbers = {len(several) for several in _items.references(gold, self.name)}
        scorer = self._scorer(_library())
        scorer.num_refs = numbers.pop() if len(numbers) == 1 else -1  # which sacrebleu writes as var
        return str(scorer.get_signature())

    def statistics(self, gold: Any, predictions: Any) -> FloatArray:
        """Return the counts of each segment."""
        translations = _items.texts(predictions, self.name)
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


def _library() -> Any:
    try:
        from sacrebleu import metrics
    except ImportError:
        raise MissingExtraError("sacrebleu", "mt") from None
    return metrics


def divided(above: FloatArray, below: FloatArray, where: BoolArray) -> FloatArray:
    """Return the quotient, 0 elsewhere."""
    return np.divide(above, below, out=np.zeros(np.shape(above)), where=where)
