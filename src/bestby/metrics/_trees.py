"""Parsed sentences, cut into blocks that several parses of a text share, and their words aligned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from bestby._core.errors import InvalidInputError


class Word(NamedTuple):
    """A word of a sentence, as written, or as spelt out if part of a multi-word token (*zu* in *zum*).

    `start` and `end` are the characters of the sentence, white space not counted, that it covers; the words
    of a multi-word token all cover the whole token. `head` is the position of its head, counted from 1, 0 for
    the root, and `deprel` the relation to it, with or without a subtype.
    """

    form: str
    start: int
    end: int
    multiword: bool
    head: int
    deprel: str
    upos: str


@dataclass(frozen=True)
class Sentence:
    """A sentence with its dependency tree."""

    characters: str
    words: tuple[Word, ...]


@dataclass(frozen=True)
class Block:
    """The item of the metrics of parsing: one or more sentences."""

    sentences: tuple[Sentence, ...]

    @property
    def characters(self) -> str:
        """The text without white space."""
        return "".join(sentence.characters for sentence in self.sentences)

    def spans(self) -> set[tuple[int, int]]:
        """Return the first and the last character of each sentence."""
        ends = list(accumulate(len(sentence.characters) for sentence in self.sentences))
        return set(zip([0, *ends], ends, strict=False))

    def words(self) -> list[Word]:
        """Return the words of all sentences; spans and heads count from the start of the block."""
        words: list[Word] = []
        offset = 0
        for sentence in self.sentences:
            before = len(words)
            for word in sentence.words:
                head = word.head + before if word.head else 0
                words.append(word._replace(start=word.start + offset, end=word.end + offset, head=head))
            offset += len(sentence.characters)
        return words


def blocks(
    gold: Sequence[Sentence], *systems: Sequence[Sentence], names: Sequence[str] | None = None
) -> tuple[tuple[Block, ...], ...]:
    """Cut a text where the gold and all systems end a sentence.

    `names` is what to call the systems in messages; by default they are counted from 1.
    """
    for place, sentences in enumerate((gold, *systems)):
        _check_not_empty(sentences, "gold" if place == 0 else _called(place - 1, names))
    texts = ["".join(sentence.characters for sentence in sentences) for sentences in (gold, *systems)]
    for place, text in enumerate(texts[1:]):
        if text != texts[0]:
            raise _different(gold, texts[0], _called(place, names), text)
    ends = [_ends(sentences) for sentences in (gold, *systems)]
    shared = frozenset(ends[0]).intersection(*ends[1:])
    return tuple(
        tuple(_cut(sentences, places, shared))
        for sentences, places in zip((gold, *systems), ends, strict=True)
    )


def align(gold: Sequence[Word], system: Sequence[Word]) -> list[tuple[int, int]]:
    """Align the words of two segmentations of the same characters.

    Words match if they cover the same characters. The words of a multi-word token, and those of the other
    side that the token overlaps, are aligned as a longest common subsequence of their forms, upper and lower
    case being the same (https://universaldependencies.org/conll18/evaluation.html).
    """
    pairs: list[tuple[int, int]] = []
    g = s = 0
    while g < len(gold) and s < len(system):
        ours, theirs = gold[g], system[s]
        if ours.multiword or theirs.multiword:
            stretch = _stretch(gold, system, g, s)
            pairs += _common_subsequence(gold, system, *stretch)
            g, s = stretch[0].stop, stretch[1].stop
        elif (ours.start, ours.end) == (theirs.start, theirs.end):
            pairs.append((g, s))
            g, s = g + 1, s + 1
        elif ours.start <= theirs.start:
            g += 1
        else:
            s += 1
    return pairs


def _called(place: int, names: Sequence[str] | None) -> str:
    return f"system {place + 1}" if names is None else f"system {names[place]!r}"


def _check_not_empty(sentences: Sequence[Sentence], name: str) -> None:
    for place, sentence in enumerate(sentences):
        if not sentence.characters:
            raise InvalidInputError(
                f"a sentence must have characters, but sentence {place + 1} of the {name} has none",
                hint="leave empty sentences out",
            )


def _ends(sentences: Sequence[Sentence]) -> list[int]:
    return list(accumulate(len(sentence.characters) for sentence in sentences))


def _cut(sentences: Sequence[Sentence], ends: Sequence[int], shared: frozenset[int]) -> Iterator[Block]:
    start = 0
    for place, end in enumerate(ends, start=1):
        if end in shared:
            yield Block(tuple(sentences[start:place]))
            start = place


def _different(gold: Sequence[Sentence], expected: str, name: str, text: str) -> InvalidInputError:
    unequal = (place for place, (a, b) in enumerate(zip(expected, text, strict=False)) if a != b)
    at = next(unequal, min(len(expected), len(text)))
    sentence = sum(end <= at for end in _ends(gold))
    where = f"in gold sentence {sentence + 1}" if sentence < len(gold) else "after the last gold sentence"
    return InvalidInputError(
        f"gold and {name} must have the same characters apart from white space; they differ {where}, at"
        f" character {at + 1}: {expected[max(0, at - 10) : at + 10]!r} in the gold,"
        f" {text[max(0, at - 10) : at + 10]!r} in {name}",
        hint="parse the same text that the gold annotates; keep case, quotes and dashes as they are",
    )


def _stretch(gold: Sequence[Word], system: Sequence[Word], g: int, s: int) -> tuple[range, range]:
    """Return the words of gold and system around the multi-word token that `g` or `s` is the first word of.

    Words are taken in the order of their first characters as long as there is one, in gold or system, that
    lies within the tokens met. So a word that sticks out is taken too if the other side has one to follow.
    """
    if gold[g].multiword:
        end = gold[g].end
        s += not system[s].multiword and system[s].start < gold[g].start
    else:
        end = system[s].end
        g += gold[g].start < system[s].start
    first_g, first_s = g, s
    while _within(gold, g, end) or _within(system, s, end):
        if s == len(system) or (g < len(gold) and gold[g].start <= system[s].start):
            word, g = gold[g], g + 1
        else:
            word, s = system[s], s + 1
        if word.multiword:
            end = max(end, word.end)
    return range(first_g, g), range(first_s, s)


def _within(words: Sequence[Word], place: int, end: int) -> bool:
    """Return whether a word ends by `end`, or its multi-word token starts before."""
    if place == len(words):
        return False
    return words[place].start < end if words[place].multiword else words[place].end <= end


def _common_subsequence(
    gold: Sequence[Word], system: Sequence[Word], in_gold: range, in_system: range
) -> list[tuple[int, int]]:
    """Return a longest common subsequence of forms in lower case; of several, the earliest match first."""
    a = [gold[g].form.lower() for g in in_gold]
    b = [system[s].form.lower() for s in in_system]
    longest = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]  # of the rests a[i:] and b[j:]
    for i in reversed(range(len(a))):
        for j in reversed(range(len(b))):
            matched = longest[i + 1][j + 1] + (a[i] == b[j])
            longest[i][j] = max(matched, longest[i + 1][j], longest[i][j + 1])
    pairs: list[tuple[int, int]] = []
    i = j = 0
    while i < len(a) and j < len(b):
        if a[i] == b[j]:
            pairs.append((in_gold[i], in_system[j]))
            i, j = i + 1, j + 1
        elif longest[i][j] == longest[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs
