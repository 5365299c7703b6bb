"""The intervals, also those that hold at every look, and the standard errors."""

from __future__ import annotations

from typing import Literal, TypeAlias

from bestby.vocabulary.term import Term

ItemInterval: TypeAlias = Literal[
    "auto",
    "tango",
    "hall",
    "hall-wide",
    "bca",
    "abc",
    "percentile",
    "basic",
    "studentized",
    "normal",
    "cr2",
    "two-way",
]
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
RunsInterval: TypeAlias = Literal["auto", "t", "hall", "hall-wide", "bca", "percentile", "basic"]
DatasetRunsInterval: TypeAlias = Literal["auto", "t", "percentile"]
PreferenceInterval: TypeAlias = Literal["auto"]
StudyInterval: TypeAlias = Literal[
    "auto",
    "t",
    "hall",
    "hall-wide",
    "percentile",
    "basic",
    "bca",
    "abc",
    "studentized",
    "normal",
    "tango",
]

_BY_ITEMS = ("items.interval", "datasets.interval", "folds.interval")
_LOOKS = ("monitor.method",)
_BY_RUNS = ("runs.interval", "study.interval", "study_runs.interval")

# fmt: off
INTERVALS = (
    Term(
        "auto", "interval that suits the data", "Chosen by the kind of data; the result names the method.",
        (*_BY_ITEMS, *_BY_RUNS, "dataset_runs.interval", "preferences.interval", "monitor.method")
    ),
    Term(
        "tango", "Tango score", "Score interval for differences of right and wrong answers.",
        (*_BY_ITEMS, "study.interval"), ("answers", "units"),
        also="wilson score clopper-pearson binomial",
    ),
    Term(
        "wilson", "Wilson score", "Score interval for one proportion, made by tango.",
        needs=("answers", "units")
    ),
    Term(
        "wilson-midp", "Wilson score and mid-P", "For one proportion, made by auto: the longer end of both.",
        needs=("answers", "units")
    ),
    Term(
        "fisher-z", "skewness-allowing t on Fisher's scale",
        "For one correlation or agreement of annotators, made by auto.", needs=("units",)
    ),
    Term(
        "mixture-score", "score interval by mixtures",
        "Of agreement, by `agreement`: each value with the standard error that belongs to it."
    ),
    Term(
        "bca-expanded", "expanded BCa bootstrap", "BCa for few units, made by auto for one system.",
        needs=("units", "no blocks")
    ),
    Term(
        "odds", "score interval of the odds", "Of strengths in files of version 0.2.0: Wilson's, or Tango's."
    ),
    Term("wald", "Student's t on the log odds", "Of strengths and preferences, by robust standard errors."),
    Term(
        "likelihood-ratio", "likelihood-ratio bound", "Of strengths where one system never lost to the other."
    ),
    Term(
        "hall", "skewness-allowing t (Hall)",
        "The same as normal or cr2, made longer for the skewness that the units have or may have.",
        (*_BY_ITEMS, "runs.interval", "study.interval"), ("units",), also="johnson skew-t skewness",
    ),
    Term(
        "hall-wide", "wide skewness-allowing t (Hall)",
        "The same for two one-sided questions, with twice the allowance for skewness that was not seen.",
        (*_BY_ITEMS, "runs.interval", "study.interval"), ("units",),
    ),
    Term(
        "bca", "BCa bootstrap", "Bootstrap quantiles corrected for bias and skewness.",
        (*_BY_ITEMS, "runs.interval", "study.interval"), ("units", "no blocks"),
        also="bias-corrected bias-corrected-bootstrap bc bootstrap-bca",
    ),
    Term(
        "abc", "ABC (approximate BCa)", "The same from derivatives of the metric, without resamples.",
        (*_BY_ITEMS, "study.interval"), ("formula", "units", "no blocks")
    ),
    Term(
        "percentile", "percentile bootstrap", "Quantiles of the bootstrap distribution.",
        (*_BY_ITEMS, *_BY_RUNS, "dataset_runs.interval"),
        also="bootstrap bootstrap-percentile quantile",
    ),
    Term(
        "basic", "basic bootstrap", "The percentile interval mirrored about the estimate.",
        (*_BY_ITEMS, *_BY_RUNS),
        also="pivotal reverse-percentile empirical bootstrap-basic",
    ),
    Term(
        "studentized", "studentized bootstrap", "Bootstrap of the difference over its standard error.",
        (*_BY_ITEMS, "study.interval"), ("sums", "one stratum", "units", "no blocks"),
        also="studentised bootstrap-t",
    ),
    Term(
        "normal", "delta-method t", "Estimate plus or minus t standard errors, by the delta method.",
        (*_BY_ITEMS, "study.interval"), ("formula", "units"),
        also="delta gaussian asymptotic standard",
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
    Term(
        "calibration", "calibration-error",
        "Of calibration errors alone: allows for the noise that each bin adds to them."
    ),
    Term("max-t", "simultaneous max-T", "By its own method, at a level at which all pairs hold at once."),
    Term(
        "t", "Student's t", "Student's t over the runs, or over items and runs.",
        (*_BY_RUNS, "dataset_runs.interval"),
        also="student t-test normal",
    ),
    Term("welch", "Welch's t", "Student's t for two samples of unequal spread."),
    Term("yuen", "Yuen's t", "Welch's t for trimmed means."),
    Term("price-bonett", "Price and Bonett's t", "A t interval for medians of runs."),
    Term("stratified-t", "stratified t", "Of the mean over datasets: the variances inside them are added."),
    Term("stratified-hall", "stratified, skewness-allowing t", "The same, allowing for skewed items."),
    Term("crossed-t", "t over items and runs", "The variances of items and runs are added."),
    Term("mixture-t", "t-mixture", "Over facets: of two Student's t, one of few levels."),
    Term("generalised", "generalised", "From draws of the mean squares: of variance components."),
    Term("log-t", "Student's t of logarithms", "For costs and their ratios: the delta method."),
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

STANDARD_ERRORS = (
    Term("formula", "by formula", "From the variance of the scores, or the delta method."),
    Term("cr2", "cluster-robust, CR2", "For clusters, corrected for few of them."),
    Term("two-way", "cluster-robust, two-way", "For two crossed groupings."),
    Term("crossed", "over items and runs", "The variances of items and runs are added."),
    Term("components", "from variance components", "Over facets, such as prompts, seeds and items."),
    Term("sandwich", "from the judgements", "Robust, summed over the clusters of judgements."),
    Term("fisher", "from the Fisher information", "From the model of the preferences."),
    Term("bootstrap", "of the bootstrap replicates", "Their standard deviation."),
    Term("corrected-t", "of the corrected resampled t-test", "Over the folds."),
    Term("conservative-t", "of the conservative corrected t-test", "Over the folds."),
)
# fmt: on
