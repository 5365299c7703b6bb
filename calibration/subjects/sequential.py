"""Monitors: how often an interval that is looked at after every item misses the truth at some look."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from bestby import Monitor
from bestby.questions.monitor.confidence_sequences import Units, single
from bestby.questions.monitor.settings import Settings
from calibration.populations import Floats
from calibration.sequences import Batched, Draw, ever_missed, peeked, settings
from calibration.statements import Outcome, Statements, What

TITLE = "Monitors"

TEXT = """
Sequences of items that are looked at after every item. `rejected`: how often the interval of the difference
misses the truth at any of these looks. `auto` is betting where there are bounds and, where there are none,
the asymptotic sequence from 300 items on; *peeking* looks at an ordinary 95 % interval every 50 items.
*Benchmark*: all its items, drawn without replacement. *Clusters*: of 1 to 12 items, whose difference grows
with their size; the size of the largest is given, or not. *All pairs* of some equal systems: `rejected` is
that the interval of any pair misses at any look. *Monitor*: `bb.Monitor` itself with a margin of 10 points,
`rejected` being a wrong decision about two systems or, of five equal systems, that any of them is dropped or
decided against.
"""

_N = 1000
_SEQUENCES = 20_000
_MANY = 10_000
"""Pairs that are looked at together, about twice."""


def cells() -> Iterator[Statements]:
    """Yield populations of single items, of a benchmark and of clusters, and whole monitors."""
    for name, share, true in (
        ("0/1, 10 % differ", 0.1, 0.0),
        ("0/1, 40 % differ", 0.4, 0.0),
        ("0/1, 4 % differ, all one way", 0.04, 0.04),
        ("0/1, 10 % differ, 8 points", 0.1, 0.08),
    ):
        yield _cell(name, partial(answered, _N, share, true), true, settings(), peek=true == 0.0)
    for shape in ("uniform", "skewed"):
        yield _cell(f"between bounds, {shape}", partial(_bounded, shape), 0.0, settings(), peek=True)
    for shape in ("normal", "t with 3 degrees of freedom", "lognormal less its mean"):
        unbounded = settings(bounds=None, n_items=_N, population="wider")
        yield _cell(f"without bounds, {shape}", partial(_unbounded, shape), 0.0, unbounded)
    bank = settings(n_items=_N, population="bank")
    yield _cell("benchmark of 0/1, 20 % differ", partial(shuffled, (110, 90, _N - 200)), 0.02, bank)
    for largest in (12, None):
        told = "largest given" if largest else "largest not given"
        clusters = settings(largest_cluster=largest)
        draw = partial(_clusters, largest)
        yield _cell(f"clusters, {told}", draw, _EFFECT, clusters, n=300)
    for k, sequences in ((5, _SEQUENCES), (20, 2000)):
        names = tuple(f"s{place}" for place in range(k))
        one = Batched(
            partial(_all_pairs, k), partial(_any_missed, k, settings(systems=names)), size=_MANY // k**2
        )
        yield Statements("sequential", f"all pairs of {k}, equal", "300", 300, one, datasets=sequences)
    for k, truth in ((2, 0.1), (2, 0.0), (5, 0.0)):
        one = partial(_monitor, k=k, truth=truth)
        margin = "at the margin" if truth else "equal"
        yield Statements(
            "sequential", f"monitor of {k}, {margin}", "300", 300, one, datasets=1000 if k == 2 else 2000
        )


def _cell(name: str, draw: Draw, truth: float, s: Settings, *, peek: bool = False, n: int = _N) -> Statements:
    def outcomes(units: Units) -> dict[What, np.ndarray]:
        made = {What("rejected", "auto", True): ever_missed(units, truth, s)}
        if peek:
            made[What("rejected", "peeking")] = peeked(units)
        return made

    return Statements("sequential", name, str(n), n, Batched(draw, outcomes), datasets=_SEQUENCES)


def answered(n: int, share: float, true: float, rng: np.random.Generator, width: int) -> Units:
    """Return n items of each sequence: differences of 0/1 scores as `answers` draws them."""
    return single(answers(rng, (n, width), share, true))


def answers(rng: np.random.Generator, shape: tuple[int, int], share: float, true: float) -> Floats:
    """Return differences of 0/1 scores of which a share differs, with the mean `true`."""
    u = rng.random(shape, dtype=np.float32)
    return np.where(u < (share + true) / 2.0, 1.0, np.where(u < share, -1.0, 0.0))


def _bounded(shape: str, rng: np.random.Generator, width: int) -> Units:
    if shape == "uniform":
        return single(rng.random((_N, width)) - rng.random((_N, width)))
    rare = np.where(rng.random((_N, width)) < 0.05, 0.95, -0.05)  # the mean is 0, large gains are rare
    return single(rare)


def _unbounded(shape: str, rng: np.random.Generator, width: int) -> Units:
    if shape == "normal":
        return single(rng.normal(size=(_N, width)))
    if shape.startswith("t"):
        return single(rng.standard_t(3, size=(_N, width)))
    return single(rng.lognormal(size=(_N, width)) - np.exp(0.5))


def shuffled(counts: Sequence[int], rng: np.random.Generator, width: int) -> Units:
    """Return a benchmark in random orders: how many items only A, only B, and both or neither have right."""
    bank = np.repeat([1.0, -1.0, 0.0], counts)
    return single(rng.permuted(np.repeat(bank[:, None], width, axis=1), axis=0))


_SIZES = np.array([1, 2, 4, 12])
_SHARES = np.array([0.4, 0.3, 0.2, 0.1])
_GAINS = np.array([-0.1, 0.0, 0.1, 0.2])
_EFFECT = float((_SHARES * _SIZES * _GAINS).sum() / (_SHARES * _SIZES).sum())
"""The mean difference over the items, where a cluster has one of these sizes and mean differences."""


def _clusters(largest: int | None, rng: np.random.Generator, width: int) -> Units:
    """Return clusters, the same sizes in all the sequences of a batch of one order; items alike within."""
    kind = rng.choice(4, size=300, p=_SHARES)
    sizes = _SIZES[kind]
    ahead = rng.random((300, width)) < (0.5 + _GAINS[kind] / 0.8)[:, None] * 1.0
    differs = rng.random((300, width)) < 0.4
    values = np.where(differs, np.where(ahead, 1.0, -1.0), 0.0)
    top = np.maximum.accumulate(sizes) if largest is None else np.full(300, largest)
    return Units(values, sizes, sizes / top)


def _all_pairs(k: int, rng: np.random.Generator, width: int) -> Units:
    """Return the differences of all pairs of k equal systems, the pairs of a sequence side by side."""
    right = (rng.random((300, width, k)) < 0.7).astype(np.float64)
    a, b = np.triu_indices(k, 1)
    return single((right[:, :, a] - right[:, :, b]).reshape(300, -1))


def _any_missed(k: int, s: Settings, units: Units) -> dict[What, np.ndarray]:
    """Return of each sequence whether the interval of any pair missed the truth at any look."""
    missed = ever_missed(units, 0.0, s).reshape(-1, k * (k - 1) // 2)
    return {What("rejected", "auto", True): missed.any(axis=1)}


def _monitor(rng: np.random.Generator, _seed: int, k: int, truth: float) -> dict[What, Outcome]:
    names = list("abcde")[:k]
    monitor = Monitor(names, bounds=(0, 1), margin=0.1)
    shares = np.array([0.7 + truth, *[0.7] * (k - 1)])
    rows = (rng.random((300, k)) < shares).astype(int).tolist()
    for item, row in enumerate(rows):
        monitor.add(f"{item * 7919 % 300}", dict(zip(names, row, strict=True)))
        if monitor.decision is not None:
            break
    wrong = monitor.decision in (("better", "worse") if truth == 0.0 else ("better", "worse", "equivalent"))
    dropped = len(monitor.running) < k
    return {What("rejected", "auto", True): Outcome(wrong or dropped, False)}
