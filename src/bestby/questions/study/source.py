"""The gold and the runs of a study, from files and from arrays: named, checked and brought to the gold."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import numpy as np

from bestby._core import arrays, checks
from bestby._core.errors import InvalidInputError
from bestby._core.files import digest
from bestby._core.paths import readable_file
from bestby._core.text import counted, natural, quoted
from bestby._core.typing import Array, ArrayLike, IntArray
from bestby.data import soft
from bestby.data.alignment import check_unique_ids, in_common_spelling, one_grouping
from bestby.data.columns import (
    MISSING,
    Column,
    column_of_texts,
    complete,
    identifiers,
    is_soft,
    label_column,
    text_of,
)
from bestby.data.layouts.assemble import check_unique, check_whole, one_kind, typed
from bestby.data.reading import AS_FOUND, Reading
from bestby.data.roles import Roles, Soft, TableOptions, listed
from bestby.data.values import Rule, as_scores, label_codes, read_together
from bestby.readers.files import read_values
from bestby.readers.joined_files import Part, check_ids, gold_part, groups_of, system_part
from bestby.readers.paths import missing_texts

Tag = str | int | float | bool | None


@dataclass(frozen=True, eq=False)
class Gold:
    """The items of a study and their gold.

    Parameters
    ----------
    ids : ndarray, shape (n,)
        Item ids; 0 to n - 1 if there were none.
    values : ndarray, shape (n,) or (n, K)
        Labels or numbers; or, for each item, a probability for each class.
    classes : ndarray, shape (K,), or None
        The classes, in the order of the columns; None if they were never named and the gold is not soft.
    clusters : ndarray, shape (n,), or None
        The group each item belongs to.
    hash : str
        Hash of all of it, 32 hexadecimal digits; made if none is given.
    """

    ids: Array
    values: Array
    classes: Array | None = None
    clusters: Array | None = None
    hash: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "hash", self.hash or digest(self.bulk))

    def __repr__(self) -> str:
        return f"<gold of {counted(self.n_items, 'item')}>"

    @property
    def n_items(self) -> int:
        """The number of items."""
        return int(self.ids.size)

    @property
    def bulk(self) -> dict[str, Any]:
        """The values as they are stored."""
        return {
            "classes": _plain(self.classes),
            "ids": _plain(self.ids),
            "gold": _plain(self.values),
            "clusters": _plain(self.clusters),
        }

    @classmethod
    def stored(cls, content: Mapping[str, Any]) -> Gold:
        """Return the gold that a file holds."""
        return cls(
            ids=checks.column(content["ids"], "ids"),
            values=_stored_values(content["gold"], "gold"),
            classes=_stored_column(content["classes"], "classes"),
            clusters=_stored_column(content["clusters"], "clusters"),
            hash=content["hash"],
        )


@dataclass(frozen=True, eq=False)
class Run:
    """The predictions of one run of one condition, in the order of the gold's items.

    Parameters
    ----------
    condition, run : str
        Their names.
    predictions : ndarray, shape (n,) or (n, K)
        Labels, numbers, or probabilities of the classes.
    gold_hash : str
        The gold they belong to.
    classes : ndarray, shape (K,), or None
        The classes of soft predictions, in the order of the columns.
    baseline : bool
        Whether other conditions are compared with this one.
    against : tuple of str, or None
        The baselines that this condition is compared with; None for all of them.
    epochs : int, float or None
        For how long it was trained.
    tags : mapping of str to text, number, bool or None
        Whatever else is to be remembered.
    added : str
        When, in UTC.
    hash : str
        Hash of the predictions, their classes and the gold: what results depend on. Made if none is given.
    """

    condition: str
    run: str
    predictions: Array
    gold_hash: str
    classes: Array | None = None
    baseline: bool = False
    against: tuple[str, ...] | None = None
    epochs: float | None = None
    tags: Mapping[str, Tag] = field(default_factory=dict)
    added: str = ""
    hash: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "hash", self.hash or digest(self.bulk))

    def __repr__(self) -> str:
        of = f"run {quoted(self.run)} of {quoted(self.condition)}"
        return f"<{of}, {self.role}: {counted(len(self.predictions), 'item')}>"

    @property
    def role(self) -> str:
        """The role of its condition, in words.

        >>> Run("h1", "0", np.array(["x"]), gold_hash="", against=("h0",)).role
        'a treatment against h0'
        """
        if self.baseline:
            return "a baseline"
        return f"a treatment against {'all baselines' if self.against is None else ', '.join(self.against)}"

    @property
    def head(self) -> dict[str, Any]:
        """What is stored of it beside the values."""
        return {
            "condition": self.condition,
            "run": self.run,
            "role": "baseline" if self.baseline else "treatment",
            "against": None if self.against is None else list(self.against),
            "epochs": self.epochs,
            "tags": dict(self.tags),
            "added": self.added,
        }

    @property
    def bulk(self) -> dict[str, Any]:
        """The values as they are stored."""
        return {
            "gold_hash": self.gold_hash,
            "classes": _plain(self.classes),
            "predictions": _plain(self.predictions),
        }

    @classmethod
    def stored(cls, content: Mapping[str, Any]) -> Run:
        """Return the run that a file holds."""
        return cls(
            condition=content["condition"],
            run=content["run"],
            predictions=_stored_values(content["predictions"], "predictions"),
            gold_hash=content["gold_hash"],
            classes=_stored_column(content["classes"], "classes"),
            baseline=content["role"] == "baseline",
            against=None if content["against"] is None else tuple(content["against"]),
            epochs=content["epochs"],
            tags=content["tags"],
            added=content["added"],
            hash=content["hash"],
        )


def _plain(array: Array | None) -> list[Any] | None:
    return None if array is None else array.tolist()


def _stored_column(values: list[Any] | None, what: str) -> Array | None:
    return None if values is None else checks.column(values, what)


def _stored_values(values: list[Any], what: str) -> Array:
    return np.array(values, dtype=np.float64) if isinstance(values[0], list) else checks.column(values, what)


@dataclass(frozen=True, eq=False)
class Entry:
    """A run as the user has it, before it was checked; `Study.add` explains the fields."""

    condition: str
    run: str | int
    predictions: Any
    gold: Any = None
    ids: ArrayLike | None = None
    clusters: Any = None
    reading: Reading = AS_FOUND
    baseline: bool | None = None
    against: str | Sequence[str] | None = None
    epochs: float | None = None
    tags: Mapping[str, Any] | None = None


def checked_entry(entry: Entry) -> Entry:
    """Return a run under checked names, with what comes from iterators as lists."""
    entry = dataclasses.replace(
        entry, condition=checked_name(entry.condition, "condition"), run=checked_name(entry.run, "run")
    )
    what = {name: name for name in ("gold", "clusters", "ids")}
    what["predictions"] = _whose(entry)
    changed: dict[str, Any] = {}
    for name, called in what.items():
        values = getattr(entry, name)
        keyed = isinstance(values, Mapping) and name != "ids"
        if name == "predictions" or values is not None:
            changed[name] = values if keyed else arrays.sequence(values, called)
    if entry.reading.classes is not None:  # which may be an iterator
        classes = arrays.sequence(entry.reading.classes, "classes")
        changed["reading"] = dataclasses.replace(entry.reading, classes=classes)
    return dataclasses.replace(entry, **changed)


def _whose(entry: Entry) -> str:
    return f"run {quoted(entry.run)} of {quoted(entry.condition)}"


def checked_name(name: Any, what: str) -> str:
    """Return a name as text."""
    if isinstance(name, int | np.integer) and not isinstance(name, bool):
        name = str(int(name))
    if not isinstance(name, str) or not name.strip():
        raise InvalidInputError(
            f"the name of a {what} must be text or a whole number, and not empty, got {quoted(name)}"
        )
    try:
        length = len(file_name(name))
    except UnicodeEncodeError as error:
        raise InvalidInputError(
            f"the name of a {what} must be valid Unicode text, got {quoted(name)}"
        ) from error
    if length > LONGEST_NAME:
        raise InvalidInputError(
            f"the name of a {what} becomes the name of a file of at most {LONGEST_NAME} bytes, got {length}:"
            f" {quoted(name[:40])}…",
            hint="give it a shorter name and put the details into tags",
        )
    return name


LONGEST_NAME = 200
"""Bytes a file name may have before its ending; every common file system takes 255 with it."""


def file_name(name: str) -> str:
    """Return the name of the file (without its ending) of a condition or run.

    ASCII letters, digits, ``_``, ``-`` and ``.`` stay; everything else is percent-encoded, and so are a dot
    at either end and the first letter of a name that Windows keeps for devices. Names that differ in
    capitals alone must not meet on a file system that ignores case, so a name with capitals ends in ``~``
    and, in hexadecimal, the number whose bits say which of its characters are capitals.
    """
    stem = quote(name, safe=_UNQUOTED).replace("~", "%7E")  # quote() never encodes "~"
    if _DEVICES.match(stem):
        stem = f"%{ord(stem[0]):02X}{stem[1:]}"
    if stem.startswith("."):
        stem = f"%2E{stem[1:]}"
    if stem.endswith("."):
        stem = f"{stem[:-1]}%2E"
    capitals = sum(1 << place for place, letter in enumerate(name) if "A" <= letter <= "Z")
    return f"{stem}~{capitals:x}" if capitals else stem


_UNQUOTED = "_.-"  # beside letters and digits; "~" is not among them: it marks the capitals


_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE | re.ASCII)


def name_of_file(stem: str) -> str | None:
    """Return the name that a file of this name belongs to, None if `file_name` never makes it."""
    try:
        name = unquote(stem.partition("~")[0], errors="strict")
        return name if name and file_name(name) == stem else None
    except (UnicodeDecodeError, UnicodeEncodeError):
        return None


def index_of_run(entry: Entry) -> Any | None:
    """Return the labels that pandas objects of a run bring, which must be the same in all of them."""
    arguments = {
        "gold": entry.gold,
        _whose(entry): entry.predictions,
        "clusters": entry.clusters,
        "ids": entry.ids,
    }
    return arrays.check_labels(arguments, entry.ids)


def check_index_of_run(gold: Gold, entry: Entry, labels: Any | None) -> None:
    """Refuse a run without ids whose values have other labels than the items of the study."""
    if entry.ids is not None:
        return
    labels_of_run = arrays.labels_of(entry.predictions) if labels is None else labels
    if labels_of_run is not None:
        arrays.check_same_order(labels_of_run, gold.ids.tolist(), _whose(entry), "the items of the study")


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
    array, named_classes = _labels(values, ids, classes, normalise)
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
    return Gold(items, array, named_classes, groups)


def _labels(
    values: Any, ids: ArrayLike | None, classes: ArrayLike | None, normalise: bool
) -> tuple[Array, Array | None]:
    """Return the gold as an array, and its classes."""
    if is_soft(values):
        named = soft.named_classes({"gold": values}, "gold") if classes is None else classes
        ordered = soft.by_name(values, named, "gold")
        rows = soft.distributions(ordered, "gold", normalise=normalise, place=_placed(ids))
        return rows, soft.classes_of(named, rows.shape[1])
    array = label_column(values, "gold").values
    if classes is None:
        return array, None
    array_of_classes = soft.classes_of(classes, checks.column(classes, "classes").size)
    soft.positions(array, array_of_classes, "gold")
    return array, array_of_classes


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
    """Return the place of each id; refuse one that occurs twice."""
    check_unique_ids(ids, what)
    return {item: place for place, item in enumerate(ids.tolist())}


def _placed(ids: ArrayLike | None) -> Callable[[int], str]:
    """Return how to name an item by its position."""
    return (
        "row {}".format
        if ids is None
        else lambda i: f"item {quoted(checks.as_array(ids, 'ids').tolist()[i])}"
    )


def check_same(mine: Gold, other: Gold, *, with_ids: bool) -> None:
    """Refuse another gold than the one of the study; without ids, its items are in the order of the study."""
    where = order_of(mine.ids, other.ids if with_ids else None, other.n_items, "the new gold")
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
        columns_of(mine, other.classes, other.classes.size)


def _same(before: Array, now: Array) -> list[bool]:
    """Tell which labels, as they are compared, or rows are the same."""
    if before.ndim > 1 or now.ndim > 1:
        return [old == new for old, new in zip(before.tolist(), now.tolist(), strict=True)]
    first, second, _ = read_together(complete(before), {"": complete(now)}, strings=True)
    assert first is not None
    _, (old_codes, new_codes) = label_codes([first.values, second[""].values])
    return [bool(same) for same in old_codes == new_codes]


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
    if not is_soft(predictions):
        array = label_column(predictions, what).values
        if gold.classes is None:
            checks.refuse_unused(
                "hard labels and scores: only soft labels are normalised", normalise=(normalise, False)
            )
        if classes is not None:
            columns_of(gold, classes, checks.column(classes, "classes").size)
        return array[order_of(gold.ids, ids, array.size, what)], None
    named = soft.named_classes({what: predictions}, what) if classes is None else classes
    ordered = soft.by_name(predictions, named, what)
    rows = soft.distributions(ordered, what, normalise=normalise, place=_placed(ids))
    class_names, where = columns_of(gold, named, rows.shape[1])
    return np.ascontiguousarray(rows[order_of(gold.ids, ids, len(rows), what)][:, where]), class_names


def order_of(gold: Array, ids: ArrayLike | None, n: int, what: str) -> IntArray:
    """Return where, among these ids, each of the gold is; None: values are in the order of the gold."""
    if ids is None:
        if n != gold.size:
            raise InvalidInputError(
                f"{what} has {n} values, but the gold of the study has {gold.size} items",
                hint="give one value per item in the order of the gold, or the ids of the items",
            )
        return np.arange(n)
    places = _places(identifiers(ids, f"the ids of {what}", n), f"the ids of {what}")
    places, gold_ids = in_common_spelling(places, dict.fromkeys(gold.tolist()))
    items = list(gold_ids)
    absent = [item for item in items if item not in places]
    if absent or len(places) > len(items):
        how, some = (
            ("missing from", absent) if absent else ("extra in", [i for i in places if i not in gold_ids])
        )
        raise InvalidInputError(
            f"{what} and the gold share {len(items) - len(absent)} of {len(items)} item ids;"
            f" {len(some)} {how} {what}, first: {quoted(some[0])}",
            hint=_ids_hint(items[0], next(iter(places), items[0])),
        )
    return np.array([places[item] for item in items], dtype=np.int64)


def _ids_hint(mine: Any, theirs: Any) -> str:
    if isinstance(mine, str) != isinstance(theirs, str):
        kinds = ["text" if isinstance(item, str) else "numbers" for item in (mine, theirs)]
        return f"the ids of the gold are {kinds[0]}, these are {kinds[1]}: use one type for both"
    return "a run has one prediction for every item of the gold, and for no other"


def columns_of(gold: Gold, classes: ArrayLike | None, n_classes: int) -> tuple[Array, IntArray]:
    """Return the classes of stored predictions, as in the gold or sorted, and their places in those given."""
    wanted = gold.classes
    if wanted is not None and n_classes != wanted.size:
        raise InvalidInputError(
            f"the study has {wanted.size} classes ({', '.join(map(str, wanted[:8]))}), got {n_classes}",
            hint="soft predictions need one probability per class of the study",
        )
    named = soft.classes_of(wanted if classes is None else classes, n_classes)
    if wanted is None:
        soft.positions(gold.values, named, "the gold of the study")
        wanted = np.sort(named)
    elif {*map(str, wanted)} != {*map(str, named)}:
        raise InvalidInputError(
            f"the classes of the study are {', '.join(map(str, wanted[:8]))}, these are"
            f" {', '.join(map(str, named[:8]))}",
            hint="the classes of a study are those named with its gold, classes=...; without names they"
            " are 0, 1, …",
        )
    return wanted, soft.positions(wanted, named, "the study")


def checked_tags(tags: Mapping[str, Any] | None) -> dict[str, Tag]:
    """Return tags that can be stored: text, finite numbers, booleans and None under names.

    >>> checked_tags({"lr": np.float32(0.5), "seed": 1})
    {'lr': 0.5, 'seed': 1}
    """
    checked: dict[str, Tag] = {}
    for name, value in (tags or {}).items():
        plain = value.item() if isinstance(value, np.generic) else value
        sound = plain is None or isinstance(plain, str | int | float)
        if not isinstance(name, str) or not sound or (isinstance(plain, float) and not math.isfinite(plain)):
            raise InvalidInputError(
                f"tag {quoted(name)} must be text, a finite number, a boolean or None, got {quoted(value)}",
                hint="give anything else as text",
            )
        checked[name] = plain
    return checked


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
    baselines = {checked_name(name, "condition") for name in listed}
    if not baselines or condition in baselines:
        raise InvalidInputError(
            f"against must name one or more other conditions for {quoted(condition)}, got {quoted(against)}",
            hint="leave it out to compare with every baseline",
        )
    return tuple(sorted(baselines, key=natural))


# -- a run from files ------------------------------------------------------------------------------


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
        missing=missing_texts(missing),
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
        "reading": Reading(classes=None if names is None else names.tolist(), normalise=normalise),
    }
    if clusters is not None:
        run["clusters"] = list(groups_of("cluster", clusters, parts).values())
    if gold_file_part is not None and keys[0] is not None and keys[1] != keys[0]:
        places = order_of(np.array(keys[1]), keys[0], len(keys[0]), run_part.source)
        run["predictions"] = [run["predictions"][place] for place in places]
        run["ids"] = keys[1]
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
