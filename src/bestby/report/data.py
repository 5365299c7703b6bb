"""Results as plain data: unrounded numbers, one spelling of every column."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable
from importlib import import_module
from typing import Any

import numpy as np

from bestby._core.errors import MissingExtraError
from bestby.results import Difference, Note, Provenance

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


def to_dict(c: Any) -> dict[str, Any]:
    """Return a result as dictionaries, lists, strings, numbers, booleans and None.

    Parameters
    ----------
    c : Comparison or alike
        The result.

    Returns
    -------
    dict
        For a comparison with the keys ``signature``, ``n_items``, ``systems``, ``differences``, ``omnibus``,
        ``notes`` and ``provenance``. NaN and infinite values, which JSON does not know, are None.
    """
    plain: dict[str, Any] = _plain(_describing(c).dictionary(c))
    return plain


def _describing(c: Any) -> Any:
    return import_module(f"bestby.report.{c.described_by}")


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


def to_frame(c: Any) -> Any:
    """Return one row per metric and pair.

    Parameters
    ----------
    c : Comparison or alike
        The result.

    Returns
    -------
    pandas.DataFrame
        For a comparison with the columns `COLUMNS`.

    Raises
    ------
    MissingExtraError
        If pandas is not installed.
    """
    try:
        import pandas as pd
    except ImportError as error:
        raise MissingExtraError("pandas", "frames") from error
    describing = _describing(c)
    return pd.DataFrame(describing.rows(c), columns=list(describing.COLUMNS))


def to_csv(c: Any) -> str:
    """Return the rows of `to_frame` as CSV: floats to the last bit, NaN and None empty."""
    describing = _describing(c)
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(describing.COLUMNS)
    writer.writerows([_cell(value) for value in row.values()] for row in describing.rows(c))
    return buffer.getvalue()


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
