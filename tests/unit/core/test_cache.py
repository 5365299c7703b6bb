"""A value of the cache is the one that was stored under its key, or none; and nothing of it is an error."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from bestby._core import files as module
from bestby._core.files import Cache


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache("tests", 1, tmp_path / "new" / "cache", b"secret")


def file_of(cache: Cache, key: str) -> Path:
    """Return the file of a key."""
    assert cache.folder is not None
    (path,) = (path for path in cache.folder.iterdir() if path.stem == key)
    return path


def test_without_a_folder_nothing_is_stored() -> None:
    cache = Cache("tests", 1)
    cache.write("ab", b"one")
    assert cache.read("ab") is None


def test_a_file_that_was_changed_or_cut_off_anywhere_is_no_value(cache: Cache) -> None:
    cache.write("ab", b"one")
    path = file_of(cache, "ab")
    whole = path.read_bytes()
    damaged = [whole[:size] for size in range(len(whole))] + [whole + b"x", b"text"]
    damaged += [whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :] for at in range(len(whole))]
    for data in damaged:
        path.write_bytes(data)
        assert cache.read("ab") is None
    cache.write("ab", b"one")
    assert cache.read("ab") == b"one"


def test_a_file_under_another_key_is_no_value(cache: Cache) -> None:
    cache.write("ab", b"one")
    path = file_of(cache, "ab")
    path.rename(path.with_stem("cd"))
    assert cache.read("cd") is None


def test_who_does_not_know_the_secret_can_bring_no_value(cache: Cache) -> None:
    other = replace(cache, secret=b"guess")
    other.write(cache.key("parts"), b"one")
    assert cache.key("parts") != other.key("parts")
    assert cache.read(cache.key("parts")) is None


def test_a_key_depends_on_everything_and_on_no_order(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = {"metric": "accuracy", "runs": [["h0", ["x"]], ["h1", ["y", "z"]]], "level": 0.95}
    assert cache.key(parts) == cache.key(dict(reversed(parts.items())))
    keys = [
        cache.key(parts),
        cache.key(parts, None),
        cache.key({**parts, "level": 0.9500000000000001}),
        cache.key({**parts, "runs": [["h0", ["x"]], ["h1", ["z", "y"]]]}),
        cache.key({**parts, "runs": [["h0", ["x", "y"]], ["h1", ["z"]]]}),
        replace(cache, kind="others").key(parts),
        replace(cache, form=2).key(parts),
    ]
    monkeypatch.setattr(module, "__version__", "another")
    keys.append(cache.key(parts))
    assert len(set(keys)) == len(keys)
    assert all(key.isalnum() for key in keys)


def test_a_folder_that_cannot_be_made_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    cache = Cache("tests", 1, tmp_path / "file")
    cache.write("ab", b"one")
    assert cache.read("ab") is None


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_only_be_read(cache: Cache) -> None:
    cache.write("ab", b"one")
    assert cache.folder is not None
    cache.folder.chmod(0o555)
    try:
        cache.write("cd", b"two")
        assert (cache.read("ab"), cache.read("cd")) == (b"one", None)
    finally:
        cache.folder.chmod(0o755)


def test_a_full_disk_leaves_no_file(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, data: bytes) -> None:
        with path.open("wb") as stream:
            stream.write(data[:10])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    cache.write("ab", b"one")
    assert cache.folder is not None
    assert not list(cache.folder.iterdir())


def test_who_reads_while_others_write_gets_the_value_or_none(cache: Cache) -> None:
    value = os.urandom(100_000)

    def work(number: int) -> set[bytes | None]:
        found = set()
        for _ in range(50):
            if number % 2:
                cache.write("ab", value)
            found.add(cache.read("ab"))
        return found

    with ThreadPoolExecutor(4) as executor:
        assert set().union(*executor.map(work, range(4))) <= {value, None}
    cache.write("ab", value)
    assert cache.read("ab") == value
