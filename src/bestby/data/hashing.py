"""Hashes of an `Evaluation`, which imports this module: those of the same data are the same."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from bestby._core.chunks import chunks
from bestby._core.mixing import GOLDEN, Words, mix
from bestby._core.typing import Array
from bestby.data.checked_values import objects_as_text
from bestby.data.coding import codes, group_codes
from bestby.data.columns import complete
from bestby.data.values import are_whole, integer_type


def hash_of_items(evaluation: Any) -> str:
    """Return the first 16 hexadecimal digits of a hash of all values, names and groups."""
    digest = hashlib.blake2b(digest_size=8)
    parts: list[tuple[str, Array | None]] = []
    for name in sorted(["", *evaluation.systems]):
        values = evaluation.systems.get(name, evaluation.gold)
        if values is not None and values.dtype.kind == "O":
            parts.append((f"objects {name}", np.frombuffer(objects_as_text(values), dtype=np.uint8)))
        elif values is not None and values.dtype.kind == "f" and not _are_whole(values):
            parts.append((f"values {name}", values))
        elif values is not None:
            distinct, code = _codes(evaluation, name)
            parts += [(f"labels {name}", _plain(distinct)), (f"codes {name}", code)]
    parts += [(f"missing {name}", evaluation.missing[name]) for name in sorted(evaluation.missing)]
    parts += [(f"trials {name}", evaluation.trials[name]) for name in sorted(evaluation.trials)]
    for name, groups in (
        ("clusters", evaluation.clusters),
        ("strata", evaluation.strata),
        ("crossed", evaluation.crossed),
    ):
        if groups is not None:
            distinct, code = group_codes(groups)
            parts += [(name, _plain(distinct)), (f"{name} codes", code)]
    parts.append(("classes", evaluation.classes))
    parts.append(("annotations", None if evaluation.annotations is None else evaluation.annotations.counts))
    for name, array in parts:
        if array is not None:
            shape = "x".join(map(str, array.shape))
            digest.update(f"{name}|{array.dtype.str}|{shape}|".encode())
            digest.update(np.ascontiguousarray(array).view(np.uint8).data)
    return digest.hexdigest()


def has_whole_rows(evaluation: Any) -> bool:
    """Tell whether the items are hard labels, whole numbers of any type, and strata, and nothing else."""
    return (
        evaluation.plain
        and not evaluation.trials
        and all(column.dtype.kind != "f" or _are_whole(column) for column in evaluation.compact.values())
    )


def hash_of_columns(columns: Mapping[str, Array]) -> str:
    """Return a hash of columns of the items and their names, in whatever order the columns come.

    >>> hash_of_columns({"a": np.array([1, 2])}) == hash_of_columns({"b": np.array([1, 2])})
    False
    """
    digest = hashlib.blake2b(digest_size=8)
    for name in sorted(columns):
        distinct, code = group_codes(np.asarray(columns[name]))
        digest.update(f"{name}|{distinct.tolist()!r}|{code.dtype.str}|".encode())
        digest.update(np.ascontiguousarray(code).view(np.uint8).data)
    return digest.hexdigest()


def hash_of_cells(evaluation: Any) -> str:
    """Return a hash of the joint rows and how often each occurs, whatever the order of the items.

    Rows must be counted, or hold labels and whole numbers only: see `has_whole_rows`. It adds up a hash of
    each row, modulo 2^64: of the distinct rows, times their counts, where they were counted already, and else
    of all.
    """
    digest = hashlib.blake2b(digest_size=8)
    strata = [] if evaluation.strata is None else [("strata", group_codes(evaluation.strata))]
    labels = [(name, _codes(evaluation, name)) for name in sorted(evaluation.compact)]
    named = [(name, (_plain(distinct), code)) for name, (distinct, code) in labels + strata]
    for name, (distinct, _) in named:
        digest.update(f"cells {name}|{distinct.dtype.str}|{distinct.size}|".encode())
        digest.update(distinct.tobytes())
    tables = _random_words(tuple(distinct.size for _, (distinct, _) in named))
    columns = [(code, evaluation.missing.get(name)) for name, (_, code) in named]
    counts = evaluation.counts
    if evaluation.counted:
        distinct_rows, counts = evaluation.cells
        columns = [
            (code[distinct_rows], None if absent is None else absent[distinct_rows])
            for code, absent in columns
        ]
    total = 0
    for part in chunks(columns[0][0].size):
        row = np.zeros(columns[0][0][part].size, dtype=np.uint64)
        for (code, absent), table in zip(columns, tables, strict=True):
            own = code[part].astype(np.intp)
            if absent is not None:
                own[absent[part]] = table.size - 1
            row += table.take(own)
        row = mix(row)
        if counts is not None:
            row *= counts[part].astype(np.uint64)
        total += int(row.sum(dtype=np.uint64))
    digest.update(f"rows|{evaluation.n_items}|{total % (1 << 64)}|".encode())
    return digest.hexdigest()


def _codes(evaluation: Any, name: str) -> tuple[Array, Array]:
    """Return the distinct values and the codes of a column; those of whole numbers are integers."""
    values = evaluation.compact[name]
    if values.dtype.kind == "f" and _are_whole(values):
        return codes(values.astype(np.int64))
    return evaluation.codes_of(name)  # type: ignore[no-any-return]


def _plain(distinct: Array) -> Array:
    """Return values in the type that all of them have here, however wide the type is that they came in.

    >>> _plain(np.array([1, 2], dtype=np.int8)).dtype, _plain(np.array(["yes", "no"], dtype="U20")).dtype
    (dtype('int64'), dtype('<U3'))
    """
    if distinct.dtype.kind == "U":
        return np.array(distinct.tolist(), dtype=np.str_)
    if distinct.dtype.kind not in "iu" or distinct.dtype == np.int64:
        return distinct
    return distinct.astype(integer_type(distinct.tolist()))


def _are_whole(values: Array) -> bool:
    """Tell whether these are whole numbers, one per item, that happen to be floats: 1.0 for 1."""
    return (
        values.ndim == 1 and bool((values[:1] == np.rint(values[:1])).all()) and are_whole(complete(values))
    )


def _random_words(sizes: tuple[int, ...]) -> list[Words]:
    """Return a random word per value of each column, and one more at the end, for a missing value."""
    words = np.concatenate([np.arange(size + 1, dtype=np.uint64) for size in sizes])
    ends = np.cumsum(np.array(sizes) + 1)
    words[ends - 1] = np.uint64(1 << 63)
    places = np.repeat(np.arange(1, len(sizes) + 1, dtype=np.uint64), np.array(sizes) + 1)
    return np.split(mix(mix(words + GOLDEN) + places * GOLDEN), ends[:-1])
