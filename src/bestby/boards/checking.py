"""What a participant can check at home: files against the settings and the public lists of items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby._core.paths import readable_file
from bestby._core.text import path_text
from bestby.boards.folder import Folder
from bestby.boards.result import SubmissionCheck
from bestby.boards.scoring import predictions
from bestby.boards.settings import Settings
from bestby.readers.files import kind_of

SUFFIXES = (".csv", ".tsv", ".jsonl", ".json", ".txt")
"""The endings that a submission may have."""

MEGABYTE = 1_000_000


def by_task(files: str | Path | Mapping[str, str | Path], settings: Settings) -> dict[str, Path]:
    """Return the files of a submission by task, in the order of the tasks; one file is of the only task."""
    if not isinstance(files, Mapping):
        file = checks.valid_path(files, "name the file of the predictions")
        if len(settings.tasks) > 1:
            known = ", ".join(task.name for task in settings.tasks)
            raise InvalidInputError(
                f"the board has {len(settings.tasks)} tasks, got one file without the name of its task",
                hint=f'give files by task, of {known}: {{"{settings.tasks[0].name}": "{files}"}}',
            )
        return {settings.tasks[0].name: file}
    if not files:
        raise InvalidInputError("a submission needs a file", hint="give the file of a task at least")
    named = {settings.task(str(name)).name: path for name, path in files.items()}
    hint = "name a file for each task"
    return {
        task.name: checks.valid_path(named[task.name], hint) for task in settings.tasks if task.name in named
    }


def checked_file(path: str | Path, settings: Settings) -> Path:
    """Return the path of a file that is a submission by its name, size and first bytes."""
    file = readable_file(path)
    if file.suffix.lower() not in SUFFIXES:
        raise InvalidInputError(
            f"{path_text(file)} does not end in {', '.join(SUFFIXES)}",
            hint="submit a table with the columns id and prediction, such as predictions.csv",
        )
    size = file.stat().st_size
    if size > settings.most_megabytes * MEGABYTE:
        raise InvalidInputError(
            f"{path_text(file)} is too large: {size / MEGABYTE:.1f} MB; the board takes"
            f" {settings.most_megabytes:g} MB at most",
            hint="submit the ids and the predictions alone",
        )
    kind = kind_of(file)
    if kind.compression != "none" or kind.form in ("parquet", "npy"):
        raise InvalidInputError(
            f"{path_text(file)} is not the text that its name says", hint="submit it unpacked, as CSV"
        )
    return file


def check(
    folder: Folder, settings: Settings, files: str | Path | Mapping[str, str | Path]
) -> SubmissionCheck:
    """Check files by what everybody may know: nothing here looks at the gold or at the record."""
    n_items: dict[str, int] = {}
    labels: dict[str, dict[str, int]] = {}
    for name, path in by_task(files, settings).items():
        task, items = settings.task(name), folder.items(name, settings)
        file = checked_file(path, settings)
        try:
            found = predictions(file, task, items)
        except InvalidInputError as error:
            if "which column" in error.message:
                error.hint = "call the column of the predictions prediction, and that of the ids id"
            raise
        if found.dtype.kind == "f":  # what no metric can add up must not keep the others from their tables
            checks.check_bounded(found, f"{file}: predictions")
            checks.check_not_tiny(found, f"{file}: predictions")
        n_items[name] = len(items)
        counts = Counter(found.tolist()) if task.labels else Counter()
        labels[name] = {task.labels[place]: count for place, count in counts.most_common()}
    return SubmissionCheck(n_items, labels)
