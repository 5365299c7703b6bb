"""What systems cost: prices, or numbers of each item such as seconds or tokens, and how sure these are.

Costs are compared by their ratios. A mean, a quantile or a cost per success has for each item what it adds to
the logarithm of the cost, to first order (the delta method; for a ratio of means Cochran 1977, Sampling
Techniques, section 6.4). Of these values, clusters, strata and standard errors are those of any mean.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from bestby._core import checks, special
from bestby._core.arrays import is_table
from bestby._core.cached import cached_property
from bestby._core.errors import InvalidInputError, within
from bestby._core.text import counted, quoted, words_of
from bestby._core.typing import Array, BoolArray, FloatArray, IntArray, OnMissing
from bestby.comparisons.provenance import hash_of, hash_of_rows
from bestby.comparisons.reading import Arguments, evaluation_of
from bestby.data.columns import Columns
from bestby.data.evaluation import Evaluation
from bestby.data.reading import AS_FOUND
from bestby.data.roles import Roles, listed, recognised
from bestby.data.table import column_names, table_of
from bestby.engine import prepare
from bestby.engine.base import Influences
from bestby.inference import clusters
from bestby.inference.clusters import StandardError
from bestby.inference.multiplicity import Spread
from bestby.metrics.regression import Mean
from bestby.results.base import Note
from bestby.results.values import Interval

METHOD = "log-t"
"""The name of the intervals of costs."""

MOST_EXPONENT = 700.0
"""Half the width of an interval of a logarithm, above which its ends are no numbers: it holds all costs."""

FEW_EFFECTIVE = 15
"""Units of equal weight from which the 95 % interval of a mean cost covers 93 % and more (`calibration`)."""

_FORM = 'cost="latency_ms" for a column, cost={"a": 3.0, "b": 0.5} for prices'

ReadColumn = Callable[[str], Evaluation]
"""Reads a column of the data as the numbers of each item."""


@dataclass(frozen=True, eq=False)
class Cost:
    """One kind of cost of all systems.

    `values`, shape (k,), are the means or quantiles, or the prices. `items`, shape (n, k), are the costs of
    each item; None of prices, and of costs that are `constant`: the same on all items of each system.
    `evaluation` has the items and their groups.
    """

    name: str
    values: FloatArray
    evaluation: Evaluation
    items: FloatArray | None = None
    quantile: float | None = None
    blocks: int | None = None
    constant: bool = False

    @cached_property
    def added(self) -> FloatArray | None:
        """What each item adds to the logarithm of the cost times n, shape (n, k); None of prices."""
        if self.items is None:
            return None
        if self.quantile is not None:
            return _added_to_quantiles(self.items, self.quantile)
        means = np.where(self.values > 0.0, self.values, 1.0)
        return self.items / means - (self.values > 0.0)

    @cached_property
    def units(self) -> Units | None:
        """What the units, items or clusters, add to the logarithms of the costs; None of prices."""
        return None if self.added is None else Units.of(self.added, self.evaluation, self.blocks)

    @property
    def known(self) -> BoolArray:
        """Of which two systems the costs are the same on each item, or on all items, shape (k, k)."""
        items = self.items if self.items is not None else self.values[None]
        fixed = (items == items[0]).all(axis=0)
        known: BoolArray = np.logical_and.outer(fixed, fixed)
        for a, b in np.argwhere(np.equal.outer(self.values, self.values)):
            known[a, b] |= np.array_equal(items[:, a], items[:, b])
        return known

    @property
    def coarse(self) -> bool:
        """Whether values repeat so much that a quantile moves in steps."""
        if self.items is None or self.quantile is None:
            return False
        return bool(((self.items == self.values).sum(axis=0) > math.sqrt(len(self.items))).any())

    @property
    def few_effective(self) -> dict[int, int]:
        """The systems whose mean cost few units make up, with how many these are."""
        if self.units is None or self.quantile is not None:
            return {}
        units = [self.units.effective(place) for place in range(self.values.size)]
        return {place: round(n) for place, n in enumerate(units) if 0.0 < n < FEW_EFFECTIVE}

    def interval(self, system: int, level: float) -> Interval | None:
        """Return the interval of the cost of a system; None of prices and where nothing varies."""
        if self.units is None:
            return None
        return log_interval(float(self.values[system]), self.units.error(system), level)

    def per_success(self, success: FloatArray) -> PerSuccess | None:
        """Return the mean cost over the share of successes, shape (n, k); None of quantiles."""
        if self.quantile is not None:
            return None
        share = success.mean(axis=0)
        there = np.where(share > 0.0, share, 1.0)
        added = (share > 0.0) - success / there
        if self.added is not None:
            added = added + self.added
        values = np.divide(self.values, share, out=np.full(share.shape, math.inf), where=share > 0.0)
        return PerSuccess(values, success.sum(axis=0), Units.of(added, self.evaluation, self.blocks))


@dataclass(frozen=True, eq=False)
class PerSuccess:
    """The cost of each system per success, shape (k,), infinite without one; `n` are the successes."""

    values: FloatArray
    n: FloatArray
    units: Units

    def interval(self, system: int, level: float) -> Interval | None:
        """Return the interval of one system; None without a success, or where nothing varies."""
        value = float(self.values[system])
        return log_interval(value, self.units.error(system), level)


@dataclass(frozen=True, eq=False)
class Units:
    """What units, items or clusters, add to the logarithms of the costs of all systems."""

    influences: Influences
    spread: Spread
    n_strata: int

    @classmethod
    def of(cls, added: FloatArray, evaluation: Evaluation, blocks: int | None) -> Units:
        """Return them from what items add times n, shape (n, k), in the groups of an evaluation."""
        columns = {name: added[:, place] for place, name in enumerate(evaluation.names)}
        numbers = Evaluation(
            Columns(columns),
            clusters=evaluation.clusters,
            strata=evaluation.strata,
            crossed=evaluation.crossed,
        )
        (group,) = prepare.groups(numbers, [Mean("cost")], blocks=blocks, consumer="a comparison of costs")
        influences, spread = group.influences, group.spread
        assert influences is not None  # means of finite numbers have both
        assert spread is not None
        return cls(influences, spread, group.n_strata)

    def error(self, a: int, b: int | None = None) -> StandardError:
        """Return the standard error (CR2) of the logarithm of a cost, or of the ratio of two."""
        one, values = self.influences, self.influences.values
        added = values[:, a] if b is None else values[:, a] - values[:, b]
        return clusters.cr2(added, one.sizes, one.counts, one.bounds)

    def effective(self, system: int) -> float:
        """Return how many units of equal weight would carry the variance; 0 where nothing varies."""
        one = self.influences
        return clusters.carrying(one.values[:, system], one.sizes, one.counts)


def log_interval(value: float, error: StandardError, level: float) -> Interval | None:
    """Return the interval of a cost or a ratio of costs by Student's t of its logarithm."""
    if not (0.0 < value < math.inf and error.se > 0.0):
        return None
    half = float(special.stdtrit(error.df, 0.5 * (1.0 + level))) * error.se
    if half > MOST_EXPONENT:
        return Interval(0.0, math.inf, level, METHOD, True)
    return Interval(value * math.exp(-half), value * math.exp(half), level, METHOD, True)


def _added_to_quantiles(items: FloatArray, q: float) -> FloatArray:
    """Return what each item adds to the logarithm of a quantile of each column, times n.

    That is (1{x > Q} - (1 - q)) / (f Q), f the density at the quantile Q: the reciprocal of a difference of
    two quantiles near it, as far apart as Hall & Sheather (1988, J. R. Statist. Soc. B 50, 381-391) advise.
    Where both are one value, as of whole numbers, the values next to it on both sides take their place.
    """
    n = len(items)
    z = float(special.ndtri(q))
    density = math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
    h = float(special.ndtri(0.975)) ** (2 / 3) * (1.5 * density**2 / (2.0 * z * z + 1.0) / n) ** (1 / 3)
    least, most = max(q - h, 0.0), min(q + h, 1.0)
    value, low, high = np.quantile(items, (q, least, most), axis=0)
    for place in np.flatnonzero(low == high):
        distinct = np.unique(items[:, place])
        at = np.searchsorted(distinct, value[place])
        low[place], high[place] = distinct[max(at - 1, 0)], distinct[min(at + 1, distinct.size - 1)]
    slope = (high - low) / (most - least)
    above = (items > value) - (items > value).mean(axis=0)
    scale = np.divide(slope, value, out=np.zeros_like(value), where=value > 0.0)
    added: FloatArray = above * scale
    return added


def notes_on(kinds: Sequence[Cost], names: Sequence[str]) -> list[Note]:
    """Return where intervals of costs are too short, and what was taken as known."""
    notes = []
    for kind in kinds:
        if kind.constant:
            message = f"{kind.name} is the same on all items of each system, and taken as known without error"
            notes.append(Note("known_costs", message, (kind.name,)))
        if few := kind.few_effective:
            shown = [f"{names[s]} ({counted(units, 'effective unit')})" for s, units in few.items()]
            message = (
                f"few items make up much of {kind.name} of {listed(shown, 4)}: its intervals are probably too"
                " short"
            )
            notes.append(Note("few_effective", message, (kind.name,)))
        if kind.coarse:
            message = (
                f"{kind.name} has so few distinct values that the quantile moves in steps: its intervals, and"
                " what follows from them, may be wrong; compare the means"
            )
            notes.append(Note("moves_in_steps", message, (kind.name,)))
    return notes


def hash_with_costs(data_hash: str, kinds: Sequence[Cost], names: Sequence[str]) -> str:
    """Return the hash of data with the costs of their systems."""
    rows = {f"cost {one.name}": one.values[None] if one.items is None else one.items for one in kinds}
    return hash_of({"quality": data_hash, **{key: hash_of_rows(names, one) for key, one in rows.items()}})


# -- from what the user gives -------------------------------------------------------------------------


def costs_of(
    cost: Any, evaluation: Evaluation, read: ReadColumn, on_missing: OnMissing, blocks: int | None = None
) -> tuple[Evaluation, list[Cost]]:
    """Return the costs that the user names or gives, and the evaluation of the items that have all of them.

    Items without a cost are left out where `on_missing` is "drop".
    """
    read_missing = missing_costs(on_missing)
    given = {
        name: _given(name, one, evaluation.names, read, read_missing)
        for name, one in _named(cost, evaluation).items()
    }
    measured = {name: one for name, one in given.items() if isinstance(one, Evaluation)}
    if measured:
        evaluation = evaluation.uncounted("a cost of each item")
    places = {
        name: _places(name, one, evaluation, drop=on_missing == "drop") for name, one in measured.items()
    }
    there = np.ones(evaluation.n_rows, dtype=np.bool_)
    for rows in places.values():
        there &= rows >= 0
    notes = [note for name, one in measured.items() for note in _notes_on_missing(name, one, places[name])]
    if not there.all():
        if there.sum() < 2:
            raise InvalidInputError(
                f"fewer than two items have {listed([*measured])}", hint="check the ids", argument="cost"
            )
        groupings = {column: values[there] for column, values in evaluation.groupings.items()}
        rest = dataclasses.replace(evaluation.with_rows(there), groupings=groupings)
        evaluation = rest.with_notes(evaluation.notes)
    evaluation = evaluation.with_notes(notes)
    return evaluation, [
        _measured(name, _rows(one, evaluation.names)[places[name][there]], evaluation, blocks)
        if isinstance(one, Evaluation)
        else Cost(name, one, evaluation)
        for name, one in given.items()
    ]


def missing_costs(on_missing: OnMissing) -> OnMissing:
    """Return how costs are read: what lacks some is known by its masks, and no pair or system is left out."""
    return "worst" if on_missing in ("drop", "worst") else "error"


def _named(cost: Any, evaluation: Evaluation) -> dict[str, Any]:
    """Return the costs by their names; prices or numbers of the systems alone are called so."""
    of_systems = isinstance(cost, Mapping) and any(name in evaluation.systems for name in cost)
    return {"cost": cost} if of_systems else _by_name(cost)


def _by_name(cost: Any) -> dict[str, Any]:
    """Return what is given as costs by the names that it has."""
    if isinstance(cost, Mapping) and cost:
        return {checks.check_text(checks.text(name, "cost"), "cost"): one for name, one in cost.items()}
    if isinstance(cost, str) or (isinstance(cost, list | tuple) and cost):
        return {name: name for name in checks.valid_name_list(cost, "cost")}
    raise InvalidInputError(
        f"cost must name a column or give the cost of each system, got {quoted(cost)}",
        hint=_FORM,
        argument="cost",
    )


def _given(
    name: str, given: Any, systems: Sequence[str], read: ReadColumn, on_missing: OnMissing
) -> Evaluation | FloatArray:
    """Return what is given of one cost: prices, shape (k,), or the numbers of each item."""
    with within(name):
        if isinstance(given, str):
            given = read(statistic_of(given)[0])
        if isinstance(given, Evaluation):
            given.require_support("a cost", ("clusters", "crossed", "strata"))
            known: Mapping[str, Any] = given.systems
        else:
            known = checks.mapping(given, "cost", "system to cost", _FORM)
        lacking = next((system for system in systems if system not in known), None)
        if lacking is not None:
            raise InvalidInputError(
                f"system {quoted(lacking)} has no cost",
                hint=f"there is one of {listed([*map(str, known)])}",
                argument="cost",
            )
        if isinstance(given, Evaluation):
            return given.with_systems(systems)
        values = [given[system] for system in systems]
        priced = [system for system in systems if isinstance(given[system], Real)]
        if len(priced) not in (0, len(systems)):
            other = next(system for system in systems if system not in priced)
            raise InvalidInputError(
                f"{quoted(priced[0])} has a price, and {quoted(other)} the cost of each item",
                hint="give prices to all systems, or repeat a price for each item: [3.0] * n",
                argument="cost",
            )
        if not priced:
            return Evaluation.of(dict(zip(systems, values, strict=True)), on_missing=on_missing)
        if statistic_of(name)[1] is not None:
            raise InvalidInputError("a price has no quantiles", hint="leave out @", argument="cost")
        prices = np.array([checks.amount(value, "cost") for value in values])
        if not ((prices >= 0.0) & np.isfinite(prices)).all():
            raise InvalidInputError("prices must be 0 or more, and finite", hint=_FORM, argument="cost")
        return prices


def statistic_of(name: str) -> tuple[str, float | None]:
    """Return the name of a cost, and the quantile of it that is asked for; None for the mean.

    >>> statistic_of("latency_ms"), statistic_of("latency_ms@0.95"), statistic_of("latency_ms@median")
    (('latency_ms', None), ('latency_ms', 0.95), ('latency_ms', 0.5))
    """
    stem, sign, text = name.rpartition("@")
    if not sign:
        return name, None
    try:
        q = 0.5 if text == "median" else float(text)
    except ValueError:
        q = math.nan
    if not 0.0 < q < 1.0:
        raise InvalidInputError(
            f"a quantile is between 0 and 1, got {quoted(name)}",
            hint="cost='latency_ms@0.95' or 'latency_ms@median'",
            argument="cost",
        )
    return stem, q


def _places(name: str, cost: Evaluation, evaluation: Evaluation, *, drop: bool) -> IntArray:
    """Return in which row of the cost each item of the evaluation is, shape (n,); -1 of those to drop."""
    ids, of_cost = evaluation.items, cost.items
    n, n_cost = evaluation.n_rows, cost.n_rows
    # Items of a wide table that lack a value are known by the numbers of their rows
    if ids is None and of_cost is not None and _are_rows(of_cost, n):
        ids = np.arange(1, n + 1)
    elif of_cost is None and ids is not None and _are_rows(ids, n_cost):
        of_cost = np.arange(1, n_cost + 1)
    if ids is None or of_cost is None:
        if n_cost != n:
            raise InvalidInputError(
                f"{name} has {counted(n_cost, 'item')}, and the quality {n}",
                hint="give both for the same items, or values by the ids of the items: {id: value}",
                argument="cost",
            )
        places = np.arange(n)
    else:
        row = {item: place for place, item in enumerate(of_cost.astype(str).tolist())}
        places = np.array([row.get(item, -1) for item in ids.astype(str).tolist()])
    if drop and cost.missing:
        places = np.where(np.any([*cost.missing.values()], axis=0)[places], -1, places)
    if not drop and (places < 0).any():
        first = np.arange(1, n + 1) if ids is None else ids
        raise InvalidInputError(
            f"item {quoted(str(first[places < 0][0]))} has no {name}",
            hint='pass on_missing="drop" to compare the items that have all values',
            argument="cost",
        )
    return places


def _are_rows(items: Array, n: int) -> bool:
    return items.dtype.kind in "iu" and bool(items.min() >= 1 and items.max() <= n)


def _notes_on_missing(name: str, cost: Evaluation, places: IntArray) -> Iterator[Note]:
    """Yield how many items were left out for a cost, or where its greatest value stands in."""
    if lacking := int((places < 0).sum()):
        yield Note("items_dropped", f"{counted(lacking, 'item')} without {name} left out")
        return
    for system, gone in cost.missing.items():
        if n := int(gone[places].sum()):
            message = f"{n} of {places.size} values of {name} of {quoted(system)} are missing"
            message += " and count as the greatest"
            yield Note("counted_as_worst", message, (system,))


def _rows(cost: Evaluation, names: Sequence[str]) -> FloatArray:
    """Return the costs of each item, shape (n, k)."""
    columns = [cost.systems[name].astype(np.float64) for name in names]
    absent = [cost.missing.get(name, np.zeros(cost.n_rows, dtype=np.bool_)) for name in names]
    most = max(column[~gone].max(initial=0.0) for column, gone in zip(columns, absent, strict=True))
    # A cost that is to count as the worst is the greatest there is
    return np.column_stack([np.where(gone, most, one) for one, gone in zip(columns, absent, strict=True)])


def _measured(name: str, items: FloatArray, evaluation: Evaluation, blocks: int | None) -> Cost:
    """Return a cost of each item; one that is the same on all items of each system is a price."""
    least = int(items.argmin())
    if items.flat[least] < 0.0:
        raise InvalidInputError(
            f"{name} of {quoted(evaluation.names[least % items.shape[1]])} is {items.flat[least]:g} once",
            hint="a cost is 0 or more; where lower is not better, compare it as a score",
            argument="cost",
        )
    quantile = statistic_of(name)[1]
    if (items == items[0]).all():
        return Cost(name, items[0], evaluation, constant=True)
    values = items.mean(axis=0) if quantile is None else np.quantile(items, quantile, axis=0)
    return Cost(name, values, evaluation, items, quantile, blocks)


def systems_by_column(columns: Sequence[str], cost: str) -> dict[str, list[str]]:
    """Return the columns of a wide table that hold this cost of a system, with the words of its name.

    >>> systems_by_column(["gold", "bert", "bert_latency_ms", "bert_usd"], "latency_ms")
    {'bert_latency_ms': ['bert']}
    """
    words = words_of(cost)
    systems = {name: _system_of(name, words) for name in columns if name != cost and words}
    return {name: system for name, system in systems.items() if system}


def _system_of(column: str, cost: Sequence[str]) -> list[str]:
    """Return the words of a column before or after those of a cost; none where these are not in it."""
    words, n = words_of(column), len(cost)
    if words[-n:] == cost:
        return words[:-n]
    return words[n:] if words[:n] == cost else []


def in_wide(columns: Sequence[str], systems: Sequence[str], cost: str) -> dict[str, str]:
    """Return the column of each system in a wide table by its name, or an error that names what is there."""
    beside = {tuple(words): column for column, words in systems_by_column(columns, cost).items()}
    found = {name: beside[words] for name in systems if (words := tuple(words_of(name))) in beside}
    if len(found) == len(systems):
        return found
    lacking = next(name for name in systems if name not in found)
    raise InvalidInputError(
        f"there is no column {quoted(cost)}, nor one of {quoted(lacking)}, as {quoted(f'{lacking}_{cost}')}",
        hint="name the systems: systems=[...]" if len(found) > 1 else f"columns: {listed([*columns])}",
        argument="cost",
    )


def item_column(items: Any, columns: Sequence[str]) -> Any:
    """Return the column of the ids, which is taken for it unless the systems are named."""
    return recognised(Roles(), columns).item if items is None else items


def renamed(evaluation: Evaluation, columns: Mapping[str, str]) -> Evaluation:
    """Return an evaluation whose columns are called as their systems."""
    systems = {name: evaluation.systems[column] for name, column in columns.items()}
    missing = {
        name: evaluation.missing[column] for name, column in columns.items() if column in evaluation.missing
    }
    return dataclasses.replace(evaluation, systems=Columns(systems), missing=missing, called={})


def names_of_columns(cost: Any) -> list[str]:
    """Return the names of the columns that are costs, without their quantiles."""
    return [statistic_of(one)[0] for one in _by_name(cost).values() if isinstance(one, str)]


def reader_of(data: Any, arguments: Arguments, systems: Sequence[str]) -> ReadColumn:
    """Return what reads a column of the data that the user gave as the costs of each item."""

    def read(name: str) -> Evaluation:
        columns = columns_of(data)
        if columns is None:
            what, value = "no table", "{...}"
            if isinstance(data, Evaluation):
                what = "an Evaluation"
                value = f"bestby.read(path, reading=bestby.Reading(value_column={quoted(name)}))"
            raise InvalidInputError(
                f"cost names a column, {quoted(name)}, and the data are {what}",
                hint=f"give the costs by system: cost={{{quoted(name)}: {value}}}",
                argument="cost",
            )
        how = dataclasses.replace(AS_FOUND, system_column=arguments.reading.system_column)
        plain = dataclasses.replace(
            arguments, gold=None, systems=None, by=None, reading=how,
            on_missing=missing_costs(arguments.on_missing),
        )  # fmt: skip
        if name in columns:
            gold = ["gold"] if "gold" in columns else None  # long tables bring it along unasked
            how = dataclasses.replace(how, value_column=name, ignore=gold)
            return evaluation_of(data, dataclasses.replace(plain, reading=how), "mean")
        own = in_wide(columns, systems, name)
        items = item_column(arguments.items, columns) if arguments.systems is None else arguments.items
        plain = dataclasses.replace(plain, systems=[*own.values()], items=items)
        return renamed(evaluation_of(data, plain, "mean"), own)

    return read


def without_costs(data: Any, cost: Any, arguments: Arguments) -> Arguments:
    """Return the arguments by which a wide table is read without its columns of costs."""
    columns = columns_of(data) or ()
    aside = [one for name in names_of_columns(cost) for one in systems_by_column(columns, name)]
    if not aside or arguments.systems is not None:
        return arguments
    ignored = arguments.reading.ignore
    ignored = [ignored] if isinstance(ignored, str) else [*(ignored or ())]
    reading = dataclasses.replace(arguments.reading, ignore=[*ignored, *aside])
    return dataclasses.replace(arguments, reading=reading)


def columns_of(data: Any) -> list[str] | None:
    """Return the names of the columns of a table; None of other data."""
    if not is_table(data):
        return None
    return column_names(data) or [*table_of(data).names]
