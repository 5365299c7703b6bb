"""One run of a study: predictions, and with them gold, ids and clusters, from files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.paths import readable_file
from bestby._core.typing import Array
from bestby.data.columns import MISSING, Column, column_of_texts, label_column, text_of
from bestby.data.layouts.assemble import check_unique, check_whole, one_kind, typed
from bestby.data.roles import Roles, Soft, TableOptions, listed
from bestby.data.values import Rule, as_scores
from bestby.questions.study.source import Gold
from bestby.readers import paths
from bestby.readers.files import read_values
from bestby.readers.joined_files import Part, check_ids, gold_part, groups_of, system_part


def read_run(
    predictions: str | Path,
    *,
    study_gold: Gold | None = None,
    gold: str | Path | None = None,
    ids: str | Path | None = None,
    items: str | None = None,
    clusters: str | None = None,
    value_column: str | None = None,
    classes: str | Sequence[Any] | None = None,
    normalise: bool = False,
    missing: Iterable[str] = MISSING,
) -> dict[str, Any]:
    """Read what `Store.add` takes of one run; `study_gold` says how labels are read."""
    # The gold is named in any case: of the columns prediction and score, the former is meant.
    options = TableOptions(
        Roles("gold" if gold is None else str(gold), items, clusters),
        value_column=value_column,
        soft=Soft.of(classes, normalise),
        missing=paths.missing_texts(missing),
    )
    run_part = system_part(readable_file(predictions), "prediction", options)
    _check_whole(run_part)
    gold_file_part = None
    if gold is not None:
        gold_file_part = gold_part(str(gold), [run_part], options)
        check_whole(gold_file_part.source, gold_file_part.column, gold_file_part.items)
    parts = [run_part] if gold_file_part is None else [run_part, gold_file_part]
    keys = _keys(parts, None if ids is None else readable_file(ids), study_gold)
    values, labels, names = _typed(
        run_part.column, None if gold_file_part is None else gold_file_part.column, options.soft, study_gold
    )
    run: dict[str, Any] = {
        "predictions": values.values.tolist(),
        "gold": None if labels is None else labels.values.tolist(),
        "ids": keys[0],
        "clusters": None,
        "classes": None if names is None else names.tolist(),
    }
    if clusters is not None:
        run["clusters"] = list(groups_of("cluster", clusters, parts).values())
    if gold_file_part is not None and keys[0] is not None and keys[1] != keys[0]:
        _by_id(run, keys[0], keys[1] or [], parts)
    return run


def _check_whole(part: Part) -> None:
    if part.column.missing.any():
        first = int(np.flatnonzero(part.column.missing)[0])
        where = f"row {first + 1}" + ("" if part.items is None else f", item {part.items[first]!r}")
        raise InvalidInputError(
            f"{part.source} has no prediction for {int(part.column.missing.sum())} of {part.column.size}"
            f" items; first: {where}",
            hint='a run has one for every item; if NA is a label, only blank cells are missing: missing=""',
        )


def _by_id(run: dict[str, Any], ids: list[Any], gold_ids: list[Any], parts: Sequence[Part]) -> None:
    """Bring the predictions to the order of the gold, whose file has them in another one."""
    places = {key: place for place, key in enumerate(ids)}
    missing = [key for key in gold_ids if key not in places]
    if missing or len(gold_ids) != len(ids):
        extra = [key for key in ids if key not in {*gold_ids}]
        message = f"{parts[0].source} has no {missing[0]!r}" if missing else f"the gold has no {extra[0]!r}"
        raise InvalidInputError(
            f"{parts[0].source} and {parts[1].source} share {len(gold_ids) - len(missing)} of"
            f" {len(gold_ids)} item ids: {message}",
            hint="a run has one prediction for every item of the gold, and for no other",
        )
    run["predictions"] = [run["predictions"][places[key]] for key in gold_ids]
    run["ids"] = gold_ids


def _keys(parts: Sequence[Part], ids: Path | None, study_gold: Gold | None) -> list[list[Any] | None]:
    """Return the item ids of each part, in the type of the ids of the study."""
    with_ids = [part for part in parts if part.items is not None]
    if ids is not None:
        if with_ids:
            raise InvalidInputError(
                f"{with_ids[0].source} has a column of item ids, and the file {ids} has ids too",
                hint="give one of the two",
            )
        texts = _id_texts(ids)
        check_unique(texts, f"{ids}: item ids")
        for part in parts:
            if part.column.size != len(texts):
                raise InvalidInputError(
                    f"{part.source} has {part.column.size} values, {ids} has {len(texts)} ids",
                    hint="one id per value, in the same order",
                )
        return [_like(texts, study_gold)] * len(parts)
    if with_ids:
        check_ids(parts)
    return [None if part.items is None else _like(part.items, study_gold) for part in parts]


def _id_texts(path: Path) -> list[str]:
    content = read_values(path, "id", frozenset({""}))
    if not isinstance(content, Column):
        name = content.item_column(None) or (content.names[0] if len(content.names) == 1 else None)
        if name is None:
            raise InvalidInputError(
                f"{path}: which column holds the ids? its columns are: {listed(content.names)}",
                hint="call it id",
            )
        return content.texts(name, "id")
    if content.missing.any():
        first = int(np.flatnonzero(content.missing)[0])
        raise InvalidInputError(f"{path}, line {first + 1}: blank", hint="every item needs its id")
    return [str(value) for value in text_of(content).values]


def _like(ids: list[str], study_gold: Gold | None) -> list[Any]:
    """Return ids as whole numbers if the study has such; in a new one, if all of them are."""
    if study_gold is not None and study_gold.ids.dtype.kind == "U":
        return ids
    column = as_scores(column_of_texts(ids))
    return column.values.tolist() if column.values.dtype.kind == "i" else ids


def _typed(
    predictions: Column, gold: Column | None, soft: Soft, study_gold: Gold | None
) -> tuple[Column, Column | None, Array | None]:
    """Give predictions, gold and classes one type: that which the study has, if there is one."""
    like = (
        None
        if study_gold is None
        else study_gold.values
        if study_gold.values.ndim == 1
        else study_gold.classes
    )
    if like is None:
        columns, labels, classes, _ = typed({"prediction": predictions}, gold, soft)
        return columns["prediction"], labels, classes
    classes = None
    if soft.classes is not None or any(part is not None and part.is_soft for part in (predictions, gold)):
        columns, labels, classes = one_kind({"prediction": predictions}, gold, soft)
        predictions = columns["prediction"] if predictions.is_soft else predictions
        gold = labels if gold is not None and gold.is_soft else gold
        if classes is not None and like.dtype.kind == "U":
            classes = classes.astype(np.str_)
    return _as_labels(predictions, like), None if gold is None else _as_labels(gold, like), classes


def _as_labels(column: Column, like: Array) -> Column:
    """Return hard labels as they are compared with those of the study."""
    if column.is_soft:
        return column
    rule = Rule.of(label_column(like, "the labels of the study"), strings=True)
    return rule.read(column, rule.keys_of(column))
