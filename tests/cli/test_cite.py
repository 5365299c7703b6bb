"""`bestby cite`: all works, those of a result, and the paragraph that cites them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bestby as bb
from bestby.cli import main
from bestby.cli.cite import FORMS
from bestby.report.references import STYLES, bibtex


@pytest.fixture
def result(tmp_path: Path) -> tuple[str, bb.results.Comparison]:
    made = bb.compare({"new": [1, 1, 0, 1, 1, 1], "old": [1, 0, 0, 1, 0, 1]}, n_resamples=99)
    path = tmp_path / "result.json"
    made.to_json(path)
    return str(path), made


def test_all_works(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cite"]) == 0
    assert capsys.readouterr().out == bibtex()


def test_those_of_a_result(
    result: tuple[str, bb.results.Comparison], capsys: pytest.CaptureFixture[str]
) -> None:
    path, made = result
    assert main(["cite", path]) == 0
    assert capsys.readouterr().out == made.citations()
    assert ("bibtex", *STYLES) == FORMS
    for style in STYLES:
        assert main(["cite", path, "--as", style]) == 0
        assert capsys.readouterr().out == made.methods(style) + "\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--as", "text"], "--as text needs RESULT"),
        (["no.json"], "no file 'no.json'"),
        (["no.json", "--as", "word"], "--as must be one of bibtex, text, latex, markdown, got 'word'"),
    ],
)
def test_what_it_refuses(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cite", *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert len(error.splitlines()) <= 2


def test_a_file_that_is_no_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "other.json"
    path.write_text(json.dumps({"a": 1}), encoding="utf-8")
    assert main(["cite", str(path)]) == 2
    assert "is not a result of bestby" in capsys.readouterr().err
