"""What the paragraph for a paper says of a budget divided between a judge and human labels."""

from __future__ import annotations

from collections.abc import Iterator

from bestby.questions.labels import label_allocation_report as budgets
from bestby.questions.labels.label_plan_report import methods
from bestby.questions.labels.label_plans_result import LabelAllocation
from bestby.report.references import cite


def sentences(a: LabelAllocation) -> Iterator[str]:
    """Yield how a budget was divided."""
    yield f"We divided the budget by the variance{cite('analysis', 'prediction-powered')}: {budgets.lead(a)}"
    yield methods(a)
