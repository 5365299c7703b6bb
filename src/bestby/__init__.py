"""Which system is best, by how much, and how sure: comparisons of machine-learning and NLP systems."""

from __future__ import annotations

from importlib import import_module

from bestby._version import __version__

# Not from typing, whose import takes longer than all of this: until the command line looks after interrupts,
# Ctrl-C would show where Python is.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from bestby._core.errors import (
        BestbyError,
        DesignError,
        ExecutorError,
        InvalidInputError,
        MissingExtraError,
        StudyError,
    )
    from bestby.annotations import Annotations
    from bestby.comparison import compare
    from bestby.datasets import DatasetComparison, FoldComparison, compare_datasets, compare_folds
    from bestby.evaluation import Evaluation
    from bestby.inference.normality import Normality, normality
    from bestby.inference.ordering import aso, aso_tightness, multi_aso
    from bestby.inference.replicability import Replicability, replicability
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
    from bestby.preferences import compare_preferences
    from bestby.protocol import Advice, advise
    from bestby.readers import read
    from bestby.readers.grouped import read_datasets, read_folds
    from bestby.readers.preferences import Preferences, read_preferences
    from bestby.readers.runs import read_runs
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
    from bestby.results_preferences import PreferenceComparison, PreferenceDifference, PreferenceScore
    from bestby.results_runs import RunsComparison, RunsDifference, RunsScore, Variance
    from bestby.results_study import StudyComparison
    from bestby.runs import compare_runs
    from bestby.study import Study

# Names are fetched when first used, so that `bestby --help` does not wait for NumPy and SciPy.
_HOMES = {
    "Advice": "bestby.protocol",
    "Allocation": "bestby.planning",
    "Annotations": "bestby.annotations",
    "BestbyError": "bestby._core.errors",
    "Comparison": "bestby.results",
    "DatasetComparison": "bestby.datasets",
    "DesignError": "bestby._core.errors",
    "Difference": "bestby.results",
    "Evaluation": "bestby.evaluation",
    "ExecutorError": "bestby._core.errors",
    "FoldComparison": "bestby.datasets",
    "FunctionMetric": "bestby.metrics",
    "Interval": "bestby.results",
    "InvalidInputError": "bestby._core.errors",
    "LiftedScores": "bestby.planning",
    "MeanMetric": "bestby.metrics",
    "Metric": "bestby.metrics",
    "MissingExtraError": "bestby._core.errors",
    "Normality": "bestby.inference.normality",
    "Note": "bestby.results",
    "PairedProportions": "bestby.planning",
    "PairedScores": "bestby.planning",
    "Pilot": "bestby.planning",
    "Plan": "bestby.planning",
    "PreferenceComparison": "bestby.results_preferences",
    "PreferenceDifference": "bestby.results_preferences",
    "PreferenceScore": "bestby.results_preferences",
    "Preferences": "bestby.readers.preferences",
    "Provenance": "bestby.results",
    "Replicability": "bestby.inference.replicability",
    "RunsAndItems": "bestby.planning",
    "RunsComparison": "bestby.results_runs",
    "RunsDifference": "bestby.results_runs",
    "RunsScore": "bestby.results_runs",
    "StochasticOrder": "bestby.results",
    "StochasticOrders": "bestby.results",
    "Study": "bestby.study",
    "StudyComparison": "bestby.results_study",
    "StudyError": "bestby._core.errors",
    "SystemScore": "bestby.results",
    "TestResult": "bestby.results",
    "Variance": "bestby.results_runs",
    "WeightedMetric": "bestby.metrics",
    "advise": "bestby.protocol",
    "allocate": "bestby.planning",
    "aso": "bestby.inference.ordering",
    "aso_tightness": "bestby.inference.ordering",
    "compare": "bestby.comparison",
    "compare_datasets": "bestby.datasets",
    "compare_folds": "bestby.datasets",
    "compare_preferences": "bestby.preferences",
    "compare_runs": "bestby.runs",
    "minimum_detectable": "bestby.planning",
    "multi_aso": "bestby.inference.ordering",
    "normality": "bestby.inference.normality",
    "power": "bestby.planning",
    "read": "bestby.readers",
    "read_runs": "bestby.readers.runs",
    "read_datasets": "bestby.readers.grouped",
    "read_folds": "bestby.readers.grouped",
    "read_preferences": "bestby.readers.preferences",
    "replicability": "bestby.inference.replicability",
    "sample_size": "bestby.planning",
}

__all__ = [
    "Advice",
    "Allocation",
    "Annotations",
    "BestbyError",
    "Comparison",
    "DatasetComparison",
    "DesignError",
    "Difference",
    "Evaluation",
    "ExecutorError",
    "FoldComparison",
    "FunctionMetric",
    "Interval",
    "InvalidInputError",
    "LiftedScores",
    "MeanMetric",
    "Metric",
    "MissingExtraError",
    "Normality",
    "Note",
    "PairedProportions",
    "PairedScores",
    "Pilot",
    "Plan",
    "PreferenceComparison",
    "PreferenceDifference",
    "PreferenceScore",
    "Preferences",
    "Provenance",
    "Replicability",
    "RunsAndItems",
    "RunsComparison",
    "RunsDifference",
    "RunsScore",
    "StochasticOrder",
    "StochasticOrders",
    "Study",
    "StudyComparison",
    "StudyError",
    "SystemScore",
    "TestResult",
    "Variance",
    "WeightedMetric",
    "__version__",
    "advise",
    "allocate",
    "aso",
    "aso_tightness",
    "compare",
    "compare_datasets",
    "compare_folds",
    "compare_preferences",
    "compare_runs",
    "minimum_detectable",
    "multi_aso",
    "normality",
    "power",
    "read",
    "read_datasets",
    "read_folds",
    "read_preferences",
    "read_runs",
    "replicability",
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
