"""The differences of thousands of systems: columns of numbers, from which a record is made when asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, TypeVar, overload

import numpy as np

from bestby._core.cached import cached_property
from bestby._core.chunks import chunks
from bestby._core.typing import Alternative, Array, FloatArray, IntArray
from bestby.inference.multiplicity import alpha_at, rejects
from bestby.report.comparison import Difference
from bestby.results.base import Note, notes_about
from bestby.results.values import Interval, TestResult

VERDICTS = (None, "better", "worse", "equivalent", "inconclusive", "not worse", "not better")
"""What the codes of `Pairs.verdict` mean."""

Positions = TypeVar("Positions", int, IntArray)

IDENTICAL = "the two systems do not differ on any item"


@dataclass(frozen=True, eq=False)
class Pairs(Sequence[Difference]):
    """The differences of one metric, exact and without resamples, a column per number.

    Parameters
    ----------
    metric, greater_is_better
        As for `Difference`.
    names, scores : tuple of str, length S, and ndarray, shape (S,)
        The systems and their scores.
    a, b : ndarray of int, shape (P,)
        Positions of the two systems of each pair; the pairs of one A stand together.
    estimate, low, high : ndarray, shape (P,)
        A minus B and the ends of its interval.
    standard_error, p_value, p_adjusted, statistic, n_differing : ndarray, shape (P,)
        As for `Difference` and its test.
    how, verdict : ndarray of int, shape (P,)
        How the reference distribution was obtained, as a position in `methods`; positions in `VERDICTS`.
    methods : tuple of str
        What `how` means.
    interval, test : str or None
        The methods of the intervals and of the test; None if there are none: `low`, `high` and
        `standard_error`, or `p_value`, `p_adjusted` and `statistic`, are then NaN.
    n_items, level, alternative, margin
        As for `Difference` and its test.
    told : mapping of int to tuple of Note
        The notes of a difference, by the number of items that differ.
    equivalence, equivalence_level : tuple of two ndarray, shape (P,), or None; float
        The ends of the intervals of two one-sided tests, None without a margin; their level.

    See Also
    --------
    Differences : Those on all metrics.
    """

    metric: str
    greater_is_better: bool
    names: tuple[str, ...]
    scores: FloatArray
    a: Array
    b: Array
    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    standard_error: FloatArray
    p_value: FloatArray
    p_adjusted: FloatArray
    statistic: FloatArray
    n_differing: Array
    how: Array
    verdict: Array
    methods: tuple[str, ...]
    n_items: int
    level: float
    interval: str | None
    test: str | None
    alternative: Alternative
    told: Mapping[int, tuple[Note, ...]]
    margin: float | None = None
    equivalence: tuple[FloatArray, FloatArray] | None = None
    equivalence_level: float = 0.0

    exact: ClassVar[bool] = True
    error_method: ClassVar[str] = "formula"

    def __post_init__(self) -> None:
        columns = [getattr(self, column.name) for column in fields(self)]
        for value in (*columns, *(self.equivalence or ())):
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    def __len__(self) -> int:
        return int(self.a.size)

    @overload
    def __getitem__(self, key: int) -> Difference: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[Difference, ...]: ...
    def __getitem__(self, key: int | slice) -> Difference | tuple[Difference, ...]:
        if isinstance(key, slice):
            return tuple(self.at(np.arange(len(self))[key]))
        position = range(len(self))[key]
        return next(iter(self.at(np.array([position]))))

    def __iter__(self) -> Iterator[Difference]:
        for part in chunks(len(self), 16):  # some columns each
            yield from self.at(np.arange(part.start, part.stop))

    def at(self, positions: Array) -> Iterator[Difference]:
        """Yield the differences at some positions."""
        for record in self._fields_at(positions):
            yield Difference(**record)

    def _method(self, asked: str, how: int) -> str:  # noqa: ARG002
        """Return the method of the interval or test of a pair, by what was asked for."""
        return asked

    def _fields_at(self, positions: Array) -> Iterator[dict[str, Any]]:
        """Yield the fields of the differences at some positions, by name."""
        columns = (self.a, self.b, self.estimate, self.low, self.high, self.p_value, self.p_adjusted)
        more = (self.standard_error, self.statistic, self.n_differing, self.how, self.verdict)
        scores = self.scores.tolist()
        rows = zip(*(column[positions].tolist() for column in (*columns, *more)), strict=True)
        equivalence = self._equivalence_intervals(positions)
        for row, tost in zip(rows, equivalence, strict=True):
            a, b, estimate, low, high, p, adjusted, error, statistic, n_differing, how, verdict = row
            interval = test = None
            if self.interval is not None:
                interval = Interval(low, high, self.level, self._method(self.interval, how), True)
            if self.test is not None:
                test = TestResult(
                    self._method(self.test, how), p, self.alternative, self.exact, self.methods[how],
                    statistic=statistic,
                )  # fmt: skip
            about = (self.metric, self.names[a], self.names[b])
            yield {
                "metric": self.metric,
                "a": self.names[a],
                "b": self.names[b],
                "estimate": estimate,
                "score_a": scores[a],
                "score_b": scores[b],
                "level": self.level,
                "interval": interval,
                "test": test,
                "p_adjusted": None if test is None else adjusted,
                "greater_is_better": self.greater_is_better,
                "n_items": self.n_items,
                "n_differing": n_differing,
                "verdict": VERDICTS[verdict],
                "margin": self.margin,
                "notes": notes_about(self.told.get(n_differing, ()), *about),
                "equivalence_interval": tost,
                "standard_error": None if interval is None else error,
                "standard_error_method": None if interval is None else self.error_method,
            }

    def _equivalence_intervals(self, positions: Array) -> Iterator[Interval | None]:
        if self.equivalence is None or self.interval is None:
            yield from [None] * positions.size
            return
        for low, high in zip(*(column[positions].tolist() for column in self.equivalence), strict=True):
            yield Interval(low, high, self.equivalence_level, self.interval, True)

    @property
    def significant(self) -> Sequence[bool | None] | Array:
        """As `Difference.significant`, of each pair."""
        if self.test is None:
            return [None] * len(self)
        return rejects(self.p_adjusted, alpha_at(self.level))

    @cached_property
    def sides(self) -> IntArray:
        """The winner of each pair: 1 for A, -1 for B, 0 for none; tests of counts never oppose the scores."""
        if self.test is None:
            return np.zeros(len(self), dtype=np.int64)
        sides = np.sign(self.statistic).astype(np.int64)
        shown = rejects(self.p_adjusted, alpha_at(self.level))
        if self.alternative != "two-sided":
            shown &= sides == (1 if self.alternative == "greater" else -1)
        return np.where(shown, sides if self.greater_is_better else -sides, 0)

    @property
    def winner(self) -> list[str | None]:
        """As `Difference.winner`, of each pair."""
        names = np.array([*self.names, None], dtype=object)
        place = np.where(self.sides > 0, self.a, np.where(self.sides < 0, self.b, -1))
        winners: list[str | None] = names[place].tolist()
        return winners

    def values(self, path: str) -> Sequence[Any] | Array | None:
        """Return an attribute of all differences, by its path from a `Difference`; None if none is held."""
        size = len(self)
        match path:
            case "a" | "b":
                return [self.names[place] for place in (self.a if path == "a" else self.b).tolist()]
            case "score_a" | "score_b":
                return self.scores[self.a if path == "score_a" else self.b]
            case "metric" | "level":
                return [getattr(self, path)] * size
            case "interval.low" | "interval.high":
                return self.low if path.endswith("low") else self.high
            case "interval.method" | "test.name":
                asked = getattr(self, path.partition(".")[0])
                return [asked and self._method(asked, how) for how in self.how.tolist()]
            case "equivalence_interval.low" | "equivalence_interval.high":
                low, high = self.equivalence or ([None] * size, [None] * size)
                return low if path.endswith("low") else high
            case "exact":
                return np.full(size, self.exact)
            case "n_differing":
                return self.n_differing.astype(np.int64)
            case "verdict":
                return [VERDICTS[code] for code in self.verdict.tolist()]
            case "standard_error_method":
                return [self.error_method] * size
            case _:
                # The ends of other intervals are columns of this name
                column: Sequence[Any] | Array | None = getattr(self, path.replace("_interval.", "_"), None)
                return column

    def find(self, a: str, b: str) -> int | None:
        """Return the position of A minus B, None if there is none."""
        if a not in self.names or b not in self.names:
            return None
        first, second = self.names.index(a), self.names.index(b)
        start, stop = self._blocks[:, first].tolist()
        position = np.flatnonzero(self.b[start:stop] == second)
        return start + int(position[0]) if position.size else None

    @cached_property
    def _blocks(self) -> IntArray:
        """Where the pairs of each A begin and end, shape (2, S)."""
        edges = np.flatnonzero(np.diff(self.a, prepend=-1, append=-1))
        blocks = np.zeros((2, len(self.names)), dtype=np.int64)
        blocks[:, self.a[edges[:-1]]] = edges[:-1], edges[1:]
        return blocks

    def involving(self, system: str) -> Array:
        """Return the positions of the pairs that a system is one of."""
        if system not in self.names:
            return np.zeros(0, dtype=np.int64)
        place = self.names.index(system)
        return np.flatnonzero((self.a == place) | (self.b == place))

    def with_notes(self) -> Array:
        """Return the positions of the pairs that have notes."""
        return np.flatnonzero(np.isin(self.n_differing, list(self.told)))

    def same(self, other: Pairs) -> bool:
        """Return whether everything is equal, to the bit."""
        return all(
            _same(one, another) if isinstance(one, np.ndarray | tuple) else one == another
            for one, another in (
                (getattr(self, column.name), getattr(other, column.name)) for column in fields(self)
            )
        )


def _same(one: Any, another: Any) -> bool:
    """Return whether two arrays are equal; NaN, which stands for what was not computed, equals NaN."""
    numbers = isinstance(one, np.ndarray) and one.dtype.kind == "f"
    return np.array_equal(one, another, equal_nan=numbers)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Differences(Sequence[Difference]):
    """The differences of a comparison of many systems: as a tuple of them, but each is made when asked for.

    Parameters
    ----------
    parts : tuple of Pairs or of tuple of Difference
        The differences, one part per metric.

    See Also
    --------
    Comparison : Holds them if there are thousands of pairs.
    Pairs : Those on one metric.

    Examples
    --------
    >>> from bestby import compare
    >>> import numpy as np
    >>> right = np.random.default_rng(0).random((70, 200)) < 0.7
    >>> result = compare({f"s{i}": row for i, row in enumerate(right.astype(int))})
    >>> len(result.differences), result.differences[0] == next(iter(result))
    (2415, True)
    """

    parts: tuple[Pairs | tuple[Difference, ...], ...]

    def __len__(self) -> int:
        return sum(len(part) for part in self.parts)

    @overload
    def __getitem__(self, key: int) -> Difference: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[Difference, ...]: ...
    def __getitem__(self, key: int | slice) -> Difference | tuple[Difference, ...]:
        if isinstance(key, slice):
            return tuple(self[position] for position in range(len(self))[key])
        position = range(len(self))[key]
        for part in self.parts:
            if position < len(part):
                return part[position]
            position -= len(part)
        raise IndexError(key)  # for the reader: the range above has raised it

    def __iter__(self) -> Iterator[Difference]:
        for part in self.parts:
            yield from part

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Differences) and len(self.parts) == len(other.parts):
            both = list(zip(self.parts, other.parts, strict=True))
            if all(isinstance(one, Pairs) and isinstance(another, Pairs) for one, another in both):
                return all(one.same(another) for one, another in both)  # type: ignore[arg-type, union-attr]
        if not isinstance(other, Differences | tuple):
            return NotImplemented
        return len(self) == len(other) and all(one == d for one, d in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"<{len(self)} differences>"

    def find(self, metric: str, a: str, b: str) -> Difference | None:
        """Return A minus B on a metric as it is stored, None if it is not."""
        for part in self.parts:
            if isinstance(part, Pairs):
                position = part.find(a, b) if part.metric == metric else None
                if position is not None:
                    return part[position]
            else:
                for d in part:
                    if (d.metric, d.a, d.b) == (metric, a, b):
                        return d
        return None


def differences_on(differences: Sequence[Difference], metric: str) -> Sequence[Difference]:
    """Return the differences on one metric, those of many as their columns."""
    for part in parts_of(differences):
        if isinstance(part, Pairs) and part.metric == metric:
            return part
    held = (part for part in parts_of(differences) if not isinstance(part, Pairs))
    return tuple(d for part in held for d in part if d.metric == metric)


def involving(differences: Sequence[Difference], metric: str, system: str) -> tuple[Difference, ...]:
    """Return the differences on one metric that a system is one of."""
    part = differences_on(differences, metric)
    if isinstance(part, Pairs):
        return tuple(part.at(part.involving(system)))
    return tuple(d for d in part if system in (d.a, d.b))


def position_among_all(first: Positions, second: Positions, size: int) -> Positions:
    """Return where pairs stand among all pairs of `size` systems: (0, 1), (0, 2), ..., (1, 2), and so on.

    >>> [position_among_all(first, second, 4) for first, second in [(0, 1), (0, 3), (1, 2), (2, 3)]]
    [0, 2, 3, 5]
    """
    return first * size - first * (first + 1) // 2 + second - first - 1


def examples(differences: Sequence[Difference]) -> list[tuple[Difference, int]]:
    """Return differences that show how all were had, and how many are like each."""
    shown: list[tuple[Difference, int]] = []
    for part in parts_of(differences):
        if isinstance(part, Pairs):
            alike = [part.how == code for code in np.unique(part.how)]
            first = [(int(same.argmax()), int(same.sum())) for same in alike]
            shown += [(part[position], count) for position, count in sorted(first)]
        else:
            shown += [(d, 1) for d in part]
    return shown


def notes_of(differences: Sequence[Difference]) -> tuple[Note, ...]:
    """Return the notes of all differences."""
    return tuple(
        note
        for part in parts_of(differences)
        for d in (part.at(part.with_notes()) if isinstance(part, Pairs) else part)
        for note in d.notes
    )


def parts_of(differences: Sequence[Difference]) -> tuple[Sequence[Difference], ...]:
    """Return the parts of many differences, those of few as one.

    >>> parts_of(())
    ((),)
    """
    return differences.parts if isinstance(differences, Differences) else (differences,)
