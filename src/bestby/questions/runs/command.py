"""`bestby runs`: systems with several runs (seeds) each."""

from __future__ import annotations

from typing import Any

from bestby.advising.reading import reading_of
from bestby.questions.runs.compare import compare_runs
from bestby.questions.runs.parameters import Runs
from bestby.readers.runs import read_runs


def runs(values: Runs, progress: Any) -> Any:
    """Read and compare."""
    statistics = values.statistics.arguments()
    table = read_runs(values.paths, **values.data.arguments(), **reading_of(values.statistics.metric))
    return compare_runs(table, paired=values.data.paired, **statistics, progress=progress)
