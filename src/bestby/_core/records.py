"""Records that the package makes very many of: frozen for the type checker, and quick to make."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

_Class = TypeVar("_Class")


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def record(cls: type[_Class]) -> type[_Class]:
    """Return a class as a dataclass, in place of ``dataclass(frozen=True, eq=False)`` inside the package.

    The type checker refuses to set an attribute. Nothing does at run time, where a frozen record of ten
    fields takes three times as long to make. What users receive is frozen for them, too.
    """
    return dataclass(eq=False)(cls)
