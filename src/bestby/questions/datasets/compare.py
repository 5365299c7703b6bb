"""Compare systems over several datasets: on how many they differ, by how much, and how they rank."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from bestby._core import checks, rounding
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.typing import Correction, FloatArray, OnMissing, Question, Rng, Statistic
from bestby.comparisons import best, note_rules, per_dataset, provenance, swap_notes
from bestby.comparisons.family import adjusted, oriented, ranked, with_direction_notes
from bestby.comparisons.incomplete import notes_on_few_shared
from bestby.comparisons.per_dataset import Options
from bestby.comparisons.settings import check_reach
from bestby.data.evaluation import Evaluation
from bestby.data.reading import Reading, checked_reading
from bestby.data.roles import TableOptions
from bestby.data.table import backend_of
from bestby.engine.base import Drawing
from bestby.engine.text_statistics import Counting
from bestby.inference import skewness
from bestby.metrics import resolve
from bestby.metrics.functions import name_and_direction
from bestby.questions.datasets import ranking
from bestby.questions.datasets.differences import adjusted_within, counts_of, differences_inside
from bestby.questions.datasets.overall_items import clipped, few_items_notes, has_errors
from bestby.questions.datasets.result import DatasetComparison, RankDifference
from bestby.questions.datasets.source import (
    DatasetScores,
    Source,
    check_outer,
    means_of_runs,
    on_one_scale,
    refuse_p_values,
    run_scores,
    scores_of,
    source_of,
    without_runs,
)
from bestby.questions.runs.source import Settings
from bestby.report.comparison import Difference, winner_at
from bestby.report.replicability import Counts, Names, Replicability
from bestby.report.reported import with_backend
from bestby.resampling.settings import Resampling, combined_settings
from bestby.results.base import MetricInfo, Note, notes_about
from bestby.results.values import Friedman
from bestby.vocabulary import (
    DatasetQuestion,
    DatasetRunsInterval,
    DatasetTest,
    ItemInterval,
    ItemTest,
    RunsTest,
    allowed_names,
)


@with_suggestions
def compare_datasets(
    data: Any,
    gold: str | None = None,
    *,
    metric: Any = None,
    statistic: Statistic = "mean",
    systems: str | Sequence[str] | None = None,
    baseline: str | None = None,
    items: str | Sequence[str] | None = None,
    dataset: str | None = None,
    datasets: DatasetQuestion = "auto",
    outer: Literal["dataset", "system"] | None = None,
    run: str | None = None,
    clusters: str | None = None,
    on_missing: OnMissing = "error",
    reading: Reading | None = None,
    normalise: Literal["minmax"] | Mapping[str, tuple[float, float]] | None = None,
    paired: bool = False,
    interval: ItemInterval | DatasetRunsInterval | None = "auto",
    test: ItemTest | RunsTest | None = "auto",
    across: DatasetTest = "auto",
    correction: Correction = "holm",
    level: float = 0.95,
    alternative: Question = "two-sided",
    margin: float | None = None,
    rng: Rng = 0,
    n_resamples: int = 10_000,
    resampling: Resampling | None = None,
) -> DatasetComparison:
    """Compare systems over several datasets.

    Parameters
    ----------
    data : mapping, Evaluation, data frame or array
        A table of scores: a mapping of dataset to a mapping of system to score, or a frame with a row per
        dataset and a column per system, or one with columns dataset, system and score. Runs: the same with
        several scores in place of one, ``{"news": {"new": [0.71, 0.74]}}`` (or a mapping of run to score),
        frames with a column run or seed too, an array of shape (systems, datasets, runs), or a mapping of
        system to array of shape (datasets, runs); the numbers of runs may differ. Items: a mapping of dataset
        to Evaluation, an Evaluation whose strata are the datasets, or a frame with a row per item. Results of
        `compare`: a mapping of dataset to Comparison. The note ``"read_as"`` says which names of a table were
        taken for datasets and which for systems.
    gold : str, optional
        The column of the gold in a frame with a row per item.
    metric : str, Metric or callable, optional
        What to compute of items; as for `compare`. For a table of scores, a name for them.
    statistic : {"mean", "median", "trimmed_mean", "iqm"}
        What is compared of several runs on a dataset, as for `compare_runs`, and, if it is not the mean, of
        the runs of all datasets together.
    systems : str or list of str, optional
        The systems to compare (all by default), by name or by pattern, such as ``"gpt-*"``.
    baseline : str, optional
        Compare every other system with this one only.
    items : str or list of str, optional
        The column of item ids in a frame with a row per item; several columns together make an item id.
    dataset : str, optional
        The column of a frame that names the dataset; "dataset" or "task" by default.
    datasets : {"auto", "fixed", "random"}
        Whether the answer is about the mean over these very datasets, whose items or runs vary ("fixed"), or
        about other datasets like these, of which these are a sample ("random"). "auto" is "fixed" where every
        dataset has items or several runs, else, and with a test `across`, "random". The headline gives the
        other answer in one sentence.
    outer : {"dataset", "system"}, optional
        What the outer keys of a mapping of mappings of scores are: datasets by default, ``"system"`` for
        ``{system: {dataset: score}}``.
    run : str, optional
        The column of a frame that names the run; "run" or "seed" by default.
    clusters : str, optional
        The column of the clusters in a frame with a row per item.
    on_missing : {"error", "drop", "worst", "pairs"}
        Where a system has no score on a dataset, or a single one where others have several runs: refuse, or
        leave the dataset out, with a note. Where rows of a frame are items, the same for items; "worst"
        counts them as wrong. "pairs", of scores: compare every two systems on the datasets that both have,
        and rank them by these comparisons; of several runs on a dataset the mean counts then.
    reading : Reading, optional
        How the data are read: `ignore`, `system_column` and `value_column`.
    normalise : "minmax" or mapping of str to (float, float), optional
        Bring the scores of a table, or of runs, to one scale: per dataset the two scores that become 0 and 1,
        such as those of chance and of people; or "minmax", the lowest and the highest score on each dataset.
    paired : bool
        Whether run i of one system and run i of the others on a dataset share what was drawn, such as the
        seed. They are joined by their names where they have names.
    interval : str or None
        How intervals are made, as for `compare`, inside each dataset and of the mean difference. Of runs
        "auto", "t" or "percentile", as for `compare_runs`. None: no intervals and no standard errors, which
        saves their time.
    test : str or None
        The test inside each dataset, as for `compare`; of runs, as for `compare_runs`. "auto" is
        what it is there. None: no test, inside the
        datasets or over them, so no p-values, no counts of datasets with a difference and no tests of ranks,
        which saves their time.
    across : {"auto", "t", "hall", "wilcoxon", "sign", "permutation"}
        The test of each pair over the datasets. "t", "hall" and "permutation" ask whether the mean difference
        is 0, the quantity that is estimated and has the interval (the permutation test takes the differences
        to be symmetric); "auto" is "t", and from 15 datasets on "hall", which allows for skewness. "wilcoxon"
        asks whether the differences are symmetric about 0, "sign" whether each system wins on half of the
        datasets; a note says so. Another than "auto" asks about datasets like these (`datasets`).
    correction : {"holm", "bonferroni", "bh", "none"}
        Over the pairs, for the tests over the datasets. Inside one pair, the datasets are corrected by Holm.
    level : float
        Nominal coverage; 1 - level is the level of the tests.
    alternative : {"two-sided", "greater", "less", "better"}
        Of the tests inside the datasets and over them; A against B on the scale of the scores, or "better"
        for whether A is better, whichever direction that is.
    margin : float, optional
        The smallest difference that matters; turns on verdicts, of the mean difference over the datasets and
        on each dataset. They need intervals.
    rng, n_resamples, resampling
        As for `compare`.

    Returns
    -------
    DatasetComparison
        The differences inside each dataset and over all of them, counts of datasets with a difference, and
        ranks; of runs also almost stochastic order on each dataset and the probability of improvement.

    Raises
    ------
    InvalidInputError
        If the data or an argument cannot be used as given.
    DesignError
        If the metric, interval or test does not fit the data, or a system has one run only. Items in two
        crossed groupings take ``test="wald"``.

    See Also
    --------
    replicability : On how many datasets there is an effect, from one p-value per dataset.
    read_datasets : Scores or items of datasets from files.
    compare : One dataset.
    compare_runs : Several runs on one dataset.

    Notes
    -----
    Several runs of each system on each dataset answer three questions. On each dataset `within` has what
    `compare_runs` gives, the p-values corrected over the datasets of a pair (Holm) and the level of almost
    stochastic order divided by the number of datasets, pairs and directions. `replicability` counts the
    datasets with a difference. The mean difference over the datasets has two intervals in `overall`: one for
    other runs on these very datasets (``"runs"``), Student's t with the summed variances of the datasets and
    Satterthwaite's degrees of freedom, and one that takes the datasets as a sample of others like them
    (``"datasets"``), whose variance includes that of the runs. With two or three datasets the latter is long.
    The ranks in `runs` are those that the tests of the former leave open.

    With ``statistic="iqm"`` `overall` also has the interquartile mean of all runs of all datasets together
    (micro) [3]_, and with ``"median"`` or ``"trimmed_mean"`` these; every dataset has the same weight. Such a
    statistic needs scores on one scale: `normalise`. Its interval is Student's t from the winsorized runs of
    each dataset; ``interval="percentile"`` is the stratified bootstrap of [3]_, which is too short for few
    runs, as a note says, and which medians have in any case.

    References
    ----------
    .. [1] Demsar (2006), Statistical Comparisons of Classifiers over Multiple Data Sets, JMLR 7, 1-30.
    .. [2] Dror, Baumer, Bogomolov and Reichart (2017), Replicability Analysis for Natural Language
       Processing, TACL 5, 471-486.
    .. [3] Agarwal, Schwarzer, Castro, Courville and Bellemare (2021), Deep reinforcement learning at the edge
       of the statistical precipice, NeurIPS.

    Examples
    --------
    >>> table = {
    ...     "news": {"old": 0.71, "new": 0.74},
    ...     "talks": {"old": 0.63, "new": 0.66},
    ...     "legal": {"old": 0.58, "new": 0.57},
    ...     "bio": {"old": 0.55, "new": 0.61},
    ... }
    >>> result = compare_datasets(table)
    >>> (
    ...     round(result["new", "old"].estimate, 4),
    ...     result.wins("new", "old"),
    ...     result.average_ranks,
    ... )
    (0.0275, (3, 0, 1), (1.25, 1.75))
    """
    how = checked_reading(reading, "compare_datasets", "ignore system_column value_column")
    resampling = combined_settings(
        resampling, n_resamples, rng, function="compare_datasets", unused="resample_size rescale"
    )
    drawing = Drawing.of(resampling)
    checks.choice(across, allowed_names("across", "datasets"), "across")
    checks.choice(datasets, allowed_names("datasets"), "datasets")
    if datasets == "fixed":
        checks.refuse_unused("the mean over these very datasets", across=(across, "auto"))
    checks.choice(on_missing, allowed_names("on_missing", "datasets"), "on_missing")
    columns: dict[str, Any] = {"dataset": dataset, "run": run, "gold": gold, "items": items}
    columns |= {"clusters": clusters, "system_column": how.system_column, "value_column": how.value_column}
    check_outer(data, outer)
    refuse_p_values(data)
    per_dataset.refuse_columns(data, columns)
    table_options = TableOptions.of(
        gold, items, clusters, systems=systems, reading=how, on_missing=on_missing
    )
    source = without_runs(source_of(data, outer, dataset, table_options, run))
    if on_missing == "pairs":
        source = means_of_runs(source)
        if source.table is None and source.runs is None:
            raise DesignError(
                'on_missing="pairs" takes scores of systems on datasets, not items or comparisons of them',
                hint='pass a table of the scores on each dataset, or on_missing="drop"',
            )
    options, settings = _settings(
        source, across, normalise, statistic=statistic, paired=paired, interval=interval, level=level,
        test=test, alternative=alternative, correction=correction, margin=margin, baseline=baseline,
    )  # fmt: skip
    counting = Counting.of(drawing)
    metric, greater_is_better = name_and_direction(metric)
    scores = _scores(source, metric, greater_is_better, on_missing, settings, drawing, counting)
    scores = on_one_scale(scores, normalise)
    scores = dataclasses.replace(scores, matrix=rounding.levelled(scores.matrix))
    check_reach(options.margin, scores.metric, [scores.matrix])
    baseline = checks.valid_baseline(baseline, scores.names)
    settings = None if settings is None else settings.among(scores.names)
    options = dataclasses.replace(options, alternative=oriented(alternative, scores.metric.greater_is_better))
    asked = _named(scores, options, settings, alternative, across) | {"baseline": baseline}
    asked |= {"on_missing": on_missing} if scores.with_gaps else {}
    varying = _varying(scores, datasets, across)
    asked["datasets"] = "random" if varying == "datasets" else "fixed"
    result = _compared(scores, options, settings, asked, drawing, counting, across, varying)
    return with_backend(result, backend_of(data))


def _settings(source: Source, across: str, normalise: Any, **asked: Any) -> tuple[Options, Settings | None]:
    """Return the settings of all differences, and those of runs if there are any, checked."""
    shared = {name: value for name, value in asked.items() if name not in ("statistic", "paired", "baseline")}
    if asked["test"] is None:
        checks.refuse_unused("a comparison without tests (test=None)", across=(across, "auto"))
    if source.runs is not None:
        return Options.checked("dataset_runs", **shared), Settings.checked("dataset_runs", **asked)
    if source.table is None:
        where = "items, and comparisons of items, whose metric has a scale"
        checks.refuse_unused(where, normalise=(normalise, None))
    options = Options.checked("datasets", **shared)
    _refuse_unused(source, **asked)
    return options, None


def _refuse_unused(
    source: Source, *, interval: str | None, test: str | None, statistic: str, paired: bool, **_: Any
) -> None:
    """Refuse options of runs where there are none, and of items where there are scores."""
    checks.refuse_unused(
        "data without several runs on each dataset", statistic=(statistic, "mean"), paired=(paired, False)
    )
    if source.items is not None:
        return
    if test != "permutation":
        checks.refuse_unused(
            "scores or comparisons of datasets, which hold no items to test", test=(test or "auto", "auto")
        )
    if interval == "tango":
        where = "mean differences over datasets, which are not proportions"
        checks.refuse_unused(where, interval=(interval, "auto"))


def _scores(
    source: Source,
    metric: Any,
    greater_is_better: bool | None,
    on_missing: str,
    settings: Settings | None,
    drawing: Drawing,
    counting: Counting,
) -> DatasetScores:
    """Return scores without gaps; `settings` are those of runs."""
    metric = source.metric if metric is None else metric
    if settings is None:
        return scores_of(source, metric, greater_is_better, on_missing, drawing, counting)
    return run_scores(source, metric, greater_is_better, on_missing, settings, drawing, counting)


def _named(
    scores: DatasetScores, options: Options, settings: Settings | None, alternative: Question, across: str
) -> dict[str, Any]:
    """Return the settings for the provenance: those of tests only where there are tests, and so on."""
    asked = options.by_name()
    if options.test is not None:
        asked |= {"alternative": alternative, "across": across}
    if settings is not None:
        asked |= {"statistic": settings.statistic, "paired": settings.paired}
    if scores.ranges is not None:
        asked["normalise"] = scores.ranges
    return {"metrics": [scores.metric.name], **asked}


def _compared(
    scores: DatasetScores,
    options: Options,
    settings: Settings | None,
    asked: Mapping[str, Any],
    drawing: Drawing,
    counting: Counting,
    across: str,
    varying: str,
) -> DatasetComparison:
    """Compare scores on one scale; `settings` are those of runs, and `asked` is all that was asked for."""
    baseline, fixed = asked["baseline"], varying != "datasets"
    order, average = _ordered(scores, by_mean=fixed)
    pairs = per_dataset.pairs_of(order, scores.names, baseline, options.alternative)
    over = dataclasses.replace(
        options, test=None if options.test is None else _over(across, len(scores.datasets))
    )
    scores, pairs = _with_pairs(scores, pairs)
    if scores.with_gaps:
        sampled, doubts = _in_pairs(scores, pairs, over, across, drawing)
    else:
        sampled, doubts = _across(scores, pairs, over, drawing)
    inside = differences_inside(scores, pairs, sampled, options, settings, drawing, counting)
    differences = with_direction_notes(inside.over_these, options.alpha) if fixed else sampled
    friedman, ranks, cd = _ranking(scores, order, average, pairs, options, baseline)
    counts = counts_of(inside.within, pairs, options)
    matrix = per_dataset.in_order(scores.matrix, scores.names, order)
    notes = _notes(scores, pairs, counts, inside.within, options)
    if fixed:
        notes += [] if options.bare else few_items_notes(scores)
    else:
        fewest = min((d.n_items for d in sampled), default=len(scores.datasets))
        notes += _notes_on_datasets(scores.metric.name, fewest, len(pairs), options, over.test) + doubts
    below = per_dataset.below_half_notes(scores.estimates, "dataset", scores.names, options.level)
    means = tuple(math.fsum(column) / column.size for column in map(_present, matrix.T))
    may_be_best = None
    if fixed and inside.interval is not None:
        may_be_best = best.set_by_bonferroni(
            dict(zip(order, means, strict=True)),
            inside.interval,
            options,
            baseline,
            greater_is_better=scores.metric.greater_is_better,
        )
    return DatasetComparison(
        metric=scores.metric,
        datasets=scores.datasets,
        systems=order,
        scores=matrix,
        means=means,
        average_ranks=average,
        differences=differences,
        within=adjusted_within(inside.within, counts, options.level),
        replicability=Counts(counts, options.alternative),
        overall=inside.overall,
        friedman=friedman,
        ranking=ranks,
        critical_difference=cd,
        notes=(*scores.notes, *notes, *inside.notes, *below),
        provenance=provenance.made_by(drawing, asked, scores.about(), scores.data_hash),
        level=options.level,
        correction=options.corrected_by,
        margin=options.margin,
        baseline=baseline,
        runs=inside.runs,
        ranges=scores.ranges,
        varying=varying,
        **best.fields_of_best(may_be_best, scores.metric.name, order, options.level),
    )


def _varying(scores: DatasetScores, datasets: str, across: str) -> str:
    """Return what the tests and intervals of the mean difference take to vary."""
    inside = "runs" if scores.runs else "items" if has_errors(scores) else None
    if datasets == "fixed" and inside is None:
        raise DesignError(
            "one score per dataset does not show how sure the mean over these very datasets is",
            hint='pass items or several runs of each dataset, or datasets="random"',
            argument="datasets",
        )
    asked = datasets == "random" or across != "auto"
    return "datasets" if asked or inside is None else inside


def _ordered(scores: DatasetScores, *, by_mean: bool) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """Return the systems, the best first by mean score or by average rank, and their average ranks."""
    better = scores.metric.greater_is_better
    average_ranks = ranking.ranks_by_pairs if scores.with_gaps else ranking.average_ranks
    ranks = average_ranks(scores.matrix, greater_is_better=better)
    order = ranked(ranks, scores.names, False)
    if by_mean:
        order = ranked(scores.matrix.mean(axis=0), scores.names, better)
    return tuple(scores.names[s] for s in order), tuple(ranks[order].tolist())


def _over(across: str, n_datasets: int) -> str:
    """Return the test over so many datasets: those of means allow for skewness where it shows."""
    if across != "auto":
        return across
    return "hall" if n_datasets >= skewness.FROM_UNITS else "t"


def _across(
    scores: DatasetScores, pairs: Sequence[Names], options: Options, drawing: Drawing
) -> tuple[tuple[Difference, ...], list[Note]]:
    """Return mean differences and tests with the datasets as items, and notes on their shape."""
    columns = {name: scores.matrix[:, i] for i, name in enumerate(scores.names)}
    evaluation = Evaluation.of(columns, items=list(scores.datasets))
    measure = resolve("mean" if scores.metric.greater_is_better else "mean_loss")
    # The means are no proportions; Student's t of the mean is what items call "normal".
    method = {"tango": "auto", "t": "normal"}.get(options.interval or "", options.interval)
    estimates = per_dataset.intervals_on(evaluation, measure, drawing, "scores")
    over = dataclasses.replace(options, interval=method)
    by_datasets = per_dataset.differences(estimates, evaluation, pairs, over, "datasets")
    names = evaluation.names
    tests = {(names.index(d.a), names.index(d.b)): d.test for d in by_datasets if d.test is not None}
    doubts = swap_notes.exchangeability_notes(
        estimates, tests, names, options.correction, options.alpha, "datasets"
    )
    doubts = [dataclasses.replace(note, about=(scores.metric.name, *note.about[1:])) for note in doubts]
    differences = [_over_datasets(d, scores.metric) for d in adjusted(by_datasets, options.correction)]
    return with_direction_notes(differences, options.alpha), doubts


def _present(column: FloatArray) -> FloatArray:
    """Return the scores that are there."""
    return column[~np.isnan(column)]


def _with_pairs(scores: DatasetScores, pairs: tuple[Names, ...]) -> tuple[DatasetScores, tuple[Names, ...]]:
    """Return scores and the pairs that have two datasets in common, with a note on others."""
    if not scores.with_gaps:
        return scores, pairs
    there = dict(zip(scores.names, ~np.isnan(scores.matrix.T), strict=True))
    enough = tuple((a, b) for a, b in pairs if int((there[a] & there[b]).sum()) > 1)
    if not enough:
        raise InvalidInputError(
            "no system has scores on two datasets in common with the baseline",
            hint="give more scores, or compare without a baseline",
        )
    few = notes_on_few_shared((), [pair for pair in pairs if pair not in enough], "2 datasets")
    return dataclasses.replace(scores, notes=(*scores.notes, *few)), enough


def _in_pairs(
    scores: DatasetScores, pairs: Sequence[Names], options: Options, across: str, drawing: Drawing
) -> tuple[tuple[Difference, ...], list[Note]]:
    """Return mean differences and tests, those of each pair over the datasets both have."""
    differences: list[Difference] = []
    doubts: dict[tuple[str, tuple[str, ...]], Note] = {}
    for pair in pairs:
        places = [scores.names.index(name) for name in pair]
        shared = np.flatnonzero(~np.isnan(scores.matrix[:, places]).any(axis=1))
        two = dataclasses.replace(
            scores,
            names=pair,
            datasets=tuple(scores.datasets[row] for row in shared),
            matrix=scores.matrix[shared][:, places],
        )
        test = None if options.test is None else _over(across, shared.size)
        found, doubts_of_pair = _across(two, [pair], dataclasses.replace(options, test=test), drawing)
        differences += found
        doubts |= {(note.code, note.about): note for note in doubts_of_pair}
    family_of_pairs = adjusted(differences, options.correction)
    return with_direction_notes(family_of_pairs, options.alpha), [*doubts.values()]


def _over_datasets(d: Difference, metric: MetricInfo) -> Difference:
    """Return a difference of means as that of the metric.

    Where the difference is the same on all datasets there is no interval, and the test has only its signs.
    """
    if any(note.code == "constant_difference" for note in d.notes):
        by_signs = d.n_differing > 0 and d.test is not None and d.test.name == "t"
        note = note_rules.same_on_all("datasets", by_signs=by_signs)
        d = dataclasses.replace(d, notes=notes_about((note,), metric.name, d.a, d.b))
    return dataclasses.replace(
        d,
        metric=metric.name,
        interval=clipped(d.interval, metric),
        equivalence_interval=clipped(d.equivalence_interval, metric),
    )


def _ranking(
    scores: DatasetScores,
    order: Sequence[str],
    average: Sequence[float],
    pairs: Sequence[Names],
    options: Options,
    baseline: str | None,
) -> tuple[Friedman | None, tuple[RankDifference, ...], float | None]:
    k, n = len(order), len(scores.datasets)
    if k < 3 or options.test is None or scores.with_gaps:  # these tests are of complete blocks
        return None, (), None
    base = None if baseline is None else order.index(baseline)
    by_holm = ranking.holm_ranks(average, n, base)
    by_nemenyi = None if base is not None else ranking.nemenyi(average, n)
    differences = []
    for a, b in pairs:
        i, j = order.index(a), order.index(b)
        p = None if by_nemenyi is None else float(by_nemenyi[i, j])
        differences.append(RankDifference(a, b, average[i] - average[j], p, float(by_holm[i, j])))
    cd = None if base is not None else ranking.critical_difference(k, n, options.alpha)
    return ranking.friedman(scores.matrix), tuple(differences), cd


def _notes(
    scores: DatasetScores,
    pairs: Sequence[Names],
    counts: Mapping[Names, Replicability],
    tests: Mapping[str, tuple[Difference, ...]],
    options: Options,
) -> list[Note]:
    """Return notes on what is not pooled, and on what the datasets do not agree on."""
    notes = []
    obstacle = per_dataset.obstacle_to_pooling(scores.items) if scores.items else None
    if scores.items and scores.measure is None:
        obstacle = "the datasets have metrics of their own"
    if obstacle is not None:
        notes.append(Note("not_pooled", f"there is no difference on all items pooled (micro): {obstacle}"))
    if options.interval is not None and any(c.level != options.level for c in scores.compared.values()):
        notes.append(
            Note("levels_differ", "the intervals on the datasets have the level of their own comparisons")
        )
    for position, pair in enumerate(pairs):
        with_effect = counts[pair].found if pair in counts else ()
        winners = {winner_at(tests[name][position], options.alpha) for name in with_effect} - {None}
        if len(winners) > 1:
            notes.append(
                Note(
                    "both_directions",
                    "the datasets with a difference do not agree on which system is better",
                    (scores.metric.name, *pair),
                )
            )
    return notes


def _notes_on_datasets(metric: str, n: int, n_pairs: int, options: Options, across: str | None) -> list[Note]:
    """Return notes on what n datasets show; `across` is the test over them, None without one."""
    if across is not None:
        return _notes_on_test(metric, n, n_pairs, options, across)
    if options.interval is not None and n < _FEWEST_FOR_SHAPE:
        return [_few_datasets(n, "the interval of the mean holds")]
    return []


_ASKS = {
    "wilcoxon": "the differences are symmetric about 0 (their pseudo-median is 0)",
    "sign": "each system wins on half of the datasets",
}
"""What tests over the datasets ask that is not about the mean."""


_FEWEST_FOR_SHAPE = 11
"""Datasets below which nothing shows whether the differences are skewed."""


def _few_datasets(n: int, what: str) -> Note:
    text = f"{n} datasets do not show whether the differences between them are skewed: {what}"
    return Note("few_datasets", f"{text} if they are roughly symmetric")


def _notes_on_test(metric: str, n: int, n_pairs: int, options: Options, across: str) -> list[Note]:
    """Return notes on what the test of each pair over n datasets can show, and what it asks."""
    family = 1 if options.correction == "none" else n_pairs
    sides = 2.0 if options.alternative == "two-sided" else 1.0
    least = min(1.0, sides * 0.5**n * family)
    notes = []
    if across not in ("t", "hall") and least > options.alpha:
        limit = f"with {n} datasets and {family} comparisons" if family > 1 else f"with {n} datasets"
        limit += f" the p-value of the {across} test over datasets cannot be below {least:.2g} (corrected)"
        notes.append(Note("few_datasets", limit))
    elif n < _FEWEST_FOR_SHAPE and across in swap_notes.TESTS_OF_MEANS:
        both = "" if options.interval is None else " and the interval of the mean"
        notes.append(_few_datasets(n, f"the {across} test{both} hold{'' if both else 's'}"))
    if across in _ASKS:
        mean = "the estimate is" if options.interval is None else "the estimate and the interval are"
        text = (
            f"the {across} test over the datasets asks whether {_ASKS[across]}, but {mean} of the mean"
            " difference: if differences are skewed the two may disagree, and a"
            ' small p-value is not evidence about the mean; across="t" tests the mean'
        )
        notes.append(Note("not_the_mean", text, (metric,)))
    return notes
