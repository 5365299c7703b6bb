"""What lies in files: their tables as they were read, one row per item, and the score of each item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

import numpy as np

from bestby._core.cached import cached_property
from bestby._core.text import words_of
from bestby._core.typing import FloatArray, IntArray
from bestby.data.columns import MISSING, Column, group_codes, is_plain
from bestby.data.evaluation import Evaluation
from bestby.data.layouts.items import first_rows, system_column_of
from bestby.data.layouts.soft import items_of
from bestby.data.roles import (
    ANNOTATOR_WORDS,
    GOLD_WORDS,
    ITEM_WORDS,
    REPETITION_WORDS,
    RUN_WORDS,
    SAMPLE_WORDS,
    VALUE_WORDS,
    WINNER_WORDS,
    Roles,
    is_quantity,
)
from bestby.data.table import SYSTEM_WORDS, Table
from bestby.data.values import as_scores
from bestby.questions.check.asking import TEXT_METRIC, Asked, system_names
from bestby.readers.files import read_values
from bestby.readers.formats.base import format_in
from bestby.readers.joined_files import file_of, pieces_of, whole_table
from bestby.readers.paths import by_system, missing_texts, named_paths

LARGE = 20_000_000
"""Values of a table from which it is not read as a whole."""

PARTS = {
    "item ids": ITEM_WORDS,
    "gold": GOLD_WORDS,
    "systems": SYSTEM_WORDS,
    "runs": RUN_WORDS,
    "datasets": ("dataset", "task"),
    "folds": ("fold",),
    "repetitions": REPETITION_WORDS,
    "samples": SAMPLE_WORDS,
    "clusters": ("cluster",),
    "strata": ("stratum",),
    "judge": ("judge", "judge_name"),
    "human": ("human",),
    "annotators": ANNOTATOR_WORDS,
    "system A": ("a", "model_a"),
    "system B": ("b", "model_b"),
    "winner": WINNER_WORDS,
    "values": VALUE_WORDS,
}
"""The parts that columns play, and the names that tell them, in the order in which they are looked up."""

_OPTIONS = {
    "--item": "item ids",
    "--gold": "gold",
    "--system-column": "systems",
    "--value-column": "values",
    "--run": "runs",
    "--dataset": "datasets",
    "--fold": "folds",
    "--repetition": "repetitions",
    "--a": "system A",
    "--b": "system B",
}
_OF_PAIRS = ("system A", "system B", "winner")
_REPEATED = ("runs", "datasets", "folds", "repetitions", "samples", "judge", "annotators", "system A")
"""Parts of columns beside which an item has several rows of a system."""

GROUP_WORDS = frozenset({
    "annotator", "rater", "worker", "labeller", "author", "user", "speaker", "subject", "person", "source",
    "site", "domain", "topic", "category", "language", "lang", "genre", "template", "document", "doc",
    "passage", "paragraph", "article", "session", "dialogue", "batch", "group",
})  # fmt: skip
"""Words of names of columns whose whole numbers are groups."""

_MOST_GROUPS = 0.5
"""Groups per item up to which a column groups the items."""


@dataclass(frozen=True, eq=False)
class Content:
    """The tables in files, the questions that they answer, and the systems on one test set, if it is one."""

    tables: tuple[Table, ...]
    asked: tuple[Asked, ...] = ()
    evaluation: Evaluation | None = None
    lacking: str = ""
    """What it takes to have tables; empty if there are some."""

    def part(self, name: str) -> str:
        """Return the part that a column plays; empty if none is known."""
        for asked in self.asked:
            for option, part in _OPTIONS.items():
                values = asked.option(option)
                if name in values or (part == "gold" and name in [PurePath(value).stem for value in values]):
                    return part
        if name in self._names_of_systems:
            return "system"
        lower = name.lower()
        for part, words in PARTS.items():
            if lower in words and (part not in _OF_PAIRS or self._holds_pairs):
                return part
        if self.evaluation is not None and name in self.evaluation.called.values():
            return "values"
        role, _, rest = name.partition("[")
        return role.partition("_")[0] if rest and role.startswith(("judge", "human", "prediction")) else ""

    def column_of(self, part: str) -> str | None:
        """Return the first column that plays a part; None if there is none."""
        names = self.tables[0].names if self.tables else ()
        return next((name for name in names if self.part(name) == part), None)

    @cached_property
    def _names_of_systems(self) -> frozenset[str]:
        """The systems of all answers: columns that are called so hold what these answered."""
        return frozenset(name for one in self.asked for name in system_names(one.result))

    @cached_property
    def _holds_pairs(self) -> bool:
        names = {name.lower() for table in self.tables for name in table.names}
        return all(not names.isdisjoint(PARTS[part]) for part in _OF_PAIRS)

    @property
    def item(self) -> str | None:
        """The column of the item ids."""
        return self.column_of("item ids")

    @property
    def repeats_items(self) -> bool:
        """Whether an item rightly has several rows of a system."""
        return any(self.column_of(part) is not None for part in _REPEATED)

    @cached_property
    def systems(self) -> str | None:
        """The column that names the system of a row, if rows are of several."""
        if len(self.tables) != 1:
            return None
        named = self.column_of("systems")
        return named or system_column_of(self.tables[0], Roles(), None)

    @cached_property
    def items(self) -> Table | None:
        """The first table with one row per item: what columns say of the item itself."""
        if not self.tables:
            return None
        table, item = self.tables[0], self.item
        if item is None or table.column(item).missing.any():
            return None if self.systems is not None or self.repeats_items else table
        rows = [*first_rows(table.texts(item, "item")).values()]
        return Table(
            table.source, {name: table.column(name).take(rows) for name in table.names}, table.missing
        )

    @cached_property
    def free(self) -> tuple[str, ...]:
        """The columns with one value per item that play no part in a question."""
        table = self.items
        if table is None:
            return ()
        names = [name for name in table.names if not self.part(name)]
        return tuple(name for name in names if self._is_of_items(name) and not table.column(name).is_items)

    def _is_of_items(self, name: str) -> bool:
        """Tell whether a column has the same value in all rows of an item."""
        table, item = self.tables[0], self.item
        if table.column(name).is_soft:
            return False
        if item is None or (self.systems is None and not self.repeats_items):
            return True
        pairs = {*zip(table.cells(item), table.cells(name), strict=True)}
        return len(pairs) == len(table.distinct(item))

    @cached_property
    def groups(self) -> dict[str, IntArray]:
        """The sizes of the groups that each free column makes of the items, the largest first."""
        found = {}
        table = self.items
        for name in self.free:
            assert table is not None
            column = table.column(name)
            if column.missing.any() or is_quantity(name) or self._is_measured(name, column):
                continue
            sizes = np.sort(np.bincount(group_codes(np.array(table.texts(name, "group")))[1]))[::-1]
            if 2 <= sizes.size <= _MOST_GROUPS * table.n_rows:
                found[name] = sizes
        return found

    def _is_measured(self, name: str, column: Column) -> bool:
        """Tell whether a column holds numbers that are no names of groups."""
        read = as_scores(column)
        if read.is_text:
            return False
        return GROUP_WORDS.isdisjoint(words_of(name)) or read.values.dtype.kind == "f"

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """The free columns of texts that are mostly different: what the systems were asked."""
        table = self.items
        if table is None:
            return ()
        texts = [name for name in self.free if as_scores(table.column(name)).is_text]
        return tuple(name for name in texts if len(table.distinct(name)) > _MOST_GROUPS * table.n_rows)

    @property
    def holds_texts(self) -> bool:
        """Whether the predictions are texts, which no item has simply right or wrong."""
        return any(TEXT_METRIC in asked.option("--metric") for asked in self.asked)

    @cached_property
    def scores(self) -> FloatArray | None:
        """The score of every system on every item, a row per system; None where an item has no score."""
        evaluation = self.evaluation
        if evaluation is None or evaluation.counts is not None or evaluation.annotations is not None:
            return None
        if self.holds_texts:
            return None
        columns, gold = [evaluation.systems[name] for name in evaluation.names], evaluation.gold
        if not all(is_plain(one) for one in (*columns, *([] if gold is None else [gold]))):
            return None
        if gold is None:
            return np.stack([column.astype(np.float64) for column in columns])
        if gold.dtype.kind == "f" and np.any(gold != np.round(gold)):
            return None
        right = np.stack([column == gold for column in columns]).astype(np.float64)
        for row, name in enumerate(evaluation.names):
            if name in evaluation.missing:
                right[row, evaluation.missing[name]] = 0.0
        return right

    def item_name(self, place: int) -> str:
        """Return the id of an item, or the number of its row."""
        ids = None if self.evaluation is None else self.evaluation.items
        return f"row {place + 1}" if ids is None else str(ids[place])


def tables_in(files: Sequence[str]) -> tuple[tuple[Table, ...], str]:
    """Return the tables that lie in files, or what it takes to have some."""
    missing = missing_texts(MISSING)
    pieces = pieces_of([*files])
    if pieces is not None:
        if pieces.n_values() > LARGE:
            return (), "a smaller table"
        return (_with_lists(whole_table(pieces, missing, ())),), ""
    named = named_paths([*files])
    paths = by_system(named)
    if any(format_in(path) is not None for path in paths.values()):
        return (), "tables; these are logs of a tool, or of another format"
    paths = {name: file_of(path) for name, path in paths.items()}
    if sum(path.stat().st_size for path in paths.values()) // 4 > LARGE:
        return (), "smaller files"
    return tuple(_table(str(name), path, missing) for name, path in paths.items()), ""


def _table(name: str, path: Any, missing: frozenset[str]) -> Table:
    """Return the table in a file; values in order are a column that is called as the file is."""
    held = read_values(path, name, missing)
    return Table(str(path), {name: held}, missing) if isinstance(held, Column) else _with_lists(held)


def _with_lists(table: Table) -> Table:
    """Return the table with its columns of lists, such as several right answers, as columns of items."""
    lists = {
        name: items_of(table, name, None)
        for name in table.names
        if any(isinstance(value, list | dict | np.ndarray) for value in table.objects(name).values)
    }
    return replace(table, data={**table.data, **lists})
