"""Over the tasks of a board, all intervals of mean differences hold at once as often as they say.

Bounds leave a tail of 1e-4 each (see counting.py); seeds are fixed.
"""

from __future__ import annotations

import numpy as np
import pytest
from tests.calibration.counting import at_least, at_most

from bestby import Evaluation
from bestby.boards.overall import MeanDifferences, means_over
from bestby.metrics import resolve

LEVEL = 0.05
SIZE = 500
NAMES = tuple(f"s{place}" for place in range(6))


def false_pairs(generator: np.random.Generator, sizes: tuple[int, ...], *, numbers: bool) -> bool:
    """Return whether any two of equally good systems are said to differ."""
    evaluations = {}
    for task, n in enumerate(sizes):
        easy = generator.normal(size=n)
        noise = (
            generator.standard_t(5, size=(len(NAMES), n))
            if numbers
            else generator.normal(size=(len(NAMES), n))
        )
        values = easy + noise if numbers else (easy + noise < 1.2).astype(float)
        evaluations[str(task)] = Evaluation.of(dict(zip(NAMES, values, strict=True)))
    tasks = [([resolve("mean")], evaluation) for evaluation in evaluations.values()]
    found = MeanDifferences.of(means_over(NAMES, tasks), 1.0 - LEVEL)
    return bool((np.abs(found.estimate) > found.half).any())


@pytest.mark.parametrize("sizes", [(60, 120, 240), (40, 400)])
@pytest.mark.parametrize("numbers", [False, True])
def test_false_differences_over_tasks_are_five_percent_of_boards_at_most(
    sizes: tuple[int, ...], numbers: bool
) -> None:
    generator = np.random.default_rng(3)
    found = sum(false_pairs(generator, sizes, numbers=numbers) for _ in range(SIZE))
    assert found <= at_most(LEVEL, SIZE)
    assert found >= at_least(0.01, SIZE)  # far from Bonferroni for every pair and task
