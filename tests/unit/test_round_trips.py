"""What is read from a file gives the same numbers as the same data in memory, for every kind of data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.golden.numbers_of_results import extract
from tests.golden.test_unchanged_numbers import changes

import bestby as bb

N = 24
RNG = np.random.default_rng(31)
NAMES = ("new", "old")
GOLD = RNG.choice(["x", "y", "z"], N).tolist()
SYSTEMS = {
    name: np.where(RNG.random(N) < share, RNG.choice(["x", "y", "z"], N), GOLD).tolist()
    for name, share in (("new", 0.2), ("old", 0.5))
}
ITEMS = [f"i{place:02}" for place in range(N)]
THIRDS = ["one", "two", "three"]
PARTS = [THIRDS[place % 3] for place in range(N)]
RUNS = {name: np.round(RNG.normal(0.8 - 0.05 * place, 0.02, 6), 4) for place, name in enumerate(NAMES)}
RUNS_AND_ITEMS = {
    name: np.round(RNG.normal(0.8 - 0.05 * place, 0.1, (3, N)), 4) for place, name in enumerate(NAMES)
}
JUDGED = [
    (item, *RNG.permutation(NAMES).tolist(), str(RNG.choice(["new", "old", "tie"], p=[0.5, 0.3, 0.2])))
    for item in ITEMS
]


def table(columns: Mapping[str, Sequence[Any]]) -> str:
    """Return columns as CSV."""
    rows = zip(*columns.values(), strict=True)
    return "\n".join(",".join(str(cell) for cell in row) for row in [tuple(columns), *rows]) + "\n"


def long(systems: Mapping[str, Sequence[Any]], value: str, **columns: Sequence[Any]) -> str:
    """Return a table with a row per system and item, the systems one after the other."""
    stacked = {name: list(column) * len(systems) for name, column in columns.items()}
    values = [cell for column in systems.values() for cell in column]
    names = [name for name, column in systems.items() for _ in column]
    return table({**stacked, "system": names, value: values})


def evaluation(**groups: Any) -> bb.Evaluation:
    """Return the predictions in memory."""
    systems = {name: np.array(values) for name, values in SYSTEMS.items()}
    return bb.Evaluation(systems, np.array(GOLD), **groups)


@dataclass(frozen=True)
class Trip:
    """A file, its reader and comparison, and the comparison of the same data in memory."""

    text: str
    read: Callable[..., Any]
    compare: Callable[[Any], Any]
    memory: Callable[[], Any]
    options: Mapping[str, Any] | None = None


PREDICTIONS = {"item": ITEMS, "gold": GOLD, **SYSTEMS}
METRICS = ["accuracy", "f1_macro"]
SETTINGS: dict[str, Any] = {"n_resamples": 99}


def compare_dataset_items(data: Any) -> bb.results.DatasetComparison:
    return bb.compare_datasets(data, metric="accuracy", **SETTINGS)


def compare_fold_items(data: Any) -> bb.results.FoldComparison:
    return bb.compare_folds(data, metric="accuracy", test="k-bonferroni", required=1, **SETTINGS)


def memory_runs() -> bb.results.RunsComparison:
    return bb.compare_runs(RUNS)


def memory_runs_and_items() -> bb.results.RunsComparison:
    return bb.compare_runs(RUNS_AND_ITEMS)


def memory_preferences() -> bb.results.PreferenceComparison:
    return bb.compare_preferences(JUDGED, **SETTINGS)


WIDE_RUNS = table({"run": range(6), **RUNS})
LONG_RUNS = long(RUNS, "score", run=range(6))
RUN_ITEMS = "\n".join(
    ["system,run,item,score"]
    + [
        f"{name},{run},{item},{score}"
        for name, rows in RUNS_AND_ITEMS.items()
        for run, row in enumerate(rows)
        for item, score in zip(ITEMS, row, strict=True)
    ]
)
JUDGEMENTS = table(dict(zip(("item", "a", "b", "winner"), zip(*JUDGED, strict=True), strict=True)))
DATASET_SCORES = {
    f"d{place}": {name: float(RUNS[name][place]) for name in NAMES} for place in range(6)
}  # a table of datasets and systems

TRIPS: dict[str, Trip] = {
    "wide table of runs": Trip(WIDE_RUNS, bb.read_runs, bb.compare_runs, memory_runs),
    "long table of runs": Trip(LONG_RUNS, bb.read_runs, bb.compare_runs, memory_runs),
    "runs with items": Trip(RUN_ITEMS, bb.read_runs, bb.compare_runs, memory_runs_and_items),
    "wide table of datasets": Trip(
        table({"dataset": list(DATASET_SCORES), **RUNS}),
        bb.read_datasets,
        bb.compare_datasets,
        lambda: bb.compare_datasets(DATASET_SCORES),
    ),
    "long table of datasets": Trip(
        long(RUNS, "score", dataset=list(DATASET_SCORES)),
        bb.read_datasets,
        bb.compare_datasets,
        lambda: bb.compare_datasets(DATASET_SCORES),
    ),
    "items of datasets": Trip(
        table({**PREDICTIONS, "dataset": PARTS}),
        bb.read_datasets,
        compare_dataset_items,
        lambda: compare_dataset_items(evaluation(strata=np.array(PARTS))),
    ),
    "scores of folds": Trip(
        table({"fold": range(6), **RUNS}), bb.read_folds, bb.compare_folds, lambda: bb.compare_folds(RUNS)
    ),
    "scores of repeated folds": Trip(
        table({"repetition": [0, 0, 0, 1, 1, 1], "fold": [0, 1, 2] * 2, **RUNS}),
        bb.read_folds,
        bb.compare_folds,
        lambda: bb.compare_folds({name: scores.reshape(2, 3) for name, scores in RUNS.items()}),
    ),
    "items of folds": Trip(
        table({**PREDICTIONS, "fold": PARTS}),
        bb.read_folds,
        compare_fold_items,
        lambda: compare_fold_items(evaluation(strata=np.array(PARTS))),
    ),
    "preferences": Trip(
        JUDGEMENTS,
        bb.read_preferences,
        lambda read: bb.compare_preferences(read, **SETTINGS),
        memory_preferences,
    ),
}


def numbers(result: Any) -> dict[str, Any]:
    """Return the numbers of a result; the notes of the whole tell what was read, and differ."""
    found = extract(result)
    del found["notes"]
    return found


def check(trip: Trip, folder: Path) -> None:
    """Assert that a file and memory give the same numbers."""
    path = folder / "table.csv"
    path.write_text(trip.text, encoding="utf-8")
    actual = numbers(trip.compare(trip.read(path, **(trip.options or {}))))
    expected = numbers(trip.memory())
    assert changes(expected, actual) == changes(actual, expected) == []


@pytest.mark.parametrize("kind", TRIPS)
def test_a_file_and_memory_give_the_same(kind: str, tmp_path: Path) -> None:
    check(TRIPS[kind], tmp_path)


def test_p_values_of_datasets(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("dataset,p\none,0.01\ntwo,0.2\nthree,0.03\n", encoding="utf-8")
    expected = bb.replicability({"one": 0.01, "two": 0.2, "three": 0.03})
    read: Any = bb.read_datasets(path)
    assert changes(numbers(expected), numbers(bb.replicability(read))) == []


def test_the_outcomes_of_a_study(tmp_path: Path) -> None:
    first = bb.Study(tmp_path / "first")
    for condition, predictions in SYSTEMS.items():
        first.add(condition, run=0, predictions=predictions, gold=GOLD, baseline=condition == "old")
    first.export_outcomes(tmp_path / "outcomes.json")
    second = bb.Study(tmp_path / "second")
    second.import_outcomes(tmp_path / "outcomes.json")
    results = [study.compare(metric=METRICS, **SETTINGS) for study in (first, second)]
    expected = bb.compare(SYSTEMS, GOLD, metric=METRICS, baseline="old", **SETTINGS)
    found = [numbers(result) for result in results]
    for row in (row for one in found for row in one["json"]["classes"]):
        del row["label"]  # labels that are texts are numbers in the file
    assert changes(*found) == []
    for result in results:
        for metric in METRICS:
            ours, theirs = result["new", "old", metric], expected["new", "old", metric]
            assert ours.estimate == pytest.approx(theirs.estimate, rel=1e-12)
            assert ours.p_value == theirs.p_value
