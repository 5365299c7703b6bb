"""`bestby preferences` as a process."""

# ruff: noqa: E501 - rows of tables
from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest
from tests.cli.helpers import Run, check_refused


@pytest.fixture
def judged(tmp_path: Path) -> Path:
    """Return 60 prompts, each judged for every two of three systems, with ties."""
    chance = random.Random(8)
    lines = ["item,a,b,winner,topic"]
    lead = {"one": 0.8, "two": 0.3, "three": 0.0}
    for item in range(60):
        for a, b in (("one", "two"), ("three", "one"), ("two", "three")):
            gap = lead[a] - lead[b] + chance.gauss(0.0, 1.0)
            winner = "tie" if abs(gap) < 0.2 else "a" if gap > 0.0 else b
            lines.append(f"q{item},{a},{b},{winner},t{item // 2}")
    path = tmp_path / "judged.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def graded(tmp_path: Path) -> Path:
    chance = random.Random(9)
    lines = ["item,a,b,preference", *(f"q{i},new,old,{1.0 + chance.random() ** 2:.3f}" for i in range(50))]
    path = tmp_path / "graded.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_strengths(run: Run, judged: Path) -> None:
    done = run("preferences", judged)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("one has the highest strength, ")
    assert "over 180 judgements in 60 clusters" in done.stdout
    assert "judged.csv was read as judgements; systems: a and b; preferred: winner; item: item" in done.stdout
    assert "Wald test with robust standard errors, two-sided (asymptotic)" in " ".join(done.stdout.split())


def test_every_option_reaches_the_comparison(run: Run, judged: Path) -> None:
    done = run(
        "preferences", judged, "--cluster", "topic", "--baseline", "two", "--method", "davidson", "--scale", "elo",
        "--prior", "jeffreys", "--interval", "auto", "--level", "0.9", "--test", "wald", "--alternative",
        "greater", "--correction", "bh", "--resamples", "300", "--seed", "7", "--jobs", "2", "--json", "-",
        "--order", "no",
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    made = found["provenance"]
    assert made["settings"] == {
        "metrics": ["elo"], "ties": "davidson", "scale": "elo", "prior": "jeffreys", "interval": "auto",
        "level": 0.9, "test": "wald", "alternative": "greater", "correction": "bh", "margin": None,
        "baseline": "two", "order": False, "voter_weights": "votes",
    }  # fmt: skip
    assert (made["seed"], made["n_resamples"], found["n_clusters"]) == (7, 300, 30)
    assert [d["b"] for d in found["differences"]] == ["two", "two"]


def test_win_rates_with_every_option(run: Run, judged: Path) -> None:
    done = run(
        "preferences", judged, "--method", "win-rate", "--cluster", "topic", "--baseline", "two", "--interval",
        "percentile", "--level", "0.9", "--test", "bootstrap", "--alternative", "better", "--correction", "none",
        "--resamples", "300", "--seed", "7", "--on-missing", "drop", "--margin", "0.05", "--json", "-",
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    made = json.loads(done.stdout)["provenance"]
    expected = {
        "metrics": ["win_rate"],
        "interval": "percentile",
        "level": 0.9,
        "test": "bootstrap",
        "baseline": "two",
    }
    assert expected.items() <= made["settings"].items()
    assert (made["settings"]["alternative"], made["settings"]["margin"]) == ("better", 0.05)
    assert (made["data"]["items"], made["data"]["clusters"]) == (60, 30)


def test_a_margin_of_strengths(run: Run, judged: Path) -> None:
    done = run("preferences", judged, "--margin", "30", "--resamples", "100", "--json", "-")
    assert {d["verdict"] for d in json.loads(done.stdout)["differences"]} == {"equivalent"}


def test_the_prior_of_version_0_2_0(run: Run, judged: Path) -> None:
    refused = run("preferences", judged, "--prior", "1")
    assert refused.returncode == 2
    assert "hint: --prior jeffreys" in refused.stderr


def test_voters_style_and_two_columns_of_clusters(run: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    path, lines = tmp_path / "arena.csv", ["prompt,judge,a,b,winner,len_a,len_b"]
    for k in range(600):
        x, y = rng.permutation(["one", "two", "three"])[:2]
        length = rng.integers(50, 200, 2)
        winner = "a" if rng.random() < 1.0 / (1.0 + np.exp(-(length[0] - length[1]) / 60.0)) else "b"
        lines.append(f"p{k // 2},v{k % 40},{x},{y},{winner},{length[0]},{length[1]}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    options = ["--cluster", "prompt", "--cluster", "judge", "--voter", "judge", "--voter-weights", "shrunk"]
    done = run("preferences", path, *options, "--style", "len_a,len_b", "--json", "-")
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert found["provenance"]["data"]["clusters"] == [300, 40]
    assert found["order"]["status"] == "in the model"
    (length,) = found["covariates"]
    assert length["low"] > 0.0
    assert len(found["without_covariates"]) == 3
    by_stem = run("preferences", path, *options, "--style", "len", "--json", "-")
    assert json.loads(by_stem.stdout)["covariates"][0]["coefficient"] == length["coefficient"]
    for option in (["--style", "len"], ["--order", "no"], ["--prior", "jeffreys"]):
        refused = run("preferences", path, "--method", "win-rate", *option, "--item", "prompt")
        assert f"{option[0]} has no effect on --method win-rate" in refused.stderr


def test_better_is_stronger(run: Run, judged: Path) -> None:
    done = [
        run("preferences", judged, "--alternative", side, "--resamples", "100", "--csv", "-").stdout
        for side in ("better", "greater")
    ]
    assert done[0] == done[1] != ""


def test_two_systems_of_three(run: Run, judged: Path) -> None:
    done = run("preferences", judged, "--system", "one", "--system", "two", "--json", "-")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["n_judgements"] == 60
    assert found["differences"][0]["test"] == "permutation"


def test_graded_preferences_are_win_rates(run: Run, graded: Path) -> None:
    done = run("preferences", graded)
    assert (done.returncode, done.stderr) == (0, "")
    given = [float(line.split(",")[3]) for line in graded.read_text(encoding="utf-8").splitlines()[1:]]
    assert done.stdout.startswith(
        f"new has the highest win_rate, {2.0 - sum(given) / len(given):.3f}, over 50 items"
    )
    done = run("preferences", graded, "--method", "bradley-terry")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        f"InvalidInputError: strengths are made of wins, losses and ties, but a preference is graded (the first: {2.0 - given[0]:g})",
        "hint: compare the means of graded preferences: bestby preferences --method win-rate, or compare with them as the scores of items",
    ]


@pytest.mark.parametrize(
    ("arguments", "first", "second"),
    [
        (["nowhere.csv"], "InvalidInputError: no file 'nowhere.csv'", "hint: check the path"),
        (["judged.csv", "--winner", "best"], "judged.csv has no column 'best' (named as winner)", "hint: its columns are: item, a, b"),
        (["judged.csv", "--method", "elo"], "method must be one of", ""),
        (["judged.csv", "--order", "maybe"], "order must be one of auto, yes, no", "hint: "),
        (["judged.csv", "--interval", "bca"], "one kind, got 'bca'", "hint: leave --interval out"),
        (["judged.csv", "--on-missing", "drop"], "--on-missing has no effect on --method bradley-terry", "hint: leave --on-missing out"),
        (["judged.csv", "--method", "win-rate", "--scale", "elo"], "--scale has no effect on --method win-rate", "hint: leave --scale out"),
        (["judged.csv", "--baseline", "four"], "baseline 'four' is not among the systems", ""),
        (["judged.csv", "--plot-kind", "pie", "--plot", "-"], "InvalidInputError: --plot-kind must be one of", ""),
        (["none.csv"], "none.csv: no column is called winner or preference", "hint: name the column: --winner ..."),
        ([], "UsageError: Missing argument 'FILES'.", "hint: bestby preferences --help"),
    ],
)  # fmt: skip
def test_bad_input_is_two_lines_on_stderr(
    run: Run, judged: Path, tmp_path: Path, arguments: list[str], first: str, second: str
) -> None:
    (tmp_path / "none.csv").write_text("a,b\nx,y\n", encoding="utf-8")
    check_refused(run("preferences", *arguments), first, second)


def test_pairs_of_numbers_on_the_command_line(run: Run, tmp_path: Path) -> None:
    chance = random.Random(4)
    rows = [f"{s},p{i},10,{chance.randint(0, 10)}" for i in range(40) for s in ("x", "y")]
    (tmp_path / "samples.csv").write_text("\n".join(["system,item,n,c", *rows]) + "\n", encoding="utf-8")
    done = run("compare", "samples.csv", "--metric", "pass@1", "--metric", "pass@5", "--json", "-")
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert {d["metric"] for d in found["differences"]} == {"pass@1", "pass@5"}
    assert [note["code"] for note in found["notes"]].count("within_items") == 2
    named = run("compare", "samples.csv", "--value-column", "n,c", "--metric", "pass@1", "--json", "-")
    scores = [
        {x["system"]: x["score"] for x in made["systems"] if x["metric"] == "pass@1"}
        for made in (found, json.loads(named.stdout))
    ]
    assert scores[0] == pytest.approx(scores[1], abs=1e-12)


def test_win_rates_are_shown_in_percent_and_strengths_are_not(run: Run, tmp_path: Path) -> None:
    rows = [f"x,y,{'a' if i % 4 else 'b'},{i}" for i in range(40)]
    (tmp_path / "judged.csv").write_text("\n".join(["a,b,winner,item", *rows]))
    words = ("preferences", "judged.csv", "--percent", "--resamples", "99")
    done = run(*words, "--method", "win-rate")
    assert (done.returncode, done.stderr) == (0, "")
    assert "x has the highest win_rate (%), 75" in done.stdout
    done = run(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        "InvalidInputError: cannot show percent: strengths have no scale from 0 to 1",
        "hint: leave out --percent",
    ]
