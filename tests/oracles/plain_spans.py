"""Attachment, spans and sets of labels in plain loops; no package code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Row = tuple[str, int, str]  # form, head counted from 1 (0: root), relation


def placed(text: Sequence[Sequence[Row]]) -> dict[tuple[int, int], tuple[Any, str]]:
    """Return for the characters of each word those of its head (None: root) and its relation."""
    out: dict[tuple[int, int], tuple[Any, str]] = {}
    at = 0
    for sentence in text:
        spans = []
        for form, _, _ in sentence:
            spans.append((at, at + len(form)))
            at += len(form)
        for span, (_, head, relation) in zip(spans, sentence, strict=True):
            out[span] = (spans[head - 1] if head else None, relation)
    return out


def attachment(gold: Sequence[Sequence[Row]], system: Sequence[Sequence[Row]], labelled: bool) -> float:
    """F1 of words with the right head (and relation), without multi-word tokens."""
    ours, theirs = placed(gold), placed(system)
    right = 0
    for span, (head, relation) in ours.items():
        if span in theirs and theirs[span][0] == head and (not labelled or theirs[span][1] == relation):
            right += 1
    return 2 * right / (len(ours) + len(theirs))


def bio(tags: Sequence[str]) -> set[tuple[str, int, int]]:
    """Return the spans of well-formed BIO tags."""
    out, start = set(), None
    for place, tag in enumerate([*tags, "O"]):
        if start is not None and not tag.startswith("I-"):
            out.add((tags[start][2:], start, place - 1))
            start = None
        if tag.startswith("B-"):
            start = place
    return out


def span_f1(gold: Sequence[set[Any]], predictions: Sequence[set[Any]]) -> float:
    right = predicted = due = 0
    for ours, theirs in zip(gold, predictions, strict=True):
        for span in theirs:
            right += span in ours
        predicted += len(theirs)
        due += len(ours)
    return 2 * right / (predicted + due) if predicted + due else 0.0


def span_f1_macro(gold: Sequence[set[Any]], predictions: Sequence[set[Any]]) -> float:
    types = {span[0] for side in (gold, predictions) for spans in side for span in spans}
    scores = []
    for one in types:
        kept = [
            [{span for span in spans if span[0] == one} for spans in side] for side in (gold, predictions)
        ]
        scores.append(span_f1(*kept))
    return sum(scores) / len(scores)
