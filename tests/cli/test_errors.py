from __future__ import annotations

from pathlib import Path

import pytest

import bestby
from bestby.cli import main
from bestby.cli.errors import PHRASES, _as_options


@pytest.mark.parametrize(
    ("hint", "expected"),
    [
        (
            'let only blank cells be missing: missing=""',
            "let only blank cells be missing: --missing-value ''",
        ),
        ("choose the columns: systems=[...]", "choose the columns: --system ..."),
        ("at least n_resamples=20_000", "at least --resamples 20_000"),
        ("name it: item=...; its columns are: a, b", "name it: --item ...; its columns are: a, b"),
        ("result['a', 'b'] and a = 3", "result['a', 'b'] and a = 3"),
        ("read it whole: stream=False (--no-stream)", "read it whole: --no-stream"),
        ("leave stream=True (--stream) out", "leave --stream out"),
        (
            "give every item a row (reading files: stream=False)",
            "give every item a row (reading files: --no-stream)",
        ),
    ],
)
def test_arguments_become_options(hint: str, expected: str) -> None:
    assert _as_options(hint) == expected


def test_what_is_reworded_is_still_said() -> None:
    folder = Path(bestby.__file__).parent
    texts = [path.read_text(encoding="utf-8") for path in folder.rglob("*.py") if path.parent.name != "cli"]
    assert all(any(phrase in text for text in texts) for phrase in PHRASES)


@pytest.mark.parametrize(
    ("arguments", "first", "hint"),
    [
        ("plan --accuracy .8 .7 --agreement .8 --comparisons 0", "--comparisons must be a whole", ""),
        ("plan --accuracy 1.8 .7 --agreement .8", "--accuracy must lie in [0, 1], got 1.8", ""),
        ("plan --accuracy .8 .7 --agreement .8 --n 0", "--n must be a whole number", ""),
        ("plan --sd 0 --difference .1", "--sd must be a positive number, got 0.0", "a pilot measures it"),
        ("plan --item-sd 0 --difference .1", "without any variation", "give --item-sd"),
        ("plan runs.csv --lift 1.1 --system a --simulations 0", "--simulations must be a whole number", ""),
        ("runs runs.csv --jobs 0", "--jobs must be a whole number of at least 1, got 0", ""),
        ("runs runs.csv --plot p.svg --figure foo", "--figure must be", ""),
        ("advise --items 5 --differing 9", "9 of 5 items cannot differ", "--differing is at most --items"),
        ("advise --runs 0", "--runs must be a whole number of at least 1, got 0", ""),
        ("preferences runs.csv --on-missing foo", "--on-missing must be one of error, drop, got 'foo'", ""),
    ],
)
def test_messages_name_options(
    arguments: str,
    first: str,
    hint: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("runs.csv").write_text("seed,a,b\n0,0.5,0.7\n1,0.6,0.8\n2,0.55,0.9\n", encoding="utf-8")
    assert main(arguments.split()) == 2
    told = capsys.readouterr().err
    assert f"Error: {first}" in told
    assert f"hint: {hint}" in told


def test_what_was_read_is_no_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("gold", "a", "b"):
        Path(f"{name}.txt").write_text("0.5\ninf\n0.2\n" if name == "gold" else "1\n2\n3\n", encoding="utf-8")
    assert main(["compare", "a.txt", "b.txt", "--gold", "gold.txt", "--metric", "mse"]) == 2
    assert "Error: gold must be finite" in capsys.readouterr().err
