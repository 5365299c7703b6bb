"""The decision tree: questions, answers with reason and source, and recommendations at the ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bestby.questions.advice.result import Case, Step


@dataclass(frozen=True, slots=True)
class Recommendation:
    """What to do, at the end of a path."""

    test: str
    interval: str
    call: str


@dataclass(frozen=True, slots=True)
class Answer:
    """One way on from a question."""

    reason: str
    source: str
    leads_to: str | Recommendation


@dataclass(frozen=True, slots=True)
class Question:
    """One fork of the tree.

    `ask` takes a `Case`, returns the key of an answer.
    """

    text: str
    ask: Callable[[Case], str]
    answers: dict[str, Answer]


def walk(case: Case) -> tuple[tuple[Step, ...], Recommendation]:
    """Walk the tree from its root.

    >>> steps, end = walk(Case("bleu", mean_of_items=False, binary=False, n_items=500))
    >>> [step.answer for step in steps], end.test
    (['nothing', 'yes', 'two', 'not known', 'no', 'no'], 'permutation')
    """
    steps: list[Step] = []
    place = ROOT
    while True:
        question = TREE[place]
        key = question.ask(case)
        answer = question.answers[key]
        steps.append(Step(question.text, key, answer.reason, answer.source))
        if isinstance(answer.leads_to, Recommendation):
            return tuple(steps), answer.leads_to
        place = answer.leads_to


def drawn() -> str:
    """Return the tree as numbered questions, each answer with the question or the test it leads to."""
    numbers = {name: number for number, name in enumerate(TREE, 1)}
    lines: list[str] = []
    for name, question in TREE.items():
        lines.append(f"{numbers[name]:<2} {question.text}")
        last = list(question.answers)[-1]
        for key, answer in question.answers.items():
            end = answer.leads_to
            to = f"→ {numbers[end]}" if isinstance(end, str) else f"● {end.test}"
            lines.append(f"   {'└' if key == last else '├'}─ {key} ──{to}")
        lines.append("")
    return "\n".join(lines[:-1])


# -- how a case answers --------------------------------------------------------------------------------------


def repetition(case: Case) -> str:
    """Return what was repeated."""
    if case.n_folds:
        return "folds"
    if case.n_datasets > 1:
        return "datasets"
    return "runs" if case.n_runs > 1 else "nothing"


FEWEST_DIFFERING = 6
"""Differing items from which a two-sided exact test can reach 5 %: 2 ** (1 - 6) = 0.031."""


def differing_items(case: Case) -> str:
    """Return whether enough items differ for an exact test."""
    most = case.most_differing
    if most is not None and most < FEWEST_DIFFERING:
        return "fewer than six"
    return "not known" if case.n_differing is None else "six or more"


def kind_of_score(case: Case) -> str:
    """Return whether the score is a mean of one number per item, and of which kind."""
    if not case.mean_of_items:
        return "no"
    return "right or wrong" if case.binary else "a number"


def clustering(case: Case) -> str:
    """Return how items are grouped."""
    if case.crossed:
        return "in two groupings that cross"
    return "yes" if case.clustered else "no"


def most_tied(case: Case) -> str:
    """Return whether most items have the same number for both systems."""
    if case.n_items is None or case.n_differing is None:
        return "not known"
    return "yes" if 2 * case.n_differing < case.n_items else "no"


def cross_validation(case: Case) -> str:
    """Return how often the cross-validation was made."""
    if case.n_runs == 1:
        return "once"
    return "several times in halves" if case.n_folds == 2 else "several times"


def known_of_datasets(case: Case) -> str:
    """Return what is known of the systems on each dataset."""
    if case.n_runs > 1:
        return "several runs"
    return "one score" if case.n_items is None else "scores or predictions of items"


# -- the tree ------------------------------------------------------------------------------------------------


FEWEST_RUNS = 4
"""Runs of each of two systems from which a permutation can reach 5 %: 2 / binomial(8, 4) = 0.029."""

_PERMUTATION = Recommendation("permutation", "auto", "bestby.compare(...); bestby compare")
_RUNS = "bestby.compare_runs(...); bestby runs"
_RUN_ITEMS = "bestby.compare_runs(runs of items, gold=...); bestby runs"
_FEW_RUNS = "bestby.compare_runs(..., test='t'); bestby runs --test t"
_DATASETS = "bestby.compare_datasets(...); bestby datasets"
_DATASETS_OF_RUNS = 'bestby.compare_datasets({"dataset": {"system": [scores of its runs]}}); bestby datasets'
_FOLDS = "bestby.compare_folds(...); bestby folds"
ROOT = "repeated"
TREE: dict[str, Question] = {
    "repeated": Question(
        "What was repeated?",
        repetition,
        {
            "nothing": Answer(
                "With one test set and one output of each system, the items are the sample.",
                "Dror et al. 2018",
                "paired",
            ),
            "runs": Answer(
                "Training with another seed gives other scores, so the runs are a sample of their own."
                " Prompts or judges beside seeds are further samples: compare_facets takes them together.",
                "Reimers & Gurevych 2017; Ulmer et al. 2022",
                "run_items",
            ),
            "datasets": Answer(
                "A claim about several datasets is about their mean, or about on how many of them it holds.",
                "Dror et al. 2017; Demšar 2006",
                "datasets",
            ),
            "folds": Answer(
                "Folds share training data: their scores depend on each other, and no universal unbiased"
                " estimate of the variance of their mean exists.",
                "Dietterich 1998; Bengio & Grandvalet 2004",
                "folds",
            ),
        },
    ),
    "paired": Question(
        "Were all systems evaluated on the same items?",
        lambda case: "yes" if case.paired else "no",
        {
            "yes": Answer(
                "Pairing takes out the difficulty of the items, which all systems share.",
                "Dror et al. 2018; Miller 2024",
                "systems",
            ),
            "no": Answer(
                "Without common items the two samples are independent.",
                "Pitman 1937",
                "apart",
            ),
        },
    ),
    "apart": Question(
        "Is the score a mean of one number per item?",
        lambda case: "yes" if case.mean_of_items else "no",
        {
            "yes": Answer(
                "If the systems are alike, every way of sharing the scores between them is as likely;"
                " Welch's t and its interval do not assume equal variances. The larger p-value counts.",
                "Pitman 1937; Welch 1947",
                Recommendation("permutation of two samples and welch", "welch", _RUNS),
            ),
            "no": Answer(
                "Only resampling each system's items apart is left, whose noise includes the difficulty of"
                " the items: evaluate both on the same items if that can be done.",
                "Efron & Tibshirani 1993",
                Recommendation(
                    "bootstrap of each system apart",
                    "of each score by itself",
                    "evaluate on the same items, then bestby.compare(...)",
                ),
            ),
        },
    ),
    "systems": Question(
        "How many systems are there?",
        lambda case: "two" if case.n_systems == 2 else "three or more",
        {
            "two": Answer("One comparison needs no correction.", "Holm 1979", "differing"),
            "three or more": Answer(
                "All pairs (or all against a baseline) are one family: its p-values are corrected"
                " together, by Holm's procedure, which holds under any dependence.",
                "Holm 1979",
                "differing",
            ),
        },
    ),
    "differing": Question(
        "On how many items (clusters, if there are any) do two systems differ?",
        differing_items,
        {
            "fewer than six": Answer(
                "Swaps of d differing items have 2^d outcomes, so that no exact two-sided p is below"
                " 2^(1-d): 0.0625 for five, 0.25 for three. At 5 % they cannot reject. Where all items or"
                " clusters there are point the same way, Hall's t test decides, unless items are right or"
                " wrong; it takes them to be nearly normal, which so few do not show. Plan for more items"
                " (bestby plan).",
                "Fisher 1935",
                "clusters",
            ),
            "six or more": Answer(
                "The swaps of so few as six differing items suffice for p = 0.031 if all go one way.",
                "Fisher 1935",
                "clusters",
            ),
            "not known": Answer(
                "Swaps change nothing on the other items: these alone decide. Count them, or give the data.",
                "Fisher 1935",
                "clusters",
            ),
        },
    ),
    "clusters": Question(
        "Do items come in clusters (documents, speakers, templates)?",
        clustering,
        {
            "yes": Answer(
                "Items of a cluster are alike, so clusters are swapped and resampled as wholes, whatever"
                " the metric.",
                "Miller 2024; Davison & Hinkley 1997, section 3.8",
                Recommendation(
                    "permutation", "auto", "bestby.compare(..., clusters=...); bestby compare --cluster"
                ),
            ),
            "in two groupings that cross": Answer(
                "No swap and no resample keeps both groupings: the difference is divided by its two-way"
                " cluster-robust standard error.",
                "Cameron et al. 2011",
                Recommendation(
                    "wald",
                    "two-way",
                    "bestby.compare(..., clusters=[first, second]); bestby compare --cluster twice",
                ),
            ),
            "no": Answer(
                "Then every item is a unit of its own. Sentences of one document are not independent.",
                "Dror et al. 2018",
                "measure",
            ),
        },
    ),
    "measure": Question(
        "Is the score a mean of one number per item, and of which kind?",
        kind_of_score,
        {
            "right or wrong": Answer(
                "Only items that one system alone has right matter, and each is a fair coin if the systems"
                " are alike: the permutation test is McNemar's exact test, and is computed as such.",
                "McNemar 1947; Fagerland et al. 2013",
                _PERMUTATION,
            ),
            "a number": Answer(
                "No normal distribution need be assumed: the distribution of the mean difference under"
                " swaps is computed, exactly or nearly so.",
                "Pitman 1937; Bestgen 2022",
                "ties",
            ),
            "no": Answer(
                "The score is a function of all items together, so tests of numbers per item do not apply;"
                " exchanging the two systems' outputs item by item does.",
                "Yeh 2000; Zmigrod et al. 2022",
                _PERMUTATION,
            ),
        },
    ),
    "ties": Question(
        "Do most items have the same number for both systems?",
        most_tied,
        {
            "yes": Answer(
                "A signed-rank or sign test would throw the ties away and speak of the minority; in the"
                " mean they count, as no difference.",
                "Pratt 1959",
                _PERMUTATION,
            ),
            "no": Answer(
                "The test is about the difference that is reported, the mean; ranks would ask another"
                " question.",
                "Pitman 1937",
                _PERMUTATION,
            ),
            "not known": Answer(
                "The permutation of the mean is right either way.",
                "Pitman 1937",
                _PERMUTATION,
            ),
        },
    ),
    "run_items": Question(
        "Are scores or predictions of every run known item by item?",
        lambda case: "yes" if case.n_items else "no",
        {
            "yes": Answer(
                "Items and runs are two samples, and every run meets the same items: the variance of both"
                " counts, so that neither is taken for more independent than it is.",
                "Owen 2007; Bouthillier et al. 2021",
                Recommendation("t over items and runs", "t over items and runs", _RUN_ITEMS),
            ),
            "no": Answer(
                "The sample is one score per run, for this one test set.",
                "Reimers & Gurevych 2017",
                "run_count",
            ),
        },
    ),
    "run_count": Question(
        "How many runs has each system?",
        lambda case: "two or three" if case.n_runs < FEWEST_RUNS else "four or more",
        {
            "two or three": Answer(
                "Three and three runs can be shared in 20 ways, so that no permutation p is below 0.1."
                " Show every score, lean on the interval, and train more.",
                "Pitman 1937; Welch 1947",
                Recommendation("welch", "welch", _FEW_RUNS),
            ),
            "four or more": Answer(
                "Few scores of unknown distribution: the larger p-value of permutation, which is exact if"
                " runs can be exchanged, and of Welch's t, which allows unequal spreads; almost stochastic"
                " order for the distributions as wholes.",
                "Pitman 1937; Welch 1947; Dror et al. 2019",
                Recommendation(
                    "permutation of two samples and welch, almost stochastic order", "welch", _RUNS
                ),
            ),
        },
    ),
    "datasets": Question(
        "What is known of the systems on each dataset?",
        known_of_datasets,
        {
            "scores or predictions of items": Answer(
                "The mean over these very datasets is tested by their items, whose variances add up. Each"
                " dataset has its own p-value, too: those with an effect are counted at a controlled error"
                " rate, and named. One sentence tells of other datasets.",
                "Satterthwaite 1946; Benjamini & Heller 2008; Dror et al. 2017",
                Recommendation(
                    "t over the items of all datasets; K-Bonferroni for on how many",
                    "t over the items of all datasets",
                    _DATASETS,
                ),
            ),
            "several runs": Answer(
                "The runs of a dataset are its sample: the mean over these very datasets is tested by their"
                " runs, whose variances add up. Each dataset has its own p-value, too: those with an effect"
                " are counted at a controlled error rate, and named. One sentence tells of other datasets.",
                "Satterthwaite 1946; Dror et al. 2017; Ulmer et al. 2022",
                Recommendation(
                    "t over the runs of all datasets; K-Bonferroni for on how many",
                    "t over the runs of all datasets",
                    _DATASETS_OF_RUNS,
                ),
            ),
            "one score": Answer(
                "With one score per dataset the datasets are the sample, and the t-test asks about the"
                " mean that the interval is of. Demšar (2006) recommends Wilcoxon's test, which needs no"
                " normal differences, but asks whether they are symmetric about 0, which skewed ones with"
                " mean 0 are not; and of several systems Friedman's test of their ranks, which the details"
                " have.",
                "Student 1908",
                Recommendation("t over the datasets", "of the mean over datasets", _DATASETS),
            ),
        },
    ),
    "folds": Question(
        "How was the cross-validation made?",
        cross_validation,
        {
            "several times in halves": Answer(
                "All halvings have their items in common, which the t and F tests of 5 x 2 folds leave out:"
                " with few items or weak learners they reject too often. The corrected test allows for it,"
                " and its interval agrees with it.",
                "Nadeau & Bengio 2003",
                Recommendation("corrected resampled t", "corrected t", _FOLDS),
            ),
            "once": Answer(
                "The variance of the fold scores is corrected for the overlap of the training sets; folds"
                " with items also have p-values of their own to count (K-Bonferroni).",
                "Nadeau & Bengio 2003; Dror et al. 2018",
                Recommendation("corrected resampled t", "corrected t", _FOLDS),
            ),
            "several times": Answer(
                "Repetitions share all their data: one corrected test over all folds of all repetitions,"
                " which allows for common test items and common training items, and the spread of the"
                " conclusions beside it.",
                "Bouckaert & Frank 2004; Bestgen 2022",
                Recommendation("conservative corrected t", "conservative corrected t", _FOLDS),
            ),
        },
    ),
}
