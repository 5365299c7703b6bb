"""From an evaluation by Inspect itself, with its mock model, to the words of a gate."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from tests.cli.helpers import environment, run_in

pytestmark = pytest.mark.check

ROOT = Path(__file__).parents[2]
TASKS = '''
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import match


def made(name, right):
    """Return a task of 100 questions, of which the mock model answers so many rightly."""

    def answer(messages, tools, tool_choice, config):
        text = "yes" if int(messages[-1].text.split()[-1]) < right else "no"
        output = ModelOutput.from_content("mockllm/model", text)
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    samples = [Sample(id=i, input=f"question {i}", target="yes") for i in range(100)]
    model = get_model("mockllm/model", custom_outputs=answer)
    return Task(name=name, dataset=samples, model=model, scorer=match())


@task
def qa(right=80):
    return made("qa", right)


@task
def nli(right=80):
    return made("nli", right)


@task
def broken():
    def answer(messages, tools, tool_choice, config):
        raise ValueError("the model is not there")

    model = get_model("mockllm/model", custom_outputs=answer)
    return Task(name="qa", dataset=[Sample(id=0, input="q", target="yes")], model=model, scorer=match())
'''


SCRIPT = """
import os
from inspect_ai import eval, eval_set
from tasks import broken, nli, qa

def evaluate(name, gate, tasks, log_dir):
    print(f"##### {name}", flush=True)
    os.environ["BESTBY_GATE"] = gate
    eval(tasks, log_dir=log_dir, display="plain")

for name, right in (("pass", 82), ("open", 78), ("fail", 60)):
    evaluate(name, "main --margin 0.05", qa(right), name)
evaluate("nowhere", "nowhere", qa(), "other")
evaluate("unbalanced", "'main", qa(), "other")
evaluate("broken", "main", broken(), "broken")
print("##### set", flush=True)
os.environ["BESTBY_GATE"] = "main_set --margin 0.3"
eval_set([qa(), nli()], log_dir="main_set", display="plain")
eval_set([qa(95), nli(65)], log_dir="new_set", display="plain")
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the tasks, and the entry points of the project as an installed package has them."""
    pytest.importorskip("inspect_ai", reason="Inspect is not installed")
    place = tmp_path_factory.mktemp("inspect")
    (place / "tasks.py").write_text(TASKS, encoding="utf-8")
    (place / "script.py").write_text(SCRIPT, encoding="utf-8")
    with (ROOT / "pyproject.toml").open("rb") as stream:
        declared = tomllib.load(stream)["project"]["entry-points"]["inspect_ai"]
    info = place / "site" / "bestby_declared-0.dist-info"
    info.mkdir(parents=True)
    lines = [f"{name} = {module}" for name, module in declared.items()]
    (info / "entry_points.txt").write_text("\n".join(["[inspect_ai]", *lines]) + "\n", encoding="utf-8")
    text = "Metadata-Version: 2.1\nName: bestby-declared\nVersion: 0\n"
    (info / "METADATA").write_text(text, encoding="utf-8")
    return place


def run_python(folder: Path, *arguments: str, gate: str = "") -> str:
    """Run Python in the folder, which must succeed, and return all that it printed."""
    paths = [str(folder / "site"), str(ROOT / "src")]
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment(PYTHONPATH=os.pathsep.join(paths), BESTBY_GATE=gate),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def printed(folder: Path) -> dict[str, str]:
    """Evaluate the baseline by the command, then candidates in one process, and return what was printed."""
    command = ("-m", "inspect_ai", "eval", "tasks.py@qa", "--log-dir", "main", "--display", "plain")
    parts = {"unasked": run_python(folder, *command)}
    for part in run_python(folder, "script.py", gate="main").split("##### ")[1:]:
        name, _, text = part.partition("\n")
        parts[name] = text
    return parts


def test_nothing_is_said_unasked(printed: dict[str, str], folder: Path) -> None:
    assert "hooks enabled" not in printed["unasked"]
    assert "bestby" not in printed["unasked"].replace(str(folder), "")


@pytest.mark.parametrize(
    ("name", "word", "status"), [("pass", "Pass", 0), ("open", "Inconclusive", 3), ("fail", "Fail", 1)]
)
def test_an_evaluation_ends_with_its_gate(
    printed: dict[str, str], folder: Path, name: str, word: str, status: int
) -> None:
    assert "\nbestby gate main --margin 0.05 " in printed[name]
    assert f"\n{word}: " in printed[name]
    done = run_in(folder)("gate", "main", name, "--margin", "0.05")
    assert (done.returncode, done.stdout.partition(":")[0]) == (status, word)


def test_what_is_wrong_is_printed_and_breaks_nothing(printed: dict[str, str], folder: Path) -> None:
    assert "InvalidInputError: no file 'nowhere'" in printed["nowhere"]
    assert "\nbestby: no gate: No closing quotation\n" in printed["unbalanced"]
    assert "\nbestby: no gate, because the evaluation of qa did not succeed\n" in printed["broken"]
    assert run_in(folder)("gate", "main", "broken").returncode == 2


def test_each_task_of_an_evaluation_set_is_a_check(printed: dict[str, str]) -> None:
    assert printed["set"].count("\nbestby gate ") == 2  # of the baseline itself, too
    text = printed["set"].rpartition("\nbestby gate ")[2]
    assert "\nPass: 2 of 2 checks pass.\n" in text
    assert "\nChecks in match of the candidate new_set against the baseline main_set\n" in text


def test_a_stored_baseline(printed: dict[str, str], folder: Path) -> None:
    assert printed
    run = run_in(folder)
    assert run("gate", "--save", "set.bestby.json", "main_set").returncode == 0
    text = 'baseline_file = "set.bestby.json"\nmargins = 0.2\npool = true\n'
    (folder / "pooled.toml").write_text(text, encoding="utf-8")
    done = run("gate", "--settings", "pooled.toml", "new_set")
    assert done.returncode == 0
    assert done.stdout.startswith(
        "Pass: mockllm/model is not worse than mockllm/model (stored) in match by as"
    )
    done = run("gate", "--baseline-file", "set.bestby.json", "new_set")
    first = (
        "Fail: match (nli) fails; no loss detected (no margin given: this is an alarm, not a proof) in 1 of 2"
    )
    assert (done.returncode, done.stdout.partition("\n")[0]) == (1, first)


def test_the_module_is_light(tmp_path: Path) -> None:
    code = (
        "import sys, bestby.questions.gate.inspect_hook;"
        " print({'inspect_ai', 'numpy', 'typer'} & {*sys.modules})"
    )
    assert run_python(tmp_path, "-c", code) == "set()\n"
