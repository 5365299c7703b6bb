"""Error rates against jiwer, on full sets and on resamples."""

from __future__ import annotations

import jiwer
import numpy as np
import pytest

from bestby._core.errors import InvalidInputError
from bestby.metrics.recognition import NAMES, edit_counts

REFERENCE = {"wer": jiwer.wer, "cer": jiwer.cer, "mer": jiwer.mer, "wil": jiwer.wil, "wip": jiwer.wip}


def built(name):
    return NAMES[name][1](name)


def column(values):
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def test_the_reference_with_the_fewest_errors_counts_then_the_one_with_most_hits():
    gold = [["x y", "a"], "a", ["x", "a b c d"], ["c a", "a"]]
    predictions = ["a b", "b", "a b c", "c a"]
    np.testing.assert_array_equal(
        edit_counts(gold, predictions), [[1, 0, 0, 1], [0, 1, 0, 0], [3, 0, 1, 0], [2, 0, 0, 0]]
    )
    tie = edit_counts([["a", "a b c"]], ["a b"])  # one insertion, or one deletion and one more hit
    np.testing.assert_array_equal(tie, [[2, 0, 1, 0]])


def test_silence():
    """No word spoken or none heard: rates of nothing are undefined, information of one side is lost."""
    scores = {}
    for name in NAMES:
        said_nothing = built(name).statistics(["", ""], ["a b", ""]).sum(axis=0)
        heard_nothing = built(name).statistics(["a b", ""], ["", ""]).sum(axis=0)
        totals = np.stack([said_nothing, heard_nothing, np.zeros(said_nothing.size)])
        scores[name] = built(name).score(totals)
    np.testing.assert_array_equal(scores["wer"], [np.nan, 1.0, np.nan])
    np.testing.assert_array_equal(scores["mer"], [1.0, 1.0, np.nan])
    np.testing.assert_array_equal(scores["wip"], [0.0, 0.0, np.nan])
    np.testing.assert_array_equal(scores["wil"], [1.0, 1.0, np.nan])
    assert built("wip").undefined(said_nothing) == (
        "the references hold no word: nothing counts as preserved in wip"
    )
    assert "the predictions hold no word" in built("wil").undefined(heard_nothing)
    assert built("wip").undefined(np.array([1.0, 0, 0, 0])) is None
    assert built("wip").undefined(np.zeros(4)) is None


def test_characters_include_the_spaces_between_words():
    np.testing.assert_array_equal(edit_counts(["a b"], ["ab"], "characters"), [[2, 0, 1, 0]])


def test_long_items_are_cut_in_messages():
    with pytest.raises(InvalidInputError) as caught:
        built("wer").statistics(["a"], [["word"] * 500])
    assert len(caught.value.message) < 150
