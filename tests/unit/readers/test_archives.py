"""Zipped submissions: unpacked within limits, called by their archives, and removed."""

from __future__ import annotations

import re
import shutil
import stat
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from tests.cli.helpers import run_in
from tests.unit.boards.examples import board_in, predictions_file

import bestby as bb
from bestby.cli.inputs import columns_of_table
from bestby.errors import InvalidInputError
from bestby.questions.facets.source import read_facets
from bestby.readers import archives

GOLD = "id,gold\n1,x\n2,y\n3,x\n"
NEW, OLD = "id,prediction\n1,x\n2,y\n3,y\n", "id,prediction\n1,y\n2,y\n3,x\n"


def packed(path: Path, members: Mapping[str, str]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return path


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where folders for a while are made: empty again after every reading."""
    place = tmp_path / "for a while"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    return place


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.csv"
    path.write_text(GOLD)
    return path


def refused(path: Path) -> InvalidInputError:
    with pytest.raises(InvalidInputError) as caught:
        bb.read(path)
    assert caught.value.hint
    return caught.value


def test_a_file_per_system_is_called_as_its_archive(tmp_path: Path, gold: Path, folders: Path) -> None:
    new = packed(tmp_path / "new.zip", {"run/predictions.csv": NEW, "__MACOSX/run/._predictions.csv": "x"})
    old = packed(tmp_path / "old.ZIP", {"out.csv": OLD, "out/": ""})
    (tmp_path / "plain.csv").write_text(NEW)
    for paths in ([new, old], [f"new={new}", f"old={old}"], {"new": str(new), "old": old}):
        found = bb.read(paths, gold=gold)
        assert found.names == ("new", "old")
        assert found.systems["new"].tolist() == ["x", "y", "y"]
    assert bb.read([new, tmp_path / "plain.csv"], gold=gold).names == ("new", "plain")
    assert list(folders.iterdir()) == []


def test_a_table_and_logs_in_an_archive(tmp_path: Path, folders: Path) -> None:
    table = packed(tmp_path / "all.zip", {"all.csv": "gold,a,b\nx,x,y\ny,y,y\n"})
    assert bb.read(table, gold="gold").names == ("a", "b")
    logs = Path(__file__).parents[3] / "examples" / "logs" / "harness"
    if logs.is_dir():
        zips = [Path(shutil.make_archive(str(tmp_path / one.name), "zip", one)) for one in logs.iterdir()]
        assert set(bb.read(zips).names) == {"nb_13", "svm_14"}
    assert list(folders.iterdir()) == []


def test_messages_and_notes_name_the_archive(tmp_path: Path, gold: Path, folders: Path) -> None:
    bad = packed(tmp_path / "bad.zip", {"in/predictions.csv": NEW.replace("3,y", "3")})
    new = packed(tmp_path / "new.zip", {"new.csv": NEW})
    with pytest.raises(InvalidInputError) as caught:
        bb.read([bad, new], gold=gold)
    assert str(caught.value).startswith(f"{tmp_path / 'bad.zip'}/in/predictions.csv")
    assert "for a while" not in str(caught.value)
    more = packed(tmp_path / "more.zip", {"a.csv": "gold,a,b\nx,x,y\ny,y,y\n", "b.json": "[1]"})
    messages = [note.message for note in bb.read(more, gold="gold").notes]
    assert any(f"{more}/b.json" in message for message in messages)
    assert not any("for a while" in message for message in messages)
    assert list(folders.iterdir()) == []


def test_check_looks_into_an_archive(tmp_path: Path, folders: Path) -> None:
    table = "id,gold,new,old\n1,x,x,y\n1,y,y,y\n3,x,y,x\n"
    found = bb.check(packed(tmp_path / "both.zip", {"both.csv": table.replace("\n1,y", "\n2,y")}))
    assert f"bestby compare {tmp_path / 'both.zip'}" in [one.command for one in found.commands]
    assert [one.name for one in found.columns] == ["id", "gold", "new", "old"]
    twice = bb.check(packed(tmp_path / "twice.zip", {"twice.csv": table}))
    (message,) = [one.message for one in twice.findings if one.code == "duplicate_ids"]
    assert f"{tmp_path / 'twice.zip'}/twice.csv" in message
    assert not list(folders.iterdir())


RUNS = "system,run,score\n" + "".join(f"{s},{r},0.{r + 5}\n" for s in "ab" for r in range(4))
READERS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "runs": (RUNS, lambda path: bb.read_runs(path).runs),
    "folds": (RUNS.replace("run", "fold"), bb.read_folds),
    "datasets": (RUNS.replace("run", "dataset"), bb.read_datasets),
    "facets": (RUNS, lambda path: read_facets([str(path)]).cells("score")),
    "preferences": (
        "item,a,b,winner\n1,m,n,m\n2,n,m,m\n",
        lambda path: bb.read_preferences(path).judgements(),
    ),
    "judged": (
        "item,human,judge,system\n1,1,1,a\n2,,0,a\n3,0,1,a\n",
        lambda path: bb.read_judged(path, human="human", judge="judge").description,
    ),
    "columns": (RUNS, lambda path: columns_of_table([str(path)])),
}
"""What each entry point reads, and what tells that it was read."""


@pytest.mark.parametrize("name", READERS)
def test_every_reader_takes_an_archive(tmp_path: Path, folders: Path, name: str) -> None:
    text, read = READERS[name]
    plain, archive = tmp_path / "data.csv", packed(tmp_path / "data.zip", {"data.csv": text})
    plain.write_text(text)
    assert repr(read(archive)) == repr(read(plain))
    bad = packed(tmp_path / "bad.zip", {"bad.csv": text.rstrip("\n") + "\nx\n", "more.csv": text})
    with pytest.raises(InvalidInputError) as caught:
        read(bad)
    assert str(bad) in caught.value.message
    assert not list(folders.iterdir())


def test_the_gold_may_be_packed(tmp_path: Path, gold: Path, folders: Path) -> None:
    systems = [packed(tmp_path / f"{name}.zip", {"x.csv": text}) for name, text in (("n", NEW), ("o", OLD))]
    zipped = packed(tmp_path / "gold.zip", {"gold.csv": GOLD})
    assert bb.read(systems, gold=zipped).gold.tolist() == bb.read(systems, gold=gold).gold.tolist()
    found = bb.check([*map(str, systems), f"gold={zipped}"])
    assert any(f"--gold {zipped}" in one.command for one in found.commands)
    assert not list(folders.iterdir())


COMMANDS = {
    "runs": RUNS,
    "folds": RUNS.replace("run", "fold"),
    "datasets": RUNS.replace("run", "dataset"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_that_check_proposes_read_the_archive(tmp_path: Path, command: str) -> None:
    run = run_in(tmp_path)
    packed(tmp_path / "data.zip", {"data.csv": COMMANDS[command]})
    proposed = [line.strip() for line in run("check", "data.zip").stdout.split("\n") if "bestby " in line]
    assert any(line.startswith(f"bestby {command} data.zip") for line in proposed)
    assert run(command, "data.zip").returncode == 0


def test_a_board_takes_a_packed_submission(tmp_path: Path, folders: Path) -> None:
    board, plain = board_in(tmp_path), predictions_file(tmp_path)
    path = packed(tmp_path / "mine.zip", {plain.name: plain.read_text()})
    assert board.check(path) == board.check(plain)
    assert board.submit(path, team="t", system="s").is_new
    assert not list(folders.iterdir())


def test_names_from_the_folder_that_was_packed(tmp_path: Path, gold: Path) -> None:
    new = packed(tmp_path / "new.zip", {"./": "", "./run/predictions.csv": NEW, "./.DS_Store": "x"})
    old = packed(tmp_path / "old.zip", {"./out.csv": OLD})
    assert bb.read([new, old], gold=gold).names == ("new", "old")


@pytest.mark.parametrize("names", [("a", "a/b.csv"), ("b.csv", f"{'a' * 300}.csv")])
def test_what_cannot_be_written_is_no_damage(tmp_path: Path, folders: Path, names: tuple[str, str]) -> None:
    error = refused(packed(tmp_path / "a.zip", dict.fromkeys(names, NEW)))
    assert re.search(r"a\.zip: 'a.*csv' cannot be written: ", error.message)
    assert error.hint == "unpack it yourself and give the files"
    assert list(folders.iterdir()) == []


def test_an_encrypted_archive_is_no_damage(tmp_path: Path) -> None:
    path = packed(tmp_path / "a.zip", {"a.csv": NEW})
    data = bytearray(path.read_bytes())
    for at in (6, data.index(b"PK\x01\x02") + 8):
        data[at] |= 1
    path.write_bytes(bytes(data))
    error = refused(path)
    assert (error.message, error.hint) == (f"{path} is encrypted", "pack it without a password")


@pytest.mark.parametrize(
    "name", ["../out.csv", "/out.csv", "a/../../out.csv", "a\\..\\out.csv", "C:/out.csv"]
)
def test_nothing_is_written_outside(tmp_path: Path, folders: Path, name: str) -> None:
    path = packed(tmp_path / "a.zip", {"in.csv": NEW, name: NEW})
    error = refused(path)
    assert "leads out of the archive" in error.message
    assert error.hint == "pack the files themselves, by names without .., \\ and :"
    assert not list(tmp_path.rglob("out.csv"))
    assert list(folders.iterdir()) == []


def test_links_and_files_twice_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        link = zipfile.ZipInfo("link.csv")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    assert refused(path).message == f"{path}: 'link.csv' is a link"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.csv", NEW)
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("a.csv", OLD)
    assert refused(path).message == f"{path} holds 'a.csv' twice"


def test_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert refused(packed(tmp_path / "empty.zip", {"sub/": ""})).message.endswith("empty.zip holds no file")
    dense = packed(tmp_path / "dense.zip", {"a.csv": "x" * 100_000})
    monkeypatch.setattr(archives, "_SMALL", 1000)
    assert "times as long unpacked, more than the 200 times" in refused(dense).message
    monkeypatch.setenv("BESTBY_MAX_UNPACKED", "5000")
    assert "more than 5000 bytes unpacked" in refused(dense).message
    monkeypatch.setattr(archives, "MOST_MEMBERS", 2)
    many = packed(tmp_path / "many.zip", {f"{i}.csv": NEW for i in range(3)})
    assert "holds 3 files, more than the 2 that are unpacked" in refused(many).message


def test_a_size_that_is_not_true_is_damage(tmp_path: Path, folders: Path) -> None:
    path = packed(tmp_path / "a.zip", {"a.csv": NEW * 1000})
    data = bytearray(path.read_bytes())
    at = data.rindex(b"PK\x01\x02") + 24
    data[at : at + 4] = (10).to_bytes(4, "little")
    path.write_bytes(bytes(data))
    assert "cannot be unpacked" in refused(path).message
    assert list(folders.iterdir()) == []
