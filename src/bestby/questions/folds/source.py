"""From what the user has to scores per fold: arrays, frames, out-of-fold predictions."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bestby._core import arrays, checks, rounding
from bestby._core.arrays import is_partitioned, is_table
from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import FloatArray
from bestby.comparisons import per_dataset
from bestby.comparisons.provenance import hash_of
from bestby.data.alignment import chosen_names, chosen_systems
from bestby.data.evaluation import Evaluation
from bestby.data.layouts.datasets import FoldScores, Named, folds_of
from bestby.data.layouts.items import refuse_partitions
from bestby.data.roles import TableOptions, check_no_predictions
from bestby.data.table import table_of, unreadable
from bestby.engine.base import Drawing
from bestby.engine.estimate import Estimates
from bestby.engine.text_statistics import Counting
from bestby.metrics.base import BaseMetric
from bestby.metrics.directions import direction_of
from bestby.metrics.suitability import system_scales
from bestby.results.base import MetricInfo, Note

Labels = tuple[tuple[str, str], ...]
"""Repetition and fold."""


@dataclasses.dataclass(frozen=True)
class Folds:
    """Scores per fold, and what lies behind them."""

    metric: MetricInfo
    names: tuple[str, ...]
    labels: Labels
    matrix: FloatArray
    parts: Mapping[tuple[str, str], tuple[Estimates, Evaluation]]
    whole: Mapping[str, tuple[Estimates, Evaluation]]
    data_hash: str
    notes: tuple[Note, ...]

    @property
    def has_folds(self) -> bool:
        """Whether the folds are known; without them there is a score per repetition only."""
        return any(fold for _, fold in self.labels)

    def shape(self) -> tuple[int, int] | None:
        """Return the numbers of repetitions and of folds in each; None if they differ."""
        sizes = list(self.repetitions().values())
        return (len(sizes), sizes[0]) if len(set(sizes)) == 1 else None

    def sizes(self) -> dict[str, Any]:
        """Return the numbers of repetitions and folds, and the systems."""
        return {
            "repetitions": len(self.repetitions()),
            **({"folds": len(self.labels)} if self.has_folds else {}),
            "systems": list(self.names),
        }

    def repetitions(self) -> dict[str, int]:
        """Return the number of folds of each repetition."""
        counts: dict[str, int] = {}
        for name, _ in self.labels:
            counts[name] = counts.get(name, 0) + 1
        return counts


def read(
    data: Any, fold: str | None, repetition: str | None, options: TableOptions
) -> FoldScores | dict[str, Evaluation]:
    """Return scores per fold, or an evaluation per repetition whose strata are the folds."""
    for what, column in (("fold", fold), ("repetition", repetition)):
        checks.valid_name(column, what)
    if isinstance(data, Evaluation):
        return {"1": _selected(data, options)}
    if not isinstance(data, Mapping) and is_table(data):
        if is_partitioned(data) and (options.roles.gold is not None or options.roles.item is not None):
            refuse_partitions("this comparison")
        return folds_of(table_of(data), fold, repetition, options)
    if not isinstance(data, Mapping) or not data:
        raise unreadable(
            data,
            "a mapping, a data frame, a list of records or an Evaluation",
            'compare_folds({"old": scores_of_folds, "new": scores_of_folds})',
            "compare_folds(bestby.read_folds({}))",
        )
    if all(isinstance(value, Evaluation) for value in data.values()):
        return {
            checks.name_text(name, "repetition"): _selected(value, options) for name, value in data.items()
        }
    chosen = chosen_systems(data, options.systems, options.ignore)
    names = tuple(checks.name_text(name, "system") for name in chosen)
    checks.two_systems(names, hint=_OF_EACH)
    named = {f"the scores of {quoted(str(name))}": values for name, values in chosen.items()}
    scores = [
        _fold_scores(values, name) for name, values in zip(names, _in_order(named).values(), strict=True)
    ]
    for name, array in zip(names, scores, strict=True):
        if array.shape != scores[0].shape:
            raise InvalidInputError(
                f"systems must have a score for every fold: {quoted(names[0])} has shape {scores[0].shape},"
                f" {quoted(name)} {array.shape}",
            )
    r, k = scores[0].shape
    labels = tuple((str(i + 1), str(j + 1)) for i in range(r) for j in range(k))
    matrix = np.column_stack([array.reshape(-1) for array in scores])
    return FoldScores(names, labels, matrix, data.metric if isinstance(data, Named) else None)


_OF_EACH = "pass the scores of each system on every fold"
"""What a comparison of folds needs."""


def _in_order(scores: Mapping[str, Any]) -> dict[str, Any]:
    """Return scores in the same order of folds, and of repetitions, for all systems."""
    arrays.check_columns(scores)
    rows = arrays.joined_by_key(scores, "folds")
    if not any(
        isinstance(row, Mapping) for values in rows.values() if isinstance(values, list) for row in values
    ):
        return rows
    nested = {
        f"{what}, repetition {i + 1}": row for what, values in rows.items() for i, row in enumerate(values)
    }
    folds = iter(arrays.joined_by_key(nested, "folds").values())
    return {what: [next(folds) for _ in values] for what, values in rows.items()}


def _fold_scores(values: Any, name: str) -> FloatArray:
    array = checks.as_array(values, f"the scores of {quoted(name)}")
    if array.dtype.kind == "O" and array.ndim == 1:
        array = checks.column(array, f"the scores of {quoted(name)}")
    if array.dtype.kind not in "biuf" or array.ndim not in (1, 2) or array.size == 0:
        raise InvalidInputError(
            f"scores of system {quoted(name)} must be numbers of shape (folds,) or (repetitions, folds),"
            f" got {array.dtype} of shape {array.shape}",
            hint="give an Evaluation with strata=folds to compare predictions",
        )
    return np.atleast_2d(array.astype(np.float64))


def _selected(evaluation: Evaluation, options: TableOptions) -> Evaluation:
    chosen = chosen_names(evaluation.names, options.systems, options.ignore)
    return evaluation.uncounted("a comparison over folds").with_systems(chosen)


def folds_of_scores(scores: FoldScores, metric: Any, greater_is_better: bool | None) -> Folds:
    """Return the scores as they are, checked."""
    if metric is not None and not isinstance(metric, str):
        raise InvalidInputError("scores of folds leave nothing to compute: metric must be a name for them")
    metric = scores.metric if metric is None else metric
    _check_size(scores.names, scores.labels)
    bad = np.argwhere(~np.isfinite(scores.matrix))
    if bad.size:
        row, system = bad[0]
        raise InvalidInputError(
            f"system {quoted(scores.names[system])} has no score on fold {quoted(scores.labels[row][1])}"
            f" of repetition {quoted(scores.labels[row][0])}",
            hint="the tests need the score of every system on every fold",
        )
    _check_amounts(scores.names, scores.matrix)
    if metric is None:
        check_no_predictions(dict(zip(scores.names, scores.names, strict=True)))
    greater, notes = direction_of(metric, greater_is_better)
    columns = dict(zip(scores.names, rounding.in_one_precision(list(scores.matrix.T)), strict=True))
    matrix = np.column_stack([*columns.values()])
    info = MetricInfo(metric or "score", greater, (-math.inf, math.inf))
    hashes = {f"{label}": repr(row.tolist()) for label, row in zip(scores.labels, scores.matrix, strict=True)}
    hashes["names"] = repr(scores.names)
    return Folds(
        info, scores.names, scores.labels, matrix, {}, {}, hash_of(hashes), (*notes, *system_scales(columns))
    )


def folds_of_items(
    parts: Mapping[str, Evaluation],
    metric: Any,
    greater_is_better: bool | None,
    drawing: Drawing,
    counting: Counting,
) -> Folds:
    """Return the score of every fold, with the estimates inside folds and repetitions."""
    measure, notes = per_dataset.one_metric(metric, parts, "repetition", greater_is_better)
    names = next(iter(parts.values())).names
    without = len(parts) > 1 and all(part.strata is None for part in parts.values())
    whole, folds = {}, {}
    for repetition, evaluation in parts.items():
        if set(evaluation.names) != set(names):
            raise InvalidInputError(
                f"every repetition must have the same systems: {', '.join(names)};"
                f" repetition {quoted(repetition)} has {', '.join(evaluation.names)}"
            )
        same = evaluation.with_systems(names)
        for name, part in {} if without else per_dataset.split(same, "fold").items():
            where = f"repetition {quoted(repetition)}, fold {quoted(name)}"
            folds[repetition, name] = (
                per_dataset.intervals_on(part, measure, drawing, where, counting),
                part,
            )
        plain = dataclasses.replace(same, strata=None)
        whole[repetition] = (
            per_dataset.intervals_on(plain, measure, drawing, f"repetition {quoted(repetition)}", counting),
            plain,
        )
    scored = {(repetition, ""): items for repetition, items in whole.items()} if without else folds
    _check_size(names, tuple(scored))
    matrix = np.array([estimates.scores for estimates, _ in scored.values()])
    _check_amounts(names, matrix)
    fitted = next(iter(whole.values()))[0].group.metric
    return Folds(
        metric=MetricInfo(fitted.name, fitted.greater_is_better, fitted.bounds),
        names=names,
        labels=tuple(scored),
        matrix=matrix,
        parts=folds,
        whole=whole,
        data_hash=hash_of({name: part.data_hash() for name, part in parts.items()}),
        notes=(
            *notes,
            *_missing_classes(measure, {where: part for where, (_, part) in folds.items()}, parts),
        ),
    )


def _missing_classes(
    metric: BaseMetric, folds: Mapping[tuple[str, str], Evaluation], parts: Mapping[str, Evaluation]
) -> list[Note]:
    """Return a note if a metric that averages over the classes has not all of them in every fold."""
    averages = getattr(metric, "average", "") == "macro" or metric.name == "balanced_accuracy"
    if not averages or getattr(metric, "labels", None):
        return []
    classes = {repetition: _classes(part) for repetition, part in parts.items()}
    without = sum(_classes(part) < classes[repetition] for (repetition, _), part in folds.items())
    if not without:
        return []
    text = (
        f"{without} of {len(folds)} folds lack a class of the gold, and {metric.name} is computed on the"
        " other classes there: the mean over the folds is not the score on all classes. Fewer or stratified"
        " folds avoid this"
    )
    return [Note("missing_classes", text)]


def _classes(part: Evaluation) -> set[object]:
    return set() if part.gold is None or part.gold.ndim != 1 else set(part.gold.tolist())


def _check_amounts(names: Sequence[str], matrix: FloatArray) -> None:
    """Refuse scores whose squares no float holds, as everywhere; their positions count the folds."""
    for name, scores in zip(names, matrix.T, strict=True):
        what = f"the scores of {quoted(name)}"
        checks.check_bounded(scores, what)
        checks.check_not_tiny(scores, what)


def _check_size(names: Sequence[str], labels: Labels) -> None:
    checks.valid_names(names, "system")
    for repetition, fold in labels:
        checks.check_text(repetition, "names of repetitions")
        checks.check_text(fold, "names of folds")
    checks.two_systems(names, hint=_OF_EACH)
    if len(labels) < 2:
        raise InvalidInputError(
            f"at least 2 folds are needed, got {len(labels)}", hint="for one test set use compare"
        )
