"""`compare_preferences`: strengths, win rates, tests, and the laws."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from tests.unit.questions.preferences.examples import NAMES, PLAIN, ROWS, TWO, codes, judged

from bestby._core.errors import DesignError
from bestby.questions.preferences.compare import compare_preferences

# -- what comes out --------------------------------------------------------------------------------


def test_strengths_ranks_and_win_rates() -> None:
    result = compare_preferences(ROWS, n_resamples=500)
    assert [entry.system for entry in result.systems] == list(NAMES)
    assert sum(entry.score for entry in result.systems) == pytest.approx(0.0, abs=1e-10)
    assert result.extent == "360 judgements in 60 clusters"
    first = result.systems[0]
    assert first.wins + first.ties + first.losses == 180
    assert first.win_rate == pytest.approx((first.wins + first.ties / 2) / 180)
    assert first.win_rate in first.win_rate_interval
    assert (first.rank_low, result.systems[-1].rank_high) == (1, 4)
    d = result["one", "four"]
    assert d.estimate == pytest.approx(first.score - result.systems[-1].score)
    assert d.probability == pytest.approx(1.0 / (1.0 + math.exp(-d.estimate)))
    assert (d.n_items, d.n_differing, d.wins + d.ties + d.losses) == (60, 60 - d.ties, 60)
    assert d.probability in d.probability_interval
    assert d.estimate in d.interval


def test_two_systems_are_their_win_rate() -> None:
    result = compare_preferences(TWO, n_resamples=2000)
    d = result["x", "y"]
    assert d.probability == pytest.approx(17 / 25, abs=1e-12)
    assert result.score("x").win_rate == pytest.approx(17 / 25)  # type: ignore[attr-defined]
    # Of 21 judgements that are no tie, 15 or more: binomial, both sides
    assert (d.test.name, d.exact) == ("permutation", True)
    assert d.p_value == pytest.approx(2 * sum(math.comb(21, k) for k in range(15, 22)) / 2**21)
    assert d.test.statistic == pytest.approx(9 / 25)


def test_the_elo_scale() -> None:
    plain = compare_preferences(ROWS, n_resamples=200)
    elo = compare_preferences(ROWS, n_resamples=200, scale="elo")
    unit = 400.0 / math.log(10.0)
    for a, b in zip(plain.systems, elo.systems, strict=True):
        assert b.score == pytest.approx(1000.0 + unit * a.score)
        assert b.interval.low == pytest.approx(1000.0 + unit * a.interval.low)
        assert (b.standard_error, b.robust_error) == pytest.approx(
            (unit * a.standard_error, unit * a.robust_error)
        )
    for d, e in zip(plain, elo, strict=True):
        assert e.estimate == pytest.approx(unit * d.estimate)
        assert (e.p_value, e.probability, e.probability_interval) == (
            d.p_value,
            d.probability,
            d.probability_interval,
        )
    assert elo.metrics[0].name == "elo"


def test_davidson_has_a_tie_parameter() -> None:
    halves, own = (compare_preferences(ROWS, ties=ties, n_resamples=500) for ties in ("half", "davidson"))
    assert (halves.tie_parameter, halves.tie_interval) == (0.0, None)
    assert own.tie_interval is not None
    assert own.tie_parameter in own.tie_interval
    assert "of equal strength tie with probability" in own.details()
    assert "ties_as_halves" in codes(halves)
    assert "ties_as_halves" not in codes(own)


def test_standard_errors_are_those_of_resamples() -> None:
    independent = [(a, b, w) for i, (_, a, b, w) in enumerate(judged(800)) if i % 7 == 0]
    result = compare_preferences(independent, ties="davidson", n_resamples=2000)
    for entry in result.systems:
        width = (entry.interval.high - entry.interval.low) / (2 * 1.96)
        assert entry.robust_error == pytest.approx(width, rel=0.12)
        assert entry.standard_error == pytest.approx(width, rel=0.12)


def test_clusters_widen_intervals_of_judgements_that_go_together() -> None:
    fourfold = [(f"q{i}", a, b, w) for i, (a, b, w) in enumerate(PLAIN[::3]) for _ in range(4)]
    clustered = compare_preferences(fourfold, n_resamples=500)
    alone = compare_preferences([row[1:] for row in fourfold], n_resamples=500)
    for entry in clustered.systems:
        other = alone.score(entry.system)
        ratio = (entry.interval.high - entry.interval.low) / (other.interval.high - other.interval.low)
        assert ratio == pytest.approx(2.0, rel=0.25)
        assert entry.robust_error == pytest.approx(2.0 * other.robust_error, rel=0.02)  # type: ignore[attr-defined]
        assert entry.standard_error == pytest.approx(other.standard_error)  # type: ignore[attr-defined]
    assert clustered["one", "two"].p_value > alone["one", "two"].p_value


@pytest.mark.parametrize("test", ["wald", "permutation"])
def test_tests_agree_where_there_is_much_to_see(test: str) -> None:
    result = compare_preferences(ROWS, test=test, correction="none", n_resamples=999)
    assert {d.test.name for d in result} == {test}
    assert result["one", "four"].p_value <= 0.002
    assert result["two", "three"].p_value > 0.01


@pytest.mark.parametrize("test", ["wald", "permutation"])
def test_one_sided(test: str) -> None:
    greater, less = (
        compare_preferences(ROWS, test=test, alternative=side, correction="none", n_resamples=999)
        for side in ("greater", "less")
    )
    assert [(d.a, d.b) for d in greater] == [
        (a, b) for i, a in enumerate(sorted(NAMES)) for b in sorted(NAMES)[i + 1 :]
    ]
    assert less["four", "one"].p_value < 0.01
    assert greater["four", "one"].p_value > 0.98
    for d, e in zip(greater, less, strict=True):
        assert 1.0 - 1e-9 <= d.p_value + e.p_value <= 1.2


def test_a_baseline() -> None:
    result = compare_preferences(ROWS, baseline="three", n_resamples=200)
    assert [(d.a, d.b) for d in result] == [("one", "three"), ("two", "three"), ("four", "three")]
    assert all(entry.group is None for entry in result.systems)


def test_mirrored() -> None:
    result = compare_preferences(ROWS, n_resamples=200)
    d, e = result["one", "four"], result["four", "one"]
    assert (e.estimate, e.probability, e.wins, e.losses) == (-d.estimate, 1 - d.probability, d.losses, d.wins)
    assert e.probability_interval.low == 1.0 - d.probability_interval.high
    assert d.sentence.startswith(f"one is preferred to four with probability {d.probability:.3f} ")
    assert e.sentence.startswith(f"four is preferred to one with probability {e.probability:.3f} ")


# -- laws ------------------------------------------------------------------------------------------


def test_a_copy_is_no_different() -> None:
    rows = [(a, b, w) for a, b, w in PLAIN if "four" not in (a, b)]
    renamed = [tuple("copy" if x == "one" else x for x in row) for row in rows]
    for test in ("wald", "permutation"):
        both = [*rows, *renamed, ("one", "copy", "one"), ("one", "copy", "copy")]
        d = compare_preferences(both, test=test, n_resamples=200)["one", "copy"]
        assert (d.estimate, d.p_value, d.p_adjusted, d.winner) == (0.0, 1.0, 1.0, None)
        assert 0.0 in d.interval


def test_copies_whose_strengths_differ_by_rounding_are_level() -> None:
    # The first and the last of five systems have the same record; their fitted strengths differ by 1e-16.
    wins = [[0, 6, 5, 3, 3], [1, 0, 1, 2, 1], [6, 8, 0, 5, 6], [6, 6, 5, 0, 6], [3, 6, 5, 3, 0]]
    pairs = [("abcde"[i], "abcde"[j]) for i in range(5) for j in range(5) for _ in range(wins[i][j])]
    rows = [(a, b, a) for a, b in pairs]
    d = compare_preferences(rows, test="wald")["a", "e"]
    assert (d.estimate, d.p_value, d.winner) == (0.0, 1.0, None)
    names = [entry.system for entry in compare_preferences(rows, n_resamples=50).systems]
    assert names.index("a") < names.index("e")


@pytest.mark.parametrize("rows", [ROWS, PLAIN], ids=["clusters", "judgements"])
def test_the_order_of_anything_does_not_matter(rows: Any) -> None:
    rng = np.random.default_rng(2)
    mixed = [rows[i] for i in rng.permutation(len(rows))]
    first, second = (compare_preferences(x, n_resamples=300) for x in (rows, mixed))
    assert first.signature == second.signature
    for d, e in zip(first, second, strict=True):
        assert d.estimate == pytest.approx(e.estimate, abs=1e-12)
        assert d.p_value == pytest.approx(e.p_value, rel=1e-9)
        assert d.interval.low == pytest.approx(e.interval.low, abs=1e-12)


def test_which_was_shown_first_matters_only_where_order_is_in_the_model() -> None:
    rng = np.random.default_rng(2)
    mixed = [(b, a, w) if rng.random() < 0.5 else (a, b, w) for a, b, w in PLAIN]
    first, second = (compare_preferences(x, order=False) for x in (PLAIN, mixed))
    assert first.signature != second.signature
    for d, e in zip(first, second, strict=True):
        assert d.estimate == pytest.approx(e.estimate, abs=1e-12)
        assert d.interval.low == pytest.approx(e.interval.low, abs=1e-12)
    assert compare_preferences(PLAIN).order.status == "one order"
    found = compare_preferences(mixed).order
    assert (found.included, found.within) == (True, pytest.approx(0.98, abs=0.03))
    assert found.estimate in found.interval


def test_a_system_shown_first_too_often_gains_nothing() -> None:
    rng = np.random.default_rng(5)
    rows = []
    for _ in range(1500):
        x, y = rng.permutation(["x", "y", "z"])[:2].tolist()
        if "x" in (x, y) and rng.random() < 0.8:
            x, y = "x", y if x == "x" else x
        rows.append((x, y, x if rng.random() < 0.65 else y))
    with_order, without = compare_preferences(rows), compare_preferences(rows, order=False)
    assert [d.significant for d in with_order] == [False] * 3
    assert without["x", "y"].significant
    assert without.systems[0].system == "x"
    assert "The first-shown answer won 6" in str(with_order)
    assert "x was shown first in 91 %" in str(with_order)
    assert "one by which" not in str(with_order)
    assert "order was left out of the model; one by which" in str(without)


def test_the_state_of_numpy_is_left_alone() -> None:
    before = np.random.get_state()[1].tolist()  # type: ignore[index, union-attr]  # noqa: NPY002
    compare_preferences(ROWS, n_resamples=50, rng=None)
    assert np.random.get_state()[1].tolist() == before  # type: ignore[index, union-attr]  # noqa: NPY002


def test_p_values_are_never_0() -> None:
    # Every cluster says the same: the signs of 8 clusters are all there is.
    rows = [(f"q{i}", "x", "y", w) for i in range(8) for w in ("x", "x", "y")]
    least = 2 * 0.5**8
    for test in ("wald", "permutation"):
        d = compare_preferences(rows, test=test, n_resamples=999)["x", "y"]
        assert d.p_value >= least * (1.0 - 1e-9)
        assert d.p_value < 0.06
        assert d.probability == pytest.approx(2 / 3)


def test_the_test_of_two_systems_allows_for_covariates_and_weights() -> None:
    rng = np.random.default_rng(0)
    x, voter = rng.standard_normal(300), rng.integers(20, size=300)
    won = np.where(rng.random(300) < 1.0 / (1.0 + np.exp(-0.4 - 2.0 * x)), "x", "y")
    judged = {"a": ["x"] * 300, "b": ["y"] * 300, "winner": won}
    more: dict[str, Any]
    for more in ({"covariates": x}, {"voter": voter, "voter_weights": "shrunk"}):
        found = compare_preferences(judged, **more)
        assert found["x", "y"].test.name == "wald"
        with pytest.raises(DesignError, match="permutation test exchanges systems, and knows of no"):
            compare_preferences(judged, test="permutation", **more)
