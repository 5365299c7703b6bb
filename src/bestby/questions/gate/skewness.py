"""A note where items lose so unequally that a gate with a margin passes too often."""

from __future__ import annotations

import numpy as np

from bestby.data.evaluation import Evaluation
from bestby.inference import exchangeability
from bestby.metrics.base import BaseMetric
from bestby.questions.gate.flips import item_values
from bestby.results.base import Note
from bestby.results.comparison import Difference

SKEWED = "skewed_differences"
"""The code of the note, which tests have too."""


def skewness_notes(evaluation: Evaluation, d: Difference, metric: BaseMetric) -> tuple[Note, ...]:
    """Return a note if few units lose much and most gain a little, as in items that became far worse.

    The bound of a mean is then not low enough: a sample that lacks such units shows neither the loss nor the
    spread. Of metrics that are no means nothing is said, and right and wrong answers have a score interval.
    """
    if metric.reads == "labels":
        return ()
    before, after = (item_values(evaluation, name, metric) for name in (d.b, d.a))
    if before is None or after is None:
        return ()
    gains = after - before if d.greater_is_better else before - after
    if bool(np.isin(gains, (-1.0, 0.0, 1.0)).all()):
        return ()
    if evaluation.clusters is not None:
        codes = np.unique(evaluation.clusters, return_inverse=True)[1]
        gains = np.bincount(codes, weights=gains).astype(np.float64)
    one = np.ones(gains.size, dtype=np.int64)
    differing = gains[gains != 0.0]
    if not exchangeability.skewed(gains, one) or differing.mean() > np.median(differing):
        return ()
    units = "clusters" if evaluation.clusters is not None else "items"
    told = (
        f"few {units} lose much and most do not, so that a sample may lack those that do: a gate with a"
        " margin then passes too often if the loss is the margin (50 such lognormal differences: 12 % at a"
        f" level of 5 %); use more {units} if you can"
    )
    return (Note(SKEWED, told, (d.metric, d.a, d.b)),)
