"""Values of several systems brought to the same items: by id, or by place with the missing ones taken out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bestby._core import arrays, checks
from bestby._core.errors import InvalidInputError
from bestby._core.text import counted, normal_form, quoted
from bestby._core.typing import BoolArray, OnMissing
from bestby.data import soft
from bestby.data.values import forms_note
from bestby.results.base import Note


@dataclass(frozen=True)
class Aligned:
    """What belongs to the items, in one order; `missing`: systems whose missing values count as the worst."""

    systems: Mapping[str, Any]
    side: Mapping[str, Any]
    items: Any = None
    missing: Mapping[str, BoolArray] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()


def aligned(
    systems: Mapping[str, Any], side: Mapping[str, Any], items: Any, on_missing: OnMissing, *, objects: bool
) -> Aligned:
    """Bring systems, gold and groups, in the order of the items or by their ids, into one order of items."""
    keyed = [name for name, values in systems.items() if isinstance(values, Mapping)]
    if not keyed:
        which = next((key for key, value in side.items() if isinstance(value, Mapping)), None)
        if which is not None:
            raise InvalidInputError(
                f"{which} has item ids, but the systems have none",
                hint="give every system as a mapping of id to value too",
            )
        unkeyed = Aligned(systems, side, items)
        return unkeyed if on_missing == "error" else _without_gaps(unkeyed, on_missing, objects=objects)
    other = next((name for name in systems if name not in keyed), None)
    if other is not None:
        raise InvalidInputError(
            f"system {quoted(keyed[0])} has item ids, but system {quoted(other)} has none",
            hint="give every system (and the gold) as a mapping of id to value, or none",
        )
    if items is not None:
        raise InvalidInputError(
            "items must not be given for systems that are mappings of id to value", hint="leave items out"
        )
    everything = dict.fromkeys(key for name in keyed for key in systems[name])
    if on_missing != "error":
        systems = {name: _present(values, objects=objects) for name, values in systems.items()}
    if on_missing == "drop" and isinstance(side["gold"], Mapping):
        side = {**side, "gold": _present(side["gold"], objects=objects)}
    return _by_id(systems, side, on_missing, everything)


def _by_id(
    systems: Mapping[str, Mapping[Any, Any]],
    side: Mapping[str, Any],
    on_missing: OnMissing,
    everything: Mapping[Any, None],
) -> Aligned:
    """Bring systems to the order of the gold or of the first; `everything`: all ids, also without a value."""
    names = list(systems)
    for key, value in side.items():
        if value is not None and not isinstance(value, Mapping):
            raise InvalidInputError(
                f"the systems have item ids, but {key} has none",
                hint=f"give {key} as a mapping of id to value too",
            )
    systems, side, joined = _in_one_form(systems, side)
    gold = side["gold"]
    reference, source = (
        (gold, "the gold") if gold is not None else (systems[names[0]], f"system {quoted(names[0])}")
    )
    if on_missing == "worst" and gold is None:
        reference = everything
        source = "all systems together"
    for name in names:
        extra = [key for key in systems[name] if key not in reference]
        absent = [key for key in reference if key not in systems[name]]
        if (extra and on_missing != "drop") or (absent and on_missing == "error"):
            how, keys = ("extra in", extra) if extra else ("missing from", absent)
            drop = 'pass on_missing="drop" to compare the shared items only'
            hint = drop if extra else f'{drop}, or on_missing="worst" to count the missing as wrong'
            if extra and absent and len(absent) == len(reference):
                hint = f"spell the ids alike: {source} has ids such as {quoted(absent[0])}"
            raise InvalidInputError(
                f"system {quoted(name)} and {source} share {len(reference) - len(absent)} of {len(reference)}"
                f" item ids; {len(keys)} {how} {quoted(name)}, first: {quoted(keys[0])}",
                hint=hint,
            )
    everything = {**dict.fromkeys(reference), **everything}
    ids, notes = (
        _shared_ids(reference, systems, everything) if on_missing == "drop" else (list(reference), ())
    )
    columns, missing, filled = _filled(ids, systems)
    ordered = {key: None if value is None else _in_order(key, value, ids) for key, value in side.items()}
    return Aligned(columns, ordered, ids, missing, (*joined, *notes, *filled))


def _in_one_form(
    systems: Mapping[str, Mapping[Any, Any]], side: Mapping[str, Any]
) -> tuple[Mapping[str, Mapping[Any, Any]], Mapping[str, Any], tuple[Note, ...]]:
    """Return the values with one spelling for ids that look alike, and a note if that joined any."""
    sides = [values for values in side.values() if values is not None]
    spelling = common_spelling([*systems.values()], sides)
    if not spelling:
        return systems, side, ()
    forms: dict[str, list[str]] = {}
    for text, form in spelling.items():
        forms.setdefault(form, []).append(text)
    return (
        {name: respelled(values, spelling) for name, values in systems.items()},
        {key: None if values is None else respelled(values, spelling) for key, values in side.items()},
        (forms_note("item id", [*forms.values()]),),
    )


def common_spelling(
    systems: Sequence[Mapping[Any, Any]], sides: Sequence[Mapping[Any, Any]] = ()
) -> dict[Any, str]:
    r"""Return the normal form of the ids that several sources spell with different characters.

    An id that one system has in two forms is two items, and so is one with two values in one of the `sides`.

    >>> common_spelling([{"cafe\u0301": 1, "x": 0}, {"caf\xe9": 1, "x": 1}]) == dict.fromkeys(
    ...     ["cafe\u0301", "caf\xe9"], "caf\xe9"
    ... )
    True
    """
    first, *others = [*systems, *sides]
    if all(len(values) == len(first) and values.keys() == first.keys() for values in others):
        return {}
    forms: dict[str, set[str]] = {}
    for values in (first, *others):
        for key in values:
            if isinstance(key, str) and not key.isascii():
                forms.setdefault(normal_form(key), set()).add(key)
    for form, texts in forms.items():  # of a text with a no-break space the form may be ASCII
        if any(form in values for values in (first, *others)):
            texts.add(form)

    def one_item(texts: set[str]) -> bool:
        return all(sum(text in values for text in texts) < 2 for values in systems) and all(
            len({quoted(values[text]) for text in texts if text in values}) < 2 for values in sides
        )

    joined = {form: texts for form, texts in forms.items() if len(texts) > 1 and one_item(texts)}
    return {text: form for form, texts in joined.items() for text in sorted(texts)}


def respelled(values: Mapping[Any, Any], spelling: Mapping[Any, str]) -> dict[Any, Any]:
    """Return values by id, the ids in the spelling that `common_spelling` returned."""
    return {spelling.get(key, key): value for key, value in values.items()}


def in_common_spelling(*sources: Mapping[Any, Any]) -> list[dict[Any, Any]]:
    """Return the values by id of several sources, with one spelling for ids that look alike."""
    spelling = common_spelling(sources)
    return [respelled(values, spelling) for values in sources]


def _present(values: Mapping[Any, Any], *, objects: bool) -> dict[Any, Any]:
    """Return the entries that have a value."""
    listed = list(values.values())
    absent = _absent(listed, "", objects=objects)
    return {key: value for key, value, gone in zip(values, listed, absent.tolist(), strict=True) if not gone}


def _without_gaps(data: Aligned, on_missing: OnMissing, *, objects: bool) -> Aligned:
    """Return what is left when items without a value are dropped, or what stands for their values."""
    absent = {
        name: _absent(values, f"system {quoted(name)}", objects=objects)
        for name, values in data.systems.items()
    }
    first, of = next((name, mask.size) for name, mask in absent.items())
    for name, mask in absent.items():
        if mask.size != of:
            raise unequal_lengths(first, of, name, mask.size)
    if data.side["gold"] is not None:
        _with_length(data.side["gold"], "gold", of)
    if on_missing == "worst":
        return _counted_as_worst(data, {name: mask for name, mask in absent.items() if mask.any()}, of)
    masks = list(absent.values())
    if data.side["gold"] is not None:
        masks.append(_absent(data.side["gold"], "gold", objects=objects))
    if not any(mask.any() for mask in masks):
        return data
    positions = np.flatnonzero(~np.any(masks, axis=0))

    def present(values: Any, what: str) -> Any:
        return None if values is None else arrays.take(_with_length(values, what, of), positions)

    return Aligned(
        {name: present(values, name) for name, values in data.systems.items()},
        {what: present(values, what) for what, values in data.side.items()},
        present(data.items, "items"),
        notes=(dropped_note(of - positions.size, of),),
    )


def unequal_lengths(first: str, n: int, other: str, m: int) -> InvalidInputError:
    """Return the error for two systems with different numbers of values."""
    return InvalidInputError(
        f"systems must have one value per item: {quoted(first)} has {n}, {quoted(other)} has {m}",
        hint="align them by item id: pass mappings of id to value, or files with an id column",
    )


def _counted_as_worst(data: Aligned, absent: dict[str, BoolArray], of: int) -> Aligned:
    """Return the values with each missing one replaced by the first one present; mark these as missing."""
    systems = dict(data.systems)
    for name, mask in absent.items():
        if mask.all():
            raise no_prediction_error(name, of)
        positions = np.where(mask, int(np.flatnonzero(~mask)[0]), np.arange(of))
        systems[name] = arrays.take(systems[name], positions)
    notes = tuple(counted_as_worst_note(name, int(mask.sum()), of) for name, mask in absent.items())
    return Aligned(systems, data.side, data.items, absent, notes)


def _absent(values: Any, what: str, *, objects: bool) -> BoolArray:
    """Return which values are missing; a row of probabilities is if one of its numbers is."""
    rows = not objects and soft.is_soft(values)
    if isinstance(values, list | tuple):
        return np.array(
            [
                checks.missing(value)
                or (rows and isinstance(value, Iterable) and any(map(checks.missing, value)))
                for value in values
            ],
            dtype=np.bool_,
        )
    array = checks.as_array(values, what)
    if array.dtype.kind == "f":
        mask = np.isnan(array)
    elif array.dtype.kind == "O":
        mask = np.array([checks.missing(value) for value in array.reshape(-1)], dtype=np.bool_)
        mask = mask.reshape(array.shape)
    else:
        mask = np.zeros(array.shape, dtype=np.bool_)
    return np.asarray(mask.any(axis=tuple(range(1, mask.ndim))))


def _with_length(values: Any, what: str, n: int) -> Any:
    size = len(values) if isinstance(values, list | tuple) else len(checks.as_array(values, what))
    if size != n:
        raise InvalidInputError(
            f"{what} has {counted(size, 'value')}, expected {n}",
            hint="pass one value per item, in the same order for gold and every system",
        )
    return values


def _shared_ids(
    reference: Mapping[Any, Any], systems: Mapping[str, Mapping[Any, Any]], everything: Mapping[Any, None]
) -> tuple[list[Any], tuple[Note, ...]]:
    """Return the ids that the gold and all systems have, and a note if others were dropped."""
    ids = [key for key in reference if all(key in values for values in systems.values())]
    if len(everything) == len(ids):
        return ids, ()
    return ids, (dropped_note(len(everything) - len(ids), len(everything)),)


def dropped_note(number: int, of: int) -> Note:
    """Return the note on items that were dropped."""
    message = f"{number} of {of} items were dropped because not all systems (and the gold) have them"
    return Note("items_dropped", message)


def counted_as_worst_note(name: str, number: int, of: int) -> Note:
    """Return the note on missing predictions of a system that count as the worst."""
    message = (
        f"{number} of {of} predictions of {quoted(name)} are missing and count as wrong (as the worst score)"
    )
    return Note("counted_as_worst", message, (name,))


def no_prediction_error(name: str, of: int) -> InvalidInputError:
    """Return the error for a system that has no prediction at all."""
    return InvalidInputError(
        f"system {quoted(name)} has no prediction for any of {of} items", hint="leave it out"
    )


def _filled(
    ids: Sequence[Any], systems: Mapping[str, Mapping[Any, Any]]
) -> tuple[dict[str, Any], dict[str, BoolArray], tuple[Note, ...]]:
    """Return the values in the order of the ids, which of them are missing (and made up), and notes."""
    columns: dict[str, Any] = {}
    missing: dict[str, BoolArray] = {}
    notes: list[Note] = []
    for name, values in systems.items():
        absent = np.array([key not in values for key in ids], dtype=np.bool_)
        filler = next(iter(values.values()), None)
        columns[name] = [values.get(key, filler) for key in ids]
        if absent.any():
            if not values:
                raise no_prediction_error(name, len(ids))
            missing[name] = absent
            notes.append(counted_as_worst_note(name, int(absent.sum()), len(ids)))
    return columns, missing, tuple(notes)


def _in_order(key: str, values: Mapping[Any, Any], ids: Sequence[Any]) -> list[Any]:
    without = [item for item in ids if item not in values]
    if without:
        raise InvalidInputError(
            f"{key} has no value for {len(without)} of {len(ids)} items; first: {quoted(without[0])}"
        )
    return [values[item] for item in ids]
