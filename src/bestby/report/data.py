"""Results as plain data: unrounded numbers, one spelling of every column."""

from __future__ import annotations

import csv
import io
import math
from typing import Any

import numpy as np

from bestby._core.errors import MissingExtraError
from bestby.report.summary import all_notes
from bestby.results import Comparison, Difference, Note, SystemScore

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
)


def to_dict(c: Comparison) -> dict[str, Any]:
    """Return the comparison as dictionaries, lists, strings, numbers, booleans and None.

    Parameters
    ----------
    c : Comparison
        The comparison.

    Returns
    -------
    dict
        With the keys ``signature``, ``n_items``, ``systems``, ``differences``, ``omnibus``, ``notes`` and
        ``provenance``. NaN and infinite values, which JSON does not know, are None.
    """
    p = c.provenance
    document: dict[str, Any] = {
        "signature": c.signature,
        "n_items": c.n_items,
        "systems": [_system(entry) for entry in c.systems],
        "differences": [row(d) for d in c.differences],
        "omnibus": [
            {
                "metric": test.metric,
                "name": test.name,
                "statistic": test.statistic,
                "df": test.df,
                "p_value": test.p_value,
            }
            for test in c.omnibus
        ],
        "notes": [_note(note) for note in all_notes(c)],
        "provenance": {
            "version": p.version,
            "versions": p.versions,
            "seed": p.seed,
            "n_resamples": p.n_resamples,
            "settings": p.settings,
            "data": p.data,
            "data_hash": p.data_hash,
        },
    }
    plain: dict[str, Any] = _plain(document)
    return plain


def row(d: Difference) -> dict[str, Any]:
    """Return one difference as a row with the columns `COLUMNS`."""
    values = (
        d.metric,
        d.a,
        d.b,
        d.estimate,
        d.interval.low,
        d.interval.high,
        d.interval.level,
        d.interval.method,
        d.p_value,
        d.p_adjusted,
        d.test.name,
        d.exact,
        d.n_differing,
        d.verdict,
    )
    return dict(zip(COLUMNS, values, strict=True))


def to_frame(c: Comparison) -> Any:
    """Return one row per metric and pair.

    Parameters
    ----------
    c : Comparison
        The comparison.

    Returns
    -------
    pandas.DataFrame
        With the columns `COLUMNS`.

    Raises
    ------
    MissingExtraError
        If pandas is not installed.
    """
    try:
        import pandas as pd
    except ImportError as error:
        raise MissingExtraError("pandas", "frames") from error
    return pd.DataFrame([row(d) for d in c.differences], columns=list(COLUMNS))


def to_csv(c: Comparison) -> str:
    """Return the rows of `to_frame` as CSV: floats to the last bit, NaN and None empty."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([_cell(value) for value in row(d).values()] for d in c.differences)
    return buffer.getvalue()


def _system(entry: SystemScore) -> dict[str, Any]:
    return {
        "metric": entry.metric,
        "system": entry.system,
        "score": entry.score,
        "low": entry.interval.low,
        "high": entry.interval.high,
        "rank_low": entry.rank_low,
        "rank_high": entry.rank_high,
        "group": entry.group,
    }


def _note(note: Note) -> dict[str, Any]:
    return {"code": note.code, "message": note.message, "about": list(note.about)}


def _cell(value: Any) -> str:
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value)


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
