"""Metrics of retrieval: names, what a topic may hold, what is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from bestby.errors import InvalidInputError
from bestby.metrics import retrieval
from bestby.metrics.retrieval import Retrieval

GOLD = [{"d1": 1, "d2": 0}, {"d1": 0, "d3": 2}]


@pytest.mark.parametrize(
    ("name", "same"), [("ndcg@10", "nDCG@10"), ("map@5", "AP@5"), ("p@1", "P@1"), ("r@100", "R@100")]
)
def test_names_with_a_depth(name: str, same: str) -> None:
    base, depth = name.split("@")
    metric = retrieval.PATTERNS[base][1](name, depth)
    assert repr(metric) == f"<metric {name}>"
    assert retrieval.PATTERNS[retrieval.ALIASES[same.split("@")[0]]][1](same, depth).name == name


def test_names_without_a_depth() -> None:
    assert [build(name).name for name, (_, build) in retrieval.NAMES.items()] == list(retrieval.NAMES)
    metric: Any = retrieval.NAMES["mrr"][1]("mrr")
    assert (metric.bounds, metric.greater_is_better, metric.reads) == ((0.0, 1.0), True, "objects")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("p",), "p needs a depth"),
        (("ndcg", 0), "must be at least 1, got 0"),
        (("dcg", 5), "measure must be one of ndcg, map, mrr, p, r, got 'dcg'"),
        (("ndcg", 5, 2), "is not used by ndcg"),
    ],
)
def test_refused_measures(arguments: Any, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        Retrieval(*arguments)


def test_a_ranked_list_is_as_good_as_scores() -> None:
    metric = Retrieval("mrr", 3)
    by_scores = metric.values(GOLD, [{"d1": 0.1, "d2": 0.2}, {"d3": 5, "d1": 4}])
    assert by_scores.tolist() == [0.5, 1.0]
    assert metric.values(GOLD, [["d2", "d1"], np.array(["d3", "d1"])]).tolist() == [0.5, 1.0]


def test_ids_are_compared_as_text() -> None:
    assert Retrieval("p", 1).values([{1: 1.0, 2: np.int64(0)}], [["1"]]).tolist() == [1.0]


@pytest.mark.parametrize("metric", [Retrieval("mrr"), Retrieval("mrr", 2)], ids=["mrr", "mrr@2"])
def test_ties_do_not_depend_on_the_order_of_the_file(metric: Retrieval) -> None:
    # As in trec_eval: of equal scores the last id first, "9" being after "10"; equal in single precision is
    # equal
    for found in ({"10": 1.0, "9": 1.0}, {"9": 1.0, "10": 1.0 + 1e-9}):
        assert metric.values([{"10": 1, "9": 0}], [found]).tolist() == [0.5]
        assert metric.values([{"10": 0, "9": 1}], [found]).tolist() == [1.0]
    assert metric.values([{"10": 1, "9": 0}], [{"9": 1.0, "10": 1.0001}]).tolist() == [1.0]


def test_scores_too_large_for_single_precision() -> None:
    assert Retrieval("mrr").values([{"a": 1}], [{"a": 1e300, "b": 1e200, "c": 0.0}]).tolist() == [0.5]


@pytest.mark.parametrize("name", ["ndcg", "ndcg@3", "map", "mrr", "p@3", "r@3"])
def test_a_relevance_below_0_is_that_of_0(name: str) -> None:
    """Junk documents (TREC's -2) have no gain and no penalty; the library would end the process over them."""
    measure, _, depth = name.partition("@")
    metric = Retrieval(measure, int(depth) if depth else None)  # type: ignore[arg-type]
    rng = np.random.default_rng(0)
    grades = [{f"d{i}": int(g) for i, g in enumerate(rng.integers(-2, 4, 9))} for _ in range(12)]
    plain = [{document: max(grade, 0) for document, grade in topic.items()} for topic in grades]
    found = [{f"d{i}": float(s) for i, s in enumerate(rng.normal(size=9))} for _ in range(12)]
    assert metric.values(grades, found).tolist() == metric.values(plain, found).tolist()


def test_gains_of_documents_below_0_are_left_out() -> None:
    value = Retrieval("ndcg").values([{"junk": -2, "good": 2, "fair": 1}], [["junk", "fair", "good"]])
    gain = 1.0 / math.log2(3.0) + 2.0 / math.log2(4.0)
    assert value[0] == pytest.approx(gain / (2.0 + 1.0 / math.log2(3.0)), rel=1e-12)


def test_the_library_never_sees_a_relevance_below_0() -> None:
    judged = retrieval._judgements({"a": -2, "b": -1.0, "c": 0, "d": 3}, 0, "ndcg")
    assert judged == {"a": 0, "b": 0, "c": 0, "d": 3}
