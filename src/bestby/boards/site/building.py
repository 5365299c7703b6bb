"""All files of the site of a board: its pages, tables, pages of systems, badges and data files."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import io
import json
import re
import unicodedata
import zipfile
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, TypeVar

from bestby._core.text import counted, unbroken, visible
from bestby._version import __version__
from bestby.boards.content import (
    BoardContent,
    Entry,
    ItemsAgainst,
    Overall,
    OverallStanding,
    PhaseContent,
    Standing,
    Table,
    VersionContent,
)
from bestby.boards.settings import file_stem
from bestby.boards.site import standings
from bestby.boards.site.standings import (
    LONG,
    Links,
    overall_model,
    safe_link,
    system_page,
    table_model,
    table_words,
)
from bestby.questions.frontier.result import Frontier
from bestby.questions.runs.result import RunsComparison
from bestby.questions.slices.result import SlicesComparison
from bestby.report import column
from bestby.report.column import Look
from bestby.report.comparison import Difference
from bestby.report.data import table_of
from bestby.report.document import describe
from bestby.report.fields import Rows
from bestby.report.numbers import DASH, Rounding, percent, ranks_text
from bestby.report.tables import Table as Written
from bestby.report.tables import difference_columns
from bestby.report.words import direction, stands_out
from bestby.report.writers.html import figure, paragraph, prose, table

if TYPE_CHECKING:
    from jinja2 import Environment

T = TypeVar("T")

Kit = Mapping[str, bytes]
"""The files for participants, by their names: `board.toml` and the lists of items."""


File = tuple[str, bytes]
"""A file of a site: its path and its bytes."""


def render(content: BoardContent, kit: Kit | None = None) -> dict[str, bytes]:
    """Return every file of the site of a board by its path, the manifest among them.

    `kit` are the files for participants by their names, such as `board.toml` and `items.csv`.
    """
    made = dict(pages(content, kit))
    digests = {path: hashlib.sha256(data).hexdigest() for path, data in made.items()}
    return {**made, MANIFEST: manifest(content, digests)}


def pages(content: BoardContent, kit: Kit | None = None) -> Iterator[File]:
    """Yield every file of the site but the manifest."""
    links = Links(_systems_with_pages(content), {one.submission: one for one in content.entries})
    common = {"board": _board_model(content), "older_gold": None}
    now, *older = content.versions or (VersionContent(1, "", "", ()),)
    shown = shown_tables(now, "", links)
    yield from _version_pages(content, now, shown, common, "")
    before = []
    for version in older:
        prefix = _prefix(version)
        shown_then = shown_tables(version, prefix, links)
        then = {**common, "older_gold": version.version}
        yield from _version_pages(content, version, shown_then, then, prefix)
        before.append((version.version, shown_then))
    yield from system_pages(content, now, shown, before, links, common)
    yield from _other_pages(content, now, shown, common, links, kit or {})


def _systems_with_pages(content: BoardContent) -> frozenset[str]:
    """Return the systems that have a page: those in tables, and those whose submissions are listed."""
    standing = {
        one.system
        for version in content.versions
        for phase in version.phases
        if phase.visible
        for table in phase.tables
        for one in table.standings
    }
    return frozenset(standing | {f"{one.team}/{one.system}" for one in content.entries if one.team})


def _board_model(content: BoardContent) -> dict[str, Any]:
    names = {"index.html": "Results", "submissions.html": "Submissions", "participate.html": "Take part"}
    return {
        "title": content.settings.title,
        "url": safe_link(content.settings.url),
        "contact": content.settings.contact,
        "pages": [{"href": href, "name": name} for href, name in names.items()],
    }


@dataclass(frozen=True, slots=True)
class Shown:
    """A table of a site: where it stands, what it shows, and the model of its part of a page."""

    phase: PhaseContent
    source: Table | Overall
    name: str
    title: str
    href: str
    model: dict[str, Any]

    @property
    def standings(self) -> tuple[Standing | OverallStanding, ...]:
        """Its rows, the best first."""
        return tuple(self.source.standings)

    @property
    def lead(self) -> str:
        """What it says first."""
        said = self.model["table"]["lead"] if self.model["overall"] else self.model["said"]["lead"]
        return str(said)


def shown_tables(version: VersionContent, prefix: str, links: Links) -> tuple[Shown, ...]:
    """Return the tables of the phases that can be seen, the last phase first, all tasks before each."""
    several = len(version.phases) > 1
    return tuple(
        one
        for phase in reversed(version.phases)
        if phase.visible
        for one in _tables_of_phase(phase, prefix, links, several)
    )


def _tables_of_phase(phase: PhaseContent, prefix: str, links: Links, several: bool) -> Iterator[Shown]:
    title = f"{phase_name(phase)}: " if several else ""
    if phase.overall is not None:
        yield _shown_overall(phase, phase.overall, title, prefix, links)
    tasks = {table.task for table in phase.tables}
    for one in phase.tables:
        name = f"{one.task}, {one.metric.name}" if len(tasks) > 1 else one.metric.name
        base = file_stem(phase.name, one.task, one.metric.name)
        caption = f"Systems by {one.metric.name} ({direction(one.metric)}), {one.extent}"
        model = {
            "overall": False,
            "caption": caption,
            "table": table_model(one, links),
            "said": table_words(one),
            "extent": one.extent,
            "files": _table_files(one, prefix, base),
            "embed": f"{prefix}embed/{base}.html",
        }
        yield Shown(phase, one, name, f"{title}{name}", f"{prefix}tables/{base}.html", model)


def _table_files(one: Table, prefix: str, base: str) -> list[dict[str, str]]:
    parts: dict[str, Any] = {"-slices": one.slices, "-runs": one.runs, "-pairs": one.comparison}
    parts |= {"-frontier": one.frontier, "-costs": one.frontier}
    present = ["", *(part for part, result in parts.items() if result is not None)]
    return [listed for part in present for listed in _data_files(prefix, base, part)]


def _shown_overall(phase: PhaseContent, one: Overall, title: str, prefix: str, links: Links) -> Shown:
    first: dict[str, Table] = {}
    for table_of_task in phase.tables:
        if table_of_task.task in one.tasks:
            first.setdefault(table_of_task.task, table_of_task)
    base = file_stem(phase.name, _OVERALL)
    metrics = {one_task.metric.name for one_task in first.values()}
    by = metrics.pop() if len(metrics) == 1 else "the first metric of each"
    model = {
        "overall": True,
        "caption": f"Systems over {len(one.tasks)} tasks by {by}",
        "table": overall_model(one, first, links),
        "extent": f"{len(one.tasks)} tasks",
        "files": _data_files(prefix, base, ""),
    }
    return Shown(phase, one, _OVERALL, f"{title}{_OVERALL}", f"{prefix}tables/{base}.html", model)


_OVERALL = "all tasks"


def _data_files(prefix: str, base: str, part: str) -> list[dict[str, str]]:
    name = f"{part.lstrip('-')} " if part else ""
    return [
        {"name": f"{name}{form.upper()}", "href": f"{prefix}data/{base}{part}.{form}"}
        for form in ("csv", "json")
    ]


def phase_name(phase: PhaseContent) -> str:
    """Return the title of a phase, or else its name."""
    return phase.settings.title or phase.name


def phase_model(phase: PhaseContent, tables: tuple[Shown, ...]) -> dict[str, Any]:
    """Return a phase as a page lists it."""
    return {
        "title": phase_name(phase),
        "state": standings.state(phase),
        "dates": standings.dates(phase),
        "rules": standings.rules(phase.settings),
        "unseen": standings.unseen(phase),
        "tables": [{"name": one.name, "href": one.href} for one in tables if one.phase is phase],
    }


def _version_pages(
    content: BoardContent,
    version: VersionContent,
    shown: tuple[Shown, ...],
    common: dict[str, Any],
    prefix: str,
) -> Iterator[File]:
    """Yield the pages of one version of the gold."""
    main = main_table(shown)
    board = {
        **common["board"],
        "about": [line for line in content.settings.about.splitlines() if line.strip()],
        "as_of": standings.moment(content.as_of),
        "record_head": content.record_head,
    }
    model = {
        **common,
        "board": board,
        "title": content.settings.title,
        "main": None if main is None else {**main.model, "title": main.title},
        "nothing": why_no_results(version),
        "leads": [{"name": one.title, "href": one.href, "lead": one.lead} for one in shown if len(shown) > 1],
        "phases": [phase_model(phase, shown) for phase in version.phases],
        "versions": _versions(content, version),
    }
    yield _page(f"{prefix}index.html", "index.html", model)
    for one in shown:
        yield from table_pages(one, common)


def main_table(shown: tuple[Shown, ...]) -> Shown | None:
    """Return the table that a site shows first: of the last phase with results, over all tasks if it can."""
    return next((one for one in shown if one.standings), None)


def why_no_results(version: VersionContent) -> str:
    """Return why a board shows no results."""
    hidden = [phase for phase in version.phases if not phase.visible]
    if hidden and len(hidden) == len(version.phases):
        return standings.unseen(hidden[0])
    return "No system has results yet."


def _versions(content: BoardContent, here: VersionContent) -> list[dict[str, Any]]:
    if len(content.versions) < 2:
        return []
    return [
        {
            "number": one.version,
            "since": standings.moment(one.since),
            "reason": one.reason,
            "in_force": place == 0,
            "href": None if one is here else f"{_prefix(one)}index.html" if place else "index.html",
        }
        for place, one in enumerate(content.versions)
    ]


def _prefix(older: VersionContent) -> str:
    """Return what the paths of the pages of an older version of the gold begin with."""
    return f"version-{older.version}/"


def table_pages(one: Shown, common: dict[str, Any]) -> Iterator[File]:
    """Return the page of a table, the form of it that other pages embed, and its data files."""
    phase = phase_model(one.phase, ())
    context = {**common, "title": one.title, "phase": phase}
    base = one.href.rpartition("/")[2].removesuffix(".html")
    files = {listed["href"].rpartition("/")[2]: listed["href"] for listed in one.model["files"]}
    if isinstance(one.source, Overall):
        yield _page(one.href, "table.html", {**context, "page": one.model})
        yield from _data_pages(files, base, "", _about(one), standings.OVERALL, one.source)
        return
    results = {"slices": one.source.slices, "runs": one.source.runs, "frontier": one.source.frontier}
    parts = [
        {"title": part.capitalize(), "fragment": fragment(result, one.source.notes)}
        for part, result in results.items()
        if result is not None
    ]
    yield _page(one.href, "table.html", {**context, "page": {**one.model, "parts": parts}})
    yield embedded(one, one.model["embed"], context)
    yield from _data_pages(files, base, "", _about(one), standings.STANDINGS, one.source)
    for part, result in results.items():
        if result is not None:
            yield from _data_pages(files, base, f"-{part}", _about(one), table_of(result, None), result)
    if one.source.frontier is not None:
        costs = table_of(one.source.frontier, "costs")
        yield from _data_pages(files, base, "-costs", _about(one), costs, one.source.frontier)
    if one.source.comparison is not None:
        yield files[f"{base}-pairs.csv"], standings.csv(standings.PAIRS, one.source.comparison)
        yield files[f"{base}-pairs.json"], standings.pairs_json(one.source.comparison)


def embedded(one: Shown | None, path: str, common: dict[str, Any], nothing: str = "") -> File:
    """Return a table as other pages embed it."""
    page = None if one is None else one.model
    href = "index.html" if one is None else one.href
    title = common["board"]["title"] if one is None else one.title
    more = {"page": page, "table_path": href, "title": title, "nothing": nothing, "embedded": True}
    return _page(path, "embed.html", {**common, **more})


def fragment(result: SlicesComparison | RunsComparison | Frontier, said: Collection[str]) -> str:
    """Return the tables and figures of a result as its report has them, with what they say first and notes.

    Those of further pairs of systems are folded: what they say first stays in sight. `said` are notes that
    the page has already.
    """
    parts = []
    for place, section in enumerate(describe(result).sections):
        tables = [table(one, sortable=True) for one in section.tables]
        tables += [paragraph(remark, "bb-small") for remark in (*section.remarks, *section.details)]
        if place:
            summary = f"<summary>{prose(section.lead)}</summary>"
            parts.append("\n".join(["<details>", summary, *tables, "</details>"]))
        else:
            figures = [
                _with_attributes(figure(one, f"{type(result).__name__}-{number}-"))
                for number, one in enumerate(section.pictures)
                if isinstance(result, Frontier)
            ]
            parts += [paragraph(section.lead, "bb-lead"), *figures, *tables]
    notes = dict.fromkeys(note.message for note in result.notes if note.code != _WITHHELD)
    parts += [paragraph(f"Note: {line}", "bb-small") for line in notes if line not in said]
    return "\n".join(parts)


def _with_attributes(svg: str) -> str:
    """Return a figure whose styles are attributes: the policy of the pages allows no other styles in it."""

    def attributes(found: re.Match[str]) -> str:
        styles = (one.partition(":") for one in found[1].split(";"))
        named = ((name.strip(), value.strip()) for name, _, value in styles)
        return "".join(
            f' {name}="{value}"' for name, value in named if name not in ("max-width", "min-width")
        )

    return re.sub(r' style="([^"]*)"', attributes, re.sub("<style.*?</style>", "", svg, flags=re.DOTALL))


_WITHHELD = "slices_left_out"
"""The note that names slices which are too small to be shown."""


def _about(one: Shown) -> dict[str, Any]:
    source = one.source
    about: dict[str, Any] = {"phase": one.phase.name, "notes": list(source.notes)}
    if isinstance(source, Overall):
        return {**about, "tasks": list(source.tasks), "left_out": list(source.left_out)}
    names = ("task", "n_items", "n_clusters", "level", "baseline", "margin", "n_established", "n_pairs")
    best = None if source.best is None else dataclasses.asdict(source.best)
    more = {"detectable": source.detectable, "best": best, "signature": source.signature}
    return {
        **about,
        **{name: getattr(source, name) for name in names},
        "metric": source.metric.name,
        "greater_is_better": source.metric.greater_is_better,
        **more,
    }


def _data_pages(
    files: dict[str, str], base: str, part: str, about: dict[str, Any], rows: Rows, source: Any
) -> Iterator[File]:
    yield files[f"{base}{part}.csv"], standings.csv(rows, source)
    yield files[f"{base}{part}.json"], standings.as_json(about, rows, source)


def system_pages(
    content: BoardContent,
    version: VersionContent,
    shown: Sequence[Shown],
    older: Sequence[tuple[int, Sequence[Shown]]],
    links: Links,
    common: dict[str, Any],
) -> Iterator[File]:
    """Return the page and the badge of every system that has one."""
    places = _by_system((each.system, (one, at)) for one in shown for at, each in enumerate(one.standings))
    before = _by_system(
        (each.system, _older_place(number, one, at))
        for number, tables in older
        for one in tables
        for at, each in enumerate(one.standings)
    )
    history = _by_system((f"{one.team}/{one.system}", one) for one in content.entries if one.team)
    visible_phases = [phase for phase in version.phases if phase.visible]
    items = _by_system((one.system, (phase.name, one)) for phase in visible_phases for one in phase.items)
    phases = {one.phase.name for one in shown}
    for system in sorted(links.systems):
        path = system_page(system)
        base = path.removeprefix("systems/").removesuffix(".html")
        standing_places = places[system]
        model = {
            **common,
            "title": system,
            "system": links.name(system),
            "places": [_place_model(one, at, items[system]) for one, at in standing_places],
            "history": listed_submissions(history[system], links),
            "older": before[system],
            "badge": f"badges/{base}.svg",
        }
        yield _page(path, "system.html", model)
        said = _standing_text(standing_places, several=len(phases) > 1)
        yield f"badges/{base}.svg", badge(content.settings.title, said)


def _by_system(pairs: Iterable[tuple[str, T]]) -> Mapping[str, list[T]]:
    """Return what belongs to each system, in the order given."""
    found: dict[str, list[T]] = defaultdict(list)
    for system, one in pairs:
        found[system].append(one)
    return found


def _older_place(version: int, one: Shown, at: int) -> dict[str, Any]:
    row, standing = one.model["table"]["rows"][at], one.standings[at]
    score = row["mean" if one.model["overall"] else "score"]["text"]
    place = ranks_text(standing.rank_low, standing.rank_high)
    said = f"score {score}, rank {place} of {len(one.standings)}"
    return {"version": version, "title": one.title, "href": one.href, "said": said}


def _place_model(one: Shown, at: int, items: Sequence[tuple[str, ItemsAgainst]]) -> dict[str, Any]:
    standing, source = one.source.standings[at], one.source
    row = one.model["table"]["rows"][at]
    model = {
        "title": one.title,
        "href": one.href,
        "overall": one.model["overall"],
        "lead": _rank_sentence(standing, len(source.standings)),
        "said": [],
        "caption": f"{one.title}, {one.model['extent']}",
        "table": {**one.model["table"], "rows": [row], "long": False},
        "differences": "",
        "outcomes": [],
    }
    if isinstance(source, Table) and isinstance(standing, Standing):
        held = "" if source.in_pairs else "simultaneous "
        model["said"] = _gap_sentences(standing, row, f"{held}{percent(source.level)} interval")
        model["differences"] = _differences(source, at) if source.comparison is not None else ""
        model["outcomes"] = [
            {"against": each.against, "won": list(each.won), "lost": list(each.lost)}
            for phase, each in items
            if (phase, each.task, each.metric) == (one.phase.name, source.task, source.metric.name)
        ]
    return model


def _rank_sentence(standing: Standing | OverallStanding, of: int) -> str:
    low, high = standing.rank_low, standing.rank_high
    if of == 1:
        return "It is the only system."
    if low == high:
        return f"The tests leave open one rank: {low} of {of}."
    first = "; it could be first" if standing.could_be_first else ""
    return f"The tests leave open the ranks {low} to {high} of {of}{first}."


def _gap_sentences(standing: Standing, row: Mapping[str, Any], interval: str) -> list[str]:
    """Return the differences to the best and to the baseline in words."""
    said = []
    for gap, cell in ((standing.to_best, row["to_best"]), (standing.to_baseline, row["to_baseline"])):
        if gap is None or cell is None:
            continue
        which = "the best" if gap is standing.to_best else "the baseline"
        sure = f", {interval} {cell['interval']}" if cell["interval"] else ""
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
    name = rows[at].system
    c = source.comparison
    differences: list[Difference] = [
        c[name, other, metric]
        for other in others
        if c.find(metric, name, other) is not None or c.find(metric, other, name) is not None
    ]
    if not differences:
        return ""
    digits = Rounding.of([(d.estimate, d.interval) for d in differences], source.margin)
    look = Look(digits, source.level, source.comparison.correction)
    columns = difference_columns(source.comparison, column.sides(differences), look)
    which = (
        "the other systems" if len(rows) <= MOST_PAIRS + 1 else f"the {MOST_PAIRS} systems nearest in rank"
    )
    written = Written.of(
        f"Differences with {which}: {name} minus the other", columns, differences, stands_out, main=1
    )
    return table(written, sortable=True)


MOST_PAIRS = 20
"""Differences on the page of a system: those of the systems that are nearest in rank."""


def _standing_text(places: Sequence[tuple[Shown, int]], *, several: bool) -> str:
    """Return how a system stands in the last phase that shows it, which is named if there are several."""
    if not places:
        return "no results"
    one, at = places[0]
    standing = one.standings[at]
    phase = f" ({phase_name(one.phase)})" if several else ""
    return f"rank {ranks_text(standing.rank_low, standing.rank_high)} of {len(one.standings)}{phase}"


def _other_pages(
    content: BoardContent,
    version: VersionContent,
    shown: tuple[Shown, ...],
    common: dict[str, Any],
    links: Links,
    kit: Kit,
) -> Iterator[File]:
    """Return the pages beside the tables: submissions, taking part, what other pages show, the kit."""
    entries, listed = content.entries, standings.SUBMISSIONS
    files = [{"name": form.upper(), "href": f"data/submissions.{form}"} for form in ("csv", "json")]
    systems_of = len({(one.team, one.system) for one in content.entries if one.team})
    submitted = f"{counted(len(content.entries), 'submission')} of {counted(systems_of, 'system')}."
    model = {
        **common,
        "title": "Submissions",
        "lead": submitted if content.entries else "Nothing has been submitted yet.",
        "listed": listed_submissions(content.entries, links),
        "long": len(content.entries) > LONG,
        "files": files,
    }
    yield _page("submissions.html", "submissions.html", model)
    yield "data/submissions.csv", standings.csv(listed, entries)
    yield "data/submissions.json", standings.as_json({"submissions": len(entries)}, listed, entries)
    model = {
        **common,
        "title": "Take part",
        "phases": [phase_model(phase, shown) for phase in version.phases],
        "tasks": [{"name": task.name, "title": task.title} for task in content.settings.tasks],
        "invited": content.settings.invited,
        "kit": [{"name": name, "href": f"kit/{name}"} for name in sorted(kit)],
    }
    yield _page("participate.html", "participate.html", model)
    yield from ((f"kit/{name}", kit[name]) for name in sorted(kit))
    if kit:
        yield "kit.zip", _zipped(kit)
    main = main_table(shown)
    if main is not None and isinstance(main.source, Overall):
        main = next((one for one in shown if not isinstance(one.source, Overall)), None)
    yield embedded(main, "embed.html", common, why_no_results(version))
    yield "badge.svg", badge(content.settings.title, _badge_text(shown))
    yield "data/board.json", standings.written(_data_listing(content, version, shown))


def listed_submissions(entries: Sequence[Entry], links: Links) -> list[dict[str, Any]]:
    """Return submissions as a page lists them, the newest first."""
    nobody = {"full": "", "team": "", "name": DASH, "href": None}
    return [
        {
            "number": one.submission,
            "key": one.time,
            "time": standings.moment(one.time),
            "system": links.name(f"{one.team}/{one.system}") if one.team else nobody,
            "run": one.run,
            "of_run": "",
            "phase": one.phase,
            "shown": standings.why_not(one),
            "paper": safe_link(one.paper),
            "code": safe_link(one.code),
        }
        for one in sorted(entries, key=lambda one: -one.submission)
    ]


def _zipped(kit: Kit) -> bytes:
    """Return the files for participants in one, the same bytes whenever and wherever it is made."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(kit):
            info = zipfile.ZipInfo(f"kit/{name}")
            info.create_system, info.external_attr = 3, 0o644 << 16
            archive.writestr(info, kit[name])
    return packed.getvalue()


def _badge_text(shown: tuple[Shown, ...]) -> str:
    main = main_table(shown)
    if main is None:
        return "no results yet"
    could = [one.system for one in main.standings if one.could_be_first]
    if len(could) == 1:
        return f"first: {could[0]}"
    return f"{len(could)} of {counted(len(main.standings), 'system')} could be first"


def _data_listing(content: BoardContent, version: VersionContent, shown: tuple[Shown, ...]) -> dict[str, Any]:
    """Return the list of the data files, for programs."""
    return {
        "format": 1,
        "title": content.settings.title,
        "as_of": content.as_of,
        "record": content.record_head,
        "version": version.version,
        "tables": [
            {
                "phase": one.phase.name,
                "name": one.name,
                "page": one.href,
                "files": [listed["href"] for listed in one.model["files"]],
            }
            for one in shown
        ],
    }


_LETTER_SIZE = 11

_BADGE_LETTERS = 60

_WIDTHS = (("ijl.,:;'|!()[] ft-/", 0.4), ("mwMW@%", 0.95), ("ABCDEFGHKNOPQRSTUVXYZ", 0.72))

_USUAL_WIDTH = 0.63
"""Widths of letters in parts of their size, about those of Verdana, whichever fonts are installed here."""


def badge(label: str, message: str) -> bytes:
    """Return a badge as SVG: a label on the left and what it says on the right."""
    texts = [_cut(label), _cut(message)]
    widths = [_text_width(text) for text in texts]
    model = {"texts": texts, "widths": widths, "size": _LETTER_SIZE}
    return environment().get_template("badge.svg.j2").render(model).encode()


def _cut(text: str) -> str:
    text = visible(text)
    return text if len(text) <= _BADGE_LETTERS else f"{text[: _BADGE_LETTERS - 1]}…"


def _text_width(text: str) -> int:
    return round(_LETTER_SIZE * sum(map(_letter_width, text))) or 1


def _letter_width(letter: str) -> float:
    if unicodedata.combining(letter):
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.0
    return next((width for letters, width in _WIDTHS if letter in letters), _USUAL_WIDTH)


# -- files -----------------------------------------------------------------------------------------


MANIFEST = "manifest.json"


def manifest(content: BoardContent, digests: Mapping[str, str]) -> bytes:
    """Return the list of the files of a site with the SHA-256 of their bytes."""
    document = {
        "format": 2,
        "board": content.settings.title,
        "as_of": content.as_of,
        "record": content.record_head,
        "files": {path: {"sha256": digest} for path, digest in sorted(digests.items())},
    }
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode()


def _page(path: str, template: str, model: Mapping[str, Any]) -> File:
    """Return a page that a template makes of plain data."""
    model = {"root": "../" * path.count("/"), "path": path, "embedded": False, **model}
    return path, environment().get_template(f"{template}.j2").render(model).encode()


@cache
def environment() -> Environment:
    """Return the templates of the site."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    templates = Environment(
        autoescape=True,
        loader=PackageLoader(__package__),
        undefined=StrictUndefined,
        finalize=_visible_text,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    style, script = _joined(_STYLES), _joined(_SCRIPTS)
    templates.globals |= {
        "version": __version__,
        "style": style,
        "script": script,
        "policy": _policy(style, script),
    }
    return templates


def _visible_text(value: Any) -> Any:
    """Return text with its hidden characters escaped and percentages on one line; what is markup stays."""
    return unbroken(visible(value)) if type(value) is str else value


def _policy(style: str, script: str) -> str:
    """Return the policy of a page: its own style and script run, known by their hashes, and nothing else."""
    allowed = {"style-src": style, "script-src": script}
    parts = [f"{name} 'sha256-{_hash(text)}'" for name, text in allowed.items()]
    return "; ".join(["default-src 'none'", *parts, "base-uri 'none'", "form-action 'none'"])


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


_STYLES = (
    *(("bestby.report", f"{name}.css") for name in ("tables", "page", "search")),
    (__package__, "board.css"),
)

_SCRIPTS = (("bestby.report", "sort.js"), (__package__, "board.js"))


def _joined(assets: tuple[tuple[str, str], ...]) -> str:
    texts = (resources.files(room).joinpath("assets", name).read_text("utf-8") for room, name in assets)
    return "\n" + "".join(texts)
