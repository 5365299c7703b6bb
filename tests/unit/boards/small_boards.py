"""Small boards on the disk for tests: gold, submissions and a record."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from bestby.boards import gold as golds
from bestby.boards.compute import board_content
from bestby.boards.content import BoardContent
from bestby.boards.folder import Folder, table_bytes
from bestby.boards.gold import TaskGold
from bestby.boards.record import Event, File, GoldSet, SettingsSet, Submitted
from bestby.boards.settings import Settings, parse

START = datetime(2026, 1, 1, tzinfo=UTC)
LABELS = ("ham", "spam")


@dataclass
class SmallBoard:
    """A board that events are added to, one a minute."""

    folder: Folder
    settings: Settings
    now: datetime = START

    def add(self, *events: Event) -> int:
        """Add events, and return the number of the last line."""
        self.now += timedelta(minutes=1)
        return self.folder.append(self.folder.lines(), events, self.now)[-1].number

    def submit(self, key: str, values: Mapping[str, Sequence[object]] | Sequence[object], **more: str) -> int:
        """Submit predictions, by task if there are several, in the order of the items."""
        by_task = values if isinstance(values, Mapping) else {self.settings.tasks[0].name: values}
        files: dict[str, File] = {}
        for task, column in by_task.items():
            ids = self.folder.items(task, self.settings)
            data = table_bytes({"id": ids, "prediction": list(map(str, column))})
            files[task] = self.folder.store(data, ".csv")
        team, _, system = key.partition("/")
        phase = more.pop("phase", self.settings.phases[0].name)
        return self.add(Submitted(team, system, phase, files, **more))

    def correct(self, reason: str, golds_by_task: Mapping[str, TaskGold]) -> int:
        """Add a version of the gold."""
        version = 1 + sum(isinstance(line.event, GoldSet) for line in self.folder.lines())
        mark = golds.write(self.folder, version, golds_by_task)
        items = {
            task: hashlib.sha256(self.folder.items_file(task, self.settings).read_bytes()).hexdigest()
            for task in golds_by_task
        }
        return self.add(GoldSet(version, mark, items, reason))

    def content(self, now: datetime | None = None, **more: object) -> BoardContent:
        """Return what its site would show."""
        return board_content(
            self.folder,
            self.settings,
            self.folder.lines(),
            now or self.now,
            **more,  # type: ignore[arg-type]
        )


def small_board(
    path: Path, text: str, golds_by_task: Mapping[str, Mapping[str, Sequence[object]]]
) -> SmallBoard:
    """Make a board from the text of its settings and the columns of the gold of each task."""
    folder = Folder.at(path)
    path.mkdir(parents=True)
    folder.scratch.mkdir()
    folder.settings_file.write_text(text)
    board = SmallBoard(folder, parse(text, "board.toml"))
    texts = {
        task: TaskGold({name: list(map(str, values)) for name, values in columns.items()})
        for task, columns in golds_by_task.items()
    }
    for task, one in texts.items():
        public = folder.items_file(task, board.settings)
        public.parent.mkdir(exist_ok=True)
        public.write_bytes(table_bytes({"id": one.ids}))
    board.correct("", texts)
    board.add(SettingsSet(text))
    return board


def ids(n: int) -> list[str]:
    """Return the ids of n items."""
    return [f"item-{place}" for place in range(n)]


def two_labels(n: int, seed: int = 0) -> list[str]:
    """Return random labels."""
    return [LABELS[one] for one in np.random.default_rng(seed).integers(0, 2, n)]


def wrong_on(gold: Sequence[str], share: float, seed: int) -> list[str]:
    """Return predictions that are wrong on about a share of the items."""
    wrong = np.random.default_rng(seed).random(len(gold)) < share
    return [LABELS[1 - LABELS.index(label)] if bad else label for label, bad in zip(gold, wrong, strict=True)]


ONE_TASK = """
title = "Spam"
[[task]]
name = "spam"
metrics = ["accuracy"]
labels = ["ham", "spam"]
"""


N = 200
GOLD = two_labels(N)


def filled(board: SmallBoard, shares: tuple[float, ...] = (0.05, 0.1, 0.3, 0.32)) -> dict[str, list[str]]:
    """Submit systems of several abilities."""
    systems = {f"t{place}/s": wrong_on(GOLD, share, place) for place, share in enumerate(shares)}
    for key, values in systems.items():
        board.submit(key, values)
    return systems
