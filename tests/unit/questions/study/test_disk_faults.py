"""What happens to a study when the disk is full, fails, or may only be read."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from tests.unit.children import LIMITING, child, finished, posix
from tests.unit.questions.study.faulty import GOLD, PRELUDE, check_whole

from bestby._core.errors import StudyError
from bestby.questions.study.store import Store

pytestmark = pytest.mark.long
LIMITED = """
def change():
    store.add("h1", run="new", predictions=gold, gold=gold, replace=sys.argv[3] == "replace")
with_room(int(sys.argv[2]), change)
"""


@posix
@pytest.mark.parametrize("begun", ["add", "replace"])
@pytest.mark.parametrize("room", [1000])
def test_a_full_disk(tmp_path: Path, room: int, begun: str) -> None:
    store = Store(tmp_path / "study")
    store.add("h1", run="old", predictions=GOLD, gold=GOLD)
    if begun == "replace":
        store.add("h1", run="new", predictions=GOLD[::-1])
    before = {path: path.read_bytes() for path in store.path.rglob("*") if path.is_file()}
    kind, message, hint = finished(child(PRELUDE + LIMITING + LIMITED, store.path, room, begun))
    assert kind == "StudyError"
    assert message.startswith("cannot add run 'new' of 'h1' to the study")
    assert "File too large" in message
    assert hint.startswith("hint: the study is as it was; check the space left")
    assert {path: path.read_bytes() for path in store.path.rglob("*") if path.is_file()} == before


@posix
def test_a_disk_that_is_full_from_the_start(tmp_path: Path) -> None:
    assert finished(child(PRELUDE + LIMITING + LIMITED, tmp_path / "study", 0, "add"))[0] == "StudyError"
    store = Store(tmp_path / "study")
    assert store.conditions() == ()
    store.add("h1", run=0, predictions=GOLD, gold=GOLD)
    assert check_whole(store) == ["0"]


@pytest.mark.parametrize("name", ["study.json", "gold.json", "runs/h1/0.json"])
@pytest.mark.parametrize("kept", [0.0, 0.5, 0.999])
def test_a_truncated_file_is_named_and_the_rest_is_well(tmp_path: Path, name: str, kept: float) -> None:
    store = Store(tmp_path / "study")
    for run in (0, 1):
        store.add("h1", run=run, predictions=GOLD, gold=GOLD)
    path = store.path / name
    data = path.read_bytes()
    path.write_bytes(data[: min(int(len(data) * kept), len(data) - 2)])
    with pytest.raises(StudyError, match=Path(name).name) as error:
        store.load("h1", 0)
    assert error.value.hint
    if name.startswith("runs"):
        assert store.runs("h1") == ("0", "1")
        assert store.load("h1", 1).predictions.tolist() == GOLD.tolist()
        store.remove("h1", 0)
        store.add("h1", run=0, predictions=GOLD)
    else:
        path.write_bytes(data)
    assert check_whole(store) == ["0", "1"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_study_that_may_only_be_read(tmp_path: Path) -> None:
    store = Store(tmp_path / "study")
    store.add("h1", run=0, predictions=GOLD, gold=GOLD)
    folders = [store.path, *(path for path in store.path.rglob("*") if path.is_dir())]
    for path in folders:
        path.chmod(0o555)
    try:
        assert check_whole(store) == ["0"]
        store.cache.write("ab12", b"0.1")  # no error
        with pytest.raises(StudyError, match=r"cannot add run '1' of 'h1'.*Permission denied"):
            store.add("h1", run=1, predictions=GOLD)
    finally:
        for path in folders:
            path.chmod(0o755)


def test_an_error_of_the_disk_leaves_the_study_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path / "study")
    store.add("h1", run=0, predictions=GOLD, gold=GOLD)

    def broken(*_: object) -> None:
        raise OSError(5, "Input/output error")

    for name in ("fsync", "link"):
        with monkeypatch.context() as patch:
            patch.setattr(os, name, broken)
            with pytest.raises(
                StudyError, match=r"cannot add run '1' of 'h1' .*: Input/output error"
            ) as error:
                store.add("h1", run=1, predictions=GOLD)
        assert isinstance(error.value.__cause__, OSError)
        assert store.runs("h1") == ("0",)
        assert list((store.path / "tmp").iterdir()) == []


def failing(call: int, number: int, calls: list[str], name: str) -> object:
    """Return a function of the system whose nth call (counted together with others) fails."""
    real = getattr(os, name)

    def step(*arguments: object, **options: object) -> object:
        calls.append(name)
        if len(calls) == call:
            raise OSError(number, os.strerror(number), str(arguments[0]))
        return real(*arguments, **options)

    return step


@posix
@pytest.mark.parametrize("change", ["add", "replace", "remove"])
def test_an_error_tells_what_became_of_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    """Whichever call of the system fails: what the error says of the study is what the study is."""
    old, new, said = [0, 1, 2], [2, 2, 2], set()
    for call in range(1, 60):
        store = Store(tmp_path / str(call))
        store.add("h1", run="first", predictions=old, gold=old)
        if change != "add":
            store.add("h1", run="run", predictions=old)
        calls: list[str] = []
        error = None
        with monkeypatch.context() as patch:
            for name in ("open", "fsync", "link", "replace", "unlink"):
                number = (errno.EIO, errno.ENOSPC, errno.ESTALE)[call % 3]
                patch.setattr(os, name, failing(call, number, calls, name))
            try:
                if change == "remove":
                    store.remove("h1", "run")
                else:
                    store.add("h1", run="run", predictions=new, replace=change == "replace")
            except StudyError as caught:
                error = str(caught)
        there = "run" in store.runs("h1")
        values = store.load("h1", "run").predictions.tolist() if there else None
        before, after = (None if change == "add" else old), (None if change == "remove" else new)
        if error is None or "disk did not confirm it" in error:
            assert values == after, calls
        else:
            assert "the study is as it was" in error
            assert values == before, calls
        said.add("none" if error is None else "made" if "disk did not confirm it" in error else "as it was")
        if len(calls) < call:
            break
    assert said == {"none", "as it was"} | ({"made"} if change != "add" else set())
