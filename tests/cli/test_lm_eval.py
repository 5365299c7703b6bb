"""From lm-evaluation-harness itself, with its dummy model, to the verdict of a gate."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.helpers import environment, run_in

import bestby as bb

pytestmark = pytest.mark.check

SIZES = {"alpha": 40, "beta": 60}
TASK = """
task: {name}
dataset_path: json
dataset_kwargs:
  data_files:
    test: {data}
test_split: test
output_type: multiple_choice
doc_to_text: "{{{{question}}}}"
doc_to_choice: "{{{{choices}}}}"
doc_to_target: label
metric_list:
  - metric: acc
    aggregation: mean
    higher_is_better: true
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run two tasks on two seeds of the dummy model, whose answers are random."""
    pytest.importorskip("lm_eval", reason="lm-evaluation-harness is not installed")
    place = tmp_path_factory.mktemp("harness")
    (place / "tasks").mkdir()
    for name, size in SIZES.items():
        documents = [
            {"question": f"{name} {i}", "choices": ["yes", "no"], "label": i % 2} for i in range(size)
        ]
        data = place / f"{name}.jsonl"
        data.write_text("\n".join(map(json.dumps, documents)) + "\n", encoding="utf-8")
        text = TASK.format(name=name, data=data.as_posix())
        (place / "tasks" / f"{name}.yaml").write_text(text, encoding="utf-8")
    for name, seed in (("main", "1"), ("new", "2")):
        _evaluate(place, "--output_path", name, "--seed", seed)
    return place


def _evaluate(place: Path, *arguments: str) -> None:
    tasks = ("--include_path", "tasks", "--tasks", ",".join(SIZES), "--log_samples")
    offline = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(place / "cache")}
    done = subprocess.run(
        [sys.executable, "-m", "lm_eval", "--model", "dummy", *tasks, *arguments],
        cwd=place,
        env={**os.environ, **environment(**offline)},
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr


def test_each_task_is_a_check(folder: Path) -> None:
    done = run_in(folder)("gate", "main", "new", "--margin", "0.3", "--json", "gate.json")
    result = bb.load(folder / "gate.json")
    assert isinstance(result, bb.results.Gate)
    assert [check.part for check in result] == ["alpha", "beta"]
    assert {check.part: check.difference.n_items for check in result} == SIZES
    assert done.returncode == {"pass": 0, "fail": 1, "inconclusive": 3}[result.outcome]
    for system in ("main", "new"):
        (path,) = (folder / system).rglob("results_*.json")
        scores = json.loads(path.read_text(encoding="utf-8"))["results"]
        for check in result:
            d = check.difference
            own = d.score_b if system == "main" else d.score_a
            assert own == pytest.approx(scores[check.part]["acc,none"])


def test_the_same_run_passes_and_all_tasks_can_be_pooled(folder: Path) -> None:
    run = run_in(folder)
    assert run("gate", "--save", "main.bestby.json", "main").returncode == 0
    done = run("gate", "--baseline-file", "main.bestby.json", "main", "--margin", "0.1")
    assert (done.returncode, done.stdout.partition("\n")[0]) == (0, "Pass: 2 of 2 checks pass.")
    done = run("gate", "main", "new", "--margin", "0.3", "--pool")
    assert done.returncode == 0
    assert done.stdout.startswith("Pass: new is not worse than main in acc by as much as the margin of 0.3")
