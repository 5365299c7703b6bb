"""A table of a board as plain data: for its page, in words, and as CSV and JSON with unrounded numbers."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import attrgetter
from typing import Any

import numpy as np

from bestby._core.text import counted, grouped, safe_json
from bestby._core.typing import Array
from bestby.boards.content import Best, Entry, Gap, Overall, OverallStanding, PhaseContent, Standing, Table
from bestby.boards.settings import Phase, file_stem, stamp
from bestby.inference.multiplicity import alpha_at
from bestby.planning.base import USUAL_POWER
from bestby.report.comparison import Comparison
from bestby.report.data import plain
from bestby.report.document import describe
from bestby.report.fields import Field, Rows, attributes, interval_ends
from bestby.report.numbers import DASH, Rounding, margin_text, p_clause, percent, percent_of, ranks_text
from bestby.report.words import direction, listed
from bestby.report.writers.csv import lines, lines_of_columns
from bestby.results.values import Interval

LONG = 40
"""Rows from which a table scrolls within the page, its header staying in sight."""


@dataclass(frozen=True, slots=True)
class Links:
    """Which systems have a page, and the submissions by their numbers."""

    systems: Collection[str]
    entries: Mapping[int, Entry]

    def name(self, system: str) -> dict[str, Any]:
        """Return the name of a system with its team, and its page from the root of the site."""
        team, _, name = system.partition("/")
        return {
            "full": system,
            "team": team if name else "",
            "name": name or team,
            "href": system_page(system) if system in self.systems else None,
        }


def safe_link(link: str) -> str:
    """Return the address of a page of http or https, and nothing for any other: it would run a script."""
    return link if link.startswith(("https://", "http://")) else ""


def system_page(system: str) -> str:
    """Return the page of a system, from the root of the site."""
    return f"systems/{file_stem(*system.split('/', 1))}.html"


def table_model(table: Table, links: Links) -> dict[str, Any]:
    """Return a table of systems by one metric."""
    rows = table.standings
    scores = _scores(rows)
    digits = {"score": Rounding.for_scores(scores), "gap": _gap_digits(rows, table.margin)}
    axes = {
        "score": Axis.of(scores),
        "to_best": _gap_axis([one.to_best for one in rows], table.margin),
        "to_baseline": _gap_axis([one.to_baseline for one in rows], table.margin),
    }
    with_baseline = any(one.to_baseline is not None for one in rows)
    return {
        "metric": table.metric.name,
        "direction": direction(table.metric),
        "level": percent(table.level),
        "baseline": table.baseline if with_baseline else None,
        "margin": None if table.margin is None else margin_text(table.margin),
        "with_intervals": any(one.interval is not None for one in rows),
        "with_groups": with_groups(rows),
        "with_gaps": any(one.to_best is not None for one in rows),
        "with_behind": any(one.behind is not None for one in rows),
        "with_items": table.in_pairs,
        "with_runs": any(_run(one, links) for one in rows),
        "axes": {
            "score": _ends(axes["score"], digits["score"]),
            "to_best": _zero(axes["to_best"], table.margin),
            "to_baseline": _zero(axes["to_baseline"], table.margin),
        },
        "long": len(rows) > LONG,
        "rows": [_row(one, place, table, digits, axes, links) for place, one in enumerate(rows, 1)],
    }


def _row(
    one: Standing,
    place: int,
    table: Table,
    digits: Mapping[str, Rounding],
    axes: Mapping[str, Axis],
    links: Links,
) -> dict[str, Any]:
    entry = links.entries.get(one.submission)
    return {
        **_place(one, place, len(table.standings), links),
        "group": one.group or "",
        "score": _number(one.score, digits["score"]),
        "interval": None if one.interval is None else digits["score"].interval(one.interval),
        "whisker": axes["score"].whisker(one.score, one.interval),
        "to_best": gap_cell(one.to_best, digits["gap"], axes["to_best"], table.level),
        "behind": _number(one.behind, digits["gap"]),
        "to_baseline": gap_cell(one.to_baseline, digits["gap"], axes["to_baseline"], table.level),
        "n_items": one.n_items,
        "submissions": one.n_submissions,
        "of_run": _run(one, links),
        "paper": safe_link(entry.paper) if entry else "",
        "code": safe_link(entry.code) if entry else "",
    }


def _run(one: Standing, links: Links) -> str:
    """Return the run that the numbers of a system are of, if it has a name."""
    entry = links.entries.get(one.submission)
    return entry.run if entry else ""


def _place(one: Standing | OverallStanding, place: int, of: int, links: Links) -> dict[str, Any]:
    return {
        "place": place,
        "rank": ranks_text(one.rank_low, one.rank_high),
        "bar": bar(one.rank_low, one.rank_high, place, of),
        "could_be_first": one.could_be_first,
        "system": links.name(one.system),
    }


def gap_cell(gap: Gap | None, digits: Rounding, axis: Axis, level: float) -> dict[str, Any] | None:
    """Return a difference: its text, interval, p-value and verdict, and where it is drawn."""
    if gap is None:
        return None
    p = None if gap.p_adjusted is None else p_clause(gap.p_adjusted, alpha_at(level), "adjusted p")
    return {
        **_number(gap.estimate, digits),
        "interval": None if gap.interval is None else digits.interval(gap.interval),
        "whisker": axis.whisker(gap.estimate, gap.interval),
        "significant": bool(gap.significant),
        "p": p,
        "verdict": gap.verdict,
    }


def _number(value: float | None, digits: Rounding) -> dict[str, Any]:
    """Return the text of a number, and what a column is sorted by."""
    if value is None or math.isnan(value):
        return {"text": DASH, "key": ""}
    return {"text": digits.text(value), "key": repr(float(value)).replace("inf", "Infinity")}


def _scores(rows: Sequence[Standing]) -> list[tuple[float, Interval | None]]:
    return [(one.score, one.interval) for one in rows]


def _gap_digits(rows: Sequence[Standing | OverallStanding], margin: float | None) -> Rounding:
    gaps = [gap for one in rows for gap in (one.to_best, one.to_baseline) if gap is not None]
    return Rounding.of([(gap.estimate, gap.interval) for gap in gaps], margin)


def _gap_axis(gaps: Sequence[Gap | None], margin: float | None) -> Axis:
    measured = [(gap.estimate, gap.interval) for gap in gaps if gap is not None]
    return Axis.of(measured, 0.0, *(() if margin is None else (-margin, margin)))


def _zero(axis: Axis, margin: float | None) -> dict[str, Any]:
    """Return where no difference is drawn, and the band of the margin."""
    low, high = (0.0, 0.0) if margin is None else (-margin, margin)
    return {"zero": axis.at(0.0), "low": axis.at(low), "width": round(axis.at(high) - axis.at(low), 2)}


def _ends(axis: Axis, digits: Rounding) -> dict[str, str]:
    return {"low": digits.text(axis.low), "high": digits.text(axis.high)}


def with_groups(rows: Sequence[Standing]) -> bool:
    """Return whether a table shows the letters, which of very many systems are lists of numbers."""
    longest = max((len(one.group or "") for one in rows), default=0)
    # So many letters fit beside the other columns
    return 0 < longest <= 16


def table_words(table: Table) -> dict[str, Any]:
    """Return what stands above and below a table in words."""
    digits, rows = Rounding.for_scores(_scores(table.standings)), table.standings
    reading = simultaneous(table) if len(rows) > 1 else ""
    return {
        "lead": first(table),
        "said": [
            *filter(
                None,
                (
                    established(table),
                    detectable(table),
                    best(table, digits),
                    table.frontier and describe(table.frontier).sections[0].lead,
                ),
            )
        ],
        "extent": table.extent,
        "reading": reading,
        "notes": [*table.notes],
        "methods": table.methods,
        "signature": table.signature,
    }


def overall_model(overall: Overall, tables: Mapping[str, Table], links: Links) -> dict[str, Any]:
    """Return the table over all tasks; `tables` has that of the first metric of each task."""
    rows = overall.standings
    digits = _gap_digits(rows, None)
    axis = _gap_axis([one.to_best for one in rows], None)
    base_axis = _gap_axis([one.to_baseline for one in rows], None)
    task_scores = {
        task: (Rounding.for_scores(_scores(one.standings)), {s.system: s.score for s in one.standings})
        for task, one in tables.items()
    }
    means = digits if any(one.to_best for one in rows) else Rounding.of([(one.mean, None) for one in rows])
    metrics = {table.metric.name for table in tables.values()}
    return {
        "tasks": [
            {"name": task, "metric": tables[task].metric.name if len(metrics) > 1 else ""}
            for task in task_scores
        ],
        "with_gaps": any(one.to_best is not None for one in rows),
        "with_behind": any(one.behind is not None for one in rows),
        "baseline": next((one.to_baseline.other for one in rows if one.to_baseline is not None), None),
        "axes": {"to_best": _zero(axis, None), "to_baseline": _zero(base_axis, None)},
        "long": len(rows) > LONG,
        "rows": [
            {
                **_place(one, place, len(rows), links),
                "of_run": "",
                "paper": "",
                "code": "",
                "mean": _number(one.mean, means),
                "to_best": gap_cell(one.to_best, digits, axis, overall.level),
                "behind": _number(one.behind, digits),
                "to_baseline": gap_cell(one.to_baseline, digits, base_axis, overall.level),
                "better": one.n_better,
                "worse": one.n_worse,
                "scores": [_number(scores.get(one.system), of) for of, scores in task_scores.values()],
            }
            for place, one in enumerate(rows, 1)
        ],
        "lead": first(overall),
        "left_out": [*overall.left_out],
        "notes": [*overall.notes],
    }


_BEYOND = 0.03
"""The share of the width that is free on both sides."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A scale from `low` to `high`."""

    low: float
    high: float

    @classmethod
    def of(cls, measured: Iterable[tuple[float, Interval | None]], *also: float) -> Axis:
        """Return the scale that shows numbers with their intervals, as far as these are finite."""
        ends = [
            end
            for value, interval in measured
            for end in ((value,) if interval is None else (value, interval.low, interval.high))
        ]
        finite = [end for end in (*ends, *also) if math.isfinite(end)] or [0.0]
        low, high = min(finite), max(finite)
        room = _BEYOND * (high - low) or _BEYOND * abs(high) or 1.0
        return cls(low - room, high + room)

    def at(self, value: float) -> float:
        """Return the place of a number; what lies beyond the scale is at its end."""
        if math.isnan(value):
            return 0.0
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return round(100.0 * share, 2)

    def whisker(self, value: float, interval: Interval | None) -> dict[str, float] | None:
        """Return the places of a number and of the ends of its interval; None for a number that is none."""
        if math.isnan(value):
            return None
        low, high = (value, value) if interval is None else (interval.low, interval.high)
        return {"mid": self.at(value), "low": self.at(low), "high": self.at(high)}


def bar(low: int, high: int, place: int, of: int) -> dict[str, Any]:
    """Return where the bar of a set of ranks begins, how wide it is, and where the system itself stands.

    >>> bar(1, 2, place=2, of=4)
    {'start': 0.0, 'width': 50.0, 'mid': 37.5}
    """
    one = 100.0 / of
    return {
        "start": round(one * (low - 1), 2),
        "width": round(one * (high - low + 1), 2),
        "mid": round(one * (place - 0.5), 2),
    }


# -- in words --------------------------------------------------------------------------------------


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
    by_tests = [one.system for one in table.standings if one.rank_low == 1]
    if len(by_tests) == 1:
        return f"{by_tests[0]} is first: the tests show every other system to be worse."
    if len(could) == 1:
        return (
            f"{could[0]} is first by a multiple comparison with the best; the tests of all pairs leave others"
            " open."
        )
    if len(could) == len(names):
        return f"Nothing shows yet which of the {len(names)} systems is first."
    return f"{len(could)} of {len(names)} systems could be first: {listed(could)}."


def established(table: Table) -> str:
    """Return how much of the order is established."""
    if table.n_pairs < 2:
        return ""  # the first sentence says it
    share = percent_of(table.n_established / table.n_pairs)
    return (
        f"How much of the order is established: {grouped(table.n_established)} of"
        f" {grouped(table.n_pairs)} pairs of systems ({share}) differ significantly after correction for the"
        " number of pairs."
    )


def detectable(table: Table) -> str:
    """Return which difference the items can show."""
    if table.next_step or table.detectable is None:
        return table.next_step
    size = margin_text(float(f"{abs(table.detectable):.2g}"))
    return f"{table.extent} detect a difference of {size} of the two best systems with power {USUAL_POWER:g}."


def best(table: Table, digits: Rounding) -> str:
    """Return what the best score would be without the luck of the winner."""
    one = table.best
    if one is None:
        return ""
    return (
        f"{one.system} has the best score, {digits.text(one.score)}. The best of several scores is too good"
        f" by chance, here by {digits.size(one.optimism)} on average; without that it is"
        f" {digits.text(one.corrected)} ({one.method}){_allowing(one, digits)}."
    )


def _allowing(one: Best, digits: Rounding) -> str:
    """Return the interval of the best score that allows for the choice."""
    if one.interval is None:
        return ""
    low, high = digits.text(one.interval.low), digits.text(one.interval.high)
    return f", with the {percent(one.interval.level)} interval {low} to {high}, which allows for the choice"


def simultaneous(table: Table) -> str:
    """Return how the intervals and tests of a table are to be read."""
    ranks = (
        f"Ranks are the places that the tests leave open, for all systems at once ({percent(table.level)})"
    )
    shared = "; systems that share a letter cannot be told apart"
    letters = shared if with_groups(table.standings) else ""
    marked = any(one.behind is not None for one in table.standings)
    behind = " How far each system is behind the best at most holds for all at once, too." if marked else ""
    intervals = "Intervals of differences hold for the whole table at once, those of scores one by one."
    if table.in_pairs:
        intervals = (
            "Differences are on the items that both systems have, and intervals hold one by one. Scores are"
            " those on the items of each system; systems are in the order of their mean differences."
        )
    return f"{ranks}{letters}.{behind} {intervals} Bold differences are significant after correction."


def state(phase: PhaseContent) -> str:
    """Return in which state a phase is."""
    start = phase.settings.start
    if phase.state == "coming":
        return f"begins {moment(stamp(start))}" if start else "has not begun"
    if phase.state == "open":
        return f"open until {moment(phase.end)}" if phase.end else "open"
    return f"ended {moment(phase.end)}" if phase.end else "over"


def dates(phase: PhaseContent) -> str:
    """Return when a phase begins and ends, as far as it does."""
    start = phase.settings.start and moment(stamp(phase.settings.start))
    if start and phase.end:
        return f"{start} to {moment(phase.end)}"
    return f"since {start}" if start else ""


def rules(phase: Phase) -> list[str]:
    """Return on what systems are scored in a phase, and the limits."""
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


# -- as CSV and JSON -------------------------------------------------------------------------------


def _gap(side: str) -> tuple[Field, ...]:
    named = {"other": "other", "difference": "estimate", "low": "interval.low", "high": "interval.high"}
    named |= {name: name for name in ("p_adjusted", "significant", "winner", "verdict")}
    return tuple(Field(f"{side}_{name}", f"to_{side}.{path}") for name, path in named.items())


_RANKED = attributes("rank_low", "rank_high", "system")
_BESIDE = (*attributes("may_be_best", "behind"), *_gap("best"), *_gap("baseline"))
_ENDS = interval_ends("interval", needs=(), absent=None)

STANDINGS = Rows(
    (
        *_RANKED,
        *attributes("group", "score"),
        *_ENDS,
        *_BESIDE,
        *attributes("submission", "n_submissions", "n_items"),
    ),
    attrgetter("standings"),
)
"""A table of systems."""

OVERALL = Rows(
    (*_RANKED, *attributes("mean"), *_BESIDE, *attributes("n_better", "n_worse")), attrgetter("standings")
)
"""The table over all tasks."""

SUBMISSIONS = Rows(attributes(*(one.name for one in dataclasses.fields(Entry))), iter)
"""The list of submissions."""

PAIRS = Rows(
    (*attributes("a", "b"), Field("difference", "estimate"), *_ENDS, *attributes("p_adjusted", "verdict")),
    attrgetter("differences"),
)
"""The differences of all pairs."""


def csv(rows: Rows, c: Any) -> bytes:
    """Return a table as CSV: floats to the last bit, texts that a spreadsheet does not take for formulas."""
    parts = (lines_of_columns([*part.values()], spreadsheet_safe=True) for part in rows.parts(c))
    return "".join([lines([[field.name for field in rows.columns(c)]]), *parts]).encode()


def as_json(about: Mapping[str, Any], rows: Rows, c: Any) -> bytes:
    """Return a table as JSON below what it is about; what is undefined is null."""
    return written({**about, "rows": rows.rows(c)})


def written(document: Any) -> bytes:
    """Return a document as JSON."""
    text = json.dumps(plain(document), ensure_ascii=False, indent=1, allow_nan=False)
    return f"{safe_json(text)}\n".encode()


def pairs_json(c: Comparison) -> bytes:
    """Return the differences of all pairs as JSON by columns: there may be half a million.

    `a` and `b` are places in the list of systems, from 0.
    """
    (columns,) = PAIRS.parts(c)
    place = {one.system: at for at, one in enumerate(c.systems)}
    named = {side: [place[name] for name in columns.pop(side)] for side in ("a", "b")}
    numbers = {name: _finite(values) for name, values in columns.items()}
    document = {"metric": c.metrics[0].name, "systems": list(place), **named, **numbers}
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return f"{safe_json(text)}\n".encode()


def _finite(values: Sequence[Any] | Array) -> list[Any]:
    """Return a column as JSON knows it: None for numbers that are not finite."""
    if isinstance(values, np.ndarray) and values.dtype.kind == "f" and np.isfinite(values).all():
        return list(values.tolist())
    return [plain(value) for value in values]
