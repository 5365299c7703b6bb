"""What must be known beside the numbers: notes on the data and the metrics, and the provenance."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.versions import versions
from bestby._version import __version__
from bestby.engine.base import Drawing, Group, Pair
from bestby.engine.sums import SumGroup
from bestby.evaluation import Evaluation
from bestby.metrics.base import BaseMetric
from bestby.results import Note, Provenance, TestResult
from bestby.settings import Settings

FEW_CLUSTERS = 50
FEW_ITEMS = 30


def of_data(evaluation: Evaluation) -> list[Note]:
    """Return notes on the size of the data; refuse data in a single cluster."""
    notes = []
    if evaluation.clusters is not None:
        n_clusters = int(np.unique(evaluation.clusters).size)
        if n_clusters < 2:
            raise InvalidInputError(
                "all items are in one cluster: nothing can be said about the uncertainty",
                hint="clusters are groups such as documents or speakers; at least 2 are needed",
            )
        if n_clusters < FEW_CLUSTERS:
            notes.append(
                Note(
                    "few_clusters",
                    f"there are only {n_clusters} clusters: intervals tend to be too short"
                    f" below {FEW_CLUSTERS}",
                )
            )
    elif evaluation.n_items < FEW_ITEMS:
        notes.append(
            Note("few_items", f"there are only {evaluation.n_items} items: intervals tend to be too short")
        )
    return notes


def of_metric(group: Group, m: int, tests: Mapping[Pair, TestResult], settings: Settings) -> list[Note]:
    """Return notes on one metric: parts counted as 0, one-sided directions, too few resamples."""
    metric = group.metrics[m]
    notes: list[Note] = []
    if isinstance(group, SumGroup):
        for s in range(group.n_systems):
            totals = group.table.total()[group.table.columns[m][s]]
            text = group.metrics[m].undefined(totals)
            if text is not None:
                notes.append(Note("counted_as_zero", text, (metric.name,)))
    notes = list(dict.fromkeys(notes))
    if settings.alternative != "two-sided" and not metric.greater_is_better:
        asks = "worse" if settings.alternative == "greater" else "better"
        notes.append(
            Note(
                "direction",
                f"lower is better for {metric.name}: alternative {settings.alternative!r}"
                f" asks whether A is {asks}",
                (metric.name,),
            )
        )
    drawn = [test.n_resamples for test in tests.values() if test.n_resamples]
    family = 1 if settings.correction == "none" else len(tests)
    # The least p-value is 1 / (1 + B); times the family it must be below 1 - level.
    needed = int(family / settings.alpha + 1e-9)
    if drawn and min(drawn) < needed:
        notes.append(
            Note(
                "few_resamples",
                f"{min(drawn)} resamples cannot give a corrected p-value below {settings.alpha:.3g} for"
                f" {family} comparisons: at least {needed} are needed, {10 * needed} for a steady answer",
                (metric.name,),
            )
        )
    return notes


def provenance(
    evaluation: Evaluation, metrics: Sequence[BaseMetric], settings: Settings, drawing: Drawing
) -> Provenance:
    """Return all that is needed to make the numbers again."""
    data: dict[str, Any] = {"items": evaluation.n_items, "systems": list(evaluation.names)}
    for name, groups_ in (("clusters", evaluation.clusters), ("strata", evaluation.strata)):
        if groups_ is not None:
            data[name] = int(np.unique(groups_).size)
    return Provenance(
        version=__version__,
        versions=versions(),
        seed=drawing.seed,
        n_resamples=drawing.n_resamples,
        settings={"metrics": [metric.name for metric in metrics], **dataclasses.asdict(settings)},
        data=data,
        data_hash=evaluation.data_hash(),
    )
