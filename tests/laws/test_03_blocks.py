"""Law 3: how many items, rows or resamples are computed at a time changes nothing but rounding.

Blocks of resamples that begin a stream of random numbers are not among these: they say what is drawn.
"""

from __future__ import annotations

import importlib
import json
from typing import Any

import numpy as np
import pytest

from bestby import compare

AT_A_TIME = {
    "_core.chunks.CHUNK": 150,
    "resampling.totals.BLOCK_NUMBERS": 7,
    "resampling.totals.WEIGHT_BLOCK": 7,
}
"""Constants that the settings below depend on, and what each is set to.

A last block then holds a single row or number now and then: 151 rows of one, three or five columns are such.
"""

N = 151
RNG = np.random.default_rng(9)
GOLD = RNG.integers(0, 3, N)
LABELS = {f"s{i}": np.where(RNG.random(N) < 0.5 + 0.04 * i, GOLD, RNG.integers(0, 3, N)) for i in range(9)}
KINDS = RNG.integers(0, 40, N)
"""Items of the same kind have the same numbers, so that rows are equal."""

NUMBERS = RNG.normal(size=40)[KINDS]
SCORES = {f"s{i}": np.round(NUMBERS + RNG.normal(size=40)[KINDS], 1 + i % 2) for i in range(9)}
SETTINGS: dict[str, dict[str, Any]] = {
    "labels of many": {
        "data": {name: LABELS[name] for name in ("s0", "s2", "s4", "s6", "s8")},
        "gold": GOLD,
        "metric": "f1_macro",
        "correction": "simultaneous",
    },
    "labels of three": {
        "data": {name: LABELS[name] for name in ("s0", "s4", "s8")},
        "gold": GOLD,
        "metric": ["accuracy", "f1_macro", "matthews_corrcoef"],
        "interval": "bca",
    },
    "means of few kinds": {
        "data": {f"s{i}": RNG.normal(size=7)[KINDS % 7] for i in range(9)},
        "interval": "percentile",
        "test": "bootstrap",
    },
    "exact means": {"data": {name: SCORES[name] for name in ("s0", "s1")}},
    "ranks": {
        "data": {name: SCORES[name] for name in ("s0", "s3")},
        "gold": np.round(NUMBERS, 1),
        "metric": ["spearman", "pearson"],
        "interval": "abc",
    },
    "answers of many": {"data": LABELS, "gold": GOLD},
}


def leaves(value: Any, path: str = "") -> list[tuple[str, Any]]:
    """Return each value of a result with where it stands."""
    if isinstance(value, dict | list):
        inner = value.items() if isinstance(value, dict) else enumerate(value)
        return [leaf for key, one in inner for leaf in leaves(one, f"{path}/{key}")]
    return [(path, value)]


def results(name: str) -> list[tuple[str, Any]]:
    """Return the values of a comparison."""
    return leaves(json.loads(compare(**SETTINGS[name], n_resamples=99).to_json()))


@pytest.fixture(scope="module")
def usual() -> dict[str, list[tuple[str, Any]]]:
    """The results with the constants as they are."""
    return {name: results(name) for name in SETTINGS}


@pytest.mark.parametrize("constant", AT_A_TIME)
def test_blocks_change_nothing_but_rounding(
    constant: str, usual: dict[str, list[tuple[str, Any]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    module, name = constant.rsplit(".", 1)
    monkeypatch.setattr(importlib.import_module(f"bestby.{module}"), name, AT_A_TIME[constant])
    for setting, expected in usual.items():
        found = results(setting)
        assert [path for path, _ in found] == [path for path, _ in expected]
        for (path, value), (_, other) in zip(found, expected, strict=True):
            close = pytest.approx(other, rel=1e-9, abs=1e-11) if isinstance(other, float) else other
            assert value == close, (setting, path)
