"""Packages whose names are fetched when they are first used."""

from __future__ import annotations

import sys
from importlib import import_module

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def door(
    package: str, names_by_module: dict[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` of a package, from the modules of its names.

    A module without names is a public module itself; a class that is only there is named with its place.
    """
    homes = {name: f"bestby.{module}" for module, names in names_by_module.items() for name in names.split()}
    modules = {module: f"bestby.{module}" for module, names in names_by_module.items() if not names}

    def fetch(name: str) -> Any:
        if name in modules:
            return import_module(modules[name])
        if name not in homes:
            classes = modules.values() if name[0].isupper() else ()
            places = [f"{module}.{name}" for module in classes if name in import_module(module).__all__]
            moved = f"; it is {places[0]}" if places else ""
            raise AttributeError(f"module {package!r} has no attribute {name!r}{moved}")
        value = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    public = sorted({*homes, *(["__version__"] if package == "bestby" else [])})
    return fetch, lambda: sorted({*public, *modules}), public
