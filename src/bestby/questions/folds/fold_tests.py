"""Which tests fit a design of folds, which one is taken, and what its reader must know."""

from __future__ import annotations

import math

import numpy as np

from bestby._core import checks, rounding
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.typing import Alternative, FloatArray
from bestby.comparisons.common.per_dataset import Options
from bestby.questions.folds import crossvalidation
from bestby.questions.folds.crossvalidation import T_TESTS
from bestby.questions.folds.source import Folds
from bestby.results.base import Note
from bestby.results.replicability import Replicability
from bestby.results.values import TestResult


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
            (part.n_items, folds.whole[again][1].n_items) for (again, _), (_, part) in folds.parts.items()
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


def check_known(
    folds: Folds, test: str | None, ratio: float | None, required: int | str, margin: float | None
) -> None:
    """Refuse what only folds give meaning to, where repetitions came without their folds."""
    if folds.known:
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


def automatic(folds: Folds, ratio: float) -> str:
    """Return the corrected t test that holds its level on these folds.

    Several splits of the same items have training items in common, which Nadeau and Bengio's correction
    leaves out unless half of the items are tested.
    """
    j = len(folds.labels)
    # Scores of random splits come as one repetition too: together they test more than all items.
    overlapping = not folds.parts and not rounding.at_most(j * ratio / (1.0 + ratio), 1.0)
    if len(folds.repetitions()) == 1 and not overlapping:
        return "corrected-t"
    least, greatest = crossvalidation.variance_limits(j, ratio)
    return "conservative-t" if greatest > least else "corrected-t"


def chosen(test: str, folds: Folds, ratio: float, alternative: Alternative) -> str:
    """Return the name of the test of every pair, or refuse one that does not fit."""
    if test == "auto":
        return automatic(folds, ratio)
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


def interval_of(test: str | None, folds: Folds, ratio: float) -> str:
    """Return the interval that goes with a test, or with none: that of the test, if it has one."""
    return test if test is not None and test in T_TESTS else automatic(folds, ratio)


def applicable(
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
    found = [crossvalidation.corrected_t(d, ratio, alternative)]
    if "conservative-t" in (test, automatic(folds, ratio)):
        found.append(crossvalidation.conservative_t(table, ratio, alternative))
    if folds.shape() == (5, 2):
        if alternative == "two-sided":
            found.append(crossvalidation.five_by_two_f(table))
        found.append(crossvalidation.five_by_two_t(table, alternative))
    if effects is not None:
        found.append(crossvalidation.k_bonferroni(effects.p_values, required, alternative))
    return tuple(found)


def by_repetition(folds: Folds, d: FloatArray) -> FloatArray:
    """Return the differences with a row per repetition; all in one row if repetitions differ in size."""
    if folds.shape() is None:
        return d
    rows = [
        [float(x) for x, (again, _) in zip(d, folds.labels, strict=True) if again == name]
        for name in folds.repetitions()
    ]
    return np.array(rows)


WITHOUT_FOLDS = (
    Note(
        "no_folds",
        "the fold of each item is not known, so there is no test of the learners over the folds: each"
        " repetition is compared by itself. The repetitions are of the same items and nearly the same"
        " training sets: how many of them show a difference says how far a conclusion depends on the seed and"
        " the splits, not how sure the difference is",
    ),
)


def notes(folds: Folds, given: float | None, ratio: float, test: str | None, options: Options) -> list[Note]:
    """Return the notes on the whole comparison: what is assumed, and what the test chosen does with it."""
    sure = "the test then finds a difference less often than it could"
    if options.interval is not None:
        sure = "the interval then covers up to 99 % instead of 95 %"
    found = [_correlation_note(folds, ratio, interval_of(test, folds, ratio), sure)]
    if given is None and not folds.parts:
        found.append(
            Note(
                "ratio_assumed",
                "each fold is assumed to be tested once, after training on all other folds of its repetition:"
                f" items tested over items trained on = {ratio:.4g}",
            )
        )
    if test is not None and test.startswith("5x2cv"):
        of_interval = "" if options.interval is None else _ITS_INTERVAL
        found.append(Note("liberal_test", _FIVE_BY_TWO + of_interval))
    elif test == "corrected-t" != automatic(folds, ratio):
        found.append(Note("liberal_test", _REPEATED))
    if folds.parts and test is not None:
        found.append(
            Note(
                "trained_models_given",
                "the tests within a fold or a repetition treat its trained models as fixed; only the"
                " differences between folds and repetitions show what another training would change",
            )
        )
    return found


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
    least, greatest = crossvalidation.variance_limits(len(folds.labels), ratio)
    if interval == "conservative-t" and greatest > least:
        most = f"{2.0 * tested * (1.0 - tested):.2g}"
        # Where repetitions do not show how far they differ, the test always goes up to the upper limit.
        assumed = f"{assumed} to {most}" if crossvalidation.shows_spread(folds.shape() or ()) else most
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
