"""Units to resample: what a cell costs, and how counted units are expanded."""

from __future__ import annotations

import numpy as np
import pytest

from bestby._core.errors import DesignError
from bestby.resampling import totals
from bestby.resampling.units import Units, circular, consecutive, single_stratum


def test_a_cell_costs_as_many_draws_as_are_given() -> None:
    units = Units(np.array([12, 12]), np.array([0, 2]))
    assert units.by_cells(12)
    assert not units.by_cells(13)


def test_expanded_units_are_counted_in_whole_numbers() -> None:
    X = np.array([[1.0, -1.0], [2.0, 0.0], [3.0, 5.0]])
    rows, units = Units(np.array([2, 1, 3]), np.array([0, 2, 3])).expanded(X)
    assert rows.tolist() == [[1.0, -1.0]] * 2 + [[2.0, 0.0]] + [[3.0, 5.0]] * 3
    assert (units.counts.dtype, units.counts.tolist()) == (np.int64, [1] * 6)
    assert (units.sizes.dtype, units.sizes.tolist()) == (np.int64, [3, 3])
    alone = single_stratum(3)
    assert (alone.counts.dtype, alone.bounds.dtype, alone.sizes.tolist()) == (np.int64, np.int64, [3])
    again, same = alone.expanded(X)
    assert again is X
    assert same is alone


@pytest.mark.parametrize("strata", [None, np.array([1, 0] * 13)])
def test_every_resample_has_as_many_items(strata: np.ndarray | None) -> None:
    blocks = circular(26, 4, strata)
    drawn = totals.bootstrap_blocks(
        blocks.units, 40, 1, lambda w: blocks.spread(w).astype(float), draws=blocks.draws
    )
    assert drawn.sum(axis=1).tolist() == [26.0] * 40
    if strata is not None:
        assert drawn[:, strata == 0].sum(axis=1).tolist() == [13.0] * 40


def test_sums_and_spread_agree() -> None:
    rng = np.random.default_rng(2)
    x, strata = rng.normal(size=(31, 2)), rng.integers(0, 2, 31)
    blocks = circular(31, 3, strata)
    weights = rng.integers(0, 3, size=(5, blocks.units.n))
    assert blocks.spread(weights) @ x == pytest.approx(weights @ blocks.sums(x))


def test_every_item_is_drawn_as_often() -> None:
    blocks = circular(17, 5)
    weights = np.concatenate([np.full(17, 3), np.ones(17, dtype=np.int64)])[None, :]
    assert blocks.spread(weights)[0].tolist() == [3 * 5 + 2] * 17


def test_the_mean_of_blocks_varies_as_dependent_items_do() -> None:
    """The variance of a circular block bootstrap is known: that of the mean of a block, over their number."""
    x = np.random.default_rng(4).normal(size=200).cumsum()
    blocks = circular(200, 10)
    drawn = totals.bootstrap(
        blocks.sums(x[:, None]), blocks.units, 4000, 5, lambda t: t[:, 0] / 200, draws=blocks.draws
    )
    longer = np.concatenate([x, x[:9]])
    means = np.array([longer[i : i + 10].mean() for i in range(200)])
    assert drawn.std() == pytest.approx(means.std() / np.sqrt(20), rel=0.05)


def test_consecutive_blocks_do_not_reach_into_the_next_stratum() -> None:
    strata = np.array([0, 0, 1, 1, 1, 0])
    assert consecutive(6, 2, strata).tolist() == [0, 0, 2, 2, 3, 1]
    assert consecutive(5, 10).tolist() == [0] * 5


def test_too_long_blocks() -> None:
    with pytest.raises(DesignError, match="need at least 12 items, got 11"):
        circular(11, 6)
    with pytest.raises(DesignError, match="in every stratum, got 3"):
        circular(11, 2, np.array([0] * 8 + [1] * 3))


def test_items_of_many_interleaved_strata_stay_in_their_order() -> None:
    """Long enough that a sort which is not stable would exchange some."""
    strata = np.random.default_rng(0).integers(0, 3, 2000)
    expected = [np.flatnonzero(strata == h) for h in range(3)]
    assert circular(2000, 7, strata).order.tolist() == np.concatenate(expected).tolist()
    found, before = consecutive(2000, 7, strata), 0
    assert found.dtype == np.int64
    for members in expected:
        assert found[members].tolist() == [before + i // 7 for i in range(members.size)]
        before += -(-members.size // 7)


def test_two_blocks_are_enough_and_no_rest_is_no_part() -> None:
    blocks = circular(12, 6)
    assert [blocks.lengths.tolist(), blocks.strata.tolist(), blocks.draws.tolist()] == [[6], [0], [2]]
    assert blocks.draws.dtype == blocks.lengths.dtype == np.int64
    with pytest.raises(DesignError, match="need at least 12 items, got 11"):
        circular(11, 6)


def test_how_often_items_are_drawn_is_held_in_short_integers() -> None:
    blocks = circular(12, 5)
    for kind in (np.uint8, np.int64, np.float64):
        found = blocks.spread(np.ones((2, 24), dtype=kind))
        assert (found.dtype, found.tolist()) == (np.int32, [[7] * 12] * 2)
