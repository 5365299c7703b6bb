"""Options that commands share: a wrong value is refused in two lines, and every output is written."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.helpers import Run, run_in
from tests.sound_calls import tables

from bestby.cli.commands import record_of
from bestby.cli.options import spellings

ITEMS = "wide.csv --gold gold --item item"
SOUND = {
    "compare": ITEMS,
    "evaluate": ITEMS,
    "gate": f"{ITEMS} --baseline a --candidate b",
    "slices": "wide.csv --gold gold --by item:2",
    "published": f"{ITEMS} --system a --score 75%",
    "datasets": "datasets.csv",
    "folds": "folds.csv",
    "runs": "runs.csv",
    "judged compare": "judged.csv --labels-drawn random",
    "preferences": "wins.csv",
    "judged choose": "judged.csv --value-column judge --n 5",
    "judged plan": "--sd .5 --correlation .8 --judged-items 900 --n 50",
    "plan": "--sd 1 --difference .1",
    "advise": "--items 100",
}
"""Commands that are answered, on the tables of `sound_calls`."""

WRONG = {
    "--level": ["95", "0", "x"],
    "--alternative": ["larger"],
    "--correction": ["fdr"],
    "--margin": ["0", "-1", "inf", "x"],
    "--interval": ["cosy"],
    "--test": ["anova"],
    "--statistic": ["mode"],
    "--resamples": ["0", "1.5"],
    "--resample-size": ["20%", "1"],
    "--seed": ["-1"],
    "--jobs": ["0"],
    "--comparisons": ["0"],
    "--n": ["0"],
    "--power": ["7"],
    "--items": ["0"],
    "--systems": ["1"],
    "--runs": ["0"],
    "--baseline": ["nobody"],
    "--candidate": ["nobody"],
    "--system": ["nobody"],
    "--on-missing": ["skip"],
    "--item": ["nowhere"],
    "--cluster": ["nowhere"],
    "--stratum": ["nowhere"],
    "--top": ["0"],
    "--json": ["no/where", ".", ""],
    "--csv": ["no/where"],
    "--html": ["no/where"],
    "--plot": ["p.jpeg"],
    "--gold": [""],
}
"""What an option does not take."""

NOT_LOOKED_AT = {("datasets", "--cluster"), ("folds", "--cluster")}
"""What a table of scores takes without a look: its rows are no items."""

BY_VALUE = {
    "--item", "--cluster", "--stratum", "--gold", "--system", "--baseline", "--candidate",
    "--json", "--csv", "--html", "preferences --interval",
}  # fmt: skip
"""Options whose errors may quote the value, as a column, a system or a file, in place of the option."""

CASES = [
    (command, option)
    for command in SOUND
    for option in sorted(
        {name for names in spellings(record_of(tuple(command.split()))).values() for name in names}
    )
    if option in WRONG and (command, option) not in NOT_LOOKED_AT
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables")
    tables(folder)
    return folder


@pytest.fixture
def run(folder: Path) -> Run:
    return run_in(folder)


@pytest.mark.parametrize("command", SOUND)
def test_without_them_the_command_is_answered(run: Run, command: str) -> None:
    done = run(*command.split(), *SOUND[command].split())
    assert (done.returncode in (0, 1, 3), done.stderr) == (True, "")


@pytest.mark.parametrize(("command", "option"), CASES)
def test_a_wrong_value_is_refused_by_the_name_of_the_option(
    run: Run, folder: Path, command: str, option: str
) -> None:
    before = sorted(folder.rglob("*"))
    words = SOUND[command].split()
    if option in words:
        place = words.index(option)
        words = words[:place] + words[place + 2 :]
    for value in WRONG[option]:
        done = run(*command.split(), *words, option, value)
        assert (done.returncode, done.stdout) == (2, ""), value
        error, hint = done.stderr.splitlines()
        by_value = {option, f"{command} {option}"} & BY_VALUE and repr(value) in error
        assert option in error or by_value, (value, error)
        assert hint.startswith("hint: ")
    assert sorted(folder.rglob("*")) == before


STARTS = {"json": "{", "csv": "", "markdown": "", "latex": "%", "html": "<!DOCTYPE", "plot": "<?xml"}
"""How the outputs begin."""


@pytest.mark.parametrize("command", SOUND)
def test_every_output_is_written_and_one_can_go_to_stdout(run: Run, tmp_path: Path, command: str) -> None:
    options = {name for names in spellings(record_of(tuple(command.split()))).values() for name in names}
    files = {
        form: tmp_path / f"out.{form.replace('plot', 'svg')}" for form in STARTS if f"--{form}" in options
    }
    words = [*command.split(), *SOUND[command].split()]
    done = run(*words, *(word for form, path in files.items() for word in (f"--{form}", path)))
    assert (done.returncode in (0, 1, 3), done.stderr) == (True, "")
    assert "json" in files
    for form, path in files.items():
        text = path.read_text(encoding="utf-8")
        assert text.startswith(STARTS[form])
        assert len(text) > 40, form
        if form == "csv":
            assert run(*words, "--csv", "-").stdout == text != done.stdout
