"""What the paragraph for a paper says of a plan of human labels beside a judge."""

from __future__ import annotations

from collections.abc import Iterator

from bestby.questions.labels import label_plan_report as plans
from bestby.questions.labels.label_plans_result import LabelPlan
from bestby.report.references import cite


def sentences(p: LabelPlan) -> Iterator[str]:
    """Yield how the number of labels was planned."""
    yield f"We planned the number of human labels{cite('analysis', 'prediction-powered')}: {plans.lead(p)}"
    yield plans.methods(p)
