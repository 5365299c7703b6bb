"""Which system is best, by how much, and how sure: comparisons of machine-learning and NLP systems."""

from bestby._core.errors import BestbyError, DesignError, InvalidInputError, MissingExtraError
from bestby._version import __version__
from bestby.compare import compare
from bestby.evaluation import Evaluation
from bestby.metrics import FunctionMetric, MeanMetric, Metric, WeightedMetric
from bestby.results import Comparison, Difference, Interval, Note, Provenance, SystemScore, TestResult

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
]
