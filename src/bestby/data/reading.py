"""What is said beside the data: how they are read, and that blocks of items stand in place of clusters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.text import quoted


@with_suggestions
@dataclass(frozen=True)
class Reading:
    """How a table, a data frame or labels are read, where that does not show in the data.

    A function takes what it can use of these, and refuses the rest.

    Parameters
    ----------
    ignore : str or sequence of str, optional
        The columns of a table, or keys, that are not systems, or systems of several files to leave out, by
        name or by pattern, such as ``"gpt-*"``.
    system_column : str, optional
        The column of a long table that names the system.
    value_column : str or mapping of str to str, optional
        The column of a long table with the prediction or score; in files also of tables with one system each.
        Of the logs of a tool it is the metric, or a mapping of tasks, or patterns of them, to the metric of
        each: ``{"gsm8k": "exact_match", "mmlu_*": "acc"}``.
    classes : sequence of str, or "columns", optional
        The classes of soft labels, in the order of the numbers of a row; in a table the names of their
        columns. "columns" means every column of a table that plays no other part. For hard labels, all labels
        there are: needed only if no system predicts a label that the gold of these items has.
    normalise : bool
        Divide every row of a soft label by its sum; otherwise it must sum to 1.
    annotators : {"fixed", "resample"}, or str or sequence of str, optional
        The gold is the labels of several annotators per item. In memory it is an `Annotations`, or an array
        of labels of shape (n, A); "resample" draws the annotators of each item again in every resample of the
        items, which does not go with two crossed groupings. In files it is the columns of the annotators, in
        the one table of all systems or in the file of the gold; some labels may be missing. A single name is
        the column that says who labelled, in a gold file with a row per item and annotator.

    Raises
    ------
    InvalidInputError
        If a parameter cannot be used as given.

    See Also
    --------
    bestby.read : Files of any format.
    bestby.compare : Data frames and arrays.

    Examples
    --------
    >>> import pandas as pd
    >>> from bestby import Reading, compare
    >>> frame = pd.DataFrame(
    ...     {
    ...         "who": ["x", "y"] * 3,
    ...         "item": [1, 1, 2, 2, 3, 3],
    ...         "ok": [1, 0, 1, 1, 1, 0],
    ...     }
    ... )
    >>> result = compare(frame, reading=Reading(system_column="who", value_column="ok"))
    >>> [score.system for score in result.systems]
    ['x', 'y']
    """

    ignore: str | Sequence[str] | None = None
    system_column: str | None = None
    value_column: str | Mapping[str, str] | None = None
    classes: Any = None
    normalise: bool = False
    annotators: str | Sequence[str] | None = None


AS_FOUND = Reading()
"""Nothing was said of how the data are to be read."""


def checked_reading(reading: Any, function: str, used: str = "") -> Reading:
    """Return how data are read; settings that are not `used` by the function are refused (all are)."""
    if reading is None:
        return AS_FOUND
    if not isinstance(reading, Reading):
        raise InvalidInputError(
            f"reading must be a Reading, got {quoted(reading)}",
            hint='reading=bestby.Reading(ignore="note")',
            argument="reading",
        )
    for entry in fields(Reading) if used else ():
        if entry.name not in used.split():
            setting = (getattr(reading, entry.name), entry.default)
            checks.refuse_unused(function, **{f"reading.{entry.name}": setting})
    return reading


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
    >>> words = {
    ...     "new": [1, 1, 0, 1, 1, 0, 1, 1] * 25,
    ...     "old": [1, 0, 0, 1, 1, 0, 0, 1] * 25,
    ... }
    >>> compare(words, clusters=Blocks(10))["new", "old"].interval.method
    'cr2'
    """

    size: int

    def __post_init__(self) -> None:
        checks.positive_int(self.size, "size")


def clusters_and_blocks(clusters: Any) -> tuple[Any, int | None]:
    """Return the clusters, or else the items in a block."""
    return (None, clusters.size) if isinstance(clusters, Blocks) else (clusters, None)
