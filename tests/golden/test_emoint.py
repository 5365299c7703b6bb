"""Permutation tests of Pearson's correlation on EmoInt, against the p-values published with them.

Bestgen (2022), Please, don't forget the difference and the confidence interval when seeking for the
state-of-the-art status, LREC 2022, Table 1 (emotion joy), and the file ResTestPermAll.txt that it sums up:
folder S2_EmoInt of the repository github.com/ybestgen/BootCIRealData. The tests look for a checkout of it in
the folder ``bootci_real_data`` of the published data: ``git clone https://github.com/ybestgen/BootCIRealData
$BESTBY_SHARED_DATA/bootci_real_data``.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bestby import Evaluation, compare, compare_folds

CONDITIONS = {"Full model": "Fu", "Without FC": "A1", "Without CNN": "A2", "Without LE": "A3"}
PAIRS = tuple(itertools.combinations(CONDITIONS.values(), 2))
VALIDATIONS = 20
RESAMPLES = 10_000

TABLE = {
    ("Fu", "A1"): (0.802, 0.802, 0.0315, 0.9779, 3),
    ("Fu", "A2"): (0.802, 0.791, 0.0032, 0.2930, 7),
    ("Fu", "A3"): (0.802, 0.710, 0.0001, 0.0001, 20),
    ("A1", "A2"): (0.802, 0.791, 0.0020, 0.3341, 5),
    ("A1", "A3"): (0.802, 0.710, 0.0001, 0.0001, 20),
    ("A2", "A3"): (0.791, 0.710, 0.0001, 0.0001, 20),
}
"""Table 1: mean correlations, least and greatest p-value, significant comparisons of 20."""


def published(folder: Path) -> dict[tuple[str, str], list[tuple[float, float]]]:
    """Return per pair the differences and p-values of the twenty cross-validations of joy."""
    text = (folder / "Expected_Output" / "ResTestPermAll.txt").read_text(encoding="utf-8")
    part = re.split(r"Table \d : ", text)[3]
    assert part.startswith("joy")
    found: dict[tuple[str, str], list[tuple[float, float]]] = {pair: [] for pair in PAIRS}
    name = "|".join(CONDITIONS)
    for line in part.splitlines():
        match = re.match(rf"\s*({name})\s+({name})\s.*\|\s*(\S+)\s+(\S+)", line)
        if match:
            pair = CONDITIONS[match[1]], CONDITIONS[match[2]]
            found[pair].append((float(match[3]), float(match[4])))
    assert all(len(rows) == VALIDATIONS for rows in found.values())
    return found


SPREAD = {
    ("Fu", "A1"): (-0.010, 0.001, -0.005, 0.005, -0.001, 0.011),
    ("Fu", "A2"): (-0.005, 0.007, 0.006, 0.018, 0.017, 0.030),
    ("A1", "A2"): (-0.005, 0.007, 0.006, 0.017, 0.018, 0.029),
}
"""Table 1: least and greatest lower end, difference and upper end."""

EXCLUDING = {("Fu", "A1"): 3, ("Fu", "A2"): 9, ("A1", "A2"): 10}
"""ResTestBootCISum.txt: intervals of 20 that do not hold 0."""


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    return {}


@pytest.fixture
def joy(shared_data: Callable[[str], Path], results: dict[str, Any]) -> tuple[Any, Any]:
    """Return what was published and the comparisons, made once, of every cross-validation."""
    folder = shared_data("bootci_real_data") / "S2_EmoInt"
    if not results:
        results["published"] = published(folder)
        results["comparisons"] = [_compared(folder, 2 + 4 * number) for number in range(VALIDATIONS)]
    return results["published"], results["comparisons"]


def _read(folder: Path, number: int) -> tuple[dict[str, Any], Any]:
    columns = {
        code: np.loadtxt(folder / "Data" / f"CV{code}_joy{number}.csv", delimiter=",")
        for code in CONDITIONS.values()
    }
    return {code: predictions for code, (predictions, _) in columns.items()}, columns["Fu"][1]


def _compared(folder: Path, number: int) -> Any:
    return compare(
        *_read(folder, number),
        metric="pearson",
        correction="none",
        interval="normal",
        n_resamples=RESAMPLES,
    )


@pytest.mark.parametrize("pair", PAIRS)
def test_every_p_value_is_the_published_one_within_monte_carlo_error(joy: Any, pair: tuple[str, str]) -> None:
    ours = [comparison[pair].p_value for comparison in joy[1]]
    for (difference, theirs), comparison in zip(joy[0][pair], joy[1], strict=True):
        assert comparison[pair].estimate == pytest.approx(difference, abs=5.1e-5)
        p = max(theirs, 2.0 / RESAMPLES)
        error = math.sqrt(2.0 * p * (1.0 - p) / RESAMPLES)
        assert abs(comparison[pair].p_value - theirs) < 4.0 * error
    # The error of a mean of twenty is below .001.
    assert np.mean(ours) == pytest.approx(np.mean([p for _, p in joy[0][pair]]), abs=0.003)


@pytest.mark.parametrize("pair", PAIRS)
def test_table_1_up_to_p_values_that_chance_moves_across_the_level(joy: Any, pair: tuple[str, str]) -> None:
    first, second, least, greatest, significant = TABLE[pair]
    of_pair = [comparison[pair] for comparison in joy[1]]
    assert np.mean([d.score_a for d in of_pair]) == pytest.approx(first, abs=0.0006)
    assert np.mean([d.score_b for d in of_pair]) == pytest.approx(second, abs=0.0006)
    ours = np.array([d.p_value for d in of_pair])
    assert ours.min() == pytest.approx(least, abs=max(0.15 * least, 1e-4))
    assert ours.max() == pytest.approx(greatest, abs=0.02)
    theirs = np.array([p for _, p in joy[0][pair]])
    assert np.count_nonzero(theirs <= 0.05) == significant
    clear = np.abs(theirs - 0.05) > 4.0 * math.sqrt(2.0 * 0.05 * 0.95 / RESAMPLES)
    assert ((ours <= 0.05) == (theirs <= 0.05))[clear].all()
    assert abs(np.count_nonzero(ours <= 0.05) - significant) <= 1


def test_nothing_says_that_the_scales_of_these_systems_differ(joy: Any) -> None:
    assert "different_scales" not in {note.code for comparison in joy[1] for note in comparison.notes}


def test_one_call_makes_table_1(shared_data: Callable[[str], Path]) -> None:
    """Repetitions without their folds: three decimals of differences, two of the ends of resampled BCa."""
    folder = shared_data("bootci_real_data") / "S2_EmoInt"
    parts = {str(n): Evaluation.of(*_read(folder, n)) for n in range(2, 4 * VALIDATIONS, 4)}
    systems = [code for code in CONDITIONS.values() if code != "A3"]
    result = compare_folds(parts, metric="pearson", systems=systems, interval="bca", n_resamples=RESAMPLES)
    assert len(result.spread) == len(SPREAD)
    for spread in result.spread:
        sign = 1.0 if (spread.a, spread.b) in TABLE else -1.0
        pair = (spread.a, spread.b) if sign > 0 else (spread.b, spread.a)
        low, high = (spread.low, spread.high) if sign > 0 else (spread.high, spread.low)
        ends = [sorted(sign * x for x in values) for values in (low, spread.difference, high)]
        expected = SPREAD[pair]
        assert ends[1] == pytest.approx(expected[2:4], abs=0.0006)
        assert [*ends[0], *ends[2]] == pytest.approx([*expected[:2], *expected[4:]], abs=0.004)
        assert spread.n_repetitions == VALIDATIONS
        assert abs(spread.n_significant - TABLE[pair][4]) <= 1, "p-values near .05 are drawn"
        assert abs(spread.n_excluding - EXCLUDING[pair]) <= 1, "so are the ends of BCa"
