"""`bestby evaluate`: the scores of systems in files, with their intervals."""

from __future__ import annotations

from typing import Any

from bestby.cli.evaluations import read_evaluation
from bestby.questions.items.evaluate import evaluate as evaluate_systems
from bestby.questions.items.evaluate_parameters import Evaluate


def evaluate(values: Evaluate, progress: Any) -> Any:
    """Read and evaluate."""
    evaluation, statistics = read_evaluation(values)
    return evaluate_systems(evaluation, **statistics, progress=progress)
