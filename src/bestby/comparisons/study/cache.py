"""Scores and differences as the cache of a study keeps them: plain values, every number to the last bit."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bestby.results.base import Note
from bestby.results.study import ConditionScore, StudyDifference
from bestby.results.values import Interval, TestResult

FORM = 4
"""Of what is kept: entries of another form are not found."""


@dataclass(frozen=True)
class Scored:
    """The score of a condition, and what is to be said of its interval."""

    score: ConditionScore
    notes: tuple[Note, ...] = ()


def key_of(parts: Mapping[str, Any]) -> str:
    """Return the hash of everything that a result depends on."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False)
    return hashlib.blake2b(text.encode("utf-8"), digest_size=20).hexdigest()


def stored(result: Scored | StudyDifference) -> dict[str, Any]:
    """Return a result as JSON can hold it; NaN and infinite numbers as text."""
    plain: dict[str, Any] = _plain(dataclasses.asdict(result))
    return plain


def scored(value: Mapping[str, Any]) -> Scored:
    """Return the score that `stored` gave, with its notes."""
    found = _numbers(value["score"])
    score = ConditionScore(
        **{**found, "interval": _interval(found["interval"]), "runs": tuple(found["runs"])},
    )
    return Scored(score, _notes(value))


def difference(value: Mapping[str, Any]) -> StudyDifference:
    """Return the difference that `stored` gave."""
    found = _numbers(value)
    level = found.get("level", 0.95 if found["interval"] is None else found["interval"]["level"])
    return StudyDifference(
        **{
            **found,
            "level": level,
            "interval": _interval(found["interval"]),
            "equivalence_interval": _interval(found["equivalence_interval"]),
            "test": TestResult(**found["test"]),
            "notes": _notes(value),
            "n_runs": tuple(found["n_runs"]),
        }
    )


def _interval(found: Mapping[str, Any] | None) -> Interval | None:
    return None if found is None else Interval(**found)


def _notes(value: Mapping[str, Any]) -> tuple[Note, ...]:
    return tuple(Note(note["code"], note["message"], tuple(note["about"])) for note in value["notes"])


_TEXTS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
_FLOATS = {
    "low",
    "high",
    "statistic",
    "error",
    "estimate",
    "score",
    "score_a",
    "score_b",
    "p_value",
    "p_adjusted",
    "standard_error",
}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    return value


def _numbers(value: Any) -> Any:
    """Return the same with the numbers that were kept as text."""
    if isinstance(value, Mapping):
        return {
            key: _TEXTS[entry] if key in _FLOATS and isinstance(entry, str) else _numbers(entry)
            for key, entry in value.items()
        }
    return [_numbers(entry) for entry in value] if isinstance(value, list) else value
