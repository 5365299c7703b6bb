"""Tags in columns: a token per line, its tag in the last column, blank lines between sentences."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby.data.roles import listed
from bestby.readers.files import lines_of
from bestby.readers.formats.base import Items, of_items
from bestby.readers.text import as_number, first_lines

_TAG = re.compile(r"O|[BIESLUM]-\S+")
_BARE = re.compile(r"[BIESLUO]")
_SUFFIXED = re.compile(r"(\S+)-([BIESLUM])")
_DOCUMENT = "-DOCSTART-"
_COMMENT = re.compile(r"#\s+(id|sent_id|newdoc|text|\S+\s*=)")


@dataclass(frozen=True)
class _Sentence:
    """One sentence: where it begins, its document, and the columns of each token."""

    where: str
    document: int
    rows: tuple[tuple[str, ...], ...]

    @property
    def tokens(self) -> tuple[str, ...]:
        return tuple(row[0] for row in self.rows)

    def column(self, place: int) -> tuple[str, ...]:
        return tuple(row[place] for row in self.rows)


def recognises(path: Path, head: bytes) -> bool:  # noqa: ARG001
    """Tell whether the last column of every line is a tag such as O, B-PER or E-LOC, and some is not O.

    Where a system predicts O everywhere, the gold in the column before tells.
    """
    rows = _rows(head)
    if any(len(row) < 2 for row in rows) or not all(_TAG.fullmatch(row[-1]) for row in rows):
        return False
    gold = [row[-2] for row in rows if len(row) > 2]
    return any(row[-1] != "O" for row in rows) or (all(map(_TAG.fullmatch, gold)) and {*gold} > {"O"})


def holds_tags(head: bytes, *, among_tags: bool) -> bool:
    """Tell whether a file that `recognises` leaves open holds tags: O everywhere, B and I, parts of speech.

    Beside files of tags (`among_tags`) lines of several columns are enough; otherwise blank lines must part
    sentences, and the last column hold few texts, none of them a number.
    """
    rows = _rows(head)
    if len({len(row) for row in rows}) != 1 or len(rows[0]) < 2:
        return False
    tags = Counter(row[-1] for row in rows)
    return among_tags or (
        any(not line.strip() for line in first_lines(head))
        and 2 * len(tags) <= len(rows)
        and tags[rows[0][-1]] > 1  # the name of a column is there once
        and all(as_number(tag) is None for tag in tags)
    )


def _rows(head: bytes) -> list[list[str]]:
    """Return the cells of the tokens at the start of a file."""
    rows = [_cells(line) for line in first_lines(head) if line.strip() and not _COMMENT.match(line)]
    return [row for row in rows if row[0] != _DOCUMENT]


@of_items
def read(paths: Mapping[str, Path], *, gold: Path | None = None) -> Items:
    """Read the tags that several systems gave to the tokens of the same sentences.

    The first column is the token and the last column of a system's file its tag. The gold is the last column
    of its own file or, without such a file, the last column but one of every system's file, as conlleval
    expects (Tjong Kim Sang & De Meulder 2003). `clusters` may be "document": documents begin with
    ``-DOCSTART-``. Tags such as PER-B are read as B-PER, and B and I by themselves as spans of one type. If
    no tag begins or continues a span, the items are the tokens, in clusters by sentence.
    """
    least = 2 if gold is not None else 3
    files = {path: _sentences(path, least) for path in paths.values()}
    first = next(iter(paths.values())) if gold is None else gold
    whole = files[first] if gold is None else _sentences(gold, 2)
    due = [sentence.column(-2 if gold is None else -1) for sentence in whole]
    for path, sentences in files.items():
        _check_same(whole, sentences, first, path, gold_beside=gold is None)
    systems = {name: [sentence.column(-1) for sentence in files[path]] for name, path in paths.items()}
    documents = [f"document {sentence.document}" for sentence in whole]
    groups = {"document": documents} if len(set(documents)) > 1 else {}
    where = "the column before the last" if gold is None else str(gold)
    description = f"tags in columns, {len(whole)} sentences: {listed(list(paths))}; gold: {where}"
    distinct = {tag for tags in (due, *systems.values()) for sentence in tags for tag in sentence} - {"O"}
    if not any(map(_TAG.fullmatch, distinct)):
        if distinct and all(map(_SUFFIXED.fullmatch, distinct)):
            description += "; tags such as PER-B read as B-PER"
            due, *others = (
                [tuple(_SUFFIXED.sub(r"\2-\1", tag) for tag in sentence) for sentence in tags]
                for tags in (due, *systems.values())
            )
            systems = dict(zip(systems, others, strict=True))
        elif not ("B" in distinct and all(map(_BARE.fullmatch, distinct))):
            return _tokens(systems, due, groups, description)
    return Items(description, systems, due, groups, "span_f1")


def _tokens(
    systems: Mapping[str, list[tuple[str, ...]]],
    due: list[tuple[str, ...]],
    groups: Mapping[str, list[str]],
    description: str,
) -> Items:
    """Return the tags of tokens as labels, which depend on each other within a sentence."""
    sizes = [len(sentence) for sentence in due]
    by_sentence = {"sentence": [f"sentence {place}" for place in range(1, len(due) + 1)], **groups}
    return Items(
        f"{description}; columns of tags, but no B-/I- tags: a token is an item (accuracy)",
        {name: [*chain.from_iterable(sentences)] for name, sentences in systems.items()},
        [*chain.from_iterable(due)],
        {name: np.repeat(np.array(group), sizes).tolist() for name, group in by_sentence.items()},
        "accuracy",
        objects=False,
        cluster="sentence" if len(due) > 1 else None,
    )


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.rstrip().split("\t")] if "\t" in line else line.split()


def _sentences(path: Path, least: int) -> list[_Sentence]:
    """Return the sentences of a file, whose lines must have at least so many columns."""
    sentences: list[_Sentence] = []
    rows: list[tuple[str, ...]] = []
    document = begun = width = 0
    for number, line in enumerate([*lines_of(path), ""], start=1):
        cells = _cells(line)
        if not line.strip() or cells[0] == _DOCUMENT:
            if rows:
                sentences.append(_Sentence(f"{path}, line {begun}", document, tuple(rows)))
                rows = []
            document += bool(line.strip())
            continue
        if _COMMENT.match(line) and len(cells) != width:
            continue
        width = width or len(cells)
        if len(cells) < least or len(cells) != width or not all(cells):
            expected = f"{width}, as in the lines before" if width >= least else f"at least {least}"
            raise InvalidInputError(
                f"{path}, line {number}: got {len(cells)} columns, expected {expected}",
                hint="a line is TOKEN … TAG, or TOKEN … GOLD TAG without a gold file, with the same number"
                " of columns in all lines",
            )
        begun = number if not rows else begun
        rows.append(tuple(cells))
    if not sentences:
        raise InvalidInputError(f"{path} holds no token", hint="every line needs a token and its tags")
    return sentences


def _check_same(
    whole: Sequence[_Sentence], sentences: Sequence[_Sentence], first: Path, path: Path, *, gold_beside: bool
) -> None:
    """Refuse a file with other tokens or sentences, or another gold beside the tags."""
    for ours, theirs in zip(whole, sentences, strict=False):
        if ours.tokens != theirs.tokens:
            pairs = zip(ours.tokens, theirs.tokens, strict=False)
            lengths = f"{len(ours.tokens)} and {len(theirs.tokens)} tokens"
            difference = next((f"{a!r} and {b!r}" for a, b in pairs if a != b), lengths)
            raise InvalidInputError(
                f"the sentences that begin at {ours.where} and {theirs.where} differ: {difference}",
                hint="all systems must tag the tokens of the gold, in the same sentences",
            )
        if gold_beside and ours.column(-2) != theirs.column(-2):
            raise InvalidInputError(
                f"the gold tags, in the column before the last, differ in the sentences that begin at"
                f" {ours.where} and {theirs.where}",
                hint="give the gold in a file of its own: gold=...",
            )
    if len(whole) != len(sentences):
        raise InvalidInputError(
            f"{path} has {len(sentences)} sentences, {first} has {len(whole)}",
            hint="all systems must tag the same sentences; the file may be cut off",
        )
