"""All that the site of a board shows, computed from its record, its gold and its submissions."""

from __future__ import annotations

import contextlib
import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any, TypeVar

import numpy as np

from bestby._core import files
from bestby._core.cached import cached_property
from bestby._core.errors import BestbyError, BoardError, DesignError, InvalidInputError
from bestby._core.files import Cache
from bestby._core.typing import Array, FloatArray
from bestby._core.versions import blas, versions
from bestby.boards import gold as golds
from bestby.boards.content import (
    Best,
    BoardContent,
    Entry,
    Gap,
    ItemsAgainst,
    Overall,
    OverallStanding,
    PhaseContent,
    Standing,
    Table,
    VersionContent,
)
from bestby.boards.folder import Folder
from bestby.boards.gold import TaskGold
from bestby.boards.overall import overall
from bestby.boards.predictions import (
    NO_CACHE,
    Hidden,
    SubmissionReader,
    absent,
    direction_of,
    form_of,
    metric_of,
)
from bestby.boards.record import (
    Line,
    System,
    as_of,
    chosen,
    ended,
    gold_in_force,
    gold_versions,
    head,
)
from bestby.boards.settings import Phase, Settings, Task, stamp
from bestby.comparisons.best import leader_of
from bestby.data.evaluation import Evaluation
from bestby.data.roles import listed
from bestby.metrics.base import MeanMetric, Metric
from bestby.metrics.functions import ScoreMetric
from bestby.questions.frontier.compare import frontier
from bestby.questions.frontier.result import Frontier, FrontierSystem, SystemCost
from bestby.questions.items.compare import compare
from bestby.questions.items.evaluate import evaluate
from bestby.questions.runs.compare import compare_runs
from bestby.questions.runs.result import RunsComparison
from bestby.questions.slices.compare import compare_slices
from bestby.questions.slices.result import SlicesComparison
from bestby.report import next_step
from bestby.report.comparison import Comparison
from bestby.report.loading import decoded, encoded
from bestby.report.pairs import Pairs, parts_of


def board_content(
    folder: Folder,
    settings: Settings,
    lines: Sequence[Line],
    now: datetime,
    cache: Cache = NO_CACHE,
) -> BoardContent:
    """Return everything that a site shows of a board.

    Results that no submission can change any more are kept in the cache: their phase is over, or they are by
    an older gold.

    Parameters
    ----------
    folder : Folder
        The board, whose lock the caller holds.
    settings : Settings
        Its settings.
    lines : sequence of Line
        Its record.
    now : datetime
        The clock; the content is that of `as_of`.
    cache : Cache, optional
        What was read before; without one, every submission is read.

    Returns
    -------
    BoardContent
        The same for the same record, gold, settings and `as_of`.

    Raises
    ------
    BoardError
        If a submission, the list of items or the gold is not there or was changed.
    """
    reader = SubmissionReader(folder, settings, cache)
    moment, over = as_of(lines, settings, now), ended(lines)
    versions: list[VersionContent] = []
    entries: tuple[Entry, ...] = ()
    before: int | None = None
    for line, event in gold_versions(lines):
        gold, shown = golds.read(folder, event, settings.tasks), chosen(lines, settings, before)
        contents = []
        for phase in settings.phases:
            end = over.get(phase.name)
            mark = None if before is None and end is None else event.mark
            scored = ScoredPhase(reader, phase, gold, mark)
            contents.append(scored.content(shown.systems.get(phase.name), moment, end))
        versions.append(VersionContent(event.version, stamp(line.time), event.reason, tuple(contents)))
        entries = entries or shown.entries  # those of the version in force
        before = line.number  # an older version has the submissions up to its correction
    return BoardContent(
        settings=settings,
        as_of=stamp(moment),
        record_head=head(lines),
        versions=tuple(versions),
        entries=entries,
    )


def cache_of(folder: Folder, lines: Sequence[Line]) -> Cache:
    """Return the cache of a board, keyed with the secret beside the gold.

    Who sends files along with a submission cannot bring one whose value is used.
    """
    key = folder.gold_version(gold_in_force(lines).version) / "key"
    with files.reported("read the gold", BoardError):
        secret = key.read_bytes()
    return replace(NO_CACHE, folder=folder.cache, secret=secret)


@dataclass(frozen=True, slots=True)
class PhaseResults:
    """What a phase shows that is computed: its tables, those over the tasks, and items won and lost."""

    tables: tuple[Table, ...] = ()
    overall: Overall | None = None
    items: tuple[ItemsAgainst, ...] = ()


_RECORDS = {
    one.__name__: one
    for one in (PhaseResults, Best, Gap, ItemsAgainst, Overall, OverallStanding, Standing, Table)
}

MOST_PAIRS = 50_000
"""Differences of all pairs of a table, above which they are made anew: reading them takes as long."""


@dataclass(frozen=True, eq=False)
class ScoredPhase:
    """A phase by one version of the gold, whose `mark` is given if what is computed may be kept."""

    reader: SubmissionReader
    phase: Phase
    gold: Mapping[str, TaskGold]
    mark: str | None = None

    def content(self, systems: Sequence[System] | None, moment: datetime, end: Line | None) -> PhaseContent:
        """Return the tables of the phase, none while its results are not shown; `end` is the line of its end.

        A phase that ended before its date ended by its line.
        """
        phase = self.phase
        ends = [one for one in (phase.end, end.time if end else None) if one is not None]
        begun = phase.start is None or moment >= phase.start
        results = self._results(systems or ())
        return PhaseContent(
            settings=phase,
            end=stamp(min(ends)) if ends else None,
            state="over" if end else "open" if begun else "coming",
            visible=systems is not None,
            tables=results.tables,
            overall=results.overall,
            items=results.items,
        )

    def _results(self, systems: Sequence[System]) -> PhaseResults:
        """Return the results of systems, from the cache if they were kept; their files are checked first."""
        if self.mark is None or not systems:
            return self._computed(systems)
        reader, settings, phase = self.reader, self.reader.settings, self.phase
        reader.check({file for one in systems for _, run in one.runs for file in run.files.values()})
        public = (settings.public.items, settings.public.pairs, settings.public.smallest_slice)
        phase_settings = (phase.name, phase.part, phase.show)
        scored = (settings.tasks, settings.costs, phase_settings, settings.baseline, settings.level, public)
        marks = [reader.mark(task) for task in settings.tasks]
        key = reader.cache.key(
            "results", versions(), blas(), self.mark, marks, repr(scored), repr(tuple(systems))
        )
        stored = reader.cache.read(key)
        if stored is not None:
            results: PhaseResults = decoded(json.loads(stored), _RECORDS)
            return results
        computed = self._computed(systems)
        if sum(table.n_pairs for table in computed.tables if table.comparison is not None) <= MOST_PAIRS:
            reader.cache.write(key, json.dumps(encoded(computed)).encode())
        return computed

    def _computed(self, systems: Sequence[System]) -> PhaseResults:
        settings, phase = self.reader.settings, self.phase
        computed: list[Table] = []
        first: dict[str, Table] = {}
        evaluations, items = {}, []
        for task in settings.tasks if systems else ():
            scored = self._scored(task, [system for system in systems if task.name in system.event.files])
            task_tables = tables(scored)
            computed += task_tables
            if task_tables:
                first[task.name], evaluations[task.name] = task_tables[0], scored.evaluation
                items += items_against(scored, task_tables[0]) if settings.public.items else []
        directions = {task.name: direction_of(task) for task in settings.tasks}
        whole = None
        if len(settings.tasks) > 1 and len(first) == len(settings.tasks):
            whole = overall(phase.name, first, evaluations, directions, settings.baseline, settings.level)
        if not settings.public.pairs:
            computed = [replace(table, comparison=None) for table in computed]
        return PhaseResults(tuple(computed), whole, tuple(items))

    def _scored(self, task: Task, systems: Sequence[System]) -> Scored:
        numbered = [one for system in systems for one in system.runs if task.name in one[1].files]
        return Scored(
            Hidden.of(task, self.gold[task.name], self.reader.items(task), self.phase.part),
            self.phase,
            self.reader.settings,
            {system.key: system for system in systems},
            self.reader.predicted(task, numbered),
            {name: self.reader.costs(task, systems, name) for name in self.reader.settings.costs},
        )


# -- the tables of a task in a phase ---------------------------------------------------------------


UNCOMPUTED = (BestbyError, ArithmeticError, ValueError)
"""What arises where numbers of a system cannot be computed; it must not keep the others from their tables."""


@dataclass(frozen=True, eq=False)
class Scored:
    """The systems of a phase with their predictions for a task, and the items that they are scored on.

    `costs` has each cost by system: a price, or what each item of the public list costs.
    """

    hidden: Hidden
    phase: Phase
    settings: Settings
    systems: Mapping[str, System]
    predicted: Mapping[int, Array]
    costs: Mapping[str, Mapping[str, float | Array]] = field(default_factory=dict)

    @cached_property
    def first(self) -> Mapping[str, Array]:
        """The predictions of the first run of each system that has enough of the items."""
        rows = self.hidden.rows
        least = min(self.settings.public.smallest_slice, rows.size)
        values = {key: self.predicted[system.submission] for key, system in self.systems.items()}
        return {key: one for key, one in values.items() if (~absent(one[rows])).sum() >= least}

    @cached_property
    def evaluation(self) -> Evaluation:
        """These systems on the items, made once."""
        return self.hidden.evaluation(self.first)

    def whole(self, systems: Sequence[str]) -> list[str]:
        """Return those of some systems that have all items."""
        return [key for key in systems if key not in self.evaluation.missing]

    def has_whole_runs(self, key: str) -> bool:
        """Return whether all runs of a system have all items."""
        runs = (self.predicted[number] for number, _ in self.systems[key].runs)
        return not any(absent(values[self.hidden.rows]).any() for values in runs)


def tables(scored: Scored) -> tuple[Table, ...]:
    """Return the tables of a task in a phase, one per metric by which a system has a score."""
    if not scored.first:
        return ()
    every = (_table(scored, metric) for metric in scored.hidden.task.metrics)
    return tuple(one for one in every if one is not None)


def _table(scored: Scored, metric: str) -> Table | None:
    task, settings = scored.hidden.task, scored.settings
    result, left_out = compared(scored, metric)
    if result is None:
        return None
    comparison = publishable(result)
    info = comparison.metrics[0]
    order = [entry.system for entry in comparison.systems]
    baseline = settings.baseline if settings.baseline in order else None
    few = {key: "it has too few of the items" for key in scored.systems if key not in scored.first}
    notes = [*_notes(comparison), *(f"{key} is left out: {why}" for key, why in (few | left_out).items())]
    of_costs, on_frontier = _frontier(scored, metric, order)
    if settings.baseline is not None and baseline is None:
        notes.append(f"the baseline {settings.baseline} has no submission in this phase")
    return Table(
        task=task.name,
        metric=info,
        phase=scored.phase.name,
        n_items=comparison.n_items,
        n_clusters=comparison.n_clusters,
        level=comparison.level,
        baseline=baseline,
        margin=comparison.margin,
        standings=tuple(_standing(key, comparison, order[0], baseline, scored) for key in order),
        n_established=established(comparison),
        n_pairs=len(comparison.differences),
        detectable=next_step.detectable(comparison, info) if len(order) > 1 else None,
        next_step=next_step.next_step(comparison, info) if len(order) > 1 else "",
        best=_best(scored, metric, comparison),
        notes=(*notes, *on_frontier),
        methods=comparison.methods() if len(order) > 1 else "",
        signature=comparison.signature,
        slices=_slices(scored, metric, order, baseline),
        runs=_runs(scored, metric, order),
        comparison=comparison,
        frontier=of_costs,
    )


def compared(scored: Scored, metric: str) -> tuple[Comparison | None, dict[str, str]]:
    """Return the comparison of all systems, and why some are left out; None if none has a score.

    Intervals, ranks, letters and adjusted p-values are of one family, all pairs of the table, so that they
    never contradict each other. A system by itself has its score alone. A system without a score, such as one
    with the same prediction for every item by a correlation, must not keep the others from their table.
    """
    evaluation = scored.evaluation
    try:
        return _compared(evaluation, scored, metric), {}
    except UNCOMPUTED:
        left_out = _without_score(scored, metric) or dict.fromkeys(
            evaluation.missing, "it has too few items in common with the others"
        )
        left = [name for name in evaluation.names if name not in left_out]
        if not left_out:
            raise
        if not left:
            return None, left_out
        return _compared(evaluation.with_systems(left), scored, metric), left_out


def _compared(evaluation: Evaluation, scored: Scored, metric: str) -> Comparison:
    task, level = scored.hidden.task, scored.settings.level
    direction = direction_of(task)
    if len(evaluation.names) < 2:
        whole = evaluation.complete(evaluation.names)
        return evaluate(whole, metric=_directed(metric, direction), level=level)
    compared_by = partial(
        compare,
        evaluation,
        metric=_directed(metric, direction),
        level=level,
        correction="holm" if evaluation.with_gaps else "simultaneous",
        margin=task.margins.get(metric),
    )
    if not evaluation.with_gaps and not _needs_swaps(scored, metric):
        with contextlib.suppress(DesignError):  # a difference without a standard error
            return compared_by(test="wald")
    return compared_by()


def _directed(metric: str, greater_is_better: bool | None) -> str | ScoreMetric:
    """Return a metric, or scores of a direction that the organisers said."""
    return metric if greater_is_better is None else ScoreMetric(metric, greater_is_better)


def _needs_swaps(scored: Scored, metric: str) -> bool:
    """Return whether pairs are tested by swaps, of which thousands of pairs take more time than all the rest.

    All that a table shows is read from the intervals. The p-value of a pair by itself is published with all
    pairs only, and tasks are counted by it. That of a mean costs nothing.
    """
    if scored.settings.public.pairs or len(scored.settings.tasks) > 1:
        return True
    fitted = metric_of(scored.hidden.task, metric, scored.evaluation)
    return not isinstance(fitted, Metric) or isinstance(fitted, MeanMetric) or fitted.reads != "labels"


def _without_score(scored: Scored, metric: str) -> dict[str, str]:
    """Return the systems that have no score by a metric, and why."""
    direction, reasons = direction_of(scored.hidden.task), {}
    for name in scored.evaluation.names:
        single = scored.evaluation.complete([name])
        try:
            evaluate(single, metric=_directed(metric, direction), interval=None)
        except UNCOMPUTED:  # what it says may quote the gold
            reasons[name] = f"{metric} is not defined for its predictions"
    return reasons


R = TypeVar("R", Comparison, SlicesComparison, RunsComparison, Frontier)


def publishable(result: R) -> R:
    """Return a result without what tells of the gold: the hash of the data, and how often each label occurs.

    With the predictions at hand, the gold of a few items could be guessed until the hash fits.
    """
    hidden: dict[str, Any] = {"provenance": dataclasses.replace(result.provenance, data_hash="hidden")}
    if isinstance(result, Comparison):
        hidden["classes"] = ()
    if isinstance(result, Frontier):
        hidden["systems"] = tuple(map(_in_few_digits, result.systems))
    return dataclasses.replace(result, **hidden)


def _in_few_digits(one: FrontierSystem) -> FrontierSystem:
    """Return a system without digits by which costs could be chosen to tell the gold or the groups of items.

    Teams choose what each item costs. How costs vary depends on the groups of the items, and together with
    the successes on the gold: to the last digit it would tell that of dozens of items at once.
    """

    def few(value: float) -> float:
        return float(f"{value:.3g}")

    def of(cost: SystemCost) -> SystemCost:
        ends = cost.interval
        if ends is None:
            return cost
        shorter = replace(ends, low=few(ends.low), high=few(ends.high))
        return replace(cost, interval=shorter, per_success_interval=None)

    return replace(one, costs=tuple(map(of, one.costs)), p_adjusted=few(one.p_adjusted))


def _best(scored: Scored, metric: str, comparison: Comparison) -> Best | None:
    """Return what the score of the best system would be without luck; None where the metric cannot tell."""
    one = comparison.leader if comparison.baseline is None else None
    if one is None and len(comparison.systems) == 2:
        try:
            fitted = metric_of(scored.hidden.task, metric, scored.evaluation)
            one = leader_of(scored.evaluation, fitted, comparison.systems, comparison.level)
        except UNCOMPUTED:  # such as a metric that is undefined without some item
            return None
    if one is None:
        return None
    method = "two thirds of the items choose the best system, one third scores it"
    return Best(one.system, one.score, one.corrected, abs(one.score - one.corrected), method, one.interval)


def _notes(comparison: Comparison) -> list[str]:
    """Return what a table says beside its numbers, with the systems that it is about.

    Slices of a board are kinds of items, whose differences stand below the table, and no samples of more of
    their like: that items of a slice are correlated is no warning there. Nor is said of which slices a system
    has no items, by which teams could ask for the slices of items. What `compare` could do instead is not for
    readers of a page.
    """
    about: dict[str, dict[str, None]] = {}
    for note in comparison.notes:
        if note.code not in ("clusters_ignored", "whole_groups_missing"):
            message = note.message.partition(": use on_missing=")[0]
            named = [one for one in note.about[1:] if one not in message]
            about.setdefault(message, {}).update(dict.fromkeys(named))
    return [f"{message} ({', '.join(names)})" if names else message for message, names in about.items()]


def _standing(key: str, comparison: Comparison, best: str, baseline: str | None, scored: Scored) -> Standing:
    entry = comparison.score(key)
    system = scored.systems[key]
    return Standing(
        system=key,
        submission=system.submission,
        n_submissions=system.n_submissions,
        score=entry.score,
        interval=entry.interval,
        rank_low=entry.rank_low or 1,
        rank_high=entry.rank_high or 1,
        group=entry.group,
        may_be_best=entry.may_be_best,
        behind=entry.behind,
        n_items=entry.n_items,
        to_best=None if key == best else gap(comparison, key, best),
        to_baseline=None if baseline is None or key == baseline else gap(comparison, key, baseline),
    )


def gap(comparison: Comparison, key: str, other: str) -> Gap | None:
    """Return the difference of a system minus another one; None if they have too few items in common."""
    try:
        d = comparison[key, other]
    except InvalidInputError:
        return None
    return Gap(other, d.estimate, d.interval, d.p_adjusted, d.verdict, d.significant, d.winner)


def established(comparison: Comparison) -> int:
    """Return how many pairs differ significantly, with correction for all pairs."""
    count = 0
    for part in parts_of(comparison.differences):
        if isinstance(part, Pairs):
            count += int(np.count_nonzero(part.sides))
        else:
            count += sum(d.winner is not None for d in part)
    return count


def _slices(
    scored: Scored, metric: str, order: Sequence[str], baseline: str | None
) -> SlicesComparison | None:
    """Return the best few systems in the slices, each against the baseline or else against the best."""
    # The best systems that are compared in slices, beside the baseline
    order = scored.whole(order)
    baseline = baseline if baseline in order else None
    chosen = list(dict.fromkeys([*order[:3], *([baseline] if baseline else [])]))
    sizes = {name: _units(scored.hidden, name) for name in scored.hidden.slices}
    least = least_shown(list(sizes.values()), scored.settings.public.smallest_slice)
    columns = [name for name, counts in sizes.items() if np.count_nonzero(counts >= least) > 1]
    if not columns or len(chosen) < 2:
        return None
    try:
        in_slices = compare_slices(
            scored.evaluation.with_systems(chosen),
            metric=_directed(metric, direction_of(scored.hidden.task)),
            by=columns,
            min_items=max(least, 2),
            baseline=baseline or chosen[0],
            level=scored.settings.level,
        )
    except UNCOMPUTED:  # such as a metric that is undefined in a slice
        return None
    return publishable(in_slices)


def _units(hidden: Hidden, name: str) -> Array:
    """Return how many items each slice of a column has, or clusters if there are some."""
    values = hidden.slices[name]
    if hidden.clusters is None:
        return np.unique(values, return_counts=True)[1]
    return np.array([len(np.unique(hidden.clusters[values == one])) for one in np.unique(values)])


def least_shown(sizes: Sequence[Array], stated: int) -> int:
    """Return the size from which slices are shown, so that fewer than `stated` items are never withheld.

    What one withheld slice scores could be computed from the score of all items and the other slices.

    >>> least_shown([np.array([2, 12, 50])], 10), least_shown([np.array([5, 6, 50])], 10)
    (13, 10)
    """
    least, everything = stated, np.concatenate([np.zeros(0, dtype=np.int64), *sizes])
    while any(0 < counts[counts < least].sum() < stated for counts in sizes):
        larger = everything[everything >= least]
        if not larger.size:
            break
        least = int(larger.min()) + 1
    return least


def _runs(scored: Scored, metric: str, order: Sequence[str]) -> RunsComparison | None:
    """Return the comparison of the best systems of which several runs were submitted."""
    hidden = scored.hidden
    # The best systems with several runs that are compared by their runs
    several = [key for key in order if len(scored.systems[key].runs) > 1 and scored.has_whole_runs(key)][:10]
    if len(several) < 2:
        return None
    predicted = {
        (key, place): scored.predicted[number]
        for key in several
        for place, (number, _) in enumerate(scored.systems[key].runs)
    }
    names = {one: f"{one[0]} {one[1]}" for one in predicted}
    evaluation = hidden.evaluation({names[one]: values for one, values in predicted.items()})
    data = {
        key: np.stack([evaluation.systems[names[one]] for one in predicted if one[0] == key])
        for key in several
    }
    try:
        over_runs = compare_runs(
            data,
            hidden.gold,
            metric=_directed(metric, direction_of(hidden.task)),
            clusters=hidden.clusters,
            level=scored.settings.level,
        )
    except UNCOMPUTED:  # such as runs that all score the same
        return None
    return publishable(over_runs)


def _frontier(scored: Scored, metric: str, order: Sequence[str]) -> tuple[Frontier | None, tuple[str, ...]]:
    """Return which systems may be worth their costs, and what is said of those that are not among them."""
    hidden, costs = scored.hidden, scored.costs
    chosen = scored.whole([key for key in order if all(key in of for of in costs.values())])
    telling: list[str] = []
    if scored.phase.guarded:
        telling = [key for key in chosen if any(isinstance(of[key], np.ndarray) for of in costs.values())]
        chosen = [key for key in chosen if key not in telling]
    if not costs or len(chosen) < 2:
        why = "no frontier: costs of items would tell which items this phase scores"
        return None, (why,) if telling else ()
    given = {name: {key: of[key] for key in chosen} for name, of in costs.items()}
    for name, of in given.items():
        if any(isinstance(one, np.ndarray) for one in of.values()):
            whole = np.zeros(len(scored.first[chosen[0]]))
            given[name] = {key: (whole + one)[hidden.rows] for key, one in of.items()}
    try:
        found = frontier(
            scored.evaluation.with_systems(chosen),
            quality=_directed(metric, direction_of(hidden.task)),
            cost=given,
            level=scored.settings.level,
            margin=hidden.task.margins.get(metric),
        )
    except UNCOMPUTED:  # such as a metric without a difference to test
        return None, (f"no frontier: it cannot be computed from {metric} and these costs",)
    without = {
        "of which costs or items are missing": [key for key in order if key not in [*chosen, *telling]],
        "whose costs of items would tell which items this phase scores": telling,
    }
    lacking = (f"the frontier is without {listed(keys)}, {why}" for why, keys in without.items() if keys)
    return publishable(found), tuple(lacking)


def items_against(scored: Scored, table: Table) -> list[ItemsAgainst]:
    """Return the items of the best systems, against the best one and the baseline.

    Labels are right or wrong, scores more or less. Of other predictions no item is won by itself.
    """
    hidden = scored.hidden
    task = hidden.task
    if not (task.scores or form_of(task) == "labels"):
        return []
    order = scored.whole([row.system for row in table.standings])
    # The best systems whose items are shown
    base = [one for one in order if one == table.baseline]
    chosen = list(dict.fromkeys([*order[:50], *base]))
    values: dict[str, FloatArray] = {}
    for key in chosen:
        answers = scored.evaluation.systems[key]
        worth = answers if hidden.gold is None else answers == hidden.gold
        values[key] = np.asarray(worth, dtype=np.float64)
    if hidden.gold is None and not table.metric.greater_is_better:
        values = {key: -answers for key, answers in values.items()}
    against = list(dict.fromkeys([*order[:1], *base]))
    return [
        ItemsAgainst(
            key,
            task.name,
            table.metric.name,
            other,
            tuple(hidden.items[values[key] > values[other]].tolist()),
            tuple(hidden.items[values[key] < values[other]].tolist()),
        )
        for key in chosen
        for other in against
        if key != other
    ]
