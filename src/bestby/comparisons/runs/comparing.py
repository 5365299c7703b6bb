"""Compare systems by several runs (random seeds) of each."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import fields, replace
from typing import Any

import numpy as np

from bestby._core import checks
from bestby._core.typing import ArrayLike
from bestby._core.versions import versions
from bestby._version import __version__
from bestby.comparisons.common import family, note_rules
from bestby.comparisons.runs.differences import chosen_test, difference_of, orders_of, oriented_test
from bestby.comparisons.runs.settings import Settings, asked
from bestby.comparisons.runs.source import Data, data_of, runs_with_gold, systems_of
from bestby.engine.base import Drawing
from bestby.engine.hierarchy import RunsWithItems
from bestby.engine.runs import FEW_FOR_MEDIANS
from bestby.inference import locations, multiplicity
from bestby.resampling import executing
from bestby.resampling.streams import seed_of
from bestby.results.base import Note, Provenance
from bestby.results.runs import RunsComparison, RunsDifference, RunsScore, Variance

FEW_RUNS = 5
"""Runs below which a note says that little is known of how they vary; of trimmed means, those kept."""


def compare_runs(
    runs: Mapping[str, Any] | Any,
    *,
    systems: Sequence[str] | None = None,
    ignore: str | Sequence[str] | None = None,
    run: str | None = None,
    item: str | Sequence[str] | None = None,
    dataset: str | None = None,
    system_column: str | None = None,
    value_column: str | None = None,
    gold: ArrayLike | str | None = None,
    metric: Any = None,
    statistic: str = "mean",
    paired: bool = False,
    clusters: ArrayLike | str | None = None,
    baseline: str | None = None,
    greater_is_better: bool | None = None,
    interval: str = "auto",
    level: float = 0.95,
    test: str = "auto",
    alternative: str = "two-sided",
    correction: str = "holm",
    margin: float | None = None,
    n_resamples: int = 10_000,
    rng: int | np.random.Generator | None = 0,
    n_jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
    executor: Executor | None = None,
) -> RunsComparison:
    """Compare systems of which each was run several times, with different random seeds.

    Parameters
    ----------
    runs : mapping of str to array_like, shape (R,) or (R, n), or to mapping of run to such, or data frame
        Per system the score of each run; or, for each run, its score on every item; or, with `gold`, its
        predictions. Paired runs in mappings are joined by their keys. The items are the same in all runs of
        all systems; the number of runs may differ. A data frame is read as a table is by `read_runs`: a
        column per system and a row per run, or a column of systems.
    systems, ignore : list of str, optional
        The systems to compare, and columns of a data frame that are no systems, by name or pattern
        (``"gpt-*"``).
    run, item, dataset, system_column, value_column : str, optional
        Columns of a data frame, as for `read_runs`.
    gold : array_like, shape (n,), or str, optional
        The gold labels or values: `runs` are then predictions. Of a data frame the name of their column.
    metric : str, Metric or callable, optional
        With items what to compute of each run, as for `compare`. Where the runs are scores already, the name
        they go by ("score" by default), which also says whether higher or lower is better: that of the metric
        of this name, or else a guess ("error_rate" and "val_loss" are lower), which a note tells.
    statistic : {"mean", "median", "trimmed_mean", "iqm"}
        What is compared of the runs: their mean, median, 20 % trimmed mean, or the mean of the middle half.
        With items the mean only.
    paired : bool
        Whether run i of one system and run i of the others share what was drawn: the seed, the split, the
        order of the data. The numbers of runs must then be equal.
    clusters : array_like, shape (n,), or str, optional
        The column of a data frame, or the cluster (document, speaker, template) of each item.
    baseline : str, optional
        Compare every other system with this one only (system minus baseline); otherwise every pair.
    greater_is_better : bool, optional
        The direction; that of the metric by default, for scores without a name True.
    interval : {"auto", "t", "bca", "percentile", "basic"}
        How intervals are made; the result names the method used. "auto" is "t" (Welch's, for paired runs
        Student's, for trimmed means Yuen's, for medians with the standard error of Price and Bonett), and for
        medians of six runs or more "percentile". With items "auto" is the t interval over items and runs, and
        there is no "bca".
    level : float
        Nominal coverage; 1 - level is the level of the tests.
    test : {"auto", "permutation", "t", "brunner-munzel", "bootstrap"}
        The significance test. "auto" gives, for means, the larger p-value of the permutation test and of
        Welch's t test (for paired runs the permutation test) if, with so many runs and pairs, the permutation
        test can give a p-value below 1 - level after correction, and the t test otherwise; for trimmed means
        Yuen's t test; for medians the bootstrap test, below six runs the t test; with items the t test over
        items and runs.
    alternative : {"two-sided", "greater", "less", "better"}
        "greater" asks whether A's score is greater than B's, also where lower is better; "better" whether A
        is better, whichever direction that is. One-sided pairs stand in the order the systems were given.
        Intervals are two-sided always.
    correction : {"holm", "bonferroni", "bh", "none"}
        How p-values are corrected; the family is all pairs.
    margin : float, optional
        The smallest difference that matters; turns on verdicts.
    n_resamples : int
        Resamples, where any are drawn; exact results draw none.
    rng : int, numpy.random.Generator or None
        The seed; None for fresh entropy, which is recorded.
    n_jobs : int
        Threads; the numbers are the same for any.
    progress : callable, optional
        Called with the number of resamples of the items done and their number.
    executor : Executor, optional
        What runs long jobs in place of threads: any ``concurrent.futures.Executor``, such as that of a
        ``dask.distributed.Client``. The numbers are the same for any.

    Returns
    -------
    RunsComparison
        Scores, differences with the probability of improvement, effect size and almost stochastic order;
        with items, what of the variance they and the runs bring.

    Raises
    ------
    InvalidInputError
        If the data or an argument cannot be used as given.
    DesignError
        If a system has one run only, or the statistic, interval or test does not fit.

    Notes
    -----
    With items, the default test and interval ask what other runs on other items would give. The items
    are one sample, shared by all runs; the runs are another. The permutation test of the runs takes the items
    as given: where items differ in which system they favour, it finds differences between equal
    systems in far more than 5 % of the cases (the guide "Comparing runs" has the numbers).

    The items' part of the variance is cluster-robust (CR2); of answers that are right or wrong it is that of
    a score interval, which has a width where accuracies are near 1 as well, except in clusters. The t
    interval is too short where few clusters carry a difference, as they do where accuracies are near 1, and
    where failures make the scores of runs skewed. The notes `few_effective` and `none_effective` tell of the
    former, and no verdict rests on such an interval.

    References
    ----------
    .. [1] Agarwal, Schwarzer, Castro, Courville & Bellemare (2021), Deep reinforcement learning at the edge
       of the statistical precipice, NeurIPS.
    .. [2] Dror, Shlomov & Reichart (2019), Deep dominance: how to properly compare deep neural models, ACL.

    Examples
    --------
    >>> from bestby import compare_runs
    >>> result = compare_runs({"new": [0.81, 0.84, 0.83, 0.86, 0.82], "old": [0.79, 0.80, 0.78, 0.81, 0.80]})
    >>> difference = result["new", "old"]
    >>> round(difference.estimate, 3), difference.interval.method, round(difference.p_value, 4)
    (0.036, 'welch', 0.0159)
    """
    settings = asked(statistic, paired, interval, level, test, alternative, correction, margin, baseline)
    drawing = Drawing(
        checks.positive_int(n_resamples, "n_resamples"),
        seed_of(rng),
        checks.positive_int(n_jobs, "n_jobs"),
        progress,
        executor=executing.checked(executor),
    )
    columns = {"run": run, "item": item, "dataset": dataset}
    columns |= {"system_column": system_column, "value_column": value_column}
    given = runs_with_gold(runs, gold, clusters, systems, ignore, columns, paired=settings.paired)
    metric = given.metric if metric is None else metric
    rows = systems_of(given.runs, paired=settings.paired)
    data = data_of(rows, given.gold, metric, given.clusters, greater_is_better, settings, drawing)
    data = replace(data, notes=(*given.notes, *data.notes))
    checks.valid_baseline(baseline, data.names)
    estimates = np.array([data.maker.estimate(s) for s in range(len(data.names))])
    order = family.ranked(estimates, data.names, data.metric.greater_is_better)
    base = None if baseline is None else data.names.index(baseline)
    alternative = settings.towards(data.metric.greater_is_better)
    pairs = family.pairs(order, base, sided=alternative != "two-sided")
    orders = orders_of(data, settings, drawing, len(pairs))
    chosen, reasons = chosen_test(data, pairs, settings)
    tests = [oriented_test(data, a, b, chosen, alternative) for a, b in pairs]
    adjusted = multiplicity.adjust([test.p_value for test in tests], settings.correction)
    differences = family.with_direction_notes(
        [
            difference_of(data, a, b, test, float(p), orders, settings)
            for (a, b), test, p in zip(pairs, tests, adjusted, strict=True)
        ],
        settings.alpha,
    )
    differences, long = family.with_one_long_note(differences)
    scores, system_notes = _scores(data, order, differences, settings)
    return RunsComparison(
        metrics=(data.metric,),
        systems=scores,
        differences=differences,
        omnibus=(),
        notes=(
            *system_notes,
            *_notes(data, settings, differences),
            *reasons,
            *long,
            *note_rules.of_resamples(data.metric.name, tests, settings.correction, settings.alpha),
        ),
        provenance=_provenance(data, settings, drawing),
        n_items=data.n_items,
        level=settings.level,
        correction=settings.correction,
        margin=settings.margin,
        baseline=settings.baseline,
        orders=orders,
        variances=_variances(data, order, pairs),
        statistic=settings.statistic,
        paired=settings.paired,
    )


def _scores(
    data: Data, order: Sequence[int], differences: Sequence[RunsDifference], settings: Settings
) -> tuple[tuple[RunsScore, ...], list[Note]]:
    names = [data.names[s] for s in order]
    lettered = settings.baseline is None
    low, high, letters = family.standings(names, differences, settings.alpha, lettered=lettered)
    entries, notes = [], note_rules.of_groups(data.metric.name, letters, lettered=lettered)
    for position, system in enumerate(order):
        interval, found = data.maker.interval(system, None, settings.interval, settings.level)
        about = (data.metric.name, names[position])
        notes += [Note(note.code, note.message, about) for note in found]
        error, error_method = data.maker.standard_error(system)
        entries.append(
            RunsScore(
                metric=data.metric.name,
                system=names[position],
                score=data.maker.estimate(system),
                interval=interval,
                rank_low=int(low[position]),
                rank_high=int(high[position]),
                group=None if letters is None else letters[position],
                runs=tuple(data.maker.scores[system].tolist()),
                standard_error=error,
                standard_error_method=error_method,
            )
        )
    return tuple(entries), notes


def _variances(data: Data, order: Sequence[int], pairs: Sequence[tuple[int, int]]) -> tuple[Variance, ...]:
    maker = data.maker
    if not isinstance(maker, RunsWithItems):
        return ()
    out = []
    for a, b in [*((s, None) for s in order), *pairs]:
        parts = maker.components(a, b)
        n_runs = tuple(maker.n_runs[s] for s in (a, b) if s is not None)
        out.append(
            Variance(
                data.names[a],
                None if b is None else data.names[b],
                parts.items,
                parts.runs,
                parts.rest,
                n_runs,
                maker.group.n_units,
            )
        )
    return tuple(out)


def _notes(data: Data, settings: Settings, differences: Sequence[RunsDifference]) -> Iterator[Note]:
    yield from data.notes
    if data.evaluation is not None:
        yield from data.evaluation.notes
        yield from note_rules.of_data(data.evaluation)
    yield from few_runs_note(min(x.size for x in data.maker.scores), settings.statistic)
    scores = dict(zip(data.names, (x.tolist() for x in data.maker.scores), strict=True))
    yield from note_rules.of_constant_runs(data.metric.name, scores)
    if settings.statistic == "mean":
        short = (d for d in differences if any(note.code == "unequal_spread" for note in d.notes))
        uneven = {name for d in short for name in (d.a, d.b)}
        yield from note_rules.of_runs(data.metric.name, scores, uneven)
    yield from note_rules.of_direction(data.metric.name, data.metric.greater_is_better, settings.alternative)
    if isinstance(data.maker, RunsWithItems) and settings.test in ("permutation", "brunner-munzel"):
        yield Note(
            "items_fixed",
            "the test takes the items as given: it asks about other runs on these very items, the intervals"
            " about other items too",
        )


def few_runs_note(fewest: int, statistic: str) -> Iterator[Note]:
    """Yield a note where the system with the fewest runs has too few to tell how much they vary."""
    kept = locations.n_kept(fewest, statistic)
    if kept >= (FEW_FOR_MEDIANS if statistic == "median" else FEW_RUNS):
        return
    of_these = "" if kept == fewest else f", of which trimming leaves {kept}"
    yield Note(
        "few_runs",
        f"a system has only {fewest} runs{of_these}: how much its runs vary is hardly known, and t intervals"
        " are as long as that makes them; if it varies more than a system with more runs, tests can reject"
        " too often",
    )


def _provenance(data: Data, settings: Settings, drawing: Drawing) -> Provenance:
    sizes = [int(x.size) for x in data.maker.scores]
    about: dict[str, Any] = {"runs": sizes, "systems": list(data.names)}
    if data.evaluation is not None:
        about = {"items": data.n_items, **about}
        if data.evaluation.clusters is not None:
            about["clusters"] = int(np.unique(data.evaluation.clusters).size)
    return Provenance(
        version=__version__,
        versions=versions(),
        seed=drawing.seed,
        n_resamples=drawing.n_resamples,
        settings={
            "metrics": [data.metric.name],
            "greater_is_better": data.metric.greater_is_better,
            **{entry.name: getattr(settings, entry.name) for entry in fields(settings)},
        },
        data=about,
        data_hash=_data_hash(data),
    )


def _data_hash(data: Data) -> str:
    if data.evaluation is not None:
        return data.evaluation.data_hash()
    digest = hashlib.blake2b(digest_size=8)
    for name, x in sorted(zip(data.names, data.maker.scores, strict=True), key=lambda entry: entry[0]):
        digest.update(f"runs {name}|{x.size}|".encode())
        digest.update(np.ascontiguousarray(x).view(np.uint8).data)
    return digest.hexdigest()
