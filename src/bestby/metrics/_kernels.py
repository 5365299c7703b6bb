"""Compiled loops for the metrics of ranks; imported only for large work.

`counts` has shape (R, n): how often each item is in each resample. `order` has the items in the order of a
column, and `last` is True at the last position of each group of ties in it.
"""

from __future__ import annotations

import numpy as np

from bestby._core.compiled import compiled
from bestby._core.typing import Array, BoolArray, FloatArray, IntArray


@compiled
def roc_auc(counts: Array, order: Array, positive: Array, last: BoolArray) -> FloatArray:
    """Area under the ROC curve: the pairs won, ties half, over all pairs of a positive and a negative."""
    n_resamples, n = counts.shape
    out = np.empty(n_resamples)
    for r in range(n_resamples):
        row = counts[r]
        doubled = np.int64(0)
        before = np.int64(0)
        up_to = np.int64(0)
        total = np.int64(0)
        in_group = np.int64(0)
        for i in range(n):
            w = np.int64(row[order[i]])
            hit = w * np.int64(positive[i])
            up_to += hit
            in_group += w - hit
            if last[i]:
                doubled += in_group * (before + up_to)
                total += in_group
                in_group = np.int64(0)
                before = up_to
        pairs = up_to * total
        out[r] = np.float64(doubled) / (2.0 * np.float64(pairs)) if pairs > 0 else np.nan
    return out


@compiled
def roc_auc_without_ties(counts: Array, order: Array, positive: Array) -> FloatArray:
    """Area under the ROC curve when no two scores are equal: no branch, twice as fast."""
    n_resamples, n = counts.shape
    out = np.empty(n_resamples)
    for r in range(n_resamples):
        row = counts[r]
        won = np.int64(0)
        up_to = np.int64(0)
        total = np.int64(0)
        for i in range(n):
            w = np.int64(row[order[i]])
            hit = w * np.int64(positive[i])
            up_to += hit
            won += (w - hit) * up_to
            total += w
        pairs = up_to * (total - up_to)
        out[r] = np.float64(2 * won) / (2.0 * np.float64(pairs)) if pairs > 0 else np.nan
    return out


@compiled
def average_precision(counts: Array, order: Array, positive: Array, last: BoolArray) -> FloatArray:
    """Average precision: the precision at each distinct threshold, weighted by the recall it adds."""
    n_resamples, n = counts.shape
    out = np.empty(n_resamples)
    for r in range(n_resamples):
        row = counts[r]
        area = 0.0
        before = np.int64(0)
        up_to = np.int64(0)
        everything = np.int64(0)
        for i in range(n):
            w = np.int64(row[order[i]])
            up_to += w * np.int64(positive[i])
            everything += w
            if last[i] and up_to > before:
                area += np.float64(up_to - before) * (np.float64(up_to) / np.float64(everything))
                before = up_to
        out[r] = area / np.float64(up_to) if up_to > 0 else np.nan
    return out


@compiled
def kendall(
    counts: Array, order_x: Array, last_x: BoolArray, groups_y: IntArray, n_groups_y: int
) -> FloatArray:
    """Kendall's tau-b, over a tree of the ranks of y (Fenwick 1994, Softw.: Pract. Exper. 24, 327-336)."""
    n_resamples, n = counts.shape
    out = np.empty(n_resamples)
    tree = np.empty(n_groups_y + 1, dtype=np.int64)  # partial sums of the weights met so far, by y
    level = np.empty(n_groups_y, dtype=np.int64)  # the weights themselves
    for r in range(n_resamples):
        row = counts[r]
        tree[:] = 0
        level[:] = 0
        agreement = np.int64(0)  # concordant minus discordant pairs
        met = np.int64(0)
        tied_x = np.int64(0)
        start = 0
        for i in range(n):
            if not last_x[i]:
                continue
            in_group = np.int64(0)
            for j in range(start, i + 1):
                item = order_x[j]
                w = np.int64(row[item])
                if w == 0:
                    continue
                y = groups_y[item]
                below = np.int64(0)
                node = y
                while node > 0:
                    below += tree[node]
                    node &= node - 1
                agreement += w * (2 * below + level[y] - met)
                in_group += w
            for j in range(start, i + 1):
                item = order_x[j]
                w = np.int64(row[item])
                if w == 0:
                    continue
                y = groups_y[item]
                level[y] += w
                node = y + 1
                while node <= n_groups_y:
                    tree[node] += w
                    node += node & -node
            met += in_group
            tied_x += in_group * in_group
            start = i + 1
        tied_y = np.int64(0)
        for y in range(n_groups_y):
            tied_y += level[y] * level[y]
        untied_x = met * met - tied_x
        untied_y = met * met - tied_y
        if untied_x > 0 and untied_y > 0:
            scale = np.sqrt(np.float64(untied_x)) * np.sqrt(np.float64(untied_y))
            out[r] = min(1.0, max(-1.0, 2.0 * np.float64(agreement) / scale))
        else:
            out[r] = np.nan
    return out
