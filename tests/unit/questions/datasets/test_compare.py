"""`compare_datasets`: every form of data, and the laws."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.unit.comparisons.examples import TABLE, items, without_notes

from bestby import Evaluation, ScoreMetric, compare, compare_datasets
from bestby._core.errors import InvalidInputError
from bestby.report.comparison import better_by_score


def frame_of(parts: dict[str, Evaluation]) -> pd.DataFrame:
    return pd.concat(
        [pd.DataFrame({"dataset": name, "gold": p.gold, **p.systems}) for name, p in parts.items()],
        ignore_index=True,
    )


def test_copies_are_noted_inside_a_dataset_as_compare_does() -> None:
    gold = np.repeat(["x", "y"], 20)
    copies = {name: Evaluation.of({"a": gold, "b": gold}, gold) for name in ("one", "two")}
    found = compare_datasets(copies)
    one = compare(copies["one"]).differences[0]
    assert [note.code for note in one.notes] == ["identical"]
    inside = [d for parts in found.within.values() for d in parts]
    assert [[(note.code, note.message) for note in d.notes] for d in inside] == [
        [(note.code, note.message) for note in one.notes]
    ] * 2


# -- forms of data ---------------------------------------------------------------------------------


def test_a_table_in_every_form() -> None:
    expected = without_notes(compare_datasets(TABLE))
    wide = pd.DataFrame([{"dataset": name, **row} for name, row in TABLE.items()])
    long = wide.melt("dataset", var_name="system", value_name="score")
    for frame in (wide, pl.from_pandas(wide), wide.rename(columns={"dataset": "task"})):
        assert without_notes(compare_datasets(frame)) == expected
    order = ["old", "new", "big"]
    assert without_notes(compare_datasets(long, systems=order)) == expected
    assert (
        without_notes(compare_datasets(wide.rename(columns={"dataset": "corpus"}), dataset="corpus"))
        == expected
    )


def test_items_in_every_form() -> None:
    parts = items()
    expected = without_notes(compare_datasets(parts, n_resamples=300))
    frame = frame_of(parts)
    assert without_notes(compare_datasets(frame, gold="gold", n_resamples=300)) == expected
    ids = frame.groupby("dataset").cumcount()  # are no system, and unique in each dataset only
    assert without_notes(compare_datasets(frame.assign(id=ids), gold="gold", n_resamples=300)) == expected
    strata = frame["dataset"].to_numpy()
    whole = Evaluation.of({"a": frame["a"], "b": frame["b"]}, frame["gold"], strata=strata)
    assert without_notes(compare_datasets(whole, n_resamples=300)) == expected


def test_results_of_compare() -> None:
    parts = items()
    expected = compare_datasets(parts)
    found = compare_datasets({name: compare(part) for name, part in parts.items()})
    assert found.replicability == expected.replicability
    assert found.varying == expected.varying == "items"
    for d, other in zip(found.differences, expected.differences, strict=True):
        assert d.standard_error == pytest.approx(other.standard_error)
    assert found.overall[0] == expected.overall[0]  # the datasets vary
    assert {entry.average for entry in found.overall} == {"macro"}
    with pytest.raises(InvalidInputError, match="the comparison on dataset 'one' has no metric 'bleu'"):
        compare_datasets({name: compare(part) for name, part in parts.items()}, metric="bleu")
    noted = compare_datasets({name: compare(part, level=0.9) for name, part in parts.items()})
    assert "levels_differ" in {note.code for note in noted.notes}


# -- numbers ---------------------------------------------------------------------------------------


def test_lower_is_better() -> None:
    turned = {name: {s: 1.0 - x for s, x in row.items()} for name, row in TABLE.items()}
    up, down = (
        compare_datasets(TABLE),
        compare_datasets(turned, metric=ScoreMetric("score", greater_is_better=False)),
    )
    assert (up.systems, up.average_ranks) == (down.systems, down.average_ranks)
    assert up.wins("big", "old") == down.wins("big", "old") == (5, 0, 0)
    for a, b in (("big", "old"), ("new", "old")):
        assert up[a, b].p_value == down[a, b].p_value
        assert better_by_score(up[a, b]) == better_by_score(down[a, b]) == a
        assert down[a, b].estimate == pytest.approx(-up[a, b].estimate)


def test_ties_are_no_wins() -> None:
    result = compare_datasets(TABLE)
    assert result.wins("new", "old") == (3, 1, 1)
    assert result.wins("old", "new") == (1, 1, 3)


def test_holm_runs_over_the_datasets_of_a_pair() -> None:
    result = compare_datasets(items(names=("a", "b", "c")))
    for (a, b), found in result.replicability.items():
        inside = [next(d for d in ds if (d.a, d.b) == (a, b)) for ds in result.within.values()]
        assert tuple(d.p_adjusted for d in inside) == found.p_adjusted
        assert tuple(d.p_value for d in inside) == found.p_values


def test_a_baseline() -> None:
    result = compare_datasets(TABLE, baseline="old")
    assert [(d.a, d.b) for d in result] == [("big", "old"), ("new", "old")]
    assert result.critical_difference is None
    assert all(r.p_nemenyi is None for r in result.ranking)
    with pytest.raises(InvalidInputError, match="baseline 'x' is not among the systems"):
        compare_datasets(TABLE, baseline="x")


def test_one_sided_pairs_stand_as_given() -> None:
    result = compare_datasets(items(names=("b", "a")), alternative="greater")
    assert [(d.a, d.b) for d in result] == [("b", "a")]
    assert result["b", "a"].test.alternative == "greater"


def test_clusters_are_kept_apart_between_datasets() -> None:
    parts = {}
    generator = np.random.default_rng(0)
    for name in ("one", "two"):
        values = {s: np.repeat(generator.integers(0, 2, 30), 4) for s in ("a", "b")}
        parts[name] = Evaluation.of(values, clusters=np.repeat(np.arange(30), 4))
    result = compare_datasets(parts, n_resamples=500)
    micro = next(e for e in result.overall if (e.average, e.resampled) == ("micro", "items"))
    loose = compare_datasets({n: Evaluation.of(dict(p.systems)) for n, p in parts.items()}, n_resamples=500)
    other = next(e for e in loose.overall if (e.average, e.resampled) == ("micro", "items"))
    assert micro.interval.high - micro.interval.low > 1.5 * (other.interval.high - other.interval.low)


def test_scores_that_differ_by_rounding_are_equal() -> None:
    scores = {"x": {"a": 0.1 + 0.2, "b": 0.3}, "y": {"a": 0.2, "b": 0.3}, "z": {"a": 0.3, "b": 0.1}}
    found = compare_datasets(scores)
    assert found.wins("a", "b") == (1, 1, 1)
    assert found.average_ranks == (1.5, 1.5)
    rows = {"x": (0.1, 0.3), "y": (0.2, 0.2), "z": (0.3, 0.1), "w": (0.3, 0.3)}
    mirrored = {name: dict(zip("ab", row, strict=True)) for name, row in rows.items()}
    found = compare_datasets(mirrored)
    assert found.means[0] == found.means[1]
