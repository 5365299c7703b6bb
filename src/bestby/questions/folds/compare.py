"""Compare systems by cross-validation: fold-wise scores, or out-of-fold predictions of every item."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Literal

from bestby._core import checks
from bestby._core.keywords import with_suggestions
from bestby._core.typing import Correction, FloatArray, Question, Rng
from bestby.comparisons import best, equivalence, note_rules, per_dataset
from bestby.comparisons.family import (
    Bounds,
    adjusted,
    oriented,
    ranked,
    with_direction_notes,
    with_equivalence,
    with_verdict,
)
from bestby.comparisons.per_dataset import Options
from bestby.comparisons.provenance import made_by
from bestby.comparisons.settings import check_reach
from bestby.data.reading import Reading, checked_reading
from bestby.data.roles import TableOptions
from bestby.data.table import backend_of
from bestby.engine.base import Drawing
from bestby.engine.text_statistics import Counting
from bestby.inference import classical
from bestby.inference.best import SetOfBest
from bestby.inference.multiplicity import rejects
from bestby.metrics.functions import name_and_direction
from bestby.questions.folds import crossvalidation
from bestby.questions.folds.result import FoldComparison, PairTests, Spread
from bestby.questions.folds.source import Folds, Labels, folds_of_items, folds_of_scores, read
from bestby.report.comparison import Difference
from bestby.report.replicability import Counts, Names, Replicability, replicability
from bestby.report.reported import with_backend
from bestby.resampling.settings import Resampling, combined_settings
from bestby.results.base import Note, notes_about
from bestby.results.values import Interval, TestResult, defined
from bestby.vocabulary import FoldTest, ItemInterval, ItemTest, allowed_names


@with_suggestions
def compare_folds(
    data: Any,
    gold: str | None = None,
    *,
    metric: Any = None,
    systems: str | Sequence[str] | None = None,
    baseline: str | None = None,
    items: str | Sequence[str] | None = None,
    fold: str | None = None,
    repetition: str | None = None,
    clusters: str | None = None,
    reading: Reading | None = None,
    ratio: float | None = None,
    required: int | Literal["all"] = "all",
    interval: ItemInterval | None = "auto",
    test: FoldTest | None = "auto",
    inside: ItemTest = "auto",
    correction: Correction = "holm",
    level: float = 0.95,
    alternative: Question = "two-sided",
    margin: float | None = None,
    rng: Rng = 0,
    n_resamples: int = 10_000,
    resampling: Resampling | None = None,
) -> FoldComparison:
    """Compare systems that were trained and scored on the folds of one data set.

    Parameters
    ----------
    data : mapping, Evaluation or data frame
        Scores of folds: a mapping of system to an array of shape (K,) or (r, K) for r repetitions, or to a
        mapping of fold to score, which are joined by fold, or a frame with a row per fold. Out-of-fold
        predictions: an Evaluation whose strata are the folds, a mapping of repetition to such, or a frame
        with a row per item (and repetition). Repetitions may come without their folds (no strata, no such
        column): then each is compared by itself, and nothing is said about the learners.
    gold : str, optional
        The column of the gold in a frame with a row per item.
    metric : str, Metric or callable, optional
        What to compute of items; as for `compare`. For scores of folds, a name for them.
    systems : str or list of str, optional
        The systems to compare (all by default), by name or by pattern, such as ``"gpt-*"``.
    baseline : str, optional
        Compare every other system with this one only.
    items : str or list of str, optional
        The column of item ids in a frame with a row per item; several columns together make an item id.
    fold, repetition : str, optional
        Columns of a frame; "fold" and "repetition" by default.
    clusters : str, optional
        The column of the clusters in a frame with a row per item.
    reading : Reading, optional
        How the data are read: `ignore`, `system_column` and `value_column`.
    ratio : float, optional
        Items tested over items trained on, in one fold. By default that of cross-validation: 1 / (K - 1),
        or from the sizes of the folds. Give it for random splits: 0.25 if a fifth is tested.
    required : int or "all"
        How many folds must have an effect for test "k-bonferroni" to reject.
    interval : str or None
        How intervals of the pooled predictions of one repetition are made, as for `compare`. None: no
        intervals and no standard errors, over the folds neither, which saves their time.
    test : str or None
        The test of each pair, by a name in the table of the guide "Choosing a test"; all that apply are in
        `tests`. "auto": the corrected resampled t test, and for several repetitions of 3 or more folds, or
        random splits, the one whose correction allows for common training items, too. The interval is the one
        of this test, so that the two agree; the 5x2 cv tests and "k-bonferroni" have none, and come with the
        interval of "auto". None: no test, over the folds or inside them, so no p-values and no counts of
        folds with an effect, which saves their time; the interval is that of "auto".
    inside : str
        The test inside a fold and on the pooled predictions of one repetition; as `test` of `compare`.
    correction : {"holm", "bonferroni", "bh", "none"}
        Over the pairs.
    level : float
        Nominal coverage; 1 - level is the level of the tests.
    alternative : {"two-sided", "greater", "less", "better"}
        A against B on the scale of the scores, or "better" for whether A is better, whichever direction that
        is.
    margin : float, optional
        The smallest difference that matters; turns on verdicts, from the corrected interval.
    rng, n_resamples, resampling
        As for `compare`.

    Returns
    -------
    FoldComparison
        Differences with corrected intervals and tests; with items also the effect inside each fold and the
        spread of conclusions over the repetitions.

    Raises
    ------
    InvalidInputError
        If the data or an argument cannot be used as given.
    DesignError
        If the test does not fit the data.

    See Also
    --------
    read_folds : Scores or items of folds from files.
    compare : One test set.
    compare_runs : Several runs on one split.

    Notes
    -----
    The difference, its interval and its test are about the learners: the expected difference of systems that
    are trained on as many items as in one fold, over all training sets. The correlation of the folds cannot
    be estimated, so it is assumed; the note `correlation_assumed` says how much, and where that is wrong.

    Repetitions without their folds have no such difference: `differences` is empty, and `within` and `spread`
    hold what single repetitions say. They share their items, so that the number of repetitions with a
    difference is no sample size; the note `no_folds` says so.

    References
    ----------
    .. [1] Nadeau and Bengio (2003), Inference for the Generalization Error, Machine Learning 52, 239-281.
    .. [2] Alpaydin (1999), Neural Computation 11, 1885-1892.
    .. [3] Dror, Baumer, Shlomov and Reichart (2018), The Hitchhiker's Guide, ACL, section 5.
    .. [4] Bestgen (2022), Please, Don't Forget the Difference and the Confidence Interval, LREC, Table 1.

    Examples
    --------
    >>> result = compare_folds(
    ...     {
    ...         "old": [0.71, 0.69, 0.73, 0.70, 0.72],
    ...         "new": [0.74, 0.73, 0.75, 0.71, 0.76],
    ...     }
    ... )
    >>> difference = result["new", "old"]
    >>> (
    ...     round(difference.estimate, 3),
    ...     difference.test.name,
    ...     round(difference.p_value, 3),
    ... )
    (0.028, 'corrected-t', 0.033)
    """
    how = checked_reading(reading, "compare_folds", "ignore system_column value_column")
    resampling = combined_settings(
        resampling, n_resamples, rng, function="compare_folds", unused="resample_size rescale"
    )
    drawing = Drawing.of(resampling)
    options = _options(interval, level, test, inside, alternative, correction, margin)
    table_options = TableOptions.of(gold, items, clusters, systems=systems, reading=how)
    scores_or_items = read(data, fold, repetition, table_options)
    columns: dict[str, Any] = {
        "fold": fold,
        "repetition": repetition,
        "gold": gold,
        "items": items,
        "clusters": clusters,
    }
    columns |= {"system_column": how.system_column, "value_column": how.value_column}
    per_dataset.refuse_columns(data, columns)
    metric, greater_is_better = name_and_direction(metric)
    if isinstance(scores_or_items, dict):
        folds = folds_of_items(scores_or_items, metric, greater_is_better, drawing, Counting.of(drawing))
        crossvalidation.refuse_without_folds(folds, test, ratio, required, margin)
    else:
        _refuse_unused(interval, inside, required, test)
        folds = folds_of_scores(scores_or_items, metric, greater_is_better)
    check_reach(options.margin, folds.metric, [folds.matrix])
    baseline = checks.valid_baseline(baseline, folds.names)
    options = dataclasses.replace(options, alternative=oriented(alternative, folds.metric.greater_is_better))
    side = options.alternative
    share = crossvalidation.ratio_of(folds, ratio) if folds.has_folds else math.nan
    name = (
        crossvalidation.chosen_test(test, folds, share, side)
        if test is not None and folds.has_folds
        else None
    )
    order = _ordered(folds)
    pairs = per_dataset.pairs_of(order, folds.names, baseline, side)
    inner, effects = _differences_inside(folds, pairs, options)
    needed = len(folds.labels) if required == "all" else checks.positive_int(required, "required")
    tests: dict[Names, tuple[TestResult, ...]] = {}
    if name is not None:
        tests = {
            pair: crossvalidation.applicable_tests(
                folds, _paired(folds, pair), share, side, effects.get(pair), needed, name
            )
            for pair in pairs
        }
    settings = _settings(folds, options, alternative, name, test, share, needed, baseline)
    scores = per_dataset.in_order(folds.matrix, folds.names, order)
    means = tuple(float(mean) for mean in scores.mean(axis=0))
    may_be_best = None
    if folds.has_folds:
        may_be_best = _set_of_best(
            folds, dict(zip(order, means, strict=True)), name, share, options, baseline
        )
    estimates = {repetition: whole for repetition, (whole, _) in folds.whole.items()}
    below = per_dataset.below_half_notes(estimates, "repetition", folds.names, options.level)
    result = FoldComparison(
        metric=folds.metric,
        systems=order,
        folds=folds.labels,
        scores=scores,
        means=means,
        ratio=share,
        differences=_differences(folds, pairs, tests, name, share, options) if folds.has_folds else (),
        tests=PairTests(tests),
        effects=Counts(effects, side),
        within=inner,
        spread=tuple(_spread_of(pair, i, inner, options) for i, pair in enumerate(pairs)) if inner else (),
        notes=(*folds.notes, *_notes(folds, ratio, share, name, options), *below),
        provenance=made_by(drawing, settings, folds.sizes(), folds.data_hash),
        level=options.level,
        correction=options.corrected_by,
        margin=options.margin,
        baseline=baseline,
        **best.fields_of_best(may_be_best, folds.metric.name, order, options.level),
    )
    return with_backend(result, backend_of(data))


def _options(
    interval: Any, level: float, test: Any, inside: Any, alternative: Any, correction: Any, margin: Any
) -> Options:
    """Return the options of the pooled predictions of one repetition: their test is the one inside."""
    checks.choice(inside, allowed_names("inside", "folds"), "inside")
    if test is None:
        checks.refuse_unused("a comparison without tests (test=None)", inside=(inside, "auto"))
    else:
        checks.choice(test, allowed_names("test", "folds"), "test")
    return Options.checked(
        "datasets", interval=interval, level=level, test=None if test is None else inside,
        alternative=alternative, correction=correction, margin=margin,
    )  # fmt: skip


def _refuse_unused(interval: str | None, inside: str, required: int | str, test: str | None) -> None:
    checks.refuse_unused(
        "scores of folds, which hold no items to test or resample",
        interval=(interval or "auto", "auto"),
        inside=(inside, "auto"),
        required=("all" if test == "k-bonferroni" else required, "all"),
    )


def _ordered(folds: Folds) -> tuple[str, ...]:
    means = folds.matrix.mean(axis=0)
    return tuple(folds.names[s] for s in ranked(means, folds.names, folds.metric.greater_is_better))


def _differences_inside(
    folds: Folds, pairs: Sequence[Names], options: Options
) -> tuple[dict[str, tuple[Difference, ...]], dict[Names, Replicability]]:
    """Return the differences on the pooled predictions of each repetition, and the effects in the folds."""
    if not folds.whole:
        return {}, {}
    inner = _with_one_interval(folds, pairs, options)
    if options.test is None or not folds.parts:
        return inner, {}
    p_values = {
        label: per_dataset.p_values(estimates, evaluation, pairs, options)
        for label, (estimates, evaluation) in folds.parts.items()
    }
    names = _names_of(tuple(p_values))
    effects = {
        pair: replicability({names[label]: p[i] for label, p in p_values.items()}, alpha=options.alpha)
        for i, pair in enumerate(pairs)
    }
    return inner, effects


def _with_one_interval(
    folds: Folds, pairs: Sequence[Names], options: Options
) -> dict[str, tuple[Difference, ...]]:
    """Return the differences on each repetition, with intervals of one kind where "auto" chose several.

    Counts of intervals that do not hold 0 would otherwise count methods, too.
    """
    inner = _inner(folds, pairs, options)
    kinds = Counter(d.interval.method for row in inner.values() for d in row if d.interval is not None)
    if options.interval != "auto" or len(kinds) < 2:
        return inner
    askable = [kind for kind, _ in kinds.most_common() if kind in allowed_names("interval", "folds")]
    return _inner(folds, pairs, dataclasses.replace(options, interval=askable[0])) if askable else inner


def _inner(folds: Folds, pairs: Sequence[Names], options: Options) -> dict[str, tuple[Difference, ...]]:
    return {
        name: with_direction_notes(
            per_dataset.differences(estimates, evaluation, pairs, options), options.alpha
        )
        for name, (estimates, evaluation) in folds.whole.items()
    }


def _names_of(labels: Labels) -> dict[tuple[str, str], str]:
    """Return a name of its own for each fold: with its repetition, if there are several.

    >>> _names_of((("1", "a"), ("1", "b"))), _names_of((("1", "a"), ("2", "a")))
    ({('1', 'a'): 'a', ('1', 'b'): 'b'}, {('1', 'a'): '1/a', ('2', 'a'): '2/a'})
    >>> _names_of((("1/2", "3"), ("1", "2/3")))
    {('1/2', '3'): "'1/2'/'3'", ('1', '2/3'): "'1'/'2/3'"}
    """
    if len({repetition for repetition, _ in labels}) == 1:
        return {label: label[1] for label in labels}
    joined = {(repetition, name): f"{repetition}/{name}" for repetition, name in labels}
    if len(set(joined.values())) == len(joined):
        return joined
    return {(repetition, name): f"{repetition!r}/{name!r}" for repetition, name in labels}


def _paired(folds: Folds, pair: Names) -> FloatArray:
    """Return the differences of two systems on the folds."""
    a, b = (folds.matrix[:, folds.names.index(name)] for name in pair)
    return classical.paired_differences(a, b)


def _differences(
    folds: Folds,
    pairs: Sequence[Names],
    tests: Mapping[Names, tuple[TestResult, ...]],
    name: str | None,
    ratio: float,
    options: Options,
) -> tuple[Difference, ...]:
    """Return the difference of each pair with the test of a name, if there is one, and its interval."""
    method = crossvalidation.interval_of(name, folds, ratio)
    chosen = {pair: next(test for test in tests[pair] if test.name == name) for pair in tests}
    mean = dict(zip(folds.names, folds.matrix.mean(axis=0).tolist(), strict=True))
    differences = []
    for a, b in pairs:
        d, test = _paired(folds, (a, b)), chosen.get((a, b))
        interval, tost, error = None, None, None
        notes: tuple[Note, ...] = ()
        if options.interval is not None:
            table = crossvalidation.by_repetition(folds, d)
            scale = max(abs(mean[a]), abs(mean[b]))
            bounds = partial(_corrected_interval, table, ratio, method, scale)
            interval, tost, notes = with_equivalence(bounds, options.level, options.margin)
            error = crossvalidation.corrected_error(table, ratio, method)
            if interval is None:
                notes = (note_rules.same_on_all("folds", by_signs=test is not None and bool(d.any())),)
            tost, unseen = equivalence.interval_of_unbounded(
                int((d != 0.0).sum()), d.size, tost, options.margin
            )
            notes = notes_about((*notes, *unseen), folds.metric.name, a, b)
        differences.append(
            with_verdict(
                Difference(
                    metric=folds.metric.name,
                    a=a,
                    b=b,
                    estimate=float(d.mean()),
                    score_a=mean[a],
                    score_b=mean[b],
                    interval=interval,
                    level=options.level,
                    test=test,
                    p_adjusted=None if test is None else test.p_value,
                    greater_is_better=folds.metric.greater_is_better,
                    n_items=len(folds.labels),
                    n_differing=int((d != 0.0).sum()),
                    notes=notes,
                    standard_error=error,
                    standard_error_method=None if options.interval is None else method,
                ),
                tost,
                options.margin,
            )
        )
    return with_direction_notes(adjusted(differences, options.correction), options.alpha)


def _set_of_best(
    folds: Folds,
    means: Mapping[str, float],
    name: str | None,
    ratio: float,
    options: Options,
    baseline: str | None,
) -> SetOfBest | None:
    """Return which systems may be the best by the corrected intervals of their differences."""
    method = crossvalidation.interval_of(name, folds, ratio)

    def interval(a: str, b: str, level: float) -> Interval | None:
        table = crossvalidation.by_repetition(folds, _paired(folds, (a, b)))
        scale = max(abs(means[a]), abs(means[b]))
        return _corrected_interval(table, ratio, method, scale, level)[0]

    better = folds.metric.greater_is_better
    return best.set_by_bonferroni(means, interval, options, baseline, greater_is_better=better)


def _corrected_interval(table: FloatArray, ratio: float, method: str, scale: float, level: float) -> Bounds:
    return defined(crossvalidation.corrected_interval(table, ratio, level, method), scale=scale)


def _spread_of(
    pair: Names, position: int, inner: Mapping[str, tuple[Difference, ...]], options: Options
) -> Spread:
    """Return how far the differences of one pair on single repetitions lie apart."""
    in_repetitions = [differences[position] for differences in inner.values()]
    p_values = [d.test.p_value for d in in_repetitions if d.test is not None]
    bounds = [d.interval for d in in_repetitions if d.interval is not None]
    tested, bounded = options.test is not None, options.interval is not None

    def ends(values: Sequence[float]) -> tuple[float, float]:
        return (min(values), max(values)) if values else (math.nan, math.nan)

    return Spread(
        a=pair[0],
        b=pair[1],
        n_repetitions=len(in_repetitions),
        n_significant=sum(rejects(p, options.alpha) for p in p_values) if tested else None,
        p_value=ends(p_values) if tested else None,
        low=ends([one.low for one in bounds]) if bounded else None,
        difference=ends([d.estimate for d in in_repetitions]),
        high=ends([one.high for one in bounds]) if bounded else None,
        n_excluding=sum(0.0 not in one for one in bounds) if bounded else None,
    )


def _settings(
    folds: Folds,
    options: Options,
    alternative: Question,
    name: str | None,
    test: str | None,
    share: float,
    needed: int,
    baseline: str | None,
) -> dict[str, Any]:
    """Return the settings for the provenance; those of tests only where there are tests."""
    settings = {
        "metrics": [folds.metric.name], "interval": options.interval, "inside": options.test,
        "level": options.level, "alternative": alternative, "test": name,
        "test_choice": "auto" if test == "auto" else "by name", "ratio": share, "required": needed,
        "correction": options.correction, "margin": options.margin, "baseline": baseline,
    }  # fmt: skip
    left_out = {"inside", "alternative", "test_choice", "required", "correction"} if test is None else set()
    if not folds.has_folds:
        left_out |= {"ratio", "required", "test_choice"}
        settings["test"] = None if test is None else "within repetitions"
    return {key: value for key, value in settings.items() if key not in left_out}


def _notes(
    folds: Folds, ratio: float | None, share: float, name: str | None, options: Options
) -> Iterator[Note]:
    """Yield what the reader must know of the tests and intervals over the folds, or of there being none."""
    if options.bare:
        return
    if folds.has_folds:
        yield from crossvalidation.notes_on_tests(folds, ratio, share, name, options)
    else:
        yield crossvalidation.WITHOUT_FOLDS
