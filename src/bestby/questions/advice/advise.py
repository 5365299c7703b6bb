"""`advise`: which test, which interval, why, and what would be wrong.

From data it takes what can be counted, so that this is not asked for. Of a metric it asks whether it is a
mean of one number per item; of metrics that are computed elsewhere, such as BLEU, that is listed here.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, replace
from typing import Any, NamedTuple

import numpy as np

from bestby._core import checks, rounding
from bestby._core.errors import InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.text import quoted
from bestby._core.typing import OnMissing
from bestby.comparisons.reading import Arguments, check_two_systems, evaluation_of
from bestby.data.evaluation import Evaluation
from bestby.data.reading import Reading, checked_reading
from bestby.engine import prepare
from bestby.engine.base import Drawing, Group, Pair
from bestby.engine.estimate import Estimates
from bestby.engine.interval_choice import ENOUGH_DIFFERING, Choice, choose_interval, reservation
from bestby.inference.skewness import FROM_UNITS
from bestby.metrics import FunctionMetric, MeanMetric, Metric, WeightedMetric, list_metrics, resolve
from bestby.metrics.registry import default
from bestby.metrics.suitability import chosen_metric
from bestby.questions.advice.result import Advice, Case, Shape, Wrong
from bestby.questions.advice.tree import FEWEST_DIFFERING, walk
from bestby.questions.order.normality import normality
from bestby.results.base import provenance_of


@with_suggestions
def advise(
    metric: Any = None,
    *,
    data: Mapping[str, Any] | Evaluation | Any = None,
    gold: Any = None,
    systems: str | Sequence[str] | None = None,
    items: Any = None,
    clusters: Any = None,
    strata: Any = None,
    on_missing: OnMissing = "error",
    reading: Reading | None = None,
    n_items: int | None = None,
    n_differing: int | None = None,
    n_systems: int = 2,
    n_runs: int = 1,
    n_datasets: int = 1,
    n_folds: int = 0,
    clustered: bool = False,
    paired: bool = True,
    mean_of_items: bool | None = None,
    binary: bool | None = None,
) -> Advice:
    """Recommend a test and an interval for a comparison, with the reasons.

    Parameters
    ----------
    metric : str, Metric or callable, optional
        The metric: a name of ``bestby metrics``, or one of the Guide's (bleu, rouge, uas, perplexity, …).
        Defaults to accuracy, for data without gold to the mean.
    data : mapping of str to array_like, shape (n,), or Evaluation, or data frame, optional
        As for `compare`, or what `read` returns: the numbers of items, of differing items and of systems,
        clusters and the kind of the scores are then read off it, and real-valued differences are described.
        A frame is read as `compare` reads it: a column without another part is a system. The note
        ``"read_as"`` tells what was taken for what.
    gold, systems, items, clusters, strata, on_missing
        With `data`, as for `compare`, which alone takes ``on_missing="pairs"`` and "bounds".
    reading : Reading, optional
        How the data are read: `ignore`, `system_column` and `value_column`.
    n_items : int, optional
        Items of the test set (of each dataset); leave it out if only scores of whole test sets are known.
    n_differing : int, optional
        Items (with clusters: clusters) on which the systems differ, if known.
    n_systems, n_runs, n_datasets, n_folds : int
        Systems; runs of each (with folds: repetitions of the cross-validation); datasets; folds of a
        cross-validation (0: none).
    clustered : bool
        Whether items come in documents, speakers or templates.
    paired : bool
        Whether all systems were evaluated on the same items.
    mean_of_items, binary : bool, optional
        For a metric that has no name here: whether its score is a mean of one number per item, and
        whether that number is 0 or 1.

    Returns
    -------
    Advice
        Test, interval, correction, the path through the tree with reasons and sources, and what would be
        wrong.

    Raises
    ------
    InvalidInputError
        If the metric is unknown and `mean_of_items` is not given, or a number is impossible.

    See Also
    --------
    compare : The comparison itself; ``test="auto"`` walks the same tree.

    References
    ----------
    .. [1] Dror, Baumer, Shlomov and Reichart (2018), The hitchhiker's guide to testing statistical
       significance in natural language processing, ACL, 1383-1392.

    Examples
    --------
    >>> advice = advise("f1_macro", n_items=200)
    >>> advice.test, advice.interval, advice.correction
    ('permutation', 'abc', 'none')
    >>> advice.path[-1].source
    'Yeh 2000; Zmigrod et al. 2022'
    >>> print(advice.wrong[0])
    a t, sign or Wilcoxon test on f1_macro: it is not a mean of numbers per item [Yeh 2000]
    """
    how = checked_reading(reading, "advise", "ignore system_column value_column")
    arguments = Arguments(
        gold=gold, systems=systems, items=items, clusters=clusters, strata=strata, on_missing=on_missing,
        reading=how,
    )  # fmt: skip
    if data is not None:
        if (n_items, n_differing, n_systems, clustered, paired) != (None, None, 2, False, True):
            raise InvalidInputError(
                "items, differing items, systems, clusters and pairing are read off the data",
                hint="give either the data or the numbers",
            )
        evaluation = evaluation_of(data, arguments, metric)
        check_two_systems(evaluation)
        chosen, evaluation = chosen_metric(metric, evaluation)
        seen = observe(evaluation, chosen)
        return _advice(seen._replace(case=_repeated(seen.case, n_runs, n_datasets, n_folds)), evaluation)
    for one in fields(arguments):
        if getattr(arguments, one.name) is not one.default:  # an array has no single truth value
            raise InvalidInputError(f"{one.name} belongs to data", "pass data=... too", one.name)
    name, is_mean, is_binary, of_sums = nature(
        default(False) if metric is None else metric,
        None if mean_of_items is None else checks.flag(mean_of_items, "mean_of_items"),
        None if binary is None else checks.flag(binary, "binary"),
    )
    case = Case(
        metric=name,
        mean_of_items=is_mean,
        binary=is_binary,
        of_sums=of_sums,
        n_items=None if n_items is None else checks.positive_int(n_items, "n_items"),
        n_differing=n_differing,
        n_systems=_at_least(2, n_systems, "n_systems"),
        clustered=checks.flag(clustered, "clustered"),
        paired=checks.flag(paired, "paired"),
    )
    if n_differing is not None:
        _at_least(0, n_differing, "n_differing")
        if n_items is not None and n_differing > n_items:
            raise InvalidInputError(
                f"{n_differing} of {n_items} items cannot differ",
                hint=f"give n_differing=... of at most n_items={n_items}",
            )
    return _advice(Seen(_repeated(case, n_runs, n_datasets, n_folds), (), ()))


def _repeated(case: Case, n_runs: int, n_datasets: int, n_folds: int) -> Case:
    if n_folds == 1:
        raise InvalidInputError("n_folds is 0 (none) or at least 2, got 1", argument="n_folds")
    return replace(
        case,
        n_runs=_at_least(1, n_runs, "n_runs"),
        n_datasets=_at_least(1, n_datasets, "n_datasets"),
        n_folds=_at_least(0, n_folds, "n_folds"),
    )


def _at_least(least: int, value: int, what: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InvalidInputError(
            f"{what} must be a whole number of at least {least}, got {quoted(value)}", argument=what
        )
    return value


def _advice(seen: Seen, evaluation: Evaluation | None = None) -> Advice:
    case = seen.case
    path, end = walk(case)
    interval, reason = end.interval, "goes with the test"
    if interval == "auto":
        interval, reason = _interval(case, seen.choices)
    settings = {"question": "advice", **asdict(case)}
    extent: dict[str, Any] = {}
    if evaluation is not None:
        extent = {"items": evaluation.n_items, "systems": list(evaluation.names), **evaluation.n_groups}
    return Advice(
        test=end.test,
        interval=interval,
        call=end.call,
        interval_reason=reason,
        correction="none" if case.n_systems == 2 else "holm",
        path=path,
        wrong=wrong(case),
        case=case,
        shapes=seen.shapes,
        provenance=provenance_of(
            settings, extent, case, data_hash="" if evaluation is None else evaluation.data_hash()
        ),
        data_notes=() if evaluation is None else evaluation.notes,
    )


def _interval(case: Case, choices: Sequence[Choice]) -> tuple[str, str]:
    """Return the interval and the reason: those of the pairs, if data were given."""
    if choices:
        choices = [choice for choice in choices if choice.reason != SAME_SYSTEMS] or choices
        reasons = {choice.method: choice.reason for choice in choices}
        if len(reasons) == 1:
            return next(iter(reasons.items()))
        return " or ".join(reasons), "pair by pair: " + "; ".join(f"{m}, {why}" for m, why in reasons.items())
    proportion = case.binary and not case.clustered
    differing = case.n_differing if case.clustered else case.most_differing
    if differing is None and not proportion:
        units = (
            "clusters differ; say on how many to know"
            if case.clustered
            else "items differ; say how many there are"
        )
        if case.mean_of_items:
            return "hall", f"a mean of {FROM_UNITS} units or more, which may be skewed"
        smooth = case.of_sums or is_rank_metric(case.metric)
        return "auto", f"{'abc' if smooth else 'bca'} where at least {ENOUGH_DIFFERING} {units}"
    choice = choose_interval(
        proportion=proportion,
        difference=True,
        n_differing=differing or 0,
        n_units=case.n_items or FROM_UNITS,
        mean=case.mean_of_items,
        plain_mean=case.mean_of_items and not case.clustered,
        stratified=False,
        formula=case.of_sums,
        clustered=case.clustered,
        robust=case.of_sums,
        ranks=is_rank_metric(case.metric),
    )
    if differing is not None:
        choice = qualified(choice, differing)
    return choice.method, choice.reason


# -- what data show ------------------------------------------------------------------------------------------


MOST_SHAPES = 10
"""Pairs whose differences are described, the best systems first."""

SAME_SYSTEMS = (
    "the systems do not differ: nothing shows how far their difference varies, and no interval is near its"
    " level"
)
"""What is true of any interval where no unit differs."""


class Seen(NamedTuple):
    """What data show."""

    case: Case
    choices: tuple[Choice, ...]
    shapes: tuple[Shape, ...]


def observe(evaluation: Evaluation, metric: Any) -> Seen:
    """Return what data show with a metric.

    Returns case and choices of intervals; the shapes of at most `MOST_SHAPES` pairs, in the order of the
    ranks, none where scores are right or wrong or no mean of items, or where two systems do not differ.
    """
    (group,) = prepare.groups(evaluation, [resolve(metric)], supports=prepare.ALL_GROUPINGS)
    pairs = list(itertools.combinations(range(group.n_systems), 2))
    case = _observed_case(group, evaluation, pairs)
    estimates = Estimates(group, Drawing(n_resamples=1, seed=0))
    cheap = not isinstance(group.metric, FunctionMetric)
    situations = [estimates.of(*pair).situation(jackknife=cheap) for pair in pairs]
    choices = tuple(
        qualified(
            choose_interval(**situation),
            situation["n_differing"],
            situation["n_units"] if situation["plain_mean"] or situation["mean"] else 0,
        )
        for situation in situations
    )
    if not case.mean_of_items or case.binary:
        return Seen(case, choices, ())
    sign = -1.0 if group.metric.greater_is_better else 1.0
    scores = group.scores
    order = sorted(range(group.n_systems), key=lambda s: (sign * scores[s], evaluation.names[s]))
    ranked = itertools.islice(itertools.combinations(order, 2), MOST_SHAPES)
    shapes = [_shape(group, a, b, evaluation) for a, b in ranked]
    return Seen(case, choices, tuple(shape for shape in shapes if shape is not None))


def _observed_case(group: Group, evaluation: Evaluation, pairs: Sequence[Pair]) -> Case:
    """Return the case that one metric on an evaluation is.

    Its differing items (or clusters) are the most of any pair. A mean of answers that are all 0 or 1 is
    binary.
    """
    measure = group.metric
    is_mean = isinstance(measure, MeanMetric)
    answers = isinstance(measure, MeanMetric) and measure.proportions
    return Case(
        metric=measure.name,
        mean_of_items=is_mean,
        binary=answers and _binary(group, evaluation),
        of_sums=isinstance(measure, Metric),
        n_items=evaluation.n_items,
        n_differing=max(group.sample(*pair).differing[1] for pair in pairs),
        n_systems=group.n_systems,
        clustered=evaluation.clusters is not None,
        crossed=evaluation.crossed is not None,
    )


def _binary(group: Group, evaluation: Evaluation) -> bool:
    if getattr(group.metric, "binary", False):
        return True
    if evaluation.clusters is not None:  # sums over clusters no longer show it
        values = list(evaluation.systems.values())
        return evaluation.gold is None and all(bool(np.isin(v, (0, 1)).all()) for v in values)
    plain = [group.sample(s).contributions for s in range(group.n_systems)]
    return all(one is not None and bool(np.isin(one.values, (0.0, 1.0)).all()) for one in plain)


def qualified(choice: Choice, n_differing: int, units_of_mean: int = 0) -> Choice:
    """Return the choice of an interval with what is true of it where no units differ, or too few.

    `units_of_mean` is how many units a mean is of, 0 of other metrics.
    """
    if n_differing == 0:
        return Choice(choice.method, SAME_SYSTEMS)
    few = reservation(
        choice.method,
        difference=True,
        n_differing=n_differing,
        n_effective=None,
        n_units=units_of_mean,
        plain_mean=units_of_mean > 0,
    )
    return choice if few is None else Choice(choice.method, few.message)


def _shape(group: Group, a: int, b: int, evaluation: Evaluation) -> Shape | None:
    plain = group.sample(a, b).contributions
    if plain is None or int(plain.counts.sum()) < 3:
        return None
    differences = np.repeat(plain.values, plain.counts)
    if rounding.alike(differences):
        return None
    return Shape(evaluation.names[a], evaluation.names[b], normality(differences))


# -- the nature of a metric ----------------------------------------------------------------------------------


class Nature(NamedTuple):
    """What matters of a metric here.

    `mean_of_items` says whether it is the mean of one number per item. `binary` says whether that number is 0
    or 1. `of_sums` says whether it is a function of sums over items; ranks are not.
    """

    name: str
    mean_of_items: bool
    binary: bool
    of_sums: bool


def nature(metric: Any, mean_of_items: bool | None = None, binary: bool | None = None) -> Nature:
    """Return what matters of a metric here."""
    if isinstance(metric, str) and (kind := kind_elsewhere(metric)) is not None:
        name, (is_mean, is_binary), of_sums = metric, kind, True
    elif isinstance(metric, str) and mean_of_items is not None and not _has_name(metric):
        name, is_mean, is_binary, of_sums = metric, mean_of_items, False, mean_of_items
    else:
        name, is_mean, is_binary, of_sums = _resolved(metric, mean_of_items)
    is_mean = is_mean if mean_of_items is None else mean_of_items
    is_binary = is_binary if binary is None else binary
    if is_binary and not is_mean:
        if binary:
            raise InvalidInputError(
                f"{name} cannot be 0 or 1 per item without being a mean over items",
                hint="say mean_of_items=True if it is one",
            )
        is_binary = False
    return Nature(name, is_mean, is_binary, of_sums or is_mean)


_KINDS = {
    (True, True): "exact_match em error_rate",
    (True, False): "bertscore cider comet log_loss map meteor mrr ndcg pass pinc rouge sentence_bleu token_f1"
    " win_rate",
    (False, False): "b_cubed blanc bleu ceaf cer chrf f1 fleiss_kappa krippendorff_alpha las muc perplexity"
    " precision recall span_f1 ter uas wer",
}

# Metrics that are no name of the registry. Where two definitions are in use (METEOR: the mean of the
# segments, or their statistics summed), the one that assumes less: what holds for a function of sums
# holds for a mean.
KINDS_ELSEWHERE = {name: kind for kind, names in _KINDS.items() for name in names.split()}
"""Whether metrics from elsewhere are means over items, and of 0/1 values."""

_VARIANT = re.compile(r"[-_]?(\d+|l|lsum)$|@\w+$|\+\+$")


def kind_elsewhere(name: str) -> tuple[bool, bool] | None:
    """Return whether a metric from elsewhere is a mean over items, and of 0/1 values.

    None if it is unknown.
    """
    plain = re.sub(r"[- ]+", "_", name.strip().lower())
    return KINDS_ELSEWHERE.get(plain) or KINDS_ELSEWHERE.get(_VARIANT.sub("", plain))


def _has_name(metric: str) -> bool:
    names = [row.name.partition("[")[0] for row in list_metrics()]
    return metric.partition("[")[0] in names


def _resolved(metric: Any, mean_of_items: bool | None) -> tuple[str, bool, bool, bool]:
    try:
        resolved = resolve(metric)
    except InvalidInputError as error:
        raise InvalidInputError(
            error.message,
            argument=error.argument,
            hint="`bestby metrics` lists them; of a metric of your own say whether it is a mean of one number"
            " per item: mean_of_items=True or mean_of_items=False",
        ) from error
    if mean_of_items is None and isinstance(resolved, FunctionMetric):
        raise InvalidInputError(
            f"nothing is known of the metric {quoted(resolved.name)}",
            hint="mean_of_items=True if it is the mean of one number per item, mean_of_items=False if not",
        )
    of_sums = isinstance(resolved, Metric)
    return resolved.name, isinstance(resolved, MeanMetric), bool(getattr(resolved, "binary", False)), of_sums


def is_rank_metric(metric: str) -> bool:
    """Tell whether this is the name of a metric made of ranks.

    >>> is_rank_metric("roc_auc"), is_rank_metric("pearson"), is_rank_metric("a metric of my own")
    (True, False, False)
    """
    try:
        return isinstance(resolve(metric), WeightedMetric)
    except InvalidInputError:
        return False


# -- what would be wrong -------------------------------------------------------------------------------------


def wrong(case: Case) -> tuple[Wrong, ...]:
    """Return what would be wrong in a case."""
    return (*_wrong_for_metric(case), *_wrong_for_sample(case), *_wrong_for_design(case))


def _wrong_for_metric(case: Case) -> list[Wrong]:
    if not case.one_output:
        return []
    out = []
    if not case.mean_of_items:
        why = "it is not a mean of numbers per item"
        out.append(Wrong(f"a t, sign or Wilcoxon test on {case.metric}", why, "Yeh 2000"))
    elif case.binary and not case.clustered:
        why = "right and wrong are not nearly normal, and few differing items decide"
        out.append(Wrong("a t-test or a normal interval on few items", why, "Bowyer et al. 2025"))
    elif not case.binary:
        why = "the error rate of the second depends on the outcome of the first"
        out.append(Wrong("letting a test of normality choose the test", why, "Rochon et al. 2012"))
    if case.metric in CORRELATIONS:
        why = "both are correlations with the same gold, so they depend on each other"
        out.append(Wrong("Fisher's z test of two correlations", why, "Steiger 1980"))
    return out


CORRELATIONS = ("pearson", "spearman", "kendall")


def _wrong_for_sample(case: Case) -> list[Wrong]:
    if not case.one_output:
        return []
    out = []
    if case.paired:
        why = "the systems share the items, whose difficulty it would treat as noise"
        out.append(Wrong("an unpaired test", why, "Dror et al. 2018; Miller 2024"))
        why = "each was trained once: its score with another seed, split or setting may be another"
        out.append(
            Wrong("a claim about the methods behind these two outputs", why, "Bouthillier et al. 2021")
        )
    # Items below which this warns of a bootstrap test: where its level is worst in the guide's table
    if case.n_items is not None and case.n_items < 50:
        why = f"{case.n_items} items stand badly for the population, and it rejects more often than swaps do"
        out.append(Wrong("a bootstrap test", why, "Riezler & Maxwell 2005"))
    if case.paired and case.most_differing is not None and case.most_differing < FEWEST_DIFFERING:
        why = f"no exact two-sided p can be below {2.0 ** (1 - max(case.most_differing, 1)):.3g} here"
        out.append(Wrong("reading 'not significant' as 'no difference'", why))
    return out


def _wrong_for_design(case: Case) -> list[Wrong]:
    out = []
    if case.clustered:
        why = "intervals become too short and p-values too small"
        out.append(Wrong("counting the items of one document as independent", why, "Miller 2024"))
    if case.n_runs > 1 and not case.n_folds:
        why = "the same items come back in every run, and the best of several draws is not a typical one"
        what = "gluing the runs together as if they were more items, or showing the best run"
        out.append(Wrong(what, why, "Reimers & Gurevych 2017"))
        why = (
            "the split, the order of the data and the hyperparameters move the score too, and a comparison"
            " says nothing about what every run had in common"
        )
        out.append(Wrong("varying the seed alone between runs", why, "Bouthillier et al. 2021"))
    if case.n_datasets > 1:
        why = "neither holds a rate of errors"
        what = "counting the datasets with p < 0.05, or calling for the system that wins on most"
        out.append(Wrong(what, why, "Dror et al. 2017; Demšar 2006"))
    if case.n_folds:
        why = "the training sets overlap, so that it rejects far too often"
        out.append(
            Wrong("an ordinary paired t-test over the folds", why, "Dietterich 1998; Nadeau & Bengio 2003")
        )
    if case.n_folds == 2 and case.n_runs == 5:
        why = "all halvings share their items, so that with few of them it rejects up to 17 % instead of 5 %"
        out.append(Wrong("the 5 x 2 cv t-test or F-test", why))
    if case.n_systems > 2:
        pairs = case.n_systems * (case.n_systems - 1) // 2
        why = f"{pairs} comparisons have {pairs} chances to be wrong"
        out.append(Wrong("reading raw p-values of all pairs", why, "Holm 1979"))
    return out
