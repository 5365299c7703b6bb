"""The best of many systems, and the differences between them that are worth a line."""

from __future__ import annotations

import dataclasses
from itertools import pairwise

from bestby._core import checks
from bestby.report.comparison import Comparison, Difference
from bestby.report.document import check_top
from bestby.report.tables import systems_of
from bestby.results.base import MetricInfo

TOP = 20
"""How many of more are shown."""


def best_systems(c: Comparison, top: int | None = None) -> Comparison | None:
    """Return the comparison with the best systems only, no number changed; None if all are to be shown."""
    n_systems = len({entry.system for entry in c.systems})
    if top is None:
        # Systems up to which all are shown
        if c.kind != "comparison" or n_systems <= 50:
            return None
        top = TOP
    check_top(c)
    if checks.positive_int(top, "top") >= n_systems:
        return None
    systems = tuple(entry for metric in c.metrics for entry in systems_of(c, metric)[:top])
    differences = tuple(d for metric in c.metrics for d in _differences(c, metric, top))
    return dataclasses.replace(c, systems=systems, differences=differences)


def _differences(c: Comparison, metric: MetricInfo, top: int) -> list[Difference]:
    names = [entry.system for entry in systems_of(c, metric)[:top]]
    if c.baseline is not None:
        pairs = [(name, c.baseline) for name in names]
    else:
        pairs = [*((names[0], name) for name in names[1:]), *pairwise(names[1:])]
    differences = [c.find(metric.name, a, b) or c.find(metric.name, b, a) for a, b in pairs]
    return [d for d in differences if d is not None]
