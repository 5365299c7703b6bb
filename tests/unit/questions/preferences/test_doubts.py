"""What speaks against strengths: pairs, cycles, an order that differs, voters; and which may be the best."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from scipy.stats import chi2
from tests.unit.questions.preferences.examples import NAMES, PLAIN, design, drawn, of_tables

import bestby
from bestby import compare_preferences
from bestby.inference import best
from bestby.inference.multiplicity import Spread
from bestby.questions.preferences.doubts import fit_test, order_by_pair
from bestby.questions.preferences.source import Clusters
from bestby.questions.preferences.strengths import strengths

CYCLE = [
    *[("p", "s", "p")] * 75, *[("p", "s", "s")] * 25, *[("s", "r", "s")] * 78, *[("s", "r", "r")] * 22,
    *[("r", "p", "r")] * 76, *[("r", "p", "p")] * 24,
]  # fmt: skip


def test_a_cycle_is_said_before_any_ranking() -> None:
    result = compare_preferences(CYCLE)
    assert result.fit is not None
    cycle = result.fit.cycle
    assert cycle is not None
    assert cycle.shares == pytest.approx({"p": (0.75, 0.78, 0.76), "s": (0.78, 0.76, 0.75)}.get(
        cycle.systems[0], (0.76, 0.75, 0.78)
    ))  # fmt: skip
    assert cycle.closed
    assert result.fit.df == 1
    assert result.fit.p_value < 1e-15
    assert "no ranking describes these three" in str(result).split("has the highest")[0]


def test_the_test_of_fit_is_the_score_test_of_free_pairs() -> None:
    judged = drawn(size=4, n=400, ties=0.0)
    fitted = strengths(judged, order=True)
    test, found = fit_test(fitted), fitted.fit
    pairs = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    Z = np.zeros((judged.n, len(pairs) + 1))
    for place, (i, j) in enumerate(pairs):
        Z[:, place] = 1.0 * ((judged.first == i) & (judged.second == j))
        Z[:, place] -= (judged.first == j) & (judged.second == i)
    Z[:, -1] = 1.0
    gap = found.strengths[judged.first] - found.strengths[judged.second] + found.parameters[4]
    p = 1.0 / (1.0 + np.exp(-gap))
    r, w = 0.5 * judged.outcome - p, p * (1.0 - p)
    score, information = Z.T @ r, Z.T @ (Z * w[:, None])
    expected = score @ np.linalg.solve(information, score)
    assert test is not None
    assert test.df == 3
    phi = float(r @ r / w.sum()) * judged.n / (judged.n - 5)
    assert test.design_effect == pytest.approx(phi)
    assert test.statistic == pytest.approx(expected / phi)
    assert test.p_value == pytest.approx(chi2.sf(expected / phi, 3))


def test_the_design_effect_of_clusters_is_the_mean_of_their_scores() -> None:
    judged = drawn(size=4, n=400, groups={"voter": 30})
    found = strengths(judged, order=True)
    alone = dataclasses.replace(judged, clusters={"item": Clusters(np.arange(400, dtype=np.int32))})
    single, plain, grouped = (
        fit_test(strengths(one, order=True))
        for one in (alone, dataclasses.replace(judged, clusters={}), judged)
    )
    assert single is not None
    assert plain is not None
    assert grouped is not None
    assert single.design_effect == pytest.approx(plain.design_effect, rel=0.05)
    assert grouped.statistic * grouped.design_effect == pytest.approx(plain.statistic * plain.design_effect)
    # The trace of V M with a parameter for each pair and the order, less that with strengths and the order
    Z, w = design(judged), found.fit.trials.by_judgement(found.fit.moments.variance)
    r = found.fit.trials.by_judgement(found.fit.residuals[0])
    pairs, of = np.unique(
        np.sort(np.column_stack([judged.first, judged.second])), axis=0, return_inverse=True
    )
    F = np.column_stack(
        [np.eye(len(pairs))[of.ravel()] * np.sign(judged.second - judged.first)[:, None], Z[:, 4:]]
    )
    traces = []
    for X in (F, Z):
        voter = judged.clusters["voter"].codes
        scores = np.array([X[voter == g].T @ r[voter == g] for g in range(30)])
        V = np.linalg.pinv(X.T @ (X * w[:, None]), rcond=1e-9, hermitian=True)
        traces.append(float(np.trace(scores @ V @ scores.T)))
    assert grouped.design_effect == pytest.approx((traces[0] - traces[1]) / grouped.df)


def test_an_order_that_differs_between_pairs() -> None:
    table = np.array([[0, 50, 50], [50, 0, 50], [50, 50, 0]])
    won = np.array([[0, 45, 25], [45, 0, 25], [25, 25, 0]])
    for wins, differs in ((won, True), (np.where(table > 0, 30, 0), False)):
        judged = of_tables(wins, table - wins)
        found = strengths(judged, order=True).fit
        p = order_by_pair(found, 1.0)
        assert p is not None
        assert (p < 1e-4) == differs


def votes(loud: float, n: int = 3000) -> list[dict[str, str]]:
    """Return judgements of three equal systems, a third of them by one voter, who prefers a."""
    rng = np.random.default_rng(4)
    rows = []
    for k in range(n):
        x, y = rng.permutation(["a", "b", "c"])[:2].tolist()
        voter = "loud" if k % 10 < 3 else f"v{rng.integers(100)}"
        lead = loud * ((x == "a") - (y == "a")) if voter == "loud" else 0.0
        winner = x if rng.random() < 1.0 / (1.0 + math.exp(-lead)) else y
        rows.append({"a": x, "b": y, "winner": winner, "user": voter})
    return rows


def test_a_voter_who_decides_is_named_and_a_calm_one_is_not() -> None:
    import pandas as pd

    frame = pd.DataFrame(votes(1.5))
    result = compare_preferences(frame, clusters="user")
    assert [one.voter for one in result.influence] == ["loud"]
    (one,) = result.influence
    assert (one.n, one.share) == (900, 0.3)
    assert abs(one.after) < 0.2 < one.before
    assert f"Leaving out voter loud (30 %) moves {one.a} − {one.b} from" in str(result)
    assert compare_preferences(frame, voter="user", clusters=None).influence[0].voter == "loud"
    assert compare_preferences(pd.DataFrame(votes(0.0)), clusters="user").influence == ()


def test_the_set_of_the_best_is_that_of_compare() -> None:
    result = compare_preferences(PLAIN)
    judged_names = sorted(NAMES)
    found = result.best
    assert found is not None
    errors = {(d.a, d.b): d.standard_error for d in result}
    assert found.systems == tuple(s.system for s in result.systems if s.may_be_best)
    # The same by the function for complete data, with the covariance that gives these standard errors
    size = len(judged_names)
    variance = np.zeros((size, size))
    for (a, b), error in errors.items():
        i, j = judged_names.index(a), judged_names.index(b)
        variance[i, j] = variance[j, i] = error**2
    centre = np.eye(size) - 1.0 / size
    spread = Spread.normal(-0.5 * centre @ variance @ centre, math.inf)
    scores = np.array([result.score(name).score for name in judged_names])
    expected = best.by_t(scores, spread, math.inf, 0.05, 0)
    assert [judged_names[s] for s in np.flatnonzero(expected.kept)] == sorted(found.systems)
    behind = [result.score(name).behind for name in judged_names]
    np.testing.assert_allclose(behind, expected.behind, rtol=0.05)
    assert bestby.load(result.to_json()) == result


def test_many_systems_are_columns_and_the_same_numbers() -> None:
    judged = drawn(n=30_000, size=110)
    names = np.array(judged.systems, dtype=object)
    winner = np.array(["b", "tie", "a"], dtype=object)[judged.outcome]
    data = {"a": names[judged.first], "b": names[judged.second], "winner": winner}
    result = compare_preferences(data)
    assert type(result.differences).__name__ == "Differences"
    d = result["s003", "s010"] if "s003" in judged.systems else result["s03", "s10"]
    few = compare_preferences(data, baseline=d.b)[d.a, d.b]
    assert (d.estimate, d.interval, d.probability, d.wins) == (
        few.estimate, few.interval, few.probability, few.wins,
    )  # fmt: skip
    again = bestby.load(result.to_json())
    assert again == result
    assert result.to_frame().shape[0] == 110 * 109 // 2
    assert len(str(result).splitlines()) < 80
    assert {entry.rank_low for entry in again.systems} == {entry.rank_low for entry in result.systems}
