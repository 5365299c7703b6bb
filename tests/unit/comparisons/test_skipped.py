"""`interval=None` and `test=None`: nothing of what was not asked for is computed or shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bestby as bb
from bestby.engine import interval_methods, significance_tests
from bestby.engine.sums import SumSample
from bestby.questions.items.many_systems_report import embedded
from bestby.report.tables import difference_rounding

RNG = np.random.default_rng(15)
GOLD = RNG.integers(0, 3, 90)
SYSTEMS = {
    name: np.where(RNG.random(90) < share, GOLD, RNG.integers(0, 3, 90))
    for name, share in (("a", 0.9), ("b", 0.6), ("c", 0.2))
}
ANSWERS = {f"s{i}": (RNG.random(60) < 0.5).astype(int) for i in range(102)}
SKIPS: dict[str, dict[str, Any]] = {
    "interval": {"interval": None},
    "test": {"test": None},
    "both": {"interval": None, "test": None},
}
OF_TESTS = {
    "p_value",
    "p_adjusted",
    "test",
    "exact",
    "significant",
    "winner",
    "rank_low",
    "rank_high",
    "group",
}


def compared(metric: str = "f1_macro", **options: Any) -> bb.results.Comparison:
    return bb.compare(SYSTEMS, GOLD, metric=metric, n_resamples=199, **options)


def refuse(*_: Any, **__: Any) -> Any:
    raise AssertionError("nobody asked for this")


def test_what_is_skipped_is_none() -> None:
    bare = compared(**SKIPS["both"])
    for d in bare:
        assert (d.interval, d.standard_error, d.standard_error_method) == (None, None, None)
        assert (d.test, d.p_value, d.p_adjusted, d.exact, d.significant, d.winner) == (None,) * 6
        assert d.mirrored().winner is None
    for entry in bare.systems:
        assert (entry.interval, entry.standard_error) == (None, None)
        assert (entry.rank_low, entry.rank_high, entry.group) == (None, None, None)
    assert (bare.omnibus, bare.correction) == ((), "none")
    assert {note.code for note in bare.notes} <= {"read_as"}


def test_nothing_of_it_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(SumSample, "bootstrap", refuse)
        patch.setattr(SumSample, "left_out", refuse)
        patch.setattr(interval_methods, "interval", refuse)
        assert compared(**SKIPS["interval"])["a", "c"].p_value < 0.05
        compared(**SKIPS["both"])
    with monkeypatch.context() as patch:
        patch.setattr(SumSample, "permutation", refuse)
        patch.setattr(significance_tests, "result", refuse)
        assert compared(**SKIPS["test"])["a", "c"].interval is not None
        assert compared(test=None, correction="simultaneous")["a", "c"].interval.method == "max-t"
        assert compared(test=None, margin=0.01)["a", "c"].verdict == "better"


def test_pages_that_are_searched_know_what_there_is() -> None:
    for options in SKIPS.values():
        result = bb.compare(ANSWERS, **options)
        pairs = embedded(result, result.metrics[0], difference_rounding(result))
        assert pairs is not None
        assert (pairs["level"] is None) == ("interval" in options)
        assert (pairs["test"] is None) == ("test" in options)
        assert pairs["ranks"][0] == ([None, None] if "test" in options else [1, 102])


def test_a_baseline_without_tests_is_compared_by_score() -> None:
    text = str(compared("accuracy", baseline="b", test=None)).split("\n\n")[0]
    assert "a has a higher accuracy; c has a lower accuracy; nothing was tested." in " ".join(text.split())


def test_many_systems_are_as_they_are_one_by_one() -> None:
    for options in SKIPS.values():
        many = bb.compare(ANSWERS, **options)
        few = bb.compare({name: ANSWERS[name] for name in ("s1", "s2")}, **options)
        one, other = many["s1", "s2"], few["s1", "s2"]
        assert (one.interval, one.p_value, one.winner) == (other.interval, other.p_value, other.winner)
        assert one.standard_error == other.standard_error


def test_studies(tmp_path: Path) -> None:
    study = bb.Study(tmp_path / "study")
    for name, runs in (("a", ("a",)), ("b", ("b", "c"))):
        for run in runs:
            study.add(condition=name, run=run, predictions=SYSTEMS[run], gold=GOLD)
    everything, bare = study.compare(), study.compare(interval=None, test=None)
    assert study.compare(interval=None, test=None).n_computed == 0
    (whole,), (d,) = everything.differences, bare.differences
    assert (d.estimate, d.interval, d.test, d.p_adjusted) == (whole.estimate, None, None, None)
    assert {entry.rank_low for entry in bare.systems} == {None}
    assert bb.load(bare.to_json()) == bare
    assert OF_TESTS.isdisjoint(bare.to_frame().columns)
    assert "nothing was tested" in str(bare)
    assert study.compare(interval=None).differences[0].test == whole.test
