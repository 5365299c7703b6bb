"""`Monitor`: decisions, many systems, and the laws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.unit.questions.monitor.examples import answers, filled, ids

import bestby as bb
from bestby.questions.monitor.confidence_sequences import betting_interval, normal_mixture_bound, single

# -- decisions -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ahead", "behind", "options", "decision"),
    [
        (0.2, 0.05, {}, "better"),
        (0.05, 0.2, {}, "worse"),
        (0.2, 0.05, {"greater_is_better": False}, "worse"),
        (0.3, 0.02, {"margin": 0.1}, "better"),
        (0.02, 0.3, {"margin": 0.1}, "worse"),
        (0.05, 0.05, {"margin": 0.1}, "equivalent"),
        (0.05, 0.05, {"margin": 0.1, "greater_is_better": False}, "equivalent"),
        (0.1, 0.1, {}, None),
    ],
)
def test_decisions(ahead: float, behind: float, options: dict[str, Any], decision: str | None) -> None:
    monitor = filled(answers(1500, ahead, behind), stop=True, **options)
    assert monitor.decision == decision
    assert (monitor.n_items < 1500) == (decision is not None)
    interval = monitor.interval
    assert interval is not None
    margin = options.get("margin", 0.0)
    if decision in ("better", "worse"):
        first_is_higher = (decision == "better") == options.get("greater_is_better", True)
        assert interval.low >= margin if first_is_higher else interval.high <= -margin


def test_a_benchmark_closes_to_a_point() -> None:
    rows = answers(60, 0.2, 0.15)
    truth = sum(a - b for a, b in rows) / 60
    monitor = filled(rows, n_items=60)
    assert monitor.interval is not None
    assert (monitor.interval.low, monitor.interval.high) == pytest.approx((truth, truth))
    assert monitor.decision == ("better" if truth > 0 else "worse")


def test_a_benchmark_without_bounds_closes_too() -> None:
    rows = np.random.default_rng(14).normal(size=(50, 2)).tolist()
    truth = sum(a - b for a, b in rows) / 50
    monitor = filled(rows, n_items=50, bounds=None)
    assert monitor.interval is not None
    assert (monitor.interval.low, monitor.interval.high) == pytest.approx((truth, truth))
    assert monitor.decision == ("better" if truth > 0 else "worse")


def test_a_monitor_without_items() -> None:
    monitor = bb.Monitor(["a", "b"], bounds=(0, 1))
    assert repr(monitor) == "<Monitor: a, b; 0 items>"
    assert (monitor.decision, monitor.result().n_looks) == (None, 0)
    assert monitor.interval is not None
    assert (monitor.interval.low, monitor.interval.high) == (-1.0, 1.0)
    assert monitor.result().sentence == "No item of a has been counted yet."
    assert bb.load(monitor.result().to_json()) == monitor.result()
    with pytest.raises(bb.errors.DesignError, match="nothing to draw"):
        monitor.plot()


@pytest.mark.parametrize(("margin", "decision"), [(None, "futile"), (0.1, "equivalent")])
def test_a_benchmark_without_a_difference(margin: float | None, decision: str) -> None:
    assert filled([(1, 0), (0, 1)] * 10, n_items=20, margin=margin).decision == decision


def test_a_difference_of_exactly_the_margin_is_equivalent() -> None:
    assert filled([(1, 0)] * 3 + [(0, 0)] * 27, n_items=30, margin=0.1).decision == "equivalent"


def test_a_sample_of_more_items_stays_open_at_the_last_one_and_is_futile() -> None:
    rows = answers(300, 0.2, 0.18)
    assert filled(rows[:40], n_items=300, population="wider").decision is None
    monitor = filled(rows, n_items=300, population="wider", stop=True)
    assert monitor.decision == "futile"
    assert monitor.n_items < 300  # it was seen before
    assert filled(rows, population="wider").decision is None


def test_a_decision_stays() -> None:
    rows = answers(300, 0.3, 0.02) + answers(100, 0.1, 0.2)
    monitor = filled(rows, stop=True)
    assert monitor.decision == "better"
    stopped = monitor.n_items
    for item, (a, b) in list(zip(ids(400), rows, strict=True))[stopped:]:
        monitor.add(item, {"a": a, "b": b})
    assert monitor.decision == "better"
    assert monitor.result().decided_at == stopped
    assert monitor.interval is not None
    assert monitor.interval.low >= 0.0
    assert monitor.result().notes == ()


def test_items_that_change_on_the_way_are_noticed() -> None:
    monitor = bb.Monitor(["a", "b"], bounds=(0, 1))
    rows = answers(300, 0.3, 0.02) + answers(800, 0.02, 0.3)
    for place, (item, (a, b)) in enumerate(zip(ids(1100), rows, strict=True)):
        monitor.add(item, {"a": a, "b": b})
        assert place != 299 or monitor.decision == "better"
    assert monitor.decision == "better"
    assert [note.code for note in monitor.result().notes] == ["contradicting_looks"]


def test_the_interval_is_that_of_the_inference_room() -> None:
    rows = [(a, b) for a, b in np.random.default_rng(1).random((50, 2)).tolist()]
    monitor = filled(rows)
    expected = betting_interval(single([a - b for a, b in rows]), (-1.0, 1.0), 0.05)
    assert monitor.interval is not None
    assert (monitor.interval.low, monitor.interval.high) == pytest.approx(expected)
    assert monitor.interval.method == "betting"


def test_scores_without_bounds() -> None:
    values = np.random.default_rng(2).normal([1.0, 0.0], 1.0, size=(400, 2))
    few = filled(values[:299].tolist(), bounds=None)
    assert (few.interval, few.decision) == (None, None)
    many = filled(values.tolist(), bounds=None)
    assert many.decision == "better"
    assert [note.code for note in many.result().notes] == ["asymptotic_sequence"]
    assert many.result().method == "asymptotic"


def test_the_normal_mixture_is_its_bound_on_both_sides_of_the_mean() -> None:
    rows = answers(100, 0.3, 0.1)
    monitor = filled(rows, method="normal-mixture", n_items=200, population="wider")
    mean, radius = sum(a - b for a, b in rows) / 100, normal_mixture_bound(100.0, 0.05, 100.0) / 100
    assert monitor.interval is not None
    assert (monitor.interval.low, monitor.interval.high) == pytest.approx((mean - radius, mean + radius))


def test_ties_say_nothing_about_which_is_better() -> None:
    """The p-value of no difference is McNemar's in this: only items on which the systems differ count."""
    rows = answers(100, 0.5, 0.1)
    differing = [row for row in rows if row[0] != row[1]]
    with_ties, without = (filled(one).result().pairs[0].p_value for one in (rows, differing))
    assert with_ties == pytest.approx(without, rel=1e-9)


# -- comparisons of the same items -----------------------------------------------------------------


def test_compare_says_that_the_items_were_monitored() -> None:
    monitor = filled(answers(400, 0.3, 0.02), stop=True)
    result = bb.compare(monitor.to_evaluation(), n_resamples=99)
    notes = [note for note in result.notes if note.code == "monitored"]
    assert len(notes) == 1
    assert f"stopped at {monitor.n_items} of these items" in notes[0].message
    assert abs(result.differences[0].estimate) == pytest.approx(abs(monitor.result().estimate))


# -- many systems ----------------------------------------------------------------------------------


def test_systems_that_cannot_be_first_are_dropped() -> None:
    rng = np.random.default_rng(6)
    names, shares = list("abcde"), np.array([0.8, 0.75, 0.5, 0.4, 0.3])
    monitor = bb.Monitor(names, bounds=(0, 1), n_items=1500, margin=0.02)
    calls = 0
    for item in ids(1500):
        drawn = dict(zip(names, (rng.random(5) < shares).astype(int).tolist(), strict=True))
        monitor.add(item, {name: drawn[name] for name in monitor.running})
        calls += len(monitor.running)
        if monitor.decision is not None:
            break
    result = monitor.result()
    assert result.dropped[-3:] == ("c", "d", "e")
    assert calls < 0.6 * 5 * monitor.n_items
    assert result.decision in ("better", "equivalent")
    assert {one.system: one.n_items for one in result.systems}["e"] < 200
    assert all(one.behind is not None for one in result.systems[2:])


def test_the_first_of_many_systems_is_worse() -> None:
    rng = np.random.default_rng(7)
    monitor = bb.Monitor(["a", "b", "c"], bounds=(0, 1))
    for item in ids(600):
        shares = rng.random(3) < (0.4, 0.7, 0.5)
        monitor.add(item, dict(zip("abc", shares.astype(int).tolist(), strict=True)))
        if monitor.decision is not None:
            break
    assert monitor.decision == "worse"
    assert "a" not in monitor.running
    assert "a has a significantly lower score than b" in monitor.result().sentence


# -- laws ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"n_items": 200}, {"bounds": None}, {"method": "normal-mixture"}])
def test_a_system_and_its_copy_are_never_told_apart(options: dict[str, Any]) -> None:
    values = np.random.default_rng(11).random(150).round(2).tolist()
    if options.get("bounds", ()) is None:
        values *= 3
    monitor = filled([(x, x) for x in values], **options)
    result = monitor.result()
    assert monitor.decision is None
    assert (result.estimate, result.pairs[0].wins, result.pairs[0].losses) == (0.0, 0, 0)
    assert result.pairs[0].p_value in (None, 1.0)
    assert result.interval is None or 0.0 in result.interval


@pytest.mark.parametrize("method", ["betting", "asymptotic", "normal-mixture"])
def test_the_systems_exchanged_give_the_mirrored_result(method: str) -> None:
    rows = np.random.default_rng(12).beta([5, 2], [2, 3], size=(600, 2)).tolist()
    options = {"method": method, "margin": 0.05}
    one, two = (filled(r, stop=True, **options) for r in (rows, [(b, a) for a, b in rows]))
    assert {one.decision, two.decision} == {"better", "worse"}
    assert one.n_items == two.n_items
    assert one.interval is not None
    assert two.interval is not None
    mirrored = two.interval.mirrored()
    assert (mirrored.low, mirrored.high) == pytest.approx((one.interval.low, one.interval.high), abs=1e-6)
