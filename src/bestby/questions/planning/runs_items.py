"""Several runs of each system on the same items: both are sources of chance."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import ndtr, stdtrit

from bestby._core import arrays, checks
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.typing import ArrayLike, FloatArray, IntArray
from bestby.planning.base import (
    FEW_DF,
    PlannedDifference,
    Question,
    check_not_negative,
    cube_points,
    mean_square,
    mean_squares,
)
from bestby.results.base import Note

_POINTS, _FEW_POINTS = 2048, 512
"""Points of the integral; fewer are enough where the mean squares hardly vary."""


@with_suggestions
@dataclass(frozen=True)
class RunsAndItems(PlannedDifference):
    """Two systems, each trained in several runs, all runs scored on the same items.

    The difference of the two means has the variance

        item_sd² / items + run_sd² / runs + rest_sd² / (items × runs),

    and is compared with 0 by the t-test of `compare_runs`: its variance is estimated by components, of which
    those below 0 count as 0, and its degrees of freedom are Satterthwaite's.

    Parameters
    ----------
    difference : float
        The assumed mean difference, A minus B.
    item_sd : float
        Standard deviation, between items, of the difference of the two systems on an item, all runs averaged.
    run_sd : float
        Standard deviation, between runs, of the difference of a run of A and a run of B over all items.
    rest_sd : float
        Standard deviation of what is left of such a difference on one item.
    runs : int
        Runs of each system.
    paired_runs : bool
        Whether run r of A and run r of B share something (a seed, a split) and are subtracted.
    clipped : tuple of str
        Components whose estimate from the pilot was negative and is counted as 0.
    pilot_df : tuple of three floats, optional
        Degrees of freedom of the pilot's mean squares of items, of runs and of the rest: the power is an
        average over the variances that they leave open. None: the components are known.
    below_zero : tuple of two floats
        By how much the pilot's estimates of the variances of items and of runs were below 0.

    Raises
    ------
    InvalidInputError
        If a standard deviation is negative, or all are 0; if `pilot_df` or `below_zero` is malformed.

    Notes
    -----
    For normal components the mean squares of a two-way layout are independent multiples of chi-squares [1]_,
    and the test depends on the scores through them and the difference alone. So its power is an integral over
    them, taken over points that fill the unit cube evenly [4]_; that is right to about 0.003. The two systems
    are taken to have equal run and rest components.

    With a pilot, each point of the integral has components of its own. They are made, as estimates are, from
    the mean squares of the pilot, each divided by a chi-square over its degrees of freedom (fiducial
    distribution); those of the two systems' runs are Satterthwaite's [2]_. Components below 0 count as 0. So
    a pilot of few runs leaves open that runs vary much, even if its own estimate is 0. The average is right
    for mean squares, but for a component only nearly so: from three runs on 100 items, plans have too little
    power if the run component is small but not 0, and too much if it is 0. A study of one run of each system
    cannot be planned from a pilot, since it could not see a run component.

    References
    ----------
    .. [1] Searle, Casella & McCulloch (1992), Variance Components, section 4.
    .. [2] Satterthwaite (1946), An approximate distribution of estimates of variance components, Biometrics
       Bulletin 2, 110-114.
    .. [3] Brennan (2001), Generalizability Theory, chapters 3 and 8 (decision studies).
    .. [4] Niederreiter (1992), Random Number Generation and Quasi-Monte Carlo Methods, section 3.1.
    .. [5] Wilson and Hilferty (1931), The distribution of chi-square, PNAS 17, 684-688 (for more than 1000
       degrees of freedom).

    Examples
    --------
    >>> design = RunsAndItems(
    ...     difference=0.02, item_sd=0.3, run_sd=0.01, rest_sd=0.4, runs=5
    ... )
    >>> (
    ...     float(design.standard_error(2000, 5).round(4)),
    ...     float(design.standard_error(20_000, 5).round(4)),
    ... )
    (0.009, 0.0051)
    """

    difference: float
    item_sd: float
    run_sd: float
    rest_sd: float
    runs: int = 5
    paired_runs: bool = False
    clipped: tuple[str, ...] = ()
    pilot_df: tuple[float, float, float] | None = None
    below_zero: tuple[float, float] = (0.0, 0.0)

    name: ClassVar[str] = "runs and items"

    def __post_init__(self) -> None:
        checks.positive_int(self.runs, "runs")
        self._check_difference()
        sds = {what: checks.amount(getattr(self, what), what) for what in ("item_sd", "run_sd", "rest_sd")}
        check_not_negative(**sds)
        df = self.pilot_df
        if df is not None and not (_are_amounts(df, 3) and min(df) > 0.0):
            raise InvalidInputError(
                f"pilot_df must be three positive numbers, got {df!r}",
                hint="those of items, of runs and of the rest, as from_pilot gives them",
            )
        if not _are_amounts(self.below_zero, 2):
            raise InvalidInputError(
                f"below_zero must be two numbers of at least 0, got {self.below_zero!r}",
                hint="leave it out; from_pilot sets it",
            )
        if not any(sds.values()):
            raise InvalidInputError("without any variation there is nothing to plan", hint="give item_sd=...")

    @classmethod
    def from_pilot(
        cls,
        a: ArrayLike,
        b: ArrayLike,
        *,
        runs: int | None = None,
        paired_runs: bool = False,
        difference: float | None = None,
    ) -> Self:
        """Return the design with the variance components of a pilot.

        Parameters
        ----------
        a, b : array_like, shape (runs, items)
            Scores of every run of each system on the same items; at least 2 runs each.
        runs : int, optional
            The number of runs to plan with; that of `a` by default.
        paired_runs : bool
            Whether run r of A belongs to run r of B.
        difference : float, optional
            The difference to plan for; that of the pilot by default.

        Returns
        -------
        RunsAndItems
            Analysis-of-variance estimates of the crossed random-effects model, of the differences if the runs
            are paired, else of the two systems, whose components add up; negative ones counted as 0.

        Raises
        ------
        InvalidInputError
            If shapes do not fit.

        Examples
        --------
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> items = rng.normal(size=200)
        >>> a, b = (items * 0.5 + rng.normal(size=(5, 200)) for _ in "ab")
        >>> RunsAndItems.from_pilot(a, b).rest_sd.__round__(2)
        1.41
        """
        columns = {"a": a, "b": b}
        arrays.check_columns(columns)
        both = arrays.joined_by_key(columns, "runs") if paired_runs else columns
        x, y = (score_matrix(arrays.values_of(values), what) for what, values in both.items())
        if x.shape[1] != y.shape[1] or (paired_runs and x.shape != y.shape):
            raise InvalidInputError(
                f"both systems must have the same items{' and runs' * paired_runs},"
                f" got shapes {x.shape} and {y.shape}",
                hint="one row per run, one column per item",
            )
        layers = [x - y] if paired_runs else [x, y]
        n = x.shape[1]
        rest = [residual_mean_square(layer) for layer in layers]
        between = [float(layer.mean(axis=1).var(ddof=1)) for layer in layers]
        run = sum(between) - sum(rest) / n
        item = float((x.mean(axis=0) - y.mean(axis=0)).var(ddof=1))
        item -= sum(left / layer.shape[0] for layer, left in zip(layers, rest, strict=True))
        variances = {"item_sd": item, "run_sd": run, "rest_sd": sum(rest)}
        return cls(
            float(x.mean() - y.mean()) if difference is None else checks.number(difference, "difference"),
            **{what: math.sqrt(max(variance, 0.0)) for what, variance in variances.items()},
            runs=x.shape[0] if runs is None else runs,
            paired_runs=paired_runs,
            clipped=tuple(what for what, variance in variances.items() if variance < 0.0),
            pilot_df=(
                n - 1.0,
                pooled_df(between, [layer.shape[0] - 1 for layer in layers]),
                sum(layer.shape[0] - 1 for layer in layers) * (n - 1.0),
            ),
            below_zero=(max(-item, 0.0), max(-run, 0.0)),
        )

    @property
    def too_small(self) -> str:
        """What to do if no n is enough."""
        unknown = ", and the pilot leaves their variance uncertain" if self.pilot_df is not None else ""
        return f"items cannot make up for runs{unknown}: plan with more runs or for a larger difference"

    def _parts(self, items: ArrayLike, runs: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
        n, r = np.asarray(items, dtype=np.float64), np.asarray(runs, dtype=np.float64)
        return self.item_sd**2 / n, self.run_sd**2 / r, self.rest_sd**2 / (n * r)

    def standard_error(self, items: ArrayLike, runs: ArrayLike) -> FloatArray:
        """Return the standard error of the difference with so many items and runs (of each system)."""
        se: FloatArray = np.sqrt(sum(self._parts(items, runs)))
        return se

    @property
    def _runs_vary(self) -> bool:
        """Whether runs may vary: no pilot shows that they do not."""
        return self.run_sd > 0.0 or self.pilot_df is not None

    def power_with(self, items: ArrayLike, runs: ArrayLike, question: Question) -> FloatArray:
        """Return the power with so many items and runs; NaN where one run cannot show its own spread."""
        n, r = np.broadcast_arrays(np.atleast_1d(items), np.atleast_1d(runs))
        tested = (n > 1) & ((r > 1) | (not self._runs_vary))
        powers = [
            self._power(size, one, question) if able else math.nan
            for able, size, one in zip(tested.tolist(), n.tolist(), r.tolist(), strict=True)
        ]
        return np.array(powers).reshape(np.broadcast_shapes(np.shape(items), np.shape(runs)))

    def taken_as_true(self) -> Self:
        """Return the design whose components are those of the pilot."""
        return dataclasses.replace(self, pilot_df=None)

    @property
    def doubt_words(self) -> str:
        """The components, and how well they are known."""
        if self.pilot_df is None:
            return ""
        items, runs, _ = self.pilot_df
        degrees = f"{items:.3g} (items) and {runs:.3g} (runs) degrees of freedom"
        return f"the variances of the pilot, estimated with {degrees}"

    def _power(self, n: int, r: int, question: Question) -> float:
        """Return the power, averaged over the mean squares that the test may find.

        The difference is normal and the mean squares are independent multiples of chi-squares, of which the
        test makes its variance and degrees of freedom, as `compare_runs` does. Given them, the chance that
        it rejects is a normal one.
        """
        systems = 1 if self.paired_runs else 2
        # Runs or items up to which the nodes of the rule matter
        points = _POINTS if self.pilot_df is not None or min(n, r) <= 100 else _FEW_POINTS
        u = cube_points(points, 2 + systems + 3 * (self.pilot_df is not None))
        items, runs, rest = self._components(u[-3:])
        # The parts of the true variance of the difference
        item_part, run_part, rest_part = items / n, runs / r, rest / (n * r)
        # The mean squares over runs and items, whose expectations hold the rest too
        by_both = rest_part * mean_square(u[0], systems * (r - 1) * (n - 1))
        by_items = (item_part + rest_part) * mean_square(u[1], n - 1)
        by_runs = (run_part + rest_part) / systems * mean_square(u[2 : 2 + systems], r - 1)
        # The variance that the test finds; as a component below 0 counts as 0, so does its part of the sum.
        total = np.maximum(by_items, by_both) + np.maximum(by_runs.sum(axis=0), by_both) - by_both
        # One over its degrees of freedom, by Satterthwaite
        spread = (by_items / total) ** 2 / (n - 1) + ((by_runs / total) ** 2).sum(axis=0) / max(1, r - 1)
        critical = -stdtrit(1.0 / spread, question.tail) * np.sqrt(total)
        # Given the mean squares, the difference is normal: it is beyond the critical value with this chance.
        error = np.sqrt(item_part + run_part + rest_part)
        signs = {"two-sided": (1.0, -1.0), "greater": (1.0,), "less": (-1.0,)}[question.alternative]
        return sum(float(ndtr((sign * self.difference - critical) / error).mean()) for sign in signs)

    def _components(self, u: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the variances of items, of runs and of the rest: known, or what the pilot leaves open at u.

        Each mean square of the pilot is divided by a quantile of a chi-square over its degrees of freedom;
        the components are made of the quotients as estimates are made of mean squares.
        """
        items, runs, rest = (np.asarray(sd**2) for sd in (self.item_sd, self.run_sd, self.rest_sd))
        if self.pilot_df is None:
            return items, runs, rest
        item_df, _, rest_df = self.pilot_df
        # The items and runs of the pilot, and the mean squares that its components were estimated from
        n = item_df + 1.0
        r = rest_df / item_df / (1 if self.paired_runs else 2) + 1.0
        by_items = np.maximum(items - self.below_zero[0] + rest / r, 0.0)
        by_runs = np.maximum(runs - self.below_zero[1] + rest / n, 0.0)
        # Quantiles above 0, so that one may divide by them
        item_ratio, run_ratio, rest_ratio = (
            np.maximum(mean_square(quantile, df), 1e-100)
            for quantile, df in zip(u, self.pilot_df, strict=True)
        )
        rest = rest / rest_ratio
        items = np.maximum(by_items / item_ratio - rest / r, 0.0)
        runs = np.maximum(by_runs / run_ratio - rest / n, 0.0)
        return items, runs, rest

    def powers(self, n: IntArray, question: Question) -> tuple[FloatArray, FloatArray]:
        """Return the power at each number of items with the runs planned."""
        if self.runs == 1 and self._runs_vary:
            raise DesignError(
                "with one run of each system, systems cannot be distinguished from their runs",
                hint="plan with runs=2 or more",
            )
        return self.power_with(n, np.full(n.size, self.runs), question), np.zeros(n.size)

    test_words: ClassVar[str] = "the t-test of the mean over runs and items (Satterthwaite)"

    @property
    def assumed_words(self) -> str:
        """The assumptions."""
        paired = "paired " if self.paired_runs else ""
        return (
            f"a mean difference of {self.difference:.4g}; its standard deviation is {self.item_sd:.4g}"
            f" between items, {self.run_sd:.4g} between {paired}runs, {self.rest_sd:.4g} for the rest;"
            f" {self.runs} run{'s' * (self.runs != 1)} of each system"
        )

    def settings(self) -> dict[str, Any]:
        """Return the assumptions by name."""
        return {key: value for key, value in dataclasses.asdict(self).items() if key != "clipped"}

    def notes(self, n: int, question: Question) -> tuple[Note, ...]:  # noqa: ARG002
        """Tell of few pilot data, what share of the variance each source has, and which were negative."""
        parts = [float(part) for part in self._parts(n, self.runs)]
        shares = [round(100.0 * part / sum(parts)) for part in parts]
        notes = [
            *self._uncertain(n),
            Note(
                "shares",
                f"with {n} items and {self.runs} run{'s' * (self.runs != 1)}, items account for"
                f" {shares[0]} %, runs for {shares[1]} % and the rest for {shares[2]} % of the variance of"
                f" the difference",
            ),
        ]
        if self.clipped:
            average = "the average allows for larger values, but " if self.pilot_df is not None else ""
            notes.append(
                Note(
                    "counted_as_zero",
                    f"the pilot's estimate of {' and '.join(self.clipped)} was negative and counts as 0;"
                    f" {average}if it is not 0, the power may be far below the one stated",
                )
            )
        return tuple(notes)

    def _uncertain(self, n: int) -> tuple[Note, ...]:
        """Return a note if the pilot leaves the standard error of the study open by much."""
        if self.pilot_df is None:
            return ()
        # Runs or items that happen to vary less than the rest alone makes expect know no more for that.
        usual = dataclasses.replace(self, below_zero=(0.0, 0.0))
        items, runs, rest = usual._components(cube_points(_FEW_POINTS, 3))
        r = self.runs
        ratio = np.sqrt(items / n + runs / r + rest / (n * r)) / float(self.standard_error(n, r))
        low, high = np.quantile(ratio, [0.1, 0.9])
        if high < mean_squares(FEW_DF, np.array(0.1)) ** -0.5:
            return ()
        return (
            Note(
                "uncertain_pilot",
                f"the pilot estimates how runs vary with only {self.pilot_df[1]:.3g} degrees of freedom"
                f" and how items vary with {self.pilot_df[0]:.3g}: the true standard error of this study"
                f" may well be {low:.2g} to {high:.2g} times as large (80 % interval). The power is"
                f" averaged over this uncertainty; that of this study may be far lower, above all if the"
                f" pilot's runs varied little by chance",
            ),
        )


def _are_amounts(values: object, count: int) -> bool:
    """Return whether these are so many finite numbers of at least 0."""
    if not isinstance(values, Sequence) or len(values) != count:
        return False
    number = (int, float, np.integer, np.floating)
    return all(isinstance(value, number) and 0.0 <= value < math.inf for value in values)


def score_matrix(values: ArrayLike, what: str) -> FloatArray:
    """Return scores with a row per run and a column per item, checked."""
    array = checks.as_array(values, what)
    if array.ndim != 2 or array.dtype.kind not in "biuf" or min(array.shape) < 2:
        raise InvalidInputError(
            f"{what} must be numbers with a row per run and a column per item, at least 2 of each,"
            f" got shape {array.shape} of {array.dtype}",
        )
    if not np.isfinite(array).all():
        raise InvalidInputError(f"{what} must be finite", hint="leave out items that a run has no score for")
    return array.astype(np.float64)


# -- mean squares of a pilot ---------------------------------------------------------------------------------


def residual_mean_square(layer: FloatArray) -> float:
    """Return the mean square of what neither the run nor the item explains."""
    left = layer - layer.mean(axis=1, keepdims=True) - layer.mean(axis=0, keepdims=True) + layer.mean()
    return float((left**2).sum() / ((layer.shape[0] - 1) * (layer.shape[1] - 1)))


def pooled_df(variances: Sequence[float], df: Sequence[int]) -> float:
    """Return the degrees of freedom of a sum of variances (Satterthwaite); the least of them if all are 0."""
    total = sum(variances)
    if total == 0.0:
        return float(min(df))
    return total**2 / sum(variance**2 / one for variance, one in zip(variances, df, strict=True))
