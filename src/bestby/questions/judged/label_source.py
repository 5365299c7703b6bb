"""From what the user has to predictions, and labels of judges and humans, item by item."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from bestby._core import arrays, checks
from bestby._core.arrays import objects
from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import Array
from bestby.data.frames import is_table, table_of
from bestby.data.layouts.judged import JudgedColumns, JudgedItems
from bestby.data.layouts.options import chosen_names
from bestby.questions.judged.judged_labels_layout import FORM, JudgedLabels, judged_table
from bestby.questions.judged.source import constant_judge, judges_called, scores_of

_HINT = "judge=[...] and human=[...] with a label per item, predictions={'a': [...], 'b': [...]}"


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
        labels = _joined(judge, human, predictions)
    labels = _chosen(labels, systems, ignore)
    _check(labels)
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


def _joined(judge: Any, human: Any, predictions: Any) -> JudgedLabels:
    """Return what came in parts: in one order, or by the ids of the items."""
    if not isinstance(predictions, Mapping) or not predictions:
        raise InvalidInputError(
            f"predictions must be a mapping of system to predictions, got {quoted(predictions)}",
            hint=_HINT, argument="predictions",
        )  # fmt: skip
    checks.valid_names(predictions, "systems")
    for name, value in (("judge", judge), ("human", human)):
        if value is None or isinstance(value, str):
            raise InvalidInputError(
                f"{name} must be the labels of the items beside predictions, got {quoted(value)}",
                hint=_HINT, argument=name,
            )  # fmt: skip
    ids = tuple(judge) if isinstance(judge, Mapping) else None
    of_judge = _values(judge, "the judge's labels", ids)
    if of_judge.ndim == 1:
        of_judge = of_judge[:, None]
    n = len(of_judge)
    of_human = _values(human, "the human labels", ids, gaps=True)
    systems = [_values(one, f"the predictions of {quoted(name)}", ids) for name, one in predictions.items()]
    wide = next((one.shape for one in (of_human, *systems) if one.ndim > 1), None)
    if wide is not None:
        raise InvalidInputError(
            f"human labels and predictions are one value per item, got an array of shape {wide}",
            hint="give the most probable label of each item in place of probabilities",
        )
    wrong = next((len(one) for one in (of_human, *systems) if len(one) != n), None)
    if wrong is not None:
        raise InvalidInputError(
            f"the judge has labelled {n} items, and there are {wrong} human labels or predictions",
            hint="give one label or prediction per item, and None where there is no human label",
        )
    return JudgedLabels(
        tuple(predictions), judges_called(of_judge.shape[1]), of_judge, of_human,
        np.stack(systems, axis=1), ids=ids,
    )  # fmt: skip


def _values(given: Any, what: str, ids: tuple[Any, ...] | None, *, gaps: bool = False) -> Array:
    """Return values as objects, None where there is none; a mapping by the ids of the items."""
    if isinstance(given, Mapping):
        if ids is None:
            raise InvalidInputError(
                f"{what} have item ids, and the judge's labels have none",
                hint="give all of them as mappings of id to label, or none",
            )
        unknown = next((key for key in given if key not in set(ids)), None)
        absent = None if gaps else next((key for key in ids if key not in given), None)
        if unknown is not None or absent is not None:
            which = f"hold item {quoted(unknown)}, which the judge has not labelled"
            raise InvalidInputError(
                f"{what} {which if unknown is not None else f'lack item {quoted(absent)}'}",
                hint="let judge and systems have the same items",
            )
        given = [given.get(key) for key in ids]
    array = arrays.as_array(given, what)
    flat = [None if checks.missing(value) else value for value in array.ravel().tolist()]
    return objects(flat).reshape(array.shape)


def _chosen(labels: JudgedLabels, systems: Any, ignore: Any) -> JudgedLabels:
    """Return the labels with the systems asked for, by name or pattern."""
    names = chosen_names(labels.names, systems, ignore, "the data")
    at = [labels.names.index(name) for name in names]
    return dataclasses.replace(labels, names=tuple(names), predictions=labels.predictions[:, at])


def _check(labels: JudgedLabels) -> None:
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
