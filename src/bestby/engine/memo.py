"""What was made is kept for whoever asks for it next, up to a size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class Memo(Generic[Key, Value]):
    """The results of a function by its argument: the oldest ones make room for another.

    `size` says how much of the room, `most`, a result takes; by default each takes one place.

    >>> import math
    >>> roots = Memo[float, float](2)
    >>> [roots.get(x, math.sqrt) for x in (4.0, 9.0, 16.0)], len(roots)
    ([2.0, 3.0, 4.0], 2)
    """

    def __init__(self, most: int, size: Callable[[Value], int] | None = None) -> None:
        self._most, self._size = most, size
        self._kept: dict[Key, Value] = {}
        self._taken = 0

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: Key, make: Callable[[Key], Value]) -> Value:
        """Return what is kept for a key, or else make and keep it."""
        if key not in self._kept:
            made = make(key)
            self._taken += self._size_of(made)
            while self._kept and self._taken > self._most:
                self._taken -= self._size_of(self._kept.pop(next(iter(self._kept))))
            self._kept[key] = made
        return self._kept[key]

    def _size_of(self, value: Value) -> int:
        return 1 if self._size is None else self._size(value)
