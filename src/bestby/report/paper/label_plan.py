"""What the paragraph for a paper says of a plan of human labels beside a judge."""

from __future__ import annotations

from collections.abc import Iterator

from bestby.report.kinds import label_plan as plans
from bestby.report.references import cite
from bestby.results.label_plans import LabelPlan


def sentences(p: LabelPlan) -> Iterator[str]:
    """Yield how the number of labels was planned."""
    yield f"We planned the number of human labels{cite('analysis', 'prediction-powered')}: {plans.lead(p)}"
    yield plans.methods(p)
