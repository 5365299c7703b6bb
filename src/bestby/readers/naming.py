"""Which file is whose: the names of systems, given or taken from the files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from bestby._core.errors import InvalidInputError
from bestby._core.paths import exists, is_file, is_url, user_path
from bestby.readers.files import stem_of


class GivenName(str):
    """The name of a system as the user gave it, which a name that a file tells does not replace."""

    __slots__ = ()

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        """Return a plain text to copies and pickles: what comes after reading is the name only."""
        return str, (str(self),)


def named_paths(
    paths: str | Path | Sequence[str | Path] | Mapping[str, str | Path],
) -> Path | Mapping[str, str | Path]:
    """Return the path of one table, or the files of the systems by name.

    >>> named_paths(["a=one.txt", "two.txt"])
    {'a': 'one.txt', 'two': 'two.txt'}
    """
    if isinstance(paths, Mapping):
        return {GivenName(name) if isinstance(name, str) else name: path for name, path in paths.items()}
    if paths == "":  # which pathlib takes for the current directory
        raise InvalidInputError("no file ''", hint="check the path and the current directory")
    split = [_split(argument) for argument in ([paths] if isinstance(paths, str | Path) else paths)]
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


def default_names(path: Path) -> tuple[str, ...]:
    """Return how a file is called without a name given by the user: with none or some of its folders.

    >>> default_names(Path("a/b/log.json"))
    ('log', 'b/log', 'a/b/log')
    """
    parts = [*path.parts[:-1], stem_of(path)]
    return tuple("/".join(parts[place:]) for place in reversed(range(len(parts))))


def _split(argument: object) -> tuple[str | None, str | Path]:
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
