"""Five systems on 638 items, against the figures published with them.

Bestgen (2022), Please, don't forget the difference and the confidence interval when seeking for the
state-of-the-art status, LREC 2022, Figure 2: files ResBootCIABSA.txt and ResFPTestABSA.txt of the
repository ybestgen/BootCIRealData, folder S1_ABSA.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bestby import compare
from bestby.inference.distributions import mean_bootstrap, replicates
from bestby.inference.intervals import acceleration, bca
from bestby.resampling import totals
from bestby.resampling.units import single_stratum
from bestby.results import Comparison

SYSTEMS = ("aen_bert", "bert_spc", "memnet", "atae_lstm", "td_lstm")
STEP = 1.0 / 638  # accuracies on 638 items are multiples of it
ROUNDING = 0.0005


@pytest.fixture
def absa(shared_data: Callable[[str], Path]) -> tuple[dict[str, list[int]], list[int], Path]:
    folder = shared_data("absa")
    systems: dict[str, list[int]] = {}
    gold: list[int] = []
    for name in SYSTEMS:
        with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            predictions, labels = ([int(float(v)) for v in row] for row in csv.reader(file) if row)
        assert not gold or gold == labels
        systems[name], gold = predictions, labels
    assert len(gold) == 638
    return systems, gold, folder


def published(path: Path) -> dict[tuple[str, str], list[float]]:
    """Return the numbers after the names of each pair."""
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        match = re.match(r"\s*(\w+)\s+(\w+)\s+(\d\.\d+\s+\d\.\d+\s+\|.*)", line)
        if match:
            found[match[1], match[2]] = [float(v) for v in re.findall(r"-?\d+\.\d+", match[3])]
    assert len(found) == 10
    return found


@pytest.fixture
def result(absa: Any) -> Comparison:
    return compare(absa[0], absa[1], interval="bca", correction="none")


def test_scores_and_differences_are_the_published_ones(result: Comparison, absa: Any) -> None:
    for (a, b), (score_a, score_b, _, difference, _) in published(absa[2] / "ResBootCIABSA.txt").items():
        d = result[a, b]
        assert (round(d.score_a, 3), round(d.score_b, 3)) == (score_a, score_b)
        assert round(d.estimate, 4) == difference


def test_ends_with_half_ties_are_within_two_steps(result: Comparison, absa: Any) -> None:
    for (a, b), (_, _, low, _, high) in published(absa[2] / "ResBootCIABSA.txt").items():
        interval = result[a, b].interval
        assert (interval.method, interval.exact) == ("bca", True)
        assert interval.low == pytest.approx(low, abs=2 * STEP + ROUNDING)
        assert interval.high == pytest.approx(high, abs=2 * STEP + ROUNDING)


@pytest.mark.parametrize("drawn", [False, True])
def test_ends_with_strict_ties_are_within_one_step(absa: Any, drawn: bool) -> None:
    systems, gold, folder = absa
    right = {name: np.array(values) == np.array(gold) for name, values in systems.items()}
    ones = np.ones(638, dtype=np.int64)
    for (a, b), (_, _, low, _, high) in published(folder / "ResBootCIABSA.txt").items():
        d = right[a].astype(float) - right[b]
        distribution: Any = mean_bootstrap(d, ones, np.array([0, 638]))
        if drawn:
            sums = totals.bootstrap(d[:, None], single_stratum(638), 10_000, 1, lambda t: t)
            distribution = replicates(sums[:, 0] / 638)
        ends = bca(distribution, float(d.mean()), acceleration(-d, ones), 0.95, ties="strict")
        assert ends is not None
        assert ends == pytest.approx((low, high), abs=STEP + ROUNDING)


def test_half_ties_move_the_ends_up_by_at_most_a_step(absa: Any) -> None:
    systems, gold, _ = absa
    d = (np.array(systems["aen_bert"]) == gold).astype(float) - (np.array(systems["td_lstm"]) == gold)
    ones = np.ones(638, dtype=np.int64)
    distribution = mean_bootstrap(d, ones, np.array([0, 638]))
    assert distribution is not None
    strict, half = (bca(distribution, float(d.mean()), 0.0, 0.95, ties=t) for t in ("strict", "half"))
    assert strict is not None
    assert half is not None
    for one, other in zip(strict, half, strict=True):
        assert -1e-12 <= other - one <= STEP + 1e-12
    assert strict != half


def test_p_values_are_within_four_standard_errors_of_the_published_ones(
    result: Comparison, absa: Any
) -> None:
    for (a, b), (_, _, difference, p) in published(absa[2] / "ResFPTestABSA.txt").items():
        d = result[a, b]
        assert d.exact
        assert round(d.estimate, 4) == difference
        # Theirs: (1 + hits) / 10 000 or so, rounded to 4 decimals, of 10 000 permutations.
        error = math.sqrt(d.p_value * (1.0 - d.p_value) / 10_000)
        assert p == pytest.approx(d.p_value, abs=4.0 * error + 1.5e-4)


def test_letters_and_order(result: Comparison) -> None:
    assert [(s.system, s.group) for s in result.systems] == list(
        zip(SYSTEMS, ("a", "a", "b", "bc", "c"), strict=True)
    )


def test_holm_leaves_two_groups(absa: Any) -> None:
    """memnet against td_lstm, p = 0.04, is one of ten comparisons: the last three become one group."""
    holm = compare(absa[0], absa[1])
    assert [s.group for s in holm.systems] == ["a", "a", "b", "b", "b"]
