"""Results as plain data: unrounded numbers, one spelling of every column."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from importlib.util import find_spec
from itertools import chain
from typing import Any, Literal, cast

import numpy as np

from bestby._core import checks
from bestby._core.errors import MissingExtraError
from bestby.report import disagreements
from bestby.report.document import kind_of
from bestby.report.summary import all_notes
from bestby.report.words import computed
from bestby.report.writers.csv import lines, lines_of_columns
from bestby.results.base import FRAMES, Note
from bestby.results.comparison import Difference
from bestby.results.loading import FORMAT, encoded
from bestby.results.pairs import VERDICTS, Differences, Pairs, parts_of

DISAGREEMENT = "disagreement"
"""In place of an attribute: which parts of a difference disagree."""

COLUMNS = {
    "metric": "metric",
    "a": "a",
    "b": "b",
    "difference": "estimate",
    "score_a": "score_a",
    "score_b": "score_b",
    "low": "interval.low",
    "high": "interval.high",
    "level": "level",
    "interval": "interval.method",
    "p_value": "p_value",
    "p_adjusted": "p_adjusted",
    "test": "test.name",
    "exact": "exact",
    "n_differing": "n_differing",
    "verdict": "verdict",
    "better": "better",
    "favoured": "favoured",
    "equivalence_low": "equivalence_interval.low",
    "equivalence_high": "equivalence_interval.high",
    "standard_error": "standard_error",
    "standard_error_method": "standard_error_method",
    "disagreement": DISAGREEMENT,
}
"""The columns of any table of differences, and the attributes of a difference that they show."""


_SKIPPED = {
    "interval": {
        "low", "high", "interval", "verdict", "equivalence_low", "equivalence_high", "standard_error",
        "standard_error_method", "improvement_low", "improvement_high", "effect_low", "effect_high",
        "resampled", "probability_low", "probability_high", "robust_error", "win_rate_low", "win_rate_high",
        "low_min", "low_max", "high_min", "high_max", "excluding_zero",
    },
    "test": {
        "p_value", "p_adjusted", "test", "exact", "favoured", "rank_low", "rank_high", "group", "p_welch",
        "violation_ratio", "epsilon_min", "epsilon_min_reverse", "order_p", "order_p_reverse", "significant",
        "p_value_min", "p_value_max",
    },
}  # fmt: skip
"""The columns that a table does not have if its result was asked for without intervals, or without tests."""


def skipped(c: Any) -> set[str]:
    """Return the columns that the tables of a result leave out, as nobody asked for what they show."""
    names = {name for what, columns in _SKIPPED.items() if not computed(c, what) for name in columns}
    return names | {"level", "disagreement"} if _SKIPPED["interval"] | _SKIPPED["test"] <= names else names


def without_skipped(c: Any, rows: Iterable[dict[str, Any]]) -> Iterable[dict[str, Any]]:
    """Return rows without the columns that nobody asked for."""
    left_out = skipped(c)
    if not left_out:
        return rows
    return ({name: value for name, value in row.items() if name not in left_out} for row in rows)


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


def row(entry: Any, columns: Mapping[str, str] = COLUMNS) -> dict[str, Any]:
    """Return a record as a row; the ends of an interval are NaN, its method None, where there is none."""
    return {name: _value(entry, path) for name, path in columns.items()}


def _value(entry: Any, path: str) -> Any:
    if path == DISAGREEMENT:
        return disagreements.words(disagreements.kinds(entry))
    name, _, part = path.partition(".")
    value = getattr(entry, name)
    if part.isdigit():
        return value[int(part)]
    # Without a margin, there is no interval of equivalence: None.
    absent = math.nan if part in ("low", "high") and name != "equivalence_interval" else None
    return getattr(value, part, absent) if part else value


def rows(differences: Sequence[Difference]) -> Iterator[dict[str, Any]]:
    """Yield one row per difference, with the columns `COLUMNS`."""
    for part in parts_of(differences):
        columns = [
            column.tolist() if isinstance(column, np.ndarray) else column
            for column in _columns(part).values()
        ]
        yield from (dict(zip(COLUMNS, values, strict=True)) for values in zip(*columns, strict=True))


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


def table_of(c: Any, what: str | None) -> tuple[Sequence[str], Iterable[dict[str, Any]]]:
    """Return the columns and the rows of a table: by default the first, without differences the scores."""
    kind = kind_of(c)
    first = getattr(kind, "TABLE", "differences")
    tables = {first: (kind.COLUMNS, kind.rows), **getattr(kind, "MORE_TABLES", {})}
    default = first if first != "differences" or len(c.differences) else "scores"
    columns, rows = tables[default if what is None else checks.choice(what, tuple(tables), "what")]
    names = columns(c) if callable(columns) else columns  # that of some results depend on what they hold
    left_out = skipped(c)
    return [name for name in names if name not in left_out], rows(c)


def to_frame(c: Any, what: str | None = None, backend: str | None = None) -> Any:
    """Return a table of a result as a data frame."""
    values: dict[str, Any]
    if _asks_for_many(c, what):
        parts = [shown_columns(c, part) for part in c.differences.parts]
        values = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    else:
        columns, rows = table_of(c, what)
        table = list(rows)
        values = {name: [row[name] for row in table] for name in columns}
    return frame(values, backend)


def frame(values: Mapping[str, Any], backend: str | None) -> Any:
    """Return columns as a data frame of a library, by default of the first that is installed."""
    library = _installed(backend)
    if library == "pandas":
        import pandas as pd

        return pd.DataFrame(values)
    import narwhals

    typed = {name: _typed(column) for name, column in values.items()}
    return narwhals.from_dict(typed, backend=library).to_native()


def _asks_for_many(c: Any, what: str | None) -> bool:
    """Return whether a table is that of differences that are held as columns."""
    return isinstance(getattr(c, "differences", ()), Differences) and what in (None, "differences")


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


def _columns(part: Sequence[Difference]) -> dict[str, Any]:
    """Return the rows of some differences as columns."""
    if not isinstance(part, Pairs):
        return {name: [_value(d, path) for d in part] for name, path in COLUMNS.items()}
    names, size = np.array(part.names, dtype=object), len(part)
    columns = (
        [part.metric] * size,
        names[part.a].tolist(),
        names[part.b].tolist(),
        part.estimate,
        part.scores[part.a],
        part.scores[part.b],
        part.low,
        part.high,
        np.full(size, part.level),
        [part.interval] * size,
        part.p_value,
        part.p_adjusted,
        [part.test] * size,
        np.ones(size, dtype=np.bool_),
        part.n_differing.astype(np.int64),
        [VERDICTS[code] for code in part.verdict.tolist()],
        part.better,
        part.favoured,
        *(part.equivalence or ([None] * size, [None] * size)),
        part.standard_error,
        ["formula"] * size,
        disagreements.words_of_pairs(part),
    )
    return dict(zip(COLUMNS, columns, strict=True))


def shown_columns(c: Any, part: Sequence[Difference]) -> dict[str, Any]:
    """Return the columns of some differences that a result shows."""
    left_out = skipped(c)
    return {name: column for name, column in _columns(part).items() if name not in left_out}


def to_csv(c: Any, what: str | None = None, *, spreadsheet_safe: bool = False) -> str:
    """Return the rows of `to_frame` as CSV: floats to the last bit, NaN and None empty."""
    safe = checks.flag(spreadsheet_safe, "spreadsheet_safe")
    if _asks_for_many(c, what):
        parts = [shown_columns(c, part) for part in c.differences.parts]
        texts = (lines_of_columns([*part.values()], spreadsheet_safe=safe) for part in parts)
        return "".join([lines([[*parts[0]]]), *texts])
    columns, rows = table_of(c, what)
    return lines(chain([columns], ([row[name] for name in columns] for row in rows)), spreadsheet_safe=safe)


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
