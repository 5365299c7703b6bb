"""The values of systems and gold, checked and in arrays."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Any

import numpy as np

from bestby._core import arrays, checks
from bestby._core.checks import NUMERAL, number_hint
from bestby._core.errors import InvalidInputError, MissingValueError
from bestby._core.text import quoted
from bestby._core.typing import Array, ArrayLike, IntArray
from bestby.data import soft
from bestby.data.annotations import Annotations
from bestby.data.arrays import label_column
from bestby.data.coding import Coded, coded_texts, texts_coded
from bestby.data.columns import complete
from bestby.data.values import Rule, merged_note, read_together
from bestby.results.base import Note


def checked_labels(
    inputs: Mapping[str, Any],
    ids: Array | None,
    annotations: Annotations | None,
    classes: ArrayLike | None,
    normalise: bool,
    coded: dict[str, Coded],
) -> tuple[dict[str, Array | Coded], Array | None, tuple[Note, ...]]:
    """Return the values of the systems and the gold (under ``""``), the classes of soft ones, and notes."""
    inputs = {
        name: (coded_texts(values) if isinstance(values, list) else None) or values
        for name, values in inputs.items()
    }
    rows = [name for name, values in inputs.items() if not isinstance(values, Coded) and soft.is_soft(values)]
    if not rows:
        checks.refuse_unused(
            "hard labels and scores: only soft labels are normalised", normalise=(normalise, False)
        )
    if not rows and annotations is None and classes is None:
        as_given, notes = _hard_labels(inputs, coded)
        return as_given, None, notes
    named = classes
    if named is None and annotations is not None and annotations.named:
        named = annotations.classes
    hint = soft.ASK_CLASSES
    if named is None:
        named = soft.named_classes({system_or_gold(name): inputs[name] for name in rows}, system_or_gold(""))
        hint = hint if named is None else soft.ASK_NAMES
    if named is None and annotations is not None:
        named = annotations.classes
    known = None if named is None else checks.column(named, "classes")
    n_classes = None if known is None else int(known.size)
    out: dict[str, Array] = {}
    for name, values in inputs.items():
        if name in rows:
            ordered = soft.by_name(values, known, system_or_gold(name))
            out[name] = soft.distributions(
                ordered, system_or_gold(name), n_classes=n_classes, normalise=normalise, place=item_namer(ids)
            )
            n_classes = out[name].shape[1]
        else:
            out[name] = label_column(values, system_or_gold(name)).values
    assert n_classes is not None  # of a row, of the annotations, or named
    names = soft.classes_of(known, n_classes)
    if "" in inputs or annotations is not None:
        rule = Rule.of(label_column(names, "classes"), strings=True)
        for name in inputs:
            if name not in rows:
                column = label_column(out[name], system_or_gold(name))
                out[name] = rule.read(column, rule.keys_of(column)).values
                soft.positions(out[name], names, system_or_gold(name), hint=hint)
    return {**out}, names, ()


def _hard_labels(
    inputs: Mapping[str, Any], coded: dict[str, Coded]
) -> tuple[dict[str, Array | Coded], tuple[Note, ...]]:
    """Return one label or number per item, texts as codes if there is a gold, and notes."""
    columns = {name: label_column(values, system_or_gold(name)) for name, values in inputs.items()}
    if "" in columns:
        coded |= {name: texts_coded(column.compact) for name, column in columns.items() if column.is_text}
    # The values stay as given, for functions of the user's own; metrics of labels read them in this way.
    as_given = {
        name: coded[name] if name in coded else column.values  # noqa: SIM401 - makes no array in vain
        for name, column in columns.items()
    }
    if not any(column.is_text for column in columns.values()):
        return as_given, ()  # numbers have one spelling
    columns |= {name: complete(texts.distinct) for name, texts in coded.items()}
    merged = read_together(columns.pop("", None), columns, strings=True)[2]
    return as_given, merged_note(merged)


def assumed_classes_note(annotations: Annotations, columns: Mapping[str, Any]) -> tuple[Note, ...]:
    """Return a note if columns of soft systems are read as the sorted labels of the annotators."""
    names = tuple(
        name
        for name, values in columns.items()
        if soft.is_soft(values) and arrays.are_default_names(arrays.column_names(values) or [])
    )
    classes = annotations.classes
    if not names or annotations.named or np.array_equal(classes, np.arange(classes.size)):
        return ()
    listed = ", ".join(map(str, classes[:8])) + (", …" if classes.size > 8 else "")
    message = (
        f"the columns of {', '.join(names)} are taken for the annotators' labels in sorted order ({listed}):"
        " pass classes=[...] to say which they are"
    )
    return (Note("classes_assumed", message, names),)


def checked_counts(counts: ArrayLike, n: int) -> IntArray:
    """Return how many items each of n rows stands for."""
    numbers = checks.column(counts, "counts", n)
    if numbers.dtype.kind not in "iu" or (numbers < 1).any():
        raise InvalidInputError(
            "counts must be whole numbers of at least 1", hint="leave out rows that represent no item"
        )
    return numbers.astype(np.int64)


def keyed_or_sequence(values: Any, what: str) -> Any:
    """Return values that come by item id, or in an order; refuse all others."""
    return values if isinstance(values, Mapping | Annotations) else arrays.sequence(values, what)


@lru_cache(maxsize=1024)
def system_or_gold(name: str) -> str:
    """Return what messages call a system, or the gold, whose name is empty."""
    return f"system {quoted(name)}" if name else "gold"


def item_namer(ids: Array | None) -> Callable[[int], str]:
    """Return how to name an item by its position."""
    return "row {}".format if ids is None else lambda position: f"item {quoted(str(ids[position]))}"


def opaque(values: Any, what: str) -> Array:
    """Return items of any kind as an array of objects, with none missing.

    >>> opaque([(10, 3), (10, 0)], "system 'a'")
    array([(10, 3), (10, 0)], dtype=object)
    """
    listed = arrays.listed(values, what)
    array = np.empty(len(listed), dtype=object)
    if set(map(type, listed)) == {str}:  # most often, and none of these is missing
        array[:] = listed
        return array
    for position, value in enumerate(listed):
        if checks.missing(value):
            raise MissingValueError(
                f"{what} has a missing value at position {position}", hint=checks.ASK_VALUE
            )
        array[position] = value  # not all at once: NumPy would take lists for rows
    return array


def objects_as_text(values: Array) -> bytes:
    """Return items of any kind as text that is the same in every process and leaves nothing out."""
    listed = values.tolist()
    some_sets = any(issubclass(kind, AbstractSet) for kind in set(map(type, listed)))
    with np.printoptions(threshold=sys.maxsize, floatmode="unique"):
        return "\n".join(map(_item_as_text if some_sets else repr, listed)).encode()


def _item_as_text(value: Any) -> str:
    """Return an item as text; the elements of a set in an order of their own."""
    return f"{{{', '.join(sorted(map(repr, value)))}}}" if isinstance(value, AbstractSet) else repr(value)


def is_plain(values: Array | Coded) -> bool:
    """Tell whether these are hard labels or scores, one per item."""
    return values.ndim == 1 and values.dtype.kind != "O"


def check_numeric(arrays: Mapping[str, Array]) -> None:
    """Refuse systems that hold no scores where there is no gold."""
    for name, array in arrays.items():
        if array.ndim == 2 and array.dtype.kind != "O":
            raise InvalidInputError(
                f"without gold, systems must be per-item scores, but {quoted(name)} holds a row per item",
                hint="pass gold=... to compare soft predictions",
            )
    texts = {name: array for name, array in arrays.items() if array.dtype.kind == "U"}
    if texts:
        # One text makes text of all columns of a file: the one to be named is none that spells a number.
        odd = (
            (name, place)
            for name, array in texts.items()
            for place, text in enumerate(array.tolist())
            if not NUMERAL.fullmatch(text)
        )
        name, place = next(odd, (next(iter(texts)), 0))
        text = str(texts[name][place])
        raise InvalidInputError(
            f"without gold, systems must be per-item scores, but {quoted(name)} holds text:"
            f" {quoted(text)} at position {place}",
            hint=number_hint(text, "pass gold=... to compare predictions, or correct this value"),
        )
