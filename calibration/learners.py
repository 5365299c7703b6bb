"""Small learners in NumPy, trained on many parts of a data set at once, and views of items that are alike."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from bestby._core.typing import Array, BoolArray, FloatArray, IntArray


class Learner(Protocol):
    """Takes features (n, p), labels or values (n,), training sets (J, n), the number of classes."""

    def __call__(self, x: FloatArray, y: Array, train: BoolArray, classes: int, /) -> FloatArray:
        """Return the predictions of the J models for all items, (J, n)."""


def views(
    rng: np.random.Generator, y: IntArray, classes: int, p: int, strength: float, shared: float = 0.3
) -> FloatArray:
    """Return two views of the items (2, n, p), exchangeable given the labels.

    The means of the classes lie on a circle in the first two features, whose radius is `strength`; `shared`
    is the correlation of the views within a class.
    """
    angle = 2.0 * np.pi * np.arange(classes) / classes
    mean = np.zeros((classes, p))
    mean[:, 0] = strength * np.cos(angle)
    mean[:, 1] = strength * np.sin(angle)
    own = rng.normal(size=(2, y.size, p))
    both: FloatArray = mean[y] + np.sqrt(shared) * rng.normal(size=(y.size, p)) + np.sqrt(1.0 - shared) * own
    return both


def centroids(x: FloatArray, y: IntArray, train: BoolArray, classes: int) -> FloatArray:
    """Return the class of the nearest mean."""
    far = np.full((classes, *train.shape), np.inf)
    for c in range(classes):
        member = (train & (y == c)).astype(float)
        size = member.sum(axis=1, keepdims=True)
        mean = member @ x / np.maximum(size, 1.0)
        distance = (mean**2).sum(axis=1, keepdims=True) - 2.0 * mean @ x.T
        far[c] = np.where(size > 0.0, distance, np.inf)
    found: FloatArray = far.argmin(axis=0)
    return found


def bayes(x: FloatArray, y: IntArray, train: BoolArray, classes: int) -> FloatArray:
    """Return the class of Gaussian naive Bayes."""
    far = np.full((classes, *train.shape), np.inf)
    for c in range(classes):
        member = (train & (y == c)).astype(float)
        size = member.sum(axis=1, keepdims=True)
        n = np.maximum(size, 1.0)
        mean = member @ x / n
        variance = np.maximum(member @ x**2 / n - mean**2, 0.0) + 0.05
        square = (1.0 / variance) @ (x**2).T - 2.0 * (mean / variance) @ x.T
        constant = (mean**2 / variance + np.log(variance)).sum(axis=1, keepdims=True) - 2.0 * np.log(n)
        far[c] = np.where(size > 0.0, square + constant, np.inf)
    found: FloatArray = far.argmin(axis=0)
    return found


def ridge(x: FloatArray, y: IntArray, train: BoolArray, classes: int) -> FloatArray:
    """Return the class of ridge regression on indicators of the classes."""
    found: FloatArray = _regression(x, np.eye(classes)[y], train).argmax(axis=-1)
    return found


def linear(x: FloatArray, y: FloatArray, train: BoolArray, _: int) -> FloatArray:
    """Return the values of ridge regression."""
    found: FloatArray = _regression(x, y[:, None], train)[..., 0]
    return found


def _regression(x: FloatArray, targets: FloatArray, train: BoolArray) -> FloatArray:
    z = np.column_stack([np.ones(len(x)), x])
    k = z.shape[1]
    member = train.astype(float)
    products = (member @ (z[:, :, None] * z[:, None, :]).reshape(len(x), -1)).reshape(-1, k, k)
    penalty = np.diag([1e-9] + [1.0] * (k - 1))
    sides = np.stack([member @ (z * targets[:, [c]]) for c in range(targets.shape[1])], axis=-1)
    found: FloatArray = np.einsum("np,jpc->jnc", z, np.linalg.solve(products + penalty, sides))
    return found


def neighbour(x: FloatArray, y: IntArray, train: BoolArray, _: int) -> FloatArray:
    """Return the class of the nearest item."""
    distance = ((x[:, None] - x[None]) ** 2).sum(axis=-1)
    order = distance.argsort(axis=1)
    nearest = np.array([member[order].argmax(axis=1) for member in train])
    found: FloatArray = y[order[np.arange(len(y)), nearest]]
    return found


def stumps(x: FloatArray, y: IntArray, train: BoolArray, classes: int) -> FloatArray:
    """Return the classes that the best single split of one feature gives."""
    sets, n = train.shape
    every = np.arange(sets)
    best, found = np.full(sets, -1.0), np.zeros((sets, n), dtype=int)
    for column in x.T:
        order = column.argsort()
        counts = train[:, order, None] * np.eye(classes)[y[order]]
        left = counts.cumsum(axis=1)
        right = left[:, -1:] - left
        correct = left.max(axis=-1) + right.max(axis=-1)
        at = correct.argmax(axis=1)
        rank = np.empty(n, dtype=int)
        rank[order] = np.arange(n)
        sides = (left[every, at].argmax(axis=-1)[:, None], right[every, at].argmax(axis=-1)[:, None])
        predicted = np.where(rank <= at[:, None], *sides)
        better = correct[every, at] > best
        found[better] = predicted[better]
        best = np.maximum(best, correct[every, at])
    return found
