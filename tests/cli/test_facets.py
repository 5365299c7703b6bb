"""`bestby facets`: tables, facets by name, designs, and errors as options."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from tests.cli.helpers import Run


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


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--facets", "pompt"], "no column 'pompt'"),
        (["--fixed", "rater"], "no facet 'rater'"),
        (["--nested", "seed"], "--nested says which facet lies in which"),
        (["--study", "prompt"], "--study must be facets with numbers"),
        (["--study", "prompt=1"], "one prompt cannot show"),
        (["--metric", "roc_auc", "--gold", "score"], "roc_auc is neither a mean"),
    ],
)
def test_wrong_options(runs_of_two: str, run: Run, options: list[str], message: str) -> None:
    done = run("facets", runs_of_two, *options)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 2
