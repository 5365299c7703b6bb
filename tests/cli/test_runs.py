"""`bestby runs` as a process."""

# ruff: noqa: E501 - rows of tables
from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.helpers import Run, check_refused

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "langid"


@pytest.fixture
def seeds(tmp_path: Path) -> Path:
    path = tmp_path / "seeds.csv"
    rows = ["seed,old,new", *(f"{i},{0.7 + 0.01 * (i % 3)},{0.74 + 0.01 * (i % 4)}" for i in range(8))]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_every_option_reaches_the_comparison(run: Run, seeds: Path) -> None:
    done = run(
        "runs", seeds, "--system", "old", "--system", "new", "--baseline", "old", "--paired", "--statistic", "iqm",
        "--lower-is-better", "--interval", "percentile", "--level", "0.9", "--test", "permutation", "--alternative",
        "less", "--correction", "bh", "--margin", "0.01", "--resamples", "500", "--seed", "7", "--jobs", "2",
        "--metric", "loss", "--json", "-",
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    made = json.loads(done.stdout)["provenance"]
    assert made["settings"] == {
        "metrics": ["loss"], "greater_is_better": False, "statistic": "iqm", "paired": True, "interval": "percentile",
        "level": 0.9, "test": "permutation", "alternative": "less", "correction": "bh", "margin": 0.01,
        "baseline": "old",
    }  # fmt: skip
    assert (made["seed"], made["n_resamples"]) == (7, 500)


def test_the_example_with_and_without_items(run: Run) -> None:
    long = run("runs", EXAMPLE / "runs.csv", "--value-column", "accuracy", "--paired", "--json", "-")
    assert long.returncode == 0, long.stderr
    items = run(
        "runs", EXAMPLE / "predictions_all_runs.csv", "--cluster", "territory", "--paired", "--json", "-"
    )
    assert items.returncode == 0, items.stderr
    one, other = json.loads(long.stdout), json.loads(items.stdout)
    assert {s["system"]: s["score"] for s in one["systems"]} == pytest.approx(
        {s["system"]: s["score"] for s in other["systems"]}
    )
    assert (one["n_items"], other["n_items"]) == (None, 1000)
    assert other["provenance"]["data"]["clusters"] == 100
    assert len(other["variances"]) == 5 + 10


def test_published_seeds(run: Run, shared_data: Callable[[str], Path]) -> None:
    """100 seeds of BERT on HANS; 10 of TD3 on 7 tasks; 17 models on 713 problems, one row each."""
    hans = run(
        "runs", shared_data("hans") / "bert_100_seeds_accuracies.csv", "--system", "Lexical (nonent)",
        "--system", "Subseq (nonent)", "--paired", "--json", "-",
    )  # fmt: skip
    systems = json.loads(hans.stdout)["systems"]
    assert systems[0]["score"] == pytest.approx(0.276572, abs=5e-7)
    td3 = run(
        "runs", shared_data("td3_seeds") / "td3_final_and_max.csv", "--system-column", "env", "--run", "seed",
        "--value-column", "final", "--csv", "-",
    )  # fmt: skip
    assert len(list(csv.DictReader(io.StringIO(td3.stdout)))) == 21
    livecode = run(
        "runs", shared_data("lcb_selfrepair") / "pass_at_1_percent.csv", "--run", "question_id", "--paired",
        "--system", "Mistral-Large", "--system", "Claude-3-Haiku", "--json", "-",
    )  # fmt: skip
    difference = json.loads(livecode.stdout)["differences"][0]
    assert difference["n_runs_a"] == 713
    assert difference["exact"]


@pytest.mark.parametrize(
    ("arguments", "first", "second"),
    [
        (["nowhere.csv"], "InvalidInputError: no file 'nowhere.csv'", "hint: check the path"),
        (["seeds.csv", "--system", "old"], "a comparison needs at least 2 systems, got 1: old", ""),
        (["seeds.csv", "--plot-kind", "pie", "--plot", "-"], "InvalidInputError: --plot-kind must be one of", ""),
        (["one.csv"], "DesignError: system 'a' has one run", "hint: train it with more seeds"),
        (["seeds.csv", "--gold", "old"], "a gold needs a column of items", "hint: name it: --item ..."),
        (["seeds.csv", "--dataset", "news"], "seeds.csv has no column of datasets",
         "hint: name it: --dataset-column ...; its columns are: seed, old, new"),
        (["twice.csv"], "run '1' of system 'a' occurs 2 times",
         "hint: is there a column of items or datasets? Name it: --item ... or --dataset-column ..."),
        ([], "UsageError: Missing argument 'FILES'.", "hint: bestby runs --help"),
    ],
)  # fmt: skip
def test_bad_input_is_two_lines_on_stderr(
    run: Run, seeds: Path, tmp_path: Path, arguments: list[str], first: str, second: str
) -> None:
    (tmp_path / "one.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    (tmp_path / "twice.csv").write_text("run,a,b\n1,2,3\n1,4,5\n", encoding="utf-8")
    check_refused(run("runs", *arguments), first, second)


@pytest.mark.parametrize("command", ["runs", "datasets"])
def test_a_column_that_numbers_the_rows_is_no_system(tmp_path: Path, run: Run, command: str) -> None:
    first = {"runs": "seed", "datasets": "dataset"}[command]
    rows = [f"r{i},{i + 1},0.{50 + i},0.{60 - i}" for i in range(12)]
    (tmp_path / "t.csv").write_text("\n".join([f"{first},person,a,b", *rows]), encoding="utf-8")
    assert "column 'person' counts the rows" in run(command, "t.csv").stderr
    assert run(command, "t.csv", "--ignore", "person").returncode == 0
