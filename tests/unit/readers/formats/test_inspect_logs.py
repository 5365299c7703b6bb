from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from tests.unit.readers.formats.log_files import inspect_log, message, scores_of, zipped
from tests.unit.readers.helpers import Make

from bestby import compare, compare_runs
from bestby.readers import archives
from bestby.readers.archives import member_of_archive
from bestby.readers.formats import inspect_logs as form
from bestby.readers.formats.base import format_in

_A = inspect_log([["C", "I", "P", "N"]], model="org/a")
_B = inspect_log([["C", "C", "I", "I"]], model="org/b")


def _pair(make: Make, a: Any = _A, b: Any = _B) -> dict[str, Path]:
    return {"a": make("a.json", json.dumps(a)), "b": make("b.json", json.dumps(b))}


@pytest.mark.long
def test_letters_count_as_numbers_and_models_name_the_systems(make: Make) -> None:
    found = form.read(_pair(make))
    assert scores_of(found) == {"org/a": [1.0, 0.0, 0.5, 0.0], "org/b": [1.0, 1.0, 0.0, 0.0]}
    assert found.metric.name == "match"
    assert found.description == (
        "logs of Inspect; scorer: match (also in the files: both/x, both/y); systems: org/a, org/b"
    )
    assert found.runs is None


@pytest.mark.parametrize(
    ("value", "number"),
    [(True, 1.0), ("yes", 1.0), ("No", 0.0), ("false", 0.0), (0.25, 0.25), ("0.25", 0.25), (" 1e-1 ", 0.1)],
)
def test_other_values(make: Make, value: Any, number: float) -> None:
    found = form.read(_pair(make, inspect_log([[value, "C"]], model="x"), inspect_log([["C", "C"]])))
    assert scores_of(found)["x"] == [number, 1.0]


def test_a_value_that_is_no_score_is_refused(make: Make) -> None:
    paths = _pair(make, inspect_log([["C", "D"]], model="x"), inspect_log([["C", "C"]]))
    assert message(form, paths) == (
        "a.json, sample 2: the score by match is 'D', expected a number or C, I, P, N"
    )


def test_another_scorer(make: Make) -> None:
    found = form.read(_pair(make), value_column="both/x")
    assert scores_of(found)["org/a"] == [1.0] * 4
    assert message(form, _pair(make), value_column="best") == "a.json: no scorer 'best'"


def test_epochs_are_runs_and_the_score_their_mean(make: Make) -> None:
    a = inspect_log([["C", "I", "C", "I"], ["C", "C", "C", "I"]], model="x")
    b = inspect_log([["I", "I", "C", "I"], ["C", "I", "C", "C"], ["C", "I", "C", "I"]], model="y")
    found = form.read(_pair(make, a, b))
    assert scores_of(found)["x"] == [1.0, 0.5, 1.0, 0.0]
    assert found.runs["x"].tolist() == [[1, 0, 1, 0], [1, 1, 1, 0]]
    assert found.runs["y"].shape == (3, 4)
    assert "mean over the runs (x: 2, y: 3)" in found.description
    compared = compare_runs(found.runs, metric=found.metric)
    assert {one.system: one.score for one in compared.systems} == pytest.approx({"x": 0.625, "y": 0.5})


def test_metadata_with_telling_names_are_offered_as_clusters(make: Make) -> None:
    found = form.read(_pair(make))
    assert {name: groups.tolist() for name, groups in found.clusters.items()} == {
        "passage": ["p0", "p0", "p1", "p1"]
    }
    used = form.read(_pair(make), clusters="passage")
    assert used.evaluation.clusters.tolist() == ["p0", "p0", "p1", "p1"]
    assert used.clusters == {}


def test_samples_without_a_score_are_missing(make: Make) -> None:
    a = inspect_log([["C", None, "I", "C"]], model="x")
    a["samples"][3]["scores"] = None
    paths = _pair(make, a)
    assert message(form, paths) == "x has no score (NaN) for item q1 and 1 more in a.json"
    assert scores_of(form.read(paths, on_missing="drop"))["x"] == [1.0, 0.0]


@pytest.mark.parametrize("summaries", ["whole", "pieces", "none"])
@pytest.mark.parametrize("zstd", [False, True])
def test_archives_hold_the_same(tmp_path: Path, summaries: str, zstd: bool) -> None:
    paths = {
        name: zipped(tmp_path / f"{name}.eval", log, summaries=summaries, zstd=zstd)
        for name, log in (("a", _A), ("b", _B))
    }
    assert format_in(paths["a"]) is form
    assert scores_of(form.read(paths)) == {"org/a": [1.0, 0.0, 0.5, 0.0], "org/b": [1.0, 1.0, 0.0, 0.0]}


@pytest.mark.parametrize("ending", ["eval", "json"])
def test_its_own_reader_and_ours_read_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    pytest.importorskip("inspect_ai.log", reason="Inspect is not installed")
    paths = {}
    for name, values in (("a", ["C", "I", "P", "N"]), ("b", [0.5, 1, False, "I"])):
        log = inspect_log([values, ["C", "C", "I", "N"]], model=name)
        paths[name] = tmp_path / f"{name}.{ending}"
        if ending == "eval":
            zipped(paths[name], log)
        else:
            paths[name].write_text(json.dumps(log), encoding="utf-8")
        found = form.read_with_inspect(paths[name])
        assert found is not None
        assert [sample["epoch"] for sample in found[1]] == [1] * 4 + [2] * 4
    theirs = form.read(paths)
    monkeypatch.setitem(sys.modules, "inspect_ai.log", None)
    assert form.read_with_inspect(paths["a"]) is None
    ours = form.read(paths)
    assert scores_of(theirs) == scores_of(ours) == {"a": [1.0, 0.5, 0.25, 0.0], "b": [0.75, 1.0, 0.0, 0.0]}
    assert theirs.description == ours.description
    assert {name: groups.tolist() for name, groups in theirs.clusters.items()} == {
        name: groups.tolist() for name, groups in ours.clusters.items()
    }


def test_its_own_reader_is_given_no_bomb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = zipped(tmp_path / "a.eval", _A)
    monkeypatch.setattr(archives, "MOST_BYTES", 100)
    assert form.read_with_inspect(path) is None


def test_a_member_that_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = zipped(tmp_path / "a.eval", _A)
    monkeypatch.setenv("BESTBY_MAX_UNPACKED", "100")
    with zipfile.ZipFile(path) as archive:
        size = archive.getinfo("summaries.json").file_size
        with pytest.raises(Exception, match=f"summaries.json has {size} bytes, more than the 100 that"):
            member_of_archive(archive, path, "summaries.json")


def test_an_archive_without_its_header_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("summaries.json", "[]")
    assert message(form, {"a": path}) == "a.eval: there is no _journal/start.json in the archive"


def test_a_damaged_archive_is_refused(tmp_path: Path) -> None:
    for zstd in (False, True):
        path = zipped(tmp_path / "a.eval", _A, zstd=zstd)
        data = bytearray(path.read_bytes())
        at = data.index(b"header.json") + 30
        data[at : at + 8] = bytes(8)
        path.write_bytes(bytes(data))
        assert message(form, {"a": path}).startswith("a.eval: cannot be unpacked: ")


def test_without_a_library_the_line_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if sys.version_info >= (3, 14):
        pytest.skip("this Python unpacks zstd itself")
    path = zipped(tmp_path / "a.eval", _A, zstd=True)
    for name in ("zstandard", "inspect_ai.log"):
        monkeypatch.setitem(sys.modules, name, None)
    assert message(form, {"a": path}) == "zstandard, which unpacks these logs, is not installed"


def test_other_inputs_under_the_same_id_are_refused(make: Make) -> None:
    b = inspect_log([["C", "C", "I", "I"]])
    b["samples"][2]["input"] = "7*7"
    paths = _pair(make, _A, b)
    assert message(form, paths).startswith("item 'q2' is not the same in a.json and in ")


def test_doubled_ids_are_refused(make: Make) -> None:
    a = inspect_log([["C", "I"]])
    a["samples"][1]["id"] = "q0"
    assert message(form, _pair(make, a)) == "a.json, sample 2: item 'q0' was already in sample 1"


def test_an_unfinished_log_is_told(make: Make) -> None:
    paths = _pair(make, {**_A, "status": "cancelled"})
    assert f"not finished: {paths['a']}" in form.read(paths).description


def test_a_log_without_samples_is_refused(make: Make) -> None:
    assert message(form, _pair(make, {**_A, "samples": None})) == "a.json has no samples"


def test_the_comparison(make: Make) -> None:
    found = form.read(_pair(make))
    difference = compare(found.evaluation, metric=found.metric)["org/a", "org/b"]
    assert difference.estimate == pytest.approx(-0.125)


def test_a_scorer_of_one_value_in_one_log_and_of_several_in_the_other(make: Make) -> None:
    a, b = inspect_log([["C", "I", "C"]], model="x"), inspect_log([["C", "I", "C"]], model="y")
    for log in (a, b):
        for sample in log["samples"]:
            del sample["scores"]["both"]
    for place, sample in enumerate(b["samples"]):
        sample["scores"]["match"] = {"value": {"acc": place % 2, "len": 3}}
    for first, second in ((a, b), (b, a)):
        paths = _pair(make, first, second)
        assert message(form, paths) == "a.json: which scorer? the files have: match/acc, match/len"
        found = scores_of(form.read(paths, value_column="match/acc"))
        assert (found["x"], found["y"]) == ([1.0, 0.0, 1.0], [0.0, 1.0, 0.0])


def test_members_without_summaries_take_time_in_proportion(tmp_path: Path) -> None:
    """Count the names that are looked at: time would depend on the machine."""
    looked = 0

    class Counting(zipfile.ZipFile):
        def namelist(self) -> list[str]:
            nonlocal looked
            names = super().namelist()
            looked += len(names)
            return names

    path = zipped(tmp_path / "a.eval", inspect_log([["C", "I"] * 100]), summaries="none")
    with Counting(path) as archive:
        for name in archive.namelist():
            member_of_archive(archive, path, name)
    assert looked == 201
