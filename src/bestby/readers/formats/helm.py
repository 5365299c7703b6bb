"""Statistics per instance of HELM (``per_instance_stats.json``): the values of all metrics of each instance.

Model and scenario, which is a dataset, come from the file ``run_spec.json`` beside, or from the name of the
folder. Perturbed instances are left out; train trials are runs. The metric is by default the first main one
(`_MAIN`), on the split called test. What an instance took, such as ``inference_runtime``, is a quantity.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from bestby._core.cached import cached_property
from bestby._core.errors import InvalidInputError
from bestby._core.paths import is_file
from bestby.data.roles import is_quantity
from bestby.readers.formats._logs import Harness, Sample, Scored, each, holding
from bestby.readers.formats.base import File
from bestby.readers.text import Record, document, number, records, whole_number, word

_MAIN = (
    *("exact_match", "quasi_exact_match", "prefix_exact_match", "f1_score", "rouge_2", "bleu_4"),
    *("math_equiv_chain_of_thought", "math_equiv", "final_number_exact_match", "code_eval_acc", "pass"),
    *("NDCG@10", "RR@10", "ifeval_strict_accuracy"),
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


recognises = holding(
    rb'\s*\[\s*\{\s*"(instance_id|stats|train_trial_index|perturbation)"\s*:', "stats", "instance_id"
)


class _Run(Scored):
    """The statistics of one run, of which some say what it took, and are compared only if asked for."""

    @cached_property
    def names(self) -> dict[str, None]:
        """The metrics that are no costs."""
        return {name: None for name in super().names if _COSTS.fullmatch(name) is None}

    def has(self, name: str) -> bool:
        """Tell whether there is such a statistic."""
        return name in self.quantities or any(name in sample.scores for sample in self.samples)


def _scored(file: File) -> list[_Run]:
    rows = [row for row in records(file.path) if row.data.get("perturbation") is None]
    spec = file.path.parent / "run_spec.json"
    run_spec = document(spec) if is_file(spec) else Record(str(spec), {})
    run = word(run_spec.data.get("name")) or file.path.parent.name
    model = re.search(r"(?:^|[:,])model=([^,]+)", run)
    scenario = re.sub(r"[:,]?model=[^,]+", "", run) if model else None
    name = word(run_spec.part("adapter_spec").get("model")) or (model[1] if model else None)
    samples = [sample for row in rows for sample in _samples(row)]
    falling = frozenset(score for sample in samples for score in sample.scores if _LOWER.fullmatch(score))
    return [_Run.of(file, samples, name, dataset=scenario or None, falling=falling)]


def _samples(row: Record) -> Iterator[Sample]:
    """Yield what a model did on an instance, by the split that the statistics name."""
    item, trial = row.name("instance_id"), whole_number(row.data.get("train_trial_index")) or 0
    splits: dict[str | None, dict[str, float | None]] = {}
    for name, split, value in _stats(row):
        splits.setdefault(split, {})[name] = value
    for split, stats in splits.items():
        taken = {name: value for name, value in stats.items() if value is not None and is_quantity(name)}
        scores = {name: value for name, value in stats.items() if name not in taken}
        yield Sample(row.where, item, scores, trial, quantities=taken, split=split)


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


read = Harness(
    "statistics per instance of HELM",
    recognises=recognises,
    main=_MAIN,
    scored=each(_scored),
    what="metric",
    items="instances",
    split="split",
).read
