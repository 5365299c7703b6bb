"""The figures of each kind of result, as its method `plot` offers them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from bestby import vocabulary
from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby.report.figures import (
    curves,
    forest,
    growth,
    matrix,
    orders,
    over_datasets,
    profiles,
    ranks,
    scores,
)
from bestby.report.figures.canvas import SCREEN, Canvas
from bestby.report.figures.judged import judge as draw_judge
from bestby.report.tables import differences_of, metric_info

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bestby.results.comparison import Comparison
    from bestby.results.datasets import DatasetComparison
    from bestby.results.folds import FoldComparison
    from bestby.results.judged import JudgedComparison
    from bestby.results.preferences import PreferenceComparison
    from bestby.results.runs import RunsComparison
    from bestby.results.study import StudyComparison

_OF_SYSTEMS: dict[str, Callable[..., Axes]] = {
    "forest": forest.forest,
    "systems": scores.systems,
    "scores": scores.scores,
    "baseline": forest.baseline,
    "matrix": matrix.comparison,
}


def usual(c: Comparison, metric: str | None = None) -> str:
    """Return the kind of figure for so many systems: every pair, or the baseline's, or a line per system."""
    differences = differences_of(c, metric_info(c, metric))
    if not differences:
        return "scores"
    if c.baseline is not None:
        return "baseline"
    # Pairs that are drawn one by one unless a kind is asked for: those of 9 systems
    return "forest" if len(differences) <= 36 else "systems"


def items(c: Comparison, metric: str | None, kind: str, canvas: Canvas, top: int | None = None) -> Axes:
    """Draw a comparison on one test set; see `Comparison.plot`."""
    return _plot_systems(c, metric, _checked(kind, "items"), canvas, top)


def preferences(c: PreferenceComparison, metric: str | None, kind: str, canvas: Canvas) -> Axes:
    """Draw strengths or differences; see `PreferenceComparison.plot`."""
    kind = _checked(kind, "preferences")
    return _plot_systems(c, metric, "scores" if kind == "auto" else kind, canvas)


def judged(c: JudgedComparison, metric: str | None, kind: str, canvas: Canvas) -> Axes:
    """Draw corrected scores, differences or the judge; see `JudgedComparison.plot`."""
    kind = _checked(kind, "judged")
    if kind != "judge":
        return _plot_systems(c, metric, kind, canvas)
    if not c.judges:
        raise InvalidInputError(
            "kind='judge' draws human scores by those of the judge, and no item has both here",
            hint="draw another kind, such as 'forest'",
            argument="kind",
        )
    return draw_judge(c, canvas=canvas)


def study(c: StudyComparison, metric: str | None, kind: str, by: Any, canvas: Canvas) -> Axes:
    """Draw the comparison of a study; see `StudyComparison.plot`."""
    kind = _checked(kind, "study")
    if by is not None and kind != "growth":
        raise InvalidInputError(
            "by is for kind='growth'", hint="leave it out, or draw that kind", argument="by"
        )
    if kind == "growth":
        return growth.growth(c, metric, "epochs" if by is None else by, canvas=canvas)
    return _plot_systems(c, metric, kind, canvas)


def runs(c: RunsComparison, metric: str | None, kind: str, pair: Any, canvas: Canvas) -> Axes:
    """Draw a figure of a comparison of runs; see `RunsComparison.plot`."""
    kind = _checked(kind, "runs")
    metric_info(c, metric)
    if pair is not None and kind != "quantiles":
        raise InvalidInputError("a pair is drawn with kind='quantiles' only", argument="pair")
    if kind == "quantiles":
        return curves.quantiles(c, pair, canvas=canvas)
    if kind == "order":
        if c.orders is None:
            raise InvalidInputError(
                "this comparison has no stochastic orders: it was made with test=None",
                hint="leave out test=None, or draw another kind",
            )
        return orders.orders(c.orders, [entry.system for entry in c.systems], canvas=canvas)
    return _plot_systems(c, metric, "scores" if kind == "auto" else kind, canvas)


def folds(c: FoldComparison, kind: str, canvas: Canvas) -> Axes:
    """Draw a comparison over folds; see `FoldComparison.plot`."""
    kind = _checked(kind, "folds")
    return matrix.folds(c, canvas=canvas) if kind == "matrix" else forest.folds(c, canvas=canvas)


def datasets(
    c: DatasetComparison,
    kind: str = "auto",
    cliques: str = "pairs",
    pair: tuple[str, str] | None = None,
    canvas: Canvas = SCREEN,
) -> Axes:
    """Draw one of the figures over datasets; see `DatasetComparison.plot`."""
    kind = _checked(kind, "datasets")
    checks.choice(cliques, ranks.CLIQUES, "cliques")
    if kind == "auto":
        kind = "forest" if len(c.systems) == 2 else "ranks"
    if kind == "forest":
        return over_datasets.datasets(c, pair, canvas=canvas)
    if kind == "profiles":
        return profiles.profiles(c, canvas=canvas)
    return matrix.datasets(c, canvas=canvas) if kind == "matrix" else ranks.ranks(c, cliques, canvas=canvas)


def _checked(kind: str, question: str) -> str:
    """Return a kind of figure if results of such a question have it."""
    return str(checks.choice(kind, vocabulary.allowed_names("kind", question), "kind"))


def _plot_systems(
    c: Comparison, metric: str | None, kind: str, canvas: Canvas, top: int | None = None
) -> Axes:
    kind = usual(c, metric) if kind == "auto" else kind
    if kind != "scores" and not differences_of(c, metric_info(c, metric)):
        raise InvalidInputError(
            f"kind={kind!r} draws differences, and this result has none: one system, or scores alone",
            hint="kind='scores' draws the scores",
            argument="kind",
        )
    return _OF_SYSTEMS[kind](c, metric, top, canvas=canvas)
