"""Every test, interval, correction and other choice by name: the only place that lists them.

A term says which arguments take it, as ``"question.argument"`` with a module of `bestby.comparisons` or
`bestby.planning` as the question, or an argument alone for all questions. This must stay quick to import.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Literal, TypeAlias

from bestby._core.choosing_terms import CHOOSING
from bestby._core.terms import Term

ItemInterval: TypeAlias = Literal[
    "auto", "tango", "bca", "abc", "percentile", "basic", "studentized", "normal", "cr2", "two-way"
]
ItemCorrection: TypeAlias = Literal["holm", "bonferroni", "step-down", "bh", "none"]
MonitorMethod: TypeAlias = Literal[
    "auto",
    "betting",
    "asymptotic",
    "normal-mixture",
    "obrien-fleming",
    "pocock",
    "spending-obrien-fleming",
    "spending-pocock",
]
MonitorPopulation: TypeAlias = Literal["bank", "wider"]
RunsInterval: TypeAlias = Literal["auto", "t", "bca", "percentile", "basic"]
DatasetRunsInterval: TypeAlias = Literal["auto", "t", "percentile"]
PreferenceInterval: TypeAlias = Literal["auto"]
StudyInterval: TypeAlias = Literal[
    "auto", "t", "percentile", "basic", "bca", "abc", "studentized", "normal", "tango"
]
ItemTest: TypeAlias = Literal[
    "permutation", "permutation-standardised", "bootstrap", "mcnemar", "mcnemar-midp", "sign", "wilcoxon",
    "t", "wald",
]  # fmt: skip
ItemTestOrAuto: TypeAlias = ItemTest | Literal["auto"]
ProportionsTest: TypeAlias = Literal["mcnemar", "mcnemar-midp"]
LiftedTest: TypeAlias = Literal["permutation", "bootstrap", "welch", "mann-whitney"]
RunsTest: TypeAlias = Literal["auto", "permutation", "t", "brunner-munzel", "bootstrap"]
DatasetTest: TypeAlias = Literal["t", "wilcoxon", "sign", "permutation"]
FoldTest: TypeAlias = Literal["auto", "corrected-t", "conservative-t", "5x2cv-f", "5x2cv-t", "k-bonferroni"]
PreferenceTest: TypeAlias = Literal["auto", "permutation", "wald", "bootstrap"]
StudyTest: TypeAlias = Literal[
    "auto", "permutation", "permutation-standardised", "bootstrap", "t", "mcnemar", "mcnemar-midp", "sign",
    "wilcoxon",
]  # fmt: skip
ItemFigure: TypeAlias = Literal["auto", "forest", "systems", "scores", "baseline", "matrix"]
RunsFigure: TypeAlias = ItemFigure | Literal["quantiles", "order"]
JudgedFigure: TypeAlias = ItemFigure | Literal["judge"]
StudyFigure: TypeAlias = ItemFigure | Literal["growth"]
DatasetFigure: TypeAlias = Literal["auto", "forest", "matrix", "ranks", "profiles"]
FoldFigure: TypeAlias = Literal["auto", "forest", "matrix"]
FigureWidth: TypeAlias = Literal["column", "page"]
FigureFont: TypeAlias = Literal["sans", "serif"]

_ONE_TEST_SET = ("items.test", "datasets.test", "folds.inside", "pilot.test")
_SINGLE_RUNS = (*_ONE_TEST_SET, "study.test")
_RUNS = ("runs.test", "dataset_runs.test")

# fmt: off
TESTS = (
    Term(
        "auto", "test that suits the data", "Chosen by the kind of data; the result names the test.",
        ("items.test", "runs.test", "folds.test", "preferences.test", "study.test", "study_runs.test",
         "datasets.test", "dataset_runs.test"),
    ),
    Term("permutation", "paired permutation test", "Swaps the two systems' predictions: for every metric.",
        (*_SINGLE_RUNS, *_RUNS, "preferences.test", "lifted.test", "datasets.across")),
    Term(
        "permutation-standardised", "paired permutation test of standardised predictions",
        "Swaps standard scores or ranks: for correlations and metrics of ranks on different scales.",
        _SINGLE_RUNS
    ),
    Term(
        "bootstrap", "paired bootstrap test",
        "Asks whether 0 is far out in the centred bootstrap distribution: for every metric.",
        (*_SINGLE_RUNS, *_RUNS, "preferences.test", "lifted.test", "study_runs.test")
    ),
    Term(
        "mcnemar", "McNemar's exact test",
        "Exact binomial test: for right and wrong answers without clusters.",
        (*_SINGLE_RUNS, "proportions.test")
    ),
    Term("mcnemar-midp", "McNemar's mid-p test", "The same with the observed split counted half.",
        (*_SINGLE_RUNS, "proportions.test")),
    Term("sign", "sign test", "Counts who wins on each item: for means of a number per item.",
        (*_SINGLE_RUNS, "datasets.across")),
    Term("wilcoxon", "Wilcoxon signed-rank test", "Ranks the differences: for means of a number per item.",
        (*_SINGLE_RUNS, "datasets.across")),
    Term("t", "paired t-test", "Student's t test: for means of a number per item, run or dataset.",
        (*_SINGLE_RUNS, *_RUNS, "study_runs.test", "datasets.across")),
    Term(
        "wald", "Wald test with robust standard errors",
        "Difference over its standard error: for few or crossed clusters, and for strengths of preferences.",
        (*_ONE_TEST_SET, "preferences.test")
    ),
    Term(
        "brunner-munzel", "Brunner-Munzel test",
        "Asks whether a run of one system beats a run of the other more often than not.", _RUNS
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
    Term("stratified-t", "t-test over the runs of all datasets",
        "The variances of the differences on the datasets are added."),
    Term("crossed-t", "t-test over items and runs", "The variances of items and runs are added."),
    Term("crossed-bootstrap", "bootstrap test over items and runs", "Resamples items and runs."),
    Term(
        "corrected-t", "corrected resampled t-test",
        "Student's t over the folds, corrected for their common training items.", ("folds.test",)
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

_BY_ITEMS = ("items.interval", "datasets.interval", "folds.interval")
_LOOKS = ("monitor.method",)
_BY_RUNS = ("runs.interval", "study.interval", "study_runs.interval")

INTERVALS = (
    Term(
        "auto", "interval that suits the data", "Chosen by the kind of data; the result names the method.",
        (*_BY_ITEMS, *_BY_RUNS, "dataset_runs.interval", "preferences.interval", "monitor.method")
    ),
    Term(
        "tango", "Tango score", "Score interval for differences of right and wrong answers.",
        (*_BY_ITEMS, "study.interval"), ("answers", "units")
    ),
    Term(
        "wilson", "Wilson score", "Score interval for one proportion, made by auto and tango.",
        needs=("answers", "units")
    ),
    Term(
        "odds", "score interval of the odds", "Of strengths and preferences: Wilson's, or with ties Tango's."
    ),
    Term(
        "bca", "BCa bootstrap", "Bootstrap quantiles corrected for bias and skewness.",
        (*_BY_ITEMS, "runs.interval", "study.interval"), ("units", "no blocks")
    ),
    Term(
        "abc", "ABC (approximate BCa)", "The same from derivatives of the metric, without resamples.",
        (*_BY_ITEMS, "study.interval"), ("formula", "units", "no blocks")
    ),
    Term(
        "percentile", "percentile bootstrap", "Quantiles of the bootstrap distribution.",
        (*_BY_ITEMS, *_BY_RUNS, "dataset_runs.interval")
    ),
    Term(
        "basic", "basic bootstrap", "The percentile interval mirrored about the estimate.",
        (*_BY_ITEMS, *_BY_RUNS)
    ),
    Term(
        "studentized", "studentized bootstrap", "Bootstrap of the difference over its standard error.",
        (*_BY_ITEMS, "study.interval"), ("sums", "one stratum", "units", "no blocks")
    ),
    Term(
        "normal", "delta-method t", "Estimate plus or minus t standard errors, by the delta method.",
        (*_BY_ITEMS, "study.interval"), ("formula", "units")
    ),
    Term(
        "cr2", "cluster-robust (CR2)", "The same with the bias-reduced error of few or unequal clusters.",
        _BY_ITEMS, ("units",)
    ),
    Term(
        "two-way", "two-way cluster-robust", "The same for two crossed groupings of the items.",
        _BY_ITEMS, ("units", "crossed")
    ),
    Term(
        "unseen", "bound on unseen items",
        "Where nothing varies on the data, and the metric is bounded: how far other items could move it."
    ),
    Term("max-t", "simultaneous max-T", "By its own method, at a level at which all pairs hold at once."),
    Term(
        "t", "Student's t", "Student's t over the runs, or over items and runs.",
        (*_BY_RUNS, "dataset_runs.interval")
    ),
    Term("welch", "Welch's t", "Student's t for two samples of unequal spread."),
    Term("yuen", "Yuen's t", "Welch's t for trimmed means."),
    Term("price-bonett", "Price and Bonett's t", "A t interval for medians of runs."),
    Term("stratified-t", "stratified t", "Over the runs of all datasets: their variances are added."),
    Term("crossed-t", "t over items and runs", "The variances of items and runs are added."),
    Term("newcombe", "Newcombe's score interval, longer for unequal spreads", "The chance that a run wins."),
    Term(
        "newcombe-difference", "Newcombe's score interval of two proportions",
        "For two systems on different items, from their Wilson intervals."
    ),
    Term("corrected-t", "corrected resampled t", "The interval of the test of this name."),
    Term("conservative-t", "conservative corrected t", "The interval of the test of this name."),
    Term("powered-t", "prediction-powered t", "The interval of the test of this name."),
    Term("powered-score", "prediction-powered score", "Wilson's or Tango's, with effective labels."),
    Term("powered-bootstrap", "prediction-powered bootstrap", "Percentiles, expanded for few labels."),
    Term("rogan-gladen", "Rogan-Gladen", "For shares, corrected by the error rates of a judge."),
    Term("betting", "betting confidence sequence", "Valid at every look, for scores with bounds.", _LOOKS),
    Term("asymptotic", "asymptotic confidence sequence", "At late looks, for scores without bounds.", _LOOKS),
    Term("normal-mixture", "normal-mixture confidence sequence", "Of sums and bounds; longer.", _LOOKS),
    Term("obrien-fleming", "O'Brien-Fleming repeated interval", "At planned looks; long at first.", _LOOKS),
    Term("pocock", "Pocock repeated interval", "At planned looks, all treated alike.", _LOOKS),
    Term("spending-obrien-fleming", "interval by O'Brien-Fleming spending", "Looks may move.", _LOOKS),
    Term("spending-pocock", "interval by Pocock spending", "Looks may move.", _LOOKS),
)

CORRECTIONS = (
    Term(
        "holm", "Holm", "Keeps the chance of any false rejection in the family at the level.", ("correction",)
    ),
    Term("bonferroni", "Bonferroni", "The same, with less power.", ("correction",)),
    Term(
        "step-down", "step-down max-T", "Like holm, but it allows for how the systems vary together.",
        ("items.correction", "judged.correction")
    ),
    Term("max-t", "simultaneous max-T", "Read from simultaneous intervals."),
    Term("bh", "Benjamini-Hochberg", "Keeps the share of false rejections at the level.", ("correction",)),
    Term("none", "no correction", "Keeps the level of each test by itself.", ("correction",)),
)

ALTERNATIVES = (
    Term("two-sided", "two-sided", "Do the scores differ?", ("alternative",)),
    Term("greater", "greater", "Is the first score greater than the second?", ("alternative",)),
    Term("less", "less", "Is the first score less than the second?", ("alternative",)),
    Term(
        "better", "better", "Is the first better than the second, whichever direction that is?",
        (
            "items.alternative", "runs.alternative", "study.alternative", "datasets.alternative",
            "dataset_runs.alternative", "folds.alternative", "preferences.alternative", "judged.alternative",
        ),
    ),
)

STATISTICS = (
    Term("mean", "mean", "The mean of the runs.", ("statistic",)),
    Term("median", "median", "The median of the runs.", ("statistic",)),
    Term("trimmed_mean", "20 % trimmed mean", "The mean without a fifth at either end.", ("statistic",)),
    Term("iqm", "interquartile mean", "The mean of the middle half.", ("statistic",)),
)

OMNIBUS_TESTS = (
    Term("cochran_q", "Cochran's Q", "For right and wrong answers of three systems or more."),
    Term("friedman", "Friedman", "For other scores of three systems or more."),
)

HETEROGENEITY_TESTS = (
    Term("permutation-q", "permutations of Cochran's Q", "Where the systems differ on few items of a slice."),
    Term("welch-q", "Cochran's Q by Welch's F", "For slices that share no cluster."),
    Term("hotelling", "Cochran's Q by Hotelling's T²", "For clusters that span slices."),
)

STANDARD_ERRORS = (
    Term("formula", "by formula", "From the variance of the scores, or the delta method."),
    Term("cr2", "cluster-robust, CR2", "For clusters, corrected for few of them."),
    Term("two-way", "cluster-robust, two-way", "For two crossed groupings."),
    Term("crossed", "over items and runs", "The variances of items and runs are added."),
    Term("sandwich", "from the judgements", "Robust, summed over the clusters of judgements."),
    Term("fisher", "from the Fisher information", "From the model of the preferences."),
    Term("bootstrap", "of the bootstrap replicates", "Their standard deviation."),
    Term("corrected-t", "of the corrected resampled t-test", "Over the folds."),
    Term("conservative-t", "of the conservative corrected t-test", "Over the folds."),
)

SETTINGS = (
    Term("bank", "this benchmark", "The mean over the items there are.", ("monitor.population",)),
    Term("wider", "items like these", "The items are a sample of more.", ("monitor.population",)),
    Term("error", "error", "Refuse data in which a system lacks an item.", ("on_missing",)),
    Term("drop", "drop", "Leave such items out for all systems.", ("on_missing",)),
    Term(
        "worst", "worst", "Count them as wrong.",
        ("items.on_missing", "datasets.on_missing", "readers.on_missing")
    ),
    Term("fixed", "fixed", "The annotators are those there are.", ("annotators",)),
    Term("resample", "resample", "Draw the annotators of each item again too.", ("annotators",)),
    Term("half", "Bradley-Terry", "A tie is half a win for both.", ("ties",)),
    Term("davidson", "Davidson", "Ties have a probability of their own.", ("ties",)),
    Term("log", "logarithms", "Strengths as logarithms with the mean 0.", ("preferences.scale",)),
    Term("elo", "Elo points", "400 points are odds of ten to one.", ("preferences.scale",)),
    Term("same", "same scale", "The judge scores as humans do.", ("judged.scale",)),
    Term("different", "different scales", "The judge scores otherwise.", ("judged.scale",)),
    Term("dataset", "dataset", "The outer keys of a mapping are datasets.", ("outer",)),
    Term("system", "system", "The outer keys of a mapping are systems.", ("outer",)),
    Term("factor", "factor", "Multiply the scores.", ("by",)),
    Term("offset", "offset", "Add to the scores.", ("by",)),
)

_OF_SYSTEMS = ("items.kind", "runs.kind", "preferences.kind", "judged.kind", "study.kind")
_OF_PAIRS = (*_OF_SYSTEMS, "datasets.kind", "folds.kind")

FIGURES = (
    Term("auto", "figure that suits the result", "Every pair if they are few, else a line per system.",
        _OF_PAIRS),
    Term("forest", "forest of pairs", "A line per pair, with its interval.", _OF_PAIRS),
    Term("systems", "systems", "A line per system, marked by whether another is shown to be better.",
        _OF_SYSTEMS),
    Term("scores", "scores", "A line per system, with the interval of its score.", _OF_SYSTEMS),
    Term("baseline", "differences with one system", "Each system against the baseline, or the best.",
        _OF_SYSTEMS),
    Term("matrix", "matrix of pairs", "The effect as a colour, significance as a mark.", _OF_PAIRS),
    Term("quantiles", "quantile functions", "The runs of two systems, violations of order shaded.",
        ("runs.kind",)),
    Term("order", "matrix of stochastic order", "The upper bound of the violation, for every pair.",
        ("runs.kind",)),
    Term("growth", "growth", "Scores of conditions against epochs, items or dates.", ("study.kind",)),
    Term("judge", "humans by judge", "The mean human score by the judge's score.", ("judged.kind",)),
    Term("ranks", "diagram of average ranks", "Bars join systems not told apart.", ("datasets.kind",)),
    Term("profiles", "performance profiles", "Which share of several runs is better than each score.",
        ("datasets.kind",)),
    Term("column", "column", "As wide as a column of a paper: 3.03 inches.", ("figure.width",)),
    Term("page", "page", "As wide as the text of a page: 6.3 inches.", ("figure.width",)),
    Term("sans", "sans serif", "The letters of most figures.", ("figure.font",)),
    Term("serif", "serif", "Letters as those of a text in Times.", ("figure.font",)),
)
# fmt: on

SKIPPABLE = tuple(
    f"{question}.{argument}"
    for question in ("items", "runs", "datasets", "dataset_runs", "folds", "preferences", "study")
    for argument in ("interval", "test")
)
"""The arguments for which None means that nothing of the kind is computed."""

NONE = "none"
"""What the command line writes for this None."""

KINDS = {
    "test": TESTS,
    "interval": INTERVALS,
    "correction": CORRECTIONS,
    "alternative": ALTERNATIVES,
    "statistic": STATISTICS,
    "omnibus": OMNIBUS_TESTS,
    "heterogeneity": HETEROGENEITY_TESTS,
    "standard error": STANDARD_ERRORS,
    "setting": SETTINGS,
    "figure": FIGURES,
    "choosing": CHOOSING,
}


def terms(argument: str, question: str = "") -> tuple[Term, ...]:
    """Return the terms that an argument takes, such as the `test` of a comparison of "items"."""
    wanted = {argument, f"{question}.{argument}"}
    return tuple(term for kind in KINDS.values() for term in kind if wanted.intersection(term.arguments))


@cache
def allowed_names(argument: str, question: str = "") -> tuple[Any, ...]:
    """Return the names that an argument takes; `bestby._core.typing` has the types of some.

    >>> allowed_names("across", "datasets")
    ('permutation', 'sign', 'wilcoxon', 't')
    """
    return tuple(term.name for term in terms(argument, question))


def needs(kind: str, name: str) -> tuple[str, ...]:
    """Return what a term requires of the data; nothing for a name that no term has.

    >>> needs("interval", "two-way")
    ('units', 'crossed')
    """
    return next((term.needs for term in KINDS[kind] if term.name == name), ())


def choices(argument: str, question: str = "") -> str:
    """Return the names that an argument takes as a help text lists them.

    >>> choices("correction")
    'holm, bonferroni, bh or none'
    """
    *most, last = allowed_names(argument, question)
    return f"{', '.join(most)} or {last}"


def long_name(kind: str, name: str) -> str:
    """Return what reports call a term; a name that no term has stays as it is.

    >>> long_name("test", "wald")
    'Wald test with robust standard errors'
    """
    return next((term.long_name for term in KINDS[kind] if term.name == name), name)
