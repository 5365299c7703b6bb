"""Human labels that tell little: few heavy ones, failures that a judge misses, other items per system."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, partial
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from bestby import compare_judged, plan_labels
from bestby._core.typing import FloatArray
from bestby.planning import JudgedScores
from bestby.results import JudgedComparison
from calibration.statements import Outcome, Statements, What, holds

TITLE = "Human labels that tell little"

TEXT = """
*Strata*, *probabilities*: verdicts 0 and 1 of three equally good systems, .9 or .6 right, by a judge that
is too lenient; items of which it likes all systems are labelled less often than the others, so that few
labels stand for most items. Their intervals take the labels for (Σw)² / Σw² of equal weight unless five of
the heaviest are of the rarer kind, which is long where the heavy labels are alike because their items are.

*Missed failures*: grades 1 to 5 of two systems with 3 and 6 % of failures, all of which the judge takes for
good answers. Labels that hold none of them show a judge that is nearly right, and no method can tell from
them that it is not; the note `unseen_judge_errors`, which is counted here for each interval, says so.
*Missed wrong answers*: .8 and .7 are right, and the judge takes 3 % of all answers for right that are wrong.
*Penalties*: .8 of the answers have none, and the others e^(1.8 x) - 1, with x the part of a normal number
above its .8 quantile; the note `few_large_labels` is counted here. *Harmless*: normal scores, for which there
should be no note. In both, judge and human correlate by the number named, before the cut.
*Disjoint*: each system has other items labelled. *Plan*: two systems with 3 and 9 % of failures, of which
the judge finds nine of ten; how often a study of the planned size, by `compare_judged`, shows a difference
of .06. *Chosen where the judge sees systems apart*: labels said to be random that are not; nothing but the
note `labels_not_random` helps.
"""

_NAMES = ("a", "b", "c")
_SCORES = {"unseen_judge_errors", "few_large_labels"}
"""The notes on intervals of scores of which the labels may show too little."""

_LEVELS = np.array([0.15, 0.0])
_QUANTILE = float(ndtri(0.8))


def cells() -> Iterator[Statements]:
    """Yield populations by the number of labels."""
    for right in (0.9, 0.6):
        for n, share in ((60, 0.1), (60, 0.3), (150, 0.1), (150, 0.3)):
            one = partial(_weighted, right=right, n=n, share=share)
            name = f"strata, {right:g} right, {share:.0%} where the judge likes all"
            yield Statements("scarce_labels", name, f"{n} of 2000", n, one, datasets=250)
    for n, ratio in ((60, 10.0), (150, 25.0)):
        one = partial(_weighted, right=0.9, n=n, ratio=ratio)
        name = f"probabilities {ratio:g} : 1, .9 right"
        yield Statements("scarce_labels", name, f"{n} of 2000", n, one, datasets=250)
    for n in (30, 60, 120):
        yield Statements(
            "scarce_labels", "missed failures", f"{n} of 1500", n, partial(_missed, n=n), datasets=250
        )
        yield Statements(
            "scarce_labels", "missed wrong answers", f"{n} of 1500", n, partial(_wrong, n=n), 250
        )
    for n in (30, 60, 120):
        for cut in (True, False):
            for correlation in (0.0, 0.6):
                name = f"{'penalties' if cut else 'harmless'}, correlation {correlation:g}"
                one = partial(_penalties, n=n, correlation=correlation, cut=cut)
                yield Statements("scarce_labels", name, f"{n} of 1500", n, one, datasets=250)
    for n in (40, 100):
        yield Statements(
            "scarce_labels",
            "disjoint, .8 and .7 right",
            f"{n} each",
            n,
            partial(_disjoint, n=n),
            datasets=250,
        )
    yield Statements("scarce_labels", "plan for missed failures", "known", 200, _planned, datasets=150)
    yield Statements(
        "scarce_labels", "chosen where the judge sees systems apart", "60 of 1000", 60, _chosen, datasets=100
    )


def compared(
    human: FloatArray, judge: FloatArray, known: FloatArray, drawn: Any, **more: Any
) -> JudgedComparison:
    """Compare the systems by the labels that are known, of all systems or of each."""
    labels = np.where(known if known.ndim > 1 else known[:, None], human, np.nan)
    names = _NAMES[: human.shape[1]]
    sides = (dict(zip(names, one.T, strict=True)) for one in (judge, labels))
    return compare_judged(*sides, labels_drawn=drawn, correction="none", **more)


def _outcomes(found: JudgedComparison, true: FloatArray, codes: set[str]) -> dict[What, Outcome]:
    """Return whether the intervals hold the truth, and whether a note with such a code is about each."""
    made = {}
    whole = any(note.code in codes and not note.about for note in found.notes)
    for place, system in enumerate(("a", "b")):
        score: Any = found.score(system)
        noted = whole or any(note.code in codes and system in note.about for note in found.notes)
        made[What("coverage", f"score of {system}", default=True)] = Outcome(
            holds(score.interval, true[place]), noted
        )
    difference: Any = found["a", "b"]
    noted = whole or any(note.code in codes for note in difference.notes)
    gap = true[0] - true[1]
    made[What("coverage", "difference", default=True)] = Outcome(holds(difference.interval, gap), noted)
    return made


def _weighted(
    rng: np.random.Generator, _seed: int, right: float, n: int, share: float = 0.0, ratio: float = 0.0
) -> dict[What, Outcome]:
    human = rng.random((2000, 3)) < right
    specific = (0.3, 0.6, 0.3) if right > 0.75 else (0.8, 0.8, 0.8)
    sensitive = (0.95, 0.99, 0.97) if right > 0.75 else (0.9, 0.9, 0.9)
    heard = rng.random((2000, 3))
    judge = np.where(human, heard < sensitive, heard >= specific)
    doubt = ~judge.all(axis=1)
    more: dict[str, Any] = {}
    if ratio:
        wanted = np.where(doubt, ratio, 1.0)
        drawn: Any = np.minimum(n * wanted / wanted.sum(), 1.0)
        known = rng.random(2000) < drawn
    else:
        drawn, more, known = "stratified", {"strata": doubt.astype(int)}, np.zeros(2000, dtype=np.bool_)
        for stratum, size in ((False, round(n * share)), (True, n - round(n * share))):
            known[rng.choice(np.flatnonzero(doubt == stratum), size, replace=False)] = True
    found = compared(human.astype(float), judge.astype(float), known, drawn, **more)
    made = _outcomes(found, np.full(3, right), {"few_heavy_labels"})
    equal: Any = found["b", "c"].p_value
    noted = any(note.code == "few_heavy_labels" for note in found.notes)
    return made | {What("rejected", "equal systems", default=True): Outcome(equal <= 0.05, noted)}


def _grades(rng: np.random.Generator, n_items: int) -> tuple[FloatArray, FloatArray]:
    quality = 4.0 + 0.6 * rng.standard_normal((n_items, 1)) + 0.7 * rng.standard_normal((n_items, 2))
    human = np.clip(np.rint(quality), 1.0, 5.0)
    judge = np.clip(np.rint(human + 0.3 * rng.standard_normal((n_items, 2))), 1.0, 5.0)
    failed = rng.random((n_items, 2)) < (0.03, 0.06)
    return np.where(failed, 1.0, human), np.where(failed, rng.integers(4, 6, (n_items, 2)), judge)


@cache
def _true_grades() -> FloatArray:
    return _grades(np.random.default_rng(1), 2_000_000)[0].mean(axis=0)


def _missed(rng: np.random.Generator, _seed: int, n: int) -> Mapping[What, Outcome]:
    human, judge = _grades(rng, 1500)
    found = compared(human, judge, rng.permutation(1500) < n, "random")
    return _outcomes(found, _true_grades(), _SCORES)


def _wrong(rng: np.random.Generator, _seed: int, n: int) -> Mapping[What, Outcome]:
    right = np.array([0.8, 0.7])
    human = (rng.random((1500, 2)) < right).astype(float)
    judge = np.where(rng.random((1500, 2)) < 0.03 / (1.0 - right), 1.0, human)
    return _outcomes(compared(human, judge, rng.permutation(1500) < n, "random"), right, _SCORES)


def _penalties(
    rng: np.random.Generator, _seed: int, n: int, correlation: float, cut: bool
) -> Mapping[What, Outcome]:
    human = np.sqrt(0.5) * (rng.standard_normal((1500, 1)) + rng.standard_normal((1500, 2))) + _LEVELS
    noise = rng.standard_normal((1500, 2))
    judge = correlation * human + np.sqrt(1.0 - correlation**2) * noise
    true = _LEVELS
    if cut:
        human, judge, true = _cut(human), _cut(judge), _true_penalties()
    return _outcomes(compared(human, judge, rng.permutation(1500) < n, "random"), true, _SCORES)


def _cut(values: FloatArray) -> FloatArray:
    """Return penalties, most of which are 0."""
    found: FloatArray = np.expm1(1.8 * np.maximum(values - _QUANTILE, 0.0))
    return found


def _true_penalties() -> FloatArray:
    """Return the means: E exp(1.8 (z - c)) above c, less the share above it, by the normal integral."""
    c = _QUANTILE - _LEVELS
    return np.exp(1.8**2 / 2.0 - 1.8 * c) * ndtr(1.8 - c) - ndtr(-c)


def _disjoint(rng: np.random.Generator, _seed: int, n: int) -> Mapping[What, Outcome]:
    human = (rng.random((1000, 2)) < (0.8, 0.7)).astype(float)
    judge = np.where(rng.random((1000, 2)) < 0.9, human, 1.0 - human)
    order = rng.permutation(1000)
    known = np.stack([order < n, order >= 1000 - n], axis=1)
    return _outcomes(compared(human, judge, known, "random"), np.array([0.8, 0.7]), {"few_of_a_kind"})


def _failures(rng: np.random.Generator, n_items: int) -> tuple[FloatArray, FloatArray]:
    human = (rng.random((n_items, 2)) > (0.03, 0.09)).astype(float)
    return human, np.where((human == 0.0) & (rng.random((n_items, 2)) < 0.9), 0.0, 1.0)


@cache
def _plan() -> int:
    human, judge = _failures(np.random.default_rng(1), 2_000_000)
    gaps = human[:, 0] - human[:, 1], judge[:, 0] - judge[:, 1]
    design = JudgedScores(float(gaps[0].std()), float(np.corrcoef(*gaps)[0, 1]), 2000)
    return plan_labels(design, margin=0.06).n_labels


def _planned(rng: np.random.Generator, _seed: int) -> Mapping[What, Outcome]:
    human, judge = _failures(rng, 2000)
    found = compared(human, judge, rng.permutation(2000) < _plan(), "random")["a", "b"]
    shown = found.p_value is not None and found.p_value <= 0.05
    return {What("power", "as planned", default=True): Outcome(shown, noted=True)}


def _chosen(rng: np.random.Generator, _seed: int) -> Mapping[What, Outcome]:
    human = (rng.random((1000, 2)) < 0.7).astype(float)
    judge = np.where(rng.random((1000, 2)) < 0.9, human, 1.0 - human)
    apart = np.flatnonzero(judge[:, 0] != judge[:, 1])
    known = np.isin(np.arange(1000), rng.choice(apart, 60, replace=False))
    return _outcomes(compared(human, judge, known, "random"), np.full(2, 0.7), {"labels_not_random"})
