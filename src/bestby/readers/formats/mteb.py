"""Results of MTEB: a file per model and task, with the scores of each subset of the task."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bestby._core.errors import InvalidInputError
from bestby._core.paths import is_file
from bestby._core.text import counted
from bestby._core.typing import OnMissing
from bestby.data.roles import is_quantity, listed
from bestby.readers.formats._logs import Sample, Scored, Tool, quantities_of
from bestby.readers.formats.base import File, Read, files_of, refuse_gold
from bestby.readers.paths import parts_apart
from bestby.readers.text import Record, document, kind, listing, numbers, word
from bestby.results.base import Note

SIBLINGS = ("model_meta.json", "*_predictions.json")

_START = re.compile(rb'\s*\{\s*"\w+"\s*:')
_MAIN, _SPLIT, _WHOLE = "main_score", "test", "default"

# Before version 1.11 the scores stood under the split, or under the subset in it.
_OLD = "mteb_dataset_name"
_SIMILARITIES = {
    **{name: name for name in ("dot", "euclidean", "manhattan", "max", "similarity")},
    "cos_sim": "cosine",
}
_NO_SUBSETS = {*_SIMILARITIES, "v_measures"}

_NAMELESS = re.compile(r"no_(model_name|revision)[_/]available|no_model_name|available")


@dataclass(frozen=True)
class _Row(Sample):
    """The scores of one model on one subset of one split of a task; no languages where none are told."""

    path: str = ""
    task: str = ""
    of_split: str = ""
    languages: tuple[str, ...] = ()
    revision: str | None = None


def recognises(path: Path, head: bytes) -> bool:  # noqa: ARG001
    """Tell whether a file has the scores of a task."""
    if _START.match(head) is None or b'"mteb_version"' not in head:
        return False
    is_new = b'"scores"' in head and (b'"task_name"' in head or b'"hf_subset"' in head)
    return is_new or f'"{_OLD}"'.encode() in head


def read(
    paths: Mapping[str, Path],
    *,
    gold: Path | None = None,
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
    refuse_gold(gold, "the results of MTEB are scores and need no gold")
    files = files_of(paths, recognises)
    models: dict[str, list[_Row]] = {}
    sources: dict[str, str] = {}
    names = _models(files)
    for file, name in zip(files, names, strict=True):
        models.setdefault(name, []).extend(_rows(file.path))
        sources.setdefault(name, str(file.path.parent))
    for folder in {file.name: None for file in files if file.named and not file.explicit}:
        ours = {name for file, name in zip(files, names, strict=True) if file.name == folder}
        _check_one_set(folder, {name: models[name] for name in sorted(ours)})
    if value_column is None:
        _check_main([row for rows in models.values() for row in rows])
    chosen = _of_one_split(models, on_missing)
    notes = _check_alike([row for rows in chosen.values() for row in rows])
    scored = [Scored(sources[name], name, name, None, rows) for name, rows in chosen.items()]
    tool = Tool("results of MTEB, with the subsets of the tasks as items", main=(_MAIN,), items="tasks")
    return replace(tool.compared(scored, value_column, on_missing, clusters), notes=notes)


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
    is_old = _OLD in whole.data
    task = word(whole.need(_OLD if is_old else "task_name"))
    splits = _old_splits(whole) if is_old else whole.need("scores")
    if task is None or not isinstance(splits, dict) or not splits:
        raise InvalidInputError(
            f"{path}: expected the name of a task and its scores by split, got"
            f" {whole.data[_OLD if is_old else 'task_name']!r:.40} and {kind(splits)}",
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
            groups={"task": task, **({"language": languages[0]} if len(languages) == 1 else {})},
            # What a task took is that of a subset where there is no other
            quantities=quantities_of(whole.data if len(rows) == 1 else row.data),
            path=str(path),
            task=task,
            of_split=split,
            languages=tuple(languages),
            revision=word(whole.data.get("dataset_revision")),
        )


def _old_splits(whole: Record) -> dict[str, list[dict[str, Any]]]:
    """Return the scores of a file from before version 1.11 as later ones have them."""
    splits: dict[str, list[dict[str, Any]]] = {}
    for split in whole.data:
        scores = whole.part(split)
        subsets = {name: one for name, one in scores.items() if isinstance(one, dict)}
        subsets = {name: one for name, one in subsets.items() if name not in _NO_SUBSETS}
        if scores:
            rows = (subsets or {_WHOLE: scores}).items()
            splits[split] = [{**_flat(one), "hf_subset": subset} for subset, one in rows]
    return splits


def _flat(scores: Mapping[str, Any]) -> dict[str, Any]:
    """Return scores with those of a similarity as they are called since: ``cosine_spearman``."""
    flat = dict(scores)
    for old, new in _SIMILARITIES.items():
        if isinstance(scores.get(old), dict):
            flat.update({f"{new}_{name}": one for name, one in scores[old].items()})
    return flat


def _check_one_set(folder: str, models: Mapping[str, Sequence[_Row]]) -> None:
    """Refuse a folder of several models of which two share no task: they are parts of one, or no pair."""
    for (name, rows), (other, others) in itertools.combinations(models.items(), 2):
        if not {row.task for row in rows} & {row.task for row in others}:
            raise InvalidInputError(
                f"the folder {folder!r} holds {counted(len(models), 'model')} or revisions, of which"
                f" {name!r} and {other!r} share no task",
                hint="if they are one system, name it: name=path; otherwise give the folders to compare",
            )


def _check_main(rows: Sequence[_Row]) -> None:
    """Refuse results that do not say which of their scores is the main one."""
    lacking = list(dict.fromkeys(row.path for row in rows if _MAIN not in row.scores))
    if lacking:
        n = len({row.path for row in rows})
        raise InvalidInputError(
            f"{len(lacking)} of {n} files have no {_MAIN}, which mteb before 1.11 left out for some tasks:"
            f" {listed(lacking)}",
            hint="take them out of the folder, or name a score of theirs: value_column=...",
        )


def _of_one_split(models: Mapping[str, Sequence[_Row]], on_missing: OnMissing) -> dict[str, list[_Row]]:
    """Return the rows of one split of each task: the same of all models; refuse a task without such a split.

    Where tasks may be dropped, each model has a split of its own there, and so no item that others have.
    """
    splits: dict[str, dict[str, list[str]]] = {}
    for name, rows in models.items():
        for row in rows:
            splits.setdefault(row.task, {}).setdefault(name, []).append(row.of_split)
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
        name: [row for row in rows if row.of_split == taken[name, row.task]] for name, rows in models.items()
    }


def _check_alike(rows: Sequence[_Row]) -> tuple[Note, ...]:
    """Refuse subsets that are called alike and are in other languages; note tasks whose data differ."""
    languages: dict[str, _Row] = {}
    revisions: dict[str, set[str]] = {}
    for row in rows:
        first = languages.setdefault(row.item, row) if row.languages else row
        if first.languages != row.languages:
            raise InvalidInputError(
                f"{row.where}: {row.item!r} is in {listed(row.languages)}, and in"
                f" {listed(first.languages)} in {first.where}",
                hint="leave the task out, or run it on the same subsets",
            )
        if row.revision is not None:
            revisions.setdefault(row.task, set()).add(row.revision)
    several = [task for task, found in revisions.items() if len(found) > 1]
    if not several:
        return ()
    text = f"the models saw different revisions of the data of {counted(len(several), 'task')}"
    return (Note("other_data", f"{text}: {listed(several)}"),)
