"""What metrics check of gold and predictions, and labels by the names that users write and read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import Array, FloatArray
from bestby.data.columns import complete
from bestby.data.roles import listed
from bestby.data.values import Rule, key_of


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


def pairs(predictions: Iterable[Any], metric: str, what: str, files: str = "") -> FloatArray:
    """Return items that are pairs of numbers as an array (n, 2); `files` says which files hold such."""
    items = list(predictions)
    # Plain pairs of plain numbers, which nearly all are, at once: the loop below takes ten times as long.
    if set(map(type, items)) <= {tuple, list, NamedPair} and set(map(len, items)) <= {2}:
        numbers = list(chain.from_iterable(items))
        if set(map(type, numbers)) <= {int, float}:
            columns = np.array(numbers, dtype=np.float64).reshape(-1, 2)
            if np.isfinite(columns).all():
                return columns
    rows = np.full((len(items), 2), np.nan)
    for place, item in enumerate(items):
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


class NamedPair(tuple[Any, Any]):
    """A pair of numbers from two columns whose names say what they are."""

    __slots__ = ()


def named_label(label: str, labels: Sequence[Any], metric: str) -> int:
    """Return the position of the label that prints as `label`, or else spells the same value.

    >>> named_label("1", [0, 1], "f1[1]"), named_label("True", [0, 1], "f1[True]")
    (1, 1)
    """
    for position, value in enumerate(labels):
        if str(value) == label or (isinstance(value, float) and f"{value:g}" == label):
            return position
    rule = Rule.of(complete(np.asarray(labels)), strings=True)
    equal = [position for position, value in enumerate(labels) if rule.key(value) == rule.key(label)]
    if len(equal) == 1:  # such as True of labels that are 0 and 1
        return equal[0]
    raise InvalidInputError(
        f"{metric}: there is no label {label!r}; the labels are {listed([*map(str, labels)], 10)}",
        hint=f"write one of them in the brackets, as in {metric.partition('[')[0]}[{labels[0]}]",
        argument="metric",
    )


def shown_label(label: Any) -> str:
    """Return a label as it stands in the brackets of a name, where `named_label` finds it again.

    >>> shown_label("a b"), shown_label(1.0), shown_label(True)
    ('a b', '1', 'True')
    """
    return f"{label:.15g}" if isinstance(label, float) else str(label)


def say_which_is_positive(labels: Sequence[Any]) -> bool:
    """Return whether two sorted labels are 0 and 1, or False and True, as numbers or as texts.

    Of all others, also of -1 and 1 or "no" and "yes", the positive class is a convention: that the label that
    sorts last is positive is right by chance.

    >>> say_which_is_positive(["0", "1"]), say_which_is_positive([False, True]), say_which_is_positive([1, 2])
    (True, True, False)
    """
    return [key_of(label) for label in labels] == [0, 1]


def required_labels(name: str, labels: Array | None) -> Array:
    """Return the label set, or refuse to go on without."""
    if labels is None:
        raise InvalidInputError(f"{name} needs the label set", hint="pass labels= to fit()")
    return labels


def printed_labels(name: str, labels: Array | None) -> tuple[str, ...]:
    """Return the label set as it prints."""
    return tuple(str(label) for label in required_labels(name, labels).tolist())
