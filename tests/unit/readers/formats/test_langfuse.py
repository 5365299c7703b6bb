"""Experiments of Langfuse; `samples/langfuse/README.md` says who wrote the files there."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.unit.readers.formats.log_files import langfuse_items as items
from tests.unit.readers.formats.log_files import langfuse_page as page
from tests.unit.readers.formats.log_files import langfuse_run as run_of
from tests.unit.readers.formats.log_files import langfuse_scores as marks
from tests.unit.readers.formats.log_files import message, scores_of
from tests.unit.readers.helpers import Make

from bestby import Reading, compare, read, read_runs
from bestby._core.errors import InvalidInputError
from bestby.readers.formats import langfuse as form
from bestby.readers.formats.base import format_in

SAMPLES = Path(__file__).parent / "samples" / "langfuse"
RIGHT = {"system-a": 5 / 6, "system-b": 2 / 6}
TRACE = ("id", "timestamp", "name", "sessionId", "bookmarked", "input", "output", "metadata", "comments")


def traces(rows: Sequence[dict[str, Any]], scores: Sequence[str] = ("ok",)) -> str:
    """Return the table of traces as CSV."""
    table = io.StringIO()
    writer = csv.DictWriter(table, [*TRACE, *scores], quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return table.getvalue()


def trace(run: str | None, item: str | None, ok: str, **more: str) -> dict[str, str]:
    """Return a row of the table of traces."""
    told = {"experiment_run_name": run, "dataset_item_id": item, "scope": "{}"}
    known = {key: value for key, value in told.items() if value is not None}
    return {"id": f"{run}{item}{ok}", "metadata": json.dumps(known), "ok": ok, "input": "[1, 2]", **more}


@pytest.mark.parametrize(
    "names",
    [
        ["experiment_items.jsonl"],
        ["traces.csv"],
        ["traces_before_2026_03.csv"],
        ["traces.json"],
        ["observations.jsonl"],
        ["python_5_a.json", "python_5_b.json"],
        ["python_4_a.json", "python_4_b.json"],
        ["python_3_a.json", "python_3_b.json"],
        ["javascript_a.json", "javascript_b.json"],
        ["runs/system-a.json", "runs/system-b.json", "runs/scores.csv"],
    ],
)
def test_every_sample_says_the_same(names: list[str]) -> None:
    paths = [SAMPLES / name for name in names]
    assert all(format_in(path) is form for path in paths)
    result = compare(read(paths, reading=Reading(value_column="correct")))
    assert {one.system: one.score for one in result.systems} == pytest.approx(RIGHT, abs=1e-12)
    evaluation = read(paths, reading=Reading(value_column="correct"))
    assert sorted(evaluation.items.tolist()) == [f"item-{i}" for i in range(6)]
    texts = message(form, {path.stem: path for path in paths}, value_column="verdict")
    assert texts.endswith("no score 'verdict'"), "categories are none"


def test_outputs_as_predictions() -> None:
    found = form.read({"items": SAMPLES / "experiment_items.jsonl"}, value_column="output")
    assert found.evaluation.gold.tolist().count("de") == 3
    result = compare(read(SAMPLES / "experiment_items.jsonl", reading=Reading(value_column="output")))
    assert {one.system: one.score for one in result.systems} == pytest.approx(RIGHT, abs=1e-12)
    python = [SAMPLES / "python_5_a.json", SAMPLES / "python_5_b.json"]
    macro = compare(read(python, reading=Reading(value_column="output")), metric="f1_macro")
    assert macro.systems[0].system == "system-a"
    assert "has no expected output" in message(form, {"t": SAMPLES / "traces.csv"}, value_column="output")


def test_experiments_without_a_dataset_are_joined_by_their_inputs() -> None:
    paths = [SAMPLES / f"python_5_without_dataset_{name}.json" for name in "ab"]
    of_library = read(paths)
    assert of_library.items.tolist()[0] == '{"name": "Ada"}'
    answers = read(SAMPLES / "experiment_items_without_dataset.json")
    of_name = {name.partition(" - ")[0]: name for name in answers.names}
    for name in of_library.names:
        other = of_name[name.partition(" - ")[0]]
        assert answers.systems[other].tolist()[::-1] == of_library.systems[name].tolist(), "newest first"


def test_an_item_without_id_and_input(make: Make) -> None:
    results = [{"item": {}, "evaluations": [{"name": "ok", "value": 1}]}]
    bad = make("bad.json", json.dumps({"run_name": "r", "item_results": results}))
    assert message(form, {"bad": bad}) == "bad.json, line 1, item_results 1: an item without id and input"


def test_two_runs_in_one_file_and_names(make: Make) -> None:
    rows = [*items("a", [1, 0, 1]), *items("b", [0, 0, 1])]
    path = make("both.json", page(rows))
    assert scores_of(form.read({"both": path})) == {"a": [1, 0, 1], "b": [0, 0, 1]}
    assert list(scores_of(form.read({"mine": path}))) == ["mine a", "mine b"]
    one, two = (make(f"{name}.json", page(items("nightly", [1, 0, 1]))) for name in ("old", "new"))
    found = scores_of(form.read({"main": one, "branch": two}))
    assert list(found) == ["main", "branch"], "the names of the user"
    other = items("nightly", [0, 1, 1], experimentId="another")
    found = scores_of(form.read({"old": one, "new2": make("new2.json", page(other))}))
    assert list(found) == ["old", "new2"], "runs of one name are called as their files"


def test_the_run_that_began_first_is_the_first_of_a_file(make: Make) -> None:
    new = items("new", [1, 0], startTime="2026-11-23T18:22:11.728Z")
    old = items("old", [0, 1], startTime="2026-11-22T18:22:11.728Z")
    new[0]["startTime"] = "2026-11-23T18:22:13.000Z"
    assert list(scores_of(form.read({"x": make("x.json", page([*new, *old]))}))) == ["old", "new"]
    pages = [page([*new, old[0]], cursor="c"), page(old[1:])]
    assert list(scores_of(form.read({"p": make("p.jsonl", "\n".join(pages))}))) == ["old", "new"]
    rows = [
        trace(run, f"q{i}", f"[{i}]", timestamp=f"2026-11-{day}T18:22:17.015Z")
        for run, day in (("new", 23), ("old", 22))
        for i in range(2)
    ]
    assert list(scores_of(form.read({"t": make("t.csv", traces(rows))}))) == ["old", "new"]
    files = {name: make(f"{name}.json", page(rows)) for name, rows in (("a", new), ("b", old))}
    assert list(scores_of(form.read(files))) == ["new", "old"], "files stay in the order given"


def test_lists_of_items_and_lines_and_lay_out(make: Make) -> None:
    rows = [*items("a", [1, 0, 1]), *items("b", [0, 0, 1])]
    whole = scores_of(form.read({"x": make("x.json", page(rows))}))
    texts = {
        "list.json": json.dumps(rows),
        "pages.json": json.dumps([json.loads(page(rows[:4], cursor="c")), json.loads(page(rows[4:]))]),
        "lines.jsonl": "".join(json.dumps(row) + "\n" for row in rows),
        "indented.json": json.dumps(json.loads(page(rows)), indent=2),
    }
    for name, text in texts.items():
        path = make(name, text)
        assert format_in(path) is form, name
        assert list(scores_of(form.read({Path(name).stem: path})).values()) == list(whole.values()), name


def test_an_answer_that_is_cut_off(make: Make) -> None:
    text = page([*items("a", [1, 0, 1]), *items("b", [0, 0, 1])])
    cut = make("cut.json", text[:900])
    assert message(form, {"cut": cut}).startswith("cut.json, line 1: not JSON")
    lines = make("cut.jsonl", f"{text}\n{text[:200]}")
    assert message(form, {"cut": lines}).startswith("cut.jsonl, line 2: not JSON")
    whole = (SAMPLES / "traces.csv").read_text(encoding="utf-8")
    with pytest.raises(InvalidInputError):
        read(make("cut.csv", whole[: len(whole) // 2]), reading=Reading(value_column="correct"))


def test_a_missing_page(make: Make) -> None:
    rows = items("a", [1, 0, 1, 1])
    first, last = page(rows[:2], cursor="c"), page(rows[2:])
    other = make("b.json", page(items("b", [1, 0, 1, 0])))
    assert form.read({"a": make("a.jsonl", f"{first}\n{last}\n"), "b": other}).n_items == 4
    assert message(form, {"p1": make("p1.json", first), "b": other}) == "p1.json: the last page is missing"
    runs = {name: make(f"{name}.json", json.dumps(run_of(name, 2))) for name in "ab"}
    scores = make("s.json", page([*marks("a", [1, 0]), *marks("b", [1, 1])], page=2, totalPages=2))
    assert message(form, {**runs, "s": scores}) == "s.json: page 1 of 2 is missing"


def test_a_page_that_is_there_twice_counts_once(make: Make) -> None:
    a, b = page(items("a", [1, 0])), page(items("b", [0, 0]))
    found = form.read({"x": make("x.jsonl", f"{a}\n{a}\n{b}\n")})
    assert (scores_of(found), found.runs) == ({"a": [1, 0], "b": [0, 0]}, None)


def test_missing_scores(make: Make) -> None:
    path = make("x.json", page([*items("a", [1, None, 0, 1]), *items("b", [1, 1, 0, 0])]))
    with pytest.raises(ValueError, match=r"a has no score \(NaN\) for item q1 in"):
        read(path)
    assert compare(read(path, on_missing="drop")).n_items == 3
    none = make("none.json", page(items("a", [None, None])))
    assert message(form, {"none": none}) == "none.json: no sample has a score"
    runs = {name: make(f"{name}.json", json.dumps(run_of(name, 2))) for name in "ab"}
    assert message(form, runs) == "a.json: no sample has a score"


def test_an_item_twice(make: Make) -> None:
    twice = make("x.json", page([*items("a", [1, 0, 1], times=2), *items("b", [0, 0, 1], times=2)]))
    assert read_runs(twice).runs["a"].shape == (2, 3)
    assert "its mean over the runs (a: 2, b: 2)" in form.read({"x": twice}).description
    again = items("a", [1], times=2)[1:]
    once = make("y.json", page([*items("a", [1, 0, 1]), *again, *items("b", [0, 0, 1])]))
    assert message(form, {"y": once}).startswith("a has no score (NaN) for item q1 and 1 more")
    labels = message(form, {"x": twice}, value_column="output")
    assert labels == "x.json, line 1, data 4: item 'q0' has several outputs"


def test_kinds_of_scores(make: Make) -> None:
    runs = {name: make(f"{name}.json", json.dumps(run_of(name, 3))) for name in "ab"}
    rows = [
        *(mark for run in "ab" for mark in marks(run, [1, 0, 1], kind="BOOLEAN", name="flag")),
        *(
            mark
            for run in "ab"
            for mark in marks(run, ["good", "bad", "good"], kind="CATEGORICAL", name="tone")
        ),
        *(mark for run in "ab" for mark in marks(run, [0.5, 2, -1], kind="NUMERIC", name="size")),
        *(mark for run in "ab" for mark in marks(run, [3, 4, 5], kind="RATIO", name="new")),
        *(mark for run in "ab" for mark in marks(run, ["why", "so", "x"], kind="TEXT", name="note")),
    ]
    paths = {**runs, "s": make("s.json", page(rows, page=1, totalPages=1))}
    for name, expected in {"flag": [1, 0, 1], "size": [0.5, 2, -1], "new": [3, 4, 5]}.items():
        assert scores_of(form.read(paths, value_column=name))["a"] == expected
    assert message(form, paths, value_column="tone").endswith("no score 'tone'")
    assert message(form, paths).endswith("which score? the files have: flag, size, new")
    assert message(form, paths, value_column="other").endswith("no score 'other'")
    texts = {**runs, "s": make("t.json", json.dumps([row for row in rows if row["name"] == "tone"]))}
    assert message(form, texts) == "a.json: no sample has a score"


def test_scores_of_version_three_and_of_no_trace(make: Make) -> None:
    runs = {name: make(f"{name}.json", json.dumps(run_of(name, 2))) for name in "ab"}
    told = {"id": "i", "projectId": "p", "name": "ok", "dataType": "BOOLEAN", "source": "EVAL"}
    subjects = [
        ({"kind": "trace", "id": "a0"}, True),
        ({"kind": "observation", "id": "o", "traceId": "a1"}, False),
        ({"kind": "trace", "id": "b0"}, True),
        ({"kind": "trace", "id": "b1"}, True),
        ({"kind": "experiment", "id": "id of a"}, False),
        ({"kind": "session", "id": "a0"}, False),
    ]
    rows = [{**told, "value": value, "subject": subject} for subject, value in subjects]
    path = make("s.json", page(rows, limit=100))
    assert format_in(path) is form
    assert scores_of(form.read({**runs, "s": path})) == {"a": [1, 0], "b": [1, 1]}
    assert message(form, {"s": path}) == "s.json holds scores without the items that they belong to"


def test_several_values_of_one_score_are_averaged(make: Make) -> None:
    rows = items("a", [1, 0]) + items("b", [1, 1])
    rows[0]["scores"].append({"name": "ok", "dataType": "NUMERIC", "value": 0})
    assert scores_of(form.read({"x": make("x.json", page(rows))}))["a"] == [0.5, 0]
    table = [trace("a", "q0", "[1, 0]"), trace("a", "q1", "[0]"), trace("b", "q0", "[1]")]
    path = make("t.csv", traces([*table, trace("b", "q1", "[1]")]))
    assert scores_of(form.read({"t": path})) == {"a": [0.5, 0], "b": [1, 1]}


def test_rows_of_one_trace_are_one_item(make: Make) -> None:
    told = {"experiment_run_name": "r", "dataset_item_id": "q0"}
    row = {"traceId": "t", "startTime": "", "projectId": "p", "parentObservationId": None, "metadata": told}
    rows = [
        {"id": "1", **row, "ok": None, "output": None},
        {"id": "2", **row, "ok": [1], "output": "x"},
        {"id": "3", **row, "metadata": {}, "ok": [0]},
        {"id": "4", **row, "traceId": "u", "metadata": {**told, "dataset_item_id": "q1"}, "ok": [0]},
    ]
    path = make("o.json", json.dumps(rows))
    assert format_in(path) is form
    assert scores_of(form.read({"a": path, "b": path})) == {"a": [1, 0], "b": [1, 0]}


def test_traces_of_no_experiment(make: Make) -> None:
    rows = [trace(None, None, "[1]"), *(trace(run, f"q{i}", f"[{i}]") for run in "ab" for i in range(2))]
    assert scores_of(form.read({"t": make("t.csv", traces(rows))})) == {"a": [0, 1], "b": [0, 1]}
    path = make("none.csv", traces([rows[0], {**rows[0], "metadata": '{"run_name": "nightly"}'}]))
    assert format_in(path) is form
    assert message(form, {"none": path}) == "none.csv holds no items of experiments"


@pytest.mark.parametrize("meta", ['{"cursor":null}', "{}", '{"page": 1, "totalItems": 0, "totalPages": 0}'])
def test_answers_without_items_are_known_as_such(make: Make, meta: str) -> None:
    path = make("runs.jsonl", f'{{"data":[],"meta":{meta}}}\n')
    assert format_in(path) is form
    with pytest.raises(InvalidInputError, match="holds no items of experiments") as caught:
        read(path, reading=Reading(value_column="correct"))
    assert "by the names that Langfuse shows" in (caught.value.hint or "")


def test_traces_of_version_three_and_of_local_data(make: Make) -> None:
    rows = [
        {**trace(None, None, f"[{ok}]"), "id": f"{run}{i}", "metadata": json.dumps(told), "input": f"in {i}"}
        for run in "ab"
        for i, ok in enumerate((1, 0))
        for told in [{"run_name": run, "dataset_item_id": f"q{i}", "dataset_id": "ds"}]
    ]
    found = form.read({"t": make("t.csv", traces(rows))})
    assert scores_of(found) == {"a": [1, 0], "b": [1, 0]}
    local = [{**row, "metadata": json.dumps({"experiment_run_name": row["id"][0]})} for row in rows]
    found = form.read({"local": make("local.csv", traces(local))})
    assert found.evaluation.items.tolist() == ["in 0", "in 1"]
    assert scores_of(found) == {"a": [1, 0], "b": [1, 0]}


def test_traces_of_the_api(make: Make) -> None:
    rows = [
        {
            "id": f"{run}{i}",
            "timestamp": "",
            "sessionId": None,
            "bookmarked": False,
            "scores": ["id"],
            "metadata": {"experiment_run_name": run, "dataset_item_id": f"q{i}"},
        }
        for run in "ab"
        for i in range(2)
    ]
    pages = [page(rows[:3], page=1, totalPages=2), page(rows[3:], page=2, totalPages=2)]
    listed = make("traces.jsonl", "\n".join(pages))
    scores = make("s.json", page([*marks("a", [1, 0]), *marks("b", [1, 1])], page=1, totalPages=1))
    assert format_in(listed) is form
    assert scores_of(form.read({"traces": listed, "s": scores})) == {"a": [1, 0], "b": [1, 1]}
    assert message(form, {"t": make("p.json", pages[0]), "s": scores}) == "p.json: page 2 of 2 is missing"


def test_the_result_of_the_github_action(make: Make) -> None:
    results = [
        {
            "script_name": f"{name}.py",
            "error": None,
            "experiment_result": {
                "experiment_id": name,
                "run_name": name,
                "item_results": [
                    {"item": {"id": f"q{i}"}, "evaluations": [{"name": "ok", "value": value}]}
                    for i, value in enumerate(values)
                ],
                "run_evaluations": [{"name": "share", "value": 0.5}],
            },
        }
        for name, values in {"a": [True, False], "b": [True, True]}.items()
    ]
    failed = {"script_name": "c.py", "error": {}, "experiment_result": None}
    text = json.dumps({"schema_version": "v1", "action_metadata": {}, "results": [*results, failed]})
    path = make("experiment.json", text)
    assert format_in(path) is form
    assert scores_of(form.read({"experiment": path})) == {"a": [1, 0], "b": [1, 1]}


def test_versions_of_the_dataset_and_groups(make: Make) -> None:
    a, b = items("a", [1, 0, 1, 1]), items("b", [0, 0, 1, 1])
    found = form.read({"x": make("x.json", page([*a, *b]))})
    assert found.clusters["topic"].tolist() == ["a", "b", "a", "b"]
    b[1]["expectedOutput"] = "z"
    assert "item 'q1' is not the same" in message(form, {"y": make("y.json", page([*a, *b]))})


def test_several_datasets(make: Make) -> None:
    rows = [
        {**row, "experimentDatasetId": name, "experimentItemId": f"{name}{row['experimentItemId']}"}
        for name in ("d1", "d2")
        for run in "ab"
        for row in items(run, [1, 0])
    ]
    assert list(form.read({"x": make("x.json", page(rows))}).datasets) == ["d1", "d2"]
    files = {
        name: make(f"{run}.json", page([row for row in rows if row["experimentName"] == run]))
        for name, run in (("old", "a"), ("new", "b"))
    }
    assert form.read(files).evaluation.names == ("old", "new")


def test_other_files(make: Make) -> None:
    for name, text in {
        "plain.csv": "id,timestamp,name,metadata\n1,2,3,4\n",
        "plain.json": '[{"id": "1", "name": "a", "value": 2}]',
        "runs.json": '{"runName": "a", "scores": [1, 2]}',
    }.items():
        assert format_in(make(name, text)) is not form


@pytest.mark.parametrize("column", ["metadata", "input", "output"])
def test_a_key_that_occurs_twice_is_refused_in_cells_too(make: Make, column: str) -> None:
    rows = [trace(run, item, "[1]") for run in "ab" for item in ("q1", "q2")]
    doubled = {"metadata": rows[0]["metadata"][:-1] + ', "dataset_item_id": "q2"}'}.get(
        column, '{"x": 1, "x": 2}'
    )
    text = traces([{**rows[0], column: doubled}, *rows[1:]])
    where = f"the cell of '{column}'"
    said = message(form, {"t": make("traces.csv", text)})
    assert where in said
    assert "occurs twice in one object" in said
    text = traces([{**rows[0], "output": '{"x": 1, "x": 2} and so on'}, *rows[1:]])  # no JSON, but a text
    assert read(make("traces.csv", text)).n_items == 2
