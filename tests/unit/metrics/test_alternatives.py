"""Transcripts with alternatives: how they are cut up, and the reading nearest to a text."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestby._core.errors import InvalidInputError
from bestby.metrics import alternatives


@pytest.mark.parametrize(
    ("transcript", "expected"),
    [
        ("", [""]),
        ("a b", ["a b"]),
        ("a @ b", ["a b"]),
        ("a / b", ["a / b"]),
        ("{ a / b c } d", ["a d", "b c d"]),
        ("{ a / @ } { b / c }", ["a b", "a c", "b", "c"]),
        ("{ a / { b / c } d } e", ["a e", "b d e", "c d e"]),
        ("{ / a }", ["", "a"]),
        ("{ a / a }", ["a"]),
    ],
)
def test_readings(transcript: str, expected: list[str]) -> None:
    places = alternatives.slots(transcript.split(), "here")
    assert [" ".join(words) for words in alternatives.readings(places)] == expected
    assert alternatives.n_readings(places) == len(expected)
    found = alternatives.references(places, [])
    assert found == (expected[0] if len(expected) == 1 else tuple(expected))


@pytest.mark.parametrize(
    ("transcript", "message"),
    [
        ("{ a / b", "here: a { is not closed"),
        ("a }", "here: a } has no matching {"),
        ("{ a }", "or no alternatives"),
        ("{ a / " * 9, "more than 8 deep"),
        ("{ " + " / ".join(map(str, range(257))) + " }", "more than 256 alternatives"),
        ("{ x / " + "{ a / b / c / d } " * 5 + "}", "more than 256 alternatives"),
    ],
)
def test_what_is_refused(transcript: str, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        alternatives.slots(transcript.split(), "here")


def edits(spoken: tuple[str, ...], heard: tuple[str, ...]) -> tuple[int, int]:
    """The fewest errors and, turned in sign, the most hits with so few, by enumeration from the ends."""
    if not spoken or not heard:
        return len(spoken) + len(heard), 0
    same = spoken[-1] == heard[-1]
    options = [
        (edits(spoken[:-1], heard[:-1]), 1 - same, -same),
        (edits(spoken[:-1], heard), 1, 0),
        (edits(spoken, heard[:-1]), 1, 0),
    ]
    return min((errors + wrong, hits + right) for (errors, hits), wrong, right in options)


words = st.lists(st.sampled_from("abc"), max_size=3).map(tuple)


@given(
    places=st.lists(st.lists(words, min_size=1, max_size=3, unique=True).map(tuple), max_size=3),
    heard=st.lists(st.sampled_from("abc"), max_size=5).map(tuple),
)
def test_the_nearest_reading_against_enumeration(
    places: list[tuple[tuple[str, ...], ...]], heard: tuple[str, ...]
) -> None:
    choices = itertools.product(*(range(len(slot)) for slot in places))
    expected = min(
        (edits(tuple(itertools.chain(*map(tuple.__getitem__, places, choice))), heard), choice)
        for choice in choices
    )
    assert alternatives.nearest_reading(places, heard) == expected[1]


def test_of_very_many_readings_only_the_nearest_are_spelled() -> None:
    places = alternatives.slots(("{ um / uh / @ } yes " * 40).split(), "here")
    assert alternatives.n_readings(places) == 3**40
    heard = [["yes"] * 40, ["uh", "yes"] * 40, ["yes"] * 40]
    assert alternatives.references(places, heard) == ("uh yes " * 39 + "uh yes", "yes " * 39 + "yes")
