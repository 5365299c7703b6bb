"""Which interval, and why: rules on the data and the measure, with the coverage that justifies them."""

from __future__ import annotations

from dataclasses import dataclass

ENOUGH_DIFFERING = 50
"""Units that must differ between two systems before the BCa interval keeps its level."""


@dataclass(frozen=True, slots=True)
class Choice:
    """An interval method and the reason for it.

    Parameters
    ----------
    method : str
        The method.
    reason : str
        Why, in one clause.
    """

    method: str
    reason: str


def choose_interval(
    *, proportion: bool, difference: bool, n_differing: int, plain_mean: bool, stratified: bool
) -> Choice:
    """Return the interval that ``interval="auto"`` means.

    Parameters
    ----------
    proportion : bool
        Whether the quantity is a mean of 0/1 values of independent items (or a difference of two such).
    difference : bool
        Whether it is a difference of two systems rather than the score of one.
    n_differing : int
        Units on which the two systems differ (for the score of one system: units).
    plain_mean : bool
        Whether it is a mean of one number per unit.
    stratified : bool
        Whether units come in strata.

    Returns
    -------
    Choice
        Method and reason.

    Notes
    -----
    The coverage that justifies the rule is in the page "Choosing an interval", made by
    ``benchmarks/coverage.py``.

    Examples
    --------
    >>> choose_interval(proportion=True, difference=True, n_differing=9, plain_mean=True,
    ...                 stratified=False).method
    'tango'
    """
    if proportion and not stratified:
        method = "tango" if difference else "wilson"
        return Choice(method, "a score interval keeps its level for proportions, however few items differ")
    if n_differing >= ENOUGH_DIFFERING:
        return Choice("bca", f"at least {ENOUGH_DIFFERING} units differ")
    if plain_mean and not stratified:
        return Choice("studentized", f"a mean on which fewer than {ENOUGH_DIFFERING} units differ")
    return Choice("percentile", f"fewer than {ENOUGH_DIFFERING} units differ")
