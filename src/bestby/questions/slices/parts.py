"""Systems on the items of each slice, and how the differences in the slices vary together."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import Dependence, FloatArray, IntArray
from bestby.data.coding import codes
from bestby.data.evaluation import Evaluation
from bestby.data.roles import listed
from bestby.engine import prepare
from bestby.engine.base import Drawing, Pair
from bestby.engine.estimate import Estimates
from bestby.inference.joint import FEW_UNITS, Joint
from bestby.metrics.base import BaseMetric
from bestby.questions.slices import unit_values
from bestby.questions.slices.slicing import Slicing
from bestby.results.base import Note

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
    makers: Estimates


def parts_of(
    evaluation: Evaluation, slicings: Sequence[Slicing], metric: BaseMetric, drawing: Drawing
) -> tuple[list[Part], list[Note]]:
    """Return the slices in which a metric has a value for every system, and notes on the others."""
    parts: list[Part] = []
    notes: list[Note] = []
    for number, slicing in enumerate(slicings):
        undefined: list[str] = []
        kept = 0
        for place, name in enumerate(slicing.names):
            rows = slicing.rows(place)
            own = evaluation.with_rows(rows)
            makers = _defined(own, metric, drawing)
            if makers is not None:
                parts.append(Part(number, slicing.column, name, np.flatnonzero(rows), own, makers))
                kept += 1
            else:
                undefined.append(name)
        if kept < 2:
            raise DesignError(
                f"metric {metric.name} has a value in {kept} of the {len(slicing.names)} slices of column"
                f" {quoted(slicing.column)}, and two are needed",
                hint="in the others a class or all variation is missing: choose another metric or column",
            )
        if undefined:
            where = f"{metric.name} has no value in {listed(undefined, 5)}, which are left out"
            told = f"{where}: a class or all variation is missing there"
            notes.append(Note("slice_undefined", told, (metric.name,)))
    return parts, notes


def _defined(evaluation: Evaluation, metric: BaseMetric, drawing: Drawing) -> Estimates | None:
    """Return what makes the intervals in a slice; None if the metric has no value there."""
    try:
        makers = makers_of(evaluation, metric, drawing)
    except InvalidInputError:  # the same on all items was in order: in this slice something is missing
        return None
    return makers if np.isfinite(makers.scores).all() else None


def makers_of(evaluation: Evaluation, metric: BaseMetric, drawing: Drawing) -> Estimates:
    """Return what makes the intervals of one metric on these items."""
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
            found = unit_values.added_by_items(part.makers.group, pair)
            if found is None or not np.isfinite(found).all():
                return None
            rows.append(sharing.cluster[part.rows])
            columns.append(np.full(part.rows.size, p * len(parts) + s))
            values.append(found)
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
    few = min(part.makers.group.n_units for part in parts) < FEW_UNITS
    estimated = together is not None and bool((together - np.eye(m)).any())
    return Joint.from_correlations(None if few and estimated else together, m, seed)


def without_slices(evaluation: Evaluation) -> Evaluation:
    """Return the evaluation without the columns of slices, which are no clusters that somebody forgot."""
    return dataclasses.replace(evaluation, groupings={})
