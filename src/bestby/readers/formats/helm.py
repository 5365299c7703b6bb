"""Statistics per instance of HELM: a list of instances, each with the values of all its metrics."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from bestby._core.cached import cached_property
from bestby._core.errors import InvalidInputError
from bestby._core.paths import is_file
from bestby._core.typing import OnMissing
from bestby.data.roles import is_quantity, listed
from bestby.metrics.regression import Mean
from bestby.readers.formats._logs import (
    Log,
    chosen_by_task,
    datasets_of,
    gathered,
    in_words,
    mean_of_runs,
    named_apart,
    names_by_task,
    system_of,
)
from bestby.readers.formats.base import File, Read, check_available, files_of, refuse_gold
from bestby.readers.text import Record, check_new, document, number, records, word

_MAIN = (
    "exact_match",
    "quasi_exact_match",
    "prefix_exact_match",
    "f1_score",
    "rouge_2",
    "bleu_4",
    "math_equiv_chain_of_thought",
    "math_equiv",
    "final_number_exact_match",
    "code_eval_acc",
    "pass",
    "NDCG@10",
    "RR@10",
    "ifeval_strict_accuracy",
)
"""Metrics that are the main one of some scenario, by preference."""

SIBLINGS = (
    *("run_spec.json", "scenario.json", "scenario_state.json", "stats.json", "instances.json"),
    *("input_instances.json", "display_predictions.json", "display_requests.json", "run_specs.json"),
    *("runs.json", "runs_to_run_suites.json", "schema.json", "summary.json", "costs.json", "groups.json"),
    *("groups_metadata.json", "*_runner_spec.json", "queued_runs.json", "skipped_runs.json"),
    *("worker_slurm_jobs.json",),
)

_COSTS = re.compile(
    r"num_.*|training_.*|inference_.*|batch_size|finish_reason_.*|prompt_truncated|max_prob|logprob|.*_cost|"
    r".*runtime.*|estimated_.*"
)
_LOWER = re.compile(r"edit_distance|.*perplexity|toxic_.*|bias_.*|.*_error|ter|wer_score|cer_score")


@dataclass(frozen=True, eq=False)
class _Instances:
    """One file."""

    file: File
    model: str | None
    scenario: str | None
    rows: list[Record]
    splits: tuple[str, ...]

    @cached_property
    def metrics(self) -> dict[str, None]:
        """The names of the statistics, in order."""
        return {name: None for row in self.rows for name, _, _ in _stats(row)}

    @cached_property
    def quantities(self) -> dict[str, None]:
        """The names of the statistics that tell of time, money or tokens, where they were counted."""
        stats = (stat for row in self.rows for stat in _stats(row))
        return {name: None for name, _, value in stats if value is not None and is_quantity(name)}


def recognises(path: Path, head: bytes) -> bool:  # noqa: ARG001
    """Tell whether a file is a list of instances with their statistics."""
    start = re.match(rb'\s*\[\s*\{\s*"(instance_id|stats|train_trial_index|perturbation)"\s*:', head)
    return start is not None and b'"stats"' in head and b'"instance_id"' in head


def read(
    paths: Mapping[str, Path],
    *,
    gold: Path | None = None,
    on_missing: OnMissing = "error",
    value_column: str | Mapping[str, str] | None = None,
) -> Read:
    """Read the files ``per_instance_stats.json`` of two or more models.

    Model and scenario come from the file ``run_spec.json`` beside, or from the name of the folder. Perturbed
    instances are left out; train trials are runs. `value_column` is the metric, or that of each scenario,
    with or without the split (``exact_match,valid``); by default the first main one (`_MAIN`) on the split
    called test. It may be a quantity such as ``inference_runtime``.
    """
    refuse_gold(gold, "the statistics of HELM are scores and need no gold")
    runs = [_instances(file) for file in files_of(paths, recognises)]
    scenarios = datasets_of([run.scenario for run in runs], "instances")
    own = [system_of(run.file, run.model) for run in runs]
    names = named_apart(
        [*zip((run.file.name for run in runs), scenarios, own, strict=True)], [run.file.path for run in runs]
    )
    chosen = chosen_by_task(runs, scenarios, lambda run: run.metrics, _chosen, value_column, "metric")
    logs = [_log(*one, chosen[one[2]]) for one in zip(runs, names, scenarios, strict=True)]
    metrics = {scenario: one.metric for scenario, one in chosen.items()}
    description = f"statistics per instance of HELM; {in_words('metric', metrics.values())}"
    others = list(dict.fromkeys(name for one in chosen.values() for name in one.shared))
    others = [name for name in others if name not in metrics.values()]
    description += f" (also in the files: {listed(others)})" if others else ""
    splits = dict.fromkeys(name for run in runs for name in run.splits)
    if len(splits) > 1:
        taken = dict.fromkeys(str(one.split) for one in chosen.values())
        description += f"; split: {listed(list(taken))} of {listed(list(splits))}"
    taken = {name: None for run in runs for name in run.quantities}
    means = {
        scenario: Mean(metric, greater_is_better=_LOWER.fullmatch(metric) is None and metric not in taken)
        for scenario, metric in metrics.items()
    }
    names_of = names_by_task(runs, scenarios, lambda run: [*run.metrics])
    return gathered(logs, means, description, on_missing=on_missing, names=names_of, quantities=taken)


def _instances(file: File) -> _Instances:
    rows = [row for row in records(file.path) if row.data.get("perturbation") is None]
    if not rows:
        raise InvalidInputError(f"{file.path} has only perturbed instances, or none")
    spec = file.path.parent / "run_spec.json"
    run_spec = document(spec) if is_file(spec) else Record(str(spec), {})
    run = word(run_spec.data.get("name")) or file.path.parent.name
    model = re.search(r"(?:^|[:,])model=([^,]+)", run)
    scenario = re.sub(r"[:,]?model=[^,]+", "", run) if model else None
    splits = tuple(dict.fromkeys(split for row in rows for _, split, _ in _stats(row) if split is not None))
    name = word(run_spec.part("adapter_spec").get("model")) or (model[1] if model else None)
    return _Instances(file, name, scenario or None, rows, splits)


def _stats(row: Record) -> Iterator[tuple[str, str | None, float | None]]:
    """Return metric, split and value of the statistics of an instance that are not of perturbed copies."""
    stats = row.need("stats")
    if not isinstance(stats, list):
        raise InvalidInputError(f"{row.where}: 'stats' is not a list")
    for stat in stats:
        name = stat.get("name") if isinstance(stat, dict) else None
        metric = word(name.get("name")) if isinstance(name, dict) else None
        if metric is None or not isinstance(name, dict):
            raise InvalidInputError(f"{row.where}: a statistic has no name: {stat!r:.60}")
        if name.get("perturbation") is None:
            yield metric, word(name.get("split")), _value(stat)


def _value(stat: Mapping[str, Any]) -> float | None:
    """Return the mean of a statistic, None if nothing was counted."""
    if "mean" in stat:
        return number(stat["mean"])
    total, count = number(stat.get("sum")), number(stat.get("count"))
    return total / count if total is not None and count else None


class _Chosen(NamedTuple):
    """The metric of a scenario, its split if it has any, and the metrics that its files share."""

    metric: str
    split: str | None
    shared: list[str]


def _chosen(runs: Sequence[_Instances], wanted: str | None) -> _Chosen:
    """Return what is compared on a scenario."""
    metric, _, split = (part.strip() for part in (wanted or "").partition(","))
    for run in runs:
        if metric:
            check_available(metric, run.metrics, "metric", run.file.path)
        if split:
            check_available(split, run.splits, "split", run.file.path)
    shared = [name for name in runs[0].metrics if all(name in run.metrics for run in runs)]
    scores = [name for name in shared if _COSTS.fullmatch(name) is None]
    only = scores[0] if len(scores) == 1 else ""
    metric = metric or next((name for name in _MAIN if name in scores), only)
    if not metric:
        raise InvalidInputError(
            f"{runs[0].file.path}: which metric? the files have: {listed(shared) or 'none in common'}",
            hint="name it: value_column=...",
        )
    return _Chosen(metric, split or _shared_split(runs), scores)


def _shared_split(runs: Sequence[_Instances]) -> str | None:
    """Return the split called test, else the first, of those that all files of a scenario have."""
    with_splits = [run for run in runs if run.splits]
    if not with_splits:
        return None
    shared = [name for name in with_splits[0].splits if all(name in run.splits for run in with_splits)]
    if not shared:
        each = "; ".join(f"{run.file.path}: {', '.join(run.splits)}" for run in with_splits)
        raise InvalidInputError(f"the files share no split ({each})", hint="run all models on one split")
    return "test" if "test" in shared else shared[0]


def _log(run: _Instances, name: str, scenario: str, chosen: _Chosen) -> Log:
    used = chosen.split if run.splits else None
    trials: dict[str, dict[str, float]] = {}
    places: dict[Any, str] = {}
    for row in run.rows:
        item = word(row.need("instance_id"))
        if item is None:
            raise InvalidInputError(f"{row.where}: the id of the instance is {row.data['instance_id']!r:.40}")
        trial = str(row.data.get("train_trial_index", 0))
        what = f"instance {item!r} of trial {trial}"
        check_new(places, (trial, item), row.where, what, "keep one record per instance and trial")
        scores = trials.setdefault(trial, {})
        for stat, split, value in _stats(row):
            if split == used:
                scores.setdefault(item, math.nan)
                if stat == chosen.metric and value is not None:
                    scores[item] = value
    ordered = tuple(trials[trial] for trial in sorted(trials))
    return Log(name, scenario, str(run.file.path), mean_of_runs(ordered), None, ordered)
