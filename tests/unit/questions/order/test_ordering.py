"""Almost stochastic order: its examples and limits, the matrix, the notes, and what is drawn."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import bestby as bb
from bestby.questions.order import ordering
from bestby.questions.order.ordering import merged_steps

NEW = [71.2, 72.9, 73.4, 74.0, 75.1]
OLD = [70.3, 70.9, 71.8, 72.0, 73.6]

scores = st.lists(st.integers(-20, 20).map(lambda k: k / 8), min_size=2, max_size=7)


def codes(order: bb.results.StochasticOrder) -> list[str]:
    return [note.code for note in order.notes]


# -- the ratio -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b", "ratio"),
    [
        ([3, 1], [0, 2], 0.0),  # 1 > 0, 3 > 2
        ([0, 2], [3, 1], 1.0),
        ([1, 2], [3, 0], 0.5),  # 1 - 0 = 1, 2 - 3 = -1
        ([1, 4], [2, 2], 0.2),  # -1 and 2: 1 / (1 + 4)
        ([1, 4], [2, 4], 1.0),  # the tie counts for neither
        # thirds against halves: A is 0 to 1/2, then 4; B is 1, 1, 2, the steps 1/3, 1/6, 1/6, 1/3 wide:
        # -1, -1, 3, 2: (1/3 + 1/6) / (1/2 + 9/6 + 4/3)
        ([0, 4], [1, 2, 1], 0.15),
    ],
)
def test_violation_ratio_by_hand(a: list[float], b: list[float], ratio: float) -> None:
    assert bb.aso(a, b).violation_ratio == pytest.approx(ratio, abs=1e-12)


def test_lower_is_better_when_told() -> None:
    errors = bb.aso([0.1, 0.2, 0.15], [0.3, 0.25, 0.4], greater_is_better=False)
    assert errors.violation_ratio == 0.0
    assert errors.test.alternative == "less"
    assert bb.aso([0.1, 0.2, 0.15], [0.3, 0.25, 0.4]).violation_ratio == 1.0


@given(n=st.integers(1, 30), m=st.integers(1, 30))
def test_merged_steps_are_the_quantile_functions(n: int, m: int) -> None:
    first, second, width = merged_steps(n, m)
    assert width.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(np.bincount(first, width), 1 / n)
    np.testing.assert_allclose(np.bincount(second, width), 1 / m)
    assert (np.diff(first) >= 0).all()
    assert (np.diff(second) >= 0).all()


# -- laws ------------------------------------------------------------------------------------------


@given(a=scores, b=scores)
def test_exchanging_the_systems_mirrors_everything(a: list[float], b: list[float]) -> None:
    there, back = (bb.aso(*pair, n_resamples=50) for pair in ((a, b), (b, a)))
    assume(not math.isnan(there.violation_ratio))
    assert there.violation_ratio + back.violation_ratio == pytest.approx(1.0, abs=1e-12)
    assert there.standard_error == back.standard_error
    # one of the two p-values counts the data themselves, both do
    assert there.p_value + back.p_value > 1.0
    assert there.epsilon_min >= there.violation_ratio - 1e-12


@pytest.mark.parametrize("runs", [2, 5, 30])
def test_a_system_beside_its_own_copy(runs: int) -> None:
    same = np.random.default_rng(0).normal(size=runs)
    order = bb.aso(same, same[::-1])
    assert math.isnan(order.violation_ratio)
    assert math.isnan(order.epsilon_min)
    assert order.p_value == 1.0
    assert [order.dominant, order.below_half, order.below_fifth] == [False] * 3
    assert "identical_runs" in codes(order)


def test_rounding_is_no_difference() -> None:
    order = bb.aso([0.1 + 0.2, 0.5, 0.7, 0.9, 1.0], [0.3, 0.5, 0.7, 0.9, 1.0])
    assert math.isnan(order.violation_ratio)
    assert order.p_value == 1.0
    assert math.isnan(bb.aso([0.1 + 0.2] * 5, [0.3] * 5).violation_ratio)


def test_a_pair_alone_equals_its_cell() -> None:
    rng = np.random.default_rng(3)
    runs = {f"s{k}": rng.normal(k / 3, 1, size) for k, size in enumerate((5, 9, 5, 9, 30))}
    runs["copy"] = runs["s0"]
    orders = bb.multi_aso(runs, n_comparisons=7, n_resamples=200)
    for (a, b), order in orders.orders.items():
        alone = bb.aso(runs[a], runs[b], n_comparisons=7, n_resamples=200)
        for field in ("violation_ratio", "standard_error", "epsilon_min", "test", "level", "dominant"):
            assert repr(getattr(alone, field)) == repr(getattr(order, field)), (a, b, field)


def test_more_comparisons_make_it_harder() -> None:
    rng = np.random.default_rng(4)
    a, b = rng.normal(1.3, 1, 10), rng.normal(0, 1, 10)
    orders = [bb.aso(a, b, n_comparisons=count) for count in (1, 2, 10, 45)]
    assert [order.level for order in orders] == pytest.approx([0.95, 0.975, 0.995, 1 - 0.05 / 45])
    bounds = [order.epsilon_min for order in orders]
    assert bounds == sorted(bounds)
    assert bounds[0] < bounds[-1] < 1.0
    assert [order.dominant for order in orders] == [order.p_value <= 1 - order.level for order in orders]
    assert [orders[0].dominant, orders[-1].dominant] == [True, False]


def test_same_seed_same_numbers() -> None:
    rng = np.random.default_rng(5)
    a, b = rng.normal(size=12), rng.normal(size=15)
    assert bb.aso(a, b) == bb.aso(a, b, rng=0)
    assert bb.aso(a, b, rng=1).epsilon_min != bb.aso(a, b).epsilon_min
    assert bb.aso(a, b, rng=np.random.default_rng(1)) == bb.aso(a, b, rng=np.random.default_rng(1))


# -- p-values --------------------------------------------------------------------------------------


def test_complete_separation_is_one_deal_of_all() -> None:
    order = bb.aso([6, 7, 8, 9, 10], [1, 2, 3, 4, 5])
    assert order.test.exact
    assert order.test.method == "enumeration"
    assert order.p_value == pytest.approx(1 / 252)
    assert bb.aso([1, 2, 3, 4, 5], [6, 7, 8, 9, 10]).p_value == 1.0
    assert order.epsilon_min == 0.0
    assert order.dominant


@pytest.mark.parametrize(("n", "m"), [(10, 10), (12, 40), (1500, 1200)])
def test_samples_that_do_not_overlap_need_no_draws(n: int, m: int) -> None:
    """Their deal is the most extreme of all; 1 / C(2700, 1500) is less than any float."""
    order = bb.aso(np.arange(m, m + n), np.arange(m), n_resamples=1)
    assert order.test.exact
    assert order.p_value == max(1 / math.comb(n + m, n), np.finfo(float).tiny)
    assert bb.aso(np.arange(m), np.arange(m, m + n), n_resamples=1).p_value == 1.0


@pytest.mark.parametrize("n_comparisons", [1, 56, 400])
def test_more_deals_are_drawn_where_the_p_value_is_small(n_comparisons: int) -> None:
    """Draws do not limit what can be shown: ten deals in 1 / level are enough, whatever was asked for."""
    rng = np.random.default_rng(1)
    a, b, like = rng.normal(2.5, 1, 20), rng.normal(0, 1, 20), rng.normal(0, 1, 20)
    found = bb.aso(a, b, n_comparisons=n_comparisons, n_resamples=50)
    assert found.dominant
    assert not found.test.exact
    assert found.test.n_resamples == 10 * 20 * n_comparisons
    assert bb.aso(b, like, n_comparisons=n_comparisons, n_resamples=50).test.n_resamples == 50


def test_what_more_comparisons_show_fewer_show_too() -> None:
    """Though more comparisons draw more deals, which are those of fewer comparisons and others."""
    rng = np.random.default_rng(9)
    changed = 0
    for seed in range(25):
        a, b = rng.normal(1.2, 1, 11), rng.normal(0, 1, 12)
        shown = [
            bb.aso(a, b, n_comparisons=count, n_resamples=150, rng=seed).dominant for count in (1, 2, 6, 20)
        ]
        assert shown == sorted(shown, reverse=True)
        changed += shown[0] != shown[-1]
    assert changed >= 5


def failing(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.normal(size=n) - 10.0 * (rng.random(n) < 0.1)


def test_the_family_keeps_its_level_where_runs_fail() -> None:
    """6 systems of 10 runs, 60 families: more than 9 wrong ones come once in a thousand at 5 %."""
    rng = np.random.default_rng(2)
    wrong = 0
    for seed in range(60):
        runs = {str(k): failing(rng, 10) for k in range(6)}
        wrong += bb.multi_aso(runs, n_resamples=1, rng=seed).dominant.any()
    assert wrong <= 9


def test_the_level_does_not_depend_on_the_resamples() -> None:
    """20 runs of 400 pairs: more than 36 wrong ones come once in a thousand at 5 %."""
    rng = np.random.default_rng(3)
    pairs = [(failing(rng, 20), failing(rng, 20)) for _ in range(400)]
    for n_resamples in (20, 300):
        wrong = sum(bb.aso(a, b, n_resamples=n_resamples, rng=k).dominant for k, (a, b) in enumerate(pairs))
        assert wrong <= 36


def test_the_ratio_is_shrunk_by_a_tenth_of_a_squared_error() -> None:
    a, b = [3.0, 5.0, 7.0], [2.0, 4.0, 9.0]
    # Differences 1, 1, -2; the quartiles of 2, 3, 4, 5, 7, 9 are 3.25 and 6.5.
    k = 0.1 * (3.25 / 1.3489795) ** 2 * (2 / 3)
    assert bb.aso(a, b).violation_ratio == pytest.approx(4 / 6)
    assert bb.aso(a, b).test.statistic == pytest.approx((4 / 3 + k) / (2 + 2 * k))
    assert bb.aso(b, a).test.statistic == pytest.approx((2 / 3 + k) / (2 + 2 * k))


def test_many_runs_do_not_overflow() -> None:
    rng = np.random.default_rng(6)
    order = bb.aso(rng.normal(0.5, 1, 1500), rng.normal(0, 1, 1200), n_resamples=20)
    assert order.dominant
    assert order.violation_ratio < 0.01


# -- notes -----------------------------------------------------------------------------------------


def test_notes() -> None:
    assert codes(bb.aso(NEW, OLD)) == []
    assert codes(bb.aso(NEW[:4], OLD)) == ["few_runs"]
    two = bb.aso([3, 4], [1, 2])
    assert codes(two) == ["few_runs", "out_of_reach"]
    assert not two.dominant
    assert two.epsilon_min == 0.0
    assert "once in 6 times, more often than 0.05" in two.notes[1].message
    assert codes(bb.aso(range(3), range(3, 6))) == ["few_runs"]  # 1 / 20 is within reach
    assert codes(bb.aso([2] * 5, OLD)) == ["constant_runs"]
    assert codes(bb.aso(NEW, OLD, n_comparisons=1000)) == ["out_of_reach"]
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=20), rng.normal(size=20)
    assert codes(bb.aso(a, b, n_comparisons=5000)) == []
    assert codes(bb.aso(a, b, n_comparisons=6000)) == ["few_resamples"]
    assert codes(bb.aso(a, b, n_comparisons=6000, n_resamples=200_000)) == []
    ties = bb.aso([1, 1, 1, 1, 2], [1, 1, 1, 1, 3])
    assert codes(ties) == ["undefined_resamples"]
    assert 0.0 < ties.standard_error < 0.5


def test_a_note_where_fewer_runs_vary_more() -> None:
    few, many = [0.0, 6.0, 9.0, 12.0, 18.0], np.arange(10.0)
    assert codes(bb.aso(few, many)) == codes(bb.aso(many, few)) == ["unequal_spread"]
    assert codes(bb.aso(few, many[:5])) == ["unequal_spread"]  # as many of each, and one looks dominant
    assert codes(bb.aso(np.subtract(few, 7.0), many[:5])) == []
    assert codes(bb.aso(np.divide(few, 9), many)) == []  # the larger sample varies more


def test_one_note_for_each_cause() -> None:
    """Eight systems of four runs: 28 pairs are out of reach, and each system has few runs."""
    rng = np.random.default_rng(8)
    runs = {f"s{k}": rng.normal(size=4) for k in range(7)} | {"s7": [-1.0] * 4}
    orders = bb.multi_aso(runs)
    assert [note.code for note in orders.notes] == ["few_runs", "constant_runs", "out_of_reach"]
    few, constant, beyond = orders.notes
    assert few.message.startswith("s0 has 4 runs, s1 has 4 runs, s2 has 4 runs and 5 more; with fewer")
    assert constant.message.startswith("all runs of s7 have the same score")
    assert "as 28 pairs (s0 and s1, s0 and s2, s0 and s3 and 25 more) have, no p-value" in beyond.message
    assert all(note.about == tuple(runs) for note in (few, beyond))
    assert set(constant.about) == set(runs)
    alone = bb.aso(runs["s0"], runs["s1"], n_comparisons=56)
    assert codes(orders["s0", "s1"]) == codes(alone) == ["few_runs", "out_of_reach"]


def test_notes_are_about_the_pairs_that_have_the_cause() -> None:
    rng = np.random.default_rng(7)
    runs = {name: rng.normal(size=6) for name in "abc"}
    runs |= {"copy": runs["a"], "pair": rng.normal(size=2)}
    notes = {note.code: note for note in bb.multi_aso(runs, n_comparisons=1).notes}
    assert notes["identical_runs"].about == ("a", "copy")
    assert "a and copy are the same" in notes["identical_runs"].message
    assert notes["few_runs"].message.startswith("pair has 2 runs; with fewer than 5")


# -- the matrix, words -----------------------------------------------------------------------------


def test_matrices_are_read_row_over_column() -> None:
    orders = bb.multi_aso({"new": NEW, "old": OLD, "best": [x + 9 for x in NEW]})
    assert orders.systems == ("new", "old", "best")
    assert np.isnan(np.diagonal(orders.epsilon_min)).all()
    np.testing.assert_array_equal(orders.violation_ratio[2, :2], 0.0)
    np.testing.assert_array_equal(orders.violation_ratio[:2, 2], 1.0)
    assert orders["best", "old"].level == pytest.approx(1 - 0.05 / 6)
    assert orders.dominant.tolist() == [[False] * 3, [False] * 3, [True, True, False]]
    frame = orders.to_frame().set_index(["a", "b"])
    assert frame.loc[("new", "old"), "epsilon_min"] == orders["new", "old"].epsilon_min
    assert frame.loc[("best", "old"), "p_value"] == pytest.approx(1 / 252)
    assert str(orders).splitlines()[3] == "best  0.000*  0.000*  –"
    with pytest.raises(bb.errors.InvalidInputError, match="no order between"):
        orders["new", "other"]
    assert orders.find("old", "best") is orders["old", "best"]
    assert orders.find("old", "other") is None
    assert list(orders) == list(orders.orders.values())
    with pytest.raises(bb.errors.InvalidInputError, match="what must be one of"):
        orders.to_frame("sigma")


def test_a_note_is_printed_once_for_the_whole_matrix() -> None:
    orders = bb.multi_aso({name: [k, k + 2] for k, name in enumerate("xyz")})
    assert len(orders.notes) == 3
    assert sum("underestimates how" in line for line in str(orders).splitlines()) == 1


@pytest.mark.parametrize(
    ("runs", "factor"), [((5, 5, 20, 20), 2.0), ((5, 5, 5, 10), 1.1547005), ((10, 10, 5, 5), 0.7071068)]
)
def test_tightness(runs: tuple[int, int, int, int], factor: float) -> None:
    assert bb.aso_tightness(*runs) == pytest.approx(factor)


def test_systems_without_names_are_counted():
    rows = [[1.0, 2.0, 3.0, 4.0, 5.0], [0.5, 1.0, 2.0, 3.0, 3.5]]
    named = bb.multi_aso({"1": rows[0], "2": rows[1]}, n_resamples=200)
    for unnamed in (rows, np.array(rows)):
        found = bb.multi_aso(unnamed, n_resamples=200)
        assert found.systems == ("1", "2")
        assert found["1", "2"].epsilon_min == named["1", "2"].epsilon_min


def test_the_table_of_systems_with_the_same_scores_has_dashes() -> None:
    printed = str(bb.multi_aso({"a": [0.0, 1.0, 1.0], "b": [1.0, 0.0, 1.0]}, n_resamples=50))
    assert printed.splitlines()[:3] == ["   a  b", "a  –  –", "b  –  –"]


RUNS = {"x": [1.0, 2.0, 4.0, 7.0, 8.0], "y": [3.0, 0.5, 2.5, 5.0, 6.0]}


# -- the draws of a seed, pinned ---------------------------------------------------------------------


@pytest.mark.parametrize(("n", "m"), [(2, 3), (4, 4), (5, 2)])
def test_every_deal_once_however_many_at_a_time(n: int, m: int, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, _ = ordering.merged_steps(n, m)
    chosen = np.array(list(itertools.combinations(range(n + m), n)))
    others = np.array([np.setdiff1d(np.arange(n + m), row) for row in chosen])
    for at_once, blocks in ((1 << 17, 1), (3 * (n + m), -(-len(chosen) // 3)), (1, len(chosen))):
        monkeypatch.setattr(ordering, "BLOCK_NUMBERS", at_once)
        found = list(ordering._every_deal(n, m))
        assert len(found) == blocks
        assert (np.concatenate([p for p, _ in found]) == chosen[:, first]).all()
        assert (np.concatenate([q for _, q in found]) == others[:, second]).all()


# -- ratios --------------------------------------------------------------------------------------------


def test_a_mirror_image_seen_in_a_mirror_is_the_original() -> None:
    one = ordering.Estimate(0.25, 0.125, 3, 0.375, 0.0625, 0.5, 16, exact=True)
    other = ordering.Estimate(0.75, 0.125, 3, 0.625, 0.5, 0.0625, 16, exact=True)
    assert one.mirrored() == other
    assert other.mirrored() == one


def test_distances_of_rounding_are_none() -> None:
    gaps, width = np.array([[1e-13, 0.0], [3e-12, -4e-12], [-2.0, 1.0], [-1.0, -1.0]]), np.array([0.5, 0.5])
    found = ordering._ratios(gaps, width)
    assert np.isnan(found[0])
    assert found[1:].tolist() == pytest.approx([0.64, 0.8, 1.0], rel=1e-12)


def test_resamples_without_a_ratio_count_as_one_half() -> None:
    """A of 0 and 1 beside B of 0 and 0: a quarter of the resamples are the same, in all others A is ahead."""
    found = ordering.estimates([(np.array([0.0, 1.0]), np.zeros(2))], 2, 2, 2000, 0.05, 0)[0]
    assert found.ratio == 0.0
    assert abs(found.undefined - 500) < 5.5 * np.sqrt(2000 * 3 / 16)
    assert found.error == pytest.approx(0.5 * np.sqrt(found.undefined * (2000 - found.undefined)) / 2000)


def test_deals_without_a_ratio_count_as_one_half() -> None:
    """Of six deals of 0, 0, 1, 1 four are the same for both; the data are the one with B ahead."""
    found = ordering.estimates([(np.zeros(2), np.ones(2))], 2, 2, 10, 0.05, 0)[0]
    assert (found.ratio, found.greater, found.less) == (1.0, 1.0, pytest.approx(1 / 6))


def test_samples_are_brought_to_the_unit_interval() -> None:
    one, other = np.array([2.0, 3.0, 6.0]), np.array([4.0, 5.0, 10.0])
    for first, second in ((one, other), (other, one)):
        found = dict(zip((first[0], second[0]), ordering._scaled(first, second), strict=True))
        assert found[2.0].tolist() == [0.0, 0.125, 0.5]
        assert found[4.0].tolist() == [0.25, 0.375, 1.0]
    a, b = ordering._scaled(np.array([-3.0, 1.0]), np.array([-1.0, 0.0]))
    assert (a.tolist(), b.tolist()) == ([0.0, 1.0], [0.5, 0.75])
    for size in (1.0, -1e6):
        near = np.sort(size * np.array([1.0, 1.0 + 5e-13])), np.full(2, size)
        assert [part.tolist() for part in ordering._scaled(*near)] == [[0.0, 0.0], [0.0, 0.0]]
        apart = np.sort(size * np.array([1.0, 1.0 + 2e-12])), np.full(2, size)
        assert sorted(ordering._scaled(*apart)[0].tolist()) == [0.0, 1.0]


def test_ways_to_deal_are_counted_as_long_as_it_pays() -> None:
    assert ordering.n_deals(30, 40) == ordering.n_deals(40, 30) == 55347740058143507128
    assert ordering.n_deals(31, 31) == float("inf")


def test_nine_and_ten_runs_are_enumerated_and_ten_and_ten_are_not() -> None:
    scores = np.random.default_rng(0).normal(size=20)
    assert bb.aso(scores[:9], scores[10:], n_resamples=1).test.exact
    assert not bb.aso(scores[:10], scores[10:], n_resamples=1).test.exact


# -- arguments ---------------------------------------------------------------------------------------


def test_a_thousand_resamples_by_default() -> None:
    assert bb.multi_aso(RUNS) == bb.multi_aso(RUNS, n_resamples=1000, rng=0)
    assert {order.test.alternative for order in bb.multi_aso(RUNS).orders.values()} == {"greater"}
    assert bb.multi_aso(RUNS) != bb.multi_aso(RUNS, n_resamples=1001)
    assert bb.aso(*RUNS.values()) == bb.aso(*RUNS.values(), level=0.95, n_comparisons=1, n_resamples=1000)


# -- notes, and how many deals are drawn -------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_resamples", "alpha", "stages"),
    [
        (1000, 0.05, [1000]),
        (100, 0.05, [100, 200]),
        (200, 0.05, [200]),
        (1000, 0.05 / 56, [1000, 4000, 11200]),
        (1000, 1e-9, [1000, 4000, 16000, 64000, 100_000]),
        (200_000, 1e-9, [200_000]),
    ],
)
def test_how_many_deals_are_drawn_until_the_next_look(
    n_resamples: int, alpha: float, stages: list[int]
) -> None:
    assert list(ordering._stages(n_resamples, alpha)) == stages


def test_a_pair_stops_at_ten_deals_as_extreme(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nine at the first look, and the pair goes on; ten, and it stops. Stages share no draws."""
    pair = ordering._Pair.of(np.array([0.4, 1.0]), np.array([0.0, 0.6]), np.array([[0.4, 0.4]]))
    monkeypatch.setattr(ordering, "MOST_ENUMERATED", 0)
    drawn: list[tuple[int, int]] = []

    def deals(n: int, m: int, n_resamples: int, seed: int, stage: int) -> object:
        drawn.append((stage, n_resamples))
        return iter([])

    monkeypatch.setattr(ordering, "_random_deals", deals)
    for hits, stages, p in ((9, [(0, 100), (1, 100)], 19 / 201), (10, [(0, 100)], 11 / 101)):
        drawn.clear()
        monkeypatch.setattr(ordering, "_hits", lambda *_, h=hits: np.array([[h, 90]]))
        (test,) = ordering._tests([pair], 2, 2, 100, 0.05, 0)
        assert drawn == stages
        assert test == (pytest.approx(p), pytest.approx((1 + 90 * len(stages)) / (1 + 100 * len(stages))),
                        100 * len(stages), False)  # fmt: skip


def test_the_streams_of_stages_differ() -> None:
    one, two = (next(ordering._random_deals(5, 5, 10, 0, stage))[0] for stage in (0, 1))
    assert one.tolist() != two.tolist()


@pytest.mark.parametrize("n", [512, 1 << 16, (1 << 16) + 1])
def test_positions_of_many_runs(n: int) -> None:
    """Short integers up to 2^16 values; of n draws, 1 / e are missing within six standard errors."""
    drawn = ordering._drawn(np.random.default_rng(0), 2, n)
    assert (drawn.dtype, drawn.shape) == (np.intp, (2, n))
    assert (np.diff(drawn, axis=1) >= 0).all()
    assert 0 <= drawn.min() < drawn.max() < n
    missing = 1.0 - np.unique(drawn[0]).size / n
    assert missing == pytest.approx(np.exp(-1.0), abs=6 * 0.31 / np.sqrt(n))


def test_the_other_sentences() -> None:
    assert "neither is better" in str(bb.aso([1, 2], [1, 2]))
    assert "With so few runs, no scores can show dominance at 5 %" in str(bb.aso([3, 4], [1, 2]))
    assert "99.9944 % confidence" in str(bb.aso(NEW, OLD, n_comparisons=900))
