"""What the paragraph for a paper says of a budget divided between a judge and human labels."""

from __future__ import annotations

from collections.abc import Iterator

from bestby.report.kinds import label_allocation as budgets
from bestby.report.kinds.label_plan import methods
from bestby.report.references import cite
from bestby.results.label_plans import LabelAllocation


def sentences(a: LabelAllocation) -> Iterator[str]:
    """Yield how a budget was divided."""
    yield f"We divided the budget by the variance{cite('analysis', 'prediction-powered')}: {budgets.lead(a)}"
    yield methods(a)
