"""`compare_preferences`: the forms of judgements it takes, and what it refuses."""

from __future__ import annotations

import pytest
from tests.unit.questions.preferences.examples import NAMES, PLAIN, ROWS, codes, numbers

from bestby.errors import DesignError
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


def test_strengths_without_a_finite_estimate() -> None:
    rows = [*PLAIN, *[("best", name, "best") for name in NAMES for _ in range(5)]]
    with pytest.raises(
        DesignError, match="no finite estimate: best never lost or tied against any of"
    ) as error:
        compare_preferences(rows)
    assert "prior=1" in str(error.value)
    result = compare_preferences(rows, prior=1.0, n_resamples=100)
    assert result.systems[0].system == "best"
    assert "prior" in codes(result)
    with pytest.raises(DesignError, match="all ties"):
        compare_preferences([("x", "y", "tie")] * 9, ties="davidson")


def test_systems_that_never_met() -> None:
    rows = [row for row in PLAIN if {"one", "two"} - {*row[:2]}]
    assert compare_preferences(rows, n_resamples=100)["one", "two"].n_items == 0
    assert (
        "never judged against each other" in compare_preferences(rows, n_resamples=99)["one", "two"].sentence
    )
    with pytest.raises(DesignError, match="one and two were never judged against each other"):
        compare_preferences(rows, n_resamples=100, test="permutation")
