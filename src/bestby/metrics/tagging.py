"""Accuracy of tags, with sentences as items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.typing import FloatArray
from bestby.metrics import _entities
from bestby.metrics.base import Metric, Names


@dataclass(frozen=True, repr=False)
class TagAccuracy(Metric):
    """The proportion of tokens with the right tag; sentences are what is resampled.

    An item is a sentence: a list with one tag per token. Tokens of a sentence depend on each other, so that
    they are no items. Undefined (NaN) if there are no tokens.
    """

    name: str = "tag_accuracy"
    bounds = (0.0, 1.0)
    reads = "objects"

    def statistics(self, gold: Any, predictions: Any) -> FloatArray:
        """Return the number of right tags and of tokens, per item, shape (n, 2)."""
        rows = np.zeros((len(predictions), 2))
        pairs = _entities.paired(gold, predictions, self.name)
        for row, (where, ours, theirs) in zip(rows, pairs, strict=True):
            if not all(isinstance(tag, str) for tag in (*ours, *theirs)):
                raise InvalidInputError(
                    f"{where} must be a list of tags, one text per token", hint="for spans there is span_f1"
                )
            row[:] = sum(a == b for a, b in zip(ours, theirs, strict=True)), len(ours)
        return rows

    def score(self, totals: FloatArray) -> FloatArray:
        """Return the ratio."""
        right, tokens = np.moveaxis(totals, -1, 0)
        return np.asarray(np.where(tokens > 0.0, right / np.where(tokens > 0.0, tokens, 1.0), np.nan))


NAMES: Names = {
    "tag_accuracy": ("proportion of tokens with the right tag, sentences as items", TagAccuracy),
}
