"""What `replicability` returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bestby.results.base import Note, Provenance, Reported
from bestby.results.drawn import Drawn


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Replicability(Drawn, Reported):
    """On how many datasets there is an effect, and on which.

    Parameters
    ----------
    datasets : tuple of str
        Their names, in the order given.
    p_values : tuple of float
        One p-value per dataset.
    p_adjusted : tuple of float
        The same after Holm's correction over the datasets.
    alpha : float
        The level of the claims.
    bonferroni, fisher : tuple of float
        Entry u - 1 is the p-value of the claim "at least u datasets have an effect", no smaller than
        that of the claim before it.
    k_bonferroni : int
        The number of datasets with an effect, at least; holds under any dependence.
    k_fisher : int
        The same with more power, for independent datasets only.
    found : tuple of str
        The datasets that Holm's procedure names, in the order given; `k_bonferroni` of them.
    notes : tuple of Note
        What must be known about the result.
    provenance : Provenance or None
        Settings, versions and data hash.

    See Also
    --------
    bestby.replicability : Makes it from p-values.
    bestby.compare_datasets : Makes one per pair from scores.
    """

    datasets: tuple[str, ...]
    p_values: tuple[float, ...]
    p_adjusted: tuple[float, ...]
    alpha: float
    bonferroni: tuple[float, ...]
    fisher: tuple[float, ...]
    k_bonferroni: int
    k_fisher: int
    found: tuple[str, ...]
    notes: tuple[Note, ...] = ()
    provenance: Provenance | None = None

    described_by: ClassVar[str] = "replicability"
    drawn_by: ClassVar[str] = "bestby.report.figures.p_values.replicability"
