"""Publishing a board: its site is written, the record says so, and the site takes its place."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from bestby._core import files
from bestby._core.errors import BoardError
from bestby._core.text import path_text
from bestby._version import __version__
from bestby.boards.content import BoardContent
from bestby.boards.events import Line, Published
from bestby.boards.folder import Folder
from bestby.boards.settings import Settings
from bestby.boards.site.building import pages
from bestby.boards.site.staging import Staged, checked_place, write


def publish(
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
    target = place_of(folder, site)
    published = [line.event for line in lines if isinstance(line.event, Published)]

    def announce(staged: Staged) -> None:
        if not published or published[-1].manifest != staged.manifest:
            event = Published(staged.manifest, content.as_of, staged.n_files, __version__)
            folder.append(lines, [event], now)

    with files.reported(f"publish the board in {path_text(site)}", BoardError):
        made = kit(folder, settings, folder.text())
        trusted = {one.manifest for one in published}
        return write(pages(content, made), content, target, trusted, announce)


def place_of(folder: Folder, site: Path) -> Path:
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
