"""The data of a comparison on one test set: what the user has, as an `Evaluation`."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from bestby._core import checks
from bestby._core.arrays import is_table
from bestby._core.errors import DesignError, InvalidInputError, OtherQuestionError
from bestby._core.paths import is_file
from bestby._core.text import quoted, shortened
from bestby._core.typing import OnMissing
from bestby.data.alignment import chosen_names, chosen_systems, with_keys
from bestby.data.evaluation import Evaluation
from bestby.data.layouts.items import evaluation_of_frame
from bestby.data.reading import AS_FOUND, Reading
from bestby.data.roles import (
    Soft,
    TableOptions,
    average_note,
    averages,
    is_average,
    transposed,
    with_left_out,
)
from bestby.data.soft import Annotations
from bestby.data.table import unreadable
from bestby.engine import prepare
from bestby.metrics import resolve
from bestby.metrics.directions import is_label
from bestby.vocabulary import allowed_names


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """The arguments of `compare`, `evaluate` and `advise` that say what the data are; see there.

    `by` are columns of slices: their names, or a mapping of names to values.
    """

    gold: Any = None
    systems: Any = None
    items: Any = None
    clusters: Any = None
    strata: Any = None
    by: Any = None
    on_missing: OnMissing = "error"
    reading: Reading = AS_FOUND


def evaluation_of(data: Any, arguments: Arguments, metric: Any) -> Evaluation:
    """Return the data as one evaluation of the chosen systems, without what is the mean of the others."""
    try:
        evaluation = _evaluation_of(data, arguments, metric)
    except OtherQuestionError as error:
        error.propose(_call(error, arguments, metric))
        raise
    return _without_averages(evaluation, chosen=arguments.systems is not None)


def _is_path(value: Any) -> bool:
    return isinstance(value, PathLike) or (isinstance(value, str) and is_file(value))


def _call(error: OtherQuestionError, arguments: Arguments, metric: Any) -> str:
    """Return the call of the other comparison, with what it takes of the arguments of this one."""
    named = {"metric": metric, **{name: getattr(arguments, name) for name in ("gold", "systems", "items")}}
    settings = [f", {name}={value!r}" for name, value in named.items() if value is not None]
    how = arguments.reading
    read = [(name, getattr(how, name)) for name in ("ignore", "system_column", "value_column")]
    if named_columns := [f"{name}={value!r}" for name, value in read if value is not None]:
        settings.append(f", reading=bestby.Reading({', '.join(named_columns)})")
    return f"bestby.compare_{error.question}({error.data}{''.join(settings)})"


def _evaluation_of(data: Any, arguments: Arguments, metric: Any) -> Evaluation:
    gold, label_sets, how = _annotated(arguments), reads_label_sets(metric), arguments.reading
    objects = reads_objects(metric) and not label_sets
    missing = checks.choice(arguments.on_missing, allowed_names("on_missing", "items"), "on_missing")
    if isinstance(data, Evaluation):
        held = (gold, arguments.items, arguments.clusters, arguments.strata, how.classes)
        if any(one is not None for one in held) or missing != "error" or how.normalise:
            raise InvalidInputError(
                "an Evaluation already holds gold, classes, items, clusters and strata, with nothing missing",
                hint="pass them to Evaluation.of instead",
            )
        names = chosen_names(data.names, arguments.systems, how.ignore)
        return data if names == list(data.names) else data.with_systems(names)
    is_long = how.system_column is not None or how.value_column is not None
    if is_table(data) or (is_long and isinstance(data, Mapping)):
        if gold is not None and not isinstance(gold, str):
            raise InvalidInputError(
                f"for a data frame gold is the name of a column, got {type(gold).__name__}",
                hint="pass {name: frame[name], ...} as the data to give the gold itself",
            )
        soft = Soft.of(how.classes, how.normalise)
        soft = dataclasses.replace(soft, objects=objects, label_sets=label_sets)
        options = TableOptions.of(
            gold, arguments.items, arguments.clusters, arguments.strata, slices=_names(arguments.by),
            systems=arguments.systems, reading=how, on_missing=missing, soft=soft,
        )  # fmt: skip
        return evaluation_of_frame(data, options, "this metric" if objects or label_sets else None)
    if not isinstance(data, Mapping):
        hint = 'compare({"a": predictions_a, "b": predictions_b}, gold=gold)'
        if isinstance(data, str | PathLike):
            hint = f'compare(bestby.read({quoted(str(data))}, gold="label"))'
        elif isinstance(data, list | tuple) and data and all(map(_is_path, data)):
            files = ", ".join(quoted(str(file)) for file in data)
            hint = f'read the files first: compare(bestby.read([{shortened(files, 80)}], gold="label"))'
        raise unreadable(data, "a mapping of system to predictions, a data frame or a list of records", hint)
    side = {
        "gold": gold,
        "items": arguments.items,
        "clusters": arguments.clusters,
        "strata": arguments.strata,
    }
    slices = _slices(data, arguments.by)
    data, side = with_keys(data, side)
    data = {name: values for name, values in data.items() if name not in slices}
    return Evaluation.of(
        chosen_systems(data, arguments.systems, how.ignore), **side, slices=slices, on_missing=missing,
        classes=how.classes, normalise=how.normalise, objects=objects, label_sets=label_sets,
    )  # fmt: skip


def check_two_systems(evaluation: Evaluation) -> None:
    """Refuse a comparison of one system; where other columns were left out, say which."""
    hint = "evaluate gives the score of one system with its interval"
    checks.two_systems(evaluation.names, with_left_out(hint, evaluation.notes))


def _without_averages(evaluation: Evaluation, *, chosen: bool) -> Evaluation:
    """Return the evaluation without rows, and systems that were not chosen, that are the mean of the others.

    Scores by dataset are items here, and tables of them end with such a row.
    """
    other_data = (evaluation.gold, evaluation.counts)
    # Rows up to which a table may be one of scores by dataset, with one for their mean
    if any(one is not None for one in other_data) or not evaluation.plain or evaluation.n_rows > 1000:
        return evaluation
    items = range(evaluation.n_rows) if evaluation.items is None else evaluation.items.tolist()
    items = list(map(str, items))
    if not any(
        map(is_average, evaluation.names if evaluation.items is None else (*evaluation.names, *items))
    ):
        return evaluation
    columns = {
        name: dict(zip(items, values.tolist(), strict=True)) for name, values in evaluation.systems.items()
    }
    named = averages(transposed(columns))
    notes = [average_note("item", name) for name in named]
    if named:
        keep = np.array([item not in named for item in items])
        groupings = {name: values[keep] for name, values in evaluation.groupings.items()}
        rest = evaluation.with_rows(keep)
        evaluation = dataclasses.replace(
            rest, notes=evaluation.notes, groupings=groupings, suggested=evaluation.suggested
        )
    systems = [] if chosen else averages(columns)
    if systems:
        evaluation = evaluation.with_systems([name for name in evaluation.names if name not in systems])
    notes += [average_note("system", name) for name in systems]
    return evaluation.with_notes(notes)


def _names(by: Any) -> tuple[str, ...]:
    """Return the names of the columns of a data frame that are slices."""
    if isinstance(by, Mapping):
        raise InvalidInputError(
            "for a data frame, by holds names of columns, and it is a mapping",
            hint="put the columns into the frame, and pass their names",
            argument="by",
        )
    return () if by is None else checks.valid_name_list(by, "by")


def _slices(data: Mapping[str, Any], by: Any) -> dict[str, Any]:
    """Return the columns of slices by name, as they were given or as `data` holds them."""
    if isinstance(by, Mapping):
        return {checks.check_text(name, "by"): values for name, values in by.items()}
    return {name: with_keys(data, {"by": name})[1]["by"] for name in _names(by)}


def _annotated(arguments: Arguments) -> Any:
    """Return the gold; where annotators are named, as their labels."""
    gold = arguments.gold
    if arguments.reading.annotators is None or gold is None or isinstance(gold, Annotations):
        return gold
    if isinstance(gold, str):
        raise InvalidInputError(
            f"with annotators, gold must be one list of labels per item, got {quoted(gold)}",
            hint="pass data={name: frame[name], ...} and gold=frame[[...]], one column per annotator",
        )
    return Annotations.of(gold, arguments.reading.classes)


def reads_objects(metric: Any) -> bool:
    """Return whether all metrics read the items as they are, not as labels or numbers.

    A name that no metric has is that of the user's own scores, which are numbers.

    >>> reads_objects("em"), reads_objects(["em", "f1_macro"]), reads_objects("my score"), reads_objects(None)
    (True, False, False, False)
    """
    specs = metric if isinstance(metric, list | tuple) else [metric]
    return bool(specs) and all(
        spec is not None and not is_label(spec) and resolve(spec).reads == "objects" for spec in specs
    )


def reads_label_sets(metric: Any) -> bool:
    """Return whether some metric reads sets of labels; refuse others beside it, which read something else.

    >>> reads_label_sets(["subset_accuracy", "multilabel_f1_macro"]), reads_label_sets("f1_macro")
    (True, False)
    """
    specs = metric if isinstance(metric, list | tuple) else [metric]
    metrics = [resolve(spec) for spec in specs if spec is not None and not is_label(spec)]
    sets = [one.name for one in metrics if one.label_sets]
    other = next((one.name for one in metrics if one.reads != "objects"), None)
    if sets and other is not None:
        raise DesignError(
            f"{sets[0]} reads sets of labels, and {other} reads one value per item",
            hint="ask for the two in calls of their own",
        )
    return bool(sets)


def reading_of(metric: Any) -> dict[str, Any]:
    """Return the arguments of `read` that say what all metrics read: texts, or sets of labels.

    >>> reading_of("em"), reading_of("subset_accuracy"), reading_of(None)
    ({'texts': True}, {'label_sets': True}, {})
    """
    if reads_label_sets(metric):
        return {"label_sets": True}
    return {"texts": True} if reads_objects(metric) else {}


def needs_items(metric: Any) -> bool:
    """Return whether some metric needs every item, so that equal items cannot be counted beforehand."""
    specs = metric if isinstance(metric, list | tuple) else [] if metric is None else [metric]
    return not all(is_label(spec) or prepare.takes_counts(resolve(spec)) for spec in specs)
