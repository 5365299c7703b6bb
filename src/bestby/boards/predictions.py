"""From the files of submissions to predictions, and from these and the gold to what is compared."""

from __future__ import annotations

import dataclasses
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from bestby._core import checks
from bestby._core.arrays import objects
from bestby._core.cached import cached_property
from bestby._core.errors import BoardError, InvalidInputError
from bestby._core.files import Cache
from bestby._core.text import counted, grouped, path_text, quoted
from bestby._core.typing import Array, BoolArray
from bestby.boards.folder import Folder
from bestby.boards.gold import TaskGold
from bestby.boards.record import File, Numbered, System
from bestby.boards.settings import Settings, Task
from bestby.comparisons.costs import statistic_of
from bestby.data.alignment import in_common_spelling
from bestby.data.columns import MISSING, Coded, Column, column_of_texts, text_of
from bestby.data.evaluation import Evaluation
from bestby.data.roles import Soft, TableOptions, listed
from bestby.data.values import Rule, number_of
from bestby.metrics.base import BaseMetric
from bestby.metrics.registry import resolve
from bestby.metrics.suitability import chosen_metrics
from bestby.readers.files import read_table
from bestby.readers.joined_files import Part, system_part
from bestby.report.numbers import percent

Form = Literal["labels", "numbers", "texts"]
"""What predictions are: labels of the task, a number per item, or a text per item."""


@dataclass(frozen=True)
class Labels:
    """The labels of a task and how a label that is written in another way is known for one of them."""

    names: tuple[str, ...]

    @cached_property
    def rule(self) -> Rule:
        """How labels are read."""
        return Rule.of(column_of_texts(list(self.names)))

    @cached_property
    def places(self) -> dict[object, int]:
        """The position of each label by the form in which it is compared."""
        return {self.rule.key(name): place for place, name in enumerate(self.names)}

    @cached_property
    def values(self) -> Array:
        """The labels as a comparison takes them: numbers if all of them are."""
        column = column_of_texts(list(self.names))
        values = self.rule.read(column, self.rule.keys_of(column)).values
        return values.astype(np.str_) if values.dtype.kind == "O" else values

    def codes(self, texts: Sequence[str]) -> Array:
        """Return the positions of labels, -1 for a text that is none of them."""
        code_of = {text: self.places.get(self.rule.key(text), -1) for text in {*texts}}
        kind = np.int16 if len(self.names) < 1 << 15 else np.int32
        return np.fromiter(map(code_of.__getitem__, texts), dtype=kind, count=len(texts))

    def coded(self, codes: Array) -> Coded:
        """Return labels by their positions as codes of those that occur, in rising order."""
        there = np.bincount(codes, minlength=len(self.names)) > 0
        return Coded(self.values[there], (np.cumsum(there) - 1)[codes]).in_order()


def form_of(task: Task) -> Form:
    """Return what the predictions of a task are."""
    if task.labels:
        return "labels"
    if not task.scores and all(resolve(metric).reads == "objects" for metric in task.metrics):
        return "texts"
    return "numbers"


def direction_of(task: Task) -> bool | None:
    """Return whether larger scores are better, if submissions are scores; None where the metrics tell."""
    return task.greater_is_better if task.scores else None


def metric_of(task: Task, name: str, evaluation: Evaluation) -> BaseMetric:
    """Return a metric of a task as it reads the systems of the task."""
    (metric,), _ = chosen_metrics(name, evaluation, direction_of(task))
    return metric


def predictions(path: Path, task: Task, items: Sequence[str]) -> Array:
    """Return the predictions in a file, in the order of the public list of items.

    It needs nothing that is hidden, so that a participant can run it at home.

    Parameters
    ----------
    path : Path
        A table with a column of ids and one of predictions (CSV, TSV, JSON Lines, Parquet), or a text file
        with a prediction per line, in the order of the items.
    task : Task
        The settings of the task.
    items : sequence of str, length n
        The ids of the items.

    Returns
    -------
    ndarray, shape (n,)
        Positions in the labels of the task, numbers, or texts.

    Raises
    ------
    InvalidInputError
        If the file cannot be read, its items are not those of the task, or a prediction is missing or is
        nothing that the task allows.
    """
    form = form_of(task)
    missing = _missing(task, form)
    options = TableOptions.of(missing=missing, soft=Soft(texts=form == "texts"))
    part = system_part(path, "predictions", options)
    return _at(_values(part, task, form), _rows(part, items, task.coverage))


def absent(values: Array) -> BoolArray:
    """Return for which items there is no prediction, shape (n,)."""
    if values.dtype.kind == "O":
        return np.array([one is None for one in values.tolist()])
    gone: BoolArray = values < 0 if values.dtype.kind == "i" else np.isnan(values)
    return gone


def _at(values: Array, rows: Array) -> Array:
    """Return the values in some rows; what stands for none where the row is -1."""
    nothing: Any = {"i": -1, "f": np.nan}.get(values.dtype.kind)
    return np.where(rows < 0, nothing, values[rows]).astype(values.dtype)


def columns_of_costs(path: Path, task: Task, items: Sequence[str], columns: Sequence[str]) -> list[str]:
    """Return those columns of costs that a file has, with a number of 0 or more for each of its items."""
    if not columns or path.suffix.lower() == ".txt":
        return []
    names = read_table(path, frozenset(MISSING)).names
    there = [column for column in columns if column in names]
    for name, values in predictions_of_systems(path, as_numbers(task), items, there).items():
        costs = values[~absent(values)]
        checks.check_bounded(costs, f"{path_text(path)}: {name}")
        checks.check_not_tiny(costs, f"{path_text(path)}: {name}")
        if costs.min(initial=0.0) < 0.0:
            raise InvalidInputError(
                f"{path_text(path)}: {name} is below 0 for an item", hint="a cost is 0 or more"
            )
    return there


def as_numbers(task: Task) -> Task:
    """Return a task of the same items whose predictions are a number for each, such as a cost."""
    return dataclasses.replace(task, labels=(), scores=True)


def predictions_of_systems(
    path: Path, task: Task, items: Sequence[str], columns: Sequence[str], shown: str | None = None
) -> dict[str, Array]:
    """Return the predictions of several systems, from the columns of one table that is read once.

    `shown` is what messages call the table, its path by default.
    """
    form = form_of(task)
    table = read_table(path, _missing(task, form))
    ids = table.item_column(None)
    keys = None if ids is None else table.texts(ids, "item")
    by_system: dict[str, Array] = {}
    rows: Array | None = None
    for name in columns:
        part = Part(
            f"{shown or table.source}, column {quoted(name)}",
            table.column(table.require(name, "system")),
            keys,
        )
        rows = _rows(part, items, task.coverage) if rows is None else rows
        by_system[name] = _at(_values(part, task, form), rows)
    return by_system


def _missing(task: Task, form: Form) -> frozenset[str]:
    """Return the words that stand for a prediction that is missing."""
    return frozenset(MISSING).difference(task.labels) if form != "texts" else frozenset[str]()


def _rows(part: Part, items: Sequence[str], coverage: float) -> Array:
    """Return the row of each item, -1 of one that is left out; the file must have a share of them, once each.

    It must have no others.
    """
    n, size = len(items), part.column.size
    if part.items is None:
        if size != n:
            raise InvalidInputError(
                f"{part.source} has {grouped(size)} predictions for {grouped(n)} items",
                hint="give one per item, in the order of the list of items, or a table with a column id",
            )
        return np.arange(n)
    place = {item: row for row, item in enumerate(part.items)}
    if len(place) < size:
        doubled = next(item for row, item in enumerate(part.items) if place[item] != row)
        raise InvalidInputError(
            f"{part.source}: the item {quoted(doubled)} has several predictions", hint="give one per item"
        )
    place, respelled = in_common_spelling(place, dict.fromkeys(items))
    others = [item for item in place if item not in respelled]
    if others:
        raise InvalidInputError(
            f"{part.source}: the task has no item for {counted(len(others), 'id')}, such as"
            f" {_examples(others)}",
            hint="the ids are those of the public list of items",
        )
    left_out = [item for item in respelled if item not in place]
    if n - len(left_out) < round(coverage * n, 6):  # 0.07 of 100 items are 7.000000000000001
        least = f"at least {percent(coverage)} of the items" if coverage < 1.0 else "every item"
        raise InvalidInputError(
            f"{part.source}: {grouped(len(left_out))} of {grouped(n)} items have no prediction, such as"
            f" {_examples(left_out)}",
            hint=f"give a prediction for {least} of the public list",
        )
    return np.fromiter((place.get(item, -1) for item in respelled), dtype=np.int64, count=n)


def _values(part: Part, task: Task, form: Form) -> Array:
    """Return the predictions in the order of the file, checked."""
    column = part.column
    if column.is_soft or column.is_annotated:
        raise InvalidInputError(
            f"{part.source} has several numbers per item, and a prediction is one value",
            hint="give one column of predictions",
        )
    if column.missing.any():
        row = int(np.flatnonzero(column.missing)[0])
        missing = counted(int(column.missing.sum()), "missing prediction")
        raise InvalidInputError(
            f"{part.source} has {missing}, the first for item {quoted(part.keys[row])}",
            hint="give a prediction for every item",
        )
    texts = text_of(column).values
    if form == "texts":
        return objects(texts.tolist())
    if form == "numbers":
        return _numbers(column, texts, part)
    labels = Labels(task.labels)
    codes = labels.codes(texts.tolist())
    if (codes < 0).any():
        row = int(np.flatnonzero(codes < 0)[0])
        where = f"{part.source}, item {quoted(part.keys[row])}"
        raise InvalidInputError(
            f"{where}: {quoted(texts[row], 60)} is not a label of the task",
            hint=f"its labels are: {listed(list(task.labels))}",
        )
    return codes


def _numbers(column: Column, texts: Array, part: Part) -> Array:
    if not column.is_text:
        numbers = column.values.astype(np.float64)
    else:
        read = [number_of(text.strip()) for text in texts.tolist()]
        numbers = np.array([np.nan if one is None else float(one) for one in read])
    if not np.isfinite(numbers).all():
        row = int(np.flatnonzero(~np.isfinite(numbers))[0])
        raise InvalidInputError(
            f"{part.source}: {quoted(texts[row], 60)} (item {quoted(part.keys[row])}) is not a finite number",
            hint="the task takes a number per item",
        )
    return numbers


def _examples(names: Sequence[str]) -> str:
    # Items or labels that a message names
    return ", ".join(map(quoted, names[:3]))


@dataclass(frozen=True, eq=False)
class Hidden:
    """The items of a task that a phase scores, with all that the gold says of them.

    `rows` are the positions of the items in the public list; `gold` holds what `Evaluation` takes.
    """

    task: Task
    items: Array
    rows: Array
    gold: Array | None
    coded: Mapping[str, Coded]
    clusters: Array | None
    strata: Array | None
    slices: Mapping[str, Array]

    @classmethod
    def of(cls, task: Task, gold: TaskGold, items: Sequence[str], part: str) -> Hidden:
        """Return the items of a part of the gold of a task; `items` is the public list."""
        rows = np.flatnonzero(gold.in_part(part))
        place = {item: row for row, item in enumerate(items)}
        ids = [gold.ids[row] for row in rows.tolist()]
        if not all(item in place for item in ids):
            raise BoardError(
                f"the gold of task {quoted(task.name)} has items that the public list has not",
                hint="restore the list of items from a copy or from git",
            )
        if len(ids) < 2:
            raise BoardError(
                f"the {part} part of the gold of task {quoted(task.name)} has {len(ids)} items, and a"
                " comparison needs two",
                hint="make the board anew with another share",
            )

        def grouping(name: str | None) -> Array | None:
            return None if name is None else np.array(gold.grouping(name), dtype=np.str_)[rows]

        values, coded = _gold_values(task, gold, rows)
        slices = {name: np.array(gold.grouping(name), dtype=np.str_)[rows] for name in task.slices}
        return cls(
            task,
            np.array(ids, dtype=np.str_),
            np.array([place[item] for item in ids], dtype=np.int64),
            values,
            coded,
            grouping(task.clusters),
            grouping(task.strata),
            slices,
        )

    def evaluation(self, predicted: Mapping[str, Array]) -> Evaluation:
        """Return systems on these items, from their predictions in the order of the public list."""
        systems: dict[str, Array] = {}
        missing: dict[str, BoolArray] = {}
        coded = dict(self.coded)
        labels = Labels(self.task.labels) if form_of(self.task) == "labels" else None
        for name, values in predicted.items():
            values_of_part, gone = values[self.rows], absent(values[self.rows])
            if gone.any():
                missing[name] = gone
                values_of_part = np.where(gone, values_of_part[np.argmin(gone)], values_of_part)
            if labels is not None:
                coded[name] = labels.coded(values_of_part)
                values_of_part = coded[name].values
            systems[name] = values_of_part
        return Evaluation(
            systems=systems,
            gold=self.gold,
            items=self.items,
            clusters=self.clusters,
            strata=self.strata,
            groupings=self.slices,
            codes_of_texts=coded,
            missing=missing,
            on_missing="pairs",
        )


def _gold_values(task: Task, gold: TaskGold, rows: Array) -> tuple[Array | None, dict[str, Coded]]:
    """Return the gold of some items as a comparison takes it, and its codes if it is labels."""
    if task.scores:
        return None, {}
    if gold.labels is None:
        raise _not_as_said(task)
    texts = [gold.labels[row] for row in rows.tolist()]
    form = form_of(task)
    if form == "labels":
        labels = Labels(task.labels)
        codes = labels.codes(texts)
        if (codes < 0).any():
            raise _not_as_said(task)
        coded = labels.coded(codes)
        return coded.values, {"": coded}
    if form == "texts":
        return objects(list(texts)), {}
    numbers = [number_of(text.strip()) for text in texts]
    if None in numbers:  # labels whose probabilities are predicted
        return np.array(texts, dtype=np.str_), {}
    return np.array(numbers, dtype=np.float64), {}


def _not_as_said(task: Task) -> BoardError:
    """Return the error for a gold that the settings do not describe; it says nothing of the gold."""
    return BoardError(
        f"the gold of task {quoted(task.name)} is not what board.toml says of it",
        hint="compare labels and scores in board.toml with the gold",
    )


NO_CACHE = Cache("board", 6)
"""What a board reads by where nothing is stored."""


@dataclass(frozen=True, eq=False)
class SubmissionReader:
    """The files that were submitted to a board: each is checked, and read once if the cache is kept."""

    folder: Folder
    settings: Settings
    cache: Cache = NO_CACHE

    def predicted(self, task: Task, numbered: Sequence[Numbered]) -> dict[int, Array]:
        """Return the predictions of submissions for a task, in the order of the public list of items."""
        files = {number: one.files[task.name] for number, one in numbered}
        by_file = self._values(task, {*files.values()})
        return {number: by_file[file] for number, file in files.items()}

    def costs(self, task: Task, systems: Iterable[System], name: str) -> dict[str, float | Array]:
        """Return a cost of the systems that have it, a price or an array with the cost of each item."""
        column, quantile = statistic_of(name)
        there = {one.key: one.event for one in systems if column in one.event.costs}
        prices = {key: price for key, event in there.items() if (price := event.costs[column]) is not None}
        files = {
            key: dataclasses.replace(event.files[task.name], column=column)
            for key, event in there.items()
            if key not in prices
        }
        read = self._values(as_numbers(task), {*files.values()})
        measured = {key: read[file] for key, file in files.items()}
        return {**measured, **(prices if quantile is None else {})}

    def _values(self, task: Task, files: set[File]) -> dict[File, Array]:
        """Return the predictions in files, from the cache if they were read before."""
        items = self.items(task)
        mark = self.mark(task)
        self.check(files)
        keys = {f: self.cache.key("predictions", mark, f.sha256, f.suffix, f.column) for f in files}
        stored = {file: self.cache.read(key) for file, key in keys.items()}
        by_file = {file: _predictions_from_bytes(data) for file, data in stored.items() if data is not None}
        for file, values in self._read(task, items, [file for file in files if file not in by_file]):
            self.cache.write(keys[file], _predictions_as_bytes(values))
            by_file[file] = values
        return by_file

    def check(self, files: Iterable[File]) -> None:
        """Refuse files whose bytes are not those that were submitted; each is read once."""
        for whole in {dataclasses.replace(file, column=None) for file in files} - self._checked:
            self.folder.submission(whole)
            self._checked.add(whole)

    def items(self, task: Task) -> tuple[str, ...]:
        """Return the ids of the items of a task, in the order of the public list."""
        if task.name not in self._items:
            self._items[task.name] = self.folder.items(task.name, self.settings)
        return self._items[task.name]

    def mark(self, task: Task) -> str:
        """Return a hash of what the predictions of a task are read by."""
        return self.cache.key("items and labels", form_of(task), task.labels, self.items(task))

    @cached_property
    def _items(self) -> dict[str, tuple[str, ...]]:
        return {}

    @cached_property
    def _checked(self) -> set[File]:
        return set()

    def _read(self, task: Task, items: Sequence[str], files: Sequence[File]) -> Iterator[tuple[File, Array]]:
        """Yield the predictions of files, each of which is read once however many systems it holds."""
        by_content: dict[str, list[File]] = {}
        for file in files:
            if file.column is None:
                yield file, predictions(self.folder.submission_file(file), task, items)
            else:
                by_content.setdefault(file.sha256, []).append(file)
        for group in by_content.values():
            path, columns = self.folder.submission_file(group[0]), [str(file.column) for file in group]
            together = predictions_of_systems(path, task, items, columns)
            yield from ((file, together[str(file.column)]) for file in group)


def _predictions_as_bytes(values: Array) -> bytes:
    """Return predictions as bytes: texts as JSON, numbers as NumPy writes them."""
    if values.dtype.kind == "O":
        return json.dumps(values.tolist()).encode()
    stream = io.BytesIO()
    np.save(stream, values, allow_pickle=False)
    return stream.getvalue()


def _predictions_from_bytes(data: bytes) -> Array:
    """Return the predictions of which `_bytes` made these bytes."""
    if data.startswith(b"["):
        return objects(json.loads(data))
    numbers: Array = np.load(io.BytesIO(data), allow_pickle=False)
    return numbers
