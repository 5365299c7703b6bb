"""Publishing the site of a board, and verifying it: record, files, and every number computed anew."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bestby._core import files
from bestby._core.errors import BoardError
from bestby._core.paths import possible_path, user_path
from bestby._core.text import counted, path_text
from bestby._version import __version__
from bestby.boards import gold as golds
from bestby.boards import record
from bestby.boards.compute import board_content, cache_of, gold_of
from bestby.boards.content import BoardContent
from bestby.boards.folder import Folder, missing_patterns
from bestby.boards.gold import sealed
from bestby.boards.record import GoldSet, Line, Published, Submitted, gold_in_force, settings_text
from bestby.boards.result import Publication, Verification
from bestby.boards.settings import Settings, parse
from bestby.boards.site.building import pages, render
from bestby.boards.site.page import MANIFEST
from bestby.boards.site.staging import (
    Staged,
    as_published,
    checked_place,
    differences,
    files_in,
    mark_of,
    write,
)
from bestby.boards.submitting import changed_settings, checked_settings


def publish(folder: Folder, site: str | Path, now: datetime) -> Publication:
    """Write the site of a board, all of it or nothing; the record tells of it if it is another one."""
    place = possible_path(site)
    site_place(folder, place)
    with folder.locked():
        lines = folder.lines()
        settings = checked_settings(folder, lines)
        golds.check_there(folder, gold_in_force(lines))  # if it is, `checked` compared its mark
        changed = changed_settings(folder, lines)
        if changed:
            lines = folder.append(lines, changed, now)
        with sealed("publish the board"):
            cache = cache_of(folder, lines)
            content = board_content(folder, settings, lines, gold_of(folder, settings), now, cache)
            staged = write_board_site(folder, settings, lines, content, place, now)
    return Publication(place, content.as_of, staged.n_files, staged.n_made)


def write_board_site(
    folder: Folder,
    settings: Settings,
    lines: Sequence[Line],
    content: BoardContent,
    site: Path,
    now: datetime,
) -> Staged:
    """Write the site of a board into a folder, all of it or nothing; the caller holds the lock of the board.

    The record gets a line before the site takes its place, unless its last publication was of the same site.
    Publishing again after a process was killed in between completes it.
    """
    target = site_place(folder, site)
    published = [line.event for line in lines if isinstance(line.event, Published)]

    def announce(staged: Staged) -> None:
        if not published or published[-1].manifest != staged.manifest:
            event = Published(staged.manifest, content.as_of, staged.n_files, __version__)
            folder.append(lines, [event], now)

    with files.reported(f"publish the board in {path_text(site)}", BoardError):
        made = kit(folder, settings, folder.text())
        trusted = {one.manifest for one in published}
        return write(pages(content, made), content, target, trusted, announce)


def site_place(folder: Folder, site: Path) -> Path:
    """Return the folder that the site is written to; one that is not free for it is refused."""
    return checked_place(site, folder.path, (folder.gold_folder, folder.submissions, folder.scratch))


def kit(folder: Folder, settings: Settings, text: str) -> dict[str, bytes]:
    """Return the files that participants need to check predictions at home, by their names.

    `text` is that of `board.toml`, from which the settings were read.
    """
    lists = [folder.items_file(task.name, settings) for task in settings.tasks]
    with files.reported(f"read the board {path_text(folder.path)}", BoardError):
        made = {path.relative_to(folder.path).as_posix(): path.read_bytes() for path in lists}
    return {"board.toml": text.encode(), **made}


def verify(folder: Folder, site: str | Path | None, now: datetime) -> Verification:
    """Compare everything of a board with its record; nothing is written.

    The chain of the record, the bytes of all submissions, of the lists of items and of every version of the
    gold, and the settings are checked first. Then the last publication, and `site` if it is given, are
    computed anew from the record as it was then, and compared byte by byte. What cannot be computed because
    something before it is wrong is not reported once more.
    """
    try:
        lines = folder.lines()
    except BoardError as error:
        return Verification((error.message,), 0, 0)
    found = [
        *_findings_in_record(folder, lines),
        *_findings_in_submissions(folder, lines),
        *_findings_in_golds(folder, lines),
        *_findings_in_gitignore(folder),
    ]
    n_files, n_submissions = 0, sum(isinstance(line.event, Submitted) for line in lines)
    texts = [one.text for one in found]
    if not any(one.hinders for one in found):
        of_site, n_files = _findings_in_sites(folder, lines, None if site is None else user_path(site))
        texts += of_site
    elif site is not None:
        texts.append(
            "the published numbers were not computed anew, as files of the board are not as they were"
        )
    remarks = tuple(filter(None, [record.ahead(lines, now), _without_effect(lines)]))
    return Verification(tuple(texts), len(lines), n_submissions, n_files, remarks)


@dataclass(frozen=True, slots=True)
class _Finding:
    """What is not as it should be, and whether it keeps the published numbers from being computed anew."""

    text: str
    hinders: bool = True


def _findings_in_record(folder: Folder, lines: Sequence[Line]) -> Iterator[_Finding]:
    """Yield what is wrong with the record and the settings."""
    torn = record.torn(folder.record_file)
    if torn:
        yield _Finding(
            f"the record ends with {counted(torn, 'byte')} of a line that was never finished: a process was"
            " killed, and the next change of the board removes them",
            hinders=False,
        )
    if not any(isinstance(line.event, GoldSet) for line in lines):
        yield _Finding("the record of the board has no gold")
    recorded = settings_text(lines)
    try:
        text = folder.text()
    except BoardError as error:
        yield _Finding(error.message, hinders=False)
        return
    if recorded is None:
        yield _Finding("the record of the board has no settings")
    elif text != recorded:
        yield _Finding(
            "board.toml was changed since it was last recorded; the next change of the board records it",
            hinders=False,
        )


def _findings_in_submissions(folder: Folder, lines: Sequence[Line]) -> Iterator[_Finding]:
    """Yield the files of submissions that are not there, were changed, or are in no line of the record."""
    files = {
        file: line.number
        for line in reversed(lines)
        if isinstance(line.event, Submitted)
        for file in line.event.files.values()
    }
    for file, number in sorted(files.items(), key=lambda pair: pair[1]):
        try:
            folder.submission(file)
        except BoardError as error:
            yield _Finding(f"submission {number}: {error.message}")
    expected = {folder.submission_file(file).name for file in files}
    for name in sorted(files_in(folder.submissions)):
        if name not in expected and not name.startswith("."):
            yield _Finding(
                f"{path_text(folder.submissions / name)} is in no line of the record: a process was killed"
                " before it wrote its line, or lines were removed; find out, then remove the file",
                hinders=False,
            )


def _findings_in_golds(folder: Folder, lines: Sequence[Line]) -> Iterator[_Finding]:
    """Yield the versions of the gold, and lists of items, that are not there or were changed."""
    versions = [line.event for line in lines if isinstance(line.event, GoldSet)]
    for version in versions:
        try:
            golds.check_mark(folder, version)
        except BoardError as error:
            yield _Finding(error.message)
            continue
        if not golds.key_is_as_written(folder, version.version):
            yield _Finding(
                f"the key of version {version.version} of the gold is not written as it was: it has white"
                " space or capital letters that do not change the key",
                hinders=False,
            )
    text = settings_text(lines)
    if not versions or text is None:
        return
    settings = parse(text, "the record")
    for task in versions[-1].items:
        try:
            folder.check_items_of(task, settings, versions[-1])
        except BoardError as error:
            yield _Finding(error.message)


def _findings_in_gitignore(folder: Folder) -> Iterator[_Finding]:
    """Yield what keeps `.gitignore` from keeping the gold, its keys and the cache out of git."""
    lacking = missing_patterns(folder)
    if lacking:
        yield _Finding(
            f"{path_text(folder.path / '.gitignore')} does not keep {', '.join(lacking)} out of git, which"
            " could store hidden files of the board: write each on a line of its own",
            hinders=False,
        )


def _findings_in_sites(folder: Folder, lines: Sequence[Line], site: Path | None) -> tuple[list[str], int]:
    """Return what is wrong with the last publication and with a site, and how many files were compared."""
    published = [line for line in lines if isinstance(line.event, Published)]
    if not published:
        return (["the record has no published site"] if site is not None else []), 0
    found: list[str] = []
    last = published[-1]
    mine = last
    if site is not None:
        mark = mark_of(site / MANIFEST)
        mine = next((line for line in reversed(published) if _manifest(line) == mark), last)
        if _manifest(mine) != mark:
            found.append(f"the manifest of {path_text(site)} is not in the record")
    n_files = 0
    for line in dict.fromkeys((last, mine)):
        past = _past(lines, line)
        with sealed("compute the published numbers anew"):
            rendered = _rendered(folder, past)
        expected, other, count = rendered, "is not what gold and submissions give", ""
        if site is not None and line is mine and mark == past.event.manifest != rendered[MANIFEST]:
            expected, other = as_published(site), "is not what was published"
            n_other = sum(expected.get(path) != rendered.get(path) for path in {*expected, *rendered})
            count = f", in {counted(n_other, 'file')}"
        if rendered[MANIFEST] != past.event.manifest:
            found.append(
                f"line {line.number + 1} of the record: gold and submissions give another site than the one"
                f" that was published{count}{_by_another(past.event.version)}"
            )
        if site is not None and line is mine:
            n_files = len(expected)
            found += [f"{path_text(site)}: {one}" for one in differences(expected, site, other)]
    return found, n_files


def _manifest(line: Line) -> str:
    assert isinstance(line.event, Published)
    return line.event.manifest


@dataclass(frozen=True, slots=True)
class _Past:
    """The board as it was when a site was published."""

    lines: Sequence[Line]
    settings: Settings
    text: str
    event: Published


def _past(lines: Sequence[Line], published: Line) -> _Past:
    """Return the board as it was before a line that tells of a publication."""
    assert isinstance(published.event, Published)
    before = lines[: published.number + 1]  # with the line itself: as version 0.2.0 wrote it, it ended phases
    text = settings_text(before) or ""
    return _Past(before, parse(text, "the record"), text, published.event)


def _rendered(folder: Folder, past: _Past) -> dict[str, str]:
    """Return the SHA-256 of every file that the record, the gold and the submissions give."""
    now = datetime.fromisoformat(past.event.as_of).astimezone(UTC)
    content = board_content(folder, past.settings, past.lines, gold_of(folder, past.settings), now)
    files = render(content, kit(folder, past.settings, past.text))
    return {path: hashlib.sha256(data).hexdigest() for path, data in files.items()}


def _by_another(version: str) -> str:
    """Return that another version of bestby published a site; nothing if this one did."""
    if version == __version__:
        return ""
    by = f"version {version}" if version else "an older version"
    return f" ({by} of bestby did, whose pages may be others; publish again to have all numbers verified)"


def _without_effect(lines: Sequence[Line]) -> str:
    text = settings_text(lines)
    return "" if text is None else parse(text, "the record").without_effect
