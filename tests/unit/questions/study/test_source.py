"""Runs of a study meet its gold: by ids or by place, soft labels, and the roles of columns."""

# ruff: noqa: E501 - rows of tables
from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.unit.questions.study.stored import SHORT_GOLD, SHORT_IDS, tree

from bestby import Study
from bestby._core.errors import InvalidInputError, StudyError
from bestby.data.reading import Reading
from bestby.questions.study.store import Store


class TestAlignment:
    def test_ids_in_another_order(self, store: Store) -> None:
        store.add("h1", run=0, predictions=["d", "a", "c", "b"], ids=["q4", "q1", "q3", "q2"])
        assert store.load("h1", 0).predictions.tolist() == ["a", "b", "c", "d"]

    def test_a_mapping_of_id_to_label(self, store: Store) -> None:
        store.add("h1", run=0, predictions={"q4": "d", "q1": "a", "q3": "c", "q2": "b"})
        assert store.load("h1", 0).predictions.tolist() == ["a", "b", "c", "d"]

    def test_without_ids_the_order_is_that_of_the_gold(self, store: Store) -> None:
        store.add("h1", run=0, predictions=["a", "b", "c", "d"])
        assert store.load("h1", 0).predictions.tolist() == ["a", "b", "c", "d"]

    def test_gold_without_ids_is_numbered(self, tmp_path: Path) -> None:
        store = Store(tmp_path)
        store.add("h0", run=0, predictions=[1, 0], gold=[1, 1])
        store.add("h1", run=0, predictions=[7, 8], ids=[1, 0])
        assert store.gold().ids.tolist() == [0, 1]
        assert store.load("h1", 0).predictions.tolist() == [8, 7]

    @pytest.mark.parametrize(
        ("ids", "message"),
        [
            (["q1", "q2", "q3", "q9"], "share 3 of 4 item ids; 1 missing from run '0' of 'h1', first: 'q4'"),
            (["q1", "q2", "q3", "q4", "q5"], "share 4 of 4 item ids; 1 extra in run '0' of 'h1', first: 'q5'"),
            (["q1", "q2", "q3", "q3"], "must be unique, but 1 of 3 ids occur more than once; first: 'q3' \\(2 times\\)"),
            ([1, 2, 3, 4], "the ids of the gold are text, these are numbers"),
        ],
    )  # fmt: skip
    def test_ids_that_are_not_those_of_the_gold(self, store: Store, ids: list[Any], message: str) -> None:
        before = tree(store)
        with pytest.raises(InvalidInputError, match=message):
            store.add("h1", run=0, predictions=["x"] * len(ids), ids=ids)
        assert tree(store) == before

    def test_another_length(self, store: Store) -> None:
        with pytest.raises(InvalidInputError, match="has 3 values, but the gold of the study has 4 items"):
            store.add("h1", run=0, predictions=["x"] * 3)
        with pytest.raises(InvalidInputError, match="the ids of run '0' of 'h1' has 3 values, expected 4"):
            store.add("h1", run=0, predictions=["x"] * 4, ids=SHORT_IDS[:3])

    def test_ids_twice(self, store: Store) -> None:
        with pytest.raises(InvalidInputError, match="as a mapping of id to value, and with ids as well"):
            store.add("h1", run=0, predictions=dict(zip(SHORT_IDS, SHORT_GOLD, strict=True)), ids=SHORT_IDS)

    def test_labels_the_gold_does_not_have_are_wrong_and_no_error(self, store: Store) -> None:
        assert store.add("h1", run=0, predictions=["x", "z", "z", "z"]).predictions.tolist() == list("xzzz")

    @pytest.mark.parametrize(
        "bad", [["x", None, "x", "y"], [1.0, float("nan"), 2.0, 3.0], ["x", ("x",), "y", "z"]]
    )
    def test_values_that_are_no_labels(self, store: Store, bad: list[Any]) -> None:
        with pytest.raises(InvalidInputError, match=r"missing value|must be finite|mixes values"):
            store.add("h1", run=0, predictions=bad)

    @pytest.mark.parametrize("make", [list, np.array, pd.Series, pl.Series, tuple])
    @pytest.mark.parametrize(
        "values",
        [[1, 0, 2, 1], [True, False, True, True], [0.1, 1e-300, -0.0, 1 / 3], ["é", "\n", '"', "\u2028"]],
    )
    def test_values_come_back_to_the_last_bit(self, tmp_path: Path, make: Any, values: list[Any]) -> None:
        store = Store(tmp_path / "s")
        ids = values if len(set(values)) == 4 else SHORT_IDS
        store.add(
            "h0", run=0, predictions=make(values), gold=make(values), ids=make(ids), clusters=make(values)
        )
        found, gold = store.load("h0", 0).predictions, store.gold()
        assert gold.clusters is not None
        for back in (found, gold.values, gold.clusters):
            assert [repr(value) for value in back.tolist()] == [repr(value) for value in values]
        assert [repr(value) for value in gold.ids.tolist()] == [repr(value) for value in ids]


class TestGold:
    def test_the_first_run_must_bring_it(self, tmp_path: Path) -> None:
        store = Store(tmp_path / "s")
        with pytest.raises(InvalidInputError, match="has no gold yet\nhint: pass gold"):
            store.add("h0", run=0, predictions=SHORT_GOLD)
        assert not store.path.exists()

    def test_given_again_in_another_order(self, store: Store) -> None:
        store.add("h1", run=0, predictions=list("dcba"), gold=SHORT_GOLD[::-1], ids=SHORT_IDS[::-1])
        assert store.load("h1", 0).predictions.tolist() == list("abcd")

    def test_given_again_without_ids(self, store: Store) -> None:
        store.add("h1", run=0, predictions=list("abcd"), gold=SHORT_GOLD)
        with pytest.raises(InvalidInputError, match=r"'q1' is 'x' in the study, 'y'.*4 of 4 items differ"):
            store.add("h1", run=1, predictions=list("abcd"), gold=SHORT_GOLD[::-1])

    def test_another_gold_names_the_first_item(self, store: Store) -> None:
        before = tree(store)
        with pytest.raises(InvalidInputError, match=r"item 'q3' is 'x' in the study, 'z' in .* 1 of 4 items"):
            store.add("h1", run=0, predictions=SHORT_GOLD, gold=["x", "y", "z", "y"])
        assert tree(store) == before

    def test_a_gold_without_runs_can_be_thrown_away(self, store: Store) -> None:
        store.remove("h0", 0)
        with pytest.raises(InvalidInputError, match=r"no run was added yet: delete .*gold\.json"):
            store.add("h1", run=0, predictions=SHORT_GOLD, gold=SHORT_GOLD[::-1])

    def test_clusters(self, tmp_path: Path, store: Store) -> None:
        other = Store(tmp_path / "clustered")
        keyed = {"q2": 1, "q1": 1, "q4": 2, "q3": 2}
        other.add("h0", run=0, predictions=SHORT_GOLD, gold=SHORT_GOLD, ids=SHORT_IDS, clusters=keyed)
        other.add(
            "h0",
            run=1,
            predictions=SHORT_GOLD,
            gold=SHORT_GOLD[::-1],
            ids=SHORT_IDS[::-1],
            clusters=[2, 2, 1, 1],
        )
        clusters = other.gold().clusters
        assert clusters is not None
        assert clusters.tolist() == [1, 1, 2, 2]
        with pytest.raises(InvalidInputError, match="cluster of item 'q2' is 1 in the study, 2"):
            other.add("h0", run=2, predictions=SHORT_GOLD, gold=SHORT_GOLD, clusters=[1, 2, 2, 2])
        with pytest.raises(InvalidInputError, match="has no clusters, but the new gold has"):
            store.add("h0", run=2, predictions=SHORT_GOLD, gold=SHORT_GOLD, clusters=[1, 2, 2, 2])
        with pytest.raises(InvalidInputError, match="clusters belong to the gold"):
            store.add("h0", run=2, predictions=SHORT_GOLD, clusters=[1, 2, 2, 2])

    def test_one_item_is_no_study(self, tmp_path: Path) -> None:
        with pytest.raises(InvalidInputError, match="at least 2 items, got 1"):
            Store(tmp_path).add("h0", run=0, predictions=["x"], gold=["x"])


class TestSoft:
    ROWS = ([0.25, 0.75], [1.0, 0.0], [1 / 3, 2 / 3], [0.1, 0.9])

    def test_soft_gold_and_soft_predictions(self, tmp_path: Path) -> None:
        store = Store(tmp_path)
        store.add(
            "h0",
            run=0,
            predictions=self.ROWS,
            gold=self.ROWS,
            reading=Reading(classes=["no", "yes"]),
            ids=SHORT_IDS,
        )
        store.add(
            "h1",
            run=0,
            predictions=[row[::-1] for row in self.ROWS[::-1]],
            reading=Reading(classes=["yes", "no"]),
            ids=SHORT_IDS[::-1],
        )
        found = store.load("h1", 0)
        assert found.predictions.tolist() == list(self.ROWS)
        assert found.classes is not None
        assert found.classes.tolist() == ["no", "yes"]
        assert store.load("h0", 0).hash == found.hash

    def test_soft_predictions_of_a_hard_gold_are_kept_in_one_order_of_classes(self, store: Store) -> None:
        store.add("h1", run=0, predictions=self.ROWS, reading=Reading(classes=["y", "x"]))
        found = store.load("h1", 0)
        assert found.classes is not None
        assert found.classes.tolist() == ["x", "y"]
        assert found.predictions[0].tolist() == [0.75, 0.25]

    def test_soft_predictions_need_classes_that_the_gold_knows(self, store: Store) -> None:
        with pytest.raises(
            InvalidInputError, match="the gold of the study holds the label 'x', which is none"
        ):
            store.add("h1", run=0, predictions=self.ROWS)

    def test_another_number_of_classes(self, tmp_path: Path) -> None:
        store = Store(tmp_path)
        store.add("h0", run=0, predictions=self.ROWS, gold=[0, 1, 0, 1], reading=Reading(classes=[0, 1]))
        with pytest.raises(InvalidInputError, match=r"the study has 2 classes \(0, 1\), got 3"):
            store.add("h1", run=0, predictions=np.full((4, 3), 1 / 3))
        with pytest.raises(InvalidInputError, match="classes of the study are 0, 1, these are 0, 7"):
            store.add("h1", run=0, predictions=self.ROWS, reading=Reading(classes=[0, 7]))
        with pytest.raises(InvalidInputError, match="classes of the study are 0, 1, these are 0, 7"):
            store.add("h1", run=0, predictions=[0, 0, 0, 0], reading=Reading(classes=[0, 7]))

    def test_rows_that_are_no_distributions_are_named(self, store: Store) -> None:
        bad = [[0.5, 0.5], [0.5, 0.6], [1, 0], [1, 0]]
        with pytest.raises(InvalidInputError, match=r"run '0' of 'h1', item 'q2' sums to 1\.1"):
            store.add("h1", run=0, predictions=bad, reading=Reading(classes=["x", "y"]), ids=SHORT_IDS)
        store.add("h1", run=0, predictions=bad, reading=Reading(classes=["x", "y"], normalise=True))
        assert store.load("h1", 0).predictions[1].tolist() == [0.5 / 1.1, 0.6 / 1.1]


class TestRoles:
    def test_defaults(self, store: Store) -> None:
        store.add("h1", run=0, predictions=SHORT_GOLD)
        store.add("h0", run=1, predictions=SHORT_GOLD)
        assert store.role("h0") == (True, None)
        assert store.role("h1") == (False, None)
        store.add("b2", run=0, predictions=SHORT_GOLD, baseline=True)
        assert store.against("h1") == ("b2", "h0")
        assert store.against("h0") == ()

    def test_against_some(self, store: Store) -> None:
        store.add("b2", run=0, predictions=SHORT_GOLD, baseline=True)
        store.add("h1", run=0, predictions=SHORT_GOLD, against="h0")
        store.add("h1", run=1, predictions=SHORT_GOLD)
        store.add("h1", run=2, predictions=SHORT_GOLD, against=["h0"])
        assert store.against("h1") == ("h0",)
        with pytest.raises(
            InvalidInputError, match="'h1' is a treatment against h0 in run '0', and would be a trea"
        ):
            store.add("h1", run=3, predictions=SHORT_GOLD, against=["b2", "h0"])
        with pytest.raises(InvalidInputError, match="and would be a baseline in run '3'"):
            store.add("h1", run=3, predictions=SHORT_GOLD, baseline=True)

    def test_the_only_run_may_change_its_role(self, store: Store) -> None:
        store.add("h1", run=0, predictions=SHORT_GOLD, against="h0")
        store.add("h1", run=0, predictions=SHORT_GOLD, baseline=True, replace=True)
        assert store.role("h1") == (True, None)

    def test_a_treatment_may_come_before_its_baseline(self, store: Store) -> None:
        store.add("h1", run=0, predictions=SHORT_GOLD, against="b2")
        with pytest.raises(
            InvalidInputError, match="'h1' is to be compared with 'b2', which is not a baseline"
        ):
            store.against("h1")
        store.add("b2", run=0, predictions=SHORT_GOLD, baseline=True)
        assert store.against("h1") == ("b2",)

    def test_nonsense(self, store: Store) -> None:
        store.add("h1", run=0, predictions=SHORT_GOLD)
        with pytest.raises(InvalidInputError, match="cannot both be a baseline and be compared against 'h0'"):
            store.add("h2", run=0, predictions=SHORT_GOLD, baseline=True, against="h0")
        with pytest.raises(
            InvalidInputError, match="'h2' is to be compared with 'h1', which is not a baseline"
        ):
            store.add("h2", run=0, predictions=SHORT_GOLD, against="h1")
        for against in ([], "h2"):
            with pytest.raises(InvalidInputError, match="must name one or more other conditions for 'h2'"):
                store.add("h2", run=0, predictions=SHORT_GOLD, against=against)
        with pytest.raises(InvalidInputError, match="no condition 'h7'\nhint: its conditions: h0, h1"):
            store.against("h7")

    def test_runs_that_disagree(self, store: Store, tmp_path: Path) -> None:
        other = Store(tmp_path / "other")
        other.add("h1", run=1, predictions=SHORT_GOLD, gold=SHORT_GOLD, ids=SHORT_IDS, against="h0")
        store.add("h1", run=0, predictions=SHORT_GOLD)
        (other.path / "runs/h1/1.json").rename(store.path / "runs/h1/1.json")  # as if both were added at once
        with pytest.raises(
            StudyError, match="'h1' disagree: it is a treatment against all baselines in run '0'"
        ):
            store.role("h1")


@pytest.mark.parametrize("old", [{"classes": ["x", "y"]}, {"normalise": True}])
def test_how_labels_are_read_is_no_tag(tmp_path: Path, old: dict[str, Any]) -> None:
    with pytest.raises(TypeError) as raised:
        Study(tmp_path).add("h0", run=0, predictions=[0, 1], gold=[0, 1], **old)
    assert "reading=bestby.Reading(" in str(raised.value)
