"""Metrics of dependency parsing from raw text: F1 of words that gold and system may have cut differently.

Words are aligned by the characters they cover. An item is a `Block`, the sentences between two places where
the gold and all systems end a sentence: nothing crosses such a place, so the counts of the blocks add up.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from bestby._core.errors import InvalidInputError, MissingExtraError
from bestby._core.text import quoted
from bestby._core.typing import FloatArray
from bestby.metrics.base import BaseMetric, MeanMetric, Metric, Names
from bestby.metrics.classification import fraction, ratio

__all__ = [
    "CONTENT",
    "NAMES",
    "Aligned",
    "Block",
    "Sentence",
    "SentenceMean",
    "Word",
    "align",
    "blocks",
    "sentences",
]


# -- metrics ----------------------------------------------------------------------------------------

Part: TypeAlias = Literal["uas", "las", "clas", "upos", "words", "sentences"]

_CONTENT = """
nsubj obj iobj csubj ccomp xcomp obl vocative expl dislocated advcl advmod discourse nmod appos nummod
acl amod conj fixed flat compound list parataxis orphan goeswith reparandum root dep
"""

CONTENT = frozenset(_CONTENT.split())
"""The relations of content words; function words and punctuation have the others."""


@dataclass(frozen=True, repr=False)
class Aligned(Metric):
    """F1 of what gold and system have in common, as the CoNLL 2018 shared task counts it.

    An item is a `Block`. On each block the counts are those of the task's script (Zeman et al. 2018, CoNLL
    2018 shared task, 1-21). On a whole text they can differ from its counts by a few words if words before
    multi-word tokens are cut in many ways: the script may then align words across the end of a block. 0/0
    counts as 0.

    `part` says what must agree for a word to be right. "words": the word is in both. "uas": it has the same
    head besides. "las": the same head and relation, subtypes ignored. "clas": the same, counting only words
    whose relation is one of content words (Nivre & Fang 2017, Universal Dependencies workshop, 86-95).
    "upos": the same part of speech. "sentences": sentences with the same first and last character.
    """

    name: str
    part: Part
    bounds = (0.0, 1.0)
    reads = "objects"

    def statistics(self, gold: Any, predictions: Any) -> FloatArray:
        """Return what the gold has, what the system has, and what is right, per block, shape (n, 3)."""
        rows = np.zeros((len(predictions), 3))
        for place, (ours, theirs) in enumerate(zip(gold, predictions, strict=True)):
            _check_item(self.name, place, ours, theirs)
            rows[place] = _counts(self.part, ours, theirs)
        return rows

    def score(self, totals: FloatArray) -> FloatArray:
        """Return F1, 0 if there is nothing to count."""
        due, predicted, right = np.moveaxis(totals, -1, 0)
        return ratio(*fraction("f1", right, predicted, due))

    def undefined(self, totals: FloatArray) -> str | None:
        """Return a sentence if neither gold nor system has anything to count."""
        if totals[0] + totals[1] > 0.0:
            return None
        what = {"clas": "content words", "sentences": "sentences"}.get(self.part, "words")
        return f"{self.name} is 0/0 (there are no {what}) and counts as 0"


@dataclass(frozen=True, repr=False)
class SentenceMean(MeanMetric):
    """The mean of an F1 of `Aligned` over the blocks, each scored by itself.

    Where the gold and all systems end the same sentences, a block is a sentence. This is not the score of the
    whole text: a short sentence counts as much as a long one. As a mean of one number per item it is what
    Student's t, Wilcoxon's and the sign test need. A block without words counts as 0.

    `part` is "uas" or "las", as in `Aligned`.
    """

    name: str
    part: Literal["uas", "las"]
    bounds = (0.0, 1.0)
    reads = "objects"

    def values(self, gold: Any, predictions: Any) -> FloatArray:
        """Return the F1 of each block, shape (n,)."""
        whole = Aligned(self.name, self.part)
        return whole.score(whole.statistics(gold, predictions))


def _check_item(metric: str, place: int, gold: Any, prediction: Any) -> None:
    for what, item in (("gold", gold), ("predictions", prediction)):
        if not isinstance(item, Block):
            raise InvalidInputError(
                f"{metric} reads blocks of parsed sentences, but item {place} of the {what} is a"
                f" {type(item).__name__}",
                hint="make them with bestby.metrics.parsing.blocks; items are counted from 0",
            )
    if gold.characters != prediction.characters:
        raise InvalidInputError(
            f"{metric} compares parses of the same text, but the characters of item {place} differ:"
            f" {quoted(gold.characters, 30)} in the gold, {quoted(prediction.characters, 30)} in the"
            " predictions",
            hint="cut the whole texts with bestby.metrics.parsing.blocks, gold and all systems in one call",
        )


def _counts(part: Part, gold: Block, system: Block) -> tuple[int, int, int]:
    """Return what the gold has, what the system has, and what is right."""
    if part == "sentences":
        ours, theirs = gold.spans(), system.spans()
        return len(ours), len(theirs), len(ours & theirs)
    words, guessed = gold.words(), system.words()
    pairs = align(words, guessed)
    if part == "words":
        return len(words), len(guessed), len(pairs)
    if part == "upos":
        return len(words), len(guessed), sum(words[g].upos == guessed[s].upos for g, s in pairs)
    # A head is right if it is aligned with the gold's head, or both are the root. Heads count from 1.
    in_gold = {s + 1: g + 1 for g, s in pairs} | {0: 0}
    attached = [(g, s) for g, s in pairs if in_gold.get(guessed[s].head) == words[g].head]
    if part == "uas":
        return len(words), len(guessed), len(attached)
    relations, guesses = ([word.deprel.partition(":")[0] for word in side] for side in (words, guessed))
    right = [relations[g] for g, s in attached if relations[g] == guesses[s]]
    if part == "las":
        return len(words), len(guessed), len(right)
    ours_n, theirs_n, right_n = (
        sum(name in CONTENT for name in side) for side in (relations, guesses, right)
    )
    return ours_n, theirs_n, right_n


# -- words, sentences, blocks -----------------------------------------------------------------------


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


# -- alignment --------------------------------------------------------------------------------------


def align(gold: Sequence[Word], system: Sequence[Word]) -> list[tuple[int, int]]:
    """Align the words of two segmentations of the same characters.

    Words match if they cover the same characters. The words of a multi-word token, and those of the other
    side that the token overlaps, are aligned as a longest common subsequence of their forms, upper and lower
    case being the same (https://universaldependencies.org/conll18/evaluation.html).
    """
    # One pass over both sides in the order of their characters: of two words that do not match, the one that
    # starts first has no partner.
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


def _stretch(gold: Sequence[Word], system: Sequence[Word], g: int, s: int) -> tuple[range, range]:
    """Return the words of gold and system around the multi-word token whose first word is `g` or `s`."""
    # As in the script of the task: words are taken in the order of their first characters as long as there is
    # one, in gold or system, that lies within the tokens met. So a word that sticks out is taken too if the
    # other side has one to follow.
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
    # The usual table, filled from the end: longest[i][j] is the length for the rests a[i:] and b[j:]. Read
    # from the beginning, it gives the subsequence.
    a = [gold[g].form.lower() for g in in_gold]
    b = [system[s].form.lower() for s in in_system]
    longest = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
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


# -- CoNLL-U ----------------------------------------------------------------------------------------

_COLUMNS = 10
"""Columns of a line of CoNLL-U."""

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
    # From every word up to the root or to a word that reached it before: a path that meets itself is a
    # circle.
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


# -- names ------------------------------------------------------------------------------------------


def _builder(part: Part) -> Callable[[str], BaseMetric]:
    return lambda name: Aligned(name, part)


NAMES: Names = {
    "uas": ("unlabelled attachment score: F1 of words with the right head", _builder("uas")),
    "las": ("labelled attachment score: F1 of words with the right head and relation", _builder("las")),
    "clas": ("labelled attachment score of content words", _builder("clas")),
    "uas_sentence": (
        "mean unlabelled attachment score of the sentences",
        lambda name: SentenceMean(name, "uas"),
    ),
    "las_sentence": (
        "mean labelled attachment score of the sentences",
        lambda name: SentenceMean(name, "las"),
    ),
    "upos": ("F1 of words with the right part of speech", _builder("upos")),
    "words": ("F1 of the words that a text was cut into", _builder("words")),
    "sentences": ("F1 of the sentences that a text was cut into", _builder("sentences")),
}
