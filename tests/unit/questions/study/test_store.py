"""The store of a study: names, runs, files, and the cache of what was computed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.unit.questions.study.stored import SHORT_GOLD, SHORT_IDS, tree

from bestby._core import files
from bestby._core.errors import InvalidInputError, StudyError
from bestby._core.files import digest
from bestby.questions.study import source
from bestby.questions.study.source import Gold
from bestby.questions.study.store import Store, checksummed, read_checksummed


class TestNames:
    NAMES = (
        *(
            "h1",
            "H1",
            "h 1",
            "bert-large_v1.0",
            "BERT-large",
            "bert-LARGE",
            "a/b",
            "../x",
            "..",
            ".hidden",
            "x.",
        ),
        *(
            "con",
            "CON",
            "nul.txt",
            "lpt1",
            "console",
            "σ²",
            "%41",
            "a~1",
            "é",
            "e\u0301",
            "\n",
            "C:\\x",
            "*?<>|",
        ),
    )

    @pytest.mark.parametrize("name", NAMES)
    def test_a_name_and_its_file_name_belong_to_each_other(self, name: str) -> None:
        stem = source.file_name(name)
        assert source.name_of_file(stem) == name
        assert stem.isascii()
        assert not set(stem) & set('/\\:*?"<>| \n')
        assert not stem.startswith(".")
        assert not stem.endswith(".")

    def test_no_two_names_meet_where_case_is_ignored(self) -> None:
        every = [*self.NAMES, *(f"{a}{b}{c}" for a in "aA" for b in "bB" for c in "cC")]
        assert len({source.file_name(name).lower() for name in every}) == len(set(every))

    @pytest.mark.parametrize("stem", ["", "a b", "A", "%61", "a~0", "a~1", "%ff", "con", "~f", "é"])
    def test_a_file_name_that_is_never_given_has_no_name(self, stem: str) -> None:
        assert source.name_of_file(stem) is None

    @pytest.mark.parametrize("name", ["", " ", None, 1.5, True, b"x"])
    def test_what_is_no_name(self, store: Store, name: Any) -> None:
        with pytest.raises(InvalidInputError, match="name of a run must be text or a whole number"):
            store.add("h1", run=name, predictions=SHORT_GOLD)

    def test_too_long(self, store: Store) -> None:
        store.add("n" * 200, run=0, predictions=SHORT_GOLD)
        with pytest.raises(InvalidInputError, match="file of at most 200 bytes, got 201"):
            store.add("n" * 201, run=0, predictions=SHORT_GOLD)
        with pytest.raises(InvalidInputError, match="at most 200 bytes"):
            store.add("é" * 40, run=0, predictions=SHORT_GOLD)

    def test_lone_surrogates(self, store: Store) -> None:
        with pytest.raises(InvalidInputError, match="valid Unicode"):
            store.add("\ud800", run=0, predictions=SHORT_GOLD)

    def test_numbers_in_names_sort_as_numbers(self, store: Store) -> None:
        for run in (10, "2", np.int64(1), "seed 3", "seed 20"):
            store.add("h10", run=run, predictions=SHORT_GOLD)
        store.add("h2", run="a", predictions=SHORT_GOLD)
        assert store.runs("h10") == ("1", "2", "10", "seed 3", "seed 20")
        assert store.conditions() == ("h0", "h2", "h10")


class TestRuns:
    def test_the_same_run_twice(self, store: Store) -> None:
        before = tree(store)
        with pytest.raises(
            InvalidInputError, match="run '0' of 'h0' is already in the study\nhint: pass replace=True"
        ):
            store.add("h0", run=0, predictions=SHORT_GOLD)
        assert tree(store) == before
        store.add("h0", run=0, predictions=SHORT_GOLD, replace=True)
        assert store.load("h0", 0).predictions.tolist() == SHORT_GOLD
        assert store.role("h0") == (True, None)

    def test_everything_that_is_kept(self, store: Store) -> None:
        given = {"lr": np.float64(0.1), "seed": 3, "note": "é", "dev": True, "none": None}
        added = store.add(
            "h1", run="a", predictions=SHORT_GOLD, epochs=np.int64(10), tags=given, against="h0"
        )
        found = store.load("h1", "a")
        assert found.head == added.head
        assert found.hash == added.hash
        assert found.epochs == 10
        assert found.tags == {"lr": 0.1, "seed": 3, "note": "é", "dev": True, "none": None}
        assert found.added.endswith("+00:00")

    @pytest.mark.parametrize("tags", [{"a": [1]}, {"a": float("nan")}, {1: "a"}])
    def test_tags_that_cannot_be_kept(self, store: Store, tags: Any) -> None:
        with pytest.raises(InvalidInputError, match="must be text, a finite number, a boolean or None"):
            store.add("h1", run=0, predictions=SHORT_GOLD, tags=tags)

    @pytest.mark.parametrize("epochs", [-1, float("inf"), True, "3", [3]])
    def test_epochs_that_are_none(self, store: Store, epochs: Any) -> None:
        with pytest.raises(InvalidInputError, match="epochs must be a number of at least 0"):
            store.add("h1", run=0, predictions=SHORT_GOLD, epochs=epochs)

    def test_what_is_not_there(self, store: Store, tmp_path: Path) -> None:
        with pytest.raises(InvalidInputError, match="no run '7' of 'h0'\nhint: its runs: 0"):
            store.load("h0", 7)
        with pytest.raises(InvalidInputError, match="no condition 'h7'\nhint: its conditions: h0"):
            store.load("h7", 0)
        with pytest.raises(InvalidInputError, match="no run '7' of 'h0'"):
            store.remove("h0", 7)
        nothing = Store(tmp_path / "nothing")
        assert nothing.conditions() == ()
        assert nothing.runs("h0") == ()
        with pytest.raises(InvalidInputError, match="has no gold yet"):
            nothing.gold()
        assert not nothing.path.exists()

    def test_remove(self, store: Store) -> None:
        store.add("h1", run=0, predictions=SHORT_GOLD)
        store.remove("h1", 0)
        assert store.conditions() == ("h0",)
        assert store.runs("h1") == ()
        store.add("h1", run=0, predictions=SHORT_GOLD)
        assert store.conditions() == ("h0", "h1")

    def test_hashes_depend_on_values_alone(self, store: Store, tmp_path: Path) -> None:
        store.add("h1", run=0, predictions=SHORT_GOLD, epochs=3)
        store.add("h2", run="x", predictions=SHORT_GOLD, tags={"a": 1})
        store.add("h3", run=0, predictions=["x", "x", "x", "x"])
        other = Store(tmp_path / "other")
        other.add("h1", run=0, predictions=SHORT_GOLD, gold=["x", "y", "y", "y"], ids=SHORT_IDS)
        assert store.load("h1", 0).hash == store.load("h2", "x").hash
        assert len({store.load("h1", 0).hash, store.load("h3", 0).hash, other.load("h1", 0).hash}) == 3


class TestFiles:
    def test_a_run_is_readable_text(self, store: Store) -> None:
        text = (store.path / "runs/h0/0.json").read_text(encoding="utf-8")
        lines = text.split("\n")
        start = lines.index('"predictions": [')
        assert lines[start + 1 : start + 6] == ['"x",', '"x",', '"x",', '"y"', "],"]
        assert '"role": "baseline",' in lines
        assert text.endswith("}\n")
        assert json.loads((store.path / "study.json").read_text()) == {"format": "bestby study", "version": 1}

    def test_nothing_is_left_in_the_scratch_folder(self, store: Store) -> None:
        with pytest.raises(InvalidInputError):
            store.add("h0", run=0, predictions=SHORT_GOLD)
        assert list((store.path / "tmp").iterdir()) == []

    def test_scratch_files_of_killed_processes_go_after_an_hour(self, store: Store) -> None:
        import os
        import time

        old, new = store.path / "tmp/old.part", store.path / "tmp/new.part"
        for path in (old, new):
            path.write_text("{")
        os.utime(old, (time.time() - 2 * files.STALE,) * 2)
        store.add("h1", run=0, predictions=SHORT_GOLD)
        assert not old.exists()
        assert new.exists()
        assert store.conditions() == ("h0", "h1")

    def test_a_file_may_be_written_anew_by_a_formatter(self, store: Store) -> None:
        path = store.path / "runs/h0/0.json"
        path.write_bytes(json.dumps(json.loads(path.read_text()), indent=8, sort_keys=True).encode())
        assert store.load("h0", 0).predictions.tolist() == ["x", "x", "x", "y"]
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
        assert store.load("h0", 0).predictions.tolist() == ["x", "x", "x", "y"]

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            (b'"y"', b'"x"'),
            (b'"role": "baseline"', b'"role": "treatment"'),
            (b'"tags": {}', b'"tags": {"a": 1}'),
            (b'"run": "0"', b'"run": "1"'),
            (b'"format"', b'"comment": "by hand",\n"format"'),
            (b'"classes": null,\n', b""),
        ],
    )
    def test_a_run_changed_by_hand(self, store: Store, old: bytes, new: bytes) -> None:
        path = store.path / "runs/h0/0.json"
        data = path.read_bytes()
        assert data.count(old) == 1
        path.write_bytes(data.replace(old, new))
        with pytest.raises(StudyError, match=r"0\.json was changed since it was written.*\nhint: restore it"):
            store.load("h0", 0)

    def test_a_gold_changed_by_hand(self, store: Store) -> None:
        path = store.path / "gold.json"
        path.write_bytes(path.read_bytes().replace(b'"q1"', b'"q7"'))
        with pytest.raises(StudyError, match=r"gold\.json was changed since it was written"):
            store.gold()

    def test_a_run_that_was_renamed(self, store: Store) -> None:
        path = store.path / "runs/h0/0.json"
        path.rename(path.with_name("1.json"))
        with pytest.raises(StudyError, match="holds run '0' of 'h0': it was renamed or copied"):
            store.load("h0", 1)

    def test_a_copy_beside_a_run(self, store: Store) -> None:
        path = store.path / "runs/h0/0.json"
        path.with_name("0 (copy).json").write_bytes(path.read_bytes())
        with pytest.raises(StudyError, match=r"0 \(copy\)\.json has a name that a study never gives"):
            store.runs("h0")

    def test_what_others_leave_in_the_folders_is_not_theirs(self, store: Store) -> None:
        for name in (".DS_Store", "runs/.DS_Store", "runs/h0/.DS_Store", "runs/h0/0.json~", "runs/notes.txt"):
            (store.path / name).write_text("x")
        assert store.conditions() == ("h0",)
        assert store.runs("h0") == ("0",)

    def test_a_run_of_another_study(self, store: Store, tmp_path: Path) -> None:
        other = Store(tmp_path / "other")
        other.add("h0", run=1, predictions=["x", "y"], gold=["x", "y"])
        (other.path / "runs/h0/1.json").rename(store.path / "runs/h0/1.json")
        with pytest.raises(StudyError, match="does not belong to the gold of this study"):
            store.load("h0", 1)

    @pytest.mark.parametrize("name", ["study.json", "gold.json", "runs/h0/0.json"])
    def test_a_version_of_the_future(self, store: Store, name: str) -> None:
        path = store.path / name
        path.write_bytes(path.read_bytes().replace(b'"version": 1', b'"version": 2'))
        with pytest.raises(StudyError, match=r"in version 2 of its format.*\nhint: upgrade bestby"):
            store.load("h0", 0)

    @pytest.mark.parametrize("name", ["study.json", "gold.json", "runs/h0/0.json"])
    @pytest.mark.parametrize(
        "data", [b"", b"\xff", b"[]", b"[" * 100_000, b"NaN", b'{"format": "other"}', b"null"]
    )
    def test_garbage(self, store: Store, name: str, data: bytes) -> None:
        (store.path / name).write_bytes(data)
        with pytest.raises(StudyError, match=Path(name).name) as error:
            store.load("h0", 0)
        assert error.value.hint

    def test_nan_written_by_hand(self, tmp_path: Path) -> None:
        store = Store(tmp_path)
        store.add("h0", run=0, predictions=[1.5, 2.5], gold=[1.0, 2.0])
        path = tmp_path / "runs/h0/0.json"
        path.write_bytes(path.read_bytes().replace(b"1.5", b"NaN"))
        with pytest.raises(StudyError, match="NaN is not a number"):
            store.load("h0", 0)

    def test_a_directory_that_is_no_study(self, tmp_path: Path) -> None:
        (tmp_path / "thesis.tex").write_text("x")
        with pytest.raises(StudyError, match=r"is not a study: it holds other things, such as 'thesis\.tex'"):
            Store(tmp_path).add("h0", run=0, predictions=SHORT_GOLD, gold=SHORT_GOLD)
        assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]
        with pytest.raises(StudyError, match=r"a study is a directory, but .* is a file"):
            Store(tmp_path / "thesis.tex")

    def test_a_study_without_its_first_file(self, store: Store) -> None:
        (store.path / "study.json").unlink()
        with pytest.raises(StudyError, match=r"has the files of a study, but no study\.json"):
            store.conditions()

    def test_what_cannot_be_written_as_utf8(self, store: Store) -> None:
        with pytest.raises(InvalidInputError, match="must be valid Unicode text"):
            store.add("h1", run=0, predictions=["\ud800", "x", "x", "x"])

    def test_checksummed_files(self, tmp_path: Path) -> None:
        path = tmp_path / "x.json"
        path.write_bytes(checksummed("run", {"a": 1}, {"b": [], "c": None}, digest({"b": [], "c": None})))
        assert read_checksummed(path, "run", ("b", "c"))["a"] == 1
        with pytest.raises(StudyError, match="is not the gold of a study"):
            read_checksummed(path, "gold", ("b", "c"))

    def test_without_hard_links_a_run_is_added_once_too(
        self, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def no_link(*_: Any) -> None:
            raise PermissionError(1, "Operation not permitted")

        monkeypatch.setattr("os.link", no_link)
        store.add("h1", run=0, predictions=SHORT_GOLD)
        assert store.load("h1", 0).predictions.tolist() == SHORT_GOLD
        target = store.path / "runs/h1/0.json"
        assert not files.create(target, b"other", store.path / "tmp")
        assert store.load("h1", 0).predictions.tolist() == SHORT_GOLD


def test_the_store_needs_no_heavy_library() -> None:
    heavy = ("pandas", "duckdb", "matplotlib", "scipy.stats")
    code = "import sys, bestby.questions.study.store;"
    code += f"print([name for name in {heavy} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_a_gold_hashes_as_it_is_read(store: Store) -> None:
    gold = store.gold()
    assert Gold(gold.ids, gold.values, gold.classes, gold.clusters).hash == gold.hash
