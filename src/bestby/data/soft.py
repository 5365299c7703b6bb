"""Soft labels: rows of probabilities over the classes, checked row by row; labels of several annotators."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

import numpy as np

from bestby._core import arrays, checks
from bestby._core.errors import InvalidInputError
from bestby._core.text import normal_form, quoted
from bestby._core.typing import Array, ArrayLike, BoolArray, FloatArray, IntArray
from bestby.data import columns
from bestby.data.columns import TOLERANCE, _is_array
from bestby.data.roles import listed

ASK_CLASSES = "pass classes=[...], the names of the classes in the order of the columns"
ASK_NAMES = "the classes are the names of the columns: rename them, or pass .to_numpy() and classes=[...]"
"""What to do where labels are none of the classes, which have no names, or are named by a frame's columns."""


def distributions(
    values: ArrayLike,
    what: str,
    *,
    n_classes: int | None = None,
    normalise: bool = False,
    place: Callable[[int], str] = "row {}".format,
) -> FloatArray:
    """Return rows of probabilities as an array of distributions; `place` names a row in messages."""
    rows = _matrix(values, what, place)
    if n_classes is not None and rows.shape[1] != n_classes:
        raise InvalidInputError(
            f"{what} has {rows.shape[1]} numbers per item, but there are {n_classes} classes",
            hint="gold and every system need one probability per class, in the same order",
        )
    broken = ~np.isfinite(rows)
    _refuse(np.any(broken, axis=1), what, place, lambda i: f"holds {rows[i][broken[i]][0]}")
    _refuse(np.any(rows < 0.0, axis=1), what, place, lambda i: f"holds {rows[i].min():.6g}, less than 0")
    with np.errstate(over="ignore"):
        sums = rows.sum(axis=1)
    if checks.flag(normalise, "normalise"):
        _refuse(np.isinf(sums), what, place, lambda _: "sums to infinity and cannot be normalised")
        _refuse(sums == 0.0, what, place, lambda _: "sums to 0 and cannot be normalised")
        return np.asarray(rows / sums[:, None])
    off = np.abs(sums - 1.0) > TOLERANCE
    hint = "pass normalise=True to divide every row by its sum"
    if rows.size and off.any() and ((rows == 0.0) | (rows == 1.0)).all():
        hint = checks.SEVERAL_LABELS
    if off.any() and (rows == np.rint(rows)).all():
        n, m = rows.shape
        hint += _annotators(what)
        # More whole numbers than that in a row are labels of items, written side by side
        if n < m and m > 50:
            hint = f"these are {n} rows of {m} whole numbers: if they are labels, give each item a row"
    _refuse(off, what, place, lambda i: f"sums to {sums[i]:.8g}, not to 1", hint)
    return rows


def _matrix(values: ArrayLike, what: str, place: Callable[[int], str]) -> FloatArray:
    try:
        array = checks.as_array(values, what)
        is_matrix = array.ndim == 2 and array.dtype.kind in "biuf"
    except InvalidInputError:  # rows of different lengths
        is_matrix = False
    if not is_matrix:
        listed = checks.as_array(values, what).tolist() if _is_array(values) else list(values)
        rows = [_row(row) for row in listed]
        lengths: IntArray = np.array([-1 if row is None else row.size for row in rows])
        _refuse(lengths < 0, what, place, lambda _: "is not a row of numbers")
        for position, row in enumerate(rows):
            if row is not None and row.dtype.kind not in "biuf":
                raise InvalidInputError(
                    f"{what}, {place(position)} must hold numbers, got {quoted(row.tolist())}",
                    hint="a soft label is one probability per class"
                    + (f"; {checks.SEVERAL_LABELS}" if row.dtype.kind == "U" else "")
                    + _annotators(what),
                )
        usual = int(np.bincount(lengths).argmax())
        _refuse(
            lengths != usual, what, place, lambda i: f"has {lengths[i]} numbers, where others have {usual}"
        )
        array = np.array(rows)
    return np.ascontiguousarray(array, dtype=np.float64)


def _row(row: Any) -> Array | None:
    try:
        array = checks.as_array(row, "a row")
    except InvalidInputError:
        return None
    return array if array.ndim == 1 else None


def _annotators(what: str) -> str:
    return '; the labels of several annotators go with annotators="fixed"' if what == "gold" else ""


def _refuse(
    bad: BoolArray,
    what: str,
    place: Callable[[int], str],
    problem: Callable[[int], str],
    hint: str = "every row must be a probability for each class, at least 0, that sum to 1",
) -> None:
    """Raise the error for the first bad row, if there is one."""
    if bad.any():
        first = int(bad.argmax())
        count = "" if bad.sum() == 1 else f" ({int(bad.sum())} of {bad.size} rows are not as they must be)"
        raise InvalidInputError(f"{what}, {place(first)} {problem(first)}{count}", hint=hint)


def by_name(values: Any, classes: ArrayLike | None, what: str) -> Any:
    """Return rows with their columns in the order of the classes, if a frame names its columns."""
    names = arrays.column_names(values)
    if names is None or classes is None:
        return values
    wanted = [_key(name) for name in classes]
    place = {_key(name): position for position, name in enumerate(names)}
    if set(place) != set(wanted) or not len(place) == len(names) == len(wanted):
        if arrays.are_default_names(names):
            return values
        raise InvalidInputError(
            f"the columns of {what} are {_listed(names)}, but the classes are {_listed(list(classes))}",
            hint="name the columns as the classes are named; .to_numpy() takes the columns as they lie",
        )
    return checks.as_array(values, what)[:, [place[name] for name in wanted]]


def named_classes(columns: Mapping[str, Any], gold: str) -> list[Any] | None:
    """Return the classes that the columns of frames name.

    They are in the order of the gold's columns if it is a frame; numbers otherwise ascend. Columns 0 to
    K - 1, as frames have them that nobody named, are names where another frame has the same set.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({0: [0.75], 1: [0.25]})
    >>> named_classes({"system 'a'": frame, "system 'b'": frame[[1, 0]]}, "gold")
    [0, 1]
    """
    frames = {what: arrays.column_names(values) for what, values in columns.items()}
    known = {what: names for what, names in frames.items() if names is not None}
    sets = [_keys(names) for names in known.values() if not arrays.are_default_names(names)]
    if not sets:
        return None
    named = {
        what: names
        for what, names in known.items()
        if not arrays.are_default_names(names) or _keys(names) in sets
    }
    first = gold if gold in named else next(iter(named))
    unnamed = next((what for what in columns if what not in named), None)
    deciding = [gold] if gold in named else list(named)
    shuffled = next((what for what in deciding if not _ascend(named[what])), None)
    if unnamed is not None and shuffled is not None:
        raise InvalidInputError(
            f"the columns of {shuffled} are {_listed(named[shuffled])}, not in sorted order, and those of"
            f" {unnamed} have no names that say which is which",
            hint="pass classes=[...], the classes in the order of the columns that have no names",
        )
    if gold in named:
        return named[gold]
    if not any(isinstance(name, str) for name in named[first]):
        return sorted(named[first])
    for what, names in named.items():
        if [*map(_key, names)] != [*map(_key, named[first])] and _keys(names) == _keys(named[first]):
            raise InvalidInputError(
                f"the columns of {what} are in another order than those of {first}",
                hint="pass classes=[...], the classes in their order, and columns are taken by their names",
            )
    return named[first]


def _key(name: Any) -> str:
    """Return the name of a class as it is compared: in its normal form, a whole number without a fraction."""
    whole = isinstance(name, float | np.floating) and float(name).is_integer()
    return str(int(name)) if whole else normal_form(str(name))


def _keys(names: Sequence[Any]) -> set[str]:
    return {*map(_key, names)}


def _ascend(names: Sequence[Any]) -> bool:
    """Return whether names are sorted, as numbers if all are."""
    try:
        numbers = [float(name) for name in names]
    except (TypeError, ValueError):
        texts = [str(name) for name in names]
        return texts == sorted(texts)
    return numbers == sorted(numbers)


def classes_of(classes: ArrayLike | None, n_classes: int) -> Array:
    """Return the names of the classes; their positions if they have none."""
    if classes is None:
        return np.arange(n_classes)
    names = checks.column(classes, "classes")
    if names.size == 0:
        raise InvalidInputError("there are no classes", hint="classes=[...] names one class per column")
    if names.size != n_classes:
        raise InvalidInputError(
            f"{names.size} classes are named ({_listed(names)}), but the rows hold {n_classes} numbers",
            hint="name one class per column, in the order of the columns",
        )
    if np.unique(names).size != names.size:
        raise InvalidInputError(f"a class is named twice: {_listed(names)}")
    return names


def positions(
    labels: Array,
    classes: Array,
    what: str,
    called: Callable[[int], str] | None = None,
    hint: str = ASK_CLASSES,
) -> IntArray:
    """Return the position of each label among the classes; `called` names a label in messages."""
    if (labels.dtype.kind == "U") != (classes.dtype.kind == "U"):
        labels, classes = labels.astype(np.str_), classes.astype(np.str_)
    order = np.argsort(classes)
    place = order[np.minimum(np.searchsorted(classes[order], labels), classes.size - 1)]
    unknown = classes[place] != labels
    if unknown.any():
        first = int(np.flatnonzero(unknown)[0])
        where = "" if called is None else f", {called(first)}"
        if labels.dtype.kind == "f" and labels[first] != np.rint(labels[first]):
            hint = "pass a probability for every class; for two classes both columns, np.c_[1 - p, p]"
        raise InvalidInputError(
            f"{what}{where} holds the label {quoted(str(labels[first]))}, which is none of the classes"
            f" {_listed(classes)}",
            hint=hint,
        )
    return np.asarray(place, dtype=np.int64)


def one_hot(codes: IntArray, n_classes: int) -> FloatArray:
    """Return the distributions that are certain of one class each."""
    out = np.zeros((codes.size, n_classes))
    out[np.arange(codes.size), codes] = 1.0
    return out


def _listed(classes: Sequence[Any] | Array) -> str:
    texts = map(str, classes)
    return listed([one if normal_form(one) == one else quoted(one) for one in texts], 8)


def soft_or_hard(array: Array, what: str) -> Array:
    """Return rows of one value as hard labels, rows of several as soft ones, which are checked.

    >>> soft_or_hard(np.array([[1], [0]]), "gold")
    array([1, 0])
    """
    if array.ndim == 2 and array.shape[1] > 1:
        return distributions(array, what)
    return checks.column(array.reshape(-1) if array.ndim == 2 else array, what)


@dataclass(frozen=True, eq=False)
class Annotations:
    """How many annotators gave each item each label.

    Build one with `Annotations.of`.

    Parameters
    ----------
    counts : ndarray of int, shape (n, K)
        Annotators per item and class.
    classes : ndarray, shape (K,)
        The classes.
    items : tuple or None
        Item ids, if the labels came with them.
    named : bool
        Whether somebody named the classes, in their order; otherwise they are the labels that occur, sorted.
    index : Index or None
        The index of the labels if they came in a pandas object: what is evaluated must have the same.
    """

    counts: IntArray
    classes: Array
    items: tuple[Any, ...] | None = None
    named: bool = True
    index: Any = None

    @classmethod
    def of(cls, labels: Any, classes: ArrayLike | None = None) -> Annotations:
        """Count the labels of each item.

        Parameters
        ----------
        labels : array_like, shape (n, A), sequence of sequences, or mapping of id to sequence
            The labels that the annotators gave to each item. Items may have unequally many; None, NaN and
            "" are annotators who did not label the item.
        classes : array_like, shape (K,), optional
            All classes, in order; by default those that occur, sorted.

        Returns
        -------
        Annotations
            The counts.

        Raises
        ------
        InvalidInputError
            If an item has no label or one that is none of the classes, or is no list of labels.

        Examples
        --------
        >>> annotations = Annotations.of([["no", "yes", "yes"], ["no", "no", None]])
        >>> annotations.classes, annotations.counts
        (array(['no', 'yes'], dtype='<U3'), array([[1, 2],
               [2, 0]]))
        >>> annotations.distribution().round(2)
        array([[0.33, 0.67],
               [1.  , 0.  ]])
        """
        items = tuple(labels) if isinstance(labels, Mapping) else None

        def place(row: int) -> str:
            return f"row {row}" if items is None else f"item {quoted(items[row])}"

        rows = [
            [one for one in row if not (checks.missing(one) or (isinstance(one, str) and one == ""))]
            for row in _rows(labels, place)
        ]
        empty = next((i for i, row in enumerate(rows) if not row), None)
        if empty is not None:
            raise InvalidInputError(
                f"no annotator labelled {place(empty)}", hint="leave the item out, of the systems too"
            )
        if not rows:
            raise InvalidInputError("there are no annotations")
        flat = _flat(rows)
        item = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
        if classes is None:
            names = np.unique(flat)
        else:
            named = checks.column(classes, "classes")
            names = classes_of(named, named.size)
        codes = positions(flat, names, "the annotations", lambda position: place(int(item[position])))
        counts = np.bincount(item * names.size + codes, minlength=len(rows) * names.size)
        table = counts.reshape(len(rows), names.size)
        return cls(table, names, items, classes is not None, arrays.labels_of(labels))

    def distribution(self) -> FloatArray:
        """Return the share of the annotators of each item that gave each label, shape (n, K)."""
        return np.asarray(self.counts / self.counts.sum(axis=1, keepdims=True))

    def ordered(self, classes: Array) -> Annotations:
        """Return these annotations with the classes given, which may be more, in their order."""
        place = positions(self.classes, classes, "the annotations")
        counts = np.zeros((len(self.counts), classes.size), dtype=np.int64)
        counts[:, place] = self.counts
        return Annotations(counts, classes, self.items, self.named, self.index)

    def positions(self) -> Array | dict[Any, int]:
        """Return the position of each item here, by its id if it has one."""
        n = len(self.counts)
        return np.arange(n) if self.items is None else dict(zip(self.items, range(n), strict=True))

    def at(self, positions: IntArray) -> Annotations:
        """Return the annotations of the items at some positions, without their ids."""
        return Annotations(self.counts[positions], self.classes, named=self.named)

    def resampled(self, n_versions: int, seed: Any) -> IntArray:
        """Return resamples of the annotators of each item, shape (n, V, K): the counts of each version.

        Balanced: over all versions every annotator of an item occurs equally often [1]_, so that what is
        linear in the counts has the mean of the data.

        Parameters
        ----------
        n_versions : int
            V.
        seed : int or numpy.random.SeedSequence
            The seed.

        References
        ----------
        .. [1] Davison, Hinkley & Schechtman (1986), Efficient bootstrap simulation, Biometrika 73, 555-566.

        Examples
        --------
        >>> versions = Annotations.of([[0, 1], [1, 1]]).resampled(4, 0)
        >>> versions.sum(axis=1)
        array([[4, 4],
               [0, 8]])
        """
        generator = np.random.Generator(np.random.PCG64(seed))
        n_classes = self.classes.size
        sizes = self.counts.sum(axis=1)
        out = np.empty((len(self.counts), n_versions, n_classes), dtype=np.int64)
        for size in np.unique(sizes).tolist():
            items = np.flatnonzero(sizes == size)
            classes = np.tile(np.arange(n_classes, dtype=np.int32), items.size)
            labels = np.repeat(classes, self.counts[items].reshape(-1)).reshape(items.size, size)
            drawn = generator.permuted(np.tile(labels, n_versions), axis=1).reshape(-1, n_versions, size)
            for k in range(n_classes):
                out[items, :, k] = (drawn == k).sum(axis=2)
        return out


def _rows(labels: Any, place: Callable[[int], str]) -> list[Any]:
    if isinstance(labels, Mapping):
        rows = list(labels.values())
    else:
        values = arrays.sequence(labels, "the annotations")
        is_list = isinstance(values, list | tuple)
        rows = list(values) if is_list else checks.as_array(values, "the annotations").tolist()
    for i, row in enumerate(rows):
        if isinstance(row, str | bytes | Mapping | AbstractSet) or not isinstance(row, Iterable):
            raise InvalidInputError(
                f"annotations must be one list of labels per item, got {quoted(row)} in {place(i)}",
                hint="pass an array of shape (items, annotators), missing labels as None",
            )
    return rows


def _flat(rows: list[list[Any]]) -> Array:
    """Return all labels in one column; whole numbers that a missing one made floats are whole again."""
    flat = checks.column([label for row in rows for label in row], "the annotations")
    if flat.dtype.kind != "f":
        return flat
    if (flat == np.rint(flat)).all() and (np.abs(flat) < 2**53).all():
        return flat.astype(np.int64)
    if (flat >= 0.0).all() and all(abs(sum(row) - 1.0) <= columns.TOLERANCE for row in rows):
        raise InvalidInputError(
            "the annotations are rows of probabilities, not of labels",
            hint="pass them as a soft gold, without annotators",
        )
    return flat
