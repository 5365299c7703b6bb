"""Differences by metrics of ranks are sums over the items, whichever are swapped."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bestby as bb
from bestby.engine.ranked import RankSample
from bestby.metrics.ranks import RankMetric
from bestby.metrics.registry import resolve


def metric_of(name: str, gold: Any, systems: list[Any]) -> RankMetric:
    metric = resolve(name).fit(gold, systems, None)
    assert isinstance(metric, RankMetric)
    return metric


def effects_of(metric: RankMetric, gold: Any, a: Any, b: Any) -> Any:
    return metric.swap_effects(metric.prepare(np.concatenate([gold, gold]), np.concatenate([a, b])))


@given(
    st.sampled_from(["roc_auc", "spearman", "kendall"]),
    st.integers(3, 40),
    st.sampled_from([0, 1, 15]),
    st.sampled_from([0, 15]),
    st.integers(0, 2**32 - 1),
)
def test_a_swap_changes_the_sign_of_what_an_item_adds(
    name: str, n: int, decimals: int, gold_decimals: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    gold = np.arange(n) % 2 if name == "roc_auc" else np.round(rng.normal(size=n), gold_decimals)
    gold[:2] = 0, 1
    a, b = np.round(gold + rng.normal(size=(2, n)), decimals if name == "roc_auc" else 15)
    b = np.where(rng.random(n) < 0.3, a, b)
    metric = metric_of(name, gold, [a, b])
    effects = effects_of(metric, gold, a, b)
    assert (effects == np.rint(effects)).all()
    parts = effects[:n] - effects[n:]
    swaps = rng.random((20, n)) < 0.5
    sums = np.where(swaps, -parts, parts).sum(axis=1)

    def score(x: Any) -> float:
        return metric.whole(metric.prepare(gold, x))

    found = np.array([score(np.where(s, b, a)) - score(np.where(s, a, b)) for s in swaps])
    far = int(np.abs(sums).argmax())
    unit = found[far] / sums[far] if sums[far] else 0.0
    assert unit >= 0.0
    assert found == pytest.approx(sums * unit, abs=1e-12)


@pytest.mark.parametrize("name", ["spearman", "kendall"])
def test_shared_predictions_are_left_to_other_ways(name: str) -> None:
    gold = np.arange(6.0)
    a, b = gold + 0.25, gold[::-1] + 0.5
    metric = metric_of(name, gold, [a, b])
    assert effects_of(metric, gold, a, b) is not None
    b[2] = a[2]  # its own prediction of the other system
    assert effects_of(metric, gold, a, b) is not None
    b[3] = a[2]
    assert effects_of(metric, gold, a, b) is None
    a[0] = a[1]
    assert effects_of(metric, gold, a, gold[::-1] + 0.5) is None


@pytest.mark.parametrize("name", ["roc_auc", "spearman", "kendall"])
@pytest.mark.parametrize("groups", [None, "clusters", "strata"])
def test_the_exact_test_is_the_limit_of_swaps_at_random(
    name: str, groups: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(5)
    n = 160
    gold = rng.integers(0, 2, n) if name == "roc_auc" else rng.normal(size=n)
    systems = {"a": gold + rng.normal(size=n), "b": gold + 1.3 * rng.normal(size=n)}
    more: dict[str, Any] = (
        {} if groups is None else {groups: np.arange(n) // 3 if groups == "clusters" else np.arange(n) % 2}
    )
    settings: dict[str, Any] = {"metric": name, "test": "permutation", "interval": None, **more}
    exact = bb.compare(systems, gold, **settings)["a", "b"].test
    monkeypatch.setattr(RankSample, "_without_draws", lambda *_, **__: None)
    drawn = bb.compare(systems, gold, n_resamples=10_000, **settings)["a", "b"].test
    assert exact.exact
    assert not drawn.exact
    assert drawn.statistic == exact.statistic
    # Five standard errors: false alarm rate 6e-7.
    assert drawn.p_value == pytest.approx(exact.p_value, abs=5.0 * drawn.error + 1e-4)
