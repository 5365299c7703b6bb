"""What a comparison over all numbers of attempts returns: a curve of each system, and one of each pair."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any, ClassVar, NamedTuple

from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby.report.reported import Drawn, Reported, record_called
from bestby.results.base import MetricInfo, Note, Provenance
from bestby.results.values import extent


class BetterAt(NamedTuple):
    """Where one of two systems is significantly better.

    Parameters
    ----------
    system : str
        The better system.
    first, last : int
        The smallest and the largest of neighbouring numbers of attempts k.

    See Also
    --------
    AttemptsDifference : Has them as `ranges`.
    """

    system: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class AttemptsCurve:
    """The score of one system for every number of attempts k, from 1 up.

    Parameters
    ----------
    system : str
        The system.
    scores : tuple of float
        The mean over the items, shape (K,); the first is that of one attempt.
    low, high : tuple of float
        The ends of the band, which holds for all k at once.

    See Also
    --------
    AttemptsComparison : Holds them.
    """

    system: str
    scores: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class AttemptsDifference:
    """The difference between two systems, A minus B, for every number of attempts k, from 1 up.

    Parameters
    ----------
    a, b : str
        The systems.
    difference : tuple of float
        The difference of the scores, shape (K,); positive where A is better.
    low, high : tuple of float
        The ends of the band, which holds for all k and all pairs of systems at once.

    See Also
    --------
    AttemptsComparison : Holds them.
    """

    a: str
    b: str
    difference: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]

    @property
    def better(self) -> tuple[str | None, ...]:
        """The system that is significantly better at each k; None where the band holds 0."""
        ends = zip(self.low, self.high, strict=True)
        return tuple(self.a if low > 0.0 else self.b if high < 0.0 else None for low, high in ends)

    @property
    def ranges(self) -> tuple[BetterAt, ...]:
        """Where one of the two is significantly better: runs of neighbouring k, in rising order."""
        runs = [
            (system, [k for k, _ in run])
            for system, run in groupby(enumerate(self.better, start=1), key=lambda one: one[1])
        ]
        return tuple(BetterAt(system, ks[0], ks[-1]) for system, ks in runs if system is not None)

    @property
    def crossings(self) -> tuple[tuple[int, int], ...]:
        """Between which k the curves cross significantly: the last of one system, the first of the other."""
        return tuple((x.last, y.first) for x, y in pairwise(self.ranges) if x.system != y.system)

    @property
    def significant(self) -> bool:
        """Whether the two differ significantly at some k."""
        return bool(self.ranges)

    @property
    def winner(self) -> str | None:
        """The system that is significantly better at some k, and the other one at none; else None."""
        systems = {one.system for one in self.ranges}
        return systems.pop() if len(systems) == 1 else None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AttemptsComparison(Drawn, Reported):
    """Scores of systems for every number of attempts k, and where they differ significantly.

    Parameters
    ----------
    metric : MetricInfo
        What the scores are: ``"pass@k"`` or ``"pass^k"``.
    curves : tuple of AttemptsCurve
        The curves of the systems, the highest on average over k first.
    pairs : tuple of AttemptsDifference
        The differences of every two systems; the one that comes first in `curves` minus the other.
    level : float
        The level of each band.
    fewest, most : int
        The fewest and the most samples that a system has of an item; k goes from 1 to the fewest.
    n_items, n_clusters : int
        Number of items, and of the clusters they lie in; 0 if they are independent.
    notes : tuple of Note
        What must be known about the data and the numbers.
    provenance : Provenance
        Settings, versions, seed and data hash.

    See Also
    --------
    bestby.compare_attempts : Makes it.
    bestby.load : Reads it back from JSON.
    """

    metric: MetricInfo
    curves: tuple[AttemptsCurve, ...]
    pairs: tuple[AttemptsDifference, ...]
    level: float
    fewest: int
    most: int
    n_items: int
    n_clusters: int
    notes: tuple[Note, ...]
    provenance: Provenance

    kind: ClassVar[str] = "attempts"

    @staticmethod
    def _report() -> Any:
        from bestby.questions.attempts import report

        return report

    @staticmethod
    def _figure() -> Any:
        from bestby.questions.attempts.figure import attempts

        return attempts

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems, in the order of the curves."""
        return tuple(curve.system for curve in self.curves)

    @property
    def extent(self) -> str:
        """How much was compared, in words."""
        return extent(self.n_items, self.n_clusters)

    def curve(self, system: str) -> AttemptsCurve:
        """Return the curve of a system.

        Raises
        ------
        InvalidInputError
            If there is no such system.
        """
        return record_called(system, self.curves, "system")

    def difference(self, a: str, b: str) -> AttemptsDifference:
        """Return the difference between two systems, A minus B.

        Raises
        ------
        InvalidInputError
            If the two are not compared.
        """
        for one in self.pairs:
            if (one.a, one.b) == (a, b):
                return one
            if (one.a, one.b) == (b, a):
                minus = [tuple(-x for x in values) for values in (one.difference, one.high, one.low)]
                return AttemptsDifference(a, b, *minus)
        raise InvalidInputError(
            f"no difference between {quoted(a)} and {quoted(b)} in this result",
            hint=f"systems: {', '.join(self.systems)}",
        )
