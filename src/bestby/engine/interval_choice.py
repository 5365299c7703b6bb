"""Which interval, and why: a rule on the data and the metric, with the coverage that justifies it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from bestby.inference.influence import Shown
from bestby.inference.skewness import FEWEST, FROM_UNITS
from bestby.results.base import Note
from bestby.vocabulary import long_name

ENOUGH_DIFFERING = 50
"""Effective units from which ABC and BCa keep their level."""

FEW_DIFFERING = 6
"""Differing units below which no interval keeps its level, score intervals excepted."""

ENOUGH_FOR_STEPS = 100
"""Differing units from which the percentile interval of a difference of medians keeps its level."""

FEW_EFFECTIVE = {
    "percentile": 20, "basic": 5, "normal": 7, "studentized": 0, "cr2": 5, "two-way": 0, "hall": 3,
    "hall-wide": 3,
}  # fmt: skip
"""Effective units below which these intervals of a difference are too short."""

FEW_BY_DEFAULT = 20
"""Effective units for ABC and BCa, and for every interval of which nothing else has been measured."""

FEW_FOR_MEANS = {"studentized": 10, "normal": 3, "cr2": 3}
"""Effective units for a mean over items; below 15 units the headline says what so few do not show."""

FEW_FOR_RANKS = {"percentile": 6}
"""Effective units for ranks."""

FEW_FOR_ONE = 7
"""Effective units for the score of one system, by the other methods."""

FEW_FOR_ONE_ROBUST = 3
"""Effective units for the score of one system by a standard error for few clusters."""

FEW_FOR_WILSON = 2
"""Effective units for Wilson's interval: about as many right or wrong answers."""


ENOUGH_SHOWN = 0.95
"""The share of the variance inside strata that an interval must see: strata of 20 units on average."""

BY_FORMULA = ("normal", "cr2", "hall", "hall-wide")
"""Intervals from a standard error that is not too small in small strata, unless units are alone in theirs."""


@dataclass(frozen=True, slots=True)
class Choice:
    """An interval method and the reason for it."""

    method: str
    reason: str


def choose_interval(
    *,
    proportion: bool,
    difference: bool,
    n_differing: int,
    plain_mean: bool,
    stratified: bool,
    n_units: int = 0,
    mean: bool = False,
    n_effective: float | None = None,
    formula: bool = False,
    drawn: bool = False,
    clustered: bool = False,
    few_clusters: bool = False,
    blocks: bool = False,
    crossed: bool = False,
    robust: bool = False,
    ranks: bool = False,
    correlation: bool = False,
    in_batches: bool = False,
    steps: bool = False,
    shown_by_formula: float = 1.0,
    shown_by_resamples: float = 1.0,
) -> Choice:
    """Return the interval that ``interval="auto"`` means.

    The quantity is a difference of two systems or the score of one (`difference`). It may be a mean of
    0/1 values of independent items (`proportion`), a mean of one number per independent item
    (`plain_mean`), a mean over items that may be in clusters (`mean`), or made of ranks whose derivatives by
    the weights of the items are known (`ranks`); a difference as that of medians moves in `steps`. Of
    `n_units`, `n_differing` are those on which two systems differ, or all of one system. `n_effective` is how
    many units of equal weight would carry the variance (`effective_units` of `bestby.inference.intervals`):
    10 if 10 of 100 items differ, all by as much; `n_differing` stands in where it is not known.
    `correlation`: it is a correlation with the gold. `in_batches`: nothing tells what each item adds.
    `formula`: it is a function of sums, of which derivatives and so a standard error by the delta method are
    known; `robust`: there is a standard error for few or unequal clusters. `drawn`: the user said how to
    resample, so that only what is drawn counts.
    `few_clusters`: fewer than 30, or one with more than a third of the items. `shown_by_formula` and
    `shown_by_resamples`: the shares of the variance inside strata that standard errors and resamples see.

    Notes
    -----
    What was measured for each clause is in the page "Calibration", made by ``python -m calibration``, and in
    the pages named:

    - score intervals: accuracy in its tables "By metric" and "One system";
    - cr2: its tables "Clusters" and "Clusters whose effect goes with their size"; crossed groupings and
      blocks of text in the page "Dependent items";
    - abc and bca from 50 effective units: its table "Methods", and the page "Choosing an interval";
    - hall or normal for means: the skewed mean in "Methods", "Heavy tails", "Ties" and "Skewed differences";
    - normal by formula: macro-F1, MCC, Pearson, the BLEU-like ratio, Spearman and AUC in "By metric" and
      "A rare class";
    - percentile for what moves in steps: "Medians and other quantiles";
    - cr2 or normal for small strata: "Small strata".

    Examples
    --------
    >>> choose_interval(proportion=True, difference=True, n_differing=9, plain_mean=True,
    ...                 stratified=False).method
    'tango'
    """
    if crossed:
        return Choice("two-way", "items come in two crossed groupings, which no resampling keeps")
    if drawn:
        return Choice("basic", "no formula allows for the way in which the resamples are drawn")
    if proportion and not stratified:
        method = "tango" if difference else "wilson-midp"
        return Choice(method, "a score interval keeps its level for proportions, however few items differ")
    if not (blocks or in_batches):
        choice = _by_influence(
            n_units,
            mean=mean or plain_mean,
            formula=formula,
            correlation=correlation,
            difference=difference,
            clustered=clustered,
        )
        if choice is not None:
            return choice
    if few_clusters and robust:
        return Choice("cr2", 'clusters are few or unequal, see the page "Dependent items"')
    if blocks:
        sums = 'standard errors of block sums cover better than resampled blocks, see "Dependent items"'
        few = "blocks of ordered text, too many to be left out one by one"
        return Choice("cr2", sums) if robust else Choice("basic", few)
    if steps:
        return Choice("percentile", "the metric does not change smoothly with these items, as medians do not")
    effective = n_differing if n_effective is None else n_effective
    derivatives = formula or ranks
    if shown_by_resamples < ENOUGH_SHOWN * shown_by_formula and (derivatives or (clustered and robust)):
        method = "cr2" if clustered and robust else "normal"
        return Choice(method, "strata are small, and resamples inside small strata vary too little")
    if effective >= ENOUGH_DIFFERING:
        method = "abc" if derivatives else "bca" if difference else "bca-expanded"
        return Choice(method, f"at least {ENOUGH_DIFFERING} effective units differ")
    fewer = f"fewer than {ENOUGH_DIFFERING} effective units differ"
    if clustered and robust:
        return Choice("cr2", f"{fewer}, and there is a standard error for clusters of unequal size")
    if not difference:
        return Choice("bca-expanded", "the score of one system, which no formula gives")
    if derivatives:
        return Choice("normal", f"{fewer}, and a formula gives the standard error")
    return Choice("basic", f"{fewer}, and no formula gives the standard error")


def _by_influence(
    n_units: int, *, mean: bool, formula: bool, correlation: bool, difference: bool, clustered: bool
) -> Choice | None:
    """Return the interval from what each unit adds, for means and for scores of one system; else None."""
    if not mean:
        if difference or clustered or not (formula or correlation):
            return None
        if correlation:
            return Choice("fisher-z", "correlations are nearly normal on Fisher's scale")
        return Choice("hall-wide", "the score of one system, whose units may be skewed")
    if n_units >= (FROM_UNITS if difference or clustered else FEWEST):
        return Choice("hall", "a mean, whose units may be skewed")
    few = f"a mean of fewer than {FROM_UNITS} units, which do not show skewness"
    return Choice("cr2" if clustered else "normal", few)


def for_verdict(method: str, *, mean: bool, n_units: int) -> str:
    """Return the interval of a difference that a verdict is read from, where auto chose `method`.

    One end decides a verdict, and where units are skewed it is that end which is passed too often. So means
    allow for more skewness than was seen, however few the units are.
    """
    by_error = method in ("auto", "hall", "normal", "cr2")
    return "hall-wide" if mean and by_error and n_units >= FEWEST else method


def reservation(
    method: str,
    *,
    difference: bool,
    n_differing: int,
    n_effective: float | None,
    n_units: int = 0,
    plain_mean: bool = False,
    clustered: bool = False,
    ranks: bool = False,
    steps: bool = False,
    tested: bool = False,
    bounded: bool = True,
) -> Note | None:
    """Return a note if an interval of this kind does not cover what it says.

    `difference`, `n_differing`, `n_units`, `plain_mean`, `clustered`, `n_effective`, `ranks` and `steps` are
    as for `choose_interval`; `tested` and `bounded` tell of what the note is to speak, a p-value and the
    interval. Returns the note; None if there is nothing to say.

    Student's t of a mean is right for few units that all differ, if they are not skewed. The headline says
    so, and the units show it least where they are skewed: their number of effective ones is large there.
    That of clusters also tells whether a few of them hold most of the items.
    """
    by_t = plain_mean and method in BY_FORMULA and FEWEST <= n_units == n_differing < FROM_UNITS
    if by_t and not clustered:
        return None
    if difference and 0 < n_differing < FEW_DIFFERING and method != "calibration" and not by_t:
        units = "one unit" if n_differing == 1 else f"{n_differing} units"
        message = "the interval is probably too short"
        if method == "tango":
            message = "with so few, no interval meets its level; this one covers more than it says"
        return Note("few_differing", f"the systems differ on only {units}: {message}")
    if method in ("tango", "calibration"):
        return None
    if steps:  # effective units, which come from the effect of single units, mean nothing then
        return _step_note(method, n_differing)
    special = {"wilson": FEW_FOR_WILSON, "cr2": FEW_FOR_ONE_ROBUST, "two-way": FEW_FOR_ONE_ROBUST}
    special |= dict.fromkeys(("hall", "hall-wide", "fisher-z"), FEW_FOR_ONE_ROBUST)
    special |= {"wilson-midp": FEW_FOR_WILSON}
    enough = _fewest(method, plain_mean, ranks) if difference else special.get(method, FEW_FOR_ONE)
    if n_effective is not None and 0.0 < n_effective < enough:
        number = f"{max(n_effective, 1.0):.0f}"
        units = "one effective unit" if number == "1" else f"{number} effective units"
        message = f"the {long_name('interval', method)} interval is probably too short"
        if tested:
            message = (
                f"{message}, and a small p-value too small"
                if bounded
                else "the p-value is probably too small"
            )
        if method == "cr2" and difference:
            message += " if the effects of clusters are skewed or go with their size"
        return Note("few_effective", f"only {units}: {message}")
    return None


def strata_note(method: str, shown: Shown, *, formula: bool = True) -> Note | None:
    """Return a note if an interval, or the test "bootstrap", misses much of the variance inside strata.

    `formula`: an interval from a standard error by formula can be had instead.

    >>> strata_note("bca", Shown(1.0, 0.5)).code, strata_note("normal", Shown(1.0, 0.5))
    ('small_strata', None)
    """
    seen = shown.by_formula if method in (*BY_FORMULA, "calibration") else shown.by_resamples
    if seen >= ENOUGH_SHOWN:
        return None
    short = f"about {100.0 * (1.0 - math.sqrt(seen)):.0f} % too short"
    if method == "bootstrap":
        what, instead = "the bootstrap test rejects too often", 'test="permutation"'
    else:
        what = f"the {long_name('interval', method)} interval is {short}"
        instead = 'interval="normal"' if formula else ""
    if shown.by_formula < ENOUGH_SHOWN:
        return Note("small_strata", f"{_small_strata(shown)}: {what}; merge strata")
    remedy = f"larger strata or {instead} avoid that" if instead else "larger strata avoid that"
    return Note("small_strata", f"{_small_strata(shown)}: {what}; {remedy}")


def pilot_strata_note(shown: Shown) -> Note | None:
    """Return a note if studies drawn inside the strata of a pilot miss much of the variance there.

    >>> pilot_strata_note(Shown(1.0, 0.5)).code, pilot_strata_note(Shown(1.0, 0.95))
    ('small_strata', None)
    """
    if shown.by_resamples >= ENOUGH_SHOWN:
        return None
    little = f"{100.0 * (1.0 - math.sqrt(shown.by_resamples)):.0f} %"
    what = (
        f"the differences of simulated studies vary up to {little} too little, so that a power above 0.5 is"
    )
    what += " too high, and the size for such a power too small"
    return Note("small_strata", f"{_small_strata(shown)}: {what}; merge strata")


def _small_strata(shown: Shown) -> str:
    """Return why units in small strata do not show how they vary."""
    if shown.by_formula < ENOUGH_SHOWN:
        single = f"{100.0 * (1.0 - shown.by_formula):.0f} % of the units are alone in their stratum"
        return f"{single}, which does not show how they vary"
    mean = f"strata have {1.0 / (1.0 - shown.by_resamples):.2g} units on average"
    return f"{mean}, and resamples inside them vary too little"


def _step_note(method: str, n_differing: int) -> Note | None:
    """Return a note on the interval of a difference of medians, or of what else moves in steps."""
    if method == "percentile" and n_differing >= ENOUGH_FOR_STEPS:
        return None
    message = "the metric does not change smoothly with these items, as medians and other quantiles do not: "
    if method == "percentile":
        message += (
            f"on {n_differing} units the percentile interval may cover a few points more or less than it says"
        )
    else:
        message += (
            f"the {long_name('interval', method)} interval is probably too short, and percentile is better"
        )
    return Note("moves_in_steps", message)


def _fewest(method: str, plain_mean: bool, ranks: bool) -> int:
    """Return the effective units below which an interval of a difference is too short."""
    special = FEW_FOR_MEANS if plain_mean else FEW_FOR_RANKS if ranks else {}
    return special.get(method, FEW_EFFECTIVE.get(method, FEW_BY_DEFAULT))
