"""A data frame as an evaluation: anything with named columns, no library of frames needed."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from bestby._core import checks
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import Array, IntArray, OnMissing
from bestby.data.alignment import counted_as_worst_note, dropped_note, no_prediction_error
from bestby.data.arrays import frame_column, identifiers
from bestby.data.columns import Column
from bestby.data.evaluation import Evaluation
from bestby.data.partitions import counted, is_partitioned
from bestby.data.roles import (
    VALUE_WORDS,
    Roles,
    check_no_gold,
    check_no_run,
    listed,
    recognised,
    shares_nothing,
    told_wide,
)
from bestby.data.values import merged_note, read_together, without_labels
from bestby.results.base import Note
from bestby.vocabulary import allowed_names


def is_frame(data: Any) -> bool:
    """Tell whether `data` is a table with named columns: pandas, polars, Arrow and their like."""
    if is_lazy(data):
        return True
    named = hasattr(data, "column_names") or (hasattr(data, "columns") and hasattr(data, "dtypes"))
    return named and hasattr(data, "__getitem__")


def is_lazy(data: Any) -> bool:
    """Tell whether `data` is a lazy frame of polars, whose columns are not computed yet."""
    return type(data).__name__ == "LazyFrame" and type(data).__module__.startswith("polars")


def collected(frame: Any) -> Any:
    """Return a frame with its columns computed, where it is a lazy one of polars."""
    return frame.collect() if is_lazy(frame) else frame


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

    `frame`: anything with `columns` or `column_names` and columns by name. It is not modified, and the index
    of a pandas frame is not used. `systems` are the columns of the systems. If not given, columns called
    gold, item (or id), cluster and stratum are what they are called, as in the files that `read` takes, all
    others are systems, and a note ``"read_as"`` tells so.
    """
    checks.choice(on_missing, allowed_names("on_missing", "items"), "on_missing")
    frame = collected(frame)
    names = _names(frame)
    cluster, crossed = _clusters(cluster)
    asked = Roles(gold, item, cluster, stratum)
    for role, name in [*asked.named(), ("cluster 2", crossed)]:
        column = checks.valid_name(name, role)
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
        role: None if name is None else _ids(frame, name, role)
        for role, name in roles.items()
        if role != "gold"
    }
    values, gold, notes = _read(frame, chosen, roles["gold"], objects=objects, guessed=guessed)
    if on_missing == "error" or not any(column.missing.any() for column in values.values()):
        for name, column in values.items():
            _check_present(name, column.missing, side["item"])
        evaluation = Evaluation.of(
            {name: column.values for name, column in values.items()},
            None if gold is None else gold.values,
            items=side["item"],
            clusters=side["cluster"] if crossed is None else [side["cluster"], side["cluster 2"]],
            strata=side["stratum"],
            objects=objects,
        )
        return dataclasses.replace(evaluation, notes=(*notes, *evaluation.notes))
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
    evaluation = Evaluation.of(
        {name: keyed(column.values, column.missing) for name, column in values.items()},
        None if gold is None else keyed(gold.values),
        clusters=clusters[0] if crossed is None else clusters,
        strata=None if side["stratum"] is None else keyed(side["stratum"]),
        on_missing=on_missing,
        objects=objects,
    )
    return dataclasses.replace(evaluation, notes=(*notes, *evaluation.notes))


def _read(
    frame: Any,
    chosen: Sequence[str],
    gold: str | None,
    *,
    objects: bool,
    guessed: bool,
    counts: IntArray | None = None,
) -> tuple[dict[str, Column], Column | None, tuple[Note, ...]]:
    """Return systems and gold with their values as they are compared, as of a file, and notes on them."""
    if objects:
        items = {name: _items(frame, name) for name in chosen}
        of_gold = None if gold is None else _items(frame, gold)
        if of_gold is not None:
            _check_whole(of_gold.missing, str(gold), "gold", counts)
        return items, of_gold, ()
    columns = {name: frame_column(frame[name], f"column {name!r}") for name in chosen}
    labels = None if gold is None else frame_column(frame[gold], f"gold column {gold!r}")
    if labels is not None:
        _check_whole(labels.missing, str(gold), "gold", counts)
        for name, column in columns.items():
            _check_exact(name, column, labels)
    labels, systems, merged = read_together(labels, columns)
    if guessed and labels is not None:
        for name in without_labels(labels, systems):
            hint = 'pass the systems by name: {"a": frame["a"], "b": frame["b"]}, and gold=frame["label"]'
            raise shares_nothing("the data frame", name, hint)
    return systems, labels, merged_note(merged)


def _check_exact(name: str, column: Column, gold: Column) -> None:
    """Refuse whole numbers too large for floats that became floats because a value is missing."""
    if column.values.dtype.kind != "f" or gold.values.dtype.kind not in "iu" or not column.missing.any():
        return
    there = column.values[~column.missing]
    if (np.abs(there) >= 2**53).any() and np.all(there == np.rint(there)):
        raise InvalidInputError(
            f"column {name!r} holds whole numbers as floats because a value is missing, and some are too"
            " large for floats to hold exactly",
            hint='read it as a type that has missing values, such as dtype="Int64" in pandas, or as text',
        )


def _items(frame: Any, name: str) -> Column:
    """Return items of any kind, neither labels nor numbers."""
    array = checks.as_array(frame[name], f"column {name!r}")
    out = np.empty(len(array), dtype=object)
    for position, value in enumerate(array):  # polars and Arrow give the lists of a column as arrays
        out[position] = value.tolist() if isinstance(value, np.ndarray | np.generic) else value
    return Column(out, np.array([checks.missing(value) for value in out], dtype=np.bool_))


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
    strata = None if roles["stratum"] is None else _ids(rows, roles["stratum"], "stratum", counts)
    systems, gold, read = _read(rows, chosen, roles["gold"], objects=False, guessed=guessed, counts=counts)
    absent = {name: column.missing for name, column in systems.items()}
    if on_missing == "error":
        for name, mask in absent.items():
            _check_present(name, mask, None, counts)
    gone = np.column_stack(list(absent.values()))
    known = ~gone.all(axis=1) if gold is None else np.ones(counts.size, dtype=np.bool_)
    kept = known & ~gone.any(axis=1) if on_missing == "drop" else known
    of, n_kept = int(counts[known].sum()), int(counts[kept].sum())
    notes = [] if n_kept == of else [dropped_note(of - n_kept, of)]
    missing: dict[str, Array] = {}
    kept_values: dict[str, Array] = {}
    for name in chosen:
        mask = absent[name][kept]
        if mask.all():
            raise no_prediction_error(name, of)
        column = systems[name].values[kept]
        if mask.any():
            column = np.where(mask, column[~mask][0], column)
            missing[name] = mask
            notes.append(counted_as_worst_note(name, int(counts[kept][mask].sum()), of))
        kept_values[name] = column
    evaluation = Evaluation.of(
        kept_values,
        None if gold is None else gold.values[kept],
        strata=None if strata is None else strata[kept],
        counts=counts[kept],
    )
    told = (
        f"{int(counts.sum())} rows were counted into {counts.size} distinct ones, which give the same numbers"
    )
    told += " as the rows one by one"
    if item is not None:
        told += f"; that the ids in column {item} are unique was not checked"
    return dataclasses.replace(evaluation, missing=missing, notes=(Note("counted", told), *read, *notes))


def _clusters(cluster: str | Sequence[str] | None) -> tuple[str | None, str | None]:
    """Return the columns of one grouping of the items, or of two crossed ones."""
    if cluster is None or isinstance(cluster, str):
        return cluster, None
    cluster = checks.valid_name_list(cluster, "clusters")
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


def _ids(frame: Any, name: str, role: str, counts: IntArray | None = None) -> Array:
    """Return a column of ids or groups, in which nothing may be missing."""
    column = frame_column(frame[name], f"{role} column {name!r}", ids=True)
    _check_whole(column.missing, name, role, counts)
    return identifiers(column.values, f"{role} column {name!r}")


def _check_whole(mask: Array, name: str, role: str, counts: IntArray | None) -> None:
    if mask.any():
        told = f"{int(mask.sum())} of {mask.size} rows; first: row {int(np.flatnonzero(mask)[0]) + 1}"
        if counts is not None:
            told = f"{int(counts[mask].sum())} of {int(counts.sum())} rows"
        raise InvalidInputError(
            f"{role} column {name!r} has no value in {told}",
            hint=f"every item needs its {role}: remove these rows",
        )


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
