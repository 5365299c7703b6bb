"""Which system is best, by how much, and how sure: comparisons of machine-learning and NLP systems."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from bestby._version import __version__

if TYPE_CHECKING:
    from bestby._core.errors import BestbyError, DesignError, InvalidInputError, MissingExtraError
    from bestby.comparison import compare
    from bestby.evaluation import Evaluation
    from bestby.inference.ordering import aso, aso_tightness, multi_aso
    from bestby.metrics import FunctionMetric, MeanMetric, Metric, WeightedMetric
    from bestby.planning import (
        Allocation,
        LiftedScores,
        PairedProportions,
        PairedScores,
        Pilot,
        Plan,
        RunsAndItems,
        allocate,
        minimum_detectable,
        power,
        sample_size,
    )
    from bestby.readers import read
    from bestby.results import (
        Comparison,
        Difference,
        Interval,
        Note,
        Provenance,
        StochasticOrder,
        StochasticOrders,
        SystemScore,
        TestResult,
    )

# Names are fetched when first used, so that `bestby --help` does not wait for NumPy and SciPy.
_HOMES = {
    "Allocation": "bestby.planning",
    "BestbyError": "bestby._core.errors",
    "Comparison": "bestby.results",
    "DesignError": "bestby._core.errors",
    "Difference": "bestby.results",
    "Evaluation": "bestby.evaluation",
    "FunctionMetric": "bestby.metrics",
    "Interval": "bestby.results",
    "InvalidInputError": "bestby._core.errors",
    "LiftedScores": "bestby.planning",
    "MeanMetric": "bestby.metrics",
    "Metric": "bestby.metrics",
    "MissingExtraError": "bestby._core.errors",
    "Note": "bestby.results",
    "PairedProportions": "bestby.planning",
    "PairedScores": "bestby.planning",
    "Pilot": "bestby.planning",
    "Plan": "bestby.planning",
    "Provenance": "bestby.results",
    "RunsAndItems": "bestby.planning",
    "StochasticOrder": "bestby.results",
    "StochasticOrders": "bestby.results",
    "SystemScore": "bestby.results",
    "TestResult": "bestby.results",
    "WeightedMetric": "bestby.metrics",
    "allocate": "bestby.planning",
    "aso": "bestby.inference.ordering",
    "aso_tightness": "bestby.inference.ordering",
    "compare": "bestby.comparison",
    "minimum_detectable": "bestby.planning",
    "multi_aso": "bestby.inference.ordering",
    "power": "bestby.planning",
    "read": "bestby.readers",
    "sample_size": "bestby.planning",
}

__all__ = [
    "Allocation",
    "BestbyError",
    "Comparison",
    "DesignError",
    "Difference",
    "Evaluation",
    "FunctionMetric",
    "Interval",
    "InvalidInputError",
    "LiftedScores",
    "MeanMetric",
    "Metric",
    "MissingExtraError",
    "Note",
    "PairedProportions",
    "PairedScores",
    "Pilot",
    "Plan",
    "Provenance",
    "RunsAndItems",
    "StochasticOrder",
    "StochasticOrders",
    "SystemScore",
    "TestResult",
    "WeightedMetric",
    "__version__",
    "allocate",
    "aso",
    "aso_tightness",
    "compare",
    "minimum_detectable",
    "multi_aso",
    "power",
    "read",
    "sample_size",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'bestby' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
