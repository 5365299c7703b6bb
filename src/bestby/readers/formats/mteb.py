"""Results of MTEB: a file per model and task, with the scores of each subset of the task."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

from bestby._core.errors import InvalidInputError
from bestby._core.paths import is_file
from bestby._core.text import counted
from bestby._core.typing import OnMissing
from bestby.data.roles import is_quantity, listed
from bestby.readers.formats._logs import Sample, Scored, Tool, holding, quantities_of
from bestby.readers.formats.base import File, Read, files_of
from bestby.readers.paths import parts_apart
from bestby.readers.text import Record, document, kind, listing, numbers, word
from bestby.results.base import Note

SIBLINGS = ("model_meta.json", "*_predictions.json")

_TOOL = Tool("results of MTEB, with the subsets of the tasks as items", main=("main_score",), items="tasks")
_SPLIT, _WHOLE = "test", "default"
_NAMELESS = re.compile(r"no_(model_name|revision)[_/]available|no_model_name|available")

recognises = holding(rb'\s*\{\s*"\w+"\s*:', "mteb_version", "scores", ("task_name", "hf_subset"))


@dataclass(frozen=True)
class _Row(Sample):
    """The scores of one model on one subset of one split of a task, which is one of its `groups`."""

    revision: str | None = None


def read(
    paths: Mapping[str, Path],
    *,
    on_missing: OnMissing = "error",
    value_column: str | None = None,
    clusters: str | None = None,
) -> Read:
    """Read the folders of two or more models, with a file per task.

    There is one score per task and subset, and none per text: the subsets of the tasks are the items. Of the
    splits of a task that all models have, the one called test counts, else the first. `value_column` is the
    score, by default the main one of each task. A folder of files is a model, called as ``model_meta.json``
    in it says. The task is a grouping, and so is the language where a subset has one. The time that a task
    took is a quantity where the task has one subset and split.
    """
    files = files_of(paths, recognises)
    models: dict[str, list[_Row]] = {}
    sources: dict[str, str] = {}
    names = _models(files)
    for file, name in zip(files, names, strict=True):
        models.setdefault(name, []).extend(_rows(file.path))
        sources.setdefault(name, str(file.path.parent))
    for folder in {file.name: None for file in files if file.named and not file.explicit}:
        own = {name for file, name in zip(files, names, strict=True) if file.name == folder}
        _check_one_set(folder, {name: {row.groups["task"] for row in models[name]} for name in sorted(own)})
    chosen = _of_one_split(models, on_missing)
    scored = [Scored(sources[name], name, name, None, rows) for name, rows in chosen.items()]
    read = _TOOL.compared(scored, value_column, on_missing, clusters)
    return replace(read, notes=_other_data([row for rows in chosen.values() for row in rows]))


def _models(files: Sequence[File]) -> list[str]:
    """Return the name of the model of each file: as the user says, else of its folder, which is one model.

    A folder is called as is told in it; by the part of its path that tells it apart, where others are called
    so too.
    """
    folders = {file.path.parent: _name(file) for file in files if not file.explicit}
    names = {folder: name for folder, (name, _) in folders.items()}
    for name in dict.fromkeys(names.values()):
        alike = [folder for folder, (its, _) in folders.items() if its == name]
        if len(alike) > 1:
            for folder, part in zip(alike, parts_apart(alike), strict=True):
                names[folder] = f"{name} ({part})" if folders[folder][1] else part
    counts = Counter([*names.values(), *{file.name for file in files if file.explicit}])
    names = {folder: name if counts[name] == 1 else f"{name} ({folder})" for folder, name in names.items()}
    return [file.name if file.explicit else names[file.path.parent] for file in files]


def _name(file: File) -> tuple[str, bool]:
    """Return what the model of a folder is called, and whether a file in it tells."""
    meta = file.path.parent / "model_meta.json"
    in_file = word(document(meta).data.get("name")) if is_file(meta) else None
    if in_file is not None and _NAMELESS.fullmatch(in_file) is None:
        return in_file, True
    folders = file.path.parent.absolute().parts
    own = file.name if file.named else folders[-1]
    telling = [part for part in own.split("/") if _NAMELESS.fullmatch(part) is None]
    above = (part for part in folders[::-1] if _NAMELESS.fullmatch(part) is None)
    return "/".join(telling) or next(above), False


def _rows(path: Path) -> Iterator[_Row]:
    whole = document(path)
    task, splits = word(whole.need("task_name")), whole.need("scores")
    if task is None or not isinstance(splits, dict) or not splits:
        raise InvalidInputError(
            f"{path}: expected the name of a task and its scores by split, got"
            f" {whole.data['task_name']!r:.40} and {kind(splits)}",
            hint="give the files that mteb wrote, without others",
        )
    rows = [(split, row) for split in splits for row in listing(Record(str(path), splits), split)]
    for split, row in rows:
        in_file = row.data.get("languages")
        languages = sorted(filter(None, map(word, in_file))) if isinstance(in_file, list) else []
        subset = word(row.data.get("hf_subset")) or _WHOLE
        # The item is the task, its subset and split, where these are not the usual ones.
        name = task + ("" if subset == _WHOLE else f" [{subset}]")
        yield _Row(
            row.where,
            name + ("" if split == _SPLIT else f" ({split})"),
            {name: score for name, score in numbers(row.data).items() if not is_quantity(name)},
            content=", ".join(languages) or None,
            groups={"task": task, **({"language": languages[0]} if len(languages) == 1 else {})},
            # What a task took is that of a subset where there is no other
            quantities=quantities_of(whole.data if len(rows) == 1 else row.data),
            split=split,
            revision=word(whole.data.get("dataset_revision")),
        )


def _check_one_set(folder: str, tasks: Mapping[str, AbstractSet[str]]) -> None:
    """Refuse a folder of several models of which two share no task: they are parts of one, or no pair."""
    for (name, ours), (other, theirs) in combinations(tasks.items(), 2):
        if not ours & theirs:
            raise InvalidInputError(
                f"the folder {folder!r} holds {counted(len(tasks), 'model')} or revisions, of which"
                f" {name!r} and {other!r} share no task",
                hint="if they are one system, name it: name=path; otherwise give the folders to compare",
            )


def _of_one_split(models: Mapping[str, Sequence[_Row]], on_missing: OnMissing) -> dict[str, list[_Row]]:
    """Return the rows of one split of each task: the same of all models; refuse a task without such a split.

    Where tasks may be dropped, each model has a split of its own there, and so no item that others have.
    """
    splits: dict[str, dict[str, list[str]]] = {}
    for name, rows in models.items():
        for row in rows:
            splits.setdefault(row.groups["task"], {}).setdefault(name, []).append(str(row.split))
    taken: dict[tuple[str, str], str] = {}
    apart = []
    for task, by_model in splits.items():
        first, *others = by_model.values()
        shared = [split for split in first if all(split in other for other in others)]
        if not shared:
            each = "; ".join(f"{name}: {', '.join(dict.fromkeys(one))}" for name, one in by_model.items())
            apart.append(f"{task} ({each})")
        for name, own in by_model.items():
            known = shared or own
            taken[name, task] = _SPLIT if _SPLIT in known else known[0]
    if apart and on_missing != "drop":
        verb = "has" if len(apart) == 1 else "have"
        raise InvalidInputError(
            f"{counted(len(apart), 'task')} {verb} no split that all models have: {listed(apart)}",
            hint='run them on one split, or pass on_missing="drop" to compare the other tasks',
        )
    return {
        name: [replace(row, split=None) for row in rows if row.split == taken[name, row.groups["task"]]]
        for name, rows in models.items()
    }


def _other_data(rows: Sequence[_Row]) -> tuple[Note, ...]:
    """Return a note on tasks whose data differ between models."""
    revisions: dict[str, set[str]] = {}
    for row in rows:
        if row.revision is not None:
            revisions.setdefault(row.groups["task"], set()).add(row.revision)
    several = [task for task, found in revisions.items() if len(found) > 1]
    if not several:
        return ()
    text = f"the models saw different revisions of the data of {counted(len(several), 'task')}"
    return (Note("other_data", f"{text}: {listed(several)}"),)
