"""What human labels tell of a judge: coverage of its bias and agreement, and tests on the bias."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from typing import NamedTuple

import numpy as np

from bestby import compare_judged
from bestby._core.typing import BoolArray, FloatArray, IntArray
from bestby.questions.judged.result import JudgeOfSystem, JudgeQuality
from bestby.results.values import Interval
from calibration.statements import Outcome, Statements, What

TITLE = "The report on a judge"

TEXT = """
Three systems are equally good, and the judge has the same bias on all of them; a fifth of the items has
labels. Human scores are continuous, from 1 to 5, or right and wrong (*0/1*: .54 are right; *rare errors*:
.95); the judge's have the correlation .8 with them before both are cut to the scale. *Outliers*: the judge is
far off on one answer in twenty. *Heavy tails*: its errors are of Student's t with 3 degrees of freedom.
*Slips*: it says the same as the humans, but any of the five points on one answer in ten. *Unequal errors*:
its errors on the third system are three times as large. *Bias*, *correlation*, *sensitivity* and
*specificity* are the intervals for the first system, *curve* that of the lowest point of the calibration
curve, *slope* that of the bias by the length of an answer, with which it rises in continuous scores and not
in others, *levels* that of the bias on one of four topics. *Equal bias* is the test that the bias is the same
on all systems, *topics* the test that it is the same on all topics. *Own items*:
each system has other items labelled, half of them in common. *Probabilities*: answers with a low judge's
score are labelled four times as often. *Clusters*: ten items of a cluster are alike and of one topic, and
whole clusters are labelled. Not counted are data sets in which the judge always says the same, and statements
that the report leaves out because the labels cannot tell: intervals of a topic and of correlations of which
fewer than five values differ from the commonest, as those cover far too seldom. *Topics* has the degrees of
freedom of Tipton and Pustejovsky (2015), as Hotelling's test by the number of clusters rejects far too often
where few of them are of a topic. A correlation, and a mean bias, cannot be told from 100 labels if a few
answers with a huge error make most of it: see *outliers*. A note (`few_answers_off`) says so where residuals
of the judge's scores have a kurtosis above 5 and fewer than 100 equal ones would have their sum of squares;
*noted* of bias and correlation is how often it is about the first system. Labels without such an answer
cannot show it, and it also stands where the judge slips and intervals hold. With outliers *topics* rejects
too often, too, in 500 labels. Correlations have the degrees of freedom of as many labels as would carry the
error with equal influence, but for scores 0 and 1.
"""

_NAMES = ("a", "b", "c")
_CORRELATION = 0.8
_BIAS, _SLOPE = 0.3, 0.2
_CUTS = {"0/1": -0.1, "rare errors": -1.65}
_STEPS = np.array([-1.2, -0.4, 0.4, 1.2])
_SIZES = (20, 50, 100, 500)
_ITEMS = 5
"""Items for each that is labelled."""

_TRUTH = 1_500_000


class Scored(NamedTuple):
    """Scores of humans and judge, shape (N, 3), and the length, the topic and the cluster of each item."""

    human: FloatArray
    judge: FloatArray
    length: FloatArray
    topic: IntArray
    cluster: IntArray


class Truth(NamedTuple):
    """What is true of the population: of one system, and the mean human score by the judge's."""

    bias: float
    correlation: float
    sensitivity: float
    specificity: float
    curve: dict[float, float]


def cells() -> Iterator[Statements]:
    """Yield kinds of scores by the number of labels, and designs at some of these numbers."""
    for kind in ("continuous", "five points", *_CUTS):
        for n in _SIZES:
            yield _cell(kind, "", n, n)
    for way in ("outliers", "heavy tails"):
        for n in (20, 50, 500) if way == "outliers" else (50, 500):
            yield _cell("continuous", way, n, n)
    for n in (100, 500):
        yield _cell("five points", "slips", n, n)
    for way in ("outliers", "unequal errors", "own items", "probabilities"):
        for kind in ("continuous", "0/1"):
            if way in ("own items", "probabilities") or kind == "continuous":
                yield _cell(kind, way, 100, 100)
    for kind in ("continuous", "0/1"):
        for clusters in (10, 30, 100):
            yield _cell(kind, "clusters", 10 * clusters, clusters)


def _cell(kind: str, way: str, n: int, units: int) -> Statements:
    size = f"{n} of {_ITEMS * n}" if units == n else f"{units} of {_ITEMS * units} clusters"
    one = partial(_one, kind=kind, way=way, n=n)
    return Statements("judge_report", ", ".join(filter(None, (way, kind))), size, units, one, datasets=300)


def _one(rng: np.random.Generator, _seed: int, kind: str, way: str, n: int) -> dict[What, Outcome]:
    data = _scored(rng, kind, way, _ITEMS * n)
    labelled, chance = _labelled(rng, data, way, n)
    if (np.ptp(data.judge, axis=0) == 0.0).any():
        return {}
    found = compare_judged(
        dict(zip(_NAMES, data.judge.T, strict=True)),
        dict(zip(_NAMES, np.where(labelled, data.human, np.nan).T, strict=True)),
        labels_drawn="random" if chance is None else chance,
        scale="same",
        clusters=data.cluster if way == "clusters" else None,
        bias_by={"length": data.length, "topic": np.char.add("topic ", data.topic.astype(str))},
    )
    noted = any(note.code == "few_labels" for note in found.notes)
    off = any(n.code == "few_answers_off" and " of a" in n.message for n in found.notes)
    return {
        what: Outcome(true, noted or (off and what.method in ("bias", "correlation")))
        for what, true in _statements(found.judges[0], kind, way)
    }


def _statements(judge: JudgeQuality, kind: str, way: str) -> Iterator[tuple[What, bool | None]]:
    """Yield what the report states, and whether it is true."""
    truth, first = _truth(kind, way), judge.systems[0]
    yield _covers("bias", first.bias_interval, truth.bias)
    yield _covers("correlation", first.pearson_interval, truth.correlation)
    yield from _of_shares(first, truth, kind)
    if truth.curve:
        point = judge.calibration[0]
        yield _covers("curve", point.interval, truth.curve[point.low])
    length, topic = judge.effects
    yield _covers("slope", length.interval, _SLOPE if kind == "continuous" else 0.0)
    if topic.levels:
        yield _covers("levels", topic.levels[0].interval, truth.bias)
    yield What("rejected", "topics", True), None if topic.p_value is None else topic.p_value <= 0.05
    equal = judge.equal_bias
    yield What("rejected", "equal bias", True), None if equal is None else equal.p_value <= 0.05


def _of_shares(first: JudgeOfSystem, truth: Truth, kind: str) -> Iterator[tuple[What, bool | None]]:
    if kind in _CUTS:
        yield _covers("sensitivity", first.sensitivity_interval, truth.sensitivity)
        yield _covers("specificity", first.specificity_interval, truth.specificity)


def _covers(method: str, interval: Interval | None, true: float) -> tuple[What, bool | None]:
    return What("coverage", method, True), None if interval is None else true in interval


# -- populations -----------------------------------------------------------------------------------


def _scored(rng: np.random.Generator, kind: str, way: str, n: int) -> Scored:
    cluster = np.arange(n) // 10
    shared, length = rng.standard_normal((n, 1)), rng.standard_normal(n)
    topic, error = rng.integers(4, size=n), rng.standard_normal((n, 3))
    if way == "clusters":
        n_clusters = int(cluster[-1]) + 1
        shared = np.sqrt(0.5) * (shared + rng.standard_normal((n_clusters, 1))[cluster])
        error = np.sqrt(0.5) * (error + rng.standard_normal((n_clusters, 1))[cluster])
        topic = (np.arange(n_clusters) % 4)[cluster]
    latent = np.sqrt(0.5) * (shared + rng.standard_normal((n, 3)))
    if way == "outliers":
        error = np.where(rng.random((n, 3)) < 0.05, rng.exponential(8.0, (n, 3)), error)
    if way == "heavy tails":
        error = rng.standard_t(3.0, (n, 3))
    if way == "unequal errors":
        error = error * np.array([1.0, 1.0, 3.0])
    heard = _BIAS + _CORRELATION * latent + np.sqrt(1.0 - _CORRELATION**2) * error
    if kind == "continuous":
        return Scored(latent, heard + _SLOPE * length[:, None], length, topic, cluster)
    if kind == "five points":
        human, judge = (1.0 + np.searchsorted(_STEPS, x) for x in (latent, heard))
        if way == "slips":
            judge = np.where(rng.random((n, 3)) < 0.1, rng.integers(1, 6, (n, 3)), human)
    else:
        human, judge = ((x > _CUTS[kind]).astype(np.float64) for x in (latent, heard))
    return Scored(human, judge, length, topic, cluster)


def _labelled(
    rng: np.random.Generator, data: Scored, way: str, n: int
) -> tuple[BoolArray, FloatArray | None]:
    """Return which scores have labels, shape (N, 3), and the probabilities of items where they differ."""
    n_items = len(data.human)
    labelled = np.zeros((n_items, 3), dtype=np.bool_)
    if way == "own items":
        order = rng.permutation(n_items)
        for place in range(3):
            labelled[order[: n // 2], place] = True
            labelled[order[n // 2 * (1 + place) : n // 2 * (2 + place)], place] = True
        return labelled, None
    if way == "probabilities":
        score = data.judge.mean(axis=1) + 1e-9 * rng.standard_normal(n_items)
        chance = np.where(score < np.median(score), 1.6 / _ITEMS, 0.4 / _ITEMS)
        labelled[rng.random(n_items) < chance] = True
        return labelled, chance
    if way == "clusters":
        labelled[np.isin(data.cluster, rng.choice(n_items // 10, n // 10, replace=False))] = True
        return labelled, None
    labelled[rng.choice(n_items, n, replace=False)] = True
    return labelled, None


@cache
def _truth(kind: str, way: str) -> Truth:
    """Return what a sample of a million and a half items says of the first system."""
    data = _scored(np.random.default_rng(1), kind, way, _TRUTH)
    human, judge = data.human[:, 0], data.judge[:, 0]
    known, right = kind in _CUTS, human == judge
    discrete = kind != "continuous"
    return Truth(
        bias=float((judge - human).mean()),
        correlation=float(np.corrcoef(judge, human)[0, 1]),
        sensitivity=float(right[human == 1.0].mean()) if known else np.nan,
        specificity=float(right[human == 0.0].mean()) if known else np.nan,
        curve={float(x): float(human[judge == x].mean()) for x in np.unique(judge)} if discrete else {},
    )
