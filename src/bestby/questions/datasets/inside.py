"""What lies inside the datasets: the differences on each, and those over all of them together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bestby.comparisons.common.per_dataset import Options
from bestby.engine.base import Drawing
from bestby.engine.text_statistics import Counting
from bestby.questions.datasets.dataset_runs_result import RunsOnDatasets
from bestby.questions.datasets.overall import joined, overall_differences
from bestby.questions.datasets.overall_runs import Strata, mean_improvements, overall_of_runs, systems_overall
from bestby.questions.datasets.pooled_runs import Pooled
from bestby.questions.datasets.result import Overall
from bestby.questions.datasets.source import DatasetScores
from bestby.questions.datasets.within import differences_within
from bestby.questions.datasets.within_runs import run_differences
from bestby.questions.runs.settings import Settings
from bestby.results.base import Note
from bestby.results.by_pair import Names
from bestby.results.comparison import Difference


@dataclass(frozen=True)
class InnerDifferences:
    """The differences on each dataset and over all together, with notes on them."""

    within: Mapping[str, tuple[Difference, ...]]
    overall: tuple[Overall, ...]
    notes: Sequence[Note]
    runs: RunsOnDatasets | None = None


def inner_differences(
    scores: DatasetScores,
    pairs: Sequence[Names],
    differences: Sequence[Difference],
    options: Options,
    settings: Settings | None,
    drawing: Drawing,
    counting: Counting,
) -> InnerDifferences:
    """Return what items or runs tell of each pair; `differences` are those of the means over the datasets.

    `settings` are those of runs; None where there are none.
    """
    if settings is None:
        within = differences_within(scores, pairs, options)
        overall, notes = overall_differences(scores, pairs, differences, options, drawing, counting)
        return InnerDifferences(within, overall, notes)
    on_each, notes = run_differences(scores, pairs, settings, drawing)
    better = scores.metric.greater_is_better
    strata = Strata.of(scores, settings, drawing)
    found = [] if settings.bare else overall_of_runs(strata, pairs, better)
    together, others = strata, found
    if settings.statistic != "mean":  # of means it is the same, as every dataset has the same weight
        together = Pooled.of(scores, settings, drawing)
        others = overall_of_runs(together, pairs, better)
        found = [*found, *others]
    short = [] if settings.interval is None else together.few()
    overall, unbounded = joined(differences, found, options, scores.metric.name)
    gaps = scores.ranges is not None and better and not scores.from_data
    runs = RunsOnDatasets(
        statistic=settings.statistic,
        paired=settings.paired,
        scores={
            name: {s: tuple(x.tolist()) for s, x in zip(one.names, one.maker.scores, strict=True)}
            for name, one in scores.runs.items()
        },
        systems=systems_overall(together, [entry for entry, _ in others], better, gaps=gaps),
        improvements=mean_improvements(strata, pairs),
    )
    return InnerDifferences(on_each, overall, [*notes, *short, *unbounded], runs)
