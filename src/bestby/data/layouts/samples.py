"""Rows that are samples of the answers to an item: their mean is the score, and pass@k counts them."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import IntArray
from bestby.data.columns import Column
from bestby.data.evaluation import Evaluation
from bestby.data.roles import SAMPLE_WORDS, listed
from bestby.data.table import Table

Trials: TypeAlias = dict[str, dict[str, IntArray]]
"""By system and item the number of samples and of right ones; empty where scores are not 0 and 1."""


def sample_columns(table: Table) -> list[str]:
    """Return the columns that are called as numbers of samples are."""
    by_name = {name.lower(): name for name in reversed(table.names)}
    return [by_name[word] for word in SAMPLE_WORDS if word in by_name]


def samples_in(
    table: Table, item: str, rows: Mapping[str, Sequence[int]], keys: Mapping[str, Sequence[str]]
) -> str | None:
    """Return the column that tells the rows of one item and system apart as samples; None if none repeats.

    `rows` are those of each system, and `keys` the items of these rows, in column `item`.
    """
    if all(len({*ids}) == len(ids) for ids in keys.values()):
        return None
    for name in sample_columns(table):
        samples = table.cells(name)
        one_each = (
            len({*zip(ids, (samples[row] for row in rows[system]), strict=True)}) == len(ids)
            for system, ids in keys.items()
        )
        if name != item and all(one_each):
            return name
    return None


def samples_text(samples: str, keys: Mapping[str, Sequence[str]]) -> str:
    """Return what an item's score is, and how many samples it has, by system if not all have as many."""
    numbers = {system: Counter(ids).values() for system, ids in keys.items()}
    texts = {
        system: f"{min(of)}" if min(of) == max(of) else f"{min(of)} to {max(of)}"
        for system, of in numbers.items()
    }
    by_system = [f"{system} {text}" for system, text in texts.items()]
    shown = listed(by_system, 6) if len({*texts.values()}) > 1 else next(iter(texts.values()))
    return f"the score of an item is its mean over the samples (column {samples}: {shown})"


def check_no_samples(table: Table, item: str, ids: Sequence[str]) -> None:
    """Refuse the samples of one of several systems in a file of its own."""
    samples = samples_in(table, item, {"": range(len(ids))}, {"": ids})
    if samples is not None:
        raise InvalidInputError(
            f"{table.source}: column {quoted(samples)} numbers the answers to an item, of which a file of one"
            " system has one each",
            hint="write the rows of all systems into one table, with their names in a column 'system'",
        )


def check_scores(table: Table, samples: str, columns: Mapping[str, Column], gold: Column | None) -> None:
    """Refuse predictions: the mean over samples is one of scores."""
    if gold is not None or any(one.is_soft or one.is_items or one.is_text for one in columns.values()):
        raise InvalidInputError(
            f"{table.source}: column {quoted(samples)} numbers the answers to an item, whose mean is taken"
            " over scores only",
            hint="give the score of each answer in place of the prediction, such as 1 for right and 0 for"
            f" wrong; or take {quoted(samples)} as a facet, with compare_facets (bestby facets)",
        )


def means(
    keys: Mapping[str, Sequence[str]], columns: Mapping[str, Column]
) -> tuple[dict[str, list[str]], dict[str, Column], Trials]:
    """Return the items of each system once, the mean of each, missing where a sample is, and their trials."""
    items, scores, trials = {}, {}, {}
    for system, column in columns.items():
        places = {item: place for place, item in enumerate(dict.fromkeys(keys[system]))}
        code = np.array([places[item] for item in keys[system]])
        values = np.where(column.missing, 0.0, column.values.astype(np.float64))
        n, sums = np.bincount(code), np.bincount(code, weights=values)
        items[system] = list(places)
        scores[system] = Column(sums / n, np.bincount(code, weights=column.missing) > 0.0)
        if np.isin(values, (0.0, 1.0)).all():
            pairs = np.column_stack([n, sums]).astype(np.int64)
            trials[system] = dict(zip(places, pairs, strict=True))
    return items, scores, trials if len(trials) == len(columns) else {}


def with_trials(evaluation: Evaluation, trials: Trials) -> Evaluation:
    """Return the evaluation with the samples of its items; an item that a system lacks has one, not right."""
    if evaluation.items is None or not trials:
        return evaluation
    ids = evaluation.items.tolist()
    of_items = {
        name: np.array([pairs.get(item, (1, 0)) for item in ids], dtype=np.int64)
        for name, pairs in trials.items()
    }
    return dataclasses.replace(evaluation, trials=of_items)
