"""Scores and differences as the cache of a study keeps them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bestby.results.base import Note
from bestby.results.loading import decoded, encoded
from bestby.results.study import ConditionScore, StudyDifference

FORM = 7
"""The form of cached results: those of another form are not found."""


@dataclass(frozen=True)
class Scored:
    """The score of a condition, and what is to be said of its interval."""

    score: ConditionScore
    notes: tuple[Note, ...] = ()

    @property
    def metric(self) -> str:
        """The metric."""
        return self.score.metric


def key_of(parts: Mapping[str, Any]) -> str:
    """Return the hash of everything that a result depends on."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False)
    return hashlib.blake2b(text.encode("utf-8"), digest_size=20).hexdigest()


def stored(result: Scored | StudyDifference) -> dict[str, Any]:
    """Return a result as JSON can hold it, every number to the last bit."""
    plain: dict[str, Any] = encoded(result)
    return plain


def scored(value: Mapping[str, Any]) -> Scored:
    """Return the score that `stored` gave, with its notes."""
    return Scored(decoded(value["score"]), decoded(value["notes"]))


def difference(value: dict[str, Any]) -> StudyDifference:
    """Return the difference that `stored` gave."""
    loaded: StudyDifference = decoded(value)
    return loaded
