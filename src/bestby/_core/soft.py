"""Soft labels: rows of probabilities over the classes, checked row by row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby._core.typing import Array, ArrayLike, BoolArray, FloatArray, IntArray

TOLERANCE = 1e-6
"""How far the sum of a row may be from 1."""


def is_soft(values: Any) -> bool:
    """Return whether these are rows of numbers, one row per item, rather than one value per item.

    Examples
    --------
    >>> is_soft([[0.5, 0.5], [1, 0]]), is_soft(["a", "b"]), is_soft(np.ones((3, 1)))
    (True, False, False)
    """
    shape = getattr(values, "shape", None)
    if shape is not None and len(shape) == 2:
        return 1 not in tuple(shape)
    if isinstance(values, str | bytes | dict) or not hasattr(values, "__len__") or not len(values):
        return False
    first = checks.as_array(values, "values")[0] if hasattr(values, "to_numpy") else next(iter(values))
    return not isinstance(first, str | bytes) and hasattr(first, "__len__")


def distributions(
    values: ArrayLike,
    what: str,
    *,
    n_classes: int | None = None,
    normalise: bool = False,
    place: Callable[[int], str] = "row {}".format,
) -> FloatArray:
    """Return rows of probabilities as an array, with every row known to be a distribution.

    Parameters
    ----------
    values : array_like, shape (n, K), or sequence of sequences
        The rows.
    what : str
        What they are, for the message of the error.
    n_classes : int, optional
        The K there must be.
    normalise : bool
        Divide every row by its sum first.
    place : callable, optional
        Names a row, by its position from 0, for the message of the error.

    Returns
    -------
    ndarray, shape (n, K)
        The probabilities.

    Raises
    ------
    InvalidInputError
        If a row has another length, a value that is negative or no number, or a sum that is not 1.

    Examples
    --------
    >>> distributions([[1, 3], [1, 1]], "gold", normalise=True)
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """
    rows = _matrix(values, what, place)
    if n_classes is not None and rows.shape[1] != n_classes:
        raise InvalidInputError(
            f"{what} has {rows.shape[1]} numbers per item, but there are {n_classes} classes",
            hint="gold and every system need one probability per class, in the same order",
        )
    broken = ~np.isfinite(rows)
    if broken.any():
        _refuse(np.atleast_1d(broken.any(axis=1)), what, place, lambda i: f"holds {rows[i][broken[i]][0]}")
    if (rows < 0.0).any():
        _refuse(
            np.atleast_1d((rows < 0.0).any(axis=1)),
            what,
            place,
            lambda i: f"holds {rows[i].min():.6g}, less than 0",
        )
    sums = rows.sum(axis=1)
    if normalise:
        if (sums == 0.0).any():
            _refuse(sums == 0.0, what, place, lambda _: "sums to 0 and cannot be normalised")
        return np.asarray(rows / sums[:, None])
    off = np.abs(sums - 1.0) > TOLERANCE
    if off.any():
        hint = "pass normalise=True (--normalise) to divide every row by its sum"
        _refuse(off, what, place, lambda i: f"sums to {sums[i]:.8g}, not to 1", hint)
    return rows


def _matrix(values: ArrayLike, what: str, place: Callable[[int], str]) -> FloatArray:
    array = checks.as_array(values, what) if hasattr(values, "shape") or hasattr(values, "to_numpy") else None
    if array is None or array.ndim != 2:
        rows = [np.asarray(row) for row in (values if array is None else array)]
        lengths: IntArray = np.array([row.size if row.ndim == 1 else 0 for row in rows])
        usual = int(np.bincount(lengths).argmax())
        if (lengths != usual).any():
            _refuse(
                lengths != usual,
                what,
                place,
                lambda i: f"has {lengths[i]} numbers, where others have {usual}",
            )
        array = np.stack(rows)
    if array.dtype.kind not in "biuf":
        position = next(
            (i for i, row in enumerate(array.tolist()) if not all(_is_number(cell) for cell in row)), 0
        )
        raise InvalidInputError(
            f"{what}, {place(position)} must hold numbers, got {array[position].tolist()}",
            hint="a soft label is one probability per class",
        )
    return np.ascontiguousarray(array, dtype=np.float64)


def _is_number(cell: Any) -> bool:
    return isinstance(cell, int | float) and not isinstance(cell, bool)


def _refuse(
    bad: BoolArray,
    what: str,
    place: Callable[[int], str],
    told: Callable[[int], str],
    hint: str = "every row must be a probability for each class, at least 0, that sum to 1",
) -> None:
    first = int(np.flatnonzero(bad)[0])
    count = "" if bad.sum() == 1 else f" ({int(bad.sum())} of {bad.size} rows are not as they must be)"
    raise InvalidInputError(f"{what}, {place(first)} {told(first)}{count}", hint=hint)


def classes_of(classes: ArrayLike | None, n_classes: int) -> Array:
    """Return the names of the classes; their positions if they have none.

    Raises
    ------
    InvalidInputError
        If there are more or fewer than columns, or a name occurs twice.

    Examples
    --------
    >>> classes_of(None, 3), classes_of(["no", "yes"], 2)
    (array([0, 1, 2]), array(['no', 'yes'], dtype='<U3'))
    """
    if classes is None:
        return np.arange(n_classes)
    names = checks.column(classes, "classes")
    if names.size != n_classes:
        raise InvalidInputError(
            f"{names.size} classes are named ({_listed(names)}), but the rows hold {n_classes} numbers",
            hint="name one class per column, in the order of the columns",
        )
    if np.unique(names).size != names.size:
        raise InvalidInputError(f"a class is named twice: {_listed(names)}")
    return names


def positions(labels: Array, classes: Array, what: str) -> IntArray:
    """Return the position of each label among the classes.

    Raises
    ------
    InvalidInputError
        If a label is none of them.

    Examples
    --------
    >>> positions(np.array(["yes", "no"]), np.array(["no", "yes"]), "gold")
    array([1, 0])
    """
    if (labels.dtype.kind == "U") != (classes.dtype.kind == "U"):
        labels, classes = labels.astype(np.str_), classes.astype(np.str_)
    order = np.argsort(classes)
    place = order[np.minimum(np.searchsorted(classes[order], labels), classes.size - 1)]
    unknown = classes[place] != labels
    if unknown.any():
        first = int(np.flatnonzero(unknown)[0])
        raise InvalidInputError(
            f"{what} holds the label {str(labels[first])!r}, which is none of the classes {_listed(classes)}",
            hint="pass classes=[...], the names of the classes in the order of the columns",
        )
    return np.asarray(place, dtype=np.int64)


def one_hot(codes: IntArray, n_classes: int) -> FloatArray:
    """Return the distributions that are certain of one class each.

    Examples
    --------
    >>> one_hot(np.array([1, 0]), 2)
    array([[0., 1.],
           [1., 0.]])
    """
    out = np.zeros((codes.size, n_classes))
    out[np.arange(codes.size), codes] = 1.0
    return out


def _listed(classes: Sequence[Any] | Array) -> str:
    shown = [str(name) for name in classes[:8]]
    return ", ".join(shown) + (f" and {len(classes) - 8} more" if len(classes) > 8 else "")
