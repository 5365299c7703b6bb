"""The page of each system: where it stands, its differences, its history, the items it won and lost."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bestby.boards.content import (
    BoardContent,
    Entry,
    ItemsAgainst,
    OverallStanding,
    Standing,
    Table,
    VersionContent,
)
from bestby.boards.site import sentences
from bestby.boards.site.badge import badge
from bestby.boards.site.page import Page, page_from_bytes, page_from_template
from bestby.boards.site.standings import Links, ranks, safe_link, system_page
from bestby.boards.site.tables import Shown, phase_name
from bestby.report import column
from bestby.report.numbers import DASH, Rounding, percent
from bestby.report.tables import Table as Written
from bestby.report.words import stands_out
from bestby.report.writers.markup import table
from bestby.results.comparison import Difference

MOST_PAIRS = 20
"""Differences on the page of a system: those of the systems that are nearest in rank."""


def pages(
    content: BoardContent,
    version: VersionContent,
    shown: Sequence[Shown],
    older: Sequence[tuple[int, Sequence[Shown]]],
    links: Links,
    common: dict[str, Any],
) -> Iterator[Page]:
    """Return the page and the badge of every system that has one."""
    places = _places(shown)
    before: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for number, tables in older:
        for system, found in _places(tables).items():
            before[system] += [_before(number, one, place) for one, place in found]
    history: dict[str, list[Entry]] = defaultdict(list)
    for entry in content.entries:
        if entry.team and entry.system:
            history[f"{entry.team}/{entry.system}"].append(entry)
    items = _items(version)
    phases = {one.phase.name for one in shown}
    for system in sorted(links.systems):
        path = system_page(system)
        base = path.removeprefix("systems/").removesuffix(".html")
        found = places.get(system, [])
        model = {
            **common,
            "title": system,
            "system": links.name(system),
            "places": [_place(one, at, items.get(system, ())) for one, at in found],
            "history": submissions(history[system], links),
            "older": before[system],
            "badge": f"badges/{base}.svg",
        }
        yield page_from_template(path, "system.html", model)
        yield page_from_bytes(
            f"badges/{base}.svg", badge(content.title, _standing_text(found, several=len(phases) > 1))
        )


def _places(shown: Sequence[Shown]) -> Mapping[str, list[tuple[Shown, int]]]:
    """Return the tables in which each system stands, and its place there."""
    places: dict[str, list[tuple[Shown, int]]] = defaultdict(list)
    for one in shown:
        for at, standing in enumerate(one.standings):
            places[standing.system].append((one, at))
    return places


def _items(version: VersionContent) -> Mapping[str, list[tuple[str, ItemsAgainst]]]:
    items: dict[str, list[tuple[str, ItemsAgainst]]] = defaultdict(list)
    for phase in version.phases:
        for one in phase.items if phase.visible else ():
            items[one.system].append((phase.name, one))
    return items


def _place(one: Shown, at: int, items: Sequence[tuple[str, ItemsAgainst]]) -> dict[str, Any]:
    standing, source = one.source.standings[at], one.source
    row = one.model["table"]["rows"][at]
    model = {
        "title": one.title,
        "href": one.href,
        "overall": one.model["overall"],
        "lead": _lead(standing, len(source.standings)),
        "said": [],
        "caption": f"{one.title}, {one.model['extent']}",
        "table": {**one.model["table"], "rows": [row], "long": False},
        "differences": "",
        "outcomes": [],
    }
    if isinstance(source, Table) and isinstance(standing, Standing):
        model["said"] = _gaps(standing, row, source.level)
        model["differences"] = _differences(source, at) if source.comparison is not None else ""
        model["outcomes"] = [
            {"against": each.against, "won": list(each.won), "lost": list(each.lost)}
            for phase, each in items
            if (phase, each.task, each.metric) == (one.phase.name, source.task, source.metric.name)
        ]
    return model


def _lead(standing: Standing | OverallStanding, of: int) -> str:
    low, high = standing.rank_low, standing.rank_high
    if of == 1:
        return "It is the only system."
    if low == high:
        return f"The tests leave open one rank: {low} of {of}."
    first = "; it could be first" if standing.could_be_first else ""
    return f"The tests leave open the ranks {low} to {high} of {of}{first}."


def _gaps(standing: Standing, row: Mapping[str, Any], level: float) -> list[str]:
    """Return the differences to the best and to the baseline in words."""
    said = []
    for gap, cell in ((standing.to_best, row["to_best"]), (standing.to_baseline, row["to_baseline"])):
        if gap is None or cell is None:
            continue
        which = "the best" if gap is standing.to_best else "the baseline"
        sure = f", simultaneous {percent(level)} interval {cell['interval']}" if cell["interval"] else ""
        more = "".join(f", {text}" for text in (cell["p"], cell["verdict"]) if text)
        said.append(f"Difference to {which}, {gap.other}: {cell['text']}{sure}{more}.")
    return said


def _differences(source: Table, at: int) -> str:
    """Return the table of differences with the systems that are nearest in rank."""
    assert source.comparison is not None
    rows, metric = source.standings, source.metric.name
    first = max(0, min(at - MOST_PAIRS // 2, len(rows) - MOST_PAIRS - 1))
    others = [
        one.system for place, one in enumerate(rows[first : first + MOST_PAIRS + 1], first) if place != at
    ]
    own = rows[at].system
    differences: list[Difference] = [source.comparison[own, other, metric] for other in others]
    if not differences:
        return ""
    digits = Rounding.of([(d.estimate, d.interval) for d in differences], source.margin)
    columns = column.differences(
        column.sides(differences), digits, source.level, source.comparison.correction
    )
    which = (
        "the other systems" if len(rows) <= MOST_PAIRS + 1 else f"the {MOST_PAIRS} systems nearest in rank"
    )
    made = Written.of(
        f"Differences with {which}: {own} minus the other", columns, differences, stands_out, main=1
    )
    return table(made, sortable=True)


def _before(version: int, one: Shown, at: int) -> dict[str, Any]:
    row, standing = one.model["table"]["rows"][at], one.standings[at]
    score = row["mean" if one.model["overall"] else "score"]["text"]
    place = ranks(standing.rank_low, standing.rank_high)
    said = f"score {score}, rank {place} of {len(one.standings)}"
    return {"version": version, "title": one.title, "href": one.href, "said": said}


def _standing_text(found: Sequence[tuple[Shown, int]], *, several: bool) -> str:
    """Return how a system stands in the last phase that shows it, which is named if there are several."""
    if not found:
        return "no results"
    one, at = found[0]
    standing = one.standings[at]
    phase = f" ({phase_name(one.phase)})" if several else ""
    return f"rank {ranks(standing.rank_low, standing.rank_high)} of {len(one.standings)}{phase}"


def submissions(entries: Sequence[Entry], links: Links) -> list[dict[str, Any]]:
    """Return submissions as a page lists them, the newest first."""
    nobody = {"full": "", "team": "", "name": DASH, "href": None}
    return [
        {
            "number": one.submission,
            "key": one.time,
            "time": sentences.moment(one.time),
            "system": links.name(f"{one.team}/{one.system}") if one.team else nobody,
            "run": one.run,
            "of_run": "",
            "phase": one.phase,
            "shown": sentences.why_not(one),
            "paper": safe_link(one.paper),
            "code": safe_link(one.code),
        }
        for one in sorted(entries, key=lambda one: -one.submission)
    ]
