"""Metrics of retrieval in plain loops, and ir-measures on resampled topics."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bestby.metrics import retrieval

Topic = dict[str, Any]


def ranked(topic: Topic) -> list[str]:
    return [
        d for d, _ in sorted(topic.items(), key=lambda entry: (entry[1], entry[0].encode()), reverse=True)
    ]


def dcg(gains: list[int]) -> float:
    return math.fsum(max(gain, 0) / math.log2(rank + 2) for rank, gain in enumerate(gains))


def ndcg(gold: Topic, found: Topic, k: int) -> float:
    ideal = dcg(sorted(gold.values(), reverse=True)[:k])
    return dcg([gold.get(d, 0) for d in ranked(found)[:k]]) / ideal if ideal else 0.0


def average_precision(gold: Topic, found: Topic, k: int) -> float:
    relevant = sum(grade > 0 for grade in gold.values())
    hits, total = 0, 0.0
    for rank, d in enumerate(ranked(found)[:k], start=1):
        if gold.get(d, 0) > 0:
            hits += 1
            total += hits / rank
    return total / relevant if relevant else 0.0


def reciprocal_rank(gold: Topic, found: Topic, k: int) -> float:
    return next((1.0 / r for r, d in enumerate(ranked(found)[:k], 1) if gold.get(d, 0) > 0), 0.0)


def precision(gold: Topic, found: Topic, k: int) -> float:
    return sum(gold.get(d, 0) > 0 for d in ranked(found)[:k]) / k


def recall(gold: Topic, found: Topic, k: int) -> float:
    relevant = sum(grade > 0 for grade in gold.values())
    return sum(gold.get(d, 0) > 0 for d in ranked(found)[:k]) / relevant if relevant else 0.0


PLAIN: dict[str, Callable[[Topic, Topic, int], float]] = {
    "ndcg": ndcg,
    "map": average_precision,
    "mrr": reciprocal_rank,
    "p": precision,
    "r": recall,
}


def topics(n: int, *, tied: bool) -> tuple[list[Topic], list[Topic]]:
    rng = np.random.default_rng(8)
    gold, found = [], []
    for t in range(n):
        documents = [f"d{i}" for i in rng.permutation(30)]
        judged = rng.choice(documents, 12, replace=False)
        grades = np.zeros(12, dtype=int) if t == 3 else rng.integers(-1, 3, 12)
        gold.append({str(d): int(g) for d, g in zip(judged, grades, strict=True)})
        if not any(g > 0 for g in gold[-1].values()) and t != 3:
            gold[-1][str(judged[0])] = 1
        scores = rng.integers(0, 4, 20) if tied else rng.normal(size=20)
        seen = rng.choice(documents, 20, replace=False)
        found.append({} if t == 5 else {str(d): float(s) for d, s in zip(seen, scores, strict=True)})
    return gold, found


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("k", [1, 5, 10, 100])
@pytest.mark.parametrize("measure", list(PLAIN))
def test_values_in_plain_loops(measure: Any, k: int, tied: bool) -> None:
    gold, found = topics(25, tied=tied)
    values = retrieval.Retrieval(measure, k).values(gold, found)
    plain = [PLAIN[measure](g, f, k) for g, f in zip(gold, found, strict=True)]
    np.testing.assert_allclose(values, plain, atol=1e-12)
    assert values[3] == 0.0  # nothing relevant: counts as 0, as in trec_eval
    assert values[5] == 0.0  # nothing found


@pytest.mark.parametrize("measure", ["ndcg", "map", "mrr"])
def test_without_depth_all_documents_count(measure: Any) -> None:
    gold, found = topics(25, tied=True)
    values = retrieval.Retrieval(measure).values(gold, found)
    plain = [PLAIN[measure](g, f, 1000) for g, f in zip(gold, found, strict=True)]
    np.testing.assert_allclose(values, plain, atol=1e-12)


@pytest.mark.parametrize("name", ["nDCG@10", "AP", "RR", "P@5", "R@100", "nDCG"])
def test_ir_measures_on_resampled_topics(name: str) -> None:
    ir_measures = pytest.importorskip("ir_measures")
    gold, found = topics(25, tied=True)
    base, _, depth = name.partition("@")
    ours = retrieval.ALIASES[base]
    metric: Any = retrieval.PATTERNS[ours][1](name, depth) if depth else retrieval.NAMES[ours][1](name)
    rows = metric.statistics(gold, found)
    rng = np.random.default_rng(9)
    for _ in range(5):
        chosen = rng.integers(0, 25, 25)
        qrels = {str(place): gold[t] for place, t in enumerate(chosen)}
        run = {str(place): found[t] for place, t in enumerate(chosen)}
        measure = ir_measures.parse_measure(name)
        theirs = ir_measures.calc_aggregate([measure], qrels, run)[measure]
        assert float(metric.score(rows[chosen].sum(axis=0))) == pytest.approx(theirs, abs=1e-9)
