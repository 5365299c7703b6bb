"""What `aso`, `multi_aso` and `normality` return."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from bestby._core import rounding
from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby.report.reported import Drawn, Reported, record_called
from bestby.results.base import Note, Provenance
from bestby.results.values import TestResult


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StochasticOrder(Drawn, Reported):
    """How nearly the runs of system A are stochastically better than those of system B.

    Parameters
    ----------
    a, b : str
        The two systems.
    violation_ratio : float
        0 if A is better at every quantile, 1 if B is; NaN if the samples are the same.
    standard_error : float
        Of the violation ratio, by the bootstrap.
    epsilon_min : float
        Upper confidence bound of the violation ratio, at the level.
    level : float
        The confidence level after correction for the number of comparisons.
    n_a, n_b : int
        Number of runs.
    test : TestResult
        One-sided permutation test. Its statistic is the violation ratio shrunk towards 1/2.
    notes : tuple of Note
        What must be known about this result.
    provenance : Provenance or None
        Settings, versions, seed and data hash; None of one of several orders, which have it together.

    See Also
    --------
    bestby.aso : Makes it.
    StochasticOrders : One for every two systems.
    """

    _scales: ClassVar[Mapping[str, float]] = {}

    a: str
    b: str
    violation_ratio: float
    standard_error: float
    epsilon_min: float
    level: float
    n_a: int
    n_b: int
    test: TestResult
    notes: tuple[Note, ...] = ()
    provenance: Provenance | None = None

    kind: ClassVar[str] = "ordering"

    @staticmethod
    def _report() -> Any:
        from bestby.questions.order import ordering_report

        return ordering_report

    @staticmethod
    def _figure() -> Any:
        from bestby.questions.order.figure import order

        return order

    @property
    def p_value(self) -> float:
        """How often A would come out as well if the runs of both systems were exchangeable."""
        return self.test.p_value

    @property
    def dominant(self) -> bool:
        """Whether A is almost stochastically better: whether the p-value is at most 1 - level."""
        return rounding.at_most(self.test.p_value, round(1.0 - self.level, 14))

    @property
    def below_half(self) -> bool:
        """Whether `epsilon_min` is below 0.5, where custom calls A almost stochastically dominant."""
        return self.epsilon_min < 0.5

    @property
    def below_fifth(self) -> bool:
        """Whether `epsilon_min` is below 0.2, the customary stricter limit."""
        return self.epsilon_min < 0.2

    @property
    def sentence(self) -> str:
        """The result in plain words."""
        from bestby.questions.order import ordering_report

        return ordering_report.order_sentence(self)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StochasticOrders(Drawn, Reported):
    """Almost stochastic order between every two systems; matrices are read row over column.

    Parameters
    ----------
    systems : tuple of str
        The systems, in the order of rows and columns.
    orders : dict
        For each two systems (a, b), in both directions, how nearly a is better than b.
    notes : tuple of Note
        What must be known about these results: one note for each cause, however many pairs have it. Every
        order has the notes on its own pair.
    provenance : Provenance or None
        Settings, versions, seed and data hash.

    See Also
    --------
    bestby.multi_aso : Makes it.
    bestby.compare_runs : Makes it beside the differences.
    """

    systems: tuple[str, ...]
    orders: dict[tuple[str, str], StochasticOrder]
    notes: tuple[Note, ...] = ()
    provenance: Provenance | None = None

    kind: ClassVar[str] = "ordering"

    @staticmethod
    def _report() -> Any:
        from bestby.questions.order import ordering_report

        return ordering_report

    @staticmethod
    def _figure() -> Any:
        from bestby.questions.order.figure import orders

        return orders

    def __getitem__(self, key: tuple[str, str]) -> StochasticOrder:
        if key not in self.orders:
            raise InvalidInputError(
                f"no order between {quoted(key)} here",
                hint=f"result[row, column] with two of: {', '.join(self.systems)}",
            )
        return self.orders[key]

    def find(self, a: str, b: str) -> StochasticOrder | None:
        """Return how nearly A is better than B; None if there is no such pair."""
        return self.orders.get((a, b))

    def __iter__(self) -> Iterator[StochasticOrder]:
        return iter(self.orders.values())

    def __len__(self) -> int:
        return len(self.orders)

    @property
    def violation_ratio(self) -> Any:
        """The violation ratios, shape (S, S); NaN on the diagonal."""
        return self._matrix("violation_ratio")

    @property
    def epsilon_min(self) -> Any:
        """The upper confidence bounds, shape (S, S); NaN on the diagonal."""
        return self._matrix("epsilon_min")

    @property
    def p_value(self) -> Any:
        """The p-values, before correction, shape (S, S); NaN on the diagonal."""
        return self._matrix("p_value")

    @property
    def dominant(self) -> Any:
        """Where the row is almost stochastically better than the column, booleans, shape (S, S)."""
        return self._matrix("dominant") == 1.0

    def _matrix(self, value: str) -> Any:
        import numpy as np

        rows = [
            [float("nan") if a == b else float(getattr(self.orders[a, b], value)) for b in self.systems]
            for a in self.systems
        ]
        return np.array(rows)


@dataclass(frozen=True, slots=True)
class NormalityTest:
    """One test of normality.

    Parameters
    ----------
    name : str
        ``"shapiro-wilk"``, ``"anderson-darling"`` or ``"lilliefors"``.
    statistic : float
        W, A² or D, of the standardised values.
    p_value : float
        If the values were a sample of some normal distribution.
    error : float
        Monte Carlo standard error of the p-value; 0 if nothing was simulated.

    See Also
    --------
    Normality : Holds one per test.
    """

    name: str
    statistic: float
    p_value: float
    error: float = 0.0


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Normality(Drawn, Reported):
    """How far a sample is from a normal distribution.

    Parameters
    ----------
    n : int
        Number of values.
    mean, std, skewness, kurtosis : float
        Of the values; the standard deviation with n - 1, the kurtosis in excess of the normal one.
    tied : float
        Share of the values that are not the first of their kind: no sample of a normal distribution has any.
    tests : tuple of NormalityTest
        Shapiro-Wilk, Anderson-Darling, Lilliefors.
    order_statistics : tuple of (int, float)
        Ranks, from 1, and values: of all values up to 200, of more a selection that has both tails.
    notes : tuple of Note
        What must be known to read them.
    provenance : Provenance
        Settings, versions, seed and data hash.

    See Also
    --------
    bestby.normality : Makes it.
    """

    n: int
    mean: float
    std: float
    skewness: float
    kurtosis: float
    tied: float
    tests: tuple[NormalityTest, ...]
    order_statistics: tuple[tuple[int, float], ...]
    notes: tuple[Note, ...]
    provenance: Provenance

    kind: ClassVar[str] = "normality"

    @staticmethod
    def _report() -> Any:
        from bestby.questions.order import normality_report

        return normality_report

    @staticmethod
    def _figure() -> Any:
        from bestby.questions.order.figure import normality

        return normality

    def __getitem__(self, name: str) -> NormalityTest:
        return record_called(name, self.tests, "name", "test")
