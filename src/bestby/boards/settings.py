"""The settings of a board: `board.toml`, read, checked and written."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from datetime import UTC, date, datetime, time
from typing import Any, TypeVar

from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted, suggestion
from bestby.boards import names
from bestby.comparisons.settings import check_reach
from bestby.data.roles import listed
from bestby.metrics.registry import resolve

R = TypeVar("R")

N = TypeVar("N", "Task", "Phase")


def _key(kind: str, **settings: Any) -> Any:
    """Declare a key of a table of `board.toml`; `kind` is one of those of `_KINDS`."""
    return field(metadata={"kind": kind}, **settings)


def keys_of(record: Any) -> list[Field[Any]]:
    """Return the fields of a record, or of its class, that are keys; the others are tables."""
    return [one for one in fields(record) if "kind" in one.metadata]


@dataclass(frozen=True, slots=True)
class Task:
    """A task of a board: what is predicted, and how predictions are scored.

    `metrics` are names, the first decides the ranks. `labels` are those a prediction may have; none if the
    predictions are no labels. `clusters`, `strata` and `slices` are columns of the gold. `margins` are the
    smallest differences that matter, by metric. Without gold (`scores`), what systems have are scores.
    """

    name: str = _key("name")
    metrics: tuple[str, ...] = _key("texts")
    title: str = _key("text", default="")
    labels: tuple[str, ...] = _key("texts", default=())
    clusters: str | None = _key("text", default=None)
    strata: str | None = _key("text", default=None)
    slices: tuple[str, ...] = _key("texts", default=())
    margins: Mapping[str, float] = _key("margins", default_factory=dict)
    scores: bool = _key("flag", default=False)
    greater_is_better: bool | None = _key("flag", default=None)


@dataclass(frozen=True, slots=True)
class Phase:
    """A phase of a board: when systems can be submitted, how many, and on which part they are scored.

    `part` is "all", "public" or "private". Nothing is submitted from `end` on; the phase itself ends by a
    line of the record. `show` says when the results are published: "always", or "after" this line.
    """

    name: str = _key("name")
    start: datetime | None = _key("time", default=None)  # noqa: RUF009 - it makes a field
    end: datetime | None = _key("time", default=None)  # noqa: RUF009
    part: str = _key("part", default="all")
    per_day: int | None = _key("count", default=None)
    per_team: int | None = _key("count", default=None)
    show: str = _key("show", default="always")
    title: str = _key("text", default="")

    def open_at(self, moment: datetime) -> bool:
        """Tell whether systems can be submitted at a moment, by the dates."""
        return not ((self.start and moment < self.start) or (self.end and moment >= self.end))


@dataclass(frozen=True, slots=True)
class Public:
    """What is published beside the tables: items won and lost, links of systems, all pairs.

    Scores of a slice with few items tell their gold: those of fewer items (clusters, if the task has some)
    than `smallest_slice` are withheld.
    """

    items: bool = _key("flag", default=False)
    links: bool = _key("flag", default=True)
    pairs: bool = _key("flag", default=False)
    smallest_slice: int = _key("count", default=10)


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of a board; `laddered` are phases with a key of version 0.2.0 that does nothing."""

    title: str = _key("text")
    tasks: tuple[Task, ...] = ()
    phases: tuple[Phase, ...] = (Phase("all"),)
    public: Public = Public()
    about: str = _key("text", default="")
    url: str = _key("link", default="")
    contact: str = _key("text", default="")
    baseline: str | None = _key("system", default=None)
    level: float = _key("level", default=0.95)
    most_megabytes: float = _key("amount", default=50.0)
    laddered: tuple[str, ...] = ()

    def task(self, name: str | None = None) -> Task:
        """Return a task by its name; the only one if none is named."""
        return _named(self.tasks, name, "task")

    def phase(self, name: str | None = None) -> Phase:
        """Return a phase by its name; the only one if none is named."""
        return _named(self.phases, name, "phase")

    def phase_at(self, moment: datetime, ended: Container[str]) -> Phase | None:
        """Return the first phase that is open at a moment and has not ended, None if there is none."""
        left = (phase for phase in self.phases if phase.name not in ended)
        return next((phase for phase in left if phase.open_at(moment)), None)

    @property
    def without_effect(self) -> str:
        """What is to be said of the key `ladder`; nothing if no phase has it."""
        if not self.laddered:
            return ""
        return (
            f"board.toml: the key ladder of phase {listed(self.laddered)} no longer does anything, and every"
            " submission is shown; remove it, and set per_day and per_team"
        )

    @property
    def private(self) -> bool:
        """Whether a phase uses one part of the gold only."""
        return any(phase.part != "all" for phase in self.phases)


def _named(records: Sequence[N], name: str | None, what: str) -> N:
    known = [one.name for one in records]
    if name is None:
        if len(records) > 1:
            raise InvalidInputError(
                f"the board has {len(records)} {what}s: {', '.join(known)}",
                hint=f"name one: {what}={known[0]!r}",
            )
        return records[0]
    for one in records:
        if one.name == name:
            return one
    raise InvalidInputError(
        f"the board has no {what} {quoted(name)}{suggestion(str(name), known)}",
        hint=f"its {what}s: {', '.join(known)}",
    )


def parse(text: str, shown: str) -> Settings:
    """Return the settings that the text of a `board.toml` holds; `shown` is its name in messages."""
    try:
        content = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InvalidInputError(f"{shown} is not TOML: {error}", hint="https://toml.io shows how") from error
    tables = {"task": Task, "phase": Phase, "public": Public}
    parts = {name: content.pop(name) for name in tables if name in content}
    values = _values(Settings, content, shown, also=tuple(tables))
    values["tasks"] = _several(Task, parts.get("task", []), f"{shown}, [[task]]")
    if not values["tasks"]:
        raise InvalidInputError(f"{shown} has no task", hint="add a table [[task]] with a name and metrics")
    if parts.get("phase", []) != []:
        values["laddered"] = _without_ladder(parts["phase"])
        values["phases"] = _several(Phase, parts["phase"], f"{shown}, [[phase]]")
    if "public" in parts:
        values["public"] = _record(Public, parts["public"], f"{shown}, [public]")
    for task in values["tasks"]:
        _check_metrics(task, f"{shown}, [[task]]")
    settings = Settings(**values)
    for phase in settings.phases:
        if phase.start and phase.end and phase.end <= phase.start:
            raise InvalidInputError(
                f"{shown}: phase {quoted(phase.name)} ends before it starts", hint="correct start or end"
            )
    return settings


def _without_ladder(tables: Any) -> tuple[str, ...]:
    """Remove the key `ladder` of version 0.2.0 from tables of phases, and return the names of those."""
    phases = [one for one in tables if isinstance(one, dict)] if isinstance(tables, list) else []
    return tuple(str(one.get("name")) for one in phases if one.pop("ladder", None) is not None)


def _several(record: type[R], tables: Any, where: str) -> tuple[R, ...]:
    if not isinstance(tables, list):
        raise InvalidInputError(f"{where} must be written with two brackets", hint="[[task]] or [[phase]]")
    records = tuple(_record(record, table, where) for table in tables)
    known: set[str] = set()
    for one in records:
        name = one.name  # type: ignore[attr-defined]  # tasks and phases have names
        if name in known:
            raise InvalidInputError(f"{where}: the name {quoted(name)} is given twice", hint="rename one")
        known.add(name)
    return records


def _record(record: type[R], table: Any, where: str) -> R:
    if not isinstance(table, dict):
        raise InvalidInputError(
            f"{where} must be a table, got {quoted(table)}", hint="https://toml.io shows how"
        )
    return record(**_values(record, table, where))


def _values(record: type, table: Mapping[str, Any], where: str, also: Sequence[str] = ()) -> dict[str, Any]:
    """Return the values of a table by field; unknown keys, missing ones and other types are refused."""
    declared = {one.name: one for one in keys_of(record)}
    known = [*declared, *also]
    for key in table:
        if key not in declared:
            raise InvalidInputError(
                f"{where} has an unknown key: {quoted(key)}{suggestion(key, known)}",
                hint=f"the keys are: {', '.join(known)}",
            )
    values = {}
    for name, one in declared.items():
        if name in table:
            values[name] = _value(one.metadata["kind"], table[name], f"{where}: {name}")
        elif one.default is MISSING and one.default_factory is MISSING:
            raise InvalidInputError(
                f"{where} lacks the key {quoted(name)}", hint=f"{name} = {_KINDS[one.metadata['kind']][1]}"
            )
    return values


def _value(kind: str, value: Any, where: str) -> Any:
    read, example = _KINDS[kind]
    try:
        return read(value)
    except InvalidInputError as error:
        raise InvalidInputError(f"{where}: {error.message}", hint=error.hint) from error
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInputError(
            f"{where} cannot be {quoted(value)}", hint=f"write it like this: {example}"
        ) from error


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return names.checked_text(value)


def _texts(value: Any) -> tuple[str, ...]:
    if isinstance(value, list) and value:
        return tuple(map(_text, value))
    return (_text(value),)


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError
    return value


def _count(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise TypeError
    return value


def _amount(value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0.0 < value < float("inf"):
        raise TypeError
    return float(value)


def _level(value: Any) -> float:
    if not 0.5 <= _amount(value) < 1.0:
        raise ValueError
    return float(value)


def _margins(value: Any) -> dict[str, float]:
    if not isinstance(value, dict):
        raise TypeError
    return {_text(name): _amount(size) for name, size in value.items()}


def _time(value: Any) -> datetime:
    """Return a moment in UTC; a date alone is its beginning, a time without a zone is of UTC."""
    if isinstance(value, str):
        value = datetime.fromisoformat(value)
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime.combine(value, time())
    if not isinstance(value, datetime):
        raise TypeError
    return (value if value.tzinfo else value.replace(tzinfo=UTC)).astimezone(UTC)


def _one_of(*choices: str) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if value not in choices:
            raise ValueError
        return str(value)

    return read


_KINDS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "text": (_text, '"a text"'),
    "texts": (_texts, '["accuracy", "f1_macro"]'),
    "name": (lambda value: names.checked_name(_text(value), "name"), '"dev"'),
    "system": (lambda value: names.checked_key(_text(value)), '"team/system"'),
    "link": (lambda value: names.checked_link(_text(value)), '"https://example.org"'),
    "flag": (_flag, "true or false"),
    "count": (_count, "a whole number of at least 1, such as 10"),
    "amount": (_amount, "a number above 0, such as 50"),
    "level": (_level, "a number from 0.5 to below 1, such as 0.95"),
    "margins": (_margins, "{accuracy = 0.01}"),
    "time": (_time, "2026-11-30T23:59:59Z, or a date"),
    "part": (_one_of("all", "public", "private"), '"all", "public" or "private"'),
    "show": (_one_of("always", "after"), '"always" or "after"'),
}
"""How each kind of value is read, and how it is written."""


def _check_metrics(task: Task, where: str) -> None:
    """Refuse metrics that do not exist or are named twice, and margins of others or out of their reach."""
    for metric in task.metrics if not task.scores else ():
        try:
            check_reach(task.margins.get(metric), resolve(metric))
        except InvalidInputError as error:
            raise InvalidInputError(f"{where}: {error.message}", hint=error.hint) from error
    doubled = next((one for one in task.metrics if task.metrics.count(one) > 1), None)
    if doubled is not None:
        raise InvalidInputError(f"{where}: the metric {quoted(doubled)} is named twice", hint="name it once")
    for one in task.margins:
        if one not in task.metrics:
            raise InvalidInputError(
                f"{where} has a margin for {quoted(one)}, which is none of its metrics",
                hint=f"its metrics are: {', '.join(task.metrics)}",
            )


def text_of(settings: Settings) -> str:
    """Return the text from which `settings.parse` makes the same settings; defaults are left out."""
    parts = [_toml_lines(settings)]
    parts += [f"[[task]]\n{_toml_lines(task)}" for task in settings.tasks]
    parts += [f"[[phase]]\n{_toml_lines(phase)}" for phase in settings.phases]
    public = _toml_lines(settings.public)
    return "\n".join(parts + ([f"[public]\n{public}"] if public else []))


def _toml_lines(record: Any) -> str:
    """Return a line for each key of a record that has not its default."""
    lines = []
    for one in keys_of(record):
        value = getattr(record, one.name)
        default = one.default if one.default_factory is MISSING else one.default_factory()
        always = isinstance(record, Phase) and one.name == "part"
        if value is not None and (always or value != default):
            lines.append(f"{one.name} = {_toml_value(value)}\n")
    return "".join(lines)


def _toml_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)  # escapes what TOML escapes, in the same way
    if isinstance(value, datetime):
        return stamp(value)
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_toml_value(key)} = {_toml_value(one)}' for key, one in value.items())}}}"
    if isinstance(value, Sequence):
        return f"[{', '.join(map(_toml_value, value))}]"
    return repr(value)


def stamp(moment: datetime) -> str:
    """Return a moment in UTC as the record and the pages write it."""
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")
