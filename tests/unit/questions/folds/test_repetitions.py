"""Repetitions of cross-validation without the fold of each item: each is compared by itself, and counted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import bestby as bb
from bestby import Evaluation, compare_folds
from bestby._core.errors import DesignError, InvalidInputError

N = 60


def repetitions(number: int = 5, *, folds: int | None = None) -> dict[str, Evaluation]:
    generator = np.random.default_rng(3)
    gold = generator.normal(size=N)
    parts = {}
    for again in range(number):
        systems = {"x": gold + generator.normal(size=N), "y": gold + 1.5 * generator.normal(size=N)}
        strata = None if folds is None else np.arange(N) % folds
        parts[str(again)] = Evaluation.of(systems, gold, strata=strata)
    return parts


def compared(parts: Any = None, **settings: Any) -> bb.results.FoldComparison:
    settings = {"metric": "pearson", "n_resamples": 999} | settings
    return compare_folds(repetitions() if parts is None else parts, **settings)


def test_each_repetition_is_compared_by_itself() -> None:
    result, parts = compared(interval="bca"), repetitions()
    assert result.differences == ()
    assert not result.has_folds
    assert list(result.within) == list(parts)
    for again, (d,) in result.within.items():
        alone = bb.compare(parts[again], metric="pearson", interval="bca", n_resamples=999)[d.a, d.b]
        assert (d.estimate, d.interval, d.p_value) == (alone.estimate, alone.interval, alone.p_value)
    scores = [np.corrcoef(part.systems["x"], part.gold)[0, 1] for part in parts.values()]
    assert result.scores[:, 0] == pytest.approx(scores)
    assert result.means[0] == pytest.approx(np.mean(scores))
    assert [note.code for note in result.notes].count("no_folds") == 1


def test_the_counts_are_of_tests_and_of_intervals() -> None:
    result = compared()
    (spread,), made = result.spread, [d for (d,) in result.within.values()]
    assert spread.n_significant == sum(d.p_value <= 0.05 for d in made)
    assert spread.n_excluding == sum(not d.interval.low <= 0.0 <= d.interval.high for d in made)
    assert 0 < spread.n_excluding < 5
    assert compared(interval=None).spread[0].n_excluding is None
    assert compared(test=None).spread[0].n_significant is None
    assert compared(test=None).spread[0].n_excluding == spread.n_excluding


def test_known_folds_have_the_same_counts() -> None:
    known = compared(repetitions(folds=4))
    assert known.has_folds
    assert len(known.differences) == 1
    assert known.spread == compared().spread


def test_intervals_are_of_one_kind() -> None:
    generator = np.random.default_rng(5)
    parts = {}
    for again, size in {"small": 12, "large": 400, "larger": 500}.items():
        gold = generator.integers(0, 2, size)
        systems = {name: np.where(generator.random(size) < 0.8, gold, 1 - gold) for name in "ab"}
        parts[again] = Evaluation.of(systems, gold)
    settings: dict[str, Any] = {"metric": "f1_macro", "n_resamples": 99}
    alone = {bb.compare(p, **settings)["a", "b"].interval.method for p in parts.values()}
    assert len(alone) > 1, "the repetitions must differ in what suits them, or this test shows nothing"
    result = compare_folds(parts, **settings)
    assert len({d.interval.method for (d,) in result.within.values()}) == 1


def test_a_table_with_a_column_of_repetitions() -> None:
    parts = repetitions()
    rows = [
        {"seed": again, "item": i, "gold": part.gold[i], **{name: v[i] for name, v in part.systems.items()}}
        for again, part in parts.items()
        for i in range(N)
    ]
    result = compared(pd.DataFrame(rows), gold="gold", items="item", repetition="seed")
    assert result.spread == compared().spread
    assert list(result.within) == list(parts)
    with pytest.raises(InvalidInputError, match="no column is called fold, and rows without gold"):
        compared(pd.DataFrame(rows).drop(columns=["gold", "item"]), metric=None, repetition="seed")
    with pytest.raises(InvalidInputError, match="no column is called fold"):
        compared(pd.DataFrame(rows), gold="gold")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"test": "corrected-t"}, "test 'corrected-t' compares folds"),
        ({"ratio": 0.1}, "ratio=0.1 has no effect"),
        ({"required": 2}, "required=2 has no effect"),
        ({"margin": 0.1}, "margin=0.1 has no effect"),
    ],
)
def test_what_only_folds_have_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises((InvalidInputError, DesignError), match=message):
        compared(**settings)


def test_a_single_repetition_needs_its_folds() -> None:
    with pytest.raises(InvalidInputError, match="does not say which fold each item belongs to"):
        compared(repetitions(1))


def test_every_report() -> None:
    result = compared()
    text = str(result)
    assert "over 5 repetitions" in text
    assert f"{result.spread[0].n_excluding} of 5" in text
    assert "folds in" not in text
    assert "5 repetitions of cross-validation" in result.methods()
    for page in (result.to_html(), result.to_markdown(), result.to_latex()):
        assert "repetitions" in page
    assert bb.load(result.to_json()) == result
    assert len(result.to_frame("differences")) == 5
    with pytest.raises(DesignError, match="no differences over the folds to draw"):
        result.plot()
