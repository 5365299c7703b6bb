"""No hint names an argument that the command does not have, whatever reader it comes from."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from tests.cli.helpers import Run, check_refused
from tests.unit.source_trees import ROOT as SOURCE  # in a wheel, too
from tests.unit.source_trees import nodes

from bestby._core.errors import InvalidInputError
from bestby._core.hints import SETTING, possible_hint
from bestby.cli.commands import all_words, arguments_of_all, record_of
from bestby.cli.errors import FORMAT_OPTIONS, SPELLINGS, in_options
from bestby.cli.options import spellings

OF_PYTHON = {
    "data",
    "executor",
    "height",
    "label_sets",
    "labels",
    "reading",
    "outer",
    "resampling",
    "rescale",
}
"""Arguments that no command has: what they are about cannot be said on the command line."""
ELSEWHERE = {"dtype", "fields", "index", "save_outcomes", "this"}
"""Settings of other tools, and of names that only the data tell."""


def texts(node: ast.expr) -> Iterator[str]:
    """Yield the texts that an expression may be, with a word for every value in them."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield "".join(str(one.value) if isinstance(one, ast.Constant) else "this" for one in node.values)
    elif isinstance(node, ast.IfExp):
        yield from (*texts(node.body), *texts(node.orelse))


OF_COMMANDS = {"command", "label_command", "designs", "parameters", "settings_file", "github"}
"""The modules of questions that speak of options."""


@cache
def hints() -> tuple[str, ...]:
    """Return every hint of the source that names a setting."""
    found: set[str] = set()
    for file, every in nodes().items():
        if "cli" in file.relative_to(SOURCE).parts or file.stem in OF_COMMANDS:
            continue  # they speak of options
        for node in every:
            if isinstance(node, ast.keyword) and node.arg == "hint":
                found.update(texts(node.value))
            elif isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign) and node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                if any(re.search("hint|remedy", getattr(one, "id", ""), re.IGNORECASE) for one in targets):
                    found.update(texts(node.value))
    return tuple(sorted(one.lstrip(",; ") for one in found if SETTING.search(one)))


def test_hints_are_found_and_name_arguments_there_are() -> None:
    assert len(hints()) > 100
    spelled = {name.partition("=")[0] for name in SPELLINGS}
    known = spelled | {*arguments_of_all(), *FORMAT_OPTIONS, *OF_PYTHON, *ELSEWHERE}
    assert {word for hint in hints() for word in SETTING.findall(hint)} - known == set()


@pytest.mark.parametrize("words", all_words(), ids=" ".join)
def test_a_command_is_told_of_its_own_options_only(words: tuple[str, ...]) -> None:
    known, command = arguments_of_all(), " ".join(("bestby", *words))
    for hint in hints():
        told = in_options(InvalidInputError("no", hint), spellings(record_of(words)), command, known).hint
        assert told is not None
        if not set(SETTING.findall(hint)) & (OF_PYTHON | ELSEWHERE):
            assert not SETTING.search(told.replace("name=path", "").replace("--option ", "--")), told
        assert told[0] not in ",;", told
        assert not re.search(
            r"pass no\b|\bno --|--[\w-]+ [{(]|--[\w-]+ [^ ]+ or \"|\w\]$|bestby\.\w+\(", told
        ), told


def test_an_import_is_told_of_no_column_of_systems(run: Run, tmp_path: Path) -> None:
    rows = [f"q{i},{'xyz'[i % 3]},{'xy'[i % 2]},{'zx'[i % 2]},m{i % 2}" for i in range(40)]
    (tmp_path / "t.csv").write_text("\n".join(["id,gold,a,b,model", *rows]), encoding="utf-8")
    what = "t.csv: column 'model' shares no value with the gold; is it a system?"
    columns = "hint: leave it out: --ignore model; or choose the columns of the systems: --system ..."
    done = run("board", "import", "t.csv", "--gold", "gold", "--board", "b")
    check_refused(done, what, columns)
    assert done.stderr.splitlines()[1] == columns
    done = run("compare", "t.csv", "--gold", "gold")
    assert done.stderr.splitlines()[1] == f"{columns}; a column of their names is --system-column ..."


@pytest.mark.parametrize(
    ("hint", "expected"),
    [
        ("name it: a=...", "name it: a=..."),
        ("name it: b=...", None),
        ("a=1 if it is, or name them: b=[...], or leave it out", "a=1 if it is, or leave it out"),
        ("name them: b=[...]; otherwise correct this value", "correct this value"),
        ("otherwise correct this value, or b=1", "otherwise correct this value"),
        ("give every item a row (reading files: b=False)", "give every item a row"),
        ("give one file per system: name=path", "give one file per system: name=path"),
        ("give one file per system: b=b.jsonl", "give one file per system: b=b.jsonl"),
        ("--margin b=0.01", "--margin b=0.01"),
        ("fetch them with fields=core,io", "fetch them with fields=core,io"),
    ],
)  # fmt: skip
def test_what_is_left_of_a_hint(hint: str, expected: str | None) -> None:
    assert possible_hint(hint, {"a", "b", "name"}, {"a"}) == expected


@pytest.mark.parametrize(
    ("hint", "expected"),
    [
        ("leave out runs, or pass paired=False", "leave out runs, or leave out --paired"),
        ("clusters=[templates, languages]", "--cluster templates --cluster languages"),
        ('interval="bca" or "percentile"', "--interval bca or percentile"),
        ("name it: bestby.read(path, items=[...]), or pass gold={name: values}", "bestby compare --help"),
        ("give both columns, np.c_[1 - p, p]; or name one: metric='rmse'", "name one: --metric rmse"),
    ],
)  # fmt: skip
def test_a_hint_is_written_as_it_is_typed(hint: str, expected: str) -> None:
    options = {**spellings(record_of(("compare",))), "paired": ("--paired",)}
    assert in_options(InvalidInputError("no", hint), options, "bestby compare").hint == expected


def test_a_file_of_a_system_is_no_option() -> None:
    told = in_options(
        InvalidInputError("no", "give each a name: name=path"),
        spellings(record_of(("published",))),
        "bestby published",
    )
    assert told.hint == "give each a name: name=path"


def test_a_setting_that_is_a_word_of_an_option(run: Run, tmp_path: Path) -> None:
    (tmp_path / "j.csv").write_text("a,b,winner\n" + "x,y,tie\n" * 20, encoding="utf-8")
    done = run("preferences", "j.csv", "--method", "davidson", "--interval", "none", "--test", "none")
    check_refused(
        done, "strengths have no finite estimate", "hint: --method bradley-terry counts a tie as half"
    )


def test_an_option_that_is_to_be_left_out_is_written_as_it_was_given(run: Run, tmp_path: Path) -> None:
    rows = [f"{system},{number},{number % 5}" for system in "ab" for number in range(6)]
    (tmp_path / "r.csv").write_text("\n".join(["system,run,score", *rows]), encoding="utf-8")
    done = run("runs", "r.csv", "--test", "none", "--plot-kind", "order", "--plot", "r.png")
    check_refused(done, "no stochastic orders", "hint: leave out --test none, or draw another kind")


@pytest.mark.parametrize(
    ("option", "answers"),
    [
        (None, ["other items", "fewest differing", "most differing"]),
        ("--same-items", ["fewest differing", "most differing"]),
        ("--other-items", ["other items"]),
    ],
)
def test_whether_a_published_score_is_of_the_same_items(
    option: str | None, answers: list[str], run: Run, tmp_path: Path
) -> None:
    rows = [f"{item},{item % 2},{item % 2 if item < 90 else 0}" for item in range(100)]
    (tmp_path / "p.csv").write_text("\n".join(["id,gold,mine", *rows]), encoding="utf-8")
    command = ["published", "p.csv", "--gold", "gold", "--score", "0.88", *([option] if option else [])]
    done = run(*command, "--json", "-")
    assert (done.returncode, done.stderr) == (0, "")
    assert [answer["assumption"] for answer in json.loads(done.stdout)["answers"]] == answers
    if option == "--same-items":
        check_refused(
            run(*command, "--items", "200"),
            "100 items cannot be the same as 200",
            "hint: leave out --same-items, or pass --items 100",
        )


@pytest.mark.parametrize(
    ("words", "first", "second"),
    [
        ("compare s.csv --rng 3", "No such option: --rng; did you mean --seed?", "bestby compare --help"),
        ("compare s.csv --test foo", "--test must be one of", "hint: --test auto chooses by the data"),
        ("compare s.csv --baseline x", "is not among the systems: a, b", "such as --baseline a"),
        (
            "compare p.csv --gold g --metric accuracy,f1_macro",
            "there is no metric",
            "--metric accuracy --metric f1_",
        ),
        ("plan s.csv --power 2", "--power must lie strictly between 0 and 1", "0.8 means 80 %"),
        ("gate s.csv --margin 2%", "--margin must be a number", "as in --margin 0.01"),
        ("slices s.csv", "Missing option '--by'", "--by COLUMN[:BINS]: Column whose values"),
        ("check s.pkl", "not UTF-8 text", "such as a pickle"),
    ],
)
def test_hints_say_what_to_type(words: str, first: str, second: str, run: Run, tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("a,b\n1,0\n0,1\n1,1\n")
    (tmp_path / "p.csv").write_text("g,a,b\nx,x,y\ny,x,y\nx,y,y\n")
    (tmp_path / "s.pkl").write_bytes(b"\x80\x04\x95\x10")
    check_refused(run(*words.split()), first, second)
