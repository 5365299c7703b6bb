"""Frontiers: how often a system that is on it is lost, and how often intervals of costs hold the truth."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
from scipy.special import expit, ndtri

from bestby import frontier, gate
from calibration.statements import Outcome, Statements, What, holds

TITLE = "Quality and cost"
TEXT = """
Answers are right or wrong by a logistic model with items of different difficulty (standard deviation 1.2),
costs lognormal with half of the variance from the item. `rejected`: how often at least one system that is
truly on the frontier is taken off, by the test, and by the scores and costs alone (*point estimates*);
`power` is the share of the dominated systems that are taken off. *Half dominated*: six of twelve are 5 points
worse and 30 % dearer than the six others. *Rising*: quality and cost rise together, all are on the frontier.
*Prices*: equal quality at known prices. `wrong`: the cheapest system that is said to be within the margin of
the best is not (all but the best are 3.1 points behind and cheaper, the margin is 3); a budget of a gate
passes though the true ratio of the costs is the budget. `coverage` is of the intervals of a cost, of a
quantile and of the cost per success; the notes `few_effective` and `few_successes` are counted.
"""

KEPT, ALONE = What("rejected", "a system of it", True), What("rejected", "point estimates")
DROPPED = What("power", "dominated systems")


def cells() -> Iterator[Statements]:
    """Yield frontiers, choices within a margin, and intervals of costs."""
    rise = np.linspace(0.7, 0.8, 6)
    half = np.r_[rise, rise - 0.05], np.geomspace(1.0, 2.0, 6)
    half = half[0], np.r_[half[1], 1.3 * half[1]]
    populations = (
        ("half dominated", 12, half, 6, 300, {}),
        ("half dominated", 12, half, 6, 2000, {}),
        ("rising", 12, (np.linspace(0.65, 0.8, 12), np.geomspace(1.0, 4.0, 12)), 12, 300, {}),
        ("rising", 50, (np.linspace(0.65, 0.8, 50), np.geomspace(1.0, 4.0, 50)), 50, 300, {}),
        ("all equal", 12, (np.full(12, 0.75), np.ones(12)), 12, 300, {}),
        ("prices, equal quality", 8, (np.full(8, 0.75), np.arange(1.0, 9.0)), 8, 200, {"prices": True}),
        ("prices, equal quality, clusters of 5", 5, (np.full(5, 0.6), np.arange(1.0, 6.0)), 5, 400,
         {"prices": True, "size": 5}),
        ("rising, costs of sd 1.5", 6, (np.linspace(0.5, 0.6, 6), np.geomspace(1.0, 1.5, 6)), 6, 100,
         {"sd": 1.5}),
    )  # fmt: skip
    for name, k, (quality, cost), n_on, n, more in populations:
        one = partial(_frontier, quality=quality, cost=cost, n_on=n_on, n=n, **more)
        datasets = 60 if k == 50 else 100 if n == 2000 else 200
        yield Statements("frontier", f"{name}, {k} systems", str(n), n, one, datasets=datasets)
    for n in (200, 1000):
        one = partial(_within, n=n)
        yield Statements("frontier", "11 cheaper systems beyond the margin", str(n), n, one, datasets=150)
    for (sd, share), n in itertools.product(((0.5, 0.1), (1.5, 0.5)), (50, 200, 1000)):
        one = partial(_costs, sd=sd, share=share, n=n)
        name = f"costs of sd {sd:g}, {share:g} right"
        yield Statements("frontier", name, str(n), n, one, datasets=400)


def _drawn(
    rng: np.random.Generator, n: int, quality: Any, cost: Any, sd: float = 0.5, size: int = 1
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return answers and costs of systems; items of one cluster share their difficulty."""
    hard = np.repeat(rng.normal(size=n // size), size)
    names = [f"s{place:02d}" for place in range(len(quality))]
    right = rng.random((n, len(quality))) < expit(1.2 * hard[:, None] + _logit(tuple(quality)))
    noise = math.sqrt(0.5) * (rng.normal(size=(n, 1)) + rng.normal(size=(n, len(quality))))
    costs = cost * np.exp(sd * noise - sd * sd / 2.0)
    columns = (right.astype(np.float64), costs)
    answers, times = ({name: x[:, place] for place, name in enumerate(names)} for x in columns)
    return answers, times


@cache
def _logit(shares: tuple[float, ...]) -> np.ndarray[Any, Any]:
    """Return the logits that give these shares over items of all difficulties."""
    hard = ndtri((np.arange(2000) + 0.5) / 2000)
    grid = np.linspace(-6.0, 6.0, 1201)
    mean = expit(1.2 * hard[:, None] + grid).mean(axis=0)
    return np.interp(shares, mean, grid)


def _frontier(
    rng: np.random.Generator, seed: int, quality: Any, cost: Any, n_on: int, n: int, prices: bool = False,
    sd: float = 0.5, size: int = 1,
) -> dict[What, Outcome]:  # fmt: skip
    answers, times = _drawn(rng, n, quality, cost, sd, size)
    given = dict(zip(answers, map(float, cost), strict=True)) if prices else times
    groups = None if size == 1 else np.repeat(np.arange(n // size), size)
    result = frontier(answers, quality="mean", cost=given, clusters=groups, rng=seed)
    kept = {one.system: one.may_be_on_frontier for one in result}
    on, off = [*answers][:n_on], [*answers][n_on:]
    noted = any(note.code == "few_effective" for note in result.notes)
    made = {
        KEPT: Outcome(not all(kept[name] for name in on), noted),
        ALONE: Outcome(_lost(answers, given, on)),
    }
    if off:
        made[DROPPED] = Outcome(float(np.mean([not kept[name] for name in off])))
    return made


def _lost(answers: Mapping[str, Any], costs: Mapping[str, Any], on: Sequence[str]) -> bool:
    """Return whether the scores and costs alone take a system of the frontier off."""
    score = {name: float(np.mean(x)) for name, x in answers.items()}
    cost = {name: float(np.mean(x)) for name, x in costs.items()}
    return any(score[j] > score[i] and cost[j] <= cost[i] for i in on for j in answers)


def _within(rng: np.random.Generator, seed: int, n: int) -> dict[What, Outcome]:
    answers, times = _drawn(rng, n, np.r_[0.8, np.full(11, 0.769)], np.r_[2.0, np.ones(11)])
    result = frontier(answers, quality="mean", cost=times, margin=0.03, rng=seed)
    good = result.as_good()
    return {
        What("wrong", "cheapest within the margin", True): Outcome(bool(good) and good[0].system != "s00")
    }


def _costs(rng: np.random.Generator, seed: int, sd: float, share: float, n: int) -> dict[What, Outcome]:
    answers, times = _drawn(rng, n, np.full(2, share), np.ones(2), sd)
    result = frontier(answers, quality="mean", cost={"c": times, "c@0.9": times}, rng=seed)
    mean, high = result["s00"].costs
    noted = any(note.code in ("few_effective", "few_successes") for note in result.notes)
    made = {
        What("coverage", "mean cost", True): Outcome(holds(mean.interval, 1.0), noted),
        What("coverage", "quantile .9", True): Outcome(
            holds(high.interval, math.exp(sd * float(ndtri(0.9)) - sd * sd / 2.0)), noted
        ),
    }
    if mean.per_success is not None:
        made[What("coverage", "per success", True)] = Outcome(
            holds(mean.per_success_interval, 1.0 / share), noted
        )
    cost = {"c": {"s00": times["s00"], "s01": 1.1 * times["s01"]}}
    budget = gate(answers, metric="mean", margin=0.5, at_most={"c": "+10%"}, cost=cost, rng=seed).budgets[0]
    made[What("wrong", "budget", True)] = Outcome(budget.outcome == "pass", noted)
    return made
