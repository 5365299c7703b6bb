"""Results as plain data: unrounded numbers, one spelling of every column."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from importlib.util import find_spec
from typing import Any, Literal, cast

import numpy as np

from bestby._core import checks
from bestby._core.errors import MissingExtraError
from bestby.report.document import kind_of
from bestby.report.fields import Rows
from bestby.report.loading import FORMAT, encoded
from bestby.report.reported import FRAMES
from bestby.report.summary import all_notes
from bestby.report.writers.csv import lines, lines_of_columns
from bestby.results.base import Note


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


def scores_by_place(
    c: Any, names: Sequence[str], places: Sequence[tuple[str, ...]], **more: Sequence[float]
) -> list[dict[str, Any]]:
    """Return one row per system with its mean score, the place being None, and one per place and system."""
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
