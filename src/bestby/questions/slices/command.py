"""`bestby slices`: systems in files, compared in every slice of one test set."""

from __future__ import annotations

from typing import Any

from bestby.cli.evaluations import read_evaluation
from bestby.questions.slices.compare import compare_slices
from bestby.questions.slices.parameters import Slices
from bestby.questions.slices.slicing import without_bins


def slices(values: Slices, progress: Any) -> Any:
    """Read and compare."""
    cut = values.cut.arguments()
    evaluation, statistics = read_evaluation(values, by=without_bins(cut["by"]))
    return compare_slices(evaluation, **cut, **statistics, progress=progress)
