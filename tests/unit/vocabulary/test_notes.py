"""Every code with which the package makes a note has its meaning in the vocabulary, and no other has."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from typing import Any, NamedTuple

import pytest
from tests.unit.source_trees import modules

from bestby.results.values import WITHOUT_INTERVAL
from bestby.vocabulary import NOTES, NOTES_BY_SUBJECT


class Place(NamedTuple):
    """Where an expression stands: in a module, by its dotted path, and in a function of it, if in any."""

    module: str
    function: ast.FunctionDef | None = None


Placed = tuple[Any, Place]


class Source:
    """Modules by their dotted paths, and the texts that expressions in them can be."""

    def __init__(self, trees: Mapping[str, ast.Module]) -> None:
        self.trees = trees
        self.nodes = [found for name, tree in trees.items() for found in _in_functions(tree, name)]

    @cached_property
    def calls(self) -> dict[str, list[tuple[ast.Call, Place]]]:
        """All calls by the last name of what is called."""
        found: dict[str, list[tuple[ast.Call, Place]]] = {}
        for node, place in self.nodes:
            if isinstance(node, ast.Call):
                found.setdefault(getattr(node.func, "attr", getattr(node.func, "id", "")), []).append(
                    (node, place)
                )
        return found

    def codes_of_notes(self) -> set[str]:
        """Return the codes of all notes that are made."""
        return set().union(*(self.texts(*one) for one in self.arguments("Note", "code", 0)))

    def codes_looked_for(self) -> set[str]:
        """Return the texts with which codes of notes are compared."""
        found: set[str] = set()
        for node, place in self.nodes:
            if isinstance(node, ast.Compare):
                sides = [node.left, *node.comparators]
                if any(getattr(one, "attr", None) == "code" for side in sides for one in ast.walk(side)):
                    for side in sides:
                        values = self.values_of(side.id, place) if isinstance(side, ast.Name) else []
                        found = found.union(*map(_constants, [side, *(value for value, _ in values)]))
        return found

    def texts(self, node: ast.expr, place: Place) -> set[str]:
        """Return the texts that an expression can be; refuse one that does not show them."""
        match node:
            case ast.Constant(value=str(text)):
                return {text}
            case ast.IfExp(body=one, orelse=other):
                return self.texts(one, place) | self.texts(other, place)
            case ast.Attribute(attr="code"):  # that of another note
                return set()
            case ast.Name(id=name) if values := self.values_of(name, place):
                return set().union(*(self.texts(*value) for value in values))
        raise ValueError(f"{place.module}, line {node.lineno}: write the code of the note as a literal")

    def values_of(self, name: str, place: Place) -> list[Placed]:
        """Return all that a name can stand for: what is assigned to it, and arguments of calls."""
        tree, function = self.trees[place.module], place.function
        if function is None:
            for node in tree.body:
                if isinstance(node, ast.ImportFrom) and name in [one.name for one in node.names]:
                    return self.values_of(name, Place(node.module or "")) if node.module in self.trees else []
            return [(value, place) for value in _assigned(tree.body, name)]
        parameters = [one.arg for one in function.args.args if one.arg not in ("self", "cls")]
        keywords = [one.arg for one in function.args.kwonlyargs]
        if name not in (*parameters, *keywords):
            values = [(value, place) for value in _assigned(ast.walk(function), name)]
            return values or self.values_of(name, Place(place.module))
        position = parameters.index(name) if name in parameters else len(parameters)
        defaults = dict(zip(reversed(parameters), reversed(function.args.defaults), strict=False))
        defaults |= {
            one: value for one, value in zip(keywords, function.args.kw_defaults, strict=True) if value
        }
        default = [(defaults[name], Place(place.module))] if name in defaults else []
        return [*self.arguments(function.name, name, position), *default]

    def arguments(self, function: str, parameter: str, position: int) -> list[Placed]:
        """Return what all calls of a function hand to a parameter, by its name or at its position."""
        found: list[Placed] = []
        for call, place in self.calls.get(function, []):
            named = [one.value for one in call.keywords if one.arg == parameter]
            found += [(value, place) for value in (*named, *call.args[position : position + 1])]
        return found


def _in_functions(tree: ast.Module, module: str) -> Iterator[Placed]:
    """Yield calls and comparisons, each with the innermost function that holds it."""
    waiting: list[tuple[ast.AST, Place]] = [(tree, Place(module))]
    while waiting:
        node, place = waiting.pop()
        if isinstance(node, ast.FunctionDef):
            place = Place(module, node)
        elif isinstance(node, ast.Call | ast.Compare):
            yield node, place
        waiting += [(child, place) for child in ast.iter_child_nodes(node)]


def _assigned(nodes: Iterator[ast.AST] | list[ast.stmt], name: str) -> list[ast.expr]:
    found = []
    for node in nodes:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found += [node.value for target in targets if getattr(target, "id", None) == name]
    return found


def _constants(node: ast.expr) -> set[str]:
    """Return the texts in an expression; of a dictionary those of its keys."""
    parts = [one for one in node.keys if one is not None] if isinstance(node, ast.Dict) else [node]
    constants = (one for part in parts for one in ast.walk(part) if isinstance(one, ast.Constant))
    return {one.value for one in constants if isinstance(one.value, str)}


@cache
def package() -> Source:
    return Source(modules())


def test_every_code_has_a_meaning_and_every_meaning_a_code() -> None:
    codes = package().codes_of_notes()
    assert codes - NOTES.keys() == set(), "say what they mean in src/bestby/vocabulary/notes.py"
    assert NOTES.keys() - codes == set(), "no note has these codes"


def test_codes_that_are_looked_for_are_codes_of_notes() -> None:
    looked_for = package().codes_looked_for()
    assert len(looked_for) > 20
    assert looked_for - NOTES.keys() == set()


def test_each_reason_for_no_interval_is_used() -> None:
    arguments = package().arguments("without_interval", "code", 0)
    assert set().union(*(package().texts(*one) for one in arguments)) == WITHOUT_INTERVAL.keys()


def test_a_meaning_is_one_sentence_and_stands_in_order() -> None:
    assert sum(map(len, NOTES_BY_SUBJECT.values())) == len(NOTES)
    for subject, notes in NOTES_BY_SUBJECT.items():
        assert [*notes] == sorted(notes), subject
    assert {
        code for code, meaning in NOTES.items() if not re.fullmatch(r"[A-Z].{20,110}\.", meaning)
    } == set()


@pytest.mark.parametrize(
    "text",
    [
        "Note(f'few_{units}', '')",
        "Note(CODES[0], '')",
        "Note(*parts)",
        "[Note(code, '') for code in ('few', 'many')]",
        "from elsewhere import CODE\nNote(CODE, '')",
    ],
)
def test_the_scan_refuses_a_code_that_it_cannot_see(text: str) -> None:
    with pytest.raises(ValueError, match=r"module, line [12]: write the code of the note as a literal"):
        Source({"module": ast.parse(text)}).codes_of_notes()


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("note.code == 'few'", {"few"}),
        ("note.code not in ('few', 'many')", {"few", "many"}),
        ("'few' in {note.code for note in notes}", {"few"}),
        ("CODES = frozenset({'few'})\nany(note.code in CODES for note in notes)", {"few"}),
        ("CODES = {'few': 'only a few'}\nnote.code in CODES", {"few"}),
        ("note.message == 'few'", set()),
    ],
)
def test_the_scan_sees_a_code_that_is_looked_for(text: str, codes: set[str]) -> None:
    assert Source({"module": ast.parse(text)}).codes_looked_for() == codes
