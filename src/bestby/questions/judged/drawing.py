"""How the labelled items were chosen, and which groups they lie in: from what was said to weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.text import counted, quoted
from bestby._core.typing import BoolArray, FloatArray, IntArray
from bestby.data.groupings import one_grouping
from bestby.data.layouts.judged import JudgedItems
from bestby.questions.judged.prediction_powered import Labelled, label_weights
from bestby.questions.judged.result import LabelsDrawn
from bestby.questions.judged.source import codes, item_text, side
from bestby.results.base import Note

_WHY = (
    'say how the labelled items were chosen: labels_drawn="random", or "stratified" with strata, or their'
    " probabilities"
)

_ASSUMED: dict[LabelsDrawn, str] = {
    "random": "the labelled items are taken to be drawn at random from all items",
    "stratified": "the labelled items are taken to be drawn at random inside each stratum",
    "probabilities": "the labelled items are taken to be drawn by chance with the probabilities given",
}


@dataclass(frozen=True, eq=False)
class Drawn:
    """The labelled data, how its items were drawn, and the numbers of strata and clusters (0: none)."""

    data: Labelled
    how: LabelsDrawn
    n_strata: int
    n_clusters: int

    @property
    def note(self) -> Note:
        """What everything rests on."""
        return Note(
            "labels_drawn",
            f"{_ASSUMED[self.how]}. If they were chosen by their scores or by how doubtful they are, the"
            " corrected scores are biased, and more labels do not mend it",
        )


def drawn(scores: JudgedItems, labels_drawn: Any, clusters: Any, strata: Any) -> Drawn:
    """Return the data with the weights of its labels, if these can carry an estimate."""
    if labels_drawn is None:
        raise InvalidInputError(
            "labels_drawn is missing: a correction by labels holds only if chance chose the labelled items,"
            " and the scores show few of the ways in which it did not",
            hint=_WHY,
            argument="labels_drawn",
        )
    n = len(scores.human)
    known = ~np.isnan(scores.human)
    _check_labels(scores, known)
    clusters = one_grouping(scores.clusters if clusters is None else clusters, "compare_judged")
    strata = scores.strata if strata is None else strata
    stratum = np.zeros(n, dtype=np.int64)
    if strata is not None:
        stratum = codes(scores, strata, "strata")
    cluster = np.arange(n)
    if clusters is not None:
        cluster = codes(scores, clusters, "clusters")
    how: LabelsDrawn = "probabilities"
    probabilities = None
    if isinstance(labels_drawn, str) and labels_drawn in ("random", "stratified"):
        how = "stratified" if labels_drawn == "stratified" else "random"
    else:
        probabilities = _probabilities(scores, labels_drawn, known)
    if how == "stratified" and strata is None:
        raise InvalidInputError(
            'labels_drawn="stratified" needs the strata', hint="give the stratum of every item: strata=...",
            argument="labels_drawn",
        )  # fmt: skip
    _check_groups(scores, known, stratum, cluster, clustered=clusters is not None)
    weights = label_weights(known, stratum, probabilities)
    return Drawn(
        Labelled(scores.judge, scores.human, weights, stratum, cluster),
        how,
        int(stratum.max()) + 1,
        0 if clusters is None else int(cluster.max()) + 1,
    )


def _check_labels(scores: JudgedItems, known: BoolArray) -> None:
    """Refuse too few labels, and labels of everything."""
    for name, count in zip(scores.names, known.sum(axis=0).tolist(), strict=True):
        if count < 2:
            raise DesignError(
                f"system {quoted(name)} has {counted(count, 'human label')}, and at least 2 are needed",
                hint="label more items, or leave the system out",
            )
    if known.all():
        raise DesignError(
            "every item of every system has a human label, so that there is nothing for the judge to add",
            hint="compare the human labels, with compare",
        )


def _probabilities(scores: JudgedItems, given: Any, known: BoolArray) -> FloatArray:
    """Return the probabilities of the labels, shape (N, S), by column, item or system."""
    by_system = isinstance(given, Mapping) and set(given) == set(scores.names)
    columns = [given[name] for name in scores.names] if by_system else [given]
    found = []
    for one in columns:
        values = side(scores, one, "labels_drawn", _WHY)
        try:
            array = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            array = np.zeros(())
        if array.shape not in ((len(known),), known.shape):
            raise InvalidInputError(
                f'labels_drawn must be "random", "stratified" or a probability per item, got {quoted(given)}',
                hint=_WHY,
                argument="labels_drawn",
            )
        found.append(array if array.ndim > 1 else array[:, None])
    probabilities = np.broadcast_to(np.concatenate(found, axis=1), known.shape)
    wrong = known & ~((probabilities > 0.0) & (probabilities <= 1.0))
    if wrong.any():
        item, system = (int(x) for x in np.argwhere(wrong)[0])
        raise InvalidInputError(
            f"the probability of labelling item {item_text(scores, item)} must lie in (0, 1], got"
            f" {probabilities[item, system]:g}",
            hint="give the probability with which each item was drawn to be labelled",
            argument="labels_drawn",
        )
    return np.where(known, probabilities, 1.0)


def check_nested_codes(stratum: IntArray, cluster: IntArray) -> None:
    """Refuse a cluster that lies in several strata."""
    pairs = np.unique(np.stack([cluster, stratum]), axis=1)
    if pairs.shape[1] > int(cluster.max()) + 1:
        raise DesignError(
            "a cluster lies in several strata", hint="give strata of whole clusters", argument="strata"
        )


def _check_groups(
    scores: JudgedItems, known: BoolArray, stratum: IntArray, cluster: IntArray, *, clustered: bool
) -> None:
    """Refuse clusters across strata, labels of one cluster, and strata with fewer than two labelled units."""
    if clustered:
        check_nested_codes(stratum, cluster)
    unit = "labelled cluster" if clustered else "label"
    for place, name in enumerate(scores.names):
        there = known[:, place]
        units = np.unique(np.stack([stratum[there], cluster[there]]), axis=1)[0]
        counts = np.bincount(units, minlength=int(stratum.max()) + 1)
        if counts.sum() < 2:
            raise DesignError(
                f"all labels of system {quoted(name)} lie in one cluster: nothing tells how clusters vary",
                hint="label items of several clusters",
            )
        if counts.min() < 2 and counts.size > 1:
            raise DesignError(
                f"a stratum has {counted(int(counts.min()), unit)} of system {quoted(name)}, and at least 2"
                " are needed",
                hint="label more of its items, or join it with another stratum",
            )
