"""The modules of the package as syntax trees, for the tests that look at the source: parsed once for all."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import bestby

ROOT = Path(bestby.__file__).parent


@cache
def trees() -> dict[Path, ast.Module]:
    """Return the syntax tree of every module by its file."""
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(ROOT.rglob("*.py"))}


@cache
def nodes() -> dict[Path, tuple[ast.AST, ...]]:
    """Return all nodes of the syntax tree of every module by its file."""
    return {path: tuple(ast.walk(tree)) for path, tree in trees().items()}


@cache
def modules() -> dict[str, ast.Module]:
    """Return the syntax tree of every module by its dotted path."""
    return {dotted(path): tree for path, tree in trees().items()}


def dotted(path: Path) -> str:
    """Return the dotted path of the module in a file."""
    parts = ("bestby", *path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
