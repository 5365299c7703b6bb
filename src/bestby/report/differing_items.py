"""The items on which two systems differ: what `Comparison.disagreements` returns."""

from __future__ import annotations

import copyreg
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

from bestby._core import checks
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.text import quoted
from bestby.report.reported import shown_in, written
from bestby.results.base import MetricInfo

Order = Literal["effect", "won", "lost", "item"]
ORDERS: tuple[Order, ...] = ("effect", "won", "lost", "item")
"""The orders of the items: the largest effects first; those that A won, or lost, first; as they came."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An item on which two systems, A and B, differ.

    Parameters
    ----------
    item : str or int
        Its id; its position, from 0, where items have no ids.
    gold, prediction_a, prediction_b : object
        The gold and what the two systems gave, as they came in; the gold is None if there was none.
    effect : float
        What the item adds to the difference A minus B, on the scale of the metric: half of what the
        difference changes by if A and B exchange what they gave on this item. Of a mean over n items it is
        the difference of the two scores of the item over n, and the effects of all items sum to the
        difference. NaN where the metric is undefined after the exchange.
    winner : str or None
        The system that the item speaks for, whichever direction of the metric is better; None if for neither.
    score_a, score_b : float or None
        The scores of the item, where the metric is their mean; otherwise None.
    cluster : object
        The cluster of the item, both of two crossed groupings; None if there are none.

    See Also
    --------
    Disagreements : Holds one per item.
    """

    item: Any
    gold: Any
    prediction_a: Any
    prediction_b: Any
    effect: float
    winner: str | None
    score_a: float | None = None
    score_b: float | None = None
    cluster: Any = None


COLUMNS = tuple(field.name for field in fields(Disagreement))


@dataclass(frozen=True, slots=True, repr=False)
class Disagreements(Sequence[Disagreement]):
    """The items on which two systems differ, in an order.

    Parameters
    ----------
    metric, a, b : str
        The metric and the two systems.
    rows : tuple of Disagreement
        The items.
    n_items : int
        The number of all items, also of those on which the two do not differ.

    See Also
    --------
    Comparison.disagreements : Makes it.

    Examples
    --------
    >>> from bestby import compare
    >>> result = compare({"new": [1, 1, 1, 1, 0, 1], "old": [1, 0, 1, 0, 1, 1]}, gold=[1] * 6, n_resamples=99)
    >>> found = result.disagreements("new", "old", order="lost")
    >>> found
    <Disagreements: new and old differ on 3 of 6 items in accuracy; new won 2 and lost 1.>
    >>> [row.item for row in found], [row.item for row in found.lost]
    ([4, 1, 3], [4])
    """

    metric: str
    a: str
    b: str
    rows: tuple[Disagreement, ...]
    n_items: int

    @property
    def won(self) -> tuple[Disagreement, ...]:
        """The items that speak for A."""
        return tuple(row for row in self.rows if row.winner == self.a)

    @property
    def lost(self) -> tuple[Disagreement, ...]:
        """The items that speak for B."""
        return tuple(row for row in self.rows if row.winner == self.b)

    def to_frame(self, *, backend: str | None = None) -> Any:
        """Return a row per item as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            The library of the frame; by default the first of these that is installed.
        """
        from bestby.report import data

        columns = {name: [getattr(row, name) for row in self.rows] for name in COLUMNS}
        return data.frame(columns, backend)

    @overload
    def __getitem__(self, key: int) -> Disagreement: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[Disagreement, ...]: ...
    def __getitem__(self, key: int | slice) -> Disagreement | tuple[Disagreement, ...]:
        return self.rows[key]

    def __iter__(self) -> Iterator[Disagreement]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        from bestby.report import items

        sentence: str = items.items_sentence(self)
        return f"<Disagreements: {sentence}>"

    def __str__(self) -> str:
        from bestby.report import items

        return items.items_text(self)


ItemsOf: TypeAlias = Callable[[str, str, str, Order], Disagreements]
"""Finds the items by the metric, the two systems and the order."""


class ItemsAtHand:
    """What a result can do whose data are at hand; its field `_items` finds the items, or is None."""

    __slots__ = ()

    if TYPE_CHECKING:  # fields and methods of the class that has it
        _items: ItemsOf | None
        metrics: tuple[MetricInfo, ...]

        def score(self, system: str, metric: str | None = None) -> Any: ...  # noqa: D102

    def disagreements(
        self, a: str, b: str, metric: str | None = None, *, order: Order = "effect"
    ) -> Disagreements:
        """Return the items on which two systems differ, with gold, predictions, cluster and effect.

        Parameters
        ----------
        a, b : str
            The two systems; effects are on the difference A minus B.
        metric : str, optional
            One of the metrics; the first by default.
        order : {"effect", "won", "lost", "item"}
            The largest effects first, whatever their sign; the items that A won, or those that A lost, first;
            or as they came.

        Returns
        -------
        Disagreements
            A record per item on which the two differ in what the metric counts. They hold the gold, which you
            may not want to publish.

        Raises
        ------
        DesignError
            If the result does not have its items at hand: it is not of `compare` or `evaluate`, it was
            loaded, copied or unpickled, or the rows of a large table were counted as they were read.
        InvalidInputError
            If there is no such system, metric or order.

        See Also
        --------
        Disagreement : What is known of an item, and what its effect is.

        Notes
        -----
        Of a metric that is no function of sums, such as a function of your own, the score is computed again
        for every item on which the two differ.

        Examples
        --------
        >>> from bestby import compare
        >>> result = compare({"new": [1, 0, 1, 1], "old": [1, 1, 1, 0]}, gold=[1, 1, 0, 1], n_resamples=99)
        >>> [(row.item, row.winner, row.effect) for row in result.disagreements("new", "old")]
        [(1, 'old', -0.25), (3, 'new', 0.25)]
        """
        name = metric or self.metrics[0].name
        for system in (a, b):
            self.score(system, name)
        if a == b:
            raise InvalidInputError(f"a and b must be two systems, got {quoted(a)} twice")
        checks.choice(order, ORDERS, "order")
        return self._items_of()(name, a, b, order)

    def _items_of(self) -> ItemsOf:
        """Return what finds the items; an error where the result has none."""
        if self._items is None:
            raise DesignError(
                "the items of this comparison are not at hand: only the results of compare and evaluate have"
                " them, and those that were loaded or copied do not",
                hint="compare the data again in this session, with one run of each system:"
                " compare(...).disagreements(a, b)",
            )
        return self._items

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what is pickled or copied: the data stay behind, as in JSON.

        Python before 3.11.4 replaces a `__getstate__` of dataclasses with slots.
        """
        state = [None if one.name == "_items" else getattr(self, one.name) for one in fields(self)]  # type: ignore[arg-type]
        return copyreg.__newobj__, (type(self),), state  # type: ignore[attr-defined]

    @with_suggestions
    def to_html(
        self,
        path: str | Path | None = None,
        *,
        top: int | None = None,
        percent: bool = False,
        items: bool = False,
    ) -> str:
        """Return one self-contained HTML page; write it to `path` if given.

        Parameters
        ----------
        path : str or Path, optional
            Where to write it.
        top : int, optional
            How many of the best systems are shown; by default all of up to 50, and 20 of more. Where not all
            are shown, the page can be searched for them and for each pair.
        percent : bool
            As for `table`.
        items : bool
            Add the items on which the systems differ, up to 300 per metric. This publishes their gold and
            predictions.

        Raises
        ------
        DesignError
            If the items are asked for and not at hand, as for `disagreements`.
        """
        from bestby.report.writers import html

        if items:
            self._items_of()
        return written(
            html.to_html(shown_in(self, percent), top, items=items),
            path,
        )
