"""Tests of two systems on the folds of one data set: what each is, and which fits a design of folds.

The training sets of the folds overlap, so that the differences of the folds are positively correlated
and an ordinary t test of them rejects far too often.
"""

from __future__ import annotations

import dataclasses
import math
import sys
from collections.abc import Iterator

import numpy as np
from scipy.special import fdtrc, stdtrit

from bestby._core import checks, rounding
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.typing import Alternative, ArrayLike, FloatArray
from bestby.comparisons.per_dataset import Options
from bestby.inference import classical
from bestby.questions.folds.source import Folds
from bestby.report.replicability import Replicability, partial_conjunctions
from bestby.results.base import Note
from bestby.results.values import Interval, TestResult
from bestby.vocabulary import allowed_names


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
    d, scale = _corrected(differences, ratio, name)
    mean = math.fsum(d) / d.size
    if scale == 0.0:
        return _without_variance(name, d, mean, alternative)
    return classical.student(name, mean / scale, d.size - 1, alternative)


def _corrected(differences: ArrayLike, ratio: float, name: str) -> tuple[FloatArray, float]:
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
    # Nadeau & Bengio: the variance of the mean is s^2 (1 / J + rho / (1 - rho)), and rho / (1 - rho) is the
    # ratio of test to training items if rho is the share that is tested.
    factor, greatest = variance_limits(d.size, ratio)
    if name == "conservative-t":
        factor += _spread_of_repetitions(table) * (greatest - factor)
    return d, math.sqrt(factor * variance)


def variance_limits(n_folds: int, ratio: float) -> tuple[float, float]:
    """Return the least and the greatest variance of the mean, over s^2, that `conservative_t` takes.

    >>> variance_limits(10, 0.5), variance_limits(2, 1.0)
    ((0.6, 0.8), (1.5, 1.5))
    """
    least = 1.0 / n_folds + ratio
    return least, max(least, 2.0 * ratio / (1.0 + ratio * ratio))


def _spread_of_repetitions(table: FloatArray) -> float:
    """Return how far the repetitions differ: 0 for models that are the same, 1 for sums over pairs."""
    if not shows_spread(table.shape):
        return 1.0
    k = table.shape[1]
    between = k * float(table.mean(axis=1).var(ddof=1))
    limit = 2.0 * (k - 1) / (k * (k - 2)) * float(table.var(axis=1, ddof=1).mean())
    return between / limit if between < limit else 1.0


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
    d, scale = _corrected(differences, ratio, method)
    mean = math.fsum(d) / d.size
    half = float(stdtrit(d.size - 1, 0.5 * (1.0 + checks.probability(level, "level")))) * scale
    if scale == 0.0:
        half = math.nan
    return Interval(mean - half, mean + half, level, method, exact=True)


def corrected_error(differences: ArrayLike, ratio: float, method: str = "corrected-t") -> float:
    """Return the standard error of the mean difference that `corrected_t` or `conservative_t` divides by.

    >>> round(corrected_error([1, 2, 3], ratio=0.5), 4)
    0.9129
    """
    checks.choice(method, T_TESTS, "method")
    return _corrected(differences, ratio, method)[1]


T_TESTS = ("corrected-t", "conservative-t")
"""The corrected t tests, each with an interval of its own."""


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


def chosen_test(test: str, folds: Folds, ratio: float, alternative: Alternative) -> str:
    """Return the name of the test of every pair, or refuse one that does not fit."""
    if test == "auto":
        return automatic_test(folds, ratio)
    if test.startswith("5x2cv") and folds.shape() != (5, 2):
        raise DesignError(
            f"test {test!r} needs 5 repetitions of 2 folds; there are"
            f" {' + '.join(str(n) for n in folds.repetitions().values())} folds",
            hint='test="corrected-t" takes any number of folds',
        )
    if test == "5x2cv-f" and alternative != "two-sided":
        raise DesignError("the combined F test is two-sided", hint='test="5x2cv-t" has sides')
    if test == "k-bonferroni" and not folds.parts:
        raise DesignError(
            "test 'k-bonferroni' needs a p-value inside each fold, so predictions of its items",
            hint='test="corrected-t" needs scores of folds only',
        )
    return test


def automatic_test(folds: Folds, ratio: float) -> str:
    """Return the corrected t test that holds its level on these folds.

    Several splits of the same items have training items in common, which Nadeau and Bengio's correction
    leaves out unless half of the items are tested.
    """
    j = len(folds.labels)
    # Scores of random splits come as one repetition too: together they test more than all items.
    overlapping = not folds.parts and not rounding.at_most(j * ratio / (1.0 + ratio), 1.0)
    if len(folds.repetitions()) == 1 and not overlapping:
        return "corrected-t"
    least, greatest = variance_limits(j, ratio)
    return "conservative-t" if greatest > least else "corrected-t"


def interval_of(test: str | None, folds: Folds, ratio: float) -> str:
    """Return the interval that goes with a test, or with none: that of the test, if it has one."""
    return test if test is not None and test in T_TESTS else automatic_test(folds, ratio)


def applicable_tests(
    folds: Folds,
    d: FloatArray,
    ratio: float,
    alternative: Alternative,
    effects: Replicability | None,
    required: int,
    test: str,
) -> tuple[TestResult, ...]:
    """Return every test that applies to the differences `d` of a pair, the one taken among them."""
    table = by_repetition(folds, d)
    tests = [corrected_t(d, ratio, alternative)]
    if "conservative-t" in (test, automatic_test(folds, ratio)):
        tests.append(conservative_t(table, ratio, alternative))
    if folds.shape() == (5, 2):
        if alternative == "two-sided":
            tests.append(five_by_two_f(table))
        tests.append(five_by_two_t(table, alternative))
    if effects is not None:
        tests.append(k_bonferroni(effects.p_values, required, alternative))
    return tuple(tests)


def by_repetition(folds: Folds, d: FloatArray) -> FloatArray:
    """Return the differences with a row per repetition; all in one row if repetitions differ in size."""
    if folds.shape() is None:
        return d
    rows = [
        [float(x) for x, (repetition, _) in zip(d, folds.labels, strict=True) if repetition == name]
        for name in folds.repetitions()
    ]
    return np.array(rows)


def ratio_of(folds: Folds, ratio: float | None) -> float:
    """Return items tested over items trained on, as given or as the mean over the folds."""
    if ratio is not None:
        if not 0.0 < checks.number(ratio, "ratio") < math.inf:
            raise InvalidInputError(
                f"ratio must be a positive number, got {ratio}",
                hint="items tested over items trained on: 1/9 for 10-fold cross-validation",
                argument="ratio",
            )
        return float(ratio)
    if folds.parts:
        sizes = [
            (part.n_items, folds.whole[repetition][1].n_items)
            for (repetition, _), (_, part) in folds.parts.items()
        ]
        if any(size == total for size, total in sizes):
            raise DesignError("a repetition with a single fold trains on nothing", hint="pass ratio=...")
        return math.fsum(size / (total - size) for size, total in sizes) / len(sizes)
    counts = folds.repetitions()
    if min(counts.values()) < 2:
        raise DesignError(
            "a repetition with a single fold is a random split, whose ratio must be given",
            hint="pass ratio=...: items tested over items trained on, 0.25 if a fifth is tested",
        )
    # A repetition of K folds has K ratios of 1 / (K - 1).
    return math.fsum(count / (count - 1) for count in counts.values()) / sum(counts.values())


def refuse_without_folds(
    folds: Folds, test: str | None, ratio: float | None, required: int | str, margin: float | None
) -> None:
    """Refuse what only folds give meaning to, where repetitions came without their folds."""
    if folds.has_folds:
        return
    if test not in (None, "auto"):
        raise DesignError(
            f"test {test!r} compares folds, and these repetitions came without the fold of each item",
            hint='give the folds (strata, or a column), or test="auto", to test each repetition by itself',
        )
    checks.refuse_unused(
        "repetitions without their folds",
        ratio=(ratio, None), required=(required, "all"), margin=(margin, None),
    )  # fmt: skip


def notes_on_tests(
    folds: Folds, requested_ratio: float | None, ratio: float, test: str | None, options: Options
) -> Iterator[Note]:
    """Yield the notes on the whole comparison: what is assumed, and what the test chosen does with it."""
    sure = "the test then finds a difference less often than it could"
    if options.interval is not None:
        sure = "the interval then covers up to 99 % instead of 95 %"
    yield _correlation_note(folds, ratio, interval_of(test, folds, ratio), sure)
    if requested_ratio is None and not folds.parts:
        yield Note(
            "ratio_assumed",
            "each fold is assumed to be tested once, after training on all other folds of its repetition:"
            f" items tested over items trained on = {ratio:.4g}",
        )
    if test is not None and test.startswith("5x2cv"):
        about_interval = "" if options.interval is None else _ITS_INTERVAL
        yield Note("liberal_test", _FIVE_BY_TWO + about_interval)
    elif test == "corrected-t" != automatic_test(folds, ratio):
        yield Note("liberal_test", _REPEATED)
    if folds.parts and test is not None:
        yield Note(
            "trained_models_given",
            "the tests within a fold or a repetition treat its trained models as fixed; only the"
            " differences between folds and repetitions show what another training would change",
        )


WITHOUT_FOLDS = Note(
    "no_folds",
    "the fold of each item is not known, so there is no test of the learners over the folds: each repetition"
    " is compared by itself. The repetitions are of the same items and nearly the same training sets: how"
    " many of them show a difference says how far a conclusion depends on the seed and the splits, not how"
    " sure the difference is",
)


_FIVE_BY_TWO = (
    "the 5x2 cv tests ignore the error that all halvings of the same items share: with few items or weak"
    " learners they find a difference between equal learners in up to 17 % of cases instead of 5 %"
)


_ITS_INTERVAL = ". The interval is that of corrected-t and may disagree with the p-value"


_REPEATED = (
    "with several splits corrected-t ignores that training sets share items: if the learners change much with"
    " the training items, it finds a difference between equal learners in 12 % of cases or more instead of"
    " 5 %; conservative-t allows for this"
)


def _correlation_note(folds: Folds, ratio: float, interval: str, if_less: str) -> Note:
    """Return a note on the correlation that is assumed; `if_less` is what follows if it is less than that."""
    tested = ratio / (1.0 + ratio)
    assumed = f"{tested:.2g}"
    least, greatest = variance_limits(len(folds.labels), ratio)
    if interval == "conservative-t" and greatest > least:
        most = f"{2.0 * tested * (1.0 - tested):.2g}"
        # Where repetitions do not show how far they differ, the test always goes up to the upper limit.
        assumed = f"{assumed} to {most}" if shows_spread(folds.shape() or ()) else most
    text = (
        "folds share training items, so their scores are correlated; the scores do not show how much, and a"
        f" correlation of {assumed} is assumed. This is too much if training changes the models little:"
        f" {if_less}"
    )
    # Ratio from which folds are about halves of the items; thirds have 0.5
    if ratio < 0.75:
        text += (
            ". It is too little for learners that select among weak features: a difference between equal"
            " learners is then found in up to 13 % of cases; five repetitions of two folds, whose training"
            " sets share fewer items, keep the level there"
        )
    return Note("correlation_assumed", text)
