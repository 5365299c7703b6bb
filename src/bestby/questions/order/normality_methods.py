"""What the paragraph for a paper says of tests of normality."""

from __future__ import annotations

from collections.abc import Iterator

from bestby.questions.order.normality_result import Normality
from bestby.report.references import cite
from bestby.report.words import listed


def sentences(n: Normality) -> Iterator[str]:
    """Yield how normality was tested."""
    tests = listed([test.name.title() for test in n.tests])
    yield (
        f"We described the distribution of {n.n} values by its moments and by tests of normality ({tests})"
        f"{cite('analysis', 'normality')}. No other test was chosen by their outcome."
    )
