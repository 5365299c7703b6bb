"""Publishing a board: its tables from the gold and the submissions, and its site from the tables."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from bestby._core.paths import possible_path
from bestby.boards import gold as golds
from bestby.boards.content_maker import board_content, cache_of, gold_of
from bestby.boards.folder import Folder, gold_in_force
from bestby.boards.result import Publication
from bestby.boards.secrets import sealed
from bestby.boards.site import publishing as sites
from bestby.boards.submitting import changed_settings, checked


def publish(folder: Folder, site: str | Path, now: datetime) -> Publication:
    """Write the site of a board, all of it or nothing; the record tells of it if it is another one."""
    place = possible_path(site)
    sites.place_of(folder, place)
    with folder.locked():
        lines = folder.lines()
        settings = checked(folder, lines)
        golds.check_there(folder, gold_in_force(lines))  # if it is, `checked` compared its mark
        changed = changed_settings(folder, lines)
        if changed:
            lines = folder.append(lines, changed, now)
        with sealed("publish the board"):
            cache = cache_of(folder, lines)
            content = board_content(folder, settings, lines, gold_of(folder, settings), now, cache)
            staged = sites.publish(folder, settings, lines, content, place, now)
    return Publication(place, content.as_of, staged.n_files, staged.n_made)
