"""What dependence between items does to a comparison, in words and numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from bestby._core.errors import DesignError
from bestby._core.text import percentage
from bestby._core.typing import IntArray
from bestby.comparisons.settings import Settings
from bestby.data.columns import codes
from bestby.data.evaluation import Evaluation
from bestby.engine.base import Group, Pair
from bestby.engine.sums import SumGroup, design_effects
from bestby.inference import clusters
from bestby.inference.clusters import FEW_CLUSTERS, LARGEST_SHARE, DesignEffect
from bestby.metrics.base import BaseMetric, Metric
from bestby.resampling.units import consecutive
from bestby.results.base import Note

ENOUGH_FOR_BOOTSTRAP = 50
"""Clusters below which bootstrap intervals tend to be too short."""

CAUGHT = 0.92
"""Share of the variance that blocks must catch, or a note says that they are too short: below it tests at 5 %
reject in 6 % and more."""

ENOUGH_CAUGHT = 0.95
"""Share of the variance that blocks of the length catch that the note suggests."""

ENOUGH_BLOCKS = 10
"""Blocks below which a permutation of them hardly rejects and bootstrap intervals are too short."""


def check(evaluation: Evaluation, settings: Settings) -> None:
    """Refuse settings of resampling that do not go with each other or with the groupings of the items."""
    if evaluation.crossed is not None and settings.resample_size is not None:
        raise DesignError(
            "two crossed groupings and resample_size do not go together: no resampling keeps two crossed"
            " groupings, so nothing is resampled",
            hint="leave resample_size out, or give one grouping as clusters",
        )
    if settings.blocks is not None:
        _check_blocks(evaluation, settings)


def _check_blocks(evaluation: Evaluation, settings: Settings) -> None:
    others = {
        "clusters": evaluation.clusters is not None,
        "resample_size": settings.resample_size is not None,
        'annotators="resample"': settings.annotators == "resample",
    }
    for name, present in others.items():
        if present:
            raise DesignError(
                f"blocks of consecutive items and {name} do not go together",
                hint="blocks are for ordered text whose documents are too few or too long to be clusters",
            )


def supported_test(asked: str, group: Group) -> tuple[str, tuple[Note, ...]]:
    """Return the test to run: for two crossed groupings the Wald test, with a note."""
    if not group.crossed or asked == "wald":
        return asked, ()
    if asked not in ("permutation", "auto"):
        raise DesignError(
            f"test {asked!r} supports one grouping of the items, not two crossed ones", hint='test="wald"'
        )
    message = (
        "a permutation test cannot keep two crossed groupings of the items: the test compares the difference,"
        " divided by its two-way cluster-robust standard error, with Student's t distribution"
    )
    return "wald", (Note("two_way", message),)


def cluster_notes(evaluation: Evaluation) -> list[Note]:
    """Return a note if clusters are few or one holds much of the items."""
    notes = []
    for groups in (evaluation.clusters, evaluation.crossed):
        if groups is not None:
            sizes = np.bincount(codes(groups)[1].astype(np.int64))
            message = _few(sizes)
            if message is not None:
                notes.append(Note("few_clusters", message))
    return notes


def _few(sizes: IntArray) -> str | None:
    n, share = sizes.size, float(sizes.max() / sizes.sum())
    formula = (
        "intervals by formula (cr2) allow for that, but are too short as well if the effects of clusters are"
        " skewed or go with their size"
    )
    small_sample = f"bootstrap intervals are too short; {formula}"
    if n < FEW_CLUSTERS:
        message = f"there are only {n} clusters, fewer than {FEW_CLUSTERS}"
        if share > LARGEST_SHARE:
            message += f", one of which holds {percentage(share)} of the items"
        return f"{message}: {small_sample}"
    if share > LARGEST_SHARE:
        return f"one of the {n} clusters holds {percentage(share)} of the items: {small_sample}"
    if n < ENOUGH_FOR_BOOTSTRAP:
        below = ENOUGH_FOR_BOOTSTRAP
        return (
            f"there are only {n} clusters: bootstrap intervals tend to be too short below {below}; {formula}"
        )
    return None


def dependence_notes(
    group: Group, metric: BaseMetric, pairs: Sequence[Pair], evaluation: Evaluation, settings: Settings
) -> list[Note]:
    """Return notes on what the clusters in use do to the standard error, and what unused ones would."""
    if not isinstance(group, SumGroup) or not isinstance(metric, Metric) or group.gold_varies or not pairs:
        return []
    strata = None if evaluation.strata is None else _codes(evaluation.strata)
    notes = []
    if settings.blocks is not None:
        code = consecutive(evaluation.n_items, settings.blocks, strata)
        effects = design_effects(group, pairs, code, strata)
        message = _design_effect_text(effects, f"with blocks of {settings.blocks}")
        if message is not None and evaluation.n_items >= 8 * settings.blocks:
            longer = consecutive(evaluation.n_items, 2 * settings.blocks, strata)
            doubled = [effect.clustered for effect in design_effects(group, pairs, longer, strata)]
            message += (
                f" ({_span(doubled)} with blocks twice as long; if that is much more, these are too short)"
            )
        notes += [] if message is None else [Note("design_effect", message, (metric.name,))]
        notes += _short_blocks(group, metric.name, pairs, evaluation.n_items, settings, strata)
    elif evaluation.clusters is not None:
        effects = design_effects(group, pairs, _codes(evaluation.clusters), strata)
        message = _design_effect_text(effects, "with both groupings" if group.crossed else "with clusters")
        notes += [] if message is None else [Note("design_effect", message, (metric.name,))]
    elif evaluation.groupings:
        notes += _ignored(group, metric, pairs, evaluation, strata)
    return notes


def _short_blocks(
    group: SumGroup,
    metric: str,
    pairs: Sequence[Pair],
    n_items: int,
    settings: Settings,
    strata: IntArray | None,
) -> list[Note]:
    """Return a note if items depend on one another over more than the length of the blocks."""
    length = settings.blocks
    if length is None:
        return []
    blocks = consecutive(n_items, length, strata)
    missed: list[tuple[float, clusters.Dependence]] = []
    for pair in pairs:
        influence = group.sample(*pair).item_influence
        reach = clusters.dependence(influence, strata)
        share = reach.share(length)
        if share < CAUGHT and clusters.crosses(influence, blocks, strata):
            missed.append((share, reach))
    if not missed:
        return []
    share, worst = min(missed, key=lambda one: one[0])
    needed = worst.long_enough(ENOUGH_CAUGHT)
    rate = clusters.rejection_rate(share, settings.alpha)
    message = (
        f"items depend on one another over more than blocks of {length} (neighbours are correlated by"
        f" {worst.correlations[1]:.2g}): standard errors are about"
        f" {percentage(1.0 - math.sqrt(share))} too small, and tests at {settings.alpha:.3g} reject a true"
        f" null hypothesis in {percentage(rate, 1)} of cases or more."
    )
    enough = f"of {needed}, which hold {percentage(ENOUGH_CAUGHT)} of the variance"
    if ENOUGH_BLOCKS * needed <= n_items:
        message += f" Use blocks {enough}"
    else:
        message += (
            f" Blocks {enough}, are too long for {n_items} items: use the longest of which {ENOUGH_BLOCKS}"
            ' fit, test="wald", and more text if you can'
        )
    return [Note("short_blocks", message, (metric,))]


def _ignored(
    group: SumGroup, metric: Metric, pairs: Sequence[Pair], evaluation: Evaluation, strata: IntArray | None
) -> list[Note]:
    """Return a note for each grouping that the data know of and that was not used, the weightiest first."""
    weighed = []
    for name, groups in evaluation.groupings.items():
        if evaluation.strata is not None and np.array_equal(groups, evaluation.strata):
            continue  # they are used, as strata
        code = _codes(groups)
        n = int(code.max()) + 1
        # Unused groups below which their standard error is mostly chance, and says nothing of dependence
        if not 5 <= n < evaluation.n_items:
            continue
        effects = design_effects(group, pairs, code, None if strata is None else _nested(code, strata))
        effect_text = _design_effect_text(effects, f"with the {n} groups of {name!r} as clusters")
        if effect_text is not None:
            weight = max(effect.ratio for effect in effects if not math.isnan(effect.ratio))
            note = f"items are treated as independent, but the data have groups of items: {effect_text}"
            weighed.append((weight, Note("clusters_ignored", note, (metric.name,))))
    weighed.sort(key=lambda one: -one[0])
    # Unused groupings that are told of: those that matter most
    return [note for _, note in weighed[:3]]


def _nested(code: IntArray, strata: IntArray) -> IntArray | None:
    """Return the strata if every cluster lies in one, else None: then items count as unstratified."""
    pairs = np.unique(np.column_stack([code, strata]), axis=0)
    return strata if len(pairs) == int(code.max()) + 1 else None


def _design_effect_text(effects: Sequence[DesignEffect], how: str) -> str | None:
    """Return the standard errors side by side, and the design effect; None if nothing varies."""
    varying = [effect for effect in effects if effect.itemwise > 0.0]
    if not varying:
        return None
    several = len(varying) > 1
    return (
        f"standard error{'s' if several else ''} of the difference{'s' if several else ''}"
        f" {_span([effect.clustered for effect in varying])} {how},"
        f" {_span([effect.itemwise for effect in varying])} as if the items were independent:"
        f" design effect {_span([effect.ratio for effect in varying])}"
    )


def _span(values: Sequence[float]) -> str:
    """Return the least and the greatest of some numbers, to three digits.

    >>> _span([0.022, 0.0219999]), _span([134.2]), _span([0.0, 1.5])
    ('0.0220', '134', '0 to 1.50')
    """
    low, high = _digits(min(values)), _digits(max(values))
    return low if low == high else f"{low} to {high}"


def _digits(value: float) -> str:
    if value == 0.0:
        return "0"
    return f"{value:.{max(0, 2 - math.floor(math.log10(abs(value))))}f}"


def _codes(groups: object) -> IntArray:
    code: IntArray = codes(np.asarray(groups))[1].astype(np.int64)
    return code
