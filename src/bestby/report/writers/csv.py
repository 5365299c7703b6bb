"""Tables as lines of separated values (RFC 4180), and what makes them safe to open in a spreadsheet."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from bestby._core.typing import Array, FloatArray

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\N{FULLWIDTH EQUALS SIGN}", "\N{FULLWIDTH PLUS SIGN}",
            "\N{FULLWIDTH HYPHEN-MINUS}", "\N{FULLWIDTH COMMERCIAL AT}")  # fmt: skip
"""What a text begins with that a spreadsheet may take for a formula and run (OWASP, CSV injection)."""

MANY = 200_000
"""Floats from which DuckDB writes them, in a fifth of the time that Python takes; it takes 0.1 s to start."""


def lines(rows: Iterable[Sequence[Any]], delimiter: str = ",", *, spreadsheet_safe: bool = False) -> str:
    """Return rows as CSV, floats to the last bit; `spreadsheet_safe` makes formulas of texts harmless."""
    cell = partial(_cell, delimiter=delimiter, spreadsheet_safe=spreadsheet_safe)
    return "".join(f"{delimiter.join(map(cell, row))}\n" for row in rows)


def lines_of_columns(columns: Sequence[Sequence[Any] | Array], *, spreadsheet_safe: bool = False) -> str:
    """Return columns of equally many values as CSV, separated by commas."""
    numbers = {i: x for i, x in enumerate(columns) if isinstance(x, np.ndarray) and x.dtype == np.float64}
    texts = dict(zip(numbers, float_texts([*numbers.values()]), strict=True))
    cells = (
        ["" if text == "nan" else text for text in texts[i]] if i in texts else _cells(x, spreadsheet_safe)
        for i, x in enumerate(columns)
    )
    return "".join([f"{','.join(row)}\n" for row in zip(*cells, strict=True)])


def _cells(column: Sequence[Any] | Array, spreadsheet_safe: bool) -> list[str]:
    """Return the text of each value of a column, of texts that come again once."""
    cell = partial(_cell, delimiter=",", spreadsheet_safe=spreadsheet_safe)
    values = column.tolist() if isinstance(column, np.ndarray) else column
    of_texts = {value: cell(value) for value in {value for value in values if isinstance(value, str)}}
    return [of_texts[value] if isinstance(value, str) else cell(value) for value in values]


def _cell(value: Any, *, delimiter: str, spreadsheet_safe: bool) -> str:
    text = _text(value)
    if spreadsheet_safe and isinstance(value, str) and text.startswith(FORMULA):
        text = f"'{text}"
    if any(character in text for character in (delimiter, '"', "\r", "\n")):
        text = '"' + text.replace('"', '""') + '"'
    return text


def _text(value: Any) -> str:
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value)


def float_texts(columns: Sequence[FloatArray]) -> list[list[str]]:
    """Return the `repr` of every float of some columns of one length.

    >>> float_texts([np.array([0.1, 1e-5, np.nan])])
    [['0.1', '1e-05', 'nan']]
    """
    if sum(column.size for column in columns) < MANY:
        return [[repr(value) for value in column.tolist()] for column in columns]
    import duckdb

    names = [f"c{i}" for i in range(len(columns))]
    asked = ", ".join(f"coalesce({name}::VARCHAR, 'nan') AS {name}" for name in names)  # NaN is NULL to it
    with duckdb.connect(":memory:", config={"threads": 1}) as database:
        database.execute("SET enable_progress_bar = false")  # it would go to stdout
        database.register(
            "numbers", {name: np.ascontiguousarray(x) for name, x in zip(names, columns, strict=True)}
        )
        fetched = database.execute(f"SELECT {asked} FROM numbers").fetchnumpy()
    return [fetched[name].tolist() for name in names]
