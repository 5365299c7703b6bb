"""Plans from pilots: is the power that they promise the one that studies of the planned size have?"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache, partial

import numpy as np
from scipy.special import stdtr

from bestby import Evaluation, compare_facets, sample_size
from bestby._core.typing import FloatArray, IntArray
from bestby.errors import DesignError
from bestby.inference import classical, clusters, skewness
from bestby.planning import FacetedScores, LiftedScores, PairedProportions, PairedScores, Pilot, RunsAndItems
from bestby.planning.base import Design
from bestby.questions.facets.result import FacetsComparison
from bestby.questions.planning.result import Plan
from bestby.questions.planning.simulated import TESTS
from calibration.statements import Outcome, Statements, What

TITLE = "Plans from pilots"

TEXT = """
A pilot is drawn, `sample_size` plans a study for a power of .80 at a difference that is given, a study of
the planned size is drawn from the same population, and tested as the plan says. Counted is how often the
test rejects: the power that plans have on average over pilots. *Averaged* is the default: the power is an
average over the variances (agreements) that the pilot leaves open, by a chi-square with the pilot's degrees
of freedom, or a Beta distribution. *As estimated* takes the pilot's estimates for the truth
(`taken_as_true`). *Noted*: the note `uncertain_pilot`.

Tried for the degrees of freedom of pilots with clusters: the clusters less one, which is too many where
sizes are unequal; those of the squared sums over clusters, also too many; the effective number of clusters
(Kish) less one, together with what other sizes would change. The last was nearest to .80 and is taken, with
the kurtosis of the squared deviations as a second estimate; the fewer of the two count. Also, clusters of
unequal size cost the test of the study degrees of freedom, and plans now allow for it. Of Beta
distributions for the share of differing items, that which begins with equal chances was nearer to .80 than
Jeffreys'. No small pilot shows the tails of its scores: for lognormal scores its plan promises too much,
which the note says.

Of runs on the same items, each mean square of the pilot has a chi-square of its own. One chi-square for the
variance of the whole study leaves out the doubt about runs where their component is estimated as 0, and
such plans promised too much. With a chi-square for each, plans from three runs ask for too many items if the
study has ten runs, and for too few if it has three and the run component is small, which the note says.
Where no number of items gives the power, the plan is refused and not counted: most of the last kind, so that
their share has a large standard error.

Of prompts and items, a pilot of 60 items plans the prompts of a study of 400 items, which `compare_facets`
tests. Its plans average over a chi-square for each mean square, too.
"""

AVERAGED, ESTIMATED = What("power", "averaged", default=True), What("power", "as estimated")
CODES = {"uncertain_pilot"}

Draw = Callable[[np.random.Generator, int], FloatArray]
Test = Callable[[Plan, np.random.Generator], bool]


def _outcomes(
    design: Design, test: Test, rng: np.random.Generator, seed: int, **options: int
) -> dict[What, Outcome]:
    """Return whether studies of the sizes planned in both ways reject."""
    found = {}
    for what, one in ((AVERAGED, design), (ESTIMATED, design.taken_as_true())):
        try:
            plan = sample_size(one, curve=(), rng=seed, **options)  # type: ignore[arg-type]
        except DesignError:  # no size is enough
            found[what] = Outcome(None)
            continue
        noted = any(note.code in CODES for note in plan.notes)
        found[what] = Outcome(test(plan, rng), noted)
    return found


# -- scores of items ---------------------------------------------------------------------------------

ITEMS: dict[str, tuple[Draw, float]] = {
    "normal": (lambda rng, n: rng.normal(size=n), 1.0),
    "t with 5 df": (lambda rng, n: rng.standard_t(5, n), math.sqrt(5.0 / 3.0)),
    "one item in ten fails": (
        lambda rng, n: rng.normal(size=n) - 5.0 * (rng.random(n) < 0.1) + 0.5,
        math.sqrt(1.0 + 25.0 * 0.09),
    ),
    "lognormal": (
        lambda rng, n: rng.lognormal(size=n) - rng.lognormal(size=n),
        math.sqrt(2.0 * math.e * (math.e - 1.0)),
    ),
    "-1, 0, 1 (80 % are 0)": (lambda rng, n: rng.choice([-1.0, 0.0, 1.0], n, p=[0.1, 0.8, 0.1]), 0.2**0.5),
}


def _items(draw: Draw, sd: float, size: int, rng: np.random.Generator, seed: int) -> Mapping[What, Outcome]:
    pilot = draw(rng, size)
    while np.ptp(pilot) == 0.0:  # such a pilot is refused
        pilot = draw(rng, size)
    effect = 0.4 * sd

    def test(plan: Plan, rng: np.random.Generator) -> bool:
        x = draw(rng, plan.n) + effect
        t = x.mean() / math.sqrt(x.var(ddof=1) / x.size) if np.ptp(x) else math.inf
        return bool(2.0 * stdtr(x.size - 1, -abs(t)) <= 0.05)

    return _outcomes(PairedScores.from_pilot(pilot, difference=effect), test, rng, seed)


# -- clusters ----------------------------------------------------------------------------------------

SIZES: dict[str, Callable[[np.random.Generator, int], IntArray]] = {
    "equal": lambda _, n: np.full(n, 5),
    "lognormal": lambda rng, n: np.maximum(1, np.rint(np.exp(rng.normal(1.2, 1.0, n)))).astype(np.int64),
    "Zipf": lambda rng, n: np.minimum(rng.zipf(2.0, n), 60),
    "Zipf (1.5)": lambda rng, n: np.minimum(rng.zipf(1.5, n), 100),
}


@lru_cache
def _sd_of_cluster(kind: str, icc: float) -> float:
    """Return the standard error of the mean over one cluster, had all of them their share in it."""
    sizes = SIZES[kind](np.random.default_rng(0), 200_000).astype(np.float64)
    return float(np.sqrt((sizes * (1.0 + (sizes - 1.0) * icc)).mean()) / sizes.mean())


def _clusters(
    kind: str, icc: float, size: int, rng: np.random.Generator, seed: int
) -> Mapping[What, Outcome]:
    effect = 0.35 * _sd_of_cluster(kind, icc)

    def drawn(count: int) -> tuple[FloatArray, IntArray]:
        group = np.repeat(np.arange(count), SIZES[kind](rng, count))
        own = math.sqrt(1.0 - icc) * rng.normal(size=group.size)
        return math.sqrt(icc) * rng.normal(size=count)[group] + own, group

    pilot, group = drawn(size)
    while np.bincount(group).max() == 1:
        pilot, group = drawn(size)
    design = PairedScores.from_pilot(pilot, clusters=group, difference=effect)

    def test(plan: Plan, _: np.random.Generator) -> bool:
        x, group = drawn(max(2, round(plan.n / design.cluster_size)))
        x += effect
        sums, sizes = np.bincount(group, weights=x - x.mean()), np.bincount(group).astype(np.float64)
        error = clusters.cr2(sums / x.size, sizes)
        return skewness.wald(float(x.mean()), error, "two-sided").p_value <= 0.05

    return _outcomes(design, test, rng, seed)


# -- right or wrong ----------------------------------------------------------------------------------


@cache
def _planned(differing: int, size: int, effect: float, averaged: bool) -> tuple[int, bool]:
    """Return the size that a pilot asks for, and whether its plan is noted."""
    design = PairedProportions(0.5 + effect, 0.5, 1.0 - differing / size, pilot_items=size)
    if not averaged:
        if differing < effect * size:
            return 0, False
        design = design.taken_as_true()
    plan = sample_size(design, curve=())
    return plan.n, any(note.code in CODES for note in plan.notes)


def _right_or_wrong(
    share: float, effect: float, size: int, rng: np.random.Generator, _: int
) -> Mapping[What, Outcome]:
    differing, found = int(rng.binomial(size, share)), {}
    for what in (AVERAGED, ESTIMATED):
        n, noted = _planned(differing, size, effect, what.default)
        many = int(rng.binomial(n, share))
        wins = int(rng.binomial(many, 0.5 * (1.0 + effect / share)))
        rejects = classical.mcnemar(wins, many - wins, "two-sided").p_value <= 0.05
        found[what] = Outcome(rejects if n else None, noted)
    return found


# -- runs --------------------------------------------------------------------------------------------

RUNS: dict[str, tuple[Draw, float]] = {
    "normal": (lambda rng, n: rng.normal(size=n), 1.0),
    "lognormal (0.5)": (lambda rng, n: rng.lognormal(0.0, 0.5, n), 0.604),
    "one run in ten fails": (lambda rng, n: rng.normal(size=n) - 4.0 * (rng.random(n) < 0.1), 1.562),
}


def _runs(draw: Draw, sd: float, size: int, rng: np.random.Generator, seed: int) -> Mapping[What, Outcome]:
    effect = 1.2 * sd

    def test(plan: Plan, rng: np.random.Generator) -> bool:
        n = min(plan.n, 500)
        x, y = draw(rng, n) + effect, draw(rng, n)
        return bool(TESTS["welch"](x[None], y[None], "two-sided", 0, rng)[0] <= 0.05)

    design = LiftedScores(draw(rng, size), effect, by="offset", test="welch")
    return _outcomes(design, test, rng, seed, n_simulations=400)


# Standard deviations of items, runs and the rest; items of the pilot, runs of the study; the difference.
RUNS_AND_ITEMS: dict[str, tuple[float, float, float, int, int, float]] = {
    "runs and items": (0.3, 0.02, 0.4, 200, 10, 0.06),
    "runs and items, small run component": (0.5**0.5, 0.005**0.5, 0.5**0.5, 100, 3, 0.2),
}


def _runs_and_items(
    population: str, size: int, rng: np.random.Generator, seed: int
) -> Mapping[What, Outcome]:
    """Pilots of some runs; the test of a study is made from its mean squares."""
    item_sd, run_sd, rest_sd, count, runs, difference = RUNS_AND_ITEMS[population]
    half = math.sqrt(0.5)

    def layer() -> FloatArray:
        parts = rng.normal(0, item_sd, count) + rng.normal(0, run_sd, (size, 1))
        return np.asarray(half * (parts + rng.normal(0, rest_sd, (size, count))))

    design = RunsAndItems.from_pilot(layer(), layer(), runs=runs, difference=difference)

    def test(plan: Plan, rng: np.random.Generator) -> bool:
        n = plan.n
        items, over, rest = item_sd**2 / n, run_sd**2 / runs, rest_sd**2 / (n * runs)
        left = rest * rng.chisquare(2 * (runs - 1) * (n - 1)) / (2 * (runs - 1) * (n - 1))
        by_items = (items + rest) * rng.chisquare(n - 1) / (n - 1)
        by_runs = 0.5 * (over + rest) * rng.chisquare(runs - 1, 2) / (runs - 1)
        total = max(by_items, left) + max(by_runs.sum(), left) - left
        df = total**2 / (by_items**2 / (n - 1) + (by_runs**2).sum() / (runs - 1))
        t = rng.normal(difference, math.sqrt(items + over + rest)) / math.sqrt(total)
        return bool(2.0 * stdtr(df, -abs(t)) <= 0.05)

    return _outcomes(design, test, rng, seed)


# -- facets ------------------------------------------------------------------------------------------

# Variances of prompts, of items and of both together
FACETS: dict[str, tuple[float, float, float]] = {
    "prompts and items": (0.01, 0.25, 0.5),
    "prompts and items, small prompt component": (0.002, 0.25, 0.5),
}


def _facets(population: str, size: int, rng: np.random.Generator, seed: int) -> Mapping[What, Outcome]:
    """Pilots of some prompts, which plan the prompts of a study."""
    by_prompt, by_item, by_both = np.sqrt(FACETS[population])

    def compared(prompts: int, items: int, difference: float) -> FacetsComparison:
        d = difference + by_prompt * rng.normal(size=(prompts, 1)) + by_item * rng.normal(size=items)
        d += by_both * rng.normal(size=(prompts, items))
        return compare_facets({"a": d, "b": np.zeros_like(d)}, facets="prompt", n_resamples=99)

    def test(plan: Plan, _: np.random.Generator) -> bool:
        return compared(min(plan.n, 500), 400, 0.15)["a", "b"].p_value <= 0.05

    pilot = compared(size, 60, 0.0)
    design = FacetedScores.from_pilot(pilot, levels={"item": 400}, difference=0.15, counted="prompt")
    return _outcomes(design, test, rng, seed)


# -- simulated from the items of a pilot -------------------------------------------------------------


def _pilot(size: int, rng: np.random.Generator, seed: int) -> Mapping[What, Outcome]:
    """Normal differences of a pilot whose mean was made that which the study is planned for."""
    x = rng.normal(size=size)
    x += 0.6 - x.mean()
    design = Pilot(Evaluation.of({"a": x, "b": np.zeros(size)}), test="t")

    def test(plan: Plan, rng: np.random.Generator) -> bool:
        y = rng.normal(0.6, 1.0, plan.n)
        return bool(2.0 * stdtr(plan.n - 1, -abs(y.mean()) / math.sqrt(y.var(ddof=1) / plan.n)) <= 0.05)

    return _outcomes(design, test, rng, seed, n_simulations=100)


def cells() -> Iterator[Statements]:
    """Yield the cells: pilots of items, of clusters, of right and wrong answers, of runs."""
    for name, (draw, sd) in ITEMS.items():
        for n in (5, 8, 15, 40, 200) if name == "normal" else (8, 40, 200):
            yield _cell(f"items: {name}", n, partial(_items, draw, sd, n), 300)
    for kind in SIZES:
        for n, icc in ((8, 0.3), (15, 0.3), (40, 0.3), (200, 0.3), (40, 0.05)):
            name = f"clusters of {kind} sizes, correlation {icc}"
            yield _cell(name, n, partial(_clusters, kind, icc, n), 250)
    for share, effect in ((0.1, 0.05), (0.2, 0.08), (0.4, 0.12)):
        for n in (15, 40, 200):
            name = f"right or wrong: {share:.0%} differ"
            yield _cell(name, n, partial(_right_or_wrong, share, effect, n), 2000)
    for name, (draw, sd) in RUNS.items():
        for n in (3, 5, 10):
            yield _cell(f"runs: {name}", n, partial(_runs, draw, sd, n), 400)
    for n in (3, 10):
        yield _cell("runs and items", n, partial(_runs_and_items, "runs and items", n), 60)
    few = "runs and items, small run component"
    yield _cell(few, 3, partial(_runs_and_items, few, 3), 100)
    for name in FACETS:
        for n in (3, 5, 10):
            yield _cell(name, n, partial(_facets, name, n), 200)
    yield _cell("items drawn from the pilot", 15, partial(_pilot, 15), 150)


def _cell(
    population: str,
    size: int,
    one: Callable[[np.random.Generator, int], Mapping[What, Outcome]],
    datasets: int,
) -> Statements:
    return Statements("plans", population, str(size), size, one, datasets=datasets)
