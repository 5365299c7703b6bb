"""Planned looks: boundaries as published, and a monitor that decides at these looks only."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import optimize, stats

import bestby as bb
from bestby._core.errors import DesignError, InvalidInputError
from bestby.questions.monitor.confidence_sequences import Units
from bestby.questions.monitor.evidence import Sums
from bestby.questions.monitor.planned_looks import (
    BOUNDARIES,
    crossing_probabilities,
)

METHODS = list(BOUNDARIES)


def filled(
    scores: np.ndarray[Any, Any], first: int = 0, monitor: bb.Monitor | None = None, **settings: Any
) -> bb.Monitor:
    """Return a monitor with some items of two systems, in clusters of four if `size` is given."""
    size = settings.pop("size", None)
    monitor = monitor or bb.Monitor(["a", "b"], **{"bounds": (0, 1), "population": "wider", **settings})
    for place, (a, b) in enumerate(scores.tolist(), first):
        cluster = None if size is None else f"c{place // size * 7 % 1009}"
        monitor.add(f"q{place * 7919 % 10007}", {"a": a, "b": b}, cluster=cluster)
    return monitor


def answers(n: int, gap: float = 0.0, seed: int = 0) -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(seed)
    return (rng.random((n, 2)) < (0.6 + gap, 0.6)).astype(float)


def test_between_looks_nothing_is_new() -> None:
    scores = answers(300, 0.3)
    monitor = filled(scores[:99], looks=3, n_items=300)
    assert (monitor.decision, monitor.result().n_items) == (None, 0)
    assert {note.code for note in monitor.result().notes} == {"between_looks"}
    filled(scores[99:100], 99, monitor)
    assert (monitor.decision, monitor.result().n_looks) == ("better", 1)
    at_look = monitor.interval
    filled(scores[100:199], 100, monitor)
    assert monitor.interval == at_look
    assert monitor.result().decided_at == 100


@pytest.mark.parametrize("method", METHODS)
def test_when_somebody_asks_makes_no_difference(method: str) -> None:
    """Every planned look takes place, whether the decision is asked for after it or at the end."""
    scores = answers(900, 0.12, seed=3)
    asked = bb.Monitor(["a", "b"], bounds=(0, 1), looks=3, n_items=900, population="wider", method=method)  # type: ignore[arg-type]
    for place in range(900):
        filled(scores[place : place + 1], place, asked)
        _ = asked.decision
    silent = filled(scores, looks=3, n_items=900, method=method)
    one, two = asked.result(), silent.result()
    assert (one.pairs, one.path, one.decided_at) == (two.pairs, two.path, two.decided_at)
    assert [look.n_items for look in one.path] == [300, 600, 900]


@pytest.mark.parametrize("population", ["wider", "bank"])
@pytest.mark.parametrize("kind", ["0/1", "skewed up", "skewed down"])
def test_the_interval_is_the_estimate_and_a_multiple_of_its_error(population: str, kind: str) -> None:
    """The boundary is that of Student's t, moved by Hall's transformation where that makes it farther."""
    scores = answers(200, seed=1)
    options: dict[str, Any] = {}
    if kind != "0/1":
        skewed = np.random.default_rng(2).lognormal(size=(200, 1))
        scores, options = np.hstack([skewed, np.zeros((200, 1))]), {"bounds": None}
        scores = scores[:, ::-1] if kind == "skewed down" else scores
    monitor = filled(
        scores, looks=[200, 500], n_items=1000, population=population, method="pocock", **options
    )
    gaps = scores[:, 0] - scores[:, 1]
    information = [200, 500] if population == "wider" else [200 / 0.8, 500 / 0.5]
    multiple = stats.t.isf(stats.norm.sf(BOUNDARIES["pocock"](information, 0.05)[0]), 199)
    spread = math.sqrt(gaps.var(ddof=1) + (1 / 201 if kind == "0/1" else 0.0))
    error = spread * (1.0 if population == "wider" else math.sqrt(0.8)) / math.sqrt(200)
    skewness = ((gaps - gaps.mean()) ** 3).mean() / spread**3 / math.sqrt(200)

    def beyond(t: float, limit: float) -> float:
        return t + skewness * t**2 / 3 + skewness**2 * t**3 / 27 + skewness / 6 - limit

    moved = [optimize.brentq(beyond, -50.0, 50.0, (limit,)) for limit in (multiple, -multiple)]
    low, high = gaps.mean() - max(multiple, moved[0]) * error, gaps.mean() - min(-multiple, moved[1]) * error
    interval = monitor.interval
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((low, high))
    if kind != "0/1":
        farther, nearer = (high, low) if kind == "skewed up" else (low, high)
        assert abs(farther - gaps.mean()) > 1.15 * abs(nearer - gaps.mean())


def test_the_skewness_is_that_of_the_clusters() -> None:
    """Clusters weigh as their sums do."""
    rng = np.random.default_rng(7)
    sizes = rng.integers(1, 6, 200)
    values = rng.lognormal(size=200)
    sums = Sums.of(Units(values[:, None], sizes, sizes / 5.0))
    mean = (sizes * values).sum() / sizes.sum()
    parts = sizes * (values - mean) * 200 / sizes.sum()
    assert sums.third == pytest.approx((parts**3).mean())
    assert sums.deviation == pytest.approx(math.sqrt((parts**2).sum() / 199))
    far = Sums.of(Units(values[:, None] + 1e6, sizes, sizes / 5.0))
    assert far.third == 0.0  # no digit of it is known


def test_at_the_last_item_of_a_benchmark_the_interval_is_a_point() -> None:
    scores = answers(90, seed=5)
    monitor = filled(scores, looks=3, n_items=90, population="bank", margin=0.01)
    interval = monitor.interval
    assert interval is not None
    assert interval.low == interval.high == pytest.approx((scores[:, 0] - scores[:, 1]).mean())
    assert monitor.decision in ("better", "worse", "equivalent")


def test_after_the_last_look_nothing_is_open() -> None:
    monitor = filled(answers(100, seed=2), looks=[50, 100], n_items=1000, population="bank")
    assert monitor.decision == "futile"
    with pytest.raises(InvalidInputError, match="one more than the 100 items announced"):
        filled(answers(101, seed=2), looks=[50, 100])


def test_systems_that_agree_are_no_point() -> None:
    monitor = filled(np.ones((30, 2)), looks=[30, 600], margin=0.05)
    interval = monitor.interval
    assert interval is not None
    assert interval.high > 0.05
    assert monitor.decision is None
    (note,) = [one for one in monitor.result().notes if one.code == "early_look"]
    assert "30 units, of which 0 differ" in note.message


def test_scores_without_bounds() -> None:
    rng = np.random.default_rng(4)
    monitor = filled(rng.normal((6.0, 5.0), 2.0, (400, 2)), looks=4, n_items=400, bounds=None)
    assert monitor.decision == "better"
    assert monitor.result().decided_at == 200


@pytest.mark.parametrize("method", METHODS)
def test_clusters_are_counted_whole(method: str) -> None:
    scores = answers(200, seed=6)
    if not method.startswith("spending"):
        with pytest.raises(DesignError, match="clusters are whole"):
            filled(scores, looks=[50, 100], method=method, size=4)
        return
    monitor = filled(scores, looks=[50, 99], n_items=200, method=method, size=4)
    result = monitor.result()
    assert [look.n_items for look in result.path] == [52, 100]
    assert result.n_clusters == 25


def test_several_systems_share_the_error_and_are_dropped_at_looks() -> None:
    rng = np.random.default_rng(7)
    settings: dict[str, Any] = {"bounds": (0, 1), "looks": 2, "n_items": 400, "population": "wider"}
    monitor = bb.Monitor(["a", "b", "c"], **settings)
    for place in range(200):
        scores = rng.random(3) < (0.8, 0.75, 0.2)
        monitor.add(place * 7 % 401, dict(zip("abc", map(float, scores), strict=True)))
    assert len(monitor.running) == 3  # nobody has looked yet
    _ = monitor.decision
    assert list(monitor.running) == ["a", "b"]
    monitor.add(400, {"a": 1, "b": 0})


@pytest.mark.parametrize("size", [None, 4])
def test_a_saved_monitor_goes_on(tmp_path: Path, size: int | None) -> None:
    scores, path = answers(240, 0.02, seed=8), tmp_path / "state"
    settings: dict[str, Any] = {"looks": [81, 160, 240], "margin": 0.05, "size": size}
    whole = filled(scores, **settings)
    part = filled(scores[:90], **settings)
    part.save(path)
    filled(scores[90:123], 90, part, size=size)
    expected = part.result().pairs
    again = bb.Monitor.resume(path)
    assert again.result().pairs == expected
    filled(scores[123:], 123, again, size=size)
    assert again.result().pairs == whole.result().pairs
    assert again.settings["looks"] == (81, 160, 240)


LOOKS = range(2, 11)
POCOCK = (2.178, 2.289, 2.361, 2.413, 2.453, 2.485, 2.512, 2.535, 2.555)
OBRIEN_FLEMING = (1.977, 2.004, 2.024, 2.040, 2.053, 2.063, 2.072, 2.080, 2.087)
UNEQUAL = [10.0, 15.0, 40.0, 41.0, 100.0]


@pytest.mark.parametrize(("n_looks", "published"), list(zip(LOOKS, POCOCK, strict=True)))
def test_pocock_is_that_of_the_table(n_looks: int, published: float) -> None:
    """Jennison & Turnbull (2000), table 2.1, two-sided alpha .05."""
    found = BOUNDARIES["pocock"](range(1, n_looks + 1), 0.05)
    assert found == pytest.approx([published] * n_looks, abs=6e-4)


@pytest.mark.parametrize(("n_looks", "published"), list(zip(LOOKS, OBRIEN_FLEMING, strict=True)))
def test_obrien_fleming_is_that_of_the_table(n_looks: int, published: float) -> None:
    """Jennison & Turnbull (2000), table 2.3, two-sided alpha .05."""
    expected = [published * math.sqrt(n_looks / k) for k in range(1, n_looks + 1)]
    assert BOUNDARIES["obrien-fleming"](range(1, n_looks + 1), 0.05) == pytest.approx(expected, rel=3e-4)


@pytest.mark.parametrize(
    ("shape", "ratios"),
    [("pocock", (1.100, 1.151, 1.183, 1.207)), ("obrien-fleming", (1.007, 1.016, 1.022, 1.026))],
)
def test_power_is_that_of_the_table(shape: str, ratios: tuple[float, ...]) -> None:
    """Jennison & Turnbull (2000), tables 2.2 and 2.4: the largest sample over that of one look."""
    fixed = stats.norm.isf(0.025) + stats.norm.isf(0.1)
    for n_looks, ratio in enumerate(ratios, 2):
        looks = range(1, n_looks + 1)
        boundaries = BOUNDARIES[shape](looks, 0.05)
        power = crossing_probabilities(boundaries, looks, math.sqrt(ratio) * fixed).sum()
        assert power == pytest.approx(0.9, abs=4e-4)


def test_spending_is_that_of_the_table() -> None:
    """Reboussin, DeMets, Kim & Lan (2000), Control. Clin. Trials 21, 190-207: five looks, two-sided .05."""
    late, evenly = (
        BOUNDARIES[name](range(1, 6), 0.05) for name in ("spending-obrien-fleming", "spending-pocock")
    )
    assert late == pytest.approx([4.877, 3.357, 2.680, 2.290, 2.031], abs=6e-4)
    assert evenly == pytest.approx([2.438, 2.427, 2.410, 2.397, 2.386], abs=6e-4)


@pytest.mark.long
@pytest.mark.parametrize("name", BOUNDARIES)
def test_sums_of_normal_numbers_cross_as_often(name: str) -> None:
    """Walks that know nothing of the integration; a share lies beyond 5 SE once in 10^6 cells."""
    boundaries = BOUNDARIES[name](UNEQUAL, 0.1)
    rng, n = np.random.default_rng(5), 400_000
    running = np.ones(n, dtype=bool)
    total, before = np.zeros(n), 0.0
    first = []
    for information, limit in zip(UNEQUAL, boundaries, strict=True):
        total += rng.normal(0.0, math.sqrt(information - before), n)
        over = running & (np.abs(total) >= limit * math.sqrt(information))
        first.append(over.mean())
        running &= ~over
        before = information
    told = crossing_probabilities(boundaries, UNEQUAL)
    assert told.sum() == pytest.approx(0.1, abs=1e-7)
    assert np.abs(told - first).max() < 5.0 * math.sqrt(0.1 * 0.9 / n)


def test_a_look_on_almost_nothing_ends_nothing() -> None:
    assert BOUNDARIES["spending-obrien-fleming"]([2, 1000, 2000], 0.05)[0] == math.inf


def test_many_looks() -> None:
    looks = range(1, 101)
    boundaries = BOUNDARIES["spending-obrien-fleming"](looks, 0.05)
    assert crossing_probabilities(boundaries, looks).sum() == pytest.approx(0.05, abs=1e-9)


def test_a_result_with_planned_looks_goes_through_json() -> None:
    result = filled(answers(100), looks=[50, 100]).result()
    assert bb.load(result.to_json()) == result
    assert "the 2 planned looks (50, 100 items)" in str(result).replace("\n", " ")
