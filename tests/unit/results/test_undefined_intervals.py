"""An interval that is undefined is None, and a note says so: NaN ends never leave the library."""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Any

import numpy as np
import pytest

import bestby as bb
from bestby import Metric
from bestby.errors import DesignError
from bestby.report.loading import decoded, encoded
from bestby.results import Interval, Note
from bestby.results.values import defined

RNG = np.random.default_rng(0)
A, B = (RNG.permutation(np.arange(12.0)) for _ in "ab")


class AtOnePoint(Metric):
    """A metric that has a value for the data, and next to none of their resamples."""

    name = "at_one_point"
    needs_gold = False

    def statistics(self, gold: Any, predictions: Any) -> Any:  # noqa: ARG002
        return np.column_stack([predictions, np.ones(predictions.size)])

    def score(self, totals: Any) -> Any:
        mean = totals[..., 0] / totals[..., 1]
        return np.where(np.abs(mean - 5.5) < 1e-9, mean, np.nan)


@pytest.fixture(scope="module")
def undefined() -> bb.results.Comparison:
    return bb.compare({"a": A, "b": B}, metric=AtOnePoint(), interval="normal", margin=1.0, level=0.9)


def test_no_interval_and_a_note(undefined: bb.results.Comparison) -> None:
    d = undefined["a", "b"]
    assert d.interval is None
    assert d.level == 0.9
    assert d.verdict == "inconclusive"
    note = next(note for note in d.notes if note.code == "undefined_interval")
    assert note.about == ("at_one_point", "a", "b")
    assert "the uncertainty of this number is unknown" in note.message
    assert d.mirrored().interval is None
    assert [score.interval for score in undefined.systems] == [None, None]
    about = {note.about for note in undefined.notes if note.code == "undefined_interval"}
    assert about == {("at_one_point", "a"), ("at_one_point", "b")}


def test_every_output_shows_that_there_is_none(undefined: bb.results.Comparison, tmp_path: Any) -> None:
    found = json.loads(undefined.to_json())
    assert found["differences"][0]["low"] is None
    assert found["differences"][0]["high"] is None
    assert found["differences"][0]["level"] == 0.9
    assert found["systems"][0]["low"] is None
    assert "how sure that is cannot be said" in undefined["a", "b"].sentence
    row = undefined.to_frame().iloc[0]
    assert math.isnan(row["low"])
    assert math.isnan(row["high"])
    for text in (str(undefined), undefined.to_markdown(), undefined.to_latex(), undefined.to_csv()):
        assert "nan" not in text.lower()
    undefined.to_html(tmp_path / "report.html")
    assert ">nan<" not in (tmp_path / "report.html").read_text(encoding="utf-8").lower()
    undefined.plot()
    undefined["a", "b"].plot()


def test_wald_has_no_p_without_a_standard_error() -> None:
    with pytest.raises(DesignError, match="that of at_one_point is undefined on these data"):
        bb.compare({"a": A, "b": B}, metric=AtOnePoint(), interval="percentile", test="wald")


def test_runs_without_variance_have_no_interval_of_the_effect() -> None:
    d = bb.compare_runs({"a": [0.5] * 5, "b": [0.7] * 5}).differences[0]
    assert math.isnan(d.effect_size)
    assert d.effect_interval is None
    assert d.mirrored().effect_interval is None
    assert "no_spread" in [note.code for note in d.notes]


def test_defined_leaves_infinite_ends() -> None:
    known = Interval(-math.inf, 1.0, 0.95, "percentile", False)
    note = Note("few_items", "few")
    assert defined(known, (note,)) == (known, (note,))
    assert defined(None, (note,)) == (None, (note,))
    half = Interval(0.0, math.nan, 0.95, "percentile", False)
    assert defined(half, (note,))[0] is None


def test_a_study_keeps_that_there_is_none() -> None:
    plain = bb.compare({"a": A, "b": B}).differences[0]
    from bestby.questions.study.result import StudyDifference

    values = {field.name: getattr(plain, field.name) for field in dataclasses.fields(plain)}
    for interval in (plain.interval, None):
        one = StudyDifference(**{**values, "interval": interval, "level": 0.9, "n_runs": (1, 1)})
        again = decoded(json.loads(json.dumps(encoded(one))))
        assert again == one
