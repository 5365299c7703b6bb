"""Tests of two systems trained and scored on the folds of one data set.

The training sets of the folds overlap, so that the differences of the folds are positively correlated
and an ordinary t test of them rejects far too often.
"""

from __future__ import annotations

import dataclasses
import math
import sys

import numpy as np
from scipy.special import fdtrc, stdtrit

from bestby._core import checks, rounding
from bestby._core.errors import InvalidInputError
from bestby._core.typing import Alternative, ArrayLike, FloatArray
from bestby.inference import classical
from bestby.inference.replicability import partial_conjunctions
from bestby.results.values import Interval, TestResult
from bestby.vocabulary import allowed_names

T_TESTS = ("corrected-t", "conservative-t")
"""The corrected t tests, each with an interval of its own."""


def corrected_t(differences: ArrayLike, ratio: float, alternative: Alternative = "two-sided") -> TestResult:
    """Nadeau and Bengio's corrected resampled t test (2003, Machine Learning 52, 239-281, section 4.2).

    If all differences are equal and not 0, the statistic is infinite and p is that of the signs alone, as for
    `bestby.inference.classical.paired_t`. `ratio` is the number of test items over that of training items in
    one fold: 1 / (k - 1) for k-fold cross-validation.

    The correction is the variance that common test items bring to many random splits. With several
    repetitions of 5 or 10 folds nothing is left for the variance that training brings, and the test rejects
    too often if training on other items changes much of what is learnt (Bouckaert & Frank 2004, PAKDD, 3-12):
    use `conservative_t` there.
    """
    return _t_test("corrected-t", differences, ratio, alternative)


def conservative_t(
    differences: ArrayLike, ratio: float, alternative: Alternative = "two-sided"
) -> TestResult:
    """Corrected resampled t test that allows for common training items as well as common test items.

    Nadeau and Bengio's variance is v s^2, v = 1 / J + rho / (1 - rho), where rho is the correlation of two
    folds; they take the share q of the items that is tested, which is the correlation if the trained models
    are the same in all folds. For learners that go by the likeness of items, the difference on a fold is a
    sum over pairs of a training and a test item. Two random splits then have the correlation rho = 2 q (1 -
    q), the chance that a split separates two items, and rho / (1 - rho) is 2 ratio / (1 + ratio^2).

    Several repetitions of K folds show in part which of the two it is. If the models are the same, the means
    of the repetitions are equal; in sums over pairs K times their variance is 2 (K - 1) / (K (K - 2)) times
    the variance within repetitions. v goes from the one limit to the other with this quotient, and no
    further; of random splits it is the upper limit. `differences`, of shape (r, K), is the score of A minus
    that of B on each fold of each repetition; random splits in a row. The statistic is the mean over sqrt(v
    s^2), on J - 1 degrees of freedom.

    The test still rejects too often if the learners choose among weak features, so that overlapping training
    sets lead to the same chance choice; five repetitions of two folds show more of that.
    """
    return _t_test("conservative-t", differences, ratio, alternative)


def _t_test(name: str, differences: ArrayLike, ratio: float, alternative: Alternative) -> TestResult:
    checks.choice(alternative, allowed_names("alternative"), "alternative")
    d, scale = _folds(differences, ratio, name)
    mean = math.fsum(d) / d.size
    if scale == 0.0:
        return _without_variance(name, d, mean, alternative)
    return classical.student(name, mean / scale, d.size - 1, alternative)


def corrected_error(differences: ArrayLike, ratio: float, method: str = "corrected-t") -> float:
    """Return the standard error of the mean difference that `corrected_t` or `conservative_t` divides by.

    >>> round(corrected_error([1, 2, 3], ratio=0.5), 4)
    0.9129
    """
    checks.choice(method, T_TESTS, "method")
    return _folds(differences, ratio, method)[1]


def variance_limits(n_folds: int, ratio: float) -> tuple[float, float]:
    """Return the least and the greatest variance of the mean, over s^2, that `conservative_t` takes.

    >>> variance_limits(10, 0.5), variance_limits(2, 1.0)
    ((0.6, 0.8), (1.5, 1.5))
    """
    least = 1.0 / n_folds + ratio
    return least, max(least, 2.0 * ratio / (1.0 + ratio * ratio))


def shows_spread(shape: tuple[int, ...]) -> bool:
    """Return whether folds of this shape show how far repetitions differ: several, of 3 or more folds.

    >>> shows_spread((10, 10)), shows_spread((5, 2)), shows_spread((10,))
    (True, False, False)
    """
    return len(shape) == 2 and shape[0] >= 2 and shape[1] >= 3


def corrected_interval(
    differences: ArrayLike, ratio: float, level: float = 0.95, method: str = "corrected-t"
) -> Interval:
    """Return the interval of the mean difference that belongs to `corrected_t` or `conservative_t`.

    If all differences are equal, their standard error of 0 says nothing and both ends are nan.
    """
    checks.choice(method, T_TESTS, "method")
    d, scale = _folds(differences, ratio, method)
    mean = math.fsum(d) / d.size
    half = float(stdtrit(d.size - 1, 0.5 * (1.0 + checks.probability(level, "level")))) * scale
    if scale == 0.0:
        half = math.nan
    return Interval(mean - half, mean + half, level, method, exact=True)


def five_by_two_t(differences: ArrayLike, alternative: Alternative = "two-sided") -> TestResult:
    """Dietterich's 5x2 cv paired t test (1998, Neural Computation 10, 1895-1923).

    Which of the ten differences stands first changes the result; `five_by_two_f` does not depend on it. The
    ten differences are taken as independent of the data that they share. With weak learners or few items the
    test rejects more often than its level: up to 15 % at 5 % in our calibration. `differences`, of shape (5,
    2), belong to both halves of five repetitions.
    """
    checks.choice(alternative, allowed_names("alternative"), "alternative")
    d, variance = _five_by_two(differences)
    first = float(d[0, 0])
    if variance == 0.0:
        return _without_variance("5x2cv-t", d, first, alternative)
    return classical.student("5x2cv-t", first / math.sqrt(variance), 5, alternative)


def five_by_two_f(differences: ArrayLike) -> TestResult:
    """Alpaydin's combined 5x2 cv F test (1999, Neural Computation 11, 1885-1892), two-sided.

    The statistic is the mean square of all ten differences over their mean variance within repetitions, on 10
    and 5 degrees of freedom. All repetitions halve the same items, so that their differences have an error in
    common that their variances do not show: with weak learners or few items the test rejects up to 17 % at 5
    % in our calibration, where `corrected_t` rejects 1 to 5 % on the same folds.
    """
    d, variance = _five_by_two(differences)
    if variance == 0.0:
        largest = float(np.abs(d).max())
        return dataclasses.replace(_without_variance("5x2cv-f", d, largest, "two-sided"), signed=False)
    f = float((d * d).sum()) / (10.0 * variance)
    p = max(float(fdtrc(10, 5, f)), sys.float_info.min)
    return TestResult("5x2cv-f", p, "two-sided", exact=False, method="asymptotic", statistic=f, signed=False)


def k_bonferroni(p_values: ArrayLike, required: int, alternative: Alternative = "two-sided") -> TestResult:
    """Test whether at least so many folds have an effect, from one p-value per fold.

    Dror, Baumer, Shlomov & Reichart (2018), The Hitchhiker's Guide to Testing Statistical Significance in
    Natural Language Processing, ACL, section 5. The test is valid under any dependence of the folds. It
    rejects if and only if the count of `bestby.replicability` by Bonferroni is at least `required`.
    """
    p = checks.p_values(p_values)
    u = checks.positive_int(required, "required")
    if u > p.size:
        raise InvalidInputError(f"{u} folds with an effect are required, but there are only {p.size}")
    value = max(float(partial_conjunctions(p, "bonferroni")[u - 1]), sys.float_info.min)
    return TestResult(
        "k-bonferroni",
        value,
        alternative,
        exact=False,
        method="partial conjunction",
        statistic=float(u),
        signed=False,
    )


def _folds(differences: ArrayLike, ratio: float, name: str) -> tuple[FloatArray, float]:
    """Return the differences in a row and the standard error of their mean, corrected as that test does."""
    table = np.asarray(checks.as_array(differences, "differences"), dtype=np.float64)
    d = table.reshape(-1)
    if d.size < 2 or not np.isfinite(d).all():
        raise InvalidInputError(
            f"differences must be two or more finite numbers, got {d.size}"
            + ("" if np.isfinite(d).all() else ", not all finite"),
            hint="give one per fold",
        )
    if not 0.0 < ratio < math.inf:
        raise InvalidInputError(
            f"ratio must be a positive number, got {ratio}",
            hint="items tested over items trained on: 1/9 for 10-fold cross-validation",
        )
    largest = float(np.abs(d).max())
    if rounding.is_nothing(float(np.ptp(d)), largest):
        return d, 0.0
    mean = math.fsum(d) / d.size
    variance = math.fsum((d - mean) ** 2) / (d.size - 1)
    factor, greatest = variance_limits(d.size, ratio)
    if name == "conservative-t":
        factor += _spread(table) * (greatest - factor)
    return d, math.sqrt(factor * variance)


def _spread(table: FloatArray) -> float:
    """Return how far the repetitions differ: 0 for models that are the same, 1 for sums over pairs."""
    if not shows_spread(table.shape):
        return 1.0
    k = table.shape[1]
    between = k * float(table.mean(axis=1).var(ddof=1))
    limit = 2.0 * (k - 1) / (k * (k - 2)) * float(table.var(axis=1, ddof=1).mean())
    return between / limit if between < limit else 1.0


def _five_by_two(differences: ArrayLike) -> tuple[FloatArray, float]:
    """Return the differences and the mean over repetitions of their variance (the sum of two squares)."""
    d = np.asarray(checks.as_array(differences, "differences"), dtype=np.float64)
    if d.shape != (5, 2) or not np.isfinite(d).all():
        raise InvalidInputError(
            f"a 5x2 cv test needs 5 repetitions of 2 folds, all finite, got shape {d.shape}",
            hint="the corrected resampled t test takes any number of folds",
        )
    variances = (d[:, 0] - d[:, 1]) ** 2 / 2.0
    if rounding.is_nothing(float(np.abs(d[:, 0] - d[:, 1]).max()), float(np.abs(d).max())):
        return d, 0.0
    return d, float(variances.mean())


def _without_variance(name: str, d: FloatArray, numerator: float, alternative: Alternative) -> TestResult:
    """Return the test where its denominator is 0: what the signs alone can say."""
    p = classical.sign(d.reshape(-1), alternative).p_value
    statistic = math.copysign(math.inf, numerator) if numerator else 0.0
    return TestResult(name, p, alternative, exact=True, method="binomial", statistic=statistic)
