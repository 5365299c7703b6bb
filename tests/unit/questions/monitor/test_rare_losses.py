"""Monitors of scores without bounds: what they allow for that has not happened yet."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from calibration.sequences import ever_missed, settings
from tests.unit.questions.monitor.examples import filled, ids

import bestby as bb
from bestby.questions.monitor.confidence_sequences import asymptotic_interval, single
from bestby.questions.monitor.result import Decision, rests_on_provisional


def missed(rows: np.ndarray, **options: Any) -> float:
    """Return how often the interval misses a mean of 0 at a look after every 100 items."""
    return float(ever_missed(single(rows), 0.0, settings(bounds=None, **options), 100).mean())


def losses(size: float, rare: float, width: int, *, n: int = 4000, noise: float = 1.0) -> np.ndarray:
    """Return sequences of differences with mean 0, of which a few are large losses."""
    rng = np.random.default_rng(3)
    rows = np.where(rng.random((n, width)) < rare, -size, 0.0) + size * rare
    return rows + noise * rng.normal(size=rows.shape)


def test_skewed_streams_are_missed_at_no_more_looks_than_said() -> None:
    skewed = np.random.default_rng(4).lognormal(0.0, 1.5, (4000, 300)) - math.exp(1.125)
    assert missed(skewed, file_format=1) > 0.09  # the sequence by itself
    assert missed(skewed) < 0.05 + 2.0 * math.sqrt(0.05 * 0.95 / 300)
    assert missed(losses(50.0, 0.01, 300, noise=0.0), file_format=1) > 0.09
    assert missed(losses(50.0, 0.01, 300, noise=0.0)) < 0.05 + 2.0 * math.sqrt(0.05 * 0.95 / 300)


def test_what_no_sequence_can_see_it_allows_for_if_it_is_said() -> None:
    unseen = losses(100.0, 0.003, 200)
    assert missed(unseen) > 0.2
    assert missed(unseen, largest=101.0) < 0.05


def test_the_interval_is_the_sequence_and_the_term_of_the_largest_deviation() -> None:
    rows = np.random.default_rng(1).normal([0.5, 0.0], 1.0, (500, 2))
    gaps = rows[:, 0] - rows[:, 1]
    low, high = asymptotic_interval(gaps.mean(), gaps.std(ddof=1), 500, 0.05, 500)
    for largest, size in ((None, np.abs(gaps - gaps.mean()).max()), (30.0, 30.0)):
        interval = filled(rows, bounds=None, largest=largest).interval
        more = size * math.log(40.0) / 500
        assert interval is not None
        assert (interval.low, interval.high) == pytest.approx((low - more, high + more))
    bounded = filled(rows > 0.2, method="asymptotic", n_items=1000, population="wider").interval
    gaps = np.subtract(rows[:, 0] > 0.2, rows[:, 1] > 0.2, dtype=np.float64)
    low, high = asymptotic_interval(gaps.mean(), gaps.std(ddof=1), 500, 0.05, 500)
    assert bounded is not None
    assert bounded.high == pytest.approx(float(high) + math.log(40.0) / 500)  # no difference is above 1


def test_nothing_is_said_of_few_skewed_items() -> None:
    rows = np.zeros((400, 2))
    rows[:, 0] = np.random.default_rng(1).normal(size=400) + 5.0
    rows[7, 0] = -300.0
    monitor = filled(rows, bounds=None)
    assert (monitor.interval, monitor.decision) == (None, None)
    (note,) = monitor.result().notes
    assert note.code == "asymptotic_sequence"
    needed = int(note.message.split("of the first ")[1].split()[0])
    assert needed > 400
    assert filled(rows, bounds=None, largest=400.0).interval is not None


@pytest.mark.parametrize(
    ("options", "decision"),
    [({}, "better"), ({"margin": 0.1}, "better"), ({"margin": 1.5}, "equivalent"),
     ({"looks": 2, "n_items": 400, "population": "wider"}, "better")],
)  # fmt: skip
def test_a_decision_says_which_single_loss_would_overturn_it(options: dict[str, Any], decision: str) -> None:
    """A decision with that size as `largest` stands, and one with a little more does not."""
    rows = np.random.default_rng(2).normal([1.0, 0.0], 1.0, (400, 2))
    (pair,) = filled(rows, bounds=None, **options).result().pairs
    assert (pair.decision, pair.provisional) == (decision, False)
    size = pair.overturned_by
    assert size is not None
    assert filled(rows, bounds=None, largest=0.999 * size, **options).decision == decision
    assert filled(rows, bounds=None, largest=1.001 * size, **options).decision != decision


def test_a_worse_system_and_lower_scores_that_are_better() -> None:
    rows = np.random.default_rng(2).normal([1.0, 0.0], 1.0, (400, 2))
    sizes: list[float | None] = []
    for scores, lower in ((rows, False), (rows[:, ::-1], False), (rows, True)):
        result = filled(scores, bounds=None, greater_is_better=not lower).result()
        assert result.decision == ("better" if len(sizes) == 0 else "worse")
        sizes.append(result.pairs[0].overturned_by)
    assert sizes[0] == pytest.approx(sizes[1])
    assert sizes[0] == pytest.approx(sizes[2])


def test_a_decision_that_less_than_three_times_the_largest_would_overturn_is_provisional() -> None:
    rows = np.random.default_rng(5).normal([0.14, 0.0], 0.5, (400, 2))
    result = filled(rows, bounds=None).result()
    (pair,) = result.pairs
    assert (result.decision, pair.provisional, result.provisional) == ("better", True, True)
    assert result.sentence.startswith("Provisionally, a has a significantly higher score than b")
    assert f"a single item {pair.overturned_by:.3g} off the mean would overturn it" in result.sentence
    assert [note.code for note in result.notes] == ["asymptotic_sequence", "provisional_decision"]
    assert "better (provisional), at 400" in str(result)
    assert result.to_frame()["provisional"].tolist() == [True]
    assert bb.load(result.to_json()) == result
    size = pair.overturned_by
    assert size is not None
    told = filled(rows, bounds=None, largest=0.9 * size).result()
    assert (told.decision, told.provisional) == ("better", False)
    assert "rare differences as large as" in str(told)
    assert "Maurer" in told.methods()


def test_a_decision_rests_on_one_that_is_provisional_where_that_is_needed() -> None:
    rows = np.random.default_rng(2).normal([1.0, 0.0], 1.0, (400, 2))
    (pair,) = filled(rows, bounds=None).result().pairs
    conclusions: tuple[Decision, ...] = ("better", "worse", "equivalent")
    found = {
        decision: [
            rests_on_provisional(
                decision, [replace(pair, decision=decision, provisional=one) for one in provisional]
            )
            for provisional in ((True, False), (True, True), (False, False))
        ]
        for decision in conclusions
    }
    assert found["better"] == found["equivalent"] == [True, True, False]
    assert found["worse"] == [False, True, False]
    assert not rests_on_provisional(None, [replace(pair, decision="better", provisional=True)])


def test_systems_that_differ_more_than_is_possible_are_refused() -> None:
    monitor = bb.Monitor(["a", "b", "c"], bounds=None, largest=3.0)
    monitor.add("q1", {"a": 1.0, "b": 0.0, "c": -2.0})
    with pytest.raises(bb.errors.InvalidInputError, match=r"differ by 3\.5, and largest is 3") as caught:
        monitor.add("q2", {"a": 1.0, "b": 0.0, "c": -2.5})
    assert monitor.n_items == 1
    assert "largest=3.5 or more" in str(caught.value.hint)
    bb.Monitor(["a", "b", "c"], bounds=None, largest=3.5).add("q2", {"a": 1.0, "b": 0.0, "c": -2.5})


# -- planned looks ---------------------------------------------------------------------------------


@pytest.mark.parametrize("shift", [0.0, 0.1])
@pytest.mark.parametrize("options", [{}, {"looks": [100, 400]}, {"looks": [100, 400], "method": "pocock"}])
def test_units_that_are_alike_give_no_point(shift: float, options: dict[str, Any]) -> None:
    rows = [(1.0 + shift, 1.0)] * 400
    result = filled(rows, bounds=None, margin=0.5, **options).result()
    assert (result.interval, result.decision) == (None, "futile" if options else None)
    assert "constant_differences" in [note.code for note in result.notes]
    told = filled(rows, bounds=None, margin=0.5, largest=1.0, **options).result()
    assert "constant_differences" not in [note.code for note in told.notes]
    if options:
        assert told.interval is not None
        assert told.interval.high - told.interval.low > 0.005


def test_a_benchmark_of_which_every_item_was_counted_is_known() -> None:
    rows = [(1.1, 1.0)] * 40
    result = filled(rows, bounds=None, looks=[20, 40], n_items=40).result()
    assert result.interval is not None
    assert result.interval.low == result.interval.high == pytest.approx(0.1)
    assert (result.decision, result.pairs[0].overturned_by) == ("better", None)


# -- files of version 0.2.0 ------------------------------------------------------------------------


def written_by_0_2_0(path: Path) -> None:
    """Write what version 0.2.0 wrote of three systems, of which it dropped one after 320 items."""
    asked = {
        "systems": ["a", "b", "c"], "bounds": None, "greater_is_better": True, "n_items": None,
        "population": "wider", "largest_cluster": None, "method": "asymptotic", "level": 0.95,
        "margin": None, "looks": None,
    }  # fmt: skip
    rng = np.random.default_rng(6)
    rows = rng.normal([0.0, 0.0, -0.5], 1.0, (330, 3)).round(3).tolist()
    rows[3][2] = -25.0
    lines: list[Any] = [{"kind": "bestby monitor", "format": 1, "version": "0.2.0", "settings": asked}]
    for item, row in zip(ids(330), rows, strict=True):
        scores = dict(zip("abc", row, strict=True))
        if len(lines) > 321:
            del scores["c"]
        lines.append({"item": item, "scores": scores})
        if len(lines) == 321:
            lines.append({"look": 320})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def test_a_monitor_that_version_0_2_0_saved_goes_on_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    written_by_0_2_0(path)
    monitor = bb.Monitor.resume(path)
    assert (monitor.n_items, monitor.running) == (330, ("a", "b"))
    codes = [note.code for note in monitor.result().notes]
    assert "begun_before" in codes
    assert "lengthened" not in monitor.result().methods()
    monitor.add("more", {"a": 1.0, "b": 0.0})
    monitor.save(tmp_path / "again.jsonl")
    assert json.loads((tmp_path / "again.jsonl").read_text("utf-8").splitlines()[0])["format"] == 1
    result = monitor.result()
    monitor.save(tmp_path / "again.jsonl")
    again = bb.Monitor.resume(tmp_path / "again.jsonl")
    assert (again.n_items, again.result()) == (331, result)


def test_a_monitor_with_a_largest_difference_is_saved_with_it(tmp_path: Path) -> None:
    rows = np.random.default_rng(2).normal([0.3, 0.0], 1.0, (400, 2))
    monitor = filled(rows, bounds=None, largest=30.0)
    assert monitor.settings["largest"] == 30.0
    result = monitor.result()
    monitor.save(tmp_path / "m.jsonl")
    assert bb.Monitor.resume(tmp_path / "m.jsonl").result() == result
