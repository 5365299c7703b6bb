"""Intervals of expected calibration errors hold near 0, where resamples never do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bestby as bb
from bestby.engine.calibration_error import calibration_error, noise

TRUE = {1.0: 0.0, 1.4: 0.0518, 3.0: 0.1520}
"""The errors of systems whose log odds are so many times those of the truth, over four million items."""


def drawn(rng: np.random.Generator, n: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return answers and the probabilities of the three systems."""
    odds = rng.normal(0.8, 1.2, n)
    gold = (rng.random(n) < 1.0 / (1.0 + np.exp(-odds))).astype(int)
    of_one = {slope: 1.0 / (1.0 + np.exp(-slope * odds)) for slope in TRUE}
    return gold, {f"{slope}": np.column_stack([1.0 - p, p]) for slope, p in of_one.items()}


def coverage(n: int, sets: int, **options: Any) -> tuple[dict[str, float], dict[str, float]]:
    """Return how often scores and differences are held, and a system that is calibrated is."""
    rng = np.random.default_rng(n)
    scores: dict[str, list[bool]] = {}
    pairs: dict[str, list[bool]] = {}
    for _ in range(sets):
        gold, systems = drawn(rng, n)
        result = bb.compare(systems, gold, metric="ece", test=None, n_resamples=99, **options)
        for one in result.systems:
            assert one.interval is not None
            scores.setdefault(one.system, []).append(TRUE[float(one.system)] in one.interval)
        for d in result.differences:
            assert d.interval is not None
            assert d.estimate in d.interval
            true = TRUE[float(d.a)] - TRUE[float(d.b)]
            pairs.setdefault("v".join(sorted((d.a, d.b))), []).append(true in d.interval)
    return ({name: float(np.mean(held)) for name, held in found.items()} for found in (scores, pairs))


@pytest.mark.parametrize("n", [60, 600])
def test_scores_and_differences_are_held_also_of_a_calibrated_system(n: int) -> None:
    scores, pairs = coverage(n, 60)
    assert min([*scores.values(), *pairs.values()]) > 0.95 - 2.0 * (0.95 * 0.05 / 60) ** 0.5


@pytest.mark.parametrize("method", ["percentile", "bca", "abc", "normal", "basic"])
def test_no_other_interval_is_given(method: str) -> None:
    gold, systems = drawn(np.random.default_rng(1), 200)
    auto, named = (
        bb.compare(systems, gold, metric="ece", test=None, interval=interval, n_resamples=99)
        for interval in ("auto", method)
    )
    assert [one.interval for one in named.systems] == [one.interval for one in auto.systems]
    assert [one.interval for one in named.differences] == [one.interval for one in auto.differences]
    assert {one.interval.method for one in named.systems if one.interval} == {"calibration"}


def test_what_a_calibrated_system_would_have_is_beside_the_score() -> None:
    """On average over many sets, the score of the calibrated system is this value."""
    rng = np.random.default_rng(2)
    scores, expected = [], []
    for _ in range(60):
        gold, systems = drawn(rng, 300)
        result = bb.evaluate(systems, gold, metric="ece", n_resamples=99)
        one = next(one for one in result.systems if one.system == "1.0")
        assert one.if_calibrated is not None
        scores.append(one.score)
        expected.append(one.if_calibrated)
    assert np.mean(scores) == pytest.approx(np.mean(expected), rel=0.1)
    assert "if calibrated" in str(result)
    assert bb.load(result.to_json()) == result
    text = result.methods()
    assert "Zou and Donner, 2008" in text
    assert bb.evaluate(systems, gold, metric="brier", n_resamples=99).systems[0].if_calibrated is None


def test_the_numbers_of_the_interval_are_those_of_the_items() -> None:
    gold, systems = drawn(np.random.default_rng(3), 150)
    top = systems["1.4"].max(axis=1)
    right = systems["1.4"].argmax(axis=1) == gold
    place = np.ceil(top * 15).astype(int) - 1

    def sums(values: Any) -> np.ndarray:
        return np.bincount(place, np.broadcast_to(values, place.shape), 15)

    gaps = right - top
    deviations = noise(sums(gaps), sums(gaps**2), sums(1.0), sums(top * (1.0 - top)))
    expected = calibration_error(sums(gaps), deviations, 150.0, 0.9, 149.0)
    one = next(
        one for one in bb.evaluate(systems, gold, metric="ece", level=0.9).systems if one.system == "1.4"
    )
    assert one.interval is not None
    assert (one.score, one.interval.low, one.interval.high, one.if_calibrated) == pytest.approx(
        (expected.estimate, expected.low, expected.high, expected.if_calibrated)
    )


@pytest.mark.parametrize("deviations", [[1.0], [1.0, 1.0], [0.1, 1.0, 3.0], [1.0] * 15])
def test_the_quantile_of_the_noise(deviations: list[float]) -> None:
    values = np.abs(np.random.default_rng(4).normal(size=(200_000, len(deviations)))) @ np.array(deviations)
    many = calibration_error(np.full(len(deviations), 1e3), np.array(deviations), 1.0, 0.95, 1e9)
    assert many.estimate - many.low == pytest.approx(np.quantile(values, 0.975), rel=0.015)
    assert many.if_calibrated == pytest.approx(values.mean(), rel=0.01)


def test_a_bin_that_is_all_right_still_varies() -> None:
    all_right = [np.array([value]) for value in (0.4, 0.04, 4.0, 0.36)]
    assert noise(*all_right)[0] == pytest.approx(0.36**0.5)
    ten = [np.array([value]) for value in (1.0, 0.1, 10.0, 0.9)]
    assert noise(*ten)[0] == pytest.approx(0.45**0.5)


def test_clusters_soft_gold_and_what_has_no_interval() -> None:
    rng = np.random.default_rng(5)
    gold, systems = drawn(rng, 400)
    clusters = np.repeat(np.arange(40), 10)
    twice = {name: np.repeat(p, 2, axis=0) for name, p in systems.items()}
    single = bb.evaluate(systems, gold, metric="ece").systems
    doubled = bb.evaluate(twice, np.repeat(gold, 2), metric="ece", clusters=np.arange(800) // 2).systems
    for one, two in zip(single, doubled, strict=True):
        assert one.interval is not None
        assert two.interval is not None
        assert two.score == pytest.approx(one.score)
        assert two.interval.high == pytest.approx(one.interval.high, abs=0.004)
    assert all(one.interval for one in bb.evaluate(systems, gold, metric="ece", clusters=clusters).systems)
    soft = np.column_stack([1.0 - 0.8 * gold - 0.1, 0.8 * gold + 0.1])
    assert all(one.interval for one in bb.evaluate(systems, soft, metric="ece").systems)
    smaller = bb.evaluate(
        systems, gold, metric="ece", resampling=bb.Resampling(resample_size=100), n_resamples=99
    )
    assert [one.interval for one in smaller.systems] == [None] * 3
    assert "undefined_interval" in [note.code for note in smaller.notes]
