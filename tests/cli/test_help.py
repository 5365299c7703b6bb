"""Every command and option is in the help and in the documentation."""

# ruff: noqa: E501 - rows of tables
from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer.main
from tests.cli.helpers import Run

from bestby import __version__
from bestby.cli import app, main
from bestby.cli.commands import all_words
from bestby.vocabulary import NONE, SKIPPABLE, allowed_names

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "cli.md"
GROUP: Any = typer.main.get_command(app)
GROUPS = [(), *((name,) for name in GROUP.list_commands(None) if (name,) not in all_words())]
PAGES = [*GROUPS, *all_words()]
EXPECTED = set(
    """--alternative --annotators --baseline --blocks --brief --cache --classes --cluster --correction --csv --csv-safe --csv-scores --details --focus --format --gold --help --higher-is-better --html
--ignore --interval --item --items --jobs --json --label --label-separator --latex --latex-caption --latex-digits --latex-label --latex-part --latex-wide --level --lower-is-better --margin --markdown --metric --missing-value --no-rescale --normalise --on-missing --option
--percent --plot --plot-font --plot-kind --plot-width --resample-annotators --resample-size --resamples --seed --simultaneous --stratum --stream --system --system-column --test --top
--value-column""".split()  # noqa: SIM905
)


@pytest.fixture(autouse=True)
def _width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")  # as in the documentation


def _page(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main([*arguments, "--help"]) == 0
    return capsys.readouterr().out


def test_the_options_of_compare(capsys: pytest.CaptureFixture[str]) -> None:
    assert set(re.findall(r"^  (?:-h, )?(--[a-z-]+)", _page(capsys, "compare"), re.MULTILINE)) == EXPECTED


@pytest.mark.parametrize("words", PAGES, ids=" ".join)
def test_every_command_and_option_is_explained_and_documented(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    documented = PAGE.read_text(encoding="utf-8")
    assert f"## {' '.join(('bestby', *words))}\n" in documented, "run python docs/make_cli_page.py"
    shown = _page(capsys, *words)
    assert shown.strip() in documented, "run python docs/make_cli_page.py"
    assert "(default: )" not in shown
    examples = shown.partition("Examples:\n")[2].partition("\n\n")[0]
    commands = re.findall(r"^( *)bestby ", examples, re.MULTILINE)
    assert len({*commands}) == bool(commands), "examples stand one below the other"
    command = GROUP
    for word in words:
        command = command.get_command(None, word)
    assert command.help.strip()
    for parameter in command.params:
        for option in parameter.opts:
            if option.startswith("--"):
                assert parameter.help.strip().endswith("."), option
                assert f"  {option}" in shown


@pytest.mark.parametrize("arguments", PAGES, ids=" ".join)
def test_help_fits_the_terminal(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for width in (70, 80):
        monkeypatch.setenv("COLUMNS", str(width))
        before, _, after = _page(capsys, *arguments).partition("Examples:")
        examples, _, options = after.partition("\n\n")
        assert max(map(len, (before + options).splitlines())) <= width
        assert max(map(len, examples.splitlines()), default=0) <= 80
    monkeypatch.setenv("COLUMNS", "300")
    assert max(map(len, _page(capsys, *arguments).splitlines())) <= 100


def test_help_is_plain_text_of_80_columns_in_a_pipe(run: Run) -> None:
    plain = run("compare", "--help")
    assert plain.returncode == 0
    assert (
        plain.stdout == run("compare", "--help", COLUMNS="80", FORCE_COLOR="1", TERM="xterm-256color").stdout
    )
    assert "\x1b" not in plain.stdout
    assert max(map(len, plain.stdout.splitlines())) <= 80


@pytest.mark.parametrize("name", ["compare", "datasets", "folds", "runs", "preferences"])
def test_common_options_stand_above_a_line_and_the_others_under_headings(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    page = _page(capsys, name)
    headings = re.findall(r"^([A-Z][a-z]+):$", page, re.MULTILINE)
    assert headings == ["Options", "Data", "Statistics", "Output"]
    common, others = re.split(r"^-+$", page.partition("\nOptions:\n")[2], flags=re.MULTILINE)
    options = re.findall(r"^  (?:-h, )?(--[a-z-]+)", common, re.MULTILINE)
    assert {"--item", "--system", "--margin", "--json", "--html", "--plot", "--help"} <= {*options}
    assert 10 <= len(options) <= 13
    sections = dict(
        zip(headings[1:], re.split(r"^[A-Z][a-z]+:$", others, flags=re.MULTILINE)[1:], strict=True)
    )
    assert "--cluster COLUMN" in sections["Data"]
    assert {"--resamples N", "--level P", "--seed N"} <= {
        *re.findall(r"--[a-z]+ [A-Z]", sections["Statistics"])
    }
    assert "--latex FILE|-" in sections["Output"]


def test_help_is_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    for words in ((), ("compare",), ("judged",), ("judged", "plan")):
        assert main(["help", *words]) == 0
        assert capsys.readouterr().out == _page(capsys, *words)
    assert main(["help", "comapre"]) == 2
    assert "Did you mean 'compare'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("choose s.csv --n 5", "judged choose s.csv --n 5"),
        ("judged j.csv --labels-drawn random", "judged compare j.csv --labels-drawn random"),
        ("judged --labels-drawn random j.csv", "judged compare --labels-drawn random j.csv"),
        ("plan --labels --sd .5", "judged plan --sd .5"),
    ],
)
def test_an_old_name_of_a_command_is_answered_by_the_new_one(
    old: str, new: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(old.split()) == 2
    message, hint = capsys.readouterr().err.splitlines()
    assert message.startswith("UsageError: 'bestby ")
    assert hint == f"hint: bestby {new}"


@pytest.mark.parametrize("arguments", [[], ["study"]])
def test_no_command_shows_the_help(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 0
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == (_page(capsys, *arguments), "")


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"bestby {__version__}\n"


def test_metrics(capsys: pytest.CaptureFixture[str]) -> None:
    from bestby.metrics.registry import list_metrics

    assert main(["metrics"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert max(map(len, shown)) <= 80
    lines = [line for line in shown if re.match(r"  \S", line)]
    assert sorted(line.split()[0] for line in lines) == sorted(row.name for row in list_metrics())
    assert next(line for line in lines if line.startswith("  rmse ")).split()[1] == "lower"


def test_a_help_page_imports_nothing_heavy() -> None:
    """One process shows every page: what a page imports is there after it."""
    code = (
        "import json, sys, bestby.cli\n"
        "heavy = {'numpy', 'scipy', 'duckdb', 'rich', 'matplotlib', 'pandas', 'narwhals'}\n"
        "for words in json.loads(sys.argv[1]):\n"
        "    print(bestby.cli.main([*words, '--help']), words, *sorted(heavy & set(sys.modules)), file=sys.stderr)\n"
    )
    pages = [[*words] for words in PAGES[1:]]
    command = [sys.executable, "-c", code, json.dumps(pages)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr.splitlines() == [f"0 {words}" for words in pages]


@pytest.mark.parametrize("option", ["interval", "test", "alternative", "correction"])
def test_every_choice_is_in_the_help(option: str) -> None:
    compare = GROUP.get_command(None, "compare")
    (parameter,) = [one for one in compare.params if one.name == option]
    first, *most, last = (
        *allowed_names(option, "items"),
        *([NONE] if f"items.{option}" in SKIPPABLE else []),
    )
    assert parameter.metavar.startswith(f"{{{first},")
    assert parameter.help.partition(": ")[2].startswith(f"{', '.join([first, *most])} or {last}")


def test_a_few_choices_stand_beside_the_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert "  --datasets {fixed,auto,random}      Whether" in _page(capsys, "datasets")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("comp", {"compare"}),
        ("study re", {"remove"}),
        ("compare x.csv --int", {"--interval"}),
        ("compare x.csv --correction b", {"bonferroni", "bh"}),
        ("compare x.csv --test mc", {"mcnemar", "mcnemar-midp"}),
        ("compare x.csv --interval t", {"tango", "two-way"}),
        ("folds x.csv --test 5", {"5x2cv-f", "5x2cv-t"}),
        ("compare x.csv --metric f1_mi", {"f1_micro"}),
        ("runs x.csv --plot-kind q", {"quantiles"}),
    ],
)
def test_the_shell_completes(run: Run, words: str, expected: set[str]) -> None:
    count = len(words.split()) if not words.endswith(" ") else len(words.split()) + 1
    done = run(_BESTBY_COMPLETE="complete_bash", COMP_WORDS=f"bestby {words}", COMP_CWORD=str(count))
    assert (done.returncode, done.stderr) == (0, "")
    assert set(done.stdout.split()) == expected


def test_the_script_of_the_completion(run: Run) -> None:
    for shell in ("bash", "zsh", "fish"):
        done = run(_BESTBY_COMPLETE=f"source_{shell}")
        assert done.returncode == 0
        assert f"_BESTBY_COMPLETE=complete_{shell}" in done.stdout


def test_the_package_is_the_command():
    made = subprocess.run([sys.executable, "-m", "bestby", "compare"], capture_output=True, text=True)
    assert made.returncode == 2
    assert "bestby compare --help" in made.stderr
    shown = subprocess.run([sys.executable, "-m", "bestby", "--version"], capture_output=True, text=True)
    assert shown.stdout == f"bestby {__version__}\n"
