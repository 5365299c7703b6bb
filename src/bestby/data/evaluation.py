"""The data of one comparison: items, gold, systems, clusters, strata."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bestby._core import arrays, checks
from bestby._core.cached import cached_property
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.text import counted, visible
from bestby._core.typing import Array, ArrayLike, BoolArray, Dependence, IntArray, OnMissing
from bestby.data import hashing
from bestby.data.alignment import aligned
from bestby.data.annotations import Annotations
from bestby.data.building import SLICES, checked_parts
from bestby.data.cells import collapsed
from bestby.data.checked_values import assumed_classes_note, is_plain, keyed_or_sequence, system_or_gold
from bestby.data.coding import Coded, Columns, codes, group_codes
from bestby.data.groupings import UNSUPPORTED, check_countable, checked_names, two_groupings
from bestby.data.roles import listed, unknown_system
from bestby.results.base import Note
from bestby.results.values import extent
from bestby.vocabulary import allowed_names


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
        For systems with missing predictions that are to count as the worst: which.
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
        on_missing : {"error", "drop", "worst"}
            What to do with items that some system (or the gold) does not have: those whose id is not there,
            or whose value is None, NaN, NA or masked. "drop" keeps the items all of them have; "worst" counts
            a missing prediction as wrong, a missing score as the worst observed one.
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
        >>> evaluation = Evaluation.of({"a": {"q1": "x", "q2": "y"}, "b": {"q2": "y", "q1": "y"}},
        ...                            gold={"q1": "x", "q2": "y"})
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
    def cells(self) -> tuple[IntArray, IntArray]:
        """One row per distinct joint row of the hard gold, the hard systems and the strata, and its items."""
        columns, sizes = [], []
        for name, (distinct, code) in self.joint_codes():
            columns.append(code)
            sizes.append(distinct.size)
            absent = self.missing.get(name)
            if absent is not None:  # a missing prediction takes a code of its own
                columns[-1] = np.where(absent, distinct.size, code.astype(np.int64))
                sizes[-1] += 1
        strata = None if self.strata is None else group_codes(self.strata)[1].astype(np.int64)
        return collapsed(columns, sizes, strata, self.counts)

    @property
    def counted(self) -> bool:
        """Whether the distinct joint rows were counted already."""
        return "cells" in vars(self)

    def joint_codes(self) -> list[tuple[str, tuple[Array, Array]]]:
        """Return the names of hard columns in order, each with its distinct values and codes."""
        return [(name, self.coded[name]) for name in sorted(self.coded)]

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
        """Return a hash of the distinct joint rows and their counts; see `hashing.hash_of_cells`.

        Of scores that are no whole numbers, of clusters and of soft labels it is `data_hash`.
        """
        whole = self.counts is not None or hashing.has_whole_rows(self)
        return hashing.hash_of_cells(self) if whole else hashing.hash_of_items(self)

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
            tasks=at(self.tasks),
            called=self.called,
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
        >>> Evaluation.of({"a": [1, 0, 1], "b": [0, 0, 1]}, clusters=["x", "x", "y"]).dependence
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
        >>> evaluation = Evaluation.of({"a": [1, 0, 1], "b": [0, 0, 1]}, strata=["x", "x", "y"])
        >>> evaluation.require_support("this analysis", ["clusters", "strata"]) is evaluation
        True
        """
        for kind in self.dependence:
            if kind not in kinds:
                what, usual = UNSUPPORTED[kind]
                raise DesignError(f"{consumer} does not support {what}", hint=hint or usual)
        return self

    def data_hash(self) -> str:
        """Return the first 16 hexadecimal digits of a hash of all values, names and groups.

        Of counted rows it is `cells_hash`.
        """
        return self.cells_hash() if self.counts is not None else hashing.hash_of_items(self)
