"""The pages and data files of the tables of one version of the gold."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from bestby.boards.content import (
    Overall,
    OverallStanding,
    PhaseContent,
    Standing,
    Table,
    VersionContent,
)
from bestby.boards.names import file_stem
from bestby.boards.site import data, sentences
from bestby.boards.site.page import Page, page_from_function, page_from_template
from bestby.boards.site.standings import Links, overall_model, table_model, table_words
from bestby.questions.runs.result import RunsComparison
from bestby.questions.slices.result import SlicesComparison
from bestby.report.document import describe
from bestby.report.words import direction
from bestby.report.writers.markup import paragraph, prose, table

_OVERALL = "all tasks"


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
        yield _overall(phase, phase.overall, title, prefix, links)
    tasks = {table.task for table in phase.tables}
    for one in phase.tables:
        name = f"{one.task}, {one.metric.name}" if len(tasks) > 1 else one.metric.name
        base = file_stem(phase.name, one.task, one.metric.name)
        caption = f"Systems by {one.metric.name} ({direction(one.metric)}), {sentences.extent(one)}"
        model = {
            "overall": False,
            "caption": caption,
            "table": table_model(one, links),
            "said": table_words(one),
            "extent": sentences.extent(one),
            "files": _files(one, prefix, base),
            "embed": f"{prefix}embed/{base}.html",
        }
        yield Shown(phase, one, name, f"{title}{name}", f"{prefix}tables/{base}.html", model)


def _overall(phase: PhaseContent, one: Overall, title: str, prefix: str, links: Links) -> Shown:
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
        "files": _listed(prefix, base, ""),
    }
    return Shown(phase, one, _OVERALL, f"{title}{_OVERALL}", f"{prefix}tables/{base}.html", model)


def phase_name(phase: PhaseContent) -> str:
    """Return the title of a phase, or else its name."""
    return phase.title or phase.name


def phase_model(phase: PhaseContent, tables: tuple[Shown, ...]) -> dict[str, Any]:
    """Return a phase as a page lists it."""
    return {
        "title": phase_name(phase),
        "state": sentences.state(phase),
        "dates": sentences.dates(phase),
        "rules": sentences.rules(phase),
        "unseen": sentences.unseen(phase),
        "tables": [{"name": one.name, "href": one.href} for one in tables if one.phase is phase],
    }


def _listed(prefix: str, base: str, part: str) -> list[dict[str, str]]:
    name = f"{part.lstrip('-')} " if part else ""
    return [
        {"name": f"{name}{form.upper()}", "href": f"{prefix}data/{base}{part}.{form}"}
        for form in ("csv", "json")
    ]


def _files(one: Table, prefix: str, base: str) -> list[dict[str, str]]:
    parts = {"-slices": one.slices, "-runs": one.runs, "-pairs": one.comparison}
    kept = ["", *(part for part, result in parts.items() if result is not None)]
    return [listed for part in kept for listed in _listed(prefix, base, part)]


def pages(one: Shown, common: dict[str, Any]) -> Iterator[Page]:
    """Return the page of a table, the form of it that other pages embed, and its data files."""
    phase = phase_model(one.phase, ())
    known = {**common, "title": one.title, "phase": phase}
    base = one.href.rpartition("/")[2].removesuffix(".html")
    files = {listed["href"].rpartition("/")[2]: listed["href"] for listed in one.model["files"]}
    if isinstance(one.source, Overall):
        yield page_from_template(one.href, "table.html", {**known, "page": one.model})
        yield from _data(files, base, "", _about(one), data.overall(one.source))
        return
    results = {"slices": one.source.slices, "runs": one.source.runs}
    parts = [
        {"title": part.capitalize(), "fragment": fragment(result, one.source.notes)}
        for part, result in results.items()
        if result is not None
    ]
    yield page_from_template(one.href, "table.html", {**known, "page": {**one.model, "parts": parts}})
    yield embedded(one, one.model["embed"], known)
    yield from _data(files, base, "", _about(one), data.standings(one.source))
    for part, result in results.items():
        if result is not None:
            yield from _data(files, base, f"-{part}", _about(one), data.result(result))
    if one.source.comparison is not None:
        c = one.source.comparison
        marks = data.pairs_mark(c)
        yield page_from_function(files[f"{base}-pairs.csv"], marks, data.pairs_csv, c)
        yield page_from_function(files[f"{base}-pairs.json"], marks, data.pairs_json, c)


def embedded(one: Shown | None, path: str, common: dict[str, Any], nothing: str = "") -> Page:
    """Return a table as other pages embed it."""
    page = None if one is None else one.model
    href = "index.html" if one is None else one.href
    title = common["board"]["title"] if one is None else one.title
    more = {"page": page, "table_path": href, "title": title, "nothing": nothing, "embedded": True}
    return page_from_template(path, "embed.html", {**common, **more})


_WITHHELD = "slices_left_out"
"""The note that names slices which are too small to be shown."""


def fragment(result: SlicesComparison | RunsComparison, said: Collection[str]) -> str:
    """Return the tables of a result with what they say first, as its report has them, and its further notes.

    Those of further pairs of systems are folded: what they say first stays in sight. `said` are notes that
    the page has already.
    """
    parts = []
    for place, section in enumerate(describe(result).sections):
        tables = [table(one, sortable=True) for one in section.tables]
        tables += [paragraph(remark, "bb-small") for remark in section.remarks]
        if place:
            summary = f"<summary>{prose(section.lead)}</summary>"
            parts.append("\n".join(["<details>", summary, *tables, "</details>"]))
        else:
            parts += [paragraph(section.lead, "bb-lead"), *tables]
    notes = dict.fromkeys(note.message for note in result.notes if note.code != _WITHHELD)
    parts += [paragraph(f"Note: {line}", "bb-small") for line in notes if line not in said]
    return "\n".join(parts)


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


def _data(
    files: dict[str, str], base: str, part: str, about: dict[str, Any], rows: data.Rows
) -> Iterator[Page]:
    yield page_from_function(files[f"{base}{part}.csv"], rows, data.csv, rows)
    yield page_from_function(files[f"{base}{part}.json"], [about, rows], data.as_json, about, rows)
