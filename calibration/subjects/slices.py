"""Slices of one test set: error rates and coverage over all of them at once, and tests of heterogeneity."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from scipy.stats import norm

from bestby import compare_slices
from bestby.results import SlicesComparison
from calibration.statements import Outcome, Statements, What

TITLE = "Slices"

TEXT = """
Two systems, right or wrong on each item; the largest slice is five times the smallest. *Any slice*: some
adjusted p-value is at most .05 although no slice has a difference; *all intervals*: those of all slices
hold their true differences. *Heterogeneity* is the test that the difference is the same in all slices,
where it is; *change of sign* that of Gail and Simon, where half of the slices have no difference and the
others one of the same sign; in *half, scores* it is 1.4 standard deviations of normal differences.
*Unequal spread*: the systems disagree on 5 % of the items in one half of the slices and on 60 % in the
other. *Two columns*: the items are sliced by another column too, and both families hold at once.
*Small vary most*: slices of 10 to 400 items, on 60 to 2 % of which the systems disagree, and normal or
exponential differences in slices of 8 to 200 items with a spread of 3 to .3; *least*: the other way
round; *all alike*: slices of one size and spread.
*Clusters across slices*: ten items of a cluster lie in ten slices. *shrunken*: the mean squared error of
the shrunken differences is below that of the raw ones, in data sets whose true differences have a
standard deviation of .03. *noted*: of heterogeneity, that its p-value is approximate; otherwise
`skewed_differences`, `small_slices`, `few_effective` or `few_differing` on any slice.
"""

_ABOUT = {"skewed_differences", "small_slices", "few_effective", "few_differing"}
"""Codes of notes that say that intervals or p-values of slices may not be what they say."""

_BASE = (0.1, 0.5)
"""The least and the greatest size of a slice, before they are brought to the sum of all items."""


def cells() -> Iterator[Statements]:
    """Yield numbers of slices by their mean size."""
    for k in (2, 5, 10, 40):
        for mean in (20, 100):
            for name in ("no difference", "a difference", "unequal spread", "two columns"):
                if k == 40 and (mean == 100 or name == "two columns"):
                    continue
                one = partial(_one, name=name, k=k, n=k * mean)
                yield Statements("slices", name, f"{k} of {mean}", k * mean, one, datasets=400)
    for n_clusters in (30, 100):
        one = partial(_clusters, n_clusters=n_clusters)
        yield Statements(
            "slices", "clusters across slices", f"10 of {n_clusters}", n_clusters, one, datasets=400
        )
    for name in ("half", "spread"):
        one = partial(_one, name=name, k=10, n=1000)
        yield Statements("slices", name, "10 of 100", 1000, one, datasets=400)
    for mean in (3, 5, 20):
        one = partial(_scores, k=10, size=mean)
        yield Statements("slices", "half, scores", f"10 of {mean}", 10 * mean, one, datasets=400)
    for kind, k in (("answers", 8), ("normal", 6), ("exponential", 6)):
        for most in (True, False):
            one = partial(_unequal, kind=kind, k=k, most=most)
            told = f"{kind}, small vary {'most' if most else 'least'}"
            span = "10-400" if kind == "answers" else "8-200"
            yield Statements("slices", told, f"{k} of {span}", k * 50, one, datasets=300)
    for size in (25, 80):
        one = partial(_unequal, kind="exponential", k=6, most=True, size=size)
        yield Statements("slices", "exponential, all alike", f"6 of {size}", 6 * size, one, datasets=150)


def _one(rng: np.random.Generator, _seed: int, name: str, k: int, n: int) -> dict[What, Outcome]:
    sizes = np.linspace(*_BASE, k)
    code = np.repeat(np.arange(k), np.maximum(2, np.rint(n * sizes / sizes.sum()).astype(int)))
    true = {
        "a difference": np.full(k, 0.1),
        "half": np.where(np.arange(k) % 2 == 0, 0.0, 0.2),
        "spread": 0.05 + 0.03 * rng.standard_normal(k),
    }.get(name, np.zeros(k))
    disagree = np.where(np.arange(k) % 2 == 0, 0.05, 0.6) if name == "unequal spread" else np.full(k, 0.3)
    a, b = _answers(rng, true[code], disagree[code])
    by = {"slice": code}
    if name == "two columns":
        by["other"] = rng.integers(0, k, code.size)
    found = compare_slices({"a": a, "b": b}, by=by, min_items=2, n_resamples=999)
    truth = {(one.column, one.slice): true[int(one.slice)] if one.column == "slice" else 0.0 for one in found}
    made = _family(found, truth)
    tested = found.heterogeneity[0] if found.heterogeneity else None
    if name in ("no difference", "a difference", "unequal spread", "two columns"):
        p = 1.0 if tested is None else tested.p_value
        made[What("rejected", "heterogeneity", True)] = Outcome(p <= 0.05, False)
    if name == "half" and tested is not None and tested.sign_p is not None:
        made[What("rejected", "change of sign", True)] = Outcome(tested.sign_p <= 0.05, False)
    if name == "spread":
        raw = np.array([_sided(one.difference.estimate, one.difference.a) for one in found])
        drawn = np.array([_sided(one.shrunken or 0.0, one.difference.a) for one in found])
        kept = np.array([truth[one.column, one.slice] for one in found])
        better = bool(((drawn - kept) ** 2).sum() < ((raw - kept) ** 2).sum())
        made[What("power", "shrunken", False)] = Outcome(better, False)
    return made


def _scores(rng: np.random.Generator, _seed: int, k: int, size: int) -> dict[What, Outcome]:
    code = np.repeat(np.arange(k), size)
    a = rng.standard_normal(code.size) + np.where(code % 2 == 0, 0.0, 2.0)
    found = compare_slices({"a": a, "b": rng.standard_normal(code.size)}, by={"slice": code}, n_resamples=999)
    true = {("slice", str(i)): 0.0 if i % 2 == 0 else 2.0 for i in range(k)}
    made = _family(found, true)
    (tested,) = found.heterogeneity
    made[What("rejected", "change of sign", True)] = Outcome(tested.sign_p <= 0.05, False)
    return made


def _unequal(
    rng: np.random.Generator, seed: int, kind: str, k: int, most: bool, size: int | None = None
) -> dict[What, Outcome]:
    """Return what is found in slices of equal means that vary the more, or the less, the smaller they are.

    With a `size` all have it, and vary alike.
    """
    answers = kind == "answers"
    sizes = np.rint(np.geomspace(*((10, 400) if answers else (8, 200)), k)).astype(np.int64)
    spread = np.geomspace(*((0.6, 0.02) if answers else (3.0, 0.3)), k)[:: 1 if most else -1]
    if size is not None:
        sizes, spread = np.full(k, size), np.ones(k)
    code = np.repeat(np.arange(k), sizes)
    if answers:
        a, b = _answers(rng, np.zeros(code.size), spread[code])
    else:
        drawn = rng.standard_normal(code.size) if kind == "normal" else rng.exponential(size=code.size) - 1.0
        a, b = spread[code] * drawn, np.zeros(code.size)
    plain = "auto" if size is not None else "normal"  # the test does not depend on the intervals
    found = compare_slices({"a": a, "b": b}, by={"slice": code}, interval=plain, n_resamples=999, rng=seed)
    made = {} if size is None else _family(found, {(one.column, one.slice): 0.0 for one in found})
    noted = any(note.code == "heterogeneity_approximate" for note in found.notes)
    p = found.heterogeneity[0].p_value if found.heterogeneity else 1.0
    made[What("rejected", "heterogeneity", True)] = Outcome(p <= 0.05, noted)
    return made


def _clusters(rng: np.random.Generator, _seed: int, n_clusters: int) -> dict[What, Outcome]:
    code, cluster = np.tile(np.arange(10), n_clusters), np.repeat(np.arange(n_clusters), 10)
    hard = norm.cdf(0.8 * rng.standard_normal(n_clusters)[cluster] + 0.6 * rng.standard_normal(code.size))
    a, b = (hard + 0.1 * rng.standard_normal(code.size) > cut for cut in (0.4, 0.4))
    systems = {"a": a.astype(np.int64), "b": b.astype(np.int64)}
    found = compare_slices(systems, by={"slice": code}, clusters=cluster, n_resamples=999)
    made = _family(found, {(one.column, one.slice): 0.0 for one in found})
    p = found.heterogeneity[0].p_value if found.heterogeneity else 1.0
    made[What("rejected", "heterogeneity", True)] = Outcome(p <= 0.05, False)
    return made


def _family(found: SlicesComparison, truth: dict[tuple[str, str], float]) -> dict[What, Outcome]:
    """Return whether all intervals hold the truth, and whether a slice without a difference is rejected."""
    held, wrong, null = True, False, False
    for one in found:
        d, value = one.difference, truth[one.column, one.slice]
        held &= d.interval is None or _sided(value, d.a) in d.interval  # none: the slice says nothing
        if value == 0.0:
            null = True
            wrong |= d.p_adjusted is not None and d.p_adjusted <= 0.05
    notes = (*found.notes, *(note for one in found for note in one.difference.notes))
    noted = bool(_ABOUT & {note.code for note in notes})
    made = {What("coverage", "all intervals", True): Outcome(held, noted)}
    if null:
        made[What("rejected", "any slice", True)] = Outcome(wrong, noted)
    return made


def _sided(value: float, a: str) -> float:
    """Return a difference a minus b as the comparison has it, whose first system is the better one."""
    return value if a == "a" else -value


def _answers(
    rng: np.random.Generator, difference: np.ndarray, disagree: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Return 0/1 scores of two systems that differ on so many items, one of them ahead by so much."""
    share = np.maximum(disagree, np.abs(difference))
    differs = rng.random(share.size) < share
    ahead = rng.random(share.size) < 0.5 * (1.0 + difference / share)
    both = rng.random(share.size) < 0.7
    a = np.where(differs, ahead, both).astype(np.int64)
    b = np.where(differs, ~ahead, both).astype(np.int64)
    return a, b
