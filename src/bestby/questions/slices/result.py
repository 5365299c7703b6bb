"""What `compare_slices` returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from bestby._core.errors import InvalidInputError
from bestby._core.keywords import Renamed, with_suggestions
from bestby._core.text import quoted, shortened, suggestion
from bestby.report.comparison import Difference
from bestby.report.reported import Reported, canvas_of, shown_in, shown_metric
from bestby.results.base import MetricInfo, Note, Provenance
from bestby.vocabulary import FigureFont, FigureWidth

HeterogeneityTest = Literal["permutation-q", "welch-q", "hotelling"]


@dataclass(frozen=True, slots=True)
class SliceDifference(Renamed):
    """The difference between two systems on the items of one slice.

    Parameters
    ----------
    column, slice : str
        The column, and its value, bin or combination of values that the items of the slice have.
    difference : Difference
        The difference on these items. Its interval holds for all slices at once, and its adjusted p-value is
        for all of them; the p-value of its test is that of the slice alone.
    detectable : float or None
        The smallest true difference that the slice could have shown with power 0.8, at the level at which the
        slices are judged. None if it could have shown none.
    shrunken : float or None
        The empirical-Bayes estimate of the true difference: the difference drawn towards the mean of all
        slices of the column by as much as chance accounts for. None if a standard error is not known.

    See Also
    --------
    SlicesComparison : Holds one for each slice.
    """

    column: str
    slice: str
    difference: Difference
    detectable: float | None
    shrunken: float | None

    _renamed: ClassVar[Mapping[str, str]] = {"shown": "it is significant now"}

    @property
    def significant(self) -> bool | None:
        """As `Difference.significant`: corrected for the number of slices."""
        return self.difference.significant

    @property
    def winner(self) -> str | None:
        """As `Difference.winner`."""
        return self.difference.winner


@dataclass(frozen=True, slots=True)
class Heterogeneity:
    """Whether the difference between two systems depends on the slice.

    Parameters
    ----------
    metric, a, b : str
        The metric and the two systems.
    column : str
        The column of the slices.
    q : float
        Cochran's Q of the differences in the slices.
    df : int
        The number of slices less 1.
    p_value : float
        That of the hypothesis that the true difference is the same in all slices.
    test : str
        How the p-value was found: "permutation-q", "welch-q" or "hotelling".
    mean, mean_error : float
        The mean of the true differences over the slices, each counted once, and its standard error.
    tau : float
        The standard deviation of the true differences; 0 if chance accounts for all that was seen.
    sign_statistic, sign_p : float or None
        The test of Gail and Simon that A is better in some slices and B in others, with Student's t of each
        slice as a normal score. None if clusters span slices, for then they are not independent.

    See Also
    --------
    SlicesComparison : Holds one for each metric, pair and column.
    """

    metric: str
    a: str
    b: str
    column: str
    q: float
    df: int
    p_value: float
    test: HeterogeneityTest
    mean: float
    mean_error: float
    tau: float
    sign_statistic: float | None
    sign_p: float | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SlicesComparison(Reported):
    """Systems compared in every slice of one test set.

    Parameters
    ----------
    metrics : tuple of MetricInfo
        Names, directions and bounds of the metrics.
    overall : tuple of Difference
        The differences on all items, per metric and pair.
    slices : tuple of SliceDifference
        The differences in the slices, in the same order, by column and slice.
    heterogeneity : tuple of Heterogeneity
        Whether a difference depends on the slice, per metric, pair and column.
    columns : tuple of str
        The columns of the slices.
    n_items, n_clusters : int
        Their numbers; 0 clusters if there are none.
    level : float
        The level of the intervals; tests reject at 1 - level.
    baseline : str or None
        The system with which all others are compared.
    notes : tuple of Note
        What must be known to read them.
    provenance : Provenance
        Settings, versions and data hash.

    See Also
    --------
    bestby.compare_slices : Makes it.
    """

    metrics: tuple[MetricInfo, ...]
    overall: tuple[Difference, ...]
    slices: tuple[SliceDifference, ...]
    heterogeneity: tuple[Heterogeneity, ...]
    columns: tuple[str, ...]
    n_items: int
    n_clusters: int
    level: float
    baseline: str | None
    notes: tuple[Note, ...]
    provenance: Provenance

    kind: ClassVar[str] = "slices"
    margin: ClassVar[None] = None  # slices have no verdicts

    @staticmethod
    def _report() -> Any:
        from bestby.questions.slices import report

        return report

    def __len__(self) -> int:
        return len(self.slices)

    def __iter__(self) -> Iterator[SliceDifference]:
        return iter(self.slices)

    @property
    def differences(self) -> tuple[Difference, ...]:
        """The differences on all items, and those in the slices."""
        return (*self.overall, *(one.difference for one in self.slices))

    @property
    def sentence(self) -> str:
        """Whether the first pair differs significantly in the first metric, and in which slices."""
        from bestby.questions.slices import report

        shown = shown_in(self)
        return report.sentence(shown, shown.overall[0])

    def of(self, overall: Difference) -> tuple[SliceDifference, ...]:
        """Return the slices of a metric and pair, named by their difference on all items."""
        key = (overall.metric, overall.a, overall.b)
        return tuple(s for s in self.slices if (s.difference.metric, s.difference.a, s.difference.b) == key)

    def __getitem__(self, name: str) -> SliceDifference:
        """Return a slice by its name, of the first metric and pair; see `find`."""
        return self.find(name)

    def find(
        self,
        name: str,
        *,
        column: str | None = None,
        metric: str | None = None,
        a: str | None = None,
        b: str | None = None,
    ) -> SliceDifference:
        """Return the first slice with this name, in a column and of a metric and pair if these are given.

        Raises
        ------
        InvalidInputError
            If there is none.
        """
        asked = {"column": column, "metric": metric, "a": a, "b": b}
        for one in self.slices:
            d = one.difference
            has = {"column": one.column, "metric": d.metric, "a": d.a, "b": d.b}
            if one.slice == name and all(value in (None, has[key]) for key, value in asked.items()):
                return one
        names = list(dict.fromkeys(one.slice for one in self.slices))
        restrictions = "".join(
            f", {key} {quoted(value)}" for key, value in asked.items() if value is not None
        )
        raise InvalidInputError(
            f"there is no slice {quoted(name)}{restrictions}{suggestion(name, names)}",
            hint=f"slices: {shortened(', '.join(names))}",
        )

    @with_suggestions
    def plot(
        self,
        metric: str | None = None,
        *,
        width: FigureWidth | float | None = None,
        font: FigureFont | None = None,
        percent: bool = False,
        ax: Any = None,
    ) -> Any:
        """Draw the difference in every slice with its interval; return the matplotlib Axes.

        Parameters
        ----------
        metric : str, optional
            One of the metrics, by default the first; of several pairs the first is drawn.
        width, font, percent, ax
            As for `Comparison.plot`.
        """
        from bestby.questions.slices import report

        canvas = canvas_of(ax, width, font)
        shown, metric = shown_metric(self, metric, percent)
        return report.slices(shown, metric, canvas=canvas)
