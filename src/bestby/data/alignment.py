"""Systems, gold and groups in memory: named, checked, and brought to the same items by id or by place."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bestby._core import arrays, checks, paths
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.text import counted, normal_form, quoted, suggestion
from bestby._core.typing import Array, BoolArray, Dependence, FloatArray, IntArray, OnMissing
from bestby.data import columns as data_columns
from bestby.data.reading import Blocks
from bestby.data.roles import listed, matching, unknown_system
from bestby.data.values import forms_note
from bestby.results.base import Note


def with_keys(data: Any, side: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return data without the gold and groups that are named by their keys, and these with their values.

    >>> with_keys({"a": [1], "gold": [0]}, {"gold": "gold", "items": None})
    ({'a': [1]}, {'gold': [0], 'items': None})
    """
    if not isinstance(data, Mapping):
        return data, dict(side)
    keys = {role: [key] for role, key in side.items() if isinstance(key, str)}
    if _are_keys(side.get("items"), data):
        keys["items"] = list(side["items"])
    for role, names in keys.items():
        key = next((key for key in names if key not in data), None)
        if key is not None:
            raise InvalidInputError(
                f"the data have no {quoted(key)} (named as {role}){suggestion(key, map(str, data))}",
                hint=f"it is a file: {role}=bestby.read_labels(path) reads one with a label per line"
                if paths.is_file(key)
                else f"give the values of {role} themselves, or one of the keys: {listed([*map(str, data)])}",
                argument=role,
            )
    used = {key for names in keys.values() for key in names}
    rest = {name: values for name, values in data.items() if name not in used}
    values = {role: _values_of([data[key] for key in names], role) for role, names in keys.items()}
    return rest, {**side, **values}


def _are_keys(items: Any, data: Mapping[Any, Any]) -> bool:
    """Return whether these are keys of the data, which make item ids together, and not an id per item."""
    if not isinstance(items, list | tuple) or not all(isinstance(key, str) for key in items):
        return False
    first = next((key for key in items if key in data), None)
    return first is not None and len(arrays.listed(data[first], "items")) != len(items)


def _values_of(columns: Sequence[Any], role: str) -> Any:
    """Return the one column, or the ids that several make together."""
    if len(columns) == 1:
        return columns[0]
    parts = [arrays.listed(column, role) for column in columns]
    if len({len(part) for part in parts}) > 1 or any(
        checks.missing(value) for part in parts for value in part
    ):
        raise InvalidInputError(
            "the keys that make item ids together must have a value for every item",
            hint="complete them, or give the ids themselves",
            argument=role,
        )
    return joined_ids([tuple(map(str, row)) for row in zip(*parts, strict=True)])


def joined_ids(parts: Sequence[tuple[str, ...]]) -> list[str]:
    """Return one id per item, made of its parts, so that different parts make different ids.

    >>> joined_ids([("a", "1"), ("b", "1")]), joined_ids([("a/b", "1")])
    (['a/1', 'b/1'], ["('a/b', '1')"])
    """
    plain = not any("/" in text for part in parts for text in part)
    return ["/".join(part) if plain else repr(part) for part in parts]


def chosen_systems(data: Any, systems: Any, ignore: Any) -> Any:
    """Return a mapping of system to data with the systems asked for only."""
    if not isinstance(data, Mapping) or (systems is None and ignore is None):
        return data
    named = {checks.name_text(name, "system"): values for name, values in data.items()}
    return {name: named[name] for name in chosen_names([*named], systems, ignore)}


def chosen_names(names: Sequence[str], systems: Any, ignore: Any, source: str | None = None) -> list[str]:
    """Return the systems asked for, by name or pattern, without those to ignore."""
    names = list(names)

    def chosen(patterns: Any, what: str) -> list[str]:
        unknown = unknown_system(source, names, argument=what)
        return matching(checks.valid_name_list(patterns, what), names, unknown)

    ignored = [] if ignore is None else chosen(ignore, "ignore")
    return [
        name for name in (names if systems is None else chosen(systems, "systems")) if name not in ignored
    ]


UNSUPPORTED: dict[Dependence, tuple[str, str]] = {
    "clusters": ("clusters of items", "leave out clusters, if the items are independent of one another"),
    "crossed": (
        "two crossed groupings of the items",
        "give one grouping as clusters, that with fewer groups",
    ),
    "strata": ("strata", "leave out strata"),
}
"""What an error says about a grouping that is not supported, and what to do."""


def checked_names(systems: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the systems; there must be at least one."""
    form = 'Evaluation.of({"a": predictions_a, "b": predictions_b}, gold)'
    checks.mapping(systems, "systems", "name to predictions", form)
    names = checks.valid_names(systems, "system")
    if not names:
        raise InvalidInputError("at least 1 system is needed, got none")
    return names


OTHER_WAYS = (
    'or on_missing="worst" to count the missing as wrong; compare alone can take every two systems on the'
    ' items both have: on_missing="pairs"'
)
"""What a hint on missing predictions proposes beside leaving these items out."""


def two_groupings(clusters: Any) -> tuple[Any, Any]:
    """Return one grouping and None, or the two of a list, tuple or mapping of two.

    >>> two_groupings(["d1", "d2"])
    (['d1', 'd2'], None)
    >>> two_groupings([["t1", "t1", "t2"], ["de", "en", "de"]])
    (['t1', 't1', 't2'], ['de', 'en', 'de'])
    """
    if isinstance(clusters, Blocks):
        raise InvalidInputError(
            "blocks of items are for compare, evaluate and gate alone", hint="give the cluster of each item"
        )
    if isinstance(clusters, list | tuple | Mapping) and len(clusters) == 2:
        both = list(clusters.values()) if isinstance(clusters, Mapping) else list(clusters)
        if all(hasattr(one, "__len__") and not isinstance(one, str | bytes) for one in both):
            return both[0], both[1]
    return clusters, None


def one_grouping(clusters: Any, consumer: str) -> Any:
    """Return the clusters; refuse two groupings where an analysis supports one only.

    >>> one_grouping(["d1", "d2"], "this analysis")
    ['d1', 'd2']
    """
    first, second = two_groupings(clusters)
    if second is not None:
        what, hint = UNSUPPORTED["crossed"]
        raise DesignError(f"{consumer} does not support {what}", hint=hint)
    return first


def check_countable(**present: bool) -> None:
    """Refuse what rows that stand for several items cannot have."""
    words = {
        "ids": "item ids",
        "slices": "columns of slices",
        "clusters": "clusters",
        "objects": "items of any kind",
        "annotators": "the labels of annotators",
        "classes": "classes of soft labels",
        "soft": "soft labels",
    }
    for name, there in present.items():
        if there:
            raise DesignError(
                f"counted rows represent several items each: they cannot have {words[name]}",
                hint="leave the counts out and give every item a row (reading files: stream=False)",
            )


def check_unique_ids(ids: Array, what: str) -> None:
    """Refuse an id that occurs twice."""
    values, counts = np.unique(ids, return_counts=True)
    if values.size != ids.size:
        doubled = values[counts > 1]
        raise InvalidInputError(
            f"{what} must be unique, but {doubled.size} of {values.size} ids occur more than once;"
            f" first: {quoted(str(doubled[0]))} ({int(counts[counts > 1][0])} times)",
            hint="items of the same document or person are clusters, not the same item",
        )


def check_nested(clusters: Array | None, strata: Array | None) -> None:
    """Refuse a cluster that lies in more than one stratum: it is drawn as a whole.

    >>> check_nested(np.array(["d1", "d1", "d2"]), np.array(["news", "news", "talks"]))
    """
    if clusters is None or strata is None:
        return
    _, first, cluster = np.unique(clusters, return_index=True, return_inverse=True)
    expected = strata[first][cluster.reshape(-1)]
    bad = np.flatnonzero(strata != expected)
    if bad.size:
        place = int(bad[0])
        name, known, other = (
            values[place : place + 1].tolist()[0] for values in (clusters, expected, strata)
        )
        raise DesignError(
            f"cluster {name!r} lies in more than one stratum: {known!r} and {other!r}",
            hint="a cluster is drawn as a whole, so it must belong to one stratum",
        )


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
    if on_missing == "drop-systems":
        systems, side, joined = _in_one_form(systems, side)
        expected = dict.fromkeys(key for values in systems.values() for key in values)
        expected = expected if side["gold"] is None else side["gold"]
        lacking = {name: sum(key not in values for key in expected) for name, values in systems.items()}
        systems, notes = _whole_systems(systems, lacking, len(expected))
        together = _by_id(systems, side, "error", expected)
        return dataclasses.replace(together, notes=(*joined, *together.notes, *notes))
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
    if on_missing in ("worst", "pairs", "bounds") and gold is None:
        reference = everything
        source = "all systems together"
    for name in names:
        extra = [key for key in systems[name] if key not in reference]
        absent = [key for key in reference if key not in systems[name]]
        if (extra and on_missing != "drop") or (absent and on_missing == "error"):
            how, keys = ("extra in", extra) if extra else ("missing from", absent)
            drop = 'pass on_missing="drop" to compare the shared items only'
            hint = drop if extra else f"{drop}, {OTHER_WAYS}"
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
    columns, missing = _filled(ids, systems)
    filled = counted_as_worst_notes(missing, len(ids)) if on_missing == "worst" else ()
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


def _shared_ids(
    reference: Mapping[Any, Any], systems: Mapping[str, Mapping[Any, Any]], everything: Mapping[Any, None]
) -> tuple[list[Any], tuple[Note, ...]]:
    """Return the ids that the gold and all systems have, and a note if others were dropped."""
    ids = [key for key in reference if all(key in values for values in systems.values())]
    if len(everything) == len(ids):
        return ids, ()
    return ids, (dropped_note(len(everything) - len(ids), len(everything)),)


def _filled(
    ids: Sequence[Any], systems: Mapping[str, Mapping[Any, Any]]
) -> tuple[dict[str, Any], dict[str, BoolArray]]:
    """Return the values in the order of the ids, and which of them are missing (and made up)."""
    columns: dict[str, Any] = {}
    missing: dict[str, BoolArray] = {}
    for name, values in systems.items():
        absent = np.array([key not in values for key in ids], dtype=np.bool_)
        filler = next(iter(values.values()), None)
        columns[name] = [values.get(key, filler) for key in ids]
        if absent.any():
            if not values:
                raise no_prediction_error(name, len(ids))
            missing[name] = absent
    return columns, missing


def _in_order(key: str, values: Mapping[Any, Any], ids: Sequence[Any]) -> list[Any]:
    without = [item for item in ids if item not in values]
    if without:
        raise InvalidInputError(
            f"{key} has no value for {len(without)} of {len(ids)} items; first: {quoted(without[0])}"
        )
    return [values[item] for item in ids]


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
    if on_missing == "drop-systems":
        systems, notes = _whole_systems(data.systems, {n: int(m.sum()) for n, m in absent.items()}, of)
        return dataclasses.replace(data, systems=systems, notes=notes)
    if on_missing != "drop":
        gaps = {name: mask for name, mask in absent.items() if mask.any()}
        notes = counted_as_worst_notes(gaps, of) if on_missing == "worst" else ()
        return dataclasses.replace(_with_fillers(data, gaps, of), notes=notes)
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


def _with_length(values: Any, what: str, n: int) -> Any:
    size = len(values) if isinstance(values, list | tuple) else len(checks.as_array(values, what))
    if size != n:
        raise InvalidInputError(
            f"{what} has {counted(size, 'value')}, expected {n}",
            hint="pass one value per item, in the same order for gold and every system",
        )
    return values


def unequal_lengths(first: str, n: int, other: str, m: int) -> InvalidInputError:
    """Return the error for two systems with different numbers of values."""
    return InvalidInputError(
        f"systems must have one value per item: {quoted(first)} has {n}, {quoted(other)} has {m}",
        hint="align them by item id: give files with a column id beside the values, or mappings of id to"
        " value",
    )


def _absent(values: Any, what: str, *, objects: bool) -> BoolArray:
    """Return which values are missing; a row of probabilities is if one of its numbers is."""
    rows = not objects and data_columns.is_soft(values)
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


def _with_fillers(data: Aligned, absent: dict[str, BoolArray], of: int) -> Aligned:
    """Return the values with each missing one replaced by the first one present; mark these as missing."""
    systems = dict(data.systems)
    for name, mask in absent.items():
        if mask.all():
            raise no_prediction_error(name, of)
        positions = np.where(mask, int(np.flatnonzero(~mask)[0]), np.arange(of))
        systems[name] = arrays.take(systems[name], positions)
    return Aligned(systems, data.side, data.items, absent)


def _whole_systems(
    systems: Mapping[str, Any], lacking: Mapping[str, int], of: int
) -> tuple[dict[str, Any], tuple[Note, ...]]:
    """Return the systems that lack none of so many items, and a note on those left out."""
    whole = {name: values for name, values in systems.items() if not lacking[name]}
    gone = [f"{name} ({of - lacking[name]})" for name in systems if name not in whole]
    if not whole:
        raise InvalidInputError(
            f"no system has all {of} items",
            hint=f'pass on_missing="drop" to compare the shared items only, {OTHER_WAYS}',
        )
    if not gone:
        return whole, ()
    verb = "was" if len(gone) == 1 else "were"
    message = f"{listed(gone)} {verb} left out, as not all of {of} items are there (in brackets: how many)"
    return whole, (Note("systems_dropped", message),)


def dropped_note(number: int, of: int) -> Note:
    """Return the note on items that were dropped."""
    message = f"{number} of {of} items were dropped because not all systems (and the gold) have them"
    return Note("items_dropped", message)


def counted_as_worst_notes(absent: Mapping[str, BoolArray], of: int) -> tuple[Note, ...]:
    """Return a note for each system whose missing predictions count as the worst."""
    return tuple(counted_as_worst_note(name, int(mask.sum()), of) for name, mask in absent.items())


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


def quantile_bins(numbers: FloatArray, bins: int) -> tuple[tuple[str, ...], IntArray]:
    """Return the names of the bins, in ascending order, and the bin of each number.

    Equal numbers are in one bin, so there may be fewer bins than were asked for.

    >>> names, codes = quantile_bins(np.array([1.0, 2.0, 2.0, 3.5]), 2)
    >>> names, codes.tolist()
    (('1 to 2', '3.5'), [0, 0, 0, 1])
    """
    inner = np.quantile(numbers, np.arange(1, bins) / bins, method="lower")
    code = np.searchsorted(np.unique(inner), numbers, side="left")
    return _named_bins(numbers, code)


def value_bins(numbers: FloatArray, least: int) -> tuple[tuple[str, ...], IntArray]:
    """Return a bin for each distinct number as `quantile_bins` does; rarer ones than `least` join the next.

    >>> names, codes = value_bins(np.array([0.0, 1.0, 1.0, 0.5, 0.0]), 2)
    >>> names, codes.tolist()
    (('0', '0.5 to 1'), [0, 1, 1, 1, 0])
    """
    distinct, counts = np.unique(numbers, return_counts=True)
    ends, size = [], 0
    for value, count in zip(distinct.tolist(), counts.tolist(), strict=True):
        size += count
        if size >= least:
            ends.append(value)
            size = 0
    return _named_bins(numbers, np.searchsorted(ends[:-1], numbers, side="left"))


def _named_bins(numbers: FloatArray, code: IntArray) -> tuple[tuple[str, ...], IntArray]:
    """Return the names of bins by their ends, and their codes without gaps."""
    used, code = np.unique(code, return_inverse=True)
    names = []
    for place in range(used.size):
        part = numbers[code == place]
        low, high = float(part.min()), float(part.max())
        names.append(_number_text(low) if low == high else f"{_number_text(low)} to {_number_text(high)}")
    return tuple(names), code.reshape(-1)


def _number_text(number: float) -> str:
    return str(int(number)) if number == math.floor(number) and abs(number) < 1e15 else f"{number:.6g}"
