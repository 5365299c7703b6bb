"""The report of a frontier: its sentences, its tables, and its paragraph for a paper."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from operator import attrgetter
from typing import Any

from bestby.inference.skewness import FROM_UNITS
from bestby.questions.frontier import figure
from bestby.questions.frontier.result import Frontier, FrontierSystem
from bestby.report import column
from bestby.report.column import Cell, Column
from bestby.report.document import Document, Picture, one_section
from bestby.report.fields import Field, Rows, attributes, interval_ends
from bestby.report.numbers import DASH, Rounding, amount, margin_text, percent, percent_of
from bestby.report.paper import measured, named
from bestby.report.references import cite
from bestby.report.tables import Table
from bestby.report.words import listed, units_of_items
from bestby.results.values import Interval

NO_PERCENT = "costs have scales of their own"


def document(c: Frontier) -> Document:
    """Return the report: which systems may be on the frontier, and what each costs."""
    caption = "A filled marker may be on the frontier. A rectangle spans the intervals of score and cost."
    pictures = [
        Picture(f"{c.metric.name} and {cost}", caption, partial(figure.frontier, c, cost)) for cost in c.costs
    ]
    margin = "" if c.margin is None else f", as good as the best: within {margin_text(c.margin)}"
    return one_section(
        c,
        title=f"{c.metric.name} and {listed(c.costs)} of {len(c)} systems",
        subtitle=f"{c.extent}, {percent(c.level)}{margin}",
        methods=methods(c),
        name=c.metric.name,
        lead=headline(c),
        tables=(_systems(c), *filter(None, (_costs(c, place) for place in range(len(c.costs))))),
        pictures=tuple(pictures),
    )


def headline(c: Frontier) -> str:
    """Return which systems may be on the frontier, which are not, and which is as good and cheaper."""
    on = [entry.system for entry in c.systems if entry.may_be_on_frontier]
    off = [entry for entry in c.systems if not entry.may_be_on_frontier]
    what = f"the frontier of {listed([c.metric.name, *c.costs])}"
    if not off:
        every = "Both systems" if len(c) == 2 else f"All {len(c)} systems"
        other = "the other" if len(c) == 2 else "another"
        text = (
            f"{every} may be on {what}: none is significantly worse and no cheaper than {other}"
            f" ({percent(c.level)}, all of them at once)"
        )
    else:
        text = f"On {what} may be {listed(on)} ({percent(c.level)}, all of them at once); {_fallen(off)}"
    return " ".join([f"{text}.", *_as_good(c), *_few(c)])


def _fallen(off: list[FrontierSystem]) -> str:
    # Systems that are named with what dominates them
    if len(off) > 3:
        return f"{len(off)} systems are significantly worse and no cheaper than another"
    shown = [
        f"{entry.system} is significantly worse and no cheaper than {entry.dominated_by}" for entry in off
    ]
    return ", ".join(shown)


def _as_good(c: Frontier) -> Iterator[str]:
    """Yield for each cost the cheapest system that is shown to be within the margin of the best."""
    if c.margin is None:
        return
    within = f"within {margin_text(c.margin)} of the best"
    if not c.as_good():
        yield f"No system is shown to be {within}."
        return
    several, none = len(c.costs) > 1, []
    for place, cost in enumerate(c.costs):
        cheapest = c.as_good(cost)[0]
        if cheapest is c.best:
            none.append(cost)
            continue
        of = f" by {cost}" if several else ""
        paid, leader = cheapest.costs[place].value, c.best.costs[place].value
        saved = f", {percent_of(1.0 - paid / leader)} cheaper than {c.best.system}" if paid < leader else ""
        yield f"Cheapest{of} that is {within}: {cheapest.system}{saved}."
    if none:
        yield f"No cheaper system{f' by {listed(none)}' if several else ''} is shown to be {within}."


def _few(c: Frontier) -> Iterator[str]:
    n, units = units_of_items(c.n_items, c.n_clusters, c.provenance)
    if n < FROM_UNITS:
        yield f"This rests on {n} {units}, which hardly show how skewed scores and costs are."


def _systems(c: Frontier) -> Table:
    digits = Rounding.for_scores([(entry.score, entry.interval) for entry in c.systems])
    by_cost = (_amount(cost, _value_of(place)) for place, cost in enumerate(c.costs))
    columns = (
        column.name("system", attrgetter("system")),
        column.number(c.metric.name, digits, attrgetter("score")),
        column.interval(c.level, digits, attrgetter("interval")),
        *by_cost,
        column.text("frontier", _place),
        column.p_value("p", attrgetter("p_adjusted"), c.level),
        column.number("behind at most", digits, attrgetter("behind")),
    )
    return Table.of(
        "Systems by quality",
        columns,
        c.systems,
        attrgetter("may_be_on_frontier"),
        part="systems",
        main=0,
        methods=methods(c),
        footnote="'behind at most' holds for all systems at once.",
    )


def _value_of(place: int) -> Any:
    return lambda entry: entry.costs[place].value


def _place(entry: FrontierSystem) -> str:
    return "may be on it" if entry.may_be_on_frontier else f"off: {entry.dominated_by}"


def _amount(header: str, value: Callable[[Any], float | None], *, applies: bool = True) -> Column:
    def cell(entry: Any) -> Cell:
        shown = value(entry)
        return Cell(DASH, -math.inf) if shown is None else Cell(amount(shown), shown)

    return Column(header, cell, applies=applies)


def _amounts(level: float, value: Callable[[Any], Interval | None], *, applies: bool = True) -> Column:
    def cell(entry: Any) -> Cell:
        shown = value(entry)
        text = DASH if shown is None else f"[{amount(shown.low)}, {amount(shown.high)}]"
        return Cell(text, -math.inf if shown is None else shown.low)

    return Column(column.interval_header(level), cell, applies=applies)


def _costs(c: Frontier, place: int) -> Table | None:
    """Return the table of one cost; None of prices alone, which stand beside the scores."""
    entries = [entry.costs[place] for entry in c.systems]
    sure = all(one.interval is None for one in entries)
    there = any(one.per_success is not None for one in entries)
    if sure and not there:
        return None
    columns = (
        column.name("system", attrgetter("system")),
        _amount(c.costs[place], attrgetter("value")),
        _amounts(c.level, attrgetter("interval"), applies=not sure),
        _amount("per success", attrgetter("per_success"), applies=there),
        _amounts(c.level, attrgetter("per_success_interval"), applies=there),
    )
    return Table.of(f"Cost: {c.costs[place]}", columns, entries, part="costs", main=1)


def methods(c: Frontier) -> str:
    """Return how the numbers were computed."""
    text = (
        f"A system is off the frontier if another one has a significantly better {c.metric.name} and costs no"
        " more. Of one-sided tests, of the score as 'compare' makes them and of the ratio of costs by"
        " Student's t, the larger p-value counts, corrected for all ordered pairs in steps (Bonferroni)."
    )
    if any(one.per_success is not None for entry in c.systems for one in entry.costs):
        text += " Cost per success: mean cost over the share of successes, with an interval of its logarithm."
    return text


COST = (
    *attributes("system", "cost"),
    Field("value"),
    *interval_ends("interval", needs=(), absent=None),
    Field("per_success"),
    *interval_ends("per_success_interval", "per_success_low", "per_success_high", needs=(), absent=None),
)

TABLES = {
    "systems": Rows(
        (
            Field("metric", "metric.name", of_result=True),
            *attributes("system", "score"),
            *interval_ends("interval", needs=(), absent=None),
            Field("level", of_result=True),
            Field("interval", "interval.method"),
            *attributes("may_be_on_frontier", "dominated_by", "p_adjusted", "behind"),
        ),
        attrgetter("systems"),
    ),
    "costs": Rows(COST, lambda c: [one for entry in c.systems for one in entry.costs]),
}


def dictionary(c: Frontier) -> dict[str, Any]:
    """Return the systems and their costs as dictionaries."""
    return {"metric": c.metric.name, "margin": c.margin, "headline": headline(c)} | {
        name: rows.rows(c) for name, rows in TABLES.items()
    }


def sentences(c: Frontier) -> Iterator[str]:
    """Yield how the frontier was found."""
    names = named([entry.system for entry in c.systems])
    yield (
        f"We compared {len(c)} systems{names} by {listed([measured(c.metric.name), *c.costs])} on {c.extent}."
    )
    yield (
        f"A system counts as dominated if another one is significantly better and significantly no dearer:"
        f" one-sided tests, of the score by permutation and of the ratio of costs by Student's t of its"
        f" logarithm, joined as an intersection-union test{cite('frontier', 'union')},"
        f" with Bonferroni's correction over the ordered pairs in steps{cite('frontier', 'steps')}, so that"
        f" all systems on the frontier are kept at once with {percent(c.level)}."
    )
    if c.margin is not None:
        yield (
            f"Systems within {margin_text(c.margin)} of the best follow from the simultaneous bounds of"
            f" multiple comparisons with the best."
        )
    if any(one.interval is not None for entry in c.systems for one in entry.costs):
        yield "Intervals of costs are Student's t intervals of their logarithms by the delta method."
