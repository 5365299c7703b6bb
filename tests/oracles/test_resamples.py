"""m out of n and resampled annotators against plain loops: given the same units, and in distribution."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.oracles import plain_resamples

from bestby import Annotations, Evaluation
from bestby.engine import prepare
from bestby.engine.base import Drawing
from bestby.engine.estimate import Estimates
from bestby.metrics import resolve
from bestby.resampling import streams, totals
from bestby.resampling.units import Units

N = 48
GROUPS = {
    "plain": {},
    "clusters": {"clusters": [i // 3 for i in range(N)]},
    "strata": {"strata": [int(i % 4 == 0) for i in range(N)]},
    "both": {"clusters": [i // 3 for i in range(N)], "strata": [int(i // 3 % 4 == 0) for i in range(N)]},
}


def blocks_of(groups: dict[str, list[int]]) -> list[list[list[int]]]:
    """Return the units of each stratum, each a list of items, in the order of their numbers."""
    clusters, strata = groups.get("clusters"), groups.get("strata", [0] * N)
    # Groups stand in the order of their names as texts, single items in their own.
    names = list(range(N)) if clusters is None else sorted(set(clusters), key=str)
    of_item = names if clusters is None else clusters
    return [
        [
            [i for i in range(N) if of_item[i] == name]
            for name in names
            if any(of_item[i] == name and strata[i] == stratum for i in range(N))
        ]
        for stratum in sorted(set(strata), key=str)
    ]


def mse(gold: list[float], predictions: list[float]) -> float:
    return sum((g - p) ** 2 for g, p in zip(gold, predictions, strict=True)) / len(gold)


def root(gold: list[float], predictions: list[float]) -> float:
    return math.sqrt(mse(gold, predictions))


def spearman(gold: list[float], predictions: list[float]) -> float:
    def ranks(values: list[float]) -> list[float]:
        return [sum(v < x for v in values) + 0.5 * sum(v == x for v in values) for x in values]

    x, y = ranks(gold), ranks(predictions)
    a, b = sum(x) / len(x), sum(y) / len(y)
    up = sum((p - a) * (q - b) for p, q in zip(x, y, strict=True))
    return up / math.sqrt(sum((p - a) ** 2 for p in x) * sum((q - b) ** 2 for q in y))


SCORES: dict[str, Callable[[list[float], list[float]], float]] = {
    "mse": mse,
    "rmse": root,
    "spearman": spearman,
}


def numbers() -> tuple[list[float], dict[str, list[float]]]:
    rng = random.Random(1)
    gold = [rng.gauss(0.0, 1.0) for _ in range(N)]
    return gold, {name: [g + rng.gauss(0.0, sd) for g in gold] for name, sd in (("a", 0.5), ("b", 0.9))}


def of(metric: Any, drawing: Drawing, **groups: Any) -> Estimates:
    gold, systems = numbers()
    return Estimates(prepare.groups(Evaluation.of(systems, gold, **groups), [resolve(metric)])[0], drawing)


@pytest.mark.parametrize("size", [2, 0.25, 0.5, 0.9])
@pytest.mark.parametrize("design", GROUPS)
def test_replicates_of_the_same_units_are_those_of_a_loop(design: str, size: float) -> None:
    """Ranks number the units in the order of the data, so that the draws can be followed to the items."""
    groups = GROUPS[design]
    blocks = blocks_of(groups)
    made = of("spearman", Drawing(25, 6, resample_size=size), **groups)
    bounds = np.cumsum([0, *map(len, blocks)])
    units = Units(np.ones(bounds[-1], dtype=np.int64), bounds)
    draws = made.drawing.draws(units.sizes)
    keys = streams.replicate_keys(streams.stream_key(6, "bootstrap"), 0, 25)
    unit_list = [unit for block in blocks for unit in block]
    gold, systems = numbers()
    m, n = int(draws.sum()), len(unit_list)
    drawn = totals.drawn_units(keys, bounds, draws).tolist()
    raw = np.array(
        [
            [
                spearman([gold[i] for i in items], [systems[name][i] for i in items])
                if len({gold[i] for i in items}) > 1
                else float("nan")
                for name in "ab"
            ]
            for items in ([i for unit in row for i in unit_list[unit]] for row in drawn)
        ]
    )
    if len({int(d) / len(block) for d, block in zip(draws, blocks, strict=True)}) > 1:
        centre = np.nanmean(raw, axis=0)  # strata that give unequal shares
    else:
        centre = [spearman(gold, systems[name]) for name in "ab"]
    full = np.array([spearman(gold, systems[name]) for name in "ab"])
    expected = full + math.sqrt(m / n) * (raw - centre)
    assert made.replicates == pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("metric", SCORES)
@pytest.mark.parametrize("design", GROUPS)
def test_replicates_have_the_mean_and_spread_of_a_loop(design: str, metric: str) -> None:
    """A quarter of each stratum; false alarm rate of each bound of five standard errors: below 1e-6."""
    groups, resamples = GROUPS[design], 700
    made = of(metric, Drawing(4000, 2, resample_size=0.25), **groups)
    found = made.of(0, 1).replicates
    found = found[np.isfinite(found)]
    blocks = blocks_of(groups)
    draws = [len(block) // 4 for block in blocks]
    gold, systems = numbers()

    def difference(items: list[int]) -> float:
        taken = [gold[i] for i in items]
        one, other = (SCORES[metric](taken, [systems[name][i] for i in items]) for name in "ab")
        return one - other

    rng = random.Random(3)
    score, units = difference(list(range(N))), sum(map(len, blocks))
    drawn = [
        plain_resamples.rescaled(
            score, difference(plain_resamples.some_of(blocks, draws, rng)), sum(draws), units
        )
        for _ in range(resamples)
    ]
    sd = float(np.std(drawn))
    error = sd * math.sqrt(1 / resamples + 1 / 4000)
    assert float(found.mean()) == pytest.approx(float(np.mean(drawn)), abs=5.0 * error)
    # A standard deviation of B replicates of kurtosis k has the standard error sd sqrt((k - 1) / 4 B).
    kurtosis = float(np.mean((np.array(drawn) - np.mean(drawn)) ** 4)) / sd**4
    error = sd * math.sqrt((kurtosis - 1) / 4 * (1 / resamples + 1 / 4000))
    assert float(found.std()) == pytest.approx(sd, abs=5.0 * error)


# -- annotators --------------------------------------------------------------------------------------

K = 3


def annotated() -> tuple[list[list[int]], dict[str, list[list[float]]]]:
    """Return unequally many labels per item, and two systems with a distribution per item."""
    rng = random.Random(4)

    def row() -> list[float]:
        parts = [rng.random() + 0.05 for _ in range(K)]
        return [part / sum(parts) for part in parts]

    truth = [row() for _ in range(N)]
    labels = [rng.choices(range(K), weights=p, k=rng.choice((2, 3, 5))) for p in truth]
    mixed = {
        name: [[(1 - w) * x + w * y for x, y in zip(p, row(), strict=True)] for p in truth]
        for name, w in (("a", 0.2), ("b", 0.6))
    }
    return labels, mixed


def brier(gold: list[list[float]], predictions: list[list[float]]) -> float:
    return sum(
        sum((g - p) ** 2 for g, p in zip(x, y, strict=True)) for x, y in zip(gold, predictions, strict=True)
    ) / len(gold)


def top(row: list[float]) -> int:
    return row.index(max(row))


def accuracy(gold: list[list[float]], predictions: list[list[float]]) -> float:
    return sum(top(x) == top(y) for x, y in zip(gold, predictions, strict=True)) / len(gold)


def soft_f1(gold: list[list[float]], predictions: list[list[float]]) -> float:
    f1 = []
    for k in range(K):
        shared = sum(min(x[k], y[k]) for x, y in zip(gold, predictions, strict=True))
        f1.append(2 * shared / (sum(x[k] for x in gold) + sum(y[k] for y in predictions)))
    return sum(f1) / K


@pytest.mark.parametrize("design", ["plain", "clusters"])
@pytest.mark.parametrize(
    ("metric", "score"), [("brier", brier), ("accuracy", accuracy), ("soft_f1_macro", soft_f1)]
)
def test_two_stages_have_the_mean_and_spread_of_a_loop(
    metric: str, score: Callable[[Any, Any], float], design: str
) -> None:
    """The engine draws one of 200 balanced resamples of an item's annotators, the loop a fresh one.

    Bounds of five standard errors, false alarm rate below 1e-6 each; and 1 % of the spread for the 200.
    """
    labels, systems = annotated()
    groups, resamples = GROUPS[design], 1500
    evaluation = Evaluation.of(systems, Annotations.of(labels, range(K)), **groups)
    group = prepare.groups(evaluation, [resolve(metric)], annotators_seed=5)[0]
    difference = Estimates(group, Drawing(4000, 5)).of(0, 1)
    units = [unit for block in blocks_of(groups) for unit in block]
    rng = random.Random(6)

    def both(items: list[int], gold: list[list[float]]) -> tuple[float, float]:
        one, other = (score(gold, [systems[name][i] for i in items]) for name in "ab")
        return one, other

    drawn = np.array([plain_resamples.two_stage(labels, units, K, both, rng) for _ in range(resamples)])  # type: ignore[arg-type]
    for found, loop in (
        (difference.drawn[:, 0], drawn[:, 0]),
        (difference.drawn[:, 0] - difference.drawn[:, 1], drawn[:, 0] - drawn[:, 1]),
    ):
        sd = float(loop.std())
        error = sd * math.sqrt(1 / resamples + 1 / 4000)
        assert float(found.mean()) == pytest.approx(float(loop.mean()), abs=5.0 * error + 0.01 * sd)
        assert float(found.std()) == pytest.approx(
            sd, rel=5.0 * math.sqrt(0.5 / resamples + 0.5 / 4000) + 0.01
        )
    full = score([[row.count(k) / len(row) for k in range(K)] for row in labels], systems["a"])
    assert difference.scores[0] == pytest.approx(full, rel=1e-12)
    put_back = difference.drawn - difference.gold_shift
    assert difference.replicates == pytest.approx(put_back[:, 0] - put_back[:, 1], rel=1e-12, abs=1e-12)
