"""compare_datasets and compare_folds: every form of data, laws, notes, messages, reports, figures."""

from __future__ import annotations

import dataclasses
import json
import pickle
import re
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib.figure import Figure
from scipy import stats

from bestby import Evaluation, compare, compare_datasets, compare_folds, replicability
from bestby._core.errors import DesignError, InvalidInputError
from bestby.comparisons.common import per_dataset
from bestby.engine.base import Drawing
from bestby.metrics import resolve
from bestby.report import data, words
from bestby.report.figures import ranks
from bestby.results.datasets import DatasetComparison
from bestby.results.folds import FoldComparison

TABLE = {
    "news": {"old": 0.71, "new": 0.74, "big": 0.80},
    "talks": {"old": 0.63, "new": 0.66, "big": 0.69},
    "legal": {"old": 0.58, "new": 0.57, "big": 0.66},
    "bio": {"old": 0.55, "new": 0.61, "big": 0.60},
    "web": {"old": 0.50, "new": 0.50, "big": 0.58},
}


def scores(n_datasets: int, n_systems: int, seed: int = 3) -> dict[str, dict[str, float]]:
    generator = np.random.default_rng(seed)
    return {
        f"data {i}": {
            f"system {j}": float(0.6 + 0.01 * j + 0.03 * generator.normal()) for j in range(n_systems)
        }
        for i in range(n_datasets)
    }


def items(seed: int = 1, names: tuple[str, ...] = ("a", "b"), n: int = 60) -> dict[str, Evaluation]:
    generator = np.random.default_rng(seed)
    found = {}
    for i, name in enumerate(("one", "two", "three")):
        gold = generator.choice(["x", "y", "z"], n + 10 * i)
        wrong = np.where(gold == "x", "y", "x")
        systems = {
            system: np.where(generator.random(gold.size) < 0.9 - 0.15 * j, gold, wrong)
            for j, system in enumerate(names)
        }
        found[name] = Evaluation.of(systems, gold)
    return found


def frame_of(parts: dict[str, Evaluation]) -> pd.DataFrame:
    return pd.concat(
        [pd.DataFrame({"dataset": name, "gold": p.gold, **p.systems}) for name, p in parts.items()],
        ignore_index=True,
    )


def same(one: DatasetComparison, other: DatasetComparison) -> None:
    assert dataclasses.replace(one, notes=()) == dataclasses.replace(other, notes=())


def test_copies_are_noted_inside_a_dataset_as_compare_does() -> None:
    gold = np.repeat(["x", "y"], 20)
    copies = {name: Evaluation.of({"a": gold, "b": gold}, gold) for name in ("one", "two")}
    found = compare_datasets(copies)
    one = compare(copies["one"]).differences[0]
    assert [note.code for note in one.notes] == ["identical"]
    inside = [d for parts in found.within.values() for d in parts]
    assert [[(note.code, note.message) for note in d.notes] for d in inside] == [
        [(note.code, note.message) for note in one.notes]
    ] * 2


# -- forms of data ---------------------------------------------------------------------------------


def test_a_table_in_every_form() -> None:
    expected = compare_datasets(TABLE)
    wide = pd.DataFrame([{"dataset": name, **row} for name, row in TABLE.items()])
    long = wide.melt("dataset", var_name="system", value_name="score")
    for frame in (wide, pl.from_pandas(wide), wide.rename(columns={"dataset": "task"})):
        same(compare_datasets(frame), expected)
    order = ["old", "new", "big"]
    same(compare_datasets(long, systems=order), expected)
    same(compare_datasets(wide.rename(columns={"dataset": "corpus"}), dataset="corpus"), expected)


def test_items_in_every_form() -> None:
    parts = items()
    expected = compare_datasets(parts, n_resamples=300)
    frame = frame_of(parts)
    same(compare_datasets(frame, gold="gold", n_resamples=300), expected)
    ids = frame.groupby("dataset").cumcount()  # are no system, and unique in each dataset only
    same(compare_datasets(frame.assign(id=ids), gold="gold", n_resamples=300), expected)
    strata = frame["dataset"].to_numpy()
    whole = Evaluation.of({"a": frame["a"], "b": frame["b"]}, frame["gold"], strata=strata)
    same(compare_datasets(whole, n_resamples=300), expected)


def test_results_of_compare() -> None:
    parts = items()
    expected = compare_datasets(parts)
    found = compare_datasets({name: compare(part) for name, part in parts.items()})
    assert found.replicability == expected.replicability
    assert found.differences == expected.differences
    assert {entry.average for entry in found.overall} == {"macro"}
    with pytest.raises(InvalidInputError, match="the comparison on dataset 'one' has no metric 'bleu'"):
        compare_datasets({name: compare(part) for name, part in parts.items()}, metric="bleu")
    noted = compare_datasets({name: compare(part, level=0.9) for name, part in parts.items()})
    assert "levels_differ" in {note.code for note in noted.notes}


def test_p_values_are_for_replicability() -> None:
    with pytest.raises(InvalidInputError, match=r"one number per dataset") as caught:
        compare_datasets({"news": 0.001, "talks": 0.4})
    assert "replicability counts" in str(caught.value.hint)


def test_systems_are_chosen() -> None:
    found = compare_datasets(TABLE, systems=["old", "big"])
    assert found.systems == ("big", "old")
    assert compare_datasets(items(names=("a", "b", "c")), systems=["c", "a"]).systems == ("a", "c")


# -- numbers ---------------------------------------------------------------------------------------


def test_lower_is_better() -> None:
    turned = {name: {s: 1.0 - x for s, x in row.items()} for name, row in TABLE.items()}
    up, down = compare_datasets(TABLE), compare_datasets(turned, greater_is_better=False)
    assert (up.systems, up.average_ranks) == (down.systems, down.average_ranks)
    assert up.wins("big", "old") == down.wins("big", "old") == (5, 0, 0)
    for a, b in (("big", "old"), ("new", "old")):
        assert up[a, b].p_value == down[a, b].p_value
        assert up[a, b].better == down[a, b].better == a
        assert down[a, b].estimate == pytest.approx(-up[a, b].estimate)


def test_ties_are_no_wins() -> None:
    result = compare_datasets(TABLE)
    assert result.wins("new", "old") == (3, 1, 1)
    assert result.wins("old", "new") == (1, 1, 3)


def test_a_pair_mirrored() -> None:
    result = compare_datasets(TABLE)
    one, other = result["big", "old"], result["old", "big"]
    assert one.estimate == -other.estimate
    assert one.p_value == other.p_value
    with pytest.raises(InvalidInputError, match="no difference"):
        result["old", "other"]


def test_the_order_of_datasets_and_systems_does_not_matter() -> None:
    parts = items(names=("a", "b", "c"))
    back = {
        name: Evaluation.of({s: parts[name].systems[s] for s in ("c", "b", "a")}, parts[name].gold)
        for name in reversed(parts)
    }
    one, other = compare_datasets(parts, n_resamples=300), compare_datasets(back, n_resamples=300)
    assert (one.systems, one.average_ranks) == (other.systems, other.average_ranks)
    for first, second in zip(one.overall, other.overall, strict=True):
        assert (first.a, first.b, first.average) == (second.a, second.b, second.average)
        assert first.estimate == pytest.approx(second.estimate)
        assert first.interval.low == pytest.approx(second.interval.low, abs=0.02)
    assert {d.p_value for d in one.within["two"]} == {d.p_value for d in other.within["two"]}


def test_a_pair_alone_is_its_cell_in_all() -> None:
    every = compare_datasets(TABLE, correction="none")
    alone = compare_datasets(TABLE, systems=["new", "big"], correction="none")
    one, other = every["big", "new"], alone["big", "new"]
    assert one.test == other.test
    assert (one.estimate, one.interval.low) == pytest.approx((other.estimate, other.interval.low))


def test_a_system_against_its_copy() -> None:
    parts = {
        name: Evaluation.of({"a": p.systems["a"], "copy": p.systems["a"]}, p.gold)
        for name, p in items().items()
    }
    result = compare_datasets(parts)
    (difference,) = result.differences
    assert (difference.estimate, difference.p_value) == (0.0, 1.0)
    assert 0.0 in difference.interval
    assert result.replicability["a", "copy"].k_fisher == 0
    assert all(0.0 in entry.interval for entry in result.overall)
    str(result)


def test_inputs_are_not_modified_and_scores_cannot_be() -> None:
    before = json.dumps(TABLE)
    result = compare_datasets(TABLE)
    assert json.dumps(TABLE) == before
    with pytest.raises(ValueError, match="read-only"):
        result.scores[0, 0] = 1.0


def test_holm_runs_over_the_datasets_of_a_pair() -> None:
    result = compare_datasets(items(names=("a", "b", "c")))
    for (a, b), found in result.replicability.items():
        inside = [next(d for d in ds if (d.a, d.b) == (a, b)) for ds in result.within.values()]
        assert tuple(d.p_adjusted for d in inside) == found.p_adjusted
        assert tuple(d.p_value for d in inside) == found.p_values


def test_a_baseline() -> None:
    result = compare_datasets(TABLE, baseline="old")
    assert [(d.a, d.b) for d in result] == [("big", "old"), ("new", "old")]
    assert result.critical_difference is None
    assert all(r.p_nemenyi is None for r in result.ranking)
    with pytest.raises(InvalidInputError, match="baseline 'x' is not among the systems"):
        compare_datasets(TABLE, baseline="x")


def test_one_sided_pairs_stand_as_given() -> None:
    result = compare_datasets(items(names=("b", "a")), alternative="greater")
    assert [(d.a, d.b) for d in result] == [("b", "a")]
    assert result["b", "a"].test.alternative == "greater"


def test_across_and_correction() -> None:
    table = scores(12, 4)
    raw = compare_datasets(table, across="t", correction="none")
    holm = compare_datasets(table, across="t")
    assert [d.p_value for d in raw] == [d.p_adjusted for d in raw]
    assert all(h.p_adjusted >= r.p_value for h, r in zip(holm, raw, strict=True))
    assert {d.test.name for d in compare_datasets(table, across="sign")} == {"sign"}


def test_clusters_are_kept_apart_between_datasets() -> None:
    parts = {}
    generator = np.random.default_rng(0)
    for name in ("one", "two"):
        values = {s: np.repeat(generator.integers(0, 2, 30), 4) for s in ("a", "b")}
        parts[name] = Evaluation.of(values, clusters=np.repeat(np.arange(30), 4))
    result = compare_datasets(parts, n_resamples=500)
    micro = next(e for e in result.overall if (e.average, e.resampled) == ("micro", "items"))
    loose = compare_datasets({n: Evaluation.of(dict(p.systems)) for n, p in parts.items()}, n_resamples=500)
    other = next(e for e in loose.overall if (e.average, e.resampled) == ("micro", "items"))
    assert micro.interval.high - micro.interval.low > 1.5 * (other.interval.high - other.interval.low)


# -- notes and messages ----------------------------------------------------------------------------


def test_missing_scores_are_never_dropped_silently() -> None:
    table = {name: dict(row) for name, row in TABLE.items()}
    table["legal"]["new"] = float("nan")
    del table["bio"]["old"]
    with pytest.raises(InvalidInputError) as caught:
        compare_datasets(table)
    assert caught.value.message == (
        "2 of 15 scores are missing, on 2 of 5 datasets; first: 'new' on dataset 'legal'"
    )
    result = compare_datasets(table, on_missing="drop")
    assert result.datasets == ("news", "talks", "web")
    (note,) = [note for note in result.notes if note.code == "datasets_dropped"]
    assert "2 of 5 datasets were left out" in note.message
    assert "legal, bio (2 scores missing)" in note.message


def test_a_dataset_that_lacks_a_system() -> None:
    parts = items(names=("a", "b", "c"))
    parts["two"] = items()["two"]
    with pytest.raises(InvalidInputError, match="1 of 9 scores are missing"):
        compare_datasets(parts)
    assert compare_datasets(parts, on_missing="drop").datasets == ("one", "three")


def test_notes() -> None:
    def codes(result: DatasetComparison) -> set[str]:
        return {note.code for note in result.notes}

    assert "few_datasets" in codes(compare_datasets(TABLE))
    assert "few_datasets" not in codes(compare_datasets(scores(12, 2)))
    parts = items(n=200)
    swapped = Evaluation.of(
        {"a": parts["one"].systems["b"], "b": parts["one"].systems["a"]}, parts["one"].gold
    )
    assert "both_directions" in codes(compare_datasets({**parts, "one": swapped}))
    numbers = Evaluation.of({"a": [1, 0, 1], "b": [1, 1, 0]}, [1, 0, 0])
    assert "not_pooled" in codes(compare_datasets({**parts, "four": numbers}))


def why_not_pooled(parts: dict[str, Evaluation], **arguments: Any) -> str:
    result = compare_datasets(parts, n_resamples=99, **arguments)
    assert all(entry.average == "macro" for entry in result.overall)
    (note,) = [note for note in result.notes if note.code == "not_pooled"]
    return note.message


def test_the_note_says_why_nothing_is_pooled() -> None:
    parts = items()
    n = parts["one"].n_items
    numbers = Evaluation.of({"a": [1, 0, 1], "b": [1, 1, 0]}, [1, 0, 0])
    found = why_not_pooled({**parts, "four": numbers})
    assert found.endswith("the gold holds numbers in some datasets and text in others")
    ungolded = Evaluation.of({"a": [0.1, 0.2, 0.4], "b": [0.3, 0.1, 0.0]})
    golded = Evaluation.of({"a": [0.1, 0.2, 0.4], "b": [0.3, 0.1, 0.0]}, [1, 0, 0])
    found = why_not_pooled({"x": ungolded, "y": golded}, metric="mean")
    assert found.endswith("the gold holds nothing in some datasets and numbers in others")
    both = [np.arange(n) // 6, np.arange(n) % 6]
    crossed = Evaluation.of(parts["one"].systems, parts["one"].gold, clusters=both)
    found = why_not_pooled({**parts, "four": crossed}, test="wald")
    assert found.endswith("'four' come in two crossed groupings, which pooled items cannot keep")


def test_soft_labels_of_other_classes_are_not_pooled() -> None:
    rows = np.eye(3)[[0, 1, 2, 0, 1, 2]] * 0.7 + 0.1
    three = Evaluation.of({"a": rows, "b": rows[::-1]}, [0, 1, 2, 0, 1, 2])
    two = Evaluation.of({"a": [[0.5, 0.5]] * 6, "b": [[0.2, 0.8]] * 6}, [0, 1, 0, 1, 0, 1])
    found = why_not_pooled({"x": three, "y": two}, metric="cross_entropy")
    assert found.endswith("the datasets do not have the same classes")


def test_the_mean_over_datasets_with_two_crossed_groupings() -> None:
    """Its variance is that of a mean of independent estimates: the mean of theirs over their number."""
    rng = np.random.default_rng(5)
    parts = {}
    for name, (first, second) in {"x": (8, 10), "y": (12, 6)}.items():
        n = first * second
        both = [np.arange(n) // second, np.arange(n) % second]
        shift = rng.normal(size=first)[both[0]] + rng.normal(size=second)[both[1]]
        parts[name] = Evaluation.of({"a": shift + rng.normal(size=n), "b": rng.normal(size=n)}, clusters=both)
    parts["z"] = Evaluation.of({"a": rng.normal(size=50), "b": rng.normal(size=50)})
    result = compare_datasets(parts, metric="mean", test="wald", level=0.9)
    squares, fourths = 0.0, 0.0
    for part in parts.values():
        error = per_dataset.makers_of(part, resolve("mean"), Drawing(9, 0), "").group.error(0, 0, 1)
        assert error is not None
        squares += (error.se / 3) ** 2
        fourths += (error.se / 3) ** 4 / error.df
    (entry,) = [e for e in result.overall if (e.average, e.resampled) == ("macro", "items")]
    reach = stats.t.ppf(0.95, squares**2 / fourths) * np.sqrt(squares)
    assert (entry.interval.low, entry.interval.high) == pytest.approx(
        (entry.estimate - reach, entry.estimate + reach), rel=1e-6
    )
    assert entry.interval.method == "two-way"
    assert entry.estimate == pytest.approx(np.mean([ds[0].estimate for ds in result.within.values()]))


def test_groups_of_datasets_whose_joined_names_are_alike_stay_apart() -> None:
    """Dataset "x" with a cluster "y/1" and dataset "x/y" with a cluster "1"."""
    groups = np.repeat(["1", "2", "3"], 10)

    def overall(names: tuple[str, str], prefixes: tuple[str, str], kind: str) -> list[float]:
        parts = {}
        for i, (name, prefix) in enumerate(zip(names, prefixes, strict=True)):
            drawn = np.random.default_rng(i)
            values = {s: drawn.normal(size=30) + drawn.normal(size=3).repeat(10) for s in ("a", "b")}
            parts[name] = Evaluation.of(values, **{kind: [f"{prefix}{group}" for group in groups]})
        result = compare_datasets(parts, metric="mean", n_resamples=99)
        micro = [entry.interval for entry in result.overall if entry.average == "micro"]
        return [end for interval in micro for end in (interval.low, interval.high)]

    for kind in ("clusters", "strata"):
        expected = overall(("p", "q"), ("y/", ""), kind)
        assert overall(("x", "x/y"), ("y/", ""), kind) == pytest.approx(expected)


def test_datasets_of_the_same_name_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="same name as text"):
        compare_datasets({1: {"a": 0.1, "b": 0.2}, "1": {"a": 0.3, "b": 0.2}, "2": {"a": 0.3, "b": 0.2}})


def test_folds_whose_joined_names_are_alike_all_count() -> None:
    parts = {}
    for again, folds in {"1/2": ["3", "4"], "1": ["2/3", "2/4"]}.items():
        rng = np.random.default_rng(len(again))
        values = {s: rng.normal(size=20) for s in ("a", "b")}
        parts[again] = Evaluation.of(values, strata=np.repeat(folds, 10))
    result = compare_folds(parts, metric="mean")
    (effects,) = result.effects.values()
    assert len(effects.p_values) == len(result.folds) == 4


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: compare_datasets([1, 2]), "data must be a mapping, a frame or an Evaluation, got list"),
        (lambda: compare_datasets({}), "got none"),
        (
            lambda: compare_datasets({"x": TABLE["bio"], "y": 3}),
            "must all be tables of scores, all Evaluations",
        ),
        (lambda: compare_datasets({"x": TABLE["bio"]}), "at least 2 datasets with a score of every system"),
        (lambda: compare_datasets({"x": {"a": 1}, "y": {"a": 2}}), "at least 2 systems, got a"),
        (lambda: compare_datasets({"x": {"a": "?", "b": 1}, "y": {"a": 1, "b": 1}}), "is no number: '?'"),
        (lambda: compare_datasets({"x": {"a": 1e999, "b": 1}}), "on dataset 'x' is infinite"),
        (lambda: compare_datasets(TABLE, systems=["old", "x"]), "no system 'x' in these data"),
        (lambda: compare_datasets(TABLE, metric=len), "a table of scores leaves nothing to compute"),
        (lambda: compare_datasets(TABLE, across="u"), "across must be one of permutation, sign, wilcoxon, t"),
        (lambda: compare_datasets(items(), metric=["accuracy"]), "one metric at a time"),
        (lambda: compare_datasets(items(), greater_is_better=False), "contradicts the metric accuracy"),
        (lambda: compare_datasets(pd.DataFrame({"a": [1], "b": [2]})), "no column is called dataset or task"),
        (
            lambda: compare_datasets(Evaluation.of({"a": [1, 0], "b": [0, 1]})),
            "does not say which dataset each item belongs to",
        ),
        (
            lambda: compare_datasets(
                pd.DataFrame({"dataset": ["x", "x"], "system": ["a", "a"], "score": [1, 2]})
            ),
            "system 'a' has more than one score on dataset 'x'",
        ),
    ],
)
def test_messages(call: Any, message: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        call()
    assert message in caught.value.message


def test_an_error_inside_a_dataset_names_it() -> None:
    parts = items()
    parts["two"] = Evaluation.of({"a": ["1", "2"], "b": ["x", "y"]}, ["1", "2"])
    with pytest.raises(InvalidInputError, match=r"dataset '\w+': "):
        compare_datasets(parts, metric="rmse")


# -- folds -----------------------------------------------------------------------------------------


def cross_validated(seed: int = 0, repetitions: int = 3, n: int = 90, k: int = 3) -> dict[str, Evaluation]:
    generator = np.random.default_rng(seed)
    gold = generator.integers(0, 2, n)
    return {
        str(again + 1): Evaluation.of(
            {
                name: np.where(generator.random(n) < chance, gold, 1 - gold)
                for name, chance in (("a", 0.9), ("b", 0.7))
            },
            gold,
            strata=generator.permutation(n) % k,
        )
        for again in range(repetitions)
    }


def test_folds_in_every_form() -> None:
    generator = np.random.default_rng(0)
    arrays = {"a": generator.normal(0.7, 0.02, (3, 4)), "b": generator.normal(0.68, 0.02, (3, 4))}
    expected = compare_folds(arrays)
    rows = [
        {"repetition": i + 1, "fold": j + 1, **{name: float(x[i, j]) for name, x in arrays.items()}}
        for i in range(3)
        for j in range(4)
    ]
    for frame in (pd.DataFrame(rows), pl.DataFrame(rows)):
        found = compare_folds(frame)
        assert (found.differences, found.folds) == (expected.differences, expected.folds)
    assert compare_folds(pd.DataFrame(rows).assign(item=1)).differences == expected.differences
    parts = cross_validated()
    table = pd.concat(
        [
            pd.DataFrame({"repetition": name, "fold": p.strata, "gold": p.gold, **p.systems})
            for name, p in parts.items()
        ]
    )
    one, other = compare_folds(parts), compare_folds(table, gold="gold")
    assert (one.differences, one.spread, one.effects) == (other.differences, other.spread, other.effects)
    single = compare_folds(parts["1"])
    assert single.folds == tuple(("1", name) for name in dict.fromkeys(map(str, parts["1"].strata)))


def test_five_by_two() -> None:
    generator = np.random.default_rng(0)
    arrays = {"a": generator.normal(0.7, 0.02, (5, 2)), "b": generator.normal(0.68, 0.02, (5, 2))}
    result = compare_folds(arrays)
    assert result.ratio == 1.0
    (tests,) = result.tests.values()
    assert [test.name for test in tests] == ["corrected-t", "5x2cv-f", "5x2cv-t"]
    assert result.differences[0].test.name == "corrected-t"
    assert compare_folds(arrays, test="5x2cv-t").differences[0].test.name == "5x2cv-t"
    sided = compare_folds(arrays, alternative="greater")
    assert sided.differences[0].test.name == "corrected-t"


def test_the_5x2_tests_are_taken_by_name_only_and_with_a_note() -> None:
    generator = np.random.default_rng(0)
    arrays = {"a": generator.normal(0.7, 0.02, (5, 2)), "b": generator.normal(0.68, 0.02, (5, 2))}
    for test in ("5x2cv-f", "5x2cv-t"):
        found = compare_folds(arrays, test=test)
        (note,) = (note for note in found.notes if note.code == "liberal_test")
        assert "up to 17 %" in note.message
        assert found.differences[0].interval == compare_folds(arrays).differences[0].interval
    assert "liberal_test" not in {note.code for note in compare_folds(arrays).notes}


@pytest.mark.parametrize(
    ("shape", "ratio", "name"),
    [
        ((5, 2), None, "corrected-t"),
        ((2, 2), None, "corrected-t"),
        ((1, 10), None, "corrected-t"),
        ((1, 3), None, "corrected-t"),
        ((10, 10), None, "conservative-t"),
        ((2, 5), None, "conservative-t"),
        ((10, 1), 0.25, "conservative-t"),
        ((1, 10), 0.25, "conservative-t"),  # splits that test more than all items cannot be disjoint folds
        ((1, 4), 0.25, "corrected-t"),
        ((10, 1), 1.0, "corrected-t"),
    ],
)
def test_the_default_over_folds(shape: tuple[int, int], ratio: float | None, name: str) -> None:
    generator = np.random.default_rng(4)
    arrays = {"a": generator.normal(0.7, 0.02, shape), "b": generator.normal(0.69, 0.02, shape)}
    result = compare_folds(arrays, ratio=ratio)
    (d,) = result.differences
    assert d.interval is not None
    assert (d.test.name, d.interval.method, result.provenance.settings["test"]) == (name, name, name)
    assert "correlation_assumed" in {note.code for note in result.notes}
    assert words.name_of_test(name) in str(result)
    assert ", chosen because " in " ".join(str(result).split())
    plain = compare_folds(arrays, ratio=ratio, test="corrected-t")
    assert ("liberal_test" in {note.code for note in plain.notes}) == (name == "conservative-t")
    assert plain.differences[0].p_value <= d.p_value
    assert plain.provenance.settings["test_choice"] == "by name"
    assert "chosen because" not in " ".join(str(plain).split())


def test_the_correlation_that_is_assumed() -> None:
    generator = np.random.default_rng(5)
    found = {}
    for shape in ((1, 10), (10, 10), (5, 2)):
        arrays = {"a": generator.normal(0.7, 0.02, shape), "b": generator.normal(0.69, 0.02, shape)}
        (note,) = (n for n in compare_folds(arrays).notes if n.code == "correlation_assumed")
        found[shape] = note.message
    assert "0.1 is assumed" in found[1, 10]
    assert "0.1 to 0.18 is assumed" in found[10, 10]
    assert "how much, and 0.5 is assumed" in found[5, 2]
    assert "weak features" in found[1, 10]
    assert "weak features" not in found[5, 2]


@pytest.mark.parametrize(
    ("shape", "test", "assumed"),
    [
        ((10, 1), "auto", "0.32"),  # random splits cannot show how far they differ
        ((1, 10), "auto", "0.32"),
        ((10, 3), "auto", "0.2 to 0.32"),
        ((1, 4), "conservative-t", "0.2"),  # with four splits the correction is that of corrected-t
        ((10, 1), "corrected-t", "0.2"),
    ],
)
def test_the_correlation_that_is_assumed_of_random_splits(
    shape: tuple[int, int], test: str, assumed: str
) -> None:
    generator = np.random.default_rng(5)
    arrays = {name: generator.normal(0.7, 0.02, shape) for name in "ab"}
    result = compare_folds(arrays, ratio=0.25, test=test)
    (note,) = (n for n in result.notes if n.code == "correlation_assumed")
    assert f"how much, and {assumed} is assumed." in note.message


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_tests_and_effects_of_folds_take_the_two_names_in_either_order(alternative: str) -> None:
    result = compare_folds(cross_validated(), alternative=alternative)
    forward, back = result.tests["a", "b"], result.tests["b", "a"]
    assert back == tuple(test.mirrored() for test in forward)
    assert result["b", "a"].test in back
    assert back[0].statistic == -forward[0].statistic
    assert result.tests.get(("b", "a")) == back
    assert result.tests == dict(result.tests)
    if alternative == "two-sided":
        assert result.effects["b", "a"] == result.effects["a", "b"]
        assert ("b", "a") in result.effects
    else:
        assert result.effects.get(("b", "a")) is None
        with pytest.raises(
            InvalidInputError, match=r"score of 'a' is greater[^\n]*\nhint: look up \('a', 'b'\)"
        ):
            result.effects["b", "a"]
    for found in (result.tests, result.effects):
        with pytest.raises(InvalidInputError, match=r"of \('a', 'c'\)[^\n]*\nhint: pairs: \('a', 'b'\)"):
            found["a", "c"]


def test_counts_are_equal_to_a_mapping_with_the_same_items() -> None:
    folds, other = (compare_folds(cross_validated(seed)).effects for seed in (0, 1))
    for counts in (folds, compare_datasets(items(), n_resamples=99).replicability):
        assert counts == dict(counts)
        assert dict(counts) == counts
        assert counts == pickle.loads(pickle.dumps(counts))
        assert counts != other
        assert counts != {}


def test_scores_of_folds_have_no_counts() -> None:
    folds = compare_folds({"a": [0.7, 0.8, 0.9], "b": [0.6, 0.7, 0.75]})
    for counts in (folds.effects, compare_datasets(TABLE).replicability):
        with pytest.raises(
            InvalidInputError, match="scores without items or runs have no counts\nhint: give"
        ):
            counts["a", "b"]
        assert ("a", "b") not in counts
        assert counts == {}


@pytest.mark.parametrize("shape", [(4,), (2, 2)])
def test_scores_of_folds_whose_squares_no_float_holds_are_refused(shape: tuple[int, ...]) -> None:
    arrays = {"a": [0.75, 0.71, 0.74, 0.72], "b": [0.74, 0.69, 0.75, 0.66]}
    for unit, message in (
        (1e160, r"the scores of 'a' must be at most 1e\+75 in size, got 7\.5e\+159 at position 0"),
        (1e-200, "the scores of 'a' must not all be smaller than 1e-75"),
    ):
        scaled = {name: np.multiply(x, unit).reshape(shape) for name, x in arrays.items()}
        rows = {name: x.reshape(-1) for name, x in scaled.items()}
        for given in (scaled, pd.DataFrame({"fold": range(4), **rows})):
            with pytest.raises(InvalidInputError, match=message):
                compare_folds(given)

    def huge(gold: Any, predicted: Any) -> float:
        return float((gold == predicted).mean()) * 1e160

    with pytest.raises(InvalidInputError, match="at most 1e\\+75 in size"):
        compare_folds(cross_validated(repetitions=1), metric=huge, n_resamples=9)
    kept = {name: np.multiply(x, 1e74) for name, x in arrays.items()}
    expected, found = (compare_folds(x).differences[0].p_value for x in (arrays, kept))
    assert found == pytest.approx(expected)


def test_folds_without_a_class_are_noted() -> None:
    gold = np.where(np.arange(30) < 4, "rare", "common")
    flat = np.full(30, "common")
    parts = Evaluation.of({"a": gold, "b": flat}, gold, strata=np.arange(30) % 10)
    (note,) = (n for n in compare_folds(parts, metric="f1_macro").notes if n.code == "missing_classes")
    assert note.message.startswith("6 of 10 folds lack a class")
    for metric, folds in (("accuracy", 10), ("f1_macro", 4)):
        whole = dataclasses.replace(parts, strata=np.arange(30) % folds)
        assert "missing_classes" not in {n.code for n in compare_folds(whole, metric=metric).notes}


def test_each_fold_counts_in_the_ratio() -> None:
    """Two folds of ratio 1 and four of ratio 1/3, as if the sizes of the folds were known."""
    rows = [("1", 2), ("2", 4)]
    frame = pd.DataFrame(
        [
            {"repetition": again, "fold": j, "a": 0.7 + 0.01 * j, "b": 0.6 + 0.02 * j}
            for again, k in rows
            for j in range(k)
        ]
    )
    assert compare_folds(frame).ratio == pytest.approx((2 * 1.0 + 4 / 3.0) / 6)
    whole = np.arange(24)
    parts = {
        again: Evaluation.of({"a": whole % 3, "b": whole % 4}, whole % 2, strata=whole % k)
        for again, k in rows
    }
    assert compare_folds(parts, metric="mae").ratio == compare_folds(frame).ratio


def test_the_ratio_is_told_or_found() -> None:
    arrays = {"a": [0.7, 0.8, 0.9, 0.75], "b": [0.6, 0.7, 0.7, 0.65]}
    assumed, told = compare_folds(arrays), compare_folds(arrays, ratio=0.1)
    assert (assumed.ratio, told.ratio) == (pytest.approx(1 / 3), 0.1)
    assert "ratio_assumed" in {note.code for note in assumed.notes}
    assert "ratio_assumed" not in {note.code for note in told.notes}
    assert told.differences[0].p_value < assumed.differences[0].p_value


def test_required_folds() -> None:
    parts = cross_validated(repetitions=1, n=300)
    every = compare_folds(parts, test="k-bonferroni")
    one = compare_folds(parts, test="k-bonferroni", required=1)
    assert every.differences[0].test.statistic == 3.0
    assert every.differences[0].p_value == every.effects["a", "b"].bonferroni[-1]
    assert one.differences[0].p_value <= every.differences[0].p_value


def test_lower_is_better_in_folds() -> None:
    arrays = {"a": [0.7, 0.8, 0.9], "b": [0.6, 0.7, 0.7]}
    assert compare_folds(arrays).systems == ("a", "b")
    assert compare_folds(arrays, greater_is_better=False).systems == ("b", "a")


def test_a_difference_without_variance_is_noted() -> None:
    result = compare_folds({"a": [1.0, 2.0, 3.0], "b": [0.5, 1.5, 2.5]})
    assert [note.code for note in result.differences[0].notes] == ["no_variance"]
    assert result.differences[0].p_value == 0.25
    # An interval of no width would say that the difference is known, which the p-value contradicts.
    assert result.differences[0].interval is None
    assert result.differences[0].standard_error == 0.0
    assert "a standard error of 0 says nothing" in result.differences[0].notes[0].message
    same = compare_folds({"a": [1.0, 2.0, 3.0], "b": [1.0, 2.0, 3.0]}).differences[0]
    assert same.interval is not None
    assert (same.interval.low, same.interval.high, same.p_value) == (0.0, 0.0, 1.0)
    assert [note.code for note in same.notes] == ["no_variance"]


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: compare_folds({"a": [1, 2], "b": [1]}), InvalidInputError, "a score for every fold"),
        (lambda: compare_folds({"a": [1, 2]}), InvalidInputError, "at least 2 systems"),
        (lambda: compare_folds({"a": [1], "b": [2]}), InvalidInputError, "at least 2 folds are needed"),
        (lambda: compare_folds({"a": [1, np.nan], "b": [2, 1]}), InvalidInputError, "no score on fold '2'"),
        (lambda: compare_folds({"a": ["x"], "b": ["y"]}), InvalidInputError, "must be numbers of shape"),
        (lambda: compare_folds({"a": [[1], [2]], "b": [[2], [1]]}), DesignError, "a random split"),
        (
            lambda: compare_folds({"a": [1, 2], "b": [2, 1]}, test="5x2cv-f"),
            DesignError,
            "5 repetitions of 2",
        ),
        (
            lambda: compare_folds({"a": [1, 2], "b": [2, 1]}, test="k-bonferroni"),
            DesignError,
            "inside each fold",
        ),
        (lambda: compare_folds({"a": [1, 2], "b": [2, 1]}, ratio=-1), InvalidInputError, "positive number"),
        (lambda: compare_folds(3), InvalidInputError, "data must be a mapping, a frame or an Evaluation"),
        (lambda: compare_folds(pd.DataFrame({"a": [1]})), InvalidInputError, "no column is called fold"),
        (
            lambda: compare_folds(cross_validated(), required=99),
            InvalidInputError,
            "99 folds with an effect were asked for, but there are only 9",
        ),
        (
            lambda: compare_folds(
                {"a": np.ones((5, 2)), "b": np.zeros((5, 2))}, test="5x2cv-f", alternative="less"
            ),
            DesignError,
            "the combined F test is two-sided",
        ),
    ],
)
def test_messages_of_folds(call: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        call()


# -- reports ---------------------------------------------------------------------------------------

RESULTS = {
    "table": lambda: compare_datasets(TABLE),
    "two systems": lambda: compare_datasets(TABLE, systems=["old", "new"]),
    "items": lambda: compare_datasets(items(), n_resamples=200),
    "three systems with items": lambda: compare_datasets(items(names=("a", "b", "c")), n_resamples=200),
    "baseline": lambda: compare_datasets(TABLE, baseline="old", correction="none"),
    "p-values": lambda: replicability({"news": 0.001, "talks": 0.4}),
    "folds": lambda: compare_folds({"a": [0.7, 0.8, 0.9], "b": [0.6, 0.7, 0.75]}),
    "folds with items": lambda: compare_folds(cross_validated()),
    "awkward names": lambda: compare_datasets(
        {f"d_{i} & <b>|$x$": {"a_1|<": 0.5 + i / 9, "b%&\\": 0.4, "c": i / 7.0} for i in range(4)}
    ),
}


@pytest.mark.parametrize("name", RESULTS)
def test_every_report_of_every_result(name: str) -> None:
    result: Any = RESULTS[name]()
    text = str(result)
    assert max(len(line) for line in text.splitlines() if not line.startswith("bestby:")) <= 100
    assert result.signature in text
    again: Any = RESULTS[name]()
    for form in ("to_markdown", "to_latex", "to_html", "_repr_html_"):
        made = getattr(result, form)()
        assert made.strip()
        assert made == getattr(again, form)()
    assert json.loads(result.to_json()) == result.to_dict()
    describing = data._describing(result)
    frame = result.to_frame()
    assert tuple(frame.columns) == describing.COLUMNS
    assert len(result.to_csv().splitlines()) == len(frame) + 1


def test_latex_captions_tell_the_methods_of_their_own_table() -> None:
    tables = {
        part.split(r"\caption{")[1].split(" ")[0]: part
        for part in compare_datasets(items(), n_resamples=200).to_latex().split(r"\end{table}")[:-1]
    }
    assert list(tables) == ["Systems", "Mean", "All", "Differences"]
    found = {
        name: {told for told in ("Over datasets:", "On each dataset:") if told in part}
        for name, part in tables.items()
    }
    assert found == {
        "Systems": set(),
        "Mean": {"Over datasets:"},
        "All": set(),
        "Differences": {"On each dataset:"},
    }
    assert "200 resamples, seed 0." in tables["All"]


def test_columns_are_those_of_differences_where_they_apply() -> None:
    from bestby.report.kinds import datasets, folds

    assert set(data.COLUMNS) < set(datasets.COLUMNS)
    assert set(data.COLUMNS) < set(folds.COLUMNS)
    frame = compare_datasets(items(), n_resamples=200).to_frame()
    assert list(frame["average"].dropna()) == ["macro", "macro", "micro", "micro"]
    assert list(frame["dataset"].dropna()) == ["one", "two", "three"]


def test_the_text_says_what_matters() -> None:
    text = str(compare_datasets(TABLE))
    assert "big has the best average rank, 1.20 of 3, over 5 datasets" in text
    assert "Systems over 5 datasets, by average rank (1 is best; score: higher is better)" in text
    assert "Over datasets: Student's t (delta method) intervals (95 %)" in text
    assert "Friedman test" in text
    assert "exact p = " in text
    assert "wins–ties–losses" in text
    found = str(compare_folds(cross_validated()))
    assert "Results from the pooled predictions of each repetition alone" in found
    assert "K-Bonferroni" in found


# -- figures ---------------------------------------------------------------------------------------


def named(axes: Any, gid: str) -> list[Any]:
    return [line for line in axes.lines if line.get_gid() == gid]


@pytest.mark.parametrize("k", [3, 5, 15])
def test_the_diagram_of_ranks(k: int) -> None:
    result = compare_datasets(scores(20, k))
    axes = result.plot()
    texts = [text.get_text().replace("\N{NO-BREAK SPACE}", " ") for text in axes.texts]
    for name, rank in zip(result.systems, result.average_ranks, strict=True):
        assert any(name in text.split("   ") and f"{rank:.2f}" in text for text in texts)
    left, right = axes.get_xlim()
    assert left > k > 1 > right  # the best on the right
    for line in named(axes, "clique"):
        low, high = sorted(map(float, line.get_xdata()))
        inside = [r for r in result.average_ranks if low <= r <= high]
        assert len(inside) >= 2
        assert max(inside) - min(inside) < result.critical_difference  # type: ignore[operator]
    (critical,) = named(axes, "critical")
    assert np.ptp(critical.get_xdata()) == pytest.approx(result.critical_difference)


@pytest.mark.parametrize("cliques", ["nemenyi", "holm", "wilcoxon"])
def test_bars_join_every_pair_that_is_not_told_apart(cliques: str) -> None:
    result = compare_datasets(scores(12, 6, seed=8))
    different = ranks._different(result, cliques)
    bars = ranks._bars(result, cliques)
    joined = {(i, j) for bar in bars for i in bar for j in bar if i < j}
    k = len(result.systems)
    assert joined == {(i, j) for i in range(k) for j in range(i + 1, k) if not different[i, j]}


def test_labels_of_the_diagram_do_not_overlap() -> None:
    axes = compare_datasets(scores(20, 15)).plot()
    axes.figure.draw_without_rendering()
    labels = [t.get_window_extent() for t in axes.texts if "\N{NO-BREAK SPACE}" in t.get_text()]
    for i, one in enumerate(labels):
        for other in labels[i + 1 :]:
            assert not one.overlaps(other) or one.height * 0.8 <= abs(one.y0 - other.y0)


def test_the_matrix_shows_every_pair_twice() -> None:
    result = compare_datasets(TABLE)
    axes = result.plot("matrix")
    assert len(axes.texts) == len(axes.patches) == 6
    corner = next(text for text in axes.texts if text.get_position() == (2, 0))
    assert corner.get_text().split("\n")[1] == "–".join(map(str, result.wins("big", "old")))


def test_the_forest_has_a_line_per_dataset_then_all_together() -> None:
    result = compare_datasets(items(), n_resamples=200)
    axes = result.plot()
    texts = [label.get_text() for label in axes.get_yticklabels()]
    assert sorted(texts[:3]) == ["one", "three", "two"]
    assert texts[3:] == [
        *("macro, datasets vary", "macro, items vary", "micro, items vary", "micro, datasets vary")
    ]
    table = compare_datasets(TABLE).plot("forest", pair=("old", "big"))
    assert len(table.get_yticklabels()) == 6
    assert table.get_xlabel().endswith("old better →")


def test_the_figure_of_folds_has_a_dot_per_fold() -> None:
    result = compare_folds(cross_validated())
    assert isinstance(result, FoldComparison)
    (dots,) = named(result.plot(), "folds")
    assert len(dots.get_xdata()) == 9
    assert result.plot(ax=Figure().add_subplot()).get_title(loc="left").startswith("accuracy")


def test_a_diagram_needs_three_systems() -> None:
    with pytest.raises(DesignError, match="at least 3 systems"):
        compare_datasets(TABLE, systems=["old", "new"]).plot("ranks")


def test_independence_is_no_word_for_folds_of_several_repetitions() -> None:
    one = compare_folds(cross_validated(repetitions=1), metric="accuracy")
    several = compare_folds(cross_validated(repetitions=2), metric="accuracy")
    assert "if they are independent" in " ".join(str(one).split())
    assert "K-Bonferroni" in str(several)
    assert "if they are independent" not in " ".join(str(several).split())


# -- which names are datasets ----------------------------------------------------------------------


def test_the_note_says_which_names_are_datasets_and_which_systems() -> None:
    by_system = {"old": {"sst": 0.7, "mr": 0.6, "x": 0.5}, "new": {"sst": 0.72, "mr": 0.66, "x": 0.58}}
    note = compare_datasets(by_system).notes[0]
    assert note.code == "read_as"
    assert "datasets: old, new; systems: sst, mr, x;" in note.message
    assert 'outer="system"' in note.message


def test_systems_outside() -> None:
    by_system = {"old": {"sst": 0.7, "mr": 0.6, "x": 0.5}, "new": {"sst": 0.72, "mr": 0.66, "x": 0.58}}
    by_dataset = {
        name: {system: row[name] for system, row in by_system.items()} for name in ("sst", "mr", "x")
    }
    found, expected = compare_datasets(by_system, outer="system"), compare_datasets(by_dataset)
    assert found.systems == ("new", "old")
    assert found.datasets == ("sst", "mr", "x")
    assert found["new", "old"] == expected["new", "old"]
    assert found.provenance.data_hash == expected.provenance.data_hash
    assert found.notes[0].message == "a table of scores; datasets: sst, mr, x; systems: old, new"


def test_systems_outside_with_a_score_missing() -> None:
    by_system = {"old": {"sst": 0.7, "mr": 0.6, "x": 0.5}, "new": {"sst": 0.72, "mr": 0.66}}
    with pytest.raises(InvalidInputError, match="'new' on dataset 'x'"):
        compare_datasets(by_system, outer="system")
    assert compare_datasets(by_system, outer="system", on_missing="drop").datasets == ("sst", "mr")


def test_outer_is_for_a_mapping_of_mappings() -> None:
    table = {"sst": {"old": 0.7, "new": 0.8}, "mr": {"old": 0.6, "new": 0.7}}
    with pytest.raises(InvalidInputError, match="outer must be one of dataset, system, got 'model'"):
        compare_datasets(table, outer="model")
    for other in (
        {"sst": 0.01, "mr": 0.2},
        {name: Evaluation.of({"a": [1, 0], "b": [0, 1]}) for name in "xy"},
    ):
        with pytest.raises(InvalidInputError, match="outer is for a mapping of mappings"):
            compare_datasets(other, outer="system")
    with pytest.raises(InvalidInputError, match="no system 'sst'") as caught:
        compare_datasets(table, systems=["sst", "mr"])
    assert 'outer="system"' in str(caught.value.hint)


def test_equal_differences_have_no_digits_of_rounding() -> None:
    for step in (0.0, 0.01, 1 / 3):
        table = {f"d{i}": {"a": 0.75 + step * i, "b": 0.65 + step * i} for i in range(6)}
        text = str(compare_datasets(table, outer="dataset", n_resamples=99))
        assert re.search(r"^a +b +0\.1000 ", text, re.MULTILINE)
        assert not re.search(r"\de[-\N{MINUS SIGN}]\d", text.split("Notes")[0])
