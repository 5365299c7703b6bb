"""Whatever lists tests, intervals or other choices lists exactly those of the vocabulary."""

from __future__ import annotations

import ast
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import get_args, get_origin

import pytest
from tests.unit.source_trees import ROOT as SOURCE
from tests.unit.source_trees import nodes

import bestby
from bestby import vocabulary
from bestby._core import typing as aliases
from bestby.engine import interval_methods
from bestby.inference import multiplicity
from bestby.planning import LiftedScores, PairedProportions, Pilot
from bestby.questions.planning import simulated
from bestby.questions.study.study import Study
from bestby.report.comparison import Difference
from bestby.results.values import Omnibus
from bestby.vocabulary import KINDS, TESTS, allowed_names, choices, long_name

DOCS = Path(__file__).resolve().parents[2] / "docs"
TABLES = runpy.run_path(str(DOCS / "make_name_tables.py"))
PATHS = {path for kind in KINDS.values() for term in kind for path in term.arguments}
ARGUMENTS = {path.rpartition(".")[2] for path in PATHS}
QUESTIONS = {path.rpartition(".")[0] for path in PATHS} | {""}

SOME_TESTS = {
    "comparisons/many_systems.py",
    "comparisons/swap_notes.py",
    "questions/runs/differences.py",
}
"""Modules with a list of tests that have one property, such as being computed for many systems at once."""

NOT_CHOICES = {"Dependence"}
"""Literal types that no argument takes."""

FUNCTIONS = {
    bestby.compare: "items",
    bestby.compare_runs: "runs",
    bestby.compare_datasets: "datasets",
    bestby.compare_facets: "facets",
    bestby.compare_folds: "folds",
    bestby.compare_preferences: "preferences",
    Study.compare: "study",
    LiftedScores: "lifted",
    PairedProportions: "proportions",
    Pilot: "pilot",
}

CHOICES = re.compile(r"^ +(\w+) : \{(.*?)\}", re.MULTILINE | re.DOTALL)


def listed(docstring: str | None) -> dict[str, set[str]]:
    """Return the arguments of a docstring that are described by their choices."""
    return {name: set(re.findall(r'"([^"]+)"', body)) for name, body in CHOICES.findall(docstring or "")}


def all_choices(argument: str) -> list[set[str]]:
    return [set(allowed_names(argument, question)) for question in QUESTIONS]


def paragraph(docstring: str | None, parameter: str) -> set[str]:
    """Return the quoted names in the description of a parameter."""
    text = re.split(rf"\n    {parameter} : .*\n", docstring or "")[1]
    return set(re.findall(r'``"([^"]+)"``', re.split(r"\n    \S", text)[0]))


def test_a_name_and_a_line_of_help_stand_for_each_term() -> None:
    for kind, terms in KINDS.items():
        assert len({term.name for term in terms}) == len(terms), kind
        for term in terms:
            assert term.long_name
            assert re.fullmatch(r"[A-Z0-9].{5,110}[.?]", term.help), term


def test_a_look_up() -> None:
    assert allowed_names("test", "runs") == (
        "auto",
        "permutation",
        "bootstrap",
        "t",
        "hall",
        "brunner-munzel",
    )
    assert choices("statistic") == "mean, median, trimmed_mean or iqm"
    assert long_name("interval", "welch") == "Welch's t"
    assert long_name("test", "welch") == "Welch's t-test"
    assert long_name("test", "a test of the future") == "a test of the future"


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__qualname__)
def test_a_public_docstring_names_the_choices(function: object) -> None:
    for argument, names in listed(function.__doc__).items():
        assert names == set(allowed_names(argument, FUNCTIONS[function])), argument  # type: ignore[index]


def test_every_docstring_names_the_choices_of_some_question() -> None:
    wrong, seen = [], 0
    for path, every in nodes().items():
        for node in every:
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                for argument, names in listed(ast.get_docstring(node, clean=False)).items():
                    if argument in ARGUMENTS - {"ties"} and names not in all_choices(argument):
                        wrong.append((path.name, node.name, argument))
                    seen += 1
    assert seen > 40
    assert wrong == []


@pytest.mark.parametrize(
    ("record", "parameter", "kind"),
    [
        (Omnibus, "name", "omnibus"),
        (Difference, "standard_error_method", "standard error"),
    ],
)
def test_a_result_names_all_that_it_may_hold(record: type, parameter: str, kind: str) -> None:
    assert paragraph(record.__doc__, parameter) == {term.name for term in KINDS[kind]}


def test_the_types_of_choices_agree() -> None:
    both = {**vars(aliases), **vars(vocabulary)}
    literals = {name: alias for name, alias in both.items() if "Literal" in str(get_origin(alias))}
    known = [names for argument in ARGUMENTS for names in all_choices(argument)]
    assert len(literals) > 3
    for name in literals.keys() - NOT_CHOICES:
        assert set(get_args(literals[name])) in known, name


def test_every_correction_and_test_of_two_samples_can_be_made() -> None:
    assert tuple(multiplicity._CORRECTIONS) == allowed_names("correction")
    assert set(simulated.TESTS) == set(allowed_names("test", "lifted"))


def test_no_docstring_lists_the_tests_of_a_comparison() -> None:
    """A new test touches its formula, its tests, this vocabulary and the module that runs it only."""
    for function in (bestby.compare, bestby.compare_runs, bestby.compare_folds, Study.compare):
        assert "test" not in listed(function.__doc__)
        assert 'table of the guide "Choosing a test"' in " ".join((function.__doc__ or "").split())


def test_no_other_module_lists_them() -> None:
    """Three names of tests in a row, outside docstrings, are a list."""
    tests = {term.name for term in TESTS}
    lists = set()
    for path in nodes().keys() - set((SOURCE / "vocabulary").glob("*.py")):
        for node in nodes()[path]:
            if isinstance(node, ast.Tuple | ast.List | ast.Set):
                names = [one.value for one in node.elts if isinstance(one, ast.Constant)]
                if len(names) > 2 and tests.issuperset(names):
                    lists.add(path.relative_to(SOURCE).as_posix())
    assert lists == SOME_TESTS


def test_no_other_module_lists_the_intervals_of_items() -> None:
    """A new interval touches its formula, its tests, this vocabulary and `METHODS` of the engine only."""
    intervals = set(allowed_names("interval", "items")) - {"auto"}
    lists = set()
    for path in set(SOURCE.rglob("*.py")) - set((SOURCE / "vocabulary").glob("*.py")):
        text = path.read_text(encoding="utf-8")
        bodies = re.findall(r"[({[][^(){}\[\]]+[)}\]]", re.sub(r"partial\([^()]*\)", "", text))
        named = [set(re.findall(r'"([\w-]+)"', body)) for body in bodies]
        if any(len(names & intervals) > 4 for names in named):
            lists.add(path.relative_to(SOURCE).as_posix())
    assert lists == {"engine/interval_methods.py", "engine/interval_choice.py"}
    assert intervals <= set(interval_methods.METHODS)


@pytest.mark.parametrize("page", TABLES["PAGES"])
def test_the_tables_of_names_are_up_to_date(page: str) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    assert TABLES["renewed"](page, text) == text, "run python docs/make_name_tables.py"


def test_it_is_quick_to_import() -> None:
    code = "import sys, bestby.vocabulary; print(*({'numpy', 'bestby._core'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() in ("", "bestby._core")  # the room of the lazy door, not NumPy
    assert "numpy" not in vars(vocabulary)


def test_a_new_term_needs_no_other_list(monkeypatch: pytest.MonkeyPatch) -> None:
    """The recipe in CONTRIBUTING: checks, help, reports and tables know a term as soon as it stands here."""
    new = vocabulary.Term("runs", "runs test", "Counts the runs of signs.", ("items.test",))
    monkeypatch.setitem(KINDS, "test", (*TESTS, new))
    allowed_names.cache_clear()
    try:
        with pytest.raises(bestby.errors.InvalidInputError, match="hall, runs, got 'walk'"):
            bestby.compare({"a": [1.0, 2.0], "b": [2.0, 1.0]}, test="walk")
        assert choices("test", "items").endswith("hall or runs")
        assert long_name("test", "runs") == "runs test"
        assert "| `runs` | runs test | `compare` | Counts the runs of signs. |" in TABLES["table"]("test")
    finally:
        monkeypatch.undo()
        allowed_names.cache_clear()
