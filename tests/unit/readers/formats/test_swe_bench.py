from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.unit.readers.formats.log_files import message, scores_of
from tests.unit.readers.helpers import Make

from bestby import evaluate, read
from bestby.readers.formats import swe_bench as form
from bestby.readers.formats.base import format_in

_IDS = ["django__django-1", "django__django-2", "sympy__sympy-3", "sympy__sympy-4"]


def _report(resolved: list[str], submitted: list[str], total: int = 4) -> dict[str, Any]:
    return {
        "total_instances": total,
        "resolved_instances": len(resolved),
        "submitted_ids": submitted,
        "incomplete_ids": [item for item in _IDS if item not in submitted],
        "resolved_ids": resolved,
        "unresolved_ids": [item for item in submitted if item not in resolved],
        "schema_version": 2,
    }


def _pair(make: Make, a: Any, b: Any) -> dict[str, Path]:
    return {"a": make("a.json", json.dumps(a)), "b": make("b.json", json.dumps(b))}


def test_reports_list_the_whole_benchmark(make: Make) -> None:
    paths = _pair(make, _report(_IDS[:2], _IDS[:3]), _report(_IDS[3:], _IDS))
    found = form.read(paths)
    assert scores_of(found) == {"a": [1.0, 1.0, 0.0, 0.0], "b": [0.0, 0.0, 0.0, 1.0]}
    assert found.metric.name == "resolved"
    assert found.description == (
        "results of SWE-bench, over the 4 instances that the reports list; score: resolved; systems: a, b"
    )
    assert found.clusters["repository"].tolist() == ["django/django"] * 2 + ["sympy/sympy"] * 2
    assert form.read(paths, clusters="repository").evaluation.clusters.tolist()[3] == "sympy/sympy"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("ids.txt", "\n".join(_IDS) + "\n"),
        ("ids.csv", "instance_id,repo\n" + "".join(f'{item},"x,y"\n' for item in _IDS)),
        ("ids.json", json.dumps(_IDS)),
        ("ids.jsonl", "".join(json.dumps({"instance_id": item}) + "\n" for item in _IDS)),
    ],
)
def test_ids_in_no_list_are_failures_of_the_benchmark(make: Make, name: str, content: str) -> None:
    a = {"no_generation": [], "no_logs": [_IDS[1]], "resolved": [_IDS[0]]}
    b = {"no_generation": [], "no_logs": [], "resolved": [_IDS[2], _IDS[0]]}
    found = form.read(_pair(make, a, b), gold=make(name, content))
    assert scores_of(found) == {"a": [1.0, 0.0, 0.0, 0.0], "b": [1.0, 0.0, 1.0, 0.0]}


def test_the_denominator_must_be_known(make: Make) -> None:
    leaderboard = {"no_generation": [], "no_logs": [], "resolved": _IDS[:2]}
    assert message(form, _pair(make, leaderboard, leaderboard)) == (
        "a.json does not say which instances the benchmark has: those that 'a' failed may be in no list"
    )
    more = _report(_IDS[:1], _IDS, total=5)
    assert message(form, _pair(make, more, more)) == (
        "a.json: the benchmark has 5 instances, but the reports list 4"
    )


def test_ids_of_another_benchmark(make: Make) -> None:
    a = {"no_generation": [], "resolved": ["flask__flask-9", _IDS[0]]}
    gold = make("ids.txt", "\n".join(_IDS))
    found = message(form, _pair(make, a, a), gold=gold)
    assert found == "a.json: 1 of the 2 ids in 'resolved' are not in ids.txt; first: 'flask__flask-9'"


def test_malformed_reports(make: Make) -> None:
    twice = {"resolved": [_IDS[0], _IDS[0]]}
    assert message(form, _pair(make, twice, twice)) == (
        f"a.json, resolved, entry 2: {_IDS[0]!r} was already in entry 1"
    )
    number = {"resolved": [_IDS[0], None]}
    assert message(form, _pair(make, number, number)) == (
        "a.json, resolved, entry 2: expected an id or an object with 'instance_id', got None"
    )
    summary = {"total_instances": 4, "resolved_instances": 2}
    assert message(form, _pair(make, summary, summary)).startswith("a.json: no list of resolved instances")
    gold = make("ids.txt", f"{_IDS[0]}\n{_IDS[0]}\n")
    assert message(form, _pair(make, {"resolved": []}, {"resolved": []}), gold=gold) == (
        f"ids.txt, entry 2: {_IDS[0]!r} was already in entry 1"
    )


def test_recognised(make: Make) -> None:
    assert format_in(make("x.json", json.dumps(_report([], _IDS)))) is form
    assert format_in(make("y.json", json.dumps({"no_generation": [], "resolved": []}, indent=1))) is form
    assert format_in(make("z.json", json.dumps({"q1": "resolved", "q2": "no"}))) is not form


def test_lists_of_containers_are_no_instances(make: Make) -> None:
    report = {**_report(_IDS[:2], _IDS[:3]), "unstopped_containers": ["c1", "c1"], "unremoved_images": ["i"]}
    found = form.read(_pair(make, report, _report(_IDS[3:], _IDS)))
    assert scores_of(found) == {"a": [1.0, 1.0, 0.0, 0.0], "b": [0.0, 0.0, 0.0, 1.0]}
    form.read(_pair(make, report, report), gold=make("ids.txt", "\n".join(_IDS)))


def test_summaries_beside_the_reports_are_left_out_with_a_note(make: Make) -> None:
    paths = _pair(make, _report(_IDS[:2], _IDS[:3]), _report(_IDS[3:], _IDS))
    summary = make("info_for_leaderboard.json", json.dumps({"resolved": 2, "total_instances": 4}))
    found = form.read({**paths, "info_for_leaderboard": summary})
    assert list(scores_of(found)) == ["a", "b"]
    (note,) = found.notes
    assert "info_for_leaderboard.json" in note.message
    told = message(form, {**paths, "c": summary})  # the user says that it is a system
    assert "no list of resolved instances" in told


def _instance(resolved: bool) -> dict[str, Any]:
    return {
        "patch_is_None": False,
        "patch_successfully_applied": True,
        "resolved": resolved,
        "tests_status": {},
    }


def _folder(root: Path, resolved: dict[str, bool]) -> Path:
    """Write what the harness leaves of a run: a folder with a report for each instance."""
    for item, right in resolved.items():
        (root / item).mkdir(parents=True)
        report = json.dumps({item: _instance(right)}, indent=4)
        (root / item / "report.json").write_text(report, encoding="utf-8")
        (root / item / "patch.diff").write_text("--- a\n+++ b\n", encoding="utf-8")
    return root


def test_reports_of_instances_in_folders(tmp_path: Path) -> None:
    a = _folder(tmp_path / "run" / "a", dict(zip(_IDS, (True, False, True, True), strict=True)))
    b = _folder(tmp_path / "run" / "b", dict(zip(_IDS, (True, False, False, True), strict=True)))
    expected = {"a": [1.0, 0.0, 1.0, 1.0], "b": [1.0, 0.0, 0.0, 1.0]}
    for paths in ([a, b], [tmp_path / "run"]):
        evaluation = read(paths)
        assert {name: values.tolist() for name, values in evaluation.systems.items()} == expected
    assert "over the instances that have a report" in evaluation.notes[0].message
    assert read({"x": a, "y": b}).names == ("x", "y")


def test_an_instance_without_a_report(tmp_path: Path, make: Make) -> None:
    paths = {
        "a": _folder(tmp_path / "a", dict.fromkeys(_IDS, True)),
        "b": _folder(tmp_path / "b", dict.fromkeys(_IDS[:3], True)),
    }
    assert "1 missing from 'b', first: 'sympy__sympy-4'" in message(form, paths)
    assert scores_of(form.read(paths, on_missing="worst"))["a"] == [1.0] * 4
    gold = make("ids.txt", "\n".join([*_IDS, "flask__flask-9"]))
    assert scores_of(form.read(paths, gold=gold))["b"] == [1.0, 1.0, 1.0, 0.0, 0.0]


def test_one_file_of_instances(make: Make) -> None:
    a = {item: _instance(item == _IDS[0]) for item in _IDS}
    b = {item: _instance(True) for item in _IDS}
    paths = _pair(make, a, b)
    assert format_in(paths["a"]) is form
    assert scores_of(form.read(paths)) == {"a": [1.0, 0.0, 0.0, 0.0], "b": [1.0] * 4}


def test_lists_stand_for_the_reports_of_instances_beside_them(tmp_path: Path) -> None:
    for name, resolved in (("a", _IDS[:1]), ("b", _IDS[:2])):
        folder = _folder(tmp_path / name, dict.fromkeys(_IDS, True))
        (folder / f"{name}.run.json").write_text(json.dumps(_report(resolved, _IDS)), encoding="utf-8")
    found = form.read({name: tmp_path / name for name in "ab"})
    assert scores_of(found) == {"a": [1.0, 0.0, 0.0, 0.0], "b": [1.0, 1.0, 0.0, 0.0]}


def _trials(*rewards: list[bool | None]) -> dict[str, Any]:
    rows = [
        {"id": "u", "trial_name": f"t{place}.{trial}", "task_id": f"t{place}", "is_resolved": right}
        for trial, rights in enumerate(rewards)
        for place, right in enumerate(rights)
    ]
    resolved = [row["task_id"] for row in rows if row["is_resolved"]]
    unresolved = [row["task_id"] for row in rows if not row["is_resolved"]]
    ids = {"resolved_ids": resolved, "unresolved_ids": unresolved, "n_resolved": len(resolved)}
    return {"id": "x", "results": rows, "pass_at_k": {}, "n_unresolved": len(unresolved), **ids}


def test_results_of_terminal_bench(make: Make) -> None:
    paths = {
        name: make(f"{name}.json", json.dumps(_trials(rights), indent=4))
        for name, rights in (("a", [True, True, None]), ("b", [False, True, False]))
    }
    assert format_in(paths["a"]) is form
    found = form.read(paths)
    assert scores_of(found) == {"a": [1.0, 1.0, 0.0], "b": [0.0, 1.0, 0.0]}
    assert found.description.startswith("results of Terminal-Bench, over the instances that have a report")


def test_attempts_of_terminal_bench_are_runs(make: Make) -> None:
    paths = {
        name: make(f"{name}.json", json.dumps(_trials(*rights)))
        for name, rights in (("a", ([True, False], [True, True])), ("b", ([False, False], [True, True])))
    }
    found = form.read(paths)
    assert scores_of(found) == {"a": [1.0, 0.5], "b": [0.5, 0.5]}
    assert found.runs["a"].tolist() == [[1.0, 0.0], [1.0, 1.0]]
    assert evaluate(read(paths), metric="pass^2").score("a").score == 0.5


def test_the_lists_of_terminal_bench_name_every_task(make: Make) -> None:
    a = {"resolved_ids": ["t0"], "unresolved_ids": ["t1", "t2"], "accuracy": 1 / 3}
    b = {"resolved_ids": ["t0", "t1"], "unresolved_ids": ["t2"], "accuracy": 2 / 3}
    assert scores_of(form.read(_pair(make, a, b))) == {"a": [1.0, 0.0, 0.0], "b": [1.0, 1.0, 0.0]}


def test_counts_alone_are_refused_with_what_they_lack(make: Make) -> None:
    for counts in (
        {"id": "x", "n_resolved": 3, "n_unresolved": 2},
        {"total_instances": 5, "resolved_instances": 3},
    ):
        paths = _pair(make, counts, counts)
        assert format_in(paths["a"]) is form
        told = message(form, paths)
        assert told.startswith(
            "a.json: no list of resolved instances (resolved_ids or resolved), only counts: "
        )


def test_a_system_that_resolved_nothing_failed_on_all_instances(make: Make) -> None:
    gold = make("gold.txt", "\n".join(_IDS))
    found = form.read(_pair(make, {"resolved": []}, {"resolved": _IDS[:1]}), gold=gold)
    assert scores_of(found) == {"a": [0.0] * len(_IDS), "b": [1.0] + [0.0] * (len(_IDS) - 1)}
