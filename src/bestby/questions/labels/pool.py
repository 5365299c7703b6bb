"""What items are drawn from: ids, clusters as units, and strata of units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bestby._core import checks
from bestby._core.cached import cached_property
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import Array, FloatArray, IntArray
from bestby.advising.reading import Arguments, evaluation_of
from bestby.data.coding import group_codes
from bestby.data.evaluation import Evaluation, hash_of_columns
from bestby.data.frames import is_table
from bestby.data.groupings import check_nested, check_unique_ids, one_grouping, quantile_bins, value_bins
from bestby.questions.labels.stratified import LEAST
from bestby.results.base import Note

MOST_SCORE_BINS = 100
"""Strata that the scores of a judge are cut into at most."""


@dataclass(frozen=True)
class Strata:
    """The stratum of each unit; `values` are the numbers that were cut, `by` is None without strata."""

    by: str | None
    names: tuple[str, ...]
    codes: IntArray
    values: FloatArray | None = None

    @property
    def sizes(self) -> IntArray:
        """The number of units in each stratum."""
        return np.bincount(self.codes, minlength=len(self.names))


@dataclass(frozen=True)
class Pool:
    """Items that some are drawn from; `scores` are those of the judge, shape (S, n), or None."""

    ids: Array
    clusters: Array | None
    strata: Array | None
    scores: FloatArray | None
    data_hash: str
    notes: tuple[Note, ...] = ()
    frame_backend: str | None = None
    has_ids: bool = True

    @property
    def n_items(self) -> int:
        """The number of items."""
        return int(self.ids.size)

    @property
    def unit(self) -> str:
        """What is drawn as a whole."""
        return "items" if self.clusters is None else "clusters"

    @cached_property
    def unit_of_row(self) -> IntArray:
        """The unit of each item, numbered as they first occur."""
        if self.clusters is None:
            return np.arange(self.ids.size)
        _, first, code = np.unique(self.clusters, return_index=True, return_inverse=True)
        return np.argsort(np.argsort(first))[code.reshape(-1)]

    @property
    def n_units(self) -> int:
        """The number of items, or of clusters."""
        return int(self.unit_of_row.max()) + 1

    def by_id(self) -> IntArray:
        """Return the units in the order of their names, which does not depend on the order of the rows."""
        first = np.unique(self.unit_of_row, return_index=True)[1]
        if self.clusters is None and not self.has_ids:
            return first
        names = (self.ids if self.clusters is None else self.clusters)[first].astype(str)
        return np.argsort(names, kind="stable")

    def rows_of(self, units: IntArray) -> IntArray:
        """Return the items of some units, unit by unit."""
        if self.clusters is None:
            return units
        grouped = np.argsort(self.unit_of_row, kind="stable")
        sizes = np.bincount(self.unit_of_row)
        ends = np.cumsum(sizes)
        return np.concatenate([grouped[ends[unit] - sizes[unit] : ends[unit]] for unit in units.tolist()])

    def stratified(self, by: str | None, n_bins: int) -> Strata:
        """Return the strata of the units: those given, or made of the judge's scores."""
        if by is None:
            if self.strata is None:
                return Strata(None, ("all",), np.zeros(self.n_units, dtype=np.int64))
            distinct, code = group_codes(self.strata)
            of_unit = np.zeros(self.n_units, dtype=np.int64)
            of_unit[self.unit_of_row] = code
            return Strata("strata", tuple(str(one) for one in distinct.tolist()), of_unit)
        if self.strata is not None:
            raise InvalidInputError(
                "strata are given and are to be made, too",
                hint="leave out strata or stratify_by",
                argument="stratify_by",
            )
        if not 2 <= n_bins <= MOST_SCORE_BINS:
            raise InvalidInputError(
                f"scores are cut into 2 to {MOST_SCORE_BINS} bins, got {n_bins}",
                hint="quarters are the default: n_bins=4",
                argument="n_bins",
            )
        values = self._values(by)
        names, code = quantile_bins(values, n_bins)
        if np.unique(values).size <= n_bins or len(names) < 2:  # as of verdicts, most of which are alike
            names, code = value_bins(values, LEAST)
        if not 2 <= len(names) <= MOST_SCORE_BINS:
            raise DesignError(
                f"the judge's {by} is {names[0]} for too many {self.unit} to make strata of it",
                hint="draw without stratify_by, or raise n_bins",
            )
        return Strata(by, names, code, values)

    def _values(self, by: str) -> FloatArray:
        """Return the number of each unit that the strata are cut by."""
        if self.scores is None:
            raise InvalidInputError(
                f"to stratify by {by} takes the judge's scores, and there are none",
                hint='pass the scores: {"a": scores, "b": scores}, with items=ids',
                argument="stratify_by",
            )
        if by == "disagreement" and len(self.scores) < 2:
            raise InvalidInputError(
                "disagreement is between systems, and the scores are those of one",
                hint='pass two systems or more, or stratify_by="score"',
                argument="stratify_by",
            )
        per_item = self.scores.mean(axis=0) if by == "score" else self.scores.std(axis=0)
        per_item = np.round(per_item, 12)  # means of equal scores in another order are in one bin
        sums = np.bincount(self.unit_of_row, weights=per_item)
        return np.asarray(sums / np.bincount(self.unit_of_row), dtype=np.float64)


def pool_of(data: Any, *, clusters: Any, strata: Any, items: Any, **given: Any) -> Pool:
    """Return the items of any data that `choose_items` takes."""
    if not isinstance(data, Evaluation | Mapping | str) and not is_table(data):
        unused = {name: value for name, value in given.items() if value is not None}
        if items is not None or unused:
            name = next(iter({**({"items": items} if items is not None else {}), **unused}))
            raise InvalidInputError(
                f"{name} is for scores, and the data are ids of items", hint=f"leave out {name}"
            )
        return _pool_of_ids(data, clusters, strata)
    one = one_grouping(clusters, "a draw of items")
    evaluation = evaluation_of(data, Arguments(items=items, clusters=one, strata=strata, **given), None)
    return pool_of_evaluation(evaluation)


def pool_of_evaluation(evaluation: Evaluation) -> Pool:
    """Return the items of an evaluation, with the scores if all values are numbers."""
    plain = evaluation.uncounted("a draw of items")
    plain.require_support("a draw of items", ["clusters", "strata"])
    numeric = plain.gold is None and all(
        values.dtype.kind in "biuf" and values.ndim == 1 for values in plain.systems.values()
    )
    ids = np.arange(plain.n_rows) if plain.items is None else np.asarray(plain.items)
    return Pool(
        ids,
        None if plain.clusters is None else np.asarray(plain.clusters),
        None if plain.strata is None else np.asarray(plain.strata),
        np.array([values.astype(np.float64) for values in plain.systems.values()]) if numeric else None,
        plain.data_hash(),
        plain.notes,
        plain.frame_backend,
        plain.items is not None,
    )


def _pool_of_ids(data: Any, clusters: Any, strata: Any) -> Pool:
    """Return the pool of a sequence of ids."""
    ids = checks.column(data, "the ids of the items")
    if ids.dtype.kind == "f" or ids.size == 0:
        raise InvalidInputError(
            f"ids of items are texts or whole numbers, got {quoted(ids[0].item()) if ids.size else 'none'}",
            hint='choose_items(["q1", "q2", ...], 1), or pass scores: {"a": scores, "b": scores}',
            argument="data",
        )
    check_unique_ids(ids, "the ids of the items")
    clusters = one_grouping(clusters, "a draw of items")
    groups = {
        what: None if values is None else checks.column(values, what, ids.size)
        for what, values in (("clusters", clusters), ("strata", strata))
    }
    check_nested(groups["clusters"], groups["strata"])
    columns = {"ids": ids, **{what: values for what, values in groups.items() if values is not None}}
    return Pool(ids, groups["clusters"], groups["strata"], None, hash_of_columns(columns))
