"""Sets of labels, one per item, from what multi-label data come as: sets, lists, rows of 0 and 1, texts."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Collection, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, Literal, TypeAlias

import numpy as np

from bestby._core import arrays, checks
from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import Array, ArrayLike
from bestby.data import soft
from bestby.data.columns import Column, complete, label_column, system_or_gold
from bestby.data.roles import listed
from bestby.data.values import label_codes, merged_note, read_together
from bestby.results.base import Note

Item: TypeAlias = frozenset[Any] | list[Any] | None
"""The labels of an item, or its row of 0 and 1; None if it is missing."""

Place: TypeAlias = Callable[[int], str]
"""Names an item by its position, for messages."""

WRITE_SETS = (
    "write the labels of an item as a list or set, ['x', 'y'] and [] for none, or as a row of 0 and 1; where"
    ' files are read, texts such as x|y are cut: label_separator="|"'
)
"""What to do where something else is in place of a set of labels."""

_SEPARATORS = ("|", ";", "\t", ",", "/", " ")
"""What usually stands between labels; an earlier one is meant where several occur."""

_DECIDE = "decide first which labels a probability means, such as probabilities >= 0.5"

_BRACKETS = {"[": "]", "{": "}", "(": ")"}


def label_sets(
    columns: Mapping[str, Any], classes: ArrayLike | None, place: Place = "row {}".format
) -> tuple[dict[str, Array], Array | None, tuple[Note, ...]]:
    """Return the sets of gold (under ``""``) and systems, all labels where these are known, and notes.

    A matrix of 0 and 1 says which labels an item has; they are the `classes`, or else the names of a frame's
    columns, or else 0 to K - 1. Lists of 0 and 1 may be such rows, or labels: the gold decides for all, so
    that a pair of systems is read as it is among others.

    >>> gold, a = np.array([[1, 1, 0], [0, 0, 0]]), [[1, 0, 0], [0, 0, 1]]
    >>> sets, labels, _ = label_sets({"": gold, "a": a}, ["x", "y", "z"])
    >>> [sorted(item) for item in sets[""]], [sorted(item) for item in sets["a"]], labels.tolist()
    ([['x', 'y'], []], [['x'], ['z']], ['x', 'y', 'z'])
    """
    whats = {name: system_or_gold(name) for name in columns}
    matrices, lists = {}, {}
    for name, values in columns.items():
        if _is_matrix(values, whats[name]):
            matrices[whats[name]] = values
        else:
            lists[whats[name]] = arrays.listed(values, whats[name])
    items = {what: _items(own, what, place, lists) for what, own in lists.items()}
    forms = {what: _form(own) for what, own in items.items()}
    gold = "rows" if "gold" in matrices else forms.get("gold", "either")
    if gold == "either" and classes is not None and not {"0", "1"} & {*map(str, classes)}:
        gold = "rows"
    for what, form in forms.items():
        if form == "either" and gold == "either":
            raise InvalidInputError(
                f"{what} holds lists such as {quoted(next(filter(None, items[what])))}, which may be rows of"
                " 0 and 1 or the labels 0 and 1",
                hint="name the labels, if these are rows: classes=[...]; or give sets of labels",
            )
        if "rows" in (form, gold) and form != "sets":
            matrices[what] = items.pop(what)
    sets = {what: _checked(own, what, place) for what, own in items.items()}
    labels = classes if classes is not None else soft.named_classes(matrices, "gold")
    if matrices and items and labels is None:
        one, other = next(iter(matrices)), next(iter(items))
        raise InvalidInputError(
            f"{one} is a matrix whose columns have no names, and {other} holds sets of labels: nothing says"
            " which column is which label",
            hint="pass classes=[...], the labels in the order of the columns",
        )
    if matrices:
        known = None if labels is None else checks.column(labels, "classes")
        marks = {what: marked(soft.by_name(v, known, what), what, place) for what, v in matrices.items()}
        labels = soft.classes_of(known, marks.get("gold", next(iter(marks.values()))).shape[1])
        for what, own in marks.items():
            if own.shape[1] != labels.size:
                raise InvalidInputError(
                    f"{what} has {own.shape[1]} numbers per item, but there are {labels.size} labels",
                    hint="gold and every system need a column for each label, in the same order",
                )
            sets[what] = _chosen(own, labels.tolist())
    common, notes = _in_common(sets, labels, place)
    out = {name: arrays.objects(sets[what]) for name, what in whats.items()}
    return out, common, notes


def _is_matrix(values: Any, what: str) -> bool:
    """Tell whether values have a row and columns; a matrix of texts is one of labels, written as lists."""
    shape = getattr(values, "shape", ())
    if isinstance(shape, tuple) and len(shape) > 2:
        raise InvalidInputError(f"{what} has the shape {shape}, expected (items, labels)", hint=WRITE_SETS)
    if not isinstance(shape, tuple) or len(shape) != 2:
        return False
    array = checks.as_array(values, what)
    return array.dtype.kind not in "OUS" or not any(isinstance(cell, str | bytes) for cell in array.flat)


def _items(values: list[Any], what: str, place: Place, columns: Mapping[str, list[Any]]) -> list[Item]:
    """Return every item as a set, or as the list that it is or is written as; the hint reads all columns."""
    out: list[Item] = []
    for position, value in enumerate(values):
        item = written(value) if isinstance(value, str) else value
        if isinstance(item, np.ndarray) or (hasattr(item, "tolist") and hasattr(item, "__len__")):
            item = item.tolist()
        if checks.missing(item):
            out.append(None)
        elif isinstance(item, AbstractSet):
            out.append(frozenset(map(_plain, item)))
        elif isinstance(item, list | tuple) and not any(isinstance(cell, list | dict | set) for cell in item):
            out.append([*map(_plain, item)])
        else:
            raise InvalidInputError(
                f"{what}, {place(position)} is {quoted(value, 60)}, where a set of labels must be",
                hint=_write_sets(columns),
            )
    return out


def _write_sets(columns: Mapping[str, list[Any]]) -> str:
    """Return what to do about texts in place of sets, with the separator that they show."""
    seen = separator_of([text for values in columns.values() for text in values]) or "|"
    return WRITE_SETS.replace("|", in_code(seen))


def _plain(label: Any) -> Any:
    """Return a label as Python has it, without the types of NumPy."""
    return label.item() if isinstance(label, np.generic) else label


def written(text: str) -> Any:
    """Return the list or set that a text spells, as JSON, Python or NumPy write it; else the text.

    >>> written("[1, 0]"), written("['x', 'y']"), written("[1 0]"), written("x, y")
    ([1, 0], ['x', 'y'], [1, 0], 'x, y')
    """
    bare = text.strip()
    if len(bare) < 2 or _BRACKETS.get(bare[0]) != bare[-1]:
        return set() if bare == "set()" else text
    cells = bare[1:-1].split()
    if cells and all(cell.strip(".").isdigit() for cell in cells):
        return [int(cell.strip(".")) for cell in cells]
    for read in (json.loads, ast.literal_eval):
        try:
            return read(bare)
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            continue
    return text


def separator_of(texts: Collection[Any]) -> str | None:
    """Return what separates labels in a good part of texts; None if nothing does.

    Blanks and slashes are also parts of single labels: their pieces must recur in other texts.

    >>> separator_of(["x, y", "x"]), separator_of(["x y", "x", "y"]), separator_of(["ice hockey", "golf"])
    (',', ' ', None)
    """
    present = [text for text in texts if isinstance(text, str) and text.strip()]
    for separator in _SEPARATORS:
        parts = [cut_labels(text, separator) for text in present]
        # Share of the texts in which a separator must occur
        if sum(len(own) > 1 for own in parts) <= 0.1 * len(present):
            continue
        pieces = {piece for own in parts for piece in own}
        if separator not in "/ " or len(pieces) <= len({*present}):
            return separator
    return None


def in_code(separator: str) -> str:
    r"""Return a separator as it is typed: a tab as ``\t``."""
    return separator.replace("\t", "\\t")


def cut_labels(text: str, separator: str) -> list[str]:
    """Return the labels of a text.

    >>> cut_labels("x | y|", "|")
    ['x', 'y']
    """
    return [label for label in map(str.strip, text.split(separator)) if label]


def _form(items: list[Item]) -> Literal["rows", "sets", "either"]:
    """Tell whether lists are rows of 0 and 1; short ones without a repeated number may be labels as well."""
    present = [item for item in items if item is not None]
    lists = [item for item in present if isinstance(item, list)]
    if len(lists) < len(present) or len({*map(len, lists)}) != 1 or not lists[0]:
        return "sets"
    if not all(isinstance(cell, int | float) and cell in (0, 1) for item in lists for cell in item):
        return "sets"
    certain = any(type(cell) is not int for item in lists for cell in item) or any(map(_repeated, lists))
    return "rows" if certain else "either"


def _repeated(item: list[Any]) -> bool:
    return len({*item}) < len(item)


def marked(values: Any, what: str, place: Place) -> Array:
    """Return a matrix as floats: 1 where an item has the label, 0 where it has not, NaN if it is missing."""
    if isinstance(values, list):  # rows of one length, of which some may be missing
        width = next(len(item) for item in values if item is not None)
        values = [[np.nan] * width if item is None else item for item in values]
    cells = checks.as_array(values, what)
    if cells.dtype.kind == "O":
        cells = arrays.objects([np.nan if checks.missing(cell) else cell for cell in cells.flat]).reshape(
            cells.shape
        )
    absent = cells != cells  # NaN alone is not equal to itself
    bad = (cells != 0) & (cells != 1) & ~absent
    if bad.any():
        row, column = (int(axis[0]) for axis in np.nonzero(bad))
        raise InvalidInputError(
            f"{what}, {place(row)} holds {quoted(_plain(cells[row, column]))}, where a label is marked by 1"
            " and its absence by 0",
            hint=_DECIDE if cells.dtype.kind == "f" else "rows of labels, not of marks, are lists: .tolist()",
        )
    marks = np.array(cells == 1, dtype=np.float64)
    marks[np.asarray(absent, dtype=np.bool_).any(axis=1)] = np.nan
    return marks


def _chosen(marks: Array, labels: list[Any]) -> list[frozenset[Any] | None]:
    """Return the labels that each row marks."""
    return [
        None if np.isnan(row).any() else frozenset(labels[column] for column in np.flatnonzero(row).tolist())
        for row in marks
    ]


def _checked(items: list[Item], what: str, place: Place) -> list[frozenset[Any] | None]:
    """Return items as sets; refuse what is no label, and members that repeat, whose order would be lost."""
    out: list[frozenset[Any] | None] = []
    for position, item in enumerate(items):
        if item is None:
            out.append(None)
            continue
        odd = next((label for label in item if not isinstance(label, str | int)), None)
        if odd is not None:
            raise InvalidInputError(
                f"{what}, {place(position)} holds {quoted(odd)}, where labels are texts or whole numbers",
                hint=_DECIDE,
            )
        if isinstance(item, list) and _repeated(item):
            raise InvalidInputError(
                f"{what}, {place(position)} is {quoted(item, 60)}, which holds a member twice and is no set"
                " of labels",
                hint="name each label of an item once; rows of 0 and 1 must be of one length",
            )
        out.append(frozenset(item))
    return out


def _in_common(
    sets: dict[str, list[frozenset[Any] | None]], labels: Any, place: Place
) -> tuple[Array | None, tuple[Note, ...]]:
    """Spell each label in one way in all sets, as single labels are; return all labels, if known."""
    distinct = {what: [*{label for item in own if item for label in item}] for what, own in sets.items()}
    columns = {"classes": [*labels]} if labels is not None else {}
    order = sorted(distinct, key=lambda what: what != "gold")
    columns |= {what: distinct[what] for what in order if distinct[what]}
    if not columns:
        return None, ()
    read = {what: complete(label_column(own, what).values) for what, own in columns.items()}
    first, *others = read
    leading, rest, merged = read_together(read[first], {what: read[what] for what in others}, strings=True)
    assert leading is not None
    names, codes = label_codes([leading.values, *(rest[what].values for what in others)])
    spelling = {
        what: dict(zip(columns[what], names[own].tolist(), strict=True))
        for what, own in zip(read, codes, strict=True)
    }
    known = None if labels is None else names[codes[0]]
    allowed = None if known is None else {*known.tolist()}
    for what, own in sets.items():
        for position, item in enumerate(own):
            if not item:
                continue
            own[position] = spelled = frozenset(spelling[what][label] for label in item)
            if allowed is not None and not spelled <= allowed:
                odd = next(label for label in item if spelling[what][label] not in allowed)
                raise InvalidInputError(
                    f"{what}, {place(position)} holds the label {quoted(odd)}, which is none of"
                    f" {listed([*map(str, names[codes[0]])], 8)}",
                    hint="every label must be the name of a column, or one of classes=[...]",
                )
    return known, merged_note(merged)


def items_of_matrix(matrix: Array, what: str, place: Place, classes: tuple[str, ...] | None) -> Column:
    """Return the sets of labels that rows of 0 and 1 mark; a row of NaN is missing."""
    rows = marked(matrix, what, lambda position: place(position + 1))
    cells: list[Any] = [None if np.isnan(row).any() else row.tolist() for row in rows]
    if classes is not None:
        cells = _chosen(rows, [*classes])
    missing = np.array([cell is None for cell in cells], dtype=np.bool_)
    return Column(arrays.objects(cells), missing, classes, is_items=True)


def are_marks(matrix: Array) -> bool:
    """Tell whether rows are of 0 and 1, and not each the distribution that is sure of one class."""
    there = matrix[~np.isnan(matrix).any(axis=1)]
    return bool(((there == 0) | (there == 1)).all() and (there.sum(axis=1) != 1).any())
