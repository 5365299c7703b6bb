"""What `compare_folds` returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from bestby._core.errors import DesignError
from bestby._core.keywords import with_suggestions
from bestby._core.typing import FloatArray
from bestby.report.comparison import BestSet, Difference, Paired
from bestby.report.replicability import ByPair, Counts, Names
from bestby.report.reported import canvas_of, shown_in
from bestby.results.base import MetricInfo, Note, Provenance
from bestby.results.values import TestResult
from bestby.vocabulary import FigureFont, FigureWidth, FoldFigure


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FoldComparison(Paired):
    """The result of `compare_folds`.

    Parameters
    ----------
    metric : MetricInfo
        What the scores are.
    systems : tuple of str, length k
        By mean score, the best first.
    folds : tuple of (str, str), length J
        Repetition and fold of each score; the fold is empty where a repetition came without its folds.
    scores : ndarray, shape (J, k)
        Score of each system on each fold; read only.
    means : tuple of float
        Mean score of each system over the folds.
    ratio : float
        Items tested over items trained on; NaN without folds.
    differences : tuple of Difference
        Per pair the mean difference over folds, its corrected interval and the test chosen, corrected over
        the pairs; `n_items` is J. Empty without folds.
    tests : PairTests, a mapping of (str, str) to tuple of TestResult
        Per pair all tests that apply, in whichever order the two systems are named. Empty without tests
        (``test=None``).
    effects : Counts, a mapping of (str, str) to Replicability
        Per pair, on how many folds there is a difference; in whichever order the two systems are named,
        unless the tests are one-sided. Empty without items, and without tests.
    within : mapping of str to tuple of Difference
        Per repetition the differences on its pooled out-of-fold predictions; empty without items.
    spread : tuple of Spread
        Per pair the spread of those; empty without items.
    notes, provenance, level, correction, margin, baseline
        As for `Comparison`.
    best_sets : tuple of BestSet
        Which of three or more systems may be the best over the folds; empty without folds, against a
        baseline, and without tests or intervals. ``result.best`` is the one.
    behind : tuple of (float or None)
        By how much the best system is better than each at most, in the order of `systems`, as for
        `SystemScore`. Empty where `best_sets` is.

    See Also
    --------
    bestby.compare_folds : Makes it.
    bestby.load : Reads it back from JSON.
    """

    metric: MetricInfo
    systems: tuple[str, ...]
    folds: tuple[tuple[str, str], ...]
    scores: FloatArray
    means: tuple[float, ...]
    ratio: float
    differences: tuple[Difference, ...]
    tests: PairTests
    effects: Counts
    within: Mapping[str, tuple[Difference, ...]]
    spread: tuple[Spread, ...]
    notes: tuple[Note, ...]
    provenance: Provenance
    level: float
    correction: str
    margin: float | None = None
    baseline: str | None = None
    best_sets: tuple[BestSet, ...] = field(default=(), kw_only=True)
    behind: tuple[float | None, ...] = field(default=(), kw_only=True)

    kind: ClassVar[str] = "folds"

    @staticmethod
    def _report() -> Any:
        from bestby.questions.folds import report

        return report

    @property
    def has_folds(self) -> bool:
        """Whether there are scores of folds, not of repetitions as a whole only."""
        return any(fold for _, fold in self.folds)

    @with_suggestions
    def plot(
        self,
        *,
        kind: FoldFigure = "auto",
        width: FigureWidth | float | None = None,
        font: FigureFont | None = None,
        percent: bool = False,
        ax: Any = None,
    ) -> Any:
        """Draw the differences of all pairs; return the matplotlib Axes.

        Parameters
        ----------
        kind : {"auto", "forest", "matrix"}
            "forest" (and "auto"): each fold a dot beside the corrected interval of the pair. "matrix": every
            pair, the effect as a colour and significance as a mark.
        width, font, percent, ax
            As for `Comparison.plot`.

        Raises
        ------
        DesignError
            If the repetitions came without their folds: there is no difference over the folds then.
        """
        from bestby.questions.folds import report

        if not self.differences:
            raise DesignError(
                "there are no differences over the folds to draw: the fold of each item is not known",
                hint='to_frame("differences") has those of each repetition',
            )
        canvas = canvas_of(ax, width, font)
        return report.folds(shown_in(self, percent), kind, canvas)


@dataclass(frozen=True, slots=True)
class Spread:
    """How far the conclusions of single repetitions of cross-validation lie apart.

    Parameters
    ----------
    a, b : str
        The systems.
    n_repetitions : int
        Repetitions, each with its pooled out-of-fold predictions.
    n_significant : int or None
        How many of them give a p-value below 1 - level; None without tests (``test=None``).
    p_value : tuple of float or None
        Least and greatest p-value among the repetitions; None without tests.
    difference : tuple of float
        Least and greatest difference among them.
    low, high : tuple of float or None
        Least and greatest lower end of the intervals among them, and least and greatest upper end; None
        without intervals (``interval=None``).
    n_excluding : int or None
        How many repetitions give an interval that does not hold 0; None without intervals.

    See Also
    --------
    FoldComparison : Holds one per pair as `spread`.
    """

    a: str
    b: str
    n_repetitions: int
    n_significant: int | None
    p_value: Ends | None
    low: Ends | None
    difference: Ends
    high: Ends | None
    n_excluding: int | None = None


Ends = tuple[float, float]


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class PairTests(ByPair[tuple[TestResult, ...]]):
    """The tests of two systems, by the names of the two; in the other order the tests are mirrored.

    See Also
    --------
    FoldComparison : Holds them as `tests`.

    Examples
    --------
    >>> from bestby.results import TestResult
    >>> one = TestResult("t", 0.25, "greater", False, "asymptotic", statistic=1.5)
    >>> tests = PairTests({("a", "b"): (one,)})
    >>> [(test.alternative, test.statistic) for test in tests["b", "a"]]
    [('less', -1.5)]
    """

    what: ClassVar[str] = "tests"
    needs: ClassVar[str] = "it was made with test=None"
    hint: ClassVar[str] = "leave out test=None"

    def _mirrored(self, key: Names) -> tuple[TestResult, ...]:
        return tuple(test.mirrored() for test in self.of[key])
