"""Populations that show a sample less than they hold: few units, skewness, failures, unequal sizes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from bestby import compare, compare_datasets, compare_runs, evaluate
from bestby.inference.skewness import FROM_UNITS
from bestby.results.base import Note
from calibration.populations import Floats
from calibration.statements import Outcome, Statements, What, holds

TITLE = "Skewed differences"
TEXT = """
Differences and scores of which a sample mostly shows less skewness than there is, through the entry points of
the package. An interval covers the true value, a test rejects a true hypothesis, a verdict is wrong. Counted
as noted is what a note, or below 15 units the sentence below the headline, says of that number. What counts
is the share that is [missed and not noted](#what-is-missed-without-a-note). The populations called *drawn*
have parameters from a random generator (`CALIBRATE_SEED=7 make calibrate` draws others). What no interval
sees is a failure rarer than three in the number of units, as many samples hold none.
"""

SUBJECT, ALPHA, PAIR = "promises", 0.05, ("a", "b")
COVERS, REJECTS, WRONG = (What(kind, "auto", True) for kind in ("coverage", "rejected", "wrong"))
DRAWN = 24
"""Populations that are drawn."""

Draw = Callable[[np.random.Generator, int], Floats]
"""Draws differences of mean 0 with the shape asked for."""

_ABOUT = frozenset({
    "few_effective", "few_differing", "skewed_differences", "few_units_for_permutation", "unequal_spread",
    "outlying_run", "few_runs", "few_datasets", "few_clusters", "few_items", "effect_of_size",
    "skewed_verdict", "unseen_differences", "constant_scores", "constant_difference",
})  # fmt: skip
"""Codes of notes that say that an interval or a p-value may not be what it says."""

SHAPES: dict[str, Draw] = {
    "normal": lambda rng, size: rng.normal(size=size),
    "t, 4 df": lambda rng, size: rng.standard_t(4, size=size),
    "gamma(.8)": lambda rng, size: rng.gamma(0.8, size=size) - 0.8,
    "lognormal(.8)": lambda rng, size: rng.lognormal(0.0, 0.8, size=size) - np.exp(0.32),
    "one in four fails": lambda rng, size: (
        np.where(rng.random(size) < 0.25, -3.0, 1.0) + rng.normal(size=size)
    ),
    "beta(.7, 3)": lambda rng, size: rng.beta(0.7, 3.0, size=size) - 0.7 / 3.7,
}


def cells() -> Iterator[Statements]:
    """Yield the fixed cells and those that are drawn."""
    for name, draw in SHAPES.items():
        for n in (8, 20, 60):
            yield _cell(f"items: {name}", str(n), n, partial(_items, draw, n))
        for n in (6, 16):
            yield _cell(f"paired runs: {name}", str(n), n, partial(_runs, draw, None, n, n, True))
        yield _cell(f"datasets: {name}", "20", 20, partial(_datasets, draw, 20))
    for name in ("gamma(.8)", "lognormal(.8)", "one in four fails"):
        for n, m in ((5, 5), (10, 10), (16, 16), (8, 20)):
            skewed = partial(_runs, SHAPES[name], SHAPES["normal"], n, m, False)
            yield _cell(f"runs: {name} against normal", f"{n} v {m}", min(n, m), skewed)
    for n_clusters, n_systems in ((4, 2), (6, 3), (8, 5), (10, 8)):
        for effects in ("normal", "gamma(.8)"):
            for unequal in (False, True):
                which = f"clusters: {effects} effects, {'unequal' if unequal else 'equal'} sizes"
                one = partial(_clusters, SHAPES[effects], n_clusters, n_systems, unequal)
                yield _cell(which, f"{n_clusters} x {n_systems}", n_clusters, one)
    for p in (0.75, 0.9, 0.97):
        for n in (20, 60, 200):
            yield _cell(f"one system: {p:.0%} right", str(n), n, partial(_right, p, n))
    for n in (25, 60, 150):
        yield _cell("one system: word error rate", str(n), n, partial(_word_errors, n))
        yield _cell("one system: macro-F1, six classes", str(n), n, partial(_macro_f1, n))
        yield _cell("one system: correlation", str(n), n, partial(_correlation, n))
    yield from _drawn(int(os.environ.get("CALIBRATE_SEED", "1")))


def _cell(
    population: str,
    n: str,
    units: int,
    one: Callable[[np.random.Generator, int], Mapping[What, Outcome]],
) -> Statements:
    return Statements(SUBJECT, population, n, units, one, datasets=300)


def _drawn(seed: int) -> Iterator[Statements]:
    """Yield items, runs and datasets whose differences are mixtures with parameters that are drawn."""
    rng = np.random.default_rng(seed)
    for _ in range(DRAWN):
        shape, rate, size = rng.uniform(0.8, 6.0), rng.uniform(0.0, 0.3), rng.uniform(0.0, 4.0)
        noise, n = rng.uniform(0.2, 1.5), int(np.exp(rng.uniform(np.log(6.0), np.log(120.0))))
        rate = 0.0 if rate * n < 3.0 else rate  # what no sample shows is not asked for
        name = f"gamma({shape:.2f}) + {noise:.2f} normal - {size:.1f} in {rate:.0%}"
        draw = partial(_mixture, shape, noise, rate, size)
        kind = ("items", "paired runs", "datasets")[int(rng.integers(3))]
        n = min(n, 30) if kind != "items" else n
        made = {
            "items": partial(_items, draw, n),
            "paired runs": partial(_runs, draw, None, n, n, True),
            "datasets": partial(_datasets, draw, n),
        }
        yield _cell(f"drawn {kind}: {name}", str(n), n, made[kind])


def _mixture(
    shape: float, noise: float, rate: float, size: float, rng: np.random.Generator, asked: int
) -> Floats:
    fails = np.where(rng.random(asked) < rate, -size, 0.0) + rate * size
    found: Floats = rng.gamma(shape, 1.0 / np.sqrt(shape), size=asked) - np.sqrt(shape)
    return found + noise * rng.normal(size=asked) + fails


def noted(notes: Sequence[Note], units: int) -> bool:
    """Return whether a note warns of a number, or the sentence that every headline on few units has."""
    return units < FROM_UNITS or bool(_ABOUT & {note.code for note in notes})


def _counted(result: Any, pair: tuple[str, str], units: int) -> dict[What, Outcome]:
    """Return whether the interval of a pair holds the true difference 0, and whether any pair is rejected.

    What is rejected counts by the adjusted p-values of the result.
    """
    d = result[pair]
    about = noted((*result.notes, *d.notes), units)
    rejected = any(one.p_adjusted <= ALPHA for one in result.differences)
    return {COVERS: Outcome(holds(d.interval, 0.0), about), REJECTS: Outcome(rejected, about)}


def _items(draw: Draw, n: int, rng: np.random.Generator, seed: int) -> dict[What, Outcome]:
    d, common = draw(rng, n), rng.normal(size=n)
    plain = compare({"a": common + d, "b": common}, n_resamples=999, rng=seed)
    # The true difference is the margin, on the side on which skewness brings the wrong verdict.
    margin = 0.4 * float(np.std(draw(np.random.default_rng(0), 4000)))
    below = compare({"a": common + d - margin, "b": common}, margin=margin, test=None, n_resamples=99)
    about = noted((*below.notes, *below[PAIR].notes), n)
    return _counted(plain, PAIR, n) | {WRONG: Outcome(below[PAIR].verdict in ("equivalent", "worse"), about)}


def _runs(
    draw: Draw, other: Draw | None, n: int, m: int, paired: bool, rng: np.random.Generator, seed: int
) -> dict[What, Outcome]:
    common = rng.normal(size=max(n, m))
    a = draw(rng, n) + (common[:n] if paired else 0.0)
    b = common[:m] if other is None else 0.3 * other(rng, m)
    return _counted(compare_runs({"a": a, "b": b}, paired=paired, n_resamples=999, rng=seed), PAIR, min(n, m))


def _datasets(draw: Draw, n: int, rng: np.random.Generator, seed: int) -> dict[What, Outcome]:
    common, d = rng.normal(size=n), draw(rng, n)
    table = {f"d{i}": {"a": common[i] + d[i], "b": common[i]} for i in range(n)}
    return _counted(compare_datasets(table, rng=seed), PAIR, n)


def _clusters(
    draw: Draw, n_clusters: int, n_systems: int, unequal: bool, rng: np.random.Generator, seed: int
) -> dict[What, Outcome]:
    """Systems that are equally good, whose effects vary from cluster to cluster: any rejection is false."""
    sizes = np.geomspace(4, 40, n_clusters).astype(int) if unequal else np.full(n_clusters, 12)
    cluster = np.repeat(np.arange(n_clusters), sizes)
    common = rng.normal(size=cluster.size)
    systems = {
        f"s{i}": common + draw(rng, n_clusters)[cluster] + 0.5 * rng.normal(size=cluster.size)
        for i in range(n_systems)
    }
    result = compare(systems, clusters=cluster, n_resamples=199, rng=seed)
    return _counted(result, ("s0", "s1"), n_clusters)


def _score(result: Any, true: float, n: int) -> dict[What, Outcome]:
    return {COVERS: Outcome(holds(result.systems[0].interval, true), noted(result.notes, n))}


def _right(p: float, n: int, rng: np.random.Generator, seed: int) -> dict[What, Outcome]:
    del seed
    return _score(evaluate({"a": (rng.random(n) < p).astype(int)}), p, n)


def _word_errors(n: int, rng: np.random.Generator, seed: int) -> dict[What, Outcome]:
    """A ratio of sums: errors over words, both skewed, 12 % in all."""
    del seed
    words = 1 + rng.poisson(rng.gamma(2.0, 5.0, size=n))
    errors = rng.binomial(words, rng.beta(0.6, 4.4, size=n))
    gold = [" ".join(["w"] * int(count)) for count in words]
    said = [" ".join(["w"] * int(c - e) + ["x"] * int(e)) for c, e in zip(words, errors, strict=True)]
    return _score(evaluate({"a": said}, gold, metric="wer"), 0.12, n)


def _macro_f1(n: int, rng: np.random.Generator, seed: int) -> dict[What, Outcome]:
    del seed
    share = 1.0 / np.arange(1.0, 7.0)
    share /= share.sum()
    gold = rng.choice(6, size=n, p=share)
    said = np.where(rng.random(n) < 0.7, gold, rng.choice(6, size=n, p=share))
    f1 = 0.7 + 0.3 * share  # precision and recall of a class, which are equal here
    return _score(evaluate({"a": said}, gold, metric="f1_macro"), float(f1.mean()), n)


def _correlation(n: int, rng: np.random.Generator, seed: int) -> dict[What, Outcome]:
    """Heavy-tailed columns that share half of their variance."""
    del seed
    shared, x, y = rng.standard_t(7, size=(3, n))
    return _score(evaluate({"a": shared + x}, shared + y, metric="pearson"), 0.5, n)
