"""Compare systems by cross-validation: fold-wise scores, or out-of-fold predictions of every item."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from functools import partial
from typing import Any, Literal

from bestby._core import checks
from bestby._core.keywords import with_suggestions
from bestby._core.typing import Correction, FloatArray, Question, Rng
from bestby.comparisons.common import per_dataset
from bestby.comparisons.common.family import (
    Bounds,
    alpha_of,
    oriented,
    rejects,
    with_direction_notes,
    with_equivalence,
    with_verdict,
)
from bestby.comparisons.common.per_dataset import Options
from bestby.comparisons.common.provenance import made_by
from bestby.comparisons.folds import fold_tests
from bestby.comparisons.folds.source import Folds, Labels, folds_of_items, folds_of_scores, read
from bestby.data.frames import backend_of
from bestby.data.layouts.options import TableOptions
from bestby.engine.base import Drawing, Progress
from bestby.inference import classical, crossvalidation, multiplicity
from bestby.inference.replicability import replicability
from bestby.resampling.settings import Resampling, combined
from bestby.results.base import Note, remember_backend
from bestby.results.comparison import Difference
from bestby.results.datasets import Counts, Names, PairTests
from bestby.results.folds import FoldComparison, Spread
from bestby.results.replicability import Replicability
from bestby.results.values import TestResult, defined
from bestby.vocabulary import FoldTest, ItemInterval, ItemTest, allowed_names


@with_suggestions
def compare_folds(
    data: Any,
    gold: str | None = None,
    *,
    metric: Any = None,
    greater_is_better: bool | None = None,
    systems: str | Sequence[str] | None = None,
    ignore: str | Sequence[str] | None = None,
    items: str | Sequence[str] | None = None,
    fold: str | None = None,
    repetition: str | None = None,
    system_column: str | None = None,
    value_column: str | None = None,
    clusters: str | None = None,
    ratio: float | None = None,
    required: int | Literal["all"] = "all",
    baseline: str | None = None,
    interval: ItemInterval = "auto",
    level: float = 0.95,
    test: FoldTest = "auto",
    inside: ItemTest = "permutation",
    alternative: Question = "two-sided",
    correction: Correction = "holm",
    margin: float | None = None,
    n_resamples: int = 10_000,
    rng: Rng = 0,
    n_jobs: int = 1,
    progress: Progress | None = None,
    executor: Executor | None = None,
    resampling: Resampling | None = None,
) -> FoldComparison:
    """Compare systems that were trained and scored on the folds of one data set.

    Parameters
    ----------
    data : mapping, Evaluation or data frame
        Scores of folds: a mapping of system to an array of shape (K,) or (r, K) for r repetitions, or to a
        mapping of fold to score, which are joined by fold, or a frame with a row per fold. Out-of-fold
        predictions: an Evaluation whose strata are the folds, a mapping of repetition to such, or a frame
        with a row per item (and repetition).
    gold : str, optional
        The column of the gold in a frame with a row per item.
    metric : str, Metric or callable, optional
        What to compute of items; as for `compare`. For scores of folds, a name for them.
    greater_is_better : bool, optional
        The direction of scores of folds. By default that of the metric they are named after, or a guess from
        the name, which a note tells; without a name True. Items: the metric knows.
    systems, ignore : str or list of str, optional
        The systems to compare (all by default), and the columns or systems to leave out, by name or by
        pattern, such as ``"gpt-*"``.
    items : str or list of str, optional
        The column of item ids in a frame with a row per item; several columns together make an item id.
    fold, repetition : str, optional
        Columns of a frame; "fold" and "repetition" by default.
    system_column, value_column : str, optional
        Columns of a frame with a row per fold (or item) and system.
    clusters : str, optional
        The column of the clusters in a frame with a row per item.
    ratio : float, optional
        Items tested over items trained on, in one fold. By default that of cross-validation: 1 / (K - 1),
        or from the sizes of the folds. Give it for random splits: 0.25 if a fifth is tested.
    required : int or "all"
        How many folds must have an effect for test "k-bonferroni" to reject.
    baseline : str, optional
        Compare every other system with this one only.
    interval, level, n_resamples, rng, n_jobs, progress, executor, resampling
        As for `compare`; `interval` is that of the pooled predictions of one repetition.
    test : str
        The test of each pair, by a name in the table of the guide "Choosing a test"; all that apply are in
        `tests`. "auto": the corrected resampled t test, and for several repetitions of 3 or more folds, or
        random splits, the one whose correction allows for common training items, too. The interval is the one
        of this test, so that the two agree; the 5x2 cv tests and "k-bonferroni" have none, and come with the
        interval of "auto".
    inside : str
        The test inside a fold and on the pooled predictions of one repetition; as `test` of `compare`.
    alternative : {"two-sided", "greater", "less", "better"}
        A against B on the scale of the scores, or "better" for whether A is better, whichever direction that
        is.
    correction : {"holm", "bonferroni", "bh", "none"}
        Over the pairs.
    margin : float, optional
        The smallest difference that matters; turns on verdicts, from the corrected interval.

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

    References
    ----------
    .. [1] Nadeau and Bengio (2003), Inference for the Generalization Error, Machine Learning 52, 239-281.
    .. [2] Alpaydin (1999), Neural Computation 11, 1885-1892.
    .. [3] Dror, Baumer, Shlomov and Reichart (2018), The Hitchhiker's Guide, ACL, section 5.
    .. [4] Bestgen (2022), Please, Don't Forget the Difference and the Confidence Interval, LREC, Table 1.

    Examples
    --------
    >>> result = compare_folds({"old": [0.71, 0.69, 0.73, 0.70, 0.72], "new": [0.74, 0.73, 0.75, 0.71, 0.76]})
    >>> difference = result["new", "old"]
    >>> round(difference.estimate, 3), difference.test.name, round(difference.p_value, 3)
    (0.028, 'corrected-t', 0.033)
    """
    resampling = combined(
        resampling, n_resamples, function="compare_folds", rng=rng, n_jobs=n_jobs, progress=progress,
        executor=executor,
    )  # fmt: skip
    drawing = Drawing.of(resampling)
    options = per_dataset.checked_options(interval, level, alternative, correction, margin, inside=inside)
    checks.choice(test, allowed_names("test", "folds"), "test")
    table_options = TableOptions.of(
        gold, items, clusters, systems=systems, ignore=ignore,
        system_column=system_column, value_column=value_column,
    )  # fmt: skip
    given = read(data, fold, repetition, table_options)
    columns = {"fold": fold, "repetition": repetition, "gold": gold, "items": items, "clusters": clusters}
    columns |= {"system_column": system_column, "value_column": value_column}
    per_dataset.refuse_columns(data, columns)
    if isinstance(given, dict):
        folds = folds_of_items(given, metric, greater_is_better, drawing)
    else:
        _refuse_unused(interval, inside, required, test)
        folds = folds_of_scores(given, metric, greater_is_better)
    options = dataclasses.replace(options, alternative=oriented(alternative, folds.metric.greater_is_better))
    side = options.alternative
    share = fold_tests.ratio_of(folds, ratio)
    name = fold_tests.chosen(test, folds, share, side)
    order = _ordered(folds)
    pairs = per_dataset.pairs_of(order, folds.names, baseline, side)
    inner, effects = _inner(folds, pairs, options)
    needed = len(folds.labels) if required == "all" else checks.positive_int(required, "required")
    tests = {
        pair: fold_tests.applicable(folds, _paired(folds, pair), share, side, effects.get(pair), needed, name)
        for pair in pairs
    }
    bounds = fold_tests.interval_of(name, folds, share)
    settings = {
        "metrics": [folds.metric.name], "interval": interval, "inside": inside, "level": options.level,
        "alternative": alternative, "test": name, "test_choice": "auto" if test == "auto" else "by name",
        "ratio": share, "required": needed, "correction": correction, "margin": options.margin,
        "baseline": baseline,
    }  # fmt: skip
    scores = per_dataset.in_order(folds.matrix, folds.names, order)
    result = FoldComparison(
        metric=folds.metric,
        systems=order,
        folds=folds.labels,
        scores=scores,
        means=tuple(float(mean) for mean in scores.mean(axis=0)),
        ratio=share,
        differences=_differences(folds, pairs, tests, (name, bounds), share, options, correction),
        tests=PairTests(tests),
        effects=Counts(effects, side),
        within=inner,
        spread=tuple(_spread(pair, i, inner, options.level) for i, pair in enumerate(pairs)) if inner else (),
        notes=(*folds.notes, *fold_tests.notes(folds, ratio, share, name)),
        provenance=made_by(drawing, settings, folds.sizes(), folds.data_hash),
        level=options.level,
        correction=correction,
        margin=options.margin,
        baseline=baseline,
    )
    return remember_backend(result, backend_of(data))


def _refuse_unused(interval: str, inside: str, required: int | str, test: str) -> None:
    checks.refuse_unused(
        "scores of folds, which hold no items to test or resample",
        interval=(interval, "auto"),
        inside=(inside, "permutation"),
        required=("all" if test == "k-bonferroni" else required, "all"),
    )


def _ordered(folds: Folds) -> tuple[str, ...]:
    sign = -1.0 if folds.metric.greater_is_better else 1.0
    mean = dict(zip(folds.names, folds.matrix.mean(axis=0).tolist(), strict=True))
    return tuple(sorted(folds.names, key=lambda name: (sign * mean[name], name)))


def _inner(
    folds: Folds, pairs: Sequence[Names], options: Options
) -> tuple[dict[str, tuple[Difference, ...]], dict[Names, Replicability]]:
    """Return the differences on the pooled predictions of each repetition, and the effects in the folds."""
    if not folds.parts:
        return {}, {}
    inner = {
        name: with_direction_notes(
            per_dataset.differences(makers, evaluation, pairs, options), alpha_of(options.level)
        )
        for name, (makers, evaluation) in folds.whole.items()
    }
    made = {
        label: per_dataset.p_values(makers, evaluation, pairs, options)
        for label, (makers, evaluation) in folds.parts.items()
    }
    names = _names_of(tuple(made))
    alpha = alpha_of(options.level)
    effects = {
        pair: replicability({names[label]: p[i] for label, p in made.items()}, alpha=alpha)
        for i, pair in enumerate(pairs)
    }
    return inner, effects


def _names_of(labels: Labels) -> dict[tuple[str, str], str]:
    """Return a name of its own for each fold: with its repetition, if there are several.

    >>> _names_of((("1", "a"), ("1", "b"))), _names_of((("1", "a"), ("2", "a")))
    ({('1', 'a'): 'a', ('1', 'b'): 'b'}, {('1', 'a'): '1/a', ('2', 'a'): '2/a'})
    >>> _names_of((("1/2", "3"), ("1", "2/3")))
    {('1/2', '3'): "'1/2'/'3'", ('1', '2/3'): "'1'/'2/3'"}
    """
    if len({again for again, _ in labels}) == 1:
        return {label: label[1] for label in labels}
    joined = {(again, name): f"{again}/{name}" for again, name in labels}
    if len(set(joined.values())) == len(joined):
        return joined
    return {(again, name): f"{again!r}/{name!r}" for again, name in labels}


def _paired(folds: Folds, pair: Names) -> FloatArray:
    """Return the differences of two systems on the folds."""
    a, b = (folds.matrix[:, folds.names.index(name)] for name in pair)
    return classical.paired_differences(a, b)


_UNKNOWN = ", so its spread is unknown: there is no interval, and the p-value comes from the signs alone"


def _differences(
    folds: Folds,
    pairs: Sequence[Names],
    tests: Mapping[Names, tuple[TestResult, ...]],
    methods: tuple[str, str],
    ratio: float,
    options: Options,
    correction: str,
) -> tuple[Difference, ...]:
    """Return the difference of each pair with the test and the interval whose names are `methods`."""
    name, bounds = methods
    chosen = {pair: next(test for test in tests[pair] if test.name == name) for pair in pairs}
    adjusted = multiplicity.adjust([chosen[pair].p_value for pair in pairs], correction)
    mean = dict(zip(folds.names, folds.matrix.mean(axis=0).tolist(), strict=True))
    made = []
    for (a, b), p in zip(pairs, adjusted, strict=True):
        d = _paired(folds, (a, b))
        table = fold_tests.by_repetition(folds, d)
        interval, tost, _ = with_equivalence(
            partial(_corrected_interval, table, ratio, bounds), options.level, options.margin
        )
        error = crossvalidation.corrected_error(table, ratio, bounds)
        notes: tuple[Note, ...] = ()
        if interval is None or interval.low == interval.high:
            text = "the difference is the same on all folds" + ("" if interval else _UNKNOWN)
            notes = (Note("no_variance", text, (folds.metric.name, a, b)),)
        made.append(
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
                    test=chosen[a, b],
                    p_adjusted=float(p),
                    greater_is_better=folds.metric.greater_is_better,
                    n_items=len(folds.labels),
                    n_differing=int((d != 0.0).sum()),
                    notes=notes,
                    standard_error=error,
                    standard_error_method=bounds,
                ),
                tost,
                options.margin,
            )
        )
    return with_direction_notes(made, alpha_of(options.level))


def _corrected_interval(table: FloatArray, ratio: float, method: str, level: float) -> Bounds:
    return defined(crossvalidation.corrected_interval(table, ratio, level, method))


def _spread(pair: Names, position: int, inner: Mapping[str, tuple[Difference, ...]], level: float) -> Spread:
    made = [differences[position] for differences in inner.values()]
    p_values = [d.test.p_value for d in made if d.test is not None]

    def ends(values: Sequence[float]) -> tuple[float, float]:
        return (min(values), max(values)) if values else (math.nan, math.nan)

    return Spread(
        a=pair[0],
        b=pair[1],
        n_repetitions=len(made),
        n_significant=sum(rejects(p, alpha_of(level)) for p in p_values),
        p_value=ends(p_values),
        low=ends([d.interval.low for d in made if d.interval is not None]),
        difference=ends([d.estimate for d in made]),
        high=ends([d.interval.high for d in made if d.interval is not None]),
    )
