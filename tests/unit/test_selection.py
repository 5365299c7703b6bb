"""`systems=` and `ignore=` choose systems by name or pattern, whatever the data are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import bestby as bb

TABLE = {f"d{i}": {"alpha": 0.5 + i / 9, "beta": 0.4 + i / 7, "g": 0.3 + i / 8} for i in range(4)}
GOLD = ["x", "y"] * 6
PREDICTED = {"alpha": ["x", "y"] * 5 + ["x", "x"], "beta": ["x"] * 12, "g": ["y", "x", "x", "y"] * 3}
RUNS = {"alpha": [0.8, 0.7, 0.9], "beta": [0.6, 0.7, 0.5], "g": [0.1, 0.3, 0.2]}
JUDGED = [
    ("q1", "alpha", "beta", "alpha"),
    ("q2", "alpha", "beta", "beta"),
    ("q3", "g", "beta", "g"),
    ("q4", "g", "alpha", "alpha"),
    ("q5", "alpha", "beta", "beta"),
    ("q6", "alpha", "beta", "alpha"),
]
FOLDS = ["1", "2", "3"] * 4


def evaluation(strata: list[str] | None = None) -> bb.Evaluation:
    return bb.Evaluation.of(PREDICTED, GOLD, strata=strata)


def compared(name: str) -> bb.Comparison:
    return bb.compare(PREDICTED, GOLD, n_resamples=99, rng=len(name))


def columns(rows: list[tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    return dict(zip(("item", "a", "b", "winner"), zip(*rows, strict=True), strict=True))


CASES: dict[str, Callable[..., Any]] = {
    "items": lambda **kw: bb.compare(PREDICTED, GOLD, n_resamples=99, **kw),
    "evaluation": lambda **kw: bb.compare(evaluation(), n_resamples=99, **kw),
    "scores": lambda **kw: bb.evaluate(PREDICTED, GOLD, n_resamples=99, **kw),
    "runs": lambda **kw: bb.compare_runs(RUNS, n_resamples=99, **kw),
    "datasets of scores": lambda **kw: bb.compare_datasets(TABLE, outer="dataset", **kw),
    "datasets of items": lambda **kw: bb.compare_datasets(
        {"d": evaluation(), "e": evaluation()}, n_resamples=99, **kw
    ),
    "datasets as strata": lambda **kw: bb.compare_datasets(evaluation(FOLDS), n_resamples=99, **kw),
    "datasets of comparisons": lambda **kw: bb.compare_datasets(
        {"d": compared("d"), "e": compared("e")}, **kw
    ),
    "folds of scores": lambda **kw: bb.compare_folds(RUNS, **kw),
    "folds of items": lambda **kw: bb.compare_folds(evaluation(FOLDS), n_resamples=99, **kw),
    "repetitions": lambda **kw: bb.compare_folds({"1": evaluation(FOLDS)}, n_resamples=99, **kw),
    "judgements": lambda **kw: bb.compare_preferences(JUDGED, n_resamples=99, **kw),
    "table of judgements": lambda **kw: bb.compare_preferences(columns(JUDGED), n_resamples=99, **kw),
}


def names(result: Any) -> set[str]:
    return {getattr(entry, "system", entry) for entry in result.systems}


@pytest.mark.parametrize("case", CASES)
def test_systems_are_chosen_alike_in_all_data(case: str) -> None:
    for choice in ({"systems": "*a"}, {"ignore": "g"}, {"systems": ["al*", "b*"]}, {"ignore": ["[g]"]}):
        assert names(CASES[case](**choice)) == {"alpha", "beta"}
    for argument in ("systems", "ignore"):
        with pytest.raises(bb.InvalidInputError, match=r"no system 'alpa'.*did you mean 'alpha'") as caught:
            CASES[case](**{argument: ["alpa", "beta"]})
        assert caught.value.argument == argument


def test_clusters_beside_judgements_follow_the_choice() -> None:
    clusters = ["u", "v", "u", "v", "w", "w"]
    kept = [row for row in JUDGED if row[1:3] == ("alpha", "beta")]
    expected = bb.compare_preferences(kept, clusters=["u", "v", "w", "w"], n_resamples=99)
    for data in (JUDGED, columns(JUDGED)):
        result = bb.compare_preferences(data, clusters=clusters, ignore="g", n_resamples=99)
        assert result.differences == expected.differences
        with pytest.raises(bb.InvalidInputError, match="clusters has 2 values, expected 6"):
            bb.compare_preferences(data, clusters=["u", "v"], ignore="g")
