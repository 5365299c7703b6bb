"""`bestby runs`: systems with several runs (seeds) each."""

from __future__ import annotations

from bestby.advising.reading import reads_objects
from bestby.cli import outputs
from bestby.cli.parameters.runs import Runs
from bestby.cli.progress import shown
from bestby.comparisons.runs.comparing import compare_runs
from bestby.readers.runs import read_runs


def runs(values: Runs) -> None:
    """Read, compare and print."""
    outputs.check(values.output, {"FILES": values.paths})
    statistics = values.statistics.arguments()
    table = read_runs(values.paths, **values.data.arguments(), texts=reads_objects(values.statistics.metric))
    with shown() as progress:
        comparison = compare_runs(table, paired=values.data.paired, **statistics, progress=progress)
    outputs.write(values.output, comparison)
