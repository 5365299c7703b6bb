"""What the paragraph for a paper says of systems that were compared item by item."""

from __future__ import annotations

from collections.abc import Iterator

from bestby._core.text import grouped
from bestby.questions.monitor.report import planned_looks, rare_loss
from bestby.questions.monitor.result import MonitoredComparison
from bestby.report.numbers import margin_text, percent
from bestby.report.paper.shared import named, with_works


def sentences(c: MonitoredComparison) -> Iterator[str]:
    """Yield how systems were compared item by item."""
    names = [one.system for one in c.systems]
    clusters = f" in {c.n_clusters} clusters" if c.n_clusters else ""
    most = "" if c.n_available is None else f" of at most {c.n_available}"
    yield (
        f"We compared {len(names)} systems{named(names)} on {grouped(c.n_items)} items{clusters}{most}, with"
        f" the possibility to stop {_stops(c)}."
    )
    if c.decided_at is not None:
        yield f"The decision was made after {c.decided_at} items."
    about = "the items of the benchmark" if c.population == "bank" else "all items like these"
    pairs = "" if len(names) == 2 else ", simultaneously for all pairs of systems"
    name = with_works("interval", c.method)
    article = "an" if name[0] in "AEIOUaeiou" else "a"
    yield (
        f"The {percent(c.level)} interval of the mean difference over {about} is {article} {name}, which"
        f" is valid at all looks together{pairs}."
    )
    if (size := rare_loss(c)) is not None:
        yield (
            f"To allow for rare large differences, ln(2/alpha)/n times {size} was added to its half-length,"
            " as in empirical Bernstein bounds."
        )
    if c.margin is not None:
        yield f"The smallest difference that matters was set to {margin_text(c.margin)}."


def _stops(c: MonitoredComparison) -> str:
    """Return when the comparison might have stopped."""
    if c.looks is None:
        return f"after each of {c.n_looks} looks"
    so_far = "" if c.n_looks == len(c.looks) else f", of which {c.n_looks} took place"
    return f"at {planned_looks(c.looks)}{so_far}"
