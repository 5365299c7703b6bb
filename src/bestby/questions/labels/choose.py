"""Which items to label: a random draw with known probabilities."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bestby._core import checks, rounding
from bestby._core.arrays import is_table
from bestby._core.cached import cached_property
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.text import counted, natural_order, quoted
from bestby._core.typing import Array, FloatArray, IntArray, Rng
from bestby.comparisons.reading import Arguments, evaluation_of
from bestby.data.alignment import check_nested, check_unique_ids, one_grouping, quantile_bins, value_bins
from bestby.data.columns import group_codes
from bestby.data.evaluation import Evaluation, hash_of_columns
from bestby.data.reading import Reading, checked_reading
from bestby.data.roles import listed
from bestby.inference.bisection import last_that_holds
from bestby.questions.labels.result import ChosenItem, ChosenItems, ChosenStratum
from bestby.report.reported import with_backend
from bestby.resampling.streams import block_generator, seed_of
from bestby.results.base import Note, provenance_of
from bestby.vocabulary import Draw, StratifyBy, allowed_names


@with_suggestions
def choose_items(
    data: Mapping[str, Any] | Sequence[Any] | Any,
    n: int | None = None,
    *,
    systems: str | Sequence[str] | None = None,
    items: Any = None,
    clusters: Any = None,
    strata: Any = None,
    reading: Reading | None = None,
    stratify_by: StratifyBy | None = None,
    n_bins: int = 4,
    allocation: Draw = "proportional",
    sds: Mapping[str, float] | None = None,
    shuffle: bool = False,
    rng: Rng = 0,
) -> ChosenItems:
    """Draw the items that people are to label, and say how probable it was to draw each.

    Labels correct the scores of a judge only if chance chose the items, with probabilities that are known.
    Items chosen by what they show, such as those where the judge looks wrong, bias every later estimate, and
    more labels do not reduce that bias.

    Parameters
    ----------
    data : mapping of str to array_like, shape (n,), or Evaluation, or data frame, or sequence of ids
        The scores of the judge per system, as `compare` takes scores. Where no scores are needed, the ids of
        the items are enough.
    n : int, optional
        How many items to draw; how many clusters, if `clusters` are given. All by default, which needs
        ``shuffle=True``.
    systems, items
        As for `compare`.
    clusters : array_like, shape (n,), or str, optional
        The cluster of each item. Clusters are drawn as wholes, as they are resampled everywhere else. Single
        items say more per label than whole clusters: leave `clusters` out here to draw single items, and name
        the clusters when you compare.
    strata : array_like, shape (n,), or str, optional
        The stratum of each item, if you have strata of your own; in place of `stratify_by`.
    reading : Reading, optional
        How the data are read: `ignore`, `system_column` and `value_column`.
    stratify_by : {"score", "disagreement"}, optional
        Make the strata from the judge: of quantiles of its mean score over the systems, or of the standard
        deviation of its scores between the systems. The score of a cluster is the mean of its items. If there
        are no more distinct values than bins, as of verdicts 0 and 1, each is a stratum.
    n_bins : int
        The number of quantile bins; equal scores are in one, so there may be fewer.
    allocation : {"proportional", "neyman"}
        Give each stratum its share of the draw, or more to strata that vary more: size times standard
        deviation (Neyman), but each at least half of its share. At least two units are drawn from every
        stratum.
    sds : mapping of str to float, optional
        For Neyman's allocation, the standard deviation in each stratum by its name, such as that of human
        minus judge in a pilot. By default that of what the judge's scores are stratified by.
    shuffle : bool
        List the items in random order, which labels that are monitored while they come in must have; by
        default in the order of the data. Items of a cluster stay together.
    rng : int, numpy.random.Generator or None
        The seed. With the same seed, a larger draw without strata holds the smaller one, and the order of the
        rows does not matter if items have ids.

    Returns
    -------
    ChosenItems
        The ids with their probabilities, strata and clusters; ``to_csv("to_label.csv")`` writes them.

    Raises
    ------
    InvalidInputError
        If there are fewer items than are to be drawn, a stratum has no standard deviation, or an argument
        cannot be used as given.
    DesignError
        If the draw is too small for two units from every stratum, or the judge says the same of all items.

    See Also
    --------
    plan_labels : How many labels it takes.
    allocate : How to divide a budget between judged and labelled items.

    Notes
    -----
    Within a stratum every set of units of the same size is equally probable, so that the probability of a
    unit is the number drawn over the number there is [1]_. Neyman's allocation is the best one for a mean
    over all items if the standard deviations are right; those of the judge are a guess, and where people
    disagree with the judge elsewhere than its scores vary, a proportional draw is more precise. So a stratum
    that seems not to vary, as where a judge is unanimous, keeps half of its share: a few labels that stand
    for most items would carry the whole error.

    References
    ----------
    .. [1] Cochran (1977), Sampling Techniques, 3rd ed., sections 2.1 and 5.5.
    .. [2] Fisch et al. (2024), Stratified prediction-powered inference for effective hybrid evaluation of
       language models, NeurIPS, arXiv:2406.04291.

    Examples
    --------
    >>> from bestby import choose_items
    >>> judge = {
    ...     "a": [0.1, 0.9, 0.4, 0.8, 0.2, 0.7],
    ...     "b": [0.3, 0.8, 0.2, 0.9, 0.1, 0.9],
    ... }
    >>> draw = choose_items(judge, 4, stratify_by="score", n_bins=2)
    >>> [(one.stratum, round(one.probability, 2)) for one in draw]
    [('0.15 to 0.3', 0.67), ('0.8 to 0.85', 0.67), ('0.8 to 0.85', 0.67), ('0.15 to 0.3', 0.67)]
    """
    checks.choice(allocation, allowed_names("allocation", "choose"), "allocation")
    checks.flag(shuffle, "shuffle")
    if stratify_by is not None:
        checks.choice(stratify_by, allowed_names("stratify_by", "choose"), "stratify_by")
    seed = seed_of(rng)
    pool = pool_of(
        data, systems=systems, items=items, reading=reading, clusters=clusters, strata=strata,
    )  # fmt: skip
    strata_of_units = pool.stratified(stratify_by, checks.positive_int(n_bins, "n_bins"))
    size = _size(n, pool, shuffle=shuffle)
    spreads = _spreads(strata_of_units, allocation, sds)
    numbers = _numbers(strata_of_units, size, spreads, pool.unit)
    shuffled = pool.by_id()[block_generator(seed, "chosen", 0).permutation(pool.n_units)]
    units = first_units(shuffled, strata_of_units.codes, numbers)
    rows = pool.rows_of(units if shuffle else np.sort(units))
    return _result(
        pool, strata_of_units, rows, numbers, spreads,
        {"n": size, "stratify_by": strata_of_units.by, "bins": n_bins if stratify_by else None,
         "allocation": allocation, "sds": "given" if sds is not None else None, "shuffle": shuffle},
        seed,
    )  # fmt: skip


def _size(n: int | None, pool: Pool, *, shuffle: bool) -> int:
    """Return how many units to draw."""
    if n is None:
        if not shuffle:
            raise InvalidInputError(
                "it is not said how many items to draw",
                hint="pass n=..., or shuffle=True for all items in random order",
                argument="n",
            )
        return pool.n_units
    size = checks.positive_int(n, "n")
    if size > pool.n_units:
        raise InvalidInputError(
            f"{size} {pool.unit} cannot be drawn from {pool.n_units}",
            hint=f"draw {pool.n_units} or fewer",
            argument="n",
        )
    return size


def _spreads(strata: Strata, allocation: str, sds: Mapping[str, float] | None) -> FloatArray | None:
    """Return the standard deviation of each stratum for Neyman's allocation, else None."""
    if allocation == "proportional":
        if sds is not None:
            raise InvalidInputError(
                "sds are for Neyman's allocation", hint='pass allocation="neyman"', argument="sds"
            )
        return None
    if strata.by is None:
        raise InvalidInputError(
            "Neyman's allocation divides a draw over strata, and there are none",
            hint='pass stratify_by="score", or strata=...',
            argument="allocation",
        )
    if sds is not None:
        return _spreads_by_name(strata.names, sds)
    if strata.values is None:
        raise InvalidInputError(
            "nothing is known of the spread in strata of your own",
            hint='pass sds={"name of a stratum": standard deviation, ...} from a pilot',
            argument="sds",
        )
    return np.array([strata.values[strata.codes == place].std() for place in range(len(strata.names))])


def _spreads_by_name(names: Sequence[str], sds: Mapping[str, float]) -> FloatArray:
    if not isinstance(sds, Mapping) or {*map(str, sds)} != {*names}:
        got = _quoted_names(sds) if isinstance(sds, Mapping) else type(sds).__name__
        raise InvalidInputError(
            f"sds must name every stratum, got {got}",
            hint=f"the strata are {_quoted_names(names)}",
            argument="sds",
        )
    by_name = {checks.name_text(name, "stratum"): checks.amount(value, "sds") for name, value in sds.items()}
    values = np.array([by_name[name] for name in names])
    if not (np.isfinite(values).all() and (values >= 0.0).all() and values.max() > 0.0):
        raise InvalidInputError(
            "sds must be positive numbers or 0, and not all 0", hint="a pilot measures them", argument="sds"
        )
    return values


def _quoted_names(names: Iterable[object]) -> str:
    return listed([quoted(str(name)) for name in names]) or "none"


def _numbers(strata: Strata, size: int, spreads: FloatArray | None, unit: str) -> IntArray:
    """Return how many units to draw from each stratum."""
    if strata.by is None:
        return np.array([size])
    least = int(np.minimum(strata.sizes, LEAST).sum())
    if size < least:
        raise DesignError(
            f"{size} {unit} are too few for {len(strata.names)} strata, of which each needs {LEAST}",
            hint=f"draw at least {least}, or make fewer strata",
        )
    return drawn_sizes(strata.sizes, size, spreads)


def _result(
    pool: Pool,
    drawn_from: Strata,
    rows: IntArray,
    numbers: IntArray,
    spreads: FloatArray | None,
    settings: dict[str, Any],
    seed: int,
) -> ChosenItems:
    sds = [None] * len(drawn_from.names) if spreads is None else spreads.tolist()
    records = tuple(
        ChosenStratum(name, size, drawn, drawn / size, sd)
        for name, size, drawn, sd in zip(
            drawn_from.names, drawn_from.sizes.tolist(), numbers.tolist(), sds, strict=True
        )
    )
    # Strata of scores are in the order of these; those given were drawn from in the order of their texts.
    order = natural_order(drawn_from.names) if drawn_from.by == "strata" else range(len(records))
    stratum = drawn_from.codes[pool.unit_of_row[rows]].tolist()
    clusters = [None] * rows.size if pool.clusters is None else [str(one) for one in pool.clusters[rows]]
    named = [None if drawn_from.by is None else records[place].name for place in stratum]
    chosen = tuple(
        ChosenItem(item, cluster, name, records[place].probability)
        for item, cluster, name, place in zip(pool.ids[rows].tolist(), clusters, named, stratum, strict=True)
    )
    result = ChosenItems(
        chosen=chosen,
        strata=tuple(records[place] for place in order),
        n_items=pool.n_items,
        n_clusters=0 if pool.clusters is None else pool.n_units,
        stratify_by=drawn_from.by,
        allocation=settings["allocation"],
        shuffled=settings["shuffle"],
        notes=(*pool.notes, *_notes_on_draw(pool, rows.size, int(numbers.sum()), settings)),
        provenance=provenance_of(
            settings, {"items": pool.n_items, "units": pool.n_units}, data_hash=pool.data_hash, seed=seed
        ),
    )
    return with_backend(result, pool.frame_backend)


def _notes_on_draw(pool: Pool, n_rows: int, n_drawn: int, settings: dict[str, Any]) -> Iterator[Note]:
    if n_drawn < pool.n_units:
        yield Note(
            "label_all_drawn",
            "the probabilities hold if every item that was drawn is labelled: items left out because they"
            " are hard bias what is estimated",
        )
    if pool.clusters is not None:
        yield Note(
            "whole_clusters",
            f"{counted(n_drawn, 'cluster')} were drawn as wholes; they hold"
            f" {counted(n_rows, 'item')} to label",
        )
    if settings["allocation"] == "neyman" and settings["sds"] is None:
        yield Note(
            "spread_of_the_judge",
            "strata in which the judge's scores vary more give more items; where people disagree with the"
            " judge elsewhere, a proportional draw is more precise",
        )


# -- what items are drawn from ---------------------------------------------------------------------


MOST_SCORE_BINS = 100
"""Strata that the scores of a judge are cut into at most."""


def pool_of(
    data: Any, *, clusters: Any, strata: Any, items: Any, reading: Reading | None, systems: Any
) -> Pool:
    """Return the items of any data that `choose_items` takes."""
    if not isinstance(data, Evaluation | Mapping | str) and not is_table(data):
        given = {"items": items, "systems": systems, "reading": reading}
        for name in [name for name, value in given.items() if value is not None]:
            raise InvalidInputError(
                f"{name} is for scores, and the data are ids of items", hint=f"leave out {name}"
            )
        return _pool_of_ids(data, clusters, strata)
    grouping = one_grouping(clusters, "a draw of items")
    how = checked_reading(reading, "choose_items", "ignore system_column value_column")
    arguments = Arguments(systems=systems, items=items, clusters=grouping, strata=strata, reading=how)
    evaluation = evaluation_of(data, arguments, None)
    return pool_of_evaluation(evaluation)


def pool_of_evaluation(evaluation: Evaluation) -> Pool:
    """Return the items of an evaluation, with the scores if all values are numbers."""
    uncounted = evaluation.uncounted("a draw of items")
    uncounted.require_support("a draw of items", ["clusters", "strata"])
    numeric = uncounted.gold is None and all(
        values.dtype.kind in "biuf" and values.ndim == 1 for values in uncounted.systems.values()
    )
    ids = np.arange(uncounted.n_rows) if uncounted.items is None else np.asarray(uncounted.items)
    return Pool(
        ids,
        None if uncounted.clusters is None else np.asarray(uncounted.clusters),
        None if uncounted.strata is None else np.asarray(uncounted.strata),
        np.array([values.astype(np.float64) for values in uncounted.systems.values()]) if numeric else None,
        uncounted.data_hash(),
        uncounted.notes,
        uncounted.frame_backend,
        uncounted.items is not None,
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


# -- how a draw is divided over strata -------------------------------------------------------------


LEAST = 2
"""Units that are drawn from every stratum at least, so that each has a variance."""


def drawn_sizes(sizes: IntArray, n: int, sds: FloatArray | None = None) -> IntArray:
    """Return how many of n units each stratum gives.

    The numbers are proportional to the sizes of the strata or, with standard deviations, to sizes times
    standard deviations: Neyman's allocation (Cochran 1977, section 5.5), which has the least variance of a
    weighted mean if the deviations are right. They are guesses, and a large stratum that was thought not to
    vary would rest on two units; so every stratum gives at least half of its proportional share, or all
    strata their share if n is too small for that. Every stratum gives at least two units, or all that it has,
    and no stratum more than it has. Fractions are rounded so that the numbers add up to n: the greatest
    remainders go up.

    Parameters
    ----------
    sizes : ndarray of int, shape (H,)
        The number of units in each stratum.
    n : int
        How many to draw: at least the minimum of all strata and at most all.
    sds : ndarray, shape (H,), optional
        The standard deviation in each stratum.

    Examples
    --------
    >>> drawn_sizes(np.array([100, 100, 3]), 20).tolist()
    [9, 9, 2]
    >>> drawn_sizes(np.array([100, 100, 3]), 20, np.array([3.0, 1.0, 0.0])).tolist()
    [13, 5, 2]
    """
    weights, least = sizes.astype(np.float64), np.minimum(sizes, LEAST)
    if sds is not None and sds.max() > 0.0:
        # Part of its proportional share that every stratum gets, however little it varies
        floor = np.maximum(least, np.ceil(0.5 * n * weights / weights.sum()).astype(np.int64))
        if floor.sum() <= n:
            # A stratum without spread gets more units when the others are full
            weights, least = weights * np.maximum(sds / sds.max(), 1e-9), floor
    exact = _clipped(weights, least, sizes, n)
    numbers = rounding.round_down(exact)
    remainders = np.where(numbers < sizes, exact - numbers, -np.inf)
    numbers[np.argsort(-remainders, kind="stable")[: n - int(numbers.sum())]] += 1
    return numbers


def _clipped(weights: FloatArray, least: IntArray, most: IntArray, n: int) -> FloatArray:
    """Return numbers proportional to weights, within limits, that add up to n."""
    _, factor = last_that_holds(
        lambda one: bool(np.clip(one * weights, least, most).sum() < n), 0.0, float((most / weights).max())
    )
    return np.clip(factor * weights, least, most)


def first_units(order: IntArray, strata: IntArray, numbers: IntArray) -> IntArray:
    """Return the first units of each stratum in a random order, in this order.

    With the same order more units hold those of a smaller draw, so that a draw can be extended.

    Parameters
    ----------
    order : ndarray of int, shape (n,)
        A random permutation of the units.
    strata : ndarray of int, shape (n,)
        The stratum of each unit.
    numbers : ndarray of int, shape (H,)
        How many units each stratum gives.

    Examples
    --------
    >>> first_units(
    ...     np.array([3, 1, 0, 2]), np.array([0, 0, 1, 1]), np.array([1, 1])
    ... ).tolist()
    [3, 1]
    """
    by_stratum = np.argsort(strata[order], kind="stable")
    stratum = strata[order][by_stratum]
    turn = np.arange(order.size) - np.searchsorted(stratum, stratum)  # place within the stratum
    is_chosen = np.zeros(order.size, dtype=np.bool_)
    is_chosen[by_stratum] = turn < numbers[stratum]
    return order[is_chosen]
