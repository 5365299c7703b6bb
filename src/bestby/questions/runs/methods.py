"""What the paragraph for a paper says of a comparison of runs."""

from __future__ import annotations

from collections.abc import Iterator

from bestby.questions.order.ordering_methods import orders_measured
from bestby.questions.runs.report import methods_of_tests
from bestby.questions.runs.result import RunsComparison
from bestby.report import summary
from bestby.report.paper.shared import (
    against,
    drawn,
    inference,
    intervals_of_scores,
    measured,
    named,
    score_of_runs,
    with_works,
)


def sentences(c: RunsComparison) -> Iterator[str]:
    """Yield how runs were compared."""
    names = [entry.system for entry in c.systems]
    metric, paired = measured(c.metrics[0].name), ", run by run in pairs" if c.paired else ""
    yield (
        f"We compared {len(names)} systems{named(names)} by {metric} over {c.extent}{paired}"
        f"{against(c.baseline)}."
    )
    yield f"The score of a system is {score_of_runs(c.statistic)}."
    larger = methods_of_tests(c).rstrip()
    yield from inference(c, c.differences, scores=intervals_of_scores(c.systems), larger=larger)
    methods = sorted({d.improvement_interval.method for d in c.differences if d.improvement_interval})
    if methods:
        shown = "; ".join(with_works("interval", one) for one in methods)
        yield f"Intervals of the probability that a run of one system beats one of the other: {shown}."
    if c.orders is not None:
        one = next(iter(c.orders))
        yield orders_measured(one, round((1.0 - c.level) / (1.0 - one.level)))
        yield f"The bounds of the violation ratio were computed with {summary.resamples(c.orders)}"
    intervals = (entry.interval for entry in c.systems)
    yield drawn(c, c.differences, *intervals, beside_orders=c.orders is not None)
