"""What `normality` returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby.results.base import Note, Provenance, Reported
from bestby.results.drawn import Drawn


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

    described_by: ClassVar[str] = "normality"
    drawn_by: ClassVar[str] = "bestby.questions.order.normality_figure.normality"

    def __getitem__(self, name: str) -> NormalityTest:
        for test in self.tests:
            if test.name == name:
                return test
        raise InvalidInputError(
            f"there is no test {quoted(name)} here",
            hint="one of: " + ", ".join(test.name for test in self.tests),
        )
