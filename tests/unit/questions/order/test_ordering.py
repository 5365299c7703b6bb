"""Almost stochastic order: values by hand, mirror images, notes, refusals, and the level of the test."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import bestby as bb
from bestby.questions.order.ordering_report import order_sentence
from bestby.questions.order.violation import merged_steps

NEW = [71.2, 72.9, 73.4, 74.0, 75.1]
OLD = [70.3, 70.9, 71.8, 72.0, 73.6]

scores = st.lists(st.integers(-20, 20).map(lambda k: k / 8), min_size=2, max_size=7)


def codes(order: bb.StochasticOrder) -> list[str]:
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


@given(a=scores, b=scores, data=st.data())
def test_order_of_runs_and_scale_of_scores_do_not_matter(
    a: list[float], b: list[float], data: st.DataObject
) -> None:
    order = bb.aso(a, b, n_resamples=50)
    shuffled = bb.aso(data.draw(st.permutations(a)), data.draw(st.permutations(b)), n_resamples=50)
    assert shuffled == order
    scaled = bb.aso([100 + 4 * x for x in a], [100 + 4 * x for x in b], n_resamples=50)
    # multiples of 1/8: exact
    assert dataclasses.replace(scaled, provenance=order.provenance) == order


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


def test_input_is_untouched() -> None:
    a, b = np.array([3.0, 1.0, 2.0]), np.array([0.5, 2.5, 1.5])
    bb.aso(a, b, greater_is_better=False)
    assert a.tolist() == [3.0, 1.0, 2.0]
    assert b.tolist() == [0.5, 2.5, 1.5]


# -- p-values --------------------------------------------------------------------------------------


def test_complete_separation_is_one_deal_of_all() -> None:
    order = bb.aso([6, 7, 8, 9, 10], [1, 2, 3, 4, 5])
    assert order.test.exact
    assert order.test.method == "enumeration"
    assert order.p_value == pytest.approx(1 / 252)
    assert bb.aso([1, 2, 3, 4, 5], [6, 7, 8, 9, 10]).p_value == 1.0
    assert order.epsilon_min == 0.0
    assert order.dominant


def test_p_is_never_zero_when_sampled() -> None:
    order = bb.aso(np.arange(30, 80), np.arange(50), level=0.9, n_resamples=100)
    assert order.p_value == 1 / 101
    assert (order.test.exact, order.test.method, order.test.n_resamples) == (False, "monte carlo", 100)


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


# -- notes and refusals ----------------------------------------------------------------------------


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


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: bb.aso([1.0], [1.0, 2.0]), bb.DesignError, "a must hold at least two scores, got one"),
        (lambda: bb.multi_aso({"x": [1, 2], "y": [3]}), bb.DesignError, "the runs of 'y' must hold at"),
        (lambda: bb.aso([1.0, 2.0], []), bb.InvalidInputError, "b must hold at least two scores"),
        (lambda: bb.aso([1.0, math.nan], [1, 2]), bb.InvalidInputError, "a must be finite"),
        (lambda: bb.aso(["u", "v"], [1, 2]), bb.InvalidInputError, "a must be scores"),
        (lambda: bb.aso([1e308, 0], [-1e308, 0]), bb.InvalidInputError, "at most 1e\\+75 in size"),
        (lambda: bb.aso(NEW, OLD, level=95), bb.InvalidInputError, "level must lie"),
        (lambda: bb.aso(NEW, OLD, n_comparisons=0), bb.InvalidInputError, "n_comparisons must be"),
        (lambda: bb.aso(NEW, OLD, n_resamples=0), bb.InvalidInputError, "n_resamples must be"),
        (lambda: bb.aso(NEW, OLD, rng=-1), bb.InvalidInputError, "rng must be"),
        (lambda: bb.multi_aso(5), bb.InvalidInputError, "data must map"),
        (lambda: bb.multi_aso({1: NEW, "1": OLD}), bb.InvalidInputError, "names of the systems must differ"),
        (lambda: bb.multi_aso({"x": NEW}), bb.InvalidInputError, "at least two systems"),
        (lambda: bb.aso_tightness(5, 5, 0, 5), bb.InvalidInputError, "m_new must be"),
    ],
)
def test_refusals(call: object, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        call()  # type: ignore[operator]


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
    with pytest.raises(bb.InvalidInputError, match="no order between"):
        orders["new", "other"]
    assert orders.find("old", "best") is orders["old", "best"]
    assert orders.find("old", "other") is None
    assert list(orders) == list(orders.orders.values())
    with pytest.raises(bb.InvalidInputError, match="what must be one of"):
        orders.to_frame("sigma")


def test_a_note_is_printed_once_for_the_whole_matrix() -> None:
    orders = bb.multi_aso({name: [k, k + 2] for k, name in enumerate("xyz")})
    assert len(orders.notes) == 3
    assert sum("underestimates how" in line for line in str(orders).splitlines()) == 1


def test_the_sentence_of_a_dominant_system() -> None:
    assert str(bb.aso([6, 7, 8, 9, 10], [1, 2, 3, 4, 5])) == (
        "A over B: violation ratio 0, at most 0 at 95 % confidence (5 and 5 runs). One-sided exact"
        " permutation test: p = 0.0040. At 5 %, A is almost stochastically dominant."
    )


def test_the_sentence_where_custom_and_test_disagree() -> None:
    rng = np.random.default_rng(0)
    order = bb.aso(rng.normal(0.62, 1, 20), rng.normal(0, 1, 20))
    assert order.below_half
    assert not order.dominant
    words = order_sentence(order)
    assert (
        "A is not shown to be dominant. ε_min is below the customary 0.5, but so it is for one in five"
        in words
    )
    assert " ± 0.01." in words


def test_the_other_sentences() -> None:
    assert "neither is better" in str(bb.aso([1, 2], [1, 2]))
    assert "With so few runs, no scores can show dominance at 5 %" in str(bb.aso([3, 4], [1, 2]))
    assert "99.9944 % confidence" in str(bb.aso(NEW, OLD, n_comparisons=900))


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
