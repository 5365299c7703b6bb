"""Blocks of consecutive items in place of clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby._core.keywords import with_suggestions


@with_suggestions
@dataclass(frozen=True)
class Blocks:
    """Consecutive items as clusters: pieces of one text, or of a series, near ones alike.

    Blocks of so many items are resampled and swapped together. Take blocks much longer than the dependence
    reaches, and ten of them at the least.

    Parameters
    ----------
    size : int
        Items in a block.

    Raises
    ------
    InvalidInputError
        If the size is no whole number of at least 1.

    See Also
    --------
    bestby.compare : Takes them as `clusters`.

    Examples
    --------
    >>> from bestby import Blocks, compare
    >>> words = {"new": [1, 1, 0, 1, 1, 0, 1, 1] * 25, "old": [1, 0, 0, 1, 1, 0, 0, 1] * 25}
    >>> compare(words, clusters=Blocks(10))["new", "old"].interval.method
    'cr2'
    """

    size: int

    def __post_init__(self) -> None:
        checks.positive_int(self.size, "size")

    def __iter__(self) -> NoReturn:
        """Refuse to be read as a cluster per item, as functions do that take no blocks."""
        raise InvalidInputError(
            f"clusters must be a cluster per item here, got {self!r}",
            hint="bestby.compare, evaluate and gate take blocks; or number the blocks:"
            f" clusters=[item // {self.size} for item in range(n)]",
            argument="clusters",
        )


def clusters_and_blocks(clusters: Any) -> tuple[Any, int | None]:
    """Return the clusters, or else the items in a block."""
    return (None, clusters.size) if isinstance(clusters, Blocks) else (clusters, None)
