"""The folder of a site: written whole or not at all."""

from __future__ import annotations

import errno
import hashlib
import os
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.unit.boards.site import contents
from tests.unit.children import child, finished, posix

from bestby._core.errors import InvalidInputError
from bestby.boards import publishing
from bestby.boards.publishing import Staged, checked_place, files_in, write
from bestby.boards.site.building import MANIFEST, File

CONTENT = contents.empty()


def some(text: str, count: int = 3) -> list[File]:
    made = [(f"pages/{i}.html", f"{text} {i}".encode()) for i in range(count)]
    return [*made, ("same.html", b"same")]


def written(made: list[File], target: Path) -> Staged:
    return write(made, CONTENT, target, lambda _: None)


def read(site: Path) -> dict[str, bytes]:
    return {path: (site / path).read_bytes() for path in files_in(site)}


def beside(site: Path) -> list[str]:
    return sorted(one.name for one in site.parent.iterdir())


@pytest.fixture(params=["one step", "two renames"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "two renames":
        monkeypatch.setattr(publishing, "_exchanged", lambda *_: False)
    return str(request.param)


@pytest.mark.usefixtures("way")
def test_a_site_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    site = tmp_path / "site"
    first = written(some("first"), site)
    assert first.manifest == hashlib.sha256((site / MANIFEST).read_bytes()).hexdigest()
    assert (first.n_files, first.n_changed) == (5, 4)
    second = written(some("second"), site)
    assert (second.n_files, second.n_changed) == (5, 3)
    assert (site / "pages/1.html").read_bytes() == b"second 1"
    assert beside(site) == ["site"]
    fewer = written(some("second", count=1), site)
    assert sorted(read(site)) == sorted(["manifest.json", "pages/0.html", "same.html"])
    assert fewer.n_changed == 0


def test_the_system_exchanges_folders_in_one_step(tmp_path: Path) -> None:
    if sys.platform not in ("linux", "darwin"):
        pytest.skip("only Linux and macOS can")
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).touch()
    assert publishing._exchanged(tmp_path / "a", tmp_path / "b")
    assert (tmp_path / "a" / "b").exists()
    assert (tmp_path / "b" / "a").exists()


def test_a_page_that_is_a_link_becomes_a_file(tmp_path: Path) -> None:
    site, elsewhere = tmp_path / "site", tmp_path / "elsewhere"
    written(some("first"), site)
    elsewhere.write_bytes((site / "same.html").read_bytes())
    (site / "same.html").unlink()
    (site / "same.html").symlink_to(elsewhere)
    written(some("first"), site)
    assert not (site / "same.html").is_symlink()


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("failing", ["make", "announce", "put"])
def test_a_failure_leaves_the_site_as_it_was(
    failing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    written(some("first"), site)
    before = read(site)

    def fail(*_: object) -> bytes:
        raise OSError(errno.ENOSPC, "No space left on device")

    def made() -> Iterator[File]:
        yield from some("second")
        if failing == "make":
            fail()

    announce: Callable[[Staged], object] = fail if failing == "announce" else lambda _: None
    if failing == "put":
        monkeypatch.setattr(publishing, "put_in_place", fail)
    with pytest.raises(OSError, match="No space left"):
        write(made(), CONTENT, site, announce)  # type: ignore[arg-type]  # what it returns is not used
    assert read(site) == before
    assert beside(site) == ["site"]


def test_the_second_of_two_renames_fails(tmp_path: Path) -> None:
    target, new = tmp_path / "site", tmp_path / "new"
    target.mkdir()
    (target / "page").touch()
    with pytest.raises(FileNotFoundError):
        _two_renames(new, target)
    assert (target / "page").exists()


def _two_renames(new: Path, target: Path) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(publishing, "_exchanged", lambda *_: False)
        publishing.put_in_place(new, target, target.with_name("aside"))


def test_what_a_killed_process_left_is_cleared_up(tmp_path: Path) -> None:
    target, new, aside = (tmp_path / name for name in ("site", "new", "aside"))
    for folder, name in ((aside, "old"), (new, "half")):
        folder.mkdir()
        (folder / name).touch()
    publishing.recover(new, target, aside)
    assert [one.name for one in target.iterdir()] == ["old"]
    assert beside(target) == ["site"]
    aside.mkdir()  # killed after both renames
    publishing.recover(new, target, aside)
    assert beside(target) == ["site"]


# One process imports, and forks for each time a child that writes until it is killed.
KILLED = """
import sys, time
from pathlib import Path
from bestby.boards import publishing
from bestby.boards.publishing import write
from tests.unit.boards.site.test_staging import CONTENT, some
if sys.argv[2] == "two renames":
    publishing._exchanged = lambda *_: False
for seconds in sys.argv[3:]:
    process = os.fork()
    if process == 0:
        for round in range(10**6):
            made = some("even" if round % 2 else "odd", 40)
            write(made, CONTENT, Path(sys.argv[1]), lambda _: None)
    time.sleep(float(seconds))
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    say("killed")
    sys.stdin.readline()
"""


@pytest.mark.check
@posix
@pytest.mark.parametrize("how", ["one step", "two renames"])
def test_a_site_is_whole_whenever_its_writer_is_killed(how: str, tmp_path: Path) -> None:
    site = tmp_path / "site"
    whole = [_pages_of(name) for name in ("even", "odd")]
    written(some("even", 40), site)
    rng = random.Random(4)
    process = child(KILLED, site, how, *(0.02 + 0.2 * rng.random() for _ in range(8)))
    assert process.stdin is not None
    assert process.stdout is not None
    for _ in range(8):
        assert process.stdout.readline() == "killed\n"
        new, aside = (site.with_name(f".site.bestby-{part}") for part in ("new", "old"))
        if how == "one step":
            assert site.is_dir(), "there was a site at every moment"
        publishing.recover(new, site, aside)
        found = read(site)
        found.pop(MANIFEST)
        assert found in whole
        process.stdin.write("\n")
        process.stdin.flush()
    assert finished(process) == []
    assert written(some("odd", 40), site).n_files == 42


def _pages_of(name: str) -> dict[str, bytes]:
    return dict(some(name, 40))


@pytest.mark.parametrize(
    "name", ["board", "board/submissions", "board/gold/site", "board/submissions/x", "."]
)
def test_a_place_with_secrets_is_refused(name: str, tmp_path: Path) -> None:
    for folder in ("gold", "submissions"):
        (tmp_path / "board" / folder).mkdir(parents=True)
    secret = [tmp_path / "board/gold", tmp_path / "board/submissions"]
    with pytest.raises(InvalidInputError, match="the gold and the submissions lie there"):
        checked_place(tmp_path / name, tmp_path / "board", secret)


def test_a_link_to_a_place_with_secrets_is_refused(tmp_path: Path) -> None:
    gold = tmp_path / "gold"
    gold.mkdir()
    (tmp_path / "site").symlink_to(gold)
    with pytest.raises(InvalidInputError, match="the gold and the submissions lie there"):
        checked_place(tmp_path / "site", tmp_path / "board", [gold])


def test_a_site_may_lie_in_the_board(tmp_path: Path) -> None:
    (tmp_path / "board/gold").mkdir(parents=True)
    place = checked_place(tmp_path / "board/site", tmp_path / "board", [tmp_path / "board/gold"])
    assert place == Path(os.path.realpath(tmp_path / "board/site"))


def test_a_folder_that_is_no_site_is_refused(tmp_path: Path) -> None:
    site, board = tmp_path / "site", tmp_path / "board"
    site.mkdir()
    assert checked_place(site, board, []) == Path(os.path.realpath(site)), "an empty one is not"
    (site / "thesis.tex").touch()
    with pytest.raises(InvalidInputError, match="is not the site of a board, and it is not empty"):
        checked_place(site, board, [])
    (site / "thesis.tex").unlink()
    written(some("first"), site)
    checked_place(site, board, [])
    (site / "thesis.tex").touch()
    with pytest.raises(InvalidInputError, match=r"holds 1 file that .* such as 'thesis.tex'"):
        checked_place(site, board, [])
    with pytest.raises(InvalidInputError, match="is not a folder"):
        checked_place(site / "thesis.tex", board, [])
    with pytest.raises(InvalidInputError, match="there is no folder"):
        checked_place(tmp_path / "a/b", board, [])


def test_manifests_of_both_formats_are_read() -> None:
    older = b'{"format": 1, "files": {"a.html": {"key": "k", "sha256": "x"}}}'
    newer = b'{"format": 2, "files": {"a.html": {"sha256": "x"}}}'
    assert publishing.listed_files(older) == publishing.listed_files(newer) == {"a.html": "x"}


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b'{"format": 1, "files": {"a": 3}}', b'{"format": 3, "files": {}}']
)
def test_a_damaged_manifest_lists_nothing(data: bytes, tmp_path: Path) -> None:
    assert publishing.listed_files(data) is None
