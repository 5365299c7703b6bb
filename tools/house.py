"""Measure how the package is built: sizes, where each question lives, what a call enters.

Usage: ``python tools/house.py``. It judges nothing: print it before and after a change of structure.
"""

from __future__ import annotations

import ast
import inspect
import io
import sys
import tempfile
import tokenize
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from fnmatch import fnmatch
from itertools import pairwise
from pathlib import Path
from statistics import median
from types import CodeType, FrameType
from typing import Any

import numpy as np

import bestby as bb
from bestby.cli import main as command_line

ROOT = Path(bb.__file__).parent

# -- where questions live --------------------------------------------------------------------------

QUESTIONS = {
    "boards": "boards board ladder winner",
    "study": "study growth",
    "labels": "choose chosen label_plans label_plan label_allocation label_spend stratified pool"
    " planning/judged planning/judged_pilot planning/labels figures/labels",
    "planning": "planning plan plans designs curves allocation",
    "advice": "advise advice figures/path",
    "items": "compare evaluate comparison comparisons/items comparisons/scores kinds/many_systems",
    "runs": "runs effect_sizes",
    "order": "ordering* orders violation normality replicability",
    "datasets": "datasets dataset_runs over_datasets profiles inference/ranking",
    "folds": "folds datasets_and_folds crossvalidation",
    "slices": "slices heterogeneity",
    "gate": "gate stored_baseline github inspect_hook pytest_plugin",
    "published": "published",
    "preferences": "preferences preference* judgements _strengths alpaca_eval",
    "judged": "judged judged_labels judge_* layouts/calibration powered_bootstrap prediction_powered"
    " robust_regression rogan_gladen inference/tuning",
    "monitor": "monitor monitored watch betting confidence_sequences group_sequential growing_*"
    " monitor_files",
}
"""What users ask, and the names of folders and modules outside `questions/NAME/` that answer it."""

SHARED_ROOMS = {"_core", "data", "engine", "metrics", "resampling", "vocabulary"}
"""Rooms that answer no question, whatever their modules are called; but each layout of data is for one."""


def question_of(path: str) -> str | None:
    """Return the first question that fits a part of the path of a module; None if several share it."""
    room, *inner = path.removesuffix(".py").split("/")
    if room == "questions" and len(inner) > 1:
        return inner[0]
    if room == "comparisons" and len(inner) > 1:
        return inner[0] if inner[0] in QUESTIONS else None
    if room in SHARED_ROOMS and "layouts" not in inner:
        return None
    parts = [room, *inner]
    ends = [*parts, *map("/".join, pairwise(parts))]
    fitting = (
        question
        for question, names in QUESTIONS.items()
        if any(fnmatch(end, name) for end in ends for name in names.split())
    )
    return next(fitting, None)


# -- what stands in the modules --------------------------------------------------------------------


@dataclass(frozen=True)
class Module:
    """A module of the package: its path below it, its syntax tree, and how much of what stands in it."""

    path: str
    tree: ast.Module
    lines: int
    code: int
    docstrings: int
    comments: int
    numbers: int

    @property
    def folder(self) -> str:
        """The folder in which it lies."""
        return self.path.rpartition("/")[0]

    @property
    def name(self) -> str:
        """Its dotted name."""
        return ".".join(("bestby", *self.path.removesuffix(".py").split("/"))).removesuffix(".__init__")


def read(path: Path) -> Module:
    """Return a module; a comment beside code counts as well as the code, and orders to tools do not count."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    docstrings = {
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if isinstance(node.value.value, str)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    code, comments = set[int](), 0
    silent = {tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            comments += not token.string.startswith(("# noqa", "# type:", "# fmt:", "# pragma:"))
        elif token.type not in silent:
            code |= {*range(token.start[0], token.end[0] + 1)} - docstrings
    name = path.relative_to(ROOT).as_posix()
    numbers = sum(map(is_number, tree.body))
    return Module(name, tree, text.count("\n"), len(code), len(docstrings), comments, numbers)


def is_number(node: ast.stmt) -> bool:
    """Return whether a statement names a constant that is computed from numbers alone, such as 1 << 20."""
    if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
        return False
    parts = [part for part in ast.walk(node.value) if isinstance(part, ast.expr)]
    return all(
        type(part.value) in (int, float)
        if isinstance(part, ast.Constant)
        else isinstance(part, ast.BinOp | ast.UnaryOp)
        for part in parts
    )


def importers(modules: Sequence[Module]) -> dict[str, set[str]]:
    """Return by module which others import it, in functions too; the lazy doors of packages do not count."""
    names = {module.name for module in modules}
    found: dict[str, set[str]] = {name: set() for name in names}
    for module in modules:
        if module.path.endswith("__init__.py"):
            continue
        for name in imported(module.tree, names):
            found[name].add(module.name)
    return found


def imported(tree: ast.Module, names: set[str]) -> Iterator[str]:
    """Yield the modules that a module imports, by statement or by a full name in a string."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in names)
        elif isinstance(node, ast.ImportFrom) and node.module in names:
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            yield from (inner & names) or {str(node.module)}
        elif isinstance(node, ast.Constant) and node.value in names:
            yield str(node.value)


def parameters() -> list[tuple[str, int]]:
    """Return how many parameters public functions and methods take, the most first."""
    found = {}
    public = {name: getattr(room, name) for room in (bb, bb.planning, bb.results) for name in room.__all__}
    for name, value in public.items():
        members = vars(value).items() if inspect.isclass(value) else [("", value)]
        for member, function in members:
            if inspect.isfunction(function) and not member.startswith("_"):
                names = set(inspect.signature(function).parameters) - {"self"}
                found[f"{name}.{member}".removesuffix(".")] = len(names)
    return sorted(found.items(), key=lambda row: (-row[1], row[0]))


# -- what a call enters ----------------------------------------------------------------------------


def entered(call: Callable[[], Any], until: Any = None) -> tuple[list[CodeType], list[CodeType]]:
    """Return the functions of the package that a call enters, and those open when it first enters `until`.

    After that nothing is recorded. Comprehensions and modules are no functions.
    """
    found: dict[CodeType, None] = {}
    waiting: list[CodeType] = []

    def look(frame: FrameType | None, event: str, _: Any) -> None:
        assert frame is not None
        if event != "call" or waiting:
            return
        if until is not None and frame.f_code is until.__code__:
            while (frame := frame.f_back) is not None:
                waiting.append(frame.f_code)
        elif frame.f_code.co_name == "<lambda>" or not frame.f_code.co_name.startswith("<"):
            found[frame.f_code] = None

    sys.setprofile(look)
    try:
        call()
    finally:
        sys.setprofile(None)
    return in_package(found), in_package(waiting)


def in_package(codes: Iterable[CodeType]) -> list[CodeType]:
    """Return the functions that stand in the package."""
    return [code for code in codes if code.co_filename.startswith(str(ROOT))]


def sizes(codes: Sequence[CodeType]) -> tuple[int, int]:
    """Return the number of functions and that of their modules."""
    return len(codes), len({code.co_filename for code in codes})


def command() -> None:
    """Compare two systems by the command line, and print nothing."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        rows = [("gold", *LABELS), *zip(GOLD, *LABELS.values(), strict=True)]
        path.write_text("".join(",".join(row) + "\n" for row in rows), encoding="utf-8")
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            command_line(["compare", str(path), "--gold", "gold"])


RNG = np.random.default_rng(1)
NAMES = np.array(["neg", "neu", "pos"])
GOLD = NAMES[RNG.integers(0, 3, 200)]
LABELS = {
    name: np.where(RNG.random(200) < wrong, NAMES[RNG.integers(0, 3, 200)], GOLD)
    for name, wrong in (("new", 0.2), ("old", 0.4))
}
RUNS = {name: RNG.normal(mean, 0.02, 5) for name, mean in (("new", 0.8), ("old", 0.77))}

# -- the page --------------------------------------------------------------------------------------


def show(title: str, header: Sequence[Any], rows: Iterable[Sequence[Any]]) -> None:
    """Print a table: the first column to the left, the others to the right."""
    cells = [[f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row] for row in [header, *rows]]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    print(f"\n{title}\n")
    for first, *others in cells:
        print("  " + "  ".join([first.ljust(widths[0]), *map(str.rjust, others, widths[1:])]).rstrip())


SIZES = ("modules", "code", "docstrings", "comments", "numbers")


def totals(modules: Sequence[Module]) -> list[int]:
    """Return the number of modules, of lines of three kinds, and of numeric constants at module level."""
    return [len(modules), *(sum(getattr(module, what) for module in modules) for what in SIZES[1:])]


def show_sizes(modules: Sequence[Module]) -> None:
    """Print what stands where."""
    rooms, questions = defaultdict(list), defaultdict(list)
    for module in modules:
        rooms[module.folder.partition("/")[0] or "(door)"].append(module)
        questions[question_of(module.path) or "(shared)"].append(module)
    rows = [[name, *totals(rooms[name])] for name in sorted(rooms)]
    show("Lines and numeric constants by room", ["room", *SIZES], [*rows, ["all", *totals(modules)]])
    rows = [
        [name, len({module.folder for module in questions[name]}), *totals(questions[name])]
        for name in sorted(questions)
    ]
    show("Lines and numeric constants by question", ["question", "folders", *SIZES], rows)


def show_structure(modules: Sequence[Module]) -> None:
    """Print lengths, importers and parameters."""
    folders = {module.name: module.folder for module in modules}
    single = {name: min(them) for name, them in importers(modules).items() if len(them) == 1}
    rows = [
        ["median lines of a module", int(median(module.lines for module in modules))],
        ["modules with one importer", len(single)],
        ["  in another folder", sum(folders[name] != folders[one] for name, one in single.items())],
    ]
    show("Modules", ["", "number"], rows)
    show("Parameters of public functions", ["function", "number"], parameters()[:10])


def show_calls() -> None:
    """Print what calls enter."""
    result = bb.compare(LABELS, GOLD)
    calls: dict[str, Callable[[], Any]] = {
        "compare, accuracy": lambda: bb.compare(LABELS, GOLD),
        "compare, macro-F1": lambda: bb.compare(LABELS, GOLD, metric="f1_macro"),
        "compare_runs": lambda: bb.compare_runs(RUNS),
        "print(result)": lambda: str(result),
        "result.to_html()": result.to_html,
        "result.to_json()": result.to_json,
    }
    rows = []
    for name, call in calls.items():
        call()  # warm: what is imported or computed once is not counted
        rows.append([name, *sizes(entered(call)[0])])
    way, _ = entered(calls["compare, accuracy"], until=bb.Evaluation.__init__)
    _, waiting = entered(command, until=bb.results.Comparison.__init__)
    rows.append(["from compare() to an Evaluation", *sizes(way)])
    rows.append(["from `bestby compare` down to its Comparison", *sizes(waiting)])
    show("Entered by one warm call", ["call", "functions", "modules"], rows)


def main() -> None:
    """Print everything."""
    modules = [read(path) for path in sorted(ROOT.rglob("*.py"))]
    show_sizes(modules)
    show_structure(modules)
    show_calls()


if __name__ == "__main__":
    main()
