"""The weights of units: who is drawn, however many are drawn and whatever is held at once."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from bestby.resampling import streams, totals
from bestby.resampling.units import Units, single_stratum

KEYS = streams.replicate_keys(streams.stream_key(3, "bootstrap"), 0, 40)


@pytest.mark.parametrize("n", [1, 64, 65, 600])
def test_swap_bits_from_any_word_are_those_of_all(n: int) -> None:
    everything = totals.swap_bits(KEYS, 128 + n)
    assert (totals.swap_bits(KEYS, n, 128) == everything[:, 128:]).all()


def test_draws_of_a_stratum_stay_in_it() -> None:
    drawn = totals.drawn_units(KEYS, np.array([0, 3, 4, 9]))
    assert set(np.unique(drawn[:, :3])) == {0, 1, 2}
    assert set(np.unique(drawn[:, 3])) == {3}
    assert set(np.unique(drawn[:, 4:])) == {4, 5, 6, 7, 8}


def test_blocks_come_back_in_order_and_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    for n_jobs in (1, 3):
        found = totals.run_blocks(
            lambda first, stop: np.arange(first, stop, dtype=float),
            103,
            10,
            n_jobs,
            lambda done, of: told.append((done, of)),
        )
        assert found.tolist() == list(range(103))
    assert told[:11] == told[11:] == [(min(10 * (i + 1), 103), 103) for i in range(11)]


def test_an_error_in_a_thread_is_raised() -> None:
    def fails(first: int, stop: int) -> np.ndarray:
        if first == 20:
            raise ZeroDivisionError("in block 20")
        return np.zeros(stop - first)

    with pytest.raises(ZeroDivisionError, match="in block 20"):
        totals.run_blocks(fails, 100, 10, 3, None)


def test_few_rows_go_by_cells_and_many_one_by_one() -> None:
    assert Units(np.array([50, 50]), np.array([0, 2])).by_cells(12)
    assert not single_stratum(100).by_cells(12)


# -- fewer draws than units ----------------------------------------------------------------------------

DRAWS = [
    ([0, 1], [1]),
    ([0, 65], [2]),
    ([0, 65], [13]),
    ([0, 65], [64]),
    ([0, 3, 7], [1, 3]),
    ([0, 1, 2, 130], [1, 1, 25]),
    ([0, 64, 128], [7, 64]),
    ([0, 5, 10], [9, 2]),
]
IDS = [f"{bounds}-{draws}" for bounds, draws in DRAWS]


@pytest.mark.parametrize(("bounds", "draws"), DRAWS, ids=IDS)
@pytest.mark.parametrize("kind", [np.uint8, np.int64, np.float64])
def test_weights_count_the_units_drawn(bounds: list[int], draws: list[int], kind: type) -> None:
    edges, drawn = np.array(bounds), np.array(draws)
    found = totals.bootstrap_weights(KEYS, edges, drawn, kind)
    assert found.dtype == kind
    for row, units in zip(found, totals.drawn_units(KEYS, edges, drawn), strict=True):
        assert (row == np.bincount(units, minlength=bounds[-1])).all()
    for (start, stop), count in zip(itertools.pairwise(bounds), draws, strict=True):
        assert (found[:, start:stop].sum(axis=1) == count).all()


@pytest.mark.parametrize(("bounds", "draws"), DRAWS, ids=IDS)
@pytest.mark.parametrize("tile", [1, 50, 1 << 13])
def test_totals_are_those_of_the_weights(
    bounds: list[int], draws: list[int], tile: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(totals, "WEIGHT_TILE", tile)
    edges, drawn = np.array(bounds), np.array(draws)
    X = np.random.default_rng(1).integers(-9, 9, (bounds[-1], 2)).astype(float)
    units = Units(np.ones(bounds[-1], dtype=np.int64), edges)
    expected = totals.bootstrap_weights(KEYS, edges, drawn) @ X
    assert (totals._bootstrap_totals(X, units, drawn, KEYS) == expected).all()


def test_draws_as_many_as_there_are_units_are_those_without_a_number() -> None:
    edges = np.array([0, 5, 9])
    everything = totals.drawn_units(KEYS, edges)
    assert (totals.drawn_units(KEYS, edges, np.array([5, 4])) == everything).all()
    fewer = totals.drawn_units(KEYS, edges, np.array([4, 4]))
    assert (fewer[:, :4] == everything[:, :4]).all()  # from words of the same place in the stream


def table_of(kind: str) -> tuple[np.ndarray, Units, np.ndarray]:
    """Return rows, units and draws: many rows, few draws from many rows, strata, or cells."""
    rng = np.random.default_rng(2)
    if kind == "cells":
        return rng.normal(size=(4, 5)), Units(np.array([300, 50, 400, 250]), np.array([0, 2, 4])), [70, 130]
    n = 120
    bounds = np.array([0, 20, n]) if kind == "strata" else np.array([0, n])
    drawn = {"strata": [4, 20], "sparse": [9], "half": [60], "all": [n]}[kind]
    return rng.normal(size=(n, 5)), Units(np.ones(n, dtype=np.int64), bounds), drawn


@pytest.mark.long
@pytest.mark.parametrize("kind", ["cells", "strata", "sparse", "half", "all"])
def test_blocks_and_threads_change_no_total(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X, units, draws = table_of(kind)

    def drawn(n_jobs: int) -> np.ndarray:
        return totals.bootstrap(X, units, 5000, 3, lambda t: t, draws=np.array(draws), n_jobs=n_jobs)

    one = drawn(1)
    assert (drawn(3) == one).all()
    if kind != "cells":  # the blocks of cells have seeds of their own and one size for all
        for size in (120 * 2, 120 * 333):
            monkeypatch.setattr(totals, "BLOCK_NUMBERS", size)
            assert drawn(1) == pytest.approx(one, rel=1e-12, abs=1e-12)
            assert (drawn(2) == drawn(1)).all()


def test_cells_keep_the_draws_of_each_stratum() -> None:
    _, units, draws = table_of("cells")
    drawn = totals.bootstrap(np.eye(4), units, 4000, 0, lambda t: t, draws=np.array(draws))
    assert (drawn[:, :2].sum(axis=1) == 70).all()
    assert (drawn[:, 2:].sum(axis=1) == 130).all()
    share = np.array([300 / 350, 50 / 350, 400 / 650, 250 / 650])
    expected = np.array([70, 70, 130, 130]) * share
    # 5.5 standard errors of the mean of 4000 binomials: false alarm rate below 1e-6.
    assert np.abs(drawn.mean(axis=0) - expected).max() < 5.5 * np.sqrt((expected * (1 - share)).max() / 4000)
