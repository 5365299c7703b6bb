"""Plans of human labels beside a judge: do studies of the planned size show what they promise?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache, partial

import numpy as np
from scipy.special import stdtrit

from bestby import plan_labels
from bestby._core.typing import FloatArray, IntArray
from bestby.errors import DesignError
from bestby.planning import JudgedScores
from bestby.questions.labels.result import LabelPlan
from calibration.statements import Outcome, Statements, What

TITLE = "Plans of human labels"

TEXT = """
A pilot with a judge's scores and human labels is drawn, `plan_labels` plans the number of labels with which
the true difference is detected with power .80, and a study of that size is drawn from the same population:
the judge scores 2000 items, people label the planned number of them at random. The study estimates the
difference by the regression of the labels on the judge, with Student's t. *Power*: how often its 95 %
interval leaves out 0; *as estimated* with the pilot's variances taken for the truth, *cautious* with those
at their upper 80 % limits. *Of the study*: the coverage of its interval. *Known*: the variances are those of
the population. Human scores are normal and correlate by .3, .8 or .95 with the judge's; or right and wrong
answers of two systems that differ on 30 or on 8 % of the items, with a judge who takes every tenth answer
wrongly; or grades of 1 to 5. *Strata*: three kinds of items have other means and spreads, and labels are
drawn from each in proportion to its size; the study takes the shares of the strata as given. Plans that no
number of labels fulfils are not counted. A plan from a small pilot has less power than promised on average,
as it takes the estimates for the truth; the cautious number of labels makes up for that.
"""

POWER, CAUTIOUS = What("power", "as estimated", default=True), What("power", "cautious")
COVERAGE = What("coverage", "of the study", default=True)
NOT_COUNTED = dict.fromkeys((POWER, CAUTIOUS, COVERAGE), Outcome(None))
CODES = {"few_labels", "small_pilot", "pilot_too_uncertain", "judge_saves_little"}
ITEMS = 2000

Draw = Callable[[np.random.Generator, int], tuple[FloatArray, FloatArray]]
SHARES, MEANS, SPREADS = np.array([0.5, 0.3, 0.2]), np.array([0.0, 0.5, 1.5]), np.array([0.7, 1.0, 1.5])
"""Of the strata, in the population that has some."""


def cells() -> Iterator[Statements]:
    """Yield kinds of scores by the size of the pilot."""
    for name in POPULATIONS:
        for pilot in (30, 100, 0):
            size = f"pilot of {pilot}" if pilot else "known"
            yield Statements("label_plans", name, size, pilot or 200, partial(_one, name=name, pilot=pilot))


def _one(rng: np.random.Generator, _seed: int, name: str, pilot: int) -> Mapping[What, Outcome]:
    draw, (margin, design) = POPULATIONS[name], _truth(name)
    strata = name == STRATA
    if pilot:
        judge, human = draw(rng, pilot)
        if np.ptp(human) == 0.0:
            return NOT_COUNTED
        codes = strata_of(pilot) if strata else None
        design = JudgedScores.from_pilot(judge, human, strata=codes, n_items=ITEMS)
    try:
        plan = plan_labels(design, margin=margin)
    except DesignError:  # no number of labels is enough
        return NOT_COUNTED
    noted = any(note.code in CODES for note in plan.notes)
    study = _study_of_strata if strata else _study
    estimate, half = study(rng, draw, plan.n_labels)
    found = {
        POWER: Outcome(abs(estimate) > half, noted),
        COVERAGE: Outcome(abs(estimate - margin) <= half, noted),
    }
    return found | ({CAUTIOUS: _cautious(rng, draw, study, plan, noted=noted)} if pilot else {})


def _cautious(
    rng: np.random.Generator, draw: Draw, study: Callable[..., tuple[float, float]], plan: LabelPlan, *,
    noted: bool,
) -> Outcome:  # fmt: skip
    if plan.n_cautious is None:
        return Outcome(None)
    estimate, half = study(rng, draw, plan.n_cautious)
    return Outcome(abs(estimate) > half, noted)


def _study(rng: np.random.Generator, draw: Draw, n: int) -> tuple[float, float]:
    """Return the estimate by the regression of the first n labels on the judge, and half its interval."""
    judge, human = draw(rng, ITEMS)
    x, y = judge[:n], human[:n]
    centred = x - x.mean()
    spread = float(centred @ centred)
    slope = float(centred @ y) / spread if spread > 0.0 else 0.0
    rest = y - y.mean() - slope * centred
    estimate = float(y.mean() + slope * (judge.mean() - x.mean()))
    of_rest = float(rest @ rest) / (n - 2) / n * (1.0 + 1.0 / (n - 3))
    error = np.sqrt(of_rest + slope**2 * judge.var(ddof=1) / ITEMS)
    return estimate, float(stdtrit(n - 2, 0.975) * error)


def _study_of_strata(rng: np.random.Generator, draw: Draw, n: int) -> tuple[float, float]:
    """Return the same of labels in proportion to the strata, by the regression inside them."""
    judge, human = draw(rng, ITEMS)
    items, labels = strata_of(ITEMS), strata_of(n)
    places = np.concatenate(
        [rng.choice(np.flatnonzero(items == h), (labels == h).sum(), replace=False) for h in range(3)]
    )
    x, y, counts = judge[places], human[places], np.bincount(labels)
    weights = (SHARES / counts)[labels]
    means_x, means_y = (np.bincount(labels, weights=one) / counts for one in (x, y))
    x, y = x - means_x[labels], y - means_y[labels]
    slope = float((weights * x) @ y / ((weights * x) @ x))
    left = np.bincount(labels, weights=(y - slope * x) ** 2) / (counts - 1.0)
    of_judge = np.array([judge[items == h].var(ddof=1) for h in range(3)])
    at = np.array([judge[items == h].mean() for h in range(3)])
    estimate = float(SHARES @ (means_y + slope * (at - means_x)))
    of_labels = float((SHARES**2 / counts) @ left) * (n - 3) / (n - 4) * (1.0 + 1.0 / (n - 5))
    error = np.sqrt(of_labels + slope**2 * float(SHARES @ of_judge) / ITEMS)
    return estimate, float(stdtrit(n - 4, 0.975) * error)


def strata_of(n: int) -> IntArray:
    """Return the strata of n items, each with its share, at least two of them."""
    sizes = np.maximum(2, np.rint(SHARES * n).astype(int))
    sizes[0] = n - sizes[1:].sum()
    return np.repeat(np.arange(3), sizes)


@cache
def _truth(name: str) -> tuple[float, JudgedScores]:
    """Return the true difference, and the design with the variances of the population."""
    judge, human = POPULATIONS[name](np.random.default_rng(1), 2_000_000)
    if name == STRATA:
        codes = strata_of(len(human))
        known = JudgedScores.from_pilot(judge, human, strata=codes, n_items=ITEMS)
        return float(human.mean()), replace(known, pilot_labels=None)
    correlation = float(np.corrcoef(judge, human)[0, 1])
    errors = JudgedScores.from_pilot(judge, human).error_share
    return float(human.mean()), JudgedScores(float(human.std()), correlation, ITEMS, error_share=errors)


def _normal(rng: np.random.Generator, n: int, r: float) -> tuple[FloatArray, FloatArray]:
    judge = rng.standard_normal(n)
    return judge, 0.2 + r * judge + np.sqrt(1.0 - r * r) * rng.standard_normal(n)


def _answers(rng: np.random.Generator, n: int, differ: float) -> tuple[FloatArray, FloatArray]:
    """Return differences of right and wrong answers of two systems, one ahead on seven of ten that differ."""
    both = rng.random(n) < 0.6
    apart, ahead = rng.random(n) < differ, rng.random(n) < 0.7
    a, b = np.where(apart, ahead, both), np.where(apart, ~ahead, both)
    wrong = rng.random((2, n)) < 0.1
    judge = (a ^ wrong[0]).astype(np.float64) - (b ^ wrong[1])
    return judge, a.astype(np.float64) - b


def _grades(rng: np.random.Generator, n: int) -> tuple[FloatArray, FloatArray]:
    """Return differences of grades from 1 to 5, and of a judge whose grades are too high and rougher."""
    quality = rng.standard_normal(n)
    systems = [quality + shift + 0.7 * rng.standard_normal(n) for shift in (0.15, 0.0)]
    human = [np.clip(np.rint(3.0 + one), 1.0, 5.0) for one in systems]
    judge = [np.clip(np.rint(3.6 + one + 0.6 * rng.standard_normal(n)), 1.0, 5.0) for one in systems]
    return judge[0] - judge[1], human[0] - human[1]


def _of_strata(rng: np.random.Generator, n: int) -> tuple[FloatArray, FloatArray]:
    """Return differences in strata of other means and spreads; the judge knows what is inside them only."""
    stratum = strata_of(n)
    judge, rest = rng.standard_normal((2, n))
    return judge, MEANS[stratum] - 0.2 + SPREADS[stratum] * (0.8 * judge + 0.6 * rest)


STRATA = "strata"

POPULATIONS: dict[str, Draw] = {
    "normal, r = .3": partial(_normal, r=0.3),
    "normal, r = .8": partial(_normal, r=0.8),
    "normal, r = .95": partial(_normal, r=0.95),
    "0/1, 30 % differ": partial(_answers, differ=0.3),
    "0/1, 8 % differ": partial(_answers, differ=0.08),
    "grades": _grades,
    STRATA: _of_strata,
}
