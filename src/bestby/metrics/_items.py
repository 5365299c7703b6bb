"""What metrics check of gold and predictions, and how their messages name labels."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import FloatArray
from bestby.data.evaluation import Evaluation
from bestby.data.roles import listed
from bestby.results.base import Note


def required_gold(gold: Any, metric: str, what: str = "gold values") -> Any:
    """Return the gold, or refuse to go on without."""
    if gold is None:
        raise InvalidInputError(f"{metric} needs {what}", hint="pass gold=...")
    return gold


def marked(labels: Iterable[Any], marks: Iterable[Any]) -> str:
    """Return the labels whose marks are true, for a message; not too many of them.

    >>> marked("abc", [True, False, True])
    "'a', 'c'"
    """
    return listed([repr(label) for label, mark in zip(labels, marks, strict=True) if mark], 5)


def texts(predictions: Iterable[Any], metric: str) -> list[str]:
    """Return the predictions, each of which must be a text."""
    listed = list(predictions)
    for place, text in enumerate(listed):
        if not isinstance(text, str):
            raise InvalidInputError(
                f"{metric} reads one text per item, but item {place} of the predictions is"
                f" {quoted(text, 60)}",
                hint="items are counted from 0; a system that said nothing has the empty text",
            )
    return listed


def references(gold: Iterable[Any] | None, metric: str, *, empty: bool = False) -> list[tuple[str, ...]]:
    """Return the references of each item: a text is one, a list or tuple of texts several."""
    out: list[tuple[str, ...]] = []
    for place, item in enumerate(required_gold(gold, metric, "gold texts")):
        several = (item,) if isinstance(item, str) else item
        fits = isinstance(several, (tuple, list)) and all(isinstance(text, str) for text in several)
        if not fits or not (empty or several):
            raise InvalidInputError(
                f"{metric} needs a text, or a list of texts, as the gold of an item, but that of item {place}"
                f" is {quoted(item, 60)}",
                hint="items are counted from 0",
            )
        out.append(tuple(several))
    return out


class NamedPair(tuple[Any, Any]):
    """A pair of numbers from two columns whose names say what they are."""

    __slots__ = ()


def token_notes(
    evaluation: Evaluation,
    metric: str,
    has_token: Callable[[str], object] = str.strip,
    *,
    what: str = "a token",
    why: str = "",
    instead: str = "",
) -> list[Note]:
    """Refuse references if no item has one with a token; return a note on the items that have none.

    `what` is called a token here, `why` says what the tokeniser drops, and `instead` which metrics drop less;
    without these it drops only white space.
    """
    if evaluation.gold is None:
        return []
    gold = references(evaluation.gold, metric, empty=True)
    lacking = sum(not any(map(has_token, several)) for several in gold)
    because = why and f": {why}"
    if lacking == len(gold):
        written = next((text for several in gold for text in several if text.strip()), None)
        if written is None:
            raise DesignError(
                f"every reference is empty: {metric} has nothing to compare with",
                hint="give the references their texts",
            )
        raise DesignError(
            f"no reference, such as {quoted(written, 40)}, has {what} for {metric}{because}", hint=instead
        )
    if not lacking:
        return []
    message = (
        f"{lacking} of {len(gold)} items have no reference with {what} for {metric}{because}; what is"
        f" predicted there matches nothing{instead and f'; {instead}'}"
    )
    return [Note("no_token", message, (metric,))]


def pairs(predictions: Iterable[Any], metric: str, what: str, files: str = "") -> FloatArray:
    """Return items that are pairs of numbers as an array (n, 2); `files` says which files hold such."""
    listed = list(predictions)
    rows = np.full((len(listed), 2), np.nan)
    for place, item in enumerate(listed):
        if isinstance(item, (tuple, list, np.ndarray)) and len(item) == 2 and all(map(_is_number, item)):
            rows[place] = item
        if not np.isfinite(rows[place]).all():
            raise InvalidInputError(
                f"{metric} reads a pair of finite numbers per item ({what}), but item {place} is"
                f" {quoted(item, 60)}",
                hint=f"items are counted from 0; without gold, each system is a list of such pairs{files}",
            )
    return rows


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
