"""What the paragraph for a paper says of judgements."""

from __future__ import annotations

from collections.abc import Iterator

from bestby.questions.preferences.result import PreferenceComparison
from bestby.report.paper.shared import against, drawn, inference, intervals_of_scores, named
from bestby.report.references import cite


def sentences(c: PreferenceComparison) -> Iterator[str]:
    """Yield how systems were compared by judgements."""
    names = [entry.system for entry in c.systems]
    yield f"We compared {len(names)} systems{named(names)} by {c.extent}{against(c.baseline)}."
    model = "the model of Bradley and Terry, a tie counting as half a win for both"
    model = model if c.tie_model == "half" else "Davidson's model of preferences with ties"
    yield f"Their strengths were fitted by maximum likelihood to {model}{cite('model', c.tie_model)}."
    yield from inference(
        c, c.differences, over=" of the log strengths", scores=intervals_of_scores(c.systems)
    )
    yield drawn(c, c.differences, *(entry.interval for entry in c.systems))
