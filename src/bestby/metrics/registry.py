"""From a name, a metric or a function to a metric; and the list of the names there are."""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, Self, TypeAlias

from bestby._core.errors import InvalidInputError
from bestby._core.typing import Array, FloatArray
from bestby.metrics import classification, correlation, ranking, regression
from bestby.metrics.base import BaseMetric, FunctionMetric, MeanMetric, Metric, WeightedMetric

Way: TypeAlias = Literal["exact", "cells", "dense", "weighted", "index"]

_NAMES: dict[str, tuple[str, Callable[[str], BaseMetric]]] = {
    "mean": ("mean of one score per item", regression.Mean),
    "mean_loss": (
        "mean of one score per item, lower being better",
        lambda name: regression.Mean(name, greater_is_better=False),
    ),
    "accuracy": ("proportion of right predictions", classification.Accuracy),
    "balanced_accuracy": (
        "mean recall of the classes in the gold",
        lambda name: classification.BalancedAccuracy(name),
    ),
    "precision_micro": (
        "right predictions among those made",
        lambda name: classification.Micro(name, "precision"),
    ),
    "precision_macro": (
        "precision, every class counting the same",
        lambda name: classification.Averaged(name, "precision", "macro"),
    ),
    "precision_weighted": (
        "precision, classes weighted by their frequency in the gold",
        lambda name: classification.Averaged(name, "precision", "weighted"),
    ),
    "recall_micro": ("the same as accuracy", classification.Accuracy),
    "recall_macro": (
        "recall, every class counting the same",
        lambda name: classification.Averaged(name, "recall", "macro"),
    ),
    "recall_weighted": ("the same as accuracy", classification.Accuracy),
    "f1_micro": (
        "F1 over all decisions; accuracy if no prediction is missing",
        lambda name: classification.Micro(name, "f1"),
    ),
    "f1_macro": (
        "F1, every class counting the same",
        lambda name: classification.Averaged(name, "f1", "macro"),
    ),
    "f1_weighted": (
        "F1, classes weighted by their frequency in the gold",
        lambda name: classification.Averaged(name, "f1", "weighted"),
    ),
    "matthews_corrcoef": (
        "Matthews correlation, for any number of classes",
        classification.MatthewsCorrelation,
    ),
    "cohen_kappa": ("agreement with the gold beyond chance", classification.CohenKappa),
    "roc_auc": ("area under the ROC curve; the greater gold label is positive", ranking.RocAuc),
    "average_precision": (
        "average precision; the greater gold label is positive",
        ranking.AveragePrecision,
    ),
    "mse": ("mean squared error", lambda _: regression.MeanSquaredError()),
    "rmse": ("root of the mean squared error", lambda _: regression.RootMeanSquaredError()),
    "mae": ("mean absolute error", lambda _: regression.MeanAbsoluteError()),
    "r2": ("coefficient of determination", regression.R2),
    "pearson": ("linear correlation", correlation.Pearson),
    "spearman": ("rank correlation", correlation.Spearman),
    "kendall": ("rank correlation, tau-b", correlation.Kendall),
}

_WITH_LABEL: dict[str, tuple[str, Callable[[str, str], BaseMetric]]] = {
    "precision": (
        "precision of one class",
        lambda name, label: classification.OneClass(name, "precision", label),
    ),
    "recall": ("recall of one class", lambda name, label: classification.OneClass(name, "recall", label)),
    "f1": ("F1 of one class", lambda name, label: classification.OneClass(name, "f1", label)),
    "roc_auc": ("area under the ROC curve of one class against the others", ranking.RocAuc),
    "average_precision": ("average precision of one class against the others", ranking.AveragePrecision),
}

_OTHERWISE_KNOWN_AS = {
    "acc": "accuracy",
    "ap": "average_precision",
    "auc": "roc_auc",
    "auroc": "roc_auc",
    "kappa": "cohen_kappa",
    "loss": "mean_loss",
    "mcc": "matthews_corrcoef",
    "neg_mean_absolute_error": "mae",
    "neg_mean_squared_error": "mse",
    "neg_root_mean_squared_error": "rmse",
    "tau": "kendall",
}

_LOWER_IS_BETTER = ("_error", "_loss", "_deviance")


class MetricRow(NamedTuple):
    """One line of the list of metrics.

    Parameters
    ----------
    name : str
        As it is written; ``[LABEL]`` stands for a label of the data in brackets.
    description : str
        One line.
    greater_is_better : bool
        The direction.
    bounds : tuple of float
        The least and the greatest value.
    needs_gold : bool
        Whether it compares predictions with gold.
    way : {"exact", "cells", "dense", "weighted"}
        How the engine usually resamples it.
    """

    name: str
    description: str
    greater_is_better: bool
    bounds: tuple[float, float]
    needs_gold: bool
    way: Way


def resolve(spec: Any) -> BaseMetric:
    """Return the metric that a name, a metric or a function stands for.

    Parameters
    ----------
    spec : str, BaseMetric, callable, or object with ``name``, ``statistics`` and ``score``
        A name from `available`, with a label of the data in place of ``LABEL``; a metric; a function
        ``(gold, predictions) -> float``. Of a function whose name ends with ``_error``, ``_loss`` or
        ``_deviance`` lower values are better, by the convention of scikit-learn; wrap it in
        `FunctionMetric` to say otherwise.

    Returns
    -------
    BaseMetric
        The metric, not yet fitted.

    Raises
    ------
    InvalidInputError
        If there is no such metric.

    Examples
    --------
    >>> resolve("f1[spam]")
    <metric f1[spam]>
    >>> resolve("f1_marco")
    Traceback (most recent call last):
    ...
    bestby._core.errors.InvalidInputError: there is no metric 'f1_marco'; did you mean f1_macro or f1_micro?
    hint: `bestby metrics` lists them all
    """
    if isinstance(spec, str):
        return _named(spec)
    if isinstance(spec, BaseMetric):
        return spec
    if isinstance(spec, type):
        raise InvalidInputError(
            f"metric must be an object, got the class {spec.__name__}", hint=f"pass {spec.__name__}()"
        )
    if all(hasattr(spec, attribute) for attribute in ("name", "statistics", "score")):
        return _Wrapped(spec)
    if callable(spec):
        function = getattr(spec, "func", spec) if isinstance(spec, functools.partial) else spec
        lower = str(getattr(function, "__name__", "")).endswith(_LOWER_IS_BETTER)
        return FunctionMetric(spec, _function_name(spec), greater_is_better=not lower)
    raise InvalidInputError(
        f"metric must be a name, a metric or a function, got {type(spec).__name__}",
        hint="`bestby metrics` lists the names",
    )


def available() -> tuple[MetricRow, ...]:
    """Return every metric that has a name.

    Returns
    -------
    tuple of MetricRow
        Name, description, direction, bounds, need of gold and usual way through the engine.

    Examples
    --------
    >>> next(row for row in available() if row.name == "mse").greater_is_better
    False
    """
    rows = [_row(name, text, build(name)) for name, (text, build) in _NAMES.items()]
    rows += [
        _row(f"{name}[LABEL]", text, build(f"{name}[LABEL]", "LABEL"))
        for name, (text, build) in _WITH_LABEL.items()
    ]
    return tuple(rows)


def default(without_gold: bool) -> str:
    """Return the name of the metric to use when none is asked for.

    Examples
    --------
    >>> default(without_gold=True), default(without_gold=False)
    ('mean', 'accuracy')
    """
    return "mean" if without_gold else "accuracy"


class _Wrapped(Metric):
    """An object that has what a `Metric` has without being one."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.name = str(inner.name)
        self.greater_is_better = bool(getattr(inner, "greater_is_better", True))
        self.bounds = tuple(getattr(inner, "bounds", self.bounds))
        # The protocol declares these per class; here they are the wrapped object's.
        self.needs_gold = bool(getattr(inner, "needs_gold", True))  # type: ignore[misc]
        self.reads = getattr(inner, "reads", "numbers")  # type: ignore[misc]

    def fit(self, gold: Array | None, systems: Sequence[Array], labels: Array | None) -> Self:
        if not hasattr(self.inner, "fit"):
            return self
        return type(self)(self.inner.fit(gold, systems, labels))

    def statistics(self, gold: Any, predictions: Any) -> FloatArray:
        rows: FloatArray = self.inner.statistics(gold, predictions)
        return rows

    def score(self, totals: FloatArray) -> FloatArray:
        scores: FloatArray = self.inner.score(totals)
        return scores

    def undefined(self, totals: FloatArray) -> str | None:
        return self.inner.undefined(totals) if hasattr(self.inner, "undefined") else None


def _named(spec: str) -> BaseMetric:
    match = re.fullmatch(r"([^\[\]]+)\[(.*)\]", spec.strip(), re.DOTALL)
    name, label = (spec.strip(), None) if match is None else (match[1], match[2])
    if label is not None and name in _WITH_LABEL:
        return _WITH_LABEL[name][1](f"{name}[{label}]", label)
    if label is None and name in _NAMES:
        return _NAMES[name][1](name)
    hint = "`bestby metrics` lists them all"
    if name in _NAMES:
        raise InvalidInputError(f"{name} takes no label, got {spec!r}", hint=hint)
    if name in _WITH_LABEL:
        raise InvalidInputError(
            f"{name} needs to know the class or the average: {name}[LABEL], {name}_macro, {name}_micro"
            f" or {name}_weighted",
            hint=hint,
        )
    close = difflib.get_close_matches(name.lower().replace("-", "_"), [*_NAMES, *_WITH_LABEL], n=2)
    if name.lower() in _OTHERWISE_KNOWN_AS:
        close = [_OTHERWISE_KNOWN_AS[name.lower()]]
    asked = f"; did you mean {' or '.join(close)}?" if close else ""
    raise InvalidInputError(f"there is no metric {spec!r}{asked}", hint=hint)


def _function_name(function: Any) -> str:
    """Name a function; a partial one with what was fixed, as in ``fbeta_score(beta=2)``."""
    if not isinstance(function, functools.partial):
        return str(getattr(function, "__name__", type(function).__name__))
    fixed = [repr(value) for value in function.args]
    fixed += [f"{key}={value!r}" for key, value in function.keywords.items()]
    return f"{_function_name(function.func)}({', '.join(fixed)})"


def _row(name: str, text: str, metric: BaseMetric) -> MetricRow:
    return MetricRow(
        name, text, metric.greater_is_better, metric.bounds, metric.needs_gold, _usual_way(metric)
    )


def _usual_way(metric: BaseMetric) -> Way:
    if isinstance(metric, MeanMetric):
        return "exact"
    if isinstance(metric, WeightedMetric):
        return "weighted"
    if isinstance(metric, Metric):
        return "cells" if metric.reads == "labels" else "dense"
    return "index"
