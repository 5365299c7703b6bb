"""Whether higher or lower is better for scores of which only the name is known."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import pairwise
from typing import Any

from bestby._core.errors import BestbyError
from bestby._core.text import words_of
from bestby.data.roles import HIGHER_SCORES, LOWER_SCORES
from bestby.metrics.registry import resolve
from bestby.results.base import Note

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
    known = [(words.index(word), word in _HIGHER) for word in words if word in _HIGHER | _LOWER]
    known += [(pairs.index(pair) + 1, False) for pair in _LOWER_PAIRS if pair in pairs]
    if not known:
        return True
    known = [one for one in known if words[one[0]] != "score"] or known
    greater = max(known)[1]
    return not greater if any(word in _NEGATED for word in words[: max(known)[0]]) else greater


def is_label(name: Any) -> bool:
    """Return whether this is a name that no metric has: that of the user's own scores.

    >>> is_label("COMET"), is_label("f1_macro"), is_label(None)
    (True, False, False)
    """
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


def direction_of(name: str | None, greater_is_better: bool | None) -> tuple[bool, tuple[Note, ...]]:
    """Return the direction of scores that have a name only, and a note if it is a guess."""
    if greater_is_better is not None:
        return greater_is_better, ()
    if name is None or name.lower() in UNNAMED:
        return True, ()
    if not is_label(name):
        return resolve(name).greater_is_better, ()
    greater = greater_is_better_by_name(name)
    message = (
        f"{'higher' if greater else 'lower'} {name} is assumed to be better, judging by its name. If that is"
        " wrong, every 'better' in this result is reversed: set greater_is_better=... (--lower-is-better or"
        " --higher-is-better)"
    )
    return greater, (Note("direction_guessed", message, (name,)),)
