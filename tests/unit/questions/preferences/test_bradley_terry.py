"""Win rates, strengths and their errors: by hand, of degenerate and resampled matrices, and refusals."""

from __future__ import annotations

import itertools
import math
import warnings
from typing import Any

import numpy as np
import pytest

from bestby.errors import DesignError, InvalidInputError
from bestby.questions.preferences import bradley_terry
from bestby.questions.preferences.bradley_terry import errors
from bestby.questions.preferences.matrices import WinMatrices
from bestby.vocabulary import allowed_names

# -- win rates, groups, refusals -------------------------------------------------------------------


def test_win_rates_by_hand() -> None:
    wins = np.array([[0.0, 3.0, 1.0], [1.0, 0.0, 2.0], [0.0, 6.0, 0.0]])
    ties = np.array([[0.0, 4.0, 0.0], [4.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    rates = [(4 + 2) / 9, (3 + 2.5) / 17, (6 + 0.5) / 10]
    assert bradley_terry.win_rates(wins, ties).tolist() == pytest.approx(rates, rel=1e-14)
    without = [4 / 5, 3 / 12, 6 / 9]
    both = bradley_terry.win_rates(np.stack([wins, wins / 8.0]))  # fewer than one judgement, too
    assert both.tolist() == [pytest.approx(without, rel=1e-14)] * 2


def test_groups_by_ties_and_by_fewer_than_one_judgement() -> None:
    nothing = np.zeros((4, 4))
    wins = np.array([[0, 0, 0.25, 0], [0, 0, 0, 0.25], [0, 0, 0, 0], [0, 0, 0, 0]])
    ties = np.zeros((4, 4))
    ties[0, 3] = ties[3, 0] = ties[1, 2] = ties[2, 1] = 0.25
    assert bradley_terry.groups(nothing, ties) == [([0, 3], "apart"), ([1, 2], "apart")]
    assert bradley_terry.groups(wins, nothing) == [
        ([0], "ahead"),
        ([1], "ahead"),
        ([2], "behind"),
        ([3], "behind"),
    ]
    assert bradley_terry.groups(wins, ties) == [([0, 1, 2, 3], "apart")]
    one_each = np.stack([wins, nothing, wins]), np.stack([ties, ties, nothing])
    assert [len(bradley_terry.groups(*one)) == 1 for one in zip(*one_each, strict=True)] == [
        True, False, False,
    ]  # fmt: skip


@pytest.mark.parametrize("size", [2, 3, 4, 5, 8, 9, 16, 17, 33])
def test_wins_lead_all_the_way_round_and_down_a_chain(size: int) -> None:
    chain = np.diag(np.ones(size - 1), 1)
    none = np.zeros_like(chain)
    assert np.array_equal(bradley_terry.leads(chain, none), np.triu(np.ones((size, size))) > 0.0)
    ring = chain.copy()
    ring[-1, 0] = 1.0
    assert len(bradley_terry.groups(ring)) == 1
    # All are level on a ring.
    np.testing.assert_allclose(bradley_terry.strengths(ring + ring.T).log, 0.0, atol=1e-13)


@pytest.mark.parametrize(("last", "listed"), [(5, "a, b, c, d, e"), (6, "a, b, c, d, e, …")])
def test_five_systems_are_named(last: int, listed: str) -> None:
    # `last` systems that beat each other and the one more there is
    wins = np.ones((last + 1, last + 1)) - np.eye(last + 1)
    wins[-1] = 0.0
    with pytest.raises(DesignError, match=f"estimate: {listed} never lost or tied"):
        bradley_terry.refuse_unconnected(wins, np.zeros_like(wins), "abcdefg")
    bradley_terry.refuse_unconnected(wins + wins.T, np.zeros_like(wins), "abcdefg")
    bradley_terry.refuse_unconnected(wins, wins + wins.T, "abcdefg")


def test_the_first_kind_of_group_is_told() -> None:
    wins = np.zeros((4, 4))
    wins[1, 2] = 1.0
    with pytest.raises(DesignError, match="estimate: z never met any of the others"):
        bradley_terry.refuse_unconnected(wins[1:, 1:], np.zeros((3, 3)), "xyz")
    wins[0, 1] = wins[1, 0] = wins[0, 3] = wins[3, 2] = 1.0
    with pytest.raises(DesignError, match="estimate: w, x never lost or tied"):
        bradley_terry.refuse_unconnected(wins, np.zeros((4, 4)), "wxyz")


GOOD = [[0.0, 1.0], [1.0, 0.0]]


@pytest.mark.parametrize(
    ("wins", "ties", "message"),
    [
        ([1.0, 2.0], None, "two at least"),
        ([GOOD, [[0.0, 1.0], [1.0, 2.0]]], None, "wins must be 0 on the diagonal"),
        (GOOD, [[1.0, 0.0], [0.0, 0.0]], "ties must be 0 on the diagonal"),
        ([[0.0, math.inf], [1.0, 0.0]], None, "wins must be numbers"),
        (GOOD, [[0.0, -1.0], [-1.0, 0.0]], "ties must be numbers"),
        (GOOD, [[0.0, math.nan], [math.nan, 0.0]], "ties must be numbers"),
        ([GOOD, GOOD], [GOOD, [[0.0, 1.0], [2.0, 0.0]]], "ties must be symmetric"),
        ([GOOD, GOOD], GOOD, "one shape"),
    ],
)
def test_refused_one_of_several(wins: Any, ties: Any, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        bradley_terry.win_rates(wins, ties)


# -- strengths -------------------------------------------------------------------------------------


def test_two_systems_with_a_prior() -> None:
    # 9 + 1 wins against 4 + 1; 9.25 against 4.25
    for model in allowed_names("ties"):
        for prior, odds in ((2.0, 10 / 5), (0.5, 9.25 / 4.25), (0.0, 9 / 4)):
            log = bradley_terry.strengths([[0, 9], [4, 0]], model=model, prior=prior).log
            assert log.tolist() == pytest.approx([math.log(odds) / 2, -math.log(odds) / 2], rel=1e-13)
    fitted = bradley_terry.strengths([[0, 9], [4, 0]], [[0, 5], [5, 0]], model="davidson", prior=2.0)
    assert fitted.log[0] - fitted.log[1] == pytest.approx(math.log(2), rel=1e-13)
    assert float(fitted.tie) == pytest.approx(5 / math.sqrt(50), rel=1e-13)
    halves = bradley_terry.strengths([[0, 9], [4, 0]], [[0, 5], [5, 0]], prior=2.0)
    assert halves.log[0] - halves.log[1] == pytest.approx(math.log(12.5 / 7.5), rel=1e-13)
    assert float(halves.tie) == 0.0


def test_a_prior_between_three() -> None:
    # Two who never met are joined by the prior alone: 4 + 1/2 against 1 + 1/2, twice, and 1/2 against 1/2
    wins = np.array([[0.0, 4.0, 4.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    log = bradley_terry.strengths(wins, prior=1.0).log
    assert log.tolist() == pytest.approx([2 / 3 * math.log(3), -math.log(3) / 3, -math.log(3) / 3], rel=1e-13)


def matrices_of_three() -> tuple[np.ndarray, np.ndarray]:
    none, some = np.zeros((3, 3)), 2.0 - 2.0 * np.eye(3)
    plain = np.array([[0.0, 4.0, 2.0], [1.0, 0.0, 3.0], [1.0, 1.0, 0.0]])
    # Wins and ties told apart without error; ties only; an unbeaten system
    ranges = np.array([[0.0, 0.0, 5.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    near = np.array([[0.0, 5.0, 0.0], [5.0, 0.0, 5.0], [0.0, 5.0, 0.0]])
    unbeaten = np.array([[0.0, 1.0, 1.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    wins = np.stack([plain, ranges, plain, none, unbeaten, plain.T])
    ties = np.stack([some, near, none, some, none, some])
    return wins, ties


def test_degenerate_matrices_leave_their_neighbours_alone() -> None:
    wins, ties = matrices_of_three()
    fitted = bradley_terry.strengths(wins.reshape(2, 3, 3, 3), ties.reshape(2, 3, 3, 3), model="davidson")
    assert fitted.log.shape == (2, 3, 3)
    assert fitted.tie.shape == (2, 3)
    assert np.isnan(fitted.tie).tolist() == [[False, True, False], [True, True, False]]
    assert np.array_equal(np.isnan(fitted.log).all(axis=-1), np.isnan(fitted.tie))
    assert fitted.tie[0, 2] == 0.0
    # What is won and what is lost exchanged: opposite strengths, the same ties
    np.testing.assert_allclose(fitted.log[0, 0], -fitted.log[1, 2], rtol=1e-12)
    assert fitted.tie[0, 0] == pytest.approx(fitted.tie[1, 2], rel=1e-12)
    np.testing.assert_allclose(fitted.log[0, 2], bradley_terry.strengths(wins[0]).log, rtol=1e-12)
    # Maximum likelihood: wins and ties observed are those expected (Davidson 1970, eq. 3.2 and 3.3)
    worth, nu = np.exp(fitted.log[0, 0]), float(fitted.tie[0, 0])
    won, tied = np.zeros(3), 0.0
    for i, j in itertools.permutations(range(3), 2):
        times = wins[0, i, j] + wins[0, j, i] + ties[0, i, j]
        mean = math.sqrt(worth[i] * worth[j])
        whole = worth[i] + worth[j] + nu * mean
        won[i] += times * (worth[i] + nu * mean / 2) / whole
        tied += times * nu * mean / whole / 2
    assert won.tolist() == pytest.approx((wins[0] + ties[0] / 2).sum(axis=1).tolist(), rel=1e-12)
    assert tied == pytest.approx(6.0, rel=1e-12)
    q = fitted.preference(0, 2)
    assert q.shape == (2, 3)
    whole = worth[0] + worth[2] + nu * math.sqrt(worth[0] * worth[2])
    assert q[0, 0] == pytest.approx((worth[0] + nu * math.sqrt(worth[0] * worth[2]) / 2) / whole, rel=1e-12)
    assert bradley_terry.strengths(wins[0]).preference(1, 2) == pytest.approx(
        1 / (1 + math.exp(np.subtract(*bradley_terry.strengths(wins[0]).log[[2, 1]]))), rel=1e-14
    )


def test_matrices_in_two_dimensions() -> None:
    counts = [9.0, 8.0, 7.0, 6.0, 5.0, 4.0]
    wins = np.array([[[0.0, n], [1.0, 0.0]] for n in counts]).reshape(3, 2, 2, 2)
    wins = np.pad(wins, ((0, 0), (0, 0), (0, 1), (0, 1)))
    wins[..., 1, 2] = wins[..., 2, 1] = 1.0
    rates = bradley_terry.win_rates(wins).reshape(6, 3)
    np.testing.assert_allclose(rates[:, 0], [n / (n + 1) for n in counts], rtol=1e-14)
    np.testing.assert_allclose(rates[:, 1], [2 / (n + 3) for n in counts], rtol=1e-14)
    assert all(len(bradley_terry.groups(one)) == 1 for one in wins.reshape(6, 3, 3))
    log = bradley_terry.strengths(wins).log.reshape(6, 3)
    np.testing.assert_allclose(log[:, 0] - log[:, 1], np.log(counts), rtol=1e-12)
    alone = [bradley_terry.strengths(one, prior=1.0).log for one in wins.reshape(6, 3, 3)]
    np.testing.assert_allclose(bradley_terry.strengths(wins, prior=1.0).log.reshape(6, 3), alone, rtol=1e-12)


def test_shapes_with_a_one_and_truth_values() -> None:
    once = np.array([[False, True], [True, False]])
    assert bradley_terry.win_rates(np.array([[once], [once]])).tolist() == [[[0.5, 0.5]], [[0.5, 0.5]]]


def test_far_apart_but_not_from_each_other() -> None:
    # Sixteen level systems and a chain below them; and the same the other way round. Both spread over 51.6.
    size, gap = 30, math.log(40)
    wins = np.zeros((size, size))
    wins[0, 15:] = wins[15:, 0] = 1.0
    wins[range(14), range(1, 15)], wins[range(1, 15), range(14)] = 40.0, 1.0
    log = bradley_terry.strengths(np.stack([wins, wins.T])).log
    expected = np.concatenate([-gap * np.arange(15), np.zeros(15)])
    expected -= expected.mean()
    np.testing.assert_allclose(log, [expected, -expected], atol=1e-8)


@pytest.mark.parametrize("eta", [-math.inf, math.log(0.7), 3.0])
@pytest.mark.parametrize("gap", [0.0, 0.3, -0.3, 3.0, -3.0])
def test_a_judgement_by_its_three_weights(gap: float, eta: float) -> None:
    won, lost, tied = math.exp(gap / 2), math.exp(-gap / 2), math.exp(eta)
    whole = won + lost + tied
    q, p_tie = bradley_terry.win_and_tie_probabilities(np.array([gap, 0.0]), np.array([eta, 0.0]))
    assert q.tolist() == pytest.approx([(won + tied / 2) / whole, 0.5], rel=1e-14)
    assert p_tie.tolist() == pytest.approx([tied / whole, 1 / 3], rel=1e-14)
    q, p_tie = bradley_terry.win_and_tie_probabilities(np.array([gap]), np.array(eta))
    assert (q[0], p_tie[0]) == pytest.approx(((won + tied / 2) / whole, tied / whole), rel=1e-14)


def test_leads_of_any_size() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        q, p_tie = bradley_terry.win_and_tie_probabilities(np.array([5000.0, -5000.0]), np.array(1.0))
        assert (q.tolist(), p_tie.tolist()) == ([1.0, 0.0], [0.0, 0.0])
        assert bradley_terry.log_of(np.array([0.0, 1.0])).tolist() == [-math.inf, 0.0]


@pytest.mark.parametrize("eta", [-math.inf, math.log(0.7)])
def test_information_is_the_covariance_of_what_is_summed(eta: float) -> None:
    # Per judgement of i and j: (y, 1 - y, tie) over the three outcomes, by their probabilities
    b = np.array([0.4, -0.1, -0.3])
    pairs = np.array([[0.0, 7.0, 2.0], [7.0, 0.0, 5.0], [2.0, 5.0, 0.0]])
    expected = np.zeros((4, 4))
    for i, j in itertools.combinations(range(3), 2):
        parts = np.array([math.exp(b[i]), math.exp(b[j]), math.exp(eta + (b[i] + b[j]) / 2)])
        parts /= parts.sum()
        outcomes = np.zeros((3, 4))
        outcomes[0, i] = outcomes[1, j] = 1.0
        outcomes[2, [i, j]] = 0.5
        outcomes[2, 3] = 1.0
        centred = outcomes - parts @ outcomes
        expected += pairs[i, j] * (centred.T * parts) @ centred
    two = bradley_terry.all_probabilities(np.stack([b, b - 1.0]), np.array([eta, eta]))
    assert two[0].shape == (2, 3, 3)
    found = bradley_terry.information_of(np.stack([pairs, 2.0 * pairs]), *two)
    np.testing.assert_allclose(found[0], expected, rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(found[1], 2.0 * expected, rtol=1e-13, atol=1e-15)


def test_a_newton_step_by_hand() -> None:
    # 10 judgements of two level systems, a third of them ties: variance of y 1/6, of a tie 2/9
    matrix = np.zeros((3, 3))
    matrix[:2, :2] = 10 / 6 * np.array([[1.0, -1.0], [-1.0, 1.0]])
    matrix[2, 2] = 20 / 9
    without = matrix.copy()
    without[2, 2] = 0.0
    gradient = np.array([[1.0, -1.0, 2.0], [1.0, -1.0, 0.0], [0.0, 0.0, 0.0]])
    moves, reach = bradley_terry.newton_step(np.stack([matrix, without, matrix]), gradient)
    # 10/6 (x - y) = 1 with x = -y; 20/9 z = 2; the reach is x - y and |z|
    assert reach.tolist() == pytest.approx([0.6 + 0.9, 0.6, 0.0], rel=1e-11)
    for move, full, r in zip(moves[:2], ([0.3, -0.3, 0.9], [0.3, -0.3, 0.0]), (1.5, 0.6), strict=True):
        assert move.tolist() == pytest.approx([x * math.log(1 + r) / r for x in full], rel=1e-11)
    assert moves[2].tolist() == [0.0, 0.0, 0.0]
    back, reach = bradley_terry.newton_step(matrix[None], -gradient[:1])
    np.testing.assert_allclose(back[0], -moves[0], rtol=1e-12)
    assert reach[0] == pytest.approx(1.5, rel=1e-11)


# -- errors ----------------------------------------------------------------------------------------

SIGNS = np.array([[1.0, -1.0], [-1.0, 1.0]])


def test_errors_of_two_by_hand() -> None:
    # 9 wins, 3 losses: p is 3/4, the information 12 p (1 - p) = 9/4; scores 1/4 nine times, -3/4 three times
    fitted = bradley_terry.strengths([[0, 9], [3, 0]])
    first, second = [0] * 6 + [1] * 6, [1] * 6 + [0] * 6
    values = [1.0] * 6 + [0.0] * 3 + [1.0] * 3
    found = errors(fitted, first, second, values)
    np.testing.assert_allclose(found.fisher, SIGNS / (4 * 9 / 4), rtol=1e-10)
    robust = (9 / 16 + 27 / 16) / (4 * (9 / 4) ** 2) * 12 / 11
    np.testing.assert_allclose(found.robust, robust * SIGNS, rtol=1e-10)
    # Two clusters: of six wins, and of three wins and three losses, scores 3/2 and -3/2; times 2 / 1
    two = errors(fitted, first, second, values, clusters=[0] * 6 + [1] * 6)
    np.testing.assert_allclose(two.fisher, found.fisher, rtol=1e-14)
    np.testing.assert_allclose(two.robust, SIGNS * 2 * (9 / 4 + 9 / 4) / (4 * (9 / 4) ** 2), rtol=1e-10)


def test_errors_with_a_prior_by_hand() -> None:
    # 8 + 1 wins, 2 + 1 losses: the information is that of 12, the scores are of 10 judgements
    fitted = bradley_terry.strengths([[0, 8], [2, 0]], prior=2.0)
    values = [1.0] * 8 + [0.0] * 2
    found = errors(fitted, [0] * 10, [1] * 10, values, prior=2.0)
    np.testing.assert_allclose(found.fisher, SIGNS / 9, rtol=1e-10)
    robust = (8 / 16 + 18 / 16) / (4 * (9 / 4) ** 2) * 10 / 9
    np.testing.assert_allclose(found.robust, robust * SIGNS, rtol=1e-10)
    # One cluster: scores of 8/4 - 6/4, and no G / (G - 1)
    one = errors(fitted, [0] * 10, [1] * 10, values, clusters=[0] * 10, prior=2.0)
    np.testing.assert_allclose(one.robust, SIGNS * 0.25 / (4 * (9 / 4) ** 2), rtol=1e-10)
    level = bradley_terry.strengths(np.ones((3, 3)) - np.eye(3), prior=4.0)
    three = errors(level, [0, 0, 1], [1, 2, 2], [1, 1, 1], prior=4.0)
    # Three level systems, five judgements of each pair: 5 / 4 (3 I - J), its inverse 4 / 15 (I - J / 3)
    np.testing.assert_allclose(three.fisher, 4 / 15 * (np.eye(3) - 1 / 3), rtol=1e-12)


def test_errors_of_davidson_for_two_are_those_of_counts() -> None:
    # As many parameters as outcomes: the log odds have the variance 1/9 + 1/4, robust or not
    fitted = bradley_terry.strengths([[0, 9], [4, 0]], [[0, 5], [5, 0]], model="davidson")
    values = [1.0] * 9 + [0.0] * 4 + [0.5] * 5
    found = errors(fitted, [0] * 18, [1] * 18, values, model="davidson")
    np.testing.assert_allclose(found.fisher, SIGNS / 4 * (1 / 9 + 1 / 4), rtol=1e-9)
    np.testing.assert_allclose(found.robust, SIGNS / 4 * (1 / 9 + 1 / 4) * 18 / 17, rtol=1e-9)
    # With a prior of 2: 10, 5 and 5 of 20
    more = bradley_terry.strengths([[0, 9], [4, 0]], [[0, 5], [5, 0]], model="davidson", prior=2.0)
    added = errors(more, [0] * 18, [1] * 18, values, model="davidson", prior=2.0)
    np.testing.assert_allclose(added.fisher, SIGNS / 4 * (1 / 10 + 1 / 5), rtol=1e-9)
    few = bradley_terry.strengths([[0, 9], [4, 0]], [[0, 0.5], [0.5, 0]], model="davidson")
    assert float(few.tie) == pytest.approx(0.5 / 6, rel=1e-12)
    plain = bradley_terry.strengths([[0, 9], [4, 0]], model="davidson")
    none = errors(plain, [0] * 13, [1] * 13, values[:13], model="davidson")
    np.testing.assert_allclose(none.fisher, SIGNS / 4 * (1 / 9 + 1 / 4), rtol=1e-9)
    np.testing.assert_allclose(none.robust, SIGNS / 4 * (1 / 9 + 1 / 4) * 13 / 12, rtol=1e-9)


# -- judgements ------------------------------------------------------------------------------------


def both(wins: np.ndarray, ties: np.ndarray) -> np.ndarray:
    return np.stack([wins, ties], axis=1)


NONE = [[0, 0], [0, 0]]


@pytest.mark.parametrize(
    ("wins", "ties", "model"),
    [
        ([[0, 3], [0, 0]], NONE, "half"),  # a perfect winner
        (NONE, NONE, "half"),  # nothing judged
        ([[0, 3], [0, 0]], NONE, "davidson"),
        (NONE, [[0, 4], [4, 0]], "davidson"),  # ties only
        ([[0, 1, 0], [1, 0, 0], [0, 0, 0]], None, "half"),  # never judged
        ([[0, 0, 5], [0, 0, 0], [0, 0, 0]], [[0, 5, 0], [5, 0, 5], [0, 5, 0]], "davidson"),  # ranges of leads
    ],
)
def test_no_finite_estimate(wins: Any, ties: Any, model: str) -> None:
    fitted = bradley_terry.strengths(wins, ties, model=model)
    assert np.isnan(fitted.log).all()
    assert np.isnan(fitted.tie)
    with pytest.raises(DesignError, match="no finite estimate"):
        bradley_terry.refuse_infinite(fitted)


def test_ties_only_are_level_as_halves() -> None:
    assert bradley_terry.strengths(NONE, [[0, 4], [4, 0]]).log.tolist() == [0.0, 0.0]


def test_a_prior_makes_all_finite() -> None:
    fitted = bradley_terry.strengths([[0, 3], [0, 0]], prior=1.0)
    assert fitted.log[0] - fitted.log[1] == pytest.approx(math.log(3.5 / 0.5), abs=1e-10)


def test_davidson_without_ties_is_bradley_terry() -> None:
    wins = [[0, 3, 2], [1, 0, 4], [5, 1, 0]]
    plain, davidson = bradley_terry.strengths(wins), bradley_terry.strengths(wins, model="davidson")
    np.testing.assert_allclose(davidson.log, plain.log, atol=1e-12)
    assert davidson.tie == plain.tie == 0.0


def test_davidson_of_two_has_a_closed_form() -> None:
    # Davidson (1970): with two systems, strengths as the roots of wins, ties over the geometric mean of wins
    fitted = bradley_terry.strengths([[0, 9], [4, 0]], [[0, 5], [5, 0]], model="davidson")
    assert fitted.log[0] - fitted.log[1] == pytest.approx(math.log(9 / 4), abs=1e-9)
    assert float(fitted.tie) == pytest.approx(5 / 6, abs=1e-9)
    assert float(fitted.preference(0, 1)) == pytest.approx((9 + 2.5) / 18, abs=1e-9)


@pytest.mark.parametrize("model", allowed_names("ties"))
def test_very_unequal_systems(model: str) -> None:
    fitted = bradley_terry.strengths([[0, 10**6], [1, 0]], [[0, 2], [2, 0]], model=model)
    odds = (10**6 + 1) / 2 if model == "half" else 10**6
    assert fitted.log[0] - fitted.log[1] == pytest.approx(math.log(odds), abs=1e-8)


def test_preferences_of_both_directions_add_up_to_one() -> None:
    fitted = bradley_terry.strengths([[0, 9], [4, 0]], [[0, 5], [5, 0]], model="davidson")
    assert float(fitted.preference(0, 1)) + float(fitted.preference(1, 0)) == 1.0


def test_win_rate_of_a_system_that_was_not_judged() -> None:
    rates = bradley_terry.win_rates([[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    assert rates[:2].tolist() == [0.5, 0.5]
    assert math.isnan(rates[2])


@pytest.mark.parametrize(
    ("wins", "expected"),
    [
        ([[0, 1, 0], [1, 0, 0], [0, 0, 0]], [([0, 1], "apart"), ([2], "apart")]),
        ([[0, 1, 0], [1, 0, 1], [0, 0, 0]], [([0, 1], "ahead"), ([2], "behind")]),
        ([[0, 1, 1], [0, 0, 1], [0, 0, 0]], [([0], "ahead"), ([1], "between"), ([2], "behind")]),
    ],
)
def test_groups(wins: Any, expected: Any) -> None:
    assert bradley_terry.groups(wins) == expected


@pytest.mark.parametrize(
    ("wins", "message"),
    [
        ([[0, 1, 0], [1, 0, 0], [0, 0, 0]], "estimate: x, y never met any of the others"),
        ([[0, 1, 1], [1, 0, 1], [0, 0, 0]], "estimate: x, y never lost or tied against any of the others"),
        ([[0, 1, 0], [0, 0, 0], [1, 1, 0]], "estimate: z never lost or tied against any of the others"),
    ],
)
def test_groups_are_named(wins: Any, message: str) -> None:
    with pytest.raises(DesignError, match=message):
        bradley_terry.refuse_unconnected(wins, np.zeros((3, 3)), ["x", "y", "z"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[0, 1, 2], [1, 0, 2]],), r"a row and a column per system, two at least, got \(2, 3\)"),
        (([[0.0]],), r"got \(1, 1\)"),
        (([[0, 1], [1, 0]], [[0]]), "wins and ties must have one shape"),
        (([[0, -1], [1, 0]],), "wins must be numbers of judgements, at least 0"),
        (([[0, math.nan], [1, 0]],), "wins must be numbers of judgements"),
        (([[1, 1], [1, 0]],), "wins must be 0 on the diagonal"),
        (([[0, 1], [1, 0]], [[0, 1], [2, 0]]), "ties must be symmetric"),
    ],
)
def test_refused_matrices(arguments: Any, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        bradley_terry.strengths(*arguments)


def test_refused_settings() -> None:
    with pytest.raises(InvalidInputError, match="ties must be one of half, davidson, got 'drop'"):
        bradley_terry.strengths(NONE, model="drop")
    for prior in (-1.0, math.nan, math.inf):
        with pytest.raises(InvalidInputError, match="prior must be a number of judgements"):
            bradley_terry.strengths(NONE, prior=prior)


# -- resampled matrices ----------------------------------------------------------------------------


def sums(wins: np.ndarray, ties: np.ndarray) -> np.ndarray:
    return np.concatenate([wins, ties], axis=1).reshape(len(wins), -1)


def many(n: int, clustered: bool) -> WinMatrices:
    rng = np.random.default_rng(3)
    first = rng.integers(0, 4, n)
    second = (first + rng.integers(1, 4, n)) % 4
    clusters = np.arange(n) // 5 if clustered else None
    return WinMatrices(4, first, second, rng.choice([0.0, 0.5, 1.0], n), clusters)


@pytest.mark.parametrize(("n", "clustered"), [(100, False), (2000, False), (100, True)])
def test_blocks_and_threads_change_no_bit(n: int, clustered: bool) -> None:
    judged = many(n, clustered)
    one, two = (judged.bootstrap(5000, 7, sums, n_jobs=jobs) for jobs in (1, 2))
    assert np.array_equal(one, two)
    assert np.array_equal(one[:10], judged.bootstrap(10, 7, sums)) or n == 2000  # cells: whole blocks
    assert not np.array_equal(one, judged.bootstrap(5000, 8, sums))


@pytest.mark.parametrize("n", [100, 2000])
def test_the_order_of_judgements_and_of_the_two_does_not_matter(n: int) -> None:
    judged = many(n, False)
    order = np.random.default_rng(4).permutation(n)
    moved = WinMatrices(4, judged.second[order], judged.first[order], 1.0 - judged.values[order])
    assert np.array_equal(judged.bootstrap(50, 1, sums), moved.bootstrap(50, 1, sums))


def test_direct_judgements_by_cluster() -> None:
    judged = WinMatrices(
        3,
        np.array([0, 1, 0, 0, 2]),
        np.array([1, 0, 1, 2, 1]),
        np.array([1.0, 1.0, 0.5, 1.0, 0.0]),
        np.array([0, 0, 1, 2, 2]),
    )
    assert judged.direct(0, 1).tolist() == [0.0, 0.0]
    assert judged.direct(1, 2).tolist() == [1.0]
    assert judged.direct(0, 2).tolist() == [1.0]
    assert (judged.n, judged.n_units) == (5, 3)


@pytest.mark.parametrize("model", ["half", "davidson"])
def test_errors_of_strengths_far_apart_do_not_depend_on_which_system_is_first(model: str) -> None:
    """All wins for one system, and a prior: the errors that a closed form gives, whichever is first."""
    fitted = [bradley_terry.strengths(wins, prior=0.5) for wins in ([[0, 4e6], [0, 0]], [[0, 0], [4e6, 0]])]
    for first, strengths in enumerate(fitted):
        found = errors(strengths, [first] * 9, [1 - first] * 9, [1.0] * 9, model=model, prior=0.5)
        q = 1.0 / (1.0 + math.exp(-abs(strengths.log[0] - strengths.log[1])))
        expected = 1.0 / (9.5 * q * (1.0 - q))
        gap = np.array([1.0, -1.0, 0.0])
        assert found.variance(gap).model == pytest.approx(expected, rel=1e-6)
        for system in range(2):
            assert found.fisher[system, system] == pytest.approx(expected / 4.0, rel=1e-6)
