"""Costs: what is read from what, the delta method, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bestby as bb
from bestby.comparisons import costs
from bestby.comparisons.costs import Cost, costs_of, statistic_of
from bestby.errors import InvalidInputError

RNG = np.random.default_rng(0)
N = 200
ITEMS = np.exp(0.5 * RNG.normal(size=(N, 2))) * np.array([3.0, 1.0])
RIGHT = (RNG.random((N, 2)) < 0.7).astype(float)
DATA = bb.Evaluation.of({"a": RIGHT[:, 0], "b": RIGHT[:, 1]})


def measured(items: np.ndarray = ITEMS, quantile: float | None = None, **groups: object) -> Cost:
    data = bb.Evaluation.of({"a": RIGHT[:, 0], "b": RIGHT[:, 1]}, **groups)
    values = items.mean(axis=0) if quantile is None else np.quantile(items, quantile, axis=0)
    return Cost("cost", values, data, items, quantile)


def test_the_interval_of_a_mean_cost_is_t_of_its_logarithm() -> None:
    interval = measured().interval(0, 0.95)
    mean, se = ITEMS[:, 0].mean(), stats.sem(ITEMS[:, 0])
    half = stats.t.ppf(0.975, N - 1) * se / mean
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((mean * math.exp(-half), mean * math.exp(half)))
    assert interval.method == "log-t"


def test_costs_of_which_the_data_say_next_to_nothing_may_be_any() -> None:
    powers = np.ones((N, 2))
    powers[: N // 4] = 2.0 ** np.arange(N // 4)[:, None]
    interval = measured(powers, 0.9).interval(0, 0.95)
    assert interval is not None
    assert (interval.low, interval.high) == (0.0, math.inf)


def test_the_ratio_of_two_costs_allows_for_shared_items() -> None:
    cost = measured()
    assert cost.units is not None
    added = ITEMS[:, 0] / ITEMS[:, 0].mean() - ITEMS[:, 1] / ITEMS[:, 1].mean()
    assert cost.units.error(0, 1).se == pytest.approx(stats.sem(added))
    doubled = measured(np.column_stack([ITEMS[:, 0], 2.0 * ITEMS[:, 0]]))
    assert doubled.units is not None
    assert doubled.units.error(0, 1).se == pytest.approx(0.0, abs=1e-12)


def test_the_cost_per_success_is_a_ratio_of_means() -> None:
    ratio = measured().per_success(RIGHT)
    assert ratio is not None
    assert ratio.values == pytest.approx(ITEMS.mean(axis=0) / RIGHT.mean(axis=0))
    # psi_R = (c - R y) / (n mean y), Cochran (1977), equation 6.13, here over R
    psi = (ITEMS[:, 0] - ratio.values[0] * RIGHT[:, 0]) / RIGHT[:, 0].mean() / ratio.values[0]
    assert ratio.units.error(0).se == pytest.approx(stats.sem(psi))


def test_without_a_success_there_is_no_cost_per_success() -> None:
    ratio = measured().per_success(np.column_stack([np.zeros(N), RIGHT[:, 1]]))
    assert ratio is not None
    assert math.isinf(ratio.values[0])
    assert ratio.interval(0, 0.95) is None
    assert ratio.interval(1, 0.95) is not None


def test_a_price_per_success_has_the_error_of_the_successes_alone() -> None:
    ratio = Cost("price", np.array([3.0, 1.0]), DATA).per_success(RIGHT)
    assert ratio is not None
    share = RIGHT[:, 0].mean()
    assert ratio.units.error(0).se == pytest.approx(math.sqrt(share * (1 - share) / (N - 1)) / share)


def test_the_error_of_a_median_is_that_of_its_density() -> None:
    items = np.random.default_rng(1).exponential(size=(20_000, 2))
    data = bb.Evaluation.of({"a": items[:, 0], "b": items[:, 1]})
    cost = Cost("c", np.median(items, axis=0), data, items, 0.5)
    assert cost.units is not None
    true = 0.5 / (0.5 * math.sqrt(20_000)) / math.log(2.0)  # density 1/2 at the median log 2
    assert cost.units.error(0).se == pytest.approx(true, rel=0.1)


def test_clusters_count_as_one_unit_each() -> None:
    groups = np.repeat(np.arange(N // 4), 4)
    repeated = np.repeat(ITEMS[: N // 4], 4, axis=0)
    alone = measured(repeated)
    assert alone.units is not None
    clustered = measured(repeated, clusters=groups).units
    assert clustered is not None
    assert clustered.error(0).se == pytest.approx(2.0 * alone.units.error(0).se, rel=0.02)
    assert clustered.error(0).df == pytest.approx(N // 4 - 1)


def read_nothing(name: str) -> bb.Evaluation:
    raise AssertionError(name)


def test_prices_arrays_and_several_costs() -> None:
    given = {"usd": {"a": 3.0, "b": 1}, "ms": {"a": ITEMS[:, 0], "b": ITEMS[:, 1].tolist()}}
    _, found = costs_of(given, DATA, read_nothing, "error")
    assert [(one.name, one.items is None) for one in found] == [("usd", True), ("ms", False)]
    _, (alone,) = costs_of({"a": 3.0, "b": 1.0}, DATA, read_nothing, "error")
    assert alone.name == "cost"
    _, (constant,) = costs_of({"c": {"a": [2.0] * N, "b": [1.0] * N}}, DATA, read_nothing, "error")
    assert constant.constant
    assert constant.items is None


def test_costs_are_joined_by_the_ids_of_the_items() -> None:
    ids = [f"q{place}" for place in range(N)]
    data = bb.Evaluation.of({"a": RIGHT[:, 0], "b": RIGHT[:, 1]}, items=ids)
    turned = bb.Evaluation.of({"b": ITEMS[::-1, 1], "a": ITEMS[::-1, 0]}, items=ids[::-1])
    _, (cost,) = costs_of({"ms": turned}, data, read_nothing, "error")
    assert cost.items == pytest.approx(ITEMS)
    fewer = bb.Evaluation.of({"a": ITEMS[9:, 0], "b": ITEMS[9:, 1]}, items=ids[9:])
    with pytest.raises(InvalidInputError, match="item 'q0' has no ms"):
        costs_of({"ms": fewer}, data, read_nothing, "error")
    rest, (cost,) = costs_of({"ms": fewer}, data, read_nothing, "drop")
    assert rest.n_items == N - 9
    assert cost.items == pytest.approx(ITEMS[9:])
    assert [note.code for note in rest.notes] == ["items_dropped"]


def test_a_missing_cost_may_count_as_the_greatest() -> None:
    a = [None, *ITEMS[1:, 0]]
    with pytest.raises(InvalidInputError):
        costs_of({"ms": {"a": a, "b": ITEMS[:, 1]}}, DATA, read_nothing, "error")
    _, (cost,) = costs_of({"ms": {"a": a, "b": ITEMS[:, 1]}}, DATA, read_nothing, "worst")
    assert cost.items is not None
    assert cost.items[0, 0] == max(ITEMS[1:, 0].max(), ITEMS[:, 1].max())


def test_quantiles_are_named_after_the_column() -> None:
    assert statistic_of("a@b@0.9") == ("a@b", 0.9)
    with pytest.raises(InvalidInputError, match="between 0 and 1"):
        statistic_of("ms@p95")


def test_columns_of_a_wide_table_are_told_by_their_words() -> None:
    columns = ["id", "gpt-4", "gpt-4.latencyMs", "latency_ms_t5", "t5"]
    assert costs.in_wide(columns, ["gpt-4", "t5"], "latency_ms") == {
        "gpt-4": "gpt-4.latencyMs",
        "t5": "latency_ms_t5",
    }
    with pytest.raises(InvalidInputError, match="no column 'usd', nor one of 'gpt-4', as 'gpt-4_usd'"):
        costs.in_wide(columns, ["gpt-4", "t5"], "usd")


def test_a_wide_and_a_long_frame_give_the_same_frontier() -> None:
    wide = pd.DataFrame({"item": range(N), "a": RIGHT[:, 0], "b": RIGHT[:, 1]})
    wide["a_ms"], wide["ms b"] = ITEMS[:, 0], ITEMS[:, 1]
    long = pd.DataFrame(
        [
            {"system": name, "item": row, "ok": RIGHT[row, place], "ms": ITEMS[row, place]}
            for place, name in enumerate("ab")
            for row in range(N)
        ]
    )
    one, two = bb.frontier(wide, quality="mean", cost="ms"), bb.frontier(long, quality="ok", cost="ms")
    assert [entry.score for entry in one] == [entry.score for entry in two]
    assert [entry.costs for entry in one] == [entry.costs for entry in two]
