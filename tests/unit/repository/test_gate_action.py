"""The steps of the GitHub action, and the job of the guide for GitLab, end with the status of the gate."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[3]
ACTION = ROOT / "action.yml"
GUIDE = ROOT / "docs" / "guides" / "gate.md"

pytestmark = [
    pytest.mark.skipif(not ACTION.is_file(), reason="action.yml is not beside the tests"),
    pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell"),
]

GITHUB_SHELL = ["bash", "--noprofile", "--norc", "-eo", "pipefail"]
"""How GitHub runs a step whose shell is bash."""

OUTCOMES = [("same", 0), ("worse", 1), ("close", 3), ("absent", 2)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write predictions, and commands: bestby runs this package, and python notes what pip should install."""
    gold = ["xyz"[place % 3] for place in range(200)]
    wrong = {"main": range(40), "same": range(40), "worse": range(80), "close": range(3, 45)}
    _write(tmp_path / "gold.csv", "gold", gold)
    for name, places in wrong.items():
        values = ["xyz"[(place + (place in places)) % 3] for place in range(200)]
        _write(tmp_path / f"{name}.csv", "prediction", values)
    commands = tmp_path / "bin"
    commands.mkdir()
    _command(commands / "bestby", f'exec "{sys.executable}" -m bestby "$@"')
    _command(commands / "python", 'echo "$@" >> "$INSTALLED"')
    return tmp_path


def _write(path: Path, column: str, values: list[str]) -> None:
    lines = [f"item,{column}", *(f"q{place},{value}" for place, value in enumerate(values))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _command(path: Path, line: str) -> None:
    path.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
    path.chmod(0o755)


GH = """
import json, os, pathlib, sys
store = pathlib.Path(os.environ["COMMENTS"])
comments = json.loads(store.read_text()) if store.is_file() else []
words = sys.argv[2:]
if "--jq" in words:
    assert words[-1].count("env.MARK") == 1
    of_bots = [one for one in comments if one["user"] == "Bot" and one["body"].startswith(os.environ["MARK"])]
    print(*[one["id"] for one in of_bots], sep="\\n", end="")
else:
    body = pathlib.Path(words[-1].removeprefix("body=@")).read_text(encoding="utf-8")
    if words[1] == "PATCH":
        (found,) = [one for one in comments if str(one["id"]) == words[2].rpartition("/")[2]]
        found["body"] = body
    else:
        assert words[1:3] == ["POST", "repos/o/r/issues/7/comments"]
        comments.append({"id": 40 + len(comments), "user": "Bot", "body": body})
    store.write_text(json.dumps(comments))
"""
"""A stand-in for the command of GitHub: it keeps the comments of one pull request in a file."""


def run_script(shell: list[str], script: str, folder: Path, **variables: str) -> int:
    """Run a script as a pipeline does, and return its exit status."""
    path = folder / "step.sh"
    path.write_text(script, encoding="utf-8")
    places = {"GITHUB_STEP_SUMMARY": str(folder / "summary.md"), "GITHUB_OUTPUT": str(folder / "outputs")}
    env = os.environ | {"PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"} | places | variables
    env |= {"INSTALLED": str(folder / "installed"), "RUNNER_TEMP": str(folder)}
    return subprocess.run(
        [*shell, str(path)], cwd=folder, env=env, check=False, capture_output=True
    ).returncode


def steps() -> dict[str, Any]:
    return {
        step["name"]: step for step in yaml.safe_load(ACTION.read_text(encoding="utf-8"))["runs"]["steps"]
    }


def inputs(step: dict[str, Any], given: dict[str, str]) -> dict[str, str]:
    """Return the environment of a step: inputs reach the shell as variables only."""
    found = {}
    for variable, expression in step["env"].items():
        (name, default) = re.fullmatch(r"\$\{\{ inputs\.(\w+)(?: \|\| ([\w.]+))? \}\}", expression).groups()  # type: ignore[union-attr]
        found[variable] = given.get(name) or default or ""
    return found


@pytest.mark.parametrize(("candidate", "status"), OUTCOMES)
def test_the_step_of_the_action_ends_with_the_status_of_the_gate(
    folder: Path, candidate: str, status: int
) -> None:
    step = steps()["Gate"]
    given = {
        "files": f"main.csv\n{candidate}.csv\n",
        "options": "--gold=gold.csv\n--margin=0.02\n--junit=a file.xml\n",
    }
    assert step["shell"] == "bash"
    assert run_script(GITHUB_SHELL, step["run"], folder, **inputs(step, given)) == status
    outputs = (folder / "outputs").read_text(encoding="utf-8").splitlines()
    if status == 2:
        assert outputs == []
    else:
        assert f"status={status}" in outputs
        assert (folder / "a file.xml").is_file()
        assert (folder / "summary.md").read_text(encoding="utf-8").startswith("**")


def test_settings_are_enough_for_the_action(folder: Path) -> None:
    (folder / "bestby.toml").write_text('files = ["main.csv", "worse.csv"]\ngold = "gold.csv"\n', "utf-8")
    step = steps()["Gate"]
    assert run_script(GITHUB_SHELL, step["run"], folder, **inputs(step, {})) == 1


def test_a_file_is_no_option(folder: Path) -> None:
    step = steps()["Gate"]
    given = {"files": "main.csv\nworse.csv\n--inconclusive=pass", "options": "--gold=gold.csv\n--margin=0.02"}
    (folder / "--inconclusive=pass").write_bytes((folder / "worse.csv").read_bytes())
    assert run_script(GITHUB_SHELL, step["run"], folder, **inputs(step, given)) == 2  # three systems


def test_an_input_is_no_code(folder: Path) -> None:
    step = steps()["Gate"]
    given = {"files": 'main.csv\n$(touch hacked)\n"; touch hacked; "', "options": "`touch hacked`"}
    assert run_script(GITHUB_SHELL, step["run"], folder, **inputs(step, given)) == 2
    assert not (folder / "hacked").exists()
    for one in steps().values():
        assert "${{" not in one["run"]


def test_every_run_writes_one_comment_anew(folder: Path) -> None:
    (folder / "gh.py").write_text(GH, encoding="utf-8")
    _command(folder / "bin" / "gh", f'exec "{sys.executable}" "{folder / "gh.py"}" "$@"')
    store = folder / "comments.json"
    mine = {"id": 1, "user": "User", "body": "<!-- bestby gate: de --> mine"}
    store.write_text(json.dumps([mine]), encoding="utf-8")
    on = {"GITHUB_REPOSITORY": "o/r", "BESTBY_PULL_REQUEST": "7", "COMMENTS": str(store)}
    gate, comment = steps()["Gate"], steps()["Comment"]
    runs = [("de", "worse"), ("de", "same"), ("all", "close"), ("de", "absent")]
    firsts = []
    for name, candidate in runs:
        given = {"files": f"main.csv\n{candidate}.csv", "options": "--gold=gold.csv\n--margin=0.02"}
        run_script(GITHUB_SHELL, gate["run"], folder, **inputs(gate, given | {"comment": name}))
        assert run_script(GITHUB_SHELL, comment["run"], folder, BESTBY_COMMENT=name, **on) == 0
        comments = json.loads(store.read_text(encoding="utf-8"))
        (body,) = [one["body"] for one in comments[1:] if f"gate: {name} -->" in one["body"]]
        firsts.append(body.splitlines()[1])
    assert comments[0] == mine
    assert len(comments) == 3
    assert firsts == [
        "🔴 **fail** · worse against main, 200 items",
        "🟢 **pass** · same against main, 200 items",
        "🟡 **inconclusive** · close against main, 200 items",
        "⚪ **no result** · the log of the job says why",
    ]
    assert "always()" in comment["if"]
    assert comment["continue-on-error"] is True


def test_the_action_installs_itself_unless_told_otherwise(folder: Path) -> None:
    step = steps()["Install bestby"]
    for given, package in (({}, "github.action_path"), ({"package": "bestby==1"}, "bestby==1")):
        assert run_script(GITHUB_SHELL, step["run"], folder, **inputs(step, given)) == 0
        assert (folder / "installed").read_text(encoding="utf-8").splitlines()[-1].endswith(f" {package}")


def blocks(language: str) -> list[Any]:
    """Return the blocks of the guide in YAML, read."""
    return re.findall(rf"```{language}\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize(("candidate", "status"), OUTCOMES)
def test_the_job_for_gitlab_ends_with_the_status_of_the_gate(
    folder: Path, candidate: str, status: int
) -> None:
    (job,) = [read["gate"] for read in map(yaml.safe_load, blocks("yaml")) if "gate" in read]
    assert job["allow_failure"] == {"exit_codes": 3}
    script = "\n".join(job["script"])
    assert "new.csv" in script
    script = script.replace("new.csv", f"{candidate}.csv").replace("0.01 ", "0.02 ")
    assert run_script(["sh", "-e"], script, folder) == status
    if status != 2:
        assert (folder / job["artifacts"]["reports"]["junit"]).is_file()


def test_the_workflow_of_the_guide_gives_what_the_action_takes() -> None:
    (workflow,) = [read for read in map(yaml.safe_load, blocks("yaml")) if "jobs" in read]
    used = workflow["jobs"]["gate"]["steps"][-1]
    action = yaml.safe_load(ACTION.read_text(encoding="utf-8"))
    assert set(used["with"]) <= set(action["inputs"])
    outputs = set(
        re.findall(r"outputs `(\w+)`,\s`(\w+)`\sand\s`(\w+)`", GUIDE.read_text(encoding="utf-8"))[0]
    )
    assert outputs == set(action["outputs"])


def test_no_step_pipes_the_gate_into_another_command() -> None:
    scripts = [steps()["Gate"]["run"]]
    scripts += [line for block in blocks("yaml") for line in block.splitlines() if "bestby gate" in line]
    for script in scripts:
        assert "|" not in script
    assert any("bestby gate" in script for script in scripts)
