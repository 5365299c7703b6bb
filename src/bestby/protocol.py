"""Which test and which interval: the Hitchhiker's Guide's protocol as a decision tree that explains itself.

The tree is data: `advise` walks it, and the documentation draws it. Each answer carries its reason and
its source.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bestby._core.errors import InvalidInputError
from bestby.advice import ENOUGH_DIFFERING, choose_interval
from bestby.metrics import MeanMetric, Metric, resolve
from bestby.metrics.base import FunctionMetric

SMALL = 50
"""Items below which a bootstrap has little to draw from (Søgaard et al. 2014)."""

# Measures of other rooms and of the Guide's Table 1 that are no name of the registry: whether the score is a
# mean over items, and whether each item is right or wrong.
KNOWN_MEASURES: dict[str, tuple[bool, bool]] = {
    "exact_match": (True, True),
    "error_rate": (True, True),
    "rouge": (True, False),
    "meteor": (True, False),
    "sentence_bleu": (True, False),
    "ndcg": (True, False),
    "map": (True, False),
    "mrr": (True, False),
    "uas": (False, False),
    "las": (False, False),
    "bleu": (False, False),
    "chrf": (False, False),
    "ter": (False, False),
    "wer": (False, False),
    "perplexity": (False, False),
    "span_f1": (False, False),
}


@dataclass(frozen=True, slots=True)
class Case:
    """What is known about a comparison before it is made.

    Parameters
    ----------
    metric : str
        The measure.
    mean_of_items : bool
        Whether the score is the mean of one number per item.
    binary : bool
        Whether that number is 0 or 1.
    n_items, n_differing : int or None
        Items of the test set; items on which the systems differ.
    n_systems, n_runs, n_datasets, n_folds : int
        Systems; runs (seeds) of each; datasets; folds of a cross-validation (0: none).
    clustered : bool
        Whether items come in documents, speakers, templates.
    paired : bool
        Whether all systems were evaluated on the same items.
    """

    metric: str
    mean_of_items: bool
    binary: bool
    n_items: int | None = None
    n_differing: int | None = None
    n_systems: int = 2
    n_runs: int = 1
    n_datasets: int = 1
    n_folds: int = 0
    clustered: bool = False
    paired: bool = True


@dataclass(frozen=True, slots=True)
class Recommendation:
    """What to do, at the end of a path.

    Parameters
    ----------
    test : str
        The test.
    interval : str
        The interval; "auto" is resolved from the numbers of items.
    call : str
        The function and the command that do it.
    """

    test: str
    interval: str
    call: str


@dataclass(frozen=True, slots=True)
class Answer:
    """One way on from a question.

    Parameters
    ----------
    reason : str
        Why this answer leads there.
    source : str
        Who showed it.
    leads_to : str or Recommendation
        The next question, or the end.
    """

    reason: str
    source: str
    leads_to: str | Recommendation


@dataclass(frozen=True, slots=True)
class Question:
    """One fork of the tree.

    Parameters
    ----------
    text : str
        The question.
    ask : callable
        Takes a `Case`, returns the key of an answer.
    answers : dict of str to Answer
        The ways on.
    """

    text: str
    ask: Callable[[Case], str]
    answers: dict[str, Answer]


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a path: question, answer, reason, source."""

    question: str
    answer: str
    reason: str
    source: str


@dataclass(frozen=True, slots=True)
class Advice:
    """The recommended test and interval, the way there, and what would be wrong.

    Parameters
    ----------
    test, interval, call : str
        The recommendation.
    interval_reason : str
        Why this interval.
    path : tuple of Step
        The questions on the way with their answers, reasons and sources.
    wrong : tuple of str
        What would be wrong here, and why.
    """

    test: str
    interval: str
    call: str
    interval_reason: str
    path: tuple[Step, ...]
    wrong: tuple[str, ...]

    def __str__(self) -> str:
        lines = [
            f"test: {self.test}",
            f"interval: {self.interval} ({self.interval_reason})",
            f"do: {self.call}",
        ]
        lines += ["", "why"]
        for number, step in enumerate(self.path, 1):
            lines.append(f"{number}. {step.question} {step.answer}. {step.reason} [{step.source}]")
        if self.wrong:
            lines += ["", "what would be wrong", *(f"- {text}" for text in self.wrong)]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return plain dictionaries, lists and strings."""
        return {
            "test": self.test,
            "interval": self.interval,
            "interval_reason": self.interval_reason,
            "call": self.call,
            "path": [
                {"question": s.question, "answer": s.answer, "reason": s.reason, "source": s.source}
                for s in self.path
            ],
            "wrong": list(self.wrong),
        }


ROOT = "repeated"

TREE: dict[str, Question] = {
    "repeated": Question(
        "What was repeated?",
        lambda case: (
            "folds"
            if case.n_folds
            else "datasets"
            if case.n_datasets > 1
            else "runs"
            if case.n_runs > 1
            else "nothing"
        ),
        {
            "nothing": Answer(
                "One test set, one output of each system: the items are the sample.",
                "Dror et al. 2018, section 3",
                "paired",
            ),
            "runs": Answer(
                "Training again would give other scores, so the runs are a sample of their own.",
                "Reimers & Gurevych 2017; Ulmer et al. 2022",
                "run_items",
            ),
            "datasets": Answer(
                "A claim about several datasets is not one test: the question is in how many the effect holds.",
                "Dror et al. 2017; Demšar 2006",
                "datasets",
            ),
            "folds": Answer(
                "Folds share training data, so their scores are not independent and a plain t-test rejects too often.",
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
                "Dror et al. 2018, section 3.1; Miller 2024, section 4",
                "measure",
            ),
            "no": Answer(
                "Without common items the two samples are independent.",
                "Fisher 1935; Pitman 1937",
                Recommendation(
                    "permutation of two samples", "welch", "bestby.compare_runs(scores); bestby runs"
                ),
            ),
        },
    ),
    "measure": Question(
        "Is the score a mean of one number per item?",
        lambda case: "no" if not case.mean_of_items else "right or wrong" if case.binary else "real numbers",
        {
            "right or wrong": Answer(
                "The difference is decided by the items on which one system is right and the other wrong.",
                "McNemar 1947; Dror et al. 2018, Table 1",
                "clusters_binary",
            ),
            "real numbers": Answer(
                "The test need not assume a normal distribution: the distribution under swaps is computed.",
                "Pitman 1937; Yeh 2000",
                Recommendation("permutation", "auto", "bestby.compare(...); bestby compare"),
            ),
            "no": Answer(
                "The score is a function of sums over all items, so a test on item scores does not apply;"
                " swapping the outputs of whole items does.",
                "Yeh 2000; Zmigrod et al. 2022",
                Recommendation("permutation", "auto", "bestby.compare(...); bestby compare"),
            ),
        },
    ),
    "clusters_binary": Question(
        "Do items come in clusters (documents, speakers, templates)?",
        lambda case: "yes" if case.clustered else "no",
        {
            "yes": Answer(
                "Items of a cluster are alike, so clusters are swapped as wholes; McNemar's test would count them"
                " as independent.",
                "Miller 2024, section 2.2",
                Recommendation(
                    "permutation", "auto", "bestby.compare(..., clusters=...); bestby compare --cluster"
                ),
            ),
            "no": Answer(
                "The permutation test of an accuracy is McNemar's exact test, and is computed as such.",
                "Edgington & Onghena 2007, chapter 5",
                Recommendation("permutation", "auto", "bestby.compare(...); bestby compare"),
            ),
        },
    ),
    "run_items": Question(
        "Are there scores or predictions of every run per item?",
        lambda case: "yes" if case.n_items else "no",
        {
            "yes": Answer(
                "Items and runs both vary; resampling both keeps either from being counted as more independent"
                " than it is.",
                "Davison & Hinkley 1997, section 3.8; Bouthillier et al. 2021",
                Recommendation(
                    "hierarchical bootstrap",
                    "hierarchical bootstrap",
                    "bestby.compare_runs(..., gold=...); bestby runs",
                ),
            ),
            "no": Answer(
                "Few scores of unknown distribution: permutation of the runs for the difference of the means, almost"
                " stochastic order for the whole distribution.",
                "Dror et al. 2019; Ulmer et al. 2022",
                Recommendation(
                    "permutation of two samples", "welch", "bestby.compare_runs(scores); bestby runs"
                ),
            ),
        },
    ),
    "datasets": Question(
        "How many systems are compared on the datasets?",
        lambda case: "two" if case.n_systems == 2 else "several",
        {
            "two": Answer(
                "Count the datasets with an effect at a controlled error rate, and say which they are.",
                "Dror et al. 2017; Benjamini & Heller 2008",
                Recommendation(
                    "K-Bonferroni (any dependence) or K-Fisher (independent datasets), with Holm for which",
                    "auto, per dataset",
                    "bestby.compare_datasets(...); bestby datasets",
                ),
            ),
            "several": Answer(
                "Ranks make datasets of different difficulty comparable.",
                "Demšar 2006; Iman & Davenport 1980",
                Recommendation(
                    "Friedman with Iman-Davenport, then Nemenyi or Holm",
                    "auto, per dataset",
                    "bestby.compare_datasets(...); bestby datasets",
                ),
            ),
        },
    ),
    "folds": Question(
        "How were the folds made?",
        lambda case: "five times two" if case.n_folds == 2 and case.n_runs == 5 else "K folds",
        {
            "five times two": Answer(
                "Ten differences from five halvings have a statistic with a known distribution.",
                "Alpaydın 1999",
                Recommendation(
                    "5 x 2 cv combined F", "corrected t", "bestby.compare_folds(...); bestby folds"
                ),
            ),
            "K folds": Answer(
                "The variance of the fold scores is corrected for the overlap of the training sets.",
                "Nadeau & Bengio 2003",
                Recommendation(
                    "corrected resampled t", "corrected t", "bestby.compare_folds(...); bestby folds"
                ),
            ),
        },
    ),
}


def advise(
    metric: Any = "accuracy",
    *,
    n_items: int | None = None,
    n_differing: int | None = None,
    n_systems: int = 2,
    n_runs: int = 1,
    n_datasets: int = 1,
    n_folds: int = 0,
    clustered: bool = False,
    paired: bool = True,
    mean_of_items: bool | None = None,
    binary: bool | None = None,
) -> Advice:
    """Recommend a test and an interval for a comparison, with the reasons.

    Parameters
    ----------
    metric : str, Metric or callable
        The measure: a name of ``bestby metrics``, or one of the Guide's (bleu, rouge, uas, wer, …).
    n_items : int, optional
        Items of the test set.
    n_differing : int, optional
        Items on which the systems differ, if known; `n_items` is taken otherwise.
    n_systems, n_runs, n_datasets, n_folds : int
        Systems; runs of each; datasets; folds of a cross-validation (0: none).
    clustered : bool
        Whether items come in documents, speakers or templates.
    paired : bool
        Whether all systems were evaluated on the same items.
    mean_of_items, binary : bool, optional
        For a measure that has no name here: whether its score is a mean of one number per item, and
        whether that number is 0 or 1.

    Returns
    -------
    Advice
        Test, interval, the path through the tree with reasons and sources, and what would be wrong.

    Raises
    ------
    InvalidInputError
        If the measure is unknown and `mean_of_items` is not given, or a number is impossible.

    References
    ----------
    .. [1] Dror, Baumer, Shlomov & Reichart (2018), The hitchhiker's guide to testing statistical
       significance in natural language processing, ACL, sections 3 and 4.

    Examples
    --------
    >>> advice = advise("f1_macro", n_items=200)
    >>> advice.test, advice.interval
    ('permutation', 'bca')
    >>> advice.path[-1].source
    'Yeh 2000; Zmigrod et al. 2022'
    """
    counts = {"n_systems": n_systems, "n_runs": n_runs, "n_datasets": n_datasets}
    for name, value in counts.items():
        least = 2 if name == "n_systems" else 1
        if value < least:
            raise InvalidInputError(f"{name} must be at least {least}, got {value}")
    name, is_mean, is_binary = _nature(metric, mean_of_items, binary)
    case = Case(
        name,
        is_mean,
        is_binary,
        n_items,
        n_differing,
        n_systems,
        n_runs,
        n_datasets,
        n_folds,
        clustered,
        paired,
    )
    path, end = walk(case)
    interval, reason = end.interval, "the test's own"
    if interval == "auto":
        interval, reason = _interval(case)
    return Advice(end.test, interval, end.call, reason, path, tuple(_wrong(case)))


def walk(case: Case) -> tuple[tuple[Step, ...], Recommendation]:
    """Walk the tree from its root; return the steps and the recommendation at the end."""
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


def _nature(metric: Any, mean_of_items: bool | None, binary: bool | None) -> tuple[str, bool, bool]:
    """Return the name of the measure, whether it is a mean over items, and whether of 0/1 values."""
    if isinstance(metric, str) and metric.split("@")[0] in KNOWN_MEASURES:
        is_mean, is_binary = KNOWN_MEASURES[metric.split("@")[0]]
        return metric, is_mean, is_binary
    if mean_of_items is not None and isinstance(metric, str):
        return metric, mean_of_items, bool(binary)
    found = resolve(metric)
    if mean_of_items is None and isinstance(found, FunctionMetric):
        raise InvalidInputError(
            f"nothing is known about the measure {found.name!r}",
            hint="say mean_of_items=True if its score is the mean of one number per item, else False",
        )
    is_mean = isinstance(found, MeanMetric) if mean_of_items is None else mean_of_items
    is_binary = bool(getattr(found, "binary", False)) if binary is None else binary
    return found.name, is_mean, is_mean and is_binary


def _interval(case: Case) -> tuple[str, str]:
    differing = case.n_differing if case.n_differing is not None else case.n_items
    if differing is None:
        return "auto", f"bca where at least {ENOUGH_DIFFERING} units differ; say n_items to know"
    choice = choose_interval(
        proportion=case.binary and not case.clustered,
        difference=True,
        n_differing=differing,
        plain_mean=case.mean_of_items and not case.clustered,
        stratified=False,
    )
    return choice.method, choice.reason


def _wrong(case: Case) -> list[str]:
    """Return what would be wrong in this case."""
    out = []
    if not case.mean_of_items:
        out.append(f"a t-test, sign or Wilcoxon test on {case.metric}: the score is no mean of item scores")
    if case.binary:
        out.append("a t-test on 0/1 values of few differing items: McNemar's exact test has the right level")
    if case.paired:
        out.append("an unpaired test: the systems share the items, and most of the variance is between items")
    if case.n_items is not None and case.n_items < SMALL:
        out.append(f"a bootstrap test on {case.n_items} items: too few to stand for the population")
    if case.clustered:
        out.append(
            "counting items of one document as independent: intervals become too short, p-values too small"
        )
    if case.n_runs > 1:
        out.append("gluing the runs together as if they were new items, or picking the best run")
    if case.n_datasets > 1:
        out.append("calling a system better because it wins on most datasets, or averaging p-values")
    if case.n_folds:
        out.append("an ordinary paired t-test over folds: overlapping training sets make it reject too often")
    if case.n_systems > 2:
        out.append("reading the raw p-values of all pairs: correct them (holm)")
    return out


def drawn() -> str:
    """Return the tree as a Mermaid flowchart, for the documentation.

    Examples
    --------
    >>> drawn().splitlines()[0]
    'flowchart TD'
    """
    lines = ["flowchart TD"]
    ends = 0
    for name, question in TREE.items():
        lines.append(f'  {name}{{"{question.text}"}}')
        for key, answer in question.answers.items():
            target = answer.leads_to
            if isinstance(target, Recommendation):
                ends += 1
                lines.append(f'  end{ends}["{target.test}"]')
                target = f"end{ends}"
            lines.append(f'  {name} -- "{key}" --> {target}')
    return "\n".join(lines)
