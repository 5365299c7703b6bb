"""What to do next: what the items of a comparison can detect, and how many a smaller difference takes."""

from __future__ import annotations

import dataclasses
import math
from functools import lru_cache

from bestby._core.errors import BestbyError
from bestby._core.text import grouped
from bestby.inference.permutation import least_p
from bestby.planning.base import USUAL_POWER, Design, Question, least_effect, least_size
from bestby.planning.paired import PairedProportions, PairedScores
from bestby.report import words
from bestby.report.comparison import Comparison, Difference
from bestby.report.numbers import Rounding, alpha, margin_text
from bestby.report.percent import NAMED, as_measured, scale_of
from bestby.report.tables import differences_of, systems_of
from bestby.results.base import MetricInfo

MOST_EXACT = 30_000
"""Items up to which a size is told to the last item."""

_FAMILIES = ("holm", "bonferroni", "step-down", "max-t")
"""Corrections under which Bonferroni's level is that of the first comparison, or a bound of it."""


def next_step(c: Comparison, metric: MetricInfo) -> str:
    """Return on how many items the leading two differ, and what a study of that size detects; "" without any.

    The leading two are the two best, or the baseline and the best other system. The numbers are those of
    `bestby plan`: for a share of right answers from the items that exactly one has right, by McNemar's test,
    else from the standard error of the difference, by a t-test, in both cases with what these leave open.
    They are for the level that Bonferroni gives one comparison of the family.
    """
    d = leading(c, metric)
    if d is None or c.in_bounds:
        return ""
    if d.estimate < 0.0:
        d = d.mirrored()
    systems = [entry.system for entry in systems_of(c, metric)]
    who = " and ".join(systems[:2])
    if c.baseline is not None:
        who = f"{d.b if d.a == c.baseline else d.a} and the baseline {c.baseline}"
    elif len(systems) > 2:
        who += ", the two best systems,"
    # Items may differ in one metric and not in another, such as those that both systems have wrong.
    what = f" in {metric.name.removesuffix(NAMED)}" if len(c.metrics) > 1 else ""
    text = f"{who} differ{what} on {grouped(d.n_differing)} of {grouped(d.n_items)} items."
    return " ".join(filter(None, (text, _detected(c, metric, d))))


def leading(c: Comparison, metric: MetricInfo) -> Difference | None:
    """Return the difference of the two best systems, or of the best other system and the baseline."""
    names = [entry.system for entry in systems_of(c, metric)]
    if not c.differences or len(names) < 2:
        return None
    if c.baseline is not None:
        names = [next(name for name in names if name != c.baseline), c.baseline]
    first, second = names[:2]
    return c.find(metric.name, first, second) or c.find(metric.name, second, first)


def _detected(c: Comparison, metric: MetricInfo, d: Difference) -> str:
    """Return which difference the items detect, and what the margin, or else the one seen, would take.

    What is said is on the scale shown; sizes are those of the scale of the metric, in percent too.
    """
    scale, seen = scale_of(metric), Rounding.of([(d.estimate, d.interval)]).size(d.estimate)
    d = as_measured(d, scale)
    detection = _detection(c, metric, d)
    if detection is None:
        return ""
    detected, design, question = detection
    family = question.n_comparisons
    low, high = metric.bounds
    possible = abs(detected) <= high - low
    power = f"power {USUAL_POWER:g}{_of_test(d, design)}"
    if possible:
        text = f"{grouped(d.n_items)} items detect a difference of {_rounded(scale * detected)} with {power}"
    else:
        text = f"{grouped(d.n_items)} items are too few to detect any possible difference with {power}"
    if family > 1:
        which = "each" if c.correction == "bonferroni" else "the first"
        text += f" at the level {alpha(c.level):.4g} / {grouped(family)}"
        text += f", Bonferroni's for {which} of {grouped(family)} comparisons"
    if c.margin is not None:
        size, named = c.margin / scale, f"the margin of {margin_text(c.margin)}"
    else:
        size, named = abs(d.estimate), f"the {seen} seen here"
    needed = None
    if size < abs(detected):
        needed = _size(d, design, math.copysign(size, detected), detected, question) if size > 0.0 else None
    elif possible:
        return f"{text}; they are enough for {named}."
    return f"{text}." if needed is None else f"{text}; {named} would take {needed} items."


def _of_test(d: Difference, design: Design) -> str:
    """Return of which test the power is, in words; "" if it is the one that was used.

    On right and wrong answers the permutation and the sign test are McNemar's.
    """
    planned = design.test if isinstance(design, PairedProportions) else "t"
    used = "" if d.test is None else d.test.name
    same = used == planned or (planned == "mcnemar" and used in ("permutation", "sign"))
    return "" if same else f" ({words.name_of_test(planned)})"


def detectable(c: Comparison, metric: MetricInfo) -> float | None:
    """Return the smallest difference that the items show of the leading two with power 0.8; None if unknown.

    It is that of `next_step`, on the scale of the metric, and None where no difference that can be is shown.
    """
    d = leading(c, metric)
    detection = None if d is None else _detection(c, metric, as_measured(d, scale_of(metric)))
    if detection is None:
        return None
    size = abs(detection[0])
    return scale_of(metric) * size if size <= metric.bounds[1] - metric.bounds[0] else None


def _detection(c: Comparison, metric: MetricInfo, d: Difference) -> tuple[float, Design, Question] | None:
    """Return the difference that is detected, and the study and the question that it follows from."""
    design = design_of(d)
    if design is None or d.test is None or c.in_bounds:
        return None
    family = len(differences_of(c, metric)) if c.correction in _FAMILIES else 1
    n, _ = words.units_of(c)
    swapped = words.by_swaps(d, c.provenance.settings.get("test"))
    if swapped and family * least_p(n, d.test.alternative) > alpha(c.level):
        return None  # no swap can decide, and what does then is no t test of the usual power
    question = Question(c.level, d.test.alternative, family)
    detected = _detectable(design, d.n_items, question)
    if detected is None and isinstance(design, PairedProportions):
        # Near 0 or 1, two systems that differ on so many items cannot be so far apart.
        design = _by_error(d)
        detected = None if design is None else _detectable(design, d.n_items, question)
    return None if detected is None or design is None else (detected, design, question)


def _size(d: Difference, design: Design, size: float, detected: float, question: Question) -> str | None:
    """Return how many items a difference takes, in words."""
    start = math.ceil(d.n_items * (detected / size) ** 2)
    if start > MOST_EXACT:
        design = _by_error(d) or design
    needed = _needed(design.with_effect(size), start, question)
    if needed is None:
        return None
    return grouped(needed) if needed <= MOST_EXACT else f"about {grouped(round(float(f'{needed:.3g}')))}"


def design_of(d: Difference) -> Design | None:
    """Return the study that was done as one to plan; None where its size does not tell its standard error."""
    if d.n_differing == 0 or not math.isfinite(d.estimate):
        return None
    # Differing items above which the t-test, which takes less time, has the power of the test of the counts
    exact = d.interval is not None and d.interval.method == "tango" and d.n_differing <= 500
    if not exact or d.n_clusters or not _are_shares_of_items(d):
        return _by_error(d)
    agreement = 1.0 - d.n_differing / d.n_items
    design = PairedProportions(d.score_a, d.score_b, agreement, pilot_items=d.n_items)
    midp = d.test is not None and d.test.name == "mcnemar-midp"
    return dataclasses.replace(design, test="mcnemar-midp") if midp else design


def _are_shares_of_items(d: Difference) -> bool:
    """Return whether scores are shares of all items: the right answers that one has more are a whole number.

    Those of a share of some items, such as recall, are not.
    """
    net = d.estimate * d.n_items
    # How far from a whole number a count may be that was had from a score
    whole = abs(net - round(net)) < 1e-6 and (round(net) - d.n_differing) % 2 == 0
    return whole and abs(round(net)) <= d.n_differing


def _by_error(d: Difference) -> PairedScores | None:
    error, units = d.standard_error, d.n_clusters or d.n_items
    if d.standard_error_method in ("two-way", "crossed") or units < 2 or error is None:
        return None
    if not (math.isfinite(error) and error > 0.0):
        return None
    sd, df = error * math.sqrt(d.n_items), units - 1.0
    if _are_shares_of_items(d):
        # As a pilot is read: items in clusters are not taken to be more alike by chance than items alone, and
        # where few items differ, little is known of how many differ.
        share = d.n_differing / d.n_items
        sd = max(sd, math.sqrt((share - d.estimate**2) * d.n_items / (d.n_items - 1.0)))
        df = min(df, 2.0 * d.n_differing / (1.0 - share)) if share < 1.0 else df
    return PairedScores(d.estimate, sd, cluster_size=d.n_items / units, pilot_df=df)


@lru_cache(maxsize=64)
def _detectable(design: Design, n: int, question: Question) -> float | None:
    try:
        return least_effect(design, n, USUAL_POWER, question)
    except BestbyError:  # no difference of these systems is detected
        return None


@lru_cache(maxsize=64)
def _needed(design: Design, start: int, question: Question) -> int | None:
    try:
        return least_size(design, USUAL_POWER, question, start)[0]
    except BestbyError:  # none that could ever be collected
        return None


def _rounded(difference: float) -> str:
    return margin_text(float(f"{abs(difference):.2g}"))
