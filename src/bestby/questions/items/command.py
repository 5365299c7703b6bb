"""`bestby compare`: systems in files, compared on one test set."""

from __future__ import annotations

from typing import Any

from bestby.cli.evaluations import read_evaluation
from bestby.questions.items.compare import compare as compare_systems
from bestby.questions.items.parameters import Compare


def compare(values: Compare, progress: Any) -> Any:
    """Read and compare."""
    evaluation, statistics = read_evaluation(values)
    return compare_systems(evaluation, **statistics, progress=progress)
