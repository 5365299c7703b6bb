"""Tables of scores with gaps: every two systems on the datasets that both have."""

from __future__ import annotations

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose

import bestby as bb
from bestby.errors import DesignError, InvalidInputError
from bestby.questions.datasets import ranking

ABILITIES = {"a": 0.05, "b": 0.03, "c": 0.0, "new": 0.06}


def table(gaps: int = 7) -> dict[str, dict[str, float]]:
    """Return scores on twelve datasets; the last system has none on the easiest ones."""
    rng = np.random.default_rng(0)
    ease = rng.normal(0.6, 0.1, 12)
    scores = {
        f"d{i}": {name: round(ease[i] + more + rng.normal() * 0.02, 3) for name, more in ABILITIES.items()}
        for i in range(12)
    }
    for i in np.argsort(-ease)[:gaps].tolist():
        del scores[f"d{i}"]["new"]
    return scores


def test_each_pair_is_what_it_is_alone() -> None:
    result = bb.compare_datasets(table(), on_missing="pairs")
    for d in result.differences:
        two = {name: {s: x for s, x in row.items() if s in (d.a, d.b)} for name, row in table().items()}
        alone = bb.compare_datasets(two, on_missing="drop")[d.a, d.b]
        assert (d.estimate, d.interval, d.p_value, d.n_items) == (
            alone.estimate,
            alone.interval,
            alone.p_value,
            alone.n_items,
        )
    assert {d.n_items for d in result.differences} == {5, 12}
    p = {(d.a, d.b): d.p_value for d in result.differences}
    least = min(p, key=p.__getitem__)
    assert_allclose(result[least].p_adjusted, 6 * p[least])


def test_ranks_come_from_pairs_and_are_the_usual_ones_without_gaps() -> None:
    whole = bb.compare_datasets(table(0), on_missing="pairs")
    assert whole.friedman is not None
    rng = np.random.default_rng(3)
    scores = rng.integers(0, 5, (20, 4)).astype(float)
    for greater in (True, False):
        expected = ranking.average_ranks(scores, greater_is_better=greater)
        assert_allclose(ranking.ranks_by_pairs(scores, greater_is_better=greater), expected)
    result = bb.compare_datasets(table(), on_missing="pairs")
    assert result.systems[0] == "new"  # its mean is far below those of a and b
    assert result.means[0] < result.means[1]
    assert result.friedman is None
    assert result.ranking == ()


def test_reports_show_how_many_datasets_each_system_has() -> None:
    result = bb.compare_datasets(table(), on_missing="pairs")
    assert "datasets" in str(result).split("average rank  ")[1]
    assert "every two on those on which both have a score (5 to 12)" in result.methods()
    assert str(bb.load(result.to_json())) == str(result)
    assert json.loads(result.to_json())["scores"]["d0"]["new"] is None
    assert result.wins("new", "c") == (5, 0, 0)
    result.to_html()
    (note,) = (one for one in result.notes if one.code == "compared_in_pairs")
    assert "new on 5" in note.message


def test_pairs_without_two_datasets_in_common_are_left_out() -> None:
    scores = table()
    for name, row in scores.items():
        if "new" in row and name != "d1":
            del row["c"]
    result = bb.compare_datasets(scores, on_missing="pairs")
    assert {("new", "c"), ("c", "new")}.isdisjoint({(d.a, d.b) for d in result.differences})
    assert "few_shared" in {note.code for note in result.notes}
    result.to_html()


def test_a_system_without_pairs_is_named_and_left_out_and_groups_apart_are_refused() -> None:
    scores = table()
    scores["d1"]["alone"] = 1.0  # above all others there, which says nothing
    result = bb.compare_datasets(scores, on_missing="pairs")
    assert "alone" not in result.systems
    (note,) = (one for one in result.notes if one.code == "few_shared")
    assert note.message.startswith("alone is left out")
    assert len(result.differences) == 6
    apart = {f"e{i}": {"p": 0.1 * i, "q": 0.2 * i} for i in range(4)}
    with pytest.raises(DesignError, match="groups that have too few datasets in common"):
        bb.compare_datasets({**table(), **apart}, on_missing="pairs")


def test_several_runs_count_as_their_mean_where_a_system_lacks_datasets() -> None:
    runs = {d: {s: [x - 0.01, x + 0.01] for s, x in row.items()} for d, row in table().items()}
    result, of_table = (bb.compare_datasets(one, on_missing="pairs") for one in (runs, table()))
    for d, other in zip(result.differences, of_table.differences, strict=True):
        assert_allclose((d.estimate, d.p_value, d.n_items), (other.estimate, other.p_value, other.n_items))
    assert any("mean of the runs" in note.message for note in result.notes)
    with pytest.raises(InvalidInputError, match="7 of 48 scores are missing") as refused:
        bb.compare_datasets(runs)
    assert 'on_missing="pairs"' in str(refused.value.hint)
    whole = {d: {s: [x - 0.01, x + 0.01] for s, x in row.items()} for d, row in table(0).items()}
    assert bb.compare_datasets(whole, on_missing="pairs") == bb.compare_datasets(whole)
