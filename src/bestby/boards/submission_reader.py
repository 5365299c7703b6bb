"""The predictions of the submissions of a board, read from its files through its cache."""

from __future__ import annotations

import dataclasses
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from bestby._core.arrays import objects
from bestby._core.cache import Cache
from bestby._core.cached import cached_property
from bestby._core.typing import Array
from bestby.boards.entries import Numbered
from bestby.boards.events import File
from bestby.boards.folder import Folder
from bestby.boards.scoring import form_of, predictions, predictions_of_systems
from bestby.boards.settings import Settings, Task

NO_CACHE = Cache("board", 5)
"""What a board reads by where nothing is stored."""


@dataclass(frozen=True, eq=False)
class SubmissionReader:
    """The files that were submitted to a board: each is checked, and read once if the cache is kept."""

    folder: Folder
    settings: Settings
    cache: Cache = NO_CACHE

    def predicted(self, task: Task, numbered: Sequence[Numbered]) -> dict[int, Array]:
        """Return the predictions of submissions for a task, in the order of the public list of items."""
        items, mark = self._task(task)
        files = {one.files[task.name] for _, one in numbered}
        self.check(files)
        keys = {f: self.cache.key("predictions", mark, f.sha256, f.suffix, f.column) for f in files}
        stored = {file: self.cache.read(key) for file, key in keys.items()}
        found = {file: _array(data) for file, data in stored.items() if data is not None}
        for file, values in self._read(task, items, [file for file in files if file not in found]):
            self.cache.write(keys[file], _bytes(values))
            found[file] = values
        return {number: found[one.files[task.name]] for number, one in numbered}

    def check(self, files: Iterable[File]) -> None:
        """Refuse files whose bytes are not those that were submitted; each is read once."""
        for whole in {dataclasses.replace(file, column=None) for file in files} - self._checked:
            self.folder.submission(whole)
            self._checked.add(whole)

    def items(self, task: Task) -> tuple[str, ...]:
        """Return the ids of the items of a task, in the order of the public list."""
        return self._task(task)[0]

    def _task(self, task: Task) -> tuple[tuple[str, ...], str]:
        """Return the items of a task and a hash of what its predictions are read by."""
        if task.name not in self._tasks:
            items = self.folder.items(task.name, self.settings)
            mark = self.cache.key("items and labels", form_of(task), task.labels, items)
            self._tasks[task.name] = items, mark
        return self._tasks[task.name]

    @cached_property
    def _tasks(self) -> dict[str, tuple[tuple[str, ...], str]]:
        return {}

    @cached_property
    def _checked(self) -> set[File]:
        return set()

    def marks(self) -> list[str]:
        """Return a hash for each task of what its predictions are read by."""
        return [self._task(task)[1] for task in self.settings.tasks]

    def _read(self, task: Task, items: Sequence[str], files: Sequence[File]) -> Iterator[tuple[File, Array]]:
        """Yield the predictions of files, each of which is read once however many systems it holds."""
        of_several: dict[str, list[File]] = {}
        for file in files:
            if file.column is None:
                yield file, predictions(self.folder.submission_file(file), task, items)
            else:
                of_several.setdefault(file.sha256, []).append(file)
        for group in of_several.values():
            path, columns = self.folder.submission_file(group[0]), [str(file.column) for file in group]
            together = predictions_of_systems(path, task, items, columns)
            yield from ((file, together[str(file.column)]) for file in group)


def _bytes(values: Array) -> bytes:
    """Return predictions as bytes: texts as JSON, numbers as NumPy writes them."""
    if values.dtype.kind == "O":
        return json.dumps(values.tolist()).encode()
    stream = io.BytesIO()
    np.save(stream, values, allow_pickle=False)
    return stream.getvalue()


def _array(data: bytes) -> Array:
    """Return the predictions of which `_bytes` made these bytes."""
    if data.startswith(b"["):
        return objects(json.loads(data))
    numbers: Array = np.load(io.BytesIO(data), allow_pickle=False)
    return numbers
