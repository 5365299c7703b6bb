"""Scores of runs as arrays and nested lists: which index is what."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bestby._core import checks
from bestby._core.errors import InvalidInputError


def nested(data: Any, outer: str | None) -> Any:
    """Return arrays of runs as a mapping of dataset to system to runs; anything else as it is.

    An array has the shape (systems, datasets, runs); a mapping of names to arrays of shape (datasets, runs)
    has the systems outside, unless `outer` says "dataset". What has no name is numbered from 1.
    """
    by_system = None
    if isinstance(data, Mapping) and data and all(_depth(value) == 2 for value in data.values()):
        by_system = {checks.name_text(name, "system"): _rows(value) for name, value in data.items()}
        if outer == "dataset":
            return {name: dict(enumerate(rows, start=1)) for name, rows in by_system.items()}
    elif not isinstance(data, Mapping) and _depth(data) == 3:
        by_system = {str(place): _rows(value) for place, value in enumerate(_rows(data), start=1)}
    if by_system is None:
        return data
    sizes = {name: len(rows) for name, rows in by_system.items()}
    if len(set(sizes.values())) > 1:
        told = ", ".join(f"{name}: {size}" for name, size in sizes.items())
        raise InvalidInputError(
            f"all systems need runs on the same datasets, got numbers of datasets {told}",
            hint="the shape is (systems, datasets, runs); mappings name the datasets:"
            ' {"new": {"news": [0.71, 0.74], ...}, ...} with outer="system"',
        )
    n_datasets = next(iter(sizes.values()))
    return {
        str(place + 1): {name: rows[place] for name, rows in by_system.items()} for place in range(n_datasets)
    }


def _depth(value: Any) -> int:
    """Return how deeply sequences are nested, going by their first entries; 0 for anything else."""
    if hasattr(value, "ndim"):
        return int(value.ndim) if not hasattr(value, "columns") else 0
    if isinstance(value, list | tuple) and value:
        return 1 + _depth(value[0])
    return 0


def _rows(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else list(checks.as_array(value, "the runs"))


def holds_runs(rows: Mapping[str, Mapping[Any, Any]]) -> bool:
    """Return whether some system has several scores on a dataset."""
    return any(holds_several(value) for row in rows.values() for value in row.values())


def holds_several(value: Any) -> bool:
    """Return whether this is not a single score, but a container of them."""
    return isinstance(value, Mapping | list | tuple) or getattr(value, "ndim", 0) > 0
