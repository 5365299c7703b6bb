"""What the paragraph for a paper says of a judge and human labels."""

from __future__ import annotations

from collections.abc import Iterator

from bestby._core.text import grouped
from bestby.questions.judged.result import HUMAN_SCORE, JudgedComparison
from bestby.report.paper.shared import against, inference, intervals_of_scores, named
from bestby.report.references import cite

_LABELS = {
    "random": ("drawn at random", "judge"),
    "stratified": ("drawn at random inside strata", "judge in strata"),
    "probabilities": ("drawn with known probabilities", "judge and probabilities"),
}
"""How labelled items were drawn, in words, and the analysis that follows."""


def sentences(c: JudgedComparison) -> Iterator[str]:
    """Yield how systems were compared by a judge and a few labels."""
    names = [entry.system for entry in c.systems]
    judges = "a judge" if c.n_judges == 1 else f"{c.n_judges} judges"
    what = "scores" if c.metrics[0].name == HUMAN_SCORE else "labels"
    yield (
        f"We compared {len(names)} systems{named(names)} by the {what} of {judges} for"
        f" {grouped(c.n_items)} items, and by human {what} of {_labelled_items(c)}{against(c.baseline)}."
    )
    yield _method(c)
    yield from inference(c, c.differences, scores=intervals_of_scores(c.systems))


def _method(c: JudgedComparison) -> str:
    """Return how the scores of all items were estimated."""
    if c.labels_drawn == "calibration":
        return (
            "The judge's shares were corrected by its specificity and sensitivity on a calibration set with"
            f" human verdicts{cite('analysis', 'judge by error rates')}."
        )
    how, work = _LABELS[c.labels_drawn]
    metric = c.metrics[0].name
    if c.provenance.n_resamples:
        return (
            f"The labelled items were {how}. The {metric} by the human labels was corrected by that of the"
            " judge's labels (prediction-powered inference with tuning, one set of coefficients for all"
            f" systems{cite('analysis', 'judge and labels')})."
        )
    scores = "mean human scores" if metric == HUMAN_SCORE else f"{metric} scores"
    return (
        f"The labelled items were {how}. The {scores} of all items were estimated by"
        " prediction-powered inference with tuning, in one regression for all systems"
        f"{cite('analysis', work)}."
    )


def _labelled_items(c: JudgedComparison) -> str:
    others = c.labels_drawn == "calibration"
    return f"{c.n_labelled} others" if others else f"{c.n_labelled} of them"
