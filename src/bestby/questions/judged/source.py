"""The data of a judged comparison: scores or labels of judges and humans, in files, tables and arrays."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np

from bestby._core import arrays, checks
from bestby._core.arrays import is_table, objects
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.text import quoted
from bestby._core.typing import Array, FloatArray, IntArray
from bestby.data.alignment import chosen_names, common_spelling, respelled
from bestby.data.columns import MISSING, group_codes, identifiers
from bestby.data.layouts.judged import (
    FORMS,
    HUMAN,
    JUDGE,
    Judged,
    JudgedColumns,
    JudgedItems,
    check_scores,
    groups,
    ids_of,
    joined_humans,
    judge_names,
    judged_of,
    numbers,
    plain,
    role_columns,
    source_name,
    wide_parts,
)
from bestby.data.reading import Reading, checked_reading
from bestby.data.roles import listed
from bestby.data.table import SYSTEM_WORDS, Table, table_of, unreadable
from bestby.readers import paths
from bestby.readers.one_table import one_table


@with_suggestions
def read_judged(
    path: str | Path | Sequence[str | Path],
    *,
    judge: str | Sequence[str] | None = None,
    human: str | Sequence[str] | Literal[False] | None = None,
    items: str | None = None,
    reading: Reading | None = None,
    missing: str | Iterable[str] = MISSING,
) -> JudgedItems | JudgedLabels:
    r"""Read the scores of a judge for all items, and of humans for some of them.

    A *long* table has a row per item and system: columns item, system, judge and human. A *wide* table has a
    row per item: columns ``judge[a]``, ``human[a]``, ``judge[b]``, ... for systems a, b, .... Cells of
    human scores are empty where there is none. A table of *labels* has a row per item: columns judge and
    human with labels, and ``prediction[a]``, ``prediction[b]``, ... with what systems predict.

    Parameters
    ----------
    path : str or Path
        CSV, TSV, JSON Lines or Parquet.
    judge, human : str or sequence of str, optional
        The columns of scores of a long table. By default those called judge and human, or all that begin with
        ``judge_`` and ``human_``: several judges, or several humans. Several judges may share a column, with
        their names in the column judge_name, and the scores of several humans may be in rows of their own.
        ``human=False``: there are no human scores, as a calibration set tells the judge's error rates.
    items : str, optional
        The columns of item ids and of systems of a long table; those called item or id, and system or model,
        are found.
    reading : Reading, optional
        How the table is read: `system_column`.
    missing : str or iterable of str
        The texts that mean a missing value.

    Returns
    -------
    JudgedItems or JudgedLabels
        What `compare_judged` takes: scores, or labels and predictions. Columns called cluster and stratum are
        used as such there; all others may be named.

    Raises
    ------
    InvalidInputError
        If the file cannot be read, or its columns do not fit together.

    See Also
    --------
    compare_judged : Compare the systems by these scores.
    read : Scores that need no correction.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "judged.csv")
    ...     _ = path.write_text(
    ...         "item,system,judge,human\nq1,a,0.9,1\nq1,b,0.3,\n", encoding="utf-8"
    ...     )
    ...     data = read_judged(path)
    >>> data.names, data.judge[:, :, 0], data.human
    (('a', 'b'), array([[0.9, 0.3]]), array([[ 1., nan]]))
    """
    how = checked_reading(reading, "read_judged", "system_column")
    paths.check_arguments(path, missing=missing, items=items, reading=how)
    named = _named(judge, None if human is False else human, items, how.system_column)
    table = one_table(path, "the scores of judge and humans", missing)
    return judged_table(table, dataclasses.replace(named, labelled=human is not False))


def read_calibration(
    path: str | Path,
    *,
    judge: str | Sequence[str] | None = None,
    human: str | Sequence[str] | None = None,
    items: str | None = None,
    system_column: str | None = None,
    missing: str | Iterable[str] = MISSING,
) -> JudgedItems:
    """Read the verdicts of judge and humans for the items of a calibration set; see `read_judged`.

    Without a column of systems they are for all systems alike.
    """
    paths.check_arguments(path, missing=missing, items=items, system_column=system_column)
    table = one_table(path, "a calibration set", missing)
    return calibration_of(table, _named(judge, human, items, system_column))


def _named(judge: Any, human: Any, items: str | None, system_column: str | None) -> JudgedColumns:
    """Return the columns that were named."""
    names = [
        () if one is None else tuple(checks.valid_name_list(one, what))
        for one, what in ((judge, "judge"), (human, "human"))
    ]
    return JudgedColumns(names[0], names[1], items, system_column)


# -- tables ----------------------------------------------------------------------------------------


PREDICTION = "prediction"
"""What columns of predictions are called, with the name of a system: prediction[a]."""

FORM = 'a table with a row per item has the columns "judge", "human", "prediction[a]", "prediction[b]", ...'

EVERY = ""
"""The name of the system whose verdicts are for all systems alike."""


@dataclass(frozen=True, eq=False, repr=False)
class JudgedLabels(Judged):
    """Predictions of S systems for N items, and labels of the items by J judges and by humans.

    Parameters
    ----------
    names, judges : tuple of str
        The systems and the judges.
    judge : ndarray of objects, shape (N, J)
        The labels that judges give to the items, or their numbers; None where there is none.
    human : ndarray of objects, shape (N,)
        Those of humans; None where there is none.
    predictions : ndarray of objects, shape (N, S)
        What the systems predict.
    ids : tuple or None
        The ids of the items.
    columns : dict
        Other columns: a value per item, shape (N,); None where there is no value.
    clusters, strata : str or None
        Those of `columns` that are called "cluster" and "stratum".
    description : str
        What was taken for what.
    """

    judge: Array
    human: Array
    predictions: Array


def judged_table(table: Table, named: JudgedColumns | None = None) -> JudgedItems | JudgedLabels:
    """Return the scores of a table, or predictions and labels if it has columns of predictions."""
    predictions = _predictions(table)
    if not predictions:
        return judged_of(table, named)
    named = named or JudgedColumns()
    if named.system is not None:
        raise InvalidInputError(
            f"{table.source} has a column for each system, so that {quoted(named.system)} names none",
            hint=FORM, argument="system_column",
        )  # fmt: skip
    item, judges, humans, columns = _columns_of_items(table, named, predictions.values())
    if len(humans) > 1:
        raise InvalidInputError(
            f"{table.source} has labels of several humans: {listed(humans)}",
            hint="name one column of human labels, such as that of their majority", argument="human",
        )  # fmt: skip
    ids = None if item is None else ids_of(table, item)
    names = tuple(predictions)
    return JudgedLabels(
        names,
        judge_names(judges, named),
        _side_by_side(table, judges),
        plain(table.column(humans[0])),
        _side_by_side(table, predictions.values()),
        ids=ids,
        columns=columns,
        **groups(columns),
        description=f"{source_name(table)} was read as predictions and labels of items; systems:"
        f" {listed(names)}; judge: {listed(judges)}; human: {listed(humans)}",
    )


def _columns_of_items(
    table: Table, named: JudgedColumns, predictions: Iterable[str] = ()
) -> tuple[str | None, Sequence[str], Sequence[str], dict[str, Array]]:
    """Return the column of ids, those of judges and of humans, and all others, of a row per item."""
    item = table.item_column(named.items)
    taken = (*([] if item is None else [item]), *predictions)
    judges = role_columns(table, JUDGE, named.judge, taken)
    humans = role_columns(table, HUMAN, named.human, (*taken, *judges))
    others = [name for name in table.names if name not in {*taken, *judges, *humans}]
    return item, judges, humans, {name: plain(table.column(name)) for name in others}


def _predictions(table: Table) -> dict[str, str]:
    """Return the columns of predictions by the name of the system."""
    start = f"{PREDICTION}["
    columns = [name for name in table.names if name.startswith(start) and name.endswith("]")]
    return {name[len(start) : -1]: name for name in columns if len(name) > len(start) + 1}


def _side_by_side(table: Table, names: Any) -> Array:
    """Return columns as objects, shape (N, k)."""
    return np.stack([plain(table.column(name)) for name in names], axis=1)


def calibration_of(table: Table, named: JudgedColumns | None = None) -> JudgedItems:
    """Return the verdicts of a table: by system, or for all of them where it has no column of systems."""
    named = named or JudgedColumns()
    by_system = any(name.lower() in SYSTEM_WORDS for name in table.names)
    if wide_parts(table) or by_system or named.system is not None:
        return judged_of(table, named)
    _, judges, humans, columns = _columns_of_items(table, named)
    scores = np.stack([numbers(table, name) for name in judges], axis=1)
    labels = np.stack([numbers(table, name) for name in humans], axis=1)
    mean, n, variance = joined_humans(labels[:, None, :])
    return JudgedItems(
        (EVERY,), tuple(judges), scores[:, None, :], mean, n, variance, columns=columns, **groups(columns),
        description=f"{source_name(table)} was read as a calibration set; judge: {listed(judges)}; human:"
        f" {listed(humans)}",
    )  # fmt: skip


# -- scores, or labels with predictions ------------------------------------------------------------


_NEEDED = "the judge's scores: a mapping of system to scores, or a data frame"

_LABELS_HINT = "judge=[...] and human=[...] with a label per item, predictions={'a': [...], 'b': [...]}"


def source_of(
    judge: Any, human: Any, predictions: Any, systems: Any, ignore: Any
) -> JudgedItems | JudgedLabels:
    """Return scores of judge and humans; with predictions their labels."""
    if is_table(judge) and human is None and predictions is None:
        judge = dataclasses.replace(judged_table(table_of(judge)), description="")
    if predictions is None and not isinstance(judge, JudgedLabels):
        return scores_of(judge, human, systems, ignore)
    if isinstance(judge, JudgedLabels):
        for name, value in (("human", human), ("predictions", predictions)):
            if value is not None:
                raise InvalidInputError(
                    f"{name} is given twice: labels and predictions are in one table", hint=FORM,
                    argument=name,
                )  # fmt: skip
        labels = judge
    elif isinstance(judge, JudgedItems) or is_table(judge):
        raise InvalidInputError(
            "predictions stand beside a table of the judge, and belong into it", hint=FORM,
            argument="predictions",
        )  # fmt: skip
    else:
        labels = _joined_labels(judge, human, predictions)
    labels = _labels_of_systems(labels, systems, ignore)
    _check_labels(labels)
    return labels


def verdicts_of(judge: Any, systems: Any, ignore: Any) -> JudgedItems:
    """Return the scores of the judge alone, whose error rates a calibration set tells."""
    if is_table(judge):
        named = JudgedColumns(labelled=False)
        judge = dataclasses.replace(judged_table(table_of(judge), named), description="")
    if isinstance(judge, JudgedLabels) or (
        isinstance(judge, JudgedItems) and not np.isnan(judge.human).all()
    ):
        raise InvalidInputError(
            "the items of the judge have human labels themselves, and there is a calibration set",
            hint="leave out the calibration set, or the column of human labels",
            argument="calibration",
        )
    return scores_of(judge, None if isinstance(judge, JudgedItems) else {}, systems, ignore)


def _joined_labels(judge: Any, human: Any, predictions: Any) -> JudgedLabels:
    """Return what came in parts: in one order, or by the ids of the items."""
    if not isinstance(predictions, Mapping) or not predictions:
        raise InvalidInputError(
            f"predictions must be a mapping of system to predictions, got {quoted(predictions)}",
            hint=_LABELS_HINT, argument="predictions",
        )  # fmt: skip
    checks.valid_names(predictions, "systems")
    for name, value in (("judge", judge), ("human", human)):
        if value is None or isinstance(value, str):
            raise InvalidInputError(
                f"{name} must be the labels of the items beside predictions, got {quoted(value)}",
                hint=_LABELS_HINT, argument=name,
            )  # fmt: skip
    ids = tuple(judge) if isinstance(judge, Mapping) else None
    judge_labels = _label_array(judge, "the judge's labels", ids)
    if judge_labels.ndim == 1:
        judge_labels = judge_labels[:, None]
    n = len(judge_labels)
    human_labels = _label_array(human, "the human labels", ids, gaps=True)
    systems = [
        _label_array(one, f"the predictions of {quoted(name)}", ids) for name, one in predictions.items()
    ]
    wide = next((one.shape for one in (human_labels, *systems) if one.ndim > 1), None)
    if wide is not None:
        raise InvalidInputError(
            f"human labels and predictions are one value per item, got an array of shape {wide}",
            hint="give the most probable label of each item in place of probabilities",
        )
    wrong = next((len(one) for one in (human_labels, *systems) if len(one) != n), None)
    if wrong is not None:
        raise InvalidInputError(
            f"the judge has labelled {n} items, and there are {wrong} human labels or predictions",
            hint="give one label or prediction per item, and None where there is no human label",
        )
    return JudgedLabels(
        tuple(predictions), judges_called(judge_labels.shape[1]), judge_labels, human_labels,
        np.stack(systems, axis=1), ids=ids,
    )  # fmt: skip


def _label_array(values: Any, what: str, ids: tuple[Any, ...] | None, *, gaps: bool = False) -> Array:
    """Return values as objects, None where there is none; a mapping by the ids of the items."""
    if isinstance(values, Mapping):
        if ids is None:
            raise InvalidInputError(
                f"{what} have item ids, and the judge's labels have none",
                hint="give all of them as mappings of id to label, or none",
            )
        unknown = next((key for key in values if key not in set(ids)), None)
        absent = None if gaps else next((key for key in ids if key not in values), None)
        if unknown is not None or absent is not None:
            which = f"hold item {quoted(unknown)}, which the judge has not labelled"
            raise InvalidInputError(
                f"{what} {which if unknown is not None else f'lack item {quoted(absent)}'}",
                hint="let judge and systems have the same items",
            )
        values = [values.get(key) for key in ids]
    array = arrays.as_array(values, what)
    flat = [None if checks.missing(value) else value for value in array.ravel().tolist()]
    return objects(flat).reshape(array.shape)


def _labels_of_systems(labels: JudgedLabels, systems: Any, ignore: Any) -> JudgedLabels:
    """Return the labels with the systems asked for, by name or pattern."""
    names = chosen_names(labels.names, systems, ignore, "the data")
    at = [labels.names.index(name) for name in names]
    return dataclasses.replace(labels, names=tuple(names), predictions=labels.predictions[:, at])


def _check_labels(labels: JudgedLabels) -> None:
    """Refuse items without a label of the judge or a prediction, and a judge that always says the same."""
    if len(labels.judge) == 0:
        raise InvalidInputError("there are no items", hint="give the judge's label of every item")
    for what, values in (("the judge's labels", labels.judge), ("predictions", labels.predictions)):
        gaps = np.array([[value is None for value in row] for row in values.tolist()], dtype=np.bool_)
        if gaps.any():
            item = int(np.argwhere(gaps)[0][0])
            which = quoted(item if labels.ids is None else labels.ids[item])
            raise InvalidInputError(
                f"{what} lack item {which}", hint="give judge and every system a value, or leave the item out"
            )
    for place in range(len(labels.judges)):
        if len(set(labels.judge[:, place].tolist())) == 1:
            raise constant_judge(labels.judges, place, "labels")


def scores_of(judge: Any, human: Any, systems: Any, ignore: Any) -> JudgedItems:
    """Return the scores of judges and humans, brought to the same items."""
    if isinstance(judge, str | PathLike):
        raise unreadable(judge, _NEEDED, "", "compare_judged(bestby.read_judged({}), ...)")
    if isinstance(judge, JudgedItems) or is_table(judge):
        if human is not None:
            raise InvalidInputError(
                "the human scores are in the same table as those of the judge", hint=FORMS, argument="human"
            )
        assert isinstance(judge, JudgedItems)  # tables alone have been read
        return _scores_of_systems(judge, systems, ignore)
    if not isinstance(judge, Mapping) or not judge:
        raise InvalidInputError(
            f"judge must be {_NEEDED}, got {quoted(judge)}", hint='judge={"a": [...], "b": [...]}',
            argument="judge",
        )  # fmt: skip
    form = 'human={"a": [4, None, None, 2, ...], ...} with None for an item without a label'
    checks.mapping(human, "human", "system to human scores", form)
    checks.valid_names(judge, "systems")
    other = next((name for name in human if name not in judge), None)
    if other is not None:
        raise InvalidInputError(
            f"human has system {quoted(other)}, which the judge did not score",
            hint=f"systems of the judge: {', '.join(map(str, judge))}", argument="human",
        )  # fmt: skip
    by_id = [name for name, values in judge.items() if isinstance(values, Mapping)]
    if by_id and len(by_id) < len(judge):
        raise InvalidInputError(
            f"system {quoted(by_id[0])} has item ids, and another has none",
            hint="give every system as a mapping of id to score, or none", argument="judge",
        )  # fmt: skip
    if by_id:
        return _by_ids(judge, human, systems, ignore)
    return _joined_scores(dict(judge), dict(human), None, systems, ignore)


def _by_ids(judge: Mapping[str, Any], human: Mapping[str, Any], systems: Any, ignore: Any) -> JudgedItems:
    """Return the scores of mappings of id to score."""
    spelling = common_spelling([*judge.values()], [one for one in human.values() if isinstance(one, Mapping)])
    judge, human = (
        {
            name: respelled(values, spelling) if isinstance(values, Mapping) else values
            for name, values in side.items()
        }
        for side in (judge, human)
    )
    ids = list(next(iter(judge.values())))
    places = {key: place for place, key in enumerate(ids)}
    columns: dict[str, Any] = {}
    for name, values in judge.items():
        wrong = next((key for key in values if key not in places), None)
        if wrong is not None or len(values) < len(ids):
            absent = wrong if wrong is not None else next(key for key in ids if key not in values)
            raise InvalidInputError(
                f"the judge scored item {quoted(absent)} of one system and not of another,"
                f" such as {quoted(name)}",
                hint="give the judge's score of every item and system", argument="judge",
            )  # fmt: skip
        columns[name] = [values[key] for key in ids]
    labels: dict[str, Any] = {}
    for name, values in human.items():
        if not isinstance(values, Mapping):
            labels[name] = values
            continue
        unknown = next((key for key in values if key not in places), None)
        if unknown is not None:
            raise _unjudged(name, quoted(unknown))
        labels[name] = [values.get(key) for key in ids]
    return _joined_scores(columns, labels, tuple(ids), systems, ignore)


def _joined_scores(
    judge: dict[str, Any], human: dict[str, Any], ids: tuple[Any, ...] | None, systems: Any, ignore: Any
) -> JudgedItems:
    """Return the scores of mappings as arrays of one shape."""
    judged, labels = [], []
    for name, values in judge.items():
        column = score_array(values, f"the judge's scores of {quoted(name)}")
        judged.append(column[:, None] if column.ndim == 1 else column)
        label = human.get(name)
        labels_of_system = np.full(len(column), np.nan) if label is None else score_array(
            label, f"the human scores of {quoted(name)}"
        )  # fmt: skip
        labels.append(labels_of_system[:, None] if labels_of_system.ndim == 1 else labels_of_system)
    shapes = {column.shape for column in judged}
    lengths = {len(column) for column in (*judged, *labels)}
    if len(shapes) > 1 or len(lengths) > 1:
        raise InvalidInputError(
            f"the scores have different lengths: {', '.join(str(one) for one in sorted(lengths))} items",
            hint="give one score of the judge per item for every system, and None where there is no label",
        )
    most = max(column.shape[1] for column in labels)
    several = [np.pad(c, ((0, 0), (0, most - c.shape[1])), constant_values=np.nan) for c in labels]
    judges = judges_called(judged[0].shape[1])
    mean, n, variance = joined_humans(np.stack(several, axis=1))
    items = JudgedItems(tuple(judge), judges, np.stack(judged, axis=1), mean, n, variance, ids=ids)
    return _scores_of_systems(items, systems, ignore)


def score_array(values: Any, what: str) -> FloatArray:
    """Return numbers, NaN where there is none; of shape (n,) or (n, k)."""
    array = arrays.as_array(values, what)
    if array.dtype.kind == "O":
        flat = [np.nan if checks.missing(value) else value for value in array.ravel().tolist()]
        array = np.array(flat).reshape(array.shape)
    if array.dtype.kind not in "fiub":
        raise InvalidInputError(
            f"{what} must be numbers, got {quoted(array.ravel()[0] if array.size else values)}",
            hint="code labels as numbers, such as right 1 and wrong 0",
        )
    scores = array.astype(np.float64)
    check_scores(scores, what)
    return scores


def judges_called(n: int) -> tuple[str, ...]:
    """Return what judges without a name are called."""
    return ("judge",) if n == 1 else tuple(f"judge {place + 1}" for place in range(n))


def _scores_of_systems(scores: JudgedItems, systems: Any, ignore: Any) -> JudgedItems:
    """Return the scores of the systems asked for, by name or pattern, once they are sound."""
    names = chosen_names(scores.names, systems, ignore, "the data")
    if tuple(names) != scores.names:
        at = [scores.names.index(name) for name in names]
        scores = dataclasses.replace(
            scores,
            names=tuple(names),
            judge=scores.judge[:, at],
            human=scores.human[:, at],
            n_humans=scores.n_humans[:, at],
            human_variance=scores.human_variance[:, at],
            columns={name: x[:, at] if np.ndim(x) > 1 else x for name, x in scores.columns.items()},
        )
    _check_scores(scores)
    return scores


def _check_scores(scores: JudgedItems) -> None:
    """Refuse items that a judge did not score, and a judge that always says the same."""
    if len(scores.judge) == 0:
        raise InvalidInputError("there are no items", hint="give the judge's score of every item")
    gaps = np.isnan(scores.judge).any(axis=2)
    if gaps.any():
        labelled = gaps & ~np.isnan(scores.human)
        item, system = (int(x) for x in np.argwhere(labelled if labelled.any() else gaps)[0])
        which = item_text(scores, item)
        if not np.isnan(scores.human[item, system]):
            raise _unjudged(scores.names[system], which)
        raise InvalidInputError(
            f"the judge did not score item {which} of system {quoted(scores.names[system])}",
            hint="let the judge score every item of every system, or leave the item out for all",
        )
    constant = np.ptp(scores.judge, axis=0) == 0.0
    if constant.all(axis=0).any():
        judge = int(np.flatnonzero(constant.all(axis=0))[0])
        raise constant_judge(scores.judges, judge, "scores")


def _unjudged(system: str, item: str) -> InvalidInputError:
    return InvalidInputError(
        f"item {item} of system {quoted(system)} has a human label, and the judge did not score it",
        hint="let the judge score every item, the labelled ones too, or leave the label out",
    )


def constant_judge(judges: tuple[str, ...], place: int, what: str) -> DesignError:
    """Return the error on a judge that gives all items the same score, or label."""
    which = "the judge" if len(judges) == 1 else f"judge {quoted(judges[place])}"
    return DesignError(
        f"{which} always says the same, so its {what} tell nothing of the items",
        hint="compare the human labels alone, with compare",
    )


# -- values and groups of the items ----------------------------------------------------------------


_NEEDED_SIDE = "give one value per item, or name a column"


def item_values(scores: JudgedItems, value: Any, what: str, hint: str = _NEEDED_SIDE) -> Any:
    """Return something of every item, which may be a column or have the ids of the items."""
    if isinstance(value, str):
        if value not in scores.columns:
            columns = f"; its columns: {', '.join(scores.columns)}" if scores.columns else ""
            raise InvalidInputError(
                f"{what}={quoted(value)} names no column of the data{columns}",
                hint=hint,
                argument=what,
            )
        return scores.columns[value]
    if isinstance(value, Mapping):
        if scores.ids is None:
            raise InvalidInputError(
                f"{what} has item ids, but the judge's scores have none",
                hint="give one value per item, in the order of the scores",
                argument=what,
            )
        absent = [key for key in scores.ids if key not in value]
        if absent:
            raise InvalidInputError(
                f"{what} lacks {len(absent)} items, first: {quoted(absent[0])}",
                hint="give it for every item",
                argument=what,
            )
        return [value[key] for key in scores.ids]
    return value


def numbered_groups(scores: JudgedItems, value: Any, what: str) -> tuple[Array, IntArray]:
    """Return the distinct groups of the items, and each item's as a code from 0."""
    values = item_values(scores, value, what)
    if isinstance(value, str):
        if np.ndim(values) > 1:
            distinct = [list(dict.fromkeys(one for one in row if one is not None)) for row in values.tolist()]
            place = next((i for i, values_of_item in enumerate(distinct) if len(values_of_item) > 1), None)
            if place is not None:
                raise InvalidInputError(
                    f"item {item_text(scores, place)} has several values in column {quoted(value)}",
                    hint="give an item one value, the same for all systems",
                    argument=what,
                )
            values = objects([values_of_item[0] if values_of_item else None for values_of_item in distinct])
        if any(one is None for one in values):
            raise InvalidInputError(
                f"column {quoted(value)} lacks values", hint="fill them in", argument=what
            )
    groups = identifiers(values, what, len(scores.human))
    names, code = group_codes(groups)
    return names, code.astype(np.int64)


def group_numbers(scores: JudgedItems, value: Any, what: str) -> IntArray:
    """Return the groups of the items as codes from 0."""
    return numbered_groups(scores, value, what)[1]


def item_text(scores: JudgedItems, item: int) -> str:
    """Return what messages call an item: its id in quotes, or its position."""
    return quoted(item if scores.ids is None else scores.ids[item])
