"""Parsed sentences from CoNLL-U."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from bestby._core.errors import InvalidInputError, MissingExtraError
from bestby.metrics._trees import Sentence, Word

_COLUMNS = 10
_FORMAT = "the format is described at https://universaldependencies.org/format.html"


def sentences(text: str, source: str = "CoNLL-U") -> list[Sentence]:
    """Read parsed sentences from a text in CoNLL-U, with the library conllu.

    Of the ten columns, form, part of speech, head and relation are used. Comments and empty nodes (``8.1``)
    are left out.
    """
    out = []
    for first, lines in _paragraphs(text):
        where = [f"{source}, line {first + place}" for place in range(len(lines))]
        numbered = [
            (at, _row(line, at)) for at, line in zip(where, lines, strict=True) if not line.startswith("#")
        ]
        if numbered:  # else nothing but comments
            out.append(_sentence(numbered))
    return out


def _paragraphs(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines between empty lines, and the number of the first of them."""
    lines: list[str] = []
    for number, line in enumerate([*text.split("\n"), ""], start=1):
        if line.strip():
            lines.append(line)
        elif lines:
            yield number - len(lines), lines
            lines = []


def _row(line: str, where: str) -> dict[str, Any]:
    try:
        import conllu
    except ImportError:
        raise MissingExtraError("conllu", "parsing") from None
    n_columns = line.count("\t") + 1
    if n_columns != _COLUMNS:
        raise InvalidInputError(
            f"{where}: a line of CoNLL-U must have {_COLUMNS} columns between tabs, got {n_columns}", _FORMAT
        )
    try:
        # conllu takes two spaces for a tab; white space inside a form does not matter here.
        [[row]] = conllu.parse(re.sub(" {2,}", " ", line))
    except (conllu.exceptions.ParseException, ValueError) as error:
        raise InvalidInputError(f"{where}: not CoNLL-U: {error}", _FORMAT) from None
    return dict(row)


def _sentence(rows: Sequence[tuple[str, dict[str, Any]]]) -> Sentence:
    """Make a sentence of the rows of a paragraph, each with the words for where it stands."""
    words: list[Word] = []
    places: list[str] = []
    characters = ""
    last = 0  # the last word of the multi-word token that is open, 0 if none is
    span = (0, 0)
    n_words = sum(isinstance(row["id"], int) for _, row in rows)
    for where, row in rows:
        number, form = row["id"], "".join(str(row["form"]).split())
        if isinstance(number, tuple) and number[1] == ".":
            continue
        if not form:
            raise InvalidInputError(f"{where}: the word has no form", _FORMAT)
        opens = isinstance(number, tuple)
        expected = len(words) + 1
        if (number[0] if opens else number) != expected or (opens and (last or number[2] > n_words)):
            raise _out_of_order(where, number, expected)
        if opens or not last:
            span = (len(characters), len(characters) + len(form))
            characters += form
        if opens:
            last = number[2]
            continue
        words.append(_word(row, form, span, bool(last), n_words, where))
        places.append(where)
        last = 0 if number == last else last
    _check_tree(words, places)
    return Sentence(characters, tuple(words))


def _word(
    row: dict[str, Any], form: str, span: tuple[int, int], multiword: bool, n_words: int, where: str
) -> Word:
    head = row["head"]
    if head is None or not 0 <= head <= n_words:
        shown = "_" if head is None else head
        raise InvalidInputError(
            f"{where}: the head must be 0 or one of the {n_words} words of the sentence, got {shown}", _FORMAT
        )
    return Word(form, *span, multiword, head, row["deprel"], row["upos"])


def _out_of_order(where: str, number: Any, expected: int) -> InvalidInputError:
    shown = "".join(map(str, number)) if isinstance(number, tuple) else number
    return InvalidInputError(
        f"{where}: words must be numbered 1, 2, 3, ... in each sentence, and a multi-word token must come"
        f" before its words; got {shown}, expected {expected}",
        "put an empty line between sentences",
    )


def _check_tree(words: Sequence[Word], places: Sequence[str]) -> None:
    """Refuse what is not a tree with one root."""
    roots = [place for place, word in zip(places, words, strict=True) if word.head == 0]
    hint = "the shared task counts such a file as 0: let the parser make trees"
    if len(roots) > 1:
        raise InvalidInputError(f"{roots[1]}: a sentence must have one root, got {len(roots)}", hint)
    rooted = {0}
    for start in range(1, len(words) + 1):
        path: dict[int, None] = {}
        at = start
        while at not in rooted:
            if at in path:
                raise InvalidInputError(
                    f"{places[at - 1]}: the heads must form a tree, but word {at} is above itself", hint
                )
            path[at] = None
            at = words[at - 1].head
        rooted.update(path)
