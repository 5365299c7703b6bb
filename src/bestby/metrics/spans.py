"""Metrics of tags and spans (named entities, chunks, slots), with sentences as items.

A sentence is a list with one tag per token, or a list of spans. Tokens of a sentence depend on each other, so
that they are no items.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, Self, TypeAlias

import numpy as np

from bestby._core import checks
from bestby._core.errors import InvalidInputError, MissingExtraError
from bestby._core.text import quoted
from bestby._core.typing import Array, FloatArray
from bestby.metrics._items import marked, named_label, required_gold
from bestby.metrics.base import BaseMetric, Metric, Names, Patterns
from bestby.metrics.classification import Part, fraction, ratio


@dataclass(frozen=True, repr=False)
class TagAccuracy(Metric):
    """The proportion of tokens with the right tag; sentences are what is resampled.

    An item is a sentence: a list with one tag per token. Undefined (NaN) if there are no tokens.
    """

    name: str = "tag_accuracy"
    bounds = (0.0, 1.0)
    reads = "objects"

    def statistics(self, gold: Any, predictions: Any) -> FloatArray:
        """Return the number of right tags and of tokens, per item, shape (n, 2)."""
        rows = np.zeros((len(predictions), 2))
        pairs = paired_items(gold, predictions, self.name)
        for row, (where, ours, theirs) in zip(rows, pairs, strict=True):
            if not all(isinstance(tag, str) for tag in (*ours, *theirs)):
                raise InvalidInputError(
                    f"{where} must be a list of tags, one text per token", hint="for spans there is span_f1"
                )
            row[:] = sum(a == b for a, b in zip(ours, theirs, strict=True)), len(ours)
        return rows

    def score(self, totals: FloatArray) -> FloatArray:
        """Return the ratio."""
        right, tokens = np.moveaxis(totals, -1, 0)
        return np.asarray(np.where(tokens > 0.0, right / np.where(tokens > 0.0, tokens, 1.0), np.nan))


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
            return dataclasses.replace(self, scheme=detected_scheme(sentences))
        checks.choice(self.scheme, tuple(SCHEMES), f"the scheme of {self.name}")
        return self

    def _pairs(self, gold: Any, predictions: Any) -> list[tuple[set[Span], set[Span]]]:
        if self.scheme == "strict":
            raise InvalidInputError(
                f"{self.name} must know the scheme of the tags before it can count",
                hint="call fit(gold, systems, None) first, or name the scheme",
            )
        return [
            (
                spans_in(ours, self.scheme, f"{where} of the gold"),
                spans_in(theirs, self.scheme, f"{where} of the predictions"),
            )
            for where, ours, theirs in paired_items(gold, predictions, self.name)
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
        # A type that neither gold nor predictions of the resample have is 0/0 and left out, as in seqeval;
        # one that only one of them has counts as 0.
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
    return set().union(*(span_types(items, name) for items in sides))


# -- items ------------------------------------------------------------------------------------------

Span: TypeAlias = tuple[str, int, int]
"""Type, first and last position."""

SCHEMES = {"IOB1": "BI", "IOB2": "BI", "IOE1": "IE", "IOE2": "IE", "IOBES": "BIES", "BILOU": "BILU"}
"""The schemes of tags that seqeval knows, and the letters before the types."""

_LENIENT = "BIES"

_COUNTED = "items are counted from 0"


def paired_items(
    gold: Iterable[Any], predictions: Iterable[Any], metric: str
) -> Iterator[tuple[str, Any, Any]]:
    """Yield gold and prediction of every item that suit each other, and a word for where it is."""
    for place, (ours, theirs) in enumerate(zip(gold, predictions, strict=True)):
        where = f"{metric}, item {place}"
        kinds = (_kind(ours, f"{where} of the gold"), _kind(theirs, f"{where} of the predictions"))
        if "tags" in kinds and len(ours) != len(theirs):
            raise InvalidInputError(
                f"{where}: gold and predictions must have one tag per token; they have {len(ours)} and"
                f" {len(theirs)}",
                hint=f"tag the tokens of the gold; {_COUNTED}",
            )
        if set(kinds) == {"tags", "spans"}:
            raise InvalidInputError(
                f"{where}: gold and predictions must both be tags or both be spans, got {kinds[0]} and"
                f" {kinds[1]}",
                hint=f"give both as (start, end, type), or both as one tag per token; {_COUNTED}",
            )
        yield where, ours, theirs


def _kind(item: Any, where: str) -> Literal["tags", "spans", "nothing"]:
    if isinstance(item, (list, tuple)):
        if not item:
            return "nothing"
        if all(isinstance(part, str) for part in item):
            return "tags"
        if all(isinstance(part, (list, tuple)) for part in item):
            return "spans"
    raise InvalidInputError(
        f"{where} must be a list of tags, or a list of spans (start, end, type), got {quoted(item, 60)}",
        hint=f'for one tag per item there is metric="accuracy"; {_COUNTED}'
        if isinstance(item, str)
        else _COUNTED,
    )


def spans_in(item: Any, scheme: str | None, where: str) -> set[Span]:
    """Return the spans of one item, by seqeval.

    `scheme` says how tags are read: None takes whatever looks like a span, as conlleval does; the name of a
    scheme only what follows it exactly.
    """
    kind = _kind(item, where)
    if kind == "nothing":
        return set()
    if kind == "spans":
        return {_checked_span(span, where) for span in item}
    return _tagged_spans(item, scheme, where)


def _checked_span(span: Any, where: str) -> Span:
    if len(span) == 3 and _is_place(span[0]) and _is_place(span[1]) and isinstance(span[2], str):
        return span[2], int(span[0]), int(span[1])
    raise InvalidInputError(
        f"{where}: a span must be (start, end, type), two whole numbers and a text, got {quoted(span, 60)}",
        hint=_COUNTED,
    )


def _is_place(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _tagged_spans(tags: Sequence[str], scheme: str | None, where: str) -> set[Span]:
    if scheme is None:
        return set(_seqeval("metrics").get_entities(_checked(tags, _LENIENT, where)))
    seqeval = _seqeval("scheme")
    [entities] = seqeval.Entities([_checked(tags, SCHEMES[scheme], where)], getattr(seqeval, scheme)).entities
    # By a scheme seqeval gives the place after the last, leniently the last.
    return {(entity.tag, entity.start, entity.end - 1) for entity in entities}


def _checked(tags: Sequence[str], letters: str, where: str) -> list[str]:
    for place, tag in enumerate(tags):
        if not re.fullmatch(f"O|[{letters}](-.+)?", tag):
            raise InvalidInputError(
                f"{where}: tag {place} must be O, or one of {', '.join(letters)} before a type, as in"
                f" {letters[0]}-PER, got {tag!r}",
                hint=f"name the scheme of other tags, as in span_f1@BILOU; {_COUNTED}",
            )
    return list(tags)


def span_types(items: Iterable[Any], where: str) -> set[str]:
    """Return the types that occur in tags or spans."""
    occurring: set[str] = set()
    for place, item in enumerate(items):
        kind = _kind(item, f"{where}, item {place}")
        if kind == "spans":
            occurring.update(_checked_span(span, f"{where}, item {place}")[0] for span in item)
        elif kind == "tags":
            occurring.update(tag[2:] or "_" for tag in item if tag != "O")
    return occurring


def detected_scheme(gold: Iterable[Any]) -> str | None:
    """Return the scheme that the tags of the gold have, by seqeval; None if there are no tags."""
    tagged = []
    for place, item in enumerate(gold):
        where = f"item {place} of the gold"
        if _kind(item, where) == "tags":
            tagged.append(_checked(item, "BIELSU", where))
    if not tagged:
        return None
    try:
        return str(_seqeval("scheme").auto_detect(tagged).__name__)
    except ValueError:
        letters = sorted({tag[0] for tags in tagged for tag in tags})
        raise InvalidInputError(
            f"the tags of the gold must follow one of the schemes {', '.join(SCHEMES)}; none of them has the"
            f" letters {', '.join(letters)}",
            hint="use span_f1, which reads tags leniently",
        ) from None


def _seqeval(module: Literal["scheme", "metrics"]) -> Any:
    try:
        if module == "scheme":
            import seqeval.scheme as library
        else:
            import seqeval.metrics.sequence_labeling as library
    except ImportError:
        raise MissingExtraError("seqeval", "spans") from None
    return library


# -- names ------------------------------------------------------------------------------------------


def _named(kind: type[Spans | MacroSpans], part: Part, name: str) -> BaseMetric:
    return kind(name, part, "strict" if name.endswith("_strict") else None)


def _by_scheme(kind: type[Spans | MacroSpans], part: Part, name: str, scheme: str) -> BaseMetric:
    return kind(name, part, checks.choice(scheme, tuple(SCHEMES), f"the scheme in {name}"))


def _single_type(part: Part, name: str, label: str) -> BaseMetric:
    return Spans(name, part, label=label)


_PARTS: dict[Part, str] = {"f1": "F1", "precision": "precision", "recall": "recall"}

_STRICT = "; tags by the letter of their scheme"

NAMES: Names = {
    "tag_accuracy": ("proportion of tokens with the right tag, sentences as items", TagAccuracy),
    **{
        f"span_{part}{end}": (f"{said} of spans, all types together{ending}", partial(_named, Spans, part))
        for part, said in _PARTS.items()
        for end, ending in (("", ""), ("_strict", _STRICT))
    },
    **{
        f"span_{part}_macro{end}": (
            f"{said} of spans, every type counting the same{ending}",
            partial(_named, MacroSpans, part),
        )
        for part, said in _PARTS.items()
        for end, ending in (("", ""), ("_strict", _STRICT))
    },
}

WITH_LABEL: Patterns = {
    f"span_{part}": (f"{said} of the spans of one type", partial(_single_type, part))
    for part, said in _PARTS.items()
}
"""Metrics of the spans of one type, which stands in brackets."""

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
"""Metrics of tags by a scheme, which stands behind the "@"."""

PART_EXAMPLE = "IOB2"
