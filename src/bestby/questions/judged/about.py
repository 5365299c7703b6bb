"""What a judged comparison says of itself: its scale, its notes and its provenance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby._core.typing import FloatArray
from bestby.comparisons.common.provenance import hash_of, hash_of_rows
from bestby.data.layouts.judged import JudgedItems
from bestby.engine.base import Drawing
from bestby.questions.judged import label_draws
from bestby.questions.judged.calibrating import FEW_CLUSTERS, Calibrated
from bestby.questions.judged.drawing import Drawn
from bestby.questions.judged.estimating import Estimates
from bestby.questions.judged.result import HUMAN_SCORE, LabelsDrawn
from bestby.questions.judged.scoring import Scored
from bestby.results.base import MetricInfo, Note, Provenance, provenance_of
from bestby.vocabulary import allowed_names

FEW_LABELS = 20
"""Labels of a system below which the calibration says nothing of the intervals."""

FEW_LABELLED_CLUSTERS = 50
"""Labelled clusters below which intervals can be too short, if several of their items are labelled."""


def scale_of(scores: JudgedItems, given: Any) -> Literal["same", "different"]:
    """Return whether judge and humans score on the same scale; refuse ranges that cannot be the same."""
    human = scores.human[~np.isnan(scores.human)]
    ends = [(float(x.min()), float(x.max())) for x in (scores.judge, human)]
    whole = max(high for _, high in ends) - min(low for low, _ in ends)
    least = min(high - low for low, high in ends)
    shares = min(low for low, _ in ends) >= 0.0 and max(high for _, high in ends) <= 1.0
    # How much wider the range of judge and humans together may be than that of each, on the same scale
    alike = shares or whole <= 1.5 * least
    if given is None:
        return "same" if alike else "different"
    checks.choice(given, allowed_names("scale", "judged"), "scale")
    apart = ends[0][0] > ends[1][1] or ends[1][0] > ends[0][1]
    beyond = bool(np.isin(human, (0.0, 1.0)).all()) and not shares
    if given == "same" and (apart or beyond):
        raise InvalidInputError(
            f'scale="same", but the judge\'s scores lie from {ends[0][0]:g} to {ends[0][1]:g} and the human'
            f" ones from {ends[1][0]:g} to {ends[1][1]:g}",
            hint='bring them to the same scale, or say scale="different"',
            argument="scale",
        )
    return "same" if given == "same" else "different"


@dataclass(frozen=True)
class About:
    """What a result says of its data: how labels were drawn, numbers, notes, and the hash."""

    how: LabelsDrawn
    n_labelled: int
    n_strata: int
    notes: tuple[Note, ...]
    data: Mapping[str, Any]
    data_hash: str
    drawing: Drawing | None = None

    def provenance(self, settings: Mapping[str, Any], scale: str, metric: MetricInfo) -> Provenance:
        """Return where the numbers come from."""
        own = {"labels_drawn": self.how, "scale": scale, "greater_is_better": metric.greater_is_better}
        drawn = self.drawing
        return provenance_of(
            {"metrics": [metric.name], **own, **settings},
            self.data,
            data_hash=self.data_hash,
            seed=0 if drawn is None else drawn.seed,
            n_resamples=0 if drawn is None else drawn.n_resamples,
        )


def corrected(given: Scored, labelled: Drawn, made: Estimates, drawing: Drawing) -> About:
    """Return what is said of scores corrected by labels of some of the items."""
    scores = given.items
    data = labelled.data
    n_labelled = int(data.known.any(axis=1).sum())
    by_system = given.metric.name == HUMAN_SCORE  # else the label of an item is for all systems
    named: dict[str, Any] = {
        "items": len(scores.human),
        "systems": list(scores.names),
        "labels": int(data.known.sum()) if by_system else n_labelled,
    }
    if labelled.n_clusters:
        named["clusters"] = labelled.n_clusters
    if labelled.n_strata > 1:
        named["strata"] = labelled.n_strata
    n = len(scores.human)
    clusters = data.clusters if labelled.n_clusters else np.zeros(n)  # else they are positions
    table = [*_content(given), data.weights, data.strata, clusters]
    return About(
        labelled.how,
        n_labelled,
        labelled.n_strata,
        (*given.notes, *_notes(labelled, made, scores.names)),
        named,
        hash_of_rows(scores.names, np.column_stack(table)),
        None if given.parts is None else drawing,
    )


def _content(given: Scored) -> list[FloatArray]:
    """Return what the hash of the data is about: scores, or statistics of labels."""
    scores, parts = given.items, given.parts
    if parts is None:
        return [scores.judge.reshape(len(scores.judge), -1), scores.human]
    human = np.full((len(scores.human), sum(rows.shape[1] for rows in parts.human)), np.nan)
    human[parts.labelled] = np.concatenate(parts.human, axis=1)
    return [*(rows for systems in parts.judge for rows in systems), human]


def calibrated(scores: JudgedItems, made: Calibrated) -> About:
    """Return what is said of shares corrected by error rates."""
    sets = made.sets if made.own else made.sets[:1]
    sizes = [one.size for one in sets]
    named = {"items": made.n_items, "systems": list(scores.names), "calibration": sum(sizes)}
    if made.n_clusters:
        named["clusters"] = made.n_clusters
    if made.n_strata > 1:
        named["strata"] = made.n_strata
    tables = [
        [one.judge, one.human, *(np.zeros(one.size) if x is None else x for x in (one.clusters, one.strata))]
        for one in sets
    ]
    items = [made.verdicts, made.strata, made.clusters if made.n_clusters else np.zeros(made.n_items)]
    parts = {f"calibration {place}": np.column_stack(columns) for place, columns in enumerate(tables)}
    parts["items"] = np.column_stack(items)
    hashed = hash_of({part: hash_of_rows(scores.names, table) for part, table in parts.items()})
    return About("calibration", max(sizes), made.n_strata, _notes_on_rates(made), named, hashed)


def _notes_on_rates(made: Calibrated) -> tuple[Note, ...]:
    """Return what error rates of other items rest on."""
    told = (
        "the judge is taken to err as often on these items as on those of the calibration set. If these are"
        " easier, or were chosen by what the judge said, the corrected scores are biased"
    )
    notes = [Note("read_as", made.description)] if made.description else []
    notes.append(Note("error_rates", told))
    clusters = [int(np.unique(one.clusters).size) for one in made.sets if one.clusters is not None]
    if made.n_clusters and not clusters:
        notes.append(
            Note(
                "calibration_items",
                "the items of the calibration set are taken to be independent, as they have no clusters; if"
                " they lie in such, too, the intervals are too short",
            )
        )
    if clusters and min(clusters) < FEW_CLUSTERS:
        notes.append(
            Note(
                "few_calibration_clusters",
                f"the calibration set has {min(clusters)} clusters: with fewer than {FEW_CLUSTERS} the error"
                " rates are hardly known, and intervals may be too short",
            )
        )
    return (*notes, *_outside(made, "the error rates of the judge are known from few items"))


def reading(scores: JudgedItems) -> tuple[Note, ...]:
    """Return how a table was read."""
    return (Note("read_as", scores.description),) if scores.description else ()


def _notes(labelled: Drawn, made: Estimates, names: Sequence[str]) -> tuple[Note, ...]:
    """Return what must be known of the whole."""
    notes = [labelled.note, *_unlike_draw(labelled, made), *made.notes, *made.few_heavy(names)]
    fewest = int(labelled.data.known.sum(axis=0).min())
    if fewest < FEW_LABELS:
        notes.append(
            Note(
                "few_labels",
                f"a system has {fewest} human labels: with fewer than {FEW_LABELS} the intervals may be too"
                " short",
            )
        )
    data = labelled.data
    if labelled.n_clusters:
        counts = [np.bincount(data.clusters, weights=one) for one in data.known.T]
        few = min(int(np.count_nonzero(one)) for one in counts)
        if few < FEW_LABELLED_CLUSTERS and max(one.max() for one in counts) > 1:
            notes.append(
                Note(
                    "few_clusters",
                    f"the labels of a system lie in {few} clusters, with several labels in one cluster: with"
                    f" fewer than {FEW_LABELLED_CLUSTERS} clusters the intervals may be too short",
                )
            )
    return (*notes, *_outside(made, "the correction adds a difference of means"))


def _unlike_draw(labelled: Drawn, made: Estimates) -> Iterator[Note]:
    """Yield a note if the judge's scores show that chance did not choose the labelled items."""
    data = made.data
    clusters = data.clusters if labelled.n_clusters else None
    inside = labelled.how == "stratified"
    strata = data.strata if inside else np.zeros_like(data.strata)
    if labelled.how != "probabilities" and label_draws.differ(data.judge, data.known, strata, clusters):
        yield Note(
            "labels_not_random",
            "the judge's scores of the labelled items are not like those of items drawn at random"
            f"{' inside strata' * inside} (p < {label_draws.LEVEL:g}): they are higher, lower or nearer to"
            " the middle, or the systems are further apart or closer together. So chance did not choose the"
            " labelled items, and the corrected scores are biased; label items that are drawn at random, or"
            " give the probabilities of the draw",
        )


def _outside(made: Estimates | Calibrated, why: str) -> tuple[Note, ...]:
    """Return a note on corrected shares that are none."""
    outside = made.bounds == (0.0, 1.0) and bool(((made.scores < 0.0) | (made.scores > 1.0)).any())
    told = f"a corrected score lies outside [0, 1], as {why}; an interval of it does not"
    return (Note("outside_bounds", told),) if outside else ()
