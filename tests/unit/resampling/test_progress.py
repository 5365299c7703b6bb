"""Progress over several stages never falls, and is whole at the end only."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bestby as bb
from bestby.resampling.progress import counted_stages, extra_stage, in_turn


def test_stages_are_counted_together() -> None:
    told: list[tuple[int, int]] = []
    with counted_stages(lambda done, of: told.append((done, of)), 30) as tell:
        assert tell is not None
        for done in (5, 10):
            tell(done, 10)
        tell(20, 20)
        assert told == [(5, 30), (10, 30)]
    assert told[-1] == (30, 30)


def test_an_unexpected_stage_holds_the_share_until_the_work_has_caught_up() -> None:
    told: list[tuple[int, int]] = []
    with counted_stages(lambda done, of: told.append((done, of)), 20) as tell:
        assert tell is not None
        tell(10, 10)
        more = extra_stage(tell)
        assert more is not None
        for done in (5, 10, 15, 20):
            more(done, 20)
        tell(5, 10)
    # 10 of 20, then 15 of 40 is less: nothing is told up to 20 of 40
    assert told == [(10, 20), (20, 40), (25, 40), (30, 40), (35, 40), (30, 30)]


def test_no_stage_at_all_ends_whole_too() -> None:
    told: list[tuple[int, int]] = []
    with counted_stages(lambda done, of: told.append((done, of)), 50):
        pass
    assert told == [(1, 1)]
    with counted_stages(None, 50) as tell:
        assert tell is None
    assert extra_stage(None) is None
    assert in_turn(None, 0, 2) is None
    second = in_turn(lambda done, of: told.append((done, of)), 1, 2)
    assert second is not None
    second(3, 10)
    assert told[1:] == [(13, 20)]


@pytest.mark.parametrize("n", [200, 1200])
@pytest.mark.parametrize("settings", [{}, {"interval": None}, {"test": None}, {"interval": "percentile"}])
def test_a_function_tells_of_its_jackknife_and_test(n: int, settings: dict[str, Any]) -> None:
    rng = np.random.default_rng(7)
    gold = rng.normal(size=n)
    systems = {name: gold + rng.normal(size=n) for name in "abc"}

    def error(gold: Any, predictions: Any) -> float:
        return float(np.abs(gold - predictions).mean() ** 0.5)

    told: list[tuple[int, int]] = []
    bb.compare(
        systems, gold, metric=error, n_resamples=64,
        resampling=bb.Resampling(progress=lambda *of: told.append(of)), **settings
    )  # fmt: skip
    shares = [done / of for done, of in told]
    assert shares == sorted(shares)
    assert shares.index(1.0) == len(shares) - 1
    left_out = 200 if settings in ({}, {"test": None}) else 0
    bootstrap = 0 if settings == {"interval": None} else 64
    swaps = 0 if settings == {"test": None} else 3 * 64
    assert told[-1][0] == left_out + bootstrap + swaps


def test_a_small_p_value_of_a_function_is_counted_too() -> None:
    rng = np.random.default_rng(7)
    gold = rng.normal(size=100)
    systems = {"a": gold + 0.5 * rng.normal(size=100), "b": gold + 2.0 * rng.normal(size=100)}
    calls = 0

    def error(gold: Any, predictions: Any) -> float:
        nonlocal calls
        calls += 1
        return float(np.abs(gold - predictions).mean() ** 0.5)

    told: list[tuple[int, int]] = []
    result = bb.compare(
        systems,
        gold,
        metric=error,
        n_resamples=100,
        resampling=bb.Resampling(progress=lambda *of: told.append(of)),
    )
    assert result["a", "b"].test.method == "importance sampling"
    shares = [done / of for done, of in told]
    assert shares == sorted(shares)
    # Of each system two calls are for a note and for the score, 100 tell whether the function moves in steps.
    assert told[-1] == (calls // 2 - 102, calls // 2 - 102)


@pytest.mark.parametrize("metric", ["pearson", "spearman", None])
def test_slices_are_counted_together(metric: str | None) -> None:
    rng = np.random.default_rng(7)
    gold = rng.normal(size=120)
    systems = {name: gold + rng.normal(size=120) for name in "ab"}

    def error(gold: Any, predictions: Any) -> float:
        return float(np.abs(gold - predictions).mean() ** 0.5)

    told: list[tuple[int, int]] = []
    bb.compare_slices(
        systems, gold, by={"kind": np.arange(120) % 3}, metric=[metric or error, "rmse"], n_resamples=64,
        resampling=bb.Resampling(progress=lambda *of: told.append(of)),
    )  # fmt: skip
    shares = [done / of for done, of in told]
    assert shares == sorted(shares)
    assert shares.index(1.0) == len(shares) - 1
    assert metric is not None or len(told) > 20


def test_texts_are_counted_in_the_first_half() -> None:
    gold = [f"the cat number {place} sat on the mat {place % 7}" for place in range(300)]
    systems = {
        "a": [one.replace("cat", "dog") for one in gold],
        "b": [one.replace("sat", "is") for one in gold],
    }
    told: list[tuple[int, int]] = []
    settings: dict[str, Any] = {"metric": "bleu", "n_resamples": 50}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bestby.engine.text_statistics.TOLD_EVERY", 1e-3)
        told_of = bb.compare(
            systems, gold, **settings, resampling=bb.Resampling(progress=lambda *of: told.append(of))
        )
    shares = [done / of for done, of in told]
    assert shares == sorted(shares)
    assert sum(share < 0.5 for share in shares) > 5
    assert shares.index(1.0) == len(shares) - 1
    plain = bb.compare(systems, gold, **settings)
    assert told_of["a", "b"].interval == plain["a", "b"].interval
