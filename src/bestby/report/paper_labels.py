"""What the paragraph for a paper says of human labels beside a judge."""

from __future__ import annotations

from collections.abc import Iterator

from bestby.report.kinds import chosen as draws
from bestby.report.kinds import label_allocation as budgets
from bestby.report.kinds import label_plan as plans
from bestby.report.references import cite
from bestby.results.chosen import ChosenItems
from bestby.results.label_plans import LabelAllocation, LabelPlan


def chosen(c: ChosenItems) -> Iterator[str]:
    """Yield how the items to label were drawn."""
    yield f"{draws.lead(c).removesuffix('.')}{cite('analysis', 'sampling')}."
    yield draws.methods(c)


def label_plan(p: LabelPlan) -> Iterator[str]:
    """Yield how the number of labels was planned."""
    yield f"We planned the number of human labels{cite('analysis', 'prediction-powered')}: {plans.lead(p)}"
    yield plans.methods(p)


def label_allocation(a: LabelAllocation) -> Iterator[str]:
    """Yield how a budget was divided."""
    yield f"We divided the budget by the variance{cite('analysis', 'prediction-powered')}: {budgets.lead(a)}"
    yield plans.formula(a)
