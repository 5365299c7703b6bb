"""Published numbers: score intervals, McNemar, t, Wilcoxon, Friedman, Cochran's Q, corrections, letters."""

from __future__ import annotations

import numpy as np
import pytest

from bestby.inference import classical, groups, multiplicity, proportions


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_newcombe_1998(successes: int, n: int, low: float, high: float) -> None:
    # Newcombe (1998), Statist. Med. 17, 857-872, Table I, method 3
    assert proportions.wilson(successes, n) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize(
    ("n10", "n01", "n", "level", "low", "high", "digits"),
    [
        # Tango (1998), Statist. Med. 17, 891-908: soft contact lenses, (43, 0, 1, 0), 90 %;
        # both as also printed in the tests of the R package ratesci (pairbinci)
        (0, 1, 44, 0.90, -0.096, 0.037, 3),
        (9, 3, 32, 0.95, -0.027, 0.390, 3),
        # Fagerland, Lydersen and Laake (2014), Statist. Med. 33, 2850-2875, Tables: Bentur et al.
        # (2009), (1, 1, 7, 12); Cavo et al. (2012), (59, 6, 16, 80), the latter to four digits in the
        # R package contingencytables
        (1, 7, 21, 0.95, -0.517, -0.026, 3),
        (6, 16, 161, 0.95, -0.1240, -0.0054, 4),
        # R package PropCIs 0.3-0, scoreci.mp(25, 28, 618, 0.9), which is of (28 - 25) / 618
        (28, 25, 618, 0.90, -0.0148, 0.0247, 4),
    ],
)
def test_tango(n10: int, n01: int, n: int, level: float, low: float, high: float, digits: int) -> None:
    assert proportions.tango(n10, n01, n, level) == pytest.approx((low, high), abs=0.5001 * 10.0**-digits)


@pytest.mark.parametrize(
    ("n10", "n01", "exact", "midp"), [(1, 7, 0.0703125, 0.0390625), (6, 16, 0.052479, 0.034690)]
)
def test_mcnemar_fagerland(n10: int, n01: int, exact: float, midp: float) -> None:
    # Fagerland, Lydersen and Laake (2013), BMC Med. Res. Methodol. 13, 91; six digits in contingencytables
    assert classical.mcnemar(n10, n01).p_value == pytest.approx(exact, abs=5e-7)
    assert classical.mcnemar_midp(n10, n01).p_value == pytest.approx(midp, abs=5e-7)


def test_paired_t_sleep() -> None:
    # Student (1908); R: t.test(extra ~ group, paired) on `sleep` gives t = -4.0621, df = 9, p = 0.002833
    first = np.array([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0])
    second = np.array([1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4])
    result = classical.paired_t(first - second)
    assert result.statistic == pytest.approx(-4.0621, abs=5e-5)
    assert result.p_value == pytest.approx(0.002833, abs=5e-7)


def test_wilcoxon_depression() -> None:
    # Hollander and Wolfe (1973), p. 29; R: wilcox.test(x, y, paired = TRUE, alternative = "greater")
    # gives V = 40, p = 0.01953
    x = np.array([1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30])
    y = np.array([0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29])
    result = classical.wilcoxon(x - y, "greater")
    assert result.exact
    assert result.statistic == 40.0 - 5.0  # V less the sum of the other ranks, 45 - 40
    assert result.p_value == pytest.approx(0.01953, abs=5e-6)


def test_friedman_rounding_first_base() -> None:
    # Hollander and Wolfe (1973), p. 140; R: friedman.test(RoundingTimes) gives 11.143, df = 2, p = 0.003805
    times = [
        *[(5.40, 5.50, 5.55), (5.85, 5.70, 5.75), (5.20, 5.60, 5.50), (5.55, 5.50, 5.40), (5.90, 5.85, 5.70)],
        *[(5.45, 5.55, 5.60), (5.40, 5.40, 5.35), (5.45, 5.50, 5.35), (5.25, 5.15, 5.00), (5.85, 5.80, 5.70)],
        *[(5.25, 5.20, 5.10), (5.65, 5.55, 5.45), (5.60, 5.35, 5.45), (5.05, 5.00, 4.95), (5.50, 5.50, 5.40)],
        *[(5.45, 5.55, 5.50), (5.55, 5.55, 5.35), (5.45, 5.50, 5.55), (5.50, 5.45, 5.25), (5.65, 5.60, 5.40)],
        *[(5.70, 5.65, 5.55), (6.30, 6.30, 6.25)],
    ]
    statistic, df, p = classical.friedman(times)
    assert (statistic, df) == (pytest.approx(11.143, abs=5e-4), 2)
    assert p == pytest.approx(0.003805, abs=5e-7)


def test_cochran_diphtheria_media() -> None:
    # Cochran (1950), Biometrika 37, 256-266, Table 2: four media, 69 specimens, Q = 8.05 with 3 df
    rows = [((1, 1, 1, 1), 4), ((1, 1, 0, 1), 2), ((0, 1, 1, 1), 3), ((0, 1, 0, 1), 1), ((0, 0, 0, 0), 59)]
    statistic, df, p = classical.cochran_q([row for row, times in rows for _ in range(times)])
    assert (statistic, df) == (pytest.approx(8.05, abs=0.005), 3)
    assert p == pytest.approx(0.045, abs=5e-4)


def test_corrections_benjamini_and_hochberg_1995() -> None:
    # Section 4.1: of these fifteen p-values Bonferroni rejects three at 0.05, the new procedure four
    raw = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459]
    raw += [0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0]
    assert (multiplicity.bonferroni(raw) <= 0.05).sum() == 3
    assert (multiplicity.holm(raw) <= 0.05).sum() == 3
    assert (multiplicity.benjamini_hochberg(raw) <= 0.05).sum() == 4


def test_letters_bestgen_2022() -> None:
    # The five systems of Figure 2 (aspect-based sentiment, no correction), in rank order
    different = np.zeros((5, 5), dtype=bool)
    for i, j in [(0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 4)]:
        different[i, j] = different[j, i] = True
    assert groups.letters(different) == ("a", "a", "b", "bc", "c")
