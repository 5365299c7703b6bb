"""What the formats made of lines share: their start as text, all their lines, and the evaluation of them."""

from __future__ import annotations

import codecs
import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.paths import readable_file
from bestby._core.typing import OnMissing
from bestby.data.evaluation import Evaluation
from bestby.data.roles import listed
from bestby.readers.files import kind_of
from bestby.readers.formats.base import MOST_LINES, Read
from bestby.readers.text import HEAD, csv_rows, cut, unpacked
from bestby.results.base import Note


def first_lines(head: bytes) -> list[str]:
    r"""Return the whole lines at the start of a text, at most 1000; none if it is not text in UTF-8.

    >>> first_lines(b"one\r\ntwo")
    ['one', 'two']
    >>> first_lines(b"\x93NUMPY")
    []
    """
    try:
        text = codecs.getincrementaldecoder("utf-8-sig")().decode(head)  # a letter may be cut in two
    except UnicodeDecodeError:
        return []
    lines = cut(text)
    if len(head) >= HEAD and len(lines) > 1:
        lines.pop()  # cut off
    while lines and not lines[-1]:
        lines.pop()
    return [] if "\0" in text else lines[:MOST_LINES]


def column_names(head: bytes) -> list[str]:
    r"""Return the names of the columns of a CSV table from its first bytes; none if it is no text.

    >>> column_names(b'id,"a, b"\r\n1,2\r\n')
    ['id', 'a, b']
    """
    lines = first_lines(head)
    return [name.strip() for name in next(csv_rows(lines[:1]), [])]


def lines_of(path: Path) -> list[str]:
    """Return all lines of a file, blank ones too; a last newline ends the last line and begins none."""
    compression = kind_of(readable_file(path)).compression
    text = unpacked(path, compression)
    # A carriage return ends a line only where nothing else does: inside a line it belongs to a text, as may a
    # form feed or U+2028, so not splitlines.
    lines = text.split("\n" if "\n" in text else "\r")
    if not lines[-1]:
        lines.pop()
    if not lines:
        raise InvalidInputError(f"{path} is empty", hint="check that the tool that wrote it has finished")
    return lines


def number_of(text: str, where: str, what: str) -> float:
    """Return a finite number, or say where there is none.

    >>> number_of("nan", "run.txt, line 2", "the score")
    Traceback (most recent call last):
    ...
    bestby._core.errors.InvalidInputError: run.txt, line 2: the score must be a finite number, got 'nan'
    """
    value = as_number(text)
    if value is None:
        shown = text if len(text) <= 40 else f"{text[:37]}..."
        raise InvalidInputError(f"{where}: {what} must be a finite number, got {shown!r}")
    return value


def as_number(text: str) -> float | None:
    """Return a finite number; None if the text is none.

    >>> as_number("1e-3"), as_number("inf"), as_number("1_000")
    (0.001, None, None)
    """
    try:
        value = float(text)
    except ValueError:
        return None
    return value if np.isfinite(value) and "_" not in text else None


def need_gold(gold: Path | None, what: str) -> Path:
    """Return the file of the gold, or ask for it."""
    if gold is None:
        raise InvalidInputError(f"{what} need a gold file", hint="name it: gold=...")
    return gold


def assembled(
    systems: Mapping[str, Any],
    gold: Any,
    groups: Mapping[str, Any],
    cluster: str | None,
    on_missing: OnMissing,
    *,
    metric: str,
    description: str,
    notes: Sequence[Note] = (),
    objects: bool = True,
) -> Read:
    """Return the evaluation, with these notes after its own, and the groupings that it does not use."""
    if cluster is not None and cluster not in groups:
        known = (
            f"groupings in these files: {listed(list(groups))}" if groups else "these files have no groupings"
        )
        raise InvalidInputError(f"there is no grouping {cluster!r} of the items", hint=known)
    evaluation = Evaluation.of(
        systems,
        gold,
        clusters=None if cluster is None else groups[cluster],
        on_missing=on_missing,
        objects=objects,
    )
    items = [] if evaluation.items is None else evaluation.items.tolist()
    clusters = {
        name: np.asarray([group[item] for item in items] if isinstance(group, Mapping) else list(group))
        for name, group in groups.items()
        if name != cluster
    }
    evaluation = dataclasses.replace(evaluation, notes=(*evaluation.notes, *notes))
    return Read(description, evaluation, metric=metric, clusters=clusters)
