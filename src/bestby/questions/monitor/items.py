"""The items of a monitor: checked, each counted once, clusters whole; the looks they reach; their order."""

from __future__ import annotations

import math
import re
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from bestby._core import checks
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import FloatArray, IntArray
from bestby.questions.monitor.confidence_sequences import Units
from bestby.questions.monitor.settings import SPENDING_METHODS, Settings
from bestby.results.base import Note


class Entry(NamedTuple):
    """A new item that was checked: its id, the scores of the systems that are running, its cluster."""

    item: str | int
    row: Sequence[float]
    cluster: str | int | None


class Collected:
    """Scores of items in the order in which they came; only `put` and `close` change it.

    A unit is an item or a whole cluster. The items of a cluster follow one another; the last cluster is open
    until another begins.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.items: list[str | int] = []
        self.clusters: list[str | int | None] = []
        self.closed: list[int] = []
        """For each closed unit, how many items there were with its last one."""
        self.ends: list[int] = self.closed if settings.looks is None else []
        """For each unit that counts, how many items there were with its last one.

        With planned looks units count up to the last look that was reached.
        """
        self._largest: list[int] = []  # the size of the largest unit up to each one
        self._place: dict[str | int, int] = {}
        self._column = {name: place for place, name in enumerate(settings.systems)}
        # Room for the first items: it doubles when it is full
        self._scores: FloatArray = np.full((256, len(settings.systems)), np.nan)
        self._new = array("d")
        """Rows that are not among `_scores` yet: NumPy takes as long for one of them as for many."""
        self._closed: set[str | int] = set()

    def __len__(self) -> int:
        return len(self.items)

    @property
    def clustered(self) -> bool:
        """Whether the items come in clusters."""
        return bool(self.clusters) and self.clusters[0] is not None

    @property
    def scores(self) -> FloatArray:
        """The scores, shape (items, systems); NaN for systems that had been dropped."""
        n_items, width = len(self.items), len(self._column)
        if self._new:
            while n_items > len(self._scores):
                self._scores = np.concatenate([self._scores, np.full_like(self._scores, np.nan)])
            new = np.array(self._new).reshape(-1, width)
            self._scores[n_items - len(new) : n_items] = new
            self._new = array("d")
        return self._scores[:n_items]

    @property
    def n_counted(self) -> int:
        """The number of items in units that count."""
        return self.ends[-1] if self.ends else 0

    @property
    def n_closed(self) -> int:
        """The number of items in closed units."""
        return self.closed[-1] if self.closed else 0

    def reach_look(self) -> bool:
        """Count the units up to the next planned look, and tell whether they are there."""
        looks = self.settings.looks
        n_units = None if looks is None else due(looks, self.closed, self.n_counted)
        if n_units is None:
            return False
        self.ends += self.closed[len(self.ends) : n_units]
        return True

    def checked(self, item: Any, scores: Any, cluster: Any, running: Sequence[str]) -> Entry | None:
        """Return what is to be put, or None if the item is there already; nothing changes here."""
        name = _identifier(item, "item")
        row = self._row(name, scores, running)
        group = None if cluster is None else _identifier(cluster, "cluster")
        if name in self._place:
            self._check_same(name, row, group)
            return None
        self._check_room(name, group)

        return Entry(name, row, group)

    def put(self, entry: Entry) -> None:
        """Take a new item that was checked."""
        place = len(self.items)
        if entry.cluster is not None and place and self.clusters[-1] != entry.cluster:
            self.close()
        self._new.extend(entry.row)
        self._place[entry.item] = place
        self.items.append(entry.item)
        self.clusters.append(entry.cluster)
        if entry.cluster is None or place + 1 == self.settings.n_items:
            self.close()

    def close(self) -> None:
        """Count the open cluster; no more items of it may come."""
        n_items, size = len(self.items), len(self.items) - self.n_closed
        if size > 0:
            largest = self._largest[-1] if self._largest else 0
            self._largest.append(size if size > largest else largest)
            self.closed.append(n_items)
            if self.clusters[-1] is not None:
                self._closed.add(self.clusters[-1])

    def units(self, first: int, last: int, columns: Sequence[int]) -> tuple[FloatArray, IntArray]:
        """Return the mean scores of closed units (units, columns) and their sizes."""
        ends = self._ends(first, last)
        sizes = np.diff(ends)
        part = self.scores[ends[0] : ends[-1]][:, list(columns)]
        if not self.clustered:
            return part, sizes
        sums = np.add.reduceat(part, ends[:-1] - ends[0], axis=0) if sizes.size else part[:0]
        return sums / sizes[:, None], sizes

    def pair(self, a: int, b: int, n_units: int, *, first: int = 0) -> Units:
        """Return the differences of two systems on the first closed units, or those from one on."""
        means, sizes = self.units(first, n_units, (a, b))
        return Units((means[:, 0] - means[:, 1])[:, None], sizes, self.weights(first, n_units))

    def weights(self, first: int, last: int) -> FloatArray:
        """Return the sizes of units as shares of the largest, given or seen so far."""
        largest = self.settings.largest_cluster if self.clustered else None
        shares: FloatArray = np.diff(self._ends(first, last)) / (
            self._largest[first:last] if largest is None else largest
        )
        return shares

    def _ends(self, first: int, last: int) -> IntArray:
        """Return the number of items before the first unit that counts, and with each of the units."""
        return np.array([self.ends[first - 1] if first else 0, *self.ends[first:last]], dtype=np.int64)

    # -- checks --------------------------------------------------------------------------------------

    def _row(self, item: str | int, scores: Any, running: Sequence[str]) -> list[float]:
        if not isinstance(scores, Mapping):
            raise InvalidInputError(
                f"item {quoted(item)}: scores must be a mapping of systems to scores, got {quoted(scores)}",
                hint='monitor.add("q1", {"a": 1, "b": 0})',
            )
        column = self._column
        if scores.keys() != column.keys():
            self._check_names(item, scores, running)
        row = [math.nan] * len(column)
        for name in running:
            row[column[name]] = self._score(scores[name], name, item)
        self._check_largest(item, row)
        return row

    def _check_largest(self, item: str | int, row: Sequence[float]) -> None:
        """Refuse systems that differ by more than was said to be possible."""
        largest = self.settings.largest
        if largest is None:
            return
        there = [score for score in row if score == score]
        reach = max(there) - min(there)
        if reach > largest:
            raise InvalidInputError(
                f"on item {quoted(item)} two systems differ by {reach:g}, and largest is {largest:g}",
                hint=f"correct the scores; if they are right, start a new monitor: largest={reach!r} or more",
            )

    def _check_names(self, item: str | int, scores: Mapping[str, Any], running: Sequence[str]) -> None:
        """Refuse a score of a system that is not monitored, and the lack of one that is running."""
        unknown = next((name for name in scores if name not in self._column), None)
        if unknown is not None:
            raise InvalidInputError(
                f"item {quoted(item)} has a score of {quoted(unknown)}, which is not monitored",
                hint=f"systems: {', '.join(self._column)}",
            )
        absent = next((name for name in running if name not in scores), None)
        if absent is not None:
            raise InvalidInputError(
                f"item {quoted(item)} has no score of system {quoted(absent)}",
                hint="add an item when all systems that are still running have answered it; give a failed"
                " answer the score that it should count as",
            )

    def _score(self, value: Any, system: str, item: str | int) -> float:
        bounds = self.settings.bounds
        if type(value) in (int, float) and bounds is not None and bounds[0] <= value <= bounds[1]:
            return float(value)  # nearly always: messages are only made where they are needed
        what = f"the score of {quoted(system)} on item {quoted(item)}"
        score = checks.number(value, what)
        if not abs(score) <= checks.LARGEST:  # NaN too
            raise InvalidInputError(f"{what} must be finite, got {value}", hint=checks.ASK_VALUE)
        if bounds is not None and not bounds[0] <= score <= bounds[1]:
            raise InvalidInputError(
                f"{what} must lie between {bounds[0]:g} and {bounds[1]:g}, got {score:g}",
                hint="correct the score; if it is right, start a new monitor with other bounds (bestby watch"
                " has --bounds and --unbounded)",
            )
        return score

    def _check_same(self, item: str | int, row: Sequence[float], cluster: str | int | None) -> None:
        place = self._place[item]
        for system, first_score, score in zip(
            self.settings.systems, self.scores[place].tolist(), row, strict=True
        ):
            if first_score != score and not math.isnan(first_score) and not math.isnan(score):
                raise InvalidInputError(
                    f"item {quoted(item)} was added before with the score {first_score:g} of {system}, and"
                    f" now with {score:g}",
                    hint="the first score is kept; give items of different content different ids",
                )
        if cluster != self.clusters[place]:
            raise InvalidInputError(
                f"item {quoted(item)} was added before in cluster {quoted(self.clusters[place])}, and now in"
                f" {quoted(cluster)}",
                hint="the first cluster is kept",
            )

    def _check_room(self, item: str | int, cluster: str | int | None) -> None:
        if self.settings.n_items is not None and len(self.items) >= self.settings.n_items:
            raise InvalidInputError(
                f"item {quoted(item)} is one more than the {self.settings.n_items} items announced",
                hint="start a new monitor with the right n_items",
            )
        if self.items and (cluster is None) == self.clustered:
            raise InvalidInputError(
                f"item {quoted(item)} has {'no' if cluster is None else 'a'} cluster, unlike those before",
                hint="give all items a cluster, or none",
            )
        if cluster is None:
            return
        if cluster in self._closed:
            raise InvalidInputError(
                f"item {quoted(item)} is of cluster {quoted(cluster)}, which was complete",
                hint="add all items of a cluster one after the other, before those of the next",
            )
        largest, start = self.settings.largest_cluster, self.n_closed
        same = bool(self.items) and self.clusters[-1] == cluster
        if largest is not None and same and len(self.items) - start >= largest:
            raise InvalidInputError(
                f"cluster {quoted(cluster)} has more than {largest} items, the largest_cluster announced",
                hint="start a new monitor with the right largest_cluster",
            )
        method = self.settings.method
        if self.settings.looks is not None and method not in SPENDING_METHODS:
            raise DesignError(
                f"method={method!r} needs looks at the planned numbers of items, and clusters are whole",
                hint=f"pass method={SPENDING_METHODS[0]!r}, which allows for looks somewhat later",
                argument="method",
            )


def _identifier(value: Any, what: str) -> str | int:
    """Return an id that a file can hold."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str) and value:
        return checks.check_text(value, f"the {what} id")
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    article = "an" if what == "item" else "a"
    raise InvalidInputError(
        f"the id of {article} {what} must be text or a whole number, got {quoted(value)}",
        hint=f"pass the id that the benchmark gives the {what}, such as 'q417'",
    )


# -- planned looks -------------------------------------------------------------------------------------------


def due(looks: Sequence[int], ends: Sequence[int], n_counted: int) -> int | None:
    """Return after how many units the next look comes, None if it is not reached yet.

    >>> due((4, 8), [1, 3, 5, 7], 0), due((4, 8), [1, 3, 5, 7], 5)
    (3, None)
    """
    target = next((count for count in looks if count > n_counted), None)
    place = len(ends) if target is None else bisect_left(ends, target)
    return place + 1 if place < len(ends) else None


def reached(looks: Sequence[int], ends: Sequence[int]) -> tuple[int, ...]:
    """Return the numbers of items at the looks that were reached.

    >>> reached((4, 8), [1, 3, 5, 7, 9, 11])
    (5, 9)
    """
    counts: list[int] = []
    while (units := due(looks, ends, counts[-1] if counts else 0)) is not None:
        counts.append(ends[units - 1])
    return tuple(counts)


def look_counts(settings: Settings, units: Units) -> tuple[int, ...]:
    """Return the numbers of items at the looks that some units reach; none if no looks are planned."""
    return () if settings.looks is None else reached(settings.looks, np.cumsum(units.sizes).tolist())


# -- whether the order may have been random ------------------------------------------------------------------


_NUMBER = re.compile(r"\d+")
_LAST_NUMBER = re.compile(r"\d+\D*$")

_FEW = 20
"""Units below which an order tells nothing."""

_SIGMAS = 4.3
"""Standard deviations beyond which an order is not random: by chance once in 50,000 logs."""

Identifier = str | int


def order_note(items: Sequence[Identifier], clusters: Sequence[Identifier | None]) -> Note | None:
    """Return a note if items, or the clusters that they are in, came in an order that is not random.

    Two things tell: that the units come in the order of their ids, forwards or backwards, on the whole if not
    one by one; and that units whose ids begin alike, such as those of one subject, come together. The units
    are the clusters if there are any.
    """
    if clusters and clusters[0] is not None:
        starts = [place for place, one in enumerate(clusters) if not place or one != clusters[place - 1]]
        groups = [cluster for place in starts if (cluster := clusters[place]) is not None]
        return _note_of_units("clusters", groups) or _note_of_units(
            "clusters", [items[place] for place in starts]
        )
    return _note_of_units("items", items)


def _note_of_units(what: str, ids: Sequence[Identifier]) -> Note | None:
    """Return a note if units with these ids are not in random order."""
    n = len(ids)
    if n < _FEW:
        return None
    names = [str(one) for one in ids]
    correlation = rank_correlation(names)
    if abs(correlation) * math.sqrt(n - 1.0) > _SIGMAS:
        way = "" if correlation > 0.0 else "reverse "
        return Note(
            "order_of_ids",
            f"the {n} {what} came in the {way}order of their ids (rank correlation {correlation:.2f}): the"
            f" intervals hold only if the order is random, so shuffle the {what} before they are scored",
        )
    stretches, expected, deviation = stretches_of([_stem(name) for name in names])
    if expected - stretches > _SIGMAS * deviation:
        or_cluster = "" if what == "clusters" else ", or give the cluster of each item"
        return Note(
            "order_of_groups",
            f"{what} whose ids begin alike came together ({stretches} stretches, and about {expected:.0f} in"
            f" random order): the intervals hold only if the order is random, so shuffle the {what} before"
            f" they are scored{or_cluster}",
        )
    return None


def rank_correlation(names: Sequence[str]) -> float:
    """Return Spearman's correlation of the places of names with their order, numbers in them as numbers.

    In random order its standard deviation is 1 / sqrt(n - 1).

    >>> rank_correlation(["q1", "q2", "q10", "q11"]), rank_correlation(["b", "a"])
    (1.0, -1.0)
    """
    n = len(names)
    keys = [_natural(name) for name in names]
    ranks = np.empty(n)
    ranks[sorted(range(n), key=keys.__getitem__)] = np.arange(n)
    gaps = ranks - np.arange(n)
    return 1.0 - 6.0 * float(gaps @ gaps) / (n * (n * n - 1.0))


def stretches_of(groups: Sequence[str]) -> tuple[int, float, float]:
    """Return the number of stretches of one group, and its mean and standard deviation in random order.

    Barton & David (1957), Multiple runs, Biometrika 44, 168-178.

    >>> stretches, mean, deviation = stretches_of("aaabbbccc")
    >>> stretches, mean, round(deviation, 2)
    (3, 7.0, 1.22)
    """
    n = len(groups)
    stretches = 1 + sum(one != two for one, two in pairwise(groups))
    sizes = np.array(list(Counter(groups).values()), dtype=np.float64)
    squares, cubes = float(sizes @ sizes), float((sizes**3).sum())
    mean = (n * (n + 1.0) - squares) / n
    variance = (squares * (squares + n * (n + 1.0)) - 2.0 * n * cubes - n**3) / (n * n * (n - 1.0))
    return stretches, mean, math.sqrt(max(variance, 0.0))


def _natural(name: str) -> str:
    """Return what a name is sorted by, so that q9 comes before q10, and q as q0 does.

    Before each number stands how long it is: texts are compared faster than lists of their parts.

    >>> sorted(["q10", "q9", "q9a", "r1", "q-1"], key=_natural)
    ['q9', 'q9a', 'q10', 'q-1', 'r1']
    """
    return _NUMBER.sub(_with_length, name if name[-1:].isdecimal() else name + "0")


def _with_length(number: re.Match[str]) -> str:
    """Return a number without zeros before it, after its length; both are below any letter."""
    digits = number[0]
    if not digits.isascii():
        digits = "".join(str(int(one)) for one in digits)
    digits = digits.lstrip("0")
    return f"\0{chr(len(digits))}{digits}"


def _stem(name: str) -> str:
    """Return an id without its last number and what follows that.

    >>> _stem("anatomy/17"), _stem("doc3-q5b"), _stem("17")
    ('anatomy/', 'doc3-q', '')
    """
    return _LAST_NUMBER.sub("", name)
