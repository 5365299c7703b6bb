"""What the user gives, checked and brought to the gold of a study."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from bestby._core import arrays, checks
from bestby._core.errors import InvalidInputError
from bestby._core.text import natural, quoted
from bestby._core.typing import Array, ArrayLike, IntArray
from bestby.data import soft
from bestby.data.alignment import in_common_spelling
from bestby.data.arrays import identifiers, label_column
from bestby.data.columns import complete
from bestby.data.groupings import one_grouping
from bestby.data.values import label_codes, read_together
from bestby.questions.study import names
from bestby.questions.study.records import Entry, Gold, Tag


def checked_entry(entry: Entry) -> Entry:
    """Return the same run under checked names, with what comes from iterators as lists."""
    entry = dataclasses.replace(
        entry, condition=names.checked(entry.condition, "condition"), run=names.checked(entry.run, "run")
    )
    what = {field: field for field in ("gold", "clusters", "ids", "classes")}
    what["predictions"] = _whose(entry)
    changed: dict[str, Any] = {}
    for field, called in what.items():
        values = getattr(entry, field)
        keyed = isinstance(values, Mapping) and field not in ("ids", "classes")
        if field == "predictions" or values is not None:
            changed[field] = values if keyed else arrays.sequence(values, called)
    return dataclasses.replace(entry, **changed)


def index_of_run(entry: Entry) -> Any | None:
    """Return the labels that pandas objects of a run bring, which must be the same in all of them."""
    given = {
        "gold": entry.gold,
        _whose(entry): entry.predictions,
        "clusters": entry.clusters,
        "ids": entry.ids,
    }
    return arrays.check_labels(given, entry.ids)


def check_index_of_run(gold: Gold, entry: Entry, labels: Any | None) -> None:
    """Refuse a run without ids whose values have other labels than the items of the study."""
    if entry.ids is not None:
        return
    own = arrays.labels_of(entry.predictions) if labels is None else labels
    if own is not None:
        arrays.check_same_order(own, gold.ids.tolist(), _whose(entry), "the items of the study")


def _whose(entry: Entry) -> str:
    return f"run {quoted(entry.run)} of {quoted(entry.condition)}"


def checked_gold(
    values: Any,
    *,
    ids: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    clusters: Any = None,
    normalise: bool = False,
    labels: Any | None = None,
) -> Gold:
    """Return the gold of a study, checked; without ids, `labels` that do not repeat become ids."""
    ids, values = _unkeyed(values, ids, "gold")
    array, known = _labels(values, ids, classes, normalise)
    if len(array) < 2:
        raise InvalidInputError(f"a study needs at least 2 items, got {len(array)}")
    if ids is None and labels is not None:
        ids = arrays.as_ids(labels)
    items = np.arange(len(array)) if ids is None else identifiers(ids, "ids", len(array))
    places = _places(items, "the ids")
    clusters = one_grouping(clusters, "a study")
    if isinstance(clusters, Mapping):
        absent = [item for item in places if item not in clusters]
        if absent:
            raise InvalidInputError(
                f"clusters has no value for {len(absent)} items; first: {quoted(absent[0])}"
            )
        clusters = [clusters[item] for item in places]
    groups = None if clusters is None else identifiers(clusters, "clusters", len(array))
    return Gold(items, array, known, groups)


def _labels(
    values: Any, ids: ArrayLike | None, classes: ArrayLike | None, normalise: bool
) -> tuple[Array, Array | None]:
    """Return the gold as an array, and its classes."""
    if soft.is_soft(values):
        named = soft.named_classes({"gold": values}, "gold") if classes is None else classes
        ordered = soft.by_name(values, named, "gold")
        rows = soft.distributions(ordered, "gold", normalise=normalise, place=_placed(ids))
        return rows, soft.classes_of(named, rows.shape[1])
    array = label_column(values, "gold").values
    if classes is None:
        return array, None
    known = soft.classes_of(classes, checks.column(classes, "classes").size)
    soft.positions(array, known, "gold")
    return array, known


def check_same(mine: Gold, other: Gold, *, with_ids: bool) -> None:
    """Refuse another gold than the one of the study; without ids, its items are in the order of the study."""
    where = order(mine, other.ids if with_ids else None, other.n_items, "the new gold")
    parts = [("gold", mine.values, other.values)]
    if other.clusters is not None:
        if mine.clusters is None:
            raise InvalidInputError(
                "the gold of the study has no clusters, but the new gold has",
                hint="give clusters with the first run of a study, or leave them out",
            )
        parts.append(("cluster", mine.clusters, other.clusters))
    for what, before, now in parts:
        triples = zip(mine.ids.tolist(), before.tolist(), now[where].tolist(), strict=True)
        same = _same(before, now[where])
        differing = [triple for triple, equal in zip(triples, same, strict=True) if not equal]
        if differing:
            item, old, new = differing[0]
            raise InvalidInputError(
                f"the {what} of item {quoted(item)} is {quoted(old)} in the study,"
                f" {quoted(new)} in the new gold;"
                f" {len(differing)} of {mine.n_items} items differ",
                hint="a study has one gold: use another study for another gold, or leave gold out",
            )
    if other.classes is not None:
        columns(mine, other.classes, other.classes.size)


def aligned(
    gold: Gold,
    predictions: Any,
    what: str,
    *,
    ids: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    normalise: bool = False,
) -> tuple[Array, Array | None]:
    """Return predictions in the order of the gold, and their classes if they are soft.

    `classes` are in the order of the columns; by default those that a frame names, else those of the gold.
    """
    ids, predictions = _unkeyed(predictions, ids, what)
    if not soft.is_soft(predictions):
        array = label_column(predictions, what).values
        if gold.classes is None:
            checks.refuse_unused(
                "hard labels and scores: only soft labels are normalised", normalise=(normalise, False)
            )
        if classes is not None:
            columns(gold, classes, checks.column(classes, "classes").size)
        return array[order(gold, ids, array.size, what)], None
    named = soft.named_classes({what: predictions}, what) if classes is None else classes
    ordered = soft.by_name(predictions, named, what)
    rows = soft.distributions(ordered, what, normalise=normalise, place=_placed(ids))
    kept, where = columns(gold, named, rows.shape[1])
    return np.ascontiguousarray(rows[order(gold, ids, len(rows), what)][:, where]), kept


def _same(before: Array, now: Array) -> list[bool]:
    """Tell which labels, as they are compared, or rows are the same."""
    if before.ndim > 1 or now.ndim > 1:
        return [old == new for old, new in zip(before.tolist(), now.tolist(), strict=True)]
    first, second, _ = read_together(complete(before), {"": complete(now)}, strings=True)
    assert first is not None
    _, (old_codes, new_codes) = label_codes([first.values, second[""].values])
    return [bool(same) for same in old_codes == new_codes]


def order(gold: Gold, ids: ArrayLike | None, n: int, what: str) -> IntArray:
    """Return where, among these ids, each item of the gold is; None: values are in the order of the gold."""
    if ids is None:
        if n != gold.n_items:
            raise InvalidInputError(
                f"{what} has {n} values, but the gold of the study has {gold.n_items} items",
                hint="give one value per item in the order of the gold, or the ids of the items",
            )
        return np.arange(n)
    places = _places(identifiers(ids, f"the ids of {what}", n), f"the ids of {what}")
    places, known = in_common_spelling(places, dict.fromkeys(gold.ids.tolist()))
    mine = list(known)
    absent = [item for item in mine if item not in places]
    if absent or len(places) > len(mine):
        how, some = (
            ("missing from", absent) if absent else ("extra in", [i for i in places if i not in known])
        )
        raise InvalidInputError(
            f"{what} and the gold of the study share {len(mine) - len(absent)} of {len(mine)} item ids;"
            f" {len(some)} {how} {what}, first: {quoted(some[0])}",
            hint=_ids_hint(mine[0], next(iter(places), mine[0])),
        )
    return np.array([places[item] for item in mine], dtype=np.int64)


def columns(gold: Gold, classes: ArrayLike | None, n_classes: int) -> tuple[Array, IntArray]:
    """Return the classes of stored predictions, as in the gold or sorted, and their places in those given."""
    wanted = gold.classes
    if wanted is not None and n_classes != wanted.size:
        raise InvalidInputError(
            f"the study has {wanted.size} classes ({', '.join(map(str, wanted[:8]))}), got {n_classes}",
            hint="soft predictions need one probability per class of the study",
        )
    given = soft.classes_of(wanted if classes is None else classes, n_classes)
    if wanted is None:
        soft.positions(gold.values, given, "the gold of the study")
        wanted = np.sort(given)
    elif {*map(str, wanted)} != {*map(str, given)}:
        raise InvalidInputError(
            f"the classes of the study are {', '.join(map(str, wanted[:8]))}, these are"
            f" {', '.join(map(str, given[:8]))}",
            hint="the classes of a study are those named with its gold, classes=...; without names they"
            " are 0, 1, …",
        )
    return wanted, soft.positions(wanted, given, "the study")


def checked_tags(tags: Mapping[str, Any] | None) -> dict[str, Tag]:
    """Return tags that can be stored: text, finite numbers, booleans and None under names.

    >>> checked_tags({"lr": np.float32(0.5), "seed": 1})
    {'lr': 0.5, 'seed': 1}
    """
    out: dict[str, Tag] = {}
    for name, value in (tags or {}).items():
        plain = value.item() if isinstance(value, np.generic) else value
        sound = plain is None or isinstance(plain, str | int | float)
        if not isinstance(name, str) or not sound or (isinstance(plain, float) and not math.isfinite(plain)):
            raise InvalidInputError(
                f"tag {quoted(name)} must be text, a finite number, a boolean or None, got {quoted(value)}",
                hint="give anything else as text",
            )
        out[name] = plain
    return out


def checked_epochs(epochs: Any) -> float | None:
    """Return the number of epochs if it is one.

    >>> checked_epochs(10)
    10
    """
    plain = epochs.item() if isinstance(epochs, np.generic) else epochs
    if plain is None:
        return None
    if isinstance(plain, bool) or not isinstance(plain, int | float) or not 0 <= plain < math.inf:
        raise InvalidInputError(
            f"epochs must be a number of at least 0, got {quoted(epochs)}", argument="epochs"
        )
    return plain


def checked_against(against: str | Sequence[str] | None, condition: str) -> tuple[str, ...] | None:
    """Return the names of baselines, sorted; None for all.

    >>> checked_against(["h10", "h0"], "h1")
    ('h0', 'h10')
    """
    if against is None:
        return None
    listed = [against] if isinstance(against, str | int) else arrays.listed(against, "against")
    found = {names.checked(name, "condition") for name in listed}
    if not found or condition in found:
        raise InvalidInputError(
            f"against must name one or more other conditions for {quoted(condition)}, got {quoted(against)}",
            hint="leave it out to compare with every baseline",
        )
    return tuple(sorted(found, key=natural))


def _unkeyed(values: Any, ids: ArrayLike | None, what: str) -> tuple[ArrayLike | None, Any]:
    """Take a mapping of id to value apart."""
    if not isinstance(values, Mapping):
        return ids, values
    if ids is not None:
        raise InvalidInputError(
            f"{what} comes as a mapping of id to value, and with ids as well",
            hint="leave ids out",
        )
    return list(values), list(values.values())


def _places(ids: Array, what: str) -> dict[Any, int]:
    listed = ids.tolist()
    places = {item: position for position, item in enumerate(listed)}
    if len(places) < len(listed):
        doubled = next(item for position, item in enumerate(listed) if places[item] != position)
        raise InvalidInputError(
            f"{what} must be unique, but {len(listed) - len(places)} of {len(listed)} repeat another;"
            f" first: {quoted(doubled)} ({listed.count(doubled)} times)",
            hint="items of the same document or person are clusters, not the same item",
        )
    return places


def _ids_hint(mine: Any, theirs: Any) -> str:
    if isinstance(mine, str) != isinstance(theirs, str):
        kinds = ["text" if isinstance(item, str) else "numbers" for item in (mine, theirs)]
        return f"the ids of the gold are {kinds[0]}, these are {kinds[1]}: use one type for both"
    return "a run has one prediction for every item of the gold, and for no other"


def _placed(ids: ArrayLike | None) -> Callable[[int], str]:
    """Return how to name an item by its position."""
    return (
        "row {}".format
        if ids is None
        else lambda i: f"item {quoted(checks.as_array(ids, 'ids').tolist()[i])}"
    )
