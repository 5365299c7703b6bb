"""The mean difference over these very datasets, where it is 0 and where it is not: its test and interval."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

import bestby
from calibration.statements import Outcome, Statements, What, holds

TITLE = "The mean over these datasets"

NOTES = {"few_runs", "few_items", "few_differing", "few_effective"}
DATASETS = 100

Draw = Callable[[np.random.Generator, int, float], tuple[Any, Any]]
"""From a generator, a number of items (or runs) and the true difference to what A and B have on them."""


def _answers(rng: np.random.Generator, n: int, effect: float, right: float = 0.7) -> tuple[Any, Any]:
    """Return right and wrong answers of two systems that agree more often than by chance."""
    shared, coin = rng.random(n), rng.random((2, n)) < 0.3
    own = rng.random((2, n))
    drawn = np.where(coin, own, shared)
    return (drawn[0] < right + effect / 2.0).astype(float), (drawn[1] < right - effect / 2.0).astype(float)


def _skewed(rng: np.random.Generator, n: int, effect: float) -> tuple[Any, Any]:
    """Return scores whose difference is a lognormal number."""
    base = rng.normal(0.0, 1.0, n)
    return base + (rng.lognormal(size=n) - np.exp(0.5)) / 2.16 + effect, base


ITEMS: dict[str, Draw] = {
    "answers, 70 % right": _answers,
    "answers, 96 % right": partial(_answers, right=0.96),
    "normal scores": lambda rng, n, effect: (rng.normal(effect, 1.0, n), rng.normal(0.0, 1.0, n)),
    "lognormal differences": _skewed,
}

RUNS: dict[str, Draw] = {
    "normal runs": lambda rng, n, effect: (rng.normal(effect, 1.0, n), rng.normal(0.0, 1.0, n)),
    "runs, B varies three times as much": lambda rng, n, effect: (
        rng.normal(effect, 1.0, n), rng.normal(0.0, 3.0, n),
    ),
}  # fmt: skip

SIZES: dict[str, tuple[int, ...]] = {
    "3 x 10": (10,) * 3,
    "3 x 50": (50,) * 3,
    "3 x 400": (400,) * 3,
    "10, 40 and 400": (10, 40, 400),
    "20 x 5": (5,) * 20,
    "20 x 30": (30,) * 20,
    "20 from 5 to 200": tuple(np.geomspace(5, 200, 20).astype(int).tolist()),
}

RUN_SIZES: dict[str, tuple[int, ...]] = {
    "3 x 2": (2,) * 3, "3 x 3": (3,) * 3, "3 x 5": (5,) * 3, "2, 3 and 10": (2, 3, 10), "20 x 2": (2,) * 20,
    "20 x 5": (5,) * 20,
}  # fmt: skip


def effects(k: int, size: float) -> Any:
    """Return true differences on k datasets that have the mean 0 and differ from it on most."""
    return size * (np.arange(k) - (k - 1) / 2.0) / max(1.0, (k - 1) / 2.0)


def one(
    draw: Draw, sizes: Sequence[int], spread: float, runs: bool, rng: np.random.Generator, seed: int
) -> Mapping[What, Outcome]:
    """Return what a comparison says of the mean over datasets whose true differences have the mean 0."""
    drawn = [draw(rng, n, e) for n, e in zip(sizes, effects(len(sizes), spread), strict=True)]
    data: dict[str, Any] = {f"data {i}": {"a": a, "b": b} for i, (a, b) in enumerate(drawn)}
    if not runs:
        data = {name: bestby.Evaluation.of(row) for name, row in data.items()}
    # The tests inside the datasets, which are not looked at, are by formula, which saves their time
    inside = "t" if runs else "wald"
    result = bestby.compare_datasets(data, n_resamples=99, rng=seed, datasets="fixed", test=inside)
    found = result["a", "b"]
    about = (note for note in (*result.notes, *found.notes) if len(note.about) != 4)
    noted = bool(NOTES & {note.code for note in about})
    return {
        What("rejected", "test", default=True): Outcome(found.p_value <= 0.05, noted),
        What("coverage", "interval", default=True): Outcome(holds(found.interval, 0.0), noted),
    }


def cells() -> Iterator[Statements]:
    """Yield items and runs of few and of many datasets, of equal and of unequal sizes."""
    for populations, every, runs in ((ITEMS, SIZES, False), (RUNS, RUN_SIZES, True)):
        for name, draw in populations.items():
            spread = 0.04 if "answers" in name else 0.5
            for n, sizes in every.items():
                yield Statements(
                    "fixed_datasets", name, n, sum(sizes), partial(one, draw, sizes, spread, runs), DATASETS
                )


TEXT = """\
The true differences are unlike on the datasets, and their mean is 0: `datasets="fixed"` asks about that
mean. *n* is the number of datasets x items, or runs of each system. The variances inside the datasets are
added; from 15 items on, interval and test allow for skewness. Of small datasets alone that holds, as what
one of them lacks the others have. It fails where one small dataset carries the weight and shows nothing: of
ten answers, 96 % of them right, often none differs, so that its variance seems to be 0 beside that of 400.
The note `few_differing` speaks there, and where few items differ on all datasets together; `few_runs` where
two or three runs hardly show how runs vary. Intervals by two runs are long.
"""
