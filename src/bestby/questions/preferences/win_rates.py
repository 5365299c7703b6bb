"""Judgements of pairs as win rates: a score per system and item."""

from __future__ import annotations

import dataclasses
from collections import Counter, defaultdict
from typing import Any, ClassVar

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.typing import Array, FloatArray, OnMissing
from bestby.data.columns import column_of_texts
from bestby.data.evaluation import Evaluation
from bestby.data.layouts.assemble import agreed
from bestby.metrics.base import MeanMetric
from bestby.questions.preferences.layout import Preferences
from bestby.results.base import Note


class WinRate(MeanMetric):
    """How often a system was preferred, a tie counting half."""

    name = "win_rate"
    bounds = (0.0, 1.0)
    needs_gold: ClassVar[bool] = False

    def values(self, gold: Any, predictions: Array) -> FloatArray:  # noqa: ARG002
        """Return the preferences as they are."""
        return np.asarray(predictions, dtype=np.float64)


def win_rates(judged: Preferences, on_missing: OnMissing = "error") -> Evaluation:
    """Return the share that each system won of every item, to be compared as scores.

    If more than two systems were judged, all against the same one, that one has one half.
    """
    opponent = _common(judged)
    if judged.rates is not None:
        noted = (Note("read_as", judged.description), *judged.notes, *judged.rates.notes)
        systems = dict(judged.rates.systems)
        if opponent is not None:
            systems[opponent] = np.full(judged.rates.n_items, 0.5)
        return dataclasses.replace(judged.rates, systems=systems, notes=noted, suggested=WinRate())
    if len(judged.names) > 2 and judged.items is None:
        raise InvalidInputError(
            f"win rates of {len(judged.names)} systems are compared item by item, but there are no items",
            hint="name the column: items=...",
        )
    items = judged.items or tuple(f"row {row + 1}" for row in range(len(judged.first)))
    won: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for a, b, value, item in zip(judged.first, judged.second, judged.values.tolist(), items, strict=True):
        won[a][item].append(value)
        won[b][item].append(1.0 - value)
    scores = {name: {key: float(np.mean(v)) for key, v in won[name].items()} for name in judged.names}
    description = judged.description
    if opponent is not None:
        scores[opponent] = dict.fromkeys(scores[opponent], 0.5)
        description += f"; win rates are those against {opponent}"
    clusters = judged.clusters and agreed(
        "the judgements", "cluster", items, column_of_texts([*judged.clusters])
    )
    evaluation = Evaluation.of(scores, clusters=clusters or None, on_missing=on_missing)
    return dataclasses.replace(
        evaluation,
        notes=(Note("read_as", description), *_uneven(judged, opponent), *evaluation.notes),
        suggested=WinRate(),
    )


def _common(judged: Preferences) -> str | None:
    """Return the one system that every judgement is with, if there are more than two."""
    if len(judged.names) == 2:
        return None
    shared = set.intersection(*({a, b} for a, b in zip(judged.first, judged.second, strict=True)))
    return next(iter(shared), None)


def _uneven(judged: Preferences, opponent: str | None) -> tuple[Note, ...]:
    pairs = Counter(frozenset(pair) for pair in zip(judged.first, judged.second, strict=True))
    n = len(judged.names)
    if opponent is not None or (len(pairs) == n * (n - 1) // 2 and len(set(pairs.values())) == 1):
        return ()
    message = (
        "not all pairs of systems were judged equally often: win rates depend on whom a system met, strengths"
        " (Bradley and Terry's model) do not"
    )
    return (Note("uneven_pairs", message),)
