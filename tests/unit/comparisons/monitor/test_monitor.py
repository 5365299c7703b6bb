"""`Monitor`: decisions, items that are refused, clusters, files, and many systems."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bestby as bb
from bestby.comparisons.monitor.order import order_note
from bestby.inference.betting import betting_interval, single
from bestby.inference.confidence_sequences import normal_mixture_bound


def ids(n: int) -> list[str]:
    """Return ids in an order that is not theirs."""
    return [f"q{place}" for place in np.random.default_rng(9).permutation(n)]


def filled(scores: Iterable[tuple[float, float]], *, stop: bool = False, **options: Any) -> bb.Monitor:
    """Return a monitor of a and b with these scores, which stops where it decides if it is to."""
    rows = list(scores)
    monitor = bb.Monitor(["a", "b"], **{"bounds": (0, 1), **options})
    for item, (a, b) in zip(ids(len(rows)), rows, strict=True):
        monitor.add(item, {"a": a, "b": b})
        if stop and monitor.decision is not None:
            break
    return monitor


def answers(n: int, ahead: float, behind: float, seed: int = 0) -> list[tuple[float, float]]:
    """Return 0/1 scores of which A alone has a share right, and B alone another."""
    u = np.random.default_rng(seed).random(n)
    return [(float(x < ahead), float(ahead <= x < ahead + behind)) for x in u]


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
    with pytest.raises(bb.DesignError, match="nothing to draw"):
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


def test_the_normal_mixture_is_longer() -> None:
    rows = answers(500, 0.1, 0.1)
    intervals = [filled(rows, method=method).interval for method in ("betting", "normal-mixture")]
    lengths = [one.high - one.low for one in intervals if one is not None]
    assert lengths[1] > 1.5 * lengths[0]


def test_ties_say_nothing_about_which_is_better() -> None:
    """The p-value of no difference is McNemar's in this: only items on which the systems differ count."""
    rows = answers(100, 0.5, 0.1)
    differing = [row for row in rows if row[0] != row[1]]
    with_ties, without = (filled(one).result().pairs[0].p_value for one in (rows, differing))
    assert with_ties == pytest.approx(without, rel=1e-9)


def test_estimate_interval_and_text() -> None:
    result = filled(answers(400, 0.3, 0.02), stop=True).result()
    assert (result.decided_at, result.n_available) == (result.n_items, None)
    assert result.sentence.startswith(f"a is better than b (after {result.n_items} items): a − b = 0.")
    assert result["b"] is result.pairs[0]
    assert result.interval is not None
    assert result.estimate in result.interval
    assert result.path[-1].n_items == result.n_items
    with pytest.raises(bb.InvalidInputError, match="no system 'c' beside a"):
        result["c"]


# -- items that are refused ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("item", "scores", "cluster", "message"),
    [
        ("q0", {"a": 0, "b": 0}, None, "was added before with the score 1 of a, and now with 0"),
        ("q9", {"a": 2, "b": 0}, None, "must lie between 0 and 1, got 2"),
        ("q9", {"a": float("nan"), "b": 0}, None, "must be finite, got nan"),
        ("q9", {"a": "x", "b": 0}, None, "must be a number"),
        ("q9", {"a": 1}, None, "has no score of system 'b'"),
        ("q9", {"a": 1, "b": 0, "c": 1}, None, "'c', which is not monitored"),
        ("q9", [1, 0], None, "must be a mapping"),
        ("q9", {"a": 1, "b": 0}, "doc", "has a cluster, unlike those before"),
        (None, {"a": 1, "b": 0}, None, "the id of an item must be text"),
        (True, {"a": 1, "b": 0}, None, "the id of an item must be text"),
        ("", {"a": 1, "b": 0}, None, "the id of an item must be text"),
    ],
)
def test_what_is_refused_changes_nothing(
    item: Any, scores: Any, cluster: Any, message: str, tmp_path: Path
) -> None:
    monitor = bb.Monitor(["a", "b"], bounds=(0, 1), n_items=5)
    monitor.save(tmp_path / "m.jsonl")
    monitor.add("q0", {"a": 1, "b": 0})
    before = monitor.result(), (tmp_path / "m.jsonl").read_bytes()
    with pytest.raises(bb.InvalidInputError, match=message) as caught:
        monitor.add(item, scores, cluster=cluster)
    assert caught.value.hint
    assert (monitor.result(), (tmp_path / "m.jsonl").read_bytes()) == before
    assert monitor.add("q1", {"a": 1, "b": 0})


def test_one_item_too_many() -> None:
    monitor = filled([(1, 0), (0, 0)], n_items=2)
    with pytest.raises(bb.InvalidInputError, match="one more than the 2 items announced"):
        monitor.add("more", {"a": 1, "b": 0})


def test_the_same_item_again_changes_nothing() -> None:
    monitor = filled([(1, 0), (0, 0)])
    before = monitor.result()
    assert not monitor.add(ids(2)[0], {"a": 1, "b": 0})
    assert monitor.result() == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"systems": ["a"]}, "at least 2 systems"),
        ({"systems": ["a", "a"]}, "'a' is named twice"),
        ({"bounds": (1, 0)}, "two rising finite numbers"),
        ({"bounds": "01"}, "the least and the greatest score"),
        ({"bounds": (0, float("inf"))}, "two rising finite numbers"),
        ({"population": "bank"}, "needs the number of items"),
        ({"population": "all"}, "population must be one of bank, wider"),
        ({"method": "wald"}, "method must be one of"),
        ({"margin": 0}, "margin must be a positive number"),
        ({"margin": float("nan")}, "margin must be"),
        ({"level": 1.0}, "level must lie strictly between 0 and 1"),
        ({"n_items": 0}, "n_items must be a whole number"),
        ({"largest_cluster": 0.5}, "largest_cluster must be a whole number"),
        ({"greater_is_better": "yes"}, "greater_is_better must be True or False"),
    ],
)
def test_settings_are_checked(options: dict[str, Any], message: str) -> None:
    with pytest.raises(bb.InvalidInputError, match=message):
        bb.Monitor(**{"systems": ["a", "b"], "bounds": (0, 1), **options})


def test_bets_need_bounds() -> None:
    with pytest.raises(bb.DesignError, match="needs the least and the greatest score"):
        bb.Monitor(["a", "b"], bounds=None, method="betting")


def noted_order(items: Iterable[tuple[Any, Any]]) -> str | None:
    """Return what a monitor notes of the order of items and their clusters, and what `order` does."""
    monitor = bb.Monitor(["a", "b"], bounds=(0, 1))
    for place, (item, cluster) in enumerate(items):
        monitor.add(item, {"a": place % 2, "b": 0}, cluster=cluster)
    notes = [note for note in monitor.result().notes if note.code.startswith("order_of")]
    assert notes == [note for note in [monitor.order] if note is not None]
    return notes[0].code if notes else None


def nearly(n: int) -> list[int]:
    """Return numbers as answers arrive that were asked for in order, eight at a time."""
    waits = np.random.default_rng(2).exponential(8.0, n)
    return np.argsort(np.arange(n) + waits).tolist()


SUBJECTS = ["biology", "maths", "art", "law"]  # in no order of their names
SHUFFLED = np.random.default_rng(1).permutation(60).tolist()


@pytest.mark.parametrize(
    ("items", "code"),
    [
        ([(f"q{i}", None) for i in range(30)], "order_of_ids"),
        ([(i, None) for i in range(30)], "order_of_ids"),
        ([(f"q{i}", None) for i in range(30)][::-1], "order_of_ids"),
        ([(f"q{i}", None) for i in nearly(200)], "order_of_ids"),
        ([(f"q{i}", None) for i in range(19)], None),
        ([(f"q{i}", None) for i in SHUFFLED], None),
        # The items of a document together, the documents in random order: without clusters, and with them.
        ([(f"doc{d}-q{i}", None) for d in SHUFFLED[:30] for i in (2, 1, 3)], "order_of_groups"),
        ([(f"doc{d}-q{i}", f"doc{d}") for d in SHUFFLED[:30] for i in (2, 1, 3)], None),
        # The documents in their order, told by the clusters or by the items that they begin with.
        ([((31 * d + i) * 7919 % 10007, d) for d in range(30) for i in range(3)], "order_of_ids"),
        ([(f"q{3 * d + i}", f"{d * 7919 % 10007}") for d in range(30) for i in range(3)], "order_of_ids"),
        ([(f"{one}/{i}", None) for one in SUBJECTS for i in SHUFFLED[:20]], "order_of_groups"),
        ([(f"{one[-1]}{i}", f"{one}/{i}") for one in SUBJECTS for i in SHUFFLED], "order_of_groups"),
        ([(f"{SUBJECTS[i % 4]}/{i}", None) for i in SHUFFLED], None),
    ],
)
def test_an_order_that_is_not_random_is_noticed(items: list[tuple[Any, Any]], code: str | None) -> None:
    assert noted_order(items) == code


def test_random_orders_are_not_noted() -> None:
    rng = np.random.default_rng(3)
    for _ in range(300):
        n = int(rng.integers(20, 60))
        names = [f"{SUBJECTS[i % 4]}/{i}" for i in rng.permutation(n).tolist()]
        assert order_note(names, [None] * n) is None
        hexadecimal = [bytes(one).hex() for one in rng.integers(0, 256, (n, 8)).tolist()]
        assert order_note(hexadecimal, [None] * n) is None


# -- clusters --------------------------------------------------------------------------------------


def clustered(sizes: list[int], **options: Any) -> bb.Monitor:
    monitor = bb.Monitor(["a", "b"], **{"bounds": (0, 1), **options})
    for cluster, size in enumerate(sizes):
        for item in range(size):
            scores = {"a": int(cluster % 3 > 0), "b": int((cluster + item) % 4 == 0)}
            monitor.add(f"{7 * cluster % 11}.{item}.{cluster}", scores, cluster=cluster)
    return monitor


def test_clusters_count_whole() -> None:
    monitor = clustered([3, 2, 4])
    result = monitor.result()
    assert (result.n_items, result.n_clusters, monitor.n_items) == (5, 2, 9)
    assert {note.code for note in result.notes} == {"approximate_clusters", "open_cluster"}
    monitor.close_cluster()
    assert (monitor.result().n_items, monitor.result().n_clusters) == (9, 3)
    with pytest.raises(bb.InvalidInputError, match="cluster 2, which was complete"):
        monitor.add("late", {"a": 1, "b": 1}, cluster=2)


def test_the_last_item_of_a_benchmark_closes_its_cluster() -> None:
    monitor = clustered([3, 2, 4], n_items=9, largest_cluster=4)
    assert monitor.result().n_items == 9
    assert monitor.result().notes == ()
    assert monitor.interval is not None
    assert monitor.interval.low == monitor.interval.high


def test_a_cluster_larger_than_announced() -> None:
    with pytest.raises(bb.InvalidInputError, match="more than 3 items, the largest_cluster"):
        clustered([3, 2, 4], largest_cluster=3)


def test_clusters_of_one_item_are_items() -> None:
    whole = clustered([1] * 50, largest_cluster=1)
    whole.close_cluster()
    alone = bb.Monitor(["a", "b"], bounds=(0, 1))
    for cluster in range(50):
        alone.add(f"c{cluster}", {"a": int(cluster % 3 > 0), "b": int(cluster % 4 == 0)})
    assert whole.interval == alone.interval


# -- files -----------------------------------------------------------------------------------------


@given(
    rows=st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.floats(0.0, 1.0)), min_size=1, max_size=40),
    looks=st.sets(st.integers(0, 39)),
    cut=st.integers(0, 10_000),
    clusters=st.booleans(),
)
@settings(max_examples=40)
def test_a_crash_at_any_byte_loses_no_more_than_the_line_that_was_written(
    rows: list[tuple[float, float]], looks: set[int], cut: int, clusters: bool, tmp_path_factory: Any
) -> None:
    path = tmp_path_factory.mktemp("crash") / "m.jsonl"
    monitor = bb.Monitor(["a", "b"], bounds=(0, 1), margin=0.2)
    monitor.save(path)
    head = len(path.read_bytes())

    def add(to: bb.Monitor, place: int) -> bool:
        scores = dict(zip("ab", rows[place], strict=True))
        return to.add(f"q{place * 7 % 41}", scores, cluster=place // 3 if clusters else None)

    for place in range(len(rows)):
        add(monitor, place)
        if place in looks:
            _ = monitor.decision
    data = path.read_bytes()
    end = head + cut % (len(data) - head + 1)
    path.write_bytes(data[:end])
    again = bb.Monitor.resume(path)
    kept = sum("item" in json.loads(line) for line in data[:end][: data[:end].rfind(b"\n")].splitlines())
    assert again.n_items == kept
    assert [add(again, place) for place in range(len(rows))] == [place >= kept for place in range(len(rows))]
    if end == len(data):
        monitor.save(path.with_name("other.jsonl"))  # two monitors cannot write one file
        assert again.result() == monitor.result()
    assert bb.Monitor.resume(path).n_items == len(rows)


def test_a_resumed_monitor_has_its_decision_and_its_dropped_systems(tmp_path: Path) -> None:
    monitor = bb.Monitor(["a", "b", "c"], bounds=(0, 1))
    rng = np.random.default_rng(3)
    for item in ids(400):
        drawn = dict(zip("abc", (rng.random(3) < (0.8, 0.75, 0.3)).astype(int).tolist(), strict=True))
        monitor.add(item, {name: drawn[name] for name in monitor.running})
        _ = monitor.decision
    assert monitor.running == ("a", "b")
    monitor.save(tmp_path / "m.jsonl")
    again = bb.Monitor.resume(tmp_path / "m.jsonl")
    assert again.running == ("a", "b")
    assert again.result() == monitor.result()


def test_saved_and_appended_files_are_the_same(tmp_path: Path) -> None:
    for clusters in (False, True):
        appended, saved = tmp_path / "appended.jsonl", tmp_path / "saved.jsonl"
        monitor = bb.Monitor(["a", "b"], bounds=(0, 1))
        monitor.save(appended)
        for item in range(12):
            monitor.add(f"q{5 * item % 12}", {"a": 1, "b": 0}, cluster=item // 4 if clusters else None)
            if item % 5 == 0:
                _ = monitor.decision
        monitor.save(saved)
        one, two = bb.Monitor.resume(appended), bb.Monitor.resume(saved)
        assert one.result() == two.result()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda _: "", "not the file of a monitor"),
        (lambda text: '{"a": 1}\n' + text, "not the file of a monitor"),
        (lambda text: text.replace('"format": 1', '"format": 99'), "format 99"),
        (lambda text: text.replace('"item": "q1"', '"item": "q0"'), "changed since it was saved"),
        (lambda text: text.replace('"scores"', '"score"'), "changed since it was saved"),
        (lambda text: text.replace('"bounds"', '"bound"'), "changed since it was saved"),
        (lambda text: text.replace('{"item"', "{item", 1), "line 2: this is no line of a monitor"),
    ],
)
def test_a_file_that_was_changed_is_refused(change: Any, message: str, tmp_path: Path) -> None:
    monitor = bb.Monitor(["a", "b"], bounds=(0, 1))
    monitor.add("q0", {"a": 1, "b": 0})
    monitor.add("q1", {"a": 0, "b": 0})
    path = tmp_path / "m.jsonl"
    monitor.save(path)
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(bb.InvalidInputError, match=message) as caught:
        bb.Monitor.resume(path)
    assert caught.value.hint


def test_a_file_that_another_program_writes_to(tmp_path: Path) -> None:
    monitor = filled([(1, 0)])
    path = tmp_path / "m.jsonl"
    monitor.save(path)
    with path.open("a", encoding="utf-8") as file:
        file.write("x\n")
    with pytest.raises(bb.InvalidInputError, match="changed by another program"):
        monitor.add("other", {"a": 1, "b": 0})
    assert monitor.n_items == 1
    monitor.save(path)
    assert monitor.add("other", {"a": 1, "b": 0})


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(bb.BestbyError, match="cannot write"):
        filled([(1, 0)]).save(tmp_path / "no" / "folder" / "m.jsonl")


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
    assert "a is worse than b" in monitor.result().sentence


def test_adding_an_item_to_a_hundred_systems_is_quick() -> None:
    """Sums alone are updated: well below a millisecond, with room for a slow machine."""
    names = [f"s{place}" for place in range(100)]
    monitor = bb.Monitor(names, bounds=(0, 1))
    rows = [dict(zip(names, [float(p > place) for p in range(100)], strict=True)) for place in range(50)]
    start = time.perf_counter()
    for place, row in enumerate(rows):
        monitor.add(place * 7 % 50, row)
    assert (time.perf_counter() - start) / 50 < 2e-3


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


@pytest.mark.parametrize("scale", [1e-12, 1e12])
@pytest.mark.parametrize("method", ["betting", "asymptotic", "normal-mixture"])
def test_other_units_give_the_same_decision(method: str, scale: float) -> None:
    rows = np.random.default_rng(13).beta([5, 2], [2, 3], size=(600, 2))
    plain = filled(rows.tolist(), stop=True, method=method, margin=0.05)
    other = filled(
        (scale * rows).tolist(), stop=True, method=method, margin=0.05 * scale, bounds=(0.0, scale)
    )
    assert (other.decision, other.n_items) == (plain.decision, plain.n_items)
    assert plain.interval is not None
    assert other.interval is not None
    assert other.interval.low / scale == pytest.approx(plain.interval.low, abs=1e-6)


# -- reports ---------------------------------------------------------------------------------------


def test_the_paragraph_for_a_paper_and_its_works() -> None:
    result = filled(answers(400, 0.3, 0.02), stop=True, n_items=1000, margin=0.05).result()
    text = result.methods()
    assert f"on {result.n_items} items of at most 1000" in text
    assert "is a betting confidence sequence (Waudby-Smith and Ramdas, 2024" in text
    assert "The smallest difference that matters was set to 0.05." in text
    assert "waudby-smith-ramdas-2020-confidence" in result.citations()


def test_tables_and_their_frames() -> None:
    result = filled(answers(100, 0.3, 0.02)).result()
    with pytest.raises(bb.InvalidInputError, match="cannot show percent: a monitor knows the bounds"):
        result.table(percent=True)
    assert list(result.to_frame("scores")["system"]) == ["a", "b"]
    path = result.to_frame("path")
    assert path["n_items"].iloc[-1] == 100
    assert (path["low"] <= path["estimate"]).all()
    assert result.to_frame()["difference"].iloc[0] == result.estimate


def test_the_figure_has_the_path_the_margin_and_the_decision() -> None:
    axes = filled(answers(400, 0.3, 0.02), stop=True, margin=0.05).plot()
    drawn = {line.get_gid() for line in axes.lines} | {area.get_gid() for area in axes.collections}
    assert {"estimate", "interval", "zero", "margin", "decision"} <= drawn


@pytest.mark.parametrize("exchanged", [False, True])
def test_a_difference_that_is_clear_of_0_is_said_though_the_margin_is_open(exchanged: bool) -> None:
    names = ["a", "b"][:: -1 if exchanged else 1]
    monitor = bb.Monitor(names, bounds=(0, 1), margin=0.18)
    for item in range(300):
        monitor.add(item, {"a": 1.0 if item % 5 else 0.0, "b": 1.0 if item % 5 > 1 else 0.0})
        assert monitor.decision is None
    result = monitor.result()
    assert result.pairs[0].interval is not None
    assert 0.0 not in result.pairs[0].interval
    word = "worse" if exchanged else "better"
    start = f"{names[0]} is {word} than {names[1]}; whether by more than 0.18 is open"
    assert result.sentence.startswith(start)
