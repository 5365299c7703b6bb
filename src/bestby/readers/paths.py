"""What the user says of files: their paths and names, the columns and values in them, checked."""

from __future__ import annotations

import dataclasses
import fnmatch
import glob
import os
import zipfile
from codecs import BOM_UTF8
from collections import Counter, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bestby._core.errors import InvalidInputError
from bestby._core.paths import exists, is_directory, is_file, is_url, readable_file, refused, user_path
from bestby._core.text import counted, grouped, quoted
from bestby.data.columns import Missing
from bestby.data.reading import AS_FOUND, Reading
from bestby.data.roles import Soft, listed
from bestby.readers.database import compression_of
from bestby.readers.files import stem_of
from bestby.readers.text import parsed, unpacked
from bestby.results.base import Note


def named_paths(
    paths: str | Path | Sequence[str | Path] | Mapping[str, str | Path],
) -> Path | Mapping[str, str | Path]:
    """Return the path of one table, or the files of the systems by name.

    A pattern that no shell has expanded stands for the files and folders that match it.

    >>> named_paths(["a=one.txt", "two.txt"])
    {'a': 'one.txt', 'two': 'two.txt'}
    """
    if isinstance(paths, Mapping):
        return {GivenName(name) if isinstance(name, str) else name: path for name, path in paths.items()}
    if paths == "":  # which pathlib takes for the current directory
        raise InvalidInputError("no file ''", hint="check the path and the current directory")
    given = [paths] if isinstance(paths, str | Path) else paths
    split = [one for argument in given for one in _expanded(*_name_and_path(argument))]
    if not split:
        raise InvalidInputError("no file was given", hint="give one table, or name=path for each system")
    if len(split) == 1 and split[0][0] is None:
        return user_path(split[0][1])
    files: dict[str, str | Path] = {}
    known = Counter(one for name, path in split if name is None for one in default_names(Path(path)))
    for system, path in split:
        name = stem_of(path) if system is None else GivenName(system)
        if system is None and known[name] > 1:  # files of one name in several folders
            longer = default_names(Path(path))[1:]
            name = next((one for one in longer if known[one] == 1), (*longer, name)[0])
        if name in files:
            raise InvalidInputError(
                f"two files are called {name!r}: {str(files[name])!r} and {str(path)!r}",
                hint="give each system a name of its own: name=path",
            )
        files[name] = path
    return files


def _expanded(name: str | None, path: str | Path) -> list[tuple[str | None, str | Path]]:
    return [(None, one) for one in (matches(path) if name is None else [])] or [(name, path)]


def matches(pattern: str | Path) -> list[Path]:
    """Return the files and folders that match a pattern, in order; none if it is the name of a file."""
    place = user_path(pattern)
    if exists(place) or not glob.has_magic(str(place)):
        return []
    return [Path(one) for one in sorted(glob.glob(str(place), recursive=True))]  # noqa: PTH207 - any pattern


class GivenName(str):
    """The name of a system as the user gave it, which a name that a file tells does not replace."""

    __slots__ = ()

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        """Return a plain text to copies and pickles: what comes after reading is the name only."""
        return str, (str(self),)


def _name_and_path(argument: object) -> tuple[str | None, str | Path]:
    """Cut name=path, unless the whole is a file."""
    if not isinstance(argument, str | Path):
        raise InvalidInputError(
            f"a file must be a path, got {argument!r}", hint="give the path as text or as a pathlib.Path"
        )
    if isinstance(argument, Path) or "=" not in argument or exists(argument) or is_url(argument):
        return None, argument
    name, _, path = argument.partition("=")
    if not name.strip() or not path:
        raise InvalidInputError(f"expected name=path, got {argument!r}")
    return name.strip(), path


def default_names(path: Path) -> tuple[str, ...]:
    """Return how a file is called without a name given by the user: with none or some of its folders.

    >>> default_names(Path("a/b/log.json"))
    ('log', 'b/log', 'a/b/log')
    """
    parts = [*path.parts[:-1], stem_of(path)]
    return tuple("/".join(parts[place:]) for place in reversed(range(len(parts))))


def by_system(files: Path | Mapping[str, str | Path]) -> dict[str, Path]:
    """Return the files by name; a single one, or a directory, is called as it is."""
    if isinstance(files, Mapping):
        return {name: user_path(path) for name, path in files.items()}
    return {stem_of(files): files}


def without_gold(
    files: Path | Mapping[str, str | Path], golds: Sequence[str | Path]
) -> Path | Mapping[str, str | Path]:
    """Leave the file of the gold out of the systems, where a pattern such as ``*.conllu`` matches it too."""
    if not isinstance(files, Mapping):
        return files
    known = {user_path(gold).resolve() for gold in golds if is_file(user_path(gold))}
    others = {
        name: path
        for name, path in files.items()
        if name != stem_of(path) or user_path(path).resolve() not in known
    }
    return others if len(others) > 1 else files


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


def named_apart(files: Sequence[tuple[str, str, str | None]], sources: Sequence[str | Path]) -> list[str]:
    """Return a name for the system of each file: as it tells, unless that would make two files one.

    Otherwise it is called as file or folder are. Where that makes two files one, or a system of each file of
    several datasets, the folders that the files lie in tell the systems apart, if they can.

    >>> logs = [("log1", "qa", "gpt"), ("log2", "qa", "gpt"), ("log3", "qa", "llm")]
    >>> named_apart(logs, ["log1", "log2", "log3"])
    ['log1', 'log2', 'llm']
    >>> logs = [("out", "qa", None), ("out", "nli", None), ("out", "qa", None), ("out", "nli", None)]
    >>> named_apart(logs, ["out/a/qa", "out/a/nli", "out/b/qa", "out/b/nli"])
    ['a', 'a', 'b', 'b']
    """
    times = Counter((own, dataset) for _, dataset, own in files)
    doubled = {own for (own, _), number in times.items() if number > 1}
    names = [name if own is None or own in doubled else own for name, _, own in files]
    # Where the user says a name, it is what the file tells.
    open_ = [i for i, (name, _, own) in enumerate(files) if own != name and (own is None or own in doubled)]
    if not open_:
        return names
    datasets = {files[i][1] for i in open_}
    others = Counter((names[i], files[i][1]) for i in open_)
    scattered = len(datasets) > 1 and len({names[i] for i in open_}) == len(open_)
    folders = parts_apart([Path(sources[i]).absolute().parent for i in open_])
    told = Counter((folder, files[i][1]) for i, folder in zip(open_, folders, strict=True))
    if (scattered or max(others.values()) > 1) and max(told.values()) == 1:
        for i, folder in zip(open_, folders, strict=True):
            names[i] = folder
    return names


def datasets_of(names: Sequence[str | None], other: str) -> list[str]:
    """Return the dataset of each file: where it does not tell, the only one that others tell of.

    >>> datasets_of(["qa", None], "items"), datasets_of([None, None], "items")
    (['qa', 'qa'], ['items', 'items'])
    """
    known = {name for name in names if name is not None}
    name = known.pop() if len(known) == 1 else other
    return [name if one is None else one for one in names]


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


MOST_FILES = 500_000
"""How many files a folder may have: several times what the largest suites write, but not a whole disk."""


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


_ARCHIVES = (".eval", ".zip", ".xlsx")

_JSON = (".json", ".jsonl", ".ndjson")

_DATA = (*_JSON, *_ARCHIVES, ".csv", ".tsv", ".tab", ".parquet", ".npy")

_PACKED = (".gz", ".zst")


def _suffix(file: Path) -> tuple[str, bool]:
    """Return the ending of a name without that of its packing, and whether it has one of these."""
    is_packed = file.suffix.lower() in _PACKED
    return (Path(file.stem) if is_packed else file).suffix.lower(), is_packed


def _is_empty_json(file: Path) -> bool:
    return (
        file.suffix.lower() == ".json"
        and is_file(file)
        and not file.read_bytes().strip(BOM_UTF8 + b" \t\r\n")
    )


def check_sound(file: Path) -> None:
    """Refuse a file of data that is empty, cut off or damaged."""
    suffix, is_packed = _suffix(file)
    if not readable_file(file).stat().st_size:
        raise _empty(file)
    if suffix in _ARCHIVES and not is_packed and not zipfile.is_zipfile(file):
        raise _damaged(file, "its archive has no end")
    if suffix == ".parquet":
        with file.open("rb") as stream:
            start, _ = stream.read(4), stream.seek(-4, os.SEEK_END)
            if start != _PARQUET_ENDS or stream.read() != _PARQUET_ENDS:
                raise _damaged(file, "it does not begin and end as Parquet does")
    if suffix in _JSON or is_packed:
        text = unpacked(file, compression_of(file))
        if not text.strip():
            raise _empty(file)
        if suffix in _JSON:
            _check_json(file, text)


_PARQUET_ENDS = b"PAR1"


def _check_json(file: Path, text: str) -> None:
    """Refuse what is neither one JSON value nor one on each line; keys that occur twice are no damage."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    try:
        parsed(text, str(file), pairs_hook=dict, hint=_COPY_AGAIN)
    except InvalidInputError as error:
        try:
            parsed(lines[0][1], str(file), pairs_hook=dict)
        except InvalidInputError:
            raise error from None
        for number, line in lines:
            parsed(line, str(file), number, pairs_hook=dict, hint=_COPY_AGAIN)


def _empty(file: Path) -> InvalidInputError:
    return InvalidInputError(f"{file} is empty", hint=_COPY_AGAIN)


def _damaged(file: Path, why: str) -> InvalidInputError:
    return InvalidInputError(f"{file} is cut off or damaged: {why}", hint=_COPY_AGAIN)


_COPY_AGAIN = "copy it again, or take it out of the folder"


def note_on_unread(files: Sequence[Path]) -> tuple[Note, ...]:
    """Return the note that names files that were not read: by kind, where they are many.

    >>> note_on_unread([Path("a/x.json"), Path("a/y.csv")])[0].message
    '2 files were not read, because they are not in the format of the others: a/x.json, a/y.csv'
    >>> note_on_unread([Path(f"a/{i}.json") for i in range(20)])[0].message.partition("others: ")[2]
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


_SEVERAL = ("annotators", "clusters", "datasets", "ignore", "items", "systems")
"""The arguments that take several names."""


def check_arguments(
    paths: Any, gold: Any = None, *, missing: Any = "", reading: Reading = AS_FOUND, **columns: Any
) -> None:
    """Check what the readers share."""
    listed = list(paths.values()) if isinstance(paths, Mapping) else _listed(paths)
    plain = isinstance(
        paths, str | Path | Mapping | Sequence
    )  # and no array or column, which has no one truth
    if plain and not listed:
        raise InvalidInputError("no file was given", hint="give one table, or name=path for each system")
    if not plain or not all(isinstance(path, str | Path) for path in listed):
        raise InvalidInputError(
            f"a path must be a str or a Path, got {quoted(paths, 60)}",
            hint="name a file: read('predictions.csv'); data in memory go to compare and its like",
        )
    columns |= vars(reading)
    classes, _ = columns.pop("classes"), columns.pop("normalise")
    if classes is not None and not isinstance(classes, Iterable):
        raise InvalidInputError(
            f"classes must be a list of names, got {quoted(classes, 60)}",
            hint="name them in the order of the columns",
        )
    _check_texts("gold", [gold] if isinstance(gold, Iterator) else gold, str | Path)
    if missing is None:
        raise InvalidInputError(
            "missing must be texts, got None", hint='missing="" takes none but empty cells'
        )
    _check_texts("missing", missing, str)
    for what, value in columns.items():
        if what == "value_column" and isinstance(value, Mapping):
            _check_texts(what, [*value, *value.values()], str)
        elif what in _SEVERAL:
            _check_texts(what, value, str)
        elif value is not None and not isinstance(value, str):
            raise InvalidInputError(
                f"{what} must be a str, got {quoted(value, 60)}", hint="give one column by name"
            )


def refuse_by_task(value_column: Any) -> None:
    """Refuse scores by task where there are no logs of several tasks."""
    if isinstance(value_column, Mapping):
        raise InvalidInputError(
            f"value_column names scores by task ({quoted(dict(value_column), 60)}), which only logs of"
            " evaluation tools have",
            hint="of a table, name the one column of predictions or scores: value_column=...",
            argument="value_column",
        )


def missing_texts(missing: str | Iterable[str]) -> Missing:
    """Return the texts that mean a missing value; an empty cell does in any case."""
    return frozenset(text.strip() for text in ([missing] if isinstance(missing, str) else missing)) | {""}


def soft_options(
    classes: Any = None,
    normalise: bool = False,
    texts: bool = False,
    label_sets: bool = False,
    label_separator: str | None = None,
) -> Soft:
    """Return how values are to be read: as labels, distributions, texts or sets of labels."""
    if label_separator is not None and (not isinstance(label_separator, str) or not label_separator):
        raise InvalidInputError(
            f"label_separator must be a text, got {quoted(label_separator)}",
            hint='give what stands between two labels: label_separator="|"',
        )
    if label_separator is not None:
        label_separator = label_separator.replace("\\t", "\t")  # as it is typed in a shell
    sets = label_sets or label_separator is not None
    if sets and (texts or normalise):
        raise InvalidInputError(
            f"the values are sets of labels, and {'texts' if texts else 'normalise'} is for others",
            hint=f"leave {'texts' if texts else 'normalise'} out",
        )
    return dataclasses.replace(
        Soft.of(classes, normalise), texts=texts, label_sets=sets, label_separator=label_separator
    )


def _check_texts(what: str, value: Any, kind: Any) -> None:
    if value is not None and not all(isinstance(one, kind) for one in _listed(value)):
        raise InvalidInputError(
            f"{what} must be a str or several, got {quoted(value, 60)}",
            hint="give columns and systems by name",
        )


def _listed(value: Any) -> list[Any]:
    if isinstance(value, Iterator):  # to look at it would use it up
        return []
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        return [value]
    try:
        return list(value)
    except Exception:  # an array without dimensions; code of the user's own runs here, and may raise anything
        return [value]
