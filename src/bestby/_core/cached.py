"""Attributes that are computed when they are first asked for."""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property as cached_property
else:

    class cached_property(functools.cached_property):  # noqa: N801
        """That of Python 3.12 and later, which takes no lock.

        The lock of Python 3.11 is one for all instances: a metric in a thread that itself compares something
        would wait for ever for the comparison that calls it.
        """

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            value = instance.__dict__[self.attrname] = self.func(instance)
            return value
