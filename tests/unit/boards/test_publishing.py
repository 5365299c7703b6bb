"""Publishing a board into a folder: the record tells of each site once, and nothing secret is in it."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from tests.unit.boards.small_boards import ONE_TASK, SmallBoard, ids, small_board, two_labels, wrong_on

from bestby._core.errors import BoardError, InvalidInputError
from bestby.boards import publishing
from bestby.boards.publishing import files_in, kit, publish
from bestby.boards.record import Published
from bestby.boards.result import Publication

GOLD = two_labels(40)


@pytest.fixture
def board(tmp_path: Path) -> SmallBoard:
    made = small_board(tmp_path / "board", ONE_TASK, {"spam": {"id": ids(40), "gold": GOLD}})
    for system, share in (("a/one", 0.1), ("b/two", 0.3), ("c/three", 0.4)):
        made.submit(system, wrong_on(GOLD, share, len(system)))
    return made


def published(board: SmallBoard, site: Path) -> Publication:
    return publish(board.folder, site, board.now)


def manifest(site: Path) -> str:
    return hashlib.sha256((site / "manifest.json").read_bytes()).hexdigest()


def told(board: SmallBoard) -> list[Published]:
    return [line.event for line in board.folder.lines() if isinstance(line.event, Published)]


def test_the_record_tells_of_a_site_once(board: SmallBoard, tmp_path: Path) -> None:
    site = tmp_path / "site"
    first = published(board, site)
    (event,) = told(board)
    assert event.manifest == manifest(site)
    assert event.n_files == first.n_files == len(list(files_in(site)))
    assert published(board, site).n_changed == 0
    assert event.manifest == manifest(site)
    assert len(told(board)) == 1
    board.submit("d/four", wrong_on(GOLD, 0.5, 9))
    assert published(board, site).n_changed > 0
    assert len(told(board)) == 2


def test_publishing_again_completes_what_was_cut_off(
    board: SmallBoard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    published(board, site)
    before = (site / "manifest.json").read_bytes()
    board.submit("d/four", wrong_on(GOLD, 0.5, 9))

    def fail(*_: object) -> None:
        raise OSError(16, "Device or resource busy")

    with monkeypatch.context() as patched:
        patched.setattr(publishing, "put_in_place", fail)
        with pytest.raises(BoardError, match=r"cannot publish the board in .*: Device or resource busy"):
            published(board, site)
    assert (site / "manifest.json").read_bytes() == before
    assert len(told(board)) == 2, "the record tells of it before it is there"
    published(board, site)
    assert len(told(board)) == 2
    assert manifest(site) == told(board)[-1].manifest


def test_a_site_that_was_changed_is_made_anew(board: SmallBoard, tmp_path: Path) -> None:
    site = tmp_path / "site"
    published(board, site)
    first = manifest(site)
    whole = (site / "index.html").read_bytes()
    (site / "index.html").write_bytes(whole.replace(b"a/one", b"b/one"))
    assert published(board, site).n_changed == 1
    assert (site / "index.html").read_bytes() == whole
    (site / "manifest.json").unlink()
    with pytest.raises(InvalidInputError, match="is not the site of a board"):
        published(board, site)
    for path in files_in(site):
        (site / path).unlink()
    published(board, site)
    assert manifest(site) == first


def test_the_kit_has_what_a_check_needs(board: SmallBoard) -> None:
    made = kit(board.folder, board.settings, board.folder.text())
    assert sorted(made) == ["board.toml", "items.csv"]
    assert made["items.csv"].decode().splitlines() == ["id", *ids(40)]
