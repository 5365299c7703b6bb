"""The gold of a study and its runs, as they are kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bestby._core import checks
from bestby._core.files import digest
from bestby._core.text import counted, quoted
from bestby._core.typing import Array, ArrayLike

Tag = str | int | float | bool | None


@dataclass(frozen=True, eq=False)
class Gold:
    """The items of a study and their gold.

    Parameters
    ----------
    ids : ndarray, shape (n,)
        Item ids; 0 to n - 1 if there were none.
    values : ndarray, shape (n,) or (n, K)
        Labels or numbers; or, for each item, a probability for each class.
    classes : ndarray, shape (K,), or None
        The classes, in the order of the columns; None if they were never named and the gold is not soft.
    clusters : ndarray, shape (n,), or None
        The group each item belongs to.
    hash : str
        Hash of all of it, 32 hexadecimal digits; made if none is given.
    """

    ids: Array
    values: Array
    classes: Array | None = None
    clusters: Array | None = None
    hash: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "hash", self.hash or digest(self.bulk))

    def __repr__(self) -> str:
        return f"<gold of {counted(self.n_items, 'item')}>"

    @property
    def n_items(self) -> int:
        """The number of items."""
        return int(self.ids.size)

    @property
    def bulk(self) -> dict[str, Any]:
        """The values as they are stored."""
        return {
            "classes": _plain(self.classes),
            "ids": _plain(self.ids),
            "gold": _plain(self.values),
            "clusters": _plain(self.clusters),
        }

    @classmethod
    def stored(cls, content: Mapping[str, Any]) -> Gold:
        """Return the gold that a file holds."""
        return cls(
            ids=checks.column(content["ids"], "ids"),
            values=_values(content["gold"], "gold"),
            classes=_column(content["classes"], "classes"),
            clusters=_column(content["clusters"], "clusters"),
            hash=content["hash"],
        )


@dataclass(frozen=True, eq=False)
class Run:
    """The predictions of one run of one condition, in the order of the gold's items.

    Parameters
    ----------
    condition, run : str
        Their names.
    predictions : ndarray, shape (n,) or (n, K)
        Labels, numbers, or probabilities of the classes.
    gold_hash : str
        The gold they belong to.
    classes : ndarray, shape (K,), or None
        The classes of soft predictions, in the order of the columns.
    baseline : bool
        Whether other conditions are compared with this one.
    against : tuple of str, or None
        The baselines that this condition is compared with; None for all of them.
    epochs : int, float or None
        For how long it was trained.
    tags : mapping of str to text, number, bool or None
        Whatever else is to be remembered.
    added : str
        When, in UTC.
    hash : str
        Hash of the predictions, their classes and the gold: what results depend on. Made if none is given.
    """

    condition: str
    run: str
    predictions: Array
    gold_hash: str
    classes: Array | None = None
    baseline: bool = False
    against: tuple[str, ...] | None = None
    epochs: float | None = None
    tags: Mapping[str, Tag] = field(default_factory=dict)
    added: str = ""
    hash: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "hash", self.hash or digest(self.bulk))

    def __repr__(self) -> str:
        of = f"run {quoted(self.run)} of {quoted(self.condition)}"
        return f"<{of}, {self.role}: {counted(len(self.predictions), 'item')}>"

    @property
    def role(self) -> str:
        """The role of its condition, in words.

        >>> Run("h1", "0", np.array(["x"]), gold_hash="", against=("h0",)).role
        'a treatment against h0'
        """
        if self.baseline:
            return "a baseline"
        return f"a treatment against {'all baselines' if self.against is None else ', '.join(self.against)}"

    @property
    def head(self) -> dict[str, Any]:
        """What is stored of it beside the values."""
        return {
            "condition": self.condition,
            "run": self.run,
            "role": "baseline" if self.baseline else "treatment",
            "against": None if self.against is None else list(self.against),
            "epochs": self.epochs,
            "tags": dict(self.tags),
            "added": self.added,
        }

    @property
    def bulk(self) -> dict[str, Any]:
        """The values as they are stored."""
        return {
            "gold_hash": self.gold_hash,
            "classes": _plain(self.classes),
            "predictions": _plain(self.predictions),
        }

    @classmethod
    def stored(cls, content: Mapping[str, Any]) -> Run:
        """Return the run that a file holds."""
        return cls(
            condition=content["condition"],
            run=content["run"],
            predictions=_values(content["predictions"], "predictions"),
            gold_hash=content["gold_hash"],
            classes=_column(content["classes"], "classes"),
            baseline=content["role"] == "baseline",
            against=None if content["against"] is None else tuple(content["against"]),
            epochs=content["epochs"],
            tags=content["tags"],
            added=content["added"],
            hash=content["hash"],
        )


@dataclass(frozen=True, eq=False)
class Entry:
    """A run as the user has it, before it was checked; `Study.add` explains the fields."""

    condition: str
    run: str | int
    predictions: Any
    gold: Any = None
    ids: ArrayLike | None = None
    clusters: Any = None
    classes: ArrayLike | None = None
    normalise: bool = False
    baseline: bool | None = None
    against: str | Sequence[str] | None = None
    epochs: float | None = None
    tags: Mapping[str, Any] | None = None


def _plain(array: Array | None) -> list[Any] | None:
    return None if array is None else array.tolist()


def _column(values: list[Any] | None, what: str) -> Array | None:
    return None if values is None else checks.column(values, what)


def _values(values: list[Any], what: str) -> Array:
    return np.array(values, dtype=np.float64) if isinstance(values[0], list) else checks.column(values, what)
