"""Results as plain data: unrounded numbers, one spelling of every column; frames, CSV and JSON."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from importlib.util import find_spec
from itertools import chain
from typing import Any, Literal, cast

import numpy as np

from bestby._core import checks
from bestby._core.chunks import chunks
from bestby._core.errors import MissingExtraError
from bestby._core.text import safe_json
from bestby.report.document import kind_of
from bestby.report.fields import Rows
from bestby.report.loading import FORMAT, encoded
from bestby.report.pairs import Differences, Pairs, notes_of
from bestby.report.reported import FRAMES
from bestby.report.words import all_notes
from bestby.report.writers import csv
from bestby.report.writers.csv import lines, lines_of_columns
from bestby.results.base import Note

_UNDEFINED = dict.fromkeys(("nan", "inf", "-inf", "NaN", "Infinity", "-Infinity"), "null")

Texts = dict[int, list[str]]
"""Of an array of floats, known by its `id`, what is written of its values."""


def to_dict(c: Any) -> dict[str, Any]:
    """Return a result as JSON knows it: first what is easy to read, then under "record" everything."""
    return {**readable(c), "record": encoded(c)}


def readable(c: Any) -> dict[str, Any]:
    """Return what is easy to read of a result, as JSON knows it."""
    document = {
        "kind": type(c).__name__,
        "format": FORMAT,
        "signature": c.signature,
        **kind_of(c).dictionary(c),
        "notes": notes_as_dicts(all_notes(c)),
        "provenance": c.provenance and asdict(c.provenance),
    }
    return cast("dict[str, Any]", plain(document))


def notes_as_dicts(notes: Iterable[Note]) -> list[dict[str, Any]]:
    """Return notes as dictionaries."""
    return [asdict(note) for note in notes]


def on_the_best(c: Any) -> dict[str, Any]:
    """Return what is said of the best system, and of the one named in advance, where that was asked."""
    parts = {"best_set": "best_sets", "leader": "leaders", "focus": "focus"}
    found = {name: getattr(c, field, ()) for name, field in parts.items()}
    return {name: [asdict(part) for part in of] for name, of in found.items() if of}


def scores_by_place(
    c: Any, names: Sequence[str], places: Sequence[tuple[str, ...]], **more: Sequence[Any]
) -> list[dict[str, Any]]:
    """Return one row per system with its mean score, the place being None, and one per place and system."""
    if c.best is not None:
        more |= {"may_be_best": [name in c.best.systems for name in c.systems], "behind": c.behind}
    nowhere = dict.fromkeys((*names, *more))
    means = [
        {**nowhere, "system": system, "score": mean, **{name: values[i] for name, values in more.items()}}
        for i, (system, mean) in enumerate(zip(c.systems, c.means, strict=True))
    ]
    return means + [
        {**nowhere, **dict(zip(names, place, strict=True)), "system": system, "score": float(score)}
        for place, scores in zip(places, c.scores, strict=True)
        for system, score in zip(c.systems, scores, strict=True)
    ]


def table_of(c: Any, what: str | None) -> Rows:
    """Return a table of a result by its name: by default the first, without differences the scores."""
    tables: dict[str, Rows] = kind_of(c).TABLES
    if what is not None:
        return tables[checks.choice(what, tuple(tables), "what")]
    first = next(iter(tables))
    return tables["scores" if first == "differences" and not len(c.differences) else first]


def to_frame(c: Any, what: str | None = None, backend: str | None = None) -> Any:
    """Return a table of a result as a data frame."""
    parts = list(table_of(c, what).parts(c))
    if len(parts) == 1:
        return frame(parts[0], backend)
    return frame({name: np.concatenate([part[name] for part in parts]) for name in parts[0]}, backend)


def frame(values: Mapping[str, Any], backend: str | None) -> Any:
    """Return columns as a data frame of a library, by default of the first that is installed."""
    library = _installed(backend)
    if library == "pandas":
        import pandas as pd

        return pd.DataFrame(values)
    import narwhals

    typed = {name: _typed(column) for name, column in values.items()}
    return narwhals.from_dict(typed, backend=library).to_native()


def _installed(backend: str | None) -> Literal["pandas", "polars", "pyarrow"]:
    """Return the library of frames to use: the one that is named, else the first that is installed."""
    if backend is not None:
        checks.choice(backend, FRAMES, "backend")
    for library in FRAMES:
        if backend in (None, library) and find_spec(library) is not None:
            return library
    raise MissingExtraError(backend or "pandas", "frames")


def _typed(values: Sequence[Any]) -> list[Any]:
    """Return a column of one type: numbers as floats if one is, NaN as a missing value."""
    plain = [value.item() if isinstance(value, np.generic) else value for value in values]
    if not any(isinstance(value, float) for value in plain):
        return plain
    return [None if value is None or value != value else float(value) for value in plain]


def to_csv(c: Any, what: str | None = None, *, spreadsheet_safe: bool = False) -> str:
    """Return the rows of `to_frame` as CSV: floats to the last bit, NaN and None empty."""
    safe = checks.flag(spreadsheet_safe, "spreadsheet_safe")
    table = table_of(c, what)
    texts = (lines_of_columns([*part.values()], spreadsheet_safe=safe) for part in table.parts(c))
    return "".join([lines([[field.name for field in table.columns(c)]]), *texts])


def plain(value: Any) -> Any:
    """Return `value` as JSON knows it."""
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, str | int | bool) else str(value)


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
    fields = {field.name: getattr(part, field.name) for field in dataclasses.fields(part)}
    ends = part.equivalence or ()
    arrays = {id(x): x for x in (*fields.values(), *ends, *columns.values()) if _numbers(x, len(part))}
    written: Texts = {key: [] for key, array in arrays.items() if np.isfinite(array).all()}
    rows: list[str] = []
    for piece in chunks(len(part)):
        texts = dict(zip(arrays, csv.float_texts([x[piece] for x in arrays.values()]), strict=True))
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
    """Return texts with null for numbers that are infinite or undefined."""
    return [_UNDEFINED.get(one, one) for one in texts]


def _line(value: Any) -> str:
    return safe_json(json.dumps(value, ensure_ascii=False))


def _indented(value: Any) -> str:
    return safe_json(json.dumps(value, indent=2, ensure_ascii=False))
