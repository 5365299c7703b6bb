"""Differences over prompts, seeds, judges and items that are drawn anew, through `compare_facets`."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit, stdtr

from bestby import compare_facets
from bestby._core.typing import FloatArray, IntArray
from calibration.statements import Outcome, Statements, What, holds

TITLE = "Prompts, seeds, judges and items"
TEXT = """
Scores of two systems are a sum of effects, one for each facet and each combination of facets: some are
shared by both systems, some are of one system. Of each population stands which share of the variance of
the difference comes from which: `p` prompts, `s` seeds, `j` judges, `d` documents, `i` items, `pi` what
a prompt adds on one item, and so on. Seeds are nested in prompts, items in documents. Effects are
normal unless something else is said; 0/1 answers have normal effects on the logit, whose standard
deviations stand there.

*Difference* and *own score* are the intervals of `compare_facets`. Beside them are what is done without
facets: *runs* takes the mean of each run (a prompt, or a prompt with one of its seeds or judges) as an
independent value and has Student's t of their paired differences; *items* has that of the items,
averaged over all runs. *Component* is the interval of the variance of the first facet, *study* that of
the standard error with twice its levels.

Labels are of three classes; a prompt makes a system better or worse, and favours some classes.

Where the effects of one system's prompts are skewed and make up the whole uncertainty, no interval can
hold: most draws of few prompts have too few of the rare ones. The data cannot show it, so the notes
that are counted (`few_levels`, `rests_on_few`, `two_levels`) speak in normal populations, too.
"""

DATASETS = 400
NOTES = {"rests_on_few", "few_levels", "two_levels"}
DIFFERENCE, OWN = What("coverage", "difference", default=True), What("coverage", "own score", default=True)
COMPONENT, STUDY = What("coverage", "component", default=True), What("coverage", "study", default=True)
RUNS, ITEMS = What("coverage", "runs"), What("coverage", "items")
NAMES = {"p": "prompt", "s": "seed", "j": "judge", "d": "document"}

Law = Callable[[np.random.Generator, tuple[int, ...]], FloatArray]
"""Draws effects with mean 0 and variance 1."""

LAWS: dict[str, Law] = {
    "normal": lambda rng, size: rng.normal(size=size),
    "exponential": lambda rng, size: rng.exponential(size=size) - 1.0,
    "lognormal": lambda rng, size: (
        (rng.lognormal(size=size) - math.exp(0.5)) / math.sqrt(math.exp(2.0) - math.e)
    ),
    "one in eight far off": lambda rng, size: ((rng.random(size) < 0.125) - 0.125) / math.sqrt(0.125 * 0.875),
}


@dataclass(frozen=True)
class Population:
    """Where scores come from.

    Parameters
    ----------
    sizes : mapping of str to int
        How many levels each facet has: "p", "s", "j" and "i", in this order.
    shares : mapping of str to float
        By combination of facets, its share of the variance of the difference; of answers the standard
        deviation of its effects on the logit.
    law : str
        The law of the effects of the first facet.
    one_system : bool
        Only one system has effects of the first facet.
    answers : float, optional
        The logit of an answer that is right, of both systems.
    missing : float
        Which share of the cells is missing.
    fixed : str
        The facet whose levels are all that matter, if any: A is better with its first levels, and as much
        worse with its last ones.
    """

    sizes: Mapping[str, int]
    shares: Mapping[str, float]
    law: str = "normal"
    one_system: bool = False
    answers: float | None = None
    missing: float = 0.0
    fixed: str = ""

    def variance(self, effect: str) -> float:
        """Return the variance of the effects of a difference."""
        if self.answers is not None:
            return self.shares[effect] ** 2
        return self.shares[effect] * math.prod(self.sizes[facet] for facet in effect)

    def effects(self, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Return the sums of the effects of both systems, with an axis for each facet."""
        a, b = np.zeros(tuple(self.sizes.values())), np.zeros(tuple(self.sizes.values()))
        for effect in self.shares:
            size = tuple(n if facet in effect else 1 for facet, n in self.sizes.items())
            first = effect == next(iter(self.sizes))
            law = LAWS[self.law if first else "normal"]
            sd = math.sqrt(self.variance(effect))
            shared = 0.7 * sd * rng.normal(size=size)
            alone = first and self.one_system
            a = a + shared + law(rng, size) * (sd if alone else sd / math.sqrt(2.0))
            b = b + shared + (0.0 if alone else law(rng, size) * sd / math.sqrt(2.0))
        for facet in self.fixed:
            a = a + np.linspace(1.0, -1.0, self.sizes[facet]).reshape(-1, *(1,) * (a.ndim - 1))
        return a, b

    def draw(self, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Return the scores of both systems; what is missing is not a number."""
        scores = self.effects(rng)
        if self.answers is not None:
            a, b = ((rng.random(x.shape) < expit(self.answers + x)).astype(np.float64) for x in scores)
            scores = a, b
        lost = rng.random(scores[0].shape) < self.missing
        a, b = (np.where(lost, np.nan, x) for x in scores)
        return a, b

    def own(self) -> float:
        """Return the true score of a system."""
        if self.answers is None:
            return 0.0
        nodes, weights = np.polynomial.hermite_e.hermegauss(60)
        # The shared effects have .49 of the variance of a difference, those of one system half of it
        sd = math.sqrt(0.99 * sum(x * x for x in self.shares.values()))
        return float(expit(self.answers + sd * nodes) @ weights / weights.sum())

    def study(self) -> tuple[dict[str, int], float]:
        """Return twice the levels of the first facet, and the true standard error with them."""
        first = next(iter(self.sizes))
        sizes = {**self.sizes, first: 2 * self.sizes[first]}
        parts = (self.variance(e) / math.prod(sizes[facet] for facet in e) for e in self.shares)
        return {NAMES[first]: sizes[first]}, math.sqrt(sum(parts))


def cells() -> Iterator[Statements]:
    """Yield designs by what varies, and by their numbers of levels."""
    for name, population, asked in populations():
        shares = ", ".join(f"{effect} {share:g}" for effect, share in population.shares.items())
        sizes = " x ".join(f"{n} {facet}" for facet, n in population.sizes.items())
        one = partial(_one, population=population, asked=asked)
        yield Statements("facets", f"{name}: {shares}", sizes, 1000, one, datasets=DATASETS)
    for k in (3, 5, 10):
        one = partial(_documents, prompts=k)
        name = "normal, 150 items in documents of 1 to 11: p 0.3, d 0.3, pd 0.1, i 0.2, pi 0.1"
        yield Statements("facets", name, f"{k} p x 25 d", 1000, one, datasets=DATASETS // 2)
    for metric, k in itertools.product(("macro-F1", "Matthews' correlation"), (3, 5, 10)):
        one = partial(_labels, prompts=k, metric={"macro-F1": "f1_macro"}.get(metric, "matthews_corrcoef"))
        name = f"labels, 60, 30 and 10 % of the items, by {metric}"
        yield Statements("facets", name, f"{k} p x 200 i", 1000, one, datasets=DATASETS)


def populations() -> Iterator[tuple[str, Population, tuple[What, ...]]]:
    """Yield names, populations, and what is counted beside the difference."""
    more = (OWN, COMPONENT, STUDY)
    for mix, k in itertools.product(
        (
            {"p": 0.05, "i": 0.15, "pi": 0.8},
            {"p": 0.35, "i": 0.5, "pi": 0.15},
            {"p": 0.8, "i": 0.1, "pi": 0.1},
        ),
        (2, 3, 4, 7, 10),
    ):
        yield "normal", Population({"p": k, "i": 120}, mix), more
    for mix, (k, s) in itertools.product(
        ({"p": 0.6, "ps": 0.1, "i": 0.2, "psi": 0.1}, {"p": 0.05, "ps": 0.5, "i": 0.2, "psi": 0.25}),
        ((3, 4), (6, 3)),
    ):
        yield "normal, seeds in prompts", Population({"p": k, "s": s, "i": 90}, mix), more
    every = {"p": 0.2, "j": 0.2, "i": 0.2, "pj": 0.1, "pi": 0.1, "ji": 0.1, "pji": 0.1}
    for mix, (k, j) in itertools.product(
        (every, {"p": 0.1, "j": 0.5, "i": 0.2, "pji": 0.2}), ((3, 4), (6, 3), (8, 8))
    ):
        yield "normal, judges", Population({"p": k, "j": j, "i": 60}, mix), (OWN,)
    for k, s in ((3, 1), (4, 3)):
        mix = {"i": 0.6, "pi": 0.4} if s == 1 else {"ps": 0.4, "i": 0.3, "psi": 0.3}
        sizes = {"p": k, "i": 80} if s == 1 else {"p": k, "s": s, "i": 80}
        yield "normal, fixed prompts", Population(sizes, mix, fixed="p"), ()
    for k in (4, 8):
        found = Population({"p": k, "i": 100}, {"p": 0.4, "i": 0.3, "pi": 0.3}, missing=0.2)
        yield "normal, 20 % of the cells missing", found, (OWN,)
    for law, k in itertools.product(("exponential", "lognormal"), (3, 8)):
        yield f"{law} prompts", Population({"p": k, "i": 150}, {"p": 0.5, "i": 0.3, "pi": 0.2}, law), ()
    for share, law, k in itertools.product(
        (0.5, 0.97), ("exponential", "lognormal", "one in eight far off"), (3, 6, 10)
    ):
        mix = {"p": share, "i": (1.0 - share) / 2.0, "pi": (1.0 - share) / 2.0}
        yield f"{law} prompts of one system", Population({"p": k, "i": 150}, mix, law, one_system=True), ()
    for (level, sds), k, n in itertools.product(
        (
            (0.6, {"p": 0.2, "i": 0.8, "pi": 0.4}),
            (3.0, {"p": 0.4, "i": 0.6, "pi": 0.3}),
            (0.6, {"p": 0.0, "i": 0.0, "pi": 0.0}),
        ),
        (3, 5, 10),
        (60, 400),
    ):
        answers = Population({"p": k, "i": n}, sds, answers=level)
        yield f"0/1, {100 * answers.own():.0f} % right", answers, (OWN,)


def _one(
    rng: np.random.Generator, seed: int, population: Population, asked: tuple[What, ...]
) -> dict[What, Outcome]:
    a, b = population.draw(rng)
    facets = tuple(NAMES[facet] for facet in population.sizes if facet != "i")
    result = compare_facets(
        {"a": a, "b": b},
        facets=facets,
        nested={"seed": "prompt"} if "s" in population.sizes else None,
        fixed=tuple(NAMES[facet] for facet in population.fixed),
        rng=seed,
        n_resamples=2000,
    )
    difference: Any = result["a", "b"]
    noted = any(note.code in NOTES for note in result.notes)
    each = (a - b).reshape(-1, a.shape[-1])
    made = {
        DIFFERENCE: Outcome(holds(difference.interval, 0.0), noted),
        RUNS: Outcome(_students_t(each)),
        ITEMS: Outcome(_students_t(each.T)),
    }
    if OWN in asked:
        made[OWN] = Outcome(holds(result.score("a").interval, population.own()), noted)
    if COMPONENT in asked:
        first = difference.components[0]
        made[COMPONENT] = Outcome(holds(first.interval, population.variance("p")), noted)
    if STUDY in asked:
        design, error = population.study()
        made[STUDY] = Outcome(holds(difference.study(design).standard_error_interval, error), noted)
    return made


def _labels(rng: np.random.Generator, seed: int, prompts: int, metric: str) -> dict[What, Outcome]:
    gold = rng.choice(3, 200, p=(0.6, 0.3, 0.1))
    easy = rng.normal(size=gold.size)

    def answers() -> IntArray:
        # A prompt makes a system better or worse, and favours some class; so does luck on each item
        utility = rng.gumbel(size=(prompts, gold.size, 3)) + 0.4 * rng.normal(size=(prompts, 1, 3))
        right = 1.5 + easy + 0.7 * rng.normal(size=gold.size) + 0.4 * rng.normal(size=(prompts, 1))
        utility[:, np.arange(gold.size), gold] += right
        return np.asarray(utility.argmax(axis=-1))

    systems = {"a": answers(), "b": answers()}
    result = compare_facets(systems, gold, metric=metric, facets="prompt", rng=seed, n_resamples=200)
    noted = any(note.code in NOTES for note in result.notes)
    return {DIFFERENCE: Outcome(holds(result["a", "b"].interval, 0.0), noted)}


def _students_t(cells: FloatArray) -> bool:
    """Return whether Student's t interval of the means of rows holds 0; of equal ones it holds themselves."""
    there = np.isfinite(cells)
    number = there.sum(axis=1)
    x = np.where(there, cells, 0.0).sum(axis=1)[number > 0] / number[number > 0]
    error = float(x.std(ddof=1)) / math.sqrt(x.size)
    if error == 0.0:
        return bool(x[0] == 0.0)
    return bool(2.0 * stdtr(x.size - 1, -abs(x.mean()) / error) >= 0.05)


def _documents(rng: np.random.Generator, seed: int, prompts: int) -> dict[What, Outcome]:
    lengths = np.r_[np.arange(1, 12), np.arange(1, 12), 5, 6, 7]
    document = np.repeat(np.arange(lengths.size), lengths)
    n = document.size
    # As if documents were of equal lengths: the shares of the variance are near those of the name
    of_p, of_d, of_pd, of_i, of_pi = np.sqrt(
        [0.3 * prompts, 0.3 * 25, 0.1 * prompts * 25, 0.2 * n, 0.1 * prompts * n]
    )
    a = of_p * rng.normal(size=(prompts, 1)) + of_i * rng.normal(size=n)
    a = a + (of_d * rng.normal(size=25) + of_pd * rng.normal(size=(prompts, 25)))[:, document]
    a = a + of_pi * rng.normal(size=(prompts, n))
    shared = 5.0 * rng.normal(size=n) + 3.0 * rng.normal(size=(prompts, 1))
    prompt, item = np.indices(a.shape).reshape(2, -1)
    table = pd.DataFrame(
        {
            "system": np.repeat(["a", "b"], a.size),
            "prompt": np.tile(prompt, 2),
            "document": np.tile(document[item], 2),
            "item": np.tile(item, 2),
            "score": np.r_[(a + shared).ravel(), np.broadcast_to(shared, a.shape).ravel()],
        }
    )
    result = compare_facets(table, facets="prompt", clusters="document", rng=seed, n_resamples=200)
    noted = any(note.code in NOTES for note in result.notes)
    return {
        DIFFERENCE: Outcome(holds(result["a", "b"].interval, 0.0), noted),
        RUNS: Outcome(_students_t(a)),
        ITEMS: Outcome(_students_t(a.T)),
    }
