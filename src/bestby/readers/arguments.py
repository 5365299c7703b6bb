"""The arguments of the readers, of the types they must be: a number for a path is told, not tripped over."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from bestby._core.errors import InvalidInputError

_SEVERAL = ("annotators", "cluster", "datasets", "systems")
"""The arguments that take several names."""


def check(paths: Any, gold: Any = None, *, missing: Any = "", classes: Any = None, **columns: Any) -> None:
    """Check what the readers share.

    Parameters
    ----------
    paths : str, Path, sequence or mapping of them
        Where the data are; at least one.
    gold : str, Path, or sequence of them, optional
        A column or files.
    missing : str or iterable of str
        What stands for a missing value.
    classes : iterable, optional
        The classes.
    **columns : str or sequence of str, optional
        Names of columns or systems, under the names of their arguments.

    Raises
    ------
    InvalidInputError
        If one is of another type.

    Examples
    --------
    >>> check("predictions.csv", "label", item=None, systems=["a", "b"])
    """
    listed = list(paths.values()) if isinstance(paths, Mapping) else _listed(paths)
    if not listed and not isinstance(paths, Iterator):
        raise InvalidInputError("no file was given", hint="give one table, or name=path for each system")
    if isinstance(paths, Iterator) or not all(isinstance(path, str | Path) for path in listed):
        raise InvalidInputError(
            f"a path must be a str or a Path, got {_told(paths)}", hint="name a file: read('predictions.csv')"
        )
    if classes is not None and not isinstance(classes, Iterable):
        raise InvalidInputError(
            f"classes must be a list of names, got {_told(classes)}",
            hint="name them in the order of the columns",
        )
    _check_texts("gold", gold, str | Path)
    if missing is None:
        raise InvalidInputError(
            "missing must be texts, got None", hint='missing="" takes none but empty cells'
        )
    _check_texts("missing", missing, str)
    for what, value in columns.items():
        if what in _SEVERAL:
            _check_texts(what, value, str)
        elif value is not None and not isinstance(value, str):
            raise InvalidInputError(
                f"{what} must be a str, got {_told(value)}", hint="give one column by name"
            )


def _check_texts(what: str, value: Any, kind: Any) -> None:
    if value is not None and not all(isinstance(one, kind) for one in _listed(value)):
        raise InvalidInputError(
            f"{what} must be a str or several, got {_told(value)}", hint="give columns and systems by name"
        )


def _listed(value: Any) -> list[Any]:
    if isinstance(value, Iterator):  # to look at it would use it up
        return []
    return list(value) if isinstance(value, Iterable) and not isinstance(value, str | bytes) else [value]


def _told(value: Any) -> str:
    told = repr(value)
    return told if len(told) <= 60 else f"{told[:59]}…"
