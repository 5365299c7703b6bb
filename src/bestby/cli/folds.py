"""`bestby folds`: systems compared by cross-validation."""

from __future__ import annotations

from typing import Any

from bestby.advising.reading import reads_objects
from bestby.cli import outputs
from bestby.cli.parameters.folds import Folds
from bestby.cli.progress import shown
from bestby.comparisons.folds.comparing import compare_folds
from bestby.readers.datasets_and_folds import read_folds


def folds(values: Folds) -> None:
    """Read, compare and print."""
    outputs.check(values.output, {"FILE": [values.path]})
    statistics = values.statistics.arguments()
    data: Any = read_folds(
        values.path, **values.data.arguments(), texts=reads_objects(values.statistics.metric)
    )
    with shown() as progress:
        result = compare_folds(data, **statistics, progress=progress)
    outputs.write(values.output, result)
