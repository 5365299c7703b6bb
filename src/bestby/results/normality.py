"""What `normality` returns."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby.results.base import Note


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
    """

    name: str
    statistic: float
    p_value: float
    error: float = 0.0


@dataclass(frozen=True, slots=True)
class Normality:
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
    notes : tuple of Note
        What must be known to read them.
    """

    n: int
    mean: float
    std: float
    skewness: float
    kurtosis: float
    tied: float
    tests: tuple[NormalityTest, ...]
    notes: tuple[Note, ...] = ()

    def __getitem__(self, name: str) -> NormalityTest:
        for test in self.tests:
            if test.name == name:
                return test
        raise InvalidInputError(
            f"there is no test {quoted(name)} here",
            hint="one of: " + ", ".join(test.name for test in self.tests),
        )

    def __str__(self) -> str:
        moments = (
            f"{self.n} values: mean {self.mean:.4g}, standard deviation {self.std:.4g}, skewness"
            f" {self.skewness:.2f}, excess kurtosis {self.kurtosis:.2f}, {self.tied:.0%} tied"
        )
        lines = [moments]
        lines += [f"  {t.name:16}  {t.statistic:7.4f}  p = {t.p_value:.2g}" for t in self.tests]
        lines += [f"  Note: {note.message}" for note in self.notes]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return plain dictionaries, lists and numbers."""
        found = asdict(self)
        found["tests"], found["notes"] = list(found["tests"]), [note.message for note in self.notes]
        return found
