"""From data to the case they are: what can be counted is not asked for."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from bestby._core import rounding
from bestby.advising.interval_choice import Choice, choose_interval, reservation
from bestby.data.evaluation import Evaluation
from bestby.engine import prepare
from bestby.engine.base import Drawing, Group, Pair
from bestby.engine.estimate import Estimates
from bestby.metrics import FunctionMetric, MeanMetric, Metric, resolve
from bestby.questions.advice.result import Case, Shape
from bestby.questions.order.normality import normality

MOST_SHAPES = 10
"""Pairs whose differences are described, the best systems first."""

SAME_SYSTEMS = (
    "the systems do not differ: nothing shows how far their difference varies, and no interval is near its"
    " level"
)
"""What is true of any interval where no unit differs."""


def case_of(group: Group, evaluation: Evaluation, pairs: Sequence[Pair]) -> Case:
    """Return the case that one metric on an evaluation is.

    Returns differing items (or clusters): the most of any pair. A mean of answers that are all 0 or 1 is
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
    case = case_of(group, evaluation, pairs)
    makers = Estimates(group, Drawing(n_resamples=1, seed=0))
    cheap = not isinstance(group.metric, FunctionMetric)
    situations = [makers.of(*pair).situation(jackknife=cheap) for pair in pairs]
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
