"""Small logs, written as the tools write them."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from bestby._core.errors import BestbyError
from bestby.readers.formats.base import Format, Read


def lm_eval(
    scores: Sequence[Any],
    *,
    measure: str = "acc",
    filters: Sequence[str] = ("none",),
    asked: str = "question",
) -> str:
    """Return samples of the evaluation harness; a second filter has the scores of the first, reversed."""
    lines = []
    for name, values in zip(filters, (scores, scores[::-1]), strict=False):
        for place, value in enumerate(values):
            record = {
                "doc_id": place,
                "doc": {"question": f"{asked} {place}", "subject": "abc"[place % 3]},
                "target": "4",
                "arguments": {},
                "resps": [["4"]],
                "filtered_resps": ["4"],
                "filter": name,
                "metrics": [measure],
                "doc_hash": f"{zlib.crc32(f'{asked} {place}'.encode()):x}",
                measure: value,
            }
            lines.append(json.dumps(record) + "\n")
    return "\n".join(lines)


def results(task: str, model: str, **better: bool) -> str:
    """Return the results file beside the samples."""
    return json.dumps({"results": {}, "model_name": model, "higher_is_better": {task: better}, "config": {}})


def inspect_log(values: Sequence[Sequence[Any]], *, model: str = "m", task: str = "sums") -> dict[str, Any]:
    """Return a log of Inspect: a row of values per epoch."""
    samples = [
        {
            "id": f"q{place}",
            "epoch": epoch,
            "input": f"{place}+{place}",
            "target": "4",
            "scores": {"match": {"value": value}, "both": {"value": {"x": 1, "y": 0}}},
            "metadata": {"passage": f"p{place // 2}", "note": f"n{place}"},
        }
        for epoch, row in enumerate(values, 1)
        for place, value in enumerate(row)
    ]
    told = {"created": "2026-01-01T00:00:00+00:00", "task": task, "model": model, "dataset": {}, "config": {}}
    header = {"version": 2, "status": "success", "eval": told, "plan": {}, "results": {}, "stats": {}}
    return {**header, "samples": samples}


def zipped(path: Path, log: Mapping[str, Any], *, summaries: str = "whole", zstd: bool = False) -> Path:
    """Write a log as the archive that Inspect writes; `summaries` are "whole", in "pieces" or "none"."""
    samples = log["samples"]
    members = {"header.json": {key: value for key, value in log.items() if key != "samples"}}
    members |= {f"samples/{s['id']}_epoch_{s['epoch']}.json": s for s in samples}
    if summaries == "whole":
        members["summaries.json"] = samples
    elif summaries == "pieces":
        members |= {"_journal/summaries/1.json": samples[:1], "_journal/summaries/10.json": samples[2:]}
        members["_journal/summaries/2.json"] = samples[1:2]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            if zstd:
                _as_zstd(archive, name, json.dumps(content).encode())
            else:
                archive.writestr(name, json.dumps(content))
    return path


def _as_zstd(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    """Store bytes that are packed with zstd, and let the archive say so: zipfile cannot before 3.14."""
    zstandard = pytest.importorskip("zstandard")
    info = zipfile.ZipInfo(name)
    archive.writestr(info, zstandard.ZstdCompressor().compress(data), zipfile.ZIP_STORED)
    info.compress_type, info.file_size, info.CRC = 93, len(data), zlib.crc32(data)


def helm(scores: Sequence[float | None], *, measure: str = "exact_match", split: str = "test") -> list[Any]:
    """Return statistics per instance."""
    return [
        {
            "instance_id": f"id{place}",
            "train_trial_index": 0,
            "stats": [
                {"name": {"name": "num_references", "split": split}, "count": 1, "sum": 4, "mean": 4.0},
                {"name": {"name": measure, "split": split}, "count": 0, "sum": 0}
                if value is None
                else {"name": {"name": measure, "split": split}, "count": 1, "sum": value, "mean": value},
                {
                    "name": {"name": measure, "split": split, "perturbation": {"name": "typos"}},
                    "count": 1,
                    "sum": 9,
                    "mean": 9.0,
                },
            ],
        }
        for place, value in enumerate(scores)
    ]


def alpaca(preferences: Sequence[Any], first: str = "ref", second: str = "m") -> list[Any]:
    """Return annotations."""
    return [
        {
            "instruction": f"do {place}",
            "output_1": "x",
            "generator_1": first,
            "output_2": "y",
            "generator_2": second,
            "preference": value,
        }
        for place, value in enumerate(preferences)
    ]


def promptfoo(
    columns: Mapping[str, Sequence[Any]],
    *,
    repeat: int = 1,
    failed: Sequence[int] = (),
    asked: str = "riddle",
) -> dict[str, Any]:
    """Return results with the scores of each provider; tests that `failed` have errors of all providers."""
    results = [
        {
            "namedScores": {"tone": score / 2},
            "prompt": {"raw": f"Solve {asked} {place}", "label": "Solve {{riddle}}"},
            "promptIdx": column,
            "provider": {"id": provider, "label": ""},
            "score": score,
            "success": score == 1,
            "testCase": {
                "assert": [{"type": "cost", "threshold": 0.002}],
                "metadata": {"topic": "ab"[place % 2]},
            },
            "testIdx": place,
            "vars": {"riddle": f"{asked} {place % (len(scores) // repeat)}"},
            "failureReason": 2 if place in failed else int(score != 1),
        }
        for column, (provider, scores) in enumerate(columns.items())
        for place, score in enumerate(scores)
    ]
    # in the order in which they end
    summary = {"version": 3, "timestamp": "2026-01-01", "prompts": [], "results": results[::-1]}
    return {
        "evalId": "eval-abc",
        "results": summary,
        "config": {},
        "metadata": {"promptfooVersion": "0.118.10"},
    }


def deepeval(
    metrics: Mapping[str, Sequence[Any]], *, falling: Sequence[str] = (), asked: str = "question"
) -> dict[str, Any]:
    """Return a test run with the scores of each metric."""
    n_cases = len(next(iter(metrics.values())))
    cases = []
    for place in range(n_cases):
        listing = [
            {"name": name, "threshold": 0.5, "success": (scores[place] > 0.5) != (name in falling)}
            | {"score": scores[place], "reason": "so"}
            for name, scores in metrics.items()
        ]
        case = {"name": f"test_case_{place}", "input": f"{asked} {place}", "order": place}
        success = all(one["success"] for one in listing)
        cases.append(
            {**case, "success": success, "metricsData": listing, "metadata": {"topic": "ab"[place % 2]}}
        )
    return {"testCases": cases, "conversationalTestCases": [], "metricsScores": [], "runDuration": 1.0}


def openai_evals(
    correct: Sequence[bool | None], *, model: str = "gpt", name: str = "riddles.test.v1", metrics: Any = None
) -> str:
    """Return a log: a sampling and a match per sample, and the metrics of each; None was not scored."""
    spec = {"completion_fns": [model], "eval_name": name, "base_eval": "riddles", "split": "test"}
    lines: list[Any] = [{"spec": spec}, {"final_report": {"accuracy": 0.5}}]
    for place, right in reversed(list(enumerate(correct))):
        event = {"run_id": "R", "event_id": place, "sample_id": f"riddles.test.{place}"}
        lines.append({**event, "type": "sampling", "data": {"prompt": "?", "sampled": "!"}})
        if right is not None:
            lines.append(
                {**event, "type": "match", "data": {"correct": right, "expected": "!", "picked": None}}
            )
        if metrics is not None:
            lines.append({**event, "type": "metrics", "data": metrics[place]})
    return "".join(f"{json.dumps(line)}\n" for line in lines)


def tau_bench(trials: Sequence[Sequence[float]], *, asked: str = "Book flight") -> list[dict[str, Any]]:
    """Return trajectories: a row of rewards per trial."""
    return [
        {
            "task_id": place,
            "reward": reward,
            "info": {
                "task": {"user_id": f"user_{place // 2}", "actions": [], "instruction": f"{asked} {place}."}
            },
            "traj": [{"role": "user", "content": "hello"}],
            "trial": trial,
        }
        for trial, rewards in enumerate(trials)
        for place, reward in enumerate(rewards)
    ]


def mteb(task: str, scores: Mapping[str, float], *, split: str = "test") -> dict[str, Any]:
    """Return the results of a task by subset."""
    rows = [
        {"accuracy": score / 2, "hf_subset": subset, "languages": ["eng-Latn"], "main_score": score}
        for subset, score in scores.items()
    ]
    return {"dataset_revision": "r", "mteb_version": "2.4.2", "scores": {split: rows}, "task_name": task}


def langfuse_items(
    run: str, scores: Sequence[Any], *, name: str = "ok", times: int = 1, **more: Any
) -> list[Any]:
    """Return items of an experiment of Langfuse: the score of each, None for none."""
    return [
        {
            "id": f"{run}{again}{place}",
            "traceId": f"t-{run}{again}{place}",
            "experimentId": f"id of {run}",
            "experimentName": run,
            "experimentItemId": f"q{place}",
            "experimentDatasetId": "ds",
            "output": "x",
            "expectedOutput": "x" if place else "y",
            "experimentItemMetadata": {"topic": "ab"[place % 2]},
            "scores": [] if score is None else [{"name": name, "dataType": "NUMERIC", "value": score}],
            **more,
        }
        for again in range(times)
        for place, score in enumerate(scores)
    ]


def langfuse_page(rows: Sequence[Any], **meta: Any) -> str:
    """Return an answer of the API of Langfuse."""
    return json.dumps({"data": rows, "meta": meta})


def langfuse_run(name: str, n: int) -> dict[str, Any]:
    """Return a run of a dataset of Langfuse, whose items hold no scores."""
    link = {"datasetRunId": f"id of {name}", "datasetRunName": name}
    links = [{**link, "id": f"l{i}", "datasetItemId": f"q{i}", "traceId": f"{name}{i}"} for i in range(n)]
    return {"id": f"id of {name}", "name": name, "datasetId": "ds", "datasetRunItems": links}


def langfuse_scores(run: str, values: Sequence[Any], *, kind: str = "NUMERIC", name: str = "ok") -> list[Any]:
    """Return scores of traces, as the API of Langfuse (version 2) lists them."""
    return [
        {"id": f"{run}{i}", "traceId": f"{run}{i}", "source": "API", "name": name, "dataType": kind, **told}
        for i, value in enumerate(values)
        for told in [{"value": 0, "stringValue": value} if isinstance(value, str) else {"value": value}]
    ]


def scores_of(found: Read) -> dict[str, list[Any]]:
    """Return the values of the systems as lists."""
    assert found.evaluation is not None
    return {name: values.tolist() for name, values in found.evaluation.systems.items()}


def message(form: Format, paths: Mapping[str, Path], **arguments: Any) -> str:
    """Return the message of the error that reading ends with, without the folder of the files."""
    with pytest.raises(BestbyError) as caught:
        form.read(paths, **arguments)
    assert "\n" not in caught.value.message
    assert caught.value.hint is None or "\n" not in caught.value.hint
    return caught.value.message.replace(f"{next(iter(paths.values())).parent}/", "")
