"""Recognise handwritten digits with eight systems, and count the operations that each digit takes.

Run it from anywhere: ``python examples/operations/make_data.py [FOLDER]``. It is deterministic: the same
scikit-learn gives the same file, byte for byte.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

N_TRAIN, N_TEST = 1000, 400
SURE = 0.95
"""The probability from which the cascade believes its first system."""

Answers = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Labels, and operations: multiplications, or comparisons in a tree."""


def forests(
    x: NDArray[np.float64], y: NDArray[np.int64], test: NDArray[np.float64]
) -> Iterator[tuple[str, Answers]]:
    """Yield a tree and two forests: an operation is a node that is visited."""
    tree = DecisionTreeClassifier(max_depth=8, random_state=0).fit(x, y)
    yield "tree", (tree.predict(test), np.diff(tree.decision_path(test).indptr))
    for n in (10, 100):
        forest = RandomForestClassifier(n, random_state=0).fit(x, y)
        yield f"forest_{n}", (forest.predict(test), np.diff(forest.decision_path(test)[0].indptr))


def answers(
    x: NDArray[np.float64], y: NDArray[np.int64], test: NDArray[np.float64]
) -> Iterator[tuple[str, Answers]]:
    """Yield every system with its answers."""
    yield from forests(x, y, test)
    n, pixels = test.shape
    linear = LogisticRegression(C=0.01, max_iter=2000).fit(x, y)
    first = np.full(n, pixels * 10)
    yield "logreg", (linear.predict(test), first)
    # A multiplication for the distance to each mean, one for its variance
    bayes = GaussianNB(var_smoothing=0.01).fit(x, y)
    yield "naive_bayes", (bayes.predict(test), 2 * first)
    neighbours = KNeighborsClassifier(3).fit(x, y)
    every = np.full(n, pixels * len(x))
    yield "knn_3", (neighbours.predict(test), every)
    machine = SVC(gamma=0.001).fit(x, y)
    yield "svm", (machine.predict(test), np.full(n, pixels * len(machine.support_)))
    # Where the linear system is not sure, the neighbours are asked
    unsure = linear.predict_proba(test).max(axis=1) < SURE
    asked = np.where(unsure, neighbours.predict(test), linear.predict(test))
    yield "cascade", (asked, first + unsure * every)


def main(folder: Path) -> None:
    """Write the table."""
    digits = load_digits()
    chosen = np.random.default_rng(2026).permutation(len(digits.data))[: N_TRAIN + N_TEST]
    x, y = digits.data[chosen], digits.target[chosen]
    test, gold = x[N_TRAIN:], y[N_TRAIN:]
    with (folder / "operations.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["system", "item", "correct", "operations"])
        for name, (labels, operations) in answers(x[:N_TRAIN], y[:N_TRAIN], test):
            for place, (label, number) in enumerate(zip(labels, operations, strict=True)):
                rows.writerow([name, place + 1, int(label == gold[place]), int(number)])


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
