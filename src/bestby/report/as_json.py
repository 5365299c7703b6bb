"""Results as JSON; the differences of thousands of pairs are written column by column, each number once."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

import numpy as np

from bestby._core.chunks import chunks
from bestby._core.text import safe_json
from bestby.report.data import plain, readable, table_of
from bestby.report.loading import encoded
from bestby.report.pairs import Differences, Pairs, notes_of
from bestby.report.writers import floats

_UNDEFINED = dict.fromkeys(("nan", "inf", "-inf", "NaN", "Infinity", "-Infinity"), "null")

Texts = dict[int, list[str]]
"""Of an array of floats, known by its `id`, what is written of its values."""


def to_json(c: Any) -> str:
    """Return a result as JSON, floats to the last bit: indented, but for the record, which is one line."""
    if isinstance(getattr(c, "differences", ()), Differences):
        shown, record = _columns_as_pieces(c)
    else:
        shown, record = [_indented(readable(c))], [_line(encoded(c))]
    shown[-1] = shown[-1].removesuffix("\n}")
    return "".join([*shown, ',\n  "record": ', *record, "\n}\n"])


def _columns_as_pieces(c: Any) -> tuple[list[str], list[str]]:
    """Return the pieces of the readable part and of the record of a result that holds columns."""
    notes = (*c.notes, *notes_of(c.differences))
    without = dataclasses.replace(c, differences=(), notes=notes)
    before, after = _indented(readable(without)).split('"differences": []')
    begin, end = _line(encoded(dataclasses.replace(c, differences=Differences(())))).split('"parts": []')
    shown_parts = table_of(c, "differences").parts(c)
    parts = [_part(part, shown) for part, shown in zip(c.differences.parts, shown_parts, strict=True)]
    shown = [before, '"differences": [', *_separated((rows for rows, _ in parts), ","), "\n  ]", after]
    return shown, [begin, '"parts": [', *_separated((record for _, record in parts), ", "), "]", end]


def _separated(parts: Iterable[list[str]], separator: str) -> list[str]:
    """Return the pieces of all parts, with a separator between two parts."""
    return [*chain.from_iterable([separator, *pieces] for pieces in parts)][1:]


def _part(part: Pairs | tuple[Any, ...], columns: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Return the pieces of the rows of the differences on one metric, and of their record."""
    if not isinstance(part, Pairs):
        return [_rows({name: _texts(x) for name, x in columns.items()})], [_line(encoded(part))]
    fields = {field.name: getattr(part, field.name) for field in dataclasses.fields(part) if field.init}
    ends = part.equivalence or ()
    arrays = {id(x): x for x in (*fields.values(), *ends, *columns.values()) if _numbers(x, len(part))}
    written: Texts = {key: [] for key, array in arrays.items() if np.isfinite(array).all()}
    rows: list[str] = []
    for piece in chunks(len(part)):
        texts = dict(zip(arrays, floats.texts([x[piece] for x in arrays.values()]), strict=True))
        for key, pieces in written.items():
            pieces += [", ", ", ".join(texts[key])]
        for key in arrays.keys() - written.keys():
            texts[key] = _defined(texts[key])
        rows += [",", _rows({name: texts.get(id(x)) or _texts(x[piece]) for name, x in columns.items()})]
    record = _separated(([f'"{name}": ', *_record(value, written)] for name, value in fields.items()), ", ")
    return rows[1:], [f'{{"class": "{type(part).__name__}", ', *record, "}"]


def _numbers(value: Any, size: int) -> bool:
    """Return whether a value is a column of so many floats."""
    return isinstance(value, np.ndarray) and value.dtype == np.float64 and value.shape == (size,)


def _record(value: Any, written: Texts) -> list[str]:
    """Return the pieces of a value of a record, of the arrays of which the items were written before."""
    if id(value) in written:
        empty = _line({**encoded(value[:0]), "shape": list(value.shape)})
        return [empty.removesuffix("]}"), *written[id(value)][1:], "]}"]
    if isinstance(value, tuple):
        return ["[", *_separated((_record(one, written) for one in value), ", "), "]"]
    return [_line(encoded(value))]


def _rows(columns: Mapping[str, list[str]]) -> str:
    """Return the rows of a table whose columns are the JSON of values."""
    form = "\n    {\n      " + ",\n      ".join(f"{_line(name)}: %s" for name in columns) + "\n    }"
    return ",".join([form % row for row in zip(*columns.values(), strict=True)])


def _texts(column: Any) -> list[str]:
    """Return the JSON of each value of a column, which never holds the end of a line."""
    values = column.tolist() if isinstance(column, np.ndarray) else column
    text = safe_json(json.dumps(values, ensure_ascii=False, default=plain, separators=("\n", ":")))
    texts = text[1:-1].split("\n")
    return _defined(texts) if "NaN" in text or "Infinity" in text else texts


def _defined(texts: list[str]) -> list[str]:
    """Return the same with null for numbers that are infinite or undefined."""
    return [_UNDEFINED.get(one, one) for one in texts]


def _line(value: Any) -> str:
    return safe_json(json.dumps(value, ensure_ascii=False))


def _indented(value: Any) -> str:
    return safe_json(json.dumps(value, indent=2, ensure_ascii=False))
