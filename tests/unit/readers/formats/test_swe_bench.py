from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.unit.readers.formats.log_files import message, scores_of
from tests.unit.readers.helpers import Make

from bestby.readers.formats import swe_bench as form
from bestby.readers.formats.base import recognised

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
        "results of SWE-bench, over the 4 instances that the reports list; systems: a, b"
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
    assert message(form, _pair(make, twice, twice)) == f"a.json: {_IDS[0]!r} occurs 2 times in 'resolved'"
    number = {"resolved": [_IDS[0], None]}
    assert message(form, _pair(make, number, number)) == "a.json: 'resolved' holds None, expected an id"
    summary = {"total_instances": 4, "resolved_instances": 2}
    assert message(form, _pair(make, summary, summary)).startswith("a.json: no list of resolved instances")
    gold = make("ids.txt", f"{_IDS[0]}\n{_IDS[0]}\n")
    assert message(form, _pair(make, {"resolved": []}, {"resolved": []}), gold=gold) == (
        f"ids.txt: {_IDS[0]!r} occurs 2 times"
    )


def test_recognised(make: Make) -> None:
    assert recognised(make("x.json", json.dumps(_report([], _IDS)))) is form
    assert recognised(make("y.json", json.dumps({"no_generation": [], "resolved": []}, indent=1))) is form
    assert recognised(make("z.json", json.dumps({"q1": "resolved", "q2": "no"}))) is not form


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
    (note,) = [note for note in found.evaluation.notes if note.code == "files_left_out"]
    assert "info_for_leaderboard.json" in note.message
    told = message(form, {**paths, "c": summary})  # the user says that it is a system
    assert "no list of resolved instances" in told
