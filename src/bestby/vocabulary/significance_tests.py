"""The tests: of a difference, of all systems at once, of a difference between slices."""

from __future__ import annotations

from typing import Literal, TypeAlias

from bestby.vocabulary.term import Term

ItemTest: TypeAlias = Literal[
    "auto", "permutation", "permutation-standardised", "bootstrap", "mcnemar", "mcnemar-midp", "sign",
    "wilcoxon", "t", "wald", "hall",
]  # fmt: skip
ProportionsTest: TypeAlias = Literal["mcnemar", "mcnemar-midp"]
LiftedTest: TypeAlias = Literal["permutation", "bootstrap", "welch", "mann-whitney"]
RunsTest: TypeAlias = Literal["auto", "permutation", "t", "hall", "brunner-munzel", "bootstrap"]
DatasetTest: TypeAlias = Literal["auto", "t", "hall", "wilcoxon", "sign", "permutation"]
FoldTest: TypeAlias = Literal["auto", "corrected-t", "conservative-t", "5x2cv-f", "5x2cv-t", "k-bonferroni"]
PreferenceTest: TypeAlias = Literal["auto", "permutation", "wald"]
StudyTest: TypeAlias = Literal[
    "auto", "permutation", "permutation-standardised", "bootstrap", "t", "mcnemar", "mcnemar-midp", "sign",
    "wilcoxon",
]  # fmt: skip

_ONE_TEST_SET = ("items.test", "datasets.test", "folds.inside", "pilot.test")
_SINGLE_RUNS = (*_ONE_TEST_SET, "study.test")
_RUNS = ("runs.test", "dataset_runs.test")

# fmt: off
TESTS = (
    Term(
        "auto", "test that suits the data", "Chosen by the kind of data; the result names the test.",
        ("items.test", "runs.test", "folds.test", "folds.inside", "preferences.test", "study.test",
         "study_runs.test", "datasets.test", "dataset_runs.test", "datasets.across",
         "pilot.test"),
    ),
    Term("permutation", "paired permutation test", "Swaps the two systems' predictions: for every metric.",
        (*_SINGLE_RUNS, *_RUNS, "preferences.test", "lifted.test", "datasets.across"),
        also="permutation-test randomization randomisation randomization-test "
        "approximate-randomization approximate-randomisation ar paired-ar shuffle",
    ),
    Term(
        "permutation-standardised", "paired permutation test of standardised predictions",
        "Swaps standard scores or ranks: for correlations and metrics of ranks on different scales.",
        _SINGLE_RUNS
    ),
    Term(
        "bootstrap", "paired bootstrap test",
        "Asks whether 0 is far out in the centred bootstrap distribution: for every metric.",
        (*_SINGLE_RUNS, *_RUNS, "lifted.test", "study_runs.test"),
        also="bootstrap-test paired-bootstrap paired-bs",
    ),
    Term(
        "mcnemar", "McNemar's exact test",
        "Exact binomial test: for right and wrong answers without clusters.",
        (*_SINGLE_RUNS, "proportions.test"),
        also="chi2 chi-2 chi-square chi-squared mcnemar-test exact-mcnemar binomial",
    ),
    Term("mcnemar-midp", "McNemar's mid-p test", "The same with the observed split counted half.",
        (*_SINGLE_RUNS, "proportions.test")),
    Term("sign", "sign test", "Counts who wins on each item: for means of a number per item.",
        (*_SINGLE_RUNS, "datasets.across"),
        also="sign-test binom",
    ),
    Term("wilcoxon", "Wilcoxon signed-rank test", "Ranks the differences: for means of a number per item.",
        (*_SINGLE_RUNS, "datasets.across"),
        also="signed-rank wilcoxon-test wilcoxon-signed-rank",
    ),
    Term("t", "paired t-test", "Student's t test: for means of a number per item, run or dataset.",
        (*_SINGLE_RUNS, *_RUNS, "study_runs.test", "datasets.across"),
        also="t-test ttest paired-t paired-t-test paired-ttest ttest-rel student welch welch-t",
    ),
    Term(
        "wald", "Wald test with robust standard errors",
        "Difference over its standard error: for few or crossed clusters, and for strengths of preferences.",
        (*_ONE_TEST_SET, "preferences.test"),
        also="z z-test wald-test",
    ),
    Term(
        "likelihood-ratio", "likelihood-ratio test", "Of strengths where one system never lost to the other."
    ),
    Term(
        "hall", "skewness-allowing t-test (Hall)",
        "Student's t over items, clusters, runs or datasets, made to allow for their skewness.",
        (*_ONE_TEST_SET, *_RUNS, "datasets.across"),
        also="johnson skew-t skewness robust-t",
    ),
    Term(
        "brunner-munzel", "Brunner-Munzel test",
        "Asks whether a run of one system is better than a run of the other more often than not.", _RUNS,
        also="mann-whitney mann-whitney-u mannwhitneyu rank-sum wilcoxon",
    ),
    Term("permutation-2", "two-sample permutation test", "The permutation test of independent runs."),
    Term("welch", "Welch's t-test", "Student's t for two samples of unequal spread.", ("lifted.test",)),
    Term(
        "chi-squared", "chi-squared test with N − 1", "Compares the shares of right answers to other items."
    ),
    Term("fisher", "Fisher's exact test", "The same where few items are right, or few wrong."),
    Term("mann-whitney", "Mann-Whitney test", "Compares the ranks of two samples.", ("lifted.test",)),
    Term("yuen", "Yuen's t-test of trimmed means", "Welch's t test for trimmed means."),
    Term("price-bonett", "Price and Bonett's t-test of medians", "A t test for medians of runs."),
    Term("bootstrap-runs", "bootstrap test of the runs", "The bootstrap test that resamples runs."),
    Term("stratified-t", "stratified t-test",
        "Of the mean over these datasets: the variances inside the datasets are added."),
    Term("stratified-hall", "stratified, skewness-allowing t-test",
        "The same, made to allow for the skewness of items."),
    Term("crossed-t", "t-test over items and runs", "The variances of items and runs are added."),
    Term("crossed-bootstrap", "bootstrap test over items and runs", "Resamples items and runs."),
    Term("mixture-t", "t-mixture test", "Over facets: of two Student's t, one of few levels."),
    Term(
        "corrected-t", "corrected resampled t-test",
        "Student's t over the folds, corrected for their common training items.", ("folds.test",),
        also="t-test ttest nadeau-bengio",
    ),
    Term(
        "conservative-t", "conservative corrected t-test",
        "The same for several repetitions, which have more training items in common.", ("folds.test",)
    ),
    Term("5x2cv-f", "combined 5×2 cv F-test", "For five repetitions of two folds.", ("folds.test",)),
    Term("5x2cv-t", "5×2 cv t-test", "For five repetitions of two folds.", ("folds.test",)),
    Term(
        "k-bonferroni", "K-Bonferroni test of the folds", "Counts the folds that have an effect.",
        ("folds.test",)
    ),
    Term("powered-t", "prediction-powered t-test", "For human scores, corrected by those of a judge."),
    Term("powered-score", "prediction-powered score test", "The same for human labels 0 and 1."),
    Term("powered-bootstrap", "prediction-powered bootstrap test", "For metrics that are no means."),
)

OMNIBUS_TESTS = (
    Term("cochran_q", "Cochran's Q", "For right and wrong answers of three systems or more."),
    Term("friedman", "Friedman", "For other scores of three systems or more."),
)

HETEROGENEITY_TESTS = (
    Term("permutation-q", "permutations of Cochran's Q", "Where all items of a slice differ by the same."),
    Term("welch-q", "Cochran's Q by Welch's F", "For other slices that share no cluster."),
    Term("hotelling", "Cochran's Q by Hotelling's T²", "For clusters that span slices."),
)
# fmt: on
