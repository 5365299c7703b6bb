"""The names of metrics: all there are, and from a name, a metric or a function to a metric."""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeAlias

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.text import quoted
from bestby._core.typing import Array, FloatArray
from bestby.metrics import (
    agreement,
    answers,
    classification,
    correlation,
    language,
    multilabel,
    parsing,
    ranking,
    recognition,
    regression,
    retrieval,
    soft,
    spans,
    summarisation,
    translation,
)
from bestby.metrics._items import shown_label
from bestby.metrics.base import BaseMetric, MeanMetric, Metric, Names, Patterns, WeightedMetric
from bestby.metrics.functions import FunctionMetric, name_and_direction

FAMILIES = (
    regression,
    classification,
    ranking,
    correlation,
    soft,
    translation,
    summarisation,
    answers,
    language,
    recognition,
    parsing,
    spans,
    multilabel,
    retrieval,
    agreement,
)

NAMES: Names = {}
"""The metrics whose whole name is fixed."""

WITH_LABEL: Patterns = {}
"""The metrics of one label, as ``f1[LABEL]``."""

PATTERNS: Patterns = {}
"""The metrics with a part behind an ``@``, as ``ece@10``; the ``^`` of ``pass^10`` belongs to the name."""

PART_EXAMPLES: dict[str, str] = {}
"""What stands behind the ``@`` in the list of metrics."""

SUGGESTIONS: dict[str, str] = {}
"""Other names of metrics, which a message about an unknown name turns into a suggestion."""


for _family in FAMILIES:
    NAMES |= _family.NAMES
    WITH_LABEL |= getattr(_family, "WITH_LABEL", {})
    PATTERNS |= getattr(_family, "PATTERNS", {})
    PART_EXAMPLES |= dict.fromkeys(getattr(_family, "PATTERNS", {}), getattr(_family, "PART_EXAMPLE", "10"))
    SUGGESTIONS |= getattr(_family, "SUGGESTIONS", {})


SPELLINGS = retrieval.ALIASES
"""Other spellings that stand for a name: those of a reference library."""


# -- from a name to a metric ------------------------------------------------------------------------

_LOWER_IS_BETTER = ("_error", "_loss", "_deviance")


def resolve(spec: Any) -> BaseMetric:
    """Return the metric that a name, a metric or a function stands for.

    Parameters
    ----------
    spec : str, BaseMetric, callable, or object with ``name``, ``statistics`` and ``score``
        A name from `list_metrics`, with a label of the data in place of ``LABEL``, or with a number of bins
        as in ``ece@10``; a metric; a function
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
    spec, _ = name_and_direction(spec)
    if isinstance(spec, str):
        return _named(spec)
    if isinstance(spec, BaseMetric):
        return spec
    if isinstance(spec, type):
        raise InvalidInputError(
            f"metric must be an object, got the class {spec.__name__}",
            hint=f"pass {spec.__name__}()",
            argument="metric",
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
        argument="metric",
    )


def _named(spec: str) -> BaseMetric:
    if spec in NAMES:
        return NAMES[spec][1](spec)
    match = re.fullmatch(r"([^\[\]]+)\[(.*)\]", spec.strip(), re.DOTALL)
    name, label = (spec.strip(), None) if match is None else (match[1], match[2])
    stem, separator, part = _split(name)
    name = SPELLINGS.get(stem, stem) + separator + part
    if label is not None and name in WITH_LABEL:
        return WITH_LABEL[name][1](f"{name}[{label}]", label)
    if label is None and name in NAMES:
        return NAMES[name][1](name)
    if label is None and separator:
        return _parted(name)
    hint = "`bestby metrics` lists them all"
    if name in NAMES:
        raise InvalidInputError(f"{name} takes no label, got {quoted(spec)}", hint, "metric")
    lacking, plain = without_class(name), _plain(name)
    if lacking is not None and label is None:
        raise class_needed(lacking, spec)
    close = difflib.get_close_matches(plain, [*NAMES, *WITH_LABEL], n=2)
    if plain in SUGGESTIONS:
        close = [SUGGESTIONS[plain]]
    if label is not None and plain in WITH_LABEL:
        close = [f"{plain}[{label}]"]
    several = [part.strip() for part in spec.split(",")]
    if len(several) > 1 and all(part in NAMES for part in several):
        hint = f"name each by itself: metric=[{', '.join(map(quoted, several))}]".replace("'", '"')
    elsewhere = "; scores that were computed elsewhere have any name, but no gold"
    question = f"; did you mean {' or '.join(close)}?" if close else elsewhere
    raise InvalidInputError(f"there is no metric {quoted(spec)}{question}", hint, "metric")


def _split(name: str) -> tuple[str, str, str]:
    """Return what stands before the separator of a part, the separator and the part.

    >>> _split("ece@10"), _split("pass^3"), _split("accuracy")
    (('ece', '@', '10'), ('pass', '^', '3'), ('accuracy', '', ''))
    """
    match = re.fullmatch(r"([^@^]*)([@^])(.*)", name, re.DOTALL)
    return (name, "", "") if match is None else (match[1], match[2], match[3])


def _parted(spec: str) -> BaseMetric:
    """Return the metric of a name with a part, such as ``ece@10`` or ``ndcg@5``."""
    stem, separator, part = _split(spec)
    name = stem if separator == "@" else stem + separator
    if name not in PATTERNS:
        *forms, last = [f"{with_separator(one)}…" for one in PATTERNS]
        raise InvalidInputError(
            f"there is no metric {quoted(spec)}; the metrics with a part after the @ or ^ are"
            f" {', '.join(forms)} and {last}",
            hint="`bestby metrics` lists them all",
            argument="metric",
        )
    return PATTERNS[name][1](spec, part)


def with_separator(pattern: str) -> str:
    """Return the name of a metric with a part up to this part."""
    return pattern if pattern.endswith("^") else f"{pattern}@"


def without_class(spec: Any) -> str | None:
    """Return the name of a metric of one class, whichever case it is written in; None of any other name.

    >>> without_class("F1"), without_class("f1[a]"), without_class("roc_auc")
    ('f1', None, None)
    """
    plain = _plain(spec) if isinstance(spec, str) else ""
    name = SUGGESTIONS.get(plain, plain)
    return name if name in WITH_LABEL and name not in NAMES else None


def class_needed(stem: str, spec: str, labels: Sequence[Any] = ()) -> InvalidInputError:
    """Return the error for a metric of one class that was named without the class, one of `labels`."""
    forms = [f"{stem}[{shown_label(label)}]" for label in labels] or [f"{stem}[LABEL]"]
    averages = (f"{stem}_{average}" for average in ("macro", "micro", "weighted"))
    *others, last = [*forms, *(average for average in averages if average in NAMES)]
    unknown = f"there is no metric {quoted(spec)}; " if stem != spec else ""
    return InvalidInputError(
        f"{unknown}{stem} needs a class or an average: {', '.join(others)}{' or ' * bool(others)}{last}",
        hint=f'name one: metric="{forms[0]}"' if labels else "`bestby metrics` lists them all",
        argument="metric",
    )


def _plain(name: str) -> str:
    """Return a name in lower case with underscores, without the ``_score`` of scikit-learn."""
    plain = re.sub(r"[- ]+", "_", name.strip().lower())
    stem = plain.removesuffix("_score")
    return stem if stem in NAMES or stem in WITH_LABEL else plain


def _function_name(function: Any) -> str:
    """Name a function; a partial one with what was fixed, as in ``fbeta_score(beta=2)``."""
    if not isinstance(function, functools.partial):
        return str(getattr(function, "__name__", type(function).__name__))
    fixed = [repr(value) for value in function.args]
    fixed += [f"{key}={value!r}" for key, value in function.keywords.items()]
    return f"{_function_name(function.func)}({', '.join(fixed)})"


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


def default(without_gold: bool, *, soft_gold: bool = False) -> str:
    """Return the name of the metric to use when none is asked for.

    Examples
    --------
    >>> default(without_gold=True), default(without_gold=False), default(False, soft_gold=True)
    ('mean', 'accuracy', 'cross_entropy')
    """
    return "mean" if without_gold else "cross_entropy" if soft_gold else "accuracy"


# -- the list of metrics ----------------------------------------------------------------------------

Way: TypeAlias = Literal["exact", "cells", "dense", "weighted", "index"]


@dataclass(frozen=True)
class MetricRow:
    """One line of the list of metrics.

    Parameters
    ----------
    name : str
        As it is written; ``[LABEL]`` stands for a label of the data in brackets.
    family : str
        What it measures, such as "classification" or "translation".
    aliases : tuple of str
        Other names that it goes by, in full or in the question "did you mean".
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
    family: str
    aliases: tuple[str, ...]
    description: str
    greater_is_better: bool
    bounds: tuple[float, float]
    needs_gold: bool
    way: Way


@with_suggestions
def list_metrics(family: str | None = None) -> tuple[MetricRow, ...]:
    """List the metrics that have a name.

    Parameters
    ----------
    family : str, optional
        Those of one family only, such as "classification", "regression" or "translation", or else those that
        have a word, such as "bleu", in their names or description.

    Returns
    -------
    tuple of MetricRow
        Name, family, other names, description, direction, bounds, need of gold and usual way through the
        engine.

    Raises
    ------
    InvalidInputError
        If there is no such family, and no metric has the word.

    See Also
    --------
    compare : Takes the names as ``metric=``.

    Examples
    --------
    >>> next(row for row in list_metrics() if row.name == "mse").greater_is_better
    False
    >>> {row.family for row in list_metrics("regression")}
    {'regression'}
    """
    rows = _rows()
    if family is None:
        return rows
    if isinstance(family, str) and family:
        word = family.lower()
        chosen = [row for row in rows if row.family == family] or [
            row for row in rows if word in " ".join([row.name, *row.aliases, row.description]).lower()
        ]
        if chosen:
            return tuple(chosen)
    checks.choice(family, sorted({row.family for row in rows}), "family")
    return ()


@functools.cache
def _rows() -> tuple[MetricRow, ...]:
    rows = [_row(name, text, build(name)) for name, (text, build) in NAMES.items()]
    rows += [
        _row(f"{name}[LABEL]", text, build(f"{name}[LABEL]", "LABEL"))
        for name, (text, build) in WITH_LABEL.items()
    ]
    rows += [
        _row(spec, text, build(spec, PART_EXAMPLES[name]))
        for name, (text, build) in PATTERNS.items()
        if (spec := f"{with_separator(name)}{PART_EXAMPLES[name]}")
    ]
    return tuple(rows)


_OTHER_FAMILY = {"ece": "calibration", "tag_accuracy": "tagging"}
"""The metrics that belong to another family than the other metrics of their module, by stem."""


def _row(name: str, text: str, metric: BaseMetric) -> MetricRow:
    stem = re.split(r"[\[@^]", name)[0]
    aliases = {**SUGGESTIONS, **SPELLINGS}
    return MetricRow(
        name,
        _OTHER_FAMILY.get(stem, type(metric).__module__.rpartition(".")[2]),
        tuple(sorted(alias for alias, meant in aliases.items() if meant == stem)),
        text,
        metric.greater_is_better,
        metric.bounds,
        metric.needs_gold,
        _usual_way(metric),
    )


def _usual_way(metric: BaseMetric) -> Way:
    if isinstance(metric, MeanMetric):
        return "exact"
    if isinstance(metric, WeightedMetric):
        return "weighted"
    if isinstance(metric, Metric):
        return "cells" if metric.reads == "labels" else "dense"
    return "index"
