"""The grid of `python -m calibration`: its populations, a quick part of it, and the page of its results.

False alarms: the quick grid has one bound per side of the coverage and one per test of each of eleven cells,
each of which fails by chance with probability 1e-4 at most (see counting.py) if the coverage is between 93
and 98.5 % and the test keeps its level: a change of all seeds raises an alarm in one of 300 cases.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from calibration.grid import Cell
from tests.calibration.counting import at_least, at_most

from bestby.engine import prepare
from bestby.engine.base import Drawing
from bestby.engine.estimate import Estimates
from bestby.metrics import resolve
from calibration import __main__, counting, designs, families, files, grid, measuring, page, runs

DATASETS = 200
ALL = {cell.key: cell for cell in grid.grid()}
QUICK = (
    "base|accuracy||alike|0.5|200",
    "base|macro-F1||alike|0.5|100",
    "base|MCC||alike|0.5|100",
    "base|Pearson||alike|0|100",
    "base|Spearman||alike|0.5|100",
    "base|AUC||alike|0.5|100",
    "base|BLEU-like||alike|0.5|100",
    "base|accuracy||apart|0.8|500",
    "clusters|accuracy|clusters of 10 items|alike|0.5|10",
    "clusters|accuracy|clusters of 1 to 40 items|apart|0.8|40",
    "ties|mean|ratings 1 to 5|alike|0|100",
)


def quick(key: str, **changes: object) -> Cell:
    return replace(ALL[key], datasets=DATASETS, resamples=299, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("key", QUICK)
def test_a_quick_grid(key: str) -> None:
    """In each cell "auto" covers between 93 and 98.5 %, and the permutation test keeps its level."""
    methods = tuple(m for m in ALL[key].methods if m != "studentized" or "mean" in key)
    cell = quick(key, tested=DATASETS, tests=("permutation",), methods=methods)
    data = measuring.run(cell)
    (row,) = (row for row in counting.interval_rows(cell, data) if row["method"] == "auto")
    missed = round((1.0 - float(row["coverage"])) * DATASETS)
    assert at_least(0.015, DATASETS) <= missed <= at_most(0.07, DATASETS)
    rejected = int((data["p"][:, 0] <= 0.05).sum())
    if cell.systems == "alike":
        assert rejected <= at_most(0.05, DATASETS)
    else:
        assert rejected > at_most(0.05, DATASETS)


@pytest.mark.parametrize("measure", [*designs.MEASURES, *designs.RARE])
def test_the_truth_is_that_of_a_very_large_sample(measure: str) -> None:
    """Within five standard errors: of the 24 comparisons one fails in 70 000 changes of the seed."""
    metric, of = (designs.MEASURES | designs.RARE)[measure]
    for alike in (True, False):
        population = of(0.6, alike)
        rng = np.random.default_rng(len(measure))
        n = 20_000 if metric in grid.DEAR else 50_000
        evaluation = population.draw(rng, n)
        estimates = Estimates(prepare.groups(evaluation, [resolve(metric)])[0], Drawing(200, 1))
        for estimate, truth in (
            (estimates.of(0, 1), population.truth),
            (estimates.of(0), population.truth_a),
        ):
            se = estimate.distribution[0].sd
            assert abs(estimate.value - truth) <= 5.0 * se


@pytest.mark.parametrize("share", [0.0, 0.5, 0.98])
def test_systems_agree_as_often_as_they_should(share: float) -> None:
    rng = np.random.default_rng(3)
    for _, of in designs.MEASURES.values():
        evaluation = of(share, True).draw(rng, 2000)
        a, b = evaluation.systems.values()
        same = (a == b) if a.ndim == 1 else (a == b).all(axis=1)
        few, many = (bound(share, 2000) for bound in (at_least, at_most))
        assert few <= int(same.sum()) <= max(many, 20)  # scores of texts coincide now and then


def test_a_cell_is_made_once_and_always_the_same(tmp_path: Path) -> None:
    cell = replace(quick(QUICK[1]), datasets=5, tests=("bootstrap",))
    first = measuring.stored(cell, tmp_path)
    (file,) = tmp_path.iterdir()
    written = file.stat().st_mtime_ns
    again = measuring.stored(cell, tmp_path)
    assert file.stat().st_mtime_ns == written
    other = measuring.made(cell)
    for name in ("ends", "p", "features"):
        np.testing.assert_array_equal(first[name], again[name])
        np.testing.assert_array_equal(first[name], other[name])


def test_some_intervals_alone_are_those_of_the_whole_cell() -> None:
    """They have rows alone, and "auto" has what it chooses among the others."""
    cell = replace(quick(QUICK[1]), datasets=8, tests=())
    part = replace(cell, only=("hall", "auto"))
    whole, rows = ([*counting.interval_rows(one, measuring.run(one))] for one in (cell, part))
    assert [row["method"] for row in rows] == ["hall", "auto"]
    assert rows == [row for row in whole if row["method"] in ("hall", "auto")]
    assert measuring.path_of(cell) != measuring.path_of(part)


def test_rows_of_some_methods_leave_the_others_as_they_are() -> None:
    def row(cell: str, method: str, coverage: str) -> files.Row:
        return {"cell": cell, "method": method, "coverage": coverage}

    old = [row("x", "bca", ".9"), row("x", "normal", ".8"), row("x", "auto", ".7"), row("y", "bca", ".6")]
    new = [row("x", "hall", ".95"), row("x", "auto", ".94"), row("z", "auto", ".93")]
    merged = files.merged(old, new, ("cell",), ("method",), some=True)
    assert merged == [*old[:2], *new[:2], old[3], new[2]]
    assert files.merged(old, new, ("cell",), ("method",)) == [*new[:2], old[3], new[2]]


def test_a_family_is_asked_for_by_its_name_or_by_a_part_of_a_cell() -> None:
    assert {cell.family for cell in __main__.positions("runs", False)} == {"runs"}
    assert {cell.key for cell in __main__.positions("|accuracy||alike|0.9|20", False)} == {
        f"base|accuracy||alike|{agreement}|20{n}" for agreement, n in (("0.9", ""), ("0.9", "0"))
    }
    asked = __main__.positions("one system", False, ("fisher-z",))
    assert {cell.key.split("|")[1] for cell in asked} == {"Pearson", "Spearman"}


def test_cells_have_names_of_their_own() -> None:
    cells = [*grid.grid(), *families.cells(), *runs.cells()]
    assert len({cell.key for cell in cells}) == len(cells)
    assert len({measuring.path_of(cell) for cell in cells}) == len(cells)


def test_what_the_rule_looks_at_is_stored_whole() -> None:
    cell = replace(quick(QUICK[4]), datasets=3, tests=())
    evaluation = cell.population.draw(np.random.default_rng(1), cell.n)
    estimates = Estimates(prepare.groups(evaluation, [resolve(cell.metric)])[0], Drawing(99, 1))
    situation = estimates.of(0, 1).situation()
    features = measuring.one(cell, evaluation, 1, 0)
    assert features is not None
    assert measuring.situations(np.array([features[2]])) == [situation]


# -- what was measured, as committed -------------------------------------------------------------------

FOUND = page.results()


def of_auto(rows: Sequence[files.Row]) -> list[files.Row]:
    return [row for row in rows if row["method"] == "auto"]


def test_the_page_is_what_the_results_give() -> None:
    assert page.stale() == []


def test_the_results_are_of_the_cells_of_the_grid() -> None:
    """No cell is missing but those of other files, and none is from another grid."""
    names = ("family", "measure", "design", "systems", "agreement", "n")
    there = {tuple(row[name] for name in names) for row in FOUND["intervals"]}
    cells = [*grid.grid(), *runs.cells()]
    assert there == {tuple(counting._named(cell)[name] for name in names) for cell in cells}
    assert {(row["measure"], row["systems"], row["n"]) for row in FOUND["families"]} == {
        (cell.measure, str(cell.systems), str(cell.n)) for cell in families.cells()
    }


def test_where_auto_covers_too_little_a_note_says_so() -> None:
    short = [row for row in of_auto(FOUND["intervals"]) if counting.verdict(row) == "short"]
    assert short
    assert [row for row in short if not page.noted(row)] == []


def test_auto_tests_keep_their_level() -> None:
    rows = [row for row in FOUND["tests"] if row["test"] == "auto" and row["systems"] == "alike"]
    assert rows
    outside = [row for row in rows if not counting.keeps_level(row)]
    assert len(outside) <= at_most(0.0228, len(rows))  # two standard errors leave that much to chance


def test_a_bootstrap_p_value_centred_on_itself_rejects_too_often() -> None:
    """Of sacrebleu, whose other test keeps its level, as does bestby's permutation test."""
    rows = {(row["tool"], row["what"]): row for row in FOUND["rivals"] if row["measure"] == "BLEU"}
    counts = {key: round(float(row["share"]) * int(row["datasets"])) for key, row in rows.items()}
    most = at_most(0.05, int(rows["sacrebleu", "bootstrap"]["datasets"]))
    assert counts["sacrebleu", "bootstrap"] > most
    assert counts["sacrebleu", "approximate randomization"] <= most
    assert counts["bestby", "permutation"] <= most


def test_families_are_made_anew_when_the_rule_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    """They keep whether the intervals of "auto" held; other cells keep what the rule looks at."""
    family = next(families.cells())
    before = measuring.path_of(family)
    monkeypatch.setattr("inspect.getsource", lambda _: "another rule")
    assert measuring.path_of(family) != before
