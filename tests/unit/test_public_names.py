"""Every public name has a docstring with its parameters or fields."""

from __future__ import annotations

import inspect
import re
from types import ModuleType
from typing import Any

import pytest

import bestby as bb

ROOMS = (bb, bb.errors, bb.planning, bb.results)
NAMES = {name: getattr(room, name) for room in ROOMS for name in room.__all__ if name != "__version__"}
CLASSES = [name for name, value in NAMES.items() if isinstance(value, type)]
FUNCTIONS = [name for name in NAMES if name not in CLASSES]

WITHOUT_PARAMETERS = {"MissingExtraError"}
"""An error that users catch but do not make."""


def documented_names(docstring: str, *titles: str) -> set[str]:
    """Return the names in the sections of a numpydoc docstring that have one of these titles."""
    found: set[str] = set()
    lines = docstring.splitlines()
    section = ""
    for line, following in zip(lines, [*lines[1:], ""], strict=False):
        if following and set(following) == {"-"}:
            section = line.strip()
        elif section in titles and re.match(r"[\w*]", line):
            found |= {name.strip().lstrip("*") for name in line.split(" : ")[0].split(",")}
    return found


def undocumented(record: Any) -> set[str]:
    """Return the parameters of a function or a class that neither its docstring nor that of a base names."""
    owners = inspect.getmro(record) if isinstance(record, type) else (record,)
    known: set[str] = set()
    for owner in owners:
        known |= documented_names(inspect.cleandoc(owner.__doc__ or ""), "Parameters", "Attributes")
    parameters = {name for name in inspect.signature(record).parameters if not name.startswith("_")}
    return parameters - known


def public_members(owner: type) -> set[str]:
    """Return the names of the public methods and properties that a class has from this package."""
    return {
        name
        for base in owner.__mro__
        if base.__module__.startswith("bestby")
        for name, member in vars(base).items()
        if not name.startswith("_")
        and (isinstance(member, property | classmethod | staticmethod) or inspect.isfunction(member))
    }


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.__name__)
def test_names_are_sorted_and_there(room: ModuleType) -> None:
    assert room.__all__ == sorted(set(room.__all__))
    assert set(room.__all__) <= set(dir(room))
    assert [name for name in room.__all__ if not hasattr(room, name)] == []


@pytest.mark.parametrize("place", ["errors.InvalidInputError", "planning.Pilot", "results.LabelPlan"])
def test_a_class_of_another_room_is_named_with_its_place(place: str) -> None:
    name = place.rpartition(".")[2]
    assert name not in dir(bb)
    with pytest.raises(AttributeError, match=rf"it is bestby\.{place}$"):
        getattr(bb, name)


def test_a_name_of_no_room_has_no_place() -> None:
    with pytest.raises(AttributeError, match=r"module 'bestby' has no attribute 'Comparer'$"):
        bb.Comparer  # noqa: B018


def test_docstrings() -> None:
    for name, record in NAMES.items():
        assert record.__doc__, f"{name} has no docstring"
        assert not record.__doc__.startswith(f"{name}("), f"{name} has the docstring that dataclasses make"
        missing = undocumented(record)
        assert not missing or name in WITHOUT_PARAMETERS, f"{name} does not describe {sorted(missing)}"
        assert missing or name not in WITHOUT_PARAMETERS, f"take {name} from the list"


def test_docstrings_of_members() -> None:
    for name in CLASSES:
        owner = NAMES[name]
        missing = [member for member in public_members(owner) if not inspect.getdoc(getattr(owner, member))]
        assert not missing, f"members of {name} without a docstring: {missing}"


def test_functions_have_sections() -> None:
    for name in FUNCTIONS:
        docstring = inspect.getdoc(NAMES[name]) or ""
        for title in ("Parameters", "Returns", "Examples"):
            assert f"\n{title}\n{'-' * len(title)}\n" in docstring, f"{name} has no section {title}"


def test_sections_are_read() -> None:
    text = """One.

Parameters
----------
a, b : int
    Two: x : y.
**c : str
d

Returns
-------
e : int
    Three.
"""
    assert documented_names(text, "Parameters") == {"a", "b", "c", "d"}
    assert documented_names(text, "Returns", "Attributes") == {"e"}
