"""A gold made of the labels of several annotators per item."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

import numpy as np

from bestby._core import arrays, checks
from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import Array, ArrayLike, FloatArray, IntArray
from bestby.data import soft


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
            names = soft.classes_of(named, named.size)
        codes = soft.positions(flat, names, "the annotations", lambda position: place(int(item[position])))
        counts = np.bincount(item * names.size + codes, minlength=len(rows) * names.size)
        table = counts.reshape(len(rows), names.size)
        return cls(table, names, items, classes is not None, arrays.labels_of(labels))

    def distribution(self) -> FloatArray:
        """Return the share of the annotators of each item that gave each label, shape (n, K)."""
        return np.asarray(self.counts / self.counts.sum(axis=1, keepdims=True))

    def ordered(self, classes: Array) -> Annotations:
        """Return these annotations with the classes given, which may be more, in their order."""
        place = soft.positions(self.classes, classes, "the annotations")
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
    if (flat >= 0.0).all() and all(abs(sum(row) - 1.0) <= soft.TOLERANCE for row in rows):
        raise InvalidInputError(
            "the annotations are rows of probabilities, not of labels",
            hint="pass them as a soft gold, without annotators",
        )
    return flat
