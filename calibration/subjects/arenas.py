"""Preferences as an arena collects them: the order of the answers, voters, prompts, style, cycles."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from scipy.special import expit

from bestby import compare_preferences
from bestby.questions.preferences.result import PreferenceComparison
from calibration.populations import Floats
from calibration.statements import Outcome, Statements, What, holds

TITLE = "Preferences in an arena"

TEXT = """
Judgements of systems that are mostly equal: an interval covers the difference of two, a test tells some pair
apart after Holm's correction. In *order* the answer shown first wins with so many log odds more, and the
first system stands first in so many of its games; *naive* leaves the order out. In *voters* each voter has
preferences of their own (normal, sd 0.5 per system), and the numbers of their votes follow Zipf's law with
this exponent; *naive* takes every judgement for independent, *shrunk* is `voter_weights="shrunk"`. In *style*
the fifth of six systems is verbose and longer answers are preferred; *naive* leaves the length out. *Fit* is
the test that strengths describe all pairs, *cycle* its largest cycle; in the cells of a cycle, where each of
three systems beats the next in so many games, power counts how often it is found. The note `few_clusters` is
counted.
"""

DATASETS = 500


def cells() -> Iterator[Statements]:
    """Yield orders, ties, voters, style and cycles."""
    for effect, share in ((0.62, 0.5), (0.62, 0.8), (0.2, 0.8), (0.1, 1.0)):
        yield _cell(
            f"order: {effect:g}, first in {100 * share:g} %", 1500, 1500, _order, effect=effect, share=share
        )
    for ties in (0.0, 0.4):
        yield _cell(f"four systems, {100 * ties:g} % ties", 120, 120, _ties, size=4, ties=ties)
        yield _cell(f"ten systems, {100 * ties:g} % ties", 900, 900, _ties, size=10, ties=ties)
    for voters, exponent, spread in (
        (30, 0.0, 0.5),
        (30, 1.1, 0.5),
        (30, 1.1, 0.0),
        (100, 1.1, 0.5),
        (500, 1.5, 0.5),
    ):
        alike = "" if spread else ", all alike"
        name = f"voters: {voters}, exponent {exponent:g}{alike}"
        yield _cell(name, 3000, voters, _voters, voters=voters, exponent=exponent, spread=spread)
    yield _cell(
        "voters and prompts: 100 each", 3000, 100, _voters, voters=100, exponent=1.1, spread=0.5, prompts=100
    )
    yield _cell("style", 3000, 3000, _style)
    for share in (0.75, 0.6):
        yield _cell(f"cycle: {100 * share:g} % of each pair", 1500, 1500, _cycle, share=share)


def _cell(population: str, n: int, units: int, one: Any, **how: Any) -> Statements:
    return Statements("arenas", population, str(n), units, partial(one, n=n, **how), datasets=DATASETS)


def _order(rng: np.random.Generator, _seed: int, n: int, effect: float, share: float) -> dict[What, Outcome]:
    first, second = _pairs(rng, n, 3)
    # The first system is moved to the front, or to the back, of its games
    swapped = np.where(rng.random(n) < share, second == 0, first == 0)
    first, second = np.where(swapped, second, first), np.where(swapped, first, second)
    data = _judged(rng, first, second, np.full(n, effect))
    return {**_told(compare_preferences(data)), **_told(compare_preferences(data, order=False), "naive")}


def _ties(rng: np.random.Generator, _seed: int, n: int, size: int, ties: float) -> dict[What, Outcome]:
    first, second = (
        np.array([(i, j) for i in range(size) for j in range(size) if i != j]).repeat(10, axis=0)[:n].T
    )
    data = _judged(rng, first, second, np.zeros(first.size))
    data["winner"] = np.where(rng.random(first.size) < ties, "tie", data["winner"])
    return _told(compare_preferences(data))


def _voters(
    rng: np.random.Generator,
    _seed: int,
    n: int,
    voters: int,
    exponent: float,
    spread: float,
    prompts: int = 0,
) -> dict[What, Outcome]:
    first, second = _pairs(rng, n, 4)
    votes = np.arange(1.0, voters + 1.0) ** -exponent
    voter = rng.choice(voters, n, p=votes / votes.sum())
    own = rng.normal(0.0, spread, (voters, 4))
    log_odds = own[voter, first] - own[voter, second]
    clusters: dict[str, Any] = {"voter": voter}
    if prompts:
        prompt = rng.integers(0, prompts, n)
        suits = rng.normal(0.0, 0.4, (prompts, 4))
        log_odds = log_odds + suits[prompt, first] - suits[prompt, second]
        clusters["prompt"] = prompt
    data = _judged(rng, first, second, log_odds)
    weighted = compare_preferences(data, clusters=clusters, voter_weights="shrunk")
    return {
        **_told(compare_preferences(data, clusters=clusters)),
        **_told(weighted, "shrunk"),
        **_told(compare_preferences(data), "naive"),
    }


def _style(rng: np.random.Generator, _seed: int, n: int) -> dict[What, Outcome]:
    strengths, verbose = np.array([0.6, 0.4, 0.2, 0.0, -0.2, -0.4]), np.array([0.0, 0.0, 0.0, 0.0, 1.0, 0.0])
    first, second = _pairs(rng, n, 6)
    longer = verbose[first] - verbose[second] + rng.normal(0.0, 1.0, n)
    data = _judged(rng, first, second, strengths[first] - strengths[second] + 0.8 * longer)
    result = compare_preferences(data, covariates={"length": longer})
    (length,) = result.covariates
    covered = {"default": result["0", "4"].interval, "naive": compare_preferences(data)["0", "4"].interval}
    return {
        **{
            What("coverage", name, name == "default"): Outcome(holds(one, 0.8))
            for name, one in covered.items()
        },
        What("coverage", "style", True): Outcome(holds(length.interval, 0.8 * length.sd)),
        What("coverage", "order", True): Outcome(holds(result.order.interval, 0.0)),
    }


def _cycle(rng: np.random.Generator, _seed: int, n: int, share: float) -> dict[What, Outcome]:
    first, second = _pairs(rng, n, 3)
    ahead = np.where((second - first) % 3 == 1, 1.0, -1.0) * np.log(share / (1.0 - share))
    fit = compare_preferences(_judged(rng, first, second, ahead)).fit
    assert fit is not None
    assert fit.cycle is not None
    return {
        What("power", "fit"): Outcome(fit.p_value <= 0.05),
        What("power", "cycle"): Outcome(fit.cycle.p_value <= 0.05 and fit.cycle.closed),
    }


def _pairs(rng: np.random.Generator, n: int, size: int) -> tuple[Any, Any]:
    """Return two different systems for each judgement, in random order."""
    first = rng.integers(0, size, n)
    return first, (first + rng.integers(1, size, n)) % size


def _judged(rng: np.random.Generator, first: Any, second: Any, log_odds: Floats) -> dict[str, Any]:
    """Return judgements that the first wins with these log odds."""
    return {"a": first, "b": second, "winner": np.where(rng.random(first.size) < expit(log_odds), "a", "b")}


def _told(result: PreferenceComparison, method: str = "default") -> dict[What, Outcome]:
    """Return what is said of systems that are all equal."""
    noted = any(note.code == "few_clusters" for note in result.notes)
    apart = any(d.significant for d in result)
    told = {
        What("coverage", method, method == "default"): Outcome(holds(result["0", "1"].interval, 0.0), noted),
        What("rejected", method, method == "default"): Outcome(apart, noted),
    }
    if method == "default" and result.fit is not None:
        told[What("rejected", "fit", True)] = Outcome(result.fit.p_value <= 0.05)
        if result.fit.cycle is not None:
            told[What("rejected", "cycle", True)] = Outcome(result.fit.cycle.p_value <= 0.05)
    return told
