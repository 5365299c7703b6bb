"""Tables as lines of separated values (RFC 4180), and what makes them safe to open in a spreadsheet."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\N{FULLWIDTH EQUALS SIGN}", "\N{FULLWIDTH PLUS SIGN}",
            "\N{FULLWIDTH HYPHEN-MINUS}", "\N{FULLWIDTH COMMERCIAL AT}")  # fmt: skip
"""What a text begins with that a spreadsheet may take for a formula and run (OWASP, CSV injection)."""


def lines(rows: Iterable[Sequence[Any]], delimiter: str = ",", *, spreadsheet_safe: bool = False) -> str:
    """Return rows as CSV, floats to the last bit; `spreadsheet_safe` makes formulas of texts harmless."""
    special = (delimiter, '"', "\r", "\n")

    def cell(value: Any) -> str:
        text = _text(value)
        if spreadsheet_safe and isinstance(value, str) and text.startswith(_FORMULA):
            text = f"'{text}"
        if any(character in text for character in special):
            text = '"' + text.replace('"', '""') + '"'
        return text

    return "".join(f"{delimiter.join(map(cell, row))}\n" for row in rows)


def _text(value: Any) -> str:
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value)
