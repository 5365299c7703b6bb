"""The folder of a board: paths, submissions under their hashes, tables of items."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bestby.boards.folder import Folder, read_columns, table_bytes
from bestby.boards.record import GoldSet, gold_in_force
from bestby.boards.settings import parse
from bestby.errors import BoardError, InvalidInputError

ONE = '[[task]]\nname = "sentiment"\nmetrics = "accuracy"\n'
NOW = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """Return a board with settings and items."""
    made = Folder.at(tmp_path / "board")
    made.path.mkdir()
    made.settings_file.write_text(f'title = "Board"\n{ONE}')
    (made.path / "items.csv").write_bytes(table_bytes({"id": ["b", "a", 'c,"d"']}))
    return made


def test_the_gold_lies_in_the_board_or_where_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BESTBY_BOARD_GOLD", raising=False)
    assert Folder.at(tmp_path).gold_version(2) == tmp_path / "gold" / "2"
    monkeypatch.setenv("BESTBY_BOARD_GOLD", str(tmp_path / "secret"))
    assert Folder.at(tmp_path).gold_version(1) == tmp_path / "secret" / "1"
    assert Folder.at(tmp_path, tmp_path / "given").gold_folder == tmp_path / "given"


def test_a_folder_without_settings_is_no_board(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="is not a board") as caught:
        Folder.existing(tmp_path)
    assert "bestby board init" in str(caught.value.hint)


def test_items_keep_their_order_and_their_ids(folder: Folder) -> None:
    assert folder.items("sentiment", folder.settings()) == ("b", "a", 'c,"d"')


def test_several_tasks_have_a_file_each(folder: Folder) -> None:
    two = parse(f'title = "Board"\n{ONE}{ONE.replace("sentiment", "topic")}', "board.toml")
    assert folder.items_file("topic", two) == folder.path / "items" / "topic.csv"


def test_settings_that_are_not_utf_8_are_refused(folder: Folder) -> None:
    folder.settings_file.write_bytes(b'title = "\xff"\n')
    with pytest.raises(InvalidInputError, match="is not UTF-8"):
        folder.text()


def test_line_feeds_of_windows_are_the_same_settings(folder: Folder) -> None:
    text = folder.text()
    folder.settings_file.write_bytes(text.replace("\n", "\r\n").encode())
    assert folder.text() == text


def test_a_submission_is_stored_once_and_read_only(folder: Folder) -> None:
    data = b"id,prediction\na,x\n"
    with folder.locked():
        file, again = folder.store(data, ".csv"), folder.store(data, ".csv")
    assert file == again
    assert file.sha256 == hashlib.sha256(data).hexdigest()
    assert folder.submission(file) == data
    path = folder.submission_file(file)
    assert path.name == f"{file.sha256}.csv"
    assert path.stat().st_mode & 0o777 == 0o444
    assert not any(folder.scratch.glob("*.part"))


def test_a_changed_submission_is_refused(folder: Folder) -> None:
    with folder.locked():
        file = folder.store(b"x\n", ".txt")
    path = folder.submission_file(file)
    path.chmod(0o644)
    path.write_bytes(b"y\n")
    with pytest.raises(BoardError, match="was changed"):
        folder.submission(file)
    with folder.locked(), pytest.raises(BoardError, match="was changed"):
        folder.store(b"x\n", ".txt")


def test_a_submission_that_is_gone_is_reported(folder: Folder) -> None:
    with folder.locked():
        file = folder.store(b"x\n", ".txt")
    folder.submission_file(file).unlink()
    with pytest.raises(BoardError, match="No such file"):
        folder.submission(file)


def test_the_gold_in_force_is_the_last_one(folder: Folder) -> None:
    with folder.locked():
        lines = folder.append((), [GoldSet(1, "m", {}), GoldSet(2, "n", {}, "typos")], NOW)
    assert gold_in_force(folder.lines()).version == 2
    assert folder.lines() == lines
    with pytest.raises(BoardError, match="has no gold"):
        gold_in_force(())


@pytest.mark.parametrize(
    "data",
    [b"", b"name\na\n", b"id,gold\na\n", b"id\na\na\n", b"id\n\xff\n", b"id,id\na,a\n", b'id\n"a\n'],
    ids=["empty", "no id", "short row", "id twice", "not UTF-8", "column twice", "open quote"],
)
def test_a_damaged_table_is_refused(data: bytes) -> None:
    with pytest.raises(BoardError, match="is not a table of items"):
        read_columns(Path("items.csv"), data, "id")


def test_tables_come_back_as_they_were() -> None:
    columns = {"id": ["1", "two\nlines", ' "q" '], "gold": ["ä,b", "", "0"]}
    assert read_columns(Path("t.csv"), table_bytes(columns), "id", "gold") == columns


@pytest.mark.parametrize(
    ("added", "message"),
    [
        ('metrics = "acuracy"', "there is no metric 'acuracy'"),
        ('metrics = ["accuracy", "accuracy"]', "'accuracy' is named twice"),
        ('metrics = "accuracy"\nmargins = {f1 = 0.1}', "a margin for 'f1', which is none of its metrics"),
        (
            'metrics = "accuracy"\nmargins = {accuracy = 2}',
            "margin of accuracy is 2, and accuracy lies between 0 and 1",
        ),
        ('metrics = "accuracy"\n[[phase]]\nname = "a"\nend = 0001-01-01T00:00:00+14:00', "end cannot be"),
        ('metrics = "accuracy"\n[[phase]]\nname = "a"\nend = 12:00:00', "end cannot be"),
    ],
)
def test_settings_that_no_board_can_have_are_refused(added: str, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message) as caught:
        parse(f'title = "Board"\n[[task]]\nname = "sentiment"\n{added}\n', "board.toml")
    assert caught.value.message.startswith("board.toml, [[")
    assert caught.value.hint


@pytest.mark.parametrize(
    ("added", "message"),
    [
        ("level = 2", "level cannot be 2"),
        ("url = 'javascript:x'", "is not the address of a page"),
        ("phase = [{name = 'a', start = 2026-01-02, end = 2026-01-01}]", "phase 'a' ends before it starts"),
    ],
)
def test_settings_of_the_whole_board_that_cannot_be_are_refused(added: str, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message) as caught:
        parse(f'title = "Board"\n{added}\n{ONE}', "board.toml")
    assert caught.value.hint


def test_settings_of_endless_brackets_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="is not TOML"):
        parse("x = " + "[" * 50_000, "board.toml")


def test_an_empty_list_of_phases_is_one_phase() -> None:
    assert [one.name for one in parse(f'title = "Board"\nphase = []\n{ONE}', "board.toml").phases] == ["all"]
