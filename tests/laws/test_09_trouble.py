"""Law 9: an error that says what must hold, what came, where, and what to do."""

from __future__ import annotations

import numpy as np
from tests.laws.trouble import FINE, GOLD, SCORES, Case, check, each

from bestby import DesignError, InvalidInputError

CASES: list[Case] = [
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
            "hint: correct it, or leave out the item, run or fold that it belongs to"
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
            "hint: compare takes several labels per item with a multi-label metric, such as"
            " multilabel_f1_micro"
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
]


@each(CASES)
def test_bad_input_says_what_is_wrong(case: Case) -> None:
    check(case)
