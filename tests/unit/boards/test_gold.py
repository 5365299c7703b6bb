"""The hidden gold of a board: whoever changes it is found out, and its mark tells nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from bestby.boards import gold
from bestby.boards.folder import Folder
from bestby.boards.record import GoldSet
from bestby.boards.settings import Task
from bestby.errors import BoardError

TASK = Task("t", ("accuracy",))
LABELS = gold.TaskGold(
    {
        "id": ["1", "2", "3"],
        "gold": ["x", "y", "x"],
        "author": ["a", "a", "b"],
        "part": ["public", "private", "public"],
    }
)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """Return the folder of a board whose gold lies beside it."""
    return Folder.at(tmp_path / "board", tmp_path / "secret")


def made(folder: Folder) -> GoldSet:
    """Write the gold and return what the record says of it."""
    return GoldSet(1, gold.write(folder, 1, {"t": LABELS}), {})


def test_the_gold_comes_back(folder: Folder) -> None:
    found = gold.read(folder, made(folder), [TASK])["t"]
    assert (list(found.ids), list(found.labels or ())) == (["1", "2", "3"], ["x", "y", "x"])
    assert list(found.grouping("author")) == ["a", "a", "b"]
    assert found.in_part("public").tolist() == [True, False, True]
    assert found.in_part("private").tolist() == [False, True, False]
    assert found.in_part("all").all()


def test_others_cannot_read_it(folder: Folder) -> None:
    made(folder)
    assert folder.gold_version(1).stat().st_mode & 0o077 == 0


def change_label(version: Path) -> None:
    """Change a label."""
    (version / "t.csv").write_text((version / "t.csv").read_text().replace("2,y", "2,x"))


def add_task(version: Path) -> None:
    """Add a file."""
    (version / "u.csv").write_text("id,gold\n1,x\n")


def remove_task(version: Path) -> None:
    """Remove a file."""
    (version / "t.csv").unlink()


def rename_task(version: Path) -> None:
    """Give the gold of a task to another one."""
    (version / "t.csv").rename(version / "s.csv")


def other_key(version: Path) -> None:
    """Replace the key."""
    (version / "key").write_text("00" * 32)


def no_key(version: Path) -> None:
    """Damage the key."""
    (version / "key").write_text("no key")


def nothing_left(version: Path) -> None:
    """Remove the version."""
    for path in version.iterdir():
        path.unlink()
    version.rmdir()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (change_label, "was changed"),
        (add_task, "was changed"),
        (remove_task, "was changed"),
        (rename_task, "was changed"),
        (other_key, "was changed"),
        (no_key, "key of the gold is damaged"),
        (nothing_left, "version 1 of the gold is not in"),
    ],
)
def test_a_changed_gold_is_refused(folder: Folder, change: Callable[[Path], None], message: str) -> None:
    event = made(folder)
    change(folder.gold_version(1))
    with pytest.raises(BoardError, match=message) as caught:
        gold.read(folder, event, [TASK])
    assert caught.value.hint


def test_the_mark_is_no_hash_of_the_gold_alone(folder: Folder) -> None:
    first, second = made(folder).mark, made(folder).mark
    assert first != second
    data = (folder.gold_version(1) / "t.csv").read_bytes()
    assert second != hashlib.sha256(data).hexdigest()


def test_the_same_key_gives_the_same_mark(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bestby.boards.gold.secrets.token_hex", lambda size: "ab" * size)
    marks = {gold.write(folder, version, {"t": LABELS}) for version in (1, 2)}
    assert len(marks) == 1


def test_what_a_killed_process_left_of_a_version_is_replaced(folder: Folder) -> None:
    folder.gold_version(1).mkdir(parents=True)
    (folder.gold_version(1) / "old.csv").write_text("id,gold\n1,x\n")
    event = made(folder)
    assert sorted(path.name for path in folder.gold_version(1).iterdir()) == ["key", "t.csv"]
    gold.check_mark(folder, event)


def test_an_unsplit_gold_has_no_parts(folder: Folder) -> None:
    whole = gold.TaskGold({"id": ["1"], "gold": ["x"]})
    assert whole.in_part("all").tolist() == [True]
    with pytest.raises(BoardError, match="not split"):
        whole.in_part("public")


def test_a_column_that_is_not_there_is_named(folder: Folder) -> None:
    with pytest.raises(BoardError, match="no column 'domain'"):
        LABELS.grouping("domain")
