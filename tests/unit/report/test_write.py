"""Files are complete or not there."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from bestby._core.errors import InvalidInputError
from bestby.report.writers.files import write_bytes, write_text


def test_text_is_utf8_with_the_line_ends_it_has(tmp_path: Path) -> None:
    write_text(tmp_path / "a.txt", "−é\r\n\n")
    assert (tmp_path / "a.txt").read_bytes() == "−é\r\n\n".encode()
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_a_path_may_be_a_string_in_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_bytes("plain", b"x")
    assert (tmp_path / "plain").read_bytes() == b"x"


def test_a_failure_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "report.html"
    target.write_text("old")

    def fail(*args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(InvalidInputError) as caught:
        write_text(target, "new")
    assert str(caught.value).splitlines() == [
        f"cannot write {str(target)!r}: No space left on device",
        "hint: check the permissions of the folder and the space left, or name another file",
    ]
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_an_interrupt_leaves_nothing_either(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_text(tmp_path / "x", "new")
    assert list(tmp_path.iterdir()) == []


def test_a_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError) as caught:
        write_text(tmp_path / "no" / "x.txt", "")
    message, hint = str(caught.value).splitlines()
    assert "there is no folder" in message
    assert hint == "hint: create the folder first, or name another"


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"it is a folder\nhint: name a file in it"):
        write_text(tmp_path, "")


def test_no_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **kwargs: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(InvalidInputError, match="Permission denied"):
        write_text(tmp_path / "x.txt", "")


@pytest.mark.skipif(os.name == "nt", reason="POSIX permissions")
def test_permissions_are_those_of_a_new_file_or_of_the_old_one(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("")
    write_text(tmp_path / "new", "")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "plain").stat().st_mode
    (tmp_path / "plain").chmod(0o640)
    write_text(tmp_path / "plain", "again")
    assert stat.S_IMODE((tmp_path / "plain").stat().st_mode) == 0o640


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_text(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="no devices")
def test_a_device_is_written_to_and_not_replaced() -> None:
    write_text("/dev/null", "gone")
    assert not Path("/dev/null").is_file()


def test_a_tilde_is_the_home_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    write_text("~/out.txt", "x")
    assert (tmp_path / "out.txt").read_text() == "x"
