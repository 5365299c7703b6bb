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


def compared(name: str) -> bb.results.Comparison:
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
    for choice in (
        {"systems": "*a"},
        {"reading": bb.Reading(ignore="g")},
        {"systems": ["al*", "b*"]},
        {"reading": bb.Reading(ignore=["[g]"])},
    ):
        assert names(CASES[case](**choice)) == {"alpha", "beta"}
    chosen = ["alpa", "beta"]
    for argument, way in (("systems", chosen), ("reading", bb.Reading(ignore=chosen))):
        with pytest.raises(
            bb.errors.InvalidInputError, match=r"no system 'alpa'.*did you mean 'alpha'"
        ) as caught:
            CASES[case](**{argument: way})
        assert caught.value.argument == {"reading": "ignore"}.get(argument, argument)


def test_clusters_beside_judgements_follow_the_choice() -> None:
    clusters = ["u", "v", "u", "v", "w", "w"]
    kept = [row for row in JUDGED if row[1:3] == ("alpha", "beta")]
    expected = bb.compare_preferences(kept, clusters=["u", "v", "w", "w"], n_resamples=99)
    for data in (JUDGED, columns(JUDGED)):
        result = bb.compare_preferences(
            data, clusters=clusters, reading=bb.Reading(ignore="g"), n_resamples=99
        )
        assert result.differences == expected.differences
        with pytest.raises(bb.errors.InvalidInputError, match="clusters has 2 values, expected 6"):
            bb.compare_preferences(data, clusters=["u", "v"], reading=bb.Reading(ignore="g"))


def test_several_keys_make_an_item_id() -> None:
    data = {
        "i": [1, 1, 2, 2] * 3,
        "j": [*"abcdefghijkl"],
        "g": GOLD,
        "p": PREDICTED["alpha"],
        "q": PREDICTED["g"],
    }
    by_keys = bb.compare(data, gold="g", items=["i", "j"], n_resamples=99)
    ids = [f"{i}/{j}" for i, j in zip(data["i"], data["j"], strict=True)]
    plain = {name: data[name] for name in ("p", "q")}
    given = bb.compare(plain, GOLD, items=ids, n_resamples=99)
    assert (names(by_keys), by_keys.differences) == ({"p", "q"}, given.differences)
    assert by_keys.provenance.data_hash == given.provenance.data_hash
    with pytest.raises(bb.errors.InvalidInputError, match=r"no 'jj' \(named as items\); did you mean 'j'"):
        bb.compare(data, gold="g", items=["i", "jj"])
    with pytest.raises(bb.errors.InvalidInputError, match="must have a value for every item"):
        bb.compare({**data, "j": [*"abcdefghijk", None]}, gold="g", items=["i", "j"])


def test_ids_that_are_called_as_the_systems_are_ids() -> None:
    result = bb.compare({"p": [1, 0], "q": [0, 0]}, items=["p", "q"], n_resamples=99)
    assert names(result) == {"p", "q"}


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: bb.compare(PREDICTED, GOLD, interval="bcaa"), "did you mean 'bca'"),  # type: ignore[arg-type]
        (lambda: bb.compare(PREDICTED, GOLD, test="permutatoin"), "did you mean 'permutation'"),  # type: ignore[arg-type]
        (lambda: bb.compare(PREDICTED, GOLD, alternative="beter"), "did you mean 'better'"),  # type: ignore[arg-type]
        (lambda: bb.compare(PREDICTED, GOLD, baseline="Alpha"), "did you mean 'alpha'"),
        (lambda: bb.compare(PREDICTED, GOLD, systems="AL*"), "did you mean 'alpha'"),
        (lambda: bb.list_metrics("clasification"), "did you mean 'classification'"),
        (lambda: bb.Resampling(seed=3), r"Resampling\(\) has no parameter 'seed'; did you mean rng"),  # type: ignore[call-arg]
        (lambda: bb.planning.PairedScores(desgin=3), r"PairedScores\(\) has no parameter 'desgin'"),  # type: ignore[call-arg]
        (lambda: bb.compare(PREDICTED, GOLD, n_bootstrap=9), "did you mean n_resamples"),  # type: ignore[call-arg]
        (lambda: bb.compare(PREDICTED, GOLD, n_boot=9), "did you mean n_resamples"),  # type: ignore[call-arg]
        (lambda: bb.evaluate(PREDICTED, GOLD, margin=0.1), "(?s)no parameter 'margin'.*compare takes margin"),  # type: ignore[call-arg]
        (lambda: bb.advise(seed=1), "(?s)no parameter 'seed'.*compare takes rng"),  # type: ignore[call-arg]
    ],
)
def test_what_was_meant(call: Callable[[], Any], expected: str) -> None:
    with pytest.raises(bb.errors.InvalidInputError, match=expected):
        call()
