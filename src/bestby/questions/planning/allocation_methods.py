"""What the paragraph for a paper says of a divided budget."""

from __future__ import annotations

from collections.abc import Iterator

from bestby.questions.planning.methods import assumed
from bestby.questions.planning.result import Allocation
from bestby.report.numbers import difference_text, power_text
from bestby.report.references import cite


def sentences(a: Allocation) -> Iterator[str]:
    """Yield how a budget was divided."""
    best = a.best
    yield (
        f"We divided a budget of {a.budget:g} between runs and items so that the power is largest"
        f"{cite('analysis', 'allocation', 'power')}: {best.runs} runs on {best.items} items, with power"
        f" {power_text(best.power)} to detect a difference of {difference_text(a.design.true_difference)}."
    )
    yield assumed(a)
