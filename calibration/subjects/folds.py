"""Folds of one data set: do the tests and intervals of cross-validation hold for learners?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

import bestby as bb
from bestby._core.typing import Array, BoolArray, FloatArray
from bestby.questions.folds import crossvalidation
from bestby.report.comparison import Difference
from bestby.results.base import Note
from calibration.learners import Learner, bayes, centroids, linear, neighbour, ridge, stumps, views
from calibration.statements import Outcome, Statements, What

TITLE = "Folds of cross-validation"
TEXT = """
Two small learners of the same kind each see their own view of the items; the views have the same
distribution given the label, so that the expected difference of the two learners is exactly 0, over
training sets as over items. Training on another set of items is part of the error, as it is not for tests
that take the trained models as given. "r × K" are r repetitions of K folds. Where two kinds of learners are
compared, their expected difference was had from 1500 training sets.

**Tried.** Over 5 × 2 folds the corrected resampled t test rejects .6 to 5.4 %, the combined F test, which
was the default, 2.2 to 16.8 %, and Dietterich's t test 1.9 to 15.0 %. With 10 × 10 or 5 × 5 folds
corrected-t rejects up to 11.6 % (nearest neighbours, stumps, learners that are guessing), with 10 random
splits up to 12.2 %: it allows for the test items that splits have in common, not for training items.
conservative-t allows for both, and less where the repetitions agree; it rejects 1.2 to 5.0 % and 2.0 to 6.2
% there, and is the default. Its limits follow from a model of pairs of items; nothing in them was tuned. To
take the upper limit always made intervals over 10 × 10 folds too long wherever training changes little.

**What does not hold.** Stumps that choose among ten features that say little: with ten folds, once or ten
times, 11.8 to 13.0 % rejections and coverage from 87.0 %, because overlapping training sets make the same
chance choice in all folds. The scores do not show that; 5 × 2 folds reject 1.2 and 2.6 % there. On
the other side the intervals of learners that are alike cover up to 99.6 % where training changes little and
there is one repetition, whose correction cannot be checked against a second one; two kinds of learners up
to 100 %. As the data cannot tell the one from the other, every result carries the note
`correlation_assumed`, and all cells count as noted. *permutation of one repetition* is the default test of
pooled predictions, which asks about the trained models.
"""

ALPHA = 0.05
NOTES = frozenset({"correlation_assumed", "constant_difference"})
COVERS = What("coverage", "auto", default=True)
REJECTS = What("rejected", "auto", default=True)
ONE_SIDED = What("rejected", "auto, one-sided", default=True)
POOLED = What("rejected", "permutation of one repetition")
Outcomes = dict[What, Outcome]
Tested = Callable[[np.random.Generator, int], BoolArray]


@dataclass(frozen=True)
class Population:
    """Items with two views, and the learner that is given each of them.

    Parameters
    ----------
    name : str
        In words.
    learner : callable
        The learner of the first system.
    metric : str
        "accuracy", "f1_macro" or "mse".
    p : int
        Features of a view.
    strength : float
        How far the classes lie apart, or the weight of the features in the value.
    classes : tuple of float
        The shares of the classes.
    other : callable, optional
        The learner of the second system, on the same view as the first: then the two are not alike.
    """

    name: str
    learner: Learner
    metric: str
    p: int
    strength: float
    classes: tuple[float, ...] = (0.5, 0.5)
    other: Learner | None = None

    def draw(self, rng: np.random.Generator, n: int) -> tuple[FloatArray, Array]:
        """Return two views (2, n, p) and the labels or values of n items."""
        if self.metric == "mse":
            x = views(rng, np.zeros(n, dtype=int), 1, self.p, 0.0)
            return x, self.strength * x.sum(axis=(0, 2)) / np.sqrt(self.p) + rng.normal(size=n)
        y = rng.choice(len(self.classes), n, p=self.classes)
        return views(rng, y, len(self.classes), self.p, self.strength), y

    def predict(self, x: FloatArray, y: Array, train: BoolArray) -> tuple[Array, Array]:
        """Return the predictions of both systems, (J, n) each."""
        k = len(self.classes)
        if self.other is not None:
            return self.learner(x[0], y, train, k), self.other(x[0], y, train, k)
        return self.learner(x[0], y, train, k), self.learner(x[1], y, train, k)

    def scores(self, predicted: Array, y: Array, tested: BoolArray) -> FloatArray:
        """Return the score on each fold."""
        size = tested.sum(axis=1)
        if self.metric == "mse":
            return np.asarray(((predicted - y) ** 2 * tested).sum(axis=1) / size)
        if self.metric == "accuracy":
            return np.asarray(((predicted == y) & tested).sum(axis=1) / size)
        total, present = np.zeros(len(tested)), np.zeros(len(tested))
        for c in range(len(self.classes)):
            true, false = (predicted == c) & tested, tested & (y == c)
            both = true.sum(axis=1) + false.sum(axis=1)
            total += 2.0 * (true & false).sum(axis=1) / np.maximum(both, 1)
            present += both > 0
        return total / present


@dataclass(frozen=True)
class Design:
    """How the items are divided: which of them each fold tests, (J, n).

    Parameters
    ----------
    name : str
        "5 x 2": five repetitions of two folds.
    tested : callable
        Takes a generator and the number of items.
    shape : (int, int)
        Repetitions and folds in each.
    ratio : float, optional
        What the user has to say.
    """

    name: str
    tested: Tested
    shape: tuple[int, int]
    ratio: float | None = None


def _folds(repetitions: int, k: int) -> Design:
    def tested(rng: np.random.Generator, n: int) -> BoolArray:
        fold = np.array([rng.permutation(n) % k for _ in range(repetitions)])
        return np.asarray(fold[:, None, :] == np.arange(k)[:, None]).reshape(-1, n)

    return Design(f"{repetitions} × {k}", tested, (repetitions, k))


def _splits(j: int, share: float) -> Design:
    def tested(rng: np.random.Generator, n: int) -> BoolArray:
        return np.array([rng.permutation(n) < round(n * share) for _ in range(j)])

    return Design(f"{j} splits, {share:g} tested", tested, (j, 1), share / (1.0 - share))


def _unequal(rng: np.random.Generator, n: int) -> BoolArray:
    part = np.searchsorted([0.5, 0.75, 0.9], rng.permutation(n) / n, side="right")
    return np.asarray(part == np.arange(4)[:, None])


UNEQUAL = Design("1 × 4, of 50, 25, 15, 10 %", _unequal, (1, 4), (1.0 + 1 / 3 + 3 / 17 + 1 / 9) / 4)
FIVE_BY_TWO, TEN, FIVE = _folds(5, 2), _folds(1, 10), _folds(1, 5)
TEN_BY_TEN, FIVE_BY_FIVE, SPLITS = _folds(10, 10), _folds(5, 5), _splits(10, 0.2)
FEW = (_folds(2, 2), _folds(1, 3), _splits(2, 0.2), _splits(3, 0.2), UNEQUAL)

STRONG = Population("nearest centroid, 88 % right", centroids, "accuracy", 5, 1.2)
WEAK = Population("nearest centroid, 58 % right", centroids, "accuracy", 5, 0.3)
NOISE = Population("nearest centroid, 50 % right", centroids, "accuracy", 5, 0.0)
MACRO = Population("naive Bayes, macro-F1 of 3 classes", bayes, "f1_macro", 4, 1.0, (0.5, 0.3, 0.2))
RARE = Population("naive Bayes, macro-F1, a class of 10 %", bayes, "f1_macro", 4, 1.2, (0.9, 0.1))
RIDGE = Population("ridge, 20 features", ridge, "accuracy", 20, 0.7)
NEAREST = Population("nearest neighbour", neighbour, "accuracy", 3, 0.7)
STUMP = Population("stump of 4 features", stumps, "accuracy", 4, 0.7)
CHOICE = Population("stump of 10 weak features", stumps, "accuracy", 10, 0.3)
VALUES = Population("ridge, squared error", linear, "mse", 4, 0.7)
APART = (
    Population("nearest centroid against stump", centroids, "accuracy", 4, 0.7, other=stumps),
    Population("naive Bayes against ridge", bayes, "accuracy", 3, 0.7, other=ridge),
)


def cells() -> Iterator[Statements]:
    """Yield the cells."""
    for population in (STRONG, WEAK, MACRO, VALUES):
        for n in (60, 120, 300, 1000):
            for design in (FIVE_BY_TWO, TEN):
                yield _cell(population, design, n)
    for population in (STRONG, WEAK, NEAREST, STUMP, VALUES):
        for n in (60, 120) if population in (NEAREST, STUMP) else (60, 300):
            for design in (FIVE, TEN_BY_TEN, FIVE_BY_FIVE, SPLITS):
                yield _cell(population, design, n)
    for population in (NOISE, RIDGE, CHOICE):
        for n in (60, 120):
            for design in (FIVE_BY_TWO, TEN, TEN_BY_TEN):
                yield _cell(population, design, n)
    for design in FEW:
        yield _cell(WEAK, design, 60)
        yield _cell(MACRO, design, 60)
    for design in (_folds(2, 5), _folds(3, 10)):
        yield _cell(WEAK, design, 120)
        yield _cell(STUMP, design, 120)
    for design in (FIVE_BY_TWO, FIVE):
        yield _cell(RARE, design, 120)
    for population in APART:
        for design in (FIVE_BY_TWO, TEN, TEN_BY_TEN):
            yield _cell(population, design, 120)
    for population in (STRONG, WEAK):
        for design in (FIVE_BY_TWO, TEN):
            yield _cell(population, design, 120, items=True)


def _cell(population: Population, design: Design, n: int, items: bool = False) -> Statements:
    name = f"{design.name}: {population.name}{', with items' if items else ''}"
    one = partial(_with_items if items else _one, population, design, n)
    datasets = 400 if items or n == 1000 or population is NEAREST else 800
    return Statements("folds", name, str(n), n, one, datasets)


def _one(population: Population, design: Design, n: int, rng: np.random.Generator, seed: int) -> Outcomes:
    """Compare the scores of the folds of one data set."""
    x, y = population.draw(rng, n)
    tested = design.tested(rng, n)
    predicted = population.predict(x, y, ~tested)
    shape = design.shape
    scores = {
        name: population.scores(p, y, tested).reshape(shape) for name, p in zip("ab", predicted, strict=True)
    }
    compare = partial(bb.compare_folds, scores, metric=population.metric, ratio=design.ratio, rng=seed)
    result = compare()
    truth = 0.0 if population.other is None else _truth(population, n - round(float(tested.sum(1).mean())))
    (d,) = result.differences
    outcomes = _judged(d, result.notes, truth if d.a == "a" else -truth)
    if population.other is not None:
        return outcomes
    side = compare(alternative="greater")["a", "b"]
    outcomes[ONE_SIDED] = Outcome(side.p_value <= ALPHA, _noted(side, result.notes))
    gap = scores["a"] - scores["b"]
    for test in (crossvalidation.corrected_t, crossvalidation.conservative_t):
        found = test(gap, result.ratio)
        outcomes[What("rejected", found.name)] = Outcome(found.p_value <= ALPHA)
    if shape == (5, 2):
        for found in (crossvalidation.five_by_two_f(gap), crossvalidation.five_by_two_t(gap)):
            outcomes[What("rejected", found.name)] = Outcome(found.p_value <= ALPHA)
    return outcomes


def _with_items(
    population: Population, design: Design, n: int, rng: np.random.Generator, seed: int
) -> Outcomes:
    """Compare the predictions of one data set: the tests of the trained models as well."""
    x, y = population.draw(rng, n)
    tested = design.tested(rng, n)
    a, b = population.predict(x, y, ~tested)
    repetitions, k = design.shape
    parts = {}
    for again in range(repetitions):
        rows = slice(again * k, (again + 1) * k)
        fold = tested[rows].argmax(axis=0)
        at = (fold, np.arange(n))
        parts[str(again)] = bb.Evaluation.of({"a": a[rows][at], "b": b[rows][at]}, y, strata=fold)
    result = bb.compare_folds(parts, metric=population.metric, rng=seed, n_resamples=199)
    outcomes = _judged(result.differences[0], result.notes, 0.0)
    pooled = result.within["0"][0].p_value
    outcomes[POOLED] = Outcome(pooled <= ALPHA)
    (effects,) = result.effects.values()
    for needed, name in ((1, "k-bonferroni, 1 fold"), (len(tested), "k-bonferroni, all folds")):
        p = crossvalidation.k_bonferroni(effects.p_values, needed).p_value
        outcomes[What("rejected", name)] = Outcome(p <= ALPHA)
    return outcomes


def _judged(d: Difference, notes: tuple[Note, ...], truth: float) -> Outcomes:
    """Return whether the interval covers, and if the truth is 0 whether the test rejects."""
    told = _noted(d, notes)
    outcomes = {COVERS: Outcome(None if d.interval is None else truth in d.interval, told)}
    if truth == 0.0:
        outcomes[REJECTS] = Outcome(d.p_value <= ALPHA, told)
    return outcomes


def _noted(d: Difference, notes: tuple[Note, ...]) -> bool:
    return any(note.code in NOTES for note in (*notes, *d.notes))


@cache
def _truth(population: Population, n: int, sets: int = 1500, size: int = 500) -> float:
    """Return the expected difference of the systems trained on n items, from many training sets."""
    rng = np.random.default_rng(1)
    train = np.arange(n + size)[None] < n
    gaps = []
    for _ in range(sets):
        x, y = population.draw(rng, n + size)
        a, b = (population.scores(p, y, ~train)[0] for p in population.predict(x, y, train))
        gaps.append(a - b)
    return float(np.mean(gaps))
