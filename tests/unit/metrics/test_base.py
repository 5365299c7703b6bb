"""Classes of metrics say what to do where they are used as metrics themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bestby._core.errors import InvalidInputError
from bestby.metrics import MeanMetric, Metric, WeightedMetric


class Match(MeanMetric):
    name = "match"

    def values(self, gold: Any, predictions: Any) -> Any:
        return gold == predictions


@pytest.mark.parametrize(
    ("kind", "absent"),
    [(MeanMetric, "values"), (Metric, "score and statistics"), (WeightedMetric, "prepare and weighted")],
)
def test_a_class_to_derive_from_is_not_a_metric(kind: Any, absent: str) -> None:
    for arguments, keywords in ((("COMET",), {}), ((), {}), (("COMET",), {"greater_is_better": True})):
        with pytest.raises(InvalidInputError) as caught:
            kind(*arguments, **keywords)
        assert caught.value.message == (
            f"{kind.__name__} is a class to derive metrics from: a subclass must define {absent}"
        )
        assert "compare(scores, metric='COMET', greater_is_better=True)" in str(caught.value.hint)


def test_arguments_that_nothing_takes_are_refused() -> None:
    assert Match().values(np.array([1, 0]), np.array([1, 1])).tolist() == [True, False]
    with pytest.raises(InvalidInputError, match=r"Match\(\) takes no arguments\nhint: set name and"):
        Match("COMET")
