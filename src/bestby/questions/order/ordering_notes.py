"""What must be known beside almost stochastic order: one note for each cause, however many pairs have it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bestby._core import rounding
from bestby._core.typing import FloatArray
from bestby.data.roles import listed
from bestby.inference.locations import FEW_RUNS
from bestby.questions.order.violation import MOST_DEALS, Estimate, n_deals
from bestby.results.base import Note

SPREAD_APART = 2.0
"""Ratio of standard deviations from which runs of unequal number, or few runs, are not safely exchanged."""

FEW_TO_EXCHANGE = 10
"""Runs of each system below which that is so of equally many, too."""

MOST_NAMED = 3
"""Pairs or systems that a note names."""


@dataclass(frozen=True)
class Ordered:
    """Two systems and what was estimated of them; `alpha` is the level of the test after correction."""

    a: str
    b: str
    scores_a: FloatArray
    scores_b: FloatArray
    estimate: Estimate
    alpha: float
    n_resamples: int

    @property
    def sizes(self) -> tuple[int, int]:
        """The numbers of runs."""
        return self.scores_a.size, self.scores_b.size

    @property
    def out_of_reach(self) -> bool:
        """Whether even runs that do not overlap would have a p-value above alpha."""
        return not rounding.at_most(1.0, self.alpha * n_deals(*self.sizes))

    @property
    def few_resamples(self) -> bool:
        """Whether the deals drawn are too few for a p-value as small as alpha."""
        most = max(self.n_resamples, MOST_DEALS)
        return not (self.estimate.exact or self.out_of_reach) and self.alpha * (most + 1) < 1.0

    @property
    def unequal_spread(self) -> bool:
        """Whether the system with fewer runs varies much more than the other."""
        fewer, more = sorted((self.scores_a, self.scores_b), key=lambda scores: scores.size)
        return fewer.size < more.size and _ratio(fewer, more) > SPREAD_APART

    @property
    def few_and_unequal(self) -> bool:
        """Whether one of two systems with equally few runs looks dominant, and one varies much more."""
        a, b, found = self.scores_a, self.scores_b, self.estimate
        few = a.size == b.size < FEW_TO_EXCHANGE and min(found.greater, found.less) <= self.alpha
        return few and max(_ratio(a, b), _ratio(b, a)) > SPREAD_APART


def _ratio(a: FloatArray, b: FloatArray) -> float:
    """Return the ratio of the standard deviations; 0 if the second system has none, which a note tells."""
    spread = float(b.std(ddof=1))
    return float(a.std(ddof=1)) / spread if spread > 0.0 else 0.0


def pair_notes(pairs: Sequence[Ordered]) -> tuple[Note, ...]:
    """Return the notes on one pair, or on all pairs of a comparison."""
    return tuple(_notes(pairs))


def _notes(pairs: Sequence[Ordered]) -> Iterator[Note]:
    same = [pair for pair in pairs if math.isnan(pair.estimate.ratio)]
    if same:
        message = (
            f"the scores of {_named(same)} are the same at every quantile: the violation ratio is undefined"
        )
        yield Note("identical_runs", message, _about(same))
    yield from _on_systems(pairs)
    beyond = [pair for pair in pairs if pair.out_of_reach]
    if beyond:
        yield Note("out_of_reach", _out_of_reach(beyond), _about(beyond))
    short = [pair for pair in pairs if pair.few_resamples]
    if short:
        most = max(short[0].n_resamples, MOST_DEALS)
        message = (
            f"{most} resamples give no p-value below {1 / (most + 1):.2g}, but the level requires"
            f" {short[0].alpha:.2g}: raise n_resamples; otherwise no dominance can be shown for"
            f" {_named(short)}"
        )
        yield Note("few_resamples", message, _about(short))
    uneven = [pair for pair in pairs if pair.unequal_spread]
    if uneven:
        message = (
            f"for {_named(uneven)}, the system with fewer runs varies more than twice as much as the other:"
            " the permutation test can take that for an advantage; compare equal numbers of runs"
        )
        yield Note("unequal_spread", message, _about(uneven))
    far = [pair for pair in pairs if pair.few_and_unequal]
    if far:
        message = (
            f"for {_named(far)}, one system varies more than twice as much as the other: with fewer"
            f" than {FEW_TO_EXCHANGE} runs each the permutation test takes that for an advantage somewhat too"
            " often; use more runs"
        )
        yield Note("unequal_spread", message, _about(far))
    undefined = [pair for pair in pairs if pair.estimate.undefined]
    if undefined:
        most = max(pair.estimate.undefined for pair in undefined)
        message = (
            f"in {most} of {undefined[0].n_resamples} resamples of {_named(undefined)} the two samples were"
            " the same; they count as a violation ratio of 1/2"
        )
        if len(undefined) > 1:
            message = message.replace("in ", "in up to ", 1)
        yield Note("undefined_resamples", message, _about(undefined))


def _on_systems(pairs: Sequence[Ordered]) -> Iterator[Note]:
    """Yield the notes that are about the runs of single systems."""
    runs = {name: scores for pair in pairs for name, scores in _systems(pair)}
    few = {name: scores.size for name, scores in runs.items() if scores.size < FEW_RUNS}
    if few:
        sizes = listed([f"{name} has {size} runs" for name, size in few.items()], MOST_NAMED)
        message = (
            f"{sizes}; with fewer than {FEW_RUNS} runs the bootstrap underestimates how much they vary, and"
            " epsilon_min is too often too small; the p-value allows for it"
        )
        about = [pair for pair in pairs if min(pair.sizes) < FEW_RUNS]
        yield Note("few_runs", message, _about(about))
    differing = [pair for pair in pairs if not math.isnan(pair.estimate.ratio)]
    runs = {name: scores for pair in differing for name, scores in _systems(pair)}
    constant = [name for name, scores in runs.items() if scores[0] == scores[-1]]
    if constant:
        message = (
            f"all runs of {listed(constant, MOST_NAMED)} have the same score: they are"
            " copies, or the metric is too coarse to show how they vary"
        )
        about = [pair for pair in differing if pair.a in constant or pair.b in constant]
        yield Note("constant_runs", message, _about(about))


def _out_of_reach(pairs: Sequence[Ordered]) -> str:
    """Say that no data could show dominance, and of one pair why."""
    alpha = f"{pairs[0].alpha:.2g}"
    if len(pairs) > 1:
        return (
            f"with as few runs as {_named(pairs)} have, no p-value reaches {alpha}, which the level requires:"
            " no dominance can be shown; use more runs or fewer comparisons"
        )
    (pair,) = pairs
    (n, m), deals = pair.sizes, n_deals(*pair.sizes)
    return (
        f"with {n} and {m} runs of equal systems, all runs of {pair.a} exceed all runs of {pair.b} once in"
        f" {deals:.0f} times, more often than {alpha}: no scores can show dominance at this level"
    )


def _systems(pair: Ordered) -> tuple[tuple[str, FloatArray], tuple[str, FloatArray]]:
    return (pair.a, pair.scores_a), (pair.b, pair.scores_b)


def _about(pairs: Sequence[Ordered]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for pair in pairs for name, _ in _systems(pair)))


def _named(pairs: Sequence[Ordered]) -> str:
    """Return "x and y", or the first of several pairs and how many there are."""
    if len(pairs) == 1:
        return f"{pairs[0].a} and {pairs[0].b}"
    names = [f"{pair.a} and {pair.b}" for pair in pairs]
    return f"{len(pairs)} pairs ({listed(names, MOST_NAMED)})"
