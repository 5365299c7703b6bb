"""What a study compares: its conditions, their runs, and the settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bestby._core.errors import DesignError
from bestby._core.typing import Array
from bestby.comparisons.common.settings import Settings
from bestby.data.evaluation import Evaluation
from bestby.engine.base import Drawing
from bestby.engine.text_statistics import Counting
from bestby.metrics import default
from bestby.metrics.base import BaseMetric
from bestby.metrics.suitability import check_names, named_metric
from bestby.questions.study.records import Gold, Run

_NAME = "{}, run {}"


@dataclass(frozen=True, eq=False)
class Condition:
    """The runs of one condition."""

    name: str
    runs: tuple[Run, ...]

    @property
    def hashes(self) -> list[str]:
        """What the results of its runs depend on, in their order."""
        return [run.hash for run in self.runs]

    def run_name(self, position: int) -> str:
        """Return what messages call a run."""
        return f"run {self.runs[position].run!r} of {self.name!r}"

    @property
    def epochs(self) -> float | None:
        """The mean number of epochs, if all runs have one."""
        epochs = [run.epochs for run in self.runs if run.epochs is not None]
        return float(np.mean(epochs)) if len(epochs) == len(self.runs) else None


@dataclass(frozen=True, eq=False)
class Plan:
    """What is to be compared, and how.

    `pairs` are of treatment and baseline; without baselines, every two conditions. Of the metrics, which are
    not fitted yet, `named` were asked for by name: only their results are cached, as an object or a function
    may be another one tomorrow. `counting` says where texts are counted, `by_default` that nobody named a
    metric.
    """

    gold: Gold
    conditions: Mapping[str, Condition]
    pairs: Sequence[tuple[str, str]]
    baselines: tuple[str, ...]
    metrics: Sequence[BaseMetric]
    named: frozenset[str]
    settings: Settings
    drawing: Drawing
    counting: Counting
    by_default: bool = False

    def _classes(self) -> Array | None:
        """Return the classes of soft labels, which must be the same in all runs."""
        classes = self.gold.classes
        for condition in self.conditions.values():
            for run in condition.runs:
                if run.classes is None:
                    continue
                if classes is not None and run.classes.tolist() != classes.tolist():
                    raise DesignError(
                        f"run {run.run!r} of {condition.name!r} has the classes {run.classes.tolist()},"
                        f" others have {classes.tolist()}",
                        hint="replace one; a study that begins with classes=... refuses such a run at once",
                    )
                classes = run.classes
        return classes

    def evaluation(self, names: Sequence[str]) -> Evaluation:
        """Return the runs of some conditions on the items of the study, one after the other."""
        runs: dict[str, Array] = {}
        for name in names:
            for run in self.conditions[name].runs:
                key = _NAME.format(name, run.run)
                while key in runs:  # run "1" of "a, run 0" and run "0, run 1" of "a"
                    key += "'"
                runs[key] = run.predictions
        classes = self._classes()
        soft = any(values.ndim == 2 for values in (self.gold.values, *runs.values()))
        if len(runs) == 1:  # an evaluation is of two systems; the score of one needs no other
            runs |= {f"{name}, again": values for name, values in runs.items()}
        return Evaluation(
            systems=runs,
            gold=self.gold.values,
            items=self.gold.ids,
            clusters=self.gold.clusters,
            classes=classes if soft else None,
        )


def chosen_metrics(metric: Any, gold: Gold, per_class: bool) -> tuple[list[BaseMetric], frozenset[str]]:
    """Return the metrics, and the names of those that were asked for by name."""
    if metric is None:
        metric = default(False, soft_gold=gold.values.ndim == 2)
    specs = list(metric) if isinstance(metric, list | tuple) else [metric]
    if per_class:
        labels = gold.classes if gold.classes is not None else np.unique(gold.values)
        specs += [name for label in labels.tolist() if (name := f"f1[{label}]") not in specs]
    metrics = [named_metric(spec, [gold.values]) for spec in specs]
    check_names(metrics)
    named = {one.name for spec, one in zip(specs, metrics, strict=True) if isinstance(spec, str)}
    return metrics, frozenset(named)
