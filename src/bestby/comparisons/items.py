"""Compare systems on one test set: the orchestration."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import ArrayLike, OnMissing
from bestby.advising import observed, tree
from bestby.comparisons.common import dependence, family, many_systems, note_rules, one_pair
from bestby.comparisons.common.settings import Settings, asked
from bestby.data.annotations import Annotations
from bestby.data.evaluation import Evaluation
from bestby.data.frames import is_table
from bestby.data.layouts.evaluations import evaluation_of_frame
from bestby.data.layouts.options import TableOptions, chosen_names, chosen_systems, with_keys
from bestby.data.layouts.soft import Soft
from bestby.engine import prepare, test_maker
from bestby.engine.base import Drawing, Pair
from bestby.engine.interval_maker import Intervals
from bestby.engine.sums import SumGroup
from bestby.engine.targets import Target
from bestby.inference import multiplicity, omnibus
from bestby.metrics import resolve
from bestby.metrics.base import BaseMetric, MeanMetric
from bestby.metrics.suitability import chosen_metrics
from bestby.resampling import executing
from bestby.resampling.streams import seed_of
from bestby.results.base import MetricInfo, Note
from bestby.results.comparison import Comparison, Difference, SystemScore
from bestby.results.pairs import Differences, Pairs
from bestby.results.values import Interval, Omnibus, TestResult
from bestby.vocabulary import allowed_names

MOST_HELD = 5000
"""Pairs, those of 100 systems, up to which every difference is made at once and held."""


def compare(
    data: Mapping[str, Any] | Evaluation | Any,
    gold: Any = None,
    *,
    systems: Sequence[str] | None = None,
    ignore: str | Sequence[str] | None = None,
    system_column: str | None = None,
    value_column: str | None = None,
    metric: Any = None,
    items: ArrayLike | None = None,
    clusters: Any = None,
    strata: Any = None,
    on_missing: str = "error",
    classes: ArrayLike | None = None,
    normalise: bool = False,
    annotators: str | None = None,
    blocks: int | None = None,
    baseline: str | None = None,
    interval: str = "auto",
    level: float = 0.95,
    simultaneous: bool = False,
    test: str = "permutation",
    alternative: str = "two-sided",
    correction: str = "holm",
    margin: float | None = None,
    n_resamples: int = 10_000,
    resample_size: float | None = None,
    rescale: bool = True,
    rng: int | np.random.Generator | None = 0,
    n_jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
    executor: Executor | None = None,
) -> Comparison:
    """Compare systems on one test set: scores, differences, intervals, tests, groups.

    Parameters
    ----------
    data : mapping of str to array_like, shape (n,), or Evaluation, or data frame, or list of dict
        Per system its predictions, or its per-item scores if there is no gold. Values may also be mappings
        of item id to prediction; systems are then aligned by id. A data frame (pandas, polars, Arrow, dask,
        DuckDB and what else narwhals takes, lazy or not) or a list of records is read as a table is by
        `read`: wide, with a column per system, or long, with a row per item and system. Columns called gold,
        item (or id), cluster and stratum are what they are called; the note ``"read_as"`` tells what was
        taken for what. The rows of a wide dask frame are counted on its workers, and only the distinct ones
        come here.
    gold : array_like, shape (n,), or mapping, or str, optional
        The gold labels or values, or the name of their column or key in `data`.
    systems, ignore : list of str, optional
        The systems to compare, and the columns (or keys) that are no systems, by name or by pattern, such as
        ``"gpt-*"``.
    system_column, value_column : str, optional
        Columns of a long table: the name of the system, and the prediction or score.
    metric : str, Metric, callable or list of them, optional
        What to compare; ``bestby metrics`` lists the names. Defaults to accuracy (real numbers are refused
        then: name a metric for them), for soft gold to cross-entropy, without gold to the mean. A callable
        takes ``(gold, predictions)`` and returns a number.
    items, clusters, strata : array_like, shape (n,), or mapping, or str, optional
        Ids of the items; the cluster (document, speaker, template) and the stratum of each item, or their
        columns (several columns may make an id: ``items=["task", "id"]``). Items of one cluster are resampled
        and swapped together. A list of two `clusters` is two crossed groupings, such as ``[templates,
        languages]``.
    on_missing : {"error", "drop", "worst"}
        What to do with items that some system lacks: those whose id is not there, or whose value is None,
        NaN, NA or masked. "drop" leaves them out for all systems; "worst" counts them as wrong.
    classes : array_like, shape (K,), optional
        The classes of soft labels, in the order of their columns. For hard labels, all labels there are:
        needed only if no system predicts a label that the gold of these items has.
    normalise : bool
        Divide every row of a soft label by its sum.
    annotators : {"fixed", "resample"}, optional
        The gold is the labels of several annotators per item: an `Annotations`, or an array of labels of
        shape (n, A). "resample" draws the annotators of each item again in every resample of the items;
        it does not go with two crossed groupings.
    blocks : int, optional
        The items are consecutive pieces of text, near ones alike: resample and swap blocks of so many. Take
        blocks much longer than the dependence reaches, and ten of them at the least.
    baseline : str, optional
        Compare every other system with this one only (system minus baseline); otherwise every pair.
    interval : {"auto", "tango", "bca", "percentile", "basic", "studentized", "normal", "cr2", "two-way"}
        How intervals are made; the result names the method used. "auto": a score interval for proportions,
        BCa where enough units carry the variance, otherwise studentized (means), normal or basic; for few or
        unequal clusters CR2, for two crossed groupings two-way.
    level : float
        Nominal coverage; 1 - level is the level of the tests.
    simultaneous : bool
        Intervals of the differences that hold for all pairs of a metric at once (max-T).
    test : {"auto", "permutation", "permutation-standardised", "bootstrap", "mcnemar", "mcnemar-midp", \
"sign", "wilcoxon", "t", "wald"}
        The significance test. "permutation" swaps predictions as they were given; of a correlation or a
        measure of ranks "permutation-standardised" swaps standard scores or ranks, which suits systems on
        different scales, but is not exact. "auto" walks the decision tree of `advise`, which ends in the
        permutation test for every comparison on one test set, and notes the path with its sources.
    alternative : {"two-sided", "greater", "less", "better"}
        "greater" asks whether A's score is greater than B's, on the scale of the measure, also
        where lower is better; "better" whether A is better, whichever direction that is. One-sided pairs
        stand in the order the systems were given. Intervals are two-sided always.
    correction : {"holm", "bonferroni", "bh", "none"}
        How p-values are corrected; the family is all pairs of one metric.
    margin : float, optional
        The smallest difference that matters. Turns on verdicts: better or worse (the whole interval
        beyond the margin), equivalent (two one-sided tests), inconclusive.
    n_resamples : int
        Resamples, where any are drawn; exact results draw none.
    resample_size : float or int, optional
        Draw so many of the items (clusters) for each bootstrap resample, as a fraction or a number: m out of
        n. All by default.
    rescale : bool
        Multiply the deviations of such resamples by the root of m / n, as the score of all n items varies so
        much less. Without it, p-values and intervals are those of an experiment of m items.
    rng : int, numpy.random.Generator or None
        The seed; None for fresh entropy, which is recorded.
    n_jobs : int
        Threads; the numbers are the same for any.
    progress : callable, optional
        Called with the number of resamples done and their number.
    executor : Executor, optional
        What runs long jobs in place of threads: any ``concurrent.futures.Executor``, such as that of a
        ``dask.distributed.Client``. The numbers are the same for any.

    Returns
    -------
    Comparison
        Scores, differences, tests, groups, notes and provenance.

    Raises
    ------
    InvalidInputError
        If the data or an argument cannot be used as given.
    DesignError
        If the metric, interval or test does not fit the data: where labels are compared, for example,
        probabilities, or predictions of which none is a label of the gold.

    Notes
    -----
    Where a metric reads probabilities, one number from 0 to 1 per item is the probability of the greater of
    two gold labels; a note says so.

    Scores are on the scale of the measure; a difference is A minus B, whichever direction is better.

    Examples
    --------
    >>> from bestby import compare
    >>> gold = [1, 0, 1, 1, 0, 1, 0, 0, 1, 1]
    >>> result = compare({"a": gold, "b": [1, 1, 1, 0, 0, 0, 0, 1, 0, 1]}, gold=gold)
    >>> difference = result["a", "b"]
    >>> difference.estimate, difference.test.method, difference.p_value
    (0.5, 'enumeration', 0.0625)
    """
    settings = asked(
        interval,
        level,
        simultaneous,
        test,
        alternative,
        correction,
        margin,
        baseline,
        resample_size,
        rescale,
        annotators,
        blocks,
    )
    if annotators is not None and gold is not None and not isinstance(gold, Annotations):
        if isinstance(gold, str):
            raise InvalidInputError(
                f"with annotators, gold must be one list of labels per item, got {quoted(gold)}",
                hint="pass systems={name: frame[name], ...} and gold=frame[[...]], one column per annotator",
            )
        gold = Annotations.of(gold, classes)
    labels = {"classes": classes, "normalise": normalise, "objects": of_objects(metric)}
    columns = {"systems": systems, "ignore": ignore}
    columns |= {"system_column": system_column, "value_column": value_column}
    evaluation = _evaluation(data, gold, items, clusters, strata, on_missing, labels, columns)
    checks.valid_baseline(baseline, evaluation.names)
    dependence.check(evaluation, settings)
    metrics, reading_notes = chosen_metrics(metric, {"": evaluation})
    drawing = Drawing(
        checks.positive_int(n_resamples, "n_resamples"),
        seed_of(rng),
        checks.positive_int(n_jobs, "n_jobs"),
        progress,
        settings.resample_size,
        settings.rescale,
        executing.checked(executor),
    )
    data_notes = [
        *note_rules.of_data(evaluation),
        *reading_notes,
        *note_rules.of_labels(evaluation, metrics),
    ]
    parts: dict[int, _Part] = {}
    annotators_seed = drawing.seed if settings.annotators == "resample" else None
    for group, positions in prepare.groups(
        evaluation,
        metrics,
        annotators_seed=annotators_seed,
        blocks=settings.blocks,
        supports=prepare.ALL_GROUPINGS,
        consumer="compare",
    ):
        data_notes += [
            note for note in note_rules.of_drawing(group, drawing, settings) if note not in data_notes
        ]
        makers = Intervals(group, drawing)
        for m, position in enumerate(positions):
            parts[position] = _compared(makers, m, metrics[position], evaluation, settings)
    ordered = [parts[position] for position in range(len(metrics))]
    return Comparison(
        metrics=tuple(MetricInfo(m.name, m.greater_is_better, m.bounds) for m in metrics),
        systems=tuple(score for part in ordered for score in part.systems),
        differences=_together([part.differences for part in ordered]),
        omnibus=tuple(part.omnibus for part in ordered if part.omnibus is not None),
        notes=(
            *note_rules.of_reading(evaluation, metrics),
            *data_notes,
            *(n for part in ordered for n in part.notes),
        ),
        provenance=note_rules.provenance(evaluation, metrics, settings, drawing),
        n_items=evaluation.n_items,
        level=settings.level,
        correction=settings.correction,
        margin=settings.margin,
        baseline=settings.baseline,
        n_clusters=evaluation.n_clusters,
    )


# -- arguments -------------------------------------------------------------------------------------


def _evaluation(
    data: Any,
    gold: Any,
    items: Any,
    clusters: Any,
    strata: Any,
    on_missing: str,
    labels: Mapping[str, Any],
    columns: Mapping[str, Any],
) -> Evaluation:
    missing: OnMissing = checks.choice(on_missing, allowed_names("on_missing", "items"), "on_missing")
    if isinstance(data, Evaluation):
        given = (gold, items, clusters, strata, labels["classes"])
        if any(argument is not None for argument in given) or missing != "error" or labels["normalise"]:
            raise InvalidInputError(
                "an Evaluation already holds gold, classes, items, clusters and strata, with nothing missing",
                hint="pass them to Evaluation.of instead",
            )
        names = chosen_names(data.names, columns["systems"], columns["ignore"])
        return data if names == list(data.names) else data.with_systems(names)
    is_long = columns["system_column"] is not None or columns["value_column"] is not None
    if is_table(data) or (is_long and isinstance(data, Mapping)):
        if gold is not None and not isinstance(gold, str):
            raise InvalidInputError(
                f"for a data frame gold is the name of a column, got {type(gold).__name__}",
                hint="pass {name: frame[name], ...} as the data to give the gold itself",
            )
        options = TableOptions.of(
            gold,
            items,
            clusters,
            strata,
            on_missing=missing,
            soft=dataclasses.replace(
                Soft.of(labels["classes"], labels["normalise"]), objects=labels["objects"]
            ),
            **columns,
        )
        return evaluation_of_frame(data, options, "this metric" if labels["objects"] else None)
    side = {"gold": gold, "items": items, "clusters": clusters, "strata": strata}
    data, side = with_keys(data, side)
    return Evaluation.of(
        chosen_systems(data, columns["systems"], columns["ignore"]), **side, on_missing=missing, **labels
    )


def of_objects(metric: Any) -> bool:
    """Return whether all metrics read the items as they are, not as labels or numbers."""
    specs = metric if isinstance(metric, list | tuple) else [metric]
    return bool(specs) and all(spec is not None and resolve(spec).reads == "objects" for spec in specs)


def names_objects(name: str | None) -> bool:
    """Return whether a name is that of such a metric; scores, which have names too, may be called anything.

    >>> names_objects("em"), names_objects("f1_macro"), names_objects("my score"), names_objects(None)
    (True, False, False, False)
    """
    try:
        return of_objects(name)
    except InvalidInputError:
        return False


def needs_items(metric: Any) -> bool:
    """Return whether some metric needs every item, so that equal items cannot be counted beforehand."""
    specs = metric if isinstance(metric, list | tuple) else [] if metric is None else [metric]
    return not all(prepare.takes_counts(resolve(spec)) for spec in specs)


# -- one metric ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Part:
    systems: tuple[SystemScore, ...]
    differences: tuple[Difference, ...] | Pairs
    omnibus: Omnibus | None
    notes: tuple[Note, ...]


def _together(parts: Sequence[tuple[Difference, ...] | Pairs]) -> tuple[Difference, ...] | Differences:
    """Return the differences of all metrics: as a tuple, or made when asked for if they are very many."""
    if sum(len(part) for part in parts if isinstance(part, Pairs)) > MOST_HELD:
        return Differences(tuple(parts))
    return tuple(difference for part in parts for difference in part)


def _compared(
    makers: Intervals, m: int, asked_for: BaseMetric, evaluation: Evaluation, settings: Settings
) -> _Part:
    metric = makers.group.metrics[m]
    names = evaluation.names
    scores = makers.scores[m]
    if not np.isfinite(scores).all():
        bad = int(np.flatnonzero(~np.isfinite(scores))[0])
        raise InvalidInputError(
            f"metric {metric.name} is undefined for system {quoted(names[bad])} on these data",
            hint="a class or all variation is missing; choose another metric or look at the predictions",
        )
    order = family.ranked(scores, names, metric.greater_is_better)
    base = None if settings.baseline is None else names.index(settings.baseline)
    alternative = settings.towards(metric.greater_is_better)
    line = family.line(order, base, sided=alternative != "two-sided")
    counted = many_systems.counted(makers, m, line, base, settings)
    if counted is not None:
        return _counted(counted, makers, m, asked_for, order, evaluation, settings)
    pairs = [(m, a, b) for a, b in family.pairs(order, base, sided=alternative != "two-sided")]
    test, path = _test(makers, pairs, evaluation, settings)
    tests = test_maker.run(test, makers, pairs, alternative)
    adjusted = multiplicity.adjust([tests[pair].p_value for pair in pairs], settings.correction)
    found = _intervals(makers, pairs, settings)
    differences = family.with_direction_notes(
        [
            _difference(makers, pair, tests[pair], float(p), found[pair], evaluation, settings)
            for pair, p in zip(pairs, adjusted, strict=True)
        ],
        settings.alpha,
    )
    standings = family.standings(
        [evaluation.names[system] for system in order],
        differences,
        settings.alpha,
        lettered=settings.baseline is None,
    )
    systems, notes = _systems(makers, m, order, standings, evaluation, settings)
    return _Part(
        systems,
        differences,
        _omnibus(makers, m),
        (
            *path,
            *notes,
            *note_rules.of_metric(makers.group, m, tests, settings),
            *note_rules.of_swaps(makers.group, m, tests, names, settings.test),
            *note_rules.of_exchangeability(makers.group, m, tests, names, settings.alpha),
            *note_rules.of_samples(makers.group, m, pairs, evaluation),
            *dependence.of_metric(makers.group, asked_for, pairs, evaluation, settings),
        ),
    )


def _counted(
    counts: many_systems.Counts,
    makers: Intervals,
    m: int,
    asked_for: BaseMetric,
    order: list[int],
    evaluation: Evaluation,
    settings: Settings,
) -> _Part:
    """Return the same as `_compared` where the counts of discordant items are all there is to know."""
    metric = makers.group.metrics[m]
    alternative = settings.towards(metric.greater_is_better)
    test, path = _test(makers, [counts.widest(m)], evaluation, settings)
    differences = many_systems.pairs(counts, makers, m, test, alternative, evaluation, settings)
    standings = family.standings_of(
        many_systems.beaten(differences, order, settings.alpha), lettered=settings.baseline is None
    )
    systems, notes = _systems(makers, m, order, standings, evaluation, settings)
    told = counts.told(m)
    of_pairs = [
        *note_rules.of_samples(makers.group, m, told, evaluation),
        *dependence.of_metric(makers.group, asked_for, told, evaluation, settings),
    ]
    if len(told) < len(differences):
        which = " (of the differences with the first system and of those between neighbours)"
        of_pairs = [dataclasses.replace(note, message=note.message + which) for note in of_pairs]
    of_metric = note_rules.of_metric(makers.group, m, {}, settings)
    return _Part(systems, differences, _omnibus(makers, m), (*path, *notes, *of_metric, *of_pairs))


def _test(
    makers: Intervals, pairs: Sequence[Pair], evaluation: Evaluation, settings: Settings
) -> tuple[str, tuple[Note, ...]]:
    """Return the test asked for; for "auto" that at the end of the tree, with a note of the path."""
    if makers.group.crossed:
        return dependence.of_test(settings.test, makers.group)
    if settings.test != "auto":
        return settings.test, ()
    metric = pairs[0][0]
    path, end = tree.walk(observed.case_of(makers.group, metric, evaluation, pairs))
    message = f"test {end.test}, because: " + " ".join(
        f"({number}) {step.question} {step.answer.capitalize()} [{step.source}]."
        for number, step in enumerate(path, 1)
    )
    return end.test, (Note("advice", message, (makers.group.metrics[metric].name,)),)


_Found = tuple[Interval | None, Interval | None, tuple[Note, ...]]


def _intervals(makers: Intervals, pairs: Sequence[Pair], settings: Settings) -> dict[Pair, _Found]:
    """Return per pair the interval, the one for two one-sided tests, and notes."""
    targets = [Target(*pair) for pair in pairs]
    if settings.simultaneous:
        together, notes = makers.simultaneous(targets, settings.level)
        return {pair: (found, found, notes) for pair, found in zip(pairs, together, strict=True)}
    result: dict[Pair, _Found] = {}
    for pair, target in zip(pairs, targets, strict=True):
        method, doubts = one_pair.chosen(makers, target, settings.interval)
        found, notes = makers.interval(target, method, settings.level)
        tost, tost_level = found, family.equivalence_level(settings.level, settings.margin)
        if tost_level is not None:
            tost = makers.interval(target, method, tost_level)[0]
        result[pair] = (found, tost, (*notes, *doubts))
    return result


def _difference(
    makers: Intervals,
    pair: Pair,
    test: TestResult,
    p_adjusted: float,
    found: _Found,
    evaluation: Evaluation,
    settings: Settings,
) -> Difference:
    interval, tost, notes = found
    m, a, b = pair
    metric, scores = makers.group.metrics[m], makers.scores[m]
    both = (float(scores[a]), float(scores[b]))
    interval, tost = (family.on_marks(one, both, settings.margin) for one in (interval, tost))
    return dataclasses.replace(
        one_pair.difference(makers, pair, evaluation, test, interval, settings.level, notes),
        p_adjusted=p_adjusted,
        verdict=family.verdict(interval, tost, settings.margin, metric.greater_is_better),
        margin=settings.margin,
        equivalence_interval=None if settings.margin is None else tost,
    )


def _systems(
    makers: Intervals,
    m: int,
    order: list[int],
    standings: family.Standings,
    evaluation: Evaluation,
    settings: Settings,
) -> tuple[tuple[SystemScore, ...], tuple[Note, ...]]:
    metric = makers.group.metrics[m]
    low, high, labels = standings
    entries: list[SystemScore] = []
    notes = list(note_rules.of_groups(metric.name, labels, lettered=settings.baseline is None))
    for position, system in enumerate(order):
        target = Target(m, system)
        method, doubts = one_pair.chosen(makers, target, settings.interval)
        interval, found = makers.interval(target, method, settings.level)
        name = evaluation.names[system]
        notes += [Note(note.code, note.message, (metric.name, name)) for note in (*found, *doubts)]
        error, error_method = one_pair.standard_error(makers, target, interval)
        entries.append(
            SystemScore(
                metric.name,
                name,
                makers.estimate(target),
                interval,
                int(low[position]),
                int(high[position]),
                None if labels is None else labels[position],
                standard_error=error,
                standard_error_method=error_method,
            )
        )
    return tuple(entries), tuple(notes)


def _omnibus(makers: Intervals, m: int) -> Omnibus | None:
    """Return Cochran's Q for 0/1 values, Friedman's test for other means, over items or cluster means."""
    group = makers.group
    if not isinstance(group, SumGroup) or not isinstance(group.metrics[m], MeanMetric) or group.crossed:
        return None
    if group.n_systems < 3:
        return None
    means, counts = test_maker.unit_means(group, m)
    binary = not group.table.clustered and bool(np.isin(means, (0.0, 1.0)).all())
    name, test = ("cochran_q", omnibus.cochran_q) if binary else ("friedman", omnibus.friedman)
    statistic, df, p = test(means, counts)
    return Omnibus(group.metrics[m].name, name, statistic, df, p)
