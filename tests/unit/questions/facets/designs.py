"""Designs of facets, made from the levels of each cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from bestby.questions.facets.components import Averaging, Cells, weights_of
from bestby.questions.facets.nesting import Nesting
from bestby.questions.facets.reference import MeanError, error_of_mean

Levels = Mapping[str, np.ndarray]


def cells(codes: Levels, items: str | None = None, fixed: Sequence[str] = (), **within: str) -> Cells:
    """Return the design of cells; `within` says of a facet in which other it lies."""
    parents = {facet: frozenset([within[facet]] if facet in within else []) for facet in codes}
    nesting = Nesting(tuple(codes), parents, frozenset(fixed), items)
    return Cells(nesting, codes, weights_of(nesting, codes, by_levels=True))


def averaged(design: Cells, values: np.ndarray) -> tuple[Cells, np.ndarray]:
    rest = design.nesting.rest
    averaging = Averaging.over(design.codes, rest.facets)
    return Cells(rest, averaging.codes, weights_of(rest, averaging.codes, by_levels=True)), averaging.means(
        values
    )


def error(design: Cells, values: np.ndarray) -> MeanError:
    parts = design.components(values) * design.kappa
    return error_of_mean(parts, design.freedom, design.levels, design.nesting)
