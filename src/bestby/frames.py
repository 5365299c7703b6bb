"""A data frame as an evaluation: anything with named columns, no library of frames needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby._core.typing import Array, OnMissing
from bestby.evaluation import Evaluation


def is_frame(data: Any) -> bool:
    """Tell whether `data` is a table with named columns: pandas, polars, Arrow and their like.

    Examples
    --------
    >>> is_frame({"a": [1, 0]})
    False
    """
    named = hasattr(data, "column_names") or (hasattr(data, "columns") and hasattr(data, "dtypes"))
    return named and hasattr(data, "__getitem__")


def evaluation_from_frame(
    frame: Any,
    gold: str | None = None,
    *,
    item: str | None = None,
    cluster: str | Sequence[str] | None = None,
    stratum: str | None = None,
    systems: Sequence[str] | None = None,
    on_missing: OnMissing = "error",
    objects: bool = False,
) -> Evaluation:
    """Make an evaluation of a data frame with a row per item and a column per system.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame, pyarrow.Table, or alike
        Anything with `columns` or `column_names` and columns by name. It is not modified, and the index
        of a pandas frame is not used.
    gold, item, cluster, stratum : str, optional
        Names of the columns of the gold, the item ids and the groups of the items. Without gold, the
        values are scores. Two columns of clusters are two crossed groupings.
    systems : sequence of str, optional
        The columns of the systems; all that have no other role if not given.
    on_missing : {"error", "drop", "worst"}
        What to do with rows where some system has no value (None, NaN, NA).
    objects : bool
        Take gold and predictions as they are, neither labels nor numbers: texts, lists of references.

    Returns
    -------
    Evaluation
        The checked data.

    Raises
    ------
    InvalidInputError
        If there is no such column, a name occurs twice, or a value is missing that must not be.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"label": ["x", "y"], "aen": ["x", "x"], "bert": ["y", "y"]})
    >>> evaluation_from_frame(frame, gold="label").names
    ('aen', 'bert')
    """
    checks.choice(on_missing, ("error", "drop", "worst"), "on_missing")
    names = _names(frame)
    cluster, crossed = _clusters(cluster)
    roles = {"gold": gold, "item": item, "cluster": cluster, "cluster 2": crossed, "stratum": stratum}
    for role, name in roles.items():
        if name is not None:
            _require(names, name, role)
    chosen = _chosen(names, roles, systems)
    side = {
        role: None if name is None else _whole(frame, name, role, objects=objects and role == "gold")
        for role, name in roles.items()
    }
    values = {name: _column(frame, name, f"column {name!r}", objects=objects) for name in chosen}
    absent = {name: _absent(array) for name, array in values.items()}
    if on_missing == "error" or not any(mask.any() for mask in absent.values()):
        for name, mask in absent.items():
            _check_present(name, mask, side["item"])
        return Evaluation.of(
            values,
            side["gold"],
            items=side["item"],
            clusters=side["cluster"] if crossed is None else [side["cluster"], side["cluster 2"]],
            strata=side["stratum"],
            objects=objects,
        )
    ids = side["item"]
    keys = list(range(1, next(iter(values.values())).size + 1)) if ids is None else ids.tolist()
    if len(set(keys)) < len(keys):
        first = next(key for key in keys if keys.count(key) > 1)
        raise InvalidInputError(
            f"item ids in column {item!r} must be unique; {first!r} occurs more than once"
        )

    def keyed(array: Array, mask: Array | None = None) -> dict[Any, Any]:
        gone = [False] * len(keys) if mask is None else mask.tolist()
        kept = array.tolist()
        return {key: value for key, value, out in zip(keys, kept, gone, strict=True) if not out}

    groups = [side[role] for role in ("cluster", "cluster 2")]
    clusters = [None if array is None else keyed(array) for array in groups]
    return Evaluation.of(
        {name: keyed(_unfloated(values[name], absent[name], side["gold"]), absent[name]) for name in chosen},
        None if side["gold"] is None else keyed(side["gold"]),
        clusters=clusters[0] if crossed is None else clusters,
        strata=None if side["stratum"] is None else keyed(side["stratum"]),
        on_missing=on_missing,
        objects=objects,
    )


def _clusters(cluster: str | Sequence[str] | None) -> tuple[str | None, str | None]:
    """Return the columns of one grouping of the items, or of two crossed ones."""
    if cluster is None or isinstance(cluster, str):
        return cluster, None
    if len(cluster) not in (1, 2):
        raise InvalidInputError(f"clusters are one column or two crossed ones, got {len(cluster)}")
    return cluster[0], cluster[1] if len(cluster) == 2 else None


def _names(frame: Any) -> list[str]:
    names = list(frame.column_names if hasattr(frame, "column_names") else frame.columns)
    for name in names:
        if not isinstance(name, str):
            raise InvalidInputError(
                f"columns must be named by strings, got {name!r} ({type(name).__name__})",
                hint="rename the columns, for example with frame.columns = frame.columns.astype(str)",
            )
        if names.count(name) > 1:
            raise InvalidInputError(
                f"column name {name!r} occurs {names.count(name)} times",
                hint="give every column a name of its own",
            )
    return names


def _require(names: Sequence[str], name: str, role: str) -> None:
    if name not in names:
        shown = ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
        raise InvalidInputError(
            f"the frame has no column {name!r} (asked for as {role})", hint=f"its columns are: {shown}"
        )


def _chosen(names: Sequence[str], roles: dict[str, str | None], systems: Sequence[str] | None) -> list[str]:
    if systems is None:
        return [name for name in names if name not in roles.values()]
    for name in systems:
        _require(names, name, "system")
        if name in roles.values() or list(systems).count(name) > 1:
            raise InvalidInputError(
                f"column {name!r} was asked for more than once, as a system and otherwise"
            )
    return list(systems)


def _absent(array: Array) -> Array:
    """Return where values are missing: None, NaN, pandas' NA and NaT."""
    if array.dtype.kind == "f":
        return np.isnan(array)
    if array.dtype.kind != "O":
        return np.zeros(array.shape, dtype=np.bool_)
    # NA is neither equal to itself nor unequal: the comparison gives NA again, which is no boolean.
    return np.array(
        [
            value is None
            or type(value).__name__ in {"NAType", "NaTType"}
            or (isinstance(value, float) and value != value)
            for value in array
        ],
        dtype=np.bool_,
    )


def _column(frame: Any, name: str, what: str, *, objects: bool) -> Array:
    array = checks.as_array(frame[name], what)
    if not objects:
        return array
    out = np.empty(len(array), dtype=object)
    for position, value in enumerate(array):  # polars and Arrow give the lists of a column as arrays
        out[position] = value.tolist() if isinstance(value, np.ndarray | np.generic) else value
    return out


def _whole(frame: Any, name: str, role: str, *, objects: bool = False) -> Array:
    array = _column(frame, name, f"column {name!r}", objects=objects)
    mask = _absent(array)
    if mask.any():
        raise InvalidInputError(
            f"{role} column {name!r} has no value in {int(mask.sum())} of {mask.size} rows;"
            f" first: row {int(np.flatnonzero(mask)[0]) + 1}",
            hint=f"every item needs its {role}: remove these rows",
        )
    return array if objects else checks.column(array, f"{role} column {name!r}")


def _check_present(name: str, mask: Array, items: Array | None) -> None:
    if mask.any():
        first = int(np.flatnonzero(mask)[0])
        where = f"row {first + 1}" + (f", item {str(items[first])!r}" if items is not None else "")
        raise InvalidInputError(
            f"system {name!r} has no value for {int(mask.sum())} of {mask.size} items; first: {where}",
            hint='pass on_missing="drop" to compare the other items only,'
            ' or on_missing="worst" to count the missing as wrong',
        )


def _unfloated(array: Array, mask: Array, gold: Array | None) -> Array:
    """Return to integers what a frame turned into floats only because a value is missing."""
    if array.dtype.kind != "f" or gold is None or gold.dtype.kind not in "iu" or not mask.any():
        return array
    filled = np.where(mask, 0.0, array)
    whole = np.all(filled == np.rint(filled)) and np.all(np.abs(filled) < 2**53)
    return filled.astype(np.int64) if whole else array
