"""Metrics of ranked retrieval: nDCG, MAP, MRR, precision and recall at a depth, by ir-measures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from bestby._core.errors import InvalidInputError, MissingExtraError
from bestby._core.typing import FloatArray
from bestby.metrics.base import BaseMetric, MeanMetric, Names, Patterns

_LIBRARY_NAMES = {"ndcg": "nDCG", "map": "AP", "mrr": "RR", "p": "P", "r": "R"}
_NEED_DEPTH = ("p", "r")

ALIASES = {theirs: ours for ours, theirs in _LIBRARY_NAMES.items()}
"""How ir-measures spells the part of a name before the ``@``."""

MOST_RELEVANT = 1_000_000
"""The largest grade of relevance taken: the library keeps a counter for every grade up to it."""


@dataclass(frozen=True, repr=False)
class Retrieval(MeanMetric):
    """A metric of ranked retrieval: its mean over topics.

    An item is a topic. Its gold is a mapping of document id to relevance, a whole number (0 and below: not
    relevant, and without gain or penalty in nDCG); its prediction is a mapping of document id to score, or a
    list of document ids, the best first. An empty prediction is a topic for which nothing was retrieved, and
    scores 0.

    `depth` is how many documents from the top are looked at, `relevance` the least relevance that counts as
    relevant; nDCG uses the grades themselves (Jarvelin & Kekalainen 2002, ACM TOIS 20, 422-446: the relevance
    discounted by log2(rank + 1)).

    As in trec_eval, a topic that was judged but has no relevant document scores 0; documents that were not
    judged are not relevant; scores that are equal in single precision are equal, and are put in order by
    document id, the last in byte order first. ir-measures (MacAvaney, Macdonald & Ounis 2022, ECIR) computes
    the values from the ranks this gives, because its provider of MRR at a depth leaves ties as they come. A
    topic without any judgement, which trec_eval leaves out of the mean, is refused.
    """

    measure: Literal["ndcg", "map", "mrr", "p", "r"]
    depth: int | None = None
    relevance: int = 1
    name: str = field(init=False)

    reads = "objects"
    packages = ("ir-measures",)
    empty = MappingProxyType({})
    bounds = (0.0, 1.0)

    def __post_init__(self) -> None:
        at = "" if self.depth is None else f"@{self.depth}"
        least = "" if self.relevance == 1 else f"(rel={self.relevance})"
        object.__setattr__(self, "name", f"{self.measure}{least}{at}")
        if self.measure not in _LIBRARY_NAMES:
            raise InvalidInputError(
                f"measure must be one of {', '.join(_LIBRARY_NAMES)}, got {self.measure!r}"
            )
        if self.depth is None and self.measure in _NEED_DEPTH:
            raise InvalidInputError(
                f"{self.measure} needs a depth", hint=f"{self.measure}@10 looks at the first 10 documents"
            )
        if self.depth is not None and self.depth < 1:
            raise InvalidInputError(f"the depth of {self.measure} must be at least 1, got {self.depth}")
        if self.relevance < 1 or (self.measure == "ndcg" and self.relevance != 1):
            raise InvalidInputError(
                f"relevance must be a whole number of at least 1, and is not used by ndcg,"
                f" got {self.relevance} for {self.measure}"
            )

    def values(self, gold: Iterable[Any], predictions: Iterable[Any]) -> FloatArray:
        """Return the value of each topic; one call of ir-measures for all.

        A prediction maps document ids to scores, or lists document ids, the best first.
        """
        judged = {str(t): _judgements(topic, t, self.name) for t, topic in enumerate(gold)}
        ranked = {str(t): _ranks(topic, t, self.name) for t, topic in enumerate(predictions)}
        if len(judged) != len(ranked):
            raise InvalidInputError(f"{self.name}: {len(judged)} topics in the gold, {len(ranked)} predicted")
        library = _library()
        values = np.zeros(len(judged))
        for entry in library.iter_calc([self._library_measure(library)], judged, ranked):
            values[int(entry.query_id)] = entry.value
        return values

    def _library_measure(self, library: Any) -> Any:
        measure = getattr(library, _LIBRARY_NAMES[self.measure])
        if self.relevance != 1:
            measure = measure(rel=self.relevance)
        return measure if self.depth is None else measure @ self.depth


def _library() -> Any:
    try:
        import ir_measures
    except ImportError:
        raise MissingExtraError("ir-measures", "ir") from None
    return ir_measures


def _judgements(topic: Any, place: int, metric: str) -> dict[str, int]:
    """Return the relevance of every judged document of a topic as whole numbers, none below 0."""
    if not isinstance(topic, Mapping):
        raise InvalidInputError(
            f"{metric} needs, as the gold of a topic, a mapping of document id to relevance,"
            f" but that of topic {place} is a {type(topic).__name__}",
            hint="topics are counted from 0",
        )
    if not topic:
        raise InvalidInputError(
            f"{metric}: topic {place} has no relevance judgement",
            hint="leave it out for all systems, as trec_eval does; topics are counted from 0",
        )
    judged = {}
    for document, relevance in topic.items():
        number = isinstance(relevance, int | float | np.number)
        if not number or not abs(relevance) <= MOST_RELEVANT or relevance != int(relevance):
            raise InvalidInputError(
                f"{metric}: relevance must be a whole number of at most {MOST_RELEVANT}, got {relevance!r}"
                f" for document {document!r} of topic {place}",
                hint="topics are counted from 0",
            )
        # Below 0 is junk to TREC, and not relevant to every metric: the library's nDCG knows no such grades.
        judged[str(document)] = max(int(relevance), 0)
    return judged


def ranked_by_score(scores: Mapping[str, Any]) -> list[str]:
    """Return documents in the order of trec_eval: by score as a float of 32 bits, equal ones by their ids."""
    with np.errstate(over="ignore"):
        return sorted(scores, key=lambda d: (np.float32(scores[d]), d), reverse=True)


def _ranks(topic: Any, place: int, metric: str) -> dict[str, float]:
    """Return the retrieved documents of a topic with scores that put them in the order of trec_eval."""
    if isinstance(topic, Mapping):
        scores = {str(document): score for document, score in topic.items()}
        for document, score in scores.items():
            if not isinstance(score, int | float | np.number) or not np.isfinite(score):
                raise InvalidInputError(
                    f"{metric}: scores must be finite numbers, got {score!r} for document {document!r} of"
                    f" topic {place}",
                    hint="topics are counted from 0",
                )
        order = ranked_by_score(scores)
    elif isinstance(topic, Sequence | np.ndarray) and not isinstance(topic, str):
        order = [str(document) for document in topic]
    else:
        raise InvalidInputError(
            f"{metric} reads, per topic, a mapping of document id to score or a list of document ids,"
            f" but topic {place} is a {type(topic).__name__}",
            hint="topics are counted from 0; a topic without any retrieved document is {}",
        )
    # Ranks, not scores, go to the library: its providers break ties in different ways, and ranks have none.
    ranked = {document: float(-rank) for rank, document in enumerate(order)}
    if len(ranked) < len(order):
        twice = next(document for rank, document in enumerate(order) if document in order[:rank])
        raise InvalidInputError(
            f"{metric}: document {twice!r} occurs twice for topic {place}",
            hint="keep the better of the two; topics are counted from 0",
        )
    return ranked


def _at_depth(measure: Literal["ndcg", "map", "mrr", "p", "r"]) -> Callable[[str, str], BaseMetric]:
    def build(name: str, depth: str) -> BaseMetric:
        if not depth.isdecimal():
            raise InvalidInputError(
                f"the depth in {name!r} must be a whole number", hint=f"for example {measure}@10"
            )
        return Retrieval(measure, int(depth))

    return build


NAMES: Names = {
    "ndcg": ("normalised discounted cumulative gain, mean over topics", lambda _: Retrieval("ndcg")),
    "map": ("average precision of a ranking, mean over topics", lambda _: Retrieval("map")),
    "mrr": ("reciprocal rank of the first relevant document, mean over topics", lambda _: Retrieval("mrr")),
}

PATTERNS: Patterns = {
    "ndcg": ("normalised discounted cumulative gain of the first documents", _at_depth("ndcg")),
    "map": ("average precision of the first documents", _at_depth("map")),
    "mrr": ("reciprocal rank, 0 if nothing relevant is among the first documents", _at_depth("mrr")),
    "p": ("share of relevant documents among the first", _at_depth("p")),
    "r": ("share of the relevant documents that is among the first", _at_depth("r")),
}
