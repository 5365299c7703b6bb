"""The figures of each kind of result, as its method `plot` offers them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby.report.figures import curves, forest, matrix, ranks, scores
from bestby.report.tables import metric_info

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bestby.results.datasets import DatasetComparison
    from bestby.results.preferences import PreferenceComparison
    from bestby.results.runs import RunsComparison


def runs(c: RunsComparison, metric: str | None, ax: Axes | None, kind: str, pair: Any) -> Axes:
    """Draw a figure of a comparison of runs; see `RunsComparison.plot`."""
    checks.choice(kind, ("scores", "forest", "quantiles", "order"), "kind")
    metric_info(c, metric)
    if pair is not None and kind != "quantiles":
        raise InvalidInputError("a pair is drawn with kind='quantiles' only")
    if kind == "quantiles":
        return curves.quantiles(c, pair, ax)
    if kind == "order":
        if c.orders is None:
            raise InvalidInputError(
                "this comparison has no stochastic orders: it was made with test=None",
                hint="leave out test=None, or draw another kind",
            )
        return matrix.orders(c.orders, [entry.system for entry in c.systems], ax)
    return scores.scores(c, metric, ax) if kind == "scores" else forest.forest(c, metric, ax)


def preferences(c: PreferenceComparison, metric: str | None, ax: Axes | None, kind: str) -> Axes:
    """Draw strengths or differences; see `PreferenceComparison.plot`."""
    draw = scores.scores if checks.choice(kind, ("scores", "forest"), "kind") == "scores" else forest.forest
    return draw(c, metric, ax)


def datasets(
    c: DatasetComparison,
    kind: str = "auto",
    cliques: str = "pairs",
    pair: tuple[str, str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw one of the figures; see `DatasetComparison.plot`."""
    checks.choice(kind, ("auto", "ranks", "matrix", "forest"), "kind")
    checks.choice(cliques, ranks.CLIQUES, "cliques")
    if kind == "auto":
        kind = "forest" if len(c.systems) == 2 else "ranks"
    if kind == "forest":
        return forest.datasets(c, pair, ax)
    return matrix.pairs(c, ax) if kind == "matrix" else ranks.ranks(c, cliques, ax)
