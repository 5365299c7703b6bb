"""`bestby facets`: tables, facets by name, designs, and errors as options."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from tests.cli.helpers import Run
from tests.unit.readers.formats.log_files import inspect_log


@pytest.fixture
def runs_of_two(tmp_path: Path) -> str:
    """Write scores of two systems under three prompts, with two seeds each, by two judges, on ten items."""
    chance = random.Random(4)
    rows = ["system,prompt,seed,judge,item,score"]
    for system, mean in (("new", 0.6), ("old", 0.4)):
        for prompt in range(3):
            luck = chance.gauss(0.0, 0.1)
            for seed in range(2):
                for judge in "xy":
                    for item in range(10):
                        score = mean + luck + chance.gauss(0.05 * item, 0.1)
                        rows.append(f"{system},p{prompt},{seed},{judge},q{item},{score:.3f}")
    path = tmp_path / "runs.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    return str(path)


def test_the_answer_of_python_and_of_the_command(runs_of_two: str, run: Run) -> None:
    import pandas as pd

    import bestby as bb

    options = ["--nested", "seed in prompt", "--fixed", "judge", "--study", "prompt=6,seed=4"]
    found = json.loads(run("facets", runs_of_two, *options, "--json", "-").stdout)
    result = bb.compare_facets(
        pd.read_csv(runs_of_two), nested="seed in prompt", fixed="judge", study={"prompt": 6, "seed": 4}
    )
    assert found["differences"][0]["p_value"] == pytest.approx(result.differences[0].p_value, rel=1e-12)
    assert found["studies"][0]["half_length"] == pytest.approx(result.studies[0].half_length)
    assert found["question"].endswith("the same judges:")


def test_what_is_printed_begins_with_the_question(runs_of_two: str, run: Run) -> None:
    out = run("facets", runs_of_two, "--facets", "prompt,seed,judge", "--nested", "seed in prompt").stdout
    assert out.startswith("For other prompts, other seeds, other judges and other items like these")
    assert len(out.splitlines()) <= 40


def test_a_budget_is_spent_as_from_python(runs_of_two: str, run: Run) -> None:
    import pandas as pd

    import bestby as bb

    options = ["--nested", "seed in prompt", "--budget", "90", "--cost", "prompt=5", "--cost", "call=.01"]
    found = json.loads(run("facets", runs_of_two, *options, "--json", "-").stdout)["allocation"]
    plan = bb.compare_facets(pd.read_csv(runs_of_two), nested="seed in prompt").allocate(
        budget=90, costs={"prompt": 5, "call": 0.01}
    )
    assert [size for _, size in found["best"]["levels"]] == [size for _, size in plan.best.levels]
    assert found["best"]["cost"] == pytest.approx(plan.best.cost)
    said = " ".join(run("facets", runs_of_two, *options).stdout.split())
    assert "a budget of 90, the best numbers of levels are" in said
    enough = str(1.5 * plan.best.half_length)
    assert "the cheapest numbers" in " ".join(
        run("facets", runs_of_two, *options, "--target", enough).stdout.split()
    )
    brief = " ".join(run("facets", runs_of_two, *options, "--brief").stdout.split())
    assert "the best numbers of levels are" in brief
    assert "The variance" not in brief
    never = run("facets", runs_of_two, *options, "--target", "1e-6").stdout
    assert "out of reach" in never


def test_epochs_and_scorers_of_logs_are_facets(tmp_path: Path, run: Run) -> None:
    chance = random.Random(5)
    for name, right in (("new", 0.7), ("old", 0.5)):
        log = inspect_log([["CI"[chance.random() > right] for _ in range(12)] for _ in range(3)], model=name)
        for sample in log["samples"]:
            sample["scores"] = {"match": sample["scores"]["match"], "judge": {"value": chance.random()}}
        del log["samples"][-1]["scores"]["match"]
        (tmp_path / f"{name}.json").write_text(json.dumps(log), encoding="utf-8")
    logs = ["new.json", "old.json"]
    options = ["--facets", "epoch", "--unmatched", "epoch", "--json", "-"]
    one = json.loads(run("facets", *logs, *options).stdout)
    assert [(facet["name"], facet["levels"]) for facet in one["facets"]] == [("epoch", 3.0), ("item", 12.0)]
    assert "unbalanced" in {note["code"] for note in one["notes"]}
    judged = json.loads(run("facets", *logs, *options, "--value-column", "judge").stdout)
    both = json.loads(
        run("facets", *logs, "--facets", "epoch,scorer", "--fixed", "scorer", "--json", "-").stdout
    )
    assert [facet["name"] for facet in both["facets"]] == ["epoch", "scorer", "item"]
    for name in ("new", "old"):
        means = [_score(found, name) for found in (one, judged, both)]
        assert means[2] == pytest.approx((means[0] + means[1]) / 2, abs=0.02)
    clusters = run("facets", *logs, "--facets", "epoch", "--cluster", "passage").stdout
    assert clusters.startswith("For other epochs, other passages and other items like these:")


def _score(found: dict[str, Any], system: str) -> float:
    return next(row["score"] for row in found["systems"] if row["system"] == system)


def test_compare_and_plan_name_facets(runs_of_two: str, run: Run) -> None:
    answered = run("compare", runs_of_two)
    assert "so this is the answer of: bestby facets" in answered.stderr
    assert answered.stdout.startswith("For other prompts")
    for options in (["--n", "50"], ["--runs", "5", "--power", ".8"]):
        refused = run("plan", runs_of_two, *options)
        assert refused.returncode == 2
        assert "bestby facets" in refused.stderr.splitlines()[1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--facets", "pompt"], "no column 'pompt'"),
        (["--fixed", "rater"], "no facet 'rater'"),
        (["--nested", "seed"], "hint: --nested 'seed in prompt'"),
        (["--study", "prompt"], "--study must be facets with numbers"),
        (["--study", "prompt=" + "9" * 400], "the number of prompts must be below 2**63"),
        (["--study", "prompt=1"], "one prompt cannot show"),
        (["--study", "prompt=2.5"], "--study must be facets with numbers"),
        (["--study", "prompt=6,prompt=9"], "--study must be facets with numbers, each facet once"),
        (["--budget", "9", "--cost", "prompt=6", "--cost", "prompt=9"], "--cost must be facets with numbers"),
        (["--budget", "30"], "--budget and --cost go together"),
        (["--budget", "30", "--cost", "prompt"], "--cost must be facets with numbers"),
        (["--budget", "30", "--cost", "pompt=2"], "costs names 'pompt', no facet"),
        (["--metric", "roc_auc", "--gold", "score"], "roc_auc is neither a mean"),
    ],
)
def test_wrong_options(runs_of_two: str, run: Run, options: list[str], message: str) -> None:
    done = run("facets", runs_of_two, *options)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 2


def test_a_study_that_was_asked_for_is_in_the_short_form(run: Run, runs_of_two: str) -> None:
    assert "With 9 prompts" in run("facets", runs_of_two, "--study", "prompt=9", "--brief").stdout
    assert "prompts: ±" not in run("facets", runs_of_two, "--brief").stdout
