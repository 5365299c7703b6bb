"""What the paragraph for a paper says of human labels beside a judge."""

from __future__ import annotations

from collections.abc import Iterator

from bestby.report.kinds import chosen as draws
from bestby.report.references import cite
from bestby.results.chosen import ChosenItems


def chosen(c: ChosenItems) -> Iterator[str]:
    """Yield how the items to label were drawn."""
    yield f"The items to label were drawn at random{cite('analysis', 'sampling')}: {draws.lead(c)}"
    yield draws.methods(c)
