"""Law 9: an error that says what must hold, what came, where, and what to do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bestby import BestbyError, DesignError, Evaluation, InvalidInputError, MeanMetric, Metric, compare
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


CASES: list[tuple[str, type[BestbyError], tuple[Any, Any], dict[str, Any], str]] = [
    (
        "one system",
        InvalidInputError,
        ({"a": GOLD}, GOLD),
        {},
        (
            "a comparison needs at least 2 systems, got 1: a\n"
            "hint: evaluate gives the score of one system with its interval"
        ),
    ),
    ("no system", InvalidInputError, ({}, GOLD), {}, "at least 1 system is needed, got none"),
    (
        "a list instead of systems",
        InvalidInputError,
        ([GOLD, GOLD], GOLD),
        {},
        (
            "data must be a mapping of system to predictions, a data frame or a list of records, got list\n"
            'hint: compare({"a": predictions_a, "b": predictions_b}, gold=gold)'
        ),
    ),
    (
        "a nameless system",
        InvalidInputError,
        ({"a": GOLD, 3: GOLD}, GOLD),
        {},
        "system names must be non-empty strings, got 3",
    ),
    (
        "lengths of systems",
        InvalidInputError,
        ({"a": [1.0, 2.0], "b": [1.0, 2.0, 3.0]}, None),
        {},
        (
            "systems must have one value per item: 'a' has 2, 'b' has 3\n"
            "hint: align them by item id: pass mappings of id to value, or files with an id column"
        ),
    ),
    (
        "length of the gold",
        InvalidInputError,
        (FINE, GOLD[:3]),
        {},
        (
            "gold has 3 values, expected 4\n"
            "hint: pass one value per item, in the same order for gold and every system"
        ),
    ),
    (
        "length of the clusters",
        InvalidInputError,
        (FINE, GOLD),
        {"clusters": [1, 2]},
        (
            "clusters has 2 values, expected 4\n"
            "hint: pass one value per item, in the same order for gold and every system"
        ),
    ),
    (
        "one item",
        InvalidInputError,
        ({"a": ["x"], "b": ["y"]}, ["x"]),
        {},
        (
            "a comparison needs at least 2 items, got 1\n"
            "hint: with one item nothing can be said about the uncertainty"
        ),
    ),
    (
        "NaN",
        InvalidInputError,
        ({"a": [1.0, float("nan"), float("nan")], "b": [1.0, 2.0, 3.0]}, None),
        {},
        (
            "system 'a' must be finite, got nan at position 1 (2 of 3 values)\n"
            "hint: remove the item for all systems, or give the value the failure should count as;"
            ' compare does so with on_missing="drop" or "worst"'
        ),
    ),
    (
        "infinity",
        InvalidInputError,
        ({"a": [1.0, 2.0, 3.0], "b": [1.0, 2.0, float("-inf")]}, None),
        {},
        (
            "system 'b' must be finite, got -inf at position 2 (1 of 3 values)\n"
            "hint: remove the item for all systems, or give the value the failure should count as"
        ),
    ),
    (
        "None",
        InvalidInputError,
        ({"a": ["x", None, "y", "x"], "b": FINE["b"]}, GOLD),
        {},
        (
            "system 'a' has a missing value at position 1\n"
            "hint: remove the item for all systems, or give the value the failure should count as;"
            ' compare does so with on_missing="drop" or "worst"'
        ),
    ),
    (
        "mixed types",
        InvalidInputError,
        ({"a": ["x", ["x"], "y", "x"], "b": FINE["b"]}, GOLD),
        {},
        (
            "system 'a' mixes values of the types list, str\n"
            "hint: give all labels one type, for example with str()"
        ),
    ),
    (
        "rows of probabilities",
        InvalidInputError,
        ({"a": np.ones((4, 2)), "b": FINE["b"]}, GOLD),
        {},
        (
            "system 'a', row 0 sums to 2, not to 1 (4 of 4 rows are not as they must be)\n"
            "hint: pass normalise=True to divide every row by its sum"
        ),
    ),
    (
        "a word for predictions",
        InvalidInputError,
        ({"a": "xyxy", "b": FINE["b"]}, GOLD),
        {},
        (
            "system 'a' must be a one-dimensional sequence of values, got str: str is not a sequence\n"
            "hint: pass a list, a NumPy array, or a pandas, polars or Arrow column"
        ),
    ),
    (
        "text against numbers",
        DesignError,
        ({"a": [0, 1, 0, 1], "b": [1, 1, 0, 1]}, GOLD),
        {},
        (
            "no prediction of any system is a label of the gold: the gold has 'x', 'y', system 'a' predicts"
            " 0, 1\nhint: give predictions and gold the same labels; if these items happen to lack the labels"
            " that are predicted, name all of them with classes=[...], which compare takes"
        ),
    ),
    (
        "text without gold",
        InvalidInputError,
        (FINE, None),
        {},
        (
            "without gold, systems must be per-item scores, but 'a' holds text: 'x' at position 0\n"
            "hint: pass gold=... to compare predictions, or correct this value"
        ),
    ),
    (
        "doubled item ids",
        InvalidInputError,
        (FINE, GOLD),
        {"items": ["q1", "q2", "q2", "q2"]},
        (
            "items must be unique, but 1 of 2 ids occur more than once; first: 'q2' (3 times)\n"
            "hint: items of the same document or person are clusters, not the same item"
        ),
    ),
    (
        "missing item ids",
        InvalidInputError,
        (
            {"a": {"q1": "x", "q2": "y", "q3": "y"}, "b": {"q2": "x"}},
            {"q1": "x", "q2": "y", "q3": "x"},
        ),
        {},
        (
            "system 'b' and the gold share 1 of 3 item ids; 2 missing from 'b', first: 'q1'\n"
            'hint: pass on_missing="drop" to compare the shared items only, or on_missing="worst" to count'
            " the missing as wrong"
        ),
    ),
    (
        "extra item ids",
        InvalidInputError,
        ({"a": {"q1": "x", "q2": "y"}, "b": {"q1": "x", "q2": "y", "q9": "y"}}, {"q1": "x", "q2": "y"}),
        {"on_missing": "worst"},
        (
            "system 'b' and the gold share 2 of 2 item ids; 1 extra in 'b', first: 'q9'\n"
            'hint: pass on_missing="drop" to compare the shared items only'
        ),
    ),
    (
        "ids for one system only",
        InvalidInputError,
        ({"a": {"q1": 1.0, "q2": 2.0}, "b": [1.0, 2.0]}, None),
        {},
        (
            "system 'a' has item ids, but system 'b' has none\n"
            "hint: give every system (and the gold) as a mapping of id to value, or none"
        ),
    ),
    (
        "ids for the gold only",
        InvalidInputError,
        (FINE, dict(enumerate(GOLD))),
        {},
        (
            "gold has item ids, but the systems have none\n"
            "hint: give every system as a mapping of id to value too"
        ),
    ),
    (
        "ids for the systems only",
        InvalidInputError,
        ({name: dict(enumerate(values)) for name, values in FINE.items()}, GOLD),
        {},
        "the systems have item ids, but gold has none\nhint: give gold as a mapping of id to value too",
    ),
    (
        "an item without cluster",
        InvalidInputError,
        ({name: dict(enumerate(values)) for name, values in SCORES.items()}, None),
        {"clusters": {0: "c", 1: "d"}},
        "clusters has no value for 1 of 3 items; first: 2",
    ),
    (
        "a cluster in two strata",
        DesignError,
        (FINE, GOLD),
        {"clusters": ["c", "c", "d", "e"], "strata": [0, 1, 1, 1]},
        (
            "cluster 'c' lies in more than one stratum: 0 and 1\n"
            "hint: a cluster is drawn as a whole, so it must belong to one stratum"
        ),
    ),
    (
        "one cluster",
        InvalidInputError,
        (FINE, GOLD),
        {"clusters": ["c"] * 4},
        (
            "all items are in one cluster: nothing can be said about the uncertainty\n"
            "hint: clusters are groups such as documents or speakers; at least 2 are needed"
        ),
    ),
    (
        "an unknown label",
        InvalidInputError,
        (FINE, GOLD),
        {"metric": "f1[z]"},
        (
            "f1[z]: there is no label 'z'; the labels are x, y\n"
            "hint: write one of them in the brackets, as in f1[x]"
        ),
    ),
    (
        "a metric that needs gold",
        DesignError,
        (SCORES, None),
        {"metric": "f1_macro"},
        (
            "metric f1_macro compares predictions with gold, but no gold was given\n"
            "hint: pass gold=..., or metric='mean' for per-item scores"
        ),
    ),
    (
        "text for a metric of numbers",
        InvalidInputError,
        (FINE, GOLD),
        {"metric": "mse"},
        (
            "metric mse needs numbers, but system 'a' holds text: 'x' at position 0\n"
            "hint: choose a metric for labels, such as accuracy or f1_macro"
        ),
    ),
    (
        "a constant gold",
        InvalidInputError,
        (SCORES, [2.0, 2.0, 2.0]),
        {"metric": "pearson"},
        (
            "pearson is undefined: the gold is constant (2 on all items)\n"
            "hint: a correlation needs values that vary"
        ),
    ),
    (
        "a constant system",
        InvalidInputError,
        (SCORES, [1.0, 2.0, 2.0]),
        {"metric": "spearman"},
        (
            "system 'b': spearman is undefined: the predictions are constant (0.2 on all items)\n"
            "hint: a correlation needs values that vary"
        ),
    ),
    (
        "only one class",
        InvalidInputError,
        (SCORES, [1, 1, 1]),
        {"metric": "roc_auc"},
        "roc_auc needs positive and negative items, but every gold label is 1",
    ),
    (
        "a metric that is 0/0 on the data",
        InvalidInputError,
        ({"a": ["x", "x"], "b": ["x", "y"]}, ["x", "x"]),
        {"metric": "cohen_kappa"},
        (
            "metric cohen_kappa is undefined for system 'a' on these data\n"
            "hint: a class or all variation is missing; choose another metric or look at the predictions"
        ),
    ),
    (
        "the same metric twice",
        InvalidInputError,
        (FINE, GOLD),
        {"metric": ["accuracy", "accuracy"]},
        "metric 'accuracy' is given 2 times\nhint: give each a name of its own",
    ),
    (
        "no metric",
        InvalidInputError,
        (FINE, GOLD),
        {"metric": []},
        "at least one metric is needed\nhint: metric='accuracy'",
    ),
    (
        "statistics of the wrong shape",
        InvalidInputError,
        (SCORES, [1.0, 2.0, 3.0]),
        {"metric": OfNoItems()},
        (
            "metric 'of_no_items' must return statistics of shape (3, k), got (1, 2) for system 'a'\n"
            "hint: one row per item: np.column_stack([...])"
        ),
    ),
    (
        "infinite statistics",
        InvalidInputError,
        (SCORES, [1.0, 2.0, 3.0]),
        {"metric": Infinite()},
        "metric 'infinite' returned statistics that are not finite for system 'a'",
    ),
    (
        "a function that returns an array",
        InvalidInputError,
        (SCORES, [1.0, 2.0, 3.0]),
        {"metric": lambda gold, predictions: predictions - gold},
        (
            "metric '<lambda>' must return one number, got shape (3,) of float64\n"
            "hint: wrap it so that it averages over classes, for example with functools.partial"
        ),
    ),
    (
        "an unknown baseline",
        InvalidInputError,
        (FINE, GOLD),
        {"baseline": "c"},
        "baseline 'c' is not among the systems: a, b",
    ),
    (
        "an Evaluation and gold",
        InvalidInputError,
        (Evaluation.of(FINE, GOLD), GOLD),
        {},
        (
            "an Evaluation already holds gold, classes, items, clusters and strata, with nothing missing\n"
            "hint: pass them to Evaluation.of instead"
        ),
    ),
    (
        "level",
        InvalidInputError,
        (FINE, GOLD),
        {"level": 95},
        "level must lie strictly between 0 and 1, got 95\nhint: 0.95 means 95 %",
    ),
    (
        "margin",
        InvalidInputError,
        (FINE, GOLD),
        {"margin": 0.0},
        (
            "margin must be a positive number, got 0.0\n"
            "hint: it is the smallest difference that matters, on the scale of the metric"
        ),
    ),
    (
        "n_resamples",
        InvalidInputError,
        (FINE, GOLD),
        {"n_resamples": 0},
        "n_resamples must be a whole number of at least 1, got 0",
    ),
    (
        "n_jobs",
        InvalidInputError,
        (FINE, GOLD),
        {"n_jobs": 1.5},
        "n_jobs must be a whole number of at least 1, or -1 for all processors, got 1.5",
    ),
    (
        "rng",
        InvalidInputError,
        (FINE, GOLD),
        {"rng": -1},
        ("rng must be a non-negative integer, got -1\nhint: rng=0 gives the same numbers every time"),
    ),
    (
        "interval",
        InvalidInputError,
        (FINE, GOLD),
        {"interval": "wald"},
        f"interval must be one of {', '.join(allowed_names('interval', 'items'))}, got 'wald'",
    ),
    (
        "test",
        InvalidInputError,
        (FINE, GOLD),
        {"test": "anova"},
        (
            "test must be one of auto, permutation, permutation-standardised, bootstrap, mcnemar,"
            " mcnemar-midp, sign, wilcoxon, t, wald, got 'anova'"
        ),
    ),
    (
        "alternative",
        InvalidInputError,
        (FINE, GOLD),
        {"alternative": "larger"},
        "alternative must be one of two-sided, greater, less, better, got 'larger'",
    ),
    (
        "correction",
        InvalidInputError,
        (FINE, GOLD),
        {"correction": "fdr"},
        "correction must be one of holm, bonferroni, step-down, bh, none, got 'fdr'",
    ),
    (
        "on_missing",
        InvalidInputError,
        (FINE, GOLD),
        {"on_missing": "skip"},
        "on_missing must be one of error, drop, worst, got 'skip'",
    ),
]


@pytest.mark.parametrize(
    ("kind", "data", "arguments", "message"), [c[1:] for c in CASES], ids=[c[0] for c in CASES]
)
def test_bad_input_says_what_is_wrong(
    kind: type[BestbyError], data: tuple[Any, Any], arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(BestbyError) as caught:
        compare(*data, **arguments)
    assert type(caught.value) is kind
    assert str(caught.value) == message
