"""`compare_preferences`: the forms of judgements it takes, and what it refuses."""

from __future__ import annotations

import pytest
from tests.unit.questions.preferences.examples import NAMES, PLAIN, ROWS, codes, numbers

from bestby.errors import DesignError, InvalidInputError
from bestby.questions.preferences.compare import compare_preferences


def test_frames_mappings_and_tuples_are_the_same() -> None:
    import pandas as pd
    import polars as pl

    columns = dict(zip(("item", "a", "b", "winner"), zip(*ROWS, strict=True), strict=True))
    expected = numbers(compare_preferences(ROWS, n_resamples=100))
    assert numbers(compare_preferences(columns, n_resamples=100)) == expected
    assert numbers(compare_preferences(pd.DataFrame(columns), n_resamples=100)) == expected
    assert numbers(compare_preferences(pl.DataFrame(columns), n_resamples=100)) == expected
    renamed = pd.DataFrame(columns).rename(
        columns={"item": "prompt", "a": "model_a", "b": "model_b", "winner": "won"}
    )
    names = {"a": "model_a", "b": "model_b", "winner": "won"}
    assert numbers(compare_preferences(renamed, **names, items="prompt", n_resamples=100)) == expected  # type: ignore[arg-type]
    assert numbers(compare_preferences(renamed, **names, clusters="prompt", n_resamples=100)) == expected  # type: ignore[arg-type]
    prompts = [row[0] for row in ROWS]
    assert numbers(compare_preferences(PLAIN, clusters=prompts, n_resamples=100)) == expected


def test_the_winner_by_position_or_by_name() -> None:
    by_position = [(a, b, "a" if w == a else "b" if w == b else w) for a, b, w in PLAIN]
    assert numbers(compare_preferences(by_position, n_resamples=50)) == numbers(
        compare_preferences(PLAIN, n_resamples=50)
    )
    # A name goes before a position
    confusing = [("b", "a", "a")] * 10 + [("a", "b", "b")] * 3
    d = compare_preferences(confusing, n_resamples=50)["a", "b"]
    assert (d.wins, d.losses) == (10, 3)


def test_what_is_refused() -> None:
    with pytest.raises(InvalidInputError, match='prior must be "jeffreys" or None, got 1') as error:
        compare_preferences(PLAIN, prior=1.0)  # type: ignore[arg-type]  # as version 0.2.0 took it
    assert 'prior="jeffreys"' in str(error.value)
    with pytest.raises(DesignError, match="all ties"):
        compare_preferences([("x", "y", "tie")] * 9, ties="davidson")
    with pytest.raises(InvalidInputError, match="order must be"):
        compare_preferences(PLAIN, order="yes")  # type: ignore[arg-type]
    with pytest.raises(DesignError, match="no order effect, which is in the model"):
        compare_preferences([*PLAIN, *((b, a, w) for a, b, w in PLAIN)], test="permutation")
    with pytest.raises(InvalidInputError, match="there are no voters"):
        compare_preferences(PLAIN, voter_weights="shrunk")


def test_systems_that_never_met() -> None:
    rows = [row for row in PLAIN if {"one", "two"} - {*row[:2]}]
    assert compare_preferences(rows, n_resamples=100)["one", "two"].n_items == 0
    assert (
        "never judged against each other" in compare_preferences(rows, n_resamples=99)["one", "two"].sentence
    )
    with pytest.raises(DesignError, match="one and two were never judged against each other"):
        compare_preferences(rows, n_resamples=100, test="permutation")
