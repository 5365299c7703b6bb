"""Every command and option is in the help and in the documentation."""

# ruff: noqa: E501 - rows of tables
from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer.main
from tests.cli.helpers import Run

from bestby import __version__
from bestby.cli import app, main
from bestby.vocabulary import choices

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "cli.md"
COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]
EXPECTED = set(
    """--alternative --annotators --baseline --blocks --classes --cluster --correction --csv --csv-safe --format --gold --help --html
--interval --item --jobs --json --latex --level --margin --markdown --metric --missing-value --no-rescale --normalise --on-missing --option
--plot --resample-annotators --resample-size --resamples --seed --simultaneous --stratum --stream --system --system-column --test --top
--value-column""".split()  # noqa: SIM905
)


def _page(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main([*arguments, "--help"]) == 0
    return capsys.readouterr().out


def test_the_options_of_compare(capsys: pytest.CaptureFixture[str]) -> None:
    assert set(re.findall(r"^  (?:-h, )?(--[a-z-]+)", _page(capsys, "compare"), re.MULTILINE)) == EXPECTED


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_and_option_is_explained_and_documented(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    documented = PAGE.read_text(encoding="utf-8")
    in_one_line = " ".join(documented.split())
    assert f"## bestby {name}\n" in documented
    assert COMMANDS[name].help.strip()
    shown = _page(capsys, name)
    for parameter in COMMANDS[name].params:
        for option in parameter.opts:
            if option.startswith("--"):
                assert parameter.help.strip().endswith("."), option
                assert f"  {option}" in shown
                assert f"{option} " in documented
                assert parameter.help in in_one_line, "run python docs/make_cli_page.py"


@pytest.mark.parametrize("arguments", [[], ["compare"], ["metrics"]])
def test_the_page_is_made_of_the_help(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    documented = PAGE.read_text(encoding="utf-8").splitlines()
    body = [line for line in _page(capsys, *arguments).splitlines() if not line.startswith("Usage")]
    missing = [line for line in body if line.rstrip() not in documented]
    assert not missing, "run python docs/make_cli_page.py"


def test_help_is_the_same_in_any_terminal(run: Run) -> None:
    plain = run("compare", "--help")
    assert plain.returncode == 0
    assert (
        plain.stdout == run("compare", "--help", COLUMNS="40", FORCE_COLOR="1", TERM="xterm-256color").stdout
    )
    assert "\x1b" not in plain.stdout
    assert max(map(len, plain.stdout.splitlines())) <= 100


def test_no_arguments_show_the_help_and_are_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Usage: bestby" in captured.err


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"bestby {__version__}\n"


def test_metrics(capsys: pytest.CaptureFixture[str]) -> None:
    from bestby.metrics.registry import list_metrics

    assert main(["metrics"]) == 0
    header, *lines = capsys.readouterr().out.splitlines()
    assert header.split() == ["metric", "better", "measures"]
    assert [line.split()[0] for line in lines] == [row.name for row in list_metrics()]
    assert next(line for line in lines if line.startswith("rmse")).split()[1] == "lower"


def test_the_room_itself_imports_nothing_heavy() -> None:
    code = (
        "import sys, types\n"
        "package = types.ModuleType('bestby'); package.__path__ = [sys.argv[1]]; sys.modules['bestby'] = package\n"
        "import bestby.cli.commands\n"
        "print(*sorted({'numpy', 'scipy', 'duckdb', 'rich', 'matplotlib', 'pandas', 'numba'} & set(sys.modules)))\n"
    )
    folder = str(Path(sys.modules["bestby"].__file__ or "").parent)
    done = subprocess.run([sys.executable, "-c", code, folder], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


@pytest.mark.parametrize("option", ["interval", "test", "alternative", "correction"])
def test_every_choice_is_in_the_help(option: str) -> None:
    (parameter,) = [one for one in COMMANDS["compare"].params if one.name == option]
    assert parameter.help.startswith(choices(option, "items"))
