"""Folders of files: all that is in one, in one order, and what becomes of files that nothing there reads."""

from __future__ import annotations

import fnmatch
import os
import zipfile
from codecs import BOM_UTF8
from collections import Counter, deque
from collections.abc import Collection, Sequence
from pathlib import Path

from bestby._core.errors import InvalidInputError
from bestby._core.paths import exists, is_directory, is_file, readable_file, refused
from bestby._core.text import counted, grouped
from bestby.data.table import listed
from bestby.readers.json_text import parsed
from bestby.readers.packing import compression_of
from bestby.readers.text import unpacked
from bestby.results.base import Note

MOST_FILES = 500_000
"""How many files a folder may have: several times what the largest suites write, but not a whole disk."""

_ARCHIVES = (".eval", ".zip", ".xlsx")
_JSON = (".json", ".jsonl", ".ndjson")
_DATA = (*_JSON, *_ARCHIVES, ".csv", ".tsv", ".tab", ".parquet", ".npy")
_PACKED = (".gz", ".zst")
_ENDS = b"PAR1"
_HINT = "copy it again, or take it out of the folder"


def files_in(folder: Path) -> list[Path]:
    """Return the files of a folder and of all folders in it, sorted; hidden ones are left out.

    Links are followed, and what several names lead to is there once, by its name without links if it has one:
    so a link to a folder above it ends, and `latest` adds nothing.
    """
    files: list[Path] = []
    links: list[Path] = []
    seen: set[str] = set()
    folders, linked = deque([folder]), deque[Path]()
    while folders or linked:
        here = folders.popleft() if folders else linked.popleft()  # links after all that is there without
        real = os.path.realpath(here)
        if real in seen:
            continue
        seen.add(real)
        try:
            with os.scandir(here) as entries:
                shown = sorted((one.name, one.is_symlink()) for one in entries if not _is_hidden(one.name))
        except OSError as error:
            raise refused(here, error) from error
        for name, is_link in shown:
            path = here / name
            if is_directory(path):
                (linked if is_link else folders).append(path)
            else:
                (links if is_link else files).append(path)
        if len(files) > MOST_FILES:
            raise InvalidInputError(
                f"{folder} holds more than {grouped(MOST_FILES)} files",
                hint="name the folders of the results in it",
            )
    for link in sorted(links):
        target = os.path.realpath(link)
        above, name = os.path.split(target)
        is_there = target in seen or (above in seen and not _is_hidden(name))
        if not (is_there and exists(link)):  # what leads nowhere is an error where it is read
            seen.add(target)
            files.append(link)
    return sorted(files)


def _is_hidden(name: str) -> bool:
    return name.startswith(".")


def left_out(files: Sequence[Path], read: Collection[Path], siblings: Sequence[str] = ()) -> list[Path]:
    """Return which files that were not recognised hold data, and must be named; refuse any that is damaged.

    A log that is cut off cannot be told from other files, so none of them may be. An empty ``.json`` beside
    files that are `read` is a log only where one of these has its name. `siblings` are patterns of the names
    of files that a tool writes beside its logs.
    """
    others = []
    names = {file.name for file in read}
    for file in files:
        suffix, is_packed = _suffix(file)
        name = file.name.removesuffix(file.suffix) if is_packed else file.name
        if (suffix in _DATA or is_packed) and not any(fnmatch.fnmatch(name, one) for one in siblings):
            if not names or file.name in names or not _is_empty_json(file):
                check_sound(file)
            others.append(file)
    return others


def _is_empty_json(file: Path) -> bool:
    return (
        file.suffix.lower() == ".json"
        and is_file(file)
        and not file.read_bytes().strip(BOM_UTF8 + b" \t\r\n")
    )


def note_on(files: Sequence[Path]) -> tuple[Note, ...]:
    """Return the note that names files that were not read: by kind, where they are many.

    >>> note_on([Path("a/x.json"), Path("a/y.csv")])[0].message
    '2 files were not read, because they are not in the format of the others: a/x.json, a/y.csv'
    >>> note_on([Path(f"a/{i}.json") for i in range(20)])[0].message.partition("others: ")[2]
    '20 .json, such as a/0.json'
    """
    if not files:
        return ()
    # A message names so few files one by one
    if len(files) > 6:
        kinds = Counter(_suffix(file)[0] or file.suffix for file in files)
        names = f"{', '.join(f'{n} {kind}' for kind, n in kinds.items())}, such as {files[0]}"
    else:
        names = listed([f"{file} (empty)" if _is_empty_json(file) else str(file) for file in files])
    n = counted(len(files), "file")
    was, they_are = ("was", "it is") if len(files) == 1 else ("were", "they are")
    text = f"{n} {was} not read, because {they_are} not in the format of the others: {names}"
    return (Note("files_left_out", text),)


def check_sound(file: Path) -> None:
    """Refuse a file of data that is empty, cut off or damaged."""
    suffix, is_packed = _suffix(file)
    if not readable_file(file).stat().st_size:
        raise _empty(file)
    if suffix in _ARCHIVES and not is_packed and not zipfile.is_zipfile(file):
        raise _cut(file, "its archive has no end")
    if suffix == ".parquet":
        with file.open("rb") as stream:
            start, _ = stream.read(4), stream.seek(-4, os.SEEK_END)
            if start != _ENDS or stream.read() != _ENDS:
                raise _cut(file, "it does not begin and end as Parquet does")
    if suffix in _JSON or is_packed:
        text = unpacked(file, compression_of(file))
        if not text.strip():
            raise _empty(file)
        if suffix in _JSON:
            _check_json(file, text)


def _check_json(file: Path, text: str) -> None:
    """Refuse what is neither one JSON value nor one on each line; keys that occur twice are no damage."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    try:
        parsed(text, str(file), pairs_hook=dict, hint=_HINT)
    except InvalidInputError as error:
        try:
            parsed(lines[0][1], str(file), pairs_hook=dict)
        except InvalidInputError:
            raise error from None
        for number, line in lines:
            parsed(line, str(file), number, pairs_hook=dict, hint=_HINT)


def _suffix(file: Path) -> tuple[str, bool]:
    """Return the ending of a name without that of its packing, and whether it has one of these."""
    is_packed = file.suffix.lower() in _PACKED
    return (Path(file.stem) if is_packed else file).suffix.lower(), is_packed


def _empty(file: Path) -> InvalidInputError:
    return InvalidInputError(f"{file} is empty", hint=_HINT)


def _cut(file: Path, why: str) -> InvalidInputError:
    return InvalidInputError(f"{file} is cut off or damaged: {why}", hint=_HINT)


def parts_apart(paths: Sequence[Path]) -> list[str]:
    """Return the part of each path that tells it from the others.

    >>> parts_apart([Path("r/a/model/1"), Path("r/b/model/1")]), parts_apart([Path("r"), Path("r/new")])
    (['a', 'b'], ['r', 'new'])
    """
    whole = [path.absolute().parts for path in paths]
    first = _n_shared(whole)
    last = _n_shared([parts[first:][::-1] for parts in whole])
    return ["/".join(parts[first : len(parts) - last]) or parts[-1] for parts in whole]


def _n_shared(paths: Sequence[Sequence[str]]) -> int:
    """Return with how many equal parts all paths begin."""
    differ = [len(set(column)) > 1 for column in zip(*paths, strict=False)]
    return differ.index(True) if True in differ else len(differ)
