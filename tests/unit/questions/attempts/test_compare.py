"""Curves over all numbers of attempts: their values, their bands, and where two differ."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import betaln

import bestby as bb
from bestby.questions.attempts.bands import band, chances
from bestby.questions.attempts.result import AttemptsDifference, BetterAt

Pairs = list[tuple[int, int]]


def drawn(shares: Any, n: int, seed: int = 1) -> Pairs:
    """Return n samples of each item, which are right with these shares."""
    right = np.random.default_rng(seed).binomial(n, shares)
    return [(n, int(c)) for c in right]


def shares(a: float, b: float, n: int, seed: int = 2) -> Any:
    return np.random.default_rng(seed).beta(a, b, n)


SPECIALIST, ALLROUNDER = drawn(shares(0.15, 0.5, 200), 40), drawn(shares(3, 18, 200, 3), 40, 2)


@pytest.mark.parametrize("metric", ["pass@k", "pass^k"])
def test_curves_are_the_scores_of_compare_at_each_k(metric: str) -> None:
    systems = {"a": [(7, 2), (9, 0), (8, 8), (7, 7)], "b": [(7, 1), (7, 7), (7, 3), (7, 0)]}
    result = bb.compare_attempts(systems, metric=metric)
    assert (result.fewest, result.most) == (7, 9)
    for k in (1, 2, 5, 7):
        other = bb.compare(systems, metric=metric.replace("k", str(k)), test=None)
        for name in systems:
            expected = other.score(name, other.metrics[0].name).score
            assert result.curve(name).scores[k - 1] == pytest.approx(expected, abs=1e-14)


def test_many_samples_keep_their_digits() -> None:
    n, c = np.array([1000.0]), np.array([3.0])
    exact = 1.0 - (300 * 299 * 298) / (1000 * 999 * 998)
    assert chances(n, c, 1000, every=False)[699, 0] == pytest.approx(exact, rel=1e-13)


def test_a_crossing_is_found_where_both_sides_are_significant() -> None:
    result = bb.compare_attempts({"specialist": SPECIALIST, "allrounder": ALLROUNDER})
    difference = result.difference("specialist", "allrounder")
    first, second = difference.ranges
    assert (first.system, first.first) == ("specialist", 1)
    assert (second.system, second.last) == ("allrounder", 40)
    assert difference.crossings == ((first.last, second.first),)
    assert difference.significant
    assert difference.winner is None
    assert f"the curves cross between k = {first.last} and {second.first}" in str(result).replace("\n", " ")
    assert len(str(result).splitlines()) <= 40


def test_ranges_of_a_difference() -> None:
    difference = AttemptsDifference(
        "a", "b", (0.1,) * 6, (0.1, 0.1, -0.1, -0.3, -0.3, 0.1), (0.2, 0.2, 0.1, -0.1, -0.1, 0.2)
    )
    assert difference.ranges == (BetterAt("a", 1, 2), BetterAt("b", 4, 5), BetterAt("a", 6, 6))
    assert difference.crossings == ((2, 4), (5, 6))


def test_the_other_direction_is_the_mirror_image() -> None:
    result = bb.compare_attempts({"x": SPECIALIST, "y": ALLROUNDER})
    one, other = result.difference("x", "y"), result.difference("y", "x")
    assert other.low == tuple(-high for high in one.high)
    assert other.better == one.better
    with pytest.raises(bb.errors.InvalidInputError, match="no difference between"):
        result.difference("x", "z")
    with pytest.raises(bb.errors.InvalidInputError, match="no system 'z'"):
        result.curve("z")


def test_the_order_of_systems_and_items_does_not_matter() -> None:
    systems = {"x": SPECIALIST, "y": ALLROUNDER, "z": drawn(shares(1, 5, 200, 9), 40, 5)}
    order = np.random.default_rng(4).permutation(200).tolist()
    moved = {name: [systems[name][place] for place in order] for name in "zxy"}
    one, other = bb.compare_attempts(systems), bb.compare_attempts(moved)
    for x, y in zip(one.pairs, other.pairs, strict=True):
        assert (x.a, x.b) == (y.a, y.b)
        assert np.allclose(x.low, y.low, rtol=0, atol=1e-12)


def test_a_curve_does_not_depend_on_other_systems() -> None:
    alone = bb.compare_attempts({"x": SPECIALIST})
    together = bb.compare_attempts({"x": SPECIALIST, "y": ALLROUNDER})
    assert alone.curve("x") == together.curve("x")


@pytest.mark.parametrize("right", [0, 20])
def test_what_never_or_always_happened_leaves_room_for_what_was_not_seen(right: int) -> None:
    curve = bb.compare_attempts({"x": [(20, right)] * 30}).curve("x")
    assert set(curve.scores) == {right / 20}
    width = np.subtract(curve.high, curve.low)
    # Wilson's interval of 30 answers that are all alike: z^2 / (n + z^2), z of about 2
    assert ((width > 0.1) & (width < 0.25)).all()


def test_identical_systems_cannot_be_told_apart() -> None:
    result = bb.compare_attempts({"x": SPECIALIST, "y": SPECIALIST})
    (difference,) = result.pairs
    assert not difference.significant
    assert "cannot be told apart at any k" in str(result)


def test_bands_never_turn_back() -> None:
    low, high = band(np.array([0.1, 0.3, 0.2]), np.array([0.6, 0.5, 0.9]), rising=True)
    assert low.tolist() == [0.1, 0.3, 0.3]
    assert high.tolist() == [0.5, 0.5, 0.9]
    curve = bb.compare_attempts({"x": SPECIALIST}, metric="pass^k").curve("x")
    assert (np.diff(curve.low) <= 0.0).all()
    assert (np.diff(curve.high) <= 0.0).all()


def test_clusters_of_copies_widen_the_bands_as_fewer_items_do() -> None:
    few = bb.compare_attempts({"x": SPECIALIST})
    copies = [pair for pair in SPECIALIST for _ in range(4)]
    whole = bb.compare_attempts({"x": copies}, clusters=[place // 4 for place in range(800)])
    assert whole.n_clusters == 200
    assert whole.curve("x").low == pytest.approx(few.curve("x").low, abs=1e-5)
    wrong = bb.compare_attempts({"x": copies})
    assert wrong.curve("x").low[0] > whole.curve("x").low[0]


def test_strata_of_different_difficulty_narrow_the_bands() -> None:
    pairs = drawn(np.repeat([0.02, 0.5], 100), 20)
    plain = bb.compare_attempts({"x": pairs}).curve("x")
    strata = bb.compare_attempts({"x": pairs}, strata=np.repeat(["hard", "easy"], 100)).curve("x")
    assert strata.high[0] - strata.low[0] < 0.6 * (plain.high[0] - plain.low[0])


def test_few_solved_items_are_noted() -> None:
    pairs = [(10, 0)] * 97 + [(10, 4)] * 3
    codes = [(note.code, note.message) for note in bb.compare_attempts({"x": pairs}).notes]
    ((_, message),) = [one for one in codes if one[0] == "few_effective"]
    assert "ever solved by x (3):" in message


@pytest.mark.parametrize("metric", ["pass@k", "pass^k"])
def test_missing_items_count_as_never_solved(metric: str) -> None:
    x, y = dict(enumerate(SPECIALIST)), dict(enumerate(ALLROUNDER))
    del x[3], y[7]
    found = bb.compare_attempts({"x": x, "y": y}, metric=metric, on_missing="worst")
    x[3], y[7] = (40, 0), (40, 0)
    filled = bb.compare_attempts({"x": x, "y": y}, metric=metric)
    assert found.curves == filled.curves
    assert found.pairs == filled.pairs


@pytest.mark.parametrize("metric", ["pass@k", "pass^k"])
def test_bands_hold_for_all_k_at_once(metric: str) -> None:
    """Of 120 sets of 60 items, 95 % are to hold; fewer than 88 % have a chance below 1 in 1,000."""
    a, b, n = 0.5, 2.0, 30
    ks = np.arange(1, n + 1)
    every = metric == "pass^k"
    truth = (
        np.exp(betaln(a + ks, b) - betaln(a, b)) if every else 1 - np.exp(betaln(a, b + ks) - betaln(a, b))
    )
    held = 0
    for seed in range(120):
        pairs = drawn(shares(a, b, 60, 100 + seed), n, 300 + seed)
        curve = bb.compare_attempts({"x": pairs}, metric=metric, rng=seed).curve("x")
        held += bool(((np.array(curve.low) <= truth) & (truth <= np.array(curve.high))).all())
    assert held >= 0.88 * 120


def test_fewer_than_fifteen_items_have_bonferronis_bands() -> None:
    few, more = SPECIALIST[:14], SPECIALIST[:14] * 2
    widths = [
        np.subtract(curve.high, curve.low)[0]
        for curve in (bb.compare_attempts({"x": pairs}).curve("x") for pairs in (few, more))
    ]
    assert widths[0] > 1.5 * widths[1]
    assert "This rests on 14 items" in str(bb.compare_attempts({"x": few}))


def test_one_sample_has_one_k() -> None:
    result = bb.compare_attempts({"x": [(1, 1), (1, 0), (2, 1)] * 10, "y": [(1, 0)] * 30})
    assert result.fewest == 1
    assert result.difference("x", "y").ranges == (BetterAt("x", 1, 1),)
    assert result.plot() is not None


def test_many_systems_are_short_in_print_and_whole_in_files() -> None:
    systems = {f"s{i}": drawn(shares(0.3 + 0.1 * i, 2, 100, i), 25, i) for i in range(8)}
    result = bb.compare_attempts(systems)
    assert len(str(result).splitlines()) <= 40
    assert len(result.to_frame()) == 8 * 25
    assert len(result.to_frame("differences")) == 28 * 25
    assert len(result.details().splitlines()) > 28 * 25
    shown = bb.compare_attempts(systems, rng=0)
    assert shown == result
