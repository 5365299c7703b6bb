"""Which submissions of a board are shown: the newest of each system that was not withdrawn, by phase."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from bestby.boards.content import Entry
from bestby.boards.events import GoldSet, Line, PhaseEnded, Published, SettingsSet, Submitted, Withdrawn
from bestby.boards.record import stamp
from bestby.boards.settings import Settings, parse

Numbered = tuple[int, Submitted]
"""A submission with the number of its line."""


@dataclass(frozen=True, slots=True)
class System:
    """A system of a phase: its newest submission of its first run, and the newest ones of its other runs."""

    key: str
    submission: int
    n_submissions: int
    event: Submitted
    runs: tuple[Numbered, ...]


@dataclass(frozen=True)
class Chosen:
    """The systems of each visible phase by its name, and every submission as the site lists it."""

    systems: Mapping[str, tuple[System, ...]]
    entries: tuple[Entry, ...]


def as_of(lines: Sequence[Line], settings: Settings, now: datetime) -> datetime:
    """Return the moment that a site describes: the last event, or a date of a phase that has passed since.

    Nothing changes between two of them, so that a site published again is the same site.
    """
    events = [line.time for line in lines if not isinstance(line.event, Published)]
    dates = [moment for phase in settings.phases for moment in (phase.start, phase.end) if moment is not None]
    return max([*events[-1:], *(moment for moment in dates if moment <= now)], default=now.astimezone(UTC))


def head(lines: Sequence[Line]) -> str:
    """Return the hash of the last line of a record that is not about a published site."""
    return next((line.hash for line in reversed(lines) if not isinstance(line.event, Published)), "")


def golds(lines: Sequence[Line]) -> list[tuple[Line, GoldSet]]:
    """Return the versions of the gold, the one in force first."""
    return [(line, line.event) for line in reversed(lines) if isinstance(line.event, GoldSet)]


def settings_text(lines: Sequence[Line]) -> str | None:
    """Return the text of the last settings that a record tells of; None if it tells of none."""
    return next((line.event.text for line in reversed(lines) if isinstance(line.event, SettingsSet)), None)


def submissions(lines: Sequence[Line], before: int | None = None) -> list[Numbered]:
    """Return all submissions, or those of lines before one, in the order of the record."""
    return [
        (line.number, line.event)
        for line in lines
        if isinstance(line.event, Submitted) and (before is None or line.number < before)
    ]


def withdrawals(lines: Sequence[Line]) -> dict[int, Withdrawn]:
    """Return the withdrawal of each submission that was withdrawn, by the number of its line."""
    return {line.event.submission: line.event for line in lines if isinstance(line.event, Withdrawn)}


def ended(lines: Sequence[Line]) -> dict[str, Line]:
    """Return the lines by which phases have ended, by the names of the phases: no clock ends one.

    Version 0.2.0 went by the clock: what it published after the date of an end was public, and stays so. The
    date is that of the settings it published with.
    """
    found: dict[str, Line] = {}
    text = ""
    for line in lines:
        event = line.event
        text = event.text if isinstance(event, SettingsSet) else text
        if isinstance(event, PhaseEnded) and event.revoked:
            found.pop(event.phase, None)
        elif isinstance(event, PhaseEnded):
            found.setdefault(event.phase, line)
        elif isinstance(event, Published) and not event.version and text:
            for phase in parse(text, "the record").phases:
                if phase.end is not None and stamp(phase.end) <= event.as_of:
                    found.setdefault(phase.name, line)
    return found


def chosen(lines: Sequence[Line], settings: Settings, before: int | None = None) -> Chosen:
    """Return what is shown; `before` leaves out the submissions from a line on.

    A newer submission of a run takes the place of an older one of the same system, phase and run. The first
    run of a system stands for it in the tables.
    """
    withdrawn = withdrawals(lines)
    everything = submissions(lines, before)
    why: dict[int, str] = {number: "withdrawn" for number, _ in everything if number in withdrawn}
    systems: dict[str, tuple[System, ...]] = {}
    over = ended(lines)
    for phase in settings.phases:
        own = [(number, one) for number, one in everything if one.phase == phase.name]
        if phase.show == "after" and phase.name not in over:
            why |= {number: "not yet" for number, _ in own if number not in why}
            continue
        left = [(number, one) for number, one in own if number not in why]
        newest = {(one.key, one.run): number for number, one in left}
        why |= {number: "replaced" for number, one in left if newest[one.key, one.run] != number}
        systems[phase.name] = _systems(own, [(number, one) for number, one in left if number not in why])
    known = {phase.name for phase in settings.phases}
    why |= {number: "no phase" for number, one in everything if one.phase not in known and number not in why}
    by_number = {line.number: line for line in lines}
    entries = tuple(
        _entry(by_number[number], one, why.get(number, ""), withdrawn.get(number), settings)
        for number, one in everything
    )
    return Chosen(systems, entries)


def _systems(everything: Iterable[Numbered], shown: Sequence[Numbered]) -> tuple[System, ...]:
    """Return the systems of a phase from the submissions that are shown, in the order of their first ones."""
    counts: dict[str, int] = {}
    first_seen: dict[tuple[str, str], int] = {}
    for number, one in everything:
        counts[one.key] = counts.get(one.key, 0) + 1
        first_seen.setdefault((one.key, one.run), number)
    by_system: dict[str, list[Numbered]] = {}
    for number, one in sorted(shown, key=lambda pair: first_seen[pair[1].key, pair[1].run]):
        by_system.setdefault(one.key, []).append((number, one))
    return tuple(
        System(key, runs[0][0], counts[key], runs[0][1], tuple(runs)) for key, runs in by_system.items()
    )


def _entry(line: Line, one: Submitted, why: str, gone: Withdrawn | None, settings: Settings) -> Entry:
    hidden = gone is not None and gone.hidden
    links = settings.public.links and gone is None

    def name(text: str) -> str:
        return "" if hidden else text

    return Entry(
        submission=line.number,
        time=stamp(line.time),
        team=name(one.team),
        system=name(one.system),
        run=name(one.run),
        phase=one.phase,
        paper=one.paper if links else "",
        code=one.code if links else "",
        shown=not why,
        why_not=why,
    )
