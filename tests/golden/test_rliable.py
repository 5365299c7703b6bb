"""Numbers of rliable (Agarwal et al. 2021), and the runs of TD3 by formulas of that paper."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import bestby as bb

X = np.array([[1, 2], [2, 2], [1, 1], [2, 1]])
Y = np.array([[1, 1], [2, 2], [3, 3]])
"""The scores, runs x tasks, in tests/rliable/metrics_test.py of google-research/rliable at 3ccd9f4."""


def test_the_numbers_of_its_tests() -> None:
    result = bb.compare_datasets({"x": X.T, "y": Y.T}, statistic="iqm", test=None, interval=None)
    assert {entry.system: entry.score for entry in result.runs.systems} == pytest.approx({"x": 1.5, "y": 2.0})
    (one,) = result.runs.improvements
    above = one.estimate if one.a == "x" else 1.0 - one.estimate
    assert above == pytest.approx(1 / 3)


def test_runs_of_td3_on_seven_tasks(shared_data: Callable[[str], Path]) -> None:
    """Formulas of the paper, section 4.3, in NumPy and SciPy; nothing of it is published for these runs."""
    path = shared_data("td3_seeds") / "td3_final_and_max.csv"
    with path.open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    runs: dict[str, dict[str, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    for row in rows:
        for system in ("final", "max"):
            runs[row["env"]][system][row["seed"]] = float(row[system])
    raw = bb.compare_datasets(runs, paired=True)
    assert "scales_differ" in {note.code for note in raw.notes}
    ranges = {name: (0.0, max(row["max"].values())) for name, row in runs.items()}
    ranges["Reacher"] = (-12.0, -3.0)
    result = bb.compare_datasets(runs, normalise=ranges, statistic="iqm", paired=True)
    assert "scales_differ" not in {note.code for note in result.notes}
    for entry in result.runs.systems:
        raw_scores = {name: np.array(list(row[entry.system].values())) for name, row in runs.items()}
        scores = np.array([(x - ranges[n][0]) / (ranges[n][1] - ranges[n][0]) for n, x in raw_scores.items()])
        assert entry.score == pytest.approx(stats.trim_mean(scores, 0.25, axis=None))
        assert entry.optimality_gap == pytest.approx(1.0 - np.minimum(scores, 1.0).mean())
        assert entry.interval.low < entry.score < entry.interval.high
    assert result.runs.systems[0].system == "max"
    assert bb.load(result.to_json()) == result
