from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from tests.unit.readers.formats.log_files import helm, lm_eval, message
from tests.unit.readers.helpers import Make

from bestby import compare, read
from bestby._core.errors import InvalidInputError
from bestby.readers.formats import base
from bestby.readers.formats import helm as helm_form
from bestby.readers.formats import lm_eval as form
from bestby.readers.formats._logs import Scored
from bestby.readers.paths import default_names


def test_every_format_has_what_a_format_needs() -> None:
    for name in base.FORMATS:
        module = base.format_called(name)
        assert callable(module.recognises)
        assert callable(module.read)
        assert module.__doc__


@pytest.mark.parametrize(
    "head", [b"", b"\0", b"{", b"[", b"[{", b"\xff\xfe", b"PK\x03\x04", b'{"a": ' * 9000]
)
def test_recognising_never_raises(make: Make, head: bytes) -> None:
    assert base.format_in(make("x", head)) is None
    assert base.format_in(Path("no such file")) is None
    assert base.format_in("a\0b") is None


def test_packed_files_are_recognised_by_what_they_hold(make: Make) -> None:
    text = json.dumps(helm([1.0, 0.0])).encode()
    assert base.format_in(make("x.json.gz", gzip.compress(text))) is helm_form
    assert base.format_in(make("y.json.gz", gzip.compress(text)[:20])) is None


def test_a_directory_is_recognised_by_its_files(tmp_path: Path) -> None:
    folder = tmp_path / "out" / "deep"
    folder.mkdir(parents=True)
    assert base.format_in(tmp_path) is None
    (folder / "a.txt").write_text("notes")
    (folder / "samples_x.jsonl").write_text(lm_eval([1.0]))
    assert base.format_in(tmp_path) is form
    files = base.files_of({"A": tmp_path}, form.recognises)
    assert [(file.path.name, file.name, file.named) for file in files] == [("samples_x.jsonl", "A", True)]
    (folder / "samples_x.jsonl").unlink()
    assert message(form, {"A": tmp_path / "out"}) == "out holds no file in this format"


def test_a_name_that_the_file_has_anyhow_is_not_given_by_the_user(make: Make) -> None:
    path = make("log.jsonl", "x")
    plain, with_folder = default_names(path)[:2]
    files = base.files_of({plain: path, with_folder: path, "mine": path}, form.recognises)
    assert [file.named for file in files] == [False, False, True]
    told = [Scored.of(file, [], "told") for file in files]
    assert [one.system for one in told] == ["told", "told", "mine"]
    assert Scored.of(files[0], []).other == plain


def test_no_file(make: Make) -> None:
    with pytest.raises(InvalidInputError, match="no file was given"):
        base.files_of({}, form.recognises)
    with pytest.raises(InvalidInputError, match="no file 'nowhere"):
        base.files_of({"a": Path("nowhere.jsonl")}, form.recognises)


def test_the_door_reads_logs_and_says_so(make: Make) -> None:
    a, b = make("a.jsonl", lm_eval([1.0, 0.0, 1.0])), make("b.jsonl", lm_eval([0.0, 0.0, 1.0]))
    evaluation = read([f"old={a}", f"new={b}"])
    assert evaluation.notes[0].code == "read_as"
    assert "samples of lm-evaluation-harness; metric: acc" in evaluation.notes[0].message
    scores = {one.system: one.score for one in compare(evaluation).systems}
    assert scores == pytest.approx({"old": 2 / 3, "new": 1 / 3})


@pytest.mark.parametrize(
    ("name", "more", "said", "hint"),
    [
        ("gold", {"gold": ["gold.csv"]}, "take no gold", "leave it out; they take clusters, value_column"),
        ("grouping", {"clusters": "speaker"}, "there is no grouping 'speaker' of the items", "these files"),
        ("option", {"valu_column": "x"}, "take no valu_column", "leave it out; they take"),
    ],
)
def test_what_a_format_does_not_take(
    make: Make, name: str, more: dict[str, Any], said: str, hint: str
) -> None:
    path = make("a.json", json.dumps(helm([1.0, 0.0])))
    with pytest.raises(InvalidInputError) as caught:
        base.read_format(helm_form, {"a": path}, **more)
    assert said in caught.value.message, name
    assert str(caught.value.hint).startswith(hint)
