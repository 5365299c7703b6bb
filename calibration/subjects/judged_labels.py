"""Labels of a judge corrected by human labels, for metrics that are not means: coverage, errors of tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

import bestby as bb
from calibration.statements import Outcome, Statements, What, holds

TITLE = "Judges and human labels: metrics that are not means"

TEXT = """
Predictions of three systems, of which the second and third are equally good, are compared by labels of a
judge for all items and of humans for some. *Three classes* have the shares .5, .3 and .2 (macro-F1), *two
classes* .7 and .3 (F1 of the rarer one), *a rare class* .1 (Matthews correlation); right labels are replaced
by chance for 30 % of the predictions of the first system, 50 % of those of the others, and by the share named
of the judge's labels, of which another 15 % are what the second system predicts. *Numbers*: predictions
correlate with the truth by .7 and .5, those of the judge by the number named. *Score* is the interval of the
first system, *difference* that of the first and second, *equal systems* the test of the second and third.
*Strata*: items of the first class by the judge are labelled a quarter as often; *probabilities* likewise.
*Labels in clusters*: whole clusters of ten alike items are labelled; *across clusters*: single items are.
Percentiles as they were published are too short with few labels, to which the coefficients were fitted, and
so they are expanded. Where fewer than ten labels are of a class, its score is hardly known, as a note says.
"""

_SHARES = {"three classes": (0.5, 0.3, 0.2), "two classes": (0.7, 0.3), "a rare class": (0.9, 0.1)}
_METRICS = {
    "three classes": "f1_macro", "two classes": "f1[1]", "a rare class": "matthews_corrcoef",
    "numbers": "pearson",
}  # fmt: skip
_RIGHT = (0.7, 0.5, 0.5)
_NAMES = ("a", "b", "c")
_FAVOUR = 0.15


def cells() -> Iterator[Statements]:
    """Yield populations by the number of labels."""
    for kind in _METRICS:
        for good in (0.3, 0.9):
            for n in (20, 50, 200):
                one = partial(_one, kind=kind, good=good, n=n, n_items=5 * n)
                yield Statements("judged_labels", f"{kind}, judge {good:g}", f"{n} of {5 * n}", n, one, 400)
    one = partial(_one, kind="three classes", good=0.7, n=100, n_items=10_000)
    yield Statements("judged_labels", "three classes, judge 0.7", "100 of 10000", 100, one, 200)
    for way in ("strata", "probabilities", "labels in clusters", "across clusters"):
        one = partial(_one, kind="three classes", good=0.7, n=100, n_items=1000, way=way)
        units = 10 if way == "labels in clusters" else 100
        yield Statements("judged_labels", f"{way}, three classes", "100 of 1000", units, one, 400)


def truth(kind: str) -> tuple[float, float]:
    """Return the true scores of the first and of the other systems."""
    if kind == "numbers":
        return _RIGHT[0], _RIGHT[1]
    shares = np.array(_SHARES[kind])
    return tuple(
        _score(kind, np.diag(shares) * right + (1.0 - right) * shares[:, None] / shares.size)
        for right in _RIGHT[:2]
    )  # type: ignore[return-value]


def _score(kind: str, joint: np.ndarray) -> float:
    """Return the score of the shares of gold (rows) and prediction (columns)."""
    hits, gold, predicted = joint.diagonal(), joint.sum(axis=1), joint.sum(axis=0)
    if kind == "a rare class":
        spread = np.sqrt((1.0 - gold @ gold) * (1.0 - predicted @ predicted))
        return float((hits.sum() - gold @ predicted) / spread)
    f1 = 2.0 * hits / (gold + predicted)
    return float(f1.mean() if kind == "three classes" else f1[1])


def drawn(
    rng: np.random.Generator, kind: str, good: float, n_items: int, *, clustered: bool
) -> tuple[np.ndarray, dict[str, np.ndarray], np.ndarray]:
    """Return right labels, predictions, and labels of the judge."""
    if kind == "numbers":
        gold = rng.standard_normal(n_items)

        def like(r: float) -> np.ndarray:
            return r * gold + np.sqrt(1.0 - r * r) * rng.standard_normal(n_items)

        predictions = {name: like(r) for name, r in zip(_NAMES, _RIGHT, strict=True)}
        return gold, predictions, like(good) + 0.3 * predictions["b"]
    shares = _SHARES[kind]
    gold = rng.choice(len(shares), n_items, p=shares)
    if clustered:  # half of the items have the label of their cluster
        own = rng.choice(len(shares), n_items // 10, p=shares)
        gold = np.where(rng.random(n_items) < 0.5, own[np.arange(n_items) // 10], gold)

    def noisy(right: float) -> np.ndarray:
        return np.where(rng.random(n_items) < right, gold, rng.integers(0, len(shares), n_items))

    predictions = {name: noisy(right) for name, right in zip(_NAMES, _RIGHT, strict=True)}
    return gold, predictions, np.where(rng.random(n_items) < _FAVOUR, predictions["b"], noisy(good))


def _one(
    rng: np.random.Generator, seed: int, kind: str, good: float, n: int, n_items: int, way: str = ""
) -> Mapping[What, Outcome]:
    gold, predictions, judge = drawn(rng, kind, good, n_items, clustered="clusters" in way)
    labelled, more = _labelled(rng, judge, n, way)
    human = [value if known else None for value, known in zip(gold.tolist(), labelled, strict=True)]
    try:
        found = bb.compare_judged(
            judge, human, predictions=predictions, metric=_METRICS[kind], correction="none",
            n_resamples=1000, rng=seed, **more,
        )  # fmt: skip
    except bb.errors.DesignError:  # no label of a rare class
        return {}
    noted = any(note.code in ("few_labels", "few_of_class", "class_without_labels") for note in found.notes)
    true, others = truth(kind)
    score: Any = found.score("a")
    difference: Any = found["a", "b"]
    made = {}
    for default, (of_score, of_difference), name in (
        (True, (score.interval, difference.interval), ""),
        (False, (score.labels_interval, difference.labels_interval), " of labels alone"),
    ):
        made[What("coverage", f"score{name}", default)] = Outcome(holds(of_score, true), noted)
        made[What("coverage", f"difference{name}", default)] = Outcome(
            holds(of_difference, true - others), noted
        )
    made[What("rejected", "equal systems", True)] = Outcome(found["b", "c"].p_value <= 0.05, noted)
    return made


def _labelled(
    rng: np.random.Generator, judge: np.ndarray, n: int, way: str
) -> tuple[np.ndarray, dict[str, Any]]:
    """Return which items are labelled, and how this is said."""
    n_items = judge.size
    labelled = np.zeros(n_items, dtype=bool)
    cluster = np.arange(n_items) // 10
    if way in ("strata", "probabilities"):
        first = judge == 0
        chance = np.where(first, 0.4, 1.6) * n / n_items
        if way == "probabilities":
            return rng.random(n_items) < chance, {"labels_drawn": chance}
        for part in (first, ~first):
            size = round(float(chance[part].sum()))
            labelled[rng.choice(np.flatnonzero(part), size, replace=False)] = True
        return labelled, {"labels_drawn": "stratified", "strata": first.astype(int)}
    if way == "labels in clusters":
        labelled[np.isin(cluster, rng.choice(n_items // 10, n // 10, replace=False))] = True
    else:
        labelled[rng.choice(n_items, n, replace=False)] = True
    more: dict[str, Any] = {"labels_drawn": "random"}
    return labelled, more | ({"clusters": cluster} if "clusters" in way else {})
