"""The predictions of the submissions of a board, read from its files through its cache."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from bestby._core.cached import cached_property
from bestby._core.typing import Array
from bestby.boards.cache import Cache
from bestby.boards.cached_results import cached
from bestby.boards.entries import Numbered
from bestby.boards.events import File
from bestby.boards.folder import Folder
from bestby.boards.scoring import form_of, predictions, predictions_of_systems
from bestby.boards.settings import Settings, Task

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class SubmissionReader:
    """The files that were submitted to a board: each is checked, and read once if the cache is kept."""

    folder: Folder
    settings: Settings
    cache: Cache

    def predicted(self, task: Task, numbered: Sequence[Numbered]) -> dict[int, Array]:
        """Return the predictions of submissions for a task, in the order of the public list of items."""
        items, mark = self._task(task)
        files = {one.files[task.name] for _, one in numbered}
        self.check(files)
        keys = {f: self.cache.key("predictions", mark, f.sha256, f.suffix, f.column) for f in files}
        known = {file: self.cache.find(key) for file, key in keys.items()}
        found = {file: values for file, values in known.items() if values is not None}
        for file, values in self._read(task, items, [file for file in files if file not in found]):
            self.cache.keep(keys[file], values)
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

    def cached(self, mark: str, parts: Sequence[Any], files: Iterable[File], make: Callable[[], T]) -> T:
        """Return what follows from the gold of a `mark`, the lists of items, submitted files and `parts`.

        It is made if the cache does not have it, and what it follows from was checked before it is used.
        """
        self.check(files)
        of_tasks = [self._task(task)[1] for task in self.settings.tasks]
        return cached(self.cache, (mark, of_tasks, *parts), make)

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
