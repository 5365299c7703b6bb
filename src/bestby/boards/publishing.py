"""Publishing the site of a board in one step, and verifying it: record, files, and every number."""

from __future__ import annotations

import ctypes
import errno
import hashlib
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bestby._core import files
from bestby._core.errors import BoardError, InvalidInputError
from bestby._core.paths import possible_path, user_path
from bestby._core.text import counted, path_text, quoted
from bestby._version import __version__
from bestby.boards import gold as golds
from bestby.boards import record
from bestby.boards.compute import board_content, cache_of
from bestby.boards.content import BoardContent
from bestby.boards.folder import Folder, missing_patterns
from bestby.boards.gold import sealed
from bestby.boards.record import GoldSet, Line, Published, Submitted, gold_in_force, settings_text
from bestby.boards.result import Publication, Verification
from bestby.boards.settings import Settings, parse
from bestby.boards.site.building import MANIFEST, File, manifest, pages, render
from bestby.boards.submitting import changed_settings, checked_settings


def publish(folder: Folder, site: str | Path, now: datetime) -> Publication:
    """Write the site of a board, all of it or nothing; the record tells of it if it is another one.

    Its line is written before the site takes its place. Publishing again after a process was killed in
    between completes it.
    """
    place = possible_path(site)
    target = checked_place(place, folder.path, (folder.gold_folder, folder.submissions, folder.scratch))
    with folder.locked():
        lines = folder.lines()
        settings = checked_settings(folder, lines)
        golds.check_there(folder, gold_in_force(lines))  # if it is, `checked` compared its mark
        changed = changed_settings(folder, lines)
        if changed:
            lines = folder.append(lines, changed, now)
        published = [line.event for line in lines if isinstance(line.event, Published)]

        def announce(staged: Staged) -> None:
            if not published or published[-1].manifest != staged.manifest:
                event = Published(staged.manifest, content.as_of, staged.n_files, __version__)
                folder.append(lines, [event], now)

        with sealed("publish the board"):
            cache = cache_of(folder, lines)
            content = board_content(folder, settings, lines, now, cache)
            with files.reported(f"publish the board in {path_text(place)}", BoardError):
                made = pages(content, kit(folder, settings, folder.text()))
                staged = write(made, content, target, announce)
    return Publication(place, content.as_of, staged.n_files, staged.n_changed)


def kit(folder: Folder, settings: Settings, text: str) -> dict[str, bytes]:
    """Return the files that participants need to check predictions at home, by their names.

    `text` is that of `board.toml`, from which the settings were read.
    """
    lists = [folder.items_file(task.name, settings) for task in settings.tasks]
    with files.reported(f"read the board {path_text(folder.path)}", BoardError):
        item_lists = {path.relative_to(folder.path).as_posix(): path.read_bytes() for path in lists}
    return {"board.toml": text.encode(), **item_lists}


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
    findings = [
        *_findings_in_record(folder, lines),
        *_findings_in_submissions(folder, lines),
        *_findings_in_golds(folder, lines),
        *_findings_in_gitignore(folder),
    ]
    n_files, n_submissions = 0, sum(isinstance(line.event, Submitted) for line in lines)
    texts = [one.text for one in findings]
    if not any(one.hinders for one in findings):
        in_sites, n_files = _findings_in_sites(folder, lines, None if site is None else user_path(site))
        texts += in_sites
    elif site is not None:
        texts.append(
            "the published numbers were not computed anew, as files of the board are not as they were"
        )
    text = settings_text(lines)
    without_effect = "" if text is None else parse(text, "the record").without_effect
    remarks = tuple(filter(None, [record.ahead(lines, now), without_effect]))
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
    published = [(line, line.event) for line in lines if isinstance(line.event, Published)]
    if not published:
        return (["the record has no published site"] if site is not None else []), 0
    findings: list[str] = []
    last = published[-1]
    mine = last
    if site is not None:
        mark = mark_of(site / MANIFEST)
        mine = next((one for one in reversed(published) if one[1].manifest == mark), last)
        if mine[1].manifest != mark:
            findings.append(f"the manifest of {path_text(site)} is not in the record")
    n_files = 0
    for line, event in dict.fromkeys((last, mine)):
        with sealed("compute the published numbers anew"):
            rendered = _rendered(folder, lines[: line.number + 1], event)
        expected, other, count = rendered, "is not what gold and submissions give", ""
        if site is not None and line is mine[0] and mark == event.manifest != rendered[MANIFEST]:
            expected, other = as_published(site), "is not what was published"
            n_other = sum(expected.get(path) != rendered.get(path) for path in {*expected, *rendered})
            count = f", in {counted(n_other, 'file')}"
        if rendered[MANIFEST] != event.manifest:
            findings.append(
                f"line {line.number + 1} of the record: gold and submissions give another site than the one"
                f" that was published{count}{_by_another(event.version)}"
            )
        if site is not None and line is mine[0]:
            n_files = len(expected)
            findings += [f"{path_text(site)}: {one}" for one in differences(expected, site, other)]
    return findings, n_files


def _rendered(folder: Folder, lines: Sequence[Line], event: Published) -> dict[str, str]:
    """Return the SHA-256 of every file that the record, the gold and the submissions give.

    `lines` end with that of the publication itself: as version 0.2.0 wrote it, it ended phases.
    """
    text = settings_text(lines) or ""
    settings = parse(text, "the record")
    now = datetime.fromisoformat(event.as_of).astimezone(UTC)
    content = board_content(folder, settings, lines, now)
    made = render(content, kit(folder, settings, text))
    return {path: hashlib.sha256(data).hexdigest() for path, data in made.items()}


def _by_another(version: str) -> str:
    """Return that another version of bestby published a site; nothing if this one did."""
    if version == __version__:
        return ""
    by = f"version {version}" if version else "an older version"
    return f" ({by} of bestby did, whose pages may be others; publish again to have all numbers verified)"


# -- the folder of a site: built beside its place, then put there in one step ----------------------


@dataclass(frozen=True, slots=True)
class Staged:
    """A site that was written: the SHA-256 of its manifest, its files, and how many are new or changed."""

    manifest: str
    n_files: int
    n_changed: int


def write(
    pages: Iterable[File], content: BoardContent, target: Path, announce: Callable[[Staged], None]
) -> Staged:
    """Write a site, all of it or nothing.

    `announce` is called when the new site is complete, before it takes its place.
    """
    new, aside = (target.with_name(f".{target.name}.bestby-{part}") for part in ("new", "old"))
    recover(new, target, aside)
    try:
        new.mkdir()
        digests = {}
        for path, data in pages:
            place = new / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
            digests[path] = hashlib.sha256(data).hexdigest()
        listed = manifest(content, digests)
        (new / MANIFEST).write_bytes(listed)
        if target.exists():
            new.chmod(target.stat().st_mode & 0o7777)
        n_changed = sum(mark_of(target / path) != digest for path, digest in digests.items())
        staged = Staged(hashlib.sha256(listed).hexdigest(), len(digests) + 1, n_changed)
        announce(staged)
        put_in_place(new, target, aside)
    finally:  # it has another name by now if all went well
        shutil.rmtree(new, ignore_errors=True)
    return staged


def checked_place(site: Path, board: Path, secret: Sequence[Path]) -> Path:
    """Return the folder that a site is written to; one that holds anything else is refused.

    `board` is the folder of the board, and `secret` are folders of which nothing may be published.
    """
    target = Path(os.path.realpath(site))
    for private in (Path(os.path.realpath(one)) for one in (board, *secret)):
        inside = private in target.parents and private != Path(os.path.realpath(board))
        if inside or target == private or target in private.parents:
            raise InvalidInputError(
                f"the site cannot be {path_text(site)}: the gold and the submissions lie there",
                hint="name a folder of its own, such as the folder site in the board",
            )
    if target.exists() and not target.is_dir():
        raise InvalidInputError(f"{path_text(site)} is not a folder", hint="name a folder for the site")
    if not target.parent.is_dir():
        raise InvalidInputError(
            f"there is no folder {path_text(target.parent)} to write the site in", hint="create it first"
        )
    if target.exists():
        _check_files(site, target)
    return target


def _check_files(site: Path, target: Path) -> None:
    """Refuse a folder with files that were not published, since publishing replaces the whole folder."""
    present = sorted(files_in(target))
    listed = listed_files(_bytes_or_none(target / MANIFEST))
    if present and listed is None:
        raise InvalidInputError(
            f"{path_text(site)} is not the site of a board, and it is not empty",
            hint="name an empty folder, or one that does not exist",
        )
    foreign = [path for path in present if path != MANIFEST and path not in (listed or {})]
    if foreign:
        raise InvalidInputError(
            f"{path_text(site)} holds {counted(len(foreign), 'file')} that no publication wrote, such as"
            f" {quoted(foreign[0])}; publishing replaces the whole folder",
            hint="move them out of the folder first",
        )


def put_in_place(new: Path, target: Path, aside: Path) -> None:
    """Put a folder in the place of another one, which is then removed; readers see one of them, whole.

    Without an exchange in one step, the old folder is first renamed to `aside`, and for a moment there is
    none. `recover` puts it back if the process ends just then.
    """
    if not target.exists():
        new.rename(target)
    elif _exchanged(new, target):
        shutil.rmtree(new, ignore_errors=True)
    else:
        target.rename(aside)
        try:
            new.rename(target)
        finally:
            if not target.exists():
                aside.rename(target)
        shutil.rmtree(aside, ignore_errors=True)


def recover(new: Path, target: Path, aside: Path) -> None:
    """Clear up after a process that was killed: the target is then the old folder or the new one."""
    if aside.exists() and not target.exists():
        aside.rename(target)
    for left in (new, aside):
        if left.exists():
            shutil.rmtree(left)


def _exchanged(new: Path, target: Path) -> bool:
    """Exchange two folders in one step, and tell whether the system can."""
    names = os.fsencode(new), os.fsencode(target)
    try:
        library = ctypes.CDLL(None, use_errno=True)
        if sys.platform == "linux":
            failed = library.renameat2(_AT_FDCWD, names[0], _AT_FDCWD, names[1], _EXCHANGE)
        elif sys.platform == "darwin":
            failed = library.renamex_np(*names, _EXCHANGE)
        else:
            return False
    except (AttributeError, OSError, TypeError):  # a library without the function, or no library at all
        return False
    if failed and (code := ctypes.get_errno()) not in _UNABLE:
        raise OSError(code, os.strerror(code), str(target))
    return not failed


_AT_FDCWD = -100

_EXCHANGE = 2  # RENAME_EXCHANGE of Linux, RENAME_SWAP of macOS

_UNABLE = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP}


def differences(expected: Mapping[str, str], site: Path, other: str) -> tuple[str, ...]:
    """Return how the files of a folder differ from those with the SHA-256 `expected`, in words.

    `other` is what is said of a file with other bytes.
    """
    present = set(files_in(site)) if site.is_dir() else set()
    findings = [f"{path} is missing" for path in expected if path not in present]
    findings += [f"{path} is not of the site" for path in present if path not in expected]
    findings += [
        f"{path} {other}" for path in present & expected.keys() if mark_of(site / path) != expected[path]
    ]
    return tuple(sorted(findings))


def as_published(site: Path) -> dict[str, str]:
    """Return the SHA-256 of the files of a site as its manifest has them, and that of the manifest itself."""
    listed = listed_files(_bytes_or_none(site / MANIFEST)) or {}
    return listed | {MANIFEST: mark_of(site / MANIFEST)}


def listed_files(data: bytes | None) -> dict[str, str] | None:
    """Return the hash of each file that a manifest lists; None if it is none.

    Up to version 0.2.0 of bestby it was of format 1, and had a key of each file, too.
    """
    try:
        document: Any = json.loads(data or b"")
        digests = {path: one["sha256"] for path, one in document["files"].items()}
        return digests if document["format"] in (1, 2) else None
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def mark_of(path: Path) -> str:
    """Return the SHA-256 of a file; nothing if it cannot be read."""
    data = _bytes_or_none(path)
    return "" if data is None else hashlib.sha256(data).hexdigest()


def files_in(folder: Path) -> Iterator[str]:
    """Return the paths of the files of a folder; links count as files, whatever they lead to."""
    for place, folders, names in os.walk(folder):
        here = Path(place)
        links = [name for name in folders if (here / name).is_symlink()]
        yield from ((here / name).relative_to(folder).as_posix() for name in (*names, *links))


def _bytes_or_none(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None
