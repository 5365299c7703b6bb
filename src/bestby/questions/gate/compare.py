"""Whether a candidate is good enough to merge: one pair, one or several checks, one outcome."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from os import PathLike
from typing import Any

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.typing import AnnotatorChoice, ArrayLike, OnMissing, Rng
from bestby.comparisons.provenance import evaluation_provenance
from bestby.comparisons.reading import Arguments, check_two_systems, evaluation_of
from bestby.comparisons.settings import Settings, check_reach
from bestby.data.evaluation import Evaluation
from bestby.engine.base import Drawing
from bestby.metrics.suitability import chosen_metrics
from bestby.questions.gate import foresight
from bestby.questions.gate.deciding import decided, parts_of
from bestby.questions.gate.flips import flipped
from bestby.questions.gate.result import Gate, margins_of, outcome_of, shown_margins
from bestby.questions.slices.source import (
    Column,
    columns_of,
    hash_with_slices,
    settings_of,
    with_columns,
    without_bins,
)
from bestby.resampling.progress import Progress
from bestby.resampling.settings import Resampling, combined_settings
from bestby.vocabulary import FailTest, allowed_names


@with_suggestions
def gate(
    data: Mapping[str, Any] | Evaluation | Any,
    gold: Any = None,
    *,
    metric: Any = None,
    greater_is_better: bool | None = None,
    systems: str | Sequence[str] | None = None,
    ignore: str | Sequence[str] | None = None,
    items: Any = None,
    system_column: str | None = None,
    value_column: str | None = None,
    clusters: Any = None,
    strata: Any = None,
    by: Any = None,
    crossed: bool = False,
    min_items: int = 1,
    on_missing: OnMissing = "error",
    classes: ArrayLike | None = None,
    normalise: bool = False,
    annotators: AnnotatorChoice | None = None,
    blocks: int | None = None,
    baseline: str | None = None,
    candidate: str | None = None,
    pool: bool = False,
    level: float = 0.95,
    margin: float | Mapping[str, float] | None = None,
    fail_test: FailTest = "exact",
    n_resamples: int = 10_000,
    rng: Rng = 0,
    n_jobs: int = 1,
    progress: Progress | None = None,
    executor: Executor | None = None,
    cache: str | PathLike[str] | None = None,
    resampling: Resampling | None = None,
) -> Gate:
    """Decide whether a candidate is good enough to take the place of a baseline.

    With a margin this is a test of non-inferiority [1]_: the gate passes if the data exclude, at the level, a
    loss of the margin or more. Without one it is an alarm: it fails only if the data show a loss, and that it
    passes does not show that there is none.

    Parameters
    ----------
    data : mapping of str to array_like, shape (n,), or Evaluation, or data frame, or list of dict
        The two systems, as for `compare`; the first is the baseline unless they are named.
    gold : array_like, shape (n,), or mapping, or str, optional
        The gold labels or values, or the name of their column.
    metric : str, Metric, callable or list of them, optional
        What to compare; each metric is a check. Defaults as for `compare`; but without gold, scores need a
        name, ``"mean"`` or their own, unless their column is called as scores are (``score``, ``correct``).
    greater_is_better, systems, ignore, items, system_column, value_column, clusters, strata
        As for `compare`.
    by : str, list of str, or mapping of str to array_like, shape (n,), optional
        Columns to slice the items by, as for `compare_slices`; each slice is a check for each metric, beside
        those on all items. ``"length:4"`` cuts the numbers of column ``length`` at their quartiles.
    crossed : bool
        Cross the columns: a slice for every combination of their values that occurs.
    min_items : int
        Leave out slices of fewer items, or of fewer clusters if there are clusters; a note names them.
    on_missing, classes, normalise, annotators, blocks
        As for `compare`.
    baseline, candidate : str, optional
        The names of the two systems. By default the first and the second.
    pool : bool
        Of logs with several tasks, ask about the items of all tasks together, with the tasks as strata. By
        default each task is a check of its own for each metric.
    level : float
        The level of the one-sided bounds, above one half and below 1; one minus it is the level of the tests.
    margin : float or mapping of str to float, optional
        The smallest loss that matters, on the scale of the metric and smaller than its range, for all metrics
        or by metric. Metrics without one are alarms.
    fail_test : {"exact", "bound"}
        By what a check with a margin fails. "exact": right and wrong answers to independent items by an exact
        test, other scores by a bound. "bound": all by a bound, as in version 0.2.0; where few answers differ,
        that fails candidates whose loss is the margin in up to 9 % of cases, instead of 5 %.
    n_resamples, rng, n_jobs, progress, executor, cache, resampling
        As for `compare`.

    Returns
    -------
    Gate
        The outcome, the checks, the items that flipped, notes and provenance.

    Raises
    ------
    InvalidInputError
        If the data or an argument cannot be used as given.
    DesignError
        If the metric does not fit the data.

    See Also
    --------
    compare : The same two systems, with intervals, tests and verdicts on both sides.
    compare_slices : The differences in all slices, with simultaneous intervals and a test of heterogeneity.
    minimum_detectable : The smallest difference that a test set of some size finds.

    Notes
    -----
    The one-sided bound at the level L is an end of the interval at the level 2 L - 1 that `compare` reads
    equivalence from; where few items differ it allows for others that could.

    With margins every check must pass for the gate to pass, which is an intersection-union test: their number
    needs no correction [2]_. The gate fails if one check fails; so each of several checks fails only if its
    loss exceeds the margin at the level of their share of 1 - L (Bonferroni): by a bound that holds for all
    checks at once, or, of right and wrong answers to independent items, by the exact unconditional test of
    Tango's score [3]_, whose unknown share of gains is taken from an interval [4]_. Without margins one check
    is enough to fail;
    the one-sided permutation tests are corrected by Holm's method over these checks. A check is a metric on
    all items, on a task or in a slice; of many small tasks or slices some stay open with any margin that is
    not wide. Slices are of the items of all tasks together.

    It misleads where a candidate was chosen by its score on these items: the loss on other items can be
    larger than the bound; and where few items of a small sample lose far more than the others, of which the
    note ``"skewed_differences"`` tells.

    References
    ----------
    .. [1] Wellek (2010), Testing Statistical Hypotheses of Equivalence and Noninferiority, section 2.
    .. [2] Berger (1982), Multiparameter hypothesis testing and acceptance sampling, Technometrics 24.
    .. [3] Sidik (2003), Exact unconditional tests for testing non-inferiority in matched-pairs design,
       Statist. Med. 22, 265-278.
    .. [4] Berger & Boos (1994), P values maximized over a confidence set for the nuisance parameter, J. Amer.
       Statist. Assoc. 89, 1012-1016.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> main = rng.random(2000) < 0.8
    >>> new = np.where(rng.random(2000) < 0.02, ~main, main)
    >>> result = gate({"main": main.astype(int), "new": new.astype(int)}, metric="mean", margin=0.03)
    >>> result.outcome, round(result.checks[0].bound, 3)
    ('pass', -0.02)
    """
    resampling = combined_settings(
        resampling, n_resamples, rng=rng, n_jobs=n_jobs, progress=progress, executor=executor
    )
    _check_level(level)
    checks.choice(fail_test, allowed_names("fail_test", "gate"), "fail_test")
    columns, least = _columns(by, min_items, crossed=checks.flag(crossed, "crossed"))
    arguments = Arguments(
        gold=gold, systems=systems, ignore=ignore, system_column=system_column, value_column=value_column,
        items=items, clusters=clusters, strata=strata, on_missing=on_missing, classes=classes,
        normalise=normalise, annotators=annotators,
        by=None if by is None else without_bins(by),
    )  # fmt: skip
    whole = with_columns(evaluation_of(data, arguments, metric), data, arguments.by)
    check_two_systems(whole)
    base, new = _pair(whole.names, baseline, candidate)
    two = whole.with_systems([base, new])
    if pool:
        two = dataclasses.replace(two, tasks=None)  # they stay its strata
    metrics, evaluation = chosen_metrics(metric, two, greater_is_better, certain=True)
    margins = margins_of(margin, [one.name for one in metrics])
    for one in metrics:
        check_reach(margins[one.name], one)
    parts, left_out = parts_of(evaluation, columns, least, crossed=crossed)
    test = "auto" if None in margins.values() else None
    settings = Settings.checked(
        "items", interval="auto", level=level, test=test, annotators=annotators, blocks=blocks
    )
    drawing = Drawing.of(resampling)
    decisions, notes = decided(parts, metrics, margins, settings, drawing, fail_test, cache)
    found = foresight.foreseen(decisions, level)
    flips, n_worse, n_better = flipped(evaluation, base, new, metrics[0])
    named = {
        "metrics": list(margins),
        "interval": "auto",
        "level": level,
        "test": test,
        "correction": "holm",
        "margin": shown_margins(margins),
        "fail_test": fail_test if any(one is not None for one in margins.values()) else None,
        "baseline": base,
        "candidate": new,
        **settings_of(columns, least, crossed=crossed),
    }
    optional = {"annotators": annotators, "blocks": blocks}
    named |= {name: given for name, given in optional.items() if given not in (None, "fixed")}
    provenance = evaluation_provenance(parts[0].evaluation, metrics, named, drawing)
    if evaluation.tasks is not None:
        notes = [*evaluation.notes, *notes]
        n_tasks = len(set(evaluation.tasks.tolist()))
        counts = {"items": evaluation.n_items, "systems": [base, new], "tasks": n_tasks}
        data = counts | evaluation.n_groups
        provenance = dataclasses.replace(provenance, data=data, data_hash=evaluation.data_hash())
    if columns:
        data_hash = hash_with_slices(provenance.data_hash, evaluation, columns)
        provenance = dataclasses.replace(provenance, data_hash=data_hash)
    return Gate(
        outcome=outcome_of(found),
        baseline=base,
        candidate=new,
        checks=found,
        flips=flips,
        n_worse=n_worse,
        n_better=n_better,
        level=level,
        n_items=evaluation.n_items,
        n_clusters=evaluation.n_clusters,
        notes=tuple(dict.fromkeys([*left_out, *notes])),
        provenance=provenance,
    )


def _check_level(level: Any) -> None:
    checks.probability(level, "level")
    if not level > 0.5:
        raise InvalidInputError(
            f"level must be above 0.5 for a gate, got {level}",
            hint="it is the level of a one-sided bound: 0.95 lets a candidate that is worse by the margin"
            " pass in one of twenty cases",
            argument="level",
        )


def _pair(names: Sequence[str], baseline: str | None, candidate: str | None) -> tuple[str, str]:
    """Return the names of the baseline and the candidate."""
    base = checks.valid_baseline(baseline, names)
    new = checks.valid_baseline(candidate, names, "candidate")
    if base is not None and base == new:
        raise InvalidInputError(
            f"baseline and candidate are the same system, {base!r}",
            hint=f"the systems are: {', '.join(names)}",
        )
    rest = [name for name in names if name not in (base, new)]
    needed = [base, new].count(None)
    if len(rest) > needed and needed:
        raise InvalidInputError(
            f"a gate compares two systems, got {len(names)}: {', '.join(names)}",
            hint="name both: baseline=... and candidate=...",
        )
    base = rest.pop(0) if base is None else base
    return base, rest.pop(0) if new is None else new


def _columns(by: Any, min_items: Any, *, crossed: bool) -> tuple[list[Column], int]:
    """Return the columns of the slices, and the least number of items that a slice has."""
    least = checks.positive_int(min_items, "min_items")
    if by is not None:
        return columns_of(by), least
    if crossed or least > 1:
        argument = "crossed" if crossed else "min_items"
        raise InvalidInputError(
            f"{argument} is of slices, and no column to slice by is named",
            hint="name it: by=...",
            argument=argument,
        )
    return [], least
