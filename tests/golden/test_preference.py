"""Published numbers: baseball with and without home advantage, puddings with ties; judgements of known truth.

The strengths in the planted judgements, and where one system mostly stands first or never lost, were computed
by another program, by Newton's method on the counted cells.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from bestby import compare_preferences, read_preferences
from bestby.questions.preferences.result import PreferenceComparison
from bestby.questions.preferences.source import data_of
from bestby.questions.preferences.strengths import strengths as model_of

# Agresti (2002), Categorical Data Analysis, p. 438: American League Eastern Division 1987; Baltimore is 0.
# Four digits from the vignette of BradleyTerry2.
WITHOUT_HOME = {
    "Milwaukee": 1.5814, "Detroit": 1.4364, "Toronto": 1.2945, "New York": 1.2476, "Boston": 1.1077,
    "Cleveland": 0.6839, "Baltimore": 0.0,
}  # fmt: skip
WITH_HOME = {
    "Milwaukee": 1.6196, "Detroit": 1.4754, "Toronto": 1.3271, "New York": 1.2813, "Boston": 1.1438,
    "Cleveland": 0.7047, "Baltimore": 0.0,
}  # fmt: skip
SHARES = (0.220, 0.190, 0.164, 0.157, 0.137, 0.088, 0.044)

# Davidson (1970), J. Amer. Statist. Assoc. 65, 317-328: six brands; i, j, i preferred, j preferred, neither.
PUDDING = """
1 2 19 22 16
1 3 16 19 12
2 3 19 19 10
1 4 18 23 13
2 4 23 19 9
3 4 19 20 15
1 5 13 19 18
2 5 16 20 12
3 5 16 15 17
4 5 17 14 16
1 6 18 21 12
2 6 22 20 12
3 6 13 18 10
4 6 14 19 18
5 6 11 21 12
"""
# His estimates, to the iteration he stopped at, and standard errors, in the vignette of PlackettLuce.
WORTHS = (0.1388005, 0.1729985, 0.1617420, 0.1653930, 0.1586805, 0.2023855)
TIE = 0.7468147
FROM_FIRST = (0.1872, 0.1935, 0.1882, 0.1927, 0.1924)


def repeated(rows: list[tuple[str, str, str, int]]) -> list[tuple[str, str, str]]:
    """Return judgements (a, b, winner) of which each came up so many times."""
    return [(a, b, won) for a, b, won, times in rows for _ in range(times)]


Games = list[tuple[str, str, str]]


@pytest.fixture
def games(shared_data: Callable[[str], Path]) -> Games:
    """Return the games of baseball, the home team first."""
    with (shared_data("baseball") / "baseball.csv").open(encoding="utf-8") as file:
        rows = [
            (row["home.team"], row["away.team"], won, int(row[f"{won}.wins"]))
            for row in csv.DictReader(file)
            for won in ("home", "away")
        ]
    return repeated([(a, b, {"home": "a", "away": "b"}[won], times) for a, b, won, times in rows])


def strengths(result: PreferenceComparison, zero: str | None = None) -> dict[str, float]:
    less = 0.0 if zero is None else result.score(zero).score
    return {entry.system: entry.score - less for entry in result.systems}


def test_baseball_agresti_2002(games: Games) -> None:
    result = compare_preferences(games, order=False)
    found = strengths(result, "Baltimore")
    assert found == pytest.approx(WITHOUT_HOME, abs=5e-5)
    assert [*found] == [*WITHOUT_HOME]
    assert result.fit is not None
    assert (result.fit.df, result.fit.statistic * result.fit.design_effect) == (
        15,
        pytest.approx(14.612, abs=1e-3),
    )


def test_baseball_with_home_advantage(games: Games) -> None:
    result = compare_preferences(games)
    found = strengths(result, "Baltimore")
    assert found == pytest.approx(WITH_HOME, abs=5e-5)
    worth = np.exp([*found.values()])
    np.testing.assert_allclose(worth / worth.sum(), SHARES, atol=6e-4)
    assert result.order.estimate == pytest.approx(0.3023, abs=5e-5)
    # 0.1309 is that of the information; the sandwich (HC3) of 272 games is near it
    assert result.order.standard_error == pytest.approx(0.1309, rel=0.05)
    assert result.fit is not None
    assert (result.fit.df, result.fit.statistic * result.fit.design_effect) == (
        15,
        pytest.approx(15.479, abs=1e-3),
    )


def test_baseball_by_logistic_regression(games: Games) -> None:
    import statsmodels.api as sm

    teams = [*WITHOUT_HOME]
    sides = [np.array([teams.index(row[side]) for row in games]) for side in (0, 1)]
    design = np.column_stack([(np.eye(7)[sides[0]] - np.eye(7)[sides[1]])[:, :-1], np.ones(len(games))])
    model = sm.Logit([float(row[2] == "a") for row in games], design).fit(disp=False)
    result = compare_preferences(games)
    found = strengths(result, "Baltimore")
    np.testing.assert_allclose([found[team] for team in teams[:-1]], model.params[:-1], atol=1e-9)
    assert result.order.estimate == pytest.approx(model.params[-1], abs=1e-9)
    # Strengths have the mean 0: each is a contrast of the coefficients
    centred = np.vstack([np.eye(6), np.zeros(6)]) - 1.0 / 7.0
    errors = np.sqrt(np.diag(centred @ model.cov_params()[:-1, :-1] @ centred.T))
    np.testing.assert_allclose([result.score(team).standard_error for team in teams], errors, rtol=1e-9)


def test_pudding_davidson_1970() -> None:
    rows = []
    for line in PUDDING.strip().splitlines():
        i, j, of_i, of_j, neither = line.split()
        rows += [(i, j, i, int(of_i)), (i, j, j, int(of_j)), (i, j, "tie", int(neither))]
    result = compare_preferences(repeated(rows), ties="davidson", order=False)
    worth = np.exp([result.score(name).score for name in "123456"])
    np.testing.assert_allclose(worth / worth.sum(), WORTHS, atol=3e-5)
    assert result.tie_parameter == pytest.approx(TIE, abs=3e-5)
    judged = data_of(repeated(rows))
    inverse = model_of(judged, davidson=True, order=False).fit.inverse
    errors = np.sqrt(np.diag(inverse)[1:6] + inverse[0, 0] - 2.0 * inverse[0, 1:6])
    np.testing.assert_allclose(errors, FROM_FIRST, atol=6e-5)


# -- judgements of known truth ----------------------------------------------------------------------

FIRST_WINS = ((0, 581, 561), (74, 0, 349), (72, 305, 0))
SECOND_WINS = ((0, 332, 287), (48, 0, 158), (37, 196, 0))
"""Three equal systems, of which x mostly stands first, and the first wins with log odds 0.6."""


def test_three_equal_systems_of_which_one_mostly_stands_first() -> None:
    rows = [
        ("xyz"[i], "xyz"[j], won, counts[i][j])
        for won, counts in (("a", FIRST_WINS), ("b", SECOND_WINS))
        for i in range(3)
        for j in range(3)
    ]
    result = compare_preferences(repeated(rows))
    assert strengths(result) == pytest.approx({"x": 0.01506, "y": 0.06243, "z": -0.07749}, abs=1e-5)
    assert result.order.estimate == pytest.approx(0.59821, abs=1e-5)
    assert result.order.standard_error == pytest.approx(0.04911, rel=2e-3)
    errors = {pair: result[pair].standard_error for pair in (("x", "y"), ("x", "z"), ("y", "z"))}
    expected = {("x", "y"): 0.06592, ("x", "z"): 0.06635, ("y", "z"): 0.05398}
    assert errors == pytest.approx(expected, rel=2e-3)
    assert not result["x", "y"].significant
    plain = compare_preferences(repeated(rows), order=False)
    assert strengths(plain) == pytest.approx({"x": 0.31707, "y": -0.09145, "z": -0.22562}, abs=1e-5)


def undefeated() -> Games:
    """Return judgements of four systems, in both orders, of which A won all, and others 12 of 20."""
    of_a = [row for other in "BCD" for row in (("A", other, "A", 10), (other, "A", "A", 10))]
    others = [
        row
        for one, other in ("BC", "CD", "BD")
        for a, b in ((one, other), (other, one))
        for row in ((a, b, one, 6), (a, b, other, 4))
    ]
    return repeated([*of_a, *others])


def test_a_system_that_won_all_has_a_bound() -> None:
    d = compare_preferences(undefeated())["A", "B"]
    assert d.interval is not None
    assert (d.estimate, d.interval.high) == (np.inf, np.inf)
    assert d.interval.low == pytest.approx(2.4523, abs=1e-3)
    usual = compare_preferences(undefeated(), level=1.0 - 2.0 * math.exp(-0.5 * 3.84146))["A", "B"]
    assert usual.interval is not None
    assert usual.interval.low == pytest.approx(3.1465, abs=1e-3)
    firth = compare_preferences(undefeated(), prior="jeffreys")["A", "B"]
    assert firth.estimate == pytest.approx(4.5048, abs=1e-3)


def test_position_in_planted_judgements(shared_data: Callable[[str], Path]) -> None:
    judged = read_preferences(shared_data("planted_preferences") / "pos.csv")
    result = compare_preferences(judged, clusters=np.arange(3000))
    assert strengths(result) == pytest.approx({"x": 0.0464, "y": 0.0011, "z": -0.0476}, abs=5e-5)
    assert result.order.estimate == pytest.approx(0.6442, abs=5e-5)
    assert result.order.standard_error == pytest.approx(0.0506, abs=2e-4)


def test_style_in_planted_judgements(shared_data: Callable[[str], Path]) -> None:
    judged = read_preferences(shared_data("planted_preferences") / "arena.csv")
    result = compare_preferences(judged, covariates=["len"])
    expected = {"a": 0.513, "b": 0.337, "c": 0.134, "d": -0.097, "e": -0.363, "f": -0.524}
    assert strengths(result) == pytest.approx(expected, abs=6e-4)
    (length,) = result.covariates
    assert length.coefficient / length.sd == pytest.approx(0.812, abs=6e-4)
    assert length.standard_error / length.sd == pytest.approx(0.033, abs=6e-4)
    assert (result.order.estimate, result.order.standard_error) == pytest.approx((-0.023, 0.028), abs=6e-4)
    ranks = {entry.system: (entry.rank, entry.rank_with) for entry in result.without_covariates}
    assert ranks["e"] == (1, 5)


def test_a_cycle_in_planted_judgements(shared_data: Callable[[str], Path]) -> None:
    result = compare_preferences(read_preferences(shared_data("planted_preferences") / "cyc.csv"))
    assert result.fit is not None
    assert (result.fit.df, result.fit.statistic) == (1, pytest.approx(414.5, abs=0.1))
    assert result.fit.cycle is not None
    assert result.fit.cycle.closed
