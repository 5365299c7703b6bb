"""Where the files of a study are, and whether a directory is one."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bestby._core import files
from bestby._core.errors import StudyError
from bestby.questions.study import names

VERSION = 1
_ABOUT = {"format": "bestby study", "version": VERSION}
_OURS = {"study.json", "gold.json", "runs", "cache", "looks", "tmp"}


def gold_file(study: Path) -> Path:
    """Return the file of the gold."""
    return study / "gold.json"


def run_file(study: Path, condition: str, run: str) -> Path:
    """Return the file of a run.

    >>> run_file(Path("study"), "h1", "0").as_posix()
    'study/runs/h1/0.json'
    """
    return condition_folder(study, condition) / f"{names.file_name(run)}.json"


def condition_folder(study: Path, condition: str) -> Path:
    """Return the folder of the runs of a condition."""
    return study / "runs" / names.file_name(condition)


def scratch(study: Path) -> Path:
    """Return the folder of files that are being written."""
    return study / "tmp"


def begin(study: Path) -> None:
    """Make the directory of a study if it is not there, and remove what killed processes left."""
    check(study)
    files.folder(scratch(study))
    files.sweep(scratch(study))
    if not (study / "study.json").exists():
        files.create(study / "study.json", f"{json.dumps(_ABOUT)}\n".encode(), scratch(study))


def check(study: Path) -> None:
    """Refuse a directory that is no study, or one of a version that this code does not know."""
    path = study / "study.json"
    try:
        content = json.loads(path.read_bytes().decode("utf-8"))
    except FileNotFoundError:
        _check_new(study)
        return
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict) or content.get("format") != _ABOUT["format"]:
        raise StudyError(
            f"{path} is damaged: it does not say that this is a study",
            hint=f"if it is one, let the file hold {json.dumps(_ABOUT)}",
        )
    if content.get("version") != VERSION:
        raise StudyError(
            f"the study {study} is in version {content.get('version')!r} of its format; this bestby reads"
            f" version {VERSION}",
            hint="upgrade bestby, or use the one that wrote the study",
        )


def _check_new(study: Path) -> None:
    there = {entry.name for entry in _visible(study)}
    # Listed first and looked for again: another process may be making the study at this moment.
    if there & {"gold.json", "runs"} and not (study / "study.json").exists():
        raise StudyError(
            f"{study} has the files of a study, but no study.json",
            hint=f"if it is one, let study.json hold {json.dumps(_ABOUT)}",
        )
    if there - _OURS:
        raise StudyError(
            f"{study} is not a study: it holds other things, such as {min(there - _OURS)!r}",
            hint="name a directory that is a study, is empty, or is not there yet",
        )


def condition_names(study: Path) -> list[str]:
    """Return the names of the conditions that have runs."""
    folders = [path for path in _visible(study / "runs") if path.is_dir()]
    return [_name(folder, folder.name) for folder in folders if any(_run_files(folder))]


def run_names(study: Path, condition: str) -> list[str]:
    """Return the names of the runs of a condition."""
    return [_name(path, path.stem) for path in _run_files(condition_folder(study, condition))]


def looked(study: Path, key: str, value: dict[str, Any]) -> int:
    """Note that the test set was looked at, once for each key, and return how often it was.

    If nothing can be written, this time counts all the same.
    """
    known = _looks(study)
    if key not in known:
        target = study / "looks" / f"{key}.json"
        with contextlib.suppress(OSError):
            files.folder(scratch(study))
            files.folder(target.parent)
            files.replace(target, f"{json.dumps(value)}\n".encode(), scratch(study))
    return len(known | {key})


def n_looks(study: Path) -> int:
    """Return how often the test set was looked at."""
    return len(_looks(study))


def _looks(study: Path) -> set[str]:
    """Return the keys of the looks so far."""
    return {path.stem for path in _visible(study / "looks") if path.suffix == ".json"}


def _visible(folder: Path) -> list[Path]:
    try:
        return [path for path in folder.iterdir() if not path.name.startswith(".")]
    except FileNotFoundError:
        return []


def _run_files(folder: Path) -> Iterator[Path]:
    return (path for path in _visible(folder) if path.suffix == ".json")


def _name(path: Path, stem: str) -> str:
    name = names.name_of(stem)
    if name is None:
        raise StudyError(
            f"{path} has a name that a study never gives",
            hint="it may be a copy: move it out of the study",
        )
    return name
