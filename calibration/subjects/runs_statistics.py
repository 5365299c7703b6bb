"""Tests and intervals of medians, trimmed and interquartile means of runs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from scipy.special import ndtr, stdtrit

from bestby._core.typing import FloatArray
from bestby.engine.base import Drawing
from bestby.engine.runs import RunScores
from bestby.inference import permutation, samples
from bestby.questions.runs.differences import spread_notes
from calibration.runs import automatic, few
from calibration.statements import Outcome, Statements, What

TITLE = "Medians and trimmed means of runs"

TEXT = """
Both systems have the same median (20 % trimmed mean, interquartile mean); the spread is that of A to that
of B. *auto* is Yuen's t for trimmed means; for medians the bootstrap, and below six runs t with the
standard error of Price and Bonett. *difference* is the permutation test of the difference, the earlier
default, and *permutation* the same of differences in their standard errors.

Both permutation tests reject too often where systems vary unequally: 60.5 and 33.7 % for the medians of 10
against 10 normal runs with spreads 10 : 1, where the bootstrap rejects 6.5 %. The t test of medians is
careful: it rejects 1.2 to 4.3 % where a system has three or five runs, and 1.2 to 2.8 % with 10 against 10
runs, where the bootstrap, the default there, rejects 3.5 to 6.5 %. That test inverts the percentile
interval, so that both always agree; the basic interval, which the bootstrap test inverted before, is much
too short for so few medians. Of five to seven runs trimming leaves three to five, of which Yuen's t test
knows little; a note (`few_runs`) says so, as it does for medians below six runs. Medians of six to nine
runs that vary more than three times as much as those of the other system reject up to 9.0 %; a note
(`unequal_spread`) is on 86 and 69 % of the samples of seven against 30.
"""

LEVEL = 0.95
RESAMPLES = 399
SPLITS = 199
Z = {
    "normal": lambda z: z,
    "lognormal": np.exp,
    "t with 3 df": lambda z: stdtrit(3, ndtr(z)),
}
"""How scores are made of normal ones."""

TRUTHS = {("lognormal", "median"): 1.0, ("lognormal", "trimmed_mean"): 1.1110, ("lognormal", "iqm"): 1.0729}
"""The locations of the scores that are not symmetric."""

SIZES = ((3, 3), (5, 5), (3, 10), (5, 10), (10, 10), (20, 20), (50, 50))


def cells() -> Iterator[Statements]:
    """Yield the cells: two samples by statistic, size and spread; pairs by correlation too."""
    for n, m in SIZES:
        for spread in (1, 3, 10):
            yield _cell("median", "normal", n, m, spread)
        yield _cell("median", "lognormal", n, m, 3)
        if min(n, m) >= 5:
            yield _cell("trimmed_mean", "normal", n, m, 3)
            yield _cell("iqm", "t with 3 df", n, m, 10)
    for statistic, name in (("trimmed_mean", "lognormal"), ("iqm", "normal"), ("median", "t with 3 df")):
        for n, spread in ((10, 1), (10, 3), (20, 3)):
            yield _cell(statistic, name, n, n, spread)
    for correlation in (0.5, 0.9):
        for n in (5, 10, 20):
            yield _cell("median", "normal", n, n, 3, correlation)
            yield _cell("trimmed_mean", "normal", n, n, 3, correlation)
    yield _cell("iqm", "t with 3 df", 10, 10, 10, 0.9)
    yield _cell("median", "lognormal", 10, 10, 10, 0.9)
    # Medians of few runs that vary more: those of a review, and two that no rule was chosen by.
    for name in ("normal", "lognormal"):
        yield _cell("median", name, 7, 30, 5)
        yield _cell("median", name, 8, 20, 3)
    yield _cell("median", "t with 3 df", 9, 30, 10)
    yield _cell("median", "lognormal", 7, 7, 1)


def _cell(
    statistic: str, name: str, n: int, m: int, spread: int, correlation: float | None = None
) -> Statements:
    words = {"trimmed_mean": "trimmed mean", "iqm": "interquartile mean"}.get(statistic, statistic)
    paired = "" if correlation is None else f", paired, correlation {correlation}"
    one = partial(
        _one, statistic=statistic, name=name, sizes=(n, m), spread=float(spread), correlation=correlation
    )
    size = f"{n} v {m}" if correlation is None else f"{n} pairs"
    population = f"{words}, {name}, spreads {spread} : 1{paired}"
    return Statements("runs_statistics", population, size, min(n, m), one, datasets=600)


def _one(
    rng: np.random.Generator,
    seed: int,
    statistic: str,
    name: str,
    sizes: tuple[int, int],
    spread: float,
    correlation: float | None,
) -> dict[What, Outcome]:
    paired = correlation is not None
    z, other = (rng.normal(size=size) for size in sizes)
    if correlation is not None:
        other = correlation * z + np.sqrt(1.0 - correlation**2) * other
    truth = TRUTHS.get((name, statistic), 0.0)
    a, b = spread * (Z[name](z) - truth), Z[name](other) - truth
    maker = RunScores([a, b], ("a", "b"), statistic, paired, Drawing(RESAMPLES, seed))
    noted = few(min(sizes), statistic)
    noted |= any(spread_notes(a, b, "a", "b", statistic))
    interval, _ = maker.interval(0, 1, "auto", LEVEL)
    found = {What("coverage", "auto", True): Outcome(interval is not None and 0.0 in interval, noted)}
    tests = ["auto", "t"] if statistic == "median" else ["auto", "bootstrap"]
    chosen = {
        test: automatic(*sizes, statistic=statistic, paired=paired) if test == "auto" else test
        for test in tests
    }
    p = {test: maker.test(0, 1, name, "two-sided").p_value for test, name in chosen.items()}
    p["permutation"], p["difference"] = _permuted(rng, a, b, statistic, paired)
    return found | {
        What("rejected", method, method == "auto"): Outcome(bool(x <= 1.0 - LEVEL + 1e-12), noted)
        for method, x in p.items()
    }


def _permuted(
    rng: np.random.Generator, a: FloatArray, b: FloatArray, statistic: str, paired: bool
) -> tuple[float, float]:
    """Return the p-values of the permutation tests with and without standard errors, by random draws."""
    if paired:
        swapped = rng.random((SPLITS, a.size)) < 0.5
        swapped[0] = False
        x, y = np.where(swapped, b, a), np.where(swapped, a, b)
        squares = samples.paired_squared_errors(x, y, statistic)
    else:
        order = np.argsort(rng.random((SPLITS, a.size + b.size)), axis=1)
        order[0] = np.arange(a.size + b.size)
        pooled = np.concatenate([a, b])[order]
        x, y = pooled[:, : a.size], pooled[:, a.size :]
        squares = samples.squared_errors(x, statistic) + samples.squared_errors(y, statistic)
    difference = samples.location(x, statistic) - samples.location(y, statistic)
    return tuple(
        permutation.monte_carlo(values[1:], float(values[0]), "two-sided", name="drawn").p_value
        for values in (difference / np.sqrt(squares), difference)
    )  # type: ignore[return-value]
