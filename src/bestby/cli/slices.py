"""`bestby slices`: systems in files, compared in every slice of one test set."""

from __future__ import annotations

from typing import Any

from bestby.advising.reading import reads_objects
from bestby.cli.compare import format_options
from bestby.cli.parameters.slices import Slices
from bestby.comparisons.slices.comparing import compare_slices
from bestby.comparisons.slices.slicing import without_bins
from bestby.readers import read


def slices(values: Slices, progress: Any) -> Any:
    """Read and compare."""
    statistics, cut = values.statistics.arguments(), values.cut.arguments()
    metric = statistics.get("metric")
    if metric is not None and len(metric) == 1:
        statistics["metric"] = metric = metric[0]
    data = values.data.arguments()
    options = format_options(data.pop("format_options", None))
    columns = without_bins(cut["by"])
    evaluation = read(values.paths, by=columns, texts=reads_objects(metric), **{**data, **options})
    return compare_slices(evaluation, **cut, **statistics, progress=progress)
