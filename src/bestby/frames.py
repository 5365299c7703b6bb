"""A data frame as an evaluation: anything with named columns, no library of frames needed."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bestby._core import checks
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.partitions import counted, is_partitioned
from bestby._core.roles import (
    VALUE_WORDS,
    Roles,
    check_known,
    check_no_gold,
    check_no_run,
    listed,
    recognised,
    told_wide,
)
from bestby._core.text import quoted
from bestby._core.typing import Array, IntArray, OnMissing
from bestby.alignment import dropped, without_values, worst
from bestby.evaluation import Evaluation
from bestby.results import Note


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
    countable: bool = False,
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
        The columns of the systems. If not given, columns called gold, item (or id), cluster and stratum are
        what they are called, as in the files that `read` takes, all others are systems, and a note
        ``"read_as"`` tells so.
    on_missing : {"error", "drop", "worst"}
        What to do with rows where some system has no value (None, NaN, NA).
    objects : bool
        Take gold and predictions as they are, neither labels nor numbers: texts, lists of references.
    countable : bool
        Whether rows that stand for several items will do. A frame of dask is then counted on its workers:
        what comes here are its distinct rows.

    Returns
    -------
    Evaluation
        The checked data.

    Raises
    ------
    InvalidInputError
        If there is no such column, a name occurs twice, or a value is missing that must not be; if `systems`
        is not given and the frame is long, or a column shares no value with the gold.
    DesignError
        If every item is needed of a frame of dask, or it has too many distinct rows to be counted.

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
    asked = Roles(gold, item, cluster, stratum)
    for role, name in [*asked.named(), ("cluster 2", crossed)]:
        column = checks.name(name, role)
        if column is not None:
            _require(names, column, role)
    found = asked if systems is not None else recognised(asked, [name for name in names if name != crossed])
    roles = {
        "gold": found.gold,
        "item": found.item,
        "cluster": found.cluster,
        "cluster 2": crossed,
        "stratum": found.stratum,
    }
    chosen = _chosen(names, roles, systems)
    if systems is None:
        _check_wide(chosen, found)
    if is_partitioned(frame):
        kept = {"gold": found.gold, "stratum": found.stratum}
        grouped = found.cluster is not None
        whole = {"this metric": objects, "clusters": grouped, "this comparison": not countable}
        _check_countable(next((what for what, needed in whole.items() if needed), None))
        used = [name for name in kept.values() if name is not None]
        rows, counts = counted(frame, [*used, *chosen])
        evaluation = _of_counted(rows, counts, kept, chosen, on_missing, found.item, guessed=systems is None)
    else:
        evaluation = _of_rows(frame, roles, chosen, on_missing, objects=objects, guessed=systems is None)
    if systems is not None:
        return evaluation
    if crossed is not None:
        found = dataclasses.replace(found, cluster=f"{found.cluster} and {crossed}")
    told = Note("read_as", f"the data frame was read as {told_wide(chosen, found)}")
    return dataclasses.replace(evaluation, notes=(told, *evaluation.notes))


def _of_rows(
    frame: Any,
    roles: dict[str, str | None],
    chosen: Sequence[str],
    on_missing: OnMissing,
    *,
    objects: bool,
    guessed: bool,
) -> Evaluation:
    """Make an evaluation of a frame with a row per item."""
    crossed, item = roles["cluster 2"], roles["item"]
    side = {
        role: None if name is None else _whole(frame, name, role, objects=objects and role == "gold")
        for role, name in roles.items()
    }
    values = {name: _column(frame, name, f"column {name!r}", objects=objects) for name in chosen}
    absent = {name: _absent(array) for name, array in values.items()}
    if guessed and not objects:
        _check_alike(values, absent, side["gold"])
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


def _check_wide(systems: Sequence[str], found: Roles) -> None:
    """Refuse columns that are no systems: those of a long frame, of runs, and a gold that was not named."""
    value = next((word for word in VALUE_WORDS if word in systems), None)
    if "system" in systems and value is not None and found.item is not None:
        index = [name for _, name in found.named()]
        raise InvalidInputError(
            "the data frame looks like a long table, with a row per item and system: columns system,"
            f" {found.item}, {value}",
            hint=f'give every system a column, in pandas frame.pivot(index={index}, columns="system",'
            f' values="{value}").reset_index(), or write it to a file for bestby.read',
        )
    check_no_run("the data frame", systems)
    if found.gold is None:
        check_no_gold("the data frame", systems)


def _check_alike(values: Mapping[str, Array], absent: Mapping[str, Array], gold: Array | None) -> None:
    """Refuse a column that shares no value with a gold of labels, as `read` does; numbers may be scores."""
    if gold is None:
        return
    present = {name: array[~absent[name]].tolist() for name, array in values.items()}
    texts = [name for name, column in present.items() if any(isinstance(value, str) for value in column)]
    if not texts:
        return
    known = set(map(str, gold.tolist()))
    for name in values if gold.dtype.kind == "U" else texts:
        hint = 'pass the systems by name: {"a": frame["a"], "b": frame["b"]}, and gold=frame["label"]'
        check_known("the data frame", name, set(map(str, present[name])), known, hint)


def _check_countable(what: str | None) -> None:
    """Refuse what needs every item of a frame in partitions."""
    if what is not None:
        raise DesignError(
            f"the rows of a dask frame are counted where they are; every item is needed for {what}",
            hint="pass frame.compute() if it fits into memory",
        )


def _of_counted(
    rows: Any,
    counts: IntArray,
    roles: dict[str, str | None],
    chosen: Sequence[str],
    on_missing: OnMissing,
    item: str | None,
    *,
    guessed: bool,
) -> Evaluation:
    """Make an evaluation of distinct rows, each of which stands for several items."""
    side = {
        role: None if name is None else _whole(rows, name, role, counts=counts)
        for role, name in roles.items()
    }
    gold, strata = side["gold"], side["stratum"]
    values = {name: _column(rows, name, f"column {name!r}", objects=False) for name in chosen}
    absent = {name: _absent(array) for name, array in values.items()}
    if guessed:
        _check_alike(values, absent, gold)
    if on_missing == "error":
        for name, mask in absent.items():
            _check_present(name, mask, None, counts)
    gone = np.column_stack(list(absent.values()))
    known = ~gone.all(axis=1) if gold is None else np.ones(counts.size, dtype=np.bool_)
    kept = known & ~gone.any(axis=1) if on_missing == "drop" else known
    of, n_kept = int(counts[known].sum()), int(counts[kept].sum())
    notes = [] if n_kept == of else [dropped(of - n_kept, of)]
    missing: dict[str, Array] = {}
    systems: dict[str, Array] = {}
    for name in chosen:
        mask = absent[name][kept]
        if mask.all():
            raise without_values(name, of)
        column = _unfloated(values[name], absent[name], gold)[kept]
        if mask.any():
            column = np.where(mask, column[~mask][0], column)
            missing[name] = mask
            notes.append(worst(name, int(counts[kept][mask].sum()), of))
        systems[name] = column if column.dtype.kind != "O" else np.array(column.tolist())
    evaluation = Evaluation.of(
        systems,
        None if gold is None else gold[kept],
        strata=None if strata is None else strata[kept],
        counts=counts[kept],
    )
    told = (
        f"{int(counts.sum())} rows were counted into {counts.size} distinct ones, which give the same numbers"
    )
    told += " as the rows one by one"
    if item is not None:
        told += f"; that the ids in column {item} are unique was not checked"
    return dataclasses.replace(evaluation, missing=missing, notes=(Note("counted", told), *notes))


def _clusters(cluster: str | Sequence[str] | None) -> tuple[str | None, str | None]:
    """Return the columns of one grouping of the items, or of two crossed ones."""
    if cluster is None or isinstance(cluster, str):
        return cluster, None
    cluster = checks.names(cluster, "clusters")
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
        raise InvalidInputError(
            f"the frame has no column {quoted(name)} (asked for as {role})",
            hint=f"its columns are: {listed(names)}",
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


def _whole(
    frame: Any, name: str, role: str, *, objects: bool = False, counts: IntArray | None = None
) -> Array:
    array = _column(frame, name, f"column {name!r}", objects=objects)
    mask = _absent(array)
    if mask.any():
        told = f"{int(mask.sum())} of {mask.size} rows; first: row {int(np.flatnonzero(mask)[0]) + 1}"
        if counts is not None:
            told = f"{int(counts[mask].sum())} of {int(counts.sum())} rows"
        raise InvalidInputError(
            f"{role} column {name!r} has no value in {told}",
            hint=f"every item needs its {role}: remove these rows",
        )
    return array if objects else checks.column(array, f"{role} column {name!r}")


def _check_present(name: str, mask: Array, items: Array | None, counts: IntArray | None = None) -> None:
    if mask.any():
        first = int(np.flatnonzero(mask)[0])
        where = f"; first: row {first + 1}" + (f", item {str(items[first])!r}" if items is not None else "")
        share = f"{int(mask.sum())} of {mask.size}"
        if counts is not None:
            share, where = f"{int(counts[mask].sum())} of {int(counts.sum())}", ""
        raise InvalidInputError(
            f"system {name!r} has no value for {share} items{where}",
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
