"""The arguments that the readers share, checked."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby.data.columns import Missing
from bestby.data.roles import Soft

_SEVERAL = ("annotators", "clusters", "datasets", "ignore", "items", "systems")
"""The arguments that take several names."""


def check(paths: Any, gold: Any = None, *, missing: Any = "", classes: Any = None, **columns: Any) -> None:
    """Check what the readers share."""
    listed = list(paths.values()) if isinstance(paths, Mapping) else _listed(paths)
    plain = isinstance(
        paths, str | Path | Mapping | Sequence
    )  # and no array or column, which has no one truth
    if plain and not listed:
        raise InvalidInputError("no file was given", hint="give one table, or name=path for each system")
    if not plain or not all(isinstance(path, str | Path) for path in listed):
        raise InvalidInputError(
            f"a path must be a str or a Path, got {quoted(paths, 60)}",
            hint="name a file: read('predictions.csv'); data in memory go to compare and its like",
        )
    if classes is not None and not isinstance(classes, Iterable):
        raise InvalidInputError(
            f"classes must be a list of names, got {quoted(classes, 60)}",
            hint="name them in the order of the columns",
        )
    _check_texts("gold", [gold] if isinstance(gold, Iterator) else gold, str | Path)
    if missing is None:
        raise InvalidInputError(
            "missing must be texts, got None", hint='missing="" takes none but empty cells'
        )
    _check_texts("missing", missing, str)
    for what, value in columns.items():
        if what == "value_column" and isinstance(value, Mapping):
            _check_texts(what, [*value, *value.values()], str)
        elif what in _SEVERAL:
            _check_texts(what, value, str)
        elif value is not None and not isinstance(value, str):
            raise InvalidInputError(
                f"{what} must be a str, got {quoted(value, 60)}", hint="give one column by name"
            )


def refuse_by_task(value_column: Any) -> None:
    """Refuse scores by task where there are no logs of several tasks."""
    if isinstance(value_column, Mapping):
        raise InvalidInputError(
            f"value_column names scores by task ({quoted(dict(value_column), 60)}), which only logs of"
            " evaluation tools have",
            hint="of a table, name the one column of predictions or scores: value_column=...",
            argument="value_column",
        )


def missing_texts(missing: str | Iterable[str]) -> Missing:
    """Return the texts that mean a missing value; an empty cell does in any case."""
    return frozenset(text.strip() for text in ([missing] if isinstance(missing, str) else missing)) | {""}


def soft(
    classes: Any = None,
    normalise: bool = False,
    texts: bool = False,
    label_sets: bool = False,
    label_separator: str | None = None,
) -> Soft:
    """Return how values are to be read: as labels, distributions, texts or sets of labels."""
    if label_separator is not None and (not isinstance(label_separator, str) or not label_separator):
        raise InvalidInputError(
            f"label_separator must be a text, got {quoted(label_separator)}",
            hint='give what stands between two labels: label_separator="|"',
        )
    if label_separator is not None:
        label_separator = label_separator.replace("\\t", "\t")  # as it is typed in a shell
    sets = label_sets or label_separator is not None
    if sets and (texts or normalise):
        raise InvalidInputError(
            f"the values are sets of labels, and {'texts' if texts else 'normalise'} is for others",
            hint=f"leave {'texts' if texts else 'normalise'} out",
        )
    return dataclasses.replace(
        Soft.of(classes, normalise), texts=texts, label_sets=sets, label_separator=label_separator
    )


def _check_texts(what: str, value: Any, kind: Any) -> None:
    if value is not None and not all(isinstance(one, kind) for one in _listed(value)):
        raise InvalidInputError(
            f"{what} must be a str or several, got {quoted(value, 60)}",
            hint="give columns and systems by name",
        )


def _listed(value: Any) -> list[Any]:
    if isinstance(value, Iterator):  # to look at it would use it up
        return []
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        return [value]
    try:
        return list(value)
    except Exception:  # an array without dimensions; code of the user's own runs here, and may raise anything
        return [value]
