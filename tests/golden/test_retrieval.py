"""Published numbers: the example of ir-measures."""

from __future__ import annotations

import pytest

from bestby.metrics import retrieval

# The example in the documentation of ir-measures 0.4 (MacAvaney, Macdonald & Ounis 2022).
QRELS = [{"D0": 0, "D1": 1}, {"D0": 0, "D3": 2}]
RUN = [{"D0": 1.2, "D1": 1.0}, {"D0": 2.4, "D3": 3.6}]


@pytest.mark.parametrize(
    ("metric", "mean", "of_first"),
    [
        (retrieval.Retrieval("map"), 0.75, 0.5),
        (retrieval.Retrieval("ndcg"), 0.8154648767857288, 0.6309297535714575),
        (retrieval.Retrieval("mrr"), 0.75, 0.5),
        (retrieval.Retrieval("ndcg", 10), 0.8154648767857288, 0.6309297535714575),
        (retrieval.Retrieval("p", 10, relevance=2), 0.05, 0.0),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_example_of_ir_measures(metric: retrieval.Retrieval, mean: float, of_first: float) -> None:
    rows = metric.statistics(QRELS, RUN)
    assert float(metric.score(rows.sum(axis=0))) == pytest.approx(mean, abs=1e-12)
    assert rows[0, 0] == pytest.approx(of_first, abs=1e-12)
