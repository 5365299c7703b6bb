"""Metrics of language models from log-probabilities: perplexity, bits per token and per byte."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.typing import FloatArray
from bestby.metrics import _items
from bestby.metrics.base import Metric, Names


class _PerUnit(Metric):
    """A metric of the log-probability of all texts over their length."""

    reads = "objects"
    greater_is_better = False
    needs_gold: ClassVar[bool] = False
    unit: str = "tokens"

    def statistics(self, gold: Any, predictions: Any) -> FloatArray:  # noqa: ARG002
        """Return log-probabilities beside lengths."""
        rows = _items.pairs(predictions, self.name, f"log-probability, {self.unit}")
        logs, lengths = rows.T
        wrong = np.flatnonzero((logs > 0) | (lengths < 0) | (lengths != np.floor(lengths)))
        if wrong.size:
            log, length = rows[wrong[0]].tolist()
            raise InvalidInputError(
                f"{self.name} needs a log-probability of at most 0 and a whole number of {self.unit},"
                f" but item {wrong[0]} is ({log:g}, {length:g})",
                hint="items are counted from 0; a loss is a log-probability with its sign turned",
            )
        return rows


@dataclass(frozen=True, repr=False)
class Perplexity(_PerUnit):
    """Perplexity, exp(-sum of log-probabilities / number of tokens); lower is better; needs no gold.

    An item is a pair: the natural log-probability of a text (summed over its tokens), and the number of its
    tokens. With words or bytes counted for tokens it is the perplexity per word or byte, by which models
    with differing tokens can be compared. It is a function of the two sums, not the mean of the perplexities
    of the texts. Undefined (NaN) where there is no token.
    """

    name: str = "perplexity"
    unit: str = "tokens"
    bounds = (1.0, np.inf)

    def score(self, totals: FloatArray) -> FloatArray:
        """Return the exponential of the mean surprise."""
        # An average surprise beyond 709 nats per token is a perplexity that no float holds: infinite.
        with np.errstate(over="ignore"):
            perplexity: FloatArray = np.exp(_surprise(totals))
        return perplexity


@dataclass(frozen=True, repr=False)
class BitsPer(_PerUnit):
    """Bits per byte or token, -sum of log-probabilities / (ln 2 x length); lower is better; needs no gold.

    An item is a pair: the natural log-probability of a text, and its length. The number of bytes of a text
    in UTF-8 does not depend on the tokens of the model, so that models with differing tokens can be compared
    by bits per byte. Undefined (NaN) where the texts have no length.
    """

    name: str = "bits_per_byte"
    unit: str = "bytes"
    bounds = (0.0, np.inf)

    def score(self, totals: FloatArray) -> FloatArray:
        """Return the mean surprise in bits."""
        bits: FloatArray = _surprise(totals) / math.log(2.0)
        return bits


def _surprise(totals: FloatArray) -> FloatArray:
    """Return the mean surprise per unit of length, in nats."""
    logs, lengths = totals[..., 0], totals[..., 1]
    # 0.0 - x rather than -x: a certain text has a surprise of 0, not of -0.
    return np.where(lengths > 0, (0.0 - logs) / np.where(lengths > 0, lengths, 1.0), np.nan)


NAMES: Names = {
    "perplexity": ("exponential of the mean surprise per token, from (logprob, tokens)", Perplexity),
    "bits_per_byte": ("surprise per byte in bits, from (logprob, bytes)", BitsPer),
    "bits_per_token": (
        "surprise per token in bits, from (logprob, tokens)",
        lambda name: BitsPer(name, "tokens"),
    ),
}
