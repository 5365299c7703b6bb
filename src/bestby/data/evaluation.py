"""The data of one comparison: items, gold, systems, clusters, strata."""

from __future__ import annotations

import dataclasses
import hashlib
import sys
from collections.abc import Callable, Collection, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from bestby._core import arrays, checks
from bestby._core.errors import DesignError, InvalidInputError, MissingValueError
from bestby._core.text import quoted, visible
from bestby._core.typing import Array, ArrayLike, BoolArray, Dependence, IntArray, OnMissing
from bestby.data import soft
from bestby.data.alignment import Aligned, aligned, unequal_lengths
from bestby.data.annotations import Annotations
from bestby.data.arrays import identifiers, label_column
from bestby.data.cells import FEW_VALUES, collapsed
from bestby.data.columns import complete
from bestby.data.roles import listed
from bestby.data.values import Rule, merged_note, read_together
from bestby.results.base import Note
from bestby.results.values import extent
from bestby.vocabulary import allowed_names

_UNSUPPORTED: dict[Dependence, tuple[str, str]] = {
    "clusters": ("clusters of items", "leave out clusters, if the items are independent of one another"),
    "crossed": (
        "two crossed groupings of the items",
        "give one grouping as clusters, that with fewer groups",
    ),
    "strata": ("strata", "leave out strata"),
}
"""What an error says about a grouping that is not supported, and what to do."""


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation:
    """Items that two or more systems were evaluated on.

    Build one with `Evaluation.of`, which checks and aligns; the fields are as it left them.

    Parameters
    ----------
    systems : mapping of str to ndarray, shape (n,) or (n, K)
        Predictions, or per-item scores if there is no gold. Soft predictions are a row per item, with the
        probability of each class.
    gold : ndarray, shape (n,) or (n, K), or None
        The gold labels or values; soft gold is a row per item.
    items : ndarray, shape (n,), or None
        Item ids.
    clusters, strata : ndarray, shape (n,), or None
        The group each item belongs to.
    missing : mapping of str to ndarray of bool, shape (n,)
        For systems with missing predictions that are to count as the worst: which.
    notes : tuple of Note
        What happened on the way in: items dropped, predictions counted as the worst.
    classes : ndarray, shape (K,), or None
        The classes in the order of the columns of soft labels; None if there are none.
    annotations : Annotations or None
        The labels of the annotators that the gold was made of.
    groupings : mapping of str to ndarray, shape (n,)
        Groupings of the items that are known and not used as clusters, by name.
    suggested : str, Metric or None
        The measure that the source of the data suggests.
    crossed : ndarray, shape (n,), or None
        A second grouping that crosses the clusters, such as languages that templates come in.
    counts : ndarray of int, shape (n,), or None
        How many items each row stands for, where equal items were counted already; None if rows are items.
    """

    systems: Mapping[str, Array]
    gold: Array | None = None
    items: Array | None = None
    clusters: Array | None = None
    strata: Array | None = None
    missing: Mapping[str, BoolArray] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    classes: Array | None = None
    annotations: Annotations | None = None
    groupings: Mapping[str, Array] = field(default_factory=dict)
    suggested: Any = None
    crossed: Array | None = None
    counts: IntArray | None = None

    def __post_init__(self) -> None:
        if self.crossed is not None and self.strata is not None:
            raise DesignError(
                "there is no method for strata and two crossed groupings at once",
                hint="give one of the three as clusters, that with the fewest groups",
            )

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the systems, in the order given."""
        return tuple(self.systems)

    @property
    def n_items(self) -> int:
        """The number of items."""
        return self.n_rows if self.counts is None else int(self.counts.sum())

    @property
    def n_rows(self) -> int:
        """The number of rows: of items, or of kinds of items that were counted."""
        return len(next(iter(self.systems.values())))

    @cached_property
    def n_clusters(self) -> int:
        """The number of clusters; 0 if there are none."""
        return 0 if self.clusters is None else int(np.unique(self.clusters).size)

    def __repr__(self) -> str:
        of = extent(self.n_items, self.n_clusters)
        return f"<evaluation of {len(self.names)} systems on {of}: {visible(listed(self.names))}>"

    @classmethod
    def of(
        cls,
        systems: Mapping[str, Any],
        gold: Any = None,
        *,
        items: ArrayLike | None = None,
        clusters: Any = None,
        strata: ArrayLike | None = None,
        on_missing: OnMissing = "error",
        classes: ArrayLike | None = None,
        normalise: bool = False,
        objects: bool = False,
        counts: ArrayLike | None = None,
    ) -> Evaluation:
        """Check and align what the user has.

        Parameters
        ----------
        systems : mapping of str to array_like or to mapping
            Per system its predictions (or per-item scores): a sequence in the order of the items, or a
            mapping of item id to value. With mappings, systems are aligned by id. A soft prediction is a row
            of K probabilities, one per class.
        gold : array_like, mapping or Annotations, optional
            The gold labels, in the same form, hard or soft, or the labels of several annotators.
        items, clusters, strata : array_like, shape (n,), or mapping, optional
            Item ids; the cluster and the stratum of each item. Two crossed groupings, such as templates and
            languages, are a list (or a mapping) of two such `clusters`.
        on_missing : {"error", "drop", "worst"}
            What to do with items that some system (or the gold) does not have: those whose id is not there,
            or whose value is None, NaN, NA or masked. "drop" keeps the items all of them have; "worst" counts
            a missing prediction as wrong, a missing score as the worst observed one.
        classes : array_like, shape (K,), optional
            The names of the classes, in the order of the columns of soft labels and of ordered measures. By
            default those of the annotations, otherwise 0 to K - 1.
        normalise : bool
            Divide every row of a soft label by its sum. Otherwise a row must sum to 1 within 1e-6.
        objects : bool
            Take every item as it is, neither label nor number: a text, a list of references, a parse, for
            measures that read such.
        counts : array_like of int, shape (n,), optional
            How many items each row stands for: tables too large for memory are counted before they come here.
            Counted rows are hard labels or scores, in the same order for all, without ids or clusters. What
            is computed of them is what the items one by one would give.

        Returns
        -------
        Evaluation
            The aligned data.

        Raises
        ------
        InvalidInputError
            If lengths or ids do not match, a value is missing, or there are fewer than two systems or items.
        DesignError
            If a cluster lies in more than one stratum, two groupings of the items come with strata, or
            counted rows with ids, clusters, soft labels, annotators or objects.

        Examples
        --------
        >>> evaluation = Evaluation.of({"a": {"q1": "x", "q2": "y"}, "b": {"q2": "y", "q1": "y"}},
        ...                            gold={"q1": "x", "q2": "y"})
        >>> evaluation.systems["b"]
        array(['y', 'y'], dtype='<U1')
        """
        checks.choice(on_missing, allowed_names("on_missing", "items"), "on_missing")
        names = _checked_names(systems)
        first, second = _groupings(clusters)
        annotations = gold if isinstance(gold, Annotations) else None
        side = {"gold": gold, "clusters": first, "crossed": second, "strata": strata}
        columns = {name: _keyed_or_sequence(systems[name], _called(name)) for name in names}
        side = {
            key: value if value is None else _keyed_or_sequence(value, key) for key, value in side.items()
        }
        if items is not None:
            items = arrays.sequence(items, "items")
        arrays.check_labels({_called(name): columns[name] for name in names} | side | {"items": items}, items)
        if annotations is not None:  # the position of each item there, to be aligned as a gold is
            side["gold"] = annotations.positions()
        together = aligned(columns, side, items, on_missing, objects=objects)
        notes = together.notes
        if annotations is not None:
            annotations = annotations.at(np.array(together.side["gold"], dtype=np.int64))
            together = dataclasses.replace(together, side={**together.side, "gold": None})
            if classes is None:
                notes += _assumed(annotations, together.systems)
        if objects and (annotations is not None or classes is not None or normalise):
            raise InvalidInputError(
                "items are taken as they are, but classes, normalise or annotators' labels were given",
                hint="these go with measures of labels: leave them out, or choose such measures",
            )
        labels = None if objects else (annotations, classes, normalise)
        if counts is not None:
            _check_countable(
                ids=together.items is not None,
                clusters=first is not None,
                objects=objects,
                annotators=annotations is not None,
                classes=classes is not None or normalise,
            )
        return cls._checked(dataclasses.replace(together, notes=notes), labels, counts)

    @classmethod
    def _checked(
        cls,
        together: Aligned,
        labels: tuple[Annotations | None, ArrayLike | None, bool] | None,
        counts: ArrayLike | None,
    ) -> Evaluation:
        side = together.side
        ids = None if together.items is None else identifiers(together.items, "items")
        given = {**together.systems, **({} if side["gold"] is None else {"": side["gold"]})}
        annotations = None if labels is None else labels[0]
        notes = together.notes
        coded: dict[str, tuple[Array, Array]] = {}
        try:
            if labels is None:
                values = {name: opaque(column, _called(name)) for name, column in given.items()}
                names = None
            else:
                values, names, merged = _labels(given, ids, *labels, coded)
                notes += merged
        except MissingValueError as error:  # of a system or the gold: for others on_missing does nothing
            hint = f'{error.hint}; compare does so with on_missing="drop" or "worst"'
            raise InvalidInputError(error.message, hint=hint) from error
        gold = values.pop("", None)
        first, *others = values
        n = len(values[first])
        for name in others:
            if len(values[name]) != n:
                raise unequal_lengths(first, n, name, len(values[name]))
        number = None if counts is None else _numbers_of(counts, n)
        n_items = n if number is None else int(number.sum())
        if n_items < 2:
            raise InvalidInputError(
                f"a comparison needs at least 2 items, got {n_items}",
                hint="with one item nothing can be said about the uncertainty",
            )
        if annotations is not None and names is not None:
            annotations = annotations.ordered(names)
            gold = annotations.distribution()
        if gold is None:
            _check_numeric(values)
        elif len(gold) != n:
            raise InvalidInputError(
                f"gold has {len(gold)} values, expected {n}",
                hint="pass one value per item, in the same order for gold and every system",
            )
        if ids is not None:
            ids = checks.column(ids, "items", n)  # as many as the systems have values
            _check_unique(ids, "items")
        clusters = None if side["clusters"] is None else identifiers(side["clusters"], "clusters", n)
        strata = None if side["strata"] is None else identifiers(side["strata"], "strata", n)
        crossed = None if side["crossed"] is None else identifiers(side["crossed"], "crossed", n)
        if crossed is None:
            check_nested(clusters, strata)
        if number is not None and any(value.ndim > 1 for value in values.values()):
            _check_countable(soft=True)
        evaluation = cls(
            values,
            gold,
            ids,
            clusters,
            strata,
            dict(together.missing),
            notes,
            names,
            annotations,
            crossed=crossed,
            counts=number,
        )
        vars(evaluation)["_coded_texts"] = coded  # made already: sorting texts takes longest of all
        return evaluation

    @cached_property
    def coded(self) -> Mapping[str, tuple[Array, Array]]:
        """Distinct values and codes of the hard gold (under ``""``) and of each hard system; see `codes`."""
        known: Mapping[str, tuple[Array, Array]] = vars(self).get("_coded_texts", {})
        columns = dict(self.systems) if self.gold is None else {**self.systems, "": self.gold}
        return {
            name: known[name] if name in known else codes(values)
            for name, values in columns.items()
            if _is_plain(values)
        }

    @cached_property
    def cells(self) -> tuple[IntArray, IntArray]:
        """One row per distinct joint row of the hard gold, the hard systems and the strata, and its items."""
        columns, sizes = [], []
        for name, (distinct, code) in self._joint():
            columns.append(code.astype(np.int64))
            sizes.append(distinct.size)
            absent = self.missing.get(name)
            if absent is not None:  # a missing prediction takes a code of its own
                columns[-1][absent] = distinct.size
                sizes[-1] += 1
        strata = None if self.strata is None else codes(self.strata)[1].astype(np.int64)
        return collapsed(columns, sizes, strata, self.counts)

    def _joint(self) -> list[tuple[str, tuple[Array, Array]]]:
        return [(name, self.coded[name]) for name in sorted(self.coded)]

    @property
    def countable(self) -> bool:
        """Whether the items are hard labels (or whole numbers) and strata and nothing else."""
        others = (self.classes, self.clusters, self.crossed, self.annotations)
        values = [*self.systems.values(), *([] if self.gold is None else [self.gold])]
        return all(other is None for other in others) and all(
            _is_plain(column) and (column.dtype.kind != "f" or self.counts is not None) for column in values
        )

    def cells_hash(self) -> str:
        """Return a hash of the distinct joint rows and their counts, whatever the order of the items.

        A table that was counted and the same table in memory have the same one. Only for what is
        `countable`.
        """
        position, counts = self.cells
        digest = hashlib.blake2b(digest_size=8)
        rows = []
        named = self._joint() + ([] if self.strata is None else [("strata", codes(self.strata))])
        for name, (distinct, code) in named:
            row = code[position].astype(np.int64)
            absent = self.missing.get(name)
            if absent is not None:
                row[absent[position]] = -1
            rows.append(row)
            digest.update(f"cells {name}|{distinct.dtype.str}|{distinct.size}|".encode())
            digest.update(np.ascontiguousarray(distinct).view(np.uint8).data)
        table = np.column_stack([*rows, counts])[np.lexsort(rows)]
        digest.update(f"counts|{table.dtype.str}|{table.shape[0]}x{table.shape[1]}|".encode())
        digest.update(np.ascontiguousarray(table).view(np.uint8).data)
        return digest.hexdigest()

    def uncounted(self, what: str) -> Evaluation:
        """Return the evaluation itself; refuse counted rows, where each item is needed.

        Parameters
        ----------
        what : str
            What needs each item, for the message.

        Raises
        ------
        DesignError
            If the rows are counted.
        """
        if self.counts is not None:
            raise DesignError(
                f"{what} needs every item, but the table was counted into {self.n_rows} distinct rows",
                hint="read it whole: stream=False (--no-stream)",
            )
        return self

    @property
    def dependence(self) -> tuple[Dependence, ...]:
        """The kinds of groups that the items come in.

        Examples
        --------
        >>> Evaluation.of({"a": [1, 0, 1], "b": [0, 0, 1]}, clusters=["x", "x", "y"]).dependence
        ('clusters',)
        """
        known: dict[Dependence, Array | None] = {
            "clusters": self.clusters,
            "crossed": self.crossed,
            "strata": self.strata,
        }
        return tuple(kind for kind, groups in known.items() if groups is not None)

    def require_support(
        self, consumer: str, kinds: Collection[Dependence], hint: str | None = None
    ) -> Evaluation:
        """Return the evaluation itself; refuse groups of the items that an analysis would ignore.

        Every analysis of items calls this, most of them through `bestby.engine.prepare.groups`.

        Parameters
        ----------
        consumer : str
            The analysis, for the message.
        kinds : collection of {"clusters", "crossed", "strata"}
            The kinds of groups that it takes into account.
        hint : str, optional
            What to do instead; by default to leave the groups out.

        Raises
        ------
        DesignError
            If the items come in groups of another kind.

        Examples
        --------
        >>> evaluation = Evaluation.of({"a": [1, 0, 1], "b": [0, 0, 1]}, strata=["x", "x", "y"])
        >>> evaluation.require_support("this analysis", ["clusters", "strata"]) is evaluation
        True
        """
        for kind in self.dependence:
            if kind not in kinds:
                what, usual = _UNSUPPORTED[kind]
                raise DesignError(f"{consumer} does not support {what}", hint=hint or usual)
        return self

    def data_hash(self) -> str:
        """Return the first 16 hexadecimal digits of a hash of all values, names and groups.

        Of counted rows it is `cells_hash`.
        """
        if self.counts is not None:
            return self.cells_hash()
        digest = hashlib.blake2b(digest_size=8)
        parts: list[tuple[str, Array | None]] = []
        for name in sorted(["", *self.systems]):
            values = self.systems.get(name, self.gold)
            if values is not None and values.dtype.kind == "O":
                parts.append((f"objects {name}", np.frombuffer(_told(values), dtype=np.uint8)))
            elif values is not None and values.dtype.kind == "f":
                parts.append((f"values {name}", values))
            elif values is not None:
                distinct, code = self.coded[name]
                parts += [(f"labels {name}", distinct), (f"codes {name}", code)]
        parts += [(f"missing {name}", self.missing[name]) for name in sorted(self.missing)]
        for name, groups in (
            ("clusters", self.clusters),
            ("strata", self.strata),
            ("crossed", self.crossed),
        ):
            if groups is not None:
                distinct, code = codes(groups)
                parts += [(name, distinct), (f"{name} codes", code)]
        parts.append(("classes", self.classes))
        parts.append(("annotations", None if self.annotations is None else self.annotations.counts))
        for name, array in parts:
            if array is not None:
                shape = "x".join(map(str, array.shape))
                digest.update(f"{name}|{array.dtype.str}|{shape}|".encode())
                digest.update(np.ascontiguousarray(array).view(np.uint8).data)
        return digest.hexdigest()


def _labels(
    given: Mapping[str, Any],
    ids: Array | None,
    annotations: Annotations | None,
    classes: ArrayLike | None,
    normalise: bool,
    coded: dict[str, tuple[Array, Array]],
) -> tuple[dict[str, Array], Array | None, tuple[Note, ...]]:
    """Return the values of the systems and the gold (under ``""``), the classes of soft ones, and notes.

    The codes of texts, which are needed to read them, are put into `coded`.
    """
    rows = [name for name, values in given.items() if soft.is_soft(values)]
    if not rows:
        checks.refuse_unused(
            "hard labels and scores: only soft labels are normalised", normalise=(normalise, False)
        )
    if not rows and annotations is None and classes is None:
        columns = {name: label_column(values, _called(name)) for name, values in given.items()}
        values = {name: column.values for name, column in columns.items()}
        # The values stay as given, for functions of the user's own; measures of labels read them in this way.
        for name, texts in values.items():
            if texts.dtype.kind == "U" and "" in values:
                coded[name] = codes(texts)
                columns[name] = complete(coded[name][0])
        merged = read_together(columns.pop("", None), columns, strings=True)[2]
        return values, None, merged_note(merged)
    named = classes
    if named is None and annotations is not None and annotations.named:
        named = annotations.classes
    hint = soft.ASK_CLASSES
    if named is None:
        named = soft.named_classes({_called(name): given[name] for name in rows}, _called(""))
        hint = hint if named is None else soft.ASK_NAMES
    if named is None and annotations is not None:
        named = annotations.classes
    known = None if named is None else checks.column(named, "classes")
    n_classes = None if known is None else int(known.size)
    out: dict[str, Array] = {}
    for name, values in given.items():
        if name in rows:
            ordered = soft.by_name(values, known, _called(name))
            out[name] = soft.distributions(
                ordered, _called(name), n_classes=n_classes, normalise=normalise, place=_placed(ids)
            )
            n_classes = out[name].shape[1]
        else:
            out[name] = label_column(values, _called(name)).values
    assert n_classes is not None  # of a row, of the annotations, or given
    names = soft.classes_of(known, n_classes)
    if "" in given or annotations is not None:
        rule = Rule.of(label_column(names, "classes"), strings=True)
        for name in given:
            if name not in rows:
                column = label_column(out[name], _called(name))
                out[name] = rule.read(column, rule.keys_of(column)).values
                soft.positions(out[name], names, _called(name), hint=hint)
    return out, names, ()


def _assumed(annotations: Annotations, columns: Mapping[str, Any]) -> tuple[Note, ...]:
    """Return a note if columns of soft systems are read as the sorted labels of the annotators."""
    names = tuple(
        name
        for name, values in columns.items()
        if soft.is_soft(values) and arrays.are_default_names(arrays.column_names(values) or [])
    )
    classes = annotations.classes
    if not names or annotations.named or np.array_equal(classes, np.arange(classes.size)):
        return ()
    listed = ", ".join(map(str, classes[:8])) + (", …" if classes.size > 8 else "")
    told = (
        f"the columns of {', '.join(names)} are taken for the annotators' labels in sorted order ({listed}):"
        " pass classes=[...] to say which they are"
    )
    return (Note("classes_assumed", told, names),)


def _check_countable(**given: bool) -> None:
    """Refuse what rows that stand for several items cannot have."""
    words = {
        "ids": "item ids",
        "clusters": "clusters",
        "objects": "items of any kind",
        "annotators": "the labels of annotators",
        "classes": "classes of soft labels",
        "soft": "soft labels",
    }
    for name, there in given.items():
        if there:
            raise DesignError(
                f"counted rows stand for several items each: they cannot have {words[name]}",
                hint="leave the counts out and give every item a row (reading files: stream=False)",
            )


def _numbers_of(counts: ArrayLike, n: int) -> IntArray:
    """Return how many items each of n rows stands for."""
    numbers = checks.column(counts, "counts", n)
    if numbers.dtype.kind not in "iu" or (numbers < 1).any():
        raise InvalidInputError(
            "counts must be whole numbers of at least 1", hint="leave rows that stand for no item out"
        )
    return numbers.astype(np.int64)


def _keyed_or_sequence(values: Any, what: str) -> Any:
    """Return values that come by item id, or in an order; refuse all others."""
    return values if isinstance(values, Mapping | Annotations) else arrays.sequence(values, what)


def _called(name: str) -> str:
    return f"system {quoted(name)}" if name else "gold"


def _placed(ids: Array | None) -> Callable[[int], str]:
    """Return how to name an item by its position."""
    return "row {}".format if ids is None else lambda position: f"item {quoted(str(ids[position]))}"


def opaque(values: Any, what: str) -> Array:
    """Return items of any kind as an array of objects, with none missing.

    >>> opaque([(10, 3), (10, 0)], "system 'a'")
    array([(10, 3), (10, 0)], dtype=object)
    """
    listed = arrays.listed(values, what)
    array = np.empty(len(listed), dtype=object)
    for position, value in enumerate(listed):
        if checks.missing(value):
            raise MissingValueError(
                f"{what} has a missing value at position {position}",
                hint=checks.ASK_VALUE,
            )
        array[position] = value  # not all at once: NumPy would take lists for rows
    return array


def _told(values: Array) -> bytes:
    """Return items of any kind as text that is the same in every process and leaves nothing out."""
    with np.printoptions(threshold=sys.maxsize, floatmode="unique"):
        told = [
            f"{{{', '.join(sorted(map(repr, value)))}}}" if isinstance(value, AbstractSet) else repr(value)
            for value in values.tolist()
        ]
    return "\n".join(told).encode()


def _is_plain(values: Array) -> bool:
    return values.ndim == 1 and values.dtype.kind != "O"


def _checked_names(systems: Mapping[str, Any]) -> tuple[str, ...]:
    if not isinstance(systems, Mapping):
        hint = 'compare({"a": predictions_a, "b": predictions_b}, gold=gold)'
        if isinstance(systems, str | Path):
            hint = f'read the file first: compare(bestby.read({quoted(str(systems))}, gold="label"))'
        raise InvalidInputError(
            f"systems must be a mapping of name to predictions, got {type(systems).__name__}", hint=hint
        )
    names = checks.valid_names(systems, "system")
    if len(names) < 2:
        raise InvalidInputError(
            f"a comparison needs at least 2 systems, got {len(names)}: {', '.join(names) or 'none'}",
        )
    return names


def _groupings(clusters: Any) -> tuple[Any, Any]:
    """Return one grouping and None, or the two of a list, tuple or mapping of two.

    >>> _groupings(["d1", "d2"])
    (['d1', 'd2'], None)
    >>> _groupings([["t1", "t1", "t2"], ["de", "en", "de"]])
    (['t1', 't1', 't2'], ['de', 'en', 'de'])
    """
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
    first, second = _groupings(clusters)
    if second is not None:
        what, hint = _UNSUPPORTED["crossed"]
        raise DesignError(f"{consumer} does not support {what}", hint=hint)
    return first


def _check_numeric(arrays: Mapping[str, Array]) -> None:
    for name, array in arrays.items():
        if array.ndim == 2 and array.dtype.kind != "O":
            raise InvalidInputError(
                f"without gold, systems must be per-item scores, but {quoted(name)} holds a row per item",
                hint="pass gold=... to compare soft predictions",
            )
    texts = {name: array for name, array in arrays.items() if array.dtype.kind == "U"}
    if texts:
        # One text makes text of all columns of a file: the one to be named is none that spells a number.
        odd = (
            (name, place)
            for name, array in texts.items()
            for place, text in enumerate(array.tolist())
            if not checks.NUMERAL.fullmatch(text)
        )
        name, place = next(odd, (next(iter(texts)), 0))
        raise InvalidInputError(
            f"without gold, systems must be per-item scores, but {quoted(name)} holds text:"
            f" {quoted(str(texts[name][place]))} at position {place}",
            hint="pass gold=... to compare predictions, or correct this value",
        )


def _check_unique(ids: Array, what: str) -> None:
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


def codes(values: Array) -> tuple[Array, Array]:
    """Return the sorted distinct values and the position of each value among them.

    Small ranges of integers and booleans are coded without sorting; positions come in the narrowest
    unsigned type.
    """
    if values.dtype.kind in "biu" and values.size:
        low, high = int(values.min()), int(values.max())
        span = high - low + 1
        if span <= max(1024, values.size):
            # Unsigned integers of the same width and order of bytes wrap round: nothing overflows.
            unsigned = np.dtype(f"u{values.dtype.itemsize}").newbyteorder(values.dtype.byteorder)
            base = np.array([low], dtype=values.dtype).view(unsigned)
            shifted = (values.view(unsigned) - base).astype(_narrow(span), copy=False)
            present = np.zeros(span, dtype=np.bool_)
            if span <= FEW_VALUES:  # a pass per value beats scattering into a handful of places
                present[:] = [bool((shifted == value).any()) for value in range(span)]
            else:
                present[shifted] = True
            distinct = (np.flatnonzero(present).astype(unsigned) + base).astype(unsigned).view(values.dtype)
            if distinct.size == span:
                return distinct, shifted
            return distinct, (np.cumsum(present) - 1).astype(_narrow(span))[shifted]
    distinct, inverse = np.unique(values, return_inverse=True)
    return distinct, inverse.reshape(-1).astype(_narrow(distinct.size))


def _narrow(size: int) -> type[np.unsignedinteger[Any]]:
    """Return the narrowest unsigned type that numbers `size` values."""
    return np.uint8 if size <= 1 << 8 else np.uint16 if size <= 1 << 16 else np.uint32
