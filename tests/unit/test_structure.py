"""The structure of the package: no circle of imports, and tests that lie where the package does."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from tests.checked import CHECKED, LONG
from tests.unit import source_trees
from tests.unit.source_trees import ROOT, dotted

TOP_LEVEL = {"__init__", "__main__", "_version", "errors"}
"""The files beside the folders of the package."""

DOORS = {"bestby", "bestby.planning", "bestby.results"}
"""Packages whose names are fetched when they are first used: what they import does not count."""

BASE = "bestby.report.comparison"
"""The base of the results of five questions, which opens the report of a comparison on one test set."""

NO_ROOMS = {".", "repository"}
"""Folders of unit tests of more than one room, and of what is beside the package."""


@cache
def sources() -> dict[str, str]:
    """Return the text of every module of the package by its dotted path."""
    return {dotted(path): path.read_text(encoding="utf-8") for path in source_trees.trees()}


def imports(tree: ast.Module, module: str, modules: Mapping[str, object], *, is_package: bool) -> set[str]:
    """Return the modules that a module imports, in functions and for type checkers as well.

    `from package import name` is an import of `package.name` if that is a module, else of the package. A full
    name given to `import_module` counts too. What a function imports from its own question, or in the room of
    reports, does not count: a command opens its answer when it runs, a result its report when it is shown.
    """
    found, inside = set(), _in_functions(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            function = node.func
            name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", None)
            if name == "import_module":
                found |= {arg.value for arg in node.args if isinstance(arg, ast.Constant)}
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            parts = module.split(".")
            above = parts[: len(parts) - node.level + is_package] if node.level else []
            source = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                inner = f"{source}.{alias.name}"
                target = inner if inner in modules else source
                near = _neighbourhood(target) == _neighbourhood(module) or module == BASE
                if not near or id(node) not in inside:
                    found.add(target)
    return {name for name in found if name in modules} - {module}


def _in_functions(tree: ast.Module) -> set[int]:
    """Return the nodes, by their `id`, that are in functions."""
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    return {id(inner) for function in functions for inner in ast.walk(function)}


def _neighbourhood(module: str) -> str:
    """Return the question that a module belongs to, or the room of reports; of another, the module itself."""
    parts = module.split(".")
    if parts[1:2] == ["questions"]:
        return ".".join(parts[:3])
    return "bestby.report" if parts[1:2] == ["report"] else module


@cache
def import_graph() -> dict[str, set[str]]:
    """Return what every module imports, save the doors."""
    known = source_trees.modules()
    packages = {name.rpartition(".")[0] for name in known}
    return {
        name: imports(tree, name, known, is_package=name in packages)
        for name, tree in known.items()
        if name not in DOORS
    }


def circles(graph: Mapping[str, set[str]]) -> set[frozenset[str]]:
    """Return the groups of modules that reach one another (Tarjan's strongly connected components)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: set[frozenset[str]] = set()

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for target in sorted(graph.get(node, ())):
            if target not in index:
                visit(target)
                low[node] = min(low[node], low[target])
            elif target in stack:
                low[node] = min(low[node], index[target])
        if low[node] == index[node]:
            place = stack.index(node)
            if len(stack) - place > 1:
                found.add(frozenset(stack[place:]))
            del stack[place:]

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


def test_no_circle_of_imports() -> None:
    found = [sorted(circle) for circle in circles(import_graph())]
    assert not found, f"these modules import one another: {found}"


def test_nothing_imports_the_root() -> None:
    roots = [name for name, targets in import_graph().items() if "bestby" in targets]
    assert not roots, f"import from the module that defines the name, not from bestby: {roots}"


def test_scipy_stats_is_imported_by_functions_only() -> None:
    """It takes longer to import than most comparisons take."""
    pattern = re.compile(
        r"^(from scipy\.stats|import scipy\.stats|from scipy import .*\bstats\b)", re.MULTILINE
    )
    assert [module for module, text in sources().items() if pattern.search(text)] == []


def test_a_circle_is_seen() -> None:
    text = {
        "p": "from p.a import one",
        "p.a": "def f():\n    from p import b",
        "p.b": "if TYPE_CHECKING:\n    from . import c\nimport json",
        "p.c": "from .a import f\nfrom p.d import g",
        "p.d": "import_module('p.e')",
        "p.e": "",
    }
    graph = {
        name: imports(ast.parse(source), name, text, is_package=name == "p") for name, source in text.items()
    }
    assert graph == {
        "p": {"p.a"},
        "p.a": {"p.b"},
        "p.b": {"p.c"},
        "p.c": {"p.a", "p.d"},
        "p.d": {"p.e"},
        "p.e": set(),
    }
    assert circles(graph) == {frozenset({"p.a", "p.b", "p.c"})}


def test_top_level() -> None:
    files = {path.stem for path in ROOT.glob("*.py")}
    assert files - TOP_LEVEL == set(), "modules belong into a folder"


def test_the_folders_of_unit_tests_are_those_of_the_package() -> None:
    unit = Path(__file__).parent
    tested = {path.parent.relative_to(unit).as_posix() for path in unit.rglob("test_*.py")} - NO_ROOMS
    rooms = {path.parent.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py")}
    assert tested - {room.removeprefix("_") for room in rooms} == set()


def test_what_tests_a_module_lies_in_the_folder_of_the_module() -> None:
    """Of a module whose name no other of its room has; tests of a whole question have other names."""
    unit, wrong = Path(__file__).parent, []
    for path in unit.glob("*/**/test_*.py"):
        room, name = path.relative_to(unit).parts[0], path.stem.removeprefix("test_")
        modules = [p for p in (ROOT / room).rglob("*.py") if p.stem.removeprefix("_") == name]
        folders = {p.parent.relative_to(ROOT) for p in modules}
        if len(folders) == 1 and path.parent.relative_to(unit) not in folders:
            wrong.append(path.relative_to(unit).as_posix())
    assert wrong == []


def test_what_is_left_out_is_there() -> None:
    for entry in (*CHECKED, *LONG):
        place, _, case = entry.partition("::")
        function = case.partition("[")[0]
        path = Path(__file__).parents[2] / place
        assert path.exists(), entry
        assert not function or f"def {function}" in path.read_text(encoding="utf-8"), entry
