"""Published numbers: Bradley-Terry strengths of baseball teams, Davidson's of chocolate puddings."""

from __future__ import annotations

import numpy as np
import pytest
from tests.unit.questions.preferences.examples import of_tables
from tests.unit.questions.preferences.test_model import fitted

from bestby.questions.preferences.compare import compare_preferences

# Agresti (1990, 2013), Categorical Data Analysis, American League Eastern Division 1987: row beat column.
TEAMS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
BASEBALL = """
0 7 9 7 7 9 11
6 0 7 5 11 9 9
4 6 0 7 7 8 12
6 8 6 0 6 7 10
6 2 6 7 0 7 12
4 4 5 6 6 0 6
2 4 1 3 1 7 0
"""
# Agresti (2002), Table 10.11, column 3, with Baltimore 0; four digits from the vignette of BradleyTerry2.
ABILITIES = (1.5814, 1.4364, 1.2945, 1.2476, 1.1077, 0.6839, 0.0)

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


def baseball() -> np.ndarray:
    return np.array([line.split() for line in BASEBALL.strip().splitlines()], dtype=float)


def pudding() -> tuple[np.ndarray, np.ndarray]:
    wins, ties = np.zeros((6, 6)), np.zeros((6, 6))
    for line in PUDDING.strip().splitlines():
        i, j, of_i, of_j, neither = map(int, line.split())
        wins[i - 1, j - 1], wins[j - 1, i - 1] = of_i, of_j
        ties[i - 1, j - 1] = ties[j - 1, i - 1] = neither
    return wins, ties


def test_baseball_agresti() -> None:
    wins = baseball().astype(int)
    found = fitted(of_tables(wins, np.zeros_like(wins)), order=False).strengths
    np.testing.assert_allclose(found - found[-1], ABILITIES, atol=5e-5)


def test_baseball_from_games() -> None:
    wins = baseball().astype(int)
    games = [
        (TEAMS[i], TEAMS[j], TEAMS[i]) for i in range(7) for j in range(7) for _ in range(int(wins[i, j]))
    ]
    result = compare_preferences(games, baseline="Baltimore", order=False)
    found = {d.a: d.estimate for d in result}
    assert found == pytest.approx(dict(zip(TEAMS[:-1], ABILITIES[:-1], strict=True)), abs=5e-5)
    assert [entry.system for entry in result.systems] == list(TEAMS)


def test_pudding_davidson_1970() -> None:
    wins, ties = pudding()
    tied = np.triu(ties).astype(int)
    judged = of_tables(wins.astype(int), np.zeros_like(tied), tied)
    found = fitted(judged, davidson=True, order=False)
    worth = np.exp(found.strengths) / np.exp(found.strengths).sum()
    np.testing.assert_allclose(worth, WORTHS, atol=3e-5)
    assert found.tie == pytest.approx(TIE, abs=3e-5)
    V = found.inverse
    errors = np.sqrt(np.diag(V)[1:6] + V[0, 0] - 2.0 * V[0, 1:6])
    np.testing.assert_allclose(errors, FROM_FIRST, atol=6e-5)
