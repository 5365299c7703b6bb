"""From what the user has to judgements of pairs of systems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby._core.typing import Array, FloatArray
from bestby.evaluation import one_grouping
from bestby.frames import is_frame
from bestby.inference.judgements import Judgements

TIE = "tie"
_POSITIONS = {"a": 1.0, "b": 0.0}
_HINT = 'each judgement is (a, b, winner) or (item, a, b, winner), the winner a, b or "tie"'


@dataclass(frozen=True, eq=False)
class Data:
    """Judgements and the names of the systems.

    Parameters
    ----------
    names : tuple of str
        The systems, sorted.
    judged : Judgements
        The judgements by the positions of the systems in `names`.
    """

    names: tuple[str, ...]
    judged: Judgements


@dataclass(frozen=True)
class Columns:
    """The names of the columns of a frame.

    Parameters
    ----------
    a, b, winner : str
        The two systems, and which was preferred.
    item : str or None
        What was judged; None for a column "item", if there is one.
    """

    a: str = "a"
    b: str = "b"
    winner: str = "winner"
    item: str | None = None


def data_of(comparisons: Any, clusters: Any, columns: Columns) -> Data:
    """Return checked judgements.

    Parameters
    ----------
    comparisons : sequence of tuples, mapping of columns, or data frame
        As for `compare_preferences`.
    clusters : array_like, shape (n,), or str, optional
        The cluster of each judgement, or the column with it.
    columns : Columns
        Where a frame has what.

    Returns
    -------
    Data
        With the items as clusters, if there are items and nothing else was given.

    Raises
    ------
    InvalidInputError
        If a name is missing, a system is judged against itself, or the winner is neither.
    DesignError
        If clusters are two crossed groupings.

    Examples
    --------
    >>> data = data_of([("q1", "x", "y", "y"), ("q2", "y", "x", "tie")], None, Columns())
    >>> data.names, data.judged.values, data.judged.clusters
    (('x', 'y'), array([0. , 0.5]), array([0, 1]))
    """
    clusters = one_grouping(clusters, "a comparison of judgements")
    a, b, winner, items, named = _read(comparisons, clusters, columns)
    first, second = _texts(a, "a"), _texts(b, "b")
    if not first:
        raise InvalidInputError("there are no judgements", hint=_HINT)
    for place, (x, y) in enumerate(zip(first, second, strict=True)):
        if x == y:
            raise InvalidInputError(f"judgement {place} is of {x!r} against itself", hint=_HINT)
    names = tuple(sorted({*first, *second}))
    code = {name: position for position, name in enumerate(names)}
    values = _values(winner, first, second)
    group = named if named is not None else items
    return Data(
        names,
        Judgements(
            len(names),
            np.array([code[x] for x in first]),
            np.array([code[y] for y in second]),
            values,
            None if group is None else _codes(group, len(first)),
        ),
    )


def _read(comparisons: Any, clusters: Any, columns: Columns) -> tuple[Any, Any, Any, Any, Any]:
    """Return a, b, winner, items and clusters as columns."""
    if is_frame(comparisons) or isinstance(comparisons, Mapping):
        names = getattr(comparisons, "column_names", None) or getattr(comparisons, "columns", None)
        have = [str(name) for name in (comparisons if names is None else names)]
        item = columns.item if columns.item is not None or "item" not in have else "item"
        wanted = [columns.a, columns.b, columns.winner, item, clusters if isinstance(clusters, str) else None]
        for name in wanted:
            if name is not None and name not in have:
                raise InvalidInputError(
                    f"there is no column {name!r}; the columns are: {', '.join(have)}",
                    hint="name them with a=..., b=..., winner=..., item=...",
                )
        a, b, winner, items, named = (None if name is None else list(comparisons[name]) for name in wanted)
        return a, b, winner, items, named if isinstance(clusters, str) else clusters
    if isinstance(clusters, str):
        raise InvalidInputError(
            f"clusters={clusters!r} names a column, but the judgements are no frame",
            hint="pass one cluster per judgement",
        )
    checks.refuse_unused(
        "tuples, which have no named columns",
        a=(columns.a, "a"),
        b=(columns.b, "b"),
        winner=(columns.winner, "winner"),
        item=(columns.item, None),
    )
    rows = _rows(comparisons)
    fields = list(zip(*rows, strict=True)) if rows else [(), (), ()]
    return *fields[-3:], (fields[0] if len(fields) == 4 else None), clusters


def _rows(comparisons: Any) -> list[Sequence[Any]]:
    if isinstance(comparisons, str) or not isinstance(comparisons, Iterable):
        raise InvalidInputError(
            f"judgements must be a sequence, got {type(comparisons).__name__}", hint=_HINT
        )
    rows = list(comparisons)
    for place, row in enumerate(rows):
        fits = isinstance(row, Sequence | np.ndarray) and not isinstance(row, str) and len(row) in (3, 4)
        if not fits or len(row) != len(rows[0]):
            raise InvalidInputError(f"judgement {place} is {row!r}", hint=_HINT)
    return rows


def _texts(values: Any, what: str) -> list[str]:
    listed = list(values)
    for place, value in enumerate(listed):
        if _is_missing(value):
            raise InvalidInputError(f"judgement {place} has no {what}", hint=_HINT)
    return [
        checks.check_text(str(value), f"{what} of judgement {place}") for place, value in enumerate(listed)
    ]


def _is_missing(value: Any) -> bool:
    return value is None or value == "" or type(value).__name__ in {"NAType", "NaTType"} or value != value


def _values(winner: Any, first: Sequence[str], second: Sequence[str]) -> FloatArray:
    """Return 1, 0.5 or 0 per judgement; a name of one of the two goes before the positions "a" and "b"."""
    values = np.empty(len(first))
    for place, (won, a, b) in enumerate(zip(_texts(winner, "winner"), first, second, strict=True)):
        value = {**_POSITIONS, TIE: 0.5, b: 0.0, a: 1.0}.get(won)
        if value is None:
            raise InvalidInputError(
                f"the winner of judgement {place} must be {a!r}, {b!r} or 'tie', got {won!r}", hint=_HINT
            )
        values[place] = value
    return values


def _codes(groups: Any, n: int) -> Array:
    listed = list(groups)
    if len(listed) != n:
        raise InvalidInputError(
            f"clusters has {len(listed)} values, expected {n}", hint="pass one per judgement"
        )
    labels = _texts(listed, "cluster or item")
    code: Array = np.unique(np.array(labels, dtype=np.str_), return_inverse=True)[1].reshape(-1)
    if code.max() == 0:
        raise InvalidInputError(
            "all judgements are in one cluster: nothing can be said about the uncertainty",
            hint="clusters are groups such as prompts; at least 2 are needed",
        )
    return code
