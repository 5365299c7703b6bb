"""How often each class occurs in the gold and in the predictions, which shows a collapsed classifier."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from bestby._core.text import counted, natural_order, quoted
from bestby._core.typing import Array, IntArray
from bestby.data.columns import Coded, complete, occurrences
from bestby.data.evaluation import Evaluation
from bestby.data.values import read_together
from bestby.metrics.base import BaseMetric
from bestby.results.base import Note
from bestby.results.values import ClassShares

MOST_CLASSES = 50
"""Classes up to which shares are counted; a table of more says little."""

MOST_NAMED = 5
"""Classes that a note names."""

WORDS_FOR_NOTHING = frozenset({"null", "none", "nil", "na", "n/a", "nan", "#n/a", "<na>", "-", "--"})
"""What tools write where there is no value, in small letters; few of them are missing unless told so."""


def class_shares(evaluation: Evaluation, metrics: Sequence[BaseMetric]) -> tuple[ClassShares, ...]:
    """Return the shares of the classes in the gold, then in each system; empty where there are no classes.

    They are for metrics that read labels or distributions. The shares of soft labels are mean distributions.
    """
    if evaluation.gold is None or not any(m.reads in ("labels", "distributions") for m in metrics):
        return ()
    if any(map(_real, evaluation.compact.values())):
        return ()  # numbers, which other metrics read too
    if evaluation.classes is not None:
        return tuple(_soft(evaluation))
    if any(distinct.size > MOST_CLASSES for distinct, _ in evaluation.coded.values()):
        return ()
    occurring = {name: (distinct.tolist(), counts.tolist()) for name, distinct, counts in _counts(evaluation)}
    labels = _ordered(set().union(*(own for own, _ in occurring.values())))
    if not occurring or len(labels) > MOST_CLASSES:
        return ()
    shown = tuple(map(_text, labels))
    columns = [name for name in ("", *evaluation.names) if name in occurring]
    return tuple([_hard(name, shown, _among(labels, *occurring[name])) for name in columns])


def shares_by_condition(shares: Sequence[ClassShares], sizes: Mapping[str, int]) -> tuple[ClassShares, ...]:
    """Return the shares of the gold and of each condition, from those of its runs, which stand in order.

    `sizes` are the numbers of runs. Shares are means over the runs, and counts are of the items of all runs.
    """
    if len(shares) != 1 + sum(sizes.values()):
        return ()
    conditions, rest = [shares[0]], list(shares[1:])
    for name, size in sizes.items():
        runs, rest = rest[:size], rest[size:]
        mean = np.mean([run.shares for run in runs], axis=0)
        counts = [run.counts for run in runs if run.counts is not None]
        pooled = tuple(np.sum(counts, axis=0).tolist()) if counts else None
        conditions.append(ClassShares(name, shares[0].labels, tuple(mean.tolist()), pooled))
    return tuple(conditions)


def _among(labels: list[Any], occurring: list[Any], counts: Sequence[int]) -> Sequence[int]:
    """Return how often each of all labels occurs in a column that has some of them."""
    if occurring == labels:
        return counts
    count_of = dict(zip(occurring, counts, strict=True))
    return [count_of.get(label, 0) for label in labels]


def _hard(name: str, labels: tuple[str, ...], counts: Sequence[int]) -> ClassShares:
    n = max(sum(counts), 1)
    return ClassShares(name or None, labels, tuple([count / n for count in counts]), tuple(counts))


def _real(values: Array | Coded) -> bool:
    """Return whether a column holds numbers that are no labels: fractions."""
    if values.dtype.kind != "f" or values.ndim != 1:
        return False
    return not np.all(values == np.rint(values), where=np.isfinite(values))


def _text(label: object) -> str:
    """Return a label as text; whole numbers that came as floats lose their point.

    >>> _text(2.0), _text(2), _text("2.0")
    ('2', '2', '2.0')
    """
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def _ordered(labels: Collection[Any]) -> list[Any]:
    """Return labels in the order for readers, numbers before texts."""
    texts = sorted(label for label in labels if isinstance(label, str))
    numbers = sorted(label for label in labels if not isinstance(label, str))
    return [*numbers, *(texts[place] for place in natural_order(texts))]


def _columns(evaluation: Evaluation) -> dict[str, Array]:
    gold = {} if evaluation.gold is None else {"": evaluation.gold}
    return gold | dict(evaluation.systems)


def _counts(evaluation: Evaluation) -> Iterator[tuple[str, Array, IntArray]]:
    """Yield each column of hard labels, its labels as they are compared, and how many items have each."""
    rows, counts = evaluation.cells or (slice(None), evaluation.counts)
    columns = evaluation.coded
    for name in sorted(columns):
        distinct, code = columns[name]
        codes, weights = code[rows], counts
        if name in evaluation.missing:
            weights = np.where(evaluation.missing[name][rows], 0, 1 if counts is None else counts)
        totals = occurrences(codes, distinct.size, weights)
        if distinct.dtype.kind == "U" and "" in columns:
            gold = complete(columns[""][0])
            read = read_together(gold, {name: complete(distinct)}, strings=True)
            labels = read[0] if name == "" else read[1][name]
            assert labels is not None
            distinct, places = np.unique(labels.values, return_inverse=True)
            totals = np.bincount(places.reshape(-1), weights=totals).astype(np.int64)
        yield name, distinct, totals


def _soft(evaluation: Evaluation) -> Iterator[ClassShares]:
    """Yield the mean distribution of the gold and of each system; a hard label is probability 1."""
    classes = evaluation.classes
    if classes is None or classes.size > MOST_CLASSES:
        return
    for name, values in _columns(evaluation).items():
        rows = values if values.ndim == 2 else values[:, None] == classes
        mean = np.average(rows, axis=0, weights=evaluation.counts)
        yield ClassShares(name or None, tuple(map(str, classes.tolist())), tuple(mean.tolist()), None)


def words_for_nothing(shares: Sequence[ClassShares]) -> list[Note]:
    """Return notes on labels that look like cells without a value, where they are probably no class.

    A word is taken for a class where the gold and some system have it, or the gold has it often.
    """
    if not shares or shares[0].counts is None:
        return []
    counts = {
        label: [0 if entry.counts is None else entry.counts[place] for entry in shares]
        for place, label in enumerate(shares[0].labels)
        if label.lower() in WORDS_FOR_NOTHING
    }
    notes = []
    for label, (in_gold, *predicted) in counts.items():
        of_all = in_gold / max(1, sum(shares[0].counts))
        # Share of the gold from which a word for nothing is a class, even if no system predicts it
        if in_gold and (any(predicted) or of_all >= 0.05):
            continue
        where = [(entry.system, n) for entry, n in zip(shares[1:], predicted, strict=True) if n]
        on = ", ".join(f"{counted(n, 'item')} of {name}" for name, n in where[:MOST_NAMED])
        on += ", …" * (len(where) > MOST_NAMED)
        message = f"a label that the gold never has, and counts as wrong on {on}"
        if in_gold:
            message = f"a label of the gold, on {counted(in_gold, 'item')}, that no system predicts"
        remedy = "if it stands for no value, say so where the file is read (missing=..., --missing-value)"
        message = f"{quoted(label)} is taken for {message}: {remedy}"
        notes.append(Note("word_for_nothing", message))
    return notes


def never_predicted(shares: Sequence[ClassShares]) -> list[Note]:
    """Return a note for each system that gives no item a label that the gold has."""
    if not shares or shares[0].counts is None:
        return []
    notes = []
    due = {label for label, count in zip(shares[0].labels, shares[0].counts, strict=True) if count}
    for entry in shares[1:]:
        predicted = {label for label, count in zip(entry.labels, entry.counts or (), strict=True) if count}
        never = [label for label in shares[0].labels if label in due - predicted]
        if never and due & predicted:  # one that shares no label has a note of its own
            message = f"{entry.system} never predicts {len(never)} of the {len(due)} classes of the gold: "
            message += ", ".join(map(quoted, never[:MOST_NAMED])) + (", …" if len(never) > MOST_NAMED else "")
            notes.append(Note("never_predicted", message))
    return notes
