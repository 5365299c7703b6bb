"""References with alternatives, ``{ um / uh / @ }``: their readings, and the nearest to what was heard."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from bestby._core.errors import InvalidInputError

Words: TypeAlias = tuple[str, ...]

Slot: TypeAlias = tuple[Words, ...]
"""The alternatives at one place of a transcript; one if there is no choice."""


def slots(words: Sequence[str], where: str) -> list[Slot]:
    """Return the places of a transcript with their alternatives, which may be nested; ``@`` is silence.

    The notation is that of NIST's sclite (formats "trn" and "stm").

    >>> slots("i've { um / @ } gone".split(), "a.trn, line 1")
    [(("i've",),), (('um',), ()), (('gone',),)]
    """
    levels: list[list[list[Slot]]] = [[[]]]  # open braces; of each its alternatives; of each its places
    for word in words:
        if word == "{":
            levels.append([[]])
            if len(levels) > _DEEPEST:
                raise InvalidInputError(
                    f"{where}: alternatives are nested more than {_DEEPEST} deep", _ALTERNATIVES_HINT
                )
        elif word == "/" and len(levels) > 1:
            levels[-1].append([])
        elif word == "}":
            if len(levels) == 1 or len(levels[-1]) == 1:
                raise InvalidInputError(
                    f"{where}: a }} has no matching {{ or no alternatives", _ALTERNATIVES_HINT
                )
            alternatives = levels.pop()
            if sum(map(n_readings, alternatives)) > _MOST_PER_SLOT:
                raise InvalidInputError(
                    f"{where}: more than {_MOST_PER_SLOT} alternatives at one place", _ALTERNATIVES_HINT
                )
            every = (reading for places in alternatives for reading in readings(places))
            levels[-1][-1].append(tuple(dict.fromkeys(every)))
        else:
            levels[-1][-1].append(((),) if word == "@" else ((word,),))
    if len(levels) > 1:
        raise InvalidInputError(f"{where}: a {{ is not closed", _ALTERNATIVES_HINT)
    return levels[0][0]


def n_readings(places: Iterable[Slot]) -> int:
    """Return how many readings there are."""
    return math.prod(len(slot) for slot in places)


def readings(places: Sequence[Slot]) -> list[Words]:
    """Return all readings, the first alternatives first."""
    return [tuple(itertools.chain(*chosen)) for chosen in itertools.product(*places)]


def references(places: Sequence[Slot], heard: Iterable[Sequence[str]]) -> str | tuple[str, ...]:
    """Return a transcript, or several: all its readings, or of very many the nearest to what was heard.

    The nearest reading to a system's words is the only one that its word error rate depends on.
    """
    # So many readings of a transcript are all given to the metrics; of more, those nearest to some system
    if n_readings(places) <= 64:
        spelled = readings(places)
    else:
        chosen = sorted({nearest_reading(places, words) for words in heard})
        spelled = [tuple(itertools.chain(*map(operator.getitem, places, choice))) for choice in chosen]
    texts = tuple(dict.fromkeys(" ".join(words) for words in spelled))
    return texts[0] if len(texts) == 1 else texts


def nearest_reading(places: Sequence[Slot], heard: Sequence[str]) -> tuple[int, ...]:
    """Return which alternative of each place makes the reading nearest to the words of a system.

    That is the reading with the fewest word errors; of several the one with the most hits, then that with the
    earliest alternatives. The work is that of one alignment (Wagner & Fischer 1974) with every alternative
    once.

    >>> nearest_reading([(("um",), ("uh",), ()), (("yes",),)], ["yes"])
    (2, 0)
    """
    row: list[_State] = [(inserted, 0, ()) for inserted in range(len(heard) + 1)]
    for slot in places:
        ends = []
        for place, words in enumerate(slot):
            after: list[_State] = [(errors, hits, (*choice, place)) for errors, hits, choice in row]
            for word in words:
                after = _advanced(after, word, heard)
            ends.append(after)
        row = [min(states) for states in zip(*ends, strict=True)]
    return row[-1][2]


_State: TypeAlias = tuple[int, int, tuple[int, ...]]
"""Errors, hits with the sign turned, and choices so far: the least is the best."""


def _advanced(row: Sequence[_State], word: str, heard: Sequence[str]) -> list[_State]:
    """Return the best states after one more word of the reading, for each number of words heard."""
    errors, hits, choice = row[0]
    out = [(errors + 1, hits, choice)]
    for place, other in enumerate(heard):
        errors, hits, choice = row[place]
        paired = (errors, hits - 1, choice) if word == other else (errors + 1, hits, choice)
        deleted = (row[place + 1][0] + 1, *row[place + 1][1:])
        inserted = (out[-1][0] + 1, *out[-1][1:])
        out.append(min(paired, deleted, inserted))
    return out


_MOST_PER_SLOT, _DEEPEST = 256, 8

_ALTERNATIVES_HINT = (
    "write alternatives as { um / uh / @ }, where @ is silence, with blanks around {, / and }"
)
