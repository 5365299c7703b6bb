"""Items cut into slices, by columns, bins of numbers or both crossed; the systems in each slice."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bestby._core import checks
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.text import counted, natural_order, quoted, suggestion
from bestby._core.typing import Array, BoolArray, Dependence, FloatArray, IntArray
from bestby.comparisons.provenance import hash_of
from bestby.data.alignment import quantile_bins
from bestby.data.columns import codes, identifiers
from bestby.data.evaluation import Evaluation, hash_of_columns
from bestby.data.roles import listed
from bestby.engine import prepare
from bestby.engine.base import Drawing, Group, Pair
from bestby.engine.estimate import Estimates
from bestby.engine.items import MOST_LEFT_OUT, ItemGroup
from bestby.engine.ranked import RankSample, WeightGroup
from bestby.engine.sums import SumSample
from bestby.inference.multiplicity import FEW_UNITS, Joint
from bestby.metrics.base import BaseMetric
from bestby.results.base import Note

MOST_QUANTILES = 1000
"""Bins that a column of numbers is cut into at most."""

_LABELS = 'labels of the items are given with a name: by={"name": labels}'

_BINNED = re.compile(r"(.+):(\d+)")
_JOIN = " × "


@dataclass(frozen=True)
class Column:
    """A column by which items are sliced; `bins` for the quantiles of its numbers."""

    name: str
    bins: int | None = None

    @property
    def written(self) -> str:
        """The name as the user writes it."""
        return self.name if self.bins is None else f"{self.name}:{self.bins}"


@dataclass(frozen=True, eq=False)
class Slicing:
    """The slices of one column, or of several that are crossed.

    `codes`, of shape (n,), is the place in `names` of the slice of each item, -1 for items of no slice.
    `order` has these places as readers want them, with numbers in names by their size. What is drawn follows
    `names`: the order for readers must not change a result.
    """

    column: str
    names: tuple[str, ...]
    codes: IntArray
    order: IntArray

    @property
    def ordered(self) -> tuple[str, ...]:
        """The names in the order for readers."""
        return tuple(self.names[place] for place in self.order)

    def rows(self, place: int) -> BoolArray:
        """Return which items are in a slice."""
        inside: BoolArray = self.codes == place
        return inside


def columns_of(by: Any) -> list[Column]:
    """Return the columns that `by` names; ``"length:4"`` is the quarters of the numbers in a column.

    >>> columns_of(["language", "length:4"])
    [Column(name='language', bins=None), Column(name='length', bins=4)]
    """
    names = list(by) if isinstance(by, Mapping) else list(checks.valid_name_list(by, "by", _LABELS))
    checks.valid_names(names, "column")
    if not names:
        raise InvalidInputError("by is empty", hint="name a column of the items", argument="by")
    columns = []
    for name in names:
        binned = _BINNED.fullmatch(checks.check_text(name, "by"))
        column = Column(name) if binned is None else Column(binned[1], int(binned[2]))
        if column.bins is not None and not 2 <= column.bins <= MOST_QUANTILES:
            raise InvalidInputError(
                f"a column is cut into 2 to {MOST_QUANTILES} bins, got {quoted(name)}",
                hint=f"quarters are {column.name}:4",
                argument="by",
            )
        columns.append(column)
    twice = next((c for c in columns if sum(one.name == c.name for one in columns) > 1), None)
    if twice is not None:
        raise InvalidInputError(
            f"column {quoted(twice.name)} is named more than once",
            hint="name it once" if isinstance(by, Mapping) else f"name it once; {_LABELS}",
            argument="by",
        )
    return columns


def without_bins(by: Any) -> Any:
    """Return the columns to slice by under the names that the data have, without bins."""
    columns = columns_of(by)
    if isinstance(by, Mapping):
        return dict(zip((c.name for c in columns), by.values(), strict=True))
    return [c.name for c in columns]


def with_columns(evaluation: Evaluation, data: Any, by: Any) -> Evaluation:
    """Return an evaluation that the user had, with the columns given beside it."""
    if not (isinstance(data, Evaluation) and isinstance(by, Mapping)):
        return evaluation
    columns = {name: identifiers(values, f"column {name}", evaluation.n_rows) for name, values in by.items()}
    return dataclasses.replace(evaluation, groupings={**evaluation.groupings, **columns})


def settings_of(columns: Sequence[Column], min_items: int, *, crossed: bool) -> dict[str, Any]:
    """Return how items are sliced, for the provenance; nothing without columns.

    >>> settings_of([Column("length", 4)], 1, crossed=False)
    {'by': ['length:4'], 'crossed': False, 'min_items': 1}
    """
    if not columns:
        return {}
    return {"by": [one.written for one in columns], "crossed": crossed, "min_items": min_items}


def hash_with_slices(data_hash: str, evaluation: Evaluation, columns: Sequence[Column]) -> str:
    """Return the hash of data and of the columns that slice them."""
    slices = hash_of_columns({one.name: evaluation.groupings[one.name] for one in columns})
    return hash_of({"items": data_hash, "slices": slices})


def slicings(
    evaluation: Evaluation, columns: Sequence[Column], min_items: int, *, crossed: bool
) -> tuple[list[Slicing], list[Note]]:
    """Return the slices of each column, or of all columns crossed, with notes on items that are in none."""
    uncut = [_sliced(evaluation, column) for column in columns]
    if crossed:
        uncut = [_crossed(uncut)]
    notes: list[Note] = []
    checked = []
    for slicing in uncut:
        large_enough, note = _large_enough(slicing, evaluation, min_items)
        checked.append(large_enough)
        notes += [] if note is None else [note]
    return checked, notes


def _sliced(evaluation: Evaluation, column: Column) -> Slicing:
    values = evaluation.groupings.get(column.name)
    if values is None:
        columns = list(evaluation.groupings)
        raise InvalidInputError(
            f"there is no column {quoted(column.name)} to slice by{suggestion(column.name, columns)}",
            hint=f"columns of these data: {listed(columns)}"
            if columns
            else "name it when the data are read: bestby.read(path, by=[...]), or pass by={name: values}",
            argument="by",
        )
    if column.bins is not None:
        return _binned(column, column.bins, _numbers(values, column.name))
    distinct, code = codes(np.asarray(values))
    if distinct.size == values.size:
        numeric = _are_numbers(distinct)
        raise InvalidInputError(
            f"column {quoted(column.name)} has a different value for each of the {values.size} items, so each"
            " would be a slice of its own",
            hint=f"cut its numbers into bins: {column.name}:4"
            if numeric
            else "name a column that puts items together, such as their language",
            argument="by",
        )
    if distinct.size < 2:
        raise InvalidInputError(
            f"column {quoted(column.name)} has the same value, {quoted(str(distinct[0]))}, for all items",
            hint="name a column with at least two values",
            argument="by",
        )
    order = np.argsort(distinct.astype(np.float64)) if _are_numbers(distinct) else np.argsort(distinct)
    rank = np.argsort(order)
    names = tuple(str(distinct[place]) for place in order)
    return Slicing(column.written, names, rank[code.astype(np.int64)], np.array(natural_order(names)))


def _are_numbers(values: Array) -> bool:
    try:
        return bool(np.isfinite(values.astype(np.float64)).all())
    except ValueError:
        return False


def _numbers(values: Array, name: str) -> FloatArray:
    if not _are_numbers(values):
        bad = next(str(value) for value in values.tolist() if not _are_numbers(np.array([value])))
        raise InvalidInputError(
            f"column {quoted(name)} cannot be cut into bins: {quoted(bad)} is no number",
            hint=f"leave the number of bins out to slice by its values: {name}",
            argument="by",
        )
    return np.asarray(values, dtype=np.float64)


def _binned(column: Column, bins: int, numbers: FloatArray) -> Slicing:
    """Cut numbers at their quantiles; equal numbers are in one bin, so there may be fewer bins."""
    names, code = quantile_bins(numbers, bins)
    if len(names) < 2:
        raise InvalidInputError(
            f"column {quoted(column.name)} has too many equal numbers to be cut into {bins} bins",
            hint=f"slice by its values: {column.name}",
            argument="by",
        )
    return Slicing(column.written, names, code, np.arange(len(names)))


def _crossed(slicings: Sequence[Slicing]) -> Slicing:
    if len(slicings) < 2:
        raise InvalidInputError(
            "crossed=True needs at least two columns",
            hint="name two, or leave crossed out",
            argument="crossed",
        )
    first, *rest = slicings
    for other in rest:
        joint = first.codes * len(other.names) + other.codes
        used, code = np.unique(joint, return_inverse=True)
        one, two = np.divmod(used, len(other.names))
        names = tuple(
            f"{first.names[i]}{_JOIN}{other.names[j]}"
            for i, j in zip(one.tolist(), two.tolist(), strict=True)
        )
        order = np.lexsort((np.argsort(other.order)[two], np.argsort(first.order)[one]))
        first = Slicing(f"{first.column}{_JOIN}{other.column}", names, code.reshape(-1), order)
    return first


def _large_enough(slicing: Slicing, evaluation: Evaluation, least: int) -> tuple[Slicing, Note | None]:
    """Return the slices of at least so many units; a slice of one unit has to be left out by the user."""
    unit, sizes = _sizes(slicing, evaluation)
    single, small = np.flatnonzero(sizes < 2), np.flatnonzero(sizes < least)
    if single.size and least < 2:
        names = listed([slicing.names[place] for place in single], 3)
        raise InvalidInputError(
            f"{single.size} of the {len(slicing.names)} slices of column {quoted(slicing.column)}"
            f" {'has' if single.size == 1 else 'have'} one {unit} only: {names}",
            hint="leave such slices out with min_items=2, or put values together before you compare",
            argument="min_items",
        )
    large = np.flatnonzero(sizes >= least)
    if large.size < 2:
        raise InvalidInputError(
            f"column {quoted(slicing.column)} has {counted(large.size, 'slice')} of at least {least} {unit}s,"
            " and two are needed",
            hint="pass a smaller min_items=..., or name a column with larger slices",
            argument="min_items",
        )
    if not small.size:
        return slicing, None
    place = np.full(len(slicing.names), -1)
    place[large] = np.arange(large.size)
    order = slicing.order[place[slicing.order] >= 0]
    cut = Slicing(
        slicing.column, tuple(slicing.names[one] for one in large), place[slicing.codes], place[order]
    )
    left_out = [slicing.names[one] for one in slicing.order if place[one] < 0]
    note = Note(
        "slices_left_out",
        f"{counted(small.size, 'slice')} of column {quoted(slicing.column)} with fewer than {least} {unit}s"
        f" ({counted(int((cut.codes < 0).sum()), 'item')} in all) {'is' if small.size == 1 else 'are'}"
        f" left out: {listed(left_out, 5)}",
    )
    return cut, note


def _sizes(slicing: Slicing, evaluation: Evaluation) -> tuple[str, IntArray]:
    """Return what the units are called, and how many each slice has."""
    n_slices = len(slicing.names)
    if evaluation.clusters is None:
        return "item", np.bincount(slicing.codes, minlength=n_slices)
    cluster = codes(np.asarray(evaluation.clusters))[1].astype(np.int64)
    return "cluster", np.bincount(
        np.unique(cluster * n_slices + slicing.codes) % n_slices, minlength=n_slices
    )


SUPPORTED: tuple[Dependence, ...] = ("clusters", "strata")
"""The groups of items that slices allow for."""


@dataclass(frozen=True, eq=False)
class Part:
    """The systems on the items of one slice; `rows` are the positions of its items among all."""

    slicing: int
    column: str
    name: str
    rows: IntArray
    evaluation: Evaluation
    estimates: Estimates


def parts_of(
    evaluation: Evaluation, slicings: Sequence[Slicing], metric: BaseMetric, drawing: Drawing
) -> tuple[list[Part], list[Note]]:
    """Return the slices in which a metric has a value for every system, and notes on the others."""
    parts: list[Part] = []
    notes: list[Note] = []
    for number, slicing in enumerate(slicings):
        undefined: list[str] = []
        for place, name in enumerate(slicing.names):
            rows = slicing.rows(place)
            items = evaluation.with_rows(rows)
            estimates = _defined(items, metric, drawing)
            if estimates is None:
                undefined.append(name)
                continue
            places = np.flatnonzero(rows)
            parts.append(Part(number, slicing.column, name, places, items, estimates))
        n_parts = len(slicing.names) - len(undefined)
        if n_parts < 2:
            raise DesignError(
                f"metric {metric.name} has a value in {n_parts} of the {len(slicing.names)} slices of column"
                f" {quoted(slicing.column)}, and two are needed",
                hint="in the others a class or all variation is missing: choose another metric or column",
            )
        if undefined:
            message = (
                f"{metric.name} has no value in {listed(undefined, 5)}, which are left out: a class or all"
                " variation is missing there"
            )
            notes.append(Note("slice_undefined", message, (metric.name,)))
    return parts, notes


def _defined(evaluation: Evaluation, metric: BaseMetric, drawing: Drawing) -> Estimates | None:
    """Return the estimates in a slice; None if the metric has no value there."""
    try:
        estimates = estimates_of(evaluation, metric, drawing)
    except InvalidInputError:  # the same on all items was in order: in this slice something is missing
        return None
    return estimates if np.isfinite(estimates.scores).all() else None


def estimates_of(evaluation: Evaluation, metric: BaseMetric, drawing: Drawing) -> Estimates:
    """Return the estimates of one metric on these items."""
    (group,) = prepare.groups(evaluation, [metric], supports=SUPPORTED, consumer="compare_slices")
    return Estimates(group, drawing)


@dataclass(frozen=True, eq=False)
class Sharing:
    """Which units the slices have in common: items if slices are of several columns, clusters that span them.

    `cluster`, of shape (n,), is the cluster of each item, or the item. `spanned` says of each column whether
    a cluster has items in more than one of its slices.
    """

    cluster: IntArray
    n_units: int
    spanned: tuple[bool, ...]

    @classmethod
    def of(cls, evaluation: Evaluation, slicings: Sequence[Slicing]) -> Sharing:
        """Return what the slices of these columns share."""
        if evaluation.clusters is None:
            n = evaluation.n_items
            return cls(np.arange(n), n, (False,) * len(slicings))
        cluster = codes(np.asarray(evaluation.clusters))[1].astype(np.int64)
        spanned = []
        for slicing in slicings:
            within = slicing.codes >= 0
            both = np.unique(cluster[within] * len(slicing.names) + slicing.codes[within])
            spanned.append(both.size > np.unique(cluster[within]).size)
        return cls(cluster, int(cluster.max()) + 1, tuple(spanned))


def correlation(parts: Sequence[Part], pairs: Sequence[Pair], sharing: Sharing) -> FloatArray | None:
    """Return how the differences vary together, shape (m, m), in the order of the pairs, slices within pairs.

    Each unit adds something to the difference in every slice where it has items; sums of products of these
    over the units are the covariances. None if nothing tells what the units add.
    """
    from scipy.sparse import csc_matrix

    size = len(parts) * len(pairs)
    if len(pairs) == 1 and not any(sharing.spanned) and len({part.slicing for part in parts}) == 1:
        return np.eye(size)
    rows, columns, values = [], [], []
    for p, pair in enumerate(pairs):
        for s, part in enumerate(parts):
            influence = added_by_items(part.estimates.group, pair)
            if influence is None or not np.isfinite(influence).all():
                return None
            rows.append(sharing.cluster[part.rows])
            columns.append(np.full(part.rows.size, p * len(parts) + s))
            values.append(influence)
    place = np.concatenate(rows), np.concatenate(columns)
    added = csc_matrix((np.concatenate(values), place), shape=(sharing.n_units, size))
    covariance = np.asarray((added.T @ added).toarray(), dtype=np.float64)
    root = np.sqrt(covariance.diagonal())
    varying = root > 0.0
    scale = np.where(varying, 1.0 / np.where(varying, root, 1.0), 0.0)
    together: FloatArray = covariance * np.outer(scale, scale)
    np.fill_diagonal(together, 1.0)
    return together


def joint_of(parts: Sequence[Part], m: int, together: FloatArray | None, seed: int) -> Joint:
    """Return the joint distribution of the m differences in all slices.

    Correlations of slices that share units are estimated: if a slice has few units Bonferroni's bound is used
    instead, as it is if they are not known.
    """
    few = min(part.estimates.group.n_units for part in parts) < FEW_UNITS
    estimated = together is not None and bool((together - np.eye(m)).any())
    return Joint.from_correlations(None if few and estimated else together, m, seed)


def without_slices(evaluation: Evaluation) -> Evaluation:
    """Return the evaluation without the columns of slices, which are no clusters that somebody forgot."""
    return dataclasses.replace(evaluation, groupings={})


def added_by_units(group: Group, pair: Pair) -> FloatArray | None:
    """Return what each unit adds to a difference, shape (U,), in any order; None if nothing tells it."""
    sample = group.sample(*pair)
    if isinstance(sample, SumSample):
        return np.repeat(sample.influence, sample.units.counts)
    if isinstance(sample, RankSample) and sample.influence is not None:
        return np.repeat(sample.influence[0], group.units.counts)
    return _left_out(group, pair)


def added_by_items(group: Group, pair: Pair) -> FloatArray | None:
    """Return numbers of the items, shape (n,), of which those of a unit sum to what it adds to a difference.

    None if nothing tells it.
    """
    sample = group.sample(*pair)
    if isinstance(sample, SumSample):
        return sample.item_influence
    if isinstance(group, WeightGroup):
        a, b = (group.derivatives(s) for s in pair)
        if a is not None and b is not None:
            return np.asarray(a.first - b.first, dtype=np.float64)
    added = _left_out(group, pair) if isinstance(group, ItemGroup) else None
    if added is None or not isinstance(group, ItemGroup) or group.unit_of is None:
        return added
    values = np.zeros(group.unit_of.size)  # the first item of a unit stands for all of it
    values[np.unique(group.unit_of, return_index=True)[1]] = added
    return values


def _left_out(group: Group, pair: Pair) -> FloatArray | None:
    """Return what each unit adds by leaving it out; None of too many, or of a score undefined without one."""
    n = group.n_units
    if n > MOST_LEFT_OUT:
        return None
    sample = group.sample(*pair)
    moved = sample.estimate - sample.left_out().values
    return moved * ((n - 1.0) / n) if np.isfinite(moved).all() else None
