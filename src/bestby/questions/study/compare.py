"""Every treatment of a study against its baselines: one pair of conditions at a time, each kept when made."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import Any, TypeVar

import numpy as np

from bestby._core.errors import DesignError
from bestby._core.typing import Alternative, Array
from bestby._core.versions import versions
from bestby.comparisons import classes, equivalence, family, note_rules, one_pair, swap_notes
from bestby.comparisons.provenance import made_by
from bestby.comparisons.settings import Settings
from bestby.data.evaluation import Evaluation
from bestby.engine import interval_methods, prepare, significance_tests
from bestby.engine.base import Drawing, Group
from bestby.engine.estimate import Estimates
from bestby.engine.runs import DOUBTED, RunsWithItems
from bestby.engine.sums import SumGroup
from bestby.engine.text_statistics import Counting
from bestby.inference.samples import FEW_RUNS
from bestby.metrics import default
from bestby.metrics.base import BaseMetric
from bestby.metrics.suitability import check_names, named_metric, read_by
from bestby.questions.study.result import ConditionScore, StudyComparison, StudyDifference
from bestby.questions.study.source import Gold, Run
from bestby.questions.study.store import Store
from bestby.report.loading import decoded, encoded
from bestby.results.base import MetricInfo, Note, Provenance, notes_about
from bestby.results.values import MIRRORED, TestResult
from bestby.vocabulary import allowed_names


@dataclass(frozen=True, eq=False)
class Condition:
    """The runs of one condition."""

    name: str
    runs: tuple[Run, ...]

    @property
    def hashes(self) -> list[str]:
        """What the results of its runs depend on, in their order."""
        return [run.hash for run in self.runs]

    def run_name(self, position: int) -> str:
        """Return what messages call a run."""
        return f"run {self.runs[position].run!r} of {self.name!r}"

    @property
    def epochs(self) -> float | None:
        """The mean number of epochs, if all runs have one."""
        epochs = [run.epochs for run in self.runs if run.epochs is not None]
        return float(np.mean(epochs)) if len(epochs) == len(self.runs) else None


@dataclass(frozen=True, eq=False)
class Plan:
    """What is to be compared, and how.

    `pairs` are of treatment and baseline; without baselines, every two conditions. Of the metrics, which are
    not fitted yet, `named` were asked for by name: only their results are cached, as an object or a function
    may be another one tomorrow. `counting` says where texts are counted, `by_default` that nobody named a
    metric.
    """

    gold: Gold
    conditions: Mapping[str, Condition]
    pairs: Sequence[tuple[str, str]]
    baselines: tuple[str, ...]
    metrics: Sequence[BaseMetric]
    named: frozenset[str]
    settings: Settings
    drawing: Drawing
    counting: Counting
    by_default: bool = False

    def _classes(self) -> Array | None:
        """Return the classes of soft labels, which must be the same in all runs."""
        classes = self.gold.classes
        for condition in self.conditions.values():
            for run in condition.runs:
                if run.classes is None:
                    continue
                if classes is not None and run.classes.tolist() != classes.tolist():
                    raise DesignError(
                        f"run {run.run!r} of {condition.name!r} has the classes {run.classes.tolist()},"
                        f" others have {classes.tolist()}",
                        hint="replace one; a study that begins with classes=... refuses such a run at once",
                    )
                classes = run.classes
        return classes

    def evaluation(self, names: Sequence[str]) -> Evaluation:
        """Return the runs of some conditions on the items of the study, one after the other."""
        runs: dict[str, Array] = {}
        for name in names:
            for run in self.conditions[name].runs:
                key = f"{name}, run {run.run}"
                while key in runs:  # run "1" of "a, run 0" and run "0, run 1" of "a"
                    key += "'"
                runs[key] = run.predictions
        classes = self._classes()
        soft = any(values.ndim == 2 for values in (self.gold.values, *runs.values()))
        if len(runs) == 1:  # an evaluation is of two systems; the score of one needs no other
            runs |= {f"{name}, again": values for name, values in runs.items()}
        return Evaluation(
            systems=runs,
            gold=self.gold.values,
            items=self.gold.ids,
            clusters=self.gold.clusters,
            classes=classes if soft else None,
        )


def chosen_metrics(metric: Any, gold: Gold, per_class: bool) -> tuple[list[BaseMetric], frozenset[str]]:
    """Return the metrics, and the names of those that were asked for by name."""
    if metric is None:
        metric = default(False, soft_gold=gold.values.ndim == 2)
    specs = list(metric) if isinstance(metric, list | tuple) else [metric]
    if per_class:
        labels = gold.classes if gold.classes is not None else np.unique(gold.values)
        specs += [name for label in labels.tolist() if (name := f"f1[{label}]") not in specs]
    metrics = [named_metric(spec, [gold.values]) for spec in specs]
    check_names(metrics)
    named = {one.name for spec, one in zip(specs, metrics, strict=True) if isinstance(spec, str)}
    return metrics, frozenset(named)


def compared(store: Store, plan: Plan) -> StudyComparison:
    """Return the comparison: what the cache does not hold is computed, and kept."""
    whole = plan.evaluation(list(plan.conditions))
    notes = list(_plan_notes(plan, whole))
    scored, new_scores = _all_scores(store, plan)
    scores = {key: entry.score for key, entry in scored.items()}
    unadjusted, new_differences = _all_differences(store, plan)
    systems: list[ConditionScore] = []
    differences: list[StudyDifference] = []
    for metric in plan.metrics:
        unordered = [unadjusted[metric.name, pair] for pair in plan.pairs]
        tests = [d.test for d in unordered if d.test is not None]
        adjusted = family.adjusted(unordered, plan.settings.correction)
        metric_differences = family.with_direction_notes(adjusted, plan.settings.alpha)
        ordered, metric_differences = _standing(plan, metric, scores, metric_differences)
        systems += ordered
        metric_differences, long = family.with_one_long_note(metric_differences)
        differences += metric_differences
        notes += long
        notes += [note for entry in ordered for note in scored[metric.name, entry.system].notes]
        runs_by_condition = {entry.system: entry.runs for entry in ordered}
        notes += note_rules.constant_run_notes(metric.name, runs_by_condition) + note_rules.run_notes(
            metric.name, runs_by_condition
        )
        labels = [entry.group for entry in ordered if entry.group is not None]
        if tests:
            notes += note_rules.group_notes(metric.name, labels or None, lettered=not plan.baselines)
        if metric.caution is not None:
            notes.append(Note("caution", metric.caution, (metric.name,)))
        notes += note_rules.direction_notes(metric.name, metric.greater_is_better, plan.settings.alternative)
        notes += note_rules.resample_notes(metric.name, tests, plan.settings.correction, plan.settings.alpha)
    notes += _resample_size_notes(plan, differences)
    notes += _look_notes(store.looked({c.name: c.hashes for c in plan.conditions.values()}))
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
        n_reused=len(scores) + len(unadjusted) - fresh,
        classes=shares,
    )


@dataclass(frozen=True)
class Scored:
    """The score of a condition, and what is to be said of its interval."""

    score: ConditionScore
    notes: tuple[Note, ...] = ()

    @property
    def metric(self) -> str:
        """The metric."""
        return self.score.metric


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
    for estimates in _estimates_by_metric(plan, evaluation, metrics):
        metric = estimates.metric
        method = plan.settings.interval
        scores = estimates.scores[:n_runs]
        one_pair.check_defined(scores, metric, condition.run_name)
        interval, error, error_method = None, None, None
        notes: tuple[Note, ...] = ()
        if method is None:
            pass
        elif n_runs == 1 and method != "t":
            estimate = estimates.of(0)
            chosen, situation = one_pair.chosen(estimate, method if method != "tango" else "auto")
            interval, notes = interval_methods.interval(estimate, chosen, plan.settings.level)
            notes += one_pair.doubts(interval, situation)
            error, error_method = one_pair.standard_error(estimate, interval)
        else:
            crossed = RunsWithItems(estimates, [n_runs], [condition.name], paired=False)
            interval, notes = crossed.interval(
                0, None, _name_for_runs(method, "interval"), plan.settings.level
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
        notes = (*notes, *note_rules.below_half_notes(estimates, runs, plan.settings.level))
        yield Scored(score, notes_about(notes, metric.name, condition.name))


def _all_differences(
    store: Store, plan: Plan
) -> tuple[dict[tuple[str, tuple[str, str]], StudyDifference], int]:
    """Return the difference of every pair, and how many were computed.

    Each is computed and stored in the order of the names; with the roles exchanged it is mirrored.
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


def _differences_of(
    plan: Plan, both: Sequence[Condition], metrics: Sequence[BaseMetric], *, turned: bool
) -> Iterator[StudyDifference]:
    a, b = both
    evaluation = plan.evaluation([a.name, b.name])
    single_runs = len(a.runs) == len(b.runs) == 1 and "t" not in (plan.settings.test, plan.settings.interval)
    for estimates in _estimates_by_metric(plan, evaluation, metrics):
        metric = estimates.metric
        for condition, part in ((a, slice(0, len(a.runs))), (b, slice(len(a.runs), None))):
            one_pair.check_defined(estimates.scores[part], metric, condition.run_name)
        difference_between = _item_difference if single_runs else _difference_over_runs
        difference = difference_between(
            plan, estimates, evaluation, (a, b), _alternative(plan, metric, turned=turned)
        )
        notes = (*difference.notes, *_undefined(estimates.group))
        yield dataclasses.replace(difference, notes=notes_about(notes, metric.name, a.name, b.name))


def _item_difference(
    plan: Plan,
    estimates: Estimates,
    evaluation: Evaluation,
    both: tuple[Condition, Condition],
    alternative: Alternative,
) -> StudyDifference:
    """Return the difference of one run each, resampled over the items."""
    settings, pair, estimate = plan.settings, (0, 1), estimates.of(0, 1)
    name, names, group = settings.test, evaluation.names, estimates.group
    tests = {} if name is None else significance_tests.run(name, estimates, [pair], alternative)
    bounds = one_pair.intervals(estimate, settings.interval, settings)
    notes = [
        *swap_notes.exchange_notes(group, tests, names, name),
        *swap_notes.notes_on_swaps(group, group.metric.name, tests.values(), settings),
        *swap_notes.exchangeability_notes(
            estimates, tests, names, "none", settings.alpha, bounded=settings.interval is not None
        ),
    ]
    bounds = bounds._replace(notes=(*bounds.notes, *notes))
    plain = one_pair.difference(estimate, evaluation, tests.get(pair), bounds, settings)
    values = {entry.name: getattr(plain, entry.name) for entry in fields(plain)}
    return StudyDifference(**{**values, "a": both[0].name, "b": both[1].name, "n_runs": (1, 1)})


def _difference_over_runs(
    plan: Plan,
    estimates: Estimates,
    evaluation: Evaluation,
    both: tuple[Condition, Condition],
    alternative: Alternative,
) -> StudyDifference:
    """Return the difference over the items and the runs."""
    settings, metric = plan.settings, estimates.group.metric
    sizes = [len(condition.runs) for condition in both]
    crossed = RunsWithItems(estimates, sizes, [condition.name for condition in both], paired=False)
    test: TestResult | None = None
    if settings.test is not None:
        test = crossed.test(0, 1, _name_for_runs(settings.test, "test"), alternative)
    interval, tost, error, error_method = None, None, None, None
    notes: tuple[Note, ...] = ()
    if settings.interval is not None:
        method = _name_for_runs(settings.interval, "interval")
        interval, tost, notes = family.with_equivalence(
            lambda level: crossed.interval(0, 1, method, level), settings.level, settings.margin
        )
        error, error_method = crossed.standard_error(0, 1)
    n_differing = one_pair.differing_items(list(evaluation.systems.values()))
    if settings.interval is not None:
        tost, unseen = equivalence.interval_of_runs(crossed, (0, 1), tost, n_differing, settings)
        notes += unseen
    if n_differing == 0:
        notes += (Note("identical", "no two runs of the two conditions differ on any item"),)
    plain = StudyDifference(
        metric=metric.name,
        a=both[0].name,
        b=both[1].name,
        estimate=crossed.estimate(0, 1),
        score_a=crossed.estimate(0),
        score_b=crossed.estimate(1),
        interval=interval,
        test=test,
        p_adjusted=None if test is None else test.p_value,
        greater_is_better=metric.greater_is_better,
        n_items=evaluation.n_items,
        n_differing=n_differing,
        notes=notes,
        n_runs=(sizes[0], sizes[1]),
        level=settings.level,
        standard_error=error,
        standard_error_method=error_method,
    )
    doubted = any(note.code in DOUBTED for note in notes)
    return family.with_verdict(plain, tost, settings.margin, doubted=doubted)


def _name_for_runs(name: str, what: str) -> str:
    """Return the name of a test or interval (`what`), refused if it cannot take several runs."""
    if name not in allowed_names(what, "study_runs"):
        raise DesignError(
            f"the {what} {name!r} allows for items only, but here items and runs vary: a condition has"
            ' several runs, or the test or the interval is "t"',
            hint=f'{what}="auto" is for items and runs',
        )
    return name


def _alternative(plan: Plan, metric: BaseMetric, *, turned: bool) -> Alternative:
    """Return what is asked of a pair in the order of the names, or of one that is turned."""
    side = plan.settings.towards(metric.greater_is_better)
    return MIRRORED[side] if turned else side


def _mirrored(difference: StudyDifference) -> StudyDifference:
    """Return B minus A, with notes that say so."""
    d = difference.mirrored()
    return dataclasses.replace(d, notes=notes_about(d.notes, d.metric, d.a, d.b))


def _undefined(group: Group) -> Iterator[Note]:
    """Return notes on parts of the score of some run that are 0/0 and were counted as 0."""
    if isinstance(group, SumGroup):
        texts = [group.metric.undefined(one.total) for one in group.statistics]
        yield from (Note("counted_as_zero", text) for text in dict.fromkeys(texts) if text is not None)


def _estimates_by_metric(
    plan: Plan, evaluation: Evaluation, metrics: Sequence[BaseMetric]
) -> Iterator[Estimates]:
    """Yield the estimates on each metric."""
    for group in prepare.groups(evaluation, metrics, consumer="a study", counting=plan.counting):
        yield Estimates(group, plan.drawing)


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
    for result in compute(missing) if missing else ():
        if result.metric in plan.named:
            store.cache.write(keys[result.metric], json.dumps(encoded(result)).encode())
        results[result.metric] = result
    return results, len(missing)


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
    standings = None
    if plan.settings.test is not None:
        standings = family.standings(order, differences, plan.settings.alpha, lettered=not plan.baselines)
    ranked = [
        dataclasses.replace(scores[metric.name, name], **family.standing(standings, position))
        for position, name in enumerate(order)
    ]
    return ranked, tuple(differences)


def _plan_notes(plan: Plan, whole: Evaluation) -> Iterator[Note]:
    """Yield what is to be said of the data, `whole` with all conditions, and of the runs."""
    whole = read_by(plan.metrics, {"": whole}, named=not plan.by_default)[""]
    yield from note_rules.evaluation_notes(whole, plan.metrics, plan.settings)
    yield from _single_run_notes(plan)
    fewest = min((len(c.runs) for c in plan.conditions.values() if len(c.runs) > 1), default=FEW_RUNS)
    if fewest < FEW_RUNS:
        yield Note(
            "few_runs",
            f"a condition has only {fewest} runs: how much its runs vary is hardly known, so t"
            " intervals are long",
        )


def _single_run_notes(plan: Plan) -> Iterator[Note]:
    """Yield notes on conditions of one run: what nobody can know, and what their differences borrow."""
    single = [name for name, condition in plan.conditions.items() if len(condition.runs) == 1]
    if not single:
        return
    message = ", ".join(single) if len(single) < len(plan.conditions) else "every condition"
    only, say = "intervals and tests are", "say"
    beside_several = {
        name
        for pair in plan.pairs
        for name in pair
        if max(len(plan.conditions[one].runs) for one in pair) > 1
    }
    borrowing = [name for name in single if name in beside_several]
    if borrowing:
        only, say = "the interval of its score is", "says"
        if any(max(len(plan.conditions[one].runs) for one in pair) == 1 for pair in plan.pairs):
            only, say = "the interval of its score, and differences between single runs, are", "say"
    yield Note(
        "one_run",
        f"{message} has one run: {only} over items only, and {say} nothing about how another training run"
        f" would perform",
    )
    if borrowing:
        yield Note(
            "borrowed_run_variance",
            f"the data do not show how much other runs of {', '.join(borrowing)} would vary: in"
            f" differences from a condition with several runs they are assumed to vary as its runs do;"
            f" if they vary more, the intervals are too short",
        )


def _look_notes(n_looks: int) -> Iterator[Note]:
    """Yield a note on a test set that was looked at before, with other runs.

    How far the best of the runs that were tried seems better than it is grows with the number of looks, and
    no correction of one comparison knows of the others.
    """
    if n_looks < 2:
        return
    message = (
        f"this test set was looked at {n_looks} times, with different runs: what was kept because of these"
        " looks seems better than it is, and the correction for several comparisons knows of this one alone;"
        " confirm the result on items that nobody has looked at"
    )
    yield Note("test_set_looked_at", message)


def _resample_size_notes(plan: Plan, differences: Sequence[StudyDifference]) -> Iterator[Note]:
    """Yield notes on smaller resamples: nothing draws any, they are very small, or were not rescaled."""
    if plan.drawing.resample_size is None:
        return
    by_bootstrap = [
        d
        for d in differences
        if (d.interval is not None and d.interval.method in ("percentile", "basic"))
        or (d.test is not None and "bootstrap" in d.test.name)
    ]
    if not by_bootstrap:
        message = (
            "no interval and no test of a difference uses the bootstrap here, so the size of the resamples"
            ' has no effect; interval="percentile" and test="bootstrap" would use it'
        )
        yield Note("resample_size_unused", message)
        return
    clusters = plan.gold.clusters
    n = plan.gold.n_items if clusters is None else int(np.unique(clusters).size)
    sizes = np.array([n])
    if not plan.drawing.subsampling(sizes):
        return
    if plan.drawing.rescale:
        yield from note_rules.rescaling_notes(plan.drawing, sizes)
        return
    m = int(plan.drawing.draws(sizes).sum())
    message = (
        f"resamples of {m} of {n} units vary more than full ones and were not rescaled: their p-values and"
        f" intervals are those of an experiment with {m} units"
    )
    yield Note("not_rescaled", message)


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
