"""All files of the site of a board."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Iterator, Mapping
from typing import Any

from bestby._core.text import counted
from bestby.boards.content import BoardContent, Overall, VersionContent
from bestby.boards.site import data, sentences, systems, tables
from bestby.boards.site.badge import badge
from bestby.boards.site.page import (
    MANIFEST,
    Page,
    manifest,
    page_from_bytes,
    page_from_function,
    page_from_template,
)
from bestby.boards.site.standings import LONG, Links, safe_link
from bestby.boards.site.tables import Shown

Kit = Mapping[str, bytes]
"""The files for participants, by their names: `board.toml` and the lists of items."""


def render(content: BoardContent, kit: Kit | None = None) -> dict[str, bytes]:
    """Return every file of the site of a board by its path, the manifest among them.

    `kit` are the files for participants by their names, such as `board.toml` and `items.csv`.
    """
    made = [(page, page.make()) for page in pages(content, kit)]
    listed = manifest(content, ((page, hashlib.sha256(written).hexdigest()) for page, written in made))
    return {**{page.path: written for page, written in made}, MANIFEST: listed}


def pages(content: BoardContent, kit: Kit | None = None) -> tuple[Page, ...]:
    """Return every file of the site but the manifest; none is made yet."""
    links = Links(_systems(content), {one.submission: one for one in content.entries})
    common = {"board": _board(content), "older_gold": None}
    now, *older = content.versions or (VersionContent(1, "", "", ()),)
    shown = tables.shown_tables(now, "", links)
    made = [*_version(content, now, shown, common, "")]
    before = []
    for version in older:
        prefix = _prefix(version)
        shown_then = tables.shown_tables(version, prefix, links)
        made += _version(content, version, shown_then, {**common, "older_gold": version.version}, prefix)
        before.append((version.version, shown_then))
    made += systems.pages(content, now, shown, before, links, common)
    made += _around(content, now, shown, common, links, kit or {})
    return tuple(made)


def main_table(shown: tuple[Shown, ...]) -> Shown | None:
    """Return the table that a site shows first: of the last phase with results, over all tasks if it can."""
    return next((one for one in shown if one.standings), None)


def _prefix(older: VersionContent) -> str:
    """Return what the paths of the pages of an older version of the gold begin with."""
    return f"version-{older.version}/"


def _systems(content: BoardContent) -> frozenset[str]:
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


def _board(content: BoardContent) -> dict[str, Any]:
    names = {"index.html": "Results", "submissions.html": "Submissions", "participate.html": "Take part"}
    return {
        "title": content.title,
        "url": safe_link(content.url),
        "contact": content.contact,
        "pages": [{"href": href, "name": name} for href, name in names.items()],
    }


def _version(
    content: BoardContent,
    version: VersionContent,
    shown: tuple[Shown, ...],
    common: dict[str, Any],
    prefix: str,
) -> Iterator[Page]:
    """Return the pages of one version of the gold."""
    main = main_table(shown)
    board = {
        **common["board"],
        "about": [line for line in content.about.splitlines() if line.strip()],
        "as_of": sentences.moment(content.as_of),
        "record_head": content.record_head,
    }
    model = {
        **common,
        "board": board,
        "title": content.title,
        "main": None if main is None else {**main.model, "title": main.title},
        "nothing": nothing(version),
        "leads": [{"name": one.title, "href": one.href, "lead": one.lead} for one in shown if len(shown) > 1],
        "phases": [tables.phase_model(phase, shown) for phase in version.phases],
        "versions": _versions(content, version),
    }
    yield page_from_template(f"{prefix}index.html", "index.html", model)
    for one in shown:
        yield from tables.pages(one, common)


def nothing(version: VersionContent) -> str:
    """Return why a board shows no results."""
    hidden = [phase for phase in version.phases if not phase.visible]
    if hidden and len(hidden) == len(version.phases):
        return sentences.unseen(hidden[0])
    return "No system has results yet."


def _versions(content: BoardContent, here: VersionContent) -> list[dict[str, Any]]:
    if len(content.versions) < 2:
        return []
    return [
        {
            "number": one.version,
            "since": sentences.moment(one.since),
            "reason": one.reason,
            "in_force": place == 0,
            "href": None if one is here else f"{_prefix(one)}index.html" if place else "index.html",
        }
        for place, one in enumerate(content.versions)
    ]


def _around(
    content: BoardContent,
    version: VersionContent,
    shown: tuple[Shown, ...],
    common: dict[str, Any],
    links: Links,
    kit: Kit,
) -> Iterator[Page]:
    """Return the pages beside the tables: submissions, taking part, what other pages show, the kit."""
    rows = data.submissions(content.entries)
    files = [{"name": form.upper(), "href": f"data/submissions.{form}"} for form in ("csv", "json")]
    systems_of = len({(one.team, one.system) for one in content.entries if one.team})
    submitted = f"{counted(len(content.entries), 'submission')} of {counted(systems_of, 'system')}."
    model = {
        **common,
        "title": "Submissions",
        "lead": submitted if content.entries else "Nothing has been submitted yet.",
        "listed": systems.submissions(content.entries, links),
        "long": len(content.entries) > LONG,
        "files": files,
    }
    yield page_from_template("submissions.html", "submissions.html", model)
    yield page_from_function("data/submissions.csv", rows, data.csv, rows)
    yield page_from_function(
        "data/submissions.json", rows, data.as_json, {"submissions": len(content.entries)}, rows
    )
    model = {
        **common,
        "title": "Take part",
        "phases": [tables.phase_model(phase, shown) for phase in version.phases],
        "tasks": [{"name": name, "title": title if title != name else ""} for name, title in content.tasks],
        "kit": [{"name": name, "href": f"kit/{name}"} for name in sorted(kit)],
    }
    yield page_from_template("participate.html", "participate.html", model)
    yield from (page_from_bytes(f"kit/{name}", kit[name]) for name in sorted(kit))
    if kit:
        yield page_from_bytes("kit.zip", _zipped(kit))
    main = main_table(shown)
    if main is not None and isinstance(main.source, Overall):
        main = next((one for one in shown if not isinstance(one.source, Overall)), None)
    yield tables.embedded(main, "embed.html", common, nothing(version))
    yield page_from_bytes("badge.svg", badge(content.title, _badge_text(shown)))
    yield page_from_bytes("data/board.json", data.written(_contents(content, version, shown)))


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


def _contents(content: BoardContent, version: VersionContent, shown: tuple[Shown, ...]) -> dict[str, Any]:
    """Return the list of the data files, for programs."""
    return {
        "format": 1,
        "title": content.title,
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
