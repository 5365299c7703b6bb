"""Hashes of an `Evaluation`, which imports this module: those of the same data are the same."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from bestby._core.typing import Array
from bestby.data.checked_values import objects_as_text
from bestby.data.coding import codes


def hash_of_items(evaluation: Any) -> str:
    """Return the first 16 hexadecimal digits of a hash of all values, names and groups."""
    digest = hashlib.blake2b(digest_size=8)
    parts: list[tuple[str, Array | None]] = []
    for name in sorted(["", *evaluation.systems]):
        values = evaluation.systems.get(name, evaluation.gold)
        if values is not None and values.dtype.kind == "O":
            parts.append((f"objects {name}", np.frombuffer(objects_as_text(values), dtype=np.uint8)))
        elif values is not None and values.dtype.kind == "f":
            parts.append((f"values {name}", values))
        elif values is not None:
            distinct, code = evaluation.coded[name]
            parts += [(f"labels {name}", distinct), (f"codes {name}", code)]
    parts += [(f"missing {name}", evaluation.missing[name]) for name in sorted(evaluation.missing)]
    for name, groups in (
        ("clusters", evaluation.clusters),
        ("strata", evaluation.strata),
        ("crossed", evaluation.crossed),
    ):
        if groups is not None:
            distinct, code = codes(groups)
            parts += [(name, distinct), (f"{name} codes", code)]
    parts.append(("classes", evaluation.classes))
    parts.append(("annotations", None if evaluation.annotations is None else evaluation.annotations.counts))
    for name, array in parts:
        if array is not None:
            shape = "x".join(map(str, array.shape))
            digest.update(f"{name}|{array.dtype.str}|{shape}|".encode())
            digest.update(np.ascontiguousarray(array).view(np.uint8).data)
    return digest.hexdigest()


def hash_of_cells(evaluation: Any) -> str:
    """Return a hash of the distinct joint rows and their counts, whatever the order of the items."""
    position, counts = evaluation.cells
    digest = hashlib.blake2b(digest_size=8)
    rows = []
    named = evaluation.joint_codes() + (
        [] if evaluation.strata is None else [("strata", codes(evaluation.strata))]
    )
    for name, (distinct, code) in named:
        row = code[position].astype(np.int64)
        absent = evaluation.missing.get(name)
        if absent is not None:
            row[absent[position]] = -1
        rows.append(row)
        digest.update(f"cells {name}|{distinct.dtype.str}|{distinct.size}|".encode())
        digest.update(np.ascontiguousarray(distinct).view(np.uint8).data)
    table = np.column_stack([*rows, counts])[np.lexsort(rows)]
    digest.update(f"counts|{table.dtype.str}|{table.shape[0]}x{table.shape[1]}|".encode())
    digest.update(np.ascontiguousarray(table).view(np.uint8).data)
    return digest.hexdigest()
