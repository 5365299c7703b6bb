"""A file per run of each system: which run a file holds is told by its name, or by its folders."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from bestby._core.errors import InvalidInputError, OtherQuestionError
from bestby._core.paths import is_directory, user_path
from bestby.data.alignment import chosen_names
from bestby.data.evaluation import Evaluation
from bestby.data.layouts.runs import Runs
from bestby.data.roles import listed
from bestby.readers.joined_files import pieces_of
from bestby.readers.paths import GivenName, named_paths, parts_apart

_SEED_LAST = re.compile(r"(?P<system>.+?)[^a-z0-9]*seed[^a-z0-9]*(?P<run>\d+)", re.IGNORECASE)
_SEED_FIRST = re.compile(r"seed[^a-z0-9]*(?P<run>\d+)[^a-z0-9]+(?P<system>.+)", re.IGNORECASE)
_NUMBER_LAST = re.compile(
    r"(?P<system>.+?)[^a-z0-9]+(?:run|rep|trial|r|s)?[^a-z0-9]*(?P<run>\d+)", re.IGNORECASE
)


class RunFile(NamedTuple):
    """The system and the run that a file is of."""

    system: str
    run: str


def of_seed(name: str) -> RunFile | None:
    """Return the system and the seed in the name of a file; None if it names no seed.

    >>> of_seed("bert_seed0"), of_seed("seed-12/bert"), of_seed("gpt-4")
    (RunFile(system='bert', run='0'), RunFile(system='bert', run='12'), None)
    """
    match = _SEED_LAST.fullmatch(name) or _SEED_FIRST.fullmatch(name)
    return None if match is None else RunFile(match["system"], match["run"])


def are_of_seeds(paths: Sequence[str | Path]) -> bool:
    """Tell whether the names of files, or of those in a folder, name seeds."""
    return any(map(of_seed, files_of_runs(paths)))


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


def runs_of_files(
    evaluation: Evaluation,
    systems: str | Sequence[str] | None,
    ignore: str | Sequence[str] | None,
    *,
    paired: bool,
) -> Runs:
    """Return the runs of what was read as a system per file."""
    found: dict[str, dict[str, str]] = {}
    for name in evaluation.names:
        system, run = _run_of(name)
        found.setdefault(system, {})[run] = name
    chosen = {name: found[name] for name in chosen_names([*found], systems, ignore, "the files")}
    orders = {name: list(names) for name, names in chosen.items()}
    if paired:
        first, *others = orders
        for name in others:
            if {*orders[name]} != {*orders[first]}:
                raise InvalidInputError(
                    f"paired runs must be the same for all systems: {first} has {listed(orders[first])},"
                    f" {name} {listed(orders[name])}",
                    hint="leave out the runs that not all have, or do not pair them",
                )
            orders[name] = orders[first]
    runs = {name: [evaluation.systems[chosen[name][run]] for run in order] for name, order in orders.items()}
    read = "; ".join(f"{name}: {listed(order)}" for name, order in orders.items())
    notes = tuple(note for note in evaluation.notes if note.code != "read_as")
    called = next(iter(evaluation.called.values()), None)
    description = f"a file per run, joined by item; runs of {read}"
    return Runs(runs, evaluation.gold, evaluation.clusters, None, description, notes=notes, called=called)


def _run_of(name: str) -> RunFile:
    match = _NUMBER_LAST.fullmatch(name)
    found = of_seed(name) or (None if match is None else RunFile(match["system"], match["run"]))
    if found is None:
        raise InvalidInputError(
            f"of several files each is a run, and {name!r} does not say which",
            hint="give each file the name of its system and run: bert-1=FILE; or give one table of all runs",
        )
    return found


def check_no_seeds(named: Mapping[str, str | Path]) -> None:
    """Refuse files whose names say that several are of one system with other seeds."""
    found = [one for one in map(of_seed, _apart(named).values()) if one is not None]
    systems = list(dict.fromkeys(one.system for one in found))
    if len(systems) < len(found):
        raise OtherQuestionError(
            f"the names of the files are those of several seeds of {listed(systems)}",
            "runs",
            f"bestby.read_runs({[str(path) for path in named.values()]!r})",
            "give each file a name of its own if it is a system: name=path",
        )
