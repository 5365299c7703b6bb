"""What was made is kept for whoever asks for it next, up to a number of results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class Memo(Generic[Key, Value]):
    """The results of a function by its argument, at most so many: the oldest one makes room for another.

    >>> import math
    >>> roots = Memo[float, float](2)
    >>> [roots.get(x, math.sqrt) for x in (4.0, 9.0, 16.0)], len(roots)
    ([2.0, 3.0, 4.0], 2)
    """

    def __init__(self, most: int) -> None:
        self._most = max(1, most)
        self._kept: dict[Key, Value] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: Key, make: Callable[[Key], Value]) -> Value:
        """Return what is kept for a key, or else make and keep it."""
        if key not in self._kept:
            made = make(key)
            if len(self._kept) >= self._most:
                del self._kept[next(iter(self._kept))]
            self._kept[key] = made
        return self._kept[key]
