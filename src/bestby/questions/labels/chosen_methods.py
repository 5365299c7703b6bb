"""What the paragraph for a paper says of items drawn to be labelled."""

from __future__ import annotations

from collections.abc import Iterator

from bestby.questions.labels import chosen_report as draws
from bestby.questions.labels.chosen_result import ChosenItems
from bestby.report.references import cite


def sentences(c: ChosenItems) -> Iterator[str]:
    """Yield how the items to label were drawn."""
    lead = draws.lead(c).removesuffix(".")
    yield f"We chose items to label: {lead[0].lower()}{lead[1:]}{cite('analysis', 'sampling')}."
    yield draws.methods(c)
