"""`bestby evaluate`: the scores of systems in files, with their intervals."""

from __future__ import annotations

from bestby.cli import outputs
from bestby.cli.compare import read_evaluation
from bestby.cli.parameters.evaluate import Evaluate
from bestby.cli.progress import shown
from bestby.comparisons.scores import evaluate as evaluate_systems


def evaluate(values: Evaluate) -> None:
    """Read, evaluate and print."""
    outputs.check(values.output, {"FILES": values.paths, "--gold": values.data.gold})
    evaluation, statistics = read_evaluation(values)
    with shown() as progress:
        scores = evaluate_systems(evaluation, **statistics, progress=progress)
    outputs.write(values.output, scores, table="scores")
