"""Plain versions of what clusters, crossed groupings and blocks do to an error; nothing of the package."""

from __future__ import annotations

import numpy as np


def cr2_of_a_mean(values, clusters):
    """CR2 and Satterthwaite's degrees of freedom of a mean, from the definition with full matrices.

    Bell & McCaffrey: the regression on a constant, adjustment matrices (I - H_gg)^(-1/2), identity as the
    working model; degrees of freedom 2 E(V)^2 / var(V) of V = y' (sum of p p') y under it.
    """
    y, groups = np.asarray(values, float), np.asarray(clusters)
    n = y.size
    residual_maker = np.eye(n) - np.full((n, n), 1.0 / n)
    variance, vectors = 0.0, []
    for group in dict.fromkeys(groups.tolist()):
        inside = groups == group
        size = int(inside.sum())
        part = np.eye(size) - np.full((size, size), 1.0 / n)
        roots, axes = np.linalg.eigh(part)
        adjusted = axes @ np.diag(roots**-0.5) @ axes.T
        p = residual_maker[inside].T @ adjusted @ np.ones(size) / n
        vectors.append(p)
        variance += float(p @ y) ** 2
    products = np.array([[float(p @ q) for q in vectors] for p in vectors])
    return variance**0.5, np.trace(products) ** 2 / float((products**2).sum())


def two_way(values, first, second):
    """V1 + V2 - V12 of a mean, each sum over pairs of items that share a group, with G / (G - 1)."""
    n = len(values)
    mean = sum(values) / n
    parts = []
    for key in (lambda i: first[i], lambda i: second[i], lambda i: (first[i], second[i])):
        total = 0.0
        for i in range(n):
            for j in range(n):
                if key(i) == key(j):
                    total += (values[i] - mean) * (values[j] - mean) / n**2
        groups = len({key(i) for i in range(n)})
        parts.append(total * groups / (groups - 1))
    return parts[0] + parts[1] - parts[2]


def block_resample(n, length, starts, last):
    """The items of a circular block resample: blocks of `length` from `starts`, then the rest from `last`."""
    out = []
    for start in starts:
        out += [(start + i) % n for i in range(length)]
    return out + [(last + i) % n for i in range(n % length)]
