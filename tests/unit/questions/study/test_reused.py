"""Study.compare computes only what is new, and takes the rest from its cache."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.unit.questions.study.conditions import GOLD, RUNS, Make, cache, codes, counts, labels, numbers

from bestby import Resampling, Study


def test_adding_a_condition_computes_only_what_is_new(make: Make) -> None:
    study = make(RUNS)
    metrics = ["accuracy", "f1_macro"]
    assert counts(study.compare(metric=metrics)) == (2 * (3 + 2), 0)
    assert counts(study.compare(metric=metrics)) == (0, 10)
    study.add("h3", run=0, predictions=labels(0.7, 9))
    grown = study.compare(metric=metrics)
    assert counts(grown) == (2 * (1 + 1), 10)
    fresh = make({**RUNS, "h3": [labels(0.7, 9)]}).compare(metric=metrics)
    assert numbers(grown) == numbers(fresh)
    assert [d.p_adjusted for d in grown] == [d.p_adjusted for d in fresh]  # over the family of now


def test_another_run_makes_its_condition_new(make: Make) -> None:
    study = make(RUNS)
    study.compare()
    study.add("h1", run=7, predictions=labels(0.6, 20))
    assert counts(study.compare()) == (2, 3)
    study.add("h1", run=7, predictions=labels(0.6, 21), replace=True)
    assert counts(study.compare()) == (2, 3)
    study.remove("h1", 7)
    assert counts(study.compare()) == (0, 5)  # as it was in the beginning
    study.add("h1", run=7, predictions=labels(0.6, 20), epochs=3, note="epochs and tags change no number")
    assert counts(study.compare()) == (0, 5)


@pytest.mark.parametrize(
    ("change", "scores_too"),
    [
        ({"rng": 1}, True),
        ({"n_resamples": 301}, True),
        ({"level": 0.9}, True),
        ({"interval": "basic"}, True),
        ({"resampling": Resampling(resample_size=0.5)}, True),
        ({"metric": "f1_macro"}, True),
        ({"test": "t"}, False),
        ({"alternative": "better"}, False),
        ({"margin": 0.1}, False),
    ],
)
def test_what_is_asked_otherwise_is_computed(make: Make, change: dict[str, Any], scores_too: bool) -> None:
    study = make(RUNS)
    settings = {"metric": "accuracy", "interval": "percentile", "test": "bootstrap", "n_resamples": 300}
    study.compare(**settings)
    assert counts(study.compare(**{**settings, **change})) == ((5, 0) if scores_too else (2, 3))
    assert counts(study.compare(**settings, correction="none")) == (0, 5)  # corrected afterwards


def test_rescaling_is_part_of_the_question(make: Make) -> None:
    study = make({name: several[:1] for name, several in RUNS.items()})
    settings: dict[str, Any] = {"test": "bootstrap", "metric": "f1_macro"}
    scaled = study.compare(**settings, resampling=Resampling(resample_size=0.2))
    plain = study.compare(**settings, resampling=Resampling(resample_size=0.2, rescale=False))
    assert counts(plain) == (5, 0)
    assert plain["h1", "h0"].p_value > scaled["h1", "h0"].p_value
    assert "not_rescaled" in codes(plain)
    assert "not_rescaled" not in codes(scaled)
    (told,) = [note.message for note in scaled.notes if note.code == "small_resamples"]
    assert told.startswith("resamples of 18 units are too small")
    assert "small_resamples" not in codes(study.compare(**settings, resampling=Resampling(resample_size=0.6)))


def test_a_resample_size_that_nothing_uses_is_told(make: Make) -> None:
    runs = {name: RUNS[name] for name in ("h0", "h1")}
    found = make(runs).compare(resampling=Resampling(resample_size=0.2, rescale=False))
    assert "resample_size_unused" in codes(found)
    assert "not_rescaled" not in codes(found)
    assert numbers(found) == numbers(make(runs).compare())


def test_fresh_entropy_finds_nothing(make: Make) -> None:
    study = make({name: several[:1] for name, several in RUNS.items()})
    first, second = (study.compare(metric="f1_macro", rng=None) for _ in range(2))
    assert second.n_reused == 0
    assert counts(study.compare(metric="f1_macro", rng=first.provenance.seed)) == (0, 5)


@pytest.mark.parametrize("damage", ["empty", "cut", "number"])
def test_a_damaged_entry_is_computed_again(make: Make, damage: str) -> None:
    study = make(RUNS)
    whole = study.compare(metric=["accuracy", "f1_macro"])
    for path in cache(study)[:4]:
        data = path.read_bytes()
        other, changed = re.subn(rb'"(score|estimate)": -?0\.\d', b'"\\1": 0.9', data, count=1)
        assert changed
        path.write_bytes({"empty": b"", "cut": data[: len(data) // 2], "number": other}[damage])
    again = study.compare(metric=["accuracy", "f1_macro"])
    assert counts(again) == (4, 6)
    assert numbers(again) == numbers(whole)
    assert counts(study.compare(metric=["accuracy", "f1_macro"])) == (0, 10)  # mended


def test_the_cache_can_be_deleted_or_unwritable(make: Make) -> None:
    study = make(RUNS)
    whole = study.compare()
    for path in cache(study):
        path.unlink()
    (study.path / "cache").rmdir()
    (study.path / "cache").write_text("in the way")
    assert numbers(study.compare()) == numbers(whole)
    assert counts(study.compare()) == (5, 0)


def test_functions_and_objects_are_never_taken_from_the_cache(make: Make) -> None:
    """Both metrics have one name and do not do the same."""

    def share(gold: Any, predictions: Any) -> float:
        return float(np.mean(gold == predictions))

    right = share

    def share(gold: Any, predictions: Any) -> float:  # type: ignore[no-redef]
        return float(np.mean(gold != predictions))

    study = make({name: several[:1] for name, several in RUNS.items()})
    one = study.compare(metric=right, n_resamples=50).score("h1").score
    found = study.compare(metric=[share, "accuracy"], n_resamples=50)
    assert found.score("h1", "share").score == pytest.approx(1 - one)
    assert counts(study.compare(metric=[share, "accuracy"], n_resamples=50)) == (5, 5)


def test_names_that_run_together_are_kept_apart(tmp_path: Path) -> None:
    study = Study(tmp_path / "study")
    study.add("h1#0", run="1", predictions=labels(0.3, 1), gold=GOLD, baseline=True)
    study.add("h1", run="0#1", predictions=labels(0.9, 2))
    study.add("h1", run="2", predictions=labels(0.8, 3))
    found = study.compare(metric="accuracy")
    assert found.score("h1").runs == pytest.approx(
        [np.mean(labels(r, s) == GOLD) for r, s in ((0.9, 2), (0.8, 3))]
    )
    assert found.score("h1#0").runs == pytest.approx([np.mean(labels(0.3, 1) == GOLD)])
