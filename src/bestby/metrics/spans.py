"""Metrics of spans (named entities, chunks, slots), with sentences as items."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby._core.typing import Array, FloatArray
from bestby.metrics import _entities
from bestby.metrics._items import marked, required_gold
from bestby.metrics._label_counts import Part, fraction, ratio
from bestby.metrics._label_names import named_label
from bestby.metrics.base import BaseMetric, Metric, Names, Patterns

_WHY: dict[Part, str] = {
    "precision": "predicted",
    "recall": "in the gold",
    "f1": "in the gold or predicted",
}


@dataclass(frozen=True, repr=False)
class _SpanMetric(Metric):
    """What the metrics of spans share: how an item is read, and which scheme its tags follow.

    For `scheme`, None reads tags leniently, as conlleval and seqeval do: a span also begins where a type
    changes or an I follows an O. "strict" counts only spans that follow the scheme of the gold exactly, which
    seqeval (Nakayama 2018) detects from the whole gold; or the name of that scheme: IOB1, IOB2 (BIO), IOE1,
    IOE2, IOBES or BILOU. Spans given as such need no scheme.
    """

    name: str
    part: Part
    scheme: str | None = None
    bounds = (0.0, 1.0)
    reads = "objects"
    packages = ("seqeval",)

    def fit(self, gold: Array | None, systems: Sequence[Array], labels: Array | None) -> Self:  # noqa: ARG002
        """Return the metric with the scheme fixed."""
        sentences = required_gold(gold, self.name, "gold spans or tags")
        if self.scheme is None:
            return self
        if self.scheme == "strict":
            return dataclasses.replace(self, scheme=_entities.detected(sentences))
        checks.choice(self.scheme, tuple(_entities.SCHEMES), f"the scheme of {self.name}")
        return self

    def _pairs(self, gold: Any, predictions: Any) -> list[tuple[set[_entities.Span], set[_entities.Span]]]:
        if self.scheme == "strict":
            raise InvalidInputError(
                f"{self.name} must know the scheme of the tags before it can count",
                hint="call fit(gold, systems, None) first, or name the scheme",
            )
        return [
            (
                _entities.spans(ours, self.scheme, f"{where} of the gold"),
                _entities.spans(theirs, self.scheme, f"{where} of the predictions"),
            )
            for where, ours, theirs in _entities.paired(gold, predictions, self.name)
        ]


@dataclass(frozen=True, repr=False)
class Spans(_SpanMetric):
    """Precision, recall or F1 of spans, of all types together or of one, `label`.

    An item is a sentence: a list with one tag per token (BIO, BIOES and their kin), or a list of spans
    ``(start, end, type)``. A span is right if the gold has one with the same type, start and end (Tjong Kim
    Sang & De Meulder 2003, CoNLL shared task, 142-147). 0/0 counts as 0, as in seqeval.
    """

    label: str | None = None

    def fit(self, gold: Array | None, systems: Sequence[Array], labels: Array | None) -> Self:
        """Return the metric with the scheme fixed and the type known to occur."""
        fitted = super().fit(gold, systems, labels)
        if fitted.label is not None:
            named_label(fitted.label, sorted(_occurring([gold, *systems], self.name)), self.name)
        return fitted

    def statistics(self, gold: Any, predictions: Any) -> FloatArray:
        """Return how many spans are right, predicted, and in the gold, per item, shape (n, 3)."""
        rows = np.zeros((len(predictions), 3))
        for row, (ours, theirs) in zip(rows, self._pairs(gold, predictions), strict=True):
            if self.label is not None:
                ours, theirs = ({span for span in side if span[0] == self.label} for side in (ours, theirs))
            row[:] = len(ours & theirs), len(theirs), len(ours)
        return rows

    def score(self, totals: FloatArray) -> FloatArray:
        """Return the ratio of the totals."""
        return ratio(*fraction(self.part, *np.moveaxis(totals, -1, 0)))

    def undefined(self, totals: FloatArray) -> str | None:
        """Return a sentence if the score is 0/0."""
        if fraction(self.part, *totals)[1] > 0.0:
            return None
        what = "no span" if self.label is None else f"no span of type {self.label!r}"
        return f"{self.name} is 0/0 ({what} is {_WHY[self.part]}) and counts as 0"


@dataclass(frozen=True, repr=False)
class MacroSpans(_SpanMetric):
    """Precision, recall or F1 of the spans of each type, averaged over the types.

    An item is as for `Spans`. The types are those that occur in the gold or the predictions of the
    (re)sample, as in seqeval; undefined (NaN) if there are none.
    """

    types: tuple[str, ...] = ()

    def fit(self, gold: Array | None, systems: Sequence[Array], labels: Array | None) -> Self:
        """Return the metric with the scheme and the types fixed."""
        fitted = super().fit(gold, systems, labels)
        types = tuple(sorted(_occurring([gold, *systems], self.name)))
        if not types:
            raise InvalidInputError(
                f"{self.name} averages over types of spans, but neither gold nor predictions have a span"
            )
        return dataclasses.replace(fitted, types=types)

    def statistics(self, gold: Any, predictions: Any) -> FloatArray:
        """Return the spans that are right, of each type; then those predicted; then those of the gold."""
        width = len(self.types)
        column = {label: place for place, label in enumerate(self.types)}
        rows = np.zeros((len(predictions), 3 * width))
        for row, (ours, theirs) in zip(rows, self._pairs(gold, predictions), strict=True):
            for block, side in enumerate((ours & theirs, theirs, ours)):
                for label, _, _ in side:
                    if label not in column:
                        raise InvalidInputError(
                            f"{self.name} was fitted without the type {label!r}",
                            hint="call fit(gold, systems, None) with all items first",
                        )
                    row[block * width + column[label]] += 1.0
        return rows

    def score(self, totals: FloatArray) -> FloatArray:
        """Return the mean over the types that occur."""
        right, predicted, due = np.split(totals, 3, axis=-1)
        occurs = predicted + due > 0.0
        total = ratio(*fraction(self.part, right, predicted, due)).sum(axis=-1)
        number = occurs.sum(axis=-1)
        return np.asarray(np.where(number > 0, total / np.maximum(number, 1), np.nan))

    def undefined(self, totals: FloatArray) -> str | None:
        """Return a sentence naming the types whose part is 0/0."""
        right, predicted, due = np.split(totals, 3)
        occurs = predicted + due > 0.0
        if not occurs.any():
            return f"{self.name} is undefined: neither gold nor predictions have a span"
        empty = occurs & (fraction(self.part, right, predicted, due)[1] == 0.0)
        if not empty.any():
            return None
        types = marked(self.types, empty)
        return f"{self.part} of {types} is 0/0 (never {_WHY[self.part]}) and counts as 0 in {self.name}"


def _occurring(sides: Sequence[Any], name: str) -> set[str]:
    return set().union(*(_entities.types(items, name) for items in sides))


def _named(kind: type[Spans | MacroSpans], part: Part, name: str) -> BaseMetric:
    return kind(name, part, "strict" if name.endswith("_strict") else None)


def _by_scheme(kind: type[Spans | MacroSpans], part: Part, name: str, scheme: str) -> BaseMetric:
    return kind(name, part, checks.choice(scheme, tuple(_entities.SCHEMES), f"the scheme in {name}"))


def _single_type(part: Part, name: str, label: str) -> BaseMetric:
    return Spans(name, part, label=label)


_PARTS: dict[Part, str] = {"f1": "F1", "precision": "precision", "recall": "recall"}
_STRICT = "; tags by the letter of their scheme"

NAMES: Names = {
    **{
        f"span_{part}{end}": (f"{said} of spans, all types together{told}", partial(_named, Spans, part))
        for part, said in _PARTS.items()
        for end, told in (("", ""), ("_strict", _STRICT))
    },
    **{
        f"span_{part}_macro{end}": (
            f"{said} of spans, every type counting the same{told}",
            partial(_named, MacroSpans, part),
        )
        for part, said in _PARTS.items()
        for end, told in (("", ""), ("_strict", _STRICT))
    },
}

WITH_LABEL: Patterns = {
    f"span_{part}": (f"{said} of the spans of one type", partial(_single_type, part))
    for part, said in _PARTS.items()
}
"""The same for names with a type in brackets: from the whole name and the type to the metric."""

PATTERNS: Patterns = {
    **{
        f"span_{part}": (
            f"{said} of spans; tags by the letter of a scheme: IOB2, IOBES, BILOU, …",
            partial(_by_scheme, Spans, part),
        )
        for part, said in _PARTS.items()
    },
    **{
        f"span_{part}_macro": (
            f"{said} of spans, every type counting the same; tags by the letter of a scheme",
            partial(_by_scheme, MacroSpans, part),
        )
        for part, said in _PARTS.items()
    },
}
"""The same for names with a scheme behind "@": from the whole name and the scheme to the metric."""

PART_EXAMPLE = "IOB2"
