"""Results as plain data: unrounded numbers, one spelling of every column."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from itertools import chain, islice
from typing import Any

import numpy as np

from bestby._core import checks
from bestby._core.errors import MissingExtraError
from bestby._core.text import safe_json
from bestby.report.writers.csv import lines
from bestby.results.base import Note, Provenance
from bestby.results.comparison import Difference
from bestby.results.pairs import VERDICTS, Differences, Pairs, notes_of, parts_of

_ROWS = 2000  # written at a time

COLUMNS = (
    "metric",
    "a",
    "b",
    "difference",
    "low",
    "high",
    "level",
    "interval",
    "p_value",
    "p_adjusted",
    "test",
    "exact",
    "n_differing",
    "verdict",
    "better",
    "favoured",
    "equivalence_low",
    "equivalence_high",
    "standard_error",
    "standard_error_method",
)


def to_dict(c: Any) -> dict[str, Any]:
    """Return a result as dictionaries, lists, strings, numbers, booleans and None.

    The result of a comparison has the keys ``signature``, ``n_items``, ``systems``, ``differences``,
    ``omnibus``, ``notes`` and ``provenance``. NaN and infinite values, which JSON does not know, are None.
    """
    plain: dict[str, Any] = _plain(_describing(c).dictionary(c))
    return plain


def _describing(c: Any) -> Any:
    return import_module(f"bestby.report.kinds.{c.described_by}")


def made_by(p: Provenance) -> dict[str, Any]:
    """Return the provenance as a dictionary."""
    return {
        "version": p.version,
        "versions": p.versions,
        "seed": p.seed,
        "n_resamples": p.n_resamples,
        "settings": p.settings,
        "data": p.data,
        "data_hash": p.data_hash,
        "blas": p.blas,
    }


def noted(notes: Iterable[Note]) -> list[dict[str, Any]]:
    """Return notes as dictionaries."""
    return [{"code": note.code, "message": note.message, "about": list(note.about)} for note in notes]


def row(d: Difference) -> dict[str, Any]:
    """Return one difference as a row with the columns `COLUMNS`."""
    values = (
        d.metric,
        d.a,
        d.b,
        d.estimate,
        math.nan if d.interval is None else d.interval.low,
        math.nan if d.interval is None else d.interval.high,
        d.level,
        None if d.interval is None else d.interval.method,
        d.p_value,
        d.p_adjusted,
        d.test.name,
        d.exact,
        d.n_differing,
        d.verdict,
        d.better,
        d.favoured,
        None if d.equivalence_interval is None else d.equivalence_interval.low,
        None if d.equivalence_interval is None else d.equivalence_interval.high,
        d.standard_error,
        d.standard_error_method,
    )
    return dict(zip(COLUMNS, values, strict=True))


def rows(differences: Sequence[Difference]) -> Iterator[dict[str, Any]]:
    """Yield one row per difference, with the columns `COLUMNS`."""
    for part in parts_of(differences):
        if not isinstance(part, Pairs):
            yield from (row(d) for d in part)
            continue
        columns = [
            column.tolist() if isinstance(column, np.ndarray) else column
            for column in _columns(part).values()
        ]
        yield from (dict(zip(COLUMNS, values, strict=True)) for values in zip(*columns, strict=True))


def to_frame(c: Any) -> Any:
    """Return one row per metric and pair."""
    try:
        import pandas as pd
    except ImportError as error:
        raise MissingExtraError("pandas", "frames") from error
    describing = _describing(c)
    differences = getattr(c, "differences", ())
    if isinstance(differences, Differences):
        return pd.concat([pd.DataFrame(_columns(part)) for part in differences.parts], ignore_index=True)
    return pd.DataFrame(describing.rows(c), columns=list(describing.COLUMNS))


def _columns(part: Pairs | tuple[Difference, ...]) -> dict[str, Any]:
    """Return the rows of some differences as columns."""
    if not isinstance(part, Pairs):
        rows = [row(d) for d in part]
        return {column: [one[column] for one in rows] for column in COLUMNS}
    names, size = np.array(part.names, dtype=object), len(part)
    columns = (
        [part.metric] * size,
        names[part.a].tolist(),
        names[part.b].tolist(),
        part.estimate,
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
    )
    return dict(zip(COLUMNS, columns, strict=True))


def to_csv(c: Any, *, spreadsheet_safe: bool = False) -> str:
    """Return the rows of `to_frame` as CSV: floats to the last bit, NaN and None empty.

    `spreadsheet_safe` says to put an apostrophe before texts that a spreadsheet may take for formulas.
    """
    describing = _describing(c)
    rows = chain([describing.COLUMNS], (list(row.values()) for row in describing.rows(c)))
    return lines(rows, spreadsheet_safe=checks.flag(spreadsheet_safe, "spreadsheet_safe"))


def to_json(c: Any) -> str:
    """Return a result as JSON, indented, floats to the last bit; the differences of many piece by piece."""
    differences = getattr(c, "differences", ())
    if not isinstance(differences, Differences):
        return _json(to_dict(c)) + "\n"
    notes = (*c.notes, *notes_of(differences))
    document = to_dict(dataclasses.replace(c, differences=(), notes=notes))
    before, after = _json(document).split('"differences": []')
    pieces = [before, '"differences": [']
    described = iter(_describing(c).rows(c))
    while part := list(islice(described, _ROWS)):
        text = _json(_plain(part))
        pieces += [text[1:-2].replace("\n", "\n  "), ","]
    return "".join([*pieces[:-1], "\n  ]", after, "\n"])


def _json(value: Any) -> str:
    return safe_json(json.dumps(value, indent=2, ensure_ascii=False))


def _plain(value: Any) -> Any:
    """Return `value` as JSON knows it."""
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, str | int | bool) else str(value)
