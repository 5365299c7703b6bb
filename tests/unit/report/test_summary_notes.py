"""Notes as lines: equal ones once, and of many of one kind the first ones."""

from __future__ import annotations

import numpy as np

from bestby import compare_runs
from bestby.report.words import MOST_OF_A_KIND, lines_of
from bestby.results.base import Note


def test_of_many_notes_of_one_kind_the_first_ones_are_shown_and_the_others_counted() -> None:
    notes = [Note("spread", f"words {i}", ("m",)) for i in range(7)] + [Note("other", "once", ())]
    lines = lines_of(notes)
    assert lines[:MOST_OF_A_KIND] == ["words 0 (m)", "words 1 (m)", "words 2 (m)"]
    assert lines[MOST_OF_A_KIND:] == ["4 more notes with the code 'spread' are in the JSON", "once"]


def test_one_more_than_that_is_shown_itself() -> None:
    notes = [Note("spread", f"words {i}", ()) for i in range(MOST_OF_A_KIND + 1)]
    assert lines_of(notes) == [note.message for note in notes]


def test_equal_notes_are_one_line_with_their_number() -> None:
    assert lines_of([Note("few", "words", ("m", "a", "b")), Note("few", "words", ("m", "a", "c"))]) == [
        "words (in 2 cases)"
    ]


def test_twelve_systems_that_vary_unequally_have_few_lines_and_all_notes() -> None:
    rng = np.random.default_rng(0)
    runs = {f"s{i}": rng.normal(0.8, 0.01 if i % 2 else 0.08, 12) for i in range(12)}
    result = compare_runs(runs, n_resamples=99)
    spread = [note for d in result.differences for note in d.notes if note.code == "unequal_spread"]
    assert len(spread) > 20
    assert str(result).count("times as much as") == MOST_OF_A_KIND
