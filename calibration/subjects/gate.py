"""Gates: how often a candidate that is worse by the margin passes, and how often one that is not fails."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial

import numpy as np

from bestby.comparisons.settings import Settings
from bestby.data.evaluation import Evaluation
from bestby.engine import prepare
from bestby.engine.base import Drawing
from bestby.metrics import resolve
from bestby.questions.gate.compare import decided, parts_of
from bestby.questions.gate.flips import SKEWED, gains_by_metric
from bestby.questions.gate.result import outcome_of
from bestby.questions.slices.source import Column
from bestby.vocabulary import FailTest
from calibration.populations import Floats
from calibration.statements import Kind, Outcome, Statements, What
from calibration.subjects.equivalence import Bounded, changed, grouped, near_copies, truth

TITLE = "Gate"
TEXT = """
`wrong`: how often a gate with a margin passes a candidate whose true difference is minus the margin. Of two
metrics both are worse by their margins (*both*), or one of them is and the other is equal (*one*).
`rejected`: how often a gate without a margin fails a candidate that is as good as the baseline; of several
metrics how often one of them does. Over slices and tasks B is as good everywhere, or worse by the margin in
the smallest of them only (*one worse*), or by the margin in all (*all worse*): *fails at the margin* is how
often one of the checks then says that the loss is larger; slices of two columns cross. *By bound* is the
same with `fail_test="bound"`, the rule of version 0.2.0: where few items are lost and none or hardly any
gained, it fails too often. The systems are `a`, the baseline, and `b`. The note `skewed_differences` is
counted: of lognormal differences, few items gain much; of minus lognormal ones, few lose much.
"""

SUBJECT = "gate"
Sampler = Callable[[np.random.Generator, int], Evaluation]
Margins = Callable[[], Sequence[float | None]]

EVEN = (0.34, 0.33, 0.33)
RARE = (0.6, 0.35, 0.05)


def cells() -> Iterator[Statements]:
    """Yield the cells: gates with a margin, and alarms."""
    yield from _cells_of_means()
    yield from _cells_of_labels()
    yield from _cells_of_clusters()
    yield from _cells_of_alarms()
    yield from _cells_of_parts()
    yield from _cells_of_rare_losses()


def _cell(
    population: str,
    n: int,
    sample: Sampler,
    metrics: Sequence[object],
    margins: Margins,
    datasets: int = 1000,
) -> Statements:
    one = partial(_one, sample, n, metrics, margins)
    return Statements(SUBJECT, population, str(n), n, one, datasets)


def _one(
    sample: Sampler,
    n: int,
    metrics: Sequence[object],
    margins: Margins,
    rng: np.random.Generator,
    seed: int,
) -> dict[What, Outcome]:
    """Return whether the gate passes a candidate that is worse, or fails one that is not."""
    wanted = margins()
    outcome, noted = _asked(sample(rng, n), metrics, wanted, seed)
    alarm = None in wanted
    kind: Kind = "rejected" if alarm else "wrong"
    return {What(kind, "auto", True): Outcome(outcome == ("fail" if alarm else "pass"), noted)}


def _asked(
    evaluation: Evaluation,
    metrics: Sequence[object],
    margins: Sequence[float | None],
    seed: int,
    fail_test: FailTest = "exact",
) -> tuple[str, bool]:
    """Return the outcome of a gate, and whether it has a note on skewness."""
    resolved = [resolve(one) for one in metrics]
    wanted = dict(zip([one.name for one in resolved], margins, strict=True))
    parts, _ = parts_of(evaluation, [Column(name) for name in evaluation.groupings], 1, crossed=False)
    settings = Settings("auto", level=0.95, test="auto" if None in margins else None)
    drawing = Drawing(n_resamples=199, seed=seed)
    gains = gains_by_metric(evaluation, resolved)
    found, notes = decided(parts, resolved, wanted, settings, drawing, gains, fail_test)
    noted = [*notes, *(note for one in found for note in one.difference.notes)]
    return outcome_of(found), any(note.code == SKEWED for note in noted)


def _fixed(*margins: float | None) -> Margins:
    return lambda: margins


# -- with a margin -----------------------------------------------------------------------------------


def answers(losses: float, gains: float, rng: np.random.Generator, n: int) -> Evaluation:
    """Return answers; a share that A has right B has wrong (`losses`), and the other way round."""
    draw, rest = rng.random(n), (rng.random(n) < 0.7).astype(float)
    lost, gained = draw < losses, (draw >= losses) & (draw < losses + gains)
    a, b = (np.where(lost, 1 - k, np.where(gained, k, rest)) for k in (0.0, 1.0))
    return Evaluation.of({"a": a, "b": b}, np.ones(n))


def scores(shape: str, loss: float, rng: np.random.Generator, n: int) -> Evaluation:
    """Return scores of which those of B are lower by the loss on average, with noise of this shape."""
    noise: Floats = (
        rng.normal(0.0, 0.5, n) if shape == "normal" else 0.25 * (np.exp(0.5) - rng.lognormal(size=n))
    )
    noise = -noise if shape == "lognormal" else noise
    a: Floats = rng.normal(size=n)
    return Evaluation.of({"a": a, "b": a - loss + noise})


def _cells_of_means() -> Iterator[Statements]:
    for (gains, margin), n in itertools.product(((0.1, 0.05), (0.02, 0.02), (0.0, 0.02)), (100, 500, 2000)):
        told = f"accuracy, {margin:.0%} worse, {2 * gains + margin:.0%} differ"
        sample = partial(answers, gains + margin, gains)
        yield _cell(told, n, sample, ("accuracy",), _fixed(margin))
    for shape, n in itertools.product(("normal", "lognormal", "minus lognormal"), (50, 200, 1000)):
        yield _cell(f"mean, {shape} differences", n, partial(scores, shape, 0.1), ("mean",), _fixed(0.1))
    for effect, n in itertools.product(("half", "tenth or fully"), (150, 500)):
        mean = {"half": 0.5, "tenth or fully": 0.28}[effect]
        sample = partial(changed, effect, 0.02, False)
        yield _cell(f"mean, 2 % changed {effect}", n, sample, (Bounded(),), _fixed(0.02 * mean))


def noisy(worse: float, shares: tuple[float, float, float], rng: np.random.Generator, n: int) -> Evaluation:
    """Return labels of which A has 80 % right and B fewer by `worse`; both err independently."""
    gold = rng.choice(3, n, p=shares)
    wrong = [(gold + rng.integers(1, 3, n)) % 3 for _ in "ab"]
    right = [rng.random(n) < p for p in (0.8, 0.8 - worse)]
    systems = {name: np.where(r, gold, w) for name, r, w in zip("ab", right, wrong, strict=True)}
    return Evaluation.of(systems, gold)


@cache
def loss(metric: str, worse: float, shares: tuple[float, float, float]) -> float:
    """Return by how much B of `noisy` is worse, from a million items."""
    evaluation = noisy(worse, shares, np.random.default_rng(0), 1_000_000)
    (group,) = prepare.groups(evaluation, [resolve(metric)])
    a, b = group.scores
    return float(a - b)


def _cells_of_labels() -> Iterator[Statements]:
    shares = {"even classes": EVEN, "a class of 5 %": RARE}
    for (told, one), n in itertools.product(shares.items(), (150, 500)):
        sample = partial(noisy, 0.05, one)
        margins: Margins = partial(_losses, ("f1_macro",), one)
        yield _cell(f"f1_macro, {told}, 5 % worse", n, sample, ("f1_macro",), margins, 600)
        both = ("accuracy", "f1_macro")
        margins = partial(_losses, both, one)
        yield _cell(f"accuracy and f1_macro, {told}, both", n, sample, both, margins, 600)
    for n in (150, 500):
        sample = partial(near_copies, EVEN, False)
        margins = partial(_copied, EVEN)
        yield _cell("f1_macro, even classes, 2 % changed", n, sample, ("f1_macro",), margins, 600)
        sample = partial(noisy, 0.05, EVEN)
        yield _cell("accuracy and f1_macro, even classes, one", n, sample, both, _one_wide, 600)


def _losses(metrics: Sequence[str], shares: tuple[float, float, float]) -> Sequence[float]:
    return [loss(metric, 0.05, shares) for metric in metrics]


def _copied(shares: tuple[float, float, float]) -> Sequence[float]:
    return [truth("f1_macro", shares)]


def _one_wide() -> Sequence[float]:
    """Return the margins where only the second is as large as the loss, the first three times as large."""
    return [0.15, loss("f1_macro", 0.05, EVEN)]


def _cells_of_clusters() -> Iterator[Statements]:
    designs = [("clusters", 4, False, 0.05), ("clusters", 4, True, 0.05), ("strata", 4, False, 0.05)]
    for (how, size, together, share), n in itertools.product(designs, (120, 400)):
        alike = "together" if together else "alone"
        told = f"accuracy, {how} of {size}, 5 % changed {alike}"
        yield _cell(told, n, partial(grouped, how, size, together, share), ("accuracy",), _fixed(share))
    for n in (100, 400):
        yield _cell(
            "accuracy, clusters of 5 alike, 5 % worse",
            n,
            partial(alike_in_groups, 0.05),
            ("accuracy",),
            _fixed(0.05),
        )


def alike_in_groups(worse: float, rng: np.random.Generator, n: int) -> Evaluation:
    """Return answers in clusters of five, of which items err together; B is worse by `worse`."""
    groups = np.arange(n) // 5
    ease = 0.3 * rng.normal(size=(2, n // 5))[:, groups]
    systems = {}
    for name, p, own in zip("ab", (0.7, 0.7 - worse), ease, strict=True):
        # Uniform noise around p: the mean of the clipped chance is p, whatever the cluster.
        chance = p + 0.25 * np.clip(own, -1.0, 1.0)
        systems[name] = (rng.random(n) < chance).astype(float)
    return Evaluation.of(systems, np.ones(n), clusters=groups)


# -- alarms ------------------------------------------------------------------------------------------


def _cells_of_alarms() -> Iterator[Statements]:
    for gains, n in itertools.product((0.02, 0.1), (50, 200, 1000)):
        told = f"accuracy, equal, {2 * gains:.0%} differ"
        yield _cell(told, n, partial(answers, gains, gains), ("accuracy",), _fixed(None))
    for shape, n in itertools.product(("normal", "lognormal"), (50, 200)):
        yield _cell(
            f"mean, equal, {shape} differences", n, partial(scores, shape, 0.0), ("mean",), _fixed(None)
        )
    three = ("accuracy", "f1_macro", "matthews_corrcoef")
    for metrics, n in itertools.product((("f1_macro",), three), (150, 500)):
        sample = partial(noisy, 0.0, RARE)
        told = f"{' and '.join(metrics)}, equal, a class of 5 %"
        yield _cell(told, n, sample, metrics, _fixed(*[None] * len(metrics)), 400)
    for n in (100, 400):
        yield _cell(
            "accuracy, equal, clusters of 5 alike",
            n,
            partial(alike_in_groups, 0.0),
            ("accuracy",),
            _fixed(None),
        )


# -- slices and tasks --------------------------------------------------------------------------------


def in_parts(
    how: str,
    k: int,
    worse: float,
    gains: float,
    rng: np.random.Generator,
    n: int,
    *,
    everywhere: bool = False,
) -> Evaluation:
    """Return answers in k slices or tasks of unequal size; B is worse by `worse` in the smallest or in all.

    Slices of the second column, where there is one, cross those of the first.
    """
    place = np.searchsorted(np.cumsum(np.arange(k, 0, -1)) / (k * (k + 1) / 2), rng.random(n), side="right")
    place[: 2 * k] = np.arange(2 * k) % k  # none is empty or has one item
    right = rng.random(n) < 0.7
    draw = rng.random(n)
    lost = draw < gains + np.where(everywhere | (place == k - 1), worse, 0.0)
    gained = draw > 1.0 - gains
    a, b = (np.where(lost, 1 - one, np.where(gained, one, right)) for one in (0, 1))
    names = np.array([f"part {one}" for one in range(k)])[place]
    whole = Evaluation.of({"a": a.astype(float), "b": b.astype(float)}, np.ones(n))
    if how == "tasks":
        return dataclasses.replace(whole, tasks=names, strata=names)
    columns = {"first": names} if how == "slices" else {"first": names, "second": rng.integers(0, 3, n)}
    return dataclasses.replace(whole, groupings=columns)


def _cells_of_parts() -> Iterator[Statements]:
    for how, k in (("slices", 3), ("slices", 10), ("tasks", 3), ("tasks", 10), ("slices of two columns", 3)):
        for n in (300, 1500):
            told = f"accuracy, {k} {how}"
            sample = partial(in_parts, how, k, 0.0, 0.05)
            yield _cell(f"{told}, equal", n, sample, ("accuracy",), _fixed(None), 600)
            sample = partial(in_parts, how, k, 0.1, 0.02)
            yield _cell(f"{told}, one worse by 10 %", n, sample, ("accuracy",), _fixed(0.1), 600)
            sample = partial(in_parts, how, k, 0.1, 0.02, everywhere=True)
            one = partial(_failing, sample, n, 0.1)
            yield Statements(SUBJECT, f"{told}, all worse by 10 %", str(n), n, one, 300)


def _failing(
    sample: Sampler, n: int, margin: float, rng: np.random.Generator, seed: int
) -> dict[What, Outcome]:
    """Return whether a gate fails whose loss is the margin, and no more, in all its parts."""
    evaluation = sample(rng, n)
    rules: dict[What, FailTest] = {
        What("rejected", "fails at the margin", True): "exact",
        What("rejected", "by bound"): "bound",
    }
    made = {}
    for what, rule in rules.items():
        outcome, noted = _asked(evaluation, ("accuracy",), (margin,), seed, rule)
        made[what] = Outcome(outcome == "fail", noted)
    return made


# -- losses at the margin that are rare and hardly offset by gains -------------------------------------


def _cells_of_rare_losses() -> Iterator[Statements]:
    sizes = ((0.005, 300), (0.005, 600), (0.005, 1500), (0.02, 300), (0.02, 600), (0.05, 100), (0.05, 150))
    for (margin, n), gains in itertools.product(sizes, (0.0, 0.01)):
        told = f"accuracy, {gains + margin:.1%} lost, {gains:.0%} gained"
        one = partial(_failing, partial(answers, gains + margin, gains), n, margin)
        yield Statements(SUBJECT, told, str(n), n, one, 2000)
