"""Published numbers: Krippendorff's alpha and Fleiss' kappa."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bestby.metrics import agreement

# Krippendorff (2011), Computing Krippendorff's alpha-reliability, section C: four observers, twelve units.
OBSERVERS = """
1 2 3 3 2 1 4 1 2 . . .
1 2 3 3 2 2 4 1 2 5 . 3
. 3 3 3 2 3 4 2 2 5 1 .
1 2 3 3 2 4 4 1 2 5 1 .
"""

# Fleiss (1971), Table 1: psychiatric diagnoses of 30 patients by six raters each, in five categories,
# as listed in the R package irr (diagnoses), whose kappam.fleiss gives 0.4302445; .430 in the paper.
DIAGNOSES = """
444444 222555 233335 555555 222444 113333 333355 113334 114444 555555
144444 124444 222333 144444 224445 333335 111455 111112 224444 133555
555555 244444 224555 114444 144445 222224 111155 224444 133333 555555
"""

# The counts of the worked example of the Wikipedia article on Fleiss' kappa: 14 raters, kappa 0.210.
COUNTS = """
0 0 0 0 14
0 2 6 4 2
0 0 3 5 6
0 3 9 2 0
2 2 8 1 1
7 7 0 0 0
3 2 6 3 0
2 5 3 2 2
6 5 2 1 0
0 2 2 3 7
"""


def of_all(metric: Any, rows: Any) -> float:
    fitted = metric.fit(None, [rows], None)
    return float(fitted.score(fitted.statistics(None, rows).sum(axis=0)))


def units() -> list[tuple[int | None, ...]]:
    observers = [line.split() for line in OBSERVERS.strip().splitlines()]
    return [
        tuple(None if label == "." else int(label) for label in unit) for unit in zip(*observers, strict=True)
    ]


@pytest.mark.parametrize(
    ("name", "published"),
    [
        ("krippendorff_alpha", 0.743),
        ("krippendorff_alpha_ordinal", 0.815),
        ("krippendorff_alpha_interval", 0.849),
        ("krippendorff_alpha_ratio", 0.797),
    ],
)
def test_alpha_krippendorff_2011(name: str, published: float) -> None:
    metric = agreement.NAMES[name][1](name)
    assert metric.name == name
    assert of_all(metric, units()) == pytest.approx(published, abs=5e-4)


def test_alpha_of_two_observers_krippendorff_2011() -> None:
    # ibid., section A (binary data, ten units: 0.095) and section B (nominal data, twelve units: 0.692)
    first = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    second = "aabbdcccedda", "babbbccceddd"
    assert of_all(agreement.NominalAlpha(), list(zip(*first, strict=True))) == pytest.approx(0.095, abs=5e-4)
    assert of_all(agreement.NominalAlpha(), list(zip(*second, strict=True))) == pytest.approx(0.692, abs=5e-4)


def test_kappa_fleiss_1971() -> None:
    assert of_all(agreement.FleissKappa(), [list(row) for row in DIAGNOSES.split()]) == pytest.approx(
        0.4302445, abs=5e-8
    )


def test_kappa_of_counts() -> None:
    counts = np.array([line.split() for line in COUNTS.strip().splitlines()], dtype=int)
    rows = [np.repeat(np.arange(5), row) for row in counts]
    assert of_all(agreement.FleissKappa(), rows) == pytest.approx(0.210, abs=5e-4)
