"""BLEU as a bestby metric: sacrebleu counts the n-grams, the sums are bestby's."""

from __future__ import annotations

from typing import Any

import numpy as np
from sacrebleu.metrics import BLEU

from bestby import Metric


class Bleu(Metric):
    """Corpus BLEU with one reference per segment."""

    name = "bleu"
    reads = "raw"
    bounds = (0.0, 100.0)

    def statistics(self, gold: Any, predictions: Any) -> Any:
        # sacrebleu has no public door to its statistics per segment.
        return np.array(
            BLEU()._extract_corpus_statistics(predictions.tolist(), [gold.tolist()]), dtype=np.float64
        )

    def score(self, totals: Any) -> Any:
        """Totals: both lengths, then matches and n-grams of orders 1 to 4 (Papineni et al. 2002)."""
        length, reference = totals[..., 0], totals[..., 1]
        with np.errstate(divide="ignore"):
            precision = np.log(totals[..., 2:6] / totals[..., 6:10]).mean(axis=-1)
        return 100.0 * np.exp(precision + np.minimum(0.0, 1.0 - reference / length))
