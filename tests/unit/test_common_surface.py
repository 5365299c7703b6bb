"""What every result can do: one instance of each result class, and what it lacks today.

`GAPS` may only shrink: a test fails where a class lacks something that is not listed, and where it has
something that is listed.
"""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import bestby as bb

GOLD = ["x", "y"] * 10
SYSTEMS = {"a": ["x", "y"] * 9 + ["x", "x"], "b": ["x"] * 10 + ["x", "y"] * 5}
RUNS = {"a": [0.81, 0.84, 0.83, 0.86, 0.82], "b": [0.79, 0.80, 0.78, 0.81, 0.80]}
CELLS = {"a": [[0.5, 0.75, 0.5], [0.5, 1.0, 0.25]], "b": [[0.5, 0.5, 0.25], [0.25, 0.5, 0.5]]}
TABLE = {f"d{place}": {"a": a, "b": b} for place, (a, b) in enumerate(zip(RUNS["a"], RUNS["b"], strict=True))}
JUDGED = [("a", "b", "a")] * 9 + [("b", "a", "b")] * 5 + [("a", "b", "tie")] * 3


def study() -> bb.results.StudyComparison:
    with tempfile.TemporaryDirectory() as folder:
        made = bb.Study(Path(folder) / "s")
        made.add("h0", run=0, predictions=SYSTEMS["b"], gold=GOLD, baseline=True)
        made.add("h1", run=0, predictions=SYSTEMS["a"])
        return made.compare(metric="accuracy", n_resamples=99)


def monitored() -> bb.Monitor:
    made = bb.Monitor(["a", "b"], bounds=(0, 1), n_items=20, margin=0.05)
    for item, gold in enumerate(GOLD):
        made.add(f"q{7 * item % 20}", {name: int(SYSTEMS[name][item] == gold) for name in "ab"})
    return made


def file_check() -> bb.results.FileCheck:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "labels.csv"
        rows = [
            f"{i},{gold},{SYSTEMS['a'][i]},{SYSTEMS['b'][i]},{'mn'[i % 2]}" for i, gold in enumerate(GOLD)
        ]
        path.write_text("\n".join(["id,label,a,b,topic", *rows]), encoding="utf-8")
        return bb.check(path)


RESULTS: dict[str, Callable[[], Any]] = {
    "Advice": lambda: bb.advise("accuracy", n_items=100),
    "Agreement": lambda: bb.agreement({"ann": GOLD, "ben": SYSTEMS["a"], "cem": SYSTEMS["b"]}),
    "Allocation": lambda: bb.allocate(
        bb.planning.RunsAndItems(0.02, 0.4, 0.01, 0.3), 100, run_cost=10, answer_cost=0.1
    ),
    "AttemptsComparison": lambda: bb.compare_attempts(
        {"a": [(5, 1), (5, 3), (5, 0), (6, 5)] * 5, "b": [(5, 5), (5, 0), (5, 0), (7, 2)] * 5}
    ),
    "ChosenItems": lambda: bb.choose_items({"a": range(12), "b": [3] * 12}, 6, stratify_by="score", n_bins=2),
    "Comparison": lambda: bb.compare(SYSTEMS, GOLD, n_resamples=99),
    "DatasetComparison": lambda: bb.compare_datasets(TABLE, outer="dataset", n_resamples=99),
    "FacetedAllocation": lambda: bb.allocate(
        bb.planning.FacetedScores(0.1, {"prompt": 0.002, "item": 0.1}, {"prompt": 5}),
        90,
        costs={"prompt": 4, "call": 0.1},
    ),
    "FacetsComparison": lambda: bb.compare_facets(CELLS, facets="prompt", n_resamples=99),
    "FileCheck": file_check,
    "FoldComparison": lambda: bb.compare_folds(RUNS),
    "Frontier": lambda: bb.frontier(SYSTEMS, GOLD, cost={"a": 3.0, "b": 1.0}, margin=0.5, n_resamples=99),
    "Gate": lambda: bb.gate(SYSTEMS, GOLD, n_resamples=99),
    "JudgedComparison": lambda: bb.compare_judged(
        {"a": [1, 0] * 10, "b": [1, 1, 0, 1] * 5},
        {"a": [1, 0] * 4 + [None] * 12, "b": [0, 1] * 4 + [None] * 12},
        labels_drawn="random",
    ),
    "LabelAllocation": lambda: bb.allocate(
        bb.planning.JudgedScores(0.5, 0.8), 100, judge_cost=0.01, label_cost=0.5
    ),
    "LabelPlan": lambda: bb.plan_labels(bb.planning.JudgedScores(0.5, 0.8, 1000), half_width=0.05),
    "MonitoredComparison": lambda: monitored().result(),
    "Normality": lambda: bb.normality(RUNS["a"], n_resamples=99),
    "Plan": lambda: bb.power(bb.planning.PairedProportions(0.8, 0.7, 0.8), 100),
    "PreferenceComparison": lambda: bb.compare_preferences(JUDGED, n_resamples=99),
    "PublishedComparison": lambda: bb.compare_published({"a": SYSTEMS["a"]}, GOLD, published="70%"),
    "PublishedScores": lambda: bb.compare_published(scores={"a": "70%", "b": "60%"}, n_items=100),
    "Replicability": lambda: bb.replicability({"x": 0.01, "y": 0.2}),
    "RunsComparison": lambda: bb.compare_runs(RUNS, n_resamples=99),
    "SlicesComparison": lambda: bb.compare_slices(
        SYSTEMS, GOLD, by={"half": ["x", "y"] * 10}, n_resamples=99
    ),
    "StochasticOrder": lambda: bb.aso(RUNS["a"], RUNS["b"], n_resamples=99),
    "StochasticOrders": lambda: bb.multi_aso(RUNS, n_resamples=99),
    "StudyComparison": study,
}
"""A small instance of every result class, by the name of the class."""

WRITERS = ("to_json", "to_csv", "to_markdown", "to_latex", "to_html")
SHOWN = (
    *WRITERS,
    "to_dict",
    "to_frame",
    "plot",
    "__str__",
    "_repr_html_",
    "notes",
    "signature",
    "provenance",
)
"""What every result has."""

PAIRED = ("find", "__getitem__", "__iter__", "__len__")
"""What the results that compare pairs of systems have, too."""

OF_PAIRS = {
    "Comparison",
    "DatasetComparison",
    "FoldComparison",
    "JudgedComparison",
    "PreferenceComparison",
    "RunsComparison",
    "StochasticOrders",
    "StudyComparison",
}

GAPS: dict[str, set[str]] = {}
"""What a class lacks today."""


@cache
def instance(name: str) -> Any:
    """Return the instance of a class, made once."""
    return RESULTS[name]()


@cache
def page(name: str) -> str:
    """Return the HTML page of the instance of a class, drawn once."""
    text: str = instance(name).to_html()
    return text


def has(result: Any, name: str) -> bool:
    """Return whether a result has something; the `__str__` of `object` does not count."""
    return hasattr(result, name) and getattr(type(result), name, None) is not getattr(object, name, object)


def classes_with(name: str) -> list[str]:
    """Return the classes that have something."""
    return [one for one in RESULTS if name not in GAPS.get(one, ())]


def test_every_result_has_an_entry() -> None:
    public = [getattr(room, name) for room in (bb, bb.planning, bb.results) for name in room.__all__]
    assert {one.__name__ for one in public if hasattr(one, "to_json")} == set(RESULTS)


@pytest.mark.parametrize("name", RESULTS)
def test_surface(name: str) -> None:
    result = instance(name)
    assert type(result) is getattr(bb.results, name)
    expected = {*SHOWN, *(PAIRED if name in OF_PAIRS else ())}
    missing = {part for part in expected if not has(result, part)}
    assert missing == GAPS.get(name, set())


@pytest.mark.parametrize("name", classes_with("to_json"))
def test_json_parses(name: str) -> None:
    result = instance(name)
    text = result.to_json()
    assert json.loads(text) == json.loads(json.dumps(result.to_dict()))
    assert "NaN" not in text
    assert "Infinity" not in text


@pytest.mark.parametrize("name", classes_with("to_csv"))
def test_csv_and_frame_have_the_same_rows(name: str) -> None:
    rows = list(csv.DictReader(io.StringIO(instance(name).to_csv()), strict=True))
    assert rows
    assert all(None not in row and None not in row.values() for row in rows)
    frame = instance(name).to_frame()
    assert len(frame) == len(rows)
    assert list(frame.columns) == list(rows[0])


@pytest.mark.parametrize("name", RESULTS)
def test_writers_write_what_they_return(name: str, tmp_path: Path) -> None:
    path = tmp_path / "result"
    for writer in {*WRITERS} - GAPS.get(name, set()):
        text = getattr(instance(name), writer)(path)
        assert text.strip(), writer
        assert path.read_text(encoding="utf-8") == text, writer


@pytest.mark.parametrize("name", RESULTS)
def test_shown_as_text_and_html(name: str) -> None:
    for shown in ("__str__", "_repr_html_"):
        if shown not in GAPS.get(name, ()):
            assert getattr(instance(name), shown)().strip()


@pytest.mark.parametrize("name", RESULTS)
def test_notes_and_signature(name: str) -> None:
    result, gaps = instance(name), GAPS.get(name, set())
    if "notes" not in gaps:
        assert isinstance(result.notes, tuple)
        assert all(isinstance(note, bb.results.Note) for note in result.notes)
    if "signature" not in gaps:
        assert result.signature.startswith(f"bestby:{bb.__version__}|")


@pytest.mark.parametrize("name", RESULTS)
def test_a_written_result_is_loaded_as_an_equal_one(name: str, tmp_path: Path) -> None:
    result = instance(name)
    text = result.to_json(tmp_path / "result.json")
    for source in (text, tmp_path / "result.json", str(tmp_path / "result.json"), result.to_dict()):
        loaded = bb.load(source)
        assert type(loaded) is type(result)
        assert loaded == result
        assert hash(loaded) == hash(result)
    assert loaded.to_json() == text
    assert str(loaded) == str(result)
    assert loaded.to_html() == page(name)


@pytest.mark.parametrize("name", RESULTS)
def test_the_short_form_is_one_line(name: str) -> None:
    short = repr(instance(name))
    assert short.startswith(f"<{name}: ")
    assert short.endswith(".>")
    assert "\n" not in short


@pytest.mark.parametrize("name", RESULTS)
def test_results_that_differ_are_not_equal(name: str) -> None:
    result = instance(name)
    assert result != name
    provenance = dataclasses.replace(result.provenance, seed=result.provenance.seed + 1)
    assert dataclasses.replace(result, provenance=provenance) != result


@pytest.mark.parametrize("name", sorted(OF_PAIRS - {"StochasticOrders"}))
def test_scores_as_frame_and_csv(name: str) -> None:
    result = instance(name)
    frame = result.to_frame("scores")
    assert {"system", "score"} <= set(frame.columns)
    rows = list(csv.DictReader(io.StringIO(result.to_csv(what="scores")), strict=True))
    assert list(rows[0]) == list(frame.columns)
    assert [float(row["score"]) for row in rows] == frame["score"].tolist()
    first = next(iter(result))
    differences = result.to_frame()
    assert differences["score_a"][0] == first.score_a
    assert differences["score_b"][0] == first.score_b
    found = frame[frame["system"] == first.a]["score"]
    assert found.iloc[0] == first.score_a


@pytest.mark.parametrize("name", sorted(OF_PAIRS - {"StochasticOrders"}))
def test_find_looks_in_one_direction(name: str) -> None:
    result = instance(name)
    first = next(iter(result))
    assert result.find(first.metric, first.a, first.b) is first
    assert result.find(first.metric, first.b, first.a) is None
    assert result[first.b, first.a, first.metric] == first.mirrored()
    with pytest.raises(bb.errors.InvalidInputError, match="no difference between"):
        result["neither", "nor"]


@pytest.mark.parametrize("name", sorted(OF_PAIRS))
def test_lookup_and_iteration(name: str) -> None:
    result, gaps = instance(name), GAPS.get(name, set())
    first, second = ("h1", "h0") if name == "StudyComparison" else ("a", "b")
    pair = result[first, second]
    assert (pair.a, pair.b) == (first, second)
    if "__iter__" not in gaps:
        assert any({one.a, one.b} == {first, second} for one in result)
        assert len(list(result)) == len(result)
