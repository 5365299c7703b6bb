"""Scores by a judge, some of them beside human labels: what labels of so many items can show."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import chdtri, stdtrit

from bestby._core import checks, rounding
from bestby._core.arrays import as_array
from bestby._core.errors import InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.text import counted, quoted
from bestby._core.typing import Array, ArrayLike, BoolArray, FloatArray, IntArray
from bestby.inference.clusters import equal_units
from bestby.inference.powered_intervals import FEW

LEAST_LABELS = 5
"""Labels from which on the formula of the variance is used."""

LEAST_ERRORS = FEW
"""Errors of the judge among the labels from which the size of its error is known well enough to plan on."""

LEAST_OF_STRATUM = 2
"""Labels of a stratum that tell its variance."""


@with_suggestions
@dataclass(frozen=True)
class JudgedScores:
    """Human scores of some items beside a judge's scores of all: what is assumed of them.

    The scores are those of one system, or the differences of two on the same item.

    Parameters
    ----------
    sd : float
        The standard deviation of the human scores of items, or of the differences of two systems.
    correlation : float
        The correlation of human and judge over items: of the differences, where systems are compared. It is
        often far lower for differences than for scores.
    n_items : int, optional
        How many items the judge scores; the labelled ones are among them.
    design_effect : float
        By how much clusters multiply the variance.
    pilot_labels : int, optional
        The number of labels from which `sd` and `correlation` were estimated: a plan then says too how many
        labels it takes if both variances are at their upper 80 % limits. None: they are known.
    n_strata : int
        The number of strata, if the labels are drawn from strata in proportion to their size: `sd` and
        `correlation` are those inside the strata then, `sd` the root of the mean of their variances.
    error_share : float, optional
        The share of the items that carry the judge's error: those on which it is wrong. A pilot measures it.
        By default (1 - correlation²) sd², as of scores 0 and 1, of their differences, or of others that
        differ by about 1; pass 1 for a judge that is slightly wrong everywhere, as of continuous scores.

    Raises
    ------
    InvalidInputError
        If `sd` is not positive, the correlation is not between -1 and 1, or a number is not positive.

    See Also
    --------
    bestby.plan_labels : How many labels it takes.
    bestby.allocate : How to divide a budget between judged and labelled items.

    Notes
    -----
    The estimate is that of PPI++ [1]_ for a mean with its best tuning constant: the mean of n labels, moved
    by the regression of human on judge to the judge's mean of all N items. Its variance is
    sd² ((1 - r²) / n · (1 + 1 / (n - 3)) + r² / N), which is sd² / n for r = 0; the factor is what
    estimating the constant costs with normal scores [2]_. With H strata [3]_ the 3 is H + 2, and what lies
    between the strata adds nothing, as `compare_judged` takes their shares as given. Neyman's allocation
    needs no more labels than a proportional one, if the standard deviations it rests on are right. The
    formula is an approximation: it misleads if few items have a large error of the judge (0/1 scores with few
    disagreements), and with fewer than some 50 labels. So plans take at least as many labels as are expected
    to hold five errors of the judge, or as labels alone would take.

    References
    ----------
    .. [1] Angelopoulos, Duchi & Zrnic (2023), PPI++: Efficient prediction-powered inference,
       arXiv:2311.01453, section 6.
    .. [2] Cochran (1977), Sampling Techniques, 3rd ed., section 12.6.
    .. [3] Fisch et al. (2024), Stratified prediction-powered inference for effective hybrid evaluation of
       language models, NeurIPS, arXiv:2406.04291.

    Examples
    --------
    >>> from bestby import plan_labels
    >>> from bestby.planning import JudgedScores
    >>> plan_labels(
    ...     JudgedScores(sd=0.5, correlation=0.7, n_items=5000), half_width=0.05
    ... ).n_labels
    208
    """

    sd: float
    correlation: float
    n_items: int | None = None
    design_effect: float = 1.0
    pilot_labels: int | None = None
    n_strata: int = 1
    error_share: float | None = None

    name: ClassVar[str] = "judged scores"

    def __post_init__(self) -> None:
        for what in ("sd", "design_effect"):
            value = checks.amount(getattr(self, what), what)
            if not (math.isfinite(value) and value > 0.0):
                raise InvalidInputError(
                    f"{what} must be a positive number, got {value}",
                    hint="a pilot measures it",
                    argument=what,
                )
        if not abs(checks.amount(self.correlation, "correlation")) <= 1.0:
            raise InvalidInputError(
                f"correlation must lie between -1 and 1, got {self.correlation}",
                hint="a pilot with both scores measures it",
                argument="correlation",
            )
        for what in ("n_items", "pilot_labels"):
            value = getattr(self, what)
            if value is not None and checks.positive_int(value, what) < LEAST_LABELS:
                raise InvalidInputError(f"{what} must be at least {LEAST_LABELS}, got {value}", argument=what)
        checks.positive_int(self.n_strata, "n_strata")
        share = self.error_share
        if share is not None and not 0.0 <= checks.amount(share, "error_share") <= 1.0:
            raise InvalidInputError(
                f"error_share must lie between 0 and 1, got {share}",
                hint="a pilot measures it; 1 for a judge that is slightly wrong everywhere",
                argument="error_share",
            )

    @property
    def least_labels(self) -> int:
        """The labels from which on the formula is used."""
        return LEAST_LABELS + self.n_strata - 1

    @property
    def share_of_errors(self) -> float:
        """The share of the items that carry the judge's error, given or as of scores 0 and 1.

        >>> round(JudgedScores(sd=0.333, correlation=0.94).share_of_errors, 4)
        0.0129
        """
        if self.error_share is not None:
            return self.error_share
        return min(1.0, (1.0 - self.correlation**2) * self.sd**2)

    @property
    def labels_with_errors(self) -> float:
        """How many labels are expected to hold five errors of the judge; infinite if it makes none."""
        return math.ceil(LEAST_ERRORS / self.share_of_errors) if self.share_of_errors > 0.0 else math.inf

    def freedom(self, labels: ArrayLike) -> FloatArray:
        """Return the degrees of freedom of the standard error with the judge; one more without."""
        return np.asarray(labels, dtype=np.float64) - self.n_strata - 1.0

    @classmethod
    def from_pilot(
        cls,
        judge: ArrayLike | Mapping[str, ArrayLike],
        human: ArrayLike | Mapping[str, ArrayLike],
        *,
        strata: ArrayLike | None = None,
        n_items: int | None = None,
        design_effect: float = 1.0,
    ) -> Self:
        """Return the design with the spread and the correlation of a pilot.

        Parameters
        ----------
        judge, human : array_like, shape (n,), or mapping of two systems to them
            The judge's score of every item, and the human one, NaN or None where there is none. Of two
            systems the differences are planned for, the first minus the second.
        strata : array_like, shape (n,), optional
            The stratum of every item, if labels will be drawn from strata in proportion to their size. How
            the labels of the pilot were divided over them does not matter, if chance chose them in each.
        n_items : int, optional
            How many items the judge will score; by default as many as in the pilot.
        design_effect : float
            As for the class.

        Returns
        -------
        JudgedScores
            With the residual variance over n - 2, so that a small pilot does not flatter the judge.

        Raises
        ------
        InvalidInputError
            If lengths differ, fewer than five items have both scores, the human scores do not vary inside the
            strata, or a stratum has fewer than two labels.

        Examples
        --------
        >>> human = [1, 0, 1, 1, 0, 0, 1, None, None, None]
        >>> pilot = JudgedScores.from_pilot(
        ...     [0.9, 0.2, 0.7, 0.8, 0.4, 0.1, 0.5, 0.6, 0.3, 0.8], human
        ... )
        >>> round(pilot.correlation, 2), pilot.n_items, pilot.pilot_labels
        (0.84, 10, 7)
        """
        x, y = _pilot_numbers(judge, human)
        is_labelled = ~np.isnan(y)
        m = int(is_labelled.sum())
        if m < LEAST_LABELS or float(np.ptp(y[is_labelled])) == 0.0:
            raise InvalidInputError(
                f"a pilot needs at least {LEAST_LABELS} items with human scores that vary, got {m}"
                f"{' that are all the same' if m >= LEAST_LABELS else ''}",
                hint="label more items, or give the standard deviation and the correlation themselves",
                argument="human",
            )
        codes = _stratum_codes(strata, is_labelled)
        n_strata = int(codes.max()) + 1
        least = LEAST_LABELS + n_strata - 1
        within, residual, slope, errors = _variances(x, y, is_labelled, codes)
        if m < least or within == 0.0:
            raise InvalidInputError(
                f"{m} labels in {n_strata} strata, inside which human scores must vary; at least"
                f" {least} are needed",
                hint="label more items, or join strata",
                argument="strata",
            )
        items = int(x.size) if n_items is None else n_items
        correlation = math.copysign(math.sqrt(max(0.0, 1.0 - residual / within)), slope)
        return cls(math.sqrt(within), correlation, items, design_effect, m, n_strata, errors)

    def standard_error(self, labels: ArrayLike, items: ArrayLike) -> FloatArray:
        """Return the standard error with so many labels among so many judged items."""
        n, total = np.asarray(labels, dtype=np.float64), np.asarray(items, dtype=np.float64)
        r2 = self.correlation**2
        variance = (1.0 - r2) / n * (1.0 + 1.0 / (self.freedom(n) - 1.0)) + r2 / total
        se: FloatArray = self.sd * np.sqrt(self.design_effect * variance)
        return se

    def standard_error_alone(self, labels: ArrayLike) -> FloatArray:
        """Return the standard error of the mean of so many labels without the judge."""
        se: FloatArray = self.sd * np.sqrt(self.design_effect / np.asarray(labels, dtype=np.float64))
        return se

    def cautious(self) -> Self:
        """Return the design with both variances of the pilot at their upper 80 % limits."""
        if self.pilot_labels is None:
            return self
        freedom = self.pilot_labels - self.n_strata
        upper = self.sd**2 * _raised(freedom)
        residual = self.sd**2 * (1.0 - self.correlation**2) * _raised(freedom - 1)
        correlation = math.copysign(math.sqrt(max(0.0, 1.0 - residual / upper)), self.correlation)
        return replace(self, sd=math.sqrt(upper), correlation=correlation, pilot_labels=None)

    @property
    def assumed_words(self) -> str:
        """The assumptions, as one writes them in a sentence."""
        text = f"human scores with standard deviation {self.sd:.4g}, correlation {self.correlation:.3g}"
        text += " with the judge's"
        if self.n_strata > 1:
            text += f", both inside {self.n_strata} strata"
        if self.design_effect != 1.0:
            text += f", design effect {self.design_effect:.3g}"
        return f"{text}, from {self.pilot_labels} labels" if self.pilot_labels else text

    def settings(self) -> dict[str, Any]:
        """Return the assumptions by name, as plain values."""
        return asdict(self)


def t_quantile(alpha: float, df: FloatArray) -> FloatArray:
    """Return the two-sided critical value of Student's t."""
    value: FloatArray = -stdtrit(df, alpha / 2.0)
    return value


def _raised(freedom: int) -> float:
    """Return by how much a variance with these degrees of freedom is multiplied in a cautious plan."""
    return freedom / float(chdtri(freedom, 0.8))  # chdtri takes the upper tail: an upper limit at 80 %


# -- a pilot ---------------------------------------------------------------------------------------


def _pilot_numbers(judge: Any, human: Any) -> tuple[FloatArray, FloatArray]:
    """Return the judge's and the human numbers of each item: scores, or differences of two systems."""
    if isinstance(judge, Mapping) != isinstance(human, Mapping):
        raise InvalidInputError(
            "judge and human must both be scores of one system, or both those of two",
            hint='judge={"a": ..., "b": ...}, human={"a": ..., "b": ...}',
            argument="human",
        )
    if not isinstance(judge, Mapping):
        return _joined(judge, human)
    if len(judge) != 2 or {*judge} != {*human}:
        raise InvalidInputError(
            f"a pilot has the judge and the humans on the same two systems, got {quoted([*judge])} and"
            f" {quoted([*human])}",
            hint="choose two: their differences are planned for",
            argument="judge",
        )
    (x_a, y_a), (x_b, y_b) = (_joined(judge[name], human[name]) for name in judge)
    if x_a.size != x_b.size:
        raise InvalidInputError(
            f"both systems need the same items, got {x_a.size} and {x_b.size}",
            hint="put None where a label is missing",
            argument="judge",
        )
    return x_a - x_b, y_a - y_b


def _joined(judge: Any, human: Any) -> tuple[FloatArray, FloatArray]:
    x, y = _scores(judge, "judge"), _scores(human, "human")
    if x.size != y.size or np.isnan(x).any():
        what = "the judge must have scored every item" if x.size == y.size else "lengths differ"
        raise InvalidInputError(
            f"{what}: {int((~np.isnan(x)).sum())} scores by the judge, and {y.size} items with or without a"
            " label",
            hint="human has one entry per item of judge, None where there is no label",
            argument="judge",
        )
    return x, y


def _scores(values: Any, what: str) -> FloatArray:
    """Return numbers with NaN where there is none."""
    try:
        numbers = np.array(values.tolist() if hasattr(values, "tolist") else list(values), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(
            f"{what} must be numbers, got {quoted(values)}", hint="None where there is none", argument=what
        ) from error
    if numbers.ndim != 1 or np.isinf(numbers).any():
        raise InvalidInputError(
            f"{what} must be finite numbers, one per item", hint="None where there is none", argument=what
        )
    return numbers


def _stratum_codes(strata: Any, is_labelled: BoolArray) -> IntArray:
    """Return the codes of the strata of a pilot; all items are in one if none are given."""
    if strata is None:
        return np.zeros(is_labelled.size, dtype=np.int64)
    labels = as_array(strata, "strata")
    if labels.size != is_labelled.size:
        raise InvalidInputError(
            f"strata must have one entry per item, {is_labelled.size}, got {labels.size}",
            hint="of all judged items of the pilot, labelled or not",
            argument="strata",
        )
    names, codes = np.unique(_texts(labels), return_inverse=True)
    codes = codes.reshape(-1)
    counts = np.bincount(codes[is_labelled], minlength=names.size)
    few = int(np.argmin(counts))
    if counts[few] < LEAST_OF_STRATUM:
        raise InvalidInputError(
            f"stratum {quoted(str(names[few]))} has {counted(int(counts[few]), 'label')} in the pilot, and"
            f" {LEAST_OF_STRATUM} are the least",
            hint="label more of its items, or join it with another stratum",
            argument="strata",
        )
    return codes


def _texts(labels: Array) -> Array:
    """Return the names of the strata; None and NaN are refused."""
    values = labels.tolist()
    if any(map(checks.missing, values)):
        raise InvalidInputError("an item has no stratum", hint="give each one", argument="strata")
    return np.array([str(value) for value in values])


def _variances(
    x: FloatArray, y: FloatArray, is_labelled: BoolArray, strata: IntArray
) -> tuple[float, float, float, float]:
    """Return the variance of human scores inside strata, what a judge leaves of it, and on how many items.

    They are the mean variance inside the strata, each counted as its share of the items; what the regression
    on the judge leaves of it, and its slope; and the share of the labels that carry what is left: as many of
    equal weight have its variance. `x` are scores of all items by the judge, `y` those of humans, where there
    are labels; strata have codes from 0. A label counts as the share of its stratum among all items over the
    labels of the stratum, so that it does not matter how they were divided over the strata.
    """
    shares = np.bincount(strata) / strata.size
    code = strata[is_labelled]
    counts = np.bincount(code, minlength=shares.size)
    weights = (shares / counts)[code]
    means = np.bincount(code, weights=y[is_labelled]) / counts
    deviations = y[is_labelled] - means[code]
    judge = x[is_labelled] - (np.bincount(code, weights=x[is_labelled]) / counts)[code]
    variances = np.bincount(code, weights=deviations**2) / (counts - 1.0)
    bottom = float((weights * judge) @ judge)
    slope = float((weights * judge) @ deviations) / bottom if bottom > 0.0 else 0.0
    rest = deviations - slope * judge
    left = np.bincount(code, weights=rest**2) / (counts - 1.0)
    freedom = float(counts.sum() - shares.size)
    residual = float(shares @ left) * freedom / (freedom - (bottom > 0.0))
    has_error = not rounding.is_nothing(float(np.abs(rest).max()), float(np.abs(deviations).max()))
    errors = equal_units((weights * rest) ** 2) / code.size if has_error else 0.0
    return float(shares @ variances), residual, slope, errors
