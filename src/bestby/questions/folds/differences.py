"""The differences over the folds, and those on the pooled predictions of each repetition."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial

from bestby._core.typing import FloatArray
from bestby.comparisons.common import equivalence, note_rules, per_dataset
from bestby.comparisons.common.family import (
    Bounds,
    adjusted,
    rejects,
    with_direction_notes,
    with_equivalence,
    with_verdict,
)
from bestby.comparisons.common.per_dataset import Options
from bestby.inference import classical
from bestby.inference.replicability import replicability
from bestby.questions.folds import crossvalidation, fold_tests
from bestby.questions.folds.result import Spread
from bestby.questions.folds.source import Folds, Labels
from bestby.results.base import Note, notes_about
from bestby.results.by_pair import Names
from bestby.results.comparison import Difference
from bestby.results.replicability import Replicability
from bestby.results.values import TestResult, defined
from bestby.vocabulary import allowed_names


def inner_differences(
    folds: Folds, pairs: Sequence[Names], options: Options
) -> tuple[dict[str, tuple[Difference, ...]], dict[Names, Replicability]]:
    """Return the differences on the pooled predictions of each repetition, and the effects in the folds."""
    if not folds.whole:
        return {}, {}
    inner = _with_one_interval(folds, pairs, options)
    if options.test is None or not folds.parts:
        return inner, {}
    made = {
        label: per_dataset.p_values(makers, evaluation, pairs, options)
        for label, (makers, evaluation) in folds.parts.items()
    }
    names = _names_of(tuple(made))
    effects = {
        pair: replicability({names[label]: p[i] for label, p in made.items()}, alpha=options.alpha)
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
        name: with_direction_notes(per_dataset.differences(makers, evaluation, pairs, options), options.alpha)
        for name, (makers, evaluation) in folds.whole.items()
    }


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


def paired(folds: Folds, pair: Names) -> FloatArray:
    """Return the differences of two systems on the folds."""
    a, b = (folds.matrix[:, folds.names.index(name)] for name in pair)
    return classical.paired_differences(a, b)


def differences_of(
    folds: Folds,
    pairs: Sequence[Names],
    tests: Mapping[Names, tuple[TestResult, ...]],
    name: str | None,
    ratio: float,
    options: Options,
) -> tuple[Difference, ...]:
    """Return the difference of each pair with the test of a name, if there is one, and its interval."""
    method = fold_tests.interval_of(name, folds, ratio)
    chosen = {pair: next(test for test in tests[pair] if test.name == name) for pair in tests}
    mean = dict(zip(folds.names, folds.matrix.mean(axis=0).tolist(), strict=True))
    made = []
    for a, b in pairs:
        d, test = paired(folds, (a, b)), chosen.get((a, b))
        interval, tost, error = None, None, None
        notes: tuple[Note, ...] = ()
        if options.interval is not None:
            table = fold_tests.by_repetition(folds, d)
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
    return with_direction_notes(adjusted(made, options.correction), options.alpha)


def _corrected_interval(table: FloatArray, ratio: float, method: str, scale: float, level: float) -> Bounds:
    return defined(crossvalidation.corrected_interval(table, ratio, level, method), scale=scale)


def spread_of(
    pair: Names, position: int, inner: Mapping[str, tuple[Difference, ...]], options: Options
) -> Spread:
    """Return how far the differences of one pair on single repetitions lie apart."""
    made = [differences[position] for differences in inner.values()]
    p_values = [d.test.p_value for d in made if d.test is not None]
    bounds = [d.interval for d in made if d.interval is not None]
    tested, bounded = options.test is not None, options.interval is not None

    def ends(values: Sequence[float]) -> tuple[float, float]:
        return (min(values), max(values)) if values else (math.nan, math.nan)

    return Spread(
        a=pair[0],
        b=pair[1],
        n_repetitions=len(made),
        n_significant=sum(rejects(p, options.alpha) for p in p_values) if tested else None,
        p_value=ends(p_values) if tested else None,
        low=ends([one.low for one in bounds]) if bounded else None,
        difference=ends([d.estimate for d in made]),
        high=ends([one.high for one in bounds]) if bounded else None,
        n_excluding=sum(0.0 not in one for one in bounds) if bounded else None,
    )
