from __future__ import annotations

from pathlib import Path

import pytest

from bestby._core.errors import DesignError, InvalidInputError
from bestby.cli import main
from bestby.cli.errors import in_options

OPTIONS = {
    "format_options": ("--option",),
    "gold": ("--gold",),
    "items": ("--item",),
    "level": ("--level",),
    "missing": ("--missing-value",),
    "n_resamples": ("--resamples",),
    "on_missing": ("--on-missing",),
    "paired": ("--paired",),
    "replace": ("--replace",),
    "stream": ("--stream", "--no-stream"),
    "systems": ("--system",),
    "test": ("--test",),
}


@pytest.mark.parametrize(
    ("hint", "expected"),
    [
        ('pass on_missing="drop" to compare the others', "pass --on-missing drop to compare the others"),
        ("pass gold=... to compare predictions", "pass --gold ... to compare predictions"),
        ("pass replace=True to put it in its place", "pass --replace to put it in its place"),
        ("leave out the runs, or pass paired=False", "leave out the runs, or leave out --paired"),
        ('let blank cells be missing: missing=""', "let blank cells be missing: --missing-value ''"),
        ("choose the columns: systems=[...]", "choose the columns: --system ..."),
        ("at least n_resamples=20_000", "at least --resamples 20_000"),
        ("name it: items=...; its columns are: a, b", "name it: --item ...; its columns are: a, b"),
        ("result['a', 'b'] and a = 3", "result['a', 'b'] and a = 3"),
        ("read it whole: stream=False", "read it whole: --no-stream"),
        ("leave stream=True out", "leave --stream out"),
        ('which one counts: duplicates="max"', "which one counts: --option duplicates=max"),
        ("name their file: documents=FILE", "name their file: --option documents=FILE"),
        ("one row per item (in files: stream=False)", "one row per item (in files: --no-stream)"),
        ('outer="system" is no option of this command', 'outer="system" is no option of this command'),
    ],
)  # fmt: skip
def test_settings_become_options(hint: str, expected: str) -> None:
    assert in_options(InvalidInputError("no", hint=hint), OPTIONS, "bestby compare").hint == expected


@pytest.mark.parametrize(
    ("message", "argument", "expected"),
    [
        ("level must be a number", "level", "--level must be a number"),
        ("gold must be finite", None, "gold must be finite"),
        ("counts must be whole numbers", "counts", "counts must be whole numbers"),
        ("the level is too high", "level", "the level is too high"),
        ("items must be document", "items", "--item must be document"),
        ("test='sign' has no effect on scores", "test", "--test sign has no effect on scores"),
    ],
)
def test_the_argument_of_an_error_becomes_its_option(
    message: str, argument: str | None, expected: str
) -> None:
    error = in_options(DesignError(message, argument=argument), OPTIONS, "bestby runs")
    assert (error.message, error.hint) == (expected, "bestby runs --help")


def test_what_was_read_is_no_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("gold", "a", "b"):
        Path(f"{name}.txt").write_text("0.5\ninf\n0.2\n" if name == "gold" else "1\n2\n3\n", encoding="utf-8")
    assert main(["compare", "a.txt", "b.txt", "--gold", "gold.txt", "--metric", "mse"]) == 2
    assert "Error: gold must be finite" in capsys.readouterr().err


def test_an_option_that_evaluate_lacks_and_compare_has(capsys: pytest.CaptureFixture[str]) -> None:
    for option in ("--baseline", "--test"):
        assert main(["evaluate", "x.csv", option, "a"]) == 2
        assert f"{option} belongs to bestby compare: bestby evaluate" in capsys.readouterr().err
    assert main(["evaluate", "x.csv", "--sed", "1"]) == 2
    assert "--seed" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "option", "value"),
    [
        (["compare", "x.csv", "--level", "high"], "--level", "'high'"),
        (["compare", "x.csv", "--top", "1.5"], "--top", "'1.5'"),
        (["plan", "--accuracy", ".8", "--agreement", ".9"], "--accuracy", "'--agreement'"),
    ],
)
def test_a_value_that_is_no_number_is_shown(
    capsys: pytest.CaptureFixture[str], arguments: list[str], option: str, value: str
) -> None:
    assert main(arguments) == 2
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith(f"UsageError: Invalid value for '{option}': ")
    assert value in first
    assert second == f"hint: bestby {arguments[0]} --help"


@pytest.mark.parametrize(
    "arguments",
    [["compare", "x.csv", "--metric"], ["plan", "--accuracy", ".8"], ["study", "add", "s", "--run"]],
)
def test_an_option_without_its_value_points_to_the_help_of_its_command(
    capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    assert main(arguments) == 2
    words = " ".join(arguments[: 2 if arguments[0] == "study" else 1])
    assert capsys.readouterr().err.splitlines()[1] == f"hint: bestby {words} --help"
