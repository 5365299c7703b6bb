"""Where the numbers of a comparison come from, and hashes of its data."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from bestby._core.typing import Array
from bestby.data.evaluation import Evaluation
from bestby.engine.base import Drawing
from bestby.metrics.base import BaseMetric, Metric
from bestby.results.base import Provenance, provenance_of


def made_by(
    drawing: Drawing,
    settings: Mapping[str, Any],
    data: Mapping[str, Any],
    data_hash: str,
    packages: Iterable[str] = (),
) -> Provenance:
    """Return the provenance of numbers for which resamples may have been drawn."""
    return provenance_of(
        settings,
        data,
        data_hash=data_hash,
        packages=packages,
        seed=drawing.seed,
        n_resamples=drawing.n_resamples,
    )


def evaluation_provenance(
    evaluation: Evaluation, metrics: Sequence[BaseMetric], settings: Mapping[str, Any], drawing: Drawing
) -> Provenance:
    """Return the provenance of numbers that come from one evaluation.

    The hash of labels and whole numbers is of their joint rows and counts where no number depends on the
    order of the items, so that a table counted by a database has the same one; blocks, ranks and functions of
    the user's own keep the order.
    """
    cells = "blocks" not in settings and all(isinstance(m, Metric) for m in metrics)
    return made_by(
        drawing,
        {"metrics": [metric.name for metric in metrics], **settings},
        {"items": evaluation.n_items, "systems": list(evaluation.names), **evaluation.n_groups},
        evaluation.cells_hash() if cells else evaluation.data_hash(),
        [package for metric in metrics for package in metric.packages],
    )


def hash_of_rows(names: Iterable[str], table: Array) -> str:
    """Return the hash of a table of numbers, shape (n, k), about named systems; the order of rows is free."""
    digest = hashlib.blake2b("|".join(names).encode(), digest_size=8)
    ordered = table.astype(np.float64)[np.lexsort(table.T)]
    digest.update(np.ascontiguousarray(ordered).view(np.uint8).data)
    return digest.hexdigest()


def hash_of(parts: Mapping[str, str]) -> str:
    """Return one hash of the hashes of named parts, in whatever order they come."""
    digest = hashlib.blake2b(digest_size=8)
    for name in sorted(parts):
        digest.update(f"{name}|{parts[name]}|".encode())
    return digest.hexdigest()
