"""Verdicts of equivalence where few units differ, and the true difference is the margin."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from bestby.comparisons import family, one_pair
from bestby.comparisons.settings import Settings
from bestby.data.evaluation import Evaluation
from bestby.engine import interval_methods, prepare
from bestby.engine.base import Drawing
from bestby.engine.estimate import Estimates
from bestby.metrics import resolve
from bestby.metrics.base import MeanMetric
from bestby.questions.datasets.compare import compare_datasets
from bestby.questions.preferences.compare import compare_preferences
from bestby.questions.runs.compare import compare_runs
from calibration.populations import Floats
from calibration.statements import Kind, Outcome, Statements, What

TITLE = "Equivalence"
TEXT = """
How often the verdict is "equivalent": `wrong`, where the true difference is the margin or more, and `power`,
where systems that differ on a few units, or by little, are equally good and the margin is .02. *auto* is the
verdict of the package. *Seen alone* is that of the interval from the units seen, the verdict before.

Of clusters, and of scores without bounds, the interval of two one-sided tests is longer than that of the
units seen unless half of the units differ. That threshold is not lower, because below it the interval of the
units seen errs in up to 7.4 % (the cells *free mean, clusters of 4*).
"""

SUBJECT = "equivalence"
AUTO, SEEN = "auto", "seen alone"

Pair = tuple[Floats, Floats]
Sampler = Callable[[np.random.Generator, int], Evaluation]
Margin = float | Callable[[], float]
"""The margin, or what computes it when a cell is made."""

SETTINGS = Settings("auto", 0.95, test=None)


@dataclass(frozen=True, repr=False)
class Bounded(MeanMetric):
    """The mean of scores between 0 and 1."""

    name: str = "credit"
    bounds = (0.0, 1.0)
    needs_gold = False

    def values(self, gold: None, predictions: Floats) -> Floats:  # noqa: ARG002
        """Return the scores."""
        return predictions


def cells() -> Iterator[Statements]:
    """Yield the cells, by metric and structure."""
    yield from _cells_of_means()
    yield from _cells_of_labels()
    yield from _cells_of_clusters()
    yield from _cells_of_ranks()
    yield from _cells_of_others()


def _cell(
    population: str, n: int, sample: Sampler, metric: object, margin: Margin, kind: Kind = "wrong"
) -> Statements:
    one = partial(_one, sample, n, metric, margin, kind)
    return Statements(SUBJECT, population, str(n), n, one, 1000 if n <= 500 and kind == "wrong" else 400)


def _one(
    sample: Sampler,
    n: int,
    metric: object,
    margin: Margin,
    kind: Kind,
    rng: np.random.Generator,
    seed: int,
) -> dict[What, Outcome]:
    """Return whether two systems are called equivalent."""
    (group,) = prepare.groups(sample(rng, n), [resolve(metric)])
    estimate = Estimates(group, Drawing(199, seed)).of(0, 1)
    margin = margin() if callable(margin) else margin
    settings = dataclasses.replace(SETTINGS, margin=margin)
    made = one_pair.intervals(estimate, "auto", settings)
    interval = made.decides or made.interval
    method, situation = one_pair.chosen(estimate, "auto")
    method = one_pair.deciding(method, "auto", situation)
    level = family.equivalence_level(settings.level, margin)
    seen, _ = interval_methods.interval(estimate, method, settings.level if level is None else level)
    verdict = family.verdict(interval, made.tost, margin, True, doubted=made.doubted)
    return _found(kind, verdict, family.verdict(interval, seen, margin, True))


def _found(kind: Kind, verdict: str | None, before: str | None = None) -> dict[What, Outcome]:
    found = {What(kind, AUTO, kind == "wrong"): Outcome(verdict == "equivalent")}
    if before is not None:
        found[What(kind, SEEN)] = Outcome(before == "equivalent")
    return found


# -- means -------------------------------------------------------------------------------------------

EFFECTS: dict[str, Callable[[np.random.Generator, int], Floats]] = {
    "fully": lambda _, n: np.ones(n),
    "half": lambda _, n: np.full(n, 0.5),
    "by any amount": lambda rng, n: rng.random(n),
    "tenth or fully": lambda rng, n: np.where(rng.random(n) < 0.2, 1.0, 0.1),
    "either way, three of four by half": lambda rng, n: np.where(rng.random(n) < 0.75, 0.5, -0.5),
    "noisy": lambda _, n: np.ones(n),
}
TRUE_EFFECT = {
    "fully": 1.0,
    "half": 0.5,
    "by any amount": 0.5,
    "tenth or fully": 0.28,
    "either way, three of four by half": 0.25,
    "noisy": 1.0,
}
FREE: dict[str, tuple[Callable[[np.random.Generator, int], Floats], float]] = {
    "normal(.5, 1)": (lambda rng, n: rng.normal(0.5, 1.0, n), 0.5),
    "lognormal": (lambda rng, n: rng.lognormal(0.0, 1.0, n), float(np.exp(0.5))),
}


def changed(effect: str, share: float, equal: bool, rng: np.random.Generator, n: int) -> Evaluation:
    """Return scores between 0 and 1 of which a share differs; `equal`: as much for A as for B."""
    changes, sizes = rng.random(n) < share, EFFECTS[effect](rng, n)
    sizes = sizes * np.where(rng.random(n) < 0.5, 1.0, -1.0) if equal else sizes
    room = 1.0 - np.abs(sizes)
    noise = 0.02 * rng.normal(size=n) if effect == "noisy" else np.zeros(n)
    lower = np.where(changes, room, 1.0) * rng.random(n)
    gap = np.where(changes, sizes, 0.0)
    a, b = lower + np.maximum(gap, 0.0), lower + np.maximum(-gap, 0.0)
    quiet = np.clip(b + noise, 0.0, 1.0)
    return Evaluation.of({"a": np.where(changes, a, quiet) if effect == "noisy" else a, "b": b})


def free(effect: str, share: float, rng: np.random.Generator, n: int) -> Evaluation:
    """Return scores without bounds of which a share differs."""
    b = rng.normal(size=n)
    return Evaluation.of({"a": b + np.where(rng.random(n) < share, FREE[effect][0](rng, n), 0.0), "b": b})


def dense(rng: np.random.Generator, n: int) -> Evaluation:
    """Return scores of equally good systems that differ a little on every item."""
    b = rng.uniform(0.3, 0.7, n)
    return Evaluation.of({"a": b + 0.1 * rng.uniform(-1.0, 1.0, n), "b": b})


def _cells_of_means() -> Iterator[Statements]:
    for effect, n in itertools.product(EFFECTS, (30, 60, 150, 300, 500, 2000)):
        told, margin = f"mean, 2 % changed {effect}", 0.02 * TRUE_EFFECT[effect]
        yield _cell(told, n, partial(changed, effect, 0.02, False), Bounded(), margin)
    for effect, n in itertools.product(("fully", "tenth or fully"), (100, 400)):
        told, margin = f"mean, 5 % changed {effect}", 0.05 * TRUE_EFFECT[effect]
        yield _cell(told, n, partial(changed, effect, 0.05, False), Bounded(), margin)
    for (effect, (_, mean)), n in itertools.product(FREE.items(), (30, 150, 500, 2000)):
        yield _cell(f"free mean, 2 % changed {effect}", n, partial(free, effect, 0.02), "mean", 0.02 * mean)
    for effect, n in itertools.product(("half", "by any amount", "tenth or fully"), (150, 500, 2000)):
        told = f"mean, 2 % changed {effect}, equal"
        yield _cell(told, n, partial(changed, effect, 0.02, True), Bounded(), 0.02, "power")
    for n in (150, 500, 2000):
        yield _cell("mean, all differ by up to a tenth, equal", n, dense, Bounded(), 0.02, "power")


# -- labels ------------------------------------------------------------------------------------------


def rare_class(recalls: tuple[float, float], rng: np.random.Generator, n: int) -> Evaluation:
    """Return labels of which 3 % are "y", found by the systems with these recalls, mostly the same ones."""
    found = rng.random(n)
    positive = rng.random(n) < 0.03
    systems = {
        name: np.where(positive & (found < r), "y", "x") for name, r in zip("ab", recalls, strict=True)
    }
    gold = np.where(positive, "y", "x")
    gold[:2] = "x", "y"  # both labels occur
    return Evaluation.of(systems, gold)


def near_copies(
    shares: tuple[float, float, float], equal: bool, rng: np.random.Generator, n: int
) -> Evaluation:
    """Return labels of three classes of these shares; B errs on 2 % more, or as often as A (`equal`)."""
    gold = rng.choice(3, n, p=shares)
    a = np.where(rng.random(n) < 0.9, gold, rng.integers(0, 3, n))
    changes = rng.random(n) < 0.02
    wrong = (gold + rng.integers(1, 3, n)) % 3
    b = np.where(changes, wrong, a)
    if equal:
        swapped = rng.random(n) < 0.5
        a, b = np.where(swapped, b, a), np.where(swapped, a, b)
    return Evaluation.of({"a": a, "b": b}, gold)


@cache
def truth(metric: str, shares: tuple[float, float, float]) -> float:
    """Return the true difference of the systems of `near_copies`, from a million items."""
    evaluation = near_copies(shares, False, np.random.default_rng(0), 1_000_000)
    (group,) = prepare.groups(evaluation, [resolve(metric)])
    a, b = group.scores
    return float(a - b)


def _cells_of_labels() -> Iterator[Statements]:
    for n in (60, 150, 500, 2000):
        sample = partial(rare_class, (0.8, 0.6))
        yield _cell("recall of a 3 % class, .20 apart, margin .10", n, sample, "recall[y]", 0.1)
        yield _cell("recall of a 3 % class, .20 apart", n, sample, "recall[y]", 0.2)
    designs = {"even classes": (0.34, 0.33, 0.33), "a class of 5 %": (0.6, 0.35, 0.05)}
    for metric, (told, shares), n in itertools.product(
        ("f1_macro", "matthews_corrcoef"), designs.items(), (60, 150, 500)
    ):
        sample = partial(near_copies, shares, False)
        yield _cell(
            f"{metric}, {told}, 2 % worse", n, sample, metric, partial(truth, metric, shares), "wrong"
        )
    for n in (150, 500, 2000):
        sample = partial(near_copies, designs["even classes"], True)
        yield _cell("f1_macro, even classes, equal", n, sample, "f1_macro", 0.02, "power")


# -- clusters, strata --------------------------------------------------------------------------------


def grouped(
    how: str, size: int, together: bool, share: float, rng: np.random.Generator, n: int
) -> Evaluation:
    """Return answers in clusters or strata, of which A has a share right that B has wrong."""
    groups = np.arange(n) // size
    changes = (rng.random(n // size) < share)[groups] if together else rng.random(n) < share
    b = np.where(changes, 0.0, (rng.random(n) < 0.7).astype(float))
    a = np.where(changes, 1.0, b)
    clusters, strata = (groups, None) if how == "clusters" else (None, groups)
    return Evaluation.of({"a": a, "b": b}, np.ones(n), clusters=clusters, strata=strata)


def _cells_of_clusters() -> Iterator[Statements]:
    designs = [("clusters", 4, False), ("clusters", 4, True), ("strata", 4, False), ("strata", 2, False)]
    for (how, size, together), n, share in itertools.product(designs, (120, 400), (0.02, 0.05)):
        alike = "together" if together else "alone"
        told = f"accuracy, {how} of {size}, {100 * share:.0f} % changed {alike}"
        yield _cell(told, n, partial(grouped, how, size, together, share), "accuracy", share)
    for effect, share, n in itertools.product(FREE, (0.2, 0.45, 0.6), (30, 100)):
        told = f"free mean, clusters of 4, {100 * share:.0f} % changed {effect}"
        yield _cell(told, n, partial(free_clusters, effect, share), "mean", share * FREE[effect][1])


def free_clusters(effect: str, share: float, rng: np.random.Generator, n: int) -> Evaluation:
    """Return scores without bounds in n clusters of four, of which a share differs."""
    d = np.where(rng.random(n) < share, FREE[effect][0](rng, n), 0.0)
    b = rng.normal(size=4 * n)
    return Evaluation.of({"a": b + np.repeat(d, 4), "b": b}, clusters=np.repeat(np.arange(n), 4))


# -- ranks -------------------------------------------------------------------------------------------


def rank_copies(metric: str, rng: np.random.Generator, n: int) -> Evaluation:
    """Return scores of a system and of one that has lost track of 2 % of the items."""
    gold = rng.normal(size=n)
    a = 0.8 * gold + 0.6 * rng.normal(size=n)
    b = np.where(rng.random(n) < 0.02, -3.0 * np.sign(gold), a)
    gold = (gold > 0.0).astype(float) if metric == "roc_auc" else gold
    return Evaluation.of({"a": a, "b": b}, gold)


@cache
def rank_truth(metric: str) -> float:
    """Return the true difference of the systems of `rank_copies`, from a million items."""
    evaluation = rank_copies(metric, np.random.default_rng(0), 1_000_000)
    (group,) = prepare.groups(evaluation, [resolve(metric)])
    a, b = group.scores
    return float(a - b)


def _cells_of_ranks() -> Iterator[Statements]:
    for metric, n in itertools.product(("roc_auc", "spearman"), (60, 150, 500)):
        sample = partial(rank_copies, metric)
        yield _cell(f"{metric}, 2 % lost", n, sample, metric, partial(rank_truth, metric))


# -- runs, preferences, datasets ---------------------------------------------------------------------


def _runs(n: int, rng: np.random.Generator, seed: int) -> dict[What, Outcome]:
    """Return the verdict on paired runs of which one in ten differs."""
    b = rng.normal(0.8, 0.01, n)
    a = b + np.where(rng.random(n) < 0.1, 0.05, 0.0)
    result = compare_runs({"a": a, "b": b}, paired=True, margin=0.005, rng=seed, n_resamples=99)
    return _found("wrong", result.differences[0].verdict)


def _runs_on_items(n: int, rng: np.random.Generator, seed: int) -> dict[What, Outcome]:
    """Return the verdict on three runs of each system, on items of which all runs differ on 2 %."""
    both = changed("fully", 0.02, False, rng, n).systems
    runs = {name: np.tile(scores, (3, 1)) for name, scores in both.items()}
    result = compare_runs(runs, metric=Bounded(), margin=0.02, rng=seed, n_resamples=99)
    return _found("wrong", result.differences[0].verdict)


def _preferences(n: int, rng: np.random.Generator, seed: int) -> dict[What, Outcome]:
    """Return the verdict on judgements that are ties but for 2 %, all of which A wins."""
    wins = rng.random(n) < 0.02
    judged = [("a", "b", "a" if win else "tie") for win in wins]
    margin = float(np.log(0.51 / 0.49))
    result = compare_preferences(judged, scale="log", margin=margin, rng=seed, n_resamples=99)
    return _found("wrong", result.differences[0].verdict)


def _datasets(n: int, rng: np.random.Generator, seed: int) -> dict[What, Outcome]:
    """Return the verdict on the mean over four datasets of other items, of which 2 % are changed."""
    parts = {f"d{i}": grouped("clusters", 1, False, 0.02, rng, n // 4) for i in range(4)}
    result = compare_datasets(parts, metric="accuracy", margin=0.02, rng=seed, n_resamples=199)
    (found,) = (d for d in result.overall if (d.average, d.resampled) == ("macro", "items"))
    return _found("wrong", found.verdict)


def _cells_of_others() -> Iterator[Statements]:
    others = {
        "paired runs, one in ten differs": (_runs, (5, 10, 20)),
        "mean over runs and items, 2 % changed fully": (_runs_on_items, (60, 150, 300)),
        "preferences, 2 % are no ties": (_preferences, (60, 150, 300)),
        "mean accuracy of four datasets, 2 % changed": (_datasets, (120, 400)),
    }
    for told, (one, sizes) in others.items():
        for n in sizes:
            yield Statements(SUBJECT, told, str(n), n, partial(one, n), 400)
