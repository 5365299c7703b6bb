"""What a comparison by preferences returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from bestby._core.keywords import with_suggestions
from bestby._core.text import grouped
from bestby.report.comparison import Comparison, Difference, SystemScore
from bestby.report.reported import canvas_of, shown_metric
from bestby.results.values import Interval, extent
from bestby.vocabulary import FigureFont, FigureWidth, ItemFigure


@dataclass(frozen=True, slots=True, repr=False)
class PreferenceScore(SystemScore):
    """The strength of one system, and how often it was preferred.

    Parameters
    ----------
    score : float
        The strength.
    standard_error : float or None
        Of the strength, from the Fisher information: that of independent judgements. None if no interval was
        asked for (``interval=None``).
    robust_error : float or None
        The same from the judgements themselves, those of one cluster taken together.
    win_rate : float
        The share of its judgements that the system won, a tie counting half. It depends on whom the system
        was judged against; the strength does not.
    win_rate_interval : Interval or None
        Its score interval; None if there is none, or if none was asked for.
    wins, ties, losses : int
        Numbers of judgements.

    See Also
    --------
    PreferenceComparison : Holds one per system.
    SystemScore : What all scores have.
    """

    robust_error: float | None = field(kw_only=True)
    win_rate: float = field(kw_only=True)
    win_rate_interval: Interval | None = field(kw_only=True)
    wins: int = field(kw_only=True)
    ties: int = field(kw_only=True)
    losses: int = field(kw_only=True)


@dataclass(frozen=True, slots=True, repr=False)
class PreferenceDifference(Difference):
    """The difference of two strengths, and the probability that one system is preferred to the other.

    Parameters
    ----------
    n_items, n_differing : int
        Number of judgements of just these two, and of those that are not a tie.
    probability : float
        The probability that A is preferred to B, a tie counting half, by the strengths.
    probability_interval : Interval or None
        Its score interval; None if there is none, or if none was asked for.
    wins, ties, losses : int
        Of A in the judgements of just these two.

    See Also
    --------
    PreferenceComparison : Holds one per pair.
    Difference : What all differences have.
    """

    probability: float = field(kw_only=True)
    probability_interval: Interval | None = field(kw_only=True)
    wins: int = field(kw_only=True)
    ties: int = field(kw_only=True)
    losses: int = field(kw_only=True)

    @property
    def extent(self) -> str:
        """How much was compared, in words."""
        return f"{grouped(self.n_items)} judgements of just the two"

    @property
    def sentence(self) -> str:
        """The preference in plain words, the size before the significance."""
        from bestby.questions.preferences import report

        return report.difference_sentence(self)

    def _mirrored_fields(self) -> dict[str, Any]:
        return {
            **Difference._mirrored_fields(self),
            "probability": 1.0 - self.probability,
            "probability_interval": self.probability_interval and self.probability_interval.complement(),
            "wins": self.losses,
            "losses": self.wins,
        }


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PreferenceComparison(Comparison):
    """The result of `compare_preferences`: strengths, their differences, and how they were computed.

    Parameters
    ----------
    metrics, systems, differences, n_items
        One metric, "strength" or "elo"; `PreferenceScore`; `PreferenceDifference`; the number of judgements.
    tie_model : {"half", "davidson"}
        Whether a tie is half a win for both, or has a probability of its own.
    tie_parameter : float
        Davidson's: twice the odds of a tie between equal systems; 0 where ties are halves.
    tie_interval : Interval or None
        Its interval; None where ties are halves, or if no interval was asked for.

    See Also
    --------
    bestby.compare_preferences : Makes it.
    bestby.load : Reads it back from JSON.

    Examples
    --------
    >>> from bestby import compare_preferences
    >>> judged = [("new", "old", "new")] * 30 + [("old", "new", "old")] * 10
    >>> result = compare_preferences(judged, n_resamples=999)
    >>> round(result["new", "old"].probability, 6), result["new", "old"].wins
    (0.75, 30)
    """

    systems: tuple[PreferenceScore, ...]
    differences: tuple[PreferenceDifference, ...]
    n_clusters: int = field(kw_only=True)
    tie_model: str = field(kw_only=True)
    tie_parameter: float = field(kw_only=True)
    tie_interval: Interval | None = field(kw_only=True)

    kind: ClassVar[str] = "preferences"

    @staticmethod
    def _report() -> Any:
        from bestby.questions.preferences import report

        return report

    @property
    def extent(self) -> str:
        """How much was compared, in words."""
        return extent(self.n_items, self.n_clusters, "judgements")

    @with_suggestions
    def plot(  # type: ignore[override]
        self,
        metric: str | None = None,
        *,
        kind: ItemFigure = "auto",
        width: FigureWidth | float | None = None,
        font: FigureFont | None = None,
        ax: Any = None,
    ) -> Any:
        """Draw the comparison; return the matplotlib Axes.

        Parameters
        ----------
        metric : str, optional
            The metric; there is one.
        kind : {"auto", "forest", "systems", "scores", "baseline", "matrix"}
            "scores" (and "auto"): the strengths with their intervals; the others as for `Comparison.plot`.
        width, font, ax
            As for `Comparison.plot`.
        """
        from bestby.questions.preferences import report

        canvas = canvas_of(ax, width, font)
        shown, metric = shown_metric(self, metric, percent=False)
        return report.preferences(shown, metric, kind, canvas)
