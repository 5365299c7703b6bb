"""What the paragraph for a paper says of a comparison with a published score."""

from __future__ import annotations

from collections.abc import Iterator

from bestby.questions.published.report import printed
from bestby.questions.published.result import PublishedComparison
from bestby.report.numbers import percent
from bestby.report.paper.shared import measured, with_works


def sentences(c: PublishedComparison) -> Iterator[str]:
    """Yield how a system was compared with a published score."""
    unit = "runs" if c.answers[0].assumption == "runs" else "items"
    whose = "" if c.published == "published" else f" of {c.published}"
    yield (
        f"We compared the {measured(c.metric.name)} of {c.system} over {c.n} {unit} with the published score"
        f" {printed(c)}{whose} over {c.n_published} {unit}."
    )
    by = {}
    for a in c.answers:
        interval = with_works("interval", a.interval.method)
        by[a.assumption] = f"by {interval} and {with_works('test', a.test)}"
    if "runs" in by:
        yield f"The means were compared {by['runs']}."
    elif "fewest differing" in by:
        told = (
            "The published predictions are not known: we report the range of everything that the two scores"
            f" allow on the same items, {by['fewest differing']}"
        )
        if "other items" in by:
            told += f", and beside it the comparison as if the items were different, {by['other items']}"
        yield f"{told}."
    else:
        yield f"The shares of right answers to different items were compared {by['other items']}."
    yield (
        f"Intervals are at the {percent(c.level)} level; intervals and p-values allow for the rounding of the"
        " published score."
    )
