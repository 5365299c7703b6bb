"""One number per item that can only be the probability of a class, where labels or distributions are read."""

from __future__ import annotations

import dataclasses

import numpy as np

from bestby._core.checks import NUMERAL
from bestby._core.errors import DesignError
from bestby._core.typing import Array, FloatArray
from bestby.data import soft
from bestby.data.evaluation import Evaluation


def present(evaluation: Evaluation, name: str) -> Array:
    """Return the distinct labels of a system, without those that stand for missing predictions."""
    labels, codes = evaluation.coded[name]
    absent = evaluation.missing.get(name)
    return labels if absent is None else labels[np.unique(codes[~absent])]


def gold_labels(evaluation: Evaluation) -> Array:
    """Return the distinct labels of the gold."""
    return evaluation.coded[""][0]


def numbers(labels: Array) -> FloatArray | None:
    """Return labels as numbers; None if they are texts, save texts that all spell numbers."""
    if labels.dtype.kind == "U" and all(NUMERAL.fullmatch(text) for text in labels.tolist()):
        return labels.astype(np.float64)
    return labels.astype(np.float64) if labels.dtype.kind in "biuf" else None


def fractions(labels: Array) -> FloatArray:
    """Return the numbers among the labels that are not whole."""
    values = None if labels.dtype.kind in "biu" else numbers(labels)
    return np.empty(0) if values is None else values[values != np.rint(values)]


def unknown_fractions(labels: Array, gold: Array) -> FloatArray:
    """Return the numbers among the labels that are neither whole nor labels of the gold."""
    values = fractions(labels)
    return values[~np.isin(values, fractions(gold))] if values.size else values


def are_probabilities(labels: Array, gold: Array) -> bool:
    """Return whether predictions are numbers from 0 to 1, some of which can only be probabilities."""
    values = numbers(labels)
    if values is None or unknown_fractions(labels, gold).size == 0:
        return False
    return bool(values.min() >= 0.0 and values.max() <= 1.0)


def with_both_classes(evaluation: Evaluation, name: str) -> tuple[Evaluation, tuple[str, ...]]:
    """Return the data with both probabilities of each item where systems give only one, and which these are.

    One number per item is the probability of the label that sorts last of a gold of two, as for scikit-learn.
    """
    gold = evaluation.gold
    if gold is None or evaluation.classes is not None or gold.dtype.kind == "O":
        return evaluation, ()
    labels = gold_labels(evaluation)
    single = [
        system
        for system in evaluation.names
        if system in evaluation.coded and are_probabilities(present(evaluation, system), labels)
    ]
    if not single:
        return evaluation, ()
    gold_fractions = fractions(labels)
    if gold_fractions.size:
        raise DesignError(
            f"the gold (such as {gold_fractions[0]:.4g}) and system {single[0]!r} hold one number per item;"
            f" {name} needs the probability of every class",
            hint="give both columns of each, np.c_[1 - p, p]; for numbers that are not probabilities name a"
            ' metric of numbers, such as metric="rmse"',
        )
    if labels.size != 2:
        raise DesignError(
            f"system {single[0]!r} holds one number from 0 to 1 per item, but the gold has {labels.size}"
            f" class{'es' * (labels.size != 1)}; {name} needs the probability of every class",
            hint="pass an array of shape (items, classes), such as predict_proba(X), and classes=[...]",
        )
    systems = dict(evaluation.systems)
    for system in single:
        p = systems[system].astype(np.float64)
        systems[system] = np.column_stack([1.0 - p, p])
    return dataclasses.replace(evaluation, systems=systems, classes=labels), tuple(single)


def distributions(evaluation: Evaluation, name: str) -> tuple[FloatArray, dict[str, FloatArray]] | None:
    """Return the gold and the systems as rows of probabilities, shape (n, K); None if some are missing.

    A hard label is certain of its class. Without named classes these are all labels there are.
    """
    both, _ = with_both_classes(evaluation, name)
    classes = both.classes
    if both.gold is None or both.missing or (classes is None and len(both.coded) <= len(both.names)):
        return None
    if classes is None:
        every = [labels for labels, _ in both.coded.values()]
        if len({labels.dtype.kind == "U" for labels in every}) == 2:  # no prediction can be right
            return None
        classes = np.unique(np.concatenate(every))

    def rows(values: Array, what: str) -> FloatArray:
        if values.ndim == 2:
            return values.astype(np.float64)
        return soft.one_hot(soft.positions(values, classes, what), classes.size)

    system_rows = {system: rows(values, f"system {system!r}") for system, values in both.systems.items()}
    return rows(both.gold, "gold"), system_rows
