"""Which items to label: a random draw with known probabilities."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from bestby._core import checks
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.text import counted, natural_order, quoted
from bestby._core.typing import FloatArray, IntArray, Rng
from bestby.data.roles import listed
from bestby.questions.labels.chosen_result import ChosenItem, ChosenItems, ChosenStratum
from bestby.questions.labels.pool import Pool, Strata, pool_of
from bestby.questions.labels.stratified import LEAST, drawn_sizes, first_units
from bestby.resampling.streams import block_generator, seed_of
from bestby.results.base import Note, provenance_of, remember_backend
from bestby.vocabulary import Draw, StratifyBy, allowed_names


@with_suggestions
def choose_items(
    data: Mapping[str, Any] | Sequence[Any] | Any,
    n: int | None = None,
    *,
    systems: str | Sequence[str] | None = None,
    ignore: str | Sequence[str] | None = None,
    items: Any = None,
    system_column: str | None = None,
    value_column: str | None = None,
    clusters: Any = None,
    strata: Any = None,
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
    systems, ignore, items, system_column, value_column
        As for `compare`.
    clusters : array_like, shape (n,), or str, optional
        The cluster of each item. Clusters are drawn as wholes, as they are resampled everywhere else. Single
        items say more per label than whole clusters: leave `clusters` out here to draw single items, and name
        the clusters when you compare.
    strata : array_like, shape (n,), or str, optional
        The stratum of each item, if you have strata of your own; in place of `stratify_by`.
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
    >>> judge = {"a": [0.1, 0.9, 0.4, 0.8, 0.2, 0.7], "b": [0.3, 0.8, 0.2, 0.9, 0.1, 0.9]}
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
        data, systems=systems, ignore=ignore, items=items, system_column=system_column,
        value_column=value_column, clusters=clusters, strata=strata,
    )  # fmt: skip
    made = pool.stratified(stratify_by, checks.positive_int(n_bins, "n_bins"))
    size = _size(n, pool, shuffle=shuffle)
    spreads = _spreads(made, allocation, sds)
    numbers = _numbers(made, size, spreads, pool.unit)
    shuffled = pool.by_id()[block_generator(seed, "chosen", 0).permutation(pool.n_units)]
    units = first_units(shuffled, made.codes, numbers)
    rows = pool.rows_of(units if shuffle else np.sort(units))
    return _result(
        pool, made, rows, numbers, spreads,
        {"n": size, "stratify_by": made.by, "bins": n_bins if stratify_by else None, "allocation": allocation,
         "sds": "given" if sds is not None else None, "shuffle": shuffle},
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


def _spreads(made: Strata, allocation: str, sds: Mapping[str, float] | None) -> FloatArray | None:
    """Return the standard deviation of each stratum for Neyman's allocation, else None."""
    if allocation == "proportional":
        if sds is not None:
            raise InvalidInputError(
                "sds are for Neyman's allocation", hint='pass allocation="neyman"', argument="sds"
            )
        return None
    if made.by is None:
        raise InvalidInputError(
            "Neyman's allocation divides a draw over strata, and there are none",
            hint='pass stratify_by="score", or strata=...',
            argument="allocation",
        )
    if sds is not None:
        return _given_spreads(made.names, sds)
    if made.values is None:
        raise InvalidInputError(
            "nothing is known of the spread in strata of your own",
            hint='pass sds={"name of a stratum": standard deviation, ...} from a pilot',
            argument="sds",
        )
    return np.array([made.values[made.codes == place].std() for place in range(len(made.names))])


def _given_spreads(names: Sequence[str], sds: Mapping[str, float]) -> FloatArray:
    if not isinstance(sds, Mapping) or {*map(str, sds)} != {*names}:
        given = _in_quotes(sds) if isinstance(sds, Mapping) else type(sds).__name__
        raise InvalidInputError(
            f"sds must name every stratum, got {given}",
            hint=f"the strata are {_in_quotes(names)}",
            argument="sds",
        )
    by_name = {checks.name_text(name, "stratum"): checks.amount(value, "sds") for name, value in sds.items()}
    values = np.array([by_name[name] for name in names])
    if not (np.isfinite(values).all() and (values >= 0.0).all() and values.max() > 0.0):
        raise InvalidInputError(
            "sds must be positive numbers or 0, and not all 0", hint="a pilot measures them", argument="sds"
        )
    return values


def _in_quotes(names: Iterable[object]) -> str:
    return listed([quoted(str(name)) for name in names]) or "none"


def _numbers(made: Strata, size: int, spreads: FloatArray | None, unit: str) -> IntArray:
    """Return how many units to draw from each stratum."""
    if made.by is None:
        return np.array([size])
    least = int(np.minimum(made.sizes, LEAST).sum())
    if size < least:
        raise DesignError(
            f"{size} {unit} are too few for {len(made.names)} strata, of which each needs {LEAST}",
            hint=f"draw at least {least}, or make fewer strata",
        )
    return drawn_sizes(made.sizes, size, spreads)


def _result(
    pool: Pool,
    made: Strata,
    rows: IntArray,
    numbers: IntArray,
    spreads: FloatArray | None,
    settings: dict[str, Any],
    seed: int,
) -> ChosenItems:
    sds = [None] * len(made.names) if spreads is None else spreads.tolist()
    strata = tuple(
        ChosenStratum(name, there, drawn, drawn / there, sd)
        for name, there, drawn, sd in zip(made.names, made.sizes.tolist(), numbers.tolist(), sds, strict=True)
    )
    # Strata of scores are in the order of these; those given were drawn from in the order of their texts.
    order = natural_order(made.names) if made.by == "strata" else range(len(strata))
    stratum = made.codes[pool.unit_of_row[rows]].tolist()
    clusters = [None] * rows.size if pool.clusters is None else [str(one) for one in pool.clusters[rows]]
    named = [None if made.by is None else strata[place].name for place in stratum]
    chosen = tuple(
        ChosenItem(item, cluster, name, strata[place].probability)
        for item, cluster, name, place in zip(pool.ids[rows].tolist(), clusters, named, stratum, strict=True)
    )
    result = ChosenItems(
        chosen=chosen,
        strata=tuple(strata[place] for place in order),
        n_items=pool.n_items,
        n_clusters=0 if pool.clusters is None else pool.n_units,
        stratify_by=made.by,
        allocation=settings["allocation"],
        shuffled=settings["shuffle"],
        notes=(*pool.notes, *_notes(pool, rows.size, int(numbers.sum()), settings)),
        provenance=provenance_of(
            settings, {"items": pool.n_items, "units": pool.n_units}, data_hash=pool.data_hash, seed=seed
        ),
    )
    return remember_backend(result, pool.frame_backend)


def _notes(pool: Pool, n_rows: int, n_drawn: int, settings: dict[str, Any]) -> list[Note]:
    notes = []
    if n_drawn < pool.n_units:
        notes.append(
            Note(
                "label_all_drawn",
                "the probabilities hold if every item that was drawn is labelled: items left out because they"
                " are hard bias what is estimated",
            )
        )
    if pool.clusters is not None:
        notes.append(
            Note(
                "whole_clusters",
                f"{counted(n_drawn, 'cluster')} were drawn as wholes; they hold"
                f" {counted(n_rows, 'item')} to label",
            )
        )
    if settings["allocation"] == "neyman" and settings["sds"] is None:
        notes.append(
            Note(
                "spread_of_the_judge",
                "strata in which the judge's scores vary more give more items; where people disagree with the"
                " judge elsewhere, a proportional draw is more precise",
            )
        )
    return notes
