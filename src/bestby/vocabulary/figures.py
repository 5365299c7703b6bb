"""The kinds of figures, their widths and fonts."""

from __future__ import annotations

from typing import Literal, TypeAlias

from bestby.vocabulary.term import Term

ItemFigure: TypeAlias = Literal["auto", "forest", "systems", "scores", "baseline", "matrix"]
RunsFigure: TypeAlias = ItemFigure | Literal["quantiles", "order"]
PreferenceFigure: TypeAlias = ItemFigure | Literal["rankings"]
FacetFigure: TypeAlias = ItemFigure | Literal["shares", "study"]
JudgedFigure: TypeAlias = ItemFigure | Literal["judge"]
StudyFigure: TypeAlias = ItemFigure | Literal["growth"]
DatasetFigure: TypeAlias = Literal["auto", "forest", "matrix", "ranks", "profiles"]
FoldFigure: TypeAlias = Literal["auto", "forest", "matrix"]
FigureWidth: TypeAlias = Literal["column", "page"]
FigureFont: TypeAlias = Literal["sans", "serif"]

_OF_SYSTEMS = ("items.kind", "runs.kind", "preferences.kind", "judged.kind", "study.kind", "facets.kind")
_OF_PAIRS = (*_OF_SYSTEMS, "datasets.kind", "folds.kind")

# fmt: off
FIGURES = (
    Term("auto", "figure that suits the result", "Every pair if they are few, else a line per system.",
        _OF_PAIRS),
    Term("forest", "forest of pairs", "A line per pair, with its interval.", _OF_PAIRS),
    Term("systems", "systems", "A line per system, marked if another has a significantly better score.",
        _OF_SYSTEMS),
    Term("scores", "scores", "A line per system, with the interval of its score.", _OF_SYSTEMS),
    Term("baseline", "differences with one system", "Each system against the baseline, or the best.",
        _OF_SYSTEMS),
    Term("matrix", "matrix of pairs", "The effect as a colour, significance as a mark.", _OF_PAIRS),
    Term("quantiles", "quantile functions", "The runs of two systems, violations of order shaded.",
        ("runs.kind",)),
    Term("order", "matrix of stochastic order", "The upper bound of the violation, for every pair.",
        ("runs.kind",)),
    Term("shares", "shares of the variance", "A bar per difference, divided by what each facet brings.",
        ("facets.kind",)),
    Term("study", "other numbers of levels", "Half the interval against the levels of each facet.",
        ("facets.kind",)),
    Term("rankings", "places with covariates", "Places without covariates and with them, joined by lines.",
        ("preferences.kind",)),
    Term("growth", "growth", "Scores of conditions against epochs, items or dates.", ("study.kind",)),
    Term("judge", "humans by judge", "The mean human score by the judge's score.", ("judged.kind",)),
    Term("ranks", "diagram of average ranks", "Bars join systems that cannot be told apart.",
        ("datasets.kind",)),
    Term("profiles", "performance profiles", "Which share of several runs is better than each score.",
        ("datasets.kind",)),
    Term("column", "column", "As wide as a column of a paper: 3.03 inches.", ("figure.width",)),
    Term("page", "page", "As wide as the text of a page: 6.3 inches.", ("figure.width",)),
    Term("sans", "sans serif", "The letters of most figures.", ("figure.font",)),
    Term("serif", "serif", "Letters as those of a text in Times.", ("figure.font",)),
)
# fmt: on
