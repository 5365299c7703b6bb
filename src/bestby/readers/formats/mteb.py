"""Results of MTEB: a file per model and task, with the scores of each subset of the task."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from bestby._core.errors import InvalidInputError
from bestby._core.paths import is_file
from bestby._core.typing import OnMissing
from bestby.readers.formats._documents import Record, document, kind, listing, numbers, word
from bestby.readers.formats._scored import Sample, Scored, compared
from bestby.readers.formats.base import File, Read, files_of, refuse_gold

_START = re.compile(rb'\s*\{\s*"\w+"\s*:')
_KEYS = (b'"mteb_version"', b'"scores"', b'"task_name"')
_MAIN, _SPLIT, _WHOLE = "main_score", "test", "default"


def recognises(path: Path, head: bytes) -> bool:  # noqa: ARG001
    """Tell whether a file has the scores of a task."""
    if _START.match(head) is None or b'"scores"' not in head:
        return False
    return _KEYS[0] in head and (_KEYS[2] in head or b'"hf_subset"' in head)


def read(
    paths: Mapping[str, Path],
    *,
    gold: Path | None = None,
    on_missing: OnMissing = "error",
    value_column: str | None = None,
    clusters: str | None = None,
) -> Read:
    """Read the folders of two or more models, with a file per task.

    There is one score per task and subset, and none per text: the subsets of the tasks are the items. Of
    several splits the one called test counts, else the first. `value_column` is the score, by default the
    main one of each task. The name of a model is that in ``model_meta.json`` beside the files. The task is a
    grouping, and so is the language where a subset has one.
    """
    refuse_gold(gold, "the results of MTEB are scores and need no gold")
    models: dict[str, list[Sample]] = {}
    sources: dict[str, str] = {}
    for file in files_of(paths, recognises):
        name = _model(file)
        models.setdefault(name, []).extend(_samples(file.path))
        sources.setdefault(name, str(file.path.parent))
    scored = [Scored(sources[name], name, name, "tasks", samples) for name, samples in models.items()]
    return compared(
        scored,
        "results of MTEB, with the subsets of the tasks as items",
        wanted=value_column,
        main=_MAIN,
        on_missing=on_missing,
        clusters=clusters,
    )


def _model(file: File) -> str:
    """Return the name of a model: as the user says, else as told beside the file, else that of the folder."""
    if file.named and file.name not in {folder.name for folder in file.path.parents}:
        return file.name
    meta = file.path.parent / "model_meta.json"
    told = word(document(meta).data.get("name")) if is_file(meta) else None
    return told or file.path.parent.name or file.name


def _samples(path: Path) -> Iterator[Sample]:
    whole = document(path)
    task = word(whole.need("task_name"))
    splits = whole.need("scores")
    if task is None or not isinstance(splits, dict) or not splits:
        raise InvalidInputError(
            f"{path}: expected the name of a task and its scores by split, got"
            f" {whole.data['task_name']!r:.40} and {kind(splits)}",
            hint="give the files that mteb wrote, without others",
        )
    split = _SPLIT if _SPLIT in splits else next(iter(splits))
    for row in listing(Record(str(path), splits), split):
        subset = word(row.data.get("hf_subset")) or _WHOLE
        languages = row.data.get("languages")
        groups = {"task": task}
        if isinstance(languages, list) and len(languages) == 1 and (language := word(languages[0])):
            groups["language"] = language
        item = task if subset == _WHOLE else f"{task} [{subset}]"
        yield Sample(row.where, item, numbers(row.data), groups=groups)
