"""Every treatment of a study against its baselines: one pair of conditions at a time, each kept when made."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np

from bestby._core.typing import Alternative
from bestby._core.versions import versions
from bestby.comparisons.common import classes, family, note_rules, one_pair
from bestby.comparisons.common.provenance import made_by
from bestby.data.evaluation import Evaluation
from bestby.engine import interval_maker, prepare
from bestby.engine.base import Group
from bestby.engine.estimate import Estimates
from bestby.engine.hierarchy import RunsWithItems
from bestby.engine.sums import SumGroup
from bestby.inference import multiplicity
from bestby.metrics.base import BaseMetric
from bestby.questions.study import note_rules as study_notes
from bestby.questions.study.differences import difference_over_runs, item_difference, name_for_runs
from bestby.questions.study.plan import Condition, Plan
from bestby.questions.study.result import ConditionScore, StudyComparison, StudyDifference
from bestby.questions.study.store import Store
from bestby.results.base import MetricInfo, Note, Provenance, notes_about
from bestby.results.loading import decoded, encoded
from bestby.results.values import MIRRORED


@dataclass(frozen=True)
class Scored:
    """The score of a condition, and what is to be said of its interval."""

    score: ConditionScore
    notes: tuple[Note, ...] = ()

    @property
    def metric(self) -> str:
        """The metric."""
        return self.score.metric


def compared(store: Store, plan: Plan) -> StudyComparison:
    """Return the comparison: what the cache does not hold is computed, and kept."""
    whole = plan.evaluation(list(plan.conditions))
    notes = study_notes.plan_notes(plan, whole)
    scored, new_scores = _all_scores(store, plan)
    scores = {key: entry.score for key, entry in scored.items()}
    raw, new_differences = _all_differences(store, plan)
    systems: list[ConditionScore] = []
    differences: list[StudyDifference] = []
    for metric in plan.metrics:
        mine = [raw[metric.name, pair] for pair in plan.pairs]
        tests = [d.test for d in mine if d.test is not None]
        if tests:
            adjusted = multiplicity.adjust([test.p_value for test in tests], plan.settings.correction)
            mine = [dataclasses.replace(d, p_adjusted=float(p)) for d, p in zip(mine, adjusted, strict=True)]
        found = family.with_direction_notes(mine, plan.settings.alpha)
        ordered, found = _standing(plan, metric, scores, found)
        systems += ordered
        found, long = family.with_one_long_note(found)
        differences += found
        notes += long
        notes += [note for entry in ordered for note in scored[metric.name, entry.system].notes]
        of_runs = {entry.system: entry.runs for entry in ordered}
        notes += note_rules.constant_run_notes(metric.name, of_runs) + note_rules.run_notes(
            metric.name, of_runs
        )
        labels = [entry.group for entry in ordered if entry.group is not None]
        if tests:
            notes += note_rules.group_notes(metric.name, labels or None, lettered=not plan.baselines)
        if metric.caution is not None:
            notes.append(Note("caution", metric.caution, (metric.name,)))
        notes += note_rules.direction_notes(metric.name, metric.greater_is_better, plan.settings.alternative)
        notes += note_rules.resample_notes(metric.name, tests, plan.settings.correction, plan.settings.alpha)
    notes += study_notes.resample_size_notes(plan, differences)
    notes += study_notes.look_notes(store.looked({c.name: c.hashes for c in plan.conditions.values()}))
    runs = {name: len(condition.runs) for name, condition in plan.conditions.items()}
    shares = classes.shares_by_condition(classes.class_shares(whole, plan.metrics), runs)
    notes += [*classes.words_for_nothing(shares), *classes.never_predicted(shares)]
    fresh = new_scores + new_differences
    return StudyComparison(
        metrics=tuple(MetricInfo(m.name, m.greater_is_better, m.bounds) for m in plan.metrics),
        systems=tuple(systems),
        differences=tuple(differences),
        omnibus=(),
        notes=tuple(notes),
        provenance=_provenance(plan),
        n_items=plan.gold.n_items,
        level=plan.settings.level,
        correction=plan.settings.corrected_by,
        margin=plan.settings.margin,
        baseline=plan.baselines[0] if len(plan.baselines) == 1 else None,
        baselines=plan.baselines,
        n_computed=fresh,
        n_reused=len(scores) + len(raw) - fresh,
        classes=shares,
    )


def _standing(
    plan: Plan,
    metric: BaseMetric,
    scores: Mapping[tuple[str, str], ConditionScore],
    differences: Sequence[StudyDifference],
) -> tuple[list[ConditionScore], tuple[StudyDifference, ...]]:
    """Return the scores, the best first, with ranks and letters; and the differences in that order."""
    names = list(plan.conditions)
    values = np.array([scores[metric.name, name].score for name in names])
    order = [names[i] for i in family.ranked(values, names, metric.greater_is_better)]
    place = {name: position for position, name in enumerate(order)}
    if not plan.baselines and plan.settings.alternative == "two-sided":
        differences = [d if place[d.a] < place[d.b] else _mirrored(d) for d in differences]
    differences = sorted(
        differences, key=lambda d: (plan.baselines != () and place[d.b], place[d.a], place[d.b])
    )
    if plan.settings.test is None:
        untested = [scores[metric.name, name] for name in order]
        return [dataclasses.replace(entry, rank_low=None, rank_high=None) for entry in untested], tuple(
            differences
        )
    low, high, letters = family.standings(
        order, differences, plan.settings.alpha, lettered=not plan.baselines
    )
    ranked = [
        dataclasses.replace(
            scores[metric.name, name],
            rank_low=int(low[i]),
            rank_high=int(high[i]),
            group=None if letters is None else letters[i],
        )
        for i, name in enumerate(order)
    ]
    return ranked, tuple(differences)


Computed = TypeVar("Computed", Scored, StudyDifference)


def _through_cache(
    store: Store,
    plan: Plan,
    keys: Mapping[str, str],
    compute: Callable[[list[BaseMetric]], Iterator[Computed]],
) -> tuple[dict[str, Computed], int]:
    """Return a result per metric, and how many were not in the cache (`keys` are theirs) and are kept now."""
    cached = {name: store.cache.read(keys[name]) for name in keys if name in plan.named}
    results: dict[str, Computed] = {
        name: decoded(json.loads(value), {"Scored": Scored})
        for name, value in cached.items()
        if value is not None
    }
    missing = [metric for metric in plan.metrics if metric.name not in results]
    for made in compute(missing) if missing else ():
        if made.metric in plan.named:
            store.cache.write(keys[made.metric], json.dumps(encoded(made)).encode())
        results[made.metric] = made
    return results, len(missing)


def _all_scores(store: Store, plan: Plan) -> tuple[dict[tuple[str, str], Scored], int]:
    scored: dict[tuple[str, str], Scored] = {}
    computed = 0
    for name, condition in plan.conditions.items():
        keys = {m.name: _key(store, plan, m, [condition], "score") for m in plan.metrics}
        results, new = _through_cache(store, plan, keys, partial(_scores_of, plan, condition))
        computed += new
        for metric, entry in results.items():  # the number of epochs is not cached
            score = dataclasses.replace(entry.score, epochs=condition.epochs)
            scored[metric, name] = Scored(score, entry.notes)
    return scored, computed


def _scores_of(plan: Plan, condition: Condition, metrics: Sequence[BaseMetric]) -> Iterator[Scored]:
    n_runs = len(condition.runs)
    evaluation = plan.evaluation([condition.name])
    for makers in _estimates_by_metric(plan, evaluation, metrics):
        metric = makers.metric
        method = plan.settings.interval
        scores = makers.scores[:n_runs]
        one_pair.check_defined(scores, metric, condition.run_name)
        interval, error, error_method = None, None, None
        notes: tuple[Note, ...] = ()
        if method is None:
            pass
        elif n_runs == 1 and method != "t":
            estimate = makers.of(0)
            chosen, situation = one_pair.chosen(estimate, method if method != "tango" else "auto")
            interval, notes = interval_maker.interval(estimate, chosen, plan.settings.level)
            notes += one_pair.doubts(interval, situation)
            error, error_method = one_pair.standard_error(estimate, interval)
        else:
            crossed = RunsWithItems(makers, [n_runs], [condition.name], paired=False)
            interval, notes = crossed.interval(
                0, None, name_for_runs(method, "interval"), plan.settings.level
            )
            error, error_method = crossed.standard_error(0)
        score = ConditionScore(
            metric=metric.name,
            system=condition.name,
            score=float(scores.mean()),
            interval=interval,
            rank_low=1,
            rank_high=1,
            group=None,
            runs=tuple(scores.tolist()),
            standard_error=error,
            standard_error_method=error_method,
        )
        runs = [condition.name] if n_runs == 1 else [condition.run_name(i) for i in range(n_runs)]
        notes = (*notes, *note_rules.below_half_notes(makers, runs, plan.settings.level))
        yield Scored(score, notes_about(notes, metric.name, condition.name))


def _all_differences(
    store: Store, plan: Plan
) -> tuple[dict[tuple[str, tuple[str, str]], StudyDifference], int]:
    """Return the difference of every pair, and how many were computed.

    Each is made and kept in the order of the names: with the roles exchanged it is the same, mirrored.
    """
    differences: dict[tuple[str, tuple[str, str]], StudyDifference] = {}
    computed = 0
    for pair in plan.pairs:
        turned = pair[0] > pair[1]
        both = [plan.conditions[name] for name in sorted(pair)]
        keys = {m.name: _key(store, plan, m, both, "difference", turned=turned) for m in plan.metrics}
        results, new = _through_cache(store, plan, keys, partial(_differences_of, plan, both, turned=turned))
        computed += new
        for metric, difference in results.items():
            differences[metric, pair] = _mirrored(difference) if turned else difference
    return differences, computed


def _mirrored(difference: StudyDifference) -> StudyDifference:
    """Return B minus A, with notes that say so."""
    d = difference.mirrored()
    return dataclasses.replace(d, notes=notes_about(d.notes, d.metric, d.a, d.b))


def _alternative(plan: Plan, metric: BaseMetric, *, turned: bool) -> Alternative:
    """Return what is asked of a pair in the order of the names, or of one that is turned."""
    side = plan.settings.towards(metric.greater_is_better)
    return MIRRORED[side] if turned else side


def _differences_of(
    plan: Plan, both: Sequence[Condition], metrics: Sequence[BaseMetric], *, turned: bool
) -> Iterator[StudyDifference]:
    a, b = both
    evaluation = plan.evaluation([a.name, b.name])
    alone = len(a.runs) == len(b.runs) == 1 and "t" not in (plan.settings.test, plan.settings.interval)
    for makers in _estimates_by_metric(plan, evaluation, metrics):
        metric = makers.metric
        for condition, part in ((a, slice(0, len(a.runs))), (b, slice(len(a.runs), None))):
            one_pair.check_defined(makers.scores[part], metric, condition.run_name)
        make = item_difference if alone else difference_over_runs
        difference = make(plan, makers, evaluation, (a, b), _alternative(plan, metric, turned=turned))
        notes = (*difference.notes, *_undefined(makers.group))
        yield dataclasses.replace(difference, notes=notes_about(notes, metric.name, a.name, b.name))


def _estimates_by_metric(
    plan: Plan, evaluation: Evaluation, metrics: Sequence[BaseMetric]
) -> Iterator[Estimates]:
    """Yield the estimates on each metric."""
    for group in prepare.groups(evaluation, metrics, consumer="a study", counting=plan.counting):
        yield Estimates(group, plan.drawing)


def _undefined(group: Group) -> Iterator[Note]:
    """Return notes on parts of the score of some run that are 0/0 and were counted as 0."""
    if isinstance(group, SumGroup):
        texts = [group.metric.undefined(one.total) for one in group.statistics]
        yield from (Note("counted_as_zero", text) for text in dict.fromkeys(texts) if text is not None)


def _key(
    store: Store,
    plan: Plan,
    metric: BaseMetric,
    conditions: Sequence[Condition],
    what: str,
    *,
    turned: bool = False,
) -> str:
    """Return the key of a result: of all that it depends on, and of nothing else."""
    s, drawing = plan.settings, plan.drawing
    chosen: dict[str, Any] = {"interval": s.interval, "level": s.level}
    if what == "difference":
        alternative = _alternative(plan, metric, turned=turned)
        chosen |= {"test": s.test, "alternative": alternative, "margin": s.margin}
    return store.cache.key(
        {
            "what": what,
            "versions": versions(metric.packages),
            "metric": metric.name,
            "gold": plan.gold.hash,
            "conditions": [[condition.name, condition.hashes] for condition in conditions],
            "resamples": [drawing.n_resamples, drawing.seed, drawing.resample_size, drawing.rescale],
            **chosen,
        }
    )


def _provenance(plan: Plan) -> Provenance:
    data: dict[str, Any] = {
        "items": plan.gold.n_items,
        "conditions": list(plan.conditions),
        "runs": [len(condition.runs) for condition in plan.conditions.values()],
    }
    if plan.gold.clusters is not None:
        data["clusters"] = int(np.unique(plan.gold.clusters).size)
    settings = {"metrics": [metric.name for metric in plan.metrics], **plan.settings.by_name()}
    settings["baseline"] = list(plan.baselines) or None
    runs = {condition.name: condition.hashes for condition in plan.conditions.values()}
    text = json.dumps({"gold": plan.gold.hash, "runs": runs}, sort_keys=True, ensure_ascii=False)
    data_hash = hashlib.blake2b(text.encode(), digest_size=20).hexdigest()
    packages = [package for metric in plan.metrics for package in metric.packages]
    return made_by(plan.drawing, settings, data, data_hash[:16], packages)
