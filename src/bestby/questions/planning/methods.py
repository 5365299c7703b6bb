"""What the paragraph for a paper says of a plan."""

from __future__ import annotations

from collections.abc import Iterator

from bestby.questions.planning import report as plans
from bestby.questions.planning.result import Allocation, Plan
from bestby.report.numbers import power_text
from bestby.report.references import cite


def sentences(p: Plan) -> Iterator[str]:
    """Yield how the size or the power of a study was found."""
    yield (
        f"We planned the study by an analysis of power{cite('analysis', 'power')}: {p.n} {p.unit}"
        f" {plans.aim(p)} with power {power_text(p.power, p.error)}."
    )
    yield assumed(p)
    if not p.exact:
        studies = p.provenance.settings["simulations"]
        yield f"The power was simulated: {studies} studies, seed {p.provenance.seed}."


def assumed(p: Plan | Allocation) -> str:
    """Return how such a study decides, and what was assumed of it."""
    return f"The test is {plans.decision(p)}; we assumed {p.design.assumed_words}.{plans.averaged(p)}"
