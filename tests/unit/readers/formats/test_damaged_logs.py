"""Whatever a log holds, reading ends with a result or with one of our errors."""

from __future__ import annotations

import contextlib
import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.unit.readers.damage import damaged
from tests.unit.readers.formats import log_files
from tests.unit.readers.formats.test_judged_pairs import arena_hard, mt_bench

from bestby._core.errors import BestbyError
from bestby.readers.formats import (
    alpaca_eval,
    bfcl,
    braintrust,
    deepeval,
    experiment_csv,
    helm,
    human_eval,
    inspect_logs,
    judged_pairs,
    langfuse,
    lm_eval,
    mteb,
    openai_evals,
    phoenix,
    promptfoo,
    pydantic_evals,
    swe_bench,
    tau_bench,
)
from bestby.readers.formats.base import Read, head_of, read_format

pytestmark = pytest.mark.long

_SETTINGS = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
_WAYS = ("cut", "splice", "insert", "flip")
_ROWS = [json.loads(line) for line in log_files.lm_eval([1.0, 0.0, 0.5, 1.0]).split("\n") if line]
_PAIRS = [
    json.loads(line)
    for line in log_files.lm_eval([["a b", "a b"], ["c", "d"]], measure="bleu").split("\n")
    if line
]
_REPORT = {
    "total_instances": 3,
    "submitted_ids": ["a-1", "a-2"],
    "incomplete_ids": ["b-3"],
    "resolved_ids": ["a-1"],
    "schema_version": 2,
}
_CSV = "run_id,experiment_id,status,artifact_uri,metrics.acc,params.model,params.seed\n" + "".join(
    f"r{i},1,FINISHED,x,0.{i},{'ab'[i % 2]},{i}\n" for i in range(8)
)
_EVENTS = [json.loads(line) for line in log_files.openai_evals([True, False, True]).split("\n") if line]
_LANGFUSE = {
    "items": json.loads(
        log_files.langfuse_page(
            log_files.langfuse_items("a", [1, 0]) + log_files.langfuse_items("b", [0, 1], times=2)
        )
    ),
    "result": {
        "run_name": "a",
        "item_results": [
            {"item": {"id": f"q{i}"}, "output": "x", "evaluations": [{"name": "ok", "value": i}]}
            for i in range(3)
        ],
    },
    "scores": [
        log_files.langfuse_run("a", 2),
        json.loads(log_files.langfuse_page(log_files.langfuse_scores("a", [1, "no"]), page=1, totalPages=1)),
    ],
    "traces": [
        {
            "id": f"t{i}",
            "timestamp": "",
            "sessionId": "",
            "bookmarked": False,
            "metadata": {"experiment_run_name": "a", "dataset_item_id": f"q{i}"},
            "ok": [i],
        }
        for i in range(3)
    ],
}
_SAMPLES = Path(__file__).parent / "samples"
_SCORES = _SAMPLES / "bfcl" / "toy-1" / "non_live" / "BFCL_v4_simple_python_score.json"
_FAILED = [json.loads(line) for line in _SCORES.read_text().splitlines()]
_JSON = {
    "lm_eval": (lm_eval, _ROWS),
    "lm_eval pairs": (lm_eval, _PAIRS),
    "inspect": (inspect_logs, log_files.inspect_log([["C", "I", "P"], ["C", "C", "N"]])),
    "helm": (helm, log_files.helm([1.0, 0.0, None])),
    "swe_bench": (swe_bench, _REPORT),
    "promptfoo": (promptfoo, log_files.promptfoo({"m": [1, 0.5, 0], "n": [0, 1, 1]})),
    "deepeval": (deepeval, log_files.deepeval({"Bias": [0.9, 0.1, 0.2]})),
    "openai_evals": (openai_evals, _EVENTS),
    "mteb": (mteb, log_files.mteb("STS22", {"ar": 0.5, "de": 0.25})),
    "tau_bench": (tau_bench, log_files.tau_bench([[1, 0, 1], [0, 0, 1]])),
    **{f"langfuse {name}": (langfuse, log) for name, log in _LANGFUSE.items()},
    **{
        name: (form, json.loads((_SAMPLES / name / "toy-1.json").read_text()))
        for name, form in (
            ("pydantic_evals", pydantic_evals),
            ("braintrust", braintrust),
            ("phoenix", phoenix),
        )
    },
    "evalplus": (human_eval, json.loads((_SAMPLES / "evalplus" / "toy-1.json").read_text())),
    "bfcl": (bfcl, _FAILED),
    "alpaca_eval": (alpaca_eval, log_files.alpaca([1, 2, 1.5])),
    "arena_hard": (judged_pairs, [arena_hard(name, ["A>B", "B>>A"]) for name in "mn"]),
    "mt_bench": (judged_pairs, [mt_bench(81, ["model_1", "tie"]), mt_bench(82, ["error", "model_2"])]),
}
_ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from(
        [[], {}, "", " ", "\ud800", "\0", "C", "1e999", -1, 10**400, 1e308, float("nan"), float("inf")]
    ),
    st.just("x" * 10_000),
    st.just([[[["a"]]]]),
    st.lists(st.one_of(st.integers(), st.text(max_size=3), st.none()), max_size=3),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, one in inner for place in _places(one, (*path, key)))]


def _changed(value: Any, place: tuple[Any, ...], how: str, odd: Any) -> Any:
    """Return the value with what stands at a place replaced, removed or doubled."""
    if not place:
        return odd
    whole = copy.deepcopy(value)
    inner = whole
    for key in place[:-1]:
        inner = inner[key]
    if how == "remove":
        del inner[place[-1]]
    elif how == "double" and isinstance(inner, list):
        inner.append(inner[place[-1]])
    else:
        inner[place[-1]] = odd
    return whole


def _written(value: Any) -> bytes:
    return json.dumps(value).encode()


def _check_reading(form: Any, path: Path, other: Path) -> None:
    """Check that reading ends with what was read or with an error of ours; any other error fails the test."""
    assert form.recognises(path, head_of(path)) in (True, False)
    for on_missing in ("error", "drop", "worst"):
        for paths in ({"a": path, "b": other}, {"a": path}, {"a": other, "b": path}):
            with contextlib.suppress(BestbyError):
                found = read_format(form, paths, on_missing=on_missing)
                assert isinstance(found, Read)
                if found.evaluation is not None:
                    assert found.evaluation.data_hash()
                found.description.encode()


@pytest.mark.parametrize("name", _JSON)
@_SETTINGS
@given(data=st.data())
def test_wrong_types_and_gaps(tmp_path: Path, name: str, data: st.DataObject) -> None:
    form, good = _JSON[name]
    bad = good
    for _ in range(data.draw(st.integers(1, 3))):
        places = _places(bad)
        place = data.draw(st.sampled_from(places))
        bad = _changed(
            bad, place, data.draw(st.sampled_from(["replace", "remove", "double"])), data.draw(_ODD)
        )
    path, other = tmp_path / "bad.json", tmp_path / "good.json"
    path.write_bytes(_written(bad))
    other.write_bytes(_written(good))
    _check_reading(form, path, other)


def test_a_filter_that_is_no_unicode(tmp_path: Path) -> None:
    path, other = tmp_path / "bad.json", tmp_path / "good.json"
    path.write_bytes(_written(_changed(_ROWS, (2, "filter"), "replace", "\ud800")))
    other.write_bytes(_written(_ROWS))
    _check_reading(lm_eval, path, other)


@pytest.mark.parametrize("name", [*_JSON, "eval", "zstd"])
@_SETTINGS
@given(data=st.data())
def test_damaged_bytes(tmp_path: Path, name: str, data: st.DataObject) -> None:
    other = tmp_path / "good"
    if name in ("eval", "zstd"):
        form: Any = inspect_logs
        log_files.zipped(other, log_files.inspect_log([["C", "I"]]), zstd=name == "zstd")
    else:
        form, good = _JSON[name]
        other.write_bytes(_written(good))
    path = tmp_path / "bad"
    path.write_bytes(data.draw(damaged(other.read_bytes(), *_WAYS)))
    _check_reading(form, path, other)


# A table is opened by a database, which takes a while: fewer examples.
@settings(_SETTINGS, max_examples=12)
@given(data=st.data())
def test_damaged_tables_of_runs(tmp_path: Path, data: st.DataObject) -> None:
    path = tmp_path / "bad.csv"
    path.write_bytes(data.draw(damaged(_CSV.encode(), *_WAYS)))
    assert experiment_csv.recognises(path, head_of(path)) in (True, False)
    for arguments in ({}, {"system_column": "model", "value_column": "acc"}):
        with contextlib.suppress(BestbyError):
            assert experiment_csv.read({"a": path}, **arguments).runs


def test_nested_without_end(tmp_path: Path) -> None:
    other = tmp_path / "good"
    for form, good in _JSON.values():
        other.write_bytes(_written(good))
        for text in ("[" * 100_000, '{"a":' * 100_000, "9" * 100_000, '{"doc_id": ' + "9" * 10_000 + "}"):
            path = tmp_path / "bad"
            path.write_text(text)
            _check_reading(form, path, other)


def test_shuffled_lines(tmp_path: Path) -> None:
    lines = [line for line in log_files.lm_eval([1.0, 0.0, 0.5]).split("\n") if line]
    a, b = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    a.write_text("\n".join(lines))
    b.write_text("\n".join(lines[::-1]))
    found = lm_eval.read({"a": a, "b": b})
    assert found.evaluation is not None
    assert found.evaluation.systems["a"].tolist() == found.evaluation.systems["b"].tolist()
