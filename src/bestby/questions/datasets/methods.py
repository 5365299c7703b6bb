"""What the paragraph for a paper says of a comparison over datasets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bestby.questions.datasets import dataset_runs_methods
from bestby.questions.datasets.dataset_runs_report import extent
from bestby.questions.datasets.result import DatasetComparison
from bestby.report import scaffold
from bestby.report.paper.shared import against, drawn, inference, measured, named, within
from bestby.report.references import cite
from bestby.report.words import computed


def sentences(c: DatasetComparison) -> Iterator[str]:
    """Yield how systems were compared over datasets."""
    yield (
        f"We compared {len(c.systems)} systems{named(c.systems)} by {measured(c.metric.name)} on"
        f" {len(c.datasets)} datasets{named(c.datasets)}{_runs_on_each(c)}{against(c.baseline)}."
    )
    if c.ranges is not None:
        yield _normalised(c.ranges)
    if c.runs is not None:
        yield from dataset_runs_methods.scores(c.runs)
    yield from inference(c, c.differences, over=" of the means over the datasets")
    inner = scaffold.all_within(c)
    yield from within(c, inner, "on each dataset")
    if c.runs is not None:
        yield from dataset_runs_methods.over_runs(c, c.runs)
    if c.replicability:
        holm = cite("correction", "holm")
        yield (
            f"We counted the datasets on which there is a difference by partial conjunction tests"
            f"{cite('analysis', 'replicability')}, and named them by Holm's procedure{holm}."
        )
    if c.friedman is not None:
        source = cite("omnibus", "friedman")
        yield f"We ranked the systems by their average ranks and tested these by Friedman's test{source}."
    if c.ranking:
        nemenyi = "Nemenyi's test and by " if c.ranking[0].p_nemenyi is not None else ""
        source = cite("analysis", "ranks")
        yield (
            f"We compared average ranks in pairs by {nemenyi}a normal approximation with Holm's correction"
            f"{source}."
        )
    ordered = c.runs is not None and computed(c, "test")
    intervals = (entry.interval for entry in c.overall)
    yield drawn(c, [*c.differences, *inner], *intervals, beside_orders=ordered)


def _runs_on_each(c: DatasetComparison) -> str:
    return "" if c.runs is None else f", {extent(c.runs)}"


def _normalised(ranges: Mapping[str, tuple[float, float]]) -> str:
    """Return what the scores that become 0 and 1 are, if the datasets are not too many."""
    pairs = [f"{low:.6g} and {high:.6g} on {name}" for name, (low, high) in ranges.items()]
    return f"We normalised the scores on each dataset: two of them become 0 and 1{named(pairs)}."
