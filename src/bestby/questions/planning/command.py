"""`bestby plan`: power, sample size, smallest detectable difference, and how to spend a budget."""

from __future__ import annotations

from typing import Any

from bestby.questions.planning.designs import design_of
from bestby.questions.planning.label_command import check_options, label_plan
from bestby.questions.planning.parameters import Plan
from bestby.questions.planning.solve import minimum_detectable, power, sample_size
from bestby.questions.planning.spend import allocate


def plan(values: Plan, progress: Any) -> Any:
    """Read and plan."""
    check_options(values)
    if values.question.labels:
        return label_plan(values)
    question, statistics = values.question, values.statistics
    design = design_of(values)
    common: dict[str, Any] = {
        "level": statistics.level,
        "alternative": statistics.alternative,
        "n_comparisons": statistics.n_comparisons,
    }
    simulated: dict[str, Any] = {
        "n_simulations": statistics.n_simulations,
        "n_resamples": statistics.n_resamples,
        "rng": statistics.rng,
        "progress": progress,
    }
    if question.budget is not None:
        return allocate(design, question.budget, **values.costs.arguments(), **common)
    if question.n is None:
        wanted = 0.8 if question.power is None else question.power
        return sample_size(design, wanted, **common, **simulated)
    if question.power is None:
        return power(design, question.n, **common, **simulated)
    return minimum_detectable(design, question.n, question.power, **common, **simulated)
