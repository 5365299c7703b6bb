"""The decisions of a monitor, from what was shown of each pair."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from bestby._core import rounding
from bestby.questions.monitor import planned
from bestby.questions.monitor.confidence_sequences import asymptotic_radius
from bestby.questions.monitor.result import Decision
from bestby.questions.monitor.sequences import Claim, Pairs
from bestby.questions.monitor.settings import FEW_FOR_ASYMPTOTICS, Settings


def hypotheses(settings: Settings) -> tuple[float, ...]:
    """Return the differences that decisions are about."""
    return (0.0,) if settings.margin is None else (-settings.margin, 0.0, settings.margin)


def pair_decision(pairs: Pairs, place: int) -> Decision | None:
    """Return what was decided of the first system of a pair against the second; None while it is open."""
    s, means = pairs.settings, pairs.means.tolist()
    conclusions: tuple[Decision, ...] = ("better", "worse", "equivalent")
    for made in conclusions[: 2 if s.margin is None else 3]:
        if all(pairs.shown(side, means.index(mean), error)[place] for side, mean, error in claims(s, made)):
            return made
    if not pairs.active[place]:
        return None
    if _complete(pairs):
        return _at_the_end(pairs, place)
    return "futile" if _hopeless(pairs, place) else None


def claims(s: Settings, decision: Decision) -> tuple[Claim, ...]:
    """Return what must be shown of a difference for a decision about it."""
    margin = s.margin or 0.0
    if decision == "equivalent":
        return (0, -margin, s.alpha), (1, margin, s.alpha)
    above = (decision == "better") == s.greater_is_better
    return ((0, margin, s.alpha / 2.0) if above else (1, -margin, s.alpha / 2.0),)


def _complete(pairs: Pairs) -> bool:
    """Return whether all items were counted, or those of the last planned look."""
    looks = pairs.settings.looks
    return round(pairs.sums.s) == pairs.settings.n_items or (looks is not None and pairs.sums.s >= looks[-1])


def _at_the_end(pairs: Pairs, place: int) -> Decision:
    """Return the decision when no item is left; of a benchmark the difference itself is known then."""
    s, estimate = pairs.settings, float(pairs.sums.mean[place])
    if s.population == "wider" or round(pairs.sums.s) != s.n_items:
        return "futile"
    margin = s.margin or 0.0
    if abs(estimate) <= margin or rounding.level(abs(estimate), margin, max(abs(estimate), margin, 1e-9)):
        return "futile" if s.margin is None else "equivalent"
    return "better" if (estimate > 0.0) == s.greater_is_better else "worse"


def _hopeless(pairs: Pairs, place: int) -> bool:
    """Return whether no decision can be expected from the items that are left.

    Whatever value of the present interval the truth has, the interval at the last item would not decide. The
    lengths are those of the asymptotic sequence, the shortest, or of the last planned look. This rule only
    stops, and adds no error.
    """
    s, sums = pairs.settings, pairs.sums
    # The number of units below which nothing is called futile
    few = FEW_FOR_ASYMPTOTICS if s.bounds is None and s.looks is None else 30
    if s.population == "bank" or s.n_items is None or sums.n_units < few:
        return False
    n, last = sums.n_units, sums.n_units * s.n_items / sums.s
    spread = float(planned.spread(s, n, sums.deviation)[place])
    estimate, margin = float(sums.mean[place]), s.margin or 0.0
    reach, final = (spread * one for one in _lengths(pairs, s.alpha, last))
    _, final_tost = (spread * one for one in _lengths(pairs, 2.0 * s.alpha, last))
    nearest = min(max(0.0, estimate - reach), estimate + reach)
    for truth in (estimate - reach, estimate + reach, nearest):
        end = (n * estimate + (last - n) * truth) / last
        if abs(end) - final > margin or (s.margin is not None and abs(end) + final_tost < margin):
            return False
    return True


def _lengths(pairs: Pairs, alpha: float, last: float) -> tuple[float, float]:
    """Return the half-lengths of the intervals now and at the end, in standard deviations of a unit."""
    s, n = pairs.settings, pairs.sums.n_units
    if s.looks is None:
        return asymptotic_radius(n, alpha, n), asymptotic_radius(last, alpha, last)
    here, there = planned.multiples(s, n, alpha, pairs.counts)
    return here / math.sqrt(n), there / math.sqrt(last)


def first_decision(
    first: str, decisions: Mapping[str, Decision | None], behind: Mapping[str, str]
) -> Decision | None:
    """Return the decision of the first system against all others, from those of its pairs.

    `behind` names of each system that can no longer be first one that is better. What is decided against the
    better one holds against it, too; if that is the first system, the first is at least as good.
    """

    def against(other: str) -> Decision | None:
        if decisions[other] is not None or other not in behind:
            return decisions[other]
        return "equivalent" if behind[other] == first else against(behind[other])

    found = [against(other) for other in decisions]
    if "worse" in found:
        return "worse"
    if None in found:
        return None
    if all(one == "better" for one in found):
        return "better"
    return "futile" if "futile" in found else "equivalent"


def new_drops(pairs: Pairs, systems: Sequence[str], behind: Mapping[str, str]) -> dict[str, str]:
    """Return the systems that are now shown to be worse than another one, and that one.

    The first system is never dropped by this: the decision is about it. `pairs` are all pairs of systems,
    with 0 as their only hypothesis.
    """
    s = pairs.settings
    above, below = (pairs.shown(side, 0, s.alpha / 2.0) for side in (0, 1))
    mean = pairs.sums.mean
    found: dict[str, str] = {}
    for (a, b), up, down, ahead in zip(pairs.pairs, above, below, mean, strict=True):
        if not (up or down) or systems[a] in behind or systems[b] in behind:
            continue
        # By the means of this look, so that no circle arises where the evidence of several looks disagrees.
        better, worse = (a, b) if (ahead > 0.0) == s.greater_is_better else (b, a)
        if worse != 0 and systems[worse] not in found:
            found[systems[worse]] = systems[better]
    return found
