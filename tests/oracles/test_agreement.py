"""Agreement by its definition, pair by pair, against functions of sums, in full and on resamples."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from bestby.metrics import agreement

Rows = Sequence[Sequence[Any]]


def coincidences(rows: Rows) -> dict[tuple[Any, Any], float]:
    """The coincidence matrix of Krippendorff (2011), section C."""
    out: dict[tuple[Any, Any], float] = {}
    for row in rows:
        labels = [label for label in row if label is not None]
        for i, j in itertools.permutations(range(len(labels)), 2):
            pair = labels[i], labels[j]
            out[pair] = out.get(pair, 0.0) + 1.0 / (len(labels) - 1)
    return out


def plain_alpha(rows: Rows, level: str) -> float:
    matrix = coincidences(rows)
    values = sorted({c for c, _ in matrix})
    n_of = {c: sum(o for (first, _), o in matrix.items() if first == c) for c in values}
    n = sum(n_of.values())

    def ordinal(c: float, k: float) -> float:
        low, high = min(c, k), max(c, k)
        return (sum(n_of[g] for g in values if low <= g <= high) - (n_of[c] + n_of[k]) / 2.0) ** 2

    delta: dict[str, Callable[[Any, Any], float]] = {
        "": lambda c, k: float(c != k),
        "_ordinal": ordinal,
        "_interval": lambda c, k: (c - k) ** 2,
        "_ratio": lambda c, k: 0.0 if c == k else ((c - k) / (c + k)) ** 2,
    }
    apart = delta[level]
    observed = sum(o * apart(c, k) for (c, k), o in matrix.items()) / n
    expected = sum(n_of[c] * n_of[k] * apart(c, k) for c in values for k in values) / (n * (n - 1.0))
    return 1.0 - observed / expected


def plain_kappa(rows: Rows) -> float:
    m, n = len(rows[0]), len(rows)
    labels = sorted({label for row in rows for label in row})
    counts = [[list(row).count(label) for label in labels] for row in rows]
    agreeing = sum(sum(c * (c - 1) for c in row) / (m * (m - 1)) for row in counts) / n
    by_chance = sum((sum(row[j] for row in counts) / (n * m)) ** 2 for j in range(len(labels)))
    return (agreeing - by_chance) / (1.0 - by_chance)


def ragged(rng: np.random.Generator, values: Sequence[float], n: int = 40) -> list[list[float | None]]:
    truth = rng.integers(0, len(values), n)
    rows: list[list[float | None]] = []
    for t in truth:
        labels = np.where(rng.random(5) < 0.6, t, rng.integers(0, len(values), 5))
        missing = rng.random(5) < 0.3
        rows.append([None if gone else values[label] for label, gone in zip(labels, missing, strict=True)])
    return rows


@pytest.mark.parametrize("level", ["", "_ordinal", "_interval", "_ratio"])
@pytest.mark.parametrize("values", [(0, 1), (0, 1, 2, 3), (-0.0, 0.5, 7.25, 1e6, 1e6 + 1)])
def test_alpha_in_full_and_on_resamples(level: str, values: tuple[float, ...]) -> None:
    rng = np.random.default_rng(5)
    rows, others = ragged(rng, values), ragged(rng, values)
    name = f"krippendorff_alpha{level}"
    metric: Any = agreement.NAMES[name][1](name).fit(None, [rows, others], None)
    table = metric.statistics(None, rows)
    assert float(metric.score(table.sum(axis=0))) == pytest.approx(plain_alpha(rows, level), abs=1e-9)
    drawn = rng.integers(0, len(rows), (20, len(rows)))
    scores = metric.score(table[drawn].sum(axis=1))
    assert scores.shape == (20,)
    for chosen, score in zip(drawn, scores, strict=True):
        assert score == pytest.approx(plain_alpha([rows[i] for i in chosen], level), abs=1e-9)


def test_kappa_in_full_and_on_resamples() -> None:
    rng = np.random.default_rng(6)
    rows = [rng.choice(["x", "y", "z"], 4, p=p) for p in rng.dirichlet([0.5, 0.5, 0.5], 30)]
    metric = agreement.FleissKappa().fit(None, [rows], None)
    table = metric.statistics(None, rows)
    for _ in range(20):
        chosen = rng.integers(0, 30, 30)
        plain = plain_kappa([rows[i].tolist() for i in chosen])
        assert float(metric.score(table[chosen].sum(axis=0))) == pytest.approx(plain, abs=1e-9)


def test_two_annotators_without_gaps() -> None:
    # Krippendorff (2011): for two observers and many units, alpha is Scott's pi
    rng = np.random.default_rng(7)
    rows = [(int(x), int(x if rng.random() < 0.5 else y)) for x, y in rng.integers(0, 3, (20_000, 2))]
    metric = agreement.NominalAlpha().fit(None, [rows], None)
    alpha = float(metric.score(metric.statistics(None, rows).sum(axis=0)))
    assert math.isclose(alpha, plain_kappa(rows), abs_tol=1e-4)
