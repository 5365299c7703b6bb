"""The laws of `compare_runs`."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.questions.runs.examples import MID, NEW, OLD

from bestby import compare_runs


@pytest.mark.parametrize("test", ["permutation", "t", "bootstrap"])
@pytest.mark.parametrize("interval", ["t", "percentile", "bca"])
@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_swapping_mirrors_to_the_bit(test: str, interval: str, paired: bool, alternative: str) -> None:
    settings: dict[str, Any] = {"test": test, "interval": interval, "paired": paired, "n_resamples": 200}
    there = compare_runs({"old": OLD, "new": NEW}, alternative=alternative, **settings)["old", "new"]
    back = compare_runs(
        {"new": NEW, "old": OLD}, alternative="less" if alternative == "greater" else alternative, **settings
    )["new", "old"]
    assert there == back.mirrored()
    assert there.mirrored() == back
    assert there.interval == back.interval.mirrored()
    assert there.p_value == back.p_value
    assert there.improvement + back.improvement == pytest.approx(1.0)
    assert there.effect_size == -back.effect_size
    assert there.order == back.reverse_order


def test_correction_never_loosens() -> None:
    family = {"old": OLD, "new": NEW, "mid": MID}
    raw = {(d.a, d.b): d.p_value for d in compare_runs(family, correction="none", test="permutation")}
    for correction in ("holm", "bonferroni", "bh"):
        result = compare_runs(family, correction=correction, test="permutation")
        for d in result:
            assert d.p_value == raw[d.a, d.b]
            assert d.p_adjusted >= d.p_value
    two = compare_runs({"old": OLD, "new": NEW})["new", "old"].order
    three = compare_runs(family)["new", "old"].order
    assert three.level > two.level
    assert three.epsilon_min >= two.epsilon_min
