"""What the paragraph for a paper says of cross-validation."""

from __future__ import annotations

from collections.abc import Iterator

from bestby.questions.folds.result import FoldComparison
from bestby.report import scaffold
from bestby.report.paper.shared import against, drawn, inference, measured, named, within
from bestby.report.references import cite
from bestby.report.words import computed


def sentences(c: FoldComparison) -> Iterator[str]:
    """Yield how systems were compared by cross-validation."""
    repetitions = len({label for label, _ in c.folds})
    times = f" in {repetitions} repetitions" if repetitions > 1 else ""
    design = f"cross-validation with {len(c.folds)} folds{times}"
    design = design if c.has_folds else f"{repetitions} repetitions of cross-validation, each by itself"
    yield (
        f"We compared {len(c.systems)} systems{named(c.systems)} by {measured(c.metric.name)} in {design}"
        f"{against(c.baseline)}."
    )
    yield from inference(c, c.differences, over=" of the means over the folds")
    if c.has_folds and (computed(c, "interval") or computed(c, "test")):
        yield (
            "Intervals and tests allow for the training items that folds share, with a ratio of test items to"
            f" training items of {c.ratio:.4g}."
        )
    inner = scaffold.all_within(c)
    yield from within(c, inner, "on the pooled predictions of each repetition")
    if inner and computed(c, "test"):
        yield "Their p-values were not corrected for the number of pairs."
    if c.effects:
        source = cite("analysis", "replicability")
        yield f"We counted the folds in which there is a difference by partial conjunction tests{source}."
    yield drawn(c, [*c.differences, *inner])
