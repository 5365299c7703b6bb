"""Which system is best, by how much, and how sure: comparisons of machine-learning and NLP systems."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from bestby._version import __version__

if TYPE_CHECKING:
    from bestby._core.errors import BestbyError, DesignError, InvalidInputError, MissingExtraError
    from bestby.comparison import compare
    from bestby.evaluation import Evaluation
    from bestby.metrics import FunctionMetric, MeanMetric, Metric, WeightedMetric
    from bestby.readers import read
    from bestby.results import Comparison, Difference, Interval, Note, Provenance, SystemScore, TestResult

# Names are fetched when first used, so that `bestby --help` does not wait for NumPy and SciPy.
_HOMES = {
    "BestbyError": "bestby._core.errors",
    "Comparison": "bestby.results",
    "DesignError": "bestby._core.errors",
    "Difference": "bestby.results",
    "Evaluation": "bestby.evaluation",
    "FunctionMetric": "bestby.metrics",
    "Interval": "bestby.results",
    "InvalidInputError": "bestby._core.errors",
    "MeanMetric": "bestby.metrics",
    "Metric": "bestby.metrics",
    "MissingExtraError": "bestby._core.errors",
    "Note": "bestby.results",
    "Provenance": "bestby.results",
    "SystemScore": "bestby.results",
    "TestResult": "bestby.results",
    "WeightedMetric": "bestby.metrics",
    "compare": "bestby.comparison",
    "read": "bestby.readers",
}

__all__ = [
    "BestbyError",
    "Comparison",
    "DesignError",
    "Difference",
    "Evaluation",
    "FunctionMetric",
    "Interval",
    "InvalidInputError",
    "MeanMetric",
    "Metric",
    "MissingExtraError",
    "Note",
    "Provenance",
    "SystemScore",
    "TestResult",
    "WeightedMetric",
    "__version__",
    "compare",
    "read",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'bestby' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
