"""Notes as lines: those that differ in names and numbers only are one line, and of one code there are few."""

from __future__ import annotations

import numpy as np

from bestby import compare_runs
from bestby.report.words import MOST_OF_A_KIND, lines_of
from bestby.results.base import Note


def test_notes_that_differ_in_names_and_numbers_are_one_line() -> None:
    notes = [
        Note("spread", f"the runs of {name} vary {i} times", ("m", name)) for i, name in enumerate("abcde")
    ]
    assert lines_of([*notes, Note("other", "once", ())]) == [
        "the runs of a vary 0 times (5 such notes: a; b; c; ...)",
        "once",
    ]
    read = [Note("read_as", f"'{name}' of {name}.csv is read as numbers") for name in ("x", "y")]
    assert lines_of(read) == ["'x' of x.csv is read as numbers", "'y' of y.csv is read as numbers"]
    quoted = [Note("read_as", f"'task {name}' is read as numbers") for name in ("x", "y")]
    assert lines_of(quoted) == ["'task x' is read as numbers (2 such notes)"]


def test_of_many_different_notes_of_one_code_the_first_stands_for_all() -> None:
    texts = ["one thing", "another", "a third", "a fourth"]
    notes = [Note("caution", text) for text in texts]
    assert lines_of(notes[:MOST_OF_A_KIND]) == texts[:MOST_OF_A_KIND]
    assert lines_of(notes) == ["one thing (4 such notes)"]


def test_a_note_on_several_metrics_says_on_which() -> None:
    notes = [Note("few", "words", ("m", "a", "b")), Note("few", "words", ("n", "a", "c"))]
    assert lines_of(notes) == ["words (2 such notes: m, a, b; n, a, c)"]
    assert lines_of(notes[:1]) == ["words (m, a, b)"]


def test_twelve_systems_that_vary_unequally_have_few_lines_and_all_notes() -> None:
    rng = np.random.default_rng(0)
    runs = {f"s{i}": rng.normal(0.8, 0.01 if i % 2 else 0.08, 12) for i in range(12)}
    result = compare_runs(runs, n_resamples=99)
    spread = [note for d in result.differences for note in d.notes if note.code == "unequal_spread"]
    assert len(spread) > 20
    assert str(result).count("times as much as") == 1
    assert f"({len(spread)} such notes: " in " ".join(str(result).split())
