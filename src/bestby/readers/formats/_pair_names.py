"""Which two columns of a table belong together, told by their names."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from bestby._core.errors import InvalidInputError
from bestby.readers.database import connection, literal
from bestby.readers.formats._lines import first_lines

Pair = tuple[str, str]

PAIRS: Mapping[tuple[str, str], str] = {
    ("logprob", "tokens"): "perplexity",
    ("logprob", "bytes"): "bits_per_byte",
    ("n", "c"): "pass@1",
    ("samples", "correct"): "pass@1",
}
"""Names of two columns that belong together, and the metric they suggest."""

_DELIMITERS = (",", "\t", ";", "|")


def names_of(path: Path, head: bytes) -> list[str]:
    """Return the names of the columns as far as the start of a file tells."""
    if head.startswith(b"PAR1"):
        try:
            with connection(path) as database:
                rows = database.execute("DESCRIBE SELECT * FROM read_parquet(?)", [literal(path)]).fetchall()
        except InvalidInputError:
            return []
        return [str(row[0]) for row in rows]
    lines = first_lines(head)
    first = lines[0].strip() if lines else ""
    if first.startswith("{"):
        try:
            record = json.loads(first)
        except (ValueError, RecursionError):
            return []
        return [str(name) for name in record] if isinstance(record, dict) else []
    try:
        cut = [row for delimiter in _DELIMITERS for row in csv.reader([first], delimiter=delimiter)]
    except csv.Error:  # a cell beyond all metric
        return []
    return [name.strip() for name in max(cut, key=len, default=[])]


def named(names: Sequence[str]) -> list[Pair]:
    """Return the pairs whose two names are both there."""
    return [pair for pair in PAIRS if pair[0] in names and pair[1] in names]


def prefixed(names: Sequence[str], pairs: Sequence[Pair] = tuple(PAIRS)) -> dict[Pair, list[str]]:
    """Return the systems of a wide table, by the pair of columns that two or more of them have."""
    known = {*names}
    found = {}
    for one, two in pairs:
        systems = [name.removesuffix(f".{one}") for name in names if name.endswith(f".{one}")]
        systems = [system for system in systems if system and f"{system}.{two}" in known]
        if len(systems) >= 2:
            found[(one, two)] = systems
    return found
