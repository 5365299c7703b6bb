"""The items of a calibration set, from what the user has: verdicts of a judge and of humans, and groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import Array, BoolArray, FloatArray, IntArray
from bestby.data.frames import is_table, table_of
from bestby.data.layouts.judged import JudgedItems
from bestby.inference.clusters import StandardError, cr2
from bestby.questions.judged.calibration_layout import EVERY, calibration_of
from bestby.questions.judged.drawing import check_nested_codes
from bestby.questions.judged.rogan_gladen import ErrorRates
from bestby.questions.judged.source import numbers

_HINT = (
    "calibration={'a': (verdicts of the judge, of humans), ...} for other items, all 0 or 1; or one such"
    " pair, or a table"
)


@dataclass(frozen=True, eq=False)
class CalibrationSet:
    """Verdicts of M items by a judge and by humans, and the groups that the items lie in.

    Parameters
    ----------
    judge, human : ndarray, shape (M,)
        0 or 1.
    clusters : ndarray of int, shape (M,), or None
        Codes from 0; None if items are independent.
    strata : ndarray of int, shape (M,), or None
        The strata as the items of the comparison have them; None if all have the same error rates.
    """

    judge: FloatArray
    human: FloatArray
    clusters: IntArray | None = None
    strata: IntArray | None = None

    @property
    def size(self) -> int:
        """The number of items."""
        return int(self.judge.size)

    def in_stratum(self, stratum: int) -> BoolArray:
        """Return which items of the set tell the error rates of a stratum, shape (M,)."""
        if self.strata is None:
            return np.ones(self.size, dtype=np.bool_)
        found: BoolArray = self.strata == stratum
        return found

    def rates(self, stratum: int) -> ErrorRates:
        """Return the error rates in a stratum."""
        part = self.in_stratum(stratum)
        judge, ones = self.judge[part], self.human[part] == 1.0
        counts = ((judge[~ones] == 0.0).sum(), (~ones).sum(), judge[ones].sum(), ones.sum())
        return ErrorRates(*(int(count) for count in counts))

    def error(self, of_zeros: float, of_ones: float, stratum: int) -> tuple[StandardError, float]:
        """Return the error of a sum of both error rates, and by how much clusters raise its variance.

        `of_zeros` and `of_ones` are the coefficients of specificity and sensitivity. The variance is that of
        independent verdicts, one right and one wrong verdict added to each kind, times the design effect.
        """
        rates = self.rates(stratum)
        q0, q1 = rates.smoothed
        variance = of_zeros**2 * q0 * (1.0 - q0) / rates.zeros + of_ones**2 * q1 * (1.0 - q1) / rates.ones
        if self.clusters is None:
            return StandardError(float(np.sqrt(variance)), np.inf), 1.0
        part = self.in_stratum(stratum)
        judge, ones = self.judge[part], self.human[part] == 1.0
        right = np.where(ones, judge, 1.0 - judge)
        added = np.where(
            ones,
            of_ones * (right - rates.sensitivity) / rates.ones,
            of_zeros * (right - rates.specificity) / rates.zeros,
        )
        codes = np.unique(self.clusters[part], return_inverse=True)[1].reshape(-1)
        sums, sizes = np.bincount(codes, weights=added), np.bincount(codes)
        robust = cr2(sums.astype(np.float64), sizes.astype(np.float64))
        alone = float((added**2).sum())
        effect = robust.se**2 / alone if alone > 0.0 and robust.se > 0.0 else 1.0
        return StandardError(float(np.sqrt(variance * effect)), max(robust.df, 1.0)), effect


@dataclass(frozen=True)
class Groups:
    """What the user said of clusters and strata: names of columns, if they are texts; else None."""

    clusters: str | None
    strata: str | None


def sets_of(
    calibration: Any, names: tuple[str, ...], groups: Groups, strata: Array | None
) -> tuple[tuple[CalibrationSet, ...], bool]:
    """Return the calibration set of each system, and whether each has one of its own.

    `strata` are the distinct strata of the items of the comparison, in the order of their codes.
    """
    if is_table(calibration):
        calibration = calibration_of(table_of(calibration))
    if isinstance(calibration, JudgedItems):
        found = _sets_from_table(calibration, groups, strata)
    elif isinstance(calibration, Mapping):
        found = {name: _set_from_pair(pair) for name, pair in calibration.items()}
    else:
        found = {EVERY: _set_from_pair(calibration)}
    if EVERY in found:
        return (found[EVERY],) * len(names), False
    absent = [name for name in names if name not in found]
    if absent:
        raise InvalidInputError(
            f"calibration lacks system {quoted(absent[0])}", hint=_HINT, argument="calibration"
        )
    return tuple(found[name] for name in names), True


def _set_from_pair(pair: Any) -> CalibrationSet:
    """Return what a judge and humans say of the items of a calibration set."""
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise InvalidInputError(
            f"calibration must be pairs, got {quoted(pair)}", hint=_HINT, argument="calibration"
        )
    judge, human = (numbers(values, "the verdicts of the calibration set") for values in pair)
    return _checked(CalibrationSet(judge, human))


def _sets_from_table(table: JudgedItems, groups: Groups, strata: Array | None) -> dict[str, CalibrationSet]:
    """Return the sets of a table by system."""
    if len(table.judges) > 1:
        raise InvalidInputError(
            f"a calibration set has one judge, got {len(table.judges)}", hint="name its column: judge=...",
            argument="calibration",
        )  # fmt: skip
    clusters = _column(table, groups.clusters, table.clusters, "clusters")
    stratum = _column(table, groups.strata, table.strata, "strata")
    if stratum is not None and strata is None:
        raise DesignError(
            "the calibration set has strata, and the items of the comparison have none",
            hint="give strata=..., or leave the column of strata out of the calibration set",
        )
    places = {} if strata is None else {text: place for place, text in enumerate(map(str, strata.tolist()))}
    found = {}
    for s, name in enumerate(table.names):
        there = ~np.isnan(table.human[:, s])
        of_stratum = None
        if stratum is not None:
            texts = [str(one) for one in _groups_for_system(stratum, s)[there].tolist()]
            found_places = np.array([places.get(text, -1) for text in texts], dtype=np.int64)
            there, of_stratum = np.flatnonzero(there)[found_places >= 0], found_places[found_places >= 0]
        of_cluster = None if clusters is None else _codes(_groups_for_system(clusters, s)[there])
        if of_cluster is not None and of_stratum is not None and of_cluster.size:
            check_nested_codes(of_stratum, of_cluster)
        one = CalibrationSet(table.judge[there, s, 0], table.human[there, s], of_cluster, of_stratum)
        found[name] = _checked(one)
        _check_strata(one, strata)
    return found


def _column(table: JudgedItems, named: str | None, usual: str | None, what: str) -> Array | None:
    """Return the groups of the items, if the table has them."""
    name = named if named is not None and named in table.columns else usual
    if name is None:
        return None
    values = table.columns[name]
    if any(value is None for value in values.ravel().tolist()):
        raise InvalidInputError(
            f"column {quoted(name)} of the calibration set lacks values", hint="fill them in", argument=what
        )
    return values


def _codes(values: Array) -> IntArray:
    """Return groups as codes from 0, by their texts."""
    found: IntArray = np.unique([str(one) for one in values.tolist()], return_inverse=True)[1].reshape(-1)
    return found


def _groups_for_system(values: Array, system: int) -> Array:
    return values[:, system] if values.ndim > 1 else values


def _check_strata(one: CalibrationSet, strata: Array | None) -> None:
    """Refuse a stratum of which the calibration set does not tell the error rates."""
    if one.strata is None or strata is None:
        return
    for place, name in enumerate(strata.tolist()):
        human = one.human[one.in_stratum(place)]
        if not (human == 1.0).any() or not (human == 0.0).any():
            raise DesignError(
                f"the calibration set does not have both right and wrong items of stratum {quoted(name)}, so"
                " that the judge's error rates there are not known",
                hint="label more of its items, or leave out the strata of the calibration set",
            )


def _checked(one: CalibrationSet) -> CalibrationSet:
    verdicts = [*one.judge.ravel().tolist(), *one.human.ravel().tolist()]
    if one.judge.shape != one.human.shape or one.judge.ndim != 1 or not np.isin(verdicts, (0.0, 1.0)).all():
        raise InvalidInputError(
            "the calibration set needs a verdict, 0 or 1, of judge and human for every item", hint=_HINT,
            argument="calibration",
        )  # fmt: skip
    return one
