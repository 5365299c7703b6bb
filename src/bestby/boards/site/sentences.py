"""What the pages say in words of a table, a phase and a submission."""

from __future__ import annotations

from datetime import UTC, datetime

from bestby._core.text import counted, grouped
from bestby.boards.content import Entry, Overall, PhaseContent, Table
from bestby.planning.base import USUAL_POWER
from bestby.report.numbers import DASH, Rounding, margin_text, percent, percent_of
from bestby.report.words import listed

_WHY_NOT = {
    "replaced": "replaced by a later submission",
    "withdrawn": "withdrawn",
    "not yet": "shown after the end of the phase",
    "no phase": "its phase is no more",
}


def moment(text: str | None) -> str:
    """Return a moment of the record for readers.

    >>> moment("2026-11-30T23:59:00Z"), moment(None)
    ('2026-11-30 23:59 UTC', '–')
    """
    if not text:
        return DASH
    time = datetime.fromisoformat(text)
    time = time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)
    return time.strftime("%Y-%m-%d %H:%M:%S UTC" if time.second else "%Y-%m-%d %H:%M UTC")


def first(table: Table | Overall) -> str:
    """Return which systems could be first."""
    names = [one.system for one in table.standings]
    could = [one.system for one in table.standings if one.could_be_first]
    if not names:
        return "No system has results yet."
    if len(names) == 1:
        return f"{names[0]} is the only system."
    if len(could) == 1:
        return f"{could[0]} is first: the tests show every other system to be worse."
    if len(could) == len(names):
        return f"Nothing shows yet which of the {len(names)} systems is first."
    return f"{len(could)} of {len(names)} systems could be first: {listed(could)}."


def established(table: Table) -> str:
    """Return how much of the order is established."""
    if not table.n_pairs:
        return ""
    share = percent_of(table.n_established / table.n_pairs)
    if table.n_pairs == 1:
        return ""  # the first sentence says it
    return (
        f"How much of the order is established: {grouped(table.n_established)} of"
        f" {grouped(table.n_pairs)} pairs of systems ({share}) are told apart after correction for the"
        " number of pairs."
    )


def detectable(table: Table) -> str:
    """Return which difference the items can show."""
    if table.next_step or table.detectable is None:
        return table.next_step
    size = margin_text(float(f"{abs(table.detectable):.2g}"))
    return (
        f"{extent(table)} detect a difference of {size} of the two best systems with power {USUAL_POWER:g}."
    )


def best(table: Table, digits: Rounding) -> str:
    """Return what the best score would be without the luck of the winner."""
    one = table.best
    if one is None:
        return ""
    return (
        f"{one.system} has the best score, {digits.text(one.score)}. The best of several scores is too good"
        f" by chance, here by {digits.size(one.optimism)} on average; without that it is"
        f" {digits.text(one.corrected)} ({one.method})."
    )


def extent(table: Table) -> str:
    """Return what a table rests on."""
    items = "1 item" if table.n_items == 1 else f"{grouped(table.n_items)} items"
    return f"{items} in {grouped(table.n_clusters)} clusters" if table.n_clusters else items


def simultaneous(table: Table, *, with_groups: bool) -> str:
    """Return how the intervals and tests of a table are to be read."""
    ranks = (
        f"Ranks are the places that the tests leave open, for all systems at once ({percent(table.level)})"
    )
    letters = "; systems that share a letter are not told apart" if with_groups else ""
    return (
        f"{ranks}{letters}. Intervals of differences hold for the whole table at once, those of scores one by"
        " one. Bold differences are significant after correction."
    )


def state(phase: PhaseContent) -> str:
    """Return in which state a phase is.

    >>> from types import SimpleNamespace as Phase
    >>> state(Phase(state="open", end="2026-11-30T23:59:00Z"))
    'open until 2026-11-30 23:59 UTC'
    """
    if phase.state == "coming":
        return f"begins {moment(phase.start)}" if phase.start else "has not begun"
    if phase.state == "open":
        return f"open until {moment(phase.end)}" if phase.end else "open"
    return f"ended {moment(phase.end)}" if phase.end else "over"


def dates(phase: PhaseContent) -> str:
    """Return when a phase begins and ends, as far as it does."""
    if phase.start and phase.end:
        return f"{moment(phase.start)} to {moment(phase.end)}"
    return f"since {moment(phase.start)}" if phase.start else ""


def rules(phase: PhaseContent) -> list[str]:
    """Return on what systems are scored in a phase, when their results are shown, and the limits."""
    said = []
    if phase.part != "all":
        said.append(f"scored on the {phase.part} part of the items")
    if phase.per_day is not None:
        said.append(f"at most {counted(phase.per_day, 'submission')} of a team a day")
    if phase.per_team is not None:
        said.append(f"at most {counted(phase.per_team, 'submission')} of a team in all")
    return said


def unseen(phase: PhaseContent) -> str:
    """Return why a phase shows no results; nothing if it does."""
    if phase.visible:
        return ""
    if phase.end is None:
        return "The results of this phase are published after its end, which has no date yet."
    return f"The results of this phase are published after its end, {moment(phase.end)}."


def why_not(entry: Entry) -> str:
    """Return whether a submission is in the tables, and else why not."""
    return "shown" if entry.shown else _WHY_NOT.get(entry.why_not, entry.why_not)
