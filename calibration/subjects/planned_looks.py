"""Planned looks: how often the interval of some look misses the truth, over all looks together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from bestby.questions.monitor import items, monitor, planned_looks
from bestby.questions.monitor.confidence_sequences import Units, single
from bestby.questions.monitor.evidence import Sums, closed_form_intervals
from bestby.questions.monitor.settings import Settings
from calibration.sequences import Batched, Draw, settings
from calibration.statements import Statements, What
from calibration.subjects.sequential import answered, shuffled

TITLE = "Planned looks"

TEXT = """
Sequences of items with planned looks (`bb.Monitor(..., looks=...)`). `rejected`: how often the repeated
confidence interval of any look misses the true difference; `auto` is the spending of O'Brien and Fleming. A
sequence counts as noted where the first look has fewer than 50 units, 20 that differ, or 25 times the squared
skewness. *Ordinary* takes 1.96 standard errors at each look, as if it were the only one. *Benchmark*: the
items of a benchmark without replacement, whose last look, at all of them, needs no interval. Three things
keep the error at 5 % where the normal approximation is poor: the quantiles of Student's t, Hall's
transformation for skewed differences, and one more unit that differs as far as the bounds allow.
"""

_SEQUENCES = 20_000
_BATCH = 2_000
"""Sequences that are drawn together: other numbers draw others, and change the stored rows."""
_METHODS = ("spending-obrien-fleming", "obrien-fleming", "spending-pocock", "pocock")

_Interval = Callable[[Sums, tuple[int, ...]], tuple[np.ndarray, np.ndarray]]


def cells() -> Iterator[Statements]:
    """Yield shares of differing items, shapes of scores, benchmarks and clusters, by size and looks."""
    for n, looks in ((60, 3), (300, 5), (1500, 3)):
        for share, true in ((0.05, 0.0), (0.2, 0.0), (0.5, 0.0), (0.1, 0.08)):
            draw = partial(answered, n, share, true)
            told = f"0/1, {share:.0%} differ" + (f", {100 * true:g} points" if true else "")
            yield _cell(told, draw, true, n, looks)
    for name in ("normal", "lognormal less its mean"):
        yield _cell(f"without bounds, {name}", partial(_unbounded, name), 0.0, 300, 5, bounds=None)
    yield _cell(
        "benchmark of 0/1, 20 % differ", partial(shuffled, (55, 45, 400)), 0.02, 500, 3, population="bank"
    )
    yield _cell("clusters of 1 to 9", _clusters, 0.0, 600, 3, methods=(_METHODS[0], _METHODS[2]))


def _cell(
    name: str,
    draw: Draw,
    truth: float,
    n: int,
    looks: int,
    methods: tuple[str, ...] = _METHODS,
    **changed: object,
) -> Statements:
    plans = {method: settings(n_items=n, looks=looks, method=method, **changed) for method in methods}
    planned_at = plans[methods[0]].looks
    assert planned_at is not None
    one = Batched(draw, partial(_missed, truth, plans), partial(_noted, planned_at), _BATCH)
    told = f"{name}, {looks} looks"
    return Statements("planned_looks", told, str(n), n, one, datasets=_SEQUENCES)


def _missed(truth: float, plans: dict[str, Settings], units: Units) -> dict[What, np.ndarray]:
    """Return of each method and sequence whether any look missed the truth."""
    made = {
        What("rejected", "auto" if method == _METHODS[0] else method, True): missed(units, truth, s)
        for method, s in plans.items()
    }
    return {**made, What("rejected", "ordinary"): _ordinary(units, truth, next(iter(plans.values())))}


def _noted(looks: tuple[int, ...], units: Units) -> np.ndarray:
    """Return of each sequence whether its first look has a note."""
    ends = np.cumsum(units.sizes).tolist()
    first = items.reached(looks, ends)[0]
    return monitor.doubtful(units.part(0, ends.index(first) + 1).values)


def missed(units: Units, truth: float, s: Settings) -> np.ndarray:
    """Return of each sequence whether the interval missed the truth at any planned look, shape (P,)."""
    return _at_looks(units, s, lambda sums, counts: closed_form_intervals(sums, s, s.alpha, counts), truth)


def _ordinary(units: Units, truth: float, s: Settings) -> np.ndarray:
    def ends(sums: Sums, counts: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        half = 1.96 * sums.deviation / np.sqrt(sums.n_units) * planned_looks.share_left(s, counts[-1])
        return sums.mean - half, sums.mean + half

    return _at_looks(units, s, ends, truth)


def _at_looks(units: Units, s: Settings, interval: _Interval, truth: float) -> np.ndarray:
    assert s.looks is not None
    ends = np.cumsum(units.sizes).tolist()
    counts = items.reached(s.looks, ends)
    found = np.zeros(units.values.shape[1], dtype=np.bool_)
    for place, count in enumerate(counts, 1):
        if count == s.n_population:
            continue
        sums = Sums.of(units.part(0, ends.index(count) + 1))
        low, high = interval(sums, counts[:place])
        found |= (truth < low) | (truth > high)
    return found


def _unbounded(name: str, rng: np.random.Generator, width: int) -> Units:
    shape = (300, width)
    return single(rng.normal(size=shape) if name == "normal" else rng.lognormal(size=shape) - np.exp(0.5))


def _clusters(rng: np.random.Generator, width: int) -> Units:
    """Return clusters of items that are alike within, to 600 items."""
    sizes = rng.integers(1, 10, 120)
    sizes = sizes[: int(np.searchsorted(np.cumsum(sizes), 600)) + 1]
    values = rng.choice([-1.0, 0.0, 1.0], (sizes.size, width), p=[0.2, 0.6, 0.2])
    return Units(values, sizes, sizes / 9.0)
