"""The records of a judged comparison, from its estimates."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from bestby._core import rounding
from bestby._core.typing import Question
from bestby.comparisons.common import family
from bestby.comparisons.common.settings import FamilySettings, check_reach
from bestby.questions.judged import about
from bestby.questions.judged.calibrating import Calibrated
from bestby.questions.judged.estimating import Estimates
from bestby.questions.judged.judge_quality_result import JudgeQuality, JudgeWorth
from bestby.questions.judged.judges import humans_of
from bestby.questions.judged.result import JudgedComparison, JudgedDifference, JudgedScore
from bestby.questions.judged.scoring import Scored
from bestby.results.base import MetricInfo, Note, notes_about
from bestby.results.values import without_interval

Made: TypeAlias = Estimates | Calibrated
"""Estimates by either method."""


@dataclass(frozen=True)
class Settings(FamilySettings):
    """The arguments of `compare_judged` that are not data; see there."""

    level: float
    simultaneous: bool
    alternative: Question
    correction: str
    margin: float | None
    baseline: str | None
    interval: str | None = "auto"
    test: str | None = "auto"


def compared(
    given: Scored,
    made: Made,
    data: about.About,
    settings: Settings,
    scale: Any,
    judges: tuple[JudgeQuality, ...],
) -> JudgedComparison:
    """Return the comparison, once everything is estimated."""
    scores, metric = given.items, given.metric
    check_reach(settings.margin, metric)
    names, greater = scores.names, metric.greater_is_better
    by = {"bias_by": [one.column for one in judges[0].effects]} if judges and judges[0].effects else {}
    order = family.ranked(made.scores, names, greater)
    base = None if settings.baseline is None else names.index(settings.baseline)
    pairs = family.pairs(order, base, sided=settings.alternative != "two-sided")
    at = made.joint(pairs, names).single_level(settings.alpha) if settings.simultaneous else settings.alpha
    plain = [_difference(names, made, a, b, settings, metric, at) for a, b in pairs]
    differences = family.with_direction_notes(
        _adjusted(plain, made, pairs, names, settings, greater), settings.alpha
    )
    systems = _scores(names, made, order, differences, settings, metric.name)
    return JudgedComparison(
        metrics=(metric,),
        systems=systems,
        differences=differences,
        omnibus=(),
        notes=(
            *about.reading(scores),
            *data.notes,
            *_on_scores(systems, made, order, settings.level, metric.name),
        ),
        provenance=data.provenance({**settings.by_name(), **by}, scale, metric),
        n_items=len(scores.human),
        level=settings.level,
        correction=settings.corrected_by,
        margin=settings.margin,
        baseline=settings.baseline,
        n_clusters=made.n_clusters,
        labels_drawn=data.how,
        scale=scale,
        n_labelled=data.n_labelled,
        n_judges=scores.judge.shape[2],
        n_strata=data.n_strata,
        judges=judges,
        humans=humans_of(scores),
        worth=tuple(_worths(scores.judges, made, order, pairs, settings.level)),
    )


def _worths(
    judges: Sequence[str],
    made: Made,
    order: Sequence[int],
    pairs: Sequence[tuple[int, int]],
    level: float,
) -> Iterator[JudgeWorth]:
    """Yield what each of several judges is worth by itself."""
    if isinstance(made, Calibrated):
        return
    scores = [made.contrast(s) for s in order]
    differences = [made.contrast(a, b) for a, b in pairs]
    for name, alone in zip(judges, made.each, strict=bool(made.each)):
        found = [
            tuple(made.extra_labels(one, level, alone) for one in what) for what in (scores, differences)
        ]
        yield JudgeWorth(name, *found)


def _on_scores(
    systems: Sequence[JudgedScore], made: Made, order: Sequence[int], level: float, metric: str
) -> Iterator[Note]:
    """Yield why a score has no interval, or what its interval rests on."""
    for one, s in zip(systems, order, strict=True):
        found = made.on_interval(made.contrast(s), level)
        yield from notes_about([made.without_interval] if one.interval is None else found, metric, one.system)


def _adjusted(
    plain: list[JudgedDifference],
    made: Made,
    pairs: list[tuple[int, int]],
    names: Sequence[str],
    settings: Settings,
    greater: bool,
) -> Sequence[JudgedDifference]:
    """Return the differences with the p-values of the family."""
    if not settings.simultaneous and settings.correction != "step-down":
        return family.adjusted(plain, settings.correction)
    joint, side = made.joint(pairs, names), settings.towards(greater)
    if settings.simultaneous:
        two_sided = [made.test(made.contrast(a, b), "two-sided").p_value for a, b in pairs]
        found = joint.adjusted(np.array(two_sided))
        wrong = [side != "two-sided" and (d.estimate > 0.0) != (side == "greater") for d in plain]
        found = np.where(wrong, 1.0, found)
    else:
        found = joint.stepped_down(np.array([d.p_value for d in plain]), side)
    return [dataclasses.replace(d, p_adjusted=float(p)) for d, p in zip(plain, found, strict=True)]


def _difference(
    names: Sequence[str], made: Made, a: int, b: int, settings: Settings, metric: MetricInfo, at: float
) -> JudgedDifference:
    """Return all that is told of A minus B; its p-value is not adjusted."""
    contrast, greater = made.contrast(a, b), metric.greater_is_better

    def bounds(level: float) -> family.Bounds:
        found = made.interval(contrast, 1.0 - at * (1.0 - level) / (1.0 - settings.level))
        if found is not None and settings.simultaneous:
            found = dataclasses.replace(found, level=level, method=family.SIMULTANEOUS)
        return found, () if found is not None else (without_interval("constant_difference", made.method),)

    interval, tost, notes = family.with_equivalence(bounds, settings.level, settings.margin)
    test = made.test(contrast, settings.towards(greater))
    common = made.common(a, b)
    plain = JudgedDifference(
        metric=metric.name, a=names[a], b=names[b],
        estimate=made.estimate(contrast),
        score_a=float(made.scores[a]), score_b=float(made.scores[b]),
        interval=interval, test=test, p_adjusted=test.p_value, greater_is_better=greater,
        n_items=made.n_items, n_differing=common.differing, n_clusters=made.n_clusters, level=settings.level,
        notes=notes_about(
            (*notes, *made.on_interval(contrast, settings.level)),
            metric.name, names[a], names[b],
        ),
        standard_error=made.error(contrast).se, standard_error_method="cr2" if made.n_clusters else "formula",
        judge_estimate=float(rounding.difference(made.judge[a], made.judge[b])),
        labels_estimate=made.labels_mean(contrast),
        labels_interval=made.interval(contrast, settings.level, alone=True),
        n_labels=common.n, extra_labels=made.extra_labels(contrast, settings.level),
    )  # fmt: skip
    return family.with_verdict(plain, tost, settings.margin)


def _scores(
    names: Sequence[str],
    made: Made,
    order: Sequence[int],
    differences: Sequence[JudgedDifference],
    settings: Settings,
    metric: str,
) -> tuple[JudgedScore, ...]:
    ranked = [names[s] for s in order]
    low, high, letters = family.standings(
        ranked, differences, settings.alpha, lettered=settings.baseline is None
    )
    return tuple(
        JudgedScore(
            metric=metric, system=names[s], score=float(made.scores[s]),
            interval=made.interval(contrast, settings.level),
            rank_low=int(low[place]), rank_high=int(high[place]),
            group=None if letters is None else letters[place],
            standard_error=made.error(contrast).se,
            standard_error_method="cr2" if made.n_clusters else "formula",
            judge_score=float(made.judge[s]), labels_score=made.labels_mean(contrast),
            labels_interval=made.interval(contrast, settings.level, alone=True),
            n_labels=made.common(s, s).n, tuning=made.tuning(s),
            extra_labels=made.extra_labels(contrast, settings.level),
        )
        for place, s in enumerate(order)
        for contrast in (made.contrast(s),)
    )  # fmt: skip
