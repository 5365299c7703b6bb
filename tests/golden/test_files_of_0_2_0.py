"""What version 0.2.0 wrote opens, holds the numbers that it held, and can be shown.

`files_of_0_2_0/make_files.py` wrote the files; boards of that version are in `tests/unit/boards`.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.helpers import run_in
from tests.golden.numbers_of_results import plain, table_names
from tests.golden.test_unchanged_numbers import changes

import bestby as bb

FILES = Path(__file__).parent / "files_of_0_2_0"
RELEASED, UNRELEASED = FILES / "released", FILES / "unreleased"
SAVED = sorted(path for path in FILES.glob("*/*.json") if path.name != "baseline.json")
RENAMED = (".favoured is missing", ".better is missing")
"""Columns that `significant` and `winner` replace, and a field whose value is a headline below."""

HEADLINES: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "advice": (lambda r: (r.test, r.interval), ("permutation", "tango")),
    "allocation": (lambda r: (r.best.runs, r.best.items), (2, 400)),
    "aso": (lambda r: r.epsilon_min, 0.2609424050052917),
    "chosen": (lambda r: r.items[:3], ("q4", "q16", "q17")),
    "comparison": (lambda r: r["a", "b", "accuracy"].interval.low, 0.16108016247667306),
    "comparison_of_many": (lambda r: r.differences[3].p_adjusted, 0.0006103515625),
    "comparison_of_scores": (lambda r: r["a", "b"].estimate, 0.5855000000000001),
    "dataset_runs": (lambda r: r.overall[1].p_value, 3.2970477880820165e-09),
    "datasets": (lambda r: r.friedman.p_value, 0.011108996538242308),
    "datasets_of_items": (lambda r: r.within["d1"][0].interval.high, 0.42834955806210606),
    "evaluation": (lambda r: r.systems[1].interval.low, 0.5716504419378943),
    "folds": (lambda r: r.differences[0].p_value, 0.0016585702334516144),
    "folds_of_items": (lambda r: r.means[1], 0.7250000000000001),
    "gate": (lambda r: r.checks[0].difference.interval.low, -0.42834955806210606),
    "gate_alarm": (lambda r: (r.outcome, r.n_worse), ("fail", 11)),
    "judged": (lambda r: (r["a", "b"].estimate, r.judges[0].equal_bias.helped), (0.5747102038887706, "a")),
    "judged_by_two": (lambda r: r["a", "b"].estimate, 0.6220558101387075),
    "judged_calibrated": (lambda r: r["a", "b"].estimate, 0.35657142857142843),
    "judged_labels": (lambda r: r["b", "c"].interval.high, 0.2992356304373507),
    "label_allocation": (lambda r: (r.best.labels, r.best.items), (168, 1600)),
    "label_plan": (lambda r: r.n_labels, 44),
    "monitored": (lambda r: r.interval.low, -0.20537170486574613),
    "multi_aso": (lambda r: r.orders["a", "b"].epsilon_min, 0.37978506796167155),
    "normality": (lambda r: r.tests[0].p_value, 0.002141611535012837),
    "plan": (lambda r: r.power, 0.9596039537347815),
    "plan_from_a_pilot": (lambda r: r.power, 1.0),
    "plan_of_lifted_runs": (lambda r: r.power, 0.42),
    "plan_of_runs": (lambda r: r.difference, 0.08718487170227167),
    "plan_of_scores": (lambda r: r.n, 1684),
    "preferences": (lambda r: r["x", "y"].p_value, 0.6285103558721872),
    "preferences_davidson": (lambda r: r.systems[0].score, 1047.210151073983),
    "published": (lambda r: r.answers[0].p_high, 0.0001886209154125836),
    "replicability": (lambda r: r.k_bonferroni, 2),
    "runs": (lambda r: r.systems[0].interval.low, 0.7635894804706302),
    "runs_of_items": (lambda r: r.differences[0].estimate, 0.262),
    "slices": (lambda r: r.heterogeneity[0].p_value, 0.455),
    "study": (lambda r: r.differences[0].estimate, 0.08750000000000002),
}
"""A number of each file, as version 0.2.0 read it."""

each = pytest.mark.parametrize("path", SAVED, ids=lambda path: f"{path.parent.name}-{path.stem}")


@each
def test_a_saved_result_holds_every_number(path: Path) -> None:
    result = bb.load(path)
    stored, now = json.loads(path.read_text(encoding="utf-8")), json.loads(result.to_json())
    found = changes(stored.pop("record"), now.pop("record")) + changes(plain(stored), plain(now))
    assert [line for line in found if not line.endswith(RENAMED) and ".sentences[" not in line] == []
    assert stored["notes"] == now["notes"]
    assert bb.load(result.to_json()) == result


@each
def test_a_saved_result_has_its_headline(path: Path) -> None:
    headline, expected = HEADLINES[path.stem]
    assert headline(bb.load(path)) == expected


@pytest.mark.check
@each
def test_a_saved_result_is_shown(path: Path) -> None:
    result = bb.load(path)
    assert result.to_html().startswith("<!DOCTYPE html>")
    assert all([str(result), result.to_markdown(), result.to_latex(), result.methods()])
    for name in table_names(result):
        assert result.to_csv(what=name).splitlines()


@pytest.mark.parametrize(("files", "looks"), [(RELEASED, 0), (UNRELEASED, 1)])
def test_a_study_goes_on(tmp_path: Path, files: Path, looks: int) -> None:
    shutil.copytree(files / "study", tmp_path / "study")
    study = bb.Study(tmp_path / "study")
    assert (study.conditions(), study.runs("new"), study.n_looks) == (("new", "old"), ("0", "1"), looks)
    result = study.compare(metric="accuracy", margin=0.3, n_resamples=199)
    assert result.differences[0].estimate == pytest.approx(0.0875, abs=1e-15)
    study.add("new", run=2, predictions=study.load("new", 0).predictions, epochs=5)
    assert study.compare(metric="accuracy", n_resamples=199).to_html()


def test_a_stored_baseline_is_the_baseline_of_a_gate(tmp_path: Path) -> None:
    done = run_in(RELEASED)(
        "gate", "--baseline-file", "baseline.json", "new.csv", "--gold", "gold.csv", "--json", "-"
    )
    assert done.returncode == 1, done.stderr
    gate = bb.load(done.stdout)
    assert (gate.baseline, gate.candidate, gate.outcome) == ("old", "new", "fail")
    assert gate.checks[0].difference.estimate == pytest.approx(-0.275, abs=1e-15)


def test_a_monitor_goes_on(tmp_path: Path) -> None:
    monitor = bb.Monitor.resume(shutil.copy(UNRELEASED / "monitor.jsonl", tmp_path))
    assert monitor.interval == bb.load(UNRELEASED / "monitored.json").interval
    monitor.add("more", {"new": 1, "old": 0})
    assert monitor.n_items == 61


def test_a_monitor_of_scores_without_bounds_goes_on_by_its_rules() -> None:
    monitor = bb.Monitor.resume(UNRELEASED / "monitor_without_bounds.jsonl")
    assert (monitor.n_items, monitor.running) == (200, ("a", "b", "c"))
    assert "begun_before" in [note.code for note in monitor.result().notes]


def test_a_watch_goes_on(tmp_path: Path) -> None:
    for name in ("log.jsonl", "watch.jsonl"):
        shutil.copy(UNRELEASED / name, tmp_path)
    with (tmp_path / "log.jsonl").open("a", encoding="utf-8") as log:
        log.write('{"item": "more", "new": 1, "old": 0}\n')
    done = run_in(tmp_path)("watch", "log.jsonl", "--state", "watch.jsonl", "--json", "-")
    assert done.returncode == 3, done.stderr
    result = bb.load(done.stdout)
    assert (result.n_items, result.decision) == (61, None)
    assert bb.Monitor.resume(tmp_path / "watch.jsonl").n_items == 61
