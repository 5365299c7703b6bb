"""Win rates and strengths: degenerate win matrices, what is refused, and resampled matrices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from bestby import DesignError, InvalidInputError
from bestby.questions.preferences import bradley_terry
from bestby.questions.preferences.bradley_terry import errors
from bestby.questions.preferences.judgements import Judgements
from bestby.vocabulary import allowed_names

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


def many(n: int, clustered: bool) -> Judgements:
    rng = np.random.default_rng(3)
    first = rng.integers(0, 4, n)
    second = (first + rng.integers(1, 4, n)) % 4
    clusters = np.arange(n) // 5 if clustered else None
    return Judgements(4, first, second, rng.choice([0.0, 0.5, 1.0], n), clusters)


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
    moved = Judgements(4, judged.second[order], judged.first[order], 1.0 - judged.values[order])
    assert np.array_equal(judged.bootstrap(50, 1, sums), moved.bootstrap(50, 1, sums))


def test_direct_judgements_by_cluster() -> None:
    judged = Judgements(
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
