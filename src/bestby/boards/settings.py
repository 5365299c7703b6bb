"""The settings of a board: `board.toml`, read, checked and written; the names and links it publishes."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
import unicodedata
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from datetime import UTC, date, datetime, time
from functools import lru_cache
from importlib import resources
from typing import Any, TypeVar
from urllib.parse import urlsplit

from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted, suggestion
from bestby.comparisons.costs import statistic_of
from bestby.comparisons.settings import check_reach
from bestby.data.roles import listed
from bestby.metrics.registry import resolve
from bestby.report.numbers import percent

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
    `coverage` is the share of the items that a submission must have.
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
    coverage: float = _key("share", default=1.0)


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

    @property
    def guarded(self) -> bool:
        """Whether which items it scores is hidden while it goes on, and must not be read from its results."""
        return self.part != "all" and self.show == "always"


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
    """All settings of a board; `laddered` are phases with a key of version 0.2.0 that does nothing.

    `costs` are what systems may say of what they cost, such as "usd" or "latency_ms@0.95".
    """

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
    costs: tuple[str, ...] = _key("texts", default=())
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
    def cost_columns(self) -> tuple[str, ...]:
        """The columns of files that hold what each item costs."""
        return tuple(dict.fromkeys(statistic_of(cost)[0] for cost in self.costs))

    @property
    def invited(self) -> tuple[str, ...]:
        """What submissions may leave out or add, in words."""
        fewer = [
            f"{task.name}: predictions for {percent(task.coverage)} of the items are enough"
            for task in self.tasks
            if task.coverage < 1.0
        ]
        columns = self.cost_columns
        prices = [cost for cost in self.costs if cost in columns]
        more = [f"costs of each item, in columns of the file: {', '.join(columns)}"] if columns else []
        return (*fewer, *more, *(f"{price}: a price will do" for price in prices))

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
    names = [one.name for one in records]
    if name is None:
        if len(records) > 1:
            raise InvalidInputError(
                f"the board has {len(records)} {what}s: {', '.join(names)}",
                hint=f"name one: {what}={names[0]!r}",
            )
        return records[0]
    for one in records:
        if one.name == name:
            return one
    raise InvalidInputError(
        f"the board has no {what} {quoted(name)}{suggestion(str(name), names)}",
        hint=f"its {what}s: {', '.join(names)}",
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
        if phase.guarded and any(task.coverage < 1.0 for task in settings.tasks):
            raise InvalidInputError(
                f"{shown}: on how many items systems are scored would tell which items the phase"
                f" {quoted(phase.name)} scores",
                hint='set show = "after" for the phase, or coverage = 1 for the tasks',
            )
    for cost in settings.costs:
        statistic_of(cost)
    return settings


def _without_ladder(tables: Any) -> tuple[str, ...]:
    """Remove the key `ladder` of version 0.2.0 from tables of phases, and return the names of those."""
    phases = [one for one in tables if isinstance(one, dict)] if isinstance(tables, list) else []
    return tuple(str(one.get("name")) for one in phases if one.pop("ladder", None) is not None)


def _several(record: type[R], tables: Any, where: str) -> tuple[R, ...]:
    if not isinstance(tables, list):
        raise InvalidInputError(f"{where} must be written with two brackets", hint="[[task]] or [[phase]]")
    records = tuple(_record(record, table, where) for table in tables)
    seen: set[str] = set()
    for one in records:
        name = one.name  # type: ignore[attr-defined]  # tasks and phases have names
        if name in seen:
            raise InvalidInputError(f"{where}: the name {quoted(name)} is given twice", hint="rename one")
        seen.add(name)
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
    keys = [*declared, *also]
    for key in table:
        if key not in declared:
            raise InvalidInputError(
                f"{where} has an unknown key: {quoted(key)}{suggestion(key, keys)}",
                hint=f"the keys are: {', '.join(keys)}",
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
    return checked_text(value)


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
    if not 0.5 <= _share(value) < 1.0:
        raise ValueError
    return float(value)


def _share(value: Any) -> float:
    if _amount(value) > 1.0:
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
    "name": (lambda value: checked_name(_text(value), "name"), '"dev"'),
    "system": (lambda value: checked_key(_text(value)), '"team/system"'),
    "link": (lambda value: checked_link(_text(value)), '"https://example.org"'),
    "flag": (_flag, "true or false"),
    "count": (_count, "a whole number of at least 1, such as 10"),
    "amount": (_amount, "a number above 0, such as 50"),
    "level": (_level, "a number from 0.5 to below 1, such as 0.95"),
    "share": (_share, "a number above 0 and up to 1, such as 0.5"),
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


# -- names, links and other texts that a board publishes -------------------------------------------


LONGEST_NAME = 80
LONGEST_TEXT = 2000

REFUSED = re.compile(r"[<>&\"'`/\\|?*:;$%{}\[\]^~=]")
"""Characters that a page or a path gives a meaning."""

_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}

_BLANK = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "\u2800\ufffc\U00016fe4\U0001d159]"
)
"""The Default_Ignorable_Code_Points of Unicode, and in the last line other characters that show nothing."""

MOST_MARKS = 4
"""Combining marks on a character: no language needs more (UTS #39, section 5.4)."""


def checked_name(name: str, what: str) -> str:
    """Return the name of a team, system, run, task or phase; markup and characters of paths are refused."""
    name = unicodedata.normalize("NFC", _visible_text(name, what).strip())
    if not name or len(name) > LONGEST_NAME:
        raise InvalidInputError(
            f"the {what} must have 1 to {LONGEST_NAME} characters, got {len(name)}", hint="give a shorter one"
        )
    refused = sorted({*REFUSED.findall(name), *(one for one in name if unicodedata.category(one) in _HIDDEN)})
    if refused or name.startswith((".", "-", "+", "@")):
        characters = ", ".join(map(repr, refused)) or repr(name[0]) + " at its start"
        raise InvalidInputError(
            f"the {what} {quoted(name)} has characters that a page or a path gives a meaning: {characters}",
            hint="use letters, digits, spaces and _ - . ( ) + , ! #",
        )
    return name


def unseen(text: str) -> list[str]:
    """Return the characters of a text that nobody sees, or that turn its direction; spaces are seen."""
    return [
        one
        for one in text
        if unicodedata.category(one) in _HIDDEN or _BLANK.match(one) or (one != " " and one.isspace())
    ]


def check_visible(name: str, what: str) -> None:
    """Refuse a new name with characters that nobody sees, or with a pile of combining marks."""
    if characters := sorted(set(unseen(name))):
        raise InvalidInputError(
            f"the {what} {quoted(name)} has characters that nobody sees: {', '.join(map(ascii, characters))}",
            hint="write it without them, and with plain spaces",
        )
    marks = [unicodedata.category(one) in ("Mn", "Me") for one in unicodedata.normalize("NFD", name)]
    if marks[0] or any(all(marks[place:][: MOST_MARKS + 1]) for place in range(len(marks) - MOST_MARKS)):
        raise InvalidInputError(
            f"the {what} {quoted(name)} has combining marks on no letter, or more than {MOST_MARKS} on one",
            hint="write it with fewer",
        )


def look_alike(name: str, names: Iterable[str]) -> str | None:
    """Return a name that a reader cannot tell from another one; None if there is none.

    >>> look_alike("\u043eurs", ["theirs", "ours"]), look_alike("0urs", ["ours"]), look_alike("AI", ["Al"])
    ('ours', None, 'Al')
    """
    looks = _looks(name)
    return next((one for one in names if looks & _looks(one)), None)


@lru_cache(maxsize=100_000)
def _looks(name: str) -> frozenset[str]:
    """Return how a name looks, as it is and in small letters: its skeletons (UTS #39, section 4)."""
    plain = " ".join(unicodedata.normalize("NFKC", _BLANK.sub("", name)).split())
    return frozenset({_skeleton(plain), _skeleton(plain.casefold())})


def _skeleton(text: str) -> str:
    return unicodedata.normalize("NFD", unicodedata.normalize("NFKD", text).translate(_prototypes()))


@lru_cache(maxsize=1)
def _prototypes() -> dict[int, str]:
    """Return what is compared in the place of characters, by their numbers."""
    path = resources.files("bestby.boards").joinpath("assets", "confusables.txt")
    rows = path.read_text(encoding="utf-8").partition("\n\n")[2].splitlines()  # what follows the licence
    points = ([int(point, 16) for point in row.split()] for row in rows)
    return {one: "".join(map(chr, others)) for one, *others in points}


def checked_key(key: str) -> str:
    """Return the name of a system with its team, such as "team/system"."""
    team, slash, system = key.partition("/")
    if not slash:
        raise InvalidInputError(f"{quoted(key)} is not a team and a system", hint='write "team/system"')
    return f"{checked_name(team, 'team')}/{checked_name(system, 'system')}"


def checked_text(text: str) -> str:
    """Return a text that a page shows as it is; hidden characters and very long texts are refused."""
    hidden = [
        one
        for one in _visible_text(text, "text")
        if unicodedata.category(one) in _HIDDEN and one not in "\n\t"
    ]
    if hidden:
        raise InvalidInputError(
            f"a text has hidden characters, the first is {hidden[0]!r}", hint="remove them"
        )
    if len(text) > LONGEST_TEXT:
        raise InvalidInputError(
            f"a text has {len(text)} characters, at most {LONGEST_TEXT} are shown", hint="shorten it"
        )
    return text


def checked_link(link: str, *, visible: bool = False) -> str:
    """Return the address of a page, which must be of http or https; an empty one stays empty.

    A new link has only `visible` characters, and none that turn its direction.
    """
    if not _visible_text(link, "address of a page"):
        return link
    try:
        parts = urlsplit(link)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.username is None
    except ValueError:
        sound = False
    # Browsers take longer addresses, which nobody reads
    if not sound or len(link) > 500 or re.search(r"[\s<>\"'`\\\x00-\x1f\x7f]", link):
        raise InvalidInputError(
            f"{quoted(link)} is not the address of a page", hint="links begin with https:// or http://"
        )
    if visible and (characters := sorted(set(unseen(link)))):
        raise InvalidInputError(
            f"a link has characters that nobody sees: {', '.join(map(ascii, characters))}",
            hint="copy the address without them, or write them as %XX",
        )
    return link


def _visible_text(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise InvalidInputError(f"the {what} must be a text, got {quoted(value)}", hint="write it in quotes")
    return value


def file_stem(*parts: str) -> str:
    """Return a part of a file name that belongs to some names alone, readable and of ASCII.

    >>> file_stem("Ünï", "bert base")
    'uni-bert-base-90426f4c'
    """
    plain = unicodedata.normalize("NFKD", "-".join(parts)).encode("ascii", "ignore").decode().lower()
    readable = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:60].strip("-")
    mark = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:8]
    return f"{readable}-{mark}" if readable else mark
