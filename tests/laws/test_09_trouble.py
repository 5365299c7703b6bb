"""Law 9: an error that says what must hold, what came, where, and what to do."""

# ruff: noqa: E501 - rows of tables
from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from tests.laws.test_09_trouble_of_questions import refused

from bestby import Annotations, Evaluation, MeanMetric, Metric, Reading, compare, evaluate
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


class OfDistinctPredictions(OfNoItems):
    """Statistics with a column for each prediction that a system makes."""

    name = "of_distinct"

    def statistics(self, gold: Any, predictions: Any) -> Any:  # noqa: ARG002
        return (predictions[:, None] == np.unique(predictions)).astype(float)


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
    ("statistics of other widths", (SCORES, [1.0, 2.0, 3.0]), {"metric": OfDistinctPredictions()},
     "metric 'of_distinct' must return equally many statistics per item for every system, got 3 for system 'a' and 1 for system 'b'"),
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


WRONG_NAMES = [
    "ece@0", "ece@1001", "ece@ten", "ece@-3", "ece@", "pass@0", "pass@-1", "pass@1.5", "pass@x", "pass@", "pass@01",
    "ndcg@ten", "ndcg@0", "p", "dcg@5", "span_f1@BIO", "rougeW", "bleu@moses", "f1[", "smooth",
]  # fmt: skip
"""Names of no metric, or with an option that the metric does not take."""


@pytest.mark.parametrize("name", WRONG_NAMES)
def test_a_name_of_no_metric_is_refused(name: str) -> None:
    assert (
        name.split("@")[0].strip("[")
        in refused(evaluate, {"data": {"a": ["x", "y"]}, "gold": ["x", "y"], "metric": name}).message
    )


NAN, INF = float("nan"), float("inf")
TAGS, HALVES, EDGES = ["B-A"], [0.5, 0.5], [[1.0, 0.0], [0.0, 1.0]]
ITEMS: dict[str, list[tuple[Any, list[Any]]]] = {
    "perplexity": [(None, [(-1.0, 3), item]) for item in ((0.5, 2), (-0.5, 2.5), (-0.5, -2), (-INF, 2), -0.5)],
    "wer": [(["a", "b"], ["a", 3]), (["a", 3], ["a", "b"]), (["a", []], ["a", "b"]), (["a", ["b", 2.5]], ["a", "b"]), (None, ["a", "b"])],
    "bleu": [(["a", "b"], ["a", 3]), (["a", 3], ["a", "b"]), (["a", ["b", 3]], ["a", "b"]), (["a", "b"], ["a"]), (None, ["a"])],
    "em": [(["a"], [3]), (["a", 3], ["a", "b"])],
    "qa_f1": [(["a"], [3]), (["a", 3], ["a", "b"])],
    "pass@5": [(None, [(5, 1), item]) for item in ((4, 1), (5, 6), (5, -1), (5, 1.5), (5, NAN), 3, (5, 1, 1), (5, True), ("5", "1"))],
    "span_f1": [
        ([["O"], ["B-A", "O"]], [["O"], TAGS]), ([TAGS], [[(0, 0, "A")]]), ([["O", "O"]], [[]]), ([TAGS], ["B-A"]),
        ([TAGS], [[None]]), ([["B-A", "PER"]], [["B-A", "O"]]), ([TAGS], [["U-A"]]), ([TAGS], [["B-"]]), ([TAGS], [[""]]),
        ([[(0, 1)]], [[(0, 1, "A")]]), ([[(0, 1, "A")]], [[(0, 1.5, "A")]]), (None, [TAGS]),
    ],
    "span_f1[B]": [([["B-A", "O"]], [["B-C", "O"]])],
    "span_f1_strict": [([["B-A", "L-A", "S-A", "O"]], [["B-A", "L-A", "S-A", "O"]]), ([["B-A", "x"]], [["B-A", "O"]])],
    "span_f1_macro": [([["O"]], [["O"]])],
    "tag_accuracy": [([["A", "B"]], [["A"]]), ([[(0, 1, "A")]], [[(0, 1, "A")]])],
    "multilabel_f1_micro": [([{"a"}, {"b"}], [{"a"}, "ab"]), ([[["a"]]], [{"a"}])],
    "multilabel_f1_macro": [([set()], [set()]), (None, [{"a"}])],
    "map": [
        ([["d1"], {"d": 1}], [[], []]), ([{"d": 1}, {}], [[], []]), ([{"d": 0.5}], [[]]), ([{"d": NAN}], [[]]), ([{"d": 10**9}], [[]]),
        ([{"d": "1"}], [[]]), ([{"d": 1}], [{"d": NAN}]), ([{"d": 1}], [{"d": "x"}]), ([{"d": 1}], ["d"]), ([{"d": 1}], [3]),
        ([{"d": 1}], [["e", "d", "e"]]), ([{"d": 1}], [["d"], ["d"]]),
    ],
    "roc_auc": [([1, 1], [0.1, 0.2]), (["a", "b", "c"], [1, 2, 3]), (None, [1, 2])],
    "roc_auc[x]": [(["a", "b"], [1, 2])],
    "average_precision": [([0, 1], ["a", "b"])],
    **{name: [([2.0, 2.0, 2.0], [1, 2, 3]), ([1, 2, 3], [0.3, 0.3, 0.3]), (None, [1, 2])] for name in ("pearson", "spearman", "kendall")},
    "r2": [([2, 2, 2], [1, 2, 3]), (None, [1, 2])],
    "entropy_similarity": [(EDGES, [HALVES, [0.9, 0.1]]), ([HALVES, [0.9, 0.1]], EDGES), (None, EDGES)],
    "entropy_correlation": [([HALVES] * 2, [HALVES, [0.9, 0.1]]), ([HALVES, [0.9, 0.1]], [HALVES] * 2), (None, EDGES)],
    "log_loss": [([[1.0, 0.0], [0.25, 0.75]], EDGES), (None, EDGES)],
    "ordinal_mae": [(None, EDGES)],
    "emd": [(None, EDGES)],
    "soft_f1[c]": [(EDGES, EDGES)],
    "krippendorff_alpha": [(None, [(1, 1), item]) for item in ("ab", 2, (1, [2]))] + [(None, [(3, 3), (3, 3)]), (None, [(i, i) for i in range(2000)])],
    "krippendorff_alpha_ordinal": [(None, [("low", "high")] * 2), (None, [(i, i) for i in range(63)])],
    "krippendorff_alpha_interval": [(None, [(1, INF), (1, 2)])],
    "krippendorff_alpha_ratio": [(None, [(1, 2), (-1, 2)])],
    "fleiss_kappa": [(None, [(1, 2), (1, 2, 2)]), (None, [(1,), (2,)]), (None, [(3, 3), (3, 3)])],
}  # fmt: skip
"""Gold and predictions that a metric cannot take: of another kind, or without what it is made of."""


@pytest.mark.parametrize(
    ("name", "case"), [(name, case) for name, cases in ITEMS.items() for case in range(len(cases))]
)
def test_items_of_another_kind_are_refused(name: str, case: int) -> None:
    gold, predictions = ITEMS[name][case]
    twice = {"data": {"a": predictions * 2}, "gold": None if gold is None else gold * 2, "metric": name}
    message = refused(evaluate, twice).message
    assert name in message or re.search(r"\b(gold|item|topic|tag|row|system)\b", message), message


ROWS = [[0.25, 0.75], [0.5, 0.5], [1.0, 0.0]]
NO_ROWS: list[Any] = [
    [[0.5, 0.5], [0.5, 0.4]], [[0.5, 0.5], [0.5, NAN]], [[INF, 0.5], [0.5, 0.5]], [[1.0, 0.0], [1.5, -0.5]],
    [[1.0, 0.0], [0.2, 0.3, 0.5]], [[1.0, 0.0], []], [[1.0, 0.0], None], [[1.0, 0.0], 7], [[1.0, 0.0], "ab"],
    [[0.5, [0.5]], [1.0, 0.0]], [[[0.5], [0.5]], [[1.0], [0.0]]], np.zeros((2, 2, 2)), [[1.0, 0.0], [0.5, None]],
    [[1.0, 0.0], ["x", "y"]], [["0.5", "0.5"], ["1", "0"]], np.array([[1j, 0], [0, 1]]), np.zeros((2, 0)), [[1e308, 1e308], [0.5, 0.5]],
]  # fmt: skip
"""What is no row of probabilities per item."""
NO_COLUMN: list[Any] = [
    [1.0, NAN], np.array([1, None], dtype=object), ["a", 1.5], [[1, 2], [3, 4]], 7, np.array(["2020-01-01"] * 2, dtype="M8[D]"),
    [{"x": 1}, {"x": 2}], [10**400, 1], [2**63, -1], [1.0, -1e80], np.array([b"a", b"\x83"]),
]  # fmt: skip
"""What is no column of labels or numbers."""
NO_LABELS: list[Any] = [
    [["a", "b"], [None, ""]], [[None], [NAN]], [["a"], []], {"q1": ["a"], "q2": [None]}, [], {}, "abc", 5, None, ["yes", "no"],
    np.array(["yes", "no"]), [["a"], 3], {"q1": "yes", "q2": "no"}, {"q1": ["yes"], "q2": 7}, [["a", 1], ["b", "a"]], ROWS,
]  # fmt: skip
"""What are no labels of several annotators."""
OF_TWO = Annotations.of([["no", "yes"], ["no", "no"], ["yes", "yes"]])
KEYED = dict(zip("xyz", ROWS, strict=True))
UNFIT: list[tuple[Any, Any, Any]] = [
    ({"a": ROWS, "b": ROWS[:2]}, [0, 1, 0], None), ({"a": ROWS, "b": ROWS}, [0, 1], None), ({"a": ROWS, "b": ROWS}, [0, 1, 2], None),
    ({"a": ROWS, "b": ["x", "y", "x"]}, ROWS, None), ({"a": ROWS, "b": [[0.2, 0.3, 0.5]] * 3}, ROWS, None),
    *(({"a": ROWS, "b": ROWS}, ROWS, classes) for classes in (["x"], ["x", "y", "z"], ["x", "x"], [], [f"c{i}" for i in range(11)])),
    ({"a": ROWS, "b": ROWS}, ["x", "z", "y"], ["x", "y"]), ({"a": ROWS, "b": ROWS}, ["X", "y", "y"], ["x", "y"]),
    ({"a": KEYED, "b": {"x": [0, 1], "y": [0.5, 0.6], "z": [1, 0]}}, KEYED, None),
    ({"a": [[0.2, 0.8]], "b": [[0.5, 0.5]]}, [[1.0, 0.0]], None), ({"a": [], "b": []}, [], None), ({"a": ROWS, "b": ROWS}, None, None),
    ({"a": ["no"] * 3, "b": ["no"] * 3}, Annotations.of({0: ["no"], 1: ["no"], 2: ["yes"]}), None),
    ({"a": dict.fromkeys(range(3), "no"), "b": dict.fromkeys(range(3), "no")}, OF_TWO, None),
    ({"a": ["no"] * 2, "b": ["no"] * 2}, OF_TWO, None), ({"a": ["no"] * 3, "b": ["no", "maybe", "no"]}, OF_TWO, None),
    ({"a": [[0.2, 0.3, 0.5]] * 3, "b": ["no"] * 3}, OF_TWO, None),
]  # fmt: skip
"""Systems, gold and classes that do not fit together."""


@pytest.mark.parametrize("values", NO_ROWS)
def test_what_is_no_row_of_probabilities_is_refused(values: Any) -> None:
    refused(compare, {"data": {"a": values, "b": ROWS[:2]}, "gold": ROWS[:2], "metric": "cross_entropy"})


@pytest.mark.parametrize(
    "values", [[[1, 3], [0, 0]], [[1e308, 1e308], [1, 0]], [[2, -1], [1, 0]], [[2, NAN], [1, 0]]]
)
def test_what_cannot_be_normalised_is_refused(values: Any) -> None:
    settings = {"metric": "cross_entropy", "reading": Reading(normalise=True)}
    refused(compare, {"data": {"a": values, "b": ROWS[:2]}, "gold": ROWS[:2], **settings})


@pytest.mark.parametrize("values", NO_COLUMN)
def test_what_is_no_column_is_refused(values: Any) -> None:
    refused(compare, {"data": {"a": ["x", "y"], "b": ["y", "x"]}, "gold": values, "metric": "accuracy"})


@pytest.mark.parametrize("labels", NO_LABELS)
def test_what_are_no_labels_of_annotators_is_refused(labels: Any) -> None:
    refused(Annotations.of, {"labels": labels})


@pytest.mark.parametrize(
    ("labels", "classes"),
    [([["a"], ["b", "c"]], ["a", "b"]), ({"q1": ["c", "a"], "q2": ["b"]}, ["a", "b"]), ([["a"], ["b"]], ["a", "b", "a"]), ([["a"], ["b"]], [])],
)  # fmt: skip
def test_classes_that_do_not_fit_the_labels_are_refused(labels: Any, classes: list[str]) -> None:
    refused(Annotations.of, {"labels": labels, "classes": classes})


@pytest.mark.parametrize("case", range(len(UNFIT)))
def test_what_does_not_fit_together_is_refused(case: int) -> None:
    systems, gold, classes = UNFIT[case]
    refused(compare, {"data": systems, "gold": gold, "reading": Reading(classes=classes)})
