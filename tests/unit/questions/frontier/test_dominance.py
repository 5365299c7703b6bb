"""Which systems are shown to be dominated: identities, and what the steps and the selection do."""

from __future__ import annotations

import numpy as np
import pytest

from bestby.questions.frontier.dominance import SELECTED, dominated, on_frontier, price_p_values

ALPHA = 0.05


def test_the_larger_p_value_of_the_quantities_counts() -> None:
    quality = np.array([[1.0, 0.001], [0.99, 1.0]])
    cost = np.array([[1.0, 0.02], [0.98, 1.0]])
    found = dominated([quality, cost], ALPHA)
    # both pairs are open: two hypotheses, at the share of the level that the selection leaves
    assert found.p_adjusted.tolist() == pytest.approx([1.0, 2 * 0.02 / (1.0 - SELECTED)])
    assert dominated([quality], ALPHA).p_adjusted[1] == pytest.approx(2 * 0.001 / (1.0 - SELECTED))
    assert found.by.tolist()[1] == 0
    assert on_frontier(found, ALPHA).tolist() == [True, False]


def test_pairs_that_clearly_do_not_dominate_leave() -> None:
    quality = np.array([[1.0, 0.001], [1.0 - 1e-9, 1.0]])
    cost = np.array([[1.0, 0.02], [0.98, 1.0]])
    found = dominated([quality, cost], ALPHA)
    assert found.p_adjusted.tolist() == pytest.approx([1.0, 0.02 / (1.0 - SELECTED)])
    assert on_frontier(found, ALPHA).tolist() == [True, False]


def test_a_fallen_system_takes_its_pairs_out() -> None:
    p = np.full((3, 3), 0.5)
    p[0, 1], p[0, 2] = 1e-6, 0.011
    found = dominated([p], ALPHA)
    # six pairs at first, four after the two of the second system have left
    assert found.p_adjusted[1] == pytest.approx(6e-6 / 0.9)
    assert found.p_adjusted[2] == pytest.approx(4 * 0.011 / 0.9)
    assert on_frontier(found, ALPHA).tolist() == [True, False, False]
    p[0, 2] = 0.0113
    assert on_frontier(dominated([p], ALPHA), ALPHA).tolist() == [True, False, True]


def test_more_quantities_never_take_a_system_off() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        first, second = rng.random((2, 6, 6)) ** 8
        one, two = dominated([first.copy()], ALPHA), dominated([first, second], ALPHA)
        smallest = np.maximum(first, second) + np.eye(6)
        assert (smallest.min(axis=0) >= (first + np.eye(6)).min(axis=0)).all()
        assert (two.p_adjusted >= smallest.min(axis=0) - 1e-15).all()
        assert one.p_adjusted.max() <= 1.0


def test_known_prices_are_certain_and_equal_ones_do_not_protect() -> None:
    p = price_p_values(np.array([1.0, 1.0, 2.0]))
    assert p.tolist() == [[0, 0, 0], [0, 0, 0], [1, 1, 0]]
