"""`bestby folds`: systems compared by cross-validation."""

from __future__ import annotations

from typing import Any

from bestby.advising.reading import reading_of
from bestby.questions.folds.compare import compare_folds
from bestby.questions.folds.parameters import Folds
from bestby.readers.datasets_and_folds import read_folds


def folds(values: Folds, progress: Any) -> Any:
    """Read and compare."""
    reading = reading_of(values.statistics.metric)
    data: Any = read_folds(values.path, **values.data.arguments(), **reading)
    return compare_folds(data, **values.statistics.arguments(), progress=progress)
