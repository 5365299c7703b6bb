"""LiveCodeBench, self-repair: what other samples of the problems would change, and other problems."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from bestby import compare


def test_live_code_bench(shared_data: Callable[[str], Path]) -> None:
    """Pass@1 of 10 samples in per cent: means, and both standard errors from the column by hand."""
    with (shared_data("lcb_selfrepair") / "pass_at_1_percent.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    models = ("GPT-4O-2024-05-13", "Claude-3.5-Sonnet-20240620")
    rates = {model: np.array([int(row[model]) / 100 for row in rows]) for model in models}
    systems = {model: [(10, round(10 * rate)) for rate in column] for model, column in rates.items()}
    result = compare(systems, metric="pass@1", n_resamples=1000)
    for entry in result.systems:
        assert entry.score == pytest.approx(rates[entry.system].mean(), abs=1e-12)
    gap = rates[models[0]] - rates[models[1]]
    new = gap.std(ddof=1) / math.sqrt(len(rows))
    same = math.sqrt(sum((p * (1 - p) / 9).sum() for p in rates.values())) / len(rows)
    (note,) = [note for note in result.notes if note.code == "within_items"]
    assert f" are {new:.2g} for other items with other samples of each, and {same:.2g} for" in note.message
    width = result.differences[0].interval.high - result.differences[0].interval.low
    assert width / (2 * 1.96 * new) == pytest.approx(1.0, abs=0.05)
