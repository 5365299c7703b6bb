"""Judges that are blind to the systems: how often they are said to favour one."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from scipy.special import ndtr

from bestby import compare_judged
from bestby._core.typing import BoolArray, FloatArray
from calibration.statements import Outcome, Statements, What

TITLE = "Whether a judge favours a system"

TEXT = """
Systems of different quality, and a judge whose score of an answer depends on the human score of it alone; its
errors, or those of the systems, are alike within an item. Labels 0 and 1: the systems are right for .4 and .7
of the items (with three, .4, .55 and .7), and the judge has a sensitivity of .9 and a specificity of .7
(*good*: .97 and .9). *.95 right* and *.98 right*: the best system is right for so many items and the worst
for .5 (with three, the other for half-way between), so that hardly any of its answers is wrong; the judge is
right with .85 whatever the label. Other scores: the mean judge's score is *half* the human one, or *twice*
it, follows a *curve* (the root of human scores that are skewed), or is half a grade more on five *points*.
*Favour* is the test that the judge scores the systems alike where the humans do: of equal sensitivity and
specificity, by Holm's method, or of the systems beside the human scores. *Equal bias*, the test that its mean
error is the same for all systems, is right in rejecting: these biases differ. It is here to show why it says
nothing of favour. *Probabilities*: answers with a low judge's score are labelled four times as often.
*Clusters*: ten items of a cluster are alike, and whole clusters are labelled. With *30* labels of a good
judge there is often no test.

Wald's test with a variance per system and CR2 was tried for labels 0 and 1, too: with 100 labels of five
systems and the judge called good it rejects in 20 %, as a system without an error among its labels counts as
one without any. The chi-squared of Rao and Scott whose design effect rests on the sums of items alone rejects
in 10 to 20 % where the best system is right for .95 or .98, as that effect is then known from some eight
answers: the variance is therefore that of all answers together, and only covariances within items or clusters
come from sums. With the binomial variance in its stead it rejects in 12 to 29 % where labels are drawn by the
verdicts. For other scores a line in the human scores was tried, which rejects in 79 % on a curve with 300
labels, and a cubic in them, in 40 % where they are lognormal with a standard deviation of 1.4; a line and a
cubic in their ranks hold.
"""

_ITEMS = 5
"""Items for each that is labelled."""

_ERROR_RATES = {"": (0.9, 0.7), "good": (0.97, 0.9), ".95 right": (0.85, 0.85), ".98 right": (0.85, 0.85)}

_RIGHT = {".95 right": (0.5, 0.95), ".98 right": (0.5, 0.98)}


def cells() -> Iterator[Statements]:
    """Yield kinds of scores by the number of labels and of systems, and designs at one of these."""
    for kind in ("0/1", "0/1, good"):
        for n in (30, 100, 300):
            yield _cell(kind, "", n, n, 2)
        yield _cell(kind, "", 100, 100, 3)
    for kind in ("0/1, .95 right", "0/1, .98 right"):
        for n in (200, 500):
            yield _cell(kind, "", n, n, 2)
        yield _cell(kind, "", 200, 200, 3)
        yield _cell(kind, "probabilities", 200, 200, 2)
        yield _cell(kind, "clusters", 300, 30, 2)
    for kind in ("half", "twice", "curve", "points"):
        for n in (30, 100) if kind != "twice" else (100,):
            yield _cell(kind, "", n, n, 2)
        yield _cell(kind, "", 100, 100, 3)
    for kind in ("0/1", "half"):
        yield _cell(kind, "probabilities", 100, 100, 2)
        for clusters in (10, 30):
            yield _cell(kind, "clusters", 10 * clusters, clusters, 2)


def _cell(kind: str, way: str, n: int, units: int, systems: int) -> Statements:
    size = f"{n} of {_ITEMS * n}" if units == n else f"{units} of {_ITEMS * units} clusters"
    one = partial(_one, kind=kind, way=way, n=n, systems=systems)
    population = ", ".join(filter(None, (way, kind, f"{systems} systems")))
    return Statements("judge_favour", population, size, units, one, datasets=500)


def _one(
    rng: np.random.Generator, _seed: int, kind: str, way: str, n: int, systems: int
) -> dict[What, Outcome]:
    n_items = _ITEMS * n
    cluster = np.arange(n_items) // 10
    human, judge = _scored(rng, kind, systems, cluster, clustered=way == "clusters")
    if (np.ptp(judge, axis=0) == 0.0).any():
        return {}
    chance: FloatArray | None = None
    labelled: BoolArray = np.zeros(n_items, dtype=np.bool_)
    if way == "clusters":
        labelled = np.isin(cluster, rng.choice(n_items // 10, n // 10, replace=False))
    elif way == "probabilities":
        score = judge.mean(axis=1) + 1e-9 * rng.standard_normal(n_items)
        chance = np.where(score < np.median(score), 1.6 / _ITEMS, 0.4 / _ITEMS)
        labelled = rng.random(n_items) < chance
    else:
        labelled[rng.choice(n_items, n, replace=False)] = True
    names = "abc"[:systems]
    found = compare_judged(
        dict(zip(names, judge.T, strict=True)),
        dict(zip(names, np.where(labelled[:, None], human, np.nan).T, strict=True)),
        labels_drawn="random" if chance is None else chance,
        scale="same",
        clusters=cluster if way == "clusters" else None,
    ).judges[0]
    favoured = min((one.p_adjusted for one in found.favour), default=None)
    bias = found.equal_bias
    return {
        What("rejected", "favour", True): Outcome(None if favoured is None else favoured <= 0.05),
        What("rejected", "equal bias"): Outcome(None if bias is None else bias.p_value <= 0.05),
    }


def _scored(
    rng: np.random.Generator, kind: str, systems: int, cluster: np.ndarray, *, clustered: bool
) -> tuple[FloatArray, FloatArray]:
    """Return the human and the judge's scores, shape (N, S)."""
    n = cluster.size

    def normal() -> FloatArray:
        """Draw standard normal numbers that are correlated within an item, and within a cluster."""
        parts = [rng.standard_normal((n, systems)), rng.standard_normal((n, 1))]
        if clustered:
            parts.append(rng.standard_normal((int(cluster[-1]) + 1, 1))[cluster])
        drawn: FloatArray = sum(parts) / np.sqrt(len(parts))
        return drawn

    quality, error = normal(), normal()
    if kind.startswith("0/1"):
        which = kind.partition(", ")[2]
        sensitivity, specificity = _ERROR_RATES[which]
        human = (ndtr(quality) < np.linspace(*_RIGHT.get(which, (0.4, 0.7)), systems)).astype(np.float64)
        judge = ndtr(error) < np.where(human == 1.0, sensitivity, 1.0 - specificity)
        return human, judge.astype(np.float64)
    latent = np.linspace(0.0, 0.8, systems) + quality
    if kind == "curve":
        skewed = np.exp(latent)
        return skewed, np.sqrt(skewed) + 0.3 * error
    if kind == "points":
        human = np.clip(np.rint(3.0 + latent), 1.0, 5.0)
        return human, np.clip(np.rint(human + 0.5 + 0.8 * error), 1.0, 5.0)
    return latent, 0.2 + {"half": 0.5, "twice": 2.0}[kind] * latent + 0.6 * error
