"""Law 9: wrong metrics and options give an error that says what is wrong and what to do."""

from __future__ import annotations

from typing import Any

import numpy as np
from tests.laws.trouble import FINE, GOLD, SCORES, Case, check, each

from bestby import DesignError, Evaluation, InvalidInputError, MeanMetric, Metric
from bestby.vocabulary import allowed_names


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


CASES: list[Case] = [
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
            "hint: it is the smallest difference that matters, on the scale of the metric; leave it out"
            " if there is none"
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
            " mcnemar-midp, sign, wilcoxon, t, wald, hall, got 'anova'"
        ),
    ),
    (
        "alternative",
        InvalidInputError,
        (FINE, GOLD),
        {"alternative": "larger"},
        "alternative must be one of two-sided, greater, less, better, got 'larger'; did you mean 'greater'?",
    ),
    (
        "correction",
        InvalidInputError,
        (FINE, GOLD),
        {"correction": "fdr"},
        "correction must be one of holm, bonferroni, step-down, bh, none, got 'fdr'; did you mean 'bh'?",
    ),
    (
        "on_missing",
        InvalidInputError,
        (FINE, GOLD),
        {"on_missing": "skip"},
        "on_missing must be one of error, drop, worst, got 'skip'",
    ),
]


@each(CASES)
def test_a_bad_option_says_what_is_wrong(case: Case) -> None:
    check(case)
