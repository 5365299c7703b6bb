"""Compare systems over several datasets: on how many they differ, by how much, and how they rank."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from typing import Any, overload

import numpy as np

from bestby._core import checks
from bestby.comparisons.common import note_rules, one_pair, per_dataset
from bestby.comparisons.common.family import alpha_of, shown_better, with_direction_notes
from bestby.comparisons.common.per_dataset import Asked
from bestby.comparisons.datasets.source import Inside, check_outer, inside_of, is_p_values, source_of
from bestby.data.evaluation import Evaluation
from bestby.data.layouts.options import TableOptions
from bestby.engine.base import Drawing
from bestby.engine.targets import Target
from bestby.inference import clusters, multiplicity, ranking
from bestby.inference.distributions import replicates
from bestby.inference.intervals import normal, percentile
from bestby.inference.replicability import replicability
from bestby.metrics import resolve
from bestby.metrics.base import BaseMetric
from bestby.resampling import executing
from bestby.resampling.streams import seed_of
from bestby.results.base import MetricInfo, Note
from bestby.results.comparison import Difference
from bestby.results.datasets import Counts, DatasetComparison, Names, Overall, RankDifference
from bestby.results.replicability import Replicability
from bestby.results.values import Friedman, Interval, defined
from bestby.vocabulary import allowed_names

FEWEST_FOR_SHAPE = 11
"""Datasets below which nothing shows whether the differences are skewed."""

ASKS = {
    "wilcoxon": "the differences are symmetric about 0 (their pseudo-median is 0)",
    "sign": "each system wins on half of the datasets",
}
"""What tests over the datasets ask that is not about the mean."""


@overload
def compare_datasets(data: Mapping[str, float], *, level: float = ...) -> Replicability: ...
@overload
def compare_datasets(
    data: Any,
    *,
    outer: str | None = ...,
    dataset: str | None = ...,
    systems: Sequence[str] | None = ...,
    ignore: str | Sequence[str] | None = ...,
    gold: str | None = ...,
    item: str | Sequence[str] | None = ...,
    cluster: str | None = ...,
    system_column: str | None = ...,
    value_column: str | None = ...,
    metric: Any = ...,
    greater_is_better: bool | None = ...,
    on_missing: str = ...,
    baseline: str | None = ...,
    interval: str = ...,
    level: float = ...,
    test: str = ...,
    across: str = ...,
    alternative: str = ...,
    correction: str = ...,
    n_resamples: int = ...,
    rng: int | np.random.Generator | None = ...,
    n_jobs: int = ...,
    progress: Callable[[int, int], None] | None = ...,
    executor: Executor | None = ...,
) -> DatasetComparison: ...
def compare_datasets(
    data: Any,
    *,
    outer: str | None = None,
    dataset: str | None = None,
    systems: Sequence[str] | None = None,
    ignore: str | Sequence[str] | None = None,
    gold: str | None = None,
    item: str | Sequence[str] | None = None,
    cluster: str | None = None,
    system_column: str | None = None,
    value_column: str | None = None,
    metric: Any = None,
    greater_is_better: bool | None = None,
    on_missing: str = "error",
    baseline: str | None = None,
    interval: str = "auto",
    level: float = 0.95,
    test: str = "permutation",
    across: str = "t",
    alternative: str = "two-sided",
    correction: str = "holm",
    n_resamples: int = 10_000,
    rng: int | np.random.Generator | None = 0,
    n_jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
    executor: Executor | None = None,
) -> DatasetComparison | Replicability:
    """Compare systems over several datasets.

    Parameters
    ----------
    data : mapping, Evaluation or data frame
        A table of scores: a mapping of dataset to a mapping of system to score, or a frame with a row per
        dataset and a column per system, or one with columns dataset, system and score. Items: a mapping of
        dataset to Evaluation, an Evaluation whose strata are the datasets, or a frame with a row
        per item. Results of `compare`: a mapping of dataset to Comparison. One p-value per dataset: a
        mapping of dataset to number, which gives what `replicability` gives. The note ``"read_as"`` says
        which names of a table were taken for datasets and which for systems.
    outer : {"dataset", "system"}, optional
        What the outer keys of a mapping of mappings of scores are: datasets by default, ``"system"`` for
        ``{system: {dataset: score}}``.
    dataset : str, optional
        The column of a frame that names the dataset; "dataset" or "task" by default.
    systems : list of str, optional
        The systems (columns of a frame, or patterns such as ``"gpt-*"``) to compare; all by default.
    ignore : str or list of str, optional
        Columns of a frame that are not systems, or patterns.
    gold, cluster, item : str, optional
        Columns of a frame with a row per item; several columns may make an item id: ``item=["task", "id"]``.
    system_column, value_column : str, optional
        Columns of a frame with a row per dataset (or item) and system.
    metric : str, Metric or callable, optional
        What to compute of items; as for `compare`. For a table of scores, a name for them.
    greater_is_better : bool, optional
        The direction of the scores in a table. By default that of the metric they are named after, or a guess
        from the name, which a note tells; without a name True. Items: the metric knows.
    on_missing : {"error", "drop", "worst"}
        Where a system has no score on a dataset: refuse, or leave the dataset out, with a note. Where rows of
        a frame are items, the same for items; "worst" counts them as wrong.
    baseline : str, optional
        Compare every other system with this one only.
    interval, level, test, n_resamples, rng, n_jobs, progress, executor
        As for `compare`; `interval` and `test` are those inside each dataset.
    across : {"t", "wilcoxon", "sign", "permutation"}
        The test of each pair over the datasets. "t" and "permutation" ask whether the mean difference is 0,
        the quantity that is estimated and has the interval (the permutation test takes the differences to be
        symmetric). "wilcoxon" asks whether the differences are symmetric about 0, "sign" whether each system
        wins on half of the datasets; a note says so.
    alternative : {"two-sided", "greater", "less"}
        Of the tests inside the datasets and over them; A against B on the scale of the scores.
    correction : {"holm", "bonferroni", "bh", "none"}
        Over the pairs, for the tests over the datasets. Inside one pair, the datasets are corrected by Holm.

    Returns
    -------
    DatasetComparison or Replicability
        The latter for one p-value per dataset.

    Raises
    ------
    InvalidInputError
        If the data or an argument cannot be used as given.
    DesignError
        If the metric, interval or test does not fit the data. Items in two crossed groupings take
        ``test="wald"``.

    References
    ----------
    .. [1] Demsar (2006), Statistical Comparisons of Classifiers over Multiple Data Sets, JMLR 7, 1-30.
    .. [2] Dror, Baumer, Bogomolov and Reichart (2017), Replicability Analysis for Natural Language
       Processing, TACL 5, 471-486.

    Examples
    --------
    >>> table = {"news": {"old": 0.71, "new": 0.74}, "talks": {"old": 0.63, "new": 0.66},
    ...          "legal": {"old": 0.58, "new": 0.57}, "bio": {"old": 0.55, "new": 0.61}}
    >>> result = compare_datasets(table)
    >>> round(result["new", "old"].estimate, 4), result.wins("new", "old"), result.average_ranks
    (0.0275, (3, 0, 1), (1.25, 1.75))
    """
    asked = Asked(
        checks.choice(interval, allowed_names("interval", "datasets"), "interval"),
        checks.choice(test, allowed_names("test", "datasets"), "test"),
        checks.probability(level, "level"),
        checks.choice(alternative, allowed_names("alternative", "datasets"), "alternative"),
    )
    checks.choice(across, allowed_names("across", "datasets"), "across")
    checks.choice(correction, allowed_names("correction"), "correction")
    checks.choice(on_missing, allowed_names("on_missing", "datasets"), "on_missing")
    check_outer(data, outer)
    _refuse_unused(
        data,
        columns={"dataset": dataset, "gold": gold, "item": item, "cluster": cluster, "ignore": ignore}
        | {"system_column": system_column, "value_column": value_column},
        inside={"test": (test, "permutation")},
        other={
            "systems": (systems, None),
            "metric": (metric, None),
            "greater_is_better": (greater_is_better, None),
            "baseline": (baseline, None),
            "interval": (interval, "auto"),
            "across": (across, "t"),
            "alternative": (alternative, "two-sided"),
            "correction": (correction, "holm"),
        },
    )
    if is_p_values(data):
        return replicability(data, alpha=alpha_of(asked.level))
    drawing = Drawing(
        checks.positive_int(n_resamples, "n_resamples"),
        seed_of(rng),
        checks.positive_int(n_jobs, "n_jobs"),
        progress,
        executor=executing.checked(executor),
    )
    options = TableOptions.of(
        gold, item, cluster, systems=systems, ignore=ignore, on_missing=on_missing,
        system_column=system_column, value_column=value_column,
    )  # fmt: skip
    source = source_of(data, outer, dataset, options)
    inside = inside_of(source, metric, greater_is_better, on_missing, drawing)
    order, average = _ordered(inside)
    pairs = per_dataset.pairs_of(order, inside.names, baseline, asked.alternative)
    tests = _within(inside, pairs, asked)
    differences, doubts = _across(inside, pairs, dataclasses.replace(asked, test=across), correction, drawing)
    overall = _overall(inside, pairs, differences, asked, drawing)
    friedman, ranks, cd = _ranking(inside, order, average, pairs, asked.level, baseline)
    counts = _counts(tests, pairs, asked.level)
    scores = inside.matrix[:, [inside.names.index(name) for name in order]]
    scores.flags.writeable = False
    settings = {"metrics": [inside.metric.name], **dataclasses.asdict(asked), "across": across}
    return DatasetComparison(
        metric=inside.metric,
        datasets=inside.datasets,
        systems=order,
        scores=scores,
        means=tuple(float(mean) for mean in scores.mean(axis=0)),
        average_ranks=average,
        differences=differences,
        within=_adjusted(tests, counts, asked.level),
        replicability=Counts(counts, asked.alternative),
        overall=overall,
        friedman=friedman,
        ranking=ranks,
        critical_difference=cd,
        notes=(
            *inside.notes,
            *_notes(inside, pairs, counts, tests, asked, across, correction),
            *doubts,
            *_undefined(overall, inside.metric.name),
        ),
        provenance=per_dataset.provenance(
            {**settings, "correction": correction, "baseline": baseline},
            {"datasets": len(inside.datasets), "systems": list(inside.names), **inside.sizes()},
            inside.data_hash,
            drawing,
        ),
        level=asked.level,
        correction=correction,
        baseline=baseline,
    )


def _refuse_unused(
    data: Any,
    columns: Mapping[str, Any],
    inside: Mapping[str, tuple[Any, Any]],
    other: Mapping[str, tuple[Any, Any]],
) -> None:
    """Refuse options that this form of the data has no use for: those of frames, of items, of scores."""
    if isinstance(data, Evaluation | Mapping):
        named = {name: (value, None) for name, value in columns.items()}
        checks.refuse_unused("data other than a data frame, because it names a column", **named)
    if is_p_values(data):
        checks.refuse_unused("p-values, which are results of tests", **inside, **other)
    elif isinstance(data, Mapping) and not any(isinstance(part, Evaluation) for part in data.values()):
        checks.refuse_unused("scores or comparisons of datasets, which hold no items to test", **inside)
        tango = ("tango", "auto") if other["interval"][0] == "tango" else ("auto", "auto")
        checks.refuse_unused("mean differences over datasets, which are not proportions", interval=tango)


# -- pairs -----------------------------------------------------------------------------------------


def _ordered(inside: Inside) -> tuple[tuple[str, ...], tuple[float, ...]]:
    better = inside.metric.greater_is_better
    average = dict(
        zip(
            inside.names,
            ranking.average_ranks(inside.matrix, greater_is_better=better).tolist(),
            strict=True,
        )
    )
    order = tuple(sorted(inside.names, key=lambda name: (average[name], name)))
    return order, tuple(average[name] for name in order)


def _within(inside: Inside, pairs: Sequence[Names], asked: Asked) -> dict[str, tuple[Difference, ...]]:
    if inside.compared:
        return {
            name: tuple(comparison[a, b, inside.metric.name] for a, b in pairs)
            for name, comparison in inside.compared.items()
        }
    return {
        name: per_dataset.differences(makers, inside.items[name], pairs, asked)
        for name, makers in inside.makers.items()
    }


def _counts(
    tests: Mapping[str, tuple[Difference, ...]], pairs: Sequence[Names], level: float
) -> dict[Names, Replicability]:
    if not tests:
        return {}
    alpha = alpha_of(level)
    return {
        pair: replicability({name: found[i].p_value for name, found in tests.items()}, alpha=alpha)
        for i, pair in enumerate(pairs)
    }


def _adjusted(
    tests: Mapping[str, tuple[Difference, ...]], counts: Mapping[Names, Replicability], level: float
) -> dict[str, tuple[Difference, ...]]:
    """Return the differences inside the datasets with Holm's p-values over the datasets."""
    return {
        name: tuple(
            dataclasses.replace(
                d, notes=tuple(dataclasses.replace(note, about=(name, *note.about)) for note in d.notes)
            )
            for d in with_direction_notes(
                [dataclasses.replace(d, p_adjusted=counts[d.a, d.b].p_adjusted[position]) for d in found],
                alpha_of(level),
            )
        )
        for position, (name, found) in enumerate(tests.items())
    }


def _across(
    inside: Inside, pairs: Sequence[Names], asked: Asked, correction: str, drawing: Drawing
) -> tuple[tuple[Difference, ...], list[Note]]:
    """Return mean differences and tests with the datasets as items, and notes on their shape."""
    columns = {name: inside.matrix[:, i] for i, name in enumerate(inside.names)}
    evaluation = Evaluation.of(columns, items=list(inside.datasets))
    measure = resolve("mean")
    method = "auto" if asked.interval == "tango" else asked.interval  # the means are no proportions
    makers = per_dataset.makers_of(evaluation, measure, drawing, "scores")
    found = [
        dataclasses.replace(d, interval=_clipped(d.interval, inside.metric))
        for d in per_dataset.differences(
            makers, evaluation, pairs, dataclasses.replace(asked, interval=method)
        )
    ]
    adjusted = multiplicity.adjust([d.p_value for d in found], correction)
    names = evaluation.names
    tests = {(0, names.index(d.a), names.index(d.b)): d.test for d in found}
    doubts = note_rules.of_exchangeability(makers.group, 0, tests, names, alpha_of(asked.level), "datasets")
    doubts = [dataclasses.replace(note, about=(inside.metric.name, *note.about[1:])) for note in doubts]
    differences = with_direction_notes(
        [
            dataclasses.replace(
                _as_of_t(d, inside.metric.name),
                metric=inside.metric.name,
                greater_is_better=inside.metric.greater_is_better,
                p_adjusted=float(p),
            )
            for d, p in zip(found, adjusted, strict=True)
        ],
        alpha_of(asked.level),
    )
    return differences, doubts


def _as_of_t(d: Difference, metric: str) -> Difference:
    """Return a difference over datasets with what holds of Student's t, test and interval.

    Student's interval holds for any number of normal differences; other notes are about their shape. Where
    the difference is the same on all datasets, the test has only its signs, and there is no interval.
    """
    if d.interval is not None and d.interval.method == "normal":
        of_number = {"few_effective"} | ({"few_differing"} if d.n_differing == d.n_items else set())
        d = dataclasses.replace(d, notes=tuple(note for note in d.notes if note.code not in of_number))
    if d.test.name != "t" or d.test.method != "enumeration" or d.n_differing == 0:
        return d
    text = (
        "the difference is the same on all datasets, so nothing shows how far it varies: there is no"
        " interval, and the p-value is what the signs alone say"
    )
    return dataclasses.replace(
        d,
        interval=None,
        standard_error=0.0,
        standard_error_method="formula",
        notes=(Note("no_variance", text, (metric, d.a, d.b)),),
    )


def _clipped(interval: Interval | None, metric: MetricInfo) -> Interval | None:
    if interval is None:
        return None
    reach = metric.bounds[1] - metric.bounds[0]
    return dataclasses.replace(interval, low=max(interval.low, -reach), high=min(interval.high, reach))


# -- all datasets together -------------------------------------------------------------------------


def _overall(
    inside: Inside,
    pairs: Sequence[Names],
    differences: Sequence[Difference],
    asked: Asked,
    drawing: Drawing,
) -> tuple[Overall, ...]:
    found = [
        Overall(
            d.a, d.b, "macro", "datasets", d.estimate, d.interval, d.standard_error, d.standard_error_method
        )
        for d in differences
    ]
    if inside.items and inside.measure is not None:
        found += _macro_over_items(inside, differences, asked.level, drawing)
        found += _micro(inside, inside.measure, pairs, asked, drawing)
    place = {pair: i for i, pair in enumerate(pairs)}
    return tuple(sorted(found, key=lambda entry: place[entry.a, entry.b]))


def _macro_over_items(
    inside: Inside, differences: Sequence[Difference], level: float, drawing: Drawing
) -> list[Overall]:
    """Return intervals of the mean difference for other items of the same datasets."""
    pairs = [(inside.names.index(d.a), inside.names.index(d.b)) for d in differences]
    crossed = any(makers.group.crossed for makers in inside.makers.values())
    ends = _macro_by_formula(inside, pairs, level) if crossed else _macro_drawn(inside, pairs, level, drawing)
    method = "two-way" if crossed else "percentile"
    found = []
    for d, (low, high, error) in zip(differences, ends, strict=True):
        interval, _ = defined(Interval(low, high, level, method, exact=crossed))
        found.append(
            Overall(
                d.a,
                d.b,
                "macro",
                "items",
                d.estimate,
                _clipped(interval, inside.metric),
                error,
                None if error is None else "two-way" if crossed else "bootstrap",
            )
        )
    return found


_Ends = tuple[float, float, float | None]
"""The ends of an interval, and the standard error."""


def _macro_drawn(
    inside: Inside, pairs: Sequence[tuple[int, int]], level: float, drawing: Drawing
) -> list[_Ends]:
    """Return percentile intervals and standard errors, items redrawn inside each dataset."""
    total = np.zeros((drawing.n_resamples, len(inside.names)))
    for name, makers in inside.makers.items():
        own = dataclasses.replace(drawing, seed=per_dataset.derived_seed(drawing.seed, name))
        total += makers.group.bootstrap(own)[:, 0, :] / len(inside.makers)
    intervals: list[_Ends] = []
    for a, b in pairs:
        drawn = total[:, a] - total[:, b]
        kept = drawn[np.isfinite(drawn)]
        scale = float(np.abs(inside.matrix).max())
        if kept.size:
            error = float(kept.std(ddof=1)) if kept.size > 1 else None
            intervals.append((*percentile(replicates(kept, scale), level), error))
        else:
            intervals.append((math.nan, math.nan, None))
    return intervals


def _macro_by_formula(inside: Inside, pairs: Sequence[tuple[int, int]], level: float) -> list[_Ends]:
    """Return intervals from the standard errors inside the datasets, which two crossed groupings need."""
    intervals: list[_Ends] = []
    for a, b in pairs:
        errors = [makers.group.error(0, a, b) for makers in inside.makers.values()]
        known = [error for error in errors if error is not None]
        assert len(known) == len(errors)  # two crossed groupings go with functions of sums only
        error = clusters.mean_error(known)
        estimate = float(np.mean(inside.matrix[:, a] - inside.matrix[:, b]))
        intervals.append((*normal(estimate, error.se, level, df=max(error.df, 1.0)), error.se))
    return intervals


def _micro(
    inside: Inside, measure: BaseMetric, pairs: Sequence[Names], asked: Asked, drawing: Drawing
) -> list[Overall]:
    """Return the differences on all items pooled: items redrawn inside datasets, then whole datasets."""
    if per_dataset.obstacle_to_pooling(inside.items) is not None:
        return []
    whole = per_dataset.pooled(inside.items, inside.names)
    labels = [name for name, part in inside.items.items() for _ in range(part.n_items)]
    by_dataset = dataclasses.replace(whole, strata=None, clusters=np.array(labels, dtype=np.str_))
    found = []
    for resampled, evaluation in (("items", whole), ("datasets", by_dataset)):
        makers = per_dataset.makers_of(evaluation, measure, drawing, "all datasets pooled")
        for a, b in pairs:
            target = Target(0, inside.names.index(a), inside.names.index(b))
            method, _ = one_pair.chosen(makers, target, "auto")
            interval, _ = makers.interval(target, method, asked.level)
            error = one_pair.standard_error(makers, target, interval)
            found.append(Overall(a, b, "micro", resampled, makers.estimate(target), interval, *error))
    return found


def _ranking(
    inside: Inside,
    order: Sequence[str],
    average: Sequence[float],
    pairs: Sequence[Names],
    level: float,
    baseline: str | None,
) -> tuple[Friedman | None, tuple[RankDifference, ...], float | None]:
    k, n = len(order), len(inside.datasets)
    if k < 3:
        return None, (), None
    base = None if baseline is None else order.index(baseline)
    by_holm = ranking.holm_ranks(average, n, base)
    by_nemenyi = None if base is not None else ranking.nemenyi(average, n)
    found = []
    for a, b in pairs:
        i, j = order.index(a), order.index(b)
        p = None if by_nemenyi is None else float(by_nemenyi[i, j])
        found.append(RankDifference(a, b, average[i] - average[j], p, float(by_holm[i, j])))
    cd = None if base is not None else ranking.critical_difference(k, n, alpha_of(level))
    return ranking.friedman(inside.matrix), tuple(found), cd


def _undefined(overall: Sequence[Overall], metric: str) -> list[Note]:
    """Return a note for every difference over all datasets that has no interval."""
    template = (
        "no interval of the {} difference ({} resampled): the measure is undefined on every resample, so the"
        " uncertainty of the difference is unknown"
    )
    return [
        Note(
            "undefined_interval", template.format(entry.average, entry.resampled), (metric, entry.a, entry.b)
        )
        for entry in overall
        if entry.interval is None and entry.resampled + entry.average != "datasetsmacro"
    ]


# -- notes -----------------------------------------------------------------------------------------


def _notes(
    inside: Inside,
    pairs: Sequence[Names],
    counts: Mapping[Names, Replicability],
    tests: Mapping[str, tuple[Difference, ...]],
    asked: Asked,
    across: str,
    correction: str,
) -> list[Note]:
    n = len(inside.datasets)
    family = 1 if correction == "none" else len(pairs)
    sides = 2.0 if asked.alternative == "two-sided" else 1.0
    least = min(1.0, sides * 0.5**n * family)
    notes = []
    if across != "t" and least > alpha_of(asked.level):
        told = f"with {n} datasets and {family} comparisons" if family > 1 else f"with {n} datasets"
        told += f" the p-value of the {across} test over datasets cannot be below {least:.2g} (corrected)"
        notes.append(Note("few_datasets", told))
    elif n < FEWEST_FOR_SHAPE and across in note_rules.TESTS_OF_MEANS:
        told = (
            f"{n} datasets do not show whether the differences between them are skewed: the {across} test and"
            " the interval of the mean hold if they are roughly symmetric"
        )
        notes.append(Note("few_datasets", told))
    if across in ASKS:
        told = (
            f"the {across} test over the datasets asks whether {ASKS[across]}, but the estimate and the"
            " interval are of the mean difference: where differences are skewed the two need not agree, and a"
            ' small p-value is no evidence about the mean; across="t" tests the mean'
        )
        notes.append(Note("not_the_mean", told, (inside.metric.name,)))
    obstacle = per_dataset.obstacle_to_pooling(inside.items) if inside.items else None
    if obstacle is not None:
        notes.append(Note("not_pooled", f"there is no difference on all items pooled (micro): {obstacle}"))
    if any(comparison.level != asked.level for comparison in inside.compared.values()):
        notes.append(
            Note("levels_differ", "the intervals inside the datasets keep the level they were made with")
        )
    for position, pair in enumerate(pairs):
        found = counts[pair].found if pair in counts else ()
        ahead = {shown_better(tests[name][position], alpha_of(asked.level)) for name in found} - {None}
        if len(ahead) > 1:
            notes.append(
                Note(
                    "both_directions",
                    "the datasets with a difference do not agree on which system is better",
                    (inside.metric.name, *pair),
                )
            )
    return notes
