"""How a test set is cut into slices: bins, crossed columns, missing values, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.unit.questions.slices.examples import compared, drawn

import bestby as bb


def test_bins_are_quantiles_and_equal_numbers_stay_together() -> None:
    data = drawn()
    result = compared(data, {"length:4": data["length"]})
    assert len(result) == 4
    assert sum(one.difference.n_items for one in result) == 600
    assert max(one.difference.n_items for one in result) < 180
    tied = compared(data, {"length:4": np.r_[np.zeros(500), np.arange(100)]})
    assert [one.slice for one in tied] == ["0", "1 to 99"]
    ordered = compared(data, {"year": np.array([2, 10, 1])[np.arange(600) % 3]})
    assert [one.slice for one in ordered] == ["1", "2", "10"]


def test_numbers_in_names_are_in_the_order_of_their_size() -> None:
    data, which = drawn(), np.arange(600) % 3
    grades = np.array(["grade 10", "grade 2", "grade 1"])[which]
    result = compared(data, {"grade": grades})
    assert [one.slice for one in result] == ["grade 1", "grade 2", "grade 10"]
    mixed = compared(data, {"size": np.array(["10", "other", "9"])[which]})
    assert [one.slice for one in mixed] == ["9", "10", "other"]
    crossed = compared(data, {"grade": grades, "half": np.array(["h10", "h9"])[which // 2]}, crossed=True)
    assert [one.slice for one in crossed] == ["grade 1 × h9", "grade 2 × h10", "grade 10 × h10"]
    few = np.where(np.arange(600) < 3, np.array(["grade 9", "grade 11", "grade 8"])[which], grades)
    kept = compared(data, {"grade": few}, min_items=2)
    assert [one.slice for one in kept] == ["grade 1", "grade 2", "grade 10"]
    (told,) = [note.message for note in kept.notes if note.code == "slices_left_out"]
    assert told.endswith("are left out: grade 8, grade 9, grade 11")


def test_the_order_for_readers_changes_no_number() -> None:
    data, which = drawn(), np.arange(600) % 3
    numbered = compared(data, {"grade": np.array(["grade 10", "grade 2", "grade 1"])[which]})
    lettered = compared(data, {"grade": np.array(["grade b", "grade c", "grade a"])[which]})
    renamed = {"grade 1": "grade a", "grade 10": "grade b", "grade 2": "grade c"}
    for one in numbered:
        other = lettered[renamed[one.slice]]
        assert one.difference.interval == other.difference.interval
        assert one.difference.p_adjusted == other.difference.p_adjusted
        assert (one.detectable, one.shrunken) == (other.detectable, other.shrunken)


def test_crossed_slices() -> None:
    data = drawn()
    by = {"language": data["language"], "length:2": data["length"]}
    result = compared(data, by, crossed=True)
    assert result.columns == ("language × length:2",)
    assert len(result) == 8
    assert sum(one.difference.n_items for one in result) == 600
    apart = compared(data, by)
    assert apart.columns == ("language", "length:2")
    assert len(apart) == 6


def test_the_same_from_frames_files_and_evaluations(tmp_path: Path) -> None:
    data = drawn()
    frame = pd.DataFrame(data)[["gold", "new", "old", "language", "length"]]
    expected = compared(data, {"language": data["language"], "length:3": data["length"]})
    rows = expected.to_csv()
    assert bb.compare_slices(frame, "gold", by=["language", "length:3"]).to_csv() == rows
    keyed = {name: frame[name].tolist() for name in frame}
    assert bb.compare_slices(keyed, "gold", by=["language", "length:3"]).to_csv() == rows
    path = tmp_path / "p.csv"
    frame.to_csv(path, index=False)
    read = bb.read(path, gold="gold", by=["language", "length"])
    assert bb.compare_slices(read, by=["language", "length:3"]).to_csv() == rows
    long = frame.reset_index(names="item").melt(
        ["item", "gold", "language", "length"], var_name="system", value_name="prediction"
    )
    assert bb.compare_slices(long, by=["language", "length:3"]).to_csv() == rows
    plain = bb.read(path, gold="gold", reading=bb.Reading(ignore=["language", "length"]))
    beside = bb.compare_slices(plain, by={"language": data["language"], "length:3": data["length"]})
    assert beside.to_csv() == rows
    for name in ("new", "old"):
        frame[[name]].rename(columns={name: "prediction"}).assign(item=frame.index).to_csv(
            tmp_path / f"{name}.csv", index=False
        )
    frame[["gold", "language", "length"]].assign(item=frame.index).to_csv(tmp_path / "gold.csv", index=False)
    files = bb.read(
        [tmp_path / "new.csv", tmp_path / "old.csv"],
        gold=str(tmp_path / "gold.csv"),
        by=["language", "length"],
    )
    assert bb.compare_slices(files, by=["language", "length:3"]).to_csv() == rows


def test_missing_items_are_dropped_from_the_slices_too() -> None:
    data = drawn()
    frame = pd.DataFrame(data)[["gold", "new", "old", "language"]].astype({"new": "Int64"})
    frame.loc[5, "new"] = pd.NA
    result = bb.compare_slices(frame, "gold", by="language", on_missing="drop")
    assert result.n_items == 599
    lost = result[str(frame.loc[5, "language"])].difference.n_items
    assert lost == int((frame["language"] == frame.loc[5, "language"]).sum()) - 1


def test_the_gold_may_be_the_column() -> None:
    data = drawn()
    frame = pd.DataFrame(data)[["gold", "new", "old"]]
    result = bb.compare_slices(frame, by="gold")
    assert [one.slice for one in result] == ["0", "1"]
    assert bb.compare_slices(frame.to_dict("list"), "gold", by="gold").to_csv() == result.to_csv()


def test_slices_without_a_value_are_left_out() -> None:
    rng = np.random.default_rng(1)
    gold = np.r_[rng.integers(0, 2, 80), np.ones(40, dtype=int)]
    values = {name: np.clip(gold * 0.3 + rng.random(120) * 0.7, 0, 1) for name in ("a", "b")}
    by = {"x": np.repeat(["s", "t", "u"], 40)}
    result = bb.compare_slices(values, gold, by=by, metric="roc_auc", n_resamples=99)
    assert [one.slice for one in result] == ["s", "t"]
    assert any(note.code == "slice_undefined" and "u" in note.message for note in result.notes)
    with pytest.raises(bb.errors.DesignError, match="has a value in 1 of the 2 slices"):
        bb.compare_slices(values, gold, by={"x": np.repeat(["s", "u"], [80, 40])}, metric="roc_auc")


def test_min_items_leaves_slices_out_and_says_so() -> None:
    data = drawn()
    by = {"x": [0] + [1] * 300 + [2] * 299}
    result = compared(data, by, min_items=2)
    assert [one.slice for one in result] == ["1", "2"]
    (told,) = [note.message for note in result.notes if note.code == "slices_left_out"]
    assert told == "1 slice of column 'x' with fewer than 2 items (1 item in all) is left out: 0"
