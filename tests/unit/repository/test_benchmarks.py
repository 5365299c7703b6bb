"""The page of the benchmarks is what its results make, and what the overview says of speed is in them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from benchmarks import data, jobs, page, processes, translation, worker
from benchmarks.rivals import Rival

ROOT = Path(__file__).resolve().parents[3]
OVERVIEW = ROOT / "docs" / "concepts" / "overview.md"


def row(
    tool: str, milliseconds: float, peak: int = 100, asked: int = 100, at_most: str = ""
) -> dict[str, Any]:
    return {
        "job": "a job",
        "tool": tool,
        "milliseconds": str(milliseconds),
        "peak_mb": str(peak),
        "asked": str(asked),
        "at_most_ms": at_most,
    }


def test_the_page_is_what_the_results_make() -> None:
    hint = "python benchmarks/run.py --part page"
    assert page.TABLE.read_text(encoding="utf-8") == page.rivals_page(), hint
    assert page.PAGE.read_text(encoding="utf-8") == page.benchmarks_page(), hint


def test_every_job_has_its_rows() -> None:
    made = {rows[0]["job"]: rows for rows in page.grouped(page.read("rivals"))}
    asked = list(jobs.all_jobs())
    assert list(made) == [job.name for job in asked]
    for job in asked:
        assert [row["tool"] for row in made[job.name]] == ["bestby", *job.tools]
        assert set(job.tools) <= set(page.TOOLS)
        assert int(made[job.name][0]["asked"]) == job.asked
        assert made[job.name][0]["at_most_ms"] == ("" if job.at_most is None else f"{1e3 * job.at_most:g}")
    assert len({page.anchor(job.name) for job in asked}) == len(asked)
    assert any(job.quick for job in asked)


def test_every_missed_goal_has_a_reason() -> None:
    for rows in page.grouped(page.read("rivals")):
        for told, met in page.goals(rows):
            assert met or page.reason(rows[0]["job"], told), (rows[0]["job"], told)


def test_commands_with_a_limit_keep_it() -> None:
    made = {row["command"]: row for row in page.read("startup")}
    for command, seconds in processes.AT_MOST.items():
        assert float(made[command]["at_most_ms"]) == 1e3 * seconds
        assert float(made[command]["cpu_ms"]) <= 1e3 * seconds, command


@pytest.mark.skipif(not OVERVIEW.exists(), reason="the documentation is not beside the tests")
def test_what_the_documentation_says_of_speed_is_in_the_results() -> None:
    """Claims read: more than 900 times faster than BootCI (the name of a job)."""
    text = OVERVIEW.read_text(encoding="utf-8")
    claims = re.findall(r"more than ([\d,]+) times faster than (\w+) \(([^)]+)\)", text)
    assert len(claims) == text.count("times faster than") > 0
    rows = {rows[0]["job"]: rows for rows in page.grouped(page.read("rivals"))}
    for times, tool, job in claims:
        assert page.ratios(rows[job])[tool] > float(times.replace(",", "")), (tool, job)


def test_goals() -> None:
    rows = [row("bestby", 2.0), row("BootCI", 250.0), row("scipy", 10.0, 80), row("arch", 40.0)]
    assert page.ratios(rows) == {"BootCI": 125.0, "scipy": 5.0, "arch": 20.0}
    assert [met for _, met in page.goals(rows)] == [True, False, True, True]
    assert page.goal_line(rows[:1]) == "no goal"
    assert page.goal_line(rows).startswith("goal: BootCI 125 times, asked 100: met; best other (scipy) 5")
    slower = [row("bestby", 2.0, 120), row("scipy", 1.0)]
    assert [met for _, met in page.goals(slower)] == [False, False, False]
    assert page.goals([row("bestby", 2.0)]) == []
    assert page.goals([row("bestby", 20.0, at_most="2000")]) == [("20 ms, at most 2.0 s", True)]
    assert page.goals([row("bestby", 3000.0, at_most="2000")]) == [("3.0 s, at most 2.0 s", False)]


def test_growth_beyond_n_log_n_is_marked() -> None:
    times = {"linear": (1.0, 100.0), "quadratic": (1.0, 10_000.0)}
    rows = [
        {"axis": page.EVERY, "measure": metric, "value": str(n), "milliseconds": str(taken)}
        for metric, taken_by in times.items()
        for n, taken in zip((10_000, 1_000_000), taken_by, strict=True)
    ]
    linear, quadratic = page.growth_table(rows)[2:]
    assert linear.endswith("| 0.67 |")
    assert quadratic.endswith("| **67** |")


@pytest.mark.parametrize(
    ("milliseconds", "words"), [(0.1234, "0.12 ms"), (1.25, "1.2 ms"), (99.6, "100 ms"), (2500, "2.5 s")]
)
def test_times_in_words(milliseconds: float, words: str) -> None:
    assert page.time_words(milliseconds) == words


def test_a_rival_that_is_too_slow_draws_fewer_and_is_scaled(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]

    def draw(size: int) -> int:
        clock[0] += 1.0 + 0.01 * size  # a second for the call, ten milliseconds a resample
        return size

    monkeypatch.setattr(worker.time, "process_time", lambda: clock[0])
    rival = Rival("clockwork", draw)
    size = worker.affordable(rival, 10_000, budget=3.0)
    assert 20 <= size < 500
    seconds, drawn = worker.drawing(rival, size, 10_000)
    assert drawn == size
    assert seconds == pytest.approx(101.0, rel=1e-6)
    assert worker.affordable(Rival("holds much", draw, held=10**7), 10_000, budget=1e9) == 5


@pytest.mark.parametrize("words", [["statistics"], ["again", "50"], ["bs", "5"]])
def test_translations_are_measured(words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sacrebleu", reason="sacrebleu is not installed")

    def few(folder: Path) -> tuple[list[str], dict[str, list[str]]]:
        reference, systems = data.shared_task(folder)
        return reference[:60], {name: texts[:60] for name, texts in systems.items()}

    monkeypatch.setattr(translation, "texts", few)
    measured = translation.answer(words, tmp_path / "none")
    assert all(value >= 0.0 for value in measured.values())
