"""Boards made of real comparisons, for the tests of the site."""

from __future__ import annotations

import dataclasses
import functools
from datetime import datetime
from typing import Any

import numpy as np

from bestby import compare, compare_slices, evaluate
from bestby.boards.content import (
    Best,
    BoardContent,
    Entry,
    Gap,
    ItemsAgainst,
    Overall,
    OverallStanding,
    PhaseContent,
    Standing,
    Table,
    VersionContent,
)
from bestby.boards.settings import Phase, Settings, Task
from bestby.questions.slices.result import SlicesComparison
from bestby.report.comparison import Comparison
from bestby.report.next_step import next_step
from bestby.results.base import MetricInfo
from bestby.results.values import Interval

CLOCK = "2026-11-{:02d}T10:00:00Z"
LONG = "The very long name of a system that somebody gave without a thought of tables.v2-final"
NAMES = ("alpha/bert-base", "beta/Ünïcode", "北京大学/模型 一号", "דלתא/מודל", f"epsilon/{LONG[:78]}")


def names(count: int) -> list[str]:
    """Return names of systems, some of them long or of other scripts."""
    return [NAMES[i] if i < len(NAMES) else f"team {i % 97}/system-{i}" for i in range(count)]


@functools.cache
def compared(count: int, n_items: int = 400, seed: int = 1, *, margin: float | None = None) -> Comparison:
    """Return systems compared by accuracy, the second of them being a copy of the first but for two items."""
    rng = np.random.Generator(np.random.PCG64(seed))
    gold = rng.choice(["yes", "no"], n_items)
    other = np.where(gold == "yes", "no", "yes")
    difficulty = rng.random(n_items)
    able = np.linspace(0.85, 0.55, count)
    systems = {
        name: np.where(0.7 * difficulty + 0.3 * rng.random(n_items) < p, gold, other)
        for name, p in zip(names(count), able, strict=True)
    }
    if count == 1:
        return evaluate(systems, gold, metric="accuracy")
    return compare(
        systems, gold, metric="accuracy", margin=margin, correction="simultaneous" if count < 50 else "holm"
    )


def gap(c: Comparison, system: str, other: str) -> Gap | None:
    """Return a difference as a table of a board holds it."""
    if system == other:
        return None
    d = c[system, other]
    return Gap(other, d.estimate, d.interval, d.p_adjusted, d.verdict)


def table(
    c: Comparison,
    *,
    task: str = "sentiment",
    phase: str = "dev",
    baseline: str | None = None,
    slices: SlicesComparison | None = None,
    pairs: bool = False,
    first: int = 3,
) -> Table:
    """Return the table of a comparison; the submission of a system has its place in the table."""
    rows = c.systems
    best = rows[0].system
    standings = tuple(
        Standing(
            system=one.system,
            submission=first + place,
            n_submissions=1 + place % 3,
            score=one.score,
            interval=one.interval,
            rank_low=one.rank_low or 1,
            rank_high=one.rank_high or len(rows),
            group=one.group,
            to_best=gap(c, one.system, best),
            to_baseline=None if baseline is None else gap(c, one.system, baseline),
        )
        for place, one in enumerate(rows)
    )
    established = sum(d.p_adjusted is not None and d.p_adjusted <= 0.05 for d in c.differences)
    lucky = Best(best, rows[0].score, rows[0].score - 0.012, 0.012, "bootstrap of the items")
    return Table(
        task=task,
        metric=c.metrics[0],
        phase=phase,
        n_items=c.n_items,
        n_clusters=c.n_clusters,
        level=c.level,
        baseline=baseline,
        margin=c.margin,
        standings=standings,
        n_established=established,
        n_pairs=len(c.differences),
        detectable=0.05,
        next_step=next_step(c, c.metrics[0]),
        best=lucky if len(rows) > 1 else None,
        notes=(),
        methods="Tests: exact test of discordant items. Correction: Holm.",
        signature="bestby|n:400",
        slices=slices,
        comparison=c if pairs else None,
    )


@functools.cache
def sliced() -> SlicesComparison:
    """Return two systems compared in slices."""
    rng = np.random.Generator(np.random.PCG64(3))
    gold = rng.choice(["yes", "no"], 400)
    systems = {
        name: np.where(rng.random(400) < p, gold, "no") for name, p in zip(names(2), (0.9, 0.7), strict=True)
    }
    return compare_slices(systems, gold, by={"language": rng.choice(["de", "en", "fr"], 400)})


def phase(name: str, *tables: Table, **more: Any) -> PhaseContent:
    """Return a phase with tables."""
    shown: dict[str, Any] = {"end": CLOCK.format(30), "state": "open", "visible": True, "overall": None}
    settings = Phase(name, start=datetime.fromisoformat(CLOCK.format(1)))
    named = {key: more.pop(key) for key in ("title", "part", "per_day", "per_team") if key in more}
    return PhaseContent(dataclasses.replace(settings, **named), tables=tables, **(shown | more))


def entries(systems: list[str], phase: str = "dev") -> tuple[Entry, ...]:
    """Return a submission of each system, and one more that was replaced."""
    links = "https://example.org/paper"
    made = [
        Entry(
            submission=3 + place,
            time=CLOCK.format(2 + place % 27),
            team=system.split("/")[0],
            system=system.split("/")[1],
            run="",
            phase=phase,
            paper=links if place % 2 else "",
            code="https://example.org/code?a=1&b=2" if place % 3 == 0 else "",
            shown=True,
            why_not="",
        )
        for place, system in enumerate(systems)
    ]
    if systems:
        team, _, name = systems[0].partition("/")
        made.insert(0, Entry(2, CLOCK.format(1), team, name, "", phase, "", "", False, "replaced"))
        made.append(Entry(9999, CLOCK.format(29), "", "", "", phase, "", "", False, "withdrawn"))
    return tuple(made)


def board(*phases: PhaseContent, systems: list[str] | None = None, **more: Any) -> BoardContent:
    """Return a board of phases."""
    settings = Settings(
        "Sentiment of reviews 2026",
        tasks=more.pop("tasks", (Task("sentiment", ("accuracy",), "Sentiment of a review"),)),
        about="Which of two sentiments does a review have?\n\nThe texts are in twelve languages.",
        url="https://example.org/task",
        contact="organisers@example.org",
    )
    shown: dict[str, Any] = {
        "as_of": CLOCK.format(23),
        "record_head": "ab" * 32,
        "versions": (VersionContent(1, CLOCK.format(1), "", phases),),
        "entries": entries(systems or []),
    }
    return BoardContent(settings, **(shown | more))


@functools.cache
def simple(count: int, **more: Any) -> BoardContent:
    """Return a board of one phase, one task and one metric."""
    c = compared(count)
    ranked = [one.system for one in c.systems]
    return board(phase("dev", table(c, baseline=ranked[-1] if count > 2 else None), **more), systems=ranked)


def empty() -> BoardContent:
    """Return a board to which nothing was submitted."""
    return board(phase("dev"), phase("test", state="coming", visible=False, part="private"))


@functools.cache
def rich() -> BoardContent:
    """Return a board with everything: two phases, two tasks, slices, pairs, items, a corrected gold."""
    first, second = compared(12, margin=0.02), compared(12, seed=2, margin=0.02)
    ranked = [one.system for one in first.systems]
    base = ranked[-1]
    tables = (
        table(first, baseline=base, slices=sliced(), pairs=True),
        table(second, task="entailment", baseline=base),
    )
    won = ItemsAgainst(ranked[1], "sentiment", "accuracy", ranked[0], ("q17", "q4"), ("q1", "q2", "q3"))
    dev = phase("dev", *tables, overall=overall(first, second), items=(won,), part="public", per_day=3)
    test = phase("test", visible=False, state="open", part="private", per_team=5, title="The final phase")
    older = phase("dev", table(compared(4), first=3), state="over")
    versions = (
        VersionContent(2, CLOCK.format(20), "eleven labels of the annotators were wrong", (dev, test)),
        VersionContent(1, CLOCK.format(1), "", (older,)),
    )
    tasks = (Task("sentiment", ("accuracy",), "Sentiment of a review"), Task("entailment", ("accuracy",)))
    return board(versions=versions, systems=ranked, tasks=tasks)


def overall(first: Comparison, second: Comparison) -> Overall:
    """Return a table over two tasks."""
    scores = {one.system: one.score for one in first.systems}
    means = {one.system: (scores[one.system] + one.score) / 2 for one in second.systems}
    ranked = sorted(means, key=lambda name: -means[name])
    rows = tuple(
        OverallStanding(
            system=name,
            mean=means[name],
            rank_low=max(1, place - 2),
            rank_high=min(len(ranked), place + 2),
            to_best=None if place == 1 else gap(first, name, ranked[0]),
            to_baseline=None,
            n_better=0,
            n_worse=place % 3,
        )
        for place, name in enumerate(ranked, 1)
    )
    return Overall("dev", ("sentiment", "entailment"), rows, ("omega/unfinished",), ())


def bare_standing(system: str, low: int, high: int, gap: Gap | None = None) -> Standing:
    """Return a row of a table, without a comparison."""
    return Standing(system, 3, 1, 0.5, Interval(0.4, 0.6, 0.95, "t", True), low, high, "a", gap, gap)


def bare_table(standings: tuple[Standing, ...], **more: Any) -> Table:
    """Return a table of such rows."""
    settings: dict[str, Any] = {
        "task": "task",
        "metric": MetricInfo("accuracy", True, (0.0, 1.0)),
        "phase": "dev",
        "n_items": 100,
        "n_clusters": 0,
        "level": 0.95,
        "baseline": None,
        "margin": None,
        "standings": standings,
        "n_established": 0,
        "n_pairs": 0,
        "detectable": None,
        "next_step": "",
        "best": None,
        "notes": (),
        "methods": "",
        "signature": "",
    }
    return Table(**(settings | more))


def with_markup(text: str) -> BoardContent:
    """Return a board of which every text is this one."""
    gap = Gap(text, -0.1, None, 0.5, text)
    standings = (bare_standing(f"{text}/{text}", 1, 2, gap), bare_standing(f"b/{text}", 1, 2, gap))
    one = bare_table(
        standings,
        task=text,
        metric=MetricInfo(text, True, (0.0, 1.0)),
        phase=text,
        baseline=f"b/{text}",
        next_step=text,
        best=Best(text, 0.5, 0.4, 0.1, text),
        notes=(text,),
        methods=text,
        signature=text,
        n_pairs=2,
    )
    rows = tuple(OverallStanding(each.system, 0.5, 1, 2, gap, gap, 1, 0) for each in standings)
    everywhere = Overall(text, (text,), rows, (text,), (text,))
    items = ItemsAgainst(f"b/{text}", text, text, text, (text,), (text,))
    phase = PhaseContent(Phase(text, title=text, part=text), None, "open", True, (one,), everywhere, (items,))
    entry = Entry(3, "2026-11-03T10:00:00Z", text, text, text, text, "javascript:alert(1)", text, False, text)
    versions = tuple(VersionContent(number, "2026-11-03T10:00:00Z", text, (phase,)) for number in (2, 1))
    task = Task(text, (text,), text)
    settings = Settings(text, tasks=(task,), about=text, url="javascript:alert(1)", contact=text)
    return BoardContent(settings, "2026-11-03T10:00:00Z", text, versions, (entry,))
