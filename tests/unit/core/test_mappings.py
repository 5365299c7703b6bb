"""Mappings as containers: of run to score, of item to value."""

from __future__ import annotations

from tests.unit.core.examples import FEW, GOLD, IDS, RIGHT, message

import bestby as bb


def test_mappings_of_run_to_score_are_their_values() -> None:
    runs = {"a": {1: 0.8, 2: 0.9, 3: 0.85}, "b": {1: 0.7, 2: 0.8, 3: 0.75}}
    plain = {name: list(scores.values()) for name, scores in runs.items()}
    for more in ({}, {"paired": True}):
        found, expected = bb.compare_runs(runs, **more, **FEW), bb.compare_runs(plain, **more, **FEW)
        assert found.to_json() == expected.to_json()
    assert bb.compare_folds(runs, **FEW).to_json() == bb.compare_folds(plain, **FEW).to_json()
    assert bb.multi_aso(runs, **FEW)["a", "b"] == bb.multi_aso(plain, **FEW)["a", "b"]
    assert bb.aso(runs["a"], runs["b"], **FEW) == bb.aso(plain["a"], plain["b"], **FEW)


def test_paired_mappings_are_joined_by_their_keys() -> None:
    a, b = {1: 0.8, 2: 0.9, 3: 0.85}, {1: 0.7, 2: 0.85, 3: 0.75}
    turned = dict(reversed(b.items()))
    paired = [bb.compare_runs({"a": a, "b": one}, paired=True, **FEW) for one in (b, turned)]
    assert paired[0].to_json() == paired[1].to_json()
    folds = [bb.compare_folds({"a": {1: a, 2: a}, "b": {2: one, 1: b}}, **FEW) for one in (b, turned)]
    assert folds[0].to_json() == folds[1].to_json()
    other = {1: 0.7, 2: 0.85, 4: 0.75}
    assert message(lambda: bb.compare_runs({"a": a, "b": other}, paired=True)) == (
        "the runs of 'b' and the runs of 'a' have different runs: 3 is not in both"
    )
    assert message(lambda: bb.compare_folds({"a": a, "b": [0.1, 0.2, 0.3]})) == (
        "the scores of 'a' are a mapping of folds to values, but the scores of 'b' are not"
    )
    assert bb.compare_runs({"a": a, "b": other}, **FEW).n_items == 0


def test_runs_of_items_in_mappings() -> None:
    """Of run to values, and of item to value within."""
    values = {1: RIGHT.tolist(), 2: GOLD.tolist()}
    by_id = {run: dict(zip(IDS, row, strict=True)) for run, row in values.items()}
    expected = bb.compare_runs(
        {"a": list(values.values()), "b": [values[1], values[1]]}, gold=GOLD.tolist(), **FEW
    )
    found = bb.compare_runs({"a": values, "b": {1: values[1], 2: values[1]}}, gold=GOLD.tolist(), **FEW)
    assert found.to_json() == expected.to_json()
    shuffled = {run: dict(reversed(row.items())) for run, row in by_id.items()}
    found = bb.compare_runs(
        {"a": shuffled, "b": {1: by_id[1], 2: by_id[1]}},
        gold=dict(zip(IDS, GOLD.tolist(), strict=True)),
        **FEW,
    )
    assert found.to_json() == expected.to_json()


def test_a_mean_a_deviation_and_a_number_of_runs_are_no_runs() -> None:
    summary, scores = (0.80, 0.01, 5), [0.7, 0.8, 0.9]
    for runs in (
        {"a": summary, "b": (0.78, 0.02, 5)},
        {"a": summary, "b": scores},
        {"b": scores, "a": summary},
    ):
        assert message(lambda runs=runs: bb.compare_runs(runs)) == (
            "the runs of 'a' are the tuple (0.8, 0.01, 5), which looks like a mean, a standard deviation and"
            " a number of runs"
        )
    for runs in ({"a": list(summary), "b": scores}, {"a": (0.8, 0.01, 0.5), "b": scores}):
        assert len(bb.compare_runs(runs, **FEW).systems) == 2


def test_pilots_in_mappings_are_joined_by_item() -> None:
    a, b = {"x": 1.0, "y": 2.0, "z": 4.0}, {"z": 3.0, "y": 2.5, "x": 0.5}
    groups = {"y": 1, "x": 1, "z": 2}
    expected = bb.planning.PairedScores.from_pilot([1.0, 2.0, 4.0], [0.5, 2.5, 3.0], clusters=[1, 1, 2])
    assert bb.planning.PairedScores.from_pilot(a, b, clusters=groups) == expected
    right = bb.planning.PairedProportions.from_pilot({"x": 1, "y": 0}, {"y": 1, "x": 1})
    assert (right.accuracy_a, right.accuracy_b, right.agreement) == (0.5, 1.0, 0.5)
    assert bb.planning.LiftedScores(a).values.tolist() == [1.0, 2.0, 4.0]
    assert message(lambda: bb.planning.PairedScores.from_pilot(a, [1.0, 2.0, 3.0])) == (
        "a are a mapping of items to values, but b are not"
    )


def test_mappings_with_ids_beside_them_are_refused() -> None:
    by_id = dict(zip(IDS, GOLD.tolist(), strict=True))
    assert message(lambda: bb.compare({"a": by_id, "b": by_id}, by_id, items=IDS)) == (
        "items must not be given for systems that are mappings of id to value"
    )
