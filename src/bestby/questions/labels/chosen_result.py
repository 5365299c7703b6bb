"""What `choose_items` returns: the items to label, with their probabilities of being drawn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from bestby.results.base import Note, Provenance, Reported
from bestby.results.drawn import Drawn


@dataclass(frozen=True, slots=True)
class ChosenItem:
    """An item to label.

    Parameters
    ----------
    item : str or int
        Its id; its position, from 0, where items have no ids.
    cluster : str or None
        Its cluster, which was drawn as a whole; None without clusters.
    stratum : str or None
        The stratum that it was drawn from; None without strata.
    probability : float
        The probability with which it was drawn, in (0, 1].

    See Also
    --------
    ChosenItems : Holds one for every item drawn.
    """

    item: str | int
    cluster: str | None
    stratum: str | None
    probability: float


@dataclass(frozen=True, slots=True)
class ChosenStratum:
    """How many units were drawn from a stratum.

    Parameters
    ----------
    name : str
        Its name: a value of the column of strata, or the range of the scores that it holds.
    n_units, n_chosen : int
        The number of items (or clusters) that it has, and that were drawn from it.
    probability : float
        `n_chosen` over `n_units`: the probability with which each of its items was drawn.
    sd : float or None
        The standard deviation that Neyman's allocation went by; None for a proportional one.

    See Also
    --------
    ChosenItems : Holds one per stratum.
    """

    name: str
    n_units: int
    n_chosen: int
    probability: float
    sd: float | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ChosenItems(Drawn, Reported):
    """The answer of `choose_items`: which items to label, and how probable it was to draw each.

    Parameters
    ----------
    chosen : tuple of ChosenItem
        The items drawn, in the order in which they are to be labelled; the items of a cluster lie together.
    strata : tuple of ChosenStratum
        One per stratum; one called "all" without strata.
    n_items, n_clusters : int
        What was drawn from; 0 clusters without clusters.
    stratify_by : str or None
        What the strata were made of: "score", "disagreement", "strata" for those given, or None.
    allocation : {"proportional", "neyman"}
        How the draw is divided over the strata.
    shuffled : bool
        Whether `chosen` is in random order; otherwise in the order of the data.
    notes : tuple of Note
        What must be known.
    provenance : Provenance
        Settings, versions, seed and data hash.

    See Also
    --------
    bestby.choose_items : Makes it.
    """

    chosen: tuple[ChosenItem, ...]
    strata: tuple[ChosenStratum, ...]
    n_items: int
    n_clusters: int
    stratify_by: str | None
    allocation: str
    shuffled: bool
    notes: tuple[Note, ...]
    provenance: Provenance

    described_by: ClassVar[str] = "chosen"
    drawn_by: ClassVar[str] = "bestby.questions.labels.chosen_figure.chosen"

    def __len__(self) -> int:
        return len(self.chosen)

    def __iter__(self) -> Iterator[ChosenItem]:
        return iter(self.chosen)

    @property
    def items(self) -> tuple[str | int, ...]:
        """The ids of the items drawn."""
        return tuple(one.item for one in self.chosen)

    @property
    def probabilities(self) -> tuple[float, ...]:
        """The probability of each item drawn."""
        return tuple(one.probability for one in self.chosen)
