"""What is asked of a difference: which way, of which statistic, in a family of how many."""

from __future__ import annotations

from typing import Literal, TypeAlias

from bestby.vocabulary.term import Term

ItemCorrection: TypeAlias = Literal["holm", "bonferroni", "step-down", "simultaneous", "bh", "none"]

# fmt: off
CORRECTIONS = (
    Term(
        "holm", "Holm", "Keeps the chance of any false rejection in the family at the level.",
        ("correction",), also="holm-bonferroni fwer",
    ),
    Term("bonferroni", "Bonferroni", "The same, with less power.", ("correction",),
        also="bonf bonferroni-correction",
    ),
    Term(
        "step-down", "step-down max-T", "Like holm, but it allows for how the systems vary together.",
        ("items.correction", "judged.correction"),
        also="max-t westfall-young",
    ),
    Term("max-t", "simultaneous max-T", "Read from simultaneous intervals."),
    Term(
        "simultaneous", "simultaneous max-T", "By intervals that hold for all differences at once.",
        ("items.correction", "judged.correction"),
    ),
    Term("bh", "Benjamini-Hochberg", "Keeps the share of false rejections at the level.", ("correction",),
        also="fdr fdr-bh benjamini-hochberg",
    ),
    Term("none", "no correction", "Keeps the level of each test by itself.", ("correction",)),
)

ALTERNATIVES = (
    Term("two-sided", "two-sided", "Do the scores differ?", ("alternative",),
        also="two-tailed both",
    ),
    Term("greater", "greater", "Is the first score greater than the second?", ("alternative",),
        also="larger",
    ),
    Term("less", "less", "Is the first score less than the second?", ("alternative",),
        also="smaller lower",
    ),
    Term(
        "better", "better", "Is the first better than the second, whichever direction that is?",
        (
            "items.alternative", "runs.alternative", "study.alternative", "datasets.alternative",
            "dataset_runs.alternative", "folds.alternative", "preferences.alternative", "judged.alternative",
            "facets.alternative",
        ),
    ),
)

STATISTICS = (
    Term("mean", "mean", "The mean of the runs.", ("statistic",)),
    Term("median", "median", "The median of the runs.", ("statistic",)),
    Term("trimmed_mean", "20 % trimmed mean", "The mean without a fifth at either end.", ("statistic",)),
    Term("iqm", "interquartile mean", "The mean of the middle half.", ("statistic",)),
)
# fmt: on
