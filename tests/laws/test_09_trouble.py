"""Law 9: an error that says what must hold, what came, where, and what to do."""

# ruff: noqa: E501 - rows of tables
from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.laws.test_09_trouble_of_questions import refused

from bestby import Evaluation, MeanMetric, Metric, compare
from bestby.vocabulary import allowed_names

GOLD = ["x", "y", "x", "y"]
FINE = {"a": ["x", "y", "y", "y"], "b": ["x", "x", "x", "y"]}
SCORES = {"a": [0.1, 0.4, 0.3], "b": [0.2, 0.2, 0.2]}


class OfNoItems(Metric):
    name = "of_no_items"

    def statistics(self, gold: Any, predictions: Any) -> Any:  # noqa: ARG002
        return np.ones((1, 2))

    def score(self, totals: Any) -> Any:
        return totals[..., 0]


class Infinite(MeanMetric):
    name = "infinite"

    def values(self, gold: Any, predictions: Any) -> Any:  # noqa: ARG002
        return np.where(predictions > 0.15, np.inf, 0.0)


Case = tuple[str, tuple[Any, Any], dict[str, Any], str]
CASES: list[Case] = [
    ("one system", ({"a": GOLD}, GOLD), {},
     "a comparison needs at least 2 systems, got 1: a"),
    ("no system", ({}, GOLD), {},
     "at least 1 system is needed, got none"),
    ("a list instead of systems", ([GOLD, GOLD], GOLD), {},
     "data must be a mapping of system to predictions, a data frame or a list of records, got list"),
    ("a nameless system", ({"a": GOLD, 3: GOLD}, GOLD), {},
     "system names must be non-empty strings, got 3"),
    ("lengths of systems", ({"a": [1.0, 2.0], "b": [1.0, 2.0, 3.0]}, None), {},
     "systems must have one value per item: 'a' has 2, 'b' has 3"),
    ("length of the gold", (FINE, GOLD[:3]), {},
     "gold has 3 values, expected 4"),
    ("length of the clusters", (FINE, GOLD), {"clusters": [1, 2]},
     "clusters has 2 values, expected 4"),
    ("one item", ({"a": ["x"], "b": ["y"]}, ["x"]), {},
     "a comparison needs at least 2 items, got 1"),
    ("NaN", ({"a": [1.0, float("nan"), float("nan")], "b": [1.0, 2.0, 3.0]}, None), {},
     "system 'a' must be finite, got nan at position 1 (2 of 3 values)"),
    ("infinity", ({"a": [1.0, 2.0, 3.0], "b": [1.0, 2.0, float("-inf")]}, None), {},
     "system 'b' must be finite, got -inf at position 2 (1 of 3 values)"),
    ("None", ({"a": ["x", None, "y", "x"], "b": FINE["b"]}, GOLD), {},
     "system 'a' has a missing value at position 1"),
    ("mixed types", ({"a": ["x", ["x"], "y", "x"], "b": FINE["b"]}, GOLD), {},
     "system 'a' mixes values of the types list, str"),
    ("rows of probabilities", ({"a": np.ones((4, 2)), "b": FINE["b"]}, GOLD), {},
     "system 'a', row 0 sums to 2, not to 1 (4 of 4 rows are not as they must be)"),
    ("a word for predictions", ({"a": "xyxy", "b": FINE["b"]}, GOLD), {},
     "system 'a' must be a one-dimensional sequence of values, got str: str is not a sequence"),
    ("text against numbers", ({"a": [0, 1, 0, 1], "b": [1, 1, 0, 1]}, GOLD), {},
     "no prediction of any system is a label of the gold: the gold has 'x', 'y', system 'a' predicts 0, 1"),
    ("text without gold", (FINE, None), {},
     "without gold, systems must be per-item scores, but 'a' holds text: 'x' at position 0"),
    ("doubled item ids", (FINE, GOLD), {"items": ["q1", "q2", "q2", "q2"]},
     "items must be unique, but 1 of 2 ids occur more than once; first: 'q2' (3 times)"),
    ("missing item ids", ({"a": {"q1": "x", "q2": "y", "q3": "y"}, "b": {"q2": "x"}}, {"q1": "x", "q2": "y", "q3": "x"}), {},
     "system 'b' and the gold share 1 of 3 item ids; 2 missing from 'b', first: 'q1'"),
    ("extra item ids", ({"a": {"q1": "x", "q2": "y"}, "b": {"q1": "x", "q2": "y", "q9": "y"}}, {"q1": "x", "q2": "y"}), {"on_missing": "worst"},
     "system 'b' and the gold share 2 of 2 item ids; 1 extra in 'b', first: 'q9'"),
    ("ids for one system only", ({"a": {"q1": 1.0, "q2": 2.0}, "b": [1.0, 2.0]}, None), {},
     "system 'a' has item ids, but system 'b' has none"),
    ("ids for the gold only", (FINE, dict(enumerate(GOLD))), {},
     "gold has item ids, but the systems have none"),
    ("ids for the systems only", ({name: dict(enumerate(values)) for name, values in FINE.items()}, GOLD), {},
     "the systems have item ids, but gold has none"),
    ("an item without cluster", ({name: dict(enumerate(values)) for name, values in SCORES.items()}, None), {"clusters": {0: "c", 1: "d"}},
     "clusters has no value for 1 of 3 items; first: 2"),
    ("a cluster in two strata", (FINE, GOLD), {"clusters": ["c", "c", "d", "e"], "strata": [0, 1, 1, 1]},
     "cluster 'c' lies in more than one stratum: 0 and 1"),
    ("one cluster", (FINE, GOLD), {"clusters": ["c"] * 4},
     "all items are in one cluster: nothing can be said about the uncertainty"),
    ("an unknown label", (FINE, GOLD), {"metric": "f1[z]"},
     "f1[z]: there is no label 'z'; the labels are x, y"),
    ("a metric that needs gold", (SCORES, None), {"metric": "f1_macro"},
     "metric f1_macro compares predictions with gold, but no gold was given"),
    ("text for a metric of numbers", (FINE, GOLD), {"metric": "mse"},
     "metric mse needs numbers, but system 'a' holds text: 'x' at position 0"),
    ("a constant gold", (SCORES, [2.0, 2.0, 2.0]), {"metric": "pearson"},
     "pearson is undefined: the gold is constant (2 on all items)"),
    ("a constant system", (SCORES, [1.0, 2.0, 2.0]), {"metric": "spearman"},
     "system 'b': spearman is undefined: the predictions are constant (0.2 on all items)"),
    ("only one class", (SCORES, [1, 1, 1]), {"metric": "roc_auc"},
     "roc_auc needs positive and negative items, but every gold label is 1"),
    ("a metric that is 0/0 on the data", ({"a": ["x", "x"], "b": ["x", "y"]}, ["x", "x"]), {"metric": "cohen_kappa"},
     "metric cohen_kappa is undefined for system 'a' on these data"),
    ("the same metric twice", (FINE, GOLD), {"metric": ["accuracy", "accuracy"]},
     "metric 'accuracy' is given 2 times"),
    ("no metric", (FINE, GOLD), {"metric": []},
     "at least one metric is needed"),
    ("statistics of the wrong shape", (SCORES, [1.0, 2.0, 3.0]), {"metric": OfNoItems()},
     "metric 'of_no_items' must return statistics of shape (3, k), got (1, 2) for system 'a'"),
    ("infinite statistics", (SCORES, [1.0, 2.0, 3.0]), {"metric": Infinite()},
     "metric 'infinite' returned statistics that are not finite for system 'a'"),
    ("a function that returns an array", (SCORES, [1.0, 2.0, 3.0]), {"metric": lambda gold, predictions: predictions - gold},
     "metric '<lambda>' must return one number, got shape (3,) of float64"),
    ("an unknown baseline", (FINE, GOLD), {"baseline": "c"},
     "baseline 'c' is not among the systems: a, b"),
    ("an Evaluation and gold", (Evaluation.of(FINE, GOLD), GOLD), {},
     "an Evaluation already holds gold, classes, items, clusters and strata, with nothing missing"),
    ("level", (FINE, GOLD), {"level": 95},
     "level must lie strictly between 0 and 1, got 95"),
    ("margin", (FINE, GOLD), {"margin": 0.0},
     "margin must be a positive number, got 0.0"),
    ("interval", (FINE, GOLD), {"interval": "wald"},
     f"interval must be one of {', '.join(allowed_names('interval', 'items'))}, got 'wald'"),
    ("alternative", (FINE, GOLD), {"alternative": "larger"},
     "alternative must be one of two-sided, greater, less, better, got 'larger'; did you mean 'greater'?"),
    ("correction", (FINE, GOLD), {"correction": "fdr"},
     "correction must be one of holm, bonferroni, step-down, simultaneous, bh, none, got 'fdr'; did you mean 'bh'?"),
]  # fmt: skip
"""What is wrong, the systems and the gold, the other arguments, and what the error says before its hint."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_trouble_says_what_is_wrong(case: Case) -> None:
    _, (systems, gold), arguments, message = case
    assert refused(compare, {"data": systems, "gold": gold, **arguments}).message == message
