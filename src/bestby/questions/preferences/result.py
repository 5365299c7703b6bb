"""What a comparison by preferences returns."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from bestby._core.keywords import with_suggestions
from bestby._core.text import grouped
from bestby._core.typing import Array, FloatArray
from bestby.report.comparison import Comparison, Difference, SystemScore
from bestby.report.pairs import Differences, Pairs
from bestby.report.reported import canvas_of, shown_metric
from bestby.results.values import Interval, defined, extent
from bestby.vocabulary import FigureFont, FigureWidth, PreferenceFigure

KINDS = ("wald", "likelihood-ratio")
"""Intervals and tests where a difference is finite or unknown, and where it is infinite."""


@dataclass(frozen=True, slots=True, repr=False)
class PreferenceScore(SystemScore):
    """The strength of one system, and how often it was preferred.

    Parameters
    ----------
    score : float
        The strength: infinite of a system that won, or lost, all; NaN of one that nothing connects with the
        others.
    standard_error : float or None
        Of the strength, from the Fisher information: that of independent judgements. None if no interval was
        asked for (``interval=None``), or if the strength is not finite.
    robust_error : float or None
        The same from the judgements themselves, those of one cluster taken together.
    first_share : float or None
        The share of its judgements in which the system was shown first.
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
    first_share: float | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True, repr=False)
class PreferenceDifference(Difference):
    """The difference of two strengths, and the probability that one system is preferred to the other.

    Parameters
    ----------
    estimate, interval
        Infinite, with a bound at its one end, where one system never lost to the other, nor by way of others;
        NaN without an interval where nothing connects them.
    n_items, n_differing : int
        Number of judgements of just these two, and of those that are not a tie.
    probability : float
        The probability that A is preferred to B, a tie counting half, by the strengths.
    probability_interval : Interval or None
        The interval of the difference, as probabilities; None if there is none, or if none was asked for.
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


@dataclass(frozen=True, eq=False)
class PreferencePairs(Pairs):
    """The differences of many systems by preferences, a column per number.

    Parameters
    ----------
    wins, ties, losses : ndarray of int, shape (P,)
        Of A in the judgements of just the two.
    probability, probability_low, probability_high : ndarray, shape (P,)
        As for `PreferenceDifference`, with the ends of the interval.

    See Also
    --------
    Differences : Holds them.
    PreferenceDifference : What one of them is made of.
    """

    wins: Array = field(kw_only=True)
    ties: Array = field(kw_only=True)
    losses: Array = field(kw_only=True)
    probability: FloatArray = field(kw_only=True)
    probability_low: FloatArray = field(kw_only=True)
    probability_high: FloatArray = field(kw_only=True)

    exact: ClassVar[bool] = False
    error_method: ClassVar[str] = "sandwich"

    def at(self, positions: Array) -> Iterator[PreferenceDifference]:
        """Yield the differences at some positions."""
        columns = (
            self.wins, self.ties, self.losses, self.probability, self.probability_low, self.probability_high
        )  # fmt: skip
        rows = zip(*(column[positions].tolist() for column in columns), strict=True)
        for record, row in zip(self._fields_at(positions), rows, strict=True):
            wins, ties, losses, probability, low, high = row
            interval, error, chance = record["interval"], record["standard_error"], None
            if interval is not None:
                chance = defined(replace(interval, low=low, high=high))[0]
                record |= {"interval": defined(interval)[0]}
                record |= {"standard_error": None if math.isnan(error) else error}
            record |= {"n_items": wins + ties + losses, "wins": wins, "ties": ties, "losses": losses}
            yield PreferenceDifference(**record, probability=probability, probability_interval=chance)

    def _method(self, asked: str, how: int) -> str:  # noqa: ARG002
        return KINDS[how]


@dataclass(frozen=True, slots=True)
class OrderEffect:
    """The effect of being shown first, and what the judgements tell of it.

    Parameters
    ----------
    status : {"in the model", "one order", "separated", "left out"}
        Whether strengths allow for it. "one order": the judgements cannot tell it from strengths, as too few
        pairs were shown both ways. "separated": the first shown always won, but for what strengths explain.
        "left out": ``order=False``.
    estimate, standard_error, p_value : float
        The effect, on the scale of log odds; NaN where it is not in the model.
    interval : Interval or None
        Its interval.
    probability : float
        The probability that the first shown of two equal systems wins; NaN where it is not in the model.
    left, within : float
        The share of what is known of the effect that strengths leave; the share of that which comes from
        pairs shown both ways. Below .05 of the latter it is not in the model unless asked for.
    by_pair_p : float or None
        The p-value of an effect that is the same in all pairs.
    undone_by : float or None
        Where it is not in the model: the smallest order effect that would undo a conclusion.
    undone : tuple of str
        The two systems that this would be about.
    share : float
        The share of judgements that the first shown won, a tie counting half.
    share_interval : Interval or None
        Its score interval.
    without : tuple of str and float
        The two systems that would be first and second without the effect in the model, and their difference;
        empty where it is not in the model, or if one is infinite.

    See Also
    --------
    PreferenceComparison : Holds it.
    """

    status: str
    estimate: float = math.nan
    standard_error: float = math.nan
    interval: Interval | None = None
    p_value: float = math.nan
    probability: float = math.nan
    left: float = field(kw_only=True)
    within: float = field(kw_only=True)
    by_pair_p: float | None = None
    undone_by: float | None = None
    undone: tuple[str, ...] = ()
    share: float = field(kw_only=True)
    share_interval: Interval | None = None
    without: tuple[str | float, ...] = ()

    @property
    def included(self) -> bool:
        """Whether strengths allow for the effect."""
        return self.status == "in the model"


@dataclass(frozen=True, slots=True)
class Covariate:
    """The effect of a covariate on who is preferred.

    Parameters
    ----------
    name : str
        Its name.
    coefficient, standard_error, p_value : float
        Log odds per standard deviation `sd` of the covariate of the first less that of the second.
    interval : Interval or None
        Of the coefficient.
    sd : float
        The standard deviation, on the scale of the covariate.

    See Also
    --------
    PreferenceComparison : Holds one per covariate.
    """

    name: str
    coefficient: float
    standard_error: float
    interval: Interval | None
    p_value: float
    sd: float


@dataclass(frozen=True, slots=True)
class PlainScore:
    """The strength of a system without covariates.

    Parameters
    ----------
    system : str
        Its name.
    score : float
        Its strength.
    interval : Interval or None
        Its interval.
    rank, rank_with : int
        Its place by strength without covariates, and with them.

    See Also
    --------
    PreferenceComparison : Holds one per system.
    """

    system: str
    score: float
    interval: Interval | None
    rank: int
    rank_with: int


@dataclass(frozen=True, slots=True)
class Cycle:
    """Three systems that no strengths describe: the first tends to beat the second, and so on.

    Parameters
    ----------
    systems : tuple of str
        The three.
    shares : tuple of float
        How often the first beats the second, the second the third, and the third the first.
    z, p_value : float
        How far their log odds are from adding up to 0, in standard errors; corrected for all triples.

    See Also
    --------
    FitTest : Holds the largest.
    """

    systems: tuple[str, ...]
    shares: tuple[float, ...]
    z: float
    p_value: float

    @property
    def closed(self) -> bool:
        """Whether each of the three beats the next more often than not."""
        return min(self.shares) > 0.5


@dataclass(frozen=True, slots=True)
class FitTest:
    """The test that strengths describe all pairs.

    Parameters
    ----------
    statistic, p_value : float
        Chi-squared, over its design effect.
    df : int
        Its degrees of freedom.
    design_effect : float
        By how much more pairs vary than the model says.
    cycle : Cycle or None
        The three systems farthest from strengths; None if no three met.

    See Also
    --------
    PreferenceComparison : Holds it.
    """

    statistic: float
    df: int
    p_value: float
    design_effect: float
    cycle: Cycle | None


@dataclass(frozen=True, slots=True)
class Influence:
    """A voter who moves a difference more than voters like the others would.

    Parameters
    ----------
    voter : str
        The voter.
    n : int
        Number of judgements.
    share : float
        Their share of all.
    a, b : str
        The two systems whose difference moves most.
    before, after : float
        Their difference with the voter and without.
    leader : str
        The system of most strength without the voter.

    See Also
    --------
    PreferenceComparison : Holds them.
    """

    voter: str
    n: int
    share: float
    a: str
    b: str
    before: float
    after: float
    leader: str


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
    prior : str or None
        "jeffreys" if estimates have Jeffreys' prior.
    order : OrderEffect or None
        The effect of being shown first; None in files of version 0.2.0.
    covariates : tuple of Covariate
        Their effects.
    without_covariates : tuple of PlainScore
        The strengths without them, the best first; empty if there are none.
    fit : FitTest or None
        The test that strengths describe all pairs; None if there is nothing to test.
    influence : tuple of Influence
        Voters who move a difference more than others would.

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
    differences: tuple[PreferenceDifference, ...] | Differences
    n_clusters: int = field(kw_only=True)
    tie_model: str = field(kw_only=True)
    tie_parameter: float = field(kw_only=True)
    tie_interval: Interval | None = field(kw_only=True)
    prior: str | None = field(default=None, kw_only=True)
    order: OrderEffect | None = field(default=None, kw_only=True)
    covariates: tuple[Covariate, ...] = field(default=(), kw_only=True)
    without_covariates: tuple[PlainScore, ...] = field(default=(), kw_only=True)
    fit: FitTest | None = field(default=None, kw_only=True)
    influence: tuple[Influence, ...] = field(default=(), kw_only=True)

    kind: ClassVar[str] = "preferences"

    @staticmethod
    def _report() -> Any:
        from bestby.questions.preferences import report

        return report

    @property
    def extent(self) -> str:
        """How much was compared, in words."""
        sizes = self.provenance.data.get("clusters")
        if isinstance(sizes, list):
            groupings = f"two crossed groupings of {' and '.join(map(grouped, sizes))} clusters"
            return f"{extent(self.n_items, 0, 'judgements')} in {groupings}"
        return extent(self.n_items, self.n_clusters, "judgements")

    @with_suggestions
    def plot(  # type: ignore[override]
        self,
        metric: str | None = None,
        *,
        kind: PreferenceFigure = "auto",
        width: FigureWidth | float | None = None,
        font: FigureFont | None = None,
        ax: Any = None,
    ) -> Any:
        """Draw the comparison; return the matplotlib Axes.

        Parameters
        ----------
        metric : str, optional
            The metric; there is one.
        kind : {"auto", "forest", "systems", "scores", "baseline", "matrix", "rankings"}
            "scores" (and "auto"): the strengths with their intervals; "rankings": the places without
            covariates and with them; the others as for `Comparison.plot`.
        width, font, ax
            As for `Comparison.plot`.
        """
        from bestby.questions.preferences import report

        canvas = canvas_of(ax, width, font)
        shown, metric = shown_metric(self, metric, percent=False)
        return report.preferences(shown, metric, kind, canvas)
