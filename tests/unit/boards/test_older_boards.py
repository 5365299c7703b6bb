"""Boards of version 0.2.0 open, verify and publish: what was public stays so, and nothing else is shown.

In `boards_0_2_0/` both have a public phase, and a private one that ends on 2026-02-01 and shows its results
after it. `ended` was published after this date; `ladder`, which has the key of that name, before it.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import shutil
import warnings
from pathlib import Path

import pytest

from bestby.boards.board import Board
from bestby.boards.folder import Folder
from bestby.errors import InvalidInputError

BOARDS = Path(__file__).parent / "boards_0_2_0"


def older(folder: Path, name: str) -> Board:
    """Return a copy of a board, with the `.gitignore` that would hide its gold from git in this folder."""
    shutil.copytree(BOARDS / name, folder / name)
    (folder / name / "gitignore").rename(folder / name / ".gitignore")
    return Board(folder / name)


def published(board: Board, site: Path) -> Path:
    """Return the site of a board, whose ladder, if it has one, is said to do nothing."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "board.toml: the key ladder", UserWarning)
        return board.publish(site).site


def test_a_ladder_in_the_settings_is_said_to_do_nothing_by_publish_and_verify_alone(tmp_path: Path) -> None:
    board = older(tmp_path, "ladder")
    assert [one.state for one in board.submissions()] == ["in force"] * 8  # one was no improvement
    board.check(next((board.path / "submissions").iterdir()))
    said = "board.toml: the key ladder of phase public no longer does anything"
    with pytest.warns(UserWarning, match=said):
        board.publish(tmp_path / "site")
    assert [one.startswith(said) for one in board.verify().remarks] == [True]
    assert board.verify().sound
    settings = board.path / "board.toml"
    settings.write_text(settings.read_text().replace("ladder = true\n", ""))
    board.publish(tmp_path / "site")
    assert board.verify().remarks == ()


def test_every_submission_of_a_phase_that_had_a_ladder_is_shown(tmp_path: Path) -> None:
    board = older(tmp_path, "ladder")
    published(board, tmp_path / "site")
    assert board.verify(tmp_path / "site").sound
    (table,) = (tmp_path / "site" / "data").glob("public-task-accuracy-*[0-9a-f].csv")
    assert "ours/second" in table.read_text()


def test_what_was_published_after_the_date_of_an_end_stays_public(tmp_path: Path) -> None:
    board = older(tmp_path, "ended")
    published(board, tmp_path / "site")
    assert any((tmp_path / "site" / "data").glob("private-*"))
    assert board.verify(tmp_path / "site").sound
    lines = len((board.path / "record.jsonl").read_text().splitlines())
    assert board.end("private") == 11  # the line of the publication by version 0.2.0
    assert len((board.path / "record.jsonl").read_text().splitlines()) == lines
    board.end("private", revoke=True)
    published(board, tmp_path / "site")
    assert not any((tmp_path / "site" / "data").glob("private-*"))


def test_what_was_not_published_after_the_date_waits_for_the_line(tmp_path: Path) -> None:
    board = older(tmp_path, "ladder")
    published(board, tmp_path / "site")
    assert not any((tmp_path / "site" / "data").glob("private-*"))
    board.end("private")
    published(board, tmp_path / "site")
    assert any((tmp_path / "site" / "data").glob("private-*"))
    assert board.verify(tmp_path / "site").sound


def test_a_date_that_is_changed_later_ends_no_phase_of_an_older_publication(tmp_path: Path) -> None:
    board = older(tmp_path, "ladder")
    settings = board.path / "board.toml"
    assert "end = 2026-02-01" in settings.read_text()
    settings.write_text(settings.read_text().replace("end = 2026-02-01", "end = 2026-01-03"))
    published(board, tmp_path / "site")
    assert not any((tmp_path / "site" / "data").glob("private-*"))
    assert board.verify(tmp_path / "site").sound


@pytest.mark.parametrize("name", ["ended", "ladder"])
def test_verify_finds_nothing_but_a_site_that_another_version_wrote(tmp_path: Path, name: str) -> None:
    board = older(tmp_path, name)
    findings = board.verify().findings
    assert all("an older version of bestby did" in one for one in findings)
    published(board, tmp_path / "site")  # what the finding says
    assert board.verify().sound


def rewritten(board: Board, site: Path) -> int:
    """Change the pages of a site as if an older version had written and recorded it; return their number."""
    folder, file = Folder.existing(board.path), site / "manifest.json"
    listed = json.loads(file.read_bytes())
    pages = [path for path in listed["files"] if path.endswith(".html")]
    for path in pages:
        (site / path).write_bytes((site / path).read_bytes() + b"<!-- as it was -->")
        listed["files"][path]["sha256"] = hashlib.sha256((site / path).read_bytes()).hexdigest()
    file.write_text(json.dumps(listed))
    lines = folder.lines()
    event = dataclasses.replace(
        lines[-1].event, manifest=hashlib.sha256(file.read_bytes()).hexdigest(), version=""
    )
    folder.append(lines, [event], lines[-1].time)
    return len(pages)


def test_an_untouched_site_of_an_older_version_is_one_finding_with_a_count(tmp_path: Path) -> None:
    board = older(tmp_path, "ended")
    site = published(board, tmp_path / "site")
    n_pages = rewritten(board, site)
    (one,) = board.verify(site).findings
    assert f"another site than the one that was published, in {n_pages + 1} files (an older version" in one
    (site / "index.html").write_text("changed by hand")
    (site / "badge.svg").unlink()
    _, *others = board.verify(site).findings
    assert [text.rpartition("/site': ")[2] for text in others] == [
        "badge.svg is missing",
        "index.html is not what was published",
    ]


def test_names_that_are_on_a_board_go_on_and_their_likes_are_refused(tmp_path: Path) -> None:
    """Both "ours" and one with a Cyrillic o submitted to the boards."""
    board = older(tmp_path, "ladder")
    predictions = next((board.path / "submissions").iterdir())
    for team in ("ours", "\u043eurs"):
        assert board.submit(predictions, team=team, system="new", phase="public").is_new
    with pytest.raises(InvalidInputError, match="the team 'our\u0455' is too like"):
        board.submit(predictions, team="our\u0455", system="new", phase="public")
