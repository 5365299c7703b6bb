"""The parts that columns play: gold, item, cluster, stratum, and what their names tell."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted, suggestion

ITEM_WORDS = ("item", "id", "item_id")
"""Names of columns taken for item ids when the user names none."""

VALUE_WORDS = ("prediction", "score")
"""Names of columns taken for the values of a long table, or of the file of one system."""

GOLD_WORDS = ("gold", "label", "target", "reference", "y_true")
"""Names of columns that hold the gold."""

_NO_SYSTEM = "item ids are items=...; or leave it out: ignore=[...], or name the systems: systems=[...]"

RUN_WORDS = ("run", "seed")
"""Names of columns that hold the number of a run."""

REPETITION_WORDS = ("repetition", "repeat", "rep", "round", *RUN_WORDS)
"""Names of columns that hold the number of a repetition of a cross-validation."""

RUNS_HINT = "bestby runs compares runs (read_runs in Python)"
"""For tables with such a column where one run of each system is needed."""


@dataclass(frozen=True)
class Roles:
    """Names of the columns that are not systems; a single one of `annotators` says who labelled.

    A column of `slices` may play another part, too.
    """

    gold: str | None = None
    item: str | None = None
    cluster: str | None = None
    stratum: str | None = None
    annotators: tuple[str, ...] = ()
    crossed: str | None = None
    slices: tuple[str, ...] = ()

    def named(self) -> list[tuple[str, str]]:
        """Return role and name of those that are there."""
        pairs = (
            ("gold", self.gold),
            ("item", self.item),
            ("cluster", self.cluster),
            ("crossed", self.crossed),
            ("stratum", self.stratum),
        )
        several = [("annotator", name) for name in self.annotators] + [
            ("slice", name) for name in self.slices
        ]
        return [(role, name) for role, name in pairs if name is not None] + several

    def description(self) -> str:
        """Return the roles as words."""
        of_several = ("annotator", "crossed", "slice")
        words = [f"{role}: {name}" for role, name in self.named() if role not in of_several]
        if self.crossed is not None:
            place = words.index(f"cluster: {self.cluster}")
            words[place] += f" and {self.crossed}"
        words += [f"slices: {', '.join(self.slices)}"] if self.slices else []
        if self.annotators:
            shown = f"annotators: {', '.join(self.annotators)}"
            return "; ".join([shown, *words])
        return "; ".join(words if self.gold is not None else ["no gold: per-item scores", *words])


def recognised(roles: Roles, names: Collection[str]) -> Roles:
    """Return the roles with those filled in that the columns' own names tell."""
    taken = {name for role, name in roles.named() if role != "slice"}

    def column_for(name: str | None, *words: str) -> str | None:
        return name or next((word for word in words if word in names and word not in taken), None)

    def group_for(name: str | None, word: str) -> str | None:
        return name if word in roles.slices else column_for(name, word)

    return dataclasses.replace(
        roles,
        gold=column_for(roles.gold, "gold"),
        item=column_for(roles.item, *ITEM_WORDS),
        cluster=group_for(roles.cluster, "cluster"),
        stratum=group_for(roles.stratum, "stratum"),
    )


def matching(
    patterns: Sequence[str], names: Sequence[str], unknown: Callable[[str], InvalidInputError]
) -> list[str]:
    """Return the names asked for, in this order; what is no name is a pattern with ``*``, ``?`` or ``[ab]``.

    >>> matching(["b", "gpt-*"], ["a", "b", "gpt-1", "gpt-2"], InvalidInputError)
    ['b', 'gpt-1', 'gpt-2']
    """
    chosen: dict[str, None] = {}
    for pattern in patterns:
        matches = [pattern] if pattern in names else [name for name in names if fnmatchcase(name, pattern)]
        if not matches:
            raise unknown(pattern)
        chosen.update(dict.fromkeys(matches))
    return list(chosen)


def unknown_system(
    source: str | None, known: Sequence[str], column: str | None = None, argument: str = "systems"
) -> Callable[[str], InvalidInputError]:
    """Return what makes the error for a system that the data do not have."""
    where = f" in column {column!r}" if column is not None else " in these data" if source is None else ""
    return lambda name: InvalidInputError(
        f"{'' if source is None else f'{source}: '}no system {quoted(name)}{where}{suggestion(name, known)}",
        hint=f"systems: {listed(known)}",
        argument=argument,
    )


def check_no_gold(source: str, names: Sequence[str]) -> None:
    """Refuse a column that is called as a gold is: without gold it would pass for the scores of a system."""
    for name in names:
        if name.lower() in GOLD_WORDS:
            raise InvalidInputError(
                f"{source}: column {quoted(name)} looks like gold",
                hint=f"gold={name!r} if it is, or name the systems: systems=[...], or leave it out:"
                " ignore=[...]",
            )


def check_no_item(source: str, names: Sequence[str]) -> None:
    """Refuse a column that is called as item ids are but for its spelling, such as ``ID`` or ``Item id``."""
    for name in names:
        if name.lower().replace(" ", "_") in ITEM_WORDS:
            raise InvalidInputError(f"{source}: column {quoted(name)} looks like item ids", hint=_NO_SYSTEM)


def counts_rows(source: str, name: str) -> InvalidInputError:
    """Return the error for a column that holds the numbers of the rows: it would pass for a system."""
    return InvalidInputError(
        f"{source}: column {quoted(name)} counts the rows; is it a system?", hint=_NO_SYSTEM
    )


def check_no_run(source: str, names: Sequence[str]) -> None:
    """Refuse a column that is called as the number of a run is: it would pass for a system."""
    for name in names:
        if name.lower() in RUN_WORDS:
            raise InvalidInputError(
                f"{source}: column {quoted(name)} looks like the number of a run",
                hint=f"{RUNS_HINT}; or name the systems: systems=[...], or leave it out: ignore=[...]",
            )


def check_no_repetition(source: str, names: Iterable[str]) -> None:
    """Refuse a column that is called as repetitions are: its numbers would pass for scores of the folds."""
    for name in names:
        if name.lower() in REPETITION_WORDS:
            raise InvalidInputError(
                f"{source}: column {quoted(name)} looks like the number of a repetition",
                hint=f"repetition={name!r} if it is, or name the systems: systems=[...], or leave it out:"
                " ignore=[...]",
            )


def shares_nothing(source: str, name: str, hint: str) -> InvalidInputError:
    """Return the error for a column of something else, such as sentences: it would pass for a bad system."""
    message = f"{source}: column {quoted(name)} shares no value with the gold; is it a system?"
    return InvalidInputError(message, hint=hint)


def describe_wide(names: Sequence[str], roles: Roles) -> str:
    """Return what was taken for what in a wide table.

    >>> describe_wide(["aen", "bert"], Roles(gold="label"))
    'a wide table; systems: aen, bert; gold: label'
    """
    return f"a wide table; systems: {listed(names)}; {roles.description()}"


def listed(names: Sequence[str], limit: int = 12) -> str:
    """Return names for a message, not too many of them."""
    shown = ", ".join(names[:limit])
    return shown if len(names) <= limit else f"{shown} and {len(names) - limit} more"
