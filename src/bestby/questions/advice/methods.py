"""What the paragraph for a paper says of advice."""

from __future__ import annotations

from collections.abc import Iterator

from bestby.questions.advice.result import Advice
from bestby.report.references import cite


def sentences(a: Advice) -> Iterator[str]:
    """Yield how test and interval were chosen."""
    yield (
        f"We chose the test ({a.test}) and the interval ({a.interval}) by a fixed decision tree"
        f"{cite('analysis', 'advice')}; correction for several comparisons: {a.correction}."
    )
