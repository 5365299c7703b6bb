"""Directions, verdicts and baselines of `compare_runs`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.own_metrics import Credit
from tests.unit.questions.runs.examples import MID, NEW, OLD

from bestby import ScoreMetric, compare_runs
from bestby.errors import InvalidInputError
from bestby.report.comparison import better_by_score

# -- direction and verdicts ------------------------------------------------------------------------


def test_lower_is_better_changes_who_is_better_and_nothing_of_the_scores() -> None:
    up = compare_runs({"old": OLD, "new": NEW})
    down = compare_runs({"old": OLD, "new": NEW}, metric=ScoreMetric("score", greater_is_better=False))
    assert [entry.system for entry in up.systems] == ["new", "old"]
    assert [entry.system for entry in down.systems] == ["old", "new"]
    assert better_by_score(up["new", "old"]) == "new"
    assert better_by_score(down["new", "old"]) == "old"
    for attribute in ("estimate", "interval", "improvement", "effect_size", "p_value"):
        assert getattr(up["new", "old"], attribute) == getattr(down["new", "old"], attribute)
    assert down["old", "new"].order.violation_ratio < 0.5 < down["new", "old"].order.violation_ratio
    assert up["new", "old"].order.violation_ratio == pytest.approx(down["old", "new"].order.violation_ratio)


def test_one_sided_tests_follow_the_scale_and_say_so() -> None:
    greater = compare_runs(
        {"new": NEW, "old": OLD}, alternative="greater", metric=ScoreMetric("score", greater_is_better=False)
    )
    assert greater["new", "old"].p_value < 0.05
    assert "asks whether the first of two systems is worse" in next(
        n.message for n in greater.notes if n.code == "direction"
    )
    assert compare_runs({"new": NEW, "old": OLD}, alternative="less")["new", "old"].p_value > 0.95
    assert compare_runs({"new": NEW, "old": OLD}, alternative="less", test="t")["new", "old"].p_welch > 0.95


def test_known_names_of_metrics_bring_their_direction() -> None:
    assert not compare_runs({"a": OLD, "b": NEW}, metric="rmse").metrics[0].greater_is_better
    assert (
        compare_runs({"a": OLD, "b": NEW}, metric=ScoreMetric("rmse", greater_is_better=True))
        .metrics[0]
        .greater_is_better
    )
    assert compare_runs({"a": OLD, "b": NEW}, metric="my score").metrics[0].greater_is_better


@pytest.mark.parametrize(
    ("margin", "verdict"), [(0.005, "better"), (0.03, "inconclusive"), (0.2, "equivalent")]
)
def test_verdicts(margin: float, verdict: str) -> None:
    d = compare_runs({"old": OLD, "new": NEW}, margin=margin, interval="t")["new", "old"]
    assert d.verdict == verdict
    assert d.mirrored().verdict == {"better": "worse"}.get(verdict, verdict)


def test_a_verdict_allows_for_skewness_that_few_runs_do_not_show() -> None:
    d = compare_runs({"old": OLD, "new": NEW}, margin=0.005)["new", "old"]
    assert d.interval == compare_runs({"old": OLD, "new": NEW}, interval="t")["new", "old"].interval
    assert (d.verdict, d.interval.low > 0.005) == ("not worse", True)
    (note,) = [note for note in d.notes if note.code == "skewed_verdict"]
    assert "by which it would be better" in note.message
    decides = compare_runs({"old": OLD, "new": NEW}, interval="hall-wide")["new", "old"].interval
    assert f"{decides.low:.4g} to {decides.high:.4g}" in note.message


def test_a_baseline() -> None:
    result = compare_runs({"old": OLD, "new": NEW, "mid": MID}, baseline="old")
    assert [(d.a, d.b) for d in result] == [("new", "old"), ("mid", "old")]
    assert all(entry.group is None for entry in result.systems)
    with pytest.raises(InvalidInputError, match="no difference between 'new' and 'mid'"):
        result["new", "mid"]


# -- published data --------------------------------------------------------------------------------


def test_no_equivalence_follows_from_an_interval_that_does_not_hold() -> None:
    """Three clusters of sixty are wrong now and then: others may well be wrong more often."""
    wrong = np.ones((2, 3, 300))
    wrong[0, :, 0] = wrong[1, :2, 31] = 0.0
    runs, groups = {"a": wrong[0], "b": wrong[1]}, np.repeat(np.arange(60), 5)
    d = compare_runs(runs, metric="mean", clusters=groups, margin=0.02)["a", "b"]
    assert d.interval is not None
    assert -0.02 < d.interval.low < d.interval.high < 0.02
    assert d.verdict == "inconclusive"
    assert "few_effective" in {note.code for note in d.notes}
    # Of single items the score interval holds, however few differ.
    d = compare_runs(runs, metric="mean", margin=0.02)["a", "b"]
    assert d.verdict == "equivalent"
    assert {note.code for note in d.notes} & {"few_differing", "few_effective"} == {"few_differing"}
    assert compare_runs(runs, metric="mean", margin=0.01)["a", "b"].verdict == "not better"


def test_a_copy_of_runs_on_items_is_equivalent_if_scores_have_bounds() -> None:
    x = np.random.default_rng(0).random((3, 40))
    for settings in ({"paired": True}, {}, {"clusters": np.repeat(np.arange(20), 2)}):
        both: Any = ({"a": x, "b": x},)
        d = compare_runs({"a": 10.0 * x, "b": 10.0 * x}, margin=10.0, **settings)["a", "b"]
        assert d.verdict == "inconclusive"
        assert (d.interval is None) == ("paired" in settings)
        for margin, verdict in ((0.3, "equivalent"), (0.05, "inconclusive")):
            assert (
                compare_runs(*both, metric=Credit(), margin=margin, **settings)["a", "b"].verdict == verdict
            )


def test_no_better_or_worse_follows_from_an_interval_that_does_not_hold() -> None:
    wrong = np.ones((2, 3, 300))
    wrong[1, :, [1, 2, 31, 32, 33, 61, 62]] = 0.0
    runs, groups = {"a": wrong[0], "b": wrong[1]}, np.repeat(np.arange(60), 5)
    d = compare_runs(runs, metric="mean", clusters=groups, margin=1e-6, level=0.7)["a", "b"]
    assert d.interval is not None
    assert d.interval.low > 1e-6
    assert "few_effective" in {note.code for note in d.notes}
    assert d.verdict == "inconclusive"


def test_no_verdict_where_a_score_is_undefined_without_some_cluster() -> None:
    """Without the last cluster of two items the gold is the same everywhere, so it has no ranks."""
    gold = np.array([0.0] * 6 + [1.0] * 2)
    a, b = np.random.default_rng(1).normal(size=(2, 3, 8))
    runs, groups = {"a": list(a), "b": list(b)}, np.arange(8) // 2
    d = compare_runs(runs, gold, metric="spearman", clusters=groups, margin=1.9)["a", "b"]
    assert d.interval is not None
    assert -1.9 < d.interval.low < d.interval.high < 1.9
    assert d.verdict == "inconclusive"
    (told,) = (note.message for note in d.notes if note.code == "few_effective")
    assert told.startswith("what some of the 4 clusters contribute to the difference is undefined")


def test_one_note_on_long_intervals_and_only_where_it_matters() -> None:
    rng = np.random.default_rng(0)
    luck = {name: rng.normal(size=(5, 30)) for name in "abcd"}

    def long(**settings: Any) -> list[Any]:
        result = compare_runs(luck, **settings)
        assert "long_interval" not in {note.code for d in result for note in d.notes}
        return [note for note in result.notes if note.code == "long_interval"]

    (told,) = long()
    assert "of 4 of 6 pairs" in told.message
    assert len(long(margin=0.3)) == 1
    assert long(margin=9.0) == []  # all are equivalent, and would be by shorter intervals
    far = {"a": luck["a"] - luck["a"].mean(axis=1, keepdims=True) + 3.0, "b": luck["b"]}
    assert "long_interval" not in {note.code for note in compare_runs(far).notes}


def test_runs_that_are_right_or_wrong_may_be_items() -> None:
    answers = np.random.default_rng(1).integers(0, 2, (2, 30))
    both: dict[str, Any] = {"a": answers[0], "b": answers[1]}
    assert "runs_like_items" in {note.code for note in compare_runs(both).notes}
    for other in ({**both, "b": answers[1] * 0.5}, {name: x[:9] for name, x in both.items()}):
        assert "runs_like_items" not in {note.code for note in compare_runs(other).notes}
