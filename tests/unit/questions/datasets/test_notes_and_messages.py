"""`compare_datasets` says what is missing, what it takes for granted, and what is wrong."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.unit.comparisons.examples import TABLE, items, scores

from bestby import Evaluation, compare_datasets
from bestby._core.errors import InvalidInputError
from bestby.comparisons import per_dataset
from bestby.engine.base import Drawing
from bestby.metrics import resolve
from bestby.questions.datasets.result import DatasetComparison

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
        error = per_dataset.intervals_on(part, resolve("mean"), Drawing(9, 0), "").of(0, 1).sample.error
        assert error is not None
        squares += (error.se / 3) ** 2
        fourths += (error.se / 3) ** 4 / error.df
    (entry,) = [e for e in result.overall if (e.average, e.resampled) == ("macro", "items")]
    reach = stats.t.ppf(0.95, squares**2 / fourths) * np.sqrt(squares)
    assert (entry.interval.low, entry.interval.high) == pytest.approx(
        (entry.estimate - reach, entry.estimate + reach),
        rel=1e-3,  # it allows for skewness
    )
    assert entry.standard_error == pytest.approx(np.sqrt(squares))
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


def test_an_error_inside_a_dataset_names_it() -> None:
    parts = items()
    parts["two"] = Evaluation.of({"a": ["1", "2"], "b": ["x", "y"]}, ["1", "2"])
    with pytest.raises(InvalidInputError, match=r"dataset '\w+': "):
        compare_datasets(parts, metric="rmse")


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


def test_equal_differences_have_no_digits_of_rounding() -> None:
    for step in (0.0, 0.01, 1 / 3):
        table = {f"d{i}": {"a": 0.75 + step * i, "b": 0.65 + step * i} for i in range(6)}
        text = str(compare_datasets(table, outer="dataset", n_resamples=99))
        assert re.search(r"^ +0\.1000 ", text, re.MULTILINE)
        assert not re.search(r"\de[-\N{MINUS SIGN}]\d", text.split("Notes")[0])
