"""A study knows how often its test set was looked at: once for each set of runs that was compared."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import bestby as bb

GOLD = list("xyxyxxyyxyxy" * 3)


def flipped(every: int) -> list[str]:
    return ["xy"[(label == "x") ^ (place % every != 0)] for place, label in enumerate(GOLD)]


@pytest.fixture
def study(tmp_path: Path) -> bb.Study:
    made = bb.Study(tmp_path / "study")
    made.add("h0", run=0, predictions=flipped(3), gold=GOLD, baseline=True)
    made.add("h1", run=0, predictions=flipped(4))
    return made


def notes_of(result: bb.results.StudyComparison) -> list[str]:
    return [note.message for note in result.notes if note.code == "test_set_looked_at"]


def test_other_runs_are_another_look_and_other_settings_are_not(study: bb.Study) -> None:
    assert study.n_looks == 0
    first = study.compare()
    assert (study.n_looks, notes_of(first)) == (1, [])
    assert study.compare().notes == first.notes
    study.compare(metric="f1_macro", level=0.9)
    assert study.n_looks == 1
    study.add("h2", run=0, predictions=flipped(5))
    (told,) = notes_of(study.compare())
    assert "looked at 2 times" in told
    study.add("h2", run=1, predictions=flipped(6))
    assert "looked at 3 times" in notes_of(study.compare())[0]
    study.compare(conditions=["h0", "h1"])  # the runs of the first look
    assert study.n_looks == 3


def test_looks_are_kept_when_runs_are_removed_and_the_cache_is_deleted(study: bb.Study) -> None:
    study.compare()
    study.add("h2", run=0, predictions=flipped(5))
    study.compare()
    study.remove("h2", 0)
    shutil.rmtree(study.path / "cache")
    again = bb.Study(study.path)
    assert again.n_looks == 2
    assert "looked at 2 times" in notes_of(again.compare())[0]


def test_a_study_that_cannot_be_written_is_compared_all_the_same(
    study: bb.Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("bestby._core.files.replace", full)
    assert notes_of(study.compare()) == []
    assert study.n_looks == 0
