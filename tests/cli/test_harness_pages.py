"""The commands on the page of each evaluation tool work on files of that tool.

A sample lies under the names that the page uses; where a page shows what a command prints, `test_guides` says
that it prints it.
"""

from __future__ import annotations

import glob
import json
import re
import shlex
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import polars as pl
import pytest
from tests.cli.helpers import run_in
from tests.unit.readers.formats.log_files import alpaca, mteb
from tests.unit.readers.formats.test_judged_pairs import arena_hard, mt_bench

ROOT = Path(__file__).resolve().parents[2]
LOGS = ROOT / "examples" / "logs"
SAMPLES = ROOT / "tests" / "unit" / "readers" / "formats" / "samples"
PAGES = [*sorted((ROOT / "docs" / "harnesses").glob("*.md")), ROOT / "docs" / "guides" / "evaluation-logs.md"]
pytestmark = pytest.mark.skipif(
    not PAGES[-1].is_file() or not LOGS.is_dir(), reason="docs/ and examples/ are not beside the tests"
)

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)

Content = str | Path | Callable[[Path], object]
"""A text, a file or folder to copy, or what writes the file."""


def renamed(path: Path, old: str, new: str) -> str:
    """Return the text of a sample in which a score is called as on the page."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    return text.replace(old, new)


def both(folder: str, names: tuple[str, str], old: str, new: str) -> dict[str, Content]:
    """Return the two samples of a tool under the names of a page, with a score called as there."""
    files = sorted(path for path in (SAMPLES / folder).glob("toy-*"))
    return {name: renamed(path, old, new) for name, path in zip(names, files, strict=True)}


def of_examples(folder: str, *names: str) -> dict[str, Content]:
    """Return the two logs of `examples/logs` under the names of a page."""
    return dict(zip(names, sorted((LOGS / folder).iterdir()), strict=True))


def details(model: str, metrics: tuple[str, str], task: str) -> Callable[[Path], object]:
    """Return what writes the details of a model on a task whose metrics are called so."""
    (path,) = (SAMPLES / "lighteval" / "details" / model).rglob("*.parquet")
    frame = pl.read_parquet(path).with_columns(
        pl.col("metric").struct.rename_fields([*metrics]),
        pl.col("doc").struct.with_fields(pl.lit(f"{task}|0").alias("task_name")),
    )
    return frame.write_parquet


def by_date(root: str, tasks: Mapping[str, tuple[str, str]]) -> dict[str, Content]:
    """Return the folders that lighteval writes for two models."""
    return {
        f"{root}/details/ORG/{name}/2026/details_{task}|0_2026.parquet": details(model, metrics, task)
        for name, model in (("A", "toy-1"), ("B", "toy-2"))
        for task, metrics in tasks.items()
    }


def verdicts(*records: object) -> str:
    """Return lines of verdicts, in which the answers of a system are of different lengths."""
    texts = [json.dumps(record) for record in records]
    for place, text in enumerate(texts):
        first = re.sub(r"\\n(base|one)\\n", rf"\\n\1{'.' * place}\\n", text)
        texts[place] = re.sub(r"\\n(a longer one|other)\\n", rf"\\n\1{'.' * place * place}\\n", first)
    return "".join(f"{text}\n" for text in texts)


def search(*scores: str) -> str:
    """Return what a search by scikit-learn over one parameter found, as a table."""
    header = [f"split{fold}_test_{score}" for score in scores for fold in range(5)]
    rows = [f"{{'C': {c}}}," + ",".join(f"0.{c + 5 * i + 41}" for i, _ in enumerate(header)) for c in (1, 10)]
    return "\n".join([",".join(["params", *header]), *rows]) + "\n"


def annotations(model: str, *preferences: float) -> str:
    return json.dumps(alpaca(preferences, second=model))


FILES: dict[str, dict[str, Content]] = {
    "alpacaeval": {
        "model_a/annotations.json": annotations("a", 1, 2, 2, 1.5),
        "model_b/annotations.json": annotations("b", 2, 2, 1, 1),
        "results/a/annotations.json": annotations("a", 1, 2, 2, 1.5),
        "results/b/annotations.json": annotations("b", 2, 2, 1, 1),
    },
    "arena-hard": {
        "data/arena-hard-v2.0/model_judgment/gpt-4.1/new.jsonl": verdicts(
            *(
                arena_hard("new", scores, uid=f"q{place}", baseline="old")
                for place, scores in enumerate(
                    [("A>B", "A<B"), ("A=B", "A>>B"), ("B>A", "A>B"), ("A<B", "B>A")]
                )
            )
        ),
        "data/mt_bench/model_judgment/gpt-4_pair.jsonl": verdicts(
            *(
                mt_bench(place, winners)
                for place, winners in enumerate(
                    [("model_1", "model_2"), ("tie", "model_2"), ("model_2", "tie")]
                )
            )
        ),
    },
    "bfcl": {
        "score/A": SAMPLES / "bfcl" / "toy-1",
        "score/B": SAMPLES / "bfcl" / "toy-2",
    },
    "braintrust": both("braintrust", ("old.json", "new.json"), '"right"', '"correct"'),
    "deepeval": {
        f"runs/{name}/RUN.json": renamed(LOGS / "deepeval" / f"{model}.json", "Exact Match", "Faithfulness")
        for name, model in (("a", "nb_13"), ("b", "svm_14"))
    },
    "humaneval": {
        **{
            f"{name}/samples.jsonl_results.jsonl": (SAMPLES / "human_eval" / f"{toy}.jsonl").read_text() * 5
            for name, toy in (("a", "toy-1"), ("b", "toy-2"))
        },
        "a/samples_eval_results.json": SAMPLES / "evalplus" / "toy-1.json",
        "b/samples_eval_results.json": SAMPLES / "evalplus" / "toy-2.json",
    },
    "inspect": {
        "logs/a/log.eval": LOGS / "nb_13.eval",
        "logs/b/log.eval": LOGS / "svm_14.eval",
        "logs/main/log.eval": LOGS / "nb_13.eval",
        "logs/new/log.eval": LOGS / "svm_14.eval",
    },
    "langfuse": {
        "runs.jsonl": SAMPLES / "langfuse" / "experiment_items.jsonl",
        "1795458000000-lf-traces-export-PROJECT.csv": SAMPLES / "langfuse" / "traces.csv",
        "a.json": SAMPLES / "langfuse" / "python_5_a.json",
        "b.json": SAMPLES / "langfuse" / "python_5_b.json",
        "run_a.json": SAMPLES / "langfuse" / "runs" / "system-a.json",
        "run_b.json": SAMPLES / "langfuse" / "runs" / "system-b.json",
        "scores.csv": SAMPLES / "langfuse" / "runs" / "scores.csv",
    },
    "lighteval": by_date("out", {"gsm8k": ("extractive_match", "f1")})
    | by_date("all", {"arc": ("em", "f1"), "boolq": ("em", "f1"), "piqa": ("em", "f1")}),
    "lm-evaluation-harness": of_examples("harness", "logs/MODEL_A", "logs/MODEL_B")
    | of_examples("harness", "main", "new"),
    "evaluation-logs": {
        name: f"dataset.question,dataset.answer,output,correct\n1,x,x,{first}\n2,y,x,0\n3,z,z,1\n4,x,x,1\n"
        for name, first in (("old.csv", 0), ("new.csv", 1))
    },
    "mteb": {
        f"results/{model}/REVISION/{task}.json": json.dumps(mteb(task, {"default": score + place / 50}))
        for model, score in (("MODEL_A", 0.5), ("MODEL_B", 0.6))
        for place, task in enumerate(["Banking77", "STS12", "SciFact", "TRECCOVID"])
    },
    "openai-evals": of_examples("openai_evals", "a.jsonl", "b.jsonl"),
    "phoenix": both("phoenix", ("old.json", "new.json"), '"right"', '"correct"'),
    "promptfoo": {"results.json": LOGS / "promptfoo.json"},
    "pydantic-evals": both("pydantic_evals", ("old.json", "new.json"), '"right"', '"EqualsExpected"'),
    "ragas": both("ragas", ("old.csv", "new.csv"), "exact_match", "faithfulness"),
    "scikit-learn": {"search.csv": search("score"), "scores.csv": search("accuracy", "f1_macro")},
    "swe-bench": {
        **of_examples("resolved", "a.json", "b.json"),
        "verified_ids.txt": "\n".join(
            json.loads((LOGS / "resolved" / "nb_13.json").read_text())["submitted_ids"]
        ),
    },
    "tau-bench": of_examples("tau", "results/FILE_A.json", "results/FILE_B.json"),
}
"""What the commands on a page read, by the names it uses."""

WITHOUT = {
    "helm": "all its commands show what they print",
    "langsmith": "all its commands show what they print",
    "mlflow-wandb": "all its commands show what they print",
}
"""Pages that have no other commands than those that `test_guides` runs."""


def commands(page: Path) -> list[list[str]]:
    """Return the commands of bestby on a page, apart from those whose output it shows."""
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    joined = "\n".join(block for kind, block in blocks if kind in ("", "text")).replace("\\\n", " ")
    parts = [part.strip() for line in joined.split("\n") for part in line.split("&&")]
    return [shlex.split(part) for part in parts if part.startswith("bestby ")]


def expanded(words: list[str], folder: Path) -> list[str]:
    """Return the words of a command as a shell gives them, with the files that patterns stand for."""
    found = [
        sorted(glob.glob(word, root_dir=folder))  # noqa: PTH207 - relative to the folder
        if "*" in word
        else []
        for word in words
    ]
    return [name for word, names in zip(words, found, strict=True) for name in names or [word]]


def test_every_page_is_run_or_says_why_not() -> None:
    assert {page.stem for page in PAGES} == {*FILES, *WITHOUT}
    assert {page.stem for page in PAGES if not commands(page)} == {*WITHOUT}


@pytest.mark.parametrize("page", [page for page in PAGES if page.stem in FILES], ids=lambda page: page.stem)
def test_the_commands_of_a_page_work(page: Path, tmp_path: Path) -> None:
    for name, content in FILES[page.stem].items():
        place = tmp_path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str):
            place.write_text(content, encoding="utf-8")
        elif not isinstance(content, Path):
            content(place)
        elif content.is_dir():
            shutil.copytree(content, place)
        else:
            shutil.copy(content, place)
    for _, *words in commands(page):
        done = run_in(tmp_path)(*expanded(words, tmp_path))
        # A gate tells by its status: it passes, fails (1) or is inconclusive (3)
        allowed = (0, 1, 3) if words[0] == "gate" else (0,)
        assert done.returncode in allowed, (words, done.stderr)
        if "--save" in words:
            assert done.stderr.startswith("stored the predictions of "), words
        else:
            assert done.stdout, words
            assert done.stderr == "", words
