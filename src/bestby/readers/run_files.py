"""Files of which each holds one run of a system: their names, or their folders, tell which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from bestby._core.errors import OtherQuestionError
from bestby._core.paths import is_directory, user_path
from bestby.data.roles import listed, of_several_seeds, seed_of
from bestby.readers.joined_files import pieces_of
from bestby.readers.paths import GivenName, named_paths, parts_apart


def are_of_seeds(paths: Sequence[str | Path]) -> bool:
    """Tell whether the names of files, or of those in a folder, name seeds."""
    return any(map(seed_of, files_of_runs(paths)))


def files_of_runs(paths: Sequence[str | Path]) -> dict[str, str | Path]:
    """Return the files by name, if there is one per run; none if they are one table."""
    if len(paths) == 1:
        folder = user_path(paths[0])
        pieces = pieces_of(folder) if is_directory(folder) else None
        if pieces is None or len(pieces.paths) == 1:
            return {}
        paths = pieces.paths
    named = named_paths(paths)
    if not isinstance(named, Mapping):
        return {}
    names = _apart(named)
    return {names.get(name, name): path for name, path in named.items()}


def _apart(named: Mapping[str, str | Path]) -> dict[str, str]:
    """Return what tells files apart that the user gave no names, folders included."""
    plain = {name: Path(path) for name, path in named.items() if not isinstance(name, GivenName)}
    return dict(zip(plain, parts_apart([path.with_suffix("") for path in plain.values()]), strict=True))


def check_no_seeds(named: Mapping[str, str | Path]) -> None:
    """Refuse files whose names say that several are of one system with other seeds."""
    if systems := of_several_seeds(_apart(named).values()):
        raise OtherQuestionError(
            f"the names of the files are those of several seeds of {listed([*systems])}",
            "runs",
            f"bestby.read_runs({[str(path) for path in named.values()]!r})",
            "give each file a name of its own if it is a system: name=path",
        )
