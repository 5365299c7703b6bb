"""Scores larger than memory: DuckDB reads them in batches, in the order of the files, pass after pass."""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bestby._core import checks
from bestby._core.checks import NUMERAL, number_hint
from bestby._core.errors import DesignError, InvalidInputError, MissingExtraError
from bestby._core.typing import OnMissing
from bestby.data.alignment import dropped_note
from bestby.data.batches import Batch, Streamed
from bestby.data.columns import Missing
from bestby.readers.database import in_order, quoted
from bestby.resampling.streams import GOLDEN, mix
from bestby.results.base import Note

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_WHITE_SPACE = "".join(letter for letter in map(chr, range(0x3001)) if letter.isspace())
"""What `str.strip` removes; SQL removes blanks only unless it is told."""

ROWS = 1 << 17
"""Items of a batch."""


@dataclass(frozen=True)
class Passes:
    """Makes passes over the items of a table; `queries` are SQL and its parameters."""

    source: str
    queries: tuple[tuple[str, tuple[Any, ...]], ...]
    with_gold: bool
    complete: bool = False

    def __call__(self) -> Iterator[Batch]:
        """Yield all items, in the same order in each pass."""
        for query, given in self.queries:
            with in_order(self.source) as database:
                relation: Any = database.sql(query, params=list(given))
                # The older name is all that DuckDB before 1.4 has.
                reader = getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader
                for found in reader(ROWS):
                    keys, *columns = (
                        found.column(i).to_numpy(zero_copy_only=False) for i in range(found.num_columns)
                    )
                    values = [np.asarray(column, dtype=np.float64) for column in columns]
                    batch = Batch(
                        np.asarray(keys, dtype=np.uint64),
                        values[0] if self.with_gold else None,
                        values[1:] if self.with_gold else values,
                    )
                    if self.complete:
                        batch = _complete(batch)
                    if batch.keys.size:
                        yield batch


def _complete(batch: Batch) -> Batch:
    kept = ~np.isnan(np.column_stack(batch.systems)).any(axis=1)
    gold = None if batch.gold is None else batch.gold[kept]
    return Batch(batch.keys[kept], gold, [values[kept] for values in batch.systems])


def number_of(column: str, kind: str, missing: Missing) -> str:
    """Return SQL for the number in a column; NULL where the value is missing."""
    if kind == "number":
        return f"CAST({column} AS DOUBLE)"
    return f"CAST({text_of(column, kind, missing)} AS DOUBLE)"


def text_of(column: str, kind: str, missing: Missing) -> str:
    """Return SQL for the text of a column without white space around it; NULL where the value is missing."""
    text = f"{column}->>'$'" if kind == "json" else f"CAST({column} AS VARCHAR)"
    text = f"trim({text}, {quoted(_WHITE_SPACE)})"
    words = ", ".join(map(quoted, sorted(missing)))
    return f"CASE WHEN {text} IN ({words}) THEN NULL ELSE {text} END"


def key_of(column: str, kind: str, missing: Missing) -> str:
    """Return SQL for the key of an item, of `bestby.resampling.poisson.item_keys`; NULL without an id."""
    return f"CAST(md5_number_lower({text_of(column, kind, missing)}) AS UBIGINT)"


def check_cells(
    database: DuckDBPyConnection,
    source: str,
    item: str,
    found: Sequence[tuple[str, Sequence[Any], str, Mapping[str, str]]],
) -> None:
    """Refuse a table where an item has no id, or a text that is to be read as a number is not one."""
    n = absent = 0
    for relation, given, id_text, texts in found:
        odd = [
            f"min({text}) FILTER (WHERE NOT regexp_full_match({text}, {quoted(NUMERAL.pattern)}))"
            for text in texts.values()
        ]
        asked = ", ".join(["count(*)", f"count({id_text})", *odd])
        rows, present, *examples = database.execute(f"SELECT {asked} FROM {relation}", [*given]).fetchall()[0]
        n, absent = n + rows, absent + rows - present
        for name, text in zip(texts, examples, strict=True):
            if text is not None:
                raise InvalidInputError(
                    f"{source}: column {name!r} holds text that is not a number: {text!r}",
                    hint=number_hint(
                        text, "correct this value; if it stands for a missing one, say so: missing=..."
                    ),
                )
    if absent:
        raise InvalidInputError(
            f"{source}: item column {item!r} has no value in {absent} of {n} rows",
            hint="every item needs its id",
        )


def read_batches(passes: Passes, names: Sequence[str], on_missing: OnMissing) -> Streamed:
    """Go over the items once, to count them, to look for missing values and for the hash of the data."""
    _check_arrow()
    if on_missing == "worst":
        raise DesignError(
            "a missing score cannot count as the worst of a table that is read in batches",
            hint='pass on_missing="drop", or read the table whole: stream=False',
        )
    n = n_kept = 0
    gold_gone, gone, summed = 0, np.zeros(len(names), dtype=np.int64), 0
    order = sorted(range(len(names)), key=lambda s: names[s])
    for batch in passes():
        absent = np.isnan(np.column_stack(batch.systems))
        gone += absent.sum(axis=0)
        kept = ~absent.any(axis=1)
        n_kept += int(kept.sum())
        for name, column in zip(names, batch.systems, strict=True):
            checks.check_bounded(np.where(kept, column, 0.0), f"system {name!r}", n)
        if batch.gold is not None:
            checks.check_bounded(np.where(kept & ~np.isnan(batch.gold), batch.gold, 0.0), "gold", n)
        n += batch.keys.size
        hashed = batch.keys
        columns = [batch.systems[s] for s in order]
        if batch.gold is not None:
            gold_gone += int(np.isnan(batch.gold).sum())
            columns.append(batch.gold)
        for column in columns:
            hashed = mix(hashed * GOLDEN + np.ascontiguousarray(column).view(np.uint64))
        summed += int(hashed[kept].sum(dtype=np.uint64))  # a sum does not know the order of its terms
    if gold_gone:
        raise InvalidInputError(
            f"{passes.source}: the gold is missing for {gold_gone} of {n} items", hint="remove these items"
        )
    if on_missing == "error" and gone.any():
        first = int(np.flatnonzero(gone)[0])
        raise InvalidInputError(
            f"{passes.source}: system {names[first]!r} has no value for {int(gone[first])} of {n} items",
            hint='pass on_missing="drop" to compare the other items only',
        )
    if n_kept < 2:
        raise InvalidInputError(
            f"a comparison needs at least 2 items, got {n_kept}",
            hint="with one item nothing can be said about the uncertainty",
        )
    content = f"batches|{'|'.join(sorted(names))}|{passes.with_gold}|{n_kept}|{summed % (1 << 64)}"
    empty = np.empty(0)
    return Streamed(
        systems=dict.fromkeys(names, empty),
        gold=empty if passes.with_gold else None,
        notes=(*_notes(n_kept), *([dropped_note(n - n_kept, n)] if n_kept < n else [])),
        batches=Passes(passes.source, passes.queries, passes.with_gold, complete=n_kept < n),
        n=n_kept,
        digest=hashlib.blake2b(content.encode(), digest_size=8).hexdigest(),
    )


def _notes(n: int) -> tuple[Note, ...]:
    message = (
        "the scores were read in batches. A resample takes each item a Poisson number of times (mean 1), by"
        f" its id, so that the size of a resample varies: by {1.0 / np.sqrt(n):.1g} of the {n} items. Totals"
        " are divided by the resample's own size, so that scores vary as those of n items drawn, up to 1/n."
        " That ids are unique was not checked: items of one id are drawn and swapped together"
    )
    return (Note("poisson_resamples", message),)


def _check_arrow() -> None:
    if importlib.util.find_spec("pyarrow") is None:
        raise MissingExtraError("pyarrow", "arrow")
