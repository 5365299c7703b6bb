"""Whatever the bytes, reading texts, speech, parses and rankings ends with data or with one of our errors."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.unit.readers.damage import damaged

from bestby._core.errors import BestbyError
from bestby.data.evaluation import Evaluation
from bestby.readers.formats import bio, conllu_files, mt_metrics_eval, squad, texts, transcripts, trec
from bestby.readers.formats.base import Read, head_of

pytestmark = pytest.mark.long

_SETTINGS = settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
_WAYS = ("cut", "splice", "insert", "shuffle", "double", "replace", "huge", "pack")
_CONLLU = "# newdoc\n" + "".join(
    f"1\tw{n}\t_\tX\t_\t_\t2\tdep\t_\t_\n2\t.\t_\tX\t_\t_\t0\troot\t_\t_\n\n" for n in range(4)
)
_QAS = [{"id": f"q{n}", "answers": [{"text": "x"}]} for n in range(3)]

FORMATS: dict[str, tuple[ModuleType, str, str]] = {  # reader, a good file of a system, a good gold
    "texts": (texts, "one two three\n\nfour five six\n", "one two\nthree\nfour five\n"),
    "trn": (transcripts, "one (a-1)\ntwo (a-2)\n", "one { two / @ } (a-1)\ntwo (a-2)\n"),
    "ctm": (
        transcripts,
        "t A 1.0 0.5 one 0.9\nt A 3 1 two\n",
        ";; x\nt A s 0 2 <O> one\nt A s 2 4 { a / b }\n",
    ),
    "seg.score": (mt_metrics_eval, "a 1\na 2\nb 0.5\nb None\n", "news d1\nnews d2\n"),
    "trec": (trec, "1 Q0 d1 1 0.5 x\n2 Q0 d1 1 0.25 x\n", "1 0 d1 1\n2 0 d2 1\n"),
    "conllu": (conllu_files, _CONLLU, _CONLLU),
    "bio": (bio, "a B-X O\nb O O\n\nc O S-Y\n", "a B-X\nb O\n\nc O\n"),
    "squad": (
        squad,
        json.dumps({"q0": "x", "q1": "", "q2": "y"}),
        json.dumps({"data": [{"paragraphs": [{"qas": _QAS}]}]}),
    ),
}


def _check_reading(form: str, system: Path, gold: Path) -> None:
    """Check that reading ends with what was read or with an error of ours; any other error fails the test."""
    module = FORMATS[form][0]
    assert module.recognises(system, head_of(system)) in (True, False)
    for on_missing in ("error", "drop", "worst"):
        if form == "seg.score":
            calls = [({"a": system}, {}), ({"a": system}, {"documents": gold})]
        else:
            calls = [
                ({"a": system, "b": system}, {"gold": gold}),
                ({"a": system, "b": gold}, {"gold": system}),
            ]
            calls += [({"a": system, "b": system}, {})] if form == "bio" else []
        for paths, arguments in calls:
            with contextlib.suppress(BestbyError):
                found = module.read(paths, on_missing=on_missing, **arguments)
                assert isinstance(found, Read)
                assert isinstance(found.evaluation, Evaluation)
                n = found.evaluation.n_items
                assert all(group.shape == (n,) for group in found.clusters.values())


@pytest.mark.parametrize("form", FORMATS)
@_SETTINGS
@given(data=st.data())
def test_damaged_files(tmp_path: Path, form: str, data: st.DataObject) -> None:
    _, whole, due = FORMATS[form]
    system, gold = tmp_path / "system.txt", tmp_path / "gold.txt"
    system.write_bytes(data.draw(damaged(whole.encode(), *_WAYS)))
    gold.write_bytes(data.draw(st.one_of(st.just(due.encode()), damaged(due.encode(), *_WAYS))))
    _check_reading(form, system, gold)


@pytest.mark.parametrize("form", FORMATS)
@_SETTINGS
@given(content=st.binary(max_size=200))
def test_random_bytes(tmp_path: Path, form: str, content: bytes) -> None:
    system, gold = tmp_path / "system", tmp_path / "gold"
    system.write_bytes(content)
    gold.write_text(FORMATS[form][2])
    _check_reading(form, system, gold)


@pytest.mark.parametrize("form", FORMATS)
@_SETTINGS
@given(
    content=st.text(
        alphabet=st.sampled_from(list("aB-1.0 \t\n(){}/@#<>\\;:,\"'[]OQ_\u2028\x0cé")), max_size=120
    )
)
def test_text_full_of_signs(tmp_path: Path, form: str, content: str) -> None:
    system, gold = tmp_path / "system", tmp_path / "gold"
    system.write_text(content, encoding="utf-8", newline="")
    gold.write_text(content, encoding="utf-8", newline="")
    _check_reading(form, system, gold)


@pytest.mark.parametrize("form", FORMATS)
def test_good_files_are_read(tmp_path: Path, form: str) -> None:
    """Else the tests above could pass because nothing is ever read."""
    module, whole, due = FORMATS[form]
    system, gold = tmp_path / "system.txt", tmp_path / "gold.txt"
    system.write_text(whole)
    gold.write_text(due)
    paths = {"a": system} if form == "seg.score" else {"a": system, "b": system}
    arguments = {"documents": gold} if form == "seg.score" else {"gold": gold}
    on_missing = "worst" if form == "seg.score" else "error"
    found = module.read(paths, on_missing=on_missing, **arguments)
    assert found.evaluation.n_items >= 2
    assert module.recognises(system, head_of(system)) or module is texts


@pytest.mark.parametrize("form", FORMATS)
def test_files_that_are_not_there(tmp_path: Path, form: str) -> None:
    _check_reading(form, tmp_path / "none", tmp_path / "none")
    _check_reading(form, tmp_path, tmp_path)
