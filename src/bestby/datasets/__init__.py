"""Several datasets, several folds: replicability, ranks, cross-validation."""

from __future__ import annotations

from bestby.datasets.comparing import compare_datasets
from bestby.datasets.folds import FoldComparison, compare_folds
from bestby.datasets.results import DatasetComparison, Overall, RankDifference
from bestby.inference.replicability import Replicability, replicability

__all__ = [
    "DatasetComparison",
    "FoldComparison",
    "Overall",
    "RankDifference",
    "Replicability",
    "compare_datasets",
    "compare_folds",
    "replicability",
]
