"""From what the user has to scores of judges and humans, item by item."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from os import PathLike
from typing import Any

import numpy as np

from bestby._core import arrays, checks
from bestby._core.arrays import objects
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import Array, FloatArray, IntArray
from bestby.data.alignment import common_spelling, respelled
from bestby.data.arrays import identifiers
from bestby.data.coding import group_codes
from bestby.data.frames import is_table, unreadable
from bestby.data.layouts.judged import FORMS, JudgedItems, check_scores, joined_humans
from bestby.data.layouts.options import chosen_names

_NEEDED = "the judge's scores: a mapping of system to scores, or a data frame"
_NEEDED_SIDE = "give one value per item, or name a column"


def side(scores: JudgedItems, value: Any, what: str, hint: str = _NEEDED_SIDE) -> Any:
    """Return something of every item, which may be a column or have the ids of the items."""
    if isinstance(value, str):
        if value not in scores.columns:
            known = f"; its columns: {', '.join(scores.columns)}" if scores.columns else ""
            raise InvalidInputError(
                f"{what}={quoted(value)} names no column of the data{known}",
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


def codes(scores: JudgedItems, value: Any, what: str) -> IntArray:
    """Return the groups of the items as codes from 0."""
    return labels_of(scores, value, what)[1]


def labels_of(scores: JudgedItems, value: Any, what: str) -> tuple[Array, IntArray]:
    """Return the distinct groups of the items, and each item's as a code from 0."""
    values = side(scores, value, what)
    if isinstance(value, str):
        if np.ndim(values) > 1:
            distinct = [list(dict.fromkeys(one for one in row if one is not None)) for row in values.tolist()]
            place = next((i for i, own in enumerate(distinct) if len(own) > 1), None)
            if place is not None:
                raise InvalidInputError(
                    f"item {item_text(scores, place)} has several values in column {quoted(value)}",
                    hint="give an item one value, the same for all systems",
                    argument=what,
                )
            values = objects([own[0] if own else None for own in distinct])
        if any(one is None for one in values):
            raise InvalidInputError(
                f"column {quoted(value)} lacks values", hint="fill them in", argument=what
            )
    groups = identifiers(values, what, len(scores.human))
    names, code = group_codes(groups)
    return names, code.astype(np.int64)


def item_text(scores: JudgedItems, item: int) -> str:
    """Return what messages call an item: its id in quotes, or its position."""
    return quoted(item if scores.ids is None else scores.ids[item])


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
        return _chosen(judge, systems, ignore)
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
    return _joined(dict(judge), dict(human), None, systems, ignore)


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
    return _joined(columns, labels, tuple(ids), systems, ignore)


def _unjudged(system: str, item: str) -> InvalidInputError:
    return InvalidInputError(
        f"item {item} of system {quoted(system)} has a human label, and the judge did not score it",
        hint="let the judge score every item, the labelled ones too, or leave the label out",
    )


def numbers(values: Any, what: str) -> FloatArray:
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
    found = array.astype(np.float64)
    check_scores(found, what)
    return found


def _joined(
    judge: dict[str, Any], human: dict[str, Any], ids: tuple[Any, ...] | None, systems: Any, ignore: Any
) -> JudgedItems:
    """Return the scores of mappings as arrays of one shape."""
    judged, labels = [], []
    for name, values in judge.items():
        column = numbers(values, f"the judge's scores of {quoted(name)}")
        judged.append(column[:, None] if column.ndim == 1 else column)
        label = human.get(name)
        found = np.full(len(column), np.nan) if label is None else numbers(
            label, f"the human scores of {quoted(name)}"
        )  # fmt: skip
        labels.append(found[:, None] if found.ndim == 1 else found)
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
    made = JudgedItems(tuple(judge), judges, np.stack(judged, axis=1), mean, n, variance, ids=ids)
    return _chosen(made, systems, ignore)


def judges_called(n: int) -> tuple[str, ...]:
    """Return what judges without a name are called."""
    return ("judge",) if n == 1 else tuple(f"judge {place + 1}" for place in range(n))


def _chosen(scores: JudgedItems, systems: Any, ignore: Any) -> JudgedItems:
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
    _check_judged(scores)
    return scores


def _check_judged(scores: JudgedItems) -> None:
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


def constant_judge(judges: tuple[str, ...], place: int, what: str) -> DesignError:
    """Return the error on a judge that gives all items the same score, or label."""
    which = "the judge" if len(judges) == 1 else f"judge {quoted(judges[place])}"
    return DesignError(
        f"{which} always says the same, so its {what} tell nothing of the items",
        hint="compare the human labels alone, with compare",
    )
