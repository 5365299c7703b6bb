"""Write what the systems of `examples/langid` did as the logs that evaluation tools write.

Run it from anywhere: ``python examples/logs/make_data.py [FOLDER]``. It reads the predictions of
`examples/langid`, of classifiers trained five times each, scores them, and writes into the folder (this one,
if none is given), in the layout of each tool:

- ``harness/SYSTEM/samples_langid_DATE.jsonl`` and ``results_DATE.json`` (lm-evaluation-harness), run 0;
- ``SYSTEM.eval`` (Inspect), the five runs as epochs;
- ``helm/langid,model=SYSTEM/per_instance_stats.json`` (HELM), run 0;
- ``resolved/SYSTEM.json`` (SWE-bench), run 0, a name being resolved if its language was told;
- ``promptfoo.json`` (promptfoo), run 0 of all systems, each a provider;
- ``deepeval/SYSTEM.json`` (DeepEval), run 0;
- ``openai_evals/SYSTEM.jsonl`` (OpenAI evals), run 0;
- ``langsmith/SYSTEM.csv`` (LangSmith), run 0;
- ``langfuse.jsonl`` (Langfuse), run 0 of all systems, a page of items per line;
- ``tau/SYSTEM.json`` (tau-bench), the five runs as trials;
- ``scores.jsonl`` (plain JSON Lines), run 0 of all names, the territories in random order;
- ``wandb.csv`` and ``mlflow.csv``, the accuracies of all runs.

The other logs of items hold the first 20 territories, 200 names, so that they stay small. The same data give
the same files, byte for byte.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SYSTEMS = ("nb_13", "svm_14")
N_ITEMS = 200
N_RUNS = 5
DATE = "2026-01-01T00-00-00.000000"

Row = dict[str, str]


def read_rows(name: str) -> list[Row]:
    """Return a table of `examples/langid`."""
    with (HERE.parent / "langid" / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def predictions() -> dict[str, list[Row]]:
    """Return the rows of the first items by run."""
    rows = read_rows("predictions_all_runs.csv")
    names = {row["item"]: row["name"] for row in read_rows("predictions.csv")}
    kept = list(dict.fromkeys(row["item"] for row in rows))[:N_ITEMS]
    wanted = set(kept)
    by_run: dict[str, list[Row]] = {}
    for row in rows:
        if row["item"] in wanted:
            by_run.setdefault(row["run"], []).append({**row, "name": names[row["item"]]})
    return by_run


def write(path: Path, text: str) -> None:
    """Write a text file, with its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


def scores(path: Path) -> None:
    """Write a line for each name, with the scores of the systems; a territory is a cluster."""
    lines = []
    for row in sorted(
        read_rows("predictions.csv"), key=lambda row: hashlib.sha256(row["territory"].encode()).hexdigest()
    ):
        right = {system: int(row[system] == row["gold"]) for system in ("knn_3", *SYSTEMS)}
        lines.append(json.dumps({"item": row["item"], "cluster": row["territory"], **right}) + "\n")
    write(path, "".join(lines))


def harness(folder: Path, system: str, rows: list[Row]) -> None:
    """Write samples and results as lm-evaluation-harness does."""
    lines = []
    for place, row in enumerate(rows):
        document = {"name": row["name"], "territory": row["territory"], "language": row["gold"]}
        record = {
            "doc_id": place,
            "doc": document,
            "target": row["gold"],
            "arguments": {"gen_args_0": {"arg_0": f"The language of {row['name']}:"}},
            "resps": [[row[system]]],
            "filtered_resps": [row[system]],
            "filter": "none",
            "metrics": ["exact_match"],
            "doc_hash": hashlib.sha256(json.dumps(document).encode()).hexdigest(),
            "exact_match": float(row[system] == row["gold"]),
        }
        lines.append(json.dumps(record, ensure_ascii=False) + "\n")
    write(folder / f"samples_langid_{DATE}.jsonl", "".join(lines))
    score = sum(row[system] == row["gold"] for row in rows) / len(rows)
    results = {
        "results": {"langid": {"alias": "langid", "exact_match,none": score}},
        "higher_is_better": {"langid": {"exact_match": True}},
        "model_name": system,
    }
    write(folder / f"results_{DATE}.json", json.dumps(results, indent=2) + "\n")


def inspect(path: Path, system: str, by_run: dict[str, list[Row]]) -> None:
    """Write a log as Inspect does: a zip archive of the header and of the summaries of the samples."""
    samples = [
        {
            "id": row["item"],
            "epoch": int(run) + 1,
            "input": row["name"],
            "target": row["gold"],
            "scores": {"match": {"value": "C" if row[system] == row["gold"] else "I", "answer": row[system]}},
            "metadata": {"territory": row["territory"]},
        }
        for run, rows in by_run.items()
        for row in rows
    ]
    header = {
        "version": 2,
        "status": "success",
        "eval": {
            "created": "2026-01-01T00:00:00+00:00",
            "task": "langid",
            "dataset": {"name": "langid", "samples": N_ITEMS},
            "model": system,
            "config": {"epochs": N_RUNS},
        },
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:  # stored: no two packers pack alike
        for name, content in (("summaries.json", samples), ("header.json", header)):
            text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
            archive.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), text.encode("utf-8"))
    path.write_bytes(packed.getvalue())


def helm(path: Path, system: str, rows: list[Row]) -> None:
    """Write statistics per instance as HELM does."""
    instances = []
    for row in rows:
        right = int(row[system] == row["gold"])
        name = {"name": "exact_match", "split": "test"}
        stat = {"name": name, "count": 1, "sum": right, "min": right, "max": right, "mean": float(right)}
        instances.append({"instance_id": row["item"], "train_trial_index": 0, "stats": [stat]})
    write(path, "[" + ",\n".join(json.dumps(one) for one in instances) + "]\n")


def resolved(path: Path, system: str, rows: list[Row]) -> None:
    """Write a report as the harness of SWE-bench does; the number of an id is that of the language."""
    languages = sorted({row["gold"] for row in rows})
    ids = {row["item"]: f"{row['territory']}-{languages.index(row['gold'])}" for row in rows}
    right = [ids[row["item"]] for row in rows if row[system] == row["gold"]]
    report = {
        "total_instances": len(rows),
        "submitted_instances": len(rows),
        "resolved_instances": len(right),
        "submitted_ids": list(ids.values()),
        "incomplete_ids": [],
        "resolved_ids": right,
        "schema_version": 2,
    }
    write(path, json.dumps(report) + "\n")


def compact(value: object) -> str:
    """Return JSON without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def promptfoo(path: Path, rows: list[Row]) -> None:
    """Write results as promptfoo does: a record per test and provider."""
    label = "The language of {{name}}:"
    results = [
        {
            "gradingResult": {"pass": right, "score": int(right), "namedScores": {}},
            "namedScores": {},
            "prompt": {"raw": f"The language of {row['name']}:", "label": label},
            "promptIdx": column,
            "provider": {"id": system, "label": ""},
            "response": {"output": row[system]},
            "score": int(right),
            "success": right,
            "testCase": {"assert": [{"type": "equals", "value": row["gold"]}], "metadata": {}},
            "testIdx": place,
            "vars": {"name": row["name"], "territory": row["territory"]},
            "failureReason": int(not right),
        }
        for place, row in enumerate(rows)
        for column, system in enumerate(SYSTEMS)
        for right in (row[system] == row["gold"],)
    ]
    prompts = [{"raw": label, "label": label, "provider": system} for system in SYSTEMS]
    head = {"version": 3, "timestamp": "2026-01-01T00:00:00.000Z", "prompts": prompts}
    whole = {"evalId": "eval-abc-2026-01-01T00:00:00", "results": {**head, "results": results}}
    write(path, compact(whole) + "\n")


def deepeval(path: Path, system: str, rows: list[Row]) -> None:
    """Write a test run as DeepEval does."""
    cases = [
        {
            "name": f"test_case_{place}",
            "input": row["name"],
            "actualOutput": row[system],
            "expectedOutput": row["gold"],
            "success": right,
            "metricsData": [
                {"name": "Exact Match", "threshold": 0.5, "success": right, "score": float(right)},
            ],
            "order": place,
            "metadata": {"territory": row["territory"]},
        }
        for place, row in enumerate(rows)
        for right in (row[system] == row["gold"],)
    ]
    write(path, compact({"testCases": cases, "conversationalTestCases": [], "metricsScores": []}) + "\n")


def openai_evals(path: Path, system: str, rows: list[Row]) -> None:
    """Write a log as OpenAI evals does: the run, its report, then an event per line."""
    name = "langid.test.v1"
    spec = {"completion_fns": [system], "eval_name": name, "base_eval": "langid", "split": "test"}
    score = sum(row[system] == row["gold"] for row in rows) / len(rows)
    lines: list[object] = [{"spec": {**spec, "run_id": "R"}}, {"final_report": {"accuracy": score}}]
    for place, row in enumerate(rows):
        data = {"correct": row[system] == row["gold"], "expected": row["gold"], "picked": row[system]}
        event = {"run_id": "R", "event_id": place, "sample_id": f"langid.test.{place}", "type": "match"}
        lines.append({**event, "data": data})
    write(path, "".join(f"{json.dumps(line)}\n" for line in lines))


def langsmith(path: Path, system: str, rows: list[Row]) -> None:
    """Write an experiment as LangSmith does: the frame of its results as CSV."""
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(
        [
            *("inputs.name", "outputs.language", "error", "reference.language", "feedback.correct"),
            *("execution_time", "example_id", "id"),
        ]
    )
    for row in rows:
        example = hashlib.sha256(row["item"].encode()).hexdigest()[:32]
        run = hashlib.sha256(f"{system} {row['item']}".encode()).hexdigest()[:32]
        right = row[system] == row["gold"]
        writer.writerow([row["name"], row[system], "", row["gold"], right, 0.001, example, run])
    write(path, table.getvalue())


def langfuse(path: Path, rows: list[Row]) -> None:
    """Write the items of experiments as the API of Langfuse answers: a page of 100 per line."""
    items = []
    for day, system in reversed([*enumerate(SYSTEMS, 1)]):  # the newest come first
        start = f"2026-01-0{day}T00:00:00.000Z"
        for row in reversed(rows):
            trace = hashlib.sha256(f"{system} {row['item']}".encode()).hexdigest()[:32]
            score = {
                "id": trace[16:],
                "name": "correct",
                "dataType": "BOOLEAN",
                "value": row[system] == row["gold"],
            }
            told = {"id": trace[:16], "traceId": trace, "startTime": start, "experimentId": f"run-{system}"}
            name = {
                "experimentName": system,
                "experimentItemId": row["item"],
                "experimentDatasetId": "langid",
            }
            shown = {"input": row["name"], "output": row[system], "expectedOutput": row["gold"]}
            groups = {"experimentItemMetadata": {"territory": row["territory"]}}
            items.append({**told, **name, **shown, **groups, "scores": [score]})
    pages = [items[first : first + 100] for first in range(0, len(items), 100)]
    lines = [
        compact({"data": page, "meta": {} if page is pages[-1] else {"cursor": page[-1]["id"]}})
        for page in pages
    ]
    write(path, "".join(f"{line}\n" for line in lines))


def tau(path: Path, system: str, by_run: dict[str, list[Row]]) -> None:
    """Write trajectories as tau-bench does, without their messages."""
    trajectories = []
    for run, rows in by_run.items():
        for place, row in enumerate(rows):
            task = {"user_id": row["territory"], "instruction": f"Ask for the language of {row['name']}."}
            reward = float(row[system] == row["gold"])
            trajectory = {"task_id": place, "reward": reward, "info": {"task": task}, "traj": []}
            trajectories.append(compact({**trajectory, "trial": int(run)}))
    write(path, "[" + ",\n".join(trajectories) + "]\n")


def experiments(folder: Path) -> None:
    """Write the runs as Weights & Biases and MLflow export them."""
    wandb = io.StringIO()
    writer = csv.writer(wandb, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(
        ["Name", "State", "User", "Created", "Runtime", "model", "seed", "test/accuracy", "test/f1_macro"]
    )
    mlflow = ["run_id,experiment_id,status,artifact_uri,metrics.accuracy,params.model,params.seed\n"]
    for row in read_rows("runs.csv"):
        system, run = row["system"], row["run"]
        name = f"{system}-{run}"
        scores = [row["accuracy"], row["f1_macro"]]
        writer.writerow([name, "finished", "demo", "2026-01-01T00:00:00.000Z", "1", system, run, *scores])
        identity = hashlib.sha256(name.encode()).hexdigest()[:32]
        mlflow.append(f"{identity},1,FINISHED,mlruns/1/{identity},{row['accuracy']},{system},{run}\n")
    write(folder / "wandb.csv", wandb.getvalue())
    write(folder / "mlflow.csv", "".join(mlflow))


def main(folder: Path) -> None:
    """Write all logs into a folder."""
    by_run = predictions()
    for system in SYSTEMS:
        harness(folder / "harness" / system, system, by_run["0"])
        inspect(folder / f"{system}.eval", system, by_run)
        # HELM calls the folder after scenario and model; a colon cannot be in a name everywhere.
        helm(folder / "helm" / f"langid,model={system}" / "per_instance_stats.json", system, by_run["0"])
        resolved(folder / "resolved" / f"{system}.json", system, by_run["0"])
        deepeval(folder / "deepeval" / f"{system}.json", system, by_run["0"])
        openai_evals(folder / "openai_evals" / f"{system}.jsonl", system, by_run["0"])
        langsmith(folder / "langsmith" / f"{system}.csv", system, by_run["0"])
        tau(folder / "tau" / f"{system}.json", system, by_run)
    promptfoo(folder / "promptfoo.json", by_run["0"])
    langfuse(folder / "langfuse.jsonl", by_run["0"])
    experiments(folder)
    scores(folder / "scores.jsonl")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
