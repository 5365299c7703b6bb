"""Slices of real data: the heuristics of HANS, and the tasks of BIG-Bench Hard."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import bestby as bb


def test_hans_by_heuristic(shared_data: Callable[[str], Path]) -> None:
    table = pd.read_csv(shared_data("hans") / "hans_4systems.csv.gz", dtype=str)
    for name in ("spinn", "esim"):
        table[name] = table[name].where(table[name] == "e", "x")
    result = bb.compare_slices(table[["gold", "heuristic", "spinn", "esim"]], "gold", by="heuristic")
    for one in result:
        own = table[table["heuristic"] == one.slice]
        gap = (own["spinn"] == own["gold"]).mean() - (own["esim"] == own["gold"]).mean()
        assert one.difference.estimate == pytest.approx(gap)
    assert {one.slice for one in result if one.significant} == {"constituent", "lexical_overlap"}
    (tested,) = result.heterogeneity
    assert tested.p_value < 1e-10
    assert tested.sign_p is not None
    assert tested.sign_p < 0.01


def test_chains_of_thought_by_task(shared_data: Callable[[str], Path]) -> None:
    table = pd.read_csv(shared_data("bbh_codex") / "bbh_direct_vs_cot.csv")
    result = bb.compare_slices(table[["task", "cot_correct", "direct_correct"]], by="task")
    means = table.groupby("task")[["cot_correct", "direct_correct"]].mean()
    for one in result:
        expected = means.loc[one.slice, "cot_correct"] - means.loc[one.slice, "direct_correct"]
        assert one.difference.estimate == pytest.approx(expected)
    behind = [one.slice for one in result if one.significant and one.difference.estimate < 0.0]
    assert behind == ["word_sorting"]
    assert result.sentence.startswith(
        "cot_correct has a significantly higher mean than direct_correct on all items"
    )
