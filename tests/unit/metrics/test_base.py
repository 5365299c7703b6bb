"""Classes of metrics say what to do where they are used as metrics themselves."""

from __future__ import annotations

from typing import Any

import pytest

from bestby._core.errors import InvalidInputError
from bestby.metrics import MeanMetric, Metric, WeightedMetric


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
