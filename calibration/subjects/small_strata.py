"""Items in strata, down to pairs of items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from bestby import compare
from calibration.statements import Outcome, Statements, What, holds

TITLE = "Small strata"

DATASETS = 1000
NOTES = {"small_strata", "few_effective", "few_differing"}
AUTO = What("coverage", "auto", default=True)
BCA = What("coverage", "bca")
TEST = What("rejected", "auto", default=True)
BOOTSTRAP = What("rejected", "bootstrap")

N = 210
"""Items of each data set, which all sizes of strata divide."""

SIZES = (2, 3, 5, 10, 21, 70)

Numbers = Any


def _outcomes(systems: Mapping[str, Numbers], truth: float, seed: int, **more: Any) -> Mapping[What, Outcome]:
    """Return whether intervals hold the truth, and whether tests of no difference reject it if it is so."""
    found: dict[What, Outcome] = {}
    for interval, test, covers, rejects in (
        ("auto", "auto", AUTO, TEST),
        ("bca", "bootstrap", BCA, BOOTSTRAP),
    ):
        result = compare(systems, interval=interval, test=test, n_resamples=999, rng=seed, **more)
        difference = result["a", "b"]
        noted = bool(NOTES & {note.code for note in (*result.notes, *difference.notes)})
        found[covers] = Outcome(holds(difference.interval, truth), noted)
        if truth == 0.0:
            found[rejects] = Outcome(difference.p_value <= 0.05, noted)
    return found


def means(strata: Numbers, skewed: bool, rng: np.random.Generator, seed: int) -> Mapping[What, Outcome]:
    """Compare scores whose mean differs from stratum to stratum, and is the same for both systems."""
    level = rng.normal(size=strata.max() + 1)[strata]
    a, b = (rng.exponential(size=(2, strata.size)) if skewed else rng.normal(size=(2, strata.size))) + level
    return _outcomes({"a": a, "b": b}, 0.0, seed, strata=strata)


def answers(strata: Numbers, rng: np.random.Generator, seed: int) -> Mapping[What, Outcome]:
    """Compare right and wrong answers; strata are easy or hard, and B is a little better in all."""
    ease = rng.uniform(0.3, 0.9, strata.max() + 1)[strata]
    a, b = ((rng.random(strata.size) < chance).astype(np.int64) for chance in (ease, ease + 0.1))
    gold = np.ones(strata.size, dtype=np.int64)
    gold[0::2] = 0
    systems = {name: np.where(right, gold, 1 - gold) for name, right in (("a", a), ("b", b))}
    return _outcomes(systems, -0.1, seed, gold=gold, strata=strata)


def macro(strata: Numbers, rng: np.random.Generator, seed: int) -> Mapping[What, Outcome]:
    """Compare macro-F1 of three classes, whose shares differ from stratum to stratum."""
    shares = rng.dirichlet(np.full(3, 2.0), strata.max() + 1)[strata]
    chances = {"a": np.array([0.8, 0.7, 0.6]), "b": np.array([0.7, 0.7, 0.5])}
    gold = (rng.random(strata.size)[:, None] > shares.cumsum(axis=1)[:, :2]).sum(axis=1)
    systems, scores = {}, []
    for name, chance in chances.items():
        right = rng.random(strata.size) < chance[gold]
        systems[name] = np.where(right, gold, (gold + rng.integers(1, 3, gold.size)) % 3)
        due = shares.mean(axis=0)
        errors = due * (1.0 - chance) / 2.0
        scores.append(float(np.mean(2.0 * due * chance / (due + due * chance + errors.sum() - errors))))
    return _outcomes(systems, scores[0] - scores[1], seed, gold=gold, metric="f1_macro", strata=strata)


def cells() -> Iterator[Statements]:
    """Yield the populations, large strata among them."""
    for size in SIZES:
        strata = np.arange(N) // size
        for name, one in (
            ("means, normal", partial(means, strata, False)),
            ("means, exponential", partial(means, strata, True)),
            ("accuracy", partial(answers, strata)),
            ("macro-F1", partial(macro, strata)),
        ):
            yield Statements("small_strata", f"{name}, strata of {size}", str(N), N, one, DATASETS)
    mixed = np.minimum(np.arange(N), N // 2)
    one = partial(means, mixed, False)
    yield Statements("small_strata", "means, normal, half of the items alone", str(N), N, one, DATASETS)


TEXT = """\
210 items in strata of equal size, or half of them alone in a stratum each and the others in one. Scores have
a level by stratum, answers an ease by stratum, and the classes of macro-F1 have shares by stratum. The
default beside the BCa interval and the bootstrap test, of 999 resamples. *noted*: `small_strata`,
`few_effective` or `few_differing`.

Resamples inside a stratum of n items hold (n - 1) / n of the variance, so that the default takes intervals by
formula where strata have fewer than 20 units on average. Of items that are alone in their stratum no method
sees how they vary.
"""
