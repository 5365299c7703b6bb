"""Whether higher or lower is better: for scores of which only the name is known, and turned to be higher."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from bestby._core.errors import BestbyError, DesignError
from bestby._core.text import quoted, words_of
from bestby._core.typing import Array, FloatArray
from bestby.data.roles import HIGHER_SCORES, LOWER_SCORES
from bestby.metrics.base import BaseMetric, Metric
from bestby.metrics.functions import name_and_direction
from bestby.metrics.registry import resolve
from bestby.metrics.regression import Mean
from bestby.results.base import Note

if TYPE_CHECKING:
    from bestby.data.evaluation import Evaluation

UNNAMED = ("score", "scores", "mean", "value", "values", "prediction", "predictions", "result")
"""Names that say nothing; higher is better, as the documentation says."""

_LOWER = LOWER_SCORES | {
    "distance", "residual", "regret", "cost", "costs", "latency", "runtime", "time", "seconds", "mistakes",
    "violations", "lower",
}  # fmt: skip
_HIGHER = HIGHER_SCORES | {
    "return", "returns", "likelihood", "exact", "wins", "higher", "throughput", "similarity", "hits",
}  # fmt: skip
_LOWER_PAIRS = (("cross", "entropy"), ("bits", "per"), ("false", "positive"), ("false", "negative"))
_NEGATED = ("neg", "negative", "minus", "inverse")


def greater_is_better_by_name(name: str) -> bool:
    """Return whether scores of this name are probably the better the higher they are.

    The last word of the name that is known decides: an ``error_rate`` is an error, an ``mse_test`` a squared
    error; "score" decides only where no other is known, unlike in ``brier_score``. A name that begins with
    ``neg`` turns it round, as in ``neg_log_loss`` of scikit-learn.
    """
    words = words_of(name)
    pairs = list(pairwise(words))
    telling = [(words.index(word), word in _HIGHER) for word in words if word in _HIGHER | _LOWER]
    telling += [(pairs.index(pair) + 1, False) for pair in _LOWER_PAIRS if pair in pairs]
    if not telling:
        return True
    telling = [one for one in telling if words[one[0]] != "score"] or telling
    greater = max(telling)[1]
    return not greater if any(word in _NEGATED for word in words[: max(telling)[0]]) else greater


def is_label(name: Any) -> bool:
    """Return whether this is a name that no metric has: that of the user's own scores.

    >>> is_label("COMET"), is_label("f1_macro"), is_label(None)
    (True, False, False)
    """
    name, _ = name_and_direction(name)
    return isinstance(name, str) and not _is_metric(name)


@lru_cache(maxsize=1024)
def _is_metric(name: str) -> bool:
    try:
        resolve(name)
    except BestbyError:
        return False
    return True


def bounds_of(name: Any) -> tuple[float, float]:
    """Return the least and the greatest value of a metric; of the user's own scores none is known.

    >>> bounds_of("accuracy"), bounds_of("COMET")
    ((0.0, 1.0), (-inf, inf))
    """
    return (-math.inf, math.inf) if name is None or is_label(name) else resolve(name).bounds


def mean_called(name: str, greater_is_better: bool | None = None) -> str | Mean:
    """Return scores as a metric of the name of their column, also if a metric that needs gold has it.

    >>> mean_called("COMET"), mean_called("wer").greater_is_better
    ('COMET', False)
    """
    return name if is_label(name) else Mean(name, greater_is_better=direction_of(name, greater_is_better)[0])


def direction_of(name: str | None, greater_is_better: bool | None) -> tuple[bool, tuple[Note, ...]]:
    """Return the direction of scores that have a name only, and a note if it is a guess."""
    if greater_is_better is not None:
        return greater_is_better, ()
    if name is None or name.lower() in UNNAMED:
        return True, ()
    if not is_label(name):
        return resolve(name).greater_is_better, ()
    greater, known = greater_is_better_by_name(name), set(words_of(name)) - {"score", "scores"}
    if bool(known & _HIGHER) != bool(known & _LOWER):
        return greater, ()
    message = (
        f"{'higher' if greater else 'lower'} {name} is assumed to be better. If that is wrong, every 'better'"
        f" in this result is reversed: set metric=bestby.ScoreMetric({quoted(name)},"
        f" greater_is_better={not greater}) (--lower-is-better or --higher-is-better)"
    )
    return greater, (Note("direction_guessed", message, (name,)),)


class Turned(Metric):
    """A metric of which lower scores are better, with a minus before its scores."""

    greater_is_better = True

    def __init__(self, metric: Metric) -> None:
        self.metric = metric
        self.name = metric.name
        low, high = metric.bounds
        self.bounds = (-high, -low)
        for name in (
            "needs_gold",
            "empty",
            "caution",
            "packages",
            "reads",
            "label_sets",
            "ordered",
            "reads_trials",
        ):
            setattr(self, name, getattr(metric, name))

    def fit(self, gold: Array | None, systems: Sequence[Array], labels: Array | None) -> Self:
        """Return the metric with its own fixed."""
        return type(self)(self.metric.fit(gold, systems, labels))

    def reading_notes(self, evaluation: Evaluation) -> Sequence[Note]:
        """Return the notes of the metric."""
        return self.metric.reading_notes(evaluation)

    def statistics(self, gold: Any, predictions: Any) -> FloatArray:
        """Return the statistics of the metric."""
        return self.metric.statistics(gold, predictions)

    def score(self, totals: FloatArray) -> FloatArray:
        """Return the scores of the metric with a minus."""
        return 0.0 - self.metric.score(totals)  # 0.0 - x rather than -x: no score is -0

    def possible_rows(self) -> FloatArray | None:
        """Return those of the metric."""
        return self.metric.possible_rows()

    def undefined(self, totals: FloatArray) -> str | None:
        """Return what of the metric was undefined."""
        return self.metric.undefined(totals)


def rising(evaluation: Evaluation, metric: BaseMetric) -> tuple[Evaluation, BaseMetric]:
    """Return an evaluation and a metric of which higher scores are better: with a minus if lower ones are.

    Scores of items have it themselves, so that what is known of means holds for them.
    """
    if metric.greater_is_better:
        return evaluation, metric
    if isinstance(metric, Mean):
        systems = {name: 0.0 - np.asarray(x, np.float64) for name, x in evaluation.systems.items()}
        return dataclasses.replace(evaluation, systems=systems, trials={}), Mean(metric.name)
    if not isinstance(metric, Metric):
        raise DesignError(
            f"{metric.name} is better the lower it is and no function of sums over the items, so it cannot"
            " stand beside metrics of the other direction",
            hint="compare its dataset by itself",
        )
    return evaluation, Turned(metric)
