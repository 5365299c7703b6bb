"""What can happen to a board; every event is a line of its record."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar


@dataclass(frozen=True, slots=True)
class File:
    """A file as it came: the SHA-256 of its bytes, the column to read if it holds several systems.

    `suffix` is the ending of its name, which says how it is read.
    """

    sha256: str
    column: str | None = None
    suffix: str = ".csv"


@dataclass(frozen=True, slots=True)
class GoldSet:
    """A gold was given: the first one, or a corrected one with the reason.

    `mark` is a keyed hash of the gold, which tells nothing of it without the key that lies beside the gold;
    `items` are the SHA-256 of the public lists of items, by task.
    """

    kind: ClassVar[str] = "gold"
    version: int
    mark: str
    items: Mapping[str, str]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SettingsSet:
    """The settings changed; `text` is the whole `board.toml`."""

    kind: ClassVar[str] = "settings"
    text: str


@dataclass(frozen=True, slots=True)
class Submitted:
    """A team submitted a system in a phase: a file per task."""

    kind: ClassVar[str] = "submission"
    team: str
    system: str
    phase: str
    files: Mapping[str, File]
    run: str = ""
    paper: str = ""
    code: str = ""

    @property
    def key(self) -> str:
        """The name of the system with its team."""
        return f"{self.team}/{self.system}"


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """A submission was withdrawn; `hidden` says that its name is not shown any more."""

    kind: ClassVar[str] = "withdrawal"
    submission: int
    hidden: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class PhaseEnded:
    """A phase ended: nothing is submitted any more, and results that were hidden are shown.

    `revoked` says instead that it goes on, whatever an earlier line says.
    """

    kind: ClassVar[str] = "end"
    phase: str
    revoked: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Published:
    """A site was published: the SHA-256 of its manifest, and the moment that its pages describe.

    `version` is that of bestby; 0.2.0 did not write its own.
    """

    kind: ClassVar[str] = "published"
    manifest: str
    as_of: str
    n_files: int = 0
    version: str = ""


Event = GoldSet | SettingsSet | Submitted | Withdrawn | PhaseEnded | Published
KINDS: dict[str, type[Any]] = {
    one.kind: one for one in (GoldSet, SettingsSet, Submitted, Withdrawn, PhaseEnded, Published)
}


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the record: its number from 0, its moment, the event, and the hashes of the chain."""

    number: int
    time: datetime
    event: Event
    previous: str
    hash: str


def fields_of(event: Event) -> dict[str, Any]:
    """Return an event as JSON can hold it."""
    return {"event": event.kind, **dataclasses.asdict(event)}


def event_of(content: Mapping[str, Any]) -> Event:
    """Return the event of a line; what is no event raises KeyError or TypeError."""
    values = {
        key: value for key, value in content.items() if key not in ("number", "time", "previous", "hash")
    }
    kind = KINDS[values.pop("event")]
    if kind is Submitted:
        values["files"] = {task: File(**one) for task, one in values["files"].items()}
    event: Event = kind(**values)
    return event
