"""No option is ignored without a word: each changes a number, adds a note, or is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import bestby as bb

RNG = np.random.default_rng(0)
GOLD = RNG.integers(0, 2, 60)
LABELS = {
    n: np.where(RNG.random(60) < p, GOLD, 1 - GOLD) for n, p in zip("abc", (0.9, 0.8, 0.7), strict=True)
}
NUMBERS = RNG.normal(size=60)
REAL = {n: NUMBERS + RNG.normal(0.0, s, 60) for n, s in zip("abc", (0.5, 0.6, 0.9), strict=True)}
RUNS = {n: RNG.normal(m, 0.1, 8) for n, m in zip("abc", (0.8, 0.75, 0.7), strict=True)}
TABLE = {f"d{i}": {n: float(RUNS[n][i]) for n in RUNS} for i in range(8)}

compare = partial(bb.compare, REAL, NUMBERS, metric="mse", n_resamples=199)
labels = partial(bb.compare, LABELS, GOLD, metric="f1_macro", n_resamples=199)
runs = partial(bb.compare_runs, RUNS, n_resamples=199)
datasets = partial(bb.compare_datasets, TABLE, n_resamples=199)
folds = partial(bb.compare_folds, {n: x[:5] for n, x in RUNS.items()})
judged = [("a", "b", ("a", "b", "tie")[i % 3]) for i in range(30)]
judged += [("b", "c", ("b", "c", "b")[i % 3]) for i in range(30)]
preferences = partial(bb.compare_preferences, judged, n_resamples=199)

LOWER = bb.ScoreMetric("score", greater_is_better=False)

CHANGES: list[tuple[Callable[..., Any], dict[str, Any]]] = [
    *((compare, option) for option in (
        {"correction": "simultaneous"}, {"interval": "bca"}, {"interval": "percentile"},
        {"correction": "step-down"},
        {"resampling": bb.Resampling(resample_size=0.5)}, {"level": 0.9}, {"margin": 0.1},
        {"resampling": bb.Resampling(resample_size=0.5, rescale=False)}, {"correction": "none"},
        {"baseline": "a"}, {"alternative": "better"}, {"alternative": "greater"}, {"test": "bootstrap"},
        {"test": "permutation"}, {"test": "sign"}, {"clusters": bb.Blocks(5)},
        {"clusters": np.arange(60) // 3},
        {"strata": GOLD},
    )),
    *((labels, option) for option in ({"rng": 1}, {"n_resamples": 150}, {"metric": "accuracy"})),
    *((runs, option) for option in (
        {"metric": LOWER}, {"interval": "percentile"}, {"test": "t"}, {"statistic": "median"},
        {"paired": True}, {"margin": 0.05}, {"metric": "mse"}, {"baseline": "a"}, {"rng": 2},
    )),
    *((datasets, option) for option in (
        {"systems": ["a", "b"]}, {"metric": "mse"}, {"metric": LOWER}, {"baseline": "a"},
        {"interval": "percentile"}, {"across": "sign"}, {"alternative": "greater"}, {"correction": "none"},
        {"level": 0.9},
    )),
    *((folds, option) for option in (
        {"systems": ["a", "b"]}, {"metric": "mse"}, {"metric": LOWER}, {"ratio": 0.3},
        {"level": 0.9}, {"baseline": "a"}, {"correction": "none"}, {"alternative": "less"},
    )),
    *((preferences, option) for option in (
        {"clusters": np.arange(60) // 2}, {"ties": "davidson"}, {"scale": "elo"},
        {"prior": "jeffreys"}, {"order": False}, {"alternative": "greater"}, {"correction": "none"},
    )),
]  # fmt: skip

REFUSED: list[tuple[Callable[..., Any], dict[str, Any]]] = [
    *((compare, option) for option in (
        {"correction": "simultaneous", "interval": None},
        {"reading": bb.Reading(normalise=True)},
    )),
    (labels, {"reading": bb.Reading(normalise=True)}),
    *((datasets, option) for option in (
        {"dataset": "x"}, {"gold": "g"}, {"clusters": "c"}, {"test": "sign"}, {"interval": "tango"},
    )),
    *((folds, option) for option in (
        {"fold": "f"}, {"repetition": "r"}, {"gold": "g"}, {"required": 2}, {"interval": "percentile"},
        {"inside": "sign"}, {"test": "k-bonferroni"},
    )),
    *((preferences, option) for option in ({"a": "x"}, {"items": "i"}, {"winner": "w"})),
]  # fmt: skip


def told(result: Any) -> dict[str, Any]:
    """Return the JSON without the settings, which hold every option in any case."""
    document: dict[str, Any] = json.loads(result.to_json())
    return {key: value for key, value in document.items() if key not in ("provenance", "signature")}


def named(case: tuple[Callable[..., Any], dict[str, Any]]) -> str:
    return f"{case[0].func.__name__}-{'-'.join(case[1])}"  # type: ignore[attr-defined]


@pytest.mark.parametrize(("run", "option"), CHANGES, ids=map(named, CHANGES))
def test_an_option_changes_the_result(run: Callable[..., Any], option: dict[str, Any]) -> None:
    assert told(run(**option)) != told(run())


@pytest.mark.parametrize(("run", "option"), REFUSED, ids=map(named, REFUSED))
def test_an_option_that_would_change_nothing_is_refused(
    run: Callable[..., Any], option: dict[str, Any]
) -> None:
    with pytest.raises(bb.errors.BestbyError) as caught:
        run(**option)
    assert caught.value.hint


def test_simultaneous_intervals_need_no_test() -> None:
    assert compare(correction="simultaneous", test=None).correction == "none"
