"""What the paragraph for a paper says of a comparison, or an evaluation, on one test set."""

from __future__ import annotations

from collections.abc import Iterator

from bestby.report.numbers import percent
from bestby.report.paper.shared import (
    against,
    clustered,
    drawn,
    inference,
    intervals_of_scores,
    measured,
    named,
)
from bestby.report.references import cite
from bestby.report.words import listed
from bestby.results.comparison import Comparison
from bestby.results.pairs import examples
from bestby.vocabulary import long_name


def sentences(c: Comparison) -> Iterator[str]:
    """Yield how systems were compared, or evaluated, on one test set."""
    names = list(dict.fromkeys(entry.system for entry in c.systems))
    metrics = listed([measured(metric.name) for metric in c.metrics])
    did = "compared" if len(c.differences) else "evaluated"
    many = f"{len(names)} systems{named(names)}" if len(names) > 1 else names[0]
    same = "the same " if len(names) > 1 else ""
    yield f"We {did} {many} by {metrics} on {same}{c.extent}{against(c.baseline)}."
    yield clustered(c)
    if c.classes and c.classes[0].counts is None:
        yield f"The labels are soft: distributions over the classes{cite('analysis', 'soft labels')}."
    scores = intervals_of_scores(c.systems)
    if not len(c.differences):
        if scores:
            yield f"We report every score with its {percent(c.level)} confidence interval: {scores}."
            yield drawn(c, (), *(entry.interval for entry in c.systems))
        return
    yield from inference(c, c.differences, scores=scores)
    for test in sorted({one.name for one in c.omnibus}):
        which = f"{long_name('omnibus', test)} test{cite('omnibus', test)}"
        yield f"We also tested the hypothesis that all systems are equal: {which}."
    yield drawn(c, [d for d, _ in examples(c.differences)], *(entry.interval for entry in c.systems))
