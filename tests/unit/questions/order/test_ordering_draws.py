"""Almost stochastic order: the draws of a seed, ratios, notes, and how many deals are drawn."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

import bestby as bb
from bestby._core.typing import FloatArray
from bestby.questions.order import violation
from bestby.resampling import streams

RUNS = {"x": [1.0, 2.0, 4.0, 7.0, 8.0], "y": [3.0, 0.5, 2.5, 5.0, 6.0]}


# -- the draws of a seed, pinned ---------------------------------------------------------------------


def test_resamples_of_a_seed() -> None:
    p, q = next(violation.bootstrap_positions(3, 3, 3, 5))
    assert p.tolist() == [[1, 2, 2], [0, 1, 1], [0, 0, 1]]
    assert q.tolist() == [[1, 1, 2], [0, 1, 2], [0, 0, 2]]
    p, q = next(violation.bootstrap_positions(3, 4, 3, 5))
    assert p.tolist() == [[1, 1, 2, 2, 2, 2], [0, 0, 1, 1, 1, 1], [0, 0, 0, 0, 1, 1]]
    assert q.tolist() == [[1, 2, 2, 3, 3, 3], [0, 0, 0, 2, 2, 3], [0, 2, 2, 2, 2, 3]]


def test_deals_of_a_seed() -> None:
    p, q = next(violation._random_deals(3, 3, 3, 5))
    assert p.tolist() == [[0, 2, 5], [0, 2, 4], [1, 3, 4]]
    assert q.tolist() == [[1, 3, 4], [1, 3, 5], [0, 2, 5]]
    p, q = next(violation._random_deals(3, 4, 2, 5))
    assert p.tolist() == [[0, 0, 2, 2, 5, 5], [0, 0, 1, 1, 4, 4]]
    assert q.tolist() == [[1, 3, 3, 4, 4, 6], [2, 3, 3, 5, 5, 6]]


def test_deals_of_4096_values_have_longer_random_numbers() -> None:
    p, _ = next(violation._random_deals(2048, 2048, 1, 5))
    assert p[0, :8].tolist() == [2, 3, 4, 8, 9, 12, 15, 16]


@pytest.mark.parametrize(("at_once", "rows"), [(20, [2, 2, 1]), (29, [2, 2, 1]), (9, [1] * 5), (50, [5])])
def test_resamples_are_drawn_in_blocks(
    at_once: int, rows: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(violation, "BLOCK_NUMBERS", at_once)
    drawn = list(violation._blocks("bootstrap", 10, 5, 3))
    assert [count for _, count in drawn] == rows
    for block, (generator, _) in enumerate(drawn):
        again = streams.block_generator(3, "bootstrap", block)
        assert generator.bit_generator.random_raw() == again.bit_generator.random_raw()


@pytest.mark.parametrize("n", [512, 1 << 16, (1 << 16) + 1])
def test_positions_of_many_runs(n: int) -> None:
    """Short integers up to 2^16 values; of n draws, 1 / e are missing within six standard errors."""
    drawn = violation._drawn(np.random.default_rng(0), 2, n)
    assert (drawn.dtype, drawn.shape) == (np.intp, (2, n))
    assert (np.diff(drawn, axis=1) >= 0).all()
    assert 0 <= drawn.min() < drawn.max() < n
    missing = 1.0 - np.unique(drawn[0]).size / n
    assert missing == pytest.approx(np.exp(-1.0), abs=6 * 0.31 / np.sqrt(n))


@pytest.mark.parametrize(("n", "m"), [(2, 3), (4, 4), (5, 2)])
def test_every_deal_once_however_many_at_a_time(n: int, m: int, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, _ = violation.merged_steps(n, m)
    chosen = np.array(list(itertools.combinations(range(n + m), n)))
    others = np.array([np.setdiff1d(np.arange(n + m), row) for row in chosen])
    for at_once, blocks in ((1 << 17, 1), (3 * (n + m), -(-len(chosen) // 3)), (1, len(chosen))):
        monkeypatch.setattr(violation, "BLOCK_NUMBERS", at_once)
        found = list(violation._every_deal(n, m))
        assert len(found) == blocks
        assert (np.concatenate([p for p, _ in found]) == chosen[:, first]).all()
        assert (np.concatenate([q for _, q in found]) == others[:, second]).all()


def test_an_enumeration_in_blocks_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = (np.sort(values) for values in np.random.default_rng(2).normal(size=(2, 5)))
    at_once = violation.estimates([(a, b)], 5, 5, 50, 0.05, 1)
    assert (at_once[0].n_deals, at_once[0].exact) == (252, True)
    monkeypatch.setattr(violation, "BLOCK_NUMBERS", 30)  # the hits of all blocks are added up
    few = violation.estimates([(a, b)], 5, 5, 50, 0.05, 1)[0]
    assert (few.greater, few.less) == (at_once[0].greater, at_once[0].less)


# -- ratios --------------------------------------------------------------------------------------------


def test_a_mirror_image_seen_in_a_mirror_is_the_original() -> None:
    one = violation.Estimate(0.25, 0.125, 3, 0.375, 0.0625, 0.5, 16, exact=True)
    other = violation.Estimate(0.75, 0.125, 3, 0.625, 0.5, 0.0625, 16, exact=True)
    assert one.mirrored() == other
    assert other.mirrored() == one


def test_distances_of_rounding_are_none() -> None:
    gaps, width = np.array([[1e-13, 0.0], [3e-12, -4e-12], [-2.0, 1.0], [-1.0, -1.0]]), np.array([0.5, 0.5])
    found = violation._ratios(gaps, width)
    assert np.isnan(found[0])
    assert found[1:].tolist() == pytest.approx([0.64, 0.8, 1.0], rel=1e-12)


def test_resamples_without_a_ratio_count_as_one_half() -> None:
    """A of 0 and 1 beside B of 0 and 0: a quarter of the resamples are the same, in all others A is ahead."""
    found = violation.estimates([(np.array([0.0, 1.0]), np.zeros(2))], 2, 2, 2000, 0.05, 0)[0]
    assert found.ratio == 0.0
    assert abs(found.undefined - 500) < 5.5 * np.sqrt(2000 * 3 / 16)
    assert found.error == pytest.approx(0.5 * np.sqrt(found.undefined * (2000 - found.undefined)) / 2000)


def test_deals_without_a_ratio_count_as_one_half() -> None:
    """Of six deals of 0, 0, 1, 1 four are the same for both; the data are the one with B ahead."""
    found = violation.estimates([(np.zeros(2), np.ones(2))], 2, 2, 10, 0.05, 0)[0]
    assert (found.ratio, found.greater, found.less) == (1.0, 1.0, pytest.approx(1 / 6))


def test_samples_are_brought_to_the_unit_interval() -> None:
    one, other = np.array([2.0, 3.0, 6.0]), np.array([4.0, 5.0, 10.0])
    for first, second in ((one, other), (other, one)):
        found = dict(zip((first[0], second[0]), violation._scaled(first, second), strict=True))
        assert found[2.0].tolist() == [0.0, 0.125, 0.5]
        assert found[4.0].tolist() == [0.25, 0.375, 1.0]
    a, b = violation._scaled(np.array([-3.0, 1.0]), np.array([-1.0, 0.0]))
    assert (a.tolist(), b.tolist()) == ([0.0, 1.0], [0.5, 0.75])
    for size in (1.0, -1e6):
        near = np.sort(size * np.array([1.0, 1.0 + 5e-13])), np.full(2, size)
        assert [part.tolist() for part in violation._scaled(*near)] == [[0.0, 0.0], [0.0, 0.0]]
        apart = np.sort(size * np.array([1.0, 1.0 + 2e-12])), np.full(2, size)
        assert sorted(violation._scaled(*apart)[0].tolist()) == [0.0, 1.0]


def test_ways_to_deal_are_counted_as_long_as_it_pays() -> None:
    assert violation.n_deals(30, 40) == violation.n_deals(40, 30) == 55347740058143507128
    assert violation.n_deals(31, 31) == float("inf")


def test_nine_and_ten_runs_are_enumerated_and_ten_and_ten_are_not() -> None:
    scores = np.random.default_rng(0).normal(size=20)
    assert bb.aso(scores[:9], scores[10:], n_resamples=1).test.exact
    assert not bb.aso(scores[:10], scores[10:], n_resamples=1).test.exact


def shrunk(a: FloatArray, b: FloatArray) -> float:
    """Return the statistic of the test, from the quantiles at the middles of n m steps."""
    x, y = (np.repeat(np.sort(one), other.size) for one, other in ((a, b), (b, a)))
    pool = np.concatenate([a, b])
    k = 0.1 * (stats.iqr(pool) / 1.3489795) ** 2 * (1 / a.size + 1 / b.size)
    return float((np.mean(np.minimum(x - y, 0) ** 2) + k) / (np.mean((x - y) ** 2) + 2 * k))


@pytest.mark.parametrize("better", [True, False])
@pytest.mark.parametrize(("n", "m"), [(5, 6), (12, 30)])
def test_every_field_of_an_order(n: int, m: int, better: bool) -> None:
    rng = np.random.default_rng(n)
    a, b = rng.normal(0.4, 1, n), rng.normal(0, 1, m)
    order = bb.aso(a, b, level=0.9, n_comparisons=2, n_resamples=400, greater_is_better=better)
    assert (order.n_a, order.n_b, order.level) == (n, m, pytest.approx(0.95))
    bound = order.violation_ratio + order.standard_error * stats.norm.ppf(0.95)
    assert order.epsilon_min == pytest.approx(min(bound, 1.0), rel=1e-12)
    test, exact = order.test, n == 5
    assert (test.name, test.alternative, test.exact) == (
        "permutation",
        "greater" if better else "less",
        exact,
    )
    assert (test.method, test.n_resamples) == (("enumeration", 0) if exact else ("monte carlo", 400))
    p = test.p_value
    assert 0.0 < p < 1.0
    assert test.error == pytest.approx(0.0 if exact else np.sqrt(p * (1.0 - p) / 400), rel=1e-12)
    assert test.statistic == pytest.approx(shrunk(a, b) if better else 1.0 - shrunk(a, b), rel=1e-12)


# -- arguments ---------------------------------------------------------------------------------------


def test_a_thousand_resamples_by_default() -> None:
    assert bb.multi_aso(RUNS) == bb.multi_aso(RUNS, n_resamples=1000, rng=0)
    assert {order.test.alternative for order in bb.multi_aso(RUNS).orders.values()} == {"greater"}
    assert bb.multi_aso(RUNS) != bb.multi_aso(RUNS, n_resamples=1001)
    assert bb.aso(*RUNS.values()) == bb.aso(*RUNS.values(), level=0.95, n_comparisons=1, n_resamples=1000)


@pytest.mark.parametrize("name", ["m_old", "n_old", "m_new", "n_new"])
def test_the_number_of_runs_that_is_none_is_named(name: str) -> None:
    with pytest.raises(bb.InvalidInputError, match=f"^{name} must be a whole number of at least 1, got 0"):
        bb.aso_tightness(**({"m_old": 5, "n_old": 5, "m_new": 5, "n_new": 5} | {name: 0}))


# -- notes, and how many deals are drawn -------------------------------------------------------------


def test_every_note_says_which_systems_it_is_about() -> None:
    five, other = [1.0, 2.0, 4.0, 7.0, 8.0], [3.0, 0.5, 2.5, 5.0, 6.0]
    many = np.random.default_rng(0).normal(size=(2, 20))
    orders = (
        bb.aso(five, five),
        bb.aso([3.0, 4.0], [1.0, 2.0]),
        bb.aso([2.0] * 5, other),
        bb.aso(five, other, n_comparisons=1000),
        bb.aso(many[0], many[1], n_comparisons=6000),
        bb.aso([1, 1, 1, 1, 2], [1, 1, 1, 1, 3]),
    )
    notes = [note for order in orders for note in order.notes]
    assert {note.code for note in notes} == {
        "identical_runs",
        "few_runs",
        "out_of_reach",
        "constant_runs",
        "few_resamples",
        "undefined_resamples",
    }
    assert {note.about for note in notes} == {("A", "B")}
    texts = [note.message for note in notes]
    assert any("all runs of A exceed all runs of B once in 6 times" in text for text in texts)
    assert any(
        text.startswith("100000 resamples give no p-value below 1e-05, but the level") for text in texts
    )


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
    assert list(violation._stages(n_resamples, alpha)) == stages


def test_a_pair_stops_at_ten_deals_as_extreme(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nine at the first look, and the pair goes on; ten, and it stops. Stages share no draws."""
    pair = violation._Pair.of(np.array([0.4, 1.0]), np.array([0.0, 0.6]), np.array([[0.4, 0.4]]))
    monkeypatch.setattr(violation, "MOST_ENUMERATED", 0)
    drawn: list[tuple[int, int]] = []

    def deals(n: int, m: int, n_resamples: int, seed: int, stage: int) -> object:
        drawn.append((stage, n_resamples))
        return iter([])

    monkeypatch.setattr(violation, "_random_deals", deals)
    for hits, stages, p in ((9, [(0, 100), (1, 100)], 19 / 201), (10, [(0, 100)], 11 / 101)):
        drawn.clear()
        monkeypatch.setattr(violation, "_hits", lambda *_, h=hits: np.array([[h, 90]]))
        (test,) = violation._tests([pair], 2, 2, 100, 0.05, 0)
        assert drawn == stages
        assert test == (pytest.approx(p), pytest.approx((1 + 90 * len(stages)) / (1 + 100 * len(stages))),
                        100 * len(stages), False)  # fmt: skip


def test_the_streams_of_stages_differ() -> None:
    one, two = (next(violation._random_deals(5, 5, 10, 0, stage))[0] for stage in (0, 1))
    assert one.tolist() != two.tolist()
