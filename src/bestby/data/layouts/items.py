"""A table of items, wide or long, as an evaluation."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from bestby._core import checks
from bestby._core.arrays import is_partitioned
from bestby._core.errors import DesignError, InvalidInputError, OtherQuestionError
from bestby._core.text import normal_form, quoted
from bestby._core.typing import Array, BoolArray, IntArray, OnMissing
from bestby.data.alignment import OTHER_WAYS, counted_as_worst_note, dropped_note, no_prediction_error
from bestby.data.columns import Column, column_of_texts
from bestby.data.evaluation import GAPS, Evaluation
from bestby.data.layouts import assemble
from bestby.data.layouts.assemble import (
    CLUSTERS_HINT,
    GROUP_ROLES,
    agreed,
    by_id,
    check_exact,
    check_present,
    check_unique,
    check_whole,
    labels_of,
    side_by_side,
    typed,
    values_of,
)
from bestby.data.layouts.samples import (
    Trials,
    check_scores,
    means,
    sample_columns,
    samples_in,
    samples_text,
    with_trials,
)
from bestby.data.layouts.soft import class_columns, gathered, has_classes
from bestby.data.roles import (
    DATASET_WORDS,
    GOLD_WORDS,
    RUN_WORDS,
    VALUE_WORDS,
    WINNER_WORDS,
    Roles,
    Soft,
    TableOptions,
    check_no_gold,
    check_no_item,
    check_no_step,
    counts_rows,
    describe_wide,
    facet_columns,
    left_out_notes,
    listed,
    matching,
    of_several_seeds,
    recognised,
    score_column,
    score_columns,
    shares_nothing,
    systems_read,
    unknown_system,
    without_quantities,
)
from bestby.data.table import (
    FRAME,
    SYSTEM_WORDS,
    Table,
    backend_of,
    check_there,
    column_names,
    order_in_groups,
    table_of,
)
from bestby.data.values import Rule, as_scores, key_of, read_together, with_decimal_comma, without_labels
from bestby.results.base import Note


def evaluation_of(table: Table, options: TableOptions, source: str | None = None) -> Evaluation:
    """Make an evaluation of a table of items; `source` is what the note calls the table."""
    table, options = table.prepared(options)
    if not options.soft.objects:
        table = gathered(table, options.soft, options.columns, options.roles.item)
    if options.system_column is None:
        check_not_long(table, options)
    read = read_long if _is_long(table, options) else read_wide
    evaluation, description = read(table, options)
    message = f"{source or table.source} was read as {description}"
    return with_reading_note(evaluation, message, options.soft)


def _is_long(table: Table, options: TableOptions) -> bool:
    if options.system_column is not None or options.value_column is not None:
        return True
    return is_long(table, options.roles, options.systems, options.soft)


def evaluation_of_frame(data: Any, options: TableOptions, every_item: str | None = None) -> Evaluation:
    """Make an evaluation of a frame or of records; `every_item` says what dask rows cannot be counted for."""
    if is_partitioned(data):
        evaluation = _evaluation_of_partitions(data, options, every_item)
    else:
        evaluation = evaluation_of(table_of(data), options)
    return dataclasses.replace(evaluation, frame_backend=backend_of(data))


def with_reading_note(evaluation: Evaluation, message: str, soft: Soft) -> Evaluation:
    """Return the evaluation with the note on what was taken for what."""
    if evaluation.label_sets:
        labels = "" if evaluation.classes is None else f": {listed([*map(str, evaluation.classes)], 8)}"
        message += f"; every item has a set of labels{labels}"
    rows = [name or "gold" for name, column in evaluation.compact.items() if column.ndim == 2]
    if not rows:
        checks.refuse_unused(
            "hard labels and scores: only soft labels are normalised", normalise=(soft.normalise, False)
        )
    if rows and evaluation.classes is not None:
        message += f"; distributions over the classes {listed([str(name) for name in evaluation.classes])}"
        message += f": {listed(rows)}" + ("; every row divided by its sum" if soft.normalise else "")
    return dataclasses.replace(evaluation, notes=(Note("read_as", message), *evaluation.notes))


def read_wide(table: Table, options: TableOptions) -> tuple[Evaluation, str]:
    """Make an evaluation of a wide table."""
    roles, systems, soft = options.roles, options.systems, options.soft
    completed = roles_of(table, roles, chosen=systems is not None)
    names = systems_of(table, completed, systems)
    if len(names) == 1 and completed.item is not None:
        ids = table.texts(completed.item, "item")
        samples = samples_in(table, completed.item, {"": range(len(ids))}, {"": ids})
        if samples is not None:  # of which the long form has means
            named = {**table.data, "system": column_of_texts([names[0]] * len(ids))}
            by_system = dataclasses.replace(
                options, system_column="system", value_column=names[0], systems=None
            )
            evaluation, _ = read_long(Table(table.source, named, table.missing), by_system)
            return evaluation, f"{described(table, names, completed)}; {samples_text(samples, {'': ids})}"
    columns = {name: values_of(table, name, soft) for name in names}
    gold = None if completed.gold is None else values_of(table, completed.gold, soft)
    if roles.annotators:
        gold = assemble.labels_of_columns(table, roles.annotators)
    if "gold" in columns_not_used(table, names, completed):
        check_no_labels(table, columns)
    check_exact(table.source, columns, gold)
    if systems is None:
        check_no_counter(table, columns, gold)
    if systems is None and gold is not None and not soft.as_given:  # two texts are seldom equal
        check_alike(table, columns, gold)
    items = None if completed.item is None else table.texts(completed.item, "item")
    if items is not None and completed.item is not None:
        _check_unique(table, items, "item ids", completed.item, names)
    evaluation = side_by_side(
        table.source,
        columns,
        gold,
        items=items,
        groups={role: table.texts(name, role) for role, name in completed.named() if role in GROUP_ROLES},
        slices={name: table.texts(name, "slice") for name in completed.slices},
        on_missing=options.on_missing,
        soft=soft,
    )
    unused = (
        "" if not roles.annotators or completed.gold is None else f"; column {completed.gold} was not used"
    )
    evaluation = with_left_out(evaluation, table, names, completed, systems)
    if roles.annotators:
        completed = dataclasses.replace(completed, gold=None)
    return evaluation, f"{described(table, names, completed)}{unused}"


def roles_of(table: Table, roles: Roles, *, chosen: bool) -> Roles:
    """Return the roles with those filled in that the columns' own names tell, unless systems were chosen."""
    check_there(table, roles)
    return roles if chosen else recognised(roles, table.data)


def systems_of(table: Table, roles: Roles, systems: Sequence[str] | None) -> list[str]:
    """Return the columns of the systems: those asked for, or all that play no other part."""
    other = {name: role for role, name in reversed(roles.named())}
    if systems is None:
        names = without_quantities([name for name in table.names if name not in other])
        if not names:
            raise InvalidInputError(
                f"{table.source}: there is no column of a system ({roles.description()})",
                hint=f"its columns are: {listed(table.names)}",
            )
        check_no_item(table.source, names)
        check_one_test_set(table, names, "name the systems: systems=[...], or leave it out: ignore=[...]")
        if seeds := of_several_seeds(names):
            message = f"{table.source}: the columns are those of several seeds of {listed([*seeds])}"
            data = "data" if table.source == FRAME else f"bestby.read_runs({quoted(table.source)})"
            raise OtherQuestionError(message, "runs", data, "name the systems: systems=[...]")
        if roles.gold is not None or roles.annotators:
            return names
        if table.item_column(roles.item) is None:
            check_no_step(table.source, names)
            _check_no_totals(table, names)
        scores = score_column(names)
        if scores is not None and not _names_systems(table):
            return [scores]
        check_no_gold(table.source, names)
        return names
    free = [name for name in table.names if name in systems or name not in other]
    names = matching(systems, free, lambda name: table.unknown(name, "system"))
    for name in names:
        if name in other:
            raise InvalidInputError(
                f"{table.source}: column {name!r} cannot be {other[name]} and system at once"
            )
    return names


def _check_no_totals(table: Table, names: Sequence[str]) -> None:
    """Refuse a table in which each row is another system: its scores are of whole test sets."""
    by = next((name for name in names if name.lower() in SYSTEM_WORDS), None)
    if by is None or score_column(names) is None or not len(table.distinct(by)) == table.n_rows > 1:
        return
    raise InvalidInputError(
        f"{table.source}: each row is another system (column {quoted(by)}), so its scores are of whole test"
        " sets, not of items",
        hint="compare published scores: compare_published (bestby published --table); or give a row per item",
    )


def _names_systems(table: Table) -> bool:
    """Tell whether rows are of several systems, or a column called model has the scores of one."""
    named = [name for name in table.names if name.lower() in SYSTEM_WORDS]
    return any(len(table.distinct(one)) > 1 or not as_scores(table.column(one)).is_text for one in named)


def columns_not_used(table: Table, names: Sequence[str], roles: Roles) -> list[str]:
    """Return the columns that are called as a gold or a group is and were not used, as systems were named.

    The labels of annotators take the place of a column of the gold.
    """
    free = [name for name in table.names if name not in names]
    recognised_roles = recognised(roles, free).named()
    others = ("item", "gold") if roles.annotators else ("item",)
    return [
        name for role, name in recognised_roles if role not in others and (role, name) not in roles.named()
    ]


def described(table: Table, names: Sequence[str], roles: Roles) -> str:
    """Return what was taken for what, and which columns were not though their names tell what they are."""
    aside = columns_not_used(table, names, roles)
    unused = "" if not aside else f"; not used, since the systems were named: {', '.join(aside)}"
    return f"{describe_wide(names, roles)}{unused}"


def check_no_labels(table: Table, columns: Mapping[str, Column]) -> None:
    """Refuse labels as scores, beside a gold that was not named."""
    name = next((name for name, column in columns.items() if as_scores(column).is_text), None)
    if name is not None:
        raise InvalidInputError(
            f"{table.source}: system {quoted(name)} holds text, and no gold was named",
            hint='name the column gold: gold="gold"; where systems are named, it is not taken for the gold by'
            " itself",
        )


def with_left_out(
    evaluation: Evaluation, table: Table, names: Sequence[str], roles: Roles, systems: Sequence[str] | None
) -> Evaluation:
    """Return the evaluation with notes on columns that were not read, unless systems were chosen."""
    if systems is not None:
        return evaluation
    used = {*names, *(name for _, name in roles.named())}
    others = [name for name in table.names if name not in used]
    return dataclasses.replace(evaluation, notes=(*evaluation.notes, *left_out_notes(names, others)))


def check_no_counter(table: Table, columns: Mapping[str, Column], gold: Column | None) -> None:
    """Refuse a column that numbers the rows, of a spreadsheet or a data frame: it would pass for a system."""
    if gold is not None and _numbers_rows(gold):  # as a right prediction of the gold would
        return
    for name, column in columns.items():
        if _numbers_rows(column):
            raise counts_rows(table.source, name)


def _numbers_rows(column: Column) -> bool:
    """Tell whether a column of a few rows or more holds 0, 1, 2, ... or 1, 2, 3, ... in this order."""
    n = column.size
    # Labels that repeat and numbers with fractions do not; to look at their values would make texts of them.
    # Rows from which a column of their numbers is no system's; fewer can be by chance
    if n < 10 or column.numbers is not None or column.distinct.size < n:
        return False
    if column.values.ndim > 1 or column.missing.any():
        return False
    first, last = map(key_of, column.take([0, n - 1]).values.tolist())
    if first not in (0, 1) or last != first + n - 1:
        return False
    read = as_scores(column)
    return not read.is_text and np.array_equal(read.values, np.arange(n) + first)


def check_alike(table: Table, columns: dict[str, Column], gold: Column) -> None:
    """Refuse a column of something else, such as the sentences: it would pass for a bad system."""
    hard = {name: column for name, column in columns.items() if not column.is_soft}
    labels = labels_of(gold)
    if labels is None:
        return
    labels, alike, _ = read_together(labels, hard)
    assert labels is not None
    for name in without_labels(labels, alike):
        shown = with_decimal_comma([str(value) for value in hard[name].values[~hard[name].missing]])
        if shown is not None:
            raise InvalidInputError(
                f"{table.source}: column {quoted(name)} holds numbers with a decimal comma, such as"
                f" {quoted(shown)}, which are texts",
                hint="write them with a decimal point, and name a metric that reads numbers",
            )
        hint = f"leave it out: ignore={name!r}; or choose the columns of the systems: systems=[...]"
        if name in table.data and table.repeats(name):
            hint += "; a column of their names is system_column=..."
        elif name in table.data and table.item_column(None) is None and holds_ids(table, name):
            hint = f"if it holds the ids of the items, name it: items={name!r}; otherwise {hint}"
        elif labels.is_text and sum(not as_scores(column).is_text for column in hard.values()) > 1:
            hint += "; probabilities of classes are classes=[...]"
        raise shares_nothing(table.source, name, hint)


def holds_ids(table: Table, name: str) -> bool:
    """Tell whether a column is called as ids are, and has a value of its own in each row."""
    return name.lower().endswith("id") and len(table.distinct(name)) == table.n_rows


def evaluation_of_counts(
    table: Table, counts: IntArray, names: Sequence[str], roles: Roles, options: TableOptions
) -> Evaluation:
    """Make an evaluation of distinct rows, by the same rules as one of items side by side."""
    keep = counts > 0  # a file without rows, all of whose columns are folders
    columns = {name: table.column(name).take(keep) for name in names}
    gold = None if roles.gold is None else table.column(roles.gold).take(keep)
    strata = None if roles.stratum is None else _strata(table, roles.stratum, counts, keep)
    counts = counts[keep]
    if options.systems is None and gold is not None:
        check_alike(table, columns, gold)
    check_exact(table.source, columns, gold)
    columns, gold, _, notes = typed(columns, gold, options.soft)
    if gold is not None and gold.missing.any():
        raise InvalidInputError(
            f"{table.source}: the gold is missing for {_how_many_items(gold.missing, counts)}",
            hint='remove these items; if NA is a label here, let only blank cells be missing: missing=""',
        )
    if not any(column.missing.any() for column in columns.values()):
        evaluation = Evaluation.of(
            {name: column.values for name, column in columns.items()},
            None if gold is None else gold.values,
            strata=strata,
            counts=counts,
        )
    else:
        evaluation = _with_missing(table, columns, gold, strata, counts, options.on_missing)
    message = (
        f"{evaluation.n_items} rows were counted into {evaluation.n_rows} distinct ones, which give the same"
        " numbers as the rows one by one"
    )
    if roles.item is not None:
        message += f"; that the ids in column {roles.item} are unique was not checked"
    return dataclasses.replace(evaluation, notes=(Note("counted", message), *notes, *evaluation.notes))


def _with_missing(
    table: Table,
    columns: Mapping[str, Column],
    gold: Column | None,
    strata: Array | None,
    counts: IntArray,
    on_missing: OnMissing,
) -> Evaluation:
    absent = np.column_stack([column.missing for column in columns.values()])
    if on_missing == "error":
        name = next(name for name, column in columns.items() if column.missing.any())
        raise InvalidInputError(
            f"{table.source}: system {name!r} has no value for"
            f" {_how_many_items(columns[name].missing, counts)}",
            hint=f'pass on_missing="drop" to compare the other items only, {OTHER_WAYS}',
        )
    if on_missing == "drop-systems":
        raise DesignError(
            "rows were counted, and whole systems are left out of tables that are read whole",
            hint="read it whole: stream=False",
        )
    known = ~absent.all(axis=1) if gold is None else np.ones(counts.size, dtype=np.bool_)
    rows = known & ~absent.any(axis=1) if on_missing == "drop" else known
    of, n = int(counts[known].sum()), int(counts[rows].sum())
    notes = [dropped_note(of - n, of)] if n < of else []
    masks: dict[str, BoolArray] = {}
    systems: dict[str, list[Any]] = {}
    for name, column in columns.items():
        mask = column.missing[rows]
        values = column.values[rows].tolist()
        if mask.all():
            raise no_prediction_error(name, of)
        if mask.any():
            filler = values[int((~mask).argmax())]
            values = [filler if gone else value for value, gone in zip(values, mask, strict=True)]
            masks[name] = mask
        if mask.any() and on_missing == "worst":
            notes.append(counted_as_worst_note(name, int(counts[rows][mask].sum()), of))
        systems[name] = values
    evaluation = Evaluation.of(
        systems,
        None if gold is None else gold.values[rows].tolist(),
        strata=None if strata is None else strata[rows],
        counts=counts[rows],
    )
    gaps = on_missing if on_missing in GAPS else "worst"
    return dataclasses.replace(evaluation, missing=masks, notes=tuple(notes), on_missing=gaps)


def _how_many_items(missing: BoolArray, counts: IntArray) -> str:
    return f"{int(counts[missing].sum())} of {int(counts.sum())} items"


def _strata(table: Table, name: str, counts: IntArray, keep: BoolArray) -> Array:
    column = table.column(name).take(keep)
    if column.missing.any():
        raise InvalidInputError(
            f"{table.source}: stratum column {name!r} has no value in"
            f" {_how_many_items(column.missing, counts[keep]).removesuffix(' items')} rows",
            hint="every item needs its stratum",
        )
    return np.array([str(value) for value in column.values.tolist()])


_GROUP_WORDS = ("gold", "cluster", "stratum")


def is_long(
    table: Table,
    roles: Roles,
    systems: Sequence[str] | None,
    soft: Soft = Soft(),  # noqa: B008 - frozen
    value_column: str | None = None,
) -> bool:
    """Tell whether the columns are called as in a long table, and the user does not say otherwise.

    `value_column` is the name of the values where the user gives it.
    """
    item = roles.item
    return (
        _has_values(table, roles, soft, value_column)
        and (item in table.data if item is not None else table.item_column(None) is not None)
        and system_column_of(table, roles, systems) is not None
    )


def _has_values(table: Table, roles: Roles, soft: Soft, value_column: str | None) -> bool:
    no_gold = roles.gold is None and "gold" not in table.data
    is_value_named = value_column is not None or value_word(table.data, prefer_score=no_gold) is not None
    return is_value_named or _only_soft(table) is not None or soft.every_column or has_classes(table, soft)


def _only_soft(table: Table) -> str | None:
    """Return the column of distributions, if there is one beside the gold."""
    names = [name for name in table.soft if name != "gold"]
    return names[0] if len(names) == 1 else None


_OTHER_QUESTIONS = {
    "datasets": ("the name of a dataset", DATASET_WORDS),
    "runs": ("the number of a run", RUN_WORDS),
    "folds": ("the number of a fold or a repetition", ("fold", "repetition", "repeat", "rep")),
}
"""Comparisons of more than one test set: what a column of theirs holds, and how it is called."""


def check_one_test_set(
    table: Table, names: Sequence[str], otherwise: str | None = None, item: str | None = None
) -> None:
    """Refuse a table with a column called as that of runs, datasets or folds is: it holds no system.

    The items of several datasets can be those of one test set if the column `item` tells them apart in each.
    """
    by_name = {name.lower(): name for name in reversed(names)}
    pairs = [[f"{stem}_a", f"{stem}_b", word] for stem in ("model", "response") for word in WINNER_WORDS]
    judged = next((pair for pair in pairs if by_name.keys() >= {*pair}), None)
    if judged is not None:
        raise InvalidInputError(
            f"{table.source}: the columns {listed(judged)} hold judgements of pairs of systems",
            hint="compare the systems by these: compare_preferences (bestby preferences)",
        )
    for question, (what, words) in _OTHER_QUESTIONS.items():
        name = next((by_name[word] for word in words if word in by_name), None)
        if name is None:
            continue
        message = f"{table.source}: column {quoted(name)} looks like {what}"
        facets = facet_columns(table.names) if question == "runs" else []
        if len(facets) > 1:
            message = f"{table.source}: the columns {listed(facets)} are facets, as prompts beside seeds are"
            question = "facets"
        if question == "datasets" and item is not None:
            otherwise = f"take all items as one test set: {_together(name, item)}"
        if len(table.distinct(name)) > 1:
            reader = "pandas.read_csv" if question == "facets" else f"bestby.read_{question}"
            data = "data" if table.source == FRAME else f"{reader}({quoted(table.source)})"
            raise OtherQuestionError(message, question, data, otherwise)
        if question == "runs" and otherwise is not None:
            raise InvalidInputError(message, hint=otherwise)


def first_rows(items: Sequence[str]) -> dict[str, int]:
    """Return the position where each item occurs first."""
    first: dict[str, int] = {}
    for position, item in enumerate(items):
        first.setdefault(item, position)
    return first


def check_not_long(table: Table, options: TableOptions) -> None:
    """Refuse a long table whose item ids or values have other names: its columns would pass for systems.

    A column of ids that numbers the rows is none of items, as no two systems share one.
    """
    roles, systems = options.roles, options.systems
    by = system_column_of(table, roles, systems)
    if by is None or options.soft.objects:  # the gold may hold lists
        return
    labels = {
        text
        for name in (*GOLD_WORDS, roles.gold or "gold")
        if name in table.data
        for text in table.distinct(name)
    }
    if not table.repeats(by) or len(table.distinct(by)) < 2 or table.distinct(by) & labels:
        return
    items = table.item_column(roles.item)
    taken = {by, items, *VALUE_WORDS, *GOLD_WORDS, *(name for _, name in roles.named())}
    free = {name: column for name in table.names if name not in taken and (column := _plain(table, name))}
    of_values = roles.gold is not None or not any(as_scores(column).is_text for column in free.values())
    has_values = _has_values(table, roles, options.soft, options.value_column)
    named, lacking = [], []
    if items is None or (systems is None and len({*map(normal_form, table.distinct(items))}) == table.n_rows):
        ids = _item_candidates(table, free, [by])
        for samples in sample_columns(table) if not ids else ():
            ids = ids or _item_candidates(table, free, [by, samples])
        if not ids and not has_values:  # a wide table
            return
        check_one_test_set(table, ids)
        lacking.append(
            "no column is called item or id" if items is None else f"{quoted(items)} numbers the rows"
        )
        items = min(ids, key=lambda name: not name.lower().endswith("id"), default=None)
        named.append(f"items={items!r}" if items else "items=...")
    if not has_values:
        free.pop(str(items), None)
        numbers = [name for name, column in free.items() if not as_scores(column).is_text]
        scores = score_column(numbers) if roles.gold is None else None
        candidates = [*([scores] if scores else ()), *(numbers if roles.gold is None else ()), *free]
        lacking.append(f"no column is called {' or '.join(VALUE_WORDS)}")
        named.append(f"value_column={candidates[0]!r}" if candidates else "value_column=...")
    if named:
        check_one_test_set(table, roles.without(table.names, by, options.value_column))
        otherwise = f"; or leave this one out: ignore={by!r}" if of_values and not has_values else ""
        hint = f"name the columns: {' and '.join(named)}{otherwise}"
        if {"judge", "human"} <= {*table.names}:
            hint = f"a judge beside human labels is for compare_judged (bestby judged compare); else {hint}"
        raise InvalidInputError(
            f"{table.source}: column {quoted(by)} names systems, as in a table with a row per item and"
            f" system, but {' and '.join(lacking)}; its columns are: {listed(table.names)}",
            hint=hint,
        )


def _item_candidates(table: Table, names: Iterable[str], beside: Sequence[str]) -> list[str]:
    """Return the columns whose values recur and that tell the rows apart, beside others."""
    cells = [table.cells(name) for name in beside]
    return [
        name
        for name in names
        if name not in beside
        and len({*zip(table.cells(name), *cells, strict=True)}) == table.n_rows > len(table.distinct(name))
    ]


def _check_unique(
    table: Table, ids: Sequence[str], what: str, item: str, values: Sequence[str], by: str | None = None
) -> None:
    """Refuse an id that occurs twice, and name the column beside which it does not, if there is one."""
    if len({*ids}) == len(ids):
        return
    others = [name for name in table.names if name not in values]
    names = _item_candidates(table, others, [item] if by is None else [item, by])
    apart = "items are told apart by {} and {} together, so name both: {}"
    hint = apart.format(names[0], item, _together(names[0], item)) if names else _no_items_of(table.files)
    check_unique(ids, f"{table.source}: {what}", hint)


def _no_items_of(files: Sequence[str]) -> str:
    """Return what rows with an id that occurs twice may be; in several files, those of several systems."""
    if not files:
        return CLUSTERS_HINT
    return f"if each file holds a system, name the files in place of the table: {listed(files, 3)}"


def _together(*names: str) -> str:
    """Return the setting by which columns together make the ids of items."""
    return f"items=[{', '.join(map(json.dumps, names))}]"


def _plain(table: Table, name: str) -> Column | None:
    """Return a column of one value per row; None if it holds anything else."""
    try:
        column = table.column(name)
    except InvalidInputError:
        return None
    return None if column.is_soft else column


def system_column_of(table: Table, roles: Roles, systems: Sequence[str] | None) -> str | None:
    """Return the column that says which system a row is of; None in a wide table."""
    if any(name in table.data for name in systems or ()):
        return None
    if "system" in table.data:
        return "system"
    by_name = {name.lower(): name for name in reversed(table.names)}
    named = [by_name[word] for word in SYSTEM_WORDS if word in by_name]
    gold = roles.gold or "gold"
    labels = table.distinct(gold) if named and gold in table.data else set()
    taken = {name for _, name in roles.named()}
    return next(
        (
            name
            for name in named
            if name not in taken and table.repeats(name) and not table.distinct(name) & labels
        ),
        None,
    )


def read_long(table: Table, options: TableOptions) -> tuple[Evaluation, str]:
    """Make an evaluation of a long table."""
    roles, systems, soft, on_missing = options.roles, options.systems, options.soft, options.on_missing
    system_column, value_column = options.system_column, options.value_column
    by = system_column or system_column_of(table, roles, systems) or "system"
    if value_column is None:
        other = {by, table.item_column(roles.item), *VALUE_WORDS, *_GROUP_WORDS}
        other |= {name for _, name in roles.named()}
        table, value_column = class_columns(table, soft, other)
    completed, value = _columns(table, roles, by, value_column)
    items = table.texts(str(completed.item), "item")
    labels = table.texts(by, "system")
    names = _chosen(table, by, labels, items, systems)
    rows: dict[str, list[int]] = {name: [] for name in names}
    for row, label in enumerate(labels):
        if label in rows:
            rows[label].append(row)
    keys = {name: [items[row] for row in rows[name]] for name in names}
    samples = samples_in(table, str(completed.item), rows, keys)
    if samples is not None:  # their mean needs numbers, whatever the metric reads
        soft = dataclasses.replace(soft, objects=False, texts=False)
    for name in names if samples is None else ():
        if len({*keys[name]}) < len(keys[name]):
            check_one_test_set(table, completed.without(table.names, by, value), item=completed.item)
        _check_unique(table, keys[name], f"item ids of system {name!r}", str(completed.item), [value], by)
    values = values_of(table, value, soft)
    rows_used = [row for row, label in enumerate(labels) if label in rows]
    item_of_row = [items[row] for row in rows_used]
    first = first_rows(item_of_row)
    firsts = [rows_used[position] for position in first.values()]
    gold = _gold_of_rows(table, completed, soft)
    if gold is None and not values.is_soft and as_scores(values).is_text:
        check_no_gold(table.source, [name for name in table.names if name not in (by, value, completed.item)])
    check_exact(table.source, {value: values}, gold)
    if gold is not None:
        _check_same(table, item_of_row, gold.take(rows_used), soft)
        gold = gold.take(firsts)
    columns, gold, classes, notes = typed({name: values.take(rows[name]) for name in names}, gold, soft)
    trials: Trials = {}
    averaged = ""
    if samples is not None:
        check_scores(table, samples, columns, gold)
        averaged = f"; {samples_text(samples, keys)}"
        keys, columns, trials = means(keys, columns)
    if on_missing == "error":
        for name in names:
            check_present(table.source, name, columns[name], keys[name])
    groups = {
        role: agreed(
            table.source, role, item_of_row, column_of_texts(table.texts(column, role)).take(rows_used)
        )
        for role, column in completed.named()
        if role in GROUP_ROLES
    }
    evaluation = by_id(
        {name: (keys[name], columns[name]) for name in names},
        None if gold is None else (list(first), gold),
        classes,
        notes,
        groups=groups,
        slices=_slices(table, completed, item_of_row, rows_used),
        on_missing=on_missing,
        objects=options.soft.objects,
    )
    message = f"a long table; {systems_read(names)} (column {by}); values: {value}; {completed.description()}"
    evaluation = with_trials(evaluation, trials)
    return dataclasses.replace(evaluation, called=dict.fromkeys(names, value)), message + averaged


def _columns(table: Table, roles: Roles, by: str, value_column: str | None) -> tuple[Roles, str]:
    check_there(table, roles)
    table.require(by, "system column")
    no_gold = roles.gold is None and not roles.annotators and "gold" not in table.data
    value = value_column or value_word(table.data, prefer_score=no_gold) or _only_soft(table)
    if value is None:
        raise InvalidInputError(
            f"{table.source}: no column is called {' or '.join(VALUE_WORDS)}",
            hint=f"name the column of the values: value_column=...; its columns are: {listed(table.names)}",
        )
    table.require(value, "value column")
    item = table.item_column(roles.item)
    if item is None:
        check_one_test_set(table, roles.without(table.names, by, value))
        raise InvalidInputError(
            f"{table.source}: a long table needs a column of item ids",
            hint=f"name it: items=...; its columns are: {listed(table.names)}",
        )
    taken = {by, value, item}

    def column_for(name: str | None, word: str) -> str | None:
        return name or (word if word in table.data and word not in taken else None)

    # Scores need no gold; one that lies beside them is not used unless it is asked for.
    gold = roles.gold if value == "score" or roles.annotators else column_for(roles.gold, "gold")

    def group_for(name: str | None, word: str) -> str | None:
        return name if word in roles.slices else column_for(name, word)

    groups = group_for(roles.cluster, "cluster"), group_for(roles.stratum, "stratum")
    return Roles(gold, item, *groups, roles.annotators, roles.crossed, roles.slices), value


def value_word(names: Mapping[str, object], *, prefer_score: bool) -> str | None:
    """Return the column with a telling name; of two, that which the gold (or its absence) asks for.

    Without gold, the only column that is called as scores are, such as `correct`, holds the values.
    """
    words = VALUE_WORDS[::-1] if prefer_score else VALUE_WORDS
    scores = score_columns(names) if prefer_score else []
    return next((word for word in words if word in names), scores[0] if len(scores) == 1 else None)


def _chosen(
    table: Table, by: str, labels: Sequence[str], items: Sequence[str], systems: Sequence[str] | None
) -> list[str]:
    known = order_in_groups(labels, items)
    return known if systems is None else matching(systems, known, unknown_system(table.source, known, by))


def _slices(
    table: Table, roles: Roles, item_of_row: Sequence[str], rows_used: Sequence[int]
) -> dict[str, dict[str, str]]:
    """Return the value of each item in each column of slices."""
    columns = {name: column_of_texts(table.texts(name, "slice")).take(rows_used) for name in roles.slices}
    return {
        name: agreed(table.source, f"slice ({name})", item_of_row, column) for name, column in columns.items()
    }


def _gold_of_rows(table: Table, roles: Roles, soft: Soft) -> Column | None:
    if roles.annotators:
        return assemble.labels_of_columns(table, roles.annotators)
    return None if roles.gold is None else values_of(table, roles.gold, soft)


def _check_same(table: Table, items: Sequence[str], labels: Column, soft: Soft) -> None:
    """Refuse gold labels that differ between the rows of an item."""
    check_whole(table.source, labels, items)
    rule = None if labels.values.ndim > 1 or labels.is_items or soft.as_given else Rule.of(labels)
    agreed(table.source, "gold", items, labels, rule)


MOST_CELLS = 1_000_000
"""Distinct rows up to which a frame is counted; more would be the table itself, in one place."""

_COUNT = "n"


def _evaluation_of_partitions(frame: Any, options: TableOptions, every_item: str | None) -> Evaluation:
    names = column_names(frame)
    heads = Table(FRAME, {name: np.empty(0, dtype=object) for name in names}, frozenset())
    heads = heads.without(options.ignore)
    roles = roles_of(heads, options.roles, chosen=options.systems is not None)
    value = options.value_column or next((word for word in VALUE_WORDS if word in heads.data), None)
    whole = {
        "clusters": roles.cluster is not None,
        "slices": bool(roles.slices),
        "joint item ids": bool(options.item_columns),
        "a long table": bool(options.system_column) or ("system" in heads.data and value is not None),
        "soft labels": options.soft.classes is not None or options.soft.normalise,
    }
    refuse_partitions(every_item or next((what for what, needed in whole.items() if needed), None))
    systems = systems_of(heads, roles, options.systems)
    others = [name for name in (roles.gold, roles.stratum) if name is not None]
    rows, counts = counted_partitions(frame, [*others, *systems])
    evaluation = evaluation_of_counts(table_of(rows), counts, systems, roles, options)
    evaluation = with_left_out(evaluation, heads, systems, roles, options.systems)
    message = f"{FRAME} was read as {described(heads, systems, roles)}"
    return with_reading_note(evaluation, message, options.soft)


def refuse_partitions(what: str | None) -> None:
    """Refuse what needs every item of a frame in partitions."""
    if what is not None:
        raise DesignError(
            f"the rows of a dask frame are counted where they are; every item is needed for {what}",
            hint="pass frame.compute() if it fits into memory",
        )


def counted_partitions(frame: Any, columns: Sequence[str]) -> tuple[Any, IntArray]:
    """Return the distinct joint rows of a dask frame and their counts, added up in a tree to save memory."""
    # Counts of partitions that are added at once, and the sums of these, and so on
    cells = (
        frame[list(columns)]
        .reduction(_counts_of_partition, combine=_added_counts, aggregate=_added_counts, split_every=8)
        .compute()
    )
    counts = np.asarray(cells[_COUNT], dtype=np.int64)
    return cells.drop(columns=_COUNT).set_axis(list(columns), axis=1).reset_index(drop=True), counts


def _counts_of_partition(part: Any) -> Any:
    """Return the distinct rows of a partition, columns numbered, with their counts."""
    plain = part.set_axis([str(i) for i in range(part.shape[1])], axis=1)
    for name in plain.columns:
        if type(plain[name].dtype).__name__ == "CategoricalDtype":  # partitions may know other categories
            plain[name] = plain[name].astype(plain[name].cat.categories.dtype)
    return _added_counts(plain.assign(**{_COUNT: 1}))


def _added_counts(rows: Any) -> Any:
    """Return the distinct rows of one or several partitions, with the sums of their counts."""
    names = [name for name in rows.columns if name != _COUNT]
    added = rows.groupby(names, dropna=False, sort=False, observed=True)[_COUNT].sum().reset_index()
    if len(added) > MOST_CELLS:
        raise DesignError(
            f"the frame has more than {MOST_CELLS} distinct rows, which are not counted",
            hint="scores that hardly repeat cannot be counted: pass frame.compute() if it fits into memory",
        )
    return added
