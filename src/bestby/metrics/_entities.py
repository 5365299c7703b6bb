"""Spans of a sentence, from the tags of its tokens or as they are given."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, TypeAlias

from bestby._core.errors import InvalidInputError, MissingExtraError
from bestby._core.text import quoted

Span: TypeAlias = tuple[str, int, int]
"""Type, first and last position."""

SCHEMES = {"IOB1": "BI", "IOB2": "BI", "IOE1": "IE", "IOE2": "IE", "IOBES": "BIES", "BILOU": "BILU"}
"""The schemes of tags that seqeval knows, and the letters before the types."""

_LENIENT = "BIES"
_COUNTED = "items are counted from 0"


def spans(item: Any, scheme: str | None, where: str) -> set[Span]:
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


def paired(gold: Iterable[Any], predictions: Iterable[Any], metric: str) -> Iterator[tuple[str, Any, Any]]:
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


def types(items: Iterable[Any], where: str) -> set[str]:
    """Return the types that occur in tags or spans."""
    occurring: set[str] = set()
    for place, item in enumerate(items):
        kind = _kind(item, f"{where}, item {place}")
        if kind == "spans":
            occurring.update(_checked_span(span, f"{where}, item {place}")[0] for span in item)
        elif kind == "tags":
            occurring.update(tag[2:] or "_" for tag in item if tag != "O")
    return occurring


def detected(gold: Iterable[Any]) -> str | None:
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


def _checked_span(span: Any, where: str) -> Span:
    if len(span) == 3 and _is_place(span[0]) and _is_place(span[1]) and isinstance(span[2], str):
        return span[2], int(span[0]), int(span[1])
    raise InvalidInputError(
        f"{where}: a span must be (start, end, type), two whole numbers and a text, got {quoted(span, 60)}",
        hint=_COUNTED,
    )


def _is_place(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
