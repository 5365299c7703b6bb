"""The Ladder shows a submission if it is better than the last one shown by more than its standard error."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bestby._core.typing import FloatArray
from bestby.inference.ladder import Improvement, ladder, mean_improvement

GOLD = np.array([1, 0, 1, 1, 1, 0])
SUBMISSIONS = np.array([[0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0]])


def of_losses(new: FloatArray, last: FloatArray) -> Improvement:
    gains = last - new
    return Improvement(float(gains.mean()), float(gains.std(ddof=1) / math.sqrt(gains.size)))


def shown_losses(losses: FloatArray) -> list[float]:
    shown = ladder(range(len(losses)), lambda new, last: of_losses(losses[new], losses[last]))
    return [float(losses[max(one for one in shown if one <= t)].mean()) for t in range(len(losses))]


def test_an_improvement_of_one_item_is_a_tie_and_of_two_is_shown() -> None:
    losses = (SUBMISSIONS != GOLD).astype(float)
    assert losses.mean(axis=1).round(4).tolist() == [0.6667, 0.5, 0.3333]
    assert np.round(shown_losses(losses), 4).tolist() == [0.6667, 0.6667, 0.3333]


@pytest.mark.parametrize("n", [2, 3, 7, 100, 4000, 10**6])
def test_one_item_is_a_tie_whatever_the_number_of_items(n: int) -> None:
    gains = np.zeros(n)
    gains[n // 2] = 1.0
    assert not of_losses(np.zeros(n), gains).shown
    gains[0] = 1.0
    assert of_losses(np.zeros(n), gains).shown


@pytest.mark.parametrize("unit", [1e-12, 0.1, 1e9])
def test_a_tie_is_no_improvement_in_any_unit(unit: float) -> None:
    gains = np.zeros(30)
    gains[3] = 0.3
    tie = of_losses(np.zeros(30), unit * gains)
    assert not Improvement(tie.estimate, tie.error, unit).shown
    assert Improvement(1.000001 * tie.estimate, tie.error, unit).shown


@pytest.mark.parametrize(
    ("improvement", "shown"),
    [
        (Improvement(0.0, 0.0), False),
        (Improvement(0.1, 0.0), True),
        (Improvement(1e-17, 0.0), False),
        (Improvement(-0.1, 0.0), False),
        (Improvement(0.1, math.nan), False),
        (Improvement(math.nan, 0.0), False),
        (Improvement(math.inf, 0.0), True),
    ],
)
def test_what_is_nothing_or_undefined_is_not_shown(improvement: Improvement, shown: bool) -> None:
    assert improvement.shown is shown


def test_each_submission_is_compared_with_the_last_that_was_shown() -> None:
    scores, asked = [0.5, 0.505, 0.52, 0.51, 0.525, 0.54], []

    def improvement(new: int, last: int) -> Improvement:
        asked.append((new, last))
        return Improvement(scores[new] - scores[last], 0.01)

    assert ladder(range(6), improvement) == (0, 2, 5)
    assert asked == [(1, 0), (2, 0), (3, 2), (4, 2), (5, 2)]


def test_the_first_is_shown_without_a_question_and_none_of_none() -> None:
    def never(new: int, last: int) -> Improvement:
        raise AssertionError

    assert ladder([0], never) == (0,)
    assert ladder([], never) == ()


def test_over_tasks_standard_errors_add_up_as_those_of_independent_items() -> None:
    mean = mean_improvement([Improvement(0.3, 0.03, 1.0), Improvement(0.1, 0.04, 20.0)])
    assert (mean.estimate, mean.error, mean.scale) == (pytest.approx(0.2), pytest.approx(0.025), 20.0)
    assert mean_improvement([Improvement(0.3, 0.03)]) == Improvement(0.3, 0.03)
