"""Every option of ``bestby compare`` changes the JSON, is refused, or is known to change nothing in it.

A new option must be put into one of the three tables: a test fails until it is.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer

from bestby.cli import app, main

N = 60
TABLE = "predictions.csv"
GOLD = ["--gold", "label"]
DRAWN = ["--interval", "percentile"]
PLAIN = [TABLE, *GOLD, "--system", "a", "--system", "b", "--system", "c", "--metric", "f1_macro"]
LONG = ["long.csv", "--gold", "gold", "--metric", "f1_macro"]

CHANGES: dict[str, tuple[list[str], list[str]]] = {
    "--gold": ([TABLE, "--gold", "other", *PLAIN[3:]], PLAIN),
    "--metric": ([*PLAIN, "--metric", "accuracy"], PLAIN),
    "--system": (PLAIN[:7] + PLAIN[9:], PLAIN),
    "--baseline": ([*PLAIN, "--baseline", "a"], PLAIN),
    "--focus": ([*PLAIN, "--focus", "b"], PLAIN),
    "--ignore": (
        ["holes.csv", *GOLD, "--on-missing", "drop", "--ignore", "c*"],
        ["holes.csv", *GOLD, "--on-missing", "drop"],
    ),
    "--cluster": ([*PLAIN, "--cluster", "group"], PLAIN),
    "--stratum": ([*PLAIN, "--stratum", "half"], PLAIN),
    "--blocks": ([*PLAIN, "--blocks", "5"], PLAIN),
    "--system-column": ([*LONG, "--system-column", "again"], LONG),
    "--value-column": ([*LONG, "--value-column", "second"], LONG),
    "--on-missing": (
        ["holes.csv", *GOLD, "--on-missing", "drop"],
        ["holes.csv", *GOLD, "--on-missing", "worst"],
    ),
    "--missing-value": (
        ["holes.csv", *GOLD, "--on-missing", "drop", "--missing-value", ""],
        ["holes.csv", *GOLD, "--on-missing", "drop"],
    ),
    "--classes": (
        ["a=rows_a.txt", "b=rows_b.txt", "--gold", "gold.txt", "--metric", "log_loss", "--classes", "no,yes"],
        ["a=rows_b.txt", "b=rows_a.txt", "--gold", "gold.txt", "--metric", "log_loss", "--classes", "yes,no"],
    ),
    "--resample-annotators": (
        [TABLE, "--annotators", "label,other", "--system", "a", "--system", "b", "--metric", "f1_macro",
         "--resample-annotators"],
        [TABLE, "--annotators", "label,other", "--system", "a", "--system", "b", "--metric", "f1_macro"],
    ),
    "--annotators": (
        [TABLE, "--annotators", "label,other", "--system", "a", "--system", "b"],
        [TABLE, *GOLD, "--system", "a", "--system", "b"],
    ),
    "--interval": ([*PLAIN, *DRAWN], PLAIN),
    "--level": ([*PLAIN, "--level", "0.8"], PLAIN),
    "--simultaneous": ([*PLAIN, "--simultaneous"], PLAIN),
    "--test": ([*PLAIN, "--test", "wald"], PLAIN),
    "--alternative": ([*PLAIN, "--alternative", "greater"], PLAIN),
    "--correction": ([*PLAIN, "--correction", "none"], PLAIN),
    "--margin": ([*PLAIN, "--margin", "0.1"], PLAIN),
    "--resamples": ([*PLAIN, *DRAWN, "--resamples", "120"], [*PLAIN, *DRAWN]),
    "--resample-size": ([*PLAIN, *DRAWN, "--resample-size", "0.5"], [*PLAIN, *DRAWN]),
    "--no-rescale": (
        [*PLAIN, *DRAWN, "--resample-size", "0.5", "--no-rescale"],
        [*PLAIN, *DRAWN, "--resample-size", "0.5"],
    ),
    "--seed": ([*PLAIN, *DRAWN, "--seed", "3"], [*PLAIN, *DRAWN]),
    "--format": ([*PLAIN, "--format", "nonsense"], PLAIN),
    "--normalise": (
        ["a=sums.txt", "b=rows_b.txt", "--gold", "gold.txt", "--metric", "log_loss", "--classes", "no,yes",
         "--normalise"],
        ["a=sums.txt", "b=rows_b.txt", "--gold", "gold.txt", "--metric", "log_loss", "--classes", "no,yes"],
    ),
}  # fmt: skip
"""Per option two commands whose JSON differs; one of them may be refused."""

MAY_BE_REFUSED = {"--format", "--normalise"}
"""Options of which one of the two commands is refused: an unknown format, rows that do not sum to 1."""

REFUSED = {
    "--normalise": [*PLAIN, "--normalise"],
    "--no-rescale": [*PLAIN, "--no-rescale"],
    "--higher-is-better": [*PLAIN, "--higher-is-better", "--lower-is-better"],
    "--lower-is-better": [*PLAIN, "--lower-is-better"],
    "--simultaneous": [*PLAIN, "--simultaneous", "--correction", "bh"],
    "--option": [*PLAIN, "--option", "what=ever"],
    "--csv-safe": [*PLAIN, "--csv-safe"],
    "--brief": [*PLAIN, "--brief", "--details"],
    "--details": [*PLAIN, "--brief", "--details"],
    "--top": [*PLAIN, "--top", "0"],
    "--label-separator": [*PLAIN, "--label-separator", "|"],
}
"""Commands in which an option would have no effect, or makes no sense."""

NEUTRAL = {
    "--jobs": ["--jobs", "3"],
    "--cache": ["--cache", "counts"],
    "--top": ["--top", "2"],
    "--item": ["--item", "id"],
    "--csv": ["--csv", "out.csv"],
    "--csv-scores": ["--csv-scores", "scores.csv"],
    "--markdown": ["--markdown", "out.md"],
    "--label": ["--label", "a=A+"],
    "--latex": ["--latex", "out.tex"],
    "--latex-part": ["--latex", "out.tex", "--latex-part", "scores"],
    "--latex-wide": ["--latex", "out.tex", "--latex-wide"],
    "--latex-label": ["--latex", "out.tex", "--latex-label", "tab:all"],
    "--latex-caption": ["--latex", "out.tex", "--latex-part", "scores", "--latex-caption", "Scores."],
    "--latex-digits": ["--latex", "out.tex", "--latex-digits", "2"],
    "--plot-kind": ["--plot", "out.png", "--plot-kind", "systems"],
    "--plot-width": ["--plot", "out.png", "--plot-width", "column"],
    "--plot-font": ["--plot", "out.png", "--plot-font", "serif"],
    "--percent": ["--percent"],
    "--brief": ["--brief"],
    "--details": ["--details"],
    "--items": ["--html", "out.html", "--items"],
    "--html": ["--html", "out.html"],
    "--plot": ["--plot", "out.png"],
    "--stream": ["--stream"],
}
"""Options that change no number."""

NO_CASE = {"paths", "--json"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("options")
    rng = np.random.default_rng(4)
    gold = rng.choice(["no", "yes"], N)

    def noisy(rate: float) -> Any:
        return np.where(rng.random(N) < rate, rng.choice(["no", "yes"], N), gold)

    systems = {"a": noisy(0.2), "b": noisy(0.4), "c": noisy(0.7)}
    half = [f"h{i % 2}" for i in range(N)]
    columns = {
        "id": [f"q{i}" for i in range(N)], "label": gold, "other": noisy(0.3),
        "group": [f"g{i // 3}" for i in range(N)], "half": half, **systems,
    }  # fmt: skip
    _write(folder / TABLE, columns)
    _write(
        folder / "holes.csv",
        {"label": gold, **systems, "c": ["NA" if i < 4 else v for i, v in enumerate(systems["c"])]},
    )
    _write(folder / "long.csv", {
        "item": [f"q{i}" for i in range(N)] * 2, "gold": [*gold] * 2,
        "system": ["x"] * N + ["y"] * N, "again": ["x"] * N + ["z"] * N,
        "prediction": [*systems["a"], *systems["b"]], "second": [*systems["b"], *systems["c"]],
    })  # fmt: skip
    (folder / "gold.txt").write_text("\n".join(gold) + "\n", encoding="utf-8")
    for name, total in (("rows_a", 1.0), ("rows_b", 1.0), ("sums", 2.0)):
        p = np.round(np.clip((gold == "yes") * 0.6 + rng.uniform(0.1, 0.3, N), 0.05, 0.95), 3)
        lines = [f"{total * (1 - one):.3f} {total * one:.3f}" for one in p]
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def _write(path: Path, columns: dict[str, Any]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def _numbers(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str | None:
    """Return systems, differences and notes of the JSON; None if the command is refused."""
    few = [] if "--resamples" in arguments else ["--resamples", "99"]
    status = main(["compare", *arguments, *few, "--json", "-"])
    out = capsys.readouterr().out
    if status != 0:
        assert status == 2
        return None
    document = json.loads(out)
    return json.dumps([document.get(key) for key in ("systems", "differences", "focus", "n_items")])


@pytest.mark.parametrize("option", CHANGES)
def test_an_option_changes_the_json(
    option: str, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    first, second = (_numbers(arguments, capsys) for arguments in CHANGES[option])
    assert first != second
    assert {first, second} - {None}
    assert option in MAY_BE_REFUSED or None not in (first, second)


@pytest.mark.parametrize("option", REFUSED)
def test_an_option_without_effect_is_refused(
    option: str, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    assert _numbers(REFUSED[option], capsys) is None


@pytest.mark.parametrize("option", NEUTRAL)
def test_an_option_of_output_changes_no_number(
    option: str, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    expected = _numbers(PLAIN, capsys)
    assert expected is not None
    assert _numbers([*PLAIN, *NEUTRAL[option]], capsys) == expected


def test_every_option_has_a_case() -> None:
    command: Any = typer.main.get_command(app).get_command(None, "compare")  # type: ignore[attr-defined, arg-type]
    names = {parameter.opts[-1] for parameter in command.params}
    assert names == {*CHANGES, *REFUSED, *NEUTRAL, *NO_CASE}
