"""The data of one comparison: items, gold, systems, clusters, strata; how they are checked and hashed."""

from __future__ import annotations

import copy
import dataclasses
import hashlib
import math
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from bestby._core import arrays, checks, rounding
from bestby._core.cached import cached_property
from bestby._core.chunks import chunks
from bestby._core.errors import DesignError, InvalidInputError, MissingValueError
from bestby._core.keywords import with_suggestions
from bestby._core.mixing import GOLDEN, Words, mix
from bestby._core.text import counted, normal_form, visible
from bestby._core.typing import Array, ArrayLike, BoolArray, Dependence, FloatArray, IntArray, OnMissing
from bestby.data.alignment import (
    UNSUPPORTED,
    Aligned,
    aligned,
    check_countable,
    check_nested,
    check_unique_ids,
    checked_names,
    two_groupings,
    unequal_lengths,
)
from bestby.data.columns import (
    Coded,
    Columns,
    codes,
    collapsed,
    complete,
    group_codes,
    identifiers,
    is_plain,
    item_namer,
    system_or_gold,
)
from bestby.data.label_sets import label_sets as sets_of
from bestby.data.roles import listed, unknown_system
from bestby.data.soft import Annotations
from bestby.data.values import (
    are_whole,
    assumed_classes_note,
    check_scores,
    checked_labels,
    forms_note,
    integer_type,
    opaque,
)
from bestby.results.base import Note
from bestby.results.values import extent
from bestby.vocabulary import allowed_names

SLICES = "column "
"""What the names of the columns of slices begin with, beside the gold and the groups of the items."""

GAPS = ("pairs", "bounds")
"""What `on_missing` may be that puts nothing in the place of missing values."""

Labels = tuple[Annotations | None, ArrayLike | None, bool]
"""Annotators' labels, the classes, and whether soft rows are divided by their sums."""


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation:
    """Items that one system or more were evaluated on.

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
        For systems with missing predictions: which.
    on_missing : str
        What is done about them: with "worst" they count as the worst, with "pairs" every two systems are
        compared on the items both have, with "bounds" all must hold whether they are the worst or the best.
    notes : tuple of Note
        What happened on the way in: items dropped, predictions counted as the worst.
    classes : ndarray, shape (K,), or None
        The classes in the order of the columns of soft labels; all labels of sets of labels, where these are
        known; None if there are none.
    annotations : Annotations or None
        The labels of the annotators that the gold was made of.
    groupings : mapping of str to ndarray, shape (n,)
        Groupings of the items that are known and not used as clusters, by name.
    suggested : str, Metric or None
        The metric that the source of the data suggests.
    crossed : ndarray, shape (n,), or None
        A second grouping that crosses the clusters, such as languages that templates come in.
    counts : ndarray of int, shape (n,), or None
        How many items each row stands for, where equal items were counted already; None if rows are items.
    frame_backend : str or None
        The library of the data frame that the data came from, such as "polars"; None if they came otherwise.
    tasks : ndarray, shape (n,), or None
        The task of each item, where logs of an evaluation tool hold several; they are the strata, too.
    called : mapping of str to str
        What the source calls the values of a system, where that is not its name: the column of a long table
        or of the file of one system, the name of a series. Without gold it tells scores from predictions.
    trials : mapping of str to ndarray of int, shape (n, 2)
        How often each system tried each item, and how often it was right, where the files hold several runs
        of 0 or 1, whose mean is the score: what pass@k and pass^k read. Empty where they do not.
    codes_of_texts : mapping of str to Coded
        The codes of gold (under ``""``) and systems that are texts, where they were made on the way in; not
        used for a column that another array has replaced since.
    quantities : tuple of str
        What logs of an evaluation tool hold beside the scores of the items: times, money, tokens. Each is
        read by itself as the `value_column` of its name.
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
    frame_backend: str | None = None
    tasks: Array | None = None
    called: Mapping[str, str] = field(default_factory=dict)
    trials: Mapping[str, IntArray] = field(default_factory=dict)
    codes_of_texts: Mapping[str, Coded] = field(default_factory=dict)
    on_missing: OnMissing = "worst"
    quantities: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.crossed is not None and self.strata is not None:
            raise DesignError(
                "there is no method for strata and two crossed groupings at once",
                hint="give one of the three as clusters, that with the fewest groups",
            )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the systems, in the order given."""
        return tuple(self.systems)

    @cached_property
    def n_items(self) -> int:
        """The number of items."""
        return self.n_rows if self.counts is None else int(self.counts.sum())

    @property
    def n_rows(self) -> int:
        """The number of rows: of items, or of kinds of items that were counted."""
        return len(next(iter(self.compact.values())))

    @cached_property
    def n_clusters(self) -> int:
        """The number of clusters; 0 if there are none."""
        return 0 if self.clusters is None else int(np.unique(self.clusters).size)

    def __repr__(self) -> str:
        of = extent(self.n_items, self.n_clusters)
        return f"<evaluation of {counted(len(self.names), 'system')} on {of}: {visible(listed(self.names))}>"

    @classmethod
    @with_suggestions
    def of(
        cls,
        systems: Mapping[str, Any],
        gold: Any = None,
        *,
        items: ArrayLike | None = None,
        clusters: Any = None,
        strata: ArrayLike | None = None,
        slices: Mapping[str, Any] | None = None,
        on_missing: OnMissing = "error",
        classes: ArrayLike | None = None,
        normalise: bool = False,
        objects: bool = False,
        label_sets: bool = False,
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
        slices : mapping of str to array_like, shape (n,), or to mapping, optional
            Columns of the items by which `compare_slices` can slice them, such as their language.
        on_missing : {"error", "drop", "worst", "drop-systems", "pairs", "bounds"}
            What to do with items that some system (or the gold) does not have: those whose id is not there,
            or whose value is None, NaN, NA or masked. "drop" keeps the items all of them have; "worst" counts
            a missing prediction as wrong, a missing score as the worst observed one; "drop-systems" keeps the
            systems that have all items. "pairs" and "bounds" are for `compare`, and explained there.
        classes : array_like, shape (K,), optional
            The names of the classes, in the order of the columns of soft labels and of ordered metrics. By
            default those of the annotations, otherwise 0 to K - 1.
        normalise : bool
            Divide every row of a soft label by its sum. Otherwise a row must sum to 1 within 1e-6.
        objects : bool
            Take every item as it is, neither label nor number: a text, a list of references, a parse, for
            metrics that read such.
        label_sets : bool
            Every item has any number of labels, which multi-label metrics read: a list or set of them, or a
            row of a matrix of 0 and 1 whose columns are the labels. These are the names of a frame's columns
            or the `classes`, otherwise 0 to K - 1.
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
            If lengths or ids do not match, a value is missing, or there is no system or fewer than two items.
        DesignError
            If a cluster lies in more than one stratum, two groupings of the items come with strata, or
            counted rows with ids, clusters, soft labels, annotators or objects.

        Examples
        --------
        >>> evaluation = Evaluation.of(
        ...     {"a": {"q1": "x", "q2": "y"}, "b": {"q2": "y", "q1": "y"}},
        ...     gold={"q1": "x", "q2": "y"},
        ... )
        >>> evaluation.systems["b"]
        array(['y', 'y'], dtype='<U1')
        """
        checks.choice(on_missing, allowed_names("on_missing", "items"), "on_missing")
        objects = checks.flag(objects, "objects")
        names = checked_names(systems)
        first, second = two_groupings(clusters)
        annotations = gold if isinstance(gold, Annotations) else None
        side = {"gold": gold, "clusters": first, "crossed": second, "strata": strata}
        if slices is not None:
            form = 'slices={"language": ["de", "en", ...]}'
            checks.mapping(slices, "slices", "a column's name to its values", form)
            checks.valid_names(slices, "column")
            side |= {f"{SLICES}{name}": values for name, values in slices.items()}
        columns = {name: keyed_or_sequence(systems[name], system_or_gold(name)) for name in names}
        side = {key: value if value is None else keyed_or_sequence(value, key) for key, value in side.items()}
        if items is not None:
            items = arrays.sequence(items, "items")
        arrays.check_labels(
            {system_or_gold(name): columns[name] for name in names} | side | {"items": items}, items
        )
        if annotations is not None:  # the position of each item there, to be aligned as a gold is
            side["gold"] = annotations.positions()
        together = aligned(columns, side, items, on_missing, objects=objects or label_sets)
        notes = together.notes
        if annotations is not None:
            annotations = annotations.at(np.array(together.side["gold"], dtype=np.int64))
            together = dataclasses.replace(together, side={**together.side, "gold": None})
            if classes is None:
                notes += assumed_classes_note(annotations, together.systems)
        others = annotations is not None or normalise
        if (objects and (others or classes is not None)) or (label_sets and others):
            raise InvalidInputError(
                f"items are {'sets of labels' if label_sets else 'taken as they are'}, but"
                f" {'' if label_sets else 'classes, '}normalise or annotators' labels were given",
                hint="these go with metrics of labels: leave them out, or choose such metrics",
            )
        labels = None if objects else (annotations, classes, normalise)
        if counts is not None:
            check_countable(
                ids=together.items is not None,
                slices=bool(slices),
                clusters=first is not None,
                objects=objects or label_sets,
                annotators=annotations is not None,
                classes=classes is not None or normalise,
            )
        together = dataclasses.replace(together, notes=notes)
        called = {name: getattr(systems[name], "name", None) for name in names}  # that of a series
        return cls(
            **checked_parts(together, labels, counts, label_sets=label_sets),
            on_missing=on_missing if on_missing in GAPS else "worst",
            called={name: word for name, word in called.items() if isinstance(word, str) and word},
        )

    @cached_property
    def coded(self) -> Mapping[str, tuple[Array, Array]]:
        """Distinct values and codes of the hard gold (under ``""``) and of each hard system; see `codes`."""
        return {name: self.codes_of(name) for name, values in self.compact.items() if is_plain(values)}

    @cached_property
    def compact(self) -> dict[str, Array | Coded]:
        """The systems and the gold (under ``""``), those whose texts were coded on the way in as codes."""
        gold = {} if self.gold is None else {"": self.gold}
        return {**Columns.of(self.systems).compact, **gold}

    @property
    def scores(self) -> list[Array]:
        """The scores of each system; none where there is a gold, beside which they are predictions."""
        return [] if self.gold is not None else [*self.systems.values()]

    def values_of(self, name: str, *, trials: bool) -> Array:
        """Return the values of a system: for a metric that reads them, its trials where they were counted."""
        return self.trials.get(name, self.systems[name]) if trials else self.systems[name]

    def codes_of(self, name: str) -> tuple[Array, Array]:
        """Return the distinct values and the codes of one such column."""
        if name not in self._codes_of:
            values = self.compact[name]
            known = self.codes_of_texts.get(name)
            if isinstance(values, Coded):
                self._codes_of[name] = (values.distinct, values.codes)
            elif known is not None and known.values is values:
                self._codes_of[name] = (known.distinct, known.codes)
            else:
                self._codes_of[name] = codes(values)
        return self._codes_of[name]

    @cached_property
    def _codes_of(self) -> dict[str, tuple[Array, Array]]:
        return {}

    @cached_property
    def cells(self) -> tuple[IntArray, IntArray] | None:
        """One row per distinct joint row of the hard gold, the hard systems and the strata, and its items.

        None where there could be more of them than rows.
        """
        columns = [self.coded[name][1] for name in sorted(self.coded)]
        sizes = [self.coded[name][0].size for name in sorted(self.coded)]
        for place, name in enumerate(sorted(self.coded)):
            absent = self.missing.get(name)
            if absent is not None:  # a missing prediction takes a code of its own
                columns[place] = np.where(absent, sizes[place], columns[place].astype(np.int64))
                sizes[place] += 1
        strata = None if self.strata is None else group_codes(self.strata)[1].astype(np.int64)
        if not columns or math.prod(sizes) * (1 if strata is None else int(strata.max()) + 1) > self.n_rows:
            return None
        return collapsed(columns, sizes, strata, self.counts)

    @property
    def label_sets(self) -> bool:
        """Whether the items are sets of labels."""
        first = next(iter(self.compact.values()))
        return isinstance(first, np.ndarray) and isinstance(next(iter(first), None), frozenset)

    @property
    def plain(self) -> bool:
        """Whether the items are hard labels or scores, and strata, and nothing else."""
        others = (self.classes, self.clusters, self.crossed, self.annotations)
        return all(other is None for other in others) and all(map(is_plain, self.compact.values()))

    def cells_hash(self) -> str:
        """Return a hash of the distinct joint rows and their counts; see `hash_of_cells`.

        Of scores that are no whole numbers, of clusters and of soft labels it is `data_hash`.
        """
        whole = self.counts is not None or has_whole_rows(self)
        return hash_of_cells(self) if whole else hash_of_items(self)

    def with_notes(self, notes: Sequence[Note]) -> Evaluation:
        """Return the evaluation with further notes; what was computed of its values stays computed."""
        noted = copy.copy(self)
        object.__setattr__(noted, "notes", (*self.notes, *notes))
        return noted

    def with_systems(self, names: Sequence[str]) -> Evaluation:
        """Return the evaluation of some of its systems, in the order asked for."""
        for name in names:
            if name not in self.systems:
                raise unknown_system(None, self.names)(name)
        missing = {name: mask for name, mask in self.missing.items() if name in names}
        trials = {name: counts for name, counts in self.trials.items() if name in names}
        compact = Columns.of(self.systems).compact
        return dataclasses.replace(
            self, systems=Columns({name: compact[name] for name in names}), missing=missing, trials=trials
        )

    @property
    def with_gaps(self) -> bool:
        """Whether systems lack items for which nothing stands in, so that only some of them are compared."""
        return bool(self.missing) and self.on_missing in GAPS

    def has(self, name: str) -> BoolArray:
        """Return which of the rows a system has, shape (n,)."""
        gone = self.missing.get(name)
        return np.ones(self.n_rows, dtype=np.bool_) if gone is None else ~gone

    def complete(self, names: Sequence[str]) -> Evaluation:
        """Return some of the systems, on the items that all of these have."""
        masks = [self.missing[name] for name in names if name in self.missing]
        chosen = self.with_systems(names)
        return chosen.with_rows(~np.any(masks, axis=0)) if masks else chosen

    def with_rows(self, rows: BoolArray) -> Evaluation:
        """Return the evaluation of some of its items, without its notes."""

        def at(values: Array | None) -> Any:
            return None if values is None else values[rows]

        return Evaluation(
            systems={system: values[rows] for system, values in self.systems.items()},
            gold=at(self.gold),
            items=at(self.items),
            clusters=at(self.clusters),
            strata=at(self.strata),
            crossed=at(self.crossed),
            classes=self.classes,
            missing={system: mask[rows] for system, mask in self.missing.items() if mask[rows].any()},
            frame_backend=self.frame_backend,
            counts=at(self.counts),
            tasks=at(self.tasks),
            called=self.called,
            on_missing=self.on_missing,
            trials={system: counts[rows] for system, counts in self.trials.items()},
        )

    def uncounted(self, what: str) -> Evaluation:
        """Return the evaluation itself; refuse counted rows where an analysis, `what`, needs every item."""
        if self.counts is not None:
            raise DesignError(
                f"{what} needs every item, but the table was counted into {self.n_rows} distinct rows",
                hint="read it whole: stream=False",
            )
        return self

    @property
    def dependence(self) -> tuple[Dependence, ...]:
        """The kinds of groups that the items come in.

        Examples
        --------
        >>> Evaluation.of(
        ...     {"a": [1, 0, 1], "b": [0, 0, 1]}, clusters=["x", "x", "y"]
        ... ).dependence
        ('clusters',)
        """
        kinds: tuple[Dependence, ...] = ("clusters", "crossed", "strata")
        return tuple(kind for kind in kinds if getattr(self, kind) is not None)

    @property
    def n_groups(self) -> dict[str, int]:
        """The numbers of the clusters, crossed groups and strata that there are."""
        return {kind: int(np.unique(getattr(self, kind)).size) for kind in self.dependence}

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
        >>> evaluation = Evaluation.of(
        ...     {"a": [1, 0, 1], "b": [0, 0, 1]}, strata=["x", "x", "y"]
        ... )
        >>> evaluation.require_support(
        ...     "this analysis", ["clusters", "strata"]
        ... ) is evaluation
        True
        """
        if self.with_gaps:
            raise DesignError(
                f'{consumer} does not support on_missing="{self.on_missing}", which is for compare',
                hint='pass on_missing="drop" or on_missing="worst"; an Evaluation takes it when it is made',
            )
        for kind in self.dependence:
            if kind not in kinds:
                what, usual = UNSUPPORTED[kind]
                raise DesignError(f"{consumer} does not support {what}", hint=hint or usual)
        return self

    def data_hash(self) -> str:
        """Return the first 16 hexadecimal digits of a hash of all values, names and groups.

        Of counted rows it is `cells_hash`.
        """
        return self.cells_hash() if self.counts is not None else hash_of_items(self)


def keyed_or_sequence(values: Any, what: str) -> Any:
    """Return values that come by item id, or in an order; refuse all others."""
    return values if isinstance(values, Mapping | Annotations) else arrays.sequence(values, what)


def checked_parts(
    together: Aligned, labels: Labels | None, counts: ArrayLike | None, *, label_sets: bool = False
) -> dict[str, Any]:
    """Return the fields of an evaluation; no `labels` for items of any kind."""
    side = together.side
    ids = None if together.items is None else identifiers(together.items, "items")
    columns = {**together.systems, **({} if side["gold"] is None else {"": side["gold"]})}
    annotations = None if labels is None else labels[0]
    notes = together.notes
    coded: dict[str, Coded] = {}
    try:
        values: dict[str, Array | Coded]
        names: Array | None
        if label_sets:
            classes = None if labels is None else labels[1]
            sets, names, merged = sets_of(columns, classes, item_namer(ids))
            values = {name: opaque(column, system_or_gold(name)) for name, column in sets.items()}
            notes += merged
        elif labels is None:
            values = {name: opaque(column, system_or_gold(name)) for name, column in columns.items()}
            names = None
        else:
            values, names, merged = checked_labels(columns, ids, *labels, coded)
            notes += merged
    except MissingValueError as error:  # of a system or the gold: for others on_missing does nothing
        raise _with_on_missing(error) from error
    gold: Any = values.pop("", None)
    if isinstance(gold, Coded):
        gold = gold.values
    n, number = _checked_sizes(values, counts)
    if annotations is not None and names is not None:
        annotations = annotations.ordered(names)
        gold = annotations.distribution()
    if gold is None:
        check_scores(Columns(values))
    elif len(gold) != n:
        raise InvalidInputError(
            f"gold has {counted(len(gold), 'value')}, expected {n}",
            hint="pass one value per item, in the same order for gold and every system",
        )
    if gold is None or gold.ndim > 1 or gold.dtype.kind in "biuU":  # labels of a gold are no real numbers
        values = _in_one_precision(values)
    if ids is not None:
        ids = checks.column(ids, "items", n)  # as many as the systems have values
        check_unique_ids(ids, "items")
    groups, slices, forms = _checked_groups(side, n)
    notes += forms
    if groups["crossed"] is None:
        check_nested(groups["clusters"], groups["strata"])
    if number is not None and any(value.ndim > 1 for value in values.values()):
        check_countable(soft=True)
    return {
        "systems": Columns(values),
        "gold": gold,
        "items": ids,
        **groups,
        "groupings": slices,
        "missing": dict(together.missing),
        "notes": notes,
        "classes": names,
        "annotations": annotations,
        "counts": number,
        "codes_of_texts": coded,
    }


def _checked_sizes(
    values: Mapping[str, Array | Coded], counts: ArrayLike | None
) -> tuple[int, IntArray | None]:
    """Return the number of rows, the same for all, and how many items each stands for."""
    first, *others = values
    n = len(values[first])
    for name in others:
        if len(values[name]) != n:
            raise unequal_lengths(first, n, name, len(values[name]))
    number = None if counts is None else checked_counts(counts, n)
    n_items = n if number is None else int(number.sum())
    if n_items < 2:
        raise InvalidInputError(
            f"a comparison needs at least 2 items, got {n_items}",
            hint="with one item nothing can be said about the uncertainty",
        )
    return n, number


def checked_counts(counts: ArrayLike, n: int) -> IntArray:
    """Return how many items each of n rows stands for."""
    numbers = checks.column(counts, "counts", n)
    if numbers.dtype.kind not in "iu" or (numbers < 1).any():
        raise InvalidInputError(
            "counts must be whole numbers of at least 1", hint="leave out rows that represent no item"
        )
    return numbers.astype(np.int64)


def _checked_groups(
    side: Mapping[str, Any], n: int
) -> tuple[dict[str, Array | None], dict[str, Array], tuple[Note, ...]]:
    """Return the groups of the items, the columns of slices, and notes on names that were joined."""
    groups: dict[str, Array | None] = dict.fromkeys(("clusters", "strata", "crossed"))
    slices: dict[str, Array] = {}
    notes: tuple[Note, ...] = ()
    for what, group in side.items():
        if group is None or what == "gold":
            continue
        names, forms = in_one_form(identifiers(group, what, n))
        notes += forms
        if what.startswith(SLICES):
            slices[what.removeprefix(SLICES)] = names
        else:
            groups[what] = names
    return groups, slices, notes


def in_one_form(groups: Array) -> tuple[Array, tuple[Note, ...]]:
    """Return the names of groups with one spelling for those that look alike, and a note if some do."""
    if groups.dtype.kind != "U" or np.ascontiguousarray(groups).view(np.uint32).max(initial=0) < 128:
        return groups, ()  # of ASCII texts no two look alike
    names, places = np.unique(groups, return_inverse=True)
    forms: dict[str, list[str]] = {}
    for name in names.tolist():
        forms.setdefault(normal_form(name), []).append(name)
    several = [spellings for spellings in forms.values() if len(spellings) > 1]
    if not several:
        return groups, ()
    form = np.array([normal_form(name) for name in names.tolist()])
    return form[places], (forms_note("group", several),)


def _in_one_precision(values: Mapping[str, Array | Coded]) -> dict[str, Array | Coded]:
    """Return values of which real numbers in single precision are those of others that they stand for."""
    real = {name: np.asarray(column) for name, column in values.items() if column.dtype.kind == "f"}
    if len({column.shape for column in real.values()}) != 1:
        return dict(values)
    alike = rounding.in_one_precision([column.reshape(-1) for column in real.values()])
    pairs = zip(real.items(), alike, strict=True)
    return {**values, **{name: own.reshape(column.shape) for (name, column), own in pairs}}


def _with_on_missing(error: MissingValueError) -> InvalidInputError:
    """Return an error about a value of the gold or of a system, with what `on_missing` does about it."""
    hint = 'remove the item for all systems; compare does so with on_missing="drop"'
    if not error.message.startswith(system_or_gold("")):
        hint = (
            "remove the item for all systems, or give the value the failure should count as; compare does so"
            ' with on_missing="drop" or "worst"'
        )
    return InvalidInputError(error.message, hint=hint)


def concatenated(parts: Sequence[Evaluation], systems: Sequence[str]) -> Evaluation:
    """Return the items of several evaluations one after the other, without ids and groups."""
    golds = [part.gold for part in parts if part.gold is not None]
    return Evaluation(
        systems={system: np.concatenate([part.systems[system] for part in parts]) for system in systems},
        gold=np.concatenate(golds) if golds else None,
        classes=parts[0].classes,
        trials={
            system: np.concatenate([part.trials[system] for part in parts])
            for system in systems
            if all(system in part.trials for part in parts)
        },
        missing={
            system: np.concatenate([part.missing.get(system, np.zeros(part.n_items, bool)) for part in parts])
            for system in systems
            if any(system in part.missing for part in parts)
        },
    )


def hash_of_items(evaluation: Evaluation) -> str:
    """Return the first 16 hexadecimal digits of a hash of all values, names and groups."""
    digest = hashlib.blake2b(digest_size=8)
    parts: list[tuple[str, Array | None]] = []
    for name in sorted(["", *evaluation.systems]):
        values = evaluation.systems.get(name, evaluation.gold)
        if values is not None and values.dtype.kind == "O":
            parts.append((f"objects {name}", np.frombuffer(objects_as_text(values), dtype=np.uint8)))
        elif values is not None and values.dtype.kind == "f" and not _are_whole_numbers(values):
            parts.append((f"values {name}", values))
        elif values is not None:
            distinct, code = _codes_of_column(evaluation, name)
            parts += [(f"labels {name}", _in_plain_type(distinct)), (f"codes {name}", code)]
    parts += [(f"missing {name}", evaluation.missing[name]) for name in sorted(evaluation.missing)]
    parts += [(f"trials {name}", evaluation.trials[name]) for name in sorted(evaluation.trials)]
    for name, groups in (
        ("clusters", evaluation.clusters),
        ("strata", evaluation.strata),
        ("crossed", evaluation.crossed),
    ):
        if groups is not None:
            distinct, code = group_codes(groups)
            parts += [(name, _in_plain_type(distinct)), (f"{name} codes", code)]
    parts.append(("classes", evaluation.classes))
    parts.append(("annotations", None if evaluation.annotations is None else evaluation.annotations.counts))
    for name, array in parts:
        if array is not None:
            shape = "x".join(map(str, array.shape))
            digest.update(f"{name}|{array.dtype.str}|{shape}|".encode())
            digest.update(np.ascontiguousarray(array).view(np.uint8).data)
    return digest.hexdigest()


def objects_as_text(values: Array) -> bytes:
    """Return items of any kind as text that is the same in every process and leaves nothing out."""
    listed = values.tolist()
    some_sets = any(issubclass(kind, AbstractSet) for kind in set(map(type, listed)))
    with np.printoptions(threshold=sys.maxsize, floatmode="unique"):
        return "\n".join(map(_item_as_text if some_sets else repr, listed)).encode()


def _item_as_text(value: Any) -> str:
    """Return an item as text; the elements of a set in an order of their own."""
    return f"{{{', '.join(sorted(map(repr, value)))}}}" if isinstance(value, AbstractSet) else repr(value)


def has_whole_rows(evaluation: Evaluation) -> bool:
    """Tell whether the items are hard labels, whole numbers of any type, and strata, and nothing else."""
    return (
        evaluation.plain
        and not evaluation.trials
        and all(
            isinstance(column, Coded) or column.dtype.kind != "f" or _are_whole_numbers(column)
            for column in evaluation.compact.values()
        )
    )


def hash_of_cells(evaluation: Evaluation) -> str:
    """Return a hash of the joint rows and how often each occurs, whatever the order of the items.

    Rows must be counted, or hold labels and whole numbers only: see `has_whole_rows`. It adds up a hash of
    each row, modulo 2^64: of the distinct rows, times their counts, where these are few, and else of all.
    """
    digest = hashlib.blake2b(digest_size=8)
    strata = [] if evaluation.strata is None else [("strata", group_codes(evaluation.strata))]
    labels = [(name, _codes_of_column(evaluation, name)) for name in sorted(evaluation.compact)]
    named = [(name, (_in_plain_type(distinct), code)) for name, (distinct, code) in labels + strata]
    for name, (distinct, _) in named:
        digest.update(f"cells {name}|{distinct.dtype.str}|{distinct.size}|".encode())
        digest.update(distinct.tobytes())
    tables = _random_words(tuple(distinct.size for _, (distinct, _) in named))
    columns = [(code, evaluation.missing.get(name)) for name, (_, code) in named]
    counts = evaluation.counts
    if evaluation.cells is not None:
        distinct_rows, counts = evaluation.cells
        columns = [
            (code[distinct_rows], None if absent is None else absent[distinct_rows])
            for code, absent in columns
        ]
    total = 0
    for part in chunks(columns[0][0].size):
        row = np.zeros(columns[0][0][part].size, dtype=np.uint64)
        for (code, absent), table in zip(columns, tables, strict=True):
            own = code[part].astype(np.intp)
            if absent is not None:
                own[absent[part]] = table.size - 1
            row += table.take(own)
        row = mix(row)
        if counts is not None:
            row *= counts[part].astype(np.uint64)
        total += int(row.sum(dtype=np.uint64))
    digest.update(f"rows|{evaluation.n_items}|{total % (1 << 64)}|".encode())
    return digest.hexdigest()


def hash_of_columns(columns: Mapping[str, Array]) -> str:
    """Return a hash of columns of the items and their names, in whatever order the columns come.

    >>> hash_of_columns({"a": np.array([1, 2])}) == hash_of_columns(
    ...     {"b": np.array([1, 2])}
    ... )
    False
    """
    digest = hashlib.blake2b(digest_size=8)
    for name in sorted(columns):
        distinct, code = group_codes(np.asarray(columns[name]))
        digest.update(f"{name}|{distinct.tolist()!r}|{code.dtype.str}|".encode())
        digest.update(np.ascontiguousarray(code).view(np.uint8).data)
    return digest.hexdigest()


def _codes_of_column(evaluation: Evaluation, name: str) -> tuple[Array, Array]:
    """Return the distinct values and the codes of a column; those of whole numbers are integers."""
    values = evaluation.compact[name]
    if isinstance(values, np.ndarray) and values.dtype.kind == "f" and _are_whole_numbers(values):
        return codes(values.astype(np.int64))
    return evaluation.codes_of(name)


def _in_plain_type(distinct: Array) -> Array:
    """Return values in the type that all of them have here, however wide the type is that they came in.

    >>> [
    ...     _in_plain_type(np.array(one)).dtype
    ...     for one in (np.int8([1, 2]), np.array(["yes"], dtype="U20"))
    ... ]
    [dtype('int64'), dtype('<U3')]
    """
    if distinct.dtype.kind == "U":
        return np.array(distinct.tolist(), dtype=np.str_)
    if distinct.dtype.kind not in "iu" or distinct.dtype == np.int64:
        return distinct
    return distinct.astype(integer_type(distinct.tolist()))


def _are_whole_numbers(values: Array) -> bool:
    """Tell whether these are whole numbers, one per item, that happen to be floats: 1.0 for 1."""
    return (
        values.ndim == 1 and bool((values[:1] == np.rint(values[:1])).all()) and are_whole(complete(values))
    )


def _random_words(sizes: tuple[int, ...]) -> list[Words]:
    """Return a random word per value of each column, and one more at the end, for a missing value."""
    words = np.concatenate([np.arange(size + 1, dtype=np.uint64) for size in sizes])
    ends = np.cumsum(np.array(sizes) + 1)
    words[ends - 1] = np.uint64(1 << 63)
    places = np.repeat(np.arange(1, len(sizes) + 1, dtype=np.uint64), np.array(sizes) + 1)
    return np.split(mix(mix(words + GOLDEN) + places * GOLDEN), ends[:-1])


@dataclass(frozen=True, eq=False)
class Batch:
    """Some of the items; `keys` are their keys, see `bestby.engine.poisson`."""

    keys: Words
    gold: FloatArray | None
    systems: Sequence[FloatArray]


@dataclass(frozen=True, eq=False, repr=False)
class Streamed(Evaluation):
    """An evaluation whose items are never all in memory; `batches` begins a new pass in the same order."""

    batches: Callable[[], Iterator[Batch]] = lambda: iter(())
    n: int = 0
    digest: str = ""

    @property
    def n_items(self) -> int:
        """The number of items."""
        return self.n

    def data_hash(self) -> str:
        """Return a hash of ids and values, whatever their order and division."""
        return self.digest

    def cells_hash(self) -> str:
        """Return `data_hash`, which knows no order."""
        return self.digest

    def with_systems(self, names: Sequence[str]) -> Streamed:
        """Return some of the systems, in the order asked for, whose columns are taken out of every batch."""
        chosen = super().with_systems(names)
        assert isinstance(chosen, Streamed)
        places = [self.names.index(name) for name in names]

        def picked() -> Iterator[Batch]:
            for batch in self.batches():
                yield replace(batch, systems=[batch.systems[place] for place in places])

        return replace(chosen, batches=picked)

    def unblocked(self, blocks: int | None) -> Streamed:
        """Return the evaluation itself; refuse blocks of consecutive items."""
        if blocks is not None:
            self.uncounted("a bootstrap of blocks")
        return self

    def uncounted(self, what: str) -> Evaluation:
        """Refuse what needs all items at once."""
        raise DesignError(
            f"{what} needs all items at once, but the table is read in batches",
            hint="read it whole: stream=False",
        )
